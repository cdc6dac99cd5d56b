//! Weighted multiple correspondence analysis of one file.
//!
//! All of it follows from the weighted Burt table, which one pass over the records makes: no matrix
//! has a row per record.

use rayon::prelude::*;

use crate::error::MethodError;
use crate::figure::Side;
use crate::kernel::matrix::symmetric::Symmetric;
use crate::kernel::matrix::tridiagonal::eigen_of_large;
use crate::kernel::numbers::sums::compensated;
use crate::pair::categories::{MissingCategory, TwoCategories};

/// The most active categories: the axes are those of a square matrix of that size.
const MAX_ACTIVE: usize = 500;
/// The most supplementary categories: each has a row of the table.
const MAX_SUPPLEMENTARY: usize = 2_000;
/// Records per block, and the most blocks. Part of the result's definition: changing them changes
/// last digits.
const BLOCK: usize = 4096;
const MAX_BLOCKS: usize = 16;
/// An axis with less inertia than this is rounding.
const NO_INERTIA: f64 = 1e-9;
/// The slot of a supplementary value that is left out.
const NONE: u32 = u32::MAX;

/// The variables of an analysis in both files.
pub(crate) struct Questions {
    /// Those that make the axes.
    pub(crate) active: Vec<TwoCategories>,
    /// Those that are placed among them.
    pub(crate) supplementary: Vec<TwoCategories>,
    /// How missing values count.
    pub(crate) missing: MissingCategory,
}

impl Questions {
    /// Whether a record lacks a value that makes the axes and that is not to be made up for by a
    /// category of missing values.
    pub(crate) fn lack(&self, file: Side, record: usize) -> bool {
        let mut active = self.active.iter();
        self.missing == MissingCategory::Skip
            && active.any(|of| of.codes[file as usize][record] == of.missing())
    }
}

/// The records of one file that are analysed.
pub(crate) struct Records<'a> {
    /// Which file.
    pub(crate) file: Side,
    /// Their positions.
    pub(crate) kept: &'a [u32],
    /// Weights of all records of the file.
    pub(crate) weights: Option<&'a [f64]>,
}

/// A category on the map.
pub(crate) struct Point {
    /// Position of its variable, and its code.
    pub(crate) category: (usize, u32),
    /// Its name among the figures.
    pub(crate) label: String,
    /// How many of the records have it.
    pub(crate) n_records: u64,
    /// Whether it stands for missing values.
    pub(crate) is_missing: bool,
    /// Its share of the weight; among active variables divided by their number.
    pub(crate) mass: f64,
    /// Its place on each axis that was asked for.
    pub(crate) coordinates: Vec<f64>,
}

/// A multiple correspondence analysis.
pub(crate) struct Analysis {
    /// Number of records.
    pub(crate) n_records: usize,
    /// Number Q of active variables.
    pub(crate) n_variables: usize,
    /// Inertia of each axis, J - Q of them, the largest first.
    pub(crate) eigenvalues: Vec<f64>,
    /// Active categories.
    pub(crate) active: Vec<Point>,
    /// Supplementary categories.
    pub(crate) supplementary: Vec<Point>,
}

impl Analysis {
    /// Analyses a file; places on at most `n_axes` axes.
    pub(crate) fn of(
        questions: &Questions,
        records: &Records<'_>,
        n_axes: usize,
    ) -> Result<Self, MethodError> {
        let file = records.file.name();
        if records.kept.is_empty() {
            return Err(MethodError::request(
                format!("no record of the {file} file has the values and a weight"),
                "analyse other variables, or set missing = \"category\"",
            ));
        }
        let active = Slots::new(&questions.active, records, MissingCategory::Category);
        let missing = questions.missing;
        let supplementary = Slots::new(&questions.supplementary, records, missing);
        let (n_active, n_supplementary) = (active.len(), supplementary.len());
        if n_active > MAX_ACTIVE || n_supplementary > MAX_SUPPLEMENTARY {
            return Err(MethodError::request(
                format!(
                    "a map takes up to {MAX_ACTIVE} active and {MAX_SUPPLEMENTARY} supplementary categories, and the {file} file has {n_active} and {n_supplementary}"
                ),
                "leave out or recode variables with many categories",
            ));
        }
        let burt = Burt::new(&active, &supplementary, records);
        if !(burt.total.is_finite() && burt.total > 0.0) {
            return Err(MethodError::request(
                "the weights are too large or too small to be added up",
                "state them in another unit",
            ));
        }
        let mut analysis = Self::from_table(questions, &active, &supplementary, &burt, n_axes);
        count_records(&questions.active, records, &mut analysis.active);
        count_records(
            &questions.supplementary,
            records,
            &mut analysis.supplementary,
        );
        if analysis.n_axes() == 0 {
            return Err(MethodError::request(
                format!("no active variable has two different values in the {file} file"),
                "analyse variables that vary",
            ));
        }
        Ok(Self {
            n_records: records.kept.len(),
            ..analysis
        })
    }

