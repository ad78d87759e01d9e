//! `trust add`: keys of a file come to count for everything, or a project is to propose them.

use std::path::PathBuf;

use serde::Serialize;

use super::{Error, Trusted, WorkTree, renew_git_files};
use crate::context::{Context, bounded};
use crate::id::{Timestamp, Zone};
use crate::keys::{KeyName, KeyStore, TrustDir};
use crate::project::Project;
use crate::trust::{
    KeyError, KeyId, KeyText, MAX_TRUST_FILE_BYTES, Namespace, PublicKey, Scope, TrustFile, TrustedKey, holder_in,
    is_principal, parse_allowed_signers, rename_signer, with_signers,
};

/// Where keys come from.
#[derive(Debug, Clone)]
pub enum Input {
    /// A file.
    File(PathBuf),
    /// A text that was read already, from stdin say.
    Text(Vec<u8>),
}

/// How each block of PEM begins.
const PEM: &str = "-----BEGIN ";

/// What to trust.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where the keys come from.
    pub input: Input,
    /// Who holds them, instead of whom the file names.
    pub principal: Option<String>,
    /// What the keys are trusted for, where the file names no uses; none means everything, or in a project's proposal items and commits.
    pub uses: Vec<Namespace>,
    /// Write them into the project's proposal instead.
    pub project: bool,
}

/// The decisions that are new.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// Each decision.
    pub keys: Vec<Trusted>,
    /// Decisions that were there, under another name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub renamed: Vec<Renamed>,
    /// Names of these keys that other keys have, too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<SharedName>,
    /// The file they are written in.
    pub path: PathBuf,
    /// Whether that is the project's, which is not proposed yet.
    pub project: bool,
}

/// A decision whose holder has another name now.
#[derive(Debug, Clone, Serialize)]
pub struct Renamed {
    /// The decision.
    #[serde(flatten)]
    pub key: Trusted,
    /// The name before.
    pub was: String,
}

/// A name that several keys have: for a policy they are one person.
#[derive(Debug, Clone, Serialize)]
pub struct SharedName {
    /// The name.
    pub principal: String,
    /// The keys, the one that was added first.
    pub key_ids: Vec<KeyId>,
}

/// Trusts keys. A model never approves its own work, so the agent's own key is refused; so are revoked keys. A key that is
/// there under another name than the one that is given is renamed, and trusted as far as before.
///
/// # Errors
///
/// Fails without a key, on one that must not count or has no name, or the decision cannot be written.
pub fn add(project: &Project, options: &Options) -> Result<Outcome, Error> {
    let ctx = project.context();
    let dir = TrustDir::new(ctx)?;
    let keys = wanted(ctx, options)?;
    let revoked = dir.revoked()?;
    if let Some(key) = keys.iter().find(|key| revoked.contains(&key.key)) {
        let (key_id, origin) = (key.key.key_id(), shown(&options.input));
        return Err(Error::Revoked { key_id, origin, list: dir.revoked_path() });
    }
    if options.project {
        return propose(project, options, &keys);
    }
    let keys = if options.principal.is_none() { as_decided(keys, &dir.decisions()?) } else { keys };
    let mut renamed = Vec::new();
    if options.principal.is_some() {
        for key in &keys {
            renamed.extend(dir.rename(key)?.into_iter().map(|was| renaming(&was, &key.principal)));
        }
    }
    let new: Vec<TrustedKey> = keys.iter().filter(|key| !is_renamed(&renamed, key)).cloned().collect();
    let added = dir.add(&new)?;
    renew_git_files(project)?;
    let known = project.keys().iter().cloned().chain(dir.decisions()?).collect::<Vec<_>>();
    Ok(Outcome {
        keys: added.iter().map(Trusted::from).collect(),
        renamed,
        shared: shared(&keys, &known, ctx.now()),
        path: dir.path(),
        project: false,
    })
}

/// Gives keys the names under which they are trusted already: a received file does not rename a key.
fn as_decided(keys: Vec<TrustedKey>, decided: &[TrustedKey]) -> Vec<TrustedKey> {
    let named = |key: TrustedKey| match decided.iter().find(|known| known.key == key.key && known.scope == key.scope) {
        Some(known) => TrustedKey { principal: known.principal.clone(), ..key },
        None => key,
    };
    keys.into_iter().map(named).collect()
}

