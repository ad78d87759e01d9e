//! Taking a key from elsewhere: in which forms, over what, and the fate of the former key.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use rye::keys::{Holder, Import, KeyInfo, KeyName, KeysError, named_file};
use rye::trust::{KeyText, NoPassphrase, PublicKey, SignerError, SigningKey};

use super::forms::pkcs8;
use super::ssh_agent::RealAgent;
use super::{Place, mode, names, nobody, some_key};
use crate::support::{Sandbox, assert_seen, has, ssh_keygen};

fn other_key() -> SigningKey {
    SigningKey::from_seed(&[8; 32])
}

impl Place {
    fn import(&self, file: &str, replace: bool) -> Result<Import, KeysError> {
        let store = self.store();
        store.import(&named_file(&self.context(), &store, file, nobody())?, replace)
    }

    fn person_stored(&self) -> Option<KeyText> {
        self.store().stored(KeyName::Person).unwrap()
    }
}

fn imported(import: Result<Import, KeysError>) -> Option<KeyInfo> {
    match import {
        Ok(Import::Imported(replaced)) => replaced,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_key_of_openssh_or_pkcs8_becomes_the_persons() {
    for text in [some_key().to_openssh("me").to_string(), pkcs8(&[7; 32])] {
        let place = Place::new();
        place.write("key", 0o600, &text);
        assert!(imported(place.import("key", false)).is_none());
        let keys = place.path("config/rye/keys");
        assert_eq!((mode(&keys), mode(&keys.join("person"))), (0o700, 0o600));
        assert_eq!(names(&keys), [".gitignore", "person", "person.pub"]);
        let stored = fs::read_to_string(keys.join("person")).unwrap();
        assert_eq!(stored, *some_key().to_openssh("rye person key"), "whatever form it came in");
        let public = fs::read_to_string(keys.join("person.pub")).unwrap();
        assert_eq!(PublicKey::from_openssh(&public).unwrap(), some_key().public());
        assert_eq!(place.person(None).unwrap(), (some_key().public(), false));
        assert!(matches!(place.import("key", false), Ok(Import::Unchanged)));
        assert_eq!(fs::read_to_string(place.path("key")).unwrap(), text, "what was imported stays as it was");
    }
}

#[test]
fn a_key_that_others_can_read_is_not_imported() {
    let place = Place::new();
    place.write("key", 0o640, &some_key().to_openssh("me"));
    assert!(matches!(place.import("key", true), Err(KeysError::LooseMode { mode: 0o640, .. })));
    assert!(place.person_stored().is_none());
}

#[test]
fn a_key_is_replaced_only_when_that_is_asked_for_and_then_kept() {
    let place = Place::new();
    let store = place.store();
    let old = store.create(&place.context(), KeyName::Person).unwrap().public();
    place.write("key", 0o600, &some_key().to_openssh("me"));
    let refused = place.import("key", false).unwrap_err();
    assert_eq!(refused.to_string(), format!("you have a key already, {}", old.key_id()));
    assert_eq!(place.person_stored().unwrap().public(), old);

    let replaced = imported(place.import("key", true)).unwrap();
    let kept = place.path("config/rye/keys/retired").join(old.key_id().as_str());
    assert_eq!((replaced.name, &replaced.key_id, &replaced.path), ("retired", &old.key_id(), &kept));
    assert_eq!((mode(kept.parent().unwrap()), mode(&kept)), (0o700, 0o600));
    let text = fs::read_to_string(&kept).unwrap();
    assert_eq!(SigningKey::from_text(&text).unwrap().public(), old);
    let public = fs::read_to_string(kept.with_added_extension("pub")).unwrap();
    assert_eq!(public, format!("{} rye person key, retired\n", old.to_openssh()));
    assert_eq!(place.person_stored().unwrap().public(), some_key().public());

    // Back and forth: each key is kept once.
    place.write("old", 0o600, &text);
    assert_eq!(imported(place.import("old", true)).unwrap().key_id, some_key().public().key_id());
    assert_eq!(imported(place.import("key", true)).unwrap().key_id, old.key_id());
    let listed = |keys: Vec<KeyInfo>| keys.into_iter().map(|key| (key.name, key.key_id)).collect::<Vec<_>>();
    let wanted = [("person", some_key().public().key_id()), ("retired", old.key_id())];
    assert_eq!(listed(store.list().unwrap()), wanted);
    assert_eq!(names(kept.parent().unwrap()).len(), 4);
}

#[test]
fn the_agents_key_is_never_the_persons() {
    let place = Place::new();
    place.store().create(&place.context(), KeyName::Agent).unwrap();
    for file in ["config/rye/keys/agent", "config/rye/keys/agent.pub"] {
        assert!(matches!(place.import(file, true), Err(KeysError::AgentsOwn { .. })), "{file}");
    }
    assert!(place.person_stored().is_none());
}

/// A protected key is copied as closed as it is, once its passphrase was given.
#[test]
fn a_protected_key_stays_protected() {
    let place = Place::new();
    let text = some_key().to_openssh_protected("me", &"sesame".into(), [1; 16], [2; 4]);
    let path = place.write("key", 0o600, &text);
    let nobody = SignerError::Passphrase { path, source: NoPassphrase::Nobody };
    assert!(matches!(place.import("key", false), Err(KeysError::Signer(error)) if error == nobody));
    assert!(place.person_stored().is_none(), "what was not seen to open is not taken");

    let store = place.store();
    let key = named_file(&place.context(), &store, "key", Box::new(|_| Ok("sesame".into()))).unwrap();
    assert!(imported(store.import(&key, false)).is_none());
    assert_eq!(fs::read_to_string(place.path("config/rye/keys/person")).unwrap(), *text);
    let info = store.list().unwrap().remove(0);
    assert_eq!((info.held, info.key_id), (Holder::ProtectedFile, some_key().public().key_id()));
    assert!(matches!(store.find(KeyName::Person), Err(KeysError::Key { .. })), "it does not open by itself");
}

/// What a crash between the two files of a key leaves behind.
#[test]
fn a_public_half_is_not_read_beside_the_private_one() {
    let place = Place::new();
    let own = place.store().create(&place.context(), KeyName::Person).unwrap().public();
    let public = place.write("config/rye/keys/person.pub", 0o644, &other_key().public().to_openssh());
    assert_eq!(place.person_stored().unwrap().public(), own);
    fs::write(&public, "no key").unwrap();
    assert_eq!(place.person_stored().unwrap().public(), own);
    fs::remove_file(place.path("config/rye/keys/person")).unwrap();
    assert!(matches!(place.store().stored(KeyName::Person), Err(KeysError::Key { path, .. }) if path == public));
    assert!(place.person(None).is_err(), "no key is made beside it");
}

/// A store that is a link, or holds one, is the person's own doing. What it leads to is not written over.
#[test]
fn what_a_link_in_the_store_leads_to_is_left_alone() {
    let place = Place::new();
    let text = other_key().to_openssh("elsewhere");
    let elsewhere = place.write("elsewhere", 0o600, &text);
    fs::create_dir_all(place.path("config/rye/keys")).unwrap();
    fs::set_permissions(place.path("config/rye/keys"), Permissions::from_mode(0o700)).unwrap();
    let person = place.path("config/rye/keys/person");
    std::os::unix::fs::symlink(&elsewhere, &person).unwrap();
    place.write("key", 0o600, &some_key().to_openssh("me"));
    assert!(matches!(place.import("key", false), Err(KeysError::OtherKey { .. })));
    assert_eq!(imported(place.import("key", true)).unwrap().key_id, other_key().public().key_id());
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), *text);
    assert!(fs::symlink_metadata(&person).unwrap().is_file());
}

