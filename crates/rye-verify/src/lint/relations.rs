//! Whether what a directive names and cannot do without is there, and whether what it extends comes to an end.
//!
//! Names are resolved as executing and threads do it. Nothing has to be signed here.

use std::collections::BTreeSet;

use super::Profile;
use crate::capability::ProjectPath;
use crate::extends::{self, Error, Names, requirements};
use crate::format::{self, Finding, Mention, Relation, Rule, Severity, rules};
use crate::id::{ItemId, ItemType};
use crate::item::{Directive, DirectiveContext, Item};
use crate::locate::{LocateError, Purpose};
use crate::project::Project;
use crate::workspace::ProjectDir;

/// The most findings about the relations of one directive.
const MOST: usize = 100;

/// What relations are held against.
pub(super) struct Relations<'a> {
    project: &'a Project,
    names: Names,
    /// The project, if there is one.
    files: Option<ProjectDir>,
    offered: &'a BTreeSet<ItemId>,
    profile: Profile,
}

/// A directive with its base and those it excludes.
struct Named {
    item_id: ItemId,
    extends: Option<ItemId>,
    conflicts_with: Vec<ItemId>,
}

impl<'a> Relations<'a> {
    /// Reads which items there are, and what the configuration offers.
    pub(super) fn read(project: &'a Project, profile: Profile) -> Result<Self, LocateError> {
        let offered = &project.context().config().capabilities.offered;
        let files = project.root().ok().map(ProjectDir::open).transpose()?;
        Ok(Self { project, names: Names::read(project, None)?, files, offered, profile })
    }

    /// Returns the missing items that a directive's context mentions and does not need.
    pub(super) fn mentions(&self, item_id: &ItemId, directive: &Directive, text: &str) -> Vec<Finding> {
        let DirectiveContext { related_files, used_by, suggests, example_of, .. } = &directive.context;
        if related_files.is_empty() && used_by.is_empty() && suggests.is_empty() && example_of.is_empty() {
            return Vec::new();
        }
        let mentions = format::mentions(text);
        mentions.iter().filter_map(|mention| self.missing(item_id, text, mention)).take(MOST).collect()
    }

    fn missing(&self, item_id: &ItemId, text: &str, mention: &Mention) -> Option<Finding> {
        let (span, message, hint) = match mention {
            Mention::Item(Relation { element, item_type, name, span }) => {
                let types =
                    item_type.map_or(vec![ItemType::Directive, ItemType::Tool, ItemType::Knowledge], |of| vec![of]);
                let find = |of: ItemType| self.names.find(item_id, element, of, name);
                let mut errors = types.into_iter().map(|of| find(of).err()).collect::<Option<Vec<_>>>()?;
                let noun = item_type.map_or("item", ItemType::as_str);
                let (message, hint) = match errors.swap_remove(0) {
                    Error::Part { source, .. } => (format!("unknown {noun} `{name}` in `<{element}>`"), hint(&source)),
                    other => (other.to_string(), "write the whole id".to_owned()),
                };
                (*span, message, hint)
            }
            Mention::File { entry, span } => {
                let (files, path) = (self.files.as_ref()?, path_of(entry)?);
                if files.exists(&path) {
                    return None;
                }
                let message = format!("`<related_files>` names `{path}`, which does not exist");
                (*span, message, "write a path from the project's top, or remove the entry".to_owned())
            }
        };
        Some(Finding::at(&rules::MENTIONED, text, span, message, hint))
    }

    /// Returns the missing items that a directive names; `text` is its file's.
    pub(super) fn findings(&self, item_id: &ItemId, directive: &Directive, text: &str) -> Vec<Finding> {
        let Directive { extends, context, hooks, continuation, .. } = directive;
        if extends.is_none() && context.is_empty() && hooks.is_empty() && continuation.is_none() {
            return Vec::new();
        }
        let faulty = |relation: &Relation| self.check(item_id, directive, relation).err();
        let relations = format::relations(text);
        let faults = relations.iter().filter_map(|relation| Some((relation, faulty(relation)?))).take(MOST);
        faults.map(|(relation, error)| self.finding(item_id, text, relation, &error)).collect()
    }

