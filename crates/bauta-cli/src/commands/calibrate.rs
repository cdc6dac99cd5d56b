//! `bauta calibrate FILE`: weights that reach totals, as a plan of one step.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use bauta_data::Kind;
use bauta_data::inspect::FileProfile;
use bauta_methods::adjust::calibration::found::{
    Calibration, MarginRow, QUANTILE_SHARES, Solution,
};
use bauta_methods::{Card, RawValue, registry};
use bauta_plan::record::RunRecord;
use clap::{ArgMatches, FromArgMatches as _};
use serde_json::json;

use crate::Outcome;
use crate::arguments::{FileOptions, Global, WITH_KEYS, WITHOUT_KEYS};
use crate::commands::inspect::profile;
use crate::commands::mask::{given_params, show};
use crate::commands::run::{carry_out, run_object, verdict};
use crate::failure::Failure;
use crate::plan_text::{column, data_table, value_text};
use crate::tables::{count, figure, figure_text, percent, table, text};
use crate::toml_text::{key, list, quoted};

/// Margins that are shown on the terminal.
const MAX_MARGINS: usize = 10;

pub(crate) fn run(arguments: &ArgMatches, global: &Global) -> Result<Outcome, Failure> {
    let request = Request::of(arguments)?;
    let (_, profile) = profile(&request.file, &request.reading, global)?;
    let text = request.plan_text(&profile)?;
    let mut plan = bauta_plan::check_text(&text, "bauta calibrate", Path::new(""))
        .map_err(Failure::Options)?;
    if request.record.is_none() {
        plan.output.record = None;
    }
    let record = carry_out(&plan, global).map_err(|failure| failure.of_file(&request.file))?;
    let found = found_by(&record);
    if global.json {
        let mut object = run_object(&plan, &record);
        object["calibration"] = json!(found);
        println!("{object}");
    } else {
        if let Some(found) = found {
            let calibration: Calibration = serde_json::from_value(found.clone())
                .map_err(|error| Failure::bug(format!("evidence of another kind: {error}")))?;
            print_calibration(&calibration);
        }
        if !global.quiet {
            show(&record);
        }
    }
    Ok(verdict(&record))
}

/// What the calibration found, as its evidence gives it to programs.
fn found_by(record: &RunRecord) -> Option<&serde_json::Value> {
    let steps = record.steps.iter();
    let mut evidence = steps.filter_map(|step| step.evidence.as_deref());
    evidence
        .find(|evidence| evidence.id == "calibration")
        .map(|evidence| &evidence.data)
}

/// What was asked for.
struct Request {
    card: &'static Card,
    file: PathBuf,
    output: PathBuf,
    record: Option<PathBuf>,
    report: Option<PathBuf>,
    weight: String,
    household: Option<String>,
    keys: Vec<String>,
    continuous: Vec<String>,
    params: Vec<(&'static str, RawValue)>,
    reading: FileOptions,
}

impl Request {
    fn of(arguments: &ArgMatches) -> Result<Self, Failure> {
        let names = |name: &str| -> Vec<String> {
            let given = arguments.get_many(name).into_iter().flatten();
            given.cloned().collect()
        };
        let path = |name: &str| arguments.get_one::<PathBuf>(name).cloned();
        let keys = names("keys");
        let method = if keys.is_empty() {
            WITHOUT_KEYS
        } else {
            WITH_KEYS
        };
        let weight: Option<&String> = arguments.get_one("weight");
        let (Some(card), Some(file), Some(output), Some(weight)) =
            (registry::card(method), path("file"), path("output"), weight)
        else {
            let needed = "a file, --weight and -o are needed";
            return Err(Failure::mistake(needed, "see --help"));
        };
        refuse_rules_without_keys(card, arguments)?;
        Ok(Self {
            card,
            file,
            output,
            record: path("record"),
            report: path("report"),
            weight: weight.clone(),
            household: arguments.get_one("household").cloned(),
            keys,
            continuous: names("continuous"),
            params: given_params(card, arguments),
            reading: FileOptions::from_arg_matches(arguments).map_err(Failure::Usage)?,
        })
    }

