//! Keys, trust decisions and the context they are found through, in a configuration folder of the test's own.

mod agent_written;
mod forms;
mod import;
mod made;
mod passphrase;
mod secrets;
mod ssh_agent;

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rye::context::{Clock, Config, ConfigError, Context, ContextError, Surroundings};
use rye::id::{Timestamp, Zone};
use rye::keys::{Ask, KeyName, KeyStore, KeysError, TrustDir, person_key, read_allowed_signers};
use rye::trust::{NoPassphrase, PublicKey, Signer as _, SigningKey, TrustedKey, allowed_signers_line};
use tempfile::TempDir;

/// A folder that is home, configuration and working folder at once.
struct Place {
    dir: TempDir,
    variables: BTreeMap<String, String>,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().to_str().unwrap().to_owned();
        let variables = [("HOME", format!("{path}/home")), ("XDG_CONFIG_HOME", format!("{path}/config"))];
        Self { dir, variables: variables.map(|(name, value)| (name.to_owned(), value)).into() }
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.insert(name.to_owned(), value.to_owned());
        self
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    fn write(&self, path: &str, mode: u32, text: &str) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        path
    }

    fn context_with(&self, change_dir: Option<&Path>, overrides: &[&str]) -> Result<Context, ContextError> {
        let surroundings = Surroundings {
            current_dir: self.dir.path().to_path_buf(),
            program: self.path("rye"),
            variables: self.variables.clone(),
        };
        let overrides: Vec<String> = overrides.iter().map(|given| (*given).to_owned()).collect();
        Context::new(surroundings, change_dir, &overrides)
    }

    fn context_with_clock(&self, clock: Clock) -> Context {
        let (current_dir, variables) = (self.dir.path().to_path_buf(), self.variables.clone());
        let surroundings = Surroundings { current_dir, program: self.path("rye"), variables };
        Context::with_clock(surroundings, None, &[], clock).unwrap()
    }

    fn context(&self) -> Context {
        self.context_with(None, &[]).unwrap()
    }

    /// Makes a context in which one more variable is set.
    fn context_where(&self, name: &str, value: &str) -> Context {
        let mut variables = self.variables.clone();
        variables.insert(name.to_owned(), value.to_owned());
        let current_dir = self.dir.path().to_path_buf();
        Context::new(Surroundings { current_dir, program: self.path("rye"), variables }, None, &[]).unwrap()
    }

    fn store(&self) -> KeyStore {
        KeyStore::new(&self.context()).unwrap()
    }

    /// Asks for the person's key, naming `named`, as a command does.
    fn person(&self, named: Option<&str>) -> Result<(PublicKey, bool), KeysError> {
        person_key(&self.context(), &self.store(), named, nobody()).map(|found| (found.public(), found.is_new()))
    }
}

