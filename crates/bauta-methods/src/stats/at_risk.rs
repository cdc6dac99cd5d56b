//! Which records are at risk, by any of several rules.

use bauta_data::Table;

use super::benedetti_franconi::expected_inverse;
use super::keys::{Semantics, frequencies};
use crate::error::MethodError;
use crate::params::Params;

/// Rules by which a record is at risk; one that holds is enough.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct AtRisk {
    /// Its key occurs fewer times.
    pub(crate) k: u32,
    /// How a missing key value counts.
    pub(crate) semantics: Semantics,
    /// Its individual risk is above this.
    pub(crate) risk: Option<f64>,
}

impl AtRisk {
    /// The rules that parameters `k`, `semantics` and `risk` ask for.
    pub(crate) fn asked(params: &Params) -> Self {
        Self {
            k: u32::try_from(params.integer("k")).unwrap_or(u32::MAX),
            semantics: Semantics::from_name(params.choice("semantics"))
                .unwrap_or(Semantics::Visible),
            risk: params.number_if_set("risk"),
        }
    }

    /// For each record whether it is at risk.
    pub(crate) fn flags(&self, table: &Table, keys: &[usize]) -> Result<Vec<bool>, MethodError> {
        let counted = frequencies(table, keys, self.semantics)?;
        let mut flags: Vec<bool> = counted.f.iter().map(|&f| f < self.k).collect();
        if let Some(limit) = self.risk {
            let counts = counted.f.iter().zip(&counted.big_f);
            for (flag, (&f, &big_f)) in flags.iter_mut().zip(counts) {
                *flag |= expected_inverse(f64::from(f), big_f) > limit;
            }
        }
        Ok(flags)
    }
}
