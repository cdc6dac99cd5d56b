//! Cheaper blanks than those of the fixpoint, under `visible`.
//!
//! Under `visible` records lean on each other: one that shows more is cheaper itself and a match for
//! others. From blanks that are safe, a record that costs more than it would have to by itself tries to
//! show more. Where too few others show the same, the cheapest of those who could are asked to join; a
//! record that loses a match by that looks for its cheapest safe place, and so on for a few turns. What
//! comes out cheaper stays, anything else is taken back. The same is done from the cheapest blanks of each
//! record by itself, mended one record after the other, and the cheaper result stays. Small groups of records that depend on each
//! other alone are then solved exactly.

mod optimum;
mod output;
mod showing;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::context::RunContext;
use crate::error::MethodError;
use crate::keys::suppression::subsets::units;
use crate::keys::suppression::{MAX_BY_COST, Problem, Tiers, bits};
use output::{Output, Unit};

/// Sets of keys that are counted at once at most; 12 keys in one set have as many.
const MAX_FACES: usize = 4096;
/// Records that may change in the wake of one that tries to show more.
const MAX_TURNS: usize = 6;
/// How often a record that fails may take any place that is safe.
const MAX_FREE_MOVES: u8 = 3;
/// Rounds over all records at most.
const MAX_ROUNDS: usize = 32;
/// Counts and sets that are looked at in all, besides those that each record needs once.
const MAX_WORK: u64 = 1 << 27;

/// What a search came to.
pub(crate) struct Found {
    /// Keys to blank in each record.
    pub(crate) of_record: Vec<u64>,
    /// By how much all safe blanks cost more than the floors, as far as that is proved.
    pub(crate) above_floors: f64,
    /// Whether it is proved that no safe blanks cost less.
    pub(crate) is_least: bool,
    /// Whether the search came to its end.
    pub(crate) ended: Ended,
}

/// Whether a search came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    /// Nothing that it tries is left.
    Itself,
    /// It met its limit of work; the rest was not tried.
    AtItsLimit,
    /// There are too many keys, or classes, to be searched.
    NotBegun,
}

/// What it costs to blank a set of keys, in whole units.
struct Prices {
    of_key: Vec<Option<u64>>,
    /// Sets of finite cost from the cheapest.
    sets: Vec<(u64, u64)>,
    /// Whether these are all there are.
    has_all: bool,
    /// What a unit is worth.
    unit: f64,
}

impl Prices {
    fn new(costs: &[f64]) -> Self {
        let of_key = units(costs);
        let sets = Tiers::new(costs).flatten().take(MAX_BY_COST);
        let cost = |mask: u64| bits(mask).filter_map(|key| of_key[key]).sum();
        let sets: Vec<(u64, u64)> = sets.map(|mask| (cost(mask), mask)).collect();
        let n_finite = of_key.iter().flatten().count() as u32;
        let has_all = 1_usize.checked_shl(n_finite) == Some(sets.len());
        let dearest = costs
            .iter()
            .zip(&of_key)
            .filter(|(cost, _)| cost.is_finite());
        let dearest = dearest.max_by(|a, b| a.0.total_cmp(b.0));
        let unit = match dearest {
            Some((cost, &Some(units))) if units > 0 => cost / units as f64,
            _ => 0.0,
        };
        Self {
            of_key,
            sets,
            has_all,
            unit,
        }
    }

    /// Cost of blanking a set of keys; none if it is infinite.
    fn of(&self, mask: u64) -> Option<u64> {
        bits(mask).map(|key| self.of_key[key]).sum()
    }
}

/// A search on its way.
struct Search<'a, 'c> {
    output: Output<'a>,
    prices: Prices,
    /// What each unit costs at least.
    floors: Vec<u64>,
    context: &'a RunContext<'c>,
}

/// Units that hold the values of a cell, by cell.
type Holders = HashMap<usize, Vec<u32>, FixedState>;

/// Improves blanks by class that are safe; `floors` are blanks by class that no safe ones undercut.
pub(crate) fn improve(
    problem: Problem<'_>,
    class_of: &[u32],
    safe: &[u64],
    floors: &[u64],
    context: &RunContext<'_>,
) -> Result<Found, MethodError> {
    let mut found = Found {
        of_record: class_of.iter().map(|&class| safe[class as usize]).collect(),
        above_floors: 0.0,
        is_least: safe == floors,
        ended: Ended::Itself,
    };
    if found.is_least {
        return Ok(found);
    }
    context.go_on()?;
    let Some(output) = Output::new(problem, class_of, safe) else {
        found.ended = Ended::NotBegun;
        return Ok(found);
    };
    let prices = Prices::new(problem.costs);
    let floor = |unit: &Unit| prices.of(floors[unit.class as usize]).unwrap_or(0);
    let mut search = Search {
        floors: output.units.iter().map(floor).collect(),
        output,
        prices,
        context,
    };
    found.ended = search.rounds()?;
    search.try_from(floors)?;
    let proved = search.solve_small_groups()?;
    found.is_least = search.total() == search.floors.iter().sum::<u64>() + proved;
    found.above_floors = proved as f64 * search.prices.unit;
    for unit in &search.output.units {
        found.of_record[unit.record as usize] = unit.blanked;
    }
    Ok(found)
}

