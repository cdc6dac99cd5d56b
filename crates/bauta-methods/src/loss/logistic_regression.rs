#![doc = include_str!("logistic_regression.md")]

mod fit;

use crate::card::{Card, ParamSpec, ParamType};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::few_records::MIN_RECORDS;
use crate::figure::{FigureSpec, Side};
use crate::loss::logistic_regression::fit::fit_logistic;
use crate::measure::{CategoriesIn, MeasureCard, MeasureMethod, MeasureTask, Measurement};
use crate::models::design_matrix::REFERENCE;
use crate::models::interval_overlap::OVERLAP;
use crate::models::regression::{
    COMPARED, ERRORS, LEVEL, ModelSettings, OVERLAP_OF_LOG_ODDS, OVERLAP_OF_ODDS_RATIOS, RECORDS,
    REGRESSION, RESPONSE, Reads, TwoFits, UNMATCHED,
};
use crate::pair::categories::{MISSING_CATEGORY, TwoCategories};
use crate::params::{ParamProblem, Params, RawValue};

/// How far a logistic model of both files agrees. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct LogisticRegression;

const EVENT: ParamSpec = ParamSpec::new(
    "event",
    "categories of the response that count as the event",
    ParamType::Texts,
)
.unset("all but the one that most records of the original have");

const LOG_LIKELIHOOD: FigureSpec = FigureSpec::number("log-likelihood", "log-likelihood")
    .within(f64::NEG_INFINITY, 0.0)
    .per_side();
const ITERATIONS: FigureSpec = FigureSpec::count("iterations", "iterations of the fit").per_side();

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "logistic-regression",
        title: "Logistic regression",
        summary: "how far the confidence intervals of a weighted logistic model agree between the files",
        page: include_str!("logistic_regression.md"),
        params: &[
            RESPONSE,
            EVENT,
            REFERENCE,
            MISSING_CATEGORY,
            LEVEL,
            ERRORS,
            OVERLAP,
            MIN_RECORDS,
        ],
        references: &["bergeat2015", "karr2006", "binder1983", "albert1984"],
        ..REGRESSION.card
    },
    figures: &[
        OVERLAP_OF_ODDS_RATIOS,
        OVERLAP_OF_LOG_ODDS,
        COMPARED,
        UNMATCHED,
        RECORDS,
        LOG_LIKELIHOOD,
        ITERATIONS,
    ],
    // An answer of 0 and 1 is no number; an income is, and no event.
    categories_in: &[CategoriesIn {
        param: RESPONSE.name,
        most_numbers: 2,
    }],
    ..REGRESSION
};

/// The model, and what of its response is the event.
pub struct Settings {
    model: ModelSettings,
    /// Categories of the response; none are all but the most frequent one.
    event: Vec<String>,
}

impl MeasureMethod for LogisticRegression {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Ok(Settings {
            model: ModelSettings::read(params)?,
            event: params.texts(EVENT.name).to_vec(),
        })
    }

    fn measure(
        &self,
        settings: &Settings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let (pair, of_model) = (task.both()?, &settings.model);
        context.progress(0, 2)?;
        let predictors = of_model.predictors(task.on);
        let response = TwoCategories::of(pair, &of_model.response)?;
        let responses = events(&response, &settings.event)?;
        let model = of_model.model(&pair, &predictors, responses, context)?;
        let original = fit_logistic(model.design_of_events(Side::Original)?, context)?;
        context.progress(1, 2)?;
        let masked = fit_logistic(model.design_of_events(Side::Masked)?, context)?;
        let fits = [&original, &masked];
        let two = TwoFits::new(fits.map(|of| &of.fit), Reads::AsOddsRatios, of_model);
        let mut found = two.compared(&predictors);
        for (of, file) in fits.iter().zip(Side::BOTH) {
            found.give(LOG_LIKELIHOOD.of_side(file), of.log_likelihood);
            found.give(ITERATIONS.of_side(file), of.n_iterations as f64);
        }
        Ok(found)
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![("response", RawValue::Text("illness".to_owned()))]
    }
}

/// Whether each record of each file has the event: 1 or 0, NaN where nobody knows.
fn events(response: &TwoCategories, named: &[String]) -> Result<[Vec<f64>; 2], MethodError> {
    let mut is_event = vec![named.is_empty(); response.n_codes()];
    let mut counts = vec![0_usize; response.n_codes()];
    for &code in &response.codes[0] {
        counts[code as usize] += 1;
    }
    counts[response.missing() as usize] = 0;
    if named.is_empty() {
        let most = counts.iter().max().copied().unwrap_or(0);
        // The first of several that are equally frequent.
        if let Some(frequent) = counts.iter().position(|&count| count == most) {
            is_event[frequent] = false;
        }
    }
    for text in named {
        let code = response
            .code(text)
            .filter(|&code| counts[code as usize] > 0);
        let code = code.ok_or_else(|| {
            MethodError::request(
                format!(
                    "`event` names `{text}`, which no record of the original has in `{}`",
                    response.name
                ),
                "name categories that occur",
            )
        })?;
        is_event[code as usize] = true;
    }
    let event = |&code: &u32| {
        if code == response.missing() {
            f64::NAN
        } else {
            f64::from(u8::from(is_event[code as usize]))
        }
    };
    let codes = response.codes.each_ref();
    Ok(codes.map(|codes| codes.iter().map(event).collect()))
}
