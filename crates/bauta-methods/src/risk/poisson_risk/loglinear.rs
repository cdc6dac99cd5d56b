//! Log-linear models of a cross of keys, fitted by iterative proportional fitting.
//!
//! Variables that no term connects are independent given the total, so that each connected part
//! is fitted on a cross of its own and expectations are products: main effects need no cross.

use crate::error::MethodError;

mod cover;
pub mod cross;
mod proportional;

use cross::Cross;
use proportional::Cube;

/// The most cells of a cross that is fitted: half a gigabyte of expectations.
pub const MAX_CELLS: usize = 1 << 26;

/// A margin is met when no cell of it differs by more than this share of itself.
const TOLERANCE: f64 = 1e-12;

/// Terms of a hierarchical model: each a set of variables, a bit for each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Model {
    n_variables: usize,
    terms: Vec<u64>,
}

impl Model {
    /// Main effects of some variables, and nothing more.
    pub fn main_effects(n_variables: usize) -> Self {
        Self {
            n_variables,
            terms: (0..n_variables).map(|variable| 1 << variable).collect(),
        }
    }

    /// All pairs of some variables.
    pub fn two_way(n_variables: usize) -> Self {
        let mut model = Self::main_effects(n_variables);
        for last in 1..n_variables {
            (0..last).for_each(|first| model.add(1 << first | 1 << last));
        }
        model
    }

    /// Adds a term with all that it holds. A term that another holds adds nothing.
    pub fn add(&mut self, term: u64) {
        if self.terms.iter().any(|other| other & term == term) {
            return;
        }
        self.terms.retain(|other| other & term != *other);
        self.terms.push(term);
    }

    /// Sets of variables that terms connect, by their first variable.
    fn parts(&self) -> Vec<u64> {
        let mut parts: Vec<u64> = Vec::new();
        for variable in 0..self.n_variables {
            let mut part = 1 << variable;
            if parts.iter().any(|other| other & part != 0) {
                continue;
            }
            // A part grows until no term reaches out of it.
            loop {
                let touching = self.terms.iter().filter(|term| **term & part != 0);
                let grown = touching.fold(part, |part, term| part | term);
                if grown == part {
                    break;
                }
                part = grown;
            }
            parts.push(part);
        }
        parts
    }
}

/// A fitted model.
pub struct Fit {
    parts: Vec<Cube>,
    n_records: f64,
    /// Cycles of the part that needed most.
    pub n_cycles: usize,
    /// By how much of itself a margin was corrected in the last cycle.
    pub largest_correction: f64,
}

impl Fit {
    /// Whether every margin is met.
    pub fn has_settled(&self) -> bool {
        self.largest_correction <= TOLERANCE
    }

    /// Expected records of a cell, given the code of each variable from 0.
    pub fn expected(&self, codes: &[u32]) -> f64 {
        let mut expected = self.n_records;
        for part in &self.parts {
            expected *= part.at(codes) / self.n_records;
        }
        expected
    }
}

/// Fits a model to a cross. `go_on` is asked before each cycle and may stop the fit.
pub fn fit(
    cross: &Cross,
    model: &Model,
    names: &[String],
    max_cycles: usize,
    mut go_on: impl FnMut(usize) -> Result<(), MethodError>,
) -> Result<Fit, MethodError> {
    let mut fit = Fit {
        parts: Vec::new(),
        n_records: cross.n_complete() as f64,
        n_cycles: 0,
        largest_correction: 0.0,
    };
    for part in model.parts() {
        let variables: Vec<usize> = (0..model.n_variables)
            .filter(|variable| part >> variable & 1 == 1)
            .collect();
        refuse_large(cross, &variables, names)?;
        let terms: Vec<u64> = model
            .terms
            .iter()
            .copied()
            .filter(|term| term & part != 0)
            .collect();
        let mut cube = Cube::new(cross, &variables);
        let margins = cube.margins(cross, &terms);
        let course = cube.fit(&margins, max_cycles, &mut go_on)?;
        fit.n_cycles = fit.n_cycles.max(course.n_cycles);
        fit.largest_correction = fit.largest_correction.max(course.last);
        fit.parts.push(cube);
    }
    Ok(fit)
}

