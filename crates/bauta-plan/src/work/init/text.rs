//! The text of a proposed plan: its sections, with the reason of every proposal beside it.

use bauta_data::Table;
use bauta_data::inspect::{ColumnProfile, FileProfile, Flag};
use bauta_data::remark::LIKELY_ENCODING;
use bauta_data::spelling::{POSSIBLY_MISSING, SPELLINGS, SPELLINGS_FOLDED};
use bauta_data::{Kind, Role};

use super::proposals::{Proposal, proposals};
use super::rules::{Rules, is_soon_linked, linkage, linked, records_of_a_unit, unlinked};
use crate::draft::{Draft, GateDraft, Heading, MeasureDraft, ScenarioDraft};
use crate::toml::write;

/// What the first lines of a plan say.
pub(in crate::work) struct Opening {
    /// The command that wrote it.
    pub(in crate::work) by: &'static str,
    /// Lines of comments, each with its end.
    pub(in crate::work) remarks: String,
}

/// The text of a proposed plan, with a reason for every variable; `body` are the sections between the variables and
/// the output.
pub(in crate::work) fn commented(
    draft: &Draft,
    file: &str,
    profile: &FileProfile,
    opening: &Opening,
    body: Vec<String>,
) -> String {
    let data = with_remark(
        &write::data(&draft.data),
        "missing",
        "texts that mean \"no value\"; codes such as 99 = refused go into missing_codes",
    );
    let data = with_remark(&data, "encoding", encoding_remark(profile));
    let data = format!("{data}{}", decimal_question(profile));
    let output = with_remark(
        &write::output(&draft.output),
        "shuffle",
        "the order of a file can tell where a record came from",
    );
    let mut heading = write::heading(&Heading {
        title: draft.plan.title.clone(),
        seed: draft.plan.seed,
    });
    if draft.plan.seed.is_none() {
        heading.push_str(
            "# seed = …   # without one, the seed is derived from the file's bytes; keep it secret\n",
        );
    }
    heading.push_str(RELEASE_TO_FILL);
    let mut sections = vec![
        format!(
            "# A first plan for {}, written by `{}`.\n\
             # Every role and kind is a proposal with its reason: correct what is wrong.\n\
             # `bauta explain plan` explains the grammar, `bauta list` shows the methods.\n{}",
            in_a_line(file),
            opening.by,
            opening.remarks
        ),
        heading,
        data,
        variables_text(draft, profile),
    ];
    sections.extend(body);
    sections.push(output);
    sections.join("\n")
}

/// Intruders, steps, measures and conditions of a plan for which nobody was asked.
pub(super) fn first_body(draft: &Draft, profile: &FileProfile, table: &Table) -> Vec<String> {
    let mut sections = vec![scenario_text(draft)];
    sections.extend(unlinked_text(profile));
    sections.extend(draft.steps.iter().map(write::step));
    sections.extend(proposed_steps(profile, table));
    sections.extend(draft.measures.iter().map(write::measure));
    sections.extend(slow_linkage(profile));
    sections.extend(more_measures(profile));
    sections.push(gates_text(draft, profile));
    sections
}

/// Where the encoding comes from, if nobody stated it.
fn encoding_remark(profile: &FileProfile) -> &'static str {
    let mut remarks = profile.remarks.iter();
    if remarks.any(|remark| remark.id == LIKELY_ENCODING) {
        "LOOK: the file is not UTF-8, and this is what it is likely to be: are its letters right?"
    } else {
        "how the file's letters are stored"
    }
}

/// What only people know of a release, to be filled in: both reports show the first three.
const RELEASE_TO_FILL: &str = "\n\
    # [release]                # what the file is for and who answers for it; the reports show it\n\
    # purpose = \"…\"\n\
    # recipients = [\"…\"]\n\
    # review = \"2028-01-31\"    # by when the risk is looked at again\n\
    # signatories = [{ name = \"…\", role = \"…\" }]   # in the internal report only\n";

/// A section with a remark behind the line of a key.
fn with_remark(section: &str, key: &str, remark: &str) -> String {
    let is_it = |line: &str| line.split(" = ").next() == Some(key);
    let lines = section.lines().map(|line| {
        if is_it(line) {
            format!("{line}   # {remark}\n")
        } else {
            format!("{line}\n")
        }
    });
    lines.collect()
}

