//! One tokio runtime for the process, never dropped: it is shared by the main thread and all
//! workers, and each of them may end first. (napi's own is dropped with an environment.)

use std::sync::LazyLock;

use napi::bindgen_prelude::{Error, Result};
use tokio::runtime::{Builder, Runtime};

/// Reader, writer and the crate's driver of one agent keep two threads busy; more agents share them.
const WORKER_THREADS: usize = 2;

static RUNTIME: LazyLock<std::io::Result<Runtime>> = LazyLock::new(|| {
    Builder::new_multi_thread()
        .worker_threads(WORKER_THREADS)
        .thread_name("mini-me-client")
        .enable_all()
        .build()
});

/// The runtime.
pub(super) fn runtime() -> Result<&'static Runtime> {
    RUNTIME.as_ref().map_err(|error| Error::from_reason(format!("no tokio runtime: {error}")))
}
