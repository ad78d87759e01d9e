//! Every result is current: whatever was edited, added, renamed or removed since the last search.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use serde_json::Value;

use rye::ops::search as searching;
use rye::project::Project;

use super::{entry, ids, knowledge, search};
use crate::support::{Sandbox, has};
use crate::thread::world::World;

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

/// Every kind of change shows, also once the stamps of all files are old enough to be relied on.
#[test]
fn what_comes_goes_and_changes_is_found_when_the_index_is_settled() {
    type Change<'a> = (&'a str, &'a dyn Fn(), &'a [&'a str]);
    let sandbox = Sandbox::with_items();
    let changes: [Change<'_>; 5] = [
        ("nothing", &|| (), &["demo/animal"]),
        (
            "an edit in place",
            &|| knowledge(&sandbox, "demo/plant", "Plant", "A wombat grazes on it."),
            &["demo/animal", "demo/plant"],
        ),
        (
            "a new item in a new folder",
            &|| knowledge(&sandbox, "demo/far/away", "Away", "A wombat, far away, in an item of more words."),
            &["demo/animal", "demo/plant", "demo/far/away"],
        ),
        (
            "a rename",
            &|| {
                let path = |name| sandbox.project().join(".ai/knowledge/demo").join(name);
                fs::rename(path("animal.md"), path("beast.md")).unwrap();
            },
            &["demo/beast", "demo/plant", "demo/far/away"],
        ),
        (
            "a folder gone",
            &|| fs::remove_dir_all(sandbox.project().join(".ai/knowledge/demo/far")).unwrap(),
            &["demo/beast", "demo/plant"],
        ),
    ];
    knowledge(&sandbox, "demo/animal", "Animal", "A wombat sleeps.");
    knowledge(&sandbox, "demo/plant", "Plant", "Nobody sleeps.");
    for (what, change, expected) in changes {
        // Twice: the first search of an index cannot know whether its files have settled.
        for _ in 0..2 {
            std::thread::sleep(std::time::Duration::from_millis(100));
            search(&sandbox, &["wombat"]);
        }
        change();
        let found = search(&sandbox, &["wombat"]);
        let (mut found, mut expected) = (ids(&found), expected.to_vec());
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{what}");
    }
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

/// Between the look at all files and the reading of those that fit, anything can happen.
#[test]
fn what_changes_while_it_is_searched_is_searched_again() {
    for (now, total) in [(Some("A walrus sleeps."), 0), (Some("Two wombats sleep."), 1), (None, 0)] {
        let world = World::new();
        world.write(".ai/knowledge/demo/animal.md", &entry("demo/animal", "Animal", "A wombat sleeps."));
        let path = world.in_project(".ai/knowledge/demo/animal.md");
        let mut changed = false;
        let mut change = |done, all| {
            if done == all && !std::mem::replace(&mut changed, true) {
                match now {
                    Some(body) => fs::write(&path, entry("demo/animal", "Animal", body)).unwrap(),
                    None => fs::remove_file(&path).unwrap(),
                }
            }
        };
        let ctx = world.context(&[]);
        let found =
            searching::search(&Project::open(&ctx).unwrap(), &searching::Options::new("wombat"), &mut change).unwrap();
        let snippets: Vec<&str> = found.results.iter().map(|hit| hit.snippet.as_str()).collect();
        assert!(changed, "nothing was indexed");
        assert_eq!((found.total, snippets), (total, now.into_iter().take(total).collect()), "{now:?}");
        assert_eq!(found.warnings, Vec::<String>::new());
    }
}

/// Where it never ends, the answer says what it lacks.
#[test]
fn what_keeps_changing_is_left_out_and_told() {
    let world = World::new();
    let path = world.in_project(".ai/knowledge/demo/animal.md");
    world.write(".ai/knowledge/demo/animal.md", &entry("demo/animal", "Animal", "A wombat sleeps."));
    let mut times = 0;
    let mut change = |done, all| {
        if done == all {
            times += 1;
            fs::write(&path, entry("demo/animal", "Animal", &format!("{times} wombats sleep."))).unwrap();
        }
    };
    let ctx = world.context(&[]);
    let found =
        searching::search(&Project::open(&ctx).unwrap(), &searching::Options::new("wombat"), &mut change).unwrap();
    assert_eq!((times, found.results.len(), found.warnings.len()), (4, 0, 1), "{:?}", found.warnings);
    assert!(found.warnings[0].contains("keeps changing"), "{:?}", found.warnings);
}

#[test]
fn searches_while_somebody_writes_never_show_what_is_not_there() {
    let sandbox = Sandbox::with_items();
    for number in 0..20 {
        knowledge(&sandbox, &format!("busy/entry-{number}"), "Busy", "wombat zero");
    }
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for generation in 0..40 {
                let number = generation % 20;
                knowledge(&sandbox, &format!("busy/entry-{number}"), "Busy", &format!("wombat g{generation}"));
            }
        });
        for _ in 0..6 {
            let outcome = search(&sandbox, &["wombat", "-n", "50"]);
            for hit in outcome["results"].as_array().unwrap() {
                assert!(hit["snippet"].as_str().unwrap().contains("wombat"), "{hit}");
            }
        }
    });
    assert_eq!(search(&sandbox, &["wombat"])["total"], 20);
}

/// The index belongs to the person only: it is in no work tree.
#[test]
fn a_search_leaves_nothing_in_the_work_tree() {
    let sandbox = Sandbox::signed();
    assert_eq!(search(&sandbox, &["greetings AND short", "--threads"])["results"][0]["item_id"], "demo/notes");
    assert!(sandbox.path("home/.cache/rye/index").is_dir());
    assert_eq!(sandbox.git(&["status", "--porcelain", "--ignored", "--untracked-files=all"]), "");
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
    assert_eq!(ids(&all), ["demo/notes"]);
}

/// An unreadable file is neither shown in its old form nor left out silently.
#[test]
fn a_file_that_cannot_be_read_is_told() {
    let sandbox = Sandbox::with_items();
    knowledge(&sandbox, "demo/animal", "Animal", "A wombat sleeps.");
    assert_eq!(search(&sandbox, &["wombat"])["total"], 1);
    let path = sandbox.project().join(".ai/knowledge/demo/animal.md");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    // Root reads everything, unless it gives that up.
    let mut command = if fs::read(&path).is_err() {
        Command::new(crate::support::RYE)
    } else if has("setpriv") {
        let mut command = Command::new("setpriv");
        command.args(["--bounding-set=-dac_override,-dac_read_search", crate::support::RYE]);
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
