//! Notes, with stock `git notes` as the other side.

use std::collections::BTreeSet;

use rye::git::{BlobId, CommitId, Error, NOTES_REF, NoteEdit, NotesCommit, NotesMerge, ObjectId, Repository};

use super::{Sandbox, ada};

fn edit(object_id: &ObjectId, remove: &[&str], add: &[&str]) -> NoteEdit {
    let texts = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
    NoteEdit { object_id: object_id.clone(), remove: texts(remove), add: texts(add) }
}

fn write(repo: &Repository, edits: &[NoteEdit]) -> Option<CommitId> {
    repo.write_notes(edits, NotesCommit { message: "notes: test", committer: &ada() }).unwrap()
}

fn merge(repo: &Repository, theirs: &CommitId) -> NotesMerge {
    repo.merge_notes(theirs, NotesCommit { message: "notes: merge", committer: &ada() }).unwrap()
}

fn id(text: &str) -> ObjectId {
    ObjectId::parse(text).unwrap()
}

fn lines(repo: &Repository, on: &ObjectId) -> Vec<String> {
    repo.note_lines(&repo.notes().unwrap(), on).unwrap()
}

#[test]
fn notes_on_blobs_and_commits_are_read_by_stock_git() {
    let sandbox = Sandbox::with_commit(&[]);
    let repo = sandbox.open();
    let (commit, blob) = (ObjectId::from(sandbox.head()), id(&sandbox.git(["rev-parse", "HEAD:README.md"])));
    assert_eq!(lines(&repo, &blob), [""; 0]);
    let first = write(&repo, &[edit(&blob, &[], &["b", "a\nc\n", "", "a"]), edit(&commit, &[], &["signed"])]);
    assert_eq!(first.as_ref().map(CommitId::as_str), Some(&*sandbox.git(["rev-parse", NOTES_REF])));
    assert_eq!(sandbox.git(["notes", "--ref=rye", "show", blob.as_str()]), "a\nb\nc");
    assert!(sandbox.git(["log", "--notes=rye"]).ends_with("Notes (rye):\n    signed"));
    assert_eq!(sandbox.git(["log", "--format=%an %s", NOTES_REF]), "Ada notes: test");
    assert_eq!(lines(&repo, &blob), ["a", "b", "c"]);
    assert_eq!(write(&repo, &[edit(&blob, &["never"], &["c"])]), None);
    write(&repo, &[edit(&blob, &["a", "c"], &["d"]), edit(&commit, &["signed"], &[])]).unwrap();
    assert_eq!(lines(&repo, &blob), ["b", "d"]);
    assert_eq!(sandbox.git(["notes", "--ref=rye", "list"]).lines().count(), 1);
    assert_eq!(sandbox.git(["rev-list", "--count", NOTES_REF]), "2");
    sandbox.assert_sound();
}

#[test]
fn what_stock_git_wrote_is_read_at_any_fan_out() {
    let sandbox = Sandbox::with_commit(&[]);
    let blob = sandbox.git(["rev-parse", "HEAD:README.md"]);
    let note = |text: &str| {
        sandbox.write("note", text);
        sandbox.git(["hash-object", "-w", "../note"])
    };
    // The same object at three depths, in capitals too; and names that are not notes.
    let flat = blob.clone();
    let once = format!("{}/{}", &blob[..2], &blob[2..]);
    let twice = format!("{}/{}/{}", &blob[..2], &blob[2..4], &blob[4..]);
    let index = sandbox.path("notes-index");
    let stage = |path: &str, text: &str| {
        let entry = format!("100644,{},{path}", note(text));
        let mut git = std::process::Command::new("git");
        git.args(["update-index", "--add", "--cacheinfo", &entry]).current_dir(sandbox.path("repo"));
        git.env("GIT_INDEX_FILE", &index);
        assert!(git.status().unwrap().success());
    };
    let tree = || {
        let mut git = std::process::Command::new("git");
        git.args(["write-tree"]).current_dir(sandbox.path("repo")).env("GIT_INDEX_FILE", &index);
        String::from_utf8(git.output().unwrap().stdout).unwrap().trim().to_owned()
    };
    for (path, text) in [(&flat, "flat\n"), (&once, "once\n\nflat\n"), (&twice, "twice\n")] {
        stage(path, text);
    }
    stage("README", "no note\n");
    stage(&format!("{}/deep.txt", &blob[..2]), "no note\n");
    let commit = sandbox.git(["commit-tree", &tree(), "-m", "by hand"]);
    sandbox.git(["update-ref", NOTES_REF, &commit]);
    let repo = sandbox.open();
    assert_eq!(lines(&repo, &id(&blob)), ["flat", "once", "twice"]);
    assert_eq!(repo.notes().unwrap().objects().collect::<Vec<_>>(), [&id(&blob)]);

    // Writing puts the note where git would, once, and leaves the others alone.
    write(&repo, &[edit(&id(&blob), &["twice"], &["more"])]).unwrap();
    let listed = sandbox.git(["ls-tree", "-r", "--name-only", NOTES_REF]);
    let expected = BTreeSet::from(["README".to_owned(), format!("{}/deep.txt", &blob[..2]), blob.clone()]);
    assert_eq!(listed.lines().map(str::to_owned).collect::<BTreeSet<_>>(), expected);
    assert_eq!(sandbox.git(["notes", "--ref=rye", "show", &blob]), "flat\nmore\nonce");
    sandbox.assert_sound();
}

