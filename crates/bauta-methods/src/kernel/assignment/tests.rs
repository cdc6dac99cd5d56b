//! Links against a search of all, dense against sparse, classes against their records.

use std::cell::Cell;

use proptest::prelude::*;

use super::*;

const ALWAYS: fn(usize) -> Result<(), ()> = |_| Ok(());

/// The largest total of all one-to-one links of rows `row..`, where a row may stay without at `unlinked`.
fn best_of_all(
    weight: &dyn Fn(usize, usize) -> Option<f64>,
    row: usize,
    (n_rows, n_columns): (usize, usize),
    taken: u32,
    unlinked: Option<f64>,
) -> f64 {
    if row == n_rows {
        return 0.0;
    }
    let rest = |taken| best_of_all(weight, row + 1, (n_rows, n_columns), taken, unlinked);
    let alone = unlinked.map_or(f64::NEG_INFINITY, |unlinked| unlinked + rest(taken));
    let columns = (0..n_columns).filter(|column| taken & (1 << column) == 0);
    let with = columns.filter_map(|column| Some(weight(row, column)? + rest(taken | 1 << column)));
    with.fold(alone, f64::max)
}

fn proves(certificate: &Certificate, scale: f64) -> bool {
    certificate.n_wrong == 0
        && certificate.largest_violation <= 1e-9 * scale
        && certificate.gap().abs() <= 1e-9 * scale
}

fn all_pairs(weights: &WeightMatrix) -> Candidates {
    let row = |row| (0..).zip(weights.row(row).iter().copied()).collect();
    let rows: Vec<Vec<(u32, f64)>> = (0..weights.n_rows()).map(row).collect();
    Candidates::new(&rows, weights.n_columns())
}

fn sparse_total(candidates: &Candidates, supply: &[u32], demand: &[u32], unlinked: f64) -> f64 {
    let found = sparse(candidates, supply, demand, unlinked, ALWAYS).expect("never stopped");
    let certificate = Certificate::of_candidates(candidates, supply, demand, unlinked, &found);
    let n: u32 = supply.iter().sum();
    let scale = f64::from(n + 1) * (unlinked.abs() + 100.0);
    assert!(proves(&certificate, scale), "{certificate:?}");
    assert!(found.links.is_sorted() && found.links.iter().all(|link| link.count > 0));
    certificate.total
}

fn dense_total(weights: &WeightMatrix) -> f64 {
    let found = dense(weights, ALWAYS).expect("never stopped");
    let certificate = Certificate::of_dense(weights, &found);
    assert!(proves(&certificate, 1e4), "{certificate:?}");
    assert!(found.links.is_sorted());
    certificate.total
}

/// Weights of few values or of many, some negative.
fn weights_of(n: usize) -> impl Strategy<Value = Vec<f64>> {
    let grid = (1_u8..6).prop_flat_map(move |n_values| {
        prop::collection::vec((0..n_values).prop_map(|value| f64::from(value) - 2.0), n)
    });
    prop_oneof![grid, prop::collection::vec(-10.0_f64..10.0, n)]
}

fn matrix(largest: usize) -> impl Strategy<Value = WeightMatrix> {
    (0..=largest, 0..=largest).prop_flat_map(|(n_rows, n_columns)| {
        weights_of(n_rows * n_columns)
            .prop_map(move |weights| WeightMatrix::new(n_rows, n_columns, weights))
    })
}

/// Candidates of weight at least -10, and how often each row and column counts.
fn classes(largest: usize, most: u32) -> impl Strategy<Value = (Candidates, Vec<u32>, Vec<u32>)> {
    (0..=largest, 0..=largest).prop_flat_map(move |(n_rows, n_columns)| {
        let n = n_rows * n_columns;
        let is_candidate = prop::collection::vec(prop::bool::weighted(0.6), n);
        let counts = |n| prop::collection::vec(0..=most, n);
        (
            weights_of(n),
            is_candidate,
            counts(n_rows),
            counts(n_columns),
        )
            .prop_map(move |(weights, is_candidate, supply, demand)| {
                let row = |row: usize| {
                    let places = (0..n_columns).map(|column| (column, row * n_columns + column));
                    let some = places.filter(|&(_, place)| is_candidate[place]);
                    some.map(|(column, place)| (column as u32, weights[place]))
                        .collect()
                };
                let rows: Vec<Vec<(u32, f64)>> = (0..n_rows).map(row).collect();
                (Candidates::new(&rows, n_columns), supply, demand)
            })
    })
}

/// Each record on its own: candidates of the records of classes.
fn one_by_one(candidates: &Candidates, supply: &[u32], demand: &[u32]) -> Candidates {
    let firsts: Vec<u32> = demand
        .iter()
        .scan(0, |end, &n| Some(std::mem::replace(end, *end + n)))
        .collect();
    let mut rows = Vec::new();
    for (row, &n) in supply.iter().enumerate() {
        let pairs = candidates.pairs(row).flat_map(|(column, weight)| {
            let records = firsts[column]..firsts[column] + demand[column];
            records.map(move |record| (record, weight))
        });
        let pairs: Vec<(u32, f64)> = pairs.collect();
        rows.extend((0..n).map(|_| pairs.clone()));
    }
    Candidates::new(&rows, demand.iter().sum::<u32>() as usize)
}

