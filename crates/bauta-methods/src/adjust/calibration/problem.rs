//! What a calibration starts from: weights, margins and units of the two files.

use bauta_data::{Column, Table};

use crate::adjust::calibration::coding::column;
use crate::adjust::calibration::design::Design;
use crate::adjust::calibration::limits::refuse_many_margins;
use crate::adjust::calibration::margins::{Margins, Sources, Term, heads, same_in_household};
use crate::adjust::calibration::settings::{Dearness, MissingInMargins, QFrom, Settings};
use crate::adjust::calibration::totals::GivenTotals;
use crate::adjust::calibration::units::Units;
use crate::context::RunContext;
use crate::error::{ErrorCode, MethodError};
use crate::kernel::numbers::sums::sum_of;
use crate::keys::households::households;
use crate::pair::Pair;
use crate::params::Choice;

/// What is to be solved.
pub(super) struct Problem<'a> {
    /// The weight variable.
    pub(super) weight: String,
    /// The variable with the starting weights.
    pub(super) start: String,
    /// Where q comes from.
    pub(super) q_name: String,
    /// Final weights of the original's records.
    pub(super) original_weights: &'a [f64],
    /// Whether totals were given.
    pub(super) given: bool,
    /// The margins.
    pub(super) margins: Margins,
    /// What has a weight.
    pub(super) units: Units,
    /// gamma.
    pub(super) scale: f64,
    /// Scaled starting weight of each unit.
    pub(super) d: Vec<f64>,
    /// The margins as a matrix.
    pub(super) design: Design,
}

impl<'a> Problem<'a> {
    /// Reads weights, terms and totals, and collapses equal units.
    pub(super) fn new(
        pair: Pair<'a>,
        recoded: &Table,
        settings: &Settings,
        context: &RunContext<'_>,
    ) -> Result<Self, MethodError> {
        let (original, released) = (pair.original, pair.masked);
        if released.n_records() == 0 {
            return Err(MethodError::request(
                "there is no record to weigh",
                "keep at least one record",
            ));
        }
        let weight = released.weight().ok_or_else(|| {
            MethodError::request(
                "there is no weight to calibrate",
                "give the variable with the weights the role weight",
            )
        })?;
        let weight = weight.name().to_owned();
        let original_weights = positive(original, &weight)?;
        let start = settings.start.as_ref().unwrap_or(&weight).clone();
        let d = positive(released, &start)?;
        let (q_name, q) = q_weights(released, d, &settings.q)?;
        context.go_on()?;
        let given = GivenTotals::new(&settings.totals, settings.population);
        let terms = terms(released, settings, &given)?;
        let by_household = terms.iter().any(|term| term.of_households);
        let q_from = match &settings.q {
            QFrom::Variable(name) => Some(name.as_str()),
            QFrom::Dearness(_) => None,
        };
        let (units, heads) = if by_household {
            household_units(pair, &terms, &weight, &start, q_from.as_ref(), d, &q)?
        } else {
            (Units::records(d.to_vec(), q), [Vec::new(), Vec::new()])
        };
        let sources = Sources {
            original,
            recoded,
            released,
            weights: original_weights,
            heads,
            missing_is_category: settings.missing == MissingInMargins::Category,
        };
        let mut margins = Margins::new(&sources, terms, &given)?;
        refuse_many_margins(&margins, settings)?;
        margins.withhold();
        let scale = if settings.scale {
            population(&margins, &given, original_weights) / sum_of(d, |d| d)
        } else {
            1.0
        };
        let design = units.design(&margins, &sources.heads[1], scale);
        Ok(Self {
            weight,
            start,
            q_name,
            original_weights,
            given: !given.is_empty(),
            margins,
            d: units.d.iter().map(|d| d * scale).collect(),
            units,
            scale,
            design,
        })
    }
}

/// The population that starting weights are scaled to: given totals of categories go before the
/// original's weights.
fn population(margins: &Margins, given: &GivenTotals, weights: &[f64]) -> f64 {
    let counting = margins
        .terms
        .iter()
        .position(|term| term.counts() && !term.of_households)
        .filter(|_| !given.is_empty());
    match counting {
        Some(term) => {
            let targets = margins.all.iter().filter(|margin| margin.term == term);
            targets.map(|margin| margin.target).sum()
        }
        None => sum_of(weights, |w| w),
    }
}

