#![doc = include_str!("individual_risk.md")]

mod riskiest;

use bauta_data::{Role, Table};

use crate::card::{
    Card, ConstValue, Family, ParamDefault, ParamSpec, ParamType, Randomness, Targets,
};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::kernel::numbers::sums::sum_by;
use crate::keys::asked::count;
use crate::keys::asked::{SEMANTICS, positions};
use crate::keys::benedetti_franconi::expected_inverse;
use crate::keys::class_numbers;
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Series};
use crate::note::KnownNote;
use crate::params::{ParamProblem, Params};
use crate::risk::individual_risk::riskiest::{Risks, riskiest};

/// Probability that a record is re-identified by its key. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct IndividualRisk;

static CARD: MeasureCard = MeasureCard {
    card: Card {
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
            ParamSpec {
                name: "rate",
                meaning: "accepted rate of re-identifications, turned into a risk that no record may exceed",
                ty: ParamType::Fraction { min: 0.0, max: 1.0 },
                default: ParamDefault::Unset("no rate is asked for"),
            },
            ParamSpec {
                name: "riskiest",
                meaning: "how many of the riskiest records are listed in the confidential record, one for each key",
                ty: ParamType::Integer { min: 0, max: 1000 },
                default: ParamDefault::Value(ConstValue::Integer(10)),
            },
        ],
        targets: Targets::KEYS,
        randomness: Randomness::None,
        references: &["benedetti1998", "bergeat2015"],
    },
    value: FigureSpec::value("mean risk", Unit::Number)
        .within(0.0, 1.0)
        .lower_is_better(),
    ..MeasureCard::OF_KEYS
};

impl MeasureMethod for IndividualRisk {
    type Settings = Params;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn measure(
        &self,
        _settings: &Params,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let table = task.one()?;
        let counted = count(
            table,
            task.on,
            task.params.choice_of(SEMANTICS.name),
            context,
        )?;
        let n = table.n_records();
        let n_short = (0..n)
            .filter(|&i| counted.big_f[i] < f64::from(counted.f[i]))
            .count();
        if n_short > 0 {
            context.note(KnownNote::WeightsBelowFrequency { n_records: n_short });
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
        found.push_part("above_threshold", n_above(&risk, threshold));
        if let Some(rate) = task.params.number_if_set("rate") {
            let limit = risk_limit(&risk, rate);
            found.push_part("threshold_of_rate", limit);
            let above = limit.map_or(0.0, |limit| n_above(&risk, limit));
            found.push_part("above_threshold_of_rate", above);
        }
        let households = table.with_role(Role::Household).first().copied();
        let households = households.map(|attr_idx| Households::of(table, attr_idx, &risk));
        if let Some(households) = &households {
            households.push_parts(&mut found, threshold);
        }
        let risks = Risks {
            counted: &counted,
            individual: &risk,
            household: households.as_ref().map(|all| all.of_record.as_slice()),
        };
        let n_listed = task.params.integer("riskiest") as usize;
        found.listed = riskiest(table, &positions(table, task.on)?, risks, n_listed);
        found.series.push(risk_bands(&risk));
        found.per_record = Some(risk);
        Ok(found)
    }
}

fn n_above(risk: &[f64], threshold: f64) -> f64 {
    risk.iter().filter(|&&r| r > threshold).count() as f64
}

/// The largest r* such that the mean of min(r, r*) over records is at most the rate: if no record exceeds it, the file keeps to the
/// rate, and a smaller one asks for more than that.
fn risk_limit(risk: &[f64], rate: f64) -> Option<f64> {
    let mut sorted = risk.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let largest = sorted.last().copied()?;
    let n = sorted.len();
    let accepted = rate * n as f64;
    let mut sum_below = 0.0;
    for (n_below, &r) in sorted.iter().enumerate() {
        let n_from_here = (n - n_below) as f64;
        if sum_below + n_from_here * r > accepted {
            return Some((accepted - sum_below) / n_from_here);
        }
        sum_below += r;
    }
    Some(largest)
}

/// The risks of households: 1 - Π (1 - r) over their members. A record without household id is a
/// household of its own.
struct Households {
    /// The risk of each record's household.
    of_record: Vec<f64>,
    /// The risk of each household.
    risks: Vec<f64>,
}

impl Households {
    fn of(table: &Table, attr_idx: usize, risk: &[f64]) -> Self {
        let numbers = class_numbers(table, &[attr_idx]);
        let n_numbers = numbers.iter().max().map_or(0, |&last| last as usize + 1);
        let mut of_number: Vec<Option<f64>> = vec![None; n_numbers];
        let column = table.column(attr_idx);
        let has_id = |record: usize| !column.is_missing(record);
        for (record, (&number, r)) in numbers.iter().zip(risk).enumerate() {
            if has_id(record) {
                // R + r - R r, which for one member is r to the last bit.
                let joint = of_number[number as usize].get_or_insert(0.0);
                *joint += r * (1.0 - *joint);
            }
        }
        let of_record: Vec<f64> = numbers
            .iter()
            .enumerate()
            .map(|(record, &number)| match of_number[number as usize] {
                Some(joint) if has_id(record) => joint,
                _ => risk[record],
            })
            .collect();
        let mut risks: Vec<f64> = of_number.into_iter().flatten().collect();
        let alone = (0..risk.len()).filter(|&record| !has_id(record));
        risks.extend(alone.map(|record| risk[record]));
        Self { of_record, risks }
    }

    fn push_parts(&self, found: &mut Measurement, threshold: f64) {
        let n = self.of_record.len();
        found.push_part(
            "household_expected_reidentifications",
            sum_by(n, |i| self.of_record[i]),
        );
        found.push_part("household_max", self.risks.iter().copied().reduce(f64::max));
        found.push_part("households", self.risks.len() as f64);
        found.push_part(
            "households_above_threshold",
            n_above(&self.risks, threshold),
        );
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
        axis: "records".to_owned(),
        unit: Unit::Count,
        file: None,
        variable: None,
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
        let found = Households::of(&table, 0, &[0.5, 0.1, 0.2, 0.3]);
        for (found, expected) in found.of_record.iter().zip([0.6, 0.1, 0.6, 0.3]) {
            assert!((found - expected).abs() < 1e-15);
        }
        // Three households: {1, 3}, {2} and record 4.
        assert_eq!(found.risks.len(), 3);
        assert!((n_above(&found.risks, 0.3) - 1.0).abs() < 0.5);
    }

    #[test]
    fn a_rate_gives_the_risk_that_no_record_may_exceed() {
        let risk = [0.5, 0.1, 0.2, 0.0];
        let near = |found: Option<f64>, expected: f64| {
            assert!((found.unwrap() - expected).abs() < 1e-15, "{found:?}");
        };
        // 0.1 + 0.2 + 0 = 0.3 below the first: 4 * 0.15 - 0.3 = 0.3 is left for it.
        near(risk_limit(&risk, 0.15), 0.3);
        // Three from 0.1 on, 4 * 0.06 = 0.24: 0.08 each.
        near(risk_limit(&risk, 0.06), 0.08);
        // The file keeps to the rate of 0.2 already.
        near(risk_limit(&risk, 0.2), 0.5);
        near(risk_limit(&risk, 0.0), 0.0);
        assert_eq!(risk_limit(&[], 0.1), None);
    }
}
