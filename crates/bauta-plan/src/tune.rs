//! The search for a plan that holds its conditions and loses least.
//!
//! [`tune`] tries many variants of a plan: those of its axes, or of a built-in table in place of the steps that mask numbers
//! (`candidates`), after a search of the best levels of key hierarchies (`levels`). All are tried on a sample, the better
//! ones on a larger one, the finalists in full (`halving`). The best of those that hold the conditions are judged again on
//! fresh seeds (`again`): one that fails there is passed over, and of the others the one with the least mean loss is taken.
//! What is told of it is what further seeds gave, which bore on no choice. Every run leaves a record, as in a
//! [`sweep`](crate::sweep), so that whoever was stopped goes on where he was.

mod again;
mod candidates;
mod choice;
mod evidence;
mod halving;
mod levels;
mod looked_at;
mod reasons;
mod sample;
mod search;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::Instant;

use bauta_data::format::{self, ReadOptions};
use bauta_methods::Better;
use serde::Serialize;

use crate::check::Folder;
use crate::draft::Draft;
use crate::output::{Guard, Replace, folder_of};
use crate::plan::Plan;
use crate::record::MeasureRecord;
use crate::stages::RunWatch;
use crate::sweep::{
    FigureChoice, Grid, Origin, TradeOff, VariantOutcome, beside, measure_original, not_fine,
};
use crate::work::WorkError;
use search::Search;

pub(crate) use sample::sample_of;

pub use again::{Judged, Spread};
pub use candidates::AS_PLANNED;
pub use levels::{LevelsFound, Node};

/// Runs that a search takes unless told otherwise.
pub const USUAL_RUNS: usize = 200;

/// Fresh seeds that a choice is judged again on unless told otherwise.
pub const USUAL_SEEDS: usize = 10;

/// Share of the records that may stand out after recoding, unless told otherwise or more do in the plan itself.
pub const USUAL_SUPPRESSED: f64 = 0.05;

/// What is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Strategy {
    /// The levels of key hierarchies alone.
    Lattice,
    /// Masks of numbers, or the axes of the plan, alone.
    Halving,
    /// The levels first, then the masks of numbers.
    #[default]
    Both,
}

/// A plan whose variants are to be searched.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The plan as a grid: its own axes, or a single variant.
    pub grid: &'a Grid,
    /// Its text.
    pub text: &'a str,
    /// The plan.
    pub plan: &'a Path,
    /// The folder of the records, which is made if it is not there.
    pub folder: &'a Path,
    /// What records may replace.
    pub replace: Replace,
    /// Bytes of memory that reading may take.
    pub memory: Option<u64>,
    /// The figures that variants are compared by, one of risk and one of loss; the usual ones if not given.
    pub figures: Option<&'a str>,
    /// The risk that is tolerated, beside what the gates say.
    pub max_risk: Option<f64>,
    /// What is searched.
    pub strategy: Strategy,
    /// Runs that the search may take, those on fresh seeds apart.
    pub runs: usize,
    /// Seconds after which no further variant is begun; such a search cannot be repeated.
    pub seconds: Option<f64>,
    /// Fresh seeds that finalists are judged again on.
    pub again: usize,
    /// Share of the fresh seeds on which a condition may fail.
    pub may_fail: f64,
    /// Share of the records that may stand out after recoding; [`USUAL_SUPPRESSED`] if not given, or as many as under the
    /// plan's own levels.
    pub suppressed: Option<f64>,
}

/// What a finalist is chosen by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChosenBy {
    /// What is lost by recoding, as the lattice counts it.
    Levels,
    /// The loss under the plan's own seed: fresh ones were not asked for.
    LossUnderOwnSeed,
    /// The mean loss over fresh seeds.
    MeanLoss,
    /// It is the plan as it is, and nothing at better levels holds.
    NothingElse,
    /// It is the plan as it is, which loses less of the file as a whole than the best that was found.
    OwnLosesLess,
}

