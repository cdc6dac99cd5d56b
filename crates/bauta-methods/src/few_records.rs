//! The rule of ten: what rests on fewer records stays in the house.

use crate::card::ParamSpec;
use crate::params::Params;

/// A category that fewer records have is not named, and a figure that rests on fewer is not given,
/// wherever others than the holders of the run record may read it: messages, notes and tables on a
/// screen, what scripts are told, figures that an external report may show. Messages end up in
/// tickets and mail, where a category of one record is that record's value. From here on a category
/// may be named: who is to merge or recode one must know which, and ten records share it.
pub const RULE_OF_TEN: u64 = 10;

/// What the tables of a measure show, shared by those whose tables have a row per category. The figures
/// that an external report may show keep to [`RULE_OF_TEN`] whatever it says.
pub(crate) const MIN_RECORDS: ParamSpec = ParamSpec::integer(
    "min_records",
    "records that a figure in the tables must rest on; what rests on fewer has no value there",
    1,
)
.or_integer(RULE_OF_TEN.cast_signed());

/// What was asked for by [`MIN_RECORDS`].
pub(crate) fn min_records(params: &Params) -> u64 {
    params.count(MIN_RECORDS.name) as u64
}

/// Whether so many records are too few to be told of.
pub const fn is_few(n_records: u64) -> bool {
    n_records < RULE_OF_TEN
}
