//! Arguments of `bauta calibrate`. Its parameters are those of the cards.

use std::path::PathBuf;

use bauta_methods::{Card, registry};
use bauta_plan::work::calibrate::{WITH_KEYS, WITHOUT_KEYS};
use clap::{Arg, Args, ValueHint};

use super::FileOptions;
use super::masks::{param_argument, written_files};

/// Filled in by [`with_arguments`].
#[derive(Debug, Args)]
pub(crate) struct CalibrateArguments {}

/// The command with its file, its variables, and every parameter of either card.
pub(super) fn with_arguments(command: clap::Command) -> clap::Command {
    let file = |name: &'static str| {
        Arg::new(name)
            .value_name("FILE")
            .value_parser(clap::value_parser!(PathBuf))
            .value_hint(ValueHint::FilePath)
    };
    let name = |name: &'static str| Arg::new(name).long(name).value_name("NAME");
    let names = |name: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("NAMES")
            .value_delimiter(',')
    };
    // The documentation of the options would otherwise become that of the command.
    let (about, help) = (
        command.get_about().cloned(),
        command.get_after_help().cloned(),
    );
    let command = command
        .arg(file("file").required(true).help("File with the sample"))
        .arg(
            name("weight")
                .required(true)
                .help("Sampling weight to change"),
        )
        .arg(name("household").help("Household id, for household margins and --households true"))
        .arg(
            names("keys").help(
                "Variables that an intruder knows; records at risk by them are deleted first",
            ),
        )
        .arg(
            names("continuous")
                .help("Variables that are numbers; the others in margins are categories"),
        )
        .arg(
            names("identifiers")
                .help("Columns to drop as direct identifiers, besides those that look like one"),
        )
        .arg(names("keep").help(
            "Columns to keep though they look like identifiers, or like weights beside the new one",
        ))
        .arg(name("new-weight").help("What the new weight is called (default: as the old one)"))
        .args(written_files())
        .arg(
            file("report")
                .long("report")
                .help("Report to write (confidential)"),
        )
        .args(
            cards()
                .flat_map(params)
                .map(|spec| param_argument(spec).required(false)),
        );
    let mut command = FileOptions::augment_args(command);
    if let Some(about) = about {
        command = command.about(about.clone()).long_about(about);
    }
    if let Some(help) = help {
        command = command.after_help(help);
    }
    command
}

/// The cards whose parameters the command takes, the larger one first.
fn cards() -> impl Iterator<Item = &'static Card> {
    [WITH_KEYS, WITHOUT_KEYS]
        .into_iter()
        .filter_map(registry::card)
}

/// The parameters of a card that the one before it has not got.
fn params(card: &'static Card) -> Vec<&'static bauta_methods::ParamSpec> {
    let is_new = |name: &str| {
        let before = cards().take_while(|other| other.id != card.id);
        before
            .flat_map(|other| other.params)
            .all(|spec| spec.name != name)
    };
    card.params
        .iter()
        .filter(|spec| is_new(spec.name))
        .collect()
}
