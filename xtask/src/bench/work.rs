//! What is timed: every registered method at the parameters of its own example, found by its
//! card, so that a new method is timed without a line here.

use bauta_data::{Kind, Role};
use bauta_methods::card::{Card, Family};
use bauta_methods::measure::{Scope, Subject};
use bauta_methods::params::RawValue;
use bauta_methods::registry;

use super::inputs::{EIGHTH_KEY, KEYS, N_AMOUNTS, amount_name};
use super::peers::{Published, published};

/// Which generated input a work runs on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Input {
    /// The survey.
    Survey,
    /// The survey with missing values in eight keys.
    SurveyWithMissing,
    /// The amounts; measures of two files also get them changed.
    Amounts,
}

/// One thing to time.
#[derive(Clone, Debug)]
pub(super) struct Work {
    /// Its name in the table.
    pub(super) name: String,
    /// The method.
    pub(super) card: &'static Card,
    /// What it runs on.
    pub(super) input: Input,
    /// Names of the variables.
    pub(super) on: Vec<String>,
    /// Parameters as a plan would give them.
    pub(super) params: Vec<(String, RawValue)>,
    /// Published figures of a peer that does the same.
    pub(super) published: Option<&'static Published>,
}

/// Every work, in the order of the registry, then variants that a peer has figures for.
pub(super) fn all() -> Vec<Work> {
    let masks = registry::MASKS.iter().map(|mask| {
        let card = mask.card();
        let input = mask_input(card);
        Work {
            name: card.id.to_owned(),
            card,
            input,
            on: mask_targets(card, input),
            params: owned(mask.example()),
            published: published(card.id),
        }
    });
    let measures = registry::MEASURES.iter().map(|measure| {
        let card = measure.card();
        let by_keys = measure.scope() == Scope::Scenario && measure.subject() == Subject::OneFile;
        Work {
            name: card.id.to_owned(),
            card,
            input: if by_keys {
                Input::Survey
            } else {
                Input::Amounts
            },
            on: if by_keys { keys(&KEYS) } else { amount_names() },
            params: Vec::new(),
            published: published(card.id),
        }
    });
    masks.chain(measures).chain(variants()).collect()
}

/// Other ways to count keys: the one that group-by tools know, and the one that is costly.
fn variants() -> Vec<Work> {
    let Some(card) = registry::card("k-anonymity") else {
        return Vec::new();
    };
    let variant = |name: &str, input: Input, on: Vec<String>, semantics: &str| Work {
        name: name.to_owned(),
        card,
        input,
        on,
        params: vec![("semantics".to_owned(), RawValue::Text(semantics.to_owned()))],
        published: published(name),
    };
    let mut eight = keys(&KEYS);
    eight.push(EIGHTH_KEY.to_owned());
    vec![
        variant("k-anonymity/own", Input::Survey, keys(&KEYS), "own"),
        variant(
            "k-anonymity/wild-8-keys",
            Input::SurveyWithMissing,
            eight,
            "wild",
        ),
    ]
}

/// Masks of numbers get amounts; masks that look for a role, or that know only categories, get
/// the survey.
fn mask_input(card: &Card) -> Input {
    let by_role = !card.targets.default_roles.is_empty();
    if !by_role && card.targets.kinds.contains(&Kind::Continuous) {
        Input::Amounts
    } else {
        Input::Survey
    }
}

fn mask_targets(card: &Card, input: Input) -> Vec<String> {
    debug_assert_eq!(card.family, Family::Mask);
    match input {
        Input::Amounts => amount_names(),
        _ if card.targets.default_roles.contains(&Role::Identifier) => vec!["id".to_owned()],
        _ => keys(&KEYS),
    }
}

fn keys(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn amount_names() -> Vec<String> {
    (0..N_AMOUNTS).map(amount_name).collect()
}

fn owned(params: Vec<(&'static str, RawValue)>) -> Vec<(String, RawValue)> {
    params
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_timed_once_under_its_own_name() {
        let works = all();
        for card in registry::cards().filter(|card| card.family != Family::Adjuster) {
            let n_named = works.iter().filter(|work| work.name == card.id).count();
            assert_eq!(n_named, 1, "{}", card.id);
        }
    }

    #[test]
    fn parameters_are_such_as_the_cards_accept() {
        for work in all() {
            let checked = bauta_methods::Params::check(work.card, &work.params);
            assert!(checked.is_ok(), "{}: {checked:?}", work.name);
        }
    }
}
