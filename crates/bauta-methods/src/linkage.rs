//! Linking the records of two files as an intruder would: how near values are, what agreement weighs, and
//! which one-to-one links weigh most (Yancey 2002, §3.4; Fellegi and Sunter 1969; Winkler 1994).
//!
//! [`link`] is the way in. [`settings`] reads the parameters, [`comparators`] makes coordinates and
//! similarities of two columns, `distinct` looks at equal records once, `estimate` (with `pairs`, `em`
//! and `classes`) finds the weights, `search` the candidates of a record, `choose` the links, and
//! [`linked`] says what they are worth ([`exposed`]: for whom); `error_bounds` finds the weights from which on a pair is
//! called a link.

mod choose;
mod classes;
pub mod comparators;
mod distinct;
mod em;
mod error_bounds;
mod estimate;
pub mod exposed;
pub mod linked;
mod model;
mod odds;
mod pairs;
mod search;
pub mod settings;
mod stated;

use crate::context::RunContext;
use crate::error::MethodError;
use crate::pair::{Pair, Rows};
use choose::{Chosen, choose};
use comparators::ComparedVariable;
use distinct::{Distinct, Salt};
use estimate::{Estimated, by_em, by_levels, equal, given};
use linked::Linked;
use pairs::Collapsed;
use settings::{Dependence, Estimation, Settings};

pub use em::EmCourse;
pub use error_bounds::Thresholds;
pub use estimate::VariableParameters;
pub use pairs::PairsUsed;

/// Links the records of two files by some variables. Where masked records can be traced to original ones,
/// that is the truth that links are held against.
pub fn link(
    pair: Pair<'_>,
    on: &[String],
    settings: &Settings,
    context: &RunContext<'_>,
) -> Result<Linked, MethodError> {
    if on.is_empty() {
        return Err(MethodError::request(
            "without variables no record can be linked",
            "name variables that both files have",
        ));
    }
    let files = collapsed(pair, on, settings)?;
    stated::state_idle(&files.variables, context);
    let truth = Truth::of(pair, &files);
    let (n, n_masked) = (pair.original.n_records(), pair.masked.n_records());
    let overlap = settings
        .overlap
        .unwrap_or_else(|| (n_masked as f64 / n.max(1) as f64).min(1.0));
    // One partner among the masked records of the block.
    let share_of_matches = overlap / files.masked_per_original().max(1.0);
    let estimated = match settings.estimation {
        // Nothing can be learnt from a file without records.
        _ if n == 0 || n_masked == 0 => equal(&files),
        Estimation::Equal => equal(&files),
        Estimation::Given => given(&files, settings)?,
        Estimation::Em => by_em(&files, settings, share_of_matches, context)?,
        Estimation::Refined => refined(&files, settings, context)?,
        Estimation::Truth => supervised(&files, settings, truth.as_ref(), context)?,
    };
    let thresholds = error_bounds::thresholds(settings, estimated.states.as_deref())?;
    let chosen = choose(&files, &estimated.model, settings, context)?;
    let mut linked = Linked::of(&files, estimated, chosen, truth, settings);
    linked.thresholds = thresholds;
    stated::state(&linked, settings, context);
    Ok(linked)
}

/// Which different records the true pairs are.
pub(crate) struct Truth {
    /// For each masked record its different original and its different masked record; none where its
    /// original is not in the file.
    pub(crate) pairs: Vec<Option<(u32, u32)>>,
}

impl Truth {
    fn of(pair: Pair<'_>, files: &Collapsed) -> Option<Self> {
        let true_pair = |record: usize| {
            let original = files.original.of_record.get(pair.original_record(record));
            original.map(|&original| (original, files.masked.of_record[record]))
        };
        (pair.rows == Rows::Correspond).then(|| Self {
            pairs: (0..pair.masked.n_records()).map(true_pair).collect(),
        })
    }
}

