//! What a statistical file *is*: a columnar [`Table`] whose columns know their role, kind,
//! missing marks and source text, and the file formats it comes from and goes to.
//!
//! Nothing here computes a statistic and nothing here knows a plan. No error of this crate ever
//! carries a cell value: data are confidential, and messages end up in logs.

pub mod attribute;
pub mod codes;
pub mod column;
pub mod condition;
pub mod date;
pub mod decimal;
pub mod fingerprint;
pub mod format;
pub mod hierarchy;
pub mod inspect;
pub mod levels;
pub mod missing;
pub mod near;
pub mod number;
pub mod problem;
pub mod remark;
mod rows;
pub mod spelling;
pub mod store;
pub mod survey;
pub mod table;
pub mod text;
pub mod totals;
pub mod watch;

pub use attribute::{Attribute, Kind, Role, Schema};
pub use codes::Codes;
pub use column::{Categorical, Column, Values};
pub use condition::Condition;
pub use fingerprint::{Fingerprint, WrittenBytes};
pub use hierarchy::{Hierarchy, HierarchySpec};
pub use levels::Levels;
pub use missing::{MissingCause, MissingMark, MissingRules};
pub use problem::{DataError, DataErrorKind, DataProblem};
pub use remark::Remark;
pub use spelling::Spellings;
pub use table::Table;
pub use watch::{Unwatched, Watch};
