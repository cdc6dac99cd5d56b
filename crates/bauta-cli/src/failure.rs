//! Errors on their way to a person or to a script.

use std::borrow::Cow;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use crate::print::{harmless, harmless_in_place, object, say, say_exactly};
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use bauta_data::{DataError, DataErrorKind};
use bauta_methods::{MethodError, ParamProblem};
use bauta_plan::run::RunError;
use bauta_plan::work::{Mistake, WorkError};
use bauta_plan::{Problem, ProblemKind};
use serde_json::json;

/// Problems of a plan that are drawn; each takes a walk through its text, and nobody reads thousands.
const MAX_SHOWN: usize = 100;

/// Why a command failed. Exit code 2.
pub(crate) enum Failure {
    /// The command line was wrong.
    Usage(clap::Error),
    /// What was asked for cannot be done.
    Mistake(Mistake),
    /// Options of the command line that do not fit.
    Options(Vec<Problem>),
    /// A plan has problems.
    Plan {
        file: PathBuf,
        text: String,
        problems: Vec<Problem>,
    },
    /// A file has problems.
    Data(DataError),
    /// A run ended early.
    Run(RunError),
}

impl From<DataError> for Failure {
    fn from(error: DataError) -> Self {
        Self::Data(error)
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Data(error) => Self::Data(error),
            error => Self::Run(error),
        }
    }
}

impl From<MethodError> for Failure {
    fn from(error: MethodError) -> Self {
        Self::Run(RunError::Method {
            place: String::new(),
            line: None,
            error: Box::new(error),
        })
    }
}

impl From<WorkError> for Failure {
    fn from(error: WorkError) -> Self {
        match error {
            WorkError::Mistake(mistake) => Self::Mistake(mistake),
            WorkError::Settings { measure, problems } => {
                let messages = joined(&problems);
                let hint = problems.first().map_or("", |problem| problem.hint.as_str());
                Self::mistake(format!("{measure}: {messages}"), hint)
            }
            WorkError::Problems(problems) => Self::Options(problems),
            WorkError::Data(error) => Self::Data(error),
            WorkError::Run(error) => Self::Run(error),
        }
    }
}

/// What is wrong with parameters, in one sentence.
pub(crate) fn joined(problems: &[ParamProblem]) -> String {
    let messages = problems.iter().map(|problem| problem.message.as_str());
    messages.collect::<Vec<_>>().join("; ")
}

/// What sort of error scripts are told. The names are stable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Code {
    /// The command line was wrong.
    Usage,
    /// What was asked for cannot be done.
    #[default]
    Request,
    /// A plan is wrong, in this way.
    Plan(ProblemKind),
    /// A file is not fit.
    Data,
    /// The operating system refused.
    Io,
    /// More memory is needed than is allowed.
    Memory,
    /// The work was stopped.
    Cancelled,
    /// A mistake of ours.
    Internal,
}

impl Code {
    const fn name(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::Request => "request",
            Self::Plan(kind) => kind.name(),
            Self::Data => "data",
            Self::Io => "io",
            Self::Memory => "memory",
            Self::Cancelled => "cancelled",
            Self::Internal => "internal",
        }
    }
}

/// One error as scripts read it.
#[derive(Default)]
struct Item {
    kind: Code,
    message: String,
    file: Option<String>,
    line: Option<u64>,
    variable: Option<String>,
    hint: String,
}

impl Failure {
    /// A mistake of the user that no other type describes.
    pub(crate) fn mistake(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Mistake(Mistake {
            message: message.into(),
            hint: hint.into(),
            ..Mistake::default()
        })
    }

    /// A mistake of ours.
    pub(crate) fn bug(message: String) -> Self {
        Self::from(MethodError::Internal(message))
    }

    /// Prints the failure: JSON on standard output for scripts, words on standard error for people.
    pub(crate) fn show(&self, as_json: bool) {
        if as_json {
            let errors: Vec<serde_json::Value> =
                self.items().into_iter().map(Item::into_json).collect();
            object(&json!({ "errors": errors }));
            return;
        }
        match self {
            Self::Usage(error) => say_exactly(&rendered(error, std::io::stderr().is_terminal())),
            Self::Plan {
                file,
                text,
                problems,
            } => show_problems(file, text, problems),
            _ => {
                let items = self.items();
                for item in &items {
                    say!("{}", item.in_words());
                }
                if items.len() > 1 {
                    say!("{} problems", items.len());
                }
            }
        }
    }

