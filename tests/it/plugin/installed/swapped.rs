//! What changes after the install: files, who can write them, and whom the person trusts.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use rye::context::{Context, Surroundings};
use rye::plugin::{Origin, Plugin, PluginFolder, Store};
use rye::session::{Host, Session};

use super::{Offered, STORE};

/// Adds a byte to a file. A library with one more is one that the loader opens all the same.
fn append(path: &std::path::Path) {
    fs::OpenOptions::new().append(true).open(path).unwrap().write_all(b"\n").unwrap();
}

#[test]
fn a_library_that_was_swapped_after_the_install_is_not_opened() {
    let offered = Offered::installed();
    assert!(offered.ran());
    append(&offered.stored("libquoting.so"));
    offered.assert_unused("the library `libquoting.so` is not the one that was signed");
    let seen = offered.run(&["plugin", "verify"]).transcript();
    assert!(seen.contains("tampered\tquoting\t") && seen.ends_with("[exit 3]\n"), "{seen}");
    // Installed again, it is whole.
    offered.install(&["-q"]).succeeds();
    assert!(offered.used().ends_with("[exit 0]\n"));
}

#[test]
fn a_manifest_or_signature_that_was_changed_after_the_install_is_noticed() {
    for name in ["plugin.toml", "plugin.toml.sig"] {
        let offered = Offered::installed();
        assert!(offered.ran());
        append(&offered.stored(name));
        let words = if name == "plugin.toml" { "the signature does not fit" } else { "cannot be used" };
        if name == "plugin.toml" {
            offered.assert_unused(words);
        }
        fs::remove_file(offered.stored(name)).unwrap();
        let seen = offered.used();
        assert!(!seen.ends_with("[exit 0]\n") && !offered.ran(), "{seen}");
    }
}

fn context(offered: &Offered) -> Context {
    let variables: BTreeMap<String, String> = offered.sandbox.variables().into_iter().collect();
    let (current_dir, program) = (offered.sandbox.project(), crate::support::RYE.into());
    Context::new(Surroundings { current_dir, program, variables }, None, &[]).unwrap()
}

/// A server opens a session for every call, and a library once.
#[test]
fn a_server_stops_using_a_plugin_whose_signer_is_revoked() {
    let offered = Offered::installed();
    let (host, ctx) = (Host::default(), context(&offered));
    let asked = || {
        let session = Session::open_on(&host, &ctx).unwrap();
        let kind = session.plugins().unwrap().tool_kind("quoting");
        kind.map(|kind| kind.name().to_owned()).map_err(|error| rye::error::with_causes(&error))
    };
    assert_eq!(asked().unwrap(), "quoting");
    fs::remove_file(offered.stored("libquoting.so")).unwrap();
    assert_eq!(asked().unwrap(), "quoting", "it is open already");
    let key = offered.sandbox.path("config/rye/keys/person.pub").display().to_string();
    offered.sandbox.rye(&["trust", "revoke", &key, "-q"]).succeeds();
    let refused = asked().unwrap_err();
    assert!(refused.contains("which is revoked"), "{refused}");
}

/// The checked bytes are opened, whatever is in their file's place by then.
#[test]
fn a_library_that_is_swapped_between_check_and_open_is_not_opened() {
    let offered = Offered::signed();
    let session = Session::open(&context(&offered)).unwrap();
    let store = Store::new(session.context()).unwrap();
    let folder = PluginFolder::open(&offered.sandbox.path("offer")).unwrap();
    let checked = folder.check(&session.project().keys()).unwrap();
    // The file itself, and its name.
    fs::write(offered.offer("libquoting.so"), "no library").unwrap();
    fs::remove_file(offered.offer("libquoting.so")).unwrap();
    symlink("/nowhere", offered.offer("libquoting.so")).unwrap();
    let plugin = Plugin::open_checked(&checked, &store).unwrap();
    assert_eq!(plugin.name(), "quoting");
    store.install(&checked).unwrap();

    let name = "quoting".parse().unwrap();
    let checked = store.read(&name, &session.project().keys()).unwrap();
    fs::write(offered.stored("libquoting.so"), "no library").unwrap();
    let plugin = Plugin::open_checked(&checked, &store).unwrap();
    assert_eq!(*plugin.origin(), Origin::Installed(offered.sandbox.path(STORE).join("quoting")));
    assert!(plugin.describe().is_ok());
    assert!(store.read(&name, &session.project().keys()).is_err());
}

