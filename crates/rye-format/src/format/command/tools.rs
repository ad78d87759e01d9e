//! What a command asks its client to allow, as permissions of a directive. Only what Rye can say as narrowly is taken.

use std::collections::BTreeSet;

use crate::capability::ProjectPath;
pub(super) use crate::format::skill::allowed_entries as entries;
use crate::format::skill::is_wide_tool;

/// The permissions that come of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Mapped {
    /// Tools, as capabilities name them.
    pub(super) tools: BTreeSet<String>,
    /// Path rules for reading.
    pub(super) read: BTreeSet<String>,
    /// Path rules for writing.
    pub(super) write: BTreeSet<String>,
    /// Hosts.
    pub(super) hosts: BTreeSet<String>,
    /// Entries that are not taken, each with the reason.
    pub(super) left_out: Vec<(String, &'static str)>,
}

/// Maps the entries of `allowed-tools`.
pub(super) fn mapped(entries: &[String]) -> Mapped {
    let mut mapped = Mapped::default();
    for entry in entries {
        if let Err(reason) = mapped.add(entry.trim()) {
            mapped.left_out.push((entry.trim().to_owned(), reason));
        }
    }
    mapped
}

impl Mapped {
    fn add(&mut self, entry: &str) -> Result<(), &'static str> {
        let (name, inside) = match entry.split_once('(') {
            Some((name, inside)) => (name, Some(inside.strip_suffix(')').ok_or("it is not closed")?.trim())),
            None => (entry, None),
        };
        match name {
            "Read" | "NotebookRead" => self.reads("read", inside),
            "Glob" | "LS" => self.reads(if name == "LS" { "list" } else { "glob" }, inside),
            "Grep" | "Search" => self.reads("grep", inside),
            "Write" => self.writes("write", inside),
            "Edit" | "MultiEdit" => self.writes("edit", inside),
            "Bash" | "Shell" => self.runs(entry, inside),
            "WebFetch" => self.fetches(inside),
            _ => self.calls(name, inside),
        }
    }

    fn reads(&mut self, tool: &str, inside: Option<&str>) -> Result<(), &'static str> {
        let path = inside.map_or(Ok("**".to_owned()), pattern)?;
        self.tools.insert(format!("rye.file-system.{tool}"));
        self.read.insert(path);
        Ok(())
    }

    fn writes(&mut self, tool: &str, inside: Option<&str>) -> Result<(), &'static str> {
        let path = pattern(inside.ok_or("it names no paths: add `<write>` rules for those that the command needs")?)?;
        if path.starts_with('*') {
            return Err("it lets the command write everywhere: name the paths");
        }
        self.tools.insert(format!("rye.file-system.{tool}"));
        self.read.insert(path.clone());
        self.write.insert(path);
        Ok(())
    }

    fn runs(&mut self, entry: &str, inside: Option<&str>) -> Result<(), &'static str> {
        if is_wide_tool(entry) {
            return Err("it allows any program");
        }
        let inside = inside.unwrap_or_default();
        let program = inside.strip_suffix(":*").or_else(|| inside.strip_suffix(" *"));
        let program = program.ok_or("Rye permits a program with any arguments, which is more")?;
        if program.contains(char::is_whitespace) {
            return Err("Rye permits a program with any arguments, which is more");
        }
        if !is_segment(program) {
            return Err("it is not the name of a program");
        }
        self.tools.insert(format!("rye.shell.{program}"));
        Ok(())
    }

    fn fetches(&mut self, inside: Option<&str>) -> Result<(), &'static str> {
        let host = inside.and_then(|inside| inside.strip_prefix("domain:")).ok_or("it names no host")?;
        let is_name = |label: &str| is_segment(label) && !label.contains('_');
        if !host.contains('.') || !host.split('.').all(is_name) {
            return Err("it is not the name of a host");
        }
        self.tools.insert("rye.web.fetch".to_owned());
        self.hosts.insert(host.to_owned());
        Ok(())
    }

    fn calls(&mut self, name: &str, inside: Option<&str>) -> Result<(), &'static str> {
        let parts: Vec<&str> = name.split("__").collect();
        match (parts.as_slice(), inside) {
            (["mcp", server, tool], None) if is_segment(server) && is_segment(tool) => {
                self.tools.insert(format!("mcp.{server}.{tool}"));
                Ok(())
            }
            _ => Err("Rye has no such tool"),
        }
    }
}

/// Tells whether a name is a segment of an id that no file system takes for another one.
fn is_segment(name: &str) -> bool {
    let is_fine = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_');
    (1..=64).contains(&name.len())
        && name.bytes().all(is_fine)
        && name.starts_with(|first: char| first.is_alphanumeric())
}

/// Reads a pattern of paths inside of the project.
fn pattern(text: &str) -> Result<String, &'static str> {
    let text = text.strip_prefix("./").unwrap_or(text);
    let is_outside = text.starts_with(['/', '~']) || text.split('/').any(|part| part == "..") || text.contains(':');
    if is_outside || text.is_empty() {
        return Err("its path is not one of the project");
    }
    let is_plain = |character: char| character.is_alphanumeric() || "*-_./ ".contains(character);
    if !text.chars().all(is_plain) || text.parse::<ProjectPath>().is_err() {
        return Err("Rye cannot say its path");
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_rye_can_say_as_narrowly_is_taken() {
        let asked = "Read, Grep(src/**), Write(docs/*.md), Edit, Write(**), Bash(make:*), Bash(git status:*), Bash(*), \
                     Bash(sh:*), WebFetch(domain:docs.rs), WebFetch, mcp__time__now, Task, Read(../secret), Read(//etc), \
                     Bash(a;b:*), WebFetch(domain:a.b\"/><x), mcp__a__b__c";
        let mapped = mapped(&entries(asked));
        let list = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(
            list(&mapped.tools),
            "mcp.time.now rye.file-system.grep rye.file-system.read rye.file-system.write rye.shell.make rye.web.fetch"
        );
        assert_eq!((list(&mapped.read), list(&mapped.write)), ("** docs/*.md src/**".into(), "docs/*.md".into()));
        assert_eq!(list(&mapped.hosts), "docs.rs");
        let left_out: Vec<&str> = mapped.left_out.iter().map(|(entry, _)| entry.as_str()).collect();
        assert_eq!(
            left_out,
            [
                "Edit",
                "Write(**)",
                "Bash(git status:*)",
                "Bash(*)",
                "Bash(sh:*)",
                "WebFetch",
                "Task",
                "Read(../secret)",
                "Read(//etc)",
                "Bash(a;b:*)",
                "WebFetch(domain:a.b\"/><x)",
                "mcp__a__b__c",
            ]
        );
    }
}
