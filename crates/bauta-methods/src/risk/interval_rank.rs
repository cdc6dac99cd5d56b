#![doc = include_str!("interval_rank.md")]

use rayon::prelude::*;

use crate::card::{Card, Family, ParamSpec, Scaling};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::kernel::numbers::ranks::RowSorter;
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Threat};
use crate::missing::{MISSING, Missing};
use crate::pair::interval_widths::{N_WIDTHS, WIDTHS, WidthShares, hits_by_width};
use crate::pair::records::{
    BLOCK, CORRESPONDENCE, Correspondence, VariablePair, matched, n_defined, variable_pairs,
};
use crate::params::{ParamProblem, Params, choices};

/// Share of original values near their masked value, in ranks. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct IntervalRank;

choices! {
    /// Which rank equal masked values have.
    pub enum Ties {
        Row = "row": "in the order of their rows, so that the order of the file matters",
        Share = "share": "each of their ranks in equal parts",
    }
}

/// Which rank equal masked values have: shared by the measures that rank them.
pub(crate) const TIES: ParamSpec =
    ParamSpec::choice::<Ties>("ties", "which rank equal masked values have").or_word("row");

impl Ties {
    /// What was asked for by [`TIES`].
    pub(crate) fn asked(params: &Params) -> Self {
        params.choice_of(TIES.name)
    }
}

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "interval-rank",
        title: "Interval disclosure by rank (RID)",
        summary: "share of original values within 1 to 10 % of the ranks around their masked value",
        family: Family::Risk,
        page: include_str!("interval_rank.md"),
        params: &[CORRESPONDENCE, TIES, MISSING],
        scaling: Scaling::Rank,
        references: &["mateo2004", "sebe2002"],
        ..MeasureCard::LOSS.card
    },
    at_identity: Some(1.0),
    value: FigureSpec::value("share disclosed", Unit::Share)
        .within(0.0, 1.0)
        .lower_is_better(),
    threat: Threat::Inference,
    ..MeasureCard::LOSS
};

/// Which records are compared, and how equal and missing values count.
pub struct Settings {
    correspondence: Option<Correspondence>,
    ties: Ties,
    missing: Missing,
}

impl MeasureMethod for IntervalRank {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Ok(Settings {
            correspondence: Correspondence::asked(params),
            ties: Ties::asked(params),
            missing: Missing::asked(params),
        })
    }

    fn measure(
        &self,
        settings: &Settings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        matched(settings.correspondence, task, context, |task| {
            disclosed(settings.ties, settings.missing, task, context)
        })
    }
}

/// The share of original values within the rank intervals around the masked values that they
/// correspond to.
pub(crate) fn disclosed(
    ties: Ties,
    missing: Missing,
    task: &MeasureTask<'_>,
    context: &RunContext<'_>,
) -> Result<Measurement, MethodError> {
    let variables = variable_pairs(missing, task, context)?;
    let mut shares = WidthShares::new(task.both()?.masked.n_records(), context);
    // As many columns at a time as can be worked on, so that memory does not grow with their
    // number; each place keeps its memory, since fetching it anew takes longer than the work.
    let is_on_disk = variables.iter().any(VariablePair::is_on_disk);
    let n_places = if is_on_disk {
        1
    } else {
        rayon::current_num_threads()
    };
    let mut places = vec![Place::default(); n_places];
    for (round, at_once) in variables.chunks(n_places).enumerate() {
        context.progress(round * n_places, variables.len())?;
        let by_width: Vec<[f64; N_WIDTHS]> = at_once
            .par_iter()
            .zip(&mut places)
            .map(|(variable, place)| place.count(variable, ties))
            .collect();
        for ((variable, place), by_width) in at_once.iter().zip(&places).zip(by_width) {
            shares.add(variable.name, n_defined(&place.misses), by_width);
            shares.add_records(0, &place.misses);
        }
    }
    Ok(shares.finish())
}

/// Memory for the work on one variable.
#[derive(Clone, Debug, Default)]
struct Place {
    sorter: RowSorter,
    /// Masked and original value by record.
    pairs: Vec<(f64, f64)>,
    /// Masked values, and the original values that belong to them, in the order of ranks.
    z: Vec<f64>,
    x: Vec<f64>,
    first_widths: Vec<u8>,
    /// By record, the number of widths that do not hold its original value; NaN where a value is
    /// missing.
    misses: Vec<f64>,
}

