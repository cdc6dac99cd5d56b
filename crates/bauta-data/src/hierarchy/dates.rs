//! Hierarchies of dates: months, quarters, years and runs of years, or ages at a stated day.

use chrono::Datelike;

use super::{ANY, Step, Steps, top_step, unknown_categories};
use crate::date::{DateFormat, calendar_day, format_of};
use crate::levels::Levels;
use crate::problem::DataProblem;

/// How dates generalise.
#[derive(Clone, PartialEq, Debug)]
pub struct DateLevels {
    /// What each level gathers.
    pub by: DateUnits,
    /// How the dates are spelled; `None` finds it in them.
    pub format: Option<DateFormat>,
}

/// What the levels above a date gather, the finest first.
#[derive(Clone, PartialEq, Debug)]
pub enum DateUnits {
    /// Parts of the calendar.
    Calendar(Vec<DateUnit>),
    /// Completed years of life at a day.
    Ages {
        /// The day, in days since 1 January 1970.
        at: f64,
        /// Years that one class of each level spans.
        widths: Vec<u32>,
    },
}

/// A part of the calendar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DateUnit {
    /// 2020-04
    Month,
    /// 2020-Q2
    Quarter,
    /// 2020, or 2020-2024: years that begin with a multiple of their number.
    Years(u32),
}

impl DateUnit {
    /// The levels of dates for which nothing else is said.
    pub const USUAL: [Self; 4] = [Self::Month, Self::Quarter, Self::Years(1), Self::Years(5)];

    /// The unit that a word of a plan means: month, quarter, year, 5 years.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "month" => Some(Self::Month),
            "quarter" => Some(Self::Quarter),
            "year" => Some(Self::Years(1)),
            other => {
                let n: u32 = other.strip_suffix(" years")?.parse().ok()?;
                (2..=1000).contains(&n).then_some(Self::Years(n))
            }
        }
    }

    /// Its word in a plan.
    pub fn word(self) -> String {
        match self {
            Self::Month => "month".to_owned(),
            Self::Quarter => "quarter".to_owned(),
            Self::Years(1) => "year".to_owned(),
            Self::Years(n) => format!("{n} years"),
        }
    }

    fn months(self) -> i64 {
        match self {
            Self::Month => 1,
            Self::Quarter => 3,
            Self::Years(n) => 12 * i64::from(n),
        }
    }
}

impl DateUnits {
    /// Years that classes of ages span where nothing else is said.
    pub const USUAL_AGES: [u32; 3] = [1, 5, 10];

    /// How wide the classes of each level are: in months of the calendar, or in years of age.
    fn widths(&self) -> Vec<i64> {
        match self {
            Self::Calendar(units) => units.iter().map(|unit| unit.months()).collect(),
            Self::Ages { widths, .. } => widths.iter().map(|&width| i64::from(width)).collect(),
        }
    }

    /// Where a day stands on the line that is cut into classes: a month of the calendar, or an age.
    fn position(&self, days: f64) -> Option<i64> {
        let date = calendar_day(days)?;
        match self {
            Self::Calendar(_) => Some(i64::from(date.year()) * 12 + i64::from(date.month0())),
            Self::Ages { at, .. } => {
                let at = calendar_day(*at)?;
                let birthday_passed = (at.month(), at.day()) >= (date.month(), date.day());
                let years = at.year() - date.year() - i32::from(!birthday_passed);
                Some(i64::from(years))
            }
        }
    }

    /// The label of the class of this width that begins here.
    fn label(&self, width: i64, start: i64) -> String {
        match (self, width) {
            (Self::Ages { .. }, 1) => start.to_string(),
            (Self::Ages { .. }, _) => format!("{start}-{}", start + width - 1),
            (Self::Calendar(_), _) => {
                let (year, month) = (start.div_euclid(12), start.rem_euclid(12));
                match width {
                    1 => format!("{year:04}-{:02}", month + 1),
                    3 => format!("{year:04}-Q{}", month / 3 + 1),
                    12 => format!("{year:04}"),
                    _ => format!("{year:04}-{:04}", year + width / 12 - 1),
                }
            }
        }
    }

    /// Where the class with this label begins, if it is one of this width.
    fn start_of_label(&self, width: i64, text: &str) -> Option<i64> {
        let number = |part: &str| part.parse::<i64>().ok();
        let start = match self {
            // Nobody is a thousand years old: longer numbers are dates written without separators.
            Self::Ages { .. } => {
                number(text.split('-').next()?).filter(|age| (0..1000).contains(age))?
            }
            Self::Calendar(_) => {
                let year = 12 * number(text.get(..4)?)?;
                match width {
                    1 => year + number(text.get(5..7)?)? - 1,
                    3 => year + 3 * (number(text.get(6..7)?)? - 1),
                    _ => year,
                }
            }
        };
        (self.label(width, start) == text).then_some(start)
    }
}

/// A value of the column on the line.
struct Placed<'a> {
    text: &'a str,
    position: i64,
    /// 0 for a date; for a class the level that it belongs to.
    level: usize,
}