/// A public key whose private half is missing would leave a person who cannot sign.
#[test]
fn a_public_half_is_imported_only_while_an_ssh_agent_holds_the_other() {
    if !has("ssh-agent") || !has("ssh-keygen") {
        return;
    }
    let place = Place::new();
    ssh_keygen(place.dir.path(), &["-q", "-t", "ed25519", "-N", "", "-f", "id"]);
    let agent = RealAgent::start(&place.path("agent"));
    let place = place.with("SSH_AUTH_SOCK", agent.socket());
    let old = place.store().create(&place.context(), KeyName::Person).unwrap().public();
    let refused = place.import("id.pub", true).unwrap_err();
    assert!(matches!(refused, KeysError::Signer(SignerError::NotHeld { private: Some(_), .. })), "{refused:?}");
    assert_eq!(place.person_stored().unwrap().public(), old);

    agent.add(&[place.path("id").to_str().unwrap()]);
    assert_eq!(imported(place.import("id.pub", true)).unwrap().key_id, old.key_id());
    let keys = place.path("config/rye/keys");
    assert_eq!(names(&keys), [".gitignore", "person.pub", "retired"]);
    let info = place.store().list().unwrap().remove(0);
    assert_eq!((info.held, info.path), (Holder::SshAgent, keys.join("person.pub")));
    assert!(matches!(place.store().find_or_create(&place.context(), KeyName::Person), Err(KeysError::Key { .. })));

    // With its private half it is complete; without, it stays so.
    assert!(imported(place.import("id", false)).is_none());
    assert!(matches!(place.import("id.pub", true), Ok(Import::Unchanged)));
    assert!(matches!(place.person_stored(), Some(KeyText::Open(_))));
}

