//! What a calibration found: the evidence that a report shows beside the new weights.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The course and the result of a calibration of weights. Confidential: it holds category names,
/// counts and the ratios by which weights were changed.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Calibration {
    /// The weight variable that was changed.
    pub weight: String,
    /// The variable that the starting weights were taken from.
    pub start: String,
    /// What a weight belongs to: `record`, or `household` where all its members share one.
    pub unit: String,
    /// Records of the original file.
    pub n_original: u64,
    /// Records that have a weight now.
    pub n_kept: u64,
    /// The factor gamma by which starting weights were scaled; 1 where they were not.
    pub scale: f64,
    /// The deletion of records at risk; none where nothing was looked for.
    pub deletion: Option<Deletion>,
    /// Where the targets came from: `original file` or `given totals`.
    pub targets_from: String,
    /// The margins, in the order of the plan.
    pub margins: Vec<MarginRow>,
    /// How many margins are independent of each other.
    pub n_independent: u64,
    /// Margins that follow from the others.
    pub redundant: Vec<String>,
    /// The solution that was taken, then those asked for by way of comparison.
    pub solutions: Vec<Solution>,
    /// Left end of the first bin of all histograms of g = w/d0.
    pub histogram_from: f64,
    /// Width of their bins, which are half-open.
    pub histogram_step: f64,
    /// What bounds on g the margins allow.
    pub bounds: Option<Bounds>,
    /// Weighted shares of variables that were not calibrated on.
    pub shares: Vec<ShareRow>,
    /// Rounding of the weights, where asked for.
    pub rounding: Option<Rounding>,
}

/// Records deleted because they were at risk.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Deletion {
    /// Why records were deleted, in words.
    pub rule: String,
    /// Records at risk found in each round; the last round finds none.
    pub rounds: Vec<u64>,
    /// For each key and category, how many records there were and how many were deleted.
    pub by_category: Vec<DeletedRow>,
}

/// Deleted records of a category.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DeletedRow {
    /// The variable.
    pub variable: String,
    /// The category; none for missing values.
    pub category: Option<String>,
    /// Records before deletion.
    pub n_before: u64,
    /// Records deleted.
    pub n_deleted: u64,
}

/// One margin: a total that weights must reach.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MarginRow {
    /// Its name, such as `sex=1*age=2`.
    pub name: String,
    /// The term of the plan that it belongs to, such as `sex*age`.
    pub term: String,
    /// The total T to be reached.
    pub target: f64,
    /// Share of the target in its term, for categories.
    pub share: Option<f64>,
    /// The total with starting weights as they are.
    pub before: f64,
    /// The total with scaled starting weights.
    pub before_scaled: f64,
    /// The total with the new weights.
    pub after: f64,
    /// (after - target) / max(1, |target|).
    pub relative_error: f64,
    /// Records (or households) of the original that it rests on; none where totals were given.
    pub n_before: Option<u64>,
    /// Records (or households) left that it rests on.
    pub n_after: u64,
    /// Where it stands among the margins of its term, from 1.
    #[serde(default)]
    pub place: u64,
    /// What of it may be told outside of the run record.
    #[serde(default)]
    pub told: Told,
}

/// What of a margin may be told outside of the run record and the internal report: what the user
/// gave, and what rests on [enough records](crate::few_records) and gives nothing else away.
#[expect(
    clippy::struct_excessive_bools,
    reason = "lines of a checklist, not states of one thing"
)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Told {
    /// Its name, with its categories.
    pub name: bool,
    /// The total to be reached.
    pub target: bool,
    /// The total that the new weights give.
    pub reached: bool,
    /// The totals that starting weights give, as they are and scaled.
    #[serde(default)]
    pub before: bool,
}

