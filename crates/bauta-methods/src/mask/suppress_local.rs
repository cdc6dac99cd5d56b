#![doc = include_str!("suppress_local.md")]

mod checks;
mod notes;
mod step;

use bauta_data::condition::Condition;
use bauta_data::{Attribute, Column, Kind, Role};

use crate::card::{Card, Family, ParamSpec, ParamType, Scaling, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::keys::Semantics;
use crate::keys::codes::key_codes;
use crate::keys::completions::{IMPOSSIBLE, conditions};
use crate::mask::{Change, ClaimedKeys, KeyClaim, MaskMethod, MaskTask, StepFacts};
use crate::params::{ParamProblem, Params, RawValue, choices};
use notes::{deleted_by_audit, members_tell};
use step::Step;

/// Blanks single key values until every key occurs k times. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct SuppressLocal;

choices! {
    /// How a blank counts.
    enum Counted {
        Visible = "visible": "a record is compared on what it shows with what the others show: what a reader of the released file can count",
        Original = "original": "a record is compared on what it shows with the file before suppression, which no reader has; solved exactly",
        Own = "own": "a blank is a value of its own",
    }
}

impl From<Counted> for Semantics {
    fn from(counted: Counted) -> Self {
        match counted {
            Counted::Original => Self::Original,
            Counted::Visible => Self::Visible,
            Counted::Own => Self::Own,
        }
    }
}

choices! {
    /// What a cell costs unless its variable is named.
    enum DefaultCost {
        One = "one": "1",
        Entropy = "entropy": "the entropy of the variable: cells that tell more cost more",
    }
}

choices! {
    /// How the cells are chosen.
    enum Search {
        Exact = "exact": "the cheapest set of cells of each record; under `visible` and `own` as near to it as is found",
        Fixpoint = "fixpoint": "the cheapest set of cells of each record, and under `visible` more for records that fail in the output, until none fails",
        MuArgus = "mu-argus": "as mu-Argus chooses them, for comparison; semantics `original` only",
    }
}

impl Search {
    /// How a blank counts where nobody says so.
    const fn counted(self) -> Counted {
        match self {
            Self::Exact | Self::Fixpoint => Counted::Visible,
            Self::MuArgus => Counted::Original,
        }
    }
}

choices! {
    /// What to do with records whose blanks can be worked out.
    enum Remedy {
        Leave = "leave": "nothing; the measure `reversal` counts them",
        Blank = "blank": "blank one more of their cells",
        Delete = "delete": "delete them, and begin again without them",
    }
}

const K: ParamSpec = ParamSpec::new(
    "k",
    "how many records must share a key at least",
    ParamType::Integer {
        min: 1,
        max: u32::MAX as i64,
    },
)
.or_integer(3);
const BY_SEARCH: &str = "visible; original with search = \"mu-argus\"";
const SEMANTICS: ParamSpec =
    ParamSpec::choice::<Counted>("semantics", "how a blank counts").unset(BY_SEARCH);
const COSTS: ParamSpec = ParamSpec::new(
    "costs",
    "what blanking one cell of a variable costs; inf where it must not be blanked",
    ParamType::NumberMap {
        min: 0.0,
        max: f64::INFINITY,
    },
)
.unset("`default_cost` holds for all");
const DEFAULT_COST: ParamSpec = ParamSpec::choice::<DefaultCost>(
    "default_cost",
    "cost of a cell of a variable that `costs` does not name",
)
.or_word("one");
const SEARCH: ParamSpec =
    ParamSpec::choice::<Search>("search", "how the cells are chosen").or_word("exact");
const REVERSAL: ParamSpec = ParamSpec::choice::<Remedy>(
    "reversal",
    "what to do with records whose blanks can be worked out by elimination",
)
.or_word("leave");

const SCENARIOS: ParamSpec = ParamSpec::new(
    "scenarios",
    "sets of keys that have to be safe, each by itself",
    ParamType::KeySets,
)
.unset("all scenarios of a plan that names no variables; else all keys together");
const SUBSETS: ParamSpec = ParamSpec::new(
    "subsets",
    "how many keys of a set an intruder knows at a time: every combination of so many has to be safe",
    ParamType::Integer { min: 1, max: 64 },
)
.unset("all keys of a set");
const HOUSEHOLD_KEYS: ParamSpec = ParamSpec::new(
    "household_keys",
    "keys that belong to the household: what one member loses of them, all members lose",
    ParamType::Variables,
)
.unset("each record by itself");

static CARD: Card = Card {
    id: "suppress-local",
    title: "Local suppression",
    summary: "blanks single key values, at the least cost, until every key occurs at least k times",
    family: Family::Mask,
    page: include_str!("suppress_local.md"),
    params: &[
        K,
        SEMANTICS,
        COSTS,
        DEFAULT_COST,
        SEARCH,
        REVERSAL,
        IMPOSSIBLE,
        SCENARIOS,
        SUBSETS,
        HOUSEHOLD_KEYS,
    ],
    // Categories, since a blanked number forgets what it was.
    targets: Targets {
        kinds: &[Kind::Ordered, Kind::Hierarchical, Kind::Unordered],
        default_roles: &[Role::Key],
        refused_roles: &[Role::Weight, Role::Household, Role::Identifier],
    },
    scaling: Scaling::Class,
    references: &["bergeat2015", "hundepool2012", "sweeney2002", "dewaal1998"],
    ..Card::PLAIN
};

/// How safe keys must be, and which cells may go for it.
pub struct Settings {
    k: u32,
    counted: Counted,
    costs: Vec<(String, f64)>,
    default_cost: DefaultCost,
    search: Search,
    remedy: Remedy,
    impossible: Vec<Condition>,
    /// Names and keys of the sets that have to be safe; none where it is all keys together.
    scenarios: Vec<(String, Vec<String>)>,
    subsets: Option<usize>,
    household_keys: Vec<String>,
}

impl MaskMethod for SuppressLocal {
    type Settings = Settings;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        let (impossible, mut problems) = match conditions(params) {
            Ok(impossible) => (impossible, Vec::new()),
            Err(problems) => (Vec::new(), problems),
        };
        let search: Search = params.choice_of(SEARCH.name);
        let stated = params.choice_if_set(SEMANTICS.name);
        let settings = Settings {
            k: u32::try_from(params.integer(K.name)).unwrap_or(u32::MAX),
            counted: stated.unwrap_or(search.counted()),
            costs: params.number_map(COSTS.name).to_vec(),
            default_cost: params.choice_of(DEFAULT_COST.name),
            search,
            remedy: params.choice_of(REVERSAL.name),
            impossible,
            scenarios: params.key_sets(SCENARIOS.name).to_vec(),
            subsets: (params.integer_if_set(SUBSETS.name)).and_then(|m| usize::try_from(m).ok()),
            household_keys: params.texts(HOUSEHOLD_KEYS.name).to_vec(),
        };
        problems.extend(settings.problems());
        if problems.is_empty() {
            Ok(settings)
        } else {
            Err(problems)
        }
    }

    fn check(&self, settings: &Settings, on: &[&Attribute]) -> Vec<ParamProblem> {
        settings.problems_on(on)
    }

    fn facts(&self, settings: &Settings) -> StepFacts {
        StepFacts {
            claims: (settings.k > 1).then_some(KeyClaim {
                k: settings.k,
                semantics: settings.counted.into(),
            }),
            removes_records: settings.remedy == Remedy::Delete,
            ..StepFacts::JOINTLY
        }
        .truthful()
        // The audit looks at blanks of earlier steps as well.
        .nothing_if(settings.k <= 1 && settings.remedy == Remedy::Leave)
    }

    fn claimed_keys(&self, settings: &Settings, on: &[String]) -> Vec<ClaimedKeys> {
        if settings.scenarios.is_empty() {
            return vec![ClaimedKeys {
                subsets: settings.subsets,
                ..ClaimedKeys::all(on)
            }];
        }
        let sets = settings.scenarios.iter();
        sets.map(|(name, keys)| ClaimedKeys {
            scenario: Some(name.clone()),
            subsets: settings.subsets,
            ..ClaimedKeys::all(keys)
        })
        .collect()
    }

    fn mask(
        &self,
        settings: &Settings,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        if settings.household_keys.is_empty() && !task.table.with_role(Role::Household).is_empty() {
            context.note(members_tell());
        }
        let mut kept: Option<Vec<u32>> = None;
        loop {
            let smaller = kept.as_ref().map(|kept| task.table.take(kept));
            let table = smaller.as_ref().unwrap_or(task.table);
            let mut step = Step::new(table, task.on, settings, context)?;
            let blanks = step.solve(context)?;
            let recovered = step.recovered_records(&blanks)?;
            if recovered.is_empty() || settings.remedy != Remedy::Delete {
                step.note(&blanks, recovered.len(), context);
                let columns = step.columns(&blanks, task.table, kept.as_deref());
                return Ok(Change {
                    columns,
                    kept,
                    ..Change::default()
                });
            }
            context.note(deleted_by_audit(recovered.len()));
            let stays = |record: &u32| recovered.binary_search(record).is_err();
            let left = (0..table.n_records() as u32).filter(stays);
            kept = Some(match kept {
                None => left.collect(),
                Some(kept) => left.map(|record| kept[record as usize]).collect(),
            });
        }
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![("k", RawValue::Integer(3))]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        Some(vec![("k", RawValue::Integer(1))])
    }
}

impl Settings {
    /// Whether more than one set of keys may have to be safe.
    fn several_sets(&self) -> bool {
        self.subsets.is_some() || self.scenarios.len() > 1
    }

    /// What blanking a cell of a column costs.
    fn cost_of(&self, column: &Column) -> f64 {
        let given = self.costs.iter().find(|(name, _)| name == column.name());
        match (given, self.default_cost) {
            (Some((_, cost)), _) => *cost,
            (None, DefaultCost::Entropy) => entropy(column),
            (None, DefaultCost::One) => 1.0,
        }
    }
}

/// Entropy of the values that a column shows, in nats.
fn entropy(column: &Column) -> f64 {
    let key = key_codes(column);
    let mut counts = vec![0_u32; key.n_values as usize + 1];
    for code in &key.codes {
        counts[code as usize] += 1;
    }
    let n: f64 = counts[1..].iter().map(|&count| f64::from(count)).sum();
    counts[1..]
        .iter()
        .filter(|&&count| count > 0)
        .map(|&count| {
            let share = f64::from(count) / n;
            -share * libm::log(share)
        })
        .sum()
}
