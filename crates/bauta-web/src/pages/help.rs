//! Help: the pages of methods, the grammar of plans, and what this app shows.

use axum::extract::Path;
use bauta_methods::registry;
use bauta_report::markdown_with;
use maud::{Markup, PreEscaped, html};

use super::layout::free;
use crate::app::{Answer, Unanswered};

/// What the app shows and keeps, for whoever asks.
const OF_THE_APP: &str = include_str!("help.md");

/// Pages on why things are as they are, by the names of their files.
const CONCEPTS: [(&str, &str); 6] = [
    (
        "advice",
        include_str!("../../../../docs/concepts/advice.md"),
    ),
    (
        "confidentiality",
        include_str!("../../../../docs/concepts/confidentiality.md"),
    ),
    (
        "generalisation",
        include_str!("../../../../docs/concepts/generalisation.md"),
    ),
    (
        "missing-values",
        include_str!("../../../../docs/concepts/missing-values.md"),
    ),
    (
        "risk-and-loss",
        include_str!("../../../../docs/concepts/risk-and-loss.md"),
    ),
    (
        "threat-model",
        include_str!("../../../../docs/concepts/threat-model.md"),
    ),
];

/// What is before the name of a concept in an address.
const CONCEPT: &str = "about-";

/// Where a page of the repository is read here; nothing for those that are not part of the program.
pub(crate) fn address_of(page: &str) -> Option<String> {
    let (file, anchor) = page.split_once('#').unwrap_or((page, ""));
    let stem = file.rsplit('/').next()?.strip_suffix(".md")?;
    let anchor = if anchor.is_empty() {
        String::new()
    } else {
        format!("#{anchor}")
    };
    if CONCEPTS.iter().any(|(known, _)| *known == stem) {
        return Some(format!("/help/{CONCEPT}{stem}{anchor}"));
    }
    let id = stem.replace('_', "-");
    registry::card(&id).map(|_| format!("/help/{id}{anchor}"))
}

/// The words of the field in plain ones.
const WORDS: &str = include_str!("words.md");

/// A page of help.
pub(crate) async fn show(Path(topic): Path<String>) -> Answer {
    let (title, text) = match topic.as_str() {
        "app" => ("About this app".to_owned(), OF_THE_APP),
        "words" => ("Words".to_owned(), WORDS),
        "plan" => ("The grammar of plans".to_owned(), bauta_plan::GRAMMAR),
        concept if concept.starts_with(CONCEPT) => {
            let name = &concept[CONCEPT.len()..];
            let found = CONCEPTS.iter().find(|(known, _)| *known == name);
            let (_, text) = found
                .ok_or_else(|| Unanswered::NotFound("There is no such page of help.".to_owned()))?;
            let title = text.lines().next().and_then(|line| line.strip_prefix("# "));
            (title.unwrap_or("Why").to_owned(), *text)
        }
        method => {
            let card = registry::card(method);
            let card = card
                .ok_or_else(|| Unanswered::NotFound("There is no such page of help.".to_owned()))?;
            (card.title.to_owned(), card.page)
        }
    };
    Ok(free(
        &title,
        &html! { div class="help" { (written(text)) } },
    ))
}

/// A text of ours, with links to other methods' pages that lead here.
pub(crate) fn written(text: &str) -> Markup {
    // The heading stands above already.
    let is_titled = text.starts_with("# ");
    let text = text
        .split_once('\n')
        .filter(|_| is_titled)
        .map_or(text, |(_, body)| body);
    PreEscaped(markdown_with(text, &address_of).into_string())
}
