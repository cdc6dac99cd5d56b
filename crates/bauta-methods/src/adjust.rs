//! Adjusters: what mends the weights after masking, so that the file still represents its
//! population. They see both files; masks see one.

use bauta_data::Attribute;

use crate::card::Card;
use crate::context::RunContext;
use crate::error::MethodError;
use crate::exhibit::Exhibit;
use crate::mask::{Change, KeyClaim, Together};
use crate::pair::Pair;
use crate::params::{ParamProblem, Params, RawValue};

pub mod calibrate;
pub mod calibration;
pub mod subsample_calibrate;

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

    /// How the variables of one step bear on each other.
    fn together(&self, params: &Params) -> Together {
        let _ = params;
        Together::Apart
    }

    /// What it promises of the keys it works on; a run counts again before it says so.
    fn claims(&self, params: &Params) -> Option<KeyClaim> {
        let _ = params;
        None
    }

    /// Does it. Adjusters may change the weight, though nobody names it.
    fn adjust(
        &self,
        task: &AdjustTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError>;

    /// What it shows for itself, without any figure: tables have the same names and headings
    /// whatever is found, so that scripts can rely on them.
    fn shows(&self) -> Vec<Exhibit> {
        Vec::new()
    }

    /// Parameters that show it at work, for documentation and conformance tests.
    fn example(&self) -> Vec<(&'static str, RawValue)>;
}
