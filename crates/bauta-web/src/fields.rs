//! Fields of a form for the parameters of a method, made from its card, and back from what was filled in.

use bauta_data::number::number_text;
use bauta_methods::card::ParamType;
use bauta_methods::params::{describe, parse_text};
use bauta_methods::{Card, ParamDefault, ParamSpec, RawValue};
use maud::{Markup, html};

use crate::form::{Form, lines};

/// What is before the name of a parameter in the name of its field.
const PREFIX: &str = "p.";

/// What a field may offer to choose from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offered<'a> {
    /// Names of variables.
    pub(crate) variables: &'a [String],
    /// Names of scenarios.
    pub(crate) scenarios: &'a [String],
}

/// The fields of all parameters of a method; `given` are their values so far.
pub(crate) fn fields(card: &Card, given: &[(String, RawValue)], offered: Offered<'_>) -> Markup {
    html! {
        @for spec in card.params {
            @let value = given.iter().find(|(name, _)| name == spec.name).map(|(_, value)| value);
            (field(spec, value, offered))
        }
    }
}

fn field(spec: &ParamSpec, value: Option<&RawValue>, offered: Offered<'_>) -> Markup {
    let id = format!("{PREFIX}{}", spec.name);
    let help = format!("{id}.help");
    html! {
        div class="field" {
            @match spec.ty {
                ParamType::Variables => (boxes(spec, &id, &help, offered.variables, value)),
                ParamType::KeySets => (boxes(spec, &id, &help, offered.scenarios, value)),
                _ => {
                    label for=(id) { code { (spec.name) } }
                    (control(spec, &id, &help, value))
                }
            }
            p class="soft" id=(help) {
                (spec.meaning) ". " span class="allowed" { (allowed(spec)) }
            }
        }
    }
}

/// What may be given, and what holds where nothing is.
fn allowed(spec: &ParamSpec) -> String {
    let what = match spec.ty {
        // The choices stand in the list.
        ParamType::Choice(_) | ParamType::Flag => String::new(),
        ParamType::TextMap => "One in a line: old = new. ".to_owned(),
        ParamType::NumberMap { .. } => "One in a line: name = number. ".to_owned(),
        ParamType::Texts | ParamType::Terms => "One in a line. ".to_owned(),
        ty => format!("{}. ", capitalised(&describe(ty))),
    };
    let without = match spec.default {
        ParamDefault::Required => "It must be given.".to_owned(),
        ParamDefault::Value(value) => match shown(spec.ty, &value.to_raw()) {
            text if text.is_empty() => "If not given: none.".to_owned(),
            text => format!("If not given: {text}."),
        },
        ParamDefault::Unset(meaning) => format!("If not given: {meaning}."),
    };
    format!("{what}{without}")
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

fn control(spec: &ParamSpec, id: &str, help: &str, value: Option<&RawValue>) -> Markup {
    let text = value.map(|value| shown(spec.ty, value)).unwrap_or_default();
    let is_needed = spec.default == ParamDefault::Required;
    match spec.ty {
        ParamType::Choice(choices) => html! {
            select id=(id) name=(id) aria-describedby=(help) required[is_needed] {
                option value="" { @if is_needed { "choose one" } @else { "not given" } }
                @for (word, meaning) in choices {
                    option value=(word) selected[text == *word] { (word) ": " (meaning) }
                }
            }
        },
        ParamType::Flag => html! {
            select id=(id) name=(id) aria-describedby=(help) {
                option value="" { "not given" }
                option value="yes" selected[text == "yes"] { "yes" }
                option value="no" selected[text == "no"] { "no" }
            }
        },
        ParamType::Fraction { .. } | ParamType::Number { .. } | ParamType::Integer { .. } => {
            html! {
                input id=(id) name=(id) type="text" inputmode="decimal" value=(text) aria-describedby=(help)
                    required[is_needed] size="14" autocomplete="off";
            }
        }
        ParamType::RisingNumbers
        | ParamType::Numbers { .. }
        | ParamType::Integers { .. }
        | ParamType::Counts { .. } => html! {
            input id=(id) name=(id) type="text" value=(text) aria-describedby=(help) required[is_needed] size="30"
                autocomplete="off";
        },
        _ => html! {
            textarea id=(id) name=(id) rows=(text.lines().count().clamp(2, 12)) aria-describedby=(help)
                required[is_needed] spellcheck="false" { (text) }
        },
    }
}

/// Boxes to tick, one for each name.
fn boxes(
    spec: &ParamSpec,
    id: &str,
    help: &str,
    names: &[String],
    value: Option<&RawValue>,
) -> Markup {
    let chosen = value.map(texts).unwrap_or_default();
    // A plan may name what there is not; it must not get lost.
    let unknown = chosen.iter().filter(|name| !names.contains(name));
    html! {
        fieldset aria-describedby=(help) {
            legend { code { (spec.name) } }
            (ticked(id, names.iter().chain(unknown), &chosen))
        }
    }
}

/// A box for each name, those of `chosen` ticked.
pub(crate) fn ticked<'n>(
    field: &str,
    names: impl Iterator<Item = &'n String>,
    chosen: &[String],
) -> Markup {
    html! {
        div class="boxes" {
            @for name in names {
                label { input type="checkbox" name=(field) value=(name) checked[chosen.contains(name)]; " " (name) }
            }
        }
    }
}

