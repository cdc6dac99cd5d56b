//! Categories that differ only in how they are spelled.
//!
//! Two spellings are the same where they differ only by case, blanks (leading, trailing, doubled,
//! no-break), Unicode form, invisible characters, or the zeros after a decimal point (`1` and `1.0`).
//! Leading zeros make another code: `007` is not `7`.

use std::path::Path;
use std::sync::Arc;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::attribute::{Role, Schema};
use crate::codes::Codes;
use crate::column::Column;
use crate::levels::Levels;
use crate::problem::{DataError, DataProblem, ProblemList};
use crate::remark::Remark;
use crate::table::Table;

/// A variable has several spellings of one category.
pub const SPELLINGS: &str = "spellings";
/// A variable has values that look like a missing value.
pub const POSSIBLY_MISSING: &str = "possibly-missing";
/// Spellings of a variable were made one.
pub const SPELLINGS_FOLDED: &str = "spellings-folded";

/// What becomes of several spellings of one category.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Spellings {
    /// Each is a category of its own.
    #[default]
    Keep,
    /// All become the most frequent one; of equally frequent ones the first by its bytes.
    Fold,
}

impl Spellings {
    /// Every choice, in the order of the documentation.
    pub const ALL: [Self; 2] = [Self::Keep, Self::Fold];

    /// Its name in plans.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Fold => "fold",
        }
    }
}

/// Words that stand for "no value" in many files, in their folded spelling. Such as `none` are not here:
/// they are answers as often as not.
const MISSING_WORDS: [&str; 44] = [
    "",
    "#n/a",
    "#na",
    "*",
    "-",
    "--",
    "---",
    ".",
    "..",
    "...",
    "?",
    "??",
    "???",
    "<na>",
    "dk",
    "don't know",
    "inconnu",
    "k.a.",
    "keine angabe",
    "missing",
    "n.a.",
    "n.k.",
    "n/a",
    "n/k",
    "na",
    "nan",
    "no answer",
    "no consta",
    "not applicable",
    "not available",
    "not known",
    "not stated",
    "null",
    "onbekend",
    "refused",
    "sconosciuto",
    "unbekannt",
    "undefined",
    "unk",
    "unknown",
    "unspecified",
    "desconocido",
    "desconhecido",
    "(null)",
];

/// How many values a column has, and how many categories they are if spellings do not count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spread {
    /// Different texts.
    pub n_values: u64,
    /// Different texts after folding.
    pub n_categories: u64,
    /// Cells that are not in the most frequent spelling of their category.
    pub n_cells: u64,
}

impl Spread {
    /// The spread of a column; nothing for numbers.
    pub fn of(column: &Column) -> Option<Self> {
        Groups::of(column).map(|groups| groups.spread())
    }

    /// Whether some category has more than one spelling.
    pub fn is_spread(self) -> bool {
        self.n_values > self.n_categories
    }
}

/// The text that all spellings of a category share. For comparing; nothing writes it.
pub fn folded(text: &str) -> String {
    let visible = text.chars().filter(|&letter| !is_invisible(letter));
    let composed: String = if text.is_ascii() {
        visible.collect()
    } else {
        visible.nfkc().collect()
    };
    let mut out = String::with_capacity(composed.len());
    for word in composed.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        for letter in word.chars().flat_map(char::to_lowercase) {
            // The letter has a form of its own at the end of a word.
            out.push(if letter == 'ς' { 'σ' } else { letter });
        }
    }
    if !out.is_ascii() {
        out = out.nfkc().collect();
    }
    if let Some(shorter) = without_trailing_zeros(&out) {
        out.truncate(shorter);
    }
    out
}

/// The length of a number without the zeros at the end of its decimals; nothing for all other texts.
fn without_trailing_zeros(text: &str) -> Option<usize> {
    let (whole, decimals) = text.split_once('.')?;
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let all_digits =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let leading_zero = digits.len() > 1 && digits.starts_with('0');
    if !all_digits(digits) || !all_digits(decimals) || leading_zero {
        return None;
    }
    let decimals = decimals.trim_end_matches('0');
    Some(if decimals.is_empty() {
        whole.len()
    } else {
        whole.len() + 1 + decimals.len()
    })
}

