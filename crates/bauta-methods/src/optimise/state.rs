//! What moves: the records that may change, and everything that follows from them, kept up to date.

use rayon::prelude::*;

use super::ground::{Ground, by_row};
use super::settings::Settings;
use super::{Distance, Start};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::numbers::sums::compensated;
use crate::kernel::space::nearest::Nearest;
use crate::kernel::space::points::squared_distance;

/// Records per parallel block.
const BLOCK: usize = 1024;

/// The records that may change.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// Position of each in the masked file.
    pub(super) records: Vec<u32>,
    /// Standardised values, `stride` to a record; those beyond the variables are 0.
    pub(super) z: Vec<f64>,
    /// Values.
    pub(super) x: Vec<f64>,
    /// Nearest original record of each.
    nearest: Vec<u32>,
    /// The original that each came from; empty where nobody knows.
    own: Vec<u32>,
    /// What each adds to IL1, d n' over.
    parts: Vec<f64>,
    /// What each adds to the weighed risk.
    exposures: Vec<f64>,
    /// Sums of products over the records that stay as they are.
    fixed_sums: Vec<f64>,
    /// IL1 of those, d n' over, and their weighed risk.
    fixed_il1: f64,
    fixed_exposure: f64,
    /// Difference of each moment from the original's.
    pub(super) gaps: Vec<f64>,
    e: f64,
    il1: f64,
    exposure: f64,
    weight_dld: f64,
    weight_id: f64,
    stride: usize,
}

/// A new value that could take the place of an old one, and what it would do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trial {
    pub(super) open: usize,
    pub(super) variable: usize,
    pub(super) x: f64,
    pub(super) z: f64,
    /// Change of E.
    pub(super) e: f64,
}

/// What a trial does to everything else.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    nearest: u32,
    part: f64,
    exposure: f64,
}

impl State {
    pub(super) fn of(
        start: &Start<'_>,
        ground: &Ground,
        settings: &Settings,
        context: &RunContext<'_>,
    ) -> Result<Self, MethodError> {
        let (d, stride, n) = (
            ground.n_variables(),
            ground.points.stride(),
            ground.n_masked,
        );
        let x = by_row(start.masked);
        let mut z = vec![0.0; n * stride];
        for (z, x) in z.chunks_exact_mut(stride).zip(x.chunks_exact(d)) {
            for ((z, x), variable) in z.iter_mut().zip(x).zip(&ground.variables) {
                *z = variable.standardised(*x);
            }
        }
        let nearest = nearest_of(ground, &z, &|| context.go_on())?;
        let parts: Vec<f64> = (0..n)
            .map(|i| {
                let (x, z) = (&x[i * d..][..d], &z[i * stride..][..d]);
                ground.relative_distance(x, z, nearest[i])
            })
            .collect();
        // M: those that contribute most to IL1; of equals the first.
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_by(|&a, &b| parts[b as usize].total_cmp(&parts[a as usize]));
        let n_open = ((settings.q * n as f64).round() as usize).clamp(n.min(1), n);
        let mut records = order[..n_open].to_vec();
        records.sort_unstable();
        let mut is_open = vec![false; n];
        for &record in &records {
            is_open[record as usize] = true;
        }
        let mut state = Self {
            z: taken(&z, stride, &records),
            x: taken(&x, d, &records),
            nearest: records.iter().map(|&i| nearest[i as usize]).collect(),
            own: start.own.map_or_else(Vec::new, |own| {
                records.iter().map(|&i| own[i as usize]).collect()
            }),
            parts: records.iter().map(|&i| parts[i as usize]).collect(),
            exposures: Vec::new(),
            records,
            fixed_sums: Vec::new(),
            fixed_il1: 0.0,
            fixed_exposure: 0.0,
            gaps: Vec::new(),
            e: 0.0,
            il1: 0.0,
            exposure: 0.0,
            weight_dld: settings.weight_dld,
            weight_id: settings.weight_id,
            stride,
        };
        let others: Vec<u32> = (0..n as u32).filter(|&i| !is_open[i as usize]).collect();
        state.fixed_sums = ground.terms.sums(&taken(&z, stride, &others), stride);
        state.fixed_il1 = compensated(others.iter().map(|&i| parts[i as usize]));
        state.fixed_exposure = compensated(others.iter().map(|&i| {
            let i = i as usize;
            let own = start.own.map(|own| own[i]);
            state.exposure_of(ground, &x[i * d..][..d], nearest[i], own)
        }));
        state.add_up(ground);
        Ok(state)
    }