    /// The request as a plan, so that both ways are checked and recorded alike.
    fn plan_text(&self, profile: &FileProfile) -> Result<String, Failure> {
        let mut out = data_table(&self.file, &self.reading, profile);
        out.push_str("\n[variables]\n");
        for (name, description) in self.variables(profile)? {
            let _ = writeln!(out, "{} = {{ {description} }}", key(&name));
        }
        let _ = writeln!(out, "\n[[step]]\nadjust = {}", quoted(self.card.id));
        if !self.keys.is_empty() {
            let on = list(self.keys.iter().map(String::as_str));
            let _ = writeln!(out, "on = {on}");
        }
        for (name, value) in &self.params {
            let _ = writeln!(out, "{name} = {}", value_text(value));
        }
        let _ = writeln!(out, "\n[[measure]]\nuse = {}\n\n[output]", self.measures());
        let files = [
            ("file", Some(&self.output)),
            ("record", self.record.as_ref()),
            ("report", self.report.as_ref()),
        ];
        for (name, file) in files {
            if let Some(file) = file {
                let _ = writeln!(out, "{name} = {}", quoted(&file.to_string_lossy()));
            }
        }
        Ok(out)
    }

    /// The risk before and after with the released weights, where keys are named and no weight can
    /// become negative: risks need weights that can weigh.
    fn measures(&self) -> String {
        let may_be_negative = self.params.iter().any(|(name, value)| match *name {
            "penalty" | "gap" => true,
            "method" => ["linear", "truncated"]
                .iter()
                .any(|method| is_text(value, method)),
            "q" => is_text(value, "euclidean"),
            _ => false,
        });
        if self.keys.is_empty() || may_be_negative {
            "[]".to_owned()
        } else {
            list(["k-anonymity", "individual-risk"])
        }
    }

    /// Every variable that was named and what it is, each once: whatever it is for besides, a
    /// variable in margins is a category unless it was called a number.
    fn variables(&self, profile: &FileProfile) -> Result<Vec<(String, String)>, Failure> {
        let mut out: Vec<(String, String)> =
            vec![(self.weight.clone(), "role = \"weight\"".to_owned())];
        column(&self.file, profile, &self.weight)?;
        if let Some(household) = &self.household {
            column(&self.file, profile, household)?;
            out.push((household.clone(), "role = \"household\"".to_owned()));
        }
        let in_margins = self.in_margins();
        let numbers = self
            .continuous
            .iter()
            .chain(self.listed("start"))
            .chain(self.listed("q_from"));
        let numbers: Vec<&String> = numbers.collect();
        let all = self
            .keys
            .iter()
            .map(|name| (name, "key"))
            .chain(self.listed("sensitive").map(|name| (name, "sensitive")))
            .chain(in_margins.iter().map(|name| (name, "other")))
            .chain(numbers.iter().map(|name| (*name, "other")));
        for (name, role) in all {
            if out.iter().any(|(known, _)| known == name) {
                continue;
            }
            let proposed = column(&self.file, profile, name)?.proposal.kind;
            let kind = if numbers.contains(&name) {
                Kind::Continuous
            } else if in_margins.contains(name) {
                Kind::Unordered
            } else {
                proposed
            };
            let hierarchy = match kind {
                Kind::Hierarchical => ", hierarchy = \"prefix\"",
                _ => "",
            };
            let description = format!("role = \"{role}\", kind = \"{}\"{hierarchy}", kind.name());
            out.push((name.clone(), description));
        }
        Ok(out)
    }

    /// The names that a parameter lists.
    fn listed(&self, param: &str) -> impl Iterator<Item = &String> {
        let given = self.params.iter().filter(move |(name, _)| *name == param);
        let items = given.flat_map(|(_, value)| match value {
            RawValue::List(items) => items.as_slice(),
            _ => &[],
        });
        items.filter_map(|item| match item {
            RawValue::Text(name) => Some(name),
            _ => None,
        })
    }

