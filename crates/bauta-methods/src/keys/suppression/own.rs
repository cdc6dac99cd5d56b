//! Blanks where a blank is a value of its own: a record is safe among those that show the same keys.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::context::RunContext;
use crate::error::MethodError;
use crate::keys::suppression::{Blanks, Counts, Problem, Tiers, exact, join, shown};

/// What a record shows: its codes, 0 where it shows nothing.
pub(super) type Shown = Box<[u32]>;

/// Records by what they show.
pub(super) type Groups = HashMap<Shown, u32, FixedState>;

/// From the exact blanks under `original`, classes that fail blank more, until none fails: to what
/// k records show already, or would show if all failing ones that can did the same. Where fewer than
/// k records are left that fail, safe ones join them.
pub(super) fn blanks(
    problem: Problem<'_>,
    of_record: &[u32],
    context: &RunContext<'_>,
) -> Result<Blanks, MethodError> {
    let mut blanks = exact(problem, context)?;
    loop {
        context.go_on()?;
        let shown = shown(problem.classes, &blanks.of_class);
        let groups = groups(problem, &shown);
        let failing: Vec<u32> = (0..shown.len() as u32)
            .filter(|&class| {
                groups[&problem.classes.key_on(class, shown[class as usize])] < problem.k
            })
            .collect();
        if failing.is_empty() {
            return Ok(blanks);
        }
        blanks.rounds += 1;
        let moves = moves(problem, &blanks.of_class, &shown, &groups, &failing);
        if moves.is_empty() {
            join::join(problem, of_record, &mut blanks, context)?;
            return Ok(blanks);
        }
        for (class, mask) in moves {
            blanks.of_class[class as usize] = mask;
        }
    }
}

fn groups(problem: Problem<'_>, shown: &[u64]) -> Groups {
    let mut groups = Groups::with_hasher(FixedState::with_seed(1));
    for (class, (&mask, &size)) in shown.iter().zip(&problem.classes.sizes).enumerate() {
        *groups
            .entry(problem.classes.key_on(class as u32, mask))
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
        let there = groups.get(&problem.classes.key_on(class, mask)).copied();
        there.filter(|&n| n >= problem.k).unwrap_or(0)
    };
    let mut seekers = failing.to_vec();
    let mut moves = Vec::new();
    for tier in Tiers::new(problem.costs) {
        if seekers.is_empty() {
            break;
        }
        let asked: Vec<(u32, u64)> = seekers
            .iter()
            .flat_map(|&class| {
                let (visible, base) = (classes.visible[class as usize], of_class[class as usize]);
                tier.iter()
                    .filter(move |&&mask| mask & !visible == 0 && base & !mask == 0 && mask != base)
                    .map(move |&mask| (class, visible & !mask))
            })
            .collect();
        let joining = could_join.matching(&asked);
        let mut best: Vec<(u32, u32, u64)> = Vec::new();
        for (&(class, left), n) in asked.iter().zip(joining) {
            let n = n + safe_there(class, left);
            let mask = classes.visible[class as usize] & !left;
            match best.last_mut() {
                _ if n < problem.k => {}
                Some(last) if last.0 == class => {
                    if n > last.1 {
                        *last = (class, n, mask);
                    }
                }
                _ => best.push((class, n, mask)),
            }
        }
        let mut solved = best.iter().map(|&(class, ..)| class).peekable();
        seekers.retain(|&class| solved.next_if_eq(&class).is_none());
        moves.extend(best.into_iter().map(|(class, _, mask)| (class, mask)));
    }
    moves
}
