//! Files to try methods on: one of every role and kind, and one full of canaries.

use bauta_data::{Attribute, Column, HierarchySpec, Kind, Role, Table, Watch};
use bauta_methods::{Card, ParamType, RawValue, RunContext};
use std::sync::Arc;

use crate::support::{column, scatter};

/// A number that must never show up in a message.
pub(crate) const CANARY_NUMBER: &str = "987654321.125";
/// A text that must never show up in a message.
pub(crate) const CANARY_TEXT: &str = "canary-zeta";

/// Someone who has had enough.
pub(crate) struct Impatient;

impl Watch for Impatient {
    fn progress(&self, _done: u64, _total: u64) {}

    fn cancelled(&self) -> bool {
        true
    }
}

/// A column whose cells are made record by record.
pub(crate) fn made(
    name: &str,
    role: Role,
    kind: Kind,
    n: usize,
    cell: impl Fn(usize) -> Option<String>,
) -> Column {
    let cells: Vec<Option<String>> = (0..n).map(cell).collect();
    let texts: Vec<Option<&str>> = cells.iter().map(Option::as_deref).collect();
    column(name, role, kind, &texts)
}

/// A file with every role and kind, with and without missing values.
pub(crate) fn zoo(n: usize) -> Table {
    let pick = |salt: u64, m: u64| move |i: usize| Some((scatter(i, salt) % m).to_string());
    let gaps = |salt: u64, m: u64| {
        move |i: usize| pick(salt, m)(i).filter(|_| !scatter(i, salt + 100).is_multiple_of(9))
    };
    let amount = |salt: u64| {
        move |i: usize| {
            Some(format!(
                "{}.{}",
                scatter(i, salt) % 100_000,
                scatter(i, salt + 1) % 10
            ))
        }
    };
    let region = made("region", Role::Key, Kind::Hierarchical, n, |i| {
        Some(format!("4{:04}", scatter(i, 3) % 40))
    });
    let mut described: Attribute = region.attribute().clone();
    described.hierarchy = Some(HierarchySpec::Prefix { keep: None });
    let columns = vec![
        made("person", Role::Identifier, Kind::Unordered, n, |i| {
            Some(format!("person {i}"))
        }),
        made("age", Role::Key, Kind::Ordered, n, pick(1, 90)),
        made("sex", Role::Key, Kind::Unordered, n, pick(2, 2)),
        region.with_attribute(Arc::new(described)),
        made("schooling", Role::Key, Kind::Ordered, n, gaps(4, 6)),
        made("income", Role::Sensitive, Kind::Continuous, n, amount(5)),
        made("savings", Role::Sensitive, Kind::Continuous, n, |i| {
            Some((scatter(i, 6).cast_signed() % 5_000).to_string())
        }),
        made(
            "gifts",
            Role::Sensitive,
            Kind::Continuous,
            n,
            gaps(7, 1_000),
        ),
        made("illness", Role::Sensitive, Kind::Unordered, n, gaps(10, 5)),
        made("weight", Role::Weight, Kind::Continuous, n, |i| {
            Some(format!("{}.5", 1 + scatter(i, 8) % 300))
        }),
        made("house", Role::Household, Kind::Unordered, n, |i| {
            Some((i / 3).to_string())
        }),
        made("stratum", Role::Stratum, Kind::Unordered, n, pick(9, 4)),
        made("serial", Role::Other, Kind::Unordered, n, |i| {
            Some(format!("{i:07}"))
        }),
    ];
    Table::new(columns, n)
}

/// The zoo with a canary in every variable. The canary of the weight is negative, which is an error.
pub(crate) fn planted(n: usize) -> Table {
    let mut planted = zoo(n);
    for attr_idx in 0..planted.columns().len() {
        let like = planted.column(attr_idx);
        let attribute = like.attribute().clone();
        let canary = match (attribute.kind, attribute.role) {
            (_, Role::Weight) => format!("-{CANARY_NUMBER}"),
            (Kind::Continuous, _) => CANARY_NUMBER.to_owned(),
            _ => CANARY_TEXT.to_owned(),
        };
        let mut cells = crate::support::texts(like);
        cells[n / 2] = Some(canary);
        let texts: Vec<Option<&str>> = cells.iter().map(Option::as_deref).collect();
        let column = column(&attribute.name, attribute.role, attribute.kind, &texts);
        planted = planted.with_column(attr_idx, column.with_attribute(Arc::new(attribute)));
    }
    planted
}

/// Fails if a text shows a planted value.
pub(crate) fn assert_no_canary(what: &str, text: &str) {
    for canary in ["987654321", "9.87654321", CANARY_TEXT] {
        assert!(!text.contains(canary), "{what} shows a cell value: {text}");
    }
}

/// The notes of a context, in words and as scripts read them.
pub(crate) fn note_texts(context: RunContext<'_>) -> String {
    let notes = context.into_notes();
    let texts = notes
        .iter()
        .map(|note| format!("{}\n{}", note.text, note.to_json()));
    texts.collect::<Vec<_>>().join("\n")
}

/// Positions of the variables that a card's targets accept.
pub(crate) fn accepted(card: &Card, table: &Table) -> Vec<usize> {
    (0..table.columns().len())
        .filter(|&attr_idx| {
            card.targets
                .problem(card.id, table.column(attr_idx).attribute())
                .is_none()
        })
        .collect()
}

/// The given parameters, and the same with each other word for missing values that the method knows.
pub(crate) fn with_and_without_missing(
    card: &Card,
    given: &[(&'static str, RawValue)],
) -> Vec<Vec<(&'static str, RawValue)>> {
    let mut ways = vec![given.to_vec()];
    if let Some(ParamType::Choice(choices)) = card.param("missing").map(|spec| spec.ty) {
        for (word, _) in choices.iter().filter(|(word, _)| *word != "refuse") {
            let mut way = given.to_vec();
            way.push(("missing", RawValue::Text((*word).to_owned())));
            ways.push(way);
        }
    }
    ways
}

/// Runs some work on so many threads.
pub(crate) fn on_threads<T: Send>(n_threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(n_threads)
        .build()
        .expect("a pool of threads");
    pool.install(work)
}
