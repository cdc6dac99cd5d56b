#![doc = include_str!("individual_risk.md")]

mod riskiest;

use std::collections::BTreeMap;

use bauta_data::{Role, Table};

use crate::card::{Card, ParamSpec, ParamType, Scaling};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::kernel::numbers::quotient::{FIFTEEN_DECIMALS, settled};
use crate::kernel::numbers::sums::{compensated, sum_by};
use crate::kernel::numbers::two_doubles::TwoDoubles;
use crate::keys::asked::{SEMANTICS, count, positions, weights_below_frequency};
use crate::keys::benedetti_franconi::expected_inverse;
use crate::keys::{Frequencies, Semantics, class_numbers};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Series};
use crate::params::{ParamProblem, Params};
use crate::risk::individual_risk::riskiest::{Risks, riskiest};

/// Probability that a record is re-identified by its key. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct IndividualRisk;

const THRESHOLD: ParamSpec = ParamSpec::fraction(
    "threshold",
    "risk above which a record is counted as at risk",
)
.or_number(0.1);
const RATE: ParamSpec = ParamSpec::fraction(
    "rate",
    "accepted rate of re-identifications, turned into a risk that no record may exceed",
)
.unset("no rate is asked for");
const RISKIEST: ParamSpec = ParamSpec::new(
    "riskiest",
    "how many of the riskiest records are listed in the confidential record, one for each key",
    ParamType::Integer { min: 0, max: 1000 },
)
.or_integer(10);

const EXPECTED: FigureSpec =
    FigureSpec::number("expected_reidentifications", "expected re-identifications")
        .lower_is_better();
const MAX: FigureSpec = FigureSpec::number("max", "largest risk")
    .within(0.0, 1.0)
    .lower_is_better();
const ABOVE: FigureSpec = FigureSpec::count(
    "above_threshold",
    "records above the threshold (usually 0.1)",
)
.lower_is_better()
.headline();
const OF_RATE: FigureSpec = FigureSpec::number(
    "threshold_of_rate",
    "risk that no record may exceed for the accepted rate",
)
.within(0.0, 1.0);
const ABOVE_OF_RATE: FigureSpec =
    FigureSpec::count("above_threshold_of_rate", "records above that risk").lower_is_better();
const HOUSEHOLD_EXPECTED: FigureSpec = FigureSpec::number(
    "household_expected_reidentifications",
    "expected records in households with a re-identified member",
)
.lower_is_better();
const HOUSEHOLD_MAX: FigureSpec =
    FigureSpec::number("household_max", "largest risk of a household")
        .within(0.0, 1.0)
        .lower_is_better();
const HOUSEHOLDS: FigureSpec = FigureSpec::count("households", "households");
const HOUSEHOLDS_ABOVE: FigureSpec = FigureSpec::count(
    "households_above_threshold",
    "households above the threshold",
)
.lower_is_better();

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "individual-risk",
        title: "Individual risk",
        summary: "mean probability that a record is re-identified by its key, given its weight",
        page: include_str!("individual_risk.md"),
        params: &[SEMANTICS, THRESHOLD, RATE, RISKIEST],
        scaling: Scaling::Class,
        references: &["benedetti1998", "bergeat2015"],
        ..MeasureCard::OF_KEYS.card
    },
    value: FigureSpec::value("mean risk", Unit::Number)
        .within(0.0, 1.0)
        .lower_is_better(),
    figures: &[
        EXPECTED,
        MAX,
        ABOVE,
        OF_RATE,
        ABOVE_OF_RATE,
        HOUSEHOLD_EXPECTED,
        HOUSEHOLD_MAX,
        HOUSEHOLDS,
        HOUSEHOLDS_ABOVE,
    ],
    ..MeasureCard::OF_KEYS
};

/// How to count, what risk is too much, and how many records are listed.
pub struct Settings {
    semantics: Semantics,
    threshold: f64,
    rate: Option<f64>,
    n_listed: usize,
}

