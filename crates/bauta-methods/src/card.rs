//! What a method says of itself. Help texts, forms, schemas, pages and checks come from here.

use bauta_data::{Attribute, Kind, Role};

use crate::params::{Choice, ParamProblem, RawValue};

/// Which group of the method table a method belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Family {
    /// Changes the file.
    Mask,
    /// Changes the weights so that the file still represents the population.
    Adjuster,
    /// Says what an intruder could learn; never shown in an external report.
    Risk,
    /// Says what an analyst loses.
    Loss,
    /// Weighs loss against risk; holds risk figures, and so is internal like them.
    Score,
}

impl Family {
    /// The group's name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mask => "mask",
            Self::Adjuster => "adjuster",
            Self::Risk => "risk",
            Self::Loss => "loss",
            Self::Score => "score",
        }
    }
}

/// Whether a method draws random numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Randomness {
    /// The same input gives the same output, whatever the seed.
    None,
    /// The output depends on the seed.
    Seeded,
}

/// How the work on a file larger than memory is divided, and so what of it must be in memory at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scaling {
    /// Statistics of whole columns are found a block of records at a time, and so is what comes of each record.
    Record,
    /// Records with equal keys are counted; what is decided is decided on these classes.
    Class,
    /// One variable is put in order.
    Rank,
    /// One variable is in memory at a time.
    Variable,
    /// All variables that the method looks at are.
    #[default]
    Column,
}

impl Scaling {
    /// The way's name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Record => "by record",
            Self::Class => "by class",
            Self::Rank => "by rank",
            Self::Variable => "by column, one at a time",
            Self::Column => "by column",
        }
    }

    /// What is in memory, for people: by the number of records and of classes.
    pub const fn memory(self) -> &'static str {
        match self {
            Self::Record => "some blocks of records of each variable",
            Self::Class => {
                "the classes, up to 36 bytes a record, and the keys themselves where these fit"
            }
            Self::Rank => {
                "one variable of a file, or of both that are compared, and up to 60 bytes a record to sort it"
            }
            Self::Variable => "one variable, and what becomes of it",
            Self::Column => {
                "all variables of the step, or of both files that are compared, and what becomes of them"
            }
        }
    }
}

/// A value that can stand in a `const` card.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ConstValue {
    /// A number.
    Number(f64),
    /// A whole number.
    Integer(i64),
    /// Yes or no.
    Flag(bool),
    /// A word.
    Text(&'static str),
    /// Whole numbers.
    Integers(&'static [i64]),
}

impl ConstValue {
    /// The same value as a plan would give it.
    pub fn to_raw(self) -> RawValue {
        match self {
            Self::Number(value) => RawValue::Number(value),
            Self::Integer(value) => RawValue::Integer(value),
            Self::Flag(value) => RawValue::Flag(value),
            Self::Text(value) => RawValue::Text(value.to_owned()),
            Self::Integers(values) => RawValue::List(
                values
                    .iter()
                    .map(|&value| RawValue::Integer(value))
                    .collect(),
            ),
        }
    }
}

/// What a parameter may be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ParamType {
    /// A share in [min, max], both within [0, 1].
    Fraction {
        /// Smallest allowed.
        min: f64,
        /// Largest allowed.
        max: f64,
    },
    /// A finite number in [min, max].
    Number {
        /// Smallest allowed.
        min: f64,
        /// Largest allowed.
        max: f64,
    },
    /// A whole number in [min, max].
    Integer {
        /// Smallest allowed.
        min: i64,
        /// Largest allowed.
        max: i64,
    },
    /// Yes or no.
    Flag,
    /// One of several words, each with its meaning.
    Choice(&'static [(&'static str, &'static str)]),
    /// Numbers that rise strictly.
    RisingNumbers,
    /// Finite numbers in [min, max], in any order and as often as they are wanted.
    Numbers {
        /// Smallest allowed.
        min: f64,
        /// Largest allowed.
        max: f64,
    },
    /// Distinct whole numbers in [min, max].
    Integers {
        /// Smallest allowed.
        min: i64,
        /// Largest allowed.
        max: i64,
    },
    /// Whole numbers in [min, max] that may occur more than once: sizes, in an order that matters.
    Counts {
        /// Smallest allowed.
        min: i64,
        /// Largest allowed.
        max: i64,
    },
    /// Any texts.
    Texts,
    /// Texts and what replaces them.
    TextMap,
    /// Names and a number for each, in [min, max]; infinity is a number here.
    NumberMap {
        /// Smallest allowed.
        min: f64,
        /// Largest allowed.
        max: f64,
    },
    /// Rows of finite numbers in [min, max], all of the same length.
    NumberRows {
        /// Smallest allowed.
        min: f64,
        /// Largest allowed.
        max: f64,
    },
    /// Names of variables.
    Variables,
    /// Names of variables and their crosses: `sex`, `sex*age`; `1` counts records.
    Terms,
    /// Sets of keys: a name and names of variables for each. A plan gives the names of its scenarios.
    KeySets,
}

/// What holds when a parameter is not given.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ParamDefault {
    /// It must be given.
    Required,
    /// This value.
    Value(ConstValue),
    /// Nothing; the text says what that means.
    Unset(&'static str),
}

/// One parameter of a method.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ParamSpec {
    /// Its name in plans and, with two hyphens before it, on the command line.
    pub name: &'static str,
    /// What it means, in one sentence.
    pub meaning: &'static str,
    /// What it may be.
    pub ty: ParamType,
    /// What holds when it is not given.
    pub default: ParamDefault,
    /// Whether it may be a date instead of a number, for variables that hold dates.
    pub or_date: bool,
}

