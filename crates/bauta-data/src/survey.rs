//! The demonstration survey, made on the spot.
//!
//! A synthetic victimisation survey with the variables of Bergeat (2015), section 5: seven keys
//! after global recoding, six delinquency acts, their synthetic indicator, and two weights. Its
//! records are drawn, not observed, so it can be shown to anyone. The same number of records and
//! the same seed give the same bytes on every machine.

mod codebook;
mod draws;

use std::io::Write as _;

use rayon::prelude::*;

pub use codebook::{VariableLabel, variable_labels};
use draws::{Draws, pick};

/// Records of the survey of the paper.
pub const SURVEY_RECORDS: usize = 12_901;
/// Seed of the demonstration survey.
pub const SURVEY_SEED: u64 = 20_150_129;

/// Records made by one task; keeps the pieces near a megabyte.
const CHUNK: usize = 16_384;

// The shares and effects below are tuned so that tables made from the survey look like those of
// the paper; they are indexed by codes from 0.

const AGE: [f64; 6] = [7.0, 12.0, 17.0, 19.0, 20.0, 25.0];
/// Qualification given age.
const QUAL: [[f64; 5]; 6] = [
    [10.0, 14.0, 42.0, 18.0, 16.0],
    [9.0, 20.0, 20.0, 18.0, 33.0],
    [12.0, 26.0, 16.0, 17.0, 29.0],
    [20.0, 33.0, 14.0, 13.0, 20.0],
    [33.0, 34.0, 11.0, 9.0, 13.0],
    [54.0, 25.0, 7.0, 6.0, 8.0],
];
/// Probability of living in a couple given age.
const COUPLE: [f64; 6] = [0.16, 0.64, 0.76, 0.75, 0.76, 0.66];
/// Household size given age, for people in a couple (who never live alone).
const HSIZE_COUPLE: [[f64; 4]; 6] = [
    [0.0, 62.0, 32.0, 6.0],
    [0.0, 33.0, 57.0, 10.0],
    [0.0, 13.0, 68.0, 19.0],
    [0.0, 30.0, 57.0, 13.0],
    [0.0, 70.0, 26.0, 4.0],
    [0.0, 90.0, 8.0, 2.0],
];
/// Household size given age, for all others.
const HSIZE_SINGLE: [[f64; 4]; 6] = [
    [30.0, 17.0, 38.0, 15.0],
    [52.0, 17.0, 24.0, 7.0],
    [45.0, 25.0, 25.0, 5.0],
    [48.0, 27.0, 21.0, 4.0],
    [66.0, 22.0, 10.0, 2.0],
    [83.0, 12.0, 4.0, 1.0],
];
const URBAN_UNIT: [f64; 4] = [24.0, 13.0, 18.0, 45.0];
/// Income given qualification.
const INCOME: [[f64; 5]; 5] = [
    [42.0, 30.0, 17.0, 8.0, 3.0],
    [20.0, 30.0, 27.0, 17.0, 6.0],
    [18.0, 24.0, 27.0, 20.0, 11.0],
    [8.0, 17.0, 28.0, 29.0, 18.0],
    [4.0, 7.0, 15.0, 28.0, 46.0],
];
/// Factors on the income shares of people who do not live in a couple.
const INCOME_SINGLE: [f64; 5] = [2.2, 1.25, 0.9, 0.5, 0.25];
/// Factors on the income shares of households of five and more.
const INCOME_LARGE: [f64; 5] = [1.4, 1.0, 1.0, 1.0, 0.9];

