//! Conditions on records, such as `AGI > 50000 and region in ('11', '12')`.

use std::fmt;

use crate::attribute::{Attribute, Kind};
use crate::column::{Column, Values};
use crate::date::{DateDoubt, DateFormat, Dates, format_of, iso_days};
use crate::decimal::cmp_labels;
use crate::levels::Levels;
use crate::near;
use crate::number::parse_label;
use crate::table::Table;

mod parse;

/// A condition on records. Comparisons with a missing value are neither true nor false, and so a
/// record satisfies a condition only if what is known of it suffices.
#[derive(Clone, PartialEq, Debug)]
pub struct Condition {
    text: String,
    expression: Expression,
}

/// What is wrong with a condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConditionProblem {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

#[derive(Clone, PartialEq, Debug)]
enum Expression {
    Or(Box<Expression>, Box<Expression>),
    And(Box<Expression>, Box<Expression>),
    Not(Box<Expression>),
    Compare {
        variable: String,
        comparison: Comparison,
        value: Literal,
    },
    In {
        variable: String,
        values: Vec<Literal>,
    },
    Missing {
        variable: String,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    fn holds(self, ordering: std::cmp::Ordering) -> bool {
        match self {
            Self::Equal => ordering.is_eq(),
            Self::Unequal => ordering.is_ne(),
            Self::Less => ordering.is_lt(),
            Self::LessOrEqual => ordering.is_le(),
            Self::Greater => ordering.is_gt(),
            Self::GreaterOrEqual => ordering.is_ge(),
        }
    }

    fn needs_order(self) -> bool {
        !matches!(self, Self::Equal | Self::Unequal)
    }
}

/// A value that a condition names, as it was written: a number may have more digits than a double
/// holds.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Literal(String);

impl Literal {
    fn text(&self) -> &str {
        &self.0
    }

    fn is_number(&self) -> bool {
        parse_label(self.text()).is_some()
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Condition {
    /// Reads a condition.
    pub fn parse(text: &str) -> Result<Self, ConditionProblem> {
        Ok(Self {
            text: text.trim().to_owned(),
            expression: parse::expression(text)?,
        })
    }

    /// The variables that it names, in order, each once.
    pub fn variables(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.expression.gather(&mut names);
        names
    }

    /// What is wrong with the values that it compares a variable with, as far as its description tells before any
    /// data are read: numbers are compared with numbers, and dates with dates.
    pub fn unfit_for(&self, attribute: &Attribute) -> Option<ConditionProblem> {
        let mut compared = Vec::new();
        self.expression
            .compared_with(&attribute.name, &mut compared);
        let is_continuous = attribute.kind == Kind::Continuous;
        let unfit = |(needs_order, value): &(bool, &Literal)| match attribute.date {
            Some(Dates::Spelled(format)) => {
                let is_date = date_in(value.text(), &format).is_some();
                (!is_date && (is_continuous || *needs_order))
                    .then(|| no_date(&attribute.name, &format))
            }
            Some(Dates::Sought) => None,
            // Numbers that all are dates are found to be when they are read.
            None => {
                let may_be_date = format_of([value.text()]) != Err(DateDoubt::NoDate);
                (is_continuous && !value.is_number() && !may_be_date)
                    .then(|| no_number(&attribute.name))
            }
        };
        compared.iter().find_map(unfit)
    }

    /// For each record whether it satisfies the condition.
    pub fn holds(&self, table: &Table) -> Result<Vec<bool>, ConditionProblem> {
        let found = self.expression.evaluate(table)?;
        Ok(found.into_iter().map(|known| known == Some(true)).collect())
    }
}

/// Known to hold, known not to hold, or not known.
type Truths = Vec<Option<bool>>;

impl Expression {
    fn gather<'a>(&'a self, names: &mut Vec<&'a str>) {
        match self {
            Self::Or(left, right) | Self::And(left, right) => {
                left.gather(names);
                right.gather(names);
            }
            Self::Not(inner) => inner.gather(names),
            Self::Compare { variable, .. }
            | Self::In { variable, .. }
            | Self::Missing { variable } => {
                if !names.contains(&variable.as_str()) {
                    names.push(variable);
                }
            }
        }
    }

    /// The values that a variable is compared with, and whether that needs an order.
    fn compared_with<'a>(&'a self, name: &str, values: &mut Vec<(bool, &'a Literal)>) {
        match self {
            Self::Or(left, right) | Self::And(left, right) => {
                left.compared_with(name, values);
                right.compared_with(name, values);
            }
            Self::Not(inner) => inner.compared_with(name, values),
            Self::Compare {
                variable,
                comparison,
                value,
            } if variable == name => values.push((comparison.needs_order(), value)),
            Self::In {
                variable,
                values: listed,
            } if variable == name => values.extend(listed.iter().map(|value| (false, value))),
            Self::Compare { .. } | Self::In { .. } | Self::Missing { .. } => {}
        }
    }

    fn evaluate(&self, table: &Table) -> Result<Truths, ConditionProblem> {
        let both =
            |left: &Self, right: &Self, join: fn(Option<bool>, Option<bool>) -> Option<bool>| {
                let (left, right) = (left.evaluate(table)?, right.evaluate(table)?);
                Ok(left
                    .into_iter()
                    .zip(right)
                    .map(|(l, r)| join(l, r))
                    .collect())
            };
        match self {
            Self::Or(left, right) => both(left, right, |l, r| match (l, r) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            }),
            Self::And(left, right) => both(left, right, |l, r| match (l, r) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            }),
            Self::Not(inner) => Ok(inner
                .evaluate(table)?
                .into_iter()
                .map(|known| known.map(|holds| !holds))
                .collect()),
            Self::Missing { variable } => {
                let column = column(table, variable)?;
                Ok((0..table.n_records())
                    .map(|record| Some(column.is_missing(record)))
                    .collect())
            }
            Self::Compare {
                variable,
                comparison,
                value,
            } => compare(column(table, variable)?, *comparison, value),
            Self::In { variable, values } => {
                let column = column(table, variable)?;
                let mut found: Truths = vec![Some(false); table.n_records()];
                for value in values {
                    let equal = compare(column, Comparison::Equal, value)?;
                    for (found, equal) in found.iter_mut().zip(equal) {
                        *found = match (*found, equal) {
                            (Some(true), _) | (_, Some(true)) => Some(true),
                            (Some(false), equal) => equal,
                            (None, _) => None,
                        };
                    }
                }
                Ok(found)
            }
        }
    }
}

