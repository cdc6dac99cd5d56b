//! The steps of a plan, one after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use bauta_data::{Attribute, DataError, DataProblem, Role, Table, Watch};
use bauta_methods::adjust::AdjustTask;
use bauta_methods::context::shuffled;
use bauta_methods::mask::Truth;
use bauta_methods::note::NoteRank;
use bauta_methods::pair::Rows;
use bauta_methods::{Change, MaskTask, MeasureCard, MethodError, Note, Pair, RunContext};

use super::collapsed::collapsed;
use super::unchanged::{changed_nothing, leave_unchanged};
use crate::claims::Claim;
use crate::error::RunError;
use crate::plan::{Plan, Step, StepMethod};
use crate::problem::line_of;
use crate::record::{StepRecord, params_record};

/// The file on its way through the steps.
pub(super) struct Masked {
    pub(super) table: Table,
    pub(super) touched: BTreeSet<String>,
    /// Variables whose values a step replaced by such as need not be true, and the steps that did.
    pub(super) perturbed: BTreeMap<String, Vec<String>>,
    /// Whether its records can be traced to original ones.
    pub(super) rows: Rows,
    /// What steps say of the keys, as far as no later step has touched them.
    pub(super) claims: Vec<Claim>,
}

impl Masked {
    pub(super) fn new(original: &Table) -> Self {
        Self {
            table: original.clone(),
            touched: BTreeSet::new(),
            perturbed: BTreeMap::new(),
            rows: Rows::Correspond,
            claims: Vec::new(),
        }
    }

    pub(super) fn carry_out(
        &mut self,
        plan: &Plan,
        step: &Step,
        original: &Table,
        seed: u64,
        watch: &dyn Watch,
    ) -> Result<StepRecord, RunError> {
        let context = RunContext::new(seed, &step.key, watch);
        let on = self.positions(step)?;
        let done = self.work(step, &on, original, &context);
        let mut change = done.map_err(|error| RunError::Method {
            place: format!("step `{}`", step.key),
            line: step.span.as_ref().map(|span| line_of(&plan.text, span)),
            error: Box::new(error),
        })?;
        let unchanged = leave_unchanged(&mut change, step, &on, &self.table);
        if !unchanged.is_empty() {
            context.note(changed_nothing(&unchanged, step));
        }
        for note in collapsed(&change, step, &self.table) {
            context.note(note);
        }
        self.keep_claims(step, &change, &context);
        let (rows, evidence) = (change.rows, change.evidence.take());
        self.rows = self.rows.and_then(rows);
        self.table = change.apply_to(&self.table);
        let card = step.method.card();
        Ok(StepRecord {
            key: step.key.clone(),
            method: card.id.to_owned(),
            title: card.title.to_owned(),
            on: step.on.clone(),
            params: params_record(&step.params),
            why: step.why.clone(),
            unchanged,
            rows,
            evidence,
            notes: context.into_notes(),
        })
    }

    /// Positions of a step's variables, which a checked plan has.
    fn positions(&self, step: &Step) -> Result<Vec<usize>, RunError> {
        let position = |name: &String| {
            self.table.index_of(name).ok_or_else(|| {
                let place = format!("step `{}`", step.key);
                RunError::internal(place, format!("there is no variable `{name}`"))
            })
        };
        step.on.iter().map(position).collect()
    }

    /// What a step changes, and its evidence.
    fn work(
        &self,
        step: &Step,
        on: &[usize],
        original: &Table,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        let params = &step.params;
        match step.method {
            StepMethod::Mask(mask) => {
                let table = &self.table;
                mask.mask(params, &MaskTask { table, on }, context)
            }
            StepMethod::Adjuster(adjuster) => {
                let pair = Pair {
                    original,
                    masked: &self.table,
                    rows: self.rows,
                };
                adjuster.adjust(params, &AdjustTask { pair, on }, context)
            }
        }
    }

