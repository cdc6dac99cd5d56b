#![doc = include_str!("rates.md")]

mod rate_table;
mod two_codings;

use bauta_data::{Kind, Role};

use crate::card::{
    Card, ConstValue, Family, ParamDefault, ParamSpec, ParamType, Randomness, Targets,
};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::kernel::numbers::moments::{finite_moments, too_large};
use crate::kernel::numbers::sums::compensated;
use crate::keys::check_weights;
use crate::loss::rates::rate_table::{RateTable, occurring};
use crate::loss::rates::two_codings::{Margin, TwoCodings, Weights};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Series};
use crate::note::KnownNote;
use crate::pair::Pair;
use crate::pair::records::zero_sd;
use crate::pair::variables::TwoColumns;
use crate::params::{ParamProblem, Params};

/// Weighted tables and rates of both files. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Rates;

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "rates",
        title: "Weighted rates",
        summary: "weighted tables, rates and means by the categories of variables, original against masked",
        family: Family::Loss,
        page: include_str!("rates.md"),
        params: &[
            ParamSpec {
                name: "of",
                meaning: "outcomes whose weighted rates (or means, if they are continuous) are compared by category",
                ty: ParamType::Variables,
                default: ParamDefault::Unset("the shares of each variable's own categories"),
            },
            ParamSpec {
                name: "missing",
                meaning: "what to do with missing values of an outcome",
                ty: ParamType::Choice(&[
                    ("skip", "leave those records out of the rates"),
                    ("category", "count them as a category of the outcome"),
                ]),
                default: ParamDefault::Value(ConstValue::Text("skip")),
            },
        ],
        targets: Targets {
            kinds: &[Kind::Ordered, Kind::Hierarchical, Kind::Unordered],
            default_roles: &[Role::Key, Role::Sensitive],
            refused_roles: &[],
        },
        randomness: Randomness::None,
        references: &["bergeat2015"],
    },
    value: FigureSpec::value("largest difference", Unit::Number).lower_is_better(),
    usual: false,
    looks_at_untouched: true,
    ..MeasureCard::LOSS
};

/// A difference must rest on so many records of each file, or it could show what became of one.
const MIN_RECORDS: f64 = 10.0;
/// A larger table is nobody's to read.
const MAX_CELLS: usize = 1_000_000;
const FILES: [&str; 2] = ["original", "masked"];

impl MeasureMethod for Rates {
    type Settings = Params;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn measure(
        &self,
        _settings: &Params,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let pair = task.both()?;
        let mut work = Work::new(pair, task.params.choice("missing") == "category")?;
        let of = task.params.texts("of");
        if of.is_empty() {
            for (done, name) in task.on.iter().enumerate() {
                context.progress(done, task.on.len())?;
                let variable = TwoCodings::of(pair, name)?;
                work.distribution(&variable, context);
            }
            return Ok(work.finish());
        }
        let by = task.on.iter().map(|name| TwoCodings::of(pair, name));
        let by: Vec<TwoCodings<'_>> = by.collect::<Result<_, _>>()?;
        for (done, name) in of.iter().enumerate() {
            context.progress(done, of.len())?;
            work.outcome(pair, name, &by, context)?;
        }
        for variable in by
            .iter()
            .filter(|variable| !of.iter().any(|name| name == variable.name))
        {
            work.margins(variable);
        }
        Ok(work.finish())
    }
}

/// What has been found so far.
struct Work<'a> {
    weights: [Weights<'a>; 2],
    counts_missing: bool,
    /// Absolute differences and the original's share of the row that each belongs to.
    differences: Vec<(f64, f64)>,
    n_too_small: usize,
    n_gone: usize,
    n_new: usize,
    by_variable: Vec<Part>,
    rates: Vec<Series>,
    tables: Vec<Series>,
}

impl<'a> Work<'a> {
    fn new(pair: Pair<'a>, counts_missing: bool) -> Result<Self, MethodError> {
        check_weights(pair.original)?;
        check_weights(pair.masked)?;
        Ok(Self {
            weights: [Weights::of(pair.original), Weights::of(pair.masked)],
            counts_missing,
            differences: Vec::new(),
            n_too_small: 0,
            n_gone: 0,
            n_new: 0,
            by_variable: Vec::new(),
            rates: Vec::new(),
            tables: Vec::new(),
        })
    }