pub(super) fn resolve(spec: &DateLevels, levels: &Levels) -> Steps {
    let widths = spec.by.widths();
    let mut problems = check(&widths);
    let label = |text: &str| label_of(spec, &widths, text);
    let dates = || levels.iter().filter(|text| label(text).is_none());
    let format = match spec.format {
        Some(format) => Some(format),
        None if dates().next().is_none() => None,
        None => match format_of(dates()) {
            Ok(format) => Some(format),
            Err(doubt) => {
                problems.push(doubt.problem());
                None
            }
        },
    };
    if !problems.is_empty() {
        return Err(problems);
    }
    let place = |text: &'_ str| -> Option<(i64, usize)> {
        let date = || Some((spec.by.position(format?.days(text)?)?, 0));
        date().or_else(|| label(text))
    };
    let found: Vec<(&str, Option<(i64, usize)>)> =
        levels.iter().map(|text| (text, place(text))).collect();
    let n_unknown = found.iter().filter(|(_, place)| place.is_none()).count();
    if n_unknown > 0 {
        let hint = "declare texts that stand for no value as missing, or state how dates are spelled: date = \"dd/mm/yyyy\"";
        problems.push(unknown_categories(n_unknown, "the calendar", hint));
    }
    if matches!(spec.by, DateUnits::Ages { .. }) {
        problems.extend(unborn(&found));
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let placed: Vec<Placed> = found
        .into_iter()
        .filter_map(|(text, place)| {
            let (position, level) = place?;
            Some(Placed {
                text,
                position,
                level,
            })
        })
        .collect();
    let mut steps: Vec<Step> = widths
        .iter()
        .enumerate()
        .map(|(level, &width)| step(&spec.by, width, level + 1, &placed))
        .collect();
    steps.push(top_step(levels.len()));
    Ok(steps)
}

/// The class that a text is the label of, by its start and its level: data that were recoded before hold labels.
fn label_of(spec: &DateLevels, widths: &[i64], text: &str) -> Option<(i64, usize)> {
    if text == ANY {
        return Some((i64::MIN / 2, usize::MAX));
    }
    widths.iter().enumerate().find_map(|(level, &width)| {
        let start = spec.by.start_of_label(width, text)?;
        Some((start, level + 1))
    })
}

/// Dates of birth after the day at which ages are counted.
fn unborn(found: &[(&str, Option<(i64, usize)>)]) -> Option<DataProblem> {
    let is_unborn =
        |place: &Option<(i64, usize)>| matches!(place, Some((..0, level)) if *level != usize::MAX);
    let n = found.iter().filter(|(_, place)| is_unborn(place)).count();
    let message = match n {
        0 => return None,
        1 => "1 of its dates lies after the day at which ages are counted".to_owned(),
        n => format!("{n} of its dates lie after the day at which ages are counted"),
    };
    Some(DataProblem::file(
        message,
        "choose a later day, or mend the dates",
    ))
}

