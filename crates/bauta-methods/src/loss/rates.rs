#![doc = include_str!("rates.md")]

mod labels;
mod rate_table;
mod withheld;

use bauta_data::{Kind, Role};

use crate::card::{Card, ParamSpec, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::few_records::{MIN_RECORDS, RULE_OF_TEN, min_records};
use crate::figure::{FigureSpec, Side, Unit};
use crate::kernel::numbers::moments::{finite_moments, too_large};
use crate::kernel::numbers::sums::compensated;
use crate::keys::check_weights;
use crate::loss::rates::labels::{Axis, Label, most, of_both};
use crate::loss::rates::rate_table::{RateTable, occurring};
use crate::loss::rates::withheld::{tells, told_shares};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Series};
use crate::missing::{Missing, check_missing};
use crate::pair::Pair;
use crate::pair::categories::TwoCategories;
use crate::pair::margins::{Margin, Weights};
use crate::pair::records::zero_sd;
use crate::pair::variables::TwoColumns;
use crate::params::{ParamProblem, Params, choices};

/// Weighted tables and rates of both files. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Rates;

choices! {
    /// What to do with missing values of an outcome.
    enum MissingOutcome {
        Skip = "skip": "leave those records out of the rates",
        Category = "category": "count them as a category of the outcome",
    }
}

const OF: ParamSpec = ParamSpec::variables(
    "of",
    "outcomes whose weighted rates (or means, if they are continuous) are compared by category",
    "the shares of each variable's own categories",
);
const MISSING: ParamSpec =
    ParamSpec::choice::<MissingOutcome>("missing", "what to do with missing values of an outcome")
        .or_word("skip");

const MEAN: FigureSpec = FigureSpec::number("mean_difference", "mean difference").lower_is_better();
const WEIGHTED_MEAN: FigureSpec =
    FigureSpec::number("weighted_mean_difference", "weighted mean difference").lower_is_better();
const COMPARED: FigureSpec = FigureSpec::count("rates_compared", "rates compared");
const TOO_SMALL: FigureSpec =
    FigureSpec::count("rates_too_small", "rates that rest on too few records");
const GONE: FigureSpec =
    FigureSpec::count("categories_gone", "categories of the original only").lower_is_better();
const NEW: FigureSpec =
    FigureSpec::count("categories_new", "categories of the masked file only").lower_is_better();

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "rates",
        title: "Weighted rates",
        summary: "weighted tables, rates and means by the categories of variables, original against masked",
        page: include_str!("rates.md"),
        params: &[OF, MISSING, MIN_RECORDS],
        targets: Targets {
            kinds: &[Kind::Ordered, Kind::Hierarchical, Kind::Unordered],
            default_roles: &[Role::Key, Role::Sensitive],
            refused_roles: &[],
        },
        references: &["bergeat2015"],
        ..MeasureCard::LOSS.card
    },
    value: FigureSpec::value("largest difference", Unit::Number).lower_is_better(),
    figures: &[MEAN, WEIGHTED_MEAN, COMPARED, TOO_SMALL, GONE, NEW],
    usual: false,
    looks_at_untouched: true,
    ..MeasureCard::LOSS
};

/// A larger table is nobody's to read.
const MAX_CELLS: usize = 1_000_000;

/// Which rates.
pub struct Settings {
    /// Outcomes; none are the variables themselves.
    of: Vec<String>,
    missing: MissingOutcome,
    /// Records that a figure of the tables rests on at least.
    min_records: f64,
}

impl MeasureMethod for Rates {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Ok(Settings {
            of: params.texts(OF.name).to_vec(),
            missing: params.choice_of(MISSING.name),
            min_records: min_records(params) as f64,
        })
    }

    fn measure(
        &self,
        settings: &Settings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let (pair, of) = (task.both()?, &settings.of);
        let mut work = Work::new(pair, settings)?;
        if of.is_empty() {
            for (done, name) in task.on.iter().enumerate() {
                context.progress(done, task.on.len())?;
                work.distribution(&TwoCategories::of(pair, name)?, context)?;
            }
            return Ok(work.finish());
        }
        let by = task.on.iter().map(|name| TwoCategories::of(pair, name));
        let by: Vec<TwoCategories> = by.collect::<Result<_, _>>()?;
        for (done, name) in of.iter().enumerate() {
            context.progress(done, of.len())?;
            work.outcome(pair, name, &by, context)?;
        }
        for variable in by.iter().filter(|variable| !of.contains(&variable.name)) {
            work.margins(variable);
        }
        Ok(work.finish())
    }
}

