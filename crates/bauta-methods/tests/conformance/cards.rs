//! Cards, pages, references and names.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use bauta_methods::card::ConstValue;
use bauta_methods::{
    Card, Family, ParamDefault, ParamProblem, ParamSpec, ParamType, Params, RawValue, registry,
};

const HEADINGS: [&str; 11] = [
    "## What it does",
    "## Use it when, and when not",
    "## Formula",
    "## Parameters",
    "## Data",
    "## Reads as",
    "## Complexity",
    "## Determinism",
    "## Differs from the paper",
    "## Checked against",
    "## References",
];

fn manifest() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text below a heading of a page.
fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let start = page
        .find(heading)
        .map_or(page.len(), |at| at + heading.len());
    let rest = &page[start..];
    &rest[..rest.find("\n## ").unwrap_or(rest.len())]
}

#[test]
fn every_page_has_its_headings_and_says_something_below_each() {
    for card in registry::cards() {
        let first = card.page.lines().next().unwrap_or_default();
        assert_eq!(first, format!("# {}", card.title), "page of {}", card.id);
        let headings: Vec<&str> = card
            .page
            .lines()
            .filter(|line| line.starts_with("## "))
            .collect();
        assert_eq!(headings, HEADINGS, "page of {}", card.id);
        for heading in HEADINGS {
            assert!(
                section(card.page, heading).trim().len() >= 4,
                "{}: nothing below {heading}",
                card.id
            );
        }
    }
}

#[test]
fn every_parameter_and_choice_is_on_the_page_with_its_default() {
    for card in registry::cards() {
        let text = section(card.page, "## Parameters");
        for spec in card.params {
            let line = text
                .lines()
                .find(|line| line.starts_with(&format!("| `{}` |", spec.name)));
            let line = line.unwrap_or_else(|| {
                panic!("the page of `{}` does not explain `{}`", card.id, spec.name)
            });
            let default = line
                .trim_end_matches(" |")
                .rsplit(" | ")
                .next()
                .unwrap_or_default();
            assert!(
                default_is_stated(spec, default),
                "`{}` `{}`: default is not {default}",
                card.id,
                spec.name
            );
            if let ParamType::Choice(choices) = spec.ty {
                for (choice, _) in choices {
                    assert!(
                        line.contains(&format!("`{choice}`")),
                        "`{}` `{}`: {choice}",
                        card.id,
                        spec.name
                    );
                }
            }
        }
    }
}

fn default_is_stated(spec: &ParamSpec, stated: &str) -> bool {
    match spec.default {
        ParamDefault::Required => stated == "must be given",
        ParamDefault::Unset(_) => stated.starts_with("not set"),
        ParamDefault::Value(ConstValue::Number(number)) => stated == number.to_string(),
        ParamDefault::Value(ConstValue::Integer(number)) => stated == number.to_string(),
        ParamDefault::Value(ConstValue::Flag(flag)) => stated == format!("`{flag}`"),
        ParamDefault::Value(ConstValue::Text(text)) => stated == format!("`{text}`"),
        ParamDefault::Value(ConstValue::Integers(numbers)) => {
            let texts: Vec<String> = numbers.iter().map(ToString::to_string).collect();
            stated == texts.join(", ")
        }
    }
}

#[test]
fn every_reference_is_in_the_bibliography_and_on_the_page() {
    let path = manifest().join("../../references.bib");
    let bibliography = fs::read_to_string(path).expect("references.bib at the root");
    let entry = |line: &str| -> Option<String> {
        let (_, rest) = line.strip_prefix('@')?.split_once('{')?;
        rest.strip_suffix(',').map(str::to_owned)
    };
    let keys: Vec<String> = bibliography.lines().filter_map(entry).collect();
    let distinct: BTreeSet<&String> = keys.iter().collect();
    assert_eq!(distinct.len(), keys.len(), "references.bib has a key twice");
    let mut cited = BTreeSet::new();
    for card in registry::cards() {
        assert!(
            !card.references.is_empty(),
            "`{}` has no reference",
            card.id
        );
        let text = section(card.page, "## References");
        for key in card.references {
            assert!(
                keys.iter().any(|known| known == key),
                "`{}` cites {key}, which references.bib lacks",
                card.id
            );
            assert!(
                text.contains(&format!("[{key}]")),
                "the page of `{}` does not cite {key}",
                card.id
            );
        }
        let on_page = keys.iter().filter(|key| text.contains(&format!("[{key}]")));
        cited.extend(on_page);
        for item in text.lines().filter(|line| line.starts_with("- ")) {
            let known = keys.iter().any(|key| item.contains(&format!("[{key}]")));
            assert!(
                known,
                "the page of `{}` has a reference without a key: {item}",
                card.id
            );
        }
    }
    assert_eq!(
        cited.len(),
        keys.len(),
        "references.bib has an entry that no page cites"
    );
}

