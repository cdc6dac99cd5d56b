//! Sentences with figures in them.

use bauta_methods::exhibit::{self, Paragraph, Verdict, Word, Words};
use maud::{Markup, html};

use crate::number::{NO_FIGURE, number, percent, settled, significant};

/// A figure as it is written everywhere in a report.
pub(super) fn figure(value: Option<f64>, unit: exhibit::Unit, digits: Option<u8>) -> String {
    let Some(value) = value.map(settled) else {
        return NO_FIGURE.to_owned();
    };
    match (unit, digits) {
        (exhibit::Unit::Share, _) => percent(value),
        (exhibit::Unit::Count | exhibit::Unit::Number, Some(digits)) => significant(value, digits),
        (exhibit::Unit::Count | exhibit::Unit::Number, None) => number(value),
    }
}

/// Words with their figures.
pub(crate) fn words(words: &Words) -> Markup {
    html! {
        @for word in &words.0 {
            @match word {
                Word::Text(text) => { (text) }
                Word::Strong { strong } => { strong { (strong) } }
                Word::Figure { figure: value, unit, digits } => { (figure(*value, *unit, *digits)) }
            }
        }
    }
}

/// Words as text alone.
pub(crate) fn plain(words: &Words) -> String {
    let parts = words.0.iter().map(|word| match word {
        Word::Text(text) | Word::Strong { strong: text } => text.clone(),
        Word::Figure {
            figure: value,
            unit,
            digits,
        } => figure(*value, *unit, *digits),
    });
    parts.collect()
}

/// A paragraph.
pub(crate) fn paragraph(one: &Paragraph) -> Markup {
    let body = html! {
        p {
            @match &one.verdict {
                Some(Verdict::Good(said)) => { strong class="good" { "✓ " (words(said)) } }
                Some(Verdict::Bad(said)) => { strong class="bad" { "✗ " (words(said)) } }
                None => {}
            }
            (words(&one.words))
        }
    };
    match &one.folded_as {
        None => body,
        Some(summary) => html! { details { summary { (summary) } (body) } },
    }
}
