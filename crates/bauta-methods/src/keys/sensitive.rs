//! The answers that the records of a matching set give to a sensitive question: what an intruder
//! learns who finds the set and not the record.

use bauta_data::spelling::Spread;
use bauta_data::{Attribute, Codes, Column, Kind, Role, Table};
use rayon::prelude::*;

use crate::card::ParamSpec;
use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::numbers::exact_sum::{ExactSums, Scale};
use crate::keys::Matching;
use crate::keys::codes::key_codes;
use crate::keys::matching::MatchingSets;
use crate::keys::packing::number;
use crate::missing::skipped;
use crate::note::{Note, NoteRank};
use crate::params::{ParamProblem, Params, choices};

/// Which variables are sensitive.
pub(crate) const SENSITIVE: ParamSpec = ParamSpec::variables(
    "sensitive",
    "variables whose values an intruder would like to learn",
    "all variables of role sensitive that are not continuous",
);

choices! {
    /// How a missing sensitive value counts.
    pub(crate) enum MissingSensitive {
        Category = "category": "missing is one more category",
        Ignore = "ignore": "records without a value are left out",
    }
}

/// How a missing sensitive value counts.
pub(crate) const MISSING_SENSITIVE: ParamSpec = ParamSpec::choice::<MissingSensitive>(
    "missing_sensitive",
    "how a missing sensitive value counts",
)
.or_word("category");

/// How a missing key value counts.
pub(crate) const MATCHING: ParamSpec =
    ParamSpec::choice::<Matching>("semantics", "how a missing key value counts").or_word("visible");

/// The sensitive variables: those that were named, or those that have the role.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Sensitive {
    named: Option<Vec<String>>,
}

impl Sensitive {
    /// What was asked for by [`SENSITIVE`].
    pub(crate) fn asked(params: &Params) -> Result<Self, Vec<ParamProblem>> {
        let named = params.texts(SENSITIVE.name);
        let again = named
            .iter()
            .enumerate()
            .filter(|(position, name)| named[..*position].contains(name));
        let problems: Vec<ParamProblem> = again
            .map(|(_, name)| {
                ParamProblem::of(
                    SENSITIVE.name,
                    format!("`{name}` is named twice"),
                    "name each variable once",
                )
            })
            .collect();
        if problems.is_empty() {
            let named = params.is_set(SENSITIVE.name).then(|| named.to_vec());
            Ok(Self { named })
        } else {
            Err(problems)
        }
    }

    /// Sensitive variables that are keys.
    pub(crate) fn problems(&self, on: &[&Attribute]) -> Vec<ParamProblem> {
        let is_key = |name: &&String| on.iter().any(|attribute| attribute.name == **name);
        let keys = self.named.iter().flatten().filter(is_key);
        keys.map(|name| {
            ParamProblem::of(
                SENSITIVE.name,
                format!(
                    "`{name}` is a key here: who knows it learns nothing from it, and every class has one value"
                ),
                "take it out of `sensitive`, or out of the keys",
            )
        })
        .collect()
    }

    /// Their positions in a table whose keys are at `keys`.
    pub(crate) fn positions(
        &self,
        table: &Table,
        keys: &[usize],
    ) -> Result<Vec<usize>, MethodError> {
        if let Some(named) = &self.named {
            let on: Vec<&Attribute> = keys
                .iter()
                .map(|&attr_idx| table.column(attr_idx).attribute())
                .collect();
            if let Some(problem) = self.problems(&on).into_iter().next() {
                return Err(MethodError::request(problem.message, problem.hint));
            }
            return crate::keys::asked::positions(table, named);
        }
        let mut found = table.with_role(Role::Sensitive);
        found.retain(|&attr_idx| {
            table.column(attr_idx).attribute().kind != Kind::Continuous && !keys.contains(&attr_idx)
        });
        if found.is_empty() {
            return Err(MethodError::request(
                "no variable besides the keys has the role sensitive and categories",
                "give one the role sensitive, or name it in `sensitive`; `on` names the keys",
            ));
        }
        Ok(found)
    }
}

/// Whose answers to which questions are looked at.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Questions {
    /// The sensitive variables.
    pub(crate) sensitive: Sensitive,
    /// How a missing answer counts.
    pub(crate) missing: MissingSensitive,
    /// How a missing key value counts.
    pub(crate) matching: Matching,
}

impl Questions {
    /// What was asked for by [`SENSITIVE`], [`MISSING_SENSITIVE`] and [`MATCHING`].
    pub(crate) fn asked(params: &Params) -> Result<Self, Vec<ParamProblem>> {
        Ok(Self {
            sensitive: Sensitive::asked(params)?,
            missing: params.choice_of(MISSING_SENSITIVE.name),
            matching: params.choice_of(MATCHING.name),
        })
    }

