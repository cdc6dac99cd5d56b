//! How records are to be linked: the parameters that the measure and the command share.

use bauta_data::{Attribute, Kind};

use super::comparators::Comparator;
use crate::card::{ParamSpec, ParamType};
use crate::params::{Choice as _, ParamProblem, Params, choices};

choices! {
    /// How numbers are compared.
    pub enum Metric {
        D = "d": "by their difference, relative to the original value",
        L = "l": "by the difference of their logarithms; values below 1 count as 1",
    }
}

choices! {
    /// Where the weights of agreement come from.
    pub enum Estimation {
        Equal = "equal": "every variable counts the same: 1 in full agreement, 0 beyond the tolerance",
        Em = "em": "m and u of a latent class model, estimated from the two files alone (EM)",
        Given = "given": "m and u as the plan states them",
        Refined = "refined": "levels of agreement, m from the links of an assignment, in some rounds",
        Truth = "truth": "levels of agreement, m from the true pairs: what somebody could estimate who knows how the file was masked",
    }
}

choices! {
    /// Whether agreements on several variables are taken to be independent of each other.
    pub enum Dependence {
        None = "none": "independent among matches, and among other pairs",
        Tree = "tree": "each variable depends on one other (the tree of largest mutual information)",
    }
}

choices! {
    /// What a missing value says.
    pub enum MissingRule {
        Neutral = "neutral": "nothing: the weight is 0",
        Disagree = "disagree": "as much as a disagreement",
    }
}

choices! {
    /// How links are chosen.
    pub enum Choosing {
        Automatic = "automatic": "dense while the matrix of weights fits `memory`, sparse beyond",
        Dense = "dense": "one-to-one, the largest total weight over all pairs",
        Sparse = "sparse": "one-to-one, the largest total weight over the best candidates of each record",
        Greedy = "greedy": "each original record takes the masked one of largest weight, whoever else takes it",
    }
}

pub(crate) const METRIC: ParamSpec =
    ParamSpec::choice::<Metric>("metric", "how numbers are compared")
        .unset("l, or d for a variable of which a tenth of the values other than 0 is below 1");
pub(crate) const TOLERANCE: ParamSpec = ParamSpec::new(
    "tolerance",
    "deviation at which agreement ends, relative to the original value (its logarithm under l), to the range of an ordered variable, or in similarity of texts",
    ParamType::Number { min: 1e-9, max: 1e9 },
)
.or_number(0.2);
const TOLERANCES: ParamSpec = ParamSpec::new(
    "tolerances",
    "the tolerance of single variables; of dates in days",
    ParamType::NumberMap {
        min: 1e-9,
        max: 1e9,
    },
)
.unset("as `tolerance`; 30 days for dates");
const COMPARE: ParamSpec = ParamSpec::new(
    "compare",
    "how single variables are compared: d, l, exact, frequency, jaro-winkler, date, ordered or hierarchy",
    ParamType::TextMap,
)
.unset("numbers by `metric`, ordered categories by their places, hierarchical ones by their common level, others exactly");
pub(crate) const PARAMETERS: ParamSpec = ParamSpec::choice::<Estimation>(
    "parameters",
    "where the weights of agreement and disagreement come from",
)
.or_word("equal");
const DEPENDENCE: ParamSpec = ParamSpec::choice::<Dependence>(
    "dependence",
    "how agreements on several variables depend on each other, under `em`, `refined` and `truth`",
)
.or_word("none");
pub(crate) const M: ParamSpec = ParamSpec::new(
    "m",
    "under `given`: for each variable the share of agreements among matches",
    ParamType::NumberMap { min: 0.0, max: 1.0 },
)
.unset("only `given` needs it");
pub(crate) const U: ParamSpec = ParamSpec::new(
    "u",
    "under `given`: for each variable the share of agreements among other pairs",
    ParamType::NumberMap { min: 0.0, max: 1.0 },
)
.unset("only `given` needs it");
const OVERLAP: ParamSpec = ParamSpec::fraction(
    "overlap",
    "share of the original records that have a partner in the masked file, as far as an intruder knows",
)
.unset("all where the truth is known; estimated by `em` where it is not, and otherwise all");
const MISSING_RULE: ParamSpec =
    ParamSpec::choice::<MissingRule>("when_missing", "what a missing value says")
        .or_word("neutral");
const BLOCK: ParamSpec = ParamSpec::variables(
    "block",
    "variables that must agree exactly: other pairs are not looked at",
    "all pairs may be links",
);
const PAIRS: ParamSpec = ParamSpec::integer(
    "pairs",
    "pairs that parameters are estimated from at the most; of more, a choice of original records against the whole masked file",
    1_000,
)
.or_integer(100_000_000);
const ROUNDS: ParamSpec = ParamSpec::new(
    "rounds",
    "how often `refined` estimates and assigns again",
    ParamType::Integer { min: 1, max: 20 },
)
.or_integer(2);
const ASSIGNMENT: ParamSpec =
    ParamSpec::choice::<Choosing>("assignment", "how links are chosen").or_word("automatic");
