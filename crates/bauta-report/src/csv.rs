//! The tables of a record as CSV files, for spreadsheets and scripts. Confidential like the record.

use bauta_data::number::number_text;
use bauta_methods::Calibration;
use bauta_methods::calibration::{Distribution, QUANTILE_SHARES, Solution};
use bauta_methods::measure::{Measurement, Part, Series};
use bauta_plan::RunRecord;
use bauta_plan::record::MeasureRecord;

/// A table of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CsvTable {
    /// Name of the file.
    pub file: &'static str,
    /// Its text: a line of headings, then the rows.
    pub text: String,
}

/// The tables of a record, always the same files: those without rows have headings only.
pub fn csv_tables(record: &RunRecord) -> Vec<CsvTable> {
    vec![
        margins(record),
        weights(record),
        solutions(record),
        histogram(record),
        bounds(record),
        shares(record),
        deletion(record),
        measures(record),
        series(record),
    ]
}

/// A table that is being written.
struct Rows {
    file: &'static str,
    text: String,
}

impl Rows {
    fn new<'h>(file: &'static str, headings: impl IntoIterator<Item = &'h str>) -> Self {
        let mut rows = Self {
            file,
            text: String::new(),
        };
        rows.push(headings.into_iter().map(str::to_owned));
        rows
    }

    fn push(&mut self, cells: impl IntoIterator<Item = String>) {
        for (idx, cell) in cells.into_iter().enumerate() {
            if idx > 0 {
                self.text.push(',');
            }
            if cell.contains([',', '"', '\n', '\r']) {
                self.text.push('"');
                self.text.push_str(&cell.replace('"', "\"\""));
                self.text.push('"');
            } else {
                self.text.push_str(&cell);
            }
        }
        self.text.push('\n');
    }

    fn done(self) -> CsvTable {
        CsvTable {
            file: self.file,
            text: self.text,
        }
    }
}

/// A number in full, or an empty cell where there is none.
fn figure(value: Option<f64>) -> String {
    value
        .filter(|value| !value.is_nan())
        .map(number_text)
        .unwrap_or_default()
}

fn text(value: Option<&str>) -> String {
    value.unwrap_or_default().to_owned()
}

/// The calibrations of a record, each with the key of its step.
fn calibrations(record: &RunRecord) -> impl Iterator<Item = (String, &Calibration)> {
    let steps = record.steps.iter();
    steps.filter_map(|step| Some((step.key.clone(), step.calibration.as_deref()?)))
}

fn margins(record: &RunRecord) -> CsvTable {
    let mut rows = Rows::new(
        "margins.csv",
        [
            "step",
            "term",
            "margin",
            "target",
            "share",
            "before",
            "before_scaled",
            "after",
            "relative_error",
            "n_before",
            "n_after",
            "redundant",
        ],
    );
    for (step, calibration) in calibrations(record) {
        for margin in &calibration.margins {
            rows.push([
                step.clone(),
                margin.term.clone(),
                margin.name.clone(),
                figure(Some(margin.target)),
                figure(margin.share),
                figure(Some(margin.before)),
                figure(Some(margin.before_scaled)),
                figure(Some(margin.after)),
                figure(Some(margin.relative_error)),
                margin.n_before.map(|n| n.to_string()).unwrap_or_default(),
                margin.n_after.to_string(),
                calibration.redundant.contains(&margin.name).to_string(),
            ]);
        }
    }
    rows.done()
}

/// What tells the solutions of a calibration apart.
const SOLUTION: [&str; 7] = [
    "step", "solution", "method", "q", "lower", "upper", "penalty",
];

fn solution_cells(step: &str, idx: usize, solution: &Solution) -> Vec<String> {
    vec![
        step.to_owned(),
        (idx + 1).to_string(),
        solution.method.clone(),
        solution.q.clone(),
        figure(solution.lower),
        figure(solution.upper),
        figure(solution.penalty),
    ]
}

/// Every solution with the key of its step and its number, the one that was taken first.
fn each_solution(
    record: &RunRecord,
) -> impl Iterator<Item = (Vec<String>, &Calibration, &Solution)> {
    calibrations(record).flat_map(|(step, calibration)| {
        let solutions = calibration.solutions.iter().enumerate();
        solutions.map(move |(idx, solution)| {
            (solution_cells(&step, idx, solution), calibration, solution)
        })
    })
}

