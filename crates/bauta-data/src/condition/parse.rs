//! From the text of a condition to its meaning.

use super::{Comparison, ConditionProblem, Expression, Literal};

/// One word, sign or value.
#[derive(Clone, PartialEq, Debug)]
enum Token {
    Word(String),
    QuotedName(String),
    Text(String),
    Number(String),
    Sign(&'static str),
}

/// Longer signs first, so that `<=` is not read as `<`.
const SIGNS: [&str; 11] = ["<=", ">=", "==", "!=", "<>", "=", "<", ">", "(", ")", ","];

/// Nesting that a condition may have; deeper ones are no condition anybody writes.
const MAX_DEPTH: usize = 50;

/// Comparisons that a condition may join; each is held for every record.
const MAX_COMPARISONS: usize = 1000;

/// Values that the lists of a condition may have together: reports and screens show the whole text.
const MAX_VALUES: usize = 2000;

/// Reads a whole condition.
pub(super) fn expression(text: &str) -> Result<Expression, ConditionProblem> {
    let tokens = tokens(text)?;
    let mut reader = Reader {
        tokens: &tokens,
        at: 0,
        depth: 0,
        n_comparisons: 0,
        n_values: 0,
    };
    let found = reader.either()?;
    match reader.peek() {
        None => Ok(found),
        Some(token) => Err(wrong(format!(
            "{} stands where the condition should end or go on with `and` or `or`",
            shown(token)
        ))),
    }
}

fn wrong(message: impl std::fmt::Display) -> ConditionProblem {
    ConditionProblem {
        message: format!("the condition cannot be read: {message}"),
        hint: "write it like AGI > 50000 and region in ('11', '12'); names with blanks go between backticks"
            .to_owned(),
    }
}

fn shown(token: &Token) -> String {
    match token {
        Token::Word(text) | Token::Number(text) => format!("`{text}`"),
        Token::QuotedName(_) => "a name".to_owned(),
        Token::Text(_) => "a text".to_owned(),
        Token::Sign(sign) => format!("`{sign}`"),
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, ConditionProblem> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, after) = if matches!(first, '\'' | '"' | '`') {
            quoted(first, &rest[1..])?
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            (Token::Sign(sign), &rest[sign.len()..])
        } else {
            bare(rest)
        };
        tokens.push(token);
        rest = after.trim_start();
    }
    Ok(tokens)
}

fn quoted(mark: char, rest: &str) -> Result<(Token, &str), ConditionProblem> {
    let Some(end) = rest.find(mark) else {
        return Err(wrong(format!("a {mark} is not closed")));
    };
    let inside = rest[..end].to_owned();
    let token = if mark == '`' {
        Token::QuotedName(inside)
    } else {
        Token::Text(inside)
    };
    Ok((token, &rest[end + 1..]))
}

/// A word or a number: up to the next blank or sign.
fn bare(rest: &str) -> (Token, &str) {
    let ends = |at: usize| {
        let after = &rest[at..];
        after.starts_with([' ', '\t', '\n', '\'', '"', '`'])
            || SIGNS.iter().any(|sign| after.starts_with(sign))
    };
    let end = rest
        .char_indices()
        .map(|(at, _)| at)
        .skip(1)
        .find(|&at| ends(at))
        .unwrap_or(rest.len());
    let text = &rest[..end];
    let token = match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Token::Number(text.to_owned()),
        _ => Token::Word(text.to_owned()),
    };
    (token, &rest[end..])
}

struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    n_comparisons: usize,
    n_values: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn next(&mut self, wanted: &str) -> Result<Token, ConditionProblem> {
        let token = self.peek().cloned();
        self.at += 1;
        token.ok_or_else(|| wrong(format!("it ends where {wanted} should follow")))
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let here =
            matches!(self.peek(), Some(Token::Word(found)) if found.eq_ignore_ascii_case(word));
        self.at += usize::from(here);
        here
    }

    fn takes_sign(&mut self, sign: &str) -> bool {
        let here = matches!(self.peek(), Some(Token::Sign(found)) if *found == sign);
        self.at += usize::from(here);
        here
    }

    fn either(&mut self) -> Result<Expression, ConditionProblem> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(wrong("its brackets are too deep"));
        }
        let mut left = self.both()?;
        while self.takes_word("or") {
            left = Expression::Or(Box::new(left), Box::new(self.both()?));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn both(&mut self) -> Result<Expression, ConditionProblem> {
        let mut left = self.negated()?;
        while self.takes_word("and") {
            left = Expression::And(Box::new(left), Box::new(self.negated()?));
        }
        Ok(left)
    }

    fn negated(&mut self) -> Result<Expression, ConditionProblem> {
        let mut n_nots = 0;
        while self.takes_word("not") {
            n_nots += 1;
        }
        let inner = self.single()?;
        Ok(if n_nots % 2 == 1 {
            Expression::Not(Box::new(inner))
        } else {
            inner
        })
    }

    fn single(&mut self) -> Result<Expression, ConditionProblem> {
        if self.takes_sign("(") {
            let inner = self.either()?;
            if !self.takes_sign(")") {
                return Err(wrong("a ( is not closed"));
            }
            return Ok(inner);
        }
        self.n_comparisons += 1;
        if self.n_comparisons > MAX_COMPARISONS {
            return Err(ConditionProblem {
                message: format!("the condition has more than {MAX_COMPARISONS} comparisons"),
                hint: "list the values as in region in ('11', '12'), or compare a recoded variable"
                    .to_owned(),
            });
        }
        let variable = match self.next("a variable")? {
            Token::Word(name) | Token::QuotedName(name) => name,
            other => {
                return Err(wrong(format!(
                    "{} stands where a variable should",
                    shown(&other)
                )));
            }
        };
        if self.takes_word("is") {
            let negated = self.takes_word("not");
            if !self.takes_word("missing") {
                return Err(wrong(
                    "`is` must be followed by `missing` or `not missing`".to_owned(),
                ));
            }
            let missing = Expression::Missing { variable };
            return Ok(if negated {
                Expression::Not(Box::new(missing))
            } else {
                missing
            });
        }
        if self.takes_word("in") {
            return Ok(Expression::In {
                variable,
                values: self.list()?,
            });
        }
        let comparison = match self.next("a comparison such as >")? {
            Token::Sign("=" | "==") => Comparison::Equal,
            Token::Sign("!=" | "<>") => Comparison::Unequal,
            Token::Sign("<") => Comparison::Less,
            Token::Sign("<=") => Comparison::LessOrEqual,
            Token::Sign(">") => Comparison::Greater,
            Token::Sign(">=") => Comparison::GreaterOrEqual,
            other => {
                return Err(wrong(format!(
                    "{} stands where a comparison should",
                    shown(&other)
                )));
            }
        };
        Ok(Expression::Compare {
            variable,
            comparison,
            value: self.value()?,
        })
    }

    fn value(&mut self) -> Result<Literal, ConditionProblem> {
        match self.next("a value")? {
            Token::Number(text) | Token::Text(text) | Token::Word(text) => Ok(Literal(text)),
            other => Err(wrong(format!(
                "{} stands where a value should",
                shown(&other)
            ))),
        }
    }

    fn list(&mut self) -> Result<Vec<Literal>, ConditionProblem> {
        if !self.takes_sign("(") {
            return Err(wrong(
                "`in` must be followed by values in brackets".to_owned(),
            ));
        }
        let mut values = vec![self.value()?];
        while self.takes_sign(",") {
            values.push(self.value()?);
        }
        if !self.takes_sign(")") {
            return Err(wrong("a ( is not closed"));
        }
        self.n_values += values.len();
        if self.n_values > MAX_VALUES {
            return Err(ConditionProblem {
                message: format!("the condition lists more than {MAX_VALUES} values"),
                hint: "compare a recoded variable instead".to_owned(),
            });
        }
        Ok(values)
    }
}
