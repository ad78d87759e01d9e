//! The proof that a commit verifies, before git makes it: its tree is judged by the rule of `verify`, and files of the work tree that it
//! lacks are named.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Serialize;
use thiserror::Error;

use crate::git::{self, CommitId, NewCommit, Repository, Signature, TreeId};
use crate::id::{ItemId, ItemType, SPACE_FOLDER, Space};
use crate::item::{SKILL_FILE, SkillFault};
use crate::locate::{AGENT_FILES, LocateError};
use crate::project::Project;
use crate::trust::{PublicKey, TrustFile, trust_file_path};
use crate::verify::{self, Finding, introduced};
use crate::workspace::{ATTRIBUTES_FILE, LOCK_FILE};

/// What a commit that verifies leaves to tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Proof {
    /// How many findings its parents have as well.
    #[serde(rename = "older_findings", skip_serializing_if = "is_zero")]
    pub older: usize,
    /// How many items are signed by keys that are not trusted here.
    #[serde(rename = "untrusted_items", skip_serializing_if = "is_zero")]
    pub untrusted: usize,
    /// How many items wait for the signatures of further people.
    #[serde(rename = "awaited_countersignatures", skip_serializing_if = "is_zero")]
    pub awaited: usize,
}

/// What was proven before git made the commit.
#[derive(Debug)]
pub(crate) struct Proven {
    pub(crate) tree_id: TreeId,
    pub(crate) parents: Vec<CommitId>,
    pub(crate) proof: Proof,
}

/// Why a commit is not made: it would not verify.
#[derive(Debug, Error)]
#[error("the commit would not verify: {}", count(findings.len()))]
pub struct Unverified {
    /// The findings that no parent has.
    pub findings: Vec<Finding>,
    /// Files that these findings are about, which the work tree has otherwise.
    pub lacking: Vec<String>,
    /// Those of them that git ignores.
    pub ignored: Vec<String>,
}

