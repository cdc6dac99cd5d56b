//! `bauta completions`: for the shell.

use crate::Outcome;
use crate::arguments::{CompletionsArguments, command};
use crate::print::exactly;

pub(crate) fn run(arguments: &CompletionsArguments) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command(), "bauta", &mut script);
    exactly(&String::from_utf8_lossy(&script));
    Outcome::Fine
}
