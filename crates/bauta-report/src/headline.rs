//! What a reader looks for first: records at risk before and after, what was removed, what was lost, and the
//! verdict. Every figure is taken from the record as it is and stands again below.

use std::borrow::Cow;

use bauta_methods::exhibit::Shows;
use bauta_methods::figure::Better;
use bauta_methods::{FigureName, Measurement, Unit, registry};
use bauta_plan::Judged;
use bauta_plan::RunRecord;
use bauta_plan::record::{GateRecord, MeasureFamily, MeasureRecord, VariableRecord};

use crate::exhibits::plain;
use crate::number::{NO_FIGURE, Written as _, count};
use crate::words::{capitalised, named};

/// A figure that a reader looks for first.
pub(crate) struct Headline {
    /// What it is.
    pub(crate) name: Cow<'static, str>,
    /// The figure.
    pub(crate) value: String,
    /// What it counts, in a few words.
    pub(crate) below: String,
    /// The section that has it again.
    pub(crate) section: Cow<'static, str>,
}

/// All of them, in order.
pub(crate) fn headlines(record: &RunRecord) -> Vec<Headline> {
    vec![
        at_risk(record),
        records_removed(record),
        values_suppressed(record),
        loss(record),
        verdict(record),
    ]
}

/// Those of a file whose weights were calibrated: nothing was released, and what counts are the records that
/// are left, and what its steps say of themselves.
pub(crate) fn of_calibration(record: &RunRecord) -> Vec<Headline> {
    let steps = record.steps.iter();
    let evidence = steps.filter_map(|step| step.evidence.as_deref());
    let facts = evidence.flat_map(|evidence| {
        let first = evidence.exhibits.first().into_iter();
        let views = first.flat_map(|exhibit| &exhibit.views);
        let facts = views.filter_map(|view| match &view.shows {
            Shows::Facts(facts) => Some(facts),
            _ => None,
        });
        facts.flatten().map(|fact| Headline {
            name: fact.label.clone().into(),
            value: plain(&fact.value),
            below: String::new(),
            section: evidence.id.clone().into(),
        })
    });
    facts.chain([records_removed(record)]).collect()
}

/// A figure of a measure, before and after.
struct Found<'a> {
    measure: &'a MeasureRecord,
    label: String,
    unit: Unit,
    before: Option<f64>,
    after: Option<f64>,
}

impl Found<'_> {
    fn value(&self, gates: &[GateRecord]) -> String {
        let limits = self.measure.limits(gates);
        let text = |value| self.unit.text_beside_or_dash(value, &limits);
        match (self.before, self.after) {
            (None, after) => text(after),
            (before, after) => format!("{} → {}", text(before), text(after)),
        }
    }

    fn below(&self) -> String {
        let scenario = self.measure.scenario.as_ref();
        let scenario = scenario.map(|name| format!(", scenario {name}"));
        format!("{}{}", self.label, scenario.unwrap_or_default())
    }
}

/// Measures of a family that looked at the whole file, those that a gate judges first.
fn of_family(record: &RunRecord, family: MeasureFamily) -> Vec<&MeasureRecord> {
    let whole = record.measures.iter();
    let whole = whole.filter(|one| one.family == family && one.condition.is_none());
    let mut all: Vec<&MeasureRecord> = whole.filter(|one| one.after.is_some()).collect();
    let first_gate = |one: &MeasureRecord| {
        let place = record.gates.iter().position(|gate| gate.measure == one.id);
        place.unwrap_or(usize::MAX)
    };
    all.sort_by_key(|one| (!one.perturbed.is_empty(), first_gate(one)));
    all
}

/// Records at risk, in the scenario that leaves most of them.
fn at_risk(record: &RunRecord) -> Headline {
    let risks = of_family(record, MeasureFamily::Risk);
    let counted: Vec<Found<'_>> = risks
        .iter()
        .filter_map(|risk| declared_headline(risk, record))
        .collect();
    // Figures that a measure declares for this are counts of records at risk; its value may be better the larger it is.
    let of_values = counted.is_empty();
    let mut found: Vec<Found<'_>> = if of_values {
        risks.iter().filter_map(|risk| value_of(risk)).collect()
    } else {
        counted
    };
    // One measure and one sort of figure; of its scenarios the worst.
    if let Some(first) = found.first() {
        let (id, label) = (first.measure.id.clone(), first.label.clone());
        found.retain(|one| one.measure.id == id && one.label == label);
    }
    let size = |value: Option<f64>| value.unwrap_or(f64::NEG_INFINITY);
    let worst = found.into_iter().reduce(|worst, one| {
        let larger = size(one.after)
            .total_cmp(&size(worst.after))
            .then(size(one.before).total_cmp(&size(worst.before)));
        let is_worse = if of_values && one.measure.value.better == Better::Higher {
            larger.is_lt()
        } else {
            larger.is_gt()
        };
        if is_worse { one } else { worst }
    });
    let name = match &worst {
        Some(found) if found.before.is_none() => "Risk",
        Some(found) if found.unit != Unit::Count => "Risk, before → after",
        _ => "Records at risk, before → after",
    };
    Headline {
        name: name.into(),
        value: worst.as_ref().map_or_else(
            || "not measured".to_owned(),
            |found| found.value(&record.gates),
        ),
        below: worst.map_or_else(
            || "the plan measures no risk".to_owned(),
            |found| {
                if found.measure.perturbed.is_empty() {
                    found.below()
                } else {
                    format!("{}; not meaningful, keys were perturbed", found.below())
                }
            },
        ),
        section: "risk".into(),
    }
}

