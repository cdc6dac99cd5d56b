#![doc = include_str!("suppress_local.md")]

use bauta_data::condition::Condition;
use bauta_data::{Attribute, Column, Kind, Role, Table};

use crate::card::{
    Card, ConstValue, Family, ParamDefault, ParamSpec, ParamType, Randomness, Targets,
};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::keys::classes::Classes;
use crate::keys::codes::key_codes;
use crate::keys::completions::{Audit, impossible};
use crate::keys::suppression::{self, Blanks, Problem, Tiers, shown};
use crate::keys::{KeyColumns, Semantics};
use crate::mask::{Change, KeyClaim, MaskMethod, MaskTask, StepFacts, Together};
use crate::note::KnownNote;
use crate::params::{ParamProblem, Params, RawValue};

/// Blanks single key values until every key occurs k times. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct SuppressLocal;

/// Most keys for which the search of mu-Argus, and that under `own`, go through all their subsets.
const MAX_KEYS_OF_SUBSETS: usize = 16;

/// Key variables: categories, since a blanked number forgets what it was.
pub(crate) const CATEGORICAL_KEYS: Targets = Targets {
    kinds: &[Kind::Ordered, Kind::Hierarchical, Kind::Unordered],
    default_roles: &[Role::Key],
    refused_roles: &[Role::Weight, Role::Household, Role::Identifier],
};

/// Combinations of key values that cannot be: shared with the audit.
pub(crate) const IMPOSSIBLE: ParamSpec = ParamSpec {
    name: "impossible",
    meaning: "conditions on keys that no record can satisfy and everyone knows it, such as \"couple = 'yes' and size = '1'\"",
    ty: ParamType::Texts,
    default: ParamDefault::Unset("any combination of values can be"),
};

static CARD: Card = Card {
    id: "suppress-local",
    title: "Local suppression",
    summary: "blanks single key values, at the least cost, until every key occurs at least k times",
    family: Family::Mask,
    page: include_str!("suppress_local.md"),
    params: &[
        ParamSpec {
            name: "k",
            meaning: "how many records must share a key at least",
            ty: ParamType::Integer {
                min: 1,
                max: u32::MAX as i64,
            },
            default: ParamDefault::Value(ConstValue::Integer(3)),
        },
        ParamSpec {
            name: "semantics",
            meaning: "how a blank counts",
            ty: ParamType::Choice(&[
                (
                    "original",
                    "a record is compared on what it shows with the file before suppression; solved exactly",
                ),
                (
                    "visible",
                    "a record is compared on what it shows with what the others show",
                ),
                ("own", "a blank is a value of its own"),
            ]),
            default: ParamDefault::Value(ConstValue::Text("original")),
        },
        ParamSpec {
            name: "costs",
            meaning: "what blanking one cell of a variable costs; inf where it must not be blanked",
            ty: ParamType::NumberMap {
                min: 0.0,
                max: f64::INFINITY,
            },
            default: ParamDefault::Unset("`default_cost` holds for all"),
        },
        ParamSpec {
            name: "default_cost",
            meaning: "cost of a cell of a variable that `costs` does not name",
            ty: ParamType::Choice(&[
                ("one", "1"),
                (
                    "entropy",
                    "the entropy of the variable: cells that tell more cost more",
                ),
            ]),
            default: ParamDefault::Value(ConstValue::Text("one")),
        },
        ParamSpec {
            name: "search",
            meaning: "how the cells are chosen",
            ty: ParamType::Choice(&[
                ("exact", "the cheapest set of cells of each record"),
                (
                    "mu-argus",
                    "as mu-Argus chooses them, for comparison; semantics `original` only",
                ),
            ]),
            default: ParamDefault::Value(ConstValue::Text("exact")),
        },
        ParamSpec {
            name: "reversal",
            meaning: "what to do with records whose blanks can be worked out by elimination",
            ty: ParamType::Choice(&[
                ("leave", "nothing; the measure `reversal` counts them"),
                ("blank", "blank one more of their cells"),
                ("delete", "delete them, and begin again without them"),
            ]),
            default: ParamDefault::Value(ConstValue::Text("leave")),
        },
        IMPOSSIBLE,
    ],
    targets: CATEGORICAL_KEYS,
    randomness: Randomness::None,
    references: &["bergeat2015", "hundepool2012", "sweeney2002", "dewaal1998"],
};

