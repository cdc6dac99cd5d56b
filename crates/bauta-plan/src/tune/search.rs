//! Running candidates, stage by stage.

use std::cell::Cell;
use std::time::Instant;

use bauta_data::format::Loaded;

use super::halving::{Standing, promoted, rounds, thinned};
use super::levels::{self, LevelsFound};
use super::looked_at::numbers_of;
use super::sample::{mixed, sample_of};
use super::{Request, STAGES, Stage, Strategy, Tuned, candidates};
use crate::draft::Draft;
use crate::output::Guard;
use crate::plan::Plan;
use crate::record::MeasureRecord;
use crate::stages::RunWatch;
use crate::sweep::{
    Counted, FigureChoice, Grid, Keeper, MapFigure, Names, Origin, TradeOff, Variant,
    VariantOutcome, run_each,
};
use crate::work::WorkError;

/// A search and what it works on.
pub(super) struct Search<'a> {
    pub(super) request: &'a Request<'a>,
    pub(super) origin: &'a Origin<'a>,
    /// The plan of the first variant.
    pub(super) plan: &'a Plan,
    pub(super) loaded: &'a Loaded,
    pub(super) seed: u64,
    pub(super) original: &'a [MeasureRecord],
    pub(super) figures: Option<[FigureChoice; 2]>,
    pub(super) guard: Guard,
    /// When it began, and how many seconds it may take.
    pub(super) deadline: Option<(Instant, f64)>,
    /// Whether something was left out because that time was over.
    pub(super) clock_struck: Cell<bool>,
    pub(super) watch: &'a dyn RunWatch,
}

/// What no strategy searches by itself.
const KEPT_AS_PLANNED: &str = "k, costs of suppression and calibration stay as the plan has them; give them axes, \
     `{ sweep = [v1, v2] }`, to have them searched";

/// What is done where the lattice does not know all that a plan asks.
const BY_RISING_LOSS: &str = "what the plan asks beside k: by running the levels that are safe at k, by rising loss until one holds it";

/// What is tried.
pub(super) struct Space {
    pub(super) grid: Grid,
    pub(super) searched: Vec<String>,
    pub(super) not_searched: Vec<String>,
    pub(super) levels: Option<LevelsFound>,
    /// What each candidate loses by the lattice, where candidates are nodes of it.
    pub(super) prices: Option<Vec<f64>>,
    /// Whether the first candidate, the plan as it is, has other levels than all others and is taken only if none of
    /// those holds: levels are chosen first, and the loss that masks are compared by may not see them.
    pub(super) own_is_fallback: bool,
}

impl Space {
    /// What a candidate is chosen by before its loss: whether it is for want of anything better, and what it loses by
    /// the lattice. Lower is better.
    pub(super) fn rank(&self, candidate: usize) -> [f64; 2] {
        let is_fallback = self.own_is_fallback && candidate == 0;
        let price = self.prices.as_ref().map_or(0.0, |prices| prices[candidate]);
        [f64::from(u8::from(is_fallback)), price]
    }
}

