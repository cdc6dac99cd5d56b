//! Many plans from one: a grid of variants, run on the same data, and what came of each.
//!
//! A plan with `{ sweep = [v1, v2] }` in place of values is a [`Grid`]; code may build one of drafts. Each
//! [`Variant`] goes the same way as a plan of its own ([`execute`](crate::execute::execute)), and no file of
//! it is written. [`run_variants`] does so in memory; [`sweep`] keeps a record of each variant in a folder as
//! soon as it is finished, so that whoever was stopped goes on where he was. [`pareto_front`] says which of
//! them no other one beats, [`FigureChoice`] which figures they are compared by.

mod figure;
mod front;
mod grid;
mod kept;
mod name;
mod original;
mod outcome;
mod trade_off;

use std::path::{Path, PathBuf};

use bauta_data::format::{self, Loaded, ReadOptions};
use bauta_data::{DataError, Watch};
use bauta_methods::MethodError;

use crate::check::Folder;
use crate::error::RunError;
use crate::output::{Guard, Replace, folder_of};
use crate::problem::Problem;
use crate::record::MeasureRecord;
use crate::stages::RunWatch;
use crate::work::WorkError;

pub use figure::{FigureChoice, MapFigure, Side};
pub use front::pareto_front;
pub use grid::{Axis, Grid, MOST_VARIANTS, Origin, Variant};
pub(crate) use kept::Keeper;
pub(crate) use name::Names;
pub use original::measure_original;
pub(crate) use outcome::run_each;
pub use outcome::{VariantOutcome, run_variants};

use trade_off::measures_of;
pub use trade_off::{Measures, TradeAxis, TradeOff, TradePoint, tolerated};

/// A grid that is to be run from file to file.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The grid, checked by [`Grid::check`].
    pub grid: &'a Grid,
    /// The plan that it was read from.
    pub plan: &'a Path,
    /// The folder of the records, which is made if it is not there.
    pub folder: &'a Path,
    /// What records may replace.
    pub replace: Replace,
    /// Bytes of memory that reading may take.
    pub memory: Option<u64>,
    /// The figures that variants are compared by, one of risk and one of loss; the usual ones if not given.
    pub figures: Option<&'a str>,
}

/// What came of a grid.
#[derive(Clone, Debug)]
pub struct Swept {
    /// Of each variant, in the order of the grid.
    pub outcomes: Vec<VariantOutcome>,
    /// How many of them an earlier sweep had finished.
    pub n_kept: usize,
    /// The figures of the original, measured against itself.
    pub original: Vec<MeasureRecord>,
    /// The figures that were asked for.
    pub figures: Option<[FigureChoice; 2]>,
    /// Files that are read, which no output may replace.
    pub reads: Vec<PathBuf>,
}

impl Swept {
    /// Where the variants lie between risk and utility: by the figures that were asked for, or else by those of
    /// the first gates, or the first measures. None where nothing of the kind was measured, or not of the same thing.
    pub fn trade_off(&self, max_risk: Option<f64>) -> Option<TradeOff> {
        let [risk, loss] = self.compared_by()?;
        TradeOff::of_outcomes([&risk, &loss], &self.outcomes, &self.original, max_risk)
    }

    /// Why there is no trade-off, where there is none.
    pub fn why_no_trade_off(&self) -> String {
        let figures = self.compared_by();
        let why = figures.and_then(|[risk, loss]| {
            TradeOff::why_not_comparable([&risk, &loss], &measures_of(&self.outcomes))
        });
        why.unwrap_or_else(|| {
            "the plan measures no risk, or no loss, that has a good end".to_owned()
        })
    }

    fn compared_by(&self) -> Option<[FigureChoice; 2]> {
        if let Some(figures) = &self.figures {
            return Some(figures.clone());
        }
        let mut found = self.outcomes.iter().filter_map(|of| of.found.as_ref().ok());
        let record = found.next()?;
        let usual = |side| FigureChoice::usual(side, &record.measures, &record.gates);
        Some([usual(Side::Risk)?, usual(Side::Loss)?])
    }
}

/// The folder in which the records of a plan's variants are kept: beside it, with its name.
pub fn folder_of_plan(plan: &Path) -> PathBuf {
    beside(plan, ".sweep")
}

/// A path beside a plan, with its name and another ending.
pub(crate) fn beside(plan: &Path, ending: &str) -> PathBuf {
    let mut name = plan.file_stem().unwrap_or_default().to_owned();
    name.push(ending);
    plan.with_file_name(name)
}

