//! How far the confidence intervals of an estimate agree between two files.

use crate::card::ParamSpec;
use crate::figure::FigureSpec;
use crate::params::{Params, choices};

choices! {
    /// What intervals without a common point count: nothing, so that the overlap is a share (Bergeat
    /// 2015), or less than nothing (Karr et al. 2006, and synthpop).
    pub enum Disjoint {
        Zero = "truncated": "0, however far they lie apart",
        Negative = "signed": "less than 0, and less the further they lie apart",
    }
}

/// What disjoint intervals count: shared by the measures that compare intervals.
pub const OVERLAP: ParamSpec = ParamSpec::choice::<Disjoint>(
    "overlap",
    "what confidence intervals without a common point count",
)
.or_word("truncated");

impl Disjoint {
    /// What was asked for by [`OVERLAP`].
    pub fn asked(params: &Params) -> Self {
        params.choice_of(OVERLAP.name)
    }
}

/// A mean of overlaps, as a figure.
pub(crate) const fn mean_overlap(id: &'static str, label: &'static str) -> FigureSpec {
    FigureSpec::number(id, label)
        .within(f64::NEG_INFINITY, 1.0)
        .higher_is_better()
}

/// Mean share of two intervals that they have in common (Bergeat 2015, definition 3):
/// J = ½ (I/|O| + I/|A|), with I the length of what they share, 1 for equal intervals.
///
/// An interval of length 0 is the limit of shorter and shorter ones: a point within the other
/// interval is shared wholly and covers nothing of it, so that J = ½, and equal points have J = 1.
/// A point outside has J = 0, or none under [`Disjoint::Negative`], where it falls without limit.
/// None too for ends that are not finite numbers in order, and where a length overflows.
pub fn interval_overlap(
    original: (f64, f64),
    released: (f64, f64),
    disjoint: Disjoint,
) -> Option<f64> {
    let lengths = [original.1 - original.0, released.1 - released.0];
    let is_length = |length: &f64| length.is_finite() && *length >= 0.0;
    if !lengths.iter().all(is_length) {
        return None;
    }
    let shared = original.1.min(released.1) - original.0.max(released.0);
    if shared < 0.0 && disjoint == Disjoint::Zero {
        return Some(0.0);
    }
    let share = |length: f64| {
        if length > 0.0 {
            shared / length
        } else if shared < 0.0 {
            f64::NEG_INFINITY
        } else {
            1.0
        }
    };
    let overlap = 0.5 * (share(lengths[0]) + share(lengths[1]));
    overlap.is_finite().then_some(overlap)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(original: (f64, f64), released: (f64, f64)) -> [Option<f64>; 2] {
        let found = |disjoint| interval_overlap(original, released, disjoint);
        let turned = |disjoint| interval_overlap(released, original, disjoint);
        for disjoint in [Disjoint::Zero, Disjoint::Negative] {
            assert_eq!(found(disjoint), turned(disjoint), "symmetric");
        }
        [found(Disjoint::Zero), found(Disjoint::Negative)]
    }

    #[test]
    fn overlaps_by_hand() {
        assert_eq!(both((1.0, 3.0), (1.0, 3.0)), [Some(1.0); 2]);
        // Shared: 2 to 3, half of the one and a quarter of the other.
        assert_eq!(both((1.0, 3.0), (2.0, 6.0)), [Some(0.375); 2]);
        // Within: wholly shared, and half of the longer one.
        assert_eq!(both((1.0, 3.0), (1.5, 2.5)), [Some(0.75); 2]);
        // They touch.
        assert_eq!(both((1.0, 3.0), (3.0, 4.0)), [Some(0.0); 2]);
        // A gap of 1 between lengths of 2 and 4: ½ (-1/2 - 1/4).
        assert_eq!(both((1.0, 3.0), (4.0, 8.0)), [Some(0.0), Some(-0.375)]);
    }

    #[test]
    fn points_are_limits_of_short_intervals() {
        assert_eq!(both((2.0, 2.0), (2.0, 2.0)), [Some(1.0); 2]);
        assert_eq!(both((2.0, 2.0), (1.0, 3.0)), [Some(0.5); 2]);
        assert_eq!(both((3.0, 3.0), (1.0, 3.0)), [Some(0.5); 2]);
        assert_eq!(both((4.0, 4.0), (1.0, 3.0)), [Some(0.0), None]);
        assert_eq!(both((4.0, 4.0), (1.0, 1.0)), [Some(0.0), None]);
    }

    #[test]
    fn what_is_no_interval_has_no_overlap() {
        let unit = (0.0, 1.0);
        for odd in [
            (1.0, 0.0),
            (f64::NAN, 1.0),
            (0.0, f64::NAN),
            (0.0, f64::INFINITY),
            (f64::INFINITY, f64::INFINITY),
            (-f64::MAX, f64::MAX),
        ] {
            assert_eq!(both(unit, odd), [None; 2]);
        }
        // So far apart that the gap in units of a length is beyond all numbers.
        let far = (f64::MAX, f64::MAX);
        assert_eq!(both((0.0, 1e-10), far), [Some(0.0), None]);
    }
}