    fn from_table(
        questions: &Questions,
        active: &Slots,
        supplementary: &Slots,
        burt: &Burt,
        n_axes: usize,
    ) -> Self {
        let (n_slots, n_variables) = (active.len(), questions.active.len());
        let q = n_variables as f64;
        let share = |row: usize, j: usize| burt.at(row, j) / burt.total;
        let c: Vec<f64> = (0..n_slots).map(|j| share(j, j) / q).collect();
        // SᵀS with S = D_p^½ (Z/Q - 1cᵀ) D_c^-½.
        let matrix = Symmetric::from_lower(n_slots, |j, k| {
            (share(j, k) / (q * q) - c[j] * c[k]) / (c[j] * c[k]).sqrt()
        });
        let found = eigen_of_large(&matrix);
        let n_all = n_slots.saturating_sub(n_variables);
        let eigenvalues: Vec<f64> = found.values[..n_all].iter().map(|l| l.max(0.0)).collect();
        let n_axes = eigenvalues
            .iter()
            .take(n_axes)
            .filter(|&&l| l > NO_INERTIA)
            .count();
        let vectors: Vec<Vec<f64>> = found.vectors.into_iter().take(n_axes).map(signed).collect();
        let axes = || eigenvalues.iter().zip(&vectors);
        let active_points = active.categories.iter().enumerate().map(|(j, &category)| {
            let place = |(lambda, v): (&f64, &Vec<f64>)| v[j] * lambda.sqrt() / c[j].sqrt();
            Point {
                mass: c[j],
                coordinates: axes().map(place).collect(),
                ..Point::new(&questions.active, category)
            }
        });
        let of_first = active.of_variable(0);
        let supplementary_points =
            supplementary
                .categories
                .iter()
                .enumerate()
                .map(|(s, &category)| {
                    let row = n_slots + s;
                    let mass: f64 = of_first.clone().map(|j| share(row, j)).sum();
                    // The mean of its records' coordinates F = (Z/Q D_c⁻¹ - 1) D_c^½ V, over √λ.
                    let place = |(lambda, v): (&f64, &Vec<f64>)| {
                        let mean: f64 = (0..n_slots)
                            .map(|j| (share(row, j) / (mass * q * c[j]) - 1.0) * c[j].sqrt() * v[j])
                            .sum();
                        mean / lambda.sqrt()
                    };
                    Point {
                        mass,
                        coordinates: axes().map(place).collect(),
                        ..Point::new(&questions.supplementary, category)
                    }
                });
        Self {
            n_records: 0,
            n_variables,
            active: active_points.collect(),
            supplementary: supplementary_points.collect(),
            eigenvalues,
        }
    }

    /// Number of axes on which there are places.
    pub(crate) fn n_axes(&self) -> usize {
        self.active
            .first()
            .map_or(0, |point| point.coordinates.len())
    }

    /// Benzécri's correction of an axis's inertia.
    pub(crate) fn corrected(&self, lambda: f64) -> f64 {
        let q = self.n_variables as f64;
        let above = lambda - 1.0 / q;
        if above > 0.0 {
            (q / (q - 1.0) * above) * (q / (q - 1.0) * above)
        } else {
            0.0
        }
    }

    /// Share of an axis's inertia that is due to an active category.
    pub(crate) fn contribution(&self, point: &Point, axis: usize) -> f64 {
        let place = point.coordinates[axis];
        point.mass * place * place / self.eigenvalues[axis]
    }

    /// Share of an active category's distance from the origin that lies along an axis; none for one
    /// that all records have.
    pub(crate) fn squared_cosine(&self, point: &Point, axis: usize) -> Option<f64> {
        let place = point.coordinates[axis];
        let distance = 1.0 / (self.n_variables as f64 * point.mass) - 1.0;
        Some(place * place / distance).filter(|share| share.is_finite())
    }

    /// A supplementary category's place in standard deviations of one drawn at random.
    pub(crate) fn test_value(&self, point: &Point, axis: usize) -> Option<f64> {
        let spread = (1.0 / point.mass - 1.0) / (self.n_records as f64 - 1.0);
        Some(point.coordinates[axis] / spread.sqrt()).filter(|value| value.is_finite())
    }

    /// Turns axes round.
    pub(crate) fn flip(&mut self, axis: usize) {
        for point in self.active.iter_mut().chain(&mut self.supplementary) {
            point.coordinates[axis] = -point.coordinates[axis];
        }
    }
}