    /// Number of records that may change.
    pub(super) fn n_open(&self) -> usize {
        self.records.len()
    }

    /// Everything that is kept up to date, from the values alone.
    pub(super) fn refresh(&mut self, ground: &Ground) {
        if let Ok(nearest) = nearest_of(ground, &self.z, &|| Ok(())) {
            self.nearest = nearest;
        }
        self.add_up(ground);
    }

    /// The same where the nearest records are known.
    fn add_up(&mut self, ground: &Ground) {
        let d = ground.n_variables();
        let n = ground.n_masked.max(1) as f64;
        let sums = ground.terms.sums(&self.z, self.stride);
        let fixed = self.fixed_sums.iter().zip(&ground.targets);
        self.gaps = sums
            .iter()
            .zip(fixed)
            .map(|(sum, (fixed, target))| (sum + fixed) / n - target)
            .collect();
        self.e = self.e_of_gaps(ground);
        self.parts = (0..self.n_open())
            .map(|open| {
                let (x, z) = (&self.x[open * d..][..d], &self.z[open * self.stride..][..d]);
                ground.relative_distance(x, z, self.nearest[open])
            })
            .collect();
        self.exposures = (0..self.n_open())
            .map(|open| {
                let x = &self.x[open * d..][..d];
                let own = self.own.get(open).copied();
                self.exposure_of(ground, x, self.nearest[open], own)
            })
            .collect();
        self.il1 = self.fixed_il1 + compensated(self.parts.iter().copied());
        self.exposure = self.fixed_exposure + compensated(self.exposures.iter().copied());
    }

    fn e_of_gaps(&self, ground: &Ground) -> f64 {
        let weighed = ground.weights.iter().zip(&self.gaps);
        compensated(weighed.map(|(weight, gap)| weight * gap * gap))
    }

    /// E and IL1 as they are kept.
    pub(super) fn distance(&self, ground: &Ground) -> Distance {
        Distance {
            e: self.e,
            il1: il1_of(ground, self.il1),
        }
    }

    /// The same, found anew from the values alone.
    pub(super) fn recomputed(&self, ground: &Ground) -> Distance {
        let mut anew = self.clone();
        anew.refresh(ground);
        anew.distance(ground)
    }

    /// E and the weighed risk.
    pub(super) fn objective(&self) -> f64 {
        self.e + self.exposure
    }

    /// What a record adds to the weighed risk.
    fn exposure_of(&self, ground: &Ground, x: &[f64], nearest: u32, own: Option<u32>) -> f64 {
        if self.weight_dld == 0.0 && self.weight_id == 0.0 {
            return 0.0;
        }
        let n = ground.n_masked.max(1) as f64;
        let mut exposure = 0.0;
        if own == Some(nearest) {
            exposure += self.weight_dld / n;
        }
        if self.weight_id > 0.0 {
            // The record that a reader would take for its original.
            let near = x
                .iter()
                .enumerate()
                .map(|(j, &value)| ground.share_near(j, value, nearest));
            exposure += self.weight_id * near.sum::<f64>() / (n * x.len() as f64);
        }
        exposure
    }

    /// A record's standardised values.
    pub(super) fn row(&self, open: usize) -> &[f64] {
        &self.z[open * self.stride..][..self.stride]
    }

    /// The slope of E in one value.
    pub(super) fn slope(&self, ground: &Ground, open: usize, variable: usize) -> f64 {
        let mut slope = 0.0;
        ground.terms.slopes(self.row(open), variable, |term, by| {
            slope += 2.0 * ground.weights[term] * self.gaps[term] * by;
        });
        slope / ground.n_masked as f64
    }

    /// What a new value would do to E.
    pub(super) fn trial(&self, ground: &Ground, open: usize, variable: usize, x: f64) -> Trial {
        let z = ground.variables[variable].standardised(x);
        let n = ground.n_masked as f64;
        let mut e = 0.0;
        ground
            .terms
            .changes(self.row(open), variable, z, |term, by| {
                let by = by / n;
                e += ground.weights[term] * by * (2.0 * self.gaps[term] + by);
            });
        Trial {
            open,
            variable,
            x,
            z,
            e,
        }
    }