impl Place {
    /// Finds the misses of one variable; returns how many values each width holds.
    fn count(&mut self, variable: &VariablePair<'_>, ties: Ties) -> [f64; N_WIDTHS] {
        let n = variable.n_records();
        // All of them, given back after the look.
        let masked = variable.masked.some(0..n);
        let rows = self.sorter.rows_by_value(&masked);
        drop(masked);
        // Side by side first, so that one look far away finds both.
        self.pairs.clear();
        for first in (0..n).step_by(BLOCK) {
            let values = variable.of_records(first..n.min(first + BLOCK));
            self.pairs.extend(values.pairs().map(|(x, z)| (z, x)));
        }
        self.z.resize(rows.len(), 0.0);
        self.x.resize(rows.len(), 0.0);
        for ((z, x), &row) in self.z.iter_mut().zip(&mut self.x).zip(rows) {
            (*z, *x) = self.pairs[row as usize];
        }
        let (z, x) = (&self.z, &self.x);
        let w = rank_widths(z.len());
        find_first_widths(z, x, &w, &mut self.first_widths);
        self.misses.clear();
        self.misses.resize(n, f64::NAN);
        let misses = &mut self.misses;
        let mut by_row = |rank: usize, figure: f64| {
            if !x[rank].is_nan() {
                misses[rows[rank] as usize] = figure;
            }
        };
        match ties {
            Ties::Row => {
                for (rank, &first) in self.first_widths.iter().enumerate() {
                    by_row(rank, f64::from(first));
                }
                hits_by_width(misses)
            }
            Ties::Share => shared_misses(z, x, &w, &self.first_widths, by_row),
        }
    }
}

/// w = floor(n p) for p = 1 %, …, 10 %. In whole numbers: 0.07 · 100 is 7.000000000000001 in binary,
/// and 0.29 · 100 is less than 29.
fn rank_widths(n: usize) -> [usize; N_WIDTHS] {
    let mut percent = WIDTHS;
    std::array::from_fn(|_| n * usize::from(percent.next().unwrap_or_default()) / 100)
}

/// For each rank r the number of widths w without z[r - w] ≤ x ≤ z[r + w], the ends of the ranks
/// standing for what lies beyond them. Wider intervals hold more, so that this is also the first
/// width that holds x.
fn find_first_widths(z: &[f64], x: &[f64], w: &[usize; N_WIDTHS], found: &mut Vec<u8>) {
    /// Ranks at a time, so that they stay near.
    const BLOCK: usize = 2048;
    let n = z.len();
    found.clear();
    found.resize(n, 0);
    for (block, misses) in found.chunks_mut(BLOCK).enumerate() {
        let (first, len) = (block * BLOCK, misses.len());
        let x = &x[first..first + len];
        for &w in w {
            // Each comparison runs along two rows of numbers side by side.
            let n_inside = (n - w).saturating_sub(first).min(len);
            let above = &z[(first + w).min(n)..];
            for ((misses, z), x) in misses[..n_inside].iter_mut().zip(above).zip(x) {
                *misses += u8::from(z < x);
            }
            for (misses, x) in misses[n_inside..].iter_mut().zip(&x[n_inside..]) {
                *misses += u8::from(z[n - 1] < *x);
            }
            let n_outside = w.saturating_sub(first).min(len);
            for (misses, x) in misses[..n_outside].iter_mut().zip(x) {
                *misses += u8::from(z[0] > *x);
            }
            let below = &z[(first + n_outside).saturating_sub(w)..];
            let inside = misses[n_outside..].iter_mut().zip(&x[n_outside..]);
            for ((misses, x), z) in inside.zip(below) {
                *misses += u8::from(z > x);
            }
        }
    }
}

