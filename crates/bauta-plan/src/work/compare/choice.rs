//! Which measures a comparison takes, on which variables, and why not the others.

use std::sync::Arc;

use bauta_data::{Column, Kind, near};
use bauta_methods::groups::not_measured;
use bauta_methods::measure::{Afterwards, MeasureCard};
use bauta_methods::pair::Rows;
use bauta_methods::{
    Card, Choice as _, Groups, Measure, Pair, ParamDefault, ParamSpec, ParamType, Scope, Subject,
    registry,
};

use super::overview::is_unchanged;
use super::{CompareRequest, ComparedMeasure, WorkError};
use crate::problem::{Place, Problem, ProblemKind};

/// A measure that is to be taken.
pub(super) struct Chosen {
    pub(super) measure: &'static dyn Measure,
    pub(super) on: Vec<String>,
    pub(super) groups: Groups,
}

/// A measure that is not taken, and why not.
pub(super) struct Left {
    id: &'static str,
    why: String,
    told: Told,
}

/// Whether it is told that a measure was not taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    /// Only to whoever sets a parameter of it: the files have nothing that it could look at.
    IfAsked,
    /// To everybody: it could be taken.
    Always,
}

/// What a measure looks at, in the order in which a comparison gives its figures.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Sort {
    /// Variables, numbers among them.
    Variables,
    /// Variables that hold categories, and no others.
    Categories,
    /// The keys.
    Keys,
}

impl Sort {
    fn of(measure: &dyn Measure) -> Self {
        let takes_numbers = measure.card().targets.kinds.contains(&Kind::Continuous);
        match measure.declared().scope {
            Scope::Scenario => Self::Keys,
            Scope::Variables if takes_numbers => Self::Variables,
            Scope::Variables => Self::Categories,
        }
    }
}

/// The measures that are taken and those that are not, each in the order of their figures.
pub(super) fn choose(
    pair: Pair<'_>,
    on: &[String],
    request: &CompareRequest,
) -> (Vec<Chosen>, Vec<Left>) {
    let mut measures: Vec<&'static dyn Measure> = registry::MEASURES.to_vec();
    measures.sort_by_key(|measure| Sort::of(*measure));
    let (mut chosen, mut left) = (Vec::new(), Vec::new());
    for measure in measures {
        let id = measure.card().id;
        let (why, told) = match choice(measure, pair, on, request) {
            Ok(one) => match too_much(measure, pair, request) {
                None => {
                    chosen.push(one);
                    continue;
                }
                Some(why) => (why, Told::Always),
            },
            Err(why) => (why, Told::IfAsked),
        };
        left.push(Left { id, why, told });
    }
    (chosen, left)
}

/// Why a measure that nobody asked for is not taken of so many records; none where it is. Whoever sets a parameter
/// of it asks for it.
fn too_much(measure: &dyn Measure, pair: Pair<'_>, request: &CompareRequest) -> Option<String> {
    let n_records = pair.original.n_records().max(pair.masked.n_records());
    let limit = measure.declared().unasked?;
    if n_records <= limit.n_records {
        return None;
    }
    let asks =
        |name: &str| measure.card().param(name).is_some() && !limit.not_asked_by.contains(&name);
    let is_asked = request.set.iter().any(|(name, _)| asks(name));
    (!is_asked).then(|| {
        format!(
            "unasked it is taken of {} records at the most, and here are {n_records}; ask for it with {}",
            limit.n_records, limit.ask
        )
    })
}

impl Chosen {
    /// The same on another set of keys.
    pub(super) fn on_keys(&self, keys: &[String]) -> Self {
        Self {
            measure: self.measure,
            on: keys.to_vec(),
            groups: self.groups.clone(),
        }
    }
}

impl Left {
    /// That it was not taken, where everybody is told.
    pub(super) fn told(&self) -> Option<ComparedMeasure> {
        (self.told == Told::Always).then(|| ComparedMeasure {
            id: self.id,
            scenario: None,
            on: Vec::new(),
            before: None,
            after: None,
            notes: vec![not_measured(self.id, &self.why)],
        })
    }
}

