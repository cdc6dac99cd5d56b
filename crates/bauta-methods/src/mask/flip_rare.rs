#![doc = include_str!("flip_rare.md")]

use std::sync::Arc;

use bauta_data::{Column, Role, Table};

use crate::card::{Card, Family, ParamSpec, Randomness, Scaling};
use crate::context::{RunContext, below};
use crate::error::MethodError;
use crate::keys::asked::positions;
use crate::keys::class_numbers;
use crate::mask::categories::{CATEGORIES, categories, occurrences};
use crate::mask::{Change, MaskMethod, MaskTask, StepFacts, constant_variable};
use crate::note::Note;
use crate::params::{ParamProblem, Params, RawValue};

/// Changes a category in the records with the rarest keys. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct FlipRare;

const SHARE: ParamSpec = ParamSpec::fraction(
    "share",
    "share of the records with a value that are changed",
);
const KEYS: ParamSpec = ParamSpec::variables(
    "keys",
    "variables whose values together make the key that is counted",
    "the variables with the role key, and the one that is changed",
);

static CARD: Card = Card {
    id: "flip-rare",
    title: "Changed categories of rare keys",
    summary: "replaces a category by another in the records whose keys occur least often",
    family: Family::Mask,
    page: include_str!("flip_rare.md"),
    params: &[SHARE, KEYS],
    targets: CATEGORIES,
    randomness: Randomness::Seeded,
    scaling: Scaling::Column,
    references: &["truta2004"],
};

/// How many are changed, and what makes the key.
pub struct Settings {
    share: f64,
    /// None: the variables with the role key, and the one that is changed.
    keys: Option<Vec<String>>,
}

impl MaskMethod for FlipRare {
    type Settings = Settings;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        let keys = || params.texts(KEYS.name).to_vec();
        Ok(Settings {
            share: params.number(SHARE.name),
            keys: params.is_set(KEYS.name).then(keys),
        })
    }

    fn facts(&self, settings: &Settings) -> StepFacts {
        StepFacts::default().nothing_if(settings.share == 0.0)
    }

    fn mask(
        &self,
        settings: &Settings,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        let mut columns = Vec::new();
        let mut counted: Option<(Vec<usize>, Vec<u32>)> = None;
        for &attr_idx in task.on {
            context.go_on()?;
            let keys = key_variables(task.table, attr_idx, settings.keys.as_deref())?;
            // Variables with the role key have the same key.
            let (keys, frequencies) = match counted.take() {
                Some((same, frequencies)) if same == keys => (same, frequencies),
                _ => {
                    let frequencies = key_frequencies(task.table, &keys);
                    (keys, frequencies)
                }
            };
            let column = task.table.column(attr_idx);
            let masked = flip(task.table, column, settings.share, &frequencies, context)?;
            columns.push((attr_idx, masked));
            counted = Some((keys, frequencies));
        }
        Ok(Change::of_columns(columns))
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![("share", RawValue::Number(0.1))]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        Some(vec![("share", RawValue::Number(0.0))])
    }
}

/// The variables that make the key.
fn key_variables(
    table: &Table,
    attr_idx: usize,
    named: Option<&[String]>,
) -> Result<Vec<usize>, MethodError> {
    if let Some(named) = named {
        return positions(table, named);
    }
    let mut keys = table.with_role(Role::Key);
    if !keys.contains(&attr_idx) {
        keys.push(attr_idx);
    }
    Ok(keys)
}

/// How many records have the key of each, in the file as it is before the step.
fn key_frequencies(table: &Table, keys: &[usize]) -> Vec<u32> {
    let classes = class_numbers(table, keys);
    let mut sizes = vec![0_u32; classes.iter().max().map_or(0, |&last| last as usize + 1)];
    for &class in &classes {
        sizes[class as usize] += 1;
    }
    let size = |class: &u32| sizes[*class as usize];
    classes.iter().map(size).collect()
}

/// What one record draws: its place among equals, and another category.
#[derive(Clone, Default)]
struct Drawn {
    tie: u64,
    pick: u64,
}

fn flip(
    table: &Table,
    column: &Column,
    share: f64,
    frequencies: &[u32],
    context: &RunContext<'_>,
) -> Result<Column, MethodError> {
    let values = categories(column)?;
    let counts = occurrences(column, values);
    let occurring: Vec<u32> = (0..counts.len() as u32)
        .filter(|&code| counts[code as usize] > 0)
        .collect();
    let n_present: usize = counts.iter().sum();
    let n_flipped = (share * n_present as f64).round() as usize;
    if n_flipped == 0 {
        return Ok(column.clone());
    }
    if occurring.len() < 2 {
        context.note(constant_variable(column.name()));
        return Ok(column.clone());
    }
    let drawn: Vec<Drawn> = context
        .draws(column.name())
        .per_record(table, |_, [tie, pick]| Drawn { tie, pick });
    let mut order: Vec<u32> = (0..table.n_records() as u32)
        .filter(|&record| !column.is_missing(record as usize))
        .collect();
    // The rarest; among equals the draws decide, and rows where even these are equal.
    if n_flipped < order.len() {
        order.select_nth_unstable_by_key(n_flipped, |&record| {
            let at = record as usize;
            (frequencies[at], drawn[at].tie, record)
        });
    }
    let mut codes = values.codes.to_vec();
    for &record in &order[..n_flipped] {
        let (old, pick) = (codes[record as usize], drawn[record as usize].pick);
        // One of the others: what comes after the old one moves down by one place.
        let place = occurring.partition_point(|&code| code < old);
        let other = below(occurring.len() - 1, pick);
        codes[record as usize] = occurring[other + usize::from(other >= place)];
    }
    context.note(rare_flipped(column.name(), n_flipped));
    Ok(column.with_codes(codes, Arc::clone(&values.levels)))
}

/// Values of records with rare keys were replaced by other categories.
fn rare_flipped(variable: &str, n_cells: usize) -> Note {
    let text = format!("{variable}: {n_cells} values of records with rare keys were changed");
    Note::new("rare-flipped", text)
        .with("variable", variable)
        .with("n_cells", n_cells)
}