    fn items(&self) -> Vec<Item> {
        match self {
            Self::Usage(error) => vec![Item {
                kind: Code::Usage,
                message: usage_text(error),
                hint: "see --help".to_owned(),
                ..Item::default()
            }],
            Self::Mistake(mistake) => vec![Item {
                kind: Code::Request,
                message: mistake.message.clone(),
                file: mistake.file.as_ref().map(|file| file.display().to_string()),
                variable: mistake.variable.clone(),
                hint: mistake.hint.clone(),
                ..Item::default()
            }],
            Self::Options(problems) => problems
                .iter()
                .map(|problem| Item {
                    kind: Code::Plan(problem.kind),
                    message: problem.message.clone(),
                    variable: problem.variable.clone(),
                    hint: problem.hint.clone(),
                    ..Item::default()
                })
                .collect(),
            Self::Plan {
                file,
                text,
                problems,
            } => problems
                .iter()
                .map(|problem| Item {
                    kind: Code::Plan(problem.kind),
                    message: problem.message.clone(),
                    file: Some(file.display().to_string()),
                    line: problem.line(text).map(|line| line as u64),
                    variable: problem.variable.clone(),
                    hint: problem.hint.clone(),
                })
                .collect(),
            Self::Data(error) => data_items(error),
            Self::Run(error) => vec![run_item(error)],
        }
    }
}

/// What is wrong with a command line. A seed where nothing is drawn gets words of its own: whoever gives one believes
/// that it matters.
pub(crate) fn of_command_line(
    mistake: clap::Error,
    words: impl Iterator<Item = String>,
) -> Failure {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    let is_seed = mistake.kind() == ErrorKind::UnknownArgument
        && matches!(
            mistake.get(ContextKind::InvalidArg),
            Some(ContextValue::String(argument)) if argument == "--seed"
        );
    if !is_seed {
        return Failure::Usage(mistake);
    }
    let words: Vec<String> = words.take_while(|word| !word.starts_with('-')).collect();
    let command = match words.as_slice() {
        [] => {
            return Failure::mistake(
                "--seed belongs to a command that draws, and stands behind it",
                "such as `bauta run plan.toml --seed 7`",
            );
        }
        [mask, method, ..] if mask == "mask" => format!("{mask} {method}"),
        [command, ..] => command.clone(),
    };
    Failure::mistake(
        format!("`bauta {command}` draws nothing at random, so that it takes no --seed"),
        "leave it out: the same files and options give the same result every time",
    )
}

/// What clap says, in colours for a terminal unless something in it could command one.
pub(crate) fn rendered(error: &clap::Error, is_terminal: bool) -> String {
    let styled = error.render();
    let plain = styled.to_string();
    match harmless(&plain) {
        Cow::Borrowed(_) if is_terminal => styled.ansi().to_string(),
        harmless => harmless.into_owned(),
    }
}

/// What clap says, in one line and without the usage.
fn usage_text(error: &clap::Error) -> String {
    let text = error.to_string();
    let lines = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:"));
    let words: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    words.join(" ").trim_start_matches("error: ").to_owned()
}

fn data_items(error: &DataError) -> Vec<Item> {
    let kind = match error.kind {
        DataErrorKind::Content => Code::Data,
        DataErrorKind::Io => Code::Io,
        DataErrorKind::Memory => Code::Memory,
        DataErrorKind::Cancelled => Code::Cancelled,
    };
    let mut items: Vec<Item> = error
        .problems
        .iter()
        .map(|problem| Item {
            kind,
            message: problem.message.clone(),
            file: Some(error.file.display().to_string()),
            line: problem.line,
            variable: problem.variable.clone(),
            hint: problem.hint.clone(),
        })
        .collect();
    if error.n_more > 0 {
        items.push(Item {
            kind,
            message: format!(
                "{} more problems of the same file are not listed",
                error.n_more
            ),
            file: Some(error.file.display().to_string()),
            hint: "mend those above first".to_owned(),
            ..Item::default()
        });
    }
    items
}

