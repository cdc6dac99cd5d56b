//! From text to [`Draft`]: the grammar of a plan.

use std::cell::RefCell;

use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue};
use bauta_data::date::Dates;
use bauta_data::decimal::loses_digits;
use bauta_data::format::Encoding;
use bauta_data::number::DecimalMark;
use bauta_data::{Kind, Role, Spellings, near};

use super::fields::{Fields, Problems};
use super::hierarchy::parse_hierarchy;
use super::release::parse_release;
use super::sweep::{first_axis, without_axes_of_off};
use crate::draft::{
    DataDraft, Draft, EngineDraft, GateDraft, Heading, MeasureDraft, MethodDraft, OutputDraft,
    ScenarioDraft, Section, StepDraft, VariableDraft,
};
use crate::problem::{Place, Problem, ProblemKind, Span, Spot};

const SECTIONS: &[&str] = &[
    "plan",
    "release",
    "data",
    "variables",
    "scenario",
    "step",
    "measure",
    "gate",
    "output",
    "engine",
];

/// What a text must name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Needs {
    /// The file to protect and the one to release.
    Files,
    /// Neither: the data come and stay in memory.
    Nothing,
}

/// Reads a plan's text. What could be read is returned even when there are problems, which stand in
/// the order of the text.
pub fn read(text: &str) -> (Draft, Vec<Problem>) {
    let problems = RefCell::default();
    let draft = read_as(Needs::Nothing, text, &problems);
    (draft, in_order(problems))
}

/// The problems found, in the order of the text.
pub(crate) fn in_order(problems: Problems) -> Vec<Problem> {
    let mut problems = problems.into_inner();
    problems.sort_by_key(|problem| problem.span.as_ref().map(|span| span.start));
    problems
}

/// Reads a plan's text that must name what it needs.
pub(crate) fn read_as(needs: Needs, text: &str, problems: &Problems) -> Draft {
    let (document, errors) = DeTable::parse_recoverable(text);
    if let Some(problem) = not_a_plan(text, document.get_ref(), &errors) {
        problems.borrow_mut().push(problem);
        return Draft::default();
    }
    refuse_long_numbers(document.get_ref(), problems);
    let document = without_axes_of_off(document.into_inner());
    if let Some((place, n_axes)) = first_axis(&document) {
        problems.borrow_mut().push(is_a_grid(&place, n_axes));
        return Draft::default();
    }
    draft_of(&document, needs, problems)
}

/// A plan with axes is many plans, and cannot be taken for one.
fn is_a_grid(place: &Place, n_axes: usize) -> Problem {
    let message = match n_axes {
        1 => "this is a grid of plans, not one: it sweeps over a value".to_owned(),
        n_axes => format!("this is a grid of plans, not one: it sweeps over {n_axes} values"),
    };
    let hint =
        "`bauta sweep` runs them all; to run one, write its value in place of `{ sweep = […] }`";
    Problem::at(ProblemKind::Sweep, place, message, hint)
}

/// Reads the document of one plan.
pub(super) fn draft_of(document: &DeTable<'_>, needs: Needs, problems: &Problems) -> Draft {
    let root = Fields::new(document, 0..0, "the plan", problems);
    root.only(SECTIONS);
    let mut draft = Draft::default();
    if let Some(plan) = section(&root, "plan", problems) {
        plan.only(&["title", "seed"]);
        draft.plan = Heading {
            title: plan.text("title").map(|title| title.value),
            seed: plan.seed("seed"),
        };
    }
    if let Some(release) = section(&root, "release", problems) {
        draft.release = parse_release(&release, problems);
    }
    match section(&root, "data", problems) {
        Some(data) => draft.data = parse_data(&data, needs),
        None if needs == Needs::Nothing => {}
        None => root.missing("data", "add a section [data] with file = \"…\""),
    }
    if let Some(variables) = section(&root, "variables", problems) {
        draft.variables = parse_variables(&variables, problems);
    }
    for_each(&root, "scenario", problems, |scenario| {
        draft.scenarios.extend(parse_scenario(scenario));
    });
    for_each(&root, "step", problems, |step| {
        draft.steps.extend(parse_step(step));
    });
    for_each(&root, "measure", problems, |measure| {
        draft.measures.extend(parse_measure(measure));
    });
    for_each(&root, "gate", problems, |gate| {
        draft.gates.extend(parse_gate(gate));
    });
    match section(&root, "output", problems) {
        Some(output) => draft.output = parse_output(&output, needs),
        None if needs == Needs::Nothing => {}
        None => root.missing("output", "add a section [output] with file = \"…\""),
    }
    if let Some(engine) = section(&root, "engine", problems) {
        engine.only(&["memory", "spill"]);
        draft.engine = EngineDraft {
            memory: engine.text("memory"),
            spill: engine.text("spill"),
        };
    }
    draft
}

