//! `registry yank|unyank|deprecate|renew` and `registry owner`: lines about published items, and about publishers.

use std::path::Path;

use super::choose;
use super::error::Error;
use super::outcome::{ChangeOutcome, ChangeStatus};
use crate::context::bounded;
use crate::git::Terminal;
use crate::id::{ItemId, ItemType, Segment, Version};
use crate::project::Project;
use crate::redact::Passed;
use crate::registry::{Addition, Entry, MAX_MESSAGE_BYTES, MAX_OWNERS, Registry, State, Target};
use crate::session::Session;
use crate::trust::{PublicKey, Signer};

/// The largest file of a public key, in bytes.
const MAX_KEY_BYTES: u64 = 16 * 1024;

/// What to change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Have a version no longer chosen, or chosen again.
    Yank {
        /// The type, where the id alone is not enough.
        item_type: Option<ItemType>,
        /// The id.
        item_id: ItemId,
        /// The version.
        version: Version,
        /// Whether it is chosen again.
        undo: bool,
    },
    /// Say that an item is no longer recommended.
    Deprecate {
        /// The type, where the id alone is not enough.
        item_type: Option<ItemType>,
        /// The id.
        item_id: ItemId,
        /// Why; empty takes it back.
        message: String,
    },
    /// Say that the registry is kept: it has a new line, and is not stale.
    Renew,
    /// Change who owns a namespace.
    Owner {
        /// The namespace.
        namespace: Segment,
        /// How.
        change: OwnerChange,
    },
}

/// How the owners of a namespace change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnerChange {
    /// Another key owns it, too.
    Add(PublicKey),
    /// A key no longer owns it.
    Remove(PublicKey),
    /// Another key owns it in the place of all others.
    Transfer(PublicKey),
    /// Another key owns it in the place of the one that signs.
    Rotate(PublicKey),
}

impl OwnerChange {
    /// Returns the key.
    #[must_use]
    pub const fn key(&self) -> &PublicKey {
        match self {
            Self::Add(key) | Self::Remove(key) | Self::Transfer(key) | Self::Rotate(key) => key,
        }
    }
}

/// Changes a registry, with the key of `signer`.
///
/// # Errors
///
/// Fails when the target is missing, when the key does not own the namespace, and as publishing does.
pub fn change(
    session: &Session,
    registry: Option<&Segment>,
    change: &Change,
    signer: &dyn Signer,
    terminal: Terminal,
) -> Result<ChangeOutcome, Error> {
    let known = choose(session.project(), registry)?;
    let mut registry = Registry::open(session.context(), &session.transport(terminal)?, &known)?;
    let key = signer.public();
    let words = change.in_words();
    let appended = registry.append(signer, &Passed::default(), |snapshot| -> Result<Addition, Error> {
        let entry = change.entry(snapshot.log.state(), &known.name, &key)?;
        Ok(Addition { entries: entry.into_iter().collect(), objects: Vec::new(), message: words.clone() })
    })?;
    let (status, seq, snapshot) = match appended {
        Some(appended) => (ChangeStatus::Changed, appended.seqs.first().copied(), appended.snapshot),
        None => (ChangeStatus::Unchanged, None, registry.cached()?),
    };
    Ok(ChangeOutcome {
        status,
        registry: known.name,
        change: words,
        done: change.as_done(),
        seq,
        commit_id: snapshot.commit_id,
    })
}

/// Makes sure that a change can be made with a key, before anybody is asked about it.
///
/// # Errors
///
/// As [`change`], but for what signing and pushing fail with.
pub fn check(
    session: &Session,
    registry: Option<&Segment>,
    change: &Change,
    key: &PublicKey,
    terminal: Terminal,
) -> Result<(), Error> {
    let known = choose(session.project(), registry)?;
    let snapshot = Registry::open(session.context(), &session.transport(terminal)?, &known)?.refresh()?;
    change.entry(snapshot.log.state(), &known.name, key).map(drop)
}

/// Reads the public key of an owner.
///
/// # Errors
///
/// Fails when the file cannot be read or holds no key.
pub fn read_owner(project: &Project, path: &Path) -> Result<PublicKey, Error> {
    let text = bounded::read_text(&project.context().current_dir().join(path), MAX_KEY_BYTES)?;
    PublicKey::from_openssh(&text).map_err(|source| Error::NoKey { path: path.to_path_buf(), source })
}

