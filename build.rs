//! Links the addon against the symbols that Node.js provides at load time.
fn main() {
    #[cfg(feature = "node")]
    napi_build::setup();
}
