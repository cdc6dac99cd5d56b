//! What recoding, suppression and changed categories took from a variable, cell by cell.

use bauta_data::Levels;

use crate::kernel::numbers::sums::compensated;
use crate::pair::Pair;
use crate::pair::categories::TwoCategories;
use crate::pair::coarser::{Coarser, Known};
use crate::pair::variables::TwoColumns;

/// What a variable lost, over the records that the masked file has and that had a value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Recoding {
    /// Share of the entropy that is lost, from 0 to 1; none where all records had one value.
    pub(crate) entropy: Option<f64>,
    /// Share of the way up its hierarchy, or of its categories, that is lost; none without a cell.
    pub(crate) levels: Option<f64>,
    /// The level reached and the height of the hierarchy, if all cells are at one level.
    pub(crate) level: Option<(usize, usize)>,
    /// Cells that had a value.
    pub(crate) n_cells: u64,
    /// Those of them that have none now.
    pub(crate) n_blank: u64,
    /// Those of them that have another category than the one that theirs was recoded to.
    pub(crate) n_changed: u64,
    /// Categories before, among cells that still have a value.
    pub(crate) n_before: usize,
    /// Categories after.
    pub(crate) n_after: usize,
}

/// What became of the cells of each original category.
struct Cells {
    /// Those that had a value, by its code.
    all: Vec<u64>,
    /// Those of them that have none now.
    blank: Vec<u64>,
    /// Those of them whose category is that of their recoding.
    as_recoded: Vec<u64>,
    /// Cells that have a value now, by its code.
    after: Vec<u64>,
}

impl Recoding {
    /// What a variable of records that correspond lost. Numbers count as categories.
    pub(crate) fn of(columns: &TwoColumns<'_>, pair: Pair<'_>) -> Self {
        let categories = TwoCategories::of_values(columns);
        let coarser = Coarser::of(&categories, columns, pair);
        let cells = Cells::of(&categories, &coarser, pair);
        let total = |counts: &[u64]| counts.iter().sum::<u64>();
        let (n_cells, n_blank) = (total(&cells.all), total(&cells.blank));
        let still_there = cells.all.iter().zip(&cells.blank);
        let n_before = still_there.filter(|(all, blank)| all > blank).count();
        let n_after = cells.after.iter().filter(|count| **count > 0).count();
        let by_level = by_level(&categories, &coarser, &cells, columns);
        let lost_above = by_level.map(|(mean, _)| mean);
        let lost_above = lost_above.unwrap_or_else(|| by_count(n_before, n_after));
        let blank = n_blank as f64 / n_cells as f64;
        Self {
            entropy: entropy(&coarser, &cells),
            levels: (n_cells > 0).then_some(blank + (1.0 - blank) * lost_above),
            level: by_level.and_then(|(_, level)| level),
            n_cells,
            n_blank,
            n_changed: n_cells - n_blank - total(&cells.as_recoded),
            n_before,
            n_after,
        }
    }

    /// Share of the cells that have no value now or another category.
    pub(crate) fn cells_lost(&self) -> Option<f64> {
        let n_lost = self.n_blank + self.n_changed;
        (self.n_cells > 0).then(|| n_lost as f64 / self.n_cells as f64)
    }
}

impl Cells {
    fn of(categories: &TwoCategories, coarser: &Coarser, pair: Pair<'_>) -> Self {
        let none = || vec![0; categories.n_categories()];
        let (mut all, mut blank, mut as_recoded, mut after) = (none(), none(), none(), none());
        let missing = categories.missing();
        let [original, masked] = &categories.codes;
        for (record, &now) in masked.iter().enumerate() {
            let before = original.get(pair.original_record(record));
            let Some(&before) = before.filter(|before| **before != missing) else {
                continue;
            };
            let place = before as usize;
            all[place] += 1;
            if now == missing {
                blank[place] += 1;
                continue;
            }
            after[now as usize] += 1;
            as_recoded[place] += u64::from(now == coarser.code[place]);
        }
        Self {
            all,
            blank,
            as_recoded,
            after,
        }
    }
}

/// A cell with category v that was recoded to g has lost log2(n(g)/n(v)) of its log2(n/n(v)) bits; one without a
/// value, or with a category that is not its own, all of them.
fn entropy(coarser: &Coarser, cells: &Cells) -> Option<f64> {
    let n: u64 = cells.all.iter().sum();
    let mut n_recoded_to = vec![0_u64; coarser.code.len()];
    for (&to, &count) in coarser.code.iter().zip(&cells.all) {
        n_recoded_to[to as usize] += count;
    }
    let bits = |whole: u64, part: u64| libm::log2(whole as f64 / part as f64);
    let occurring = || (0..cells.all.len()).filter(|&v| cells.all[v] > 0);
    let had = compensated(occurring().map(|v| cells.all[v] as f64 * bits(n, cells.all[v])));
    let lost = compensated(occurring().map(|v| {
        let group = n_recoded_to[coarser.code[v] as usize];
        let n_lost = cells.all[v] - cells.as_recoded[v];
        cells.as_recoded[v] as f64 * bits(group, cells.all[v])
            + n_lost as f64 * bits(n, cells.all[v])
    }));
    // Rounding must not take a share beyond 1.
    (had > 0.0).then(|| (lost / had).min(1.0))
}

/// The mean share of the way up the hierarchy of cells that have a value, and the level with the height where it is one;
/// none where there is no hierarchy, or a category is at none of its levels.
fn by_level(
    categories: &TwoCategories,
    coarser: &Coarser,
    cells: &Cells,
    columns: &TwoColumns<'_>,
) -> Option<(f64, Option<(usize, usize)>)> {
    let texts = &categories.texts;
    let levels = Levels::from_texts(texts[..categories.n_of_original].iter().map(String::as_str));
    let spec = columns.original.attribute().hierarchy.as_ref()?;
    let hierarchy = spec.resolve(columns.name, &levels).ok()?;
    let (height, present) = (hierarchy.height(), hierarchy.present_level(&levels));
    let way = height.saturating_sub(present).max(1) as f64;
    let share = |level: usize| level.saturating_sub(present) as f64 / way;
    let at_one = match coarser.known {
        Known::NotRecoded => Some(present),
        Known::ByLevel(level) => Some(level),
        Known::ByRecords { .. } | Known::Unknown { .. } => None,
    };
    if let Some(level) = at_one {
        return Some((share(level), Some((level, height))));
    }
    let level_of = |code: usize| {
        if code < categories.n_of_original {
            return Some(present);
        }
        (1..=height).find(|&level| hierarchy.at_level(level).0.code(&texts[code]).is_some())
    };
    let (mut sum, mut n) = (0.0, 0);
    for (code, &count) in cells
        .after
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
    {
        sum += count as f64 * share(level_of(code)?);
        n += count;
    }
    Some((if n == 0 { 0.0 } else { sum / n as f64 }, None))
}

/// The share of categories beyond the last that are gone.
fn by_count(n_before: usize, n_after: usize) -> f64 {
    if n_before < 2 {
        return 0.0;
    }
    n_before.saturating_sub(n_after) as f64 / (n_before - 1) as f64
}