/// The line of a text that an offset lies in.
fn line_at(text: &str, offset: usize) -> &str {
    let before = text.get(..offset).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    text.get(start..)
        .and_then(|rest| rest.lines().next())
        .unwrap_or("")
}

/// Why a text cannot be judged as a plan: it is none, or its syntax is broken. What follows from a broken
/// syntax is not told, since most of it would not be so.
pub(super) fn not_a_plan(
    text: &str,
    document: &DeTable<'_>,
    errors: &[::toml::de::Error],
) -> Option<Problem> {
    let is_plan = if errors.is_empty() {
        text.trim().is_empty()
            || document
                .keys()
                .any(|key| SECTIONS.contains(&&**key.get_ref()))
    } else {
        text.lines().any(names_a_section)
    };
    if !is_plan {
        let hint = if text.trim_start().starts_with('{') {
            "`bauta report` and `bauta verify` take run records"
        } else {
            "`bauta init FILE` writes a plan for a file of data"
        };
        // Nothing of the text is shown: it may be a file of data.
        let message = "this is not a plan: it has no section such as [data] or [output]";
        let nowhere = &Place::NOWHERE;
        return Some(Problem::at(ProblemKind::NotAPlan, nowhere, message, hint));
    }
    let first = errors.first()?;
    let span = within_line(text, first.span().unwrap_or(0..0));
    let hint = if text
        .get(span.clone())
        .is_some_and(|part| part.contains('\\'))
        || line_at(text, span.start).contains('\\')
    {
        "this is not valid TOML: in double quotes a backslash begins an escape; write paths in single quotes, or with /"
    } else {
        "this is not valid TOML; the rest is judged once it is"
    };
    let place = Place::from(span);
    Some(Problem::at(
        ProblemKind::Syntax,
        &place,
        first.message(),
        hint,
    ))
}

/// Whether a line begins a section of a plan, or says something of one.
fn names_a_section(line: &str) -> bool {
    let name = line.trim_start().trim_start_matches('[');
    SECTIONS.iter().any(|section| {
        let rest = name.strip_prefix(section).map(str::trim_start);
        let is_header = line.trim_start().starts_with('[');
        rest.is_some_and(|rest| rest.starts_with('.') || is_header && rest.starts_with(']'))
    })
}

/// The part of a span that lies in the line where it begins.
fn within_line(text: &str, span: Span) -> Span {
    let start = span.start.min(text.len());
    let rest = text.get(start..).unwrap_or_default();
    let line_end = start + rest.find('\n').unwrap_or(rest.len());
    start..span.end.clamp(start, line_end)
}

/// Reports numbers with a decimal point or an exponent that a double does not hold. What may be a text
/// or a number, such as 9007199254740993, is looked at where it is used.
pub(super) fn refuse_long_numbers(table: &DeTable<'_>, problems: &Problems) {
    let mut values: Vec<&Spanned<DeValue<'_>>> = table.values().collect();
    while let Some(value) = values.pop() {
        match value.get_ref() {
            DeValue::Float(number) if loses_digits(number.as_str()) => {
                problems.borrow_mut().push(Problem::at(
                    ProblemKind::Plan,
                    &value.span().into(),
                    "the number has more digits than a double holds, and would be taken for another",
                    "give at most 15 digits, or put it into quotes where a category is meant",
                ));
            }
            DeValue::Array(items) => values.extend(items),
            DeValue::Table(table) => values.extend(table.values()),
            _ => {}
        }
    }
}

fn section<'t, 'i>(
    root: &Fields<'t, 'i>,
    key: &str,
    problems: &'t Problems,
) -> Option<Fields<'t, 'i>> {
    let value = root.get(key)?;
    match value.get_ref() {
        DeValue::Table(table) => Some(Fields::new(
            table,
            value.span(),
            format!("[{key}]"),
            problems,
        )),
        _ => {
            root.wrong(value, key, &format!("a section [{key}]"));
            None
        }
    }
}

fn for_each<'t>(
    root: &Fields<'t, '_>,
    key: &str,
    problems: &'t Problems,
    mut read: impl FnMut(&Fields<'t, '_>),
) {
    let Some(value) = root.get(key) else { return };
    match value.get_ref() {
        DeValue::Array(items) => {
            for item in items {
                match item.get_ref() {
                    DeValue::Table(table) => {
                        read(&Fields::new(
                            table,
                            item.span(),
                            format!("[[{key}]]"),
                            problems,
                        ));
                    }
                    _ => root.wrong(item, key, &format!("sections [[{key}]]")),
                }
            }
        }
        // `[step]` for `[[step]]` is a natural slip and means one of them.
        DeValue::Table(table) => read(&Fields::new(
            table,
            value.span(),
            format!("[[{key}]]"),
            problems,
        )),
        _ => root.wrong(value, key, &format!("sections [[{key}]]")),
    }
}

