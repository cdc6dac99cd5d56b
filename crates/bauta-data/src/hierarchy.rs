//! How the categories of a variable generalise, level by level, up to "any value".

use std::path::Path;

use crate::levels::Levels;
use crate::problem::{DataError, DataProblem};

/// A node of an explicit tree of categories.
#[derive(Clone, PartialEq, Debug)]
pub struct TreeNode {
    /// Label of the category.
    pub label: String,
    /// Finer categories; none for a leaf, which is a value of the variable.
    pub children: Vec<TreeNode>,
}

/// A hierarchy as its owner describes it.
#[derive(Clone, PartialEq, Debug)]
pub enum HierarchySpec {
    /// Each level keeps fewer leading characters: 48201, 4820*, 482*, …
    Prefix {
        /// Characters kept at level 1, 2, …, falling; `None` drops one character per level.
        keep: Option<Vec<usize>>,
    },
    /// Each level cuts the numbers at fewer breaks; `breaks[l]` are those of level l + 1.
    Intervals {
        /// Rising breaks of each level, finest level first.
        breaks: Vec<Vec<f64>>,
    },
    /// A table of the values and their generalisations: value, level 1, level 2, …
    Levels {
        /// One row per value.
        rows: Vec<Vec<String>>,
    },
    /// A tree whose leaves are the values.
    Tree {
        /// The children of "any value".
        roots: Vec<TreeNode>,
    },
}

/// A hierarchy over the levels of one column. Level 0 is the value itself, the last is `*`.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    /// For each level above 0: the label of each value.
    steps: Vec<(Levels, Vec<u32>)>,
}

impl HierarchySpec {
    /// Reads a table of levels from a delimited text file without header: value, level 1, …
    pub fn read_levels(path: &Path, delimiter: Option<u8>) -> Result<Self, DataError> {
        let _ = (path, delimiter);
        unimplemented!("helper")
    }

    /// Works the hierarchy out for the categories that occur in a column.
    pub fn resolve(&self, variable: &str, levels: &Levels) -> Result<Hierarchy, Vec<DataProblem>> {
        let _ = (variable, levels);
        unimplemented!("helper")
    }
}

impl Hierarchy {
    /// Number of levels above the value itself; the topmost is `*`.
    pub fn height(&self) -> usize {
        self.steps.len()
    }

    /// The categories at a level (1 to `height`), and the new code of each value's code.
    pub fn at_level(&self, level: usize) -> (&Levels, &[u32]) {
        let (levels, new_code) = &self.steps[level - 1];
        (levels, new_code)
    }

    /// The lowest level at which two values fall together (0 if equal, `height` for `*`).
    pub fn common_level(&self, a: u32, b: u32) -> usize {
        if a == b {
            return 0;
        }
        self.steps
            .iter()
            .position(|(_, new_code)| new_code[a as usize] == new_code[b as usize])
            .map_or(self.height(), |position| position + 1)
    }
}

/// Names of the intervals that rising breaks make, from the lowest: `< 18`, `[18, 25)`, `>= 25`.
pub fn interval_labels(breaks: &[f64]) -> Vec<String> {
    use crate::number::number_text;
    let (Some(first), Some(last)) = (breaks.first(), breaks.last()) else {
        return vec!["*".to_owned()];
    };
    let inner = breaks
        .windows(2)
        .map(|pair| format!("[{}, {})", number_text(pair[0]), number_text(pair[1])));
    std::iter::once(format!("< {}", number_text(*first)))
        .chain(inner)
        .chain([format!(">= {}", number_text(*last))])
        .collect()
}