impl Point {
    fn new(variables: &[TwoCategories], category: (usize, u32)) -> Self {
        let of = &variables[category.0];
        Self {
            category,
            label: of.label(category.1),
            n_records: 0,
            is_missing: category.1 == of.missing(),
            mass: 0.0,
            coordinates: Vec::new(),
        }
    }
}

/// Says of each category how many records have it.
fn count_records(variables: &[TwoCategories], records: &Records<'_>, points: &mut [Point]) {
    let count = |of: &TwoCategories| {
        let mut counts = vec![0; of.n_codes()];
        for &record in records.kept {
            counts[of.codes[records.file as usize][record as usize] as usize] += 1;
        }
        counts
    };
    let counts: Vec<Vec<u64>> = variables.iter().map(count).collect();
    for point in points {
        let (variable, code) = point.category;
        point.n_records = counts[variable][code as usize];
    }
}

/// The vector or its negative, so that its largest entry is positive; the first of those that differ
/// from the largest by rounding only, so that rounding does not turn an axis.
fn signed(v: Vec<f64>) -> Vec<f64> {
    let largest = v.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    let leads = |x: &&f64| x.abs() >= (1.0 - 1e-9) * largest;
    if v.iter().find(leads).is_some_and(|&x| x < 0.0) {
        v.into_iter().map(|x| -x).collect()
    } else {
        v
    }
}

/// The categories that occur, numbered over all variables.
struct Slots {
    /// Variable and code of each slot.
    categories: Vec<(usize, u32)>,
    /// For each variable the slot of each kept record.
    of_records: Vec<Vec<u32>>,
}

impl Slots {
    fn new(variables: &[TwoCategories], records: &Records<'_>, missing: MissingCategory) -> Self {
        let mut categories = Vec::new();
        let mut of_records = Vec::new();
        for (variable, of) in variables.iter().enumerate() {
            let codes = &of.codes[records.file as usize];
            let mut slot_of_code = vec![NONE; of.n_codes()];
            for &record in records.kept {
                slot_of_code[codes[record as usize] as usize] = 0;
            }
            if missing == MissingCategory::Skip {
                slot_of_code[of.missing() as usize] = NONE;
            }
            for (code, slot) in slot_of_code.iter_mut().enumerate() {
                if *slot != NONE {
                    *slot = categories.len() as u32;
                    categories.push((variable, code as u32));
                }
            }
            let slot = |&record: &u32| slot_of_code[codes[record as usize] as usize];
            of_records.push(records.kept.iter().map(slot).collect());
        }
        Self {
            categories,
            of_records,
        }
    }

    fn len(&self) -> usize {
        self.categories.len()
    }

    fn of_variable(&self, variable: usize) -> std::ops::Range<usize> {
        let before = self.categories.partition_point(|(of, _)| *of < variable);
        before..self.categories.partition_point(|(of, _)| *of <= variable)
    }
}

/// Weight of the records that have two categories at once: active and supplementary by active.
struct Burt {
    n_active: usize,
    sums: Vec<f64>,
    total: f64,
}

impl Burt {
    fn new(active: &Slots, supplementary: &Slots, records: &Records<'_>) -> Self {
        let n = records.kept.len();
        let n_active = active.len();
        let n_cells = (n_active + supplementary.len()) * n_active;
        let weight = |i: usize| {
            let weights = records.weights;
            weights.map_or(1.0, |weights| weights[records.kept[i] as usize])
        };
        let block = BLOCK.max(n.div_ceil(MAX_BLOCKS));
        let blocks: Vec<(Vec<f64>, f64)> = (0..n.div_ceil(block))
            .into_par_iter()
            .map(|at| {
                let mut sums = vec![0.0; n_cells];
                let mut total = 0.0;
                for i in at * block..((at + 1) * block).min(n) {
                    let w = weight(i);
                    total += w;
                    for (v, slots) in active.of_records.iter().enumerate() {
                        let row = &mut sums[slots[i] as usize * n_active..][..n_active];
                        for other in &active.of_records[..=v] {
                            row[other[i] as usize] += w;
                        }
                    }
                    for slots in &supplementary.of_records {
                        if slots[i] != NONE {
                            let row = n_active + slots[i] as usize;
                            let row = &mut sums[row * n_active..][..n_active];
                            for other in &active.of_records {
                                row[other[i] as usize] += w;
                            }
                        }
                    }
                }
                (sums, total)
            })
            .collect();
        Self {
            n_active,
            sums: (0..n_cells)
                .map(|cell| compensated(blocks.iter().map(|(sums, _)| sums[cell])))
                .collect(),
            total: compensated(blocks.iter().map(|(_, total)| *total)),
        }
    }

    /// Of active categories in the order of their variables: the later one first.
    fn at(&self, row: usize, column: usize) -> f64 {
        self.sums[row * self.n_active + column]
    }
}
