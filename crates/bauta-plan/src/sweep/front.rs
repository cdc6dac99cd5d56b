//! Which of several points no other one beats.

/// The points that no other one beats, by their positions, in their order. A point beats another that is
/// nowhere below it and somewhere above: everything is better the lower it is. Points that are equal are on
/// the front together; one with a figure that is no number is not on it.
pub fn pareto_front<P: AsRef<[f64]>>(points: &[P]) -> Vec<usize> {
    let at = |position: usize| points[position].as_ref();
    let mut rising: Vec<usize> = (0..points.len())
        .filter(|&position| !at(position).iter().any(|value| value.is_nan()))
        .collect();
    // Whatever beats a point comes before it.
    rising.sort_by(|&a, &b| {
        let pairs = at(a).iter().zip(at(b));
        // Zero has two spellings, and neither is less.
        let differing = pairs.map(|(a, b)| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        let order = differing.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then);
        order.then(a.cmp(&b))
    });
    let mut front: Vec<usize> = Vec::new();
    for position in rising {
        if !front.iter().any(|&other| beats(at(other), at(position))) {
            front.push(position);
        }
    }
    front.sort_unstable();
    front
}

fn beats(a: &[f64], b: &[f64]) -> bool {
    let mut pairs = a.iter().zip(b);
    pairs.clone().all(|(a, b)| a <= b) && pairs.any(|(a, b)| a < b)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn equal_points_share_the_front_and_what_is_no_number_is_not_on_it() {
        let points = [
            [0.0, 2.0],
            [1.0, 1.0],
            [1.0, 1.0],
            [2.0, 1.0],
            [f64::NAN, 0.0],
        ];
        assert_eq!(pareto_front(&points), [0, 1, 2]);
        assert_eq!(pareto_front::<[f64; 2]>(&[]), [0_usize; 0]);
        // Zero has two spellings; neither beats the other.
        assert_eq!(pareto_front(&[[0.0, 1.0], [-0.0, 1.0]]), [0, 1]);
        assert_eq!(pareto_front(&[[0.0, 1.0], [-0.0, 2.0]]), [0]);
    }

    proptest! {
        #[test]
        fn the_front_is_that_of_a_full_search(
            points in prop::collection::vec(prop::collection::vec(-3_i8..4, 3), 0..40)
        ) {
            let points: Vec<Vec<f64>> = points
                .into_iter()
                .map(|point| point.into_iter().map(f64::from).collect())
                .collect();
            let all = 0..points.len();
            let expected: Vec<usize> = all
                .filter(|&one| !points.iter().any(|other| beats(other, &points[one])))
                .collect();
            prop_assert_eq!(pareto_front(&points), expected);
        }
    }
}
