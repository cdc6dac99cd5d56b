//! How far the values of a key were changed: the inversion-change factor of Truta (2004, section 2).

use bauta_data::{Column, Kind};
use rayon::prelude::*;

use crate::error::MethodError;
use crate::kernel::numbers::sums::compensated;
use crate::keys::codes::key_codes;
use crate::pair::Pair;
use crate::risk::global_risk::clusters::KeyCodes;
use crate::risk::global_risk::inversions::{both, inversions};
use crate::risk::global_risk::weak_change::{OwnTable, WeakChange};

/// Which original records are in the masked file, and where.
pub(crate) struct Released {
    /// Whether each original record is there.
    pub(crate) is_there: Vec<bool>,
    /// The masked record of each original one; none while all are there in their order.
    masked_of: Option<Vec<u32>>,
}

impl Released {
    /// Refuses a masked file that has a record twice: more could be disclosed than there is.
    pub(crate) fn of(pair: &Pair<'_>) -> Result<Self, MethodError> {
        let n = pair.original.n_records();
        if pair.masked.rows_as_in_source() {
            return Ok(Self {
                is_there: vec![true; n],
                masked_of: None,
            });
        }
        let mut masked_of = vec![u32::MAX; n];
        for record in 0..pair.masked.n_records() {
            let place = &mut masked_of[pair.original_record(record)];
            if *place != u32::MAX {
                return Err(MethodError::request(
                    "more than one masked record came from the same original record",
                    "give a masked file that has each record at most once",
                ));
            }
            *place = record as u32;
        }
        Ok(Self {
            is_there: masked_of.iter().map(|&at| at != u32::MAX).collect(),
            masked_of: Some(masked_of),
        })
    }

    /// Masked codes in the order of the original records; 0 for those that are gone.
    fn aligned(&self, codes: Vec<u32>) -> Vec<u32> {
        match &self.masked_of {
            None => codes,
            Some(masked_of) => masked_of
                .iter()
                .map(|&at| codes.get(at as usize).copied().unwrap_or(0))
                .collect(),
        }
    }
}

/// A key in both files as codes, and its inversion-change factor.
pub(crate) fn key_and_factor(
    original: &Column,
    masked: &Column,
    released: &Released,
    own: Option<&OwnTable>,
) -> Result<(KeyCodes, f64), MethodError> {
    let (x, z) = (key_codes(original), key_codes(masked));
    let key = KeyCodes {
        x: x.codes.to_vec(),
        z: released.aligned(z.codes.to_vec()),
        n_x: x.n_values,
        n_z: z.n_values,
    };
    let is_ordered = matches!(original.attribute().kind, Kind::Continuous | Kind::Ordered);
    let factor = if is_ordered {
        inversion_factor(&key, released)
    } else {
        let change = WeakChange::new(original, masked, own)?;
        change_factor(&key, released, &change)
    };
    Ok((key, factor))
}

/// Released records: all (r), those with a value in one of the files only, those in both.
struct Counts {
    r: usize,
    in_one: usize,
}

impl Counts {
    fn of(key: &KeyCodes, released: &Released) -> Self {
        let cells = key.x.par_iter().zip(&key.z).zip(&released.is_there);
        let (r, in_one) = cells
            .with_min_len(4096)
            .filter(|(_, there)| **there)
            .map(|((&x, &z), _)| (1, usize::from((x == 0) != (z == 0))))
            .reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        Self { r, in_one }
    }
}

/// (2.5) among the records with both values; a value that is in one file only counts as a whole
/// change, one that is in neither as none.
fn inversion_factor(key: &KeyCodes, released: &Released) -> f64 {
    let counts = Counts::of(key, released);
    let cells = key.x.par_iter().zip(&key.z);
    let ranks: Vec<u64> = cells
        .with_min_len(4096)
        .filter(|(x, z)| **x != 0 && **z != 0)
        .map(|(&x, &z)| both(x, z))
        .collect();
    let present = ranks.len();
    let pairs = present as f64 * present.saturating_sub(1) as f64;
    let inverted = inversions(ranks) as f64;
    let factor = if pairs > 0.0 {
        (4.0 * inverted / pairs).min(1.0)
    } else {
        0.0
    };
    if counts.in_one == 0 && present == counts.r {
        return factor;
    }
    share(counts.in_one as f64 + present as f64 * factor, counts.r)
}

/// (2.7) and (2.8): the mean of the (weak) change factors over the released records.
fn change_factor(key: &KeyCodes, released: &Released, change: &WeakChange<'_>) -> f64 {
    let counts = Counts::of(key, released);
    let (n_masked, n_original) = change.n_values();
    // Pairs of values and how often each occurs: each factor is worked out once.
    let mut pairs: Vec<u64> = key
        .x
        .par_iter()
        .zip(&key.z)
        .with_min_len(4096)
        .filter(|(x, z)| **x != 0 && **z != 0)
        .map(|(&x, &z)| both(x - 1, z - 1))
        .collect();
    let terms: Vec<f64> = if (n_masked as u64) * (n_original as u64) <= 1 << 20 {
        let mut n_records = vec![0_u32; n_masked * n_original];
        for &pair in &pairs {
            n_records[(pair >> 32) as usize * n_masked + pair as u32 as usize] += 1;
        }
        let cells = n_records.iter().enumerate().filter(|(_, n)| **n > 0);
        cells
            .map(|(cell, &n)| {
                let (x, z) = ((cell / n_masked) as u32, (cell % n_masked) as u32);
                f64::from(n) * change.factor(x, z)
            })
            .collect()
    } else {
        pairs.par_sort_unstable();
        let runs = pairs.chunk_by(|a, b| a == b);
        runs.map(|run| run.len() as f64 * change.factor((run[0] >> 32) as u32, run[0] as u32))
            .collect()
    };
    share(
        counts.in_one as f64 + compensated(terms.into_iter()),
        counts.r,
    )
}

fn share(changed: f64, r: usize) -> f64 {
    if r == 0 {
        return 0.0;
    }
    // Rounding must not make more of it than all.
    (changed / r as f64).min(1.0)
}
