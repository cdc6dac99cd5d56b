//! Means, variances and covariances of the same variables in two files, and how far they changed:
//! what the losses of statistics have in common.

use crate::card::ParamSpec;
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::FigureSpec;
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Part};
use crate::missing::{MISSING, Missing};
use crate::params::{ParamProblem, Params, choices};

mod changes;
mod samples;

pub use changes::Changes;
pub use samples::{Both, Samples};

choices! {
    /// What to do with a statistic whose change cannot be stated.
    pub enum Zero {
        Refuse = "refuse": "stop with an error that names the statistic",
        Exclude = "exclude": "leave it out and say which",
    }
}

/// What to do with a statistic whose change cannot be stated.
pub const ZERO: ParamSpec = ParamSpec::choice::<Zero>(
    "zero",
    "what to do with a statistic that is 0 in the original, or a correlation that is not defined",
)
.or_word("refuse");

impl Zero {
    /// What was asked for by [`ZERO`].
    pub fn asked(params: &Params) -> Self {
        params.choice_of(ZERO.name)
    }
}

choices! {
    /// Whether noise is taken out of the masked file's statistics, and which.
    enum NoiseTaken {
        None = "none": "the statistics as they are",
        Noise = "noise": "the masked file is the original plus noise with `level` times its covariances",
        ScaledNoise = "scaled-noise": "the same, scaled back to the covariances of the original",
    }
}

/// Whether noise of known covariance is taken out of the masked file's statistics.
pub const CORRECTION: ParamSpec = ParamSpec::choice::<NoiseTaken>(
    "correction",
    "whether the noise is taken out of the masked file's statistics (Kim)",
)
.or_word("none");

/// How much noise the correction takes out.
pub const LEVEL: ParamSpec = ParamSpec::number(
    "level",
    "d: covariances of the noise as a multiple of those of the original file",
    0.0,
)
.unset("no noise is taken out");

/// The parameters of a loss of statistics.
pub const PARAMS: [ParamSpec; 4] = [MISSING, ZERO, CORRECTION, LEVEL];

/// The noise that is taken out of the masked file's statistics (Kim 1990).
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Correction {
    /// None.
    None,
    /// Z = X + noise, Cov(noise) = d Cov(X).
    Noise(f64),
    /// Z as above, then z / √(1 + d) + (1 - 1/√(1 + d)) μ.
    ScaledNoise(f64),
}

impl Correction {
    /// What was asked for by [`PARAMS`]; a correction and its level need each other.
    fn asked(params: &Params) -> Result<Self, Vec<ParamProblem>> {
        let d = params.number_if_set(LEVEL.name);
        let problem = match (params.choice_of(CORRECTION.name), d) {
            (NoiseTaken::None, None) => return Ok(Self::None),
            (NoiseTaken::Noise, Some(d)) => return Ok(Self::Noise(d)),
            (NoiseTaken::ScaledNoise, Some(d)) => return Ok(Self::ScaledNoise(d)),
            (NoiseTaken::Noise | NoiseTaken::ScaledNoise, None) => ParamProblem::of(
                CORRECTION.name,
                "the correction needs the `level` of the noise",
                "add `level = …`, the d that the file was masked with",
            ),
            (NoiseTaken::None, Some(_)) => ParamProblem::of(
                LEVEL.name,
                "`level` has no effect without a correction",
                "add `correction = \"noise\"`, or leave `level` out",
            ),
        };
        Err(vec![problem])
    }
}

/// How statistics of two files are compared.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// What to do with missing values.
    pub missing: Missing,
    /// What to do with a statistic whose change cannot be stated.
    pub zero: Zero,
    /// The noise that is taken out.
    pub correction: Correction,
}

impl Settings {
    /// What was asked for by [`PARAMS`].
    pub fn asked(params: &Params) -> Result<Self, Vec<ParamProblem>> {
        Ok(Self {
            missing: Missing::asked(params),
            zero: Zero::asked(params),
            correction: Correction::asked(params)?,
        })
    }
}

