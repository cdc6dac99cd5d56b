//! How many records show the values of a cell: a set of keys with a value each.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::keys::KeyCounts;
use crate::keys::cube::Cube;
use crate::keys::suppression::Counts;

/// Most cells that are listed one by one.
const MAX_LISTED: usize = 1 << 26;

/// Counts of cells that can be changed.
pub(super) enum Showing<'a> {
    /// All cells there are.
    Dense {
        /// Whose codes make the cells.
        classes: &'a KeyCounts,
        /// The counts.
        cube: Cube,
    },
    /// The cells of the classes that may change.
    Listed {
        /// Position of each set of keys.
        faces: HashMap<u64, u32, FixedState>,
        /// Position of each class among those that may change; 0 for others, which nobody asks for.
        position: Vec<u32>,
        /// How many may change.
        n_movable: usize,
        /// Cells by set and class.
        cells: Vec<u32>,
        /// The counts.
        n: Vec<u32>,
    },
}

impl<'a> Showing<'a> {
    /// Counts what classes show on all of the faces; none if there are too many cells.
    pub(super) fn new(
        classes: &'a KeyCounts,
        shown: &[u64],
        movable: &[u32],
        faces: &[u64],
    ) -> Option<Self> {
        let held: Vec<Option<u64>> = shown.iter().copied().map(Some).collect();
        match Counts::of(classes, &held) {
            Counts::Dense { cube, .. } => Some(Self::Dense { classes, cube }),
            Counts::Sparse { .. } => Self::listed(classes, &held, movable, faces),
        }
    }

    fn listed(
        classes: &KeyCounts,
        held: &[Option<u64>],
        movable: &[u32],
        faces: &[u64],
    ) -> Option<Self> {
        if faces.len().checked_mul(movable.len())? > MAX_LISTED {
            return None;
        }
        let (mut cells, mut n) = (Vec::new(), Vec::new());
        for &face in faces {
            let first = n.len() as u32;
            let (groups, n_groups) = classes.groups_on(face, movable);
            n.resize(n.len() + n_groups, 0);
            let counted = classes.count_holders(face, movable, held);
            for (&group, count) in groups.iter().zip(counted) {
                n[(first + group) as usize] = count;
                cells.push(first + group);
            }
        }
        let mut position = vec![0; classes.n_classes()];
        for (at, &class) in (0..).zip(movable) {
            position[class as usize] = at;
        }
        Some(Self::Listed {
            faces: faces.iter().copied().zip(0..).collect(),
            position,
            n_movable: movable.len(),
            cells,
            n,
        })
    }

    /// The cell of a class on a set of keys that it shows in the source.
    pub(super) fn cell(&self, class: u32, face: u64) -> usize {
        match self {
            Self::Dense { classes, cube } => cube.cell(classes.codes_of(class), face),
            Self::Listed {
                faces,
                position,
                n_movable,
                cells,
                ..
            } => {
                let at = faces[&face] as usize * n_movable + position[class as usize] as usize;
                cells[at] as usize
            }
        }
    }

    /// Records that show a cell.
    pub(super) fn n_at(&self, cell: usize) -> u32 {
        match self {
            Self::Dense { cube, .. } => cube.n_at(cell),
            Self::Listed { n, .. } => n[cell],
        }
    }

    /// One record more shows a cell.
    pub(super) fn add(&mut self, cell: usize) {
        match self {
            Self::Dense { cube, .. } => cube.add(cell, 1),
            Self::Listed { n, .. } => n[cell] += 1,
        }
    }

    /// One record fewer shows a cell; gives how many are left.
    pub(super) fn remove(&mut self, cell: usize) -> u32 {
        match self {
            Self::Dense { cube, .. } => cube.remove_one(cell),
            Self::Listed { n, .. } => {
                n[cell] -= 1;
                n[cell]
            }
        }
    }
}
