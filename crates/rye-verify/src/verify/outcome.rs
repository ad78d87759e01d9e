//! What a verification tells: findings with rule, verdict, place and way out, and how many items got each verdict.

use serde::Serialize;

use super::super::locate::subject_at;
use super::attributes::ChangedItem;
use super::files::File;
use super::hint::{self, Decided};
use super::judgement::{Bad, Judged, JudgedSkill, Judgement};
use super::revocations::Revoked;
use super::rules as verify_rules;
use crate::format::{self, Severity, rules};
use crate::git::CommitId;
use crate::id::{ItemId, ItemType};
use crate::item::SkillFault;
use crate::trust::{Envelope, Fault, ManifestFault, Subject, Uncovered, Verdict};

/// The findings.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// Whether all is well, something was found, or there was nothing to verify.
    pub status: Status,
    /// How many items were checked.
    pub checked: usize,
    /// How many commits the range has; `None` without a range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range_commits: Option<usize>,
    /// How many commits' signatures were checked; `None` if not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commits_checked: Option<usize>,
    /// How many commits were left out because they are merges; none unless that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merges_left_out: Option<usize>,
    /// How many files of agents were held against the list of them that was signed; none without a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_files: Option<usize>,
    /// How many items got each verdict.
    pub summary: Summary,
    /// Everything that is not well.
    pub findings: Vec<Finding>,
    /// What git ignores in folders of skills, from the top; a folder ends with `/`. It does not belong to a skill.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
    /// Warnings about the files that name who may sign.
    #[serde(skip)]
    pub warnings: Vec<String>,
    /// The signatures as OpenSSH takes them, where they were asked for.
    #[serde(skip)]
    pub envelopes: Vec<Envelope>,
    /// What can be done about keys that are not trusted.
    #[serde(skip)]
    pub(super) decided: Decided,
    /// Which keys the person revoked.
    #[serde(skip)]
    pub(super) revoked: Revoked,
}

/// What a verification came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Every item is signed by a trusted key and unchanged, or what it lacks is let pass with a warning.
    Ok,
    /// Some item is not.
    Findings,
    /// There was no item, or none of the requested commits.
    Empty,
}

/// How many items got each verdict.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Signed by a trusted key, and unchanged.
    pub good: usize,
    /// Compiled into the program. A project's own line is judged all the same: always 0.
    pub builtin: usize,
    /// Signed by a trusted key in version 1.
    pub legacy: usize,
    /// Without a signature.
    pub unsigned: usize,
    /// Changed after signing.
    pub tampered: usize,
    /// Signed by a key that is not trusted.
    pub untrusted: usize,
    /// Signed by a key outside its validity.
    pub retired: usize,
    /// Signed by a revoked key.
    pub revoked: usize,
    /// Older than the base's.
    pub rolled_back: usize,
    /// Signed by fewer people than the policy demands.
    pub missing_countersignature: usize,
    /// Removed, so that another item takes effect: these are not among the items checked.
    pub unshadowed: usize,
}

/// One thing that is not well.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// The rule's stable id.
    pub rule: &'static str,
    /// The item's or commit's verdict; `None` for a file that is not an item, and for trust files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The kind of a commit's signature that is not judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature_kind: Option<&'static str>,
    /// The type of the key of such a signature, if it is one of SSH.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_type: Option<&'static str>,
    /// How bad it is.
    pub severity: Severity,
    /// The item's type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_type: Option<ItemType>,
    /// The item's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_id: Option<ItemId>,
    /// The file; `.` where a whole commit is meant.
    pub path: String,
    /// The line of the signature.
    pub line: usize,
    /// The fault.
    pub message: String,
    /// What explains it: whose signature it is, say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// What a signature of version 1 does not cover.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncovered: Vec<Uncovered>,
    /// What to do.
    pub hint: String,
    /// The revision it was found in: of a range the first commit that has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_id: Option<CommitId>,
}

/// The path of a finding about a whole commit.
pub const WHOLE_COMMIT: &str = ".";

impl Outcome {
    pub(super) fn new(decided: Decided, revoked: Revoked, range_commits: Option<usize>) -> Self {
        Self {
            status: Status::Ok,
            checked: 0,
            range_commits,
            commits_checked: None,
            merges_left_out: None,
            agent_files: None,
            summary: Summary::default(),
            findings: Vec::new(),
            ignored: Vec::new(),
            warnings: Vec::new(),
            envelopes: Vec::new(),
            decided,
            revoked,
        }
    }

