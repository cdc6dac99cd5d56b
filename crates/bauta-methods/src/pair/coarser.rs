//! What a recoding did to the categories of a variable, so that both files can be compared at the coarser level.

use bauta_data::Levels;

use crate::context::RunContext;
use crate::error::MethodError;
use crate::note::{Note, NoteRank};
use crate::pair::categories::TwoCategories;
use crate::pair::variables::TwoColumns;
use crate::pair::{Pair, Rows};

/// What became of the original's categories.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Coarser {
    /// For each code of either file, that of missing cells included, its code at the level of the masked file.
    pub(crate) code: Vec<u32>,
    /// How that is known.
    pub(crate) known: Known,
}

/// How it is known what a recoding did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Known {
    /// There was none: the masked file has no other categories than the original.
    NotRecoded,
    /// The masked file has the labels of this level of the original's hierarchy.
    ByLevel(usize),
    /// By what became of the records of each category.
    ByRecords {
        /// Categories that are gone, and that no one category took the place of.
        n_scattered: usize,
    },
    /// Nothing says what these categories of the masked file were.
    Unknown {
        /// How many of them there are.
        n_new: usize,
    },
}

impl Coarser {
    /// What became of a variable's categories: by the hierarchy of the original if the masked file has the labels of
    /// one of its levels, else by the records, if they correspond.
    pub(crate) fn of(categories: &TwoCategories, columns: &TwoColumns<'_>, pair: Pair<'_>) -> Self {
        let counts = [0, 1].map(|file| categories.n_records_by_code(file));
        let is_new = |code: &usize| counts[0][*code] == 0 && counts[1][*code] > 0;
        let n_new = (0..categories.n_categories()).filter(is_new).count();
        let by_level = || by_level(categories, columns, &counts);
        let by_records =
            || (pair.rows == Rows::Correspond).then(|| by_records(categories, pair, &counts));
        let found = if n_new > 0 { by_level() } else { None };
        found.or_else(|| by_records().flatten()).unwrap_or(Self {
            code: unchanged(categories),
            known: match n_new {
                0 => Known::NotRecoded,
                n_new => Known::Unknown { n_new },
            },
        })
    }
}

/// A variable whose categories are compared at the level that the masked file has them at; a note says so where that
/// is not the level of the original, or is not known.
pub(crate) fn at_coarser_level(
    columns: &TwoColumns<'_>,
    pair: Pair<'_>,
    context: &RunContext<'_>,
) -> Result<TwoCategories, MethodError> {
    let categories = TwoCategories::new(columns)?;
    let coarser = Coarser::of(&categories, columns, pair);
    if let Some(note) = compared_at(columns.name, coarser.known) {
        context.note(note);
    }
    Ok(categories.with_original_as(&coarser.code))
}

/// At which level a variable was compared, if it was recoded.
fn compared_at(variable: &str, known: Known) -> Option<Note> {
    let note = |how: &str| {
        Note::new("compared-at-coarser-level", format!("{variable}: {how}"))
            .with("variable", variable)
    };
    match known {
        Known::NotRecoded => None,
        Known::ByLevel(level) => Some(
            note(&format!(
                "recoded, and compared at level {level} of its hierarchy"
            ))
            .with("level", level),
        ),
        Known::ByRecords { n_scattered: 0 } => Some(note(
            "recoded, and compared at the coarser level that its records show",
        )),
        Known::ByRecords { n_scattered } => Some(
            note(&format!(
                "recoded, and compared at the coarser level that its records show; what became of {n_scattered} of \
                 its categories they do not show, and those count as changed"
            ))
            .with("n_scattered", n_scattered),
        ),
        Known::Unknown { n_new } => Some(unknown(variable, n_new)),
    }
}

/// New categories, and nothing that says what they were.
fn unknown(variable: &str, n_new: usize) -> Note {
    let text = match n_new {
        1 => format!(
            "{variable}: 1 category of the masked file is not in the original, and nothing says what it was; it counts as changed"
        ),
        n => format!(
            "{variable}: {n} categories of the masked file are not in the original, and nothing says what they were; they count \
             as changed"
        ),
    };
    Note::new("coarser-level-unknown", text)
        .with("variable", variable)
        .with("n_new", n_new)
        .ranked(NoteRank::Warning)
}

