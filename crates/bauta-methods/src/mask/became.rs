//! What categories became, in words that users of the released file may read: the rule of ten holds for
//! both what was and what is.

use std::collections::{BTreeMap, BTreeSet};

use crate::few_records::is_few;
use crate::note::Note;

/// Most new categories that are told of.
const MAX_GROUPS: usize = 24;
/// Most old categories that are named for one new one.
const MAX_NAMES: usize = 12;

/// An old category, what it became, and how many records have it.
pub(crate) struct Became<'a> {
    /// The old category.
    pub(crate) from: &'a str,
    /// The new one.
    pub(crate) into: &'a str,
    /// Records with the old one.
    pub(crate) n_records: usize,
}

/// A new category and the old ones that it is made of.
#[derive(Default)]
struct Group<'a> {
    names: Vec<&'a str>,
    n_others: usize,
    n_records: u64,
}

/// What categories became, for the public; none where nothing can be said of any. Old categories of few
/// records are not named, and new ones of few records not told of. Categories that stayed are left out.
pub(crate) fn categories_became(variable: &str, all: &[Became<'_>]) -> Option<Note> {
    let mut order: Vec<&str> = Vec::new();
    let mut groups: BTreeMap<&str, Group<'_>> = BTreeMap::new();
    for one in all.iter().filter(|one| one.n_records > 0) {
        if !groups.contains_key(one.into) {
            order.push(one.into);
        }
        let group = groups.entry(one.into).or_default();
        group.n_records += one.n_records as u64;
        if is_few(one.n_records as u64) || group.names.len() == MAX_NAMES {
            group.n_others += 1;
        } else {
            group.names.push(one.from);
        }
    }
    // A label that few records had before is not named either, though more have it now.
    let before = all.iter().filter(|one| one.n_records > 0);
    let few = before.filter(|one| is_few(one.n_records as u64));
    let few: BTreeSet<&str> = few.map(|one| one.from).collect();
    let is_told = |into: &&&str| !few.contains(**into);
    let (unnamed, named): (Vec<&str>, Vec<&str>) = order.iter().filter(is_told).partition(|into| {
        groups
            .get(**into)
            .is_some_and(|group| group.names.is_empty())
    });
    let told = named
        .iter()
        .filter_map(|into| said_of(into, groups.get(into)?));
    let told: Vec<String> = told.collect();
    let what = if told.is_empty() {
        "values"
    } else {
        "rare values"
    };
    let unnamed = said_of_unnamed(what, &unnamed, &groups);
    let told: Vec<String> = told.into_iter().chain(unnamed).collect();
    if told.is_empty() {
        return None;
    }
    let n_more = told.len().saturating_sub(MAX_GROUPS);
    let mut text = told[..told.len() - n_more].join("; ");
    if n_more > 0 {
        text.push_str(&format!("; and {n_more} more"));
    }
    let note = Note::new("categories-became", format!("{variable}: {text}"));
    Some(note.with("variable", variable).public())
}

/// `rare values became A, B and C`, for all categories whose former ones are not named.
fn said_of_unnamed(
    what: &str,
    unnamed: &[&str],
    groups: &BTreeMap<&str, Group<'_>>,
) -> Option<String> {
    let is_told = |into: &&&str| {
        let group = groups.get(**into);
        group.is_some_and(|group| !is_few(group.n_records))
    };
    let told: Vec<&str> = unnamed.iter().filter(is_told).copied().collect();
    let n_more = told.len().saturating_sub(MAX_GROUPS);
    let shown = &told[..told.len() - n_more];
    let more = (n_more > 0).then(|| format!("{n_more} more"));
    let names: Vec<&str> = shown.iter().copied().chain(more.as_deref()).collect();
    let names = match names.as_slice() {
        [] => return None,
        [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
        names => names.concat(),
    };
    Some(format!("{what} became {names}"))
}

/// `1 and 2 became 1-2`; none where the category stayed what it was, or few records have it.
fn said_of(into: &str, group: &Group<'_>) -> Option<String> {
    let stayed = group.n_others == 0 && group.names == [into];
    if stayed || is_few(group.n_records) {
        return None;
    }
    let others = match (group.names.is_empty(), group.n_others) {
        (_, 0) => None,
        (true, _) => Some("rare values"),
        (false, _) => Some("others"),
    };
    let names: Vec<&str> = group.names.iter().copied().chain(others).collect();
    let names = match names.as_slice() {
        [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
        names => names.concat(),
    };
    Some(format!("{names} became {into}"))
}

/// What numbers became, for the public: the intervals that ten records or more are in.
pub(crate) fn numbers_became(variable: &str, intervals: &[(&str, usize)]) -> Option<Note> {
    let told = intervals.iter().filter(|(_, n)| !is_few(*n as u64));
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in told {
        if !names.contains(name) {
            names.push(name);
        }
    }
    if names.is_empty() {
        return None;
    }
    let n_more = names.len().saturating_sub(MAX_GROUPS);
    let mut text = names[..names.len() - n_more].join(", ");
    if n_more > 0 {
        text.push_str(&format!(" and {n_more} more"));
    }
    let note = Note::new(
        "categories-became",
        format!("{variable}: values became {text}"),
    );
    Some(note.with("variable", variable).public())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(all: &[(&str, &str, usize)]) -> Option<String> {
        let all: Vec<Became<'_>> = all
            .iter()
            .map(|&(from, into, n_records)| Became {
                from,
                into,
                n_records,
            })
            .collect();
        categories_became("age", &all).map(|note| {
            assert!(note.public);
            note.text
        })
    }

    #[test]
    fn merged_categories_are_named_and_those_that_stayed_are_not() {
        let all = [
            ("1", "1-2", 50),
            ("2", "1-2", 10),
            ("3", "3", 400),
            ("4", "4+", 30),
            ("5", "4+", 0),
        ];
        let expected = "age: 1 and 2 became 1-2; 4 became 4+";
        assert_eq!(text(&all).as_deref(), Some(expected));
        assert_eq!(text(&[("3", "3", 400)]), None);
    }

    #[test]
    fn what_few_records_have_is_not_named() {
        // 9 records had "2"; "rare" has 9 + 3 records, none of whose values ten had; "few" has 9.
        let all = [
            ("1", "1-2", 50),
            ("2", "1-2", 9),
            ("a", "rare", 9),
            ("b", "rare", 3),
            ("c", "few", 9),
            ("d", "e", 40),
            ("e", "e", 9),
        ];
        let expected = "age: 1 and others became 1-2; rare values became rare";
        assert_eq!(text(&all).as_deref(), Some(expected));
    }

    #[test]
    fn intervals_that_few_numbers_fall_into_are_left_out() {
        let note = numbers_became("age", &[("[0, 18)", 9), ("[18, 65)", 10), ("[65, ∞)", 11)]);
        assert_eq!(note.unwrap().text, "age: values became [18, 65), [65, ∞)");
        assert!(numbers_became("age", &[("[0, 18)", 9)]).is_none());
    }
}
