//! What of a run record may be published, field by field.
//!
//! Every struct of the record is taken apart completely, without `..`: a field that is added to
//! the record stops the compiler here, and somebody has to decide. The external report is written
//! from [`PublicRecord`] and never sees the record itself.

use std::collections::BTreeMap;

use bauta_data::{Kind, Role};
use bauta_methods::card::{Card, Family, ParamSpec, ParamType};
use bauta_methods::exhibit::{Evidence, Exhibit, Public};
use bauta_methods::few_records::RULE_OF_TEN;
use bauta_methods::measure::{Measurement, Threat};
use bauta_methods::pair::Rows;
use bauta_methods::registry;
use bauta_plan::Judged;
use bauta_plan::RunRecord;
use bauta_plan::record::{
    Fate, FileRecord, MeasureFamily, MeasureRecord, PlanRecord, Purpose, ReleaseRecord, StepRecord,
    TimesRecord, VariableRecord,
};

use serde_json::Value;

use crate::figures::{VariableFigure, variable_figures};
use crate::measures::Column;
use crate::number::Unit;
use crate::residual::threat_of;
use crate::words::{file_name, reading};

/// A loss that rests on fewer changed cells could be turned back into their original values.
const MIN_CHANGED: u64 = RULE_OF_TEN;

/// What the public may know of a run.
pub(crate) struct PublicRecord<'a> {
    /// Title from the plan.
    pub(crate) title: Option<&'a str>,
    /// Version of Bauta.
    pub(crate) version: &'a str,
    /// Day of the run.
    pub(crate) day: Option<&'a str>,
    /// The released file; none if nothing was released.
    pub(crate) file: Option<PublicFile<'a>>,
    /// What the file is for.
    pub(crate) purpose: Option<&'a str>,
    /// Who gets it.
    pub(crate) recipients: Vec<&'a str>,
    /// Day by which the release is looked at again.
    pub(crate) review: Option<&'a str>,
    /// What intruders could do that was looked at; not what was found.
    pub(crate) threats: Vec<Threat>,
    /// Whether the records stand in a new order.
    pub(crate) shuffled: bool,
    /// Whether anything was judged before it was released.
    pub(crate) judged: Judged,
    /// Released variables whose values were drawn anew and belong to no record that was collected.
    pub(crate) drawn_anew: Vec<&'a str>,
    /// What was done.
    pub(crate) steps: Vec<PublicStep<'a>>,
    /// The variables of the collected file.
    pub(crate) variables: Vec<PublicVariable<'a>>,
    /// What an analyst loses.
    pub(crate) losses: Vec<PublicLoss<'a>>,
}

/// The released file.
pub(crate) struct PublicFile<'a> {
    /// Its name, without the folders of whoever made it.
    pub(crate) name: &'a str,
    /// SHA-256 of its bytes.
    pub(crate) sha256: &'a str,
    /// Number of bytes.
    pub(crate) n_bytes: u64,
    /// Number of records.
    pub(crate) n_records: u64,
    /// Number of variables.
    pub(crate) n_variables: u64,
}

/// A step without its parameters.
pub(crate) struct PublicStep<'a> {
    /// Name of the method.
    pub(crate) method: &'a str,
    /// Title of the method.
    pub(crate) title: &'a str,
    /// Variables it worked on, but for those that came out as they went in.
    pub(crate) on: Vec<&'a str>,
    /// Whether anything came of it.
    pub(crate) changed: Changed,
    /// Why it was done.
    pub(crate) why: Option<&'a str>,
    /// What it shows of itself to the public.
    pub(crate) exhibits: Vec<&'a Public>,
    /// Notes that the public may read.
    pub(crate) notes: Vec<String>,
}

/// Whether a step changed anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Changed {
    /// A value, or which records there are.
    Something,
    /// No value of the variables it was to work on.
    Nothing,
}

/// A variable without its counts.
pub(crate) struct PublicVariable<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// What the plan calls it in words.
    pub(crate) label: Option<&'a str>,
    /// What it is.
    /// None where the plan does not describe it.
    pub(crate) kind: Option<Kind>,
    /// What it is for in the design of the survey; whether it is a key is not said.
    pub(crate) design_use: Option<&'static str>,
    /// What became of it.
    pub(crate) fate: Fate,
}

