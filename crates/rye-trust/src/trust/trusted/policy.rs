//! How many people must sign what: the meaning of a project's `policy.toml`. `format` reads its text.

use thiserror::Error;

use crate::id::{ItemType, glob};
use crate::trust::{CommitFault, ContentHash, Fault, Signatory, SignatureKind, Subject};

/// What a project demands of its own items and trust files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustPolicy {
    // Private, so that the digest is the one of these fields.
    root_signers: usize,
    rules: Vec<Require>,
    passes: CommitPasses,
    digest: Option<ContentHash>,
}

/// Which commits pass with a warning although their signatures prove nothing of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CommitPasses {
    /// Those that a forge's key alone signed: `forge = "attests"`.
    pub forge: bool,
    /// Those with an X.509 signature, which is not judged: `x509 = "unjudged"`.
    pub x509: bool,
}

/// One rule: the items it is about and who must have signed them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Require {
    /// The type; none means every type.
    pub item_type: Option<ItemType>,
    /// Which ids: `*` matches any run of characters, `?` one.
    pub pattern: String,
    /// How many people must have signed.
    pub signers: usize,
    /// Whose signatures count; none means those of every trusted person.
    pub principals: Option<Vec<String>>,
}

/// Everything a policy demands of one item: each of these rules must be met, so the strictest wins.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Requirement<'p> {
    rules: Vec<&'p Require>,
}

/// A policy that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line} of `policy.toml` cannot be used: {reason}")]
pub struct PolicyError {
    /// The line, from 1.
    pub line: usize,
    /// The fault.
    pub reason: String,
}

impl TrustPolicy {
    /// Makes the policy that a file of these bytes holds.
    #[must_use]
    pub fn new(root_signers: usize, rules: Vec<Require>, bytes: &[u8]) -> Self {
        Self { root_signers, rules, passes: CommitPasses::default(), digest: Some(ContentHash::of(bytes)) }
    }

    /// Lets commits pass.
    #[must_use]
    pub fn with_passes(self, passes: CommitPasses) -> Self {
        Self { passes, ..self }
    }

    /// Returns which commits pass.
    #[must_use]
    pub const fn passes(&self) -> CommitPasses {
        self.passes
    }

    /// Tells whether a commit with a fault passes.
    #[must_use]
    pub const fn lets_pass(&self, fault: &CommitFault) -> bool {
        match fault {
            CommitFault::Forge { .. } => self.passes.forge,
            CommitFault::NotJudged { kind: SignatureKind::X509 } => self.passes.x509,
            CommitFault::NotJudged { kind: SignatureKind::OpenPgp | SignatureKind::Ssh { .. } }
            | CommitFault::Unsigned
            | CommitFault::OtherKind { .. }
            | CommitFault::Misfit { .. }
            | CommitFault::OpenPgp { .. }
            | CommitFault::Untrusted { .. }
            | CommitFault::NotForTurns { .. }
            | CommitFault::NotOwnAgent { .. }
            | CommitFault::NotOfThread { .. }
            | CommitFault::OutsideValidity { .. }
            | CommitFault::Expired { .. }
            | CommitFault::Revoked { .. } => false,
        }
    }

    /// Returns the policy that demands what both do.
    #[must_use]
    pub fn joined(&self, other: &Self) -> Self {
        let digests = [self.digest, other.digest].into_iter().flatten();
        let digests: String = digests.map(|digest| format!("{digest}\n")).collect();
        let rules = self.rules.iter().chain(&other.rules).cloned().collect();
        Self::new(self.root_signers.max(other.root_signers), rules, digests.as_bytes()).with_passes(CommitPasses {
            forge: self.passes.forge && other.passes.forge,
            x509: self.passes.x509 && other.passes.x509,
        })
    }

    /// Returns how many root signers a change of the trust files needs.
    #[must_use]
    pub const fn root_signers(&self) -> usize {
        self.root_signers
    }

    /// Returns the rules about items.
    #[must_use]
    pub fn rules(&self) -> &[Require] {
        &self.rules
    }

    /// Returns the SHA-256 of the file it was read from; `None` without a file.
    #[must_use]
    pub const fn digest(&self) -> Option<ContentHash> {
        self.digest
    }

    /// Returns the demands on an item.
    #[must_use]
    pub fn required_for(&self, subject: &Subject) -> Requirement<'_> {
        Requirement { rules: self.rules.iter().filter(|rule| rule.is_about(subject)).collect() }
    }
}

/// Without a file: one root signer, and nothing beyond an item's own signature line.
impl Default for TrustPolicy {
    fn default() -> Self {
        Self { root_signers: 1, rules: Vec::new(), passes: CommitPasses::default(), digest: None }
    }
}

impl Require {
    /// Tells whether an item falls under the rule.
    #[must_use]
    pub fn is_about(&self, subject: &Subject) -> bool {
        self.item_type.is_none_or(|item_type| item_type == subject.item_type)
            && glob::matches(&self.pattern, subject.item_id.as_str())
    }

    /// Counts the people whose signature counts for the rule.
    fn have(&self, signers: &[Signatory]) -> usize {
        let counts = |signer: &&Signatory| match &self.principals {
            None => true,
            Some(names) => names.iter().any(|name| signer.is_principal(name)),
        };
        signers.iter().filter(counts).count()
    }
}

impl Requirement<'_> {
    /// Tells whether nothing is demanded beyond an item's own signature line.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Returns how many people the strictest rule demands: at least one.
    #[must_use]
    pub fn signers(&self) -> usize {
        self.rules.iter().map(|rule| rule.signers).max().unwrap_or(1)
    }

    /// Holds those who signed against every rule.
    ///
    /// # Errors
    ///
    /// Returns the fault of the rule that is furthest from being met.
    pub fn check(&self, signers: &[Signatory]) -> Result<(), Fault> {
        let missing = self.rules.iter().map(|rule| (rule.have(signers), rule.signers));
        match missing.filter(|(have, need)| have < need).max_by_key(|(have, need)| need - have) {
            None => Ok(()),
            Some((have, need)) => Err(Fault::MissingCountersignatures { have, need }),
        }
    }
}