impl ParamSpec {
    /// A parameter that must be given, unless one of the functions below says otherwise.
    pub const fn new(name: &'static str, meaning: &'static str, ty: ParamType) -> Self {
        Self {
            name,
            meaning,
            ty,
            default: ParamDefault::Required,
            or_date: false,
        }
    }

    /// The same, as numbers or as dates.
    #[must_use]
    pub const fn or_date(mut self) -> Self {
        self.or_date = true;
        self
    }

    /// A share from 0 to 1.
    pub const fn fraction(name: &'static str, meaning: &'static str) -> Self {
        Self::new(name, meaning, ParamType::Fraction { min: 0.0, max: 1.0 })
    }

    /// A number of at least `min`.
    pub const fn number(name: &'static str, meaning: &'static str, min: f64) -> Self {
        let max = f64::INFINITY;
        Self::new(name, meaning, ParamType::Number { min, max })
    }

    /// A whole number of at least `min`.
    pub const fn integer(name: &'static str, meaning: &'static str, min: i64) -> Self {
        let max = i64::MAX;
        Self::new(name, meaning, ParamType::Integer { min, max })
    }

    /// Yes or no; no unless it is said.
    pub const fn flag(name: &'static str, meaning: &'static str) -> Self {
        Self::new(name, meaning, ParamType::Flag).or(ConstValue::Flag(false))
    }

    /// One of the words of a type.
    pub const fn choice<C: Choice>(name: &'static str, meaning: &'static str) -> Self {
        Self::new(name, meaning, ParamType::Choice(C::CHOICES))
    }

    /// Names of variables; none unless they are given, which the text explains.
    pub const fn variables(name: &'static str, meaning: &'static str, none: &'static str) -> Self {
        Self::new(name, meaning, ParamType::Variables).unset(none)
    }

    /// The same with a value that holds where none is given.
    #[must_use]
    pub const fn or(self, value: ConstValue) -> Self {
        Self {
            default: ParamDefault::Value(value),
            ..self
        }
    }

    /// The same with a number that holds where none is given.
    #[must_use]
    pub const fn or_number(self, value: f64) -> Self {
        self.or(ConstValue::Number(value))
    }

    /// The same with a whole number that holds where none is given.
    #[must_use]
    pub const fn or_integer(self, value: i64) -> Self {
        self.or(ConstValue::Integer(value))
    }