const MEMORY: ParamSpec =
    ParamSpec::integer("memory", "megabytes that a matrix of weights may take", 1).or_integer(256);
const CANDIDATES: ParamSpec = ParamSpec::new(
    "candidates",
    "masked records that each original one may be linked with, under `sparse`",
    ParamType::Integer {
        min: 1,
        max: 10_000,
    },
)
.or_integer(50);
const EXTENSIONS: ParamSpec = ParamSpec::new(
    "extensions",
    "how often `sparse` looks for pairs that its candidates lack and chooses again; it ends early when none could weigh more",
    ParamType::Integer { min: 0, max: 1_000 },
)
.or_integer(1);
const LOOKED_AT: ParamSpec = ParamSpec::integer(
    "looked_at",
    "masked records that `sparse` looks at for each original one at the most, the most promising first, when it searches candidates",
    64,
)
.unset("all, up to 1e10 pairs of different records; of more, so many that the pairs are 1e10");
pub(crate) const CUT: ParamSpec = ParamSpec::fraction(
    "cut",
    "share of true links down to which the list of links counts as the zone",
)
.or_number(0.2);
pub(crate) const UPPER: ParamSpec = ParamSpec::number(
    "upper",
    "weight from which on a pair is called a link (T_mu)",
    f64::NEG_INFINITY,
)
.unset("no pair is called so");
pub(crate) const LOWER: ParamSpec = ParamSpec::number(
    "lower",
    "weight below which a pair is called no link (T_lambda); possible links lie between",
    f64::NEG_INFINITY,
)
.unset("as `upper`");

pub(crate) const FALSE_LINKS: ParamSpec = ParamSpec::fraction(
    "false_links",
    "probability that a pair of two units is called a link, at the most (mu): sets `upper`",
)
.unset("`upper` is as stated");
pub(crate) const MISSED_LINKS: ParamSpec = ParamSpec::fraction(
    "missed_links",
    "probability that a pair of one unit is called no link, at the most (lambda): sets `lower`",
)
.unset("`lower` is as stated");

/// The parameters, in display order.
pub const PARAMS: [ParamSpec; 23] = [
    METRIC,
    TOLERANCE,
    TOLERANCES,
    COMPARE,
    PARAMETERS,
    DEPENDENCE,
    M,
    U,
    OVERLAP,
    MISSING_RULE,
    BLOCK,
    PAIRS,
    ROUNDS,
    ASSIGNMENT,
    MEMORY,
    CANDIDATES,
    EXTENSIONS,
    LOOKED_AT,
    CUT,
    UPPER,
    LOWER,
    FALSE_LINKS,
    MISSED_LINKS,
];

/// How records are to be linked.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// How numbers are compared; by their size if not said.
    pub metric: Option<Metric>,
    /// Where agreement ends.
    pub tolerance: f64,
    /// Where it ends for single variables.
    pub tolerances: Vec<(String, f64)>,
    /// How single variables are compared.
    pub compare: Vec<(String, Comparator)>,
    /// Where weights come from.
    pub estimation: Estimation,
    /// Whether agreements depend on each other.
    pub dependence: Dependence,
    /// Given shares of agreement among matches.
    pub m: Vec<(String, f64)>,
    /// Given shares of agreement among other pairs.
    pub u: Vec<(String, f64)>,
    /// Share of original records that have a partner.
    pub overlap: Option<f64>,
    /// What a missing value says.
    pub missing: MissingRule,
    /// Variables that must agree exactly.
    pub block: Vec<String>,
    /// Pairs that parameters are estimated from.
    pub pairs: usize,
    /// Rounds of refinement.
    pub rounds: usize,
    /// How links are chosen.
    pub choosing: Choosing,
    /// Bytes for a matrix of weights.
    pub memory: usize,
    /// Candidates of each original record.
    pub candidates: usize,
    /// How often candidates are added.
    pub extensions: usize,
    /// Masked records that are looked at for each original one.
    pub looked_at: Option<usize>,
    /// Share of true links at which the zone ends.
    pub cut: f64,
    /// Weight from which on a pair is called a link.
    pub upper: Option<f64>,
    /// Weight below which a pair is called no link.
    pub lower: Option<f64>,
    /// Bound on the probability that a pair of two units is called a link.
    pub false_links: Option<f64>,
    /// Bound on the probability that a pair of one unit is called no link.
    pub missed_links: Option<f64>,
}

impl Settings {
    /// What was asked for by those of [`PARAMS`] that a card has; the others are at their defaults.
    pub(crate) fn asked_in_part(params: &Params) -> Result<Self, Vec<ParamProblem>> {
        Self::asked(&params.and_defaults(&PARAMS))
    }

