//! Which figures of margins are kept from screens and scripts: those that rest on few records, and
//! those that would give such a figure away together with others that are told.
//!
//! Two things give figures away. Totals before and after records went: their difference is the total of
//! those that went or were changed, which may be one. And sums: a total less its other parts is the part
//! that was withheld. So a total of the records left is not told where few records went or were changed,
//! and where a part of a sum is withheld, others are withheld with it, the smallest first, until at least
//! two parts and ten records are.

use std::collections::HashMap;

use bauta_data::Table;

use crate::adjust::calibration::found::Told;
use crate::adjust::calibration::margins::{Margin, Margins, TargetFrom, Term};
use crate::few_records::{RULE_OF_TEN, is_few};

/// What a term takes from a file: the cell of each record, and its number.
#[derive(Clone, Copy)]
pub(crate) struct Taken<'a> {
    pub(crate) table: &'a Table,
    pub(crate) cell: &'a [u32],
    pub(crate) value: Option<&'a [f64]>,
}

impl Taken<'_> {
    fn bits(&self, record: usize) -> Option<u64> {
        self.value.map(|values| values[record].to_bits())
    }
}

/// For each cell, how many records came, went or have another number in the released file.
pub(crate) fn n_changed(n_cells: usize, original: Taken<'_>, released: Taken<'_>) -> Vec<u64> {
    let mut records: Vec<Option<usize>> = Vec::new();
    for record in 0..original.cell.len() {
        let row = original.table.source_row(record);
        records.resize(records.len().max(row + 1), None);
        records[row] = Some(record);
    }
    let mut n_changed = vec![0; n_cells];
    for (record, &cell) in released.cell.iter().enumerate() {
        let was = records.get_mut(released.table.source_row(record));
        // A record that is there twice came once.
        let Some(was) = was.and_then(Option::take) else {
            n_changed[cell as usize] += 1;
            continue;
        };
        let cell_was = original.cell[was];
        if cell_was != cell {
            n_changed[cell as usize] += 1;
            n_changed[cell_was as usize] += 1;
        } else if original.bits(was) != released.bits(record) {
            n_changed[cell as usize] += 1;
        }
    }
    for was in records.into_iter().flatten() {
        n_changed[original.cell[was] as usize] += 1;
    }
    n_changed
}

/// Whether a difference rests on few records, but on some.
pub(crate) fn is_of_few(n_changed: u64) -> bool {
    (1..RULE_OF_TEN).contains(&n_changed)
}

impl Margins {
    /// Withholds what the figures that are told would give away.
    pub(crate) fn withhold(&mut self) {
        let sums = self.sums();
        let is_original = |margin: &&Margin| margin.target_from == TargetFrom::Original;
        let any_original = self.all.iter().any(|margin| is_original(&margin));
        let counts = |of: &dyn Fn(&Margin) -> u64| self.all.iter().map(of).collect::<Vec<u64>>();
        let n_after = counts(&|margin| margin.n_after);
        // Totals that the user gave are no secret.
        let n_before = counts(&|margin| match margin.target_from {
            TargetFrom::Original => margin.n_before,
            TargetFrom::NamedTotal | TargetFrom::PlacedTotal => 0,
        });
        let n_changed = counts(&|margin| if any_original { margin.n_changed } else { 0 });

        let shown = |of: &dyn Fn(Told) -> bool| -> Vec<bool> {
            self.all.iter().map(|margin| of(margin.told)).collect()
        };
        let mut target = shown(&|told| told.target);
        withhold_with(&mut target, &n_before, &sums);
        // What was reached is the target.
        let mut reached = shown(&|told| told.reached);
        for (reached, target) in reached.iter_mut().zip(&target) {
            *reached &= target;
        }
        withhold_with(&mut reached, &n_after, &sums);
        let mut before = shown(&|told| told.before);
        for (before, &n_changed) in before.iter_mut().zip(&n_changed) {
            *before &= !is_of_few(n_changed);
        }
        withhold_with(&mut before, &n_after, &sums);
        withhold_with(&mut before, &n_changed, &sums);
        for (position, margin) in self.all.iter_mut().enumerate() {
            margin.told.target = target[position];
            margin.told.reached = reached[position];
            margin.told.before = before[position];
        }
    }

    /// The sums that margins are parts of: that of their term, and those of coarser terms.
    fn sums(&self) -> Vec<Sum> {
        let mut of_term: Vec<Vec<usize>> = vec![Vec::new(); self.terms.len()];
        for (position, margin) in self.all.iter().enumerate() {
            of_term[margin.term].push(position);
        }
        let mut sums: Vec<Sum> = of_term.iter().cloned().map(Sum::of).collect();
        for (fine, parts) in of_term.iter().enumerate() {
            for (coarse, wholes) in of_term.iter().enumerate() {
                if fine != coarse && is_coarser(&self.terms[coarse], &self.terms[fine]) {
                    sums.extend(self.sums_to(wholes, parts));
                }
            }
        }
        sums
    }

