//! A run that deleted records at risk and calibrated the weights of the others. All figures are
//! invented.

use bauta_methods::adjust::calibration::exhibits::evidence;
use bauta_methods::adjust::calibration::found::{
    Bounds, Calibration, DeletedRow, Deletion, Distribution, FrontierPoint, Iteration, MarginRow,
    Multiplier, Rounding, ShareRow, Solution, Told,
};
use bauta_methods::pair::Rows;
use bauta_plan::RunRecord;
use bauta_plan::record::StepRecord;
use serde_json::json;

/// The usual run with a calibration as its last step.
pub(crate) fn calibrated() -> RunRecord {
    let mut record = super::passed();
    if let Some(released) = &mut record.released {
        released.n_records = 9_713;
    }
    record.steps.push(StepRecord {
        key: "subsample-calibrate sex age region".to_owned(),
        method: "subsample-calibrate".to_owned(),
        title: "Subsampling and calibration".to_owned(),
        on: vec!["sex".to_owned(), "age".to_owned(), "region".to_owned()],
        params: [("k".to_owned(), json!(3))].into(),
        why: Some("suppression distorts the victims' rates".to_owned()),
        unchanged: Vec::new(),
        rows: Rows::Correspond,
        evidence: Some(Box::new(evidence(&calibration()).unwrap())),
        notes: Vec::new(),
    });
    record
}

/// A calibration by raking, compared with two logits.
pub(crate) fn calibration() -> Calibration {
    let margins = margins();
    Calibration {
        weight: "weight".to_owned(),
        start: "design_weight".to_owned(),
        unit: "record".to_owned(),
        n_original: 12_901,
        n_kept: 9_713,
        scale: 1.463_771_25,
        deletion: Some(deletion()),
        targets_from: "original file".to_owned(),
        n_independent: margins.len() as u64 - 2,
        redundant: vec!["age=7".to_owned(), "sex=2*region=8".to_owned()],
        margins,
        solutions: vec![
            solution("raking", None, 0.885_317),
            solution("logit", Some((0.25, 3.0)), 0.983_021),
            Solution {
                method: "logit".to_owned(),
                q: "uniform".to_owned(),
                lower: Some(0.8),
                upper: Some(1.2),
                failed: Some("the totals cannot be reached within these bounds".to_owned()),
                ..Solution::default()
            },
        ],
        histogram_from: -1.0,
        histogram_step: 0.1,
        bounds: Some(bounds()),
        shares: shares(),
        rounding: Some(Rounding {
            to: 0.01,
            largest_change: 0.043_7,
            margin: "sex=1*region=3".to_owned(),
        }),
    }
}

fn deletion() -> Deletion {
    let row = |variable: &str, category: Option<&str>, n_before, n_deleted| DeletedRow {
        variable: variable.to_owned(),
        category: category.map(str::to_owned),
        n_before,
        n_deleted,
    };
    Deletion {
        rule: "fewer than 3 records share the key".to_owned(),
        rounds: vec![3_121, 67, 0],
        by_category: vec![
            row("sex", Some("f"), 6_770, 1_532),
            row("sex", Some("m"), 6_131, 1_656),
            row("region", Some("48201"), 4_211, 402),
            row("region", Some("48226"), 8_402, 2_498),
            row("region", None, 288, 288),
        ],
    }
}

fn margins() -> Vec<MarginRow> {
    let mut out = Vec::new();
    for age in 1..=7_u32 {
        out.push(margin(
            &format!("age={age}"),
            "age",
            f64::from(900_000 * age),
            f64::from(age) / 28.0,
        ));
    }
    for region in 1..=8_u32 {
        for sex in 1..=2_u32 {
            let size = f64::from(region * (10 - region) * sex);
            let name = format!("sex={sex}*region={region}");
            out.push(margin(&name, "sex*region", 61_234.5 * size, size / 468.0));
        }
    }
    out.push(MarginRow {
        share: None,
        ..margin("income", "income", 8.123_456_789e10, 0.0)
    });
    // One total that is missed.
    out[3].after = out[3].target * (1.0 + 2.4e-5);
    out[3].relative_error = 2.4e-5;
    out
}

