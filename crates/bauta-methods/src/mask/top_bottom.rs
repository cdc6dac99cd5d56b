#![doc = include_str!("top_bottom.md")]

use std::cmp::Ordering;
use std::sync::Arc;

use bauta_data::date::DateFormat;
use bauta_data::decimal::cmp_label;
use bauta_data::number::{number_text, parse_label};
use bauta_data::{Attribute, Categorical, Codes, Column, Kind, Levels, Values};

use crate::card::{Card, Family, ParamSpec, ParamType, Randomness, Scaling, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::few_records::is_few;
use crate::kernel::numbers::moments::mean;
use crate::kernel::numbers::quantile::quantile;
use crate::mask::dates::Unit;
use crate::mask::{Change, MaskMethod, MaskTask, StepFacts};
use crate::note::Note;
use crate::params::{ParamProblem, Params, RawValue, choices};

/// Codes the values in the tails. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct TopBottom;

/// From the mean of two records each finds the other's value; of three, only their sum.
const FEW: usize = 3;

choices! {
    /// What the coded values become.
    enum Replace {
        Threshold = "threshold": "the threshold",
        Mean = "mean": "the mean of the values coded in that tail, so that totals are kept",
    }
}

const fn threshold(name: &'static str, meaning: &'static str) -> ParamSpec {
    ParamSpec::number(name, meaning, f64::NEG_INFINITY)
        .or_date()
        .unset("that tail is not coded by value")
}

const fn share(name: &'static str, meaning: &'static str) -> ParamSpec {
    ParamSpec::new(name, meaning, ParamType::Fraction { min: 0.0, max: 0.5 })
        .unset("that tail is not coded by share")
}

const BOTTOM: ParamSpec = threshold("bottom", "values below this are coded");
const TOP: ParamSpec = threshold("top", "values above this are coded");
const BOTTOM_SHARE: ParamSpec = share(
    "bottom_share",
    "values below the quantile of this share are coded",
);
const TOP_SHARE: ParamSpec = share(
    "top_share",
    "values above the quantile of one minus this share are coded",
);
const REPLACE: ParamSpec =
    ParamSpec::choice::<Replace>("replace", "what the coded values become").or_word("threshold");

static CARD: Card = Card {
    id: "top-bottom",
    title: "Top and bottom coding",
    summary: "replaces the values beyond a threshold by the threshold or by their mean",
    family: Family::Mask,
    page: include_str!("top_bottom.md"),
    params: &[BOTTOM, TOP, BOTTOM_SHARE, TOP_SHARE, REPLACE],
    targets: Targets {
        kinds: &[Kind::Continuous, Kind::Ordered],
        ..Targets::MASKED_NUMBERS
    },
    randomness: Randomness::None,
    scaling: Scaling::Variable,
    references: &["hundepool2012"],
};

/// Where the tails begin, and what their values become.
pub struct Settings {
    bottom: Tail,
    top: Tail,
    replace: Replace,
    /// The thresholds that are values, and what they are in.
    units: Vec<(&'static str, Unit)>,
}

/// Where a tail begins.
#[derive(Clone, Copy)]
enum Tail {
    /// Nowhere: it is not coded.
    None,
    /// At a value.
    At(f64),
    /// At the quantile that leaves this share of the values in it.
    Share(f64),
}

impl Tail {
    /// Whether no value can be in it.
    fn is_empty(self) -> bool {
        match self {
            Self::None => true,
            Self::At(_) => false,
            Self::Share(share) => share == 0.0,
        }
    }

    /// What was asked for; that it was asked for twice is a problem.
    fn asked(
        value: ParamSpec,
        share: ParamSpec,
        params: &Params,
        problems: &mut Vec<ParamProblem>,
    ) -> Self {
        let (value, share) = (value.name, share.name);
        if params.is_set(value) && params.is_set(share) {
            problems.push(ParamProblem::of(
                share,
                format!("`{value}` and `{share}` both set the same threshold"),
                "keep one of them",
            ));
        }
        let by_value = params.number_if_set(value).map(Self::At);
        let by_share = || params.number_if_set(share).map(Self::Share);
        by_value.or_else(by_share).unwrap_or(Self::None)
    }
}

/// What is wrong with the two tails together.
fn problem_of(bottom: Tail, top: Tail) -> Option<ParamProblem> {
    match (bottom, top) {
        (Tail::None, Tail::None) => Some(ParamProblem::together(
            "`top-bottom` has no threshold",
            "give at least one of bottom, top, bottom_share, top_share",
        )),
        (Tail::At(bottom), Tail::At(top)) if bottom >= top => Some(ParamProblem::of(
            BOTTOM.name,
            "`bottom` must be below `top`",
            "exchange them",
        )),
        (Tail::None | Tail::At(_) | Tail::Share(_), _) => None,
    }
}

impl MaskMethod for TopBottom {
    type Settings = Settings;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        let mut problems = Vec::new();
        let bottom = Tail::asked(BOTTOM, BOTTOM_SHARE, params, &mut problems);
        let top = Tail::asked(TOP, TOP_SHARE, params, &mut problems);
        problems.extend(problem_of(bottom, top));
        let settings = Settings {
            bottom,
            top,
            replace: params.choice_of(REPLACE.name),
            units: [BOTTOM.name, TOP.name]
                .into_iter()
                .filter(|name| params.is_set(name))
                .map(|name| (name, Unit::of(params.is_date(name))))
                .collect(),
        };
        problems.is_empty().then_some(settings).ok_or(problems)
    }

    fn check(&self, settings: &Settings, on: &[&Attribute]) -> Vec<ParamProblem> {
        let problem = |ordered: &&Attribute| {
            ParamProblem::of(
                REPLACE.name,
                format!("`{}` is ordered, and categories have no mean", ordered.name),
                "use replace = \"threshold\", or give it the kind continuous",
            )
        };
        let of_units = settings.units.iter();
        let of_units = of_units.flat_map(|(param, unit)| unit.check(param, on));
        let ordered = on.iter().find(|attribute| attribute.kind == Kind::Ordered);
        let of_mean = ordered.filter(|_| settings.replace == Replace::Mean);
        of_units.chain(of_mean.map(problem)).collect()
    }

    fn facts(&self, settings: &Settings) -> StepFacts {
        let changes_nothing = settings.bottom.is_empty() && settings.top.is_empty();
        StepFacts::default().truthful().nothing_if(changes_nothing)
    }

    fn mask(
        &self,
        settings: &Settings,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        task.column_by_column(context, |column| {
            for (param, unit) in &settings.units {
                unit.fits(param, column)?;
            }
            match column.values() {
                Values::Numeric(values) => code_numbers(column, values, settings, context),
                Values::Categorical(categories) => {
                    code_categories(column, categories, settings, context)
                }
            }
        })
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![("top_share", RawValue::Number(0.05))]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        Some(vec![
            ("bottom_share", RawValue::Number(0.0)),
            ("top_share", RawValue::Number(0.0)),
        ])
    }
}

/// The thresholds that hold for the values of one variable.
fn thresholds(values: &[f64], name: &str, settings: &Settings) -> Result<(f64, f64), MethodError> {
    let begins = |tail: Tail, p: fn(f64) -> f64| match tail {
        Tail::At(threshold) => Some(threshold),
        Tail::Share(share) => quantile(values, p(share)),
        Tail::None => None,
    };
    let bottom = begins(settings.bottom, |share| share).unwrap_or(f64::NEG_INFINITY);
    let top = begins(settings.top, |share| 1.0 - share).unwrap_or(f64::INFINITY);
    if bottom > top {
        return Err(MethodError::data(
            name,
            "the threshold at the bottom lies above the one at the top",
            "choose thresholds that leave a middle",
        ));
    }
    Ok((bottom, top))
}

fn code_numbers(
    column: &Column,
    x: &[f64],
    settings: &Settings,
    context: &RunContext<'_>,
) -> Result<Column, MethodError> {
    let (bottom, top) = thresholds(x, column.name(), settings)?;
    // A number may lie beyond a threshold by digits that its double does not have.
    let (lowest, highest) = (column.limit_at(bottom), column.limit_at(top));
    // Looked at once: each record is asked for several times.
    let lies = |record: usize| {
        if column.compare(record, &lowest) == Some(Ordering::Less) {
            Ordering::Less
        } else if column.compare(record, &highest) == Some(Ordering::Greater) {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    };
    let lies: Vec<Ordering> = (0..x.len()).map(lies).collect();
    let is_low = |record: usize| lies[record] == Ordering::Less;
    let is_high = |record: usize| lies[record] == Ordering::Greater;
    let tail_value = |inside: &dyn Fn(usize) -> bool, threshold: f64| {
        let records = (0..x.len()).filter(|&record| inside(record));
        let tail: Vec<f64> = records.map(|record| x[record]).collect();
        if settings.replace == Replace::Threshold || tail.is_empty() {
            return threshold;
        }
        if tail.len() < FEW {
            context.note(tail_mean_of_few(column.name(), tail.len()));
        }
        mean(&tail)
    };
    let low = tail_value(&is_low, bottom);
    let high = tail_value(&is_high, top);
    note_coded(column, is_low, is_high, settings, context);
    let code = |record: usize| {
        if is_low(record) {
            low
        } else if is_high(record) {
            high
        } else {
            x[record]
        }
    };
    let coded = (0..x.len()).map(code).collect();
    Ok(column.with_numbers_where(coded, |record| is_low(record) || is_high(record)))
}

/// The line on which categories lie: that of numbers, or the calendar.
#[derive(Clone, Copy)]
struct Line(Option<DateFormat>);

impl Line {
    fn number(self, text: &str) -> Option<f64> {
        match self.0 {
            Some(format) => format.days(text),
            None => parse_label(text),
        }
    }

    /// To the last digit of a number.
    fn compare(self, text: &str, bound: f64) -> Option<Ordering> {
        match self.0 {
            Some(format) => Some(format.days(text)?.total_cmp(&bound)),
            None => cmp_label(text, bound),
        }
    }

    fn label(self, bound: f64) -> String {
        match self.0 {
            Some(format) => format.text(bound),
            None => number_text(bound),
        }
    }

    fn ordered(self, levels: &Levels) -> (Levels, Vec<u32>) {
        match self.0 {
            Some(format) => levels.ordered_by(|text| format.days(text).unwrap_or(f64::INFINITY)),
            None => levels.naturally_ordered(),
        }
    }
}

/// Ordered categories whose labels are numbers or dates: age in years, say.
fn code_categories(
    column: &Column,
    categories: &Categorical,
    settings: &Settings,
    context: &RunContext<'_>,
) -> Result<Column, MethodError> {
    if settings.replace == Replace::Mean {
        return Err(MethodError::data(
            column.name(),
            "the variable holds categories, and categories have no mean",
            "use replace = \"threshold\", or code the tails before the variable is recoded",
        ));
    }
    let line = Line(column.date_format());
    let numbers: Option<Vec<f64>> = categories
        .levels
        .iter()
        .map(|text| line.number(text))
        .collect();
    let numbers = numbers.ok_or_else(|| {
        MethodError::data(
            column.name(),
            "some categories are not numbers, so that no threshold applies",
            "use `recode` with a map",
        )
    })?;
    let value_of = |record: usize| {
        if column.is_missing(record) {
            f64::NAN
        } else {
            numbers[categories.codes.at(record) as usize]
        }
    };
    let values: Vec<f64> = (0..column.len()).map(value_of).collect();
    let (bottom, top) = thresholds(&values, column.name(), settings)?;
    let is_low = |text: &str| line.compare(text, bottom) == Some(Ordering::Less);
    let is_high = |text: &str| line.compare(text, top) == Some(Ordering::Greater);
    let shown = |record: usize| {
        let is_there = !column.is_missing(record);
        is_there.then(|| categories.levels.text(categories.codes.at(record)))
    };
    note_coded(
        column,
        |record| shown(record).is_some_and(is_low),
        |record| shown(record).is_some_and(is_high),
        settings,
        context,
    );
    let mut levels = Levels::default();
    let new_code: Vec<u32> = categories
        .levels
        .iter()
        .map(|text| {
            if is_low(text) {
                levels.insert(&line.label(bottom))
            } else if is_high(text) {
                levels.insert(&line.label(top))
            } else {
                levels.insert(text)
            }
        })
        .collect();
    let (levels, in_order) = line.ordered(&levels);
    let codes: Codes = (0..column.len())
        .map(|record| {
            let code = categories.codes.at(record) as usize;
            new_code.get(code).map_or(0, |&new| in_order[new as usize])
        })
        .collect();
    Ok(column.with_codes(codes, Arc::new(levels)))
}

fn note_coded(
    column: &Column,
    is_low: impl Fn(usize) -> bool,
    is_high: impl Fn(usize) -> bool,
    settings: &Settings,
    context: &RunContext<'_>,
) {
    let n_bottom = (0..column.len()).filter(|&record| is_low(record)).count();
    let n_top = (0..column.len()).filter(|&record| is_high(record)).count();
    context.note(tails_coded(column.name(), n_bottom, n_top));
    let tails = [
        ("below", settings.bottom, n_bottom),
        ("above", settings.top, n_top),
    ];
    if let Some(note) = tails_became(column, tails, settings.replace) {
        context.note(note);
    }
}

/// Tells the public what tails of ten records or more became. A threshold is named where the plan gives it: one
/// that was found in the data may be the value of a record.
fn tails_became(
    column: &Column,
    tails: [(&str, Tail, usize); 2],
    replace: Replace,
) -> Option<Note> {
    let told = tails.into_iter().filter(|(.., n)| !is_few(*n as u64));
    let told = told.map(|(side, tail, _)| match (tail, replace) {
        (_, Replace::Mean) => format!("values {side} a threshold became their mean"),
        (Tail::At(threshold), Replace::Threshold) => {
            let threshold = column.text_of_number(threshold);
            format!("values {side} {threshold} became {threshold}")
        }
        (Tail::Share(_) | Tail::None, Replace::Threshold) => {
            format!("values {side} a threshold became the threshold")
        }
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| {
        let text = format!("{}: {}", column.name(), told.join("; "));
        Note::new("tails-became", text)
            .with("variable", column.name())
            .public()
    })
}

/// Values beyond the thresholds were coded.
fn tails_coded(variable: &str, n_bottom: usize, n_top: usize) -> Note {
    let text = format!("{variable}: {n_bottom} values coded at the bottom, {n_top} at the top");
    Note::new("tails-coded", text)
        .with("variable", variable)
        .with("n_bottom", n_bottom)
        .with("n_top", n_top)
}

/// Values were replaced by the mean of so few that it nearly shows them.
fn tail_mean_of_few(variable: &str, n_records: usize) -> Note {
    let text = format!(
        "{variable}: the mean of a tail rests on {n_records} records only and nearly shows them"
    );
    Note::new("tail-mean-of-few", text)
        .with("variable", variable)
        .with("n_records", n_records)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::Mask;
    use bauta_data::column::NumberText;
    use bauta_data::{Role, Table, Unwatched};

    fn params(given: &[(&str, RawValue)]) -> Params {
        let given: Vec<(String, RawValue)> = given
            .iter()
            .map(|(name, raw)| ((*name).to_owned(), raw.clone()))
            .collect();
        Params::check(&CARD, &given).unwrap()
    }

    fn number(value: f64) -> RawValue {
        RawValue::Number(value)
    }

    fn mean() -> (&'static str, RawValue) {
        ("replace", RawValue::Text("mean".to_owned()))
    }

    #[test]
    fn the_public_is_told_of_tails_of_ten_and_of_thresholds_that_the_plan_gives() {
        let attribute = Arc::new(Attribute::new("age", Role::Key, Kind::Continuous));
        let age = Column::numeric(attribute, vec![1.0], None, NumberText::default());
        let tails = [("below", Tail::At(18.0), 9), ("above", Tail::At(65.0), 10)];
        let note = tails_became(&age, tails, Replace::Threshold).unwrap();
        assert_eq!(note.text, "age: values above 65 became 65");
        assert!(note.public);
        let tails = [("below", Tail::None, 0), ("above", Tail::Share(0.05), 10)];
        let note = tails_became(&age, tails, Replace::Threshold).unwrap();
        assert_eq!(
            note.text,
            "age: values above a threshold became the threshold"
        );
        let few = [("below", Tail::None, 0), ("above", Tail::At(65.0), 9)];
        assert!(tails_became(&age, few, Replace::Mean).is_none());
    }

    #[test]
    fn thresholds_that_contradict_each_other_are_refused() {
        let income = Attribute::new("income", Role::Sensitive, Kind::Continuous);
        let age = Attribute::new("age", Role::Key, Kind::Ordered);
        let found = |given: &[(&str, RawValue)], on: &Attribute| -> Vec<Option<String>> {
            let problems = Mask::check(&TopBottom, &params(given), &[on]);
            problems.into_iter().map(|problem| problem.param).collect()
        };
        assert_eq!(found(&[("top", number(5.0))], &income), []);
        assert_eq!(found(&[], &income), [None]);
        let both = [("top", number(5.0)), ("top_share", number(0.1))];
        assert_eq!(found(&both, &income), [Some("top_share".to_owned())]);
        let crossed = [("bottom", number(6.0)), ("top", number(5.0))];
        assert_eq!(found(&crossed, &income), [Some("bottom".to_owned())]);
        assert_eq!(
            found(&[("top", number(5.0)), mean()], &age),
            [Some("replace".to_owned())]
        );
    }

    #[test]
    fn a_mean_of_categories_is_refused_even_where_the_plan_could_not_know() {
        // The plan saw a continuous variable; an earlier step recoded it.
        let attribute = Arc::new(Attribute::new("income", Role::Sensitive, Kind::Continuous));
        let levels = Arc::new(Levels::from_texts(["1", "2", "9"]));
        let table = Table::new(
            vec![Column::categorical(attribute, vec![0, 1, 2], levels, None)],
            3,
        );
        let run = |given: &[(&str, RawValue)]| {
            let params = params(given);
            let task = MaskTask {
                table: &table,
                on: &[0],
            };
            let settings = TopBottom.settings(&params).unwrap();
            MaskMethod::mask(
                &TopBottom,
                &settings,
                &task,
                &RunContext::new(1, "step", &Unwatched),
            )
        };
        assert!(matches!(
            run(&[("top", number(5.0)), mean()]),
            Err(MethodError::Data { .. })
        ));
        assert!(run(&[("top", number(5.0))]).is_ok());
    }

    #[test]
    fn the_mean_of_a_tail_near_the_end_of_the_numbers_is_a_number() {
        let x = [1.0, 2.0, f64::MAX, f64::MAX, f64::MAX, f64::MAX];
        let attribute = Arc::new(Attribute::new("income", Role::Sensitive, Kind::Continuous));
        let column = Column::numeric(attribute, x.to_vec(), None, NumberText::default());
        let table = Table::new(vec![column], x.len());
        let task = MaskTask {
            table: &table,
            on: &[0],
        };
        let context = RunContext::new(1, "step", &Unwatched);
        let params = params(&[("top", number(10.0)), mean()]);
        let change = Mask::mask(&TopBottom, &params, &task, &context).unwrap();
        let masked = change.apply_to(&table);
        let z = masked.column(0).as_numeric().unwrap();
        assert_eq!(z[..2], x[..2]);
        assert!(z[2..].iter().all(|z| z.to_bits() == f64::MAX.to_bits()));
    }
}