impl MeasureMethod for IndividualRisk {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Ok(Settings {
            semantics: params.choice_of(SEMANTICS.name),
            threshold: params.number(THRESHOLD.name),
            rate: params.number_if_set(RATE.name),
            n_listed: params.count(RISKIEST.name),
        })
    }

    fn measure(
        &self,
        settings: &Settings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let table = task.one()?;
        let counted = count(table, task.on, settings.semantics, context)?;
        let n = table.n_records();
        let n_short = counted.both().filter(|(f, big_f)| big_f < f).count();
        if n_short > 0 {
            context.note(weights_below_frequency(n_short));
        }
        let risk = RecordRisks::of(&counted);
        let expected = expected_reidentifications(&risk, &counted);
        let mut found = Measurement {
            value: (n > 0).then(|| expected / n as f64),
            ..Measurement::default()
        };
        found.give(&EXPECTED, expected);
        found.give(&MAX, risk.each().reduce(f64::max));
        found.give(&ABOVE, n_above(risk.each(), settings.threshold));
        if let Some(rate) = settings.rate {
            let limit = risk_limit(risk.each().collect(), rate);
            found.give(&OF_RATE, limit);
            let above = limit.map_or(0.0, |limit| n_above(risk.each(), limit));
            found.give(&ABOVE_OF_RATE, above);
        }
        let households = table.with_role(Role::Household).first().copied();
        let households = households.map(|attr_idx| {
            let risk: Vec<f64> = risk.each().collect();
            Households::of(table, attr_idx, &risk)
        });
        if let Some(households) = &households {
            households.give_figures(&mut found, settings.threshold);
        }
        let risks = Risks {
            counted: &counted,
            individual: &risk,
            household: households.as_ref().map(|all| all.of_record.as_slice()),
        };
        let keys = positions(table, task.on)?;
        found.listed = riskiest(table, &keys, risks, settings.n_listed);
        found.series.push(risk_bands(&risk));
        found.per_record = (context.wants_record_figures()).then(|| risk.each().collect());
        Ok(found)
    }
}

/// The risk of each record: that of its class, where classes are known.
pub(crate) struct RecordRisks<'a> {
    class: Option<&'a [u32]>,
    /// Of each class, or each record.
    risk: Vec<f64>,
    n_records: usize,
}

impl<'a> RecordRisks<'a> {
    fn of(counted: &'a Frequencies) -> Self {
        let n_records = counted.f.len();
        let Some(weight) = &counted.weight else {
            let risk = counted.both().map(|(f, big_f)| expected_inverse(f, big_f));
            return Self {
                class: None,
                risk: risk.collect(),
                n_records,
            };
        };
        // A class without records, as cubes have some, has no risk.
        let mut f_of = vec![0; weight.of_class.len()];
        for (&class, &f) in weight.class.iter().zip(&counted.f) {
            f_of[class as usize] = f;
        }
        let of_class = |(&f, &big_f): (&u32, &f64)| match f {
            0 => 0.0,
            f => expected_inverse(f64::from(f), big_f),
        };
        Self {
            class: Some(&weight.class),
            risk: f_of.iter().zip(&weight.of_class).map(of_class).collect(),
            n_records,
        }
    }

    /// That of one.
    pub(crate) fn at(&self, record: usize) -> f64 {
        match self.class {
            Some(class) => self.risk[class[record] as usize],
            None => self.risk[record],
        }
    }

    /// Those of all, in the order of the file.
    fn each(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.n_records).map(|record| self.at(record))
    }
}

