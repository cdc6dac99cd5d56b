//! The nearest points, or the farthest: what tells them, and what no point of a node is better than.

use fearless_simd::{f32x4, f32x16, prelude::*};

use crate::kernel::space::shrinking_tree::bundle::{Each, Row};
use crate::kernel::space::shrinking_tree::shadows::Place;
use crate::kernel::space::shrinking_tree::{Found, ShrinkingTree};

/// What is asked for. Shadows' distances and bounds have a sign such that less is better.
pub(super) trait Wanted: Send + Sync {
    /// 1, or -1 where greater distances are better.
    const SIGN: f32;

    /// Whether the first is better.
    fn is_better(a: &Found, b: &Found) -> bool;

    /// Shadows beyond this cannot be as good as a point at `distance`.
    fn threshold(place: &Place, distance: f64) -> f32;

    /// Shadows beyond this cannot be as good as one that is known.
    fn threshold_by_shadow(place: &Place, shadow: f32) -> f32;

    /// What no shadow of the node is better than.
    fn bound<S: Simd>(simd: S, tree: &ShrinkingTree<'_>, place: &Place, node: usize) -> f32;

    /// Terms a and b of a leaf: no shadow of it at a squared distance r from the origin, or nearer to it, is better than
    /// a - b r.
    fn by_radius<S: Simd>(
        simd: S,
        tree: &ShrinkingTree<'_>,
        place: &Place,
        leaf: usize,
    ) -> [f32; 2];

    /// The same for each question of a row.
    fn by_radius_of_each<S: Simd>(
        simd: S,
        tree: &ShrinkingTree<'_>,
        row: &Row,
        leaf: usize,
    ) -> [f32x16<S>; 2];

    /// [`Self::bound`] for each question of a row.
    fn bounds<S: Simd>(simd: S, tree: &ShrinkingTree<'_>, row: &Row, node: usize) -> f32x16<S>;
}

/// The nearest points.
pub(super) struct Near;

/// The farthest points.
pub(super) struct Far;

impl Wanted for Near {
    const SIGN: f32 = 1.0;

    fn is_better(a: &Found, b: &Found) -> bool {
        a.is_nearer_than(b)
    }

    fn threshold(place: &Place, distance: f64) -> f32 {
        place.still_near(distance)
    }

    fn threshold_by_shadow(place: &Place, shadow: f32) -> f32 {
        place.still_near(place.at_most(shadow))
    }

    #[inline(always)]
    fn bound<S: Simd>(simd: S, tree: &ShrinkingTree<'_>, place: &Place, node: usize) -> f32 {
        let (low, high) = (fours(tree.low(node)), fours(tree.high(node)));
        let mut sums = f32x4::splat(simd, 0.0);
        for ((q, low), high) in fours(&place.shadow).iter().zip(low).zip(high) {
            let q = f32x4::load_array_ref(simd, q);
            let (low, high) = (
                f32x4::load_array_ref(simd, low),
                f32x4::load_array_ref(simd, high),
            );
            let outside = (low - q).max(q - high).max(0.0);
            sums = outside.mul_add(outside, sums);
        }
        sums.to_array().iter().sum()
    }

    #[inline(always)]
    fn by_radius<S: Simd>(_: S, _: &ShrinkingTree<'_>, _: &Place, _: usize) -> [f32; 2] {
        [f32::MIN, 0.0]
    }

    #[inline(always)]
    fn by_radius_of_each<S: Simd>(
        simd: S,
        _: &ShrinkingTree<'_>,
        _: &Row,
        _: usize,
    ) -> [f32x16<S>; 2] {
        [f32x16::splat(simd, f32::MIN), f32x16::splat(simd, 0.0)]
    }

    #[inline(always)]
    fn bounds<S: Simd>(simd: S, tree: &ShrinkingTree<'_>, row: &Row, node: usize) -> f32x16<S> {
        distances_to_box(simd, tree, &row.coordinates, node)
    }
}

/// How far some places at least are from the points of a node, squared.
#[inline(always)]
pub(super) fn distances_to_box<S: Simd>(
    simd: S,
    tree: &ShrinkingTree<'_>,
    coordinates: &[Each],
    node: usize,
) -> f32x16<S> {
    let (low, high) = (tree.low(node), tree.high(node));
    let mut sums = f32x16::splat(simd, 0.0);
    for ((q, &low), &high) in coordinates.iter().zip(low).zip(high) {
        let q = f32x16::load_array_ref(simd, q);
        let outside = (low - q).max(q - high).max(0.0);
        sums = outside.mul_add(outside, sums);
    }
    sums
}

impl Wanted for Far {
    const SIGN: f32 = -1.0;

    fn is_better(a: &Found, b: &Found) -> bool {
        a.is_farther_than(b)
    }

    fn threshold(place: &Place, distance: f64) -> f32 {
        -place.still_far(distance)
    }

    fn threshold_by_shadow(place: &Place, shadow: f32) -> f32 {
        -place.still_far(place.at_least(-shadow))
    }

    #[inline(always)]
    fn bound<S: Simd>(simd: S, tree: &ShrinkingTree<'_>, place: &Place, node: usize) -> f32 {
        let terms = FarTerms::of_one(simd, tree, place, node);
        // `min` passes over a bound that is no number, which a place far outside gives.
        -(terms.by_box.min(terms.apart + terms.factor * terms.radius) + terms.slack)
    }

    #[inline(always)]
    fn by_radius<S: Simd>(
        simd: S,
        tree: &ShrinkingTree<'_>,
        place: &Place,
        leaf: usize,
    ) -> [f32; 2] {
        let terms = FarTerms::of_one(simd, tree, place, leaf);
        [-(terms.apart + terms.slack), terms.factor]
    }

    #[inline(always)]
    fn bounds<S: Simd>(simd: S, tree: &ShrinkingTree<'_>, row: &Row, node: usize) -> f32x16<S> {
        let terms = FarTerms::of_each(simd, tree, row, node);
        -(terms.by_box.min(terms.apart + terms.factor * terms.radius) + terms.slack)
    }

    #[inline(always)]
    fn by_radius_of_each<S: Simd>(
        simd: S,
        tree: &ShrinkingTree<'_>,
        row: &Row,
        leaf: usize,
    ) -> [f32x16<S>; 2] {
        let terms = FarTerms::of_each(simd, tree, row, leaf);
        [-(terms.apart + terms.slack), terms.factor]
    }
}

/// With q and x seen from the origin of the radii, |q - x|² = |q|² + |x|² - 2 q·x. A corner of the box lies far beyond
/// the points, and |x| is at most a radius ρ. For every μ >= 0, -2 q·x is at most `Σ (-2 q_j x_j - μ x_j²) + μ ρ²`,
/// which is largest, coordinate by coordinate, at that place of the box which is nearest to `-q_j / μ`. With μ = |q| / ρ
/// it is 2 |q| ρ where the box does not matter, and less where it does. So |q - x|² is at most
/// `apart + factor * ρ²`.
struct FarTerms<V> {
    /// The squared distance of the farthest corner of the box.
    by_box: V,
    apart: V,
    factor: V,
    /// ρ² of the node.
    radius: f32,
    /// What all of this may be wrong by. The terms sum to at most 6 |q| ρ in size, since the place of the box that is
    /// nearest to the origin is not beyond ρ.
    slack: V,
}

impl FarTerms<f32> {
    #[inline(always)]
    fn of_one<S: Simd>(simd: S, tree: &ShrinkingTree<'_>, place: &Place, node: usize) -> Self {
        let (low, high) = (fours(tree.low(node)), fours(tree.high(node)));
        let rho = rho(tree, node);
        let length = place.length;
        let mu = length / rho;
        let towards = -1.0 / mu.max(f32::MIN_POSITIVE);
        let mut by_box = f32x4::splat(simd, 0.0);
        let mut product = f32x4::splat(simd, 0.0);
        let axes = fours(&place.shadow).iter().zip(fours(&tree.origin));
        for (((q, origin), low), high) in axes.zip(low).zip(high) {
            let q = f32x4::load_array_ref(simd, q);
            let origin = f32x4::load_array_ref(simd, origin);
            let (low, high) = (
                f32x4::load_array_ref(simd, low),
                f32x4::load_array_ref(simd, high),
            );
            let farther = (q - low).max(high - q);
            by_box = farther.mul_add(farther, by_box);
            let q = q - origin;
            let x = (q * towards).max(low - origin).min(high - origin);
            product = x.mul_add(x * mu + (q + q), product);
        }
        let by_box: f32 = by_box.to_array().iter().sum();
        let product: f32 = product.to_array().iter().sum();
        let squared = length * length;
        Self {
            by_box,
            apart: squared - product,
            factor: mu + 1.0,
            radius: rho * rho,
            slack: place.slack(squared + rho * rho + length * (6.0 * rho) + by_box),
        }
    }
}

impl<S: Simd> FarTerms<f32x16<S>> {
    #[inline(always)]
    fn of_each(simd: S, tree: &ShrinkingTree<'_>, row: &Row, node: usize) -> Self {
        let (low, high) = (tree.low(node), tree.high(node));
        let rho = rho(tree, node);
        let length = f32x16::load_array_ref(simd, &row.lengths);
        let mu = length / rho;
        let towards = -1.0 / mu.max(f32::MIN_POSITIVE);
        let mut by_box = f32x16::splat(simd, 0.0);
        let mut product = f32x16::splat(simd, 0.0);
        let axes = row.coordinates.iter().zip(&tree.origin);
        for (((q, &origin), &low), &high) in axes.zip(low).zip(high) {
            let q = f32x16::load_array_ref(simd, q);
            let farther = (q - low).max(high - q);
            by_box = farther.mul_add(farther, by_box);
            let q = q - origin;
            let x = (q * towards).max(low - origin).min(high - origin);
            product = x.mul_add(mu.mul_add(x, q + q), product);
        }
        let squared = length * length;
        Self {
            by_box,
            apart: squared - product,
            factor: mu + 1.0,
            radius: rho * rho,
            slack: (squared + rho * rho + length * (6.0 * rho) + by_box) * row.relative,
        }
    }
}

/// The radius of a node; not 0, so that there is a μ.
#[inline(always)]
fn rho(tree: &ShrinkingTree<'_>, node: usize) -> f32 {
    tree.nodes[node].radius.sqrt() + f32::EPSILON
}

/// Coordinates in groups of four.
#[inline(always)]
fn fours(coordinates: &[f32]) -> &[[f32; 4]] {
    coordinates.as_chunks().0
}
