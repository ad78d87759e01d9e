//! Who decides: each of the four files, each line of the manifest, each signature below it, and what came before.

use rye::trust::{ConfigDigest, ContentHash, Digests, Namespace, SignedManifest, TrustedKey, allowed_signers_line};

use super::world::{NOTES, TEXT, signed};
use super::{ADA, ADA_AGAIN, BOB, CAROL, Case, DAVE, EARLIER, EVE, LATER, NEW, OLD, ROOT, STOLEN, TIME, WIDE, key};

pub(super) const SIGNERS: &str = ".ai/trust/allowed_signers";
pub(super) const REVOKED: &str = ".ai/trust/revoked";
pub(super) const POLICY: &str = ".ai/trust/policy.toml";
pub(super) const MANIFEST: &str = ".ai/trust/trust.sig";

/// A project's trust files, and who signs them.
#[derive(Debug, Clone)]
pub(super) struct Trust {
    pub(super) allowed_signers: String,
    pub(super) revoked: String,
    pub(super) policy: String,
    pub(super) version: u64,
    pub(super) at: &'static str,
    pub(super) roots: Vec<u8>,
}

impl Trust {
    /// Returns the manifest's text and the signatures below it.
    pub(super) fn manifest(&self) -> String {
        let digest = |text: &str| Some(ContentHash::of(text.as_bytes()));
        let digests = Digests {
            allowed_signers: digest(&self.allowed_signers),
            revoked: digest(&self.revoked),
            policy: digest(&self.policy),
            config: ConfigDigest::Covered(None),
        };
        let mut manifest = SignedManifest::unsigned(self.version, self.at.parse().unwrap(), digests);
        for root in &self.roots {
            let envelope = key(*root).sign_armored(Namespace::Trust, manifest.message().as_bytes());
            manifest.add(&envelope).unwrap();
        }
        manifest.to_text()
    }

    /// Returns the files with their paths.
    pub(super) fn files(&self) -> [(String, Vec<u8>); 4] {
        [
            (SIGNERS, self.allowed_signers.clone()),
            (REVOKED, self.revoked.clone()),
            (POLICY, self.policy.clone()),
            (MANIFEST, self.manifest()),
        ]
        .map(|(path, text)| (path.to_owned(), text.into_bytes()))
    }

    /// Puts all of them into a case.
    pub(super) fn put(&self, case: Case) -> Case {
        self.files().into_iter().fold(case, |case, (path, bytes)| case.put(path, bytes))
    }
}

/// The files of the trusted revision: version 3, signed by both roots.
pub(super) fn base() -> Trust {
    let signers = [
        line(ADA, "ada@example.org", &["rye", "git", "rye-trust"]),
        line(ADA_AGAIN, "ada@example.org", &["rye"]),
        line(BOB, "bob@example.org", &["rye", "git", "rye-trust"]),
        line(CAROL, "carol@example.net", &["rye"]),
        line(DAVE, "dave@example.net", &["git"]),
        line(ROOT, "root@example.net", &["rye-trust"]),
        line(OLD, "old@example.net", &["rye", "git", "rye-trust"]).replacen(
            " ssh-",
            ",valid-before=\"20260101Z\" ssh-",
            1,
        ),
        line(NEW, "new@example.net", &["rye", "git", "rye-trust"]).replacen(
            " ssh-",
            ",valid-after=\"20260601Z\" ssh-",
            1,
        ),
        line(STOLEN, "stolen@example.net", &["rye", "git", "rye-trust"]),
        line(WIDE, "*@example.org", &["rye"]),
    ];
    Trust {
        allowed_signers: signers.concat(),
        revoked: format!("{} stolen\n", key(STOLEN).public().to_openssh()),
        policy: super::policies::BASE.to_owned(),
        version: 3,
        at: TIME,
        roots: vec![ADA, BOB],
    }
}

/// The files that both roots sign next, if nothing else is said.
pub(super) fn next() -> Trust {
    Trust { version: 4, at: LATER, ..base() }
}

