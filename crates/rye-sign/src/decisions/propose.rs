//! `trust propose`: a root of a project signs its trust files as they are.
//!
//! Two steps: `draft` gathers the content to sign, for a person to look at; the draft is signed then. The files come
//! first and `trust.sig` last: killed in between, the manifest fits no file, which counts for nothing, and proposing
//! again mends it.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::add::{Input, as_author, check_names, read_keys};
use super::{Error, Naming, WorkTree};
use crate::git::CommitId;
use crate::id::{Timestamp, Zone};
use crate::keys::{KeyName, KeyStore, ProjectFiles, TrustDir};
use crate::project::{self, Project};
use crate::trust::{
    ContentHash, ManifestFault, Namespace, Proposal, PublicKey, Scope, SignedManifest, Signer, TrustChange, TrustFile,
    TrustFiles, TrustedKey, agent_of, check_self, check_successor, is_principal, parse_allowed_signers, trust_changes,
    with_signers,
};

/// What a root's key is for.
const ROOT_USES: [Namespace; 3] = [Namespace::Item, Namespace::Trust, Namespace::Git];

/// Additions to the proposal of the files.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The names of whoever proposes, where their key is not in the files yet; git's e-mail address without them.
    pub principals: Vec<String>,
    /// Files with the public keys of further roots.
    pub roots: Vec<PathBuf>,
    /// Files with the public keys of further authors, of items and commits.
    pub authors: Vec<PathBuf>,
}

/// Files that are ready to be signed; nothing is written.
#[derive(Debug)]
pub struct Draft<'a> {
    work_tree: WorkTree<'a>,
    old: ProjectFiles,
    new: ProjectFiles,
    zone: Zone,
    manifest: SignedManifest,
    status: Status,
    accepted: Option<Proposal>,
    changes: Vec<TrustChange>,
}

/// The proposal.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// The result.
    pub status: Status,
    /// The version of the manifest.
    pub version: u64,
    /// The pin of the proposal.
    pub digest: ContentHash,
    /// The keys that signed it.
    pub signed_by: Vec<crate::trust::KeyId>,
    /// What the files change in what this person accepted, or all that they say where they accepted nothing.
    pub changes: Vec<TrustChange>,
    /// The files that were written.
    pub files: Vec<PathBuf>,
    /// Why it cannot be accepted yet: more roots must sign, say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// Whether it counts for this person.
    pub accepted: bool,
    /// The commit of the files, if one was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_id: Option<CommitId>,
    /// Where the files lie, for a commit of them.
    #[serde(skip)]
    pub places: Vec<PathBuf>,
}

/// The result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// A new version was signed.
    Proposed,
    /// A signature was added to the version there is.
    Countersigned,
    /// This key had signed the files as they are.
    Unchanged,
}

/// Drafts the project's trust files for a key to sign, in a new version if they changed. Without any, the key becomes their
/// first root.
///
/// # Errors
///
/// Fails when the key is not a root, or a file is not understood in full.
pub fn draft<'a>(project: &'a Project, options: &Options, key: PublicKey) -> Result<Draft<'a>, Error> {
    let work_tree = WorkTree::open(project)?;
    let old = work_tree.read()?;
    old.check_config()?;
    let signers = signers(project, &old, options, key)?;
    let mut new = ProjectFiles { allowed_signers: Some(signers.clone().into_bytes()), ..old.clone() };
    let zone = project.context().zone();
    if makes_version(project, &new.parsed(&zone)?, key)?
        && let Some(agent) = own_agent(project, &new.parsed(&zone)?, key)?
    {
        new.allowed_signers = Some(with_signers(&signers, &[agent]).into_bytes());
    }
    let files = new.parsed(&zone)?;
    check_root(&files, key)?;
    check_agent(project, &files)?;
    let (manifest, mut status) = begun(&files, root_commit(project)?, project.context().now())?;
    if status == Status::Countersigned && manifest.keys().any(|known| *known == key) {
        status = Status::Unchanged;
    }
    new.manifest = Some(manifest.to_text().into_bytes());
    let accepted = accepted(project)?;
    let changes = trust_changes(accepted.as_ref(), &Proposal::read(&new.parsed(&zone)?)?);
    Ok(Draft { work_tree, old, new, zone, manifest, status, accepted, changes })
}

