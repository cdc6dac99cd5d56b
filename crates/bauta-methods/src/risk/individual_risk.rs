#![doc = include_str!("individual_risk.md")]

use bauta_data::{Role, Table};

use crate::card::{Card, ConstValue, Family, ParamDefault, ParamSpec, ParamType, Randomness};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::measure::{
    Better, Measure, MeasureTask, Measurement, Part, Reading, Scope, Series, Subject,
};
use crate::note::Note;
use crate::risk::k_anonymity::{KEY_TARGETS, SEMANTICS, count};
use crate::stats::benedetti_franconi::expected_inverse;
use crate::stats::keys::class_numbers;
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
        if let Some(&attr_idx) = table.with_role(Role::Household).first() {
            let household = household_risk(table, attr_idx, &risk);
            found.push_part(
                "household_expected_reidentifications",
                sum_by(n, |i| household[i]),
            );
            found.push_part("household_max", household.iter().copied().reduce(f64::max));
        }
        found.series.push(risk_bands(&risk));
        found.per_record = Some(risk);
        Ok(found)
    }
}

/// For each record the probability that at least one member of its household is re-identified:
/// 1 - Π (1 - r). A record without household id is a household of its own.
fn household_risk(table: &Table, attr_idx: usize, risk: &[f64]) -> Vec<f64> {
    let households = class_numbers(table, &[attr_idx]);
    let mut safe = vec![1.0; households.iter().max().map_or(0, |&last| last as usize + 1)];
    for (&household, r) in households.iter().zip(risk) {
        safe[household as usize] *= 1.0 - r;
    }
    let column = table.column(attr_idx);
    let of_record = |(record, &household): (usize, &u32)| {
        if column.is_missing(record) {
            risk[record]
        } else {
            1.0 - safe[household as usize]
        }
    };
    households.iter().enumerate().map(of_record).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use bauta_data::missing::{MissingCells, MissingRules};
    use bauta_data::{Attribute, Column, Kind, Levels};
    use std::sync::Arc;

    #[test]
    fn a_household_is_as_exposed_as_any_of_its_members() {
        let attribute = Attribute::new("hid", Role::Household, Kind::Unordered);
        let missing = MissingCells::new(vec![0, 0, 0, 1], MissingRules::default().marks());
        let levels = Levels::from_texts(["a", "b"]);
        let column = Column::categorical(
            Arc::new(attribute),
            vec![0, 1, 0, 0],
            Arc::new(levels),
            missing,
        );
        let table = Table::new(vec![column], 4);
        // Records 1 and 3 live together: 1 - (1 - 0.5)(1 - 0.2) = 0.6; record 4 has no id.
        let found = household_risk(&table, 0, &[0.5, 0.1, 0.2, 0.3]);
        for (found, expected) in found.iter().zip([0.6, 0.1, 0.6, 0.3]) {
            assert!((found - expected).abs() < 1e-15);
        }
    }
}
