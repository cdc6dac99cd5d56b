//! Who goes on to a larger sample: successive halving, with the front and the wanted choice in view.

use std::cmp::Ordering;

use crate::sweep::pareto_front;

/// Of the variants of one stage, one in so many goes on to the next.
const ONE_IN: usize = 3;

/// Fewest that are run in full, if there are so many.
const FEWEST_IN_FULL: usize = 6;

/// A stage of a search: how many records, and how many variants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Round {
    pub(super) n_records: usize,
    pub(super) n_variants: usize,
}

/// The stages of a search: samples first, where they are much smaller than the file; all records last.
pub(super) fn rounds(n_records: usize, n_candidates: usize, runs: usize) -> Vec<Round> {
    if n_candidates <= FEWEST_IN_FULL {
        // They would all go on.
        return vec![Round {
            n_records,
            n_variants: n_candidates.min(runs).max(1),
        }];
    }
    let samples = [500.max(n_records / 10), 2000.max(n_records / 3)];
    // A sample of nearly all records saves nothing.
    let mut sizes: Vec<usize> = (samples.into_iter())
        .filter(|&size| 4 * size <= 3 * n_records)
        .collect();
    sizes.push(n_records);
    let n_of = |first: usize| -> Vec<usize> {
        let mut n_variants = first;
        let mut all = Vec::new();
        for stage in 0..sizes.len() {
            if stage > 0 {
                let fewest = FEWEST_IN_FULL.min(first);
                n_variants = n_variants.div_ceil(ONE_IN).max(fewest);
            }
            all.push(n_variants);
        }
        all
    };
    let fits = |first: &usize| n_of(*first).iter().sum::<usize>() <= runs;
    let Some(first) = (1..=n_candidates).rev().find(fits) else {
        return vec![Round {
            n_records,
            n_variants: runs.max(1),
        }];
    };
    let rounds = sizes.iter().zip(n_of(first));
    rounds
        .map(|(&n_records, n_variants)| Round {
            n_records,
            n_variants,
        })
        .collect()
}

/// Some of the candidates, evenly over their table, the first among them.
pub(super) fn thinned(n_candidates: usize, n_wanted: usize) -> Vec<usize> {
    let n_wanted = n_wanted.min(n_candidates);
    (0..n_wanted)
        .map(|position| position * n_candidates / n_wanted)
        .collect()
}

/// What a stage found of a variant.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Standing {
    /// Risk and loss, both the worse the larger; none where there is no figure.
    pub(super) place: Option<[f64; 2]>,
    /// Whether the conditions held.
    pub(super) holds: bool,
}

/// The positions of those that go on, rising: by turns the next of the front, and the next that holds the conditions with
/// the least loss. The front is peeled off layer by layer, the least crowded of each first. Variants without figures do
/// not go on.
pub(super) fn promoted(standings: &[Standing], n_wanted: usize) -> Vec<usize> {
    let by_front = by_front(standings);
    let by_loss = by_loss(standings);
    let mut chosen: Vec<usize> = Vec::new();
    let (mut front, mut loss) = (by_front.into_iter(), by_loss.into_iter());
    loop {
        let next = [front.next(), loss.next()];
        if next == [None, None] {
            break;
        }
        for position in next.into_iter().flatten() {
            if chosen.len() < n_wanted && !chosen.contains(&position) {
                chosen.push(position);
            }
        }
    }
    chosen.sort_unstable();
    chosen
}

/// Those that hold the conditions, the least loss first.
fn by_loss(standings: &[Standing]) -> Vec<usize> {
    let places = standings.iter().enumerate();
    let holding = places.filter(|(_, standing)| standing.holds);
    let holding = holding.filter_map(|(position, standing)| Some((position, standing.place?)));
    let mut holding: Vec<(usize, [f64; 2])> = holding.collect();
    holding.sort_by(|(a, [risk_a, loss_a]), (b, [risk_b, loss_b])| {
        let by_loss = loss_a.total_cmp(loss_b);
        by_loss.then(risk_a.total_cmp(risk_b)).then(a.cmp(b))
    });
    holding.into_iter().map(|(position, _)| position).collect()
}