impl Draft<'_> {
    /// Returns what signing would do.
    #[must_use]
    pub const fn status(&self) -> Status {
        self.status
    }

    /// Returns the version of the manifest.
    #[must_use]
    pub const fn version(&self) -> u64 {
        self.manifest.manifest().version
    }

    /// Returns what the files change in what this person accepted.
    #[must_use]
    pub fn changes(&self) -> &[TrustChange] {
        &self.changes
    }

    /// Tells of the lines of `allowed_signers` that do not count; none if all do.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        self.new.parsed(&self.zone).and_then(|files| Proposal::read(&files)).ok()?.warning()
    }

    /// Tells whether this person accepted these very files.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        let digest =
            self.new.parsed(&self.zone).and_then(|files| Proposal::read(&files)).map(|proposal| proposal.digest());
        self.accepted.as_ref().is_some_and(|accepted| digest.is_ok_and(|digest| digest == accepted.digest()))
    }

    /// Signs the files, unless this key has, and writes them.
    ///
    /// # Errors
    ///
    /// Fails when the key refuses, or something cannot be written.
    pub fn sign(self, key: &dyn Signer) -> Result<Outcome, Error> {
        let Self { work_tree, old, mut new, zone, mut manifest, status, accepted, changes } = self;
        if status != Status::Unchanged {
            manifest.add(&key.sign_armored(Namespace::Trust, manifest.message().as_bytes())?)?;
        }
        new.manifest = Some(manifest.to_text().into_bytes());
        let mut written = Vec::new();
        for ((name, new), (_, old)) in new.named().zip(old.named()) {
            if let Some(bytes) = new.filter(|_| new != old) {
                work_tree.write(name, bytes, old)?;
                written.push(work_tree.path(name));
            }
        }
        let files = new.parsed(&zone)?;
        Ok(Outcome {
            status,
            version: manifest.manifest().version,
            digest: Proposal::read(&files)?.digest(),
            signed_by: manifest.keys().map(PublicKey::key_id).collect(),
            changes,
            files: written,
            missing: missing(accepted.as_ref(), &files).map(|fault| fault.to_string()),
            accepted: false,
            commit_id: None,
            places: places(&work_tree),
        })
    }
}

/// Lists where the files lie, for a commit of them.
fn places(work_tree: &WorkTree<'_>) -> Vec<PathBuf> {
    let folder = work_tree.path(TrustFile::AllowedSigners.as_str()).parent().map(Path::to_path_buf);
    let space = folder.as_deref().and_then(Path::parent);
    let beside =
        space.into_iter().flat_map(|space| [".gitignore", TrustFile::Config.as_str()].map(|name| space.join(name)));
    beside.filter(|path| path.exists()).chain(folder.clone()).collect()
}

/// Returns the text of `allowed_signers` with the roots that are to be in it.
fn signers(project: &Project, old: &ProjectFiles, options: &Options, own: PublicKey) -> Result<String, Error> {
    let bytes = old.allowed_signers.clone();
    let unreadable =
        |_| ManifestFault::Unreadable { file: TrustFile::AllowedSigners, reason: "it is not UTF-8".to_owned() };
    let text = String::from_utf8(bytes.clone().unwrap_or_default()).map_err(unreadable)?;
    let known = parse_allowed_signers(&text, ".ai/trust/allowed_signers", &project.context().zone()).keys;
    let mut roots = Vec::new();
    if bytes.is_none() {
        roots.push(root(own, principal(project, options)?));
    }
    for key in keys_in(project, &options.roots, Naming::Root)? {
        roots.push(root(key.key, key.principal));
    }
    roots.retain(|root| !known.iter().any(|known| known.key == root.key && known.names_use(Namespace::Trust)));
    let mut added = roots;
    let naming = if bytes.is_none() { Naming::First } else { Naming::Author };
    for key in keys_in(project, &options.authors, naming)? {
        if key.permits(Namespace::Trust) && !key.namespaces.is_empty() {
            return Err(Error::AuthorIsRoot { key_id: key.key.key_id(), uses: key.namespaces.join(",") });
        }
        if !known.iter().chain(&added).any(|known| known.key == key.key) {
            added.push(as_author(&key));
        }
    }
    Ok(with_signers(&text, &added))
}

/// Reads the keys in files. None of them may be revoked by this person, and each names its holder.
fn keys_in(project: &Project, paths: &[PathBuf], naming: Naming) -> Result<Vec<TrustedKey>, Error> {
    let dir = TrustDir::new(project.context())?;
    let (revoked, mut every) = (dir.revoked()?, Vec::new());
    for path in paths {
        let input = Input::File(path.clone());
        let keys = read_keys(project.context(), &input)?;
        check_names(&keys, &input, false).map_err(|error| match error {
            Error::Unnamed { key_id, origin } => Error::UnnamedProposed { key_id, origin, naming },
            error => error,
        })?;
        if let Some(key) = keys.iter().find(|key| revoked.contains(&key.key)) {
            let (key_id, origin) = (key.key.key_id(), path.display().to_string());
            return Err(Error::Revoked { key_id, origin, list: dir.revoked_path() });
        }
        every.extend(keys);
    }
    Ok(every)
}

fn root(key: PublicKey, principal: String) -> TrustedKey {
    let namespaces = ROOT_USES.map(|name| name.as_str().to_owned()).to_vec();
    TrustedKey { namespaces, scope: Scope::Project, ..TrustedKey::new(key, principal, "") }
}