impl Search<'_, '_> {
    /// Searches from other blanks by class as well, which need not be safe, and keeps what is cheaper.
    fn try_from(&mut self, start: &[u64]) -> Result<(), MethodError> {
        let so_far: Vec<u64> = self.output.units.iter().map(|unit| unit.blanked).collect();
        let cost = self.total();
        if self.output.work > MAX_WORK / 2 {
            return Ok(());
        }
        for unit in 0..so_far.len() as u32 {
            let class = self.output.units[unit as usize].class;
            self.output
                .change(unit, start[class as usize], &mut Vec::new());
        }
        let is_safe = self.mend()?;
        if is_safe {
            self.rounds()?;
        }
        if !is_safe || self.total() >= cost {
            for (unit, mask) in (0..).zip(so_far) {
                self.output.change(unit, mask, &mut Vec::new());
            }
        }
        Ok(())
    }

    /// Lets one unit after the other that fails take the cheapest place that is safe, which others see
    /// at once. One that fails again and again blanks more each time, so that this ends. Whether all are
    /// safe.
    fn mend(&mut self) -> Result<bool, MethodError> {
        let mut n_moves = vec![0_u8; self.output.units.len()];
        let mut failing: Vec<u32> = (0..n_moves.len() as u32).rev().collect();
        while let Some(unit) = failing.pop() {
            if self.output.is_safe(unit) {
                continue;
            }
            self.context.go_on()?;
            if self.output.work > MAX_WORK {
                return Ok(false);
            }
            let turn = &mut n_moves[unit as usize];
            *turn = turn.saturating_add(1);
            let Unit {
                visible, blanked, ..
            } = self.output.units[unit as usize];
            let place = if *turn <= MAX_FREE_MOVES {
                self.cheapest_place(unit, 0)
            } else {
                let sets = self.prices.sets.iter().map(|&(_, mask)| mask);
                let mut more = sets.filter(|mask| mask & !visible == 0 && blanked & !mask == 0);
                more.find(|&mask| self.output.would_be_safe(unit, mask))
            };
            let Some(place) = place else {
                return Ok(false);
            };
            self.output.change(unit, place, &mut failing);
        }
        Ok(true)
    }

    /// What all units cost.
    fn total(&self) -> u64 {
        let units = 0..self.output.units.len() as u32;
        units.map(|unit| self.cost(unit)).sum()
    }

    /// Lets records show more, until none can.
    fn rounds(&mut self) -> Result<Ended, MethodError> {
        for _ in 0..MAX_ROUNDS {
            let dear: Vec<u32> = (0..self.output.units.len() as u32)
                .filter(|&unit| self.cost(unit) > self.floors[unit as usize])
                .collect();
            let holders = self.holders(&dear);
            let mut improved = false;
            for &unit in &dear {
                self.context.go_on()?;
                improved |= self.show_more(unit, &holders);
                if self.output.work > MAX_WORK {
                    return Ok(Ended::AtItsLimit);
                }
            }
            if !improved {
                break;
            }
        }
        Ok(Ended::Itself)
    }

    fn cost(&self, unit: u32) -> u64 {
        let blanked = self.output.units[unit as usize].blanked;
        self.prices.of(blanked).unwrap_or(u64::MAX)
    }

    /// Cheaper sets of blanks than what a unit has, from the cheapest that could be enough.
    fn cheaper(&self, unit: u32) -> Vec<(u64, u64)> {
        let Unit { visible, .. } = self.output.units[unit as usize];
        let (floor, cost) = (self.floors[unit as usize], self.cost(unit));
        let sets = self.prices.sets.iter().copied();
        let sets = sets.skip_while(|&(price, _)| price < floor);
        sets.take_while(|&(price, _)| price < cost)
            .filter(|&(_, mask)| mask & !visible == 0)
            .collect()
    }

    /// For each cell that one of the units would want others to show, the units that could.
    fn holders(&mut self, dear: &[u32]) -> Holders {
        let mut wanted = Holders::with_hasher(FixedState::with_seed(1));
        let mut faces: Vec<u64> = Vec::new();
        for &unit in dear {
            let visible = self.output.units[unit as usize].visible;
            for (_, mask) in self.cheaper(unit) {
                for face in self.output.faces_of(visible & !mask) {
                    let cell = self.output.cell(unit, face);
                    if self.output.n_at(cell) < self.output.k {
                        wanted.entry(cell).or_default();
                        faces.push(face);
                    }
                }
            }
        }
        faces.sort_unstable();
        faces.dedup();
        self.output.work += (faces.len() * self.output.units.len()) as u64;
        for face in faces {
            for unit in 0..self.output.units.len() as u32 {
                if face & !self.output.units[unit as usize].visible == 0 {
                    let cell = self.output.cell(unit, face);
                    if let Some(holders) = wanted.get_mut(&cell) {
                        holders.push(unit);
                    }
                }
            }
        }
        wanted
    }

