//! What a tool wrote, as text. What is known as a secret is taken out before anything of it is cut: no cut leaves a part of one.

use crate::process::{ChildOutput, Cut};
use crate::redact::{Redacted, Redactor};

/// The most of its standard error that is kept with a result, in bytes: the end.
const STDERR_KEPT: usize = 4 * 1024;

/// What a tool wrote.
pub(super) struct SaidText {
    pub(super) stdout: String,
    pub(super) stderr: Redacted<'static>,
}

impl SaidText {
    /// Returns the end of standard error, as it is kept with a result.
    pub(super) fn end_of_stderr(&self) -> String {
        self.stderr.end(STDERR_KEPT).trim_end().to_owned()
    }
}

/// Returns what a tool wrote, as text without secrets.
pub(super) fn said(output: &ChildOutput, secrets: &Redactor) -> SaidText {
    let text = |bytes: &[u8], cut: Option<&Cut>| match cut {
        Some(cut) => cut.text(bytes, |text| secrets.redacted(text).into_owned()),
        None => secrets.redacted_bytes(bytes, false).into_owned(),
    };
    SaidText {
        stdout: text(&output.stdout, output.stdout_cut.as_ref()),
        stderr: secrets.redacted(text(&output.stderr, output.stderr_cut.as_ref())),
    }
}
