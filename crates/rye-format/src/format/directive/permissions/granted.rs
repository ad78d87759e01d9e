//! What permissions grant, and where they say so.

use crate::capability::{Access, Capability, HostRule};
use crate::format::Span;

/// One thing that permissions say, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The grant.
    pub granted: Granted,
    /// Its place in the file.
    pub span: Span,
}

/// What one part of a permissions element grants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Granted {
    /// Calls.
    Call(Capability),
    /// Paths that tools may touch.
    Path(Access, String),
    /// A host that tools may reach.
    Host(HostRule),
}
