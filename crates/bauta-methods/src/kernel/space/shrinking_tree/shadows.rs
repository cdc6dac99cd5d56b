//! Points in single precision, in the order in which a tree looks at them.

use crate::kernel::space::points::Points;

/// Points that are looked at together.
pub(super) const LANES: usize = 16;

/// 2^-23: twice the rounding of a number in single precision.
const UNIT: f64 = 1.0 / 8_388_608.0;

/// What may be lost, of a squared distance in double precision, when a part of it is taken away.
const CANCELLED: f64 = 1e-13;

/// Shadows of points: moved to the middle of their box, scaled so that no coordinate exceeds 1,
/// rounded to single precision, and without the variables that are constant.
///
/// A coordinate's rounding is at most 2^-24 of it. By the triangle inequality the distance of two
/// shadows q', x' differs from that of the points (in the shadows' scale) by at most
/// 2^-23 (|q'| + |x'|): the margin.
#[derive(Clone, Debug, Default)]
pub(super) struct Shadows {
    /// The variables that have a shadow.
    axes: Vec<usize>,
    /// The others, and the one value that each has.
    constants: Vec<(usize, f64)>,
    middle: Vec<f64>,
    /// A power of two.
    scale: f64,
    /// Coordinate by coordinate for `LANES` points, then for the next ones of the leaf.
    lanes: Vec<[f32; LANES]>,
    /// For each `LANES` points, a squared distance from the origin that none of them exceeds. Within a leaf it falls:
    /// what moves to the place of a point that goes comes from behind.
    radii: Vec<f32>,
}

/// Shadows without leaves yet.
pub(super) struct Casting {
    pub(super) shadows: Shadows,
    /// Their coordinates, shadow by shadow, with zeros up to the width.
    pub(super) rows: Vec<f32>,
}

/// A place that is asked for, as a shadow.
pub(super) struct Place {
    pub(super) shadow: Vec<f32>,
    /// How far it is from the origin of the tree's radii.
    pub(super) length: f32,
    /// What the distance to a shadow may be wrong by.
    margin: f64,
    /// Squared distance in the variables that have no shadow: the same for all points.
    apart: f64,
    scale: f64,
    relative: f64,
}

impl Shadows {
    /// The shadows of some points.
    pub(super) fn cast(points: &Points, rows: &[u32]) -> Casting {
        let stride = points.stride();
        let mut low = vec![f64::INFINITY; stride];
        let mut high = vec![f64::NEG_INFINITY; stride];
        for &row in rows {
            for (axis, &x) in points.point(row as usize).iter().enumerate() {
                low[axis] = low[axis].min(x);
                high[axis] = high[axis].max(x);
            }
        }
        let (axes, constant): (Vec<usize>, Vec<usize>) =
            (0..stride).partition(|&axis| low[axis] < high[axis]);
        let constants = constant.iter().map(|&axis| (axis, low[axis])).collect();
        let middle: Vec<f64> = axes
            .iter()
            .map(|&axis| low[axis] + (high[axis] - low[axis]) / 2.0)
            .collect();
        let half_width = axes
            .iter()
            .map(|&axis| (high[axis] - low[axis]) / 2.0)
            .fold(0.0, f64::max);
        // half_width < 2^exponent; the limit keeps the scale a number where coordinates are tiny.
        let scale = libm::scalbn(1.0, (-libm::frexp(half_width).1).min(1000));
        let shadows = Self {
            axes,
            constants,
            middle,
            scale,
            lanes: Vec::new(),
            radii: Vec::new(),
        };
        let width = shadows.width();
        let mut flat = vec![0.0; rows.len() * width];
        for (&row, shadow) in rows.iter().zip(flat.chunks_exact_mut(width.max(1))) {
            shadows.shade(points.point(row as usize), shadow);
        }
        Casting {
            shadows,
            rows: flat,
        }
    }