fn step(by: &DateUnits, width: i64, level: usize, placed: &[Placed<'_>]) -> Step {
    let labelled: Vec<(i64, bool, String)> = placed
        .iter()
        .map(|value| {
            let start = value.position.div_euclid(width) * width;
            let coarser = value.level > level;
            let label = if coarser {
                value.text.to_owned()
            } else {
                by.label(width, start)
            };
            (start, coarser, label)
        })
        .collect();
    let mut in_order: Vec<&(i64, bool, String)> = labelled.iter().collect();
    in_order.sort_unstable();
    let labels = Levels::from_texts(in_order.iter().map(|(.., label)| label.as_str()));
    let codes = labelled.iter().filter_map(|(.., label)| labels.code(label));
    let codes = codes.collect();
    (labels, codes)
}

fn check(widths: &[i64]) -> Vec<DataProblem> {
    let mut problems = Vec::new();
    if widths.is_empty() || widths.contains(&0) {
        problems.push(DataProblem::file(
            "its hierarchy of dates has no level, or one of no width",
            "name its levels: hierarchy = { dates = [\"month\", \"year\"] }",
        ));
        return problems;
    }
    let nested = |pair: &[i64]| pair[1] > pair[0] && pair[1] % pair[0] == 0;
    for (position, pair) in widths.windows(2).enumerate() {
        if !nested(pair) {
            problems.push(DataProblem::file(
                format!(
                    "level {} of its hierarchy of dates does not gather whole classes of level {}",
                    position + 2,
                    position + 1
                ),
                "each level must be a multiple of the one before: month, quarter, year, 5 years, 10 years",
            ));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_nested, way_up};
    use super::super::{Hierarchy, HierarchySpec};
    use super::*;
    use crate::date::iso_days;

    fn calendar(units: &[DateUnit], levels: &Levels) -> Result<Hierarchy, Vec<DataProblem>> {
        let spec = HierarchySpec::Dates(DateLevels {
            by: DateUnits::Calendar(units.to_vec()),
            format: None,
        });
        spec.resolve("born", levels)
    }

    fn ages(at: &str, levels: &Levels) -> Result<Hierarchy, Vec<DataProblem>> {
        let spec = HierarchySpec::Dates(DateLevels {
            by: DateUnits::Ages {
                at: iso_days(at).unwrap(),
                widths: vec![1, 5],
            },
            format: None,
        });
        spec.resolve("born", levels)
    }

    #[test]
    fn dates_rise_from_the_month_to_five_years() {
        let levels = Levels::from_texts(["13/04/2020", "01/12/1999", "31/01/2021"]);
        let hierarchy = calendar(&DateUnit::USUAL, &levels).unwrap();
        assert_nested(&hierarchy, levels.len());
        let up = |text| way_up(&hierarchy, &levels, text);
        assert_eq!(up("13/04/2020"), "2020-04 < 2020-Q2 < 2020 < 2020-2024 < *");
        assert_eq!(up("01/12/1999"), "1999-12 < 1999-Q4 < 1999 < 1995-1999 < *");
    }

    #[test]
    fn an_age_is_the_number_of_birthdays() {
        let levels = Levels::from_texts(["2000-03-01", "2000-02-29", "2016-02-28", "1910-12-31"]);
        let hierarchy = ages("2021-02-28", &levels).unwrap();
        assert_nested(&hierarchy, levels.len());
        let up = |text| way_up(&hierarchy, &levels, text);
        // Those born on 29 February have their birthday on 1 March of other years.
        assert_eq!(up("2000-02-29"), "20 < 20-24 < *");
        assert_eq!(up("2000-03-01"), "20 < 20-24 < *");
        assert_eq!(up("2016-02-28"), "5 < 5-9 < *");
        assert_eq!(up("1910-12-31"), "110 < 110-114 < *");
        let (classes, _) = hierarchy.at_level(2);
        assert_eq!(
            classes.iter().collect::<Vec<_>>(),
            ["5-9", "20-24", "110-114"]
        );
    }

    #[test]
    fn dates_without_separators_are_no_ages() {
        let levels = Levels::from_texts(["19850612", "20010101", "20-24"]);
        let spec = HierarchySpec::Dates(DateLevels {
            by: DateUnits::Ages {
                at: iso_days("2026-01-01").unwrap(),
                widths: vec![1, 5],
            },
            format: DateFormat::parse("yyyymmdd"),
        });
        let hierarchy = spec.resolve("born", &levels).unwrap();
        assert_eq!(way_up(&hierarchy, &levels, "19850612"), "40 < 40-44 < *");
        assert_eq!(way_up(&hierarchy, &levels, "20010101"), "25 < 25-29 < *");
        assert_eq!(way_up(&hierarchy, &levels, "20-24"), "20-24 < 20-24 < *");
    }

    #[test]
    fn values_recoded_before_stay_where_they_are() {
        let levels =
            Levels::from_texts(["2020-04-13", "2020-05", "2020-Q3", "2021", "2020-2024", "*"]);
        let hierarchy = calendar(&DateUnit::USUAL, &levels).unwrap();
        let up = |text| way_up(&hierarchy, &levels, text);
        assert_eq!(up("2020-05"), "2020-05 < 2020-Q2 < 2020 < 2020-2024 < *");
        assert_eq!(up("2020-Q3"), "2020-Q3 < 2020-Q3 < 2020 < 2020-2024 < *");
        assert_eq!(up("2021"), "2021 < 2021 < 2021 < 2020-2024 < *");
        assert_eq!(up("*"), "* < * < * < * < *");
        let recoded = Levels::from_texts(["2020", "1999"]);
        assert_eq!(
            calendar(&DateUnit::USUAL, &recoded)
                .unwrap()
                .present_level(&recoded),
            3
        );
    }

    #[test]
    fn problems_count_and_show_no_value() {
        let levels = Levels::from_texts(["2020-04-13", "secret"]);
        let problem = calendar(&DateUnit::USUAL, &levels).unwrap_err().remove(0);
        assert!(!problem.to_string().contains("secret"));
        let ambiguous = Levels::from_texts(["03/04/2020"]);
        let problem = calendar(&DateUnit::USUAL, &ambiguous)
            .unwrap_err()
            .remove(0);
        assert!(problem.hint.contains("mm/dd/yyyy"), "{problem}");
        let born = Levels::from_texts(["2022-01-01"]);
        assert!(
            ages("2021-02-28", &born).unwrap_err()[0]
                .message
                .contains("after the day")
        );
        let unnested = [DateUnit::Years(2), DateUnit::Years(5)];
        assert_eq!(calendar(&unnested, &born).unwrap_err().len(), 1);
        assert_eq!(calendar(&[], &born).unwrap_err().len(), 1);
    }

    #[test]
    fn words_of_units_read_back() {
        for word in ["month", "quarter", "year", "5 years"] {
            assert_eq!(DateUnit::parse(word).unwrap().word(), word);
        }
        assert!(DateUnit::parse("1 years").is_none() && DateUnit::parse("week").is_none());
    }
}
