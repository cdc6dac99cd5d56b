#![doc = include_str!("top_bottom.md")]

use std::sync::Arc;

use bauta_data::number::{number_text, parse_label};
use bauta_data::{Attribute, Categorical, Column, Kind, Levels, Role, Values};

use crate::card::{
    Card, ConstValue, Family, ParamDefault, ParamSpec, ParamType, Randomness, Targets,
};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::numbers::quantile::{quantile_of_sorted, sorted_present};
use crate::kernel::numbers::sums::compensated;
use crate::mask::{Change, MaskMethod, MaskTask};
use crate::note::KnownNote;
use crate::params::{ParamProblem, Params, RawValue};

/// Codes the values in the tails. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct TopBottom;

/// From the mean of two records each finds the other's value; of three, only their sum.
const FEW: usize = 3;

const fn threshold(name: &'static str, meaning: &'static str) -> ParamSpec {
    ParamSpec {
        name,
        meaning,
        ty: ParamType::Number {
            min: f64::NEG_INFINITY,
            max: f64::INFINITY,
        },
        default: ParamDefault::Unset("that tail is not coded by value"),
    }
}

const fn share(name: &'static str, meaning: &'static str) -> ParamSpec {
    ParamSpec {
        name,
        meaning,
        ty: ParamType::Fraction { min: 0.0, max: 0.5 },
        default: ParamDefault::Unset("that tail is not coded by share"),
    }
}

static CARD: Card = Card {
    id: "top-bottom",
    title: "Top and bottom coding",
    summary: "replaces the values beyond a threshold by the threshold or by their mean",
    family: Family::Mask,
    page: include_str!("top_bottom.md"),
    params: &[
        threshold("bottom", "values below this are coded"),
        threshold("top", "values above this are coded"),
        share(
            "bottom_share",
            "values below the quantile of this share are coded",
        ),
        share(
            "top_share",
            "values above the quantile of one minus this share are coded",
        ),
        ParamSpec {
            name: "replace",
            meaning: "what the coded values become",
            ty: ParamType::Choice(&[
                ("threshold", "the threshold"),
                (
                    "mean",
                    "the mean of the values coded in that tail, so that totals are kept",
                ),
            ]),
            default: ParamDefault::Value(ConstValue::Text("threshold")),
        },
    ],
    targets: Targets {
        kinds: &[Kind::Continuous, Kind::Ordered],
        default_roles: &[],
        refused_roles: &[Role::Weight, Role::Household, Role::Identifier],
    },
    randomness: Randomness::None,
    references: &["hundepool2012"],
};

impl MaskMethod for TopBottom {
    type Settings = Params;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn check(&self, params: &Params, on: &[&Attribute]) -> Vec<ParamProblem> {
        let mut problems = Vec::new();
        for (value, share) in [("bottom", "bottom_share"), ("top", "top_share")] {
            if params.is_set(value) && params.is_set(share) {
                problems.push(ParamProblem::of(
                    share,
                    format!("`{value}` and `{share}` both set the same threshold"),
                    "keep one of them",
                ));
            }
        }
        if !CARD.params[..4].iter().any(|spec| params.is_set(spec.name)) {
            problems.push(ParamProblem::together(
                "`top-bottom` has no threshold",
                "give at least one of bottom, top, bottom_share, top_share",
            ));
        }
        if let (Some(bottom), Some(top)) =
            (params.number_if_set("bottom"), params.number_if_set("top"))
            && bottom >= top
        {
            problems.push(ParamProblem::of(
                "bottom",
                "`bottom` must be below `top`",
                "exchange them",
            ));
        }
        if params.choice("replace") == "mean"
            && let Some(ordered) = on.iter().find(|attribute| attribute.kind == Kind::Ordered)
        {
            problems.push(ParamProblem::of(
                "replace",
                format!("`{}` is ordered, and categories have no mean", ordered.name),
                "use replace = \"threshold\", or give it the kind continuous",
            ));
        }
        problems
    }

