//! Measures: what an intruder could learn and what an analyst would lose.

mod measurement;

use bauta_data::{Attribute, Kind, Table};

use crate::card::{Card, Family, Targets};
use crate::context::RunContext;
use crate::error::{MethodError, refused};
use crate::figure::{FigureName, FigureSpec, Per, Side, Unit};
use crate::mask::KeyClaim;
use crate::pair::Pair;
use crate::params::{ParamProblem, Params, RawValue};

pub use measurement::{
    Bounds, FewOf, IntervalEnd, ListedRecord, Matrix, Measurement, Part, Series, SeriesTable,
};

/// What a measure looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// One file; measured before and after masking.
    OneFile,
    /// Original and masked file, record by record.
    CorrespondingPair,
    /// Original and masked file; records need not correspond.
    Pair,
}

/// Which variables a measure looks at when the plan names none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// The keys of each scenario in turn.
    Scenario,
    /// All variables that the card's targets accept.
    Variables,
}

/// What a measure says of itself: its card, what it looks at, and the figures it gives.
#[derive(Clone, Copy, Debug)]
pub struct MeasureCard {
    /// What every method says of itself.
    pub card: Card,
    /// What it looks at.
    pub subject: Subject,
    /// Which variables it looks at when none are named.
    pub scope: Scope,
    /// The figure that it is known for, and how that is to be read.
    pub value: FigureSpec,
    /// Its value when masked and original are the same file, where that is fixed.
    pub at_identity: Option<f64>,
    /// The other figures that it gives.
    pub figures: &'static [FigureSpec],
    /// Whether it also gives its value for each variable.
    pub by_variable: bool,
    /// Parameters whose variables hold categories, even where their texts could be read as numbers.
    pub categories_in: &'static [CategoriesIn],
    /// Whether a plan that names no measure takes it. Not those that put others together, nor those
    /// that search for nearest records unasked.
    pub usual: bool,
    /// Whether it looks at variables that no step masked, where the plan names none: an intruder
    /// who links records does, and to leave them out would understate the risk.
    pub looks_at_untouched: bool,
    /// Whether it looks for the originals of masked records.
    pub seeks: Seeks,
    /// Up to where it is taken by a comparison that takes all measures unasked; none where that is never
    /// too much.
    pub unasked: Option<UnaskedLimit>,
    /// What it says of a file that nobody masked.
    pub raw_files: RawFiles,
    /// What a variable must be afterwards for a comparison to look at it.
    pub afterwards: Afterwards,
    /// What an intruder does whose success it measures.
    pub threat: Threat,
}

/// What a variable must be after masking for a comparison to look at it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Afterwards {
    /// Of the kind that it was: numbers are compared with numbers.
    SameKind,
    /// Categories, whatever it was: a number may have been recoded to intervals.
    Categories,
    /// Anything that is still there.
    AnyKind,
}

impl Afterwards {
    /// Whether a variable of one kind may be compared with what is of another now.
    pub fn accepts(self, before: Kind, after: Kind) -> bool {
        match self {
            Self::SameKind => before == after,
            Self::Categories => after != Kind::Continuous,
            Self::AnyKind => true,
        }
    }
}

/// Up to where a comparison takes a measure that nobody asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnaskedLimit {
    /// Records of the larger file.
    pub n_records: usize,
    /// Its parameters that do not ask for it when they are set: others that cost little have them too.
    pub not_asked_by: &'static [&'static str],
    /// How to ask, for people.
    pub ask: &'static str,
}

/// What an intruder does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Threat {
    /// Nothing: the measure is of no risk.
    None,
    /// Tells a record apart from all others by what is known of somebody.
    SinglingOut,
    /// Finds the record of somebody by a file of their own.
    Linkage,
    /// Learns something of somebody, whether their record is known or not.
    Inference,
}

/// Whether a measure looks for the originals of masked records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seeks {
    /// It looks for none.
    NoRecords,
    /// It looks for that of each masked record by near values, as an intruder does where keys were perturbed.
    Originals,
}

