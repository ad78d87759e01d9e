//! Attacks on a reader of one item, by whoever hosts a registry, and by who owns a namespace in it.
#![expect(clippy::unwrap_used, reason = "tests")]

use super::super::log::Log;
use super::super::log::tests::{NOW, ada, claim, config, entry, eve, package, registry, subject, with};
use super::super::tables::tables;
use super::*;
use crate::context::Surroundings;
use crate::format::registry_files::Claims;
use crate::id::{ItemType, Version};
use crate::trust::SigningKey;

/// Files in memory.
#[derive(Debug, Clone)]
struct Memory(Segment, Files);

impl FileSource for Memory {
    fn registry(&self) -> &Segment {
        &self.0
    }

    fn read(&self, path: &str, most: u64) -> Result<Option<Vec<u8>>, Error> {
        Ok(self.1.get(path).filter(|bytes| bytes.len() as u64 <= most).cloned())
    }
}

const LINES: &str = "index/team/ac/runbook.jsonl";

/// The files of a registry, with the packages of `team/runbook`.
fn files(log: &Log) -> Files {
    let mut files = log.files().clone();
    for version in ["1.0.0", "1.1.0"] {
        files.extend(package(&subject("team/runbook"), version, &ada()).objects());
    }
    files
}

fn opened(files: &Files, seen: Option<&Checkpoint>) -> Result<Sparse<'static>, Error> {
    Sparse::proven(Box::new(Memory("team".parse().unwrap(), files.clone())), None, seen)
}

/// Reads an item with the package of its newest version; returns that.
fn read(files: &Files, seen: Option<&Checkpoint>) -> Result<Version, Error> {
    let sparse = opened(files, seen)?;
    let id = "team/runbook".parse().unwrap();
    let state = sparse.item(&id)?;
    let published = state.published(ItemType::Knowledge, &id).unwrap();
    let newest = published.versions.values().next_back().unwrap();
    sparse.package(newest)?;
    Ok(newest.release.version)
}

fn rule(files: &Files, seen: Option<&Checkpoint>) -> &'static str {
    match read(files, seen) {
        Ok(_) => "accepted",
        Err(Error::Fault { fault, .. }) => fault.rule(),
        Err(error) => panic!("{error}"),
    }
}

fn sign(files: &mut Files, checkpoint: Checkpoint, signer: &SigningKey) {
    let signed = SignedCheckpoint::signed(checkpoint, signer).unwrap();
    files.insert(CHECKPOINT.to_owned(), signed.to_string().into_bytes());
}

#[test]
fn one_item_is_read_and_what_is_not_published_is_proven_to_be_not() {
    let log = registry();
    let files = files(&log);
    assert_eq!(read(&files, None).unwrap().to_string(), "1.1.0");
    let sparse = opened(&files, Some(&log.checkpoint().checkpoint)).unwrap();
    let owners = |namespace: &str| {
        let state = sparse.namespace(&namespace.parse().unwrap()).unwrap();
        state.owners(namespace).to_vec()
    };
    assert_eq!((owners("team"), owners("eve"), owners("else")), (vec![ada().public()], vec![eve().public()], vec![]));
    for id in ["team/other", "else/runbook"] {
        let id = id.parse().unwrap();
        assert!(sparse.item(&id).unwrap().types_of(&id).is_empty(), "{id}");
    }
    assert_eq!(sparse.maker(), Some(&ada().public()));
    // Nothing is read twice.
    let bytes = sparse.bytes_read();
    assert!(sparse.item(&"team/other".parse().unwrap()).is_ok() && sparse.bytes_read() == bytes);
}

#[test]
fn no_byte_of_what_is_read_of_one_item_can_change_and_no_file_can_be_missing() {
    let log = registry();
    let good = files(&log);
    let is_read = |path: &str| {
        let mut changed = good.clone();
        changed.remove(path);
        read(&changed, None).is_err()
    };
    let paths: Vec<&String> = good.keys().filter(|path| is_read(path)).collect();
    assert!(paths.len() > 9 && paths.len() < good.len(), "{paths:?}");
    for path in paths {
        let bytes = &good[path];
        // The digests cover each other's bytes: some of each file are enough.
        for at in (0..bytes.len()).step_by(1 + bytes.len() / 150) {
            let mut changed = good.clone();
            changed.get_mut(path).unwrap()[at] ^= 1;
            assert!(read(&changed, None).is_err(), "byte {at} of {path}");
        }
        let mut changed = good.clone();
        changed.insert(path.clone(), Vec::new());
        assert!(read(&changed, None).is_err(), "{path} is empty");
    }
}

