//! What the keeper and whoever starts it have in common: the flags of the hidden verb, and who is left when it has done its work.

use rustix::process::Signal;

use super::sandbox::NameSpace;

/// The verb that the program must hand to `confine_main`.
pub const CONFINE_VERB: &str = "__confine";

/// The flag that has a process keep what it starts, with the number of the parent whose end is everything's.
pub(super) const KEEP: &str = "--keep=";

/// The flag that says how many processes there may be.
pub(super) const PROCESSES: &str = "--processes=";

/// The flag with the descriptor on which the confiner sends the socket of the tool's way out.
pub(super) const WAY_OUT: &str = "--way-out=";

/// The flag with the descriptor from which the confiner reads the variables of the target alone.
pub(super) const VARIABLES: &str = "--variables=";

/// Tells the keeper to end everything at once. Any polite signal is passed on to the target.
pub(super) const END: Signal = Signal::QUIT;

/// Which process this is when the keeper has done its work.
pub(super) enum Kept {
    /// The keeper: all has ended, and this is the exit code.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux has keepers"))]
    Ended(u8),
    /// The one that is to become the target.
    Target(NameSpace),
}
