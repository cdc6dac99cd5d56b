//! From the terms of a plan to margins: names, targets, and what each record adds to them.

use std::collections::HashMap;

use bauta_data::{Column, Kind, Table};

use crate::adjust::calibration::coding::{
    Coding, Files, column, refuse_missing, refuse_suppressed,
};
use crate::adjust::calibration::found::Told;
use crate::adjust::calibration::totals::{GivenTotals, OF_HOUSEHOLDS};
use crate::adjust::calibration::withheld::{Taken, n_changed};
use crate::error::MethodError;
use crate::few_records::is_few;
use crate::kernel::numbers::exact_sum::ExactSums;

/// A term of a plan: a number that is summed (1 where none is named) in the cells of a cross.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Term {
    /// As the plan has it.
    pub(crate) text: String,
    /// Categorical variables that are crossed.
    pub(crate) classes: Vec<String>,
    /// Continuous variables that are multiplied.
    pub(crate) numbers: Vec<String>,
    /// Whether households are counted, each once, and not records.
    pub(crate) of_households: bool,
}

impl Term {
    /// Reads a term such as `sex*age`, `income`, `income*region` or `1`.
    pub(crate) fn parse(
        text: &str,
        table: &Table,
        of_households: bool,
    ) -> Result<Self, MethodError> {
        let (mut classes, mut numbers) = (Vec::new(), Vec::new());
        for name in text.split('*').map(str::trim).filter(|name| *name != "1") {
            let into = match column(table, name)?.attribute().kind {
                Kind::Continuous => &mut numbers,
                Kind::Ordered | Kind::Hierarchical | Kind::Unordered => &mut classes,
            };
            if into.iter().any(|known| known == name) {
                return Err(MethodError::request(
                    format!("the term `{text}` names `{name}` twice"),
                    "name each variable once",
                ));
            }
            into.push(name.to_owned());
        }
        Ok(Self {
            text: text.to_owned(),
            classes,
            numbers,
            of_households,
        })
    }

    /// Whether its margins count units and do not sum numbers.
    pub(crate) fn counts(&self) -> bool {
        self.numbers.is_empty()
    }
}

/// One margin.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Margin {
    /// Such as `sex=1*age=2`.
    pub(crate) name: String,
    /// Position of its term.
    pub(crate) term: usize,
    /// Its categorical variables with their categories.
    pub(crate) cell: Vec<(String, String)>,
    /// T.
    pub(crate) target: f64,
    /// Records or households of the original in it.
    pub(crate) n_before: u64,
    /// Records or households left in it.
    pub(crate) n_after: u64,
    /// Records that came, went or have another number; for households, by how many they differ.
    pub(crate) n_changed: u64,
    /// Where it stands among the margins of its term, from 1.
    pub(crate) place: usize,
    /// Where its target comes from.
    pub(crate) target_from: TargetFrom,
    /// What may be told of it outside of the run record.
    pub(crate) told: Told,
}

/// Where the target of a margin comes from, and with it whose words its name and its figure are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TargetFrom {
    /// The original file.
    Original,
    /// A given total that names the categories.
    NamedTotal,
    /// A given total that says which category by its place.
    PlacedTotal,
}

impl Margin {
    /// What may be told of it outside of the run record, but for what [others](Margins::withhold) would give
    /// away: what the user wrote, and what rests on [enough records](crate::few_records).
    fn told_by_itself(&self) -> Told {
        Told {
            name: self.cell.is_empty()
                || self.target_from == TargetFrom::NamedTotal
                || !is_few(self.n_before.max(self.n_after)),
            target: self.target_from != TargetFrom::Original || !is_few(self.n_before),
            reached: !is_few(self.n_after),
            before: !is_few(self.n_after),
        }
    }
}

/// What each record of the released file adds to a term: a margin of that term, and how much.
pub(crate) struct Share {
    /// Position among all margins.
    pub(crate) margin: Vec<u32>,
    /// Product of the term's numbers; none for 1.
    pub(crate) value: Option<Vec<f64>>,
}

/// All margins, and what records add to them, term by term.
pub(crate) struct Margins {
    pub(crate) terms: Vec<Term>,
    pub(crate) all: Vec<Margin>,
    pub(crate) shares: Vec<Share>,
}

/// The two files and how they are weighed.
pub(crate) struct Sources<'a> {
    pub(crate) original: &'a Table,
    pub(crate) recoded: &'a Table,
    pub(crate) released: &'a Table,
    /// Final weights of the original's records.
    pub(crate) weights: &'a [f64],
    /// For each file, whether a record is the one that stands for its household; empty without
    /// household margins.
    pub(crate) heads: [Vec<bool>; 2],
    pub(crate) missing_is_category: bool,
}

impl<'a> Sources<'a> {
    fn files(&self) -> Files<'a> {
        Files {
            original: self.original,
            recoded: self.recoded,
            released: self.released,
        }
    }
}

