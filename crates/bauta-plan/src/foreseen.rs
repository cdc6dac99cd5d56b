//! Which steps and measures of a plan need more memory than there may be, told before they begin.

use std::collections::{BTreeMap, BTreeSet};

use bauta_data::format::{Outlook, memory_needed, outlook};
use bauta_data::{DataError, Table};
use bauta_methods::mask::KindAfter;
use bauta_methods::measure::Reads;
use bauta_methods::{MethodError, Subject};

use crate::error::RunError;
use crate::execute::masks_apart;
use crate::plan::{Asked, Plan, Step, StepMethod};
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
    /// It is an estimate, by the start of the file or by its footer.
    Estimate,
}

impl Shortage {
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
    let seen = outlook(&input.path, &plan.read)?;
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
    Ok(Foresight::by(&seen).of(plan, of_columns(memory)))
}

/// What a plan lacks whose file lies in a store, where that is certain.
pub(crate) fn refuse_shortage(plan: &Plan, original: &Table, allowed: u64) -> Result<(), RunError> {
    let found = Foresight::of_stored(original).of(plan, allowed);
    let mut certain = found
        .iter()
        .filter(|one| one.certainty == Certainty::Certain);
    certain.next().map_or(Ok(()), |one| Err(one.error(plan)))
}

/// Bytes of a variable in memory.
#[derive(Clone, Copy, Debug, Default)]
struct Bytes {
    /// No fewer; none where nothing is certain.
    least: Option<u64>,
    likely: u64,
}

impl Bytes {
    fn plus(self, other: Self) -> Self {
        Self {
            least: self
                .least
                .zip(other.least)
                .map(|(one, other)| one.saturating_add(other)),
            likely: self.likely.saturating_add(other.likely),
        }
    }
}

/// What is known of the variables of a file.
struct Foresight(BTreeMap<String, Bytes>);

impl Foresight {
    fn by(seen: &Outlook) -> Self {
        let (n, certain) = (seen.records.n(), seen.records.certain());
        let variables = seen.variables.iter().map(|cell| {
            let bytes = Bytes {
                least: certain.map(|n| n.saturating_mul(cell.least)),
                likely: n.saturating_mul(cell.likely),
            };
            (cell.variable.clone(), bytes)
        });
        Self(variables.collect())
    }

    fn of_stored(table: &Table) -> Self {
        let variables = table.columns().iter().map(|column| {
            let likely = column.bytes_to_read();
            let least = Some(likely);
            (column.name().to_owned(), Bytes { least, likely })
        });
        Self(variables.collect())
    }

    /// The steps and measures that look at more than is allowed, in the order in which they would be refused.
    fn of(&self, plan: &Plan, allowed: u64) -> Vec<Shortage> {
        let mut found = Vec::new();
        let mut add = |place: String, span: Option<&Span>, bytes: Bytes| {
            let certain = bytes.least.filter(|&least| least > allowed);
            if certain.is_none() && bytes.likely <= allowed {
                return;
            }
            found.push(Shortage {
                place,
                of: AtOnce::Variables,
                span: span.cloned(),
                needed: certain.unwrap_or(bytes.likely),
                allowed,
                certainty: match certain {
                    Some(_) => Certainty::Certain,
                    None => Certainty::Estimate,
                },
            });
        };
        let mut masked = Masked::default();
        for step in &plan.steps {
            let place = format!("step `{}`", step.key);
            add(place, step.span.as_ref(), self.of_step(step, &masked));
            masked.after(step);
        }
        let asked = plan.measures.iter();
        let asked = asked.filter(|planned| planned.asked == Asked::ByName);
        for planned in asked {
            let declared = planned.measure.declared();
            if declared.reads == Reads::SomeAtATime {
                continue;
            }
            let is_masked = |name: &String| masked.touched.contains(name);
            let bytes = match declared.subject {
                Subject::OneFile => self.original(&planned.on),
                // Of what nobody touched some comparisons are not taken.
                _ if !planned.on.iter().any(is_masked) => continue,
                Subject::Pair | Subject::CorrespondingPair => self.both(&planned.on, &masked),
            };
            let place = format!("measure `{}`", declared.card.id);
            add(place, planned.span.as_ref(), bytes);
        }
        found
    }

    /// What a step looks at together: one variable of those that do not bear on each other, else all of them.
    fn of_step(&self, step: &Step, masked: &Masked) -> Bytes {
        let facts = step.facts();
        // What is only dropped is not read, and keys that do not fit are counted a block of records at a time.
        if facts.kind_after == KindAfter::Gone || facts.claims.is_some() || facts.reweights {
            return Bytes::default();
        }
        let each = step.on.iter().map(|name| self.masked(name, masked));
        match step.method {
            StepMethod::Adjuster(_) => self.both(&step.on, masked),
            StepMethod::Mask(_) if masks_apart(step) => {
                each.max_by_key(|bytes| bytes.likely).unwrap_or_default()
            }
            StepMethod::Mask(_) => each.reduce(Bytes::plus).unwrap_or_default(),
        }
    }

    fn original(&self, names: &[String]) -> Bytes {
        let known = names.iter().filter_map(|name| self.0.get(name).copied());
        known.reduce(Bytes::plus).unwrap_or_default()
    }

    /// A variable of the file as steps left it. What a step made of it may take less than it did, or be what it was.
    fn masked(&self, name: &str, masked: &Masked) -> Bytes {
        let own = self.0.get(name).copied().unwrap_or_default();
        if masked.fewer_records || masked.touched.contains(name) {
            return Bytes {
                least: own.least.map(|_| 0),
                ..own
            };
        }
        own
    }

    /// Variables of both files: what no step touched lies there once.
    fn both(&self, names: &[String], masked: &Masked) -> Bytes {
        let is_other = |name: &&String| masked.fewer_records || masked.touched.contains(*name);
        let others = names.iter().filter(is_other);
        let others = others.map(|name| self.masked(name, masked));
        others.fold(self.original(names), Bytes::plus)
    }
}

/// What steps did to the file so far.
#[derive(Default)]
struct Masked {
    touched: BTreeSet<String>,
    fewer_records: bool,
}

impl Masked {
    fn after(&mut self, step: &Step) {
        self.touched.extend(step.on.iter().cloned());
        self.fewer_records |= step.facts().removes_records;
    }
}