    /// Ends claims whose keys or records a change touches, and adds what the step claims itself.
    fn keep_claims(&mut self, step: &Step, change: &Change, context: &RunContext<'_>) {
        let touched = change.columns.iter();
        let touched = touched.map(|(attr_idx, _)| self.table.column(*attr_idx).name().to_owned());
        let touched: Vec<String> = touched.collect();
        let loses_records = change.kept.is_some();
        self.claims.retain(|claim| {
            let stays = !loses_records && !claim.keys.iter().any(|key| touched.contains(key));
            if !stays {
                context.note(claim_ended(claim));
            }
            stays
        });
        let facts = step.facts();
        if facts.truth == Truth::Perturbed {
            for name in &touched {
                let steps = self.perturbed.entry(name.clone()).or_default();
                steps.push(step.key.clone());
            }
        }
        if let Some(what) = facts.claims.filter(|_| !step.on.is_empty()) {
            let sets = step.claimed_keys().into_iter();
            self.claims.extend(sets.map(|claimed| Claim {
                by: match &claimed.scenario {
                    Some(scenario) => format!("step `{}` ({scenario})", step.key),
                    None => format!("step `{}`", step.key),
                },
                keys: claimed.keys,
                subsets: claimed.subsets,
                perturbed: Vec::new(),
                what,
            }));
        }
        self.touched.extend(touched);
    }

    /// Whether a comparison of some variables with their originals compares anything: one of them was masked,
    /// or, where distributions are compared and not each record with its own, or deleted records are counted, records or
    /// weights are not what they were.
    pub(super) fn compares(&self, on: &[String], original: &Table, card: &MeasureCard) -> bool {
        let is_weight = |name: &String| {
            let column = original.column_named(name);
            column.is_some_and(|column| column.attribute().role == Role::Weight)
        };
        let others =
            || self.table.n_records() < original.n_records() || self.touched.iter().any(is_weight);
        self.rows == Rows::Unrelated
            || on.iter().any(|name| self.touched.contains(name))
            || (card.sees_deletion() && others())
    }

    /// Refuses a name for the weight that another column of the released file has.
    pub(super) fn check_weight_name(&self, plan: &Plan) -> Result<(), RunError> {
        let taken = plan.output.weight.as_ref().filter(|name| {
            let column = self.table.column_named(name);
            column.is_some_and(|column| column.attribute().role != Role::Weight)
        });
        let Some(name) = taken else {
            return Ok(());
        };
        let message = format!("the weight would be called `{name}`, and so is another column");
        let problem = DataProblem::file(message, "choose another name, or drop that column");
        let file = plan
            .output
            .release
            .as_ref()
            .map(|release| &release.file.path);
        let file = file.map_or(Path::new(""), |path| path.as_path());
        Err(DataError::one(file, problem).into())
    }

    /// The table as it is written: suppressed cells spelled, the weight under the name that is asked for,
    /// records in a new order if asked for.
    pub(super) fn release(&self, plan: &Plan, seed: u64, watch: &dyn Watch) -> Table {
        let mut table = self.table.clone();
        for attr_idx in 0..table.columns().len() {
            let column = table.column(attr_idx);
            // Most often the text is what it is anyway, and both tables have the same column.
            if !column.spells_suppressed(&plan.output.suppressed) {
                let column = column.with_suppressed_text(&plan.output.suppressed);
                table = table.with_column(attr_idx, column);
            }
        }
        let weight = table.with_role(Role::Weight).first().copied();
        if let (Some(name), Some(attr_idx)) = (&plan.output.weight, weight) {
            let column = table.column(attr_idx).clone();
            let attribute = Attribute {
                name: name.clone(),
                ..column.attribute().clone()
            };
            table = table.with_column(attr_idx, column.with_attribute(Arc::new(attribute)));
        }
        if plan.output.shuffle {
            let context = RunContext::new(seed, "output", watch);
            let order = shuffled(table.n_records(), &context.draws("record order"));
            table = table.take(&order);
        }
        table
    }
}

/// What was promised of the keys is no longer known to hold.
fn claim_ended(claim: &Claim) -> Note {
    let Claim { by, what, .. } = claim;
    let k = what.k;
    let text = format!(
        "after this step the classes of {k} that {by} made need not be whole any more; only a gate on k-anonymity would count them again"
    );
    Note::new("claim-ended", text)
        .with("by", by.as_str())
        .with("k", k)
        .ranked(NoteRank::Warning)
}
