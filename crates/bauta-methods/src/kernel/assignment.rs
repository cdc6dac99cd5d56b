//! One-to-one links of largest total weight, with the duals that prove it.
//!
//! Rows and columns are the records of two files. Duals have this sign: a row's u and a column's v with
//! w <= u + v for every pair, and w = u + v for every link. Then no links weigh more than all u and v together.

mod candidates;
mod certificate;
mod dense;
mod links;
mod paths;
mod sparse;
#[cfg(test)]
mod tests;

pub use candidates::Candidates;
pub use certificate::Certificate;
pub use dense::{WeightMatrix, dense};
pub use sparse::sparse;

/// Records of a row that are linked to records of a column.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Link {
    /// The row.
    pub row: u32,
    /// The column.
    pub column: u32,
    /// How many of their records; 1 where each is one record.
    pub count: u32,
}

/// Links between rows and columns, each at most as often as it counts.
#[derive(Clone, PartialEq, Debug)]
pub struct Assigned {
    /// The links, by row and then by column.
    pub links: Vec<Link>,
    /// What a record of each row is worth.
    pub row_duals: Vec<f64>,
    /// What a record of each column is worth.
    pub column_duals: Vec<f64>,
}
