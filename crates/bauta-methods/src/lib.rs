//! The statistics of Bauta: masks, adjusters and measures.
//!
//! A method is one file with its page beside it and one line in [`registry`]; everything that
//! lists, checks, documents or tests methods works from the registry. This crate reads no file,
//! writes none, and does not look at the clock.

pub mod adjust;
pub mod by_record;
pub mod card;
pub mod context;
pub mod error;
pub mod exhibit;
pub mod facts;
pub mod few_records;
pub mod figure;
pub mod groups;
pub mod kernel;
pub mod keys;
pub mod linkage;
pub mod loss;
pub mod mask;
pub mod measure;
pub mod missing;
pub mod models;
pub mod note;
pub mod optimise;
pub mod pair;
pub mod params;
pub mod registry;
pub mod risk;
pub mod schema;
pub mod score;

pub use adjust::{AdjustMethod, Adjuster};
pub use card::{Card, Family, ParamDefault, ParamSpec, ParamType, Randomness, Targets};
pub use context::{Draws, RunContext};
pub use error::MethodError;
pub use exhibit::{Evidence, Exhibit};
pub use facts::SharedFacts;
pub use figure::{Better, Figure, FigureName, FigureSpec, Side, Unit};
pub use groups::{Groups, measure_groups};
pub use mask::{Change, Mask, MaskMethod, MaskTask, StepFacts};
pub use measure::{
    FewOf, Files, Matrix, Measure, MeasureCard, MeasureMethod, MeasureTask, Measurement, Part,
    Scope, Series, Subject,
};
pub use note::{Note, Within};
pub use pair::Pair;
pub use params::{Choice, ParamProblem, ParamValue, Params, RawValue};
