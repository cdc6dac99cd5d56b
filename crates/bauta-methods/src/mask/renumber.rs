#![doc = include_str!("renumber.md")]

use std::collections::HashMap;
use std::sync::Arc;

use bauta_data::{Attribute, Column, Kind, Levels, MissingCause, Role};

use crate::card::{Card, Family, ParamSpec, ParamType, Randomness, Scaling, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::mask::categories::{categories, occurrences};
use crate::mask::{Change, MaskMethod, MaskTask, StepFacts};
use crate::note::{Note, NoteRank};
use crate::params::{ParamProblem, Params, RawValue};

/// Gives units new numbers that tell nothing of the old. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Renumber;

const DOMAIN: ParamSpec = ParamSpec::new(
    "domain",
    "what is numbered, in one word; files that are to agree say the same",
    ParamType::Texts,
)
.unset("the name of the variable");

static CARD: Card = Card {
    id: "renumber",
    title: "Renumbering",
    summary: "replaces the numbers of units, such as households, by codes that only the seed can trace back",
    family: Family::Mask,
    page: include_str!("renumber.md"),
    params: &[DOMAIN],
    targets: Targets {
        kinds: &[Kind::Unordered],
        default_roles: &[Role::Household],
        refused_roles: &[Role::Weight, Role::Identifier],
    },
    randomness: Randomness::Seeded,
    scaling: Scaling::Column,
    references: &["hundepool2012", "fips2015"],
};

/// Letters of a code: digits and lower case without i, l, o and u, which are taken for others.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Letters in a code: 65 bits, so that among 10⁸ units two are alike with probability 1.4 · 10⁻⁴.
const LENGTH: usize = 13;

/// What is numbered.
pub struct Settings {
    /// None is the name of the variable.
    domain: Option<String>,
}

impl MaskMethod for Renumber {
    type Settings = Settings;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        if !params.is_set(DOMAIN.name) {
            return Ok(Settings { domain: None });
        }
        match params.texts(DOMAIN.name) {
            [domain] if !domain.is_empty() => Ok(Settings {
                domain: Some(domain.clone()),
            }),
            _ => Err(vec![ParamProblem::of(
                DOMAIN.name,
                "`domain` must be one word",
                "write domain = \"household\"",
            )]),
        }
    }

    fn check(&self, settings: &Settings, on: &[&Attribute]) -> Vec<ParamProblem> {
        if settings.domain.is_none() || on.len() < 2 {
            return Vec::new();
        }
        vec![ParamProblem::of(
            DOMAIN.name,
            "one `domain` for several variables would give equal numbers of different units the same code",
            "renumber each variable in a step of its own",
        )]
    }

    fn facts(&self, _: &Settings) -> StepFacts {
        // Units that were told apart still are, and no others: counts of them stay.
        StepFacts::default().truthful()
    }

    fn mask(
        &self,
        settings: &Settings,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        task.column_by_column(context, |column| {
            let domain = settings.domain.as_deref().unwrap_or(column.name());
            renumbered(column, domain, context)
        })
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        Vec::new()
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        None
    }
}

fn renumbered(
    column: &Column,
    domain: &str,
    context: &RunContext<'_>,
) -> Result<Column, MethodError> {
    let old = categories(column)?;
    let occurs = occurrences(column, old);
    let mut codes: HashMap<String, usize> = HashMap::with_capacity(occurs.len());
    let mut new_texts: Vec<Option<String>> = vec![None; occurs.len()];
    for (unit, text) in old.levels.iter().enumerate() {
        if occurs[unit] == 0 {
            continue;
        }
        let code = code_of(&context.keyed_digest(domain, text));
        if codes.insert(code.clone(), unit).is_some() {
            return Err(two_alike(column.name()));
        }
        new_texts[unit] = Some(code);
    }
    // By their codes, so that the order of the levels tells nothing of the old numbers either.
    let mut sorted: Vec<&str> = new_texts.iter().flatten().map(String::as_str).collect();
    sorted.sort_unstable();
    let levels = Levels::from_texts(sorted);
    let new_code = |unit: u32| {
        let text = new_texts.get(unit as usize)?.as_deref()?;
        levels.code(text)
    };
    // Cells without a value keep any code.
    let codes = old.codes.iter().map(|unit| new_code(unit).unwrap_or(0));
    let codes: Vec<u32> = codes.collect();
    context.note(numbered(column.name(), levels.len()));
    let is_code = |record: &usize| {
        let mark = column.missing_mark(*record);
        mark.is_some_and(|mark| matches!(mark.cause, MissingCause::User(_)))
    };
    let n_codes = (0..column.len()).filter(is_code).count();
    if n_codes > 0 {
        context.note(codes_kept(column.name(), n_codes));
    }
    let attribute = Attribute {
        order: None,
        hierarchy: None,
        date: None,
        ..column.attribute().clone()
    };
    Ok(column
        .with_codes(codes, Arc::new(levels))
        .with_attribute(Arc::new(attribute)))
}

/// The first bits of a digest as letters, five bits each.
fn code_of(digest: &[u8; 32]) -> String {
    let mut first = [0; 16];
    first.copy_from_slice(&digest[..16]);
    let bits = u128::from_be_bytes(first);
    (0..LENGTH)
        .map(|at| {
            let letter = (bits >> (123 - 5 * at)) as usize & 31;
            char::from(LETTERS[letter])
        })
        .collect()
}

/// Cells whose number means that there is none keep it, which may not be what was meant.
fn codes_kept(variable: &str, n_records: usize) -> Note {
    let text = format!(
        "{variable}: {n_records} records have a number that was declared to mean \"no value\", and keep it; if it is the \
         number of a unit, give {variable} missing_codes of its own"
    );
    Note::new("codes-kept", text)
        .with("variable", variable)
        .with("n_records", n_records)
        .ranked(NoteRank::Warning)
}

fn numbered(variable: &str, n_units: usize) -> Note {
    let text = format!("{variable}: {n_units} units have new numbers");
    Note::new("renumbered", text)
        .with("variable", variable)
        .with("n_units", n_units)
}

/// Two units would become one.
fn two_alike(variable: &str) -> MethodError {
    MethodError::data(
        variable,
        "two units would get the same code",
        "choose another seed; among 100 million units that happens once in 7,000 times",
    )
}
