//! Improving a masked file with its original at hand, without a plan.

use std::path::{Path, PathBuf};

use bauta_data::format::{self, FileFormat};
use bauta_data::{Kind, Table, Watch};
use bauta_methods::adjust::{AdjustTask, Adjuster};
use bauta_methods::kernel::numbers::moments::is_constant;
use bauta_methods::measure::{Files, MeasureTask};
use bauta_methods::optimise::NOT_MASKED;
use bauta_methods::pair::Rows;
use bauta_methods::params::parse_text;
use bauta_methods::{Note, Pair, Params, RawValue, RunContext, registry};

use super::compare::{CompareRequest, PairBy, Pairing, Texts, load_styled, paired};
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
    /// Numbers of both files that were left as they are, since no record was masked in them.
    pub left: Vec<String>,
    /// How records were paired.
    pub pairing: Pairing,
    /// Figures by label: before and after. Smaller is better.
    pub figures: Vec<(String, [Option<f64>; 2])>,
    /// What was stated.
    pub notes: Vec<Note>,
    /// What the search tells of itself.
    pub data: serde_json::Value,
}

/// What there is to say of an improved file.
struct Told {
    figures: Vec<(String, [Option<f64>; 2])>,
    notes: Vec<Note>,
    data: serde_json::Value,
}

