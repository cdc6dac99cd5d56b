//! A generated file of tax returns with the sixteen fields of the paper's, which is confidential.

use std::sync::Arc;

use bauta_data::column::NumberText;
use bauta_data::{Attribute, Codes, Column, Kind, Levels, Role, Table, Watch};
use bauta_methods::RunContext;
use bauta_methods::context::unit_interval;
use bauta_methods::kernel::numbers::normal::quantile;

/// How the file is made, for the text.
pub(super) const ABOUT: &str = "\
- return type: filing status, 1 single, 2 joint, 3 separate, 4 head of household, 5 widowed; S4 of Table 8 is \
taken for status 4, which had about a tenth of the returns of that time as S4 has;\n\
- a normal number for wealth, which moves wages, interest, dividends, rents and gains together;\n\
- wages of nine in ten who are not aged, log-normal; interest of about six in ten, dividends of two in ten, \
nontaxable interest of one in twenty-five, log-normal with long tails; rents of one in ten, four in ten of \
them losses; social security mostly of the aged; all others are 0;\n\
- total income: wages, taxable interest, dividends and rents, and gains (Schedule D), business (Schedule C, \
13.2 % of the returns), farm (Schedule F) and pensions, which are no fields of their own; adjusted gross \
income: total income less adjustments of one return in eight;\n\
- one return in 2,966, twenty in a file of 59,315, is a joint one with one to five of the categories far above \
the mass;\n\
- exemptions by return type; total exemptions are those of the filers, of children and of others.\n\n\
Incomes are whole dollars. The draws are Bauta's own, keyed by the seed; a smaller file is the beginning of a \
larger one. Shares and spreads were set by hand, the share of zeros and the size of the extremes with the printed IL1 \
of Table 5 and IL1s of Table 8 in view, and were not fitted to any other figure: what is said of IL1 below is no \
independent check.\n";

/// Records of the paper's file.
pub(crate) const PAPER_RECORDS: usize = 59_315;
/// The fields, as numbered in the paper.
pub(super) const FIELDS: [&str; 16] = [
    "total_income",
    "adjusted_gross_income",
    "wages",
    "taxable_interest",
    "dividends",
    "rental_income",
    "nontaxable_interest",
    "social_security",
    "return_type",
    "child_exemptions",
    "total_exemptions",
    "aged_exemption",
    "schedule_d",
    "schedule_e",
    "schedule_c",
    "schedule_f",
];
/// How many fields are incomes: the first ones.
pub(super) const N_INCOMES: usize = 8;
/// The eleven variables of Table 4.
pub(super) const ELEVEN: [usize; 11] = [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11];
/// One return in so many has extreme incomes: twenty in the paper's file.
const EXTREME_EVERY: usize = 2_966;

const N_TYPES: usize = 5;
/// Shares of the return types; the fourth has 5,885 of 59,315.
const TYPES: [f64; N_TYPES] = [0.434, 0.443, 0.019_5, 0.099_22, 0.004_28];
/// Share with a Schedule C: 7,819 of 59,315.
const SCHEDULE_C: f64 = 0.131_82;
/// Share with a filer of 65 years or more, by return type, as are all that follow.
const AGED: [f64; N_TYPES] = [0.12, 0.17, 0.05, 0.03, 0.10];
const LOG_WAGES: [(f64, f64); N_TYPES] = [
    (9.65, 0.85),
    (10.40, 0.70),
    (9.85, 0.75),
    (9.70, 0.65),
    (9.85, 0.75),
];
const INTEREST: [f64; N_TYPES] = [0.52, 0.74, 0.50, 0.38, 0.60];
const DIVIDENDS: [f64; N_TYPES] = [0.13, 0.23, 0.10, 0.06, 0.20];
const NONTAXABLE: [f64; N_TYPES] = [0.020, 0.045, 0.020, 0.030, 0.030];
const RENTS: [f64; N_TYPES] = [0.05, 0.13, 0.06, 0.04, 0.10];
const GAINS: [f64; N_TYPES] = [0.08, 0.15, 0.06, 0.03, 0.10];
const FARM: [f64; N_TYPES] = [0.007, 0.036, 0.010, 0.004, 0.020];
/// Shares with 0, 1, … children.
const CHILDREN: [[f64; 6]; N_TYPES] = [
    [0.94, 0.04, 0.015, 0.005, 0.0, 0.0],
    [0.48, 0.19, 0.21, 0.08, 0.03, 0.01],
    [0.62, 0.20, 0.12, 0.05, 0.01, 0.0],
    [0.08, 0.49, 0.28, 0.11, 0.03, 0.01],
    [0.0, 0.60, 0.28, 0.09, 0.03, 0.0],
];

