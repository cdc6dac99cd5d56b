//! How much memory a run may take, and where goes what does not fit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::problem::Spot;

/// How much memory a run may take, and where goes what does not fit.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EngineDraft {
    /// Memory, such as 2GB or 500MB; what the machine has if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Spot<String>>,
    /// Folder for what does not fit; that of the released file if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spill: Option<Spot<String>>,
}

impl EngineDraft {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
