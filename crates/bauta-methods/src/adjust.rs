//! Adjusters: what mends a file after masking, so that its weights still represent the population or its
//! moments are those of the original. They see both files; masks see one.

use bauta_data::Attribute;
use serde_json::Value;

use crate::card::Card;
use crate::context::RunContext;
use crate::error::{MethodError, refused};
use crate::exhibit::Exhibit;
use crate::mask::{Change, StepFacts, note_lost_digits};
use crate::pair::Pair;
use crate::params::{ParamProblem, Params, RawValue};

pub mod calibrate;
pub mod calibration;
pub mod post_mask;
pub mod subsample_calibrate;

/// What an adjuster is to work on.
#[derive(Clone, Copy, Debug)]
pub struct AdjustTask<'a> {
    /// The original file and the masked one.
    pub pair: Pair<'a>,
    /// Positions, in the masked file, of the variables concerned.
    pub on: &'a [usize],
}

/// How an adjuster is written: its settings as a type, and what it does with them. The registry
/// lists it as an [`Adjuster`].
pub trait AdjustMethod: Sync {
    /// Its parameters, read and valid.
    type Settings: Send + Sync;

    /// What it says of itself.
    fn card(&self) -> &'static Card;

    /// Reads the parameters: the one place that looks at them. All that can be wrong with them
    /// whatever the variables is told here.
    fn settings(&self, params: &Params) -> Result<Self::Settings, Vec<ParamProblem>>;

    /// Problems that only the variables' descriptions can show.
    fn check(&self, settings: &Self::Settings, on: &[&Attribute]) -> Vec<ParamProblem> {
        let _ = (settings, on);
        Vec::new()
    }

    /// What can be said of it before any data are read.
    fn facts(&self, settings: &Self::Settings) -> StepFacts;

    /// Does it.
    fn adjust(
        &self,
        settings: &Self::Settings,
        task: &AdjustTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError>;

    /// What it shows for itself, without any figure: tables have the same names and headings
    /// whatever is found, so that scripts can rely on them.
    fn shows(&self) -> Vec<Exhibit> {
        Vec::new()
    }

    /// What screens and scripts are told of the data of its evidence: nothing unless it says so, and
    /// never what rests on [few records](crate::few_records).
    fn told(&self, data: &Value) -> Option<Value> {
        let _ = data;
        None
    }

    /// Parameters that show it at work, for documentation and conformance tests.
    fn example(&self) -> Vec<(&'static str, RawValue)>;
}

/// A method that changes the masked file with the original at hand, as the registry lists it.
pub trait Adjuster: Sync {
    /// What it says of itself.
    fn card(&self) -> &'static Card;

    /// Everything that can be told to be wrong before data are read.
    fn check(&self, params: &Params, on: &[&Attribute]) -> Vec<ParamProblem>;

    /// What can be said of it before any data are read, with parameters that [`Self::check`] accepts.
    fn facts(&self, params: &Params) -> StepFacts;

    /// Does it, with parameters that [`Self::check`] accepts or an error.
    fn adjust(
        &self,
        params: &Params,
        task: &AdjustTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError>;

    /// What it shows for itself, without any figure.
    fn shows(&self) -> Vec<Exhibit>;

    /// What screens and scripts are told of the data of its evidence.
    fn told(&self, data: &Value) -> Option<Value>;

    /// Parameters that show it at work.
    fn example(&self) -> Vec<(&'static str, RawValue)>;
}

impl<A: AdjustMethod> Adjuster for A {
    fn card(&self) -> &'static Card {
        AdjustMethod::card(self)
    }

    fn check(&self, params: &Params, on: &[&Attribute]) -> Vec<ParamProblem> {
        match self.settings(params) {
            Ok(settings) => AdjustMethod::check(self, &settings, on),
            Err(problems) => problems,
        }
    }

    fn facts(&self, params: &Params) -> StepFacts {
        let settings = self.settings(params);
        settings.map_or_else(|_| StepFacts::default(), |s| AdjustMethod::facts(self, &s))
    }

    fn adjust(
        &self,
        params: &Params,
        task: &AdjustTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        let settings = self.settings(params).map_err(refused)?;
        let change = AdjustMethod::adjust(self, &settings, task, context)?;
        let change = change.of_numbers(task.pair.masked)?;
        note_lost_digits(task.pair.masked, &change, context);
        Ok(change)
    }

    fn shows(&self) -> Vec<Exhibit> {
        AdjustMethod::shows(self)
    }

    fn told(&self, data: &Value) -> Option<Value> {
        AdjustMethod::told(self, data)
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        AdjustMethod::example(self)
    }
}
