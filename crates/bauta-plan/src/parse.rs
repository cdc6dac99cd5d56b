//! From text to [`Draft`]: the grammar of a plan. Only this module and `fields` know TOML.

use bauta_data::format::Encoding;
use bauta_data::hierarchy::TreeNode;
use bauta_data::number::DecimalMark;
use bauta_data::{Condition, HierarchySpec, Kind, MissingRules, Role, near};
use bauta_methods::RawValue;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::draft::{
    DataDraft, Draft, GateDraft, HierarchyDraft, MeasureDraft, OutputDraft, ScenarioDraft,
    StepDraft, StepFamily, VariableDraft,
};
use crate::fields::{Fields, Problems, raw};
use crate::problem::{Problem, ProblemKind, Spot};

const SECTIONS: &[&str] = &[
    "plan",
    "data",
    "variables",
    "scenario",
    "step",
    "measure",
    "gate",
    "output",
];

/// Reads a plan's text. What could be read is returned even when there are problems.
pub(crate) fn parse(text: &str, problems: &Problems) -> Draft {
    let (document, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        let span = error.span().unwrap_or(0..0);
        let problem = Problem::at(
            ProblemKind::Syntax,
            &span,
            error.message(),
            "this is not valid TOML",
        );
        problems.borrow_mut().push(problem);
    }
    let root = Fields::new(document.get_ref(), 0..0, "the plan", problems);
    root.only(SECTIONS);
    let mut draft = Draft::default();
    if let Some(plan) = section(&root, "plan", problems) {
        plan.only(&["title", "seed"]);
        draft.title = plan.text("title").map(|title| title.value);
        draft.seed = plan.seed("seed");
    }
    match section(&root, "data", problems) {
        Some(data) => draft.data = parse_data(&data),
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
        Some(output) => draft.output = parse_output(&output),
        None => root.missing("output", "add a section [output] with file = \"…\""),
    }
    draft
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

fn parse_data(data: &Fields<'_, '_>) -> DataDraft {
    data.only(&[
        "file",
        "missing",
        "missing_codes",
        "delimiter",
        "decimal",
        "encoding",
    ]);
    let file = data.text("file");
    if !data.has("file") {
        data.missing("file", "add file = \"…\", the file to protect");
    }
    DataDraft {
        file,
        missing: missing_rules(data).unwrap_or_default(),
        delimiter: data
            .text("delimiter")
            .and_then(|text| match text.value.as_str() {
                "tab" | "\t" => Some(b'\t'),
                one if one.len() == 1 => Some(one.as_bytes()[0]),
                _ => {
                    let hint = "use \",\", \";\", \"|\" or \"tab\"";
                    data.push(Problem::at(
                        ProblemKind::Plan,
                        &text.span,
                        "a delimiter is one character",
                        hint,
                    ));
                    None
                }
            }),
        decimal: choice(
            data,
            "decimal",
            &[(".", DecimalMark::Point), (",", DecimalMark::Comma)],
        )
        .unwrap_or_default(),
        encoding: choice(
            data,
            "encoding",
            &[("utf-8", Encoding::Utf8), ("latin1", Encoding::Latin1)],
        )
        .unwrap_or_default(),
    }
}

/// One of several words.
fn choice<T: Copy>(fields: &Fields<'_, '_>, key: &str, choices: &[(&str, T)]) -> Option<T> {
    let text = fields.text(key)?;
    let found = choices.iter().find(|(name, _)| *name == text.value);
    if found.is_none() {
        let message = format!("`{key}` cannot be `{}`", text.value);
        let hint = near::hint(&text.value, choices.iter().map(|(name, _)| *name));
        fields.push(Problem::at(ProblemKind::Plan, &text.span, message, hint));
    }
    found.map(|(_, value)| *value)
}

/// The missing rules of a table; none if it says nothing of them.
fn missing_rules(fields: &Fields<'_, '_>) -> Option<MissingRules> {
    if !fields.has("missing") && !fields.has("missing_codes") {
        return None;
    }
    let mut rules = MissingRules::default();
    if let Some(texts) = fields.texts("missing") {
        rules.texts = texts.value.into_iter().map(|text| text.value).collect();
    }
    rules.codes = fields.text_pairs("missing_codes").unwrap_or_default();
    // A cell's cause is one byte, and 0 means present.
    if rules.texts.len() + rules.codes.len() > 200 {
        let hint = "declare at most 200 missing texts and codes";
        fields.push(Problem::at(
            ProblemKind::Plan,
            &fields.span,
            "too many missing texts and codes",
            hint,
        ));
        return None;
    }
    Some(rules)
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
            name.span.clone(),
            format!("variable `{}`", name.value),
            problems,
        );
        fields.only(&[
            "role",
            "kind",
            "label",
            "order",
            "hierarchy",
            "missing",
            "missing_codes",
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
            order: fields
                .texts("order")
                .map(|order| order.value.into_iter().map(|text| text.value).collect()),
            hierarchy: fields
                .get("hierarchy")
                .and_then(|value| parse_hierarchy(&fields, value)),
            missing: missing_rules(&fields),
            name,
        });
    }
    drafts
}

const HIERARCHY_FORMS: &str = "\"prefix\", { prefix = [4, 2] }, { intervals = [[18, 65]] }, { file = \"levels.csv\" } or { tree = { … } }";