/// The terms that were asked for, or that the given totals are of.
pub(super) fn terms(
    table: &Table,
    settings: &Settings,
    given: &GivenTotals,
) -> Result<Vec<Term>, MethodError> {
    let of_totals = given.terms();
    let named = |asked: &[String], of_households: bool| -> Vec<String> {
        if !asked.is_empty() {
            return asked.to_vec();
        }
        let of_totals = of_totals.iter().filter(|(_, of)| *of == of_households);
        of_totals.map(|(text, _)| text.clone()).collect()
    };
    let mut terms = Vec::new();
    let asked = [
        (&settings.margins, false),
        (&settings.household_margins, true),
    ];
    for (asked, of_households) in asked {
        for text in named(asked, of_households) {
            terms.push(Term::parse(&text, table, of_households)?);
        }
    }
    let sorted = |text: &str| {
        let mut names: Vec<String> = text.split('*').map(|name| name.trim().to_owned()).collect();
        names.sort_unstable();
        names
    };
    let is_asked = |text: &str, of_households: bool| {
        let mut same = terms
            .iter()
            .filter(|term| term.of_households == of_households);
        same.any(|term| sorted(&term.text) == sorted(text))
    };
    let unused = of_totals
        .iter()
        .find(|(text, of_households)| !is_asked(text, *of_households));
    match unused {
        Some((text, of_households)) => Err(MethodError::request(
            format!(
                "`totals` has totals of `{text}`, which is not in `{}`",
                if *of_households {
                    "household_margins"
                } else {
                    "margins"
                }
            ),
            "add the term, or leave its totals out",
        )),
        None => Ok(terms),
    }
}

/// The numbers of a weight column, all of them above 0.
fn positive<'t>(table: &'t Table, name: &str) -> Result<&'t [f64], MethodError> {
    let weights = column(table, name)?.as_numeric().ok_or_else(|| {
        MethodError::data(
            name,
            "weights must be numbers",
            "give it the kind continuous",
        )
    })?;
    let bad = weights
        .iter()
        .position(|weight| weight.is_nan() || *weight <= 0.0);
    match bad {
        None => Ok(weights),
        Some(record) => {
            let row = table.source_row(record) + 1;
            Err(MethodError::Data {
                variable: Some(name.to_owned()),
                row: Some(row),
                message: format!("{}: weight <= 0 or missing at row {row}", ErrorCode::Weight),
                hint: "every record needs a weight above 0; delete records that have none"
                    .to_owned(),
            })
        }
    }
}

fn q_weights(table: &Table, d: &[f64], q: &QFrom) -> Result<(String, Vec<f64>), MethodError> {
    let name = match q {
        QFrom::Variable(name) => name,
        QFrom::Dearness(dearness) => {
            let q = match dearness {
                Dearness::Uniform => vec![1.0; d.len()],
                Dearness::Euclidean => d.iter().map(|d| 1.0 / d).collect(),
            };
            return Ok((dearness.name().to_owned(), q));
        }
    };
    let q = column(table, name)?.as_numeric().unwrap_or_default();
    let bad = q.iter().position(|q| q.is_nan() || *q <= 0.0);
    if q.is_empty() && !d.is_empty() {
        return Err(MethodError::data(
            name,
            "q must be numbers",
            "give it the kind continuous",
        ));
    }
    if let Some(record) = bad {
        return Err(MethodError::Data {
            variable: Some(name.clone()),
            row: Some(table.source_row(record) + 1),
            message: "q is missing or not above 0".to_owned(),
            hint: "every record needs a q above 0".to_owned(),
        });
    }
    Ok((name.clone(), q.to_vec()))
}

fn household_units(
    pair: Pair<'_>,
    terms: &[Term],
    weight: &str,
    start: &str,
    q_from: Option<&&str>,
    d: &[f64],
    q: &[f64],
) -> Result<(Units, [Vec<bool>; 2]), MethodError> {
    let (before, after) = (households(pair.original)?, households(pair.masked)?);
    let of_households = terms.iter().filter(|term| term.of_households);
    let names = of_households.flat_map(|term| term.classes.iter().chain(&term.numbers));
    let names: Vec<&str> = names.map(String::as_str).collect();
    let same = |table: &Table, homes: &[u32], name: &str| {
        let column: Option<&Column> = table.column_named(name);
        column.map_or(Ok(()), |column| same_in_household(column, homes, table))
    };
    for &name in names.iter().chain([&weight]) {
        same(pair.original, &before, name)?;
    }
    for &name in names.iter().chain([&start]).chain(q_from) {
        same(pair.masked, &after, name)?;
    }
    let heads = [heads(&before), heads(&after)];
    Ok((Units::households(after, d, q), heads))
}