/// A loss of means, variances or covariances: a card with [`PARAMS`] and a formula. It is a measure
/// of its own, and a member of the losses that put several together.
pub trait LossOfStatistics: Sync {
    /// What it says of itself.
    fn card(&self) -> &'static MeasureCard;

    /// The loss of two files.
    fn loss(
        &self,
        samples: &Samples<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError>;
}

impl<L: LossOfStatistics> MeasureMethod for L {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        LossOfStatistics::card(self)
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Settings::asked(params)
    }

    fn measure(
        &self,
        settings: &Settings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        self.loss(&Samples::of(settings, task, context)?, context)
    }
}

/// The figure of a loss in one that puts several together.
pub const fn member(card: &MeasureCard) -> FigureSpec {
    FigureSpec {
        id: card.card.id,
        label: card.card.title,
        ..card.value
    }
}

/// A loss that was found, and the card of its measure.
pub type Member = (&'static MeasureCard, Measurement);

/// Several losses of the same files. Those of one variable need no covariances, but one of these
/// does, and so they are found once for all.
pub fn members(
    losses: &[&dyn LossOfStatistics],
    samples: &Samples<'_>,
    context: &RunContext<'_>,
) -> Result<Vec<Member>, MethodError> {
    samples.covariances(context)?;
    let losses = losses.iter();
    losses
        .map(|loss| Ok((loss.card(), loss.loss(samples, context)?)))
        .collect()
}

/// The mean of several losses, which become its figures, and the same by variable; no value where
/// one of them has none.
pub fn mean_of_members(names: &[String], members: &[Member]) -> Measurement {
    let mean = |figure: &dyn Fn(&Measurement) -> Option<f64>| {
        let figures: Option<Vec<f64>> = members.iter().map(|(_, loss)| figure(loss)).collect();
        figures.and_then(|figures| changes::mean_of(&figures))
    };
    let by_variable = names.iter().enumerate().map(|(j, name)| {
        let of_variable = |loss: &Measurement| loss.by_variable.get(j).and_then(|part| part.value);
        Part::new(name, mean(&of_variable))
    });
    let mut found = Measurement {
        value: mean(&|loss| loss.value),
        by_variable: by_variable.collect(),
        ..Measurement::default()
    };
    for (card, loss) in members {
        found.give(&member(card), loss.value);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::Card;
    use crate::params::RawValue;

    static CARD: Card = Card {
        id: "loss",
        params: &PARAMS,
        ..Card::PLAIN
    };

    /// The correction that is read, or the parameter that is wrong.
    fn read(given: &[(&str, RawValue)]) -> Result<Correction, Option<String>> {
        let given = given
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()));
        let given: Vec<(String, RawValue)> = given.collect();
        let params = Params::check(&CARD, &given).expect("each alone is allowed");
        let settings = Settings::asked(&params);
        settings
            .map(|settings| settings.correction)
            .map_err(|problems| problems[0].param.clone())
    }

    #[test]
    fn a_correction_and_its_level_need_each_other() {
        let correction = |word: &str| ("correction", RawValue::Text(word.to_owned()));
        let level = ("level", RawValue::Number(0.5));
        let of = |name: &str| Err(Some(name.to_owned()));
        assert_eq!(read(&[]), Ok(Correction::None));
        assert_eq!(read(&[correction("noise")]), of("correction"));
        assert_eq!(read(&[correction("scaled-noise")]), of("correction"));
        assert_eq!(read(std::slice::from_ref(&level)), of("level"));
        assert_eq!(read(&[correction("none"), level.clone()]), of("level"));
        assert_eq!(
            read(&[correction("noise"), level.clone()]),
            Ok(Correction::Noise(0.5))
        );
        assert_eq!(
            read(&[correction("scaled-noise"), level]),
            Ok(Correction::ScaledNoise(0.5))
        );
    }
}