/// Runs every variant of a grid whose record is not there, and keeps a record of each as soon as it is
/// finished. The data are read once, or once for every way in which the variants read them.
pub fn sweep(request: &Request<'_>, watch: &dyn RunWatch) -> Result<Swept, WorkError> {
    let folder = Folder(folder_of(request.plan));
    let name = request.plan.file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    let origin = Origin {
        file: &name,
        surroundings: &folder,
    };
    let groups = groups(request, &origin)?;
    let reads: Vec<PathBuf> = (groups.iter())
        .flat_map(|group| group.reads.iter().cloned())
        .collect();
    let guard = Guard::new(&reads, request.replace);
    let mut swept = Swept {
        outcomes: Vec::new(),
        n_kept: 0,
        original: Vec::new(),
        figures: None,
        reads,
    };
    let mut outcomes: Vec<Option<VariantOutcome>> = vec![None; request.grid.variants.len()];
    for group in &groups {
        watch.stage("read", 1, STAGES);
        let loaded = group.load(request.memory, watch)?;
        if swept.original.is_empty()
            && let Some(plan) = group.plan(request.grid, &origin)
        {
            watch.stage("measure original", 2, STAGES);
            swept.original = measure_original(&plan, &loaded, watch)?;
            // Before hours of work, not after them.
            let pair = request.figures;
            let pair = pair.map(|text| FigureChoice::pair(text, &swept.original));
            swept.figures = pair.transpose().map_err(WorkError::Mistake)?;
        }
        let names = Names::new(&origin, &loaded.fingerprint.sha256);
        let keeper = Keeper::new(request.folder, &guard, names)?;
        for &number in &group.variants {
            outcomes[number] = keeper.found(&request.grid.variants[number]);
            swept.n_kept += usize::from(outcomes[number].is_some());
        }
        watch.stage("run variants", STAGES, STAGES);
        run_rest(
            request,
            group,
            &origin,
            (&loaded, &keeper),
            &mut outcomes,
            watch,
        )?;
    }
    swept.outcomes = outcomes.into_iter().flatten().collect();
    Ok(swept)
}

/// Runs the variants of a group of which no record was found.
fn run_rest(
    request: &Request<'_>,
    group: &Group,
    origin: &Origin<'_>,
    (loaded, keeper): (&Loaded, &Keeper<'_>),
    outcomes: &mut [Option<VariantOutcome>],
    watch: &dyn Watch,
) -> Result<(), RunError> {
    let grid = request.grid;
    let left = group.variants.iter().copied();
    let left: Vec<usize> = left.filter(|&number| outcomes[number].is_none()).collect();
    let variants: Vec<&Variant> = left.iter().map(|&number| &grid.variants[number]).collect();
    keeper.check(&variants)?;
    let progress = Counted {
        watch,
        before: outcomes.iter().flatten().count(),
        total: outcomes.len(),
    };
    let keep = |variant: &Variant, ran| keeper.keep(variant, ran);
    let done = run_each(loaded, &variants, grid, origin, &progress, &keep)?;
    for (number, outcome) in left.into_iter().zip(done) {
        outcomes[number] = Some(outcome);
    }
    Ok(())
}

/// Reading, measuring the original, running the variants.
const STAGES: usize = 3;

/// Variants that read their data in the same way.
struct Group {
    input: PathBuf,
    read: ReadOptions,
    reads: Vec<PathBuf>,
    variants: Vec<usize>,
}

impl Group {
    fn load(&self, memory: Option<u64>, watch: &dyn Watch) -> Result<Loaded, RunError> {
        let read = ReadOptions {
            memory,
            ..self.read.clone()
        };
        Ok(format::read(&self.input, &read, watch)?)
    }

    /// The plan of its first variant.
    fn plan(&self, grid: &Grid, origin: &Origin<'_>) -> Option<crate::Plan> {
        let first = self.variants.first()?;
        grid.plan(&grid.variants[*first], origin).ok()
    }
}

/// The variants by how they read their data, in the order of the first of each.
fn groups(request: &Request<'_>, origin: &Origin<'_>) -> Result<Vec<Group>, RunError> {
    let mut groups: Vec<Group> = Vec::new();
    for (number, variant) in request.grid.variants.iter().enumerate() {
        let plan = request.grid.plan(variant, origin).map_err(not_fine)?;
        let Some(input) = &plan.input else {
            return Err(RunError::internal("sweep", "the plan names no file"));
        };
        let known = groups.iter_mut().find(|group| group.read == plan.read);
        match known {
            Some(group) => group.variants.push(number),
            None => groups.push(Group {
                input: input.path.clone(),
                read: plan.read,
                reads: plan.reads,
                variants: vec![number],
            }),
        }
    }
    Ok(groups)
}

/// A variant that is no plan: one that was not checked.
pub(crate) fn not_fine(problems: Vec<Problem>) -> RunError {
    let problem = problems.into_iter().next();
    let (message, hint) =
        problem.map_or_else(Default::default, |problem| (problem.message, problem.hint));
    RunError::Method {
        place: "plan".to_owned(),
        line: None,
        error: Box::new(MethodError::Request {
            variable: None,
            message,
            hint,
        }),
    }
}

/// Someone who watches a part of the variants and is told of all.
pub(crate) struct Counted<'a> {
    pub(crate) watch: &'a dyn Watch,
    pub(crate) before: usize,
    pub(crate) total: usize,
}

impl Watch for Counted<'_> {
    fn progress(&self, done: u64, _total: u64) {
        let done = self.before as u64 + done;
        self.watch.progress(done, self.total as u64);
    }

    fn cancelled(&self) -> bool {
        self.watch.cancelled()
    }

    fn seconds(&self) -> Option<f64> {
        self.watch.seconds()
    }
}

/// Makes the folder of a sweep, which nobody else may look into.
pub(crate) fn make_folder(folder: &Path) -> Result<(), DataError> {
    if folder.is_dir() {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder
        .create(folder)
        .map_err(|error| DataError::io(folder, "make the folder", &error))
}
