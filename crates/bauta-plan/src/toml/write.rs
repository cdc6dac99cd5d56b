//! From [`Draft`] to text: sections in their order, variables as inline tables.

use bauta_data::hierarchy::TreeNode;
use bauta_data::number::{DecimalMark, number_text};
use bauta_methods::RawValue;

use crate::draft::{
    DataDraft, Draft, EngineDraft, GateDraft, Given, Heading, HierarchyDraft, MeasureDraft,
    MethodDraft, OutputDraft, ReleaseDraft, ScenarioDraft, SignatoryDraft, StepDraft,
    VariableDraft,
};
use crate::problem::Spot;

/// The text of a plan. What is read from it is the same draft.
pub fn write(draft: &Draft) -> String {
    let mut sections = Vec::new();
    if !draft.plan.is_empty() {
        sections.push(heading(&draft.plan));
    }
    if !draft.release.is_empty() {
        sections.push(release(&draft.release));
    }
    if draft.data != DataDraft::default() {
        sections.push(data(&draft.data));
    }
    if !draft.variables.is_empty() {
        let lines = draft.variables.iter().map(variable);
        sections.push(format!("[variables]\n{}", lines.collect::<String>()));
    }
    sections.extend(draft.scenarios.iter().map(scenario));
    sections.extend(draft.steps.iter().map(step));
    sections.extend(draft.measures.iter().map(measure));
    sections.extend(draft.gates.iter().map(gate));
    if draft.output != OutputDraft::default() {
        sections.push(output(&draft.output));
    }
    if !draft.engine.is_empty() {
        sections.push(engine(&draft.engine));
    }
    sections.join("\n")
}

/// A section that is being written.
struct Lines(String);

impl Lines {
    fn new(heading: &str) -> Self {
        Self(format!("{heading}\n"))
    }

    /// A line `name = value`, if there is a value.
    fn line(mut self, name: &str, value: Option<String>) -> Self {
        if let Some(value) = value {
            self.0.push_str(&assignment(name, &value));
            self.0.push('\n');
        }
        self
    }

    fn text(self, name: &str, value: Option<&String>) -> Self {
        self.line(name, value.map(|text| quoted(text)))
    }

    fn spot(self, name: &str, value: Option<&Spot<String>>) -> Self {
        self.text(name, value.map(|spot| &spot.value))
    }

    fn names(self, name: &str, value: Option<&Vec<Spot<String>>>) -> Self {
        self.line(
            name,
            value.map(|names| list(names.iter().map(|name| name.as_str()))),
        )
    }

    fn number(self, name: &str, value: Option<f64>) -> Self {
        self.line(name, value.map(number_text))
    }

    fn params(mut self, params: &Given) -> Self {
        for (name, value) in &params.0 {
            self = self.line(name, Some(value_text(value)));
        }
        self
    }
}

/// The lines of `[plan]`.
pub fn heading(plan: &Heading) -> String {
    let seed = plan.seed.map(|seed| seed.to_string());
    let lines = Lines::new("[plan]").text("title", plan.title.as_ref());
    lines.line("seed", seed).0
}

/// The lines of `[engine]`.
pub fn engine(engine: &EngineDraft) -> String {
    Lines::new("[engine]")
        .spot("memory", engine.memory.as_ref())
        .spot("spill", engine.spill.as_ref())
        .0
}

/// The lines of `[release]`.
pub fn release(release: &ReleaseDraft) -> String {
    let recipients = Some(&release.recipients).filter(|list| !list.is_empty());
    let signatories = Some(&release.signatories).filter(|list| !list.is_empty());
    let signatories = signatories.map(|list| bracketed(list.iter().map(signatory)));
    Lines::new("[release]")
        .spot("purpose", release.purpose.as_ref())
        .names("recipients", recipients)
        .spot("review", release.review.as_ref())
        .line("signatories", signatories)
        .0
}

fn signatory(signatory: &SignatoryDraft) -> String {
    let role = signatory.role.as_ref().map(|role| ("role", quoted(role)));
    let name = ("name", quoted(&signatory.name));
    inline(std::iter::once(name).chain(role))
}

