//! Skills that are pulled, updated and compared with the lock.

use super::{Cell, Page, Table, count, one_line};
use crate::format::{FileChange, SkillChange};
use crate::ops::publish::SkillPreview;
use crate::ops::pull::Status;
use crate::ops::pull::upstream::{PlannedSkill, Signing, SkillOutcome, SkillPlan, SyncOutcome, SyncPlan};

/// Shows who signed skills and is new here.
pub(in crate::cli) fn write_signers(page: &mut Page<'_>, plan: &SkillPlan) {
    for skill in &plan.skills {
        let Some(signer) = skill.new_signer() else { continue };
        let (id, principal) = (skill.id(), one_line(&signer.principal));
        page.line(format!(
            "skill {id} is signed by {principal}, as its source says, with the key {}",
            signer.fingerprint
        ));
        if let Some(before) = &signer.changed_from {
            page.line(format!("  it was signed by {before} before"));
        }
    }
}

/// Asks for what [`write_signers`] shows.
pub(in crate::cli) fn signer_question(plan: &SkillPlan) -> String {
    let new: Vec<&PlannedSkill> = plan.skills.iter().filter(|skill| skill.new_signer().is_some()).collect();
    match new.as_slice() {
        [one] => format!("trust this key for skill `{}`", one.id()),
        several => format!("trust these keys for {}", count(several.len(), "skill")),
    }
}

/// Asks whether the person signs the unsigned skills.
pub(in crate::cli) fn sign_question(plan: &SkillPlan) -> String {
    let unsigned: Vec<String> = plan
        .skills
        .iter()
        .filter(|skill| matches!(skill.signing, Signing::Unsigned))
        .map(|skill| format!("`{}`", skill.id()))
        .collect();
    format!("the source does not sign {}: sign it as yours (with no, it is pulled unsigned)", unsigned.join(", "))
}

/// Shows all that an agent client would have done.
pub(in crate::cli) fn write_plan(page: &mut Page<'_>, plan: &SkillPlan) {
    write_changes(page, plan);
    write_signers(page, plan);
}

/// Asks for what [`write_plan`] shows.
pub(in crate::cli) fn whole_question(plan: &SkillPlan) -> String {
    let mut what = format!("pull {}", count(plan.skills.len(), "skill"));
    if plan.skills.iter().any(|skill| skill.new_signer().is_some()) {
        what.push_str(", trust new signers");
    }
    if plan.skills.iter().any(|skill| matches!(skill.signing, Signing::Unsigned)) {
        what.push_str(", sign unsigned ones as yours");
    }
    what
}

/// Shows how skills change: programs and requested permissions first, then the files.
pub(in crate::cli) fn write_changes(page: &mut Page<'_>, plan: &SkillPlan) {
    for skill in &plan.skills {
        if skill.status == Status::Unchanged {
            if matches!(skill.signing, Signing::Unsigned) {
                page.line(format!(
                    "skill {} is in {} already, unsigned; read it before you sign it",
                    skill.id(),
                    skill.target.folder()
                ));
            }
            continue;
        }
        let new = if skill.status == Status::Added { " (new here)" } else { "" };
        page.line(format!("skill {} from {} at {}{new}", skill.id(), one_line(&skill.source()), skill.commit()));
        if skill.is_rewritten() {
            page.line(format!(
                "the source of skill `{}` was rewritten: the commit of `rye.lock` is not part of its history any more",
                skill.id()
            ));
        }
        write_change(page, &skill.target.change);
    }
}

/// Shows what publishing a skill signs that was not signed before.
pub(in crate::cli) fn write_signing(page: &mut Page<'_>, skill: &SkillPreview) {
    match &skill.last_signed {
        None => {
            page.line("not signed before; publishing signs it as it is now:");
            write_powers(page, &skill.change);
        }
        Some(last) if skill.change.is_empty() => {
            page.line(format!("unchanged since skill `{}` was signed at {}", last.id, last.signed_at));
        }
        Some(last) => {
            page.line(format!("changed since skill `{}` was signed at {}:", last.id, last.signed_at));
            write_change(page, &skill.change);
            page.line(format!("publishing signs it as it is now; `rye diff {}` shows the texts", last.id));
        }
    }
}

