//! The paper's probabilistic linkage as the measure `pld`.

use bauta_methods::{Measurement, MethodError, RawValue};

use crate::trial::Method;

/// t: the deviation, as a share of the original value, at which two values disagree. The paper does
/// not state its own.
pub(super) const TOLERANCE: f64 = 0.2;
/// The share of true links at which the list of links is cut, for the paper's zone.
const CUT: f64 = 0.2;
/// How agreement of two numbers falls with their distance, in the order of the paper's columns.
pub(super) const METRICS: [&str; 2] = ["d", "l"];
/// Every variable counts the same.
pub(super) const EQUAL: &str = "equal";
/// How the weights are found: the value of `parameters`. The last two go by levels of agreement, with m
/// from the links of an assignment and from the true pairs.
pub(super) const ESTIMATORS: [&str; 4] = [EQUAL, "em", "refined", "truth"];

/// The linkage of all records, one to one.
pub(super) fn linkage(metric: &str, estimator: &str) -> Method {
    let word = |word: &str| RawValue::Text(word.to_owned());
    Method::new(
        "pld",
        &[
            ("links", word("all")),
            ("metric", word(metric)),
            ("tolerance", RawValue::Number(TOLERANCE)),
            ("parameters", word(estimator)),
            ("cut", RawValue::Number(CUT)),
            // Seventeen linkages of the income file: candidates are gathered once.
            ("extensions", RawValue::Integer(0)),
        ],
    )
}

/// The same by equal weights over candidates, as the income file's size needs; the same way at any size.
pub(super) fn linkage_of_incomes(metric: &str) -> Method {
    let mut method = linkage(metric, EQUAL);
    let sparse = RawValue::Text("sparse".to_owned());
    method.params.push(("assignment".to_owned(), sparse));
    method
}

/// The share of the records that were re-identified.
pub(super) fn rate(found: &Measurement) -> Result<f64, MethodError> {
    found
        .value
        .ok_or_else(|| MethodError::Internal("pld gave no rate".to_owned()))
}

/// The share that was re-identified above the cut.
pub(super) fn zone_rate(found: &Measurement) -> Result<f64, MethodError> {
    found
        .part("zone rate")
        .ok_or_else(|| MethodError::Internal("pld gave no zone rate".to_owned()))
}
