//! Improving a masked file with its original at hand, without a plan.

use std::path::{Path, PathBuf};

use bauta_data::format::{self, FileFormat};
use bauta_data::{Kind, Table, Watch};
use bauta_methods::adjust::{AdjustTask, Adjuster};
use bauta_methods::measure::{Files, MeasureTask};
use bauta_methods::optimise::NOT_MASKED;
use bauta_methods::params::parse_text;
use bauta_methods::{Note, Pair, Params, RawValue, RunContext, registry};

use super::compare::{CompareRequest, PairBy, Pairing, load_styled, paired};
use super::keys::refuse_repeats;
use super::{Reading, WorkError};
use crate::output::{Access, Guard, Replace, write_file};

/// Which file is to be improved, and how.
#[derive(Clone, Debug)]
pub struct OptimizeRequest {
    /// The original file.
    pub original: PathBuf,
    /// The masked file.
    pub masked: PathBuf,
    /// The improved file.
    pub output: PathBuf,
    /// How to read the files.
    pub reading: Reading,
    /// The variables; all that hold numbers in both files if not given.
    pub on: Option<Vec<String>>,
    /// How records are paired.
    pub pair_by: PairBy,
    /// Parameters of `post-mask`, as texts.
    pub set: Vec<(String, String)>,
    /// Seed of random draws; that of the original file if not given.
    pub seed: Option<u64>,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct OptimizeFound {
    /// The variables.
    pub on: Vec<String>,
    /// How records were paired.
    pub pairing: Pairing,
    /// Figures by label: before and after. Smaller is better.
    pub figures: Vec<(String, [Option<f64>; 2])>,
    /// What was stated.
    pub notes: Vec<Note>,
    /// What the search tells of itself.
    pub data: serde_json::Value,
}

/// Improves a masked file and writes it.
pub fn optimize(
    request: &OptimizeRequest,
    replace: Replace,
    watch: &dyn Watch,
) -> Result<OptimizeFound, WorkError> {
    let files = [request.original.as_path(), request.masked.as_path()];
    let guard = Guard::new(files, replace);
    guard.check(&[request.output.as_path()])?;
    let format = FileFormat::of_path(&request.output)?;
    let adjuster = registry::adjuster("post-mask")
        .ok_or_else(|| WorkError::internal("there is no adjuster `post-mask`"))?;
    let params = request.params(adjuster)?;
    let compared = request.as_compared();
    let [original, masked] = load_styled(files, &request.reading, &compared, watch)?;
    // As a run does: the file itself gives a seed that nobody outside has.
    let seed = request.seed.unwrap_or(original.seed);
    let (original, style) = (original.table, masked.style);
    let (masked, pairing) = paired(&original, masked.table, &compared)?;
    let on = request.variables(&original, &masked)?;
    let pair = Pair {
        original: &original,
        masked: &masked,
        rows: pairing.rows(),
    };
    let before = figures(pair, &on, seed, watch)?;
    let context = RunContext::new(seed, "post-mask", watch);
    let positions: Vec<usize> = on.iter().filter_map(|name| masked.index_of(name)).collect();
    let attributes: Vec<_> = positions
        .iter()
        .map(|&at| masked.column(at).attribute())
        .collect();
    let problems = adjuster.check(&params, &attributes);
    if !problems.is_empty() {
        return Err(refused(adjuster, problems));
    }
    let task = AdjustTask {
        pair,
        on: &positions,
    };
    let mut change = adjuster.adjust(&params, &task, &context)?;
    let notes = context.into_notes();
    if notes.iter().any(|note| note.id == NOT_MASKED) {
        return Err(WorkError::mistake(
            format!(
                "every record of {} is one of {} in these variables: it was not masked, or only put into another order",
                request.masked.display(),
                request.original.display()
            ),
            "give the file that a mask has made; an original is not improved, and not written again under another name",
        ));
    }
    let data = change
        .evidence
        .take()
        .map_or(serde_json::Value::Null, |evidence| evidence.data);
    let improved = change.apply_to(&masked);
    let after = figures(
        Pair {
            masked: &improved,
            ..pair
        },
        &on,
        seed,
        watch,
    )?;
    let mut bytes = Vec::new();
    let style = style.for_path(&request.output);
    format::write(
        &mut bytes,
        &request.output,
        &improved,
        format,
        &style,
        watch,
    )?;
    write_file(&request.output, &bytes, Access::Usual, &guard)?;
    let both = before.into_iter().zip(after);
    Ok(OptimizeFound {
        on,
        pairing,
        figures: both
            .map(|((label, before), (_, after))| (label, [before, after]))
            .collect(),
        notes,
        data,
    })
}

fn refused(adjuster: &dyn Adjuster, problems: Vec<bauta_methods::ParamProblem>) -> WorkError {
    WorkError::Settings {
        measure: adjuster.card().id,
        problems,
    }
}

/// Records up to which the score is found unasked: linkage of more takes longer than the search.
const SCORED_UP_TO: usize = 20_000;

/// What a reader of the paper looks for: the distance of moments, and the score with its parts.
fn figures(
    pair: Pair<'_>,
    on: &[String],
    seed: u64,
    watch: &dyn Watch,
) -> Result<Vec<(String, Option<f64>)>, WorkError> {
    let task = MeasureTask::new(Files::Both(pair), on);
    let mut figures = Vec::new();
    let is_small = pair.original.n_records().max(pair.masked.n_records()) <= SCORED_UP_TO;
    for id in ["moments", "score"]
        .into_iter()
        .filter(|id| is_small || *id != "score")
    {
        let Some(measure) = registry::measure(id) else {
            continue;
        };
        let params =
            Params::check(measure.card(), &[]).map_err(|problems| WorkError::Settings {
                measure: measure.card().id,
                problems,
            })?;
        let context = RunContext::new(seed, id, watch);
        let found = measure.measure(&params, &task, &context)?;
        figures.push((measure.card().title.to_owned(), found.value));
        if id == "score" {
            let parts = measure
                .declared()
                .figures
                .iter()
                .filter(|part| part.id != "pld");
            figures.extend(parts.map(|part| (part.label.to_owned(), found.part(part.id))));
        }
    }
    Ok(figures)
}

impl OptimizeRequest {
    fn params(&self, adjuster: &dyn Adjuster) -> Result<Params, WorkError> {
        let card = adjuster.card();
        let given: Vec<(String, RawValue)> = (self.set.iter())
            .map(|(name, text)| {
                let ty = card.param(name).map(|spec| spec.ty);
                let value =
                    ty.map_or_else(|| RawValue::Text(text.clone()), |ty| parse_text(ty, text));
                (name.clone(), value)
            })
            .collect();
        Params::check(card, &given).map_err(|problems| refused(adjuster, problems))
    }