fn parse_data(data: &Fields<'_, '_>, needs: Needs) -> DataDraft {
    data.only(&[
        "file",
        "missing",
        "missing_codes",
        "delimiter",
        "decimal",
        "encoding",
    ]);
    if needs == Needs::Files && !data.has("file") {
        data.missing("file", "add file = \"…\", the file to protect");
    }
    DataDraft {
        file: data.text("file"),
        missing: plain_texts(data, "missing"),
        missing_codes: data.text_pairs("missing_codes"),
        delimiter: data
            .text("delimiter")
            .and_then(|text| delimiter(data, text)),
        decimal: choice(
            data,
            "decimal",
            &[(".", DecimalMark::Point), (",", DecimalMark::Comma)],
        ),
        encoding: choice(
            data,
            "encoding",
            &Encoding::ALL.map(|encoding| (encoding.name(), encoding)),
        ),
        place: Section(data.place.clone()),
    }
}

fn delimiter(data: &Fields<'_, '_>, text: Spot<String>) -> Option<Spot<char>> {
    let mut letters = text.chars();
    let found = match (text.as_str(), letters.next(), letters.next()) {
        ("tab", ..) => Some('\t'),
        (_, Some(one), None) if one.is_ascii() => Some(one),
        _ => None,
    };
    if found.is_none() {
        let hint = "use \",\", \";\", \"|\" or \"tab\"";
        data.push(Problem::at(
            ProblemKind::Plan,
            &text.place,
            "a delimiter is one character",
            hint,
        ));
    }
    found.map(|found| Spot::new(found, text.place))
}

/// Texts without their places.
fn plain_texts(fields: &Fields<'_, '_>, key: &str) -> Option<Vec<String>> {
    let texts = fields.texts(key)?.value.into_iter();
    Some(texts.map(|text| text.value).collect())
}

/// One of several words.
fn choice<T: Copy>(fields: &Fields<'_, '_>, key: &str, choices: &[(&str, T)]) -> Option<T> {
    let text = fields.text(key)?;
    let found = choices.iter().find(|(name, _)| *name == text.value);
    if found.is_none() {
        let message = format!("`{key}` cannot be `{}`", text.value);
        let hint = near::hint(&text.value, choices.iter().map(|(name, _)| *name));
        fields.push(Problem::at(ProblemKind::Plan, &text.place, message, hint));
    }
    found.map(|(_, value)| *value)
}

fn parse_variables(variables: &Fields<'_, '_>, problems: &Problems) -> Vec<VariableDraft> {
    let mut drafts = Vec::new();
    for (name, value) in variables.entries() {
        let DeValue::Table(table) = value.get_ref() else {
            variables.wrong(
                value,
                &name.value,
                "a table, such as { role = \"key\", kind = \"ordered\" }",
            );
            continue;
        };
        let fields = Fields::new(
            table,
            name.place.span().cloned().unwrap_or_default(),
            format!("variable `{}`", name.value),
            problems,
        );
        fields.only(&[
            "role",
            "kind",
            "label",
            "order",
            "hierarchy",
            "date",
            "missing",
            "missing_codes",
            "spellings",
        ]);
        if !fields.has("role") {
            fields.missing(
                "role",
                "say what it is for: identifier, key, sensitive, weight, household, stratum or other",
            );
        }
        let role = choice(&fields, "role", &Role::ALL.map(|role| (role.name(), role)));
        let kind = choice(&fields, "kind", &Kind::ALL.map(|kind| (kind.name(), kind)))
            .zip(fields.get("kind"))
            .map(|(kind, value)| Spot::new(kind, value.span()));
        drafts.push(VariableDraft {
            doubtful: role.is_none() || (fields.has("kind") && kind.is_none()),
            role: role.unwrap_or(Role::Other),
            kind,
            label: fields.text("label").map(|label| label.value),
            order: plain_texts(&fields, "order"),
            hierarchy: fields
                .get("hierarchy")
                .and_then(|value| parse_hierarchy(&fields, value)),
            date: dates(&fields),
            missing: plain_texts(&fields, "missing"),
            missing_codes: fields.text_pairs("missing_codes"),
            spellings: choice(
                &fields,
                "spellings",
                &Spellings::ALL.map(|choice| (choice.name(), choice)),
            ),
            name,
        });
    }
    drafts
}

