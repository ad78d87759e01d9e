//! Finding an item in the three spaces, and the only way from its bytes to a verified item.
//!
//! Built-in ids below `rye/` are not shadowed: an item of a project or the user under such an id is passed over, with a
//! warning, by everything that uses items. Code that writes and checks files still addresses it.

mod accepted_tree;
mod agent_files;
mod agent_links;
mod by_path;
mod error;
mod graph;
mod left_out;
mod line_ends;
mod past_lists;
mod path_patterns;
mod place;
mod proposal;
mod shared_folders;
mod signed_skills;
mod skill;
mod skill_copies;
mod skill_faults;
mod skill_files;
mod skill_listing;
mod skill_paths;
mod skill_tree;
mod unlisted_skills;

use std::path::{Path, PathBuf};

use crate::capability::Policy;
use crate::context::{ContextError, ProjectConfig};
use crate::format::registry_files::Lock;
use crate::format::{self, Finding, Profile};
use crate::git::Repository;
use crate::id::{ItemId, ItemType, Space, nearest};
use crate::item::Item;
use crate::trust::{ContentHash, Fault, Signed, Subject, TrustFile, TrustedKeys, Unverified, Verdict, Verified};
use crate::workspace::{self, BUILTIN, Candidate};

pub use crate::format::AGENT_FILES;

pub use self::agent_files::{AGENT_FILES_NAME, AgentFileChange, FoundAgentFiles, ListedAgentFiles, agent_files_bytes};
pub use self::by_path::{item_at, no_skill, plain};

pub use self::error::{Instead, LocateError, Named, invalid_items};
pub use self::left_out::LeftOut;
pub use self::line_ends::LineEnds;
pub use self::past_lists::{history_store, past_lists};
pub use self::path_patterns::{expanded, expanded_at, expanded_staged};
pub use self::place::{project_path, shown_path, subject_at};
pub use self::proposal::proposed;
pub use self::shared_folders::{Shared, ToolNeed};
pub use self::signed_skills::SignedSkills;
pub use self::skill::{KnownSkill, VerifiedSkill, check_skill_form, manifest_candidate, manifest_of, skill_document};
pub use self::skill_listing::SkillListing;
pub use self::skill_paths::{changed_skill_paths, skill_paths_in, staged_skill_paths};
pub(crate) use self::skill_tree::attributes_at;
pub use self::skill_tree::{CommitTree, SkillTree, SkillsInTree, changing_attributes};
use crate::project::Project;

/// An item's file, found and read; nothing is known of its signature yet.
#[derive(Debug, Clone)]
pub struct Located {
    /// Where it is.
    pub candidate: Candidate,
    /// Its bytes, with the type for unchecked content.
    pub signed: Signed<Vec<u8>, Unverified>,
    /// The spaces whose item of the same id it hides.
    pub shadows: Vec<Space>,
    /// Items of the same id that were passed over because the id is reserved and they differ.
    pub passed_over: Vec<PathBuf>,
}

/// What an item is found for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To be used: reserved ids come from the system space.
    Use,
    /// To be written or checked: the nearest file counts.
    Author,
}

/// A parsed item with the warnings of its validation.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// The item.
    pub item: Item,
    /// Warnings and advice.
    pub findings: Vec<Finding>,
    /// Where the file lies.
    pub space: Space,
    /// The SHA-256 of the whole file.
    pub sha256: ContentHash,
    /// The file's bytes: the verified ones, which also run.
    pub bytes: Vec<u8>,
}

impl Project {
    /// Returns the top of the project's work tree.
    ///
    /// # Errors
    ///
    /// Fails outside a repository and in a bare one.
    pub fn root(&self) -> Result<&Path, LocateError> {
        match self.work_dir() {
            Some(root) => Ok(root),
            None => Err(LocateError::bare(&self.require_repository()?)),
        }
    }

    /// Returns the repository that the current folder lies in.
    ///
    /// # Errors
    ///
    /// Fails outside a repository.
    pub fn require_repository(&self) -> Result<Repository, LocateError> {
        let no_project = || LocateError::NoProject { dir: self.context().current_dir().to_path_buf() };
        self.repository().ok_or_else(no_project)
    }

    /// Returns what configuration forbids or asks about: the person's, and what the project adds to it.
    ///
    /// # Errors
    ///
    /// Fails when the project's configuration says anything but what tightens.
    pub fn policy(&self) -> Result<Policy, LocateError> {
        let own = self.context().config().permissions.clone();
        Ok(self.configs()?.into_iter().fold(own, |policy, config| policy.joined(config.permissions)))
    }

