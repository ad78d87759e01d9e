//! Files that the program of version 1 signed: each gets the verdict that fits, never a better one than that program's.
//!
//! Those made for this project are in `tests/vectors`. The published items and documents are next to the checkout: the
//! tests that need them are ignored, and `.ci/run` runs them.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rye::id::{Extension, ItemId, ItemType};
use rye::trust::{Fault, PublicKey, Subject, TrustedKey, TrustedKeys, Uncovered};
use serde_json::Value;

use super::{key, keys_of, subject, trusted, unverified};
use crate::support::beside;

fn vector(path: &str) -> PathBuf {
    Path::new(crate::support::ROOT).join("tests/vectors").join(path)
}

/// Reads a file, and names it where it is missing.
fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&read(path)).unwrap()
}

/// Trusts a key given as the PEM text of its SubjectPublicKeyInfo, whose last 32 bytes are the point.
fn trusted_pem(pem: &str) -> TrustedKey {
    let base64: String = pem.lines().filter(|line| !line.starts_with("---")).collect();
    let spki = STANDARD.decode(base64).unwrap();
    let blob = [b"\0\0\0\x0bssh-ed25519\0\0\0\x20", &spki[spki.len() - 32..]].concat();
    let key = PublicKey::from_openssh(&format!("ssh-ed25519 {}", STANDARD.encode(blob))).unwrap();
    assert_eq!(key.to_spki_pem().unwrap(), pem);
    TrustedKey { key, ..trusted(&super::key()) }
}

fn test_key() -> TrustedKeys {
    keys_of([trusted_pem(&String::from_utf8(read(&vector("key.pem"))).unwrap())])
}

/// The part that must be named for a changed file that version 1 calls valid, or the rule it breaks.
fn wanted(item: &str, item_type: ItemType, variant: &str) -> Result<Uncovered, &'static str> {
    let (is_directive, is_knowledge) = (item_type == ItemType::Directive, item_type == ItemType::Knowledge);
    let has_shebang = item == "tool_py_shebang";
    match variant {
        "untouched" => Ok(Uncovered::Id),
        "timestamp_changed" => Ok(Uncovered::Time),
        "to_crlf" => Ok(Uncovered::LineEnd),
        "registry_suffix_added" => Ok(Uncovered::RegistrySuffix),
        // There it is line 1 that ends with a space.
        "sig_line_trailing_space" if has_shebang => Ok(Uncovered::Shebang),
        "sig_line_trailing_space" if !is_knowledge => Ok(Uncovered::TrailingBlanks),
        "process_step_changed" => Ok(Uncovered::Steps),
        "preamble_changed" | "fence_lang_changed" => Ok(Uncovered::Prose),
        "append_newline" | "append_text" | "strip_final_newline" | "blank_line_after_sig" if is_directive => {
            Ok(Uncovered::Prose)
        }
        "shebang_changed" | "shebang_removed" => Ok(Uncovered::Shebang),
        "signature_removed" => Err("RYE-S001"),
        // Below `#!` and a blank the line is where no line belongs.
        "blank_line_before_sig" | "blank_line_after_sig" if has_shebang => Err("RYE-S001"),
        "second_signature_line" if !has_shebang => Err("RYE-S003"),
        "second_signature_line"
        | "blank_line_before_sig"
        | "space_before_sig"
        | "hash_uppercase"
        | "sig_padding_removed"
        | "sig_line_trailing_space"
        | "legacy_line_added_on_top" => Err("RYE-S002"),
        // Where the hash of version 2 would be another, the file does not fit its line at all.
        "sig_flipped" => Err(if is_directive || has_shebang { "RYE-S004" } else { "RYE-S005" }),
        "fp_unknown" | "valid_sig_by_untrusted_key" => Err("RYE-S006"),
        "append_newline"
        | "append_text"
        | "strip_final_newline"
        | "blank_line_after_sig"
        | "hash_changed"
        | "xml_changed"
        | "xml_inner_ws_changed"
        | "body_changed"
        | "yaml_changed"
        | "space_shebang" => Err("RYE-S004"),
        other => panic!("`{other}` is new"),
    }
}

/// One item of the vectors.
struct Vector {
    name: String,
    file: String,
    subject: Subject,
    extension: String,
    /// What the program of version 1 says of each variant.
    variants: Vec<(String, String)>,
}

fn vectors() -> Vec<Vector> {
    let Value::Object(items) = json(&vector("legacy/verdicts.json")) else { panic!("no object") };
    let vector = |(name, item): (String, Value)| {
        let text = |key: &str| item[key].as_str().unwrap();
        let (stem, extension) = text("path").split_once('/').unwrap().1.rsplit_once('.').unwrap();
        let said = |(variant, v1): (&String, &Value)| (variant.clone(), v1.as_str().unwrap().to_owned());
        Vector {
            name,
            file: text("signed_file").to_owned(),
            subject: subject(text("item_type").parse().unwrap(), stem, extension),
            extension: extension.to_owned(),
            variants: item["variants"].as_object().unwrap().iter().map(said).collect(),
        }
    };
    items.into_iter().map(vector).collect()
}

