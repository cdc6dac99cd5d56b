#![doc = include_str!("recoding_loss.md")]

use bauta_data::Kind;
use rayon::prelude::*;

use crate::card::{Card, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::exhibit::{Cell, Column, Exhibit, Shows, Table, View};
use crate::figure::{FigureSpec, Unit};
use crate::measure::{
    Afterwards, MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Subject,
};
use crate::note::Note;
use crate::pair::recoding::Recoding;
use crate::pair::records::check_rows;
use crate::pair::variables::{TwoColumns, mean_of_variables};
use crate::params::{ParamProblem, Params};

/// What recoding took from categories. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct RecodingLoss;

const MEAN_LEVELS: FigureSpec =
    FigureSpec::share("mean_levels", "mean loss by levels").lower_is_better();
const LEVELS: FigureSpec = FigureSpec::share("levels", "loss by levels")
    .lower_is_better()
    .per_variable();

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "recoding-loss",
        title: "Loss by recoding",
        summary: "information that recoded and suppressed categories lost, by entropy and by levels, of each variable",
        page: include_str!("recoding_loss.md"),
        targets: Targets {
            kinds: &Kind::ALL,
            ..Targets::CONTENT
        },
        references: &["gionis2009", "sweeney2002", "hundepool2012"],
        ..MeasureCard::LOSS.card
    },
    subject: Subject::CorrespondingPair,
    value: FigureSpec::value("mean loss by entropy", Unit::Share)
        .within(0.0, 1.0)
        .lower_is_better(),
    figures: &[MEAN_LEVELS, LEVELS],
    afterwards: Afterwards::Categories,
    ..MeasureCard::LOSS
};

impl MeasureMethod for RecodingLoss {
    type Settings = ();

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, _: &Params) -> Result<(), Vec<ParamProblem>> {
        Ok(())
    }

    fn measure(
        &self,
        (): &(),
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let pair = task.both()?;
        check_rows(&pair)?;
        let columns = task.on.iter().map(|name| TwoColumns::of(pair, name));
        let mut columns: Vec<TwoColumns<'_>> = columns.collect::<Result<_, _>>()?;
        let n_asked = columns.len();
        columns.retain(|column| column.masked.as_categorical().is_some());
        if columns.is_empty() && n_asked > 0 {
            return Err(MethodError::request(
                "none of the variables holds categories in the masked file",
                "name variables that were recoded; numbers have losses of their own, such as il1s",
            ));
        }
        if columns.len() < n_asked {
            context.note(numbers_left_out(n_asked - columns.len()));
        }
        context.go_on()?;
        let found = columns.par_iter().map(|column| {
            context.go_on()?;
            Ok((column.name, Recoding::of(column, pair)))
        });
        let found: Vec<(&str, Recoding)> = found.collect::<Result<_, MethodError>>()?;
        Ok(measurement(&found))
    }
}

fn measurement(found: &[(&str, Recoding)]) -> Measurement {
    let by_variable = found.iter().map(|(name, of)| Part::new(*name, of.entropy));
    let mut measurement = mean_of_variables(by_variable.collect());
    let by_level: Vec<f64> = found.iter().filter_map(|(_, of)| of.levels).collect();
    let mean = by_level.iter().sum::<f64>() / by_level.len() as f64;
    measurement.give(&MEAN_LEVELS, mean);
    for (name, of) in found {
        measurement.give(LEVELS.of_variable(*name), of.levels);
    }
    measurement.exhibits = shown(found);
    measurement
}

/// What was done to each variable, for the internal report.
fn shown(found: &[(&str, Recoding)]) -> Vec<Exhibit> {
    if found.is_empty() {
        return Vec::new();
    }
    let rows = found.iter().map(|(name, of)| {
        let level = of
            .level
            .map(|(level, height)| format!("{level} of {height}"));
        vec![
            Cell::from(*name),
            Cell::from(level),
            Cell::from(of.n_before as u64),
            Cell::from(of.n_after as u64),
            Cell::from(of.n_blank),
            Cell::from(of.n_changed),
            Cell::from(of.levels),
            Cell::from(of.entropy),
        ]
    });
    let table = Table {
        columns: vec![
            Column::text("variable", "Variable"),
            Column::text("level", "Level"),
            Column::of(Unit::Count, "categories_before", "Categories before"),
            Column::of(Unit::Count, "categories_after", "Categories after"),
            Column::of(Unit::Count, "suppressed_cells", "Suppressed cells"),
            Column::of(Unit::Count, "changed_cells", "Changed cells"),
            Column::of(Unit::Share, "loss_by_levels", "Loss by levels"),
            Column::of(Unit::Share, "loss_by_entropy", "Loss by entropy"),
        ],
        rows: rows.collect(),
        ..Table::default()
    };
    vec![Exhibit {
        id: "recoding".to_owned(),
        title: "What was recoded".to_owned(),
        views: vec![
            View::new("Levels and categories by variable", Shows::Table(table)).filed("recoding"),
        ],
        ..Exhibit::default()
    }]
}

/// Variables that are numbers in the masked file were not recoded.
fn numbers_left_out(n_variables: usize) -> Note {
    let text = match n_variables {
        1 => "1 variable holds numbers in the masked file and was left out".to_owned(),
        n => format!("{n} variables hold numbers in the masked file and were left out"),
    };
    Note::new("numbers-left-out", text).with("n_variables", n_variables)
}
