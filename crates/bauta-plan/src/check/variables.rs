//! Checking what a plan says of its variables, and how its file is read.

use std::collections::BTreeSet;

use bauta_data::date::{Dates, iso_days};
use bauta_data::format::ReadOptions;
use bauta_data::hierarchy::{DateLevels, DateUnit, DateUnits};
use bauta_data::{Attribute, HierarchySpec, Kind, MissingRules, Role, Schema, Spellings};

use super::Surroundings;
use crate::draft::{DataDraft, Draft, HierarchyDraft, VariableDraft};
use crate::problem::{Place, Problem, ProblemKind};
use crate::seed_in_texts::shows;
use crate::toml::Problems;

/// Texts and codes of one variable that mean "no value": a cell's cause is one byte, and 0 means
/// present.
const MAX_MISSING: usize = 200;

/// How the file is read; reports what is wrong with its variables.
pub(super) fn read_options(
    draft: &Draft,
    surroundings: &dyn Surroundings,
    problems: &Problems,
) -> ReadOptions {
    let variables = draft.variables.iter();
    let attributes = variables.map(|variable| attribute(variable, surroundings, problems));
    let mut attributes: Vec<Attribute> = attributes.collect();
    check_roles(&draft.variables, problems);
    check_texts(draft, problems);
    let data = &draft.data;
    let missing = missing_rules(
        data.missing.as_ref(),
        data.missing_codes.as_ref(),
        &data.place.0,
        problems,
    )
    .unwrap_or_default();
    keep_numbers_of_units(&mut attributes, &missing);
    ReadOptions {
        schema: Schema {
            attributes,
            missing,
        },
        delimiter: delimiter(data, problems),
        decimal: data.decimal,
        encoding: data.encoding.unwrap_or_default(),
        memory: None,
    }
}

/// Numbers that the file calls missing were said of answers: in weights and in numbers of units they are numbers like
/// any other, for whoever reads the file by this plan, and whatever else the variable is taken for.
fn keep_numbers_of_units(attributes: &mut [Attribute], of_file: &MissingRules) {
    let without = of_file.without_numbers();
    if without == *of_file {
        return;
    }
    for attribute in attributes {
        let is_numbering = matches!(
            attribute.role,
            Role::Household | Role::Weight | Role::Identifier
        );
        if is_numbering && attribute.missing.is_none() {
            attribute.missing = Some(without.clone());
        }
    }
}

fn delimiter(data: &DataDraft, problems: &Problems) -> Option<u8> {
    let given = data.delimiter.as_ref()?;
    let byte = u8::try_from(given.value).ok().filter(u8::is_ascii);
    if byte.is_none() {
        let message = "a delimiter is one character of ASCII";
        let hint = "use a comma, a semicolon, a bar or a tab";
        let problem = Problem::at(ProblemKind::Plan, &given.place, message, hint);
        problems.borrow_mut().push(problem);
    }
    byte
}

/// The missing rules that a section gives; none if it says nothing of them.
fn missing_rules(
    texts: Option<&Vec<String>>,
    codes: Option<&Vec<(String, String)>>,
    place: &Place,
    problems: &Problems,
) -> Option<MissingRules> {
    if texts.is_none() && codes.is_none() {
        return None;
    }
    let mut rules = MissingRules::default();
    if let Some(texts) = texts {
        rules.texts.clone_from(texts);
    }
    rules.codes = codes.cloned().unwrap_or_default();
    if rules.texts.len() + rules.codes.len() > MAX_MISSING {
        let message = "too many missing texts and codes";
        let hint = "declare at most 200 missing texts and codes";
        let problem = Problem::at(ProblemKind::Plan, place, message, hint);
        problems.borrow_mut().push(problem);
        return None;
    }
    Some(rules)
}

pub(super) fn labels(variables: &[VariableDraft]) -> Vec<(String, String)> {
    let labelled = variables.iter().filter_map(|variable| {
        let label = variable.label.clone()?;
        Some((variable.name.value.clone(), label))
    });
    labelled.collect()
}