fn refuse_large(cross: &Cross, variables: &[usize], names: &[String]) -> Result<(), MethodError> {
    let n_cells: f64 = variables
        .iter()
        .map(|&variable| f64::from(cross.n_levels[variable]))
        .product();
    if n_cells <= MAX_CELLS as f64 {
        return Ok(());
    }
    let names: Vec<&str> = variables
        .iter()
        .filter_map(|&variable| names.get(variable).map(String::as_str))
        .collect();
    Err(MethodError::request(
        format!(
            "{} are modelled together, and their cross has {n_cells:.0} cells, more than {MAX_CELLS}",
            names.join(", ")
        ),
        "recode them to fewer categories, use fewer keys, or ask for fewer interactions",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_takes_the_place_of_those_that_it_holds() {
        let mut model = Model::main_effects(3);
        model.add(0b011);
        assert_eq!(model.terms, [0b100, 0b011]);
        model.add(0b001);
        assert_eq!(model.terms, [0b100, 0b011]);
        let mut model = Model::two_way(3);
        assert_eq!(model.terms, [0b011, 0b101, 0b110]);
        model.add(0b111);
        assert_eq!(model.terms, [0b111]);
    }

    #[test]
    fn parts_are_what_terms_connect() {
        assert_eq!(Model::main_effects(3).parts(), [0b001, 0b010, 0b100]);
        assert_eq!(Model::two_way(4).parts(), [0b1111]);
        let mut model = Model::main_effects(5);
        model.add(0b10100);
        model.add(0b10001);
        assert_eq!(model.parts(), [0b10101, 0b00010, 0b01000]);
    }

    /// A cross of 0/1 variables with so many records in each cell, the first variable slowest.
    fn cross(n_variables: usize, counts: &[u32]) -> Cross {
        let mut records: Vec<Vec<u32>> = vec![Vec::new(); n_variables];
        for (cell, &count) in counts.iter().enumerate() {
            for _ in 0..count {
                for (variable, codes) in records.iter_mut().enumerate() {
                    codes.push((cell >> (n_variables - 1 - variable) & 1) as u32 + 1);
                }
            }
        }
        Cross::of_codes(&records, &vec![2; n_variables])
    }

    fn fitted(cross: &Cross, model: &Model) -> Fit {
        fit(cross, model, &[], 1_000, |_| Ok(())).expect("a fit")
    }

    #[test]
    fn main_effects_are_products_of_shares() {
        // Rows 30 and 70 of 100, columns 40 and 60: 12, 18, 28, 42.
        let cross = cross(2, &[20, 10, 20, 50]);
        let fit = fitted(&cross, &Model::main_effects(2));
        for (codes, expected) in [
            ([0, 0], 12.0),
            ([0, 1], 18.0),
            ([1, 0], 28.0),
            ([1, 1], 42.0),
        ] {
            assert!((fit.expected(&codes) - expected).abs() < 1e-12);
        }
        assert!(fit.has_settled());
    }

    #[test]
    fn all_pairs_of_three_variables_leave_one_odds_ratio() {
        // Without the three-way term the two conditional odds ratios are equal, and every pair of
        // margins is met.
        let counts = [10, 4, 3, 8, 6, 9, 2, 5];
        let cross = cross(3, &counts);
        let fit = fitted(&cross, &Model::two_way(3));
        let at = |a: u32, b: u32, c: u32| fit.expected(&[a, b, c]);
        let odds = |a: u32| at(a, 0, 0) * at(a, 1, 1) / (at(a, 0, 1) * at(a, 1, 0));
        assert!((odds(0) / odds(1) - 1.0).abs() < 1e-11);
        assert!((at(0, 0, 0) + at(0, 0, 1) - 14.0).abs() < 1e-10);
        assert!((at(0, 0, 0) + at(1, 0, 0) - 16.0).abs() < 1e-10);
        assert!((at(0, 1, 0) + at(0, 0, 0) - 13.0).abs() < 1e-10);
    }

    #[test]
    fn a_saturated_model_is_the_counts_and_empty_margins_stay_empty() {
        let counts = [5, 0, 7, 0, 1, 0, 2, 0];
        let cross = cross(3, &counts);
        assert_eq!(
            cross.n_levels,
            [2, 2, 1],
            "a category that no record has is none"
        );
        let mut model = Model::main_effects(3);
        model.add(0b111);
        let fit = fitted(&cross, &model);
        assert!((fit.expected(&[0, 1, 0]) - 7.0).abs() < 1e-12);
        // (0, 1) never occurs together: it stays 0 in every model that has the pair.
        let holed = self::cross(3, &[5, 6, 0, 0, 1, 3, 2, 4]);
        let fit = fitted(&holed, &Model::two_way(3));
        assert!(fit.expected(&[0, 1, 0]).abs() < f64::MIN_POSITIVE);
    }

    #[test]
    fn a_cross_that_is_too_large_is_refused_with_its_variables() {
        let codes: Vec<u32> = (1..=9_000).collect();
        let cross = Cross::of_codes(&[codes.clone(), codes], &[9_000, 9_000]);
        let names = ["age".to_owned(), "place".to_owned()];
        let refused = fit(&cross, &Model::two_way(2), &names, 10, |_| Ok(()));
        let Err(MethodError::Request { message, .. }) = refused else {
            panic!("81 million cells were fitted");
        };
        assert!(
            message.contains("age, place") && message.contains("81000000"),
            "{message}"
        );
        // Main effects need no cross.
        assert!(fit(&cross, &Model::main_effects(2), &names, 10, |_| Ok(())).is_ok());
    }
}
