#![doc = include_str!("projection.md")]

use crate::card::{Card, ParamSpec};
use crate::error::MethodError;
use crate::kernel::matrix::symmetric::{covariance, eigen};
use crate::kernel::numbers::moments::moments;
use crate::kernel::numbers::ranks::rows_by_value;
use crate::kernel::space::partition::Partition;
use crate::mask::continuous::{OF_NUMBERS, ROUND};
use crate::mask::microaggregation::{
    AGGREGATE, BLOCKS, Blocks, Done, Grouping, HOUSEHOLDS, K, STRATA, Scale, Settings, UnitValues,
};
use crate::missing::MISSING;
use crate::params::{Params, choices};

/// Groups neighbours along one axis through all variables, and replaces them by their mean. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Projection;

choices! {
    /// The axis along which records are put in order.
    pub enum By {
        PrincipalComponent = "principal-component": "the first principal component of the standardised variables",
        ZScores = "z-scores": "the sum of the standardised variables",
    }
}

const BY: ParamSpec =
    ParamSpec::choice::<By>("by", "the axis along which records are put in order")
        .or_word("principal-component");

static CARD: Card = Card {
    id: "projection",
    title: "Microaggregation: projection",
    summary: "replaces records by the mean of at least k neighbours along one axis through all variables",
    page: include_str!("projection.md"),
    params: &[K, BY, BLOCKS, AGGREGATE, STRATA, HOUSEHOLDS, ROUND, MISSING],
    references: &["domingo2002"],
    ..OF_NUMBERS
};

impl Grouping for Projection {
    type Way = By;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn asked(&self, params: &Params) -> Settings<By> {
        let by = params.choice_of(BY.name);
        Settings::asked(params, Blocks::asked(params), Scale::Deviation, by)
    }

    fn group(
        &self,
        &by: &By,
        units: &UnitValues<'_>,
        k: usize,
        _: &mut Done<'_>,
    ) -> Result<Partition, MethodError> {
        let scores = scores(units, by);
        Ok(Partition::consecutive(rows_by_value(&scores), k))
    }
}

/// Where each unit lies on the axis: `Σ_j v_j (x_j - x̄_j) / s_j`, with moments of these units.
fn scores(units: &UnitValues<'_>, by: By) -> Vec<f64> {
    let columns = units.columns();
    let moments: Vec<_> = columns.iter().map(|column| moments(column)).collect();
    let v = match by {
        By::PrincipalComponent => {
            let means: Vec<f64> = moments.iter().map(|moments| moments.mean).collect();
            let component = eigen(&covariance(&columns, &means).to_correlation());
            component.vectors.into_iter().next().unwrap_or_default()
        }
        By::ZScores => vec![1.0; columns.len()],
    };
    let mut scores = vec![0.0; columns.first().map_or(0, |column| column.len())];
    for ((column, moments), v) in columns.iter().zip(&moments).zip(v) {
        // A variable without spread tells no units apart.
        if moments.sd > 0.0 {
            for (score, x) in scores.iter_mut().zip(*column) {
                *score += v * ((x - moments.mean) / moments.sd);
            }
        }
    }
    scores
}
