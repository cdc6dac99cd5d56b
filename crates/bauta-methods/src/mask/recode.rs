#![doc = include_str!("recode.md")]

use std::borrow::Cow;
use std::sync::Arc;

use bauta_data::date::DateFormat;
use bauta_data::hierarchy::{interval_index, interval_label_of, interval_of_label};
use bauta_data::{Attribute, Codes, Column, Levels, Values};
use rayon::prelude::*;

use crate::card::{Card, Family, ParamSpec, ParamType, Randomness, Scaling, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::numbers::quantile::sorted_present;
use crate::keys::levels_above::categories;
use crate::mask::became::{Became, categories_became, numbers_became};
use crate::mask::categories::{by_level, categories_merged, note_unequal_codes, without_hierarchy};
use crate::mask::dates::Unit;
use crate::mask::{Change, KindAfter, MaskMethod, MaskTask, StepFacts};
use crate::note::Note;
use crate::params::{ParamProblem, Params, RawValue};

/// Replaces values by broader ones. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Recode;

const BREAKS: ParamSpec = ParamSpec::new(
    "breaks",
    "where one interval ends and the next begins; each interval includes its lower end",
    ParamType::RisingNumbers,
)
.or_date()
.unset("values are not cut into intervals");
const LABELS: ParamSpec = ParamSpec::new(
    "labels",
    "names of the intervals, one more than there are breaks",
    ParamType::Texts,
)
.unset("intervals are named by their ends, such as [18, 25)");
const MAP: ParamSpec = ParamSpec::new(
    "map",
    "values and what replaces them; values that are not listed stay",
    ParamType::TextMap,
)
.unset("values are not mapped");
const LEVEL: ParamSpec = ParamSpec::new(
    "level",
    "level of the variable's hierarchy; 0 is the value itself",
    ParamType::Integer { min: 0, max: 64 },
)
.unset("the hierarchy is not used");

static CARD: Card = Card {
    id: "recode",
    title: "Global recoding",
    summary: "replaces values by broader categories: intervals, a map, or a level of the hierarchy",
    family: Family::Mask,
    page: include_str!("recode.md"),
    params: &[BREAKS, LABELS, MAP, LEVEL],
    targets: Targets::NAMED,
    randomness: Randomness::None,
    scaling: Scaling::Variable,
    references: &["hundepool2012", "bergeat2015", "truta2004"],
};

/// The one way in which values are replaced.
pub enum Settings {
    /// By the interval that a number falls into.
    Intervals(Intervals),
    /// By what a map says; values that are not listed stay.
    Map(Vec<(String, String)>),
    /// By a level of the variable's hierarchy; 0 is the value itself.
    Level(usize),
}

/// Intervals and their names.
pub struct Intervals {
    breaks: Vec<f64>,
    /// One more than there are breaks, from the lowest; two intervals may share a label. Without any, intervals are
    /// named by their ends.
    labels: Option<Vec<String>>,
    unit: Unit,
}

impl Intervals {
    /// The categories of a column, and the code of each interval.
    fn levels(&self, column: &Column) -> (Levels, Vec<u32>) {
        let intervals = 0..=self.breaks.len();
        let by_ends = |interval| {
            interval_label_of(&self.breaks, interval, |bound| column.text_of_number(bound))
        };
        let labels: Vec<Cow<'_, str>> = match &self.labels {
            Some(labels) => labels.iter().map(|label| label.as_str().into()).collect(),
            None => intervals.map(|interval| by_ends(interval).into()).collect(),
        };
        let levels = Levels::from_texts(labels.iter().map(AsRef::as_ref));
        let codes = labels.iter().map(|label| levels.code(label));
        let codes = codes.map(|code| code.unwrap_or(0)).collect();
        (levels, codes)
    }

    /// Which interval the text of a category falls into, if it is a number, or a date where the column has dates.
    fn of_text(&self, text: &str, format: Option<DateFormat>) -> Option<usize> {
        match format {
            Some(format) => Some(interval_index(&self.breaks, format.days(text)?)),
            None => interval_of_label(&self.breaks, text),
        }
    }
}

