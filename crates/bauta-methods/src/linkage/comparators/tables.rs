//! Similarities that no distance on a line gives: of names, of numbers and intervals, by hierarchies.

use bauta_data::Levels;
use bauta_data::number::{number_text, parse_label};

use super::{Coordinates, Scale, coded};
use crate::error::MethodError;
use crate::kernel::parallel::each;
use crate::pair::variables::TwoColumns;

/// Similarities by the codes of the original and the masked value.
#[derive(Clone, Debug)]
pub(crate) struct SimilarityTable {
    n_masked: usize,
    similarities: Vec<f32>,
}

/// Cells that a table may have: 200 MB.
const MOST: usize = 50_000_000;

impl SimilarityTable {
    fn new(
        name: &str,
        n_original: usize,
        n_masked: usize,
        similarity: impl Fn(usize, usize) -> f64 + Sync,
    ) -> Result<Self, MethodError> {
        if n_original.saturating_mul(n_masked) > MOST {
            return Err(MethodError::data(
                name,
                format!(
                    "{n_original} and {n_masked} different values are too many to be compared with each other"
                ),
                "compare it exactly, or leave it out",
            ));
        }
        let rows = each(n_original, &|a| -> Vec<f32> {
            (0..n_masked).map(|b| similarity(a, b) as f32).collect()
        });
        Ok(Self {
            n_masked,
            similarities: rows.concat(),
        })
    }

    /// The similarity of two codes.
    pub(crate) fn at(&self, a: f64, b: f64) -> f64 {
        f64::from(self.similarities[a as usize * self.n_masked + b as usize])
    }

    /// Share of records, by the original code, whose masked code agrees with it.
    pub(crate) fn shares(&self, by_masked: &[f64]) -> Vec<f64> {
        let rows = self.similarities.chunks_exact(self.n_masked.max(1));
        let share = |row: &[f32]| {
            let agreeing = row.iter().zip(by_masked).filter(|(near, _)| **near > 0.0);
            agreeing.map(|(_, count)| count).sum()
        };
        rows.map(share).collect()
    }

    /// The similarities of an original code with every masked one.
    pub(crate) fn row(&self, a: f64) -> &[f32] {
        let first = a as usize * self.n_masked;
        &self.similarities[first..first + self.n_masked]
    }
}

/// Names: 1 - (1 - Jaro-Winkler) / tolerance.
pub(super) fn of_names(name: &str, texts: &Levels, tolerance: f64) -> Result<Scale, MethodError> {
    let folded: Vec<String> = texts
        .iter()
        .map(|text| text.trim().to_lowercase())
        .collect();
    let similarity = |a: usize, b: usize| {
        let apart = 1.0 - strsim::jaro_winkler(&folded[a], &folded[b]);
        (1.0 - apart / tolerance).max(0.0)
    };
    SimilarityTable::new(name, folded.len(), folded.len(), similarity).map(Scale::Table)
}

/// Categories of a hierarchy: 1 - (common level - own level) / (height - own level), where the own level
/// is that to which the masked value was recoded. "Any value" says nothing.
pub(super) fn by_levels(
    columns: &TwoColumns<'_>,
    texts: &Levels,
    [original, mut masked]: [Vec<f64>; 2],
) -> Result<Coordinates, MethodError> {
    let name = columns.name;
    let spec = columns
        .original
        .attribute()
        .hierarchy
        .as_ref()
        .ok_or_else(|| {
            MethodError::data(
                name,
                "it has no hierarchy",
                "describe one, or compare it exactly",
            )
        })?;
    let hierarchy = spec.resolve(name, texts).map_err(|problems| {
        let message = problems
            .first()
            .map_or_else(String::new, |first| first.message.clone());
        MethodError::data(
            name,
            message,
            "describe a hierarchy of the values of both files",
        )
    })?;
    let height = hierarchy.height();
    let own = |code: u32| {
        let text = texts.text(code);
        hierarchy
            .label_levels(code)
            .take_while(|label| *label == text)
            .count()
    };
    let own: Vec<usize> = (0..texts.len() as u32).map(own).collect();
    let similarity = |a: usize, b: usize| {
        let common = hierarchy.common_level(a as u32, b as u32).max(own[b]);
        1.0 - (common - own[b]) as f64 / (height - own[b]).max(1) as f64
    };
    let table = SimilarityTable::new(name, texts.len(), texts.len(), similarity)?;
    for code in &mut masked {
        if !code.is_nan() && own[*code as usize] == height {
            *code = f64::NAN;
        }
    }
    Ok((original, masked, Scale::Table(table)))
}

