//! A released file beside the file that it came from and the record that speaks of it, all read plainly.

use std::collections::BTreeMap;
use std::path::Path;

use bauta_data::format::{Encoding, FileFormat, Loaded};
use bauta_data::number::DecimalMark;
use bauta_data::{Fingerprint, Kind, Role};
use bauta_plan::Plan;
use bauta_plan::record::{ClaimRecord, Counted, Fate, FileRecord, RunRecord};

use super::plain_text;
use super::slow_count::{Reading, class_sizes, exact_number};
use crate::fuzz::finding::{Finding, Oracle};

/// A table as plain texts.
struct Texts {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Texts {
    fn of(mut rows: Vec<Vec<String>>) -> Self {
        let names = if rows.is_empty() {
            Vec::new()
        } else {
            rows.remove(0)
        };
        Self { names, rows }
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// These columns of each row.
    fn columns<'a>(&'a self, positions: &'a [usize]) -> impl Iterator<Item = Vec<&'a str>> {
        let row = |row: &'a Vec<String>| positions.iter().map(|&at| row[at].as_str()).collect();
        self.rows.iter().map(row)
    }
}

/// What a run was about.
pub(crate) struct Released<'a> {
    /// The plan.
    pub(crate) plan: &'a Plan,
    /// What it says of itself.
    pub(crate) record: &'a RunRecord,
    /// The bytes of the input, and how they were read.
    pub(crate) input: (&'a [u8], &'a Loaded),
}

impl Released<'_> {
    /// Looks at a released file.
    pub(crate) fn look_at(&self, path: &Path, bytes: &[u8]) -> Result<(), Finding> {
        let facts = self.record.released.as_ref();
        let facts = facts.ok_or_else(|| {
            Finding::new(
                Oracle::Record,
                "a file is there that the record does not know",
            )
        })?;
        let print = Fingerprint::of_bytes(bytes);
        if print.sha256 != facts.sha256 || print.n_bytes != facts.n_bytes {
            return Err(Finding::new(
                Oracle::Record,
                "the released file has another hash than the record says",
            ));
        }
        if FileFormat::of_path(path).is_ok_and(|format| format == FileFormat::Parquet) {
            return Ok(());
        }
        let after = self.texts(bytes)?;
        self.sizes(facts, &after)?;
        for claim in &self.record.claims {
            self.recount(claim, &after)?;
        }
        let (input, loaded) = self.input;
        let style = loaded.style;
        if loaded.format == FileFormat::Parquet {
            return Ok(());
        }
        let before = Texts::of(plain_text::rows(input, style.delimiter, style.encoding));
        self.untouched(&before, &after)
    }

    /// The text of the released file: with the one delimiter that gives the columns that it must have.
    fn texts(&self, bytes: &[u8]) -> Result<Texts, Finding> {
        let variables = self.record.variables.iter();
        let kept = variables.filter(|variable| variable.fate != Fate::Dropped);
        let expected: Vec<&str> = kept.map(|variable| variable.name.as_str()).collect();
        let encoding = self.encoding();
        for delimiter in [self.input.1.style.delimiter, b',', b'\t', b';', b'|'] {
            let texts = Texts::of(plain_text::rows(bytes, delimiter, encoding));
            if texts.names == expected {
                return Ok(texts);
            }
        }
        let message = "the released file has other columns than the record says";
        Err(Finding::new(Oracle::Record, message))
    }

    fn encoding(&self) -> Encoding {
        self.input.1.style.encoding
    }

    fn decimal(&self) -> DecimalMark {
        self.input.1.style.decimal
    }

    fn sizes(&self, facts: &FileRecord, after: &Texts) -> Result<(), Finding> {
        let (n_records, n_variables) = (after.rows.len() as u64, after.names.len() as u64);
        if (facts.n_records, facts.n_variables) != (n_records, n_variables) {
            let message = format!(
                "the record says {} records, the file has {n_records}",
                facts.n_records
            );
            return Err(Finding::new(Oracle::Record, message));
        }
        let mut variables = self.record.variables.iter();
        match variables
            .find(|variable| variable.role == Role::Identifier && variable.fate != Fate::Dropped)
        {
            Some(variable) => {
                let message = format!("the identifier `{}` was released", variable.name);
                Err(Finding::new(Oracle::Record, message))
            }
            None => Ok(()),
        }
    }

    /// Counts the keys of a claim in the released text.
    fn recount(&self, claim: &ClaimRecord, after: &Texts) -> Result<(), Finding> {
        let positions: Option<Vec<usize>> =
            claim.keys.iter().map(|key| after.position(key)).collect();
        let m = claim.subsets.map_or(usize::MAX, |m| m as usize);
        let Some(positions) = positions else {
            return Err(Finding::new(
                Oracle::Recount,
                "a claim names a key that was not released",
            ));
        };
        if claim.counted == Counted::BeforeSuppression {
            // What is claimed cannot be seen in the file; what is told of the file can.
            let Some(shown) = &claim.shown else {
                return Err(Finding::new(
                    Oracle::Recount,
                    "a claim does not say what the file shows",
                ));
            };
            let sizes = self.smallest_sizes(&positions, m, after, Reading::Visible);
            let n_below = sizes.iter().filter(|&&size| size < claim.k).count() as u64;
            let n_alone = sizes.iter().filter(|&&size| size < 2).count() as u64;
            return same(&(shown.n_below, shown.n_alone), &(n_below, n_alone), claim);
        }
        let Some(reading) = Reading::named(&claim.semantics) else {
            return Err(Finding::new(
                Oracle::Recount,
                "a claim of the file that the file does not show",
            ));
        };
        let sizes = self.smallest_sizes(&positions, m, after, reading);
        let n_below = sizes.iter().filter(|&&size| size < claim.k).count() as u64;
        let smallest = sizes.iter().min().copied();
        same(
            &(claim.smallest_class, claim.n_below),
            &(smallest, n_below),
            claim,
        )
    }