    /// Notes the variables in which several spellings of one answer count as several answers.
    pub(crate) fn note_spellings(
        &self,
        table: &Table,
        keys: &[usize],
        context: &RunContext<'_>,
    ) -> Result<(), MethodError> {
        for attr_idx in self.sensitive.positions(table, keys)? {
            let column = table.column(attr_idx);
            if let Some(spread) = Spread::of(column).filter(|spread| spread.is_spread()) {
                context.note(several_spellings(column.name(), spread));
            }
        }
        Ok(())
    }
}

/// Spellings of one answer are counted as different answers.
fn several_spellings(variable: &str, spread: Spread) -> Note {
    let text = format!(
        "{variable}: counts {} values that may be {}, because some differ only in their spelling; \
         the diversity may be less than it seems (fold them when the file is read)",
        spread.n_values, spread.n_categories
    );
    Note::new("spellings-counted", text)
        .ranked(NoteRank::Warning)
        .with("variable", variable)
        .with("n_values", spread.n_values)
        .with("n_categories", spread.n_categories)
}

/// The values of a sensitive variable.
pub(crate) struct Answers {
    /// Value of each record: 0 is missing, those that occur count from 1 in their order.
    pub(crate) codes: Codes,
    /// Number of different values.
    pub(crate) n_values: u32,
    /// How records without a value count.
    missing: MissingSensitive,
}

impl Answers {
    /// Reads a sensitive variable and notes what is left out of it.
    pub(crate) fn new(
        column: &Column,
        missing: MissingSensitive,
        context: &RunContext<'_>,
    ) -> Self {
        if missing == MissingSensitive::Ignore && column.n_missing() > 0 {
            context.note(skipped(column.name(), column.n_missing()));
        }
        let read = key_codes(column);
        // Categories that no record has are no values: they would stretch an ordered scale.
        let mut new_code = vec![0; read.n_values as usize + 1];
        for code in &read.codes {
            new_code[code as usize] = 1;
        }
        new_code[0] = 0;
        let mut n_values = 0;
        for code in new_code.iter_mut().filter(|code| **code == 1) {
            n_values += 1;
            *code = n_values;
        }
        let codes = if n_values == read.n_values {
            read.codes
        } else {
            let new_code = |code: u32| new_code[code as usize];
            read.codes.replaced(n_values, new_code)
        };
        Self {
            codes,
            n_values,
            missing,
        }
    }
}

/// How much of a code there is: records, or the sum of their weights.
pub(crate) type Amount = (u32, f64);

/// What amounts are: counts of records and whole weights can be calculated with exactly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Parts {
    /// All are whole numbers.
    Whole,
    /// Some are not.
    Fractional,
}

impl Parts {
    /// What some amounts are.
    pub(crate) fn of<'a>(mut amounts: impl Iterator<Item = &'a f64>) -> Self {
        if amounts.all(|amount| amount.fract() == 0.0) {
            Self::Whole
        } else {
            Self::Fractional
        }
    }
}

/// The answers of each class: codes and amounts, by code.
pub(crate) struct ClassAnswers {
    starts: Vec<usize>,
    amounts: Vec<Amount>,
    /// Sums of weights behind the amounts; none where records are counted, which need no more than their number.
    exact: Option<ExactSums>,
}

/// Pairs of a class and a code that occur, packed into one number, in their order.
struct Pairs {
    packed: Vec<u64>,
    /// Records or weight of each.
    amounts: Vec<f64>,
    exact: Option<ExactSums>,
}

impl ClassAnswers {
    /// Counts the answers of each class, by record or by weight.
    pub(crate) fn new(answers: &Answers, sets: &MatchingSets, weights: Option<&[f64]>) -> Self {
        let n_codes = u64::from(answers.n_values) + 1;
        let n_pairs = sets.n_classes() as u64 * n_codes;
        // A table of all pairs of a class and a code while it is no larger than the file.
        let pairs = if n_pairs <= answers.codes.len() as u64 {
            all_pairs(answers, sets, weights, n_pairs as usize)
        } else {
            occurring_pairs(answers, sets, weights)
        };
        let mut starts = vec![0; sets.n_classes() + 1];
        let is_known = |pair: u64| {
            !pair.is_multiple_of(n_codes) || answers.missing == MissingSensitive::Category
        };
        let known = || (0..pairs.packed.len()).filter(|&at| is_known(pairs.packed[at]));
        let mut amounts = Vec::with_capacity(pairs.packed.len());
        for at in known() {
            let pair = pairs.packed[at];
            starts[(pair / n_codes) as usize + 1] += 1;
            amounts.push(((pair % n_codes) as u32, pairs.amounts[at]));
        }
        for class in 0..sets.n_classes() {
            starts[class + 1] += starts[class];
        }
        let exact = (pairs.exact.as_ref()).map(|exact| exact.selected(known()));
        Self {
            starts,
            amounts,
            exact,
        }
    }