/// Writes keys into the project's file. One without uses gets those of an author: roots are made by name.
fn propose(project: &Project, options: &Options, keys: &[TrustedKey]) -> Result<Outcome, Error> {
    for key in keys {
        // A root is made by name, whatever the line of its key says.
        if key.permits(Namespace::Trust) && !key.namespaces.is_empty() {
            return Err(Error::AuthorIsRoot { key_id: key.key.key_id(), uses: key.namespaces.join(",") });
        }
    }
    let (work_tree, zone) = (WorkTree::open(project)?, project.context().zone());
    let (mut added, mut renamed, mut known) = (Vec::new(), Vec::new(), Vec::new());
    work_tree.edit(TrustFile::AllowedSigners, |text, origin| {
        let before = parse_allowed_signers(text, origin, &zone).keys;
        let mut text = text.to_owned();
        for key in keys.iter().filter(|_| options.principal.is_some()) {
            let others = before.iter().filter(|known| known.key == key.key && known.principal != key.principal);
            renamed.extend(others.map(|was| renaming(was, &key.principal)));
            text = rename_signer(&text, (origin, &zone), &key.key, &key.principal);
        }
        added = keys.iter().filter(|key| !before.iter().any(|known| known.key == key.key)).map(as_author).collect();
        text = with_signers(&text, &added);
        known = parse_allowed_signers(&text, origin, &zone).keys;
        Ok(text)
    })?;
    Ok(Outcome {
        keys: added.iter().map(Trusted::from).collect(),
        renamed,
        shared: shared(keys, &known, project.context().now()),
        path: work_tree.path(TrustFile::AllowedSigners.as_str()),
        project: true,
    })
}

fn renaming(was: &TrustedKey, principal: &str) -> Renamed {
    let now = TrustedKey { principal: principal.to_owned(), ..was.clone() };
    Renamed { key: Trusted::from(&now), was: was.principal.clone() }
}

fn is_renamed(renamed: &[Renamed], key: &TrustedKey) -> bool {
    renamed.iter().any(|renamed| renamed.key.fingerprint == key.key.fingerprint())
}

/// Finds the names of these keys that other keys have, too, as far as those still count.
fn shared(keys: &[TrustedKey], known: &[TrustedKey], now: Timestamp) -> Vec<SharedName> {
    let mut shared: Vec<SharedName> = Vec::new();
    for key in keys {
        for name in key.principal.split(',') {
            let is_other = |other: &&TrustedKey| {
                other.key != key.key
                    && other.valid_before.is_none_or(|end| end > now)
                    && other.principal.split(',').any(|other| other == name)
            };
            let mut key_ids = vec![key.key.key_id()];
            for other in known.iter().filter(is_other).map(|other| other.key.key_id()) {
                if !key_ids.contains(&other) {
                    key_ids.push(other);
                }
            }
            if key_ids.len() > 1 && !shared.iter().any(|shared| shared.principal == name) {
                shared.push(SharedName { principal: name.to_owned(), key_ids });
            }
        }
    }
    shared
}

pub(super) fn as_author(key: &TrustedKey) -> TrustedKey {
    let namespaces = match key.namespaces.as_slice() {
        [] => vec!["rye".to_owned(), "git".to_owned()],
        named => named.to_vec(),
    };
    TrustedKey { namespaces, scope: Scope::Project, ..key.clone() }
}

/// Reads the keys that are to count, and refuses the agent's: a project may propose it for turns.
fn wanted(ctx: &Context, options: &Options) -> Result<Vec<TrustedKey>, Error> {
    let mut keys = Vec::new();
    for key in read_keys(ctx, &options.input)? {
        keys.push(used_for(held_by(key, options.principal.as_deref()), options)?);
    }
    let agent = KeyStore::new(ctx)?.find_public(KeyName::Agent)?;
    let may_be_agent = |key: &TrustedKey| options.project && key.is_for_turns_only();
    if keys.iter().any(|key| Some(key.key) == agent && !may_be_agent(key)) {
        return Err(Error::Agent { origin: shown(&options.input) });
    }
    check_names(&keys, &options.input, options.principal.is_some())?;
    Ok(keys)
}

/// Gives a key the uses that were asked for. A line that names others was written for those.
fn used_for(key: TrustedKey, options: &Options) -> Result<TrustedKey, Error> {
    let uses: Vec<String> = options.uses.iter().map(|name| name.as_str().to_owned()).collect();
    if uses.is_empty() || key.namespaces == uses {
        return Ok(key);
    }
    if key.namespaces.is_empty() {
        return Ok(TrustedKey { namespaces: uses, ..key });
    }
    Err(Error::OtherUses { key_id: key.key.key_id(), origin: shown(&options.input), uses: key.namespaces.join(",") })
}

