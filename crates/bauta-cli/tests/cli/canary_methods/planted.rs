//! A file with values in every variable that one record alone has.

use bauta_data::{Kind, Role};
use bauta_plan::draft::{HierarchyDraft, VariableDraft};

/// A variable, and the two values that only one record has: the first alone in its record, the second
/// in a record of which every value is such a one.
pub(super) struct Planted {
    pub(super) name: &'static str,
    pub(super) role: Role,
    pub(super) kind: Kind,
    canaries: [&'static str; 2],
    usual: fn(usize) -> String,
}

const N_RECORDS: usize = 240;
/// The record of which every value is a canary.
const ALL_ALONE: usize = 200;

const fn planted(
    name: &'static str,
    role: Role,
    kind: Kind,
    canaries: [&'static str; 2],
    usual: fn(usize) -> String,
) -> Planted {
    Planted {
        name,
        role,
        kind,
        canaries,
        usual,
    }
}

/// Words that are no part of any message, and numbers whose first six digits are no part of a figure.
pub(super) const VARIABLES: [Planted; 12] = [
    planted(
        "person",
        Role::Identifier,
        Kind::Unordered,
        ["canary-zeta", "canary-iota"],
        |i| format!("p{i}"),
    ),
    planted(
        "house",
        Role::Household,
        Kind::Unordered,
        ["canary-rho", "canary-chi"],
        |i| format!("h{}", i / 3),
    ),
    planted(
        "stratum",
        Role::Stratum,
        Kind::Unordered,
        ["canary-tau", "canary-psi"],
        |i| ["north", "south"][i % 2].to_owned(),
    ),
    planted(
        "sex",
        Role::Key,
        Kind::Unordered,
        ["canary-eta", "canary-mu"],
        |i| ["f", "m"][i / 2 % 2].to_owned(),
    ),
    planted(
        "age",
        Role::Key,
        Kind::Ordered,
        ["7351924", "7462813"],
        |i| (20 + i % 5).to_string(),
    ),
    planted(
        "region",
        Role::Key,
        Kind::Hierarchical,
        ["canary-xi", "canary-pi"],
        |i| format!("4{}{}", i % 3, i / 3 % 2),
    ),
    planted(
        "illness",
        Role::Sensitive,
        Kind::Unordered,
        ["canary-phi", "canary-nu"],
        |i| ["flu", "cold", "none"][i % 3].to_owned(),
    ),
    planted(
        "ind",
        Role::Other,
        Kind::Unordered,
        ["canary-kappa", "canary-lambda"],
        |i| (i * 7 / 3 % 2).to_string(),
    ),
    planted(
        "income",
        Role::Sensitive,
        Kind::Continuous,
        ["8675309.25", "8531642.75"],
        |i| format!("{}.5", 1000 + i * 37 % 911),
    ),
    planted(
        "savings",
        Role::Sensitive,
        Kind::Continuous,
        ["5193728", "5248617"],
        |i| (400 + i * i % 613).to_string(),
    ),
    planted(
        "weight",
        Role::Weight,
        Kind::Continuous,
        ["3146827", "3257918"],
        |i| (10 + i % 7).to_string(),
    ),
    planted(
        "start",
        Role::Other,
        Kind::Continuous,
        ["6284153", "6173942"],
        |i| (9 + i % 4).to_string(),
    ),
];

/// The file as text.
pub(super) fn file() -> String {
    let names: Vec<&str> = VARIABLES.iter().map(|variable| variable.name).collect();
    let mut text = names.join(",") + "\n";
    for record in 0..N_RECORDS {
        let cell = |(place, variable): (usize, &Planted)| match record {
            ALL_ALONE => variable.canaries[1].to_owned(),
            // Each in a record of its own.
            record if record == 11 * place + 5 => variable.canaries[0].to_owned(),
            record => (variable.usual)(record),
        };
        let cells: Vec<String> = VARIABLES.iter().enumerate().map(cell).collect();
        text += &(cells.join(",") + "\n");
    }
    text
}

/// Descriptions of the variables for a plan.
pub(super) fn described() -> Vec<VariableDraft> {
    let describe = |variable: &Planted| {
        let draft = VariableDraft::new(variable.name, variable.role).kind(variable.kind);
        match variable.kind {
            Kind::Hierarchical => draft.hierarchy(HierarchyDraft::Prefix(None)),
            _ => draft,
        }
    };
    VARIABLES.iter().map(describe).collect()
}

/// The canary that a text shows, however it writes numbers.
pub(super) fn shown(text: &str) -> Option<String> {
    let word = text.contains("canary").then(|| "canary".to_owned());
    word.or_else(|| number_shown(text))
}

/// The planted number that a text shows.
pub(super) fn number_shown(text: &str) -> Option<String> {
    let is_number = |variable: &&Planted| matches!(variable.kind, Kind::Continuous | Kind::Ordered);
    let numbers = VARIABLES.iter().filter(is_number);
    let mut forms = Vec::new();
    for number in numbers.flat_map(|variable| variable.canaries) {
        let (first, rest) = number.split_at(1);
        // 8675309.25, 8 675 309, 8,675,309 and 8.67531e6.
        forms.push(number[..6].to_owned());
        for gap in [" ", "\u{2009}", "\u{202f}", ",", "."] {
            forms.push(format!("{first}{gap}{}{gap}{}", &rest[..3], &rest[3..6]));
        }
        forms.push(format!("{first}.{}", &rest[..5]));
    }
    forms.into_iter().find(|form| text.contains(form.as_str()))
}
