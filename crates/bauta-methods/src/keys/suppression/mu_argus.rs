//! The choice of blanks that mu-Argus makes, record by record.

use crate::context::RunContext;
use crate::error::MethodError;
use crate::keys::suppression::{Counts, MAX_ASKED, Problem, bits, held_before};

/// mu-Argus prefers its second way only where it is cheaper by more than this.
const CLEARLY_CHEAPER: f64 = 0.1;

/// Blanks of each class: keys that are unsafe by themselves first, then the cheaper of two ways.
pub(super) fn blanks(
    problem: Problem<'_>,
    context: &RunContext<'_>,
) -> Result<Vec<u64>, MethodError> {
    let classes = problem.classes;
    let held = held_before(classes);
    let counts = Counts::of(classes, &held);
    let mut of_class = vec![0; classes.sizes.len()];
    let failing = problem.failing(&counts, &classes.visible);
    for chunk in failing.chunks(MAX_ASKED >> classes.n_keys.min(16)) {
        context.go_on()?;
        let mut asked: Vec<(u32, u64)> = Vec::new();
        for &class in chunk {
            let within = subsets(classes.visible[class as usize]);
            let within = within.filter(|&set| problem.sets.hold(set));
            asked.extend(within.map(|set| (class, set)));
        }
        let found = counts.matching(&asked);
        let is_rare: Vec<bool> = found.iter().map(|&n| n < problem.k).collect();
        let mut rest = asked.iter().zip(&is_rare).peekable();
        for &class in chunk {
            let mut unsafe_sets = Vec::new();
            while let Some((&(_, set), &rare)) = rest.next_if(|((other, _), _)| *other == class) {
                unsafe_sets.extend(rare.then_some(set));
            }
            unsafe_sets.sort_unstable();
            of_class[class as usize] = choose(problem, &unsafe_sets);
        }
    }
    Ok(of_class)
}

/// All non-empty subsets of a set, from the largest mask.
fn subsets(all: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(all).filter(|&all| all != 0), move |&set| {
        Some((set - 1) & all).filter(|&next| next != 0)
    })
}

fn choose(problem: Problem<'_>, unsafe_sets: &[u64]) -> u64 {
    let alone = unsafe_sets.iter().filter(|set| set.is_power_of_two());
    let first = alone.fold(0, |mask, set| mask | set);
    let left: Vec<u64> = unsafe_sets
        .iter()
        .copied()
        .filter(|set| set & first == 0)
        .collect();
    let by_frequency = first | most_frequent(left.clone(), problem.costs);
    let by_dimension = first | cheapest_in_each(&left, problem.costs);
    if problem.cost_of(by_dimension) < problem.cost_of(by_frequency) - CLEARLY_CHEAPER {
        by_dimension
    } else {
        by_frequency
    }
}

/// Blanks, again and again, the key that is in most of the sets left; of several, the cheapest.
fn most_frequent(mut left: Vec<u64>, costs: &[f64]) -> u64 {
    let mut mask = 0;
    while !left.is_empty() {
        let n_sets = |key: usize| left.iter().filter(|set| *set >> key & 1 == 1).count();
        let better = |a: usize, b: usize| {
            let (more, fewer) = (n_sets(a), n_sets(b));
            if more > fewer || more == fewer && costs[a] < costs[b] {
                a
            } else {
                b
            }
        };
        let Some(key) = (0..costs.len()).reduce(|best, key| better(key, best)) else {
            break;
        };
        mask |= 1 << key;
        left.retain(|set| set & mask == 0);
    }
    mask
}

/// Blanks, from the smallest sets to the largest, the cheapest key of each that is not broken yet.
fn cheapest_in_each(left: &[u64], costs: &[f64]) -> u64 {
    let mut in_order = left.to_vec();
    in_order.sort_by_key(|set| set.count_ones());
    let mut mask = 0;
    for set in in_order {
        if set & mask == 0 {
            let cheapest = bits(set).reduce(
                |best, key| {
                    if costs[key] < costs[best] { key } else { best }
                },
            );
            mask |= cheapest.map_or(0, |key| 1 << key);
        }
    }
    mask
}
