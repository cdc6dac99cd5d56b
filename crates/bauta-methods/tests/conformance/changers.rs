//! Masks and adjusters: what changes a file.

use std::time::{Duration, Instant};

use bauta_data::{Attribute, Column, Kind, Role, Table, Unwatched, Watch};
use bauta_methods::adjust::AdjustTask;
use bauta_methods::exhibit::{Exhibit, Shows};
use bauta_methods::mask::{Effect, Together};
use bauta_methods::pair::Rows;
use bauta_methods::{
    Adjuster, Card, Change, Mask, MaskTask, MethodError, Pair, ParamProblem, Params, Randomness,
    RawValue, RunContext, registry,
};

use super::zoo::{
    Impatient, accepted, assert_no_canary, made, note_texts, on_threads, planted,
    with_and_without_missing, zoo,
};
use crate::support::{cells, params};

/// Larger than two blocks of draws, so that blocks and threads matter.
const N: usize = 10_000;

/// The file with the values of some variables, but for weights, in other records, so that an adjuster has something
/// to mend.
fn moved(table: &Table, on: &[usize]) -> Table {
    let n = table.n_records();
    let mut moved = table.clone();
    for &attr_idx in on {
        let column = table.column(attr_idx);
        if column.as_numeric().is_some() && column.attribute().role != Role::Weight {
            // Each variable by as many records as its place says, so that records fall apart.
            let next = (0..n).map(|record| ((record + 1 + attr_idx) % n) as u32);
            moved = moved.with_column(attr_idx, column.take(&next.collect::<Vec<u32>>()));
        }
    }
    moved
}