pub(super) fn line(number: u8, principal: &str, namespaces: &[&str]) -> String {
    let namespaces = namespaces.iter().map(|name| (*name).to_owned()).collect();
    let trusted = TrustedKey { namespaces, ..TrustedKey::new(key(number).public(), principal, "") };
    format!("{}\n", allowed_signers_line(&trusted))
}

pub(super) fn cases() -> Vec<Case> {
    [digests(), manifest_lines(), signatures(), roots(), steps(), links()].into_iter().flatten().collect()
}

/// A file is changed and the manifest is not.
fn digests() -> Vec<Case> {
    let base = base();
    let eve = line(EVE, "eve@example.org", &["rye", "git", "rye-trust"]);
    let mut cases = Vec::new();
    for (path, text) in [(SIGNERS, &base.allowed_signers), (REVOKED, &base.revoked), (POLICY, &base.policy)] {
        for (what, text) in [
            ("ends with one more newline", format!("{text}\n")),
            ("begins with a remark", format!("# reviewed\n{text}")),
            ("has CR LF", text.replace('\n', "\r\n")),
        ] {
            cases.push(Case::new(format!("{path} {what}"), "RYE-M004", path).put(path, text));
        }
        cases.push(Case::new(format!("{path} is removed"), "RYE-M004", path).remove(path));
    }
    let evil = signed(NOTES, TEXT, EVE);
    let more = format!("{}{eve}", base.allowed_signers);
    let case = Case::new("a key is added, and an item is signed by it", "RYE-M004", SIGNERS);
    cases.push(case.put(SIGNERS, more).put(NOTES, &*evil).and("RYE-S006", NOTES));
    let case = Case::new("a key takes the place of another", "RYE-M004", SIGNERS);
    let swapped = base.allowed_signers.replace(&key(BOB).public().to_openssh(), &key(EVE).public().to_openssh());
    cases.push(case.put(SIGNERS, swapped));
    let case = Case::new("a key is taken for everything", "RYE-M004", SIGNERS);
    cases.push(case.put(SIGNERS, base.allowed_signers.replacen("namespaces=\"rye\"", "namespaces=\"rye,git\"", 1)));
    let case = Case::new("who left is back", "RYE-M004", SIGNERS);
    let back = base.allowed_signers.replace("valid-before=\"20260101Z\"", "valid-before=\"20300101Z\"");
    let old = signed(NOTES, TEXT, OLD);
    cases.push(case.put(SIGNERS, back).put(NOTES, old).and("RYE-S008", NOTES));
    let case = Case::new("a stolen key is revoked no longer", "RYE-M004", REVOKED);
    let stolen = signed(NOTES, TEXT, STOLEN);
    cases.push(case.put(REVOKED, "").put(NOTES, stolen).and("RYE-S010", NOTES));
    cases.push(Case::new("the signers are emptied", "RYE-M004", SIGNERS).put(SIGNERS, ""));
    cases.push(Case::new("the manifest is removed", "RYE-M010", MANIFEST).remove(MANIFEST));
    let case = Case::new("the manifest and the policy are removed", "RYE-M010", MANIFEST);
    cases.push(case.remove(MANIFEST).remove(POLICY));
    let case = Case::new("a key is added and the manifest removed", "RYE-M010", MANIFEST);
    cases.push(case.remove(MANIFEST).put(SIGNERS, eve).put(NOTES, evil).and("RYE-S006", NOTES));
    cases.push(Case::new("all of it is removed", "RYE-M010", MANIFEST).remove(".ai/trust"));
    cases
}

