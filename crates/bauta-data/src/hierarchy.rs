//! How the categories of a variable generalise, level by level, up to "any value".

mod dates;
mod file;
mod intervals;
mod level_rows;
mod prefix;
mod tree;

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use dates::{DateLevels, DateUnit, DateUnits};
pub use intervals::{interval_index, interval_label, interval_label_of, interval_of_label};

use crate::levels::Levels;
use crate::problem::{DataError, DataProblem};

/// The label of "any value".
pub const ANY: &str = "*";

/// A node of an explicit tree of categories.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TreeNode {
    /// Label of the category.
    pub label: String,
    /// Finer categories; none for a leaf, which is a value of the variable.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<TreeNode>,
}

/// A hierarchy as its owner describes it.
#[derive(Clone, PartialEq, Debug)]
pub enum HierarchySpec {
    /// Each level keeps fewer leading characters: 48201, 4820*, 482**, …, *
    Prefix {
        /// Characters kept at level 1, 2, …, falling; `None` drops one character per level.
        keep: Option<Vec<usize>>,
    },
    /// Each level cuts the numbers at fewer breaks; `breaks[l]` are those of level l + 1.
    Intervals {
        /// Rising breaks of each level, finest level first.
        breaks: Vec<Vec<f64>>,
    },
    /// Each level gathers dates into longer parts of the calendar, or into ages.
    Dates(DateLevels),
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

/// A hierarchy over the levels of one column. Level 0 is the value itself; at the last level all
/// values fall together.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    /// For each level above 0: its labels, and the code of the label of each value.
    steps: Vec<(Levels, Vec<u32>)>,
}

impl HierarchySpec {
    /// Reads a table of levels from a delimited text file without header: value, level 1, …
    ///
    /// Without a delimiter, that of `,`, `;` and tab is taken which gives the most columns. All
    /// problems of the table are told at once, with their lines.
    pub fn read_levels(path: &Path, delimiter: Option<u8>) -> Result<Self, DataError> {
        file::read_rows(path, delimiter).map(|rows| Self::Levels { rows })
    }

    /// What is wrong with it whatever the data are: intervals that do not rise, or do not nest.
    pub fn problems(&self) -> Vec<DataProblem> {
        match self {
            Self::Intervals { breaks } => intervals::check(breaks),
            _ => Vec::new(),
        }
    }

    /// Works the hierarchy out for the categories that occur in a column, or tells every reason
    /// why that cannot be done.
    pub fn resolve(&self, variable: &str, levels: &Levels) -> Result<Hierarchy, Vec<DataProblem>> {
        let resolved = match self {
            Self::Prefix { keep } => prefix::resolve(keep.as_deref(), levels),
            Self::Intervals { breaks } => intervals::resolve(breaks, levels),
            Self::Dates(spec) => dates::resolve(spec, levels),
            Self::Levels { rows } => level_rows::resolve(rows, levels),
            Self::Tree { roots } => tree::resolve(roots, levels),
        };
        resolved
            .map(|steps| Hierarchy { steps })
            .map_err(|problems| {
                problems
                    .into_iter()
                    .map(|problem| problem.of_variable(variable))
                    .collect()
            })
    }
}

impl Hierarchy {
    /// Number of levels above the value itself; at the topmost all values fall together.
    pub fn height(&self) -> usize {
        self.steps.len()
    }

    /// The categories at a level (1 to `height`), and the new code of each value's code.
    ///
    /// Categories are in natural order, intervals in their order on the number line.
    pub fn at_level(&self, level: usize) -> (&Levels, &[u32]) {
        let (levels, new_code) = &self.steps[level - 1];
        (levels, new_code)
    }

    /// The level that the values are at already: the highest up to which each is its own label.
    /// 0 for values that were never recoded; `height` where nothing is left to recode.
    pub fn present_level(&self, levels: &Levels) -> usize {
        let unchanged = |(labels, new_code): &(Levels, Vec<u32>)| {
            let mut values = levels.iter().zip(new_code);
            values.all(|(text, &code)| labels.text(code) == text)
        };
        self.steps.iter().take_while(|step| unchanged(step)).count()
    }