#[test]
fn older_files_and_those_of_another_registry_are_refused() {
    let before = registry();
    let log = with(&before, &[entry("team/runbook", "2.0.0", &ada())], &ada());
    let mut good = files(&log);
    good.extend(package(&subject("team/runbook"), "2.0.0", &ada()).objects());
    assert_eq!(rule(&good, Some(&before.checkpoint().checkpoint)), "accepted");
    let replaced = |path: &str, rule_of: &str, seen: Option<&Checkpoint>| {
        let mut changed = good.clone();
        changed.insert(path.to_owned(), before.files()[path].clone());
        assert_eq!(rule(&changed, seen), rule_of, "{path}");
    };
    replaced(LINES, "RYE-R039", None);
    replaced(&table_path(number(LINES)), "RYE-R036", None);
    replaced(DIGESTS, "RYE-R036", None);
    replaced(CHECKPOINT, "RYE-R022", Some(&log.checkpoint().checkpoint));
    assert_eq!(rule(&files(&before), Some(&log.checkpoint().checkpoint)), "RYE-R022");
    // Two histories of one length, and one that is longer and other.
    let other = with(&before, &[entry("team/runbook", "3.0.0", &ada())], &ada());
    assert_eq!(rule(&files(&other), Some(&log.checkpoint().checkpoint)), "RYE-R023");
    let longer = with(&other, &[entry("team/runbook", "3.1.0", &ada())], &ada());
    assert_eq!(rule(&files(&longer), Some(&log.checkpoint().checkpoint)), "RYE-R024");
    let renamed = Checkpoint { name: "other".parse().unwrap(), ..log.checkpoint().checkpoint.clone() };
    assert_eq!(rule(&good, Some(&renamed)), "RYE-R025");
}

/// A reader of one item cannot detect a false table of the signer; the tree prevents it.
#[test]
fn a_version_that_is_not_in_the_tree_is_not_read_whoever_signed_the_tables() {
    let log = registry();
    let lie = |lines: &[(Entry, u64, &SigningKey)], signer: &SigningKey| {
        let mut files = files(&log);
        files.extend(package(&subject("team/runbook"), "6.6.6", signer).objects());
        ["index/team/owners.jsonl", LINES].iter().for_each(|path| drop(files.remove(*path)));
        for (entry, seq, key) in lines {
            let bytes = Line::signed(*seq, entry.clone(), NOW, *key).unwrap().bytes();
            let path = super::super::layout::index_path(entry);
            files.entry(path).or_default().extend([bytes, b"\n".to_vec()].concat());
        }
        files.extend(tables(&files));
        let (tables, owner) = (ContentHash::of(&files[DIGESTS]), Some("eve".parse().unwrap()));
        let checkpoint = Checkpoint { tables, owner, ..log.checkpoint().checkpoint.clone() };
        sign(&mut files, checkpoint, &eve());
        rule(&files, Some(&log.checkpoint().checkpoint))
    };
    let (ada, eve) = (ada(), eve());
    let evil = || entry("team/runbook", "6.6.6", &eve);
    // She takes the namespace in a line of her own, in the place of the true one.
    assert_eq!(lie(&[(claim("team", &eve), 1, &eve), (evil(), 2, &eve)], &eve), "RYE-R040");
    assert_eq!(lie(&[(claim("team", &eve), 1, &eve), (evil(), 900, &eve)], &eve), "RYE-R040");
    // The true owners remain: she is not one.
    assert_eq!(lie(&[(claim("team", &ada), 1, &ada), (evil(), 2, &eve)], &eve), "RYE-R009");
    let stranger = SigningKey::from_seed(&[9; 32]);
    assert_eq!(lie(&[(claim("team", &ada), 1, &stranger)], &eve), "RYE-R009");
}

