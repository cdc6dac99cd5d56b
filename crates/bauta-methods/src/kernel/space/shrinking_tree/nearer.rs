//! Whether a point is nearer to a place than a distance that is known.

use fearless_simd::{Level, dispatch, f32x16, prelude::*};
use rayon::prelude::*;

use crate::kernel::space::points::{Points, squared_distance};
use crate::kernel::space::shrinking_tree::bundle::{ABREAST, Each, SIDE_BY_SIDE, lanes_of};
use crate::kernel::space::shrinking_tree::shadows::{LANES, Place};
use crate::kernel::space::shrinking_tree::wanted::distances_to_box;
use crate::kernel::space::shrinking_tree::{NONE, ShrinkingTree};

/// Places per parallel block.
const BLOCK: usize = 16 * SIDE_BY_SIDE;

/// For each place, whether a point is nearer to it than the squared distance that is known; where that is no number,
/// none is. The place of a row is near to the point of the row, if to any. On all cores; `go_on` is asked between
/// blocks.
pub(super) fn has_nearer<E: Send>(
    tree: &ShrinkingTree<'_>,
    places: &Points,
    known: &(dyn Fn(usize) -> f64 + Sync),
    go_on: &(dyn Fn() -> Result<(), E> + Sync),
) -> Result<Vec<bool>, E> {
    if tree.is_empty() {
        return Ok(vec![false; places.len()]);
    }
    // Neighbours go together, since they look at the same leaves.
    let mut order: Vec<(u32, u32)> = (0..places.len() as u32)
        .into_par_iter()
        .map(|place| {
            (
                tree.nodes[tree.leaf_of[place as usize] as usize].start,
                place,
            )
        })
        .collect();
    order.par_sort_unstable();
    let blocks = order.par_chunks(BLOCK).map(|block| {
        go_on()?;
        let rows = block.chunks(SIDE_BY_SIDE);
        let answers = rows.flat_map(|row| {
            let mut row = Row::new(tree, places, row, known);
            dispatch!(Level::new(), simd => row.descend(simd));
            row.into_answers()
        });
        Ok(answers.collect())
    });
    let blocks: Vec<Vec<bool>> = blocks.collect::<Result<_, E>>()?;
    let mut by_place = vec![false; places.len()];
    for ((_, place), answer) in order.into_iter().zip(blocks.into_iter().flatten()) {
        by_place[place as usize] = answer;
    }
    Ok(by_place)
}

/// Some places side by side.
struct Row<'q, 'a> {
    tree: &'q ShrinkingTree<'a>,
    places: Vec<&'q [f64]>,
    known: Vec<f64>,
    /// By axis, those of the places' shadows.
    coordinates: Vec<Each>,
    /// Shadows beyond these cannot be nearer. None is within, once it is known that a point is nearer.
    thresholds: Each,
}

impl<'q, 'a> Row<'q, 'a> {
    fn new(
        tree: &'q ShrinkingTree<'a>,
        places: &'q Points,
        numbers: &[(u32, u32)],
        known: &dyn Fn(usize) -> f64,
    ) -> Self {
        let numbers = numbers.iter().map(|&(_, number)| number as usize);
        let known: Vec<f64> = numbers.clone().map(known).collect();
        let places: Vec<&[f64]> = numbers.map(|number| places.point(number)).collect();
        let asked = places
            .iter()
            .map(|place| tree.shadows.asked(place, &tree.origin));
        let asked: Vec<Place> = asked.collect();
        let coordinate =
            |lane: usize, axis: usize| asked.get(lane).map_or(0.0, |place| place.shadow[axis]);
        let threshold = |lane: usize| match known.get(lane) {
            Some(&known) if !known.is_nan() => asked[lane].still_near(known),
            _ => f32::NEG_INFINITY,
        };
        let axes = 0..tree.shadows.n_axes();
        Self {
            coordinates: axes
                .map(|axis| std::array::from_fn(|lane| coordinate(lane, axis)))
                .collect(),
            thresholds: std::array::from_fn(threshold),
            tree,
            places,
            known,
        }
    }

