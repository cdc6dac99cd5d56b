//! What agreement and disagreement weigh.

use super::comparators::ComparedVariable;

/// Similarities from which on a higher level begins: 0 stands alone, as does near equality.
const CUTS: [f64; 6] = [f64::MIN_POSITIVE, 0.25, 0.5, 0.75, 0.9, 0.97];
/// Levels of agreement.
pub(crate) const N_LEVELS: usize = CUTS.len() + 1;
/// The level of a missing value.
pub(crate) const MISSING: usize = N_LEVELS;
/// Similarity from which on a pair counts as agreeing where there are but two levels.
pub(crate) const AGREES: f64 = 0.5;

/// The level of a similarity.
pub(crate) fn level(similarity: f64) -> usize {
    CUTS.iter().filter(|cut| similarity >= **cut).count()
}

/// What the similarities of a pair weigh together.
#[derive(Clone, Debug)]
pub(crate) enum Model {
    /// Each variable from disagreement to agreement, linearly in between (Yancey 2002, §3.4).
    Linear(Vec<Linear>),
    /// By levels of agreement.
    Levels(Levels),
}

/// One variable whose weight is linear in the similarity.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Linear {
    /// In full agreement.
    pub(crate) agree: f64,
    /// Beyond the tolerance.
    pub(crate) disagree: f64,
    /// In full agreement, by the code of the original value.
    pub(crate) by_code: Option<Vec<f64>>,
    /// Of a missing value.
    pub(crate) missing: f64,
}

/// Sums of terms of one or two levels.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    /// The terms.
    pub(crate) terms: Vec<Term>,
    /// For each variable what agreement on a code weighs more or less than on any.
    pub(crate) by_code: Vec<Option<Vec<f64>>>,
}

/// A weight by the level of one variable, or by those of two.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    /// The variable.
    pub(crate) variable: usize,
    /// The one that it depends on.
    pub(crate) given: Option<usize>,
    /// Weights by both levels, [`MISSING`] included: that of the variable is the slower index.
    pub(crate) weights: Vec<f64>,
    /// Largest weight with both levels at most so high.
    most: Vec<f64>,
}

const WIDTH: usize = N_LEVELS + 1;

impl Term {
    /// A term of one variable or two; the weights have [`WIDTH`] entries per variable.
    pub(crate) fn new(variable: usize, given: Option<usize>, weights: Vec<f64>) -> Self {
        let width = if given.is_some() { WIDTH } else { 1 };
        let mut most = weights.clone();
        // Levels rise with similarity; a missing value is allowed for in each of them.
        for a in 0..WIDTH {
            for b in 0..width {
                let mut best = weights[a * width + b];
                for i in (0..=a).chain([MISSING]) {
                    for j in (0..=b.min(width - 1)).chain((width > 1).then_some(MISSING)) {
                        best = best.max(weights[i * width + j]);
                    }
                }
                most[a * width + b] = best;
            }
        }
        Self {
            variable,
            given,
            weights,
            most,
        }
    }

    /// The same term where levels are taken for others.
    pub(crate) fn seen_as(&self, seen: impl Fn(usize) -> usize) -> Self {
        let width = if self.given.is_some() { WIDTH } else { 1 };
        let at = |place: usize| {
            let (own, given) = (place / width, place % width);
            let given = if width > 1 { seen(given) } else { 0 };
            self.weights[seen(own) * width + given]
        };
        let weights = (0..self.weights.len()).map(at).collect();
        Self::new(self.variable, self.given, weights)
    }

    fn index(&self, level_of: &impl Fn(usize) -> usize) -> usize {
        match self.given {
            Some(given) => level_of(self.variable) * WIDTH + level_of(given),
            None => level_of(self.variable),
        }
    }

    /// The weight of some levels.
    pub(crate) fn weight(&self, level_of: impl Fn(usize) -> usize) -> f64 {
        self.weights[self.index(&level_of)]
    }

    /// The largest weight that levels of at most so much may have.
    pub(crate) fn most(&self, level_of: impl Fn(usize) -> usize) -> f64 {
        self.most[self.index(&level_of)]
    }
}

impl Model {
    /// The weight that a pair must exceed to be worth a link: that of one which agrees in nothing. Where none
    /// can weigh more, weights tell nothing apart, and any pair may be linked.
    pub(crate) fn lowest(&self) -> f64 {
        let (nothing, all): (f64, f64) = match self {
            Self::Linear(variables) => (
                variables.iter().map(|one| one.disagree).sum(),
                variables.iter().map(|one| one.agree.max(one.missing)).sum(),
            ),
            Self::Levels(levels) => {
                let terms = &levels.terms;
                let highest = |_: usize| MISSING - 1;
                (
                    terms.iter().map(|term| term.weight(|_| 0)).sum(),
                    terms.iter().map(|term| term.most(highest)).sum(),
                )
            }
        };
        if all > nothing {
            nothing
        } else {
            nothing - 1.0
        }
    }

    /// The weight that each variable adds to a pair of different records. A term of two variables is the
    /// first one's.
    pub(crate) fn contributions(
        &self,
        variables: &[ComparedVariable],
        original: usize,
        masked: usize,
    ) -> Vec<f64> {
        let near = |j: usize| {
            variables[j].similarity(variables[j].original[original], variables[j].masked[masked])
        };
        let code = |j: usize| variables[j].original[original] as usize;
        match self {
            Self::Linear(weights) => {
                let weigh = |(j, one): (usize, &Linear)| {
                    near(j).map_or(one.missing, |near| one.disagree + one.rise(code(j)) * near)
                };
                weights.iter().enumerate().map(weigh).collect()
            }
            Self::Levels(model) => {
                let levels: Vec<usize> = (0..variables.len())
                    .map(|j| near(j).map_or(MISSING, level))
                    .collect();
                let mut weights = vec![0.0; variables.len()];
                for term in &model.terms {
                    weights[term.variable] += term.weight(|j| levels[j]);
                }
                for (j, by_code) in model.by_code.iter().enumerate() {
                    if let Some(by_code) = by_code
                        && levels[j] == N_LEVELS - 1
                    {
                        weights[j] += by_code[code(j)];
                    }
                }
                weights
            }
        }
    }
}

impl Linear {
    /// What full agreement on a code weighs more than disagreement.
    pub(crate) fn rise(&self, code: usize) -> f64 {
        let agree = self
            .by_code
            .as_ref()
            .map_or(self.agree, |by_code| by_code[code]);
        agree - self.disagree
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_rise_with_similarity() {
        let levels: Vec<usize> = [0.0, 0.1, 0.25, 0.5, 0.8, 0.95, 1.0].map(level).to_vec();
        assert_eq!(levels, [0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn the_largest_weight_below_a_level_counts_missing_values_in() {
        // Levels 0 to 6 weigh -3, 1, -1, 0, 2, 3, 4; a missing value 0.
        let term = Term::new(0, None, vec![-3.0, 1.0, -1.0, 0.0, 2.0, 3.0, 4.0, 0.0]);
        let most: Vec<f64> = (0..N_LEVELS).map(|at| term.most(|_| at)).collect();
        assert_eq!(most, [0.0, 1.0, 1.0, 1.0, 2.0, 3.0, 4.0]);
    }
}
