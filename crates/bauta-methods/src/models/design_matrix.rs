//! Predictors of two files as the columns of a model: an intercept, a dummy for each category but
//! one, and numbers as they are.
//!
//! Numbers are standardised within, which the estimates undo: systems of equations then do not
//! depend on units. Where all predictors are categories, records with equal ones are one row.

use std::ops::Range;

use rayon::prelude::*;

use crate::error::MethodError;
use crate::figure::Side;
use crate::kernel::matrix::symmetric::Symmetric;
use crate::kernel::numbers::moments::finite_moments;
use crate::kernel::numbers::sums::compensated;
use crate::kernel::parallel::each;
use crate::keys::packing::Packing;
use crate::pair::categories::TwoCategories;

mod model;
mod responses;

use model::n_by_code;
pub(crate) use model::{Model, REFERENCE, Reference};
pub(crate) use responses::Responses;

/// The most columns of a model: its equations are squares of that size.
const MAX_COLUMNS: usize = 1_000;
/// Rows per block, and the most blocks. Part of the result's definition: changing them changes
/// last digits.
const BLOCK: usize = 4096;
const MAX_BLOCKS: usize = 16;
/// The column of a row that has the reference category.
const NONE: u32 = u32::MAX;

/// One column of a model.
pub(crate) struct DesignColumn {
    /// Position of its predictor; none for the intercept.
    pub(crate) predictor: Option<usize>,
    /// The predictor's name.
    pub(crate) variable: String,
    /// Its name among the figures.
    pub(crate) label: String,
    /// What it is in messages, which must not show a category.
    pub(crate) place: String,
    /// How many records its coefficient rests on: those of its category or, if they are fewer, of the
    /// reference that it is compared with. The intercept is the figure of all references.
    pub(crate) n_records: u64,
    /// Whether its coefficients are to be compared: not the intercept, nor those of missing values.
    pub(crate) is_compared: bool,
    /// The column holds (x - centre) / scale.
    pub(crate) centre: f64,
    /// See `centre`.
    pub(crate) scale: f64,
}

impl DesignColumn {
    fn intercept(n_records: u64) -> Self {
        Self {
            predictor: None,
            variable: String::new(),
            label: "intercept".to_owned(),
            place: String::new(),
            n_records,
            is_compared: false,
            centre: 0.0,
            scale: 1.0,
        }
    }

    fn dummy(
        predictor: usize,
        variable: &str,
        (label, place): (String, String),
        n_records: u64,
    ) -> Self {
        Self {
            predictor: Some(predictor),
            variable: variable.to_owned(),
            label,
            place,
            is_compared: true,
            ..Self::intercept(n_records)
        }
    }
}

/// What a predictor puts into the rows.
pub(crate) enum DesignPart {
    /// A 1 in one of several columns, or in none.
    Dummies {
        /// The predictor's name.
        variable: String,
        /// The column of each row; `u32::MAX` for the reference.
        column_of_row: Vec<u32>,
        /// What the reference is in messages.
        reference: String,
    },
    /// A number.
    Numbers {
        /// Its column.
        column: usize,
        /// Its values, standardised.
        values: Vec<f64>,
    },
}

/// A model's columns and rows in one file.
pub(crate) struct Design {
    /// Which file, for messages.
    pub(crate) file: Side,
    /// Its columns, the intercept first.
    pub(crate) columns: Vec<DesignColumn>,
    /// What the predictors put into the rows, in the order of their columns.
    pub(crate) parts: Vec<DesignPart>,
    /// Weights and responses of the rows.
    pub(crate) responses: Responses,
    /// Number of records behind the rows.
    pub(crate) n_records: usize,
}

