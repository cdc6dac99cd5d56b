//! Plans of one step: what a request on a file becomes, so that both ways are checked and recorded
//! alike.

use std::path::Path;

use bauta_data::{Kind, Role};

use super::{Reading, WorkError};
use crate::check::{UNGATED, check_files};
use crate::draft::{Draft, HierarchyDraft, VariableDraft};
use crate::execute::RunOptions;
use crate::plan::{EngineSettings, Plan};
use crate::publish::Renderer;
use crate::record::RunRecord;
use crate::run::run;
use crate::stages::RunWatch;

/// A plan of one step that was carried out.
pub struct Done {
    /// The plan.
    pub plan: Plan,
    /// What came of it.
    pub record: RunRecord,
}

/// Checks a plan of one step on a file and runs it. Without a name for its record it writes none.
pub(super) fn carry_out(
    draft: &Draft,
    called: &str,
    (file, reading): (&Path, &Reading),
    options: RunOptions,
    watch: &dyn RunWatch,
    renderer: &dyn Renderer,
) -> Result<Done, WorkError> {
    let mut draft = draft.clone();
    // One step is not judged, and nobody is told that it was.
    draft.output.release = Some(UNGATED.into());
    let mut plan = check_files(&draft, called, Path::new("")).map_err(WorkError::Problems)?;
    plan.read.memory = reading.memory;
    plan.engine = EngineSettings {
        memory: reading.memory,
        spill: reading.spill.clone(),
    };
    if draft.output.record.is_none() {
        plan.output.record = None;
    }
    let record = run(&plan, options, watch, renderer);
    let record = record.map_err(|error| WorkError::from(error).of_file(file))?;
    Ok(Done { plan, record })
}

/// A variable of a kind; categories that form a hierarchy do so by their first characters.
pub(super) fn described(name: &str, role: Role, kind: Kind, levels: Levels) -> VariableDraft {
    let variable = VariableDraft::new(name, role).kind(kind);
    if kind == Kind::Hierarchical || levels == Levels::ByPrefix {
        variable.hierarchy(HierarchyDraft::Prefix(None))
    } else {
        variable
    }
}

/// Whether a variable that is not hierarchical has levels all the same.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Levels {
    ByKind,
    ByPrefix,
}