/// A measure of loss without its parameters.
pub(crate) struct PublicLoss<'a> {
    /// Its figures for the file and each variable, if it has such.
    pub(crate) column: Option<Column>,
    /// Title of the method.
    pub(crate) title: &'a str,
    /// How its figure is to be read.
    pub(crate) reading: String,
    /// Name of the figure.
    pub(crate) value_name: &'a str,
    /// Location and spread of variables in both files.
    pub(crate) figures: Vec<VariableFigure<'a>>,
    /// Notes that the public may read.
    pub(crate) notes: Vec<String>,
    /// Variables whose figures are withheld.
    pub(crate) withheld: Vec<&'a str>,
}

impl<'a> PublicRecord<'a> {
    /// The publishable part of a record.
    pub(crate) fn of(record: &'a RunRecord) -> Self {
        let RunRecord {
            format: _,
            bauta_version,
            plan,
            seed: _,
            seed_source: _,
            input,
            notes: _,
            variables,
            scenarios: _,
            steps,
            rows: _,
            measures,
            gates: _,
            ungated: _,
            claims: _,
            released,
            reports: _,
            shuffled,
            times,
        } = record;
        let PlanRecord {
            title,
            file: _,
            sha256: _,
            text: _,
            release,
        } = plan;
        let agreed = release.as_ref().map(PublicTerms::of).unwrap_or_default();
        let TimesRecord {
            started,
            seconds: _,
            stages: _,
            threads: _,
            store: _,
        } = times;
        let counted = with_redrawn(variables, steps, input.n_records);
        Self {
            title: title.as_deref(),
            version: bauta_version,
            day: day(started),
            file: released
                .as_ref()
                .filter(|_| record.purpose() == Purpose::Release)
                .map(PublicFile::of),
            purpose: agreed.purpose,
            recipients: agreed.recipients,
            review: agreed.review,
            threats: looked_at(measures).filter_map(threat_of).collect(),
            shuffled: *shuffled,
            judged: Judged::of(record),
            drawn_anew: drawn_anew(variables, steps),
            steps: steps.iter().map(PublicStep::of).collect(),
            variables: variables.iter().map(PublicVariable::of).collect(),
            losses: measures
                .iter()
                .filter(|_| !few_went(input, released.as_ref()))
                .filter_map(|measure| PublicLoss::of(measure, &counted))
                .collect(),
        }
    }
}

/// What a plan says of its release, without who signs.
#[derive(Default)]
struct PublicTerms<'a> {
    purpose: Option<&'a str>,
    recipients: Vec<&'a str>,
    review: Option<&'a str>,
}

impl<'a> PublicTerms<'a> {
    fn of(release: &'a ReleaseRecord) -> Self {
        let ReleaseRecord {
            purpose,
            recipients,
            review,
            signatories: _,
        } = release;
        Self {
            purpose: purpose.as_deref(),
            recipients: recipients.iter().map(String::as_str).collect(),
            review: review.as_deref(),
        }
    }
}

/// Released variables that a step drew anew, so that their values belong to no record.
fn drawn_anew<'a>(variables: &'a [VariableRecord], steps: &[StepRecord]) -> Vec<&'a str> {
    let redraws = steps.iter().filter(|step| step.rows == Rows::Unrelated);
    let redrawn: Vec<&String> = redraws.flat_map(|step| &step.on).collect();
    let released = variables
        .iter()
        .filter(|variable| variable.fate != Fate::Dropped);
    let drawn = released.filter(|variable| redrawn.contains(&&variable.name));
    drawn.map(|variable| variable.name.as_str()).collect()
}

/// Where records cannot be traced, nobody counted changed cells; but a step that drew all values of
/// a variable anew changed as many as there are records.
fn with_redrawn(
    variables: &[VariableRecord],
    steps: &[StepRecord],
    n_records: u64,
) -> Vec<VariableRecord> {
    let drawn = drawn_anew(variables, steps);
    let mut out = variables.to_vec();
    for variable in &mut out {
        if variable.fate == Fate::Masked && drawn.contains(&variable.name.as_str()) {
            variable.n_changed.get_or_insert(n_records);
        }
    }
    out
}

