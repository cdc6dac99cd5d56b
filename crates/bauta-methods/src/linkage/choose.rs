//! Which links are made: one-to-one with the largest total weight, or each record's best.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::distinct::Distinct;
use super::model::Model;
use super::odds;
use super::pairs::Collapsed;
use super::search::{All, Best, MaskedTree, Tied};
use super::settings::{Choosing, Estimation, Settings};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::assignment::{Assigned, Candidates, Certificate, WeightMatrix, dense, sparse};
use crate::kernel::parallel::each;

/// Links between different records.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Flow {
    pub(crate) original: u32,
    pub(crate) masked: u32,
    /// How many of the equal records; under `greedy` a share of one original record for each that ties.
    pub(crate) count: f64,
    pub(crate) weight: f64,
}

/// Links and how they were found.
pub(crate) struct Chosen {
    pub(crate) flows: Vec<Flow>,
    pub(crate) way: Choosing,
    /// Why this way was taken.
    pub(crate) why: String,
    pub(crate) certificate: Option<Certificate>,
    /// What pairs outside the candidates could add to the total at the most, by the duals.
    pub(crate) beyond: Option<f64>,
    /// Candidates of each different original record; none where all pairs were looked at.
    pub(crate) candidates: Option<Candidates>,
    /// Masked records that were looked at for each original one at the most; none where no search was cut short.
    pub(crate) looked_at: Option<usize>,
    /// Σ exp(w) over the masked records of each different original record, and over the originals of each
    /// masked one; beyond the candidates estimated.
    pub(crate) sums: [Vec<f64>; 2],
}

/// Different original records at a time.
const BLOCK: usize = 64;
/// Pairs that one search for candidates looks at unless it is told otherwise: some minutes of two processors.
const SEARCHED: usize = 10_000_000_000;

/// Chooses links.
pub(crate) fn choose(
    files: &Collapsed,
    model: &Model,
    settings: &Settings,
    context: &RunContext<'_>,
) -> Result<Chosen, MethodError> {
    let n = files.original.of_record.len();
    let n_masked = files.masked.of_record.len();
    let bytes = n.saturating_mul(n_masked).saturating_mul(size_of::<f64>());
    let fits = bytes <= settings.memory && files.in_block.len() == 1;
    let (matrix, budget) = (bytes.div_ceil(1 << 20), settings.memory >> 20);
    match settings.choosing {
        Choosing::Greedy => greedy(files, model, context),
        Choosing::Sparse => by_candidates(files, model, settings, "asked for".to_owned(), context),
        Choosing::Dense if !fits && files.in_block.len() == 1 => Err(MethodError::request(
            format!("a matrix of all weights takes {matrix} MB, and {budget} MB are allowed"),
            "allow more with `memory`, or let assignment = \"sparse\"",
        )),
        Choosing::Dense if !fits => Err(MethodError::request(
            "a matrix of all weights knows no blocks",
            "leave `block` out, or let assignment = \"sparse\"",
        )),
        Choosing::Dense => by_matrix(files, model, settings, "asked for".to_owned(), context),
        Choosing::Automatic if fits => by_matrix(
            files,
            model,
            settings,
            format!("all weights take {matrix} MB of {budget} MB allowed"),
            context,
        ),
        Choosing::Automatic => {
            let why = if files.in_block.len() == 1 {
                format!("all weights would take {matrix} MB, and {budget} MB are allowed")
            } else {
                "records are linked within blocks".to_owned()
            };
            by_candidates(files, model, settings, why, context)
        }
    }
}

/// A tree of the masked records of each block.
fn trees<'a>(files: &'a Collapsed, model: &'a Model) -> Vec<MaskedTree<'a>> {
    let of = |block: usize| MaskedTree::new(&files.variables, model, files.in_block[block].clone());
    each(files.in_block.len(), &of)
}

/// Progress of a search over the original records.
fn watched<'c>(
    context: &'c RunContext<'_>,
    total: usize,
) -> impl Fn(usize) -> Result<(), MethodError> + Sync + 'c {
    let done = AtomicUsize::new(0);
    move |n: usize| {
        let before = done.fetch_add(n, Ordering::Relaxed);
        context.progress(before.min(total), total)
    }
}

fn by_matrix(
    files: &Collapsed,
    model: &Model,
    settings: &Settings,
    why: String,
    context: &RunContext<'_>,
) -> Result<Chosen, MethodError> {
    let rows = all_weights(files, model, context)?;
    // Equal weights are no likelihoods, and nobody asks for their sums.
    let sums = if settings.estimation == Estimation::Equal {
        [Vec::new(), Vec::new()]
    } else {
        sums_of_rows(&rows, files)
    };
    let (row_of, column_of) = (expanded(&files.original), expanded(&files.masked));
    let n_distinct = [files.original.len(), files.masked.len()];
    let weights = if [row_of.len(), column_of.len()] == n_distinct {
        rows
    } else {
        let row = |&row: &u32| &rows[row as usize * n_distinct[1]..][..n_distinct[1]];
        let weights = row_of.iter().map(row);
        let weights = weights.flat_map(|row| column_of.iter().map(|&at| row[at as usize]));
        weights.collect()
    };
    let matrix = WeightMatrix::new(row_of.len(), column_of.len(), weights);
    let assigned = dense(&matrix, |_| context.go_on())?;
    let certificate = Certificate::of_dense(&matrix, &assigned);
    let lowest = model.lowest();
    let flows = assigned.links.iter().map(|link| Flow {
        original: row_of[link.row as usize],
        masked: column_of[link.column as usize],
        count: f64::from(link.count),
        weight: matrix.row(link.row as usize)[link.column as usize],
    });
    let flows = flows.filter(|flow| flow.weight > lowest).collect();
    Ok(Chosen {
        flows: gathered(flows, files),
        way: Choosing::Dense,
        why,
        certificate: Some(certificate),
        beyond: None,
        candidates: None,
        looked_at: None,
        sums,
    })
}