/// Makes sure that each key has a holder: a reader of a list of keys must be able to tell them apart.
pub(super) fn check_names(keys: &[TrustedKey], input: &Input, is_given: bool) -> Result<(), Error> {
    let Some(key) = keys.iter().find(|key| !is_principal(&key.principal)) else { return Ok(()) };
    match key.principal.as_str() {
        "" if !is_given => Err(Error::Unnamed { key_id: key.key.key_id(), origin: shown(input) }),
        principal => Err(Error::Principal { principal: principal.to_owned() }),
    }
}

/// Reads the keys in a file. One that names no holder has an empty name.
pub(super) fn read_keys(ctx: &Context, input: &Input) -> Result<Vec<TrustedKey>, Error> {
    keys_in(&read(ctx, input)?, &shown(input), &ctx.zone())
}

fn shown(input: &Input) -> String {
    match input {
        Input::File(path) => path.display().to_string(),
        Input::Text(_) => "stdin".to_owned(),
    }
}

/// Reads bytes that end.
fn read(ctx: &Context, input: &Input) -> Result<Vec<u8>, Error> {
    match input {
        Input::Text(bytes) => Ok(bytes.clone()),
        Input::File(path) => Ok(bounded::read(&ctx.current_dir().join(path), MAX_TRUST_FILE_BYTES as u64)?),
    }
}

/// Takes bytes for what they are: keys of OpenPGP, PEM, public keys one a line as servers list them, or lines of
/// allowed_signers. No key is left out.
fn keys_in(bytes: &[u8], origin: &str, zone: &Zone) -> Result<Vec<TrustedKey>, Error> {
    let no_key = |source| Error::NoKey { origin: origin.to_owned(), source };
    let is_private_openpgp = PublicKey::is_private_openpgp(bytes);
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let is_openpgp = is_private_openpgp || text.contains("PRIVATE KEY BLOCK-----");
    if is_openpgp || text.contains("PRIVATE KEY-----") {
        return Err(Error::Private { origin: origin.to_owned(), is_openpgp });
    }
    let every = PublicKey::every_openpgp(bytes).map_err(|error| no_key(Some(error)))?;
    if !every.is_empty() {
        let named = |(key, names): (PublicKey, Vec<String>)| {
            let name = names.iter().find_map(|name| holder_in(name)).unwrap_or_default();
            TrustedKey::new(key, name, origin)
        };
        return Ok(every.into_iter().map(named).collect());
    }
    if text.trim_start().starts_with(PEM) {
        let one = |block: &str| {
            let key = PublicKey::from_spki_pem(&format!("{PEM}{block}")).map_err(|error| no_key(Some(error)))?;
            Ok(TrustedKey::new(key, "", origin))
        };
        return text.trim_start().split(PEM).skip(1).map(one).collect();
    }
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).peekable();
    if lines.peek().is_some() && lines.clone().all(KeyText::is_public) {
        let plain = |line: &str| -> Result<TrustedKey, KeyError> {
            let key = TrustedKey::new(PublicKey::of_any_type(line)?, holder(line), origin);
            // The file of an agent's key says so, and an agent never counts for more than turns.
            let is_agents = comment(line).trim() == KeyName::Agent.comment();
            Ok(if is_agents { TrustedKey::for_turns(key.key, key.principal, origin) } else { key })
        };
        return lines.map(plain).collect::<Result<_, _>>().map_err(|error| no_key(Some(error)));
    }
    let file = parse_allowed_signers(text, origin, zone);
    match file.skipped.into_iter().next() {
        // What is to be added is read in full: a line that would not count is an error here.
        Some(line) if !file.keys.is_empty() || file_has_key(text) => Err(Error::Line(line)),
        None if !file.keys.is_empty() => Ok(file.keys),
        Some(_) | None => Err(no_key(None)),
    }
}

/// Tells whether some line is meant to name a key.
fn file_has_key(text: &str) -> bool {
    text.split_whitespace().any(KeyText::is_public)
}

fn held_by(key: TrustedKey, principal: Option<&str>) -> TrustedKey {
    let principal = principal.map_or(key.principal, str::to_owned);
    TrustedKey { principal, ..key }
}

/// Returns the holder that a public key's line names; empty if it names none.
fn holder(line: &str) -> &str {
    holder_in(comment(line)).unwrap_or_default()
}

fn comment(line: &str) -> &str {
    line.splitn(3, char::is_whitespace).nth(2).unwrap_or_default()
}