/// So many returns.
pub(super) fn returns(n: usize, seed: u64, watch: &dyn Watch) -> Table {
    let context = RunContext::new(seed, "income file", watch);
    let draws = context.draws("returns");
    let records = draws.per_position(n, |position, draws: [u64; SLOTS]| {
        let mut chance = Chance(draws.into_iter());
        if position % EXTREME_EVERY == EXTREME_EVERY / 2 {
            Return::extreme(position / EXTREME_EVERY, &mut chance)
        } else {
            let status = chance.pick(&TYPES);
            Return::drawn(status, &mut chance)
        }
    });
    let number = |field: usize, value: &dyn Fn(&Return) -> f64| {
        let attribute = Attribute::new(FIELDS[field], Role::Sensitive, Kind::Continuous);
        let values = records.iter().map(value).collect();
        Column::numeric(Arc::new(attribute), values, None, NumberText::default())
    };
    let category = |field: usize, levels: &[&str], code: &dyn Fn(&Return) -> usize| {
        let attribute = Attribute::new(FIELDS[field], Role::Other, Kind::Unordered);
        let codes: Codes = records.iter().map(|record| code(record) as u32).collect();
        let levels = Levels::from_texts(levels.iter().copied());
        Column::categorical(Arc::new(attribute), codes, Arc::new(levels), None)
    };
    let mut columns: Vec<Column> = (0..N_INCOMES)
        .map(|field| number(field, &|record| record.incomes()[field]))
        .collect();
    let types = ["1", "2", "3", "4", "5"];
    columns.push(category(8, &types, &|record| record.status));
    columns.push(number(9, &|record| record.children as f64));
    columns.push(number(10, &|record| record.exemptions as f64));
    columns.push(number(11, &|record| f64::from(u8::from(record.is_aged))));
    for schedule in 0..4 {
        let flag = |record: &Return| usize::from(record.schedules[schedule]);
        columns.push(category(12 + schedule, &["0", "1"], &flag));
    }
    Table::new(columns, n)
}

/// Returns with extreme incomes in a file of so many; at least one is looked at.
pub(super) fn n_extreme(n: usize) -> usize {
    ((n + EXTREME_EVERY / 2) / EXTREME_EVERY).max(1)
}

/// One return; amounts in dollars.
#[derive(Clone, Default)]
struct Return {
    /// The return type, from 0.
    status: usize,
    is_aged: bool,
    wages: f64,
    interest: f64,
    dividends: f64,
    rents: f64,
    nontaxable: f64,
    social_security: f64,
    /// Gains, business, farm and pensions.
    others: f64,
    adjustments: f64,
    children: usize,
    exemptions: usize,
    /// D, E, C and F.
    schedules: [bool; 4],
}

