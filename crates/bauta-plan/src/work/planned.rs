//! What a plan, or the record of a run, says of the variables of a file that somebody looks at.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bauta_data::format::{self, ReadOptions};
use bauta_data::{
    Attribute, DataError, HierarchySpec, Kind, MissingRules, Role, Schema, Table, near,
};
use bauta_methods::card::{ConstValue, ParamDefault};
use bauta_methods::mask::Truth;

use super::{Reading, WorkError};
use crate::check::{self, Folder, Source, Surroundings, real_place};
use crate::plan::{EngineSettings, Plan, Scenario};
use crate::record::RunRecord;
use crate::toml::{self, Needs};
use crate::verify::plan_folder;

/// Roles, kinds, labels and missing values of variables, what intruders know, and how files are read.
#[derive(Clone, PartialEq, Debug)]
pub struct Planned {
    read: ReadOptions,
    /// What a suppressed cell of the released file is written as.
    suppressed: String,
    /// What the weight is called in the released file, if not as in the input.
    released_weight: Option<String>,
    input: Option<PathBuf>,
    release: Option<PathBuf>,
    scenarios: Vec<Scenario>,
    labels: Vec<(String, String)>,
    /// Variables whose values a step makes untrue.
    perturbed: Vec<String>,
    /// Whether records with missing numbers are left out of comparisons.
    pub(super) skips_missing: bool,
    /// How much memory to take, and where goes what does not fit.
    engine: EngineSettings,
}

impl Planned {
    /// What a plan says.
    pub fn of(plan: &Plan) -> Self {
        let release = plan.output.release.as_ref();
        Self {
            read: plan.read.clone(),
            suppressed: plan.output.suppressed.clone(),
            released_weight: plan.output.weight.clone(),
            input: plan.input.as_ref().map(|input| input.path.clone()),
            release: release.map(|release| release.file.path.clone()),
            scenarios: plan.scenarios.clone(),
            labels: plan.labels.clone(),
            perturbed: perturbed(plan),
            skips_missing: skips_missing(plan),
            engine: plan.engine.clone(),
        }
    }

    /// What the plan of a record says. The files of the run need not be there, but for tables of levels and totals.
    pub fn of_record(record: &RunRecord, record_file: &Path) -> Result<Self, WorkError> {
        let folder = plan_folder(record, record_file);
        let surroundings = Recorded {
            folder: Folder(&folder),
            columns: record
                .variables
                .iter()
                .map(|one| one.name.clone())
                .collect(),
        };
        let problems = RefCell::default();
        let draft = toml::read_as(Needs::Files, &record.plan.text, &problems);
        let source = Source {
            text: &record.plan.text,
            file: &record.plan.file,
        };
        let plan = check::plan_of(&draft, &source, &surroundings, &problems);
        let plan = check::finished(plan, problems).map_err(WorkError::Problems)?;
        Ok(Self::of(&plan))
    }

    /// The file that the plan protects.
    pub fn input(&self) -> Option<&Path> {
        self.input.as_deref()
    }

    /// The file that it releases.
    pub fn release(&self) -> Option<&Path> {
        self.release.as_deref()
    }

    /// How a file is read: as it was said here, and with the memory and the folder of the plan where none were named.
    pub(super) fn reading(&self, reading: &Reading) -> Reading {
        let EngineSettings { memory, spill } = &self.engine;
        Reading {
            memory: reading.memory.or(*memory),
            spill: reading.spill.clone().or_else(|| spill.clone()),
            ..reading.clone()
        }
    }

    /// What intruders are assumed to know: one scenario, if it is named, or all.
    pub fn scenarios(&self, only: Option<&str>) -> Result<Vec<Scenario>, WorkError> {
        let Some(only) = only else {
            return Ok(self.scenarios.clone());
        };
        let named = self.scenarios.iter().find(|scenario| scenario.name == only);
        let named = named.ok_or_else(|| {
            let names = self.scenarios.iter().map(|scenario| scenario.name.as_str());
            WorkError::mistake(
                format!("the plan has no scenario `{only}`"),
                near::hint(only, names),
            )
        })?;
        Ok(vec![named.clone()])
    }

    /// What a variable is called in words.
    pub fn label(&self, name: &str) -> Option<&str> {
        let label = self.labels.iter().find(|(known, _)| known == name);
        label.map(|(_, label)| label.as_str())
    }

