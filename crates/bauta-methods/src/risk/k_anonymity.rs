#![doc = include_str!("k_anonymity.md")]

use crate::card::{Card, ConstValue, Family, ParamDefault, ParamSpec, ParamType, Randomness};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::keys::asked::{KEY_TARGETS, SEMANTICS, count};
use crate::measure::{
    Better, Measure, MeasureTask, Measurement, Part, Reading, Scope, Series, Subject,
};

/// Smallest class of equal keys. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct KAnonymity;

static CARD: Card = Card {
    id: "k-anonymity",
    title: "k-anonymity",
    summary: "size of the smallest class of records that share their key",
    family: Family::Risk,
    page: include_str!("k_anonymity.md"),
    params: &[
        SEMANTICS,
        ParamSpec {
            name: "k",
            meaning: "class sizes to report violations for: records whose class is smaller",
            ty: ParamType::Integers {
                min: 2,
                max: i64::MAX,
            },
            default: ParamDefault::Value(ConstValue::Integers(&[2, 3, 5])),
        },
    ],
    targets: KEY_TARGETS,
    randomness: Randomness::None,
    references: &["sweeney2002", "bergeat2015"],
};

impl Measure for KAnonymity {
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
            min: 1.0,
            max: f64::INFINITY,
            better: Better::Higher,
            at_identity: None,
            value_name: "smallest class",
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
        let mut found = Measurement {
            value: counted.f.iter().min().map(|&f| f64::from(f)),
            ..Measurement::default()
        };
        let below = |k: i64| counted.f.iter().filter(|&&f| i64::from(f) < k).count() as f64;
        found.push_part("records", n as f64);
        found.push_part("classes", counted.n_classes as f64);
        found.push_part("uniques", below(2));
        for &k in task.params.integers("k") {
            found.push_part(format!("below_{k}"), below(k));
        }
        for &k in task.params.integers("k") {
            found.push_part(
                format!("share_below_{k}"),
                (n > 0).then(|| below(k) / n as f64),
            );
        }
        found.series.push(class_sizes(&counted.f));
        found.per_record = Some(counted.f.iter().map(|&f| f64::from(f)).collect());
        Ok(found)
    }
}

/// Records by the size of their class, in bands that do not depend on the file.
fn class_sizes(f: &[u32]) -> Series {
    const BANDS: [(u32, u32, &str); 8] = [
        (1, 1, "1"),
        (2, 2, "2"),
        (3, 4, "3-4"),
        (5, 9, "5-9"),
        (10, 19, "10-19"),
        (20, 49, "20-49"),
        (50, 99, "50-99"),
        (100, u32::MAX, "100+"),
    ];
    let points = BANDS
        .iter()
        .map(|&(low, high, label)| Part {
            name: label.to_owned(),
            value: Some(f.iter().filter(|&&f| (low..=high).contains(&f)).count() as f64),
        })
        .collect();
    Series {
        name: "records by class size".to_owned(),
        unit: "records".to_owned(),
        points,
    }
}
