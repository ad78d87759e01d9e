//! The rules about a skill's folder, which is more than one text: its files against its manifest, and what no skill may hold.

use std::borrow::Cow;

use crate::capability::shell::quoted;
use crate::capability::skill_folders_at;
use crate::format::rules::{SKILL_IGNORED, SKILL_MANIFEST};
use crate::format::{Finding, Rule, Severity};
use crate::item::{SkillFault, SkillFolder};

/// Every rule about a skill's folder, in the order of the ids.
pub const SKILL_RULES: &[Rule] = &[
    rule("RYE-A020", "No file was added to a skill after it was signed, and git ignores no code in it."),
    rule("RYE-A021", "No file of a skill was removed after it was signed, and git ignores none."),
    rule("RYE-A022", "No file of a skill was changed after it was signed."),
    rule("RYE-A023", "No file of a skill became executable, or stopped being so, after it was signed."),
    rule("RYE-A024", "A skill that is signed is in a folder of `skills.paths`."),
    rule("RYE-A025", "Folders of one name in `skills.paths` hold the same skill."),
    rule("RYE-A026", "The folder of a skill has a name of 1 to 64 of a–z, 0–9 and single hyphens."),
    rule("RYE-A027", "A skill has a file `SKILL.md`."),
    rule("RYE-A028", "Every `SKILL.md` in a folder of skills belongs to a skill."),
    rule("RYE-A029", "No attributes of git change the bytes of a skill in a checkout."),
    rule("RYE-A030", "A skill contains no links and is not a link, except to another folder of `skills.paths`."),
    rule("RYE-A031", "A skill contains only regular files."),
    rule("RYE-A032", "No file system takes two names of a skill for one."),
    rule("RYE-A033", "The paths of a skill's files are ones that every system reads alike."),
    rule("RYE-A034", "A skill contains no git repository, and is not a submodule."),
    rule("RYE-A035", "A skill contains its files, not pointers of Git LFS."),
    rule("RYE-A036", "A skill has at most 2,000 files, 16 MiB in one of them and 64 MiB in all."),
    rule("RYE-A037", "The files of a skill can be read."),
    rule("RYE-A038", "A skill's folder and its signature match `rye.lock`."),
    rule("RYE-A039", "A sparse checkout has the folders of signed skills."),
];

/// What no rule above is named by.
const UNKNOWN: Rule = rule("RYE-A037", "The files of a skill can be read.");

const fn rule(id: &'static str, summary: &'static str) -> Rule {
    Rule { id, severity: Severity::Error, summary }
}

/// Makes a finding of a fault in a skill's folder; it names the file.
#[must_use]
pub fn fault_finding(fault: &SkillFault) -> Finding {
    let mut rules = SKILL_RULES.iter().chain([&SKILL_MANIFEST]);
    let rule = rules.find(|rule| rule.id == fault.rule()).unwrap_or(&UNKNOWN);
    let message = match fault.path().filter(|path| !path.is_empty()) {
        Some(path) => format!("`{path}`: {fault}"),
        None => fault.to_string(),
    };
    Finding::whole(rule, message, fault_hint(fault))
}

/// Makes the finding that git ignores something in a skill's folder; none where it ignores nothing.
#[must_use]
pub fn ignored_finding(folder: &SkillFolder) -> Option<Finding> {
    let first = folder.ignored.first()?;
    let more = match folder.ignored.len() {
        1 => String::new(),
        many => format!(" and {} more", many - 1),
    };
    let message =
        format!("git ignores `{first}`{more}: it is no part of the skill, and its signature does not cover it");
    let hint = format!(
        "if the skill needs it, run `git add -f -- {}`, then sign again",
        quoted(&format!("{}/{first}", folder.path))
    );
    Some(Finding::whole(&SKILL_IGNORED, message, hint))
}

