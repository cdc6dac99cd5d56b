//! The files of a query. The scheduler looks for them again when it plans, and takes a file that is not there for one
//! without records; so it is asked first whether it sees what the client sees.

use std::fs;
use std::path::{Path, PathBuf};

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::datasource::listing::{ListingTable, ListingTableUrl};
use datafusion::datasource::source_as_provider;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::LogicalPlan;
use futures::StreamExt;
use tonic::Status;
use tonic::transport::Channel;

use crate::ClusterError;
use crate::presence::{CHECK, NO_EXECUTORS, call};

/// Between files in the question; no path has it.
const END: char = '\0';

/// Files of a query, with their lengths on this machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files {
    /// Length, a blank and the path, each with its end.
    question: String,
}

impl Files {
    /// The files that a query reads.
    pub(crate) fn of(plan: &LogicalPlan) -> Result<Self> {
        let mut files = Self::default();
        plan.apply_with_subqueries(|node| {
            if let LogicalPlan::TableScan(scan) = node {
                let provider = source_as_provider(&scan.source)?;
                if let Some(table) = provider.downcast_ref::<ListingTable>() {
                    for url in table.table_paths() {
                        files
                            .add(url)
                            .map_err(|error| DataFusionError::External(Box::new(error)))?;
                    }
                }
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(files)
    }

    fn add(&mut self, url: &ListingTableUrl) -> std::result::Result<(), ClusterError> {
        if url.scheme() != "file" {
            return Ok(());
        }
        let missing = || ClusterError::File {
            file: Some(url.as_str().to_owned()),
        };
        let path: PathBuf = url.get_url().to_file_path().map_err(|()| missing())?;
        let text = path.to_str().ok_or_else(missing)?;
        if url.is_collection() || url.get_glob().is_some() {
            return Err(ClusterError::Folder {
                folder: text.to_owned(),
            });
        }
        let length = fs::metadata(&path).map_err(|_| missing())?.len();
        self.question.push_str(&format!("{length} {text}{END}"));
        Ok(())
    }

    /// Asks the scheduler whether it has the same files, and somebody to read them.
    pub(crate) async fn check(&self, scheduler: &Channel) -> std::result::Result<(), ClusterError> {
        let lost = |_: Status| ClusterError::Lost;
        let mut answer = call(scheduler, CHECK, self.question.clone())
            .await
            .map_err(lost)?;
        let answer = answer.next().await;
        let first_wrong = answer
            .unwrap_or_else(|| Err(Status::unavailable("no answer")))
            .map_err(lost)?;
        let index = match first_wrong {
            0 => return Ok(()),
            NO_EXECUTORS => return Err(ClusterError::Lost),
            wrong => wrong - 1,
        };
        let wrong = entries(&self.question)
            .nth(index as usize)
            .map(|(_, path)| path.to_owned());
        Err(ClusterError::File { file: wrong })
    }
}

/// The scheduler's answer: the first file that is not there or has another length, from 1 on; 0 if all are there.
pub(crate) fn first_wrong(question: &str) -> u32 {
    let is_here = |(length, path): (u64, &str)| {
        fs::metadata(Path::new(path)).is_ok_and(|file| file.is_file() && file.len() == length)
    };
    let position = entries(question).position(|entry| !is_here(entry));
    position.map_or(0, |index| u32::try_from(index + 1).unwrap_or(u32::MAX - 1))
}

fn entries(question: &str) -> impl Iterator<Item = (u64, &str)> {
    // A file without a length is one that nobody has.
    question.split_terminator(END).map(|entry| {
        let (length, path) = entry.split_once(' ').unwrap_or(("", entry));
        (length.parse().unwrap_or(u64::MAX), path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_file_that_differs_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a b");
        fs::write(&file, "123").unwrap();
        let here = format!("3 {}{END}", file.display());
        let longer = format!("4 {}{END}", file.display());
        let gone = format!("3 {}{END}", folder.path().join("gone").display());
        assert_eq!(first_wrong(""), 0);
        assert_eq!(first_wrong(&here), 0);
        assert_eq!(first_wrong(&format!("{here}{longer}")), 2);
        assert_eq!(first_wrong(&format!("{here}{here}{gone}{longer}")), 3);
        assert_eq!(first_wrong("nonsense"), 1);
    }
}
