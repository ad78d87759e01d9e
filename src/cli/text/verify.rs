//! What a verification found.

use std::collections::BTreeSet;
use std::path::Path;

use super::findings::{hint, place};
use super::{Page, count, one_line};
use crate::format::Severity;
use crate::git::CommitId;
use crate::id::{ItemId, ItemType};
use crate::ops::locate::AGENT_FILES;
use crate::ops::verify::{Finding, OTHER_AUTHOR, Outcome, Status, WHOLE_COMMIT};
use crate::trust::Verdict;

/// Writes every finding and one line that sums up. Equal findings are one, with its places.
pub(in crate::cli) fn write(page: &mut Page<'_>, outcome: &Outcome) {
    write_findings(page, &outcome.findings);
    if outcome.status != Status::Empty {
        page.line(summary(page, outcome));
    }
}

/// Writes findings, each with an empty line below.
pub(in crate::cli) fn write_findings(page: &mut Page<'_>, findings: &[Finding]) {
    let mut groups: Vec<(Alike<'_>, Vec<&Finding>)> = Vec::new();
    for finding in findings {
        let alike = Alike::new(finding);
        match groups.iter_mut().find(|(known, _)| *known == alike) {
            Some((_, group)) => group.push(finding),
            None => groups.push((alike, vec![finding])),
        }
    }
    for (alike, group) in &groups {
        let of_type = findings.iter().filter(|finding| finding.item_type == alike.item_type);
        let has_others = of_type.count() > group.len();
        write_group(page, alike, group, has_others);
        page.line("");
    }
}

/// What findings have in common that are told as one.
#[derive(PartialEq)]
struct Alike<'a> {
    rule: &'static str,
    is_error: bool,
    item_type: Option<ItemType>,
    /// The message without the item that it is about.
    message: &'a str,
    because: Option<&'a str>,
    /// The hint with a gap where it names the item.
    hint: String,
    commit_id: Option<&'a CommitId>,
}

/// How messages about a file of a skill end.
const SINCE: &str = "after the skill was signed";

/// What a hint has in the place of an item's id.
const GAP: &str = "\0";

/// The most ids that one hint names; for more it gives the command for all.
const MOST_IDS: usize = 5;

/// The most places of one finding that are written.
const MOST_PLACES: usize = 10;

impl<'a> Alike<'a> {
    fn new(finding: &'a Finding) -> Self {
        let Finding { rule, severity, item_type, item_id, message, because, hint, commit_id, .. } = finding;
        let named = item_type.as_ref().zip(item_id.as_ref());
        let own = named.map(|(item_type, id)| (format!("{item_type} `{id}`: "), format!("rye sign {item_type} ")));
        let (message, hint) = match (own, item_id) {
            (Some((subject, command)), Some(id)) => (
                message.strip_prefix(&subject).unwrap_or(message),
                hint.replace(&format!("{command}{id}"), &format!("{command}{GAP}")),
            ),
            _ => (message.as_str(), hint.clone()),
        };
        Self {
            rule,
            is_error: *severity == Severity::Error,
            item_type: *item_type,
            message,
            because: because.as_deref(),
            hint,
            commit_id: commit_id.as_ref(),
        }
    }

    /// Says what is wrong with several.
    fn message(&self, group: &[&Finding]) -> String {
        let number = group.len();
        let Some(item_type) = self.item_type else { return format!("{} ({number} files)", self.message) };
        let items = match item_type {
            ItemType::Knowledge => format!("{number} knowledge items"),
            ItemType::Skill => return self.of_skills(group),
            ItemType::Directive | ItemType::Tool => count(number, item_type.as_str()),
        };
        match self.message.strip_prefix("it ") {
            Some(rest) => format!("{items}: each {rest}"),
            None => format!("{items}, each: {}", self.message),
        }
    }

