//! The steps that a thread was asked to go through, from the directive whose digest its record names.

use serde::Serialize;

use crate::format::{parse_bytes, step_results, template};
use crate::git::Repository;
use crate::id::{ItemType, SPACE_FOLDER, Space, item_path};
use crate::item::{Directive, Item, resolve};
use crate::session::Session;
use crate::thread::record::History;
use crate::trust::ContentHash;

/// A step of a directive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanStep {
    /// Its name.
    pub name: String,
    /// What it says, inputs filled in.
    pub text: String,
}

/// Finds the directive as it was; none if it is not at hand.
pub(super) fn directive(session: &Session, repository: &Repository, history: &History) -> Option<Directive> {
    let directive = history.directive();
    let extension = "md".parse().ok()?;
    let path = format!("{SPACE_FOLDER}/{}", item_path(ItemType::Directive, &directive.id, &extension));
    let in_thread = || repository.file_at(&history.outcome.commit_id, &path).ok().flatten();
    let in_base = || repository.file_at(history.base()?, &path).ok().flatten();
    let in_space = |space: Space| {
        let workspace = session.project().workspace();
        let found = workspace.candidate_in(space, ItemType::Directive, &directive.id).ok()??;
        workspace.read(&found).ok()
    };
    let is_it = |bytes: &Vec<u8>| ContentHash::of(bytes) == directive.sha256;
    let bytes = in_base()
        .filter(is_it)
        .or_else(|| in_thread().filter(is_it))
        .or_else(|| Space::ALL.into_iter().find_map(|space| in_space(space).filter(is_it)))?;
    match parse_bytes(ItemType::Directive, &extension, &bytes).item? {
        Item::Directive(directive) => Some(*directive),
        _ => None,
    }
}

/// Returns the steps of the directive, its inputs filled in.
pub(super) fn plan(item: &Directive, history: &History) -> Option<Vec<PlanStep>> {
    let inputs = resolve(&item.inputs, history.inputs()).ok()?;
    let room = template::Room::new();
    let pieces = |text: &str| step_results::pieces(text, &inputs, &item.steps, &room);
    let fill = |text: &str| pieces(text).map_or_else(|_| text.to_owned(), |pieces| step_results::in_words(&pieces));
    Some(item.steps.iter().map(|step| PlanStep { name: step.name.clone(), text: fill(step.text.trim()) }).collect())
}