/// Flows between the same records as one. Records that agree in nothing are left over, not linked.
fn gathered(mut flows: Vec<Flow>, files: &Collapsed) -> Vec<Flow> {
    flows.retain(|flow| files.agree_somewhere(flow.original as usize, flow.masked as usize));
    flows.sort_unstable_by_key(|flow| (flow.original, flow.masked));
    flows.dedup_by(|next, kept| {
        let same = (next.original, next.masked) == (kept.original, kept.masked);
        if same {
            kept.count += next.count;
        }
        same
    });
    flows
}

/// The different record of each record.
fn expanded(distinct: &Distinct) -> Vec<u32> {
    let ids = distinct.sizes.iter().enumerate();
    ids.flat_map(|(id, &size)| std::iter::repeat_n(id as u32, size as usize))
        .collect()
}

/// Weights of all pairs of different records, those of an original one after the other.
fn all_weights(
    files: &Collapsed,
    model: &Model,
    context: &RunContext<'_>,
) -> Result<Vec<f64>, MethodError> {
    let trees = trees(files, model);
    let Some(tree) = trees.first().filter(|_| !files.masked.sizes.is_empty()) else {
        return Ok(Vec::new());
    };
    let mut weights = vec![0.0; files.original.len() * files.masked.len()];
    let go_on = watched(context, files.original.len());
    let rows = weights.par_chunks_mut(files.masked.len()).enumerate();
    rows.try_for_each(|(original, weights)| {
        go_on(1)?;
        tree.search(&tree.query(original), &mut All(weights));
        Ok::<_, MethodError>(())
    })?;
    Ok(weights)
}

fn sums_of_rows(rows: &[f64], files: &Collapsed) -> [Vec<f64>; 2] {
    let n_columns = files.masked.len();
    let mut columns = vec![0.0; n_columns];
    let rows = rows.chunks(n_columns.max(1));
    let of_rows = rows.zip(&files.original.sizes).map(|(row, &size)| {
        let mut sum = 0.0;
        for ((weight, column), &times) in row.iter().zip(&mut columns).zip(&files.masked.sizes) {
            let odds = libm::exp(weight.min(600.0));
            sum += odds * f64::from(times);
            *column += odds * f64::from(size);
        }
        sum
    });
    let of_rows = of_rows.collect();
    [of_rows, columns]
}

fn by_candidates(
    files: &Collapsed,
    model: &Model,
    settings: &Settings,
    why: String,
    context: &RunContext<'_>,
) -> Result<Chosen, MethodError> {
    let lowest = model.lowest();
    let (supply, demand) = (&files.original.sizes, &files.masked.sizes);
    let Extended {
        candidates,
        assigned,
        beyond,
        looked_at,
    } = extended(files, model, settings, context)?;
    let certificate = Certificate::of_candidates(&candidates, supply, demand, lowest, &assigned);
    let weight = |row: u32, column: u32| {
        let (columns, weights) = candidates.row(row as usize);
        let at = columns.iter().position(|&known| known == column);
        at.map_or(lowest, |at| weights[at])
    };
    let flows = assigned.links.iter().map(|link| Flow {
        original: link.row,
        masked: link.column,
        count: f64::from(link.count),
        weight: weight(link.row, link.column),
    });
    let sums = if settings.estimation == Estimation::Equal {
        [Vec::new(), Vec::new()]
    } else {
        odds::sums(files, model, &candidates, context)?
    };
    Ok(Chosen {
        flows: gathered(flows.collect(), files),
        way: Choosing::Sparse,
        why,
        certificate: Some(certificate),
        beyond: Some(beyond),
        candidates: Some(candidates),
        looked_at,
        sums,
    })
}

/// Candidates, links among them, and what other pairs could add.
struct Extended {
    candidates: Candidates,
    assigned: Assigned,
    beyond: f64,
    looked_at: Option<usize>,
}

