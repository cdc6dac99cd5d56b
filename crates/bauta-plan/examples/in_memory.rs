//! Masks a table in memory through the library, without a file, and prints a measurement.

use std::error::Error;
use std::sync::Arc;

use bauta_data::column::NumberText;
use bauta_data::{Attribute, Column, Kind, Role, Table, Unwatched};
use bauta_plan::check::{DataSchema, check};
use bauta_plan::draft::{Draft, MeasureDraft, StepDraft, VariableDraft};
use bauta_plan::execute::{RunOptions, execute, in_memory};

fn main() -> Result<(), Box<dyn Error>> {
    println!("{}", protect()?);
    Ok(())
}

/// Swaps incomes of near rank and says what an analyst loses.
pub(crate) fn protect() -> Result<String, Box<dyn Error>> {
    let draft = Draft::default()
        .seed(20_261_116)
        .variable(VariableDraft::new("income", Role::Sensitive).kind(Kind::Continuous))
        .step(
            StepDraft::mask("rank-swap")
                .on(["income"])
                .with("window", 0.2),
        )
        .measure(MeasureDraft::of(["il1s"]));
    let plan = check(&draft, &DataSchema::new(["income"])).map_err(|all| all[0].message.clone())?;

    let income = Attribute::new("income", Role::Sensitive, Kind::Continuous);
    let values = (1..=100).map(|i| f64::from(i * i)).collect();
    let column = Column::numeric(Arc::new(income), values, None, NumberText::default());
    let loaded = in_memory(Table::new(vec![column], 100))?;

    let executed = execute(&plan, &loaded, RunOptions::default(), &Unwatched)?;
    let loss = executed.measured[0]
        .after
        .found
        .as_ref()
        .and_then(|found| found.value);
    let n_records = executed.released.n_records();
    Ok(format!(
        "{n_records} records masked, il1s = {}",
        loss.ok_or("no loss")?
    ))
}
