//! From what a column shows to the role and kind that fit it best.

use super::facts::{FEW_RECORDS, Facts};
use super::names::Name;
use super::rules::{self, KindRule, Needs, Rule};
use super::{Content, Flag, Proposal, Sign};
use crate::attribute::{Kind, Role};

/// More distinct values than this are too many for a table or a map of regions.
const MOST_CATEGORIES: usize = 150;
/// Whole numbers with at most this many values are classes, such as incomes 1 to 5.
const MOST_CLASSES: usize = 20;
/// Ages and years have fewer values than this.
const MOST_AGES: usize = 130;
/// At least so many different values tell units apart.
pub(super) const MANY_VALUES: usize = 20;
/// Share of records with a value of their own above which a text is no category.
const NEARLY_ALL_DIFFER: f64 = 0.5;
/// Longer texts than this are sentences.
const SENTENCE: usize = 60;

/// One proposal per column, in their order.
pub(super) fn propose(columns: &[(&str, Facts)]) -> Vec<Proposal> {
    let names: Vec<Name> = columns.iter().map(|(name, _)| Name::of(name)).collect();
    let mut proposals: Vec<Proposal> = names
        .iter()
        .zip(columns)
        .map(|(name, (_, facts))| propose_one(name, facts))
        .collect();
    set_body_weight_apart(&names, &mut proposals);
    choose_weight(columns, &names, &mut proposals);
    choose_household(columns, &mut proposals);
    proposals
}

fn propose_one(name: &Name, facts: &Facts) -> Proposal {
    if let Some((_, meaning)) = SHAPES.iter().find(|(sign, _)| facts.shows(*sign)) {
        return Proposal {
            role: Role::Identifier,
            kind: Kind::Unordered,
            reason: format!("most values look like {meaning}"),
            flag: Some(Flag::DirectIdentifier),
        };
    }
    let by_name = rules::rules()
        .find(|rule| rule.names(name) && meets(facts, rule.needs))
        .map(|rule| Proposal {
            role: rule.role,
            kind: kind(facts, rule.kind),
            reason: format!(
                "its name suggests {}; {}",
                rule.meaning,
                content_in_words(facts)
            ),
            flag: rule.flag,
        });
    by_name.unwrap_or_else(|| in_doubt(name, facts))
}

/// What to propose of a column whose content does not bear out its name, or that has no telling one. A doubt
/// must not release anything: what others could know is a key, what they must not is sensitive.
fn in_doubt(name: &Name, facts: &Facts) -> Proposal {
    let by_content = propose_by_content(facts);
    // Dates are a day in a life, whatever else the name could mean.
    let tells_apart = !matches!(
        facts.content,
        Content::Empty | Content::Decimal | Content::Date
    ) && !facts.shows(Sign::Constant)
        && by_content.role != Role::Identifier;
    // Texts in a column that names persons are names, however few there are.
    let of_people = |rule: &&Rule| {
        let is_named = facts.content == Content::Text && rule.flag == Some(Flag::DirectIdentifier);
        [Role::Key, Role::Sensitive].contains(&rule.role) || is_named
    };
    let named = rules::rules()
        .filter(|_| tells_apart)
        .filter(of_people)
        .find(|rule| rule.names(name));
    let Some(rule) = named else {
        return by_content;
    };
    let kind = match (rule.role, kind(facts, rule.kind)) {
        // Whole numbers of something that others know are its codes.
        (Role::Key, Kind::Continuous) => Kind::Unordered,
        (_, kind) => kind,
    };
    Proposal {
        role: rule.role,
        kind,
        reason: format!(
            "its name suggests {}, though its values are unusual for that; {}",
            rule.meaning,
            content_in_words(facts)
        ),
        flag: Some(rule.flag.unwrap_or(Flag::Undecided)),
    }
}

const SHAPES: &[(Sign, &str)] = &[
    (Sign::EmailShape, "e-mail addresses"),
    (Sign::PhoneShape, "telephone numbers"),
    (Sign::AccountShape, "bank account numbers"),
];

/// Whether the content lets a name be believed.
fn meets(facts: &Facts, needs: Needs) -> bool {
    // Dates are dates, whatever else a name could mean: ingreso is an income, and an admission.
    let is_dates = facts.content == Content::Date && needs != Needs::Dates;
    if is_dates && !matches!(needs, Needs::Nothing | Needs::ManyValues) {
        return false;
    }
    let numbers = matches!(facts.content, Content::Integer | Content::Decimal);
    let labels = matches!(
        facts.content,
        Content::Integer | Content::Text | Content::Date
    ) && !facts.shows(Sign::Constant);
    let grouped = labels && (facts.repeats() || facts.n_records < FEW_RECORDS);
    let many =
        facts.content == Content::Empty || facts.all_differ() || facts.n_distinct >= MANY_VALUES;
    match needs {
        Needs::Nothing => facts.content != Content::Empty,
        Needs::ManyValues => many,
        Needs::ManyTexts => many && matches!(facts.content, Content::Text | Content::Empty),
        Needs::Categories => grouped && facts.n_distinct <= MOST_CATEGORIES,
        Needs::Classes if facts.content == Content::Integer => {
            grouped && facts.n_distinct <= MOST_CLASSES
        }
        Needs::Texts => facts.content == Content::Text,
        // Values of their own in every record number the records.
        Needs::Labels => labels && !facts.all_differ(),
        Needs::Repeats => labels && facts.n_distinct < facts.n_present,
        Needs::Groups | Needs::Classes => grouped,
        Needs::Numbers => numbers,
        Needs::PositiveNumbers => {
            numbers && facts.shows(Sign::Positive) && facts.n_present == facts.n_records
        }
        Needs::Dates => facts.content == Content::Date || many,
        Needs::Codes => {
            matches!(facts.content, Content::Integer | Content::Text) && facts.longest >= 3
        }
    }
}

