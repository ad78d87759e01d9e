//! How long an outage of a model is waited for.

use serde_json::json;

use super::providers::{ANTHROPIC, CHAT, RESPONSES, Wire, run, world};
use super::world::World;
use crate::support::http::{Reply, Server, reply};

/// Runs the directive with the provider of a wire format.
fn run_over(wire: &Wire, world: &World, server: &Server, args: &[&str]) -> (i32, String) {
    let mut named = vec!["--provider", wire.provider];
    // The document of chat completions names no model.
    if wire.provider == CHAT.provider {
        named.extend(["--model", "gpt-6.1-terra"]);
    }
    named.extend(args);
    let (code, outcome, told) = run(world, server, wire, &named);
    (code, format!("{told}{outcome}"))
}

fn busy(headers: &[&str]) -> Reply {
    let error = r#"{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}"#;
    reply("529 Overloaded", &[&["content-type: application/json"], headers].concat(), error)
}

#[test]
fn a_model_that_answered_before_is_asked_until_it_answers_again() {
    for wire in [ANTHROPIC, RESPONSES, CHAT] {
        let mut replies = vec![(wire.call)("rye_file_system_read", &json!({"path": "README.md"}))];
        replies.extend((0..7).map(|_| busy(&["retry-after-ms: 5"])));
        replies.push((wire.text)("Done."));
        let server = Server::new(replies);
        let (code, told) = run_over(&wire, &world(), &server, &[]);
        assert_eq!((code, server.asked().len()), (0, 9), "{told}");
    }
}

#[test]
fn a_model_that_never_answered_is_asked_five_times() {
    for wire in [ANTHROPIC, RESPONSES, CHAT] {
        let server = Server::new(vec![busy(&["retry-after-ms: 5"])]);
        let (code, told) = run_over(&wire, &world(), &server, &[]);
        assert_eq!((code, server.asked().len()), (6, 5), "{told}");
    }
}

#[test]
fn an_outage_that_is_longer_than_the_patience_ends_the_run_at_once() {
    for wire in [ANTHROPIC, RESPONSES, CHAT] {
        let call = (wire.call)("rye_file_system_read", &json!({"path": "README.md"}));
        let server = Server::new(vec![call, busy(&["retry-after: 90"]), (wire.text)("Done.")]);
        let world = world();
        let (code, told) = run_over(&wire, &world, &server, &["--patience", "1m"]);
        assert_eq!((code, server.asked().len()), (6, 2), "{told}");
        let mut resume = world.rye(&["thread", "resume", "@latest", "--json"]);
        let url = format!("{}{}", server.url(), wire.base);
        let output = resume.env(wire.key, "key").env(wire.url, url).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