fn attribute(
    variable: &VariableDraft,
    surroundings: &dyn Surroundings,
    problems: &Problems,
) -> Attribute {
    let name = &variable.name;
    let said = variable.kind.as_ref().map(|kind| kind.value);
    let forms = variable.hierarchy.as_ref().map(|form| &form.value);
    let is_calendar = matches!(
        forms,
        Some(HierarchyDraft::Dates(_) | HierarchyDraft::Ages { .. })
    );
    let of_dates = variable.date.map(|_| match &variable.hierarchy {
        Some(_) => Kind::Hierarchical,
        None => Kind::Continuous,
    });
    let kind = said
        .or(of_dates)
        .unwrap_or_else(|| variable.role.default_kind());
    if variable.role == Role::Weight && variable.date.is_some() {
        let message = format!("`{}` is a weight, and a weight is no date", name.value);
        let hint = "leave out `date`, or give it another role";
        let problem = Problem::at(ProblemKind::Plan, &name.place, message, hint);
        problems.borrow_mut().push(problem.of_variable(name));
    }
    if kind == Kind::Hierarchical && variable.hierarchy.is_none() {
        let message = format!("`{}` is hierarchical and has no hierarchy", name.value);
        let hint = "add hierarchy = \"prefix\" or another form";
        let problem = Problem::at(ProblemKind::Plan, &name.place, message, hint);
        problems.borrow_mut().push(problem.of_variable(name));
    }
    if kind == Kind::Continuous && variable.spellings == Some(Spellings::Fold) {
        let message = format!(
            "`{}` is continuous, and the spellings of numbers mean nothing",
            name.value
        );
        let hint = "leave out `spellings`, or give it a kind with categories";
        let problem = Problem::at(ProblemKind::Plan, &name.place, message, hint);
        problems.borrow_mut().push(problem.of_variable(name));
    }
    let order = variable.order.as_deref().unwrap_or_default();
    let distinct: BTreeSet<&String> = order.iter().collect();
    if distinct.len() < order.len() {
        let message = format!("the order of `{}` names a category twice", name.value);
        let hint = "name each category once, from lowest to highest";
        let problem = Problem::at(ProblemKind::Plan, &name.place, message, hint);
        problems.borrow_mut().push(problem.of_variable(name));
    }
    Attribute {
        name: name.value.clone(),
        role: variable.role,
        kind,
        order: variable.order.clone(),
        hierarchy: hierarchy(variable, surroundings, problems),
        date: variable.date.or(is_calendar.then_some(Dates::Sought)),
        missing: missing_rules(
            variable.missing.as_ref(),
            variable.missing_codes.as_ref(),
            &name.place,
            problems,
        ),
        spellings: variable.spellings.unwrap_or_default(),
    }
}

/// All of them, if none is missing; else something is said.
fn all<T>(found: impl Iterator<Item = Option<T>>, otherwise: impl FnOnce()) -> Option<Vec<T>> {
    let found = found.collect();
    if Option::is_none(&found) {
        otherwise();
    }
    found
}

