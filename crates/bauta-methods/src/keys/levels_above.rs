//! The levels of a variable's hierarchy that lie above its present values.

use std::borrow::Cow;

use bauta_data::hierarchy::Hierarchy;
use bauta_data::{Codes, Column, Levels, Values};

use crate::error::MethodError;

/// The values of a column as categories, and the levels above them.
pub(crate) struct LevelsAbove<'a> {
    codes: Cow<'a, Codes>,
    hierarchy: Hierarchy,
    /// The level that the values are at: 0 if they were never recoded.
    pub(crate) present: usize,
}

impl<'a> LevelsAbove<'a> {
    /// Works the hierarchy of a column out; none if it has none.
    pub(crate) fn of(column: &'a Column) -> Result<Option<Self>, MethodError> {
        if column.attribute().hierarchy.is_none() {
            return Ok(None);
        }
        let (levels, codes) = categories(column);
        let hierarchy = resolved(column, &levels)?;
        let present = hierarchy.present_level(&levels);
        Ok(Some(Self {
            codes,
            hierarchy,
            present,
        }))
    }

    /// The levels above the present one, from the next to that of any value.
    pub(crate) fn above(&self) -> impl Iterator<Item = usize> + use<> {
        self.present + 1..=self.hierarchy.height()
    }

    /// Number of categories at a level.
    pub(crate) fn n_categories(&self, level: usize) -> usize {
        self.hierarchy.at_level(level).0.len()
    }

    /// The category of a record at a level; its value must not be missing.
    pub(crate) fn category(&self, level: usize, record: usize) -> u32 {
        self.hierarchy.at_level(level).1[self.codes.at(record) as usize]
    }
}

/// The hierarchy of a column for its categories, or why there is none. No category is shown.
pub(crate) fn resolved(column: &Column, levels: &Levels) -> Result<Hierarchy, MethodError> {
    let name = column.name();
    let spec = column.attribute().hierarchy.as_ref().ok_or_else(|| {
        MethodError::data(
            name,
            "the variable has no hierarchy",
            "add `hierarchy = …` to the variable",
        )
    })?;
    spec.resolve(name, levels).map_err(|problems| {
        let texts: Vec<&str> = problems
            .iter()
            .map(|problem| problem.message.as_str())
            .collect();
        let hint = problems
            .first()
            .map_or("mend the hierarchy", |problem| &problem.hint);
        MethodError::data(name, texts.join("; "), hint)
    })
}

/// The column's values as categories; numbers by their text, days as dates. Missing cells have any code, suppressed
/// ones that of their value, where it is known.
pub(crate) fn categories(column: &Column) -> (Cow<'_, Levels>, Cow<'_, Codes>) {
    match column.values() {
        Values::Categorical(categories) => (
            Cow::Borrowed(&categories.levels),
            Cow::Borrowed(&categories.codes),
        ),
        Values::Numeric(values) => {
            if let Some(exact) = column.exact() {
                return (Cow::Borrowed(&exact.levels), Cow::Borrowed(&exact.codes));
            }
            let values = column.numbers_before_suppression().unwrap_or(values);
            let mut levels = Levels::default();
            let codes = values
                .iter()
                .map(|&value| {
                    if value.is_nan() {
                        0
                    } else {
                        levels.insert(&column.text_of_number(value))
                    }
                })
                .collect();
            (Cow::Owned(levels), Cow::Owned(codes))
        }
    }
}
