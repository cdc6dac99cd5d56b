//! The three questions that advice begins with, and what may be answered.

use bauta_data::near;
use serde::Serialize;

use super::super::WorkError;

/// A question that forms, the command line and its help are made from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Question {
    /// Its name, also that of the flag.
    pub id: &'static str,
    /// The question.
    pub text: &'static str,
    /// Whether more than one answer may be chosen.
    pub several: bool,
    /// The answer where nobody chose one: the strictest.
    pub default: &'static str,
    /// What may be answered.
    pub options: &'static [QuestionOption],
}

/// One answer to a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct QuestionOption {
    /// Its name.
    pub id: &'static str,
    /// What it is called in words.
    pub label: &'static str,
    /// What it means, in a sentence.
    pub means: &'static str,
}

const fn option(id: &'static str, label: &'static str, means: &'static str) -> QuestionOption {
    QuestionOption { id, label, means }
}

const RECIPIENTS: [QuestionOption; 4] = [
    option(
        "public",
        "Anybody",
        "The file can be downloaded, nobody signs anything, and no copy can be called back.",
    ),
    option(
        "teaching",
        "Students, for teaching",
        "A class gets the file under terms of use, and nobody can watch what becomes of the copies.",
    ),
    option(
        "scientific",
        "Researchers under contract",
        "Known people have signed not to identify anybody and keep the file on machines of their own.",
    ),
    option(
        "secure",
        "Researchers in a supervised room",
        "Known people work on your machine, and somebody looks at everything that leaves it.",
    ),
];

const NEEDS: [QuestionOption; 5] = [
    option(
        "counts",
        "Counts and cross tables",
        "How many records have a value, and how many have two together.",
    ),
    option(
        "means",
        "Means and totals by group",
        "What amounts are on average or in all, for the whole file and for groups of it.",
    ),
    option(
        "relations",
        "Relations between variables",
        "Regressions, correlations and how strongly categories go together.",
    ),
    option(
        "detail",
        "Exact small areas or detailed categories",
        "Categories as fine as they are, such as municipalities or occupations.",
    ),
    option(
        "weights",
        "Totals of the population",
        "Weighted results that speak of everybody and not only of those in the file.",
    ),
];

const INTRUDERS: [QuestionOption; 5] = [
    option(
        "neighbour",
        "Somebody who knows one person",
        "A neighbour or colleague knows that the person took part, and what everybody sees of them.",
    ),
    option(
        "household",
        "Somebody who knows a household",
        "Who knows several members of a household finds all of them when one is found.",
    ),
    option(
        "register",
        "Somebody with a register or a commercial file",
        "A list of names with exact values of many people is held against every record.",
    ),
    option(
        "journalist",
        "Somebody for whom any hit will do",
        "A journalist wants to show that one person can be found, whoever it is.",
    ),
    option(
        "worst-case",
        "Nobody in particular",
        "The worst is assumed: an intruder knows every variable that anybody could know.",
    ),
];

/// The questions, in the order in which they are asked.
pub const QUESTIONS: &[Question] = &[
    Question {
        id: "recipient",
        text: "Who gets the file?",
        several: false,
        default: "public",
        options: &RECIPIENTS,
    },
    Question {
        id: "needs",
        text: "What do they need from it?",
        several: true,
        default: "counts",
        options: &NEEDS,
    },
    Question {
        id: "intruder",
        text: "Who could want to find whom?",
        several: true,
        default: "worst-case",
        options: &INTRUDERS,
    },
];

/// Who gets the file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Recipient {
    /// Anybody may download it.
    Public,
    /// Students get it under terms of use.
    Teaching,
    /// Researchers have a contract.
    Scientific,
    /// Researchers work in a supervised room.
    Secure,
}

/// What the recipients need from the file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Need {
    /// Counts and cross tables.
    Counts,
    /// Means and totals by group.
    Means,
    /// Regressions and other relations.
    Relations,
    /// Exact small areas or detailed categories.
    Detail,
    /// Totals of the population.
    Weights,
}

/// Who could want to find whom.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Intruder {
    /// Knows one person.
    Neighbour,
    /// Knows a household.
    Household,
    /// Has a list of many people.
    Register,
    /// Wants any hit.
    Journalist,
    /// Knows all that can be known.
    WorstCase,
}

impl Recipient {
    /// All answers, in the order of the question's options.
    pub const ALL: [Self; 4] = [Self::Public, Self::Teaching, Self::Scientific, Self::Secure];

    /// The answer as the question has it.
    pub const fn option(self) -> &'static QuestionOption {
        &RECIPIENTS[self as usize]
    }
}

impl Need {
    /// All answers, in the order of the question's options.
    pub const ALL: [Self; 5] = [
        Self::Counts,
        Self::Means,
        Self::Relations,
        Self::Detail,
        Self::Weights,
    ];

    /// The answer as the question has it.
    pub const fn option(self) -> &'static QuestionOption {
        &NEEDS[self as usize]
    }
}

impl Intruder {
    /// All answers, in the order of the question's options.
    pub const ALL: [Self; 5] = [
        Self::Neighbour,
        Self::Household,
        Self::Register,
        Self::Journalist,
        Self::WorstCase,
    ];

    /// The answer as the question has it.
    pub const fn option(self) -> &'static QuestionOption {
        &INTRUDERS[self as usize]
    }
}

/// What was answered to the three questions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Answers {
    recipient: Recipient,
    needs: Vec<Need>,
    #[serde(rename = "intruder")]
    intruders: Vec<Intruder>,
}

