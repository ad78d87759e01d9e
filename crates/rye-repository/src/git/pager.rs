//! The person's pager, as git chooses it: for a difference, which git writes, and for a text of this program. What git writes passes
//! through this program line by line: the contents of files are foreign, and many pagers hand on what controls the terminal.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{ChildStdin, Command, Stdio};

use super::command::Ended;
use super::{Error, Git};

/// The shell that runs a pager, as git has it.
const SHELL: &str = "/bin/sh";

/// What git gives its pagers, where the person gives nothing else.
const DEFAULTS: [(&str, &str); 2] = [("LESS", "FRX"), ("LV", "-c")];

/// The longest part of a line that is shown at once, in bytes.
const MOST_OF_LINE: u64 = 1 << 20;

/// How a difference comes to a terminal.
pub struct Pages<'p> {
    /// Makes of a line what is shown of it, without what controls a terminal.
    pub show: &'p mut dyn FnMut(&str) -> String,
    /// The width of the terminal, where it is known.
    pub width: Option<usize>,
}

impl Git {
    /// Has `git diff` show something: in a terminal by the person's pager, elsewhere byte for byte on stdout.
    ///
    /// # Errors
    /// [`Error::Start`], or [`Error::Command`]; git has said why.
    pub fn diff(&self, args: &[&str], pages: Option<Pages<'_>>) -> Result<(), Error> {
        match pages {
            Some(pages) => self.diff_in(args, pages),
            None => {
                let mut command = self.command();
                command
                    .arg("diff")
                    .args(args)
                    .stdin(Stdio::inherit())
                    .stdout(Stdio::inherit())
                    .stderr(Stdio::inherit());
                let status = command.status().map_err(|source| self.not_started(source))?;
                self.finish(&Ended { status, stdout: Vec::new(), stderr: Vec::new() }, "git diff")
            }
        }
    }

    fn diff_in(&self, args: &[&str], pages: Pages<'_>) -> Result<(), Error> {
        let mut git = self.command();
        git.args(["diff", "--no-color"]).args(args).envs(pages.width.map(|width| ("COLUMNS", width.to_string())));
        git.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut pager = self.pager_command(&self.pager_of_differences()?);
        let mut child = git.spawn().map_err(|source| self.not_started(source))?;
        let started = pager.spawn();
        let mut reader = started.map_err(|source| Error::Start { program: SHELL.into(), source })?;
        let (written, input) = (child.stdout.take(), reader.stdin.take());
        let is_whole = match (written, input) {
            (Some(written), Some(input)) => pass_on(BufReader::new(written), input, pages.show),
            (None, _) | (_, None) => false,
        };
        if !is_whole {
            // The person has seen enough.
            let _ = child.kill();
        }
        let (ended, read) = ((self.wait)(&mut child), reader.wait());
        read.map_err(|source| Error::Start { program: SHELL.into(), source })?;
        let status = ended.map_err(|source| self.not_started(source))?;
        if !is_whole {
            return Ok(());
        }
        self.finish(&Ended { status, stdout: Vec::new(), stderr: Vec::new() }, "git diff")
    }

    /// Shows a text on the person's own terminal, by the pager that git would use.
    ///
    /// # Errors
    ///
    /// [`Error::Start`], and [`Error::CommandOutput`] where the terminal is too simple for a pager, or the pager cannot be run.
    pub fn page(&self, text: &str) -> Result<(), Error> {
        let git = self.command();
        let terminal = git.get_envs().find(|(name, _)| *name == "TERM").and_then(|(_, value)| value);
        if terminal.is_none_or(|name| name.is_empty() || name == "dumb") {
            let reason = "the terminal cannot move its cursor".to_owned();
            return Err(Error::CommandOutput { command: "the pager".to_owned(), reason });
        }
        let program = self.usual_pager()?;
        let program = if program.is_empty() { "cat".to_owned() } else { program };
        let failed = |reason: String| Error::CommandOutput { command: program.clone(), reason };
        let mut child = self.pager_command(&program).spawn().map_err(|source| failed(source.to_string()))?;
        if let Some(mut stdin) = child.stdin.take() {
            // A person may leave the pager before its end.
            let _ = stdin.write_all(text.as_bytes());
        }
        let status = child.wait().map_err(|source| failed(source.to_string()))?;
        // A shell says 126 or 127 where it cannot run the pager: then nothing was shown.
        match status.code() {
            Some(126 | 127) => Err(failed("it cannot be run".to_owned())),
            _ => Ok(()),
        }
    }

    /// Makes the command that runs a pager with git's environment and its own settings.
    fn pager_command(&self, program: &str) -> Command {
        let mut git = self.command();
        DEFAULTS.iter().filter(|(name, _)| !self.has_variable(name)).for_each(|(name, value)| {
            git.env(name, value);
        });
        let mut pager = shell_command(&git, SHELL, program);
        pager.stdin(Stdio::piped()).stdout(Stdio::inherit()).stderr(Stdio::inherit());
        pager
    }

    /// Returns the pager of git, which may be empty.
    fn usual_pager(&self) -> Result<String, Error> {
        let ended = self.run(&["var", "GIT_PAGER"], &[])?;
        self.finish(&ended, "git var GIT_PAGER")?;
        Ok(String::from_utf8_lossy(&ended.stdout).trim_end().to_owned())
    }

    /// Returns the command that shows a difference, as git finds it.
    fn pager_of_differences(&self) -> Result<String, Error> {
        let ended = self.run(&["config", "--get", "pager.diff"], &[])?;
        let configured = String::from_utf8_lossy(&ended.stdout).trim_end().to_owned();
        let pager = match configured.to_lowercase().as_str() {
            "false" | "no" | "off" | "0" => String::new(),
            "" | "true" | "yes" | "on" | "1" => self.usual_pager()?,
            _ => configured,
        };
        Ok(if pager.is_empty() { "cat".to_owned() } else { pager })
    }
}

/// Makes a command of a shell with the environment and the folder of another command.
fn shell_command(of: &Command, shell: &str, script: &str) -> Command {
    let mut command = Command::new(shell);
    command.env_clear().envs(of.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if let Some(dir) = of.get_current_dir() {
        command.current_dir(dir);
    }
    command.args(["-c", script]);
    command
}

/// Passes lines on to the end, or until the reader is gone. Tells which.
fn pass_on(
    mut written: BufReader<impl std::io::Read>,
    mut input: ChildStdin,
    show: &mut dyn FnMut(&str) -> String,
) -> bool {
    let mut line = Vec::new();
    loop {
        line.clear();
        match written.by_ref().take(MOST_OF_LINE).read_until(b'\n', &mut line) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(_) => return false,
        }
        let text = String::from_utf8_lossy(&line);
        let shown = show(text.strip_suffix('\n').unwrap_or(&text));
        if input.write_all(shown.as_bytes()).and_then(|()| input.write_all(b"\n")).is_err() {
            return false;
        }
    }
}
