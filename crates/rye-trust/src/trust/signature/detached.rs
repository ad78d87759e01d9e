//! Judging a signature over a text of its own, such as the list of the files that instruct agents.

use crate::id::Timestamp;
use crate::trust::{Fault, Namespace, Place, PublicKey, Signatory, TrustedKeys};

impl TrustedKeys {
    /// Judges the key that signed a text of the project, as that of an item there.
    ///
    /// # Errors
    ///
    /// Returns the fault that keeps the signature from counting.
    pub fn judge_detached(&self, key: &PublicKey, at: Timestamp) -> Result<Signatory, Fault> {
        let judged = self.judge(Namespace::Item, Place::PROJECT, &key.key_id(), at, |known| known == key);
        judged.map_err(|fault| match fault {
            Fault::UntrustedKey { .. } | Fault::Misplaced if self.is_agent(key) => Fault::AgentSigned,
            // Another key may have the same id: this one is still unknown.
            Fault::Misplaced => Fault::UntrustedKey { key_id: key.key_id() },
            fault => fault,
        })
    }
}
