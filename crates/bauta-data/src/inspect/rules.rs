//! What column names suggest, as tables: the first rule whose pattern fits the name and whose
//! need the content meets makes the proposal.
//!
//! Words are English, French, German, Spanish, Italian, Dutch and Portuguese, without accents;
//! see [`Name::fits`](super::names::Name::fits) for the stars.

mod keys;
mod people;
mod sensitive;

use super::Flag;
use super::names::Name;
use crate::attribute::Role;

/// What names of one sort suggest.
pub(super) struct Rule {
    /// What the column holds, to be read after "its name suggests".
    pub(super) meaning: &'static str,
    /// Names that suggest it, one pattern after another.
    pub(super) patterns: &'static str,
    /// Names that fit a pattern but mean something else.
    pub(super) except: &'static str,
    /// What the content must be for the name to be believed.
    pub(super) needs: Needs,
    pub(super) role: Role,
    pub(super) kind: KindRule,
    pub(super) flag: Option<Flag>,
}

/// What the content must be for a name to be believed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Needs {
    /// Nothing.
    Nothing,
    /// Values that tell units apart: no two alike, or many different ones.
    ManyValues,
    /// As `ManyValues`, and texts.
    ManyTexts,
    /// Whole numbers or texts, some of them more than once.
    Repeats,
    /// Whole numbers or texts that repeat as a rule.
    Groups,
    /// Texts.
    Texts,
    /// Whole numbers, texts or dates that are not all the same.
    Labels,
    /// As `Groups`, but few enough for a table.
    Categories,
    /// As `Categories`, and very few.
    Classes,
    /// Numbers.
    Numbers,
    /// A number above zero in every record.
    PositiveNumbers,
    /// Dates, or values that tell units apart.
    Dates,
    /// Codes of several characters.
    Codes,
}

/// How the kind follows from the content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum KindRule {
    /// Never an order.
    Unordered,
    /// Whole numbers are ordered classes, as ages are.
    Classes,
    /// Few repeating whole numbers are ordered classes, other numbers are continuous.
    Natural,
    /// Codes of equal length form a tree by their first characters.
    Prefix,
    /// A number, whatever it looks like.
    Continuous,
}

/// The rules in order of precedence.
pub(super) fn rules() -> impl Iterator<Item = &'static Rule> {
    [
        people::BODY,
        people::CONTACT,
        people::DESIGN,
        sensitive::EVENTS,
        keys::KEYS,
        sensitive::SENSITIVE,
        people::UNITS,
        keys::CODES,
    ]
    .into_iter()
    .flatten()
}

/// What a name suggests, where that is something that others know. The most special rule decides: a theft of a
/// vehicle is no vehicle.
pub(super) fn quasi_identifier(name: &Name) -> Option<&'static str> {
    let named = rules().find(|rule| rule.names(name))?;
    [Role::Key, Role::Identifier]
        .contains(&named.role)
        .then_some(named.meaning)
}

impl Rule {
    /// Whether a name suggests it.
    pub(super) fn names(&self, name: &Name) -> bool {
        name.fits_any(self.patterns) && !name.fits_any(self.except)
    }
}

/// Names of a column that makes a plain `weight` beside it a body weight.
pub(super) const HEIGHT: &str =
    "height heightcm taillecm groesse grosse estatura altezza lengte altura bmi imc";

/// Names that say nothing but "weight", which a body has too.
pub(super) const PLAIN_WEIGHT: &str = "=weight =poids =gewicht =peso =wt";

/// How final a weight is by its name: the highest number is the weight of the file.
pub(super) const FINALITY: &[(&str, i32)] = &[
    ("rep* brr* jk* jrr* boot* jack*", -3),
    (
        "init* base design start raw unadjusted dinit brut* *init",
        -2,
    ),
    (
        "household* hh* menage* haushalt* hogar* famil* huishoud*",
        -1,
    ),
    ("calib* cale* calage calmar rak* adjust* post* trimm*", 2),
    ("fin final* fnl *fnl* *fin definiti* end*", 3),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_in_the_spelling_that_names_are_folded_to() {
        let finality = FINALITY.iter().map(|&(patterns, _)| patterns);
        let all = rules()
            .flat_map(|rule| [rule.patterns, rule.except])
            .chain(finality)
            .chain([HEIGHT, PLAIN_WEIGHT])
            .flat_map(str::split_whitespace);
        for pattern in all {
            let word = pattern.trim_start_matches('=').trim_matches('*');
            let folded = word
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
            assert!(folded && !word.is_empty(), "{pattern}");
        }
    }

    #[test]
    fn no_rule_says_a_pattern_twice() {
        for rule in rules() {
            let mut patterns: Vec<&str> = rule.patterns.split_whitespace().collect();
            let n_patterns = patterns.len();
            patterns.sort_unstable();
            patterns.dedup();
            assert_eq!(patterns.len(), n_patterns, "{}", rule.meaning);
        }
    }
}
