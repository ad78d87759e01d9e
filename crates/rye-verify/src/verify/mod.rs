//! `verify`: every item's signature, all findings in one pass. It cannot pass by accident: no item at all is an
//! outcome of its own.
//!
//! Items come from the work tree or, with a revision or range, straight from git objects, whose hashes are checked while
//! they are read; a repository that rewrites its history on reading is refused. Who may sign is decided by the person's
//! trust, by one file, or by a revision that is trusted, and never by the verified content.

mod agent_file_fault;
mod agent_files;
mod attributes;
mod bar;
mod base;
mod commit_finding;
mod commit_hint;
mod commits;
mod content;
mod demand;
mod error;
mod files;
mod forge;
mod hint;
mod history;
mod introduced;
mod judge;
mod judgement;
mod lock_entry;
mod lookalike;
mod outcome;
mod predecessor;
mod project_config;
mod protected;
mod provenance;
mod range;
mod revocations;
mod rules;
mod skills;
mod skills_on_the_way;
mod trust_steps;
mod twin;
mod verdict_cache;

use std::path::PathBuf;

use self::base::Base;
use self::commit_hint::Around;
use self::commits::JudgedCommits;
use self::files::{File, Selection};
use self::forge::Vouchers;
use self::hint::Decided;
use self::history::Past;
use self::judge::Measure;
use self::range::Range;
use self::revocations::Revoked;
use self::trust_steps::{Course, TrustFault};
use self::verdict_cache::Cached;
use super::locate::{LocateError, proposed};
use crate::capability::shell::quoted;
use crate::git::{CommitId, Notes, RangeCommit, Repository, Tags};
use crate::id::Space;
use crate::keys::{KeyName, KeyStore, read_allowed_signers};
use crate::project::Project;
use crate::project::note_lock;
use crate::trust::{Scope, TrustedKeys};
use crate::workspace::{LOCK_FILE, MAX_LOCK_BYTES};

pub use agent_files::AgentFileStanding;
pub use commit_finding::OTHER_AUTHOR;
pub use commits::Commits;
pub use error::Error;
pub use hint::{ACCEPT_IT, item as hint};
pub use introduced::{Introduced, introduced};
pub use outcome::{Finding, Outcome, Status, Summary, WHOLE_COMMIT};
pub use rules::{RULES, rules};
pub(super) use twin::twins_among;

/// What to verify.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Ids or paths; empty means every item of the project.
    pub only: Vec<String>,
    /// Where the items are.
    pub source: Source,
    /// Who may sign.
    pub signers: Signers,
    /// A file of keys that are revoked, besides those that are known to be.
    pub revoked: Option<PathBuf>,
    /// Judge everything anew, whatever earlier runs found.
    pub no_cache: bool,
    /// Branches whose verified commits a forge may have merged, besides those of every ref.
    pub merged: Vec<String>,
    /// Let signatures of version 1 count, with a warning each.
    pub allow_legacy: bool,
    /// Return the signatures as OpenSSH takes them.
    pub envelopes: bool,
}

/// Where the items are that are verified.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Source {
    /// In the work tree.
    #[default]
    WorkTree,
    /// In a commit.
    Revision {
        /// The commit.
        revision: String,
        /// Whether it must be signed itself.
        commits: Option<Commits>,
    },
    /// In what each commit of a range brings, and in the whole tree at its end.
    Range {
        /// `A..B`.
        range: String,
        /// Which of its commits must be signed themselves.
        commits: Option<Commits>,
    },
}

impl Source {
    /// Returns the last commit that is verified, as it was written.
    fn end(&self) -> &str {
        let end = match self {
            Self::WorkTree => "",
            Self::Revision { revision, .. } => revision,
            Self::Range { range, .. } => range.split_once("..").map_or("", |(_, end)| end),
        };
        if end.is_empty() { "HEAD" } else { end }
    }
}

/// Who may sign.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Signers {
    /// Whom the person trusts.
    #[default]
    Trusted,
    /// The keys of a file, and no others.
    File(PathBuf),
    /// The keys that a revision's own trust files name, and no others; the verified content is compared with it.
    Root(String),
}

