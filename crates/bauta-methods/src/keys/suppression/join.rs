//! The last records that fail where a blank is a value of its own: safe records come to them.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::context::RunContext;
use crate::error::MethodError;
use crate::keys::counts::on_mask;
use crate::keys::suppression::own::{Groups, Shown};
use crate::keys::suppression::{Apart, Blanks, Problem, Tiers, bits};

/// One way to make a group safe: the keys that it shows then, and which records come to it.
struct Offer {
    cost: f64,
    shown: u64,
    records: Vec<u32>,
}

/// What each record shows now, and how many show the same.
struct Output {
    of_record: Vec<Shown>,
    sizes: Groups,
}

/// Records that show the same: what one of them costs, how many their file holds, and they.
struct Group {
    cost: f64,
    size: usize,
    records: Vec<u32>,
}

/// Makes each failing group safe by letting other records blank down to what it shows: those that
/// their group can spare, or a whole group. Each turn leaves fewer records that fail.
pub(super) fn join(
    problem: Problem<'_>,
    class_of: &[u32],
    blanks: &mut Blanks,
    context: &RunContext<'_>,
) -> Result<(), MethodError> {
    let visible = &problem.classes.visible;
    let mut of_record = blanks.by_record(class_of);
    loop {
        context.go_on()?;
        let output = output(problem, class_of, &of_record);
        let fails = |shown: &&Shown| output.sizes[*shown] < problem.k;
        let Some(failing) = output.of_record.iter().find(fails) else {
            break;
        };
        let offer = cheapest(problem, failing, &output)
            .ok_or_else(|| problem.unsolved(u64::from(output.sizes[failing])))?;
        let members = (0..of_record.len()).filter(|&i| output.of_record[i] == *failing);
        let comers = offer.records.iter().map(|&record| record as usize);
        for record in members.chain(comers) {
            of_record[record] = visible[class_of[record] as usize] & !offer.shown;
        }
    }
    for (record, (&mask, &class)) in (0..).zip(of_record.iter().zip(class_of)) {
        if blanks.of_class[class as usize] != mask {
            blanks.of_record.push(Apart {
                record,
                class,
                mask,
            });
        }
    }
    Ok(())
}

fn output(problem: Problem<'_>, class_of: &[u32], of_record: &[u64]) -> Output {
    let classes = problem.classes;
    let of_record: Vec<Shown> = of_record
        .iter()
        .zip(class_of)
        .map(|(&mask, &class)| classes.key_on(class, classes.visible[class as usize] & !mask))
        .collect();
    let mut sizes = Groups::with_hasher(FixedState::with_seed(1));
    for shown in &of_record {
        *sizes.entry(shown.clone()).or_default() += 1;
    }
    Output { of_record, sizes }
}

/// The keys that are shown.
fn mask_of(shown: &Shown) -> u64 {
    let codes = shown.iter().enumerate();
    codes.fold(0, |mask, (key, &code)| mask | u64::from(code != 0) << key)
}

/// The cheapest offer to a failing group over all sets of keys that it could blank besides.
fn cheapest(problem: Problem<'_>, failing: &Shown, output: &Output) -> Option<Offer> {
    let shown = mask_of(failing);
    let n_members = f64::from(output.sizes[failing]);
    let mut best: Option<Offer> = None;
    for mask in Tiers::new(problem.costs).flatten() {
        if mask & !shown != 0 {
            continue;
        }
        let own = n_members * problem.cost_of(mask);
        if best.as_ref().is_some_and(|best| best.cost <= own) {
            break;
        }
        let left = shown & !mask;
        let offer = comers(problem, failing, left, output).map(|(cost, records)| Offer {
            cost: own + cost,
            shown: left,
            records,
        });
        let better = |offer: &Offer| best.as_ref().is_none_or(|best| offer.cost < best.cost);
        if let Some(offer) = offer.filter(better) {
            best = Some(offer);
        }
    }
    best
}

/// The cheapest records that make a group safe if it shows the keys of `left` only, and their cost.
fn comers(
    problem: Problem<'_>,
    failing: &Shown,
    left: u64,
    output: &Output,
) -> Option<(f64, Vec<u32>)> {
    let target: Shown = on_mask(failing, left);
    let at_target = if target == *failing {
        0
    } else {
        output.sizes.get(&target).copied().unwrap_or(0)
    };
    let n_there = (output.sizes[failing] + at_target) as usize;
    let n_wanted = (problem.k as usize).saturating_sub(n_there);
    if n_wanted == 0 {
        return Some((0.0, Vec::new()));
    }
    let mut groups: Vec<Group> = Vec::new();
    let mut positions = HashMap::<&Shown, Option<usize>, FixedState>::default();
    for (record, shown) in output.of_record.iter().enumerate() {
        let position = positions.entry(shown).or_insert_with(|| {
            let fits = bits(left).all(|key| shown[key] == target[key]);
            let cost = problem.cost_of(mask_of(shown) & !left);
            let comes = fits && cost.is_finite() && *shown != *failing && *shown != target;
            comes.then(|| {
                groups.push(Group {
                    cost,
                    size: output.sizes[shown] as usize,
                    records: Vec::new(),
                });
                groups.len() - 1
            })
        });
        if let Some(position) = *position {
            groups[position].records.push(record as u32);
        }
    }
    groups.sort_by(|a, b| {
        a.cost
            .total_cmp(&b.cost)
            .then(a.records[0].cmp(&b.records[0]))
    });
    let ways = [
        spare(&groups, n_wanted, problem.k as usize),
        whole(&groups, n_wanted),
    ];
    ways.into_iter()
        .flatten()
        .reduce(|best, other| if other.0 < best.0 { other } else { best })
}

/// Records that their groups can spare: all of a group that fails, what is beyond k of others.
fn spare(groups: &[Group], n_wanted: usize, k: usize) -> Option<(f64, Vec<u32>)> {
    let (mut cost, mut records) = (0.0, Vec::new());
    for group in groups {
        let n_spare = if group.size < k {
            group.size
        } else {
            group.size - k
        };
        let n_taken = n_spare.min(n_wanted - records.len());
        records.extend(&group.records[..n_taken]);
        cost += group.cost * n_taken as f64;
    }
    (records.len() == n_wanted).then_some((cost, records))
}

/// A whole group, the cheapest that is large enough.
fn whole(groups: &[Group], n_wanted: usize) -> Option<(f64, Vec<u32>)> {
    let cost = |group: &Group| group.cost * group.size as f64;
    groups
        .iter()
        .filter(|group| group.size >= n_wanted)
        .reduce(|best, other| {
            if cost(other) < cost(best) {
                other
            } else {
                best
            }
        })
        .map(|group| (cost(group), group.records.clone()))
}
