//! One masked file and its figures.

use bauta_data::{Table, Watch};
use bauta_methods::pair::Rows;
use bauta_methods::{
    Files, Groups, MaskTask, MeasureTask, Measurement, MethodError, Pair, Params, RawValue,
    RunContext, measure_groups, registry,
};

/// A method and its parameters.
#[derive(Clone, Debug)]
pub(super) struct Method {
    /// Its name.
    pub(super) id: &'static str,
    /// What it is given.
    pub(super) params: Vec<(String, RawValue)>,
}

impl Method {
    /// A method with parameters.
    pub(super) fn new(id: &'static str, params: &[(&str, RawValue)]) -> Self {
        Self {
            id,
            params: params
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.clone()))
                .collect(),
        }
    }
}

/// Names of all variables.
pub(super) fn names(table: &Table) -> Vec<String> {
    table.names().map(str::to_owned).collect()
}

/// The file after some masks on all its variables.
pub(super) fn masked(
    original: &Table,
    steps: &[Method],
    seed: u64,
    watch: &dyn Watch,
) -> Result<Table, MethodError> {
    let on: Vec<usize> = (0..original.columns().len()).collect();
    masked_on(&on, original, steps, seed, watch)
}

/// The file after some masks on the variables at some positions.
pub(super) fn masked_on(
    on: &[usize],
    original: &Table,
    steps: &[Method],
    seed: u64,
    watch: &dyn Watch,
) -> Result<Table, MethodError> {
    let mut table = original.clone();
    for (position, step) in steps.iter().enumerate() {
        let mask = registry::mask(step.id).ok_or_else(|| unknown(step.id))?;
        let params = checked(mask.card(), step)?;
        let context = RunContext::new(seed, format!("{} {position}", step.id), watch);
        let task = MaskTask { table: &table, on };
        let change = mask.mask(&params, &task, &context)?;
        table = change.apply_to(&table);
    }
    Ok(table)
}

/// What a measure finds on all variables.
pub(super) fn measured(
    measure: &Method,
    original: &Table,
    masked: &Table,
    groups: &Groups,
    watch: &dyn Watch,
) -> Result<Measurement, MethodError> {
    measured_on(&names(original), measure, [original, masked], groups, watch)
}

/// What a measure finds on some variables of the original and the masked file.
pub(super) fn measured_on(
    on: &[String],
    measure: &Method,
    [original, masked]: [&Table; 2],
    groups: &Groups,
    watch: &dyn Watch,
) -> Result<Measurement, MethodError> {
    let method = registry::measure(measure.id).ok_or_else(|| unknown(measure.id))?;
    let params = checked(method.card(), measure)?;
    let pair = Pair {
        original,
        masked,
        rows: Rows::Correspond,
    };
    let task = MeasureTask::new(Files::Both(pair), on);
    let context = RunContext::new(1, measure.id, watch);
    measure_groups(method, &params, &task, groups, original, &context)
}

/// A method's parameters, checked.
pub(super) fn checked(card: &bauta_methods::Card, method: &Method) -> Result<Params, MethodError> {
    Params::check(card, &method.params).map_err(|problems| {
        let messages: Vec<&str> = problems
            .iter()
            .map(|problem| problem.message.as_str())
            .collect();
        MethodError::Internal(format!("{}: {}", method.id, messages.join("; ")))
    })
}

/// A method that is not registered is our own mistake.
pub(super) fn unknown(id: &str) -> MethodError {
    MethodError::Internal(format!("there is no method {id}"))
}
