//! Adjusters: what mends the weights after masking, so that the file still represents its
//! population. They see both files; masks see one.

use bauta_data::Attribute;

use crate::card::Card;
use crate::context::RunContext;
use crate::error::MethodError;
use crate::mask::Change;
use crate::pair::Pair;
use crate::params::{ParamProblem, Params, RawValue};

/// What an adjuster is to work on.
#[derive(Clone, Copy, Debug)]
pub struct AdjustTask<'a> {
    /// The original file and the masked one.
    pub pair: Pair<'a>,
    /// Positions, in the masked file, of the variables concerned.
    pub on: &'a [usize],
    /// Checked parameters.
    pub params: &'a Params,
}

/// A method that changes the masked file with the original at hand.
pub trait Adjuster: Sync {
    /// What it says of itself.
    fn card(&self) -> &'static Card;

    /// Problems that only the parameters together, or the variables' descriptions, can show.
    fn check(&self, params: &Params, on: &[&Attribute]) -> Vec<ParamProblem> {
        let _ = (params, on);
        Vec::new()
    }

    /// The change to the masked file.
    fn adjust(
        &self,
        task: &AdjustTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError>;

    /// Parameters that show it at work, for documentation and conformance tests.
    fn example(&self) -> Vec<(&'static str, RawValue)>;
}
