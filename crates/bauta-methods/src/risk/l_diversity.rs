#![doc = include_str!("l_diversity.md")]

use bauta_data::{Attribute, Table};
use rayon::prelude::*;

use crate::card::{
    Card, ConstValue, Family, ParamDefault, ParamSpec, ParamType, Randomness, Targets,
};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::keys::asked::positions;
use crate::keys::matching::MatchingSets;
use crate::keys::sensitive::{self, Amount, Answers, ClassAnswers};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Series};
use crate::params::{ParamProblem, Params};

/// How different the sensitive values of a class are. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct LDiversity;

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "l-diversity",
        title: "l-diversity",
        summary: "how many different sensitive values the least diverse class has",
        family: Family::Risk,
        page: include_str!("l_diversity.md"),
        params: &[
            sensitive::SENSITIVE,
            sensitive::MISSING_SENSITIVE,
            sensitive::MATCHING,
            ParamSpec {
                name: "kind",
                meaning: "which l is the measure's value",
                ty: ParamType::Choice(&[
                    ("distinct", "number of different values"),
                    ("entropy", "exponential of their entropy"),
                    (
                        "recursive",
                        "largest l such that no value outweighs the l-th and rarer ones c times",
                    ),
                ]),
                default: ParamDefault::Value(ConstValue::Text("distinct")),
            },
            ParamSpec {
                name: "c",
                meaning: "c of the recursive l",
                ty: ParamType::Number { min: 0.0, max: 1e6 },
                default: ParamDefault::Value(ConstValue::Number(2.0)),
            },
            ParamSpec {
                name: "l",
                meaning: "diversities to report violations for: records whose class has a smaller one",
                ty: ParamType::Integers {
                    min: 2,
                    max: i64::MAX,
                },
                default: ParamDefault::Value(ConstValue::Integers(&[2, 3, 5])),
            },
            ParamSpec {
                name: "multi",
                meaning: "whether the intruder knows the other sensitive variables, as if they were keys",
                ty: ParamType::Flag,
                default: ParamDefault::Value(ConstValue::Flag(false)),
            },
        ],
        targets: Targets::KEYS,
        randomness: Randomness::None,
        references: &["machanavajjhala2007", "bergeat2015"],
    },
    value: FigureSpec::value("smallest l", Unit::Number)
        .within(1.0, f64::INFINITY)
        .higher_is_better(),
    usual: false,
    ..MeasureCard::OF_KEYS
};

impl MeasureMethod for LDiversity {
    type Settings = Params;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn check(&self, params: &Params, on: &[&Attribute]) -> Vec<ParamProblem> {
        sensitive::problems(params, on)
    }

    fn measure(
        &self,
        _settings: &Params,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let table = task.one()?;
        context.go_on()?;
        let keys = positions(table, task.on)?;
        let variables = sensitive::positions(table, &keys, task.params)?;
        let mut found = Measurement::default();
        let mut records = Records::new(table.n_records());
        let mut parting: Option<MatchingSets> = None;
        for (done, &attr_idx) in variables.iter().enumerate() {
            context.progress(done, variables.len())?;
            let column = table.column(attr_idx);
            let answers = Answers::new(column, task.params, context);
            let sets = match parting.take() {
                Some(sets) => sets,
                None => sets_for(table, &keys, &variables, attr_idx, task.params)?,
            };
            let smallest = records.take_in(&answers, &sets, task.params);
            found.by_variable.push(Part {
                name: column.name().to_owned(),
                value: smallest,
            });
            if !task.params.flag("multi") {
                parting = Some(sets);
            }
        }
        records.report(task.params, &mut found);
        Ok(found)
    }
}

/// The matching sets behind a sensitive variable; with `multi` the others count as keys.
fn sets_for(
    table: &Table,
    keys: &[usize],
    variables: &[usize],
    attr_idx: usize,
    params: &Params,
) -> Result<MatchingSets, MethodError> {
    let mut keys = keys.to_vec();
    if params.flag("multi") {
        keys.extend(variables.iter().filter(|&&other| other != attr_idx));
    }
    MatchingSets::new(table, &keys, sensitive::semantics(params)?)
}

/// The three diversities of a class.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Diversity {
    distinct: f64,
    entropy: f64,
    recursive: f64,
}

impl Diversity {
    /// The diversities of some answers; none where there is no answer.
    fn of(answers: &[Amount], c: f64) -> Option<Self> {
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
        let n: f64 = r.iter().sum();
        let m = r.len() as f64;
        let entropy: f64 = r.iter().map(|r| -(r / n) * libm::log(r / n)).sum();
        Some(Self {
            distinct: m,
            // Rounding must not lift equal shares above m.
            entropy: libm::exp(entropy).clamp(1.0, m),
            recursive: recursive(&r, c),
        })
    }

    fn chosen(self, kind: &str) -> f64 {
        match kind {
            "entropy" => self.entropy,
            "recursive" => self.recursive,
            _ => self.distinct,
        }
    }
}

