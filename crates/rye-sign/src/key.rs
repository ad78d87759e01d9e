//! `key`: the person's and the agent's keys.

use serde::Serialize;

use crate::context::Context;
use crate::git::{GitEnvironment, Repository};
use crate::keys::{Ask, Import, KeyInfo, KeyName, KeyStore, KeysError, TrustDir, named_file};
use crate::trust::{KeyId, Passphrase, TrustedKey, agent_of, allowed_signers_line, holder_in};

/// The keys there are.
#[derive(Debug, Clone, Serialize)]
pub struct ListOutcome {
    /// Each key.
    pub keys: Vec<KeyInfo>,
}

/// What became of a key that was to be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ImportStatus {
    /// It is the person's key now.
    Imported,
    /// It was before.
    Unchanged,
}

/// A key that was imported.
#[derive(Debug, Clone, Serialize)]
pub struct ImportOutcome {
    /// Its result.
    pub status: ImportStatus,
    /// The keys there are now.
    pub keys: Vec<KeyInfo>,
    /// The person's key until now, if there was another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced: Option<KeyInfo>,
}

/// A form a public key can be exported in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportForm {
    /// One line, as in `id_ed25519.pub`.
    OpenSsh,
    /// SubjectPublicKeyInfo as PEM.
    Pem,
    /// A line of an allowed_signers file.
    AllowedSigners,
}

/// A public key as text.
#[derive(Debug, Clone, Serialize)]
pub struct ExportOutcome {
    /// The key's id.
    pub key_id: KeyId,
    /// The text, newline included.
    pub text: String,
    /// Whether the line should name the holder, and nothing says who that is.
    #[serde(skip)]
    pub is_nameless: bool,
}

/// Makes the keys that are missing, and returns both.
pub fn generate(ctx: &Context) -> Result<ListOutcome, KeysError> {
    let store = KeyStore::new(ctx)?;
    let keys = store.ensure(ctx)?;
    TrustDir::new(ctx)?.write_git_files(&store)?;
    Ok(ListOutcome { keys })
}

/// Makes the keys that are missing, the person's behind a passphrase that is asked for twice.
///
/// # Errors
///
/// Fails when there is a person's key already, when no passphrase is given, and when a key cannot be read or written.
pub fn generate_protected(ctx: &Context, mut ask: Ask) -> Result<ListOutcome, KeysError> {
    let store = KeyStore::new(ctx)?;
    if store.stored(KeyName::Person)?.is_some() {
        return Err(KeysError::Exists { path: store.path(KeyName::Person) });
    }
    let passphrase = new_passphrase(&mut ask)?;
    store.create_protected(ctx, KeyName::Person, &passphrase)?;
    let mut keys = store.ensure(ctx)?;
    keys.iter_mut().filter(|key| key.name == KeyName::Person.as_str()).for_each(|key| key.created = true);
    TrustDir::new(ctx)?.write_git_files(&store)?;
    Ok(ListOutcome { keys })
}

fn new_passphrase(ask: &mut Ask) -> Result<Passphrase, KeysError> {
    let mut answer = |question| ask(question).map_err(|source| KeysError::NoPassphrase { source });
    let passphrase = answer("Passphrase for your new key: ")?;
    if passphrase.is_empty() {
        return Err(KeysError::EmptyPassphrase);
    }
    let again = answer("Enter the same passphrase again: ")?;
    if passphrase == again { Ok(passphrase) } else { Err(KeysError::OtherPassphrase) }
}

/// Makes the key in a file the person's. `replace` allows it to take the place of another, which is kept aside.
///
/// # Errors
///
/// Fails when the file holds no key that can sign, or the key may not be replaced.
pub fn import(ctx: &Context, file: &str, replace: bool, ask: Ask) -> Result<ImportOutcome, KeysError> {
    let store = KeyStore::new(ctx)?;
    let named = named_file(ctx, &store, file, ask).map_err(not_imported)?;
    let (status, replaced) = match store.import(&named, replace)? {
        Import::Unchanged => (ImportStatus::Unchanged, None),
        Import::Imported(replaced) => (ImportStatus::Imported, replaced),
    };
    TrustDir::new(ctx)?.write_git_files(&store)?;
    Ok(ImportOutcome { status, keys: store.list()?, replaced })
}

