//! Answers to the questions of `init --advise`, from the same list as the questions themselves.

use bauta_plan::work::advise::{QUESTIONS, Question};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

/// What was asked of advice on the command line.
#[derive(Clone, Debug, Default)]
pub(crate) struct AdviseArguments {
    /// Whether advice is wanted.
    pub(crate) wanted: bool,
    /// The answers that flags gave, by question.
    pub(crate) answers: Vec<(&'static str, Vec<String>)>,
}

const HEADING: &str = "Advice";

impl AdviseArguments {
    /// What was answered to a question.
    pub(crate) fn answer(&self, question: &Question) -> Option<&Vec<String>> {
        let mut answers = self.answers.iter();
        let (_, chosen) = answers.find(|(id, _)| *id == question.id)?;
        Some(chosen)
    }
}

impl Args for AdviseArguments {
    fn augment_args(command: Command) -> Command {
        let advise = Arg::new("advise")
            .long("advise")
            .action(ArgAction::SetTrue)
            .help("Ask three questions, and write a plan that follows from the answers")
            .help_heading(HEADING);
        let mut command = command.arg(advise);
        for question in QUESTIONS {
            let options = question.options.iter();
            let values = options.map(|option| {
                PossibleValue::new(option.id).help(format!("{}: {}", option.label, option.means))
            });
            let several = if question.several {
                " Several, with commas between them."
            } else {
                ""
            };
            let mut arg = Arg::new(question.id)
                .long(question.id)
                .value_name("ANSWER")
                .value_parser(PossibleValuesParser::new(values))
                .help(format!("{}{several} Implies --advise", question.text))
                .help_heading(HEADING);
            if question.several {
                arg = arg.action(ArgAction::Append).value_delimiter(',');
            }
            command = command.arg(arg);
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for AdviseArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut answers = Vec::new();
        for question in QUESTIONS {
            if let Some(chosen) = matches.get_many::<String>(question.id) {
                answers.push((question.id, chosen.cloned().collect()));
            }
        }
        Ok(Self {
            wanted: matches.get_flag("advise") || !answers.is_empty(),
            answers,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
