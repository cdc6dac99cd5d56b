//! `bauta init`: a commented plan for a file.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use bauta_data::format::{Encoding, Loaded};
use bauta_data::inspect::{ColumnProfile, FileProfile};
use bauta_data::number::DecimalMark;
use bauta_data::{Kind, Role};
use bauta_plan::output::{Access, write_file};
use bauta_plan::run::folder_of;
use serde_json::json;

use crate::Outcome;
use crate::arguments::{FileOptions, Global, InitArguments};
use crate::commands::inspect::{decimal_mark, profile};
use crate::commands::report::refuse_to_replace;
use crate::failure::Failure;
use crate::toml_text::{key, list, quoted};

pub(crate) fn run(arguments: &InitArguments, global: &Global) -> Result<Outcome, Failure> {
    let plan_file = plan_path(arguments);
    if plan_file.exists() && !arguments.force {
        return Err(Failure::mistake(
            format!("{} is there already", plan_file.display()),
            "name another plan with -o, or replace it with --force",
        ));
    }
    refuse_to_replace(&arguments.file, &plan_file)?;
    let (loaded, profile) = profile(&arguments.file, &arguments.reading, global)?;
    let text = plan_text(arguments, &plan_file, &loaded, &profile);
    write_file(&plan_file, text.as_bytes(), Access::Usual)?;
    if global.json {
        println!(
            "{}",
            json!({ "plan": plan_file.display().to_string(), "profile": profile })
        );
    } else {
        println!(
            "{}: {} records, {} variables",
            arguments.file.display(),
            profile.n_records,
            profile.columns.len()
        );
        for role in Role::ALL {
            let names: Vec<&str> = with_role(&profile, role)
                .map(|column| column.name.as_str())
                .collect();
            if !names.is_empty() {
                println!("  {}: {}", role.name(), names.join(", "));
            }
        }
        println!(
            "Wrote {}. Read the reasons in it, correct what is wrong, and then:",
            plan_file.display()
        );
        println!("  bauta check {0}\n  bauta run {0}", plan_file.display());
    }
    Ok(Outcome::Fine)
}

fn plan_path(arguments: &InitArguments) -> PathBuf {
    arguments
        .output
        .clone()
        .unwrap_or_else(|| folder_of(&arguments.file).join("plan.toml"))
}

fn with_role(profile: &FileProfile, role: Role) -> impl Iterator<Item = &ColumnProfile> {
    profile
        .columns
        .iter()
        .filter(move |column| column.proposal.role == role)
}

