//! The order of options in every help: a command's own first, then how files are read, then what every command takes.

/// Heading of the parameters of methods.
pub(super) const PARAMETERS: &str = "Parameters";
/// Heading of what is said about files.
pub(super) const FILES: &str = "How files are read";
/// Heading of what every command takes.
pub(super) const GENERAL: &str = "Every command";

/// Place of the first option about files, behind a command's own.
pub(super) const FILES_FIRST: usize = 500;
/// Place of the first option that every command takes.
pub(super) const GENERAL_FIRST: usize = 900;