/// All that a person sees of it.
#[test]
fn importing_says_what_it_means_for_what_is_signed_already() {
    let sandbox = Sandbox::signed();
    let key = sandbox.path("home/id.pem");
    fs::write(&key, pkcs8(&[7; 32])).unwrap();
    fs::set_permissions(&key, Permissions::from_mode(0o600)).unwrap();
    let key = key.to_str().unwrap();
    let seen = [
        sandbox.rye(&["key", "import", key]).transcript(),
        sandbox.rye(&["key", "import", key, "--force"]).transcript(),
        sandbox.rye(&["key", "import", key, "--json"]).transcript(),
        sandbox.rye(&["verify", "-q"]).transcript(),
    ];
    assert_seen(
        seen.join("\n"),
        snapbox::str![[r#"
$ rye key import [SANDBOX]/home/id.pem
[stderr]
error: you have a key already, 706f575fc5331071
hint: run `rye key import [SANDBOX]/home/id.pem --force` to sign with this one from now on; the old key is kept aside
[exit 1]

$ rye key import [SANDBOX]/home/id.pem --force
person	5cc558a6d81dbb98	SHA256:z/fSv0Z0RZS+Lccbc6ZoOWwt/fbj1VFJGSBKQbo4icE	file	[SANDBOX]/config/rye/keys/person
retired	706f575fc5331071	SHA256:XUVTqVrVJ4zpEFI9lHEMEcn5tz++nXOxbAqEWxsfeN4	file	[SANDBOX]/config/rye/keys/retired/706f575fc5331071
[stderr]
note: this is your key from now on
note: signatures of your old key 706f575fc5331071 are no longer trusted
note: `rye sign --all` signs your items again; `rye trust add [SANDBOX]/config/rye/keys/retired/706f575fc5331071.pub --principal you` keeps the old key trusted
[exit 0]

$ rye key import [SANDBOX]/home/id.pem --json
{"status":"unchanged","keys":[{"name":"person","key_id":"5cc558a6d81dbb98","fingerprint":"SHA256:z/fSv0Z0RZS+Lccbc6ZoOWwt/fbj1VFJGSBKQbo4icE","public":"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOpKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs","held":"file","path":"[SANDBOX]/config/rye/keys/person","created":false},{"name":"retired","key_id":"706f575fc5331071","fingerprint":"SHA256:XUVTqVrVJ4zpEFI9lHEMEcn5tz++nXOxbAqEWxsfeN4","public":"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIH/kcrYn7BIHTIodX2TPli0bv15roDHQ6d5q6ug93JH4","held":"file","path":"[SANDBOX]/config/rye/keys/retired/706f575fc5331071","created":false}]}
[stderr]
note: this is your key already
[exit 0]

$ rye verify -q
error: directive `demo/greet`: it is signed by the key `706f575fc5331071`, which is not trusted here [RYE-S006]
  --> .ai/directives/demo/greet.md:1:1
hint: it is a key of yours that you replaced: `rye sign directive demo/greet`, or trust what it signed, `rye trust add [SANDBOX]/config/rye/keys/retired/706f575fc5331071.pub --principal you`

error: 2 tools: each is signed by the key `706f575fc5331071`, which is not trusted here [RYE-S006]
  --> .ai/tools/demo/echo.sh:1:1
  --> .ai/tools/demo/fail.sh:1:1
hint: it is a key of yours that you replaced: `rye sign tool demo/echo demo/fail`, or trust what it signed, `rye trust add [SANDBOX]/config/rye/keys/retired/706f575fc5331071.pub --principal you`

error: knowledge `demo/notes`: it is signed by the key `706f575fc5331071`, which is not trusted here [RYE-S006]
  --> .ai/knowledge/demo/notes.md:1:1
hint: it is a key of yours that you replaced: `rye sign knowledge demo/notes`, or trust what it signed, `rye trust add [SANDBOX]/config/rye/keys/retired/706f575fc5331071.pub --principal you`

not ok: 4 items checked: 4 untrusted
[exit 3]

"#]],
    );
    // The two ways out that it names both work.
    let retired = fs::read_dir(sandbox.path("config/rye/keys/retired")).unwrap();
    let mut retired: Vec<_> = retired.map(|entry| entry.unwrap().path()).collect();
    retired.sort();
    sandbox.rye(&["trust", "add", retired[1].to_str().unwrap(), "--principal", "you"]).succeeds();
    sandbox.rye(&["verify"]).succeeds();
    sandbox.rye(&["sign", "--all"]).succeeds();
    sandbox.rye(&["verify"]).succeeds();
}
