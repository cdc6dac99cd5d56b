//! The risk of a file on one screen, in words and few numbers. No value of a key is shown.

use bauta_methods::Choice as _;
use bauta_methods::keys::Semantics;
use bauta_plan::work::risk::{Left, LookedAt, PlannedRisk, RiskFound, RiskRequest};
use comfy_table::Cell;

use super::View;
use crate::commands::planned::with_labels;
use crate::print::out;
use crate::tables::{figure, figure_text, number_cell, percent, table, text};
use crate::words::joined;

pub(super) fn print(view: &View<'_>, read: &LookedAt) {
    let PlannedRisk {
        scenario,
        absent,
        request,
        found,
    } = view.risk;
    if let Some(scenario) = scenario {
        let why = scenario.why.as_ref();
        let why = why.map_or_else(String::new, |why| format!(": {why}"));
        out!("Scenario {}{why}", scenario.name);
    }
    out!(
        "{}: {}; an intruder knows {}",
        view.file.display(),
        records(Some(read.n_records as f64)),
        with_labels(&request.keys, view.planned)
    );
    if !absent.is_empty() {
        out!(
            "The scenario names {}, too, which the file has not got: nobody finds a record by it.",
            joined(absent)
        );
    }
    print_assumptions(view, request, read);
    if read.n_records == 0 {
        return;
    }
    print_groups(request, read, found);
    print_expected(request, read, found);
    print_contributions(request, found);
    print_levels(view, found);
    print_riskiest(request, found);
    print_diversity(request, found);
}

/// `1 record`, `2 records`.
fn records(n: Option<f64>) -> String {
    counted(n, "record", "records")
}

fn counted(n: Option<f64>, one: &str, many: &str) -> String {
    let name = if n == Some(1.0) { one } else { many };
    format!("{} {name}", figure_text(n))
}

fn print_assumptions(view: &View<'_>, request: &RiskRequest, read: &LookedAt) {
    match (&request.weight, view.planned) {
        (Some(weight), _) => out!(
            "Taken for a sample: {weight} sums to a population of {}.",
            figure_text(Some(read.population))
        ),
        (None, Some(_)) => out!(
            "Taken for a census, since the plan names no weight that the file has: an intruder knows who is in the file."
        ),
        (None, None) => out!(
            "Taken for a census, since no --weight was named: an intruder knows who is in the file."
        ),
    }
    let meaning = Semantics::CHOICES
        .iter()
        .find(|(name, _)| *name == request.semantics.name())
        .map_or("", |(_, meaning)| meaning);
    out!(
        "Missing keys count as `{}`: {meaning}.",
        request.semantics.name()
    );
}

fn print_groups(request: &RiskRequest, read: &LookedAt, found: &RiskFound) {
    let n = read.n_records as f64;
    let counted = &found.counted;
    out!("\nWho stands out");
    let uniques = counted.part("uniques");
    out!(
        "  {} alone with their key. The smallest group has {}.",
        share_are(uniques, n),
        records(counted.value)
    );
    for k in request.k.iter().filter(|&&k| k > 2) {
        let below = counted.part(&format!("below_{k}"));
        out!("  {} in groups of fewer than {k}.", share_are(below, n));
    }
}

/// `1 record (1 %) is`, `2 records (2 %) are`.
fn share_are(n: Option<f64>, n_records: f64) -> String {
    let share = percent(n.map(|n| n / n_records));
    let is = if n == Some(1.0) { "is" } else { "are" };
    format!("{} ({share}) {is}", records(n))
}

/// `1 record is`, `2 records are`.
fn are(n: Option<f64>) -> String {
    counted(n, "record is", "records are")
}

fn print_expected(request: &RiskRequest, read: &LookedAt, found: &RiskFound) {
    let n = read.n_records as f64;
    let individual = &found.individual;
    let expected = individual.part("expected_reidentifications");
    out!("\nWhat an intruder could find who looks for everyone in the file");
    out!(
        "  {} expected to be re-identified: {} in 1000.",
        are(expected.map(short)),
        figure_text(expected.map(|expected| short(1000.0 * expected / n)))
    );
    out!(
        "  The highest risk of a record is {}; {} above {}.",
        percent(individual.part("max")),
        are(individual.part("above_threshold")),
        percent(Some(request.threshold))
    );
    if request.household.is_some() {
        out!(
            "  Of {} the highest risk is {}; {} above {}.",
            counted(individual.part("households"), "household", "households"),
            percent(individual.part("household_max")),
            counted(
                individual.part("households_above_threshold"),
                "household is",
                "households are"
            ),
            percent(Some(request.threshold))
        );
    }
    if let Some(rate) = request.rate {
        out!(
            "  For a rate of {} no record may exceed a risk of {}; {} above it.",
            percent(Some(rate)),
            percent(individual.part("threshold_of_rate")),
            are(individual.part("above_threshold_of_rate"))
        );
    }
}

