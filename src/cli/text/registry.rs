//! Published and pulled items, and those in a registry.

use super::{Cell, Page, Table, count, one_line, skills};
use crate::id::{ItemType, Segment};
use crate::ops::publish::{self, Plan, Status};
use crate::ops::pull;
use crate::ops::pull::upstream::SkillStanding;
use crate::ops::registries::{
    ChangeOutcome, ChangeStatus, CheckpointOutcome, Info, InitOutcome, KnownOutcome, ListOutcome, VerifyOutcome,
};

/// Shows exactly what becomes public, where, and under which key.
pub(in crate::cli) fn write_plan(page: &mut Page<'_>, plan: &Plan, is_draft: bool) {
    for item in &plan.items {
        let release = &item.release;
        let (item_type, id, version) = (release.item_type, &release.id, release.version);
        match item.status {
            Status::Unchanged => {
                let registry = item.elsewhere.as_ref().unwrap_or(&plan.registry);
                page.line(format!("{item_type} {id} {version} is published in `{registry}` already"));
            }
            Status::Published | Status::DryRun => {
                let oldest = release.requires_rye.map(|oldest| format!(", for rye {oldest} or later"));
                page.line(format!("{item_type} {id} {version}, {} bytes{}:", release.size, oldest.unwrap_or_default()));
                let runs = |path: &String| item.skill.as_ref().is_some_and(|skill| skill.executables.contains(path));
                for file in &item.package.manifest.files {
                    let runs = if runs(&file.path) { ", executable" } else { "" };
                    let path = one_line(&file.path);
                    page.line(format!("  {path} ({} bytes{runs}, sha256 {})", file.size, file.sha256));
                }
                if let Some(skill) = &item.skill {
                    skills::write_signing(page, skill);
                }
            }
        }
    }
    page.line(format!("to the registry `{}` at {}", plan.registry, one_line(&plan.url())));
    page.line(match is_draft {
        true => "under your own key, which Rye makes then".to_owned(),
        false => format!("under your key {}", plan.fingerprint),
    });
    if plan.new_registry().is_some() {
        page.line("the registry does not exist yet: Rye creates it");
    }
    for namespace in &plan.claims {
        page.line(format!("the namespace `{namespace}` becomes yours"));
    }
}

/// Reports the published items, needed items first.
pub(in crate::cli) fn write_published(page: &mut Page<'_>, outcome: &publish::Outcome) {
    let mut line = |status: Status, id: &crate::id::ItemId, version, registry: &Segment, seq: Option<u64>| {
        let seq = seq.map(|seq| format!(" (seq {seq})")).unwrap_or_default();
        page.line(match status {
            Status::Published => format!("Published {id} {version} to {registry}{seq}"),
            Status::Unchanged => format!("Unchanged {id} {version} in {registry}{seq}"),
            Status::DryRun => format!("Would publish {id} {version} to {registry}"),
        });
    };
    for needed in &outcome.needed {
        line(needed.status, &needed.id, needed.version, &needed.registry, needed.seq);
    }
    line(outcome.status, &outcome.id, outcome.version, &outcome.registry, outcome.seq);
}

/// Shows the keys that would be trusted, and how far.
pub(in crate::cli) fn write_trust(page: &mut Page<'_>, plan: &pull::registry::Plan) {
    for trust in &plan.trust {
        let (namespace, registry) = (&trust.namespace, &trust.registry);
        page.line(format!("`{namespace}/**` of the registry `{registry}` is signed by {}", trust.fingerprint));
    }
}

/// Asks for what [`write_trust`] shows.
pub(in crate::cli) fn trust_question(plan: &pull::registry::Plan) -> String {
    match plan.trust.as_slice() {
        [one] => format!("trust this key for `{}/**` of `{}`", one.namespace, one.registry),
        several => format!("trust these {} for their namespaces", count(several.len(), "key")),
    }
}

