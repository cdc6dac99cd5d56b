//! Which steps and measures of a plan need more memory than there may be, told before they begin.

use std::collections::{BTreeMap, BTreeSet};

use bauta_data::format::{Outlook, RecordCount, memory_needed, outlook, records_of_text};
use bauta_data::{DataError, Table};
use bauta_methods::card::{Family, Scaling};
use bauta_methods::mask::{Effect, KindAfter};
use bauta_methods::pair::Rows;
use bauta_methods::{MethodError, Subject};

use crate::error::RunError;
use crate::execute::masks_apart;
use crate::plan::{Asked, Plan, PlannedMeasure, Step, StepMethod};
use crate::problem::{Problem, ProblemKind, Span, line_of};
use crate::within::{fits, of_columns};

/// A step or measure that needs more memory than there may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shortage {
    /// What needs it.
    pub place: String,
    /// What is needed at once.
    pub of: AtOnce,
    /// Where the plan asks for it, if it says so.
    pub span: Option<Span>,
    /// Bytes that its variables need together.
    pub needed: u64,
    /// Bytes that they may take.
    pub allowed: u64,
    /// Whether that is certain.
    pub certainty: Certainty,
}

/// What must be in memory at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtOnce {
    /// The variables that are looked at, in half of what may be taken.
    Variables,
    /// The whole file, which cannot be read in parts.
    File,
}

/// How far a shortage is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Certainty {
    /// The run would be refused.
    Certain,
    /// It is an estimate: by the start of the file, or because it depends on what steps make of variables.
    Estimate,
}

impl Shortage {
    /// Whether a run would be refused: what is estimated of single steps and measures need not happen, and a file that must be
    /// read as a whole is refused by the same estimate.
    pub fn is_refused(&self) -> bool {
        self.certainty == Certainty::Certain || self.of == AtOnce::File
    }

    /// What is wrong.
    pub fn message(&self) -> String {
        self.said_of(&self.place)
    }