/// The figure that the measure declares for the first lines; of several numbers that of a gate's bound or of a
/// claim, or the smallest.
fn declared_headline<'a>(measure: &'a MeasureRecord, record: &RunRecord) -> Option<Found<'a>> {
    let card = registry::measure(&measure.id)?.declared();
    let spec = card.figures.iter().find(|figure| figure.headline)?;
    let after = measure.after.as_ref()?;
    let names = after.figures.iter().map(|figure| &figure.name);
    let mut names: Vec<&FigureName> = names.filter(|name| name.id == spec.id).collect();
    names.sort_by(|a, b| a.at.unwrap_or(0.0).total_cmp(&b.at.unwrap_or(0.0)));
    let claimed = record.claims.iter().map(|claim| claim.k as f64);
    let limits: Vec<f64> = (measure.limits(&record.gates).into_iter())
        .chain(claimed)
        .collect();
    let of_gate = |name: &&&FigureName| name.at.is_some_and(|at| limits.contains(&at));
    let name = names.iter().find(of_gate).or(names.first())?;
    let value = |found: &Measurement| found.figure((*name).clone());
    Some(Found {
        measure,
        label: measure.declared(name)?.label_of(name),
        unit: measure.declared(name)?.unit,
        before: measure.before.as_ref().and_then(value),
        after: value(after),
    })
}

/// The value that the measure is known for.
fn value_of(measure: &MeasureRecord) -> Option<Found<'_>> {
    let after = measure.after.as_ref()?.value;
    let label = &measure.value.label;
    (!label.is_empty() && after.is_some()).then(|| Found {
        measure,
        label: format!("{}: {label}", named(measure)),
        unit: measure.value.unit,
        before: measure.before.as_ref().and_then(|found| found.value),
        after,
    })
}

/// The loss of the whole file: of the measure that declares it, else of one that a gate judges, else of the first.
fn loss(record: &RunRecord) -> Headline {
    let losses = of_family(record, MeasureFamily::Loss);
    let is_of_file = |loss: &&&MeasureRecord| {
        let known = registry::measure(&loss.id);
        known.is_some_and(|known| known.declared().value.headline)
    };
    let declared = losses.iter().find(is_of_file);
    let found = declared.and_then(|loss| value_of(loss));
    let found = found.or_else(|| losses.iter().find_map(|loss| value_of(loss)));
    Headline {
        name: "Loss".into(),
        value: found.as_ref().map_or_else(
            || "not measured".to_owned(),
            |found| found.value(&record.gates),
        ),
        below: found.map_or_else(
            || "the plan measures no loss of the whole file".to_owned(),
            |found| found.label,
        ),
        section: "loss".into(),
    }
}

/// How many records the released file lacks; none where no file was released.
pub(crate) fn n_records_removed(record: &RunRecord) -> Option<u64> {
    let released = record.released.as_ref()?;
    Some(record.input.n_records.saturating_sub(released.n_records))
}

/// Cells of the masked file that steps suppressed.
pub(crate) fn n_suppressed(record: &RunRecord) -> u64 {
    let variables = record.variables.iter();
    variables.map(|variable| variable.n_suppressed).sum()
}

fn records_removed(record: &RunRecord) -> Headline {
    let n_removed = n_records_removed(record);
    Headline {
        name: "Records removed".into(),
        value: n_removed.map_or_else(|| NO_FIGURE.to_owned(), count),
        below: match n_removed {
            Some(_) => format!("of {} read", count(record.input.n_records)),
            None => "no file was written".to_owned(),
        },
        section: "files".into(),
    }
}

fn values_suppressed(record: &RunRecord) -> Headline {
    let lost_any = |variable: &&VariableRecord| variable.n_suppressed > 0;
    let n_variables = record.variables.iter().filter(lost_any).count() as u64;
    Headline {
        name: "Values removed".into(),
        value: count(n_suppressed(record)),
        below: match n_variables {
            0 => "no cell was suppressed".to_owned(),
            1 => "cells suppressed, in 1 variable".to_owned(),
            n => format!("cells suppressed, in {} variables", count(n)),
        },
        section: "variables".into(),
    }
}

/// How many conditions hold, in words.
pub(crate) fn conditions(record: &RunRecord) -> String {
    let n_passed = record.gates.iter().filter(|gate| gate.passed).count();
    match record.gates.len() {
        0 => "no condition was set".to_owned(),
        1 if n_passed == 1 => "the one condition holds".to_owned(),
        1 => "the one condition does not hold".to_owned(),
        n_gates => format!("{n_passed} of {n_gates} conditions hold"),
    }
}

fn verdict(record: &RunRecord) -> Headline {
    let went = record.released.is_some();
    let judged = Judged::of(record).missing().is_none();
    Headline {
        name: "Verdict".into(),
        value: match (went, judged) {
            (true, true) => "Released",
            (true, false) => "Released, risk not judged",
            (false, _) => "Not released",
        }
        .to_owned(),
        below: if record.claims.iter().any(|claim| !claim.holds) {
            "the file, read again, is not as claimed".to_owned()
        } else {
            conditions(record)
        },
        section: "gates".into(),
    }
}

impl Headline {
    /// What it counts, with a capital where it stands alone.
    pub(crate) fn caption(&self) -> String {
        capitalised(&self.below)
    }
}
