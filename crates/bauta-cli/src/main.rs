//! The command `bauta`: from a raw file to a defended release.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod arguments;
mod commands;
mod failure;
mod print;
mod progress;
mod recovery;
mod screen;
mod tables;
mod words;

use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use clap::FromArgMatches as _;

use crate::arguments::{Cli, Command};
use crate::failure::{Failure, rendered};

/// Where the last panic was.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// What a thread may put on its stack: as much as the system gives the first one.
const STACK_BYTES: usize = 8 << 20;

/// How a command that did not fail ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outcome {
    /// Everything is as it should be: exit code 0.
    Fine,
    /// A gate does not hold, or a file is not what its record says: exit code 1.
    Refused,
}

fn main() -> ExitCode {
    let as_json = std::env::args_os().any(|argument| argument == "--json");
    // A panic message could quote data; its place in the code cannot.
    std::panic::set_hook(Box::new(|panic| {
        if let Some(place) = panic.location() {
            *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = place.to_string();
        }
    }));
    let outcome = std::panic::catch_unwind(start).unwrap_or_else(|_| {
        let place = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner);
        Err(Failure::bug(format!("stopped at {place}")))
    });
    if let Err(failure) = &outcome {
        failure.show(as_json);
    }
    exit_code(&outcome)
}

/// The verdict decides, whatever became of the printing; what would be fine is not if it was lost.
fn exit_code(outcome: &Result<Outcome, Failure>) -> ExitCode {
    let lost = print::lost();
    if let Some((kind, reason)) = &lost.out
        // Whoever closed the pipe knows what they did not read.
        && *kind != std::io::ErrorKind::BrokenPipe
    {
        print::talk(&format!(
            "error: standard output was lost: {reason}\n  hint: the work itself was done; print to a place with room"
        ));
    }
    match outcome {
        Err(_) => ExitCode::from(2),
        Ok(Outcome::Refused) => ExitCode::from(1),
        Ok(Outcome::Fine) if lost.out.is_some() || lost.talk.is_some() => ExitCode::from(2),
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
    }
}

fn start() -> Result<Outcome, Failure> {
    let matches = match arguments::command().try_get_matches() {
        Ok(matches) => matches,
        // Help and version are what was asked for, not mistakes.
        Err(asked) if !asked.use_stderr() => {
            print::exactly(&rendered(&asked, std::io::stdout().is_terminal()));
            return Ok(Outcome::Fine);
        }
        Err(mistake) => return Err(failure::of_command_line(mistake, std::env::args().skip(1))),
    };
    if let Some(("mask", mask)) = matches.subcommand()
        && let Some((method, arguments)) = mask.subcommand()
    {
        let global = arguments::Global::of(&matches).map_err(Failure::Usage)?;
        return on_threads(&global, || commands::mask::run(method, arguments, &global));
    }
    if let Some(("calibrate", arguments)) = matches.subcommand() {
        let global = arguments::Global::of(&matches).map_err(Failure::Usage)?;
        return on_threads(&global, || commands::calibrate::run(arguments, &global));
    }
    let global = arguments::Global::of(&matches).map_err(Failure::Usage)?;
    let cli = Cli {
        global,
        ..Cli::from_arg_matches(&matches).map_err(Failure::Usage)?
    };
    if let Command::List(_) | Command::Explain(_) | Command::Completions(_) = cli.command {
        // What only prints needs no threads.
        return dispatch(cli);
    }
    let global = cli.global.clone();
    on_threads(&global, || dispatch(cli))
}

fn dispatch(cli: Cli) -> Result<Outcome, Failure> {
    let global = &cli.global;
    match cli.command {
        Command::Demo(arguments) => commands::demo::run(&arguments, global),
        Command::Init(arguments) => commands::init::run(&arguments, global),
        Command::Inspect(arguments) => commands::inspect::run(&arguments, global),
        Command::Check(arguments) => commands::check::run(&arguments, global),
        Command::Run(arguments) => commands::run::run(&arguments, global),
        Command::Serve(arguments) => commands::serve::run(&arguments, global),
        Command::Sweep(arguments) => commands::sweep::run(&arguments, global),
        Command::Tune(arguments) => commands::tune::run(&arguments, global),
        Command::Mask(_) => Err(Failure::mistake(
            "no mask was named",
            "`bauta list` shows them; `bauta mask rank-swap --help` explains one",
        )),
        Command::Calibrate(_) => Err(Failure::bug("calibrate was not taken up".to_owned())),
        Command::Risk(arguments) => commands::risk::run(&arguments, global),
        Command::ExplainRecord(arguments) => commands::explain_record::run(&arguments, global),
        Command::Compare(arguments) => commands::compare::run(&arguments, global),
        Command::Link(arguments) => commands::link::run(&arguments, global),
        Command::Optimize(arguments) => commands::optimize::run(&arguments, global),
        Command::Reproduce(arguments) => commands::reproduce::run(&arguments, global),
        Command::Report(arguments) => commands::report::run(&arguments, global),
        Command::Verify(arguments) => commands::verify::run(&arguments, global),
        Command::Sign(arguments) => commands::sign::run(&arguments, global),
        Command::List(arguments) => Ok(commands::list::run(&arguments, global)),
        Command::Explain(arguments) => commands::explain::run(&arguments, global),
        Command::Completions(arguments) => Ok(commands::completions::run(&arguments)),
    }
}

/// Does the work on as many threads as were asked for, or on all there are.
///
/// All of it is done on one of them: handed over piece by piece from a thread outside, every short loop
/// would wait for another thread to wake up, which on a small file is most of the time.
fn on_threads(
    global: &arguments::Global,
    work: impl FnOnce() -> Result<Outcome, Failure> + Send,
) -> Result<Outcome, Failure> {
    let threads = global.threads;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.map_or(0, |threads| threads.get().into()))
        .stack_size(STACK_BYTES)
        .build();
    match (pool, threads) {
        (Ok(pool), _) => pool.install(work),
        (Err(_), None) => work(),
        (Err(error), Some(threads)) => Err(Failure::mistake(
            format!("cannot start {threads} threads: {error}"),
            "ask for fewer",
        )),
    }
}
