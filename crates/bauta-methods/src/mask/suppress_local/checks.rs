//! What can be wrong with what is asked of local suppression.

use bauta_data::{Attribute, near};

use super::{
    COSTS, Counted, HOUSEHOLD_KEYS, REVERSAL, Remedy, SCENARIOS, SEARCH, SEMANTICS, SUBSETS,
};
use super::{Search, Settings};
use crate::keys::suppression::{MAX_KEYS_OF_HOMES, n_combinations};
use crate::params::ParamProblem;

/// Most keys for which the search of mu-Argus, and that under `own`, go through all their subsets.
const MAX_KEYS_OF_SUBSETS: usize = 16;
/// Most sets of keys that one step makes safe.
const MAX_KEY_SETS: u64 = 2048;

impl Settings {
    /// What is wrong with the parameters together.
    pub(super) fn problems(&self) -> Vec<ParamProblem> {
        let mut problems = Vec::new();
        let mut refuse = |param: &str, message: &str, hint: &str| {
            problems.push(ParamProblem::of(param, message, hint));
        };
        if self.search == Search::MuArgus {
            if self.counted != Counted::Original {
                refuse(
                    SEARCH.name,
                    "the search of mu-Argus counts in the file before suppression",
                    "leave `semantics` out or say \"original\", or use search = \"exact\"",
                );
            }
            if self.costs.iter().any(|(_, cost)| cost.is_infinite()) {
                refuse(
                    SEARCH.name,
                    "the search of mu-Argus may blank every key",
                    "use search = \"exact\" with infinite costs",
                );
            }
        }
        if self.remedy == Remedy::Blank && self.counted == Counted::Own {
            refuse(
                REVERSAL.name,
                "another blank would set a record apart again where a blank is a value of its own",
                "use reversal = \"delete\", or another semantics",
            );
        }
        if self.several_sets() {
            if self.counted == Counted::Own {
                refuse(
                    SEMANTICS.name,
                    "`own` is reached for one set of keys, not for several at once",
                    "use semantics = \"visible\", or name all keys in `on` and no scenarios or subsets",
                );
            }
            if self.remedy != Remedy::Leave {
                refuse(
                    REVERSAL.name,
                    "blanks that can be worked out are found for one set of keys, not for several at once",
                    "leave `reversal` out, or name all keys in `on` and no scenarios or subsets",
                );
            }
        }
        if !self.household_keys.is_empty() {
            if self.counted == Counted::Own || self.search == Search::MuArgus {
                refuse(
                    HOUSEHOLD_KEYS.name,
                    "whole households are blanked under `visible` and `original`, by our own search",
                    "leave `household_keys` out, or `semantics` and `search`",
                );
            }
            if self.remedy == Remedy::Blank {
                refuse(
                    REVERSAL.name,
                    "one more blank for a single record would part it from its household",
                    "use reversal = \"delete\", or leave `household_keys` out",
                );
            }
        }
        problems
    }

    /// What is wrong with the parameters for variables so described.
    pub(super) fn problems_on(&self, on: &[&Attribute]) -> Vec<ParamProblem> {
        let mut problems = self.strangers(on);
        let n_keys = on.len();
        let mut refuse = |param: &str, message: String, hint: &str| {
            problems.push(ParamProblem::of(param, message, hint));
        };
        if self.search == Search::MuArgus && n_keys > MAX_KEYS_OF_SUBSETS {
            refuse(
                SEARCH.name,
                format!(
                    "the search of mu-Argus lists all subsets of the keys, and {n_keys} are too many"
                ),
                "use search = \"exact\"",
            );
        }
        if self.counted == Counted::Own && n_keys > MAX_KEYS_OF_SUBSETS {
            refuse(
                SEMANTICS.name,
                format!("`own` tries all sets of the keys, and {n_keys} are too many"),
                "use another semantics, or fewer keys",
            );
        }
        if !self.household_keys.is_empty() && n_keys > MAX_KEYS_OF_HOMES {
            refuse(
                HOUSEHOLD_KEYS.name,
                format!(
                    "all sets of the keys are tried for a household: {n_keys} are too many, {MAX_KEYS_OF_HOMES} the most"
                ),
                "name fewer keys, or leave `household_keys` out",
            );
        }
        let n_sets = self.n_key_sets(n_keys);
        if n_sets > MAX_KEY_SETS {
            refuse(
                if self.subsets.is_some() {
                    SUBSETS.name
                } else {
                    SCENARIOS.name
                },
                format!(
                    "{n_sets} sets of keys would have to be safe, and {MAX_KEY_SETS} are the most"
                ),
                "choose a smaller `subsets`, or fewer keys",
            );
        }
        problems
    }

    /// How many sets of keys there are, sets within others counted too.
    fn n_key_sets(&self, n_keys: usize) -> u64 {
        let of_set = |n_keys: usize| match self.subsets {
            Some(m) => n_combinations(n_keys, m.min(n_keys)),
            None => 1,
        };
        if self.scenarios.is_empty() {
            return of_set(n_keys);
        }
        let sets = self.scenarios.iter().map(|(_, keys)| of_set(keys.len()));
        sets.fold(0, u64::saturating_add)
    }

    /// Names in parameters of variables that the step does not work on.
    fn strangers(&self, on: &[&Attribute]) -> Vec<ParamProblem> {
        let costs = self.costs.iter().map(|(name, _)| (COSTS.name, name));
        let of_sets = self.scenarios.iter().flat_map(|(_, keys)| keys);
        let of_sets = of_sets.map(|name| (SCENARIOS.name, name));
        let of_homes = self.household_keys.iter();
        let of_homes = of_homes.map(|name| (HOUSEHOLD_KEYS.name, name));
        let named = costs.chain(of_sets).chain(of_homes);
        named
            .filter(|(_, name)| !on.iter().any(|attribute| attribute.name == **name))
            .map(|(param, name)| {
                let names = on.iter().map(|attribute| attribute.name.as_str());
                ParamProblem::of(
                    param,
                    format!("`{param}` names `{name}`, which this step does not work on"),
                    near::hint(name, names),
                )
            })
            .collect()
    }
}