impl Settings {
    fn changes_nothing(&self) -> bool {
        match self {
            Self::Intervals(_) => false,
            Self::Map(map) => map.is_empty(),
            Self::Level(level) => *level == 0,
        }
    }

    /// What kind a variable is of afterwards: a recoded number is an ordered category.
    fn kind_after(&self) -> KindAfter {
        if self.changes_nothing() {
            KindAfter::Same
        } else {
            KindAfter::OrderedIfContinuous
        }
    }

    /// The description afterwards; a hierarchy fits no longer unless it was used itself.
    fn recoded(&self, attribute: &Attribute) -> Attribute {
        let keeps_hierarchy = matches!(self, Self::Level(_));
        Attribute {
            kind: self
                .kind_after()
                .of(attribute.kind)
                .unwrap_or(attribute.kind),
            order: None,
            date: attribute.date.filter(|_| self.changes_nothing()),
            hierarchy: attribute.hierarchy.clone().filter(|_| keeps_hierarchy),
            ..attribute.clone()
        }
    }
}

impl MaskMethod for Recode {
    type Settings = Settings;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        let is_set = |spec: ParamSpec| params.is_set(spec.name);
        let breaks = is_set(BREAKS).then(|| params.numbers(BREAKS.name).to_vec());
        let labels = is_set(LABELS).then(|| params.texts(LABELS.name).to_vec());
        let labels_problem = labels.as_ref().and_then(|labels| {
            let n_breaks = breaks.as_ref().map(Vec::len);
            problem_of_labels(labels.len(), n_breaks)
        });
        let unit = Unit::of(params.is_date(BREAKS.name));
        let intervals = breaks.map(|breaks| Intervals {
            breaks,
            labels,
            unit,
        });
        let map = is_set(MAP).then(|| params.text_map(MAP.name).to_vec());
        let level = is_set(LEVEL).then(|| params.count(LEVEL.name));
        let ways = [
            (BREAKS.name, intervals.map(Settings::Intervals)),
            (MAP.name, map.map(Settings::Map)),
            (LEVEL.name, level.map(Settings::Level)),
        ];
        let given = ways.into_iter();
        let given = given.filter_map(|(name, way)| Some((name, way?)));
        match (one_of(given.collect()), labels_problem) {
            (Ok(way), None) => Ok(way),
            (way, problem) => Err(way.err().into_iter().chain(problem).collect()),
        }
    }

    fn check(&self, settings: &Settings, on: &[&Attribute]) -> Vec<ParamProblem> {
        match settings {
            Settings::Level(1..) => without_hierarchy(on),
            Settings::Intervals(intervals) => intervals.unit.check(BREAKS.name, on),
            Settings::Level(0) | Settings::Map(_) => Vec::new(),
        }
    }

    fn facts(&self, settings: &Settings) -> StepFacts {
        StepFacts {
            kind_after: settings.kind_after(),
            ..StepFacts::default()
        }
        .truthful()
        .nothing_if(settings.changes_nothing())
    }

    fn mask(
        &self,
        settings: &Settings,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        task.column_by_column(context, |column| recode(column, settings, context))
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        let breaks = [18, 25, 65].map(RawValue::Integer).to_vec();
        vec![("breaks", RawValue::List(breaks))]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        Some(vec![("map", RawValue::Map(Vec::new()))])
    }
}

/// The only way of those that a plan names.
fn one_of(ways: Vec<(&str, Settings)>) -> Result<Settings, ParamProblem> {
    let names: Vec<&str> = ways.iter().map(|(name, _)| *name).collect();
    match names.as_slice() {
        [_, second, ..] => Err(ParamProblem::of(
            second,
            format!("`recode` is told more than one way: {}", names.join(", ")),
            "keep one of them, or write a step for each",
        )),
        [] | [_] => ways.into_iter().next().map(|(_, way)| way).ok_or_else(|| {
            ParamProblem::together("`recode` is not told how", "give one of breaks, map, level")
        }),
    }
}

