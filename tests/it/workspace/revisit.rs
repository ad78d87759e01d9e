//! Looking again comes to what a survey comes to, or to nothing.

use std::thread::sleep;
use std::time::Duration;

use super::*;
use rye::workspace::{Sighting, Survey};

/// Clocks of file systems tick every few milliseconds.
const TICK: Duration = Duration::from_millis(20);

fn spaces() -> Spaces {
    let spaces = Spaces::new();
    for number in 0..300 {
        spaces.put(&format!("project/.ai/knowledge/many/entry-{number}.md"), "text");
    }
    for path in ["knowledge/a.md", "knowledge/a/b.md", "knowledge/a/b/c.md", "knowledge/a-b.md", "tools/x.sh"] {
        spaces.put(&format!("project/.ai/{path}"), "text");
        spaces.put(&format!("user/.ai/{path}"), "text");
    }
    spaces
}

fn revisited(spaces: &Spaces, before: &Survey) -> Option<Survey> {
    let (changed, beside) = spaces.workspace.revisit(&before.folders, &before.items, || 42).unwrap()?;
    assert_eq!(beside, 42);
    let (mut items, folders) = (before.items.clone(), before.folders.clone());
    for (at, stamp) in changed {
        assert_ne!(items[at].stamp, stamp);
        items[at].stamp = stamp;
    }
    Some(Survey { items, folders, failures: Vec::new() })
}

fn surveyed(spaces: &Spaces) -> Survey {
    let survey = spaces.workspace.survey().unwrap();
    // What happens next gets another time.
    sleep(TICK);
    survey
}

/// Looks again after a change, and tells whether that was enough.
fn is_enough(spaces: &Spaces, before: &Survey) -> bool {
    let again = revisited(spaces, before);
    let now = surveyed(spaces);
    if let Some(again) = &again {
        assert_eq!((&again.items, &again.folders), (&now.items, &now.folders));
    }
    again.is_some()
}

#[test]
fn what_is_unchanged_and_what_is_edited_in_place_is_seen() {
    let spaces = spaces();
    let before = surveyed(&spaces);
    assert_eq!(before.items.iter().filter(|item| !item.name.starts_with("system/")).count(), 310);
    let folders: Vec<&str> = before.folders.iter().map(|folder| folder.name.as_str()).collect();
    assert!(folders.is_sorted() && folders.contains(&"project/") && folders.contains(&"user/knowledge/a/b/"));
    assert_eq!(revisited(&spaces, &before).unwrap().items, before.items);
    for path in ["project/.ai/knowledge/many/entry-299.md", "user/.ai/tools/x.sh"] {
        fs::write(spaces.path(path), "longer text").unwrap();
    }
    assert!(is_enough(&spaces, &before));
    assert_ne!(surveyed(&spaces).items, before.items);
    // What another program knew is not relied on: it has other items compiled in.
    let mut foreign = surveyed(&spaces);
    foreign.items.pop();
    assert!(!is_enough(&spaces, &foreign));
}