    /// Returns what the project adds to the person's configuration: its file, and what the person accepted of it.
    ///
    /// # Errors
    ///
    /// Fails when one cannot be read, or says anything but what tightens.
    pub fn configs(&self) -> Result<Vec<ProjectConfig>, LocateError> {
        let parse = |path: &Path, bytes: &[u8]| ProjectConfig::parse(path, bytes).map_err(ContextError::from);
        let mut configs = Vec::new();
        let here = match self.workspace().config_file()? {
            Some(bytes) => Some(bytes),
            // What it forbids counts whatever a person has checked out.
            None => self.trust_file_left_out(TrustFile::Config.as_str())?,
        };
        if let Some(bytes) = here {
            let path = self.work_dir().unwrap_or(Path::new("")).join(".ai/config.toml");
            configs.push(parse(&path, &bytes)?);
        }
        for (path, bytes) in self.accepted_configs() {
            configs.push(parse(path, bytes)?);
        }
        Ok(configs)
    }

    /// Finds and reads an item; `space` asks for one space only.
    ///
    /// # Errors
    ///
    /// Fails when no space has it, two files differ only by extension, or it cannot be read.
    pub fn locate(
        &self,
        item_type: ItemType,
        item_id: &ItemId,
        space: Option<Space>,
        purpose: Purpose,
    ) -> Result<Located, LocateError> {
        let found = match space {
            Some(space) => self.workspace().candidate_in(space, item_type, item_id).map(Vec::from_iter),
            None => self.workspace().candidates(item_type, item_id),
        };
        let mut found = match found {
            // Two nearer files that contradict each other are passed over like one.
            Err(workspace::Error::Ambiguous { paths, .. }) if self.is_systems(item_type, item_id, space, purpose) => {
                let located = self.locate(item_type, item_id, Some(Space::System), purpose)?;
                return Ok(Located { passed_over: paths, ..located });
            }
            found => found?,
        };
        let passed_over = self.pass_over(&mut found, purpose, space)?;
        let mut found = found.into_iter();
        let candidate = found.next().ok_or_else(|| self.unknown(item_type, item_id, space))?;
        let shadows = found.map(|candidate| candidate.space).collect();
        let bytes = self.workspace().read(&candidate)?;
        let signed = Signed::new(subject(&candidate), bytes).in_space(candidate.space);
        Ok(Located { candidate, signed, shadows, passed_over })
    }

    /// Checks the signature, then parses and validates: the only way to an item that may be used.
    ///
    /// # Errors
    ///
    /// Fails on any fault of the signature and on any finding of severity error.
    pub fn verified(&self, located: Located, profile: Profile) -> Result<Signed<Checked, Verified>, LocateError> {
        let candidate = located.candidate;
        let (path, space) = (candidate.path.clone(), candidate.space);
        let subject = located.signed.subject().clone();
        let refused = |fault| LocateError::Refused {
            item_type: subject.item_type,
            item_id: subject.item_id.clone(),
            path: path.clone(),
            registry: self
                .pulled_from(space, &fault)
                .and_then(|lock| lock.find(subject.item_type, &subject.item_id).map(|entry| entry.registry.clone())),
            pulled: self.pulled_from(space, &fault).and_then(|lock| {
                let skill = lock.skill(&subject.item_id).filter(|_| subject.item_type == ItemType::Skill)?;
                skill.git().map(|git| Box::new(git.source.clone()))
            }),
            is_proposed: matches!(&fault, Fault::UntrustedKey { key_id } if proposed(self).contains(key_id)),
            line_ends: self.line_ends(&candidate, &subject, &fault).map(Box::new),
            fault,
        };
        let verified = located.signed.verify(&self.keys()).map_err(refused)?;
        verified.try_map(|subject, bytes| {
            let sha256 = ContentHash::of(&bytes);
            let (item, findings) = checked(subject, &bytes, profile, &path)?;
            Ok(Checked { item, findings, space, sha256, bytes })
        })
    }

    /// Tells whether the line ends of an item's file are what changed since it was signed.
    #[must_use]
    pub fn line_ends(&self, candidate: &Candidate, subject: &Subject, fault: &Fault) -> Option<LineEnds> {
        let root = self.root().ok().filter(|_| candidate.space == Space::Project && fault.may_be_line_ends())?;
        let path = candidate.path.strip_prefix(root).unwrap_or(&candidate.path).to_str()?;
        LineEnds::of(self, path, &Signed::new(subject.clone(), self.workspace().read(candidate).ok()?))
    }

    /// Returns the lock that says where an item was pulled from, where only a decision about its key is missing. It helps to say
    /// what to do; whoever wrote the lock gains nothing by it.
    fn pulled_from(&self, space: Space, fault: &Fault) -> Option<Lock> {
        if !matches!(fault, Fault::UntrustedKey { .. }) {
            return None;
        }
        let bytes = self.workspace().lock_file(space).ok().flatten()?;
        format::registry_files::lock(&bytes).ok()
    }

