//! Git's own small commands, for a commit that is made without the person's index: an index in another file, a tree,
//! hooks, a commit object, the move of `HEAD`.
//!
//! Each does one step and nothing else, so the caller decides the order, and what to undo when one fails. Replacements
//! (`refs/replace/`) are off, as everywhere.

use std::{collections::BTreeMap, path::Path, process::Stdio};

use super::{
    BlobId, CommitId, Error, Git, Head, Mode, ObjectFormat, Terminal, TreeId,
    command::{Ended, MAX_STDOUT},
};
use crate::capability::raw_name;
use crate::redact::Cleared;

/// Attributes that make a file's bytes others in the work tree than in the repository.
const CONVERTING: [&str; 6] = ["text", "eol", "crlf", "filter", "ident", "working-tree-encoding"];

/// Has what a commit is made of on the disk before anything names it.
const DURABLE: [&str; 2] = ["-c", "core.fsync=committed,loose-object,reference"];

/// How much of the beginning of a file git looks at to tell text from other content, in bytes.
const LOOKED_AT: usize = 8_000;

/// What the index is to hold at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexLine {
    /// Nothing.
    Gone,
    /// One version.
    One(Mode, BlobId),
    /// A conflict: the common ancestor, ours, theirs, as far as they are there.
    Unmerged([Option<(Mode, BlobId)>; 3]),
}

/// What git's attributes say of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attributes {
    /// Whether the work tree may have other bytes than the repository.
    pub converts: bool,
    /// How two versions are joined.
    pub merge: MergeDriver,
}

/// How two versions of a file are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeDriver {
    /// Line by line.
    Text,
    /// Lines of both.
    Union,
    /// Not at all, or by a program.
    Other,
}

/// What became of two versions of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    /// Both changes fit.
    Clean(Vec<u8>),
    /// They do not: the lines of both, between markers.
    Conflict(Vec<u8>),
    /// They are not text.
    Binary,
}

impl Git {
    /// Makes the index what a commit has (`None`: nothing); file times that are known stay known.
    ///
    /// # Errors
    /// [`Error::Start`], or [`Error::Command`] with what git says.
    pub fn reset_index(&self, commit_id: Option<&CommitId>) -> Result<(), Error> {
        let args = match commit_id {
            Some(commit_id) => ["read-tree", "--reset", commit_id.as_str()],
            None => ["read-tree", "--empty", "--quiet"],
        };
        let args = if commit_id.is_some() { &args[..] } else { &args[..2] };
        self.plumb(args, &[], "git read-tree").map(drop)
    }

    /// Puts entries into the index, whatever the work tree has there.
    ///
    /// # Errors
    /// As [`reset_index`](Self::reset_index).
    pub fn set_entries(&self, lines: &[(String, IndexLine)], format: ObjectFormat) -> Result<(), Error> {
        let (mut input, nothing) = (String::new(), "0".repeat(format.digits()));
        for (path, line) in lines {
            // The existing entry goes first: an entry does not replace those of a conflict, or a conflict it.
            input += &format!("0 {nothing}\t{path}\0");
            match line {
                IndexLine::Gone => {}
                IndexLine::One(mode, blob_id) => input += &format!("{} {blob_id}\t{path}\0", mode.octal()),
                IndexLine::Unmerged(stages) => {
                    for (stage, version) in (1..).zip(stages) {
                        let Some((mode, blob_id)) = version else { continue };
                        input += &format!("{} {blob_id} {stage}\t{path}\0", mode.octal());
                    }
                }
            }
        }
        let args = ["update-index", "-z", "--index-info"];
        let ended = self.clone().plain().run_silent(&args, input.as_bytes())?;
        self.finish(&ended, "git update-index")
    }

    /// Puts files into the index as they are in the work tree, whether git ignores them or not; those that are gone leave it.
    ///
    /// # Errors
    /// As [`reset_index`](Self::reset_index).
    pub fn take_files(&self, paths: &[&str]) -> Result<(), Error> {
        let args = ["update-index", "--add", "--remove", "-z", "--stdin"];
        let input: String = paths.iter().map(|path| format!("{path}\0")).collect();
        let ended = self.clone().plain().run(&args, input.as_bytes())?;
        self.finish(&ended, "git update-index")
    }

    /// Records the file times of unchanged files of the work tree, so that the next `git status` reads nothing again.
    ///
    /// # Errors
    /// [`Error::Start`].
    pub fn refresh_index(&self) -> Result<(), Error> {
        // It also says by its exit that files differ, which is not a failure.
        self.clone().plain().run(&["update-index", "-q", "--refresh"], &[]).map(drop)
    }