impl Return {
    fn drawn(status: usize, chance: &mut Chance) -> Self {
        let t = status;
        let is_aged = chance.happens(AGED[t]);
        let if_aged = |aged: f64, other: f64| if is_aged { aged } else { other };
        let w = chance.normal();
        let (mu, sigma) = LOG_WAGES[t];
        let mu = mu - if_aged(1.0, 0.0);
        let mut record = Self {
            status,
            is_aged,
            wages: chance.amount(if_aged(0.28, 0.93), mu + 0.45 * sigma * w, 0.89 * sigma),
            interest: chance.held(
                if_aged(0.88, INTEREST[t]),
                w,
                5.3 + 1.2 * w + if_aged(1.5, 0.0),
                1.2,
            ),
            dividends: chance.held(
                if_aged(0.36, DIVIDENDS[t]),
                w,
                5.8 + 1.2 * w + if_aged(0.6, 0.0),
                1.2,
            ),
            rents: 0.0,
            nontaxable: chance.held(if_aged(0.10, NONTAXABLE[t]), w, 7.0 + 0.9 * w, 1.1),
            social_security: 0.0,
            others: 0.0,
            adjustments: 0.0,
            children: chance.pick(&CHILDREN[t]),
            exemptions: 0,
            schedules: [false; 4],
        };
        record.set_benefits(chance);
        record.set_schedules(w, chance);
        record.set_adjustments(chance);
        let n_filers = if t == 1 { 2 } else { 1 };
        let n_others = usize::from(chance.happens(0.05));
        record.exemptions = record.children + n_filers + n_others;
        record
    }

    /// A joint return that stands out in the category of its number, and in others by chance.
    fn extreme(number: usize, chance: &mut Chance) -> Self {
        let mut record = Self::drawn(1, chance);
        let size = chance.normal();
        let categories = [
            (&mut record.wages, 14.3),
            (&mut record.interest, 13.6),
            (&mut record.dividends, 13.9),
            (&mut record.rents, 13.0),
            (&mut record.nontaxable, 13.2),
        ];
        let n_categories = categories.len();
        for (category, (income, log_median)) in categories.into_iter().enumerate() {
            let stands_out = chance.happens(0.4) || number % n_categories == category;
            let amount = chance.amount(1.0, log_median + 0.5 * size, 0.4);
            if stands_out {
                *income = amount;
            }
        }
        record.schedules[1] = record.rents != 0.0;
        record
    }

    fn set_benefits(&mut self, chance: &mut Chance) {
        let couples = if self.status == 1 { 1.35 } else { 1.0 };
        let has_benefits = chance.happens(if self.is_aged { 0.85 } else { 0.025 });
        let benefits = couples * (7_400.0 + 2_600.0 * chance.normal()).max(500.0);
        if has_benefits {
            self.social_security = benefits.round();
        }
        let pension = chance.amount(0.55, 8.7, 0.85);
        if self.is_aged {
            self.others += pension;
        }
    }

    fn set_schedules(&mut self, w: f64, chance: &mut Chance) {
        let t = self.status;
        let gains = chance.gain_or_loss(GAINS[t], 0.25, (7.2 + 0.8 * w, 1.2), (6.9, 0.7));
        self.rents = chance.gain_or_loss(RENTS[t], 0.42, (7.9 + 0.6 * w, 1.0), (7.4, 0.9));
        let business = chance.gain_or_loss(SCHEDULE_C, 0.28, (8.4 + 0.5 * w, 1.1), (7.6, 0.9));
        let farm = chance.gain_or_loss(FARM[t], 0.55, (8.4, 0.9), (8.3, 0.9));
        // The law takes no more than 3,000 of a capital loss at once.
        self.others += gains.max(-3_000.0) + business + farm;
        self.schedules = [gains, self.rents, business, farm].map(|amount| amount != 0.0);
        self.schedules[1] |= chance.happens(0.04);
    }

    fn set_adjustments(&mut self, chance: &mut Chance) {
        let most = (0.3 * self.total()).max(0.0).floor();
        self.adjustments = chance.amount(0.13, 6.9, 0.6).min(most);
    }

    fn total(&self) -> f64 {
        self.wages + self.interest + self.dividends + self.rents + self.others
    }