    fn said_of(&self, what: &str) -> String {
        let about = match self.certainty {
            Certainty::Certain => "at least",
            Certainty::Estimate => "by an estimate",
        };
        let (needed, allowed) = (megabytes(self.needed), self.allowed / 1_000_000);
        match self.of {
            AtOnce::Variables => format!(
                "{what} looks at variables that need {about} {needed} MB of memory together, and {allowed} MB are allowed for them"
            ),
            AtOnce::File => format!(
                "{what} must be read as a whole, which needs {about} {needed} MB of memory, and {allowed} MB are allowed"
            ),
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> String {
        match self.of {
            AtOnce::Variables => format!(
                "allow --memory {}MB (half of it is for variables), or name fewer variables in `on`",
                megabytes(self.needed.saturating_mul(2))
            ),
            AtOnce::File => "allow more with --memory, or write the file as UTF-8 text".to_owned(),
        }
    }

    /// The same as a problem of the plan.
    pub fn problem(&self) -> Problem {
        let place = self.span.clone().map(Into::into).unwrap_or_default();
        Problem::at(ProblemKind::Memory, &place, self.message(), self.hint())
    }

    /// The same as why a run did not begin.
    pub fn error(&self, plan: &Plan) -> RunError {
        RunError::Method {
            place: self.place.clone(),
            line: self.span.as_ref().map(|span| line_of(&plan.text, span)),
            error: Box::new(MethodError::request(self.said_of("it"), self.hint())),
        }
    }
}

fn megabytes(bytes: u64) -> u64 {
    bytes.div_ceil(1_000_000)
}

/// What a plan lacks by its file's start or footer; `counted` says whether an engine or a cluster counts keys, so that columns
/// lie on the disk in any case. Nothing where it may take what there is, or its file fits.
pub fn shortages(plan: &Plan, counted: bool) -> Result<Vec<Shortage>, DataError> {
    let (Some(memory), Some(input)) = (plan.engine.memory, &plan.input) else {
        return Ok(Vec::new());
    };
    let mut seen = outlook(&input.path, &plan.read)?;
    // Counting the lines of a text takes a while, and a file of this size does not fit whatever they are.
    let is_larger = seen.n_bytes > memory && !fits(memory, seen.n_bytes);
    let is_aside = plan.engine.spill.is_some() || counted || is_larger;
    if seen.read_whole || !is_aside {
        let needed = memory_needed(&input.path, &plan.read)?;
        if needed > memory && (seen.read_whole || fits(memory, needed)) {
            return Ok(vec![Shortage {
                place: input.given.clone(),
                of: AtOnce::File,
                span: None,
                needed,
                allowed: memory,
                certainty: Certainty::Estimate,
            }]);
        }
        if !is_aside && fits(memory, needed) {
            return Ok(Vec::new());
        }
    }
    let allowed = of_columns(memory);
    let found = Foresight::by(&seen).of(plan, allowed);
    if matches!(seen.records, RecordCount::Exactly(_)) || !found.iter().any(Shortage::is_refused) {
        return Ok(found);
    }
    // Nothing is refused by a guess: reading the text once is little beside the run.
    seen.records = RecordCount::Exactly(records_of_text(&input.path, &plan.read)?);
    Ok(Foresight::by(&seen).of(plan, allowed))
}

/// What a plan lacks whose file lies in a store, where that is certain.
pub(crate) fn refuse_shortage(plan: &Plan, original: &Table, allowed: u64) -> Result<(), RunError> {
    let found = Foresight::of_stored(original).of(plan, allowed);
    let mut certain = found
        .iter()
        .filter(|one| one.certainty == Certainty::Certain);
    certain.next().map_or(Ok(()), |one| Err(one.error(plan)))
}

/// Bytes of memory that variables need together.
#[derive(Clone, Copy, Debug, Default)]
struct Bytes {
    /// No fewer, whatever the data are.
    least: u64,
    likely: u64,
}

impl Bytes {
    fn plus(self, other: Self) -> Self {
        Self {
            least: self.least.saturating_add(other.least),
            likely: self.likely.saturating_add(other.likely),
        }
    }

    fn or_more(self, other: Self) -> Self {
        Self {
            least: self.least.max(other.least),
            likely: self.likely.max(other.likely),
        }
    }

    /// The same where it may be that less is read.
    fn at_most(self) -> Self {
        Self { least: 0, ..self }
    }

    fn together(all: impl Iterator<Item = Self>) -> Self {
        all.fold(Self::default(), Self::plus)
    }

    fn of_largest(all: impl Iterator<Item = Self>) -> Self {
        all.fold(Self::default(), Self::or_more)
    }
}

/// What is known of the variables of a file.
struct Foresight(BTreeMap<String, Bytes>);

impl Foresight {
    /// By what is seen of a file before it is read, if it has as many records as that lets expect.
    fn by(seen: &Outlook) -> Self {
        let n = seen.records.n();
        let variables = seen.variables.iter().map(|cell| {
            let bytes = Bytes {
                least: n.saturating_mul(cell.least),
                likely: n.saturating_mul(cell.likely),
            };
            (cell.variable.clone(), bytes)
        });
        Self(variables.collect())
    }

    fn of_stored(table: &Table) -> Self {
        let variables = table.columns().iter().map(|column| {
            let likely = column.bytes_to_read();
            let least = likely;
            (column.name().to_owned(), Bytes { least, likely })
        });
        Self(variables.collect())
    }

    /// The steps and measures that look at more than is allowed, in the order of the plan.
    fn of(&self, plan: &Plan, allowed: u64) -> Vec<Shortage> {
        let mut found = Vec::new();
        let mut add = |place: String, span: Option<&Span>, bytes: Bytes| {
            let (needed, certainty) = if bytes.least > allowed {
                (bytes.least, Certainty::Certain)
            } else {
                (bytes.likely, Certainty::Estimate)
            };
            if needed > allowed {
                found.push(Shortage {
                    place,
                    of: AtOnce::Variables,
                    span: span.cloned(),
                    needed,
                    allowed,
                    certainty,
                });
            }
        };
        let mut masked = Masked::default();
        for step in &plan.steps {
            let place = format!("step `{}`", step.key);
            add(place, step.span.as_ref(), self.of_step(step, &masked));
            masked.after(step);
        }
        let asked = plan.measures.iter();
        for planned in asked.filter(|planned| planned.asked == Asked::ByName) {
            let place = format!("measure `{}`", planned.measure.card().id);
            let bytes = self.of_measure(planned, &masked);
            add(place, planned.span.as_ref(), bytes);
        }
        found
    }

    /// What a step has in memory at a time, by the way that its card tells. What goes by record is read a block at a time, and
    /// so are keys that are counted, if they do not fit.
    fn of_step(&self, step: &Step, masked: &Masked) -> Bytes {
        let facts = step.facts();
        // What is only dropped, or left as it is, is not read.
        if facts.kind_after == KindAfter::Gone
            || facts.effect == Effect::Nothing
            || facts.claims.is_some()
            || facts.reweights
        {
            return Bytes::default();
        }
        let each = step.on.iter().map(|name| self.masked(name, masked));
        match (step.method.card().scaling, step.method) {
            (Scaling::Record | Scaling::Class, _) => Bytes::default(),
            (Scaling::Rank | Scaling::Variable, _) => Bytes::of_largest(each),
            (Scaling::Column, StepMethod::Mask(_)) if masks_apart(step) => Bytes::of_largest(each),
            (Scaling::Column, StepMethod::Mask(_)) => Bytes::together(each),
            (Scaling::Column, StepMethod::Adjuster(_)) => {
                Bytes::together(step.on.iter().map(|name| self.both(name, masked)))
            }
        }
    }

    /// The same of a measure. What it looks at depends on the records of a subpopulation, and on which variables steps changed
    /// indeed: that is an estimate.
    fn of_measure(&self, planned: &PlannedMeasure, masked: &Masked) -> Bytes {
        let declared = planned.measure.declared();
        let is_one_at_a_time = match declared.card.scaling {
            Scaling::Record | Scaling::Class => return Bytes::default(),
            Scaling::Rank | Scaling::Variable => true,
            Scaling::Column => false,
        };
        let bytes = |of: &dyn Fn(&String) -> Bytes| {
            let each = planned.on.iter().map(of);
            if is_one_at_a_time {
                Bytes::of_largest(each)
            } else {
                Bytes::together(each)
            }
        };
        let is_touched = |name: &String| masked.touched.contains(name);
        let found = match declared.subject {
            Subject::OneFile => bytes(&|name| self.original(name)),
            Subject::CorrespondingPair if masked.rows == Rows::Unrelated => Bytes::default(),
            Subject::Pair | Subject::CorrespondingPair => {
                let is_always_taken = declared.looks_at_untouched
                    || (declared.card.family == Family::Risk && !planned.on.is_empty());
                let is_taken = is_always_taken || planned.on.iter().any(is_touched);
                match (is_taken, is_always_taken) {
                    (false, _) => Bytes::default(),
                    (true, true) => bytes(&|name| self.both(name, masked)),
                    (true, false) => bytes(&|name| self.both(name, masked)).at_most(),
                }
            }
        };
        if planned.groups.are_none() {
            found
        } else {
            found.at_most()
        }
    }

    fn original(&self, name: &str) -> Bytes {
        self.0.get(name).copied().unwrap_or_default()
    }

    /// A variable of the file as steps left it. What a step made of it may take less than it did, or be what it was.
    fn masked(&self, name: &str, masked: &Masked) -> Bytes {
        let own = self.original(name);
        if masked.is_another(name) {
            own.at_most()
        } else {
            own
        }
    }

    /// A variable of both files: what no step touched lies there once, and what is of another kind now may not be looked at.
    fn both(&self, name: &str, masked: &Masked) -> Bytes {
        let own = self.original(name);
        let own = if masked.other_kind.contains(name) {
            own.at_most()
        } else {
            own
        };
        if masked.is_another(name) {
            own.plus(self.original(name).at_most())
        } else {
            own
        }
    }
}

/// What steps did to the file so far.
struct Masked {
    touched: BTreeSet<String>,
    /// Variables that are of another kind now, or gone.
    other_kind: BTreeSet<String>,
    fewer_records: bool,
    rows: Rows,
}

impl Default for Masked {
    fn default() -> Self {
        Self {
            touched: BTreeSet::new(),
            other_kind: BTreeSet::new(),
            fewer_records: false,
            rows: Rows::Correspond,
        }
    }
}

impl Masked {
    fn after(&mut self, step: &Step) {
        let facts = step.facts();
        self.touched.extend(step.on.iter().cloned());
        if facts.kind_after != KindAfter::Same {
            self.other_kind.extend(step.on.iter().cloned());
        }
        self.fewer_records |= facts.removes_records;
        self.rows = self.rows.and_then(facts.rows);
    }

    /// Whether a variable may be another column than that of the original.
    fn is_another(&self, name: &str) -> bool {
        self.fewer_records || self.touched.contains(name)
    }
}

#[cfg(test)]
mod tests;
