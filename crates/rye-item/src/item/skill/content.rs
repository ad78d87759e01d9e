//! A skill's folder read: which names, kinds, sizes and depths its entries may have, the same in a work tree, a commit, git's index
//! and a package.

use std::collections::BTreeMap;

use super::{EntryKind, MOST_BYTES, MOST_DEPTH, MOST_FILE_BYTES, MOST_FILES, SkillEntry, SkillFolder, is_git_folder};
use crate::item::{FileEntry, ItemFiles};

/// A skill's folder with the bytes of its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillContent {
    /// What lies in it.
    pub folder: SkillFolder,
    /// The bytes of each file, by its path.
    pub bytes: BTreeMap<String, Vec<u8>>,
}

impl SkillContent {
    /// Reads the folder of a skill, and keeps the bytes of its files.
    ///
    /// # Errors
    ///
    /// Passes on the errors of the files.
    pub fn read<F: ItemFiles>(path: &str, files: &F) -> Result<Self, F::Error> {
        let mut bytes = BTreeMap::new();
        let folder = read(path, files, |name, content| drop(bytes.insert(name.to_owned(), content)))?;
        Ok(Self { folder, bytes })
    }
}

impl SkillFolder {
    /// Reads the folder of a skill; `path` is where it is, to be shown.
    ///
    /// # Errors
    ///
    /// Passes on the errors of the files.
    pub fn read<F: ItemFiles>(path: &str, files: &F) -> Result<Self, F::Error> {
        read(path, files, |_, _| {})
    }
}

/// Reads a folder, and hands over the bytes of each of its files.
fn read<F: ItemFiles>(path: &str, files: &F, mut keep: impl FnMut(&str, Vec<u8>)) -> Result<SkillFolder, F::Error> {
    let names: BTreeMap<String, Option<EntryKind>> = files.names().into_iter().map(closed).collect();
    let (path, is_cut) = (path.to_owned(), names.len() > MOST_FILES);
    let mut folder = SkillFolder { path, entries: Vec::new(), is_cut, ignored: files.ignored() };
    let mut total = 0;
    for (name, closed) in names.into_iter().take(MOST_FILES) {
        let entry = if closed.is_none() { files.entry(&name, MOST_FILE_BYTES)? } else { None };
        let kind = match (closed, entry) {
            (Some(kind), _) => kind,
            (None, None) => continue,
            (None, Some(FileEntry::File { executable, bytes })) => {
                let kind = EntryKind::file_at(&name, executable, &bytes);
                total += bytes.len() as u64;
                keep(&name, bytes);
                kind
            }
            (None, Some(FileEntry::Large { size })) => EntryKind::Large { size },
            (None, Some(FileEntry::Link)) => EntryKind::Link,
            (None, Some(FileEntry::Repository)) => EntryKind::Repository,
            (None, Some(FileEntry::IgnoredCode)) => EntryKind::IgnoredCode,
            (None, Some(FileEntry::Special)) => EntryKind::Special,
            (None, Some(FileEntry::Unnamed)) => EntryKind::Unnamed,
            (None, Some(FileEntry::Unreadable { reason })) => EntryKind::Unreadable { reason },
        };
        folder.entries.push(SkillEntry { path: name, kind });
        if total > MOST_BYTES {
            folder.is_cut = true;
            break;
        }
    }
    Ok(folder)
}

/// Returns the name of an entry, and what it is where nothing below it is looked at: a repository, or something that lies too deep.
fn closed(name: String) -> (String, Option<EntryKind>) {
    let mut begin = 0;
    for (index, part) in name.split('/').enumerate() {
        let end = begin + part.len();
        let kind = if is_git_folder(part) { EntryKind::Repository } else { EntryKind::Deep };
        if kind == EntryKind::Repository || index >= MOST_DEPTH {
            return (name[..end].to_owned(), Some(kind));
        }
        begin = end + 1;
    }
    (name, None)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::item::SkillFault;

    /// Files of one byte, and a gone one.
    struct Names(Vec<String>);

    impl ItemFiles for Names {
        type Error = Infallible;

        fn names(&self) -> Vec<String> {
            self.0.clone()
        }

        fn entry(&self, name: &str, _: u64) -> Result<Option<FileEntry>, Infallible> {
            let file = FileEntry::File { executable: false, bytes: b"x".to_vec() };
            Ok(Some(file).filter(|_| name != "gone"))
        }
    }

    fn rules(names: Vec<String>) -> Vec<(&'static str, String)> {
        let Ok(folder) = SkillFolder::read("a", &Names(names));
        let told = |fault: &SkillFault| (fault.rule(), fault.path().unwrap_or_default().to_owned());
        folder.faults().iter().map(told).collect()
    }

    #[test]
    fn what_is_deep_or_in_a_repository_is_one_entry() {
        let (deep, below) = (["d"; 16].join("/"), ["d"; 17].join("/"));
        let names = ["SKILL.md", "gone", ".git/config", "v/.GIT/a", "v/.GIT/b", &deep].map(str::to_owned);
        let deeper = [format!("{below}/x"), format!("{below}/y/z")];
        assert_eq!(
            rules(names.into_iter().chain(deeper).collect()),
            [("RYE-A034", ".git".to_owned()), ("RYE-A033", below), ("RYE-A034", "v/.GIT".to_owned())]
        );
    }

    #[test]
    fn a_folder_has_as_many_files_as_are_allowed() {
        let names = |count: usize| (1..count).map(|number| number.to_string()).chain(["SKILL.md".to_owned()]).collect();
        assert_eq!(rules(names(MOST_FILES)), []);
        assert_eq!(rules(names(MOST_FILES + 1)), [("RYE-A036", String::new())]);
    }
}
