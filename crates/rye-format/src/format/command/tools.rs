//! What a command asks its client to allow, as permissions of a directive. Only what Rye can say as narrowly is taken.

use std::collections::BTreeSet;

use crate::capability::ProjectPath;
pub(super) use crate::format::skill::allowed_entries as entries;
use crate::format::skill::is_wide_tool;

/// Programs that run what their arguments say, besides shells; a version may follow the name.
const RUNNERS: [&str; 40] = [
    "ash",
    "awk",
    "bun",
    "busybox",
    "bunx",
    "csh",
    "deno",
    "docker",
    "doas",
    "eval",
    "exec",
    "find",
    "fish",
    "gawk",
    "java",
    "lua",
    "nice",
    "node",
    "nohup",
    "npx",
    "osascript",
    "parallel",
    "perl",
    "php",
    "podman",
    "pypy",
    "python",
    "ruby",
    "rye",
    "setsid",
    "ssh",
    "strace",
    "su",
    "sudo",
    "tclsh",
    "time",
    "timeout",
    "uvx",
    "watch",
    "xargs",
];

/// A tool for files that is asked for.
#[derive(Debug)]
struct Asked {
    entry: String,
    tool: &'static str,
    /// None for every path.
    path: Option<String>,
}

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
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    for entry in entries {
        if let Err(reason) = mapped.add(entry.trim(), &mut reads, &mut writes) {
            mapped.left_out.push((entry.trim().to_owned(), reason));
        }
    }
    mapped.settle_reads(reads);
    mapped.settle_writes(writes);
    mapped
}

/// Returns the paths that a tool is asked for; none if for every path.
fn paths_of(asked: &[Asked], tool: &str) -> Option<BTreeSet<String>> {
    asked.iter().filter(|asked| asked.tool == tool).map(|asked| asked.path.clone()).collect()
}

impl Mapped {
    fn add(&mut self, entry: &str, reads: &mut Vec<Asked>, writes: &mut Vec<Asked>) -> Result<(), &'static str> {
        let (name, inside) = match entry.split_once('(') {
            Some((name, inside)) => (name, Some(inside.strip_suffix(')').ok_or("it is not closed")?.trim())),
            None => (entry, None),
        };
        match name {
            "Read" | "NotebookRead" => reads.push(read(entry, "read", inside)?),
            "Glob" => reads.push(read(entry, "glob", inside)?),
            "LS" => reads.push(read(entry, "list", inside)?),
            "Grep" | "Search" => reads.push(read(entry, "grep", inside)?),
            "Write" => writes.push(written(entry, "write", inside)?),
            "Edit" | "MultiEdit" => writes.push(written(entry, "edit", inside)?),
            "Bash" | "Shell" => self.runs(entry, inside)?,
            "WebFetch" => self.fetches(inside)?,
            _ => self.calls(name, inside)?,
        }
        Ok(())
    }

    /// Takes the tools that read. The rules for paths count for all of them: those of `Read` decide, else the first that are named. A
    /// tool without paths gets no more than these, and one with other paths is left out.
    fn settle_reads(&mut self, asked: Vec<Asked>) {
        let named =
            asked.iter().find(|asked| asked.tool == "read").or_else(|| asked.iter().find(|it| it.path.is_some()));
        let Some(leader) = named.or(asked.first()) else { return };
        let common = paths_of(&asked, leader.tool);
        let is_fit = |tool: &str| paths_of(&asked, tool).is_none_or(|paths| Some(paths) == common);
        let fit: BTreeSet<&'static str> = asked.iter().map(|asked| asked.tool).filter(|tool| is_fit(tool)).collect();
        self.read.extend(common.unwrap_or_else(|| BTreeSet::from(["**".to_owned()])));
        for Asked { entry, tool, .. } in asked {
            if fit.contains(tool) {
                self.tools.insert(format!("rye.file-system.{tool}"));
            } else {
                self.left_out
                    .push((entry, "it may read other paths than the rest, and Rye has one set of paths for reading"));
            }
        }
    }

    /// Takes the tools that write: those with the paths of the first. One that edits reads as well.
    fn settle_writes(&mut self, asked: Vec<Asked>) {
        let Some(leader) = asked.first().map(|asked| asked.tool) else { return };
        let common = paths_of(&asked, leader);
        let reads_no_more = self.read.is_empty()
            || self.read.contains("**")
            || common.as_ref().is_some_and(|paths| paths.is_subset(&self.read));
        let is_fit = |tool: &str| paths_of(&asked, tool) == common && (tool != "edit" || reads_no_more);
        let fit: BTreeSet<&'static str> = asked.iter().map(|asked| asked.tool).filter(|tool| is_fit(tool)).collect();
        let paths = common.filter(|_| !fit.is_empty()).unwrap_or_default();
        if fit.contains("edit") && self.read.is_empty() {
            self.read.clone_from(&paths);
        }
        self.write.extend(paths);
        for Asked { entry, tool, .. } in asked {
            if fit.contains(tool) {
                self.tools.insert(format!("rye.file-system.{tool}"));
            } else {
                self.left_out
                    .push((entry, "it has other paths than the rest, and Rye has one set of paths for all tools"));
            }
        }
    }

    fn runs(&mut self, entry: &str, inside: Option<&str>) -> Result<(), &'static str> {
        if is_wide_tool(entry) {
            return Err("it allows any program");
        }
        let inside = inside.unwrap_or_default();
        let first = inside.split([' ', ':']).next().unwrap_or_default();
        let first = first.rsplit('/').next().unwrap_or_default();
        if RUNNERS.contains(&first.trim_end_matches(|end: char| end.is_ascii_digit() || end == '.')) {
            return Err("it allows any program");
        }
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

