//! `new`: a valid item to begin with.
//!
//! A created file lints without a finding, in both profiles, and runs as it is if its kind runs at all. Existing files
//! are not touched. Commit point: the rename of the finished file to its name.

mod document;
mod error;
mod skill;

use serde::Serialize;

pub use self::document::{Document, new_document};
pub use self::error::Error;
use super::locate::LocateError;
use crate::id::{Extension, ItemId, ItemType, Space};
use crate::project::Project;
use crate::workspace::Expected;

/// What to make.
#[derive(Debug, Clone)]
pub struct Options {
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// What a tool is written in.
    pub language: Language,
    /// The space to write to.
    pub space: Space,
}

/// What a tool is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Python.
    Python,
    /// Shell.
    Shell,
    /// YAML: a runtime, which says how other tools run.
    Yaml,
    /// YAML: a command line.
    Command,
}

/// The created file.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// The space it is in.
    pub space: Space,
    /// Its file.
    pub path: String,
    /// The command to run once it is edited.
    pub next: String,
}

/// Makes an item.
///
/// # Errors
///
/// Fails when there is one already, a directive's name is not snake_case, or the file cannot be written.
pub fn new(project: &Project, options: &Options) -> Result<Outcome, Error> {
    let Options { item_type, item_id, language, space } = options;
    if *item_type == ItemType::Directive {
        check_name(item_id)?;
    }
    if *space == Space::Project {
        project.root()?;
    }
    if *item_type == ItemType::Skill {
        return Ok(Outcome {
            item_type: *item_type,
            item_id: item_id.clone(),
            space: *space,
            path: skill::create(project, item_id, *space)?,
            next: format!("rye sign {item_type} {item_id}"),
        });
    }
    if *space == Space::Project {
        project.require_checked_out(*item_type, item_id)?;
    }
    let workspace = project.workspace();
    require_absent(project, *item_type, item_id, *space)?;
    let failed = |source| Error::Write { item_type: *item_type, item_id: item_id.clone(), source };
    let (template, extension) = template(*item_type, *language);
    let text = filled(template, item_id, &author(project));
    let path = workspace
        .write_item(*space, *item_type, item_id, &extension, text.as_bytes(), Expected::Absent)
        .map_err(failed)?;
    Ok(Outcome {
        item_type: *item_type,
        item_id: item_id.clone(),
        space: *space,
        path: path.display().to_string(),
        next: format!("rye sign {item_type} {item_id}"),
    })
}

/// Refuses the id of a directive that cannot be made: of another form, or taken.
///
/// # Errors
///
/// Fails when a directive's name is not `snake_case`, and when there is one already.
pub fn check_directive(project: &Project, item_id: &ItemId) -> Result<(), Error> {
    check_name(item_id)?;
    project.root()?;
    require_absent(project, ItemType::Directive, item_id, Space::Project)
}

/// Writes a directive of the project whose text is made already. Existing files are not touched.
///
/// # Errors
///
/// Fails as [`check_directive`], and when the file cannot be written.
pub fn write_directive(project: &Project, item_id: &ItemId, text: &str) -> Result<Outcome, Error> {
    check_directive(project, item_id)?;
    let (item_type, space) = (ItemType::Directive, Space::Project);
    let (_, extension) = template(item_type, Language::Yaml);
    let failed = |source| Error::Write { item_type, item_id: item_id.clone(), source };
    let path = project
        .workspace()
        .write_item(space, item_type, item_id, &extension, text.as_bytes(), Expected::Absent)
        .map_err(failed)?;
    Ok(Outcome {
        item_type,
        item_id: item_id.clone(),
        space,
        path: path.display().to_string(),
        next: format!("rye sign {item_type} {item_id}"),
    })
}

fn require_absent(project: &Project, item_type: ItemType, item_id: &ItemId, space: Space) -> Result<(), Error> {
    let there = project.workspace().candidates(item_type, item_id).map_err(LocateError::from)?;
    match there.into_iter().find(|candidate| candidate.space == space) {
        Some(existing) => {
            Err(Error::Exists { item_type, item_id: item_id.clone(), path: existing.path.display().to_string() })
        }
        None => Ok(()),
    }
}

fn check_name(item_id: &ItemId) -> Result<(), Error> {
    let name = item_id.name();
    if name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_') {
        return Ok(());
    }
    let snake = name.to_ascii_lowercase().replace('-', "_");
    let suggestion = match item_id.category() {
        "" => snake,
        category => format!("{category}/{snake}"),
    };
    Err(Error::NotSnake { item_id: item_id.clone(), suggestion })
}

/// Returns the text to fill in, with the extension of its file.
fn template(item_type: ItemType, language: Language) -> (&'static str, Extension) {
    let (text, extension) = match (item_type, language) {
        (ItemType::Directive, _) => (include_str!("directive.md"), "md"),
        (ItemType::Knowledge, _) => (include_str!("knowledge.md"), "md"),
        (ItemType::Skill, _) => (skill::TEMPLATE, "md"),
        (ItemType::Tool, Language::Python) => (include_str!("tool.py"), "py"),
        (ItemType::Tool, Language::Shell) => (include_str!("tool.sh"), "sh"),
        (ItemType::Tool, Language::Command) => (include_str!("command.yaml"), "yaml"),
        (ItemType::Tool, Language::Yaml) => (include_str!("tool.yaml"), "yaml"),
    };
    (text, extension.parse().expect("because the extensions above are known ones"))
}

fn filled(template: &str, item_id: &ItemId, author: &str) -> String {
    // An item directly in the folder of its type has no category to write into a comment.
    let template = match item_id.category() {
        "" => template.replace("# category: {category}\n", ""),
        _ => template.to_owned(),
    };
    template
        .replace("{id}", item_id.as_str())
        .replace("{name}", item_id.name())
        .replace("{title}", &title(item_id.name()))
        .replace("{category}", item_id.category())
        .replace("{author}", author)
}

/// Makes words of a name: `deploy_staging` becomes `Deploy staging`.
fn title(name: &str) -> String {
    let words = name.replace(['_', '-'], " ");
    let mut characters = words.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

/// Takes the name git knows, without what would have to be escaped in XML or YAML.
fn author(project: &Project) -> String {
    let committer = project.repository().and_then(|repository| repository.committer());
    let name = committer.map(|identity| identity.name).unwrap_or_default();
    let plain = |found: &char| !found.is_control() && !matches!(found, '<' | '>' | '&' | '"' | '\\' | '{' | '}');
    match name.chars().filter(plain).collect::<String>().trim() {
        "" => "unknown".to_owned(),
        name => name.to_owned(),
    }
}
