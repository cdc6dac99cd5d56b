//! How far two sets of points are apart when one may be turned and mirrored.

use crate::kernel::matrix::symmetric::{Symmetric, eigen};

/// Root of the weighted mean of squared distances between points and their partners, after the
/// rotation or reflection about the origin that makes it smallest; none without weight.
///
/// With M = Σ m x yᵀ = U Σ Vᵀ it is R = U Vᵀ (Schönemann 1966).
pub(crate) fn procrustes_distance(x: &[&[f64]], y: &[&[f64]], mass: &[f64]) -> Option<f64> {
    let total: f64 = mass.iter().sum();
    let order = x.first()?.len();
    if total <= 0.0 {
        return None;
    }
    let cross = |r: usize, s: usize| -> f64 {
        let points = x.iter().zip(y).zip(mass);
        points.map(|((x, y), mass)| mass * x[r] * y[s]).sum()
    };
    let cross: Vec<Vec<f64>> = (0..order)
        .map(|r| (0..order).map(|s| cross(r, s)).collect())
        .collect();
    let rotation = nearest_rotation(&cross);
    let squares: f64 = x
        .iter()
        .zip(y)
        .zip(mass)
        .map(|((x, y), mass)| {
            let off = (0..order).map(|s| {
                let turned: f64 = (0..order).map(|r| x[r] * rotation[r][s]).sum();
                (turned - y[s]) * (turned - y[s])
            });
            mass * off.sum::<f64>()
        })
        .sum();
    Some((squares / total).sqrt())
}

/// The orthogonal matrix U Vᵀ of a matrix U Σ Vᵀ.
fn nearest_rotation(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let order = matrix.len();
    let squared = Symmetric::from_lower(order, |j, k| {
        (0..order).map(|i| matrix[i][j] * matrix[i][k]).sum()
    });
    let right = eigen(&squared).vectors;
    let image = |v: &[f64]| -> Vec<f64> {
        let entry = |row: &Vec<f64>| row.iter().zip(v).map(|(m, v)| m * v).sum();
        matrix.iter().map(entry).collect()
    };
    let largest = right.first().map_or(0.0, |v| length(&image(v)));
    let mut left: Vec<Vec<f64>> = Vec::new();
    for v in &right {
        let units = (0..order).map(|i| (0..order).map(|j| f64::from(u8::from(i == j))).collect());
        // Where the points leave a direction open, any that is perpendicular to the others serves.
        let candidates = std::iter::once(image(v)).filter(|u| length(u) > 1e-12 * largest);
        let found = candidates
            .chain(units)
            .find_map(|u: Vec<f64>| beside(u, &left));
        left.extend(found);
    }
    let entry = |r: usize, s: usize| left.iter().zip(&right).map(|(u, v)| u[r] * v[s]).sum();
    (0..order)
        .map(|r| (0..order).map(|s| entry(r, s)).collect())
        .collect()
}

fn length(u: &[f64]) -> f64 {
    u.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The part of a vector that is perpendicular to others, of length 1; none if little is left.
fn beside(mut u: Vec<f64>, others: &[Vec<f64>]) -> Option<Vec<f64>> {
    let before = length(&u);
    for other in others {
        let along: f64 = u.iter().zip(other).map(|(u, o)| u * o).sum();
        u.iter_mut().zip(other).for_each(|(u, o)| *u -= along * o);
    }
    let left = length(&u);
    if left <= 1e-6 * before || left == 0.0 {
        return None;
    }
    Some(u.into_iter().map(|u| u / left).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turned_and_mirrored_points_are_the_same() {
        let y = [[1.0, 0.0], [0.0, 2.0], [-3.0, 0.5]];
        // (a, b) becomes (-b, a), then the first coordinate changes its sign.
        let x = y.map(|[a, b]| [b, a]);
        let of = |x: &[[f64; 2]; 3]| {
            let (x, y): (Vec<&[f64]>, Vec<&[f64]>) = (
                x.iter().map(|p| &p[..]).collect(),
                y.iter().map(|p| &p[..]).collect(),
            );
            procrustes_distance(&x, &y, &[1.0, 2.0, 3.0]).unwrap()
        };
        assert!(of(&x) < 1e-14 && of(&y) < 1e-14);
        // All points at the origin: √((1·1 + 2·4 + 3·9.25) / 6) whatever the rotation.
        assert!((of(&[[0.0; 2]; 3]) - (36.75_f64 / 6.0).sqrt()).abs() < 1e-14);
    }

    #[test]
    fn a_line_leaves_a_direction_open() {
        // Both sets lie on a line through the origin; turned onto each other they differ by 1.
        let (x, y): (&[&[f64]], &[&[f64]]) = (&[&[2.0, 0.0]], &[&[0.0, 3.0]]);
        assert!((procrustes_distance(x, y, &[1.0]).unwrap() - 1.0).abs() < 1e-14);
        assert_eq!(procrustes_distance(&[], &[], &[]), None);
    }
}
