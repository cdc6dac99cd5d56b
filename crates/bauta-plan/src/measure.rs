//! Taking measures: the one place where parameters, variables, groups and notes come together, for
//! runs and for measures asked for alone.

use bauta_data::{Table, Watch};
use bauta_methods::context;
use bauta_methods::groups::not_measured;
use bauta_methods::{
    Files, Groups, Measure, MeasureTask, Measurement, MethodError, Note, Pair, ParamProblem,
    Params, RawValue, RunContext, SharedFacts, measure_groups,
};

use crate::error::RunError;
use crate::plan::{Asked, Plan, PlannedMeasure};
use crate::prepare::prepare_measure;
use crate::within::caught;

/// What a measure found, if there was something to look at, and what it stated. Holds the figures of
/// single records, which no record of a run does.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Measured {
    /// The figures.
    pub found: Option<Measurement>,
    /// What it stated.
    pub notes: Vec<Note>,
}

/// A measure that is ready to look at files.
#[derive(Clone)]
pub struct ReadyMeasure {
    /// The measure.
    pub measure: &'static dyn Measure,
    /// The variables it looks at.
    pub on: Vec<String>,
    params: Params,
    /// On which records, and which of them apart.
    pub groups: Groups,
}

impl ReadyMeasure {
    /// A measure of these variables, as the columns of `table` describe them.
    pub fn new(
        measure: &'static dyn Measure,
        given: &[(String, RawValue)],
        on: &[String],
        groups: Groups,
        table: &Table,
    ) -> Result<Self, Vec<ParamProblem>> {
        let columns = on.iter().filter_map(|name| table.column_named(name));
        let attributes: Vec<_> = columns.map(bauta_data::Column::attribute).collect();
        let params = prepare_measure(measure, given, &attributes).ready()?;
        Ok(Self {
            measure,
            on: on.to_vec(),
            params,
            groups,
        })
    }

    /// Looks at files. `original` decides who belongs to a subpopulation.
    pub fn take(
        &self,
        files: Files<'_>,
        original: &Table,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        take(
            self.measure,
            &self.on,
            &self.params,
            &self.groups,
            files,
            original,
            context,
        )
    }
}

fn take(
    measure: &dyn Measure,
    on: &[String],
    params: &Params,
    groups: &Groups,
    files: Files<'_>,
    original: &Table,
    context: &RunContext<'_>,
) -> Result<Measurement, MethodError> {
    let task = MeasureTask::new(files, on);
    measure_groups(measure, params, &task, groups, original, context)
}

/// What becomes of the figures of single records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RecordFigures {
    /// They stay with what was found.
    Kept,
    /// They go as soon as a measure is taken: nobody will ask for them, and each takes as much as a column.
    Dropped,
}

/// What the measures of a run are taken with.
pub(crate) struct Measuring<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) seed: u64,
    pub(crate) watch: &'a dyn Watch,
    pub(crate) original: &'a Table,
    /// What measures find and others use.
    pub(crate) facts: &'a SharedFacts,
    pub(crate) record_figures: RecordFigures,
}

impl<'a> Measuring<'a> {
    /// Takes each measure of the files that `files` gives it; none means that it does not apply.
    pub(crate) fn all(
        &self,
        files: impl Fn(&PlannedMeasure) -> Option<Files<'a>>,
    ) -> Result<Vec<Measured>, RunError> {
        let planned = self.plan.measures.iter();
        planned
            .map(|planned| self.taken(planned, files(planned)))
            .collect()
    }

    /// Takes a measure, if it applies to something.
    pub(crate) fn taken(
        &self,
        planned: &PlannedMeasure,
        files: Option<Files<'_>>,
    ) -> Result<Measured, RunError> {
        match files {
            Some(files) => self.one(planned, files),
            None => Ok(Measured::default()),
        }
    }

