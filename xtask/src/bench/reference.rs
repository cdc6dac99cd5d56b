//! Works that are no method of their own: MDAV as it is written down, which the fast one is held
//! to, and the search for the nearest record, which other tools offer too.

#[path = "../../../crates/bauta-methods/tests/support/mdav_plain.rs"]
mod mdav_plain;

use std::convert::Infallible;

use bauta_data::Table;
use bauta_methods::Params;
use bauta_methods::kernel::numbers::moments::{Moments, moments};
use bauta_methods::kernel::space::nearest::NearestTree;
use bauta_methods::kernel::space::points::Points;
use bauta_methods::mask::mdav::groups::mdav;
use mdav_plain::mdav_plain;

use super::figures::Figures;
use super::inputs;
use super::plain::{self, columns};
use super::resources::measured;
use super::work::{Input, Work};

/// Queries that are answered again by looking at every record.
const N_SEARCHED_AGAIN: usize = 100;

/// Groups all records the plain way; the tree must make the very same groups.
pub(super) fn plain_mdav(work: &Work, table: &Table, params: &Params) -> Result<Figures, String> {
    let columns = columns(work, table)?;
    let k = usize::try_from(params.integer("k")).map_err(|_| "k is negative")?;
    let (figures, groups) = measured(|| {
        let points = Points::standardised(&columns, &all_moments(&columns));
        Ok(mdav_plain(&points, k))
    })?;
    let points = Points::standardised(&columns, &all_moments(&columns));
    let Ok(by_tree) = mdav(&points, k, |_| Ok::<(), Infallible>(()));
    if by_tree != groups {
        return Err(format!("{}: the tree makes other groups", work.name));
    }
    Ok(figures)
}

/// The nearest record of every query, the tree's making included.
pub(super) fn nearest_record(work: &Work, table: &Table) -> Result<Figures, String> {
    let Input::Search(queries) = work.input else {
        return Err(format!("{}: there is nothing to look for", work.name));
    };
    let queries = inputs::queries(queries, table.n_records());
    let (x, z) = (columns(work, table)?, columns(work, &queries)?);
    let (figures, found) = measured(|| {
        let by = all_moments(&x);
        let (searched, queries) = (Points::standardised(&x, &by), Points::standardised(&z, &by));
        let found = NearestTree::new(&searched).nearest_of_all(
            &queries,
            |_, _| f64::INFINITY,
            |_| Ok::<(), Infallible>(()),
        );
        let Ok(found) = found;
        Ok(found)
    })?;
    let (x, z) = (plain::standardised(&x, &x), plain::standardised(&z, &x));
    let step = found.len().div_ceil(N_SEARCHED_AGAIN).max(1);
    for record in (0..found.len()).step_by(step) {
        let (row, distance) = plain::nearest(&x, &z, record);
        if row != found[record].row as usize || (distance - found[record].distance).abs() > 1e-9 {
            return Err(format!("{}: a full search finds another record", work.name));
        }
    }
    Ok(Figures {
        answer: Some(found.iter().map(|found| found.distance.sqrt()).sum()),
        ..figures
    })
}

fn all_moments(columns: &[&[f64]]) -> Vec<Moments> {
    columns.iter().map(|column| moments(column)).collect()
}
