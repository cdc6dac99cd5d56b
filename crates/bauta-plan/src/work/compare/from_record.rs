//! The two files of a run, paired by the run itself.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bauta_data::format::{self, ReadOptions};
use bauta_data::store::Store;
use bauta_data::{Attribute, MissingRules, Role, Schema, Spellings, Table, WrittenBytes};
use bauta_methods::pair::Rows;

use super::numbers::{Texts, with_dates};
use super::pairing::Pairing;
use super::{CompareRequest, Compared, WorkError, compare_paired, load, spelled_alike};
use crate::aside::in_memory_or_aside;
use crate::check_text;
use crate::execute::{Executed, RunOptions, STAGES_OF_MEASURING, execute_in};
use crate::measure::RecordFigures;
use crate::plan::{Plan, Release};
use crate::publish::release_style;
use crate::record::{RunRecord, SeedSource};
use crate::run;
use crate::stages::{RunWatch, Stages};
use crate::verify::{FileOnDisk, OnDisk, RecordPlaces, files_on_disk, plan_folder};
use crate::work::{Planned, Reading, read_record};

/// Compares the released file of a record with its input. Who became whom is known for certain: the steps
/// are carried out again and the order of the released records is drawn again.
///
/// The names of the files in the request are not looked at, nor is how to pair records.
pub fn compare_record(
    record_file: &Path,
    reading: &Reading,
    request: &CompareRequest,
    watch: &dyn RunWatch,
) -> Result<Compared, WorkError> {
    request.refuse_repeats()?;
    let ran = Ran::of(record_file, reading)?;
    let reading = &ran.reading;
    // The file as it was and as it is released, once more or less at a time.
    let needed = || {
        let input = ran.plan.input.as_ref();
        let needed = input.map(|input| format::memory_needed(&input.path, &ran.plan.read));
        Ok(needed.transpose()?.unwrap_or_default().saturating_mul(2))
    };
    let work = |store: Option<&Store>| ran.compared(store, request, watch);
    let (mut compared, put_aside) = in_memory_or_aside(reading, record_file, needed, work)?;
    compared.put_aside = put_aside;
    Ok(compared)
}

/// The same with the columns of all tables in a store, if there is one.
pub fn compare_record_in(
    store: Option<&Store>,
    record_file: &Path,
    request: &CompareRequest,
    watch: &dyn RunWatch,
) -> Result<Compared, WorkError> {
    request.refuse_repeats()?;
    Ran::of(record_file, &Reading::default())?.compared(store, request, watch)
}

/// A run that can be repeated.
struct Ran {
    record: RunRecord,
    plan: Plan,
    /// Where its released file lies.
    place: PathBuf,
    /// How much memory may be taken, and where goes what does not fit.
    reading: Reading,
}

impl Ran {
    fn of(record_file: &Path, reading: &Reading) -> Result<Self, WorkError> {
        let record = read_record(record_file)?;
        let place = place_of_release(&record, record_file)?;
        let folder = plan_folder(&record, record_file);
        let plan = check_text(&record.plan.text, &record.plan.file, &folder);
        let mut plan = plan.map_err(WorkError::Problems)?;
        let reading = Planned::of(&plan).reading(reading);
        plan.read.memory = reading.memory;
        Ok(Self {
            record,
            plan,
            place,
            reading,
        })
    }

    fn compared(
        &self,
        store: Option<&Store>,
        request: &CompareRequest,
        watch: &dyn RunWatch,
    ) -> Result<Compared, WorkError> {
        let again = made_again(&self.plan, &self.record, store, watch)?;
        compared_again(self, &again, request, store, watch)
    }
}

