//! The files of slash commands that a project has.

use super::LocateError;
use crate::capability::ProjectPath;
use crate::format::CommandForm;
use crate::id::ItemId;
use crate::project::Project;
use crate::workspace::{EntryKind, ProjectDir};

/// A folder of commands, with the extension and the form of its files.
const FOLDERS: [(&str, &str, CommandForm); 5] = [
    (".claude/commands", "md", CommandForm::Markdown),
    (".gemini/commands", "toml", CommandForm::Toml),
    (".codex/prompts", "md", CommandForm::Markdown),
    (".opencode/command", "md", CommandForm::Markdown),
    (".opencode/commands", "md", CommandForm::Markdown),
];

/// The most files of one folder.
const MOST_FILES: usize = 1_000;

/// How deep folders are looked into.
const MOST_DEPTH: usize = 8;

/// The most bytes of one command.
const MOST_BYTES: u64 = 256 * 1024;

/// The file of a command.
pub(super) struct CommandFile {
    /// From the top of the project.
    pub(super) path: String,
    pub(super) form: CommandForm,
    /// The directive that it makes; none for a name that makes no id.
    pub(super) item_id: Option<ItemId>,
    /// Its content, or why it cannot be read.
    pub(super) bytes: Result<Vec<u8>, String>,
}

/// Finds the commands of a project, following no link.
pub(super) fn command_files(project: &Project) -> Result<Vec<CommandFile>, LocateError> {
    let files = ProjectDir::open(project.root()?)?;
    let mut found = Vec::new();
    for (folder, extension, form) in FOLDERS {
        let mut folders = vec![(folder.to_owned(), 0)];
        let mut names = Vec::new();
        while let Some((above, depth)) = folders.pop() {
            let Ok(path) = above.parse::<ProjectPath>() else { continue };
            // A folder that is missing, or a link, has none.
            let Ok((entries, _)) = files.list(&path, MOST_FILES) else { continue };
            for entry in entries {
                let path = format!("{above}/{}", entry.name);
                match entry.kind {
                    EntryKind::Directory if depth < MOST_DEPTH => folders.push((path, depth + 1)),
                    EntryKind::File if path.rsplit_once('.').is_some_and(|(_, found)| found == extension) => {
                        names.push(path);
                    }
                    _ => {}
                }
            }
        }
        names.sort();
        for path in names.into_iter().take(MOST_FILES) {
            let bytes = read(&files, &path);
            let item_id = item_id(&path, folder);
            found.push(CommandFile { path, form, item_id, bytes });
        }
    }
    Ok(found)
}

fn read(files: &ProjectDir, path: &str) -> Result<Vec<u8>, String> {
    let parsed: ProjectPath = path.parse().map_err(|_| "its path cannot be named".to_owned())?;
    let content = files.read(&parsed, MOST_BYTES).map_err(|error| error.to_string())?;
    if content.truncated { Err(format!("it is larger than {MOST_BYTES} bytes")) } else { Ok(content.bytes) }
}

/// Makes the id of a directive: `.claude/commands/git/fix-it.md` is `commands/git/fix_it`.
fn item_id(path: &str, folder: &str) -> Option<ItemId> {
    let below = path.strip_prefix(folder)?.strip_prefix('/')?;
    let below = below.rsplit_once('.').map_or(below, |(stem, _)| stem);
    let plain = |character: char| match character {
        'a'..='z' | '0'..='9' | '_' | '/' => character,
        'A'..='Z' => character.to_ascii_lowercase(),
        _ => '_',
    };
    let id: String = below.chars().map(plain).collect();
    let has_words = id.split('/').all(|part| part.bytes().any(|byte| byte.is_ascii_alphanumeric()));
    has_words.then(|| format!("commands/{id}").parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_directive_is_the_path_of_its_command_in_snake_case() {
        let id = |path: &str| item_id(&format!("f/{path}"), "f").map(|id| id.to_string());
        assert_eq!(id("git/Fix-it now.md").as_deref(), Some("commands/git/fix_it_now"));
        assert_eq!(id("review.toml").as_deref(), Some("commands/review"));
        assert_eq!(id("\u{e9}.md"), None);
    }
}