impl Change {
    /// Describes the change, for the question, the commit and the outcome.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self {
            Self::Yank { item_id, version, undo: false, .. } => format!("yank `{item_id}` {version}"),
            Self::Yank { item_id, version, undo: true, .. } => format!("unyank `{item_id}` {version}"),
            Self::Deprecate { item_id, message, .. } if message.is_empty() => format!("recommend `{item_id}` again"),
            Self::Deprecate { item_id, .. } => format!("deprecate `{item_id}`"),
            Self::Renew => "renew the registry".to_owned(),
            Self::Owner { namespace, change } => {
                let key = change.key().fingerprint();
                match change {
                    OwnerChange::Add(_) => format!("add {key} to the owners of `{namespace}`"),
                    OwnerChange::Remove(_) => format!("remove {key} from the owners of `{namespace}`"),
                    OwnerChange::Transfer(_) => format!("transfer `{namespace}` to {key}"),
                    OwnerChange::Rotate(_) => format!("replace your key by {key} as an owner of `{namespace}`"),
                }
            }
        }
    }

    /// Describes the change.
    fn as_done(&self) -> String {
        match self {
            Self::Yank { item_id, version, undo: false, .. } => format!("Yanked {item_id} {version}"),
            Self::Yank { item_id, version, undo: true, .. } => format!("Unyanked {item_id} {version}"),
            Self::Deprecate { item_id, message, .. } if message.is_empty() => format!("Recommended {item_id} again"),
            Self::Deprecate { item_id, .. } => format!("Deprecated {item_id}"),
            Self::Renew => "Renewed".to_owned(),
            Self::Owner { namespace, change } => {
                let key = change.key().fingerprint();
                match change {
                    OwnerChange::Add(_) => format!("Added {key} to the owners of {namespace}"),
                    OwnerChange::Remove(_) => format!("Removed {key} from the owners of {namespace}"),
                    OwnerChange::Transfer(_) => format!("Transferred {namespace} to {key}"),
                    OwnerChange::Rotate(_) => format!("Replaced your key by {key} as an owner of {namespace}"),
                }
            }
        }
    }

    /// Returns the line to add; none if it is so already.
    fn entry(&self, state: &State, registry: &Segment, key: &PublicKey) -> Result<Option<Entry>, Error> {
        match self {
            Self::Yank { item_type, item_id, version, undo } => {
                let item_type = type_of(state, registry, *item_type, item_id)?;
                check_owner(state, registry, item_id.namespace().unwrap_or_default(), key)?;
                let published = state.published(item_type, item_id);
                let published = published.and_then(|published| published.versions.get(version));
                let not_published = || not_published(registry, Some(item_type), item_id, Some(*version));
                let is_yanked = published.ok_or_else(not_published)?.is_yanked;
                let target = Target { item_type, id: item_id.clone(), version: *version };
                let entry = if *undo { Entry::Unyank(target) } else { Entry::Yank(target) };
                Ok(Some(entry).filter(|_| is_yanked == *undo))
            }
            Self::Deprecate { item_type, item_id, message } => {
                if message.len() > MAX_MESSAGE_BYTES || message.contains(char::is_control) {
                    return Err(Error::Message { most: MAX_MESSAGE_BYTES });
                }
                let item_type = type_of(state, registry, *item_type, item_id)?;
                check_owner(state, registry, item_id.namespace().unwrap_or_default(), key)?;
                let before = state.published(item_type, item_id).and_then(|published| published.deprecated.as_deref());
                let is_so = before.unwrap_or_default() == message;
                let entry = Entry::Deprecate { item_type, id: item_id.clone(), message: message.clone() };
                Ok(Some(entry).filter(|_| !is_so))
            }
            Self::Renew => match state.may_sign_checkpoint(&key.key_id()) {
                Some(_) => Ok(Some(Entry::Renew {})),
                None => Err(Error::NoPublisher { registry: registry.clone(), fingerprint: key.fingerprint() }),
            },
            Self::Owner { namespace, change } => owners(state, registry, namespace, change, key),
        }
    }
}

fn owners(
    state: &State,
    registry: &Segment,
    namespace: &Segment,
    change: &OwnerChange,
    key: &PublicKey,
) -> Result<Option<Entry>, Error> {
    let before = state.owners(namespace.as_str());
    if before.is_empty() {
        return Err(Error::NotClaimed { namespace: namespace.clone(), registry: registry.clone() });
    }
    check_owner(state, registry, namespace.as_str(), key)?;
    let mut after = before.to_vec();
    match change {
        OwnerChange::Add(other) if !after.contains(other) => after.push(*other),
        OwnerChange::Add(_) => {}
        OwnerChange::Remove(other) if after.contains(other) => after.retain(|owner| owner != other),
        OwnerChange::Remove(other) => {
            return Err(Error::NoSuchOwner { namespace: namespace.clone(), fingerprint: other.fingerprint() });
        }
        OwnerChange::Transfer(other) => after = vec![*other],
        OwnerChange::Rotate(other) => {
            after.retain(|owner| owner != key && owner != other);
            after.push(*other);
        }
    }
    if after.is_empty() {
        return Err(Error::LastOwner { namespace: namespace.clone() });
    }
    if after.len() > MAX_OWNERS {
        return Err(Error::TooManyOwners { namespace: namespace.clone(), most: MAX_OWNERS });
    }
    let owners = after.iter().map(PublicKey::to_openssh).collect();
    Ok(Some(Entry::Owners { namespace: namespace.clone(), owners }).filter(|_| after != before))
}

fn type_of(state: &State, registry: &Segment, named: Option<ItemType>, item_id: &ItemId) -> Result<ItemType, Error> {
    let types = state.types_of(item_id);
    match (named, types.as_slice()) {
        (Some(item_type), types) if types.contains(&item_type) => Ok(item_type),
        (None, [only]) => Ok(*only),
        (None, [_, ..]) => {
            let types = types.iter().map(|item_type| item_type.as_str()).collect();
            Err(Error::SeveralTypes { item_id: item_id.clone(), types })
        }
        (named, _) => Err(not_published(registry, named, item_id, None)),
    }
}

fn not_published(registry: &Segment, item_type: Option<ItemType>, item_id: &ItemId, version: Option<Version>) -> Error {
    Error::NotPublished { item_type, item_id: item_id.clone(), version, registry: registry.clone() }
}

fn check_owner(state: &State, registry: &Segment, namespace: &str, key: &PublicKey) -> Result<(), Error> {
    if state.owners(namespace).contains(key) {
        return Ok(());
    }
    let (namespace, fingerprint) = (namespace.to_owned(), key.fingerprint());
    Err(Error::NotOwner { namespace, registry: registry.clone(), fingerprint })
}