fn kind(facts: &Facts, rule: KindRule) -> Kind {
    let two_valued = facts.n_distinct <= 2 && facts.n_present > facts.n_distinct;
    match (rule, facts.content) {
        (KindRule::Continuous, _) => Kind::Continuous,
        (KindRule::Prefix, _) if facts.shows(Sign::CodeLike) && facts.n_distinct >= MANY_VALUES => {
            Kind::Hierarchical
        }
        (KindRule::Unordered | KindRule::Prefix, _) => Kind::Unordered,
        (_, Content::Integer | Content::Decimal) if two_valued => Kind::Unordered,
        (KindRule::Classes, Content::Integer) if facts.n_distinct <= MOST_AGES => Kind::Ordered,
        (_, Content::Integer) if facts.n_distinct <= MOST_CLASSES && facts.repeats() => {
            Kind::Ordered
        }
        // Codes with leading zeros are no quantities.
        (_, Content::Integer) if facts.shows(Sign::LeadingZeros) => Kind::Unordered,
        (_, Content::Integer | Content::Decimal) => Kind::Continuous,
        (_, Content::Date) if matches!(facts.dates, Some(Ok(_))) => Kind::Ordered,
        (_, Content::Date | Content::Text | Content::Empty) => Kind::Unordered,
    }
}

/// What content suggests where the name says nothing.
struct ContentRule {
    holds: fn(&Facts) -> bool,
    role: Role,
    reason: &'static str,
    flag: Option<Flag>,
}

const CONTENT_RULES: &[ContentRule] = &[
    ContentRule {
        holds: |facts| facts.content == Content::Empty,
        role: Role::Other,
        reason: "there is nothing to protect",
        flag: None,
    },
    ContentRule {
        holds: |facts| facts.shows(Sign::Constant),
        role: Role::Other,
        reason: "it tells no record from another",
        flag: None,
    },
    ContentRule {
        holds: |facts| facts.shows(Sign::Consecutive) && facts.n_records >= FEW_RECORDS,
        role: Role::Identifier,
        reason: "it numbers the records without a gap",
        flag: Some(Flag::UnitNumber),
    },
    ContentRule {
        holds: |facts| facts.shows(Sign::LeadingZeros) && facts.all_differ(),
        role: Role::Identifier,
        reason: "digits with leading zeros are codes, and each record has its own",
        flag: Some(Flag::UnitNumber),
    },
    ContentRule {
        holds: |facts| facts.shows(Sign::NumbersWithUnit) && facts.n_distinct > MOST_CLASSES,
        role: Role::Identifier,
        reason: "its numbers have a sign or a unit beside them",
        flag: Some(Flag::NumbersWithUnit),
    },
    ContentRule {
        holds: mostly_own_texts,
        role: Role::Identifier,
        reason: "most records have a text of their own",
        flag: Some(Flag::FreeText),
    },
    ContentRule {
        holds: |facts| facts.content == Content::Text && facts.longest > SENTENCE,
        role: Role::Identifier,
        reason: "its texts are long",
        flag: Some(Flag::FreeText),
    },
    ContentRule {
        holds: |facts| facts.content == Content::Date,
        role: Role::Key,
        reason: "a date can be known from elsewhere",
        flag: Some(Flag::ExactDate),
    },
    ContentRule {
        holds: |facts| facts.shows(Sign::DateNumbers),
        role: Role::Key,
        reason: "digits that are years, months and days",
        flag: Some(Flag::ExactDate),
    },
    ContentRule {
        holds: |facts| facts.shows(Sign::CodeNumbers),
        role: Role::Key,
        reason: "numbers of equal length over their whole range are codes rather than amounts",
        flag: Some(Flag::Undecided),
    },
    ContentRule {
        holds: |facts| facts.shows(Sign::ZeroOne),
        role: Role::Sensitive,
        reason: "0 and 1 are answers to a question",
        flag: Some(Flag::Undecided),
    },
    ContentRule {
        holds: |facts| kind(facts, KindRule::Natural) == Kind::Continuous,
        role: Role::Sensitive,
        reason: "numbers with many values are measurements",
        flag: None,
    },
    ContentRule {
        holds: |_| true,
        role: Role::Key,
        reason: "categories, and the name does not say of what: others may know them",
        flag: Some(Flag::Undecided),
    },
];