/// The sum of all risks.
///
/// Records whose class the sample holds as a whole have a risk of 1/f. They are counted by f first:
/// thirty of 1/10 are 3, where a sum of thirty doubles may be one rounding off, and the mean with it.
fn expected_reidentifications(risk: &RecordRisks<'_>, counted: &Frequencies) -> f64 {
    let is_whole = |i: usize| counted.big_f(i) <= f64::from(counted.f[i]);
    // Most classes are small: their sizes need no search.
    let mut n_of_small = [0_u64; 1 << 10];
    let mut n_of_large: BTreeMap<u32, u64> = BTreeMap::new();
    for i in (0..risk.n_records).filter(|&i| is_whole(i)) {
        let f = counted.f[i];
        match n_of_small.get_mut(f as usize) {
            Some(n) => *n += 1,
            None => *n_of_large.entry(f).or_default() += 1,
        }
    }
    let of_small = (0..).zip(n_of_small).filter(|&(_, n)| n > 0);
    let of_sizes = of_small.chain(n_of_large);
    let of_whole = compensated(of_sizes.map(|(f, n)| n as f64 / f64::from(f)));
    of_whole
        + sum_by(
            risk.n_records,
            |i| if is_whole(i) { 0.0 } else { risk.at(i) },
        )
}

fn n_above(risk: impl Iterator<Item = f64>, threshold: f64) -> f64 {
    risk.filter(|&r| r > threshold).count() as f64
}

/// The largest r* such that the mean of min(r, r*) over records is at most the rate: if no record
/// exceeds it, the file keeps to the rate, and a smaller one asks for more than that.
fn risk_limit(risk: Vec<f64>, rate: f64) -> Option<f64> {
    /// What rounding may take from a sum of risks or add to it.
    const TOLERANCE: f64 = 1e-12;
    let mut sorted = risk;
    sorted.sort_unstable_by(f64::total_cmp);
    let largest = sorted.last().copied()?;
    let n = sorted.len();
    let accepted = rate * n as f64;
    let (mut sum_below, mut before) = (TwoDoubles::from(0.0), 0.0);
    for (n_below, &r) in sorted.iter().enumerate() {
        let n_from_here = (n - n_below) as f64;
        let reached = sum_below.nearest() + n_from_here * r;
        if reached > accepted * (1.0 + TOLERANCE) {
            let limit = (accepted - sum_below.nearest()) / n_from_here;
            // The risk before this one was within the rate, and stays so.
            return Some(limit.max(before));
        }
        sum_below = sum_below.plus(TwoDoubles::from(r));
        before = r;
    }
    Some(largest)
}

/// The risks of households: 1 - Π (1 - r) over their members, to fifteen decimals, so that neither
/// rounding nor the order of members decides whether one is above a threshold. A record without
/// household id is a household of its own.
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
        let mut has_several = vec![false; n_numbers];
        for (record, (&number, r)) in numbers.iter().zip(risk).enumerate() {
            if has_id(record) {
                // R + r - R r, which for one member is r to the last bit.
                let number = number as usize;
                has_several[number] = of_number[number].is_some();
                let joint = of_number[number].get_or_insert(0.0);
                *joint += r * (1.0 - *joint);
            }
        }
        for (joint, _) in of_number
            .iter_mut()
            .zip(has_several)
            .filter(|(_, has)| *has)
        {
            *joint = joint.map(|joint| settled(joint, FIFTEEN_DECIMALS));
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

    fn give_figures(&self, found: &mut Measurement, threshold: f64) {
        let n = self.of_record.len();
        found.give(&HOUSEHOLD_EXPECTED, sum_by(n, |i| self.of_record[i]));
        found.give(&HOUSEHOLD_MAX, self.risks.iter().copied().reduce(f64::max));
        found.give(&HOUSEHOLDS, self.risks.len() as f64);
        found.give(
            &HOUSEHOLDS_ABOVE,
            n_above(self.risks.iter().copied(), threshold),
        );
    }
}

