//! Which directives get a name in snake_case, and which keep theirs, with the reason.
//!
//! A name is never taken from another item, and never chosen between two that want it. A directive that a configured
//! pattern forbids or asks about by its name keeps it: under another one it would be free.

use std::collections::BTreeMap;

use super::text::read;
use crate::capability::{Call, Capability, Consent, Denial, Policy, Primary};
use crate::format::{Profile, Remark, Renames, Scope, migrate as rewrite, parse, rules, snake_id, validate};
use crate::id::{ItemId, ItemType, Space};
use crate::item::Item;
use crate::locate::{LocateError, subject};
use crate::project::Project;
use crate::workspace::{Candidate, MAX_ITEM_BYTES, Stray};

/// New ids of directives.
#[derive(Debug, Default)]
pub(super) struct Renaming {
    pub(super) new: BTreeMap<ItemId, ItemId>,
    /// Those that keep a kebab name, and why.
    pub(super) kept: BTreeMap<ItemId, Remark>,
}

impl Renaming {
    /// Decides about the directives that were asked for; `everywhere` are the items of all spaces.
    pub(super) fn of(
        project: &Project,
        directives: &[&Candidate],
        everywhere: &[Candidate],
        strays: &[Stray],
    ) -> Result<Self, LocateError> {
        let asked: Vec<(&Candidate, ItemId)> =
            directives.iter().filter_map(|candidate| Some((*candidate, snake_id(&candidate.id)?))).collect();
        let mut renaming = Self::default();
        if asked.is_empty() {
            return Ok(renaming);
        }
        let policy = project.policy()?;
        let directives = everywhere.iter().filter(|item| item.item_type == ItemType::Directive);
        let there: BTreeMap<&ItemId, Space> = directives.map(|item| (&item.id, item.space)).collect();
        let mut claims: BTreeMap<&ItemId, Vec<&ItemId>> = BTreeMap::new();
        for (candidate, new) in &asked {
            claims.entry(new).or_default().push(&candidate.id);
        }
        for (candidate, new) in &asked {
            let id = &candidate.id;
            let obstacle = rival(id, &claims[new], new)
                .or_else(|| taken(new, there.get(new).copied(), strays))
                .or_else(|| freed(&policy, id, new));
            let text = read(project, candidate)?;
            match obstacle.or_else(|| unfit(candidate, &text, new)) {
                Some(why) => drop(renaming.kept.insert(id.clone(), kept(candidate, &text, &why))),
                None => drop(renaming.new.insert(id.clone(), new.clone())),
            }
        }
        Ok(renaming)
    }
}

/// Says why a directive keeps its name, at the line of the name.
fn kept(candidate: &Candidate, text: &Result<String, String>, why: &str) -> Remark {
    let parsed = parse(candidate.item_type, &candidate.extension, text.as_deref().unwrap_or_default());
    let found = validate(&parsed, &candidate.id, Profile::Reference);
    let about_name = |rule: &str| [rules::KEBAB_NAME.id, rules::NAME_NOT_ID.id].contains(&rule);
    let line = found.iter().find(|finding| about_name(finding.rule)).map_or(1, |finding| finding.line);
    Remark { line, stays: true, message: format!("it keeps its kebab-case name: {why}") }
}

/// Names another directive that would get the same name.
fn rival(id: &ItemId, claims: &[&ItemId], new: &ItemId) -> Option<String> {
    let rival = claims.iter().find(|other| **other != id)?;
    Some(format!("`{rival}` would get the same name `{new}`"))
}

/// Names what has the new name already.
fn taken(new: &ItemId, space: Option<Space>, strays: &[Stray]) -> Option<String> {
    if let Some(space) = space {
        return Some(format!("`{new}` is another directive of the {space} space"));
    }
    let file = format!(".ai/{}/{new}.md", ItemType::Directive.folder());
    let stray = strays.iter().find(|stray| stray.path.ends_with(&file));
    stray.map(|_| format!("`{file}` is in its place"))
}

/// Names the configured pattern that covers the directive under its old name only.
fn freed(policy: &Policy, old: &ItemId, new: &ItemId) -> Option<String> {
    let strictness = |primary: Primary, id: &ItemId| -> (u8, Option<Capability>) {
        match policy.check(&Call::on(primary, ItemType::Directive, id.clone())) {
            Err(Denial::Configured { pattern, .. }) => (2, Some(pattern)),
            Ok(Consent::Needed { pattern }) => (1, Some(pattern)),
            Ok(Consent::Given) | Err(_) => (0, None),
        }
    };
    Primary::ALL.into_iter().find_map(|primary| {
        let (before, pattern) = strictness(primary, old);
        let is_freed = strictness(primary, new).0 < before;
        pattern.filter(|_| is_freed).map(|pattern| {
            format!("the configured pattern `{pattern}` does not cover `{new}`: let the configuration cover both first")
        })
    })
}

/// Says why the file itself would not bear the new name.
fn unfit(candidate: &Candidate, text: &Result<String, String>, new: &ItemId) -> Option<String> {
    let text = match text {
        Ok(text) => text,
        Err(why) => return Some(why.clone()),
    };
    let subject = subject(candidate);
    let alone = Renames::new(&BTreeMap::from([(candidate.id.clone(), new.clone())]), &[]);
    let rewritten = rewrite(&subject, text, Scope::All, &alone).text;
    if rewritten.len() as u64 > MAX_ITEM_BYTES {
        return Some("rewritten it would be larger than 1 MiB".to_owned());
    }
    let bears_it = match parse(subject.item_type, &subject.extension, &rewritten).item {
        Some(Item::Directive(directive)) => directive.name == new.name(),
        _ => false,
    };
    (!bears_it).then(|| format!("the directive in it is not called `{}`, or cannot be read", candidate.id.name()))
}
