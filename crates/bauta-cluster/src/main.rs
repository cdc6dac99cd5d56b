//! The command `bauta-cluster`: starts a scheduler or an executor.

fn main() {}
