//! Figures 1-3: nine people, three ages blanked, three people deleted and six weights calibrated.

use std::path::Path;

use bauta_data::format::{ReadOptions, read_bytes};
use bauta_data::number::DecimalMark;
use bauta_data::{Attribute, Column, Kind, Role, Schema, Table, Watch};
use bauta_methods::pair::Rows;
use bauta_methods::{Files, Measurement, MethodError, RawValue};

use super::files::{adjusted, both, found, words};
use super::published::{FIGURE_1, FIGURE_2, FIGURE_3};
use super::sentences::Sentence;
use crate::trial::{Method, masked_on};
use crate::{Compared, PaperError, heading, row};

const COLUMNS: [&str; 5] = ["name", "sex", "age", "meal", "weight"];
const KEYS: [&str; 2] = ["sex", "age"];

/// What was found of the nine records.
pub(super) struct Nine {
    pub(super) text: String,
    pub(super) summary: Vec<Compared>,
    pub(super) sentences: Vec<Sentence>,
}

/// The figures, cell by cell, and what the paper says of them.
pub(super) fn nine_records(watch: &dyn Watch) -> Result<Nine, PaperError> {
    let original = people(watch)?;
    let keys: Vec<usize> = KEYS
        .iter()
        .filter_map(|key| original.index_of(key))
        .collect();
    let named = KEYS.map(str::to_owned);
    let blanked = masked_on(&keys, &original, &[suppression()], 1, watch)?;
    let subsample = adjusted(&original, &keys, &calibration(&KEYS), watch)?.0;
    let shown = [
        cells(&original, 0),
        cells(&blanked, 1),
        cells(&subsample, 1),
    ];
    let printed = [rows_of(&FIGURE_1), rows_of(&FIGURE_2), rows_of(&FIGURE_3)];
    let mut text = String::new();
    let mut summary = Vec::new();
    for (figure, ((about, why), (shown, printed))) in
        ABOUT.iter().zip(shown.iter().zip(&printed)).enumerate()
    {
        let (table, counts) = beside(shown, printed, &COLUMNS[usize::from(figure > 0)..]);
        text += &format!("\n## Figure {}: {about}\n\n{table}", figure + 1);
        summary.push(Compared::new(
            format!("Figure {}", figure + 1),
            "cells",
            counts,
            *why,
        ));
    }
    let sentences = sentences([&original, &blanked, &subsample], &keys, &named, watch)?;
    Ok(Nine {
        text,
        summary,
        sentences,
    })
}

/// What each figure is, and how it is compared.
const ABOUT: [(&str, &str); 3] = [
    (
        "nine people",
        "cell by cell; these are the input of the next two figures",
    ),
    (
        "2-anonymous after local suppression",
        "cell by cell; `suppress-local` with k = 2, semantics `original`, sex dearer than age: the one cheapest choice of \
         cells",
    ),
    (
        "2-anonymous after deletion and calibration",
        "cell by cell; `subsample-calibrate` with k = 2, margins sex and age, `q = \"euclidean\"` (linear with q = 1/d, \
         unscaled): raking and q = 1 give other weights",
    ),
];

fn suppression() -> Method {
    let costs = [("sex", 2.0), ("age", 1.0)];
    let costs = costs.map(|(key, cost)| (key.to_owned(), RawValue::Number(cost)));
    Method::new(
        "suppress-local",
        &[
            ("k", RawValue::Integer(2)),
            ("semantics", RawValue::Text("original".to_owned())),
            ("costs", RawValue::Map(costs.to_vec())),
        ],
    )
}

fn calibration(margins: &[&str]) -> Method {
    Method::new(
        "subsample-calibrate",
        &[
            ("k", RawValue::Integer(2)),
            ("margins", words(margins)),
            ("q", RawValue::Text("euclidean".to_owned())),
        ],
    )
}

/// The people of Figure 1 as a file.
fn people(watch: &dyn Watch) -> Result<Table, PaperError> {
    let lines = FIGURE_1.iter().map(|cells| cells.join(","));
    let csv: Vec<String> = std::iter::once(COLUMNS.join(",")).chain(lines).collect();
    let roles = [
        Role::Identifier,
        Role::Key,
        Role::Key,
        Role::Sensitive,
        Role::Weight,
    ];
    let attributes = COLUMNS.iter().zip(roles).map(|(name, role)| {
        let kind = match role {
            Role::Weight => Kind::Continuous,
            _ => Kind::Unordered,
        };
        Attribute::new(*name, role, kind)
    });
    let options = ReadOptions {
        schema: Schema {
            attributes: attributes.collect(),
            ..Schema::default()
        },
        delimiter: Some(b','),
        decimal: Some(DecimalMark::Point),
        ..ReadOptions::default()
    };
    let bytes = csv.join("\n").into_bytes();
    Ok(read_bytes(Path::new("figure-1.csv"), bytes, &options, watch)?.table)
}

/// The cells of a table from a column on, as a file shows them; a dash where a cell was suppressed.
fn cells(table: &Table, from: usize) -> Vec<Vec<String>> {
    let text = |column: &Column, record: usize| {
        if column.is_missing(record) {
            return "-".to_owned();
        }
        let mut out = String::new();
        column.write_text(record, DecimalMark::Point, &mut out);
        out
    };
    let records = 0..table.n_records();
    let of = |record| {
        let columns = table.columns()[from..].iter();
        columns.map(|column| text(column, record)).collect()
    };
    records.map(of).collect()
}

