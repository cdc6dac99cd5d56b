//! The categories of a variable in two files, under one numbering.

use bauta_data::{Codes, Column};

use crate::card::ParamSpec;
use crate::error::MethodError;
use crate::keys::levels_above::categories;
use crate::pair::Pair;
use crate::pair::variables::TwoColumns;
use crate::params::{Params, choices};

choices! {
    /// How a missing category counts.
    pub(crate) enum MissingCategory {
        Category = "category": "missing is one more category",
        Skip = "skip": "records that lack a value are left out",
    }
}

/// How a missing category counts: shared by the measures that fit models to both files.
pub(crate) const MISSING_CATEGORY: ParamSpec =
    ParamSpec::choice::<MissingCategory>("missing", "how missing values count").or_word("category");

impl MissingCategory {
    /// What was asked for by [`MISSING_CATEGORY`].
    pub(crate) fn asked(params: &Params) -> Self {
        params.choice_of(MISSING_CATEGORY.name)
    }
}

/// The categories of a variable in the original and in the masked file.
#[derive(Debug)]
pub(crate) struct TwoCategories {
    /// The variable.
    pub(crate) name: String,
    /// Their texts: those of the original in its order, then those of the masked file alone; behind
    /// them what stands for cells without a value.
    pub(crate) texts: Vec<String>,
    /// How many of them the original lists; the others are of the masked file alone.
    pub(crate) n_of_original: usize,
    /// The category of each record of each file; [`TwoCategories::missing`] where there is none.
    pub(crate) codes: [Vec<u32>; 2],
}

impl TwoCategories {
    /// A variable that both files must have, with categories in both.
    pub(crate) fn of(pair: Pair<'_>, name: &str) -> Result<Self, MethodError> {
        Self::new(&TwoColumns::of(pair, name)?)
    }

    /// The categories of a variable; an error where a file holds numbers.
    pub(crate) fn new(columns: &TwoColumns<'_>) -> Result<Self, MethodError> {
        let holds = |column: &Column| column.as_categorical().is_some();
        if holds(columns.original) && holds(columns.masked) {
            return Ok(Self::of_values(columns));
        }
        Err(MethodError::request(
            format!("`{}` does not hold categories in both files", columns.name),
            "give it the kind unordered or ordered, or leave it out",
        ))
    }

    /// The values of a variable as categories; numbers by their text.
    pub(crate) fn of_values(columns: &TwoColumns<'_>) -> Self {
        let (original, of_original) = categories(columns.original);
        let (masked, of_masked) = categories(columns.masked);
        let mut texts: Vec<String> = original.iter().map(str::to_owned).collect();
        let mut place = |text: &str| {
            original.code(text).unwrap_or_else(|| {
                texts.push(text.to_owned());
                texts.len() as u32 - 1
            })
        };
        let places: Vec<u32> = masked.iter().map(&mut place).collect();
        let missing = texts.len() as u32;
        let is_taken = texts.iter().any(|text| text == "missing");
        texts.push(if is_taken { "(missing)" } else { "missing" }.to_owned());
        let unchanged: Vec<u32> = (0..original.len() as u32).collect();
        Self {
            name: columns.name.to_owned(),
            n_of_original: original.len(),
            codes: [
                numbered(columns.original, &of_original, &unchanged, missing),
                numbered(columns.masked, &of_masked, &places, missing),
            ],
            texts,
        }
    }

    /// The same with other codes in the original: `code[c]` is what became of c.
    pub(crate) fn with_original_as(mut self, code: &[u32]) -> Self {
        for own in &mut self.codes[0] {
            *own = code[*own as usize];
        }
        self
    }

    /// The code of cells without a value: one more than the last category's.
    pub(crate) fn missing(&self) -> u32 {
        self.n_categories() as u32
    }

    /// Number of categories, that of missing values not among them.
    pub(crate) fn n_categories(&self) -> usize {
        self.texts.len() - 1
    }

    /// Number of codes, that of missing values included.
    pub(crate) fn n_codes(&self) -> usize {
        self.texts.len()
    }

    /// The text of a category.
    pub(crate) fn text(&self, code: u32) -> &str {
        &self.texts[code as usize]
    }

    /// A category for names of figures.
    pub(crate) fn label(&self, code: u32) -> String {
        format!("{}={}", self.name, self.text(code))
    }

    /// A category for messages, which must not show its text.
    pub(crate) fn place(&self, code: u32) -> String {
        if code == self.missing() {
            "its missing values".to_owned()
        } else {
            format!("category {}", code + 1)
        }
    }

    /// The code of a text, if a file has it.
    pub(crate) fn code(&self, text: &str) -> Option<u32> {
        let mut known = self.texts[..self.n_categories()].iter();
        let found = known.position(|known| known == text)?;
        Some(found as u32)
    }

    /// Number of records of a file, by category; those without a value are not counted.
    pub(crate) fn n_records_by_code(&self, file: usize) -> Vec<u64> {
        let mut counts = vec![0; self.n_codes()];
        for &code in &self.codes[file] {
            counts[code as usize] += 1;
        }
        counts.pop();
        counts
    }

    /// Number of cells without a value, in both files together.
    pub(crate) fn n_missing(&self) -> usize {
        let missing = self.missing();
        let codes = self.codes.iter().flatten();
        codes.filter(|&&code| code == missing).count()
    }
}

/// The codes of a file's records in the common numbering.
fn numbered(column: &Column, codes: &Codes, places: &[u32], missing: u32) -> Vec<u32> {
    // Under a missing cell there may be any code.
    let place = |code: u32| places.get(code as usize).copied().unwrap_or(missing);
    let mut codes: Vec<u32> = codes.iter().map(place).collect();
    if let Some(cells) = column.missing() {
        for (code, &state) in codes.iter_mut().zip(cells.states()) {
            if state != 0 {
                *code = missing;
            }
        }
    }
    codes
}
