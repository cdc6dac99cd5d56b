//! Files of totals.

use bauta_data::totals::read_totals;

use super::Target;
use crate::fuzz::case::Case;
use crate::fuzz::draws::Draws;
use crate::fuzz::finding::{Finding, Oracle, Outcome, Verdict};
use crate::fuzz::make::damage::damaged;
use crate::fuzz::make::table::{MadeTable, Numbers};
use crate::fuzz::make::totals::totals_file;
use crate::fuzz::oracle::canaries::Canaries;
use crate::fuzz::world::World;

/// Files of totals that weights are to reach.
pub(crate) struct Totals;

const TOTALS: &str = "totals.csv";

impl Target for Totals {
    fn name(&self) -> &'static str {
        "totals"
    }

    fn make(&self, draws: &mut Draws, _world: &World) -> Case {
        let table = MadeTable::usual(draws, 6, Numbers::Usual);
        let mut text = totals_file(draws, &table).into_bytes();
        if draws.one_in(2) {
            let other = totals_file(draws, &table);
            text = damaged(draws, &text, other.as_bytes());
        }
        Case::default().with(TOTALS, text)
    }

    fn run(&self, case: &Case, world: &World) -> Outcome {
        let folder = world.empty_folder();
        case.unpack(folder.path()).expect("room in memory");
        let read = || read_totals(&folder.path().join(TOTALS));
        let totals = match read() {
            Ok(totals) => totals,
            Err(error) => {
                let text = String::from_utf8_lossy(case.get(TOTALS).unwrap_or_default());
                let canaries = Canaries::of([text.as_ref()], []);
                canaries.look_for("the error", &error.to_string())?;
                return Ok(Verdict::Refused);
            }
        };
        let sound = |(name, total): &(String, f64)| !name.is_empty() && total.is_finite();
        if totals.is_empty() || !totals.iter().all(sound) {
            return Err(Finding::new(
                Oracle::Law,
                "a total without a name, or one that is no number",
            ));
        }
        if read().ok().as_ref() != Some(&totals) {
            return Err(Finding::new(
                Oracle::Law,
                "read again, the totals are others",
            ));
        }
        Ok(Verdict::Accepted)
    }
}
