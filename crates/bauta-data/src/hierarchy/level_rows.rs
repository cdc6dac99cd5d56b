//! Hierarchies given as a table: value, level 1, level 2, …

use std::collections::HashMap;

use super::{ANY, Steps, naturally_ordered_step, top_step, unknown_categories};
use crate::levels::Levels;
use crate::problem::DataProblem;

/// Something wrong with one row of the table.
pub(super) struct RowProblem {
    /// Position of the row, from 0.
    pub(super) row: usize,
    /// What is wrong, to be read after "row 3" or "line 3".
    pub(super) message: String,
    pub(super) hint: &'static str,
}

pub(super) fn resolve(rows: &[Vec<String>], levels: &Levels) -> Steps {
    let mut problems: Vec<DataProblem> = check(rows, |row| format!("row {}", row + 1))
        .into_iter()
        .map(|problem| {
            let message = format!("row {} of its levels {}", problem.row + 1, problem.message);
            DataProblem::file(message, problem.hint)
        })
        .collect();
    if rows.is_empty() {
        problems.push(DataProblem::file(
            "its levels have no row",
            "give one row per value: value, level 1, level 2, …",
        ));
    }
    let of_values: Vec<Placed> = place(rows, levels);
    let n_unknown = levels.len() - of_values.len();
    if n_unknown > 0 && !rows.is_empty() {
        problems.push(unknown_categories(
            n_unknown,
            "its levels",
            "list the distinct values of the column, and add a row for each that the first \
             column of the levels lacks",
        ));
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let n_levels = rows.first().map_or(0, |row| row.len() - 1);
    let mut steps: Vec<_> = (0..n_levels)
        .map(|level| naturally_ordered_step(of_values.iter().map(|value| value.label(level + 1))))
        .collect();
    // The table decides, not the column: its height must not depend on which values occur.
    if !ends_in_one(rows) {
        steps.push(top_step(levels.len()));
    }
    Ok(steps)
}

/// Whether all values of the table fall together at its last level.
fn ends_in_one(rows: &[Vec<String>]) -> bool {
    rows.windows(2).all(|pair| pair[0].last() == pair[1].last())
}

/// A value of the column, and where the table has it.
#[derive(Clone, Copy)]
struct Placed<'a> {
    text: &'a str,
    row: &'a [String],
    /// Column of the table that holds the text: 0 for a value, l for a label of level l.
    column: usize,
}

impl<'a> Placed<'a> {
    /// The label at a level. A value that was generalised before is its own label up to there.
    fn label(&self, level: usize) -> &'a str {
        if level <= self.column {
            self.text
        } else {
            &self.row[level]
        }
    }
}

/// Finds the values that the table knows. All are looked for in one column first, the values'
/// before those of the labels: a file recoded to level 1 holds labels of level 1, whatever else
/// they may be. Only a file in which some values were recoded holds both.
fn place<'a>(rows: &'a [Vec<String>], levels: &'a Levels) -> Vec<Placed<'a>> {
    let width = rows.first().map_or(0, Vec::len);
    let mut columns: Vec<HashMap<&str, &[String]>> = vec![HashMap::new(); width];
    for row in rows {
        for (texts, text) in columns.iter_mut().zip(row) {
            texts.entry(text).or_insert(row);
        }
    }
    let in_column = |text: &'a str, column: usize| {
        let row = columns.get(column)?.get(text).copied()?;
        // Rows of another length are a problem of their own.
        (row.len() == width).then_some(Placed { text, row, column })
    };
    // "Any value" is its own label at every level but one at which all fall together under another name.
    let (row, own_up_to): (&[String], usize) = match rows.first() {
        Some(row) if ends_in_one(rows) => (row, width.saturating_sub(2)),
        _ => (&[], usize::MAX),
    };
    let of_any = |text: &'a str| {
        (text == ANY).then_some(Placed {
            text,
            row,
            column: own_up_to,
        })
    };
    let uniform = (0..width).find_map(|column| {
        let placed = levels.iter().map(|text| in_column(text, column));
        placed.collect::<Option<Vec<_>>>()
    });
    uniform.unwrap_or_else(|| {
        let anywhere = |text| (0..width).find_map(|column| in_column(text, column));
        levels
            .iter()
            .filter_map(|text| anywhere(text).or_else(|| of_any(text)))
            .collect()
    })
}

/// Everything wrong with the table itself, in the order of its rows. `place` says how a row is
/// called in messages about another one.
pub(super) fn check(rows: &[Vec<String>], place: impl Fn(usize) -> String) -> Vec<RowProblem> {
    let mut problems = Vec::new();
    let width = rows.first().map_or(0, Vec::len);
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut nesting = Nesting::of_width(width);
    for (row_idx, row) in rows.iter().enumerate() {
        let problem = if row.len() != width {
            Some((
                format!("has {} fields, {} has {width}", row.len(), place(0)),
                "give every value the same number of levels; quote labels that hold the delimiter",
            ))
        } else if width < 2 {
            Some((
                "has no level".to_owned(),
                "write: value, level 1, level 2, …",
            ))
        } else if let Some(level) = row[1..].iter().position(String::is_empty) {
            Some((
                format!("has no label at level {}", level + 1),
                "repeat the label of the level below where nothing changes",
            ))
        } else if let Some(first) = seen.insert(&row[0], row_idx) {
            Some((
                format!("has the same value as {}", place(first)),
                "keep one row per value",
            ))
        } else {
            nesting.add(row_idx, row).map(|(level, first)| {
                let first = place(first);
                (
                    format!(
                        "has the label of {first} at level {level} but another at level {}",
                        level + 1
                    ),
                    "values that share a label must share all labels above it",
                )
            })
        };
        if let Some((message, hint)) = problem {
            problems.push(RowProblem {
                row: row_idx,
                message,
                hint,
            });
        }
    }
    problems
}