fn risk_bands(risk: &RecordRisks<'_>) -> Series {
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
        let inside = risk.each().filter(|&r| r >= low && r < high).count();
        points.push(Part::new(label, inside as f64));
        low = high;
    }
    Series::new("records by individual risk", "records", Unit::Count, points)
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
        assert!((n_above(found.risks.iter().copied(), 0.3) - 1.0).abs() < 0.5);
    }

    #[test]
    fn a_rate_gives_the_risk_that_no_record_may_exceed() {
        let risk = [0.5, 0.1, 0.2, 0.0];
        let near = |found: Option<f64>, expected: f64| {
            assert!((found.unwrap() - expected).abs() < 1e-15, "{found:?}");
        };
        // 0.1 + 0.2 + 0 = 0.3 below the first: 4 * 0.15 - 0.3 = 0.3 is left for it.
        near(risk_limit(risk.to_vec(), 0.15), 0.3);
        // Three from 0.1 on, 4 * 0.06 = 0.24: 0.08 each.
        near(risk_limit(risk.to_vec(), 0.06), 0.08);
        // The file keeps to the rate of 0.2 already.
        near(risk_limit(risk.to_vec(), 0.2), 0.5);
        near(risk_limit(risk.to_vec(), 0.0), 0.0);
        assert_eq!(risk_limit(Vec::new(), 0.1), None);
    }

    #[test]
    fn records_at_the_limit_of_a_rate_are_not_above_it() {
        // All have the accepted risk, however many they are and however their sum is rounded.
        for n in 1..=300 {
            for f in [3.0, 7.0, 10.0, 49.0] {
                let risk = vec![1.0 / f; n];
                let limit = risk_limit(risk.clone(), 1.0 / f).unwrap();
                assert_eq!(limit.to_bits(), (1.0 / f).to_bits(), "{n} records of 1/{f}");
                // One that is certain: the rate leaves room for the others and 1/f of it.
                let mut risk = risk;
                risk.push(1.0);
                let limit = risk_limit(risk.clone(), 1.0 / f).unwrap();
                assert!(
                    n_above(risk.iter().copied(), limit) < 1.5,
                    "{n} records of 1/{f} and one of 1"
                );
            }
        }
    }

    #[test]
    fn a_household_at_the_threshold_is_not_above_it() {
        // 1 - (1 - 1/4)(1 - 1/3) = 1/2 and 1 - (1 - 1/10)^3 = 0.271, in any order.
        let attribute = Arc::new(Attribute::new("hid", Role::Household, Kind::Unordered));
        let joint = |risk: &[f64]| {
            let missing = None;
            let levels = Arc::new(Levels::from_texts(["a"]));
            let codes = vec![0; risk.len()];
            let column = Column::categorical(attribute.clone(), codes, levels, missing);
            let table = Table::new(vec![column], risk.len());
            Households::of(&table, 0, risk).risks[0]
        };
        for (risk, expected) in [
            (&[0.25, 1.0 / 3.0][..], 0.5_f64),
            (&[1.0 / 3.0, 0.25], 0.5),
            (&[0.1, 0.1, 0.1], 0.271),
        ] {
            assert_eq!(joint(risk).to_bits(), expected.to_bits(), "{risk:?}");
        }
    }

    #[test]
    fn the_risks_of_whole_classes_add_up_to_their_number() {
        // C classes of f: C re-identifications, and a mean of 1/f.
        for f in 1..=60_u32 {
            for n_classes in 1..=40_u32 {
                let n = (f * n_classes) as usize;
                let counted = Frequencies {
                    f: vec![f; n],
                    weight: None,
                    n_classes: n_classes as usize,
                };
                let risk = RecordRisks {
                    class: None,
                    risk: vec![1.0 / f64::from(f); n],
                    n_records: n,
                };
                let expected = expected_reidentifications(&risk, &counted);
                assert_eq!(expected.to_bits(), f64::from(n_classes).to_bits());
                let mean = expected / n as f64;
                assert_eq!(mean.to_bits(), (1.0 / f64::from(f)).to_bits());
            }
        }
    }
}
