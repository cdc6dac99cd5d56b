//! What can come of a case.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What came of a case that broke no promise.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Verdict {
    /// The input was valid and went all the way.
    Accepted,
    /// The input was refused with a clear error.
    Refused,
}

/// What came of a case: a verdict, or a broken promise.
pub(crate) type Outcome = Result<Verdict, Finding>;

/// The promises, each with the oracle that looks after it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) enum Oracle {
    /// Nothing panics.
    Panic,
    /// The process does not die.
    Crash,
    /// Work ends within its time.
    Time,
    /// Work needs no more than its memory.
    Memory,
    /// Nothing calls itself a mistake of ours.
    Internal,
    /// Exit code and verdict agree.
    ExitCode,
    /// Keys of released bytes, counted plainly, are what the record claims.
    Recount,
    /// No cell value in a message.
    Canary,
    /// Cells that no step touched come out as they came in.
    RoundTrip,
    /// The same bytes on any number of threads.
    Threads,
    /// The same bytes in memory and with columns in files.
    Store,
    /// What was written is what the record says, reads back, and can be verified.
    Record,
    /// What must hold of conditions, hierarchies and other parts by themselves.
    Law,
}

const LONGEST_MESSAGE: usize = 1_000;

/// A broken promise.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Finding {
    /// The promise.
    pub(crate) oracle: Oracle,
    /// What was found.
    pub(crate) message: String,
}

impl Finding {
    /// A broken promise and what was found.
    pub(crate) fn new(oracle: Oracle, message: impl Into<String>) -> Self {
        // Enough to know it by; the case has the rest.
        let message = message.into().chars().take(LONGEST_MESSAGE).collect();
        Self { oracle, message }
    }

    /// Whether two findings are likely of one mistake: the same oracle says the same but for names and figures.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.oracle == other.oracle && without_particulars(self) == without_particulars(other)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.oracle, self.message)
    }
}

/// The first line of what was found, without what stands in quotes and without digits. The place of a panic keeps
/// its digits: they say which line of the code it was.
fn without_particulars(finding: &Finding) -> String {
    let first = finding.message.lines().next().unwrap_or_default();
    if finding.oracle == Oracle::Panic {
        return first.to_owned();
    }
    let unquoted: Vec<&str> = first.split(['`', '"', '\'']).step_by(2).collect();
    unquoted
        .concat()
        .replace(|letter: char| letter.is_ascii_digit(), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_alike_but_for_names_and_figures() {
        let found = |oracle, message: &str| Finding::new(oracle, message);
        let one = found(Oracle::Recount, "`a` has 3 records");
        assert!(one.is_like(&found(Oracle::Recount, "`b` has 12 records")));
        assert!(!one.is_like(&found(Oracle::Recount, "`b` lost 12 records")));
        assert!(!one.is_like(&found(Oracle::Canary, "`a` has 3 records")));
        let panic = found(Oracle::Panic, "x.rs:10:5\nindex 3");
        assert!(panic.is_like(&found(Oracle::Panic, "x.rs:10:5\nindex 4")));
        assert!(!panic.is_like(&found(Oracle::Panic, "x.rs:11:5\nindex 3")));
    }
}
