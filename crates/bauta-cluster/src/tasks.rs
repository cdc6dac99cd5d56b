//! What the scheduler may ask of an executor: to cancel tasks. Work is fetched and not sent, so that the other calls of
//! Ballista's service are refused.

use std::sync::{Arc, Mutex, PoisonError};

use ballista_core::serde::protobuf::executor_grpc_server::ExecutorGrpc;
use ballista_core::serde::protobuf::{
    CancelTasksParams, CancelTasksResult, LaunchMultiTaskParams, LaunchMultiTaskResult,
    LaunchTaskParams, LaunchTaskResult, RemoveJobDataParams, RemoveJobDataResult,
    StopExecutorParams, StopExecutorResult,
};
use ballista_executor::executor::Executor;
use tonic::{Request, Response, Status};

/// Cancels tasks of the executor that runs now.
#[derive(Clone, Default)]
pub(crate) struct Tasks {
    executor: Arc<Mutex<Option<Arc<Executor>>>>,
}

impl Tasks {
    /// From now on these are the tasks of another executor, or of none.
    pub(crate) fn are_of(&self, executor: Option<Arc<Executor>>) {
        *self.executor.lock().unwrap_or_else(PoisonError::into_inner) = executor;
    }

    fn executor(&self) -> Option<Arc<Executor>> {
        self.executor
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

#[tonic::async_trait]
impl ExecutorGrpc for Tasks {
    async fn cancel_tasks(
        &self,
        request: Request<CancelTasksParams>,
    ) -> Result<Response<CancelTasksResult>, Status> {
        let mut cancelled = true;
        if let Some(executor) = self.executor() {
            for task in request.into_inner().task_infos {
                let found = executor.cancel_task(
                    task.job_id.into(),
                    task.stage_id as usize,
                    task.task_id as usize,
                );
                cancelled &= found.await.unwrap_or(false);
            }
        }
        Ok(Response::new(CancelTasksResult { cancelled }))
    }

    async fn launch_task(
        &self,
        _: Request<LaunchTaskParams>,
    ) -> Result<Response<LaunchTaskResult>, Status> {
        Err(refused())
    }

    async fn launch_multi_task(
        &self,
        _: Request<LaunchMultiTaskParams>,
    ) -> Result<Response<LaunchMultiTaskResult>, Status> {
        Err(refused())
    }

    async fn stop_executor(
        &self,
        _: Request<StopExecutorParams>,
    ) -> Result<Response<StopExecutorResult>, Status> {
        Err(refused())
    }

    async fn remove_job_data(
        &self,
        _: Request<RemoveJobDataParams>,
    ) -> Result<Response<RemoveJobDataResult>, Status> {
        Err(refused())
    }
}

fn refused() -> Status {
    Status::unimplemented("executors of Bauta fetch their work")
}
