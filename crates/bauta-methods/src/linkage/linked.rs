//! What links are worth: how many are right, how sure an intruder could be, and by what.

use foldhash::fast::FixedState;

use super::Truth;
use super::choose::{Chosen, Flow};
use super::em::EmCourse;
use super::error_bounds::Thresholds;
use super::estimate::{Estimated, VariableParameters};
use super::model::Model;
use super::pairs::{Collapsed, PairsUsed};
use super::settings::{Choosing, Estimation, Settings};
use crate::kernel::assignment::Certificate;
use crate::kernel::numbers::sums::compensated;

/// Looked up only, never gone through: no order of it reaches a result.
type Map<K, V> = hashbrown::HashMap<K, V, FixedState>;

/// Posterior from which on an intruder could be sure of a link.
pub const SURE: f64 = 0.95;
/// Bins of the weights of links.
const N_BINS: usize = 24;
/// Points of the curve of precision.
const N_POINTS: usize = 40;

/// What linking two files found.
#[derive(Clone, Debug)]
pub struct Linked {
    /// Original records.
    pub n_original: usize,
    /// Masked records.
    pub n_masked: usize,
    /// Links by falling weight, those between equal records together.
    pub links: Vec<LinkGroup>,
    /// Weight of all links.
    pub total_weight: f64,
    /// What is known of their truth; none where nothing is.
    pub truth: Option<AgainstTruth>,
    /// Sum of the posteriors of the links; none where weights are not those of a likelihood.
    pub expected: Option<f64>,
    /// How links were chosen.
    pub way: Choosing,
    /// Why in this way.
    pub why: String,
    /// Proof that no other links weigh more, among all pairs or among the candidates.
    pub certificate: Option<Certificate>,
    /// By how much pairs that were no candidates could raise the total at the most.
    pub beyond: Option<f64>,
    /// Masked records that were looked at for each original one at the most; none where no search was cut short.
    pub looked_at: Option<usize>,
    /// What agreement weighs, by variable.
    pub parameters: Vec<VariableParameters>,
    /// Pairs that this was estimated from.
    pub used: Option<PairsUsed>,
    /// How EM went.
    pub course: Option<EmCourse>,
    /// Where links and possible links begin; none where nobody asked.
    pub thresholds: Option<Thresholds>,
    members: [Members; 2],
}

/// Links between equal original and equal masked records.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LinkGroup {
    original: u32,
    masked: u32,
    /// How many links.
    pub count: f64,
    /// What each weighs.
    pub weight: f64,
    /// Probability that one of them is right, as the truth has it; none where it is not known.
    pub credit: Option<f64>,
    /// The same as an intruder would work it out.
    pub posterior: Option<f64>,
}

/// One link between two records, by their positions in the files.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LinkedRecords {
    /// Position in the original file.
    pub original: u32,
    /// Position in the masked file.
    pub masked: u32,
    /// What it weighs.
    pub weight: f64,
    /// Probability that it is right, by the truth.
    pub credit: Option<f64>,
    /// Probability that it is right, by the weights.
    pub posterior: Option<f64>,
}

/// Links held against the truth.
#[derive(Clone, Debug)]
pub struct AgainstTruth {
    /// Right links; where records are equal, as many as could be expected.
    pub correct: f64,
    /// Masked records whose original is in the file: as many links could be right.
    pub n_partners: u64,
    /// Weight of the true pairs.
    pub true_pair_weight: f64,
    /// For each masked record the probability that it is linked with its own original.
    pub credits: Vec<f64>,
    /// For each masked record the weight of the pair with its own original; NaN where that is not in the file.
    pub true_weights: Vec<f64>,
    /// Masked records whose original was not among the candidates.
    pub n_not_candidates: Option<u64>,
    /// Links above the cut.
    pub zone: Zone,
    /// Links listed and the share of them that is right, from the top of the list down.
    pub precision: Vec<[f64; 2]>,
    /// Right and wrong links by weight: the left end of each bin, right links, wrong links.
    pub by_weight: Vec<[f64; 3]>,
    /// Mean weight of each variable in right and in wrong links; none where there are none.
    pub contributions: Vec<[Option<f64>; 2]>,
}