fn unchanged(categories: &TwoCategories) -> Vec<u32> {
    (0..categories.n_codes() as u32).collect()
}

/// The lowest level of the original's hierarchy whose labels are all that the masked file has.
fn by_level(
    categories: &TwoCategories,
    columns: &TwoColumns<'_>,
    counts: &[Vec<u64>; 2],
) -> Option<Coarser> {
    let n_of_original = categories.n_of_original;
    let levels = Levels::from_texts(categories.texts[..n_of_original].iter().map(String::as_str));
    let spec = columns.original.attribute().hierarchy.as_ref()?;
    // A hierarchy that does not fit the categories says nothing of them.
    let hierarchy = spec.resolve(columns.name, &levels).ok()?;
    let occurs = |code: &usize| counts[1][*code] > 0;
    let masked: Vec<usize> = (0..categories.n_categories()).filter(occurs).collect();
    let level = (1..=hierarchy.height()).find(|&level| {
        let (labels, _) = hierarchy.at_level(level);
        let mut masked = masked.iter();
        masked.all(|&code| labels.code(&categories.texts[code]).is_some())
    })?;
    let (labels, label_of) = hierarchy.at_level(level);
    let known = Levels::from_texts(
        categories.texts[..categories.n_categories()]
            .iter()
            .map(String::as_str),
    );
    let code_of_label: Vec<Option<u32>> = labels.iter().map(|text| known.code(text)).collect();
    let mut code = unchanged(categories);
    for (value, &label) in label_of.iter().enumerate() {
        // A label that no masked record has may have no code; its categories are equally far from all others.
        if let Some(of_label) = code_of_label[label as usize] {
            code[value] = of_label;
        }
    }
    Some(Coarser {
        code,
        known: Known::ByLevel(level),
    })
}

/// What became of the records of a category.
#[derive(Clone, Copy, Default)]
struct Became {
    /// Records with a value in both files.
    n_records: u64,
    /// The masked category that more than half of them have, if one does.
    most: u32,
    /// How many of them have it.
    n_most: u64,
}

impl Became {
    /// The category that more than half of them have.
    fn majority(self) -> Option<u32> {
        (2 * self.n_most > self.n_records).then_some(self.most)
    }

    fn is_one(self) -> bool {
        self.n_most == self.n_records
    }
}

/// A category became the one that most of its records have, if the original has none of that name. One of the
/// original's own took it in only if the whole variable shows it: each category went to one or stayed, those that
/// took others in stayed, and those that went are gone. Anything else is a change of values and no recoding.
fn by_records(
    categories: &TwoCategories,
    pair: Pair<'_>,
    counts: &[Vec<u64>; 2],
) -> Option<Coarser> {
    let became = became(categories, pair);
    let is_map = became.iter().all(|became| became.is_one());
    let mut code = unchanged(categories);
    let (mut n_moved, mut n_scattered) = (0, 0);
    for (category, one) in became.iter().enumerate() {
        let stays = |of: u32| became[of as usize].majority() == Some(of);
        let is_gone = counts[1][category] == 0 && one.n_records > 0;
        let to = one.majority().filter(|&to| {
            let is_new = counts[0][to as usize] == 0;
            is_new || (is_map && is_gone && stays(to))
        });
        match to {
            Some(to) if to as usize != category && one.n_records > 0 => {
                code[category] = to;
                n_moved += 1;
            }
            _ if is_gone => n_scattered += 1,
            _ => {}
        }
    }
    (n_moved > 0).then_some(Coarser {
        code,
        known: Known::ByRecords { n_scattered },
    })
}

/// What became of each category, by its records that have a value in both files: a vote, and a count of whether
/// its winner has more than half.
fn became(categories: &TwoCategories, pair: Pair<'_>) -> Vec<Became> {
    let missing = categories.missing();
    let [original, masked] = &categories.codes;
    let cells = || {
        let both = masked.iter().enumerate().filter_map(|(record, &after)| {
            let before = *original.get(pair.original_record(record))?;
            Some((before, after))
        });
        both.filter(|&(before, after)| before != missing && after != missing)
    };
    let mut became = vec![Became::default(); categories.n_categories()];
    for (before, after) in cells() {
        let one = &mut became[before as usize];
        one.n_records += 1;
        if one.n_most == 0 {
            one.most = after;
        }
        if one.most == after {
            one.n_most += 1;
        } else {
            one.n_most -= 1;
        }
    }
    for one in &mut became {
        one.n_most = 0;
    }
    for (before, after) in cells() {
        let one = &mut became[before as usize];
        one.n_most += u64::from(one.most == after);
    }
    became
}