/// Shows what a skill changes: programs and requested permissions first, then the files.
fn write_change(page: &mut Page<'_>, change: &SkillChange) {
    write_powers(page, change);
    write_files(page, &change.files);
}

fn write_powers(page: &mut Page<'_>, change: &SkillChange) {
    change.gained.iter().for_each(|power| page.line(format!("  + {}", one_line(power))));
    change.lost.iter().for_each(|power| page.line(format!("  - {}", one_line(power))));
}

/// Lists files that change, then shows the texts of those that have one.
pub(in crate::cli) fn write_files(page: &mut Page<'_>, files: &[FileChange]) {
    files.iter().for_each(|file| page.line(format!("  {} {}", file.status, one_line(&file.path))));
    for file in files.iter().filter(|file| !file.diff.is_empty()) {
        page.line(format!("--- {}", one_line(&file.path)));
        page.foreign(&file.diff);
    }
}

/// Reports the pulled skills.
pub(in crate::cli) fn write_pulled(page: &mut Page<'_>, outcome: &SkillOutcome) {
    write(page, outcome, |status| match status {
        Status::Added => "Pulled",
        Status::Replaced => "Updated",
        Status::Downgraded => "Downgraded",
        Status::Unchanged => "Unchanged",
    });
}

/// Says what an update would do.
pub(in crate::cli) fn write_preview(page: &mut Page<'_>, outcome: &SkillOutcome) {
    write(page, outcome, |status| match status {
        Status::Added => "Would pull",
        Status::Replaced => "Would update",
        Status::Downgraded => "Would downgrade",
        Status::Unchanged => "Unchanged",
    });
}

fn write(page: &mut Page<'_>, outcome: &SkillOutcome, word: impl Fn(Status) -> &'static str) {
    for skill in &outcome.skills {
        let version = skill.version.map(|version| format!(" {version}")).unwrap_or_default();
        let (word, id, commit) = (word(skill.status), &skill.item_id, &skill.commit[..skill.commit.len().min(12)]);
        page.line(format!("{word} skill {id}{version} in {} at {commit}, {}", skill.folder, skill.verdict));
    }
}

/// Lists what would be written.
pub(in crate::cli) fn write_sync(page: &mut Page<'_>, plan: &SyncPlan) {
    for (word, folders) in [("restore", plan.restored()), ("add", plan.adopted()), ("remove", plan.pruned())] {
        folders.iter().for_each(|folder| page.line(format!("{word} {}", one_line(folder))));
    }
}

/// Asks for what [`write_sync`] shows.
pub(in crate::cli) fn sync_question(plan: &SyncPlan) -> String {
    let parts =
        [("restore", plan.restored(), ""), ("add", plan.adopted(), " to `rye.lock`"), ("remove", plan.pruned(), "")];
    let parts = parts.iter().filter(|(_, folders, _)| !folders.is_empty());
    let parts: Vec<String> =
        parts.map(|(word, folders, end)| format!("{word} {}{end}", count(folders.len(), "skill"))).collect();
    parts.join(" and ")
}

/// Writes one row per skill.
pub(in crate::cli) fn write_synced(page: &mut Page<'_>, outcome: &SyncOutcome) {
    let mut table = Table::new(vec!["STATUS", "ID", "FOLDER"]);
    for skill in &outcome.skills {
        table.row(vec![
            Cell::new(skill.status.as_str()),
            Cell::with(skill.name(), |paint, text| paint.bold(text)),
            Cell::dim(&skill.folder),
        ]);
        table.below(Cell::new(skill.detail.as_deref().unwrap_or_default()));
    }
    page.table(&table);
}
