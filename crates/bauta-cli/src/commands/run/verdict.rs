//! The verdict of a run in words: whether the file may go, and if not, where to look.

use std::path::Path;

use bauta_data::number::number_text;
use bauta_methods::{Scope, Unit, registry};
use bauta_plan::judged::were_perturbed;
use bauta_plan::record::{ClaimRecord, Counted, GateRecord, MeasureFamily, Purpose, RunRecord};
use bauta_plan::{Judged, Plan};

use crate::tables::{count_text, figure_beside, figure_text};

/// What a run decided: the verdict first, then why.
pub(crate) fn verdict_lines(record: &RunRecord) -> Vec<String> {
    let failing: Vec<&GateRecord> = record.gates.iter().filter(|gate| !gate.passed).collect();
    let n = record.gates.len();
    if !failing.is_empty() {
        let mut lines = vec![format!(
            "NOT released: {} of {} not hold.",
            failing.len(),
            match (n, failing.len()) {
                (1, _) => "1 condition does".to_owned(),
                (n, 1) => format!("{n} conditions does"),
                (n, _) => format!("{n} conditions do"),
            }
        )];
        let failed = failing.iter().map(|gate| failed(gate, record));
        lines.extend(failed.map(|line| format!("  {line}")));
        return lines;
    }
    let broken: Vec<&ClaimRecord> = record.claims.iter().filter(|claim| !claim.holds).collect();
    if !broken.is_empty() {
        let mut lines =
            vec!["NOT released: the file, read again, is not as safe as claimed.".to_owned()];
        let claims = broken.iter();
        lines.extend(claims.map(|claim| format!("  {}", claim_text(claim, "file"))));
        return lines;
    }
    let judged = Judged::of(record);
    let holds = match n {
        0 => String::new(),
        1 => "the one condition of the plan holds".to_owned(),
        n => format!("all {n} conditions of the plan hold"),
    };
    match judged.missing() {
        Some(missing) if judged == Judged::Nothing => vec![format!("NOT JUDGED: {missing}")],
        Some(missing) => vec![
            format!("NOT JUDGED: {missing}"),
            format!("Otherwise {holds}."),
        ],
        None => vec![format!("Released: {holds}.")],
    }
}

/// The step that masks no variable that stays.
const DROPS_ONLY: &str = "drop-identifiers";

/// Where to look, and what to try, where something does not hold.
pub(super) fn where_to_look(plan: &Plan, record: &RunRecord, plan_file: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    let failing: Vec<&GateRecord> = record.gates.iter().filter(|gate| !gate.passed).collect();
    let is_of_keys = |gate: &&&GateRecord| {
        let measure = registry::measure(&gate.measure);
        measure.is_some_and(|measure| measure.declared().scope == Scope::Scenario)
    };
    let evidence = [&plan.output.report, &plan.output.record];
    let evidence: Vec<&str> = evidence
        .into_iter()
        .flatten()
        .map(|file| file.given.as_str())
        .collect();
    if let Some((first, rest)) = evidence.split_first() {
        let rest = rest.first().map_or_else(String::new, |file| {
            format!(" ({file} has the same for programs)")
        });
        lines.push(format!(
            "{first} shows every figure, by class and variable{rest}"
        ));
    }
    let mut scenarios: Vec<&str> = Vec::new();
    for gate in failing.iter().filter(is_of_keys) {
        let scenario = gate.scenario.as_deref();
        scenarios.extend(scenario.filter(|name| !scenarios.contains(name)));
    }
    let file = plan_file.display();
    let n_scenarios = plan.scenarios.len();
    if let Some(first) = scenarios.first() {
        let only = if n_scenarios > 1 && scenarios.len() == 1 {
            format!(" --scenario {}", quoted(first))
        } else {
            String::new()
        };
        lines.push(format!(
            "`bauta risk --plan {file}{only}` shows which keys single records out before masking"
        ));
    }
    let of_risk = failing
        .iter()
        .filter(|gate| family(record, gate) != Some(MeasureFamily::Loss));
    let n_of_risk = of_risk.count();
    if !scenarios.is_empty() || record.claims.iter().any(|claim| !claim.holds) {
        lines.push(
            "recode the keys further (`recode`), blank what still stands out (`suppress-local`), or delete it \
             (`suppress-records`)"
                .to_owned(),
        );
    } else if n_of_risk > 0 {
        lines.push("mask what it looks at more strongly, or mask more of it".to_owned());
    }
    if n_of_risk < failing.len() {
        lines.push("mask less, or otherwise, where the loss is: see the losses above".to_owned());
    }
    let masks = record.steps.iter().any(|step| step.method != DROPS_ONLY);
    lines.push(if masks {
        format!("`bauta tune {file}` searches for a plan that holds its conditions")
    } else {
        "the plan masks nothing yet: `bauta init` writes the steps that the data suggest into its plan, as comments \
         to be taken in"
            .to_owned()
    });
    lines
}

