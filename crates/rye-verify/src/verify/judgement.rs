//! The findings of a file.

use super::files::File;
use crate::format::Severity;
use crate::git::CommitId;
use crate::id::ItemId;
use crate::item::{SkillFault, SkillFolder};
use crate::trust::{CacheEntry, Envelope, Fault, RawSignature, Subject};

/// A file, judged.
pub(super) struct Judged<'f> {
    pub(super) file: &'f File,
    pub(super) judgement: Judgement,
    /// Boxed: seldom asked for.
    pub(super) envelope: Option<Box<Envelope>>,
}

/// A file that is not good.
pub(super) struct Bad {
    pub(super) subject: Subject,
    /// Where the signature is or belongs, from 1.
    pub(super) line: usize,
    pub(super) fault: Fault,
    /// Whether the trust root has the very same file, signed by a key that was revoked since.
    pub(super) is_pinned: bool,
    /// The signature on the line, if there is one.
    pub(super) signature: Option<RawSignature>,
    pub(super) because: Option<String>,
    /// What to do about it, where that is more than the fault says.
    pub(super) mend: Option<String>,
    /// The commit that is at fault, where it is not the first that has the file.
    pub(super) commit_id: Option<CommitId>,
}

/// The findings of a skill's folders.
pub(super) struct JudgedSkill {
    /// The ids of its manifests; its name where it has none.
    pub(super) ids: Vec<ItemId>,
    /// Whether a manifest is signed for it.
    pub(super) is_signed: bool,
    /// Whether a folder has its name.
    pub(super) is_folder: bool,
    /// Whether it is only offered: its findings are warnings, and it counts for nothing that was verified.
    pub(super) is_offered: bool,
    /// The faults, each with its folder.
    pub(super) faults: Vec<(String, SkillFault)>,
    /// What git ignores of the folders, from the top.
    pub(super) ignored: Vec<String>,
}

impl JudgedSkill {
    /// Takes in what git ignores of folders.
    pub(super) fn take_in_ignored(&mut self, folders: &[SkillFolder]) {
        let of = |folder: &SkillFolder| {
            let path = folder.path.clone();
            folder.ignored.clone().into_iter().map(move |below| format!("{path}/{below}"))
        };
        self.ignored.extend(folders.iter().flat_map(of));
    }

    /// Takes in the faults of a folder; equal faults of several manifests are reported once.
    pub(super) fn take_in(&mut self, folder: &str, faults: Vec<SkillFault>) {
        for fault in faults {
            if !self.faults.iter().any(|(known, same)| known == folder && *same == fault) {
                self.faults.push((folder.to_owned(), fault));
            }
        }
    }
}

/// The findings of a file.
pub(super) enum Judgement {
    /// With its remembered facts, if any.
    Good(Option<Remembered>),
    /// Boxed: nearly all of many files are good.
    Bad(Box<Bad>),
    /// A skill.
    Skill(Box<JudgedSkill>),
    /// A merge only took it from one of its parents, and no other has something newer.
    Taken,
    Stray {
        reason: String,
        severity: Severity,
    },
}

/// The remembered facts about an item, by their entry.
#[derive(Debug, Clone, Copy)]
pub(super) enum Remembered {
    /// It was judged good before.
    Good(CacheEntry),
    /// Nothing.
    Not(CacheEntry),
}
