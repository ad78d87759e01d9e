//! A project's proposal of trust: its files, judged as a whole.
//!
//! Trust files of a project do not count by themselves. It counts after a person accepted it, or where a caller names a
//! revision that is trusted: then each change of the files must be signed by roots of those before.

use crate::id::{Timestamp, Zone};
use crate::trust::{
    AllowedSigners, ConfigDigest, ContentHash, Digests, MAX_TRUST_FILE_BYTES, Manifest, ManifestFault, Namespace,
    PublicKey, RevocationError, RevocationList, Roots, Scope, Signatory, SignedManifest, TrustFile, TrustPolicy,
    TrustedKey, TrustedKeys, parse_allowed_signers, people,
};

/// The files of `.ai/trust/` and `.ai/config.toml`, as bytes; none for one that does not exist. The policy comes parsed, and
/// knows its digest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustFiles {
    /// `allowed_signers`.
    pub allowed_signers: Option<Vec<u8>>,
    /// `revoked`.
    pub revoked: Option<Vec<u8>>,
    /// `policy.toml`.
    pub policy: Option<TrustPolicy>,
    /// `.ai/config.toml`.
    pub config: Option<Vec<u8>>,
    /// `trust.sig`.
    pub manifest: Option<Vec<u8>>,
    /// That of times in `allowed_signers` that name none.
    pub zone: Zone,
}

/// What a project proposes: whom to trust for its items, whom not, and how many must sign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    signers: AllowedSigners,
    revoked: RevocationList,
    policy: TrustPolicy,
    config: Option<Vec<u8>>,
    digests: Digests,
    manifest: Option<SignedManifest>,
}

impl TrustFiles {
    /// Returns the digests of the files.
    #[must_use]
    pub fn digests(&self) -> Digests {
        let digest = |bytes: &Option<Vec<u8>>| bytes.as_deref().map(ContentHash::of);
        Digests {
            allowed_signers: digest(&self.allowed_signers),
            revoked: digest(&self.revoked),
            policy: self.policy.as_ref().and_then(TrustPolicy::digest),
            config: ConfigDigest::Covered(digest(&self.config)),
        }
    }
}

impl Proposal {
    /// Reads the files as they are. Nothing but the caller vouches for what they say: [`check_self`] and
    /// [`check_successor`] ask the signatures.
    ///
    /// # Errors
    ///
    /// Fails when a file cannot be understood in full, or is not the one that the manifest names.
    pub fn read(files: &TrustFiles) -> Result<Self, ManifestFault> {
        let digests = files.digests();
        let manifest = files.manifest.as_deref().map(SignedManifest::parse).transpose()?;
        if let Some(manifest) = &manifest
            && let Some(file) = manifest.manifest().digests.difference(&digests)
        {
            return Err(ManifestFault::Digest { file });
        }
        Ok(Self {
            signers: files
                .allowed_signers
                .as_deref()
                .map(|bytes| read_keys(bytes, &files.zone))
                .transpose()?
                .unwrap_or_default(),
            revoked: files.revoked.as_deref().map(read_revoked).transpose()?.unwrap_or_default(),
            policy: files.policy.clone().unwrap_or_default(),
            config: files.config.clone(),
            digests,
            manifest,
        })
    }

    /// Returns whom it proposes to trust, for this project.
    #[must_use]
    pub fn keys(&self) -> &[TrustedKey] {
        &self.signers.keys
    }