/// Why a commit is not proven to verify.
#[derive(Debug, Error)]
pub enum ProofError {
    /// The commit would not verify.
    #[error(transparent)]
    Unverified(Box<Unverified>),
    /// The commit cannot be judged.
    #[error(transparent)]
    Verify(#[from] verify::Error),
    /// The index cannot be copied.
    #[error("cannot write `{}`", path.display())]
    Draft {
        /// The copy.
        path: PathBuf,
        /// The reason.
        #[source]
        source: std::io::Error,
    },
}

impl From<LocateError> for ProofError {
    fn from(error: LocateError) -> Self {
        Self::Verify(verify::Error::from(error))
    }
}

impl From<git::Error> for ProofError {
    fn from(error: git::Error) -> Self {
        LocateError::from(error).into()
    }
}

/// Verifies the tree of a commit that is about to be made, by its parents. The commit that is judged is an object that nothing leads to,
/// and git removes it.
///
/// # Errors
///
/// Fails on findings that no parent has, and when the tree cannot be judged.
pub(crate) fn prove(
    (project, key): (&Project, Option<PublicKey>),
    repository: &Repository,
    tree_id: TreeId,
    parents: Vec<CommitId>,
) -> Result<Proof, ProofError> {
    let nobody = Signature::new("rye", "", 0);
    let message = "A commit that is judged before git makes it\n".to_owned();
    let commit = NewCommit { tree_id, parents, author: nobody.clone(), committer: nobody, message };
    let commit_id = repository.writer().commit(&commit, None)?;
    judge((project, key), repository, &commit_id)
}

/// Verifies a commit by its parents.
///
/// # Errors
///
/// As [`prove`].
pub(crate) fn judge(
    (project, key): (&Project, Option<PublicKey>),
    repository: &Repository,
    commit_id: &CommitId,
) -> Result<Proof, ProofError> {
    let project = &judging(project, key);
    let found = introduced(project, commit_id)?;
    let mut lacking = unsigned_there(project, repository, commit_id)?;
    if found.findings.is_empty() && lacking.is_empty() {
        return Ok(Proof { older: found.older, untrusted: found.untrusted, awaited: found.awaited });
    }
    lacking.extend(lacking_for(project, repository, commit_id, &found.findings)?);
    lacking.sort();
    lacking.dedup();
    let ignored = repository.ignored(lacking.iter().map(String::as_str))?;
    let ignored: Vec<String> = ignored.into_iter().map(str::to_owned).collect();
    Err(ProofError::Unverified(Box::new(Unverified { findings: found.findings, lacking, ignored })))
}

/// Returns the project as the commit is judged in it: a key of this person that others cannot trust yet is a warning, and nothing
/// that the tree could have otherwise.
fn judging(project: &Project, key: Option<PublicKey>) -> Project {
    let project = project.for_thread();
    key.into_iter().for_each(|key| project.trust_signer(key));
    project
}

/// Lists the manifests of skills that are signed here, and whose folders the commit brings without them. Where no other skill is signed,
/// nothing there demands them, and no finding tells.
fn unsigned_there(
    project: &Project,
    repository: &Repository,
    commit_id: &CommitId,
) -> Result<Vec<String>, LocateError> {
    if project.workspace().list(Some(ItemType::Skill), Some(Space::Project))?.items.is_empty() {
        return Ok(Vec::new());
    }
    let parents = repository.commit_info(commit_id)?.parents;
    let mut manifests = Vec::new();
    for skill in project.known_skills(Space::Project)?.iter().filter(|skill| skill.has_manifest) {
        let manifest = manifest_path(&skill.candidate.id);
        let texts: Vec<String> = skill.places.iter().map(|place| format!("{}/{SKILL_FILE}", place.path)).collect();
        let is_unsigned_in = |commit_id: &CommitId| -> Result<bool, LocateError> {
            let mut has_text = false;
            for text in &texts {
                has_text |= repository.entry_at(commit_id, text)?.is_some();
            }
            Ok(has_text && repository.entry_at(commit_id, &manifest)?.is_none())
        };
        let mut was_unsigned = false;
        for parent in &parents {
            was_unsigned |= is_unsigned_in(parent)?;
        }
        if !was_unsigned && is_unsigned_in(commit_id)? {
            manifests.push(manifest);
        }
    }
    Ok(manifests)
}

/// The files elsewhere that faults of a skill may come from.
fn causes() -> [(SkillFault, String); 3] {
    [
        (SkillFault::NoFolder, trust_file_path(TrustFile::Config.as_str())),
        (SkillFault::UNREAD_LOCK, LOCK_FILE.to_owned()),
        (SkillFault::Attributes { path: String::new() }, ATTRIBUTES_FILE.to_owned()),
    ]
}

fn manifest_path(id: &ItemId) -> String {
    format!("{SPACE_FOLDER}/{}/{id}.sig", ItemType::Skill.folder())
}

/// Lists the files that findings are about and that the work tree has otherwise than the commit.
fn lacking_for(
    project: &Project,
    repository: &Repository,
    commit_id: &CommitId,
    findings: &[Finding],
) -> Result<Vec<String>, LocateError> {
    let mut paths: BTreeSet<String> = findings.iter().map(|finding| finding.path.clone()).collect();
    for (fault, path) in causes() {
        paths.extend(findings.iter().any(|finding| finding.rule == fault.rule()).then_some(path));
    }
    // A finding about an agent file may come from a list that the commit lacks.
    paths.extend(findings.iter().any(|finding| finding.rule.starts_with("RYE-G")).then(|| AGENT_FILES.to_owned()));
    let is_skill = |finding: &Finding| finding.item_type == Some(ItemType::Skill);
    if findings.iter().any(is_skill) {
        for skill in project.known_skills(Space::Project)? {
            let id = &skill.candidate.id;
            if !findings.iter().any(|finding| is_skill(finding) && finding.item_id.as_ref() == Some(id)) {
                continue;
            }
            paths.insert(manifest_path(id));
            for place in &skill.places {
                let folder = project.skill_folder(Space::Project, place)?;
                paths.extend(folder.files().into_iter().map(|file| format!("{}/{}", place.path, file.path)));
            }
        }
    }
    let root = project.root()?;
    let mut lacking = Vec::new();
    for path in paths {
        let here = repository.blob_id_of_file(&root.join(&path));
        let there = repository.entry_at(commit_id, &path)?.map(|entry| entry.blob_id);
        if here.is_some() && here != there {
            lacking.push(path);
        }
    }
    Ok(lacking)
}

fn count(findings: usize) -> String {
    match findings {
        0 => "it lacks signatures of its skills".to_owned(),
        1 => "it brings a finding".to_owned(),
        many => format!("it brings {many} findings"),
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
const fn is_zero(number: &usize) -> bool {
    *number == 0
}
