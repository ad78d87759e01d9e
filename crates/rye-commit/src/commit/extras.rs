//! What a commit takes along besides items: what keeps git from changing signed bytes, and trust files as a root signed them.
//!
//! Trust files that no root signed as they are stay behind: in a commit they would take the place of those that fit.

use std::collections::BTreeSet;
use std::path::Path;

use super::error::Error;
use crate::git::{CommitId, Repository};
use crate::id::{SPACE_FOLDER, Space};
use crate::item::keeping_lines;
use crate::keys::ProjectFiles;
use crate::locate::LocateError;
use crate::project::Project;
use crate::trust::{MAX_TRUST_FILE_BYTES, Proposal, TrustFiles, trust_file_path};
use crate::workspace::{self, ATTRIBUTES_FILE, Site, keeps_bytes};

/// Files that `init` makes.
const MADE: [&str; 4] = [".ai/.gitignore", ".ai/directives/.gitkeep", ".ai/tools/.gitkeep", ".ai/knowledge/.gitkeep"];

/// Files that go into a commit besides items, from the top of the work tree.
#[derive(Debug, Default)]
pub struct Along {
    /// The taken files.
    pub files: Vec<String>,
    /// Trust files that changed since a root signed them, and that are left: they are neither named nor staged.
    pub unsigned: Vec<String>,
    /// Files that cannot be read, each with the reason; they are left, too.
    pub unreadable: Vec<String>,
    /// Whether `.gitattributes` has the project's line, in the last commit or in this one.
    pub keeps_bytes: bool,
}

/// Finds them; `paths` are those that the commit is limited to, if any are.
pub(super) fn find(project: &Project, repository: &Repository, paths: &[String]) -> Result<Along, Error> {
    let root = project.root()?;
    let mut along = Along::default();
    // The content of a merge is its own business, and a conflict is not solved by staging it.
    if repository.is_merging() || !root.join(SPACE_FOLDER).is_dir() {
        return Ok(along);
    }
    let tree = Trees { site: Site::open(root).map_err(LocateError::from)?, head: Head::of(repository)? };
    let is_named = |path: &str| {
        let is_at_or_below = |named: &String| named.is_empty() || Path::new(path).starts_with(named);
        paths.is_empty() || paths.iter().any(is_at_or_below)
    };
    for path in MADE.into_iter().filter(|path| is_named(path)) {
        match tree.changed(path) {
            Ok(true) => along.files.push(path.to_owned()),
            Ok(false) => {}
            Err(Differs::Unreadable(error)) => along.unreadable.push(error.to_string()),
            Err(Differs::Git(error)) => return Err(error.into()),
        }
    }
    trust_files(project, &tree, is_named, !paths.is_empty(), &mut along)?;
    // Without its line, git may change the bytes that signatures cover: the file is taken whatever the commit is limited to.
    along.keeps_bytes = tree.head.file(ATTRIBUTES_FILE)?.is_some_and(|attributes| keeps_bytes(&attributes));
    if !along.keeps_bytes {
        match tree.site.read(ATTRIBUTES_FILE, MAX_TRUST_FILE_BYTES as u64) {
            Ok(here) if here.as_deref().is_some_and(keeps_bytes) => {
                along.files.push(ATTRIBUTES_FILE.to_owned());
                along.keeps_bytes = true;
            }
            Ok(_) => {}
            Err(error) => along.unreadable.push(error.to_string()),
        }
    }
    if !along.files.iter().any(|path| path == ATTRIBUTES_FILE) && (paths.is_empty() || !is_named(ATTRIBUTES_FILE)) {
        skill_lines(project, &tree, !paths.is_empty(), &mut along)?;
    }
    Ok(along)
}

/// Takes `.gitattributes` where it differs from what is committed only by lines that `rye sign` wrote for skills.
///
/// # Errors
///
/// Fails where it has other lines as well, which are the person's to commit.
fn skill_lines(project: &Project, tree: &Trees<'_>, is_limited: bool, along: &mut Along) -> Result<(), Error> {
    let Ok(Some(here)) = tree.site.read(ATTRIBUTES_FILE, MAX_TRUST_FILE_BYTES as u64) else { return Ok(()) };
    let there = if is_limited { tree.head.file(ATTRIBUTES_FILE)? } else { tree.head.staged(ATTRIBUTES_FILE)? };
    let (here, there) = (String::from_utf8_lossy(&here), there.unwrap_or_default());
    let there = String::from_utf8_lossy(&there);
    let committed: BTreeSet<&str> = there.lines().collect();
    let mut own = BTreeSet::new();
    for place in project.known_skills(Space::Project)?.iter().flat_map(|skill| &skill.places) {
        own.extend(keeping_lines(&place.path));
    }
    let is_missing = |line: &&str| own.contains(*line) && !committed.contains(line);
    if !here.lines().any(|line| is_missing(&line)) {
        return Ok(());
    }
    if !here.lines().filter(|line| !is_missing(line)).eq(there.lines()) {
        return Err(Error::AttributesLeft);
    }
    along.files.push(ATTRIBUTES_FILE.to_owned());
    Ok(())
}

