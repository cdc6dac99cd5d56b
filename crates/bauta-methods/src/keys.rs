//! Keys: what an intruder could know of a record, and whom it tells apart.
//!
//! `codes` reads keys as codes, `counts` counts them apart from the records, `classes` knows which
//! record is in which class, and `frequencies` says how often each record's key occurs, under the
//! readings of missing values in `semantics`. On these stand the matching sets and their sensitive
//! answers (`matching`, `sensitive`, `diversity`, `closeness`), the views with a key less (`views`),
//! `suppression` and the completions of its blanks, `unique_sets`, and the rules by which a record is
//! `at_risk`. `stored` counts keys that lie in files, a block at a time. `lattice` searches the levels of hierarchies at which keys are safe and lose least. `asked` has
//! what the methods that count keys ask for and say in the same words.

pub(crate) mod asked;
pub(crate) mod at_risk;
pub mod benedetti_franconi;
pub(crate) mod classes;
pub(crate) mod closeness;
pub mod codes;
pub(crate) mod completions;
pub mod counts;
pub(crate) mod cube;
pub(crate) mod diversity;
pub mod frequencies;
pub(crate) mod households;
pub mod lattice;
pub(crate) mod levels_above;
pub(crate) mod matching;
pub(crate) mod packing;
pub mod semantics;
pub(crate) mod sensitive;
pub(crate) mod stored;
pub(crate) mod suppression;
pub mod unique_sets;
pub(crate) mod views;
pub mod weights;

pub use classes::class_numbers;
pub use codes::{KeyColumns, MAX_KEYS};
pub use counts::{GivenClasses, KeyCounts};
pub use frequencies::{Frequencies, frequencies};
pub use semantics::{Matching, Semantics};
pub use suppression::combinations_of;
pub use weights::{check_weights, population};

pub(crate) use codes::check_number;
