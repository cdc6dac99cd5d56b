//! The first ten lines of a comparison: what a reader who reads no further should know.

use bauta_methods::pair::Rows;
use bauta_methods::{Family, Measure, Measurement, Scope, Subject, registry};
use bauta_plan::work::Planned;
use bauta_plan::work::compare::{ChangedCells, Compared, ComparedMeasure};

use crate::commands::planned::with_labels;
use crate::print::out;
use crate::tables::{count_text, figure_text, percent};

/// Names that fit into a line.
const MAX_NAMES: usize = 6;
/// Losses that are relative to the value.
const RELATIVE: [&str; 2] = ["il1", "il1-symmetric"];
/// Measures of one sort that the summary tells of.
const MAX_MEASURES: usize = 2;

/// Prints the summary.
pub(super) fn print(compared: &Compared, planned: Option<&Planned>) {
    for line in lines(compared, planned) {
        out!("{line}");
    }
    out!();
}

fn lines(compared: &Compared, planned: Option<&Planned>) -> Vec<String> {
    let mut lines = vec![
        files_line(compared),
        compared.pairing.in_words(),
        variables_line(compared),
    ];
    lines.extend(changed_line(compared, planned));
    lines.extend(blank_line(compared));
    lines.extend(loss_lines(compared));
    lines.extend(risk_lines(compared));
    lines.extend(not_covered(compared));
    lines
}

fn files_line(compared: &Compared) -> String {
    let all = &compared.overview;
    let [original, masked] = [all.n_original, all.n_masked].map(|n| count_text(n as u64));
    let records = if all.n_original == all.n_masked {
        format!("{original} records each")
    } else {
        format!("{masked} records of {original}")
    };
    format!(
        "{} against {}: {records}",
        compared.masked, compared.original
    )
}

fn variables_line(compared: &Compared) -> String {
    let all = &compared.overview;
    let mut line = format!("Variables: {} in both files", all.in_both.len());
    for (what, names) in [("left out", &all.only_original), ("new", &all.only_masked)] {
        if !names.is_empty() {
            line.push_str(&format!("; {what}: {}", shortened(names)));
        }
    }
    line + "."
}

/// The first names of some, and how many more there are.
fn shortened(names: &[String]) -> String {
    match names.get(..MAX_NAMES) {
        Some(first) if names.len() > MAX_NAMES + 1 => {
            format!("{} and {} more", first.join(", "), names.len() - MAX_NAMES)
        }
        _ => names.join(", "),
    }
}

fn changed_line(compared: &Compared, planned: Option<&Planned>) -> Option<String> {
    let all = &compared.overview;
    let changed = all.changed.as_ref()?;
    if changed.is_empty() {
        return Some("Differ: none; every cell of a common variable is what it was.".to_owned());
    }
    let told = |one: &ChangedCells| {
        let share = percent(Some(one.n_cells as f64 / all.n_masked.max(1) as f64));
        let name = with_labels(std::slice::from_ref(&one.variable), planned);
        format!("{name} in {} ({share})", records(one.n_cells))
    };
    let told: Vec<String> = by_cells(changed, |one| one.n_cells).map(told).collect();
    let n_same = all.in_both.len() - changed.len();
    let same = match n_same {
        0 => String::new(),
        1 => "; the other one is the same in every record".to_owned(),
        n => format!("; the other {n} are the same in every record"),
    };
    Some(format!("Differ: {}{same}.", shortened(&told)))
}

/// `1 record`, `1,080 records`.
fn records(n: usize) -> String {
    let name = if n == 1 { "record" } else { "records" };
    format!("{} {name}", count_text(n as u64))
}

/// Those that have some such cells, most first.
fn by_cells(
    changed: &[ChangedCells],
    n: impl Fn(&ChangedCells) -> usize,
) -> impl Iterator<Item = &ChangedCells> {
    let mut some: Vec<&ChangedCells> = changed.iter().filter(|one| n(one) > 0).collect();
    some.sort_by_key(|one| std::cmp::Reverse(n(one)));
    some.into_iter()
}

fn blank_line(compared: &Compared) -> Option<String> {
    let changed = compared.overview.changed.as_ref()?;
    let told = by_cells(changed, |one| one.n_blank);
    let told = told.map(|one| format!("{} {}", one.variable, count_text(one.n_blank as u64)));
    let told: Vec<String> = told.collect();
    let all: usize = changed.iter().map(|one| one.n_blank).sum();
    Some(match all {
        0 => "Suppressed: no cell that had a value is blank now.".to_owned(),
        1 => format!(
            "Suppressed: 1 cell that had a value is blank now ({}).",
            told.join(", ")
        ),
        all => format!(
            "Suppressed: {} cells that had a value are blank now: {}.",
            count_text(all as u64),
            shortened(&told)
        ),
    })
}

/// Measures of a family that have a value, each once.
fn of_family(compared: &Compared, family: Family) -> impl Iterator<Item = &ComparedMeasure> {
    compared.found.iter().filter(move |found| {
        let measure = registry::measure(found.id);
        measure.is_some_and(|measure| measure.card().family == family) && found.after.is_some()
    })
}

