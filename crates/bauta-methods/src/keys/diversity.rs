//! How different the sensitive answers of a class are: the l of l-diversity, for the measure and for
//! the rules by which a record is at risk.

use bauta_data::Table;
use rayon::prelude::*;

use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::numbers::two_doubles::TwoDoubles;
use crate::keys::matching::MatchingSets;
use crate::keys::sensitive::{Amount, Answers, ClassAnswers, Questions};
use crate::measure::Part;
use crate::params::choices;

choices! {
    /// Which l is meant.
    pub(crate) enum DiversityKind {
        Distinct = "distinct": "number of different values",
        Entropy = "entropy": "exponential of their entropy",
        Recursive = "recursive": "largest l such that no value outweighs the l-th and rarer ones c times",
    }
}

/// c of the recursive l, unless it is asked for.
pub(crate) const USUAL_C: f64 = 2.0;

/// What is asked of the answers of each class.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct DiversityAsked {
    /// Whose answers to which questions.
    pub(crate) questions: Questions,
    /// Which l is reported by record.
    pub(crate) kind: DiversityKind,
    /// c of the recursive l.
    pub(crate) c: f64,
    /// Whether the intruder knows the other sensitive variables, as if they were keys.
    pub(crate) knows_others: bool,
}

/// The diversity behind each record, over all sensitive variables.
pub(crate) struct Diversities {
    /// The smallest l of the kind asked for; NaN where no variable gave one.
    pub(crate) l: Vec<f64>,
    /// Whether all that match the record share a sensitive value.
    pub(crate) is_disclosed: Vec<bool>,
    /// The smallest distinct, entropy and recursive l of any record.
    pub(crate) smallest: Option<Diversity>,
    /// The smallest l of the kind asked for, by sensitive variable.
    pub(crate) by_variable: Vec<Part>,
}

/// Counts the answers of those who match each record.
pub(crate) fn diversities(
    table: &Table,
    keys: &[usize],
    asked: &DiversityAsked,
    context: &RunContext<'_>,
) -> Result<Diversities, MethodError> {
    context.go_on()?;
    let variables = asked.questions.sensitive.positions(table, keys)?;
    let mut found = Diversities {
        l: vec![f64::NAN; table.n_records()],
        is_disclosed: vec![false; table.n_records()],
        smallest: None,
        by_variable: Vec::new(),
    };
    let logarithms = Logarithms::new(table.n_records());
    let mut parting: Option<MatchingSets> = None;
    for (done, &attr_idx) in variables.iter().enumerate() {
        context.progress(done, variables.len())?;
        let column = table.column(attr_idx);
        let answers = Answers::new(column, asked.questions.missing, context);
        let sets = match parting.take() {
            Some(sets) => sets,
            None => sets_for(table, keys, &variables, attr_idx, asked)?,
        };
        let smallest = found.take_in(&answers, &sets, asked, &logarithms);
        found.by_variable.push(Part::new(column.name(), smallest));
        if !asked.knows_others {
            parting = Some(sets);
        }
    }
    Ok(found)
}

/// The matching sets behind a sensitive variable; the others count as keys where they are known.
fn sets_for(
    table: &Table,
    keys: &[usize],
    variables: &[usize],
    attr_idx: usize,
    asked: &DiversityAsked,
) -> Result<MatchingSets, MethodError> {
    let mut keys = keys.to_vec();
    if asked.knows_others {
        keys.extend(variables.iter().filter(|&&other| other != attr_idx));
    }
    MatchingSets::new(table, &keys, asked.questions.matching)
}

impl Diversities {
    /// Takes in a sensitive variable; returns its smallest l of the kind asked for.
    fn take_in(
        &mut self,
        answers: &Answers,
        sets: &MatchingSets,
        asked: &DiversityAsked,
        logarithms: &Logarithms,
    ) -> Option<f64> {
        let counted = ClassAnswers::new(answers, sets, None);
        let of_sets = counted.per_set(sets, |answers| Diversity::of(answers, asked.c, logarithms));
        // NaN where there is none: the other one is taken.
        let figure = |diversity: &Option<Diversity>| match diversity {
            Some(diversity) => (diversity.chosen(asked.kind), diversity.distinct < 2.0),
            None => (f64::NAN, false),
        };
        let figures: Vec<(f64, bool)> = of_sets.iter().map(figure).collect();
        let both = self.l.par_iter_mut().zip(&mut self.is_disclosed);
        both.enumerate()
            .with_min_len(4096)
            .for_each(|(record, (l, is_disclosed))| {
                let (of_set, is_one) = figures[sets.set_of_record(record)];
                *l = l.min(of_set);
                *is_disclosed |= is_one;
            });
        // Every set is the set of some record.
        let smallest = of_sets.into_iter().flatten().reduce(Diversity::least)?;
        let before = self.smallest;
        self.smallest = Some(before.map_or(smallest, |before| before.least(smallest)));
        Some(smallest.chosen(asked.kind))
    }
}