/// The upper part of the list of links.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Zone {
    /// Share of right links at which it ends.
    pub cut: f64,
    /// Links in it.
    pub n_links: f64,
    /// Right links in it.
    pub correct: f64,
    /// Weight of its last link; none where no link is in it.
    pub lowest_weight: Option<f64>,
}

#[derive(Clone, Debug)]
struct Members {
    starts: Vec<usize>,
    records: Vec<u32>,
}

impl Members {
    fn of(&self, distinct: u32) -> &[u32] {
        let at = distinct as usize;
        &self.records[self.starts[at]..self.starts[at + 1]]
    }
}

impl Linked {
    pub(super) fn of(
        files: &Collapsed,
        estimated: Estimated,
        chosen: Chosen,
        truth: Option<Truth>,
        settings: &Settings,
    ) -> Self {
        let (n_original, n_masked) = (files.original.of_record.len(), files.masked.of_record.len());
        let true_pairs = truth.as_ref().map(|truth| counted(&truth.pairs));
        let prior = Prior::of(files, settings, &estimated, truth.is_some());
        let mut links: Vec<LinkGroup> = (chosen.flows.iter())
            .map(|flow| {
                let credit = true_pairs.as_ref().map(|pairs| {
                    let n_true = pairs
                        .get(&(flow.original, flow.masked))
                        .copied()
                        .unwrap_or(0.0);
                    n_true / cells(files, flow.original, flow.masked)
                });
                LinkGroup {
                    original: flow.original,
                    masked: flow.masked,
                    count: flow.count,
                    weight: flow.weight,
                    credit,
                    posterior: prior
                        .as_ref()
                        .and_then(|prior| prior.posterior(flow, &chosen.sums)),
                }
            })
            .collect();
        links.sort_by(|a, b| {
            let by_weight = b.weight.total_cmp(&a.weight);
            by_weight
                .then(a.original.cmp(&b.original))
                .then(a.masked.cmp(&b.masked))
        });
        let total_weight = compensated(links.iter().map(|link| link.count * link.weight));
        let against = truth.map(|truth| {
            AgainstTruth::of(files, &estimated.model, &chosen, &links, &truth, settings)
        });
        let has_prior = prior.is_some();
        let known = links.iter().all(|link| link.posterior.is_some());
        let expected = compensated(
            links
                .iter()
                .map(|link| link.count * link.posterior.unwrap_or(0.0)),
        );
        let members = [&files.original, &files.masked].map(|distinct| {
            let (starts, records) = distinct.members();
            Members { starts, records }
        });
        Self {
            n_original,
            n_masked,
            links,
            total_weight,
            truth: against,
            expected: (known && has_prior).then_some(expected),
            way: chosen.way,
            why: chosen.why,
            certificate: chosen.certificate,
            beyond: chosen.beyond,
            looked_at: chosen.looked_at,
            parameters: estimated.parameters,
            used: estimated.used,
            course: estimated.course,
            thresholds: None,
            members,
        }
    }

    /// Number of links.
    pub fn n_links(&self) -> f64 {
        compensated(self.links.iter().map(|link| link.count))
    }

    /// Right links per masked record; none where the truth is not known or there is no record.
    pub fn rate(&self) -> Option<f64> {
        let truth = self.truth.as_ref().filter(|_| self.n_masked > 0)?;
        Some(truth.correct / self.n_masked as f64)
    }

    /// Right links of the zone per masked record.
    pub fn zone_rate(&self) -> Option<f64> {
        let truth = self.truth.as_ref().filter(|_| self.n_masked > 0)?;
        Some(truth.zone.correct / self.n_masked as f64)
    }