fn column<'a>(table: &'a Table, name: &str) -> Result<&'a Column, ConditionProblem> {
    table.column_named(name).ok_or_else(|| ConditionProblem {
        message: format!("the condition names `{name}`, which is no variable of the file"),
        hint: near::column_hint(name, table.names()),
    })
}

fn compare(
    column: &Column,
    comparison: Comparison,
    value: &Literal,
) -> Result<Truths, ConditionProblem> {
    let present = |record: usize| !column.is_missing(record);
    match column.values() {
        Values::Numeric(_) => {
            let Some(limit) = column.limit(value.text()) else {
                return Err(match column.date_format() {
                    Some(format) => no_date(column.name(), &format),
                    None => no_number(column.name()),
                });
            };
            let truth = |record: usize| {
                let ordering = column.compare(record, &limit)?;
                Some(comparison.holds(ordering))
            };
            Ok((0..column.len()).map(truth).collect())
        }
        Values::Categorical(categorical) => {
            let by_level = levels_that_hold(column, comparison, value)?;
            let truth = |(record, code): (usize, u32)| {
                if present(record) {
                    by_level.get(code as usize).copied()
                } else {
                    None
                }
            };
            Ok(categorical.codes.iter().enumerate().map(truth).collect())
        }
    }
}

fn no_date(name: &str, format: &DateFormat) -> ConditionProblem {
    ConditionProblem {
        message: format!("`{name}` holds dates, and the condition compares it with something else"),
        hint: format!("compare it with a date: '2020-12-31', or as it is spelled, {format}"),
    }
}

fn no_number(name: &str) -> ConditionProblem {
    ConditionProblem {
        message: format!("`{name}` is numeric and the condition compares it with a text"),
        hint: "compare it with a number".to_owned(),
    }
}

/// The day that a text names, year first or as the file's dates are spelled.
fn date_in(text: &str, format: &DateFormat) -> Option<f64> {
    iso_days(text).or_else(|| format.days(text))
}

/// For each category whether it satisfies a comparison.
fn levels_that_hold(
    column: &Column,
    comparison: Comparison,
    value: &Literal,
) -> Result<Vec<bool>, ConditionProblem> {
    let Some(categorical) = column.as_categorical() else {
        return Ok(Vec::new());
    };
    let levels = &categorical.levels;
    let as_numbers: Option<Vec<bool>> = levels
        .iter()
        .map(|text| cmp_labels(text, value.text()).map(|order| comparison.holds(order)))
        .collect();
    if let Some(holds) = as_numbers.filter(|_| value.is_number()) {
        return Ok(holds);
    }
    if let Some(holds) = dates_that_hold(column, levels, comparison, value) {
        return Ok(holds);
    }
    let wanted = levels.code(value.text());
    if !comparison.needs_order() {
        return Ok((0..levels.len() as u32)
            .map(|code| (Some(code) == wanted) == (comparison == Comparison::Equal))
            .collect());
    }
    let ordered = column.attribute().kind == crate::Kind::Ordered;
    match wanted.filter(|_| ordered) {
        Some(wanted) => Ok((0..levels.len() as u32)
            .map(|code| comparison.holds(code.cmp(&wanted)))
            .collect()),
        None => Err(ConditionProblem {
            message: format!(
                "the condition asks for an order of `{}`, whose values are categories",
                column.name()
            ),
            hint: "compare it with = or !=, or use in (…); give it the kind ordered if it has an order"
                .to_owned(),
        }),
    }
}