fn run_item(error: &RunError) -> Item {
    if *error == RunError::NothingJudged {
        return Item {
            kind: Code::Request,
            message: error.to_string(),
            hint: "add a [[gate]], such as measure = \"k-anonymity\" with at_least = 3; or write release = \"ungated\" \
                   in [output], or run it with --ungated, and the report will say that nothing was judged"
                .to_owned(),
            ..Item::default()
        };
    }
    let RunError::Method { place, line, error } = error else {
        return Item {
            kind: Code::Internal,
            message: error.to_string(),
            hint: "this is a mistake in Bauta; please report it".to_owned(),
            ..Item::default()
        };
    };
    let prefix = if place.is_empty() {
        String::new()
    } else {
        format!("{place}: ")
    };
    let item = method_item(&prefix, error);
    Item {
        // Where the work was when it was cancelled is not where anything is wrong.
        line: line
            .filter(|_| **error != MethodError::Cancelled)
            .map(|line| line as u64),
        ..item
    }
}

fn method_item(prefix: &str, error: &MethodError) -> Item {
    match error {
        MethodError::Request {
            variable,
            message,
            hint,
        } => Item {
            kind: Code::Request,
            message: format!("{prefix}{message}"),
            variable: variable.clone(),
            hint: hint.clone(),
            ..Item::default()
        },
        MethodError::Data {
            variable,
            row,
            message,
            hint,
        } => Item {
            kind: Code::Data,
            message: match row {
                Some(row) => format!("{prefix}row {row}: {message}"),
                None => format!("{prefix}{message}"),
            },
            variable: variable.clone(),
            hint: hint.clone(),
            ..Item::default()
        },
        MethodError::Cancelled => Item {
            kind: Code::Cancelled,
            message: "cancelled; nothing was written".to_owned(),
            hint: "run again to finish".to_owned(),
            ..Item::default()
        },
        MethodError::Internal(message) => Item {
            kind: Code::Internal,
            message: format!("{prefix}{message}"),
            hint: "this is a mistake in Bauta; please report it".to_owned(),
            ..Item::default()
        },
    }
}

impl Item {
    fn into_json(self) -> serde_json::Value {
        json!({
            "kind": self.kind.name(),
            "message": self.message,
            "file": self.file,
            "line": self.line,
            "variable": self.variable,
            "hint": self.hint,
        })
    }

    fn in_words(&self) -> String {
        let mut place = String::new();
        match (&self.file, self.line) {
            (Some(file), Some(line)) => place.push_str(&format!("{file}:{line}: ")),
            (Some(file), None) => place.push_str(&format!("{file}: ")),
            (None, Some(line)) => place.push_str(&format!("line {line} of the plan: ")),
            (None, None) => {}
        }
        if let Some(variable) = &self.variable {
            place.push_str(&format!("variable `{variable}`: "));
        }
        format!("error: {place}{}\n  hint: {}", self.message, self.hint)
    }
}

/// Shows each problem at its line of the plan, as rustc does.
fn show_problems(file: &Path, text: &str, problems: &[Problem]) {
    let renderer = if std::io::stderr().is_terminal() {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let path = harmless(&file.display().to_string()).into_owned();
    let text = &*harmless_in_place(text);
    for problem in problems.iter().take(MAX_SHOWN) {
        let (message, hint) = (harmless(&problem.message), harmless(&problem.hint));
        let title = Level::ERROR
            .primary_title(&*message)
            .id(problem.kind.name());
        let hint = Level::HELP.message(&*hint);
        let group = match &problem.span {
            Some(span) => {
                let span = span.start.min(text.len())..span.end.min(text.len());
                let snippet = Snippet::source(text)
                    .path(path.as_str())
                    .annotation(AnnotationKind::Primary.span(span));
                title.element(snippet).element(hint)
            }
            None => title.element(hint),
        };
        say_exactly(&format!("{}\n\n", renderer.render(&[group])));
    }
    let n = problems.len();
    if n > MAX_SHOWN {
        say!("and {} more problems; --json lists all", n - MAX_SHOWN);
    }
    say!(
        "{path}: {n} {}; nothing was written",
        if n == 1 { "problem" } else { "problems" }
    );
}
