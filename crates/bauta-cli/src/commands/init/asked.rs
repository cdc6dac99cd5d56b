//! The questions of `bauta init --advise`, asked on a terminal.

use std::io::{BufRead, IsTerminal as _, Write, stdin, stdout};

use bauta_plan::work::WorkError;
use bauta_plan::work::advise::{Answers, QUESTIONS, Question};

use crate::arguments::AdviseArguments;
use crate::failure::Failure;

/// What flags answer, and the rest from a terminal; without one, the flags that are wanted.
pub(super) fn answers(arguments: &AdviseArguments) -> Result<Answers, Failure> {
    let open = || {
        QUESTIONS
            .iter()
            .filter(|question| arguments.answer(question).is_none())
    };
    let mut chosen = arguments.answers.clone();
    if open().next().is_some() {
        if !(stdin().is_terminal() && stdout().is_terminal()) {
            let flags: Vec<String> = open().map(flag).collect();
            let mistake = WorkError::mistake(
                "there is no terminal to ask questions on",
                format!("answer with {}", flags.join(" ")),
            );
            return Err(mistake.into());
        }
        for question in open() {
            let answer = ask(question, &mut stdin().lock(), &mut stdout().lock())?;
            chosen.push((question.id, answer));
        }
    }
    Ok(Answers::of(&chosen)?)
}

/// A flag with an example of its answer.
fn flag(question: &Question) -> String {
    let ids: Vec<&str> = question.options.iter().map(|option| option.id).collect();
    format!("--{} {}", question.id, ids.join("|"))
}

/// Asks until the answer can be understood. Nothing is the default, and the end of the input is none.
fn ask(
    question: &Question,
    input: &mut dyn BufRead,
    screen: &mut dyn Write,
) -> Result<Vec<String>, WorkError> {
    let lost = |_| WorkError::mistake("the terminal is gone", "answer with flags instead");
    let mut text = format!("\n{}\n", question.text);
    for (number, option) in (1..).zip(question.options) {
        text.push_str(&format!(
            "  {number}  {}\n     {}\n",
            option.label, option.means
        ));
    }
    screen.write_all(text.as_bytes()).map_err(lost)?;
    let position = |id: &str| question.options.iter().position(|option| option.id == id);
    let default = position(question.default).map_or(1, |position| position + 1);
    let which = if question.several {
        "Numbers, with commas between them"
    } else {
        "Number"
    };
    loop {
        write!(screen, "{which} [{default}]: ").map_err(lost)?;
        screen.flush().map_err(lost)?;
        let mut line = String::new();
        if input.read_line(&mut line).map_err(lost)? == 0 {
            return Err(WorkError::mistake(
                format!("the question \"{}\" was not answered", question.text),
                format!("answer on the terminal, or with {}", flag(question)),
            ));
        }
        match understood(question, line.trim()) {
            Ok(chosen) => return Ok(chosen),
            Err(complaint) => writeln!(screen, "{complaint}").map_err(lost)?,
        }
    }
}

/// The ids that a line names, by number or by id.
fn understood(question: &Question, line: &str) -> Result<Vec<String>, String> {
    if line.is_empty() {
        return Ok(vec![question.default.to_owned()]);
    }
    let words = line.split([',', ' ']).filter(|word| !word.is_empty());
    let mut chosen = Vec::new();
    for word in words {
        let of_number = word
            .parse::<usize>()
            .ok()
            .and_then(|number| number.checked_sub(1));
        let of_id = || question.options.iter().position(|option| option.id == word);
        let option = of_number
            .or_else(of_id)
            .and_then(|position| question.options.get(position));
        let Some(option) = option else {
            return Err(format!(
                "a number from 1 to {}, please",
                question.options.len()
            ));
        };
        chosen.push(option.id.to_owned());
    }
    if chosen.len() > 1 && !question.several {
        return Err("one of them, please: that which is trusted least".to_owned());
    }
    if chosen.is_empty() {
        return Err(format!(
            "a number from 1 to {}, please",
            question.options.len()
        ));
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(question: &Question, typed: &str) -> (Result<Vec<String>, WorkError>, String) {
        let mut screen = Vec::new();
        let answer = ask(question, &mut typed.as_bytes(), &mut screen);
        (answer, String::from_utf8(screen).unwrap())
    }

    #[test]
    fn an_empty_line_is_the_default_and_the_default_is_shown() {
        let (answer, screen) = asked(&QUESTIONS[2], "\n");
        assert_eq!(answer.unwrap(), ["worst-case"]);
        assert!(screen.ends_with("Numbers, with commas between them [5]: "));
    }

    #[test]
    fn numbers_and_ids_are_answers_and_what_is_neither_is_asked_again() {
        let (answer, screen) = asked(&QUESTIONS[1], "9\n0\nmeens\n1, relations\n");
        assert_eq!(answer.unwrap(), ["counts", "relations"]);
        assert_eq!(screen.matches("a number from 1 to 5, please").count(), 3);
    }

    #[test]
    fn a_question_with_one_answer_takes_one() {
        let (answer, screen) = asked(&QUESTIONS[0], "1,2\n3\n");
        assert_eq!(answer.unwrap(), ["scientific"]);
        assert!(screen.contains("one of them, please"));
    }

    #[test]
    fn the_end_of_the_input_answers_nothing() {
        let (answer, _) = asked(&QUESTIONS[0], "");
        assert!(
            answer
                .unwrap_err()
                .to_string()
                .contains("--recipient public|teaching")
        );
    }
}