/// The manifest is written otherwise.
fn manifest_lines() -> Vec<Case> {
    let whole = next().manifest();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let (head, envelopes) = (lines[..8].concat(), lines[8..].concat());
    let with = |from: &str, to: &str| {
        assert!(whole.contains(from), "{from}");
        whole.replacen(from, to, 1)
    };
    let without = |at: usize| [&lines[..at], &lines[at + 1..]].concat().concat();
    let signers = lines[4].trim_end().rsplit(' ').next().unwrap();
    let second = envelopes[1..].find("-----BEGIN").unwrap() + 1;
    let mut texts = vec![
        ("another first line", with("rye-trust-v2", "rye-trust-v3")),
        ("version 0", with("version 4", "version 0")),
        ("version 04", with("version 4", "version 04")),
        ("version +4", with("version 4", "version +4")),
        ("version -4", with("version 4", "version -4")),
        ("version 4.0", with("version 4", "version 4.0")),
        ("a version beyond all numbers", with("version 4", "version 99999999999999999999")),
        ("a time that is none", with("2026-03-18T00:00:00Z", "yesterday")),
        ("parts of a second", with("00:00:00Z", "00:00:00.5Z")),
        ("a digest in capitals", with(signers, &signers.to_uppercase())),
        ("a digest cut short", with(signers, &signers[2..])),
        ("CR LF", whole.replace('\n', "\r\n")),
        ("a blank at the end of a line", with("version 4\n", "version 4 \n")),
        ("a remark", with("version 4\n", "version 4\n# reviewed\n")),
        ("a line above it", format!("\n{whole}")),
        ("a mark of byte order", format!("\u{feff}{whole}")),
        ("two lines changed places", [lines[0], lines[2], lines[1]].concat() + &lines[3..].concat()),
        ("a word below it", format!("{whole}more\n")),
        ("an empty line below it", format!("{whole}\n")),
        ("an envelope that does not end", whole.trim_end().trim_end_matches("-----END SSH SIGNATURE-----").to_owned()),
        ("one key's signature twice", format!("{whole}{}", &envelopes[..second])),
        ("nothing but its first line", lines[0].to_owned()),
        ("nothing", String::new()),
        ("another file", "true\n".to_owned()),
        ("more than 256 KiB", format!("{whole}{}", "x".repeat(256 * 1024))),
    ];
    texts.extend((1..8).map(|at| {
        let missing = ["", "no version", "no time", "no project", "no signers", "no revoked", "no policy", "no config"];
        (missing[at], without(at))
    }));
    let mut cases: Vec<Case> = texts
        .into_iter()
        .map(|(what, text)| Case::new(format!("the manifest has {what}"), "RYE-M002", MANIFEST).put(MANIFEST, text))
        .collect();
    let bytes = [head.as_bytes(), &[0xff, 0xfe], envelopes.as_bytes()].concat();
    cases.push(Case::new("the manifest is not a text", "RYE-M002", MANIFEST).put(MANIFEST, bytes));
    cases
}

