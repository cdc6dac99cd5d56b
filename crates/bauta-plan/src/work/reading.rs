//! How a file is read that no plan describes.

use std::path::Path;

use bauta_data::format::{Encoding, ReadOptions};
use bauta_data::number::DecimalMark;
use bauta_data::{MissingRules, Schema};

use crate::draft::DataDraft;

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
        ReadOptions {
            schema,
            delimiter: self.delimiter,
            decimal: self.decimal,
            encoding: self.encoding.unwrap_or_default(),
        }
    }

    /// The section of a plan that says the same of a file.
    pub(crate) fn data_draft(&self, file: &Path) -> DataDraft {
        DataDraft {
            file: Some(file.to_string_lossy().into_owned().into()),
            missing: self.missing_texts.clone(),
            delimiter: self.delimiter.map(|byte| char::from(byte).into()),
            decimal: self.decimal,
            encoding: self
                .encoding
                .filter(|&encoding| encoding == Encoding::Latin1),
            ..DataDraft::default()
        }
    }
}