/// Without a terminal for a passphrase.
fn nobody() -> Ask {
    Box::new(|_| Err(NoPassphrase::Nobody))
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn some_key() -> SigningKey {
    SigningKey::from_seed(&[7; 32])
}

fn decision(seed: u8) -> TrustedKey {
    let key = SigningKey::from_seed(&[seed; 32]).public();
    TrustedKey { namespaces: vec!["rye".to_owned()], ..TrustedKey::new(key, format!("person-{seed}"), "test") }
}

#[test]
fn a_new_key_is_private_and_found_again() {
    let place = Place::new();
    let (ctx, store) = (place.context(), place.store());
    assert!(store.find(KeyName::Person).unwrap().is_none());
    let (key, created) = store.find_or_create(&ctx, KeyName::Person).unwrap();
    let (again, created_again) = store.find_or_create(&ctx, KeyName::Person).unwrap();
    assert_eq!((created, created_again, again.public()), (true, false, key.public()));

    let keys = place.path("config/rye/keys");
    assert_eq!((mode(&keys), mode(&keys.join("person"))), (0o700, 0o600));
    assert_eq!(names(&keys), [".gitignore", "person", "person.pub"]);
    assert_eq!(fs::read_to_string(keys.join(".gitignore")).unwrap(), "*\n", "a home folder may be a repository");
    let public = fs::read_to_string(keys.join("person.pub")).unwrap();
    assert_eq!(public, format!("{} rye person key\n", key.public().to_openssh()));
    assert!(
        matches!(store.create(&ctx, KeyName::Person), Err(KeysError::Exists { path }) if path == keys.join("person"))
    );
    assert_eq!(store.find(KeyName::Person).unwrap().unwrap().public(), key.public());
    let agent = store.find_or_create(&ctx, KeyName::Agent).unwrap().0;
    assert_ne!(agent.public(), key.public());
}

#[test]
fn a_key_others_can_read_is_refused_with_path_and_mode() {
    for (loose, path) in [(0o640, "person"), (0o604, "person"), (0o620, "person"), (0o750, ""), (0o701, "")] {
        let place = Place::new();
        place.store().create(&place.context(), KeyName::Person).unwrap();
        let path = place.path("config/rye/keys").join(path);
        let path = path.components().collect::<PathBuf>();
        fs::set_permissions(&path, Permissions::from_mode(loose)).unwrap();
        let error = place.store().find(KeyName::Person).unwrap_err();
        let what = if path.is_dir() { "folder of private keys" } else { "private key" };
        let sentence = format!("the {what} `{}` can be read by others (mode {loose:04o})", path.display());
        assert_eq!(error.to_string(), sentence);
        assert!(place.store().find_or_create(&place.context(), KeyName::Person).is_err());
    }
}

/// Two programs that start at once with no key both end with the same one, and its public half is its own.
#[test]
fn many_creators_at_once_end_with_the_same_key() {
    for _ in 0..20 {
        let place = Place::new();
        let found: Vec<(PublicKey, bool)> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..8).map(|_| scope.spawn(|| place.person(None).unwrap())).collect();
            workers.into_iter().map(|worker| worker.join().unwrap()).collect()
        });
        assert!(found.iter().all(|(key, _)| *key == found[0].0), "{found:?}");
        assert_eq!(found.iter().filter(|(_, created)| *created).count(), 1);
        let keys = place.path("config/rye/keys");
        assert_eq!(names(&keys), [".gitignore", "person", "person.pub"]);
        let public = fs::read_to_string(keys.join("person.pub")).unwrap();
        assert_eq!(PublicKey::from_openssh(&public).unwrap(), found[0].0);
    }
}

#[test]
fn a_trust_file_that_everybody_can_change_is_not_believed() {
    let place = Place::new();
    let path = place.write("config/rye/trust/allowed_signers", 0o666, "");
    let error = TrustDir::new(&place.context()).unwrap().read().unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("`{}` can be changed by everybody (mode 0666), so what it says is not trusted", path.display())
    );
    fs::set_permissions(&path, Permissions::from_mode(0o664)).unwrap();
    fs::set_permissions(path.parent().unwrap(), Permissions::from_mode(0o777)).unwrap();
    let error = TrustDir::new(&place.context()).unwrap().read().unwrap_err();
    assert!(matches!(error, KeysError::WritableByOthers { mode: 0o777, .. }), "{error}");
}

#[test]
fn a_key_that_cannot_be_used_says_why() {
    let place = Place::new();
    let protected = some_key().to_openssh_protected("test", &"sesame".into(), [1; 16], [2; 4]);
    fs::create_dir_all(place.path("config/rye/keys")).unwrap();
    fs::set_permissions(place.path("config/rye/keys"), Permissions::from_mode(0o700)).unwrap();
    for (text, reason) in [
        (protected.as_str(), "the key is protected by a passphrase"),
        ("", "this is not a key in the format of OpenSSH or PKCS#8"),
        (
            "-----BEGIN SOMETHING-----\nAAAA\n-----END SOMETHING-----\n",
            "this is not a key in the format of OpenSSH or PKCS#8",
        ),
    ] {
        let path = place.write("config/rye/keys/person", 0o600, text);
        let error = place.store().find(KeyName::Person).unwrap_err();
        assert_eq!(error.to_string(), format!("the key `{}` cannot be used", path.display()));
        assert_eq!(std::error::Error::source(&error).unwrap().to_string(), reason);
    }
}

