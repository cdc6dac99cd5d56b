//! The rule of ten: what rests on fewer records stays in the house.

/// A category that fewer records have is not named, and a figure that rests on fewer is not given,
/// wherever others than the holders of the run record may read it: messages, notes and tables on a
/// screen, what scripts are told, figures that an external report may show. Messages end up in
/// tickets and mail, where a category of one record is that record's value. From here on a category
/// may be named: who is to merge or recode one must know which, and ten records share it.
pub const RULE_OF_TEN: u64 = 10;

/// Whether so many records are too few to be told of.
pub const fn is_few(n_records: u64) -> bool {
    n_records < RULE_OF_TEN
}
