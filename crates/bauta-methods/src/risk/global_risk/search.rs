//! The keys that serve an intruder best: the maximum over subsets of (3.9) to (3.11), found by
//! branch and bound.
//!
//! Keys are decided one after the other, those that were changed most first. While some are
//! undecided, no choice of them divides the records finer than all of them together do, and each
//! that is taken costs its factor: what the finest partition would give, times the factors of the
//! keys already taken, bounds everything below.

use std::cell::OnceCell;

use crate::error::MethodError;
use crate::kernel::numbers::sums::compensated;
use crate::risk::global_risk::clusters::{
    Clusters, MASKED, ORIGINAL, Profiles, by_larger_size, classification, crossed, weighted_sum,
};
use crate::risk::global_risk::size_weights::SizeWeights;

/// The three risks, in the order of arrays of figures.
pub(crate) const MINIMAL: usize = 0;
/// Place of the maximal risk.
pub(crate) const MAXIMAL: usize = 1;
/// Place of the weighted risk.
pub(crate) const WEIGHTED: usize = 2;

/// What was found for one of the risks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Best {
    /// The largest value.
    pub(crate) value: f64,
    /// The keys that give it, a bit each; none where every value is 0.
    pub(crate) keys: u64,
    /// No subset gives more; larger than the value only where the search was stopped.
    pub(crate) bound: f64,
}

/// What is searched.
pub(crate) struct Problem<'a> {
    /// The records.
    pub(crate) profiles: &'a Profiles,
    /// Inversion-change factor of each key.
    pub(crate) factors: &'a [f64],
    /// Number of original records, n.
    pub(crate) n: usize,
    /// The weights W.
    pub(crate) weights: &'a SizeWeights,
    /// The most subsets whose partition is made.
    pub(crate) most_subsets: usize,
}

/// Finds the largest risks. `go_on` is asked before each partition.
pub(crate) fn search(
    problem: &Problem<'_>,
    go_on: &dyn Fn() -> Result<(), MethodError>,
) -> Result<[Best; 3], MethodError> {
    let mut order: Vec<usize> = (0..problem.factors.len())
        .filter(|&key| problem.factors[key] < 1.0)
        .collect();
    // Stable, so that equal factors stay in the order of the keys.
    order.sort_by(|&a, &b| problem.factors[b].total_cmp(&problem.factors[a]));
    let nothing = Best {
        value: 0.0,
        keys: 0,
        bound: 0.0,
    };
    if order.is_empty() || problem.n == 0 {
        return Ok([nothing; 3]);
    }
    let suffixes = suffixes(problem, &order, go_on)?;
    let mut run = Run {
        suffixes: &suffixes,
        limits: Limits::new(problem, &order),
        problem,
        order,
        best: [nothing; 3],
        open: [0.0; 3],
        n_subsets: 0,
        go_on,
    };
    run.try_suffixes();
    let root = Node {
        depth: 0,
        taken: 0,
        p: 1.0,
        inside: &Inside::Nothing,
        weighted_only: false,
    };
    let sums = run.sums(&suffixes[0]);
    run.visit(&root, &suffixes[0], sums)?;
    let mut best = run.best;
    for (best, open) in best.iter_mut().zip(run.open) {
        best.bound = best.value.max(open);
    }
    Ok(best)
}

/// The partition by the last keys of the order, for every number of them from all to one.
fn suffixes(
    problem: &Problem<'_>,
    order: &[usize],
    go_on: &dyn Fn() -> Result<(), MethodError>,
) -> Result<Vec<[Clusters; 2]>, MethodError> {
    let mut suffixes: Vec<[Clusters; 2]> = Vec::with_capacity(order.len());
    for &key in order.iter().rev() {
        go_on()?;
        let alone = &problem.profiles.keys[key];
        let next = match suffixes.last() {
            None => alone.clone(),
            Some(last) => crossed(alone, last, &problem.profiles.n_records),
        };
        suffixes.push(next);
    }
    suffixes.reverse();
    Ok(suffixes)
}

/// What so many further keys can do at best, by depth and number.
struct Limits {
    /// The largest product of 1 - icf.
    p: Vec<Vec<f64>>,
    /// The largest product of numbers of values, in each file.
    cells: [Vec<Vec<f64>>; 2],
    /// Number of values of each key of the order, in each file.
    n_values: [Vec<f64>; 2],
}

