//! How a file is read that no plan describes.

use std::path::{Path, PathBuf};

use bauta_data::date::Dates;
use bauta_data::format::{Encoding, ReadOptions};
use bauta_data::number::DecimalMark;
use bauta_data::{Attribute, Kind, MissingRules, Role, Schema, Spellings};

use crate::draft::{DataDraft, VariableDraft};

/// How a file is read; what is not said is found out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reading {
    /// Field separator.
    pub delimiter: Option<u8>,
    /// Decimal mark.
    pub decimal: Option<DecimalMark>,
    /// Character encoding.
    pub encoding: Option<Encoding>,
    /// Texts that mean "no value"; the empty field and NA if not given.
    pub missing_texts: Option<Vec<String>>,
    /// Variables in which several spellings of one category become one.
    pub fold_spellings: Vec<String>,
    /// How the dates of variables are spelled.
    pub dates: Vec<(String, Dates)>,
    /// Bytes of memory that reading may take; what the machine has if not given.
    pub memory: Option<u64>,
    /// Folder for what does not fit, of work that can put it aside.
    pub spill: Option<PathBuf>,
}

impl Reading {
    /// Reading options with this schema's attributes.
    pub fn options(&self, mut schema: Schema) -> ReadOptions {
        if let Some(texts) = &self.missing_texts {
            schema.missing = MissingRules {
                texts: texts.clone(),
                codes: Vec::new(),
            };
        }
        self.fold_in_schema(&mut schema);
        ReadOptions {
            schema,
            delimiter: self.delimiter,
            decimal: self.decimal,
            encoding: self.encoding.unwrap_or_default(),
            memory: self.memory,
        }
    }

    /// A variable that the schema does not describe passes through as before, but for its spellings; dates are
    /// numbers of days.
    fn fold_in_schema(&self, schema: &mut Schema) {
        for name in &self.fold_spellings {
            let mut described = schema.attributes.iter_mut();
            if let Some(attribute) = described.find(|attribute| attribute.name == *name) {
                attribute.spellings = Spellings::Fold;
            } else {
                schema.attributes.push(Attribute {
                    spellings: Spellings::Fold,
                    ..Attribute::undeclared(name)
                });
            }
        }
        for (name, dates) in &self.dates {
            let mut described = schema.attributes.iter_mut();
            if let Some(attribute) = described.find(|attribute| attribute.name == *name) {
                attribute.date = Some(*dates);
            } else {
                schema.attributes.push(Attribute {
                    date: Some(*dates),
                    ..Attribute::new(name, Role::Other, Kind::Continuous)
                });
            }
        }
    }

    /// The variables of a plan with those added or marked whose spellings are folded or whose dates are spelled out.
    pub(crate) fn fold_in(&self, variables: &mut Vec<VariableDraft>) {
        for name in &self.fold_spellings {
            let mut described = variables.iter_mut();
            if let Some(variable) = described.find(|variable| variable.name.value == *name) {
                variable.spellings = Some(Spellings::Fold);
            } else {
                variables.push(VariableDraft {
                    spellings: Some(Spellings::Fold),
                    ..VariableDraft::new(name.clone(), Role::Other)
                });
            }
        }
        for (name, dates) in &self.dates {
            let mut described = variables.iter_mut();
            if let Some(variable) = described.find(|variable| variable.name.value == *name) {
                variable.date = Some(*dates);
            } else {
                variables.push(VariableDraft::new(name.clone(), Role::Other).dates(*dates));
            }
        }
    }

    /// The section of a plan that says the same of a file.
    pub(crate) fn data_draft(&self, file: &Path) -> DataDraft {
        DataDraft {
            file: Some(file.to_string_lossy().into_owned().into()),
            missing: self.missing_texts.clone(),
            delimiter: self.delimiter.map(|byte| char::from(byte).into()),
            decimal: self.decimal,
            encoding: self.encoding.filter(|&encoding| encoding != Encoding::Utf8),
            ..DataDraft::default()
        }
    }
}
