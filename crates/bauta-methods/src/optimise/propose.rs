//! Where a value could go.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

use super::ground::Ground;
use super::settings::{Perturbation, Proposals, Settings};
use super::state::State;
use crate::context::{below, unit_interval};
use crate::kernel::numbers::normal;

/// Originals that are drawn in search of one on the right side.
const TRIES: usize = 8;

/// A record, one of its variables, and a new value for it, in the original's range.
pub(super) fn proposed(
    state: &State,
    ground: &Ground,
    settings: &Settings,
    rng: &mut ChaCha8Rng,
) -> (usize, usize, f64) {
    let open = below(state.n_open(), rng.next_u64());
    let variable = below(ground.n_variables(), rng.next_u64());
    let old = state.row(open)[variable];
    let wanted = match settings.proposals {
        Proposals::Plain => None,
        Proposals::Gradient => Some(-state.slope(ground, open, variable)).filter(|to| *to != 0.0),
    };
    let original = |rng: &mut ChaCha8Rng| {
        let record = below(ground.points.len(), rng.next_u64());
        ground.points.point(record)[variable]
    };
    // An original value, on the side to which E falls if there is one.
    let chosen = |rng: &mut ChaCha8Rng| {
        let mut value = original(rng);
        if let Some(to) = wanted {
            for _ in 1..TRIES {
                if (value - old) * to > 0.0 {
                    break;
                }
                value = original(rng);
            }
        }
        value
    };
    let new = match settings.perturbation {
        Perturbation::Gaussian => {
            let by = settings.step * normal::quantile(unit_interval(rng.next_u64()));
            old + wanted.map_or(by, |to| by.abs().copysign(to))
        }
        Perturbation::Resample => chosen(rng),
        Perturbation::Toward => {
            let toward = chosen(rng);
            old + unit_interval(rng.next_u64()) * (toward - old)
        }
    };
    let of = &ground.variables[variable];
    (open, variable, of.fit(of.mean + of.sd * new))
}
