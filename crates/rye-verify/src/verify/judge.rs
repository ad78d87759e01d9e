//! Reading and judging files, on every core.
//!
//! A file judged good by an earlier run is hashed and looked up instead. Each item is read, judged and released: a
//! verification of many items holds few of them in memory.

use super::super::locate::LocateError;
use super::bar::Bar;
use super::base::{Base, Compared};
use super::content::{Content, Folder, MANIFESTS, Skill, Source};
use super::files::{self, File};
use super::history::{Before, Past};
use super::judgement::{Bad, Judged, JudgedSkill, Judgement, Remembered};
use super::lock_entry::Locks;
use super::revocations::Revoked;
use super::skills;
use super::verdict_cache::Cached;
use crate::format::{self, Severity};
use crate::git::{BlobId, CommitId, IgnoreRules, Notes, ObjectId, Repository};
use crate::id::{Space, Timestamp};
use crate::item::{SkillFault, SkillFolder};
use crate::project::Project;
use crate::trust::{
    Envelope, Fault, LineState, MAX_NOTE_BYTES, Note, Predecessor, SignatureLine, Signed, Subject, TrustedKeys,
    Unverified,
};
use crate::workspace::{self, LOCK_FILE, MAX_ITEM_BYTES, Reader};

/// Fewer files are not worth a second worker.
const FILES_PER_WORKER: usize = 64;

/// What all files are judged by.
pub(super) struct Measure<'a> {
    pub(super) keys: &'a TrustedKeys,
    pub(super) revoked: &'a Revoked,
    pub(super) cached: Option<&'a Cached>,
    pub(super) notes: &'a Notes,
    pub(super) base: Option<&'a Base>,
    pub(super) past: &'a Past,
    /// Whether the envelopes are wanted.
    pub(super) envelopes: bool,
}

/// Judges files, in their order.
pub(super) fn all<'f>(
    project: &Project,
    measure: &Measure<'_>,
    files: &'f [File],
) -> Result<Vec<Judged<'f>>, LocateError> {
    let shares = workspace::shares(files, FILES_PER_WORKER).into_iter();
    let shares = shares.map(|files| Ok((Judge::new(project, measure)?, files)));
    let judged = workspace::on_every_core(shares.collect::<Result<_, LocateError>>()?, |(judge, share)| {
        let ignoring = project.repository_of_skills(files::space(project));
        let rules = ignoring.as_ref().map(Repository::ignore_rules).transpose()?;
        share.iter().map(|file| judge.file(file, rules.as_ref())).collect::<Result<Vec<_>, LocateError>>()
    });
    Ok(judged.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// What a share of files is judged with.
struct Judge<'a> {
    project: &'a Project,
    measure: &'a Measure<'a>,
    reader: Reader,
    repository: Repository,
    locks: Locks,
}

impl<'a> Judge<'a> {
    fn new(project: &'a Project, measure: &'a Measure<'a>) -> Result<Self, LocateError> {
        let repository = project.require_repository()?;
        Ok(Self {
            project,
            measure,
            reader: project.workspace().reader(files::space(project))?,
            repository,
            locks: Locks::default(),
        })
    }

    fn file<'f>(&self, file: &'f File, rules: Option<&IgnoreRules<'_>>) -> Result<Judged<'f>, LocateError> {
        let (judgement, envelope) = match &file.content {
            Content::Stray { reason, severity } => {
                (Judgement::Stray { reason: reason.clone(), severity: *severity }, None)
            }
            Content::Skill(skill) if skill.is_offered => (self.offered(skill, rules)?, None),
            Content::Skill(skill) => (self.skill(skill, file.commit_id.as_ref(), rules)?, None),
            Content::Item(subject, source) => match bytes(source, &self.reader, &self.repository)? {
                Ok(bytes) => self.item(file, subject, source, bytes)?,
                Err(reason) => (Judgement::Stray { reason, severity: Severity::Error }, None),
            },
        };
        Ok(Judged { file, judgement, envelope })
    }

