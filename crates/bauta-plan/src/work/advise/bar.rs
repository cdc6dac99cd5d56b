//! What an answer demands, in numbers: the one place where advice sets its bounds. `docs/concepts/advice.md` shows
//! them.

use super::questions::{Answers, Intruder, Need, Recipient};
use crate::work::init::rules::Bar;

/// What those who get the file demand of it.
pub(super) struct Demand {
    /// The bounds of counts, probabilities and linkages.
    pub(super) bar: Bar,
    /// Largest distance of the sensitive values of a class from those of the file, where it is judged.
    pub(super) max_distance: Option<f64>,
    /// Whether amounts are masked whoever the intruder is.
    pub(super) masks_amounts: bool,
    /// Why it is so.
    pub(super) why: &'static str,
}

/// The bounds for those who get the file.
pub(super) const fn demand(recipient: Recipient) -> Demand {
    match recipient {
        Recipient::Public => Demand {
            bar: Bar {
                k: 5,
                max_risk: 0.05,
                max_linked: 0.05,
            },
            max_distance: Some(0.4),
            masks_amounts: true,
            why: "anybody may try, for ever, and no copy comes back",
        },
        Recipient::Teaching => Demand {
            bar: Bar {
                k: 5,
                max_risk: 0.05,
                max_linked: 0.1,
            },
            max_distance: Some(0.4),
            masks_amounts: true,
            why: "copies that a class has are watched by nobody",
        },
        Recipient::Scientific => Demand {
            bar: Bar {
                k: 3,
                max_risk: 0.1,
                max_linked: 0.1,
            },
            max_distance: Some(0.5),
            masks_amounts: false,
            why: "a contract keeps honest people from trying; the file must withstand chance and curiosity",
        },
        Recipient::Secure => Demand {
            bar: Bar {
                k: 3,
                max_risk: 0.2,
                // As with k = 3: one of three.
                max_linked: 0.334,
            },
            max_distance: None,
            masks_amounts: false,
            why: "the room keeps the file in; what is left is that somebody in it recognises a person",
        },
    }
}

/// Numbers are averaged in groups of so many that linkage stays below its bound with a fifth to spare.
pub(super) fn group_size(max_linked: f64) -> i64 {
    let smallest = (1.2 / max_linked).ceil();
    // From 4 to 24, by the bounds above.
    smallest as i64
}

/// More numbers than these leave traces of their record however each is swapped: of twelve that go together, within
/// 0.15 of the ranks, a fifth to a quarter of the records is found.
pub(super) const MOST_SWAPPED: usize = 4;
/// Fewest different values that the sensitive values of a class must have, where no value is the usual one.
pub(super) const DIVERSE: i64 = 2;
/// Largest difference of any share of a one-way table.
pub(super) const MAX_TABLE: f64 = 0.05;
/// Smallest overlap of confidence intervals, of means and of totals.
pub(super) const MIN_OVERLAP: f64 = 0.8;
/// Largest mean change of correlations.
pub(super) const MAX_CORRELATION: f64 = 0.1;
/// Largest mean change of Cramér's V.
pub(super) const MAX_V: f64 = 0.05;
/// Largest share of the information of categories that recoding and blanks may take. Shares of tables leave blanks
/// out, so that a variable which is blank nearly everywhere shows only here.
pub(super) const MAX_RECODED: f64 = 0.5;
/// The same for those who need categories as fine as they are.
pub(super) const MAX_RECODED_OF_DETAIL: f64 = 0.1;
/// The same of a single key: one that lost more is there by its name only, and the others would hide that in a mean.
pub(super) const MAX_RECODED_OF_ONE: f64 = 0.9;
/// Largest share of the records that may be deleted.
pub(super) const MAX_DELETED: f64 = 0.5;
/// Most records that somebody may find who looks for anybody, in a sample with weights.
pub(super) const MAX_HITS: f64 = 1.0;

impl Answers {
    /// Whether amounts that nobody sees of a person are known to an intruder, or may be.
    pub(super) fn masks_amounts(&self) -> bool {
        let demand = demand(self.recipient());
        let has_amounts = self.fear(Intruder::Register) || self.fear(Intruder::WorstCase);
        // In a supervised room they are what the work is about, and no list can be held against them there.
        demand.masks_amounts || (has_amounts && self.recipient() != Recipient::Secure)
    }

    /// Whether categories stay as fine as they are: blanks pay for it then. Never for those whom nobody knows.
    pub(super) fn keeps_detail(&self) -> bool {
        let is_known = matches!(self.recipient(), Recipient::Scientific | Recipient::Secure);
        self.need(Need::Detail) && is_known
    }

    /// Whether numbers must keep their means and how they go together.
    pub(super) fn averages(&self) -> bool {
        self.need(Need::Means) || self.need(Need::Relations)
    }
}
