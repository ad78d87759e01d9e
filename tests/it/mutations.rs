//! Tamperings by the hundred: each is one commit on top of a trusted revision, and each is refused by the rule that fits.
//!
//! `world` has the trusted revision and judges what comes after it. The cases are generated: `items` from every part of a
//! signed file, `notes` from every way to pretend a second signature, `commits` from every part of a commit and every
//! way to answer for history, `trust_files` and `policies` from every way to change who decides. The library judges all
//! of them; the program is asked about one in [`SAMPLE`] and must say the same.

mod commits;
mod items;
mod notes;
mod policies;
mod trust_files;
mod world;

use rye::ops::verify::{Finding, Status};
use rye::trust::SigningKey;
use world::World;

/// The people. Ada and Bob are the roots, and two must sign a manifest.
const ADA: u8 = 1;
const BOB: u8 = 2;
/// Ada's second key.
const ADA_AGAIN: u8 = 3;
/// Signs items, and nothing else.
const CAROL: u8 = 4;
/// Signs commits, and nothing else.
const DAVE: u8 = 5;
/// Signs manifests once the others do, and nothing else.
const ROOT: u8 = 6;
/// Has left, and is not yet there.
const OLD: u8 = 7;
const NEW: u8 = 8;
/// A root whose key was stolen.
const STOLEN: u8 = 9;
/// Whoever holds it may be anybody of example.org.
const WIDE: u8 = 10;
/// A person unknown to everyone.
const EVE: u8 = 99;

/// When everything is signed, and a day before and after.
const TIME: &str = "2026-03-17T01:41:08Z";
const EARLIER: &str = "2026-03-16T00:00:00Z";
const LATER: &str = "2026-03-18T00:00:00Z";

/// Of how many cases one is asked of the program, too.
const SAMPLE: usize = 20;

/// What a tampering is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Items,
    Notes,
    Commits,
    TrustFiles,
    Policies,
}