fn parse_hierarchy(
    fields: &Fields<'_, '_>,
    value: &Spanned<DeValue<'_>>,
) -> Option<Spot<HierarchyDraft>> {
    let parsed = match raw(value.get_ref()).unwrap_or(RawValue::Flag(false)) {
        RawValue::Text(word) if word == "prefix" => {
            Some(HierarchyDraft::Ready(HierarchySpec::Prefix { keep: None }))
        }
        RawValue::Map(pairs) => match pairs.as_slice() {
            [(form, content)] => hierarchy_form(form, content),
            _ => None,
        },
        _ => None,
    };
    if parsed.is_none() {
        fields.wrong(value, "hierarchy", HIERARCHY_FORMS);
    }
    parsed.map(|hierarchy| Spot::new(hierarchy, value.span()))
}

fn hierarchy_form(form: &str, content: &RawValue) -> Option<HierarchyDraft> {
    match (form, content) {
        ("file", RawValue::Text(file)) => Some(HierarchyDraft::File(file.clone())),
        ("prefix", RawValue::List(items)) => {
            let keep = items.iter().map(|item| match item {
                RawValue::Integer(n) => usize::try_from(*n).ok(),
                _ => None,
            });
            let keep = keep.collect::<Option<Vec<_>>>()?;
            Some(HierarchyDraft::Ready(HierarchySpec::Prefix {
                keep: Some(keep),
            }))
        }
        ("intervals", RawValue::List(levels)) => {
            let breaks = levels.iter().map(numbers).collect::<Option<Vec<_>>>()?;
            Some(HierarchyDraft::Ready(HierarchySpec::Intervals { breaks }))
        }
        ("tree", RawValue::Map(_)) => Some(HierarchyDraft::Ready(HierarchySpec::Tree {
            roots: tree(content)?,
        })),
        _ => None,
    }
}

fn numbers(raw: &RawValue) -> Option<Vec<f64>> {
    let RawValue::List(items) = raw else {
        return None;
    };
    let number = |item: &RawValue| match item {
        RawValue::Integer(value) => Some(*value as f64),
        RawValue::Number(value) => Some(*value),
        _ => None,
    };
    items.iter().map(number).collect()
}

/// Tables are inner nodes, lists their leaves: `{ North = ["11", "12"], South = { … } }`.
fn tree(raw: &RawValue) -> Option<Vec<TreeNode>> {
    let leaf = |label: String| TreeNode {
        label,
        children: Vec::new(),
    };
    match raw {
        RawValue::List(items) => items
            .iter()
            .map(|item| match item {
                RawValue::Text(text) => Some(leaf(text.clone())),
                RawValue::Integer(value) => Some(leaf(value.to_string())),
                _ => None,
            })
            .collect(),
        RawValue::Map(pairs) => pairs
            .iter()
            .map(|(label, children)| {
                Some(TreeNode {
                    label: label.clone(),
                    children: tree(children)?,
                })
            })
            .collect(),
        _ => None,
    }
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
            &keys.span,
            "a scenario without keys",
            hint,
        ));
    }
    Some(ScenarioDraft {
        name: scenario.text("name")?,
        keys: keys.value,
        why: scenario.text("why").map(|why| why.value),
    })
}

fn parse_step(step: &Fields<'_, '_>) -> Option<StepDraft> {
    let (method, family) = match (step.text("mask"), step.text("adjust")) {
        (Some(method), None) => (method, StepFamily::Mask),
        (None, Some(method)) => (method, StepFamily::Adjuster),
        (Some(_), Some(adjust)) => {
            let message = "a step is either a mask or an adjuster";
            step.push(Problem::at(
                ProblemKind::Plan,
                &adjust.span,
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
        family,
        name: step.text("name"),
        on: step.texts("on"),
        why: step.text("why").map(|why| why.value),
        params: step.others(&["mask", "adjust", "name", "on", "why"]),
        span: step.span.clone(),
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
        condition: parse_condition(measure),
        params: measure.others(&["use", "on", "scenario", "outliers", "where"]),
        span: measure.span.clone(),
    })
}

fn parse_condition(measure: &Fields<'_, '_>) -> Option<Spot<Condition>> {
    let text = measure.text("where")?;
    match Condition::parse(&text.value) {
        Ok(condition) => Some(Spot::new(condition, text.span)),
        Err(problem) => {
            let problem = Problem::at(ProblemKind::Plan, &text.span, problem.message, problem.hint);
            measure.push(problem);
            None
        }
    }
}

const GATE_KEYS: &[&str] = &[
    "measure", "scenario", "part", "where", "at_least", "at_most", "why",
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
        condition: parse_condition(gate),
        at_least: gate.number("at_least").map(|number| number.value),
        at_most: gate.number("at_most").map(|number| number.value),
        why: gate.text("why").map(|why| why.value),
    })
}

fn parse_output(output: &Fields<'_, '_>) -> OutputDraft {
    output.only(&[
        "file",
        "report",
        "external_report",
        "record",
        "shuffle",
        "suppressed",
    ]);
    if !output.has("file") {
        output.missing("file", "add file = \"…\", the file to release");
    }
    OutputDraft {
        file: output.text("file"),
        report: output.text("report"),
        external_report: output.text("external_report"),
        record: output.text("record"),
        shuffle: output.flag("shuffle").unwrap_or(false),
        suppressed: output.text("suppressed").map(|text| text.value),
    }
}