    /// Of each record the smallest class on any `m` of the keys; on all where there are no more.
    fn smallest_sizes(
        &self,
        positions: &[usize],
        m: usize,
        after: &Texts,
        reading: Reading,
    ) -> Vec<u64> {
        if positions.len() <= m {
            return self.class_sizes(positions, after, reading);
        }
        // Without one of the keys at a time, until m are left.
        let mut smallest = vec![u64::MAX; after.rows.len()];
        for left_out in 0..positions.len() {
            let mut fewer = positions.to_vec();
            fewer.remove(left_out);
            let sizes = self.smallest_sizes(&fewer, m, after, reading);
            for (smallest, size) in smallest.iter_mut().zip(sizes) {
                *smallest = size.min(*smallest);
            }
        }
        smallest
    }

    fn class_sizes(&self, positions: &[usize], after: &Texts, reading: Reading) -> Vec<u64> {
        let cells = positions.iter().map(|&at| {
            let name = &after.names[at];
            let rules = self.plan.read.schema.missing_rules(name);
            let is_missing = |text: &str| {
                let marks = rules
                    .texts
                    .iter()
                    .chain(rules.codes.iter().map(|(text, _)| text));
                reading != Reading::Own
                    && marks
                        .chain([&self.plan.output.suppressed])
                        .any(|mark| mark == text)
            };
            let texts = || after.rows.iter().map(|row| &row[at]);
            let exact = |text: &str| exact_number(text, self.decimal());
            // A number that became a category is compared by its text.
            let attribute = self.plan.read.schema.attribute(name);
            let is_number = attribute
                .is_some_and(|known| known.kind == Kind::Continuous || known.role == Role::Weight)
                && reading != Reading::Own
                && texts().all(|text| is_missing(text) || exact(text).is_some());
            let cell = |text: &String| match (is_missing(text), is_number) {
                (true, _) => None,
                (false, true) => exact(text),
                (false, false) => Some(text.clone()),
            };
            texts().map(cell).collect::<Vec<_>>()
        });
        let columns: Vec<Vec<Option<String>>> = cells.collect();
        let keys = (0..after.rows.len())
            .map(|row| columns.iter().map(|column| column[row].clone()).collect());
        class_sizes(&keys.collect::<Vec<_>>(), reading)
    }

    /// Cells of untouched variables come out as they came in, records in their order unless it was changed.
    fn untouched(&self, before: &Texts, after: &Texts) -> Result<(), Finding> {
        let variables = self.record.variables.iter();
        let names = variables.filter(|variable| variable.fate == Fate::Untouched);
        let positions = |texts: &Texts| -> Option<Vec<usize>> {
            names
                .clone()
                .map(|variable| texts.position(&variable.name))
                .collect()
        };
        let (Some(from), Some(to)) = (positions(before), positions(after)) else {
            return Err(Finding::new(
                Oracle::RoundTrip,
                "an untouched variable is gone",
            ));
        };
        let before: Vec<Vec<&str>> = before.columns(&from).collect();
        let after: Vec<Vec<&str>> = after.columns(&to).collect();
        let whole = before.len() == after.len();
        let kept = if self.record.shuffled {
            is_choice(&before, &after)
        } else if whole {
            before == after
        } else {
            is_subsequence(&before, &after)
        };
        if kept {
            return Ok(());
        }
        let place = before
            .iter()
            .zip(&after)
            .position(|(before, after)| before != after);
        let place = place.unwrap_or_default();
        let message = format!(
            "untouched cells changed; the first rows that differ are {:?} and {:?}",
            before.get(place),
            after.get(place)
        );
        Err(Finding::new(Oracle::RoundTrip, message))
    }
}

fn same<T: PartialEq + std::fmt::Debug>(
    claimed: &T,
    counted: &T,
    claim: &ClaimRecord,
) -> Result<(), Finding> {
    if claimed == counted {
        return Ok(());
    }
    let message = format!(
        "{} claims k = {} under {}: the record says {claimed:?}, the file has {counted:?}",
        claim.by, claim.k, claim.semantics
    );
    Err(Finding::new(Oracle::Recount, message))
}

/// Whether the rows of one are among those of the other, in the same order.
fn is_subsequence(all: &[Vec<&str>], some: &[Vec<&str>]) -> bool {
    let mut rest = all.iter();
    some.iter().all(|row| rest.any(|other| other == row))
}

/// Whether the rows of one are among those of the other, each as often at most.
fn is_choice(all: &[Vec<&str>], some: &[Vec<&str>]) -> bool {
    let mut left: BTreeMap<&Vec<&str>, usize> = BTreeMap::new();
    for row in all {
        *left.entry(row).or_default() += 1;
    }
    some.iter().all(|row| match left.get_mut(row) {
        Some(n) if *n > 0 => {
            *n -= 1;
            true
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_in_order_or_in_any() {
        let rows = |text: &'static str| text.split(' ').map(|cell| vec![cell]).collect::<Vec<_>>();
        assert!(is_subsequence(&rows("a b c b"), &rows("a c b")));
        assert!(!is_subsequence(&rows("a b c"), &rows("c b")));
        assert!(is_choice(&rows("a b c"), &rows("c b")));
        assert!(!is_choice(&rows("a b c"), &rows("b b")));
    }
}
