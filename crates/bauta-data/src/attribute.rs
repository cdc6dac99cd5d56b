//! What a variable is for ([`Role`]) and what it is ([`Kind`]): two separate questions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::date::{DateFormat, Dates};
use crate::hierarchy::HierarchySpec;
use crate::missing::MissingRules;
use crate::spelling::Spellings;

/// What a variable is *for*. The role decides which methods may touch it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Names a unit directly (name, address, social security number); never released.
    Identifier,
    /// Known to an intruder from elsewhere; drives the risk of re-identification.
    Key,
    /// Confidential content that an intruder wants to learn.
    Sensitive,
    /// Sampling weight; sums to the population.
    Weight,
    /// Groups the records of one household.
    Household,
    /// Sampling stratum or domain of publication.
    Stratum,
    /// Everything else; passes through.
    Other,
}

impl Role {
    /// Every role, in the order of the documentation.
    pub const ALL: [Self; 7] = [
        Self::Identifier,
        Self::Key,
        Self::Sensitive,
        Self::Weight,
        Self::Household,
        Self::Stratum,
        Self::Other,
    ];

    /// The role's name in plans and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Identifier => "identifier",
            Self::Key => "key",
            Self::Sensitive => "sensitive",
            Self::Weight => "weight",
            Self::Household => "household",
            Self::Stratum => "stratum",
            Self::Other => "other",
        }
    }

    /// The role with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    /// The kind that a variable of this role has when the plan gives none.
    pub const fn default_kind(self) -> Kind {
        match self {
            Self::Weight => Kind::Continuous,
            _ => Kind::Unordered,
        }
    }
}

/// What a variable *is*. The kind decides which algorithm applies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A number that can be added and averaged.
    Continuous,
    /// Categories with a total order.
    Ordered,
    /// Categories that are leaves of a tree.
    Hierarchical,
    /// Categories without order.
    Unordered,
}

impl Kind {
    /// Every kind, in the order of the documentation.
    pub const ALL: [Self; 4] = [
        Self::Continuous,
        Self::Ordered,
        Self::Hierarchical,
        Self::Unordered,
    ];

    /// The kind's name in plans and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Continuous => "continuous",
            Self::Ordered => "ordered",
            Self::Hierarchical => "hierarchical",
            Self::Unordered => "unordered",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A variable as its owner describes it.
#[derive(Clone, PartialEq, Debug)]
pub struct Attribute {
    /// The column's name in the file.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// What it is.
    pub kind: Kind,
    /// The categories from lowest to highest, where the natural order is not meant.
    pub order: Option<Vec<String>>,
    /// How its categories generalise.
    pub hierarchy: Option<HierarchySpec>,
    /// Its values are dates. A column that was read knows how they are spelled.
    pub date: Option<Dates>,
    /// Missing rules of this variable; `None` means those of the file.
    pub missing: Option<MissingRules>,
    /// What becomes of several spellings of one category.
    pub spellings: Spellings,
}

impl Attribute {
    /// A variable with the given role and kind and nothing else said.
    pub fn new(name: impl Into<String>, role: Role, kind: Kind) -> Self {
        Self {
            name: name.into(),
            role,
            kind,
            order: None,
            hierarchy: None,
            date: None,
            missing: None,
            spellings: Spellings::default(),
        }
    }

    /// Whether its values are numbers, or days. A weight is one whatever kind was given.
    pub fn is_of_numbers(&self) -> bool {
        self.kind == Kind::Continuous || self.role == Role::Weight
    }

    /// How its dates are spelled, if it has some and that is known.
    pub fn date_format(&self) -> Option<DateFormat> {
        self.date.and_then(Dates::format)
    }

    /// Whether its levels are those of dates: its values are dates, or what dates were recoded to.
    pub fn has_levels_of_dates(&self) -> bool {
        matches!(self.hierarchy, Some(HierarchySpec::Dates(_)))
    }

    /// The same variable with the spelling of its dates.
    #[must_use]
    pub fn with_dates(mut self, format: DateFormat) -> Self {
        self.date = Some(Dates::Spelled(format));
        if let Some(HierarchySpec::Dates(levels)) = &mut self.hierarchy {
            levels.format = Some(format);
        }
        self
    }

    /// A variable about which nothing was said: passes through as text.
    pub fn undeclared(name: impl Into<String>) -> Self {
        Self::new(name, Role::Other, Role::Other.default_kind())
    }
}

/// The variables that the owner described, and the missing rules of the file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Schema {
    /// Described variables; columns that are not listed pass through as [`Role::Other`].
    pub attributes: Vec<Attribute>,
    /// Missing rules for variables without their own.
    pub missing: MissingRules,
}

impl Schema {
    /// The description of the variable with this name, if there is one.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name == name)
    }

    /// The missing rules that hold for a variable.
    pub fn missing_rules(&self, name: &str) -> &MissingRules {
        self.attribute(name)
            .and_then(|attribute| attribute.missing.as_ref())
            .unwrap_or(&self.missing)
    }
}