/// Reports the pulled items.
pub(in crate::cli) fn write_pulled(page: &mut Page<'_>, outcome: &pull::registry::Outcome) {
    for pulled in &outcome.pulled {
        let word = match pulled.status {
            pull::Status::Added => "Pulled",
            pull::Status::Replaced => "Updated",
            pull::Status::Downgraded => "Downgraded",
            pull::Status::Unchanged => "Unchanged",
        };
        page.line(format!("{word} {} {} from {}", pulled.item_id, pulled.version, pulled.registry));
    }
}

/// Says what an update would do.
pub(in crate::cli) fn write_preview(page: &mut Page<'_>, outcome: &pull::registry::Outcome) {
    for pulled in &outcome.pulled {
        let word = match pulled.status {
            pull::Status::Added => "Would pull",
            pull::Status::Replaced => "Would update",
            pull::Status::Downgraded => "Would downgrade",
            pull::Status::Unchanged => "Unchanged",
        };
        page.line(format!("{word} {} {} from {}", pulled.item_id, pulled.version, pulled.registry));
    }
}

/// Shows how items change: what they may do first, then their text.
pub(in crate::cli) fn write_changes(page: &mut Page<'_>, plan: &pull::registry::Plan) {
    for change in plan.changes() {
        let (item_type, id, after) = (change.item_type, &change.item_id, change.after);
        match change.before {
            Some(before) => page.line(format!("{item_type} {id} {before} -> {after}")),
            None => page.line(format!("{item_type} {id} {after} (new here)")),
        }
        change.gained.iter().for_each(|power| page.line(format!("  + {}", one_line(power))));
        change.lost.iter().for_each(|power| page.line(format!("  - {}", one_line(power))));
        page.foreign(&change.diff);
        skills::write_files(page, &change.files);
    }
}

/// Writes one row per item of the lock.
pub(in crate::cli) fn write_outdated(page: &mut Page<'_>, outcome: &pull::Outdated) {
    let mut table = Table::new(vec!["STATUS", "TYPE", "ID", "HERE", "NEWEST", "REGISTRY", "NOTE"]);
    for item in &outcome.items {
        let status = match item.status {
            pull::registry::Standing::Current => "current",
            pull::registry::Standing::Outdated => "outdated",
            pull::registry::Standing::Yanked => "yanked",
            pull::registry::Standing::Gone => "gone",
        };
        let note = match (&item.deprecated, item.is_changed) {
            (_, true) => "changed here".to_owned(),
            (Some(message), false) => format!("deprecated: {}", one_line(message)),
            (None, false) => String::new(),
        };
        let newest = item.newest.map(|version| version.to_string()).unwrap_or_default();
        table.row(vec![
            Cell::new(status),
            Cell::dim(item.item_type),
            Cell::with(&item.item_id, |paint, text| paint.bold(text)),
            Cell::new(item.version),
            Cell::new(newest),
            Cell::dim(&item.registry),
            Cell::new(note),
        ]);
    }
    for skill in &outcome.skills {
        let status = match skill.status {
            SkillStanding::Current => "current",
            SkillStanding::Outdated => "outdated",
            SkillStanding::Gone => "gone",
            SkillStanding::Unknown => "unknown",
        };
        let newest = skill.newest.as_deref().map(short).unwrap_or_default();
        table.row(vec![
            Cell::new(status),
            Cell::dim(ItemType::Skill),
            Cell::with(&skill.item_id, |paint, text| paint.bold(text)),
            Cell::new(short(&skill.commit)),
            Cell::new(newest),
            Cell::dim(one_line(&skill.source)),
            Cell::new(if skill.is_changed { "changed here" } else { "" }),
        ]);
    }
    page.table(&table);
}

/// Shortens the id of a commit.
fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}