    fn as_compared(&self) -> CompareRequest {
        let name = |path: &Path| path.display().to_string();
        CompareRequest {
            pair_by: self.pair_by.clone(),
            seed: self.seed.unwrap_or(1),
            on: self.on.clone(),
            ..CompareRequest::of(name(&self.original), name(&self.masked))
        }
    }

    /// The variables that are to be improved: those named, or all numbers of both files.
    fn variables(&self, original: &Table, masked: &Table) -> Result<Vec<String>, WorkError> {
        refuse_repeats(self.on.iter().flatten())?;
        let is_number = |table: &Table, name: &str| {
            let column = table.column_named(name);
            column.is_some_and(|column| {
                column.attribute().kind == Kind::Continuous && column.as_numeric().is_some()
            })
        };
        let is_id = |name: &str| match &self.pair_by {
            PairBy::Id(id) => id.iter().any(|known| known == name),
            _ => false,
        };
        if let Some(on) = &self.on {
            let fits = |name: &&String| !is_number(original, name) || !is_number(masked, name);
            let unfit: Vec<&str> = on.iter().filter(fits).map(String::as_str).collect();
            if !unfit.is_empty() {
                return Err(WorkError::mistake(
                    format!("not a number in both files: {}", unfit.join(", ")),
                    "name variables that both files have, and that hold numbers",
                ));
            }
            return Ok(on.clone());
        }
        let both = original
            .names()
            .filter(|name| is_number(original, name) && is_number(masked, name) && !is_id(name));
        let both: Vec<String> = both.map(str::to_owned).collect();
        if both.is_empty() {
            return Err(WorkError::mistake(
                format!(
                    "{} and {} have no number in common",
                    self.original.display(),
                    self.masked.display()
                ),
                "give the variables the same names in both files",
            ));
        }
        Ok(both)
    }
}
