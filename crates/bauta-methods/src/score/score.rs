#![doc = include_str!("score.md")]

use bauta_data::Attribute;

use crate::card::{
    Card, ConstValue, Family, ParamDefault, ParamSpec, ParamType, Randomness, Targets,
};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::loss::il::{self, Il, NEAREST_UNLESS_TOLD};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement};
use crate::pair::records::{Correspondence, matched};
use crate::pair::statistics::ZERO;
use crate::params::{ParamProblem, Params, RawValue};
use crate::risk::dld::{self, KEYS};
use crate::risk::interval_rank::{self, IntervalRank, TIES};

/// Information loss weighed against disclosure risk. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Score;

const fn weight(name: &'static str, meaning: &'static str, default: f64) -> ParamSpec {
    ParamSpec {
        name,
        meaning,
        ty: ParamType::Number {
            min: 0.0,
            max: f64::INFINITY,
        },
        default: ParamDefault::Value(ConstValue::Number(default)),
    }
}

const WEIGHT_IL: ParamSpec = weight("weight_il", "weight of the information loss IL", 0.5);
const WEIGHT_DLD: ParamSpec = weight("weight_dld", "weight of the linkage risk DLD", 0.25);
const WEIGHT_ID: ParamSpec = weight("weight_id", "weight of the interval risk ID", 0.25);

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "score",
        title: "Score of loss and risk",
        summary: "information loss IL, linkage DLD and interval disclosure ID, weighted and summed",
        family: Family::Score,
        page: include_str!("score.md"),
        params: &[
            KEYS,
            NEAREST_UNLESS_TOLD,
            TIES,
            ZERO,
            WEIGHT_IL,
            WEIGHT_DLD,
            WEIGHT_ID,
        ],
        targets: Targets::CONTENT,
        randomness: Randomness::None,
        references: &["sebe2002"],
    },
    at_identity: None,
    value: FigureSpec::value("score", Unit::Number).lower_is_better(),
    usual: false,
    ..MeasureCard::LOSS
};

impl MeasureMethod for Score {
    type Settings = Params;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn check(&self, params: &Params, on: &[&Attribute]) -> Vec<ParamProblem> {
        let mut problems = dld::key_problems(params, |name| {
            on.iter().any(|attribute| attribute.name == name)
        });
        let weights = [WEIGHT_IL, WEIGHT_DLD, WEIGHT_ID].map(|spec| params.number(spec.name));
        if weights.iter().sum::<f64>() <= 0.0 {
            problems.push(ParamProblem::together(
                "all weights are 0",
                "give a weight to what the score is to show",
            ));
        }
        problems
    }

    fn measure(
        &self,
        _settings: &Params,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let links = dld::prefix_links(task)?;
        let zero = member_params(&Il.card().card, task.params, "zero")?;
        let ties = member_params(&IntervalRank.card().card, task.params, "ties")?;
        // One search for the nearest originals serves all three.
        let members = matched(Correspondence::asked(task.params), task, context, |task| {
            let with = |params| MeasureTask { params, ..*task };
            let il = il::of_traced(&with(&zero), context)?;
            let dld = dld::linked(task, &links, context)?;
            let id = interval_rank::disclosed(&with(&ties), context)?;
            Ok([("il", il), ("dld", dld), ("id", id)])
        })?;
        let weights = [WEIGHT_IL, WEIGHT_DLD, WEIGHT_ID].map(|spec| task.params.number(spec.name));
        let weighted = weights.iter().zip(&members);
        let mut found = Measurement {
            value: weighted
                .map(|(weight, (_, member))| member.value.map(|value| weight * value))
                .sum(),
            ..Measurement::default()
        };
        for (name, member) in members {
            found.push_part(name, member.value);
        }
        Ok(found)
    }
}

/// A member's own defaults, with one parameter as the score has it.
fn member_params(card: &Card, params: &Params, name: &str) -> Result<Params, MethodError> {
    let value = RawValue::Text(params.choice(name).to_owned());
    Params::check(card, &[(name.to_owned(), value)]).map_err(|_| {
        MethodError::Internal(format!("`{}` does not take the score's `{name}`", card.id))
    })
}
