#![doc = include_str!("individual_risk.md")]

use crate::card::{Card, ConstValue, Family, ParamDefault, ParamSpec, ParamType, Randomness};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::measure::{
    Better, Measure, MeasureTask, Measurement, Part, Reading, Scope, Series, Subject,
};
use crate::note::Note;
use crate::risk::k_anonymity::{KEY_TARGETS, SEMANTICS, count};
use crate::stats::benedetti_franconi::expected_inverse;
use crate::stats::sums::sum_by;

/// Probability that a record is re-identified by its key. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct IndividualRisk;

static CARD: Card = Card {
    id: "individual-risk",
    title: "Individual risk",
    summary: "mean probability that a record is re-identified by its key, given its weight",
    family: Family::Risk,
    page: include_str!("individual_risk.md"),
    params: &[
        SEMANTICS,
        ParamSpec {
            name: "threshold",
            meaning: "risk above which a record is counted as at risk",
            ty: ParamType::Fraction { min: 0.0, max: 1.0 },
            default: ParamDefault::Value(ConstValue::Number(0.1)),
        },
    ],
    targets: KEY_TARGETS,
    randomness: Randomness::None,
    references: &["benedetti1998", "bergeat2015"],
};

impl Measure for IndividualRisk {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn subject(&self) -> Subject {
        Subject::OneFile
    }

    fn scope(&self) -> Scope {
        Scope::Scenario
    }

    fn reading(&self) -> Reading {
        Reading {
            min: 0.0,
            max: 1.0,
            better: Better::Lower,
            at_identity: None,
            value_name: "mean risk",
        }
    }

    fn measure(
        &self,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let table = task.one()?;
        let counted = count(table, task.on, task.params, context)?;
        let n = table.n_records();
        let n_short = (0..n)
            .filter(|&i| counted.big_f[i] < f64::from(counted.f[i]))
            .count();
        if n_short > 0 {
            context.note(Note::WeightsBelowFrequency { n_records: n_short });
        }
        let risk: Vec<f64> = counted
            .f
            .iter()
            .zip(&counted.big_f)
            .map(|(&f, &big_f)| expected_inverse(f64::from(f), big_f))
            .collect();
        let expected = sum_by(n, |i| risk[i]);
        let threshold = task.params.number("threshold");
        let mut found = Measurement {
            value: (n > 0).then(|| expected / n as f64),
            ..Measurement::default()
        };
        found.push_part("expected_reidentifications", expected);
        found.push_part("max", risk.iter().copied().reduce(f64::max));
        found.push_part(
            "above_threshold",
            risk.iter().filter(|&&r| r > threshold).count() as f64,
        );
        found.series.push(risk_bands(&risk));
        found.per_record = Some(risk);
        Ok(found)
    }
}

fn risk_bands(risk: &[f64]) -> Series {
    const EDGES: [(f64, &str); 7] = [
        (0.0001, "< 0.01 %"),
        (0.001, "0.01-0.1 %"),
        (0.01, "0.1-1 %"),
        (0.05, "1-5 %"),
        (0.1, "5-10 %"),
        (0.5, "10-50 %"),
        (f64::INFINITY, "50-100 %"),
    ];
    let mut low = 0.0;
    let mut points = Vec::new();
    for (high, label) in EDGES {
        let inside = risk.iter().filter(|&&r| r >= low && r < high).count();
        points.push(Part {
            name: label.to_owned(),
            value: Some(inside as f64),
        });
        low = high;
    }
    Series {
        name: "records by individual risk".to_owned(),
        unit: "records".to_owned(),
        points,
    }
}
