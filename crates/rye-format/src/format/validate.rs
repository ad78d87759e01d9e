//! Holding an item against its id and against what it is to be used for.

use super::anchors::Place;
use super::rules::{self, Rule};
use super::{Finding, Parsed, has_errors};
use crate::id::ItemId;
use crate::item::{Directive, Item, Knowledge, SkillManifest, Tool, is_skill_name};

/// What a directive is validated for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Instructions to follow in place: permissions and budget are optional.
    Reference,
    /// A thread of its own: permissions and a budget are required.
    Thread,
}

/// An item without errors.
#[derive(Debug, Clone, PartialEq)]
pub struct Accepted {
    /// The item.
    pub item: Item,
    /// Warnings and advice.
    pub findings: Vec<Finding>,
}

/// Takes an item into use: it has no finding of severity error under this id and profile.
///
/// # Errors
///
/// Returns every finding when one of them is an error.
pub fn accept(parsed: Parsed, item_id: &ItemId, profile: Profile) -> Result<Accepted, Vec<Finding>> {
    let findings = validate(&parsed, item_id, profile);
    match parsed.item {
        Some(item) if !has_errors(&findings) => Ok(Accepted { item, findings }),
        _ => Err(findings),
    }
}

/// Returns the findings of reading an item together with those about its id and profile, in the order of the text.
#[must_use]
pub fn validate(parsed: &Parsed, item_id: &ItemId, profile: Profile) -> Vec<Finding> {
    let mut check = Check { parsed, item_id, findings: parsed.findings.clone() };
    match &parsed.item {
        Some(Item::Directive(directive)) => check.directive(directive, profile),
        Some(Item::Tool(tool)) => check.tool(tool),
        Some(Item::Knowledge(knowledge)) => check.knowledge(knowledge),
        Some(Item::Skill(manifest)) => check.skill(manifest),
        None => {}
    }
    let mut findings = check.findings;
    findings.sort_by_key(|finding| (finding.line, finding.column));
    findings
}

struct Check<'p> {
    parsed: &'p Parsed,
    item_id: &'p ItemId,
    findings: Vec<Finding>,
}

