//! What is fuzzed. Each target makes cases and knows what must hold of them.

pub(crate) mod conditions;
pub(crate) mod hierarchies;
pub(crate) mod parquet_files;
pub(crate) mod plans;
pub(crate) mod processes;
pub(crate) mod records;
pub(crate) mod text_files;
pub(crate) mod totals;

use super::case::Case;
use super::draws::Draws;
use super::finding::Outcome;
use super::world::World;

/// Something that takes input.
pub(crate) trait Target: Sync {
    /// Its name in commands, tables and the corpus.
    fn name(&self) -> &'static str;

    /// How much of the time it gets, relative to the others.
    fn share(&self) -> u32 {
        1
    }

    /// Makes a case.
    fn make(&self, draws: &mut Draws, world: &World) -> Case;

    /// Runs a case and looks at everything that comes of it. What happens depends on the case alone.
    fn run(&self, case: &Case, world: &World) -> Outcome;
}

/// All targets, in the order of tables.
pub(crate) const TARGETS: &[&dyn Target] = &[
    &text_files::Csv,
    &text_files::Tsv,
    &parquet_files::Parquet,
    &plans::Plans,
    &plans::Settings,
    &plans::PlanTexts,
    &records::Records,
    &processes::Processes,
    &totals::Totals,
    &conditions::Conditions,
    &hierarchies::Hierarchies,
];

/// The target with this name.
pub(crate) fn named(name: &str) -> Result<&'static dyn Target, String> {
    let found = TARGETS.iter().copied().find(|target| target.name() == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name()).collect();
        format!(
            "there is no target `{name}`; there are {}",
            names.join(", ")
        )
    })
}
