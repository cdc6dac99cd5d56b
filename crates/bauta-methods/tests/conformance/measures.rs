//! Measures: what looks at files.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use bauta_data::{Attribute, Column, Kind, Role, Table, Unwatched};
use bauta_methods::measure::{Part, Scope};
use bauta_methods::pair::Rows;
use bauta_methods::{
    FigureName, Files, Measure, MeasureTask, Measurement, MethodError, Pair, ParamType, Params,
    RawValue, RunContext, Subject, registry,
};
use proptest::prelude::*;

use super::zoo::{
    Impatient, accepted, assert_no_canary, note_texts, on_threads, planted,
    with_and_without_missing, zoo,
};
use crate::support::{params, scatter};

/// A file and a masked version of it.
pub(crate) struct Two {
    pub(crate) original: Table,
    pub(crate) masked: Table,
}

impl Two {
    pub(crate) fn identical(table: &Table) -> Self {
        Self {
            original: table.clone(),
            masked: table.clone(),
        }
    }

    /// Every number is moved a little, record by record.
    pub(crate) fn perturbed(table: &Table) -> Self {
        Self::changed(table, |i, x| x + (scatter(i, 77) % 400) as f64 - 200.0)
    }

    /// Every number that is there, but for weights, is changed record by record.
    pub(crate) fn changed(table: &Table, z: impl Fn(usize, f64) -> f64) -> Self {
        let mut masked = table.clone();
        for attr_idx in 0..table.columns().len() {
            let column = table.column(attr_idx);
            if column.attribute().role == Role::Weight {
                continue;
            }
            if let Some(x) = column.as_numeric() {
                let z = |(i, &x): (usize, &f64)| if x.is_nan() { x } else { z(i, x) };
                let z = x.iter().enumerate().map(z).collect();
                masked = masked.with_column(attr_idx, column.with_numbers(z));
            }
        }
        Self {
            original: table.clone(),
            masked,
        }
    }

    /// Every ninth record has the categories of the one before it.
    fn exchanged(table: &Table) -> Self {
        let from: Vec<u32> = (0..table.n_records() as u32)
            .map(|i| i - u32::from(i % 9 == 8))
            .collect();
        let mut masked = table.clone();
        for attr_idx in 0..table.columns().len() {
            let column = table.column(attr_idx);
            if column.as_categorical().is_some() {
                masked = masked.with_column(attr_idx, column.take(&from));
            }
        }
        Self {
            original: table.clone(),
            masked,
        }
    }

    /// Every ninth cell of each variable but the weight has no value.
    fn suppressed(table: &Table) -> Self {
        let records: Vec<u32> = (0..table.n_records() as u32).step_by(9).collect();
        let mut masked = table.clone();
        for attr_idx in 0..table.columns().len() {
            let column = table.column(attr_idx);
            if column.attribute().role != Role::Weight {
                masked = masked.with_column(attr_idx, column.suppress(&records));
            }
        }
        Self {
            original: table.clone(),
            masked,
        }
    }

    /// The same records in another order, in both files.
    fn reordered(&self, order: &[u32]) -> Self {
        let reorder = |table: &Table| {
            let columns: Vec<Column> = table
                .columns()
                .iter()
                .map(|column| column.take(order))
                .collect();
            Table::new(columns, order.len())
        };
        Self {
            original: reorder(&self.original),
            masked: reorder(&self.masked),
        }
    }

    pub(crate) fn measure(
        &self,
        measure: &dyn Measure,
        on: &[String],
        params: &Params,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let files = match measure.declared().subject {
            Subject::OneFile => Files::One(&self.masked),
            Subject::CorrespondingPair | Subject::Pair => Files::Both(Pair {
                original: &self.original,
                masked: &self.masked,
                rows: Rows::Correspond,
            }),
        };
        measure.measure(params, &MeasureTask::new(files, on), context)
    }

    fn figures(&self, measure: &dyn Measure, on: &[String]) -> Measurement {
        self.figures_with(measure, on, &[])
    }

