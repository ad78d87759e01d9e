//! Attacks on a registry by whoever can write all of it, and whose key owns another namespace in it.
#![expect(clippy::unwrap_used, reason = "tests")]

mod packages;

use super::*;
use crate::format::registry_files::{Claims, RegistryConfig};
use crate::id::{ItemType, Requirement};
use crate::registry::line::{Need, OrderedRequirement, Release, Target};
use crate::registry::package::{Package, release};
use crate::trust::{Signed, SigningKey, Subject};

pub(crate) const NOW: Timestamp = Timestamp::from_milliseconds(1_773_711_668_000);

pub(crate) fn ada() -> SigningKey {
    SigningKey::from_seed(&[1; 32])
}

pub(crate) fn eve() -> SigningKey {
    SigningKey::from_seed(&[2; 32])
}

pub(crate) fn subject(id: &str) -> Subject {
    let (item_id, extension) = (id.parse().unwrap(), "md".parse().unwrap());
    Subject { item_type: ItemType::Knowledge, item_id, extension }
}

/// A signed knowledge entry as a package.
pub(crate) fn package(subject: &Subject, version: &str, key: &SigningKey) -> Package {
    let (name, category) = (subject.item_id.name(), subject.item_id.category());
    let text = format!(
        "```yaml\nname: \"{name}\"\ntitle: \"T\"\ncategory: \"{category}\"\nversion: \"{version}\"\n```\n\n# T\n\nText.\n"
    );
    let (_, bytes) = Signed::new(subject.clone(), text.into_bytes()).sign(key, NOW).unwrap();
    let path = format!("{name}.{}", subject.extension.as_str());
    Package::of(vec![(path, bytes)])
}

pub(crate) fn entry(id: &str, version: &str, key: &SigningKey) -> Entry {
    let subject = subject(id);
    Entry::Publish(release(&subject, version.parse().unwrap(), &package(&subject, version, key), Vec::new()))
}

pub(crate) fn claim(namespace: &str, key: &SigningKey) -> Entry {
    Entry::Owners { namespace: namespace.parse().unwrap(), owners: vec![key.public().to_openssh()] }
}

pub(crate) fn config(claims: Claims) -> RegistryConfig {
    RegistryConfig { name: "team".parse().unwrap(), claims, reserved: vec!["kept".parse().unwrap()], max_age: None }
}

pub(crate) fn init(config: &RegistryConfig, key: &SigningKey) -> Entry {
    Entry::Init {
        name: config.name.clone(),
        claims: config.claims,
        sha256: ContentHash::of(registry_config_text(config).as_bytes()),
        key: key.public().to_openssh(),
    }
}

pub(crate) fn begun(claims: Claims) -> Log {
    let config = config(claims);
    let (files, _) = extended(Err(State::new(config.clone())), &[init(&config, &ada())], NOW, &ada()).unwrap();
    Log::check(files, None, None).unwrap()
}

pub(crate) fn with(log: &Log, entries: &[Entry], key: &SigningKey) -> Log {
    let (files, _) = extended(Ok(log), entries, NOW, key).unwrap();
    Log::check(files, Some(&log.checkpoint.checkpoint), Some(&log.checkpoint.checkpoint)).unwrap()
}

/// Two namespaces, three versions.
pub(crate) fn registry() -> Log {
    let log = begun(Claims::Open);
    let log = with(&log, &[claim("team", &ada()), entry("team/runbook", "1.0.0", &ada())], &ada());
    let log = with(&log, &[claim("eve", &eve()), entry("eve/item", "1.0.0", &eve())], &eve());
    with(&log, &[entry("team/runbook", "1.1.0", &ada())], &ada())
}