    fn of_class(&self, class: u32) -> &[Amount] {
        &self.amounts[self.starts[class as usize]..self.starts[class as usize + 1]]
    }

    /// The answers of the whole file, by code: `n_codes` amounts, the first of them missing.
    pub(crate) fn of_file(&self, n_values: u32) -> Vec<f64> {
        let n_codes = n_values as usize + 1;
        let codes = self.amounts.iter().map(|(code, _)| *code as usize);
        if let Some(exact) = &self.exact {
            return exact.grouped(n_codes, codes.zip(0..)).all_nearest();
        }
        let mut all = vec![0.0; n_codes];
        for &(code, amount) in &self.amounts {
            all[code as usize] += amount;
        }
        all
    }

    /// What the amounts of single classes are; those of the file may be whole by chance.
    pub(crate) fn parts(&self) -> Parts {
        Parts::of(self.amounts.iter().map(|(_, amount)| amount))
    }

    /// A figure of the answers of each set.
    pub(crate) fn per_set<T: Send>(
        &self,
        sets: &MatchingSets,
        figure: impl Fn(&[Amount]) -> T + Sync,
    ) -> Vec<T> {
        (0..sets.n_sets())
            .into_par_iter()
            .with_min_len(256)
            .map_init(Merged::default, |merged, set| match sets.members(set) {
                [class] => figure(self.of_class(*class)),
                members => figure(self.merge(members, merged)),
            })
            .collect()
    }

    /// The answers of several classes together.
    fn merge<'m>(&self, classes: &[u32], merged: &'m mut Merged) -> &'m [Amount] {
        merged.codes.clear();
        for &class in classes {
            let places = self.starts[class as usize]..self.starts[class as usize + 1];
            (merged.codes).extend(places.map(|at| (self.amounts[at].0, at)));
        }
        merged.codes.sort_unstable();
        let same = merged.codes.chunk_by(|(one, _), (next, _)| one == next);
        let amount = |same: &[(u32, usize)]| {
            let mut places = same.iter().map(|(_, at)| *at);
            match (&self.exact, same) {
                (_, [(_, at)]) => self.amounts[*at].1,
                (Some(exact), _) => exact.nearest_to_sum_of(places),
                // Numbers of records: no sum of them is rounded.
                (None, _) => places.by_ref().map(|at| self.amounts[at].1).sum(),
            }
        };
        merged.amounts.clear();
        (merged.amounts).extend(same.map(|same| (same[0].0, amount(same))));
        &merged.amounts
    }
}

/// Room for the answers of several classes together.
#[derive(Default)]
struct Merged {
    /// Codes and where their amounts are.
    codes: Vec<(u32, usize)>,
    amounts: Vec<Amount>,
}

/// Pairs of a class and a code that occur.
fn all_pairs(
    answers: &Answers,
    sets: &MatchingSets,
    weights: Option<&[f64]>,
    n_pairs: usize,
) -> Pairs {
    let n_codes = answers.n_values as usize + 1;
    let both = || sets.class_of_record().iter().zip(&answers.codes);
    let pairs = || both().map(|(&class, code)| class as usize * n_codes + code as usize);
    let mut counts = vec![0_u32; n_pairs];
    pairs().for_each(|pair| counts[pair] += 1);
    let occurring: Vec<usize> = (0..n_pairs).filter(|&pair| counts[pair] > 0).collect();
    let exact = weights.map(|weights| {
        let mut sums = ExactSums::zeros(Scale::of(weights), n_pairs);
        for (pair, &weight) in pairs().zip(weights) {
            sums.add(pair, weight);
        }
        sums.selected(occurring.iter().copied())
    });
    let n_records = || occurring.iter().map(|&pair| f64::from(counts[pair]));
    Pairs {
        packed: occurring.iter().map(|&pair| pair as u64).collect(),
        amounts: (exact.as_ref()).map_or_else(|| n_records().collect(), ExactSums::all_nearest),
        exact,
    }
}

