#![doc = include_str!("drop_identifiers.md")]

use bauta_data::{Kind, Role};

use crate::card::{Card, Family, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::mask::{Change, KindAfter, MaskMethod, MaskTask, StepFacts};
use crate::note::KnownNote;
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
    references: &["truta2004", "hundepool2012"],
};

impl MaskMethod for DropIdentifiers {
    type Settings = Params;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn facts(&self, _params: &Params) -> StepFacts {
        StepFacts {
            kind_after: KindAfter::Gone,
            ..StepFacts::default()
        }
    }

    fn mask(
        &self,
        _settings: &Params,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        context.go_on()?;
        if task.on.is_empty() {
            context.note(KnownNote::NothingToDrop);
            return Ok(Change::default());
        }
        let names = task
            .on
            .iter()
            .map(|&attr_idx| task.table.column(attr_idx).name().to_owned());
        context.note(KnownNote::VariablesDropped {
            variables: names.collect(),
        });
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