    /// Holds each folder of a skill against each manifest that is signed for it; whether those are good is judged of themselves.
    fn skill(
        &self,
        skill: &Skill,
        commit_id: Option<&CommitId>,
        rules: Option<&IgnoreRules<'_>>,
    ) -> Result<Judgement, LocateError> {
        let mut judged = JudgedSkill {
            ids: Vec::new(),
            is_signed: !skill.manifests.is_empty(),
            is_folder: !skill.folders.is_empty(),
            is_offered: false,
            faults: Vec::new(),
            ignored: Vec::new(),
        };
        judged.ids.extend(skill.manifests.iter().map(|(subject, _)| subject.item_id.clone()));
        if judged.ids.is_empty() {
            judged.ids.extend(skill.name.parse().ok());
        }
        let read = |folder| skills::read(self.project, (&self.repository, rules), folder);
        let mut folders: Vec<SkillFolder> = skill.folders.iter().map(read).collect::<Result<_, _>>()?;
        judged.take_in_ignored(&folders);
        let paths: Vec<&str> = skill.folders.iter().map(|folder| folder.path()).collect();
        let mut manifests = Vec::new();
        for (subject, source) in &skill.manifests {
            let Ok(bytes) = bytes(source, &self.reader, &self.repository)? else { continue };
            let Some(manifest) = format::skill_manifest(&bytes) else {
                judged.faults.push((format!("{MANIFESTS}/{}.sig", subject.item_id), SkillFault::NoManifest));
                continue;
            };
            let signed = Signed::new(subject.clone(), bytes);
            let with = (self.project, &self.repository, self.measure.keys);
            let locked = self.locks.fault(with, commit_id, (&manifest, &paths), &signed)?;
            judged.faults.extend(locked.map(|fault| (LOCK_FILE.to_owned(), fault)));
            manifests.push(manifest);
        }
        if folders.is_empty() && judged.is_signed {
            judged.faults.push((String::new(), SkillFault::NoFolder));
        }
        let is_signed = |folder: &SkillFolder| manifests.iter().any(|manifest| folder.compare(manifest).is_empty());
        // Of folders that are only offered, the others are skills by themselves.
        if skill.folders.iter().all(Folder::is_offered) && folders.iter().any(is_signed) {
            folders.retain(is_signed);
        }
        let rivals: Vec<(String, SkillFault)> =
            folders.iter().skip(1).filter_map(|other| Some((other.path.clone(), other.rival(&folders[0])?))).collect();
        // Folders that differ, each as it was signed for another id: none was changed, and clients do not say which they read.
        let are_rivals = !rivals.is_empty() && folders.iter().all(is_signed);
        if !judged.is_signed || are_rivals {
            folders.iter().for_each(|folder| judged.take_in(&folder.path, folder.faults()));
        } else {
            for (folder, manifest) in folders.iter().flat_map(|folder| manifests.iter().map(move |it| (folder, it))) {
                judged.take_in(&folder.path, folder.compare(manifest));
            }
        }
        judged.faults.extend(rivals);
        let path = skill.folders.first().map(|folder| folder.path().to_owned()).unwrap_or_default();
        judged.faults.extend(skill.fault.iter().map(|(fault, _)| (path.clone(), fault.clone())));
        Ok(Judgement::Skill(Box::new(judged)))
    }

    /// Holds a folder of a skill that is only offered against the manifests of its name.
    fn offered(&self, skill: &Skill, rules: Option<&IgnoreRules<'_>>) -> Result<Judgement, LocateError> {
        for folder in &skill.folders {
            let folder = skills::read(self.project, (&self.repository, rules), folder)?;
            for (_, source) in &skill.manifests {
                let Ok(bytes) = bytes(source, &self.reader, &self.repository)? else { continue };
                if format::skill_manifest(&bytes).is_some_and(|manifest| folder.compare(&manifest).is_empty()) {
                    return Ok(Judgement::Taken);
                }
            }
        }
        let faults = skill.fault.iter().map(|(fault, _)| (String::new(), fault.clone())).collect();
        Ok(Judgement::Skill(Box::new(JudgedSkill {
            ids: skill.name.parse().into_iter().collect(),
            is_signed: false,
            is_folder: !skill.folders.is_empty(),
            is_offered: true,
            faults,
            ignored: Vec::new(),
        })))
    }