#[cfg(test)]
mod tests {
    use super::*;
    use bauta_data::{Attribute, Column, HierarchySpec, Kind, Role, Table};
    use std::sync::Arc;

    fn column(cells: &[Option<&str>], hierarchy: Option<HierarchySpec>) -> Column {
        let mut levels = Levels::default();
        let code = |cell: Option<&str>| cell.map_or(0, |text| levels.insert(text));
        let codes: Vec<u32> = cells.iter().copied().map(code).collect();
        let mut attribute = Attribute::new("v", Role::Key, Kind::Unordered);
        attribute.hierarchy = hierarchy;
        let missing = (0..cells.len() as u32).filter(|&record| cells[record as usize].is_none());
        let column = Column::categorical(Arc::new(attribute), codes, Arc::new(levels), None);
        column.suppress(&missing.collect::<Vec<_>>())
    }

    /// What each original text became, and how that is known.
    fn found(
        original: &[Option<&str>],
        masked: &[Option<&str>],
        hierarchy: Option<HierarchySpec>,
        rows: Rows,
    ) -> (Vec<String>, Known) {
        let table = |column: Column| Table::new(vec![column], original.len());
        let (original, masked) = (
            table(column(original, hierarchy)),
            table(column(masked, None)),
        );
        let pair = Pair {
            original: &original,
            masked: &masked,
            rows,
        };
        let columns = TwoColumns::of(pair, "v").unwrap();
        let categories = TwoCategories::new(&columns).unwrap();
        let coarser = Coarser::of(&categories, &columns, pair);
        let own = 0..categories.n_of_original;
        let texts = own.map(|code| categories.text(coarser.code[code]).to_owned());
        (texts.collect(), coarser.known)
    }

    fn some<const N: usize>(texts: [&str; N]) -> Vec<Option<&str>> {
        texts.into_iter().map(Some).collect()
    }

    #[test]
    fn a_level_is_known_without_records_that_correspond() {
        let (codes, known) = found(
            &some(["11", "12", "21", "31"]),
            &some(["2*", "1*", "1*", "1*"]),
            Some(HierarchySpec::Prefix { keep: None }),
            Rows::Unrelated,
        );
        // No masked record has 3*, so that 31 stays as it is and is like nothing.
        assert_eq!(codes, ["1*", "1*", "2*", "31"]);
        assert_eq!(known, Known::ByLevel(1));
    }

    #[test]
    fn records_show_what_new_categories_were() {
        let original = some(["a", "a", "a", "b", "c", "d", "d"]);
        // One record of a was changed besides; of d nobody can tell.
        let masked = some(["ab", "ab", "c", "ab", "c", "ab", "c"]);
        let (codes, known) = found(&original, &masked, None, Rows::Correspond);
        assert_eq!(codes, ["ab", "ab", "c", "d"]);
        assert_eq!(known, Known::ByRecords { n_scattered: 1 });
        let (codes, known) = found(&original, &masked, None, Rows::Unrelated);
        assert_eq!(codes, ["a", "b", "c", "d"]);
        assert_eq!(known, Known::Unknown { n_new: 1 });
    }

    #[test]
    fn a_category_may_take_in_others_only_if_all_of_the_variable_shows_it() {
        let original = some(["a", "a", "b", "c"]);
        let merged = found(
            &original,
            &some(["b", "b", "b", "c"]),
            None,
            Rows::Correspond,
        );
        assert_eq!(merged.0, ["b", "b", "c"]);
        // Exchanged values, and a value that stayed in part, are no recoding.
        let swapped = found(
            &original,
            &some(["b", "b", "a", "c"]),
            None,
            Rows::Correspond,
        );
        assert_eq!(swapped.1, Known::NotRecoded);
        let in_part = found(
            &original,
            &some(["a", "b", "b", "c"]),
            None,
            Rows::Correspond,
        );
        assert_eq!(in_part.1, Known::NotRecoded);
        let blank = [Some("a"), None, Some("b"), None];
        let suppressed = found(&original, &blank, None, Rows::Correspond);
        assert_eq!(suppressed.1, Known::NotRecoded);
    }
}