    /// The weighted table of a variable: sums of weights and numbers of records by category.
    fn margins(&mut self, variable: &TwoCodings<'_>) -> [Margin; 2] {
        let margins = variable.margins(self.weights);
        let (original, masked) = (&margins[0].records, &margins[1].records);
        let lacking = |here: &[f64], there: &[f64]| {
            let both = here.iter().zip(there).take(variable.n_categories());
            both.filter(|&(&here, &there)| here > 0.0 && there == 0.0)
                .count()
        };
        self.n_gone += lacking(original, masked);
        self.n_new += lacking(masked, original);
        let shown = occurring(original, masked);
        for (what, unit) in [("weighted total", "weight"), ("records", "records")] {
            for (file, margin) in FILES.iter().zip(&margins) {
                let figures = match unit {
                    "weight" => &margin.weight,
                    _ => &margin.records,
                };
                let name = format!("{what} by {}: {file}", variable.name);
                let figure = |place: usize| Some(figures[place]);
                self.tables
                    .push(variable.series(name, unit, &shown, figure));
            }
        }
        margins
    }

    /// The shares of a variable's own categories.
    fn distribution(&mut self, variable: &TwoCodings<'_>, context: &RunContext<'_>) {
        self.note_missing(variable.name, variable.n_missing(), context);
        let margins = self.margins(variable);
        let mut places = occurring(&margins[0].records, &margins[1].records);
        places.retain(|&place| self.counts_missing || place < variable.n_categories());
        let table = RateTable::distribution(&margins, &places);
        let name = format!("share by {}", variable.name);
        let labels = places.iter().map(|&place| variable.labels[place].as_str());
        let labels: Vec<&str> = labels.collect();
        self.push_rates(&name, "share", &labels, &|file, position| {
            table.rates[file][0][position]
        });
        // Differences of shares are finite.
        let _ = self.compare(variable.name, &table, 1, 1.0);
    }

    fn note_missing(&self, name: &str, n_cells: usize, context: &RunContext<'_>) {
        if n_cells > 0 && !self.counts_missing {
            context.note(KnownNote::MissingSkipped {
                variable: name.to_owned(),
                n_cells,
            });
        }
    }

    /// All rates of one outcome.
    fn outcome(
        &mut self,
        pair: Pair<'a>,
        name: &'a str,
        by: &[TwoCodings<'a>],
        context: &RunContext<'_>,
    ) -> Result<(), MethodError> {
        let columns = TwoColumns::of(pair, name)?;
        let by = by.iter().filter(|variable| variable.name != name);
        if columns.original.as_numeric().is_some() {
            return self.means(&columns, by, context);
        }
        let outcome = TwoCodings::of(pair, name)?;
        self.distribution(&outcome, context);
        for variable in by {
            context.go_on()?;
            self.cross(&outcome, variable)?;
        }
        Ok(())
    }

    /// The shares of an outcome's categories among the records of each category of a variable.
    fn cross(
        &mut self,
        outcome: &TwoCodings<'_>,
        variable: &TwoCodings<'_>,
    ) -> Result<(), MethodError> {
        let n_columns = outcome.n_categories() + usize::from(self.counts_missing);
        if variable.labels.len().saturating_mul(n_columns) > MAX_CELLS {
            return Err(MethodError::request(
                format!(
                    "the table of `{}` by `{}` has more than {MAX_CELLS} cells",
                    outcome.name, variable.name
                ),
                "recode one of them, or leave it out",
            ));
        }
        let table = RateTable::shares(outcome, variable, self.weights, n_columns);
        for column in table.columns() {
            let category = &outcome.labels[column];
            let name = format!("{} = {category} by {}", outcome.name, variable.name);
            self.push_column(&name, "share", variable, &table, column);
        }
        // Differences of shares are finite.
        let _ = self.compare(variable.name, &table, variable.n_categories(), 1.0);
        Ok(())
    }

    /// The means of a continuous outcome, over all records and by category.
    fn means<'v>(
        &mut self,
        outcome: &TwoColumns<'_>,
        by: impl Iterator<Item = &'v TwoCodings<'v>>,
        context: &RunContext<'_>,
    ) -> Result<(), MethodError> {
        let (x, z) = outcome.numbers()?;
        let name = outcome.name;
        let n_missing = outcome.original.n_missing() + outcome.masked.n_missing();
        if n_missing > 0 {
            context.note(KnownNote::MissingSkipped {
                variable: name.to_owned(),
                n_cells: n_missing,
            });
        }
        let sd = finite_moments(name, x)?.sd;
        let all = RateTable::means([x, z], None, self.weights);
        self.push_rates(
            &format!("mean {name}"),
            name,
            &["all records"],
            &|file, _| all.rates[file][0][0],
        );
        let mut finite = self.compare(name, &all, 1, sd);
        for variable in by {
            context.go_on()?;
            let table = RateTable::means([x, z], Some(variable), self.weights);
            let title = format!("mean {name} by {}", variable.name);
            self.push_column(&title, name, variable, &table, 0);
            finite &= self.compare(variable.name, &table, variable.n_categories(), sd);
        }
        match finite {
            true => Ok(()),
            false if sd == 0.0 => Err(zero_sd(name)),
            false => Err(too_large(name)),
        }
    }