/// `rank-swap` is `rank_swap` in files and `RankSwap` in code.
#[test]
fn one_stem_everywhere() {
    let registry_text =
        fs::read_to_string(manifest().join("src/registry.rs")).expect("registry.rs");
    for card in registry::cards() {
        let folder = match card.family {
            Family::Mask => "mask",
            Family::Adjuster => "adjust",
            Family::Risk => "risk",
            Family::Loss => "loss",
            Family::Score => "score",
        };
        let stem = card.id.replace('-', "_");
        let name: String = card.id.split('-').map(capitalised).collect();
        let source = fs::read_to_string(manifest().join(format!("src/{folder}/{stem}.rs")));
        let source = source.unwrap_or_else(|error| panic!("src/{folder}/{stem}.rs: {error}"));
        assert!(
            source.contains(&format!("pub struct {name};")),
            "src/{folder}/{stem}.rs has no struct {name}"
        );
        assert!(
            source.contains(&format!("id: \"{}\"", card.id)),
            "src/{folder}/{stem}.rs is not {}",
            card.id
        );
        assert!(
            source.starts_with(&format!("#![doc = include_str!(\"{stem}.md\")]")),
            "{stem}.rs shows no page"
        );
        let page =
            fs::read_to_string(manifest().join(format!("src/{folder}/{stem}.md"))).expect("a page");
        assert_eq!(page, card.page, "{}", card.id);
        assert!(
            registry_text.contains(&format!("&{folder}::{stem}::{name},")),
            "{} in registry.rs",
            card.id
        );
    }
    let ids: BTreeSet<&str> = registry::cards().map(|card| card.id).collect();
    assert_eq!(
        ids.len(),
        registry::cards().count(),
        "two methods share a name"
    );
}

fn capitalised(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_uppercase() + rest
}

#[test]
fn cards_are_written_alike() {
    for card in registry::cards() {
        assert!(
            card.summary.starts_with(char::is_lowercase) && !card.summary.ends_with('.'),
            "{}",
            card.id
        );
        for spec in card.params {
            assert!(
                spec.meaning.starts_with(char::is_lowercase) && !spec.meaning.ends_with('.'),
                "{}",
                spec.name
            );
            assert!(
                spec.name
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c == '_'),
                "{}",
                spec.name
            );
        }
    }
}

/// A method's example, as the base that one parameter is changed in.
fn base(card: &Card) -> Vec<(String, RawValue)> {
    let example = registry::mask(card.id)
        .map(bauta_methods::Mask::example)
        .or_else(|| registry::adjuster(card.id).map(bauta_methods::Adjuster::example))
        .or_else(|| registry::measure(card.id).map(bauta_methods::Measure::example))
        .unwrap_or_default();
    example
        .into_iter()
        .map(|(name, raw)| (name.to_owned(), raw))
        .collect()
}

fn with(card: &Card, name: &str, raw: RawValue) -> Result<Params, Vec<ParamProblem>> {
    let mut given = base(card);
    given.retain(|(given, _)| given != name);
    given.push((name.to_owned(), raw));
    Params::check(card, &given)
}

fn numbers(numbers: &[f64]) -> RawValue {
    let list = numbers.iter().map(|&number| RawValue::Number(number));
    RawValue::List(list.collect())
}

fn refused_maps(min: f64, max: f64) -> Vec<RawValue> {
    let of = |value: f64| RawValue::Map(vec![("a".to_owned(), RawValue::Number(value))]);
    let text = RawValue::Text("no such thing".to_owned());
    let mut values = vec![text, RawValue::Integer(1), numbers(&[1.0]), of(f64::NAN)];
    let beyond = [min - 0.001, max + 0.001].into_iter();
    values.extend(beyond.filter(|limit| limit.is_finite()).map(of));
    values
}

