#![doc = include_str!("drop_identifiers.md")]

use bauta_data::{Kind, Role};

use crate::card::{Card, Family, Randomness, Scaling, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::mask::{Change, KindAfter, MaskMethod, MaskTask, StepFacts};
use crate::note::Note;
use crate::params::{ParamProblem, Params, RawValue};

/// Removes direct identifiers. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct DropIdentifiers;

static CARD: Card = Card {
    id: "drop-identifiers",
    title: "Drop identifiers",
    summary: "removes the variables that name a unit directly",
    family: Family::Mask,
    page: include_str!("drop_identifiers.md"),
    params: &[],
    targets: Targets {
        kinds: &Kind::ALL,
        default_roles: &[Role::Identifier],
        refused_roles: &[],
    },
    randomness: Randomness::None,
    scaling: Scaling::Record,
    references: &["truta2004", "hundepool2012"],
};

impl MaskMethod for DropIdentifiers {
    type Settings = ();

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, _: &Params) -> Result<(), Vec<ParamProblem>> {
        Ok(())
    }

    fn facts(&self, (): &()) -> StepFacts {
        StepFacts {
            kind_after: KindAfter::Gone,
            ..StepFacts::default()
        }
        .truthful()
    }

    fn mask(
        &self,
        (): &(),
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        context.go_on()?;
        if task.on.is_empty() {
            context.note(nothing_to_drop());
            return Ok(Change::default());
        }
        let names = task.on.iter().map(|&at| task.table.column(at).name());
        context.note(variables_dropped(&names.collect::<Vec<_>>()));
        Ok(Change {
            dropped: task.on.to_vec(),
            ..Change::default()
        })
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        Vec::new()
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        None
    }
}

/// There was nothing to remove.
fn nothing_to_drop() -> Note {
    let text = "no variable has the role identifier; nothing was removed";
    Note::new("nothing-to-drop", text)
}

/// Variables were removed.
fn variables_dropped(variables: &[&str]) -> Note {
    let text = format!("removed: {}", variables.join(", "));
    Note::new("variables-dropped", text)
        .with("variables", variables)
        .public()
}