    /// The labels of one value at level 1, 2, …, `height`.
    pub fn label_levels(&self, code: u32) -> impl Iterator<Item = &str> {
        self.steps
            .iter()
            .map(move |(levels, new_code)| levels.text(new_code[code as usize]))
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

/// The labels of a level and the code of each value's label.
type Step = (Levels, Vec<u32>);

/// The steps of a hierarchy, or all reasons why there is none.
type Steps = Result<Vec<Step>, Vec<DataProblem>>;

/// One level, from the label of each value in the order of their codes.
fn naturally_ordered_step(labels: impl Iterator<Item = impl AsRef<str>>) -> Step {
    let mut found = Levels::default();
    let codes: Vec<u32> = labels.map(|label| found.insert(label.as_ref())).collect();
    let (levels, new_code) = found.naturally_ordered();
    let codes = codes
        .into_iter()
        .map(|code| new_code[code as usize])
        .collect();
    (levels, codes)
}

/// The level at which every value is `*`.
fn top_step(n_values: usize) -> Step {
    (Levels::from_texts([ANY]), vec![0; n_values])
}

/// The problem of categories that a hierarchy does not know. They are counted, not shown.
fn unknown_categories(n_unknown: usize, what: &str, hint: &str) -> DataProblem {
    let message = match n_unknown {
        1 => format!("1 of its categories is not in {what}"),
        n => format!("{n} of its categories are not in {what}"),
    };
    DataProblem::file(message, hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every level is coarser than the one below, its labels all occur, and the top is one.
    pub(super) fn assert_nested(hierarchy: &Hierarchy, n_values: usize) {
        for level in 1..=hierarchy.height() {
            let (levels, codes) = hierarchy.at_level(level);
            assert_eq!(codes.len(), n_values);
            assert!((0..levels.len() as u32).all(|code| codes.contains(&code)) || n_values == 0);
            for a in 0..n_values {
                for b in 0..a {
                    if level > 1 {
                        let (_, finer) = hierarchy.at_level(level - 1);
                        assert!(
                            finer[a] != finer[b] || codes[a] == codes[b],
                            "level {level}"
                        );
                    }
                }
            }
        }
        assert_eq!(hierarchy.at_level(hierarchy.height()).0.len(), 1);
    }

    /// The labels of a value, joined for reading.
    pub(super) fn way_up(hierarchy: &Hierarchy, levels: &Levels, value: &str) -> String {
        let code = levels.code(value).unwrap();
        hierarchy.label_levels(code).collect::<Vec<_>>().join(" < ")
    }

    #[test]
    fn the_common_level_is_the_lowest_shared_label() {
        let levels = Levels::from_texts(["48201", "48209", "48100", "10000"]);
        let spec = HierarchySpec::Prefix {
            keep: Some(vec![4, 2]),
        };
        let hierarchy = spec.resolve("zip", &levels).unwrap();
        assert_eq!(hierarchy.common_level(0, 0), 0);
        assert_eq!(hierarchy.common_level(0, 1), 1, "both 4820*");
        assert_eq!(hierarchy.common_level(1, 2), 2, "both 48***");
        assert_eq!(hierarchy.common_level(3, 2), 3, "both *");
    }

    #[test]
    fn problems_name_the_variable() {
        let levels = Levels::from_texts(["secret"]);
        let spec = HierarchySpec::Intervals {
            breaks: vec![vec![1.0]],
        };
        let problems = spec.resolve("age", &levels).unwrap_err();
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].variable.as_deref(), Some("age"));
        assert!(!problems[0].to_string().contains("secret"));
    }

    fn tree(depth: u32) -> impl Strategy<Value = Vec<TreeNode>> {
        let leaf = Just(TreeNode {
            label: String::new(),
            children: Vec::new(),
        });
        let node = leaf.prop_recursive(depth, 40, 4, |inner| {
            prop::collection::vec(inner, 1..4).prop_map(|children| TreeNode {
                label: String::new(),
                children,
            })
        });
        prop::collection::vec(node, 1..4).prop_map(|mut roots| {
            let mut n_named = 0;
            name_nodes(&mut roots, &mut n_named);
            roots
        })
    }

    fn name_nodes(nodes: &mut [TreeNode], n_named: &mut usize) {
        for node in nodes {
            node.label = format!("n{n_named}");
            *n_named += 1;
            name_nodes(&mut node.children, n_named);
        }
    }

    fn labels(nodes: &[TreeNode]) -> Vec<String> {
        let mut all = Vec::new();
        for node in nodes {
            all.push(node.label.clone());
            all.extend(labels(&node.children));
        }
        all
    }

    proptest! {
        #[test]
        fn prefixes_are_nested(
            values in prop::collection::hash_set("[0-9aé]{0,5}\\*{0,2}", 1..30),
            keep in prop::option::of(prop::collection::btree_set(0_usize..7, 1..4)),
        ) {
            let levels = Levels::from_texts(values.iter().map(String::as_str));
            let keep = keep.map(|kept| kept.into_iter().rev().collect());
            let hierarchy = HierarchySpec::Prefix { keep }.resolve("v", &levels).unwrap();
            assert_nested(&hierarchy, levels.len());
        }

        #[test]
        fn intervals_are_nested_and_in_order(
            values in prop::collection::hash_set(-50_i32..50, 1..40),
            breaks in prop::collection::btree_set(-40_i32..40, 1..8),
        ) {
            let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
            let levels = Levels::from_texts(texts.iter().map(String::as_str));
            let fine: Vec<f64> = breaks.into_iter().map(f64::from).collect();
            let coarse: Vec<f64> = fine.iter().copied().step_by(2).collect();
            let spec = HierarchySpec::Intervals { breaks: vec![fine, coarse] };
            let hierarchy = spec.resolve("v", &levels).unwrap();
            assert_nested(&hierarchy, levels.len());
            let (_, codes) = hierarchy.at_level(1);
            let mut by_value: Vec<(i32, u32)> = values.into_iter().zip(codes.iter().copied()).collect();
            by_value.sort_unstable();
            prop_assert!(by_value.is_sorted_by_key(|&(_, code)| code));
        }

        #[test]
        fn trees_are_nested_for_leaves_and_inner_nodes(roots in tree(4)) {
            let labels = labels(&roots);
            let levels = Levels::from_texts(labels.iter().map(String::as_str));
            let hierarchy = HierarchySpec::Tree { roots }.resolve("v", &levels).unwrap();
            assert_nested(&hierarchy, levels.len());
        }
    }
}