impl Margins {
    /// What messages call a margin: its name, or where it stands among those of its term.
    pub(crate) fn in_messages(&self, margin: &Margin) -> String {
        if margin.told.name {
            return margin.name.clone();
        }
        let (place, n_places) = (margin.place as u64, self.n_places(margin) as u64);
        in_place(&self.terms[margin.term].text, place, n_places)
    }

    /// How many margins the term of a margin has.
    pub(crate) fn n_places(&self, margin: &Margin) -> usize {
        let of_term = self.all.iter().filter(|one| one.term == margin.term);
        of_term.count()
    }

    /// Resolves terms. `given` are totals that go before those of the original.
    pub(crate) fn new(
        sources: &Sources<'_>,
        terms: Vec<Term>,
        given: &GivenTotals,
    ) -> Result<Self, MethodError> {
        let mut codings: HashMap<String, Coding> = HashMap::new();
        for name in terms.iter().flat_map(|term| &term.classes) {
            if !codings.contains_key(name) {
                refuse_suppressed(column(sources.released, name)?)?;
                let coding = Coding::new(sources.files(), name, sources.missing_is_category)?;
                codings.insert(name.clone(), coding);
            }
        }
        let mut margins = Self {
            terms: Vec::new(),
            all: Vec::new(),
            shares: Vec::new(),
        };
        for term in terms {
            margins.add(sources, term, &codings, given)?;
        }
        Ok(margins)
    }

    fn add(
        &mut self,
        sources: &Sources<'_>,
        term: Term,
        codings: &HashMap<String, Coding>,
        given: &GivenTotals,
    ) -> Result<(), MethodError> {
        let classes: Vec<&Coding> = term.classes.iter().map(|name| &codings[name]).collect();
        let cells = Cells::new(&term, &classes, sources)?;
        let before_value = product(sources, &term, sources.original)?;
        let value = product(sources, &term, sources.released)?;
        let (first, n_cells) = (self.all.len(), cells.labels.len());
        let (targets, n_before) = cells.targets(sources, &term, before_value.as_deref());
        let mut n_after = vec![0_u64; n_cells];
        for (record, &cell) in cells.released.iter().enumerate() {
            n_after[cell as usize] += u64::from(!term.of_households || sources.heads[1][record]);
        }
        let n_changed = if term.of_households {
            let pairs = n_before.iter().zip(&n_after);
            pairs.map(|(was, &is)| was.abs_diff(is)).collect()
        } else {
            let [before, after] = [before_value.as_deref(), value.as_deref()];
            cells.n_changed(sources, before, after)
        };
        let given = given.of_term(&term, &cells.labels, &classes)?;
        for (position, labels) in cells.labels.iter().enumerate() {
            let cell: Vec<(String, String)> =
                term.classes.iter().cloned().zip(labels.clone()).collect();
            let (target, target_from) = match &given {
                Some(given) => given[position],
                None => (targets[position], TargetFrom::Original),
            };
            let mut margin = Margin {
                name: margin_name(&term, &cell),
                term: self.terms.len(),
                cell,
                target,
                n_before: n_before[position],
                n_after: n_after[position],
                n_changed: n_changed[position],
                place: position + 1,
                target_from,
                told: Told::default(),
            };
            margin.told = margin.told_by_itself();
            self.all.push(margin);
        }
        self.shares.push(Share {
            margin: cells
                .released
                .iter()
                .map(|&cell| first as u32 + cell)
                .collect(),
            value,
        });
        self.terms.push(term);
        Ok(())
    }
}

/// What stands in place of a margin's name where that is not to be told.
pub(crate) fn in_place(term: &str, place: u64, n_places: u64) -> String {
    format!("category {place} of {n_places} of `{term}`")
}

/// `sex=1*age=2`, with the numbers before it; `1` for all records.
fn margin_name(term: &Term, cell: &[(String, String)]) -> String {
    let numbers = term.numbers.iter().cloned();
    let classes = cell.iter().map(|(name, label)| format!("{name}={label}"));
    let parts: Vec<String> = numbers.chain(classes).collect();
    let name = if parts.is_empty() {
        "1".to_owned()
    } else {
        parts.join("*")
    };
    if term.of_households {
        format!("{OF_HOUSEHOLDS}{name}")
    } else {
        name
    }
}

/// The product of a term's numbers for each record; none where it has none.
fn product(
    sources: &Sources<'_>,
    term: &Term,
    table: &Table,
) -> Result<Option<Vec<f64>>, MethodError> {
    let mut found: Option<Vec<f64>> = None;
    for name in &term.numbers {
        refuse_missing(
            column(sources.original, name)?,
            column(sources.released, name)?,
        )?;
        let numbers = column(table, name)?.as_numeric().ok_or_else(|| {
            MethodError::data(name, "it has no numbers", "give it the kind continuous")
        })?;
        found = Some(match found {
            None => numbers.to_vec(),
            Some(product) => product.iter().zip(numbers).map(|(a, b)| a * b).collect(),
        });
    }
    Ok(found)
}

/// The cells of a cross that occur in either file, in the order of their categories.
struct Cells {
    labels: Vec<Vec<String>>,
    original: Vec<u32>,
    released: Vec<u32>,
}