#[test]
fn the_person_s_key_is_the_named_one_then_that_of_the_environment_then_their_own() {
    let text = some_key().to_openssh("test");
    let public = some_key().public();
    let place = Place::new().with("RYE_SIGNING_KEY", &text);
    assert_eq!(place.person(None).unwrap(), (public, false));
    assert!(!place.path("config").exists(), "a key from the environment makes no other");
    let (own, created) = place.person(Some("person")).unwrap();
    assert!(created && own != public);

    let place = Place::new().with("RYE_SIGNING_KEY", "ci/key");
    let nothing = "`RYE_SIGNING_KEY` is neither a key nor the path of one";
    assert_eq!(place.person(None).unwrap_err().to_string(), nothing, "what it contains may be secret");
    for (value, told) in [
        ("/nowhere/key", "cannot read the key `/nowhere/key` of `RYE_SIGNING_KEY`: no such file"),
        ("/b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB", nothing),
    ] {
        let place = Place::new().with("RYE_SIGNING_KEY", value);
        assert_eq!(place.person(None).unwrap_err().to_string(), told);
    }
    let path = place.write("ci/key", 0o600, &text);
    assert_eq!(place.person(None).unwrap(), (public, false));
    fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    assert!(matches!(place.person(None), Err(KeysError::LooseMode { mode: 0o644, .. })));
    place.write("other", 0o600, &SigningKey::from_seed(&[8; 32]).to_openssh("test"));
    let named = place.path("other").to_str().unwrap().to_owned();
    assert_eq!(place.person(Some(&named)).unwrap(), (SigningKey::from_seed(&[8; 32]).public(), false));

    let place = Place::new().with("RYE_SIGNING_KEY", "-----BEGIN nothing");
    assert_eq!(place.person(None).unwrap_err().to_string(), "the key `RYE_SIGNING_KEY` cannot be used");
    let place = Place::new();
    place.store().create(&place.context(), KeyName::Agent).unwrap();
    assert_eq!(place.person(Some("agent")).unwrap_err().to_string(), "cannot read `agent`: no such file");
    let path = place.store().path(KeyName::Agent);
    let refused = format!("`{}` is the key of your own agent, whose signatures are never yours", path.display());
    assert_eq!(place.person(path.to_str()).unwrap_err().to_string(), refused);
}

#[test]
fn a_decision_is_written_once_and_read_back() {
    let place = Place::new();
    let trust = TrustDir::new(&place.context()).unwrap();
    assert_eq!(trust.read().unwrap(), []);
    assert_eq!(read_allowed_signers(&trust.path(), &Zone::default()).unwrap(), None);
    assert_eq!(trust.add(&[decision(1)]).unwrap(), [decision(1)]);
    assert_eq!(trust.add(&[decision(1), decision(2)]).unwrap(), [decision(2)]);
    assert_eq!(trust.add(&[decision(2)]).unwrap(), []);
    let lines = format!("{}\n{}\n", allowed_signers_line(&decision(1)), allowed_signers_line(&decision(2)));
    assert_eq!(trust.path(), place.path("config/rye/trust/allowed_signers"));
    assert_eq!(fs::read_to_string(trust.path()).unwrap(), lines);
    assert_eq!(names(trust.path().parent().unwrap()), ["allowed_signers"]);

    // What a person wrote there stays, and a missing final newline does no harm.
    place.write("config/rye/trust/allowed_signers", 0o644, &format!("# mine\n{}", allowed_signers_line(&decision(3))));
    trust.add(&[decision(4)]).unwrap();
    let lines = format!("# mine\n{}\n{}\n", allowed_signers_line(&decision(3)), allowed_signers_line(&decision(4)));
    assert_eq!(fs::read_to_string(trust.path()).unwrap(), lines);

    place.write("config/rye/trust/allowed_signers", 0o644, "# mine\nsomebody ssh-ed25519 AAAA\n");
    // A line that is not read does not count, and stays.
    assert_eq!(trust.read().unwrap(), []);
    trust.add(&[decision(5)]).unwrap();
    let keys = trust.trusted_keys(&place.store(), None).unwrap();
    let (seen, wanted) = (keys.warnings(), format!("skipped 1 line of `{}`: line 2 (", trust.path().display()));
    assert!(keys.iter().count() == 1 && seen.len() == 1 && seen[0].starts_with(&wanted), "{seen:?}");
    let lines = format!("# mine\nsomebody ssh-ed25519 AAAA\n{}\n", allowed_signers_line(&decision(5)));
    assert_eq!(fs::read_to_string(trust.path()).unwrap(), lines);
}

#[test]
fn decisions_made_at_once_are_all_kept() {
    let place = Place::new();
    let trust = TrustDir::new(&place.context()).unwrap();
    std::thread::scope(|scope| {
        for seed in 0..8 {
            let trust = &trust;
            scope.spawn(move || trust.add(&[decision(seed)]).unwrap());
        }
    });
    let mut principals: Vec<String> = trust.read().unwrap().into_iter().map(|key| key.principal).collect();
    principals.sort();
    assert_eq!(principals, (0..8).map(|seed| format!("person-{seed}")).collect::<Vec<_>>());
}