/// Whether the released file is the original without a handful of records: then any figure of both
/// gives those away, also of variables that no step touched.
fn few_went(input: &FileRecord, released: Option<&FileRecord>) -> bool {
    released.is_some_and(|released| {
        let n_gone = input.n_records.saturating_sub(released.n_records);
        (1..MIN_CHANGED).contains(&n_gone)
    })
}

/// The day of a time such as 2026-11-16T09:30:00Z.
fn day(started: &str) -> Option<&str> {
    let (day, _) = started.split_once('T')?;
    let is_day = day.len() == 10
        && day
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-');
    is_day.then_some(day)
}

impl<'a> PublicFile<'a> {
    fn of(released: &'a FileRecord) -> Self {
        let FileRecord {
            file,
            sha256,
            n_bytes,
            n_records,
            n_variables,
        } = released;
        Self {
            name: file_name(file),
            sha256,
            n_bytes: *n_bytes,
            n_records: *n_records,
            n_variables: *n_variables,
        }
    }
}

impl<'a> PublicStep<'a> {
    fn of(step: &'a StepRecord) -> Self {
        let StepRecord {
            key: _,
            method,
            title,
            on,
            params: _,
            why,
            unchanged,
            evidence,
            rows: _,
            notes,
        } = step;
        let changed = |name: &&String| !unchanged.contains(name);
        Self {
            method,
            title,
            on: on.iter().filter(changed).map(String::as_str).collect(),
            changed: if !on.is_empty() && on.iter().all(|name| unchanged.contains(name)) {
                Changed::Nothing
            } else {
                Changed::Something
            },
            why: why.as_deref(),
            exhibits: evidence.as_deref().map_or_else(Vec::new, public_exhibits),
            notes: public_notes(notes),
        }
    }
}

/// What the method that made them has declared public, and nothing else.
fn public_exhibits(evidence: &Evidence) -> Vec<&Public> {
    let Evidence {
        id: _,
        title: _,
        subject: _,
        summary: _,
        exhibits,
        data: _,
    } = evidence;
    let public = exhibits.iter().filter_map(|exhibit| {
        let Exhibit {
            id: _,
            title: _,
            text: _,
            views: _,
            public,
        } = exhibit;
        public.as_ref()
    });
    public.collect()
}

fn public_notes(notes: &[bauta_methods::Note]) -> Vec<String> {
    notes
        .iter()
        .filter(|note| note.public)
        .map(|note| note.text.clone())
        .collect()
}

impl<'a> PublicVariable<'a> {
    fn of(variable: &'a VariableRecord) -> Self {
        let VariableRecord {
            name,
            role,
            kind,
            declared,
            label,
            n_missing: _,
            fate,
            n_changed: _,
            n_suppressed: _,
        } = variable;
        Self {
            name,
            label: label.as_deref(),
            kind: declared.then_some(*kind),
            design_use: design_use(*role),
            fate: *fate,
        }
    }
}

/// What a variable is for, as far as its users need to know.
const fn design_use(role: Role) -> Option<&'static str> {
    match role {
        Role::Weight => Some("sampling weight"),
        Role::Household => Some("household number"),
        Role::Stratum => Some("stratum"),
        Role::Identifier | Role::Key | Role::Sensitive | Role::Other => None,
    }
}

impl<'a> PublicLoss<'a> {
    /// A measure that the record and the registry both call a loss; nothing otherwise.
    fn of(measure: &'a MeasureRecord, variables: &[VariableRecord]) -> Option<Self> {
        let MeasureRecord {
            id,
            title,
            family,
            value: declared,
            figures: _,
            scenario,
            on,
            outliers: _,
            condition,
            params,
            // Only risks have perturbed keys.
            perturbed: _,
            before: _,
            after,
            notes,
        } = measure;
        let card = registry::card(id)?;
        // A subpopulation may be a few records, whose loss would say how each was changed.
        let whole_file = scenario.is_none() && condition.is_none();
        if card.family != Family::Loss || *family != MeasureFamily::Loss || !whole_file {
            return None;
        }
        // A variable that a parameter names has a part in the figures of all others.
        let named_safe = named_variables(card, params)
            .iter()
            .all(|name| is_safe(variables, name));
        let safe = |name: &str| named_safe && is_safe(variables, name);
        let mut figures = variable_figures(measure);
        figures.retain(|figure| {
            figure.figure.public && safe(figure.variable) && figure.after.is_some()
        });
        let is_withheld = |name: &&str| is_released(variables, name) && !safe(name);
        Some(Self {
            column: after
                .as_ref()
                .and_then(|found| column(title, declared.unit, on, found, &safe)),
            title,
            reading: reading(measure),
            value_name: &declared.label,
            figures,
            notes: public_notes(notes),
            withheld: on.iter().map(String::as_str).filter(is_withheld).collect(),
        })
    }
}