fn compared_again(
    ran: &Ran,
    again: &Again,
    request: &CompareRequest,
    store: Option<&Store>,
    watch: &dyn RunWatch,
) -> Result<Compared, WorkError> {
    let Ran {
        plan,
        place,
        reading,
        ..
    } = ran;
    let request = CompareRequest {
        original: again.input.display().to_string(),
        masked: place.display().to_string(),
        ..request.with_plan(&Planned::of(plan), &again.in_both(plan))
    };
    let into = (Texts::Needed, store);
    let schema = request.schema()?;
    let options = described(plan, schema.clone(), &|_| true, None);
    let original = load(&again.input, &options, &request, into, watch)?.table;
    // Both files are held, unless they lie in a store.
    let taken = reading.memory.filter(|_| store.is_none());
    let taken = taken.map(|_| format::memory_needed(&again.input, &options));
    let taken = taken.transpose()?.unwrap_or_default();
    let options = ReadOptions {
        schema: described(
            plan,
            again.with_its_weight(schema, plan),
            &|name| again.names.iter().any(|known| known == name),
            Some(&plan.output.suppressed),
        )
        .schema,
        memory: reading.memory.map(|limit| limit.saturating_sub(taken)),
        ..again.read.clone()
    };
    let masked = load(place, &options, &request, into, watch)?.table;
    let masked = with_weight_of_original(masked, &original, plan);
    let masked = spelled_alike(&original, masked, &folded(plan), store)?;
    let mut both = [original, masked];
    with_dates(&mut both, &request, store)?;
    let [original, masked] = both;
    let pairing = match again.rows {
        Rows::Correspond => Pairing::Run {
            n_not_masked: original.n_records().saturating_sub(masked.n_records()),
        },
        Rows::Unrelated => Pairing::NotTraceable,
    };
    let masked = match again.rows {
        Rows::Correspond => masked.traced_to(again.source_rows.clone()),
        Rows::Unrelated => masked,
    };
    compare_paired(&original, &masked, pairing, &request, store, watch)
}

/// The released file with its weight under the name, and in the role, that the original's has.
fn with_weight_of_original(masked: Table, original: &Table, plan: &Plan) -> Table {
    let declared = plan.read.schema.attributes.iter();
    let weight = declared.filter(|attribute| attribute.role == Role::Weight);
    let mut weight = weight.filter_map(|attribute| original.column_named(&attribute.name));
    let renamed = plan.output.weight.as_ref();
    let renamed = renamed.and_then(|name| masked.index_of(name));
    match (weight.next(), renamed) {
        (Some(weight), Some(attr_idx)) => {
            let attribute = Arc::new(weight.attribute().clone());
            let column = masked.column(attr_idx).clone().with_attribute(attribute);
            masked.with_column(attr_idx, column)
        }
        _ => masked,
    }
}

/// What repeating a run told.
struct Again {
    /// Where its input lies.
    input: PathBuf,
    /// Whether records can be traced.
    rows: Rows,
    /// The original row of each released record.
    source_rows: Vec<u32>,
    /// The variables of the released file.
    names: Vec<String>,
    /// How it is read, but for its variables.
    read: ReadOptions,
}

impl Again {
    /// The variables of the input that were released, the weight under whatever name.
    fn in_both(&self, plan: &Plan) -> Vec<String> {
        let planned = plan.read.schema.attributes.iter();
        let renamed = plan.output.weight.is_some();
        let weights = planned.filter(|one| renamed && one.role == Role::Weight);
        let weights = weights.map(|one| one.name.clone());
        self.names.iter().cloned().chain(weights).collect()
    }

    /// The schema with the weight under the name that the released file has it by.
    fn with_its_weight(&self, mut schema: Schema, plan: &Plan) -> Schema {
        for attribute in &mut schema.attributes {
            let is_renamed =
                attribute.role == Role::Weight && !self.names.contains(&attribute.name);
            if let Some(name) = plan.output.weight.as_ref().filter(|_| is_renamed) {
                attribute.name.clone_from(name);
            }
        }
        schema
    }
}

