//! The cheapest blanks of a few records that depend on nobody else.
//!
//! Two records bear on each other only where both could show the same, k records could, and fewer than k
//! do for certain. Records that are linked so, directly or by others, form a group. In a small one every
//! choice is tried that could still be cheaper: the records that are not decided yet are taken to show
//! everything, which is the best that can happen to the others.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::{MAX_WORK, Search, Unit};
use crate::error::MethodError;

/// Records of a group that is solved exactly, at most.
const MAX_GROUP: usize = 24;
/// Choices that are looked at in one group; where there are more, the best so far stays.
const MAX_CHOICES: u64 = 50_000;
/// Cells that are looked at to find the groups, at most.
const MAX_CELLS: usize = 1 << 24;

/// A search among the choices of one group.
struct Choices {
    units: Vec<u32>,
    /// Place in the order of prices that each unit has chosen; none while it is open.
    chosen: Vec<Option<usize>>,
    /// The cheapest choice of all that is safe, and its cost.
    best: Vec<u64>,
    best_cost: u64,
    n_left: u64,
}

impl Search<'_, '_> {
    /// Solves the small groups; gives how far that raises the lower bound.
    pub(super) fn solve_small_groups(&mut self) -> Result<u64, MethodError> {
        let mut proved = 0;
        for group in self.small_groups() {
            self.context.go_on()?;
            let floor: u64 = group.iter().map(|&unit| self.floors[unit as usize]).sum();
            let cost: u64 = group.iter().map(|&unit| self.cost(unit)).sum();
            if cost == floor || self.output.work > MAX_WORK {
                continue;
            }
            let blanked = |&unit: &u32| self.output.units[unit as usize].blanked;
            let mut choices = Choices {
                best: group.iter().map(blanked).collect(),
                chosen: vec![None; group.len()],
                units: group,
                best_cost: cost,
                n_left: MAX_CHOICES,
            };
            for &unit in &choices.units {
                self.output.change(unit, 0, &mut Vec::new());
            }
            self.choose(&mut choices, 0);
            for (&unit, &mask) in choices.units.iter().zip(&choices.best) {
                self.output.change(unit, mask, &mut Vec::new());
            }
            if choices.n_left > 0 && self.prices.has_all {
                proved += choices.best_cost - floor;
            }
        }
        Ok(proved)
    }

    /// Decides one more unit in all ways that can still be cheaper than the best.
    fn choose(&mut self, choices: &mut Choices, cost: u64) {
        let mut open: Vec<(u64, usize)> = Vec::new();
        for (at, &unit) in choices.units.iter().enumerate() {
            if choices.chosen[at].is_none() {
                match self.cheapest_place(unit, 0) {
                    Some(mask) => open.push((self.prices.of(mask).unwrap_or(0), at)),
                    None => return,
                }
            }
        }
        let at_least = cost + open.iter().map(|&(price, _)| price).sum::<u64>();
        if at_least >= choices.best_cost {
            return;
        }
        // The dearest first: it narrows the rest most.
        let next = open
            .iter()
            .copied()
            .max_by_key(|&(price, at)| (price, usize::MAX - at));
        let Some((cheapest, at)) = next else {
            let blanked = |&unit: &u32| self.output.units[unit as usize].blanked;
            choices.best = choices.units.iter().map(blanked).collect();
            choices.best_cost = cost;
            return;
        };
        let unit = choices.units[at];
        let Unit { visible, class, .. } = self.output.units[unit as usize];
        // Records with equal keys can be exchanged: the later one chooses no earlier set.
        let twins = (0..choices.units.len())
            .filter(|&other| self.output.units[choices.units[other] as usize].class == class);
        let first = twins
            .filter_map(|twin| choices.chosen[twin])
            .max()
            .unwrap_or(0);
        for place in first..self.prices.sets.len() {
            let (price, mask) = self.prices.sets[place];
            if at_least - cheapest + price >= choices.best_cost {
                break;
            }
            if mask & !visible != 0 || !self.output.would_be_safe(unit, mask) {
                continue;
            }
            if choices.n_left == 0 {
                return;
            }
            choices.n_left -= 1;
            let mut failing = Vec::new();
            self.output.change(unit, mask, &mut failing);
            choices.chosen[at] = Some(place);
            let is_decided = |other: &u32| {
                let position = choices.units.iter().position(|unit| unit == other);
                position.is_some_and(|position| choices.chosen[position].is_some())
            };
            if !failing.iter().any(is_decided) {
                self.choose(choices, cost + price);
            }
            choices.chosen[at] = None;
            self.output.change(unit, 0, &mut Vec::new());
        }
    }

    /// Groups of few units that depend on each other and on nobody else, each by rising unit.
    fn small_groups(&self) -> Vec<Vec<u32>> {
        let (units, faces) = (&self.output.units, self.output.faces());
        if units.len().saturating_mul(faces.len()) > MAX_CELLS {
            return Vec::new();
        }
        // Units that could show a cell and those that do, and one of them.
        let mut cells: HashMap<usize, (u32, u32, u32), FixedState> = HashMap::default();
        for (unit, now) in (0..).zip(units) {
            for &face in faces.iter().filter(|&&face| face & !now.visible == 0) {
                let at = cells
                    .entry(self.output.cell(unit, face))
                    .or_insert((0, 0, unit));
                at.0 += 1;
                at.1 += u32::from(face & now.blanked == 0);
            }
        }
        let mut links = Links::new(units.len());
        for (unit, now) in (0..).zip(units) {
            for &face in faces.iter().filter(|&&face| face & !now.visible == 0) {
                let cell = self.output.cell(unit, face);
                let (could, do_show, first) = cells[&cell];
                let certain = self.output.n_at(cell) - do_show;
                if certain < self.output.k && certain + could >= self.output.k {
                    links.join(unit, first);
                }
            }
        }
        let mut groups: HashMap<u32, Vec<u32>, FixedState> = HashMap::default();
        for unit in 0..units.len() as u32 {
            groups.entry(links.root(unit)).or_default().push(unit);
        }
        let mut groups: Vec<Vec<u32>> = groups.into_values().collect();
        groups.retain(|group| group.len() <= MAX_GROUP);
        groups.sort_unstable();
        groups
    }
}

/// Which units are linked.
struct Links(Vec<u32>);

impl Links {
    fn new(n: usize) -> Self {
        Self((0..n as u32).collect())
    }

    fn root(&mut self, mut unit: u32) -> u32 {
        while self.0[unit as usize] != unit {
            // Halves the way for the next who asks.
            self.0[unit as usize] = self.0[self.0[unit as usize] as usize];
            unit = self.0[unit as usize];
        }
        unit
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}