    /// Says what is wrong with several skills, or with several files of one.
    fn of_skills(&self, group: &[&Finding]) -> String {
        let ids: BTreeSet<&ItemId> = group.iter().filter_map(|finding| finding.item_id.as_ref()).collect();
        let files = count(group.len(), "file");
        match ids.first() {
            Some(id) if ids.len() == 1 => match self.message.strip_prefix("this file was ") {
                Some(rest) if rest.ends_with(SINCE) => {
                    format!("skill `{id}`: {files} were {}after it was signed", rest.trim_end_matches(SINCE))
                }
                Some(_) | None => format!("skill `{id}`: {files}, each: {}", self.message),
            },
            Some(_) if ids.len() < group.len() => {
                format!("{}, {files}, each: {}", count(ids.len(), "skill"), self.message)
            }
            Some(_) | None => format!("{}, each: {}", count(group.len(), "skill"), self.message),
        }
    }

    /// Says what to do about several. A command for all items of a type also signs those that other findings are about.
    fn hint(&self, group: &[&Finding], has_others: bool) -> String {
        let mut ids: Vec<&str> = group.iter().filter_map(|finding| Some(finding.item_id.as_ref()?.as_str())).collect();
        ids.dedup();
        let is_long = ids.len() > MOST_IDS && self.hint.contains(GAP);
        let named = if is_long { "--all".to_owned() } else { ids.join(" ") };
        let more = match (is_long && has_others, self.item_type) {
            (true, Some(item_type)) => format!("; this also signs each other {item_type} that is reported here"),
            _ => String::new(),
        };
        self.hint.replace("review it,", "review each,").replace(GAP, &named) + &more
    }
}

fn write_group(page: &mut Page<'_>, alike: &Alike<'_>, group: &[&Finding], has_others: bool) {
    let Some(first) = group.first() else { return };
    let (message, advice) = match group.len() {
        1 => (first.message.clone(), first.hint.clone()),
        _ => (alike.message(group), alike.hint(group, has_others)),
    };
    let paint = page.paint();
    let (severity, rule) = (paint.severity(first.severity), paint.dim(format!("[{}]", first.rule)));
    page.line(format!("{severity} {} {rule}", one_line(&message)));
    group.iter().take(MOST_PLACES).for_each(|finding| write_place(page, finding));
    if let Some(more) = group.len().checked_sub(MOST_PLACES).filter(|more| *more > 0) {
        page.line(format!("  ... and {more} more; `--json` lists all"));
    }
    if let Some(because) = &first.because {
        page.line(format!("{} {}", paint.cyan("because:"), one_line(because)));
    }
    hint(page, &one_line(&advice));
}

fn write_place(page: &mut Page<'_>, finding: &Finding) {
    let arrow = page.paint().blue("  -->");
    match &finding.commit_id {
        Some(commit_id) if finding.path == WHOLE_COMMIT => page.line(format!("{arrow} commit {commit_id}")),
        Some(commit_id) => {
            let place = format!("{}:{}:1", one_line(&finding.path), finding.line);
            page.line(format!("{arrow} {place} in commit {commit_id}"));
        }
        None => place(page, Path::new(&finding.path), Some((finding.line, 1))),
    }
}