/// The figures of a loss: those of variables that are safe, and that of the file if all are,
/// since with the others it would give away the one that is missing.
fn column(
    title: &str,
    unit: Unit,
    on: &[String],
    found: &Measurement,
    safe: &dyn Fn(&str) -> bool,
) -> Option<Column> {
    let Measurement {
        value,
        outliers: _,
        rest: _,
        // Only of subpopulations and outliers, which are not published.
        few: _,
        listed: _,
        exhibits: _,
        figures: _,
        by_variable,
        series: _,
        matrices: _,
        per_record: _,
        cells_per_record: _,
    } = found;
    let all_safe =
        on.iter().all(|name| safe(name)) && by_variable.iter().all(|part| safe(&part.name));
    let overall = value.filter(|_| all_safe);
    let figures: Vec<(String, Option<f64>)> = by_variable
        .iter()
        .filter(|part| safe(&part.name))
        .map(|part| (part.name.clone(), part.value))
        .collect();
    (overall.is_some() || !figures.is_empty()).then(|| Column {
        title: title.to_owned(),
        unit,
        overall,
        // The public report tells no verdict.
        limits: Vec::new(),
        figures,
    })
}

/// The variables that the parameters of a measure name.
fn named_variables<'a>(card: &Card, params: &'a BTreeMap<String, Value>) -> Vec<&'a str> {
    let of_variables = |spec: &&ParamSpec| spec.ty == ParamType::Variables;
    let specs = card.params.iter().filter(of_variables);
    specs
        .filter_map(|spec| params.get(spec.name)?.as_array())
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

/// Measures that found something of the released file, and may be believed.
fn looked_at(measures: &[MeasureRecord]) -> impl Iterator<Item = &MeasureRecord> {
    let told = |measure: &&MeasureRecord| measure.after.is_some() && measure.perturbed.is_empty();
    measures.iter().filter(told)
}

fn is_released(variables: &[VariableRecord], name: &str) -> bool {
    variables
        .iter()
        .any(|variable| variable.name == name && variable.fate != Fate::Dropped)
}

/// Whether a comparison of this variable tells nothing about single records: it is released, and
/// either nothing changed or enough did.
fn is_safe(variables: &[VariableRecord], name: &str) -> bool {
    let found = variables.iter().find(|variable| variable.name == name);
    found.is_some_and(|variable| match variable.fate {
        Fate::Untouched => true,
        Fate::Dropped => false,
        Fate::Masked => {
            variable
            .n_changed
            .is_some_and(|n| n == 0 || n >= MIN_CHANGED)
            // Losses at the coarser level rest on what else was done than recoding: on these cells alone.
            && !(1..MIN_CHANGED).contains(&variable.n_suppressed)
        }
    })
}

#[cfg(test)]
mod tests {
    use bauta_methods::FigureSpec;
    use bauta_methods::measure::Part;

    use super::*;

    fn variable(name: &str, fate: Fate, n_changed: Option<u64>) -> VariableRecord {
        VariableRecord {
            name: name.to_owned(),
            role: Role::Sensitive,
            kind: Kind::Continuous,
            declared: true,
            label: None,
            n_missing: 0,
            fate,
            n_changed,
            n_suppressed: 0,
        }
    }