/// A method that changes a file, mask or adjuster alike.
#[derive(Clone, Copy)]
pub(crate) enum Changer {
    Mask(&'static dyn Mask),
    Adjuster(&'static dyn Adjuster),
}

pub(crate) fn changers() -> impl Iterator<Item = Changer> {
    let masks = registry::MASKS.iter().map(|&mask| Changer::Mask(mask));
    masks.chain(
        registry::ADJUSTERS
            .iter()
            .map(|&adjuster| Changer::Adjuster(adjuster)),
    )
}

impl Changer {
    pub(crate) fn card(self) -> &'static Card {
        match self {
            Self::Mask(mask) => mask.card(),
            Self::Adjuster(adjuster) => adjuster.card(),
        }
    }

    pub(crate) fn example(self) -> Vec<(&'static str, RawValue)> {
        match self {
            Self::Mask(mask) => mask.example(),
            Self::Adjuster(adjuster) => adjuster.example(),
        }
    }

    /// How the variables bear on each other with the example's parameters.
    fn together(self) -> Together {
        match self {
            Self::Mask(mask) => mask.facts(&params(mask.card(), &mask.example())).together,
            Self::Adjuster(adjuster) => {
                adjuster
                    .facts(&params(adjuster.card(), &adjuster.example()))
                    .together
            }
        }
    }

    /// Whether it may change a column that it was not given: the weight, if it says so.
    fn may_change(self, column: &Column) -> bool {
        let reweights = match self {
            Self::Mask(mask) => mask.facts(&params(mask.card(), &mask.example())).reweights,
            Self::Adjuster(adjuster) => {
                adjuster
                    .facts(&params(adjuster.card(), &adjuster.example()))
                    .reweights
            }
        };
        reweights && column.attribute().role == Role::Weight
    }

    fn check(self, params: &Params, on: &[&Attribute]) -> Vec<ParamProblem> {
        match self {
            Self::Mask(mask) => mask.check(params, on),
            Self::Adjuster(adjuster) => adjuster.check(params, on),
        }
    }

    pub(crate) fn change(
        self,
        table: &Table,
        on: &[usize],
        params: &Params,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        match self {
            Self::Mask(mask) => mask.mask(params, &MaskTask { table, on }, context),
            Self::Adjuster(adjuster) => {
                let moved = moved(table, on);
                let pair = Pair {
                    original: table,
                    masked: &moved,
                    rows: Rows::Correspond,
                };
                adjuster.adjust(params, &AdjustTask { pair, on }, context)
            }
        }
    }

    /// The changed file with the example's parameters.
    pub(crate) fn run(self, table: &Table, on: &[usize], seed: u64) -> Table {
        let context = RunContext::new(seed, "step", &Unwatched);
        let change = self.change(table, on, &params(self.card(), &self.example()), &context);
        change
            .unwrap_or_else(|error| panic!("{}: {error}", self.card().id))
            .apply_to(table)
    }

    /// The accepted variables on which the example's parameters work.
    pub(crate) fn fit(self, table: &Table) -> Vec<usize> {
        let works = |attr_idx: &usize| {
            let given = params(self.card(), &self.example());
            let checked = self
                .check(&given, &[table.column(*attr_idx).attribute()])
                .is_empty();
            let context = RunContext::new(1, "step", &Unwatched);
            checked && self.change(table, &[*attr_idx], &given, &context).is_ok()
        };
        let fit: Vec<usize> = accepted(self.card(), table)
            .into_iter()
            .filter(works)
            .collect();
        assert!(
            !fit.is_empty(),
            "the example of `{}` works on no variable",
            self.card().id
        );
        fit
    }
}

/// Everything that a file shows, column by column.
fn everything(table: &Table) -> Vec<(String, Vec<String>)> {
    table
        .columns()
        .iter()
        .map(|column| (column.name().to_owned(), cells(column)))
        .collect()
}

fn same_column(a: &Column, b: &Column) -> bool {
    a.attribute() == b.attribute() && cells(a) == cells(b)
}

#[test]
fn other_columns_and_their_texts_stay() {
    let table = zoo(500);
    for changer in changers() {
        for attr_idx in changer.fit(&table) {
            let masked = changer.run(&table, &[attr_idx], 1);
            for (position, column) in table
                .columns()
                .iter()
                .enumerate()
                .filter(|(position, _)| *position != attr_idx)
                .filter(|(_, column)| !changer.may_change(column))
            {
                let id = changer.card().id;
                let after = masked.column_named(column.name());
                let after =
                    after.unwrap_or_else(|| panic!("`{id}` on {attr_idx} lost column {position}"));
                let rows: Vec<u32> = (0..masked.n_records())
                    .map(|record| masked.source_row(record) as u32)
                    .collect();
                assert!(
                    same_column(&column.take(&rows), after),
                    "`{id}` on {attr_idx} changed column {position}"
                );
            }
        }
    }
}

/// Names of files and their headings, which scripts rely on.
fn headings(exhibits: &[Exhibit]) -> Vec<(String, Vec<String>)> {
    let views = exhibits.iter().flat_map(|exhibit| &exhibit.views);
    let headings = views.filter_map(|view| {
        let names = match &view.shows {
            Shows::Table(table) => table.columns.iter().map(|one| one.name.clone()).collect(),
            Shows::Histogram(histogram) => histogram.headings.clone(),
            Shows::Facts(_) | Shows::Curve(_) | Shows::Bars(_) | Shows::Map(_) => Vec::new(),
        };
        Some((view.file.clone()?, names))
    });
    headings.collect()
}

#[test]
fn exhibits_have_the_files_and_headings_that_their_method_declares() {
    let table = zoo(500);
    for changer in changers() {
        let Changer::Adjuster(adjuster) = changer else {
            continue;
        };
        let id = changer.card().id;
        let context = RunContext::new(1, "step", &Unwatched);
        let given = params(changer.card(), &changer.example());
        let change = changer.change(&table, &changer.fit(&table), &given, &context);
        let evidence = change.expect("the example works").evidence;
        let shown = evidence.map_or_else(Vec::new, |evidence| evidence.exhibits);
        assert_eq!(headings(&shown), headings(&adjuster.shows()), "{id}");
        let mut ids: Vec<&str> = shown.iter().map(|exhibit| exhibit.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), shown.len(), "{id}: two exhibits of one name");
        // What a record keeps, it gives back.
        let text = serde_json::to_string(&shown).expect("exhibits can be written");
        let again: Vec<Exhibit> = serde_json::from_str(&text).expect("and read");
        assert_eq!(again, shown, "{id}");
    }
}

#[test]
fn records_stay_unless_the_change_says_which() {
    let table = zoo(500);
    for changer in changers() {
        let on = changer.fit(&table);
        let context = RunContext::new(1, "step", &Unwatched);
        let given = params(changer.card(), &changer.example());
        let change = changer
            .change(&table, &on, &given, &context)
            .expect("the example works");
        for (attr_idx, column) in &change.columns {
            assert!(
                on.contains(attr_idx) || changer.may_change(table.column(*attr_idx)),
                "`{}` changed a column that it was not given",
                changer.card().id
            );
            assert_eq!(column.len(), table.n_records(), "{}", changer.card().id);
        }
        assert!(
            change.dropped.iter().all(|attr_idx| on.contains(attr_idx)),
            "{}",
            changer.card().id
        );
        // A plan is checked by what the mask declares.
        let declared = match changer {
            Changer::Mask(mask) => mask.facts(&params(mask.card(), &mask.example())).rows,
            Changer::Adjuster(adjuster) => {
                adjuster
                    .facts(&params(adjuster.card(), &adjuster.example()))
                    .rows
            }
        };
        assert_eq!(change.rows, declared, "{}", changer.card().id);
        let n_kept = change.kept.as_ref().map_or(table.n_records(), Vec::len);
        let masked = change.apply_to(&table);
        assert_eq!(masked.n_records(), n_kept);
        assert!(masked.columns().iter().all(|column| column.len() == n_kept));
    }
}

