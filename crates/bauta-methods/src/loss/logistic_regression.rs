#![doc = include_str!("logistic_regression.md")]

mod fit;

use bauta_data::{Attribute, Kind, Role};

use crate::card::{Card, Family, ParamDefault, ParamSpec, ParamType, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::loss::logistic_regression::fit::fit_logistic;
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement};
use crate::models::design_matrix::{Model, REFERENCE};
use crate::models::interval_overlap::OVERLAP;
use crate::models::regression::{self, ERRORS, LEVEL, RESPONSE, Reads, TwoFits};
use crate::pair::categories::{FILES, MISSING_CATEGORY, TwoCategories};
use crate::pair::variables::TwoColumns;
use crate::params::{ParamProblem, Params, RawValue};

/// How far a logistic model of both files agrees. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct LogisticRegression;

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "logistic-regression",
        title: "Logistic regression",
        summary: "how far the confidence intervals of a weighted logistic model agree between the files",
        family: Family::Loss,
        page: include_str!("logistic_regression.md"),
        params: &[
            RESPONSE,
            ParamSpec {
                name: "event",
                meaning: "categories of the response that count as the event",
                ty: ParamType::Texts,
                default: ParamDefault::Unset(
                    "all but the one that most records of the original have",
                ),
            },
            REFERENCE,
            MISSING_CATEGORY,
            LEVEL,
            ERRORS,
            OVERLAP,
        ],
        targets: PREDICTORS,
        randomness: Randomness::None,
        references: &["bergeat2015", "karr2006", "binder1983", "albert1984"],
    },
    at_identity: Some(1.0),
    value: FigureSpec::value("mean interval overlap", Unit::Number)
        .within(f64::NEG_INFINITY, 1.0)
        .higher_is_better(),
    usual: false,
    looks_at_untouched: true,
    ..MeasureCard::LOSS
};

/// Variables that may explain another one: not those that say who a record is or what it weighs.
pub(crate) const PREDICTORS: Targets = Targets {
    kinds: &Kind::ALL,
    default_roles: &[Role::Key, Role::Sensitive, Role::Other],
    refused_roles: &[Role::Weight, Role::Household, Role::Identifier],
};

impl MeasureMethod for LogisticRegression {
    type Settings = Params;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![("response", RawValue::Text("illness".to_owned()))]
    }

    fn check(&self, params: &Params, _on: &[&Attribute]) -> Vec<ParamProblem> {
        regression::problems(params)
    }

    fn measure(
        &self,
        _settings: &Params,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let pair = task.both()?;
        context.progress(0, 2)?;
        let (response, predictors) = regression::variables(task)?;
        let response = TwoCategories::new(&TwoColumns::of(pair, response)?)?;
        let responses = events(&response, task.params.texts("event"))?;
        let model = Model::new(&pair, &predictors, responses, task.params, context)?;
        let original = fit_logistic(model.design(0)?, context)?;
        context.progress(1, 2)?;
        let masked = fit_logistic(model.design(1)?, context)?;
        let fits = [&original, &masked];
        let two = TwoFits::new(fits.map(|of| &of.fit), Reads::AsOddsRatios, task.params);
        let mut found = two.compared(&predictors);
        for (of, file) in fits.iter().zip(FILES) {
            found.push_part(format!("log-likelihood, {file}"), of.log_likelihood);
            found.push_part(format!("iterations, {file}"), of.n_iterations as f64);
        }
        Ok(found)
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
    Ok([0, 1].map(|file| response.codes[file].iter().map(event).collect()))
}
