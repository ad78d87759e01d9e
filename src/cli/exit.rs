//! What the program's exit code says. Scripts rely on every number.

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// Done.
    Done,
    /// Something failed: a tool, an unknown id, or `--check` found something.
    Failed,
    /// The command line, inputs or an item are not valid.
    Invalid,
    /// A verdict other than good and builtin: unsigned, not judged, tampered, untrusted and so on; or an approval without a
    /// terminal.
    Refused,
    /// Permissions deny it.
    Denied,
    /// A limit, a signal or a person stopped it, or a person answered no.
    Stopped,
    /// A provider failed, or a registry cannot be reached.
    Provider,
    /// There was nothing to verify.
    Nothing,
    /// A bug of the program.
    Internal,
}

impl Exit {
    /// Returns the number.
    pub(super) const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Invalid => 2,
            Self::Refused => 3,
            Self::Denied => 4,
            Self::Stopped => 5,
            Self::Provider => 6,
            Self::Nothing => 7,
            Self::Internal => 70,
        }
    }
}
