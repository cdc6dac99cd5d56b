//! Records in another order than that of the file.

use arrow_array::RecordBatch;
use bauta_data::Watch;
use datafusion::prelude::ident;

use crate::error::EngineError;
use crate::parts::{Parts, ROW};
use crate::session::Session;

/// Which end of a column comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// The smallest value.
    Ascending,
    /// The largest value.
    Descending,
}

impl Session {
    /// Sorts records and gives the wanted columns away in batches, in order. Records that tie come in the order of the
    /// file, so that there is one order only; nulls come last. Numbers are ordered by their bits where they are equal: a
    /// negative zero comes before a positive one, and whoever holds them for the same writes one of them.
    pub fn sorted(
        &self,
        parts: &Parts,
        by: &[(&str, Direction)],
        columns: &[&str],
        watch: &dyn Watch,
        mut each_batch: impl FnMut(&RecordBatch) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        parts.complete_column(ROW)?;
        if parts.n_records() == 0 {
            return Ok(());
        }
        let mut order: Vec<_> = by
            .iter()
            .map(|(name, direction)| ident(*name).sort(*direction == Direction::Ascending, false))
            .collect();
        if by.iter().all(|(name, _)| *name != ROW) {
            order.push(ident(ROW).sort(true, false));
        }
        let frame = parts
            .frame(self)?
            .sort(order)
            .and_then(|frame| frame.select(columns.iter().map(|name| ident(*name))))
            .map_err(self.unplanned())?;
        self.run(frame, parts.n_records(), watch, |batch| each_batch(batch))
    }
}