fn principal(project: &Project, options: &Options) -> Result<String, Error> {
    let named = options.principals.join(",");
    let author = project.repository().and_then(|repository| repository.author()).map(|author| author.email);
    let principal = if named.is_empty() { author.ok_or(Error::NoPrincipal)? } else { named };
    if is_principal(&principal) { Ok(principal) } else { Err(Error::Principal { principal }) }
}

/// Makes sure that the files are understood in full and make this key a root, before anything is signed.
fn check_root(files: &TrustFiles, key: PublicKey) -> Result<(), Error> {
    let proposal = Proposal::read(&TrustFiles { manifest: None, ..files.clone() })?;
    let key_id = key.key_id();
    if proposal.revoked().contains(&key) {
        return Err(ManifestFault::RevokedRoot { key_id }.into());
    }
    let is_root = proposal.roots().any(|root| root.key == key);
    if is_root { Ok(()) } else { Err(Error::NotRoot { key_id }) }
}

/// Tells whether signing the files makes a new version, or may make one: a further signature below the same version must not
/// change it, and a version that only this key signs can be followed at once.
fn makes_version(project: &Project, files: &TrustFiles, key: PublicKey) -> Result<bool, Error> {
    let (manifest, status) = begun(files, root_commit(project)?, project.context().now())?;
    let is_lone = || files.policy.as_ref().is_none_or(|policy| policy.root_signers() == 1);
    Ok(status == Status::Proposed || manifest.keys().any(|known| *known == key) && is_lone())
}

/// Returns the line of the proposer's own agent, for turns alone; none if the files name the key, or it is revoked.
fn own_agent(project: &Project, files: &TrustFiles, own: PublicKey) -> Result<Option<TrustedKey>, Error> {
    let agent = KeyStore::new(project.context())?.find_public(KeyName::Agent)?.filter(|agent| *agent != own);
    let Some(agent) = agent else { return Ok(None) };
    let proposal = Proposal::read(&TrustFiles { manifest: None, ..files.clone() })?;
    let is_known = proposal.keys().iter().any(|known| known.key == agent);
    let is_revoked =
        proposal.revoked().contains(&agent) || TrustDir::new(project.context())?.revoked()?.contains(&agent);
    let name = proposal.keys().iter().filter(|known| known.key == own).find_map(|known| agent_of(&known.principal));
    Ok(name.filter(|_| !is_known && !is_revoked).map(|name| TrustedKey::for_turns(agent, name, "")))
}

/// Makes sure that the files do not make a person of this person's own agent: a root's signature would spread that.
fn check_agent(project: &Project, files: &TrustFiles) -> Result<(), Error> {
    let agent = KeyStore::new(project.context())?.find_public(KeyName::Agent)?;
    let proposal = Proposal::read(&TrustFiles { manifest: None, ..files.clone() })?;
    let is_person = |known: &&TrustedKey| Some(known.key) == agent && !known.is_for_turns_only();
    match proposal.keys().iter().find(is_person) {
        Some(known) => Err(Error::AgentNamed { principal: known.principal.clone(), key_id: known.key.key_id() }),
        None => Ok(()),
    }
}

/// Returns the manifest there is, if it is of these files, or begins the next version.
fn begun(files: &TrustFiles, project: Option<String>, now: Timestamp) -> Result<(SignedManifest, Status), Error> {
    let new = |version, at| SignedManifest::unsigned(version, at, files.digests()).of_project(project.clone());
    let Some(bytes) = &files.manifest else { return Ok((new(1, now), Status::Proposed)) };
    let known = SignedManifest::parse(bytes)?;
    let manifest = known.manifest();
    // One that was signed before the first commit names no project, and is countersigned as it is.
    if manifest.digests == files.digests() && (manifest.project.is_none() || manifest.project == project) {
        return Ok((known, Status::Countersigned));
    }
    Ok((new(manifest.version.saturating_add(1), manifest.signed_at.max(now)), Status::Proposed))
}

/// Returns what the project is known by; none before its first commit.
fn root_commit(project: &Project) -> Result<Option<String>, Error> {
    let Some(repository) = project.repository() else { return Ok(None) };
    Ok(project::identity(&repository)?.map(|identity| identity.root_commit))
}

/// Returns what this person accepted of the project.
fn accepted(project: &Project) -> Result<Option<Proposal>, Error> {
    let identity = project.repository().and_then(|repository| project::identity(&repository).ok().flatten());
    let dir = TrustDir::new(project.context())?;
    let accepted = identity.map(|identity| dir.accepted(&identity)).transpose()?.flatten();
    Ok(accepted.map(|accepted| accepted.proposal))
}

/// Tells the obstacles to accepting the files, here or elsewhere.
fn missing(accepted: Option<&Proposal>, files: &TrustFiles) -> Option<ManifestFault> {
    match accepted {
        None => check_self(files).err(),
        Some(accepted) => check_successor(accepted, files).err(),
    }
}
