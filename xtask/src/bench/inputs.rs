//! Inputs of any size from a fixed seed: the demonstration survey for categories, correlated
//! amounts for numbers, and CENSUS drawn with replacement where it is at hand.

use std::path::PathBuf;
use std::sync::Arc;

use bauta_data::column::NumberText;
use bauta_data::missing::{MissingCells, MissingRules};
use bauta_data::survey::survey_csv;
use bauta_data::{Attribute, Codes, Column, Kind, Levels, Role, Table};
use bauta_methods::context::unit_interval;
use bauta_methods::kernel::numbers::moments::moments;
use bauta_methods::kernel::numbers::normal;

use super::work::{Input, N_NEAREST, Queries};
use crate::workspace::Workspace;

const SEED: u64 = 20_260_101;
/// Columns of amounts, as in the file that the peer's figures were measured on.
pub(super) const N_AMOUNTS: usize = 13;
/// The keys of the survey.
pub(super) const KEYS: [&str; 7] = ["gender", "income", "age", "uu", "qual", "couple", "hsize"];
/// One key more; a sensitive answer where the other seven are keys.
pub(super) const EIGHTH_KEY: &str = "ind";
/// Ten keys: those, and three answers.
pub(super) const TEN_KEYS: [&str; 10] = [
    "gender",
    "income",
    "age",
    "uu",
    "qual",
    "couple",
    "hsize",
    "ind",
    "theft_housing",
    "threat",
];
/// The household id of the survey with households.
const HOUSEHOLD: &str = "home";
/// The survey's design weight.
const DESIGN_WEIGHT: &str = "d_init";
/// The survey's weight.
pub(super) const WEIGHT: &str = "d_fin";