/// Which variables lost most and least, by the first measures that tell it of each.
fn loss_lines(compared: &Compared) -> Vec<String> {
    let mut looked_at: Vec<&[String]> = Vec::new();
    let mut lines = Vec::new();
    for found in of_family(compared, Family::Loss) {
        let is_new = !looked_at.contains(&found.on.as_slice());
        // Days have no zero that distances could be relative to.
        let is_relative = RELATIVE.contains(&found.id) && !compared.dates.is_empty();
        let line =
            loss_line(found).filter(|_| is_new && !is_relative && lines.len() < MAX_MEASURES);
        if let Some(line) = line {
            looked_at.push(&found.on);
            lines.push(line);
        }
    }
    if lines.is_empty() {
        lines.push("Loss: no measure tells it of single variables.".to_owned());
    }
    lines
}

fn loss_line(found: &ComparedMeasure) -> Option<String> {
    let declared = registry::measure(found.id)?.declared();
    let after = found.after.as_ref().map(Measurement::told)?;
    let parts = after.by_variable.iter();
    let mut parts: Vec<(&str, f64)> = parts
        .filter_map(|part| Some((part.name.as_str(), part.value?)))
        .collect();
    parts.sort_by(|a, b| b.1.total_cmp(&a.1));
    let label = declared.value.label;
    let told = |(name, value): &(&str, f64)| format!("{} in {name}", figure_text(Some(*value)));
    match parts.as_slice() {
        [] => None,
        [one] => Some(format!("Loss by {} ({label}): {}.", found.id, told(one))),
        [most, .., least] => Some(format!(
            "Loss by {} ({label}): largest {}, smallest {}.",
            found.id,
            told(most),
            told(least)
        )),
    }
}

/// What was measured of risk: the first measures of keys, by scenario, and the first of other variables.
fn risk_lines(compared: &Compared) -> Vec<String> {
    let scope = |found: &ComparedMeasure| registry::measure(found.id).map(Measure::declared);
    let mut lines: Vec<String> = Vec::new();
    for wanted in [Scope::Scenario, Scope::Variables] {
        let mut of_scope = of_family(compared, Family::Risk).filter(|found| {
            scope(found).is_some_and(|card| card.scope == wanted && !card.value.label.is_empty())
        });
        let Some(first) = of_scope.next() else {
            continue;
        };
        let same = of_family(compared, Family::Risk).filter(|found| found.id == first.id);
        let told: Vec<String> = same.filter_map(risk_of).collect();
        let label = scope(first).map_or("", |card| card.value.label);
        lines.push(format!(
            "Risk by {} ({label}): {}.",
            first.id,
            told.join("; ")
        ));
    }
    if lines.is_empty() {
        lines.push(
            "Risk: not measured; name what an intruder knows with --keys, or give --plan or --record.".to_owned(),
        );
    }
    lines
}

fn risk_of(found: &ComparedMeasure) -> Option<String> {
    let card = registry::measure(found.id)?.declared();
    let after = found.after.as_ref().map(Measurement::told)?.value;
    let before = found.before.as_ref().map(Measurement::told);
    let scenario = found.scenario.as_ref();
    let scenario = scenario.map_or_else(String::new, |name| format!("{name} "));
    // What a note calls not meaningful must not be believed here either.
    let is_doubtful = found.notes.iter().any(|note| note.id == "perturbed-keys");
    let doubt = if is_doubtful {
        ", not meaningful since keys were perturbed"
    } else {
        ""
    };
    Some(match (card.subject, before) {
        (Subject::OneFile, Some(before)) => format!(
            "{scenario}{} before, {} after{doubt}",
            figure_text(before.value),
            figure_text(after)
        ),
        _ => format!(
            "{scenario}{}{}{doubt}",
            figure_text(after),
            with_most_known(found)
        ),
    })
}

/// What who knows most of the variables finds, where the figure is a mean over those who know one, two and so on.
fn with_most_known(found: &ComparedMeasure) -> String {
    let after = found.after.as_ref().map(Measurement::told);
    let begins = format!("{}-", found.id.to_uppercase());
    let numbered = after.iter().flat_map(|after| &after.figures);
    let mut numbered = numbered.filter(|figure| figure.name.id.starts_with(&begins));
    numbered.next_back().map_or_else(String::new, |last| {
        let n_known = last.name.id.strip_prefix(&begins).unwrap_or_default();
        format!(
            " on average over numbers of variables known, {} with {n_known} of them",
            figure_text(last.value)
        )
    })
}

/// Variables that no measure looked at, and measures that were not taken.
fn not_covered(compared: &Compared) -> Option<String> {
    let taken = || compared.found.iter().filter(|found| found.after.is_some());
    let is_looked_at = |name: &&String| taken().any(|found| found.on.contains(name));
    let in_both = compared.overview.in_both.iter();
    let unseen: Vec<String> = in_both
        .filter(|name| !is_looked_at(name))
        .cloned()
        .collect();
    let mut refused: Vec<String> = Vec::new();
    for found in compared.found.iter().filter(|found| found.after.is_none()) {
        if !refused.iter().any(|id| id == found.id) {
            refused.push(found.id.to_owned());
        }
    }
    let mut parts = Vec::new();
    if !unseen.is_empty() {
        parts.push(format!("no measure looked at {}", shortened(&unseen)));
    }
    if !refused.is_empty() {
        parts.push(format!(
            "not taken (see the notes): {}",
            shortened(&refused)
        ));
    }
    if compared.pairing.rows() == Rows::Unrelated {
        parts.push("nothing was compared record by record".to_owned());
    }
    (!parts.is_empty()).then(|| format!("Not covered: {}.", parts.join("; ")))
}
