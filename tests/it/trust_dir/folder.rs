//! The files below `$XDG_CONFIG_HOME/rye/trust`: many writers, loose modes, damage.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

use rye::context::{Context, Surroundings};
use rye::id::Zone;
use rye::keys::{KeysError, Project, ProjectFiles, TrustDir};
use rye::trust::{
    Namespace, Proposal, RevokedKey, Scope, SignedManifest, SigningKey, TrustedKey, allowed_signers_line,
};

use super::{clone_of, proposing, refused_by, run, somebody};
use crate::support::Sandbox;

fn context(sandbox: &Sandbox) -> Context {
    let surroundings = Surroundings {
        current_dir: sandbox.project(),
        program: sandbox.path("rye"),
        variables: sandbox.variables().into_iter().collect(),
    };
    Context::new(surroundings, None, &[]).unwrap()
}

fn decision(seed: u8, scope: Scope) -> TrustedKey {
    let key = SigningKey::from_seed(&[seed; 32]).public();
    TrustedKey { scope, ..TrustedKey::new(key, format!("person-{seed}"), "") }
}

/// A proposal that only says who its root is.
fn proposal(version: u64) -> (ProjectFiles, Proposal) {
    let root = SigningKey::from_seed(&[1; 32]);
    let line = TrustedKey { namespaces: vec!["rye-trust".to_owned()], ..decision(1, Scope::Project) };
    let mut files = ProjectFiles {
        allowed_signers: Some(format!("{}\n", allowed_signers_line(&line)).into_bytes()),
        ..ProjectFiles::default()
    };
    let at = "2026-03-17T01:41:08Z".parse().unwrap();
    let mut manifest = SignedManifest::unsigned(version, at, files.parsed(&Zone::default()).unwrap().digests());
    let armored = rye::trust::Signer::sign_armored(&root, Namespace::Trust, manifest.message().as_bytes()).unwrap();
    manifest.add(&armored).unwrap();
    files.manifest = Some(manifest.to_text().into_bytes());
    let proposal = Proposal::read(&files.parsed(&Zone::default()).unwrap()).unwrap();
    (files, proposal)
}

#[test]
fn what_many_decide_at_once_is_all_kept() {
    let sandbox = Sandbox::empty();
    let dir = &TrustDir::new(&context(&sandbox)).unwrap();
    let namespace = || Scope::of_namespace("main/demo").unwrap();
    std::thread::scope(|workers| {
        for seed in 1..=6 {
            workers.spawn(move || dir.add(&[decision(seed, Scope::Everything)]).unwrap());
            workers.spawn(move || dir.add(&[decision(seed, namespace())]).unwrap());
            workers.spawn(move || {
                let key = SigningKey::from_seed(&[seed + 100; 32]).public();
                assert!(dir.revoke(&RevokedKey { key, comment: String::new() }).unwrap());
            });
        }
    });
    let reaching = |scope: &Scope| {
        let mut names: Vec<String> =
            dir.decisions().unwrap().into_iter().filter(|key| key.scope == *scope).map(|key| key.principal).collect();
        names.sort();
        names
    };
    let everybody: Vec<String> = (1..=6).map(|seed| format!("person-{seed}")).collect();
    assert_eq!((reaching(&Scope::Everything), reaching(&namespace())), (everybody.clone(), everybody));
    assert_eq!(dir.revoked().unwrap().iter().count(), 6);
}

#[test]
fn of_two_who_accept_at_once_the_slower_looks_again() {
    let sandbox = Sandbox::empty();
    let dir = TrustDir::new(&context(&sandbox)).unwrap();
    let project = Project { root_commit: "0".repeat(40), path: sandbox.project() };
    let (first, second) = (proposal(1), proposal(2));
    let now = "2026-03-17T01:41:08Z".parse().unwrap();
    let pin = dir.accept(&project, &first.0, &first.1, None, now).unwrap();
    let late = dir.accept(&project, &second.0, &second.1, None, now).unwrap_err();
    assert!(matches!(late, KeysError::AcceptedMeanwhile), "{late}");
    assert_eq!(dir.accepted(&project).unwrap().unwrap().pin, pin);
    let pin = dir.accept(&project, &second.0, &second.1, Some(pin.proposal), now).unwrap();
    let accepted = dir.accepted(&project).unwrap().unwrap();
    assert_eq!((accepted.pin, accepted.proposal), (pin, second.1));
    // Another history, or another place, is another project.
    let other = Project { root_commit: "1".repeat(40), ..project.clone() };
    assert_eq!(dir.accepted(&other).unwrap(), None);
    let moved = Project { path: sandbox.path("moved"), ..project };
    assert_eq!(dir.accepted(&moved).unwrap(), None);
    assert_eq!(dir.accepted_elsewhere(&moved).unwrap().len(), 1);
}

/// Returns the one file of a name below a folder.
fn find(folder: &std::path::Path, name: &str) -> std::path::PathBuf {
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.ends_with(name) {
                return path;
            }
        }
    }
    panic!("there is no `{name}`");
}