    /// The margins of a coarser term as sums of those of a finer one.
    fn sums_to(&self, wholes: &[usize], parts: &[usize]) -> Vec<Sum> {
        let classes = wholes.first().map(|&whole| &self.all[whole].cell);
        let classes: Vec<&String> = classes
            .into_iter()
            .flatten()
            .map(|(name, _)| name)
            .collect();
        let labels = |margin: usize| -> Vec<&str> {
            let cell = &self.all[margin].cell;
            let label = |class: &&String| {
                let found = cell.iter().find(|(name, _)| name == *class);
                found.map_or("", |(_, label)| label.as_str())
            };
            classes.iter().map(label).collect()
        };
        let mut sums: Vec<Sum> = Vec::with_capacity(wholes.len());
        let mut place: HashMap<Vec<&str>, usize> = HashMap::with_capacity(wholes.len());
        for &whole in wholes {
            place.insert(labels(whole), sums.len());
            sums.push(Sum {
                whole: Some(whole),
                parts: Vec::new(),
            });
        }
        for &part in parts {
            if let Some(&sum) = place.get(&labels(part)) {
                sums[sum].parts.push(part);
            }
        }
        sums
    }
}

/// Whether the margins of a term are sums of those of another.
fn is_coarser(coarse: &Term, fine: &Term) -> bool {
    let within = |some: &[String], all: &[String]| some.iter().all(|name| all.contains(name));
    coarse.of_households == fine.of_households
        && within(&coarse.numbers, &fine.numbers)
        && within(&fine.numbers, &coarse.numbers)
        && within(&coarse.classes, &fine.classes)
}

/// Figures that add up, by position.
pub(crate) struct Sum {
    /// Their sum, where it is a figure too. It may be known from elsewhere in any case.
    whole: Option<usize>,
    parts: Vec<usize>,
}

impl Sum {
    /// Figures whose sum is not among them.
    pub(crate) fn of(parts: Vec<usize>) -> Self {
        Self { whole: None, parts }
    }

    /// Withholds parts until none that is withheld, nor the sum, follows from what is shown. Whether any
    /// was.
    fn withhold(&self, shown: &mut [bool], n_records: &[u64]) -> bool {
        // What no record is in is 0, and hides nothing.
        let parts = self.parts.iter().copied();
        let (mut candidates, withheld): (Vec<usize>, Vec<usize>) = parts
            .filter(|&part| n_records[part] > 0)
            .partition(|&part| shown[part]);
        let whole_is_withheld = self.whole.is_some_and(|whole| !shown[whole]);
        if withheld.is_empty() && !whole_is_withheld {
            return false;
        }
        candidates.sort_by_key(|&part| n_records[part]);
        let mut n_within: u64 = withheld.iter().map(|&part| n_records[part]).sum();
        let mut any = false;
        for (n_withheld, part) in (withheld.len()..).zip(candidates) {
            if n_withheld > 1 && !is_few(n_within) {
                break;
            }
            shown[part] = false;
            n_within += n_records[part];
            any = true;
        }
        any
    }
}

/// Withholds figures beside those that are withheld already, until no sum gives one away.
pub(crate) fn withhold_with(shown: &mut [bool], n_records: &[u64], sums: &[Sum]) {
    loop {
        let mut any = false;
        for sum in sums {
            any |= sum.withhold(shown, n_records);
        }
        if !any {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_withheld_part_takes_the_smallest_other_with_it() {
        let mut shown = [true, false, true, true];
        let sums = [Sum::of(vec![0, 1, 2, 3])];
        withhold_with(&mut shown, &[50, 3, 12, 40], &sums);
        assert_eq!(shown, [true, false, false, true]);
        // Two parts of 3 + 4 = 7 records: their sum rests on few as well.
        let mut shown = [true, false, true, false];
        withhold_with(&mut shown, &[50, 3, 12, 4], &sums);
        assert_eq!(shown, [true, false, false, false]);
        // 6 + 4 are ten.
        let mut shown = [true, false, true, false];
        withhold_with(&mut shown, &[50, 6, 12, 4], &sums);
        assert_eq!(shown, [true, false, true, false]);
    }

    #[test]
    fn what_no_record_is_in_hides_nothing() {
        let mut shown = [true, false, true];
        withhold_with(&mut shown, &[50, 0, 12], &[Sum::of(vec![0, 1, 2])]);
        assert_eq!(shown, [true, false, true]);
        // Nor does it count as the second.
        let mut shown = [false, false, true, true];
        withhold_with(&mut shown, &[3, 0, 12, 40], &[Sum::of(vec![0, 1, 2, 3])]);
        assert_eq!(shown, [false, false, false, true]);
    }

    #[test]
    fn the_second_is_sought_in_every_sum_of_a_cross() {
        // Rows (0, 1, 2), (3, 4, 5), (6, 7, 8) and their columns: the partner of cell 0 in its row needs one
        // in its column, and so on until the withheld cells are the corners of a rectangle.
        let rows = (0..3).map(|row| Sum::of((0..3).map(|column| 3 * row + column).collect()));
        let columns = (0..3).map(|column| Sum::of((0..3).map(|row| 3 * row + column).collect()));
        let sums: Vec<Sum> = rows.chain(columns).collect();
        let n = [2, 10, 30, 11, 12, 30, 30, 30, 30];
        let mut shown = [true; 9];
        shown[0] = false;
        withhold_with(&mut shown, &n, &sums);
        let withheld: Vec<usize> = (0..9).filter(|&cell| !shown[cell]).collect();
        assert_eq!(withheld, [0, 1, 3, 4]);
    }

    #[test]
    fn parts_do_not_give_a_withheld_sum_away() {
        let sums = [Sum {
            whole: Some(0),
            parts: vec![1, 2, 3],
        }];
        let mut shown = [false, true, true, true];
        withhold_with(&mut shown, &[60, 10, 20, 30], &sums);
        assert_eq!(shown, [false, false, false, true]);
    }
}
