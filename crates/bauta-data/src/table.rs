//! A statistical file in memory.

use std::sync::Arc;

use rayon::prelude::*;

use crate::attribute::Role;
use crate::column::Column;
use crate::store::StoreLost;

/// Columns of equal length, and for each record the row of the source that it came from.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<Arc<Column>>,
    n_records: usize,
    /// Source row of each record; `None` while all rows are there in their order.
    source_rows: Option<Arc<Vec<u32>>>,
}

impl Table {
    /// A table of columns of equal length.
    pub fn new(columns: Vec<Column>, n_records: usize) -> Self {
        assert!(columns.iter().all(|column| column.len() == n_records));
        Self {
            columns: columns.into_iter().map(Arc::new).collect(),
            n_records,
            source_rows: None,
        }
    }

    /// Number of records.
    pub fn n_records(&self) -> usize {
        self.n_records
    }

    /// The columns in file order.
    pub fn columns(&self) -> &[Arc<Column>] {
        &self.columns
    }

    /// The column at a position.
    pub fn column(&self, attr_idx: usize) -> &Column {
        &self.columns[attr_idx]
    }

    /// The position of the column with this name.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name() == name)
    }

    /// The column with this name.
    pub fn column_named(&self, name: &str) -> Option<&Column> {
        self.index_of(name).map(|attr_idx| self.column(attr_idx))
    }

    /// Column names in file order.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.columns.iter().map(|column| column.name())
    }

    /// Positions of the columns with a role, in file order.
    pub fn with_role(&self, role: Role) -> Vec<usize> {
        (0..self.columns.len())
            .filter(|&attr_idx| self.column(attr_idx).attribute().role == role)
            .collect()
    }

    /// The sampling weight, if there is one.
    pub fn weight(&self) -> Option<&Column> {
        self.with_role(Role::Weight)
            .first()
            .map(|&attr_idx| self.column(attr_idx))
    }

    /// Row of the source, from 0, that a record came from.
    pub fn source_row(&self, record: usize) -> usize {
        self.source_rows
            .as_ref()
            .map_or(record, |rows| rows[record] as usize)
    }

    /// Whether every source row is there, in its order.
    pub fn rows_as_in_source(&self) -> bool {
        self.source_rows.is_none()
    }

    /// The table with each record traced to a row of another file, by an id that both have.
    #[must_use]
    pub fn traced_to(mut self, source_rows: Vec<u32>) -> Self {
        assert_eq!(source_rows.len(), self.n_records);
        self.source_rows = Some(Arc::new(source_rows));
        self
    }

    /// The records as a file of its own, whose rows they are.
    #[must_use]
    pub fn as_source(mut self) -> Self {
        self.source_rows = None;
        self
    }

    /// The same table, of whose stored columns nothing was read yet: what is read of a view is given back with it.
    /// Columns in memory are the very same.
    #[must_use]
    pub fn view(&self) -> Self {
        let mut table = self.clone();
        for column in &mut table.columns {
            if let Some(view) = column.view() {
                *column = Arc::new(view);
            }
        }
        table
    }

    /// The view of a table of the same records, some of whose columns are those of another table: of these both views have
    /// one and the same.
    #[must_use]
    pub fn view_beside(&self, other: &Self, view_of_other: &Self) -> Self {
        let mut table = self.view();
        for (column, own) in table.columns.iter_mut().zip(&self.columns) {
            let mut others = other.columns.iter().zip(&view_of_other.columns);
            if let Some((_, view)) = others.find(|(other, _)| Arc::ptr_eq(own, other)) {
                *column = Arc::clone(view);
            }
        }
        table
    }

    /// Some records that follow each other, in memory; an error where a stored column cannot be read.
    pub fn slice(&self, records: std::ops::Range<usize>) -> std::io::Result<Self> {
        let columns = self.columns.par_iter();
        let columns = columns.map(|column| column.slice(records.clone()).map(Arc::new));
        let rows = |rows: &Arc<Vec<u32>>| rows[records.clone()].to_vec();
        let rows = self.source_rows.as_ref().map(rows);
        let n_records = records.len();
        Ok(Self {
            columns: columns.collect::<std::io::Result<_>>()?,
            n_records,
            // A part is traced to the rows of the whole.
            source_rows: Some(Arc::new(
                rows.unwrap_or_else(|| records.map(|record| record as u32).collect()),
            )),
        })
    }

    /// Some records of some columns, in memory. Where these cannot be read the work ends as where a column is looked at.
    #[must_use]
    pub fn block_of(&self, columns: &[usize], records: std::ops::Range<usize>) -> Self {
        let some = Self {
            columns: columns
                .iter()
                .map(|&at| Arc::clone(&self.columns[at]))
                .collect(),
            ..self.clone()
        };
        let lost = |error| std::panic::resume_unwind(Box::new(StoreLost::Disk(error)));
        some.slice(records).unwrap_or_else(lost)
    }

    /// Looks at each column: on all threads where they are in memory, and one at a time where they lie in files, so that no
    /// more than one of these is read at a time.
    pub fn look_at_each<T: Send>(&self, look: impl Fn(usize, &Column) -> T + Sync) -> Vec<T> {
        if self.is_stored() {
            let columns = self.columns.iter().enumerate();
            let looked_at = columns.map(|(at, column)| column.looked_at(|column| look(at, column)));
            return looked_at.collect();
        }
        let columns = self.columns.par_iter().enumerate();
        columns.map(|(at, column)| look(at, column)).collect()
    }

    /// Whether a column lies in a file.
    pub fn is_stored(&self) -> bool {
        self.columns.iter().any(|column| column.is_stored())
    }

    /// The table with one column replaced.
    #[must_use]
    pub fn with_column(&self, attr_idx: usize, column: Column) -> Self {
        assert_eq!(column.len(), self.n_records);
        let mut table = self.clone();
        table.columns[attr_idx] = Arc::new(column);
        table
    }

    /// The table without the columns at these positions.
    #[must_use]
    pub fn without_columns(&self, dropped: &[usize]) -> Self {
        let mut table = self.clone();
        table.columns = self
            .columns
            .iter()
            .enumerate()
            .filter(|(attr_idx, _)| !dropped.contains(attr_idx))
            .map(|(_, column)| Arc::clone(column))
            .collect();
        table
    }

    /// A choice of records, in that order.
    #[must_use]
    pub fn take(&self, records: &[u32]) -> Self {
        let columns = self.columns.iter().map(|column| column.take(records));
        self.with_taken(records, columns.collect())
    }

    /// The same with columns that were made of these records by the caller.
    #[must_use]
    pub fn with_taken(&self, records: &[u32], columns: Vec<Column>) -> Self {
        assert!(columns.iter().all(|column| column.len() == records.len()));
        let rows = records
            .iter()
            .map(|&record| self.source_row(record as usize) as u32)
            .collect();
        Self {
            columns: columns.into_iter().map(Arc::new).collect(),
            n_records: records.len(),
            source_rows: Some(Arc::new(rows)),
        }
    }
}