    /// What was asked for by [`PARAMS`]; all that is wrong with it at once.
    pub fn asked(params: &Params) -> Result<Self, Vec<ParamProblem>> {
        let mut problems = Vec::new();
        let compare = comparators(params, &mut problems);
        let estimation: Estimation = params.choice_of(PARAMETERS.name);
        let settings = Self {
            metric: params.choice_if_set(METRIC.name),
            tolerance: params.number(TOLERANCE.name),
            tolerances: params.number_map(TOLERANCES.name).to_vec(),
            compare,
            estimation,
            dependence: params.choice_of(DEPENDENCE.name),
            m: params.number_map(M.name).to_vec(),
            u: params.number_map(U.name).to_vec(),
            overlap: params.number_if_set(OVERLAP.name),
            missing: params.choice_of(MISSING_RULE.name),
            block: params.texts(BLOCK.name).to_vec(),
            pairs: params.count(PAIRS.name),
            rounds: params.count(ROUNDS.name),
            choosing: params.choice_of(ASSIGNMENT.name),
            memory: params.count(MEMORY.name).saturating_mul(1 << 20),
            candidates: params.count(CANDIDATES.name),
            extensions: params.count(EXTENSIONS.name),
            looked_at: params
                .integer_if_set(LOOKED_AT.name)
                .map(|n| usize::try_from(n).unwrap_or(usize::MAX)),
            cut: params.number(CUT.name),
            upper: params.number_if_set(UPPER.name),
            lower: params.number_if_set(LOWER.name),
            false_links: params.number_if_set(FALSE_LINKS.name),
            missed_links: params.number_if_set(MISSED_LINKS.name),
        };
        settings.together(params, &mut problems);
        if problems.is_empty() {
            Ok(settings)
        } else {
            Err(problems)
        }
    }

    /// What is wrong with parameters among themselves.
    fn together(&self, params: &Params, problems: &mut Vec<ParamProblem>) {
        let given = self.estimation == Estimation::Given;
        for (spec, shares) in [(M, &self.m), (U, &self.u)] {
            if !given && params.is_set(spec.name) {
                problems.push(ParamProblem::of(
                    spec.name,
                    format!("`{}` is used under parameters = \"given\" only", spec.name),
                    "set parameters = \"given\", or leave it out",
                ));
            }
            let at_an_end = shares
                .iter()
                .filter(|(_, share)| *share <= 0.0 || *share >= 1.0);
            problems.extend(at_an_end.map(|(name, _)| {
                ParamProblem::of(
                    spec.name,
                    format!(
                        "`{}` of `{name}` is 0 or 1, so that its weight has no end",
                        spec.name
                    ),
                    "give a share between 0 and 1, such as 0.000001",
                )
            }));
        }
        if given {
            self.check_given(problems);
        }
        let dependent = self.dependence == Dependence::Tree;
        if dependent && matches!(self.estimation, Estimation::Equal | Estimation::Given) {
            problems.push(ParamProblem::of(
                DEPENDENCE.name,
                format!(
                    "nothing is estimated under parameters = \"{}\", and so no dependence",
                    self.estimation.name()
                ),
                "leave `dependence` out, or set parameters to em, refined or truth",
            ));
        }
        self.check_thresholds(problems);
    }

    /// Thresholds are stated, or follow from bounds on errors that weights tell of.
    fn check_thresholds(&self, problems: &mut Vec<ParamProblem>) {
        if let (Some(upper), Some(lower)) = (self.upper, self.lower)
            && lower > upper
        {
            problems.push(ParamProblem::of(
                LOWER.name,
                "`lower` is above `upper`",
                "possible links lie between the two: give the smaller weight as `lower`",
            ));
        }
        let stated = self.upper.is_some() || self.lower.is_some();
        let bounds = [
            (FALSE_LINKS, self.false_links),
            (MISSED_LINKS, self.missed_links),
        ];
        for (spec, _) in bounds.into_iter().filter(|(_, bound)| bound.is_some()) {
            if stated {
                problems.push(ParamProblem::of(
                    spec.name,
                    format!(
                        "`{}` finds a threshold, and thresholds are stated",
                        spec.name
                    ),
                    "leave `upper` and `lower` out, or the bounds on errors",
                ));
            }
            if self.estimation == Estimation::Equal {
                problems.push(ParamProblem::of(
                    spec.name,
                    "equal weights are no likelihoods, so that no threshold follows from a bound on errors",
                    "set parameters to em, given, refined or truth, or state `upper` and `lower`",
                ));
            }
            if self.dependence == Dependence::Tree {
                problems.push(ParamProblem::of(
                    spec.name,
                    "thresholds follow from bounds on errors for independent variables only",
                    "leave `dependence` out, or state `upper` and `lower`",
                ));
            }
        }
    }