    /// Makes sure that git knows whom its commits are by: that it guesses, on some machines, is for git to say.
    ///
    /// # Errors
    /// [`Error::NoIdentity`], or [`Error::Start`].
    pub fn check_identity(&self) -> Result<(), Error> {
        let git = self.clone().plain().with_terminal(Terminal::None);
        for role in ["GIT_COMMITTER_IDENT", "GIT_AUTHOR_IDENT"] {
            if !git.run(&["var", role], &[])?.status.success() {
                return Err(Error::NoIdentity);
            }
        }
        Ok(())
    }

    /// Writes the tree that the index holds.
    ///
    /// # Errors
    /// As [`reset_index`](Self::reset_index).
    pub fn write_tree(&self) -> Result<TreeId, Error> {
        let command = "git write-tree";
        let stdout = self.plumb(&[&DURABLE[..], &["write-tree"]].concat(), &[], command)?;
        id_in(&stdout, command, TreeId::parse)
    }

    /// Runs a hook of the repository, if there is one, as `git commit` does: it reads nothing, and what it says is on stderr.
    ///
    /// # Errors
    /// [`Error::Start`], or [`Error::Command`] if the hook refuses; it has said why.
    pub fn hook(&self, name: &str, args: &[&str]) -> Result<(), Error> {
        let mut command = self.clone().with_variable("GIT_EDITOR", ":").command();
        command.args(["hook", "run", "--ignore-missing", name, "--"]).args(args);
        command.stdin(self.no_stdin()).stdout(Stdio::null()).stderr(Stdio::inherit());
        let ended = command.spawn().and_then(|mut child| (self.wait)(&mut child));
        let status = ended.map_err(|source| self.not_started(source))?;
        self.finish(&Ended { status, stdout: Vec::new(), stderr: Vec::new() }, &format!("git hook run {name}"))
    }

    /// Cleans a message as `git commit -m` does.
    ///
    /// # Errors
    /// As [`reset_index`](Self::reset_index).
    pub fn clean_message(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        self.plumb(&["stripspace"], message, "git stripspace")
    }

    /// Puts trailers at the end of a message as `git commit --trailer` does, into the block that is there.
    ///
    /// # Errors
    /// As [`reset_index`](Self::reset_index).
    pub fn add_trailers(&self, message: &[u8], trailers: &[String]) -> Result<Vec<u8>, Error> {
        // The person's configuration leaves none of them out.
        let always = ["--where=end", "--if-exists=addIfDifferent", "--if-missing=add"];
        let trailers = trailers.iter().flat_map(|trailer| ["--trailer", trailer]);
        let args: Vec<&str> =
            ["interpret-trailers", "--no-divider"].into_iter().chain(always).chain(trailers).collect();
        self.plumb(&args, message, "git interpret-trailers")
    }

    /// Writes a signed commit with the person's name and time; nothing leads to it yet. `config` says how it is signed.
    ///
    /// # Errors
    /// As [`reset_index`](Self::reset_index).
    pub fn commit_tree(
        &self,
        config: &[(&str, &str)],
        tree_id: &TreeId,
        parent: Option<&CommitId>,
        message: &[u8],
    ) -> Result<CommitId, Error> {
        let config: Vec<String> = config.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let config = config.iter().flat_map(|setting| ["-c", setting]);
        let parent = parent.iter().flat_map(|parent| ["-p", parent.as_str()]).collect::<Vec<_>>();
        let args: Vec<&str> = DURABLE.into_iter().chain(config).chain(["commit-tree", "-S"]).chain(parent).collect();
        let command = "git commit-tree";
        let stdout = self.plumb(&[&args[..], &["-F", "-", tree_id.as_str()]].concat(), message, command)?;
        id_in(&stdout, command, CommitId::parse)
    }

    /// Moves a branch that `HEAD` is on, or `HEAD` itself if it is on none, to another commit that was looked at, if it is still there. This is the
    /// commit point of whoever calls it.
    ///
    /// # Errors
    /// As [`reset_index`](Self::reset_index), also when it is elsewhere by now.
    pub fn move_head(&self, head: &Head, to: &CommitId, message: &str, _cleared: &Cleared) -> Result<(), Error> {
        let nothing = "0".repeat(to.as_str().len());
        let name = match head {
            Head::Branch { name, .. } | Head::Unborn { branch: name } => name,
            Head::Detached { .. } => "HEAD",
        };
        let from = head.commit_id().map_or(nothing.as_str(), CommitId::as_str);
        // The target of `HEAD` may be a symbolic ref, too, and is followed.
        let deref: &[&str] = if name == "HEAD" { &["--no-deref"] } else { &[] };
        let args = [&["update-ref"], deref, &["--create-reflog", "-m", message, name, to.as_str(), from]].concat();
        self.plumb(&[&DURABLE[..], &args].concat(), &[], "git update-ref").map(drop)
    }