    fn check(&self, item_id: &ItemId, directive: &Directive, relation: &Relation) -> Result<(), Error> {
        let Relation { element, item_type, name, .. } = relation;
        let find = |of| self.names.find(item_id, element, of, name);
        match item_type {
            None => requirements::check(item_id, name, self.offered, find),
            Some(of) if *element == "extends" => {
                find(*of)?;
                self.check_chain(Named::new(item_id.clone(), directive))
            }
            Some(of) => find(*of).map(drop),
        }
    }

    /// Follows what a directive extends to its end, and holds each of the chain against the others.
    fn check_chain(&self, leaf: Named) -> Result<(), Error> {
        let named = |link: &Named| (link.item_id.clone(), link.extends.clone());
        let find = |by: &ItemId, base: &ItemId| self.names.find(by, "extends", ItemType::Directive, base);
        let links = extends::follow(leaf, named, find, |_, id| self.base(id))?;
        links.iter().try_for_each(|link| {
            let excluding = (&link.item_id, link.conflicts_with.as_slice());
            links.iter().try_for_each(|other| extends::exclude(excluding, &other.item_id))
        })
    }

    /// Reads a base. One that cannot be read as a directive ends the chain: it has findings of its own.
    fn base(&self, item_id: &ItemId) -> Result<Named, Error> {
        let located = self.project.locate(ItemType::Directive, item_id, None, Purpose::Use)?;
        let bytes = located.signed.content();
        Ok(match format::parse_bytes(ItemType::Directive, &located.candidate.extension, bytes).item {
            Some(Item::Directive(directive)) => Named::new(item_id.clone(), &directive),
            _ => Named { item_id: item_id.clone(), extends: None, conflicts_with: Vec::new() },
        })
    }

    fn finding(&self, own: &ItemId, text: &str, relation: &Relation, error: &Error) -> Finding {
        let (rule, message, hint): (&Rule, String, String) = match error {
            Error::Part { item_id, source, .. } if item_id == own => {
                (&rules::UNRESOLVED, source.to_string(), hint(source))
            }
            Error::Part { source, .. } => (&rules::UNRESOLVED, format!("{error}: {source}"), hint(source)),
            Error::Ambiguous { .. } => (&rules::UNRESOLVED, error.to_string(), "write the whole id".to_owned()),
            Error::Unmet(unmet) => (&rules::UNMET, unmet.to_string(), unmet.hint()),
            _ => (&rules::BAD_CHAIN, error.to_string(), "extend another directive, or none".to_owned()),
        };
        let finding = Finding::at(rule, text, relation.span, message, hint);
        let severity = match (error, relation.element, self.profile) {
            (Error::Unmet(_), _, Profile::Thread) => Severity::Error,
            // A directive that is followed in place uses neither its hooks nor its continuation.
            (_, "hooks" | "continuation_directive", Profile::Reference) => Severity::Warning,
            _ => finding.severity,
        };
        Finding { severity, ..finding }
    }
}

impl Named {
    fn new(item_id: ItemId, directive: &Directive) -> Self {
        let Directive { extends, context, .. } = directive;
        Self { item_id, extends: extends.clone(), conflicts_with: context.conflicts_with.clone() }
    }
}

/// Reads the path that an entry of a list begins with; none for words, a pattern or an address.
fn path_of(entry: &str) -> Option<ProjectPath> {
    let quoted = entry.strip_prefix('`').and_then(|rest| rest.split_once('`')).map(|(path, _)| path);
    let first = entry.split_whitespace().next().unwrap_or_default().trim_end_matches([':', ',', ';']);
    let word = quoted.unwrap_or(first);
    let has_ending = word.rsplit_once('.').is_some_and(|(_, ending)| !ending.is_empty());
    let is_path = (word.contains('/') || has_ending) && !word.contains(['*', '?', '{', '<', '[', ':']);
    is_path.then(|| word.trim_start_matches("./").trim_end_matches('/').parse().ok()).flatten()
}

fn hint(error: &LocateError) -> String {
    match error {
        LocateError::Unknown { suggestion: Some(id), .. } => format!("did you mean `{id}`?"),
        _ => "write that item, or run `rye list` to list them".to_owned(),
    }
}
