//! The protocol version this package speaks.

/// The one version spoken; an integer on the wire.
pub const PROTOCOL_VERSION: u16 = 1;