#[test]
fn a_trust_file_or_folder_that_everybody_can_change_is_not_believed_wherever_it_lies() {
    let author = proposing();
    let victim = clone_of(&author, "victim");
    victim.rye(&["trust", "accept", "--yes", "-q"]).succeeds();
    victim.rye(&["trust", "revoke", "rye-agent", "-q"]).succeeds();
    assert_eq!(refused_by(&victim, "."), "");
    let trust = victim.path("config/rye/trust");
    let pin = find(&trust.join("projects"), "pin.toml");
    let places =
        [trust.join("revoked"), pin.clone(), pin.parent().unwrap().to_path_buf(), trust.join("projects"), trust];
    for place in places {
        let mode = fs::metadata(&place).unwrap().permissions();
        fs::set_permissions(&place, Permissions::from_mode(mode.mode() | 0o002)).unwrap();
        let (code, seen) = run(&victim, &["verify"]);
        assert!(code == "1" && seen.contains("can be changed by everybody"), "{}: {seen}", place.display());
        fs::set_permissions(&place, mode).unwrap();
    }
    victim.rye(&["verify", "-q"]).succeeds();
}

#[test]
fn a_copy_that_is_not_what_was_accepted_counts_for_nothing() {
    let author = proposing();
    let victim = clone_of(&author, "victim");
    victim.rye(&["trust", "accept", "--yes", "-q"]).succeeds();
    let projects = victim.path("config/rye/trust/projects");
    let (signers, pin) = (find(&projects, "allowed_signers"), find(&projects, "pin.toml"));
    let whole = fs::read_to_string(&signers).unwrap();
    fs::write(&signers, whole.replace("ada@", "eve@")).unwrap();
    let (code, seen) = run(&victim, &["verify"]);
    assert!(
        code == "1" && seen.contains("the copy of the accepted proposal") && seen.contains("hint: move "),
        "{seen}"
    );
    fs::write(&signers, whole).unwrap();
    victim.rye(&["verify", "-q"]).succeeds();
    let text = fs::read_to_string(&pin).unwrap();
    for (from, to) in [("format = 1", "format = 2"), ("path = \"", "path = \"/other"), ("accepted_at", "at")] {
        assert!(text.contains(from), "{text}");
        fs::write(&pin, text.replace(from, to)).unwrap();
        let (code, seen) = run(&victim, &["verify"]);
        assert!(code == "1" && seen.contains("the accepted proposal of this project is unusable"), "{seen}");
    }
}

#[test]
fn a_namespace_s_file_must_have_a_namespace_s_name() {
    let sandbox = Sandbox::empty();
    let dir = TrustDir::new(&context(&sandbox)).unwrap();
    let scope = Scope::of_namespace("main/demo").unwrap();
    dir.add(&[decision(1, scope.clone())]).unwrap();
    let file = dir.path_of(&scope).unwrap();
    for name in ["demo~", ".demo.swp", "de mo"] {
        fs::copy(&file, file.with_file_name(name)).unwrap();
    }
    fs::write(file.with_file_name("..").join("README"), "nothing").unwrap();
    assert_eq!(dir.decisions().unwrap().len(), 1);
    for wrong in ["demo", "main/", "/demo", "main/de/mo", "main/..", "ma in/demo", "../demo"] {
        assert_eq!(Scope::of_namespace(wrong), None, "{wrong}");
    }
}

/// Another user could exchange `trust` where the folder around it was open, and theirs counted.
#[test]
fn trust_and_keys_of_another_user_or_in_an_open_configuration_folder_count_for_nothing() {
    let person = somebody("own");
    person.rye(&["trust", "revoke", "rye-agent", "-q"]).succeeds();
    let config = person.path("config/rye");
    person.rye(&["key", "list", "-q"]).succeeds();
    // Whoever can write here can put a folder of their own into the place of `trust`.
    fs::set_permissions(&config, Permissions::from_mode(0o777)).unwrap();
    for args in [["trust", "list"], ["key", "list"]] {
        let (code, seen) = run(&person, &args);
        assert!(code == "1" && seen.contains("`[SANDBOX]/config/rye` can be changed by everybody"), "{seen}");
    }
    fs::set_permissions(&config, Permissions::from_mode(0o755)).unwrap();
    let places = ["trust", "trust/revoked", "keys", "keys/person", "keys/person.pub"];
    for place in places.map(|place| config.join(place)) {
        let own = fs::metadata(&place).unwrap().uid();
        // Only root can give a file away.
        if chown(&place, Some(54_321), None).is_err() {
            continue;
        }
        // An ssh-agent may hold the private half: then the public one decides who the person is.
        let private = config.join("keys/person");
        let is_public = place.extension().is_some();
        if is_public {
            fs::rename(&private, person.path("aside")).unwrap();
        }
        let (code, seen) = run(&person, &["trust", "list"]);
        assert!(code == "1" && seen.contains("belongs to another user (user 54321)"), "{}: {seen}", place.display());
        assert!(seen.contains("chown"), "{seen}");
        if is_public {
            fs::rename(person.path("aside"), &private).unwrap();
        }
        chown(&place, Some(own), None).unwrap();
    }
    person.rye(&["trust", "list", "-q"]).succeeds();
}