/// Characters that nobody sees: soft hyphens, zero-width ones, directions, variants, controls.
fn is_invisible(letter: char) -> bool {
    let is_control = letter.is_control() && !letter.is_whitespace();
    is_control
        || matches!(
            letter,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{180b}'..='\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
        )
}

/// The values of a column by what they share.
struct Groups {
    /// Cells of each value.
    n_cells: Vec<u64>,
    /// Group of each value; values that no cell has are in none.
    group: Vec<Option<usize>>,
    /// The most frequent value of each group, and what its values share.
    chosen: Vec<(u32, String)>,
}

impl Groups {
    fn of(column: &Column) -> Option<Self> {
        if column.is_numeric() {
            return None;
        }
        let categorical = column.as_categorical()?;
        let levels = &categorical.levels;
        let mut n_cells = vec![0_u64; levels.len()];
        for (record, code) in categorical.codes.iter().enumerate() {
            if !column.is_missing(record) {
                n_cells[code as usize] += 1;
            }
        }
        let mut groups: HashMap<String, usize, FixedState> = HashMap::default();
        let mut chosen: Vec<(u32, String)> = Vec::new();
        let mut group = vec![None; levels.len()];
        for code in (0..levels.len() as u32).filter(|&code| n_cells[code as usize] > 0) {
            let shared = folded(levels.text(code));
            let next = chosen.len();
            let at = *groups.entry(shared.clone()).or_insert(next);
            if at == next {
                chosen.push((code, shared));
            }
            group[code as usize] = Some(at);
            let best = chosen[at].0;
            let rank = |code: u32| n_cells[code as usize];
            let is_better = rank(code) > rank(best)
                || (rank(code) == rank(best) && levels.text(code) < levels.text(best));
            if is_better {
                chosen[at].0 = code;
            }
        }
        Some(Self {
            n_cells,
            group,
            chosen,
        })
    }

    fn spread(&self) -> Spread {
        let n_chosen: u64 = (self.chosen.iter())
            .map(|&(code, _)| self.n_cells[code as usize])
            .sum();
        Spread {
            n_values: self.group.iter().flatten().count() as u64,
            n_categories: self.chosen.len() as u64,
            n_cells: self.n_cells.iter().sum::<u64>() - n_chosen,
        }
    }

    /// Values and cells that look like a missing value.
    fn possibly_missing(&self) -> (u64, u64) {
        let (mut n_values, mut n_cells) = (0, 0);
        for (code, group) in self.group.iter().enumerate() {
            if group.is_some_and(|at| MISSING_WORDS.contains(&self.chosen[at].1.as_str())) {
                n_values += 1;
                n_cells += self.n_cells[code];
            }
        }
        (n_values, n_cells)
    }
}

/// What there is to say of the spellings of a table's categories, for the columns whose positions are
/// chosen; identifiers are not.
pub fn remarks(table: &Table, is_chosen: impl Fn(usize) -> bool + Sync) -> Vec<Remark> {
    let columns = table.look_at_each(|attr_idx, column| {
        let chosen = column.attribute().role != Role::Identifier && is_chosen(attr_idx);
        let groups = chosen.then(|| Groups::of(column)).flatten();
        groups.map_or_else(Vec::new, |groups| remarks_on(column.name(), &groups))
    });
    columns.into_iter().flatten().collect()
}

fn remarks_on(name: &str, groups: &Groups) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let spread = groups.spread();
    if spread.is_spread() {
        let text = format!(
            "has {} values that may be {}: some differ only by case, blanks, Unicode form, invisible characters or the zeros after a decimal point; spellings = \"fold\" in the plan, or --fold-spellings {name}, makes each of them one",
            spread.n_values, spread.n_categories
        );
        remarks.push(
            Remark::of_variable(SPELLINGS, name, text)
                .with("n_values", spread.n_values)
                .with("n_categories", spread.n_categories),
        );
    }
    let (n_values, n_cells) = groups.possibly_missing();
    if n_values > 0 {
        let text = format!(
            "has {n_cells} {} that may mean \"no value\" (words such as n/a and unknown, lone marks, blanks), in {n_values} {}: declare them in `missing` if they do, or they count as answers",
            if n_cells == 1 { "cell" } else { "cells" },
            if n_values == 1 {
                "spelling"
            } else {
                "spellings"
            },
        );
        remarks.push(
            Remark::of_variable(POSSIBLY_MISSING, name, text)
                .with("n_cells", n_cells)
                .with("n_values", n_values),
        );
    }
    remarks
}

