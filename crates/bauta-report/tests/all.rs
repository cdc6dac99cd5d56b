//! All tests of the reports in one program, which is linked once.

mod calibration;
mod comparison;
mod report;
mod support;