    /// Links that an intruder could be sure of.
    pub fn n_sure(&self) -> Option<f64> {
        self.expected?;
        let sure = self
            .links
            .iter()
            .filter(|link| link.posterior >= Some(SURE));
        Some(compensated(sure.map(|link| link.count)))
    }

    /// Links that weigh at least so much.
    pub fn n_from(&self, weight: f64) -> f64 {
        let heavy = self.links.iter().filter(|link| link.weight >= weight);
        compensated(heavy.map(|link| link.count))
    }

    /// Every link by itself, by falling weight. Which of equal records is named is as good as any other;
    /// under `greedy` a tied original record is named with the first of those that tie.
    pub fn records(&self) -> Vec<LinkedRecords> {
        let mut used: [Map<u32, usize>; 2] = Default::default();
        let mut found = Vec::new();
        for link in &self.links {
            let [originals, masked] = [(0, link.original), (1, link.masked)]
                .map(|(file, distinct)| self.members[file].of(distinct));
            for _ in 0..whole(link.count) {
                let [i, j] = [(0, link.original), (1, link.masked)].map(|(file, distinct)| {
                    let next = used[file].entry(distinct).or_default();
                    *next += 1;
                    *next - 1
                });
                // The last of the equal masked records first, so that the order of rows proves nothing.
                let place = masked.len() - 1 - j % masked.len();
                let Some(&original) = originals.get(i) else {
                    break;
                };
                found.push(LinkedRecords {
                    original,
                    masked: masked[place],
                    weight: link.weight,
                    credit: link.credit,
                    posterior: link.posterior,
                });
            }
        }
        found
    }
}

/// Links of a group that are listed: shares of one record are listed as one.
fn whole(count: f64) -> usize {
    count.ceil() as usize
}

/// How many of the pairs there are of each kind.
fn counted(pairs: &[Option<(u32, u32)>]) -> Map<(u32, u32), f64> {
    let mut counts = Map::default();
    for &pair in pairs.iter().flatten() {
        *counts.entry(pair).or_insert(0.0) += 1.0;
    }
    counts
}

/// Pairs between equal original and equal masked records.
fn cells(files: &Collapsed, original: u32, masked: u32) -> f64 {
    let size = |sizes: &[u32], at: u32| f64::from(sizes[at as usize]);
    size(&files.original.sizes, original) * size(&files.masked.sizes, masked)
}

/// What an intruder believes before he compares.
struct Prior<'a> {
    /// Probability that an original record has a partner, and that a masked one has.
    overlap: [f64; 2],
    /// Block of each different original record.
    block_of: &'a [u32],
    /// Masked records and original ones of each block.
    in_block: [Vec<f64>; 2],
}

impl<'a> Prior<'a> {
    /// None where weights are not logarithms of likelihood ratios.
    fn of(
        files: &'a Collapsed,
        settings: &Settings,
        estimated: &Estimated,
        knows_truth: bool,
    ) -> Option<Self> {
        if settings.estimation == Estimation::Equal || settings.choosing == Choosing::Greedy {
            return None;
        }
        let n = [&files.original, &files.masked].map(|distinct| distinct.of_record.len() as f64);
        let by_em = estimated
            .course
            .filter(|_| !knows_truth)
            .map(|course| course.proportion * files.masked_per_original());
        let overlap = settings.overlap.or(by_em).unwrap_or(1.0);
        let overlap = overlap.min(n[1] / n[0]).min(1.0);
        Some(Self {
            overlap: [overlap, (overlap * n[0] / n[1]).min(1.0)],
            block_of: &files.block_of,
            in_block: [files.masked_in_block(), files.original_in_block()],
        })
    }