fn variables_text(draft: &Draft, profile: &FileProfile) -> String {
    let mut out = String::from(
        "# role: identifier, key, sensitive, weight, household, stratum, other\n\
         # kind: continuous, ordered, hierarchical, unordered\n[variables]\n",
    );
    for (variable, column) in draft.variables.iter().zip(&profile.columns) {
        out.push_str(&format!("# {}\n", in_a_line(&column.proposal.reason)));
        let flag = column.proposal.flag.map(Flag::text);
        for remark in flag.into_iter().chain(column.warnings()) {
            out.push_str(&format!("# LOOK: {}\n", in_a_line(remark)));
        }
        if let Some(question) = &column.date_question {
            let text = format!("{}: {}", question.message, question.hint);
            out.push_str(&format!("# LOOK: {}\n", in_a_line(&text)));
        }
        for remark in spelling_remarks(profile, &column.name) {
            out.push_str(&format!("# LOOK: {}\n", in_a_line(remark)));
        }
        out.push_str(&write::variable(variable));
    }
    out
}

/// What there is to say of the spellings of a variable.
fn spelling_remarks<'p>(
    profile: &'p FileProfile,
    variable: &'p str,
) -> impl Iterator<Item = &'p str> {
    let of_spellings = [SPELLINGS, POSSIBLY_MISSING, SPELLINGS_FOLDED];
    let remarks = profile.remarks.iter();
    remarks
        .filter(move |remark| {
            remark.variable.as_deref() == Some(variable) && of_spellings.contains(&remark.id)
        })
        .map(|remark| remark.text.as_str())
}

fn scenario_text(draft: &Draft) -> String {
    let scenarios: String = draft.scenarios.iter().map(write::scenario).collect();
    if scenarios.is_empty() {
        let none =
            "No keys were found. If others can know a variable, give it the role key and add:";
        let example = write::scenario(&ScenarioDraft::new("…", ["…"]));
        return format!("# {none}\n{}", as_comment(&example));
    }
    format!(
        "# What an intruder is assumed to know. Add a scenario for each kind of intruder.\n{scenarios}"
    )
}

/// Keys that neither a count nor a distance looks at.
pub(in crate::work) fn unlinked_text(profile: &FileProfile) -> Option<String> {
    let names: Vec<&str> = unlinked(profile).map(|key| key.name.as_str()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "# LOOK: no gate looks at {}: exact numbers are hardly ever equal, and distances need values in every\n\
             # record. Recode them into classes and add them to a scenario, or drop them.\n",
            in_a_line(&names.join(", "))
        )
    })
}

fn as_comment(section: &str) -> String {
    section.lines().map(|line| format!("# {line}\n")).collect()
}

/// Steps that the data suggest, as comments to be taken in.
fn proposed_steps(profile: &FileProfile, table: &Table) -> Option<String> {
    let proposals = proposals(profile, table, &Rules::of(profile));
    if proposals.is_empty() {
        return None;
    }
    let mut out = String::from(
        "# Nothing is masked yet: the file stays in the house until its gates hold. The data suggest these steps; take\n\
         # away the # before those that you choose, in this order: recode, then blank what still stands out, then mask\n\
         # numbers. `bauta explain METHOD` says what each of them costs.\n",
    );
    for Proposal {
        reason,
        step,
        judged,
    } in &proposals
    {
        let (end, mut step) = match step {
            Some(step) => (":", as_comment(&write::step(step))),
            None => (".", String::new()),
        };
        if let Some((measure, gate)) = judged {
            step.push_str(&as_comment(&write::measure(measure)));
            step.extend(gate.as_ref().map(|gate| as_comment(&write::gate(gate))));
        }
        out.push_str(&format!("#\n# {}{end}\n{step}", in_a_line(reason)));
    }
    Some(out)
}

