//! From what Ballista says of a failed query to what may be shown of it.

use datafusion::error::DataFusionError;

use crate::ClusterError;

/// Words by which failures are known, and what they are. The texts of Ballista and `DataFusion` are looked at and never
/// shown: they may quote a cell.
const KINDS: [(&str, &str); 7] = [
    (
        "not implemented",
        "it uses something that a cluster cannot do",
    ),
    (
        "NotImplemented",
        "it uses something that a cluster cannot do",
    ),
    (
        "failed to serialize",
        "its plan cannot be sent to a cluster",
    ),
    (
        "Could not parse plan",
        "its plan cannot be read by the scheduler: a function or table is not known there",
    ),
    ("Overflow", "a number is larger than its type can hold"),
    (
        "cast",
        "a value cannot be turned into the type that is asked for",
    ),
    (
        "panicked",
        "an executor met a mistake of ours or of DataFusion's",
    ),
];

/// What a failed query means for the user. What is already ours stays as it is.
pub(crate) fn explained(error: DataFusionError, job: Option<String>) -> DataFusionError {
    if let DataFusionError::External(inner) = &error
        && inner.is::<ClusterError>()
    {
        return error;
    }
    DataFusionError::External(Box::new(known(&error.to_string(), job)))
}

/// Whether a query may be sent again: somebody was lost, and not the query wrong.
pub(crate) fn is_loss(error: &DataFusionError) -> bool {
    match error {
        DataFusionError::External(inner) if inner.is::<ClusterError>() => {
            matches!(inner.downcast_ref(), Some(ClusterError::Lost))
        }
        error => matches!(known(&error.to_string(), None), ClusterError::Lost),
    }
}

/// Signs of a loss: a shuffle file that could not be fetched, on an executor and here; a job that the scheduler dropped
/// because an executor left; a connection that broke.
const LOSSES: [&str; 10] = [
    " has failed 0 times",
    "Shuffle fetch partition error",
    "GrpcConnectionError",
    "GrpcActionError",
    "failed: Cancelled",
    "transport error",
    "h2 protocol error",
    "code: Unavailable",
    "code: Unknown",
    "code: Cancelled",
];

fn known(text: &str, job: Option<String>) -> ClusterError {
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if has(&LOSSES) {
        return ClusterError::Lost;
    }
    if has(&[
        "No such file or directory",
        "Permission denied",
        "NotFound {",
    ]) {
        return ClusterError::File {
            file: file_in(text),
        };
    }
    if has(&["No space left", "Disk quota"]) {
        return ClusterError::Disk;
    }
    if has(&["Resources exhausted", "ResourcesExhausted"]) {
        return ClusterError::Memory;
    }
    let kind = KINDS.iter().find(|(word, _)| text.contains(word));
    let kind = kind.map_or(
        "the reason is not one that is known not to show data",
        |(_, kind)| kind,
    );
    ClusterError::Query {
        job: job.unwrap_or_else(|| "not accepted".to_owned()),
        kind,
    }
}

/// The path that an object store could not open.
fn file_in(text: &str) -> Option<String> {
    let ways = [
        ("Object at location ", " not found"),
        ("Unable to open file ", ": "),
        ("path: \"", "\""),
    ];
    ways.iter().find_map(|(before, after)| {
        let rest = text.split_once(before)?.1;
        let path = rest.split_once(after)?.0.trim_matches('"');
        (!path.is_empty() && path.len() < 4096).then(|| path.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_that_errors_quote_are_not_shown() {
        let error = DataFusionError::Execution(
            "Cannot cast string '1972-SECRET' to value of Int64 type".to_owned(),
        );
        let shown = explained(error, Some("42".to_owned())).to_string();
        assert!(!shown.contains("SECRET"), "{shown}");
        assert!(
            shown.contains("job 42") && shown.contains("turned into the type"),
            "{shown}"
        );
    }

    #[test]
    fn a_file_that_is_missing_is_named() {
        let text = "Object Store error: Object at location /data/part-1.parquet not found: No such file or directory";
        let shown = known(text, None).to_string();
        assert!(
            shown.contains("does not see /data/part-1.parquet"),
            "{shown}"
        );
    }
}