fn not_imported(error: KeysError) -> KeysError {
    match error {
        KeysError::Key { path, source } => KeysError::NotImported { path, source },
        error => error,
    }
}

/// Lists the keys there are.
pub fn list(ctx: &Context) -> Result<ListOutcome, KeysError> {
    Ok(ListOutcome { keys: KeyStore::new(ctx)?.list()? })
}

/// How to export a key.
#[derive(Debug, Clone)]
pub struct ExportOptions {
    /// Which key.
    pub name: KeyName,
    /// In which form; without one, a person's key as OpenSSH writes it, and an agent's as a line of allowed_signers.
    pub form: Option<ExportForm>,
    /// The name that a line of allowed_signers gives its holder, instead of the one in the comment.
    pub principal: Option<String>,
    /// The comment of the key, instead of the known holder.
    pub comment: Option<String>,
}

/// Writes the public half of a key as text, with its holder.
///
/// # Errors
///
/// Fails when there is no such key or it cannot be read, when a line needs the name of a holder, and when an agent's key would be
/// written without its use.
pub fn export(ctx: &Context, options: &ExportOptions) -> Result<ExportOutcome, KeysError> {
    let ExportOptions { name, form, principal, comment } = options;
    let missing = || KeysError::Missing { name: name.as_str().to_owned() };
    let store = KeyStore::new(ctx)?;
    let key = store.find_public(*name)?.ok_or_else(missing)?;
    let comment = match comment.as_deref().map(str::trim) {
        Some(comment) if comment.is_empty() || comment.contains(char::is_control) => return Err(KeysError::Comment),
        Some(comment) => comment.to_owned(),
        None => known_comment(ctx, &store, *name)?,
    };
    let unnamed = || KeysError::NoHolder { name: name.as_str() };
    let text = match (name, form) {
        (KeyName::Person, None | Some(ExportForm::OpenSsh)) => format!("{} {comment}\n", key.to_openssh()),
        (KeyName::Person, Some(ExportForm::Pem)) => key.to_spki_pem().unwrap_or_default(),
        (KeyName::Person, Some(ExportForm::AllowedSigners)) => {
            let holder = principal.as_deref().or_else(|| holder_in(&comment)).ok_or_else(unnamed)?;
            format!("{}\n", allowed_signers_line(&TrustedKey::new(key, holder, "")))
        }
        (KeyName::Agent, None | Some(ExportForm::AllowedSigners)) => {
            let person = known_comment(ctx, &store, KeyName::Person)?;
            let own = holder_in(&comment).or_else(|| holder_in(&person)).and_then(agent_of);
            let holder = principal.clone().or(own).ok_or_else(unnamed)?;
            format!("{}\n", allowed_signers_line(&TrustedKey::for_turns(key, holder, "")))
        }
        (KeyName::Agent, Some(ExportForm::OpenSsh | ExportForm::Pem)) => return Err(KeysError::AgentWithoutUse),
    };
    let names_holder = match (name, form) {
        (KeyName::Person, None | Some(ExportForm::OpenSsh)) => true,
        (KeyName::Person, Some(ExportForm::Pem | ExportForm::AllowedSigners)) | (KeyName::Agent, _) => false,
    };
    let is_nameless = names_holder && comment == name.comment();
    Ok(ExportOutcome { key_id: key.key_id(), text, is_nameless })
}

/// Returns what an imported key says of its holder, or what git knows of the person. The agent's key names no person.
fn known_comment(ctx: &Context, store: &KeyStore, name: KeyName) -> Result<String, KeysError> {
    if let Some(comment) = store.comment(name)? {
        return Ok(comment);
    }
    let author = match name {
        KeyName::Person => Repository::author_in(ctx.current_dir(), &GitEnvironment::from_context(ctx)),
        KeyName::Agent => None,
    };
    let author = author.filter(|author| !author.email.is_empty());
    Ok(author.map_or_else(|| name.comment(), |author| format!("{} <{}>", author.name, author.email)))
}