/// Random numbers that need no state but a counter (`SplitMix64`).
fn mixed(counter: u64) -> u64 {
    let mut z = SEED.wrapping_add(counter.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A number in (0, 1) for a record and a purpose.
fn uniform(record: usize, purpose: u64) -> f64 {
    unit_interval(mixed((record as u64) << 8 | purpose))
}

/// Whole, log-normal amounts with correlations of about a third, such as incomes and taxes.
pub(super) fn amounts(n: usize) -> Table {
    let columns =
        (0..N_AMOUNTS).map(|column| amount_column(&amount_name(column), amount_values(n, column)));
    Table::new(columns.collect(), n)
}

/// The amounts after a change of at most a tenth, for measures that compare two files.
pub(super) fn changed_amounts(n: usize) -> Table {
    let columns = (0..N_AMOUNTS).map(|column| {
        let changed =
            |(record, x): (usize, f64)| x * (0.95 + 0.1 * uniform(record, 200 + column as u64));
        let values = amount_values(n, column)
            .into_iter()
            .enumerate()
            .map(changed);
        amount_column(&amount_name(column), values.collect())
    });
    Table::new(columns.collect(), n)
}

/// Name of a column of amounts.
pub(super) fn amount_name(column: usize) -> String {
    format!("amount_{}", column + 1)
}

/// The records among which the nearest is looked for: the first of the amounts.
pub(super) fn searched(n: usize) -> Table {
    search_table(n, |column| amount_values(n, column))
}

/// The records whose nearest is looked for.
pub(super) fn queries(queries: Queries, n: usize) -> Table {
    match queries {
        Queries::MaskedCopy => {
            let changed = changed_amounts(n);
            let columns = changed.columns()[..N_NEAREST].iter();
            Table::new(columns.map(|column| column.as_ref().clone()).collect(), n)
        }
        Queries::IndependentDraw => search_table(n, |column| {
            (n..2 * n).map(|record| amount(record, column)).collect()
        }),
    }
}

fn search_table(n: usize, values: impl Fn(usize) -> Vec<f64>) -> Table {
    let columns = (0..N_NEAREST).map(|column| amount_column(&amount_name(column), values(column)));
    Table::new(columns.collect(), n)
}

/// Why a work's input cannot be had, if it cannot.
pub(super) fn absent(input: Input) -> Option<String> {
    let is_absent = input == Input::Census && census_path().is_none();
    is_absent.then(|| "../shared/data/census.csv is absent".to_owned())
}

fn census_path() -> Option<PathBuf> {
    let shared = Workspace::of_this_build().shared()?;
    let path = shared.join("data/census.csv");
    path.is_file().then_some(path)
}

/// Standard deviation of the noise on each column of CENSUS, as a share of the column's own.
const JITTER: f64 = 0.03;

/// CENSUS drawn with replacement to any size, with noise that tells the copies of a record apart:
/// the structure of a real file, as in the file that the peer's figures were measured on.
pub(super) fn census(n: usize) -> Result<Table, String> {
    let path = census_path().ok_or("../shared/data/census.csv is absent")?;
    let text = std::fs::read_to_string(&path)
        .map_err(|error| format!("census.csv cannot be read: {error}"))?;
    let mut source: Vec<Vec<f64>> = vec![Vec::new(); N_AMOUNTS];
    for line in text.lines().skip(1) {
        for (values, text) in source.iter_mut().zip(line.split(',')) {
            let value = text.trim().parse();
            values.push(value.map_err(|_| "census.csv holds something but numbers")?);
        }
    }
    let columns = source.iter().enumerate().map(|(column, values)| {
        let unit = JITTER * moments(values).sd;
        let drawn = |record: usize| {
            let row = (uniform(record, 50) * values.len() as f64) as usize;
            let noise = normal::quantile(uniform(record, 51 + column as u64));
            values[row.min(values.len() - 1)] + unit * noise
        };
        amount_column(&amount_name(column), (0..n).map(drawn).collect())
    });
    Ok(Table::new(columns.collect(), n))
}

fn amount_column(name: &str, values: Vec<f64>) -> Column {
    let attribute = Attribute::new(name, Role::Sensitive, Kind::Continuous);
    Column::numeric(Arc::new(attribute), values, None, NumberText::default())
}

fn amount_values(n: usize, column: usize) -> Vec<f64> {
    (0..n).map(|record| amount(record, column)).collect()
}

fn amount(record: usize, column: usize) -> f64 {
    let together = normal::quantile(uniform(record, 0));
    let alone = normal::quantile(uniform(record, 1 + column as u64));
    (9.0 + 0.8 * (0.6 * together + 0.8 * alone)).exp().round()
}

/// The survey: an identifier, seven keys, answers, a weight.
pub(super) fn survey(n: usize) -> Table {
    let csv = survey_csv(n, SEED);
    let mut lines = csv.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end);
    let names: Vec<String> = fields(lines.next().unwrap_or_default())
        .map(str::to_owned)
        .collect();
    let mut builders: Vec<ColumnBuilder> =
        names.iter().map(|name| ColumnBuilder::new(name)).collect();
    for line in lines.filter(|line| !line.is_empty()) {
        for (builder, text) in builders.iter_mut().zip(fields(line)) {
            builder.push(text);
        }
    }
    Table::new(builders.into_iter().map(ColumnBuilder::finish).collect(), n)
}

/// The survey with a household id: three records that follow each other live together.
pub(super) fn survey_with_households(n: usize) -> Table {
    let survey = survey(n);
    let mut home = ColumnBuilder::new(HOUSEHOLD);
    for record in 0..n {
        home.push(&(record / 3).to_string());
    }
    let mut columns: Vec<Column> = survey
        .columns()
        .iter()
        .map(|column| column.as_ref().clone())
        .collect();
    columns.push(home.finish());
    Table::new(columns, n)
}

/// The survey with two values in a hundred of each of eight keys gone.
pub(super) fn survey_with_missing(n: usize) -> Table {
    let mut table = survey(n);
    for (position, name) in KEYS.iter().chain([&EIGHTH_KEY]).enumerate() {
        let Some(attr_idx) = table.index_of(name) else {
            continue;
        };
        let gone = |record: &u32| uniform(*record as usize, 100 + position as u64) < 0.02;
        let records: Vec<u32> = (0..n as u32).filter(gone).collect();
        table = table.with_column(attr_idx, table.column(attr_idx).suppress(&records));
    }
    table
}

/// The survey with values of other records in some cells of ten keys: in two of a hundred of the
/// first, in twenty of the last.
pub(super) fn masked_survey(table: &Table) -> Table {
    let n = table.n_records();
    let mut masked = table.clone();
    for (position, name) in TEN_KEYS.iter().enumerate() {
        let Some((attr_idx, key)) = table
            .index_of(name)
            .and_then(|at| Some((at, table.column(at).as_categorical()?)))
        else {
            continue;
        };
        let share = 0.02 * (position + 1) as f64;
        let code = |record: usize| {
            let draw = uniform(record, 120 + position as u64);
            let other = (draw / share * n as f64) as usize;
            let row = if draw < share {
                other.min(n - 1)
            } else {
                record
            };
            key.codes.at(row)
        };
        let codes: Codes = (0..n).map(code).collect();
        let column = table
            .column(attr_idx)
            .with_codes(codes, Arc::clone(&key.levels));
        masked = masked.with_column(attr_idx, column);
    }
    masked
}

/// The generated survey has no quotes, so that commas separate.
fn fields(line: &[u8]) -> impl Iterator<Item = &str> {
    std::str::from_utf8(line).unwrap_or_default().split(',')
}

/// Role of a column of the survey.
fn role_of(name: &str) -> Role {
    match name {
        "id" => Role::Identifier,
        WEIGHT => Role::Weight,
        HOUSEHOLD => Role::Household,
        EIGHTH_KEY => Role::Sensitive,
        name if KEYS.contains(&name) => Role::Key,
        _ => Role::Other,
    }
}

/// A column of the survey while its cells come in.
enum ColumnBuilder {
    Numbers {
        name: String,
        values: Vec<f64>,
    },
    Categories {
        name: String,
        codes: Vec<u32>,
        levels: Levels,
        states: Vec<u8>,
    },
}

impl ColumnBuilder {
    fn new(name: &str) -> Self {
        let name = name.to_owned();
        if role_of(&name) == Role::Weight || name == DESIGN_WEIGHT {
            return Self::Numbers {
                name,
                values: Vec::new(),
            };
        }
        Self::Categories {
            name,
            codes: Vec::new(),
            levels: Levels::default(),
            states: Vec::new(),
        }
    }

    fn push(&mut self, text: &str) {
        match self {
            Self::Numbers { values, .. } => values.push(text.parse().unwrap_or(f64::NAN)),
            Self::Categories {
                codes,
                levels,
                states,
                ..
            } => {
                states.push(u8::from(text.is_empty()));
                codes.push(if text.is_empty() {
                    0
                } else {
                    levels.insert(text)
                });
            }
        }
    }

    fn finish(self) -> Column {
        match self {
            Self::Numbers { name, values } => {
                let attribute = Attribute::new(&name, role_of(&name), Kind::Continuous);
                Column::numeric(Arc::new(attribute), values, None, NumberText::default())
            }
            Self::Categories {
                name,
                codes,
                levels,
                states,
            } => {
                let attribute = Attribute::new(&name, role_of(&name), Kind::Unordered);
                let missing = MissingCells::new(states, MissingRules::default().marks());
                Column::categorical(Arc::new(attribute), codes, Arc::new(levels), missing)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_whole_positive_and_the_same_every_time() {
        let (first, again) = (amounts(50), amounts(50));
        assert_eq!(first.columns().len(), N_AMOUNTS);
        for (a, b) in first.columns().iter().zip(again.columns()) {
            assert_eq!(a.as_numeric(), b.as_numeric());
            assert!(
                a.as_numeric()
                    .unwrap()
                    .iter()
                    .all(|x| *x >= 1.0 && x.fract() == 0.0)
            );
        }
        // Fewer rows are the first rows.
        assert_eq!(
            amounts(5).column(3).as_numeric().unwrap(),
            &first.column(3).as_numeric().unwrap()[..5]
        );
    }

    #[test]
    fn changed_amounts_stay_within_a_twentieth() {
        let (original, masked) = (amounts(50), changed_amounts(50));
        let (x, z) = (
            original.column(0).as_numeric().unwrap(),
            masked.column(0).as_numeric().unwrap(),
        );
        assert!(
            x.iter()
                .zip(z)
                .all(|(x, z)| (z / x - 1.0).abs() <= 0.05 + 1e-12)
        );
        assert_ne!(x, z);
    }

    #[test]
    fn an_independent_draw_repeats_no_record_and_a_masked_copy_all() {
        let searched = searched(40);
        let (copy, other) = (
            queries(Queries::MaskedCopy, 40),
            queries(Queries::IndependentDraw, 40),
        );
        assert_eq!(searched.columns().len(), N_NEAREST);
        assert_eq!(copy.columns().len(), N_NEAREST);
        let x = searched.column(10).as_numeric().unwrap();
        let near = |z: &[f64]| {
            let both = x.iter().zip(z);
            both.filter(|(x, z)| (*z / *x - 1.0).abs() <= 0.05 + 1e-12)
                .count()
        };
        assert_eq!(near(copy.column(10).as_numeric().unwrap()), 40);
        assert!(near(other.column(10).as_numeric().unwrap()) < 10);
    }

    #[test]
    fn census_keeps_its_moments_when_it_is_drawn_to_another_size() {
        let Ok(table) = census(20_000) else {
            println!("not run: ../shared is absent");
            return;
        };
        assert_eq!(table.columns().len(), N_AMOUNTS);
        let found = moments(table.column(0).as_numeric().unwrap());
        let agi = moments(table.column(1).as_numeric().unwrap());
        // AFNLWGT and AGI of CENSUS have the means 196,040 and 56,223.
        assert!((found.mean / 196_040.0 - 1.0).abs() < 0.05, "{found:?}");
        assert!((agi.mean / 56_223.0 - 1.0).abs() < 0.05, "{agi:?}");
    }

    #[test]
    fn the_survey_has_its_keys_weight_and_missing_incomes() {
        let table = survey(2_000);
        assert_eq!(table.with_role(Role::Key).len(), KEYS.len());
        assert!(
            table
                .weight()
                .unwrap()
                .as_numeric()
                .unwrap()
                .iter()
                .all(|weight| *weight > 0.0)
        );
        let n_missing = table.column_named("income").unwrap().n_missing();
        // 4 % of 2,000 are 80, with a standard deviation of 9.
        assert!((44..=116).contains(&n_missing), "{n_missing}");
        assert_eq!(table.column_named("age").unwrap().n_missing(), 0);
        // 2 % of 2,000 are 40, with a standard deviation of 6.
        let holes = survey_with_missing(2_000)
            .column_named("age")
            .unwrap()
            .n_missing();
        assert!((16..=64).contains(&holes), "{holes}");
    }
}
