//! Patches that git prints for a thread: a hunk shows lines from the middle of a file, which do not tell that it is a private key. So the
//! file is looked at whole, before and after the change, and its hunks are left out where it holds one.

use std::cell::Cell;
use std::path::PathBuf;

use super::start::{Program, Start};
use super::tool::ToolRun;
use crate::git::Repository;
use crate::id::Space;
use crate::redact::{Redactor, holds_private_key};
use crate::workspace::Site;

/// What takes the place of hunks.
const HIDDEN: &str = "[its lines are not shown: the file holds a private key, or cannot be looked at]\n";

/// The largest version of a file that is looked at, in bytes.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// The mode of a submodule, whose ids are of commits.
const SUBMODULE: &str = "160000";

/// What git prints of changes, without the hunks of private keys.
pub(super) struct Patches {
    repository: Repository,
    root: PathBuf,
    /// Whether nothing was read yet: a text that goes on behind a cut may begin within a hunk.
    is_beginning: Cell<bool>,
}

/// Where in a patch a line is.
enum Place {
    Outside,
    Header(Header),
    Shown,
    Hidden { is_told: bool },
}

/// What a patch says of a file before its hunks.
#[derive(Default)]
struct Header {
    /// The beginnings of the ids of its versions; the last is the new one.
    versions: Vec<String>,
    new_path: Option<String>,
    is_submodule: bool,
}

impl ToolRun<'_> {
    /// Prepares the look at what git prints; none if this tool prints no patches, or where a person sees it.
    pub(super) fn patches(&self, start: &Start, secrets: &Redactor) -> Option<Patches> {
        let is_built_in = self.space == Space::System && self.item_id.as_str().starts_with("rye/git/");
        let is_git = matches!(&start.program, Program::Named(name) if name == "git");
        // `COMMIT:FILE` names a whole file, which is redacted as such.
        let commit = self.parameters.get("commit").and_then(|commit| commit.as_str()).unwrap_or_default();
        let is_file = commit.contains(':') && !commit.starts_with(':') && !commit.contains('{');
        if !secrets.looks() || !is_built_in || !is_git || is_file {
            return None;
        }
        let (repository, root) = (self.project().repository()?, self.project().root().ok()?.to_owned());
        Some(Patches { repository, root, is_beginning: Cell::new(true) })
    }
}

impl Patches {
    /// Returns the next part of a patch without the hunks of private keys.
    pub(super) fn cleaned(&self, text: &str) -> String {
        let mut place =
            if self.is_beginning.replace(false) { Place::Outside } else { Place::Hidden { is_told: false } };
        let mut cleaned = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            place = self.next(place, line);
            match &mut place {
                Place::Hidden { is_told: true } => continue,
                Place::Hidden { is_told } => {
                    *is_told = true;
                    cleaned.push_str(HIDDEN);
                    continue;
                }
                Place::Header(header) => header.take(line),
                Place::Outside | Place::Shown => {}
            }
            cleaned.push_str(line);
        }
        cleaned
    }

    /// Tells where a line is, given where the one before it was. No line of a hunk begins with a letter.
    fn next(&self, place: Place, line: &str) -> Place {
        if ["diff --git ", "diff --cc ", "diff --combined "].iter().any(|begin| line.starts_with(begin)) {
            return Place::Header(Header::default());
        }
        match place {
            Place::Header(header) if line.starts_with("@@") => {
                if self.has_key(&header) {
                    Place::Hidden { is_told: false }
                } else {
                    Place::Shown
                }
            }
            Place::Shown | Place::Hidden { .. } if line.starts_with("commit ") => Place::Outside,
            place => place,
        }
    }

    /// Tells whether a version of a file holds a private key. One that cannot be looked at could.
    fn has_key(&self, header: &Header) -> bool {
        let Some(last) = header.versions.len().checked_sub(1) else { return true };
        let is_absent = |id: &str| id.bytes().all(|digit| digit == b'0');
        let versions = header.versions.iter().enumerate().filter(|(_, id)| !is_absent(id));
        !header.is_submodule
            && versions.into_iter().any(|(at, id)| match self.blob(id) {
                Some(bytes) => holds_private_key(&bytes),
                None if at == last => self.file_has_key(header.new_path.as_deref().unwrap_or_default()),
                None => true,
            })
    }

    fn blob(&self, id: &str) -> Option<Vec<u8>> {
        self.repository.blob_within(&self.repository.blob_by_beginning(id)?, MOST_BYTES).ok()?
    }

    /// Looks at a file of the work tree, by the path that a patch gives it: with a prefix such as `b/`, or without.
    fn file_has_key(&self, path: &str) -> bool {
        let Ok(site) = Site::open(&self.root) else { return true };
        let without_prefix = path.split_once('/').map(|(_, path)| path);
        let mut is_known = false;
        for path in without_prefix.into_iter().chain([path]).filter(|path| !path.is_empty()) {
            match site.read(path, MOST_BYTES) {
                Ok(Some(bytes)) if holds_private_key(&bytes) => return true,
                Ok(Some(_)) => is_known = true,
                Ok(None) | Err(_) => {}
            }
        }
        !is_known
    }
}

impl Header {
    fn take(&mut self, line: &str) {
        let line = line.trim_end_matches(['\n', '\r', '\t']);
        if let Some(ids) = line.strip_prefix("index ") {
            let (ids, mode) = ids.split_once(' ').unwrap_or((ids, ""));
            self.versions = ids.split("..").flat_map(|ids| ids.split(',')).map(str::to_owned).collect();
            self.is_submodule |= mode == SUBMODULE;
        } else if let Some(path) = line.strip_prefix("+++ ") {
            self.new_path = Some(unquoted(path));
        } else {
            self.is_submodule |= line == format!("new file mode {SUBMODULE}");
            self.is_submodule |= line == format!("deleted file mode {SUBMODULE}");
        }
    }
}

/// Returns a path as it is, which git quotes like C where it has other bytes than plain ones. A path that is not text names nothing.
fn unquoted(path: &str) -> String {
    let Some(quoted) = path.strip_prefix('"').and_then(|path| path.strip_suffix('"')) else { return path.to_owned() };
    let (mut bytes, mut rest) = (Vec::new(), quoted.as_bytes());
    while let [first, behind @ ..] = rest {
        rest = behind;
        match (first, behind) {
            (b'\\', [one @ b'0'..=b'3', two @ b'0'..=b'7', three @ b'0'..=b'7', behind @ ..]) => {
                bytes.push((one - b'0') << 6 | (two - b'0') << 3 | (three - b'0'));
                rest = behind;
            }
            (b'\\', [letter, behind @ ..]) => {
                bytes.push(match letter {
                    b'a' => 0x07,
                    b'b' => 0x08,
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'v' => 0x0b,
                    b'f' => 0x0c,
                    b'r' => b'\r',
                    other => *other,
                });
                rest = behind;
            }
            (other, _) => bytes.push(*other),
        }
    }
    String::from_utf8(bytes).unwrap_or_default()
}
