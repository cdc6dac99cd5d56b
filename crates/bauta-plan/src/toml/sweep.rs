//! Axes in a plan's text: `{ sweep = [v1, v2] }` in place of a value, `sweep = [{ … }, { … }]` in a section of
//! a list. The rest of the grammar never sees them: a variant is the same document with one value of each axis.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};

use ::toml::Spanned;
use ::toml::de::{DeArray, DeTable, DeValue};

use super::fields::{Problems, raw};
use super::read::{Needs, draft_of, in_order, not_a_plan, refuse_long_numbers};
use crate::draft::Draft;
use crate::problem::{Place, Problem, ProblemKind};
use crate::sweep::MOST_VARIANTS;

/// The key that makes an axis.
pub(super) const SWEEP: &str = "sweep";

/// Sections that are lists, of which a whole one can be swept.
const LISTS: [&str; 4] = ["scenario", "step", "measure", "gate"];

/// Sections that are the same for all variants.
const SAME_FOR_ALL: [(&str, &str); 2] = [
    ("data", "all variants are of the same data"),
    ("output", "a sweep writes no released file"),
];

type Value<'i> = Spanned<DeValue<'i>>;

/// An axis as it stands in the text.
pub(crate) struct TextAxis<'i> {
    /// What it is called.
    pub(crate) name: String,
    /// Where it stands.
    pub(crate) place: Place,
    /// Its values, each with its label.
    pub(crate) choices: Vec<(String, Value<'i>)>,
    /// Where its key stands, which tells it from all others.
    key: usize,
    /// The number of its step, to tell two of the same name apart.
    step: Option<usize>,
}

/// The document of a plan and its axes.
pub(crate) struct SweptText<'i> {
    document: DeTable<'i>,
    pub(crate) axes: Vec<TextAxis<'i>>,
}

/// Finds the axes of a plan's text. All that is wrong with them is told at once.
pub(crate) fn swept(text: &str, most: usize) -> Result<SweptText<'_>, Vec<Problem>> {
    let (document, errors) = DeTable::parse_recoverable(text);
    if let Some(problem) = not_a_plan(text, document.get_ref(), &errors) {
        return Err(vec![problem]);
    }
    let problems: Problems = RefCell::default();
    refuse_long_numbers(document.get_ref(), &problems);
    let document = without_axes_of_off(document.into_inner());
    let mut finder = Finder {
        axes: Vec::new(),
        problems: &problems,
        most,
    };
    finder.document(&document);
    let mut axes = finder.axes;
    tell_apart(&mut axes);
    let problems = in_order(problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(SweptText { document, axes })
}

/// A document in which axes of steps that are switched off have their first values: they are no axes of the plan.
pub(super) fn without_axes_of_off(document: DeTable<'_>) -> DeTable<'_> {
    let problems: Problems = RefCell::default();
    let mut finder = Finder {
        axes: Vec::new(),
        problems: &problems,
        most: MOST_VARIANTS,
    };
    if let Some(DeValue::Array(sections)) = document.get("step").map(Spanned::get_ref) {
        for (idx, section) in sections.iter().enumerate().filter(|(_, of)| is_off(of)) {
            finder.section("step", section, idx + 1);
        }
    }
    let chosen: BTreeMap<usize, &Value<'_>> = (finder.axes.iter())
        .filter_map(|axis| Some((axis.key, &axis.choices.first()?.1)))
        .collect();
    if chosen.is_empty() {
        return document;
    }
    with_choices(&document, &chosen)
}

/// Whether a step says that it is switched off.
fn is_off(step: &Value<'_>) -> bool {
    let off = step.get_ref().as_table().and_then(|table| table.get("off"));
    matches!(off.map(Spanned::get_ref), Some(DeValue::Boolean(true)))
}

/// Where the first axis of a document stands, and how many there are.
pub(super) fn first_axis(document: &DeTable<'_>) -> Option<(Place, usize)> {
    let problems: Problems = RefCell::default();
    let mut finder = Finder {
        axes: Vec::new(),
        problems: &problems,
        most: MOST_VARIANTS,
    };
    finder.document(document);
    let axes = finder.axes;
    let n_axes = axes.len();
    // One that is wrong is an axis all the same, and `bauta sweep` says what is wrong with it.
    let wrong = problems.into_inner().into_iter();
    let wrong = wrong.filter_map(|problem| problem.span.map(Place::from));
    let places = axes.into_iter().map(|axis| axis.place).chain(wrong);
    let first = places.min_by_key(|place| place.span().map(|span| span.start))?;
    Some((first, n_axes.max(1)))
}

impl SweptText<'_> {
    /// The draft of a variant: the value of each axis by its position. Places are those of the text.
    pub(crate) fn draft(&self, positions: &[usize], needs: Needs) -> (Draft, Vec<Problem>) {
        let axes = self.axes.iter().zip(positions);
        let chosen: BTreeMap<usize, &Value<'_>> = axes
            .filter_map(|(axis, &position)| Some((axis.key, &axis.choices.get(position)?.1)))
            .collect();
        let problems = RefCell::default();
        let draft = draft_of(&with_choices(&self.document, &chosen), needs, &problems);
        (draft, in_order(problems))
    }
}