    /// Tells of the lines of `allowed_signers` that do not count; none if all do.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        self.signers.warning()
    }

    /// Returns whose signatures it proposes to take for bad.
    #[must_use]
    pub const fn revoked(&self) -> &RevocationList {
        &self.revoked
    }

    /// Returns how many must sign.
    #[must_use]
    pub const fn policy(&self) -> &TrustPolicy {
        &self.policy
    }

    /// Returns the project's configuration, if there is one.
    #[must_use]
    pub fn config(&self) -> Option<&[u8]> {
        self.config.as_deref()
    }

    /// Tells whether its manifest covers the project's configuration.
    #[must_use]
    pub fn covers_config(&self) -> bool {
        self.manifest().is_some_and(|manifest| manifest.digests.config != ConfigDigest::Open)
    }

    /// Checks that its manifest, if it names a project, names the one whose history began with this commit.
    ///
    /// # Errors
    ///
    /// [`ManifestFault::OtherProject`].
    pub fn check_project(&self, root_commit: &str) -> Result<(), ManifestFault> {
        match self.manifest().and_then(|manifest| manifest.project.as_deref()) {
            Some(project) if project != root_commit => Err(ManifestFault::OtherProject { project: project.to_owned() }),
            Some(_) | None => Ok(()),
        }
    }

    /// Tells whether its manifest names the project that it is for.
    #[must_use]
    pub fn names_project(&self) -> bool {
        self.manifest().is_some_and(|manifest| manifest.project.is_some())
    }

    /// Returns the manifest, if there is one.
    #[must_use]
    pub fn manifest(&self) -> Option<&Manifest> {
        self.manifest.as_ref().map(SignedManifest::manifest)
    }

    /// Computes what pins the proposal: the SHA-256 of its manifest, or of the lines of the three trust files without a
    /// manifest. A further signature leaves it as it is.
    #[must_use]
    pub fn digest(&self) -> ContentHash {
        let files = Digests { config: ConfigDigest::Open, ..self.digests };
        let text = self.manifest().map_or_else(|| files.to_string(), Manifest::to_string);
        ContentHash::of(text.as_bytes())
    }

    /// Returns the keys that may sign manifests: those whose line names the use `rye-trust`.
    pub fn roots(&self) -> impl Iterator<Item = &TrustedKey> {
        self.keys().iter().filter(|key| key.names_use(Namespace::Trust))
    }

    /// Checks that enough of this proposal's roots signed another one's manifest, or its own, ignoring keys that are
    /// revoked elsewhere: by the person who is to accept it.
    ///
    /// # Errors
    ///
    /// Returns the fault.
    pub fn roots_signed(&self, next: &Self, revoked: &RevocationList, roots: Roots) -> Result<(), ManifestFault> {
        let mut judge = self.clone();
        for key in revoked.iter() {
            judge.revoked.insert(key.clone());
        }
        judge.check_signatures(next.manifest.as_ref().ok_or(ManifestFault::Unsigned)?, roots)
    }

    /// Lets the proposal count for the project's items and commits, besides what counts already. A line for the agent's key
    /// does not make a model's signature a person's.
    pub fn join(&self, keys: &mut TrustedKeys) {
        keys.warn(self.warning());
        let own: Vec<&TrustedKey> = self.keys().iter().filter(|key| !keys.is_agent(&key.key)).collect();
        own.into_iter().for_each(|key| keys.add(key.clone()));
        keys.revoke(&self.revoked, &Scope::Project);
        keys.set_policy(self.policy.clone());
    }

    /// Applies the proposal's prohibitions and requirements, without trusting any of its keys.
    pub fn restrict(&self, keys: &mut TrustedKeys) {
        keys.revoke(&self.revoked, &Scope::Project);
        keys.tighten(&self.policy);
    }

    /// Lets the proposal count for the project's items and commits, and nothing else.
    #[must_use]
    pub fn trusted_keys(&self) -> TrustedKeys {
        let mut keys = TrustedKeys::default();
        self.join(&mut keys);
        keys
    }

    /// Returns the digests that a later change is held against. A configuration that no manifest covers counts if it is
    /// there: one that is new can only tighten.
    fn known_digests(&self) -> Digests {
        let config =
            if self.covers_config() || self.config.is_some() { self.digests.config } else { ConfigDigest::Open };
        Digests { config, ..self.digests }
    }

    /// Checks that enough of this proposal's roots signed a manifest.
    fn check_signatures(&self, signed: &SignedManifest, roots: Roots) -> Result<(), ManifestFault> {
        let (revoked, good): (Vec<&PublicKey>, Vec<&PublicKey>) =
            signed.keys().filter(|key| self.is_root(key)).partition(|key| self.revoked.contains(key));
        let signers = good.into_iter().filter_map(|key| self.root_signer(key, signed.manifest().signed_at));
        let (have, need) = (people(signers).len(), self.policy.root_signers());
        match revoked.first() {
            _ if have >= need => Ok(()),
            Some(key) => Err(ManifestFault::RevokedRoot { key_id: key.key_id() }),
            None => Err(ManifestFault::TooFewRoots { roots, have, need }),
        }
    }

    fn is_root(&self, key: &PublicKey) -> bool {
        self.roots().any(|root| root.key == *key)
    }

    /// Names the root behind a key, if it was one at that moment.
    fn root_signer(&self, key: &PublicKey, at: Timestamp) -> Option<Signatory> {
        let mut roots = self.roots().filter(|root| root.key == *key && root.is_valid_at(at)).peekable();
        roots.peek().is_some().then(|| Signatory::of(*key, roots))
    }
}

