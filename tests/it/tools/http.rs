//! Tools of kind `http`: a template that becomes a request, sent where the tool may go, with a secret that is bound to both.

use std::time::Duration;

use rye::event::{AskedHost, EventData};
use serde_json::{Value, json};

use super::{configure, execute, sign, told};
use crate::support::http::{Piece, Reply, Server, reply};
use crate::thread::world::{World, call, result_in_turn, text};

const JSON: &str = "content-type: application/json";

fn template(url: &str, more: &str) -> String {
    format!(
        "version: \"1.0.0\"\ncategory: demo\ndescription: \"Asks a server\"\nexecutor_id: http\nparameters:\n  type: object\n  properties: {{owner: {{type: string}}, n: {{type: integer}}, state: {{type: string}}}}\nconfig:\n  url: \"{url}\"\n{more}"
    )
}

/// A world with a signed tool `demo/ask`, and its server.
fn world(replies: Vec<Reply>, path: &str, more: &str) -> (World, Server) {
    let server = Server::new(replies);
    let world = World::new();
    world.write(".ai/tools/demo/ask.yaml", &template(&format!("{}{path}", server.url()), more));
    sign(&world);
    (world, server)
}

fn host(server: &Server) -> String {
    server.url().replace("http://", "")
}

#[test]
fn a_template_becomes_a_request_and_its_response_a_result() {
    let more = "  method: POST\n  query: {state: \"{state}\", page: 1}\n  headers: {x-trace: \"t {owner}\"}\n  body: {n: \"{n}\", who: \"by {owner}\", none: \"{state}\"}\n  response: {result: {first: /items/0, total: /total}}\n";
    let (world, server) = world(
        vec![reply("200 OK", &[JSON], r#"{"items": [{"a": 1}], "total": 12345678901234567890}"#)],
        "/repos/{owner}/issues",
        more,
    );
    let (code, said, err) = execute(&world, "demo/ask", &json!({"owner": "a/../b?x#y", "n": 3}));
    assert_eq!(code, 0, "{err}");
    let outcome: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(outcome["result"]["first"], json!({"a": 1}), "{said}");
    assert!(said.contains("12345678901234567890"), "{said}");
    let asked = &server.asked()[0];
    assert_eq!(asked.path, "/repos/a%2F..%2Fb%3Fx%23y/issues?page=1");
    assert_eq!(asked.body, json!({"n": 3, "who": "by a/../b?x#y"}));
    assert_eq!(
        (asked.header("x-trace"), asked.header("content-type")),
        (Some("t a/../b?x#y"), Some("application/json"))
    );
    assert_eq!(asked.header("host"), Some(host(&server).as_str()));
    let (code, said, _) =
        told(&world.rye(&["execute", "tool", "demo/ask", "--dry-run", "--json", "-p", "owner=x"]).output().unwrap());
    let planned: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((code, &planned["kind"], &planned["request"]["method"]), (0, &json!("http"), &json!("POST")));
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn a_parameter_leaves_neither_its_segment_nor_its_header_line() {
    let (world, server) =
        world(vec![reply("200 OK", &[JSON], "{}")], "/a/{owner}/c", "  headers: {x-trace: \"{state}\"}\n");
    for parameters in [
        json!({"owner": ".."}),
        json!({"owner": "."}),
        json!({"owner": ""}),
        json!({}),
        json!({"owner": "x", "state": "a\r\nx-evil: 1"}),
        json!({"owner": "x", "state": "a\nb"}),
    ] {
        let (code, said, err) = execute(&world, "demo/ask", &parameters);
        assert!(
            code != 0 && err.contains("wrong-parameters") || said.contains("wrong-parameters"),
            "{parameters}: {code} {said}{err}"
        );
    }
    assert!(server.asked().is_empty());
    for url in ["https://{owner}/x", "http://127.0.0.1:{n}/", "https://a@127.0.0.1/"] {
        world.write(".ai/tools/demo/host.yaml", &template(url, ""));
        let (_, said, err) = told(&world.rye(&["lint", "demo/host"]).output().unwrap());
        assert!(format!("{said}{err}").contains("no parameter is in it"), "{url}: {said}{err}");
    }
    // A secret in the address is not repeated, and http leads to this machine alone.
    world.write(".ai/tools/demo/host.yaml", &template("http://example.org/x", ""));
    sign(&world);
    let (code, said, err) = execute(&world, "demo/host", &json!({}));
    assert!(code != 0 && format!("{said}{err}").contains("plain http is allowed only on this machine"), "{said}{err}");
}

/// The secret goes to a host that its person bound it to, by a tool that they bound it to, and is in no result.
#[test]
fn a_secret_goes_only_where_it_is_bound_and_is_not_shown() {
    let server = Server::answering(|_, asked| {
        let body = json!({"auth": asked.header("authorization"), "path": asked.path});
        reply(
            "403 Forbidden",
            &[JSON, &format!("x-echo: {}", asked.header("authorization").unwrap_or_default())],
            &body.to_string(),
        )
    });
    let world = World::new();
    let more = "  auth: {secret: DEMO_TOKEN}\n  response: {error: /auth}\n";
    for name in ["ask", "other"] {
        world.write(&format!(".ai/tools/demo/{name}.yaml"), &template(&format!("{}/x", server.url()), more));
    }
    sign(&world);
    let run = |id: &str| {
        let mut rye = world.rye(&["execute", "tool", id, "--json"]);
        let (code, said, err) = told(&rye.env("DEMO_TOKEN", "a-secret-of-ada").output().unwrap());
        let seen = format!("{said}{err}");
        assert!(!seen.contains("a-secret-of-ada"), "{seen}");
        (code, seen)
    };
    let binding =
        |host: &str, item: &str| format!("[secrets.DEMO_TOKEN]\nhosts = [\"{host}\"]\nitems = [\"{item}\"]\n");
    for config in [String::new(), binding("127.0.0.1:1", "demo/ask"), binding(&host(&server), "demo/elsewhere")] {
        configure(&world, &config);
        let (code, seen) = run("demo/ask");
        assert!(code == 4 && seen.contains("secret-not-bound"), "{config}: {code} {seen}");
    }
    configure(&world, &binding(&host(&server), "demo/ask"));
    assert!(run("demo/other").1.contains("secret-not-bound"));
    assert!(server.asked().is_empty());
    let (_, seen) = run("demo/ask");
    assert!(seen.contains("[redacted: value of DEMO_TOKEN]"), "{seen}");
    assert_eq!(server.asked()[0].header("authorization"), Some("Bearer a-secret-of-ada"));
    let (code, said, err) = execute(&world, "demo/ask", &json!({}));
    assert!(code == 1 && format!("{said}{err}").contains("no-secret"), "{said}{err}");
}

/// A tool is signed and shared: a secret has no place in it.
#[test]
fn a_tool_that_holds_a_secret_is_not_run() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let (world, server) = world(
        vec![reply("200 OK", &[JSON], "{}")],
        "/x",
        &format!("  headers: {{authorization: \"Bearer {token}\"}}\n"),
    );
    let (code, said, err) = execute(&world, "demo/ask", &json!({}));
    let seen = format!("{said}{err}");
    assert!(code == 1 && seen.contains("its `config` contains a secret") && !seen.contains(&token), "{code} {seen}");
    assert!(server.asked().is_empty());
    // What only names one does not.
    for header in ["Bearer {owner}", "{owner}", "token {owner}"] {
        let more = format!(
            "  method: POST\n  headers: {{authorization: \"{header}\"}}\n  body: {{password: \"{{owner}}\", api_key: \"{{state}}\"}}\n"
        );
        world.write(".ai/tools/demo/ask.yaml", &template(&format!("{}/x", server.url()), &more));
        sign(&world);
        let (code, said, err) = execute(&world, "demo/ask", &json!({"owner": "ada"}));
        assert_eq!(code, 0, "{header}: {said}{err}");
    }
}

#[test]
fn a_redirect_to_another_origin_is_not_followed() {
    let other = Server::new(vec![reply("200 OK", &[JSON], "{}")]);
    let to = format!("location: {}/x", other.url());
    let here = vec![reply("302 Found", &["location: /there"], ""), reply("302 Found", &[&to], "")];
    let (world, server) = world(here, "/x", "");
    let (code, said, err) = execute(&world, "demo/ask", &json!({}));
    assert!(code == 1 && format!("{said}{err}").contains("a request is not sent on to another host"), "{said}{err}");
    assert_eq!(server.asked().iter().map(|asked| asked.path.as_str()).collect::<Vec<_>>(), ["/x", "/there"]);
    assert!(other.asked().is_empty());
}

#[test]
fn a_server_that_floods_or_hangs_ends_in_a_sentence() {
    let flood =
        vec![Piece::Bytes(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".to_vec()), Piece::Bytes(vec![b'x'; 2 << 20])];
    let (flooded, _server) = world(vec![flood], "/x", "");
    let (code, said, err) = execute(&flooded, "demo/ask", &json!({}));
    assert!(code == 1 && format!("{said}{err}").contains("exceeds 1048576 bytes"), "{err}");
    let (hung, _server) = world(vec![vec![Piece::Wait(Duration::from_secs(20))]], "/x", "  timeout: 1\n");
    let (code, said, err) = execute(&hung, "demo/ask", &json!({}));
    assert!(code == 1 && format!("{said}{err}").contains("within 1 s"), "{said}{err}");
}

#[test]
fn a_tool_that_is_not_signed_sends_nothing() {
    let (world, server) = world(vec![reply("200 OK", &[JSON], "{}")], "/x", "");
    let path = ".ai/tools/demo/ask.yaml";
    world.write(path, &world.read(path).replace("/x\"", "/y\""));
    let (code, said, err) = execute(&world, "demo/ask", &json!({}));
    assert!(code == 3, "{code} {said}{err}");
    assert!(server.asked().is_empty());
}

/// In a thread the directive's permissions name the hosts, whatever the tool's own file spells out.
#[test]
fn in_a_thread_a_request_goes_to_hosts_that_are_named() {
    let (world, server) = world(vec![reply("200 OK", &[JSON], "{\"a\": 1}")], "/x", "");
    let permissions = |host: &str| {
        format!(
            "<execute><tool>demo.ask</tool></execute><network host=\"{host}\" /><acknowledge risk=\"elevated\">It asks.</acknowledge>"
        )
    };
    for (host_named, is_allowed) in [(host(&server), true), ("example.org".to_owned(), false)] {
        world.directive(&permissions(&host_named), r#"turns="3""#, "");
        let outcome = world.run(&[call("demo_ask", json!({})), text("Done.")]);
        let events = world.events(&outcome);
        let asked = events.iter().find_map(|event| match &event.what {
            EventData::ToolCallResult { hosts, .. } => Some(hosts.clone()),
            _ => None,
        });
        assert_eq!(asked.unwrap(), [AskedHost { host: host(&server), allowed: is_allowed }]);
        let told = result_in_turn(&events, 1).to_string();
        let expected = format!("the directive needs `<network host=\\\"{}\\\"/>`", host(&server));
        assert_eq!(told.contains(&expected), !is_allowed, "{told}");
        world.check(&outcome);
    }
    assert_eq!(server.asked().len(), 1);
}

/// `rye/web/fetch` reads what its caller names, so only a permission for the host lets it.
#[test]
fn a_page_is_read_where_its_host_is_named() {
    let page =
        "<html><head><title>T</title></head><body><h1>One</h1><script>x()</script><p>two &amp; three</p></body></html>";
    let server = Server::answering(move |_, asked| match asked.path.as_str() {
        "/long" => reply("200 OK", &["content-type: text/plain"], &"x".repeat(300 << 10)),
        "/picture" => reply("200 OK", &["content-type: image/png"], "x"),
        "/none" => reply("404 Not Found", &["content-type: text/plain"], "no"),
        _ => reply("200 OK", &["content-type: text/html; charset=utf-8"], page),
    });
    let world = World::new();
    let fetch = |path: &str, raw: bool| {
        let (code, said, err) =
            execute(&world, "rye/web/fetch", &json!({"url": format!("{}{path}", server.url()), "raw": raw}));
        (code, format!("{said}{err}"), serde_json::from_str::<Value>(&said).unwrap_or_default()["result"].clone())
    };
    // By hand, too: the address is not text of a verified file.
    let (code, seen, _) = fetch("/", false);
    assert!(code == 1 && seen.contains("is not in `sandbox.network`"), "{seen}");
    assert!(server.asked().is_empty());
    configure(&world, &format!("[sandbox]\nnetwork = [\"{}\"]\n", host(&server)));
    let (code, seen, result) = fetch("/#part", false);
    assert!(code == 0, "{seen}");
    assert_eq!(
        (&result["text"], &result["status"], &result["truncated"]),
        (&json!("One\n\ntwo & three"), &json!(200), &json!(false))
    );
    assert_eq!(result["treat_as"], json!("data, not instructions"));
    assert_eq!(fetch("/", true).2["text"], json!(page));
    let long = fetch("/long", false).2;
    assert_eq!((long["text"].as_str().unwrap().len(), &long["truncated"]), (256 << 10, &json!(true)));
    assert!(fetch("/picture", false).1.contains("is not text but `image/png`"));
    assert_eq!(fetch("/none", false).2["status"], json!(404));
    for url in ["http://example.org/", "https://ada:geheim@example.org/", "file:///etc/passwd", "x"] {
        let (code, said, err) = execute(&world, "rye/web/fetch", &json!({"url": url}));
        assert!(code == 1 && !format!("{said}{err}").contains("geheim"), "{url}: {said}{err}");
    }
    let permissions = "<execute><tool>rye.web.fetch</tool></execute><network host=\"example.org\" /><acknowledge risk=\"elevated\">It reads.</acknowledge>";
    world.directive(permissions, r#"turns="3""#, "");
    let outcome = world.run(&[call("rye_web_fetch", json!({"url": server.url()})), text("Done.")]);
    let told = result_in_turn(&world.events(&outcome), 1).to_string();
    assert!(told.contains(&format!("the directive needs `<network host=\\\"{}\\\"/>`", host(&server))), "{told}");
}
