//! What a tool wrote, as text. What is known as a secret is taken out before anything of it is cut: no cut leaves a part of one.

use super::patch::Patches;
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

/// Returns what a tool wrote, as text without secrets. The output gives its bytes up: many calls may run at once.
pub(super) fn said(output: &mut ChildOutput, patches: Option<&Patches>, secrets: &Redactor) -> SaidText {
    let text = |bytes: Vec<u8>, cut: Option<&Cut>| match cut {
        Some(cut) => cut.text(&bytes, |text| secrets.redacted(text).into_owned()),
        None => match String::from_utf8(bytes) {
            Ok(text) => secrets.redacted(text).into_owned(),
            Err(error) => secrets.redacted_bytes(error.as_bytes(), false).into_owned(),
        },
    };
    let (stdout, stderr) = (std::mem::take(&mut output.stdout), std::mem::take(&mut output.stderr));
    let patch = |patches: &Patches| match output.stdout_cut.as_ref() {
        Some(cut) => cut.text(&stdout, |text| secrets.redacted(patches.cleaned(text)).into_owned()),
        None => secrets.redacted(patches.cleaned(&String::from_utf8_lossy(&stdout))).into_owned(),
    };
    SaidText {
        stdout: match patches {
            Some(patches) => patch(patches),
            None => text(stdout, output.stdout_cut.as_ref()),
        },
        stderr: secrets.redacted(text(stderr, output.stderr_cut.as_ref())),
    }
}