/// Writes lines without any rule, and a checkpoint and tiles that fit them: the abilities of an attacker who writes all
/// files.
fn forged(lines: &[(Entry, &SigningKey)], signer: &SigningKey) -> Files {
    let config = config(Claims::Open);
    let mut files = Files::from([(CONFIG.to_owned(), registry_config_text(&config).into_bytes())]);
    let mut leaves = Vec::new();
    for (seq, (entry, key)) in (0..).zip(lines) {
        let bytes = Line::signed(seq, entry.clone(), NOW, *key).unwrap().bytes();
        leaves.push(tree::leaf(&bytes));
        files.entry(index_path(entry)).or_default().extend([bytes, b"\n".to_vec()].concat());
    }
    files.extend(tables::tables(&files));
    files.extend(tree::tiles(&leaves));
    let owned = |(entry, _): &(Entry, &SigningKey)| match entry {
        Entry::Owners { namespace, owners } if owners.contains(&signer.public().to_openssh()) => {
            Some(namespace.clone())
        }
        _ => None,
    };
    let checkpoint = Checkpoint {
        name: config.name,
        size: leaves.len() as u64,
        root: tree::root(&leaves),
        tables: tables_digest(&files).unwrap(),
        latest: NOW,
        owner: lines.iter().skip(1).find_map(owned).filter(|_| signer.public() != lines[0].1.public()),
    };
    sign(&mut files, checkpoint, signer);
    files
}

/// Signs a checkpoint, whatever it says.
fn sign(files: &mut Files, checkpoint: Checkpoint, signer: &SigningKey) {
    let signed = SignedCheckpoint::signed(checkpoint, signer).unwrap();
    files.insert(CHECKPOINT.to_owned(), signed.to_string().into_bytes());
}

fn rule(files: Files, seen: Option<&Checkpoint>) -> &'static str {
    Log::check(files, seen, seen).map_or_else(|fault| fault.rule(), |_| "accepted")
}

/// The lines of [`registry`], so that one of them can be another.
fn story<'k>(ada: &'k SigningKey, eve: &'k SigningKey) -> Vec<(Entry, &'k SigningKey)> {
    vec![
        (init(&config(Claims::Open), ada), ada),
        (claim("team", ada), ada),
        (entry("team/runbook", "1.0.0", ada), ada),
        (claim("eve", eve), eve),
        (entry("eve/item", "1.0.0", eve), eve),
    ]
}

#[test]
fn a_line_that_its_signer_could_not_make_is_refused_whatever_the_checkpoint_says() {
    let (ada, eve) = (ada(), eve());
    let refused = |line: (Entry, &SigningKey), expected: &str| {
        let mut lines = story(&ada, &eve);
        lines.push((line.0, if line.1.public() == ada.public() { &ada } else { &eve }));
        let mut files = forged(&lines, &eve);
        for (name, key) in [("team", &ada), ("eve", &eve)] {
            let text = namespace_text(&[key.public().to_openssh()]);
            files.insert(namespace_path(&name.parse().unwrap()), text.into_bytes());
        }
        assert_eq!(rule(files, None), expected);
    };
    let target = Target {
        item_type: ItemType::Knowledge,
        id: "team/runbook".parse().unwrap(),
        version: "9.9.9".parse().unwrap(),
    };
    refused((entry("eve/item", "1.1.0", &eve), &eve), "accepted");
    refused((entry("team/runbook", "6.6.6", &eve), &eve), "RYE-R009");
    refused((claim("team", &eve), &eve), "RYE-R009");
    refused((entry("nobody/item", "1.0.0", &eve), &eve), "RYE-R009");
    refused((claim("rye", &eve), &eve), "RYE-R010");
    refused((claim("User", &eve), &eve), "RYE-R010");
    refused((claim("kept", &eve), &eve), "RYE-R010");
    refused((entry("eve/item", "1.0.0", &eve), &eve), "RYE-R011");
    refused((Entry::Yank(target), &ada), "RYE-R012");
    refused((entry("eve/Item", "1.0.0", &eve), &eve), "RYE-R013");
    refused((claim("Team", &eve), &eve), "RYE-R013");
    refused((init(&config(Claims::Open), &eve), &eve), "RYE-R014");
}

