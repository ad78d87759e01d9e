//! Plugins of others: signed, installed, and opened by the program; and everything that keeps one from being opened.
//!
//! The library is that of the misbehaving plugins, whose constructor writes a file: so it is seen whether it ran.
//!
//! - `refused`: what keeps a plugin from being installed.
//! - `swapped`: what changes after the install.
//! - `changes`: upgrades, removal, kills.

mod changes;
mod refused;
mod swapped;

use std::fs;
use std::path::PathBuf;

use rye::format::plugin_manifest::CheckedManifest;
use serde_json::{Value, json};

use super::built;
use crate::support::{Person, Sandbox, has, ssh_keygen};

/// A person's sandbox with a plugin to install and what uses it.
struct Offered {
    sandbox: Sandbox,
}

const QUERY: &str = "-- version: 1.0.0\n-- category: demo\n-- description: \"A query\"\n-- parameters:\n--   type: object\n\
                     --   properties: {rush: {type: boolean}, fetch: {type: string}}\nSELECT 1;\n";

const PROVIDER: &str = "tool_type: provider\nversion: \"1.0.0\"\ncategory: my\ndescription: Obeys\nplugin: obedient\n\
                        tiers:\n  steps: obey\npricing:\n  obey:\n    input_per_million: \"0\"\n    output_per_million: \"0\"\n";

/// Where the installed plugins are.
const STORE: &str = "home/.local/share/rye/plugins";

impl Offered {
    /// The tool kind `quoting`, not signed yet, with a tool for it.
    fn new() -> Self {
        let sandbox = Sandbox::with_items();
        sandbox.put(".ai/tools/demo/query.sql", QUERY);
        sandbox.rye(&["sign", "--all", "-q"]).succeeds();
        fs::create_dir(sandbox.path("offer")).unwrap();
        let offered = Self { sandbox };
        fs::copy(built("rye_plugin_misbehaving"), offered.offer("libquoting.so")).unwrap();
        offered.write("quoting", "tool-kind", "1.0.0", "extensions = [\"sql\"]\nprograms = [\"cat\"]\n");
        offered
    }

    /// The same, signed.
    fn signed() -> Self {
        let offered = Self::new();
        offered.sign();
        offered
    }

    /// The same, installed.
    fn installed() -> Self {
        let offered = Self::signed();
        offered.install(&[]).succeeds();
        offered
    }

    /// A file of the folder that is offered.
    fn offer(&self, name: &str) -> PathBuf {
        self.sandbox.path("offer").join(name)
    }

    /// A file of the plugin that is installed.
    fn stored(&self, name: &str) -> PathBuf {
        self.sandbox.path(STORE).join("quoting").join(name)
    }

    /// Writes the manifest as an author does.
    fn write(&self, name: &str, kind: &str, version: &str, needs: &str) {
        let target = CheckedManifest::TARGET;
        let text = format!(
            "manifest = 1\nname = \"{name}\"\ncrate = \"{name}\"\nkind = \"{kind}\"\nversion = \"{version}\"\nabi = 1\n\
             description = \"Quotes\"\nlicense = \"MIT\"\n\n[needs]\n{needs}\n[[library]]\ntarget = \"{target}\"\n\
             file = \"libquoting.so\"\n"
        );
        fs::write(self.offer("plugin.toml"), text).unwrap();
    }

    fn edit(&self, from: &str, to: &str) {
        let text = fs::read_to_string(self.offer("plugin.toml")).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(self.offer("plugin.toml"), text.replace(from, to)).unwrap();
    }

    fn sign(&self) {
        self.sandbox.rye(&["plugin", "sign", "../offer", "-q"]).succeeds();
    }

    fn run(&self, args: &[&str]) -> crate::support::Run<'_> {
        let marker = self.marker();
        self.sandbox.rye(args).env("RYE_TEST_CONSTRUCTOR", marker.to_str().unwrap())
    }

    fn install(&self, more: &[&str]) -> crate::support::Run<'_> {
        self.run(&[&["plugin", "install", "../offer", "--yes"], more].concat())
    }

    /// Asks for the tool, which the plugin runs.
    fn used(&self) -> String {
        self.run(&["execute", "tool", "demo/query"]).transcript()
    }

    fn marker(&self) -> PathBuf {
        self.sandbox.path("marker")
    }

    /// Tells whether the constructor ran since the last time.
    fn ran(&self) -> bool {
        fs::remove_file(self.marker()).is_ok()
    }

    /// Asserts that the folder is refused with these words, and that nothing of it ran or was installed.
    #[track_caller]
    fn assert_refused(&self, words: &str, exit: u8) {
        let seen = self.install(&[]).transcript();
        assert!(seen.contains(words) && seen.ends_with(&format!("[exit {exit}]\n")), "{words}: {seen}");
        assert!(!self.ran(), "the constructor ran: {seen}");
        let installed = fs::read_dir(self.sandbox.path(STORE)).map(Iterator::count).unwrap_or_default();
        assert_eq!(installed, 0, "{seen}");
    }

    /// Asserts that the installed plugin is refused where it is used, with these words, and that nothing of it ran.
    #[track_caller]
    fn assert_unused(&self, words: &str) {
        let seen = self.used();
        assert!(seen.contains(words) && !seen.ends_with("[exit 0]\n"), "{words}: {seen}");
        assert!(!self.ran(), "the constructor ran: {seen}");
    }
}