/// Writes one row per registry.
pub(in crate::cli) fn write_list(page: &mut Page<'_>, outcome: &ListOutcome) {
    let mut table = Table::new(vec!["NAME", "NAMESPACES", "URL"]).with_whole_last();
    for known in &outcome.registries {
        let namespaces: Vec<&str> = known.namespaces.iter().map(crate::id::Segment::as_str).collect();
        let name = Cell::with(&known.name, |paint, text| paint.bold(text));
        table.row(vec![name, Cell::new(namespaces.join(" ")), Cell::dim(&known.url)]);
    }
    page.table(&table);
}

/// Says what became of a registry in the list.
pub(in crate::cli) fn write_known(page: &mut Page<'_>, done: &str, outcome: &KnownOutcome) {
    let mut table = Table::new(vec!["STATUS", "NAME", "URL"]).with_whole_last();
    table.row(vec![Cell::new(done), Cell::new(&outcome.name), Cell::new(&outcome.url)]);
    page.table(&table);
}

/// Says which registry was made.
pub(in crate::cli) fn write_init(page: &mut Page<'_>, outcome: &InitOutcome) {
    let mut table = Table::new(vec!["STATUS", "NAME", "FOLDER"]).with_whole_last();
    table.row(vec![Cell::new("made"), Cell::new(&outcome.name), Cell::new(page.path(&outcome.path))]);
    page.table(&table);
}

/// Shows what a registry holds.
pub(in crate::cli) fn write_info(page: &mut Page<'_>, outcome: &Info) {
    page.line(format!("{} at {}", outcome.name, one_line(&outcome.url)));
    page.line(format!("calls itself {}, claims {}, {}", outcome.own_name, outcome.claims, lines(outcome.size)));
    page.line(format!("root {}, commit {}", outcome.root, outcome.commit_id));
    for namespace in &outcome.namespaces {
        page.line(format!("namespace {}: {}", namespace.name, namespace.owners.join(", ")));
    }
    let mut table = Table::new(vec!["TYPE", "ID", "NEWEST", "VERSIONS", "NOTE"]);
    for item in &outcome.items {
        let newest = item.newest.map(|version| version.to_string()).unwrap_or_default();
        let note = match (&item.deprecated, item.yanked) {
            (Some(message), _) => format!("deprecated: {}", one_line(message)),
            (None, 0) => String::new(),
            (None, yanked) => format!("{yanked} yanked"),
        };
        let id = Cell::with(&item.item_id, |paint, text| paint.bold(text));
        table.row(vec![Cell::dim(item.item_type), id, Cell::new(newest), Cell::new(item.versions), Cell::new(note)]);
    }
    page.table(&table);
}

/// Says that a registry passed every check.
pub(in crate::cli) fn write_verified(page: &mut Page<'_>, outcome: &VerifyOutcome) {
    let (registry, versions) = (&outcome.registry, count(outcome.versions, "version"));
    let mut table = Table::new(vec!["STATUS", "NAME", "LOG", "VERSIONS"]);
    table.row(vec![Cell::new("ok"), Cell::new(registry), Cell::new(lines(outcome.size)), Cell::new(versions)]);
    page.table(&table);
}

/// Writes a checkpoint as it is signed.
pub(in crate::cli) fn write_checkpoint(page: &mut Page<'_>, outcome: &CheckpointOutcome) {
    page.words(&outcome.note);
}

/// Reports the change of a registry.
pub(in crate::cli) fn write_change(page: &mut Page<'_>, outcome: &ChangeOutcome) {
    let seq = outcome.seq.map(|seq| format!(" (seq {seq})")).unwrap_or_default();
    page.line(match outcome.status {
        ChangeStatus::Changed => format!("{} in {}{seq}", outcome.done, outcome.registry),
        ChangeStatus::Unchanged => format!("Unchanged in {}: {}", outcome.registry, outcome.change),
    });
}

fn lines(size: u64) -> String {
    count(usize::try_from(size).unwrap_or(usize::MAX), "line")
}
