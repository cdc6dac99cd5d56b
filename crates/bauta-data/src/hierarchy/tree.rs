//! Hierarchies given as an explicit tree.

use std::collections::HashMap;

use super::{ANY, Steps, TreeNode, naturally_ordered_step, unknown_categories};
use crate::levels::Levels;
use crate::problem::DataProblem;

/// A node with its place in the tree.
struct Placed<'a> {
    label: &'a str,
    /// The children of "any value" have depth 1.
    depth: usize,
    parent: Option<usize>,
}

pub(super) fn resolve(roots: &[TreeNode], levels: &Levels) -> Steps {
    let nodes = place(roots);
    let mut problems = check(&nodes);
    let node_of: HashMap<&str, usize> = nodes
        .iter()
        .enumerate()
        .map(|(idx, node)| (node.label, idx))
        .collect();
    // `None` is "any value": data generalised before may hold it.
    let of_values: Vec<Option<usize>> = levels
        .iter()
        .filter_map(|value| match node_of.get(value) {
            Some(&node) => Some(Some(node)),
            None if value == ANY => Some(None),
            None => None,
        })
        .collect();
    let n_unknown = levels.len() - of_values.len();
    if n_unknown > 0 {
        problems.push(unknown_categories(
            n_unknown,
            "its tree",
            "list the distinct values of the column, and add a leaf for each that the tree lacks",
        ));
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let height = nodes.iter().map(|node| node.depth).max().unwrap_or(1);
    let steps = (1..=height)
        .map(|level| {
            naturally_ordered_step(
                of_values
                    .iter()
                    .map(|&node| ancestor(&nodes, node, height - level)),
            )
        })
        .collect();
    Ok(steps)
}

/// The nodes in reading order: each before its children, branch after branch.
fn place(roots: &[TreeNode]) -> Vec<Placed<'_>> {
    let mut nodes = Vec::new();
    // A list of open nodes instead of recursion: the depth is the user's.
    let mut open: Vec<(&TreeNode, usize, Option<usize>)> =
        roots.iter().rev().map(|root| (root, 1, None)).collect();
    while let Some((node, depth, parent)) = open.pop() {
        let idx = nodes.len();
        nodes.push(Placed {
            label: &node.label,
            depth,
            parent,
        });
        open.extend(
            node.children
                .iter()
                .rev()
                .map(|child| (child, depth + 1, Some(idx))),
        );
    }
    nodes
}

fn check(nodes: &[Placed]) -> Vec<DataProblem> {
    let mut problems = Vec::new();
    if nodes.is_empty() {
        problems.push(DataProblem::file(
            "its tree is empty",
            "give the categories and, below them, the values",
        ));
    }
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for (idx, node) in nodes.iter().enumerate() {
        let place = format!("node {} of its tree, counted branch after branch,", idx + 1);
        if node.label.is_empty() {
            problems.push(DataProblem::file(
                format!("{place} has no label"),
                "name it",
            ));
        } else if node.label == ANY {
            problems.push(DataProblem::file(
                format!("{place} is labelled `{ANY}`"),
                "leave it out and give its children: any value is above the tree by itself",
            ));
        } else if let Some(first) = seen.insert(node.label, idx) {
            problems.push(DataProblem::file(
                format!("{place} has the label of node {}", first + 1),
                "give every node a label of its own",
            ));
        }
    }
    problems
}

/// The label of the ancestor at a depth; a node that is not below that depth keeps its own.
fn ancestor<'a>(nodes: &[Placed<'a>], node: Option<usize>, depth: usize) -> &'a str {
    let mut at = node;
    while let Some(idx) = at {
        if nodes[idx].depth <= depth {
            return nodes[idx].label;
        }
        at = nodes[idx].parent;
    }
    ANY
}

#[cfg(test)]
mod tests {
    use super::super::HierarchySpec;
    use super::super::tests::{assert_nested, way_up};
    use super::*;

    fn node(label: &str, children: Vec<TreeNode>) -> TreeNode {
        TreeNode {
            label: label.to_owned(),
            children,
        }
    }

    fn leaf(label: &str) -> TreeNode {
        node(label, Vec::new())
    }

    fn jobs() -> Vec<TreeNode> {
        vec![
            node(
                "employed",
                vec![
                    node("industry", vec![leaf("welder"), leaf("fitter")]),
                    leaf("clerk"),
                ],
            ),
            leaf("retired"),
        ]
    }

    #[test]
    fn a_leaf_nearer_the_top_keeps_its_label_longer() {
        let levels = Levels::from_texts(["welder", "clerk", "retired", "fitter"]);
        let hierarchy = HierarchySpec::Tree { roots: jobs() }
            .resolve("job", &levels)
            .unwrap();
        assert_nested(&hierarchy, 4);
        assert_eq!(hierarchy.height(), 3);
        assert_eq!(
            way_up(&hierarchy, &levels, "welder"),
            "industry < employed < *"
        );
        assert_eq!(way_up(&hierarchy, &levels, "clerk"), "clerk < employed < *");
        assert_eq!(
            way_up(&hierarchy, &levels, "retired"),
            "retired < retired < *"
        );
        let (labels, codes) = hierarchy.at_level(1);
        assert_eq!(
            labels.iter().collect::<Vec<_>>(),
            ["clerk", "industry", "retired"]
        );
        assert_eq!(codes, [1, 0, 2, 1]);
    }

    #[test]
    fn values_generalised_before_go_up_from_where_they_are() {
        let levels = Levels::from_texts(["industry", "welder", "employed", "*"]);
        let hierarchy = HierarchySpec::Tree { roots: jobs() }
            .resolve("job", &levels)
            .unwrap();
        assert_nested(&hierarchy, 4);
        assert_eq!(
            way_up(&hierarchy, &levels, "industry"),
            "industry < employed < *"
        );
        assert_eq!(
            way_up(&hierarchy, &levels, "employed"),
            "employed < employed < *"
        );
        assert_eq!(way_up(&hierarchy, &levels, "*"), "* < * < *");
        assert_eq!(hierarchy.common_level(0, 1), 1);
    }

    #[test]
    fn every_mistake_is_told_at_once() {
        let roots = vec![node("a", vec![leaf("b"), leaf("a")]), leaf("*"), leaf("")];
        let spec = HierarchySpec::Tree { roots };
        let problems = spec
            .resolve("job", &Levels::from_texts(["b", "zz"]))
            .unwrap_err();
        let messages: Vec<&str> = problems
            .iter()
            .map(|problem| problem.message.as_str())
            .collect();
        assert_eq!(
            messages,
            [
                "node 3 of its tree, counted branch after branch, has the label of node 1",
                "node 4 of its tree, counted branch after branch, is labelled `*`",
                "node 5 of its tree, counted branch after branch, has no label",
                "1 of its categories is not in its tree",
            ]
        );
        let empty = HierarchySpec::Tree { roots: Vec::new() };
        assert_eq!(
            empty.resolve("job", &Levels::default()).unwrap_err().len(),
            1
        );
    }
}