/// What happens to a file.
#[derive(Debug, Clone)]
enum Change {
    Put(Vec<u8>),
    Link(&'static str),
    Remove,
}

/// A note: the ref it is under, the file on whose blob it lies, its bytes.
#[derive(Debug, Clone)]
struct Beside {
    reference: &'static str,
    path: String,
    bytes: Vec<u8>,
}

/// Makes of an honest commit's bytes without signature those of the commit that is there.
type Forge = Box<dyn Fn(&world::Unsigned) -> String>;

/// The item that a misplaced signature was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Original {
    /// It is still in its place.
    InTree(&'static str),
    /// The trusted revision had it.
    InHistory(&'static str),
    /// Of a signature by OpenPGP: no trust file names its key.
    OpenPgp,
}

/// One tampering and what must be said of it.
struct Case {
    what: String,
    changes: Vec<(String, Change)>,
    notes: Vec<Beside>,
    forge: Option<Forge>,
    expected: Vec<(&'static str, String)>,
    because: Option<Original>,
}

impl Kind {
    const ALL: [Self; 5] = [Self::Items, Self::Notes, Self::Commits, Self::TrustFiles, Self::Policies];

    fn cases(self) -> Vec<Case> {
        match self {
            Self::Items => items::cases(),
            Self::Notes => notes::cases(),
            Self::Commits => commits::cases(),
            Self::TrustFiles => trust_files::cases(),
            Self::Policies => policies::cases(),
        }
    }
}

impl Case {
    /// Begins with nothing but a sentence and the finding that is expected.
    fn new(what: impl Into<String>, rule: &'static str, path: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            changes: Vec::new(),
            notes: Vec::new(),
            forge: None,
            expected: vec![(rule, path.into())],
            because: None,
        }
    }

    fn put(mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        self.changes.push((path.into(), Change::Put(bytes.into())));
        self
    }

    fn link(mut self, path: impl Into<String>, target: &'static str) -> Self {
        self.changes.push((path.into(), Change::Link(target)));
        self
    }

    fn remove(mut self, path: impl Into<String>) -> Self {
        self.changes.push((path.into(), Change::Remove));
        self
    }

    fn note(mut self, reference: &'static str, path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        self.notes.push(Beside { reference, path: path.into(), bytes: bytes.into() });
        self
    }

    fn forge(mut self, forge: impl Fn(&world::Unsigned) -> String + 'static) -> Self {
        self.forge = Some(Box::new(forge));
        self
    }

    fn because(mut self, original: impl Into<Option<Original>>) -> Self {
        self.because = original.into();
        self
    }

    /// Expects one more finding.
    fn and(mut self, rule: &'static str, path: impl Into<String>) -> Self {
        self.expected.push((rule, path.into()));
        self
    }

    /// The expected findings in the order of their rules and paths, with what explains them.
    fn wanted(&self, world: &World) -> Vec<(String, String, Option<String>)> {
        let because = self.because.map(|original| world.because(original));
        let explained = |rule: &str| because.clone().filter(|_| matches!(rule, "RYE-S005" | "RYE-C008"));
        let mut wanted: Vec<_> =
            self.expected.iter().map(|(rule, path)| ((*rule).to_owned(), path.clone(), explained(rule))).collect();
        wanted.sort();
        wanted
    }
}

fn key(number: u8) -> SigningKey {
    SigningKey::from_seed(&[number; 32])
}

/// The findings, in the order of rules and paths.
fn told(findings: &[Finding]) -> Vec<(String, String, Option<String>)> {
    let mut told: Vec<_> = findings
        .iter()
        .map(|finding| (finding.rule.to_owned(), finding.path.clone(), finding.because.clone()))
        .collect();
    told.sort();
    told
}

/// Judges every case of a kind by the library and some by the program; none may pass, and none for another reason.
#[track_caller]
fn refuse_all(kind: Kind) {
    let cases = kind.cases();
    let world = World::new(&cases);
    let judge = world.judge();
    // Checking the signatures of no commits is not a success; nothing else is reported.
    let untouched = judge.of(world.base());
    assert_eq!((untouched.status, untouched.findings.len()), (Status::Empty, 0), "what nobody touched is good");
    let mut wrong = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        let (tip, wanted) = (world.tip(number), case.wanted(&world));
        let outcome = judge.of(tip);
        let seen = told(&outcome.findings);
        if outcome.status != Status::Findings || seen != wanted {
            wrong.push(format!("{}: {:?} {seen:?} instead of {wanted:?}", case.what, outcome.status));
        }
        if number % SAMPLE == 0 {
            assert_eq!(world.ask_program(tip), ("3".to_owned(), seen), "the program about: {}", case.what);
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn tampered_items_are_refused() {
    refuse_all(Kind::Items);
}

#[test]
fn forged_countersignatures_are_refused() {
    refuse_all(Kind::Notes);
}

#[test]
fn forged_commits_are_refused() {
    refuse_all(Kind::Commits);
}

#[test]
fn tampered_trust_files_are_refused() {
    refuse_all(Kind::TrustFiles);
}

#[test]
fn weakened_policies_are_refused() {
    refuse_all(Kind::Policies);
}

/// Fewer would not be a suite; the numbers are for readers of the log.
#[test]
#[expect(clippy::print_stdout, reason = "the count is to be seen")]
fn there_are_at_least_two_hundred_tamperings_and_the_program_is_asked_about_thirty() {
    let counts = Kind::ALL.map(|kind| (kind, kind.cases().len()));
    let (mut all, mut asked) = (0, 0);
    for (kind, count) in counts {
        println!("{kind:?}: {count} tamperings");
        assert!(count >= 20, "{kind:?}: {count}");
        all += count;
        asked += count.div_ceil(SAMPLE);
    }
    println!("in all: {all}, {asked} of them by the program");
    assert!(all >= 200 && asked >= 30, "{all} {asked}");
    for kind in Kind::ALL {
        let mut names: Vec<String> = kind.cases().into_iter().map(|case| case.what).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count, "{kind:?}: two tamperings are one");
    }
}
