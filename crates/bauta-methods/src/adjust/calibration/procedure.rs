//! A calibration from beginning to end: margins, weights and the evidence for them.

use bauta_data::Table;

use crate::adjust::calibration::bounds::{Feasible, necessary};
use crate::adjust::calibration::coding::Files;
use crate::adjust::calibration::distance::Distance;
use crate::adjust::calibration::evidence::{Bins, distribution, kish, shares};
use crate::adjust::calibration::found::{
    Bounds, Calibration, FrontierPoint, Iteration, MarginRow, Multiplier, Rounding, Solution,
};
use crate::adjust::calibration::limits::allows_bounds;
use crate::adjust::calibration::notes::{self, redundant};
use crate::adjust::calibration::problem::Problem;
use crate::adjust::calibration::rank::{Rank, rank};
use crate::adjust::calibration::rounding::rounded;
use crate::adjust::calibration::settings::{FRONTIER_UP_TO, Penalty, Settings};
use crate::adjust::calibration::solve::{End, relative_error, search};
use crate::adjust::calibration::trouble;
use crate::adjust::calibration::{ridge, solve};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::pair::Pair;

/// The L for which the smallest U is worked out.
const FRONTIER: [f64; 9] = [0.0, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7];

/// Calibrated weights of the masked file's records, and how they came about. `recoded` is the masked
/// file before records were deleted.
pub(crate) fn calibrate(
    pair: Pair<'_>,
    recoded: &Table,
    settings: &Settings,
    context: &RunContext<'_>,
) -> Result<(Vec<f64>, Calibration), MethodError> {
    let problem = Problem::new(pair, recoded, settings, context)?;
    let distance = settings.distance;
    let penalised = settings.penalty.is_some();
    let costs = problem.costs(&settings.costs)?;
    trouble::impossible_margins(&problem.margins, pair.masked, distance, |margin| {
        !penalised || costs[margin].is_infinite()
    })?;
    let (rank, mut contradictions) = rank(&problem.design);
    if penalised {
        // Margins with a price may disagree: they are reached only nearly.
        contradictions.retain(|found| {
            let mut sides = found.left.iter().chain(&found.right);
            sides.all(|(margin, _)| costs[*margin].is_infinite())
        });
    }
    if !contradictions.is_empty() {
        return Err(trouble::contradictory(&problem.margins, &contradictions));
    }
    let of_scale = (problem.given).then(|| notes::totals_of_another_unit(problem.scale));
    for note in notes::of_margins(&problem.margins, &rank)
        .into_iter()
        .chain(of_scale.flatten())
    {
        context.note(note);
    }
    let (mut w, mut solutions) = problem.solve_all(&rank, settings, context)?;
    let rounding = settings.round_to.map(|to| {
        let exact = std::mem::take(&mut w);
        w = rounded(&problem.design, &rank.independent, &exact, to);
        problem.rounding(&exact, &w, to)
    });
    let weights = problem.units.per_record(&w);
    if let Some(to) = settings.round_to
        && !weights.is_empty()
        && weights.iter().all(|&w| w == 0.0)
    {
        return Err(trouble::all_rounded_to_zero(weights.len(), to));
    }
    if rounding.is_some()
        && let Some(taken) = solutions.first_mut()
    {
        taken.weights = distribution(&weights);
        taken.kish_after = kish(&weights);
    }
    let n_zero = weights.iter().filter(|&&w| w == 0.0).count();
    if n_zero > 0 && rounding.is_some() {
        context.note(notes::weights_rounded_to_zero(n_zero));
    }
    let n_negative = weights.iter().filter(|&&w| w < 0.0).count();
    if n_negative > 0 {
        context.note(notes::negative_weights(n_negative));
    }
    let mut calibration = problem.evidence(pair, recoded, &rank, &w, &weights);
    let bins = bins_of(solutions.iter());
    (calibration.histogram_from, calibration.histogram_step) = (bins.from, bins.step);
    calibration.solutions = solutions;
    calibration.bounds = problem.bounds(&rank, settings.frontier, context)?;
    calibration.rounding = rounding;
    Ok((weights, calibration))
}

