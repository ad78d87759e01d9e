//! What to do about a finding: a command that works as pasted, or a change that does.

use super::commits::short;
use crate::format;
use crate::git::CommitId;
use crate::keys::KeyInfo;
use crate::trust::{CommitFault, Fault, KeyId, ManifestFault, Subject, TrustFile, trust_file_path};
use crate::workspace::{BUILTIN, PROJECT_ATTRIBUTES};

/// The hint about an unknown key.
const TRUST_IT: &str =
    "if you trust the owner of that key, save their public key and run `rye trust add their_key.pub`";

/// The hint about a key that the project itself proposes.
pub const ACCEPT_IT: &str = "the project proposes this key: if you trust its owner, run `rye trust accept`, which shows \
                         the fingerprint and asks";

/// Where it is decided who may sign, and so what can be done about a key that is not trusted.
#[derive(Debug, Clone, Default)]
pub(super) enum Decided {
    /// By the person. Their earlier signatures remain theirs.
    Here {
        /// Their keys of before.
        retired: Vec<KeyInfo>,
        /// The keys that the project's own trust files name.
        proposed: Vec<KeyId>,
    },
    /// By a file.
    File {
        /// Its path.
        path: String,
    },
    /// By a revision that is trusted.
    #[default]
    Root,
}

impl Decided {
    /// Says what to do about an item's fault.
    pub(super) fn item(&self, subject: &Subject, fault: &Fault) -> String {
        match fault {
            Fault::UntrustedKey { key_id } if is_copy(subject) && self.is_unknown(key_id) => {
                format!(
                    "a built-in item has this id and is taken instead: remove this copy, or review it and run `{}`",
                    sign(subject)
                )
            }
            Fault::UntrustedKey { key_id } => self.untrusted(key_id, Some(&format!("`{}`", sign(subject)))),
            fault => item(subject, fault),
        }
    }

    /// Tells whether the person decides about this key, and nothing here names it.
    fn is_unknown(&self, key_id: &KeyId) -> bool {
        match self {
            Self::Here { retired, proposed } => {
                !proposed.contains(key_id) && retired.iter().all(|key| key.key_id != *key_id)
            }
            Self::File { .. } | Self::Root => false,
        }
    }

    /// Says what to do about a key that is not trusted; `again` is how its holder signs again, where that is possible.
    pub(super) fn untrusted(&self, key_id: &KeyId, again: Option<&str>) -> String {
        let again = again.map(|again| format!("{again}, or ")).unwrap_or_default();
        match self {
            Self::Here { retired, proposed } => match retired.iter().find(|key| key.key_id == *key_id) {
                Some(key) => format!(
                    "it is a key of yours that you replaced: {again}trust what it signed, `rye trust add {} \
                     --principal you`",
                    key.path.with_extension("pub").display()
                ),
                None if proposed.contains(key_id) => ACCEPT_IT.to_owned(),
                None => TRUST_IT.to_owned(),
            },
            Self::File { path } => format!("if they may sign here, add a line with their public key to `{path}`"),
            Self::Root => "if they may sign here, a root adds their key, `rye trust add their_key.pub --project`, and \
                           proposes it, `rye trust propose`: it counts from when the trust root has it"
                .to_owned(),
        }
    }
}

/// Says what to do about an item's fault.
#[must_use]
pub fn item(subject: &Subject, fault: &Fault) -> String {
    let Subject { item_type, item_id, .. } = subject;
    let (sign, again) = (format!("`{}`", sign(subject)), format!("`{} --again`", sign(subject)));
    match fault {
        Fault::Unsigned => format!("review it, then run {sign}"),
        Fault::UntrustedKey { .. } => TRUST_IT.to_owned(),
        Fault::AgentSigned => format!("review what the agent wrote, then run {sign}"),
        Fault::OutsideValidity { .. } => format!("have it signed again by a key that is valid now: {sign}"),
        Fault::Legacy { .. } => format!("review the whole file, then run {sign}"),
        Fault::Revoked { .. } => {
            format!(
                "another person than the key's owner may have signed this: review it, then sign with another key: {sign}"
            )
        }
        Fault::RolledBack { .. } => {
            format!("restore the newer one; if the older is wanted, review it, then run {again}")
        }
        Fault::BroughtBack { .. } => format!("remove it; if it is wanted again, review it, then run {again}"),
        Fault::MissingCountersignatures { .. } => {
            let command = format!("`rye sign {item_type} {item_id} --detached`");
            format!("ask another trusted person to review it and run {command}, then `rye notes sync`")
        }
        Fault::Unshadowed => format!("put it back, or look at what takes effect now: `rye load {item_type} {item_id}`"),
        Fault::MalformedLine { .. } | Fault::SecondLine | Fault::Changed | Fault::Misplaced | Fault::Downgraded => {
            format!("review the change, then run {sign}")
        }
    }
}

