//! Groups that are joined in one variable, because too few of their records have a value of it.
//!
//! A mean is that of the values that are present. Of fewer than k it would be the mean of fewer than
//! k people, and of one it would be that person's value.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::error::MethodError;
use crate::kernel::numbers::sums::compensated;
use crate::kernel::space::partition::Partition;
use crate::note::Note;

/// The groups of one variable, joined until each has k units with a value.
pub(super) struct Pooling {
    /// The records that have a value.
    pub(super) pools: Partition,
    /// Values in groups that had fewer than k.
    pub(super) n_pooled: usize,
}

impl Pooling {
    /// Joins the groups of `groups` that have fewer than `k` units with a value to the one whose mean
    /// is nearest, and so on. `n_known` is how many units of each group have one; together they are
    /// none or at least k.
    pub(super) fn of(groups: &Partition, column: &[f64], n_known: &[usize], k: usize) -> Self {
        let known = |group: usize| {
            let rows = groups.group(group).iter().copied();
            rows.filter(|&row| !column[row as usize].is_nan())
        };
        let mut pools: Vec<Pool> = (0..groups.len())
            .filter(|&group| n_known[group] > 0)
            .map(|group| {
                Pool::of(
                    group,
                    known(group).map(|row| column[row as usize]),
                    n_known[group],
                )
            })
            .collect();
        let is_small = |group: &usize| n_known[*group] < k;
        let n_pooled = (0..groups.len())
            .filter(is_small)
            .map(|group| known(group).count())
            .sum();
        pools.sort_by(|a, b| {
            a.mean()
                .total_cmp(&b.mean())
                .then(a.groups[0].cmp(&b.groups[0]))
        });
        let mut joined = Partition::with_capacity(groups.n_members());
        for pool in Line::new(pools, k).joined() {
            joined.push(pool.groups.iter().flat_map(|&group| known(group)));
        }
        Self {
            pools: joined,
            n_pooled,
        }
    }
}

/// Groups that have one mean.
struct Pool {
    groups: Vec<usize>,
    sum: f64,
    n_values: usize,
    n_units: usize,
}

impl Pool {
    fn of(group: usize, values: impl Iterator<Item = f64> + Clone, n_units: usize) -> Self {
        Self {
            groups: vec![group],
            n_values: values.clone().count(),
            sum: compensated(values),
            n_units,
        }
    }

    fn mean(&self) -> f64 {
        self.sum / self.n_values as f64
    }
}

/// Pools in the order of their means. What is joined lies side by side, and its mean between those
/// of its parts, so that the order stays.
struct Line {
    pools: Vec<Option<Pool>>,
    /// The pools that are left beside each.
    before: Vec<Option<usize>>,
    after: Vec<Option<usize>>,
    /// How often a pool was joined: what was said of it before no longer holds.
    n_joined: Vec<u32>,
    k: usize,
}

/// Two pools side by side, of which one has too few units.
struct Neighbours {
    gap: f64,
    left: usize,
    right: usize,
    n_joined: [u32; 2],
}

impl Line {
    fn new(pools: Vec<Pool>, k: usize) -> Self {
        let n = pools.len();
        Self {
            pools: pools.into_iter().map(Some).collect(),
            before: (0..n).map(|at| at.checked_sub(1)).collect(),
            after: (0..n)
                .map(|at| Some(at + 1).filter(|&next| next < n))
                .collect(),
            n_joined: vec![0; n],
            k,
        }
    }

    /// Joins the nearest two of which one has too few units, until none has.
    fn joined(mut self) -> Vec<Pool> {
        let mut waiting: BinaryHeap<Neighbours> = BinaryHeap::new();
        for left in 0..self.pools.len() {
            waiting.extend(self.neighbours(left));
        }
        while let Some(Neighbours {
            left,
            right,
            n_joined,
            ..
        }) = waiting.pop()
        {
            if n_joined != [self.n_joined[left], self.n_joined[right]] {
                continue;
            }
            let Some(other) = self.pools[right].take() else {
                continue;
            };
            if let Some(pool) = &mut self.pools[left] {
                pool.groups.extend(other.groups);
                pool.sum += other.sum;
                pool.n_values += other.n_values;
                pool.n_units += other.n_units;
            }
            self.n_joined[left] += 1;
            self.n_joined[right] += 1;
            self.after[left] = self.after[right];
            if let Some(next) = self.after[right] {
                self.before[next] = Some(left);
            }
            waiting.extend(self.before[left].and_then(|before| self.neighbours(before)));
            waiting.extend(self.neighbours(left));
        }
        self.pools.into_iter().flatten().collect()
    }

