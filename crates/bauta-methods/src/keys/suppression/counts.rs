//! How many records show the same values as a class on some of its keys.

use std::collections::BTreeMap;

use crate::keys::KeyCounts;
use crate::keys::cube::Cube;
use crate::keys::suppression::in_parallel;

/// Largest cube, in cells of four bytes.
const MAX_CELLS: usize = 1 << 26;

/// Counts on any subset of the keys.
pub(crate) enum Counts<'a> {
    /// All combinations at once.
    Dense {
        /// The classes that ask.
        classes: &'a KeyCounts,
        /// Keys that each class holds in the file that is counted.
        held: &'a [Option<u64>],
        /// Counts by combination, with "any" for keys that are left out.
        cube: Cube,
    },
    /// Combinations are counted as they are asked for.
    Sparse {
        /// The classes that ask and are counted.
        classes: &'a KeyCounts,
        /// Keys that each class holds in the file that is counted.
        held: &'a [Option<u64>],
    },
}

impl<'a> Counts<'a> {
    /// Counts a file in which each class holds the given keys; classes without any are not in it.
    pub(crate) fn of(classes: &'a KeyCounts, held: &'a [Option<u64>]) -> Self {
        let limit = (classes.n_records() * 64).clamp(1 << 16, MAX_CELLS);
        match Cube::n_cells(&classes.n_values) {
            Some(n_cells) if n_cells <= limit => Self::dense(classes, held),
            _ => Self::Sparse { classes, held },
        }
    }

    fn dense(classes: &'a KeyCounts, held: &'a [Option<u64>]) -> Self {
        let mut cube = Cube::new(&classes.n_values);
        for (class, (&mask, &size)) in held.iter().zip(&classes.sizes).enumerate() {
            let Some(mask) = mask else { continue };
            cube.add(cube.cell(classes.codes_of(class as u32), mask), size);
        }
        cube.sum_over_any();
        Self::Dense {
            classes,
            held,
            cube,
        }
    }

    /// Keys that each class holds in the file that is counted.
    pub(crate) fn held(&self) -> &'a [Option<u64>] {
        match self {
            Self::Dense { held, .. } | Self::Sparse { held, .. } => held,
        }
    }

    /// For each class and mask, the records that hold the class's values on the keys of the mask.
    pub(crate) fn matching(&self, asked: &[(u32, u64)]) -> Vec<u32> {
        match self {
            Self::Dense { classes, cube, .. } => in_parallel(asked, |class, mask| {
                cube.n_at(cube.cell(classes.codes_of(class), mask))
            }),
            Self::Sparse { classes, held } => {
                let mut by_mask: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
                for (position, &(_, mask)) in asked.iter().enumerate() {
                    by_mask.entry(mask).or_default().push(position);
                }
                let mut found = vec![0; asked.len()];
                for (mask, positions) in by_mask {
                    let seekers: Vec<u32> = positions.iter().map(|&i| asked[i].0).collect();
                    let matches = classes.count_holders(mask, &seekers, held);
                    for (position, n) in positions.into_iter().zip(matches) {
                        found[position] = n;
                    }
                }
                found
            }
        }
    }
}