    /// The incomes, in the order of the fields.
    fn incomes(&self) -> [f64; N_INCOMES] {
        [
            self.total(),
            self.total() - self.adjustments,
            self.wages,
            self.interest,
            self.dividends,
            self.rents,
            self.nontaxable,
            self.social_security,
        ]
    }
}

/// Draws of one return; those of an extreme one are the most.
const SLOTS: usize = 56;

/// The draws of one return, in order.
struct Chance(std::array::IntoIter<u64, SLOTS>);

impl Chance {
    fn uniform(&mut self) -> f64 {
        unit_interval(self.0.next().expect("draws for every question"))
    }

    fn normal(&mut self) -> f64 {
        quantile(self.uniform())
    }

    fn happens(&mut self, share: f64) -> bool {
        self.uniform() < share
    }

    fn pick(&mut self, shares: &[f64]) -> usize {
        let u = self.uniform();
        let mut below = 0.0;
        let position = shares.iter().position(|share| {
            below += share;
            u < below
        });
        position.unwrap_or(0)
    }

    /// Whole dollars of a share of the returns, log-normal and at least 1; 0 of the others.
    fn amount(&mut self, share: f64, mu: f64, sigma: f64) -> f64 {
        let has_some = self.happens(share);
        self.dollars(has_some, mu, sigma)
    }

    /// The same, of the wealthy rather than of others.
    fn held(&mut self, share: f64, wealth: f64, mu: f64, sigma: f64) -> f64 {
        let has_some = 0.6 * wealth + 0.8 * self.normal() > -quantile(share);
        self.dollars(has_some, mu, sigma)
    }

    /// Gains of some, losses of others, 0 of the rest.
    fn gain_or_loss(&mut self, share: f64, losses: f64, gain: (f64, f64), loss: (f64, f64)) -> f64 {
        let has_some = self.happens(share);
        let is_loss = self.happens(losses);
        let (mu, sigma) = if is_loss { loss } else { gain };
        // Not minus 0 where there is nothing.
        let sign = if is_loss && has_some { -1.0 } else { 1.0 };
        sign * self.dollars(has_some, mu, sigma)
    }