#[test]
fn a_signed_plugin_is_shown_installed_and_used() {
    let offered = Offered::signed();
    assert!(!offered.ran(), "signing opens nothing");
    let seen = offered.install(&[]).transcript();
    for words in [
        "quoting 1.0.0, a tool kind for contract version 1\n  Quotes\n",
        "  sha256     ",
        ", SHA256:",
        "  extensions sql\n  programs   cat\n",
        "Installed quoting 1.0.0\n",
        "[exit 0]\n",
    ] {
        assert!(seen.contains(words), "{words}: {seen}");
    }
    assert!(offered.ran(), "the library is opened once, to see what it is");
    // A library that is not needed is not opened.
    offered.run(&["list", "-q"]).succeeds();
    offered.run(&["execute", "tool", "demo/echo", "-i", "text=x", "-q"]).succeeds();
    offered.run(&["plugin", "list", "-q"]).succeeds();
    offered.run(&["plugin", "verify", "-q"]).succeeds();
    offered.run(&["doctor", "-q"]).stdout();
    assert!(!offered.ran());
    let seen = offered.used();
    assert!(seen.contains("SELECT 1;") && seen.ends_with("[exit 0]\n") && offered.ran(), "{seen}");
    let again = offered.install(&[]).transcript();
    assert!(again.contains("Unchanged quoting 1.0.0\n") && !offered.ran(), "{again}");
}

#[test]
fn a_thread_asks_an_installed_provider() {
    let offered = Offered::new();
    offered.write("obedient", "provider", "1.0.0", "");
    offered.sign();
    offered.install(&["-q"]).succeeds();
    let sandbox = &offered.sandbox;
    let document = sandbox.path("home/.ai/tools/my/obedient.yaml");
    fs::create_dir_all(document.parent().unwrap()).unwrap();
    fs::write(&document, PROVIDER).unwrap();
    sandbox.rye(&["sign", "tool", "my/obedient", "-q"]).succeeds();
    sandbox.commit("first");
    let args = ["thread", "run", "demo/greet", "--provider", "my/obedient", "-i", "name=Bo"];
    let seen = offered.run(&args).transcript();
    assert!(seen.contains("as you wish") && offered.ran(), "{seen}");

    // It declares no host: it may ask none.
    fs::write(&document, PROVIDER.replace("obey:\n", "ask:\n").replace("steps: obey", "steps: ask")).unwrap();
    sandbox.rye(&["sign", "tool", "my/obedient", "-q"]).succeeds();
    let seen = offered.run(&args).transcript();
    let words = "the plugin `obedient` wants to send a request, which its manifest does not declare";
    assert!(seen.contains(words) && !seen.ends_with("[exit 0]\n"), "{seen}");
    // Nor may its document name one.
    let document_text = PROVIDER.replace("plugin: obedient", "plugin: obedient\nurl: https://llm.example.org/v1");
    fs::write(&document, document_text).unwrap();
    sandbox.rye(&["sign", "tool", "my/obedient", "-q"]).succeeds();
    let seen = offered.run(&args).transcript();
    assert!(seen.contains("wants to send requests to `llm.example.org:443`, which"), "{seen}");
}

/// A provider is not a tool kind: it is not even opened.
#[test]
fn a_tool_cannot_name_an_installed_provider() {
    let offered = Offered::new();
    offered.write("obedient", "provider", "1.0.0", "");
    offered.sign();
    offered.install(&["-q"]).succeeds();
    assert!(offered.ran());
    let text = "version: \"1.0.0\"\ncategory: demo\ndescription: \"Named\"\nexecutor_id: obedient\n";
    offered.sandbox.put(".ai/tools/demo/query.yaml", text);
    fs::remove_file(offered.sandbox.project().join(".ai/tools/demo/query.sql")).unwrap();
    offered.sandbox.rye(&["sign", "tool", "demo/query", "-q"]).succeeds();
    offered.assert_unused("the plugin `obedient` is of kind 1, not a tool kind");
}

/// Whatever the extension of the tool's file.
#[test]
fn a_tool_names_an_installed_tool_kind() {
    let offered = Offered::installed();
    let text = "version: \"1.0.0\"\ncategory: demo\ndescription: \"Named\"\nexecutor_id: quoting\n";
    offered.sandbox.put(".ai/tools/demo/named.yaml", text);
    offered.sandbox.rye(&["sign", "tool", "demo/named", "-q"]).succeeds();
    let seen = offered.run(&["execute", "tool", "demo/named"]).transcript();
    assert!(seen.contains("executor_id: quoting") && seen.ends_with("[exit 0]\n"), "{seen}");
}

