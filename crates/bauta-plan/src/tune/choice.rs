//! The choice: of the finalists that hold, the one with the least loss that holds on fresh seeds too.

use bauta_methods::{Randomness, registry};

use super::again::{Judged, Spread, fresh_seeds};
use super::halving::Standing;
use super::search::{Search, Space};
use super::{STAGES, Stage, Tuned};
use crate::draft::Draft;
use crate::plan::Plan;
use crate::record::{MeasureFamily, MeasureRecord};
use crate::sweep::{FigureChoice, Grid, Side, Variant};
use crate::toml;
use crate::work::WorkError;

/// Finalists on the front that are judged again beside the chosen one, at the most.
const MOST_OF_THE_FRONT: usize = 5;

/// The figures of the first gates of a plan, or of its first measures.
pub(super) fn usual_figures(plan: &Plan, original: &[MeasureRecord]) -> Option<[FigureChoice; 2]> {
    let of_gate = |family: MeasureFamily| {
        plan.gates.iter().find_map(|gate| {
            let measured = original.get(*gate.measures.first()?)?;
            (measured.family == family && measured.condition.is_none()).then(|| FigureChoice {
                measure: measured.id.clone(),
                part: gate.figure.spelled(),
                scenario: None,
            })
        })
    };
    let usual = |side, family| of_gate(family).or_else(|| FigureChoice::usual(side, original, &[]));
    Some([
        usual(Side::Risk, MeasureFamily::Risk)?,
        usual(Side::Loss, MeasureFamily::Loss)?,
    ])
}

impl Search<'_> {
    /// Chooses among what the last stage found.
    pub(super) fn chosen(&self, space: Space, stages: Vec<Stage>) -> Result<Tuned, WorkError> {
        let last = stages
            .last()
            .ok_or_else(|| WorkError::internal("a search without a stage"))?;
        let outcomes = &last.outcomes;
        let variants: Vec<Variant> = (last.candidates.iter())
            .map(|&at| space.grid.variants[at].clone())
            .collect();
        let standings: Vec<Standing> = outcomes
            .iter()
            .map(|outcome| self.standing(outcome))
            .collect();
        let trade = self.trade_off(outcomes);
        let prices: Option<Vec<f64>> = (space.prices.as_ref())
            .map(|prices| last.candidates.iter().map(|&at| prices[at]).collect());
        let wanted = preferred(&standings, prices.as_deref());
        let seeds = fresh_seeds(self.seed, self.request.again);
        let mut judged: Vec<Judged> = Vec::new();
        let mut passed_over = Vec::new();
        let mut chosen = None;
        for finalist in wanted {
            self.watch.stage("fresh seeds", STAGES, STAGES);
            let one = self.judge(finalist, &variants[finalist], &space.grid, &seeds)?;
            let holds = one.holds(self.request.may_fail);
            judged.push(one);
            if holds {
                chosen = Some(finalist);
                break;
            }
            passed_over.push(finalist);
        }
        let points = trade
            .iter()
            .flat_map(|trade| trade.points.iter().enumerate());
        let front = points.filter(|(at, point)| point.on_front && standings[*at].holds);
        let front: Vec<usize> = front.map(|(at, _)| at).collect();
        for finalist in front.into_iter().take(MOST_OF_THE_FRONT) {
            if judged.iter().all(|judged| judged.finalist != finalist) {
                judged.push(self.judge(finalist, &variants[finalist], &space.grid, &seeds)?);
            }
        }
        let text = chosen.map(|finalist| {
            let n_tried = stages.first().map_or(0, |stage| stage.candidates.len());
            self.text_of(&variants[finalist].draft, &space.grid, n_tried)
        });
        Ok(Tuned {
            finalists: Grid::of_variants(space.grid.axes.clone(), variants),
            grid: space.grid,
            searched: space.searched,
            not_searched: space.not_searched,
            trade,
            holds: standings.iter().map(|standing| standing.holds).collect(),
            judged,
            passed_over,
            chosen,
            text: text.transpose()?,
            repeatable: self.deadline.is_none()
                && !self.plan.steps.iter().any(|step| step.facts().timed),
            levels: space.levels,
            stages,
            reads: self.plan.reads.clone(),
        })
    }

    /// Runs a finalist on fresh seeds.
    fn judge(
        &self,
        finalist: usize,
        variant: &Variant,
        grid: &Grid,
        seeds: &[u64],
    ) -> Result<Judged, WorkError> {
        let draws = draws(&variant.draft);
        let seeds = if draws { seeds } else { &[] };
        let variants: Vec<Variant> = (seeds.iter())
            .map(|&seed| {
                let mut variant = variant.clone();
                variant.draft.plan.seed = Some(seed);
                variant
            })
            .collect();
        let (outcomes, _) = self.run(self.loaded, grid, &variants, f64::INFINITY)?;
        let outcomes: Vec<_> = outcomes.into_iter().flatten().collect();
        let found: Vec<_> = outcomes.iter().map(|outcome| self.found(outcome)).collect();
        let spread = |side: usize| {
            let figures: Vec<Option<f64>> = (found.iter())
                .map(|found| found[side].as_ref().and_then(|figure| figure.value))
                .collect();
            Spread::of(&figures)
        };
        Ok(Judged {
            finalist,
            draws,
            n_seeds: outcomes.len(),
            n_held: outcomes
                .iter()
                .filter(|outcome| self.holds(outcome))
                .count(),
            risk: spread(0),
            loss: spread(1),
        })
    }

    /// The plan that is written. Its reasons are published: no figure, no parameter.
    fn text_of(&self, draft: &Draft, grid: &Grid, n_tried: usize) -> Result<String, WorkError> {
        let folder = self.request.folder.file_name().unwrap_or_default();
        let reason = format!(
            "chosen by bauta tune among {n_tried} variants; the evidence is in {}",
            folder.to_string_lossy()
        );
        let own = &self.request.grid.variants[0].draft.steps;
        let has_axes = !self.request.grid.axes.is_empty();
        let mut tuned = draft.clone();
        for step in &mut tuned.steps {
            let was_chosen = if has_axes {
                let mut variants = grid.variants.iter();
                variants.any(|variant| !variant.draft.steps.contains(step))
            } else {
                !own.contains(step)
            };
            if was_chosen {
                step.why = Some(match step.why.take().filter(|_| has_axes) {
                    Some(why) => format!("{why}; {reason}"),
                    None => reason.clone(),
                });
            }
        }
        toml::settled(self.request.text, &tuned).map_err(WorkError::Problems)
    }
}

/// Whether a plan draws random numbers for what it releases.
fn draws(draft: &Draft) -> bool {
    draft.steps.iter().any(|step| {
        let card = registry::card(step.method.id());
        card.is_none_or(|card| card.randomness != Randomness::None)
    })
}

/// The finalists that hold, the least loss first, then the least risk, then the first.
fn preferred(standings: &[Standing], prices: Option<&[f64]>) -> Vec<usize> {
    let key = |at: usize| {
        let [risk, loss] = standings[at].place.unwrap_or([f64::INFINITY; 2]);
        match prices {
            Some(prices) => [prices[at], loss, risk],
            None => [loss, risk, 0.0],
        }
    };
    let mut holding: Vec<usize> = (0..standings.len())
        .filter(|&at| standings[at].holds)
        .filter(|&at| prices.is_some() || standings[at].place.is_some())
        .collect();
    holding.sort_by(|&a, &b| {
        let pairs = key(a).into_iter().zip(key(b));
        let by_key = pairs.map(|(a, b)| a.total_cmp(&b));
        by_key
            .fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
            .then(a.cmp(&b))
    });
    holding
}