    fn il1s(names: &[&str]) -> MeasureRecord {
        MeasureRecord {
            id: "il1s".to_owned(),
            title: "IL1s".to_owned(),
            family: MeasureFamily::Loss,
            value: (&FigureSpec::value("mean distance", Unit::Number).lower_is_better()).into(),
            figures: Vec::new(),
            scenario: None,
            on: names.iter().map(|&name| name.to_owned()).collect(),
            outliers: None,
            condition: None,
            params: std::collections::BTreeMap::new(),
            perturbed: Vec::new(),
            before: None,
            after: Some(Measurement {
                value: Some(0.5),
                by_variable: names.iter().map(|&name| Part::new(name, 0.5)).collect(),
                ..Measurement::default()
            }),
            notes: Vec::new(),
        }
    }

    /// One top-coded record: n times the mean loss would be that record's excess.
    #[test]
    fn losses_are_withheld_where_a_handful_of_records_went() {
        let file = |n_records| FileRecord {
            file: "x.csv".to_owned(),
            sha256: String::new(),
            n_bytes: 1,
            n_records,
            n_variables: 1,
        };
        let went = |n| few_went(&file(100), Some(&file(100 - n)));
        assert!(went(1) && went(MIN_CHANGED - 1));
        assert!(!went(0) && !went(MIN_CHANGED) && !few_went(&file(100), None));
    }

    #[test]
    fn a_loss_that_rests_on_few_cells_is_withheld_and_so_is_the_total() {
        let variables = [
            variable("many", Fate::Masked, Some(MIN_CHANGED)),
            variable("few", Fate::Masked, Some(MIN_CHANGED - 1)),
            variable("unknown", Fate::Masked, None),
            variable("same", Fate::Untouched, Some(0)),
        ];
        let measure = il1s(&["many", "few", "unknown", "same"]);
        let loss = PublicLoss::of(&measure, &variables).unwrap();
        let column = loss.column.unwrap();
        let shown: Vec<&str> = column
            .figures
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(shown, ["many", "same"]);
        assert_eq!(column.overall, None);
        assert_eq!(loss.withheld, ["few", "unknown"]);

        let safe = il1s(&["many", "same"]);
        let column = PublicLoss::of(&safe, &variables).unwrap().column.unwrap();
        assert_eq!(column.overall, Some(0.5));
    }

    /// The rates of an outcome that was changed in a few records would say how.
    #[test]
    fn a_loss_whose_parameters_name_an_unsafe_variable_is_withheld() {
        let rates = |outcome: &str| MeasureRecord {
            id: "rates".to_owned(),
            params: BTreeMap::from([("of".to_owned(), serde_json::json!([outcome]))]),
            ..il1s(&["same"])
        };
        let variables = [
            variable("few", Fate::Masked, Some(MIN_CHANGED - 1)),
            variable("many", Fate::Masked, Some(MIN_CHANGED)),
            variable("same", Fate::Untouched, Some(0)),
        ];
        let (of_few, of_many) = (rates("few"), rates("many"));
        let withheld = PublicLoss::of(&of_few, &variables).unwrap();
        assert!(withheld.column.is_none());
        assert_eq!(withheld.withheld, ["same"]);
        let shown = PublicLoss::of(&of_many, &variables).unwrap();
        assert_eq!(shown.column.unwrap().overall, Some(0.5));
    }

    #[test]
    fn only_what_record_and_registry_both_call_a_loss_is_public() {
        let variables = [variable("x", Fate::Untouched, Some(0))];
        let named = |id: &str, family| MeasureRecord {
            id: id.to_owned(),
            family,
            ..il1s(&["x"])
        };
        assert!(PublicLoss::of(&named("il1s", MeasureFamily::Loss), &variables).is_some());
        assert!(PublicLoss::of(&named("il1s", MeasureFamily::Risk), &variables).is_none());
        assert!(PublicLoss::of(&named("k-anonymity", MeasureFamily::Loss), &variables).is_none());
        assert!(PublicLoss::of(&named("new-method", MeasureFamily::Loss), &variables).is_none());
    }

    #[test]
    fn the_day_is_all_that_is_told_of_the_time() {
        assert_eq!(day("2026-11-16T09:30:00Z"), Some("2026-11-16"));
        assert_eq!(day("yesterday, at Tom's"), None);
        assert_eq!(day(""), None);
    }
}
