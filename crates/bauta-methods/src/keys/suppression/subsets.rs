//! Sets of keys in order of what it costs to blank them.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Sets of keys by rising cost, and by rising number of keys where the cost is the same; sets that
/// tie in both come together, as a tier, by rising mask. Keys with infinite cost are in none.
///
/// Sets are made as they are asked for: a set follows from a cheaper one by adding the next dearer
/// key or by exchanging its dearest key for the next dearer one, so that each is made once.
pub(crate) struct Tiers {
    /// Finite costs from the lowest, in units that make sums comparable, and their keys.
    costs: Vec<(u64, usize)>,
    queue: BinaryHeap<Set>,
    /// Sets of the cost that is being handed out, by number of keys.
    same_cost: Vec<u64>,
    started: bool,
}

/// Costs as whole numbers, so that sums that differ by rounding only are the same: decimal costs
/// by their last decimal, others in parts of 2^50 of their sum. `None` for infinite ones.
pub(super) fn units(costs: &[f64]) -> Vec<Option<u64>> {
    let finite = || costs.iter().copied().filter(|cost| cost.is_finite());
    let total: f64 = finite().sum();
    let is_whole = |cost: f64| (cost - cost.round()).abs() <= 1e-9 * cost.max(1.0);
    let powers = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
    let decimal = powers
        .into_iter()
        .find(|scale| total * scale < 1e15 && finite().all(|cost| is_whole(cost * scale)));
    let scale = match decimal {
        Some(scale) => scale,
        None if total > 0.0 => (1_u64 << 50) as f64 / total,
        None => 0.0,
    };
    costs
        .iter()
        .map(|cost| cost.is_finite().then(|| (cost * scale).round() as u64))
        .collect()
}

/// A set on its way: its dearest key is at `last` in the order of costs.
#[derive(PartialEq, Eq)]
struct Set {
    cost: u64,
    mask: u64,
    last: usize,
}

impl Ord for Set {
    fn cmp(&self, other: &Self) -> Ordering {
        // The heap hands out its largest: the cheapest set.
        let order = other.cost.cmp(&self.cost);
        order.then_with(|| other.mask.cmp(&self.mask))
    }
}

impl PartialOrd for Set {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Tiers {
    /// Sets of keys with these costs.
    pub(crate) fn new(costs: &[f64]) -> Self {
        let mut in_order: Vec<(u64, usize)> = units(costs)
            .into_iter()
            .zip(0..)
            .filter_map(|(unit, key)| Some((unit?, key)))
            .collect();
        in_order.sort_unstable();
        let mut queue = BinaryHeap::new();
        if let Some(&(cost, key)) = in_order.first() {
            queue.push(Set {
                cost,
                mask: 1 << key,
                last: 0,
            });
        }
        Self {
            costs: in_order,
            queue,
            same_cost: Vec::new(),
            started: false,
        }
    }

    fn push_followers(&mut self, set: &Set) {
        let Some(&(next_cost, next)) = self.costs.get(set.last + 1) else {
            return;
        };
        let (own_cost, own) = self.costs[set.last];
        self.queue.push(Set {
            cost: set.cost + next_cost,
            mask: set.mask | 1 << next,
            last: set.last + 1,
        });
        self.queue.push(Set {
            cost: set.cost - own_cost + next_cost,
            mask: set.mask & !(1 << own) | 1 << next,
            last: set.last + 1,
        });
    }

    /// All sets of the next cost.
    fn refill(&mut self) {
        if !self.started {
            self.started = true;
            // The empty set costs nothing; so may others.
            self.same_cost.push(0);
            if self.queue.peek().is_none_or(|set| set.cost > 0) {
                return;
            }
        }
        let Some(cost) = self.queue.peek().map(|set| set.cost) else {
            return;
        };
        while let Some(set) = self.queue.peek().filter(|set| set.cost == cost) {
            let set = Set { ..*set };
            self.queue.pop();
            self.push_followers(&set);
            self.same_cost.push(set.mask);
        }
        // From the end: fewest keys last.
        self.same_cost
            .sort_unstable_by_key(|mask| std::cmp::Reverse(mask.count_ones()));
    }
}

impl Iterator for Tiers {
    type Item = Vec<u64>;

    fn next(&mut self) -> Option<Vec<u64>> {
        if self.same_cost.is_empty() {
            self.refill();
        }
        let n_keys = self.same_cost.last()?.count_ones();
        let first = self
            .same_cost
            .partition_point(|mask| mask.count_ones() > n_keys);
        let mut tier = self.same_cost.split_off(first);
        tier.sort_unstable();
        Some(tier)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All sets with finite cost, sorted by (cost, number of keys, mask).
    fn sorted(costs: &[u32]) -> Vec<u64> {
        let cost = |mask: u64| -> u32 {
            let keys = (0..costs.len()).filter(|key| mask >> key & 1 == 1);
            keys.map(|key| costs[key]).sum()
        };
        let mut masks: Vec<u64> = (0..1_u64 << costs.len()).collect();
        masks.sort_by_key(|&mask| (cost(mask), mask.count_ones(), mask));
        masks
    }

    proptest! {
        #[test]
        fn sets_come_in_order_each_once(costs in prop::collection::vec(0_u32..6, 0..8)) {
            let given: Vec<f64> = costs.iter().map(|&cost| f64::from(cost)).collect();
            let found: Vec<u64> = Tiers::new(&given).flatten().collect();
            prop_assert_eq!(found, sorted(&costs));
        }
    }

    #[test]
    fn sums_that_differ_by_rounding_only_tie() {
        // 0.1 + 0.2 is not 0.3 in binary; here {a, b} and {c} cost the same, c has fewer keys.
        let tiers: Vec<Vec<u64>> = Tiers::new(&[0.1, 0.2, 0.3, 0.3]).collect();
        assert_eq!(tiers[..5], [vec![0], vec![1], vec![2], vec![4, 8], vec![3]]);
    }

    #[test]
    fn a_key_of_infinite_cost_is_never_blanked() {
        let tiers: Vec<Vec<u64>> = Tiers::new(&[1.0, f64::INFINITY]).collect();
        assert_eq!(tiers, [vec![0], vec![1]]);
    }

    #[test]
    fn forty_keys_are_not_enumerated_at_once() {
        let first: Vec<Vec<u64>> = Tiers::new(&[1.0; 40]).take(2).collect();
        assert_eq!(first[1].len(), 40);
    }
}
