//! Our JPEG codec beside another one, on a whole file.

use crate::support;

use bauta_data::{Kind, Role, Unwatched};
use bauta_methods::{MaskTask, RawValue, RunContext, registry};
use support::{Wanted, params, read_csv, shared};

/// `census_jpeg50.csv` was made by libjpeg-turbo through Pillow. Its encoder divides exactly where
/// ours multiplies by a 15-bit reciprocal, so that one coefficient in two hundred is off by a step
/// and with it its block of 64 pixels; the page has the figures.
#[test]
fn census_at_quality_50_is_near_what_libjpeg_makes_of_it() {
    let Some(shared) = shared() else { return };
    let path = shared.join("golden/census/census_jpeg50.csv");
    let header = std::fs::read_to_string(&path).expect("the reference file");
    let names = header.lines().next().expect("a header").split(',');
    let wanted: Vec<Wanted> = names
        .map(|name| Wanted {
            name: name.to_owned(),
            role: Role::Sensitive,
            kind: Kind::Continuous,
        })
        .collect();
    let original = read_csv(&shared.join("data/census.csv"), &wanted);
    let expected = read_csv(&path, &wanted);
    let jpeg = registry::mask("jpeg").expect("a mask");
    let on: Vec<usize> = (0..wanted.len()).collect();
    let task = MaskTask {
        table: &original,
        on: &on,
    };
    let context = RunContext::new(1, "step", &Unwatched);
    let masked = jpeg
        .mask(
            &params(jpeg.card(), &[("quality", RawValue::Integer(50))]),
            &task,
            &context,
        )
        .expect("an image");
    let masked = masked.apply_to(&original);
    let (mut n_cells, mut n_other, mut n_far, mut furthest) = (0, 0, 0, 0.0_f64);
    for attr_idx in on {
        let values = |table: &bauta_data::Table| -> Vec<f64> {
            let column = table.column(attr_idx);
            column.as_numeric().expect("numbers").to_vec()
        };
        let x = values(&original);
        let low = x.iter().copied().fold(f64::INFINITY, f64::min);
        let high = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for (z, expected) in values(&masked).iter().zip(values(&expected)) {
            let levels = (z - expected).abs() / (high - low) * 255.0;
            n_cells += 1;
            // Exactly the same number, not nearly: unscaling is part of the comparison.
            n_other += usize::from(z.to_bits() != expected.to_bits());
            n_far += usize::from(levels > 1.5);
            furthest = furthest.max(levels);
        }
    }
    println!("{n_other} of {n_cells} grey levels differ, {n_far} by more than 1, by {furthest}");
    assert_eq!(n_cells, 14_040);
    // 2,102 and 1,734 when this was written; a wrong table or layout changes nearly all.
    assert!(n_other < 2_500 && n_far < 2_000 && furthest < 35.0);
}