/// Gives each of several equal masked values all of their ranks in equal parts: hands on the
/// number of widths that miss, and returns the values that each width holds.
fn shared_misses(
    z: &[f64],
    x: &[f64],
    w: &[usize; N_WIDTHS],
    first_widths: &[u8],
    mut hand_on: impl FnMut(usize, f64),
) -> [f64; N_WIDTHS] {
    let mut by_width = [0.0; N_WIDTHS];
    let mut a = 0;
    while a < z.len() {
        // Adding 0 makes -0 and 0 the same bits.
        let value = (z[a] + 0.0).to_bits();
        let equal = z[a..].iter().take_while(|z| (**z + 0.0).to_bits() == value);
        let b = a + equal.count();
        let mut in_block = [0_usize; N_WIDTHS];
        for rank in (a..b).filter(|&rank| !x[rank].is_nan()) {
            let hits: [usize; N_WIDTHS] = if b - a == 1 {
                std::array::from_fn(|k| usize::from(k >= usize::from(first_widths[rank])))
            } else {
                let n_below = z.partition_point(|z| *z < x[rank]);
                let n_up_to = z.partition_point(|z| *z <= x[rank]);
                w.map(|w| n_ranks_that_hold(a, b, w, n_below, n_up_to, z.len()))
            };
            let n_hits: usize = hits.iter().sum();
            hand_on(rank, (N_WIDTHS * (b - a) - n_hits) as f64 / (b - a) as f64);
            for (sum, hits) in in_block.iter_mut().zip(hits) {
                *sum += hits;
            }
        }
        for (sum, hits) in by_width.iter_mut().zip(in_block) {
            *sum += hits as f64 / (b - a) as f64;
        }
        a = b;
    }
    by_width
}

/// How many ranks r in a..b have z[max(r - w, 0)] ≤ x ≤ z[min(r + w, n - 1)], where `n_below` of
/// the n masked values are less than x and `n_up_to` are not greater.
fn n_ranks_that_hold(
    a: usize,
    b: usize,
    w: usize,
    n_below: usize,
    n_up_to: usize,
    n: usize,
) -> usize {
    if n_up_to == 0 || n_below == n {
        return 0;
    }
    let (first, last) = (a.max(n_below.saturating_sub(w)), b.min(n_up_to + w));
    last.saturating_sub(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_decimal_arithmetic() {
        assert_eq!(rank_widths(100), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        // 1080 · 0.01 = 10.8, …, 1080 · 0.10 = 108.
        assert_eq!(rank_widths(1080), [10, 21, 32, 43, 54, 64, 75, 86, 97, 108]);
        assert_eq!(rank_widths(0), [0; N_WIDTHS]);
    }

    /// The definition, width by width and rank by rank.
    fn plain(z: &[f64], x: &[f64], w: &[usize; N_WIDTHS], rank: usize) -> usize {
        let n = z.len();
        w.iter()
            .filter(|&&w| {
                let (low, high) = (z[rank.saturating_sub(w)], z[(rank + w).min(n - 1)]);
                !(low <= x[rank] && x[rank] <= high)
            })
            .count()
    }

    #[test]
    fn the_fast_ways_are_the_definition() {
        for n in [1_usize, 2, 9, 10, 11, 99, 100, 1_080, 5_000] {
            let z: Vec<f64> = (0..n).map(|rank| (rank / 3) as f64).collect();
            // Between, on and beyond the masked values.
            let x: Vec<f64> = (0..n)
                .map(|rank| ((rank * 7_919 + 13) % (n + 6)) as f64 / 3.0 - 1.0)
                .collect();
            let w = rank_widths(n);
            let mut fast = Vec::new();
            find_first_widths(&z, &x, &w, &mut fast);
            for (rank, &first) in fast.iter().enumerate() {
                assert_eq!(usize::from(first), plain(&z, &x, &w, rank), "{n} {rank}");
            }
            let mut shared = vec![f64::NAN; n];
            let by_width = shared_misses(&z, &x, &w, &fast, |rank, misses| shared[rank] = misses);
            for (rank, shared) in shared.iter().enumerate() {
                let (a, b) = (rank / 3 * 3, (rank / 3 * 3 + 3).min(n));
                let at = |other: usize| {
                    let mut moved = x.clone();
                    moved[other] = x[rank];
                    plain(&z, &moved, &w, other)
                };
                let mean = (a..b).map(at).sum::<usize>() as f64 / (b - a) as f64;
                assert!((shared - mean).abs() < 1e-12, "{n} {rank}");
            }
            let hits: f64 = shared.iter().map(|misses| N_WIDTHS as f64 - misses).sum();
            assert!((by_width.iter().sum::<f64>() - hits).abs() < 1e-9, "{n}");
        }
    }
}
