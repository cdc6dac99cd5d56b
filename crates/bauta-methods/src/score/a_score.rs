#![doc = include_str!("a_score.md")]

use bauta_data::Attribute;

use crate::card::{Card, ConstValue, Family, ParamDefault, ParamSpec};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::facts::{ColumnsOfBoth, Reidentified, right_of};
use crate::figure::{FigureSpec, Unit};
use crate::linkage::settings::{self as linkage, CUT, M, METRIC, PARAMETERS, TOLERANCE, U};
use crate::loss::s0::{self, S0};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Subject, UnaskedLimit};
use crate::missing::MISSING;
use crate::pair::Rows;
use crate::pair::statistics::{self, CORRECTION, LEVEL, ZERO, member};
use crate::params::{ParamProblem, Params, choices};
use crate::risk::dld::{self, Links};
use crate::risk::pld;

/// Mean of s0 and of the share re-identified. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct AScore;

choices! {
    /// Which right links count.
    pub enum Reid {
        Total = "total": "all of them",
        Zone = "zone": "those in the upper part of the list of links, down to `cut`",
    }
}

const REID: ParamSpec = ParamSpec::choice::<Reid>(
    "reid",
    "which right links count as re-identified: all, or those that stand out in the list",
)
.or_word("total");

/// The parameters: those of the loss, then how records are linked.
const PARAMS: [ParamSpec; 11] = [
    MISSING, ZERO, CORRECTION, LEVEL, METRIC, TOLERANCE, PARAMETERS, M, U, REID, CUT,
];

// A number, not percent: it is averaged with a loss.
pub(crate) const SHARE: FigureSpec = FigureSpec::number("reid", "share re-identified")
    .within(0.0, 1.0)
    .lower_is_better();

/// What holds for each of Yancey's scores, which differ in the loss.
pub(crate) const SCORE: MeasureCard = MeasureCard {
    card: Card {
        family: Family::Score,
        params: &PARAMS,
        references: &["yancey2002"],
        ..MeasureCard::LOSS.card
    },
    subject: Subject::CorrespondingPair,
    at_identity: None,
    value: FigureSpec::value("score", Unit::Number).lower_is_better(),
    usual: false,
    unasked: Some(UnaskedLimit {
        n_records: pld::UNASKED_UP_TO,
        not_asked_by: &[MISSING.name, ZERO.name, CORRECTION.name, LEVEL.name],
        ask: "--set reid=total",
    }),
    by_variable: false,
    ..MeasureCard::LOSS
};

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "a-score",
        title: "Score of s0 and re-identification (Ascore)",
        summary: "mean of the loss s0 (means, variances, covariances and correlations) and of the share re-identified",
        page: include_str!("a_score.md"),
        ..SCORE.card
    },
    figures: &[member(&s0::CARD), SHARE],
    ..SCORE
};

/// How the loss is found, and how records are linked.
pub struct Settings {
    pub(crate) statistics: statistics::Settings,
    linkage: linkage::Settings,
    reid: Reid,
}

impl Settings {
    pub(crate) fn asked(params: &Params) -> Result<Self, Vec<ParamProblem>> {
        let statistics = statistics::Settings::asked(params);
        let linkage = linkage::Settings::asked_in_part(params);
        let reid: Reid = params.choice_of(REID.name);
        let cut = ParamDefault::Value(ConstValue::Number(params.number(CUT.name)));
        let idle = (reid == Reid::Total && cut != CUT.default).then(|| {
            ParamProblem::of(
                CUT.name,
                "`cut` has no effect where all right links count",
                "leave it out, or set reid = \"zone\"",
            )
        });
        match (statistics, linkage) {
            (Ok(statistics), Ok(linkage)) if idle.is_none() => Ok(Self {
                statistics,
                linkage,
                reid,
            }),
            (statistics, linkage) => {
                let mut problems = statistics.err().unwrap_or_default();
                problems.extend(linkage.err().unwrap_or_default());
                problems.extend(idle);
                Err(problems)
            }
        }
    }

