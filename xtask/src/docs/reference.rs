//! The generated pages: a list of methods, and a page for each with its parameters in a table.

use std::fmt::Write as _;
use std::path::Path;

use bauta_methods::card::{
    Card, ConstValue, Family, ParamDefault, ParamSpec, ParamType, Randomness,
};
use bauta_methods::params::describe;

use crate::markdown;
use crate::tidy::links::{is_elsewhere, resolve};
use crate::tidy::methods::page_path;

pub(super) const GENERATED: &str =
    "<!-- Written by `cargo xtask docs` from the sources; edit those instead. -->";

/// What the results of every method are checked against: that section of its page, with links that work from here.
pub(super) fn checks(cards: &[&Card]) -> Result<String, String> {
    let mut page = format!(
        "{GENERATED}\n# How the results are checked\n\n\
         Every method has golden cases with their source (`crates/bauta-methods/golden`); a case from outside is never\n\
         rewritten from our own output. A conformance suite runs over the registry, so that no method can leave it\n\
         out: masks leave other columns alone, repeat for the same seed on any number of threads, and are the identity\n\
         at neutral parameters; measures stay in their range and do not depend on row order. Where we differ from\n\
         others, and why: [agreement and differences](../concepts/agreement.md).\n\n\
         | method | checked against |\n|---|---|\n"
    );
    for card in cards {
        let text = moved_links(card, cards);
        let section = section(&text, CHECKED)
            .ok_or_else(|| format!("the page of {} has no section \"{CHECKED}\"", card.id))?;
        let _ = writeln!(
            page,
            "| [`{0}`]({0}.md) | {1} |",
            card.id,
            in_a_cell(section)
        );
    }
    Ok(page)
}

/// The section of a page that says what its method is checked against.
const CHECKED: &str = "Checked against";

/// What stands under a heading.
fn section<'t>(text: &'t str, heading: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("\n## {heading}\n"))?;
    let end = rest.find("\n## ").unwrap_or(rest.len());
    Some(rest[..end].trim())
}

/// Paragraphs, lists and tables as one cell: the page itself has their form.
fn in_a_cell(section: &str) -> String {
    let is_rule = |line: &str| line.chars().all(|sign| "|-: ".contains(sign));
    let lines = section.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("```") && !is_rule(line));
    let words: Vec<String> = lines
        .map(|line| {
            let line = line.trim_matches('|').trim();
            let line = line.strip_prefix("- ").unwrap_or(line);
            line.replace('|', "·")
        })
        .collect();
    words.join(" ")
}

/// The list of all methods, by family.
pub(super) fn method_list(cards: &[&Card]) -> String {
    let mut page = format!("{GENERATED}\n# Methods\n");
    let families = [
        (Family::Mask, "Masks change the file."),
        (
            Family::Adjuster,
            "Adjusters mend the weights after masking.",
        ),
        (Family::Risk, "Risks say what an intruder could learn."),
        (Family::Loss, "Losses say what an analyst would lose."),
        (Family::Score, "Scores weigh loss against risk."),
    ];
    for (family, sentence) in families {
        let members: Vec<&&Card> = cards.iter().filter(|card| card.family == family).collect();
        if members.is_empty() {
            continue;
        }
        let _ = write!(
            page,
            "\n{sentence}\n\n| method | family | what it does | parameters |\n|---|---|---|---|\n"
        );
        for card in members {
            let names: Vec<String> = card
                .params
                .iter()
                .map(|spec| format!("`{}`", spec.name))
                .collect();
            let names = if names.is_empty() {
                "none".to_owned()
            } else {
                names.join(", ")
            };
            let summary = cell(card.summary);
            let _ = writeln!(
                page,
                "| [`{0}`]({0}.md) | {1} | {summary} | {names} |",
                card.id,
                family.name()
            );
        }
    }
    page.push_str(
        "\nHow a plan calls them: [plan.md](plan.md). The format of run records: \
         [run-record.schema.json](run-record.schema.json).\n",
    );
    page
}