/// A table with a value in place of every axis.
fn with_choices<'i>(table: &DeTable<'i>, chosen: &BTreeMap<usize, &Value<'i>>) -> DeTable<'i> {
    let mut out = DeTable::new();
    for (key, value) in table {
        match (key.get_ref().as_ref(), chosen.get(&key.span().start)) {
            // What a section is to be stands beside what it is anyway.
            (SWEEP, Some(choice)) => {
                if let DeValue::Table(section) = choice.get_ref() {
                    out.extend(section.clone());
                }
            }
            _ => {
                if let Some(value) = with_choice(value, chosen) {
                    out.insert(key.clone(), value);
                }
            }
        }
    }
    out
}

/// A value in place of another; none for a section that is left out.
fn with_choice<'i>(value: &Value<'i>, chosen: &BTreeMap<usize, &Value<'i>>) -> Option<Value<'i>> {
    let changed = match value.get_ref() {
        DeValue::Table(table) => match axis_of(table) {
            Some((key, _)) if chosen.contains_key(&key) => {
                let choice = chosen[&key];
                match (table.len(), choice.get_ref()) {
                    (_, DeValue::Table(section)) if section.is_empty() => return None,
                    (1, _) if !matches!(choice.get_ref(), DeValue::Table(_)) => {
                        return Some((*choice).clone());
                    }
                    _ => DeValue::Table(with_choices(table, chosen)),
                }
            }
            _ => DeValue::Table(with_choices(table, chosen)),
        },
        DeValue::Array(items) => {
            let items = items.iter().filter_map(|item| with_choice(item, chosen));
            DeValue::Array(items.collect::<DeArray<'i>>())
        }
        other => other.clone(),
    };
    Some(Spanned::new(value.span(), changed))
}

/// Where the key of an axis stands in a table that is one, and what it says.
fn axis_of<'t, 'i>(table: &'t DeTable<'i>) -> Option<(usize, &'t Value<'i>)> {
    let (key, value) = table.iter().find(|(key, _)| key.get_ref() == SWEEP)?;
    Some((key.span().start, value))
}

/// Looks for axes.
struct Finder<'p, 'i> {
    axes: Vec<TextAxis<'i>>,
    problems: &'p Problems,
    /// Most values of an axis.
    most: usize,
}

impl<'i> Finder<'_, 'i> {
    fn push(&self, place: &Place, message: impl Into<String>, hint: &str) {
        let problem = Problem::at(ProblemKind::Sweep, place, message, hint);
        self.problems.borrow_mut().push(problem);
    }

    fn document(&mut self, document: &DeTable<'i>) {
        for (key, value) in document {
            let section = key.get_ref().as_ref();
            let n_before = self.axes.len();
            match value.get_ref() {
                // A variable may have the name of the key.
                DeValue::Table(table) if !LISTS.contains(&section) => {
                    for (name, value) in table {
                        let path = match section {
                            "plan" | "variables" => name.get_ref().to_string(),
                            section => format!("{section}.{}", name.get_ref()),
                        };
                        self.value(value, &path, None);
                    }
                }
                DeValue::Array(items) => {
                    for (idx, item) in items.iter().enumerate() {
                        self.section(section, item, idx + 1);
                    }
                }
                _ => self.section(section, value, 1),
            }
            let same = SAME_FOR_ALL.iter().find(|(same, _)| *same == section);
            if let Some((_, why)) = same {
                let found: Vec<Place> =
                    (self.axes.drain(n_before..).map(|axis| axis.place)).collect();
                for place in found {
                    let message = format!("[{section}] cannot be swept: {why}");
                    self.push(&place, message, "give one value here");
                }
            }
        }
    }

    /// A section of a list: it may be an axis as a whole, and have some.
    fn section(&mut self, list: &str, item: &Value<'i>, number: usize) {
        let DeValue::Table(table) = item.get_ref() else {
            return;
        };
        let step = (list == "step").then_some(number);
        let about = subject(table);
        if let Some((key, value)) = axis_of(table) {
            let name = match &about {
                Some(about) => format!("{about} {list}"),
                None => list.to_owned(),
            };
            self.axis(name, key, value, Some(table), step);
        }
        for (key, value) in table.iter().filter(|(key, _)| key.get_ref() != SWEEP) {
            let key = key.get_ref();
            let path = match &about {
                Some(about) if list == "gate" => format!("gate {about}.{key}"),
                Some(about) => format!("{about}.{key}"),
                None if list == "step" => key.to_string(),
                None => format!("{list}.{key}"),
            };
            self.value(value, &path, step);
        }
    }

    /// A value: an axis, or what may hold some.
    fn value(&mut self, value: &Value<'i>, path: &str, step: Option<usize>) {
        match value.get_ref() {
            DeValue::Table(table) => match axis_of(table).filter(|_| table.len() == 1) {
                Some((key, list)) => self.axis(path.to_owned(), key, list, None, step),
                None => {
                    for (key, value) in table {
                        self.value(value, &format!("{path}.{}", key.get_ref()), step);
                    }
                }
            },
            DeValue::Array(items) => {
                for (idx, item) in items.iter().enumerate() {
                    self.value(item, &format!("{path}.{}", idx + 1), step);
                }
            }
            _ => {}
        }
    }

    /// An axis; `beside` is the section that it makes whole.
    fn axis(
        &mut self,
        name: String,
        key: usize,
        list: &Value<'i>,
        beside: Option<&DeTable<'i>>,
        step: Option<usize>,
    ) {
        let place = Place::from(list.span());
        let DeValue::Array(items) = list.get_ref() else {
            let hint = "write `{ sweep = [0.05, 0.1] }`";
            return self.push(&place, "`sweep` takes a list of values", hint);
        };
        if items.is_empty() {
            let message = format!("the axis `{name}` has no value");
            return self.push(&place, message, "give at least one");
        }
        let mut choices: Vec<(String, Value<'i>)> = Vec::new();
        let mut seen: HashSet<String> = HashSet::new();
        for item in items {
            if let Some(beside) = beside {
                self.check_section(item, beside);
            }
            let expanded = self.expanded(item);
            if choices.len() + expanded.len() > self.most {
                let message = format!("the axis `{name}` has more than {} values", self.most);
                return self.push(&place, message, "give fewer");
            }
            for value in expanded {
                let label = name_of(&value).unwrap_or_else(|| label(&value));
                if !seen.insert(meaning(&value)) {
                    let message = format!("the axis `{name}` has `{label}` twice");
                    self.push(&item.span().into(), message, "give each value once");
                }
                choices.push((label, value));
            }
        }
        // A name that several alternatives have tells nobody which is which.
        let mut n_of: BTreeMap<String, usize> = BTreeMap::new();
        for (label, _) in &choices {
            *n_of.entry(label.clone()).or_default() += 1;
        }
        for (shown, value) in &mut choices {
            if n_of.get(shown).is_some_and(|n| *n > 1) {
                *shown = label(value);
            }
        }
        self.axes.push(TextAxis {
            name,
            place,
            choices,
            key,
            step,
        });
    }

    /// What a whole section is to be must be a table, without what stands beside it.
    fn check_section(&self, item: &Value<'i>, beside: &DeTable<'i>) {
        let DeValue::Table(section) = item.get_ref() else {
            let hint = "write `sweep = [{ mask = \"rank-swap\", window = 0.1 }, { mask = \"mdav\", k = 5 }]`";
            let message = "in a section, `sweep` takes a list of tables";
            return self.push(&item.span().into(), message, hint);
        };
        for (key, _) in section {
            if beside.contains_key(key.get_ref().as_ref()) {
                let message = format!("`{}` stands beside the axis already", key.get_ref());
                self.push(
                    &key.span().into(),
                    message,
                    "give it in one of the two places",
                );
            }
        }
    }

    /// A value with every value of the axes in it, the last of them changing first.
    fn expanded(&self, value: &Value<'i>) -> Vec<Value<'i>> {
        let parts = match value.get_ref() {
            DeValue::Table(table) => match axis_of(table).filter(|_| table.len() == 1) {
                Some((_, list)) => return self.listed(list),
                None => {
                    let mut tables = vec![DeTable::new()];
                    for (key, value) in table {
                        let values = self.expanded(value);
                        tables = product(&tables, &values, self.most, |table, value| {
                            table.insert(key.clone(), value);
                        });
                    }
                    tables.into_iter().map(DeValue::Table).collect::<Vec<_>>()
                }
            },
            DeValue::Array(items) => {
                let mut arrays = vec![DeArray::new()];
                for item in items {
                    let values = self.expanded(item);
                    arrays = product(&arrays, &values, self.most, |array, value| {
                        array.push(value);
                    });
                }
                arrays.into_iter().map(DeValue::Array).collect()
            }
            other => vec![other.clone()],
        };
        let parts = parts.into_iter();
        parts.map(|part| Spanned::new(value.span(), part)).collect()
    }

    /// The values of an axis within the value of another.
    fn listed(&self, list: &Value<'i>) -> Vec<Value<'i>> {
        match list.get_ref() {
            DeValue::Array(items) if !items.is_empty() => {
                let mut out: Vec<Value<'i>> = Vec::new();
                let mut seen: HashSet<String> = HashSet::new();
                for value in items.iter().flat_map(|item| self.expanded(item)) {
                    if !seen.insert(meaning(&value)) {
                        let message = format!("the axis has `{}` twice", label(&value));
                        self.push(&value.span().into(), message, "give each value once");
                    }
                    out.push(value);
                }
                out
            }
            _ => {
                let message = "`sweep` takes a list of values";
                self.push(&list.span().into(), message, "give at least one");
                Vec::new()
            }
        }
    }
}

/// Every one of some with every one of others put into it; a few more than `most` at the most.
fn product<T: Clone, U: Clone>(
    ones: &[T],
    others: &[U],
    most: usize,
    put: impl Fn(&mut T, U),
) -> Vec<T> {
    let pairs = ones
        .iter()
        .flat_map(|one| others.iter().map(move |other| (one, other)));
    let made = pairs.take(most.saturating_add(1)).map(|(one, other)| {
        let mut made = one.clone();
        put(&mut made, other.clone());
        made
    });
    made.collect()
}

/// A text that two values share only if they are the same to whoever reads the plan.
fn meaning(value: &Value<'_>) -> String {
    raw(value.get_ref()).map_or_else(|| label(value), |raw| format!("{raw:?}"))
}

/// What a section is about: its method, or its name.
fn subject(table: &DeTable<'_>) -> Option<String> {
    let text = |key: &str| table.get(key)?.get_ref().as_str().map(str::to_owned);
    let first = |key: &str| {
        let items = table.get(key)?.get_ref().as_array()?;
        items.first()?.get_ref().as_str().map(str::to_owned)
    };
    let named = ["mask", "adjust", "measure", "name"];
    named.into_iter().find_map(text).or_else(|| first("use"))
}

/// The name that an alternative gives itself.
fn name_of(value: &Value<'_>) -> Option<String> {
    let table = value.get_ref().as_table()?;
    table.get("name")?.get_ref().as_str().map(str::to_owned)
}

/// A value as tables and maps show it.
fn label(value: &Value<'_>) -> String {
    let entries = |table: &DeTable<'_>, but: &[&str]| -> Vec<String> {
        let shown = table.iter();
        let shown = shown.filter(|(key, _)| !but.contains(&key.get_ref().as_ref()));
        shown
            .map(|(key, value)| match value.get_ref() {
                DeValue::Table(_) => format!("{}={{{}}}", key.get_ref(), label(value)),
                _ => format!("{}={}", key.get_ref(), label(value)),
            })
            .collect()
    };
    match value.get_ref() {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(date) => date.to_string(),
        DeValue::Array(items) => {
            let items: Vec<String> = items.iter().map(label).collect();
            format!("[{}]", items.join(", "))
        }
        DeValue::Table(table) if table.is_empty() => "none".to_owned(),
        DeValue::Table(table) => match subject(table) {
            Some(method) => {
                let mut words = vec![method];
                words.extend(entries(
                    table,
                    &["mask", "adjust", "measure", "name", "use", "why"],
                ));
                words.join(" ")
            }
            None => entries(table, &[]).join(" "),
        },
    }
}

/// Gives every axis a name of its own: of steps by their number, of others by how many came before.
fn tell_apart(axes: &mut [TextAxis<'_>]) {
    let n_of = |axes: &[TextAxis<'_>], name: &str| {
        let same = axes.iter().filter(|axis| axis.name == name);
        same.count()
    };
    let names: Vec<String> = axes.iter().map(|axis| axis.name.clone()).collect();
    for (idx, name) in names.iter().enumerate() {
        if names.iter().filter(|other| *other == name).count() > 1
            && let Some(step) = axes[idx].step
        {
            axes[idx].name = if name == "step" {
                format!("step {step}")
            } else {
                format!("step {step} {name}")
            };
        }
    }
    for idx in 0..axes.len() {
        let name = axes[idx].name.clone();
        let n_before = n_of(&axes[..idx], &name);
        if n_before > 0 {
            axes[idx].name = format!("{name} ({})", n_before + 1);
        }
    }
}