#[test]
fn every_file_of_the_program_of_version_1_gets_its_verdict() {
    let keys = test_key();
    let mut judged = 0;
    for Vector { name, file, subject, extension, variants } in vectors() {
        for (variant, theirs) in variants {
            let bytes = read(&vector(&format!("legacy/tampered/{name}/{variant}.{extension}")));
            if variant == "untouched" {
                assert_eq!(bytes, read(&vector("legacy/items").join(&file)));
            }
            let ours = match unverified(&subject, &bytes).judge_line(&keys).unwrap_err() {
                Fault::Legacy { uncovered, .. } => Ok(uncovered),
                fault => Err(fault.rule()),
            };
            match (wanted(&name, subject.item_type, &variant), &ours) {
                (Ok(part), Ok(parts)) if parts.contains(&part) => {}
                (Err(rule), Err(broken)) if rule == *broken => {}
                (wanted, ours) => panic!("{name} {variant}: {ours:?} instead of {wanted:?}"),
            }
            let is_valid = theirs == "valid" && variant != "second_signature_line";
            assert_eq!(ours.is_ok(), is_valid, "{name} {variant}");
            judged += 1;
        }
    }
    assert_eq!(judged, 145);
}

#[test]
fn items_of_version_1_are_legacy_with_their_signer_trusted_and_untrusted_without() {
    let (vectors, keys) = (vectors(), test_key());
    for Vector { file, subject, .. } in &vectors {
        assert_legacy(subject, &read(&vector("legacy/items").join(file)), &keys);
    }
    assert_eq!(vectors.len(), 7);
}

/// Returns the two published keys.
fn published() -> TrustedKeys {
    let keys = json(&beside::data("vectors/keys.json"));
    let keys = keys["published"].as_array().unwrap();
    keys_of(keys.iter().map(|key| trusted_pem(key["public_pem"].as_str().unwrap())))
}

/// Judges with the keys of the signers, with none, and with that of a stranger only.
fn assert_legacy(subject: &Subject, bytes: &[u8], keys: &TrustedKeys) {
    let signed = unverified(subject, bytes);
    let fault = signed.judge_line(keys).unwrap_err();
    let Fault::Legacy { key_id, uncovered } = &fault else { panic!("{subject}: {fault}") };
    let parts: &[Uncovered] = match subject.item_type {
        ItemType::Directive => &[Uncovered::Prose, Uncovered::Steps],
        ItemType::Tool => &[Uncovered::Shebang],
        ItemType::Knowledge => &[Uncovered::LineEndings],
        ItemType::Skill => panic!("{subject}: there were none"),
    };
    assert!(uncovered.ends_with(parts), "{subject}: {uncovered:?}");
    let unknown = Fault::UntrustedKey { key_id: key_id.clone() };
    assert_eq!(signed.judge_line(&keys_of([])), Err(unknown.clone()), "{subject}");
    assert_eq!(signed.judge_line(&keys_of([trusted(&key())])), Err(unknown), "{subject}");
}

#[test]
#[ignore = "needs the published items beside the checkout: ../shared/vectors/corpus"]
fn real_items_are_legacy_with_their_signers_trusted_and_untrusted_without() {
    let keys = published();
    let mut judged = 0;
    for item_type in [ItemType::Directive, ItemType::Tool, ItemType::Knowledge] {
        let folder = beside::corpus().join(item_type.folder());
        for path in beside::files(&folder) {
            let name = path.strip_prefix(&folder).unwrap().to_str().unwrap();
            let (stem, extension) = name.rsplit_once('.').unwrap();
            // Two names hold a dot and are not ids.
            let Ok(item_id) = stem.parse::<ItemId>() else { continue };
            let extension: Extension = extension.parse().unwrap();
            assert_legacy(&Subject { item_type, item_id, extension }, &read(&path), &keys);
            judged += 1;
        }
    }
    assert_eq!(judged, 60);
}

/// The two documents that are items verify unchanged, under the names they were published by.
#[test]
#[ignore = "needs the original documents beside the checkout: ../shared/seeds"]
fn the_seeds_that_are_items_are_legacy() {
    let keys = published();
    for (number, item_type, id) in [
        ("001", ItemType::Knowledge, "rye/authoring/directive-format"),
        ("002", ItemType::Directive, "rye/core/create_threaded_directive"),
    ] {
        assert_legacy(&subject(item_type, id, "md"), beside::document(number).as_bytes(), &keys);
    }
}
