//! How far apart two values of a partially ordered key are: the weak change factor of Truta (2004,
//! section 2), by default from the variable's hierarchy.

use std::collections::HashMap;

use bauta_data::hierarchy::Hierarchy;
use bauta_data::{Categorical, Column, HierarchySpec, Levels};

use crate::error::MethodError;

/// The owner's own factors: one row and column for each listed value.
pub(crate) struct OwnTable {
    /// The values.
    pub(crate) values: Vec<String>,
    /// The factors.
    pub(crate) rows: Vec<Vec<f64>>,
}

/// A value of the masked file among those of the original one.
#[derive(Clone, Copy)]
struct Node {
    /// Itself, or a value below it.
    value: u32,
    /// 0 for a value, the level of a label above it.
    level: usize,
}

/// The owner's table, and the row of each value that it lists.
struct Listed<'a> {
    table: &'a OwnTable,
    original: Vec<Option<usize>>,
    masked: Vec<Option<usize>>,
}

/// Weak change factors between the values of two files.
pub(crate) struct WeakChange<'a> {
    original: &'a Levels,
    masked: &'a Levels,
    /// The original's code of each masked value, where it is one of the original's.
    same: Vec<Option<u32>>,
    /// The hierarchy, and where each masked value is in it; none where it is not.
    tree: Option<(Hierarchy, Vec<Option<Node>>)>,
    own: Option<Listed<'a>>,
}

impl<'a> WeakChange<'a> {
    /// For a variable of both files; without a hierarchy every change is a strong one.
    pub(crate) fn new(
        original: &'a Column,
        masked: &'a Column,
        own: Option<&'a OwnTable>,
    ) -> Result<Self, MethodError> {
        let (x, z) = (categories(original)?, categories(masked)?);
        let (x, z) = (x.levels.as_ref(), z.levels.as_ref());
        let tree = match &original.attribute().hierarchy {
            Some(spec) => Some(tree(original.name(), spec, x, z)?),
            None => None,
        };
        let listed = |levels: &Levels, own: &OwnTable| -> Vec<Option<usize>> {
            let row = |text| own.values.iter().position(|value| value == text);
            levels.iter().map(row).collect()
        };
        Ok(Self {
            original: x,
            masked: z,
            same: z.iter().map(|text| x.code(text)).collect(),
            tree,
            own: own.map(|table| Listed {
                table,
                original: listed(x, table),
                masked: listed(z, table),
            }),
        })
    }

    /// Number of masked values and of original ones.
    pub(crate) fn n_values(&self) -> (usize, usize) {
        (self.masked.len(), self.original.len())
    }

    /// wcf(x, x') of an original and a masked code.
    pub(crate) fn factor(&self, x: u32, z: u32) -> f64 {
        if self.same[z as usize] == Some(x) {
            return 0.0;
        }
        if let Some(own) = &self.own
            && let (Some(row), Some(column)) = (own.original[x as usize], own.masked[z as usize])
        {
            return own.table.rows[row][column];
        }
        let Some((hierarchy, nodes)) = &self.tree else {
            return 1.0;
        };
        let Some(node) = nodes[z as usize] else {
            return 1.0;
        };
        let height = hierarchy.height();
        let common = hierarchy.common_level(x, node.value).max(node.level);
        // 1 - depth of the lowest common ancestor / depth of the tree, in one division: for five
        // digits (5 - common leading digits) / 5.
        common as f64 / height as f64
    }
}

fn categories(column: &Column) -> Result<&Categorical, MethodError> {
    column.as_categorical().ok_or_else(|| {
        MethodError::request(
            format!(
                "`{}` is a number in one file and a category in the other",
                column.name()
            ),
            "give it the same kind in both files",
        )
    })
}

/// The hierarchy over the original's values, and where each masked value is in it. A label of a
/// level, as recoding leaves it, is an inner node of the tree.
fn tree(
    name: &str,
    spec: &HierarchySpec,
    original: &Levels,
    masked: &Levels,
) -> Result<(Hierarchy, Vec<Option<Node>>), MethodError> {
    let mut values = original.clone();
    let mut hierarchy = resolved(name, spec, original)?;
    loop {
        let labels = inner_nodes(&hierarchy, original.len());
        let node = |text: &str| match values.code(text) {
            Some(value) => Some(Node { value, level: 0 }),
            None => labels.get(text).copied(),
        };
        let nodes: Vec<Option<Node>> = masked.iter().map(node).collect();
        // Values that only the masked file has. Those of the original keep their codes; a longer
        // value may give other labels, and then those of the masked file become values as well.
        let mut more = values.clone();
        for (text, node) in masked.iter().zip(&nodes) {
            if node.is_none() {
                more.insert(text);
            }
        }
        let is_complete = more.len() == values.len();
        match resolved(name, spec, &more) {
            Ok(finer) if !is_complete => (values, hierarchy) = (more, finer),
            // What the hierarchy does not know has nothing in common with any value.
            Ok(_) | Err(_) => return Ok((hierarchy, nodes)),
        }
    }
}

