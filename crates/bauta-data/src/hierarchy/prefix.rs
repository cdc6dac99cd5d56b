//! Hierarchies that keep fewer and fewer leading characters.

use super::{ANY, Steps, naturally_ordered_step, top_step};
use crate::levels::Levels;
use crate::problem::DataProblem;

/// Longer texts are no codes, and a level for each of their characters would fill any memory.
const LONGEST_CODE: usize = 100;

pub(super) fn resolve(keep: Option<&[usize]>, levels: &Levels) -> Steps {
    let longest = levels
        .iter()
        .map(|value| value.chars().count())
        .max()
        .unwrap_or(0);
    let kept: Vec<usize> = match keep {
        Some(given) => {
            check(given)?;
            given.iter().copied().filter(|&n_kept| n_kept > 0).collect()
        }
        None if longest > LONGEST_CODE => return Err(vec![too_long()]),
        None => (1..longest).rev().collect(),
    };
    let mut steps: Vec<_> = kept
        .into_iter()
        .map(|n_kept| {
            naturally_ordered_step(levels.iter().map(|value| label(value, n_kept, longest)))
        })
        .collect();
    steps.push(top_step(levels.len()));
    Ok(steps)
}

fn too_long() -> DataProblem {
    DataProblem::file(
        format!(
            "it has categories of more than {LONGEST_CODE} characters, too long to lose one per level"
        ),
        "list the characters kept at each level, such as { prefix = [4, 2] }, or give it another hierarchy",
    )
}

fn check(keep: &[usize]) -> Result<(), Vec<DataProblem>> {
    let hint = "list the characters kept at each level, each fewer than the one before";
    if keep.is_empty() {
        let problem = DataProblem::file(
            "its prefix hierarchy keeps no level",
            "leave `keep` out to drop one character per level",
        );
        return Err(vec![problem]);
    }
    let problems: Vec<DataProblem> = keep
        .windows(2)
        .enumerate()
        .filter(|(_, pair)| pair[0] <= pair[1])
        .map(|(position, pair)| {
            let message = format!(
                "level {} of its prefix hierarchy keeps {} characters, level {} keeps {}",
                position + 2,
                pair[1],
                position + 1,
                pair[0],
            );
            DataProblem::file(message, hint)
        })
        .collect();
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems)
    }
}

/// The value with all but its first characters masked. Stars at its end are no characters of its
/// own: such a value was generalised before, and falls together with what its prefix covers.
fn label(value: &str, n_kept: usize, longest: usize) -> String {
    let known = value.trim_end_matches('*');
    let n_known = known.chars().count();
    if n_known < n_kept && known.len() == value.len() {
        return value.to_owned();
    }
    if n_known == 0 && known.len() < value.len() {
        return ANY.to_owned();
    }
    let n_shown = n_kept.min(n_known);
    known
        .chars()
        .take(n_shown)
        .chain(std::iter::repeat_n('*', longest.saturating_sub(n_shown)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::HierarchySpec;
    use super::super::tests::{assert_nested, way_up};
    use super::*;

    fn prefix(keep: &[usize]) -> HierarchySpec {
        HierarchySpec::Prefix {
            keep: Some(keep.to_vec()),
        }
    }

    #[test]
    fn one_character_less_per_level() {
        let levels = Levels::from_texts(["48201", "10999"]);
        let spec = HierarchySpec::Prefix { keep: None };
        let hierarchy = spec.resolve("zip", &levels).unwrap();
        assert_eq!(hierarchy.height(), 5);
        assert_eq!(
            way_up(&hierarchy, &levels, "48201"),
            "4820* < 482** < 48*** < 4**** < *"
        );
        let (labels, codes) = hierarchy.at_level(4);
        assert_eq!(labels.iter().collect::<Vec<_>>(), ["1****", "4****"]);
        assert_eq!(codes, [1, 0]);
    }

    #[test]
    fn texts_that_are_no_codes_lose_no_character_at_a_time() {
        let spec = HierarchySpec::Prefix { keep: None };
        let of = |length: usize| Levels::from_texts([&*"x".repeat(length)]);
        assert_eq!(spec.resolve("v", &of(100)).unwrap().height(), 100);
        let problems = spec.resolve("v", &of(1_000_000)).unwrap_err();
        assert!(problems[0].to_string().contains("more than 100 characters"));
        assert_eq!(
            prefix(&[4, 2]).resolve("v", &of(1_000)).unwrap().height(),
            3
        );
    }

    #[test]
    fn the_tree_of_the_specification() {
        // spec 06: 48201 < 4820* < 48* < *, here with one star per masked character.
        let levels = Levels::from_texts(["48201"]);
        let hierarchy = prefix(&[4, 2]).resolve("zip", &levels).unwrap();
        assert_eq!(way_up(&hierarchy, &levels, "48201"), "4820* < 48*** < *");
    }

    #[test]
    fn keeping_none_is_the_top() {
        let levels = Levels::from_texts(["ab"]);
        assert_eq!(prefix(&[1, 0]).resolve("v", &levels).unwrap().height(), 2);
        assert_eq!(prefix(&[1]).resolve("v", &levels).unwrap().height(), 2);
    }

    #[test]
    fn short_values_and_values_generalised_before_stay_consistent() {
        let levels = Levels::from_texts(["48201", "482*", "48", "*", "482**"]);
        let hierarchy = prefix(&[4, 3, 2]).resolve("zip", &levels).unwrap();
        assert_nested(&hierarchy, levels.len());
        assert_eq!(
            way_up(&hierarchy, &levels, "48201"),
            "4820* < 482** < 48*** < *"
        );
        assert_eq!(
            way_up(&hierarchy, &levels, "482*"),
            "482** < 482** < 48*** < *"
        );
        assert_eq!(
            way_up(&hierarchy, &levels, "482**"),
            "482** < 482** < 48*** < *"
        );
        assert_eq!(way_up(&hierarchy, &levels, "48"), "48 < 48 < 48*** < *");
        assert_eq!(way_up(&hierarchy, &levels, "*"), "* < * < * < *");
    }

    #[test]
    fn characters_are_not_bytes() {
        let levels = Levels::from_texts(["éàü", "éàx"]);
        let spec = HierarchySpec::Prefix { keep: None };
        let hierarchy = spec.resolve("v", &levels).unwrap();
        assert_eq!(way_up(&hierarchy, &levels, "éàü"), "éà* < é** < *");
        assert_eq!(hierarchy.common_level(0, 1), 1);
    }

    #[test]
    fn kept_characters_must_fall() {
        let levels = Levels::from_texts(["48201"]);
        let problems = prefix(&[3, 3, 1, 2]).resolve("zip", &levels).unwrap_err();
        assert_eq!(problems.len(), 2);
        assert!(problems[0].message.contains("level 2"));
        assert!(problems[1].message.contains("level 4"));
        assert_eq!(prefix(&[]).resolve("zip", &levels).unwrap_err().len(), 1);
    }
}