/// Makes blobs with `git fast-import` and returns their ids.
fn many_blobs(sandbox: &Sandbox, count: usize) -> Vec<ObjectId> {
    use std::io::Write as _;
    let text: String = (0..count).map(|nth| format!("blob\nmark :{}\ndata 8\n{nth:08}\n", nth + 1)).collect();
    sandbox.write("marks", "");
    let mut git = std::process::Command::new("git");
    git.args(["fast-import", "--quiet", "--export-marks=../marks"]).current_dir(sandbox.path("repo"));
    let mut child = git.stdin(std::process::Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    let marks = std::fs::read_to_string(sandbox.path("marks")).unwrap();
    marks.lines().map(|line| id(line.split_once(' ').unwrap().1)).collect()
}

#[test]
fn many_notes_stand_where_stock_git_puts_them() {
    let sandbox = Sandbox::with_commit(&[]);
    let repo = sandbox.open();
    let blobs = many_blobs(&sandbox, 1500);
    let edits: Vec<_> = blobs.iter().map(|blob| edit(blob, &[], &["same"])).collect();
    write(&repo, &edits[..20]).unwrap();
    assert!(!sandbox.git(["ls-tree", "--name-only", NOTES_REF]).lines().any(|name| name.len() == 2));
    write(&repo, &edits).unwrap();
    let ours = sandbox.git(["rev-parse", &format!("{NOTES_REF}^{{tree}}")]);
    assert!(sandbox.git(["ls-tree", "--name-only", NOTES_REF]).lines().all(|name| name.len() == 2));
    // Stock git takes a note away and puts it back: the tree is the same again.
    let (one, note) = (blobs[7].as_str(), sandbox.git(["notes", "--ref=rye", "list", blobs[7].as_str()]));
    sandbox.git(["notes", "--ref=rye", "remove", one]);
    assert_eq!(repo.notes().unwrap().objects().count(), 1499);
    sandbox.git(["notes", "--ref=rye", "add", "-C", &note, one]);
    assert_eq!(sandbox.git(["rev-parse", &format!("{NOTES_REF}^{{tree}}")]), ours);
    sandbox.git(["gc", "-q"]);
    let notes = sandbox.open().notes().unwrap();
    assert_eq!(notes.objects().count(), 1500);
    assert_eq!(notes.blobs_on(&blobs[0]).collect::<Vec<_>>(), [&BlobId::parse(&note).unwrap()]);
    sandbox.assert_sound();
}

#[test]
fn two_clones_note_at_once_and_both_keep_everything() {
    let sandbox = Sandbox::with_commit(&[]);
    let repo = sandbox.open();
    let [shared, left, right, gone] = &many_blobs(&sandbox, 4)[..] else { unreachable!() };
    let base = write(&repo, &[edit(shared, &[], &["m"]), edit(gone, &[], &["g"])]).unwrap();
    write(&repo, &[edit(shared, &[], &["b", "z"]), edit(left, &[], &["l"])]).unwrap();
    // The other clone, as it is fetched: a ref of its own from the same base.
    let theirs = "refs/notes/remotes/origin/rye";
    sandbox.git(["update-ref", theirs, base.as_str()]);
    for (on, text) in [(shared, "a"), (right, "r")] {
        sandbox.git(["notes", &format!("--ref={theirs}"), "append", "-m", text, on.as_str()]);
    }
    sandbox.git(["notes", &format!("--ref={theirs}"), "remove", gone.as_str()]);
    let [(name, tip)] = &repo.remote_notes().unwrap()[..] else { unreachable!() };
    assert_eq!(name, theirs);
    assert_eq!(lines(&repo, shared), ["a", "b", "m", "z"], "readers unite before any merge");

    sandbox.git(["update-ref", "refs/notes/stock", NOTES_REF]);
    sandbox.git(["notes", "--ref=stock", "merge", "-q", "-s", "cat_sort_uniq", theirs]);
    let ours = repo.branch(NOTES_REF).unwrap().unwrap();
    let NotesMerge::Merged(merged) = merge(&repo, tip) else { unreachable!() };
    assert_eq!(repo.commit_info(&merged).unwrap().parents, [ours.clone(), tip.clone()]);
    let tree = |name: &str| sandbox.git(["rev-parse", &format!("{name}^{{tree}}")]);
    assert_eq!(tree(NOTES_REF), tree("refs/notes/stock"));
    assert_eq!(sandbox.git(["notes", "--ref=rye", "show", shared.as_str()]), "a\nb\nm\nz");
    assert_eq!(merge(&repo, tip), NotesMerge::Unchanged);
    assert_eq!(merge(&repo, &ours), NotesMerge::Unchanged);
    sandbox.assert_sound();
}

#[test]
fn the_first_merge_and_one_that_is_ahead_only_move_the_ref() {
    let sandbox = Sandbox::with_commit(&[]);
    let repo = sandbox.open();
    sandbox.git(["notes", "--ref=remotes/team/up/rye", "add", "-m", "one"]);
    let first = repo.remote_notes().unwrap().remove(0).1;
    assert_eq!(merge(&repo, &first), NotesMerge::FastForwarded(first));
    sandbox.git(["notes", "--ref=remotes/team/up/rye", "append", "-m", "two"]);
    let second = repo.remote_notes().unwrap().remove(0).1;
    assert_eq!(merge(&repo, &second), NotesMerge::FastForwarded(second));
    let absent = CommitId::parse(&"1".repeat(40)).unwrap();
    let refused = repo.merge_notes(&absent, NotesCommit { message: "", committer: &ada() });
    assert!(matches!(refused, Err(Error::MissingObject { .. })), "{refused:?}");
}

#[test]
fn notes_of_another_beginning_are_united() {
    let sandbox = Sandbox::with_commit(&[]);
    let repo = sandbox.open();
    let head = ObjectId::from(sandbox.head());
    write(&repo, &[edit(&head, &[], &["ours"])]).unwrap();
    sandbox.git(["notes", "--ref=remotes/origin/rye", "add", "-m", "theirs"]);
    let theirs = repo.remote_notes().unwrap().remove(0).1;
    assert!(matches!(merge(&repo, &theirs), NotesMerge::Merged(_)));
    assert_eq!(sandbox.git(["notes", "--ref=rye", "show"]), "ours\ntheirs");
}

#[test]
fn writers_at_once_lose_no_line() {
    let sandbox = Sandbox::with_commit(&[]);
    let head = ObjectId::from(sandbox.head());
    std::thread::scope(|scope| {
        for worker in ["left", "right"] {
            let (repo, head) = (sandbox.open(), head.clone());
            scope.spawn(move || {
                for nth in 0..20 {
                    write(&repo, &[edit(&head, &[], &[&format!("{worker} {nth:02}")])]).unwrap();
                }
            });
        }
    });
    assert_eq!(lines(&sandbox.open(), &head).len(), 40);
    assert_eq!(sandbox.git(["rev-list", "--count", NOTES_REF]), "40");
}

/// Whoever may push notes could otherwise break the verification of all others.
#[test]
fn a_remote_that_puts_odd_names_beside_its_notes_stops_nobody() {
    let sandbox = Sandbox::with_commit(&[]);
    let note = sandbox.git(["hash-object", "-w", "README.md"]);
    let head = sandbox.head();
    let odd = [".git", "..", "not utf-8 \u{1}", &"0".repeat(40), &format!("{head}0")];
    let entry = |name: &str| [format!("100644 {name}\0").as_bytes(), &super::reading::raw(&note)].concat();
    let names = odd.iter().copied().chain([head.as_str(), head.as_str()]);
    let bytes: Vec<u8> = names.flat_map(entry).collect();
    let tree = super::reading::hash_object(&sandbox, "tree", &bytes);
    let commit = sandbox.git(["commit-tree", &tree, "-m", "odd"]);
    sandbox.git(["update-ref", "refs/notes/remotes/origin/rye", &commit]);
    let repo = sandbox.open();
    assert_eq!(lines(&repo, &head.into()), ["hello"]);
    assert_eq!(repo.notes().unwrap().objects().count(), 2);
}

#[test]
fn a_damaged_note_is_refused() {
    let sandbox = Sandbox::with_commit(&[]);
    let repo = sandbox.open();
    let head = ObjectId::from(sandbox.head());
    write(&repo, &[edit(&head, &[], &["mine"])]).unwrap();
    let note = sandbox.git(["notes", "--ref=rye", "list", head.as_str()]);
    let file = |id: &str| sandbox.path("repo/.git/objects").join(&id[..2]).join(&id[2..]);
    std::fs::remove_file(file(&note)).unwrap();
    std::fs::copy(file(&sandbox.git(["rev-parse", "HEAD:README.md"])), file(&note)).unwrap();
    let repo = sandbox.open();
    let notes = repo.notes().unwrap();
    assert!(matches!(repo.note_lines(&notes, &head), Err(Error::CorruptObject { id, .. }) if id == note));
}

#[test]
fn notes_in_a_sha256_repository_are_the_same() {
    let sandbox = Sandbox::with_commit(&["--object-format=sha256"]);
    let repo = sandbox.open();
    let head = ObjectId::from(sandbox.head());
    write(&repo, &[edit(&head, &[], &["mine"])]).unwrap();
    sandbox.git(["notes", "--ref=rye", "append", "-m", "yours"]);
    assert_eq!(lines(&repo, &head), ["mine", "yours"]);
    sandbox.assert_sound();
}

/// A few kilobytes in a pack can be gigabytes of zeros, and a fetch brings them.
#[test]
fn a_note_that_is_a_bomb_is_not_read_to_write_beside_it() {
    let sandbox = Sandbox::with_commit(&[]);
    let repo = sandbox.open();
    let (commit, blob) = (ObjectId::from(sandbox.head()), id(&sandbox.git(["rev-parse", "HEAD:README.md"])));
    write(&repo, &[edit(&blob, &[], &["ours"]), edit(&commit, &[], &["signed"])]);
    sandbox.write("bomb", &"0\n".repeat(200 * 1024));
    let bomb = sandbox.git(["hash-object", "-w", "../bomb"]);
    let before = sandbox.git(["rev-parse", NOTES_REF]);
    sandbox.git(["notes", "--ref=rye", "add", "-f", "-C", &bomb, commit.as_str()]);
    assert_eq!(lines(&repo, &commit), [""; 0], "it is passed over");
    let notes = NotesCommit { message: "notes: test", committer: &ada() };
    let refused = repo.write_notes(&[edit(&commit, &[], &["more"])], notes).unwrap_err();
    assert!(matches!(&refused, Error::NoteTooLarge { object_id, .. } if *object_id == commit.to_string()), "{refused}");
    // Another note is written next to it, and a too large one is never made.
    write(&repo, &[edit(&blob, &[], &["more"])]).unwrap();
    assert_eq!(lines(&repo, &blob), ["more", "ours"]);
    let long = "x".repeat(300 * 1024);
    let refused = repo.write_notes(&[edit(&blob, &[], &[&long])], notes).unwrap_err();
    assert!(matches!(refused, Error::NoteTooLarge { .. }), "{refused}");
    // Merged with a side that changed the same note, it is refused too.
    let theirs = sandbox.git(["rev-parse", NOTES_REF]);
    sandbox.git(["update-ref", NOTES_REF, &before]);
    write(&repo, &[edit(&commit, &[], &["ours too"])]).unwrap();
    let refused = repo.merge_notes(&CommitId::parse(&theirs).unwrap(), notes).unwrap_err();
    assert!(matches!(refused, Error::NoteTooLarge { .. }), "{refused}");
}

/// A few small trees that name each other unfold to sixteen million notes.
#[test]
fn folders_of_notes_that_unfold_without_end_are_walked_through_once() {
    let sandbox = Sandbox::with_commit(&[]);
    let repo = sandbox.open();
    let commit = ObjectId::from(sandbox.head());
    write(&repo, &[edit(&commit, &[], &["signed"])]);
    let blob = sandbox.git(["rev-parse", "HEAD:README.md"]);
    let mktree = |lines: String| {
        sandbox.write("tree", &lines);
        let made = sandbox.git_in(".", ["-C", "repo", "-c", "alias.make=!git mktree <../tree", "make"]);
        made.trim().to_owned()
    };
    let mut tree = mktree(format!("100644 blob {blob}\t{}\n", &"0".repeat(34)));
    for _ in 0..3 {
        tree = mktree((0..256).map(|n| format!("040000 tree {tree}\t{n:02x}\n")).collect());
    }
    let bomb = sandbox.git(["commit-tree", "-m", "notes", &tree]);
    sandbox.git(["update-ref", "refs/notes/remotes/origin/rye", &bomb]);
    let notes = repo.notes().unwrap();
    assert!(notes.objects().count() <= 2, "{}", notes.objects().count());
    assert_eq!(lines(&repo, &commit), ["signed"]);
}
