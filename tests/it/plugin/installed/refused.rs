//! What keeps a plugin from being installed. Nothing of it runs, and nothing is written.

use std::fs;
use std::os::unix::fs::symlink;

use super::{Offered, STORE};
use crate::support::{Person, has, on_terminal, ssh_keygen};

#[test]
fn an_unsigned_plugin_s_constructor_never_runs() {
    let offered = Offered::new();
    offered.assert_refused("it is not signed: it has no `plugin.toml.sig`", 3);
    offered.sign();
    fs::remove_file(offered.offer("plugin.toml.sig")).unwrap();
    offered.assert_refused("it is not signed: it has no `plugin.toml.sig`", 3);
    fs::write(offered.offer("plugin.toml.sig"), "").unwrap();
    offered.assert_refused("its signature cannot be accepted", 3);
    // Put into its place by hand.
    fs::remove_file(offered.offer("plugin.toml.sig")).unwrap();
    fs::create_dir_all(offered.sandbox.path(STORE)).unwrap();
    fs::rename(offered.sandbox.path("offer"), offered.sandbox.path(STORE).join("quoting")).unwrap();
    offered.assert_unused("it is not signed: it has no `plugin.toml.sig`");
    let seen = offered.run(&["plugin", "verify"]).transcript();
    assert!(seen.contains("unsigned\tquoting\tit is not signed") && seen.ends_with("[exit 3]\n"), "{seen}");
    assert!(!offered.ran());
}

#[test]
fn a_manifest_that_was_edited_after_it_was_signed_is_refused() {
    let offered = Offered::signed();
    offered.edit("programs = [\"cat\"]", "programs = [\"cat\", \"rm\"]");
    offered.assert_refused("the signature does not fit", 3);
}

#[test]
fn a_signature_for_another_use_is_refused() {
    if !has("ssh-keygen") {
        return;
    }
    let offered = Offered::signed();
    let key = offered.sandbox.path("config/rye/keys/person").display().to_string();
    for namespace in ["rye", "git", "file", "rye-registry"] {
        fs::remove_file(offered.offer("plugin.toml.sig")).unwrap();
        ssh_keygen(&offered.sandbox.path("offer"), &["-Y", "sign", "-n", namespace, "-f", &key, "plugin.toml"]);
        offered.assert_refused(&format!("the signature was made for another use (namespace `{namespace}`)"), 3);
    }
}

#[test]
fn a_plugin_s_signer_must_be_trusted_for_everything() {
    let (offered, bob) = (Offered::new(), Person::new("bob"));
    let sandbox = &offered.sandbox;
    let id = sandbox.key_id(&bob);
    sandbox.rye(&["plugin", "sign", "../offer", "-q"]).by(&bob).succeeds();
    offered.assert_refused("which is not trusted here", 3);

    // For items alone.
    let public = fs::read_to_string(sandbox.path("config-bob/rye/keys/person.pub")).unwrap();
    fs::write(sandbox.path("bob"), format!("bob namespaces=\"rye\" {public}")).unwrap();
    sandbox.rye(&["trust", "add", "../bob", "-q"]).succeeds();
    offered.assert_refused("which is trusted for rye only", 3);
    sandbox.rye(&["trust", "remove", &id, "-q"]).succeeds();

    // For a namespace of a registry.
    let namespaces = sandbox.path("config/rye/trust/namespaces/team");
    fs::create_dir_all(&namespaces).unwrap();
    fs::write(namespaces.join("tools"), format!("bob {public}")).unwrap();
    offered.assert_refused("which is trusted for `tools/**` of the registry `team` only", 3);
    fs::remove_dir_all(sandbox.path("config/rye/trust/namespaces")).unwrap();

    // The agent's own key, which the person has here.
    let agent = sandbox.path("config/rye/keys/agent").display().to_string();
    let seen = sandbox.rye(&["plugin", "sign", "../offer", "--key", &agent]).transcript();
    assert!(!seen.ends_with("[exit 0]\n"), "{seen}");

    // Revoked, though trusted.
    fs::write(sandbox.path("bob"), format!("bob {public}")).unwrap();
    sandbox.rye(&["trust", "add", "../bob", "-q"]).succeeds();
    sandbox.rye(&["trust", "revoke", &id, "-q"]).succeeds();
    offered.assert_refused("which is revoked", 3);
}

/// A project's keys count for the project's items, whatever its person accepted.
#[test]
fn a_key_that_a_project_brings_signs_no_plugin() {
    let (offered, bob) = (Offered::new(), Person::new("bob"));
    let sandbox = &offered.sandbox;
    sandbox.key_id(&bob);
    sandbox.rye(&["plugin", "sign", "../offer", "-q"]).by(&bob).succeeds();
    sandbox.commit("first");
    sandbox.rye(&["trust", "propose", "--principal", "ada@example.org", "-q"]).succeeds();
    let bobs = sandbox.path("config-bob/rye/keys/person.pub").display().to_string();
    sandbox.rye(&["trust", "add", &bobs, "--principal", "bob", "--project", "-q"]).succeeds();
    sandbox.rye(&["trust", "propose", "-q"]).succeeds();
    sandbox.rye(&["trust", "accept", "--yes", "-q"]).succeeds();
    offered.assert_refused("this project only", 3);
}

