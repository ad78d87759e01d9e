//! Executing knowledge: its text with the direction to use it.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::id::{ItemId, ItemType};
use crate::item::Knowledge;

/// Knowledge to use.
#[derive(Debug, Clone, Serialize)]
pub struct KnowledgeOutcome {
    /// Always `knowledge`.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// The text, without header and signature.
    pub content: String,
    /// The header.
    pub metadata: Map<String, Value>,
    /// What to do with it.
    pub instructions: String,
}

impl KnowledgeOutcome {
    /// Presents an entry.
    #[must_use]
    pub fn new(item_id: &ItemId, knowledge: &Knowledge) -> Self {
        let mut metadata = match serde_json::to_value(knowledge) {
            Ok(Value::Object(metadata)) => metadata,
            _ => Map::new(),
        };
        metadata.remove("body");
        metadata.retain(|_, value| !value.is_null());
        Self {
            item_type: ItemType::Knowledge,
            item_id: item_id.clone(),
            content: knowledge.body.clone(),
            metadata,
            instructions: format!("Use what `{}` says wherever it bears on the work at hand.", knowledge.title),
        }
    }
}
