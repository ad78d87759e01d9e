//! Executing a skill: its instructions, and the files that they may name.

use serde::Serialize;

use super::super::locate::VerifiedSkill;
use crate::id::{ItemId, ItemType, Space, Version};
use crate::item::SKILL_FILE;

/// A skill to follow.
#[derive(Debug, Clone, Serialize)]
pub struct SkillOutcome {
    /// Always `skill`.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// Its version, if it names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// What it does, and when to use it.
    pub description: String,
    /// The text of `SKILL.md` below its front matter.
    pub instructions: String,
    /// The folder, from the top of the project; a person's own begins with `~/`.
    pub folder: String,
    /// Its other files, each with its path from the folder.
    pub files: Vec<SkillFileOutcome>,
    /// What it needs around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compatibility: Option<String>,
    /// What it asks a client to allow. It is shown, and grants nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_tools: Vec<String>,
}

/// A file of a skill.
#[derive(Debug, Clone, Serialize)]
pub struct SkillFileOutcome {
    /// Its path from the skill's folder.
    pub path: String,
    /// How many bytes it has.
    pub size: u64,
    /// Whether it can be executed.
    pub executable: bool,
}

impl SkillOutcome {
    /// Presents a skill.
    #[must_use]
    pub fn new(item_id: &ItemId, space: Space, skill: VerifiedSkill) -> Self {
        let VerifiedSkill { manifest, place, document, .. } = skill;
        let others = manifest.files.iter().filter(|file| file.path != SKILL_FILE);
        let files = others.map(|file| SkillFileOutcome {
            path: file.path.clone(),
            size: file.size,
            executable: file.executable,
        });
        Self {
            item_type: ItemType::Skill,
            item_id: item_id.clone(),
            version: manifest.version,
            description: document.description,
            instructions: document.body,
            folder: match space {
                Space::User => format!("~/{}", place.path),
                Space::Project | Space::System => place.path,
            },
            files: files.collect(),
            compatibility: document.compatibility,
            allowed_tools: document.allowed_tools,
        }
    }
}