/// How the dates of a variable are spelled.
fn dates(fields: &Fields<'_, '_>) -> Option<Dates> {
    let value = fields.get("date")?;
    let said = fields.text("date")?;
    let dates = Dates::parse(&said.value);
    if dates.is_none() {
        fields.wrong(
            value,
            "date",
            "how dates are spelled, such as \"dd/mm/yyyy\", \"yyyy-mm-dd\", \"d.m.yyyy HH:MM\", \"ddMMMyyyy\" or \"dd/mm/yy from 1930\"; \"find\" finds it in the file",
        );
    }
    dates
}

fn parse_scenario(scenario: &Fields<'_, '_>) -> Option<ScenarioDraft> {
    scenario.only(&["name", "keys", "why"]);
    if !scenario.has("name") {
        scenario.missing("name", "add name = \"…\", such as \"nosy neighbour\"");
    }
    if !scenario.has("keys") {
        scenario.missing(
            "keys",
            "add keys = […], the variables that this intruder knows",
        );
    }
    let keys = scenario.texts("keys")?;
    if keys.value.is_empty() {
        let hint = "name the variables that this intruder knows";
        scenario.push(Problem::at(
            ProblemKind::Plan,
            &keys.place,
            "a scenario without keys",
            hint,
        ));
    }
    Some(ScenarioDraft {
        name: scenario.text("name")?,
        keys,
        why: scenario.text("why").map(|why| why.value),
    })
}

fn parse_step(step: &Fields<'_, '_>) -> Option<StepDraft> {
    let method = match (step.text("mask"), step.text("adjust")) {
        (Some(method), None) => MethodDraft::Mask(method),
        (None, Some(method)) => MethodDraft::Adjust(method),
        (Some(_), Some(adjust)) => {
            let message = "a step is either a mask or an adjuster";
            step.push(Problem::at(
                ProblemKind::Plan,
                &adjust.place,
                message,
                "write two steps",
            ));
            return None;
        }
        (None, None) => {
            if !step.has("mask") && !step.has("adjust") {
                step.missing("mask", "add mask = \"…\"; `bauta list` shows what there is");
            }
            return None;
        }
    };
    Some(StepDraft {
        method,
        on: step.texts("on"),
        name: step.text("name"),
        why: step.text("why").map(|why| why.value),
        params: step.others(&["mask", "adjust", "name", "on", "off", "why"]),
        off: step.flag("off").unwrap_or(false),
        place: Section(step.place.clone()),
    })
}

fn parse_measure(measure: &Fields<'_, '_>) -> Option<MeasureDraft> {
    if !measure.has("use") {
        measure.missing("use", "add use = […]; `bauta list` shows what there is");
    }
    Some(MeasureDraft {
        methods: measure.texts("use")?.value,
        on: measure.texts("on"),
        scenarios: measure.texts("scenario").map(|scenarios| scenarios.value),
        outliers: measure.number("outliers"),
        condition: measure.text("where"),
        params: measure.others(&["use", "on", "scenario", "outliers", "where"]),
        place: Section(measure.place.clone()),
    })
}

const GATE_KEYS: &[&str] = &[
    "measure",
    "scenario",
    "part",
    "where",
    "at_least",
    "at_most",
    "why",
    "although_perturbed",
];

fn parse_gate(gate: &Fields<'_, '_>) -> Option<GateDraft> {
    gate.only(GATE_KEYS);
    if !gate.has("measure") {
        gate.missing("measure", "add measure = \"…\", the measure to look at");
    }
    let misspelled = gate.has_other_than(GATE_KEYS);
    if !gate.has("at_least") && !gate.has("at_most") && !misspelled {
        gate.missing("at_least", "add at_least = … or at_most = …");
    }
    Some(GateDraft {
        measure: gate.text("measure")?,
        scenario: gate.text("scenario"),
        part: gate.text("part"),
        condition: gate.text("where"),
        at_least: gate.number("at_least").map(|number| number.value),
        at_most: gate.number("at_most").map(|number| number.value),
        why: gate.text("why").map(|why| why.value),
        although_perturbed: gate.text("although_perturbed").map(|why| why.value),
    })
}

fn parse_output(output: &Fields<'_, '_>, needs: Needs) -> OutputDraft {
    output.only(&[
        "file",
        "report",
        "external_report",
        "record",
        "shuffle",
        "suppressed",
        "release",
        "weight",
    ]);
    if needs == Needs::Files && !output.has("file") {
        output.missing("file", "add file = \"…\", the file to release");
    }
    OutputDraft {
        file: output.text("file"),
        report: output.text("report"),
        external_report: output.text("external_report"),
        record: output.text("record"),
        shuffle: output.flag("shuffle"),
        suppressed: output.text("suppressed").map(|text| text.value),
        release: output.text("release"),
        weight: output.text("weight"),
    }
}