/// A signature below the manifest does not fit it.
fn signatures() -> Vec<Case> {
    let next = next();
    let whole = next.manifest();
    let head: String = whole.split_inclusive('\n').take(8).collect();
    let by = |namespace, message: &str| key(BOB).sign_armored(namespace, message.as_bytes());
    let ada = key(ADA).sign_armored(Namespace::Trust, head.as_bytes());
    let flipped = |envelope: &str| {
        // A character well within the signature's last bytes.
        let at = envelope.find("\n-----END").unwrap() - 20;
        let other = if &envelope[at..=at] == "A" { "B" } else { "A" };
        format!("{}{other}{}", &envelope[..at], &envelope[at + 1..])
    };
    let good = by(Namespace::Trust, &head);
    let texts = [
        ("made for commits", format!("{head}{ada}{}", by(Namespace::Git, &head))),
        ("made for items", format!("{head}{ada}{}", by(Namespace::Item, &head))),
        ("made for tokens", format!("{head}{ada}{}", by(Namespace::Agent, &head))),
        ("of another version", format!("{head}{ada}{}", by(Namespace::Trust, &head.replace("version 4", "version 5")))),
        ("of the version before", format!("{head}{ada}{}", by(Namespace::Trust, &base().manifest()[..head.len()]))),
        ("over nothing", format!("{head}{ada}{}", by(Namespace::Trust, ""))),
        ("with another byte", format!("{head}{ada}{}", flipped(&good))),
        ("with another byte, the first of two", format!("{head}{}{good}", flipped(&ada))),
        ("that contains nothing", format!("{head}{ada}-----BEGIN SSH SIGNATURE-----\n-----END SSH SIGNATURE-----\n")),
        ("that is garbage", format!("{head}{ada}-----BEGIN SSH SIGNATURE-----\nU1NI\n-----END SSH SIGNATURE-----\n")),
        ("broken into other lines", format!("{head}{ada}{}", rewrapped(&good))),
    ];
    let mut cases: Vec<Case> = texts
        .into_iter()
        .map(|(what, text)| Case::new(format!("a signature {what}"), "RYE-M005", MANIFEST).put(MANIFEST, text))
        .collect();
    // The lines of the manifest are the signed text.
    for (from, to) in [("version 4", "version 5"), ("2026-03-18", "2026-03-19")] {
        let case = Case::new(format!("the manifest says {to} for {from}"), "RYE-M005", MANIFEST);
        cases.push(case.put(MANIFEST, whole.replacen(from, to, 1)));
    }
    let digest = ContentHash::of(b"").to_string();
    let changed: String = whole.replacen(&ContentHash::of(next.revoked.as_bytes()).to_string(), &digest, 1);
    let case = Case::new("the manifest names an empty list of the revoked", "RYE-M005", MANIFEST);
    cases.push(case.put(MANIFEST, changed).put(REVOKED, ""));
    cases
}

/// Joins an envelope's lines, so that the same bytes are spelled otherwise.
fn rewrapped(envelope: &str) -> String {
    let body: String = envelope.lines().filter(|line| !line.starts_with("-----")).collect();
    format!("-----BEGIN SSH SIGNATURE-----\n{body}\n-----END SSH SIGNATURE-----\n")
}

/// The manifest fits, and is signed by people who do not decide.
fn roots() -> Vec<Case> {
    let few = |what: &str, roots: &[u8]| {
        let case = Case::new(format!("a manifest signed by {what}"), "RYE-M006", MANIFEST);
        Trust { roots: roots.to_vec(), ..next() }.put(case)
    };
    let mut cases = vec![
        few("nobody", &[]),
        few("one root", &[ADA]),
        few("the other root", &[BOB]),
        few("a root and a stranger", &[ADA, EVE]),
        few("a root and who signs only items", &[ADA, CAROL]),
        few("a root and who signs only commits", &[BOB, DAVE]),
        few("a root and her other key", &[ADA, ADA_AGAIN]),
        few("a root and one who has left", &[ADA, OLD]),
        few("a root and one who is not yet there", &[ADA, NEW]),
        few("strangers", &[EVE, EVE + 1, EVE + 2]),
        few("everybody but the roots", &[ADA_AGAIN, CAROL, DAVE, WIDE, EVE]),
    ];
    let stolen = Case::new("a manifest signed by a root and a stolen root's key", "RYE-M007", MANIFEST);
    cases.push(Trust { roots: vec![ADA, STOLEN], ..next() }.put(stolen));
    // What the new files say of their own roots is not asked.
    let evil = signed(NOTES, TEXT, EVE);
    let eve = line(EVE, "eve@example.org", &["rye", "git", "rye-trust"]);
    let low = "format = 1\nroot_signers = 1\n".to_owned();
    let strangers = [
        (
            "everything is a stranger's",
            Trust { allowed_signers: eve.clone(), policy: low.clone(), roots: vec![EVE], ..next() },
        ),
        (
            "a stranger is one more root",
            Trust { allowed_signers: format!("{}{eve}", base().allowed_signers), roots: vec![ADA, EVE], ..next() },
        ),
        (
            "one root makes a stranger the other",
            Trust {
                allowed_signers: format!("{}{eve}", line(ADA, "ada@example.org", &["rye", "git", "rye-trust"])),
                roots: vec![ADA, EVE],
                ..next()
            },
        ),
        ("one root wants one to be enough", Trust { policy: low, roots: vec![ADA], ..next() }),
        (
            "who has left is a root again",
            Trust {
                allowed_signers: base().allowed_signers.replace("20260101Z", "20300101Z"),
                roots: vec![ADA, OLD],
                ..next()
            },
        ),
    ];
    for (what, trust) in strangers {
        cases.push(trust.put(Case::new(what, "RYE-M006", MANIFEST)).put(NOTES, &*evil).and("RYE-S006", NOTES));
    }
    let unrevoked = Trust { revoked: String::new(), roots: vec![ADA, STOLEN], ..next() };
    cases.push(unrevoked.put(Case::new("a stolen key helps to revoke itself no longer", "RYE-M007", MANIFEST)));
    cases
}