fn weights(record: &RunRecord) -> CsvTable {
    let quantiles: Vec<String> = QUANTILE_SHARES
        .iter()
        .map(|share| format!("q{}", number_text((100.0 * share).round())))
        .collect();
    let headings = SOLUTION.into_iter().chain(["figure", "mean", "sd"]);
    let mut rows = Rows::new(
        "weights.csv",
        headings.chain(quantiles.iter().map(String::as_str)),
    );
    for (cells, _, solution) in each_solution(record).filter(|(.., one)| one.failed.is_none()) {
        for (name, found) in [("g", &solution.g), ("weight", &solution.weights)] {
            let mut row = cells.clone();
            row.push(name.to_owned());
            row.extend(distribution_cells(found));
            rows.push(row);
        }
    }
    rows.done()
}

fn distribution_cells(found: &Distribution) -> Vec<String> {
    let quantiles = (0..QUANTILE_SHARES.len()).map(|idx| found.quantiles.get(idx).copied());
    let all = [Some(found.mean), Some(found.sd)]
        .into_iter()
        .chain(quantiles);
    all.map(figure).collect()
}

fn solutions(record: &RunRecord) -> CsvTable {
    let own = [
        "failed",
        "steps",
        "largest_error",
        "kish_before",
        "kish_after",
        "n_negative",
        "n_at_lower",
        "n_at_upper",
    ];
    let mut rows = Rows::new("solutions.csv", SOLUTION.into_iter().chain(own));
    for (mut row, _, solution) in each_solution(record) {
        row.push(text(solution.failed.as_deref()));
        if solution.failed.is_none() {
            row.extend([
                solution.iterations.len().to_string(),
                figure(Some(solution.largest_error)),
                figure(Some(solution.kish_before)),
                figure(Some(solution.kish_after)),
                solution.n_negative.to_string(),
                solution.n_at_lower.to_string(),
                solution.n_at_upper.to_string(),
            ]);
        } else {
            row.extend(std::iter::repeat_n(String::new(), own.len() - 1));
        }
        rows.push(row);
    }
    rows.done()
}

fn histogram(record: &RunRecord) -> CsvTable {
    let own = ["from", "to", "records", "density"];
    let mut rows = Rows::new("histogram.csv", SOLUTION.into_iter().chain(own));
    for (cells, calibration, solution) in each_solution(record) {
        let end = |idx: usize| calibration.histogram_from + calibration.histogram_step * idx as f64;
        for (idx, records) in solution.histogram.iter().enumerate() {
            let mut row = cells.clone();
            row.extend([
                figure(Some(end(idx))),
                figure(Some(end(idx + 1))),
                records.to_string(),
                figure(solution.density.get(idx).copied()),
            ]);
            rows.push(row);
        }
    }
    rows.done()
}

fn bounds(record: &RunRecord) -> CsvTable {
    let mut rows = Rows::new("bounds.csv", ["step", "what", "lower", "upper"]);
    for (step, calibration) in calibrations(record) {
        let mut push = |what: &str, lower: Option<f64>, upper: Option<f64>| {
            rows.push([step.clone(), what.to_owned(), figure(lower), figure(upper)]);
        };
        let Some(found) = &calibration.bounds else {
            continue;
        };
        push("necessary", found.necessary_lower, found.necessary_upper);
        if let Some([lower, upper]) = found.narrowest {
            push("narrowest", Some(lower), Some(upper));
        }
        for point in &found.frontier {
            push("frontier", Some(point.lower), point.smallest_upper);
        }
        for solution in &calibration.solutions {
            if solution.lower.is_some() || solution.upper.is_some() {
                push("in use", solution.lower, solution.upper);
            }
        }
    }
    rows.done()
}

fn shares(record: &RunRecord) -> CsvTable {
    let headings = [
        "step",
        "variable",
        "category",
        "original",
        "uncalibrated",
        "calibrated",
    ];
    let mut rows = Rows::new("shares.csv", headings);
    for (step, calibration) in calibrations(record) {
        for share in &calibration.shares {
            rows.push([
                step.clone(),
                share.variable.clone(),
                text(share.category.as_deref()),
                figure(Some(share.original)),
                figure(Some(share.uncalibrated)),
                figure(Some(share.calibrated)),
            ]);
        }
    }
    rows.done()
}