/// Tells whether an item of another space has the id of a built-in one.
fn is_copy(subject: &Subject) -> bool {
    BUILTIN.iter().any(|item| item.item_type == subject.item_type && subject.item_id.as_str() == item.id)
}

fn sign(subject: &Subject) -> String {
    format!("rye sign {} {}", subject.item_type, subject.item_id)
}

/// Says what to do about content that the trust root has too, signed by a key that was revoked since.
pub(super) fn pinned(subject: &Subject) -> String {
    let Subject { item_type, item_id, .. } = subject;
    format!("the trust root has it like this; review it again, then run `rye sign {item_type} {item_id}`")
}

/// Says what to do about what a commit of a range has, and its end has not.
pub(super) fn mended(commit_id: &CommitId) -> String {
    format!("the end of the range no longer has it; fold the commits into one: `git rebase -i {commit_id}~`")
}

/// Says what to do about a skill that a commit has changed since it was signed.
pub(super) fn changed_skill(commit_id: &CommitId) -> String {
    format!("`git show {}` shows what changed; undo it, or review it and sign the skill again", short(commit_id))
}

/// Writes a hint about a commit that is not made yet for the index that it is made of.
pub(super) fn of_index(hint: &str, commit_id: &CommitId) -> String {
    let id = short(commit_id);
    hint.replace(&format!("git show {id}:"), "git show :").replace(&format!("git show {id}"), "git diff --cached")
}

/// Says what to do about trust files in the index that no root signed; another finding keeps its hint.
pub(super) fn trust_of_index(rule: &str, path: &str, hint: String) -> String {
    if !rule.starts_with("RYE-M") || path == trust_file_path(TrustFile::Config.as_str()) {
        return hint;
    }
    "ask a root of the project to sign the change: `rye trust propose`, then `git add .ai/trust`; to undo it, run \
     `git restore --source HEAD --staged --worktree -- .ai/trust`"
        .to_owned()
}

/// Says what to do about trust files that cannot follow those of a revision.
pub(super) fn trust(base: &CommitId, fault: &ManifestFault) -> String {
    match fault {
        ManifestFault::Digest { file: TrustFile::Config } | ManifestFault::Uncovered => {
            "ask a root of the project to sign the change of `.ai/config.toml`: `rye trust propose`".to_owned()
        }
        _ => format!("restore them: `git restore --source {base} --staged --worktree -- .ai/trust`"),
    }
}

/// Says what to do about a configuration that cannot be used.
pub(super) fn config(commit_id: Option<&CommitId>) -> String {
    let path = trust_file_path(TrustFile::Config.as_str());
    match commit_id {
        Some(commit_id) => format!("mend it: `git show {}:{path}` shows it", short(commit_id)),
        None => format!("mend it, or restore the committed one: `git checkout HEAD -- {path}`"),
    }
}

/// Says what to do about a commit that the policy lets pass: what its signature proves.
pub(super) fn passes(commit_id: &CommitId, fault: &CommitFault) -> String {
    let proves = match fault {
        CommitFault::Forge { .. } => "the signature proves that some account of the forge made it there, and not whose",
        _ => "the signature proves nothing here, because it is not judged",
    };
    format!("look at it with `git show {}`: {proves}", short(commit_id))
}

/// Says what to do about a commit that its author did not sign.
pub(super) fn signed_for(commit_id: &CommitId) -> String {
    let id = short(commit_id);
    format!(
        "expected after a rebase or cherry-pick; otherwise ask the signer: `git log --format=fuller --show-signature -1 {id}`"
    )
}

/// Says what to do about attributes that change the bytes of items.
pub(super) fn attributes(by: &str) -> String {
    format!("take the attribute out of `{by}`, or put the line `{PROJECT_ATTRIBUTES}` at the end of `.gitattributes`")
}

/// Says what to do about a file that is not an item.
pub(super) fn stray(path: &str) -> String {
    format::stray_hint(path).to_owned()
}
