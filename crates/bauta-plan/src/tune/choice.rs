//! The choice: of the finalists that hold on fresh seeds too, the one with the least mean loss there; judged once more on
//! further seeds, since those that it was chosen by flatter it.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use bauta_methods::{Better, Randomness, registry};

use super::again::{Judged, Spread, fresh_seeds};
use super::candidates::AS_PLANNED;
use super::halving::Standing;
use super::levels::{is_recode, is_suppression};
use super::search::{Search, Space};
use super::{ChosenBy, STAGES, Stage, Tuned};
use crate::check::real_place;
use crate::draft::{Draft, StepDraft};
use crate::plan::Plan;
use crate::record::{MeasureFamily, MeasureRecord};
use crate::sweep::{FigureChoice, Grid, Side, TradeAxis, TradeOff, Variant};
use crate::toml;
use crate::work::WorkError;

/// Finalists that are judged on fresh seeds and compared by what those gave, if so many hold.
const CONTENDERS: usize = 4;

/// The loss that sees every masked variable, numbers and categories.
const WHOLE_FILE: &str = "file-loss";

/// Finalists on the front that are judged beside them, at the most.
const MOST_OF_THE_FRONT: usize = 3;

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

/// The finalists, and what is chosen by.
struct Contest<'c> {
    grid: &'c Grid,
    variants: &'c [Variant],
    standings: &'c [Standing],
    /// Of each finalist what counts before its loss.
    ranks: Vec<[f64; 2]>,
    /// Whether what counts before the loss can be all there is.
    is_of_levels: bool,
    trade: Option<&'c TradeOff>,
    /// The plan as it is.
    own: Option<usize>,
}

/// What became of a contest.
struct Election {
    judged: Vec<Judged>,
    passed_over: Vec<usize>,
    chosen: Option<usize>,
    /// Whether the plan as it is was taken because it loses less.
    own_loses_less: bool,
    confirmed: Option<Judged>,
}