/// The lines of `[data]`.
pub fn data(data: &DataDraft) -> String {
    let delimiter = data.delimiter.as_ref().map(|one| match one.value {
        '\t' => quoted("tab"),
        other => quoted(&other.to_string()),
    });
    let decimal = data.decimal.map(|mark| match mark {
        DecimalMark::Point => quoted("."),
        DecimalMark::Comma => quoted(","),
    });
    let encoding = data.encoding.map(|encoding| quoted(encoding.name()));
    Lines::new("[data]")
        .spot("file", data.file.as_ref())
        .line("missing", data.missing.as_deref().map(texts))
        .line("missing_codes", data.missing_codes.as_deref().map(codes))
        .line("delimiter", delimiter)
        .line("decimal", decimal)
        .line("encoding", encoding)
        .0
}

fn texts(texts: &[String]) -> String {
    list(texts.iter().map(String::as_str))
}

fn codes(codes: &[(String, String)]) -> String {
    inline(
        codes
            .iter()
            .map(|(code, meaning)| (code.as_str(), quoted(meaning))),
    )
}

/// The line of a variable.
pub fn variable(variable: &VariableDraft) -> String {
    let given = [
        ("role", Some(quoted(variable.role.name()))),
        (
            "kind",
            variable.kind.as_ref().map(|kind| quoted(kind.name())),
        ),
        ("label", variable.label.as_ref().map(|label| quoted(label))),
        ("order", variable.order.as_deref().map(texts)),
        (
            "hierarchy",
            variable.hierarchy.as_ref().map(|form| hierarchy(form)),
        ),
        (
            "date",
            variable.date.map(|dates| quoted(&dates.to_string())),
        ),
        ("missing", variable.missing.as_deref().map(texts)),
        (
            "missing_codes",
            variable.missing_codes.as_deref().map(codes),
        ),
        (
            "spellings",
            variable.spellings.map(|choice| quoted(choice.name())),
        ),
    ];
    let given = given.into_iter();
    let description = inline(given.filter_map(|(name, value)| Some((name, value?))));
    format!("{}\n", assignment(&variable.name, &description))
}

fn hierarchy(hierarchy: &HierarchyDraft) -> String {
    let numbers = |numbers: &Vec<f64>| bracketed(numbers.iter().map(|&number| number_text(number)));
    match hierarchy {
        HierarchyDraft::Prefix(None) => quoted("prefix"),
        HierarchyDraft::Prefix(Some(keep)) => {
            inline([("prefix", bracketed(keep.iter().map(ToString::to_string)))])
        }
        HierarchyDraft::Intervals(breaks) => {
            inline([("intervals", bracketed(breaks.iter().map(numbers)))])
        }
        HierarchyDraft::Dates(None) => quoted("dates"),
        HierarchyDraft::Dates(Some(units)) => inline([("dates", texts(units))]),
        HierarchyDraft::Ages { at, widths } => {
            let widths = widths.as_ref();
            let widths = widths.map(|widths| bracketed(widths.iter().map(ToString::to_string)));
            let given = [("age_at", Some(quoted(at))), ("widths", widths)];
            inline(
                given
                    .into_iter()
                    .filter_map(|(name, value)| Some((name, value?))),
            )
        }
        HierarchyDraft::File(file) => inline([("file", quoted(file))]),
        HierarchyDraft::Tree(roots) => inline([("tree", branches(roots))]),
    }
}

/// Leaves as a list, inner nodes as a table.
fn children(nodes: &[TreeNode]) -> String {
    if nodes.iter().all(|node| node.children.is_empty()) {
        list(nodes.iter().map(|node| node.label.as_str()))
    } else {
        branches(nodes)
    }
}

fn branches(nodes: &[TreeNode]) -> String {
    let nodes = nodes.iter();
    inline(nodes.map(|node| (node.label.as_str(), children(&node.children))))
}

/// The lines of a `[[scenario]]`.
pub fn scenario(scenario: &ScenarioDraft) -> String {
    Lines::new("[[scenario]]")
        .spot("name", Some(&scenario.name))
        .names("keys", Some(&scenario.keys))
        .text("why", scenario.why.as_ref())
        .0
}

/// The lines of a `[[step]]`.
pub fn step(step: &StepDraft) -> String {
    let family = match &step.method {
        MethodDraft::Mask(_) => "mask",
        MethodDraft::Adjust(_) => "adjust",
    };
    Lines::new("[[step]]")
        .spot(family, Some(step.method.id()))
        .names("on", step.on.as_deref())
        .params(&step.params)
        .line("off", step.off.then(|| true.to_string()))
        .spot("name", step.name.as_ref())
        .text("why", step.why.as_ref())
        .0
}