/// As [`all_pairs`], without room for pairs that do not occur.
fn occurring_pairs(answers: &Answers, sets: &MatchingSets, weights: Option<&[f64]>) -> Pairs {
    let n_codes = u64::from(answers.n_values) + 1;
    let packed: Vec<u64> = sets
        .class_of_record()
        .par_iter()
        .enumerate()
        .with_min_len(4096)
        .map(|(record, &class)| u64::from(class) * n_codes + u64::from(answers.codes.at(record)))
        .collect();
    let (pair_of_record, representatives) = number(&packed, sets.n_classes() as u64 * n_codes);
    let packed_of = |&record: &u32| packed[record as usize];
    let mut order: Vec<(u64, u32)> = representatives.iter().map(packed_of).zip(0..).collect();
    order.par_sort_unstable();
    let in_order = || order.iter().map(|&(_, pair)| pair as usize);
    let exact = weights.map(|weights| {
        let sums = ExactSums::by_cell(weights, &pair_of_record, representatives.len());
        sums.selected(in_order())
    });
    let amounts = match &exact {
        Some(exact) => exact.all_nearest(),
        None => {
            let mut counts = vec![0.0; representatives.len()];
            for &pair in &pair_of_record {
                counts[pair as usize] += 1.0;
            }
            in_order().map(|pair| counts[pair]).collect()
        }
    };
    Pairs {
        packed: order.into_iter().map(|(packed, _)| packed).collect(),
        amounts,
        exact,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::Semantics;
    use bauta_data::Levels;
    use bauta_data::Unwatched;
    use bauta_data::missing::{MissingCells, MissingRules};
    use std::sync::Arc;

    fn column(name: &str, role: Role, cells: &[Option<u32>]) -> Column {
        let attribute = Attribute::new(name, role, Kind::Ordered);
        let states = cells.iter().map(|cell| u8::from(cell.is_none())).collect();
        let missing = MissingCells::new(states, MissingRules::default().marks());
        let levels = Levels::from_texts(["a", "b", "c", "d"]);
        let codes: Vec<u32> = cells.iter().map(|cell| cell.unwrap_or(0)).collect();
        Column::categorical(Arc::new(attribute), codes, Arc::new(levels), missing)
    }

    const ANSWER: &str = "answer";

    fn table() -> Table {
        // Keys a, a, b, missing; answers b, d, missing, b.
        let key = column("key", Role::Key, &[Some(0), Some(0), Some(1), None]);
        let answer = column(ANSWER, Role::Sensitive, &[Some(1), Some(3), None, Some(1)]);
        Table::new(vec![key, answer], 4)
    }

    fn amounts(matching: Matching, missing: MissingSensitive) -> Vec<Vec<Amount>> {
        let table = table();
        let context = RunContext::new(1, "test", &Unwatched);
        let answers = Answers::new(table.column(1), missing, &context);
        assert_eq!(answers.n_values, 2, "a and c do not occur");
        let sets = MatchingSets::new(&table, &[0], matching).expect("sets");
        let counted = ClassAnswers::new(&answers, &sets, None);
        let of_sets = counted.per_set(&sets, <[Amount]>::to_vec);
        (0..4)
            .map(|record| of_sets[sets.set_of_record(record)].clone())
            .collect()
    }

    #[test]
    fn missing_keys_are_a_class_of_their_own_or_match_everybody() {
        // b is code 1, d is code 2, missing is 0.
        let a = vec![(1, 1.0), (2, 1.0)];
        let b = vec![(0, 1.0)];
        assert_eq!(
            amounts(Matching::Own, MissingSensitive::Category),
            [a.clone(), a.clone(), b.clone(), vec![(1, 1.0)]]
        );
        // The record without a key matches all four.
        let all = vec![(0, 1.0), (1, 2.0), (2, 1.0)];
        assert_eq!(
            amounts(Matching::Visible, MissingSensitive::Category),
            [a.clone(), a.clone(), b, all]
        );
        assert_eq!(
            amounts(Matching::Visible, MissingSensitive::Ignore),
            [a.clone(), a, vec![], vec![(1, 2.0), (2, 1.0)]]
        );
    }

    #[test]
    fn weights_are_summed_by_answer() {
        let table = table();
        let context = RunContext::new(1, "test", &Unwatched);
        let answers = Answers::new(table.column(1), MissingSensitive::Category, &context);
        let sets = MatchingSets::new(&table, &[0], Matching::Own).expect("sets");
        let counted = ClassAnswers::new(&answers, &sets, Some(&[1.5, 2.0, 4.0, 8.0]));
        assert_eq!(counted.of_file(2), [4.0, 9.5, 2.0]);
        assert_eq!(counted.parts(), Parts::Fractional);
        // Answer 1 weighs 2 in the file, and 1.5 and 0.5 in its two classes.
        let counted = ClassAnswers::new(&answers, &sets, Some(&[1.5, 2.0, 4.0, 0.5]));
        assert_eq!(counted.of_file(2), [4.0, 2.0, 2.0]);
        assert_eq!(counted.parts(), Parts::Fractional);
        let counted = ClassAnswers::new(&answers, &sets, Some(&[3.0, 2.0, 4.0, 0.0]));
        assert_eq!(counted.parts(), Parts::Whole);
    }

    #[test]
    fn blank_keys_may_not_lend_their_answers() {
        assert_eq!(Semantics::Wild.matching(), None);
    }
}