#[test]
fn a_checkpoint_of_a_key_that_owns_nothing_is_refused() {
    let (ada, eve) = (ada(), eve());
    let stranger = SigningKey::from_seed(&[3; 32]);
    let lines = story(&ada, &eve);
    let files = forged(&lines[..3], &stranger);
    assert_eq!(rule(files, None), "RYE-R017");
    // A checkpoint of other lines, and one of another registry.
    let log = registry();
    let mut files = log.files.clone();
    files.insert(CHECKPOINT.to_owned(), begun(Claims::Open).files[CHECKPOINT].clone());
    assert_eq!(rule(files, None), "RYE-R016");
    let other = Checkpoint { name: "other".parse().unwrap(), ..log.checkpoint.checkpoint.clone() };
    let mut files = log.files.clone();
    let other = SignedCheckpoint::signed(other, &ada).unwrap();
    files.insert(CHECKPOINT.to_owned(), other.to_string().into_bytes());
    assert_eq!(rule(files, None), "RYE-R016");
}

/// The signer of a checkpoint may lie in every part that a reader of one item uses: a reader of everything notices.
#[test]
fn a_table_a_time_or_an_owner_that_is_not_so_is_refused_whoever_signs_it() {
    let log = registry();
    let good = &log.checkpoint.checkpoint;
    let signed = |change: &dyn Fn(&mut Files, &mut Checkpoint), signer: &SigningKey| {
        let (mut files, mut checkpoint) = (log.files.clone(), good.clone());
        change(&mut files, &mut checkpoint);
        sign(&mut files, checkpoint, signer);
        rule(files, None)
    };
    let eve_owns = |checkpoint: &mut Checkpoint| checkpoint.owner = Some("eve".parse().unwrap());
    assert_eq!(signed(&|_, _| {}, &ada()), "accepted");
    assert_eq!(signed(&|_, checkpoint| eve_owns(checkpoint), &eve()), "accepted");
    // A table leaves a version out, and all digests agree with it.
    let path = "index/team/ac/runbook.jsonl";
    let leave_out = |files: &mut Files, checkpoint: &mut Checkpoint| {
        let mut listed = files.clone();
        let first: Vec<u8> = files[path].split_inclusive(|byte| *byte == b'\n').next().unwrap().to_vec();
        listed.insert(path.to_owned(), first);
        files.extend(tables::tables(&listed));
        checkpoint.tables = tables_digest(files).unwrap();
    };
    assert_eq!(signed(&leave_out, &ada()), "RYE-R036");
    let extra = |files: &mut Files, _: &mut Checkpoint| drop(files.insert("tables/00".to_owned(), b"x\n".to_vec()));
    assert!(!log.files.contains_key("tables/00"));
    assert_eq!(signed(&extra, &ada()), "RYE-R019");
    let other_digest = |_: &mut Files, checkpoint: &mut Checkpoint| checkpoint.tables = ContentHash::of(b"");
    assert_eq!(signed(&other_digest, &ada()), "RYE-R036");
    let later = |_: &mut Files, checkpoint: &mut Checkpoint| {
        checkpoint.latest = Timestamp::from_milliseconds(NOW.milliseconds() + 1000);
    };
    assert_eq!(signed(&later, &ada()), "RYE-R037");
    let no_owner = |_: &mut Files, checkpoint: &mut Checkpoint| checkpoint.owner = None;
    assert_eq!(signed(&no_owner, &eve()), "RYE-R038");
    let other_owner = |_: &mut Files, checkpoint: &mut Checkpoint| checkpoint.owner = Some("team".parse().unwrap());
    assert_eq!(signed(&other_owner, &eve()), "RYE-R038");
    let unclaimed = |_: &mut Files, checkpoint: &mut Checkpoint| checkpoint.owner = Some("else".parse().unwrap());
    assert_eq!(signed(&unclaimed, &ada()), "RYE-R038");
}

