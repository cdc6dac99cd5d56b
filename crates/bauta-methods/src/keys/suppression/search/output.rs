//! What records show on their way, and how many show the same.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::MAX_FACES;
use super::showing::Showing;
use crate::keys::suppression::{Problem, shown};

/// A record that may be given other blanks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    pub(super) record: u32,
    pub(super) class: u32,
    /// Keys that it shows in the source.
    pub(super) visible: u64,
    /// Keys that are blanked now.
    pub(super) blanked: u64,
}

/// Records that may change, what all show now, and how often.
pub(super) struct Output<'a> {
    pub(super) k: u32,
    pub(super) units: Vec<Unit>,
    /// Counts and sets that were looked at.
    pub(super) work: u64,
    /// Sets of keys that have to be safe.
    sets: &'a [u64],
    /// All sets of keys within these.
    faces: Vec<u64>,
    showing: Showing<'a>,
    /// Units by the cells that must hold k records for their sake.
    sitting: HashMap<usize, Vec<u32>, FixedState>,
}

impl<'a> Output<'a> {
    /// What the file shows with these blanks by class; none if there is too much to count.
    ///
    /// Classes of k records and more are safe by themselves as long as they show everything, which
    /// costs nothing and is best for all others: they stay as they are.
    pub(super) fn new(problem: Problem<'a>, class_of: &[u32], blanks: &[u64]) -> Option<Self> {
        let classes = problem.classes;
        let mut blanks = blanks.to_vec();
        let is_movable = |class: u32| classes.sizes[class as usize] < problem.k;
        let mut movable = Vec::new();
        for class in 0..classes.n_classes() as u32 {
            if is_movable(class) {
                movable.push(class);
            } else {
                blanks[class as usize] = 0;
            }
        }
        let faces = problem.sets.all_within(MAX_FACES)?;
        let showing = Showing::new(classes, &shown(classes, &blanks), &movable, &faces)?;
        let units = (0..).zip(class_of).filter(|&(_, &class)| is_movable(class));
        let units = units.map(|(record, &class)| Unit {
            record,
            class,
            visible: classes.visible[class as usize],
            blanked: blanks[class as usize],
        });
        let mut output = Self {
            k: problem.k,
            units: units.collect(),
            work: 0,
            sets: problem.sets.masks(),
            faces,
            showing,
            sitting: HashMap::with_hasher(FixedState::with_seed(1)),
        };
        for unit in 0..output.units.len() as u32 {
            output.sit(unit);
        }
        Some(output)
    }

    /// Sets of keys that must be safe where a record shows some keys.
    pub(super) fn faces_of(&self, shown: u64) -> impl Iterator<Item = u64> + use<'a> {
        self.sets.iter().map(move |set| shown & set)
    }

    /// All sets of keys that can have to be safe.
    pub(super) fn faces(&self) -> &[u64] {
        &self.faces
    }

    /// The cell of a unit on keys that it shows in the source.
    pub(super) fn cell(&self, unit: u32, face: u64) -> usize {
        self.showing.cell(self.units[unit as usize].class, face)
    }

    /// Records that show a cell.
    pub(super) fn n_at(&self, cell: usize) -> u32 {
        self.showing.n_at(cell)
    }

    /// Whether at least k records show what a unit shows.
    pub(super) fn is_safe(&self, unit: u32) -> bool {
        self.would_be_safe(unit, self.units[unit as usize].blanked)
    }

    /// Whether a unit would be safe with other blanks, all else as it is.
    pub(super) fn would_be_safe(&self, unit: u32, blanked: u64) -> bool {
        let now = self.units[unit as usize];
        let shown = now.visible & !now.blanked;
        self.faces_of(now.visible & !blanked).all(|face| {
            let joins = u32::from(face & !shown != 0);
            self.n_at(self.cell(unit, face)) + joins >= self.k
        })
    }

    /// Gives a unit other blanks, and adds units to the list that are no longer safe by that.
    pub(super) fn change(&mut self, unit: u32, blanked: u64, failing: &mut Vec<u32>) {
        let Unit {
            class,
            visible,
            blanked: before,
            ..
        } = self.units[unit as usize];
        let (old, new) = (visible & !before, visible & !blanked);
        self.rise(unit);
        self.units[unit as usize].blanked = blanked;
        self.sit(unit);
        self.work += self.faces.len() as u64;
        for &face in &self.faces {
            match (face & !old == 0, face & !new == 0) {
                (true, false) => {
                    let cell = self.showing.cell(class, face);
                    if self.showing.remove(cell) + 1 == self.k {
                        failing.extend(self.sitting.get(&cell).into_iter().flatten());
                    }
                }
                (false, true) => self.showing.add(self.showing.cell(class, face)),
                _ => {}
            }
        }
    }

    /// Notes a unit at what it shows; where that is nothing, it stays safe whatever others do.
    fn sit(&mut self, unit: u32) {
        let now = self.units[unit as usize];
        for face in self
            .faces_of(now.visible & !now.blanked)
            .filter(|&face| face != 0)
        {
            let cell = self.cell(unit, face);
            self.sitting.entry(cell).or_default().push(unit);
        }
    }

    fn rise(&mut self, unit: u32) {
        let now = self.units[unit as usize];
        for face in self
            .faces_of(now.visible & !now.blanked)
            .filter(|&face| face != 0)
        {
            let cell = self.cell(unit, face);
            let sitting = self.sitting.entry(cell).or_default();
            self.work += sitting.len() as u64;
            if let Some(at) = sitting.iter().position(|&other| other == unit) {
                sitting.swap_remove(at);
            }
        }
    }
}
