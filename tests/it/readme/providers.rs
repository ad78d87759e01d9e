//! The documents that docs/providers.md shows, written down as the page says, signed, and asked: only the servers are others.

use serde_json::json;

use super::page::Page;
use super::tour::{self, Sandbox};
use crate::support::http::{Asked, Server};
use crate::thread::providers::{ANTHROPIC, CHAT, Wire};

fn page() -> Page {
    super::read(&std::path::Path::new(crate::support::ROOT).join("docs/providers.md"))
}

/// A server that speaks a wire format: it answers the question of a check, and has a thread return its outputs.
fn server(wire: Wire) -> Server {
    Server::answering(move |_, asked: &Asked| match asked.body["tools"].as_array() {
        Some(tools) if !tools.is_empty() => (wire.call)("directive_return", &json!({"note": "n", "source": "s"})),
        _ => (wire.text)("ok"),
    })
}

/// Saves what the page has saved, with this server in the place of `host`.
fn save(page: &Page, sandbox: &Sandbox, host: &str, server: &Server) {
    let address = server.url().replace("http://", "");
    for block in &page.blocks {
        let Some(path) = &block.saved_as else { continue };
        let text = block.text.replace(&format!("https://{host}"), &server.url()).replace(host, &address);
        tour::save(&sandbox.place(path), &text);
    }
}

fn first_commit(sandbox: &Sandbox) {
    let set = "git config user.name Ada && git config user.email ada@example.org";
    sandbox.sh(&format!("{set} && git commit --quiet --allow-empty --message first")).unwrap();
}

#[test]
fn the_document_shown_serves_a_thread_as_shown() {
    let (page, server, sandbox) = (page(), server(CHAT), Sandbox::new());
    save(&page, &sandbox, "llm.example.org", &server);
    first_commit(&sandbox);
    sandbox.sh("rye -C ~ sign tool my/server").unwrap();
    let commands = page.blocks.iter().find(|block| block.text.contains("rye provider check my/server")).unwrap();
    let written = sandbox.sh(&format!("set -e\n{}", commands.text)).unwrap_or_else(|told| panic!("{told}"));
    assert!(written.contains("ok my/server big-model") && written.contains("status    completed"), "{written}");
    let asked = server.asked();
    assert_eq!(asked.len(), 2);
    for asked in asked {
        assert_eq!((asked.path.as_str(), &asked.body["model"]), ("/v1/chat/completions", &json!("big-model")));
        assert_eq!(asked.header("authorization"), Some("Bearer ..."));
        assert!(asked.body["max_tokens"].is_u64() && asked.body["max_completion_tokens"].is_null());
    }
    // Without a line of the configuration the secret stays here.
    std::fs::write(sandbox.place("~/.config/rye/config.toml"), "").unwrap();
    let told = sandbox.sh(&commands.text).unwrap_err();
    assert!(told.contains("the secret `MY_SERVER_KEY` may not go to"), "{told}");
    assert_eq!(server.asked().len(), 2);
}

#[test]
fn the_document_for_the_other_protocol_serves_too() {
    let (page, server, sandbox) = (page(), server(ANTHROPIC), Sandbox::new());
    save(&page, &sandbox, "gateway.example.org", &server);
    first_commit(&sandbox);
    let host = server.url().replace("http://", "");
    let binding = format!("[secrets.MY_GATEWAY_KEY]\nhosts = [\"{host}\"]\nitems = [\"my/gateway\"]\n");
    std::fs::write(sandbox.place("~/.config/rye/config.toml"), binding).unwrap();
    let commands = "set -e\nrye -C ~ sign tool my/gateway\nexport MY_GATEWAY_KEY=a-key\n\
                    rye provider check my/gateway --model claude-sonnet-5-5\n\
                    rye thread run rye/guides/first_thread --provider my/gateway --model claude-sonnet-5-5";
    let written = sandbox.sh(commands).unwrap_or_else(|told| panic!("{told}"));
    assert!(
        written.contains("ok my/gateway claude-sonnet-5-5") && written.contains("status    completed"),
        "{written}"
    );
    let asked = server.asked();
    assert!(asked.iter().all(|asked| asked.path == "/v1/messages" && asked.header("x-api-key") == Some("a-key")));
}

/// The page names no key of a document that does nothing.
#[test]
fn the_documents_shown_have_no_findings() {
    let (page, sandbox) = (page(), Sandbox::new());
    for block in page.blocks.iter().filter(|block| block.language == "yaml") {
        let path = block.saved_as.as_ref().unwrap();
        tour::save(&sandbox.place(path), &block.text);
    }
    let told = sandbox.sh("rye -C ~ lint my/server my/gateway").unwrap_or_else(|told| panic!("{told}"));
    assert!(!told.contains("RYE-"), "{told}");
}