impl Design {
    fn add_categories(
        &mut self,
        predictor: usize,
        categories: &TwoCategories,
        reference: u32,
        file: Side,
        kept: &[u32],
    ) -> Result<(), MethodError> {
        let n_of_code = n_by_code(categories, file, kept);
        let n_of_reference = n_of_code[reference as usize];
        let intercept = &mut self.columns[0];
        intercept.n_records = intercept.n_records.min(n_of_reference);
        let mut column_of_code = vec![NONE; categories.n_codes()];
        let others = (0..categories.n_codes() as u32)
            .filter(|&code| n_of_code[code as usize] > 0 && code != reference);
        for code in others {
            column_of_code[code as usize] = self.columns.len() as u32;
            let column = DesignColumn::dummy(
                predictor,
                &categories.name,
                (categories.label(code), categories.place(code)),
                n_of_code[code as usize].min(n_of_reference),
            );
            self.columns.push(DesignColumn {
                is_compared: code != categories.missing(),
                ..column
            });
        }
        if column_of_code.iter().all(|&column| column == NONE) {
            return Err(self.constant(&categories.name));
        }
        let codes = &categories.codes[file as usize];
        let column = |&record: &u32| column_of_code[codes[record as usize] as usize];
        self.parts.push(DesignPart::Dummies {
            variable: categories.name.clone(),
            column_of_row: kept.iter().map(column).collect(),
            reference: categories.place(reference),
        });
        Ok(())
    }

    /// A number that is missing enters as the mean of the others, and with a dummy of its own.
    fn add_numbers(
        &mut self,
        predictor: usize,
        name: &str,
        values: &[f64],
        kept: &[u32],
    ) -> Result<(), MethodError> {
        let mut values: Vec<f64> = kept.iter().map(|&record| values[record as usize]).collect();
        let found = finite_moments(name, &values)?;
        if found.sd <= 0.0 || !(1.0 / found.sd).is_finite() {
            return Err(self.constant(name));
        }
        let column = self.columns.len();
        self.columns.push(DesignColumn {
            centre: found.mean,
            scale: found.sd,
            ..DesignColumn::dummy(
                predictor,
                name,
                (name.to_owned(), "its number".to_owned()),
                found.n as u64,
            )
        });
        let n = values.len();
        let mut missing = None;
        if found.n < n {
            missing = Some(values.iter().map(|x| x.is_nan()).collect::<Vec<bool>>());
        }
        for x in &mut values {
            *x = if x.is_nan() {
                0.0
            } else {
                (*x - found.mean) / found.sd
            };
        }
        self.parts.push(DesignPart::Numbers { column, values });
        if let Some(missing) = missing {
            let column = self.columns.len() as u32;
            let words = (format!("{name}=missing"), "its missing values".to_owned());
            let n_missing = (n - found.n).min(found.n) as u64;
            self.columns.push(DesignColumn {
                is_compared: false,
                ..DesignColumn::dummy(predictor, name, words, n_missing)
            });
            let column = |is_missing: bool| if is_missing { column } else { NONE };
            self.parts.push(DesignPart::Dummies {
                variable: name.to_owned(),
                column_of_row: missing.into_iter().map(column).collect(),
                reference: "its present values".to_owned(),
            });
        }
        Ok(())
    }

    fn constant(&self, variable: &str) -> MethodError {
        MethodError::data(
            variable,
            format!(
                "it has no two different values in the records of the {} file that enter the model",
                self.file.name()
            ),
            "leave it out of `on`",
        )
    }

    fn check_size(&self) -> Result<(), MethodError> {
        let n_columns = self.columns.len();
        let hint = "leave out or recode predictors with many categories";
        if n_columns > MAX_COLUMNS {
            let message = format!("the model has more than {MAX_COLUMNS} coefficients");
            return Err(MethodError::request(message, hint));
        }
        if n_columns >= self.n_records {
            let message = format!(
                "the model has {n_columns} coefficients, and the {} file no more records for it",
                self.file.name()
            );
            return Err(MethodError::request(message, hint));
        }
        Ok(())
    }