/// A reader of one item moves the recorded state on, and does not see the signatures of other lines.
#[test]
fn a_line_is_checked_by_who_reads_all_unless_all_was_checked_before() {
    let (ada, eve) = (ada(), eve());
    let lines = story(&ada, &eve);
    let mut files = forged(&lines, &eve);
    for (name, key) in [("team", &ada), ("eve", &eve)] {
        let text = namespace_text(&[key.public().to_openssh()]);
        files.insert(namespace_path(&name.parse().unwrap()), text.into_bytes());
    }
    let good = Log::check(files.clone(), None, None).unwrap();
    // The same line with another signature, in tree, tables and checkpoint.
    let path = "index/team/ac/runbook.jsonl";
    let text = String::from_utf8(files[path].clone()).unwrap();
    let (before, sig) = text.split_once("\"sig\":\"").unwrap();
    let other = if sig.starts_with('A') { "B" } else { "A" };
    files.insert(path.to_owned(), format!("{before}\"sig\":\"{other}{}", &sig[1..]).into_bytes());
    let leaves: Vec<ContentHash> = super::lines(&files).unwrap().iter().map(|line| tree::leaf(&line.bytes())).collect();
    files.extend(tables::tables(&files));
    files.extend(tree::tiles(&leaves));
    let (root, digest) = (tree::root(&leaves), tables_digest(&files).unwrap());
    let forged = Checkpoint { root, tables: digest, ..good.checkpoint.checkpoint.clone() };
    sign(&mut files, forged.clone(), &eve);
    let judged = |seen: Option<&Checkpoint>, checked: Option<&Checkpoint>| {
        Log::check(files.clone(), seen, checked).map_or_else(|fault| fault.rule(), |_| "accepted")
    };
    assert_eq!(judged(None, None), "RYE-R008");
    assert_eq!(judged(Some(&forged), None), "RYE-R008");
    assert_eq!(judged(Some(&forged), Some(&good.checkpoint.checkpoint)), "RYE-R008");
    assert_eq!(judged(Some(&forged), Some(&forged)), "accepted");
}

#[test]
fn a_registry_that_went_back_forked_or_was_rewritten_is_refused() {
    let log = registry();
    let seen = &log.checkpoint.checkpoint;
    assert_eq!(rule(log.files.clone(), Some(seen)), "accepted");
    let earlier = begun(Claims::Open);
    assert_eq!(rule(earlier.files.clone(), Some(seen)), "RYE-R022");
    // Both have as many lines, all of them in order and signed.
    let base = with(&earlier, &[claim("team", &ada()), entry("team/runbook", "1.0.0", &ada())], &ada());
    let (one, other) = (
        with(&base, &[entry("team/runbook", "1.1.0", &ada())], &ada()),
        with(&base, &[entry("team/runbook", "1.2.0", &ada())], &ada()),
    );
    assert_eq!(rule(other.files.clone(), Some(&one.checkpoint.checkpoint)), "RYE-R023");
    let longer = with(&other, &[entry("team/runbook", "1.3.0", &ada())], &ada());
    assert_eq!(rule(longer.files, Some(&one.checkpoint.checkpoint)), "RYE-R024");
    let renamed = Checkpoint { name: "other".parse().unwrap(), ..seen.clone() };
    assert_eq!(rule(log.files, Some(&renamed)), "RYE-R025");
}