#[test]
fn the_person_trusts_their_own_key_and_their_decisions_and_not_the_agent() {
    let place = Place::new();
    let (ctx, store) = (place.context(), place.store());
    let trust = TrustDir::new(&ctx).unwrap();
    assert_eq!(trust.trusted_keys(&store, None).unwrap().iter().count(), 0);
    let own = store.create(&ctx, KeyName::Person).unwrap().public();
    let agent = store.create(&ctx, KeyName::Agent).unwrap().public();
    trust.add(&[decision(1)]).unwrap();
    // Neither does a line that got into the file by hand make a person of the agent.
    trust.add(&[TrustedKey { key: agent, ..decision(1) }]).unwrap();
    let keys = trust.trusted_keys(&store, None).unwrap();
    let mut trusted: Vec<_> = keys.iter().map(|key| (key.key.fingerprint(), key.origin.clone())).collect();
    let mut wanted = vec![
        (own.fingerprint(), "your own key".to_owned()),
        (decision(1).key.fingerprint(), format!("{}:1", trust.path().display())),
    ];
    trusted.sort();
    wanted.sort();
    assert_eq!(trusted, wanted);
    assert!(keys.with_id(&agent.key_id()).is_empty());
}

#[test]
fn a_configuration_with_a_mistake_is_refused_with_its_place() {
    let place = Place::new();
    let path = place.write("config/rye/config.toml", 0o644, "[threads]\nprefix = \"work\"\nprefx = \"x\"\n");
    let refused = |overrides: &[&str]| match place.context_with(None, overrides) {
        Err(ContextError::Config(ConfigError::Wrong { origin, message })) => (origin, message),
        Err(ContextError::Config(ConfigError::UnknownSetting { origin, setting, expected })) => {
            (origin, format!("unknown {setting}, {expected}"))
        }
        other => panic!("{other:?}"),
    };
    let (origin, message) = refused(&[]);
    assert_eq!(origin, format!("`{}`, line 3", path.display()));
    assert_eq!(message, "unknown prefx, expected one of `prefix`, `keep`, `share`");
    place.write("config/rye/config.toml", 0o644, "[threads\n");
    assert_eq!(refused(&[]), (format!("`{}`, line 1", path.display()), "unclosed table, expected `]`".to_owned()));

    place.write("config/rye/config.toml", 0o644, "[threads]\nprefix = \"a..b\"\n");
    let (_, message) = refused(&[]);
    assert_eq!(message, "`threads.prefix` is `a..b`, which cannot start a branch's name");
    place.write("config/rye/config.toml", 0o644, "[threads]\nprefix = \"work\"\n");
    for (given, message) in [
        ("threads.prefix", "it must be KEY=VALUE"),
        ("threads.prefix=a..b", "set `threads.prefix` in the configuration file"),
        ("items.shadow_reserved=true", "set `items.shadow_reserved` in the configuration file"),
        ("interpreters.python3=/opt/python3", "set `interpreters` in the configuration file"),
        (
            "items.shadow_reserved=perhaps",
            "`items.shadow_reserved`: invalid type: string \"perhaps\", expected a boolean",
        ),
        ("threads.prefx=x", "unknown threads.prefx, expected one of `prefix`, `keep`, `share`"),
        (
            "item.shadow_reserved=true",
            "unknown item, expected one of `threads`, `context`, `items`, `capabilities`, `permissions`, `mcp`, `commit`, `outgoing`, `agents`, `secrets`, `sandbox`, `net`, `limits`, `prices`, `mcp_servers`, `skills`, `interpreters`, `shell`",
        ),
        ("commit.sign=own", "set `commit` in the configuration file"),
        ("agents.sign=allow", "set `agents` in the configuration file"),
    ] {
        let (origin, found) = refused(&[given]);
        assert_eq!(origin, format!("`--config {given}`"));
        assert!(found.starts_with(message), "{given}: {found}");
    }
}

#[test]
fn an_override_beats_the_file_and_the_file_the_default() {
    let place = Place::new();
    let keep = |overrides: &[&str]| {
        let config = place.context_with(None, overrides).unwrap().config().clone();
        config.threads.keep.map(|keep| keep.seconds())
    };
    assert_eq!(place.context().config(), &Config::default());
    assert_eq!(keep(&[]), None);
    place.write("config/rye/config.toml", 0o644, "[threads]\nkeep = \"3m\"\n[interpreters]\nsh = \"/bin/sh\"\n");
    assert_eq!(keep(&[]), Some(180));
    assert_eq!(keep(&["threads.keep=2m", "threads.keep=\"1m\""]), Some(60));
    let ctx = place.context_with(None, &["capabilities.offered=[\"zfs\"]"]).unwrap();
    let mut wanted = Config::default();
    wanted.threads.keep = Some("3m".parse().unwrap());
    wanted.capabilities.offered = ["zfs".parse().unwrap()].into();
    wanted.interpreters = [("sh", "/bin/sh")].map(|(k, v)| (k.into(), v.into())).into();
    assert_eq!(ctx.config(), &wanted);
}