    /// Tells whether an item comes from the system space whatever else there is.
    fn is_systems(&self, item_type: ItemType, item_id: &ItemId, space: Option<Space>, purpose: Purpose) -> bool {
        let keeps = purpose == Purpose::Author || space.is_some() || self.context().config().items.shadow_reserved;
        !keeps
            && item_id.is_reserved()
            && BUILTIN.iter().any(|item| item.item_type == item_type && item_id.as_str() == item.id)
    }

    /// Takes reserved ids from the system space, whatever else there is. Returns the files that lost.
    fn pass_over(
        &self,
        found: &mut Vec<Candidate>,
        purpose: Purpose,
        space: Option<Space>,
    ) -> Result<Vec<PathBuf>, LocateError> {
        let Some(system) = found.iter().find(|candidate| candidate.space == Space::System).cloned() else {
            return Ok(Vec::new());
        };
        if !self.is_systems(system.item_type, &system.id, space, purpose) {
            return Ok(Vec::new());
        }
        let original = self.workspace().read(&system)?;
        let mut passed_over = Vec::new();
        for candidate in found.iter().filter(|candidate| candidate.space != Space::System) {
            if candidate.extension != system.extension || self.differs(candidate, &original)? {
                passed_over.push(candidate.path.clone());
            }
        }
        if !passed_over.is_empty() {
            found.retain(|candidate| candidate.space == Space::System);
        }
        Ok(passed_over)
    }

    fn differs(&self, candidate: &Candidate, original: &[u8]) -> Result<bool, LocateError> {
        match self.workspace().read(candidate) {
            Ok(bytes) => Ok(bytes != original),
            Err(error) if error.of_one_file().is_some() => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    /// Suggests only what the same call would find.
    fn unknown(&self, item_type: ItemType, item_id: &ItemId, space: Option<Space>) -> LocateError {
        let may_be_left_out = space.is_none_or(|space| space == Space::Project);
        if let Some(error) = self.not_checked_out(item_type, item_id).filter(|_| may_be_left_out) {
            return error;
        }
        let items = self.workspace().list(Some(item_type), space).map(|listing| listing.items).unwrap_or_default();
        let suggestion = nearest(item_id.as_str(), items.iter().map(|item| item.id.as_str()))
            .and_then(|id| items.iter().find(|item| item.id.as_str() == id))
            .map(|item| item.id.clone());
        let has = |other: &Space| matches!(self.workspace().candidate_in(*other, item_type, item_id), Ok(Some(_)));
        let instead = match space {
            Some(_) => Space::ALL.into_iter().find(has).map(Instead::Space),
            None => self.workspace().root(Space::Project).is_none().then_some(Instead::Project),
        };
        let is_of = |other: &ItemType| {
            let of_type = |space| matches!(self.workspace().candidate_in(space, *other, item_id), Ok(Some(_)));
            *other != item_type && Space::ALL.into_iter().any(of_type)
        };
        let instead = instead.or_else(|| ItemType::ALL.into_iter().find(is_of).map(Instead::Type));
        LocateError::Unknown { item_type, item_id: item_id.clone(), space, suggestion, instead }
    }
}

/// Returns what a signature of a file would bind.
#[must_use]
pub fn subject(candidate: &Candidate) -> Subject {
    Subject { item_type: candidate.item_type, item_id: candidate.id.clone(), extension: candidate.extension.clone() }
}

/// Returns what the signature of an item's bytes is worth under these keys.
#[must_use]
pub fn verdict_of(keys: &TrustedKeys, signed: Signed<Vec<u8>, Unverified>) -> Verdict {
    match signed.verify(keys) {
        Ok(verified) => verified.verdict(),
        Err(fault) => fault.verdict(),
    }
}

/// Parses and validates bytes. Returns the item with its warnings.
///
/// # Errors
///
/// Fails with all findings when one of them is an error.
pub fn checked(
    subject: &Subject,
    bytes: &[u8],
    profile: Profile,
    path: &Path,
) -> Result<(Item, Vec<Finding>), LocateError> {
    let parsed = format::parse_bytes(subject.item_type, &subject.extension, bytes);
    let findings = format::validate(&parsed, &subject.item_id, profile);
    match parsed.item {
        Some(item) if !format::has_errors(&findings) => Ok((item, findings)),
        _ => Err(LocateError::Invalid {
            item_type: subject.item_type,
            item_id: subject.item_id.clone(),
            path: path.to_path_buf(),
            findings,
            text: String::from_utf8_lossy(bytes).into_owned(),
        }),
    }
}