/// A stage of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Stage {
    /// Records that variants were run on.
    pub n_records: usize,
    /// The candidates that were run, by their positions.
    pub candidates: Vec<usize>,
    /// What came of each.
    pub outcomes: Vec<VariantOutcome>,
    /// How many of them an earlier search had finished.
    pub n_kept: usize,
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// All candidates, tried or not.
    pub grid: Grid,
    /// What of the plan was searched, in sentences.
    pub searched: Vec<String>,
    /// What was not, and why.
    pub not_searched: Vec<String>,
    /// The stages; the last is of all records.
    pub stages: Vec<Stage>,
    /// The finalists, that is, the candidates that were run on all records, as a grid of their own.
    pub finalists: Grid,
    /// Where the finalists lie between risk and loss; none where the plan measures nothing of the kind.
    pub trade: Option<TradeOff>,
    /// For each finalist whether it holds the conditions.
    pub holds: Vec<bool>,
    /// Those that were judged again on fresh seeds, in the order in which they were.
    pub judged: Vec<Judged>,
    /// Of them, those that failed there.
    pub passed_over: Vec<usize>,
    /// The finalist that was chosen.
    pub chosen: Option<usize>,
    /// What it was chosen by.
    pub chosen_by: ChosenBy,
    /// The chosen one on further seeds, which bore on no choice; none where it draws nothing, or on request.
    pub confirmed: Option<Judged>,
    /// Share of the seeds on which a condition may fail.
    pub may_fail: f64,
    /// The text of the chosen plan, with the comments of the one that was tuned.
    pub text: Option<String>,
    /// What the search of levels found.
    pub levels: Option<LevelsFound>,
    /// Whether variants were left out because the time was over.
    pub clock_struck: bool,
    /// Files that are read, which no output may replace.
    pub reads: Vec<PathBuf>,
}

impl Tuned {
    /// What came of the finalists.
    pub fn outcomes(&self) -> &[VariantOutcome] {
        self.stages.last().map_or(&[], |stage| &stage.outcomes)
    }

    /// Runs of the search, those on fresh seeds apart.
    pub fn n_runs(&self) -> usize {
        self.stages.iter().map(|stage| stage.candidates.len()).sum()
    }

    /// Candidates that were run at all.
    pub fn n_tried(&self) -> usize {
        self.stages
            .first()
            .map_or(0, |stage| stage.candidates.len())
    }

    /// Runs that an earlier search had finished.
    pub fn n_kept(&self) -> usize {
        self.stages.iter().map(|stage| stage.n_kept).sum()
    }

    /// Whether the seed that a finalist was chosen under gave less loss than every fresh one.
    pub fn is_lucky(&self, judged: &Judged) -> bool {
        let Some((trade, loss)) = self.trade.as_ref().zip(judged.loss) else {
            return false;
        };
        let found = trade
            .points
            .get(judged.finalist)
            .and_then(|point| point.loss);
        found.is_some_and(|found| match trade.loss.better {
            Better::Higher => found > loss.max,
            Better::Lower | Better::Neither => found < loss.min,
        })
    }

    /// The chosen one on seeds that bore on no choice; where there are none, on those that it was judged on.
    pub fn judged_choice(&self) -> Option<&Judged> {
        let judged = self.chosen.and_then(|chosen| self.judged_of(chosen));
        self.confirmed.as_ref().or(judged)
    }

    /// A finalist on fresh seeds.
    pub fn judged_of(&self, finalist: usize) -> Option<&Judged> {
        self.judged
            .iter()
            .find(|judged| judged.finalist == finalist)
    }
}

/// The folder in which the records of a search are kept: beside the plan, with its name.
pub fn folder_of_plan(plan: &Path) -> PathBuf {
    beside(plan, ".tune")
}

/// The plan that a search writes: beside the one that was tuned, with its name.
pub fn tuned_plan(plan: &Path) -> PathBuf {
    beside(plan, ".tuned.toml")
}

/// Searches the variants of a plan, and keeps a record of each run as soon as it is finished.
pub fn tune(request: &Request<'_>, watch: &dyn RunWatch) -> Result<Tuned, WorkError> {
    let folder = Folder(folder_of(request.plan));
    let name = request.plan.file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    let origin = Origin {
        file: &name,
        surroundings: &folder,
    };
    let plan = first_plan(request, &origin)?;
    check_request(request, &plan)?;
    let Some(input) = &plan.input else {
        return Err(WorkError::internal("the plan names no file"));
    };
    let started = Instant::now();
    watch.stage("read", 1, STAGES);
    let read = ReadOptions {
        memory: request.memory,
        ..plan.read.clone()
    };
    let loaded = format::read(&input.path, &read, watch)?;
    watch.stage("measure original", 2, STAGES);
    let original = measure_original(&plan, &loaded, watch)?;
    let figures = figures(request, &plan, &original)?;
    let search = Search {
        request,
        origin: &origin,
        plan: &plan,
        loaded: &loaded,
        seed: plan.seed.unwrap_or(loaded.fingerprint.seed),
        original: &original,
        figures,
        guard: Guard::new(&plan.reads, request.replace),
        deadline: request.seconds.map(|seconds| (started, seconds)),
        clock_struck: Cell::new(false),
        watch,
    };
    search.tuned()
}