/// One way of calibrating, and what became of it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Solution {
    /// The method: linear, raking, logit, truncated, sinh.
    pub method: String,
    /// The q weights: `uniform`, `euclidean` or the name of a variable.
    pub q: String,
    /// Lower bound of g, where there is one.
    pub lower: Option<f64>,
    /// Upper bound of g, where there is one.
    pub upper: Option<f64>,
    /// Penalty lambda, where margins are reached only nearly.
    pub penalty: Option<f64>,
    /// Why there is no solution, where there is none (only for comparisons).
    pub failed: Option<String>,
    /// The steps of the solver.
    pub iterations: Vec<Iteration>,
    /// Lagrange multiplier of each independent margin.
    pub multipliers: Vec<Multiplier>,
    /// Distribution of g = w/d0 over records.
    pub g: Distribution,
    /// Distribution of the new weights over records.
    pub weights: Distribution,
    /// Records in each bin of g.
    pub histogram: Vec<u64>,
    /// Smoothed density of g at the middle of each bin.
    pub density: Vec<f64>,
    /// Kish's 1 + cv² of the scaled starting weights.
    pub kish_before: f64,
    /// Kish's 1 + cv² of the new weights.
    pub kish_after: f64,
    /// Records with a negative weight.
    pub n_negative: u64,
    /// Records at the lower bound of g.
    pub n_at_lower: u64,
    /// Records at the upper bound of g.
    pub n_at_upper: u64,
    /// Largest |relative error| of a margin.
    pub largest_error: f64,
}

/// One step of the solver.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Iteration {
    /// Largest change of g.
    pub largest_change: f64,
    /// Largest |relative error| of a margin after the step.
    pub largest_error: f64,
    /// Length of the step, 1 for a whole Newton step.
    pub step: f64,
    /// Records with a negative weight after the step.
    pub n_negative: u64,
}

/// The multiplier of a margin.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Multiplier {
    /// The margin.
    pub margin: String,
    /// lambda.
    pub value: f64,
}

/// Mean, spread and quantiles (type 7) of a figure over records.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Distribution {
    /// Mean.
    pub mean: f64,
    /// Standard deviation, denominator n - 1.
    pub sd: f64,
    /// Quantiles at 0, 1, 10, 25, 50, 75, 90, 99 and 100 %.
    pub quantiles: Vec<f64>,
    /// Mean of the ten smallest and of the ten largest; none of fewer than ten. It stands for the
    /// ends, each of which is the figure of one record, wherever those are not to be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends: Option<[f64; 2]>,
}

/// The shares at which quantiles of a [`Distribution`] are given.
pub const QUANTILE_SHARES: [f64; 9] = [0.0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0];

/// What bounds on g the margins allow.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Bounds {
    /// Smallest T/(margin with scaled starting weights) over margins of one sign: L must not be above.
    pub necessary_lower: Option<f64>,
    /// Largest such ratio: U must not be below.
    pub necessary_upper: Option<f64>,
    /// The narrowest [L, U] that the margins allow.
    pub narrowest: Option<[f64; 2]>,
    /// The smallest feasible U for some L; none where no U is.
    pub frontier: Vec<FrontierPoint>,
}

/// A point of the frontier of feasible bounds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FrontierPoint {
    /// Lower bound.
    pub lower: f64,
    /// Smallest feasible upper bound; none where there is none.
    pub smallest_upper: Option<f64>,
}

/// Weighted share of a category of a variable that was not calibrated on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ShareRow {
    /// The variable.
    pub variable: String,
    /// The category; none for missing values.
    pub category: Option<String>,
    /// Records of the original that have it.
    #[serde(default)]
    pub n_before: u64,
    /// Records left that have it.
    #[serde(default)]
    pub n_after: u64,
    /// In the original file, with its weights.
    pub original: f64,
    /// Among the records left, with starting weights.
    pub uncalibrated: f64,
    /// With the new weights.
    pub calibrated: f64,
}

/// How weights were rounded.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Rounding {
    /// Weights are multiples of this.
    pub to: f64,
    /// Largest |change| of a margin by rounding.
    pub largest_change: f64,
    /// The margin that was changed most.
    pub margin: String,
}
