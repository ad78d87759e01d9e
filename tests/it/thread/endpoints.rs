//! What servers do around an answer, on each wire format: they close connections, bill their cache by the hour, and know no
//! reasoning. Each is seen in `thread show`, in the page, and in a replay.

use rye::event::EventData;
use serde_json::{Value, json};

use super::loose_ends::{chat_call, fault, named, tells, unsigned_call};
use super::provider_document::document;
use super::providers::{ANTHROPIC, CHAT, RESPONSES, Wire, run, world};
use crate::support::http::{Piece, Reply, Server, reply};

/// A reply as text, changed.
fn changed(reply: Reply, change: impl Fn(&str) -> String) -> Reply {
    let change = |piece: Piece| match piece {
        Piece::Bytes(bytes) => Piece::Bytes(change(&String::from_utf8(bytes).unwrap()).into_bytes()),
        other => other,
    };
    reply.into_iter().map(change).collect()
}

/// A reply whose server closes the connection after it, and did not say that it would.
fn unannounced(reply: Reply) -> Reply {
    let bytes = reply.into_iter().filter_map(|piece| match piece {
        Piece::Bytes(bytes) => Some(bytes),
        Piece::Wait(_) | Piece::Until(_) => None,
    });
    let text = String::from_utf8(bytes.flatten().collect()).unwrap();
    let (_, body) = text.split_once("\r\n\r\n").unwrap();
    let length = format!("content-length: {}\r\n", body.len());
    vec![Piece::Bytes(text.replacen("connection: close\r\n", &length, 1).into_bytes())]
}

#[test]
fn a_connection_that_was_closed_between_two_turns_is_not_told_as_billed() {
    for wire in [ANTHROPIC, RESPONSES, CHAT] {
        let world = world();
        let write = (wire.call)("rye_file_system_write", &json!({"path": "notes/a.md", "content": "hi\n"}));
        let server = Server::new(vec![unannounced(write), unannounced((wire.text)("Done."))]);
        let (exit, outcome, told) = run(&world, &server, &wire, &named(&wire));
        assert_eq!((exit, &outcome["turns"]), (0, &json!(2)), "{}: {told}{outcome}", wire.provider);
        assert_eq!(server.asked().len(), 2, "{}", wire.provider);
        let thread = world.shown(&outcome);
        world.check(&thread);
        let lost = world
            .events(&thread)
            .into_iter()
            .find(|event| matches!(event.what, EventData::RequestsUnanswered { .. } | EventData::Retry { .. }));
        assert_eq!(lost, None, "{}", wire.provider);
        for text in tells(&world, &["Done."]) {
            assert!(!text.contains("may have been billed"), "{}: {text}", wire.provider);
        }
    }
}

