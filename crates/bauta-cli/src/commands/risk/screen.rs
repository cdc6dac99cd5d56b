//! The risk of a file on one screen, in words and few numbers. No value of a key is shown.

use bauta_data::Table;
use bauta_methods::risk::key_contribution::{BY_LEVEL, LEFT_OUT};
use bauta_methods::stats::keys::{Semantics, population};

use super::{Found, Left, k_of_contribution, key_and_level, left};
use crate::arguments::RiskArguments;
use crate::tables::{figure, figure_text, percent, table, text};
use crate::words::joined;

pub(super) fn print(arguments: &RiskArguments, read: &Table, found: &Found) {
    println!(
        "{}: {}, known by {}",
        arguments.file.display(),
        records(Some(read.n_records() as f64)),
        joined(&arguments.keys)
    );
    print_assumptions(arguments, read);
    if read.n_records() == 0 {
        return;
    }
    print_groups(arguments, read, found);
    print_expected(arguments, read, found);
    print_contributions(arguments, found);
    print_levels(arguments, found);
    print_riskiest(arguments, found);
    print_diversity(arguments, found);
}

/// `1 record`, `2 records`.
fn records(n: Option<f64>) -> String {
    counted(n, "record", "records")
}

fn counted(n: Option<f64>, one: &str, many: &str) -> String {
    let name = if n == Some(1.0) { one } else { many };
    format!("{} {name}", figure_text(n))
}

fn print_assumptions(arguments: &RiskArguments, read: &Table) {
    match &arguments.weight {
        Some(weight) => println!(
            "Taken for a sample: {weight} sums to a population of {}.",
            figure_text(Some(population(read)))
        ),
        None => println!(
            "Taken for a census, since no --weight was named: an intruder knows who is in the file."
        ),
    }
    let meaning = Semantics::CHOICES
        .iter()
        .find(|(name, _)| *name == arguments.semantics)
        .map_or("", |(_, meaning)| meaning);
    println!(
        "Missing keys count as `{}`: {meaning}.",
        arguments.semantics
    );
}

fn print_groups(arguments: &RiskArguments, read: &Table, found: &Found) {
    let n = read.n_records() as f64;
    let counted = &found.counted;
    println!("\nWho stands out");
    let uniques = counted.part("uniques");
    println!(
        "  {} ({}) alone with their key. The smallest group has {}.",
        are(uniques),
        percent(uniques.map(|uniques| uniques / n)),
        records(counted.value)
    );
    for k in arguments.k.iter().filter(|&&k| k > 2) {
        let below = counted.part(&format!("below_{k}"));
        println!(
            "  {} ({}) in groups of fewer than {k}.",
            are(below),
            percent(below.map(|below| below / n))
        );
    }
}

/// `1 record is`, `2 records are`.
fn are(n: Option<f64>) -> String {
    counted(n, "record is", "records are")
}

fn print_expected(arguments: &RiskArguments, read: &Table, found: &Found) {
    let n = read.n_records() as f64;
    let individual = &found.individual;
    let expected = individual.part("expected_reidentifications");
    println!("\nWhat an intruder could find who looks for everyone in the file");
    println!(
        "  {} expected to be re-identified: {} in 1000.",
        counted(expected, "record is", "records are"),
        figure_text(expected.map(|expected| short(1000.0 * expected / n)))
    );
    println!(
        "  The highest risk of a record is {}; {} above {}.",
        percent(individual.part("max")),
        are(individual.part("above_threshold")),
        percent(Some(arguments.threshold))
    );
    if arguments.household.is_some() {
        println!(
            "  Of {} the highest risk is {}; {} above {}.",
            counted(individual.part("households"), "household", "households"),
            percent(individual.part("household_max")),
            counted(
                individual.part("households_above_threshold"),
                "household is",
                "households are"
            ),
            percent(Some(arguments.threshold))
        );
    }
    if let Some(rate) = arguments.rate {
        println!(
            "  For a rate of {} no record may exceed a risk of {}; {} above it.",
            percent(Some(rate)),
            percent(individual.part("threshold_of_rate")),
            are(individual.part("above_threshold_of_rate"))
        );
    }
}