    /// Takes a measure of views of the files, so that what is read of a store for it is given back after it.
    pub(crate) fn one(
        &self,
        planned: &PlannedMeasure,
        files: Files<'_>,
    ) -> Result<Measured, RunError> {
        let original = self.original.view();
        match files {
            Files::One(table) => {
                let table = table.view_beside(self.original, &original);
                self.one_of(planned, Files::One(&table), &original)
            }
            Files::Both(pair) => {
                let first = pair.original.view_beside(self.original, &original);
                let masked = pair.masked.view_beside(pair.original, &first);
                let pair = Pair {
                    original: &first,
                    masked: &masked,
                    rows: pair.rows,
                };
                self.one_of(planned, Files::Both(pair), &original)
            }
        }
    }

    fn one_of(
        &self,
        planned: &PlannedMeasure,
        files: Files<'_>,
        original: &Table,
    ) -> Result<Measured, RunError> {
        let id = planned.measure.card().id;
        let context = RunContext::new(self.seed, format!("measure {id}"), self.watch);
        let context = context
            .sharing(self.facts)
            .with_record_figures(self.wanted(planned));
        // A variable that was dropped is no longer there to be known, so the others are measured.
        let (on, gone): (Vec<String>, Vec<String>) = match files {
            Files::One(table) => planned
                .on
                .iter()
                .cloned()
                .partition(|name| table.index_of(name).is_some()),
            Files::Both(_) => (planned.on.clone(), Vec::new()),
        };
        if !gone.is_empty() {
            context.note(variables_gone(&gone));
        }
        let mut found = None;
        if !on.is_empty() {
            let (params, groups) = (&planned.params, &planned.groups);
            let measure = planned.measure;
            let work = || take(measure, &on, params, groups, files, original, &context);
            let taken = if original.is_stored() {
                caught(work)
            } else {
                work()
            };
            found = self.allowed(planned, taken, &context)?;
        }
        if self.record_figures == RecordFigures::Dropped {
            found = found.map(without_records);
        }
        Ok(Measured {
            found,
            notes: context.into_notes(),
        })
    }

    /// Whether the figures of single records are kept, or groups of records are told apart by them.
    fn wanted(&self, planned: &PlannedMeasure) -> context::RecordFigures {
        if self.record_figures == RecordFigures::Kept || !planned.groups.are_none() {
            context::RecordFigures::Wanted
        } else {
            context::RecordFigures::NotWanted
        }
    }

    /// Nobody asked for a usual measure by name, so that data unfit for it must not stop the run.
    fn allowed(
        &self,
        planned: &PlannedMeasure,
        taken: Result<Measurement, MethodError>,
        context: &RunContext<'_>,
    ) -> Result<Option<Measurement>, RunError> {
        match taken {
            Ok(found) => Ok(Some(found)),
            Err(error @ (MethodError::Data { .. } | MethodError::Request { .. }))
                if planned.asked == Asked::ByDefault =>
            {
                context.note(not_measured(planned.measure.card().id, &error.to_string()));
                Ok(None)
            }
            Err(error) => Err(method_error(self.plan, planned, error)),
        }
    }
}

/// What was found, without the figures of single records.
pub(crate) fn without_records(mut found: Measurement) -> Measurement {
    found.per_record = None;
    found.cells_per_record = None;
    found
}

fn method_error(plan: &Plan, planned: &PlannedMeasure, error: MethodError) -> RunError {
    let id = planned.measure.card().id;
    RunError::Method {
        place: match &planned.scenario {
            Some(scenario) if plan.scenarios.len() > 1 => {
                format!("measure `{id}` of `{scenario}`")
            }
            _ => format!("measure `{id}`"),
        },
        line: None,
        error: Box::new(error),
    }
}

/// Variables that were to be measured and are no longer in the file; the others were measured.
fn variables_gone(variables: &[String]) -> Note {
    let text = format!(
        "no longer in the file, and so left out: {}",
        variables.join(", ")
    );
    Note::new("variables-gone", text).with("variables", variables)
}