/// The table with one spelling per category in the variables whose schema says so, and what was done.
pub(crate) fn fold_declared(
    path: &Path,
    mut table: Table,
    schema: &Schema,
) -> Result<(Table, Vec<Remark>), DataError> {
    let mut problems = ProblemList::default();
    let mut remarks = Vec::new();
    let wanted = schema.attributes.iter();
    for attribute in wanted.filter(|attribute| attribute.spellings == Spellings::Fold) {
        let Some(attr_idx) = table.index_of(&attribute.name) else {
            continue;
        };
        match table.column(attr_idx).looked_at(fold) {
            Some((column, spread)) => {
                remarks.push(folded_remark(&attribute.name, spread));
                if spread.is_spread() {
                    table = table.with_column(attr_idx, column);
                }
            }
            None => problems.push_with(|| {
                DataProblem::file(
                    "is read as numbers, whose spellings mean nothing",
                    "leave it out of those that are folded",
                )
                .of_variable(&attribute.name)
            }),
        }
    }
    problems.into_result(path)?;
    Ok((table, remarks))
}

fn folded_remark(name: &str, spread: Spread) -> Remark {
    let text = format!(
        "had {} values that are {} now: {} cells got the most frequent spelling of their category",
        spread.n_values, spread.n_categories, spread.n_cells
    );
    Remark::of_variable(SPELLINGS_FOLDED, name, text)
        .with("n_values", spread.n_values)
        .with("n_categories", spread.n_categories)
        .with("n_cells", spread.n_cells)
}

/// The column with one spelling per category; nothing for numbers.
fn fold(column: &Column) -> Option<(Column, Spread)> {
    let groups = Groups::of(column)?;
    let categorical = column.as_categorical()?;
    let mut order: Vec<usize> = (0..groups.chosen.len()).collect();
    // Groups are met in the order of their first value, which is where a stated order put them.
    if column.attribute().order.is_none() {
        order.sort_by_key(|&at| groups.chosen[at].0);
    }
    let mut new_code = vec![0; order.len()];
    for (code, &at) in (0..).zip(&order) {
        new_code[at] = code;
    }
    let text = |&at: &usize| categorical.levels.text(groups.chosen[at].0);
    let levels = Levels::from_texts(order.iter().map(text));
    let code = |old: u32| groups.group[old as usize].map_or(0, |at| new_code[at]);
    let codes = if categorical.levels.is_empty() {
        Codes::from_fn(column.len(), 0, |_| 0)
    } else {
        categorical.codes.iter().map(code).collect()
    };
    Some((column.with_codes(codes, Arc::new(levels)), groups.spread()))
}

/// The column with the spellings of another one wherever that has the same category.
pub fn spelled_as(column: &Column, other: &Column) -> Option<Column> {
    let (ours, theirs) = (column.as_categorical()?, other.as_categorical()?);
    let spelled: HashMap<String, &str, FixedState> = (theirs.levels.iter())
        .map(|text| (folded(text), text))
        .collect();
    let texts = ours.levels.iter();
    let texts: Vec<&str> = texts
        .map(|text| spelled.get(&folded(text)).copied().unwrap_or(text))
        .collect();
    let mut levels = Levels::default();
    let new_code: Vec<u32> = texts.iter().map(|text| levels.insert(text)).collect();
    let code = |old: u32| new_code.get(old as usize).copied().unwrap_or(0);
    Some(column.with_codes(
        ours.codes.iter().map(code).collect::<Codes>(),
        Arc::new(levels),
    ))
}

#[cfg(test)]
mod tests;