impl Search<'_> {
    /// Chooses among what the last stage found.
    pub(super) fn chosen(&self, space: Space, stages: Vec<Stage>) -> Result<Tuned, WorkError> {
        let last = stages
            .last()
            .ok_or_else(|| WorkError::internal("a search without a stage"))?;
        let variants: Vec<Variant> = (last.candidates.iter())
            .map(|&at| space.grid.variants[at].clone())
            .collect();
        let outcomes = last.outcomes.iter();
        let standings: Vec<Standing> = outcomes.map(|outcome| self.standing(outcome)).collect();
        let trade = self.trade_off(&last.outcomes);
        let election = self.elect(&Contest {
            grid: &space.grid,
            variants: &variants,
            standings: &standings,
            ranks: last.candidates.iter().map(|&at| space.rank(at)).collect(),
            is_of_levels: space.prices.is_some(),
            trade: trade.as_ref(),
            own: last.candidates.iter().position(|&at| {
                let values = space.grid.variants[at].values.first();
                values.is_some_and(|value| value == AS_PLANNED)
            }),
        })?;
        let text = election
            .chosen
            .map(|finalist| self.text_of(&variants[finalist].draft, &space.grid));
        let is_fallback = |finalist: usize| space.rank(last.candidates[finalist])[0] > 0.0;
        let chosen_by = match election.chosen {
            _ if election.own_loses_less => ChosenBy::OwnLosesLess,
            Some(finalist) if is_fallback(finalist) => ChosenBy::NothingElse,
            _ if space.prices.is_some() => ChosenBy::Levels,
            _ if self.request.again == 0 => ChosenBy::LossUnderOwnSeed,
            _ => ChosenBy::MeanLoss,
        };
        Ok(Tuned {
            finalists: Grid::of_variants(space.grid.axes.clone(), variants),
            grid: space.grid,
            searched: space.searched,
            not_searched: space.not_searched,
            trade,
            holds: standings.iter().map(|standing| standing.holds).collect(),
            judged: election.judged,
            passed_over: election.passed_over,
            chosen: election.chosen,
            chosen_by,
            confirmed: election.confirmed,
            may_fail: self.request.may_fail,
            text: text.transpose()?,
            clock_struck: self.clock_struck.get(),
            levels: space.levels,
            stages,
            reads: self.plan.reads.clone(),
        })
    }

    /// Judges the best few on fresh seeds, further ones only if all of those fail; takes the one with the least mean loss
    /// of those that hold, and judges that once more: the seeds that it was chosen by flatter it.
    fn elect(&self, contest: &Contest<'_>) -> Result<Election, WorkError> {
        let n_seeds = self.request.again;
        let seeds = fresh_seeds(self.seed, 2 * n_seeds);
        let (fresh, further) = seeds.split_at(n_seeds);
        // Without fresh seeds there is nothing more to compare contenders by.
        let (n_together, n_of_front) = match n_seeds {
            0 => (1, 0),
            _ => (CONTENDERS, MOST_OF_THE_FRONT),
        };
        let holds = |judged: &Judged| judged.holds(self.request.may_fail);
        let mut judged: Vec<Judged> = Vec::new();
        for few in contest.preferred().chunks(n_together) {
            for &finalist in few {
                judged.push(self.judge(finalist, contest, fresh)?);
            }
            if judged.iter().any(holds) {
                break;
            }
        }
        let front = contest.front().into_iter();
        let others: Vec<usize> = front
            .filter(|finalist| judged.iter().all(|of| of.finalist != *finalist))
            .take(n_of_front)
            .collect();
        let is_judged = |judged: &[Judged], at: usize| judged.iter().any(|of| of.finalist == at);
        // What was found must be worth more than what there was.
        let own = contest.own.filter(|&own| contest.standings[own].holds);
        let own = own.filter(|&own| !is_judged(&judged, own) && !others.contains(&own));
        for finalist in others.into_iter().chain(own) {
            judged.push(self.judge(finalist, contest, fresh)?);
        }
        let failed = judged.iter().filter(|judged| !holds(judged));
        let passed_over = failed.map(|judged| judged.finalist).collect();
        let best = judged
            .iter()
            .filter(|judged| holds(judged))
            .min_by(|a, b| contest.compared(a, b));
        let own = best.and_then(|best| {
            let own = judged
                .iter()
                .find(|one| contest.own == Some(one.finalist))?;
            (holds(own) && contest.loses_less(own, best)).then_some(own)
        });
        let best = own.or(best);
        let chosen = best.map(|judged| judged.finalist);
        let drawn = best.filter(|judged| judged.n_seeds > 0);
        let confirmed = drawn.map(|judged| self.judge(judged.finalist, contest, further));
        Ok(Election {
            chosen,
            own_loses_less: own.is_some(),
            passed_over,
            confirmed: confirmed.transpose()?,
            judged,
        })
    }

    /// Runs a finalist on fresh seeds.
    fn judge(
        &self,
        finalist: usize,
        contest: &Contest<'_>,
        seeds: &[u64],
    ) -> Result<Judged, WorkError> {
        self.watch.stage("fresh seeds", STAGES, STAGES);
        let variant = &contest.variants[finalist];
        let draws = draws(&variant.draft);
        let seeds = if draws { seeds } else { &[] };
        let variants: Vec<Variant> = (seeds.iter())
            .map(|&seed| {
                let mut variant = variant.clone();
                variant.draft.plan.seed = Some(seed);
                variant
            })
            .collect();
        let (outcomes, _) = self.run(self.loaded, contest.grid, &variants, f64::INFINITY)?;
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
            few: (found.iter().flatten().flatten()).any(|figure| figure.few),
        })
    }

    /// The plan that is written. Its reasons are published: no figure, no parameter.
    fn text_of(&self, draft: &Draft, grid: &Grid) -> Result<String, WorkError> {
        // A folder that is given as `.` has a name all the same.
        let folder = real_place(self.request.folder);
        let reason = match folder.file_name() {
            Some(name) => format!(
                "chosen by bauta tune; the evidence is in {}",
                name.to_string_lossy()
            ),
            None => "chosen by bauta tune".to_owned(),
        };
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
        if !has_axes {
            say_what_was_left_out(own, &mut tuned.steps);
        }
        toml::settled(self.request.text, &tuned).map_err(WorkError::Problems)
    }
}