fn refused_rows(min: f64, max: f64) -> Vec<RawValue> {
    let rows = |rows: &[&[f64]]| RawValue::List(rows.iter().map(|row| numbers(row)).collect());
    let text = RawValue::Text("no such thing".to_owned());
    let mut values = vec![text, numbers(&[1.0]), rows(&[]), rows(&[&[]])];
    values.push(rows(&[&[1.0, 1.0], &[1.0]]));
    values.push(rows(&[&[f64::NAN]]));
    let beyond = [min - 0.001, max + 0.001].into_iter();
    let beyond = beyond.filter(|limit| limit.is_finite());
    values.extend(beyond.map(|limit| rows(&[&[limit]])));
    values
}

/// Values that a parameter of this type must refuse.
fn refused(ty: ParamType) -> Vec<RawValue> {
    let text = || RawValue::Text("no such thing".to_owned());
    match ty {
        ParamType::Fraction { min, max } | ParamType::Number { min, max } => {
            let mut values = vec![
                text(),
                RawValue::Flag(true),
                RawValue::List(Vec::new()),
                RawValue::Map(Vec::new()),
            ];
            values.extend([f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(RawValue::Number));
            if min.is_finite() {
                values.extend([
                    RawValue::Number(min - 0.001),
                    RawValue::Integer(min as i64 - 1),
                ]);
            }
            if max.is_finite() {
                values.extend([
                    RawValue::Number(max + 0.001),
                    RawValue::Integer(max as i64 + 1),
                ]);
            }
            values
        }
        ParamType::Integer { min, max } => {
            let mut values = vec![
                text(),
                RawValue::Number(min as f64 + 0.5),
                RawValue::List(Vec::new()),
            ];
            values.extend(min.checked_sub(1).map(RawValue::Integer));
            values.extend(max.checked_add(1).map(RawValue::Integer));
            values
        }
        ParamType::Flag => vec![text(), RawValue::Integer(1)],
        ParamType::Choice(_) | ParamType::TextMap => {
            vec![text(), RawValue::Integer(1), RawValue::List(Vec::new())]
        }
        ParamType::KeySets => vec![
            text(),
            RawValue::Integer(1),
            RawValue::List(vec![text()]),
            RawValue::Map(Vec::new()),
            RawValue::Map(vec![("set".to_owned(), RawValue::List(Vec::new()))]),
        ],
        ParamType::NumberMap { min, max } => refused_maps(min, max),
        ParamType::NumberRows { min, max } => refused_rows(min, max),
        ParamType::RisingNumbers => {
            vec![
                text(),
                RawValue::Map(Vec::new()),
                numbers(&[2.0, 1.0]),
                numbers(&[1.0, 1.0]),
                numbers(&[f64::NAN]),
            ]
        }
        ParamType::Numbers { min, max } => {
            let mut values = vec![text(), RawValue::Map(Vec::new()), numbers(&[])];
            values.extend([f64::NAN, f64::INFINITY].map(|value| numbers(&[1.0, value])));
            let beyond = [min - 0.001, max + 0.001].into_iter();
            values.extend(
                beyond
                    .filter(|limit| limit.is_finite())
                    .map(|limit| numbers(&[limit])),
            );
            values
        }
        ParamType::Integers { min, max } => {
            let twice = RawValue::List(vec![RawValue::Integer(min), RawValue::Integer(min)]);
            let mut values = vec![text(), twice, numbers(&[min as f64 + 0.5])];
            values.extend(min.checked_sub(1).map(RawValue::Integer));
            values.extend(max.checked_add(1).map(RawValue::Integer));
            values
        }
        ParamType::Counts { min, max } => {
            let mut values = vec![text(), numbers(&[min as f64 + 0.5])];
            values.extend(min.checked_sub(1).map(RawValue::Integer));
            values.extend(max.checked_add(1).map(RawValue::Integer));
            values
        }
        ParamType::Texts | ParamType::Variables | ParamType::Terms => {
            vec![RawValue::Flag(true), RawValue::Map(Vec::new())]
        }
    }
}

#[test]
fn parameters_outside_what_the_card_allows_are_refused_by_name() {
    for card in registry::cards() {
        assert!(
            Params::check(card, &base(card)).is_ok(),
            "the example of {}",
            card.id
        );
        for spec in card.params {
            for raw in refused(spec.ty) {
                let problems = with(card, spec.name, raw.clone());
                let problems =
                    problems.expect_err(&format!("`{}` accepts {} = {raw:?}", card.id, spec.name));
                let [problem] = problems.as_slice() else {
                    panic!(
                        "`{}` {}: one mistake, several problems: {problems:?}",
                        card.id, spec.name
                    )
                };
                assert_eq!(problem.param.as_deref(), Some(spec.name), "{}", card.id);
                assert!(
                    !problem.message.is_empty() && !problem.hint.is_empty(),
                    "{}",
                    card.id
                );
            }
        }
    }
}

#[test]
fn the_limits_themselves_are_allowed() {
    for card in registry::cards() {
        for spec in card.params {
            let limits = match spec.ty {
                ParamType::Fraction { min, max }
                | ParamType::Number { min, max }
                | ParamType::Numbers { min, max } => [min, max]
                    .into_iter()
                    .filter(|limit| limit.is_finite())
                    .map(RawValue::Number)
                    .collect(),
                ParamType::Integer { min, max }
                | ParamType::Integers { min, max }
                | ParamType::Counts { min, max } => {
                    vec![RawValue::Integer(min), RawValue::Integer(max)]
                }
                ParamType::Choice(choices) => choices
                    .iter()
                    .map(|(choice, _)| RawValue::Text((*choice).to_owned()))
                    .collect(),
                _ => Vec::new(),
            };
            for raw in limits {
                assert!(
                    with(card, spec.name, raw.clone()).is_ok(),
                    "`{}` refuses {} = {raw:?}",
                    card.id,
                    spec.name
                );
            }
        }
    }
}

#[test]
fn an_unknown_parameter_gets_a_near_match() {
    for card in registry::cards() {
        let Some(spec) = card.params.iter().find(|spec| spec.name.len() > 3) else {
            let problems =
                with(card, "wndow", RawValue::Integer(1)).expect_err("no such parameter");
            assert_eq!(problems[0].param.as_deref(), Some("wndow"));
            continue;
        };
        let mistyped = &spec.name[..spec.name.len() - 1];
        let problems = with(card, mistyped, RawValue::Integer(1)).expect_err("no such parameter");
        let problem = problems
            .iter()
            .find(|problem| problem.param.as_deref() == Some(mistyped));
        let hint = &problem
            .unwrap_or_else(|| panic!("`{}` {mistyped}: {problems:?}", card.id))
            .hint;
        assert!(
            hint.contains(&format!("`{}`", spec.name)),
            "`{}` {mistyped}: {hint}",
            card.id
        );
    }
}

#[test]
fn a_required_parameter_is_asked_for() {
    for card in registry::cards() {
        for spec in card
            .params
            .iter()
            .filter(|spec| spec.default == ParamDefault::Required)
        {
            let mut given = base(card);
            given.retain(|(name, _)| name != spec.name);
            let problems = Params::check(card, &given).expect_err("a required parameter is absent");
            assert!(
                problems
                    .iter()
                    .any(|problem| problem.message.contains(&format!("`{}`", spec.name))),
                "{}",
                card.id
            );
        }
    }
}

/// What a note says to the public leaves the house, so that each of them is named here.
#[test]
fn public_notes_are_those_that_were_decided_on() {
    let mut found = Vec::new();
    for text in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        for made in text.split("Note::new(").skip(1) {
            let made = made.split("\n}").next().unwrap_or(made);
            let id = made.split('"').nth(1).unwrap_or_default();
            if made.contains(".public()") {
                found.push(id.to_owned());
            }
        }
    }
    found.sort();
    assert_eq!(
        found,
        [
            "categories-became",
            "categories-became",
            "counted-before-suppression",
            "dependent-variables",
            "rounded-to-base",
            "rounded-to-grid",
            "tails-became",
            "variables-dropped",
            "weights-scaled"
        ]
    );
}

/// The text of every source file below a folder.
fn sources(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder of sources");
    let texts = entries.flat_map(|entry| {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            return sources(&path);
        }
        let is_source = path.extension().is_some_and(|ending| ending == "rs");
        let text = is_source.then(|| std::fs::read_to_string(&path).expect("a source file"));
        text.into_iter().collect()
    });
    texts.collect()
}