fn hierarchy(
    variable: &VariableDraft,
    surroundings: &dyn Surroundings,
    problems: &Problems,
) -> Option<HierarchySpec> {
    let hierarchy = variable.hierarchy.as_ref()?;
    let refuse = |message: &str, hint: &str| {
        let problem = Problem::at(ProblemKind::Plan, &hierarchy.place, message, hint);
        problems
            .borrow_mut()
            .push(problem.of_variable(&variable.name));
    };
    let format = variable.date.and_then(Dates::format);
    let dates = |by| HierarchySpec::Dates(DateLevels { by, format });
    match hierarchy.value.clone() {
        HierarchyDraft::Prefix(keep) => Some(HierarchySpec::Prefix { keep }),
        HierarchyDraft::Intervals(breaks) => {
            let spec = HierarchySpec::Intervals { breaks };
            for problem in spec.problems() {
                refuse(&problem.message, &problem.hint);
            }
            Some(spec)
        }
        HierarchyDraft::Tree(roots) => Some(HierarchySpec::Tree { roots }),
        HierarchyDraft::Dates(units) => {
            let units = match units {
                None => DateUnit::USUAL.to_vec(),
                Some(words) => all(words.iter().map(|word| DateUnit::parse(word)), || {
                    refuse(
                        "a level of its dates is none of month, quarter, year and a number of years",
                        "write { dates = [\"month\", \"quarter\", \"year\", \"5 years\"] }",
                    );
                })?,
            };
            Some(dates(DateUnits::Calendar(units)))
        }
        HierarchyDraft::Ages { at, widths } => {
            let Some(at) = iso_days(&at) else {
                refuse(
                    "the day at which ages are counted is no date",
                    "write it year first: { age_at = \"2026-01-01\" }",
                );
                return None;
            };
            let widths = widths.unwrap_or_else(|| DateUnits::USUAL_AGES.to_vec());
            Some(dates(DateUnits::Ages { at, widths }))
        }
        HierarchyDraft::File(file) => surroundings
            .levels(&file)
            .map_err(|error| {
                let found = error.problems.into_iter();
                let located = found
                    .map(|problem| Problem::from_data(problem, &hierarchy.place).in_file(&file));
                problems.borrow_mut().extend(located);
            })
            .ok(),
    }
}

/// Titles, purposes, labels, reasons and names of public files are published, and the seed must not be in one.
fn check_texts(draft: &Draft, problems: &Problems) {
    let Some(seed) = draft.plan.seed else {
        return;
    };
    let refuse = |text: Option<&String>, place: &Place, what: &str, hint: &str| {
        if text.is_some_and(|text| shows(text, seed)) {
            let message = format!("{what} holds the seed, and is published");
            let problem = Problem::at(ProblemKind::Plan, place, message, hint);
            problems.borrow_mut().push(problem);
        }
    };
    let take_out = "take the seed out of it";
    refuse(
        draft.plan.title.as_ref(),
        &Place::NOWHERE,
        "the title",
        take_out,
    );
    let release = &draft.release;
    let of_release = [
        ("the purpose", release.purpose.as_ref()),
        ("the day of the review", release.review.as_ref()),
    ];
    let of_release = of_release.into_iter();
    let of_release = of_release.filter_map(|(what, spot)| Some((what, spot?)));
    let recipients = release.recipients.iter().map(|one| ("a recipient", one));
    for (what, spot) in of_release.chain(recipients) {
        refuse(Some(&spot.value), &spot.place, what, take_out);
    }
    for variable in &draft.variables {
        let (label, name) = (variable.label.as_ref(), &variable.name);
        let what = format!("the label of `{}`", name.value);
        refuse(label, &name.place, &what, take_out);
    }
    for step in &draft.steps {
        let what = "the reason of this step";
        refuse(step.why.as_ref(), &step.place.0, what, take_out);
    }
    let output = &draft.output;
    for file in [&output.file, &output.external_report]
        .into_iter()
        .flatten()
    {
        let what = "the name of this file";
        refuse(Some(&file.value), &file.place, what, "choose another name");
    }
}

fn check_roles(variables: &[VariableDraft], problems: &Problems) {
    for role in [Role::Weight, Role::Household] {
        let with_role = variables.iter().filter(|variable| variable.role == role);
        for second in with_role.skip(1) {
            let message = format!(
                "`{}` is a second variable with the role {}",
                second.name.value,
                role.name()
            );
            let problem = Problem::at(
                ProblemKind::Plan,
                &second.name.place,
                message,
                "give the others the role other",
            );
            problems
                .borrow_mut()
                .push(problem.of_variable(&second.name));
        }
    }
    for variable in variables {
        if let (Role::Weight, Some(kind)) = (variable.role, &variable.kind)
            && kind.value != Kind::Continuous
        {
            let message = format!(
                "`{}` is a weight and must be continuous",
                variable.name.value
            );
            problems.borrow_mut().push(Problem::at(
                ProblemKind::Plan,
                &kind.place,
                message,
                "leave out its kind",
            ));
        }
    }
}