/// Says what to do about a fault in a skill's folder.
#[must_use]
pub fn fault_hint(fault: &SkillFault) -> Cow<'static, str> {
    Cow::Borrowed(match fault {
        SkillFault::Added { .. }
        | SkillFault::Removed { .. }
        | SkillFault::Changed { .. }
        | SkillFault::Mode { .. }
        | SkillFault::Unreadable { .. } => {
            "`rye diff` shows what changed; undo it, or review it and sign the skill again"
        }
        SkillFault::OtherForm { .. } => {
            "rename the file to the name that git has (`git ls-files`), or sign the skill again; on a Mac: `git config core.precomposeUnicode true`"
        }
        SkillFault::NoFolder => {
            "put the folder back, name its place in `skills.paths`, or remove the file in `.ai/skills`"
        }
        SkillFault::Ignored { .. } => "run `git add -f` on it, or review the skill without it and sign it again",
        SkillFault::IgnoredCode { .. } => {
            "remove it, or run `git add -f` on it, review it and sign the skill again; data may be ignored"
        }
        SkillFault::LeftOut => "run `rye verify --rev HEAD`, or take it in: `git sparse-checkout add FOLDER`",
        SkillFault::NoManifest => "sign the skill again",
        SkillFault::Lock { .. } => {
            "find out who changed it: `git log -p rye.lock`; if the signature is right, run `rye sync --adopt`"
        }
        SkillFault::Elsewhere { folder, other, .. } => return Cow::Owned(between(folder, other)),
        SkillFault::FolderName { .. } => "rename the folder, and `name` in its `SKILL.md`",
        SkillFault::NoSkillFile => "put `SKILL.md` back, in just this spelling",
        SkillFault::Nested => {
            "move the skill's folder directly into the folder of skills, or name the folder above it in `skills.paths`"
        }
        SkillFault::Attributes { .. } => {
            "put such lines into the `.gitattributes` at the top, above those for skills, or remove them; a file with attributes is text of at most 1 MiB"
        }
        SkillFault::LinkElsewhere { .. } => {
            "name the folder above the skill in `skills.paths` of `.ai/config.toml`, so that it is judged there"
        }
        SkillFault::Link { .. } => "put the file itself in the place of the link",
        SkillFault::Special { .. } => "remove it",
        SkillFault::Collides { .. } | SkillFault::Name { .. } => "rename it",
        SkillFault::Repository { .. } => "remove the folder `.git`, or put the files there without their repository",
        SkillFault::LfsPointer { .. } => "run `git lfs pull`, and take the file out of Git LFS",
        SkillFault::Large { .. } | SkillFault::TooMuch { .. } => "move large data out of the skill",
    })
}

/// Says what to do about a file that is not an item, by its path from the top.
#[must_use]
pub fn stray_hint(path: &str) -> &'static str {
    if path.starts_with(".ai/skills/") {
        "move the skill's folder to `.claude/skills`, or add `paths = [\".ai/skills\"]` under `[skills]` in `.ai/config.toml`"
    } else {
        "rename it or move it out of the folder"
    }
}

/// Says how to go on with two folders of one name whose files differ: a folder that agents read by themselves needs another name, any
/// other one can be left out of `skills.paths`.
fn between(folder: &str, other: &str) -> String {
    let above = |path: &str| path.rsplit_once('/').map_or("", |(above, _)| above).to_owned();
    let is_read = |path: &str| skill_folders_at(&above(path), false).iter().any(|folder| !folder.is_offered);
    let name = folder.rsplit('/').next().unwrap_or(folder);
    let (differ, renamed) = (format!("{} {}", quoted(other), quoted(folder)), quoted(&format!("{folder}-2")));
    let or = match (is_read(folder), is_read(other)) {
        (true, true) => String::new(),
        (false, true) => format!("; or take `{}` out of `skills.paths`", above(folder)),
        (true, false) => format!("; or take `{}` out of `skills.paths`", above(other)),
        (false, false) => {
            format!("; or name one alone in `.ai/config.toml`: `paths = [{:?}]` under `[skills]`", above(other))
        }
    };
    format!(
        "compare them with `git diff --no-index {differ}`, and make them equal; or rename one: `mv {} {renamed}`, and `name: {name}-2` in its `SKILL.md`{or}",
        quoted(folder)
    )
}