#[test]
fn a_plugin_whose_signer_no_longer_counts_is_not_opened() {
    let offered = Offered::installed();
    assert!(offered.ran());
    // Another key is the person's from now on, so that the tool still counts.
    let sandbox = &offered.sandbox;
    fs::copy(sandbox.path("config/rye/keys/person.pub"), sandbox.path("old.pub")).unwrap();
    let bob = crate::support::Person::new("bob");
    sandbox.key_id(&bob);
    fs::copy(sandbox.path("config-bob/rye/keys/person"), sandbox.path("bob")).unwrap();
    sandbox.rye(&["key", "import", "../bob", "--force", "-q"]).succeeds();
    sandbox.rye(&["sign", "--all", "-q", "--yes"]).succeeds();
    offered.assert_unused("which is not trusted here");
    sandbox.rye(&["trust", "revoke", "../old.pub", "-q"]).succeeds();
    offered.assert_unused("which is revoked");
    let seen = offered.run(&["plugin", "verify", "quoting"]).transcript();
    assert!(seen.contains("revoked\tquoting\t") && seen.ends_with("[exit 3]\n"), "{seen}");
    let seen = offered.run(&["doctor"]).transcript();
    assert!(seen.contains("problem\tplugins\t") && seen.contains("quoting"), "{seen}");
    assert!(!offered.ran());
}

#[test]
fn a_plugin_that_others_could_have_written_is_not_opened() {
    let offered = Offered::installed();
    assert!(offered.ran());
    let mode = |path: &std::path::Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    for folder in [offered.stored(""), offered.sandbox.path(STORE), offered.sandbox.path("home/.local/share/rye")] {
        mode(&folder, 0o777);
        offered.assert_unused("can be written by others (mode 0777)");
        mode(&folder, 0o700);
    }
    // A link in the place of a folder may lead to where tools write.
    for folder in [offered.stored(""), offered.sandbox.path(STORE)] {
        let aside = offered.sandbox.path("aside");
        let folder = folder.components().as_path().to_path_buf();
        fs::rename(&folder, &aside).unwrap();
        symlink(&aside, &folder).unwrap();
        offered.assert_unused("is not a folder");
        fs::remove_file(&folder).unwrap();
        fs::rename(&aside, &folder).unwrap();
    }
    // Under another plugin's name.
    fs::rename(offered.stored(""), offered.sandbox.path(STORE).join("other")).unwrap();
    offered.assert_unused("the folder `other` contains the plugin `quoting`");
}

/// No tool reads or writes the folder, though its person's home folder is the project.
#[test]
fn tools_reach_no_installed_plugin() {
    let offered = Offered::installed();
    let home = offered.sandbox.path("home").display().to_string();
    std::process::Command::new("git").args(["init", "-q", &home]).status().unwrap();
    let path = "path=.local/share/rye/plugins/quoting/plugin.toml";
    for tool in ["read", "write"] {
        let id = format!("rye/file-system/{tool}");
        let seen = offered.run(&["-C", &home, "execute", "tool", &id, "-i", path, "-i", "content=x"]).transcript();
        assert!(!seen.ends_with("[exit 0]\n"), "{seen}");
        let seen = offered.run(&["-C", &home, "execute", "tool", &id, "-i", path]).transcript();
        assert!(!seen.ends_with("[exit 0]\n"), "{seen}");
    }
    offered.run(&["plugin", "verify", "-q"]).succeeds();
}