    /// A pool and the next one, if one of them has too few units.
    fn neighbours(&self, left: usize) -> Option<Neighbours> {
        let right = self.after[left]?;
        let (a, b) = (self.pools[left].as_ref()?, self.pools[right].as_ref()?);
        let has_few = a.n_units < self.k || b.n_units < self.k;
        has_few.then(|| Neighbours {
            gap: b.mean() - a.mean(),
            left,
            right,
            n_joined: [self.n_joined[left], self.n_joined[right]],
        })
    }
}

impl Ord for Neighbours {
    /// The front of the queue is greatest: the smallest gap, then the lowest mean.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_gap = other.gap.total_cmp(&self.gap);
        by_gap.then_with(|| other.left.cmp(&self.left))
    }
}

impl PartialOrd for Neighbours {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Neighbours {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Neighbours {}

/// Variables of which fewer than k units have a value, in so many strata each.
pub(super) fn too_few_values(
    names: &[&str],
    n_strata: &[usize],
    k: usize,
    households: bool,
) -> MethodError {
    let units = if households { "households" } else { "records" };
    let few = names.iter().zip(n_strata).filter(|(_, n)| **n > 0);
    let few: Vec<String> = few
        .map(|(name, n)| match n {
            1 => (*name).to_owned(),
            _ => format!("{name} (in {n} strata)"),
        })
        .collect();
    MethodError::request(
        format!(
            "fewer than {k} {units} have a value of {}, and their mean would tell it",
            few.join(", ")
        ),
        "leave the variable out of the release, choose a smaller `k`, or merge categories of the strata",
    )
}

/// Values that took the mean of several groups.
pub(super) fn values_pooled(variable: &str, n_cells: usize) -> Note {
    let text = format!(
        "{variable}: {n_cells} values are in groups of which fewer than k have one, and took the mean of several groups"
    );
    Note::new("values-pooled", text)
        .with("variable", variable)
        .with("n_cells", n_cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: f64 = f64::NAN;

    fn pools(groups: &[&[u32]], column: &[f64], k: usize) -> (Vec<Vec<u32>>, usize) {
        let mut partition = Partition::default();
        for group in groups {
            partition.push(group.iter().copied());
        }
        let known = |group: &&[u32]| {
            let rows = group.iter();
            rows.filter(|row| !column[**row as usize].is_nan()).count()
        };
        let n_known: Vec<usize> = groups.iter().map(known).collect();
        let found = Pooling::of(&partition, column, &n_known, k);
        (
            found.pools.iter().map(<[u32]>::to_vec).collect(),
            found.n_pooled,
        )
    }

    #[test]
    fn a_group_with_few_values_joins_the_one_with_the_nearest_mean() {
        // Means 1.5 (two values), 10 (one), 4 (two): the 10 joins the 4s.
        let column = [1.0, 2.0, 10.0, NONE, 4.0, 4.0];
        let (found, n_pooled) = pools(&[&[0, 1], &[2, 3], &[4, 5]], &column, 2);
        assert_eq!(found, [vec![0, 1], vec![4, 5, 2]]);
        assert_eq!(n_pooled, 1);
    }

    #[test]
    fn groups_join_until_there_are_enough() {
        // One value each; k = 3: 1 and 2 are nearest, then their mean of 1.5 and 4, then 20 and
        // the rest, since 20 would be alone.
        let column = [1.0, 2.0, 4.0, 20.0];
        let (found, n_pooled) = pools(&[&[0], &[1], &[2], &[3]], &column, 3);
        assert_eq!(found, [[0, 1, 2, 3]]);
        assert_eq!(n_pooled, 4);
        // With k = 2: 1 and 2; 4 and 1.5 are nearer than 4 and 20, but 20 then joins them too.
        let (found, _) = pools(&[&[0], &[1], &[2], &[3]], &column, 2);
        assert_eq!(found, [[0, 1, 2, 3]]);
        // 1 and 2, 19 and 20: nobody is alone.
        let (found, _) = pools(&[&[0], &[1], &[2], &[3]], &[1.0, 20.0, 2.0, 19.0], 2);
        assert_eq!(found, [[0, 2], [3, 1]]);
    }

    #[test]
    fn groups_without_a_value_and_groups_with_enough_stay_out_of_it() {
        let column = [1.0, 1.5, NONE, NONE, 9.0, 2.0];
        let (found, n_pooled) = pools(&[&[0, 1], &[2, 3], &[4, 5]], &column, 2);
        assert_eq!(found, [[0, 1], [4, 5]]);
        assert_eq!(n_pooled, 0);
    }
}
