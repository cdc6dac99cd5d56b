//! Placeholder until the report branch is merged.
use bauta_plan::RunRecord;
/// Audience.
#[derive(Clone, Copy, Debug)]
pub enum Audience {
    /// I
    Internal,
    /// E
    External,
}
/// HTML.
pub fn html(_record: &RunRecord, _audience: Audience) -> String {
    String::new()
}