impl Limits {
    fn new(problem: &Problem<'_>, order: &[usize]) -> Self {
        let largest_products = |figures: &[f64]| -> Vec<Vec<f64>> {
            (0..=figures.len())
                .map(|depth| {
                    let mut left = figures[depth..].to_vec();
                    left.sort_by(|a, b| b.total_cmp(a));
                    let mut products = vec![1.0];
                    for figure in left {
                        products.push(products[products.len() - 1] * figure);
                    }
                    products
                })
                .collect()
        };
        let kept: Vec<f64> = order
            .iter()
            .map(|&key| 1.0 - problem.factors[key])
            .collect();
        let n_values = [ORIGINAL, MASKED].map(|file| -> Vec<f64> {
            let keys = order.iter().map(|&key| &problem.profiles.keys[key][file]);
            keys.map(|clusters| clusters.n_filled() as f64).collect()
        });
        Self {
            p: largest_products(&kept),
            cells: [ORIGINAL, MASKED].map(|file| largest_products(&n_values[file])),
            n_values,
        }
    }
}

/// The keys taken so far, and the partition by them, made when it is first needed.
enum Inside<'a> {
    Nothing,
    Key {
        key: usize,
        /// Upper limit of the number of clusters in each file.
        n_cells: [f64; 2],
        before: &'a Inside<'a>,
        clusters: OnceCell<[Clusters; 2]>,
    },
}

impl Inside<'_> {
    fn clusters(&self, profiles: &Profiles) -> Option<&[Clusters; 2]> {
        match self {
            Self::Nothing => None,
            Self::Key {
                key,
                before,
                clusters,
                ..
            } => Some(clusters.get_or_init(|| {
                let alone = &profiles.keys[*key];
                match before.clusters(profiles) {
                    None => alone.clone(),
                    Some(before) => crossed(before, alone, &profiles.n_records),
                }
            })),
        }
    }

    /// No more clusters than this, in each file.
    fn n_cells(&self) -> [f64; 2] {
        match self {
            Self::Nothing => [1.0; 2],
            Self::Key {
                n_cells, clusters, ..
            } => match clusters.get() {
                Some(clusters) => [ORIGINAL, MASKED].map(|file| clusters[file].n_filled() as f64),
                None => *n_cells,
            },
        }
    }
}

/// The choices made for the first keys of the order.
struct Node<'a> {
    depth: usize,
    /// Keys taken, a bit for each place in the order.
    taken: u64,
    /// Product of 1 - icf over them.
    p: f64,
    inside: &'a Inside<'a>,
    /// An unchanged key was left out: that can raise the weighted risk alone.
    weighted_only: bool,
}

struct Run<'a> {
    problem: &'a Problem<'a>,
    order: Vec<usize>,
    /// Partitions by the last keys of the order.
    suffixes: &'a [[Clusters; 2]],
    limits: Limits,
    best: [Best; 3],
    /// Bounds of what was not looked at.
    open: [f64; 3],
    n_subsets: usize,
    go_on: &'a dyn Fn() -> Result<(), MethodError>,
}