/// The names of a value that is a list of them, or of a table by name.
fn texts(value: &RawValue) -> Vec<String> {
    match value {
        RawValue::List(items) => items.iter().map(scalar).collect(),
        RawValue::Map(pairs) => pairs.iter().map(|(name, _)| name.clone()).collect(),
        one => vec![scalar(one)],
    }
}

fn scalar(value: &RawValue) -> String {
    match value {
        RawValue::Integer(value) => value.to_string(),
        RawValue::Number(value) => number_text(*value),
        RawValue::Flag(true) => "yes".to_owned(),
        RawValue::Flag(false) => "no".to_owned(),
        RawValue::Text(text) => text.clone(),
        RawValue::List(items) => items.iter().map(scalar).collect::<Vec<_>>().join(", "),
        RawValue::Map(pairs) => {
            let pairs = pairs.iter();
            let pairs: Vec<String> = pairs
                .map(|(name, value)| format!("{name} = {}", scalar(value)))
                .collect();
            pairs.join("\n")
        }
    }
}

/// A value as its field shows it.
pub(crate) fn shown(ty: ParamType, value: &RawValue) -> String {
    match (ty, value) {
        (
            ParamType::Texts | ParamType::Terms | ParamType::NumberRows { .. },
            RawValue::List(items),
        ) => items.iter().map(scalar).collect::<Vec<_>>().join("\n"),
        (_, value) => scalar(value),
    }
}

/// What was filled in, in the order of the card; what was left empty is not given. A field that came back as it was shown
/// has the value that it was shown for: a text can say less than a plan.
pub(crate) fn given(
    card: &Card,
    form: &Form,
    before: &[(String, RawValue)],
) -> Vec<(String, RawValue)> {
    let given = card.params.iter().filter_map(|spec| {
        let field = format!("{PREFIX}{}", spec.name);
        let known = before.iter().find(|(name, _)| name == spec.name);
        if let Some((_, value)) = known
            && came_back(spec, value, form, &field)
        {
            return Some((spec.name.to_owned(), value.clone()));
        }
        let value = match spec.ty {
            ParamType::Variables | ParamType::KeySets => {
                let chosen: Vec<RawValue> = (form.all(&field))
                    .map(|name| RawValue::Text(name.to_owned()))
                    .collect();
                (!chosen.is_empty()).then_some(RawValue::List(chosen))
            }
            ty => form.text(&field).map(|text| value(ty, text)),
        };
        Some((spec.name.to_owned(), value?))
    });
    given.collect()
}

/// Whether a field holds what it was shown with.
fn came_back(spec: &ParamSpec, value: &RawValue, form: &Form, field: &str) -> bool {
    if matches!(spec.ty, ParamType::Variables | ParamType::KeySets) {
        let mut chosen: Vec<&str> = form.all(field).collect();
        let known = texts(value);
        let mut known: Vec<&str> = known.iter().map(String::as_str).collect();
        chosen.sort_unstable();
        known.sort_unstable();
        return chosen == known;
    }
    form.get(field).map(str::trim) == Some(shown(spec.ty, value).trim())
}

/// The two sides of a line `old = new`: at the last sign with blanks around it, or at the first without.
pub(crate) fn sides(line: &str) -> Option<(&str, &str)> {
    let apart = line.rsplit_once(" = ").or_else(|| line.split_once('='))?;
    Some((apart.0.trim(), apart.1.trim()))
}

