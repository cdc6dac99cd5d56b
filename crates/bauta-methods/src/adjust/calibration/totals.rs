//! Totals that the user gives: from a census, a register or another survey.

use std::collections::HashMap;

use bauta_data::near;

use crate::adjust::calibration::coding::Coding;
use crate::adjust::calibration::margins::{TargetFrom, Term};
use crate::error::{ErrorCode, MethodError};

/// What the name of a margin of households begins with.
pub(crate) const OF_HOUSEHOLDS: &str = "households: ";

/// Named totals, such as `sex=1`, `sex=1*age=2`, `sex#2` (the second category), `income` or `1`; those of
/// households begin with `households: `.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct GivenTotals {
    totals: Vec<Given>,
    /// Totals of categories are shares of this.
    population: Option<f64>,
}

#[derive(Clone, PartialEq, Debug)]
struct Given {
    name: String,
    /// Variables, each with its category; none for numbers.
    parts: Vec<(String, Category)>,
    /// Whether households are counted.
    of_households: bool,
    value: f64,
}

impl Given {
    fn is_of(&self, term: &Term) -> bool {
        let mut names: Vec<&String> = term.classes.iter().chain(&term.numbers).collect();
        let mut of: Vec<&String> = self.parts.iter().map(|(name, _)| name).collect();
        names.sort();
        of.sort();
        of == names && self.of_households == term.of_households
    }