/// The variables that are to be improved, and numbers that nobody masked.
struct Variables {
    on: Vec<String>,
    left: Vec<String>,
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
    let [original, masked] = load_styled(
        files,
        &request.reading,
        &compared,
        (Texts::All, None),
        watch,
    )?;
    // As a run does: the file itself gives a seed that nobody outside has.
    let seed = request.seed.unwrap_or(original.seed);
    let (original, style) = (original.table, masked.style);
    let (masked, pairing) = paired(&original, masked.table, &compared)?;
    let pair = Pair {
        original: &original,
        masked: &masked,
        rows: pairing.rows(),
    };
    let Variables { on, left } = request.variables(pair)?;
    let (improved, told) = request.improved(pair, &on, adjuster, &params, seed, watch)?;
    let mut bytes = Vec::new();
    let style = style.for_path(&request.output);
    let output = request.output.as_path();
    format::write(&mut bytes, output, &improved, format, &style, watch)?;
    write_file(output, &bytes, Access::Usual, &guard)?;
    Ok(OptimizeFound {
        on,
        left,
        pairing,
        figures: told.figures,
        notes: told.notes,
        data: told.data,
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

/// What a reader of the paper looks for: the distance of moments, and the score with its parts; by the same orders of
/// moments and the same rule for missing values as the search.
fn figures(
    pair: Pair<'_>,
    on: &[String],
    asked: &[(String, RawValue)],
    watch: &dyn Watch,
) -> Result<Vec<(String, Option<f64>)>, WorkError> {
    // Moments of a constant are met by whatever is left as it is.
    let varies = |name: &&String| {
        let column = pair.original.column_named(name);
        let numbers = column.and_then(bauta_data::Column::as_numeric);
        numbers.is_some_and(|numbers| !is_constant(numbers))
    };
    let on: Vec<String> = on.iter().filter(varies).cloned().collect();
    let task = MeasureTask::new(Files::Both(pair), &on);
    let mut figures = Vec::new();
    let is_small = pair.original.n_records().max(pair.masked.n_records()) <= SCORED_UP_TO;
    for id in ["moments", "score"]
        .into_iter()
        .filter(|id| is_small || *id != "score")
    {
        let Some(measure) = registry::measure(id).filter(|_| !on.is_empty()) else {
            continue;
        };
        let card = measure.card();
        let shared = ["order", "order_weights", "missing"];
        let given = asked
            .iter()
            .filter(|(name, _)| shared.contains(&name.as_str()) && card.param(name).is_some());
        let given: Vec<(String, RawValue)> = given.cloned().collect();
        let params = Params::check(card, &given).map_err(|problems| WorkError::Settings {
            measure: card.id,
            problems,
        })?;
        // No draw of these measures decides anything of the file.
        let context = RunContext::new(1, id, watch);
        let found = measure.measure(&params, &task, &context)?;
        figures.push((card.title.to_owned(), found.value));
        if id == "score" {
            let parts = measure.declared().figures.iter();
            let parts = parts.filter(|part| part.id != "pld");
            figures.extend(parts.map(|part| (part.label.to_owned(), found.part(part.id))));
        }
    }
    Ok(figures)
}

/// IL1 before and after the search, and what was aimed at.
fn il1_of(data: &serde_json::Value) -> [(String, [Option<f64>; 2]); 2] {
    let of = |place: &str| data.pointer(place).and_then(serde_json::Value::as_f64);
    [
        (
            "IL1 against the nearest originals".to_owned(),
            [of("/before/il1"), of("/after/il1")],
        ),
        (
            "IL1 that was aimed at".to_owned(),
            [None, of("/il1_target")],
        ),
    ]
}

impl OptimizeRequest {
    /// The parameters by name.
    fn asked(&self, adjuster: &dyn Adjuster) -> Vec<(String, RawValue)> {
        let card = adjuster.card();
        let given = self.set.iter().map(|(name, text)| {
            let ty = card.param(name).map(|spec| spec.ty);
            let value = ty.map_or_else(|| RawValue::Text(text.clone()), |ty| parse_text(ty, text));
            (name.clone(), value)
        });
        given.collect()
    }

    fn params(&self, adjuster: &dyn Adjuster) -> Result<Params, WorkError> {
        let asked = self.asked(adjuster);
        Params::check(adjuster.card(), &asked).map_err(|problems| refused(adjuster, problems))
    }

    /// The improved file, and what there is to say of it.
    fn improved(
        &self,
        pair: Pair<'_>,
        on: &[String],
        adjuster: &dyn Adjuster,
        params: &Params,
        seed: u64,
        watch: &dyn Watch,
    ) -> Result<(Table, Told), WorkError> {
        let masked = pair.masked;
        let asked = self.asked(adjuster);
        let before = figures(pair, on, &asked, watch)?;
        let positions: Vec<usize> = on.iter().filter_map(|name| masked.index_of(name)).collect();
        let attributes = positions.iter().map(|&at| masked.column(at).attribute());
        let problems = adjuster.check(params, &attributes.collect::<Vec<_>>());
        if !problems.is_empty() {
            return Err(refused(adjuster, problems));
        }
        let task = AdjustTask {
            pair,
            on: &positions,
        };
        let context = RunContext::new(seed, "post-mask", watch);
        let mut change = adjuster.adjust(params, &task, &context)?;
        let notes = context.into_notes();
        if notes.iter().any(|note| note.id == NOT_MASKED) {
            return Err(WorkError::mistake(
                format!(
                    "every record of {} is one of {} in these variables: it was not masked, or only put into another order",
                    self.masked.display(),
                    self.original.display()
                ),
                "give the file that a mask has made; an original is not improved, and not written again under another name",
            ));
        }
        let evidence = change.evidence.take();
        let data = evidence.map_or(serde_json::Value::Null, |evidence| evidence.data);
        let improved = change.apply_to(masked);
        let after = Pair {
            masked: &improved,
            ..pair
        };
        let after = figures(after, on, &asked, watch)?;
        let both = before.into_iter().zip(after);
        let both = both.map(|((label, before), (_, after))| (label, [before, after]));
        let told = Told {
            figures: il1_of(&data).into_iter().chain(both).collect(),
            notes,
            data,
        };
        Ok((improved, told))
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

    /// The variables that are to be improved: those named, or the numbers of both files in which records were masked.
    fn variables(&self, pair: Pair<'_>) -> Result<Variables, WorkError> {
        refuse_repeats(self.on.iter().flatten())?;
        let Pair {
            original, masked, ..
        } = pair;
        let numbers = |table: &'_ Table, name: &str| {
            let column = table.column_named(name)?;
            let is_number = column.attribute().kind == Kind::Continuous;
            column
                .as_numeric()
                .filter(|_| is_number)
                .map(<[f64]>::to_vec)
        };
        let both = |name: &str| numbers(original, name).zip(numbers(masked, name));
        if let Some(on) = &self.on {
            let unfit = on.iter().filter(|name| both(name).is_none());
            let unfit: Vec<&str> = unfit.map(String::as_str).collect();
            if !unfit.is_empty() {
                return Err(WorkError::mistake(
                    format!("not a number in both files: {}", unfit.join(", ")),
                    "name variables that both files have, and that hold numbers",
                ));
            }
            return Ok(Variables {
                on: on.clone(),
                left: Vec::new(),
            });
        }
        if pair.rows == Rows::Unrelated {
            return Err(WorkError::mistake(
                "nobody knows which records belong together, so that it cannot be seen which variables were masked",
                "name those that are to be improved with --on",
            ));
        }
        let is_id = |name: &str| match &self.pair_by {
            PairBy::Id(id) => id.iter().any(|known| known == name),
            _ => false,
        };
        let mut found = Variables {
            on: Vec::new(),
            left: Vec::new(),
        };
        for name in original.names().filter(|name| !is_id(name)) {
            let Some((x, z)) = both(name) else { continue };
            let is_same = |(record, z): (usize, &f64)| {
                let x = x.get(pair.original_record(record)).copied();
                // 0 and -0 are one number.
                x.is_some_and(|x| (x + 0.0).to_bits() == (z + 0.0).to_bits())
            };
            // A number that no mask touched may be an id or a weight, which is not for a search to change.
            if z.iter().enumerate().all(is_same) {
                found.left.push(name.to_owned());
            } else {
                found.on.push(name.to_owned());
            }
        }
        self.checked(found)
    }

    /// Refuses where there is nothing to improve.
    fn checked(&self, found: Variables) -> Result<Variables, WorkError> {
        if !found.on.is_empty() {
            return Ok(found);
        }
        let (original, masked) = (self.original.display(), self.masked.display());
        if found.left.is_empty() {
            return Err(WorkError::mistake(
                format!("{original} and {masked} have no number in common"),
                "give the variables the same names in both files",
            ));
        }
        Err(WorkError::mistake(
            format!("no number of {masked} differs from {original}: it was not masked"),
            "give the file that a mask has made; an original is not improved, and not written again under another name",
        ))
    }
}
