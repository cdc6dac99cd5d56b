//! Figures that a measure gives for each variable as `NAME.figure`, brought into tables.

use bauta_methods::measure::{Measurement, Part};
use maud::{Markup, html};

use crate::number::{NO_FIGURE, Unit};
use crate::page::scrolling;
use crate::words::phrase;

/// One figure of one variable, in the original and in the masked file.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct VariableFigure<'a> {
    /// The variable.
    pub(crate) variable: &'a str,
    /// The figure, such as `mean`.
    pub(crate) figure: &'a str,
    /// In the original; none where it is not defined.
    pub(crate) before: Option<f64>,
    /// In the masked file; none where it is not defined.
    pub(crate) after: Option<f64>,
}

/// The figures of the variables among the parts of a measure.
pub(crate) fn variable_figures<'a>(
    on: &[String],
    before: Option<&'a Measurement>,
    after: Option<&'a Measurement>,
) -> Vec<VariableFigure<'a>> {
    let mut out: Vec<VariableFigure<'a>> = Vec::new();
    for (measurement, is_after) in [(before, false), (after, true)] {
        for part in measurement.map_or(&[][..], |measurement| &measurement.parts) {
            let Some((variable, figure)) = split(part, on) else {
                continue;
            };
            let same = |entry: &&mut VariableFigure<'_>| {
                entry.variable == variable && entry.figure == figure
            };
            match out.iter_mut().find(same) {
                Some(entry) if is_after => entry.after = part.value,
                Some(entry) => entry.before = part.value,
                None => out.push(VariableFigure {
                    variable,
                    figure,
                    before: if is_after { None } else { part.value },
                    after: if is_after { part.value } else { None },
                }),
            }
        }
    }
    out
}

/// Variable and figure of a part, if it is named so.
pub(crate) fn split<'a>(part: &'a Part, on: &[String]) -> Option<(&'a str, &'a str)> {
    part.name
        .rsplit_once('.')
        .filter(|(variable, _)| on.iter().any(|name| name == variable))
}

/// Variables with the same figures.
struct Group<'a> {
    figures: Vec<&'a str>,
    variables: Vec<&'a str>,
}

fn groups<'a>(all: &[VariableFigure<'a>]) -> Vec<Group<'a>> {
    let mut out: Vec<Group<'a>> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for entry in all {
        if seen.contains(&entry.variable) {
            continue;
        }
        seen.push(entry.variable);
        let figures: Vec<&str> = all
            .iter()
            .filter(|other| other.variable == entry.variable)
            .map(|other| other.figure)
            .collect();
        match out.iter_mut().find(|group| group.figures == figures) {
            Some(group) => group.variables.push(entry.variable),
            None => out.push(Group {
                figures,
                variables: vec![entry.variable],
            }),
        }
    }
    out
}

/// One table for each set of figures: variables down, figures across, original beside masked.
/// A figure that masking changed nowhere takes one column.
pub(crate) fn tables(all: &[VariableFigure<'_>]) -> Markup {
    html! {
        @for group in groups(all) { (table(&group, all)) }
    }
}

fn table(group: &Group<'_>, all: &[VariableFigure<'_>]) -> Markup {
    let find = |variable: &str, figure: &str| {
        all.iter()
            .find(|entry| entry.variable == variable && entry.figure == figure)
    };
    let unchanged = |figure: &str| {
        group
            .variables
            .iter()
            .all(|variable| find(variable, figure).is_none_or(|entry| entry.before == entry.after))
    };
    let columns: Vec<(&str, bool)> = group
        .figures
        .iter()
        .map(|&figure| (figure, unchanged(figure)))
        .collect();
    let names: Vec<String> = group.figures.iter().map(|figure| phrase(figure)).collect();
    let body = html! {
        table {
            caption { "Figures of the variables: " (names.join(", ")) }
            thead {
                tr {
                    th scope="col" rowspan="2" { "Variable" }
                    @for (figure, same) in &columns {
                        @if *same {
                            th scope="col" class="number" { (phrase(figure)) }
                        } @else {
                            th scope="colgroup" colspan="2" class="pair" { (phrase(figure)) }
                        }
                    }
                }
                tr {
                    @for (_, same) in &columns {
                        @if *same {
                            th scope="col" class="number sub" { "both files" }
                        } @else {
                            th scope="col" class="number sub" { "original" }
                            th scope="col" class="number sub" { "masked" }
                        }
                    }
                }
            }
            tbody {
                @for variable in &group.variables {
                    tr {
                        th scope="row" { (variable) }
                        @for (figure, same) in &columns {
                            @let entry = find(variable, figure);
                            @let text = |value: Option<f64>| Unit::of_name(figure).text_or_dash(value);
                            @if !same {
                                td class="number" { (entry.map_or_else(|| NO_FIGURE.to_owned(), |entry| text(entry.before))) }
                            }
                            td class="number" { (entry.map_or_else(|| NO_FIGURE.to_owned(), |entry| text(entry.after))) }
                        }
                    }
                }
            }
        }
    };
    scrolling("Figures of the variables", &body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_sorted_to_their_variables_and_unchanged_figures_share_a_column() {
        let on = ["income".to_owned(), "a.b".to_owned()];
        let mut before = Measurement::default();
        before.push_part("income.records", 10.0);
        before.push_part("income.mean", 5.0);
        before.push_part("a.b.records", 10.0);
        before.push_part("a.b.mean", 1.0);
        before.push_part("elsewhere.mean", 9.0);
        before.push_part("total", 9.0);
        let mut after = before.clone();
        after.parts[1].value = Some(6.0);
        let figures = variable_figures(&on, Some(&before), Some(&after));
        assert_eq!(figures.len(), 4);
        assert_eq!(
            (figures[1].before, figures[1].after),
            (Some(5.0), Some(6.0))
        );
        assert_eq!(figures[2].variable, "a.b");
        let shown = tables(&figures).into_string();
        assert_eq!(shown.matches("<table").count(), 1);
        assert_eq!(shown.matches(">both files<").count(), 1);
        assert!(!shown.contains("elsewhere"));
    }
}
