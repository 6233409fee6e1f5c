//! Failures on their way to JavaScript. The message of the napi error is JSON; `js/errors.js` makes
//! our classes of it, since an error made here is not `instanceof Error` in every realm.

use napi::bindgen_prelude::Error;

use crate::client::Failure;

/// A failure as a napi error.
pub(super) fn to_napi(failure: Failure) -> Error {
    Error::from_reason(failure.to_value().to_string())
}

/// JSON of ours that could not be read: a fault of `js/`.
pub(super) fn unreadable(error: serde_json::Error) -> Error {
    to_napi(Failure::Internal(error.to_string()))
}