    /// Takes in a file.
    pub(super) fn count(&mut self, judged: Judged<'_>, allow_legacy: bool) {
        self.envelopes.extend(judged.envelope.map(|envelope| *envelope));
        let File { path, commit_id, is_last, .. } = judged.file;
        match judged.judgement {
            Judgement::Stray { reason, severity } => {
                let hint = match commit_id {
                    Some(commit_id) if !is_last => hint::mended(commit_id),
                    Some(_) | None => hint::stray(path),
                };
                let commit_id = commit_id.clone();
                self.findings.push(Finding { commit_id, hint, ..stray(path.clone(), &reason, severity) });
            }
            Judgement::Taken => {}
            Judgement::Skill(skill) => self.skill(*skill, path, commit_id.as_ref(), *is_last),
            // A skill counts by its folders.
            Judgement::Good(_) if judged.file.is_manifest() => {}
            Judgement::Good(_) => {
                self.checked += 1;
                self.summary.count(Verdict::Good);
            }
            Judgement::Bad(bad) => {
                let Bad { subject, line, fault, is_pinned, because, mend, commit_id: at_fault, .. } = *bad;
                let commit_id = at_fault.as_ref().or(commit_id.as_ref());
                self.checked += 1;
                let because = match &fault {
                    Fault::Revoked { key_id } => self.revoked.because(key_id),
                    _ => because,
                };
                let is_warning = is_pinned || allow_legacy && matches!(fault, Fault::Legacy { .. });
                let severity = if is_warning { Severity::Warning } else { Severity::Error };
                let hint = match commit_id {
                    Some(commit_id) if !is_last => hint::mended(commit_id),
                    _ if is_pinned => hint::pinned(&subject),
                    _ => mend.unwrap_or_else(|| self.decided.item(&subject, &fault)),
                };
                let finding = Finding { severity, line, because, hint, ..self.item(&subject, path.clone(), &fault) };
                self.findings.push(Finding { commit_id: commit_id.cloned(), ..finding });
            }
        }
    }

    /// Takes in a skill. Its manifests are items by themselves; its folders count as one.
    fn skill(&mut self, skill: JudgedSkill, path: &str, commit_id: Option<&CommitId>, is_last: bool) {
        let JudgedSkill { ids, is_signed, is_folder, is_offered, faults, ignored } = skill;
        self.ignored.extend(ignored);
        let verdict = match (is_signed, faults.is_empty()) {
            (true, true) => Verdict::Good,
            (true, false) => Verdict::Tampered,
            (false, _) => Verdict::Unsigned,
        };
        if !is_offered {
            self.checked += 1;
            self.summary.count(verdict);
        }
        let finding = |rule, path: String, message: String, hint: String| Finding {
            verdict: Some(verdict),
            severity: if is_offered { Severity::Warning } else { Severity::Error },
            item_type: Some(ItemType::Skill),
            item_id: ids.first().cloned(),
            hint: match commit_id {
                Some(commit_id) if !is_last => hint::mended(commit_id),
                Some(_) | None => hint,
            },
            commit_id: commit_id.cloned(),
            ..plain(rule, path, 1, message)
        };
        let name = ids.first().map(ToString::to_string).unwrap_or_default();
        if !is_signed && is_folder {
            let message = format!("skill `{name}`: {}", Fault::Unsigned);
            let hint = format!("review it, then run `rye sign skill {name}`");
            self.findings.push(finding(Fault::Unsigned.rule(), path.to_owned(), message, hint));
        }
        for (folder, fault) in faults {
            let place = match (folder.as_str(), fault.path().unwrap_or_default()) {
                ("", _) => path.to_owned(),
                (folder, "") => folder.to_owned(),
                (folder, file) => format!("{folder}/{file}"),
            };
            let message = if name.is_empty() { fault.to_string() } else { format!("skill `{name}`: {fault}") };
            let hint = match commit_id {
                Some(commit_id) if is_change(&fault) => hint::changed_skill(commit_id),
                Some(_) | None => format::fault_hint(&fault).into_owned(),
            };
            self.findings.push(finding(fault.rule(), place, message, hint));
        }
    }

    /// Takes in an item whose bytes attributes of git change in every checkout.
    pub(super) fn changed_by_attributes(
        &mut self,
        ChangedItem { path, by, commit_id }: ChangedItem,
        last: Option<&CommitId>,
    ) {
        let subject = subject_at(&path);
        // A skill is told of once: by the rule about its files.
        let rule = SkillFault::Attributes { path: String::new() }.rule();
        let is_manifest = subject.as_ref().is_some_and(|subject| subject.item_type == ItemType::Skill);
        if is_manifest && self.findings.iter().any(|finding| finding.rule == rule && finding.path == by) {
            return;
        }
        let shown = subject.as_ref().map_or_else(|| path.clone(), ToString::to_string);
        let message = format!("{shown}: attributes of git in `{by}` change its bytes in every checkout");
        let hint = match &commit_id {
            Some(commit_id) if Some(commit_id) != last => hint::mended(commit_id),
            Some(_) | None => hint::attributes(&by),
        };
        self.findings.push(Finding {
            item_type: subject.as_ref().map(|subject| subject.item_type),
            item_id: subject.map(|subject| subject.item_id),
            hint,
            commit_id,
            ..plain(verify_rules::CHANGED_BY_ATTRIBUTES, path, 1, message)
        });
    }