/// Number of delinquency acts.
const N_ACTS: usize = 6;
/// Intercept of the log odds of each act.
const ACT_BASE: [f64; N_ACTS] = [-4.25, -4.35, -5.9, -3.95, -5.5, -4.45];
const ACT_AGE: [[f64; 6]; N_ACTS] = [
    [0.1, 0.1, 0.1, 0.1, 0.05, 0.0],
    [0.2, 0.5, 0.5, 0.4, 0.1, -0.6],
    [1.3, 0.5, 0.2, 0.1, -0.2, -0.4],
    [1.2, 0.7, 0.3, 0.1, -0.2, -0.7],
    [1.5, 0.8, 0.4, 0.1, -0.5, -1.1],
    [1.0, 0.8, 0.5, 0.3, -0.1, -0.9],
];
const ACT_URBAN_UNIT: [[f64; 4]; N_ACTS] = [
    [-0.2, -0.1, 0.0, 0.25],
    [-0.4, -0.1, 0.1, 0.4],
    [-0.8, -0.3, 0.1, 0.7],
    [-0.2, -0.1, 0.05, 0.25],
    [-0.3, 0.0, 0.1, 0.2],
    [-0.3, -0.1, 0.1, 0.25],
];
const ACT_HSIZE: [[f64; 4]; N_ACTS] = [
    [0.0, 0.1, 0.15, 0.25],
    [-0.3, 0.1, 0.3, 0.5],
    [0.0, 0.0, 0.05, 0.1],
    [0.0, 0.0, 0.1, 0.2],
    [0.05, 0.0, 0.1, 0.2],
    [0.05, 0.0, 0.1, 0.25],
];
const ACT_QUAL: [f64; 5] = [0.0, 0.05, 0.1, 0.2, 0.25];
/// Effect of an unobserved frailty that makes acts come together.
const ACT_FRAIL: [f64; N_ACTS] = [1.5, 1.6, 2.6, 1.6, 3.3, 3.0];

const WEIGHT_URBAN_UNIT: [f64; 4] = [1.25, 1.05, 0.95, 0.85];
const WEIGHT_AGE: [f64; 6] = [1.5, 1.25, 1.05, 0.95, 0.85, 0.95];
const WEIGHT_QUAL: [f64; 5] = [1.12, 1.03, 0.97, 0.90, 1.08];
const WEIGHT_HSIZE: [f64; 4] = [1.06, 0.97, 1.0, 1.04];

/// The survey as a CSV file: header, `n_records` records, lines ending in CR LF.
pub fn survey_csv(n_records: usize, seed: u64) -> Vec<u8> {
    let names: Vec<&str> = variable_labels().iter().map(|label| label.name).collect();
    let mut csv = names.join(",").into_bytes();
    csv.extend_from_slice(b"\r\n");
    let chunks: Vec<Vec<u8>> = (0..n_records.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let mut text = Vec::with_capacity(CHUNK * 64);
            for record in chunk * CHUNK..n_records.min((chunk + 1) * CHUNK) {
                Respondent::draw(&Draws::of_record(seed, record)).write(record, &mut text);
            }
            text
        })
        .collect();
    csv.reserve(chunks.iter().map(Vec::len).sum());
    for chunk in chunks {
        csv.extend_from_slice(&chunk);
    }
    csv
}

/// One record; categories are codes from 0.
struct Respondent {
    gender: usize,
    income: Option<usize>,
    age: usize,
    urban_unit: usize,
    qual: usize,
    couple: usize,
    hsize: usize,
    acts: [bool; N_ACTS],
    d_init: f64,
    d_fin: f64,
}

impl Respondent {
    fn draw(draws: &Draws) -> Self {
        let u = draws.uniforms();
        let gender = usize::from(u[0] >= 0.53);
        let age = pick(u[1], &AGE);
        let qual = pick(u[2], &QUAL[age]);
        let couple = usize::from(u[3] >= COUPLE[age]);
        let sizes = if couple == 0 {
            &HSIZE_COUPLE
        } else {
            &HSIZE_SINGLE
        };
        let hsize = pick(u[4], &sizes[age]);
        let urban_unit = pick(u[5], &URBAN_UNIT);
        let income = pick(u[6], &income_shares(qual, couple, hsize));
        let mut respondent = Self {
            gender,
            income: (u[7] >= 0.04).then_some(income),
            age,
            urban_unit,
            qual,
            couple,
            hsize,
            acts: [false; N_ACTS],
            d_init: 0.0,
            d_fin: 0.0,
        };
        let frail = if u[8] < 0.12 { 1.0 } else { 0.0 };
        for act in 0..N_ACTS {
            let eta = respondent.act_log_odds(act, frail);
            respondent.acts[act] = u[9 + act] < 1.0 / (1.0 + libm::exp(-eta));
        }
        respondent.set_weights(&u[15..27], &u[27..33]);
        respondent
    }