    fn into_answers(self) -> impl Iterator<Item = bool> {
        let known = self.known.into_iter().zip(self.thresholds);
        known.map(|(known, threshold)| !known.is_nan() && threshold == f32::NEG_INFINITY)
    }

    #[inline(always)]
    fn descend<S: Simd>(&mut self, simd: S) {
        let tree = self.tree;
        let mut waiting = vec![(0, [f32::MIN; SIDE_BY_SIDE])];
        while let Some((node, bounds)) = waiting.pop() {
            let bounds = f32x16::load_array(simd, bounds);
            let thresholds = f32x16::load_array_ref(simd, &self.thresholds);
            let active = bounds.simd_le(thresholds).to_bitmask();
            if active == 0 {
                continue;
            }
            let child = tree.nodes[node].child;
            if child == NONE {
                self.visit_leaf(simd, node, active);
                continue;
            }
            let sides = [child as usize, child as usize + 1];
            // Not by `map`: a closure is compiled without the vectors.
            let bounds = [
                distances_to_box(simd, tree, &self.coordinates, sides[0]),
                distances_to_box(simd, tree, &self.coordinates, sides[1]),
            ];
            let n_first = (bounds[0].simd_le(bounds[1]).to_bitmask() & active).count_ones();
            let first = usize::from(2 * n_first < active.count_ones());
            for side in [1 - first, first] {
                if tree.nodes[sides[side]].len > 0 {
                    waiting.push((sides[side], bounds[side].to_array()));
                }
            }
        }
    }

    #[inline(always)]
    fn visit_leaf<S: Simd>(&mut self, simd: S, node: usize, active: u64) {
        let tree = self.tree;
        let leaf = &tree.nodes[node];
        let points = tree.rows_of(leaf);
        let (lanes, n_lanes) = lanes_of(active);
        if leaf.is_equal {
            for &lane in &lanes[..n_lanes] {
                // One stands for all.
                self.ask(lane, points[0]);
            }
            return;
        }
        let (abreast, alone) = lanes[..n_lanes].as_chunks::<ABREAST>();
        let blocks = tree.shadows.blocks(leaf.lanes, points.len());
        for (points, block) in points.chunks(LANES).zip(blocks) {
            for lanes in abreast {
                self.scan(simd, points, block, *lanes);
            }
            for &lane in alone {
                self.scan(simd, points, block, [lane]);
            }
        }
    }

    /// Holds some places against some shadows.
    #[inline(always)]
    fn scan<S: Simd, const N: usize>(
        &mut self,
        simd: S,
        points: &[u32],
        block: &[[f32; LANES]],
        lanes: [usize; N],
    ) {
        let mut sums = [f32x16::splat(simd, 0.0); N];
        for (x, q) in block.iter().zip(&self.coordinates) {
            let x = f32x16::load_array_ref(simd, x);
            for (sum, lane) in sums.iter_mut().zip(lanes) {
                let difference = x - q[lane % SIDE_BY_SIDE];
                *sum = difference.mul_add(difference, *sum);
            }
        }
        for (sum, lane) in sums.into_iter().zip(lanes) {
            let within = sum.simd_le(self.thresholds[lane % SIDE_BY_SIDE]);
            // Places without a row repeat the first one of the leaf.
            let mut within = within.to_bitmask() & u64::MAX >> (64 - points.len());
            while within != 0 {
                self.ask(lane, points[within.trailing_zeros() as usize]);
                within &= within - 1;
            }
        }
    }

    /// Whether the point of a row is nearer, by its true distance.
    fn ask(&mut self, lane: usize, row: u32) {
        let point = self.tree.points.point(row as usize);
        if squared_distance(point, self.places[lane]) < self.known[lane] {
            self.thresholds[lane] = f32::NEG_INFINITY;
        }
    }
}
