//! Tools of MCP servers: from a wrapper and its parameters to the call of a server's tool, and from its result to this one.
//!
//! Plans and interprets. Which server that is, what it may reach, and whether its tool is the one that was looked at, is the
//! host's to say.

use rye_plugin_abi::tool_kind::{
    InterpretRequest, InterpretResponse, McpCall, Plan, PlanRequest, PlanResponse, Status, ToolKind,
};
use rye_plugin_abi::{Description, Failure};
use serde_json::{Map, Value, json};

rye_plugin_abi::export_tool_kind!(rye_tool_mcp, "mcp", Mcp);

/// The tool kind.
#[derive(Debug)]
pub struct Mcp;

/// The keys of `config`.
const KEYS: [&str; 3] = ["server", "tool", "digest"];

impl ToolKind for Mcp {
    fn describe() -> Description {
        Description::new("mcp", env!("CARGO_PKG_VERSION"), &[])
    }

    fn plan(request: PlanRequest) -> Result<PlanResponse, Failure> {
        let wrong = |message: String| Failure::new("config", message);
        let config = request.header["config"].as_object();
        let config = config.ok_or_else(|| {
            wrong("a tool of kind `mcp` needs a `config` with `server`, `tool` and `digest`".to_owned())
        })?;
        if let Some(key) = config.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(wrong(format!("unknown key `config.{key}` (expected {})", KEYS.join(", "))));
        }
        let text = |key: &str| {
            let text = config.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
            text.map(str::to_owned).ok_or_else(|| wrong(format!("`config.{key}` is not text")))
        };
        let plan = Plan::Mcp(McpCall {
            server: text("server")?,
            tool: text("tool")?,
            arguments: request.parameters,
            digest: text("digest")?,
        });
        Ok(PlanResponse { state: request.state, plan })
    }

    fn interpret(request: InterpretRequest) -> Result<InterpretResponse, Failure> {
        let result = request.mcp.ok_or_else(|| Failure::new("state", "the result is missing"))?;
        let (status, result) = match result["isError"] == json!(true) {
            true => (Status::Error, failed(&result)),
            false => (Status::Ok, value(&result)),
        };
        Ok(InterpretResponse { state: request.state, status, result })
    }
}

/// What a result holds: its structured content; else its text, as JSON if it is that; else its blocks.
fn value(result: &Value) -> Value {
    if let Some(structured) = result.get("structuredContent").filter(|structured| !structured.is_null()) {
        return structured.clone();
    }
    match result["content"].as_array().map(Vec::as_slice) {
        None | Some([]) => Value::Null,
        Some([block]) if block["type"] == json!("text") => text(block),
        Some(blocks) if blocks.iter().all(|block| block["type"] == json!("text")) => {
            let lines: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
            lines.join("\n").into()
        }
        Some(blocks) => json!({"content": blocks.iter().map(shown).collect::<Vec<_>>()}),
    }
}

fn text(block: &Value) -> Value {
    let text = block["text"].as_str().unwrap_or_default();
    serde_json::from_str(text)
        .ok()
        .filter(|value: &Value| value.is_object() || value.is_array())
        .unwrap_or_else(|| text.into())
}

/// A block. The bytes of pictures and sounds are not text for a model: their size is reported.
fn shown(block: &Value) -> Value {
    let Some(members) = block.as_object() else { return block.clone() };
    let member = |(name, value): (&String, &Value)| match (name.as_str(), value) {
        ("data" | "blob", Value::String(bytes)) => {
            (format!("{name}_left_out"), json!(format!("{} characters of base64", bytes.len())))
        }
        (_, Value::Object(_)) => (name.clone(), shown(value)),
        _ => (name.clone(), value.clone()),
    };
    members.iter().map(member).collect::<Map<_, _>>().into()
}

fn failed(result: &Value) -> Value {
    match value(result) {
        Value::String(message) => json!({"message": message}),
        Value::Null => json!({"message": "the server says that the call failed, and not why"}),
        Value::Object(failure) if failure.contains_key("message") => Value::Object(failure),
        other => json!({"message": "the server says that the call failed", "result": other}),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn interpreted(result: Value) -> (Status, Value) {
        let answer = Mcp::interpret(InterpretRequest { mcp: Some(result), ..InterpretRequest::default() }).unwrap();
        (answer.status, answer.result)
    }

    #[test]
    fn a_wrapper_becomes_a_call() {
        let request = |config: Value| PlanRequest {
            state: Value::Null,
            item_id: "mcp/time/now".to_owned(),
            extension: "yaml".to_owned(),
            header: json!({"config": config}),
            parameters: json!({"zone": "UTC"}),
            source: String::new(),
        };
        let planned = Mcp::plan(request(json!({"server": "time", "tool": "now", "digest": "ab"}))).unwrap();
        assert_eq!(
            serde_json::to_value(planned.plan).unwrap(),
            json!({"kind": "mcp", "server": "time", "tool": "now", "arguments": {"zone": "UTC"}, "digest": "ab"})
        );
        for config in
            [json!(null), json!({"server": "time"}), json!({"server": "a", "tool": "b", "digest": "c", "d": 1})]
        {
            assert_eq!(Mcp::plan(request(config)).unwrap_err().code, "config");
        }
    }

    #[test]
    fn a_result_is_what_the_server_means() {
        let block = |text: &str| json!({"type": "text", "text": text});
        assert_eq!(interpreted(json!({"content": [block("hi")]})), (Status::Ok, json!("hi")));
        assert_eq!(interpreted(json!({"content": [block("{\"a\": 1}")]})), (Status::Ok, json!({"a": 1})));
        assert_eq!(interpreted(json!({"content": [block("7")]})), (Status::Ok, json!("7")));
        assert_eq!(interpreted(json!({"content": [block("a"), block("b")]})), (Status::Ok, json!("a\nb")));
        assert_eq!(
            interpreted(json!({"content": [block("x")], "structuredContent": {"a": 1}})),
            (Status::Ok, json!({"a": 1}))
        );
        assert_eq!(
            interpreted(json!({"content": [block("no"),], "isError": true})),
            (Status::Error, json!({"message": "no"}))
        );
        assert_eq!(
            interpreted(json!({"content": [{"type": "image", "data": "AAAA", "mimeType": "image/png"}]})),
            (
                Status::Ok,
                json!({"content": [{"type": "image", "data_left_out": "4 characters of base64", "mimeType": "image/png"}]})
            )
        );
    }
}