/// The largest l with `r_1` < c (`r_l` + ... + `r_m`), strictly; 1 where there is none.
fn recursive(r: &[f64], c: f64) -> f64 {
    let mut tail = 0.0;
    for (below, r_l) in r.iter().enumerate().rev() {
        tail += r_l;
        if r[0] < c * tail {
            return (below + 1) as f64;
        }
    }
    1.0
}

/// What is known of each record while one sensitive variable after the other is looked at.
struct Records {
    /// The smallest l of the chosen kind; NaN where no variable gave one.
    l: Vec<f64>,
    /// Whether all that match the record share a sensitive value.
    is_disclosed: Vec<bool>,
    /// The smallest distinct, entropy and recursive l of any record.
    smallest: Option<Diversity>,
}

impl Records {
    fn new(n: usize) -> Self {
        Self {
            l: vec![f64::NAN; n],
            is_disclosed: vec![false; n],
            smallest: None,
        }
    }

    /// Takes in a sensitive variable; returns its smallest l of the chosen kind.
    fn take_in(&mut self, answers: &Answers, sets: &MatchingSets, params: &Params) -> Option<f64> {
        let (kind, c) = (params.choice("kind"), params.number("c"));
        let counted = ClassAnswers::new(answers, sets, None);
        let of_sets = counted.per_set(sets, |answers| Diversity::of(answers, c));
        // NaN where there is none: the other one is taken.
        let figure = |diversity: &Option<Diversity>| match diversity {
            Some(diversity) => (diversity.chosen(kind), diversity.distinct < 2.0),
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
        let least = |a: Diversity, b: Diversity| Diversity {
            distinct: a.distinct.min(b.distinct),
            entropy: a.entropy.min(b.entropy),
            recursive: a.recursive.min(b.recursive),
        };
        let smallest = of_sets.into_iter().flatten().reduce(least)?;
        self.smallest = Some(
            self.smallest
                .map_or(smallest, |before| least(before, smallest)),
        );
        Some(smallest.chosen(kind))
    }

    fn report(self, params: &Params, found: &mut Measurement) {
        let n = self.l.len();
        let kind = params.choice("kind");
        found.value = self.smallest.map(|smallest| smallest.chosen(kind));
        found.push_part("smallest_distinct", self.smallest.map(|l| l.distinct));
        found.push_part("smallest_entropy", self.smallest.map(|l| l.entropy));
        found.push_part("smallest_recursive", self.smallest.map(|l| l.recursive));
        let n_disclosed = self.is_disclosed.iter().filter(|is| **is).count() as f64;
        found.push_part("group_disclosure", n_disclosed);
        found.push_part(
            "share_group_disclosure",
            (n > 0).then(|| n_disclosed / n as f64),
        );
        let limits = params.integers("l");
        let below: Vec<f64> = limits.iter().map(|&l| below(&self.l, l as f64)).collect();
        for (l, &below) in limits.iter().zip(&below) {
            found.push_part(format!("records_with_l_below_{l}"), below);
        }
        for (l, below) in limits.iter().zip(&below) {
            let share = (n > 0).then(|| below / n as f64);
            found.push_part(format!("share_with_l_below_{l}"), share);
        }
        found.series.push(bands(&self.l));
        found.per_record = Some(self.l);
    }
}

/// How many are below a limit; those that are not numbers are not.
fn below(l: &[f64], limit: f64) -> f64 {
    l.iter().filter(|l| **l < limit).count() as f64
}

/// Records by the diversity of their class, in bands that do not depend on the file.
fn bands(l: &[f64]) -> Series {
    const BANDS: [(f64, &str); 5] = [
        (2.0, "1 to < 2"),
        (3.0, "2 to < 3"),
        (5.0, "3 to < 5"),
        (10.0, "5 to < 10"),
        (f64::INFINITY, "10+"),
    ];
    let mut counted = 0.0;
    let mut points = Vec::new();
    for (high, label) in BANDS {
        let up_to = below(l, high);
        points.push(Part {
            name: label.to_owned(),
            value: Some(up_to - counted),
        });
        counted = up_to;
    }
    Series {
        name: "records by l".to_owned(),
        axis: "records".to_owned(),
        unit: Unit::Count,
        file: None,
        variable: None,
        points,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(counts: &[f64], c: f64) -> Diversity {
        let answers: Vec<Amount> = counts.iter().map(|&count| (1, count)).collect();
        Diversity::of(&answers, c).expect("there are answers")
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
    fn equal_shares_have_an_entropy_of_their_number_and_not_more() {
        for m in 1..60_u32 {
            let found = of(&vec![7.0; m as usize], 2.0);
            assert!(found.entropy <= f64::from(m));
            assert!((found.entropy - f64::from(m)).abs() < 1e-12);
        }
        assert_eq!(Diversity::of(&[], 2.0), None);
    }
}