/// Both files as their different records, by the variables that are compared and the blocks.
fn collapsed(pair: Pair<'_>, on: &[String], settings: &Settings) -> Result<Collapsed, MethodError> {
    let of = |name: &String| ComparedVariable::of(pair, name, settings);
    let variables: Vec<ComparedVariable> = on.iter().map(of).collect::<Result<_, _>>()?;
    let exactly = Settings {
        compare: settings
            .block
            .iter()
            .map(|name| (name.clone(), comparators::Comparator::Exact))
            .collect(),
        ..settings.clone()
    };
    let blocks = settings
        .block
        .iter()
        .map(|name| ComparedVariable::of(pair, name, &exactly));
    let blocks: Vec<ComparedVariable> = blocks.collect::<Result<_, _>>()?;
    if let Some(block) = blocks.iter().find(|one| one.has_table()) {
        return Err(MethodError::data(
            &block.name,
            "it holds numbers in the original and intervals in the masked file, so that no block has records of both",
            "compare it (`on`) instead, or recode it in both files first",
        ));
    }
    let all = || variables.iter().chain(&blocks);
    let columns = |of: fn(&ComparedVariable) -> &Vec<f64>| {
        all().map(|one| of(one).as_slice()).collect::<Vec<&[f64]>>()
    };
    let original = Distinct::of(
        &columns(|one| &one.original),
        pair.original.n_records(),
        Salt::Original,
    );
    let masked = Distinct::of(
        &columns(|one| &one.masked),
        pair.masked.n_records(),
        Salt::Masked,
    );
    let at = |one: &ComparedVariable| one.at(&original.first, &masked.first);
    let variables = variables.iter().map(at).collect();
    let blocks: Vec<ComparedVariable> = blocks.iter().map(at).collect();
    let (block_of, in_block) = if blocks.is_empty() {
        let all = (0..masked.len() as u32).collect();
        (vec![0; original.len()], vec![all])
    } else {
        in_blocks(&blocks, original.len(), masked.len())
    };
    Ok(Collapsed {
        variables,
        original,
        masked,
        block_of,
        in_block,
    })
}

/// The block of each original record, and the masked records of each block. A missing value is a block of
/// its own.
fn in_blocks(
    blocks: &[ComparedVariable],
    n_original: usize,
    n_masked: usize,
) -> (Vec<u32>, Vec<Vec<u32>>) {
    let mut known = std::collections::BTreeMap::new();
    let mut in_block: Vec<Vec<u32>> = Vec::new();
    let mut block = |key: Vec<u64>, in_block: &mut Vec<Vec<u32>>| -> u32 {
        *known.entry(key).or_insert_with(|| {
            in_block.push(Vec::new());
            in_block.len() as u32 - 1
        })
    };
    let bits = |value: f64| {
        if value.is_nan() {
            u64::MAX
        } else {
            value.to_bits()
        }
    };
    let mut block_of = Vec::with_capacity(n_original);
    for record in 0..n_original {
        let key = blocks
            .iter()
            .map(|one| bits(one.original[record]))
            .collect();
        block_of.push(block(key, &mut in_block));
    }
    for record in 0..n_masked {
        let key = blocks.iter().map(|one| bits(one.masked[record])).collect();
        let block = block(key, &mut in_block);
        in_block[block as usize].push(record as u32);
    }
    (block_of, in_block)
}

/// m from the links of equal weights, then from the links that this gives, and so on.
fn refined(
    files: &Collapsed,
    settings: &Settings,
    context: &RunContext<'_>,
) -> Result<Estimated, MethodError> {
    let two_by_two = settings.dependence == Dependence::Tree;
    let (all, used) = files.level_counts(settings.pairs, two_by_two, &|| context.go_on())?;
    let mut estimated = equal(files);
    for _ in 0..settings.rounds {
        let chosen: Chosen = choose(files, &estimated.model, settings, context)?;
        let links = chosen
            .flows
            .iter()
            .map(|flow| (flow.original, flow.masked, flow.count));
        let matches = files.counts_of(links, two_by_two);
        estimated = by_levels(files, settings, &matches, &all, used);
    }
    Ok(estimated)
}

/// m from the true pairs.
fn supervised(
    files: &Collapsed,
    settings: &Settings,
    truth: Option<&Truth>,
    context: &RunContext<'_>,
) -> Result<Estimated, MethodError> {
    let truth = truth.ok_or_else(|| {
        MethodError::request(
            "parameters = \"truth\" needs to know which masked record came from which",
            "name an id that both files have, or take parameters = \"em\" or \"refined\"",
        )
    })?;
    let two_by_two = settings.dependence == Dependence::Tree;
    let (all, used) = files.level_counts(settings.pairs, two_by_two, &|| context.go_on())?;
    let pairs = truth
        .pairs
        .iter()
        .flatten()
        .map(|&(original, masked)| (original, masked, 1.0));
    let matches = files.counts_of(pairs, two_by_two);
    Ok(by_levels(files, settings, &matches, &all, used))
}
