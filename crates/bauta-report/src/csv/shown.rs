//! What steps and measures show for themselves, with the key of the step or the measure before each row.

use bauta_methods::exhibit::{Bars, Cell, Exhibit, Histogram, Place, Shows, Table, View};
use bauta_methods::registry;
use bauta_plan::RunRecord;

use super::measured::{MEASURE, measure_cells};
use super::{Sheet, figure};
use crate::exhibits::plain;

/// A file for each name that a view gives, in the order of their first occurrence: those that the
/// methods of the registry always have, then any others.
pub(super) fn sheets(record: &RunRecord) -> Vec<Sheet> {
    let mut sheets = Vec::new();
    for adjuster in registry::ADJUSTERS {
        add(&mut sheets, &STEP, &[], &adjuster.shows());
    }
    for sheet in &mut sheets {
        sheet.rows.clear();
    }
    for step in &record.steps {
        if let Some(evidence) = &step.evidence {
            add(
                &mut sheets,
                &STEP,
                std::slice::from_ref(&step.key),
                &evidence.exhibits,
            );
        }
    }
    for measure in &record.measures {
        if let Some(found) = &measure.after {
            let mut of = measure_cells(measure);
            of.push(measure.on.join(" "));
            add(&mut sheets, &MEASURE_ON, &of, &found.exhibits);
        }
    }
    sheets
}

/// What tells the steps of a record apart.
const STEP: [&str; 1] = ["step"];
/// What tells its measures apart: two of them may differ in their variables alone.
const MEASURE_ON: [&str; 4] = [MEASURE[0], MEASURE[1], MEASURE[2], "on"];

/// Adds what somebody shows: `by` are the headings of the cells `of` that say who.
fn add(sheets: &mut Vec<Sheet>, by: &[&str], of: &[String], exhibits: &[Exhibit]) {
    for view in exhibits.iter().flat_map(|exhibit| &exhibit.views) {
        let Some(file) = view.file.as_ref().filter(|name| is_stem(name)) else {
            continue;
        };
        let name = format!("{file}.csv");
        let place = sheets.iter().position(|sheet| sheet.file == name);
        let place = place.unwrap_or_else(|| {
            sheets.push(Sheet::new(file, by.iter().copied()));
            sheets.len() - 1
        });
        let (headings, rows) = contents(view);
        let sheet = &mut sheets[place];
        let by: Vec<usize> = by
            .iter()
            .map(|name| place_of(sheet, (*name).to_owned()))
            .collect();
        let positions: Vec<usize> = headings
            .into_iter()
            .map(|name| place_of(sheet, name))
            .collect();
        for cells in rows {
            let mut row = vec![String::new(); sheet.headings.len()];
            let said = by.iter().zip(of.iter().cloned());
            for (&position, cell) in said.chain(positions.iter().zip(cells)) {
                row[position] = cell;
            }
            sheet.push(row);
        }
    }
}

/// Whether a name can be that of a file: what a record says must not lead out of the folder.
fn is_stem(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !name.is_empty() && name.bytes().all(fits)
}

/// Where a heading stands; at the end if it is new.
fn place_of(sheet: &mut Sheet, heading: String) -> usize {
    let found = sheet.headings.iter().position(|known| *known == heading);
    found.unwrap_or_else(|| {
        sheet.headings.push(heading);
        sheet.headings.len() - 1
    })
}

type Contents = (Vec<String>, Vec<Vec<String>>);

fn named<const N: usize>(headings: [&str; N]) -> Vec<String> {
    headings.map(str::to_owned).to_vec()
}

fn contents(view: &View) -> Contents {
    match &view.shows {
        Shows::Facts(facts) => {
            let rows = facts.iter();
            let rows = rows.map(|fact| vec![fact.label.clone(), plain(&fact.value)]);
            (named(["fact", "value"]), rows.collect())
        }
        Shows::Table(table) => of_table(table),
        Shows::Histogram(histogram) => of_histogram(histogram),
        Shows::Bars(bars) => of_bars(bars),
        Shows::Curve(curve) => {
            let rows = curve.points.iter();
            let rows = rows.map(|point| point.map(|value| figure(Some(value))).to_vec());
            (named(["x", "y"]), rows.collect())
        }
        Shows::Map(map) => {
            let rows = map.points.iter().map(|point| {
                let [x, y] = point.at.map(|value| figure(Some(value)));
                vec![point.name.clone(), point.group.clone(), x, y]
            });
            (named(["name", "group", "x", "y"]), rows.collect())
        }
    }
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::None => String::new(),
        Cell::Number(value) => figure(Some(*value)),
        Cell::Text(text) => text.clone(),
    }
}

fn of_table(table: &Table) -> Contents {
    let columns = table.columns.iter().enumerate();
    let filed: Vec<usize> = columns
        .filter(|(_, column)| column.place != Place::Page)
        .map(|(position, _)| position)
        .collect();
    let headings = filed.iter().map(|&at| table.columns[at].name.clone());
    let rows = table.rows.iter().map(|row| {
        let cells = filed.iter().map(|&at| row.get(at).map(cell));
        cells.map(Option::unwrap_or_default).collect()
    });
    (headings.collect(), rows.collect())
}

fn of_histogram(histogram: &Histogram) -> Contents {
    let mut headings = histogram.headings.clone();
    headings.extend(named(["from", "to", "records", "density"]));
    let end = |idx: usize| figure(Some(histogram.from + histogram.step * idx as f64));
    let mut rows = Vec::new();
    for series in &histogram.series {
        for (idx, records) in series.counts.iter().enumerate() {
            let mut row: Vec<String> = series.cells.iter().map(cell).collect();
            row.resize(histogram.headings.len(), String::new());
            let density = figure(series.density.get(idx).copied());
            row.extend([end(idx), end(idx + 1), records.to_string(), density]);
            rows.push(row);
        }
    }
    (headings, rows)
}

fn of_bars(bars: &Bars) -> Contents {
    let mut headings = named(["category"]);
    headings.extend(bars.series.iter().map(|series| series.name.clone()));
    let rows = bars.categories.iter().enumerate().map(|(idx, category)| {
        let values = bars
            .series
            .iter()
            .map(|series| series.values.get(idx).copied());
        let values = values.map(|value| figure(value.flatten()));
        std::iter::once(category.clone()).chain(values).collect()
    });
    (headings, rows.collect())
}
