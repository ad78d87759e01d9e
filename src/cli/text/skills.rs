//! Skills that are pulled, updated and compared with the lock.

use super::{Cell, Page, Table, count, one_line};
use crate::ops::pull::Status;
use crate::ops::pull::skills::{PlannedSkill, Signing, SkillOutcome, SkillPlan, SyncOutcome};

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

/// Asks whether the person signs what nobody signed.
pub(in crate::cli) fn sign_question(plan: &SkillPlan) -> String {
    let unsigned: Vec<String> = plan
        .skills
        .iter()
        .filter(|skill| matches!(skill.signing, Signing::Unsigned))
        .map(|skill| format!("`{}`", skill.id()))
        .collect();
    format!("the source does not sign {}: sign it as yours", unsigned.join(", "))
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
        what.push_str(", trust who signed what is new");
    }
    if plan.skills.iter().any(|skill| matches!(skill.signing, Signing::Unsigned)) {
        what.push_str(", sign what is not signed as yours");
    }
    what
}

/// Shows how skills change: what runs and what is asked for first, then the files.
pub(in crate::cli) fn write_changes(page: &mut Page<'_>, plan: &SkillPlan) {
    for skill in &plan.skills {
        if skill.status == Status::Unchanged {
            continue;
        }
        let new = if skill.status == Status::Added { " (new here)" } else { "" };
        page.line(format!("skill {} from {} at {}{new}", skill.id(), one_line(&skill.source()), skill.commit()));
        let change = &skill.change;
        change.gained.iter().for_each(|power| page.line(format!("  + {}", one_line(power))));
        change.lost.iter().for_each(|power| page.line(format!("  - {}", one_line(power))));
        for file in &change.files {
            page.line(format!("  {} {}", file.status, one_line(&file.path)));
        }
        for file in change.files.iter().filter(|file| !file.diff.is_empty()) {
            page.line(format!("--- {}", one_line(&file.path)));
            page.foreign(&file.diff);
        }
    }
}

/// Says what was pulled.
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

/// Lists the folders that would be removed.
pub(in crate::cli) fn write_pruned(page: &mut Page<'_>, folders: &[&str]) {
    folders.iter().for_each(|folder| page.line(format!("remove {}", one_line(folder))));
}

/// Writes one row per skill.
pub(in crate::cli) fn write_synced(page: &mut Page<'_>, outcome: &SyncOutcome) {
    let mut table = Table::new(vec!["STATUS", "ID", "FOLDER", "NOTE"]);
    for skill in &outcome.skills {
        table.row(vec![
            Cell::new(skill.status.as_str()),
            Cell::with(&skill.item_id, |paint, text| paint.bold(text)),
            Cell::dim(&skill.folder),
            Cell::new(one_line(skill.detail.as_deref().unwrap_or_default())),
        ]);
    }
    page.table(&table);
}
