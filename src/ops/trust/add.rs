//! `trust add`: keys of a file come to count for everything, or a project is to propose them.

use std::path::PathBuf;

use serde::Serialize;

use super::{Error, Trusted, WorkTree, renew_git_files};
use crate::context::{Context, bounded};
use crate::keys::{KeyName, KeyStore, TrustDir};
use crate::ops::locate::Session;
use crate::trust::{
    KeyError, MAX_TRUST_FILE_BYTES, PublicKey, Scope, TrustFile, TrustedKey, parse_allowed_signers, with_signers,
};

/// Where keys come from.
#[derive(Debug, Clone)]
pub enum Input {
    /// A file.
    File(PathBuf),
    /// A text that was read already, from stdin say.
    Text(Vec<u8>),
}

/// What to trust.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where the keys come from.
    pub input: Input,
    /// Who holds them, instead of whom the file names.
    pub principal: Option<String>,
    /// Write them into the project's proposal instead.
    pub project: bool,
}

/// The decisions that are new.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// Each decision.
    pub keys: Vec<Trusted>,
    /// The file they are written in.
    pub path: PathBuf,
    /// Whether that is the project's, which somebody has yet to propose.
    pub project: bool,
}

/// Trusts keys. A model never approves its own work, so the agent's own key is refused; so are revoked keys.
///
/// # Errors
///
/// Fails when there is no key, one that must not count, or the decision cannot be written.
pub fn add(session: &Session, options: &Options) -> Result<Outcome, Error> {
    let ctx = session.context();
    let dir = TrustDir::new(ctx)?;
    let keys = wanted(ctx, options)?;
    let revoked = dir.revoked()?;
    if let Some(key) = keys.iter().find(|key| revoked.contains(&key.key)) {
        let (key_id, origin) = (key.key.key_id(), shown(&options.input));
        return Err(Error::Revoked { key_id, origin, list: dir.revoked_path() });
    }
    if options.project {
        return propose(session, &keys);
    }
    let added = dir.add(&keys)?;
    renew_git_files(session)?;
    Ok(Outcome { keys: added.iter().map(Trusted::from).collect(), path: dir.path(), project: false })
}

/// Writes keys into the project's file. One without uses gets those of an author: roots are made by name.
fn propose(session: &Session, keys: &[TrustedKey]) -> Result<Outcome, Error> {
    let work_tree = WorkTree::open(session)?;
    let mut added = Vec::new();
    work_tree.edit(TrustFile::AllowedSigners, |text, origin| {
        let known = parse_allowed_signers(text, origin)?;
        added = keys.iter().filter(|key| !known.iter().any(|known| known.key == key.key)).map(as_author).collect();
        Ok(with_signers(text, &added))
    })?;
    let path = work_tree.path(TrustFile::AllowedSigners.as_str());
    Ok(Outcome { keys: added.iter().map(Trusted::from).collect(), path, project: true })
}

fn as_author(key: &TrustedKey) -> TrustedKey {
    let namespaces = match key.namespaces.as_slice() {
        [] => vec!["rye".to_owned(), "git".to_owned()],
        named => named.to_vec(),
    };
    TrustedKey { namespaces, scope: Scope::Project, ..key.clone() }
}

/// Reads the keys that are to count, and refuses the agent's.
fn wanted(ctx: &Context, options: &Options) -> Result<Vec<TrustedKey>, Error> {
    let keys: Vec<TrustedKey> =
        read_keys(ctx, &options.input)?.into_iter().map(|key| held_by(key, options.principal.as_deref())).collect();
    if let Some(key) = keys.iter().find(|key| !is_principal(&key.principal)) {
        return Err(Error::Principal { principal: key.principal.clone() });
    }
    let agent = KeyStore::new(ctx)?.find_public(KeyName::Agent)?;
    if keys.iter().any(|key| Some(key.key) == agent) {
        return Err(Error::Agent { origin: shown(&options.input) });
    }
    Ok(keys)
}

/// Reads the keys in a file.
pub(super) fn read_keys(ctx: &Context, input: &Input) -> Result<Vec<TrustedKey>, Error> {
    keys_in(&read(ctx, input)?, &shown(input))
}

/// Tells whether a line can begin with this name.
pub(super) fn is_principal(name: &str) -> bool {
    let breaks = |c: char| c.is_whitespace() || c.is_control() || c == '"';
    let is_negated = name.split(',').any(|name| name.trim_matches('"').starts_with('!'));
    !name.is_empty() && !name.starts_with('#') && !is_negated && !name.contains(breaks)
}

fn shown(input: &Input) -> String {
    match input {
        Input::File(path) => path.display().to_string(),
        Input::Text(_) => "stdin".to_owned(),
    }
}

/// Reads a text that ends.
fn read(ctx: &Context, input: &Input) -> Result<String, Error> {
    let bytes = match input {
        Input::Text(bytes) => bytes.clone(),
        Input::File(path) => bounded::read(&ctx.current_dir().join(path), MAX_TRUST_FILE_BYTES as u64)?,
    };
    String::from_utf8(bytes).map_err(|_| Error::NoKey { origin: shown(input), source: None })
}

/// Takes a text for what it is: PEM, public keys one a line as servers list them, or lines of allowed_signers.
fn keys_in(text: &str, origin: &str) -> Result<Vec<TrustedKey>, Error> {
    let no_key = |source| Error::NoKey { origin: origin.to_owned(), source };
    if text.contains("PRIVATE KEY-----") {
        return Err(Error::Private { origin: origin.to_owned() });
    }
    if text.trim_start().starts_with("-----BEGIN ") {
        let key = PublicKey::from_spki_pem(text.trim_start()).map_err(|error| no_key(Some(error)))?;
        return Ok(vec![TrustedKey::new(key, "unnamed", origin)]);
    }
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).peekable();
    if lines.peek().is_some() && lines.clone().all(|line| line.starts_with("ssh-") || line.starts_with("ecdsa-")) {
        let plain = |line: &str| -> Result<TrustedKey, KeyError> {
            Ok(TrustedKey::new(PublicKey::from_openssh(line)?, comment(line), origin))
        };
        return lines.map(plain).collect::<Result<_, _>>().map_err(|error| no_key(Some(error)));
    }
    match parse_allowed_signers(text, origin) {
        Ok(keys) if !keys.is_empty() => Ok(keys),
        Err(error) if error.source.is_some() || text.contains("ssh-ed25519 ") => Err(error.into()),
        _ => Err(no_key(None)),
    }
}

fn held_by(key: TrustedKey, principal: Option<&str>) -> TrustedKey {
    let principal = principal.map_or(key.principal, str::to_owned);
    TrustedKey { principal, ..key }
}

/// Takes the first word of a key's comment as its holder.
fn comment(line: &str) -> &str {
    line.split_whitespace().nth(2).filter(|word| is_principal(word)).unwrap_or("unnamed")
}