/// Sums up: the checked items, each verdict with its number, and other findings, in a fixed order.
fn summary(page: &Page<'_>, outcome: &Outcome) -> String {
    let paint = page.paint();
    let status = if outcome.status == Status::Ok { paint.green("ok:") } else { paint.red("not ok:") };
    let found = &outcome.summary;
    let items = [
        (found.good, "good"),
        (found.builtin, "builtin"),
        (found.legacy, "legacy"),
        (found.unsigned, "unsigned"),
        (found.tampered, "tampered"),
        (found.untrusted, "untrusted"),
        (found.retired, "retired"),
        (found.revoked, "revoked"),
        (found.rolled_back, "rolled back"),
        (found.missing_countersignature, "missing a countersignature"),
        (found.unshadowed, "unshadowed"),
    ];
    let items = items.iter().filter(|(number, _)| *number > 0).map(|(number, verdict)| format!("{number} {verdict}"));
    let mut shown: Vec<String> = items.collect();
    for verdict in Verdict::OF_COMMITS {
        let number = outcome.findings.iter().filter(|it| is_of_commit(it) && it.verdict == Some(verdict)).count();
        shown.extend(
            (number > 0).then(|| format!("{} {}", count(number, "commit"), verdict.as_str().replace('_', " "))),
        );
    }
    let about = |is_meant: &dyn Fn(&Finding) -> bool| {
        outcome.findings.iter().filter(|finding| finding.verdict.is_none() && is_meant(finding)).count()
    };
    let is_trust = |finding: &Finding| finding.rule.starts_with("RYE-M");
    let is_file = |finding: &Finding| !is_of_commit(finding) && !is_trust(finding);
    let is_of_agents = |finding: &&Finding| finding.rule.starts_with("RYE-G") || finding.path == AGENT_FILES;
    let of_agents = outcome.findings.iter().filter(is_of_agents).count();
    let is_error = |finding: &Finding| finding.severity == Severity::Error;
    let others = [
        (about(&|finding| is_of_commit(finding) && finding.rule == OTHER_AUTHOR), "commit", " of another author"),
        (about(&|finding| is_of_commit(finding) && finding.rule != OTHER_AUTHOR), "commit", " passed by the policy"),
        (about(&is_trust), "fault", " in trust files"),
        (of_agents, "finding", " in agent files"),
        (about(&|finding| is_file(finding) && is_error(finding)), "unusable file", ""),
        (about(&|finding| is_file(finding) && !is_error(finding)), "stray file", ""),
    ];
    let others = others.iter().filter(|(number, ..)| *number > 0);
    shown.extend(others.map(|(number, noun, of)| format!("{}{of}", count(*number, noun))));
    let shown = match outcome.agent_files {
        Some(files) if shown.is_empty() && files > 0 => "as signed".to_owned(),
        _ if shown.is_empty() => "none".to_owned(),
        _ => shown.join(", "),
    };
    let files = outcome.agent_files.map(|files| format!(", {}", count(files, "agent file"))).unwrap_or_default();
    let commits = outcome.commits_checked.map(|commits| format!(" and {}", count(commits, "commit")));
    let merges = outcome.merges_left_out.filter(|merges| *merges > 0);
    let merges = merges.map(|merges| format!(" ({} left out)", count(merges, "merge"))).unwrap_or_default();
    format!(
        "{status} {}{files}{} checked{merges}: {shown}",
        count(outcome.checked, "item"),
        commits.unwrap_or_default()
    )
}

/// Names what git ignores in folders of skills; none where it ignores nothing.
pub(in crate::cli) fn ignored(paths: &[String]) -> Option<String> {
    const SHOWN: usize = 3;
    let shown: Vec<String> = paths.iter().take(SHOWN).map(|path| format!("`{}`", one_line(path))).collect();
    let more = match paths.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!shown.is_empty()).then(|| format!("git ignores {}{more}: no part of a skill, and not verified", shown.join(", ")))
}

fn is_of_commit(finding: &Finding) -> bool {
    finding.path == WHOLE_COMMIT
}

/// Writes that there was nothing to verify.
pub(in crate::cli) fn write_empty(page: &mut Page<'_>, advice: &str) {
    page.line(format!("{} nothing to verify", page.paint().severity(Severity::Error)));
    hint(page, advice);
}

/// Writes that a range has no commits, so that no commit was looked at.
pub(in crate::cli) fn write_no_commits(page: &mut Page<'_>, range: &str, advice: &str) {
    let range = one_line(range);
    page.line(format!("{} the range `{range}` has no commits", page.paint().severity(Severity::Warning)));
    hint(page, advice);
}

/// Writes that nothing was verified, where the caller lets that pass.
pub(in crate::cli) fn write_allowed_empty(page: &mut Page<'_>) {
    page.line(format!("{} nothing to verify", page.paint().severity(Severity::Warning)));
}

/// Writes that every commit is a merge, so that no commit's signature was looked at.
pub(in crate::cli) fn write_only_merges(page: &mut Page<'_>, advice: &str) {
    let told = "no commit was checked: each of them is a merge, which `--commits=authored` leaves out";
    page.line(format!("{} {told}", page.paint().severity(Severity::Warning)));
    hint(page, advice);
}