#[test]
fn the_same_seed_repeats_and_another_differs_exactly_where_draws_are_used() {
    let table = zoo(N);
    for changer in changers() {
        let on = changer.fit(&table);
        let first = everything(&changer.run(&table, &on, 7));
        assert_eq!(
            first,
            everything(&changer.run(&table, &on, 7)),
            "`{}` does not repeat",
            changer.card().id
        );
        let differs = first != everything(&changer.run(&table, &on, 8));
        let seeded = changer.card().randomness == Randomness::Seeded;
        assert_eq!(
            differs,
            seeded,
            "`{}` and its card disagree on randomness",
            changer.card().id
        );
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let table = zoo(N);
    for changer in changers() {
        let on = changer.fit(&table);
        let on_one = on_threads(1, || everything(&changer.run(&table, &on, 7)));
        for n_threads in [2, 4] {
            let on_more = on_threads(n_threads, || everything(&changer.run(&table, &on, 7)));
            assert!(
                on_one == on_more,
                "`{}` depends on the number of threads",
                changer.card().id
            );
        }
    }
}

#[test]
fn of_several_variables_that_cannot_be_masked_the_same_one_is_told_on_any_number_of_threads() {
    let amounts = (0..12).map(|j| {
        let name = format!("x{j}");
        made(&name, Role::Sensitive, Kind::Continuous, 300, |i| {
            (i != 20 * j).then(|| (i * 37 % 1_000).to_string())
        })
    });
    let table = Table::new(amounts.collect(), 300);
    let mut n_refused = 0;
    for changer in changers() {
        let on = accepted(changer.card(), &table);
        let given = params(changer.card(), &changer.example());
        let told = || {
            let context = RunContext::new(7, "step", &Unwatched);
            let changed = changer.change(&table, &on, &given, &context);
            changed.err().map(|error| error.to_string())
        };
        let Some(on_one) = on_threads(1, told) else {
            continue;
        };
        n_refused += 1;
        for _ in 0..20 {
            let id = changer.card().id;
            let on_more = on_threads(4, told);
            assert_eq!(on_more.as_ref(), Some(&on_one), "`{id}`");
        }
    }
    assert!(n_refused > 5, "{n_refused} methods refuse gaps");
}

#[test]
fn a_variable_is_masked_alike_alone_and_in_company() {
    let table = zoo(500);
    for changer in changers() {
        let on = changer.fit(&table);
        let in_company = changer.run(&table, &on, 7);
        let mut backwards = on.clone();
        backwards.reverse();
        let in_other_order = changer.run(&table, &backwards, 7);
        assert_eq!(
            everything(&in_company),
            everything(&in_other_order),
            "`{}`: order of `on`",
            changer.card().id
        );
        if changer.together() == Together::Jointly {
            assert!(on.len() > 1, "`{}` has no company", changer.card().id);
            continue;
        }
        for &attr_idx in &on {
            let name = table.column(attr_idx).name();
            let alone = changer.run(&table, &[attr_idx], 7);
            let same = match (alone.column_named(name), in_company.column_named(name)) {
                (Some(alone), Some(in_company)) => same_column(alone, in_company),
                (None, None) => true,
                _ => false,
            };
            assert!(
                same,
                "`{}` masks {name} differently in company",
                changer.card().id
            );
        }
    }
}

#[test]
fn neutral_parameters_change_nothing() {
    let table = zoo(500);
    for mask in registry::MASKS {
        let card = mask.card();
        let Some(neutral) = mask.neutral() else {
            continue;
        };
        let mut n_tried = 0;
        let example = params(card, &mask.example());
        assert_eq!(mask.facts(&example).effect, Effect::Open, "`{}`", card.id);
        for given in with_and_without_missing(card, &neutral) {
            let given = params(card, &given);
            assert_eq!(mask.facts(&given).effect, Effect::Nothing, "`{}`", card.id);
            for attr_idx in accepted(card, &table) {
                if !mask
                    .check(&given, &[table.column(attr_idx).attribute()])
                    .is_empty()
                {
                    continue;
                }
                let task = MaskTask {
                    table: &table,
                    on: &[attr_idx],
                };
                let context = RunContext::new(7, "step", &Unwatched);
                let Ok(change) = mask.mask(&given, &task, &context) else {
                    continue;
                };
                n_tried += 1;
                let masked = change.apply_to(&table);
                assert_eq!(
                    everything(&masked),
                    everything(&table),
                    "`{}` at neutral parameters",
                    card.id
                );
            }
        }
        assert!(
            n_tried > 0,
            "the neutral parameters of `{}` work on no variable",
            card.id
        );
    }
}

/// Fails unless the error says what is wrong and what to do.
pub(crate) fn assert_clear(id: &str, file: &str, error: &MethodError) {
    match error {
        MethodError::Request { message, hint, .. } | MethodError::Data { message, hint, .. } => {
            assert!(
                !message.is_empty() && !hint.is_empty(),
                "`{id}` on {file}: {error}"
            );
        }
        MethodError::Internal(_) | MethodError::Cancelled => panic!("`{id}` on {file}: {error}"),
    }
}

/// Asks to stop after so many questions.
struct PatientFor {
    questions: std::sync::atomic::AtomicUsize,
}

impl Watch for PatientFor {
    fn progress(&self, _done: u64, _total: u64) {}

    fn cancelled(&self) -> bool {
        use std::sync::atomic::Ordering;
        self.questions
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
                left.checked_sub(1)
            })
            .is_err()
    }
}