fn plan_text(
    arguments: &InitArguments,
    plan_file: &Path,
    loaded: &Loaded,
    profile: &FileProfile,
) -> String {
    let stem = arguments
        .file
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy();
    let mut out = String::new();
    let _ = writeln!(
        out,
        "# A first plan for {}, written by `bauta init`.",
        file_name(&arguments.file)
    );
    out.push_str("# Every role and kind is a proposal with its reason: correct what is wrong.\n");
    out.push_str(
        "# `bauta explain plan` explains the grammar, `bauta list` shows the methods.\n\n",
    );
    let _ = writeln!(
        out,
        "[plan]\ntitle = {}",
        quoted(&format!("Protection of {}", file_name(&arguments.file)))
    );
    out.push_str(
        "# seed = …   # without one, the seed is derived from the file's bytes; keep it secret\n\n",
    );
    data_section(
        &mut out,
        arguments,
        plan_file,
        loaded,
        decimal_mark(&arguments.reading, profile),
    );
    variables_section(&mut out, profile);
    scenario_section(&mut out, profile);
    steps_section(&mut out, profile);
    measures_section(&mut out, profile);
    let extension = arguments
        .file
        .extension()
        .unwrap_or_default()
        .to_string_lossy();
    let _ = writeln!(
        out,
        "[output]\nfile = {}",
        quoted(&format!("{stem}-protected.{extension}"))
    );
    let _ = writeln!(out, "report = {}", quoted(&format!("{stem}-report.html")));
    out.push_str("shuffle = true   # the order of a file can tell where a record came from\n");
    out
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// The file as the plan must name it: relative to the plan's folder where that is possible.
fn input_path(file: &Path, plan_file: &Path) -> String {
    let absolute = |path: &Path| std::fs::canonicalize(path).ok();
    let relative = absolute(file)
        .zip(absolute(folder_of(plan_file)))
        .and_then(|(file, folder)| {
            let inside = file.strip_prefix(&folder).ok()?;
            Some(inside.to_string_lossy().into_owned())
        });
    relative.unwrap_or_else(|| {
        absolute(file)
            .unwrap_or_else(|| file.to_owned())
            .to_string_lossy()
            .into_owned()
    })
}

fn data_section(
    out: &mut String,
    arguments: &InitArguments,
    plan_file: &Path,
    loaded: &Loaded,
    decimal: DecimalMark,
) {
    let _ = writeln!(
        out,
        "[data]\nfile = {}",
        quoted(&input_path(&arguments.file, plan_file))
    );
    let FileOptions {
        delimiter,
        encoding,
        missing_texts,
        ..
    } = &arguments.reading;
    let texts = missing_texts
        .clone()
        .unwrap_or_else(|| vec![String::new(), "NA".to_owned()]);
    let _ = writeln!(
        out,
        "missing = {}   # texts that mean \"no value\"; codes such as 99 = refused go into missing_codes",
        list(texts.iter().map(String::as_str))
    );
    if delimiter.is_some() {
        let _ = writeln!(
            out,
            "delimiter = {}",
            quoted(&char::from(loaded.style.delimiter).to_string())
        );
    }
    if decimal == DecimalMark::Comma {
        out.push_str("decimal = \",\"\n");
    }
    if *encoding == Some(Encoding::Latin1) {
        out.push_str("encoding = \"latin1\"\n");
    }
    out.push('\n');
}

fn variables_section(out: &mut String, profile: &FileProfile) {
    out.push_str("# role: identifier, key, sensitive, weight, household, stratum, other\n");
    out.push_str("# kind: continuous, ordered, hierarchical, unordered\n[variables]\n");
    for column in &profile.columns {
        let proposal = &column.proposal;
        let _ = writeln!(out, "# {}", proposal.reason);
        let remarks = proposal
            .flag
            .map(bauta_data::inspect::Flag::text)
            .into_iter()
            .chain(column.warnings());
        for remark in remarks {
            let _ = writeln!(out, "# LOOK: {remark}");
        }
        let hierarchy = if proposal.kind == Kind::Hierarchical {
            ", hierarchy = \"prefix\""
        } else {
            ""
        };
        let _ = writeln!(
            out,
            "{} = {{ role = \"{}\", kind = \"{}\"{hierarchy} }}",
            key(&column.name),
            proposal.role.name(),
            proposal.kind.name()
        );
    }
    out.push('\n');
}

fn scenario_section(out: &mut String, profile: &FileProfile) {
    let keys: Vec<&str> = with_role(profile, Role::Key)
        .map(|column| column.name.as_str())
        .collect();
    if keys.is_empty() {
        out.push_str(
            "# No keys were found. If others can know a variable, give it the role key and add:\n",
        );
        out.push_str("# [[scenario]]\n# name = \"…\"\n# keys = [\"…\"]\n\n");
        return;
    }
    out.push_str(
        "# What an intruder is assumed to know. Add a scenario for each kind of intruder.\n",
    );
    let _ = writeln!(
        out,
        "[[scenario]]\nname = \"all keys\"\nkeys = {}\nwhy = \"the worst case\"\n",
        list(keys)
    );
}

fn steps_section(out: &mut String, profile: &FileProfile) {
    if with_role(profile, Role::Identifier).next().is_some() {
        out.push_str(
            "[[step]]\nmask = \"drop-identifiers\"\nwhy = \"identifiers are never released\"\n\n",
        );
    }
    out.push_str("# Recode first, then suppress, then perturb what remains. For example:\n");
    let sensitive =
        with_role(profile, Role::Sensitive).find(|column| column.proposal.kind == Kind::Continuous);
    let name = sensitive.map_or("…", |column| column.name.as_str());
    let _ = writeln!(
        out,
        "# [[step]]\n# mask = \"rank-swap\"\n# on = [{}]\n# window = 0.14          # fraction of the records\n# why = \"…\"\n",
        quoted(name)
    );
}

fn measures_section(out: &mut String, profile: &FileProfile) {
    let has_keys = with_role(profile, Role::Key).next().is_some();
    let released = [Role::Key, Role::Sensitive, Role::Other];
    let content = || {
        profile
            .columns
            .iter()
            .filter(|column| released.contains(&column.proposal.role))
    };
    let mut measures = Vec::new();
    if has_keys {
        measures.extend(["k-anonymity", "individual-risk"]);
    }
    if content().next().is_some() {
        measures.push("univariate-summary");
    }
    if !measures.is_empty() {
        let _ = writeln!(out, "[[measure]]\nuse = {}\n", list(measures));
    }
    if content().any(|column| column.proposal.kind == Kind::Continuous && column.n_missing == 0) {
        out.push_str("# Once a continuous variable is masked:\n# [[measure]]\n# use = [\"il1s\", \"interval-sd\"]\n\n");
    }
    if has_keys {
        out.push_str("# A gate stops the release when it does not hold:\n");
        out.push_str("# [[gate]]\n# measure = \"k-anonymity\"\n# at_least = 3\n\n");
    }
}