    fn dollars(&mut self, has_some: bool, mu: f64, sigma: f64) -> f64 {
        let amount = libm::exp(mu + sigma * self.normal()).round().max(1.0);
        if has_some { amount } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bauta_data::Unwatched;
    use bauta_methods::kernel::numbers::moments::moments;

    fn values<'t>(table: &'t Table, field: &str) -> &'t [f64] {
        let column = table.column_named(field).expect("a field");
        column.as_numeric().expect("numbers")
    }

    fn codes<'t>(table: &'t Table, field: &str) -> &'t Codes {
        let column = table.column_named(field).expect("a field");
        &column.as_categorical().expect("categories").codes
    }

    fn share(values: &[f64], wanted: impl Fn(f64) -> bool) -> f64 {
        values.iter().filter(|&&value| wanted(value)).count() as f64 / values.len() as f64
    }

    #[test]
    fn the_file_has_the_papers_size_fields_and_subpopulations() {
        let file = returns(PAPER_RECORDS, 1, &Unwatched);
        assert_eq!(file.n_records(), 59_315);
        assert_eq!(file.names().collect::<Vec<_>>(), FIELDS);
        let count = |field: &str, code: u32| {
            let codes = codes(&file, field).iter();
            codes.filter(|&other| other == code).count() as f64
        };
        // Binomial: √(59,315 · 0.0992 · 0.9008) = 73 and √(59,315 · 0.1318 · 0.8682) = 82; four of each.
        let heads = count("return_type", 3);
        assert!((heads - 5_885.0).abs() < 292.0, "{heads}");
        let businesses = count("schedule_c", 1);
        assert!((businesses - 7_819.0).abs() < 328.0, "{businesses}");
    }

    #[test]
    fn zeros_are_many_and_tails_are_long() {
        let file = returns(PAPER_RECORDS, 1, &Unwatched);
        let zeros = |field: &str| share(values(&file, field), |value| value == 0.0);
        assert!((0.03..0.30).contains(&zeros("wages")));
        assert!((0.25..0.50).contains(&zeros("taxable_interest")));
        for field in [
            "dividends",
            "rental_income",
            "nontaxable_interest",
            "social_security",
        ] {
            assert!((0.70..0.99).contains(&zeros(field)), "{field}");
        }
        let losses = share(values(&file, "rental_income"), |value| value < 0.0);
        assert!((0.01..0.10).contains(&losses), "{losses}");
        for field in &FIELDS[..6] {
            let values = values(&file, field);
            let moments = moments(values);
            let most = values.iter().copied().fold(0.0, f64::max);
            assert!(most > moments.mean + 20.0 * moments.sd, "{field}: {most}");
            assert!(moments.mean > 0.0, "{field}");
        }
        let n_extreme = (0..PAPER_RECORDS).filter(|&record| {
            let stands_out = |field: &str, from: f64| values(&file, field)[record] > from;
            stands_out("wages", 1e6)
                || stands_out("taxable_interest", 3e5)
                || stands_out("dividends", 4e5)
                || stands_out("rental_income", 2e5)
                || stands_out("nontaxable_interest", 2e5)
        });
        let n_extreme = n_extreme.count();
        assert!((15..=30).contains(&n_extreme), "{n_extreme}");
    }

    #[test]
    fn incomes_are_whole_and_add_up() {
        let file = returns(5_000, 2, &Unwatched);
        let field = |field: usize| values(&file, FIELDS[field]);
        let schedule = |letter: &str| codes(&file, &format!("schedule_{letter}"));
        let mut n_plain = 0;
        for i in 0..file.n_records() {
            let incomes: Vec<f64> = (0..N_INCOMES).map(|j| field(j)[i]).collect();
            assert!(incomes.iter().all(|income| income.fract() == 0.0));
            assert!(incomes[1] <= incomes[0], "adjustments are deducted");
            assert!(field(10)[i] > field(9)[i], "a filer is an exemption");
            assert!(incomes[5] == 0.0 || schedule("e").at(i) == 1);
            let others = ["d", "c", "f"].map(|letter| schedule(letter).at(i));
            if others == [0; 3] && field(11)[i] == 0.0 {
                // No gains, no business, no farm, no pension.
                n_plain += 1;
                let parts: f64 = incomes[2..6].iter().sum();
                assert_eq!(incomes[0].to_bits(), parts.to_bits());
            }
        }
        assert!(n_plain > 2_500, "{n_plain}");
    }

    #[test]
    fn the_same_seed_gives_the_same_values_on_one_thread_too() {
        let bits = |seed: u64| -> Vec<u64> {
            let file = returns(6_000, seed, &Unwatched);
            let incomes = FIELDS[..N_INCOMES].iter();
            incomes
                .flat_map(|field| values(&file, field).iter().map(|value| value.to_bits()))
                .collect()
        };
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .expect("a thread");
        let first = bits(1);
        assert_eq!(first, pool.install(|| bits(1)));
        assert_ne!(first, bits(2));
    }

    #[test]
    fn a_smaller_file_is_the_beginning_of_a_larger_one() {
        let (small, large) = (returns(2_000, 1, &Unwatched), returns(6_000, 1, &Unwatched));
        for field in &FIELDS[..N_INCOMES] {
            assert_eq!(values(&small, field), &values(&large, field)[..2_000]);
        }
        assert_eq!(
            codes(&small, "return_type").to_vec(),
            codes(&large, "return_type").to_vec()[..2_000]
        );
        // Places 1,483, 4,449, …: 59,315 = 20 · 2,966 - 5.
        assert_eq!([2_000, 6_000, PAPER_RECORDS].map(n_extreme), [1, 2, 20]);
    }
}
