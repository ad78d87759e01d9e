//! Which key a person signs with: `--key`, then `RYE_SIGNING_KEY`, then their own, made for the first signature.

use std::path::{Path, PathBuf};

use super::person::Origin;
use super::read::find_key;
use super::store::drafted;
use super::{Ask, KeyName, KeyStore, KeysError, PersonKey, SshAgent};
use crate::context::Context;
use crate::trust::{KeyText, NoPassphrase, PublicKey, Signer as _};

/// The variable that names or holds the key in surroundings without a home of their own.
pub const SIGNING_KEY: &str = "RYE_SIGNING_KEY";

/// Picks the key; it is not opened yet. `named` is a path, or `person` for the one of the store.
///
/// # Errors
///
/// Fails when the key is missing, readable by others, unusable, or the agent's.
pub fn person_key(ctx: &Context, store: &KeyStore, named: Option<&str>, ask: Ask) -> Result<PersonKey, KeysError> {
    match (named, ctx.variable(SIGNING_KEY)) {
        (Some("person"), _) | (None, None) => own(ctx, store, ask),
        (Some(path), _) => named_file(ctx, store, path, ask),
        (None, Some(value)) => from_variable(ctx, store, value, ask),
    }
}

/// Returns the key that [`person_key`] would pick; one in memory only if it would have to be made first.
///
/// # Errors
///
/// As [`person_key`].
pub fn drafted_person(ctx: &Context, store: &KeyStore, named: Option<&str>, ask: Ask) -> Result<PersonKey, KeysError> {
    if is_made(ctx, store, named)? {
        return person_key(ctx, store, named, ask);
    }
    let key = PersonKey::new(KeyText::Open(drafted(ctx)?), store.path(KeyName::Person), None, ask);
    Ok(key.from(Origin::Draft))
}

/// Returns the public half of the key that [`person_key`] would pick; none if it would have to be made first.
///
/// # Errors
///
/// As [`person_key`].
pub fn known_person(ctx: &Context, store: &KeyStore, named: Option<&str>) -> Result<Option<PublicKey>, KeysError> {
    if !is_made(ctx, store, named)? {
        return Ok(None);
    }
    let nobody: Ask = Box::new(|_| Err(NoPassphrase::Nobody));
    person_key(ctx, store, named, nobody).map(|key| Some(key.public()))
}

/// Tells whether the key exists: only the person's own may not.
fn is_made(ctx: &Context, store: &KeyStore, named: Option<&str>) -> Result<bool, KeysError> {
    let is_own = named == Some("person") || named.is_none() && ctx.variable(SIGNING_KEY).is_none();
    Ok(!is_own || store.stored(KeyName::Person)?.is_some())
}

/// Reads the key in a file. A public half means that an ssh-agent holds the other.
///
/// # Errors
///
/// Fails when the key is missing, readable by others, unusable, or the agent's.
pub fn named_file(ctx: &Context, store: &KeyStore, name: &str, ask: Ask) -> Result<PersonKey, KeysError> {
    let path = ctx.current_dir().join(name);
    if may_be_secret(name) && !path.exists() {
        return Err(KeysError::TextAsPath);
    }
    let text = find_key(&path)?.ok_or_else(|| KeysError::NoFile { name: name.to_owned() })?;
    of_a_person(ctx, store, text, &path, ask)
}

/// Tells whether a text could be a key, whole or in part: then no sentence about a file of that name repeats it.
fn may_be_secret(text: &str) -> bool {
    KeyText::is_meant(text) || text.len() > 200 || text.contains(char::is_control)
}

fn own(ctx: &Context, store: &KeyStore, ask: Ask) -> Result<PersonKey, KeysError> {
    let (text, created) = store.stored_or_created(ctx, KeyName::Person)?;
    let path = store.held_at(KeyName::Person, &text);
    let key = PersonKey::new(text, path, SshAgent::of(ctx), ask);
    Ok(if created { key.from(Origin::Made) } else { key })
}

/// The variable may contain a secret without its frame: no message repeats it.
fn from_variable(ctx: &Context, store: &KeyStore, value: &str, ask: Ask) -> Result<PersonKey, KeysError> {
    let (text, path) = if KeyText::is_meant(value) {
        let path = PathBuf::from(SIGNING_KEY);
        let text = KeyText::parse(value).map_err(|source| KeysError::Key { path: path.clone(), source })?;
        (text, path)
    } else {
        let missing = || {
            let path = Path::new(value);
            if path.is_absolute() && !could_be_key(value) {
                KeysError::NoFileOfVariable { path: path.to_owned() }
            } else {
                KeysError::NoKeyInVariable
            }
        };
        let path = Some(ctx.current_dir().join(value)).filter(|path| path.exists()).ok_or_else(missing)?;
        (find_key(&path)?.ok_or_else(missing)?, path)
    };
    of_a_person(ctx, store, text, &path, ask)
}

/// Tells whether a value could be a key without its frame: base64 has slashes, and the shortest key has 43 characters in it.
fn could_be_key(value: &str) -> bool {
    may_be_secret(value) || value.len() > 40
}

/// The agent's key is no person's, by whatever path or text it is named: what a model signed would count as theirs.
fn of_a_person(ctx: &Context, store: &KeyStore, text: KeyText, path: &Path, ask: Ask) -> Result<PersonKey, KeysError> {
    if store.find_public(KeyName::Agent)? == Some(text.public()) {
        return Err(KeysError::AgentsOwn { path: path.to_path_buf() });
    }
    Ok(PersonKey::new(text, path.to_path_buf(), SshAgent::of(ctx), ask))
}
