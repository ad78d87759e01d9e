//! A git folder for the tools of a thread: stock git, run by a tool in the thread's tree, works on it and not on the person's
//! repository. Tools may write it, so nobody else's git is led to it: its configuration names programs to run.
//!
//! It lies in the administrative folder of the tree, goes with it, and shares nothing writable: objects are read
//! through `objects/info/alternates`; refs, index, ignore rules and a part of the configuration (`tools_config.rs`) are copies. No
//! credential, hook, alias, thread or stash of the person's is in it. The program itself never reads it.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, ErrorKind},
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

use gix::bstr::ByteSlice as _;

use super::{Cause, CommitId, Repository, discover::regular_text, tools_config::quoted};

/// The folder's name in the administrative folder of a tree.
pub(super) const NAME: &str = "tools";

/// The refs that tools see.
const REFS: [&str; 4] = ["refs/heads", "refs/notes", "refs/remotes", "refs/tags"];

/// The most bytes of a `packed-refs` that is copied.
const MAX_PACKED_BYTES: u64 = 256 * 1024 * 1024;

/// Returns what a `.git` file says that names a git folder.
pub(super) fn link(folder: &Path) -> String {
    format!("gitdir: {}\n", folder.display())
}

impl Repository {
    /// Returns what tools see in the place of the `.git` file of a linked work tree: where git finds its folder for tools.
    pub fn tools_link(&self, work_dir: &Path) -> Option<String> {
        self.tools_folder(work_dir).map(|folder| link(&folder))
    }

    /// Returns where the git folder for tools of a linked work tree lies.
    pub fn tools_folder(&self, work_dir: &Path) -> Option<PathBuf> {
        let name = work_dir.file_name()?;
        let common = self.common_dir().canonicalize().ok()?;
        Some(common.join("worktrees").join(name).join(NAME))
    }

    /// Makes the git folder for tools of this linked work tree, whose index is written. Branches below `hidden` are left out.
    pub(super) fn make_tools_folder(&self, base: &CommitId, hidden: &str) -> Result<(), Cause> {
        let folder = self.git_dir().join(NAME);
        for below in ["objects/info", "refs", "info"] {
            fs::create_dir_all(folder.join(below))?;
        }
        fs::write(folder.join("HEAD"), format!("{base}\n"))?;
        fs::write(folder.join("config"), self.config_for_tools())?;
        fs::write(folder.join("objects/info/alternates"), self.alternates()?)?;
        self.copy_refs(&folder, hidden)?;
        for (from, name) in [
            (self.common_dir(), "info/exclude"),
            (self.common_dir(), "info/attributes"),
            (self.common_dir(), "shallow"),
            (self.git_dir(), "info/sparse-checkout"),
        ] {
            copy(&from.join(name), &folder.join(name))?;
        }
        let (index, copied) = (self.git_dir().join("index"), folder.join("index"));
        copy(&index, &copied)?;
        // Git trusts the times of files that are older than the index: the copy must not be younger.
        let written = fs::metadata(&index)?.modified()?;
        Ok(fs::File::options().write(true).open(copied)?.set_modified(written)?)
    }

    /// Lists the object folders of the repository: git resolves a relative path only in the first of a chain.
    fn alternates(&self) -> Result<Vec<u8>, Cause> {
        let own = self.common_dir().join("objects");
        let mut text = Vec::new();
        for path in [own].into_iter().chain(self.inner.objects.store_ref().alternate_db_paths()?) {
            let path = path.canonicalize().unwrap_or(path);
            let bytes = path.as_os_str().as_bytes();
            text.extend(if bytes.contains(&b'\n') { quoted(bytes.as_bstr()) } else { bytes.to_vec() });
            text.push(b'\n');
        }
        Ok(text)
    }

    /// Copies the person's refs. The order of reading is git's: a ref that is packed meanwhile is found at one of both places.
    fn copy_refs(&self, folder: &Path, hidden: &str) -> Result<(), Cause> {
        let hidden = hidden.trim_end_matches('/');
        let (mut refs, mut names) = (BTreeMap::<Vec<u8>, String>::new(), REFS.map(PathBuf::from).to_vec());
        while let Some(name) = names.pop() {
            if name == Path::new(hidden) {
                continue;
            }
            let path = self.common_dir().join(&name);
            // A ref that was removed or packed meanwhile.
            let Ok(found) = fs::symlink_metadata(&path) else { continue };
            if found.is_dir() {
                let entries = fs::read_dir(&path).into_iter().flatten().flatten();
                names.extend(entries.map(|entry| name.join(entry.file_name())));
            } else if let Ok(value) = regular_text(&path) {
                refs.insert(name.as_os_str().as_bytes().to_vec(), value.trim_end().to_owned());
            }
        }
        for (name, value) in packed(&self.common_dir().join("packed-refs"))? {
            let is_shown = REFS.iter().any(|shown| is_below(&name, shown)) && !is_below(&name, hidden);
            if is_shown {
                refs.entry(name).or_insert(value);
            }
        }
        let mut text = b"# pack-refs with: sorted \n".to_vec();
        for (name, value) in refs {
            if let Some(target) = value.strip_prefix("ref: ") {
                let path = folder.join(std::ffi::OsStr::from_bytes(&name));
                fs::create_dir_all(path.parent().unwrap_or(folder))?;
                fs::write(path, format!("ref: {target}\n"))?;
                continue;
            }
            let (id, peeled) = value.split_once('\n').unwrap_or((&value, ""));
            let is_id =
                |id: &str| id.len() == self.object_format().digits() && id.bytes().all(|byte| byte.is_ascii_hexdigit());
            // A damaged ref, or the lock of one.
            if !is_id(id) || name.ends_with(b".lock") {
                continue;
            }
            text.extend([id.as_bytes(), b" ", &name, b"\n"].concat());
            if let Some(peeled) = peeled.strip_prefix('^').filter(|peeled| is_id(peeled)) {
                text.extend(format!("^{peeled}\n").into_bytes());
            }
        }
        Ok(fs::write(folder.join("packed-refs"), text)?)
    }
}

/// Reads `packed-refs`: each name with its id and, in a second line, what it leads to.
fn packed(path: &Path) -> Result<Vec<(Vec<u8>, String)>, Cause> {
    let bytes = match fs::metadata(path) {
        Ok(found) if found.is_file() && found.len() <= MAX_PACKED_BYTES => fs::read(path)?,
        Ok(_) => return Err(format!("`{}` is too large, or not a regular file", path.display()).into()),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let mut refs: Vec<(Vec<u8>, String)> = Vec::new();
    for line in bytes.lines() {
        match (line.first(), line.split_once_str(" ")) {
            (Some(b'#'), _) => {}
            (Some(b'^'), _) => {
                if let Some((_, value)) = refs.last_mut() {
                    *value = format!("{value}\n{}", line.to_str_lossy());
                }
            }
            (_, Some((id, name))) => refs.push((name.to_vec(), id.to_str_lossy().into_owned())),
            (_, None) => {}
        }
    }
    Ok(refs)
}

/// Tells whether a ref lies below a folder.
fn is_below(name: &[u8], folder: &str) -> bool {
    name.strip_prefix(folder.as_bytes()).is_some_and(|rest| rest.first() == Some(&b'/'))
}

/// Copies a regular file that is there.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if fs::metadata(from).is_ok_and(|found| found.is_file()) {
        fs::copy(from, to)?;
    }
    Ok(())
}