/// Linkage by probabilities, where it takes too long to be measured unasked.
fn slow_linkage(profile: &FileProfile) -> Option<String> {
    let linked = linked(profile);
    if linked.is_empty() || is_soon_linked(profile) {
        return None;
    }
    let measure = linkage(profile, linked.iter().map(|column| column.name.as_str()));
    let gate = Rules::of(profile).linkage_gate();
    Some(format!(
        "# An intruder may link records by probabilities, one to one. Of {} records that takes minutes, so that it is not\n\
         # asked for here; take away the # to measure and judge it:\n{}{}",
        profile.n_records,
        as_comment(&write::measure(&measure)),
        as_comment(&write::gate(&gate))
    ))
}

/// What could be measured besides.
fn more_measures(profile: &FileProfile) -> Option<String> {
    let released = |column: &&ColumnProfile| {
        [Role::Key, Role::Sensitive].contains(&column.proposal.role) && column.n_distinct > 1
    };
    let mut columns = profile.columns.iter().filter(released);
    columns.next()?;
    let mut columns = profile.columns.iter().filter(released);
    let has_amounts = columns.any(|column| {
        let proposal = &column.proposal;
        proposal.role == Role::Sensitive && proposal.kind == Kind::Continuous
    });
    let has_gaps =
        |column: &ColumnProfile| column.proposal.kind == Kind::Continuous && column.n_missing > 0;
    let amounts = if has_amounts {
        let example = MeasureDraft::of(["il1s", "interval-sd"]);
        let example = if profile.columns.iter().filter(released).any(has_gaps) {
            example.with("missing", "skip")
        } else {
            example
        };
        let example = write::measure(&example);
        format!(
            "# Once a continuous variable is masked:\n{}",
            as_comment(&example)
        )
    } else {
        String::new()
    };
    let whole = write::measure(&MeasureDraft::of(["file-loss"]));
    Some(format!(
        "# Once anything is masked, what the file as a whole lost, categories too:\n{}{amounts}",
        as_comment(&whole)
    ))
}

/// The conditions of release, which are for a house to set.
fn gates_text(draft: &Draft, profile: &FileProfile) -> String {
    if draft.gates.is_empty() {
        let gate = GateDraft::on("k-anonymity").at_least(3.0);
        return format!(
            "# No variable was found that a gate could look at, and without a gate nothing is released. Once there is a\n\
             # scenario:\n{}",
            as_comment(&write::gate(&gate))
        );
    }
    let gates: Vec<String> = draft.gates.iter().map(write::gate).collect();
    let units = units_text(profile);
    format!(
        "# Conditions of release: the file stays in the house until all of them hold. The numbers are usual ones; set\n\
         # those of your house.\n{}{}",
        units.unwrap_or_default(),
        gates.join("\n")
    )
}

/// That one unit has several records, where one has.
pub(in crate::work) fn units_text(profile: &FileProfile) -> Option<String> {
    records_of_a_unit(profile).map(|(column, n_each)| {
        format!(
            "# LOOK: {} has {} values in {} records: keys are counted by record, and one unit has several. The bounds\n\
             # allow for {n_each} records each; measure a file with one record per unit where you can.\n",
            in_a_line(&column.name),
            column.n_distinct,
            profile.n_records
        )
    })
}

/// The question after the decimal mark, as a part of `[data]`; nothing where there is none.
fn decimal_question(profile: &FileProfile) -> String {
    if profile.decimal_doubts.is_empty() {
        return String::new();
    }
    let mut question = String::from(
        "# LOOK: the decimal mark is not clear, and `bauta check` and `bauta run` refuse the plan until it is\n\
         # stated. Take away the # before one of these lines:\n\
         # decimal = \".\"   # 1,234 is 1234, and 1.234 has three decimals\n\
         # decimal = \",\"   # 1,234 has three decimals, and 1.234 is 1234\n",
    );
    for doubt in &profile.decimal_doubts {
        let variable = doubt.variable.as_deref().unwrap_or_default();
        let line = in_a_line(&format!("{variable}: {}", doubt.message));
        question.push_str(&format!("#   {line}\n"));
    }
    question
}

/// A text that stays in the line of a comment: names of variables and files may hold line ends, and what TOML
/// allows nowhere.
pub(in crate::work) fn in_a_line(text: &str) -> String {
    let shown = |letter: char| {
        if letter.is_control() {
            letter.escape_unicode().to_string()
        } else {
            letter.to_string()
        }
    };
    text.chars().map(shown).collect()
}