/// Which method goes which way on a file larger than memory, and what it then has in memory.
pub(super) fn scaling(cards: &[&Card]) -> String {
    let mut page = format!(
        "{GENERATED}\n# Methods and files larger than memory\n\n\
         What a method has in memory at a time where columns lie on the disk\n\
         ([files larger than memory](../guide/large-files.md)). Results are the same whichever way it goes.\n\n\
         | method | way | in memory |\n|---|---|---|\n"
    );
    for card in cards {
        let (way, memory) = (card.scaling.name(), card.scaling.memory());
        let _ = writeln!(page, "| [`{0}`]({0}.md) | {way} | {memory} |", card.id);
    }
    page
}

/// The page of a method: the card's own text, then what the program checks.
pub(super) fn method_page(card: &Card, cards: &[&Card]) -> String {
    let text = moved_links(card, cards);
    format!(
        "{GENERATED}\n{}\n\n## As the program checks it\n\n{}\n{}",
        text.trim_end(),
        facts(card),
        parameter_table(card)
    )
}

/// A text that another crate holds, as a page.
pub(super) fn copied(text: &str) -> String {
    format!("{GENERATED}\n{}\n", text.trim_end())
}

/// The page's text with links that work from `docs/reference`.
fn moved_links(card: &Card, cards: &[&Card]) -> String {
    let page = page_path(card);
    markdown::retarget(card.page, |target| {
        let (path, anchor) = target
            .split_once('#')
            .map_or((target, None), |(path, anchor)| (path, Some(anchor)));
        if path.is_empty() || is_elsewhere(target) {
            return None;
        }
        let linked = resolve(&page, path)?;
        let method = cards
            .iter()
            .find(|other| Path::new(&page_path(other)) == linked);
        let moved = method.map_or_else(
            || format!("../../{}", linked.to_string_lossy().replace('\\', "/")),
            |other| format!("{}.md", other.id),
        );
        Some(anchor.map_or(moved.clone(), |anchor| format!("{moved}#{anchor}")))
    })
}

fn parameter_table(card: &Card) -> String {
    if card.params.is_empty() {
        return "It has no parameters.\n".to_owned();
    }
    let mut table = String::from("| name | meaning | allowed | default |\n|---|---|---|---|\n");
    for spec in card.params {
        let _ = writeln!(
            table,
            "| `{}` | {} | {} | {} |",
            spec.name,
            cell(spec.meaning),
            cell(&allowed(spec)),
            cell(&default(spec))
        );
    }
    let _ = write!(
        table,
        "\nAs JSON schema: [params/{0}.schema.json](params/{0}.schema.json).\n",
        card.id
    );
    table
}

fn allowed(spec: &ParamSpec) -> String {
    match spec.ty {
        ParamType::Choice(choices) => {
            let choices: Vec<String> = choices
                .iter()
                .map(|(name, meaning)| format!("`{name}`: {meaning}"))
                .collect();
            choices.join("; ")
        }
        ty => describe(ty),
    }
}

fn default(spec: &ParamSpec) -> String {
    match spec.default {
        ParamDefault::Required => "must be given".to_owned(),
        ParamDefault::Unset(meaning) => format!("none: {meaning}"),
        ParamDefault::Value(ConstValue::Number(value)) => format!("`{value}`"),
        ParamDefault::Value(ConstValue::Integer(value)) => format!("`{value}`"),
        ParamDefault::Value(ConstValue::Flag(value)) => format!("`{value}`"),
        ParamDefault::Value(ConstValue::Text(value)) => format!("`{value}`"),
        ParamDefault::Value(ConstValue::Integers(values)) => format!("`{values:?}`"),
    }
}