impl MaskMethod for SuppressLocal {
    type Settings = Params;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn check(&self, params: &Params, on: &[&Attribute]) -> Vec<ParamProblem> {
        let mut problems = Vec::new();
        let strangers = params
            .number_map("costs")
            .iter()
            .filter(|(name, _)| !on.iter().any(|attribute| attribute.name == *name));
        problems.extend(strangers.map(|(name, _)| {
            let names = on.iter().map(|attribute| attribute.name.as_str());
            ParamProblem::of(
                "costs",
                format!("`costs` names `{name}`, which this step does not work on"),
                bauta_data::near::hint(name, names),
            )
        }));
        problems.extend(check_impossible(params));
        let semantics = params.choice("semantics");
        if params.choice("search") == "mu-argus" {
            problems.extend(check_mu_argus(params, on.len()));
        }
        if semantics == "own" && on.len() > MAX_KEYS_OF_SUBSETS {
            problems.push(ParamProblem::of(
                "semantics",
                format!(
                    "`own` tries all sets of the keys, and {} are too many",
                    on.len()
                ),
                "use another semantics, or fewer keys",
            ));
        }
        if params.choice("reversal") == "blank" && semantics == "own" {
            problems.push(ParamProblem::of(
                "reversal",
                "another blank would set a record apart again where a blank is a value of its own",
                "use reversal = \"delete\", or another semantics",
            ));
        }
        problems
    }

    fn facts(&self, params: &Params) -> StepFacts {
        StepFacts {
            together: Together::Jointly,
            /* claims */
            claims: {
                let k = k_of(params);
                (k > 1).then_some(KeyClaim {
                    k,
                    semantics: semantics_of(params),
                })
            },
            ..StepFacts::default()
        }
    }