impl Answers {
    /// The answers by the ids of questions and options, in any order; a question that was not answered, or not as
    /// it may be, is an error that says what may be answered.
    pub fn of<Q: AsRef<str>, O: AsRef<str>>(chosen: &[(Q, Vec<O>)]) -> Result<Self, WorkError> {
        for (id, _) in chosen {
            question(id.as_ref())?;
        }
        let recipient = positions(&QUESTIONS[0], chosen)?;
        let [recipient] = recipient[..] else {
            return Err(WorkError::mistake(
                "the question `recipient` has more than one answer",
                "a file has one kind of recipients: choose the one that is trusted least",
            ));
        };
        let needs = positions(&QUESTIONS[1], chosen)?;
        let intruders = positions(&QUESTIONS[2], chosen)?;
        Ok(Self {
            recipient: Recipient::ALL[recipient],
            needs: needs.into_iter().map(|at| Need::ALL[at]).collect(),
            intruders: intruders.into_iter().map(|at| Intruder::ALL[at]).collect(),
        })
    }

    /// Who gets the file.
    pub fn recipient(&self) -> Recipient {
        self.recipient
    }

    /// What they need from it, each once, in the order of the question's options.
    pub fn needs(&self) -> &[Need] {
        &self.needs
    }

    /// Who could want to find whom, each once, in the order of the question's options.
    pub fn intruders(&self) -> &[Intruder] {
        &self.intruders
    }

    /// Whether they need this.
    pub fn need(&self, need: Need) -> bool {
        self.needs.contains(&need)
    }

    /// Whether this intruder is to be reckoned with.
    pub fn fear(&self, intruder: Intruder) -> bool {
        self.intruders.contains(&intruder)
    }

    /// Each question with the options that were chosen.
    pub fn chosen(&self) -> [(&'static Question, Vec<&'static QuestionOption>); 3] {
        let needs = self.needs.iter().map(|need| need.option());
        let intruders = self.intruders.iter().map(|intruder| intruder.option());
        [
            (&QUESTIONS[0], vec![self.recipient.option()]),
            (&QUESTIONS[1], needs.collect()),
            (&QUESTIONS[2], intruders.collect()),
        ]
    }
}

/// The question of an id.
fn question(id: &str) -> Result<&'static Question, WorkError> {
    let mut questions = QUESTIONS.iter();
    questions.find(|question| question.id == id).ok_or_else(|| {
        let ids = QUESTIONS.iter().map(|question| question.id);
        WorkError::mistake(format!("there is no question `{id}`"), near::hint(id, ids))
    })
}

/// The places of the options that were chosen, each once and in order; at least one.
fn positions<Q: AsRef<str>, O: AsRef<str>>(
    question: &Question,
    chosen: &[(Q, Vec<O>)],
) -> Result<Vec<usize>, WorkError> {
    let of_question = chosen.iter().filter(|(id, _)| id.as_ref() == question.id);
    let ids = || question.options.iter().map(|option| option.id);
    let mut out = Vec::new();
    for answer in of_question.flat_map(|(_, options)| options) {
        let answer = answer.as_ref();
        let position = ids().position(|id| id == answer).ok_or_else(|| {
            let message = format!("`{answer}` is no answer to the question `{}`", question.id);
            WorkError::mistake(message, near::hint(answer, ids()))
        })?;
        out.push(position);
    }
    if out.is_empty() {
        return Err(WorkError::mistake(
            format!("the question `{}` has no answer", question.id),
            format!("choose of {}", ids().collect::<Vec<_>>().join(", ")),
        ));
    }
    out.sort_unstable();
    out.dedup();
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_have_the_ids_of_their_options() {
        let named = |value: serde_json::Value| value.as_str().unwrap().to_owned();
        for answer in Recipient::ALL {
            let id = serde_json::to_value(answer).unwrap();
            assert_eq!(named(id), answer.option().id);
        }
        for answer in Need::ALL {
            let id = serde_json::to_value(answer).unwrap();
            assert_eq!(named(id), answer.option().id);
        }
        for answer in Intruder::ALL {
            let id = serde_json::to_value(answer).unwrap();
            assert_eq!(named(id), answer.option().id);
        }
        for question in QUESTIONS {
            let mut options = question.options.iter();
            assert!(options.any(|option| option.id == question.default));
        }
    }

    #[test]
    fn answers_are_read_by_id_and_each_counts_once() {
        let answers = Answers::of(&[
            ("intruder", vec!["register", "neighbour", "register"]),
            ("recipient", vec!["secure"]),
            ("needs", vec!["weights"]),
        ])
        .unwrap();
        assert_eq!(answers.recipient(), Recipient::Secure);
        assert_eq!(answers.needs(), [Need::Weights]);
        assert_eq!(
            answers.intruders(),
            [Intruder::Neighbour, Intruder::Register]
        );
    }

    #[test]
    fn mistyped_missing_and_doubled_answers_say_what_may_be_answered() {
        let said = |chosen: &[(&str, Vec<&str>)]| Answers::of(chosen).unwrap_err().to_string();
        let rest = [("needs", vec!["counts"]), ("intruder", vec!["register"])];
        let with = |first: (&'static str, Vec<&'static str>)| {
            let mut all = rest.to_vec();
            all.push(first);
            said(&all)
        };
        assert!(with(("recipient", vec!["pubic"])).contains("did you mean `public`?"));
        assert!(with(("recipients", vec!["public"])).contains("did you mean `recipient`?"));
        assert!(with(("recipient", vec!["public", "secure"])).contains("more than one answer"));
        assert!(said(&rest).contains("the question `recipient` has no answer"));
    }
}