    /// Whether a unit could be made to show more, so that all together cost less.
    fn show_more(&mut self, unit: u32, holders: &Holders) -> bool {
        for (_, mask) in self.cheaper(unit) {
            let mut journal = Vec::new();
            if self.attempt(unit, mask, holders, &mut journal) {
                return true;
            }
            for (unit, blanked) in journal.into_iter().rev() {
                self.output.change(unit, blanked, &mut Vec::new());
            }
        }
        false
    }

    /// Lets a unit blank a cheaper set, others join it, and those who lose a match move on. Whether
    /// this is safe and cheaper; the journal has what was before.
    fn attempt(
        &mut self,
        unit: u32,
        mask: u64,
        holders: &Holders,
        journal: &mut Vec<(u32, u64)>,
    ) -> bool {
        let mut failing = Vec::new();
        let mut change = self.apply(unit, mask, journal, &mut failing);
        let visible = self.output.units[unit as usize].visible;
        for face in self.output.faces_of(visible & !mask).collect::<Vec<u64>>() {
            match self.recruit(unit, face, holders, journal, &mut failing) {
                Some(more) => change += more,
                None => return false,
            }
        }
        let settled: Vec<u32> = journal.iter().map(|&(unit, _)| unit).collect();
        failing.extend(&settled);
        let mut n_turns = 0;
        while let Some(next) = failing.pop() {
            if self.output.is_safe(next) {
                continue;
            }
            n_turns += 1;
            if settled.contains(&next) || n_turns > MAX_TURNS || change > self.slack() {
                return false;
            }
            let Some(mask) = self.cheapest_place(next, 0) else {
                return false;
            };
            change += self.apply(next, mask, journal, &mut failing);
            failing.extend(&settled);
        }
        change < 0
    }

    /// What a chain of moves may cost before it pays: as much as the dearest key.
    fn slack(&self) -> i64 {
        let dearest = self.prices.of_key.iter().flatten().max();
        dearest.copied().unwrap_or(0).cast_signed()
    }

    /// Changes a unit; gives what it costs more.
    fn apply(
        &mut self,
        unit: u32,
        mask: u64,
        journal: &mut Vec<(u32, u64)>,
        failing: &mut Vec<u32>,
    ) -> i64 {
        let before = self.output.units[unit as usize].blanked;
        let [from, to] = [before, mask].map(|mask| self.prices.of(mask).unwrap_or(0).cast_signed());
        journal.push((unit, before));
        self.output.change(unit, mask, failing);
        to - from
    }

    /// Lets the cheapest units that hold a face of a unit show it, until k do; gives what they cost
    /// more, or nothing if they are too few.
    fn recruit(
        &mut self,
        unit: u32,
        face: u64,
        holders: &Holders,
        journal: &mut Vec<(u32, u64)>,
        failing: &mut Vec<u32>,
    ) -> Option<i64> {
        let cell = self.output.cell(unit, face);
        if self.output.n_at(cell) >= self.output.k {
            return Some(0);
        }
        let mut offers: Vec<(i64, u32, u64)> = Vec::new();
        for &other in holders.get(&cell)? {
            let Unit {
                visible, blanked, ..
            } = self.output.units[other as usize];
            if visible & !blanked & face == face {
                continue;
            }
            if let Some((cost, mask)) = self.cheapest_showing(other, face) {
                let more = cost.cast_signed() - self.cost(other).cast_signed();
                offers.push((more, other, mask));
            }
        }
        offers.sort_unstable();
        let mut change = 0;
        for (_, other, mask) in offers {
            if self.output.n_at(cell) >= self.output.k {
                break;
            }
            change += self.apply(other, mask, journal, failing);
        }
        (self.output.n_at(cell) >= self.output.k).then_some(change)
    }

    /// The cheapest blanks of a unit that show a face, if that is safe already or if it shows no more
    /// than the face, which is about to be.
    fn cheapest_showing(&mut self, unit: u32, face: u64) -> Option<(u64, u64)> {
        let only = self.output.units[unit as usize].visible & !face;
        let joining = self.prices.of(only).map(|cost| (cost, only));
        let apart = self.cheapest_place(unit, face);
        let apart = apart.and_then(|mask| Some((self.prices.of(mask)?, mask)));
        joining.into_iter().chain(apart).min()
    }

    /// The cheapest blanks with which a unit would be safe, among those that show some keys.
    fn cheapest_place(&mut self, unit: u32, keys: u64) -> Option<u64> {
        let visible = self.output.units[unit as usize].visible;
        let blankable = visible & !keys;
        let mut n_tried = 0;
        let mut sets = self.prices.sets.iter().map(|&(_, mask)| mask);
        let place = sets.find(|&mask| {
            n_tried += 1;
            mask & !blankable == 0 && self.output.would_be_safe(unit, mask)
        });
        self.output.work += n_tried;
        place
    }
}