/// An answer of which 1,000 tokens were put into the cache, 600 of them for an hour: as Anthropic tells it, and as LiteLLM does on
/// the wire formats of OpenAI.
fn cached_for_an_hour(wire: &Wire) -> Reply {
    let parts = r#"{"ephemeral_5m_input_tokens":400,"ephemeral_1h_input_tokens":600}"#;
    let (from, to) = match wire.provider == ANTHROPIC.provider {
        true => {
            let written = r#""cache_creation_input_tokens":"#;
            (format!("{written}10"), format!(r#"{written}1000,"cache_creation":{parts}"#))
        }
        false => {
            let written = r#""cache_creation_tokens":1000,"cache_creation_token_details":"#;
            (r#""cached_tokens":30"#.to_owned(), format!(r#""cached_tokens":30,{written}{parts}"#))
        }
    };
    changed((wire.text)("Done."), |text| {
        text.replace(&from, &to).replace(r#"t_tokens":100,"#, r#"t_tokens":1090,"#).replace(r#":120"#, ":1110")
    })
}

/// 60 fresh tokens, 30 from the cache, 400 into it, 600 into it for an hour at twice the input's price, 20 of output.
#[test]
fn tokens_that_are_cached_for_an_hour_have_their_price() {
    for (wire, spend) in [(ANTHROPIC, "0.003723"), (RESPONSES, "0.0018615"), (CHAT, "0.0018615")] {
        let world = world();
        let server = Server::new(vec![cached_for_an_hour(&wire)]);
        let (exit, outcome, told) = run(&world, &server, &wire, &named(&wire));
        assert_eq!((exit, &outcome["spend"]["amount"]), (0, &json!(spend)), "{}: {told}{outcome}", wire.provider);
        let usage = &outcome["usage"];
        let written = (&usage["input_tokens"], &usage["cache_write_tokens"], &usage["cache_write_1h_tokens"]);
        assert_eq!(written, (&json!(1090), &json!(1000), &json!(600)), "{}: {outcome}", wire.provider);
        let thread = world.shown(&outcome);
        world.check(&thread);
        tells(&world, &[&format!("{spend} USD")]);
        // The price is in the record: another default of another version changes nothing of it.
        let setup: Value = serde_json::from_str(&world.thread_file(&thread, "setup.json")).unwrap();
        let twice = if wire.provider == ANTHROPIC.provider { "4.00" } else { "2.00" };
        assert_eq!(setup["price"]["cache_write_1h_per_million"]["amount"], twice, "{setup}");
        assert_eq!(setup["price"]["cache_1h_unasked"], true, "{setup}");
    }
}

/// LiteLLM in front of a model without reasoning: it refuses the field, and answers with thinking that nothing signed.
fn litellm(replies: Vec<Reply>) -> Server {
    Server::answering(move |number, asked| {
        let fields = ["thinking", "output_config", "reasoning_effort", "reasoning"];
        let field = fields.into_iter().find(|field| !asked.body[*field].is_null());
        let message = match (field, fault(asked)) {
            (None, None) => return replies[number.saturating_sub(1).min(replies.len() - 1)].clone(),
            (None, Some(fault)) => fault,
            (Some(field), _) => format!(
                "litellm.UnsupportedParamsError: ollama_chat does not support parameters: {{'{field}': {}}}, for model=local. To \
                 drop these, set `litellm.drop_params=True` or for proxy:\n\n`litellm_settings:\n drop_params: true`\n. \n If you \
                 want to use these params dynamically send allowed_openai_params=['{field}'] in your request.",
                asked.body[field]
            ),
        };
        let error = json!({"error": {"message": message, "type": "None", "param": "None", "code": "400"}});
        reply("400 Bad Request", &["content-type: application/json"], &error.to_string())
    })
}

#[test]
fn litellm_without_reasoning_is_asked_without_it() {
    let input = json!({"path": "notes/a.md", "content": "hi\n"});
    let unsigned = json!({"role": "assistant", "content": null, "reasoning_content": "Hm.",
        "thinking_blocks": [{"type": "thinking", "thinking": "Hm."}]});
    let thinking =
        "params:\n  thinking:\n    type: enabled\n    budget_tokens: 2048\n  output_config:\n    effort: high\n";
    for (wire, params, fields, call) in [
        (ANTHROPIC, thinking, "thinking, output_config", unsigned_call("rye_file_system_write", &input)),
        (CHAT, "params:\n  reasoning_effort: high\n", "reasoning_effort", chat_call(unsigned, &input)),
        (RESPONSES, "params:\n  reasoning:\n    effort: high\n", "reasoning, include", {
            (RESPONSES.call)("rye_file_system_write", &input)
        }),
    ] {
        let (world, server) = (world(), litellm(vec![call, (wire.text)("Done.")]));
        document(&world, &wire, &server, params);
        let (exit, outcome) = world.rye_json(&["thread", "run", "demo/work"]);
        assert_eq!((exit, &outcome["turns"]), (0, &json!(2)), "{}: {outcome}", wire.provider);
        let first = fields.split(", ").next().unwrap();
        let asked: Vec<bool> = server.asked().iter().map(|asked| !asked.body[first].is_null()).collect();
        assert_eq!(asked, [true, false, false], "{}", wire.provider);
        world.check(&world.shown(&outcome));
        tells(&world, &[&format!("asked without {fields} from here on"), "litellm.UnsupportedParamsError"]);
    }
}