/// For each level: the label above each label, and the row that said so first.
struct Nesting<'a> {
    above: Vec<HashMap<&'a str, (&'a str, usize)>>,
}

impl<'a> Nesting<'a> {
    fn of_width(width: usize) -> Self {
        Self {
            above: vec![HashMap::new(); width],
        }
    }

    /// Takes a row in; if it contradicts an earlier one, the level and that row.
    fn add(&mut self, row_idx: usize, row: &'a [String]) -> Option<(usize, usize)> {
        (1..row.len() - 1).find_map(|level| {
            let (label, over) = (row[level].as_str(), row[level + 1].as_str());
            let (known, first) = *self.above[level].entry(label).or_insert((over, row_idx));
            (known != over).then_some((level, first))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::HierarchySpec;
    use super::super::tests::{assert_nested, way_up};
    use super::*;

    fn table(rows: &[&[&str]]) -> HierarchySpec {
        let owned = |row: &&[&str]| row.iter().map(|&label| label.to_owned()).collect();
        HierarchySpec::Levels {
            rows: rows.iter().map(owned).collect(),
        }
    }

    #[test]
    fn a_last_level_with_one_label_is_the_top() {
        let levels = Levels::from_texts(["de", "fr", "jp"]);
        let two = table(&[&["fr", "Europe"], &["de", "Europe"], &["jp", "Asia"]]);
        let hierarchy = two.resolve("country", &levels).unwrap();
        assert_nested(&hierarchy, 3);
        assert_eq!(way_up(&hierarchy, &levels, "de"), "Europe < *");
        let (labels, codes) = hierarchy.at_level(1);
        assert_eq!(labels.iter().collect::<Vec<_>>(), ["Asia", "Europe"]);
        assert_eq!(codes, [1, 1, 0]);

        let world = table(&[
            &["fr", "Europe", "all"],
            &["de", "Europe", "all"],
            &["jp", "Asia", "all"],
        ]);
        let hierarchy = world.resolve("country", &levels).unwrap();
        assert_eq!(hierarchy.height(), 2);
        assert_eq!(way_up(&hierarchy, &levels, "jp"), "Asia < all");
    }

    #[test]
    fn the_height_does_not_depend_on_which_values_occur() {
        let spec = table(&[&["fr", "Europe"], &["jp", "Asia"]]);
        assert_eq!(
            spec.resolve("c", &Levels::from_texts(["fr"]))
                .unwrap()
                .height(),
            2
        );
    }

    /// A file recoded to level 1 can go on to level 2, also where a label is a value elsewhere.
    #[test]
    fn labels_of_a_level_are_values_that_were_generalised_before() {
        let spec = table(&[
            &["a", "b", "x", "p"],
            &["b", "c", "x", "p"],
            &["d", "e", "y", "p"],
        ]);
        let recoded = Levels::from_texts(["b", "c", "e"]);
        let hierarchy = spec.resolve("v", &recoded).unwrap();
        assert_nested(&hierarchy, 3);
        assert_eq!(way_up(&hierarchy, &recoded, "b"), "b < x < p");
        assert_eq!(hierarchy.present_level(&recoded), 1);
        // Only some values were recoded: each is taken for what it can be, values first.
        let some = Levels::from_texts(["a", "y", "*"]);
        let hierarchy = spec.resolve("v", &some).unwrap();
        assert_eq!(way_up(&hierarchy, &some, "a"), "b < x < p");
        assert_eq!(way_up(&hierarchy, &some, "y"), "y < y < p");
        // All values are `p` at the last level, and so is "any value": two names for it would be two classes.
        assert_eq!(way_up(&hierarchy, &some, "*"), "* < * < p");
        assert_nested(&hierarchy, 3);
        assert_eq!(hierarchy.present_level(&some), 0);
        let raw = Levels::from_texts(["a", "b", "d"]);
        assert_eq!(spec.resolve("v", &raw).unwrap().present_level(&raw), 0);
    }

    #[test]
    fn every_mistake_is_told_with_its_row() {
        let spec = table(&[
            &["a", "x", "p"],
            &["b", "x", "q"],
            &["a", "y", "p"],
            &["c", "y"],
            &["d", "", "p"],
        ]);
        let problems = spec
            .resolve("v", &Levels::from_texts(["a", "zz", "zy"]))
            .unwrap_err();
        let messages: Vec<&str> = problems
            .iter()
            .map(|problem| problem.message.as_str())
            .collect();
        assert_eq!(
            messages,
            [
                "row 2 of its levels has the label of row 1 at level 1 but another at level 2",
                "row 3 of its levels has the same value as row 1",
                "row 4 of its levels has 2 fields, row 1 has 3",
                "row 5 of its levels has no label at level 1",
                "2 of its categories are not in its levels",
            ]
        );
        assert_eq!(
            table(&[])
                .resolve("v", &Levels::from_texts(["a"]))
                .unwrap_err()
                .len(),
            1
        );
        assert_eq!(
            table(&[&["a"]])
                .resolve("v", &Levels::from_texts(["a"]))
                .unwrap_err()
                .len(),
            1
        );
    }
}
