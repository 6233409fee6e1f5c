//! Permission choice, for JavaScript.

use napi::bindgen_prelude::Result;
use napi_derive::napi;
use serde_json::json;

use super::error::unreadable;
use crate::acp::permission::{Decision, PermissionOption, choose};

/// What JavaScript decided.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct NativeDecision {
    kind: Option<String>,
    option_id: Option<String>,
}

/// Chooses among the offered options; both texts are JSON, and so is what is returned:
/// `{result, missing}`.
#[napi(catch_unwind)]
pub fn choose_permission(decision: String, options: String) -> Result<String> {
    let decision: NativeDecision = serde_json::from_str(&decision).map_err(unreadable)?;
    let options: Vec<PermissionOption> = serde_json::from_str(&options).map_err(unreadable)?;
    let decision = match decision {
        NativeDecision { option_id: Some(id), .. } => Decision::Option(id),
        NativeDecision { kind: Some(kind), .. } => Decision::Kind(kind),
        NativeDecision { .. } => Decision::Cancelled,
    };
    let choice = choose(&decision, &options);
    Ok(json!({ "result": choice.result, "missing": choice.missing }).to_string())
}