    pub(crate) fn check(&self, on: &[&Attribute]) -> Vec<ParamProblem> {
        self.linkage.check(on)
    }
}

impl MeasureMethod for AScore {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Settings::asked(params)
    }

    fn check(&self, settings: &Settings, on: &[&Attribute]) -> Vec<ParamProblem> {
        settings.check(on)
    }

    fn measure(
        &self,
        settings: &Settings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let loss = S0.measure(&settings.statistics, task, context)?;
        scored(&s0::CARD, &loss, settings, task, context)
    }
}

/// The mean of a loss and of the share of masked records that linkage by all variables re-identifies.
pub(crate) fn scored(
    of_loss: &MeasureCard,
    loss: &Measurement,
    settings: &Settings,
    task: &MeasureTask<'_>,
    context: &RunContext<'_>,
) -> Result<Measurement, MethodError> {
    let reidentified = reidentified(&settings.linkage, task, context)?;
    let reid = match settings.reid {
        Reid::Total => reidentified.total,
        Reid::Zone => reidentified.zone,
    };
    let mut found = Measurement {
        value: loss
            .value
            .zip(reid)
            .map(|(loss, reid)| f64::midpoint(loss, reid)),
        ..Measurement::default()
    };
    found.give(&member(of_loss), loss.value);
    found.give(&SHARE, reid);
    Ok(found)
}

/// What linkage by all variables re-identifies; the scores of one run, which differ in the loss, link once.
fn reidentified(
    by: &linkage::Settings,
    task: &MeasureTask<'_>,
    context: &RunContext<'_>,
) -> Result<Reidentified, MethodError> {
    let pair = task.both()?;
    // Blocks would be made of columns that the facts are not kept by.
    let facts = context.facts().filter(|_| by.block.is_empty());
    let columns = ColumnsOfBoth::of(&pair, task.on).filter(|_| pair.rows == Rows::Correspond);
    let kept = facts.zip(columns);
    let right = right_of(&pair);
    let fits = |known: &Reidentified| known.by == *by && known.right == right;
    if let Some(known) = (kept.as_ref()).and_then(|(facts, of)| facts.reidentified.known(of, fits))
    {
        known
            .notes
            .iter()
            .cloned()
            .for_each(|note| context.note(note));
        return Ok(known);
    }
    let links = dld::links(Links::All, &[], task)?;
    let quiet = RunContext::new(0, "linkage", context.watch());
    let linked = pld::linked(task, &links, by, &quiet);
    let notes = quiet.into_notes();
    notes.iter().cloned().for_each(|note| context.note(note));
    let linked = linked?;
    let found = Reidentified {
        by: by.clone(),
        right,
        total: linked.value,
        zone: linked.part(pld::ZONE.id),
        notes,
    };
    if let Some((facts, columns)) = kept {
        facts.reidentified.keep(columns, found.clone());
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::RawValue;

    #[test]
    fn what_is_wrong_with_loss_and_linkage_is_told_together() {
        let given = [
            ("level".to_owned(), RawValue::Number(0.5)),
            ("parameters".to_owned(), RawValue::Text("given".to_owned())),
        ];
        let params = Params::check(&CARD.card, &given).expect("each alone is allowed");
        let problems = AScore.settings(&params).err().unwrap_or_default();
        let told: Vec<&str> = problems.iter().map(|one| one.message.as_str()).collect();
        assert_eq!(
            told,
            [
                "`level` has no effect without a correction",
                "parameters = \"given\" needs `m` and `u`"
            ]
        );
    }

    #[test]
    fn linkage_is_at_the_defaults_of_its_own_parameters() {
        static LINKAGE: Card = Card {
            id: "linkage",
            params: &linkage::PARAMS,
            ..Card::PLAIN
        };
        let all = Params::check(&LINKAGE, &[]).expect("every parameter has a default");
        let own = Params::check(&CARD.card, &[]).expect("every parameter has a default");
        let settings = Settings::asked(&own).ok().map(|settings| settings.linkage);
        assert_eq!(settings, linkage::Settings::asked(&all).ok());
    }
}
