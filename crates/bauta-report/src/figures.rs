//! Figures that a measure gives for each variable, brought into tables.

use bauta_methods::figure::Declared;
use bauta_plan::record::MeasureRecord;
use maud::{Markup, html};

use crate::labels::Labels;
use crate::number::{NO_FIGURE, Written as _};
use crate::page::scrolling;

/// One figure of one variable, in the original and in the masked file.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct VariableFigure<'a> {
    /// The variable.
    pub(crate) variable: &'a str,
    /// The figure as its measure declares it.
    pub(crate) figure: &'a Declared,
    /// In the original; none where it is not defined.
    pub(crate) before: Option<f64>,
    /// In the masked file; none where it is not defined.
    pub(crate) after: Option<f64>,
}

/// The figures of the variables that a measure declares.
pub(crate) fn variable_figures(measure: &MeasureRecord) -> Vec<VariableFigure<'_>> {
    let mut out: Vec<VariableFigure<'_>> = Vec::new();
    for (measurement, is_after) in [(&measure.before, false), (&measure.after, true)] {
        for found in measurement.iter().flat_map(|found| &found.figures) {
            let variable = found.name.variable.as_deref();
            let (Some(variable), Some(figure)) = (variable, measure.declared(&found.name)) else {
                continue;
            };
            let same = |entry: &&mut VariableFigure<'_>| {
                entry.variable == variable && entry.figure.id == figure.id
            };
            match out.iter_mut().find(same) {
                Some(entry) if is_after => entry.after = found.value,
                Some(entry) => entry.before = found.value,
                None => out.push(VariableFigure {
                    variable,
                    figure,
                    before: if is_after { None } else { found.value },
                    after: if is_after { found.value } else { None },
                }),
            }
        }
    }
    out
}

/// Variables with the same figures.
struct Group<'a> {
    figures: Vec<&'a Declared>,
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
        let figures: Vec<&Declared> = all
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
pub(crate) fn tables(all: &[VariableFigure<'_>], labels: &Labels<'_>) -> Markup {
    html! {
        @for group in groups(all) { (table(&group, all, labels)) }
    }
}

fn table(group: &Group<'_>, all: &[VariableFigure<'_>], labels: &Labels<'_>) -> Markup {
    let find = |variable: &str, figure: &Declared| {
        all.iter()
            .find(|entry| entry.variable == variable && entry.figure.id == figure.id)
    };
    let unchanged = |figure: &Declared| {
        group
            .variables
            .iter()
            .all(|variable| find(variable, figure).is_none_or(|entry| entry.before == entry.after))
    };
    let columns: Vec<(&Declared, bool)> = group
        .figures
        .iter()
        .map(|&figure| (figure, unchanged(figure)))
        .collect();
    let names: Vec<&str> = group.figures.iter().map(|figure| &*figure.label).collect();
    let body = html! {
        table {
            caption { "Figures of the variables: " (names.join(", ")) }
            thead {
                tr {
                    th scope="col" rowspan="2" { "Variable" }
                    @for (figure, same) in &columns {
                        @if *same {
                            th scope="col" class="number" { (figure.label) }
                        } @else {
                            th scope="colgroup" colspan="2" class="pair" { (figure.label) }
                        }
                    }
                }
                tr {
                    @for (_, same) in &columns {
                        @if *same {
                            th scope="col" class="number sub" { "both files" }
                        } @else {
                            th scope="col" class="number sub" { "original" }
                            th scope="col" class="number sub" { (labels.after) }
                        }
                    }
                }
            }
            tbody {
                @for variable in &group.variables {
                    tr {
                        th scope="row" { (labels.cell(variable)) }
                        @for (figure, same) in &columns {
                            @let entry = find(variable, figure);
                            @let text = |value: Option<f64>| figure.unit.text_or_dash(value);
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
    use std::collections::BTreeMap;

    use bauta_methods::figure::FigureSpec;
    use bauta_methods::{Measurement, Unit};
    use bauta_plan::record::MeasureFamily;

    use super::*;

    #[test]
    fn figures_are_sorted_to_their_variables_and_unchanged_ones_share_a_column() {
        const RECORDS: FigureSpec = FigureSpec::count("records", "records").per_variable();
        const MEAN: FigureSpec = FigureSpec::number("mean", "mean").per_variable();
        const TOTAL: FigureSpec = FigureSpec::number("total", "total");
        let mut before = Measurement::default();
        before.give(RECORDS.of_variable("income"), 10.0);
        before.give(MEAN.of_variable("income"), 5.0);
        before.give(RECORDS.of_variable("a.b"), 10.0);
        before.give(MEAN.of_variable("a.b"), 1.0);
        before.give(&TOTAL, 9.0);
        let mut after = before.clone();
        after.figures[1].value = Some(6.0);
        let measure = MeasureRecord {
            id: "univariate-summary".to_owned(),
            title: "Summary".to_owned(),
            family: MeasureFamily::Loss,
            value: (&FigureSpec::value("", Unit::Number)).into(),
            figures: [RECORDS, MEAN, TOTAL].iter().map(Declared::from).collect(),
            scenario: None,
            on: vec!["income".to_owned(), "a.b".to_owned()],
            outliers: None,
            condition: None,
            params: BTreeMap::new(),
            perturbed: Vec::new(),
            before: Some(before),
            after: Some(after),
            notes: Vec::new(),
        };
        let figures = variable_figures(&measure);
        assert_eq!(figures.len(), 4);
        assert_eq!(
            (figures[1].before, figures[1].after),
            (Some(5.0), Some(6.0))
        );
        assert_eq!(figures[2].variable, "a.b");
        let shown = tables(&figures, &Labels::default()).into_string();
        assert_eq!(shown.matches("<table").count(), 1);
        assert_eq!(shown.matches(">both files<").count(), 1);
        assert!(!shown.contains("total"));
    }
}