impl Search<'_> {
    pub(super) fn tuned(&self) -> Result<Tuned, WorkError> {
        let space = self.space()?;
        let is_lattice = space.prices.is_some();
        if !is_lattice && self.figures.is_none() {
            return Err(WorkError::mistake(
                "the plan measures no risk, or no loss, that has a good end",
                "measure one of each, such as dld and il1s, or name them with --map",
            ));
        }
        let stages = self.stages(&space)?;
        self.chosen(space, stages)
    }

    /// What there is to try.
    fn space(&self) -> Result<Space, WorkError> {
        let grid = self.request.grid;
        if !grid.axes.is_empty() {
            return self.space_of_axes();
        }
        let own = &grid.variants[0].draft;
        let (mut searched, mut not_searched) = (Vec::new(), vec![KEPT_AS_PLANNED.to_owned()]);
        let levels = self.levels(own, &mut searched, &mut not_searched)?;
        let base = levels.as_ref().and_then(LevelsFound::draft).unwrap_or(own);
        let why = self.why_unjudged(&numbers_of(self.plan, |_| true));
        let why = why.filter(|_| self.request.strategy != Strategy::Lattice);
        let numbers = match &why {
            Some(why) if levels.is_none() => return Err(Self::unjudged(why)),
            Some(why) => {
                not_searched.push(format!("masks of numbers: {why}"));
                None
            }
            None => self.numbers([own, base], &mut searched, &mut not_searched),
        };
        let is_fallback = numbers.is_some() && base != own;
        let (grid, prices) = match (numbers, &levels) {
            (Some(grid), _) => (grid, None),
            (None, Some(found)) => {
                if !found.k_alone {
                    searched.push(BY_RISING_LOSS.to_owned());
                }
                let (grid, prices) = found.grid();
                (grid, Some(prices))
            }
            (None, None) => {
                let why = not_searched.join("; ");
                return Err(WorkError::mistake(
                    format!("there is nothing to search in this plan ({why})"),
                    "add a step that masks numbers, such as rank-swap, hierarchies of keys, or axes",
                ));
            }
        };
        Ok(Space {
            grid,
            searched,
            not_searched,
            levels,
            prices,
            own_is_fallback: is_fallback,
        })
    }

    /// The best levels of key hierarchies, if there are any to search.
    fn levels(
        &self,
        own: &Draft,
        searched: &mut Vec<String>,
        not_searched: &mut Vec<String>,
    ) -> Result<Option<LevelsFound>, WorkError> {
        if self.request.strategy == Strategy::Halving {
            not_searched.push("levels of hierarchies: --strategy halving".to_owned());
            return Ok(None);
        }
        self.watch.stage("levels of keys", 3, STAGES);
        Ok(match levels::search(self, own)? {
            Ok(found) => {
                searched.push(found.in_words());
                not_searched.extend(found.not_searched());
                Some(found)
            }
            Err(why) => {
                not_searched.push(format!("levels of hierarchies: {why}"));
                None
            }
        })
    }

    /// The variants of the plan's own axes.
    fn space_of_axes(&self) -> Result<Space, WorkError> {
        if let Some(why) = self.why_unjudged(&self.numbers_of_axes()?) {
            return Err(Self::unjudged(&why));
        }
        let grid = self.request.grid;
        let axes = grid.axes.iter();
        let axes = axes.map(|axis| format!("{} ({} values)", axis.name, axis.values.len()));
        let axes: Vec<String> = axes.collect();
        Ok(Space {
            grid: grid.clone(),
            searched: vec![format!("the axes of the plan: {}", axes.join(", "))],
            not_searched: vec!["methods and values that the axes do not name".to_owned()],
            levels: None,
            prices: None,
            own_is_fallback: false,
        })
    }

    fn numbers(
        &self,
        [own, base]: [&Draft; 2],
        searched: &mut Vec<String>,
        not_searched: &mut Vec<String>,
    ) -> Option<Grid> {
        if self.request.strategy == Strategy::Lattice {
            not_searched.push("masks of numbers: --strategy lattice".to_owned());
            return None;
        }
        let grid = candidates::of_numbers(own, base);
        match &grid {
            Some(grid) => searched.push(format!(
                "masks of numbers in place of the plan's own: {}, alone or with post-mask behind them ({} candidates)",
                candidates::masks().join(", "),
                grid.variants.len()
            )),
            None => not_searched.push("masks of numbers: the plan has no step that is one".to_owned()),
        }
        grid
    }

    /// Runs the candidates: all on a sample, the better ones on more records, the finalists on all.
    fn stages(&self, space: &Space) -> Result<Vec<Stage>, WorkError> {
        let n_records = self.loaded.table.n_records();
        let n_candidates = space.grid.variants.len();
        if let Some(prices) = &space.prices {
            return Ok(vec![self.stage_of_levels(space, prices)?]);
        }
        let rounds = rounds(n_records, n_candidates, self.request.runs);
        let mut stages: Vec<Stage> = Vec::new();
        for (number, round) in rounds.iter().enumerate() {
            let candidates = match stages.last() {
                None => thinned(n_candidates, round.n_variants),
                Some(before) => self.gone_on(before, round.n_variants),
            };
            let share = (number + 1) as f64 / rounds.len() as f64;
            let name = if round.n_records == n_records {
                "finalists, all records".to_owned()
            } else {
                format!("{} records", round.n_records)
            };
            self.watch
                .stage(&name, STAGES - 1 - rounds.len() + number, STAGES);
            let variants = (candidates.iter()).map(|&at| space.grid.variants[at].clone());
            let variants: Vec<Variant> = variants.collect();
            let (outcomes, n_kept) = if round.n_records == n_records {
                self.run(self.loaded, &space.grid, &variants, share)?
            } else {
                let sample = sample_of(self.loaded, round.n_records, self.seed)?;
                self.run(&sample, &space.grid, &variants, share)?
            };
            // A clock may have ended it.
            let (candidates, outcomes) = (candidates.into_iter().zip(outcomes))
                .filter_map(|(candidate, outcome)| Some((candidate, outcome?)))
                .unzip();
            stages.push(Stage {
                n_records: round.n_records,
                candidates,
                outcomes,
                n_kept,
            });
        }
        Ok(stages)
    }

    /// Runs levels by rising loss, a few at a time, until one holds that loses no more than what is left. For k alone the
    /// best ones are known beforehand, and are run with those that they are compared with.
    fn stage_of_levels(&self, space: &Space, prices: &[f64]) -> Result<Stage, WorkError> {
        self.watch.stage("levels, all records", STAGES - 1, STAGES);
        let n_candidates = prices.len().min(self.request.runs).max(1);
        let mut stage = Stage {
            n_records: self.loaded.table.n_records(),
            candidates: Vec::new(),
            outcomes: Vec::new(),
            n_kept: 0,
        };
        // The first is the plan as it is.
        let together = levels::MOST_NODES + 1;
        for start in (0..n_candidates).step_by(together) {
            let holding = stage.candidates.iter().zip(&stage.outcomes);
            let holding = holding.filter(|(_, outcome)| self.holds(outcome));
            let least = holding.map(|(&at, _)| prices[at]).reduce(f64::min);
            if self.clock_struck.get() || least.is_some_and(|least| least <= prices[start]) {
                break;
            }
            let few = start..n_candidates.min(start + together);
            let variants: Vec<Variant> = space.grid.variants[few.clone()].to_vec();
            let (outcomes, n_kept) = self.run(self.loaded, &space.grid, &variants, 1.0)?;
            stage.n_kept += n_kept;
            for (candidate, outcome) in few.zip(outcomes) {
                // A clock may have ended it.
                if let Some(outcome) = outcome {
                    stage.candidates.push(candidate);
                    stage.outcomes.push(outcome);
                }
            }
        }
        Ok(stage)
    }

    /// The candidates of a stage that go on to the next; the plan's own is one of them, for comparison.
    fn gone_on(&self, stage: &Stage, n_wanted: usize) -> Vec<usize> {
        let standings: Vec<Standing> = (stage.outcomes.iter())
            .map(|outcome| self.standing(outcome))
            .collect();
        let named = |n: usize| -> Vec<usize> {
            let chosen = promoted(&standings, n).into_iter();
            chosen.map(|at| stage.candidates[at]).collect()
        };
        let chosen = named(n_wanted);
        if !self.request.grid.axes.is_empty() || chosen.first() == Some(&0) {
            return chosen;
        }
        let mut chosen = named(n_wanted.saturating_sub(1));
        chosen.insert(0, 0);
        chosen
    }

    /// Where an outcome stands.
    pub(super) fn standing(&self, outcome: &VariantOutcome) -> Standing {
        let found = self.found(outcome);
        let bad = |side: usize| found[side].as_ref().and_then(MapFigure::badness);
        Standing {
            place: bad(0).zip(bad(1)).map(|(risk, loss)| [risk, loss]),
            holds: self.holds(outcome),
        }
    }

    /// Its figures of risk and loss.
    pub(super) fn found(&self, outcome: &VariantOutcome) -> [Option<MapFigure>; 2] {
        let measures = outcome.found.as_ref().map(|record| &record.measures[..]);
        let measures = measures.unwrap_or_default();
        match &self.figures {
            Some(figures) => figures.each_ref().map(|figure| figure.find(measures)),
            None => [None, None],
        }
    }

    /// Whether every gate and claim holds, and the risk is tolerated.
    pub(super) fn holds(&self, outcome: &VariantOutcome) -> bool {
        if outcome.found.is_err() || outcome.passed() == Some(false) {
            return false;
        }
        let Some(max_risk) = self.request.max_risk else {
            return true;
        };
        let [risk, _] = self.found(outcome);
        risk.is_some_and(|risk| {
            let most = MapFigure {
                value: Some(max_risk),
                ..risk.clone()
            };
            risk.badness()
                .is_some_and(|bad| Some(bad) <= most.badness())
        })
    }

    /// Runs variants of which no record was found, until a share of the time is over; with how many were found.
    pub(super) fn run(
        &self,
        loaded: &Loaded,
        grid: &Grid,
        variants: &[Variant],
        share: f64,
    ) -> Result<(Vec<Option<VariantOutcome>>, usize), WorkError> {
        let names = Names::new(self.origin, &loaded.fingerprint.sha256);
        let keeper = Keeper::new(self.request.folder, &self.guard, names)?;
        let mut outcomes: Vec<Option<VariantOutcome>> = variants
            .iter()
            .map(|variant| keeper.found(variant))
            .collect();
        let n_kept = outcomes.iter().flatten().count();
        let mut left: Vec<usize> = (0..variants.len())
            .filter(|&at| outcomes[at].is_none())
            .collect();
        let all: Vec<&Variant> = left.iter().map(|&at| &variants[at]).collect();
        keeper.check(&all).map_err(WorkError::Data)?;
        let chunk = match self.deadline {
            None => left.len().max(1),
            Some(_) => {
                // What the clock leaves out is to be of all kinds; the first is the plan's own.
                left.sort_by_key(|&at| (at > 0, mixed(at as u64)));
                2 * rayon::current_num_threads()
            }
        };
        let keep = |variant: &Variant, ran| keeper.keep(variant, ran);
        for chunk in left.chunks(chunk) {
            let n_done = outcomes.iter().flatten().count();
            if n_done > 0 && self.is_over(share) {
                self.clock_struck.set(true);
                break;
            }
            let progress = Counted {
                watch: self.watch,
                before: n_done,
                total: variants.len(),
            };
            let these: Vec<&Variant> = chunk.iter().map(|&at| &variants[at]).collect();
            let done = run_each(loaded, &these, grid, self.origin, &progress, &keep)?;
            for (&at, outcome) in chunk.iter().zip(done) {
                outcomes[at] = Some(outcome);
            }
        }
        Ok((outcomes, n_kept))
    }

    fn is_over(&self, share: f64) -> bool {
        // Fresh seeds have no end of their own: their share is without bounds, which no Duration can be.
        let deadline = self.deadline;
        deadline.is_some_and(|(started, most)| started.elapsed().as_secs_f64() >= most * share)
    }

    /// Where finalists lie between risk and loss.
    pub(super) fn trade_off(&self, outcomes: &[VariantOutcome]) -> Option<TradeOff> {
        let [risk, loss] = self.figures.as_ref()?;
        TradeOff::of_outcomes([risk, loss], outcomes, self.original, self.request.max_risk)
    }
}