    /// The same with a word that holds where none is given.
    #[must_use]
    pub const fn or_word(self, word: &'static str) -> Self {
        self.or(ConstValue::Text(word))
    }

    /// The same, and nothing holds where none is given; the text says what that means.
    #[must_use]
    pub const fn unset(self, meaning: &'static str) -> Self {
        Self {
            default: ParamDefault::Unset(meaning),
            ..self
        }
    }
}

/// Which variables a method works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Targets {
    /// Kinds that it accepts.
    pub kinds: &'static [Kind],
    /// Variables taken when the plan names none; empty means that they must be named.
    pub default_roles: &'static [Role],
    /// Roles that it refuses.
    pub refused_roles: &'static [Role],
}

impl Targets {
    /// Any kind, named by the plan, but never a weight or a household id.
    pub const NAMED: Self = Self {
        kinds: &Kind::ALL,
        default_roles: &[],
        refused_roles: &[Role::Weight, Role::Household],
    };
    /// Continuous variables named by the plan.
    pub const CONTINUOUS: Self = Self {
        kinds: &[Kind::Continuous],
        ..Self::NAMED
    };
    /// Continuous variables that a mask may change: not those that say who a record is either.
    pub const MASKED_NUMBERS: Self = Self {
        refused_roles: &[Role::Weight, Role::Household, Role::Identifier],
        ..Self::CONTINUOUS
    };

    /// Continuous variables that are content, not design.
    pub const CONTENT: Self = Self {
        kinds: &[Kind::Continuous],
        default_roles: &[Role::Sensitive, Role::Key, Role::Other],
        refused_roles: &[],
    };

    /// Keys of a scenario: any kind; named by the scenario, not by role.
    pub const KEYS: Self = Self {
        kinds: &Kind::ALL,
        default_roles: &[Role::Key],
        refused_roles: &[Role::Weight],
    };

    /// What is wrong with applying a method to a variable.
    pub fn problem(&self, method: &str, attribute: &Attribute) -> Option<ParamProblem> {
        let name = &attribute.name;
        if self.refused_roles.contains(&attribute.role) {
            return Some(ParamProblem::of(
                "on",
                format!(
                    "`{method}` does not work on `{name}`, whose role is {}",
                    attribute.role.name()
                ),
                "take it out of `on`, or correct its role",
            ));
        }
        if self.kinds.contains(&attribute.kind) {
            return None;
        }
        let accepted: Vec<&str> = self.kinds.iter().map(|kind| kind.name()).collect();
        Some(ParamProblem::of(
            "on",
            format!(
                "`{method}` needs {} variables, and `{name}` is {}",
                accepted.join(" or "),
                attribute.kind.name()
            ),
            format!(
                "give `{name}` the kind {} if that is what it is, or take it out of `on`",
                accepted[0]
            ),
        ))
    }
}

/// What a method says of itself.
#[derive(Clone, Copy, Debug)]
pub struct Card {
    /// Its name in plans and on the command line.
    pub id: &'static str,
    /// Its name in headings.
    pub title: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Its group.
    pub family: Family,
    /// Its page.
    pub page: &'static str,
    /// Its parameters, in display order.
    pub params: &'static [ParamSpec],
    /// The variables it works on.
    pub targets: Targets,
    /// Whether it draws random numbers.
    pub randomness: Randomness,
    /// How its work on a file larger than memory is divided.
    pub scaling: Scaling,
    /// Keys of `references.bib`.
    pub references: &'static [&'static str],
}

impl Card {
    /// What holds unless a card says otherwise: no parameters, variables named by the plan, no
    /// random numbers. The names and texts are for each method to give.
    pub const PLAIN: Self = Self {
        id: "",
        title: "",
        summary: "",
        family: Family::Loss,
        page: "",
        params: &[],
        targets: Targets::NAMED,
        randomness: Randomness::None,
        scaling: Scaling::Column,
        references: &[],
    };

    /// The parameter with this name.
    pub fn param(&self, name: &str) -> Option<&'static ParamSpec> {
        self.params.iter().find(|spec| spec.name == name)
    }
}