    /// Takes in an item that was removed.
    pub(super) fn unshadowed(&mut self, subject: &Subject, path: String, commit_id: Option<CommitId>) {
        let finding = self.item(subject, path, &Fault::Unshadowed);
        self.findings.push(Finding { commit_id, ..finding });
    }

    /// Takes in the faults of the trust files of a commit or of the work tree.
    pub(super) fn trust(&mut self, fault: &ManifestFault, commit_id: Option<CommitId>, hint: String) {
        let (path, line) = fault.place();
        let because = match fault {
            ManifestFault::RevokedRoot { key_id } => self.revoked.because(key_id),
            _ => None,
        };
        let finding = Finding { hint, commit_id, because, ..plain(fault.rule(), path, line, fault.to_string()) };
        // A trust root and the rules for a configuration may say the same of it.
        let is_told = |known: &Finding| {
            (known.rule, &known.path, &known.commit_id) == (finding.rule, &finding.path, &finding.commit_id)
        };
        if !self.findings.iter().any(is_told) {
            self.findings.push(finding);
        }
    }

    /// Says what all of it comes to. An empty verification is not a success, and neither are signatures of no commits.
    pub(super) fn conclude(mut self) -> Self {
        self.status = if self.findings.iter().any(|finding| finding.severity == Severity::Error) {
            Status::Findings
        } else if self.checked == 0 && self.agent_files.unwrap_or_default() == 0 || self.commits_checked == Some(0) {
            Status::Empty
        } else {
            Status::Ok
        };
        self
    }

    /// Tells whether a range was asked for that has no commits: only the tree at its end was looked at.
    #[must_use]
    pub fn is_without_commits(&self) -> bool {
        self.range_commits == Some(0)
    }

    /// Tells whether commits' signatures were asked for and none was looked at: all of them are merges.
    #[must_use]
    pub fn has_only_merges(&self) -> bool {
        self.commits_checked == Some(0) && !self.is_without_commits()
    }

    fn item(&mut self, subject: &Subject, path: String, fault: &Fault) -> Finding {
        self.summary.count(fault.verdict());
        Finding {
            verdict: Some(fault.verdict()),
            item_type: Some(subject.item_type),
            item_id: Some(subject.item_id.clone()),
            uncovered: if let Fault::Legacy { uncovered, .. } = fault { uncovered.clone() } else { Vec::new() },
            hint: self.decided.item(subject, fault),
            ..plain(fault.rule(), path, 1, format!("{subject}: {fault}"))
        }
    }
}

impl Summary {
    const fn count(&mut self, verdict: Verdict) {
        let counter = match verdict {
            Verdict::Good => &mut self.good,
            Verdict::Builtin => &mut self.builtin,
            Verdict::Legacy => &mut self.legacy,
            Verdict::Unsigned => &mut self.unsigned,
            // Of commits alone, which are not counted here.
            Verdict::NotJudged => return,
            Verdict::Tampered => &mut self.tampered,
            Verdict::Untrusted => &mut self.untrusted,
            Verdict::Retired => &mut self.retired,
            Verdict::Revoked => &mut self.revoked,
            Verdict::RolledBack => &mut self.rolled_back,
            Verdict::MissingCountersignature => &mut self.missing_countersignature,
            Verdict::Unshadowed => &mut self.unshadowed,
        };
        *counter += 1;
    }
}

fn stray(path: String, reason: &str, severity: Severity) -> Finding {
    let is_unusable = severity == Severity::Error;
    let rule = if is_unusable { rules::UNUSABLE_ITEM.id } else { rules::NOT_AN_ITEM.id };
    let message = format!("this file {} an item: {reason}", if is_unusable { "cannot be used as" } else { "is not" });
    Finding { severity, ..plain(rule, path, 1, message) }
}

/// Makes a finding of what every finding has.
pub(super) fn plain(rule: &'static str, path: String, line: usize, message: String) -> Finding {
    Finding {
        rule,
        verdict: None,
        signature_kind: None,
        key_type: None,
        severity: Severity::Error,
        item_type: None,
        item_id: None,
        path,
        line,
        message,
        because: None,
        uncovered: Vec::new(),
        hint: String::new(),
        commit_id: None,
    }
}

/// Tells whether a fault of a skill is a change since it was signed, which a commit shows.
const fn is_change(fault: &SkillFault) -> bool {
    matches!(
        fault,
        SkillFault::Added { .. }
            | SkillFault::Removed { .. }
            | SkillFault::OtherForm { .. }
            | SkillFault::Changed { .. }
            | SkillFault::Mode { .. }
    )
}