/// Recodings that were left out have no place for a reason: what treats the keys after them says so.
fn say_what_was_left_out(own: &[StepDraft], tuned: &mut [StepDraft]) {
    let recoded = |steps: &[StepDraft]| -> BTreeSet<String> {
        let recodings = steps.iter().filter(|step| is_recode(step));
        let names = recodings.flat_map(|step| step.on.iter().flat_map(|on| &on.value));
        names.map(|name| name.value.clone()).collect()
    };
    let left_out: Vec<String> = recoded(own).difference(&recoded(tuned)).cloned().collect();
    let Some(step) = tuned.iter_mut().find(|step| is_suppression(step)) else {
        return;
    };
    if !left_out.is_empty() {
        let said = format!(
            "bauta tune left out the recoding of {}",
            left_out.join(", ")
        );
        step.why = Some(match step.why.take() {
            Some(why) => format!("{why}; {said}"),
            None => said,
        });
    }
}

/// Whether a plan draws random numbers for what it releases.
fn draws(draft: &Draft) -> bool {
    draft.steps.iter().any(|step| {
        let card = registry::card(step.method.id());
        !step.off && card.is_none_or(|card| card.randomness != Randomness::None)
    })
}

impl Contest<'_> {
    /// The finalists that hold under the plan's own seed, the best first.
    fn preferred(&self) -> Vec<usize> {
        let mut holding: Vec<usize> = (0..self.standings.len())
            .filter(|&at| self.standings[at].holds)
            .filter(|&at| self.is_of_levels || self.standings[at].place.is_some())
            .collect();
        let key = |at: usize| {
            let place = self.standings[at].place;
            self.key(at, place.unwrap_or([f64::INFINITY; 2]))
        };
        holding.sort_by(|&a, &b| in_order(&key(a), &key(b)).then(a.cmp(&b)));
        holding
    }

    /// Those on the front that hold.
    fn front(&self) -> Vec<usize> {
        let points = self.trade.iter().flat_map(|trade| &trade.points);
        let front = points.zip(self.standings).enumerate();
        let front = front.filter(|(_, (point, standing))| point.on_front && standing.holds);
        front.map(|(at, _)| at).collect()
    }

    /// Which of two is to be preferred by what fresh seeds gave; what draws nothing is the same under all.
    fn compared(&self, a: &Judged, b: &Judged) -> Ordering {
        let key = |judged: &Judged| {
            let place = self.place_on_seeds(judged);
            self.key(judged.finalist, place.unwrap_or([f64::INFINITY; 2]))
        };
        in_order(&key(a), &key(b)).then(a.finalist.cmp(&b.finalist))
    }

    /// Whether one loses less than another of the file as a whole. Other losses do not see what levels and suppression
    /// take, or see nothing else, and then what counts before them stands.
    fn loses_less(&self, one: &Judged, other: &Judged) -> bool {
        let is_whole = |trade: &TradeOff| trade.loss.figure.measure == WHOLE_FILE;
        let places = self.place_on_seeds(one).zip(self.place_on_seeds(other));
        self.trade.is_some_and(is_whole)
            && places.is_some_and(|([_, loss], [_, other])| loss < other)
    }

    /// Risk and loss of one that was judged, over the seeds that it was judged on.
    fn place_on_seeds(&self, judged: &Judged) -> Option<[f64; 2]> {
        if judged.n_seeds == 0 {
            self.standings[judged.finalist].place
        } else {
            self.mean_place(judged)
        }
    }

    /// Mean risk and loss over fresh seeds, both the worse the larger.
    fn mean_place(&self, judged: &Judged) -> Option<[f64; 2]> {
        let trade = self.trade?;
        let bad = |axis: &TradeAxis, mean: f64| match axis.better {
            Better::Higher => -mean,
            Better::Lower | Better::Neither => mean,
        };
        let (risk, loss) = judged.risk.zip(judged.loss)?;
        Some([bad(&trade.risk, risk.mean), bad(&trade.loss, loss.mean)])
    }

    /// What finalists are compared by: what counts before the loss, then the loss, then the risk.
    fn key(&self, finalist: usize, [risk, loss]: [f64; 2]) -> [f64; 4] {
        let [fallback, price] = self.ranks[finalist];
        [fallback, price, loss, risk]
    }
}

fn in_order(a: &[f64; 4], b: &[f64; 4]) -> Ordering {
    let pairs = a.iter().zip(b).map(|(a, b)| a.total_cmp(b));
    pairs.fold(Ordering::Equal, Ordering::then)
}
