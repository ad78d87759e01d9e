//! A server that a project's `.mcp.json` declares, as lines for the person's own configuration. They are shown and never taken: which
//! programs run is not the project's to say.

use std::fmt::Write as _;

use serde_json::Value;

use crate::project::Project;

/// The file that other clients read.
const FILE: &str = ".mcp.json";
/// The largest such file, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// Returns the lines that declare a server as the project's `.mcp.json` does.
pub(super) fn lines(project: &Project, name: &str) -> Option<String> {
    let files = project.open_files(project.root().ok()?).ok()?;
    let read = files.read(&FILE.parse().ok()?, MOST_BYTES).ok().filter(|read| !read.truncated)?;
    let declared: Value = serde_json::from_slice(&read.bytes).ok()?;
    declaration(name, declared.get("mcpServers")?.get(name)?)
}

fn declaration(name: &str, server: &Value) -> Option<String> {
    let mut lines = format!("[mcp_servers.{name}]\n");
    let text = |key: &str| server.get(key).and_then(Value::as_str);
    if let Some(url) = text("url") {
        let _ = writeln!(lines, "url = {}", quoted(url));
        let headers = server.get("headers").and_then(Value::as_object).into_iter().flatten();
        for (header, value) in headers {
            let (prefix, secret) = value.as_str().and_then(variable_at_end)?;
            let (header, prefix, secret) = (quoted(header), quoted(prefix), quoted(secret));
            let _ = writeln!(lines, "auth = {{ header = {header}, prefix = {prefix}, secret = {secret} }}");
        }
        return Some(lines);
    }
    let arguments = server.get("args").and_then(Value::as_array).into_iter().flatten();
    let words = std::iter::once(text("command")?).chain(arguments.filter_map(Value::as_str));
    let _ = writeln!(lines, "command = [{}]", words.map(quoted).collect::<Vec<_>>().join(", "));
    let env = server.get("env").and_then(Value::as_object).into_iter().flatten();
    let env: Vec<String> = env.map(|(name, value)| format!("{} = {}", key(name), variable(value))).collect();
    if !env.is_empty() {
        let _ = writeln!(lines, "env = {{ {} }}", env.join(", "));
    }
    Some(lines)
}

/// A variable: `${NAME}` is that of this program.
fn variable(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match variable_at_end(&text) {
        Some(("", name)) => format!("{{ secret = {} }}", quoted(name)),
        Some(_) | None => quoted(&text),
    }
}

/// Splits a text that ends with `${NAME}`.
fn variable_at_end(text: &str) -> Option<(&str, &str)> {
    let (before, name) = text.strip_suffix('}')?.rsplit_once("${")?;
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name.then_some((before, name))
}

fn key(name: &str) -> String {
    let is_plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_plain { name.to_owned() } else { quoted(name) }
}

/// A text as TOML and JSON both write it.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_other_clients_read_is_shown_as_this_configuration() {
        for (server, expected) in [
            (
                json!({"command": "npx", "args": ["-y", "mcp-clock"], "env": {"TOKEN": "${CLOCK_TOKEN}", "MODE": "a\nb", "N": 1}}),
                "command = [\"npx\", \"-y\", \"mcp-clock\"]\nenv = { TOKEN = { secret = \"CLOCK_TOKEN\" }, MODE = \"a\\nb\", N = \"1\" }\n",
            ),
            (json!({"command": "clock"}), "command = [\"clock\"]\n"),
            (
                json!({"type": "http", "url": "https://x.example/mcp", "headers": {"Authorization": "Bearer ${T}"}}),
                "url = \"https://x.example/mcp\"\nauth = { header = \"Authorization\", prefix = \"Bearer \", secret = \"T\" }\n",
            ),
        ] {
            assert_eq!(declaration("clock", &server), Some(format!("[mcp_servers.clock]\n{expected}")));
        }
        assert_eq!(declaration("clock", &json!({"args": ["x"]})), None);
    }
}
