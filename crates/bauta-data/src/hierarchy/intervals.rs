//! Hierarchies that cut the number line at fewer and fewer breaks.

use std::cmp::Ordering;

use super::{ANY, Step, Steps, top_step};
use crate::decimal::cmp_label;
use crate::levels::Levels;
use crate::number::{number_text, parse_label};
use crate::problem::DataProblem;

/// Which interval a number falls into when the line is cut at rising breaks: 0 is below the
/// first; a break belongs to the interval above it.
pub fn interval_index(breaks: &[f64], value: f64) -> usize {
    breaks.partition_point(|&at| at <= value)
}

/// Which interval the number of a label falls into, to the last digit; `None` if it is no number.
pub fn interval_of_label(breaks: &[f64], text: &str) -> Option<usize> {
    parse_label(text)?;
    let is_above = |&at: &f64| cmp_label(text, at).is_some_and(Ordering::is_ge);
    Some(breaks.partition_point(is_above))
}

/// The label of an interval: `< 18`, `[18, 25)`, `>= 65`.
pub fn interval_label(breaks: &[f64], index: usize) -> String {
    interval_label_of(breaks, index, bound_text)
}

/// The same with other texts for its ends.
pub fn interval_label_of(
    breaks: &[f64],
    index: usize,
    bound_text: impl Fn(f64) -> String,
) -> String {
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

/// A value of the column on the number line.
#[derive(Clone, Copy)]
struct Placed<'a> {
    text: &'a str,
    /// The number, or the lower end of an interval.
    number: f64,
    /// 0 for a number; for an interval the level that it belongs to.
    level: usize,
}

pub(super) fn resolve(breaks: &[Vec<f64>], levels: &Levels) -> Steps {
    let mut problems = check(breaks);
    let placed: Vec<Option<Placed>> = levels.iter().map(|text| place(breaks, text)).collect();
    let n_texts = placed.iter().filter(|value| value.is_none()).count();
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
    let placed: Vec<Placed> = placed.into_iter().flatten().collect();
    let mut steps: Vec<Step> = breaks
        .iter()
        .enumerate()
        .map(|(position, cuts)| step(cuts, position + 1, &placed))
        .collect();
    steps.push(top_step(levels.len()));
    Ok(steps)
}

/// A number, or an interval of a level: data that were recoded before hold intervals.
fn place<'a>(breaks: &[Vec<f64>], text: &'a str) -> Option<Placed<'a>> {
    let at = |number: f64, level: usize| Placed {
        text,
        number,
        level,
    };
    if let Some(number) = parse_label(text) {
        return Some(at(number, 0));
    }
    if text == ANY {
        return Some(at(f64::NEG_INFINITY, usize::MAX));
    }
    breaks.iter().enumerate().find_map(|(position, cuts)| {
        let index = (0..=cuts.len()).find(|&index| interval_label(cuts, index) == text)?;
        let below = index.checked_sub(1).map(|below| cuts[below]);
        Some(at(below.unwrap_or(f64::NEG_INFINITY), position + 1))
    })
}

/// One level; only intervals that hold a value get a code, in their order on the line. A value
/// that was recoded to a coarser level is its own label.
fn step(cuts: &[f64], level: usize, placed: &[Placed<'_>]) -> Step {
    let labelled: Vec<(usize, bool, String)> = placed
        .iter()
        .map(|value| {
            let index = match value.level {
                0 => interval_of_label(cuts, value.text),
                _ => Some(interval_index(cuts, value.number)),
            };
            let index = index.unwrap_or(0);
            let coarser = value.level > level;
            let label = if coarser {
                value.text.to_owned()
            } else {
                interval_label(cuts, index)
            };
            (index, coarser, label)
        })
        .collect();
    let mut in_order: Vec<&(usize, bool, String)> = labelled.iter().collect();
    in_order.sort_unstable();
    let labels = Levels::from_texts(in_order.iter().map(|(_, _, label)| label.as_str()));
    let codes = labelled
        .iter()
        .filter_map(|(_, _, label)| labels.code(label))
        .collect();
    (labels, codes)
}

pub(super) fn check(breaks: &[Vec<f64>]) -> Vec<DataProblem> {
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
    fn breaks_are_compared_to_the_last_digit() {
        let breaks = [0.5, 9_007_199_254_740_992.0];
        for (text, index) in [
            ("9007199254740991.9999999", 1),
            ("9007199254740992", 2),
            ("9007199254740992.1", 2),
            ("0.49999999999999999999999", 0),
            ("0.5", 1),
        ] {
            assert_eq!(interval_of_label(&breaks, text), Some(index), "{text}");
            let levels = Levels::from_texts([text]);
            let hierarchy = intervals(&[&breaks]).resolve("id", &levels).unwrap();
            let label = interval_label(&breaks, index);
            assert_eq!(way_up(&hierarchy, &levels, text), format!("{label} < *"));
        }
        assert_eq!(interval_of_label(&breaks, "x"), None);
    }

    #[test]
    fn intervals_of_a_level_are_values_that_were_recoded_before() {
        let spec = intervals(&[&[18.0, 25.0, 65.0], &[18.0, 65.0], &[18.0]]);
        let recoded = Levels::from_texts(["[18, 65)", ">= 65", "< 18"]);
        let hierarchy = spec.resolve("age", &recoded).unwrap();
        assert_eq!(hierarchy.present_level(&recoded), 2);
        assert_eq!(
            way_up(&hierarchy, &recoded, "[18, 65)"),
            "[18, 65) < [18, 65) < >= 18 < *"
        );
        // Some values were recoded, others not: 30 falls to the interval that is there.
        let some = Levels::from_texts(["[18, 65)", "30", "*"]);
        let hierarchy = spec.resolve("age", &some).unwrap();
        assert_eq!(hierarchy.present_level(&some), 0);
        assert_eq!(
            way_up(&hierarchy, &some, "30"),
            "[25, 65) < [18, 65) < >= 18 < *"
        );
        assert_eq!(hierarchy.common_level(0, 1), 2);
        assert_eq!(way_up(&hierarchy, &some, "*"), "* < * < * < *");
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
