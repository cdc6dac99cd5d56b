//! MDAV as it is written down: the reference that the fast one is held to. Quadratic.

use bauta_methods::kernel::space::centroid::Centroid;
use bauta_methods::kernel::space::partition::Partition;
use bauta_methods::kernel::space::points::{Points, squared_distance};

/// MDAV groups of all points by looking at every record for every question. For tests and
/// benchmarks: its time grows with the square of the number of points.
pub(crate) fn mdav_plain(points: &Points, k: usize) -> Partition {
    let mut left: Vec<u32> = (0..points.len() as u32).collect();
    let mut groups = Partition::default();
    if left.len() < k {
        return groups;
    }
    let none = Centroid::none_of(points);
    while left.len() >= 3 * k {
        let r = farthest(points, &left, &centre(points, &left, &none));
        groups.push(take_group(points, &mut left, r, k));
        let s = farthest(points, &left, points.point(r as usize));
        groups.push(take_group(points, &mut left, s, k));
    }
    if left.len() >= 2 * k {
        let r = farthest(points, &left, &centre(points, &left, &none));
        groups.push(take_group(points, &mut left, r, k));
    }
    if !left.is_empty() {
        groups.push(left);
    }
    groups
}

fn centre(points: &Points, left: &[u32], none: &Centroid) -> Vec<f64> {
    let mut centroid = none.clone();
    for &row in left {
        centroid.add(points.point(row as usize));
    }
    centroid.coordinates()
}

/// The row farthest from a place; the lowest of several.
fn farthest(points: &Points, left: &[u32], from: &[f64]) -> u32 {
    let mut best = (f64::NEG_INFINITY, 0);
    for &row in left {
        let distance = squared_distance(from, points.point(row as usize));
        if distance > best.0 {
            best = (distance, row);
        }
    }
    best.1
}

/// Takes a row and the k - 1 nearest to it out of those left; of equally near ones the lowest.
fn take_group(points: &Points, left: &mut Vec<u32>, centre: u32, k: usize) -> Vec<u32> {
    left.retain(|&row| row != centre);
    let place = points.point(centre as usize);
    let mut by_distance: Vec<(f64, u32)> = left
        .iter()
        .map(|&row| (squared_distance(place, points.point(row as usize)), row))
        .collect();
    let nearer = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    let mut group = vec![centre];
    if k > 1 {
        let (nearest, last, _) = by_distance.select_nth_unstable_by(k - 2, nearer);
        nearest.sort_unstable_by(nearer);
        group.extend(nearest.iter().map(|found| found.1));
        group.push(last.1);
    }
    left.retain(|row| !group.contains(row));
    group
}
