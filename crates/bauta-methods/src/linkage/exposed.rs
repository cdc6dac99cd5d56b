//! Who is found: the records that are found most surely, and outliers apart from the others.

use super::linked::Linked;
use crate::error::MethodError;
use crate::pair::Pair;
use crate::pair::outliers::outliers;

/// Records that are named as most exposed.
const N_EXPOSED: usize = 10;
/// Share of the records that count as outliers (Mateo-Sanz 2004, §3).
const OUTLIERS: f64 = 0.05;

/// Who is found where the truth is known. Confidential.
#[derive(Clone, PartialEq, Debug)]
pub struct Exposure {
    /// The records that are found most surely, the largest weight first; then more of the outliers among them.
    pub most: Vec<ExposedRecord>,
    /// How many outliers are found, and how many others; none where no variable is a number.
    pub apart: Option<[FoundOf; 2]>,
}

/// A masked record that is found.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ExposedRecord {
    /// Position of its original.
    pub original: usize,
    /// Probability that its link is the right one.
    pub found: f64,
    /// What the pair weighs.
    pub weight: f64,
    /// Whether the original is an outlier; none where no variable is a number.
    pub is_outlier: Option<bool>,
}

/// How many of some masked records are found.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct FoundOf {
    /// Masked records.
    pub n: usize,
    /// Right links.
    pub correct: f64,
}

impl FoundOf {
    /// Right links per record; none without records.
    pub fn rate(&self) -> Option<f64> {
        (self.n > 0).then(|| self.correct / self.n as f64)
    }
}

impl Exposure {
    /// Who is found by links of a pair of files; none where the truth is not known. Outliers are those of the original
    /// file in the variables that are linked by.
    pub fn of(
        linked: &Linked,
        pair: &Pair<'_>,
        on: &[String],
    ) -> Result<Option<Self>, MethodError> {
        let Some(truth) = &linked.truth else {
            return Ok(None);
        };
        let has_numbers = on.iter().any(|name| {
            let column = pair.original.column_named(name);
            column.is_some_and(|column| column.as_numeric().is_some())
        });
        let marks = has_numbers.then(|| outliers(pair.original, on, OUTLIERS));
        let marks = marks.transpose()?;
        let n = truth.credits.len();
        // A record whose original is not in the file is no outlier of it.
        let is_outlier = |record: usize| {
            let at = pair.original_record(record);
            marks
                .as_ref()
                .map(|marks| marks.get(at).copied().unwrap_or(false))
        };
        let mut exposed: Vec<usize> = (0..n).filter(|&one| truth.credits[one] > 0.0).collect();
        exposed.sort_by(|&a, &b| {
            let by_credit = truth.credits[b].total_cmp(&truth.credits[a]);
            by_credit.then(truth.true_weights[b].total_cmp(&truth.true_weights[a]))
        });
        let mut listed: Vec<usize> = exposed.iter().copied().take(N_EXPOSED).collect();
        let stand_out = exposed.iter().copied();
        let stand_out = stand_out.filter(|&one| is_outlier(one) == Some(true));
        for record in stand_out.take(N_EXPOSED) {
            if !listed.contains(&record) {
                listed.push(record);
            }
        }
        let most = listed.into_iter().map(|record| ExposedRecord {
            original: pair.original_record(record),
            found: truth.credits[record],
            weight: truth.true_weights[record],
            is_outlier: is_outlier(record),
        });
        let apart = marks.is_some().then(|| {
            let mut apart = [FoundOf::default(); 2];
            for (record, credit) in truth.credits.iter().enumerate() {
                let of = &mut apart[usize::from(is_outlier(record) != Some(true))];
                of.n += 1;
                of.correct += credit;
            }
            apart
        });
        Ok(Some(Self {
            most: most.collect(),
            apart,
        }))
    }
}
