//! JSON Schema of provider documents, for editors. The reader says the same: a test changes a document in every place and compares.

use serde_json::{Value, json};

/// Words of the names of headers that authenticate.
const AUTHENTICATING: &str = "(^|-)(apikey|auth|authenticate|authentication|authorization|cookie|credentials?|key|password|proxy|secret|signature|token)(-|$)";

/// Returns the schema of a provider document.
pub(super) fn provider_json_schema() -> Value {
    let text = |description: &str| json!({"type": "string", "description": description});
    let note = |description: &str| json!({"type": ["string", "null"], "description": description});
    let switch = |description: &str| json!({"type": "boolean", "description": description});
    let tokens = |description: &str| json!({"type": "integer", "minimum": 1, "description": description});
    let map = |description: &str, properties: Value| json!({"type": "object", "additionalProperties": false, "properties": properties, "description": description});
    let by_model = |description: &str, inside: Value| json!({"type": "object", "additionalProperties": inside, "description": description});
    let variable =
        |description: &str| json!({"type": "string", "pattern": "^[A-Z][A-Z0-9_]*$", "description": description});
    let mut auth = map(
        "What authenticates requests. It names a secret and never holds one.",
        json!({
            "secret": variable("The name of the secret, in capitals."),
            "header": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9-]*$", "maxLength": 1024, "description": "The header that carries it; `authorization` unless said."},
            "prefix": {"type": "string", "pattern": "^[ -~]*$", "maxLength": 1024, "description": "What comes before it; `Bearer ` in `authorization`."},
        }),
    );
    auth["required"] = json!(["secret"]);
    let servers = ["url", "url_variable", "auth", "headers", "retry", "params", "cache", "stream"];
    let only_openai = ["wire", "max_tokens_field"];
    let without = |keys: &[&str]| -> Value { keys.iter().map(|key| ((*key).to_owned(), json!(false))).collect() };
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A Rye provider document",
        "description": "A YAML tool of your user space with `tool_type: provider`: how to reach models, and what they cost.",
        "type": "object",
        "required": ["version", "tool_type", "plugin"],
        "additionalProperties": false,
        "properties": {
            "version": {"type": "string", "pattern": super::items::VERSION, "description": "Three numbers, in quotes."},
            "description": note("One line that says whose models it asks."),
            "tool_id": note("The document's id, or its last segment."),
            "category": note("The folder below .ai/tools."),
            "tool_type": {"const": "provider"},
            "author": {"description": "For search."},
            "tags": {"description": "For search."},
            "plugin": {"type": "string", "minLength": 1, "examples": ["openai", "anthropic"], "description": "The plugin that speaks the server's protocol."},
            "wire": {"enum": ["chat", "responses"], "description": "Of the plugin `openai`: Chat Completions, or Responses."},
            "max_tokens_field": {"type": "string", "minLength": 1, "description": "Of the plugin `openai`: the field that bounds an answer."},
            "url": text("The server's address, without the path of the wire format: https, or http to this machine."),
            "url_variable": variable("A variable of the environment that takes the place of `url`."),
            "auth": auth,
            "headers": {
                "type": "object",
                "maxProperties": 32,
                "propertyNames": {
                    "pattern": "^[a-z0-9][a-z0-9-]*$",
                    "maxLength": 1024,
                    "not": {"anyOf": [{"pattern": AUTHENTICATING}, {"enum": WRITTEN}]},
                },
                "additionalProperties": {"type": "string", "maxLength": 1024, "pattern": "^[!-~]([ -~]*[!-~])?$"},
                "description": "Further headers of every request, in lower case. None that authenticates: that is `auth`.",
            },
            "retry": map("How often a request that failed is repeated.", json!({
                "attempts": {"type": "integer", "minimum": 1, "maximum": 5, "description": "The most attempts, the first one included (5)."},
                "seconds": {"type": "integer", "minimum": 0, "maximum": 30, "description": "The longest wait between all of them together (30)."},
            })),
            "params": {"type": "object", "description": "Further fields of each request's body."},
            "cache": switch("Whether the provider's cache is asked for (true)."),
            "stream": switch("Whether a stream of events is asked for (true)."),
            "tiers": {"type": "object", "additionalProperties": {"type": "string", "minLength": 1}, "description": "The model of each tier that directives name."},
            "pricing": by_model("The price of each model; `*` is any other.", price()),
            "models": by_model("The sizes of each model, in tokens; `*` is any other.", map("Its sizes.", json!({
                "context": tokens("Input and output of one call together."),
                "max_output_tokens": tokens("The greatest output of one call."),
                "params": {"type": "object", "description": "Fields that take the place of those of `params`; null leaves one out."},
            }))),
            "limits": map("Limits of every model.", json!({
                "max_output_tokens": tokens("The greatest output of one call (8,192)."),
            })),
            "prompts": map("Texts for the model.", json!({
                "system_template": text("The system prompt, with places such as `{directive_name}`."),
            })),
        },
        "allOf": [
            {
                "if": {"properties": {"plugin": {"enum": ["steps", "scripted"]}}},
                "then": {"properties": without(&servers)},
            },
            {
                "if": {"anyOf": std::iter::once(json!({"properties": {"plugin": {"enum": ["anthropic", "openai"]}}}))
                    .chain(OF_SERVERS.map(|key| json!({"required": [key]})))
                    .collect::<Vec<_>>()},
                "then": {"required": ["url"]},
            },
            {
                "if": {"properties": {"plugin": {"enum": ["steps", "scripted", "anthropic"]}}},
                "then": {"properties": without(&only_openai)},
            },
        ],
    })
}

/// Keys that say how a server is asked.
const OF_SERVERS: [&str; 7] = ["url_variable", "auth", "headers", "retry", "params", "cache", "stream"];

/// Headers that the program writes.
const WRITTEN: [&str; 19] = [
    "accept",
    "accept-encoding",
    "anthropic-version",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "date",
    "expect",
    "forwarded",
    "host",
    "keep-alive",
    "origin",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "via",
];

fn price() -> Value {
    let amount = |description: &str| {
        json!({
            "anyOf": [
                {"type": "string", "pattern": "^[0-9]{1,10}([.][0-9]{1,9})?$"},
                {"type": "number", "minimum": 0, "maximum": 1_000_000_000},
            ],
            "description": description,
        })
    };
    json!({
        "type": "object",
        "required": ["input_per_million", "output_per_million"],
        "additionalProperties": false,
        "properties": {
            "input_per_million": amount("For a million input tokens."),
            "output_per_million": amount("For a million output tokens."),
            "cache_read_per_million": amount("For input from the provider's cache."),
            "cache_write_per_million": amount("For input that goes into the provider's cache."),
            "cache_write_1h_per_million": amount("For input that stays in the provider's cache for an hour."),
            "currency": {"type": "string", "pattern": "^[A-Z]{3}$", "description": "Three capital letters (USD)."},
        },
    })
}
