//! What is told of commits whose signatures were judged.

use super::commit_hint::Around;
use super::commits::{JudgedCommit, JudgedCommits, SignedFor, short};
use super::hint;
use super::outcome::{Finding, Outcome, WHOLE_COMMIT, plain};
use crate::format::Severity;
use crate::trust::{CommitFault, SignatureKind};

/// The rule of a commit that is not signed by its author.
pub const OTHER_AUTHOR: &str = "RYE-C007";

/// Why an OpenPGP signature is not judged, and how it will be.
const NO_CERTIFICATE: &str = "no trust file names the key that made it; `gpg --armor --export KEY >key.asc` and \
                              `rye trust add key.asc` add it";

impl Outcome {
    /// Takes in commits whose signatures were judged.
    pub(super) fn commits(&mut self, JudgedCommits { judged, merges_left_out, .. }: JudgedCommits, around: &Around) {
        self.commits_checked = Some(judged.len());
        self.merges_left_out = merges_left_out;
        for JudgedCommit { commit_id, subject, is_root, fault, passes, because, signed_for } in judged {
            if let Some(SignedFor { signer, author }) = signed_for {
                let message = format!(
                    "commit `{}` ({subject}): it is signed by `{signer}`, and its author is `{author}`",
                    short(&commit_id)
                );
                self.findings.push(Finding {
                    severity: Severity::Warning,
                    hint: hint::signed_for(&commit_id),
                    commit_id: Some(commit_id.clone()),
                    ..plain(OTHER_AUTHOR, WHOLE_COMMIT.to_owned(), 1, message)
                });
            }
            let Some(fault) = fault else { continue };
            let message = format!("commit `{}` ({subject}): {fault}", short(&commit_id));
            if passes {
                let message = format!("{message}; the policy lets it pass");
                self.findings.push(Finding {
                    severity: Severity::Warning,
                    because,
                    hint: hint::passes(&commit_id, &fault),
                    commit_id: Some(commit_id),
                    ..plain(fault.rule(), WHOLE_COMMIT.to_owned(), 1, message)
                });
                continue;
            }
            let because = match &fault {
                CommitFault::Revoked { key_id } => self.revoked.because(key_id),
                CommitFault::NotJudged { kind: SignatureKind::OpenPgp } => Some(NO_CERTIFICATE.to_owned()),
                _ => because,
            };
            self.findings.push(Finding {
                verdict: Some(fault.verdict()),
                signature_kind: fault.not_judged().map(SignatureKind::as_str),
                key_type: fault.not_judged().and_then(SignatureKind::key_type),
                because,
                hint: around.hint(&self.decided, &commit_id, is_root, &fault),
                commit_id: Some(commit_id),
                ..plain(fault.rule(), WHOLE_COMMIT.to_owned(), 1, message)
            });
        }
    }
}