/// What has been found so far.
struct Work<'a> {
    weights: [Weights<'a>; 2],
    missing: MissingOutcome,
    min_records: f64,
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
    fn new(pair: Pair<'a>, settings: &Settings) -> Result<Self, MethodError> {
        check_weights(pair.original)?;
        check_weights(pair.masked)?;
        Ok(Self {
            weights: [Weights::of(pair.original), Weights::of(pair.masked)],
            missing: settings.missing,
            min_records: settings.min_records,
            differences: Vec::new(),
            n_too_small: 0,
            n_gone: 0,
            n_new: 0,
            by_variable: Vec::new(),
            rates: Vec::new(),
            tables: Vec::new(),
        })
    }

    /// Number of an outcome's codes that have rates: those of its categories, and that of missing
    /// values where they count as one.
    fn n_rated(&self, outcome: &TwoCategories) -> usize {
        match self.missing {
            MissingOutcome::Skip => outcome.n_categories(),
            MissingOutcome::Category => outcome.n_codes(),
        }
    }

    /// The weighted table of a variable: sums of weights and numbers of records by category.
    fn margins(&mut self, variable: &TwoCategories) -> [Margin; 2] {
        let margins = Margin::of_both(variable, self.weights);
        let (original, masked) = (&margins[0].records, &margins[1].records);
        let lacking = |here: &[f64], there: &[f64]| {
            let both = here.iter().zip(there).take(variable.n_categories());
            both.filter(|&(&here, &there)| here > 0.0 && there == 0.0)
                .count()
        };
        self.n_gone += lacking(original, masked);
        self.n_new += lacking(masked, original);
        let shown = occurring(original, masked);
        let told = self.told_categories(variable, &margins);
        let mut tables = Vec::new();
        let mut push = |what: &str, axis: &str, unit: Unit, figures: fn(&Margin) -> &[f64]| {
            for (file, margin) in Side::BOTH.into_iter().zip(&margins) {
                let figures = figures(margin);
                let points = shown.iter().map(|&code| {
                    let told = unit == Unit::Count || told[file as usize][code];
                    let figure = Some(figures[code]).filter(|figure| told && figure.is_finite());
                    let label = variable.texts[code].as_str();
                    Part::new(label, figure).of_records(margin.records[code] as u64)
                });
                let name = format!("{what} by {}", variable.name);
                let spelled = format!("{name}: {}", file.name());
                let series = Series::new(name, axis, unit, points.collect()).of_side(file);
                tables.push(series.spelled_as(spelled));
            }
        };
        push("weighted total", "weight", Unit::Number, |margin| {
            &margin.weight
        });
        push("records", "records", Unit::Count, |margin| &margin.records);
        self.tables.extend(tables);
        margins
    }

    /// Of which codes of a variable shares and weighted totals stand in the tables, by file. Both have the
    /// same, since one is the other times the total; missing cells have a total and may have no share.
    fn told_categories(&self, variable: &TwoCategories, margins: &[Margin; 2]) -> [Vec<bool>; 2] {
        let n_rated = self.n_rated(variable);
        margins.each_ref().map(|margin| {
            let told = |records: &[f64]| {
                told_shares(records, &vec![false; records.len()], self.min_records)
            };
            let of_totals = told(&margin.records);
            let mut of_shares = told(&margin.records[..n_rated]);
            of_shares.resize(of_totals.len(), true);
            let both = of_totals.into_iter().zip(of_shares);
            both.map(|(total, share)| total && share).collect()
        })
    }

    /// The shares of a variable's own categories.
    fn distribution(
        &mut self,
        variable: &TwoCategories,
        context: &RunContext<'_>,
    ) -> Result<[Margin; 2], MethodError> {
        if self.missing == MissingOutcome::Skip {
            check_missing(&variable.name, variable.n_missing(), Missing::Skip, context)?;
        }
        let margins = self.margins(variable);
        let mut codes = occurring(&margins[0].records, &margins[1].records);
        codes.retain(|&code| code < self.n_rated(variable));
        let table = RateTable::distribution(&margins, &codes);
        let axis = Axis::share(format!("share by {}", variable.name));
        let labels = codes.iter().map(|&code| Label {
            text: &variable.texts[code],
            n_records: of_both(&margins, code),
        });
        let labels: Vec<Label<'_>> = labels.collect();
        let told = self.told_categories(variable, &margins);
        self.push_rates(&axis, &labels, &|file, position| {
            table.rates[file][0][position].filter(|_| told[file][codes[position]])
        });
        // Differences of shares are finite.
        let _ = self.compare(&variable.name, &table, 1, 1.0);
        Ok(margins)
    }

    /// All rates of one outcome.
    fn outcome(
        &mut self,
        pair: Pair<'_>,
        name: &str,
        by: &[TwoCategories],
        context: &RunContext<'_>,
    ) -> Result<(), MethodError> {
        let columns = TwoColumns::of(pair, name)?;
        let by = by.iter().filter(|variable| variable.name != name);
        if columns.original.as_numeric().is_some() {
            return self.means(&columns, by, context);
        }
        let outcome = TwoCategories::new(&columns)?;
        let margins = self.distribution(&outcome, context)?;
        for variable in by {
            context.go_on()?;
            self.cross(&outcome, &margins, variable)?;
        }
        Ok(())
    }

    /// The shares of an outcome's categories among the records of each category of a variable.
    fn cross(
        &mut self,
        outcome: &TwoCategories,
        margins: &[Margin; 2],
        variable: &TwoCategories,
    ) -> Result<(), MethodError> {
        let n_columns = self.n_rated(outcome);
        if variable.n_codes().saturating_mul(n_columns) > MAX_CELLS {
            return Err(MethodError::request(
                format!(
                    "the table of `{}` by `{}` has more than {MAX_CELLS} cells",
                    outcome.name, variable.name
                ),
                "recode one of them, or leave it out",
            ));
        }
        let table = RateTable::shares(outcome, variable, self.weights, n_columns);
        let told = self.told_cells(&table, margins);
        for column in table.columns() {
            let category = &outcome.texts[column];
            let name = format!("{} = {category} by {}", outcome.name, variable.name);
            let axis = Axis {
                n_records: Some(most(margins, column)),
                ..Axis::share(name)
            };
            self.push_column(&axis, variable, &table, column, &|file, row| {
                told[file][row][column]
            });
        }
        // Differences of shares are finite.
        let _ = self.compare(&variable.name, &table, variable.n_categories(), 1.0);
        Ok(())
    }

    /// Which shares of an outcome's categories stand in the tables, by file, row and column.
    fn told_cells(&self, table: &RateTable, margins: &[Margin; 2]) -> [Vec<Vec<bool>>; 2] {
        [0, 1].map(|file: usize| {
            let rare = margins[file].records.iter();
            let rare: Vec<bool> = rare.map(|&n| !tells(n, self.min_records)).collect();
            let rows = table.cells[file].iter().zip(&table.records[file]);
            rows.map(|(cells, &n_records)| {
                if tells(n_records, self.min_records) {
                    told_shares(cells, &rare, self.min_records)
                } else {
                    vec![false; cells.len()]
                }
            })
            .collect()
        })
    }

    /// The means of a continuous outcome, over all records and by category.
    fn means<'v>(
        &mut self,
        outcome: &TwoColumns<'_>,
        by: impl Iterator<Item = &'v TwoCategories>,
        context: &RunContext<'_>,
    ) -> Result<(), MethodError> {
        let (x, z) = outcome.numbers()?;
        let name = outcome.name;
        check_missing(name, outcome.n_missing(), Missing::Skip, context)?;
        let sd = finite_moments(name, x)?.sd;
        let all = RateTable::means([x, z], None, self.weights);
        let axis = Axis::mean(format!("mean {name}"), name);
        let label = Label {
            text: "all records",
            n_records: all.records_of(0),
        };
        let min_records = self.min_records;
        self.push_rates(&axis, &[label], &|file, _| {
            all.rates[file][0][0].filter(|_| tells(all.records[file][0], min_records))
        });
        let mut finite = self.compare(name, &all, 1, sd);
        for variable in by {
            context.go_on()?;
            let table = RateTable::means([x, z], Some(variable), self.weights);
            let axis = Axis::mean(format!("mean {name} by {}", variable.name), name);
            self.push_column(&axis, variable, &table, 0, &|file, row| {
                tells(table.records[file][row], min_records)
            });
            finite &= self.compare(&variable.name, &table, variable.n_categories(), sd);
        }
        match finite {
            true => Ok(()),
            false if sd == 0.0 => Err(zero_sd(name)),
            false => Err(too_large(name)),
        }
    }

    /// One column of a table: rates by the categories of a variable, and of its missing cells. `told` says
    /// of a file and a row whether it has its rate.
    fn push_column(
        &mut self,
        axis: &Axis<'_>,
        variable: &TwoCategories,
        table: &RateTable,
        column: usize,
        told: &dyn Fn(usize, usize) -> bool,
    ) {
        let rows = table.occurring();
        let labels = rows.iter().map(|&row| Label {
            text: &variable.texts[row],
            n_records: table.records_behind(row, column),
        });
        let labels: Vec<Label<'_>> = labels.collect();
        self.push_rates(axis, &labels, &|file, position| {
            let row = rows[position];
            table.rates[file][row][column].filter(|_| told(file, row))
        });
    }

    /// The rates of both files and their differences. `rate` gives a rate, where it may be told.
    fn push_rates(
        &mut self,
        axis: &Axis<'_>,
        labels: &[Label<'_>],
        rate: &dyn Fn(usize, usize) -> Option<f64>,
    ) {
        let fewer = |label: &Label<'_>| label.n_records[0].min(label.n_records[1]);
        let series = |name: String,
                      n_records: &dyn Fn(&Label<'_>) -> u64,
                      figure: &dyn Fn(usize) -> Option<f64>| {
            let points = labels.iter().enumerate().map(|(position, label)| {
                let figure = figure(position).filter(|figure| figure.is_finite());
                Part::new(label.text, figure).of_records(n_records(label))
            });
            let series = Series::new(name, axis.of, axis.unit, points.collect()).verbatim();
            match axis.n_records {
                Some(n_records) => series.of_records(n_records),
                None => series,
            }
        };
        let mut all = Vec::new();
        for file in Side::BOTH {
            let spelled = format!("{}: {}", axis.name, file.name());
            let of_file = |label: &Label<'_>| label.n_records[file as usize];
            let rates = series(axis.name.clone(), &of_file, &|position| {
                rate(file as usize, position)
            });
            all.push(rates.of_side(file).spelled_as(spelled));
        }
        let difference = format!("{}: difference", axis.name);
        all.push(series(difference, &fewer, &|position| {
            Some(rate(1, position)? - rate(0, position)?)
        }));
        self.rates.extend(all);
    }

    /// Takes in the differences of the first rows of a table, in units of `scale`; whether all are
    /// finite.
    #[must_use]
    fn compare(&mut self, variable: &str, table: &RateTable, n_rows: usize, scale: f64) -> bool {
        // Or a difference could show what became of one.
        let enough = |row: &usize| table.records.iter().all(|n| n[*row] >= RULE_OF_TEN as f64);
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
            None => self.by_variable.push(Part::new(variable, largest)),
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
        found.give(&MEAN, (n > 0.0).then(|| sum / n));
        found.give(&WEIGHTED_MEAN, (n > 0.0).then_some(weighted));
        found.give(&COMPARED, n);
        found.give(&TOO_SMALL, self.n_too_small as f64);
        found.give(&GONE, self.n_gone as f64);
        found.give(&NEW, self.n_new as f64);
        found
    }
}
