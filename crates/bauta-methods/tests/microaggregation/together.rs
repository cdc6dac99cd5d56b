//! Questions that a tree answers together, and groups of files that are large enough for them.

use super::{columns_of, fast_mdav, plain, standardised};
use crate::support::{mdav_plain::mdav_plain, scatter};

use bauta_methods::kernel::space::points::{Points, squared_distance};
use bauta_methods::kernel::space::shrinking_tree::{Found, ShrinkingTree};
use proptest::prelude::*;

/// All that are left but the row that asks, nearest first, and farthest first.
fn full_search(points: &Points, left: &[u32], row: u32) -> [Vec<Found>; 2] {
    let from = points.point(row as usize);
    let others = left.iter().filter(|&&other| other != row);
    let mut near: Vec<Found> = others
        .map(|&row| Found {
            distance: squared_distance(from, points.point(row as usize)),
            row,
        })
        .collect();
    let mut far = near.clone();
    near.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.row.cmp(&b.row)));
    far.sort_by(|a, b| b.distance.total_cmp(&a.distance).then(a.row.cmp(&b.row)));
    [near, far]
}

fn assert_answers(points: &Points, n_gone: usize, n_asking: usize, m: usize, salt: u64) {
    let mut tree = ShrinkingTree::new(points);
    let mut left: Vec<u32> = (0..points.len() as u32).collect();
    for turn in 0..n_gone.min(points.len() - 1) {
        tree.remove(left.swap_remove(scatter(turn, salt) as usize % left.len()));
    }
    left.sort_unstable();
    let asking = (0..n_asking).map(|turn| left[scatter(turn, salt ^ 7) as usize % left.len()]);
    let asking: Vec<u32> = asking.collect();
    let near = tree.nearest_of(&asking, m);
    let far = tree.farthest_of(&asking, m);
    for ((&row, near), far) in asking.iter().zip(near).zip(far) {
        let expected = full_search(points, &left, row).map(|mut all| {
            all.truncate(m);
            all
        });
        assert_eq!([near, far], expected, "row {row}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn questions_asked_together_are_answered_as_a_full_search_does(
        n in 1_usize..600, d in 1_usize..7, m in 0_usize..7, character in 0_usize..10, n_gone in 0_usize..300, salt: u64
    ) {
        assert_answers(&plain(&columns_of(n, d, character, salt)), n_gone, 40, m, salt);
    }

    #[test]
    fn a_place_has_a_nearer_point_if_a_full_search_finds_one(
        n in 1_usize..500, d in 1_usize..6, character in 0_usize..10, noise in 0.0_f64..2.0, salt: u64
    ) {
        let columns = columns_of(n, d, character, salt);
        let points = plain(&columns);
        let moved = columns.iter().enumerate().map(|(j, column)| {
            let cells = column.iter().enumerate();
            let step = |i: usize| (scatter(i * 64 + j, salt ^ 3) % 5) as f64 - 2.0;
            cells.map(|(i, x)| x + step(i) * noise).collect()
        });
        let places = plain(&moved.collect::<Vec<Vec<f64>>>());
        let known = |place: usize| match place % 7 {
            0 => f64::INFINITY,
            1 => f64::NAN,
            _ => squared_distance(points.point(place), places.point(place)),
        };
        let found = ShrinkingTree::new(&points).has_nearer(&places, known, || Ok::<(), ()>(()));
        let is_nearer = |place: usize| {
            let distance = |row: usize| squared_distance(points.point(row), places.point(place));
            (0..n).any(|row| distance(row) < known(place))
        };
        prop_assert_eq!(found, Ok((0..n).map(is_nearer).collect::<Vec<bool>>()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    #[test]
    fn mdav_that_looks_ahead_makes_the_groups_of_plain_mdav(
        n in 2_100_usize..4_500, d in 8_usize..15, k in 2_usize..9, character in 0_usize..10, salt: u64
    ) {
        let points = standardised(&columns_of(n, d, character, salt));
        prop_assert_eq!(fast_mdav(&points, k), mdav_plain(&points, k));
    }
}

#[test]
fn questions_that_need_most_of_the_tree_go_through_it_together() {
    // In twelve variables without structure, few of the 200 leaves can be passed over.
    let points = plain(&columns_of(12_000, 12, 0, 5));
    assert_answers(&points, 2_000, 70, 5, 11);
}