fn deletion(record: &RunRecord) -> CsvTable {
    let headings = [
        "step",
        "round",
        "variable",
        "category",
        "n_before",
        "n_deleted",
    ];
    let mut rows = Rows::new("deletion.csv", headings);
    for (step, calibration) in calibrations(record) {
        let Some(found) = &calibration.deletion else {
            continue;
        };
        for (idx, n_deleted) in found.rounds.iter().enumerate() {
            let mut row = vec![step.clone(), (idx + 1).to_string()];
            row.extend(std::iter::repeat_n(String::new(), 3));
            row.push(n_deleted.to_string());
            rows.push(row);
        }
        for deleted in &found.by_category {
            rows.push([
                step.clone(),
                String::new(),
                deleted.variable.clone(),
                text(deleted.category.as_deref()),
                deleted.n_before.to_string(),
                deleted.n_deleted.to_string(),
            ]);
        }
    }
    rows.done()
}

/// What tells the measures of a record apart.
const MEASURE: [&str; 3] = ["measure", "scenario", "condition"];

fn measure_cells(measure: &MeasureRecord) -> Vec<String> {
    vec![
        measure.id.clone(),
        text(measure.scenario.as_deref()),
        text(measure.condition.as_deref()),
    ]
}

/// Names in the order of their first occurrence, with the figures before and after.
fn joined(before: &[Part], after: &[Part]) -> Vec<(String, Option<f64>, Option<f64>)> {
    let find = |parts: &[Part], name: &str| {
        let found = parts.iter().find(|part| part.name == name);
        found.and_then(|part| part.value)
    };
    let mut names: Vec<&str> = Vec::new();
    for part in before.iter().chain(after) {
        if !names.contains(&part.name.as_str()) {
            names.push(&part.name);
        }
    }
    let rows = names.into_iter();
    rows.map(|name| (name.to_owned(), find(before, name), find(after, name)))
        .collect()
}

fn measures(record: &RunRecord) -> CsvTable {
    let own = ["what", "figure", "before", "after"];
    let mut rows = Rows::new("measures.csv", MEASURE.into_iter().chain(own));
    for measure in &record.measures {
        let nothing = Measurement::default();
        let before = measure.before.as_ref().unwrap_or(&nothing);
        let after = measure.after.as_ref().unwrap_or(&nothing);
        let mut push = |what: &str, (name, before, after): (String, Option<f64>, Option<f64>)| {
            let mut row = measure_cells(measure);
            row.extend([what.to_owned(), name, figure(before), figure(after)]);
            rows.push(row);
        };
        if !measure.value.label.is_empty() {
            push(
                "value",
                (measure.value.label.to_string(), before.value, after.value),
            );
        }
        for (name, value) in [("outliers", after.outliers), ("rest", after.rest)] {
            if value.is_some() {
                push(name, (measure.value.label.to_string(), None, value));
            }
        }
        for row in joined(&parts(before), &parts(after)) {
            push("part", row);
        }
        for row in joined(&before.by_variable, &after.by_variable) {
            push("variable", row);
        }
    }
    rows.done()
}

/// The figures of a measurement as scripts spell them.
fn parts(found: &Measurement) -> Vec<Part> {
    let parts = found.parts();
    parts.map(|(name, value)| Part { name, value }).collect()
}

fn series_of(found: Option<&Measurement>) -> &[Series] {
    found.map_or(&[][..], |found| &found.series)
}

fn series(record: &RunRecord) -> CsvTable {
    let own = ["series", "unit", "point", "before", "after"];
    let mut rows = Rows::new("series.csv", MEASURE.into_iter().chain(own));
    for measure in &record.measures {
        let before = series_of(measure.before.as_ref());
        let after = series_of(measure.after.as_ref());
        let mut names: Vec<(String, &str)> = Vec::new();
        for one in before.iter().chain(after) {
            let name = (one.spelled(), one.axis.as_str());
            if !names.contains(&name) {
                names.push(name);
            }
        }
        for (name, unit) in names {
            let points = |series: &[Series]| {
                let found = series.iter().find(|one| one.spelled() == name);
                found.map_or_else(Vec::new, |one| one.points.clone())
            };
            for (point, before, after) in joined(&points(before), &points(after)) {
                let mut row = measure_cells(measure);
                row.extend([name.clone(), unit.to_owned(), point]);
                row.extend([figure(before), figure(after)]);
                rows.push(row);
            }
        }
    }
    rows.done()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_must_be_and_numbers_are_whole() {
        let mut rows = Rows::new("a.csv", ["x", "y"]);
        rows.push(["a,b".to_owned(), "say \"so\"".to_owned()]);
        rows.push([figure(Some(0.1 + 0.2)), figure(Some(f64::NAN))]);
        rows.push([figure(Some(12_345_678.0)), figure(None)]);
        let expected = "x,y\n\"a,b\",\"say \"\"so\"\"\"\n0.30000000000000004,\n12345678,\n";
        assert_eq!(rows.done().text, expected);
    }
}