    /// The probability that a link is right, given all that either record could be linked with: the
    /// smaller of the two.
    fn posterior(&self, flow: &Flow, sums: &[Vec<f64>; 2]) -> Option<f64> {
        let odds = libm::exp(flow.weight.min(600.0));
        let block = *self.block_of.get(flow.original as usize)? as usize;
        let of = |overlap: f64, n: f64, sum: f64| {
            let here = overlap / n * odds;
            here / (1.0 - overlap + overlap / n * sum)
        };
        let row = of(
            self.overlap[0],
            self.in_block[0][block],
            *sums[0].get(flow.original as usize)?,
        );
        let column = of(
            self.overlap[1],
            self.in_block[1][block],
            *sums[1].get(flow.masked as usize)?,
        );
        Some(row.min(column).min(1.0))
    }
}

impl AgainstTruth {
    fn of(
        files: &Collapsed,
        model: &Model,
        chosen: &Chosen,
        links: &[LinkGroup],
        truth: &Truth,
        settings: &Settings,
    ) -> Self {
        let flows: Map<(u32, u32), f64> = (chosen.flows.iter())
            .map(|flow| ((flow.original, flow.masked), flow.count))
            .collect();
        let credit = |pair: &Option<(u32, u32)>| {
            let Some(pair) = pair else { return 0.0 };
            let count = flows.get(pair).copied().unwrap_or(0.0);
            count / cells(files, pair.0, pair.1)
        };
        let credits: Vec<f64> = truth.pairs.iter().map(credit).collect();
        let weight = |pair: &(u32, u32)| -> f64 {
            let parts = model.contributions(&files.variables, pair.0 as usize, pair.1 as usize);
            parts.iter().sum()
        };
        let true_weights = truth.pairs.iter();
        let true_weights: Vec<f64> = true_weights
            .map(|pair| pair.as_ref().map_or(f64::NAN, weight))
            .collect();
        let n_not_candidates = chosen.candidates.as_ref().map(|candidates| {
            let is_candidate = |&&(original, masked): &&(u32, u32)| {
                candidates.row(original as usize).0.contains(&masked)
            };
            let n_candidates = truth.pairs.iter().flatten().filter(is_candidate).count();
            (truth.pairs.iter().flatten().count() - n_candidates) as u64
        });
        let listed = listed(links);
        // By link and not by record, so that the order of records does not matter to the last digit.
        let right = links
            .iter()
            .map(|link| link.count * link.credit.unwrap_or(0.0));
        Self {
            correct: compensated(right),
            n_partners: truth.pairs.iter().flatten().count() as u64,
            true_pair_weight: compensated(true_weights.iter().copied().filter(|w| !w.is_nan())),
            true_weights,
            credits,
            n_not_candidates,
            zone: zone(&listed, settings.cut),
            precision: precision(&listed),
            by_weight: by_weight(links),
            contributions: contributions(files, model, links),
        }
    }
}

/// The list of links from the top: weight, links so far, right links so far. Links of the same weight
/// come together.
fn listed(links: &[LinkGroup]) -> Vec<[f64; 3]> {
    let mut listed: Vec<[f64; 3]> = Vec::new();
    let (mut n, mut correct) = (0.0, 0.0);
    for link in links {
        n += link.count;
        correct += link.count * link.credit.unwrap_or(0.0);
        match listed.last_mut() {
            Some(last) if last[0].to_bits() == link.weight.to_bits() => {
                *last = [link.weight, n, correct];
            }
            _ => listed.push([link.weight, n, correct]),
        }
    }
    listed
}

/// The longest upper part of the list in which the share of right links is at least the cut.
fn zone(listed: &[[f64; 3]], cut: f64) -> Zone {
    let last = listed
        .iter()
        .rev()
        .find(|[_, n, correct]| *correct >= cut * n && *correct > 0.0);
    last.map_or(
        Zone {
            cut,
            ..Zone::default()
        },
        |&[weight, n_links, correct]| Zone {
            cut,
            n_links,
            correct,
            lowest_weight: Some(weight),
        },
    )
}