fn margin(name: &str, term: &str, target: f64, share: f64) -> MarginRow {
    MarginRow {
        name: name.to_owned(),
        term: term.to_owned(),
        target,
        share: Some(share),
        before: target * 0.63,
        before_scaled: target * 0.63 * 1.463_771_25,
        after: target,
        relative_error: 3.1e-15,
        n_before: Some(1_843),
        n_after: 1_377,
        place: 1,
        told: Told::default(),
    }
}

fn solution(method: &str, bounds: Option<(f64, f64)>, median: f64) -> Solution {
    // Hat-shaped, with its top at the median and a tail to the right.
    let height = |idx: u32| {
        let distance = -1.0 + 0.1 * (f64::from(idx) + 0.5) - median;
        let width = if distance < 0.0 { 0.45 } else { 1.6 };
        let inside = bounds.is_none_or(|(low, high)| (low..=high).contains(&(median + distance)));
        let hat = (1.0 - distance.abs() / width).max(0.0);
        if inside { hat * hat } else { 0.0 }
    };
    let heights: Vec<f64> = (0..70).map(height).collect();
    let total: f64 = heights.iter().sum();
    let step = |largest_change, largest_error| Iteration {
        largest_change,
        largest_error,
        step: 1.0,
        n_negative: 0,
    };
    Solution {
        method: method.to_owned(),
        q: "uniform".to_owned(),
        lower: bounds.map(|(low, _)| low),
        upper: bounds.map(|(_, high)| high),
        penalty: None,
        failed: None,
        iterations: vec![
            step(7.516_583, 0.466_399),
            step(1.03, 0.012_5),
            step(0.008_13, 7.1e-6),
            step(2.2e-7, 3.1e-15),
        ],
        multipliers: (1..=20)
            .map(|idx| Multiplier {
                margin: format!("age={idx}"),
                value: 0.137_771 / f64::from(idx),
            })
            .collect(),
        g: Distribution {
            mean: 0.964_771,
            sd: 0.326_613,
            quantiles: vec![
                0.187_331, 0.548_2, 0.689_1, 0.760_9, median, 1.063_7, 1.341, 2.207, 5.447_71,
            ],
            ends: Some([0.241_1, 4.911_7]),
        },
        weights: Distribution {
            mean: 5_287.11,
            sd: 3_107.9,
            quantiles: vec![
                211.9, 706.1, 2_023.0, 3_117.7, 4_643.8, 6_712.9, 9_287.0, 15_733.0, 41_377.7,
            ],
            ends: Some([233.1, 38_771.3]),
        },
        histogram: heights
            .iter()
            .map(|height| (9_713.0 * height / total).round() as u64)
            .collect(),
        density: heights.iter().map(|height| height / total / 0.1).collect(),
        kish_before: 1.237_717,
        kish_after: 1.345_533,
        n_negative: 0,
        n_at_lower: 0,
        n_at_upper: 3,
        largest_error: 2.4e-5,
    }
}

fn bounds() -> Bounds {
    let point = |lower, smallest_upper| FrontierPoint {
        lower,
        smallest_upper,
    };
    Bounds {
        necessary_lower: Some(0.871_1),
        necessary_upper: Some(1.177_9),
        narrowest: Some([0.414_4, 1.911_7]),
        frontier: vec![
            point(0.0, Some(1.873_3)),
            point(0.1, Some(1.881)),
            point(0.2, Some(1.887_7)),
            point(0.3, Some(1.897)),
            point(0.4, Some(1.908_1)),
            point(0.5, Some(2.217_7)),
            point(0.6, Some(3.457)),
            point(0.7, None),
        ],
    }
}

fn shares() -> Vec<ShareRow> {
    let row = |variable: &str, category: Option<&str>, shares: [f64; 3]| ShareRow {
        variable: variable.to_owned(),
        category: category.map(str::to_owned),
        n_before: 713,
        n_after: 577,
        original: shares[0],
        uncalibrated: shares[1],
        calibrated: shares[2],
    };
    vec![
        row("victim", Some("yes"), [0.046_713, 0.041_137, 0.046_117]),
        row("victim", Some("no"), [0.951_1, 0.957_3, 0.951_7]),
        row("victim", None, [0.002_187, 0.001_563, 0.002_183]),
    ]
}
