//! What the plans of several runs say otherwise, line by line.

use maud::{Markup, html};

use super::Run;

/// Lines that are shown around those that differ.
const AROUND: usize = 2;
/// Most pairs of lines that are compared: beyond, all lines between the same beginning and end count as different.
const MOST_PAIRS: usize = 4_000_000;

/// A line of two plans.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Line<'t> {
    Both(&'t str),
    First(&'t str),
    Other(&'t str),
}

/// The plan of each run beside that of the first.
pub(super) fn differences(runs: &[Run<'_>]) -> Markup {
    let Some((first, others)) = runs.split_first() else {
        return html! {};
    };
    html! {
        @for other in others {
            h3 { (first.name) " and " (other.name) }
            @if first.record.plan.text == other.record.plan.text {
                p { "The plans are the same." }
            } @else {
                (difference(&first.record.plan.text, &other.record.plan.text))
            }
        }
    }
}

fn difference(first: &str, other: &str) -> Markup {
    let lines = compared(first, other);
    let differs: Vec<bool> = lines
        .iter()
        .map(|line| !matches!(line, Line::Both(_)))
        .collect();
    let is_near = |at: usize| {
        let around = at.saturating_sub(AROUND)..(at + AROUND + 1).min(differs.len());
        differs[around].contains(&true)
    };
    let mut last = None;
    html! {
        p class="soft" { "Lines that begin with - stand in the first plan only, those with + in the other." }
        pre class="difference" {
            @for (at, line) in lines.iter().enumerate().filter(|(at, _)| is_near(*at)) {
                @if last.replace(at).map_or(at > 0, |last| last + 1 < at) { "…\n" }
                @match line {
                    Line::Both(text) => { "  " (text) }
                    Line::First(text) => { del { "- " (text) } }
                    Line::Other(text) => { ins { "+ " (text) } }
                }
                "\n"
            }
        }
    }
}

/// The lines of two texts: those of both as many as can be in one order.
fn compared<'t>(first: &'t str, other: &'t str) -> Vec<Line<'t>> {
    let [first, other] = [first, other].map(|text| text.lines().collect::<Vec<&str>>());
    let n_before = first.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let [a, b] = [&first[n_before..], &other[n_before..]];
    let n_after = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let [a, b] = [&a[..a.len() - n_after], &b[..b.len() - n_after]];
    let mut lines: Vec<Line<'t>> = first[..n_before].iter().copied().map(Line::Both).collect();
    lines.extend(between(a, b));
    lines.extend(
        first[first.len() - n_after..]
            .iter()
            .copied()
            .map(Line::Both),
    );
    lines
}

fn between<'t>(first: &[&'t str], other: &[&'t str]) -> Vec<Line<'t>> {
    let width = other.len() + 1;
    if first.len().saturating_mul(width) > MOST_PAIRS {
        let first = first.iter().copied().map(Line::First);
        return first
            .chain(other.iter().copied().map(Line::Other))
            .collect();
    }
    // Lines in common from each pair of places on.
    let mut common = vec![0_u32; (first.len() + 1) * width];
    for i in (0..first.len()).rev() {
        for j in (0..other.len()).rev() {
            common[i * width + j] = if first[i] == other[j] {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::new();
    while i < first.len() || j < other.len() {
        if i < first.len() && j < other.len() && first[i] == other[j] {
            lines.push(Line::Both(first[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == other.len()
            || (i < first.len() && common[(i + 1) * width + j] >= common[i * width + j + 1])
        {
            lines.push(Line::First(first[i]));
            i += 1;
        } else {
            lines.push(Line::Other(other[j]));
            j += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_was_changed_stands_beside_what_it_was() {
        use Line::{Both, First, Other};
        let found = compared("a\nk = 3\nb\n", "a\nk = 5\nb\nc\n");
        let expected = [
            Both("a"),
            First("k = 3"),
            Other("k = 5"),
            Both("b"),
            Other("c"),
        ];
        assert_eq!(found, expected);
        let html = difference("a\nb\nc\nd\ne\nf<", "a\nb\nc\nd\ne\ng").into_string();
        assert!(
            html.contains("…\n  d\n  e\n<del>- f&lt;</del>\n<ins>+ g</ins>\n</pre>"),
            "{html}"
        );
    }

    proptest! {
        #[test]
        fn either_plan_can_be_read_from_the_lines(
            first in prop::collection::vec("[abc]", 0..12), other in prop::collection::vec("[abc]", 0..12)
        ) {
            let [a, b] = [&first, &other].map(|lines| lines.join("\n"));
            let lines = compared(&a, &b);
            let of = |is_of: fn(&Line<'_>) -> bool| -> Vec<String> {
                let lines = lines.iter().filter(|line| is_of(line));
                let text = lines.map(|line| match line {
                    Line::Both(text) | Line::First(text) | Line::Other(text) => (*text).to_owned(),
                });
                text.collect()
            };
            prop_assert_eq!(of(|line| !matches!(line, Line::Other(_))), first);
            prop_assert_eq!(of(|line| !matches!(line, Line::First(_))), other);
        }
    }
}