fn rows_of<const N: usize, const M: usize>(figure: &[[&str; M]; N]) -> Vec<Vec<String>> {
    let rows = figure.iter();
    rows.map(|row| row.iter().map(|&cell| cell.to_owned()).collect())
        .collect()
}

/// Our rows; a cell that is not the printed one has it in brackets. With it matching and compared.
fn beside(
    shown: &[Vec<String>],
    printed: &[Vec<String>],
    columns: &[&str],
) -> (String, [usize; 2]) {
    let mut text = heading(columns);
    let (mut n_same, mut n_all) = (0, 0);
    let nothing = Vec::new();
    for record in 0..shown.len().max(printed.len()) {
        let here = shown.get(record).unwrap_or(&nothing);
        let there = printed.get(record).unwrap_or(&nothing);
        let cells = (0..columns.len()).map(|column| {
            let (ours, theirs) = (here.get(column), there.get(column));
            n_all += 1;
            n_same += usize::from(ours == theirs);
            let ours = ours.map_or("no cell", String::as_str);
            match theirs {
                Some(theirs) if theirs == ours => ours.to_owned(),
                Some(theirs) => format!("**{ours}** (printed {theirs})"),
                None => format!("**{ours}** (not printed)"),
            }
        });
        text += &row(&cells.collect::<Vec<String>>());
    }
    let told = format!("\n{n_same} of {n_all} cells are as printed.\n");
    (text + &told, [n_same, n_all])
}

/// What sections 2 to 4 say of the nine records.
fn sentences(
    [original, blanked, subsample]: [&Table; 3],
    keys: &[usize],
    named: &[String],
    watch: &dyn Watch,
) -> Result<Vec<Sentence>, MethodError> {
    let of = |measure: &Method, table| found(named, measure, Files::One(table), watch);
    let counted = |semantics: &str| {
        let semantics = RawValue::Text(semantics.to_owned());
        Method::new("k-anonymity", &[("semantics", semantics)])
    };
    let figure = |found: &Measurement| found.value.unwrap_or(f64::NAN);
    let frequencies = of(&counted("own"), original)?;
    let of_france = frequencies.per_record.as_ref().map_or(f64::NAN, |f| f[2]);
    let blanked_k = figure(&of(&counted("original"), blanked)?);
    let subsample_k = figure(&of(&counted("own"), subsample)?);
    let diversity = of(&Method::new("l-diversity", &[]), original)?;
    let of_women = diversity
        .per_record
        .as_ref()
        .map_or(f64::NAN, |l| l[3].max(l[4]));
    let reversal = Method::new("reversal", &[("k", RawValue::Integer(2))]);
    let paired = both(original, blanked, Rows::Correspond);
    let reversal = found(named, &reversal, paired, watch)?;
    let worked_out = reversal.per_record.as_ref().map_or(&[][..], Vec::as_slice);
    let worked_out: Vec<usize> = (1..)
        .zip(worked_out)
        .filter(|(_, found)| **found > 0.0)
        .map(|(record, _)| record)
        .collect();
    let with_meal = adjusted(original, keys, &calibration(&["sex", "age", "meal"]), watch);
    let is_refused = matches!(
        with_meal,
        Err(MethodError::Request { .. } | MethodError::Data { .. })
    );
    Ok(vec![
        Sentence::new(
            "2",
            "who knows sex and age of the third person finds her alone",
            (of_france - 1.0).abs() < 1e-9,
            format!("her key occurs {of_france} time"),
        ),
        Sentence::new(
            "2",
            "all women over 50 like the same meal: the group discloses it",
            (of_women - 1.0).abs() < 1e-9,
            format!("{of_women} different meal in their class"),
        ),
        Sentence::new(
            "3",
            "Figure 2 is 2-anonymous (a blank does not identify; counted before suppression)",
            blanked_k >= 2.0,
            format!("every record is like {blanked_k} at least"),
        ),
        Sentence::new(
            "3",
            "by elimination the third record is found to be 25-49",
            worked_out == [3],
            format!("blanks of record {worked_out:?} can be worked out"),
        ),
        Sentence::new(
            "4",
            "Figure 3 is 2-anonymous",
            subsample_k >= 2.0,
            format!("the smallest class has {subsample_k} records"),
        ),
        Sentence::new(
            "4",
            "the meal cannot be a margin, since nobody is left who likes sauerkraut",
            is_refused,
            if is_refused {
                "the step refuses it".to_owned()
            } else {
                "the step takes it".to_owned()
            },
        ),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use bauta_data::Unwatched;

    #[test]
    fn the_three_figures_are_the_papers_to_the_last_cell() {
        let nine = nine_records(&Unwatched).expect("the figures");
        // 9 × 5, 9 × 4 and 6 × 4 cells.
        let counts: Vec<[usize; 2]> = nine
            .summary
            .iter()
            .map(|line| [line.matching, line.compared])
            .collect();
        assert_eq!(counts, [[45, 45], [36, 36], [24, 24]], "{}", nine.text);
        let wrong: Vec<&str> = nine
            .sentences
            .iter()
            .filter(|sentence| !sentence.holds)
            .map(|sentence| sentence.text)
            .collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn a_cell_that_differs_is_shown_with_the_printed_one() {
        let row = |cells: [&str; 2]| vec![cells.map(str::to_owned).to_vec()];
        let (text, counts) = beside(&row(["a", "1"]), &row(["a", "2"]), &["x", "y"]);
        assert!(text.contains("| a | **1** (printed 2) |"), "{text}");
        assert_eq!(counts, [1, 2]);
    }
}