/// Verifies the project's items.
///
/// # Errors
///
/// Fails when the repository or the keys cannot be read, or an id or path fits nothing.
pub fn verify(project: &Project, options: &Options) -> Result<Outcome, Error> {
    let revoked = Revoked::read(project, options.revoked.as_deref())?;
    let base = match &options.signers {
        Signers::Root(revision) => Some(Base::read(project, revision, &revoked)?),
        Signers::Trusted | Signers::File(_) => None,
    };
    let mut keys = keys(project, options, base.as_ref(), &revoked)?;
    let Found { files, past, last, commits, range_commits, on_the_way, trust, passed, start } = find(project, options)?;
    note_pulled(project, &passed, &mut keys)?;
    let selection = Selection::new(project, &options.only);
    let mut outcome = Outcome::new(decided(project, &options.signers)?, revoked.clone(), range_commits);
    if let Some(base) = &base {
        for (subject, path) in base.unshadowed(project, &files)? {
            if selection.names(&path, &subject) {
                outcome.unshadowed(&subject, path, last.clone());
            }
        }
    }
    judge_trust(project, base.as_ref(), &trust, last.as_ref(), &mut outcome)?;
    let mut files = files;
    files.extend(match (&last, &options.source) {
        (None, _) => skills::of_work_tree(project, base.as_ref(), &files)?,
        (Some(last), Source::Range { .. }) => {
            let mut skills = skills::of_commit(project, base.as_ref(), last, &files, None)?;
            skills.extend(skills_on_the_way::on_the_way(project, base.as_ref(), &on_the_way, last)?);
            skills
        }
        (Some(last), _) => skills::of_commit(project, base.as_ref(), last, &files, None)?,
    });
    skills::leave_their_files(&mut files);
    let agents = agent_files::found(project, &keys, base.as_ref(), (last.as_ref(), &on_the_way), options.no_cache)?;
    let files = match (selection.of(files, agents.paths()), &last) {
        (Err(Error::NoMatch { name, suggestion }), None) => {
            return Err(match skills::unsigned(project, &name)? {
                Some(item_id) => Error::UnsignedSkill { item_id },
                None => Error::NoMatch { name, suggestion },
            });
        }
        (files, _) => files?,
    };
    judge_files(project, options, (&keys, &revoked), base.as_ref(), (&files, &past, last.as_ref()), &mut outcome)?;
    agents.tell(&selection, &mut outcome);
    let changed = attributes::of(project, &files, last.as_ref(), &on_the_way)?;
    changed.into_iter().for_each(|item| outcome.changed_by_attributes(item, last.as_ref()));
    if let Some((commits, which)) = commits {
        let repository = files::repository(project)?;
        let root = base.as_ref().map(|base| &base.commit_id);
        let given = start.into_iter().chain(root.cloned()).collect();
        let mut vouchers = Vouchers::new(&repository, &keys, &options.merged, given);
        let judged = commits::judge(&repository, &commits, which, &keys, &mut vouchers)?;
        let around = around(project, &repository, &options.source, root, (&judged, last.as_ref()));
        outcome.commits(judged, &around);
    }
    outcome.warnings = keys.warnings().to_vec();
    Ok(outcome.conclude())
}

/// Judges the trust files and the configuration: what they say, and how they came to say it.
fn judge_trust(
    project: &Project,
    base: Option<&Base>,
    trust: &Course,
    last: Option<&CommitId>,
    outcome: &mut Outcome,
) -> Result<(), Error> {
    if let Some(base) = base {
        let fault = base.trust_fault(project, last)?;
        if let Some(fault) = &fault {
            outcome.trust(fault, last.cloned(), hint::trust(&base.commit_id, fault));
        }
        if let Some(last) = last {
            for TrustFault { commit_id, fault, hint } in trust.judge(project, base, last, fault.is_some())? {
                outcome.trust(&fault, Some(commit_id), hint);
            }
        }
    }
    let Some(last) = last else {
        let fault = project_config::fault_here(project)?;
        fault.iter().for_each(|fault| outcome.trust(fault, None, hint::config(None)));
        return Ok(());
    };
    for TrustFault { commit_id, fault, hint } in
        project_config::faults(&files::repository(project)?, trust.changing(), last)?
    {
        outcome.trust(&fault, Some(commit_id), hint);
    }
    Ok(())
}

/// The content to verify.
struct Found {
    files: Vec<File>,
    past: Past,
    /// The commit that is verified; none for the work tree.
    last: Option<CommitId>,
    commits: Option<(Vec<RangeCommit>, Commits)>,
    /// How many commits the range has; `None` without a range.
    range_commits: Option<usize>,
    /// The commits of the range.
    on_the_way: Vec<RangeCommit>,
    /// What the commits on the way do with trust files.
    trust: Course,
    /// The commits whose files are judged; none for the work tree.
    passed: Vec<CommitId>,
    /// Where the range begins.
    start: Option<CommitId>,
}

fn find(project: &Project, options: &Options) -> Result<Found, Error> {
    let no_past = Past::default;
    match &options.source {
        Source::WorkTree => {
            let files = files::work_tree(project)?;
            Ok(Found {
                files,
                past: no_past(),
                last: None,
                commits: None,
                range_commits: None,
                on_the_way: Vec::new(),
                trust: Course::default(),
                passed: Vec::new(),
                start: None,
            })
        }
        Source::Revision { revision, commits } => {
            let repository = files::repository(project)?;
            let commit_id = files::resolve(&repository, revision, Tags::ByAnyName)?;
            let files = files::revision(&repository, &commit_id)?;
            let info = repository.commit_info(&commit_id).map_err(LocateError::from)?;
            let commits = commits.map(|which| (vec![RangeCommit { commit_id: commit_id.clone(), info }], which));
            Ok(Found {
                files,
                past: no_past(),
                passed: vec![commit_id.clone()],
                last: Some(commit_id),
                commits,
                range_commits: None,
                on_the_way: Vec::new(),
                trust: Course::default(),
                start: None,
            })
        }
        Source::Range { range, commits } => {
            let repository = files::repository(project)?;
            // Where a revision judges, so does the beginning of the range: its files are not checked.
            let tags = match options.signers {
                Signers::Root(_) => Tags::ByFullName,
                Signers::Trusted | Signers::File(_) => Tags::ByAnyName,
            };
            let Range { commits: found, files, past, trust, last, start } = Range::read(&repository, range, tags)?;
            let range_commits = Some(found.len());
            let passed = found.iter().map(|commit| commit.commit_id.clone()).chain([last.clone()]).collect();
            let commits = commits.map(|which| (found.clone(), which));
            Ok(Found { files, past, last: Some(last), commits, range_commits, on_the_way: found, trust, passed, start })
        }
    }
}