/// What a measure is taken on, or why it is not.
fn choice(
    measure: &'static dyn Measure,
    pair: Pair<'_>,
    on: &[String],
    request: &CompareRequest,
) -> Result<Chosen, String> {
    let (card, declared) = (measure.card(), measure.declared());
    let is_set = |spec: &&ParamSpec| request.set.iter().any(|(name, _)| name == spec.name);
    let required = |spec: &&ParamSpec| spec.default == ParamDefault::Required;
    let mut untold = card
        .params
        .iter()
        .filter(required)
        .filter(|spec| !is_set(spec));
    if let Some(spec) = untold.next() {
        return Err(format!("it must be told `--set {}=…`", spec.name));
    }
    let sort = Sort::of(measure);
    let by_record = declared.subject == Subject::CorrespondingPair;
    if sort == Sort::Variables && by_record && pair.rows == Rows::Unrelated {
        return Err("the records of the two files do not correspond".to_owned());
    }
    let of_variables = Groups {
        outliers: request.outliers,
        condition: request.condition.clone(),
    };
    let of_categories = Groups {
        outliers: None,
        condition: request.condition.clone(),
    };
    let (on, groups) = match sort {
        Sort::Variables if explains(card) => (everything(pair, on, request), of_variables),
        Sort::Variables if declared.afterwards != Afterwards::SameKind => {
            (changed(declared, pair, on, request), of_categories)
        }
        Sort::Variables => (on.to_vec(), of_variables),
        Sort::Categories => (request.categories(), of_categories),
        Sort::Keys => (request.keys.clone(), Groups::default()),
    };
    match sort {
        Sort::Variables if on.is_empty() && declared.afterwards == Afterwards::Categories => {
            Err("there is no variable of categories".to_owned())
        }
        Sort::Variables if on.is_empty() => Err("there is no variable of numbers".to_owned()),
        Sort::Categories if on.is_empty() => Err("it needs --keys or --sensitive".to_owned()),
        Sort::Keys if on.is_empty() => Err("it needs --keys".to_owned()),
        Sort::Variables if !declared.usual && !knows(card, pair, &on) => {
            Err("none of the variables is of a kind that it knows".to_owned())
        }
        _ => Ok(Chosen {
            measure,
            on,
            groups,
        }),
    }
}

/// Whether a measure explains a variable that it must be told: then keys and sensitive answers are among
/// what explains it, as in a plan.
fn explains(card: &Card) -> bool {
    let is_response = |spec: &ParamSpec| {
        spec.default == ParamDefault::Required && spec.ty == ParamType::Variables
    };
    card.params.iter().any(is_response)
}

/// What a measure that looks across kinds is taken on: every variable that is not what it was, if it may look at it;
/// all that were named where none is, or where `--on` names the variables.
fn changed(
    declared: &MeasureCard,
    pair: Pair<'_>,
    on: &[String],
    request: &CompareRequest,
) -> Vec<String> {
    let accepts = |name: &str| {
        let columns = pair.original.column_named(name);
        let columns = columns.zip(pair.masked.column_named(name));
        columns.is_some_and(|(before, after)| {
            let [before, after] = [before, after].map(held_kind);
            declared.afterwards.accepts(before, after)
        })
    };
    let is_content = |column: &&Arc<Column>| {
        let role = column.attribute().role;
        declared.card.targets.default_roles.contains(&role) && !request.is_id(column.name())
    };
    let all = pair.original.columns().iter().filter(is_content);
    let all = all.map(|column| column.name());
    let is_changed = |name: &&str| accepts(name) && !is_unchanged(&pair, name);
    let found: Vec<String> = match request.on {
        None => all.filter(is_changed).map(str::to_owned).collect(),
        Some(_) => Vec::new(),
    };
    if !found.is_empty() {
        return found;
    }
    let mut named = everything(pair, on, request);
    named.retain(|name| accepts(name));
    named
}

/// What a column holds, which is all that is known of one that nobody described.
fn held_kind(column: &Column) -> Kind {
    if column.is_numeric() {
        Kind::Continuous
    } else {
        Kind::Unordered
    }
}

/// Keys, sensitive answers and compared variables, in the order of the file.
fn everything(pair: Pair<'_>, on: &[String], request: &CompareRequest) -> Vec<String> {
    let named = |name: &&str| {
        let mut all = request.keys.iter().chain(&request.sensitive).chain(on);
        all.any(|known| known == name)
    };
    let both = pair.original.names().filter(named);
    let both = both.filter(|name| pair.masked.index_of(name).is_some());
    both.map(str::to_owned).collect()
}

fn knows(card: &Card, pair: Pair<'_>, on: &[String]) -> bool {
    let columns = on
        .iter()
        .filter_map(|name| pair.original.column_named(name));
    let mut kinds = columns.map(|column| column.attribute().kind);
    kinds.any(|kind| card.targets.kinds.contains(&kind))
}

/// Whether a measure can count missing keys in the way that was asked for, or does not ask.
pub(super) fn offers_semantics(card: &Card, request: &CompareRequest) -> bool {
    let semantics = request.semantics.name();
    match card.param("semantics").map(|spec| spec.ty) {
        Some(ParamType::Choice(choices)) => choices.iter().any(|(name, _)| *name == semantics),
        _ => true,
    }
}