#[test]
fn a_plugin_for_another_contract_target_or_name_is_refused() {
    let offered = Offered::new();
    let (target, name) = (rye::format::plugin_manifest::CheckedManifest::TARGET, "name = \"quoting\"");
    // Signed by a program that lets it pass: the next one is not.
    let refused = |from: &str, to: &str, words: &str, exit: u8| {
        offered.sign();
        offered.edit(from, to);
        let key = offered.sandbox.path("config/rye/keys/person").display().to_string();
        fs::remove_file(offered.offer("plugin.toml.sig")).unwrap();
        ssh_keygen(&offered.sandbox.path("offer"), &["-Y", "sign", "-n", "rye-plugin", "-f", &key, "plugin.toml"]);
        offered.assert_refused(words, exit);
        offered.edit(to, from);
    };
    if has("ssh-keygen") {
        refused("abi = 1", "abi = 2", "it was made for contract version 2, this program for version 1", 1);
        let other = "riscv64gc-unknown-none-elf";
        refused(target, other, &format!("it has no library for `{target}` (it has: {other})"), 1);
        refused(name, "name = \"script\"", "the name `script` belongs to a plugin of the program itself", 3);
        refused(name, "name = \"../quoting\"", "is not the name of a plugin", 2);
        refused("extensions = [\"sql\"]", "extensions = [\"py\"]", "are run by the plugin `script` already", 3);
        refused("manifest = 1", "manifest = 2", "it has the newer format 2", 2);
        refused("license", "licence", "unknown field `licence`", 2);
        let file = "file = \"libquoting.so\"";
        refused(file, "file = \"../x.so\"", "is not the name of a file of its own", 2);
    }
    for (from, to) in [("abi = 1", "abi = 2"), (name, "name = \"openai\"")] {
        offered.edit(from, to);
        let seen = offered.run(&["plugin", "sign", "../offer"]).transcript();
        assert!(!seen.ends_with("[exit 0]\n"), "{seen}");
        offered.edit(to, from);
    }
}

#[test]
fn a_table_that_says_another_thing_than_the_manifest_installs_nothing() {
    let offered = Offered::new();
    let needs = "extensions = [\"sql\"]\n";
    for (name, version, needs, words) in [
        ("quoting", "2.0.0", needs, "the plugin `quoting` has the version `1.0.0`, its manifest says `2.0.0`"),
        (
            "quoting",
            "1.0.0",
            "extensions = [\"sql\", \"go\"]\n",
            "has the extensions `sql`, its manifest says `go sql`",
        ),
        ("obedient", "1.0.0", needs, "the plugin `obedient` is of kind 1, not a tool kind"),
        ("absent", "1.0.0", needs, "has no symbol `rye_plugin_v1_absent`"),
    ] {
        offered.write(name, "tool-kind", version, needs);
        offered.sign();
        let seen = offered.install(&[]).transcript();
        assert!(seen.contains(words) && seen.ends_with("[exit 1]\n"), "{seen}");
        assert!(!offered.sandbox.path(STORE).exists(), "{seen}");
    }
}

#[test]
fn links_and_special_files_are_no_files_of_a_plugin() {
    let offered = Offered::signed();
    for name in ["libquoting.so", "plugin.toml", "plugin.toml.sig"] {
        let (file, aside) = (offered.offer(name), offered.sandbox.path("aside"));
        fs::rename(&file, &aside).unwrap();
        symlink(&aside, &file).unwrap();
        offered.assert_refused("is not a regular file", 3);
        fs::remove_file(&file).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
        offered.assert_refused("is not a regular file", 3);
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        offered.assert_refused("is not a regular file", 3);
        fs::remove_dir(&file).unwrap();
        // Nothing is read beyond the bound.
        let large = fs::File::create(&file).unwrap();
        large.set_len(10 * 1024 * 1024 * 1024).unwrap();
        offered.assert_refused("is larger than", 3);
        fs::rename(&aside, &file).unwrap();
    }
    offered.install(&["-q"]).succeeds();
}

#[test]
fn a_plugin_is_installed_only_with_a_yes_of_its_person() {
    let offered = Offered::signed();
    let seen = offered.run(&["plugin", "install", "../offer"]).transcript();
    assert!(
        seen.contains("not installed: confirm on a terminal or pass `--yes`") && seen.ends_with("[exit 3]\n"),
        "{seen}"
    );
    assert!(seen.contains(", SHA256:") && !offered.ran(), "{seen}");
    for args in [["plugin", "install", "../offer", "--yes"], ["plugin", "sign", "../offer", "--yes"]] {
        let seen = offered.run(&args).env("CLAUDECODE", "1").transcript();
        assert!(seen.contains("`CLAUDECODE` is set") && seen.ends_with("[exit 3]\n") && !offered.ran(), "{seen}");
    }
    if has("python3") {
        let rye = crate::support::RYE;
        let question = "install the plugin `quoting` 1.0.0?";
        let (seen, exit) = on_terminal(&offered.sandbox, &[(question, "n\n")], &[rye, "plugin", "install", "../offer"]);
        assert!(seen.contains("nothing was installed") && exit == 5, "{seen}");
        let (seen, exit) = on_terminal(&offered.sandbox, &[(question, "y\n")], &[rye, "plugin", "install", "../offer"]);
        assert!(seen.contains("Installed quoting 1.0.0") && exit == 0, "{seen}");
    }
}