/// Records the pulled items at each judged commit, by its own lock.
fn note_pulled(project: &Project, commits: &[CommitId], keys: &mut TrustedKeys) -> Result<(), Error> {
    if commits.is_empty() || !keys.has_namespaces() {
        return Ok(());
    }
    let repository = files::repository(project)?;
    for commit_id in commits {
        let Some(entry) = repository.entry_at(commit_id, LOCK_FILE).map_err(LocateError::from)? else { continue };
        if let Some(bytes) = repository.blob_within(&entry.blob_id, MAX_LOCK_BYTES).map_err(LocateError::from)? {
            note_lock(keys, Space::Project, &bytes);
        }
    }
    Ok(())
}

/// Judges files and returns the findings.
fn judge_files(
    project: &Project,
    options: &Options,
    (keys, revoked): (&TrustedKeys, &Revoked),
    base: Option<&Base>,
    (files, past, last): (&[File], &Past, Option<&CommitId>),
    outcome: &mut Outcome,
) -> Result<(), Error> {
    let cached = if options.no_cache { None } else { Cached::open(project, keys) };
    let notes = if keys.policy().rules().is_empty() {
        Notes::default()
    } else {
        files::repository(project)?.notes().map_err(LocateError::from)?
    };
    let envelopes = options.envelopes;
    let measure = Measure { keys, revoked, cached: cached.as_ref(), notes: &notes, base, past, envelopes };
    let mut judged = judge::all(project, &measure, files)?;
    if let Some(cached) = &cached {
        cached.keep(&judged);
    }
    let head = || project.repository().and_then(|repository| repository.head().ok()?.commit_id().cloned());
    provenance::explain(project, keys, files, last.cloned().or_else(head).as_ref(), &mut judged)?;
    judged.into_iter().for_each(|file| outcome.count(file, options.allow_legacy));
    Ok(())
}

/// Tells where it is decided who may sign.
fn decided(project: &Project, signers: &Signers) -> Result<Decided, LocateError> {
    Ok(match signers {
        Signers::Trusted => {
            Decided::Here { retired: KeyStore::new(project.context())?.retired()?, proposed: proposed(project) }
        }
        Signers::File(path) => Decided::File { path: path.display().to_string() },
        Signers::Root(_) => Decided::Root,
    })
}

/// Gathers what hints about commits depend on; nothing where every signature counts.
fn around(
    project: &Project,
    repository: &Repository,
    source: &Source,
    root: Option<&CommitId>,
    (judged, last): (&JudgedCommits, Option<&CommitId>),
) -> Around {
    match last {
        Some(last) if judged.faulty().next().is_some() => Around {
            kept: protected::kept(repository, root, judged.faulty(), last),
            last_not_judged: judged.last_not_judged().cloned(),
            tied: judged.tied.clone(),
            end: source.end().to_owned(),
            key: signing_key(project),
            git_has_key: repository.has_ssh_key(),
        },
        Some(_) | None => Around::default(),
    }
}

/// Returns the file of the key that the person signs commits with, as a word of a command.
fn signing_key(project: &Project) -> String {
    let store = KeyStore::new(project.context()).ok();
    let own = store.and_then(|store| Some(store.held_at(KeyName::Person, &store.stored(KeyName::Person).ok()??)));
    let word = own.and_then(|path| Some(quoted(path.to_str()?)));
    word.unwrap_or_else(|| "~/.ssh/id_ed25519".to_owned())
}

/// Gathers the keys that count. A pipeline must not depend on the machine: what names them names all of them. Only what the
/// person revoked is bad whoever judges.
fn keys(project: &Project, options: &Options, base: Option<&Base>, revoked: &Revoked) -> Result<TrustedKeys, Error> {
    let mut keys = match (&options.signers, base) {
        (_, Some(base)) => base.keys(),
        (Signers::File(path), None) => {
            let path = project.context().current_dir().join(path);
            let read = read_allowed_signers(&path, &project.context().zone()).map_err(LocateError::from)?;
            let mut keys = TrustedKeys::default();
            keys.add_file(read.ok_or(Error::NoAllowedSigners { path })?);
            keys
        }
        (Signers::Trusted | Signers::Root(_), None) => (*project.keys()).clone(),
    };
    keys.revoke(&revoked.all(), &Scope::Everything);
    keys.set_now(project.context().now());
    Ok(keys)
}