proptest! {
    #[test]
    fn dense_links_are_the_best_of_all(weights in matrix(6)) {
        let (n_rows, n_columns) = (weights.n_rows(), weights.n_columns());
        let expected = if n_rows <= n_columns {
            let weight = |row: usize, column: usize| Some(weights.row(row)[column]);
            best_of_all(&weight, 0, (n_rows, n_columns), 0, None)
        } else {
            let weight = |column: usize, row: usize| Some(weights.row(row)[column]);
            best_of_all(&weight, 0, (n_columns, n_rows), 0, None)
        };
        prop_assert!((dense_total(&weights) - expected).abs() < 1e-9);
    }

    #[test]
    fn sparse_links_are_the_best_of_all(
        (candidates, ..) in classes(6, 1),
        unlinked in prop_oneof![Just(-10.0), Just(-1000.0)],
    ) {
        let (n_rows, n_columns) = (candidates.n_rows(), candidates.n_columns());
        let weight = |row: usize, column: usize| candidates.weight(row, column as u32);
        let expected = best_of_all(&weight, 0, (n_rows, n_columns), 0, Some(unlinked));
        let found = sparse_total(&candidates, &vec![1; n_rows], &vec![1; n_columns], unlinked);
        prop_assert!((found - expected).abs() < 1e-9);
    }

    #[test]
    fn classes_are_linked_as_their_records_are(
        (candidates, supply, demand) in classes(8, 5),
        unlinked in prop_oneof![Just(-10.0), Just(-1000.0)],
    ) {
        let found = sparse_total(&candidates, &supply, &demand, unlinked);
        let records = one_by_one(&candidates, &supply, &demand);
        let (supply, demand) = (vec![1; records.n_rows()], vec![1; records.n_columns()]);
        let expected = sparse_total(&records, &supply, &demand, unlinked);
        prop_assert!((found - expected).abs() < 1e-8);
    }

    #[test]
    fn dense_and_sparse_agree_where_all_are_candidates(weights in matrix(40)) {
        let (n_rows, n_columns) = (weights.n_rows(), weights.n_columns());
        let (supply, demand) = (vec![1; n_rows], vec![1; n_columns]);
        let found = sparse_total(&all_pairs(&weights), &supply, &demand, -1e5);
        // So low a weight is avoided as often as possible: only by rows that are too many.
        let n_alone = n_rows.saturating_sub(n_columns);
        let expected = dense_total(&weights) - 1e5 * n_alone as f64;
        prop_assert!((found - expected).abs() < 1e-5);
    }
}

#[test]
fn equal_weights_link_everybody() {
    let weights = WeightMatrix::new(50, 60, vec![0.1; 3000]);
    assert!((dense_total(&weights) - 5.0).abs() < 1e-12);
    let total = sparse_total(&all_pairs(&weights), &[1; 50], &[1; 60], 0.1);
    assert!((total - 5.0).abs() < 1e-12);
    // Where a link weighs as much as none, links are made as long as a column is to spare.
    let found = sparse(&all_pairs(&weights), &[1; 50], &[1; 60], 0.1, ALWAYS);
    assert_eq!(found.map(|found| found.links.len()), Ok(50));
}

#[test]
fn nobody_is_linked_where_there_is_nobody() {
    let nobody = WeightMatrix::new(0, 3, Vec::new());
    let found = dense(&nobody, ALWAYS).expect("never stopped");
    assert_eq!((found.links.len(), found.row_duals.len()), (0, 0));
    assert_eq!(found.column_duals, [0.0; 3]);
    let alone = Candidates::new(&[Vec::new(), Vec::new()], 0);
    let found = sparse(&alone, &[2, 1], &[], -3.0, ALWAYS).expect("never stopped");
    assert_eq!((found.links, found.row_duals), (Vec::new(), vec![-3.0; 2]));
}

#[test]
fn a_certificate_tells_what_is_wrong() {
    let weights = WeightMatrix::new(2, 2, vec![3.0, 1.0, 2.0, 2.0]);
    let mut found = dense(&weights, ALWAYS).expect("never stopped");
    // 3 + 2 = 5 against 1 + 2 = 3.
    assert_eq!(
        Certificate::of_dense(&weights, &found).total.to_bits(),
        5.0_f64.to_bits()
    );
    for (link, column) in found.links.iter_mut().zip([1, 0]) {
        link.column = column;
    }
    let worse = Certificate::of_dense(&weights, &found);
    assert!((worse.gap() - 2.0).abs() < 1e-12 && worse.n_wrong == 0);
    found.links[0].column = 0;
    found.row_duals[0] -= 0.5;
    let wrong = Certificate::of_dense(&weights, &found);
    // Column 0 is linked twice and column 1 never.
    assert_eq!(wrong.n_wrong, 2);
    assert!((wrong.largest_violation - 0.5).abs() < 1e-12);
}

#[test]
fn a_search_that_is_to_stop_stops() {
    let n = 300;
    let weight = |at: usize| (at * 7919 % 1009) as f64;
    let weights = WeightMatrix::new(n, n, (0..n * n).map(weight).collect());
    let n_asked = Cell::new(0);
    let stop = |n_done: usize| {
        assert!(n_done <= n);
        n_asked.set(n_asked.get() + 1);
        if n_asked.get() == 2 { Err(()) } else { Ok(()) }
    };
    assert_eq!(dense(&weights, stop), Err(()));
    n_asked.set(0);
    let found = sparse(&all_pairs(&weights), &[1; 300], &[1; 300], -1.0, stop);
    assert_eq!(found, Err(()));
}
