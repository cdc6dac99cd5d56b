//! What every registered method must keep to. A new method gets these tests for free.

mod conformance {
    pub(crate) mod cards;
    pub(crate) mod changers;
    pub(crate) mod degenerate;
    pub(crate) mod measures;
    pub(crate) mod zoo;
}
mod support;
