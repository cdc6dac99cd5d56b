//! What is timed: every registered method at the parameters of its own example, found by its
//! card, so that a new method is timed without a line here; and a few works beside them that have
//! peers or a reference to be compared with.

use bauta_data::{Kind, Role};
use bauta_methods::card::{Card, Family};
use bauta_methods::measure::{Scope, Subject};
use bauta_methods::params::RawValue;
use bauta_methods::{Mask, registry};

use super::calibration;
use super::inputs::{EIGHTH_KEY, KEYS, N_AMOUNTS, TEN_KEYS, amount_name};
use super::peers::{Published, published};

/// Sizes of a work that has none of its own.
pub(super) const SIZES: &[usize] = &[1_000, 10_000, 100_000, 1_000_000];
/// Sizes at which sdcMicro was timed, and those above.
const MDAV_SIZES: &[usize] = &[1_000, 10_000, 50_000, 100_000, 1_000_000];
/// Sizes at which looking at every pair can be waited for.
const PLAIN_SIZES: &[usize] = &[1_000, 10_000, 50_000];
/// The size of the published comparison of searches.
const NEAREST_SIZES: &[usize] = &[10_000, 59_315];
/// Records of the victimisation survey.
const SURVEY_SIZE: &[usize] = &[12_901];
/// Variables of the search for the nearest record.
pub(super) const N_NEAREST: usize = 11;

/// A run that would take more seconds than this is left out of the table, which says so.
const PATIENCE: f64 = 300.0;

/// Which generated input a work runs on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Input {
    /// The survey.
    Survey,
    /// The survey with three records to a household.
    SurveyWithHouseholds,
    /// The survey, and its version with keys suppressed for k = 3.
    SurveyAndSuppressed,
    /// The survey with missing values in eight keys.
    SurveyWithMissing,
    /// The survey, and with it a version with other values in some cells of ten keys.
    SurveyAndMasked,
    /// The amounts; measures of two files also get them changed.
    Amounts,
    /// CENSUS drawn with replacement, with noise.
    Census,
    /// Eleven of the amounts, and records to look for among them.
    Search(Queries),
}

/// Records whose nearest is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Queries {
    /// The same records, a little changed: each is near one of those searched.
    MaskedCopy,
    /// Other records of the same distribution: none is near any.
    IndependentDraw,
}

impl Queries {
    /// Its name among the input files.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::MaskedCopy => "masked",
            Self::IndependentDraw => "independent",
        }
    }
}

/// What is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Job {
    /// The method of the card.
    Method,
    /// The groups of MDAV as it is written down.
    PlainMdav,
    /// The nearest of many records.
    NearestRecord,
}

/// One thing to time.
#[derive(Clone, Debug)]
pub(super) struct Work {
    /// Its name in the table.
    pub(super) name: String,
    /// The method, or the one that the job is a part of.
    pub(super) card: &'static Card,
    /// What is done.
    pub(super) job: Job,
    /// What it runs on.
    pub(super) input: Input,
    /// Names of the variables.
    pub(super) on: Vec<String>,
    /// Parameters as a plan would give them.
    pub(super) params: Vec<(String, RawValue)>,
    /// Numbers of rows, rising.
    pub(super) sizes: &'static [usize],
    /// The most seconds that a run may be expected to take.
    pub(super) patience: f64,
    /// Published figures of a peer that does the same.
    pub(super) published: Option<&'static Published>,
}

/// Every work, in the order of the registry, then variants that there is something to compare with.
pub(super) fn all() -> Vec<Work> {
    let masks = registry::MASKS.iter().map(|mask| {
        let card = mask.card();
        let input = mask_input(card);
        let on = mask_targets(card, input);
        let params = owned(mask.example());
        match card.id {
            // Asked for up to a million rows, however long it takes.
            "mdav" => Work {
                sizes: MDAV_SIZES,
                patience: f64::INFINITY,
                ..Work::of(card, card.id, input, on, params)
            },
            "suppress-local" => Work::of(card, card.id, input, on, suppression_params(*mask)),
            // Its example deletes by risk, so that it works on any file.
            "suppress-records" => {
                let params = vec![("k".to_owned(), RawValue::Integer(3))];
                Work::of(card, card.id, input, on, params)
            }
            "synthesize" => Work::of(card, card.id, input, on, with_steps(params)),
            _ => Work::of(card, card.id, input, on, params),
        }
    });
    let measures = registry::MEASURES.iter().map(|measure| {
        let card = measure.card();
        if let Some((on, params)) = calibration::of_model(card.id) {
            return Work::of(card, card.id, Input::SurveyAndMasked, on, params);
        }
        let (input, on) = match (measure.declared().scope, measure.declared().subject) {
            (Scope::Scenario, Subject::OneFile) => (Input::Survey, keys(&KEYS)),
            (Scope::Scenario, _) if card.id == "reversal" => {
                (Input::SurveyAndSuppressed, keys(&KEYS))
            }
            (Scope::Scenario, _) => (Input::SurveyAndMasked, keys(&TEN_KEYS)),
            (Scope::Variables, _) if ["suppressed-cells", "recoding-loss"].contains(&card.id) => {
                (Input::SurveyAndSuppressed, keys(&KEYS))
            }
            (Scope::Variables, _) if !card.targets.kinds.contains(&Kind::Continuous) => {
                (Input::SurveyAndMasked, keys(&KEYS))
            }
            (Scope::Variables, _) => (Input::Amounts, amount_names()),
        };
        Work::of(card, card.id, input, on, owned(measure.example()))
    });
    let variants = mdav_variants().into_iter().chain(searches());
    masks
        .chain(measures)
        .chain(variants)
        .chain(key_variants())
        .chain(global_risk_of_numbers())
        .chain(two_way_model())
        .chain(suppressions())
        .chain(household_risk())
        .chain(calibration::works())
        .chain(optimisation())
        .chain(calibration::model_of_numbers())
        .collect()
}