    fn act_log_odds(&self, act: usize, frail: f64) -> f64 {
        let by_gender = if self.gender == 0 && act == 2 {
            0.25
        } else {
            0.0
        };
        let by_couple = if self.couple == 1 && act >= 4 {
            0.25
        } else {
            0.0
        };
        ACT_BASE[act]
            + ACT_AGE[act][self.age]
            + ACT_URBAN_UNIT[act][self.urban_unit]
            + ACT_HSIZE[act][self.hsize]
            + ACT_QUAL[self.qual]
            + ACT_FRAIL[act] * frail
            + by_gender
            + by_couple
    }

    /// Log-normal weights. Sums of uniforms stand for normal deviates: twelve have variance 1, six
    /// have variance 1/2.
    fn set_weights(&mut self, twelve: &[f64], six: &[f64]) {
        let z1 = sum(twelve) - 6.0;
        let z2 = (sum(six) - 3.0) * std::f64::consts::SQRT_2;
        self.d_init = four_decimals(
            3600.0
                * WEIGHT_URBAN_UNIT[self.urban_unit]
                * WEIGHT_AGE[self.age]
                * libm::exp(0.28 * z1),
        );
        self.d_fin = four_decimals(
            self.d_init * WEIGHT_QUAL[self.qual] * WEIGHT_HSIZE[self.hsize] * libm::exp(0.18 * z2),
        );
    }

    fn write(&self, record: usize, out: &mut Vec<u8>) {
        let income = self
            .income
            .map_or(String::new(), |code| (code + 1).to_string());
        let n_acts = self.acts.iter().filter(|&&act| act).count();
        let acts = self.acts.map(|act| if act { "1" } else { "0" }).join(",");
        // Writing to a vector cannot fail. `{:?}` is the shortest text that reads back, and keeps
        // the `.0` of whole numbers.
        let _ = write!(
            out,
            "{},{},{income},{},{},{},{},{},{acts},{},{:?},{:?}\r\n",
            record + 1,
            self.gender + 1,
            self.age + 1,
            self.urban_unit + 1,
            self.qual + 1,
            self.couple + 1,
            self.hsize + 1,
            n_acts.min(2),
            self.d_init,
            self.d_fin,
        );
    }
}

fn income_shares(qual: usize, couple: usize, hsize: usize) -> [f64; 5] {
    let mut shares = INCOME[qual];
    if couple == 1 {
        scale(&mut shares, &INCOME_SINGLE);
    }
    if hsize == 3 {
        scale(&mut shares, &INCOME_LARGE);
    }
    shares
}

fn scale(shares: &mut [f64; 5], factors: &[f64; 5]) {
    for (share, factor) in shares.iter_mut().zip(factors) {
        *share *= factor;
    }
}

/// Left to right: another order gives other last digits, and so other bytes.
fn sum(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |total, value| total + value)
}

/// The nearest decimal number with four decimals, correctly rounded.
fn four_decimals(value: f64) -> f64 {
    format!("{value:.4}")
        .parse()
        .expect("a formatted number is a number")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::Fingerprint;

    /// `sha256sum` of the reference file that the Python generator wrote.
    const REFERENCE_SHA256: &str =
        "0b911f78b1e27a2b3ad0effe2e613cc1aad600b885c9bbceb394dd529c55f98a";

    #[test]
    fn the_survey_is_the_reference_file_byte_for_byte() {
        let csv = survey_csv(SURVEY_RECORDS, SURVEY_SEED);
        assert_eq!(Fingerprint::of(&csv[..]).unwrap().sha256, REFERENCE_SHA256);
    }

    #[test]
    fn one_thread_makes_the_same_bytes() {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .unwrap();
        let n_records = CHUNK + 7;
        assert_eq!(
            pool.install(|| survey_csv(n_records, 3)),
            survey_csv(n_records, 3)
        );
    }

    #[test]
    fn fewer_records_are_the_first_records() {
        let five = survey_csv(5, SURVEY_SEED);
        assert!(survey_csv(6, SURVEY_SEED).starts_with(&five));
        assert_eq!(survey_csv(0, 1), survey_csv(0, 2), "a header only");
    }

    #[test]
    fn whole_weights_keep_a_decimal() {
        // 5000.00004 rounds to 5000.0000, which Python writes as 5000.0.
        assert_eq!(format!("{:?}", four_decimals(5_000.000_04)), "5000.0");
        // 2.03125 is exact in binary: a tie, which goes to the even digit.
        assert!((four_decimals(2.03125) - 2.0312).abs() < 1e-12);
    }
}
