//! Which modules of one crate may import which: those that would be crates of their own if it were worth it.

/// A room, and the others of its crate that it may import.
type Room = (&'static str, &'static [&'static str]);

/// The rooms of crates that have several.
const ROOMS: &[(&str, &[Room])] = &[
    (".", &[("cli", &[])]),
    ("rye-id", &[("error", &[]), ("id", &["error"])]),
    ("rye-item", &[("capability", &[]), ("item", &["capability"]), ("event", &["capability", "item"])]),
    (
        "rye-verify",
        &[
            ("project", &[]),
            ("locate", &["project"]),
            ("extends", &["locate", "project"]),
            ("verify", &["locate", "project"]),
            ("lint", &["extends", "locate", "project", "verify"]),
        ],
    ),
    ("rye-sign", &[("decisions", &[]), ("key", &[]), ("sign", &[])]),
    ("rye-commit", &[("commit", &[]), ("hook", &[]), ("init", &[]), ("notes", &[])]),
    ("rye-look", &[("diff", &[]), ("list", &[]), ("load", &[]), ("search", &[]), ("show", &[])]),
    ("rye-edit", &[("drafts", &[]), ("migrate", &[]), ("mv", &[]), ("new", &[])]),
    (
        "rye-run",
        &[
            ("executors", &[]),
            ("execute", &["executors"]),
            ("import", &["executors"]),
            ("permissions", &[]),
            ("plugins", &[]),
            ("project_words", &["execute"]),
        ],
    ),
    (
        "rye-action",
        &[
            ("action", &[]),
            ("harness", &[]),
            ("allowance", &["harness"]),
            ("hooks", &["action"]),
            ("need", &[]),
            ("returns", &[]),
        ],
    ),
    ("rye-machine", &[("machine", &[])]),
    ("rye-share", &[("publish", &[]), ("pull", &[]), ("registries", &[])]),
];

/// The folders of the threads' room: each imports only from those before it.
const THREAD: [&str; 10] =
    ["error", "tree", "record", "model", "run", "replay", "accept", "continuation", "manage", "review"];

/// Judges an import inside of a crate.
pub(super) fn room_fault(name: Option<&str>, from: &[String], to: &[String]) -> Option<String> {
    let (own, other) = (from.first()?.as_str(), to.first()?.as_str());
    if own == other {
        return if own == "thread" { folder_fault(from, to) } else { None };
    }
    let rooms = ROOMS.iter().find(|(known, _)| Some(*known) == name)?.1;
    let is_room = |wanted: &str| rooms.iter().any(|(room, _)| *room == wanted);
    let allowed = rooms.iter().find(|(room, _)| *room == own)?.1;
    (other == "*" || is_room(other) && !allowed.contains(&other)).then(|| format!("is another room than `{own}`"))
}

/// Judges an import from one folder of the threads' room to another. What the room itself defines is for its users.
fn folder_fault(from: &[String], to: &[String]) -> Option<String> {
    let [_, own, ..] = from else { return None };
    let order = |folder: &str| THREAD.iter().position(|known| *known == folder);
    let other = to.get(1).and_then(|other| order(other));
    let fine = order(own).is_some_and(|own| other.is_some_and(|other| other <= own));
    (!fine).then(|| format!("is not for `{own}` to import: folders of `thread` import in one direction"))
}

#[test]
fn every_room_of_a_crate_of_several_is_known() {
    let crates = std::path::Path::new(crate::support::ROOT).join("crates");
    for entry in std::fs::read_dir(crates).unwrap().map(|entry| entry.unwrap()) {
        let name = entry.file_name().into_string().unwrap();
        let text = std::fs::read_to_string(entry.path().join("src/lib.rs")).unwrap();
        let mut rooms: Vec<&str> =
            text.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
        let known = ROOMS
            .iter()
            .find(|(known, _)| *known == name)
            .map_or(Vec::new(), |(_, rooms)| rooms.iter().map(|(room, _)| *room).collect::<Vec<_>>());
        let mut known = known;
        rooms.sort_unstable();
        known.sort_unstable();
        assert!(rooms.len() == 1 || rooms == known, "{name}: {rooms:?}");
    }
}