    /// Moves a branch that `HEAD` is on, or `HEAD` itself if it is on none, back to where it was `before`, if it is still where `made`
    /// says. Index and work tree stay as they are.
    ///
    /// # Errors
    /// As [`move_head`](Self::move_head).
    pub fn undo_head(&self, made: &Head, before: &Head, message: &str, cleared: &Cleared) -> Result<(), Error> {
        match (before.commit_id(), made) {
            (Some(to), made) => self.move_head(made, to, message, cleared),
            // The branch was unborn.
            (None, Head::Branch { name, commit_id }) => {
                let args = [&DURABLE[..], &["update-ref", "-d", name, commit_id.as_str()]].concat();
                self.plumb(&args, &[], "git update-ref").map(drop)
            }
            (None, Head::Detached { .. } | Head::Unborn { .. }) => Ok(()),
        }
    }

    /// Lists commits that any of `tips` leads to and none of `known` does, and that differ from a parent of theirs below a folder; at most
    /// `most`. Skips missing objects of `known`. Grafts are off, as a push does not follow them.
    ///
    /// # Errors
    /// As [`reset_index`](Self::reset_index), also in a clone that lacks objects of these commits.
    pub fn commits_changing(
        &self,
        tips: &[CommitId],
        known: &[String],
        folder: &str,
        most: usize,
    ) -> Result<Vec<CommitId>, Error> {
        let (command, count) = ("git rev-list", format!("--max-count={most}"));
        let args = ["--literal-pathspecs", "rev-list", "--full-history", "--ignore-missing", &count, "--stdin"];
        let git = self.clone().with_variable("GIT_GRAFT_FILE", "/dev/null");
        let stdout = git.plumb(&args, format!("{}--\n{folder}\n", range(tips, known)).as_bytes(), command)?;
        stdout
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| id_in(line, command, CommitId::parse))
            .collect()
    }

    /// Returns the path that a file has in a later commit, if it was moved there, as `git diff --find-renames` sees it.
    ///
    /// # Errors
    /// As [`reset_index`](Self::reset_index).
    pub fn moved_to(&self, from: &CommitId, to: &CommitId, path: &str) -> Result<Option<String>, Error> {
        let args = ["diff-tree", "-r", "-z", "--find-renames", "--diff-filter=R", "--name-status"];
        let stdout = self.plumb(&[&args[..], &[from.as_str(), to.as_str()]].concat(), &[], "git diff-tree")?;
        let names: Vec<String> = stdout.split(|byte| *byte == 0).map(raw_name::as_text).collect();
        // Each is a letter with a number, the old name and the new one.
        let found = names.chunks_exact(3).find(|found| found[1] == path).map(|found| found[2].clone());
        Ok(found)
    }

    /// Joins two versions of a file that come from one: ours, the common one and theirs, each with a name for the markers.
    /// `folder` takes their files, and is the
    /// caller's to remove.
    ///
    /// # Errors
    /// As [`reset_index`](Self::reset_index); [`Error::CommandOutput`] if the result is too large.
    pub fn merge_file(&self, folder: &Path, versions: [(&str, &[u8]); 3], is_union: bool) -> Result<Merged, Error> {
        if versions.iter().any(|(_, bytes)| bytes[..bytes.len().min(LOOKED_AT)].contains(&0)) {
            return Ok(Merged::Binary);
        }
        let command = "git merge-file";
        let unwritten = |source: std::io::Error| Error::CommandOutput {
            command: command.to_owned(),
            reason: format!("its input cannot be written: {source}"),
        };
        let files = ["ours", "base", "theirs"].map(|name| folder.join(name));
        let mut args = vec!["merge-file".to_owned(), "-p".to_owned()];
        args.extend(is_union.then(|| "--union".to_owned()));
        for ((label, bytes), path) in versions.iter().zip(&files) {
            std::fs::write(path, bytes).map_err(unwritten)?;
            args.extend(["-L".to_owned(), (*label).to_owned()]);
        }
        args.extend(files.iter().map(|path| path.display().to_string()));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let ended = self.clone().plain().run(&args, &[])?;
        match ended.status.code() {
            _ if ended.stdout.len() >= MAX_STDOUT => Err(too_much(command)),
            Some(0) => Ok(Merged::Clean(ended.stdout)),
            Some(1..=127) => Ok(Merged::Conflict(ended.stdout)),
            _ => self.finish(&ended, command).map(|()| Merged::Binary),
        }
    }

    /// Reads the attributes of paths.
    ///
    /// # Errors
    /// As [`reset_index`](Self::reset_index).
    pub fn attributes(&self, paths: &[&str], converts_lines: bool) -> Result<BTreeMap<String, Attributes>, Error> {
        let plain = Attributes { converts: converts_lines, merge: MergeDriver::Text };
        let mut found: BTreeMap<String, Attributes> =
            paths.iter().map(|path| ((*path).to_owned(), plain.clone())).collect();
        if paths.is_empty() {
            return Ok(found);
        }
        let (command, input) = ("git check-attr", format!("{}\0", paths.join("\0")));
        let args = [&["check-attr", "-z", "--stdin", "merge"], &CONVERTING[..]].concat();
        let stdout = self.plumb(&args, &raw_name::as_bytes(&input), command)?;
        let mut fields = stdout.split(|byte| *byte == 0).map(raw_name::as_text);
        while let (Some(path), Some(name), Some(value)) = (fields.next(), fields.next(), fields.next()) {
            let Some(attributes) = found.get_mut(&path) else { continue };
            match (name.as_str(), value.as_str()) {
                ("merge", "unspecified" | "set" | "text") => {}
                ("merge", "union") => attributes.merge = MergeDriver::Union,
                ("merge", _) => attributes.merge = MergeDriver::Other,
                (_, "unspecified") => {}
                // `-text` also speaks against the configuration.
                ("text", "unset") => attributes.converts = false,
                (_, "unset") => {}
                _ => attributes.converts = true,
            }
        }
        Ok(found)
    }

    /// Returns the bytes that the work tree gets for a blob at a path, by line ends and filters.
    ///
    /// # Errors
    /// As [`reset_index`](Self::reset_index); [`Error::CommandOutput`] if they are too many.
    pub fn to_work_tree(&self, path: &str, blob_id: &BlobId) -> Result<Vec<u8>, Error> {
        let command = "git cat-file --filters";
        let stdout =
            self.plumb(&["cat-file", "--filters", &format!("--path={path}"), blob_id.as_str()], &[], command)?;
        if stdout.len() >= MAX_STDOUT { Err(too_much(command)) } else { Ok(stdout) }
    }

    /// Returns the blob that bytes of the work tree are at a path; writes nothing.
    ///
    /// # Errors
    /// As [`reset_index`](Self::reset_index).
    pub fn to_blob(&self, path: &str, bytes: &[u8]) -> Result<BlobId, Error> {
        let command = "git hash-object";
        let stdout = self.plumb(&["hash-object", "--stdin", &format!("--path={path}")], bytes, command)?;
        id_in(&stdout, command, BlobId::parse)
    }

    pub(super) fn plumb(&self, args: &[&str], stdin: &[u8], command: &str) -> Result<Vec<u8>, Error> {
        let ended = self.clone().plain().run(args, stdin)?;
        self.finish(&ended, command)?;
        Ok(ended.stdout)
    }

    pub(super) fn plain(self) -> Self {
        self.with_variable("GIT_NO_REPLACE_OBJECTS", "1")
    }
}

pub(super) fn id_in<T, E>(stdout: &[u8], command: &str, parse: impl Fn(&str) -> Result<T, E>) -> Result<T, Error> {
    let unclear = || Error::CommandOutput { command: command.to_owned(), reason: "it is not an object id".to_owned() };
    std::str::from_utf8(stdout).ok().and_then(|text| parse(text.trim()).ok()).ok_or_else(unclear)
}

/// Names the commits that `tips` lead to and `known` do not, for the stdin of `git rev-list`.
pub(super) fn range(tips: &[CommitId], known: &[String]) -> String {
    let known = known.iter().map(|id| format!("^{id}\n"));
    known.chain(tips.iter().map(|tip| format!("{tip}\n"))).collect()
}

fn too_much(command: &str) -> Error {
    Error::CommandOutput { command: command.to_owned(), reason: "it is too much".to_owned() }
}
