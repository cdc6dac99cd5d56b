//! Linking two files as an intruder would: an original and its masked version, a register and a release,
//! or two releases of one file.

mod two_releases;

use std::fmt::Write as _;
use std::path::Path;

use bauta_data::{Table, Watch, near};
use bauta_methods::linkage::exposed::Exposure;
use bauta_methods::linkage::link;
use bauta_methods::linkage::linked::Linked;
use bauta_methods::linkage::settings::Settings;
use bauta_methods::pair::Rows;
use bauta_methods::params::parse_text;
use bauta_methods::{Card, Note, Pair, Params, RawValue, RunContext, registry};

use super::compare::{CompareRequest, PairBy, Pairing, load_beside, paired};
use super::keys::refuse_repeats;
use super::{HierarchyForm, KeyHierarchy, Reading, WorkError};
use crate::output::{Access, Guard, Replace, write_file};

pub use two_releases::{TwoReleases, link_releases};

/// What to link, and how.
#[derive(Clone, PartialEq, Debug)]
pub struct LinkRequest {
    /// What messages call the original file, or the register.
    pub original: String,
    /// What messages call the masked file.
    pub masked: String,
    /// Variables to link by; all that both files have if not given.
    pub on: Option<Vec<String>>,
    /// Those of them that hold categories, even if they are written as numbers.
    pub categories: Vec<String>,
    /// Categories that have an order.
    pub ordered: Vec<String>,
    /// How categories become coarser.
    pub hierarchies: Vec<KeyHierarchy>,
    /// How the truth is known.
    pub truth: KnownBy,
    /// Parameters of `pld`, as texts.
    pub set: Vec<(String, String)>,
}

/// How it is known which records belong together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KnownBy {
    /// Records are paired, by row or by an id.
    Pairing(PairBy),
    /// It is not: the first file is an outside register.
    Nothing,
}

/// What linking found.
#[derive(Clone, Debug)]
pub struct LinkFound {
    /// The links.
    pub linked: Linked,
    /// The variables that records were linked by.
    pub on: Vec<String>,
    /// How records were paired; none where the truth is not known.
    pub pairing: Option<Pairing>,
    /// How links were chosen.
    pub settings: Settings,
    /// Who is found; none where the truth is not known.
    pub exposure: Option<Exposure>,
    /// What the linkage stated.
    pub notes: Vec<Note>,
}

/// Links two files. Where `links` names a file, one row per link is written to it.
pub fn link_files(
    original: &Path,
    masked: &Path,
    reading: &Reading,
    request: &LinkRequest,
    links: Option<&Path>,
    replace: Replace,
    watch: &dyn Watch,
) -> Result<LinkFound, WorkError> {
    let hierarchies = request
        .hierarchies
        .iter()
        .filter_map(|one| match &one.form {
            HierarchyForm::Ready(_) => None,
            HierarchyForm::File(levels) => Some(levels.as_path()),
        });
    let guard = Guard::new([original, masked].into_iter().chain(hierarchies), replace);
    if let Some(target) = links {
        guard.check(&[target])?;
    }
    let settings = request.settings()?;
    let as_compared = request.as_compared();
    let [original, masked] = load_beside([original, masked], reading, &as_compared, watch)?;
    let found = link_tables(&original, masked, request, settings, watch)?;
    if let Some(target) = links {
        write_file(target, found.rows().as_bytes(), Access::OwnerOnly, &guard)?;
    }
    Ok(found)
}

/// Links two tables.
fn link_tables(
    original: &Table,
    masked: Table,
    request: &LinkRequest,
    settings: Settings,
    watch: &dyn Watch,
) -> Result<LinkFound, WorkError> {
    for (table, file) in [(original, &request.original), (&masked, &request.masked)] {
        if table.n_records() == 0 {
            return Err(WorkError::mistake(
                format!("{file} has no records, so that nothing can be linked with it"),
                "give the file with its records",
            ));
        }
    }
    let as_compared = request.as_compared();
    let (masked, pairing) = match &request.truth {
        KnownBy::Nothing => (masked, None),
        KnownBy::Pairing(_) => {
            let (masked, pairing) = paired(original, masked, &as_compared)?;
            if pairing.rows() == Rows::Unrelated {
                return Err(WorkError::mistake(
                    format!(
                        "{} has {} records and {} has {}: it is not known which belong together",
                        request.original,
                        original.n_records(),
                        request.masked,
                        masked.n_records()
                    ),
                    "name a variable that pairs them (--id), or say --register if nobody knows the truth",
                ));
            }
            (masked, Some(pairing))
        }
    };
    let on = request.variables(original, &masked)?;
    let pair = Pair {
        original,
        masked: &masked,
        rows: pairing.as_ref().map_or(Rows::Unrelated, Pairing::rows),
    };
    let (linked, notes) = linked(pair, &on, &settings, card(), watch)?;
    let exposure = Exposure::of(&linked, &pair, &on)?;
    Ok(LinkFound {
        linked,
        on,
        pairing,
        settings,
        exposure,
        notes,
    })
}

