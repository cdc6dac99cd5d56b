//! The tables of `docs/concepts/advice.md`, made from what advice does.

use super::bar::{
    DIVERSE, MAX_CORRELATION, MAX_DELETED, MAX_RECODED, MAX_RECODED_OF_DETAIL, MAX_RECODED_OF_ONE,
    MAX_TABLE, MAX_V, MIN_OVERLAP, demand, group_size,
};
use super::questions::{QUESTIONS, Recipient};

/// The questions with their options, as Markdown.
pub fn questions_text() -> String {
    let mut out = String::new();
    for question in QUESTIONS {
        let several = if question.several { "several" } else { "one" };
        out.push_str(&format!(
            "**{}** (`--{}`, {several})\n\n| answer | | means |\n|---|---|---|\n",
            question.text, question.id
        ));
        for option in question.options {
            let (id, label, means) = (option.id, option.label, option.means);
            out.push_str(&format!("| `{id}` | {label} | {means} |\n"));
        }
        out.push('\n');
    }
    out
}

/// The bounds of each recipient, as Markdown.
pub fn bounds_table() -> String {
    let mut out = String::from(
        "| recipient | k at least | largest risk, sample | largest risk, no weights | linked at most | groups of \
         numbers | sensitive: distance at most | because |\n|---|---|---|---|---|---|---|---|\n",
    );
    for recipient in Recipient::ALL {
        let demand = demand(recipient);
        let bar = &demand.bar;
        let distance = demand
            .max_distance
            .map_or_else(|| "not judged".to_owned(), |most| most.to_string());
        out.push_str(&format!(
            "| `{}` | {} | {} | 1/{} | {} | {} | {distance} | {} |\n",
            recipient.option().id,
            bar.k,
            bar.max_risk,
            bar.k,
            bar.max_linked,
            group_size(bar.max_linked),
            demand.why
        ));
    }
    out
}

/// What each need asks of the released file, as Markdown.
pub fn needs_table() -> String {
    format!(
        "| need | of categories that change | of numbers that are masked |\n|---|---|---|\n\
         | `counts` | `category-distance`, largest: at most {MAX_TABLE} | |\n\
         | `means` | | `weighted-estimates`, overlap of means: at least {MIN_OVERLAP} |\n\
         | `relations` | `category-distance`, mean change of V: at most {MAX_V} | `il5`: at most {MAX_CORRELATION} |\n\
         | `detail` | `recoding-loss`: at most {MAX_RECODED_OF_DETAIL} | |\n\
         | `weights` | `category-distance` weighted, largest: at most {MAX_TABLE} | `weighted-estimates`, overlap of \
         totals: at least {MIN_OVERLAP} |\n\nWhatever they need, categories that change have `recoding-loss` at most {MAX_RECODED}, each key at most \
         {MAX_RECODED_OF_ONE}, and of the records at most {MAX_DELETED} are deleted. Sensitive categories without a usual answer have `l-diversity` at least \
         {DIVERSE}.\n"
    )
}