/// What a measure says of a file that nobody masked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RawFiles {
    /// As much as of any other.
    Judged,
    /// Nothing: it looks at suppressed cells alone, and where there is none its figure is the best there is.
    Perfect,
}

/// A parameter that names variables of categories.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CategoriesIn {
    /// Its name.
    pub param: &'static str,
    /// A column of more different numbers in the original is one of numbers, and nothing else.
    pub most_numbers: usize,
}

impl MeasureCard {
    /// What holds for most losses: two files, continuous content, a value that is 0 where nothing
    /// changed and worse the larger it is.
    pub const LOSS: Self = Self {
        card: Card {
            targets: Targets::CONTENT,
            ..Card::PLAIN
        },
        subject: Subject::Pair,
        scope: Scope::Variables,
        value: FigureSpec::value("loss", Unit::Number).lower_is_better(),
        at_identity: Some(0.0),
        figures: &[],
        by_variable: true,
        categories_in: &[],
        usual: true,
        looks_at_untouched: false,
        seeks: Seeks::NoRecords,
        unasked: None,
        raw_files: RawFiles::Judged,
        afterwards: Afterwards::SameKind,
        threat: Threat::None,
    };

    /// What holds for most measures of keys: one file, the keys of a scenario.
    pub const OF_KEYS: Self = Self {
        card: Card {
            family: Family::Risk,
            targets: Targets::KEYS,
            ..Card::PLAIN
        },
        subject: Subject::OneFile,
        scope: Scope::Scenario,
        value: FigureSpec::value("risk", Unit::Number).lower_is_better(),
        at_identity: None,
        by_variable: false,
        threat: Threat::SinglingOut,
        ..Self::LOSS
    };

    /// Whether deleted records are something that a comparison sees, though it looks at no variable that was masked.
    pub fn sees_deletion(&self) -> bool {
        self.subject == Subject::Pair || self.afterwards == Afterwards::AnyKind
    }

    /// The figure with this id.
    pub fn figure(&self, id: &str) -> Option<&'static FigureSpec> {
        self.figures.iter().find(|figure| figure.id == id)
    }
}

/// The file or files that a measure is given.
#[derive(Clone, Copy, Debug)]
pub enum Files<'a> {
    /// One file.
    One(&'a Table),
    /// Original and masked.
    Both(Pair<'a>),
}

/// What a measure is to work on.
#[derive(Clone, Copy, Debug)]
pub struct MeasureTask<'a> {
    /// The file or files.
    pub files: Files<'a>,
    /// Names of the variables, in order.
    pub on: &'a [String],
    /// The whole files, where `files` are the records of a subpopulation.
    pub whole: Option<Pair<'a>>,
}

impl<'a> MeasureTask<'a> {
    /// Work on whole files.
    pub const fn new(files: Files<'a>, on: &'a [String]) -> Self {
        Self {
            files,
            on,
            whole: None,
        }
    }

    /// The one file.
    pub fn one(&self) -> Result<&'a Table, MethodError> {
        match self.files {
            Files::One(table) => Ok(table),
            Files::Both(_) => Err(MethodError::Internal(
                "a measure of one file was given two".to_owned(),
            )),
        }
    }

    /// The two files.
    pub fn both(&self) -> Result<Pair<'a>, MethodError> {
        match self.files {
            Files::Both(pair) => Ok(pair),
            Files::One(_) => Err(MethodError::Internal(
                "a measure of two files was given one".to_owned(),
            )),
        }
    }
}

/// What a gate asks of a figure.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bound<'a> {
    /// The figure; none for the value.
    pub figure: Option<&'a FigureName>,
    /// Smallest accepted value.
    pub at_least: Option<f64>,
    /// Largest accepted value.
    pub at_most: Option<f64>,
}

/// How a measure is written: its settings as a type, and what it does with them. The registry
/// lists it as a [`Measure`].
pub trait MeasureMethod: Sync {
    /// Its parameters, read and valid.
    type Settings: Send + Sync;