impl Cells {
    /// The total of each cell in the original, and the records or households that it rests on.
    fn targets(
        &self,
        sources: &Sources<'_>,
        term: &Term,
        value: Option<&[f64]>,
    ) -> (Vec<f64>, Vec<u64>) {
        let n_cells = self.labels.len();
        let is_counted = |record: usize| !term.of_households || sources.heads[0][record];
        let records = self.original.iter().enumerate();
        let counted = records.filter(|(record, _)| is_counted(*record));
        let terms = counted.clone().map(|(record, &cell)| {
            let x = value.map_or(1.0, |values| values[record]);
            (cell as usize, sources.weights[record] * x)
        });
        let targets = ExactSums::of_terms(n_cells, terms).all_nearest();
        let mut n_before = vec![0_u64; n_cells];
        counted.for_each(|(_, &cell)| n_before[cell as usize] += 1);
        (targets, n_before)
    }

    /// For each cell, how many records came, went or have another number.
    fn n_changed(
        &self,
        sources: &Sources<'_>,
        before: Option<&[f64]>,
        after: Option<&[f64]>,
    ) -> Vec<u64> {
        let original = Taken {
            table: sources.original,
            cell: &self.original,
            value: before,
        };
        let released = Taken {
            table: sources.released,
            cell: &self.released,
            value: after,
        };
        n_changed(self.labels.len(), original, released)
    }

    fn new(term: &Term, classes: &[&Coding], sources: &Sources<'_>) -> Result<Self, MethodError> {
        let radix = classes.iter().try_fold(1_u64, |radix, coding| {
            radix.checked_mul(coding.labels.len() as u64)
        });
        if radix.is_none() {
            return Err(MethodError::request(
                format!("the cross `{}` has too many cells", term.text),
                "cross fewer variables",
            ));
        }
        let pack = |n: usize, of: fn(&Coding) -> &Vec<u32>| -> Vec<u64> {
            let mut packed = vec![0_u64; n];
            for coding in classes {
                let n_labels = coding.labels.len() as u64;
                for (packed, &code) in packed.iter_mut().zip(of(coding)) {
                    *packed = *packed * n_labels + u64::from(code);
                }
            }
            packed
        };
        let original = pack(sources.original.n_records(), |coding| &coding.original);
        let released = pack(sources.released.n_records(), |coding| &coding.released);
        let mut occurring: Vec<u64> = [original.as_slice(), released.as_slice()].concat();
        occurring.sort_unstable();
        occurring.dedup();
        let numbered = |packed: Vec<u64>| -> Vec<u32> {
            let position = |cell: u64| occurring.partition_point(|&known| known < cell) as u32;
            packed.into_iter().map(position).collect()
        };
        let labels = occurring
            .iter()
            .map(|&cell| {
                let mut left = cell;
                let mut labels: Vec<String> = classes
                    .iter()
                    .rev()
                    .map(|coding| {
                        let n_labels = coding.labels.len() as u64;
                        let code = left % n_labels;
                        left /= n_labels;
                        coding.labels[code as usize].clone()
                    })
                    .collect();
                labels.reverse();
                labels
            })
            .collect();
        Ok(Self {
            labels,
            original: numbered(original),
            released: numbered(released),
        })
    }
}

/// Records that stand for their household: the first of each.
pub(crate) fn heads(homes: &[u32]) -> Vec<bool> {
    let n_homes = homes.iter().max().map_or(0, |&last| last as usize + 1);
    let mut met = vec![false; n_homes];
    homes
        .iter()
        .map(|&home| !std::mem::replace(&mut met[home as usize], true))
        .collect()
}

/// Refuses a variable of household margins, or a weight, that differs within a household.
pub(crate) fn same_in_household(
    column: &Column,
    homes: &[u32],
    table: &Table,
) -> Result<(), MethodError> {
    let n_homes = homes.iter().max().map_or(0, |&last| last as usize + 1);
    let mut first: Vec<Option<usize>> = vec![None; n_homes];
    for (record, &home) in homes.iter().enumerate() {
        let known = *first[home as usize].get_or_insert(record);
        if !same_cell(column, known, record) {
            return Err(MethodError::Data {
                variable: Some(column.name().to_owned()),
                row: Some(table.source_row(record) + 1),
                message: "it differs from that of another member of the household".to_owned(),
                hint: "with household margins, weights and the variables of those margins are one value per household".to_owned(),
            });
        }
    }
    Ok(())
}

fn same_cell(column: &Column, a: usize, b: usize) -> bool {
    match (column.as_numeric(), column.as_categorical()) {
        (Some(numbers), _) => {
            let (a, b) = (numbers[a], numbers[b]);
            a.to_bits() == b.to_bits() || (a - b).abs() <= 1e-9 * a.abs()
        }
        (None, Some(categories)) => {
            column.is_missing(a) == column.is_missing(b)
                && (column.is_missing(a) || categories.codes.at(a) == categories.codes.at(b))
        }
        (None, None) => true,
    }
}
