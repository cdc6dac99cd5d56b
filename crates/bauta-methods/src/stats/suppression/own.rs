//! Blanks where a blank is a value of its own: a record is safe among those that show the same keys.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::{Blanks, Counts, Problem, Tiers, exact, join, shown};
use crate::context::RunContext;
use crate::error::MethodError;

/// What a record shows: its codes, 0 where it shows nothing.
pub(super) type Shown = Box<[u32]>;

/// Records by what they show.
pub(super) type Groups = HashMap<Shown, u32, FixedState>;

/// From the exact blanks under `original`, classes that fail blank more, until none fails: to what
/// k records show already, or would show if all failing ones that can did the same. Where fewer than
/// k records are left that fail, safe ones join them.
pub(super) fn blanks(
    problem: Problem<'_>,
    context: &RunContext<'_>,
) -> Result<Blanks, MethodError> {
    let mut blanks = exact(problem, context)?;
    loop {
        context.go_on()?;
        let shown = shown(problem.classes, &blanks.of_class);
        let groups = groups(problem, &shown);
        let failing: Vec<u32> = (0..shown.len() as u32)
            .filter(|&class| groups[&problem.key_of(class, shown[class as usize])] < problem.k)
            .collect();
        if failing.is_empty() {
            return Ok(blanks);
        }
        blanks.rounds += 1;
        let moves = moves(problem, &blanks.of_class, &shown, &groups, &failing);
        if moves.is_empty() {
            join::join(problem, &mut blanks, context)?;
            return Ok(blanks);
        }
        for (class, mask) in moves {
            blanks.of_class[class as usize] = mask;
        }
    }
}

impl Problem<'_> {
    /// What a class shows if it shows the keys of `mask`.
    pub(super) fn key_of(&self, class: u32, mask: u64) -> Shown {
        let codes = self.classes.codes_of(class).iter().enumerate();
        codes
            .map(|(key, &code)| if mask >> key & 1 == 1 { code } else { 0 })
            .collect()
    }
}

fn groups(problem: Problem<'_>, shown: &[u64]) -> Groups {
    let mut groups = Groups::with_hasher(FixedState::with_seed(1));
    for (class, (&mask, &(size, _))) in shown.iter().zip(&problem.classes.sizes).enumerate() {
        *groups
            .entry(problem.key_of(class as u32, mask))
            .or_default() += size;
    }
    groups
}

/// For each failing class the cheapest larger set of blanks that leads to k records.
fn moves(
    problem: Problem<'_>,
    of_class: &[u64],
    shown: &[u64],
    groups: &Groups,
    failing: &[u32],
) -> Vec<(u32, u64)> {
    let classes = problem.classes;
    let mut held = vec![None; shown.len()];
    for &class in failing {
        held[class as usize] = Some(shown[class as usize]);
    }
    let could_join = Counts::of(classes, &held);
    let safe_there = |class: u32, mask: u64| {
        let there = groups.get(&problem.key_of(class, mask)).copied();
        there.filter(|&n| n >= problem.k).unwrap_or(0)
    };
    let mut seekers = failing.to_vec();
    let mut moves = Vec::new();
    for tier in Tiers::new(problem.costs) {
        if seekers.is_empty() {
            break;
        }
        seekers.retain(|&class| {
            let (visible, base) = (classes.visible[class as usize], of_class[class as usize]);
            let asked: Vec<(u32, u64)> = tier
                .iter()
                .filter(|&&mask| mask & !visible == 0 && base & !mask == 0 && mask != base)
                .map(|&mask| (class, visible & !mask))
                .collect();
            let joining = could_join.matching(&asked);
            let best = asked
                .iter()
                .zip(joining)
                .map(|(&(_, left), n)| (n + safe_there(class, left), visible & !left))
                .filter(|&(n, _)| n >= problem.k)
                .reduce(|best, other| if other.0 > best.0 { other } else { best });
            moves.extend(best.map(|(_, mask)| (class, mask)));
            best.is_none()
        });
    }
    moves
}