/// The work tree and the last commit.
struct Trees<'a> {
    site: Site,
    head: Head<'a>,
}

struct Head<'a> {
    repository: &'a Repository,
    commit_id: Option<CommitId>,
}

/// Why two versions of a file cannot be compared.
enum Differs {
    Unreadable(workspace::Error),
    Git(crate::git::Error),
}

impl<'a> Head<'a> {
    fn of(repository: &'a Repository) -> Result<Self, Error> {
        Ok(Self { repository, commit_id: repository.head()?.commit_id().cloned() })
    }

    fn file(&self, path: &str) -> Result<Option<Vec<u8>>, crate::git::Error> {
        self.commit_id.as_ref().map_or(Ok(None), |commit_id| self.repository.file_at(commit_id, path))
    }

    /// Reads a file of the index.
    fn staged(&self, path: &str) -> Result<Option<Vec<u8>>, crate::git::Error> {
        let staged = self.repository.indexed(&[path])?.remove(path);
        let staged = staged.filter(|indexed| !indexed.is_announced).and_then(|indexed| indexed.entry);
        let read = |(_, blob_id)| self.repository.blob_within(&blob_id, MAX_TRUST_FILE_BYTES as u64);
        Ok(staged.map(read).transpose()?.flatten())
    }

    /// Tells whether the index has another file than the last commit.
    fn is_staged(&self, path: &str) -> Result<bool, crate::git::Error> {
        let staged = self.repository.indexed(&[path])?.remove(path);
        let staged = staged.filter(|indexed| !indexed.is_announced).and_then(|indexed| indexed.entry);
        let committed = self.commit_id.as_ref().map(|commit_id| self.repository.entry_at(commit_id, path));
        let committed = committed.transpose()?.flatten();
        Ok(staged.map(|(_, blob_id)| blob_id) != committed.map(|entry| entry.blob_id))
    }
}

impl Trees<'_> {
    /// Tells whether a file that is in the work tree is another one than in the last commit.
    fn changed(&self, path: &str) -> Result<bool, Differs> {
        let here = self.site.read(path, MAX_TRUST_FILE_BYTES as u64).map_err(Differs::Unreadable)?;
        Ok(here.is_some() && here != self.head.file(path).map_err(Differs::Git)?)
    }
}

/// Takes the trust files that changed, removed ones too, if their manifest fits them or if they are named.
fn trust_files(
    project: &Project,
    tree: &Trees<'_>,
    is_named: impl Fn(&str) -> bool,
    is_limited: bool,
    along: &mut Along,
) -> Result<(), Error> {
    let workspace = project.workspace();
    let space = if workspace.root(Space::Project).is_some() { Space::Project } else { Space::User };
    let files = match ProjectFiles::gather(|name| workspace.proposal_file(space, name)) {
        Ok(_) if !project.left_out()?.trust.is_empty() => return Ok(()),
        Ok(files) => files,
        Err(error) => {
            along.unreadable.push(error.to_string());
            return Ok(());
        }
    };
    let committed = ProjectFiles::gather(|name| tree.head.file(&trust_file_path(name)))?;
    if files.is_empty() && committed.is_empty() {
        return Ok(());
    }
    let differing = files.named().zip(committed.named()).filter(|((_, here), (_, there))| here != there);
    let differing: Vec<String> =
        differing.map(|((name, _), _)| trust_file_path(name)).filter(|path| is_named(path)).collect();
    let is_signed = files.parsed(&project.context().zone()).is_ok_and(|files| fits(&files));
    if is_signed || is_limited {
        along.files.extend(differing.iter().cloned());
    }
    // What is named or staged goes into the commit, which is judged with it.
    if !is_signed && !is_limited {
        for path in differing {
            if !tree.head.is_staged(&path)? {
                along.unsigned.push(path);
            }
        }
    }
    Ok(())
}

/// Tells whether a manifest names these very files, whoever signed it.
fn fits(files: &TrustFiles) -> bool {
    Proposal::read(files).is_ok_and(|proposal| proposal.manifest().is_some())
}
