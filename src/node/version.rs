//! Which release the native file is of. `js/native.js` asks it before anything else.

use napi_derive::napi;

/// The version of the crate, which is that of the npm package.
#[napi(catch_unwind)]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}