    /// Measures with the parameters of the example and these.
    fn figures_with(
        &self,
        measure: &dyn Measure,
        on: &[String],
        given: &[(&'static str, RawValue)],
    ) -> Measurement {
        let context = RunContext::new(7, "measure", &Unwatched);
        let mut all = measure.example();
        all.extend_from_slice(given);
        let given = params(measure.card(), &all);
        let found = self.measure(measure, on, &given, &context);
        found.unwrap_or_else(|error| panic!("{}: {error}", measure.card().id))
    }
}

pub(crate) fn names(table: &Table, positions: &[usize]) -> Vec<String> {
    positions
        .iter()
        .map(|&attr_idx| table.column(attr_idx).name().to_owned())
        .collect()
}

/// The variables that a plan would give a measure: those of its default roles on which it works. A
/// measure with an example, such as a model, gets each that it still works with beside those before.
fn usual(measure: &dyn Measure, two: &Two) -> Vec<String> {
    let card = measure.card();
    let table = &two.original;
    let by_role = |attr_idx: &usize| {
        let attribute = table.column(*attr_idx).attribute();
        match measure.declared().scope {
            Scope::Scenario => attribute.role == Role::Key,
            Scope::Variables => card.targets.default_roles.contains(&attribute.role),
        }
    };
    let given = params(card, &measure.example());
    let works = |on: &[String]| {
        let context = RunContext::new(7, "measure", &Unwatched);
        two.measure(measure, on, &given, &context).is_ok()
    };
    let fit: Vec<usize> = accepted(card, table).into_iter().filter(by_role).collect();
    let fit = names(table, &fit);
    let alone = |name: &&String| works(std::slice::from_ref(*name));
    if measure.example().is_empty() {
        let on: Vec<String> = fit.iter().filter(alone).cloned().collect();
        assert!(
            !on.is_empty(),
            "`{}` works on no variable without parameters",
            card.id
        );
        return on;
    }
    let alone = fit.iter().map(|name| vec![name.clone()]);
    // What looks at relations may need two variables at least.
    let pairs = (1..fit.len())
        .flat_map(|second| (0..second).map(move |first| [first, second]))
        .map(|pair| pair.map(|position| fit[position].clone()).to_vec());
    let mut on = alone
        .chain(pairs)
        .find(|on| works(on))
        .unwrap_or_else(|| panic!("`{}` works on no variables at its example", card.id));
    for name in &fit {
        if !on.contains(name) {
            on.push(name.clone());
            if !works(&on) {
                on.pop();
            }
        }
    }
    on
}

/// Every figure of a measurement that is not of a record, by name.
pub(crate) fn parts(found: &Measurement) -> Vec<(String, Option<f64>)> {
    let named = |prefix: &str, parts: &[Part]| -> Vec<(String, Option<f64>)> {
        parts
            .iter()
            .map(|part| (format!("{prefix}{}", part.name), part.value))
            .collect()
    };
    let mut all = vec![("value".to_owned(), found.value)];
    all.extend(
        found
            .parts()
            .map(|(name, value)| (format!("part {name}"), value)),
    );
    all.extend(named("variable ", &found.by_variable));
    for series in &found.series {
        all.extend(named(
            &format!("series {} ", series.spelled()),
            &series.points,
        ));
    }
    all
}

fn near(a: f64, b: f64) -> bool {
    near_to_scale(a, b, 1.0)
}

fn near_to_scale(a: f64, b: f64, scale: f64) -> bool {
    let scale = scale.max(a.abs()).max(b.abs());
    (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-12 * scale
}

/// Measures that solve equations, which magnifies rounding: the coefficients of one fit are near
/// against the largest of them.
const FITS: [&str; 3] = [
    "logistic-regression",
    "linear-regression",
    "correspondence-analysis",
];

/// Figures are near against their own size; those of fits see above.
fn assert_near(id: &str, before: &Measurement, after: &Measurement) {
    let (a, b) = (parts(before), parts(after));
    assert_eq!(a.len(), b.len(), "{id}");
    let is_fit = FITS.contains(&id);
    let largest = |points: &[Part]| {
        let points = if is_fit { points } else { &[] };
        let sizes = points.iter().filter_map(|point| point.value).map(f64::abs);
        sizes.fold(1.0, f64::max)
    };
    let n_others = 1 + before.figures.len() + before.by_variable.len();
    let in_series = before
        .series
        .iter()
        .flat_map(|series| std::iter::repeat_n(largest(&series.points), series.points.len()));
    let scales = std::iter::repeat_n(1.0, n_others).chain(in_series);
    for (((name, a), (other, b)), scale) in a.iter().zip(&b).zip(scales) {
        assert_eq!(name, other, "{id}");
        let same = match (a, b) {
            (Some(a), Some(b)) => near_to_scale(*a, *b, scale),
            (None, None) => true,
            _ => false,
        };
        assert!(same, "`{id}` {name}: {a:?} and {b:?}");
    }
}

#[test]
fn values_stay_in_the_declared_range() {
    let table = zoo(500);
    for measure in registry::MEASURES {
        let reading = measure.declared().value;
        assert!(reading.min <= reading.max);
        for two in [Two::identical(&table), Two::perturbed(&table)] {
            let found = two.figures(*measure, &usual(*measure, &two));
            let figures = found
                .value
                .into_iter()
                .chain(found.per_record.iter().flatten().copied());
            for value in figures.filter(|value| !value.is_nan()) {
                assert!(
                    (reading.min..=reading.max).contains(&value),
                    "{}: {value}",
                    measure.card().id
                );
            }
        }
    }
}

#[test]
fn figures_are_the_declared_ones_and_stay_in_their_range() {
    let table = zoo(500);
    for measure in registry::MEASURES {
        let (id, card) = (measure.card().id, measure.declared());
        let given = params(measure.card(), &measure.example());
        for two in [Two::identical(&table), Two::perturbed(&table)] {
            let on = usual(*measure, &two);
            let found = two.figures(*measure, &on);
            let spelled = |names: Vec<FigureName>| -> BTreeSet<String> {
                names.iter().map(FigureName::spelled).collect()
            };
            let names = found.figures.iter().map(|figure| figure.name.clone());
            let (names, declared) = (names.collect(), measure.figures(&given, &on));
            assert_eq!(
                card.by_variable,
                !found.by_variable.is_empty(),
                "`{id}` and figures of variables"
            );
            // A figure may lack where it does not apply, but none comes that nobody declared.
            let undeclared: Vec<String> = spelled(names)
                .difference(&spelled(declared))
                .cloned()
                .collect();
            assert_eq!(undeclared, Vec::<String>::new(), "`{id}`");
            for figure in &found.figures {
                let spec = card.figure(&figure.name.id).expect("it is declared");
                let value = figure.value.unwrap_or(spec.min);
                assert!(
                    (spec.min..=spec.max).contains(&value),
                    "`{id}` {}: {value}",
                    figure.name.spelled()
                );
            }
        }
    }
}

#[test]
fn every_word_of_a_choice_is_read_and_judged() {
    let table = zoo(50);
    for measure in registry::MEASURES {
        let attributes: Vec<&Attribute> = table
            .columns()
            .iter()
            .map(|column| column.attribute())
            .collect();
        for spec in measure.card().params {
            let ParamType::Choice(words) = spec.ty else {
                continue;
            };
            for (word, _) in words {
                let mut given = measure.example();
                given.retain(|(name, _)| *name != spec.name);
                given.push((spec.name, RawValue::Text((*word).to_owned())));
                // Told to be wrong or right, but never a panic.
                measure.check(&params(measure.card(), &given), &attributes);
                measure.figures(&params(measure.card(), &given), &[]);
            }
        }
    }
}

/// Measures of what was taken away, to which a value that moved is as good as before.
const TAKES_AWAY: [&str; 2] = ["suppressed-cells", "recoding-loss"];

#[test]
fn identical_files_have_the_declared_value_and_others_do_not() {
    let table = zoo(500);
    for measure in registry::MEASURES {
        let Some(at_identity) = measure.declared().at_identity else {
            continue;
        };
        let two = Two::identical(&table);
        let on = usual(*measure, &two);
        let found = two.figures(*measure, &on);
        let value = found.value.expect("a value");
        assert!(
            near(value, at_identity),
            "{}: {value}, not {at_identity}",
            measure.card().id
        );
        let moved = if TAKES_AWAY.contains(&measure.card().id) {
            Two::suppressed(&table)
        } else if measure.card().targets.kinds.contains(&Kind::Continuous) {
            Two::perturbed(&table)
        } else {
            Two::exchanged(&table)
        };
        let moved = moved.figures(*measure, &on).value.expect("a value");
        assert!(
            !near(moved, at_identity),
            "{} does not see that the file was changed",
            measure.card().id
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_order_of_records_does_not_matter(order in Just((0..300_u32).collect::<Vec<_>>()).prop_shuffle()) {
        static USUAL: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
            let two = Two::perturbed(&zoo(300));
            registry::MEASURES.iter().map(|measure| usual(*measure, &two)).collect()
        });
        let two = Two::perturbed(&zoo(300));
        let moved = two.reordered(&order);
        for (measure, on) in registry::MEASURES.iter().zip(USUAL.iter()) {
            // Where equal values may be ranked by row, the page says so and offers another way.
            let mut given = Vec::new();
            if measure.card().param("ties").is_some() {
                given.push(("ties", RawValue::Text("share".to_owned())));
            }
            let before = two.figures_with(*measure, on, &given);
            let after = moved.figures_with(*measure, on, &given);
            assert_near(measure.card().id, &before, &after);
            if let (Some(before), Some(after)) = (&before.per_record, &after.per_record) {
                let follows = order.iter().zip(after).all(|(&record, &value)| near(before[record as usize], value));
                prop_assert!(follows, "{}: figures by record", measure.card().id);
            }
        }
    }
}

/// Measures that hold all records against all.
const LOOKS_AT_ALL_PAIRS: [&str; 4] = ["pld", "a-score", "d-score", "s-score"];

/// A file of more records than are worked on at a time.
fn large(measure: &dyn Measure) -> Two {
    let looks_at_all_pairs = LOOKS_AT_ALL_PAIRS.contains(&measure.card().id);
    let n = if looks_at_all_pairs { 1_000 } else { 10_000 };
    Two::perturbed(&zoo(n))
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    for measure in registry::MEASURES {
        let two = large(*measure);
        let on = usual(*measure, &two);
        let bits = |found: &Measurement| {
            let all = parts(found)
                .into_iter()
                .map(|(name, value)| (name, value.map(f64::to_bits)));
            let per_record = found
                .per_record
                .iter()
                .flatten()
                .map(|value| value.to_bits());
            (all.collect::<Vec<_>>(), per_record.collect::<Vec<_>>())
        };
        let on_one = on_threads(1, || bits(&two.figures(*measure, &on)));
        for n_threads in [2, 4] {
            let on_more = on_threads(n_threads, || bits(&two.figures(*measure, &on)));
            assert!(
                on_one == on_more,
                "`{}` depends on the number of threads",
                measure.card().id
            );
        }
    }
}

#[test]
fn files_that_do_not_correspond_are_refused_where_they_must() {
    let table = zoo(50);
    for measure in registry::MEASURES
        .iter()
        .filter(|measure| measure.declared().subject == Subject::CorrespondingPair)
    {
        let two = Two::perturbed(&table);
        let given = params(measure.card(), &measure.example());
        let on = usual(*measure, &two);
        let shorter = Two::perturbed(&zoo(40)).masked;
        let with = |masked: &Table, rows: Rows| {
            let pair = Pair {
                original: &two.original,
                masked,
                rows,
            };
            let task = MeasureTask::new(Files::Both(pair), &on);
            measure.measure(&given, &task, &RunContext::new(7, "measure", &Unwatched))
        };
        let id = measure.card().id;
        let refused = |result: Result<Measurement, MethodError>| {
            matches!(result, Err(MethodError::Request { .. }))
        };
        assert!(
            refused(with(&two.masked, Rows::Unrelated)),
            "`{id}` compares unrelated files"
        );
        assert!(
            refused(with(&shorter, Rows::Correspond)),
            "`{id}` compares files of different length"
        );
        // A choice of records knows where they came from, and is compared with those.
        let kept: Vec<u32> = (0..50).filter(|record| record % 3 != 1).collect();
        let of_kept = with(&two.masked.take(&kept), Rows::Correspond)
            .expect("a choice of records corresponds");
        let of_all = with(&two.masked, Rows::Correspond).expect("all records correspond");
        if let (Some(of_kept), Some(of_all)) = (of_kept.per_record, of_all.per_record) {
            let same = kept
                .iter()
                .zip(&of_kept)
                .all(|(&record, &value)| near(value, of_all[record as usize]));
            assert!(
                same,
                "`{id}`: a record's figure changed when others were deleted"
            );
        }
    }
}

#[test]
fn measures_of_the_wrong_number_of_files_are_our_own_mistake() {
    let table = zoo(20);
    for measure in registry::MEASURES {
        let pair = Pair {
            original: &table,
            masked: &table,
            rows: Rows::Correspond,
        };
        let wrong = match measure.declared().subject {
            Subject::OneFile => Files::Both(pair),
            Subject::CorrespondingPair | Subject::Pair => Files::One(&table),
        };
        let given = params(measure.card(), &measure.example());
        let on = ["income".to_owned()];
        let task = MeasureTask::new(wrong, &on);
        let found = measure.measure(&given, &task, &RunContext::new(7, "measure", &Unwatched));
        assert!(
            matches!(found, Err(MethodError::Internal(_))),
            "{}",
            measure.card().id
        );
    }
}

#[test]
fn a_cancelled_measure_stops() {
    for measure in registry::MEASURES {
        let two = large(*measure);
        let on = usual(*measure, &two);
        let context = RunContext::new(7, "measure", &Impatient);
        let given = params(measure.card(), &measure.example());
        let stopped = two.measure(*measure, &on, &given, &context);
        assert!(
            matches!(stopped, Err(MethodError::Cancelled)),
            "`{}` goes on though cancelled",
            measure.card().id
        );
    }
}

#[test]
fn no_message_shows_a_cell_value() {
    for with_weight in [true, false] {
        let mut table = planted(300);
        if !with_weight {
            let weight = table.with_role(Role::Weight);
            table = table.without_columns(&weight);
        }
        let constant = constant_canary(&table);
        for measure in registry::MEASURES {
            let card = measure.card();
            let mut n_errors = 0;
            for given in with_and_without_missing(card, &measure.example()) {
                let given = params(card, &given);
                for name in names(&table, &accepted(card, &table)) {
                    for two in [
                        Two::identical(&table),
                        Two::perturbed(&table),
                        Two::perturbed(&constant),
                    ] {
                        let context = RunContext::new(7, "measure", &Unwatched);
                        let on = std::slice::from_ref(&name);
                        if let Err(error) = two.measure(*measure, on, &given, &context) {
                            n_errors += 1;
                            assert_no_canary(card.id, &format!("{error} {error:?}"));
                        }
                        assert_no_canary(card.id, &note_texts(context));
                    }
                }
            }
            let counts_weights = measure.declared().subject == Subject::OneFile;
            assert!(
                n_errors > 0 || !(with_weight && counts_weights),
                "the planted weight did not bite {}",
                card.id
            );
        }
    }
}

/// The planted file with nothing but the canary in its continuous variables.
fn constant_canary(table: &Table) -> Table {
    let mut constant = table.clone();
    for attr_idx in 0..table.columns().len() {
        let column = table.column(attr_idx);
        if column.attribute().kind == Kind::Continuous {
            constant = constant.with_column(
                attr_idx,
                column.with_numbers(vec![987_654_321.125; column.len()]),
            );
        }
    }
    constant
}

#[test]
fn measures_need_no_parameters_or_show_which() {
    for measure in registry::MEASURES {
        let card = measure.card();
        let none: &[(String, RawValue)] = &[];
        assert!(
            !measure.example().is_empty() || Params::check(card, none).is_ok(),
            "`{}` cannot run without parameters",
            card.id
        );
        // Fails if the card refuses the example.
        params(card, &measure.example());
    }
}
