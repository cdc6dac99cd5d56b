//! A sub-command for every mask, made from its card.

use std::path::PathBuf;

use bauta_data::Role;
use bauta_methods::params::describe;
use bauta_methods::{Card, ParamDefault, ParamType, Randomness};
use clap::{Arg, Args as _, ValueHint};

use super::FileOptions;
use super::order::PARAMETERS;
use crate::commands::mask::{household_param, weight_param};

/// The command that applies a mask to a file.
pub(super) fn mask_command(card: &'static Card) -> clap::Command {
    let file = Arg::new("file")
        .required(true)
        .value_name("FILE")
        .value_parser(clap::value_parser!(PathBuf))
        .value_hint(ValueHint::FilePath)
        .help("File to mask");
    // The command line knows no roles. A mask that works within strata does without any; others
    // would have nothing to do.
    let roles = card.targets.default_roles;
    let works_without = roles.contains(&Role::Stratum);
    let on = Arg::new("on")
        .long("on")
        .value_name("NAMES")
        .value_delimiter(',')
        .required(!works_without)
        .help(if works_without {
            "Variables that make the strata (default: the whole file is one)"
        } else if roles.contains(&Role::Identifier) {
            "Variables to remove"
        } else {
            "Variables to mask"
        });
    let household = card.param(household_param(card)).map(|spec| {
        Arg::new("household")
            .long("household")
            .value_name("NAME")
            .help(if spec.ty == ParamType::Flag {
                "Household id, for --households true"
            } else {
                "Household id, for --household-keys"
            })
    });
    let weight = card.param(weight_param(card)).map(|_| {
        Arg::new("weight")
            .long("weight")
            .value_name("NAME")
            .help("Sampling weight, for --weights")
    });
    let seed = (card.randomness == Randomness::Seeded).then(seed);
    let command = clap::Command::new(card.id)
        .arg(file)
        .arg(on)
        .args(written_files())
        .args(household)
        .args(weight)
        .args(seed)
        .args(card.params.iter().map(param_argument));
    // The texts last: those of the options about files would otherwise become those of the command.
    FileOptions::augment_args(command)
        .about(capitalised(card.summary))
        .long_about(capitalised(card.summary))
        .after_help(format!("`bauta explain {}` has the whole page.", card.id))
}

/// The seed of a mask that draws.
fn seed() -> Arg {
    Arg::new("seed")
        .long("seed")
        .value_name("N")
        .value_parser(clap::value_parser!(u64))
        .help("Seed of the random draws (default: derived from the bytes of the file)")
}

/// The released file and the record.
pub(super) fn written_files() -> [Arg; 2] {
    let file = |name: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("FILE")
            .value_parser(clap::value_parser!(PathBuf))
            .value_hint(ValueHint::FilePath)
    };
    [
        file("output")
            .short('o')
            .required(true)
            .help("File to write"),
        file("record").help("Run record to write (confidential: it holds the seed)"),
    ]
}

/// A parameter of a method as an option.
pub(super) fn param_argument(spec: &'static bauta_methods::ParamSpec) -> Arg {
    let default = match spec.default {
        ParamDefault::Required => String::new(),
        ParamDefault::Value(value) => format!("; default {}", raw_text(&value.to_raw())),
        ParamDefault::Unset(meaning) => format!("; if not given, {meaning}"),
    };
    Arg::new(spec.name)
        .long(spec.name.replace('_', "-"))
        // As a plan writes it.
        .alias(spec.name)
        .value_name("VALUE")
        .allow_negative_numbers(true)
        .required(spec.default == ParamDefault::Required)
        .help_heading(PARAMETERS)
        .help(format!(
            "{} ({}{default})",
            capitalised(spec.meaning),
            describe(spec.ty)
        ))
}

fn raw_text(raw: &bauta_methods::RawValue) -> String {
    use bauta_methods::RawValue;
    match raw {
        RawValue::Integer(value) => value.to_string(),
        RawValue::Number(value) => value.to_string(),
        RawValue::Flag(value) => value.to_string(),
        RawValue::Text(text) => text.clone(),
        RawValue::List(items) => items.iter().map(raw_text).collect::<Vec<_>>().join(","),
        RawValue::Map(_) => String::new(),
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
