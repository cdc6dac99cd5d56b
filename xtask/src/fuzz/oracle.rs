//! What must hold, looked at by means of its own.

pub(crate) mod canaries;
pub(crate) mod plain_counter;
pub(crate) mod plain_text;
pub(crate) mod released;
pub(crate) mod slow_count;