/// What is wrong with labels of intervals, where there are any breaks.
fn problem_of_labels(n_labels: usize, n_breaks: Option<usize>) -> Option<ParamProblem> {
    let Some(n_breaks) = n_breaks else {
        return Some(ParamProblem::of(
            LABELS.name,
            "`labels` name intervals, and there are no breaks",
            "add `breaks = …`, or leave the labels out",
        ));
    };
    (n_labels != n_breaks + 1).then(|| {
        ParamProblem::of(
            LABELS.name,
            format!("{n_labels} labels for {n_breaks} breaks"),
            "there is one interval more than there are breaks, and each needs a label",
        )
    })
}

fn recode(
    column: &Column,
    settings: &Settings,
    context: &RunContext<'_>,
) -> Result<Column, MethodError> {
    if settings.changes_nothing() {
        return Ok(column.clone());
    }
    if let Settings::Intervals(intervals) = settings {
        intervals.unit.fits(BREAKS.name, column)?;
    }
    let attribute = Arc::new(settings.recoded(column.attribute()));
    if let (Values::Numeric(values), Settings::Intervals(intervals), None) =
        (column.values(), settings, column.exact())
    {
        return Ok(cut(column, values, intervals, context).with_attribute(attribute));
    }
    let (levels, codes) = categories(column);
    let (new_levels, new_code) = match settings {
        Settings::Intervals(intervals) => by_intervals(column, &levels, intervals)?,
        Settings::Map(map) => by_map(column, &levels, map, context),
        Settings::Level(level) => {
            note_unequal_codes(column, &levels, context);
            by_level(column, &levels, *level)?
        }
    };
    let present = codes
        .iter()
        .enumerate()
        .filter(|(record, _)| !column.is_missing(*record));
    let (mut before, mut after) = (vec![0; levels.len()], vec![0; new_levels.len()]);
    for (_, code) in present {
        before[code as usize] += 1;
        after[new_code[code as usize] as usize] += 1;
    }
    let n_occurring = |counts: &[usize]| counts.iter().filter(|&&n_records| n_records > 0).count();
    context.note(categories_merged(
        column.name(),
        n_occurring(&before),
        n_occurring(&after),
    ));
    let told = if column.date_format().is_some() {
        // Which days had many records is nobody's business, and nobody reads hundreds of them.
        let intervals = new_levels.iter().zip(after.iter().copied());
        let intervals: Vec<(&str, usize)> = intervals.collect();
        numbers_became(column.name(), &intervals)
    } else {
        let became = became(&levels, &new_code, &new_levels, &before);
        categories_became(column.name(), &became)
    };
    if let Some(note) = told {
        context.note(note);
    }
    let codes: Codes = codes
        .iter()
        .map(|code| new_code.get(code as usize).copied().unwrap_or(0))
        .collect();
    Ok(column
        .with_codes(codes, Arc::new(new_levels))
        .with_attribute(attribute))
}

/// Each category, what it became, and how many records had it.
fn became<'a>(
    levels: &'a Levels,
    new_code: &[u32],
    new_levels: &'a Levels,
    n_records: &[usize],
) -> Vec<Became<'a>> {
    let all = levels.iter().zip(new_code).zip(n_records);
    all.map(|((from, &code), &n_records)| Became {
        from,
        into: new_levels.text(code),
        n_records,
    })
    .collect()
}

/// Numbers into intervals, without the way through their texts.
fn cut(column: &Column, values: &[f64], intervals: &Intervals, context: &RunContext<'_>) -> Column {
    let (levels, code_of) = intervals.levels(column);
    let code = |&value: &f64| {
        if value.is_nan() {
            0
        } else {
            code_of[interval_index(&intervals.breaks, value)]
        }
    };
    let codes: Vec<u32> = values.par_iter().with_min_len(4096).map(code).collect();
    let mut counts = vec![0; levels.len()];
    for (_, &value) in values
        .iter()
        .zip(&codes)
        .filter(|(value, _)| !value.is_nan())
    {
        counts[value as usize] += 1;
    }
    let mut before = sorted_present(values);
    before.dedup();
    let n_after = counts.iter().filter(|&&n_records| n_records > 0).count();
    context.note(categories_merged(column.name(), before.len(), n_after));
    let intervals: Vec<(&str, usize)> = levels.iter().zip(counts).collect();
    if let Some(note) = numbers_became(column.name(), &intervals) {
        context.note(note);
    }
    column.with_codes(codes, Arc::new(levels))
}

