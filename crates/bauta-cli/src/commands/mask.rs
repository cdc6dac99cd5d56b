//! `bauta mask METHOD FILE`: one mask, as a plan of one step.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use bauta_data::inspect::{ColumnProfile, Content, FileProfile};
use bauta_data::{Kind, Role};
use bauta_methods::params::parse_text;
use bauta_methods::{Card, RawValue, registry};
use bauta_plan::record::RunRecord;
use clap::{ArgMatches, FromArgMatches as _};

use crate::Outcome;
use crate::arguments::{FileOptions, Global};
use crate::commands::inspect::profile;
use crate::commands::run::{carry_out, claim_text, print_json, verdict};
use crate::failure::Failure;
use crate::plan_text::{column, data_table, value_text};
use crate::toml_text::{key, list, quoted};

pub(crate) fn run(
    method: &str,
    arguments: &ArgMatches,
    global: &Global,
) -> Result<Outcome, Failure> {
    let card = registry::card(method).ok_or_else(|| {
        Failure::mistake(format!("there is no mask `{method}`"), "see `bauta list`")
    })?;
    let reading = FileOptions::from_arg_matches(arguments).map_err(Failure::Usage)?;
    let path = |name: &str| arguments.get_one::<PathBuf>(name).cloned();
    let (Some(file), Some(output)) = (path("file"), path("output")) else {
        return Err(Failure::mistake("a file and -o are needed", "see --help"));
    };
    let on: Vec<String> = arguments
        .get_many("on")
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    let (_, profile) = profile(&file, &reading, global)?;
    let request = Request {
        card,
        file: &file,
        output: &output,
        on: &on,
        reading: &reading,
        params: given_params(card, arguments),
        record: path("record"),
        household: named(card, "households", arguments, "household"),
        weight: named(card, weight_param(card), arguments, "weight"),
    };
    let text = request.plan_text(&profile)?;
    let mut plan =
        bauta_plan::check_text(&text, "bauta mask", Path::new("")).map_err(Failure::Options)?;
    if request.record.is_none() {
        plan.output.record = None;
    }
    let record = carry_out(&plan, global).map_err(|failure| failure.of_file(&file))?;
    if global.json {
        print_json(&plan, &record);
    } else if !global.quiet {
        show(&record);
    }
    Ok(verdict(&record))
}

/// The parameter for which a mask looks at the weights: to scale them, or to know a risk.
pub(crate) fn weight_param(card: &Card) -> &'static str {
    if card.param("risk").is_some() {
        "risk"
    } else {
        "weights"
    }
}

/// What was done goes to standard error: the data are in the file.
pub(crate) fn show(record: &RunRecord) {
    for step in &record.steps {
        match step.on.as_slice() {
            [] => eprintln!("{}", step.method),
            on => eprintln!("{}: {}", step.method, on.join(", ")),
        }
        for note in &step.notes {
            eprintln!("  {}", note.text());
        }
    }
    for claim in &record.claims {
        eprintln!("{}", claim_text(claim));
    }
    if let Some(file) = &record.released {
        eprintln!("wrote {} ({} records)", file.file, file.n_records);
    }
}

/// The variable of a role that a parameter of the mask looks for: the household id of masks that
/// can act on whole households, the weight of those that change it.
fn named(card: &Card, param: &str, arguments: &ArgMatches, argument: &str) -> Option<String> {
    card.param(param)?;
    arguments.get_one(argument).cloned()
}

pub(crate) fn given_params(card: &Card, arguments: &ArgMatches) -> Vec<(&'static str, RawValue)> {
    let given = card.params.iter().filter_map(|spec| {
        let text: &String = arguments.get_one(spec.name)?;
        Some((spec.name, parse_text(spec.ty, text)))
    });
    given.collect()
}

struct Request<'a> {
    card: &'static Card,
    file: &'a Path,
    output: &'a Path,
    on: &'a [String],
    reading: &'a FileOptions,
    params: Vec<(&'static str, RawValue)>,
    record: Option<PathBuf>,
    household: Option<String>,
    weight: Option<String>,
}

impl Request<'_> {
    /// The request as a plan, so that both ways are checked and recorded alike.
    fn plan_text(&self, profile: &FileProfile) -> Result<String, Failure> {
        let mut out = data_table(self.file, self.reading, profile);
        out.push_str("\n[variables]\n");
        for (position, name) in self.on.iter().enumerate() {
            if self.on[..position].contains(name) {
                let message = format!("`{name}` is named twice");
                return Err(Failure::of_variable(
                    self.file,
                    name,
                    message,
                    "name it once",
                ));
            }
            let column = column(self.file, profile, name)?;
            let role = if self.card.id == "drop-identifiers" {
                Role::Identifier
            } else {
                Role::Other
            };
            let kind = self.kind_of(column);
            let hierarchy = if kind == Kind::Hierarchical
                || (self.card.targets.kinds.contains(&Kind::Hierarchical)
                    && self.params.iter().any(|(name, _)| *name == "level"))
            {
                ", hierarchy = \"prefix\""
            } else {
                ""
            };
            let _ = writeln!(
                out,
                "{} = {{ role = \"{}\", kind = \"{}\"{hierarchy} }}",
                key(name),
                role.name(),
                kind.name()
            );
        }
        if let Some(household) = &self.household {
            column(self.file, profile, household)?;
            let _ = writeln!(out, "{} = {{ role = \"household\" }}", key(household));
        }
        if let Some(weight) = &self.weight {
            column(self.file, profile, weight)?;
            let _ = writeln!(out, "{} = {{ role = \"weight\" }}", key(weight));
        }
        let _ = writeln!(out, "\n[[step]]\nmask = {}", quoted(self.card.id));
        if !self.on.is_empty() {
            let on = list(self.on.iter().map(String::as_str));
            let _ = writeln!(out, "on = {on}");
        }
        for (name, value) in &self.params {
            let _ = writeln!(out, "{name} = {}", value_text(value));
        }
        let _ = writeln!(
            out,
            "\n[[measure]]\nuse = []\n\n[output]\nfile = {}",
            quoted(&self.output.to_string_lossy())
        );
        if let Some(record) = &self.record {
            let _ = writeln!(out, "record = {}", quoted(&record.to_string_lossy()));
        }
        Ok(out)
    }

    /// Numbers are continuous where the mask takes that; otherwise what the file suggests, or the
    /// first kind that the mask takes.
    fn kind_of(&self, column: &ColumnProfile) -> Kind {
        let kinds = self.card.targets.kinds;
        let is_number = matches!(column.content, Content::Integer | Content::Decimal);
        let proposed = column.proposal.kind;
        if kinds.len() < Kind::ALL.len() && is_number && kinds.contains(&Kind::Continuous) {
            Kind::Continuous
        } else if kinds.contains(&proposed) {
            proposed
        } else {
            kinds.first().copied().unwrap_or(proposed)
        }
    }
}