#[test]
fn a_plan_names_only_the_programs_and_hosts_that_the_manifest_declares() {
    let offered = Offered::installed();
    let seen = offered.run(&["execute", "tool", "demo/query", "-i", "rush=true"]).transcript();
    let words = "the plugin `quoting` wants to start `tac`, which its manifest does not declare";
    assert!(seen.contains(words) && !seen.ends_with("[exit 0]\n"), "{seen}");
    // Nor may it ask a host that it does not declare.
    let fetch = || offered.run(&["execute", "tool", "demo/query", "-i", "fetch=https://example.org/"]).transcript();
    let seen = fetch();
    assert!(
        seen.contains("the plugin `quoting` wants to send a request, which its manifest does not declare"),
        "{seen}"
    );
    let needs = |hosts: &str| {
        offered.write("quoting", "tool-kind", "1.0.0", &format!("extensions = [\"sql\"]\nhosts = [\"{hosts}\"]\n"));
        offered.sign();
        offered.install(&["-q"]).succeeds();
    };
    needs("*.example.net");
    let seen = fetch();
    assert!(
        seen.contains("wants to send requests to `example.org:443`, which its manifest does not declare"),
        "{seen}"
    );
    // What it declares it has yet to be permitted.
    needs("example.org");
    let seen = fetch();
    assert!(seen.contains("no permission to reach `example.org:443`") && !seen.ends_with("[exit 0]\n"), "{seen}");
}

/// Stock OpenSSH signs a manifest and checks one.
#[test]
fn ssh_keygen_makes_and_checks_the_signature_of_a_plugin() {
    if !has("ssh-keygen") {
        return;
    }
    let offered = Offered::signed();
    let (folder, key) = (offered.sandbox.path("offer"), offered.sandbox.path("config/rye/keys/person"));
    let public = fs::read_to_string(key.with_extension("pub")).unwrap();
    fs::write(offered.sandbox.path("signers"), format!("ada@example.org namespaces=\"rye-plugin\" {public}")).unwrap();
    let check = "ssh-keygen -Y verify -n rye-plugin -f ../signers -I ada@example.org -s plugin.toml.sig < plugin.toml";
    let checked = std::process::Command::new("sh").args(["-c", check]).current_dir(&folder).output().unwrap();
    assert!(checked.status.success(), "{checked:?}");
    fs::remove_file(offered.offer("plugin.toml.sig")).unwrap();
    ssh_keygen(&folder, &["-Y", "sign", "-n", "rye-plugin", "-f", key.to_str().unwrap(), "plugin.toml"]);
    offered.install(&["-q"]).succeeds();
}

#[test]
fn what_is_installed_is_listed_and_told_as_json() {
    let offered = Offered::installed();
    let read = |args: &[&str]| -> Value { serde_json::from_slice(&offered.run(args).stdout()).unwrap() };
    let listed = read(&["plugin", "list", "--json"]);
    let plugin = &listed["plugins"][0];
    assert_eq!((&plugin["name"], &plugin["state"]), (&json!("quoting"), &json!("good")));
    let info = read(&["plugin", "info", "quoting", "--json"]);
    assert_eq!(&plugin["plugin"], &info);
    assert_eq!(info["needs"], json!({"extensions": ["sql"], "programs": ["cat"]}));
    assert!(info["signed_by"]["fingerprint"].as_str().unwrap().starts_with("SHA256:"), "{info}");
    let verified = read(&["plugin", "verify", "--json"]);
    assert_eq!(verified, json!({"status": "ok", "checked": 1, "findings": []}));
    let unknown = offered.run(&["plugin", "info", "other"]).transcript();
    assert!(unknown.contains("the plugin `other` is not installed") && unknown.ends_with("[exit 1]\n"), "{unknown}");
    let empty = Sandbox::empty();
    assert!(empty.rye(&["plugin", "verify"]).transcript().ends_with("[exit 7]\n"));
}

/// Whose key is trusted for plugins alone signs plugins and nothing else.
#[test]
fn a_key_can_be_trusted_for_plugins_alone() {
    let (offered, bob) = (Offered::new(), Person::new("bob"));
    offered.sandbox.key_id(&bob);
    offered.sandbox.rye(&["plugin", "sign", "../offer", "-q"]).by(&bob).succeeds();
    offered.assert_refused("which is not trusted here", 3);
    let public = fs::read_to_string(offered.sandbox.path("config-bob/rye/keys/person.pub")).unwrap();
    fs::write(offered.sandbox.path("bob"), format!("bob namespaces=\"rye-plugin\" {public}")).unwrap();
    offered.sandbox.rye(&["trust", "add", "../bob", "-q"]).succeeds();
    let seen = offered.install(&[]).transcript();
    assert!(seen.contains("  signed by  bob, SHA256:") && seen.ends_with("[exit 0]\n"), "{seen}");
    offered.sandbox.edit(".ai/tools/demo/echo.sh", "category", "category ");
    offered.sandbox.rye(&["sign", "tool", "demo/echo", "-q", "--yes"]).by(&bob).succeeds();
    let seen = offered.sandbox.rye(&["verify", "demo/echo"]).transcript();
    assert!(seen.ends_with("[exit 3]\n"), "{seen}");
}
