//! Two releases of one file: what the second adds to the first.

use std::path::Path;
use std::sync::Arc;

use bauta_data::{Attribute, Column, Table, Watch};
use bauta_methods::linkage::linked::Linked;
use bauta_methods::linkage::settings::Settings;
use bauta_methods::pair::Rows;
use bauta_methods::{Note, Pair};

use super::{LinkRequest, card, linked};
use crate::work::compare::{load_beside, paired};
use crate::work::{Reading, WorkError};

/// What an intruder who has two releases can do.
#[derive(Clone, Debug)]
pub struct TwoReleases {
    /// The releases linked with each other.
    pub between: Linked,
    /// Variables that both releases have, by which they are linked.
    pub shared: Vec<String>,
    /// Variables that only the second release has: what a link adds to a record of the first.
    pub added: Vec<String>,
    /// The original linked with the first release alone.
    pub first: Linked,
    /// With the second alone.
    pub second: Linked,
    /// With both, their records put together by the links between them.
    pub together: Linked,
    /// What was stated.
    pub notes: Vec<Note>,
}

/// Links two releases with each other, and the original with each and with both.
pub fn link_releases(
    releases: [&Path; 2],
    original: &Path,
    reading: &Reading,
    request: &LinkRequest,
    watch: &dyn Watch,
) -> Result<TwoReleases, WorkError> {
    let settings = request.settings()?;
    let as_compared = request.as_compared();
    let [original, first, second] = load_beside(
        [original, releases[0], releases[1]],
        reading,
        &as_compared,
        watch,
    )?;
    let (first, pairing) = paired(&original, first, &as_compared)?;
    let (second, other) = paired(&original, second, &as_compared)?;
    if pairing.rows() == Rows::Unrelated || other.rows() == Rows::Unrelated {
        return Err(WorkError::mistake(
            "it is not known which records of the releases came from which of the original",
            "name a variable that all three files have (--id)",
        ));
    }
    releases_of(&original, &first, &second, request, &settings, watch)
}

fn releases_of(
    original: &Table,
    first: &Table,
    second: &Table,
    request: &LinkRequest,
    settings: &Settings,
    watch: &dyn Watch,
) -> Result<TwoReleases, WorkError> {
    let card = card();
    let shared = request.variables(first, second)?;
    let [of_first, of_second] = [
        request.variables(original, first)?,
        request.variables(original, second)?,
    ];
    let added = of_second
        .iter()
        .filter(|name| first.index_of(name).is_none());
    let added: Vec<String> = added.cloned().collect();
    // The second release as records of the first: both are traced to the original.
    let mut place = vec![u32::MAX; original.n_records()];
    for record in 0..first.n_records() {
        place[first.source_row(record)] = record as u32;
    }
    let rows = (0..second.n_records()).map(|record| place[second.source_row(record)]);
    let traced = second.clone().traced_to(rows.collect());
    let plain = first.clone().as_source();
    let pair = Pair {
        original: &plain,
        masked: &traced,
        rows: Rows::Correspond,
    };
    let of_shared = told_of_both(settings, &shared);
    let (between, notes) = linked(pair, &shared, &of_shared, card, watch)?;
    let with = |masked: &Table, on: &[String], original: &Table| {
        let pair = Pair {
            original,
            masked,
            rows: Rows::Correspond,
        };
        let settings = told_of_both(settings, on);
        linked(pair, on, &settings, card, watch).map(|(linked, _)| linked)
    };
    let alone = [
        with(first, &of_first, original)?,
        with(second, &of_second, original)?,
    ];
    let (twice, joined, on) = joined(original, first, second, &between, [&of_first, &of_second]);
    let together = with(&joined, &on, &twice)?;
    let [first, second] = alone;
    Ok(TwoReleases {
        between,
        shared,
        added,
        first,
        second,
        together,
        notes,
    })
}

/// The original with the variables of both releases, and the records of the first release with what the
/// records of the second show that they were linked with.
fn joined(
    original: &Table,
    first: &Table,
    second: &Table,
    between: &Linked,
    [of_first, of_second]: [&[String]; 2],
) -> (Table, Table, Vec<String>) {
    let mut partner: Vec<Option<u32>> = vec![None; first.n_records()];
    for link in between.records() {
        partner[link.original as usize] = Some(link.masked);
    }
    // A record without a link shows nothing of the second release.
    let unlinked: Vec<u32> = (0..first.n_records() as u32)
        .filter(|record| partner[*record as usize].is_none())
        .collect();
    let taken: Vec<u32> = partner.iter().map(|partner| partner.unwrap_or(0)).collect();
    let mut on = of_first.to_vec();
    let (mut twice, mut both) = (Vec::new(), Vec::new());
    for name in of_first {
        twice.extend(original.column_named(name).cloned());
        both.extend(first.column_named(name).cloned());
    }
    for name in of_second {
        let columns = original.column_named(name).zip(second.column_named(name));
        let Some((of_original, of_second)) = columns else {
            continue;
        };
        if of_second.is_empty() {
            continue;
        }
        let name = in_second(name);
        twice.push(renamed(of_original.clone(), &name));
        both.push(renamed(of_second.take(&taken).suppress(&unlinked), &name));
        on.push(name);
    }
    let rows = (0..first.n_records()).map(|record| first.source_row(record) as u32);
    let both = Table::new(both, first.n_records()).traced_to(rows.collect());
    (Table::new(twice, original.n_records()), both, on)
}

/// What a variable is called as the second release shows it.
fn in_second(name: &str) -> String {
    format!("{name} (second release)")
}

/// Settings of single variables, for those that are compared here; what the second release shows of a
/// variable is compared as the variable is.
fn told_of_both(settings: &Settings, on: &[String]) -> Settings {
    fn both<T: Clone>(of: &[(String, T)], on: &[String]) -> Vec<(String, T)> {
        let twice = of.iter().flat_map(|(name, value)| {
            [name.clone(), in_second(name)].map(|name| (name, value.clone()))
        });
        twice.filter(|(name, _)| on.contains(name)).collect()
    }
    Settings {
        tolerances: both(&settings.tolerances, on),
        compare: both(&settings.compare, on),
        m: both(&settings.m, on),
        u: both(&settings.u, on),
        ..settings.clone()
    }
}

fn renamed(column: Column, name: &str) -> Column {
    let attribute = Attribute {
        name: name.to_owned(),
        ..column.attribute().clone()
    };
    column.with_attribute(Arc::new(attribute))
}