/// Links a pair of tables, after the checks that `pld` makes of its variables.
fn linked(
    pair: Pair<'_>,
    on: &[String],
    settings: &Settings,
    card: &'static Card,
    watch: &dyn Watch,
) -> Result<(Linked, Vec<Note>), WorkError> {
    let columns = on
        .iter()
        .filter_map(|name| pair.original.column_named(name));
    let attributes: Vec<_> = columns.map(bauta_data::Column::attribute).collect();
    let problems = settings.check(&attributes);
    if !problems.is_empty() {
        return Err(WorkError::Settings {
            measure: card.id,
            problems,
        });
    }
    let context = RunContext::new(1, card.id, watch);
    let linked = link(pair, on, settings, &context)?;
    Ok((linked, context.into_notes()))
}

/// The card that declares the parameters.
fn card() -> &'static Card {
    registry::measure("pld").map_or(&Card::PLAIN, |measure| measure.card())
}

impl LinkRequest {
    /// The parameters, read and valid.
    fn settings(&self) -> Result<Settings, WorkError> {
        let card = card();
        let of_measure = ["keys", "links", "correspondence"];
        if let Some((name, _)) = self
            .set
            .iter()
            .find(|(name, _)| of_measure.contains(&name.as_str()))
        {
            return Err(WorkError::mistake(
                format!("`{name}` is a parameter of the measure pld and not of a single linkage"),
                "name the variables with --on",
            ));
        }
        let twice = self.set.iter().enumerate().find(|(at, (name, _))| {
            let before = &self.set[..*at];
            before.iter().any(|(known, _)| known == name)
        });
        if let Some((_, (name, _))) = twice {
            return Err(WorkError::mistake(
                format!("`{name}` is given twice"),
                "say it once, with its own option or with --set",
            ));
        }
        let given: Vec<_> = (self.set.iter())
            .map(|(name, text)| {
                let ty = card.param(name).map(|spec| spec.ty);
                let value =
                    ty.map_or_else(|| RawValue::Text(text.clone()), |ty| parse_text(ty, text));
                (name.clone(), value)
            })
            .collect();
        let refused = |problems| WorkError::Settings {
            measure: card.id,
            problems,
        };
        let params = Params::check(card, &given).map_err(refused)?;
        Settings::asked(&params).map_err(refused)
    }

    /// The request as the pairing of two files understands it.
    fn as_compared(&self) -> CompareRequest {
        let mut keys = self.categories.clone();
        let more = (self.ordered.iter()).chain(self.hierarchies.iter().map(|one| &one.variable));
        for name in more {
            if !keys.contains(name) {
                keys.push(name.clone());
            }
        }
        CompareRequest {
            on: self.on.clone(),
            keys,
            ordered: self.ordered.clone(),
            hierarchies: self.hierarchies.clone(),
            pair_by: match &self.truth {
                KnownBy::Pairing(pair_by) => pair_by.clone(),
                KnownBy::Nothing => PairBy::Row,
            },
            ..CompareRequest::of(self.original.clone(), self.masked.clone())
        }
    }

    /// The variables to link by: those named, or all that both files have.
    fn variables(&self, original: &Table, masked: &Table) -> Result<Vec<String>, WorkError> {
        refuse_repeats(self.on.iter().flatten())?;
        let is_id = |name: &str| match &self.truth {
            KnownBy::Pairing(PairBy::Id(id)) => id.iter().any(|known| known == name),
            _ => false,
        };
        let Some(on) = &self.on else {
            let both = original
                .names()
                .filter(|name| masked.index_of(name).is_some() && !is_id(name));
            let both: Vec<String> = both.map(str::to_owned).collect();
            if both.is_empty() {
                return Err(WorkError::mistake(
                    format!(
                        "{} and {} have no variable in common",
                        self.original, self.masked
                    ),
                    "give the variables the same names in both files",
                ));
            }
            return Ok(both);
        };
        let mut absent = Vec::new();
        for name in on {
            for (table, file) in [(original, &self.original), (masked, &self.masked)] {
                if table.index_of(name).is_none() {
                    absent.push((
                        format!("{file} has no variable `{name}`"),
                        near::column_hint(name, table.names()),
                    ));
                }
            }
        }
        match absent.first() {
            None => Ok(on.clone()),
            Some((_, hint)) => {
                let hint = hint.clone();
                let messages: Vec<String> =
                    absent.into_iter().map(|(message, _)| message).collect();
                Err(WorkError::mistake(messages.join("; "), hint))
            }
        }
    }
}

impl LinkFound {
    /// One row per link, by falling weight: rows of both files from 1, weight, and what is known of it.
    fn rows(&self) -> String {
        let mut out = String::from("original_row,masked_row,weight,posterior,right\n");
        let figure = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        for link in self.linked.records() {
            let _ = writeln!(
                out,
                "{},{},{},{},{}",
                link.original + 1,
                link.masked + 1,
                link.weight,
                figure(link.posterior),
                figure(link.credit)
            );
        }
        out
    }
}
