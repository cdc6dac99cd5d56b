//! Mixed moments of a file up to some order, and what one changed value does to them.

use rayon::prelude::*;

use crate::kernel::numbers::sums::compensated;

/// Largest order that is offered.
pub(crate) const MAX_ORDER: usize = 4;
/// Terms beyond which a request is refused: each is looked at in every step.
pub(crate) const MOST_TERMS: usize = 20_000;
/// Records per parallel block. Part of the result's definition: changing it changes last digits.
const BLOCK: usize = 1024;

/// All products of at most so many variables, with repetition: x, x², x y, ... (Sebé 2002, equations 3-5).
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    /// The terms, by rising degree.
    pub(crate) terms: Vec<Term>,
    /// For each variable the terms that it stands in.
    by_variable: Vec<Vec<Part>>,
}

/// One product: that of a shorter one and a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Term {
    /// The shorter product; none where the variable stands alone.
    shorter: Option<u32>,
    /// Its last variable.
    last: u16,
    /// How many variables are multiplied.
    pub(crate) degree: u8,
}

/// A term as one of its variables sees it: the variable's power, and the others.
#[derive(Clone, Copy, Debug)]
struct Part {
    term: u32,
    power: u8,
    n_rest: u8,
    rest: [u16; MAX_ORDER],
}

/// Number of products of at most `order` of some variables.
pub(crate) fn n_terms(n_variables: usize, order: usize) -> usize {
    // C(d + m, m) - 1, built up so that every division is exact.
    let mut n: usize = 1;
    for step in 1..=order {
        n = n.saturating_mul(n_variables + step) / step;
    }
    n.saturating_sub(1)
}

impl Terms {
    /// The terms of some variables up to an order of at most [`MAX_ORDER`].
    pub(crate) fn up_to(n_variables: usize, order: usize) -> Self {
        let mut terms: Vec<Term> = (0..n_variables as u16)
            .map(|last| Term {
                shorter: None,
                last,
                degree: 1,
            })
            .collect();
        let mut from = 0;
        for degree in 2..=order {
            let until = terms.len();
            for shorter in from..until {
                for last in terms[shorter].last..n_variables as u16 {
                    terms.push(Term {
                        shorter: Some(shorter as u32),
                        last,
                        degree: degree as u8,
                    });
                }
            }
            from = until;
        }
        let mut found = Self {
            terms,
            by_variable: vec![Vec::new(); n_variables],
        };
        for term in 0..found.terms.len() {
            let factors = found.factors(term);
            let mut variables = factors.clone();
            variables.dedup();
            for variable in variables {
                let others: Vec<u16> = factors
                    .iter()
                    .copied()
                    .filter(|factor| *factor != variable)
                    .collect();
                let mut rest = [0; MAX_ORDER];
                rest[..others.len()].copy_from_slice(&others);
                found.by_variable[variable as usize].push(Part {
                    term: term as u32,
                    power: (factors.len() - others.len()) as u8,
                    n_rest: others.len() as u8,
                    rest,
                });
            }
        }
        found
    }

    /// The variables of a term, in rising order.
    pub(crate) fn factors(&self, term: usize) -> Vec<u16> {
        let mut factors = Vec::new();
        let mut at = Some(term as u32);
        while let Some(term) = at {
            let Term { shorter, last, .. } = self.terms[term as usize];
            factors.push(last);
            at = shorter;
        }
        factors.reverse();
        factors
    }

    /// Number of terms.
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    /// The products of one record's values.
    fn products(&self, z: &[f64], products: &mut [f64]) {
        for (at, term) in self.terms.iter().enumerate() {
            let value = z[term.last as usize];
            products[at] = match term.shorter {
                None => value,
                Some(shorter) => products[shorter as usize] * value,
            };
        }
    }