    /// What it says of itself.
    fn card(&self) -> &'static MeasureCard;

    /// Reads the parameters: the one place that looks at them. All that can be wrong with them
    /// whatever the variables is told here.
    fn settings(&self, params: &Params) -> Result<Self::Settings, Vec<ParamProblem>>;

    /// Problems that only the variables' descriptions can show.
    fn check(&self, settings: &Self::Settings, on: &[&Attribute]) -> Vec<ParamProblem> {
        let _ = (settings, on);
        Vec::new()
    }

    /// The numbers that a figure declared [`Per::Number`] is given for.
    fn numbers_of(
        &self,
        figure: &FigureSpec,
        settings: &Self::Settings,
        on: &[String],
    ) -> Vec<f64> {
        let _ = (figure, settings, on);
        Vec::new()
    }

    /// What a bound on a figure promises of the keys, if it promises something that can be counted
    /// again in the released file.
    fn claimed(&self, settings: &Self::Settings, bound: &Bound<'_>) -> Option<KeyClaim> {
        let _ = (settings, bound);
        None
    }

    /// Measures.
    fn measure(
        &self,
        settings: &Self::Settings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError>;

    /// Parameters that show it at work, for documentation and conformance tests. They may name
    /// variables of the file that those tests measure.
    fn example(&self) -> Vec<(&'static str, RawValue)> {
        Vec::new()
    }
}

/// A method that looks at files and changes nothing, as the registry lists it.
pub trait Measure: Sync {
    /// What every method says of itself.
    fn card(&self) -> &'static Card;

    /// What a measure says of itself.
    fn declared(&self) -> &'static MeasureCard;

    /// Everything that can be told to be wrong before data are read.
    fn check(&self, params: &Params, on: &[&Attribute]) -> Vec<ParamProblem>;

    /// The figures that a measurement of these variables holds, besides its value.
    fn figures(&self, params: &Params, on: &[String]) -> Vec<FigureName>;

    /// What a bound on a figure promises of the keys.
    fn claimed(&self, params: &Params, bound: &Bound<'_>) -> Option<KeyClaim>;

    /// Measures, with parameters that [`Self::check`] accepts or an error.
    fn measure(
        &self,
        params: &Params,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError>;

    /// Parameters that show it at work.
    fn example(&self) -> Vec<(&'static str, RawValue)>;
}

impl<M: MeasureMethod> Measure for M {
    fn card(&self) -> &'static Card {
        &MeasureMethod::card(self).card
    }

    fn declared(&self) -> &'static MeasureCard {
        MeasureMethod::card(self)
    }

    fn check(&self, params: &Params, on: &[&Attribute]) -> Vec<ParamProblem> {
        match self.settings(params) {
            Ok(settings) => MeasureMethod::check(self, &settings, on),
            Err(problems) => problems,
        }
    }

    fn figures(&self, params: &Params, on: &[String]) -> Vec<FigureName> {
        let Ok(settings) = self.settings(params) else {
            return Vec::new();
        };
        let of = |figure: &FigureSpec| -> Vec<FigureName> {
            match figure.per {
                Per::Measurement => vec![figure.into()],
                Per::Side => Side::BOTH.map(|file| figure.of_side(file)).to_vec(),
                Per::Variable => on.iter().map(|name| figure.of_variable(name)).collect(),
                Per::Number => {
                    let numbers = self.numbers_of(figure, &settings, on);
                    numbers.into_iter().map(|n| figure.at(n)).collect()
                }
            }
        };
        let figures = MeasureMethod::card(self).figures.iter();
        figures.flat_map(of).collect()
    }

    fn claimed(&self, params: &Params, bound: &Bound<'_>) -> Option<KeyClaim> {
        let settings = self.settings(params).ok()?;
        MeasureMethod::claimed(self, &settings, bound)
    }

    fn measure(
        &self,
        params: &Params,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let settings = self.settings(params).map_err(refused)?;
        MeasureMethod::measure(self, &settings, task, context).map(Measurement::finite)
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        MeasureMethod::example(self)
    }
}