    /// The variables of the terms and of the totals that were named on the command line.
    fn in_margins(&self) -> Vec<String> {
        let terms = self
            .listed("margins")
            .chain(self.listed("household_margins"));
        let mut out: Vec<String> = Vec::new();
        let totals = self.params.iter().filter(|(name, _)| *name == "totals");
        let totals = totals.flat_map(|(_, value)| match value {
            RawValue::Map(pairs) => pairs.as_slice(),
            _ => &[],
        });
        for term in terms.chain(totals.map(|(name, _)| name)) {
            for part in term.split('*') {
                // `sex=1` and `sex#2` are categories of sex.
                let name = part.split(['=', '#']).next().unwrap_or(part).trim();
                // 1 counts records.
                if name != "1" && !name.is_empty() && !out.iter().any(|known| known == name) {
                    out.push(name.to_owned());
                }
            }
        }
        out
    }
}

/// Rules of deletion say nothing where no keys are named.
fn refuse_rules_without_keys(card: &Card, arguments: &ArgMatches) -> Result<(), Failure> {
    let rules = registry::card(WITH_KEYS).map_or(&[][..], |card| card.params);
    let given = rules.iter().find(|spec| {
        card.param(spec.name).is_none() && arguments.get_one::<String>(spec.name).is_some()
    });
    match given {
        None => Ok(()),
        Some(spec) => Err(Failure::mistake(
            format!(
                "--{} says which records to delete, and needs keys",
                spec.name
            ),
            "name them with --keys, or leave it out",
        )),
    }
}

/// Totals, ratios and the cost of unequal weights.
fn print_calibration(calibration: &Calibration) {
    println!(
        "{} of {} records have a weight; {} totals, {} independent",
        calibration.n_kept,
        calibration.n_original,
        calibration.margins.len(),
        calibration.n_independent
    );
    println!("{}", margins_table(&calibration.margins));
    if calibration.margins.len() > MAX_MARGINS {
        let n_more = calibration.margins.len() - MAX_MARGINS;
        println!("and {n_more} more totals that are reached as well or better");
    }
    println!("g = new weight / starting weight");
    println!("{}", solutions_table(&calibration.solutions));
    for solution in &calibration.solutions {
        if let Some(reason) = &solution.failed {
            println!("{}: no solution: {reason}", solution.method);
        }
    }
    if let Some(rounding) = &calibration.rounding {
        println!(
            "rounded to {}: the largest change of a total is {}, of {}",
            figure_text(Some(rounding.to)),
            figure_text(Some(rounding.largest_change)),
            rounding.margin
        );
    }
}

fn margins_table(margins: &[MarginRow]) -> comfy_table::Table {
    let mut worst: Vec<&MarginRow> = margins.iter().collect();
    // Stable: of equal errors the first in the plan stands first.
    let size = |row: &MarginRow| row.relative_error.abs();
    worst.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let mut shown = table([
        "total", "target", "share", "before", "after", "error", "records",
    ]);
    for row in worst.into_iter().take(MAX_MARGINS) {
        shown.add_row([
            text(row.name.clone()),
            figure(Some(row.target)),
            text(
                row.share
                    .map(|share| percent(Some(share)))
                    .unwrap_or_default(),
            ),
            figure(Some(row.before)),
            figure(Some(row.after)),
            figure(Some(row.relative_error)),
            count(usize::try_from(row.n_after).unwrap_or(usize::MAX)),
        ]);
    }
    shown
}

/// Figures down, solutions across.
fn solutions_table(solutions: &[Solution]) -> comfy_table::Table {
    let solved: Vec<&Solution> = solutions
        .iter()
        .filter(|one| one.failed.is_none())
        .collect();
    let headings = solved.iter().map(|one| one.method.as_str());
    let mut shown = table(["figure"].into_iter().chain(headings));
    let mut add = |name: String, of: &dyn Fn(&Solution) -> Option<f64>| {
        let figures = solved.iter().map(|one| figure(of(one)));
        shown.add_row(std::iter::once(text(name)).chain(figures));
    };
    add("mean of g".to_owned(), &|one| Some(one.g.mean));
    for (idx, share) in QUANTILE_SHARES.into_iter().enumerate() {
        let name = format!("{} % of g", figure_text(Some((100.0 * share).round())));
        add(name, &|one| one.g.quantiles.get(idx).copied());
    }
    add("smallest weight".to_owned(), &|one| {
        one.weights.quantiles.first().copied()
    });
    add("largest weight".to_owned(), &|one| {
        one.weights.quantiles.last().copied()
    });
    add("negative weights".to_owned(), &|one| {
        Some(one.n_negative as f64)
    });
    add("Kish 1 + cv² before".to_owned(), &|one| {
        Some(one.kish_before)
    });
    add("Kish 1 + cv² after".to_owned(), &|one| {
        Some(one.kish_after)
    });
    add("steps of the solver".to_owned(), &|one| {
        Some(one.iterations.len() as f64)
    });
    add("largest error".to_owned(), &|one| Some(one.largest_error));
    shown
}

fn is_text(value: &RawValue, expected: &str) -> bool {
    matches!(value, RawValue::Text(text) if text == expected)
}