    fn mask(
        &self,
        _settings: &Params,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        let mut columns = Vec::new();
        for &attr_idx in task.on {
            context.go_on()?;
            let column = task.table.column(attr_idx);
            let coded = match column.values() {
                Values::Numeric(values) => code_numbers(column, values, task.params, context)?,
                Values::Categorical(categories) => {
                    code_categories(column, categories, task.params, context)?
                }
            };
            columns.push((attr_idx, coded));
        }
        Ok(Change::of_columns(columns))
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
fn thresholds(values: &[f64], name: &str, params: &Params) -> Result<(f64, f64), MethodError> {
    let sorted = sorted_present(values);
    let quantile = |p: f64| (!sorted.is_empty()).then(|| quantile_of_sorted(&sorted, p));
    let by_share =
        |share: &str, p: fn(f64) -> f64| params.number_if_set(share).and_then(|s| quantile(p(s)));
    let bottom = params
        .number_if_set("bottom")
        .or_else(|| by_share("bottom_share", |s| s));
    let top = params
        .number_if_set("top")
        .or_else(|| by_share("top_share", |s| 1.0 - s));
    let (bottom, top) = (
        bottom.unwrap_or(f64::NEG_INFINITY),
        top.unwrap_or(f64::INFINITY),
    );
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
    params: &Params,
    context: &RunContext<'_>,
) -> Result<Column, MethodError> {
    let (bottom, top) = thresholds(x, column.name(), params)?;
    let mean = params.choice("replace") == "mean";
    let tail_value = |inside: &dyn Fn(f64) -> bool, threshold: f64| {
        let tail: Vec<f64> = x.iter().copied().filter(|&value| inside(value)).collect();
        if !mean || tail.is_empty() {
            return threshold;
        }
        if tail.len() < FEW {
            context.note(KnownNote::TailMeanOfFew {
                variable: column.name().to_owned(),
                n_records: tail.len(),
            });
        }
        compensated(tail.iter().copied()) / tail.len() as f64
    };
    let low = tail_value(&|value| value < bottom, bottom);
    let high = tail_value(&|value| value > top, top);
    note_coded(column, x.iter().copied(), (bottom, top), context);
    let code = |&value: &f64| {
        if value < bottom {
            low
        } else if value > top {
            high
        } else {
            value
        }
    };
    Ok(column.with_numbers(x.iter().map(code).collect()))
}

/// Ordered categories whose labels are numbers: age in years, say.
fn code_categories(
    column: &Column,
    categories: &Categorical,
    params: &Params,
    context: &RunContext<'_>,
) -> Result<Column, MethodError> {
    if params.choice("replace") == "mean" {
        return Err(MethodError::data(
            column.name(),
            "the variable holds categories, and categories have no mean",
            "use replace = \"threshold\", or code the tails before the variable is recoded",
        ));
    }
    let numbers: Option<Vec<f64>> = categories.levels.iter().map(parse_label).collect();
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
            numbers[categories.codes[record] as usize]
        }
    };
    let values: Vec<f64> = (0..column.len()).map(value_of).collect();
    let (bottom, top) = thresholds(&values, column.name(), params)?;
    note_coded(column, values.iter().copied(), (bottom, top), context);
    let mut levels = Levels::default();
    let new_code: Vec<u32> = numbers
        .iter()
        .zip(categories.levels.iter())
        .map(|(&number, text)| {
            let coded = number.clamp(bottom, top);
            if coded.to_bits() == number.to_bits() {
                levels.insert(text)
            } else {
                levels.insert(&number_text(coded))
            }
        })
        .collect();
    let (levels, in_order) = levels.naturally_ordered();
    let codes = (0..column.len())
        .map(|record| {
            let code = categories.codes[record] as usize;
            new_code.get(code).map_or(0, |&new| in_order[new as usize])
        })
        .collect();
    Ok(column.with_codes(codes, Arc::new(levels)))
}

fn note_coded(
    column: &Column,
    values: impl Iterator<Item = f64> + Clone,
    (bottom, top): (f64, f64),
    context: &RunContext<'_>,
) {
    context.note(KnownNote::TailsCoded {
        variable: column.name().to_owned(),
        n_bottom: values.clone().filter(|&value| value < bottom).count(),
        n_top: values.filter(|&value| value > top).count(),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use bauta_data::{Table, Unwatched};

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
    fn thresholds_that_contradict_each_other_are_refused() {
        let income = Attribute::new("income", Role::Sensitive, Kind::Continuous);
        let age = Attribute::new("age", Role::Key, Kind::Ordered);
        let found = |given: &[(&str, RawValue)], on: &Attribute| -> Vec<Option<String>> {
            let problems = TopBottom.check(&params(given), &[on]);
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
                params: &params,
            };
            TopBottom.mask(task.params, &task, &RunContext::new(1, "step", &Unwatched))
        };
        assert!(matches!(
            run(&[("top", number(5.0)), mean()]),
            Err(MethodError::Data { .. })
        ));
        assert!(run(&[("top", number(5.0))]).is_ok());
    }
}
