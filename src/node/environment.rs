//! The environments (main thread, workers) that have loaded the addon, and what happens when one
//! ends: `terminate()` and `process.exit()` run no JavaScript, so the hooks are here.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, Once, PoisonError, Weak};

use napi::bindgen_prelude::{Env, Result};

use crate::client::Client;
use crate::process::registry::{self, Owner};

static NEXT: AtomicU64 = AtomicU64::new(1);
static CLIENTS: LazyLock<Mutex<HashMap<u64, Vec<Weak<Client>>>>> = LazyLock::new(Mutex::default);

/// The number of the environment; given, and its hook set, at the first call.
pub(super) fn owner(env: Env) -> Result<Owner> {
    static AT_EXIT: Once = Once::new();
    AT_EXIT.call_once(kill_at_exit);
    if let Some(owner) = env.get_instance_data::<u64>()? {
        return Ok(Owner(*owner));
    }
    let owner = NEXT.fetch_add(1, Ordering::Relaxed);
    env.set_instance_data(owner, (), |_| {})?;
    env.add_env_cleanup_hook(owner, |owner| {
        registry::kill_owned(Owner(owner));
        let clients = lock().remove(&owner).unwrap_or_default();
        for client in clients.iter().filter_map(Weak::upgrade) {
            client.abandon();
        }
    })?;
    Ok(Owner(owner))
}

/// Writes a client down, to be abandoned with its environment: its reader would wait for ever for
/// a lane that nobody empties.
pub(super) fn enter(owner: Owner, client: &Arc<Client>) {
    let mut clients = lock();
    let clients = clients.entry(owner.0).or_default();
    clients.retain(|client| client.strong_count() > 0);
    clients.push(Arc::downgrade(client));
}

fn lock() -> MutexGuard<'static, HashMap<u64, Vec<Weak<Client>>>> {
    CLIENTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `process.exit()` and an uncaught exception end the main thread's environment without its hooks.
fn kill_at_exit() {
    extern "C" fn kill() {
        registry::kill_all();
    }
    #[expect(
        unsafe_code,
        reason = "atexit has no safe wrapper; `kill` is static and never unwinds"
    )]
    // SAFETY: the image is pinned by the first threadsafe function, so `kill` stays mapped.
    let is_set = unsafe { atexit(kill) } == 0;
    debug_assert!(is_set, "the C library has room for 32 functions at least");
}

#[expect(unsafe_code, reason = "the C standard's own; the same on every platform")]
unsafe extern "C" {
    fn atexit(function: extern "C" fn()) -> std::ffi::c_int;
}