/// Checks trust files by themselves: the manifest names these very files, and enough of their own roots signed it.
///
/// # Errors
///
/// Returns the first fault.
pub fn check_self(files: &TrustFiles) -> Result<Proposal, ManifestFault> {
    if files.manifest.is_none() {
        return Err(ManifestFault::Unsigned);
    }
    let proposal = Proposal::read(files)?;
    let manifest = proposal.manifest.as_ref().ok_or(ManifestFault::Unsigned)?;
    proposal.check_signatures(manifest, Roots::Own)?;
    Ok(proposal)
}

/// Checks trust files against those they follow. Files that are the same need nothing, and a first manifest over them
/// only their own roots; a change needs a higher version, signed no earlier, by enough roots of the base and of its own.
///
/// # Errors
///
/// Returns the first fault.
pub fn check_successor(base: &Proposal, next: &TrustFiles) -> Result<Proposal, ManifestFault> {
    let is_changed = base.known_digests().difference(&next.digests()).is_some();
    match (&base.manifest, &next.manifest) {
        (_, None) if is_changed || base.manifest.is_some() => Err(ManifestFault::Unannounced),
        (None, None) => Proposal::read(next),
        (None, Some(_)) if is_changed => Err(ManifestFault::UnsignedBase),
        (None, Some(_)) => check_self(next),
        (Some(old), _) => {
            let proposal = check_self(next)?;
            match &proposal.manifest {
                Some(new) if new.manifest() != old.manifest() => {
                    check_coverage(base, old, &proposal, new)?;
                    check_step(base, old, new)?;
                }
                // Under one and the same manifest only a configuration that it leaves open can be another one.
                Some(_) | None if is_changed => return Err(ManifestFault::Unannounced),
                Some(_) | None => {}
            }
            Ok(proposal)
        }
    }
}

/// Checks that the configuration does not change, or come to be open, under a manifest that says nothing of it.
fn check_coverage(
    base: &Proposal,
    old: &SignedManifest,
    next: &Proposal,
    new: &SignedManifest,
) -> Result<(), ManifestFault> {
    let is_changed = base.known_digests().difference(&next.digests) == Some(TrustFile::Config);
    match (old.manifest().digests.config, new.manifest().digests.config) {
        (_, ConfigDigest::Covered(_)) => Ok(()),
        (ConfigDigest::Covered(_), ConfigDigest::Open) => Err(ManifestFault::Uncovered),
        (ConfigDigest::Open, ConfigDigest::Open) if is_changed => Err(ManifestFault::Uncovered),
        (ConfigDigest::Open, ConfigDigest::Open) => Ok(()),
    }
}

fn check_step(base: &Proposal, old: &SignedManifest, new: &SignedManifest) -> Result<(), ManifestFault> {
    let (old, claimed) = (old.manifest(), new.manifest());
    if old.project.is_some() && claimed.project != old.project {
        return Err(ManifestFault::OtherProject { project: claimed.project.clone().unwrap_or_else(|| "-".to_owned()) });
    }
    if claimed.version <= old.version {
        return Err(ManifestFault::NotNewer { base: old.version, version: claimed.version });
    }
    if claimed.signed_at < old.signed_at {
        return Err(ManifestFault::Backdated { base: old.signed_at, claimed: claimed.signed_at });
    }
    base.check_signatures(new, Roots::Base)
}

fn read_keys(bytes: &[u8], zone: &Zone) -> Result<AllowedSigners, ManifestFault> {
    let wrong = |reason: String| ManifestFault::Unreadable { file: TrustFile::AllowedSigners, reason };
    if bytes.len() > MAX_TRUST_FILE_BYTES {
        return Err(wrong(format!("it is larger than {MAX_TRUST_FILE_BYTES} bytes")));
    }
    let mut signers = parse_allowed_signers(bytes, ".ai/trust/allowed_signers", zone);
    signers.keys.iter_mut().for_each(|key| key.scope = Scope::Project);
    Ok(signers)
}

fn read_revoked(bytes: &[u8]) -> Result<RevocationList, ManifestFault> {
    let reason = |error: &RevocationError| match error {
        RevocationError::Line { line, reason, .. } => format!("line {line}: {reason}"),
        RevocationError::NoList { reason, .. } => reason.clone(),
        RevocationError::Binary { .. } => "it is a binary revocation list (KRL)".to_owned(),
    };
    RevocationList::parse(bytes, ".ai/trust/revoked")
        .map_err(|error| ManifestFault::Unreadable { file: TrustFile::Revoked, reason: reason(&error) })
}