    /// Variables that have a shadow.
    pub(super) fn n_axes(&self) -> usize {
        self.axes.len()
    }

    /// Coordinates per shadow, with zeros at the end so that they go in groups of four.
    pub(super) fn width(&self) -> usize {
        self.axes.len().next_multiple_of(4)
    }

    fn shade(&self, point: &[f64], shadow: &mut [f32]) {
        for ((to, &axis), middle) in shadow.iter_mut().zip(&self.axes).zip(&self.middle) {
            *to = ((point[axis] - middle) * self.scale) as f32;
        }
    }

    /// The shadow of a place.
    pub(super) fn place(&self, at: &[f64]) -> Vec<f32> {
        let mut shadow = vec![0.0; self.width()];
        self.shade(at, &mut shadow);
        shadow
    }

    /// A place to ask for, in a tree whose radii are measured from an origin.
    pub(super) fn asked(&self, at: &[f64], origin: &[f32]) -> Place {
        let shadow = self.place(at);
        let length = |shadow: &[f32]| {
            let squares = shadow.iter().map(|&x| f64::from(x) * f64::from(x));
            squares.sum::<f64>().sqrt()
        };
        let n_axes = self.axes.len() as f64;
        // No shadow is longer than √d.
        let margin = UNIT * (length(&shadow) + n_axes.sqrt());
        let apart = self
            .constants
            .iter()
            .map(|&(axis, value)| (at[axis] - value) * (at[axis] - value));
        let from_origin = shadow.iter().zip(origin).map(|(q, origin)| q - origin);
        let from_origin: Vec<f32> = from_origin.collect();
        Place {
            length: length(&from_origin) as f32,
            shadow,
            margin,
            apart: apart.sum(),
            scale: self.scale,
            // Each of d terms is rounded a few times, and so is their sum.
            relative: UNIT * (n_axes + 8.0),
        }
    }

    /// The mean of all shadows.
    pub(super) fn middle(&self, flat: &[f32]) -> Vec<f32> {
        let width = self.width();
        let mut sums = vec![0.0_f64; width];
        let shadows = flat.chunks_exact(width.max(1));
        let n = shadows.len().max(1) as f64;
        for shadow in shadows {
            for (sum, &x) in sums.iter_mut().zip(shadow) {
                *sum += f64::from(x);
            }
        }
        sums.iter().map(|sum| (sum / n) as f32).collect()
    }

    /// Squared distance of a shadow from the origin.
    pub(super) fn radius(&self, position: u32, flat: &[f32], origin: &[f32]) -> f32 {
        let width = self.width();
        let shadow = &flat[position as usize * width..(position as usize + 1) * width];
        let squares = shadow.iter().zip(origin).map(|(x, o)| (x - o) * (x - o));
        squares.sum()
    }

    /// Adds the shadows of a leaf, of a leaf of equal ones only the first; where they begin. Others come with those
    /// first that are farthest from the origin.
    pub(super) fn push_leaf(
        &mut self,
        positions: &[u32],
        flat: &[f32],
        origin: &[f32],
        is_equal: bool,
    ) -> u32 {
        let start = self.lanes.len() as u32;
        let width = self.width();
        let positions = if is_equal { &positions[..1] } else { positions };
        for block in positions.chunks(LANES) {
            self.radii.push(self.radius(block[0], flat, origin));
            for axis in 0..self.axes.len() {
                // Unused lanes repeat the leaf's first point, which changes no box.
                self.lanes.push(std::array::from_fn(|lane| {
                    let position = *block.get(lane).unwrap_or(&positions[0]) as usize;
                    flat[position * width + axis]
                }));
            }
        }
        start
    }

