//! What the methods named on the page are, in a sentence each.

use bauta_methods::registry;
use maud::{Markup, html};

use crate::words::sentence;

/// The methods with these names, each once, in the order of the registry.
pub(crate) fn glossary<'a>(ids: impl IntoIterator<Item = &'a str>) -> Markup {
    let used: Vec<&str> = ids.into_iter().collect();
    html! {
        dl class="glossary" {
            @for card in registry::cards().filter(|card| used.contains(&card.id)) {
                dt { (card.title) " " code { (card.id) } }
                dd { (sentence(card.summary)) }
            }
        }
    }
}
