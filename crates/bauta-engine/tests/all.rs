//! The integration tests, one program.