    /// Makes one row of records with equal predictors, where all of them are categories: the row of
    /// each record, and the number of rows. Exact, since the model tells such records apart by
    /// their response only.
    fn collapse(&mut self, n: usize) -> Option<(Vec<u32>, usize)> {
        let mut packing = Packing::new(n);
        let last = self.columns.len() as u32;
        for part in &self.parts {
            let DesignPart::Dummies { column_of_row, .. } = part else {
                return None;
            };
            packing.add(last, |i| column_of_row[i].min(last));
        }
        let (class_of, representatives) = packing.classes();
        for part in &mut self.parts {
            if let DesignPart::Dummies { column_of_row, .. } = part {
                *column_of_row = representatives
                    .iter()
                    .map(|&record| column_of_row[record as usize])
                    .collect();
            }
        }
        Some((class_of, representatives.len()))
    }

    /// Number of rows.
    pub(crate) fn n_rows(&self) -> usize {
        self.responses.w.len()
    }

    /// Σ a x xᵀ and Σ b x over the rows, with a and b of each row.
    pub(crate) fn normal_equations(
        &self,
        figures: impl Fn(usize) -> (f64, f64) + Sync,
    ) -> (Symmetric, Vec<f64>) {
        let n = self.n_rows();
        let block = BLOCK.max(n.div_ceil(MAX_BLOCKS));
        let blocks = each(n.div_ceil(block), &|at| {
            self.block_equations(at * block..((at + 1) * block).min(n), &figures)
        });
        let left = Symmetric::from_lower(self.columns.len(), |j, k| {
            compensated(blocks.iter().map(|(left, _)| left[j * (j + 1) / 2 + k]))
        });
        let right = (0..self.columns.len())
            .map(|j| compensated(blocks.iter().map(|(_, right)| right[j])))
            .collect();
        (left, right)
    }

    fn block_equations(
        &self,
        rows: Range<usize>,
        figures: &(impl Fn(usize) -> (f64, f64) + Sync),
    ) -> (Vec<f64>, Vec<f64>) {
        let order = self.columns.len();
        let mut left = vec![0.0; order * (order + 1) / 2];
        let mut right = vec![0.0; order];
        let mut entries = Entries::default();
        for row in rows {
            let (a, b) = figures(row);
            entries.read(self, row);
            let is_full = entries.values.len() == order;
            for (position, (&j, &x)) in entries.columns.iter().zip(&entries.values).enumerate() {
                right[j] += b * x;
                let (ax, products) = (a * x, &mut left[j * (j + 1) / 2..][..=j]);
                if is_full {
                    for (product, z) in products.iter_mut().zip(&entries.values) {
                        *product += ax * z;
                    }
                } else {
                    let before = entries.columns[..=position].iter().zip(&entries.values);
                    before.for_each(|(&k, z)| products[k] += ax * z);
                }
            }
        }
        (left, right)
    }

    /// xᵀβ of each row.
    pub(crate) fn predicted(&self, beta: &[f64]) -> Vec<f64> {
        (0..self.n_rows())
            .into_par_iter()
            .with_min_len(BLOCK)
            .map_init(Entries::default, |entries, row| {
                entries.read(self, row);
                let terms = entries.columns.iter().zip(&entries.values);
                terms.map(|(&j, x)| beta[j] * x).sum()
            })
            .collect()
    }
}

/// The entries of a row that are not 0, by column.
#[derive(Default)]
struct Entries {
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl Entries {
    fn read(&mut self, design: &Design, row: usize) {
        self.columns.clear();
        self.values.clear();
        self.columns.push(0);
        self.values.push(1.0);
        for part in &design.parts {
            match part {
                DesignPart::Dummies { column_of_row, .. } => {
                    if column_of_row[row] != NONE {
                        self.columns.push(column_of_row[row] as usize);
                        self.values.push(1.0);
                    }
                }
                DesignPart::Numbers { column, values } => {
                    self.columns.push(*column);
                    self.values.push(values[row]);
                }
            }
        }
    }
}
