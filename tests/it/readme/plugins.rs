//! The plugins that docs/plugins.md shows: those of examples/plugins, built in a workspace of their own as any author does, signed,
//! installed and used as the page says. Only the server is another.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::page::{Block, Page};
use super::tour::{self, Sandbox};
use crate::support::http::{Asked, Server, reply};

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/plugins");

fn page() -> Page {
    super::read(&Path::new(crate::support::ROOT).join("docs/plugins.md"))
}

/// The blocks that the page has saved, each with its path.
fn saved(page: &Page) -> impl Iterator<Item = (&str, &Block)> {
    page.blocks.iter().filter_map(|block| Some((block.saved_as.as_deref()?, block)))
}

/// A server that speaks Ollama's protocol: it has a thread return its outputs.
fn ollama() -> Server {
    let message = json!({"role": "assistant", "content": "", "tool_calls": [
        {"function": {"name": "directive_return", "arguments": {"note": "n", "source": "s"}}},
    ]});
    let answer = json!({"message": message, "done_reason": "stop", "prompt_eval_count": 7, "eval_count": 3});
    Server::answering(move |_, _: &Asked| reply("200 OK", &["content-type: application/json"], &answer.to_string()))
}

#[test]
fn the_page_shows_the_files_of_the_examples() {
    let mut compared = 0;
    for (path, block) in saved(&page()) {
        let Some(below) = path.strip_prefix("acme/") else { continue };
        let text = fs::read_to_string(Path::new(EXAMPLES).join(below)).unwrap();
        // Its author has the contract from the repository.
        let text = text.replace("path = \"../../plugins/abi\"", "git = \"https://git.example.org/rye\"");
        assert_eq!(block.text, text, "{path}");
        assert!(!below.ends_with(".rs") || text.lines().count() < 100, "{path} has 100 lines or more");
        compared += 1;
    }
    assert_eq!(compared, 8);
}

/// So that they are built without network, from the crates fetched for the program.
#[test]
fn the_examples_have_the_versions_of_the_program() {
    let versions = |path: &str| -> BTreeSet<(String, String)> {
        let lock: toml::Table = fs::read_to_string(path).unwrap().parse().unwrap();
        let text = |package: &toml::Value, key: &str| package[key].as_str().unwrap().to_owned();
        let packages = lock["package"].as_array().unwrap().iter().filter(|package| package.get("source").is_some());
        packages.map(|package| (text(package, "name"), text(package, "version"))).collect()
    };
    let own = versions(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.lock"));
    for example in ["plugins", "verify"] {
        let examples = versions(&format!("{EXAMPLES}/../{example}/Cargo.lock"));
        let others: Vec<_> = examples.difference(&own).collect();
        let folder = format!("examples/{example}");
        let mend = format!("cp Cargo.lock {folder}/ && cargo metadata --offline --manifest-path {folder}/Cargo.toml");
        assert!(others.is_empty(), "{others:?}: run `{mend}`");
    }
}

#[test]
fn the_plugins_shown_are_built_signed_installed_and_used() {
    let (page, server, sandbox) = (page(), ollama(), Sandbox::new());
    // Once for all runs: cargo keeps it.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("example-plugins");
    let built = Command::new(env!("CARGO"))
        .args(["build", "--frozen", "--quiet", "--manifest-path", &format!("{EXAMPLES}/Cargo.toml"), "--target-dir"])
        .arg(&target)
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    for (path, block) in saved(&page) {
        let here = rye::format::plugin_manifest::CheckedManifest::TARGET;
        let text = block.text.replace("x86_64-unknown-linux-gnu", here);
        tour::save(&sandbox.place(path), &text.replace("http://127.0.0.1:11434", &server.url()));
    }
    for name in ["libacme_ollama.so", "libacme_sql.so"] {
        let library = sandbox.place("acme/target/release").join(name);
        fs::create_dir_all(library.parent().unwrap()).unwrap();
        let file = name.replace(".so", std::env::consts::DLL_SUFFIX);
        fs::copy(target.join("debug").join(file), library).unwrap();
    }
    sandbox.sh("git config user.name Ada && git config user.email ada@example.org").unwrap();
    let run: Vec<String> = page
        .blocks
        .iter()
        .filter(|block| block.language == "sh")
        .map(|block| block.text.replace("(cd acme && cargo build --release)", ""))
        .map(|lines| sandbox.sh(&format!("set -e\n{lines}")).unwrap_or_else(|told| panic!("{told}")))
        .collect();
    let [installed, queried, asked] = &run[..] else { panic!("{run:#?}") };
    for words in ["Installed ollama_chat 0.1.0", "Installed sql 0.1.0", "good\tollama_chat\t0.1.0\tprovider\t"] {
        assert!(installed.contains(words), "{words}: {installed}");
    }
    let rows: String = queried.split_whitespace().collect();
    assert!(rows.ends_with(r#"[{"item":"jam","amount":3},{"item":"tea","amount":2}]"#), "{queried}");
    assert!(asked.contains("status    completed"), "{asked}");
    let asked = server.asked();
    assert_eq!((asked[0].path.as_str(), &asked[0].body["model"]), ("/api/chat", &json!("llama3")));
    assert_eq!(asked[0].body["messages"][0]["role"], "system");
    // What the query has wrong is told in its own words.
    let told = sandbox.sh("rye execute tool demo/orders -i database=no.db -i customer=Ada").unwrap_err();
    assert!(told.contains("unable to open database file"), "{told}");
}