#[test]
fn a_cancelled_method_stops() {
    let table = zoo(N);
    for changer in changers() {
        let card = changer.card();
        let on = changer.fit(&table);
        let given = params(card, &changer.example());
        let context = RunContext::new(7, "step", &Impatient);
        let start = Instant::now();
        let stopped = changer.change(&table, &on, &given, &context);
        assert!(
            matches!(stopped, Err(MethodError::Cancelled)),
            "`{}` goes on though cancelled",
            card.id
        );
        assert!(
            start.elapsed() < Duration::from_secs(2),
            "`{}` is slow to stop",
            card.id
        );
        let patient = RunContext::new(7, "step", &Unwatched);
        let n_columns = changer
            .change(&table, &on, &given, &patient)
            .expect("the example works")
            .columns
            .len();
        if n_columns > 1 {
            // Making several columns is long work: it must ask again on the way.
            let watch = PatientFor {
                questions: std::sync::atomic::AtomicUsize::new(1),
            };
            let context = RunContext::new(7, "step", &watch);
            let stopped = changer.change(&table, &on, &given, &context);
            assert!(
                matches!(stopped, Err(MethodError::Cancelled)),
                "`{}` asks only once",
                card.id
            );
        }
    }
}

#[test]
fn a_mask_says_beforehand_what_kind_a_variable_becomes() {
    let table = zoo(500);
    for mask in registry::MASKS {
        let given = params(mask.card(), &mask.example());
        for attr_idx in Changer::Mask(*mask).fit(&table) {
            let before = table.column(attr_idx).attribute();
            let masked = Changer::Mask(*mask).run(&table, &[attr_idx], 1);
            let after = masked.column_named(&before.name);
            assert_eq!(
                after.map(|column| column.attribute().kind),
                mask.facts(&given).kind_after.of(before.kind),
                "`{}` on {:?}",
                mask.card().id,
                before.kind
            );
        }
    }
}

#[test]
fn examples_pass_their_own_checks() {
    let table = zoo(50);
    for changer in changers() {
        let on = changer.fit(&table);
        let attributes: Vec<&Attribute> = on
            .iter()
            .map(|&attr_idx| table.column(attr_idx).attribute())
            .collect();
        let given = params(changer.card(), &changer.example());
        assert_eq!(
            changer.check(&given, &attributes),
            [],
            "{}",
            changer.card().id
        );
    }
}

#[test]
fn no_message_shows_a_cell_value() {
    let table = planted(300);
    let no_gaps = zoo(300);
    for changer in changers() {
        let card = changer.card();
        let mut n_errors = 0;
        let neutral = match changer {
            Changer::Mask(mask) => mask.neutral(),
            Changer::Adjuster(_) => None,
        };
        for given in [Some(changer.example()), neutral].into_iter().flatten() {
            for given in with_and_without_missing(card, &given) {
                let given = params(card, &given);
                for attr_idx in accepted(card, &table) {
                    let context = RunContext::new(7, "step", &Unwatched);
                    if let Err(error) = changer.change(&table, &[attr_idx], &given, &context) {
                        n_errors += 1;
                        assert_no_canary(card.id, &format!("{error} {error:?}"));
                    }
                    assert_no_canary(card.id, &note_texts(context));
                }
            }
        }
        // The plant must bite: a file without canaries gives no more errors than the planted one.
        let clean: usize = accepted(card, &no_gaps)
            .into_iter()
            .filter(|&attr_idx| {
                let context = RunContext::new(7, "step", &Unwatched);
                changer
                    .change(
                        &no_gaps,
                        &[attr_idx],
                        &params(card, &changer.example()),
                        &context,
                    )
                    .is_err()
            })
            .count();
        assert!(n_errors >= clean, "{}", card.id);
    }
}
