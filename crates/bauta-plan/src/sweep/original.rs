//! The original on the map: its own figures, measured and not assumed.

use bauta_data::format::Loaded;
use bauta_data::{Table, Watch};
use bauta_methods::pair::Rows;
use bauta_methods::{Files, Pair, SharedFacts, Subject};

use crate::error::RunError;
use crate::judge::{Seen, measure_record};
use crate::measure::{Measured, Measuring, RecordFigures};
use crate::plan::Plan;
use crate::record::MeasureRecord;

/// Takes every measure of a plan of the original as if it were its own masked file. A measure that cannot be
/// taken of it has no figure.
pub fn measure_original(
    plan: &Plan,
    loaded: &Loaded,
    watch: &dyn Watch,
) -> Result<Vec<MeasureRecord>, RunError> {
    let original = &loaded.table;
    let measuring = Measuring {
        plan,
        seed: plan.seed.unwrap_or(loaded.fingerprint.seed),
        watch,
        original,
        facts: &SharedFacts::default(),
        record_figures: RecordFigures::Dropped,
    };
    let mut records = Vec::new();
    for planned in &plan.measures {
        let files = files_of(original, planned.measure.declared().subject);
        let found = match measuring.one(planned, files) {
            Ok(found) => found,
            Err(error) if error.is_cancelled() => return Err(error),
            Err(_) => Measured::default(),
        };
        let seen = Seen {
            rows: Rows::Correspond,
            compares: true,
            perturbed: Vec::new(),
        };
        records.push(measure_record(planned, &Measured::default(), &found, seen));
    }
    Ok(records)
}

fn files_of(original: &Table, subject: Subject) -> Files<'_> {
    match subject {
        Subject::OneFile => Files::One(original),
        Subject::CorrespondingPair | Subject::Pair => Files::Both(Pair {
            original,
            masked: original,
            rows: Rows::Correspond,
        }),
    }
}
