//! `bauta completions`: for the shell.

use crate::Outcome;
use crate::arguments::{CompletionsArguments, command};

pub(crate) fn run(arguments: &CompletionsArguments) -> Outcome {
    clap_complete::generate(
        arguments.shell,
        &mut command(),
        "bauta",
        &mut std::io::stdout(),
    );
    Outcome::Fine
}
