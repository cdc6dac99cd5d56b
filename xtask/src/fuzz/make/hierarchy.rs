//! Hierarchies for categories: prefixes, intervals, trees, and files of levels.

use bauta_data::hierarchy::TreeNode;
use bauta_plan::draft::HierarchyDraft;

use super::cells;
use crate::fuzz::draws::Draws;

/// A hierarchy over some categories; mostly one that knows them all. A file of levels has this name.
pub(crate) fn hierarchy(draws: &mut Draws, levels: &[String], file: &str) -> HierarchyDraft {
    match draws.below(8) {
        0 => HierarchyDraft::Prefix(None),
        1 => {
            let mut keep: Vec<usize> = (0..draws.between(1, 4)).map(|_| draws.below(9)).collect();
            if !draws.one_in(4) {
                keep.sort_by(|a, b| b.cmp(a));
                keep.dedup();
            }
            HierarchyDraft::Prefix(Some(keep))
        }
        2 | 3 => HierarchyDraft::Intervals(intervals(draws)),
        6 => HierarchyDraft::Dates(draws.one_in(2).then(|| {
            let words = ["month", "quarter", "year", "5 years", "7 years", "week"];
            (0..draws.between(0, 4))
                .map(|_| draws.pick(&words).to_owned())
                .collect()
        })),
        7 => HierarchyDraft::Ages {
            at: draws
                .pick(&["2026-01-01", "1900-02-28", "9999-12-31", "yesterday"])
                .to_owned(),
            widths: draws.one_in(2).then(|| {
                (0..draws.between(0, 3))
                    .map(|_| draws.below(12) as u32)
                    .collect()
            }),
        },
        4 => HierarchyDraft::File(file.to_owned()),
        _ => HierarchyDraft::Tree(tree(draws, levels)),
    }
}

/// Breaks of some levels, finest first: mostly each a choice of those before.
pub(crate) fn intervals(draws: &mut Draws) -> Vec<Vec<f64>> {
    let mut finest: Vec<f64> = (0..draws.between(1, 6))
        .map(|_| match draws.below(8) {
            0 => cells::extreme_number(draws).parse().unwrap_or(0.0),
            _ => draws.below(20) as f64,
        })
        .collect();
    if !draws.one_in(12) {
        finest.sort_by(f64::total_cmp);
        finest.dedup();
    }
    let mut levels = vec![finest];
    for _ in 0..draws.below(3) {
        let below = levels.last().cloned().unwrap_or_default();
        levels.push(draws.some(&below, 2));
    }
    if draws.one_in(12) {
        levels.reverse();
    }
    levels
}

/// A tree whose leaves are mostly the categories.
pub(crate) fn tree(draws: &mut Draws, levels: &[String]) -> Vec<TreeNode> {
    let leaf = |label: &String| TreeNode {
        label: label.clone(),
        children: Vec::new(),
    };
    let mut nodes: Vec<TreeNode> = levels.iter().map(leaf).collect();
    if draws.one_in(6) && !nodes.is_empty() {
        nodes.remove(draws.below(nodes.len()));
    }
    if draws.one_in(6) {
        nodes.push(leaf(&cells::token(draws)));
    }
    for _ in 0..draws.below(4) {
        let n = draws.between(1, nodes.len().max(1)).min(nodes.len());
        let children: Vec<TreeNode> = nodes.drain(..n).collect();
        let label = if draws.one_in(8) && !levels.is_empty() {
            draws.pick(levels)
        } else {
            cells::token(draws)
        };
        nodes.push(TreeNode { label, children });
    }
    nodes
}

/// The text of a file of levels: a row per category, with one label per level.
pub(crate) fn levels_file(draws: &mut Draws, levels: &[String]) -> String {
    let delimiter = draws.pick(&[",", ",", ";", "\t"]);
    let n_levels = draws.between(1, 3);
    let labels: Vec<Vec<String>> = (0..n_levels)
        .map(|_| {
            (0..draws.between(1, 3))
                .map(|_| cells::token(draws))
                .collect()
        })
        .collect();
    let mut text = String::new();
    for level in levels {
        if draws.one_in(20) {
            continue;
        }
        let mut row = vec![level.clone()];
        // Nested: who shares a label shares all those above it.
        let mut position = draws.below(labels[0].len());
        for labels in &labels {
            if draws.one_in(30) {
                position = draws.below(3);
            }
            position = position.min(labels.len() - 1);
            row.push(labels[position].clone());
        }
        if draws.one_in(30) {
            row.pop();
        }
        text.push_str(&row.join(delimiter));
        text.push('\n');
    }
    text
}