fn by_intervals(
    column: &Column,
    levels: &Levels,
    intervals: &Intervals,
) -> Result<(Levels, Vec<u32>), MethodError> {
    let (new_levels, code_of) = intervals.levels(column);
    let mut n_not_numbers = 0;
    let new_code = levels
        .iter()
        .map(|text| {
            let Some(interval) = intervals.of_text(text, column.date_format()) else {
                n_not_numbers += 1;
                return 0;
            };
            code_of[interval]
        })
        .collect();
    if n_not_numbers > 0 {
        return Err(MethodError::data(
            column.name(),
            format!("{n_not_numbers} of its categories are not numbers and fall into no interval"),
            "use a map, or declare those texts as missing",
        ));
    }
    Ok((new_levels, new_code))
}

fn by_map(
    column: &Column,
    levels: &Levels,
    map: &[(String, String)],
    context: &RunContext<'_>,
) -> (Levels, Vec<u32>) {
    let mut n_unused = 0;
    let mut target: Vec<&str> = levels.iter().collect();
    for (from, to) in map {
        match levels.code(from) {
            Some(code) => target[code as usize] = to,
            None => n_unused += 1,
        }
    }
    if n_unused > 0 {
        context.note(map_entries_unused(column.name(), n_unused));
    }
    let found = Levels::from_texts(target.iter().copied());
    let (new_levels, in_order) = found.naturally_ordered();
    let new_code = target
        .iter()
        .map(|text| in_order[found.code(text).unwrap_or(0) as usize])
        .collect();
    (new_levels, new_code)
}

/// Entries of a map that fit no value of the file.
fn map_entries_unused(variable: &str, n_entries: usize) -> Note {
    let text = format!("{variable}: {n_entries} entries of the map fit no value of the file");
    Note::new("map-entries-unused", text)
        .with("variable", variable)
        .with("n_entries", n_entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::Mask;
    use bauta_data::{Kind, Role};

    fn problems(given: &[(&str, RawValue)]) -> Vec<Option<String>> {
        let given: Vec<(String, RawValue)> = given
            .iter()
            .map(|(name, raw)| ((*name).to_owned(), raw.clone()))
            .collect();
        let params = Params::check(&CARD, &given).unwrap();
        let plain = Attribute::new("age", Role::Key, Kind::Ordered);
        let problems = Mask::check(&Recode, &params, &[&plain]);
        problems.into_iter().map(|problem| problem.param).collect()
    }

    #[test]
    fn one_way_of_recoding_and_no_more() {
        let breaks = || {
            (
                "breaks",
                RawValue::List(vec![RawValue::Integer(18), RawValue::Integer(65)]),
            )
        };
        let map = || {
            (
                "map",
                RawValue::Map(vec![("1".to_owned(), RawValue::Text("2".to_owned()))]),
            )
        };
        let labels = |n: usize| {
            (
                "labels",
                RawValue::List(vec![RawValue::Text("a".to_owned()); n]),
            )
        };
        let level = || ("level", RawValue::Integer(1));
        assert_eq!(problems(&[]), [None]);
        assert_eq!(problems(&[breaks()]), []);
        assert_eq!(problems(&[breaks(), map()]), [Some("map".to_owned())]);
        // Two breaks make three intervals.
        assert_eq!(problems(&[breaks(), labels(3)]), []);
        assert_eq!(
            problems(&[breaks(), labels(2)]),
            [Some("labels".to_owned())]
        );
        // One label is as many as no breaks would need; it would be ignored, so it is refused.
        assert_eq!(problems(&[map(), labels(1)]), [Some("labels".to_owned())]);
        assert_eq!(problems(&[level()]), [Some("level".to_owned())]);
    }
}