impl Check<'_> {
    fn file(&mut self, rule: &Rule, place: Place, message: String, hint: String) {
        self.findings.push(Finding::placed(rule, place.span, place.position, message, hint));
    }

    fn directive(&mut self, directive: &Directive, profile: Profile) {
        self.name(&rules::NAME_NOT_ID, &directive.name);
        self.category(&rules::CATEGORY_NOT_FOLDER, &directive.category);
        self.spelling(&directive.name);
        if profile == Profile::Thread {
            self.thread(directive);
            self.written_call();
        }
    }

    fn spelling(&mut self, name: &str) {
        let snake = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if name.bytes().all(snake) {
            return;
        }
        let is_kebab = name.bytes().all(|byte| snake(byte) || byte == b'-');
        let wanted = snake_case(name);
        let (rule, what, hint) = if is_kebab {
            let hint = format!("rename the file and the directive to `{wanted}`, or run `rye migrate`");
            (&rules::KEBAB_NAME, "is kebab-case, a legacy form", hint)
        } else {
            (
                &rules::NAME_NOT_SNAKE,
                "is not snake_case",
                format!("rename the file and the directive, for example `{wanted}`"),
            )
        };
        self.file(rule, self.parsed.anchors.name, format!("the name `{name}` {what}"), hint);
    }

    fn thread(&mut self, directive: &Directive) {
        let has_budget = !directive.limits.is_empty() || directive.cost.is_some();
        if directive.model.is_none() {
            let tier = directive.wanted_model().tier;
            let message = format!("the directive names no model: its thread runs on the tier `{tier}`");
            let hint = format!("add `<model tier=\"{tier}\" />` to the metadata");
            self.file(&rules::NO_MODEL, self.parsed.anchors.item, message, hint);
        }
        let wanted = [
            (&rules::NO_PERMISSIONS, directive.permissions.is_some(), "permissions", "<permissions>…</permissions>"),
            (&rules::NO_BUDGET, has_budget, "budget", "<limits turns=\"10\" tokens=\"20000\" spend=\"0.10\" />"),
        ];
        for (rule, _, what, example) in wanted.into_iter().filter(|(_, there, ..)| !there) {
            let message = format!("a directive that runs as a thread declares its {what}");
            self.file(rule, self.parsed.anchors.item, message, format!("add `{example}` to the metadata"));
        }
    }

    /// Advises against spelling out calls by names that the tools of a thread do not have.
    fn written_call(&mut self) {
        let Some(place) = self.parsed.anchors.call else { return };
        let message = "the process says how to call, by a name that no tool of a thread has".to_owned();
        let hint = "say what to do, or write an action element: a model knows its tools by their own names".to_owned();
        self.file(&rules::HOW_NOT_WHAT, place, message, hint);
    }

    fn tool(&mut self, tool: &Tool) {
        if let Some(category) = &tool.category {
            self.category(&rules::TOOL_CATEGORY, category);
        }
        if let Some(name) = tool.name.as_deref().filter(|name| *name != self.item_id.as_str()) {
            self.name(&rules::TOOL_NAME, name);
        }
        if let Some(own) = tool.companions.iter().find(|companion| self.is_own_file(companion.path.as_str())) {
            let message = format!("the companion `{}` is a file of the tool's own name", own.path);
            let hint = "give the companion another name".to_owned();
            self.file(&rules::TOOL_COMPANION, self.parsed.anchors.item, message, hint);
        }
    }

    /// Tells whether a path from the tool's folder is the tool itself, or an item of the same id.
    fn is_own_file(&self, path: &str) -> bool {
        path.rsplit_once('.').is_some_and(|(stem, extension)| {
            stem == self.item_id.name() && extension.parse::<crate::id::Extension>().is_ok()
        })
    }

    fn knowledge(&mut self, knowledge: &Knowledge) {
        self.name(&rules::KNOWLEDGE_NAME, &knowledge.name);
        self.category(&rules::KNOWLEDGE_CATEGORY, &knowledge.category);
    }

    fn skill(&mut self, manifest: &SkillManifest) {
        if manifest.id != *self.item_id {
            let message =
                format!("the manifest is that of `{}`, and its place that of `{}`", manifest.id, self.item_id);
            let hint = "`rye sign skill PATH` writes it anew from the skill's folder".to_owned();
            self.file(&rules::SKILL_ID, self.parsed.anchors.name, message, hint);
        }
        if !is_skill_name(self.item_id.name()) {
            let message = format!("`{}` is not 1 to 64 of a–z, 0–9 and single hyphens", self.item_id.name());
            let hint = "rename the skill's folder, and sign it under its new name".to_owned();
            self.file(&rules::SKILL_ID, self.parsed.anchors.name, message, hint);
        }
    }

    fn name(&mut self, rule: &Rule, name: &str) {
        let wanted = self.item_id.name();
        if name != wanted {
            let message = format!("the name is `{name}`, and the id `{}` ends in `{wanted}`", self.item_id);
            self.file(rule, self.parsed.anchors.name, message, format!("name it `{wanted}`, or move the file"));
        }
    }

    fn category(&mut self, rule: &Rule, category: &str) {
        let wanted = self.item_id.category();
        if category != wanted {
            let (lies_in, hint) = match wanted {
                "" => {
                    ("in no folder of its type's".to_owned(), "leave the category empty, or move the file".to_owned())
                }
                folder => (format!("in `{folder}`"), format!("write `{folder}` as the category, or move the file")),
            };
            let message = format!("the category is `{category}`, and the file lies {lies_in}");
            self.file(rule, self.parsed.anchors.category, message, hint);
        }
    }
}

/// Returns the name as a directive's should be.
pub(super) fn snake_case(name: &str) -> String {
    name.to_ascii_lowercase().replace('-', "_")
}