/// The lines of a `[[measure]]`.
pub fn measure(measure: &MeasureDraft) -> String {
    Lines::new("[[measure]]")
        .names("use", Some(&measure.methods))
        .names("on", measure.on.as_deref())
        .names("scenario", measure.scenarios.as_ref())
        .number("outliers", measure.outliers.as_deref().copied())
        .spot("where", measure.condition.as_ref())
        .params(&measure.params)
        .0
}

/// The lines of a `[[gate]]`.
pub fn gate(gate: &GateDraft) -> String {
    Lines::new("[[gate]]")
        .spot("measure", Some(&gate.measure))
        .spot("scenario", gate.scenario.as_ref())
        .spot("part", gate.part.as_ref())
        .spot("where", gate.condition.as_ref())
        .number("at_least", gate.at_least)
        .number("at_most", gate.at_most)
        .text("why", gate.why.as_ref())
        .text("although_perturbed", gate.although_perturbed.as_ref())
        .0
}

/// The lines of `[output]`.
pub fn output(output: &OutputDraft) -> String {
    Lines::new("[output]")
        .spot("file", output.file.as_ref())
        .spot("record", output.record.as_ref())
        .spot("report", output.report.as_ref())
        .spot("external_report", output.external_report.as_ref())
        .line("shuffle", output.shuffle.map(|shuffle| shuffle.to_string()))
        .text("suppressed", output.suppressed.as_ref())
        .spot("release", output.release.as_ref())
        .spot("weight", output.weight.as_ref())
        .0
}

/// A parameter as TOML writes it.
fn value_text(value: &RawValue) -> String {
    match value {
        RawValue::Integer(value) => value.to_string(),
        RawValue::Number(value) => float_text(*value),
        RawValue::Flag(value) => value.to_string(),
        RawValue::Text(text) => quoted(text),
        RawValue::List(items) => bracketed(items.iter().map(value_text)),
        RawValue::Map(pairs) => inline(
            pairs
                .iter()
                .map(|(name, value)| (name.as_str(), value_text(value))),
        ),
    }
}

/// A number as TOML writes floats: with a point or an exponent.
fn float_text(value: f64) -> String {
    let text = number_text(value);
    if !value.is_finite() || text.contains(['.', 'e']) {
        text
    } else {
        format!("{text}.0")
    }
}

fn assignment(name: &str, value: &str) -> String {
    format!("{} = {value}", key(name))
}

fn inline<'n>(pairs: impl IntoIterator<Item = (&'n str, String)>) -> String {
    let pairs = pairs.into_iter();
    let pairs: Vec<String> = pairs
        .map(|(name, value)| assignment(name, &value))
        .collect();
    format!("{{ {} }}", pairs.join(", "))
}

fn bracketed(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(", "))
}

/// A list of texts.
fn list<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    bracketed(texts.into_iter().map(quoted))
}

/// A key, in quotation marks only where it needs them.
fn key(name: &str) -> String {
    let bare = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if !name.is_empty() && name.chars().all(bare) {
        name.to_owned()
    } else {
        quoted(name)
    }
}

/// A text in quotation marks.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            control if control.is_control() => {
                out.push_str(&format!("\\u{:04X}", u32::from(control)));
            }
            plain => out.push(plain),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        for text in [
            "plain",
            "with \"quotes\"",
            "back\\slash",
            "line\nbreak",
            "é\u{7f}",
            "",
        ] {
            let document = format!("{}\n", assignment(text, &quoted(text)));
            let parsed = ::toml::de::DeTable::parse(&document).unwrap();
            let entries: Vec<(String, String)> = parsed
                .get_ref()
                .iter()
                .map(|(key, value)| {
                    let ::toml::de::DeValue::String(value) = value.get_ref() else {
                        panic!("not a string")
                    };
                    let (key, value) = (key.get_ref().clone(), value.clone());
                    (key.into_owned(), value.into_owned())
                })
                .collect();
            assert_eq!(entries, [(text.to_owned(), text.to_owned())]);
        }
        assert_eq!(list(["a", "b"]), "[\"a\", \"b\"]");
    }
}