/// The best candidates of each record, and those that the links among them show to be missing.
fn extended(
    files: &Collapsed,
    model: &Model,
    settings: &Settings,
    context: &RunContext<'_>,
) -> Result<Extended, MethodError> {
    let lowest = model.lowest();
    let (supply, demand) = (&files.original.sizes, &files.masked.sizes);
    let mut trees = trees(files, model);
    let most = most_looked_at(files, settings);
    let mut rows: Vec<Vec<(u32, f64)>> = best_of_each(files, &trees, most, context, |_| {
        Best::new(settings.candidates, lowest)
    })?
    .into_iter()
    .map(|seen| seen.best)
    .collect();
    let mut n_extensions = 0;
    loop {
        let candidates = Candidates::new(&rows, files.masked.len());
        let assigned = sparse(&candidates, supply, demand, lowest, |_| context.go_on())?;
        for tree in &mut trees {
            tree.set_prices(&assigned.column_duals);
        }
        // Pairs that the prices do not cover: the more of an original record, the more could be gained.
        let missed = best_of_each(files, &trees, most, context, |original| {
            let covered = assigned.row_duals[original];
            Best::new(settings.candidates, covered + 1e-9 * (1.0 + covered.abs()))
        })?;
        let uncovered = |original: usize| {
            let seen = &missed[original];
            let best = seen
                .best
                .first()
                .map_or(seen.unseen, |(_, weight)| weight.max(seen.unseen));
            let most = (best - assigned.row_duals[original]).max(0.0);
            most * f64::from(supply[original])
        };
        let beyond: f64 = (0..missed.len()).map(uncovered).sum();
        let was_cut = missed.iter().any(|seen| seen.unseen > f64::NEG_INFINITY);
        if n_extensions == settings.extensions || missed.iter().all(|seen| seen.best.is_empty()) {
            return Ok(Extended {
                candidates,
                assigned,
                beyond,
                looked_at: was_cut.then_some(most),
            });
        }
        n_extensions += 1;
        for (row, missed) in rows.iter_mut().zip(missed) {
            for (masked, weight) in missed.best {
                if row.iter().all(|(known, _)| *known != masked) {
                    row.push((masked, weight + assigned.column_duals[masked as usize]));
                }
            }
        }
    }
}

/// Masked records that are looked at for each original one at the most.
fn most_looked_at(files: &Collapsed, settings: &Settings) -> usize {
    let (n, n_masked) = (files.original.len(), files.masked.len());
    settings.looked_at.unwrap_or_else(|| {
        if n.saturating_mul(n_masked) <= SEARCHED {
            usize::MAX
        } else {
            SEARCHED / n
        }
    })
}

/// What a search saw for an original record.
struct Seen {
    /// Masked records and their weights after prices, the largest first.
    best: Vec<(u32, f64)>,
    /// What one that was not looked at may weigh at the most, after its price.
    unseen: f64,
}

/// What a search finds for each different original record.
fn best_of_each(
    files: &Collapsed,
    trees: &[MaskedTree<'_>],
    most: usize,
    context: &RunContext<'_>,
    wanted: impl Fn(usize) -> Best + Sync,
) -> Result<Vec<Seen>, MethodError> {
    let n_original = files.original.len();
    let go_on = watched(context, n_original);
    let blocks = each(n_original.div_ceil(BLOCK), &|block| {
        go_on(BLOCK)?;
        let originals = block * BLOCK..((block + 1) * BLOCK).min(n_original);
        let rows = originals.map(|original| {
            let tree = &trees[files.block_of[original] as usize];
            let mut best = wanted(original);
            let unseen = tree.search_among(&tree.query(original), &mut best, most);
            let found = best.into_found().into_iter();
            let best = found.map(|(weight, masked)| (masked, weight)).collect();
            Seen { best, unseen }
        });
        Ok::<_, MethodError>(rows.collect::<Vec<Seen>>())
    });
    let blocks: Vec<Vec<Seen>> = blocks.into_iter().collect::<Result<_, _>>()?;
    Ok(blocks.into_iter().flatten().collect())
}

/// Each original record takes what weighs most with it; ties are shared.
fn greedy(
    files: &Collapsed,
    model: &Model,
    context: &RunContext<'_>,
) -> Result<Chosen, MethodError> {
    let trees = trees(files, model);
    let lowest = model.lowest();
    let go_on = watched(context, files.original.len());
    let rows = each(files.original.len(), &|original| {
        go_on(1)?;
        let tree = &trees[files.block_of[original] as usize];
        let mut tied = Tied::new(lowest, &files.masked.sizes);
        tree.search(&tree.query(original), &mut tied);
        Ok::<_, MethodError>((tied.weight, tied.records, tied.n))
    });
    let mut flows = Vec::new();
    for (original, row) in rows.into_iter().enumerate() {
        let (weight, mut records, n) = row?;
        records.sort_unstable();
        flows.extend(records.into_iter().map(|masked| {
            let share = f64::from(files.masked.sizes[masked as usize]) / n as f64;
            let count = share * f64::from(files.original.sizes[original]);
            Flow {
                original: original as u32,
                masked,
                count,
                weight,
            }
        }));
    }
    Ok(Chosen {
        flows: gathered(flows, files),
        way: Choosing::Greedy,
        why: "asked for".to_owned(),
        certificate: None,
        beyond: None,
        candidates: None,
        looked_at: None,
        sums: [Vec::new(), Vec::new()],
    })
}
