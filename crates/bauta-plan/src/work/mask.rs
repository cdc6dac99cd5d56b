//! One mask of one file, as a plan of one step.

use std::path::PathBuf;

use bauta_data::inspect::{ColumnProfile, Content, FileProfile};
use bauta_data::{Kind, Role};
use bauta_methods::{Card, RawValue};

use super::inspect::{column, inspect};
use super::one_step::{Done, Levels, carry_out, described};
use super::{Reading, WorkError};
use crate::draft::{Draft, HierarchyDraft, MeasureDraft, OutputDraft, StepDraft, VariableDraft};
use crate::execute::RunOptions;
use crate::problem::Spot;
use crate::publish::Renderer;
use crate::stages::RunWatch;

/// Which mask, of which variables of which file.
#[derive(Clone, Debug)]
pub struct MaskRequest {
    /// The mask.
    pub card: &'static Card,
    /// The file.
    pub file: PathBuf,
    /// How to read it.
    pub reading: Reading,
    /// The masked file.
    pub output: PathBuf,
    /// The run record, if one is wanted.
    pub record: Option<PathBuf>,
    /// The variables.
    pub on: Vec<String>,
    /// Household id, for masks that can act on whole households.
    pub household: Option<String>,
    /// Sampling weight, for masks that look at it.
    pub weight: Option<String>,
    /// Parameters.
    pub params: Vec<(&'static str, RawValue)>,
}

/// Masks a file.
pub fn mask(
    request: &MaskRequest,
    options: RunOptions,
    watch: &dyn RunWatch,
    renderer: &dyn Renderer,
) -> Result<Done, WorkError> {
    // The table that was looked at is not kept beside the one that is worked on.
    let profile = inspect(&request.file, &request.reading, watch)?.profile;
    let draft = request.draft(&profile)?;
    carry_out(
        &draft,
        "bauta mask",
        (&request.file, &request.reading),
        options,
        watch,
        renderer,
    )
}

impl MaskRequest {
    /// The request as a plan for a file that looks so.
    pub fn draft(&self, profile: &FileProfile) -> Result<Draft, WorkError> {
        let mut step = StepDraft::mask(self.card.id);
        if !self.on.is_empty() {
            step = step.on(self.on.iter().cloned());
        }
        for (name, value) in &self.params {
            step = step.with(name, value.clone());
        }
        let path = |path: &PathBuf| Spot::from(path.to_string_lossy().into_owned());
        let mut variables = self.variables(profile)?;
        self.reading.fold_in(&mut variables);
        Ok(Draft {
            data: self.reading.data_draft(&self.file),
            variables,
            steps: vec![step],
            // None: a mask is not judged.
            measures: vec![MeasureDraft::of::<String>([])],
            output: OutputDraft {
                file: Some(path(&self.output)),
                record: self.record.as_ref().map(path),
                ..OutputDraft::default()
            },
            ..Draft::default()
        })
    }

    fn variables(&self, profile: &FileProfile) -> Result<Vec<VariableDraft>, WorkError> {
        let mut variables = Vec::new();
        let role = if self.card.id == "drop-identifiers" {
            Role::Identifier
        } else {
            Role::Other
        };
        let takes_levels = self.card.targets.kinds.contains(&Kind::Hierarchical)
            && self.params.iter().any(|(name, _)| *name == "level");
        let levels = if takes_levels {
            Levels::ByPrefix
        } else {
            Levels::ByKind
        };
        for (position, name) in self.on.iter().enumerate() {
            if self.on[..position].contains(name) {
                let message = format!("`{name}` is named twice");
                let mistake = WorkError::of_variable(name, message, "name it once");
                return Err(mistake.in_file(&self.file));
            }
            let column = column(&self.file, profile, name)?;
            let kind = self.kind_of(column);
            let variable = described(name, role, kind, levels);
            variables.push(match (column.date, levels) {
                (Some(dates), Levels::ByPrefix) => {
                    variable.dates(dates).hierarchy(HierarchyDraft::Dates(None))
                }
                (Some(dates), Levels::ByKind) if column.content == Content::Date => {
                    variable.dates(dates)
                }
                (Some(_) | None, _) => variable,
            });
        }
        let others = [
            (&self.household, Role::Household),
            (&self.weight, Role::Weight),
        ];
        for (name, role) in others {
            if let Some(name) = name {
                column(&self.file, profile, name)?;
                variables.push(VariableDraft::new(name.clone(), role));
            }
        }
        Ok(variables)
    }

    /// Numbers and dates are continuous where the mask takes that; otherwise what the file suggests, or the
    /// first kind that the mask takes.
    fn kind_of(&self, column: &ColumnProfile) -> Kind {
        let kinds = self.card.targets.kinds;
        let is_date = column.content == Content::Date && column.date.is_some();
        let is_number = matches!(column.content, Content::Integer | Content::Decimal) || is_date;
        let proposed = if is_date {
            Kind::Ordered
        } else {
            column.proposal.kind
        };
        if kinds.len() < Kind::ALL.len() && is_number && kinds.contains(&Kind::Continuous) {
            Kind::Continuous
        } else if kinds.contains(&proposed) {
            proposed
        } else {
            kinds.first().copied().unwrap_or(proposed)
        }
    }
}
