//! What §5 of Mateo-Sanz, Sebé and Domingo-Ferrer (2004) says, each statement in our words with the
//! rule by which it is judged.

use crate::mateo_sanz_2004::{FamilyOfMasks, Figure, Grid, Setting};

macro_rules! statement {
    ($section:literal, $file:literal, $text:literal, $check:expr) => {
        Statement {
            section: $section,
            file: $file,
            text: $text,
            check: $check,
        }
    };
}

mod on_loss;
mod on_risk;

pub(super) use on_loss::ON_LOSS;
pub(super) use on_risk::ON_RISK;

/// One statement.
pub(super) struct Statement {
    pub(super) section: &'static str,
    pub(super) file: &'static str,
    pub(super) text: &'static str,
    pub(super) check: fn(&Grid) -> Verdict,
}

/// Whether a statement holds, and by which numbers.
pub(super) struct Verdict {
    pub(super) holds: bool,
    pub(super) numbers: String,
}

const CENSUS: usize = 0;
const EIA: usize = 1;
const IL1: usize = 0;
const IL1S: usize = 1;
const DLD: usize = 2;
const RID: usize = 3;
const SDID: usize = 4;

/// The figures of one measure on one file.
#[derive(Clone, Copy)]
struct View<'a> {
    settings: &'a [Setting],
    measure: usize,
}

impl Grid {
    fn view(&self, file: usize, measure: usize) -> View<'_> {
        View {
            settings: &self.files[file],
            measure,
        }
    }
}

impl View<'_> {
    fn of(self, family: FamilyOfMasks, wanted: fn(u32) -> bool) -> Vec<Figure> {
        self.settings
            .iter()
            .filter(|setting| setting.family == family && wanted(setting.parameter))
            .map(|setting| setting.figures[self.measure])
            .collect()
    }

    fn figures(self, family: FamilyOfMasks) -> Vec<Figure> {
        self.of(family, |_| true)
    }

    fn mean(self, family: FamilyOfMasks) -> f64 {
        mean(&self.figures(family), |figure| figure.all)
    }

    fn range(self, family: FamilyOfMasks) -> f64 {
        span(&self.figures(family))
    }

    /// Mean of outliers minus all.
    fn gap(self, family: FamilyOfMasks) -> f64 {
        mean(&self.figures(family), |figure| figure.outliers - figure.all)
    }

    fn share(self, family: FamilyOfMasks, says: fn(&Figure) -> bool) -> f64 {
        share(&self.figures(family), says)
    }
}

fn mean(figures: &[Figure], value: fn(&Figure) -> f64) -> f64 {
    figures.iter().map(value).sum::<f64>() / figures.len() as f64
}

fn share(figures: &[Figure], says: fn(&Figure) -> bool) -> f64 {
    figures.iter().filter(|figure| says(figure)).count() as f64 / figures.len() as f64
}

fn span(figures: &[Figure]) -> f64 {
    let values = || figures.iter().map(|figure| figure.all);
    values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min)
}

fn higher(figure: &Figure) -> bool {
    figure.outliers > figure.all
}

fn lower(figure: &Figure) -> bool {
    figure.outliers < figure.all
}

/// Outliers are higher in these families and lower in those, in more than half of the settings.
fn sides(view: View<'_>, up: &[FamilyOfMasks], down: &[FamilyOfMasks]) -> Verdict {
    let mut holds = true;
    let mut numbers = Vec::new();
    for (families, says, word) in [
        (up, higher as fn(&Figure) -> bool, "higher"),
        (down, lower, "lower"),
    ] {
        for &family in families {
            let share = view.share(family, says);
            holds &= share > 0.5;
            numbers.push(format!(
                "{} {word} in {:.0} %",
                family.letters(),
                100.0 * share
            ));
        }
    }
    Verdict {
        holds,
        numbers: numbers.join(", "),
    }
}

/// The families' figures fall in the given order.
fn falls(what: &str, ranked: &[&[FamilyOfMasks]], value: &dyn Fn(FamilyOfMasks) -> f64) -> Verdict {
    let mut holds = true;
    for pair in ranked.windows(2) {
        let least = pair[0]
            .iter()
            .map(|&family| value(family))
            .fold(f64::INFINITY, f64::min);
        let most = pair[1]
            .iter()
            .map(|&family| value(family))
            .fold(f64::NEG_INFINITY, f64::max);
        holds &= least > most;
    }
    let numbers: Vec<String> = ranked
        .iter()
        .flat_map(|families| families.iter())
        .map(|&family| format!("{} {:.3}", family.letters(), value(family)))
        .collect();
    Verdict {
        holds,
        numbers: format!("{what}: {}", numbers.join(", ")),
    }
}

fn both([first, second]: [Verdict; 2]) -> Verdict {
    Verdict {
        holds: first.holds && second.holds,
        numbers: format!("{}; {}", first.numbers, second.numbers),
    }
}

fn is(holds: bool, numbers: String) -> Verdict {
    Verdict { holds, numbers }
}

/// Mean of |outliers - all| relative to all.
fn relative_gap(figures: &[Figure]) -> f64 {
    mean(figures, |figure| {
        (figure.outliers - figure.all).abs() / figure.all
    })
}
