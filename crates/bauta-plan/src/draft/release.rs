//! Why a file is released, to whom, until when, and who answers for it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::problem::Spot;

/// Why a file is released, to whom, until when, and who answers for it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReleaseDraft {
    /// What the file is for; published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<Spot<String>>,
    /// Who gets it; published.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recipients: Vec<Spot<String>>,
    /// Day by which the release is looked at again, as 2028-01-31; published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<Spot<String>>,
    /// Who signs; not published.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signatories: Vec<SignatoryDraft>,
}

/// Somebody who signs.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SignatoryDraft {
    /// Name.
    pub name: Spot<String>,
    /// Function, such as head of the department.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

impl ReleaseDraft {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