/// Numbers of the original against numbers and intervals (`[18, 25)`, `< 18`, `>= 65`) that they were
/// recoded to.
pub(super) fn in_intervals(
    columns: &TwoColumns<'_>,
    original: &[f64],
) -> Result<Coordinates, MethodError> {
    let levels = columns
        .masked
        .as_categorical()
        .map(|categories| &categories.levels);
    let texts: Vec<&str> = levels.map_or_else(Vec::new, |levels| levels.iter().collect());
    let ranges: Vec<Option<(f64, f64)>> = texts.iter().map(|text| range(text)).collect();
    let mut distinct: Vec<f64> = original
        .iter()
        .filter(|value| !value.is_nan())
        // Adding 0 makes one of the two zeros.
        .map(|value| value + 0.0)
        .collect();
    distinct.sort_unstable_by(f64::total_cmp);
    distinct.dedup();
    let spelled: Vec<String> = distinct.iter().map(|value| number_text(*value)).collect();
    let similarity = |a: usize, b: usize| {
        let value = distinct[a];
        let agrees = match ranges[b] {
            Some((low, high)) => low <= value && (value < high || (low >= high && value <= low)),
            None => spelled[a] == texts[b],
        };
        f64::from(u8::from(agrees))
    };
    let table = SimilarityTable::new(columns.name, distinct.len(), texts.len(), similarity)?;
    let place = |value: &f64| {
        if value.is_nan() {
            return f64::NAN;
        }
        distinct.partition_point(|known| known.total_cmp(&(value + 0.0)).is_lt()) as f64
    };
    let original = original.iter().map(place).collect();
    let masked = coded(columns.masked, f64::from);
    Ok((original, masked, Scale::Table(table)))
}

/// The numbers that a label stands for: from the first up to, without, the second; one number where both
/// are the same.
fn range(text: &str) -> Option<(f64, f64)> {
    let text = text.trim();
    if let Some(number) = parse_label(text) {
        return Some((number, number));
    }
    if let Some(high) = text.strip_prefix('<') {
        return Some((f64::NEG_INFINITY, parse_label(high.trim())?));
    }
    if let Some(low) = text.strip_prefix(">=") {
        return Some((parse_label(low.trim())?, f64::INFINITY));
    }
    let (low, high) = text.strip_prefix('[')?.strip_suffix(')')?.split_once(',')?;
    Some((parse_label(low.trim())?, parse_label(high.trim())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_intervals_are_read() {
        assert_eq!(range("[18, 25)"), Some((18.0, 25.0)));
        assert_eq!(range("< 18"), Some((f64::NEG_INFINITY, 18.0)));
        assert_eq!(range(">= 65"), Some((65.0, f64::INFINITY)));
        assert_eq!(range("7"), Some((7.0, 7.0)));
        assert_eq!(range("old"), None);
    }

    #[test]
    fn names_agree_in_part() {
        // Jaro-Winkler of martha and marhta is 0.9611: 1 - 0.0389 / 0.2 = 0.8056.
        let texts = Levels::from_texts(["MARTHA", "marhta", "zzz"]);
        let Scale::Table(table) = of_names("name", &texts, 0.2).expect("few names") else {
            panic!("names have a table");
        };
        assert!((table.at(0.0, 1.0) - (1.0 - (1.0 - 0.961_111) / 0.2)).abs() < 1e-5);
        assert!((table.at(0.0, 0.0) - 1.0).abs() < 1e-12 && table.at(0.0, 2.0) < 1e-12);
        assert_eq!(table.row(0.0).len(), 3);
    }
}