fn resolved(name: &str, spec: &HierarchySpec, values: &Levels) -> Result<Hierarchy, MethodError> {
    spec.resolve(name, values).map_err(|problems| {
        let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
        MethodError::data(
            name,
            texts.join("; "),
            "mend the hierarchy: it must hold the values of both files",
        )
    })
}

/// The labels above the first values, each at the lowest level that has it.
fn inner_nodes(hierarchy: &Hierarchy, n_values: usize) -> HashMap<String, Node> {
    let mut nodes = HashMap::new();
    for level in 1..=hierarchy.height() {
        let (labels, codes) = hierarchy.at_level(level);
        for (value, &label) in (0..).zip(&codes[..n_values]) {
            let text = labels.text(label);
            if !nodes.contains_key(text) {
                nodes.insert(text.to_owned(), Node { value, level });
            }
        }
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;
    use bauta_data::{Attribute, Kind, Role};
    use std::sync::Arc;

    fn column(texts: &[&str], hierarchy: Option<HierarchySpec>) -> Column {
        let mut attribute = Attribute::new("zip", Role::Key, Kind::Hierarchical);
        attribute.hierarchy = hierarchy;
        let codes: Vec<u32> = (0..texts.len() as u32).collect();
        let levels = Levels::from_texts(texts.iter().copied());
        Column::categorical(Arc::new(attribute), codes, Arc::new(levels), None)
    }

    fn assert_factor(change: &WeakChange<'_>, x: u32, z: u32, expected: f64) {
        let found = change.factor(x, z);
        assert!((found - expected).abs() < 1e-15, "{x} {z}: {found}");
    }

    #[test]
    fn zip_codes_by_common_leading_digits() {
        let spec = Some(HierarchySpec::Prefix { keep: None });
        let original = column(&["48201", "48301", "88202"], spec);
        let masked = column(&["48201", "482**", "48301", "99999", "*"], None);
        let change = WeakChange::new(&original, &masked, None).unwrap();
        assert_factor(&change, 0, 0, 0.0);
        // 482** has three digits of 48201, and two of 48301.
        assert_factor(&change, 0, 1, 0.4);
        assert_factor(&change, 1, 1, 0.6);
        assert_factor(&change, 0, 2, 0.6);
        // Nothing in common but the root.
        assert_factor(&change, 2, 0, 1.0);
        assert_factor(&change, 0, 3, 1.0);
        assert_factor(&change, 0, 4, 1.0);
    }

    #[test]
    fn labels_of_a_table_of_levels_are_inner_nodes() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let rows = vec![
            row(["a", "north", "any"]),
            row(["b", "north", "any"]),
            row(["c", "south", "any"]),
        ];
        let original = column(&["a", "b", "c"], Some(HierarchySpec::Levels { rows }));
        let masked = column(&["north", "south", "b", "other"], None);
        let change = WeakChange::new(&original, &masked, None).unwrap();
        // Two levels: a and b meet at the first, a and c at the second, the root.
        assert_factor(&change, 0, 0, 0.5);
        assert_factor(&change, 0, 1, 1.0);
        assert_factor(&change, 0, 2, 0.5);
        assert_factor(&change, 2, 1, 0.5);
        // A label that the table does not have.
        assert_factor(&change, 0, 3, 1.0);
    }

    #[test]
    fn an_own_table_goes_before_the_hierarchy() {
        let original = column(&["a", "b", "c"], None);
        let masked = column(&["a", "b", "c"], None);
        let own = OwnTable {
            values: vec!["a".to_owned(), "b".to_owned()],
            rows: vec![vec![0.0, 0.25], vec![0.25, 0.0]],
        };
        let change = WeakChange::new(&original, &masked, Some(&own)).unwrap();
        assert_factor(&change, 0, 1, 0.25);
        assert_factor(&change, 1, 1, 0.0);
        assert_factor(&change, 0, 2, 1.0);
    }
}