/// Both roots signed it, at another time or of another version; and what they sign today counts from tomorrow on.
fn steps() -> Vec<Case> {
    let step = |what: &str, rule, trust: Trust| trust.put(Case::new(what, rule, MANIFEST));
    let more = format!("{}{}", base().allowed_signers, line(EVE, "eve@example.org", &["rye"]));
    let evil = signed(NOTES, TEXT, EVE);
    let agreed = Trust { allowed_signers: more.clone(), ..next() };
    vec![
        step("the version before comes back", "RYE-M008", Trust { version: 2, at: EARLIER, ..base() }),
        step("the first version comes back", "RYE-M008", Trust { version: 1, at: EARLIER, ..base() }),
        step(
            "the same version with other files",
            "RYE-M008",
            Trust { allowed_signers: more.clone(), at: LATER, ..base() },
        ),
        step("the same version at another time", "RYE-M008", Trust { at: LATER, ..base() }),
        step("the next version, signed before", "RYE-M009", Trust { at: EARLIER, ..next() }),
        step("a version far ahead, signed before", "RYE-M009", Trust { version: u64::MAX, at: EARLIER, ..next() }),
        agreed.put(Case::new("a new key is agreed on, and used at once", "RYE-S006", NOTES)).put(NOTES, evil.clone()),
        // OpenSSH skips such a line, and so does the program: it names no signer.
        Trust { allowed_signers: format!("{more}* everybody\n"), ..next() }
            .put(Case::new("a line that is not a key is agreed on, and no item gains", "RYE-S006", NOTES))
            .put(NOTES, evil),
        step(
            "a root's own line is one of a certificate authority",
            "RYE-M006",
            Trust { allowed_signers: more.replacen("namespaces", "cert-authority,namespaces", 1), ..next() },
        ),
        unreadable("no revocation list", REVOKED, Trust { revoked: "SSHKRL\n\0".to_owned(), ..next() }),
        unreadable("a line that revokes nothing", REVOKED, Trust { revoked: "everybody\n".to_owned(), ..next() }),
    ]
}

/// Both roots signed what cannot be read in full: then it says nothing.
fn unreadable(what: &str, path: &str, trust: Trust) -> Case {
    trust.put(Case::new(format!("the roots agree on {what}"), "RYE-M003", path))
}

/// A link where a file is expected.
fn links() -> Vec<Case> {
    let mut cases = Vec::new();
    for (path, rule) in [(SIGNERS, "RYE-M003"), (REVOKED, "RYE-M003"), (POLICY, "RYE-M003"), (MANIFEST, "RYE-M002")] {
        for target in ["/etc/passwd", "../../README"] {
            cases.push(Case::new(format!("{path} is a link to {target}"), rule, path).link(path, target));
        }
    }
    cases.push(Case::new(".ai/trust is a link", "RYE-M010", MANIFEST).remove(".ai/trust").link(".ai/trust", "/etc"));
    cases
}