    /// Given shares must come in pairs, and agreement must speak for a match.
    fn check_given(&self, problems: &mut Vec<ParamProblem>) {
        if self.m.is_empty() {
            problems.push(ParamProblem::together(
                "parameters = \"given\" needs `m` and `u`",
                "give both, with a share for each variable: `m = { x = 0.9, y = 0.8 }` in a plan, `--set m=x=0.9,y=0.8` on the command line",
            ));
        }
        for (name, m) in &self.m {
            match share_of(&self.u, name) {
                Some(u) if *m <= u => problems.push(ParamProblem::of(
                    M.name,
                    format!("m of `{name}` is not above u, so that agreement would speak against a match"),
                    "exchange them if they were confused, or leave the variable out",
                )),
                Some(_) => {}
                None => problems.push(unpaired(M.name, U.name, name)),
            }
        }
        let alone = self
            .u
            .iter()
            .filter(|(name, _)| share_of(&self.m, name).is_none());
        problems.extend(alone.map(|(name, _)| unpaired(U.name, M.name, name)));
    }

    /// What only the variables' descriptions can show.
    pub fn check(&self, on: &[&Attribute]) -> Vec<ParamProblem> {
        let mut problems = Vec::new();
        let is_on = |name: &str| on.iter().any(|attribute| attribute.name == name);
        let named = (self
            .tolerances
            .iter()
            .map(|(name, _)| (TOLERANCES.name, name)))
        .chain(self.compare.iter().map(|(name, _)| (COMPARE.name, name)))
        .chain(self.m.iter().map(|(name, _)| (M.name, name)));
        for (param, name) in named {
            if !is_on(name) {
                problems.push(ParamProblem::of(
                    param,
                    format!("`{param}` names `{name}`, which is not among the variables that are measured"),
                    "add it to `on`, or take it out",
                ));
            }
        }
        if self.estimation == Estimation::Given {
            let without = on
                .iter()
                .filter(|attribute| share_of(&self.m, &attribute.name).is_none());
            problems.extend(without.map(|attribute| {
                ParamProblem::of(
                    M.name,
                    format!("`m` has no share for `{}`", attribute.name),
                    "give m and u for every variable that is measured",
                )
            }));
        }
        for attribute in on {
            problems.extend(self.misfit(attribute));
        }
        problems
    }

    /// A comparator that does not know the kind of its variable.
    fn misfit(&self, attribute: &Attribute) -> Option<ParamProblem> {
        let (_, comparator) = self
            .compare
            .iter()
            .find(|(name, _)| *name == attribute.name)?;
        let fits = match comparator {
            Comparator::D | Comparator::L => attribute.kind == Kind::Continuous,
            Comparator::Hierarchy => attribute.hierarchy.is_some(),
            Comparator::Ordered => attribute.kind == Kind::Ordered,
            Comparator::JaroWinkler => attribute.kind != Kind::Continuous,
            Comparator::Exact | Comparator::Frequency | Comparator::Date => true,
        };
        (!fits).then(|| {
            let needs = match comparator {
                Comparator::Hierarchy => "a hierarchy".to_owned(),
                Comparator::Ordered => "the kind ordered".to_owned(),
                Comparator::JaroWinkler => "categories".to_owned(),
                _ => format!("the kind {}", Kind::Continuous.name()),
            };
            ParamProblem::of(
                COMPARE.name,
                format!(
                    "`{}` needs {needs}, which `{}` has not",
                    comparator.name(),
                    attribute.name
                ),
                "describe the variable so, or compare it in another way",
            )
        })
    }
}

/// The share of a variable.
pub(super) fn share_of(shares: &[(String, f64)], name: &str) -> Option<f64> {
    let found = shares.iter().find(|(known, _)| known == name);
    found.map(|(_, share)| *share)
}

fn unpaired(has: &str, lacks: &str, name: &str) -> ParamProblem {
    ParamProblem::of(
        has,
        format!("`{has}` has a share for `{name}` and `{lacks}` has none"),
        "give both",
    )
}

/// The comparators of single variables.
fn comparators(params: &Params, problems: &mut Vec<ParamProblem>) -> Vec<(String, Comparator)> {
    let mut found = Vec::new();
    for (name, word) in params.text_map(COMPARE.name) {
        match Comparator::from_name(word) {
            Some(comparator) => found.push((name.clone(), comparator)),
            None => {
                let words: Vec<&str> = Comparator::CHOICES.iter().map(|(word, _)| *word).collect();
                problems.push(ParamProblem::of(
                    COMPARE.name,
                    format!("`{word}` is no way to compare `{name}`"),
                    format!("write one of {}", words.join(", ")),
                ));
            }
        }
    }
    found
}