#[test]
fn a_context_is_made_of_its_surroundings_alone() {
    let place = Place::new().with("LD_PRELOAD", "/evil.so").with("TERM", "").with("LANG", "C");
    let ctx = place.context();
    assert_eq!([ctx.variable("LD_PRELOAD"), ctx.variable("TERM"), ctx.variable("LANG")], [None, None, Some("C")]);
    assert_eq!((ctx.current_dir(), ctx.program()), (place.dir.path(), place.path("rye").as_path()));
    assert_eq!(ctx.config_dir().unwrap(), place.path("config/rye"));
    assert_eq!(ctx.user_root().unwrap(), place.path("home"));

    fs::create_dir_all(place.path("a/b")).unwrap();
    let real = place.dir.path().canonicalize().unwrap();
    let place = place.with("RYE_PROJECT", "a");
    assert_eq!(place.context().current_dir(), real.join("a"));
    assert_eq!(place.context_with(Some(Path::new("a/b")), &[]).unwrap().current_dir(), real.join("a/b"));
    let error = place.context_with(Some(Path::new("nowhere")), &[]).unwrap_err();
    assert_eq!(error.to_string(), format!("no such folder `{}`", place.path("nowhere").display()));

    let error = Place::new().with("XDG_CONFIG_HOME", "relative").context_with(None, &[]).unwrap_err();
    assert_eq!(error.to_string(), "`XDG_CONFIG_HOME` must be an absolute path, not `relative`");
    let error = Place::new().with("XDG_CONFIG_HOME", "").with("HOME", "").context_with(None, &[]).unwrap_err();
    assert_eq!(error.to_string(), "cannot find your home folder: `HOME` is not set");
}

#[test]
fn a_fixed_clock_and_a_seed_fix_time_and_randomness() {
    let now = Timestamp::from_milliseconds(1_773_711_668_000);
    let context = |seed: Option<&str>| {
        let place = Place::new();
        place.context_with_clock(Clock::fixed(Some(now), seed.map(str::to_owned)))
    };
    let draws = |ctx: &Context| [ctx.random::<40>().unwrap(), ctx.random::<40>().unwrap()];
    let ctx = context(Some("seed"));
    assert_eq!((ctx.now(), ctx.elapsed_ms()), (now, 0));
    let first = draws(&ctx);
    assert_eq!(first, draws(&context(Some("seed"))));
    assert_ne!(first[0], first[1]);
    assert_ne!(first[0][..8], first[0][32..]);
    assert_ne!(first, draws(&context(Some("other"))));
    assert_ne!(draws(&context(None)), draws(&context(None)));
}

/// A program whose time and keys the environment decides must never be shipped.
#[test]
fn the_environment_decides_about_no_time_or_randomness_of_the_shipped_program() {
    let place = Place::new();
    let context = place.with("RYE_NOW", "2026-03-17T01:41:08Z").with("RYE_SEED", "seed");
    let random = || context.context().random::<40>().unwrap();
    assert_ne!(random(), random());
    assert_ne!(context.context().now(), Timestamp::from_milliseconds(1_773_711_668_000));
    let main = fs::read_to_string(Path::new(crate::support::ROOT).join("src/main.rs")).unwrap();
    assert!(main.contains("rye::cli::run(Clock::system())"), "{main}");
    let manifest: toml::Table =
        fs::read_to_string(Path::new(crate::support::ROOT).join("Cargo.toml")).unwrap().parse().unwrap();
    assert!(!manifest.contains_key("features"), "no feature is for tests");
}

/// A program that is killed while it makes a key leaves a file with a private key.
#[test]
fn what_a_killed_program_left_of_a_key_is_removed() {
    let place = Place::new();
    place.store().ensure(&place.context()).unwrap();
    for left in [".new-abc123", "retired/.new-abc123"] {
        let left = place.write(&format!("config/rye/keys/{left}"), 0o600, &some_key().to_openssh("test"));
        fs::set_permissions(left.parent().unwrap(), Permissions::from_mode(0o700)).unwrap();
        place.write("config/rye/keys/.new-public", 0o644, "");
        place.store().ensure(&place.context()).unwrap();
        assert!(!left.exists(), "{}", left.display());
    }
    assert!(!place.path("config/rye/keys/.new-public").exists());
}