    /// Every verified item is judged as the project's, also if the home folder is the project.
    fn item(
        &self,
        file: &File,
        subject: &Subject,
        source: &Source,
        bytes: Vec<u8>,
    ) -> Result<(Judgement, Option<Box<Envelope>>), LocateError> {
        let Measure { keys, cached, base, past, envelopes, .. } = *self.measure;
        let notes = self.notes_beside(subject, source, &bytes)?;
        let beside: String = notes.iter().map(|blob_id| format!("{blob_id}\n")).collect();
        let remembered = cached.map(|cached| cached.remembered(subject, Space::Project, beside.as_bytes(), &bytes));
        let is_known = matches!(remembered, Some(Remembered::Good(_)));
        let is_compared = base.is_some() || past.knows(subject);
        if is_known && !is_compared && !envelopes && file.is_brought {
            return Ok((Judgement::Good(remembered), None));
        }
        let mut signed = Signed::new(subject.clone(), bytes).in_space(Space::Project);
        for blob_id in &notes {
            // A file too large for a note countersigns nothing.
            let bytes = self.repository.blob_within(blob_id, MAX_NOTE_BYTES as u64)?;
            let note = bytes.and_then(|bytes| Note::parse(&bytes).ok()).unwrap_or_default();
            signed = signed.countersigned(note.signatures());
        }
        let fault = if is_known { None } else { signed.judge(keys).err() };
        let envelope = if envelopes && file.is_brought { signed.envelope(keys).map(Box::new) } else { None };
        Ok((self.compared(&Item { file, source, signed }, fault, remembered)?, envelope))
    }

    /// Compares an item's own verdict with its former versions.
    fn compared(
        &self,
        item: &Item<'_>,
        fault: Option<Fault>,
        remembered: Option<Remembered>,
    ) -> Result<Judgement, LocateError> {
        let (keys, path) = (self.measure.keys, &item.file.path);
        let compared = Compared { repository: &self.repository, keys, path, signed: &item.signed };
        let mut is_pinned = false;
        let Held { fault, because, commit_id } = match (fault, self.measure.base) {
            (None, _) => self.held(item, &compared)?,
            (Some(Fault::Legacy { .. }), _) if self.was_current(item, &compared)? => Fault::Downgraded.into(),
            (Some(_), _) if !item.file.is_brought => Held::default(),
            (Some(Fault::Revoked { key_id }), Some(base)) => {
                is_pinned = base.has_same(&compared) && !self.measure.revoked.is_own(&key_id);
                Fault::Revoked { key_id }.into()
            }
            (Some(fault @ Fault::Legacy { .. }), _) => match self.held(item, &compared)? {
                Held { fault: None, .. } => fault.into(),
                held => held,
            },
            (Some(fault), _) => fault.into(),
        };
        let Some(fault) = fault else {
            return Ok(if item.file.is_brought { Judgement::Good(remembered) } else { Judgement::Taken });
        };
        let split = item.signed.split();
        Ok(Judgement::Bad(Box::new(Bad {
            subject: item.signed.subject().clone(),
            // The line belongs below a `#!` line.
            line: if split.before.is_empty() { 1 } else { 2 },
            fault,
            is_pinned,
            signature: if let LineState::Present(line) = &split.line { Some(line.signature) } else { None },
            because,
            mend: None,
            commit_id,
        })))
    }

    /// Holds an item's own signature, and then its countersignatures, against the former ones.
    fn held(&self, item: &Item<'_>, compared: &Compared<'_>) -> Result<Held, LocateError> {
        let bars = self.bars(item, compared)?;
        if bars.is_empty() {
            return Ok(Held::default());
        }
        let (subject, split) = (item.signed.subject(), item.signed.split());
        if let LineState::Present(line) = &split.line
            && let Some((fault, commit_id)) =
                bars.iter().find_map(|(bar, commit_id)| Some((bar.fault(subject, line)?, commit_id.clone())))
        {
            return Ok(Held { fault: Some(fault), because: None, commit_id });
        }
        let too_old = |line: &SignatureLine| bars.iter().find(|(bar, _)| bar.fault(subject, line).is_some());
        Ok(match item.signed.judge_policy(self.measure.keys, |line| too_old(line).is_none()) {
            Ok(()) => Held::default(),
            Err(fault) => {
                let latest = bars.iter().rev().max_by_key(|(bar, _)| bar.moment());
                let because = latest.map(|(bar, _)| format!("signatures made before {bar} do not count"));
                Held { fault: Some(fault), because, commit_id: latest.and_then(|(_, commit_id)| commit_id.clone()) }
            }
        })
    }