impl Work {
    pub(super) fn of(
        card: &'static Card,
        name: &str,
        input: Input,
        on: Vec<String>,
        params: Vec<(String, RawValue)>,
    ) -> Self {
        Self {
            name: name.to_owned(),
            card,
            job: Job::Method,
            input,
            on,
            params,
            sizes: SIZES,
            patience: PATIENCE,
            published: published(name),
        }
    }
}

/// Steps of a search, the same for every number of records.
const STEPS: i64 = 20_000;

fn with_steps(mut params: Vec<(String, RawValue)>) -> Vec<(String, RawValue)> {
    params.push(("iterations".to_owned(), RawValue::Integer(STEPS)));
    params
}

/// Post-masking optimisation of changed amounts.
fn optimisation() -> Option<Work> {
    let adjuster = registry::adjuster("post-mask")?;
    let (card, params) = (adjuster.card(), with_steps(owned(adjuster.example())));
    Some(Work::of(
        card,
        card.id,
        Input::Amounts,
        amount_names(),
        params,
    ))
}

/// MDAV on data with the structure of a real file, and as it is written down.
fn mdav_variants() -> Vec<Work> {
    let Some(mask) = registry::mask("mdav") else {
        return Vec::new();
    };
    let variant = |name: &str, input: Input| {
        let params = owned(mask.example());
        Work::of(mask.card(), name, input, amount_names(), params)
    };
    let plain = |name: &str, input: Input| Work {
        job: Job::PlainMdav,
        sizes: PLAIN_SIZES,
        ..variant(name, input)
    };
    vec![
        plain("mdav/plain", Input::Amounts),
        Work {
            sizes: MDAV_SIZES,
            patience: f64::INFINITY,
            ..variant("mdav/census", Input::Census)
        },
        plain("mdav/census-plain", Input::Census),
    ]
}

/// The search that linkage and nearest-record losses rest on.
fn searches() -> Vec<Work> {
    let Some(card) = registry::card("dld") else {
        return Vec::new();
    };
    let search = |name: &str, queries: Queries| Work {
        job: Job::NearestRecord,
        sizes: NEAREST_SIZES,
        ..Work::of(
            card,
            name,
            Input::Search(queries),
            amount_names()[..N_NEAREST].to_vec(),
            Vec::new(),
        )
    };
    vec![
        search("nearest-record/masked", Queries::MaskedCopy),
        search("nearest-record/independent", Queries::IndependentDraw),
    ]
}

/// Global risk where nearly every record is alone in every key.
fn global_risk_of_numbers() -> Option<Work> {
    let card = registry::card("global-risk")?;
    let (name, on) = ("global-risk/numbers", amount_names());
    Some(Work::of(card, name, Input::Amounts, on, Vec::new()))
}

/// Other ways to count keys: the one that group-by tools know, and the one that is costly.
fn key_variants() -> Vec<Work> {
    let Some(card) = registry::card("k-anonymity") else {
        return Vec::new();
    };
    let variant = |name: &str, input: Input, on: Vec<String>, semantics: &str| {
        let params = vec![("semantics".to_owned(), RawValue::Text(semantics.to_owned()))];
        Work::of(card, name, input, on, params)
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

/// Suppression as the peers count it: in the file before suppression, where it is exact.
fn suppression_params(mask: &dyn Mask) -> Vec<(String, RawValue)> {
    let mut params = owned(mask.example());
    let semantics = RawValue::Text("original".to_owned());
    params.push(("semantics".to_owned(), semantics));
    params
}

/// Local suppression where the peer was timed: the victimisation survey, and eight keys.
fn suppressions() -> Vec<Work> {
    let Some(mask) = registry::mask("suppress-local") else {
        return Vec::new();
    };
    let mut eight = keys(&KEYS);
    eight.push(EIGHTH_KEY.to_owned());
    let variant = |name: &str, on: Vec<String>| {
        let params = suppression_params(mask);
        Work::of(mask.card(), name, Input::Survey, on, params)
    };
    vec![
        Work {
            sizes: SURVEY_SIZE,
            ..variant("suppress-local/survey", keys(&KEYS))
        },
        variant("suppress-local/8-keys", eight),
    ]
}

/// Individual risk together with that of households.
fn household_risk() -> Option<Work> {
    let card = registry::card("individual-risk")?;
    let name = "individual-risk/households";
    Some(Work::of(
        card,
        name,
        Input::SurveyWithHouseholds,
        keys(&KEYS),
        Vec::new(),
    ))
}

/// The fit that takes time: all pairs of keys.
fn two_way_model() -> Option<Work> {
    let card = registry::card("poisson-risk")?;
    let params = vec![("model".to_owned(), RawValue::Text("two-way".to_owned()))];
    let name = "poisson-risk/two-way";
    Some(Work::of(card, name, Input::Survey, keys(&KEYS), params))
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
        for card in registry::cards() {
            let n_named = works.iter().filter(|work| work.name == card.id).count();
            assert_eq!(n_named, 1, "{}", card.id);
        }
    }

    #[test]
    fn sizes_rise_and_mdav_groups_three() {
        for work in all() {
            assert!(work.sizes.is_sorted(), "{}", work.name);
            if work.card.id == "mdav" {
                assert_eq!(work.params, [("k".to_owned(), RawValue::Integer(3))]);
            }
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
