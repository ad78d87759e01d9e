//! What of an item is searched: read leniently, so that an item that is invalid, unsigned or of an old form is found too.
//!
//! The body is the whole text without its signature line: any remembered text of an item finds it. An item that says
//! too little to be one is found by its text and its id.

use super::plain::plain;
use crate::format;
use crate::id::ItemType;
use crate::index::Document;
use crate::item::{Directive, Item, Knowledge, Takes, Tool};
use crate::trust::{LineState, split};
use crate::workspace::Candidate;

/// How much of a knowledge's first paragraph describes it, in characters.
const DESCRIPTION: usize = 200;

/// An item as a search sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Readable {
    /// A title for people; the last segment of the id without one.
    pub(super) title: String,
    /// The name it declares.
    pub(super) name: String,
    /// One line of what it is.
    pub(super) description: String,
    pub(super) category: String,
    pub(super) author: String,
    pub(super) tags: Vec<String>,
    /// What it takes.
    pub(super) takes: Vec<Takes>,
    /// Names and descriptions of what it takes.
    pub(super) inputs: Vec<String>,
    /// The text for readers: what snippets are cut from first.
    pub(super) prose: String,
    /// The whole text without its signature line.
    pub(super) text: String,
    /// Whether the whole text has tags that passages leave out.
    pub(super) is_markup: bool,
    /// The key its signature line names; empty without one.
    pub(super) key_id: String,
}

impl Readable {
    /// Reads an item's bytes.
    pub(super) fn of(candidate: &Candidate, bytes: &[u8]) -> Self {
        if candidate.item_type == ItemType::Skill {
            return Self::of_skill(candidate, bytes);
        }
        let item = format::parse_bytes(candidate.item_type, &candidate.extension, bytes).item;
        let parts = split(candidate.item_type, candidate.extension.comment(), bytes);
        let mut read = match &item {
            Some(Item::Directive(directive)) => Self::of_directive(directive),
            Some(Item::Tool(tool)) => Self::of_tool(tool),
            Some(Item::Knowledge(knowledge)) => Self::of_knowledge(knowledge),
            Some(Item::Skill(_)) | None => Self::default(),
        };
        read.is_markup = candidate.item_type == ItemType::Directive;
        read.takes = item.as_ref().map(Takes::of).unwrap_or_default();
        read.text = String::from_utf8_lossy(&parts.body()).into_owned();
        if let LineState::Present(line) = &parts.line {
            read.key_id = line.key_id.to_string();
        }
        if read.category.is_empty() {
            candidate.id.category().clone_into(&mut read.category);
        }
        for missing in [&mut read.name, &mut read.title] {
            if missing.is_empty() {
                candidate.id.name().clone_into(missing);
            }
        }
        read
    }

    /// Makes the document that is indexed.
    pub(super) fn into_document(self, candidate: &Candidate) -> Document {
        let Candidate { item_type, space, id, .. } = candidate;
        let names = vec![id.to_string(), id.name().to_owned(), self.name.clone(), self.title.clone()];
        let mut fields = vec![
            ("type", item_type.to_string()),
            ("space", space.to_string()),
            ("id", id.to_string()),
            ("name", self.name),
            ("title", self.title),
            ("description", self.description),
            ("category", self.category),
            ("author", self.author),
            ("key", self.key_id),
            ("body", self.text),
        ];
        fields.extend(self.tags.into_iter().map(|tag| ("tag", tag)));
        fields.extend(self.inputs.into_iter().map(|input| ("input", input)));
        Document { fields, names }
    }

    fn of_directive(directive: &Directive) -> Self {
        let inputs = directive.inputs.iter().map(|input| format!("{} {}", input.name, input.description));
        Self {
            title: directive.title.clone(),
            name: directive.name.clone(),
            description: directive.description.clone(),
            category: directive.category.clone(),
            author: directive.author.clone().unwrap_or_default(),
            inputs: inputs.collect(),
            prose: plain(&format!("{}\n{}", directive.preamble, directive.body)),
            ..Self::default()
        }
    }

    fn of_tool(tool: &Tool) -> Self {
        Self {
            name: tool.name.clone().unwrap_or_default(),
            title: tool.name.clone().unwrap_or_default(),
            description: tool.description.clone(),
            category: tool.category.clone().unwrap_or_default(),
            author: text_of(tool, "author"),
            tags: words_of(tool, "tags"),
            inputs: parameters(tool),
            ..Self::default()
        }
    }

    /// Reads a skill's `SKILL.md`.
    fn of_skill(candidate: &Candidate, bytes: &[u8]) -> Self {
        let name = candidate.id.name();
        let document = format::skill_document(name, bytes).0.unwrap_or_default();
        Self {
            title: name.to_owned(),
            name: name.to_owned(),
            description: document.description,
            category: candidate.id.category().to_owned(),
            author: document.metadata.get("author").cloned().unwrap_or_default(),
            prose: document.body,
            text: String::from_utf8_lossy(bytes).into_owned(),
            ..Self::default()
        }
    }

    fn of_knowledge(knowledge: &Knowledge) -> Self {
        Self {
            title: knowledge.title.clone(),
            name: knowledge.name.clone(),
            description: first_paragraph(&knowledge.body),
            category: knowledge.category.clone(),
            author: knowledge.author.clone().unwrap_or_default(),
            tags: knowledge.tags.clone(),
            prose: knowledge.body.clone(),
            ..Self::default()
        }
    }
}

/// Returns names and descriptions of a tool's parameters.
fn parameters(tool: &Tool) -> Vec<String> {
    let schema = tool.offered_schema();
    let properties = schema.as_ref().and_then(|schema| schema.get("properties")?.as_object());
    let described = properties.into_iter().flatten().map(|(name, schema)| {
        let description = schema.get("description").and_then(serde_json::Value::as_str).unwrap_or_default();
        format!("{name} {description}")
    });
    described.collect()
}

fn text_of(tool: &Tool, key: &str) -> String {
    tool.rest.get(key).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
}

fn words_of(tool: &Tool, key: &str) -> Vec<String> {
    match tool.rest.get(key) {
        Some(serde_json::Value::Array(words)) => {
            words.iter().filter_map(|word| Some(word.as_str()?.to_owned())).collect()
        }
        Some(serde_json::Value::String(words)) => words.split(',').map(|word| word.trim().to_owned()).collect(),
        _ => Vec::new(),
    }
}

/// Returns the beginning of a text's first paragraph that is not a heading or a fence, on one line.
fn first_paragraph(body: &str) -> String {
    let paragraphs = body.split("\n\n").map(str::trim);
    let plain = |text: &&str| !text.is_empty() && !text.starts_with(['#', '`', '|', '<', '-', '=']);
    let words: Vec<&str> = paragraphs.clone().find(plain).unwrap_or_default().split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(DESCRIPTION) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