/// Carries out the steps of a run again, without its measures.
fn made_again(
    plan: &Plan,
    record: &RunRecord,
    store: Option<&Store>,
    watch: &dyn RunWatch,
) -> Result<Again, WorkError> {
    let files = (&plan.input, &plan.output.release, &record.released);
    let (Some(input), Some(release), Some(released)) = files else {
        return Err(WorkError::mistake(
            "the plan of the record names no file to read and to release",
            "give the record of a run from file to file",
        ));
    };
    let unmeasured = Plan {
        measures: Vec::new(),
        gates: Vec::new(),
        ..plan.clone()
    };
    let loaded = run::read_into(&unmeasured, store, watch)?;
    if loaded.fingerprint.sha256 != record.input.sha256 {
        return Err(not_the_file(&input.path, &OnDisk::Changed));
    }
    let options = RunOptions {
        // A seed from the command line stands nowhere but in the record.
        seed: (record.seed_source == SeedSource::CommandLine).then_some(record.seed),
        ..RunOptions::default()
    };
    let mut stages = Stages::new(unmeasured.steps.len() + STAGES_OF_MEASURING, watch);
    let figures = RecordFigures::Dropped;
    let executed = execute_in(&unmeasured, &loaded, options, figures, store, &mut stages)?;
    let style = release_style(plan, release, executed.style);
    if written_print(&executed, release, style, watch)?.sha256 != released.sha256 {
        return Err(WorkError::mistake(
            format!(
                "the run, repeated, does not give {} again, so that nobody knows which record is which",
                released.file
            ),
            "use the version of Bauta that wrote the record, or name an --id that both files have",
        ));
    }
    let table = &executed.released;
    let source_rows = (0..table.n_records()).map(|record| table.source_row(record) as u32);
    Ok(Again {
        input: input.path.clone(),
        rows: executed.record.rows,
        source_rows: source_rows.collect(),
        names: table.names().map(str::to_owned).collect(),
        read: ReadOptions {
            schema: Schema::default(),
            delimiter: Some(style.delimiter),
            decimal: Some(style.decimal),
            encoding: style.encoding,
            memory: plan.read.memory,
        },
    })
}

/// The hash of the released file as the run gives it now.
fn written_print(
    executed: &Executed,
    release: &Release,
    style: format::TextStyle,
    watch: &dyn RunWatch,
) -> Result<WrittenBytes, WorkError> {
    let mut nowhere = std::io::sink();
    let (path, table) = (&release.file.path, &executed.released);
    Ok(format::write(
        &mut nowhere,
        path,
        table,
        release.format,
        &style,
        watch,
    )?)
}

/// Where the released file lies, if it is the one that the run wrote: another has other records.
fn place_of_release(record: &RunRecord, record_file: &Path) -> Result<PathBuf, WorkError> {
    let places = RecordPlaces::of_record(record, record_file);
    let file = record.released.as_ref().map(|released| &released.file);
    let mut found = files_on_disk(record, &places).into_iter();
    let found = found.find(|found| Some(&found.file) == file);
    match found {
        Some(FileOnDisk {
            place,
            found: OnDisk::Same,
            ..
        }) => Ok(place),
        Some(FileOnDisk { place, found, .. }) => Err(not_the_file(&place, &found)),
        None => Err(WorkError::mistake(
            format!("the run of {} released no file", record_file.display()),
            "its record and its report have the figures; a gate or a claim did not hold",
        )),
    }
}

fn not_the_file(place: &Path, found: &OnDisk) -> WorkError {
    WorkError::mistake(
        format!("{}: {}", place.display(), found.in_words()),
        "put the file there that the record names, or run the plan again",
    )
}

/// The variables whose spellings the plan folds.
fn folded(plan: &Plan) -> Vec<String> {
    let planned = plan.read.schema.attributes.iter();
    let folded = planned.filter(|attribute| attribute.spellings == Spellings::Fold);
    folded.map(|attribute| attribute.name.clone()).collect()
}

/// How the plan reads a file with some of its variables, with the roles of a comparison: what is missing stays
/// missing, suppressed cells are, and spellings are folded.
fn described(
    plan: &Plan,
    mut schema: Schema,
    is_there: &dyn Fn(&str) -> bool,
    suppressed: Option<&str>,
) -> ReadOptions {
    let with_suppressed = |rules: &MissingRules| {
        let mut rules = rules.clone();
        if let Some(text) = suppressed.filter(|text| !rules.texts.iter().any(|known| known == text))
        {
            rules.texts.push(text.to_owned());
        }
        rules
    };
    let planned = plan.read.schema.attributes.iter();
    for planned in planned.filter(|planned| is_there(&planned.name)) {
        let position = schema
            .attributes
            .iter()
            .position(|one| one.name == planned.name);
        let position = position.unwrap_or_else(|| {
            schema.attributes.push(Attribute::undeclared(&planned.name));
            schema.attributes.len() - 1
        });
        let attribute = &mut schema.attributes[position];
        attribute.missing = planned.missing.as_ref().map(with_suppressed);
        attribute.spellings = planned.spellings;
        // What masking left of dates need not be any.
        attribute.date = planned.date.filter(|_| suppressed.is_none());
    }
    schema.missing = with_suppressed(&plan.read.schema.missing);
    ReadOptions {
        schema,
        ..plan.read.clone()
    }
}