/// A value as it was written into a field. What makes no sense stays a text, and the card says what is wrong.
fn value(ty: ParamType, text: &str) -> RawValue {
    let pairs = |value: &dyn Fn(&str) -> RawValue| {
        let pairs = lines(text).map(|line| {
            let (name, given) = sides(line)?;
            Some((name.to_owned(), value(given)))
        });
        let pairs: Option<Vec<(String, RawValue)>> = pairs.collect();
        pairs.map_or_else(|| RawValue::Text(text.to_owned()), RawValue::Map)
    };
    let number = |text: &str| match text {
        "inf" => RawValue::Number(f64::INFINITY),
        text => parse_text(ParamType::Number { min: 0.0, max: 0.0 }, text),
    };
    match ty {
        ParamType::TextMap => pairs(&|text| RawValue::Text(text.to_owned())),
        ParamType::NumberMap { .. } => pairs(&number),
        ParamType::Texts | ParamType::Terms => {
            let each = lines(text).map(|line| RawValue::Text(line.to_owned()));
            RawValue::List(each.collect())
        }
        ParamType::NumberRows { .. } => {
            let row = |line: &str| {
                RawValue::List(line.split(',').map(|one| number(one.trim())).collect())
            };
            RawValue::List(lines(text).map(row).collect())
        }
        ParamType::RisingNumbers
        | ParamType::Numbers { .. }
        | ParamType::Integers { .. }
        | ParamType::Counts { .. } => {
            let plain: String = text
                .chars()
                .filter(|letter| !letter.is_whitespace())
                .collect();
            parse_text(ty, &plain)
        }
        ty => parse_text(ty, text),
    }
}

#[cfg(test)]
mod tests {
    use bauta_methods::registry;

    use super::*;

    /// What a form would send of fields that show these values.
    fn sent(card: &Card, values: &[(String, RawValue)]) -> Form {
        let mut body = form_urlencoded::Serializer::new(String::new());
        for (name, value) in values {
            let spec = card.param(name).unwrap();
            let field = format!("{PREFIX}{name}");
            if matches!(spec.ty, ParamType::Variables | ParamType::KeySets) {
                for name in texts(value) {
                    body.append_pair(&field, &name);
                }
            } else {
                body.append_pair(&field, &shown(spec.ty, value));
            }
        }
        Form::read(body.finish().as_bytes())
    }

    #[test]
    fn what_a_field_shows_reads_back_for_every_method() {
        for mask in registry::MASKS {
            let example = mask.example().into_iter();
            let example: Vec<(String, RawValue)> = example
                .map(|(name, value)| (name.to_owned(), value))
                .collect();
            let card = mask.card();
            let back = given(card, &sent(card, &example), &[]);
            let (before, after) = (
                bauta_methods::Params::check(card, &example),
                bauta_methods::Params::check(card, &back),
            );
            assert_eq!(before, after, "{}", card.id);
        }
    }

    #[test]
    fn what_a_text_cannot_say_is_left_alone() {
        let card = registry::card("recode").unwrap();
        let odd = [(" x", "y "), ("<=5", "low"), ("a = b", "c")];
        let odd = odd.map(|(old, new)| (old.to_owned(), RawValue::Text(new.to_owned())));
        let before = [("map".to_owned(), RawValue::Map(odd.to_vec()))];
        assert_eq!(given(card, &sent(card, &before), &before), before);
        assert_eq!(sides("<=5 = low"), Some(("<=5", "low")));
        assert_eq!(sides("a=b"), Some(("a", "b")));
    }

    #[test]
    fn every_parameter_has_a_field_with_a_name_for_it() {
        let offered = Offered {
            variables: &["age".to_owned()],
            scenarios: &["neighbour".to_owned()],
        };
        for card in registry::cards() {
            let html = fields(card, &[], offered).into_string();
            for spec in card.params {
                let field = format!("{PREFIX}{}", spec.name);
                assert!(
                    html.contains(&format!("name=\"{field}\"")),
                    "{} {field}",
                    card.id
                );
                let is_group = matches!(spec.ty, ParamType::Variables | ParamType::KeySets);
                assert!(
                    is_group || html.contains(&format!("for=\"{field}\"")),
                    "{} {field}",
                    card.id
                );
            }
        }
    }
}
