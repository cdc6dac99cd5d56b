//! Blanks where some keys belong to the household: what one member loses of them, all members lose.
//!
//! Under `original` households do not bear on each other, so that each is solved exactly: for every set
//! of household keys, all members blank it, and each the cheapest other keys besides. Under `visible`,
//! households with a member that fails in the output blank more, until none does.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::context::RunContext;
use crate::error::MethodError;
use crate::keys::Semantics;
use crate::keys::suppression::subsets::units;
use crate::keys::suppression::{
    Blanks, Counts, MAX_ASKED, Problem, Tiers, bits, held_before, shown,
};

/// Most keys for which all their sets are tried.
pub(crate) const MAX_KEYS: usize = 12;

/// Which classes live together, and what is theirs together. No class is of two households.
pub(crate) struct Homes {
    /// Classes of each household.
    pub(crate) classes: Vec<Vec<u32>>,
    /// Keys that belong to the household.
    pub(crate) keys: u64,
}

/// How good blanks of a class are; smaller is better: cost, cells, then the larger count, then the mask.
type Rank = (u64, u32, Reverse<u32>, u64);

/// The best blanks of a class, by the household keys among them.
type BestOf = HashMap<u64, Rank, FixedState>;

/// Blanks that are safe under `original` or `visible`; the first at the least cost.
pub(crate) fn blanks(
    problem: Problem<'_>,
    homes: &Homes,
    semantics: Semantics,
    context: &RunContext<'_>,
) -> Result<Blanks, MethodError> {
    let classes = problem.classes;
    let mut blanks = Blanks {
        of_class: vec![0; classes.n_classes()],
        of_record: Vec::new(),
        rounds: 0,
        lower_bound: 0.0,
    };
    let held = held_before(classes);
    let counts = Counts::of(classes, &held);
    let failing = problem.failing(&counts, &classes.visible);
    resolve(
        problem,
        homes,
        &counts,
        &failing,
        &mut blanks.of_class,
        context,
    )?;
    blanks.lower_bound = blanks.totals(classes, problem.costs).cost;
    if semantics == Semantics::Original {
        return Ok(blanks);
    }
    loop {
        let shown = shown(classes, &blanks.of_class);
        let held: Vec<Option<u64>> = shown.iter().copied().map(Some).collect();
        let counts = Counts::of(classes, &held);
        let failing = problem.failing(&counts, &shown);
        if failing.is_empty() {
            return Ok(blanks);
        }
        blanks.rounds += 1;
        resolve(
            problem,
            homes,
            &counts,
            &failing,
            &mut blanks.of_class,
            context,
        )?;
    }
}

/// The cheapest blanks of households with a failing class, none of which takes a blank back.
fn resolve(
    problem: Problem<'_>,
    homes: &Homes,
    counts: &Counts<'_>,
    failing: &[u32],
    of_class: &mut [u64],
    context: &RunContext<'_>,
) -> Result<(), MethodError> {
    let sets: Vec<u64> = Tiers::new(problem.costs).flatten().collect();
    let is_failing = |class: &u32| failing.binary_search(class).is_ok();
    let concerned = |home: &&Vec<u32>| home.iter().any(is_failing);
    let concerned: Vec<&Vec<u32>> = homes.classes.iter().filter(concerned).collect();
    let n_classes = concerned.iter().map(|home| home.len()).max().unwrap_or(1);
    let at_once = (MAX_ASKED / (sets.len() * n_classes).max(1)).max(1);
    let mut n_unsolved = 0;
    for chunk in concerned.chunks(at_once) {
        context.go_on()?;
        let asked: Vec<(u32, u64)> = chunk
            .iter()
            .flat_map(|home| home.iter())
            .flat_map(|&class| {
                let (visible, base) = (
                    problem.classes.visible[class as usize],
                    of_class[class as usize],
                );
                let fits = move |mask: &&u64| *mask & !visible == 0 && base & !*mask == 0;
                let fitting = sets.iter().filter(fits);
                fitting.map(move |&mask| (class, visible & !mask))
            })
            .collect();
        let mut best: BTreeMap<u32, BestOf> = BTreeMap::new();
        let prices = units(problem.costs);
        for (&(class, shown), n) in asked.iter().zip(problem.fewest(counts, &asked)) {
            let mask = problem.classes.visible[class as usize] & !shown;
            if n >= problem.k {
                let cost = bits(mask).filter_map(|key| prices[key]).sum();
                let rank = (cost, mask.count_ones(), Reverse(n), mask);
                let of_class = best.entry(class).or_default();
                let so_far = of_class.entry(mask & homes.keys).or_insert(rank);
                *so_far = rank.min(*so_far);
            }
        }
        for home in chunk {
            match cheapest(problem, homes, home, &best) {
                Some(masks) => {
                    for (&class, mask) in home.iter().zip(masks) {
                        of_class[class as usize] = mask;
                    }
                }
                None => n_unsolved += home.iter().filter(|&class| is_failing(class)).count() as u64,
            }
        }
    }
    if n_unsolved == 0 {
        return Ok(());
    }
    Err(problem.unsolved(n_unsolved))
}

/// The cheapest blanks of the classes of a household; none if some class is safe with no set.
fn cheapest(
    problem: Problem<'_>,
    homes: &Homes,
    home: &[u32],
    best: &BTreeMap<u32, BestOf>,
) -> Option<Vec<u64>> {
    let visible = |class: u32| problem.classes.visible[class as usize];
    let theirs = home.iter().fold(0, |keys, &class| keys | visible(class)) & homes.keys;
    let mut cheapest: Option<((u64, u64, u64), Vec<u64>)> = None;
    let mut lost = theirs;
    loop {
        let of_class = |&class: &u32| best.get(&class)?.get(&(lost & visible(class))).copied();
        let ranks: Option<Vec<Rank>> = home.iter().map(of_class).collect();
        if let Some(ranks) = ranks {
            let sizes = home
                .iter()
                .map(|&class| u64::from(problem.classes.sizes[class as usize]));
            let (mut cost, mut n_cells) = (0_u64, 0_u64);
            for (rank, size) in ranks.iter().zip(sizes) {
                cost = cost.saturating_add(rank.0.saturating_mul(size));
                n_cells += u64::from(rank.1) * size;
            }
            let order = (cost, n_cells, lost);
            if cheapest.as_ref().is_none_or(|(so_far, _)| order < *so_far) {
                cheapest = Some((order, ranks.iter().map(|rank| rank.3).collect()));
            }
        }
        if lost == 0 {
            break;
        }
        lost = (lost - 1) & theirs;
    }
    cheapest.map(|(_, masks)| masks)
}
