//! What there is to know of one item.

use serde::Serialize;
use serde_json::Value as Json;

use super::super::locate::verdict_of;
use crate::format;
use crate::id::{ItemId, ItemType, Segment, Space, Version};
use crate::item::{Directive, Item, Limits, Tool};
use crate::project::Project;
use crate::trust::{ContentHash, KeyId, LineState, Signed, Unverified, Verdict};

/// An item for people.
#[derive(Debug, Clone, Serialize)]
pub struct Card {
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// Its version, if it can be read.
    pub version: Option<Version>,
    /// What it is for; empty if it does not say.
    pub description: String,
    /// Where it was found.
    #[serde(flatten)]
    pub place: Place,
    /// The SHA-256 of its file.
    pub sha256: ContentHash,
    /// The verdict of its signature here.
    pub verdict: Verdict,
    /// Who signed it, as its signature line says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signer: Option<Signer>,
    /// Who wrote it, as it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The tier or the model that a directive asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The limits of a directive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// What it takes: the inputs of a directive, the parameters of a tool.
    pub inputs: Vec<Value>,
    /// What a directive returns.
    pub outputs: Vec<Value>,
    /// What a directive may do: calls, then paths. `rye permissions` shows the effective rest.
    pub permissions: Vec<String>,
    /// The files that a tool brings along.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub companions: Vec<String>,
    /// The items that it needs, as its line in the registry lists them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<(ItemType, ItemId)>,
    /// Its published versions, as far as registries were fetched.
    pub versions: Vec<VersionInfo>,
    /// Why it is no longer recommended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<String>,
}

/// Where an item was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Place {
    /// In a space.
    Space {
        /// Which.
        space: Space,
        /// Its file.
        path: String,
    },
    /// In a registry.
    Registry {
        /// Its local name.
        registry: Segment,
        /// The line that published it.
        seq: u64,
    },
}

/// Who signed an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Signer {
    /// The key.
    pub key_id: KeyId,
    /// The names under which it is trusted here, or was.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub principals: Vec<String>,
}

/// One published version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VersionInfo {
    /// The version.
    pub version: Version,
    /// The local name of the registry.
    pub registry: Segment,
    /// Its line in the registry's log.
    pub seq: u64,
    /// The fingerprint of the key that published it.
    pub signer: String,
    /// Whether it is no longer chosen.
    pub is_yanked: bool,
    /// The oldest version of this program that will do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requires_rye: Option<Version>,
}

/// A value that an item takes or returns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Value {
    /// Its name.
    pub name: String,
    /// Its type; a schema may say more than one.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether it has to be there.
    pub required: bool,
    /// What it is if it is not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Json>,
    /// What it means.
    pub description: String,
}

impl Card {
    /// Reads what the bytes of an item say. An invalid item has fewer facts.
    pub(super) fn of(project: &Project, signed: &Signed<Vec<u8>, Unverified>, place: Place) -> Self {
        let (subject, keys) = (signed.subject().clone(), project.keys());
        let item = format::parse_bytes(subject.item_type, &subject.extension, signed.content()).item;
        let signer = match signed.split().line {
            LineState::Present(line) => Some(line.key_id),
            LineState::Absent | LineState::Legacy | LineState::Malformed { .. } | LineState::Doubled => None,
        };
        let card = Self {
            item_type: subject.item_type,
            item_id: subject.item_id,
            version: item.as_ref().and_then(Item::version),
            description: item.as_ref().map(|item| item.summary().to_owned()).unwrap_or_default(),
            place,
            sha256: ContentHash::of(signed.content()),
            verdict: verdict_of(&keys, signed.clone()),
            signer: signer.map(|key_id| {
                let known = keys.with_id(&key_id).iter().map(|key| key.principal.clone());
                let principals = known.filter(|principal| !principal.is_empty()).collect();
                Signer { key_id, principals }
            }),
            author: None,
            model: None,
            limits: None,
            inputs: Vec::new(),
            outputs: Vec::new(),
            permissions: Vec::new(),
            companions: Vec::new(),
            needs: Vec::new(),
            versions: Vec::new(),
            deprecated: None,
        };
        match item {
            Some(Item::Directive(directive)) => card.with_directive(&directive),
            Some(Item::Tool(tool)) => card.with_tool(&tool),
            Some(Item::Knowledge(knowledge)) => Self { author: knowledge.author, ..card },
            Some(Item::Skill(_)) | None => card,
        }
    }

    fn with_directive(self, directive: &Directive) -> Self {
        let model = directive.wanted_model();
        let calls = directive.permissions.iter().flat_map(|all| all.calls.iter().map(ToString::to_string));
        let read =
            directive.permissions.iter().flat_map(|all| all.paths.read.iter().map(|path| format!("read {path}")));
        let write =
            directive.permissions.iter().flat_map(|all| all.paths.write.iter().map(|path| format!("write {path}")));
        let hosts = directive.permissions.iter().flat_map(|all| all.hosts.iter().map(|host| format!("network {host}")));
        let inputs = directive.inputs.iter().map(|input| Value {
            name: input.name.clone(),
            kind: input.kind.to_string(),
            required: input.required && input.default.is_none(),
            default: input.default.clone(),
            description: input.description.clone(),
        });
        let outputs = directive.outputs.iter().map(|output| Value {
            name: output.name.clone(),
            kind: output.kind.to_string(),
            required: output.required,
            default: None,
            description: output.description.clone(),
        });
        Self {
            author: directive.author.clone(),
            model: Some(model.id.unwrap_or(model.tier)),
            limits: Some(directive.limits.clone()),
            inputs: inputs.collect(),
            outputs: outputs.collect(),
            permissions: calls.chain(read).chain(write).chain(hosts).collect(),
            ..self
        }
    }

    fn with_tool(self, tool: &Tool) -> Self {
        let author = tool.rest.get("author").and_then(Json::as_str).map(str::to_owned);
        let companions = tool.companions.iter().map(|companion| companion.path.to_string()).collect();
        Self { author, inputs: parameters(tool.offered_schema().as_ref()), companions, ..self }
    }
}

/// Lists the parameters that a schema names at its top. Its other forms are for machines.
fn parameters(schema: Option<&Json>) -> Vec<Value> {
    let Some(properties) = schema.and_then(|schema| schema.get("properties")).and_then(Json::as_object) else {
        return Vec::new();
    };
    let required = schema.and_then(|schema| schema.get("required")).and_then(Json::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|named| named == name));
    let text = |of: &Json, key: &str| of.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
    let kind = |of: &Json| match of.get("type") {
        Some(Json::String(kind)) => kind.clone(),
        Some(Json::Array(kinds)) => kinds.iter().filter_map(Json::as_str).collect::<Vec<_>>().join(" or "),
        _ => "any".to_owned(),
    };
    let value = |(name, of): (&String, &Json)| Value {
        name: name.clone(),
        kind: kind(of),
        required: is_required(name),
        default: of.get("default").cloned(),
        description: text(of, "description"),
    };
    properties.iter().map(value).collect()
}
