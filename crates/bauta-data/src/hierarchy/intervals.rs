//! Hierarchies that cut the number line at fewer and fewer breaks.

use super::{Step, Steps, top_step};
use crate::levels::Levels;
use crate::number::{number_text, parse_label};
use crate::problem::DataProblem;

/// Which interval a number falls into when the line is cut at rising breaks: 0 is below the
/// first; a break belongs to the interval above it.
pub fn interval_index(breaks: &[f64], value: f64) -> usize {
    breaks.partition_point(|&at| at <= value)
}

/// The label of an interval: `< 18`, `[18, 25)`, `>= 65`.
pub fn interval_label(breaks: &[f64], index: usize) -> String {
    match (
        index.checked_sub(1).map(|below| breaks[below]),
        breaks.get(index),
    ) {
        (None, None) => super::ANY.to_owned(),
        (None, Some(&high)) => format!("< {}", bound_text(high)),
        (Some(low), Some(&high)) => format!("[{}, {})", bound_text(low), bound_text(high)),
        (Some(low), None) => format!(">= {}", bound_text(low)),
    }
}

/// Adding zero turns -0 into 0: they are one place on the line and must have one label.
fn bound_text(bound: f64) -> String {
    number_text(bound + 0.0)
}

pub(super) fn resolve(breaks: &[Vec<f64>], levels: &Levels) -> Steps {
    let mut problems = check(breaks);
    let numbers: Vec<Option<f64>> = levels.iter().map(parse_label).collect();
    let n_texts = numbers.iter().filter(|number| number.is_none()).count();
    if n_texts > 0 {
        let message = match n_texts {
            1 => "1 of its categories is not a number".to_owned(),
            n => format!("{n} of its categories are not numbers"),
        };
        problems.push(DataProblem::file(
            message,
            "declare texts that stand for no value as missing, or give its levels in a file",
        ));
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let numbers: Vec<f64> = numbers.into_iter().flatten().collect();
    let mut steps: Vec<Step> = breaks.iter().map(|cuts| step(cuts, &numbers)).collect();
    steps.push(top_step(levels.len()));
    Ok(steps)
}

/// One level; only intervals that hold a value get a code.
fn step(cuts: &[f64], numbers: &[f64]) -> Step {
    let indices: Vec<usize> = numbers
        .iter()
        .map(|&number| interval_index(cuts, number))
        .collect();
    let mut code_of = vec![None; cuts.len() + 1];
    for &index in &indices {
        code_of[index] = Some(0);
    }
    let mut labels = Levels::default();
    for (index, code) in code_of.iter_mut().enumerate() {
        if code.is_some() {
            *code = Some(labels.insert(&interval_label(cuts, index)));
        }
    }
    let codes = indices
        .into_iter()
        .filter_map(|index| code_of[index])
        .collect();
    (labels, codes)
}

fn check(breaks: &[Vec<f64>]) -> Vec<DataProblem> {
    let mut problems = Vec::new();
    if breaks.is_empty() {
        problems.push(DataProblem::file(
            "its interval hierarchy has no level",
            "give the breaks of at least one level",
        ));
    }
    for (position, cuts) in breaks.iter().enumerate() {
        let level = position + 1;
        if cuts.is_empty() {
            problems.push(DataProblem::file(
                format!("level {level} of its interval hierarchy has no break"),
                "leave the level out: the level of any value is added by itself",
            ));
        }
        let rises = cuts.windows(2).all(|pair| pair[0] < pair[1]);
        if !rises || cuts.iter().any(|cut| !cut.is_finite()) {
            problems.push(DataProblem::file(
                format!("the breaks of level {level} of its interval hierarchy do not rise"),
                "give finite numbers, each greater than the one before",
            ));
        }
    }
    for (position, pair) in breaks.windows(2).enumerate() {
        let n_new = pair[1].iter().filter(|cut| !pair[0].contains(cut)).count();
        if n_new > 0 {
            problems.push(DataProblem::file(
                format!(
                    "level {} of its interval hierarchy has {n_new} breaks that level {} has not",
                    position + 2,
                    position + 1,
                ),
                "a coarser level may only leave breaks out",
            ));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::super::HierarchySpec;
    use super::super::tests::way_up;
    use super::*;

    fn intervals(breaks: &[&[f64]]) -> HierarchySpec {
        HierarchySpec::Intervals {
            breaks: breaks.iter().map(|cuts| cuts.to_vec()).collect(),
        }
    }

    #[test]
    fn a_break_belongs_to_the_interval_above() {
        let levels = Levels::from_texts(["65", "18", "17.9", "100", "24", "-3"]);
        let spec = intervals(&[&[18.0, 25.0, 65.0], &[18.0]]);
        let hierarchy = spec.resolve("age", &levels).unwrap();
        assert_eq!(hierarchy.height(), 3);
        assert_eq!(way_up(&hierarchy, &levels, "18"), "[18, 25) < >= 18 < *");
        assert_eq!(way_up(&hierarchy, &levels, "65"), ">= 65 < >= 18 < *");
        assert_eq!(way_up(&hierarchy, &levels, "-3"), "< 18 < < 18 < *");
        // No value lies in [25, 65): the level has three labels, in the order of the line.
        let (labels, codes) = hierarchy.at_level(1);
        assert_eq!(
            labels.iter().collect::<Vec<_>>(),
            ["< 18", "[18, 25)", ">= 65"]
        );
        assert_eq!(codes, [2, 1, 0, 2, 1, 0]);
    }

    #[test]
    fn bounds_are_written_as_numbers_are() {
        assert_eq!(interval_label(&[-0.0, 0.5], 1), "[0, 0.5)");
        assert_eq!(interval_label(&[10_000.0], 0), "< 10000");
    }

    #[test]
    fn every_mistake_is_told_at_once() {
        let levels = Levels::from_texts(["1", "x1", "y2"]);
        let spec = intervals(&[&[10.0, 5.0], &[], &[7.0]]);
        let problems = spec.resolve("age", &levels).unwrap_err();
        // Level 1 falls; level 2 is empty; level 3 has a break that level 2 lacks; two texts.
        assert_eq!(problems.len(), 4);
        assert!(problems[3].message.starts_with("2 of its categories"));
        assert!(
            problems
                .iter()
                .all(|problem| !problem.to_string().contains("x1"))
        );
        assert_eq!(
            intervals(&[])
                .resolve("age", &Levels::default())
                .unwrap_err()
                .len(),
            1
        );
        let spec = intervals(&[&[f64::NAN]]);
        assert_eq!(
            spec.resolve("age", &Levels::default()).unwrap_err().len(),
            1
        );
    }
}
