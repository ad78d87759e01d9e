//! Reading what was left out of an earlier result: of this thread, or of the one that it continues.

use super::Live;
use crate::action::Recall;
use crate::thread::error::Error;
use crate::thread::machine::Performed;
use crate::thread::record::{Record, branch};
use crate::thread::run::call_result::{Answered, recalled};

impl Live<'_> {
    pub(super) fn recalled(&self, call_id: String, recall: &Recall, record: &Record) -> Result<Performed, Error> {
        let whole = self.whole_result(&recall.artifact, record)?;
        let whole = whole.as_deref().map(String::from_utf8_lossy);
        let Answered { status, output, stderr, hosts } = recalled(recall, whole.as_deref());
        Ok(Performed { call_id, status, output, artifact: None, stderr, hosts, duration_ms: 0 })
    }

    /// Returns a whole result: of the turn under way, or from the branch.
    fn whole_result(&self, digest: &str, record: &Record) -> Result<Option<Vec<u8>>, Error> {
        if let Some(whole) = self.performer.artifacts.get(digest) {
            return Ok(Some(whole.clone()));
        }
        let Some(tip) = self.branch.tip() else { return Ok(None) };
        let continued = record.forked_from.as_ref().map(|origin| &origin.thread_id);
        for thread_id in [Some(&record.thread_id), continued].into_iter().flatten() {
            let path = branch::path(thread_id, &format!("artifacts/{digest}"));
            if let Some(whole) = self.branch.repository().file_at(tip, &path)? {
                return Ok(Some(whole));
            }
        }
        Ok(None)
    }
}