    fn named(&self) -> TargetFrom {
        let mut parts = self.parts.iter();
        if parts.any(|(_, category)| matches!(category, Category::Position(_))) {
            TargetFrom::PlacedTotal
        } else {
            TargetFrom::NamedTotal
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
enum Category {
    None,
    Label(String),
    /// The n-th in order, from 1, as in the tables of CALMAR and icarus.
    Position(usize),
}

impl GivenTotals {
    /// Reads names and numbers.
    pub(crate) fn new(totals: &[(String, f64)], population: Option<f64>) -> Self {
        let part = |text: &str| {
            let text = text.trim();
            if let Some((name, label)) = text.split_once('=') {
                return (
                    name.trim().to_owned(),
                    Category::Label(label.trim().to_owned()),
                );
            }
            let position = text
                .rsplit_once('#')
                .and_then(|(name, position)| Some((name, position.parse().ok()?)));
            match position {
                Some((name, position)) => (name.trim().to_owned(), Category::Position(position)),
                None => (text.to_owned(), Category::None),
            }
        };
        let given = |(name, value): &(String, f64)| {
            let of = name.strip_prefix(OF_HOUSEHOLDS);
            Given {
                name: name.clone(),
                parts: of
                    .unwrap_or(name)
                    .split('*')
                    .map(part)
                    .filter(|(name, _)| name != "1")
                    .collect(),
                of_households: of.is_some(),
                value: *value,
            }
        };
        Self {
            totals: totals.iter().map(given).collect(),
            population,
        }
    }

    /// Whether there are any.
    pub(crate) fn is_empty(&self) -> bool {
        self.totals.is_empty()
    }

    /// The terms that they are totals of, in their order, and whether those count households.
    pub(crate) fn terms(&self) -> Vec<(String, bool)> {
        let mut terms: Vec<(String, bool)> = Vec::new();
        for given in &self.totals {
            let names: Vec<&str> = given.parts.iter().map(|(name, _)| name.as_str()).collect();
            let term = if names.is_empty() {
                "1".to_owned()
            } else {
                names.join("*")
            };
            let term = (term, given.of_households);
            if !terms.contains(&term) {
                terms.push(term);
            }
        }
        terms
    }

    /// Whether any total is of that term.
    pub(crate) fn has(&self, term: &Term) -> bool {
        self.totals.iter().any(|given| given.is_of(term))
    }

    /// The targets of a term's cells and who named them; none if no total is of that term.
    pub(crate) fn of_term(
        &self,
        term: &Term,
        cells: &[Vec<String>],
        classes: &[&Coding],
    ) -> Result<Option<Vec<(f64, TargetFrom)>>, MethodError> {
        let totals = self.totals.iter().filter(|given| given.is_of(term));
        let totals: Vec<&Given> = totals.collect();
        if totals.is_empty() {
            return Ok(None);
        }
        let place: HashMap<&[String], usize> = cells
            .iter()
            .enumerate()
            .map(|(position, cell)| (cell.as_slice(), position))
            .collect();
        let mut targets: Vec<Option<f64>> = vec![None; cells.len()];
        let mut from = vec![TargetFrom::NamedTotal; cells.len()];
        for given in &totals {
            let cell = term
                .classes
                .iter()
                .zip(classes)
                .map(|(name, coding)| label_of(given, name, coding))
                .collect::<Result<Vec<String>, MethodError>>()?;
            match place.get(cell.as_slice()).copied() {
                Some(position) if targets[position].is_none() => {
                    targets[position] = Some(given.value);
                    from[position] = given.named();
                }
                Some(_) => {
                    return Err(MethodError::request(
                        format!("the total `{}` is given twice", given.name),
                        "give it once",
                    ));
                }
                None if given.value == 0.0 => {}
                None => {
                    return Err(MethodError::request(
                        format!(
                            "{}: the total `{}` is given, and no record has that category",
                            ErrorCode::CalibrationEmpty,
                            given.name
                        ),
                        unknown_category(&cell, classes),
                    ));
                }
            }
        }
        let n_absent = targets.iter().filter(|target| target.is_none()).count();
        if n_absent > 0 {
            return Err(MethodError::request(
                format!(
                    "`totals` has no total for {n_absent} of the {} categories of `{}`",
                    cells.len(),
                    term.text
                ),
                "give a total for every category that occurs, or leave the term out",
            ));
        }
        let targets: Vec<f64> = targets.into_iter().flatten().collect();
        let targets = self.of_population(term, targets)?;
        Ok(Some(targets.into_iter().zip(from).collect()))
    }

    /// Shares become totals, where a population is given.
    fn of_population(&self, term: &Term, targets: Vec<f64>) -> Result<Vec<f64>, MethodError> {
        let Some(population) = self.population.filter(|_| term.counts()) else {
            return Ok(targets);
        };
        let sum: f64 = targets.iter().sum();
        let is_whole = |whole: f64| (sum - whole).abs() <= 1e-6 * whole;
        if !is_whole(1.0) && !is_whole(100.0) {
            return Err(MethodError::request(
                format!(
                    "with `population`, the totals of `{}` are shares, and they sum to neither 1 nor 100",
                    term.text
                ),
                "correct the shares, or leave `population` out and give totals",
            ));
        }
        Ok(targets
            .into_iter()
            .map(|share| share / sum * population)
            .collect())
    }
}

/// What to do about a total of a category that no record has: the nearest that one has, or to merge it.
fn unknown_category(cell: &[String], classes: &[&Coding]) -> String {
    let near = cell.iter().zip(classes).find_map(|(label, coding)| {
        let is_unknown = !coding.labels.contains(label);
        is_unknown
            .then(|| near::nearest(label, coding.common_labels()))
            .flatten()
    });
    let merge = "merge the category with another, or leave the variable out";
    match near {
        Some(near) => format!("did you mean `{near}`? Otherwise {merge}"),
        None => merge.to_owned(),
    }
}

/// The category of a variable in the name of a total.
fn label_of(given: &Given, name: &str, coding: &Coding) -> Result<String, MethodError> {
    let part = given.parts.iter().find(|(known, _)| known == name);
    let label = match part.map(|(_, category)| category) {
        Some(Category::Label(label)) => Some(label.clone()),
        Some(Category::Position(position)) => position
            .checked_sub(1)
            .and_then(|at| coding.labels.get(at).cloned()),
        Some(Category::None) | None => None,
    };
    label.ok_or_else(|| {
        MethodError::request(
            format!("the total `{}` names no category of `{name}`", given.name),
            format!(
                "write {name}=CATEGORY, or {name}#1 for its first category; if it is the sum of a number, say that `{name}` is \
                 one: --continuous {name}, or kind = \"continuous\" in a plan"
            ),
        )
    })
}
