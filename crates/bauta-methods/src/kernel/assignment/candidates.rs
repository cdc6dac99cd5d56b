//! The pairs that may be linked, where most may not.

/// Candidates of each row, with their weights.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidates {
    starts: Vec<usize>,
    columns: Vec<u32>,
    weights: Vec<f64>,
    n_columns: usize,
}

impl Candidates {
    /// The candidates of each row; a column at most once in a row.
    pub fn new(rows: &[Vec<(u32, f64)>], n_columns: usize) -> Self {
        let mut starts = vec![0];
        starts.extend(rows.iter().scan(0, |end, row| {
            *end += row.len();
            Some(*end)
        }));
        let pairs = || rows.iter().flatten();
        let columns = pairs().map(|&(column, _)| column).collect();
        let weights = pairs().map(|&(_, weight)| weight).collect();
        Self::from_parts(starts, columns, weights, n_columns)
    }

    /// Candidates of row r in places `starts[r]..starts[r + 1]`; a column at most once in a row.
    pub fn from_parts(
        starts: Vec<usize>,
        columns: Vec<u32>,
        weights: Vec<f64>,
        n_columns: usize,
    ) -> Self {
        assert!(starts.first() == Some(&0) && starts.last() == Some(&columns.len()));
        assert!(starts.is_sorted(), "rows stand one after the other");
        assert_eq!(columns.len(), weights.len(), "a weight for each candidate");
        assert!(columns.iter().all(|&column| (column as usize) < n_columns));
        debug_assert!(weights.iter().all(|weight| weight.is_finite()));
        Self {
            starts,
            columns,
            weights,
            n_columns,
        }
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// Number of pairs.
    pub fn n_pairs(&self) -> usize {
        self.columns.len()
    }

    /// Columns and weights of a row's candidates.
    pub fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let places = self.starts[row]..self.starts[row + 1];
        (&self.columns[places.clone()], &self.weights[places])
    }

    /// Columns of a row's candidates, each with its weight.
    pub(super) fn pairs(&self, row: usize) -> impl Iterator<Item = (usize, f64)> {
        let (columns, weights) = self.row(row);
        let columns = columns.iter().map(|&column| column as usize);
        columns.zip(weights.iter().copied())
    }

    /// The weight of a candidate, if it is one.
    pub(super) fn weight(&self, row: usize, column: u32) -> Option<f64> {
        let mut pairs = self.pairs(row);
        let found = pairs.find(|&(candidate, _)| candidate == column as usize);
        found.map(|(_, weight)| weight)
    }
}