fn read(entry: &str, tool: &'static str, inside: Option<&str>) -> Result<Asked, &'static str> {
    let path = inside.map(pattern).transpose()?.filter(|path| path != "**");
    Ok(Asked { entry: entry.to_owned(), tool, path })
}

fn written(entry: &str, tool: &'static str, inside: Option<&str>) -> Result<Asked, &'static str> {
    let path = pattern(inside.ok_or("it names no paths: add `<write>` rules for those that the command needs")?)?;
    if path.starts_with('*') {
        return Err("it lets the command write everywhere: name the paths");
    }
    Ok(Asked { entry: entry.to_owned(), tool, path: Some(path) })
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
            "mcp.time.now rye.file-system.read rye.file-system.write rye.shell.make rye.web.fetch"
        );
        assert_eq!((list(&mapped.read), list(&mapped.write)), ("**".into(), "docs/*.md".into()));
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
                "Grep(src/**)",
            ]
        );
    }

    #[test]
    fn no_tool_gets_the_paths_of_another() {
        let list = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(" ");
        for (asked, tools, read, write, left_out) in [
            ("Glob, LS, Grep, Read(docs/**)", "glob grep list read", "docs/**", "", ""),
            ("Read(docs/**), Grep(src/**)", "read", "docs/**", "", "Grep(src/**)"),
            ("Read(a), Read(b), Grep", "grep read", "a b", "", ""),
            ("Glob", "glob", "**", "", ""),
            ("Edit(src/**), Write(docs/x.md)", "edit", "src/**", "src/**", "Write(docs/x.md)"),
            ("Write(docs/x.md), Read(src/**)", "read write", "src/**", "docs/x.md", ""),
            ("Read(docs/**), Edit(src/**)", "read", "docs/**", "", "Edit(src/**)"),
            ("Read, Edit(src/**)", "edit read", "**", "src/**", ""),
        ] {
            let mapped = mapped(&entries(asked));
            assert_eq!(list(&mapped.tools).replace("rye.file-system.", ""), tools, "{asked}");
            assert_eq!((list(&mapped.read).as_str(), list(&mapped.write).as_str()), (read, write), "{asked}");
            assert_eq!(
                mapped.left_out.iter().map(|(entry, _)| entry.as_str()).collect::<String>(),
                left_out,
                "{asked}"
            );
        }
    }

    #[test]
    fn programs_that_run_others_are_any_program() {
        for program in ["xargs", "find", "rye", "sudo", "bash", "python3", "node", "perl", "/usr/bin/env", "timeout 5"]
        {
            let mapped = mapped(&[format!("Bash({program}:*)")]);
            assert!(
                mapped.tools.is_empty() && mapped.left_out[0].1 == "it allows any program",
                "{program}: {mapped:?}"
            );
        }
    }
}