/// She adds lines to the tree that no reader of all of it takes, and shows them to readers of one item alone.
#[test]
fn lines_that_were_seen_in_a_file_stay_whoever_signed_the_tables() {
    let log = registry();
    let mut forged = files(&log);
    let mut leaves: Vec<ContentHash> = lines(&forged).unwrap().iter().map(|line| tree::leaf(&line.bytes())).collect();
    forged.extend(package(&subject("team/runbook"), "6.6.6", &eve()).objects());
    for (seq, entry) in [(6, claim("team", &eve())), (7, entry("team/runbook", "6.6.6", &eve()))] {
        let line = Line::signed(seq, entry, NOW, &eve()).unwrap().bytes();
        leaves.push(tree::leaf(&line));
        let path = if seq == 6 { "index/team/owners.jsonl" } else { LINES };
        forged.insert(path.to_owned(), [line, b"\n".to_vec()].concat());
    }
    assert_eq!(leaves.len(), 8);
    forged.extend(tables(&forged));
    forged.extend(tree::tiles(&leaves));
    let (tables, root) = (ContentHash::of(&forged[DIGESTS]), tree::root(&leaves));
    let owner = Some("eve".parse().unwrap());
    sign(&mut forged, Checkpoint { tables, root, size: 8, owner, ..log.checkpoint().checkpoint.clone() }, &eve());
    assert!(
        Log::check(
            forged
                .iter()
                .filter(|(path, _)| !path.starts_with("objects/"))
                .map(|(path, bytes)| (path.clone(), bytes.clone()))
                .collect(),
            None,
            None
        )
        .is_err()
    );
    // A person who sees the namespace for the first time is shown her key, and is asked.
    assert_eq!(read(&forged, Some(&log.checkpoint().checkpoint)).unwrap().to_string(), "6.6.6");

    let home = tempfile::tempdir().unwrap();
    let (current_dir, program) = (home.path().to_path_buf(), "/bin/rye".into());
    let variables = BTreeMap::from([("HOME".to_owned(), home.path().display().to_string())]);
    let ctx = Context::new(Surroundings { current_dir, program, variables }, None, &[]).unwrap();
    let read = |files: &Files| -> Result<Rc<State>, Error> {
        let registry = Sparse::open(&ctx, Box::new(Memory("team".parse().unwrap(), files.clone())))?;
        registry.item(&"team/runbook".parse().unwrap())
    };
    std::fs::create_dir_all(memory::folder(&ctx, &"team".parse().unwrap()).unwrap()).unwrap();
    read(&files(&log)).unwrap();
    read(&files(&log)).unwrap();
    match read(&forged).unwrap_err() {
        Error::Fault { fault, .. } => assert_eq!(fault.rule(), "RYE-R041"),
        error => panic!("{error}"),
    }
    let later = with(&log, &[entry("team/runbook", "2.0.0", &ada()), claim("team", &ada())], &ada());
    read(&files(&later)).unwrap();
}

#[test]
fn a_checkpoint_of_a_key_that_owns_nothing_and_another_configuration_are_refused() {
    let log = registry();
    let signed = |owner: Option<&str>, signer: &SigningKey| {
        let mut files = files(&log);
        let owner = owner.map(|owner| owner.parse().unwrap());
        let checkpoint = Checkpoint { owner, ..log.checkpoint().checkpoint.clone() };
        sign(&mut files, checkpoint, signer);
        rule(&files, None)
    };
    let stranger = SigningKey::from_seed(&[9; 32]);
    assert_eq!(signed(Some("eve"), &eve()), "accepted");
    assert_eq!(signed(None, &eve()), "RYE-R017");
    assert_eq!(signed(Some("team"), &eve()), "RYE-R017");
    assert_eq!(signed(Some("else"), &eve()), "RYE-R017");
    assert_eq!(signed(None, &stranger), "RYE-R017");
    let mut files = files(&log);
    let closed = crate::format::registry_files::registry_config_text(&config(Claims::Owners));
    files.insert(CONFIG.to_owned(), closed.into_bytes());
    assert_eq!(rule(&files, None), "RYE-R014");
}