impl Run<'_> {
    /// The sums of (3.6) and (3.7) over n, and an upper limit of that of (3.8): no partition that
    /// is coarser has more. `w_ij` is at most `w_mm` with m = max(i, j), which falls with m.
    fn sums(&self, clusters: &[Clusters; 2]) -> [f64; 3] {
        let n = self.problem.n as f64;
        let counts = by_larger_size(clusters, &self.problem.profiles.n_records[MASKED]);
        let per_record = |&(m, n_records): &(u32, u64)| n_records as f64 / f64::from(m);
        let of_one = counts.first().filter(|(m, _)| *m == 1);
        let weighted = |count: &(u32, u64)| {
            self.problem.weights.relative(count.0, count.0) * per_record(count)
        };
        [
            of_one.map_or(0.0, |&(_, n_records)| n_records as f64) / n,
            compensated(counts.iter().map(per_record)) / n,
            compensated(counts.iter().map(weighted)) / n,
        ]
    }

    /// The sum of (3.8) over n.
    fn weighted(&self, clusters: &[Clusters; 2]) -> f64 {
        let c = classification(clusters, &self.problem.profiles.n_records[MASKED]);
        weighted_sum(&c, self.problem.weights) / self.problem.n as f64
    }

    fn offer(&mut self, risk: usize, value: f64, taken: u64) {
        if value > self.best[risk].value {
            let places = self.order.iter().enumerate();
            let keys = places.filter(|(place, _)| taken >> place & 1 == 1);
            self.best[risk].value = value;
            self.best[risk].keys = keys.fold(0, |keys, (_, &key)| keys | 1 << key);
        }
    }

    /// Offers a set of keys by its partition.
    fn offer_all(&mut self, clusters: &[Clusters; 2], sums: [f64; 3], p: f64, taken: u64) {
        self.offer(MINIMAL, p * sums[MINIMAL], taken);
        self.offer(MAXIMAL, p * sums[MAXIMAL], taken);
        if p * sums[WEIGHTED] > self.best[WEIGHTED].value {
            let value = p * self.weighted(clusters);
            self.offer(WEIGHTED, value, taken);
        }
    }

    /// A first answer: all keys, then ever fewer of those that were changed least.
    fn try_suffixes(&mut self) {
        for (depth, clusters) in self.suffixes.iter().enumerate() {
            let p = self.order[depth..]
                .iter()
                .fold(1.0, |p, &key| p * (1.0 - self.problem.factors[key]));
            let sums = self.sums(clusters);
            let all = u64::MAX >> (64 - self.order.len());
            self.offer_all(clusters, sums, p, all >> depth << depth);
        }
    }

    /// The most that any choice of the undecided keys can give, for each risk. So many more keys
    /// make at most so many clusters, and Σ 1/max(f, F) is at most the number of clusters of
    /// either file.
    fn bounds(&self, node: &Node<'_>, sums: [f64; 3]) -> [f64; 3] {
        let n_cells = node.inside.n_cells();
        let mut bounds = [0.0_f64; 3];
        let fewest = usize::from(node.taken == 0);
        let p = &self.limits.p[node.depth];
        for (n_more, p) in p.iter().enumerate().skip(fewest) {
            let cells = |file: usize| n_cells[file] * self.limits.cells[file][node.depth][n_more];
            let clusters = cells(ORIGINAL).min(cells(MASKED)) / self.problem.n as f64;
            for (bound, sum) in bounds.iter_mut().zip(sums) {
                *bound = bound.max(node.p * p * sum.min(clusters));
            }
        }
        if node.weighted_only {
            (bounds[MINIMAL], bounds[MAXIMAL]) = (0.0, 0.0);
        }
        bounds
    }

    fn is_hopeless(&self, bounds: [f64; 3]) -> bool {
        // Products of factors come in different orders: what is only rounding is no hope.
        let hope = |(bound, best): (f64, &Best)| bound > best.value * (1.0 + 1e-14);
        !bounds.into_iter().zip(&self.best).any(hope)
    }

    /// Decides the next key both ways. `finest` is the partition by the keys taken and all that are
    /// undecided, `sums` are its sums.
    fn visit(
        &mut self,
        node: &Node<'_>,
        finest: &[Clusters; 2],
        sums: [f64; 3],
    ) -> Result<(), MethodError> {
        if self.is_hopeless(self.bounds(node, sums)) {
            return Ok(());
        }
        let Some(&key) = self.order.get(node.depth) else {
            if node.taken != 0 {
                self.offer_all(finest, sums, node.p, node.taken);
            }
            return Ok(());
        };
        let n_cells = node.inside.n_cells();
        let inside = Inside::Key {
            key,
            n_cells: [ORIGINAL, MASKED]
                .map(|file| n_cells[file] * self.limits.n_values[file][node.depth]),
            before: node.inside,
            clusters: OnceCell::new(),
        };
        let with = Node {
            depth: node.depth + 1,
            taken: node.taken | 1 << node.depth,
            p: node.p * (1.0 - self.problem.factors[key]),
            inside: &inside,
            weighted_only: node.weighted_only,
        };
        self.visit(&with, finest, sums)?;
        self.visit_without(node, key, sums)
    }

    /// Leaves the next key out.
    fn visit_without(
        &mut self,
        node: &Node<'_>,
        key: usize,
        sums: [f64; 3],
    ) -> Result<(), MethodError> {
        let depth = node.depth + 1;
        if node.taken == 0 && depth == self.order.len() {
            return Ok(());
        }
        let without = Node {
            depth,
            taken: node.taken,
            p: node.p,
            inside: node.inside,
            weighted_only: node.weighted_only || self.problem.factors[key] == 0.0,
        };
        // The partition can only be coarser: with the sums before, this is a bound as well.
        let bounds = self.bounds(&without, sums);
        if self.is_hopeless(bounds) {
            return Ok(());
        }
        if self.n_subsets == self.problem.most_subsets {
            for (open, bound) in self.open.iter_mut().zip(bounds) {
                *open = open.max(bound);
            }
            return Ok(());
        }
        (self.go_on)()?;
        self.n_subsets += 1;
        let profiles = self.problem.profiles;
        let made;
        let finest = match (node.inside.clusters(profiles), self.suffixes.get(depth)) {
            (Some(inside), Some(rest)) => {
                made = crossed(inside, rest, &profiles.n_records);
                &made
            }
            (Some(inside), None) => inside,
            (None, Some(rest)) => rest,
            (None, None) => return Ok(()),
        };
        let sums = self.sums(finest);
        self.visit(&without, finest, sums)
    }
}