/// A setting that no measure knows would be ignored; so would one that none of the measures knows that
/// are taken. All such settings are told at once.
pub(super) fn refuse_unused_settings(
    request: &CompareRequest,
    chosen: &[Chosen],
    left: &[Left],
) -> Result<(), WorkError> {
    let known = || {
        let measures = registry::MEASURES.iter();
        measures.flat_map(|measure| measure.card().params)
    };
    let mut problems = Vec::new();
    for (name, _) in &request.set {
        if !known().any(|spec| spec.name == name) {
            problems.push(wrong_setting(
                format!("no measure has the parameter `{name}`"),
                near::hint(name, known().map(|spec| spec.name)),
            ));
            continue;
        }
        let is_used = |one: &Chosen| one.measure.card().param(name).is_some();
        if !chosen.iter().any(is_used) {
            let knowing = left.iter().filter(|left| has_param(left.id, name));
            problems.push(unused(
                name,
                knowing.map(|left| (left.id, left.why.as_str())),
            ));
        }
    }
    told_at_once(problems)
}

/// A setting whose measures the data do not allow was asked for in vain.
pub(super) fn refuse_settings_in_vain(
    request: &CompareRequest,
    found: &[ComparedMeasure],
) -> Result<(), WorkError> {
    let mut problems = Vec::new();
    for (name, _) in &request.set {
        let knowing = || found.iter().filter(|found| has_param(found.id, name));
        if !knowing().any(|found| found.after.is_some()) {
            problems.push(unused(
                name,
                knowing().map(|found| (found.id, why_not(found))),
            ));
        }
    }
    told_at_once(problems)
}

/// The reason that stands in the note of a measure that was not taken.
fn why_not(found: &ComparedMeasure) -> &str {
    let mut reasons = found.notes.iter().filter_map(|note| note.fact("reason"));
    let reason = reasons.next().and_then(|reason| reason.as_str());
    reason.unwrap_or("the data do not allow it")
}

fn has_param(id: &str, name: &str) -> bool {
    let card = registry::card(id);
    card.is_some_and(|card| card.param(name).is_some())
}

fn unused<'r>(name: &str, reasons: impl Iterator<Item = (&'r str, &'r str)>) -> Problem {
    let reasons = reasons.map(|(id, why)| format!("{id}: {why}"));
    let reasons = reasons.collect::<Vec<_>>().join("; ");
    wrong_setting(
        format!("no measure that was taken has the parameter `{name}`; {reasons}"),
        "give those measures what they need, or leave the setting out".to_owned(),
    )
}

fn wrong_setting(message: String, hint: String) -> Problem {
    Problem::at(ProblemKind::Parameter, &Place::default(), message, hint)
}

fn told_at_once(problems: Vec<Problem>) -> Result<(), WorkError> {
    if problems.is_empty() {
        return Ok(());
    }
    Err(WorkError::Problems(problems))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bauta_data::column::NumberText;
    use bauta_data::{Attribute, Role, Table};

    fn numbers(n_records: u32) -> Table {
        let attribute = Attribute::new("x", Role::Other, Kind::Continuous);
        let values = (0..n_records).map(f64::from).collect();
        let column = Column::numeric(Arc::new(attribute), values, None, NumberText::default());
        Table::new(vec![column], n_records as usize)
    }

    fn why_not(id: &str, n_records: u32, set: &[&str]) -> Option<String> {
        let (original, masked) = (numbers(n_records), numbers(n_records - 1));
        let pair = Pair {
            original: &original,
            masked: &masked,
            rows: Rows::Unrelated,
        };
        let mut request = CompareRequest::of("x.csv".to_owned(), "z.csv".to_owned());
        let set = set.iter().map(|name| ((*name).to_owned(), String::new()));
        request.set = set.collect();
        too_much(registry::measure(id).expect("a measure"), pair, &request)
    }

    #[test]
    fn linkage_of_many_records_is_left_out_unless_somebody_asks_for_it() {
        let why = why_not("pld", 2_001, &[]).expect("too much");
        assert_eq!(
            why,
            "unasked it is taken of 2000 records at the most, and here are 2001; ask for it with \
             --set links=all, or use `bauta link`"
        );
        for id in ["a-score", "d-score", "s-score"] {
            let why = why_not(id, 2_001, &[]).expect("too much");
            assert!(
                why.ends_with("here are 2001; ask for it with --set reid=total"),
                "{why}"
            );
            assert_eq!(why_not(id, 2_000, &[]), None);
            assert_eq!(why_not(id, 2_001, &["reid"]), None);
            assert_eq!(why_not(id, 2_001, &["zero", "metric"]), None);
            // Losses have these, too, and take no time.
            assert!(why_not(id, 2_001, &["zero", "missing", "level"]).is_some());
        }
        for id in ["s0", "score", "il"] {
            assert_eq!(why_not(id, 100_000, &[]), None);
        }
    }
}
