//! What the nodes of a tree know of their variables.

use crate::kernel::space::gapped_points::Place;

/// For each node and variable: where its values lie, and whether all, some or none of its points have
/// one.
#[derive(Clone, Debug)]
pub(super) struct Spans {
    stride: usize,
    /// Lowest values, then highest ones, then 1 where all points have the variable, then 1 where
    /// some have it and some lack it; 0 where nobody has it.
    sides: Vec<f64>,
    /// How many points have it.
    n_known: Vec<u32>,
}

/// The variables of one node.
#[derive(Clone, Copy)]
pub(super) struct OfNode<'a> {
    pub(super) low: &'a [f64],
    pub(super) high: &'a [f64],
    /// 1 where all points have the variable, else 0.
    pub(super) all: &'a [f64],
    /// 1 where some points have the variable and some lack it, else 0.
    pub(super) some: &'a [f64],
    pub(super) n_known: &'a [u32],
}

impl OfNode<'_> {
    /// From the lowest to the highest value.
    pub(super) fn width(&self, axis: usize) -> f64 {
        self.high[axis] - self.low[axis]
    }
}

impl Spans {
    pub(super) fn new(stride: usize) -> Self {
        Self {
            stride,
            sides: Vec::new(),
            n_known: Vec::new(),
        }
    }

    /// Room for one more node.
    pub(super) fn add_node(&mut self) {
        let n_nodes = self.n_known.len() / self.stride.max(1) + 1;
        self.sides.resize(4 * n_nodes * self.stride, 0.0);
        self.n_known.resize(n_nodes * self.stride, 0);
    }

    pub(super) fn of(&self, node: usize) -> OfNode<'_> {
        let width = self.stride;
        let sides = &self.sides[4 * node * width..4 * (node + 1) * width];
        OfNode {
            low: &sides[..width],
            high: &sides[width..2 * width],
            all: &sides[2 * width..3 * width],
            some: &sides[3 * width..],
            n_known: &self.n_known[node * width..(node + 1) * width],
        }
    }

    /// Makes a node know its points.
    pub(super) fn hold<'p>(&mut self, node: usize, points: impl Iterator<Item = Place<'p>>) {
        let mut found = vec![Span::NOTHING; self.stride];
        let mut len = 0;
        for point in points {
            let known = point.coordinates.iter().zip(point.known);
            for (span, (&x, &known)) in found.iter_mut().zip(known) {
                if known > 0.0 {
                    span.take_in(Span {
                        low: x,
                        high: x,
                        n_known: 1,
                    });
                }
            }
            len += 1;
        }
        self.set(node, &found, len);
    }

    /// Makes a node know what its children know, of which so many points are left.
    pub(super) fn join(&mut self, node: usize, children: [usize; 2], lens: [u32; 2]) {
        let mut found = vec![Span::NOTHING; self.stride];
        for child in children {
            let of_child = self.of(child);
            for (axis, span) in found.iter_mut().enumerate() {
                if of_child.n_known[axis] > 0 {
                    span.take_in(Span {
                        low: of_child.low[axis],
                        high: of_child.high[axis],
                        n_known: of_child.n_known[axis],
                    });
                }
            }
        }
        self.set(node, &found, lens.iter().sum());
    }

    /// A leaf of equal points has lost one.
    pub(super) fn shrink_equal(&mut self, node: usize, len: u32) {
        for n_known in &mut self.n_known[node * self.stride..(node + 1) * self.stride] {
            *n_known = len.min(*n_known);
        }
    }

    fn set(&mut self, node: usize, found: &[Span], len: u32) {
        let width = self.stride;
        let sides = &mut self.sides[4 * node * width..4 * (node + 1) * width];
        let n_known = &mut self.n_known[node * width..(node + 1) * width];
        for (axis, span) in found.iter().enumerate() {
            let is_known = span.n_known > 0;
            let is_all = is_known && span.n_known == len;
            sides[axis] = if is_known { span.low } else { 0.0 };
            sides[width + axis] = if is_known { span.high } else { 0.0 };
            sides[2 * width + axis] = f64::from(u8::from(is_all));
            sides[3 * width + axis] = f64::from(u8::from(is_known && !is_all));
            n_known[axis] = span.n_known;
        }
    }
}

/// A variable among some points.
#[derive(Clone, Copy)]
struct Span {
    low: f64,
    high: f64,
    n_known: u32,
}

impl Span {
    const NOTHING: Self = Self {
        low: f64::INFINITY,
        high: f64::NEG_INFINITY,
        n_known: 0,
    };

    fn take_in(&mut self, other: Self) {
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
        self.n_known += other.n_known;
    }
}