/// The three diversities of a class.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Diversity {
    pub(crate) distinct: f64,
    pub(crate) entropy: f64,
    pub(crate) recursive: f64,
}

impl Diversity {
    /// The diversities of some answers; none where there is no answer.
    fn of(answers: &[Amount], c: f64, logarithms: &Logarithms) -> Option<Self> {
        if answers.len() <= 1 {
            let one = Self {
                distinct: 1.0,
                entropy: 1.0,
                recursive: 1.0,
            };
            return (!answers.is_empty()).then_some(one);
        }
        // r_1 >= ... >= r_m, whatever the order of categories, so that sums do not depend on it.
        let mut r: Vec<f64> = answers.iter().map(|&(_, amount)| amount).collect();
        r.sort_unstable_by(|a, b| b.total_cmp(a));
        Some(Self {
            distinct: r.len() as f64,
            entropy: entropy(&r, logarithms),
            recursive: recursive(&r, c),
        })
    }

    /// The one that is asked for.
    pub(crate) fn chosen(self, kind: DiversityKind) -> f64 {
        match kind {
            DiversityKind::Distinct => self.distinct,
            DiversityKind::Entropy => self.entropy,
            DiversityKind::Recursive => self.recursive,
        }
    }

    /// The smaller one of each.
    fn least(self, other: Self) -> Self {
        Self {
            distinct: self.distinct.min(other.distinct),
            entropy: self.entropy.min(other.entropy),
            recursive: self.recursive.min(other.recursive),
        }
    }
}

/// The exponential of the entropy, ln n - (1/n) Σ `r_i` ln `r_i`, with 32 digits on the way: the
/// double nearest to the true l. It is compared with limits, and the l of a class may be one
/// exactly: m where all answers are equally frequent, but also 4 for counts of 4, 1, 1, 1, 1.
fn entropy(r: &[f64], logarithms: &Logarithms) -> f64 {
    let n: f64 = r.iter().sum();
    let mut weighted = TwoDoubles::from(0.0);
    for equal in r.chunk_by(|a, b| a.total_cmp(b).is_eq()) {
        // Exact: no more than n.
        let n_records = equal[0] * equal.len() as f64;
        weighted = weighted.plus(logarithms.of(equal[0]).times(n_records));
    }
    let mean = weighted.over(-n);
    logarithms.of(n).plus(mean).exp().nearest()
}

/// Logarithms of counts; those of small ones, which nearly all are, are there already.
struct Logarithms {
    of_small: Vec<TwoDoubles>,
}

impl Logarithms {
    /// For classes of a file with so many records.
    fn new(n_records: usize) -> Self {
        let of_small = (1..=n_records.min(1024)).map(|count| TwoDoubles::ln(count as f64));
        Self {
            of_small: of_small.collect(),
        }
    }

    fn of(&self, count: f64) -> TwoDoubles {
        let known = self.of_small.get(count as usize - 1);
        known.copied().unwrap_or_else(|| TwoDoubles::ln(count))
    }
}