/// A word for a shell.
fn quoted(text: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn family(record: &RunRecord, gate: &GateRecord) -> Option<MeasureFamily> {
    let mut measures = record.measures.iter();
    let measure = measures.find(|measure| measure.id == gate.measure);
    measure.map(|measure| measure.family)
}

/// A condition that does not hold, in words.
fn failed(gate: &GateRecord, record: &RunRecord) -> String {
    let asked = bounds(gate);
    let label = match gate.label.as_str() {
        "" => String::new(),
        label => format!(": {label}"),
    };
    let name = named(gate);
    match (gate.found, gate.told()) {
        (None, _) => format!("{name}{label} could not be found, and {asked} is asked"),
        (Some(_), None) => {
            format!("{name}{label} rests on too few records to be shown; {asked} is asked")
        }
        (Some(_), Some(found)) => {
            let found = figure_beside(Some(found), &limits(gate));
            let meaning = match &gate.although_perturbed {
                None if !gate.perturbed.is_empty() => format!(
                    "; it does not count, since {}",
                    were_perturbed(&gate.perturbed)
                ),
                _ => String::new(),
            };
            let who = at_the_bound(gate, record);
            format!("{name}{label} is {found}, and {asked} is asked{who}{meaning}")
        }
    }
}

/// How many records are on the wrong side of a bound, where the measure gives such a number for the bound itself.
fn at_the_bound(gate: &GateRecord, record: &RunRecord) -> String {
    let mut measures = record.measures.iter();
    let measure = measures.find(|measure| {
        measure.id == gate.measure
            && measure.scenario == gate.scenario
            && measure.condition == gate.condition
    });
    let counts = measure.and_then(|measure| {
        let found = measure.after.as_ref()?.told();
        let mut figures = found
            .figures
            .iter()
            .filter(|figure| figure.name.at == gate.at_least);
        figures.find_map(|figure| {
            let declared = measure.declared(&figure.name)?;
            let n = figure.value.filter(|_| declared.unit == Unit::Count)?;
            Some((n, declared.describe(&figure.name)))
        })
    });
    match counts.filter(|_| gate.at_least.is_some()) {
        Some((n, label)) => format!("; {} {label}", figure_text(Some(n))),
        None => String::new(),
    }
}

/// What became of the file, with the word that it deserves.
pub(super) fn written_line(record: &RunRecord) -> Option<String> {
    let file = record.released.as_ref()?;
    // A file that nothing was judged of was written, and not released.
    let word = if Judged::of(record) == Judged::Nothing || record.purpose() == Purpose::Calibration
    {
        "written: "
    } else {
        "file:    "
    };
    Some(format!(
        "{word} {} ({} records)",
        file.file,
        count_text(file.n_records)
    ))
}

/// What counting the released file again showed: one line for all that the same was found of.
pub(super) fn claims_lines(claims: &[ClaimRecord]) -> Vec<String> {
    let is_alike = |a: &ClaimRecord, b: &ClaimRecord| {
        a.holds
            && b.holds
            && a.counted == b.counted
            && a.semantics == b.semantics
            && a.in_words() == b.in_words()
    };
    let mut lines = Vec::new();
    for (position, claim) in claims.iter().enumerate() {
        if claims[..position]
            .iter()
            .any(|before| is_alike(before, claim))
        {
            continue;
        }
        let alike = || claims.iter().filter(|other| is_alike(other, claim));
        let by: Vec<&str> = alike().map(|claim| claim.by.as_str()).collect();
        let mut sets: Vec<String> = alike().map(ClaimRecord::keys_in_words).collect();
        sets.dedup();
        let keys = match sets.as_slice() {
            [one] => one.clone(),
            several => format!("{} sets of keys", several.len()),
        };
        lines.push(if by.len() > 1 {
            format!(
                "{} on {keys} ({}; {}): {}",
                counted_again(claim, "released file"),
                claim.semantics,
                by.join(", "),
                claim.in_words()
            )
        } else {
            claim_text(claim, "released file")
        });
    }
    lines
}

fn counted_again(claim: &ClaimRecord, file: &str) -> String {
    match claim.counted {
        Counted::ReleasedFile => format!("{file} read and counted again"),
        Counted::BeforeSuppression => "values before suppression counted again".to_owned(),
    }
}

/// What counting a file again showed that was written.
pub(crate) fn claim_text(claim: &ClaimRecord, file: &str) -> String {
    format!(
        "{} on {} ({}; {}): {}",
        counted_again(claim, file),
        claim.keys_in_words(),
        claim.semantics,
        claim.by,
        claim.in_words()
    )
}

fn limits(gate: &GateRecord) -> Vec<f64> {
    [gate.at_least, gate.at_most]
        .into_iter()
        .flatten()
        .collect()
}

/// What a gate asks: "at least 3 and at most 4".
fn bounds(gate: &GateRecord) -> String {
    let bounds = [("at least", gate.at_least), ("at most", gate.at_most)];
    let bounds: Vec<String> = bounds
        .into_iter()
        .filter_map(|(word, bound)| bound.map(|bound| format!("{word} {}", number_text(bound))))
        .collect();
    bounds.join(" and ")
}

/// The figure that a gate looks at, as a plan names it.
fn named(gate: &GateRecord) -> String {
    let name = match (&gate.scenario, &gate.part) {
        (None, None) => gate.measure.clone(),
        (Some(scenario), None) => format!("{} ({scenario})", gate.measure),
        (None, Some(part)) => format!("{} {part}", gate.measure),
        (Some(scenario), Some(part)) => format!("{} {part} ({scenario})", gate.measure),
    };
    match &gate.condition {
        None => name,
        Some(condition) => format!("{name} where {condition}"),
    }
}

/// A gate with its verdict: bounds as they were given, and as many digits of what was found as show
/// on which side of them it lies.
pub(super) fn gate_text(gate: &GateRecord) -> String {
    let verdict = if gate.passed { "holds" } else { "FAILS" };
    let perturbed = were_perturbed(&gate.perturbed);
    let meaning = match &gate.although_perturbed {
        _ if gate.perturbed.is_empty() => String::new(),
        None => format!(" (not meaningful: {perturbed})"),
        Some(why) => format!(" (though {perturbed}: {why})"),
    };
    let found = match gate.found {
        None => "no figure".to_owned(),
        Some(_) => figure_beside(gate.told(), &limits(gate)),
    };
    format!(
        "{} {}: {found} {verdict}{meaning}",
        named(gate),
        bounds(gate)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(at_least: Option<f64>, at_most: Option<f64>, found: f64, passed: bool) -> GateRecord {
        GateRecord {
            measure: "l-diversity".to_owned(),
            scenario: None,
            part: Some("smallest_entropy".to_owned()),
            label: "smallest entropy l".to_owned(),
            unit: Unit::Number,
            condition: None,
            at_least,
            at_most,
            found: Some(found),
            few: false,
            perturbed: Vec::new(),
            although_perturbed: None,
            passed,
            why: None,
        }
    }

    #[test]
    fn no_gate_reads_as_if_its_verdict_were_wrong() {
        let fails = gate(Some(3.0), None, 3.0_f64.next_down(), false);
        assert_eq!(
            gate_text(&fails),
            "l-diversity smallest_entropy at least 3: 2.9999999999999996 FAILS"
        );
        let fails = gate(None, Some(0.123_456_2), 0.123_456_4, false);
        assert_eq!(
            gate_text(&fails),
            "l-diversity smallest_entropy at most 0.1234562: 0.1235 FAILS"
        );
        let holds = gate(Some(3.0), Some(4.0), 3.0, true);
        assert_eq!(
            gate_text(&holds),
            "l-diversity smallest_entropy at least 3 and at most 4: 3 holds"
        );
    }
}
