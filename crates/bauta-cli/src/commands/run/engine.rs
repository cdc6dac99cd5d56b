//! Who counts keys for a run: DataFusion on this machine, or a cluster.

use std::fmt::Display;
use std::sync::Arc;

use bauta_cluster::{Credentials, connect};
use bauta_data::Watch;
use bauta_data::store::{CountsClasses, Store};
use bauta_engine::{Counter, Limits, Session};
use bauta_methods::MethodError;
use bauta_plan::Plan;
use bauta_plan::within::spill_folder;

use crate::arguments::EngineArguments;
use crate::failure::Failure;
use crate::progress::is_cancelled;

/// Who counts, if that was asked for.
pub(crate) fn counter(
    plan: &Plan,
    asked: &EngineArguments,
) -> Result<Option<Arc<dyn CountsClasses>>, Failure> {
    let Some(input) = &plan.input else {
        return Ok(None);
    };
    let folder = spill_folder(plan, &input.path);
    Store::check_folder(&folder)?;
    // What a killed run left is removed before this one puts something beside it.
    Store::remove_leftover(&folder);
    let session = match (&asked.cluster, asked.partitions) {
        (Some(address), _) => {
            let credentials = Credentials::read(&asked.credentials);
            let credentials = credentials.map_err(|error| refused(&error))?;
            let cluster = connect(address, &credentials).map_err(|error| refused(&error))?;
            Session::of(cluster.context())
        }
        (None, Some(partitions)) => Session::local(&Limits {
            memory: plan.engine.memory.map(|bytes| bytes / 2),
            spill: folder,
            partitions: usize::from(partitions.get()),
        }),
        (None, None) => return Ok(None),
    };
    let session = session.map_err(|error| refused(&error))?;
    let counter = Counter::new(session, Box::new(CtrlC));
    Ok(Some(Arc::new(counter)))
}

fn refused(error: &dyn Display) -> Failure {
    let hint = "`bauta run` without --cluster and --partitions counts by itself";
    Failure::from(MethodError::request(error.to_string(), hint))
}

/// Stops where Ctrl-C asks for it.
struct CtrlC;

impl Watch for CtrlC {
    fn progress(&self, _done: u64, _total: u64) {}

    fn cancelled(&self) -> bool {
        is_cancelled()
    }
}
