//! What several measures of one run need of the same columns, found once.
//!
//! A measure asks its [`RunContext`](crate::context::RunContext) for the facts of the run. They are kept by the columns
//! that they were found of: columns are never changed in place, so that the same allocation has the same
//! values, and facts of a file's part are never taken for those of the whole. The columns are not kept alive, and what was
//! found of columns that are gone is forgotten.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use bauta_data::{Column, Table};

use crate::linkage::settings;
use crate::note::Note;
use crate::pair::Pair;

/// What measures of one run have found and others may use.
#[derive(Debug, Default)]
pub struct SharedFacts {
    /// The nearest original of each masked record.
    pub(crate) nearest: Kept<Arc<Vec<u32>>>,
    /// How many originals are as near as the right one to each masked record.
    pub(crate) n_nearest: Kept<RightAndNearest>,
    /// What linkage by probabilities re-identified.
    pub(crate) reidentified: Kept<Reidentified>,
}

/// For each masked record the number of nearest originals, 0 if the right one is not among them.
#[derive(Clone, Debug)]
pub(crate) struct RightAndNearest {
    /// Which original was right; none where it was that of the same row.
    pub(crate) right: Option<Arc<Vec<u32>>>,
    /// The number of nearest ones.
    pub(crate) n_nearest: Arc<Vec<u32>>,
}

/// What linkage by probabilities re-identified.
#[derive(Clone, Debug)]
pub(crate) struct Reidentified {
    /// How records were linked.
    pub(crate) by: settings::Settings,
    /// The originals of the masked records.
    pub(crate) right: Option<Arc<Vec<u32>>>,
    /// The share of all masked records.
    pub(crate) total: Option<f64>,
    /// The share above the cut.
    pub(crate) zone: Option<f64>,
    /// What was stated.
    pub(crate) notes: Vec<Note>,
}

/// Facts of one sort, by the columns that they were found of.
#[derive(Debug)]
pub(crate) struct Kept<T>(Mutex<Vec<(ColumnsOfBoth, T)>>);

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

impl<T: Clone> Kept<T> {
    /// What is known of these columns and fits.
    pub(crate) fn known(&self, of: &ColumnsOfBoth, fits: impl Fn(&T) -> bool) -> Option<T> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = kept.iter();
        let known = known.find(|(columns, fact)| columns.are(of) && fits(fact));
        known.map(|(_, fact)| fact.clone())
    }

    /// What is known of these columns, or what is found of them now and then known.
    pub(crate) fn or_found<E>(
        &self,
        of: ColumnsOfBoth,
        find: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        if let Some(known) = self.known(&of, |_| true) {
            return Ok(known);
        }
        let found = find()?;
        self.keep(of, found.clone());
        Ok(found)
    }

    /// Keeps what was found of these columns.
    pub(crate) fn keep(&self, of: ColumnsOfBoth, fact: T) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(columns, _)| columns.are_there());
        kept.push((of, fact));
    }
}

/// Some variables of two files, as the columns that hold them.
#[derive(Clone, Debug)]
pub(crate) struct ColumnsOfBoth {
    // A weak reference keeps the place in memory, so that no other column can come to stand there.
    original: Vec<Weak<Column>>,
    masked: Vec<Weak<Column>>,
}

impl ColumnsOfBoth {
    /// These variables; none where a file lacks one.
    pub(crate) fn of(pair: &Pair<'_>, on: &[String]) -> Option<Self> {
        let columns = |table: &Table| {
            let places = on.iter().map(|name| table.index_of(name));
            let columns = places.map(|place| place.map(|at| Arc::downgrade(&table.columns()[at])));
            columns.collect::<Option<Vec<Weak<Column>>>>()
        };
        Some(Self {
            original: columns(pair.original)?,
            masked: columns(pair.masked)?,
        })
    }

    /// Whether these are the very same columns in the same order.
    fn are(&self, other: &Self) -> bool {
        let same = |a: &[Weak<Column>], b: &[Weak<Column>]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.ptr_eq(b))
        };
        same(&self.original, &other.original) && same(&self.masked, &other.masked)
    }

    /// Whether somebody still has all of them.
    fn are_there(&self) -> bool {
        let mut columns = self.original.iter().chain(&self.masked);
        columns.all(|column| column.strong_count() > 0)
    }
}

/// The originals of the masked records where they are known; none where they have the same rows.
pub(crate) fn right_of(pair: &Pair<'_>) -> Option<Arc<Vec<u32>>> {
    let masked = pair.masked;
    let row = |record| masked.source_row(record) as u32;
    (!masked.rows_as_in_source()).then(|| Arc::new((0..masked.n_records()).map(row).collect()))
}