    /// Moves the last of `len` shadows of a leaf to the place of one that goes.
    pub(super) fn remove(&mut self, start: u32, at: usize, len: usize) {
        let n_axes = self.axes.len();
        let last = len - 1;
        for axis in 0..n_axes {
            let lane = |which: usize| start as usize + which / LANES * n_axes + axis;
            self.lanes[lane(at)][at % LANES] = self.lanes[lane(last)][last % LANES];
            // What is left of the last one repeats the first.
            self.lanes[lane(last)][last % LANES] = self.lanes[lane(0)][0];
        }
    }

    /// Stretches a box over the shadows of a leaf; their largest squared distance from a place.
    pub(super) fn spread(
        &self,
        start: u32,
        len: usize,
        from: &[f32],
        low: &mut [f32],
        high: &mut [f32],
    ) -> f32 {
        let mut largest = 0.0_f32;
        for block in self.blocks(start, len) {
            for ((lanes, low), high) in block.iter().zip(low.iter_mut()).zip(high.iter_mut()) {
                *low = lanes.iter().copied().fold(*low, f32::min);
                *high = lanes.iter().copied().fold(*high, f32::max);
            }
            let distances = squared_distances(block, from);
            largest = distances.iter().copied().fold(largest, f32::max);
        }
        for unused in self.axes.len()..low.len() {
            (low[unused], high[unused]) = (0.0, 0.0);
        }
        largest
    }

    /// For each `LANES` shadows of a leaf, the largest squared distance from the origin.
    pub(super) fn radii(&self, start: u32, len: usize) -> &[f32] {
        let first = start as usize / self.axes.len().max(1);
        &self.radii[first..first + len.div_ceil(LANES)]
    }

    /// The shadows of a leaf, `LANES` at a time.
    pub(super) fn blocks(&self, start: u32, len: usize) -> impl Iterator<Item = &[[f32; LANES]]> {
        let n_axes = self.axes.len();
        let start = start as usize;
        let end = start + len.div_ceil(LANES) * n_axes;
        self.lanes[start..end].chunks_exact(n_axes.max(1))
    }
}

impl Place {
    /// Shadows at a greater squared distance than this cannot be at `distance` or nearer.
    pub(super) fn still_near(&self, distance: f64) -> f32 {
        let rest = (distance - self.apart).max(0.0) + CANCELLED * distance;
        let far = rest.sqrt() * self.scale + self.margin;
        (far * far * (1.0 + self.relative)) as f32
    }

    /// Shadows at a smaller squared distance than this cannot be at `distance` or farther.
    pub(super) fn still_far(&self, distance: f64) -> f32 {
        let rest = (distance - self.apart - CANCELLED * distance).max(0.0);
        let near = rest.sqrt() * self.scale - self.margin;
        if near < self.margin {
            return 0.0;
        }
        (near * near * (1.0 - self.relative)) as f32
    }

    /// No point whose shadow is at this squared distance is farther.
    pub(super) fn at_most(&self, shadow: f32) -> f64 {
        let far = f64::from(shadow).sqrt() * (1.0 + self.relative) + self.margin;
        let far = far / self.scale;
        (far * far + self.apart) * (1.0 + CANCELLED)
    }

    /// No point whose shadow is at this squared distance is nearer.
    pub(super) fn at_least(&self, shadow: f32) -> f64 {
        let near = f64::from(shadow).sqrt() * (1.0 - self.relative) - self.margin;
        let near = near.max(0.0) / self.scale;
        (near * near + self.apart) * (1.0 - CANCELLED)
    }

    /// Slack of a bound whose terms sum to this in size.
    pub(super) fn slack(&self, size: f32) -> f32 {
        self.relative as f32 * size
    }
}

/// Squared distances of `LANES` shadows from a place.
#[inline]
pub(super) fn squared_distances(block: &[[f32; LANES]], from: &[f32]) -> [f32; LANES] {
    let mut sums = [0.0; LANES];
    for (lanes, from) in block.iter().zip(from) {
        for (sum, x) in sums.iter_mut().zip(lanes) {
            let difference = x - from;
            *sum += difference * difference;
        }
    }
    sums
}
