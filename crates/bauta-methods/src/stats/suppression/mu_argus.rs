//! The choice of blanks that mu-Argus makes, record by record.

use super::{Counts, Problem, bits, held_before};
use crate::context::RunContext;
use crate::error::MethodError;

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
    for class in problem.failing(&counts, &classes.visible) {
        context.go_on()?;
        let unsafe_sets = unsafe_sets(problem, &counts, class);
        of_class[class as usize] = choose(problem, &unsafe_sets);
    }
    Ok(of_class)
}

/// All sets of visible keys whose values occur fewer than k times together, by rising mask.
fn unsafe_sets(problem: Problem<'_>, counts: &Counts<'_>, class: u32) -> Vec<u64> {
    let visible = problem.classes.visible[class as usize];
    let mut asked = Vec::new();
    let mut set = visible;
    while set != 0 {
        asked.push((class, set));
        set = (set - 1) & visible;
    }
    asked.reverse();
    let found = counts.matching(&asked);
    let rare = asked.iter().zip(found).filter(|(_, n)| *n < problem.k);
    rare.map(|(&(_, set), _)| set).collect()
}

fn choose(problem: Problem<'_>, unsafe_sets: &[u64]) -> u64 {
    let alone = unsafe_sets.iter().filter(|set| set.count_ones() == 1);
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