impl Problem<'_> {
    /// The weights of units under the method asked for, and all solutions for the report.
    fn solve_all(
        &self,
        rank: &Rank,
        settings: &Settings,
        context: &RunContext<'_>,
    ) -> Result<(Vec<f64>, Vec<Solution>), MethodError> {
        let distance = settings.distance;
        if let Some(penalty) = settings.penalty {
            let (ratios, solution) = self.penalised(penalty, &settings.costs)?;
            let w = self.weights(&ratios);
            return Ok((w, self.described(vec![(solution, ratios)])));
        }
        let found = search(&self.design, &rank.independent, distance, context)?;
        if found.end != End::Reached {
            return Err(self.not_reached(rank, distance, &found, context)?);
        }
        let w = if distance == Distance::Linear {
            self.shifted(&found.scores)
        } else {
            self.weights(&found.ratios)
        };
        let mut solved = vec![(self.solution(distance, &found, rank), found.ratios)];
        for &other in settings.also.iter().filter(|other| **other != distance) {
            let found = search(&self.design, &rank.independent, other, context)?;
            let mut solution = self.solution(other, &found, rank);
            if found.end != End::Reached {
                let error = self.not_reached(rank, other, &found, context)?;
                solution.failed = Some(error.to_string());
            }
            solved.push((solution, found.ratios));
        }
        Ok((w, self.described(solved)))
    }

    fn not_reached(
        &self,
        rank: &Rank,
        distance: Distance,
        found: &solve::Search,
        context: &RunContext<'_>,
    ) -> Result<MethodError, MethodError> {
        trouble::not_reached(&self.margins, &self.design, rank, distance, found, context)
    }

    /// w = d g.
    fn weights(&self, ratios: &[f64]) -> Vec<f64> {
        let units = self.design.profile_of.iter().zip(&self.d);
        units
            .map(|(&profile, d)| d * ratios[profile as usize])
            .collect()
    }

    /// w = d + d q x'λ: the same as d (1 + q x'λ), but where q = 1/d the same amount is added to
    /// each, to the last digit.
    fn shifted(&self, scores: &[f64]) -> Vec<f64> {
        let units = self.design.profile_of.iter().enumerate();
        units
            .map(|(unit, &profile)| {
                let d = self.d[unit];
                d + d * self.units.q[unit] * scores[profile as usize]
            })
            .collect()
    }

    fn solution(&self, distance: Distance, found: &solve::Search, rank: &Rank) -> Solution {
        let (lower, upper) = distance.range();
        let bounded = distance.is_bounded();
        Solution {
            method: distance.name().to_owned(),
            q: self.q_name.clone(),
            lower: bounded.then_some(lower),
            upper: bounded.then_some(upper),
            iterations: found
                .steps
                .iter()
                .map(|step| Iteration {
                    largest_change: step.largest_change,
                    largest_error: step.largest_error,
                    step: step.length,
                    n_negative: step.n_negative,
                })
                .collect(),
            multipliers: rank
                .independent
                .iter()
                .map(|&margin| Multiplier {
                    margin: self.design.names[margin].clone(),
                    value: found.lambda[margin],
                })
                .collect(),
            ..Solution::default()
        }
    }

    fn penalised(
        &self,
        penalty: Penalty,
        costs: &[(String, f64)],
    ) -> Result<(Vec<f64>, Solution), MethodError> {
        let costs = self.costs(costs)?;
        let penalty = match penalty {
            Penalty::Lambda(penalty) => penalty,
            Penalty::ForGap(gap) => {
                ridge::penalty_for_gap(&self.design, &costs, gap).ok_or_else(|| {
                    MethodError::request(
                        "no penalty brings the ratios w/d so near to each other: margins with an infinite cost keep them apart",
                        "choose a larger `gap`, or give those margins a finite cost",
                    )
                })?
            }
        };
        let (ratios, lambda) = ridge::ratios(&self.design, &costs, penalty);
        let multipliers = self.design.names.iter().zip(lambda);
        let solution = Solution {
            method: "linear".to_owned(),
            q: self.q_name.clone(),
            penalty: Some(penalty),
            multipliers: multipliers
                .map(|(margin, value)| Multiplier {
                    margin: margin.clone(),
                    value,
                })
                .collect(),
            ..Solution::default()
        };
        Ok((ratios, solution))
    }

    /// The cost of each margin: its own, that of its term, or 1.
    fn costs(&self, given: &[(String, f64)]) -> Result<Vec<f64>, MethodError> {
        let of = |name: &str| {
            given
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, c)| *c)
        };
        for (name, _) in given {
            let is_term = self.margins.terms.iter().any(|term| term.text == *name);
            if !is_term && !self.design.names.contains(name) {
                return Err(MethodError::request(
                    format!("`costs` names `{name}`, which is neither a term nor a margin"),
                    "name terms as in `margins`, or margins such as sex=1",
                ));
            }
        }
        let cost = |margin: &crate::adjust::calibration::margins::Margin| {
            let term = &self.margins.terms[margin.term].text;
            of(&margin.name).or_else(|| of(term)).unwrap_or(1.0)
        };
        Ok(self.margins.all.iter().map(cost).collect())
    }

    /// Solutions with their distributions.
    fn described(&self, solved: Vec<(Solution, Vec<f64>)>) -> Vec<Solution> {
        let scaled = self.units.per_record(&self.d);
        let start = kish(&scaled);
        let per_record = |ratios: &[f64]| -> Vec<f64> {
            let of_unit = self.design.profile_of.iter();
            let of_unit: Vec<f64> = of_unit.map(|&p| ratios[p as usize]).collect();
            self.units.per_record(&of_unit)
        };
        let all: Vec<(Solution, Vec<f64>)> = solved
            .into_iter()
            .map(|(mut solution, ratios)| {
                let totals = self
                    .design
                    .totals(|profile| self.design.d[profile] * ratios[profile]);
                solution.largest_error = totals
                    .iter()
                    .zip(&self.design.targets)
                    .map(|(total, target)| relative_error(*total, *target).abs())
                    .fold(0.0, f64::max);
                let g = per_record(&ratios);
                let w: Vec<f64> = g.iter().zip(&scaled).map(|(g, d)| g * d).collect();
                solution.g = distribution(&g);
                solution.weights = distribution(&w);
                solution.kish_before = start;
                solution.kish_after = kish(&w);
                solution.n_negative = w.iter().filter(|&&w| w < 0.0).count() as u64;
                let at = |bound: Option<f64>| {
                    let near = |bound: f64| {
                        let at = |g: &&f64| (**g - bound).abs() <= 1e-9 * bound.abs().max(1.0);
                        g.iter().filter(at).count() as u64
                    };
                    bound.map_or(0, near)
                };
                solution.n_at_lower = at(solution.lower);
                solution.n_at_upper = at(solution.upper);
                (solution, g)
            })
            .collect();
        let bins = bins_of(all.iter().map(|(solution, _)| solution));
        all.into_iter()
            .map(|(mut solution, g)| {
                if solution.failed.is_none() {
                    solution.histogram = bins.counts(&g);
                    solution.density = bins.density(&solution.histogram, &solution.g);
                }
                solution
            })
            .collect()
    }

    fn totals_of(&self, w: &[f64]) -> Vec<f64> {
        let mut of_profile = vec![0.0; self.design.n_profiles()];
        for (&profile, w) in self.design.profile_of.iter().zip(w) {
            of_profile[profile as usize] += w;
        }
        self.design.totals(|profile| of_profile[profile])
    }

    fn rounding(&self, exact: &[f64], whole: &[f64], to: f64) -> Rounding {
        let (before, after) = (self.totals_of(exact), self.totals_of(whole));
        let change = |margin: &usize| (after[*margin] - before[*margin]).abs();
        let most = (0..before.len()).max_by(|a, b| change(a).total_cmp(&change(b)));
        Rounding {
            to,
            largest_change: most.map_or(0.0, |margin| change(&margin)),
            margin: most.map_or_else(String::new, |margin| self.design.names[margin].clone()),
        }
    }

    fn evidence(
        &self,
        pair: Pair<'_>,
        recoded: &Table,
        rank: &Rank,
        w: &[f64],
        weights: &[f64],
    ) -> Calibration {
        let used: Vec<&str> = self
            .margins
            .terms
            .iter()
            .flat_map(|term| &term.classes)
            .map(String::as_str)
            .collect();
        let start = self.units.per_record(&self.d);
        Calibration {
            weight: self.weight.clone(),
            start: self.start.clone(),
            unit: match self.units.of_record {
                None => "record".to_owned(),
                Some(_) => "household".to_owned(),
            },
            n_original: pair.original.n_records() as u64,
            n_kept: pair.masked.n_records() as u64,
            scale: self.scale,
            targets_from: if self.given {
                "given totals".to_owned()
            } else {
                "original file".to_owned()
            },
            margins: self.margin_rows(w),
            n_independent: rank.independent.len() as u64,
            redundant: redundant(&self.margins, rank)
                .map(|margin| margin.name.clone())
                .collect(),
            shares: shares(
                Files {
                    original: pair.original,
                    recoded,
                    released: pair.masked,
                },
                &used,
                [self.original_weights, &start, weights],
            ),
            ..Calibration::default()
        }
    }

    fn margin_rows(&self, w: &[f64]) -> Vec<MarginRow> {
        let before = self.design.totals(|profile| self.design.d[profile]);
        let after = self.totals_of(w);
        let mut of_term = vec![0.0; self.margins.terms.len()];
        for margin in &self.margins.all {
            of_term[margin.term] += margin.target;
        }
        let row = |(position, margin): (usize, &crate::adjust::calibration::margins::Margin)| {
            let term = &self.margins.terms[margin.term];
            let is_share = term.counts() && !term.classes.is_empty();
            MarginRow {
                name: margin.name.clone(),
                term: term.text.clone(),
                target: margin.target,
                share: is_share.then(|| margin.target / of_term[margin.term]),
                before: before[position] / self.scale,
                before_scaled: before[position],
                after: after[position],
                relative_error: relative_error(after[position], margin.target),
                n_before: (!self.given).then_some(margin.n_before),
                n_after: margin.n_after,
                place: margin.place as u64,
                told: margin.told,
            }
        };
        self.margins.all.iter().enumerate().map(row).collect()
    }

    /// The bounds that the margins allow, where asked for or cheap.
    fn bounds(
        &self,
        rank: &Rank,
        asked: Option<bool>,
        context: &RunContext<'_>,
    ) -> Result<Option<Bounds>, MethodError> {
        let cheap = self.design.n_profiles() <= FRONTIER_UP_TO && allows_bounds(&self.design);
        let wanted = asked.unwrap_or(cheap);
        if !wanted || rank.independent.is_empty() {
            return Ok(None);
        }
        let range = necessary(&self.design);
        let mut feasible = Feasible::new(&self.design, &rank.independent);
        let mut frontier = Vec::new();
        for (done, &lower) in FRONTIER.iter().enumerate() {
            context.progress(done, FRONTIER.len() + 1)?;
            frontier.push(FrontierPoint {
                lower,
                smallest_upper: feasible.smallest_upper(lower, context)?,
            });
        }
        Ok(Some(Bounds {
            necessary_lower: range.map(|[low, _]| low),
            necessary_upper: range.map(|[_, high]| high),
            narrowest: feasible.narrowest(context)?,
            frontier,
        }))
    }
}

/// Bins that hold the ratios of all solutions.
fn bins_of<'s>(solutions: impl Iterator<Item = &'s Solution>) -> Bins {
    let (mut low, mut high) = (1.0_f64, 1.0_f64);
    for solution in solutions.filter(|solution| solution.failed.is_none()) {
        low = low.min(solution.g.quantiles[0]);
        high = high.max(solution.g.quantiles[8]);
    }
    Bins::over(low, high)
}
