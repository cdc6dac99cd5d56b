//! Values that stand for something else than themselves: codes and days for no answer, and units beside numbers.

use super::{Cells, NEARLY_ALL, Value};
use crate::date::day_number;
use crate::inspect::Content;
use crate::number::{DecimalMark, parse_number_with};

/// Days that registers write for unknown, as year, month and day.
const DAYS_FOR_NONE: [(u32, u32, u32); 5] = [
    (1900, 1, 1),
    (1901, 1, 1),
    (1899, 12, 31),
    (1899, 12, 30),
    (1970, 1, 1),
];

pub(super) fn odd_day(cells: &Cells) -> bool {
    let days = cells.sorted_days();
    let [first, second, .., before_last, last] = days[..] else {
        return false;
    };
    let first_of = |year: u32| day_number(year, 1, 1).unwrap_or(f64::NAN);
    let for_none = |day: f64| {
        let mut known = DAYS_FOR_NONE.iter();
        // Whole days: half a day apart is another one.
        known.any(|&(year, month, of_month)| {
            day_number(year, month, of_month).is_some_and(|known| (known - day).abs() < 0.5)
        })
    };
    // As far from the others as they lie from one another, or further, or of no living memory.
    let early = (for_none(first) && second - first >= last - second) || first < first_of(1800);
    let late = last >= first_of(2200) && last - before_last >= before_last - second;
    early || late
}

/// Characters of the longest sign or unit beside a number.
const LONGEST_UNIT: usize = 6;

/// Whether nearly all cells are a number with the same sign or unit beside it.
pub(super) fn numbers_with_unit(cells: &Cells) -> bool {
    let mut texts = cells.values.iter().map(|value| value.text);
    let Some(first) = texts.find_map(unit_beside) else {
        return false;
    };
    cells.content == Content::Text
        && cells.mostly(NEARLY_ALL, |text| unit_beside(text) == Some(first))
}

/// The sign before a number, or the sign or unit behind it; a code such as P0012 or 12B has none.
fn unit_beside(text: &str) -> Option<&str> {
    let text = text.trim();
    let is_digit = |c: char| c.is_ascii_digit();
    let (from, to) = (text.find(is_digit)?, text.rfind(is_digit)? + 1);
    let before = text[..from].trim_end_matches(['-', '+']).trim_end();
    let behind = text[to..].trim_start();
    let is_attached = behind.len() == text.len() - to;
    let is_sign = |unit: &str| !unit.is_empty() && !unit.contains(char::is_alphanumeric);
    let is_unit = |unit: &str| {
        is_sign(unit) || (!unit.is_empty() && (!is_attached || unit.chars().count() > 1))
    };
    let unit = match (before, behind) {
        (sign, "") if is_sign(sign) => sign,
        ("", unit) if is_unit(unit) => unit,
        _ => return None,
    };
    let marks = [DecimalMark::Point, DecimalMark::Comma];
    let is_number = marks
        .iter()
        .any(|&mark| parse_number_with(&text[from..to], mark).is_some());
    (is_number && unit.chars().count() <= LONGEST_UNIT).then_some(unit)
}

/// Numbers that surveys write for refused, unknown and not applicable.
const CODES_ABOVE: [f64; 15] = [
    9.0, 88.0, 97.0, 98.0, 99.0, 888.0, 997.0, 998.0, 999.0, 8888.0, 9997.0, 9998.0, 9999.0,
    99_999.0, 999_999.0,
];
const CODES_BELOW: [f64; 11] = [
    -1.0, -2.0, -3.0, -7.0, -8.0, -9.0, -98.0, -99.0, -998.0, -999.0, -9999.0,
];
/// A file rarely has more sorts of missing values than this at one end.
const MOST_CODES: usize = 3;

pub(super) fn odd_code(cells: &Cells) -> bool {
    let numbers = cells.sorted_numbers();
    if cells.content != Content::Integer || numbers.len() < 3 {
        return false;
    }
    let n_negative = numbers.partition_point(|&number| number < 0.0);
    let below = (1..=MOST_CODES).contains(&n_negative)
        && numbers[..n_negative]
            .iter()
            .all(|number| CODES_BELOW.contains(number));
    let above = (1..=MOST_CODES.min(numbers.len() - 2)).any(|n_codes| {
        let (others, codes) = numbers.split_at(numbers.len() - n_codes);
        let largest = others[others.len() - 1];
        // As far from the others as they lie from one another, or further: 9 after 1 to 5.
        codes.iter().all(|code| CODES_ABOVE.contains(code))
            && codes[0] - largest >= largest - others[0]
    });
    below || above || spiked_code(cells)
}

/// Numbers that are codes rather than amounts where far more records have them than their neighbours.
const CODES_AMONG: [f64; 16] = [
    98.0, 99.0, 888.0, 998.0, 999.0, 8888.0, 9997.0, 9998.0, 9999.0, 88_888.0, 99_997.0, 99_998.0,
    99_999.0, 999_997.0, 999_998.0, 999_999.0,
];
/// Neighbours of a code on either side, and how many times as many records as they have make it one.
const NEIGHBOURS: usize = 3;
const SPIKE: f64 = 5.0;
/// Records that a code has at the least.
const FEWEST_CODED: usize = 10;

/// Whether a number such as 9999 stands out of those beside it by its records: 267 after incomes of one record each.
fn spiked_code(cells: &Cells) -> bool {
    let of_value = |value: &Value| Some((value.number?, value.count));
    let mut counts: Vec<(f64, usize)> = cells.values.iter().filter_map(of_value).collect();
    counts.sort_by(|a, b| a.0.total_cmp(&b.0));
    let is_spike = |at: usize| {
        let (number, count) = counts[at];
        let beside = &counts[at.saturating_sub(NEIGHBOURS)..counts.len().min(at + 1 + NEIGHBOURS)];
        let beside = beside
            .iter()
            .filter(|(other, _)| !CODES_AMONG.contains(other));
        let beside: Vec<usize> = beside.map(|(_, count)| *count).collect();
        let sum: usize = beside.iter().sum();
        CODES_AMONG.contains(&number)
            && count >= FEWEST_CODED
            && beside.len() >= NEIGHBOURS
            && count as f64 * beside.len() as f64 >= SPIKE * sum as f64
    };
    (0..counts.len()).any(is_spike)
}