fn mostly_own_texts(facts: &Facts) -> bool {
    facts.content == Content::Text
        && facts.n_present >= FEW_RECORDS
        && facts.n_unique as f64 > NEARLY_ALL_DIFFER * facts.n_present as f64
}

/// What the values of a column show to be known to others, whatever its name is.
pub(super) fn looks_like(facts: &Facts) -> Option<&'static str> {
    let shaped = SHAPES.iter().find(|(sign, _)| facts.shows(*sign));
    if let Some((_, meaning)) = shaped {
        return Some(meaning);
    }
    let rule = CONTENT_RULES.iter().find(|rule| (rule.holds)(facts))?;
    match (rule.role, rule.flag) {
        (Role::Identifier, _) => Some("a value of its own in most records"),
        (_, Some(Flag::ExactDate)) => Some("dates"),
        _ if facts.shows(Sign::CodeNumbers) => Some("codes"),
        _ => None,
    }
}

fn propose_by_content(facts: &Facts) -> Proposal {
    let rule = CONTENT_RULES
        .iter()
        .find(|rule| (rule.holds)(facts))
        .unwrap_or(&CONTENT_RULES[CONTENT_RULES.len() - 1]);
    let kind_rule = match rule.role {
        Role::Identifier => KindRule::Unordered,
        _ if facts.shows(Sign::CodeNumbers) || facts.shows(Sign::DateNumbers) => KindRule::Prefix,
        _ => KindRule::Natural,
    };
    Proposal {
        role: rule.role,
        kind: kind(facts, kind_rule),
        reason: format!("{}; {}", rule.reason, content_in_words(facts)),
        flag: rule.flag,
    }
}

fn content_in_words(facts: &Facts) -> String {
    let what = match facts.content {
        Content::Empty => return "no record has a value".to_owned(),
        Content::Integer => "whole numbers",
        Content::Decimal => "numbers with decimals",
        Content::Date => "dates",
        Content::Text => "texts",
    };
    if facts.shows(Sign::Constant) {
        "the same value in every record".to_owned()
    } else if facts.all_differ() {
        format!("{what}, no two alike")
    } else {
        format!("{} distinct {what}", facts.n_distinct)
    }
}

/// A plain `weight` beside a height is that of a body.
fn set_body_weight_apart(names: &[Name], proposals: &mut [Proposal]) {
    if !names.iter().any(|name| name.fits_any(rules::HEIGHT)) {
        return;
    }
    for (name, proposal) in names.iter().zip(proposals) {
        let weight = proposal.role == Role::Weight || proposal.flag == Some(Flag::OtherWeight);
        if weight && name.fits_any(rules::PLAIN_WEIGHT) {
            *proposal = Proposal {
                role: Role::Sensitive,
                kind: Kind::Continuous,
                reason: "its name says weight and another column is a height: a body weight"
                    .to_owned(),
                flag: None,
            };
        }
    }
}

/// A file has one weight: the most final one by name, the first of equals.
fn choose_weight(columns: &[(&str, Facts)], names: &[Name], proposals: &mut [Proposal]) {
    let finality = |name: &Name| -> i32 {
        let fitting = rules::FINALITY
            .iter()
            .filter(|(patterns, _)| name.fits_any(patterns));
        fitting.map(|&(_, finality)| finality).sum()
    };
    let candidates = (0..columns.len()).filter(|&idx| proposals[idx].role == Role::Weight);
    let Some(chosen) = candidates.rev().max_by_key(|&idx| finality(&names[idx])) else {
        return;
    };
    for (idx, proposal) in proposals.iter_mut().enumerate() {
        if proposal.role != Role::Weight {
            continue;
        }
        if idx == chosen {
            let facts = &columns[idx].1;
            proposal.reason.push_str(", all positive");
            if facts.n_unique as f64 > NEARLY_ALL_DIFFER * facts.n_present as f64 {
                proposal.flag = Some(Flag::DistinctWeights);
            }
        } else {
            // Beside the final weight it tells how that was made, and so who is in which stratum.
            proposal.role = Role::Identifier;
            proposal.reason = format!(
                "its name suggests a weight, but `{}` is rather the final one",
                columns[chosen].0
            );
            proposal.flag = Some(Flag::OtherWeight);
        }
    }
}

/// A file has one household number: the first; others are numbers of other units.
fn choose_household(columns: &[(&str, Facts)], proposals: &mut [Proposal]) {
    let mut chosen: Option<&str> = None;
    for ((name, facts), proposal) in columns.iter().zip(proposals) {
        if proposal.role != Role::Household {
            continue;
        }
        if let Some(first) = chosen {
            proposal.role = Role::Identifier;
            proposal.reason = format!("its name suggests a household too, after `{first}`");
            proposal.flag = Some(Flag::UnitNumber);
        } else {
            chosen = Some(name);
            if facts.shows(Sign::InRuns) {
                proposal.reason.push_str(", the records of each together");
            }
        }
    }
}
