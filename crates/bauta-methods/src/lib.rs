//! The statistics of Bauta: masks, adjusters and measures.
//!
//! A method is one file with its page beside it and one line in [`registry`]; everything that
//! lists, checks, documents or tests methods works from the registry. This crate reads no file,
//! writes none, and does not look at the clock.

pub mod adjust;
pub mod card;
pub mod context;
pub mod error;
pub mod exhibit;
pub mod groups;
pub mod kernel;
pub mod keys;
pub mod loss;
pub mod mask;
pub mod measure;
pub mod models;
pub mod note;
pub mod pair;
pub mod params;
pub mod registry;
pub mod risk;
pub mod schema;
pub mod score;

pub use adjust::Adjuster;
pub use card::{Card, Family, ParamDefault, ParamSpec, ParamType, Randomness, Targets};
pub use context::{Draws, RunContext};
pub use error::MethodError;
pub use exhibit::{Evidence, Exhibit};
pub use groups::{Groups, measure_groups};
pub use mask::{Change, Mask, MaskTask};
pub use measure::{
    Better, Files, Matrix, Measure, MeasureTask, Measurement, Part, Reading, Scope, Series, Subject,
};
pub use note::Note;
pub use pair::Pair;
pub use params::{ParamProblem, ParamValue, Params, RawValue};