/// Three digits are enough for an expectation.
fn short(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

/// A cell with an expectation.
fn expectation(value: Option<f64>) -> Cell {
    figure(value.map(short))
}

fn print_contributions(request: &RiskRequest, found: &RiskFound) {
    let k = request.k_of_contribution();
    let all = found.left_out();
    let Some((as_it_is, keys)) = all.split_first() else {
        return;
    };
    let shares = found.contribution.by_variable.iter();
    let shares = shares.map(|share| share.value);
    let mut keys: Vec<(&Left<'_>, Option<f64>)> = keys.iter().zip(shares).collect();
    // Most first; where nobody is below k, by what is expected.
    let figures = |(left, share): &(&Left<'_>, Option<f64>)| {
        (share.unwrap_or(0.0), left.expected.unwrap_or(0.0))
    };
    keys.sort_by(|a, b| {
        let ((a, a_expected), (b, b_expected)) = (figures(a), figures(b));
        b.total_cmp(&a)
            .then_with(|| a_expected.total_cmp(&b_expected))
    });
    out!("\nWhich key contributes most");
    let Some((most, share)) = keys.first() else {
        return;
    };
    match share {
        Some(share) if *share <= 0.0 => {
            out!("  None alone: without any one of them, as many are in groups of fewer than {k}.");
        }
        Some(share) => out!(
            "  {}: without it, {} of {} in groups of fewer than {k} would be in larger ones ({}).",
            most.name,
            figure_text(as_it_is.below.zip(most.below).map(|(all, left)| all - left)),
            records(as_it_is.below),
            percent(Some(*share))
        ),
        None => out!("  No record is in a group of fewer than {k}."),
    }
    let below_k = format!("in groups below {k}");
    let mut shown = table(["left out", &below_k, "alone", "expected", "share gone"]);
    shown.add_row([
        text("nothing"),
        figure(as_it_is.below),
        figure(as_it_is.uniques),
        expectation(as_it_is.expected),
        text(""),
    ]);
    for (left, share) in &keys {
        shown.add_row([
            text(left.name),
            figure(left.below),
            figure(left.uniques),
            expectation(left.expected),
            text(percent(*share)),
        ]);
    }
    out!("{shown}");
}

fn print_levels(view: &View<'_>, found: &RiskFound) {
    let request = &view.risk.request;
    out!("\nWhat recoding one key would leave");
    let levels = found.by_level();
    if levels.is_empty() && request.hierarchies.is_empty() {
        let key = request.keys.first().map_or("key", String::as_str);
        out!(
            "  No hierarchy was named. `--hierarchy {key}=prefix`, `{key}=intervals:10,20` or \
             `{key}=levels.csv` shows what each level would leave."
        );
        return;
    }
    if levels.is_empty() {
        out!("  There is no level above the values that are there; see the notes.");
        return;
    }
    let below_k = format!("in groups below {}", request.k_of_contribution());
    let mut shown = table(["recode", "to level", &below_k, "alone", "expected"]);
    for left in levels.iter().filter(|left| left.is_changed()) {
        let (key, level) = left.key_and_level();
        shown.add_row([
            text(key),
            text(level),
            figure(left.below),
            figure(left.uniques),
            expectation(left.expected),
        ]);
    }
    out!("{shown}");
}

fn print_riskiest(request: &RiskRequest, found: &RiskFound) {
    if found.riskiest.is_empty() {
        return;
    }
    out!("\nThe riskiest keys, one row each (`bauta explain-record` says more)");
    let mut headings = vec!["row", "records", "population", "risk"];
    if request.household.is_some() {
        headings.push("household");
    }
    headings.push("enough to be alone");
    let mut shown = table(headings);
    for one in &found.riskiest {
        let mut row = vec![
            // The number of a row is looked up, not read.
            number_cell(one.row.to_string()),
            figure(one.f),
            figure(one.big_f),
            text(percent(one.risk)),
        ];
        if request.household.is_some() {
            row.push(text(percent(one.household_risk)));
        }
        row.push(text(if one.enough.is_empty() {
            "-".to_owned()
        } else {
            joined(&one.enough)
        }));
        shown.add_row(row);
    }
    out!("{shown}");
}

fn print_diversity(request: &RiskRequest, found: &RiskFound) {
    if request.sensitive.is_empty() {
        return;
    }
    out!("\nWhat a shared key still tells");
    let Some(diversity) = &found.diversity else {
        out!("  With --semantics wild this cannot be counted; use own, visible or original.");
        return;
    };
    let by_variable = diversity.by_variable.iter();
    let each: Vec<String> = by_variable
        .map(|part| format!("{} {}", part.name, figure_text(part.value)))
        .collect();
    out!(
        "  Different values in the least diverse group: {}.",
        if each.is_empty() {
            figure_text(diversity.value)
        } else {
            each.join(", ")
        }
    );
}
