//! One model of two files: its predictors, the records that enter it, and its references.

use crate::card::ParamSpec;
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::Side;
use crate::kernel::numbers::sums::sum_by;
use crate::keys::check_weights;
use crate::models::design_matrix::{Design, DesignColumn, Responses};
use crate::pair::Pair;
use crate::pair::categories::{MissingCategory, TwoCategories};
use crate::pair::variables::{TwoColumns, entering_records};
use crate::params::choices;

choices! {
    /// Which category of a predictor the others are compared with.
    pub(crate) enum Reference {
        Last = "last": "the last one that both files have",
        First = "first": "the first one that both files have",
    }
}

/// Which category of a predictor the others are compared with.
pub(crate) const REFERENCE: ParamSpec = ParamSpec::choice::<Reference>(
    "reference",
    "which category of a predictor the others are compared with",
)
.or_word("last");

/// A predictor in both files.
enum Term<'a> {
    Categories {
        categories: TwoCategories,
        reference: u32,
    },
    Numbers(TwoColumns<'a>, [&'a [f64]; 2]),
}

/// A model of a response by the same predictors in two files.
pub(crate) struct Model<'a> {
    terms: Vec<Term<'a>>,
    /// The response of each record of each file; NaN where there is none.
    responses: [Vec<f64>; 2],
    weights: [Option<&'a [f64]>; 2],
    /// The records of each file that enter it.
    kept: [Vec<u32>; 2],
}

