#![doc = include_str!("score.md")]

use bauta_data::Attribute;

use crate::card::{Card, ConstValue, Family, ParamDefault, ParamSpec};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::linkage::settings::{self as linkage, METRIC, TOLERANCE};
use crate::loss::il::{self, NEAREST_UNLESS_TOLD};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement};
use crate::missing::Missing;
use crate::pair::records::{Correspondence, matched};
use crate::pair::statistics::{self, Correction, ZERO, Zero};
use crate::params::{ParamProblem, Params};
use crate::risk::dld::{self, KEYS, Links};
use crate::risk::interval_rank::{self, TIES, Ties};
use crate::risk::pld;

/// Information loss weighed against disclosure risk. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Score;

const WEIGHT_IL: ParamSpec =
    ParamSpec::number("weight_il", "weight of the information loss IL", 0.0).or_number(0.5);
const WEIGHT_DLD: ParamSpec =
    ParamSpec::number("weight_dld", "weight of the linkage risk DLD", 0.0).or_number(0.25);
const WEIGHT_PLD: ParamSpec = ParamSpec::number(
    "weight_pld",
    "weight of the probabilistic linkage risk PLD, which is looked for only if it has one",
    0.0,
)
.or_number(0.0);
const WEIGHT_ID: ParamSpec =
    ParamSpec::number("weight_id", "weight of the interval risk ID", 0.0).or_number(0.25);

// Numbers, not percent: they are weighted and summed.
const IL: FigureSpec = FigureSpec::number("il", "information loss IL").lower_is_better();
const DLD: FigureSpec = FigureSpec::number("dld", "linkage risk DLD")
    .within(0.0, 1.0)
    .lower_is_better();
const PLD: FigureSpec = FigureSpec::number("pld", "probabilistic linkage risk PLD")
    .within(0.0, 1.0)
    .lower_is_better();
const ID: FigureSpec = FigureSpec::number("id", "interval risk ID")
    .within(0.0, 1.0)
    .lower_is_better();

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "score",
        title: "Score of loss and risk",
        summary: "information loss IL, linkage DLD and PLD, and interval disclosure ID, weighted and summed",
        family: Family::Score,
        page: include_str!("score.md"),
        params: &[
            KEYS,
            NEAREST_UNLESS_TOLD,
            TIES,
            ZERO,
            WEIGHT_IL,
            WEIGHT_DLD,
            WEIGHT_PLD,
            WEIGHT_ID,
            METRIC,
            TOLERANCE,
        ],
        references: &["sebe2002", "yancey2002"],
        ..MeasureCard::LOSS.card
    },
    at_identity: None,
    value: FigureSpec::value("score", Unit::Number).lower_is_better(),
    figures: &[IL, DLD, PLD, ID],
    usual: false,
    by_variable: false,
    ..MeasureCard::LOSS
};

/// What the members are told, and how they are weighed.
pub struct Settings {
    keys: Vec<String>,
    correspondence: Option<Correspondence>,
    ties: Ties,
    zero: Zero,
    /// Of IL, DLD, PLD and ID; not all 0.
    weights: [f64; 4],
    /// How PLD links; none where it has no weight.
    linkage: Option<linkage::Settings>,
}

impl MeasureMethod for Score {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        let keys = dld::keys_asked(params);
        let linkage = linkage::Settings::asked_in_part(params);
        let weights = [WEIGHT_IL, WEIGHT_DLD, WEIGHT_PLD, WEIGHT_ID];
        let weights = weights.map(|spec| params.number(spec.name));
        if weights.iter().sum::<f64>() <= 0.0 {
            let mut problems = keys.err().unwrap_or_default();
            problems.push(ParamProblem::together(
                "all weights are 0",
                "give a weight to what the score is to show",
            ));
            return Err(problems);
        }
        let without_pld = params.number(WEIGHT_PLD.name) <= 0.0;
        if without_pld && (params.is_set(METRIC.name) || !is_usual_tolerance(params)) {
            let mut problems = keys.err().unwrap_or_default();
            problems.push(ParamProblem::together(
                "`metric` and `tolerance` have no effect without a weight of PLD",
                "leave them out, or give `weight_pld`",
            ));
            return Err(problems);
        }
        Ok(Settings {
            keys: keys?,
            correspondence: Correspondence::asked(params),
            ties: Ties::asked(params),
            zero: Zero::asked(params),
            weights,
            linkage: Some(linkage?).filter(|_| !without_pld),
        })
    }

    fn check(&self, settings: &Settings, on: &[&Attribute]) -> Vec<ParamProblem> {
        dld::keys_not_measured(&settings.keys, |key| on.iter().any(|on| on.name == key))
    }

    fn measure(
        &self,
        settings: &Settings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let links = dld::links(Links::Prefixes, &settings.keys, task)?;
        // Linkage refuses missing values, and so must the others, to be of the same records.
        let missing = Missing::Refuse;
        let of_il = statistics::Settings {
            missing,
            zero: settings.zero,
            correction: Correction::None,
        };
        // One search for the nearest originals serves all of them.
        let members = matched(settings.correspondence, task, context, |task| {
            let il = il::of_traced(&of_il, task, context)?;
            let dld = dld::linked(task, &links, context)?;
            let of_pld = settings.linkage.as_ref();
            let of_pld = of_pld.map(|linkage| pld::linked(task, &links, linkage, context));
            let pld = of_pld.transpose()?;
            let id = interval_rank::disclosed(settings.ties, missing, task, context)?;
            Ok([Some(il), Some(dld), pld, Some(id)])
        })?;
        // What was not looked for has no weight, and adds nothing.
        let weighted = settings.weights.iter().zip(&members);
        let weighted = weighted.filter_map(|(weight, member)| Some((weight, member.as_ref()?)));
        let mut found = Measurement {
            value: weighted
                .map(|(weight, member)| member.value.map(|value| weight * value))
                .sum(),
            ..Measurement::default()
        };
        for (figure, member) in [&IL, &DLD, &PLD, &ID].into_iter().zip(members) {
            found.give(figure, member.and_then(|member| member.value));
        }
        Ok(found)
    }
}

fn is_usual_tolerance(params: &Params) -> bool {
    let asked = ConstValue::Number(params.number(TOLERANCE.name));
    TOLERANCE.default == ParamDefault::Value(asked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::RawValue;

    #[test]
    fn weights_that_are_all_0_are_told_with_what_else_is_wrong() {
        let weights = ["weight_il", "weight_dld", "weight_pld", "weight_id"];
        let mut given: Vec<(String, RawValue)> = weights
            .map(|name| (name.to_owned(), RawValue::Number(0.0)))
            .to_vec();
        let keys = ["x", "x"].map(|key| RawValue::Text(key.to_owned()));
        given.push(("keys".to_owned(), RawValue::List(keys.to_vec())));
        let params = Params::check(&CARD.card, &given).expect("each alone is allowed");
        let problems = Score.settings(&params).err().unwrap_or_default();
        let told: Vec<&str> = problems.iter().map(|one| one.message.as_str()).collect();
        assert_eq!(told, ["`keys` names `x` twice", "all weights are 0"]);
        given[1].1 = RawValue::Number(0.1);
        given.pop();
        let params = Params::check(&CARD.card, &given).expect("each alone is allowed");
        assert!(Score.settings(&params).is_ok());
    }
}
