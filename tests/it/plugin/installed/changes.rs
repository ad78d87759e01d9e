//! Upgrades, downgrades, removal, and what a kill leaves.

use std::fs;
use std::time::Instant;

use super::{Offered, STORE};
use crate::support::killing::{killed, points, rye};
use crate::support::{Person, has, on_terminal};

/// The version that the program says is installed.
fn version(offered: &Offered) -> Option<String> {
    let list: serde_json::Value =
        serde_json::from_slice(&offered.sandbox.rye(&["plugin", "list", "--json"]).stdout()).unwrap();
    let plugins = list["plugins"].as_array().unwrap();
    assert!(plugins.len() < 2, "{list}");
    let plugin = plugins.first()?;
    assert_eq!(plugin["state"], "good", "{list}");
    Some(plugin["plugin"]["version"].as_str().unwrap().to_owned())
}

/// Changes what the plugin needs, so that its bytes are others at the same version.
fn with_note(offered: &Offered, note: &str) {
    let needs = format!("extensions = [\"sql\"]\nprograms = [\"cat\"]\nnote = \"{note}\"\n");
    offered.write("quoting", "tool-kind", "1.0.0", &needs);
    offered.sign();
}

#[test]
fn an_older_version_is_installed_only_on_purpose() {
    let offered = Offered::installed();
    // The description of the library names one version: a later one is made up by hand.
    let text = fs::read_to_string(offered.stored("plugin.toml")).unwrap();
    assert!(text.contains("version = \"1.0.0\""));
    let later = || {
        offered.write("quoting", "tool-kind", "1.2.0", "extensions = [\"sql\"]\nprograms = [\"cat\"]\n");
        offered.sign();
        for name in ["plugin.toml", "plugin.toml.sig"] {
            fs::copy(offered.offer(name), offered.stored(name)).unwrap();
        }
        with_note(&offered, "older");
    };
    later();
    let seen = offered.install(&[]).transcript();
    let words = "version 1.2.0 of the plugin `quoting` is installed, and 1.0.0 is older";
    assert!(seen.contains(words) && seen.contains("--allow-downgrade") && seen.ends_with("[exit 3]\n"), "{seen}");
    assert_eq!(version(&offered).unwrap(), "1.2.0");
    let seen = offered.install(&["--allow-downgrade"]).transcript();
    assert!(seen.contains("  replaces   1.2.0\n") && seen.contains("Downgraded quoting 1.2.0 -> 1.0.0\n"), "{seen}");
    assert_eq!(version(&offered).unwrap(), "1.0.0");
    // One whose signature is broken is not forgotten either.
    later();
    fs::write(offered.stored("plugin.toml.sig"), "").unwrap();
    let seen = offered.install(&[]).transcript();
    assert!(seen.contains(words) && seen.ends_with("[exit 3]\n"), "{seen}");
}

#[test]
fn another_signer_of_an_installed_plugin_is_told() {
    let (offered, bob) = (Offered::installed(), Person::new("bob"));
    offered.sandbox.key_id(&bob);
    let public = offered.sandbox.path("config-bob/rye/keys/person.pub").display().to_string();
    offered.sandbox.rye(&["trust", "add", &public, "--principal", "bob", "-q"]).succeeds();
    offered.sandbox.rye(&["plugin", "sign", "../offer", "-q"]).by(&bob).succeeds();
    let seen = offered.install(&[]).transcript();
    assert!(seen.contains("another key signed the installed version: SHA256:"), "{seen}");
    assert!(seen.contains("Replaced quoting 1.0.0\n"), "{seen}");
}

#[test]
fn a_removed_plugin_is_gone() {
    let offered = Offered::installed();
    let seen = offered.run(&["plugin", "remove", "quoting"]).transcript();
    assert!(
        seen.contains("not removed: confirm on a terminal or pass `--yes`") && seen.ends_with("[exit 3]\n"),
        "{seen}"
    );
    if has("python3") {
        let rye = crate::support::RYE;
        let question = ("remove the plugin `quoting`?", "n\n");
        let (seen, exit) = on_terminal(&offered.sandbox, &[question], &[rye, "plugin", "remove", "quoting"]);
        assert!(seen.contains("nothing was removed") && exit == 5, "{seen}");
    }
    assert_eq!(version(&offered).unwrap(), "1.0.0");
    let seen = offered.run(&["plugin", "remove", "quoting", "--yes"]).transcript();
    assert!(seen.contains("Removed quoting\n") && seen.ends_with("[exit 0]\n"), "{seen}");
    assert_eq!((version(&offered), fs::read_dir(offered.sandbox.path(STORE)).unwrap().count()), (None, 0));
    let seen = offered.used();
    assert!(seen.contains("no tool kind runs files with the extension `sql`"), "{seen}");
    let seen = offered.run(&["plugin", "remove", "quoting", "--yes"]).transcript();
    assert!(seen.contains("the plugin `quoting` is not installed") && seen.ends_with("[exit 1]\n"), "{seen}");
    // One that does not count is removed, too.
    offered.install(&["-q"]).succeeds();
    fs::write(offered.stored("plugin.toml"), "").unwrap();
    offered.run(&["plugin", "remove", "quoting", "--yes", "-q"]).succeeds();
    assert_eq!(version(&offered), None);
}

#[test]
fn a_killed_install_or_removal_leaves_the_old_state_or_the_new_one() {
    let offered = Offered::installed();
    let args = ["plugin", "install", "../offer", "--yes"];
    let note = |point: u32| if point.is_multiple_of(2) { "even" } else { "odd" };
    let read = || fs::read(offered.stored("plugin.toml")).ok();
    let begun = Instant::now();
    with_note(&offered, "first");
    assert!(rye(&offered.sandbox, &args).status().unwrap().success());
    let whole = begun.elapsed();
    for point in 0..points() {
        with_note(&offered, note(point));
        let (old, new) = (read(), fs::read(offered.offer("plugin.toml")).ok());
        killed(&offered.sandbox, &args, whole, point);
        let found = read();
        assert!(found == old || found == new, "neither the old state nor the new one");
        assert_eq!(version(&offered).unwrap(), "1.0.0");
    }
    for point in 0..points() {
        killed(&offered.sandbox, &["plugin", "remove", "quoting", "--yes"], whole / 3, point);
        assert!(version(&offered).is_none_or(|version| version == "1.0.0"));
        assert!(rye(&offered.sandbox, &args).status().unwrap().success());
    }
    // What killed runs left is gone with the next one.
    assert_eq!(fs::read_dir(offered.sandbox.path(STORE)).unwrap().count(), 1);
    assert!(offered.used().ends_with("[exit 0]\n"));
}