/// Reading, measuring the original, levels, three stages, fresh seeds.
const STAGES: usize = 7;

/// The plan of the first variant. All variants must be judged alike.
fn first_plan(request: &Request<'_>, origin: &Origin<'_>) -> Result<Plan, WorkError> {
    let variants = &request.grid.variants;
    let first = variants
        .first()
        .ok_or_else(|| WorkError::internal("a grid without a variant"))?;
    let differs = |same: fn(&Draft, &Draft) -> bool| {
        let mut others = variants.iter();
        others.any(|variant| !same(&variant.draft, &first.draft))
    };
    let unfit = [
        (
            differs(|a, b| a.plan == b.plan),
            "seeds: tune judges its choice on fresh seeds itself",
        ),
        (
            differs(|a, b| a.measures == b.measures && a.gates == b.gates),
            "measures or gates: all variants are judged alike",
        ),
        (
            differs(|a, b| a.variables == b.variables && a.scenarios == b.scenarios),
            "variables or scenarios: all variants are of the same data",
        ),
    ];
    if let Some((_, what)) = unfit.iter().find(|(differs, _)| *differs) {
        return Err(WorkError::mistake(
            format!("the axes of a plan that is tuned cannot be {what}"),
            "leave out that axis, or use `bauta sweep`",
        ));
    }
    Ok(request.grid.plan(first, origin).map_err(not_fine)?)
}

/// Whether there is anything to hold, and the numbers make sense.
fn check_request(request: &Request<'_>, plan: &Plan) -> Result<(), WorkError> {
    let is_risk = |&at: &usize| looked_at::judges_risk(&plan.measures[at]);
    let mut gates = plan.gates.iter();
    let judges_risk = gates.any(|gate| gate.measures.iter().any(is_risk));
    if !judges_risk && request.max_risk.is_none() {
        return Err(WorkError::mistake(
            "the plan sets no condition on risk, so that the best variant would be to mask nothing",
            "add a [[gate]] on a measure of risk, or give --max-risk",
        ));
    }
    if !request.grid.axes.is_empty() && request.strategy == Strategy::Lattice {
        return Err(WorkError::mistake(
            "a plan with axes is searched along them, not along levels of hierarchies",
            "leave out the axes, or --strategy lattice",
        ));
    }
    check_budget(request)?;
    let shares = [Some(request.may_fail), request.suppressed];
    if shares
        .iter()
        .flatten()
        .any(|share| !(0.0..=1.0).contains(share))
    {
        return Err(WorkError::mistake(
            "a share lies between 0 and 1",
            "give 0.1 for a tenth",
        ));
    }
    Ok(())
}

/// Most seconds that a search may be given: some four months.
const MOST_SECONDS: f64 = 1e7;

/// Most fresh seeds that finalists are judged on.
const MOST_SEEDS: usize = 1000;

/// Whether there is time and there are runs, and no more than anybody waits for.
fn check_budget(request: &Request<'_>) -> Result<(), WorkError> {
    let is_positive = |seconds: f64| seconds > 0.0;
    if request.seconds.is_some_and(|seconds| !is_positive(seconds)) || request.runs == 0 {
        return Err(WorkError::mistake(
            "a search needs a budget above 0",
            "give --runs 200, or --seconds 60",
        ));
    }
    if request.again > MOST_SEEDS {
        return Err(WorkError::mistake(
            format!("finalists are judged on {MOST_SEEDS} fresh seeds at the most"),
            "give fewer: ten tell a spread, a hundred a rate",
        ));
    }
    if request
        .seconds
        .is_some_and(|seconds| seconds > MOST_SECONDS)
    {
        return Err(WorkError::mistake(
            format!("a search may take {MOST_SECONDS} seconds at the most"),
            "give fewer seconds, or leave out --seconds for a search without a clock",
        ));
    }
    Ok(())
}

/// The figures that variants are compared by; none where the plan measures none.
fn figures(
    request: &Request<'_>,
    plan: &Plan,
    original: &[MeasureRecord],
) -> Result<Option<[FigureChoice; 2]>, WorkError> {
    if let Some(text) = request.figures {
        let pair = FigureChoice::pair(text, original);
        return pair.map(Some).map_err(WorkError::Mistake);
    }
    Ok(choice::usual_figures(plan, original))
}