/// All with figures, layer by layer of the front.
fn by_front(standings: &[Standing]) -> Vec<usize> {
    let mut places: Vec<[f64; 2]> = (standings.iter())
        .map(|standing| standing.place.unwrap_or([f64::NAN; 2]))
        .collect();
    let mut order = Vec::new();
    loop {
        let layer = pareto_front(&places);
        if layer.is_empty() {
            return order;
        }
        let mut layer: Vec<(usize, f64)> = (layer.iter())
            .map(|&position| (position, room(&places, &layer, position)))
            .collect();
        layer.sort_by(|(a, room_a), (b, room_b)| {
            let roomier = room_b.partial_cmp(room_a).unwrap_or(Ordering::Equal);
            roomier.then(a.cmp(b))
        });
        for (position, _) in layer {
            places[position] = [f64::NAN; 2];
            order.push(position);
        }
    }
}

/// How far a member of a layer is from its neighbours in it; infinite at the ends.
fn room(places: &[[f64; 2]], layer: &[usize], position: usize) -> f64 {
    let along = |axis: usize| {
        let mut values: Vec<f64> = layer.iter().map(|&of| places[of][axis]).collect();
        values.sort_by(f64::total_cmp);
        let own = places[position][axis];
        let (least, most) = (values[0], values[values.len() - 1]);
        let below = values.iter().rev().find(|value| **value < own);
        let above = values.iter().find(|value| **value > own);
        match (below, above) {
            (Some(below), Some(above)) => (above - below) / (most - least),
            _ => f64::INFINITY,
        }
    };
    along(0) + along(1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(risk: f64, loss: f64, holds: bool) -> Standing {
        Standing {
            place: Some([risk, loss]),
            holds,
        }
    }

    #[test]
    fn samples_come_first_where_they_save_something() {
        let round = |n_records, n_variants| Round {
            n_records,
            n_variants,
        };
        // 120 + 40 = 160.
        assert_eq!(rounds(1080, 120, 200), [round(500, 120), round(1080, 40)]);
        // 120 + 40 + 14 = 174.
        let three = [round(1290, 120), round(4300, 40), round(12_901, 14)];
        assert_eq!(rounds(12_901, 120, 200), three);
        assert_eq!(rounds(300, 50, 200), [round(300, 50)]);
        // Too many for the budget: 75 + 25 = 100.
        assert_eq!(rounds(1080, 120, 100), [round(500, 75), round(1080, 25)]);
        assert_eq!(rounds(300, 50, 0), [round(300, 1)]);
        assert_eq!(rounds(10_000, 5, 200), [round(10_000, 5)]);
        assert_eq!(thinned(10, 4), [0, 2, 5, 7]);
        assert_eq!(thinned(3, 9), [0, 1, 2]);
    }

    #[test]
    fn the_front_and_the_cheapest_that_holds_go_on() {
        let standings = [
            at(0.9, 0.1, false),
            at(0.1, 0.9, true),
            at(0.5, 0.5, false),
            at(0.3, 0.8, true),
            at(0.4, 0.85, true),
            Standing {
                place: None,
                holds: true,
            },
        ];
        // Ends of the front, and the least loss that holds.
        assert_eq!(promoted(&standings, 2), [0, 3]);
        assert_eq!(promoted(&standings, 3), [0, 1, 3]);
        assert_eq!(promoted(&standings, 9), [0, 1, 2, 3, 4]);
    }

    proptest! {
        #[test]
        fn as_many_go_on_as_can(
            places in prop::collection::vec((0_u8..9, 0_u8..9, any::<bool>()), 0..30),
            n_wanted in 0_usize..40,
        ) {
            let standings: Vec<Standing> = (places.iter())
                .map(|&(risk, loss, holds)| at(risk.into(), loss.into(), holds))
                .collect();
            let chosen = promoted(&standings, n_wanted);
            prop_assert_eq!(chosen.len(), n_wanted.min(places.len()));
            prop_assert!(chosen.is_sorted_by(|a, b| a < b));
        }

        #[test]
        fn budgets_are_kept(n_records in 1_usize..100_000, n in 1_usize..300, runs in 1_usize..400) {
            let rounds = rounds(n_records, n, runs);
            prop_assert!(rounds.iter().map(|round| round.n_variants).sum::<usize>() <= runs);
            prop_assert_eq!(rounds.last().unwrap().n_records, n_records);
        }
    }
}