    fn mask(
        &self,
        _settings: &Params,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        let mut kept: Option<Vec<u32>> = None;
        loop {
            let smaller = kept.as_ref().map(|kept| task.table.take(kept));
            let table = smaller.as_ref().unwrap_or(task.table);
            let step = Step::new(table, task, context)?;
            let blanks = step.solve(context)?;
            let recovered = step.recovered_records(&blanks)?;
            if recovered.is_empty() || task.params.choice("reversal") != "delete" {
                step.note(&blanks, recovered.len(), context);
                let columns = step.columns(&blanks, task.table, kept.as_deref());
                return Ok(Change {
                    columns,
                    kept,
                    ..Change::default()
                });
            }
            context.note(KnownNote::RecordsDeletedByAudit {
                n_records: recovered.len(),
            });
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

fn k_of(params: &Params) -> u32 {
    u32::try_from(params.integer("k")).unwrap_or(u32::MAX)
}

fn semantics_of(params: &Params) -> Semantics {
    match params.choice("semantics") {
        "visible" => Semantics::Visible,
        "own" => Semantics::Own,
        _ => Semantics::Original,
    }
}

/// Conditions that cannot be read.
pub(crate) fn check_impossible(params: &Params) -> Vec<ParamProblem> {
    let unreadable = |text: &String| {
        let problem = Condition::parse(text).err()?;
        Some(ParamProblem::of(
            "impossible",
            problem.message,
            problem.hint,
        ))
    };
    params
        .texts("impossible")
        .iter()
        .filter_map(unreadable)
        .collect()
}

fn check_mu_argus(params: &Params, n_keys: usize) -> Vec<ParamProblem> {
    let mut problems = Vec::new();
    let mut refuse = |message: String, hint: &str| {
        problems.push(ParamProblem::of("search", message, hint));
    };
    if params.choice("semantics") != "original" {
        refuse(
            "the search of mu-Argus counts in the file before suppression".to_owned(),
            "use semantics = \"original\", or search = \"exact\"",
        );
    }
    if n_keys > MAX_KEYS_OF_SUBSETS {
        refuse(
            format!(
                "the search of mu-Argus lists all subsets of the keys, and {n_keys} are too many"
            ),
            "use search = \"exact\"",
        );
    }
    let costs = params.number_map("costs");
    if costs.iter().any(|(_, cost)| cost.is_infinite()) {
        refuse(
            "the search of mu-Argus may blank every key".to_owned(),
            "use search = \"exact\" with infinite costs",
        );
    }
    problems
}

/// One solution: the file as it is, its classes, and what is asked.
struct Step<'a> {
    table: &'a Table,
    /// The keys in file order, so that ties do not depend on how a plan lists them.
    on: Vec<usize>,
    params: &'a Params,
    classes: Classes,
    costs: Vec<f64>,
    k: u32,
}

impl<'a> Step<'a> {
    fn new(
        table: &'a Table,
        task: &MaskTask<'a>,
        context: &RunContext<'_>,
    ) -> Result<Self, MethodError> {
        context.go_on()?;
        let k = k_of(task.params);
        let n = table.n_records();
        if n > 0 && n < k as usize {
            return Err(MethodError::request(
                format!("k = {k} exceeds the number of records ({n})"),
                "choose a smaller k",
            ));
        }
        for &attr_idx in task.on {
            let column = table.column(attr_idx);
            if n > 0 && column.n_missing() == n {
                context.note(KnownNote::KeyAllMissing {
                    variable: column.name().to_owned(),
                });
            }
        }
        let mut on = task.on.to_vec();
        on.sort_unstable();
        let keys = KeyColumns::of(table, &on, Semantics::Original)?;
        let costs = on
            .iter()
            .map(|&attr_idx| cost_of(table.column(attr_idx), task.params));
        Ok(Self {
            table,
            params: task.params,
            classes: keys.classes(None, Semantics::Original),
            costs: costs.collect(),
            k,
            on,
        })
    }

    fn problem(&self) -> Problem<'_> {
        Problem {
            classes: &self.classes,
            costs: &self.costs,
            k: self.k,
        }
    }

    fn solve(&self, context: &RunContext<'_>) -> Result<Blanks, MethodError> {
        let problem = self.problem();
        let blanks = match (self.params.choice("search"), semantics_of(self.params)) {
            ("mu-argus", _) => suppression::mu_argus(problem, context)?,
            (_, Semantics::Own) => suppression::own(problem, context)?,
            (_, Semantics::Visible) => suppression::visible(problem, context)?,
            _ => suppression::exact(problem, context)?,
        };
        if self.params.choice("reversal") == "blank" {
            return self.blank_what_gives_away(blanks, context);
        }
        Ok(blanks)
    }

    /// One more blank for classes whose blanks can be worked out, the cheapest that leaves two
    /// completions, until there is none.
    fn blank_what_gives_away(
        &self,
        mut blanks: Blanks,
        context: &RunContext<'_>,
    ) -> Result<Blanks, MethodError> {
        let impossible = impossible(self.table, &self.on, self.params.texts("impossible"))?;
        let mut n_remedied = 0;
        loop {
            context.go_on()?;
            let shown = shown(&self.classes, &blanks.of_class);
            let mut audit = Audit::new(&self.classes, &shown, self.k, &impossible);
            let findings = audit.findings();
            let given_away = findings.iter().filter(|finding| finding.n_candidates == 1);
            let mut changed = false;
            for class in given_away.map(|finding| finding.class) {
                let shows = shown[class as usize];
                let hides = |mask: &u64| {
                    *mask != 0 && mask & !shows == 0 && audit.n_candidates(class, shows & !mask) > 1
                };
                if let Some(mask) = Tiers::new(&self.costs).flatten().find(hides) {
                    blanks.of_class[class as usize] |= mask;
                    n_remedied += self.classes.sizes[class as usize].0 as usize;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
            if semantics_of(self.params) == Semantics::Visible {
                // A blank takes a match from others.
                blanks = suppression::visible_from(self.problem(), blanks, context)?;
            }
        }
        if n_remedied > 0 {
            context.note(KnownNote::BlankedByAudit {
                n_records: n_remedied,
            });
        }
        Ok(blanks)
    }

    /// Records whose blanks can be worked out, in order.
    fn recovered_records(&self, blanks: &Blanks) -> Result<Vec<u32>, MethodError> {
        let impossible = impossible(self.table, &self.on, self.params.texts("impossible"))?;
        let columns = self.columns(blanks, self.table, None);
        let masked = Change::of_columns(columns).apply_to(self.table);
        let keys = KeyColumns::of(&masked, &self.on, Semantics::Original)?;
        let classes = keys.classes(None, Semantics::Original);
        let mut audit = Audit::new(&classes, &classes.visible, self.k, &impossible);
        let mut given_away = vec![false; classes.sizes.len()];
        for finding in audit.findings() {
            given_away[finding.class as usize] = finding.n_candidates == 1;
        }
        let recovered = |record: &u32| {
            let class = classes.of_record[*record as usize];
            given_away[class as usize]
        };
        Ok((0..self.table.n_records() as u32)
            .filter(recovered)
            .collect())
    }

    /// The keys with their blanks, in `file`, whose records at `rows` are those of this solution.
    fn columns(&self, blanks: &Blanks, file: &Table, rows: Option<&[u32]>) -> Vec<(usize, Column)> {
        let masks = blanks.by_record(&self.classes);
        let row = |record: usize| rows.map_or(record as u32, |rows| rows[record]);
        let blanked = |key: usize| -> Vec<u32> {
            (0..masks.len())
                .filter(|&record| masks[record] >> key & 1 == 1)
                .map(row)
                .collect()
        };
        self.on
            .iter()
            .enumerate()
            .map(|(key, &attr_idx)| (attr_idx, blanked(key)))
            .filter(|(_, records)| !records.is_empty())
            .map(|(attr_idx, records)| (attr_idx, file.column(attr_idx).suppress(&records)))
            .collect()
    }

    fn note(&self, blanks: &Blanks, n_given_away: usize, context: &RunContext<'_>) {
        if n_given_away > 0 {
            context.note(KnownNote::GivenAway {
                n_records: n_given_away,
            });
        }
        let totals = blanks.totals(&self.classes, &self.costs);
        for (&attr_idx, &n_cells) in self.on.iter().zip(&totals.by_key) {
            if n_cells > 0 {
                context.note(KnownNote::CellsSuppressed {
                    variable: self.table.column(attr_idx).name().to_owned(),
                    n_cells,
                });
            }
        }
        context.note(KnownNote::SuppressionCost {
            n_records: totals.n_records,
            cost: totals.cost,
            lower_bound: blanks.lower_bound,
            rounds: blanks.rounds,
        });
    }
}

/// What blanking a cell of a column costs.
fn cost_of(column: &Column, params: &Params) -> f64 {
    let given = params
        .number_map("costs")
        .iter()
        .find(|(name, _)| name == column.name());
    match given {
        Some((_, cost)) => *cost,
        None if params.choice("default_cost") == "entropy" => entropy(column),
        None => 1.0,
    }
}

/// Entropy of the values that a column shows, in nats.
fn entropy(column: &Column) -> f64 {
    let key = key_codes(column);
    let mut counts = vec![0_u32; key.n_values as usize + 1];
    for &code in &key.codes {
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
