//! Nothing that is shown is old: whatever was edited, added, renamed or removed since the last search.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use serde_json::Value;

use super::{entry, ids, knowledge, search};
use crate::support::{Sandbox, has};

#[test]
fn an_edit_is_found_by_its_new_words_and_not_by_its_old_ones() {
    let sandbox = Sandbox::with_items();
    knowledge(&sandbox, "demo/animal", "Animal", "A wombat sleeps.");
    assert_eq!(ids(&search(&sandbox, &["wombat"])), ["demo/animal"]);
    // The same length, in the same instant.
    knowledge(&sandbox, "demo/animal", "Animal", "A walrus sleeps.");
    assert_eq!(ids(&search(&sandbox, &["walrus"])), ["demo/animal"]);
    assert_eq!(search(&sandbox, &["wombat"])["total"], 0);
    fs::rename(
        sandbox.project().join(".ai/knowledge/demo/animal.md"),
        sandbox.project().join(".ai/knowledge/demo/moved.md"),
    )
    .unwrap();
    assert_eq!(ids(&search(&sandbox, &["walrus"])), ["demo/moved"]);
    fs::remove_file(sandbox.project().join(".ai/knowledge/demo/moved.md")).unwrap();
    assert_eq!(search(&sandbox, &["walrus"])["total"], 0);
}

#[test]
fn an_edit_that_keeps_size_and_time_is_found() {
    let sandbox = Sandbox::with_items();
    knowledge(&sandbox, "demo/animal", "Animal", "A wombat sleeps.");
    let path = sandbox.project().join(".ai/knowledge/demo/animal.md");
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    assert_eq!(search(&sandbox, &["wombat"])["total"], 1);
    fs::write(&path, entry("demo/animal", "Animal", "A walrus sleeps.")).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(before).unwrap();
    assert_eq!(search(&sandbox, &["walrus"])["total"], 1);
    assert_eq!(search(&sandbox, &["wombat"])["total"], 0);
}

#[test]
fn searches_while_somebody_writes_never_show_what_is_not_there() {
    let sandbox = Sandbox::with_items();
    for number in 0..20 {
        knowledge(&sandbox, &format!("busy/entry-{number}"), "Busy", "generation zero");
    }
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for generation in 0..40 {
                let number = generation % 20;
                knowledge(&sandbox, &format!("busy/entry-{number}"), "Busy", &format!("generation g{generation}"));
            }
        });
        for _ in 0..6 {
            let outcome = search(&sandbox, &["generation", "-n", "50"]);
            for hit in outcome["results"].as_array().unwrap() {
                assert!(hit["snippet"].as_str().unwrap().contains("generation"), "{hit}");
            }
        }
    });
    assert_eq!(search(&sandbox, &["generation"])["total"], 20);
}

#[test]
fn every_folder_and_file_that_cannot_be_an_item_is_passed_by() {
    let sandbox = Sandbox::with_items();
    sandbox.put(".ai/knowledge/.hidden/pangolin.md", "pangolin");
    sandbox.put(".ai/knowledge/with space/pangolin.md", "pangolin");
    sandbox.put(".ai/knowledge/demo/pangolin.exe", "pangolin");
    sandbox.put(".ai/knowledge/demo/large.md", &format!("pangolin {}", "x".repeat(1024 * 1024)));
    std::os::unix::fs::symlink("/etc/hostname", sandbox.project().join(".ai/knowledge/demo/out.md")).unwrap();
    std::os::unix::fs::symlink("notes.md", sandbox.project().join(".ai/knowledge/demo/link.md")).unwrap();
    assert_eq!(search(&sandbox, &["pangolin"])["total"], 0);
    let all = search(&sandbox, &["type:knowledge space:project", "--sort", "name"]);
    assert_eq!(ids(&all), ["demo/link", "demo/notes"]);
}

/// What is there and cannot be read is neither shown as it was nor left out in silence.
#[test]
fn a_file_that_cannot_be_read_is_told() {
    let sandbox = Sandbox::with_items();
    knowledge(&sandbox, "demo/animal", "Animal", "A wombat sleeps.");
    assert_eq!(search(&sandbox, &["wombat"])["total"], 1);
    let path = sandbox.project().join(".ai/knowledge/demo/animal.md");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    // Root reads everything, unless it gives that up.
    let mut command = if fs::read(&path).is_err() {
        Command::new(env!("CARGO_BIN_EXE_rye"))
    } else if has("setpriv") {
        let mut command = Command::new("setpriv");
        command.args(["--bounding-set=-dac_override,-dac_read_search", env!("CARGO_BIN_EXE_rye")]);
        command
    } else {
        return;
    };
    command.env_clear().envs(sandbox.variables()).current_dir(sandbox.project()).args(["search", "--json", "wombat"]);
    for _ in 0..2 {
        let outcome: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
        assert_eq!(outcome["total"], 0, "{outcome}");
        let warnings = outcome["warnings"].as_array().unwrap();
        assert!(
            warnings.len() == 1 && warnings[0].as_str().unwrap().contains("demo/animal.md`: it is not searched"),
            "{outcome}"
        );
    }
}