    /// One column of a table: rates by the categories of a variable, and of its missing cells.
    fn push_column(
        &mut self,
        name: &str,
        unit: &str,
        variable: &TwoCodings<'_>,
        table: &RateTable,
        column: usize,
    ) {
        let rows = table.occurring();
        let labels = rows.iter().map(|&row| variable.labels[row].as_str());
        let labels: Vec<&str> = labels.collect();
        self.push_rates(name, unit, &labels, &|file, position| {
            table.rates[file][rows[position]][column]
        });
    }

    /// The rates of both files and their differences.
    fn push_rates(
        &mut self,
        name: &str,
        unit: &str,
        labels: &[&str],
        rate: &dyn Fn(usize, usize) -> Option<f64>,
    ) {
        let mut push = |what: &str, figure: &dyn Fn(usize) -> Option<f64>| {
            let points = labels.iter().enumerate().map(|(position, &label)| Part {
                name: label.to_owned(),
                value: figure(position).filter(|figure| figure.is_finite()),
            });
            self.rates.push(Series {
                name: format!("{name}: {what}"),
                axis: unit.to_owned(),
                unit: Unit::Number,
                file: None,
                variable: None,
                table: None,
                points: points.collect(),
            });
        };
        push(FILES[0], &|position| rate(0, position));
        push(FILES[1], &|position| rate(1, position));
        push("difference", &|position| {
            Some(rate(1, position)? - rate(0, position)?)
        });
    }

    /// Takes in the differences of the first rows of a table, in units of `scale`; whether all are
    /// finite.
    #[must_use]
    fn compare(&mut self, variable: &str, table: &RateTable, n_rows: usize, scale: f64) -> bool {
        let enough = |row: &usize| table.records.iter().all(|n| n[*row] >= MIN_RECORDS);
        let rows: Vec<usize> = (0..n_rows).collect();
        let weight = compensated(
            rows.iter()
                .filter(|row| enough(row))
                .map(|&row| table.weight[0][row]),
        );
        let mut largest: Option<f64> = None;
        let mut finite = true;
        for &row in &rows {
            let both = table.rates[0][row].iter().zip(&table.rates[1][row]);
            for (original, masked) in both.filter_map(|(x, z)| x.zip(*z)) {
                if !enough(&row) {
                    self.n_too_small += 1;
                    continue;
                }
                let difference = (masked - original).abs();
                let difference = match difference {
                    0.0 => 0.0,
                    difference => difference / scale,
                };
                finite &= difference.is_finite();
                largest = Some(largest.map_or(difference, |largest| largest.max(difference)));
                let share = table.weight[0][row] / weight;
                self.differences.push((difference, share));
            }
        }
        self.push_largest(variable, largest);
        finite
    }

    /// The largest difference of a variable, over all tables that it is in.
    fn push_largest(&mut self, variable: &str, largest: Option<f64>) {
        match self
            .by_variable
            .iter_mut()
            .find(|part| part.name == variable)
        {
            // None is smaller than any figure.
            Some(part) if largest > part.value => part.value = largest,
            Some(_) => {}
            None => self.by_variable.push(Part {
                name: variable.to_owned(),
                value: largest,
            }),
        }
    }

    fn finish(self) -> Measurement {
        let largest = self.by_variable.iter().filter_map(|part| part.value);
        let n = self.differences.len() as f64;
        let sum = compensated(self.differences.iter().map(|(difference, _)| *difference));
        let shares = compensated(self.differences.iter().map(|(_, share)| *share));
        let terms = self
            .differences
            .iter()
            .map(|(difference, share)| difference * share);
        let weighted = compensated(terms) / shares;
        let mut found = Measurement {
            value: largest.reduce(f64::max),
            by_variable: self.by_variable,
            series: self.rates.into_iter().chain(self.tables).collect(),
            ..Measurement::default()
        };
        found.push_part("mean_difference", (n > 0.0).then(|| sum / n));
        found.push_part("weighted_mean_difference", (n > 0.0).then_some(weighted));
        found.push_part("rates_compared", n);
        found.push_part("rates_too_small", self.n_too_small as f64);
        found.push_part("categories_gone", self.n_gone as f64);
        found.push_part("categories_new", self.n_new as f64);
        found
    }
}
