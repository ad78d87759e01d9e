//! An item made ready to be published.

use super::skill::SkillPreview;
use crate::id::Segment;
use crate::locate::LineEnds;
use crate::registry::{Package, Release};
use crate::trust::Fault;

/// An item with its package and its line's content.
#[derive(Debug, Clone)]
pub(super) struct Packaged {
    /// What its line would say.
    pub(super) release: Release,
    /// Its files.
    pub(super) package: Package,
    /// Why it does not count as signed by the person; none if it does. A published item needs no signature of theirs.
    pub(super) fault: Option<Fault>,
    /// The line ends, if they are why.
    pub(super) line_ends: Option<LineEnds>,
    /// The registry that its namespace comes from, if that is another one and has this very version.
    pub(super) elsewhere: Option<Segment>,
    /// Of a skill that is signed by being published, what that signs.
    pub(super) skill: Option<SkillPreview>,
}