/// The largest l with `r_1` < c (`r_l` + ... + `r_m`), strictly; 1 where there is none.
///
/// A quotient of counts is the double nearest to the true one, as c is that nearest to what was
/// written: where they are equal, so are the doubles. c times the sum would not do: 1.1 times 110
/// is more than 121.
fn recursive(r: &[f64], c: f64) -> f64 {
    let mut tail = 0.0;
    for (below, r_l) in r.iter().enumerate().rev() {
        tail += r_l;
        if r[0] / tail < c {
            return (below + 1) as f64;
        }
    }
    1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(counts: &[f64], c: f64) -> Diversity {
        let answers: Vec<Amount> = counts.iter().map(|&count| (1, count)).collect();
        Diversity::of(&answers, c, &Logarithms::new(10)).expect("there are answers")
    }

    #[test]
    fn the_three_diversities_of_five_answers() {
        // r = 3, 1, 1: p = .6, .2, .2; exp(-.6 ln .6 - .4 ln .2) = .6^-.6 .2^-.4 = 2.586.
        let found = of(&[1.0, 3.0, 1.0], 2.0);
        assert!((found.distinct - 3.0).abs() < 1e-15);
        let entropy = (-(0.6 * 0.6_f64.ln() + 0.4 * 0.2_f64.ln())).exp();
        assert!((found.entropy - entropy).abs() < 1e-14);
        // l = 3: 3 < 2 * 1 no; l = 2: 3 < 2 * 2 yes.
        assert!((found.recursive - 2.0).abs() < 1e-15);
    }

    #[test]
    fn the_recursive_inequality_is_strict() {
        // r = 4, 2: l = 2 needs 4 < 2 * 2, which is not; l = 1: 4 < 2 * 6.
        assert!((of(&[4.0, 2.0], 2.0).recursive - 1.0).abs() < 1e-15);
        assert!((of(&[4.0, 3.0], 2.0).recursive - 2.0).abs() < 1e-15);
        // c = 0: no l fits, and 1 is said.
        assert!((of(&[4.0, 3.0], 0.0).recursive - 1.0).abs() < 1e-15);
        // r = 2, 2, 2 with c = 1.5: l = 3 needs 2 < 3.
        assert!((of(&[2.0, 2.0, 2.0], 1.5).recursive - 3.0).abs() < 1e-15);
    }

    #[test]
    fn equal_shares_have_an_entropy_of_exactly_their_number() {
        for m in 1..=1000_u32 {
            for count in [1.0, 2.0, 7.0, 1_000_003.0] {
                let found = of(&vec![count; m as usize], 2.0).entropy;
                assert_eq!(found.to_bits(), f64::from(m).to_bits(), "{m} of {count}");
            }
        }
        assert_eq!(Diversity::of(&[], 2.0, &Logarithms::new(0)), None);
    }

    #[test]
    fn unequal_shares_may_have_a_whole_entropy_too() {
        // p = 1/2 and four of 1/8: (1/2) 1 + (1/2) 3 = 2 bits, l = 4. Ten times as many: the same.
        for times in [1.0, 10.0, 12_345.0] {
            let counts = [4.0, 1.0, 1.0, 1.0, 1.0].map(|count| count * times);
            assert_eq!(of(&counts, 2.0).entropy.to_bits(), 4.0_f64.to_bits());
        }
        // p = 1/3 and six of 1/9: (1/3) 1 + (2/3) 2 = 5/3 trits, l = 3^(5/3), not whole; p = 1/3
        // twice and 27 of 1/81: 2/3 + 4/3 = 2 trits, l = 9.
        let mut counts = vec![27.0; 2];
        counts.extend([1.0; 27]);
        assert_eq!(of(&counts, 2.0).entropy.to_bits(), 9.0_f64.to_bits());
    }

    #[test]
    fn an_entropy_just_below_a_whole_number_is_below_it() {
        // One record more of one of three: l = 3 (1 - 1/n^2) to first order.
        let a = 1_000_000.0;
        let found = of(&[a + 1.0, a, a], 2.0).entropy;
        let n = 3.0 * a + 1.0;
        assert!(found < 3.0);
        assert!((3.0 - found - 3.0 / (n * n)).abs() < 1e-15);
    }

    #[test]
    fn entropies_are_the_doubles_nearest_to_the_true_ones() {
        // From Python's decimal with 60 digits: exp(ln n - Σ r ln r / n), rounded once.
        let cases: [(&[f64], f64); 6] = [
            (&[3.0, 1.0, 1.0], 2.586_409_289_858_932_6),
            (&[5.0, 4.0, 3.0, 2.0, 1.0], 4.435_987_798_188_701),
            (&[1_000.0, 1.0], 1.007_931_644_907_104_7),
            (
                &[123_456.0, 7_890.0, 12.0, 3.0, 3.0, 1.0],
                1.256_965_239_096_826_4,
            ),
            (&[2.0, 2.0, 1.0], 2.871_745_887_492_587_6),
            (&[999_983.0, 999_979.0, 999_961.0], 2.999_999_999_862_659),
        ];
        for (counts, expected) in cases {
            let found = of(counts, 2.0).entropy;
            assert_eq!(found.to_bits(), expected.to_bits(), "{counts:?}: {found}");
        }
    }

    #[test]
    fn the_recursive_inequality_is_strict_for_decimal_c_too() {
        // 1.1 * 110 = 121 exactly: not below. In doubles the product is 121.00000000000001.
        assert!((of(&[121.0, 110.0], 1.1).recursive - 1.0).abs() < 1e-15);
        assert!((of(&[120.0, 110.0], 1.1).recursive - 2.0).abs() < 1e-15);
    }
}
