//! Plays a page: saves the files it says to save and runs its ```` ```console ```` blocks, in order, in one repository.
//!
//! A line that begins with `$ ` is run by `sh`; the lines that follow are what a reader sees of it, standard output and
//! standard error, whole. `...` matches any number of lines when it is alone, and any text within a line. Blanks count
//! as one, since columns are aligned on a terminal only. A command that fails breaks the page, unless the page itself
//! shows how it fails (`|| echo "exit code $?"`). A block of ```` ```console bob ```` is Bob's: his home folder is
//! another, and his project the folder `bob` next to the first person's.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::page::{Block, Page};

/// What a page shows of one command.
#[derive(Debug, PartialEq, Eq)]
struct Step {
    line: usize,
    person: Option<String>,
    command: String,
    expected: Vec<String>,
}

/// An empty repository and an empty home folder.
pub(super) struct Sandbox {
    root: tempfile::TempDir,
    variables: Vec<(&'static str, String)>,
}

impl Sandbox {
    pub(super) fn new() -> Self {
        Self::with(Vec::new())
    }

    /// A sandbox with these variables in its environment.
    pub(super) fn with(variables: Vec<(&'static str, String)>) -> Self {
        let sandbox = Self { root: tempfile::tempdir().unwrap(), variables };
        fs::create_dir(sandbox.home()).unwrap();
        fs::create_dir(sandbox.project()).unwrap();
        sandbox.sh("git init --quiet --initial-branch main").unwrap();
        sandbox
    }

    fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    pub(super) fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    /// Where a page has a file saved: in the project, or below `~/`.
    pub(super) fn place(&self, path: &str) -> PathBuf {
        path.strip_prefix("~/").map_or_else(|| self.project().join(path), |path| self.home().join(path))
    }

    /// Runs lines and returns what they wrote, as an error if the last one failed.
    pub(super) fn sh(&self, line: &str) -> Result<String, String> {
        self.run(line, &self.home(), &self.project())
    }

    /// Runs lines as another person, who has a home folder and a project of their own.
    fn sh_as(&self, person: &str, line: &str) -> Result<String, String> {
        let folders = [format!("home-{person}"), person.to_owned()].map(|name| self.root.path().join(name));
        folders.iter().for_each(|folder| fs::create_dir_all(folder).unwrap());
        self.run(line, &folders[0], &folders[1])
    }

    fn run(&self, line: &str, home: &Path, project: &Path) -> Result<String, String> {
        let program = crate::support::programs().display().to_string();
        let path = std::env::var("PATH").unwrap();
        let output = Command::new("sh")
            .args(["-c", &format!("exec 2>&1\n{line}")])
            .current_dir(project)
            .env_clear()
            .env("PATH", format!("{program}:{path}"))
            .env("HOME", home)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let told = String::from_utf8(output.stdout).unwrap();
        if output.status.success() { Ok(told) } else { Err(format!("{}: {told}", output.status)) }
    }
}

/// Plays `page` in `sandbox` and returns how many commands it ran.
///
/// # Errors
///
/// The first command that fails or writes something else than the page shows, with its line.
pub(super) fn play(page: &Page, sandbox: &Sandbox) -> Result<usize, String> {
    let mut played = 0;
    for block in &page.blocks {
        if let Some(path) = &block.saved_as {
            save(&sandbox.place(path), &block.text);
        } else if block.language == "console" {
            for step in steps(&page.name, block)? {
                perform(&page.name, &step, sandbox)?;
                played += 1;
            }
        }
    }
    Ok(played)
}

pub(super) fn save(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn perform(page: &str, step: &Step, sandbox: &Sandbox) -> Result<(), String> {
    let Step { line, person, command, expected } = step;
    let told = person.as_ref().map_or_else(|| sandbox.sh(command), |person| sandbox.sh_as(person, command));
    let actual = told.map_err(|told| format!("{page}:{line}: `{command}` failed\n{told}"))?;
    let wanted: Vec<&str> = expected.iter().map(String::as_str).collect();
    if lines_match(&wanted, &actual.lines().collect::<Vec<_>>()) {
        return Ok(());
    }
    Err(format!("{page}:{line}: `{command}` wrote\n{actual}\nand the page shows\n{}", wanted.join("\n")))
}

fn steps(page: &str, block: &Block) -> Result<Vec<Step>, String> {
    let mut steps: Vec<Step> = Vec::new();
    for (line, text) in (block.line..).zip(block.text.lines()) {
        match (text.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => {
                let (person, command) = (block.person.clone(), command.to_owned());
                steps.push(Step { line, person, command, expected: Vec::new() });
            }
            (None, Some(step)) => step.expected.push(text.to_owned()),
            (None, None) => return Err(format!("{page}:{line}: the block does not begin with a command")),
        }
    }
    Ok(steps)
}

/// Tells whether lines are what a page shows of them.
pub(super) fn lines_match(wanted: &[&str], actual: &[&str]) -> bool {
    match (wanted.split_first(), actual.split_first()) {
        (None, left) => left.is_none(),
        (Some((&"...", rest)), _) => (0..=actual.len()).any(|skipped| lines_match(rest, &actual[skipped..])),
        (Some((line, rest)), Some((first, others))) => {
            text_matches(&even(line), &even(first)) && lines_match(rest, others)
        }
        (Some(_), None) => false,
    }
}

/// Joins words by single blanks; the margin counts as one blank, too.
fn even(line: &str) -> String {
    let margin = if line.starts_with([' ', '\t']) { " " } else { "" };
    margin.to_owned() + &line.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn text_matches(wanted: &str, actual: &str) -> bool {
    let Some((head, tail)) = wanted.split_once("...") else { return wanted == actual };
    let Some(rest) = actual.strip_prefix(head) else { return false };
    rest.char_indices().map(|(at, _)| at).chain([rest.len()]).any(|at| text_matches(tail, &rest[at..]))
}