    /// How the plan describes a variable.
    pub(super) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.read.schema.attribute(name)
    }

    /// The variables of a role.
    pub(super) fn with_role(&self, role: Role) -> impl Iterator<Item = &Attribute> {
        let described = self.read.schema.attributes.iter();
        described.filter(move |attribute| attribute.role == role)
    }

    /// Those of some variables whose values the plan's steps make untrue.
    pub(super) fn perturbed_among(&self, names: &[String]) -> Vec<String> {
        let names = names.iter().filter(|name| self.perturbed.contains(name));
        names.cloned().collect()
    }

    /// The columns of a file.
    pub(super) fn columns(&self, file: &Path, reading: &Reading) -> Result<Vec<String>, WorkError> {
        let options = self.read_as(file, reading);
        Ok(format::column_names(file, &options)?)
    }

    /// What the weight is called in a file with these columns.
    pub(super) fn weight_in(&self, columns: &[String]) -> Option<String> {
        let usual = self.with_role(Role::Weight).map(|weight| &weight.name);
        let mut names = self.released_weight.iter().chain(usual);
        names.find(|name| columns.contains(name)).cloned()
    }

    /// Whether a file is the one that the plan protects; any other is taken for a masked version of it.
    pub(super) fn is_input(&self, file: &Path) -> bool {
        let input = self.input.as_deref().map(real_place);
        input == Some(real_place(file))
    }

    /// The plan's options, with what was said here before them. A table of another format has none of a text's.
    fn read_as(&self, file: &Path, reading: &Reading) -> ReadOptions {
        let extension = |path: &Path| path.extension().map(OsStr::to_ascii_lowercase);
        let same_format = self.input.as_deref().map(extension) == Some(extension(file));
        let delimiter = self.read.delimiter.filter(|_| same_format);
        ReadOptions {
            schema: Schema::default(),
            delimiter: reading.delimiter.or(delimiter),
            decimal: reading.decimal.or(self.read.decimal),
            encoding: reading.encoding.unwrap_or(self.read.encoding),
            memory: reading.memory,
        }
    }

    /// How a file is read whose columns are put to the uses of this schema: what is missing, how categories are
    /// spelled and how they become coarser as the plan says, unless something else was said here. What the file has
    /// not got is not asked of it.
    pub(super) fn options(
        &self,
        file: &Path,
        reading: &Reading,
        schema: Schema,
    ) -> Result<ReadOptions, WorkError> {
        let columns = self.columns(file, reading)?;
        let is_input = self.is_input(file);
        let mut attributes: Vec<Attribute> = Vec::new();
        for mut attribute in schema.attributes {
            if !columns.contains(&attribute.name) && attribute.role == Role::Weight {
                let renamed = self.released_weight.clone();
                attribute.name = renamed.unwrap_or(attribute.name);
            }
            if columns.contains(&attribute.name) {
                attributes.push(attribute);
            }
        }
        for name in &columns {
            if self.attribute(name).is_some() && attributes.iter().all(|one| one.name != *name) {
                attributes.push(Attribute::undeclared(name));
            }
        }
        for attribute in &mut attributes {
            if let Some(planned) = self.attribute(&attribute.name) {
                self.describe(attribute, planned, is_input);
            }
        }
        let missing = self.rules(&self.read.schema.missing, is_input);
        let mut options = self.read_as(file, reading);
        options.schema = reading
            .options(Schema {
                attributes,
                missing,
            })
            .schema;
        if reading.missing_texts.is_some() {
            for attribute in &mut options.schema.attributes {
                attribute.missing = None;
            }
        }
        Ok(options)
    }

    fn describe(&self, attribute: &mut Attribute, planned: &Attribute, is_input: bool) {
        attribute.missing = planned
            .missing
            .as_ref()
            .map(|rules| self.rules(rules, is_input));
        attribute.spellings = planned.spellings;
        // What masking left of dates need not be any.
        attribute.date = planned.date.filter(|_| is_input);
        let has_use = attribute.role != Role::Other;
        if has_use && attribute.hierarchy.is_none() && planned.hierarchy.is_some() {
            attribute.kind = Kind::Hierarchical;
            attribute.hierarchy.clone_from(&planned.hierarchy);
        }
    }

    /// What is missing in a file; in a masked one suppressed cells are.
    fn rules(&self, rules: &MissingRules, is_input: bool) -> MissingRules {
        let mut rules = rules.clone();
        if !is_input && !rules.texts.contains(&self.suppressed) {
            rules.texts.push(self.suppressed.clone());
        }
        rules
    }

    /// A table with its weight under the name that the input has it by.
    pub(super) fn with_weight_of_input(&self, table: Table) -> Table {
        let weight = self.with_role(Role::Weight).next();
        let renamed = self.released_weight.as_deref();
        let renamed = renamed.and_then(|name| table.index_of(name));
        match (weight, renamed) {
            (Some(weight), Some(attr_idx)) if table.index_of(&weight.name).is_none() => {
                let column = table.column(attr_idx).clone();
                let attribute = Attribute {
                    name: weight.name.clone(),
                    ..column.attribute().clone()
                };
                table.with_column(attr_idx, column.with_attribute(Arc::new(attribute)))
            }
            _ => table,
        }
    }
}

/// The variables that steps perturb: whoever knows a true value of them looks for near ones.
fn perturbed(plan: &Plan) -> Vec<String> {
    let steps = plan.steps.iter();
    let perturbing = steps.filter(|step| step.facts().truth == Truth::Perturbed);
    perturbing
        .flat_map(|step| step.on.iter().cloned())
        .collect()
}

/// What measures of numbers do with missing ones unless told otherwise.
const REFUSE: ParamDefault = ParamDefault::Value(ConstValue::Text("refuse"));

/// Whether a measure is told to leave missing numbers out that would refuse them otherwise.
fn skips_missing(plan: &Plan) -> bool {
    plan.measures.iter().any(|planned| {
        let specs = planned.measure.card().params.iter();
        let mut refusing = specs.filter(|spec| spec.default == REFUSE);
        refusing.any(|spec| spec.name == "missing" && planned.params.choice(spec.name) == "skip")
    })
}

/// The files of a record, of which the columns are known.
struct Recorded<'a> {
    folder: Folder<'a>,
    columns: Vec<String>,
}

impl Surroundings for Recorded<'_> {
    fn columns(
        &self,
        _file: Option<&str>,
        _read: &ReadOptions,
    ) -> Option<Result<Vec<String>, DataError>> {
        Some(Ok(self.columns.clone()))
    }

    fn levels(&self, file: &str) -> Result<HierarchySpec, DataError> {
        self.folder.levels(file)
    }

    fn totals(&self, file: &str) -> Result<Vec<(String, f64)>, DataError> {
        self.folder.totals(file)
    }

    fn path(&self, given: &str) -> PathBuf {
        self.folder.path(given)
    }
}
