//! The steps of a plan, one after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use bauta_data::store::Store;
use bauta_data::{Attribute, DataError, DataProblem, Role, Table, Watch};
use bauta_methods::adjust::AdjustTask;
use bauta_methods::context::shuffled;
use bauta_methods::mask::{KindAfter, Together, Truth};
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
use crate::within::caught;

/// The file on its way through the steps.
pub(super) struct Masked<'s> {
    pub(super) table: Table,
    /// Where what steps make goes, if that is not memory.
    store: Option<&'s Store>,
    pub(super) touched: BTreeSet<String>,
    /// Variables whose values a step replaced by such as need not be true, and the steps that did.
    pub(super) perturbed: BTreeMap<String, Vec<String>>,
    /// Whether its records can be traced to original ones.
    pub(super) rows: Rows,
    /// What steps say of the keys, as far as no later step has touched them.
    pub(super) claims: Vec<Claim>,
}

impl<'s> Masked<'s> {
    pub(super) fn new(original: &Table, store: Option<&'s Store>) -> Self {
        Self {
            table: original.clone(),
            store,
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
        let done = self.changed(step, &on, original, &context);
        let (mut change, unchanged) = done.map_err(|error| match error {
            Failed::Method(error) => RunError::Method {
                place: format!("step `{}`", step.key),
                line: step.span.as_ref().map(|span| line_of(&plan.text, span)),
                error: Box::new(error),
            },
            Failed::Store(error) => RunError::Data(error),
        })?;
        if !unchanged.is_empty() {
            context.note(changed_nothing(&unchanged, step));
        }
        self.keep_claims(step, &change, &context);
        let (rows, evidence) = (change.rows, change.evidence.take());
        self.rows = self.rows.and_then(rows);
        self.table = self.applied(change)?;
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

    /// What a step changes, in memory or in the store, and the variables that it left as they were.
    fn changed(
        &self,
        step: &Step,
        on: &[usize],
        original: &Table,
        context: &RunContext<'_>,
    ) -> Result<(Change, Vec<String>), Failed> {
        let Some(store) = self.store else {
            let mut change = self.work(step, &self.table, on, original, context)?;
            let unchanged = looked_over(&mut change, step, &self.table, on, context);
            return Ok((change, unchanged));
        };
        // Variables that do not bear on each other are masked one after the other: no more than one is in memory.
        let one_by_one: Vec<&[usize]> = if on.len() > 1 && masks_apart(step) {
            on.chunks(1).collect()
        } else {
            vec![on]
        };
        let mut all = Change::default();
        let mut all_unchanged = BTreeSet::new();
        for on in one_by_one {
            let view_of_original = original.view();
            let view = self.table.view_beside(original, &view_of_original);
            let work = || {
                let mut change = self.work(step, &view, on, &view_of_original, context)?;
                let unchanged = looked_over(&mut change, step, &view, on, context);
                Ok((change, unchanged))
            };
            let (change, unchanged) = caught(work)?;
            all_unchanged.extend(
                unchanged
                    .iter()
                    .filter_map(|name| self.table.index_of(name)),
            );
            for (attr_idx, column) in change.columns {
                all.columns.push((attr_idx, store.put(&column)?));
            }
            all.dropped.extend(change.dropped);
            all.kept = change.kept.or(all.kept);
            all.rows = all.rows.and_then(change.rows);
            all.evidence = change.evidence.or(all.evidence);
        }
        let names = all_unchanged
            .iter()
            .map(|&at| self.table.column(at).name().to_owned());
        Ok((all, names.collect()))
    }

    /// The table after a change.
    fn applied(&self, change: Change) -> Result<Table, DataError> {
        let Some(store) = self.store else {
            return Ok(change.apply_to(&self.table));
        };
        let Change {
            columns,
            dropped,
            kept,
            ..
        } = change;
        let changed = Change {
            columns,
            dropped,
            ..Change::default()
        };
        let table = changed.apply_to(&self.table);
        match kept {
            Some(kept) => taken(&table, &kept, store),
            None => Ok(table),
        }
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
        table: &Table,
        on: &[usize],
        original: &Table,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        let params = &step.params;
        match step.method {
            StepMethod::Mask(mask) => mask.mask(params, &MaskTask { table, on }, context),
            StepMethod::Adjuster(adjuster) => {
                let pair = Pair {
                    original,
                    masked: table,
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
    pub(super) fn release(
        &self,
        plan: &Plan,
        seed: u64,
        watch: &dyn Watch,
    ) -> Result<Table, DataError> {
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
            table = match self.store {
                Some(store) => taken(&table, &order, store)?,
                None => table.take(&order),
            };
        }
        Ok(table)
    }
}

/// Why a step could not be done.
enum Failed {
    Method(MethodError),
    Store(DataError),
}

impl From<MethodError> for Failed {
    fn from(error: MethodError) -> Self {
        Self::Method(error)
    }
}

impl From<DataError> for Failed {
    fn from(error: DataError) -> Self {
        Self::Store(error)
    }
}

/// Takes out of a change what it left as it was, and notes what it left without content.
fn looked_over(
    change: &mut Change,
    step: &Step,
    table: &Table,
    on: &[usize],
    context: &RunContext<'_>,
) -> Vec<String> {
    let unchanged = leave_unchanged(change, step, on, table);
    for note in collapsed(change, step, table) {
        context.note(note);
    }
    unchanged
}

/// Whether the variables of a step can be masked one after the other, as if each stood alone.
pub(crate) fn masks_apart(step: &Step) -> bool {
    let facts = step.facts();
    matches!(step.method, StepMethod::Mask(_))
        && facts.together == Together::Apart
        // What is only dropped is not read.
        && facts.kind_after != KindAfter::Gone
        && facts.claims.is_none()
        && !facts.removes_records
        && !facts.reweights
}

/// A choice of records of a table in a store, column by column.
fn taken(table: &Table, records: &[u32], store: &Store) -> Result<Table, DataError> {
    let columns = table.columns().iter().map(|column| {
        let column = column.looked_at(|column| column.take(records));
        store.put(&column)
    });
    Ok(table.with_taken(records, columns.collect::<Result<_, _>>()?))
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
