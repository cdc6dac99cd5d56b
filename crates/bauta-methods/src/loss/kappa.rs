#![doc = include_str!("kappa.md")]

use bauta_data::Kind;

use crate::card::{Card, ParamSpec, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Subject};
use crate::pair::Pair;
use crate::pair::categories::{MISSING_CATEGORY, MissingCategory, TwoCategories};
use crate::pair::coarser::at_coarser_level;
use crate::pair::records::check_rows;
use crate::pair::variables::{TwoColumns, mean_of_variables};
use crate::params::{ParamProblem, Params};

/// Agreement of original and masked categories beyond chance. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Kappa;

const MISSING: ParamSpec = MISSING_CATEGORY.or_word("skip");
const AGREEMENT: FigureSpec =
    FigureSpec::share("agreement", "share of equal cells among those compared")
        .higher_is_better()
        .per_variable();

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "kappa",
        title: "Cohen's kappa",
        summary: "agreement of original and masked categories, record by record, beyond what chance gives",
        page: include_str!("kappa.md"),
        params: &[MISSING],
        targets: Targets {
            kinds: &[Kind::Ordered, Kind::Hierarchical, Kind::Unordered],
            ..Targets::CONTENT
        },
        references: &["cohen1960"],
        ..MeasureCard::LOSS.card
    },
    subject: Subject::CorrespondingPair,
    value: FigureSpec::value("mean kappa", Unit::Number)
        .within(-1.0, 1.0)
        .higher_is_better(),
    at_identity: Some(1.0),
    figures: &[AGREEMENT],
    usual: false,
    ..MeasureCard::LOSS
};

/// Which cells are compared.
pub struct Settings {
    missing: MissingCategory,
}

impl MeasureMethod for Kappa {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Ok(Settings {
            missing: MissingCategory::asked(params),
        })
    }

    fn measure(
        &self,
        settings: &Settings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let pair = task.both()?;
        check_rows(&pair)?;
        let mut agreements = Vec::new();
        for (done, name) in task.on.iter().enumerate() {
            context.progress(done, task.on.len())?;
            let columns = TwoColumns::of(pair, name)?;
            let categories = at_coarser_level(&columns, pair, context)?;
            agreements.push((name, Agreement::of(&categories, pair, settings.missing)));
        }
        let by_variable = agreements.iter();
        let by_variable = by_variable.map(|(name, found)| Part::new(name.as_str(), found.kappa()));
        let mut found = mean_of_variables(by_variable.collect());
        for (name, of) in &agreements {
            found.give(AGREEMENT.of_variable(name.as_str()), of.share());
        }
        Ok(found)
    }
}

/// How the categories of paired cells agree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Agreement {
    n: u128,
    n_equal: u128,
    /// `Σ f_c g_c` over categories: n² times the agreement that chance gives.
    by_chance: u128,
}

impl Agreement {
    fn of(categories: &TwoCategories, pair: Pair<'_>, missing: MissingCategory) -> Self {
        let n_counted = match missing {
            MissingCategory::Skip => categories.n_categories(),
            MissingCategory::Category => categories.n_codes(),
        };
        let mut counts = vec![[0_u64; 2]; n_counted];
        let (mut n, mut n_equal) = (0, 0);
        for (record, &after) in categories.codes[1].iter().enumerate() {
            let before = categories.codes[0][pair.original_record(record)];
            if before as usize >= n_counted || after as usize >= n_counted {
                continue;
            }
            n += 1;
            n_equal += u128::from(before == after);
            counts[before as usize][0] += 1;
            counts[after as usize][1] += 1;
        }
        let products = counts.iter().map(|&[f, g]| u128::from(f) * u128::from(g));
        Self {
            n,
            n_equal,
            by_chance: products.sum(),
        }
    }

    /// `κ = (p_o - p_e) / (1 - p_e)`, in whole numbers up to the last division; none where both files have one category.
    fn kappa(self) -> Option<f64> {
        let most = self.n * self.n - self.by_chance;
        let observed = self.n * self.n_equal;
        let distance = observed.abs_diff(self.by_chance) as f64;
        let beyond = if observed < self.by_chance {
            -distance
        } else {
            distance
        };
        (most > 0).then(|| beyond / most as f64)
    }

    fn share(self) -> Option<f64> {
        (self.n > 0).then(|| self.n_equal as f64 / self.n as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kappa_by_hand() {
        let kappa = |n, n_equal, by_chance| {
            Agreement {
                n,
                n_equal,
                by_chance,
            }
            .kappa()
        };
        // Cohen's form: 20 and 15 of 50 equal, margins 25·30 + 25·20 = 1250: (35/50 - 1/2) / (1/2) = 0.4.
        assert_eq!(kappa(50, 35, 1250), Some(0.4));
        // Two records that changed places: p_o = 0, p_e = 1/2.
        assert_eq!(kappa(2, 0, 2), Some(-1.0));
        assert_eq!(kappa(7, 7, 25), Some(1.0));
        assert_eq!(kappa(7, 7, 49), None);
        assert_eq!(kappa(0, 0, 0), None);
    }
}