/// Three digits are enough for a rate.
fn short(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

fn print_contributions(arguments: &RiskArguments, found: &Found) {
    let k = k_of_contribution(arguments);
    let below = found.contribution.part(&format!("below_{k}"));
    let mut keys: Vec<(Left<'_>, Option<f64>)> = left(&found.contribution, LEFT_OUT)
        .into_iter()
        .zip(&found.contribution.by_variable)
        .map(|(left, share)| (left, share.value))
        .collect();
    // Most first; where nobody is below k, by what is expected.
    keys.sort_by(|(a, a_share), (b, b_share)| {
        let share = |share: &Option<f64>| share.unwrap_or(0.0);
        let expected = |left: &Left<'_>| left.expected.unwrap_or(0.0);
        share(b_share)
            .total_cmp(&share(a_share))
            .then_with(|| expected(a).total_cmp(&expected(b)))
    });
    println!("\nWhich key contributes most");
    let Some((most, share)) = keys.first() else {
        return;
    };
    match share {
        Some(share) => println!(
            "  {}: without it {} of the {} in groups of fewer than {k} would not be ({}).",
            most.name,
            figure_text(below.zip(most.below).map(|(all, left)| all - left)),
            records(below),
            percent(Some(*share))
        ),
        None => println!("  No record is in a group of fewer than {k}."),
    }
    let below_k = format!("in groups below {k}");
    let mut shown = table(["left out", &below_k, "alone", "expected", "share gone"]);
    shown.add_row([
        text("nothing"),
        figure(below),
        figure(found.contribution.part("uniques")),
        figure(found.contribution.part("expected_reidentifications")),
        text(""),
    ]);
    for (left, share) in &keys {
        shown.add_row([
            text(left.name),
            figure(left.below),
            figure(left.uniques),
            figure(left.expected),
            text(percent(*share)),
        ]);
    }
    println!("{shown}");
}

fn print_levels(arguments: &RiskArguments, found: &Found) {
    println!("\nWhat recoding one key would leave");
    let levels = left(&found.contribution, BY_LEVEL);
    if levels.is_empty() {
        let key = arguments.keys.first().map_or("key", String::as_str);
        println!(
            "  No hierarchy was named. `--hierarchy {key}=prefix`, `{key}=intervals:10,20` or \
             `{key}=levels.csv` shows what each level would leave."
        );
        return;
    }
    let below_k = format!("in groups below {}", k_of_contribution(arguments));
    let mut shown = table(["recode", "to level", &below_k, "alone", "expected"]);
    for left in &levels {
        let (key, level) = key_and_level(left.name);
        shown.add_row([
            text(key),
            text(level),
            figure(left.below),
            figure(left.uniques),
            figure(left.expected),
        ]);
    }
    println!("{shown}");
}

fn print_riskiest(arguments: &RiskArguments, found: &Found) {
    if found.riskiest.is_empty() {
        return;
    }
    println!("\nThe riskiest keys, one row each (`bauta explain-record` says more)");
    let mut headings = vec!["row", "records", "population", "risk"];
    if arguments.household.is_some() {
        headings.push("household");
    }
    headings.push("enough to be alone");
    let mut shown = table(headings);
    for one in &found.riskiest {
        let mut row = vec![
            figure(Some(one.row as f64)),
            figure(one.f),
            figure(one.big_f),
            text(percent(one.risk)),
        ];
        if arguments.household.is_some() {
            row.push(text(percent(one.household_risk)));
        }
        row.push(text(if one.enough.is_empty() {
            "-".to_owned()
        } else {
            joined(&one.enough)
        }));
        shown.add_row(row);
    }
    println!("{shown}");
}

fn print_diversity(arguments: &RiskArguments, found: &Found) {
    if arguments.sensitive.is_empty() {
        return;
    }
    println!("\nWhat a shared key still tells");
    let Some(diversity) = &found.diversity else {
        println!("  This version has no measure `l-diversity`.");
        return;
    };
    let by_variable = diversity.by_variable.iter();
    let each: Vec<String> = by_variable
        .map(|part| format!("{} {}", part.name, figure_text(part.value)))
        .collect();
    println!(
        "  Different values in the least diverse group: {}.",
        if each.is_empty() {
            figure_text(diversity.value)
        } else {
            each.join(", ")
        }
    );
}