    /// The sum of each product over records, which are rows of `stride` values.
    pub(crate) fn sums(&self, rows: &[f64], stride: usize) -> Vec<f64> {
        let of_block = |rows: &[f64]| {
            let mut sums = vec![0.0; self.len()];
            let mut products = vec![0.0; self.len()];
            for z in rows.chunks_exact(stride) {
                self.products(z, &mut products);
                for (sum, product) in sums.iter_mut().zip(&products) {
                    *sum += product;
                }
            }
            sums
        };
        let blocks: Vec<Vec<f64>> = rows
            .par_chunks(BLOCK * stride.max(1))
            .map(of_block)
            .collect();
        (0..self.len())
            .map(|term| compensated(blocks.iter().map(|sums| sums[term])))
            .collect()
    }

    /// What one new value does to the products of its record: calls `changed` with each term that the variable
    /// stands in and the difference.
    #[inline]
    pub(crate) fn changes(
        &self,
        z: &[f64],
        variable: usize,
        new: f64,
        mut changed: impl FnMut(usize, f64),
    ) {
        let old = z[variable];
        let mut powers = [0.0; MAX_ORDER + 1];
        let (mut a, mut b) = (1.0, 1.0);
        for power in &mut powers[1..] {
            a *= new;
            b *= old;
            *power = a - b;
        }
        for part in &self.by_variable[variable] {
            let mut product = powers[part.power as usize];
            for &other in &part.rest[..part.n_rest as usize] {
                product *= z[other as usize];
            }
            changed(part.term as usize, product);
        }
    }

    /// The slope of each product of a record in one of its values.
    #[inline]
    pub(crate) fn slopes(&self, z: &[f64], variable: usize, mut slope: impl FnMut(usize, f64)) {
        let value = z[variable];
        let mut powers = [1.0; MAX_ORDER + 1];
        for power in 2..=MAX_ORDER {
            powers[power] = powers[power - 1] * value;
        }
        for part in &self.by_variable[variable] {
            let mut product = f64::from(part.power) * powers[part.power as usize];
            for &other in &part.rest[..part.n_rest as usize] {
                product *= z[other as usize];
            }
            slope(part.term as usize, product);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_of_two_variables_up_to_order_three() {
        let terms = Terms::up_to(2, 3);
        let factors: Vec<Vec<u16>> = (0..terms.len()).map(|term| terms.factors(term)).collect();
        let expected: [&[u16]; 9] = [
            &[0],
            &[1],
            &[0, 0],
            &[0, 1],
            &[1, 1],
            &[0, 0, 0],
            &[0, 0, 1],
            &[0, 1, 1],
            &[1, 1, 1],
        ];
        assert_eq!(factors, expected);
        assert_eq!(
            (n_terms(2, 3), n_terms(13, 2), n_terms(13, 3)),
            (9, 104, 559)
        );
    }

    #[test]
    fn a_new_value_changes_the_sums_that_it_stands_in() {
        // Records (2, 3) and (1, -1); the first variable of the first becomes 5.
        let terms = Terms::up_to(2, 3);
        let before = terms.sums(&[2.0, 3.0, 1.0, -1.0], 2);
        let after = terms.sums(&[5.0, 3.0, 1.0, -1.0], 2);
        let mut changed = before.clone();
        terms.changes(&[2.0, 3.0], 0, 5.0, |term, by| changed[term] += by);
        assert_eq!(changed, after);
        assert_eq!(before[3].to_bits(), 5.0_f64.to_bits());
    }

    #[test]
    fn slopes_are_those_of_small_changes() {
        let terms = Terms::up_to(3, 4);
        let z = [0.7, -1.2, 0.4];
        for variable in 0..3 {
            let mut slopes = vec![0.0; terms.len()];
            terms.slopes(&z, variable, |term, slope| slopes[term] = slope);
            let step = 1e-6;
            terms.changes(&z, variable, z[variable] + step, |term, by| {
                assert!((by / step - slopes[term]).abs() < 1e-4, "{term}");
            });
        }
    }
}