#[test]
fn whatever_makes_or_removes_a_name_asks_for_a_survey() {
    type Change = fn(&Spaces);
    let changes: [(&str, Change); 14] = [
        ("a new item", |spaces| _ = spaces.put("project/.ai/knowledge/many/new.md", "x")),
        ("an item in a new folder", |spaces| _ = spaces.put("user/.ai/knowledge/a/new/x.md", "x")),
        ("a type's first item", |spaces| _ = spaces.put("project/.ai/directives/x.md", "x")),
        ("an item gone", |spaces| fs::remove_file(spaces.path("project/.ai/knowledge/a/b/c.md")).unwrap()),
        ("a rename", |spaces| {
            fs::rename(spaces.path("user/.ai/knowledge/a.md"), spaces.path("user/.ai/knowledge/z.md")).unwrap();
        }),
        ("another file in its place", |spaces| {
            let other = spaces.put("project/other", "text");
            fs::rename(other, spaces.path("project/.ai/tools/x.sh")).unwrap();
        }),
        ("a symlink in its place", |spaces| {
            fs::remove_file(spaces.path("project/.ai/tools/x.sh")).unwrap();
            symlink("../knowledge/a.md", spaces.path("project/.ai/tools/x.sh")).unwrap();
        }),
        ("a pipe in its place", |spaces| {
            fs::remove_file(spaces.path("project/.ai/tools/x.sh")).unwrap();
            mkfifo(&spaces.path("project/.ai/tools/x.sh"));
        }),
        ("another folder in its place", |spaces| {
            fs::rename(spaces.path("project/.ai/knowledge/a"), spaces.path("project/.ai/knowledge/c")).unwrap();
            spaces.put("project/.ai/knowledge/a/b.md", "x");
        }),
        ("a symlink in a folder's place", |spaces| {
            fs::rename(spaces.path("user/.ai/knowledge/a"), spaces.path("user/elsewhere")).unwrap();
            symlink(spaces.path("user/elsewhere"), spaces.path("user/.ai/knowledge/a")).unwrap();
        }),
        ("a space gone", |spaces| fs::remove_dir_all(spaces.path("user/.ai")).unwrap()),
        ("another space in its place", |spaces| {
            fs::rename(spaces.path("user/.ai"), spaces.path("user/old")).unwrap();
            spaces.put("user/.ai/knowledge/a.md", "x");
        }),
        ("a file too large", |spaces| {
            let file = fs::File::options().write(true).open(spaces.path("user/.ai/tools/x.sh")).unwrap();
            file.set_len(MAX_ITEM_BYTES + 1).unwrap();
        }),
        ("a second file of an id", |spaces| _ = spaces.put("user/.ai/knowledge/a.yaml", "x")),
    ];
    for (what, change) in changes {
        let spaces = spaces();
        let before = surveyed(&spaces);
        change(&spaces);
        assert!(!is_enough(&spaces, &before), "{what}");
    }
}

/// An index may say anything: nothing is looked at by a way that leads through another folder, or up.
#[test]
fn an_item_of_no_known_folder_asks_for_a_survey() {
    let spaces = spaces();
    spaces.put("project/outside.md", "text");
    let before = surveyed(&spaces);
    let at = before.items.iter().position(|item| item.name == "project/knowledge/a/b.md").unwrap();
    for name in [
        "project/knowledge/a/../a/b.md",
        "project/knowledge/../../outside.md",
        "project/knowledge/a//b.md",
        "project/knowledge/./a/b.md",
        "project/../knowledge/a/b.md",
        "project",
        "",
    ] {
        let mut forged = Survey { items: before.items.clone(), folders: before.folders.clone(), failures: Vec::new() };
        forged.items[at].name = name.to_owned();
        assert!(revisited(&spaces, &forged).is_none(), "{name}");
        let folder = name.rfind('/').map_or("", |end| &name[..=end]);
        let unlisted = forged.folders.binary_search_by(|known| known.name.as_str().cmp(folder)).unwrap_err();
        let stamp = before.folders[0].stamp;
        forged.folders.insert(unlisted, Sighting { name: folder.to_owned(), stamp });
        assert!(revisited(&spaces, &forged).is_none(), "{name} in a folder that is listed");
    }
}

#[test]
fn a_space_that_comes_to_be_asks_for_a_survey() {
    let spaces = Spaces::new();
    spaces.put("project/.ai/knowledge/a.md", "x");
    let before = surveyed(&spaces);
    assert!(is_enough(&spaces, &before));
    spaces.put("user/.ai/knowledge/a.md", "x");
    assert!(!is_enough(&spaces, &before));
    // Nothing is known of folders that nobody names.
    let names = |survey: &Survey| survey.folders.iter().map(|folder| folder.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&before), ["project/", "project/knowledge/"]);
    assert!(spaces.workspace.revisit(&[], &before.items, || ()).unwrap().is_none());
}

#[test]
fn what_may_become_an_item_in_place_leaves_no_folder_to_rely_on() {
    let puts: [fn(&Spaces); 4] = [
        |spaces| {
            let path = spaces.put("user/.ai/tools/large.sh", "x");
            fs::File::options().write(true).open(path).unwrap().set_len(MAX_ITEM_BYTES + 1).unwrap();
        },
        |spaces| symlink("x.sh", spaces.path("project/.ai/tools/link.sh")).unwrap(),
        |spaces| symlink("nowhere.sh", spaces.path("project/.ai/tools/link.sh")).unwrap(),
        |spaces| _ = spaces.put("project/.ai/knowledge/a.yaml", "x"),
    ];
    for put in puts {
        let spaces = spaces();
        put(&spaces);
        let survey = surveyed(&spaces);
        assert!(survey.folders.is_empty());
        assert!(revisited(&spaces, &survey).is_none());
    }
}
