#![doc = include_str!("score.md")]

use bauta_data::Attribute;

use crate::card::{Card, Family, ParamSpec};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::loss::il::{self, NEAREST_UNLESS_TOLD};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement};
use crate::missing::Missing;
use crate::pair::records::{Correspondence, matched};
use crate::pair::statistics::{self, Correction, ZERO, Zero};
use crate::params::{ParamProblem, Params};
use crate::risk::dld::{self, KEYS, Links};
use crate::risk::interval_rank::{self, TIES, Ties};

/// Information loss weighed against disclosure risk. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Score;

const WEIGHT_IL: ParamSpec =
    ParamSpec::number("weight_il", "weight of the information loss IL", 0.0).or_number(0.5);
const WEIGHT_DLD: ParamSpec =
    ParamSpec::number("weight_dld", "weight of the linkage risk DLD", 0.0).or_number(0.25);
const WEIGHT_ID: ParamSpec =
    ParamSpec::number("weight_id", "weight of the interval risk ID", 0.0).or_number(0.25);

// Numbers, not percent: they are weighted and summed.
const IL: FigureSpec = FigureSpec::number("il", "information loss IL").lower_is_better();
const DLD: FigureSpec = FigureSpec::number("dld", "linkage risk DLD")
    .within(0.0, 1.0)
    .lower_is_better();
const ID: FigureSpec = FigureSpec::number("id", "interval risk ID")
    .within(0.0, 1.0)
    .lower_is_better();

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
        references: &["sebe2002"],
        ..MeasureCard::LOSS.card
    },
    at_identity: None,
    value: FigureSpec::value("score", Unit::Number).lower_is_better(),
    figures: &[IL, DLD, ID],
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
    /// Of IL, DLD and ID; not all 0.
    weights: [f64; 3],
}

impl MeasureMethod for Score {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        let keys = dld::keys_asked(params);
        let weights = [WEIGHT_IL, WEIGHT_DLD, WEIGHT_ID].map(|spec| params.number(spec.name));
        if weights.iter().sum::<f64>() <= 0.0 {
            let mut problems = keys.err().unwrap_or_default();
            problems.push(ParamProblem::together(
                "all weights are 0",
                "give a weight to what the score is to show",
            ));
            return Err(problems);
        }
        Ok(Settings {
            keys: keys?,
            correspondence: Correspondence::asked(params),
            ties: Ties::asked(params),
            zero: Zero::asked(params),
            weights,
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
        // One search for the nearest originals serves all three.
        let members = matched(settings.correspondence, task, context, |task| {
            let il = il::of_traced(&of_il, task, context)?;
            let dld = dld::linked(task, &links, context)?;
            let id = interval_rank::disclosed(settings.ties, missing, task, context)?;
            Ok([il, dld, id])
        })?;
        let weighted = settings.weights.iter().zip(&members);
        let mut found = Measurement {
            value: weighted
                .map(|(weight, member)| member.value.map(|value| weight * value))
                .sum(),
            ..Measurement::default()
        };
        for (figure, member) in [&IL, &DLD, &ID].into_iter().zip(members) {
            found.give(figure, member.value);
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::RawValue;

    #[test]
    fn weights_that_are_all_0_are_told_with_what_else_is_wrong() {
        let weights = ["weight_il", "weight_dld", "weight_id"];
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
