//! A statistical file in memory.

use std::sync::Arc;

use crate::attribute::Role;
use crate::column::Column;

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
        let rows = records
            .iter()
            .map(|&record| self.source_row(record as usize) as u32)
            .collect();
        Self {
            columns: self
                .columns
                .iter()
                .map(|column| Arc::new(column.take(records)))
                .collect(),
            n_records: records.len(),
            source_rows: Some(Arc::new(rows)),
        }
    }
}