    /// Returns what no signature of an item may be older than: what the trust root has, and what each commit of the range found that
    /// put this there, with that commit.
    fn bars(&self, item: &Item<'_>, compared: &Compared<'_>) -> Result<Vec<(Bar, Option<CommitId>)>, LocateError> {
        let base = self.measure.base;
        let of_base = base.filter(|_| item.file.is_last).map(|base| base.bars(compared)).transpose()?;
        let mut bars: Vec<_> = of_base.into_iter().flatten().map(|bar| (bar, None)).collect();
        let Source::Blob(blob_id) = item.source else { return Ok(bars) };
        for step in self.measure.past.steps_to(item.signed.subject(), blob_id) {
            let gone = |removed: &Timestamp| Bar::Removed { by: Predecessor::Commit, removed: *removed };
            let absent = || base.map(|base| base.bars_of_absent(compared)).transpose().map(Option::unwrap_or_default);
            let found: Vec<Bar> = match &step.before {
                Before::Item(subject, before) => match self.good(subject, before)? {
                    Some(bar) => vec![bar],
                    None => absent()?,
                },
                Before::NoParent => base.map(|base| base.bars(compared)).transpose()?.unwrap_or_default(),
                Before::Removed(removed) => vec![gone(removed)],
                Before::Nothing(removed) => absent()?.into_iter().chain(removed.as_ref().map(gone)).collect(),
            };
            bars.extend(found.into_iter().map(|bar| (bar, Some(step.commit_id.clone()))));
        }
        Ok(bars)
    }

    /// Takes what a commit found, if it was signed by somebody whose signature counts.
    fn good(&self, subject: &Subject, blob_id: &BlobId) -> Result<Option<Bar>, LocateError> {
        let Some(bytes) = self.repository.blob_within(blob_id, MAX_ITEM_BYTES)? else { return Ok(None) };
        let before = Signed::new(subject.clone(), bytes).in_space(Space::Project);
        let is_good = before.judge_line(self.measure.keys).is_ok();
        Ok(if is_good { Bar::signed(Predecessor::Commit, &before) } else { None })
    }

    /// Tells whether the item was signed in version 2 before: at the trust root, or earlier in the range.
    fn was_current(&self, item: &Item<'_>, compared: &Compared<'_>) -> Result<bool, LocateError> {
        if let Some(base) = self.measure.base
            && base.is_current(compared)?
        {
            return Ok(true);
        }
        let Source::Blob(blob_id) = item.source else { return Ok(false) };
        for passed in self.measure.past.before(item.signed.subject(), blob_id) {
            let Some(bytes) = self.repository.blob_within(&passed.blob_id, MAX_ITEM_BYTES)? else { continue };
            let before = Signed::new(passed.subject.clone(), bytes).in_space(Space::Project);
            if before.judge_line(self.measure.keys).is_ok() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the notes on an item's blob, where the policy asks for more than its own line.
    fn notes_beside(&self, subject: &Subject, source: &Source, bytes: &[u8]) -> Result<Vec<BlobId>, LocateError> {
        if self.measure.keys.policy().required_for(subject).is_empty() {
            return Ok(Vec::new());
        }
        let blob_id = match source {
            Source::Blob(blob_id) => blob_id.clone(),
            Source::File(_) => self.repository.blob_id_of(bytes),
        };
        Ok(self.measure.notes.blobs_on(&ObjectId::from(blob_id)).cloned().collect())
    }
}

/// What came of a comparison.
#[derive(Default)]
struct Held {
    fault: Option<Fault>,
    because: Option<String>,
    /// The commit that is at fault.
    commit_id: Option<CommitId>,
}

impl From<Fault> for Held {
    fn from(fault: Fault) -> Self {
        Self { fault: Some(fault), because: None, commit_id: None }
    }
}

/// An item under judgement.
struct Item<'a> {
    file: &'a File,
    source: &'a Source,
    signed: Signed<Vec<u8>, Unverified>,
}

/// Reads an item, or says why this one cannot be read.
pub(super) fn bytes(
    source: &Source,
    reader: &Reader,
    repository: &Repository,
) -> Result<Result<Vec<u8>, String>, LocateError> {
    match source {
        Source::File(candidate) => match reader.read(candidate) {
            Ok(bytes) => Ok(Ok(bytes)),
            Err(error) => error.of_one_file().map(|(_, reason)| Err(reason)).ok_or(error.into()),
        },
        Source::Blob(blob_id) => {
            let bytes = repository.blob_within(blob_id, MAX_ITEM_BYTES)?;
            Ok(bytes.ok_or_else(|| format!("it is larger than {MAX_ITEM_BYTES} bytes")))
        }
    }
}