/// For each category whether it satisfies a comparison, if all are dates and so is the value.
fn dates_that_hold(
    column: &Column,
    levels: &Levels,
    comparison: Comparison,
    value: &Literal,
) -> Option<Vec<bool>> {
    let format = column.date_format()?;
    let wanted = date_in(value.text(), &format)?;
    let holds = |text: &str| Some(comparison.holds(format.days(text)?.total_cmp(&wanted)));
    levels.iter().map(holds).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::NumberText;
    use crate::{Attribute, Kind, Role};
    use std::sync::Arc;

    fn file() -> Table {
        let attribute = |name: &str, kind| Arc::new(Attribute::new(name, Role::Other, kind));
        let numbers = vec![1.0, 2.5, 3.0, 4.0];
        let x = Column::numeric(
            attribute("x", Kind::Continuous),
            numbers,
            None,
            NumberText::default(),
        );
        let x = x.suppress(&[2]);
        let levels = Arc::new(Levels::from_texts(["low", "middle", "high"]));
        let grade = Column::categorical(
            attribute("grade", Kind::Ordered),
            vec![0, 1, 2, 1],
            Arc::clone(&levels),
            None,
        );
        let colour = Column::categorical(
            attribute("eye colour", Kind::Unordered),
            vec![0, 1, 2, 1],
            levels,
            None,
        );
        let numbers = Arc::new(Levels::from_texts(["9", "10"]));
        let size = Column::categorical(
            attribute("size", Kind::Unordered),
            vec![0, 1, 1, 0],
            numbers,
            None,
        );
        Table::new(vec![x, grade, colour, size], 4)
    }

    fn rows(condition: &str) -> Vec<usize> {
        let condition = Condition::parse(condition).unwrap_or_else(|p| panic!("{}", p.message));
        let holds = condition
            .holds(&file())
            .unwrap_or_else(|p| panic!("{}", p.message));
        (0..4).filter(|&record| holds[record]).collect()
    }

    #[test]
    fn numbers_categories_and_what_is_missing() {
        assert_eq!(rows("x > 2"), [1, 3]);
        assert_eq!(rows("x <= 2.5"), [0, 1]);
        assert_eq!(rows("not x > 2"), [0]);
        assert_eq!(rows("x is missing"), [2]);
        assert_eq!(rows("x is not missing and grade = 'middle'"), [1, 3]);
        assert_eq!(rows("grade >= 'middle'"), [1, 2, 3]);
        assert_eq!(rows("grade != middle"), [0, 2]);
        assert_eq!(rows("`eye colour` in ('low', 'high')"), [0, 2]);
        // As numbers 9 < 10; as texts it would be the other way round.
        assert_eq!(rows("size < 10"), [0, 3]);
        // Row 2 is known by its second half, whatever x is there.
        assert_eq!(rows("x > 2 or grade = 'high'"), [1, 2, 3]);
        assert_eq!(rows("(x = 1 or x = 4) and size == 9"), [0, 3]);
        assert_eq!(rows("x > -1e3 AND NOT (size <> 10)"), [1]);
    }

    #[test]
    fn numbers_are_compared_to_the_last_digit() {
        let texts = ["9007199254740992", "9007199254740993", "9007199254740994"];
        let attribute = |name: &str, kind| Arc::new(Attribute::new(name, Role::Other, kind));
        let codes = Column::categorical(
            attribute("code", Kind::Unordered),
            vec![0, 1, 2],
            Arc::new(Levels::from_texts(texts)),
            None,
        );
        let numbers = codes.parsed_as_numbers(crate::number::DecimalMark::Point);
        let numbers = numbers
            .unwrap()
            .with_attribute(attribute("id", Kind::Continuous));
        let table = Table::new(vec![codes, numbers], 3);
        for variable in ["id", "code"] {
            let rows = |condition: &str| {
                let condition = Condition::parse(&format!("{variable} {condition}")).unwrap();
                let holds = condition.holds(&table).unwrap();
                (0..3).filter(|&record| holds[record]).collect::<Vec<_>>()
            };
            assert_eq!(rows("= 9007199254740993"), [1]);
            assert_eq!(rows("!= 9007199254740993.0"), [0, 2]);
            assert_eq!(rows("> 9007199254740992"), [1, 2]);
            assert_eq!(rows("< 9007199254740993.5"), [0, 1]);
            assert_eq!(rows("in (9007199254740992, '9007199254740994')"), [0, 2]);
        }
    }

    #[test]
    fn mistakes_say_what_is_wrong() {
        let problem = |text: &str| match Condition::parse(text) {
            Err(problem) => problem.message,
            Ok(condition) => condition.holds(&file()).expect_err(text).message,
        };
        assert!(problem("y > 1").contains("no variable"));
        assert!(problem("x > 'many'").contains("numeric"));
        assert!(problem("`eye colour` > 'low'").contains("order"));
        for broken in [
            "",
            "x",
            "x >",
            "x > 1 and",
            "(x > 1",
            "x > 1)",
            "x in 3",
            "x is 3",
            "x > 'a",
            "> 1",
        ] {
            assert!(Condition::parse(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn the_variables_it_names() {
        let condition = Condition::parse("b > 1 and (a = 2 or b < 7)").unwrap();
        assert_eq!(condition.variables(), ["b", "a"]);
    }
}
