use super::*;
use proptest::prelude::*;

fn full_search(points: &Points, by: &Yardstick, query: &[f64]) -> Nearest {
    let distances = (0..points.len()).map(|row| by.squared_distance(points.point(row), query));
    let distances: Vec<f64> = distances.collect();
    let smallest = distances.iter().copied().fold(f64::INFINITY, f64::min);
    let is_tie = |distance: &f64| *distance <= by.reach(smallest);
    Nearest {
        row: distances.iter().position(is_tie).expect("some point") as u32,
        distance: smallest,
        n_ties: distances.iter().filter(|distance| is_tie(distance)).count() as u32,
    }
}

#[test]
fn many_equal_points_are_one_with_its_number() {
    let x = vec![1.0; 100_000];
    let tree = NearestTree::new(&Points::plain(&[&x, &x]));
    assert_eq!((tree.branch.nodes.len(), tree.branch.members.len()), (1, 1));
    let found = tree.nearest(&[1.0, 3.0, 0.0, 0.0], f64::INFINITY);
    assert_eq!(
        found,
        Nearest {
            row: 0,
            distance: 4.0,
            n_ties: 100_000
        }
    );
}

#[test]
fn no_points_give_no_row() {
    let tree = NearestTree::new(&Points::plain(&[]));
    assert_eq!(tree.nearest(&[], f64::INFINITY), Nearest::NONE);
}

#[test]
fn sums_that_differ_by_rounding_tie_with_the_smallest() {
    // 3² + 4² = 5²; in units of 0.7, rounded, they are not the same.
    let by = Yardstick::in_units(&[0.7, 0.7]);
    let (x, y) = ([3.0, 0.0, 5.0], [4.0, 5.0, 0.0]);
    let points = Points::plain(&[&x, &y]);
    let distance = |row: usize| by.squared_distance(points.point(row), &[0.0; 4]);
    let (first, second) = (distance(0), distance(1));
    assert_ne!(first.to_bits(), second.to_bits());
    let tree = NearestTree::measured(&points, by);
    for known in [first, second] {
        assert_eq!(tree.ties(&[0.0; 4], known), 3);
    }
    let found = tree.nearest(&[0.0; 4], f64::INFINITY);
    assert_eq!((found.row, found.n_ties), (0, 3));
    assert_eq!(found.distance.to_bits(), first.min(second).to_bits());
}

#[test]
fn many_points_are_brought_together_and_keep_their_rows() {
    // More than are brought together at once; one in three has an equal earlier or later.
    const N: usize = 3 * NEAR + 77;
    let coordinate = |step: usize| -> Vec<f64> {
        let place = |row: usize| ((row * step) % (2 * N / 3) * 7919 % 1009) as f64;
        (0..N).map(place).collect()
    };
    let points = Points::plain(&[&coordinate(1), &coordinate(17)]);
    let by = Yardstick::plain(points.stride());
    let tree = NearestTree::measured(&points, by.clone());
    for query in (0..N).step_by(41) {
        let mut point = points.point(query).to_vec();
        for shift in [0.0, 0.5, 3.25] {
            point[0] += shift;
            let expected = full_search(&points, &by, &point);
            assert_eq!(tree.nearest(&point, f64::INFINITY), expected);
        }
    }
}

proptest! {
    #[test]
    fn the_tree_finds_what_a_full_search_finds(
        // Coordinates from a grid of few values, so that ties and equal points abound.
        cells in prop::collection::vec(0_u8..5, 3..900),
        queries in prop::collection::vec(prop::array::uniform3(-1.0_f64..6.0), 1..30),
        on_grid in any::<bool>(),
        // Units in which other differences have the same squares, but for rounding.
        units in prop::sample::select(vec![
            None, Some([0.7, 0.7, 0.7]), Some([0.3, 0.6, 1.1]), Some([0.7, 0.0, 0.0]),
        ]),
    ) {
        let n = cells.len() / 3;
        let column = |j: usize| -> Vec<f64> {
            (0..n).map(|i| f64::from(cells[i * 3 + j])).collect()
        };
        let columns = [column(0), column(1), column(2)];
        let points = Points::plain(&[&columns[0], &columns[1], &columns[2]]);
        let by = units.map_or_else(|| Yardstick::plain(4), |units| Yardstick::in_units(&units));
        let tree = NearestTree::measured(&points, by.clone());
        let taking = NearestTree::taking(points.clone(), by.clone());
        assert_eq!(tree.coordinates, taking.coordinates);
        let queries = queries.iter().map(|query| query.map(|x| if on_grid { x.round() } else { x }));
        let queries: Vec<[f64; 3]> = queries.collect();
        let coordinate = |j: usize| queries.iter().map(|query| query[j]).collect::<Vec<f64>>();
        let columns = [coordinate(0), coordinate(1), coordinate(2)];
        let all = Points::plain(&[&columns[0], &columns[1], &columns[2]]);
        // Each knows how far it is from some point.
        let known = |query: usize, point: &[f64]| by.squared_distance(points.point(query % n), point);
        let go_on = |_| Ok::<(), ()>(());
        let ties = tree.ties_of_all(&all, known, go_on);
        let nearest = tree.nearest_of_all(&all, known, go_on);
        let each = || (0..all.len()).map(|query| (all.point(query), known(query, all.point(query))));
        prop_assert_eq!(ties, Ok(each().map(|(point, known)| tree.ties(point, known)).collect()));
        prop_assert_eq!(nearest, Ok(each().map(|(point, known)| tree.nearest(point, known)).collect()));
        for query in queries {
            let query = [query[0], query[1], query[2], 0.0];
            let expected = full_search(&points, &by, &query);
            prop_assert_eq!(tree.nearest(&query, f64::INFINITY), expected);
            for row in [0, n / 2, expected.row as usize] {
                // A known distance changes nothing.
                let known = by.squared_distance(points.point(row), &query);
                prop_assert_eq!(tree.nearest(&query, known), expected);
                let is_tie = known <= by.reach(expected.distance);
                let ties = if is_tie { expected.n_ties } else { 0 };
                prop_assert_eq!(tree.ties(&query, known), ties);
            }
            prop_assert_eq!(tree.ties(&query, expected.distance), expected.n_ties);
        }
    }
}