#[test]
fn lines_that_are_swapped_deleted_doubled_moved_or_reordered_are_refused() {
    let log = registry();
    let path = "index/team/ac/runbook.jsonl";
    let owners = "index/team/owners.jsonl";
    let lines: Vec<&[u8]> = log.files[path].split_inclusive(|byte| *byte == b'\n').collect();
    assert_eq!(lines.len(), 2);
    let changed = |path: &str, bytes: Vec<u8>| {
        let mut files = log.files.clone();
        files.insert(path.to_owned(), bytes);
        rule(files, None)
    };
    assert_eq!(changed(path, lines[0].to_vec()), "RYE-R016", "the last one is gone");
    assert_eq!(changed(path, lines[1].to_vec()), "RYE-R005", "the first one is gone");
    assert_eq!(changed(path, [lines[1], lines[0]].concat()), "RYE-R007");
    assert_eq!(changed(path, [lines[0], lines[0], lines[1]].concat()), "RYE-R006");
    assert_eq!(changed(owners, [&log.files[owners], lines[1]].concat()), "RYE-R004");
    assert_eq!(changed("index/team/00/runbook.jsonl", lines[1].to_vec()), "RYE-R004");
    assert_eq!(changed(path, [lines[0], lines[1].trim_ascii_end()].concat()), "RYE-R003");
    assert_eq!(changed(path, [lines[0], b"\n", lines[1]].concat()), "RYE-R003");
    let spaced = String::from_utf8(lines[1].to_vec()).unwrap().replace("\":\"", "\": \"");
    assert_eq!(changed(path, [lines[0], spaced.as_bytes()].concat()), "RYE-R003");
    let more = String::from_utf8(lines[1].to_vec()).unwrap().replace("\"v\":1", "\"v\":1,\"x\":1");
    assert_eq!(changed(path, [lines[0], more.as_bytes()].concat()), "RYE-R003");
    // The line of another version with the number of this one.
    let (first, second) =
        (String::from_utf8(lines[0].to_vec()).unwrap(), String::from_utf8(lines[1].to_vec()).unwrap());
    let number = |line: &str| line.split("\"seq\":").nth(1).unwrap().split(',').next().unwrap().to_owned();
    let swapped = first.replace(&format!("\"seq\":{}", number(&first)), &format!("\"seq\":{}", number(&second)));
    assert_eq!(changed(path, [lines[0], swapped.as_bytes()].concat()), "RYE-R008");
}

#[test]
fn no_bit_of_any_file_of_a_registry_can_change() {
    let log = registry();
    for (path, bytes) in &log.files {
        // One digest covers all of the digests: a byte of each is enough.
        let step = if path == DIGESTS { 31 } else { 1 };
        for at in (0..bytes.len()).step_by(step) {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            let mut files = log.files.clone();
            files.insert(path.clone(), changed);
            assert!(Log::check(files, None, None).is_err(), "byte {at} of {path}");
        }
        let mut files = log.files.clone();
        files.remove(path);
        assert!(Log::check(files, None, None).is_err(), "{path} is gone");
    }
    for path in ["tile/9/000", "tables/0", "tables/x", "namespaces/eve2.toml", "index/x.jsonl", "tile/0/000.p/1"] {
        let files = log.files.clone().into_iter().chain([(path.to_owned(), b"x\n".to_vec())]).collect();
        assert!(Log::check(files, None, None).is_err(), "{path} is new");
    }
}

#[test]
fn in_a_closed_registry_only_its_maker_may_claim() {
    let log = begun(Claims::Owners);
    let refused = extended(Ok(&log), &[claim("eve", &eve())], NOW, &eve());
    assert!(matches!(refused, Err(ExtendError::Fault(Fault::NotOwner { .. }))));
    with(&log, &[claim("eve", &eve())], &ada());
}

#[test]
fn a_line_says_what_it_needs_in_one_order() {
    let need = |id: &str| Need {
        id: id.parse().unwrap(),
        item_type: ItemType::Tool,
        version: OrderedRequirement(Requirement::ANY),
    };
    let Entry::Publish(release) = entry("team/runbook", "1.0.0", &ada()) else { unreachable!() };
    for (deps, is_read) in [(vec![need("a/a"), need("a/b")], true), (vec![need("a/b"), need("a/a")], false)] {
        let entry = Entry::Publish(Release { deps, ..release.clone() });
        let bytes = Line::signed(0, entry, NOW, &ada()).unwrap().bytes();
        assert_eq!(Line::parse(&bytes).is_ok(), is_read);
    }
}