impl<'a> Model<'a> {
    /// Puts a model together, and notes how many records lack a value that it needs.
    pub(crate) fn new(
        pair: &Pair<'a>,
        predictors: &[&'a str],
        responses: [Vec<f64>; 2],
        missing: MissingCategory,
        reference: Reference,
        context: &RunContext<'_>,
    ) -> Result<Self, MethodError> {
        if predictors.is_empty() {
            return Err(MethodError::request(
                "the model has no predictor",
                "name predictors in `on`",
            ));
        }
        let mut weights = [None, None];
        for (weights, table) in weights.iter_mut().zip([pair.original, pair.masked]) {
            check_weights(table)?;
            *weights = table.weight().and_then(|column| column.as_numeric());
        }
        let terms = predictors.iter().map(|&name| {
            let columns = TwoColumns::of(*pair, name)?;
            let numbers = (columns.original.as_numeric()).zip(columns.masked.as_numeric());
            Ok(match numbers {
                Some((original, masked)) => Term::Numbers(columns, [original, masked]),
                None => Term::Categories {
                    categories: TwoCategories::new(&columns)?,
                    reference: 0,
                },
            })
        });
        let terms: Vec<Term<'a>> = terms.collect::<Result<_, MethodError>>()?;
        let lacks = |file: Side, record: usize| {
            let lacks_predictor = || terms.iter().any(|term| term.is_missing(file, record));
            responses[file as usize][record].is_nan()
                || missing == MissingCategory::Skip && lacks_predictor()
        };
        let kept = entering_records(pair, lacks, context);
        let mut model = Self {
            terms,
            responses,
            weights,
            kept,
        };
        model.choose_references(reference)?;
        Ok(model)
    }

    fn choose_references(&mut self, asked: Reference) -> Result<(), MethodError> {
        let kept = &self.kept;
        for term in &mut self.terms {
            let Term::Categories {
                categories,
                reference,
            } = term
            else {
                continue;
            };
            let n = Side::BOTH.map(|file| n_by_code(categories, file, &kept[file as usize]));
            let mut shared =
                (0..categories.missing()).filter(|&code| n.iter().all(|n| n[code as usize] > 0));
            let chosen = match asked {
                Reference::First => shared.next(),
                Reference::Last => shared.next_back(),
            };
            *reference = chosen.ok_or_else(|| {
                MethodError::data(
                    &categories.name,
                    "no category of the records that enter the model is in both files",
                    "leave the variable out of `on`, or give its categories the same names in both",
                )
            })?;
        }
        Ok(())
    }

    /// The model's columns and rows in a file.
    pub(crate) fn design(&self, file: Side) -> Result<Design, MethodError> {
        let (at, kept) = (file as usize, &self.kept[file as usize]);
        let n = kept.len();
        let mut made = Design {
            file,
            columns: vec![DesignColumn::intercept(n as u64)],
            parts: Vec::new(),
            responses: Responses::default(),
            n_records: n,
        };
        for (position, term) in self.terms.iter().enumerate() {
            match term {
                Term::Categories {
                    categories,
                    reference,
                } => made.add_categories(position, categories, *reference, file, kept)?,
                Term::Numbers(columns, values) => {
                    made.add_numbers(position, columns.name, values[at], kept)?;
                }
            }
        }
        made.check_size()?;
        let y: Vec<f64> = kept
            .iter()
            .map(|&record| self.responses[at][record as usize])
            .collect();
        let weight = |i: usize| self.weights[at].map_or(1.0, |weights| weights[kept[i] as usize]);
        // Normalised to the number of records: w n / Σ w.
        let scale = n as f64 / sum_by(n, weight);
        if !(scale.is_finite() && scale > 0.0) {
            return Err(MethodError::request(
                "the weights are too large or too small to be added up",
                "state them in another unit",
            ));
        }
        // A power of two brings the weights near 1 without rounding, so that squares keep in range.
        let unit = libm::exp2(libm::round(libm::log2(scale)));
        let (weight, scale) = (|i: usize| weight(i) * unit, scale / unit);
        made.responses = match made.collapse(n) {
            Some((class_of, n_rows)) => Responses::of_classes(&class_of, n_rows, &y, weight, scale),
            None => Responses::of_records(y, weight, scale),
        };
        Ok(made)
    }
}

impl Model<'_> {
    /// The same for a response of events, 1, and others, 0. A coefficient is then a rate within its category
    /// against that within the reference, and rests on the rarer of both answers in each.
    pub(crate) fn design_of_events(&self, file: Side) -> Result<Design, MethodError> {
        let mut made = self.design(file)?;
        let rarer = self.rarer_answers(file, 1, |_| 0)[0];
        for column in &mut made.columns {
            column.n_records = column.n_records.min(rarer);
        }
        for (position, term) in self.terms.iter().enumerate() {
            let n_rarer = match term {
                Term::Categories {
                    categories,
                    reference,
                } => {
                    let codes = &categories.codes[file as usize];
                    let n_codes = categories.n_codes();
                    let code = |record: usize| codes[record] as usize;
                    let n_of_code = n_by_code(categories, file, &self.kept[file as usize]);
                    let n_rarer = self.rarer_answers(file, n_codes, code);
                    let reference = *reference as usize;
                    // In the order of the columns.
                    let others =
                        (0..n_codes).filter(|&code| n_of_code[code] > 0 && code != reference);
                    let of_reference = n_rarer[reference];
                    made.columns[0].n_records = made.columns[0].n_records.min(of_reference);
                    others.map(|code| n_rarer[code].min(of_reference)).collect()
                }
                Term::Numbers(_, values) => {
                    let values = values[file as usize];
                    let is_missing = |record: usize| usize::from(values[record].is_nan());
                    let n_rarer = self.rarer_answers(file, 2, is_missing);
                    vec![n_rarer[0], n_rarer[0].min(n_rarer[1])]
                }
            };
            let columns = made.columns.iter_mut();
            let of_term = columns.filter(|column| column.predictor == Some(position));
            for (column, n_rarer) in of_term.zip(n_rarer) {
                column.n_records = column.n_records.min(n_rarer);
            }
        }
        Ok(made)
    }

    /// How many records have the rarer of both answers, by cell.
    fn rarer_answers(&self, file: Side, n_cells: usize, cell: impl Fn(usize) -> usize) -> Vec<u64> {
        let mut answers = vec![[0_u64; 2]; n_cells];
        for &record in &self.kept[file as usize] {
            let record = record as usize;
            let is_event = self.responses[file as usize][record] > 0.0;
            answers[cell(record)][usize::from(is_event)] += 1;
        }
        answers.into_iter().map(|[no, yes]| no.min(yes)).collect()
    }
}

impl Term<'_> {
    fn is_missing(&self, file: Side, record: usize) -> bool {
        match self {
            Self::Categories { categories, .. } => {
                categories.codes[file as usize][record] == categories.missing()
            }
            Self::Numbers(_, values) => values[file as usize][record].is_nan(),
        }
    }
}

/// How many records of a file have each code.
pub(super) fn n_by_code(categories: &TwoCategories, file: Side, kept: &[u32]) -> Vec<u64> {
    let mut n_records = vec![0; categories.n_codes()];
    for &record in kept {
        n_records[categories.codes[file as usize][record as usize] as usize] += 1;
    }
    n_records
}
