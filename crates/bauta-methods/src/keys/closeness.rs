//! How far the sensitive answers of a class are from those of the file: the t of t-closeness, for the
//! measure and for the rules by which a record is at risk.

mod answer_distance;

use std::borrow::Cow;

use bauta_data::{Column, Kind, Table};

use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::numbers::exact_sum::exact_sum;
use crate::keys::check_weights;
use crate::keys::matching::MatchingSets;
use crate::keys::sensitive::{Answers, ClassAnswers, Questions};
use crate::measure::Part;
use crate::params::choices;
use answer_distance::{FileAnswers, Ground};

choices! {
    /// How far two values are apart.
    pub(crate) enum Distance {
        ByKind = "by-kind": "nominal for unordered and hierarchical variables, ordered for ordered ones, ranks for continuous ones",
        Nominal = "nominal": "any two values equally far: total variation",
        Ordered = "ordered": "as many steps as there are values between",
        Ranks = "ranks": "as many records as there are between",
    }
}

impl Distance {
    /// What it means for a variable of some kind.
    const fn ground(self, kind: Kind) -> Ground {
        match (self, kind) {
            (Self::Nominal, _) | (Self::ByKind, Kind::Unordered | Kind::Hierarchical) => {
                Ground::Nominal
            }
            (Self::Ordered, _) | (Self::ByKind, Kind::Ordered) => Ground::Ordered,
            (Self::Ranks, _) | (Self::ByKind, Kind::Continuous) => Ground::Ranks,
        }
    }
}

/// What is asked of the answers of each class.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ClosenessAsked {
    /// Whose answers to which questions.
    pub(crate) questions: Questions,
    /// How far two values are apart.
    pub(crate) distance: Distance,
    /// Whether records count by their weights, in classes and in the file.
    pub(crate) weighted: bool,
}

/// The distance of each record's class from the file, over all sensitive variables.
pub(crate) struct Closeness {
    /// The largest distance; NaN where no variable gave one.
    pub(crate) t: Vec<f64>,
    /// The largest distance by sensitive variable.
    pub(crate) by_variable: Vec<Part>,
}

/// Compares the answers of those who match each record with the answers of all.
pub(crate) fn closeness(
    table: &Table,
    keys: &[usize],
    asked: &ClosenessAsked,
    context: &RunContext<'_>,
) -> Result<Closeness, MethodError> {
    context.go_on()?;
    let variables = asked.questions.sensitive.positions(table, keys)?;
    let weights = if asked.weighted {
        Some(weights(table)?)
    } else {
        None
    };
    let sets = MatchingSets::new(table, keys, asked.questions.matching)?;
    let mut found = Closeness {
        t: vec![f64::NAN; table.n_records()],
        by_variable: Vec::new(),
    };
    for (done, &attr_idx) in variables.iter().enumerate() {
        context.progress(done, variables.len())?;
        let column = table.column(attr_idx);
        let answers = Answers::new(column, asked.questions.missing, context);
        let ground = asked.distance.ground(column.attribute().kind);
        let of_sets = distances(&answers, &sets, weights.as_deref(), ground);
        for (record, t) in found.t.iter_mut().enumerate() {
            // NaN where there is none yet: the other one is taken.
            let distance = of_sets[sets.set_of_record(record)];
            *t = t.max(distance.unwrap_or(f64::NAN));
        }
        let largest = of_sets.into_iter().flatten().reduce(f64::max);
        found.by_variable.push(Part::new(column.name(), largest));
    }
    Ok(found)
}

/// The weights; where their products would leave the range of numbers, times a power of two, which changes
/// no quotient of them.
fn weights(table: &Table) -> Result<Cow<'_, [f64]>, MethodError> {
    /// Sums of weights up to this power of two, and down to its inverse, are multiplied with room to spare.
    const MAX_POWER: i32 = 300;
    check_weights(table)?;
    let weights = table.weight().and_then(Column::as_numeric);
    let weights = weights.ok_or_else(|| {
        MethodError::request(
            "there is no weight to count records by",
            "give a variable the role weight, or leave out `weighted`",
        )
    })?;
    let (_, power) = libm::frexp(exact_sum(weights));
    if power.abs() <= MAX_POWER {
        return Ok(Cow::Borrowed(weights));
    }
    let scaled = weights.iter().map(|&weight| libm::ldexp(weight, -power));
    Ok(Cow::Owned(scaled.collect()))
}

/// Distance of each set; none where no record of it has a value or a weight.
fn distances(
    answers: &Answers,
    sets: &MatchingSets,
    weights: Option<&[f64]>,
    ground: Ground,
) -> Vec<Option<f64>> {
    let counted = ClassAnswers::new(answers, sets, weights);
    match FileAnswers::new(ground, &counted.of_file(answers.n_values), counted.parts()) {
        None => vec![None; sets.n_sets()],
        Some(file) => counted.per_set(sets, |answers| file.distance(answers)),
    }
}