fn precision(listed: &[[f64; 3]]) -> Vec<[f64; 2]> {
    let Some(&[_, total, _]) = listed.last() else {
        return Vec::new();
    };
    let mut points: Vec<[f64; 2]> = (1..=N_POINTS)
        .filter_map(|step| {
            let wanted = total * step as f64 / N_POINTS as f64;
            let at = listed.partition_point(|[_, n, _]| *n < wanted);
            listed
                .get(at.min(listed.len() - 1))
                .map(|[_, n, correct]| [*n, correct / n])
        })
        .collect();
    points.dedup_by_key(|point| point[0].to_bits());
    points
}

fn by_weight(links: &[LinkGroup]) -> Vec<[f64; 3]> {
    let (Some(high), Some(low)) = (links.first(), links.last()) else {
        return Vec::new();
    };
    let step = ((high.weight - low.weight) / N_BINS as f64).max(f64::MIN_POSITIVE);
    let left = |bin: usize| low.weight + step * bin as f64;
    let mut bins: Vec<[f64; 3]> = (0..N_BINS).map(|bin| [left(bin), 0.0, 0.0]).collect();
    for link in links {
        let bin = (((link.weight - low.weight) / step) as usize).min(N_BINS - 1);
        let right = link.count * link.credit.unwrap_or(0.0);
        bins[bin][1] += right;
        bins[bin][2] += link.count - right;
    }
    bins
}

/// Mean weight of each variable in right and in wrong links.
fn contributions(files: &Collapsed, model: &Model, links: &[LinkGroup]) -> Vec<[Option<f64>; 2]> {
    let mut sums = vec![[0.0; 2]; files.variables.len()];
    let mut counts = [0.0; 2];
    for link in links {
        let right = link.count * link.credit.unwrap_or(0.0);
        let times = [right, link.count - right];
        let parts = model.contributions(
            &files.variables,
            link.original as usize,
            link.masked as usize,
        );
        for (sums, part) in sums.iter_mut().zip(parts) {
            sums[0] += times[0] * part;
            sums[1] += times[1] * part;
        }
        counts[0] += times[0];
        counts[1] += times[1];
    }
    let mean = |sum: f64, count: f64| (count > 0.0).then(|| sum / count);
    sums.into_iter()
        .map(|sums| [mean(sums[0], counts[0]), mean(sums[1], counts[1])])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(weight: f64, count: f64, credit: f64) -> LinkGroup {
        LinkGroup {
            original: 0,
            masked: 0,
            count,
            weight,
            credit: Some(credit),
            posterior: None,
        }
    }

    #[test]
    fn the_zone_ends_where_right_links_become_rare() {
        // Right so far: 1 of 1, 1 of 2, 1 of 3, 2 of 4, then none of six more: 2 of 10 is a fifth.
        let mut links = vec![
            group(9.0, 1.0, 1.0),
            group(8.0, 2.0, 0.0),
            group(7.0, 1.0, 1.0),
        ];
        links.push(group(6.0, 6.0, 0.0));
        let found = zone(&listed(&links), 0.2);
        assert_eq!(
            (found.n_links, found.correct, found.lowest_weight),
            (10.0, 2.0, Some(6.0))
        );
        let found = zone(&listed(&links), 0.5);
        assert_eq!((found.n_links, found.correct), (4.0, 2.0));
        // Without a right link nothing is above the cut.
        let none = zone(&listed(&[group(1.0, 5.0, 0.0)]), 0.0);
        assert_eq!((none.n_links, none.lowest_weight), (0.0, None));
    }

    #[test]
    fn links_of_one_weight_are_listed_together() {
        let links = [
            group(2.0, 1.0, 1.0),
            group(2.0, 1.0, 0.0),
            group(1.0, 1.0, 1.0),
        ];
        assert_eq!(listed(&links), [[2.0, 2.0, 1.0], [1.0, 3.0, 2.0]]);
    }
}
