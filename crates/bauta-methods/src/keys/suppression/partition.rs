//! The cheapest blanks of a small file where a blank is a value of its own: a partition of its records.
//!
//! Records that show the same form a part, of k records at least, and a part is cheapest where it shows
//! all that its records agree on. So the cheapest blanks are the cheapest partition into such parts,
//! found by the cheapest partition of every set of records.

use crate::keys::suppression::subsets::units;
use crate::keys::suppression::{Problem, bits};

/// Records of the largest file that is solved so; 3^12 pairs of sets are half a million.
pub(super) const MAX_RECORDS: usize = 12;

/// A partition of a set of records: its cost and its first part.
type Cheapest = Option<(u64, u64)>;

/// Keys to blank in each record at the least cost; none where infinite costs forbid every choice. The
/// file has at most [`MAX_RECORDS`].
pub(super) fn blanks(problem: Problem<'_>, class_of: &[u32]) -> Option<Vec<u64>> {
    let n = class_of.len();
    let agreed: Vec<u64> = (0..1_u64 << n)
        .map(|set| agreed(problem, class_of, set))
        .collect();
    let prices = units(problem.costs);
    let cost_of_part = |part: u64| -> Option<u64> {
        let shown = agreed[part as usize];
        bits(part)
            .flat_map(|record| bits(visible(problem, class_of, record) & !shown))
            .map(|key| prices[key])
            .sum()
    };
    let costs: Vec<Option<u64>> = (0..1_u64 << n)
        .map(|part| {
            let is_large = part.count_ones() >= problem.k;
            is_large.then(|| cost_of_part(part)).flatten()
        })
        .collect();
    let mut cheapest: Vec<Cheapest> = vec![Some((0, 0))];
    for set in 1..1_u64 << n {
        let mut best: Cheapest = None;
        // Some part has the first record; the larger parts come first, and stay where costs are equal.
        let mut part = set;
        while part != 0 {
            if (part ^ set) & (set & set.wrapping_neg()) == 0 {
                let rest = cheapest[(set & !part) as usize];
                let whole = costs[part as usize]
                    .zip(rest)
                    .map(|(cost, rest)| cost + rest.0);
                let better = whole.filter(|&cost| best.is_none_or(|best| cost < best.0));
                best = better.map(|cost| (cost, part)).or(best);
            }
            part = (part - 1) & set;
        }
        cheapest.push(best);
    }
    let mut masks = vec![0; n];
    let mut left = (1_u64 << n) - 1;
    while left != 0 {
        let (_, part) = cheapest[left as usize]?;
        for record in bits(part) {
            masks[record] = visible(problem, class_of, record) & !agreed[part as usize];
        }
        left &= !part;
    }
    Some(masks)
}

fn visible(problem: Problem<'_>, class_of: &[u32], record: usize) -> u64 {
    problem.classes.visible[class_of[record] as usize]
}

/// Keys that all records of a set show with the same value.
fn agreed(problem: Problem<'_>, class_of: &[u32], set: u64) -> u64 {
    let mut records = bits(set);
    let Some(first) = records.next() else {
        return 0;
    };
    let codes = |record: usize| problem.classes.codes_of(class_of[record]);
    records.fold(visible(problem, class_of, first), |agreed, other| {
        let both = agreed & visible(problem, class_of, other);
        let equal = bits(both).filter(|&key| codes(first)[key] == codes(other)[key]);
        equal.fold(0, |mask, key| mask | 1 << key)
    })
}