    /// The most by which the weighed risk could fall if a record changed.
    pub(super) fn exposure_at(&self, open: usize) -> f64 {
        self.exposures[open]
    }

    /// What a trial does besides. The room holds a record.
    pub(super) fn outcome(&self, ground: &Ground, trial: &Trial, room: &mut Vec<f64>) -> Outcome {
        let d = ground.n_variables();
        room.clear();
        room.extend_from_slice(self.row(trial.open));
        room[trial.variable] = trial.z;
        let before = self.nearest[trial.open];
        let known = squared_distance(room, ground.points.point(before as usize));
        let Nearest { row: nearest, .. } = ground.tree.nearest(room, known);
        let mut x = [0.0; 64];
        let mut long;
        let x: &mut [f64] = if d <= x.len() {
            &mut x[..d]
        } else {
            long = vec![0.0; d];
            &mut long
        };
        x.copy_from_slice(&self.x[trial.open * d..][..d]);
        x[trial.variable] = trial.x;
        let own = self.own.get(trial.open).copied();
        Outcome {
            nearest,
            part: ground.relative_distance(x, &room[..d], nearest),
            exposure: self.exposure_of(ground, x, nearest, own),
        }
    }

    /// IL1 after a trial.
    pub(super) fn il1_after(&self, ground: &Ground, trial: &Trial, outcome: &Outcome) -> f64 {
        il1_of(ground, self.il1 - self.parts[trial.open] + outcome.part)
    }

    /// Change of the objective.
    pub(super) fn change(&self, trial: &Trial, outcome: &Outcome) -> f64 {
        trial.e + outcome.exposure - self.exposures[trial.open]
    }

    /// Makes a trial so.
    pub(super) fn accept(&mut self, ground: &Ground, trial: &Trial, outcome: &Outcome) {
        let n = ground.n_masked as f64;
        let row = trial.open * self.stride;
        let (z, gaps) = (&self.z[row..row + self.stride], &mut self.gaps);
        ground
            .terms
            .changes(z, trial.variable, trial.z, |term, by| gaps[term] += by / n);
        self.e = (self.e + trial.e).max(0.0);
        self.il1 += outcome.part - self.parts[trial.open];
        self.exposure += outcome.exposure - self.exposures[trial.open];
        self.parts[trial.open] = outcome.part;
        self.exposures[trial.open] = outcome.exposure;
        self.nearest[trial.open] = outcome.nearest;
        self.z[row + trial.variable] = trial.z;
        self.x[trial.open * ground.n_variables() + trial.variable] = trial.x;
    }

    /// E from the gaps, which rounding has not added up in.
    pub(super) fn settle(&mut self, ground: &Ground) {
        self.e = self.e_of_gaps(ground);
    }

    /// All records by variable.
    pub(super) fn columns(&self, start: &Start<'_>) -> Vec<Vec<f64>> {
        let d = start.masked.len();
        let mut columns: Vec<Vec<f64>> = start.masked.iter().map(|x| x.to_vec()).collect();
        for (open, &record) in self.records.iter().enumerate() {
            for (column, x) in columns.iter_mut().zip(&self.x[open * d..][..d]) {
                column[record as usize] = *x;
            }
        }
        columns
    }
}

/// The nearest original of each record.
fn nearest_of(
    ground: &Ground,
    z: &[f64],
    go_on: &(dyn Fn() -> Result<(), MethodError> + Sync),
) -> Result<Vec<u32>, MethodError> {
    let stride = ground.points.stride().max(1);
    let blocks: Result<Vec<Vec<u32>>, MethodError> = z
        .par_chunks(BLOCK * stride)
        .map(|block| {
            go_on()?;
            let rows = block.chunks_exact(stride);
            let nearest = rows.map(|z| ground.tree.nearest(z, f64::INFINITY).row);
            Ok(nearest.collect())
        })
        .collect();
    Ok(blocks?.concat())
}

/// IL1 of a sum over cells.
fn il1_of(ground: &Ground, sum: f64) -> f64 {
    sum / (ground.n_variables() * ground.n_masked).max(1) as f64
}

fn taken(rows: &[f64], stride: usize, records: &[u32]) -> Vec<f64> {
    records
        .iter()
        .flat_map(|&record| &rows[record as usize * stride..][..stride])
        .copied()
        .collect()
}