/// What the card says besides the page: family, variables, randomness.
fn facts(card: &Card) -> String {
    let kinds: Vec<&str> = card.targets.kinds.iter().map(|kind| kind.name()).collect();
    let refused: Vec<&str> = card
        .targets
        .refused_roles
        .iter()
        .map(|role| role.name())
        .collect();
    let chosen: Vec<&str> = card
        .targets
        .default_roles
        .iter()
        .map(|role| role.name())
        .collect();
    let chosen = match chosen.as_slice() {
        [] => "those named in `on`".to_owned(),
        roles => format!(
            "those named in `on`, or else all with the role {}",
            roles.join(", ")
        ),
    };
    let refused = match refused.as_slice() {
        [] => String::new(),
        roles => format!("; never with the role {}", roles.join(", ")),
    };
    let randomness = match card.randomness {
        Randomness::None => "draws no random numbers",
        Randomness::Seeded => "draws random numbers from the seed",
    };
    format!(
        "Family: {}. Variables: {chosen}; kinds {}{refused}. It {randomness}.\n",
        card.family.name(),
        kinds.join(", ")
    )
}

/// A text as a table cell: a bar would end it.
pub(super) fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;
    use bauta_methods::card::Targets;

    static OTHER: Card = Card {
        id: "il-one",
        title: "IL1",
        summary: "a loss",
        family: Family::Loss,
        page: "# IL1\n",
        params: &[],
        targets: Targets::NAMED,
        randomness: Randomness::None,
        references: &[],
        ..Card::PLAIN
    };

    static SWAP: Card = Card {
        id: "a-swap",
        title: "A swap",
        summary: "swaps a|b",
        family: Family::Mask,
        page: "# A swap\nSee [IL1](../loss/il_one.md#data), [code](../registry.rs), [web](https://example.org).\n\n\
               ## Parameters\nThe window.\n\n## Data\nNumbers.\n",
        params: &[
            ParamSpec {
                name: "window",
                meaning: "how far",
                ty: ParamType::Fraction { min: 0.0, max: 1.0 },
                default: ParamDefault::Required,
                or_date: false,
            },
            ParamSpec {
                name: "missing",
                meaning: "what to do",
                ty: ParamType::Choice(&[("refuse", "stop"), ("skip", "go on")]),
                default: ParamDefault::Value(ConstValue::Text("refuse")),
                or_date: false,
            },
        ],
        targets: Targets::CONTINUOUS,
        randomness: Randomness::Seeded,
        references: &[],
        ..Card::PLAIN
    };

    #[test]
    fn the_table_follows_the_text_and_links_still_lead_there() {
        let page = method_page(&SWAP, &[&SWAP, &OTHER]);
        assert!(page.contains("[IL1](il-one.md#data)"), "{page}");
        assert!(
            page.contains("[code](../../crates/bauta-methods/src/registry.rs)"),
            "{page}"
        );
        assert!(page.contains("[web](https://example.org)"));
        assert!(page.contains("| `window` | how far | a fraction from 0 to 1 | must be given |\n"));
        assert!(
            page.contains(
                "| `missing` | what to do | `refuse`: stop; `skip`: go on | `refuse` |\n"
            )
        );
        assert!(
            page.contains("Numbers.\n\n## As the program checks it\n"),
            "{page}"
        );
        assert!(page.contains("It draws random numbers from the seed.\n"));
    }

    #[test]
    fn a_method_without_parameters_says_so() {
        let page = method_page(&OTHER, &[&OTHER]);
        assert!(page.contains("It has no parameters."), "{page}");
        assert!(page.contains("It draws no random numbers.\n"), "{page}");
    }

    #[test]
    fn lists_name_every_method_and_survive_bars() {
        let list = method_list(&[&SWAP, &OTHER]);
        assert!(
            list.contains("| [`a-swap`](a-swap.md) | mask | swaps a\\|b | `window`, `missing` |\n")
        );
        assert!(list.contains("| [`il-one`](il-one.md) | loss | a loss | none |\n"));
        assert!(
            !list.contains("Adjusters"),
            "families without members have no table"
        );
    }

    #[test]
    fn every_method_has_a_row_of_checks_in_one_line() {
        let page = "# IL1\n\n## Checked against\n\nA table,\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- and a list.\n\n## References\n\nNone.\n";
        let checked = Card { page, ..OTHER };
        let table = checks(&[&checked]).unwrap();
        assert!(
            table.ends_with("| [`il-one`](il-one.md) | A table, a · b 1 · 2 and a list. |\n"),
            "{table}"
        );
        assert!(checks(&[&OTHER]).unwrap_err().contains("il-one"));
    }
}
