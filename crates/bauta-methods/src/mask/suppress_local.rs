#![doc = include_str!("suppress_local.md")]

use bauta_data::condition::Condition;
use bauta_data::{Attribute, Column, Kind, Role, Table};

use crate::card::{Card, Family, ParamSpec, ParamType, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::keys::asked::note_empty_keys;
use crate::keys::classes::Classes;
use crate::keys::codes::key_codes;
use crate::keys::completions::{Audit, IMPOSSIBLE, conditions, impossible};
use crate::keys::suppression::{self, Blanks, Problem, Tiers, shown};
use crate::keys::{KeyColumns, Semantics};
use crate::mask::{Change, KeyClaim, MaskMethod, MaskTask, StepFacts};
use crate::note::{Note, NoteRank};
use crate::params::{ParamProblem, Params, RawValue, choices};

/// Blanks single key values until every key occurs k times. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct SuppressLocal;

/// Most keys for which the search of mu-Argus, and that under `own`, go through all their subsets.
const MAX_KEYS_OF_SUBSETS: usize = 16;

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
        Exact = "exact": "the cheapest set of cells of each record",
        MuArgus = "mu-argus": "as mu-Argus chooses them, for comparison; semantics `original` only",
    }
}

impl Search {
    /// How a blank counts where nobody says so.
    const fn counted(self) -> Counted {
        match self {
            Self::Exact => Counted::Visible,
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
    ],
    // Categories, since a blanked number forgets what it was.
    targets: Targets {
        kinds: &[Kind::Ordered, Kind::Hierarchical, Kind::Unordered],
        default_roles: &[Role::Key],
        refused_roles: &[Role::Weight, Role::Household, Role::Identifier],
    },
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
        };
        problems.extend(settings.problems());
        if problems.is_empty() {
            Ok(settings)
        } else {
            Err(problems)
        }
    }

    fn check(&self, settings: &Settings, on: &[&Attribute]) -> Vec<ParamProblem> {
        let is_stranger = |name: &str| !on.iter().any(|attribute| attribute.name == *name);
        let costs = settings.costs.iter();
        let strangers = costs.filter(|(name, _)| is_stranger(name));
        let mut problems: Vec<ParamProblem> = strangers
            .map(|(name, _)| {
                let names = on.iter().map(|attribute| attribute.name.as_str());
                ParamProblem::of(
                    COSTS.name,
                    format!("`costs` names `{name}`, which this step does not work on"),
                    bauta_data::near::hint(name, names),
                )
            })
            .collect();
        let n_keys = on.len();
        if settings.search == Search::MuArgus && n_keys > MAX_KEYS_OF_SUBSETS {
            problems.push(ParamProblem::of(
                SEARCH.name,
                format!(
                    "the search of mu-Argus lists all subsets of the keys, and {n_keys} are too many"
                ),
                "use search = \"exact\"",
            ));
        }
        if settings.counted == Counted::Own && n_keys > MAX_KEYS_OF_SUBSETS {
            problems.push(ParamProblem::of(
                SEMANTICS.name,
                format!("`own` tries all sets of the keys, and {n_keys} are too many"),
                "use another semantics, or fewer keys",
            ));
        }
        problems
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

    fn mask(
        &self,
        settings: &Settings,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        let mut kept: Option<Vec<u32>> = None;
        loop {
            let smaller = kept.as_ref().map(|kept| task.table.take(kept));
            let table = smaller.as_ref().unwrap_or(task.table);
            let step = Step::new(table, task.on, settings, context)?;
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
    /// What is wrong with the parameters together.
    fn problems(&self) -> Vec<ParamProblem> {
        let mut problems = Vec::new();
        if self.search == Search::MuArgus {
            if self.counted != Counted::Original {
                problems.push(ParamProblem::of(
                    SEARCH.name,
                    "the search of mu-Argus counts in the file before suppression",
                    "leave `semantics` out or say \"original\", or use search = \"exact\"",
                ));
            }
            if self.costs.iter().any(|(_, cost)| cost.is_infinite()) {
                problems.push(ParamProblem::of(
                    SEARCH.name,
                    "the search of mu-Argus may blank every key",
                    "use search = \"exact\" with infinite costs",
                ));
            }
        }
        if self.remedy == Remedy::Blank && self.counted == Counted::Own {
            problems.push(ParamProblem::of(
                REVERSAL.name,
                "another blank would set a record apart again where a blank is a value of its own",
                "use reversal = \"delete\", or another semantics",
            ));
        }
        problems
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

/// One solution: the file as it is, its classes, and what is asked.
struct Step<'a> {
    table: &'a Table,
    /// The keys in file order, so that ties do not depend on how a plan lists them.
    on: Vec<usize>,
    settings: &'a Settings,
    classes: Classes,
    costs: Vec<f64>,
}

impl<'a> Step<'a> {
    fn new(
        table: &'a Table,
        on: &[usize],
        settings: &'a Settings,
        context: &RunContext<'_>,
    ) -> Result<Self, MethodError> {
        context.go_on()?;
        let k = settings.k;
        let n = table.n_records();
        if n > 0 && n < k as usize {
            return Err(MethodError::request(
                format!("k = {k} exceeds the number of records ({n})"),
                "choose a smaller k",
            ));
        }
        note_empty_keys(table, on, context);
        let mut on = on.to_vec();
        on.sort_unstable();
        let keys = KeyColumns::of(table, &on, Semantics::Original)?;
        let columns = on.iter().map(|&attr_idx| table.column(attr_idx));
        Ok(Self {
            table,
            settings,
            classes: Classes::of(&keys, None, Semantics::Original),
            costs: columns.map(|column| settings.cost_of(column)).collect(),
            on,
        })
    }

    fn problem(&self) -> Problem<'_> {
        Problem {
            classes: &self.classes.counts,
            costs: &self.costs,
            k: self.settings.k,
        }
    }

    fn solve(&self, context: &RunContext<'_>) -> Result<Blanks, MethodError> {
        let problem = self.problem();
        let blanks = match (self.settings.search, self.settings.counted) {
            (Search::MuArgus, _) => suppression::mu_argus(problem, context)?,
            (Search::Exact, Counted::Own) => {
                suppression::own(problem, &self.classes.of_record, context)?
            }
            (Search::Exact, Counted::Visible) => suppression::visible(problem, context)?,
            (Search::Exact, Counted::Original) => suppression::exact(problem, context)?,
        };
        match self.settings.remedy {
            Remedy::Blank => self.blank_what_gives_away(blanks, context),
            Remedy::Leave | Remedy::Delete => Ok(blanks),
        }
    }

    /// One more blank for classes whose blanks can be worked out, the cheapest that leaves two
    /// completions, until there is none.
    fn blank_what_gives_away(
        &self,
        mut blanks: Blanks,
        context: &RunContext<'_>,
    ) -> Result<Blanks, MethodError> {
        let impossible = impossible(self.table, &self.on, &self.settings.impossible)?;
        let counts = &self.classes.counts;
        let mut n_remedied = 0;
        loop {
            context.go_on()?;
            let shown = shown(counts, &blanks.of_class);
            let mut audit = Audit::new(counts, &shown, self.settings.k, &impossible);
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
                    n_remedied += counts.sizes[class as usize].0 as usize;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
            if self.settings.counted == Counted::Visible {
                // A blank takes a match from others.
                blanks = suppression::visible_from(self.problem(), blanks, context)?;
            }
        }
        if n_remedied > 0 {
            context.note(blanked_by_audit(n_remedied));
        }
        Ok(blanks)
    }

    /// Records whose blanks can be worked out, in order.
    fn recovered_records(&self, blanks: &Blanks) -> Result<Vec<u32>, MethodError> {
        let impossible = impossible(self.table, &self.on, &self.settings.impossible)?;
        let columns = self.columns(blanks, self.table, None);
        let masked = Change::of_columns(columns).apply_to(self.table);
        let keys = KeyColumns::of(&masked, &self.on, Semantics::Original)?;
        let Classes { counts, of_record } = Classes::of(&keys, None, Semantics::Original);
        let mut audit = Audit::new(&counts, &counts.visible, self.settings.k, &impossible);
        let mut given_away = vec![false; counts.n_classes()];
        for finding in audit.findings() {
            given_away[finding.class as usize] = finding.n_candidates == 1;
        }
        let recovered = |record: &u32| {
            let class = of_record[*record as usize];
            given_away[class as usize]
        };
        Ok((0..self.table.n_records() as u32)
            .filter(recovered)
            .collect())
    }

    /// The keys with their blanks, in `file`, whose records at `rows` are those of this solution.
    fn columns(&self, blanks: &Blanks, file: &Table, rows: Option<&[u32]>) -> Vec<(usize, Column)> {
        let masks = blanks.by_record(&self.classes.of_record);
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
        if self.settings.counted == Counted::Original && self.settings.k > 1 {
            context.note(counted_before_suppression());
        }
        if n_given_away > 0 {
            context.note(given_away(n_given_away));
        }
        let totals = blanks.totals(&self.classes.counts, &self.costs);
        for (&attr_idx, &n_cells) in self.on.iter().zip(&totals.by_key) {
            if n_cells > 0 {
                let variable = self.table.column(attr_idx).name();
                context.note(cells_suppressed(variable, n_cells));
            }
        }
        context.note(suppression_cost(totals.n_records, totals.cost, blanks));
    }
}

/// What the count does not promise; for the public too, whom the summary of the method is shown.
fn counted_before_suppression() -> Note {
    let text = "keys were counted in the values before suppression, which the released file does not show: \
        whoever counts the released file may find keys that fewer than k records share, even single ones";
    Note::new("counted-before-suppression", text)
        .public()
        .ranked(NoteRank::Warning)
}

/// Records deleted since their blanks could be worked out.
fn deleted_by_audit(n_records: usize) -> Note {
    Note::new(
        "records-deleted-by-audit",
        format!(
            "{n_records} records were deleted, since their blanks could be worked out by elimination"
        ),
    )
    .with("n_records", n_records)
}

/// Records with one more blank, since the first could be worked out.
fn blanked_by_audit(n_records: usize) -> Note {
    Note::new(
        "blanked-by-audit",
        format!(
            "{n_records} records lost one more value, since the first could be worked out by elimination"
        ),
    )
    .with("n_records", n_records)
}

/// Records whose blanks can be worked out by elimination.
fn given_away(n_records: usize) -> Note {
    Note::new(
        "given-away",
        format!(
            "the blanks of {n_records} records can be worked out by elimination; reversal = \"blank\" or \"delete\" mends that"
        ),
    )
    .with("n_records", n_records)
    .ranked(NoteRank::Warning)
}

/// Cells of a variable were suppressed.
fn cells_suppressed(variable: &str, n_cells: u64) -> Note {
    Note::new(
        "cells-suppressed",
        format!("{variable}: {n_cells} cells were suppressed"),
    )
    .with("variable", variable)
    .with("n_cells", n_cells)
}

/// What suppression cost, and what it would have cost at least.
fn suppression_cost(n_records: u64, cost: f64, blanks: &Blanks) -> Note {
    let bound = if cost > blanks.lower_bound {
        format!("at least {} for any", blanks.lower_bound)
    } else {
        "the least possible".to_owned()
    };
    let rounds = match blanks.rounds {
        0 => String::new(),
        1 => "; the output was mended once".to_owned(),
        n => format!("; the output was mended {n} times"),
    };
    Note::new(
        "suppression-cost",
        format!("{n_records} records have a suppressed cell; cost {cost}, {bound}{rounds}"),
    )
    .with("n_records", n_records)
    .with("cost", cost)
    .with("lower_bound", blanks.lower_bound)
    .with("rounds", blanks.rounds)
    .ranked(NoteRank::Sum)
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
