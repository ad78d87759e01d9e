//! Ranges, changes, beginnings; and clones that do not have all of it.

use rye::git::{BlobId, Bounds, CommitId, CommitRange, Error, Mode, Outside, Repository, Sought};

use super::Sandbox;

impl Sandbox {
    /// Commits a file and returns the commit.
    fn commit_file(&self, path: &str, text: &str) -> CommitId {
        self.write(&format!("repo/{path}"), text);
        self.git(["add", "-A"]);
        self.git(["commit", "-q", "-m", path]);
        self.head()
    }

    fn clone_of_repo(&self, options: &[&str], name: &str) -> Repository {
        self.git(["config", "uploadpack.allowFilter", "true"]);
        let url = format!("file://{}", self.path("repo").display());
        self.git_in(".", [&["clone", "-q"], options, &[&url, name]].concat());
        self.open_at(name)
    }
}

fn ids(repo: &Repository, range: &str) -> Vec<CommitId> {
    let range = repo.resolve_range(range).unwrap();
    repo.commits_in(&range).unwrap().into_iter().map(|commit| commit.commit_id).collect()
}

#[test]
fn a_range_is_what_one_side_has_and_the_other_has_not() {
    let sandbox = Sandbox::with_commit(&[]);
    let one = sandbox.commit_file("one", "1");
    sandbox.git(["checkout", "-q", "-b", "side", "HEAD~"]);
    let side = sandbox.commit_file("side", "s");
    sandbox.git(["checkout", "-q", "main"]);
    sandbox.git(["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    let merge = sandbox.head();
    let two = sandbox.commit_file("two", "2");
    let repo = sandbox.open();
    assert_eq!(ids(&repo, "main~2..main"), [side.clone(), merge.clone(), two.clone()]);
    assert_eq!(ids(&repo, "side..HEAD"), [one.clone(), merge.clone(), two.clone()]);
    assert_eq!(ids(&repo, "HEAD~.."), std::slice::from_ref(&two));
    assert_eq!(ids(&repo, "main..side"), []);
    assert_eq!(ids(&repo, "main..main"), []);
    let all = CommitRange { after: None, last: two.clone() };
    let all = repo.commits_in(&all).unwrap();
    assert_eq!(all.len(), 5);
    for (nth, commit) in all.iter().enumerate() {
        let placed = |parent: &CommitId| all[..nth].iter().any(|before| before.commit_id == *parent);
        assert!(commit.info.parents.iter().all(placed), "a parent comes after its child");
    }
    for range in ["main...side", "main", "", "a..b..c"] {
        assert!(matches!(repo.resolve_range(range), Err(Error::InvalidRange { range: named }) if named == range));
    }
    assert!(matches!(repo.resolve_range("nope..main"), Err(Error::UnknownRevision { .. })));
}

#[test]
fn dates_that_lie_never_take_a_commit_out_of_a_range() {
    let sandbox = Sandbox::with_commit(&[]);
    let tree = sandbox.git(["write-tree"]);
    let dated = |parents: &[&str], date: &str| {
        let mut git = std::process::Command::new("git");
        git.env_clear().envs(super::variables(&sandbox.path("home"))).current_dir(sandbox.path("repo"));
        git.env("GIT_COMMITTER_DATE", format!("{date} +0000")).args(["commit-tree", &tree, "-m", date]);
        git.args(parents.iter().flat_map(|parent| ["-p", parent]));
        String::from_utf8(git.output().unwrap().stdout).unwrap().trim().to_owned()
    };
    let root = dated(&[], "1000000000");
    let (mut side, mut main) = (root.clone(), root.clone());
    for nth in 0..6 {
        // The excluded side is dated before the root, so that the walk meets the root first.
        side = dated(&[&side], &(100_000_000 + nth).to_string());
        main = dated(&[&main], &(1_500_000_000 - nth * 200_000_000).to_string());
    }
    let expected = sandbox.git(["rev-list", "--count", &format!("{side}..{main}")]);
    assert_eq!(ids(&sandbox.open(), &format!("{side}..{main}")).len().to_string(), expected);
    assert_eq!(expected, "6");
}

#[test]
fn a_range_that_runs_into_the_cut_of_a_shallow_clone_is_not_known() {
    let sandbox = Sandbox::with_commit(&[]);
    let first = sandbox.head();
    for text in ["1", "2", "3"] {
        sandbox.commit_file("f", text);
    }
    let repo = sandbox.clone_of_repo(&["--depth=2"], "clone");
    assert_eq!(ids(&repo, "HEAD~1..HEAD").len(), 1);
    let all = CommitRange { after: None, last: sandbox.head() };
    let beyond = sandbox.git(["rev-parse", "HEAD~2"]);
    assert!(matches!(repo.commits_in(&all), Err(Error::Shallow { id }) if id == beyond));
    let unknown = CommitRange { after: Some(first), last: sandbox.head() };
    assert!(matches!(repo.commits_in(&unknown), Err(Error::Shallow { .. })));
    assert!(matches!(repo.root_of(&sandbox.head()), Err(Error::Shallow { .. })));
    // What the hint says works.
    sandbox.git_in("clone", ["fetch", "-q", "--unshallow"]);
    assert_eq!(sandbox.open_at("clone").commits_in(&all).unwrap().len(), 4);
}

#[test]
fn what_a_partial_clone_left_out_is_named_with_its_remote() {
    let sandbox = Sandbox::with_commit(&[]);
    let old = sandbox.commit_file(".ai/a", "old");
    let new = sandbox.commit_file(".ai/a", "new");
    for (filter, name) in [("--filter=blob:none", "blobless"), ("--filter=tree:0", "treeless")] {
        let repo = sandbox.clone_of_repo(&[filter, "--no-checkout"], name);
        let read = |repo: &Repository| {
            let changes = repo.changes_below(std::slice::from_ref(&old), &new, ".ai", 10)?;
            changes[0].before.as_ref().map(|entry| repo.blob(&entry.blob_id)).transpose()
        };
        assert!(matches!(read(&repo), Err(Error::Promised { remote, .. }) if remote == "origin"), "{filter}");
        assert_eq!(ids(&repo, "HEAD~2..HEAD"), [old.clone(), new.clone()], "commits are always there");
        // What the hint says works.
        sandbox.git_in(name, ["fetch", "-q", "--refetch", "--no-filter", "origin"]);
        assert_eq!(read(&sandbox.open_at(name)).unwrap(), Some(b"old".to_vec()));
    }
}

#[test]
fn objects_borrowed_from_a_place_that_is_gone_are_named_with_it() {
    let sandbox = Sandbox::with_commit(&[]);
    sandbox.git_in(".", ["clone", "-q", "--shared", "repo", "borrower"]);
    let (head, objects) = (sandbox.head(), sandbox.path("repo/.git/objects"));
    assert!(sandbox.open_at("borrower").commit_info(&head).is_ok());
    std::fs::rename(sandbox.path("repo"), sandbox.path("moved")).unwrap();
    let refused = sandbox.open_at("borrower").commit_info(&head);
    assert!(matches!(&refused, Err(Error::MissingAlternate { path, .. }) if *path == objects), "{refused:?}");
}

#[test]
fn changes_are_told_with_both_sides() {
    let sandbox = Sandbox::with_commit(&[]);
    for path in [".ai/tools/kept", ".ai/tools/gone", ".ai/tools/changed", ".ai/tools/mode", ".ai/tools/file"] {
        sandbox.write(&format!("repo/{path}"), path);
    }
    let before = sandbox.commit_file("other", "1");
    std::fs::remove_file(sandbox.path("repo/.ai/tools/gone")).unwrap();
    std::fs::remove_file(sandbox.path("repo/.ai/tools/file")).unwrap();
    sandbox.write("repo/.ai/tools/file/below", "now a folder");
    sandbox.write("repo/.ai/tools/changed", "otherwise");
    sandbox.git(["update-index", "--chmod=+x", ".ai/tools/mode"]);
    std::fs::set_permissions(sandbox.path("repo/.ai/tools/mode"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    let after = sandbox.commit_file("other", "2");
    let repo = sandbox.open();
    let told = |from: &[CommitId], to: &CommitId, prefix: &str| -> Vec<(String, Option<Mode>, Option<Mode>)> {
        let changes = repo.changes_below(from, to, prefix, 100).unwrap();
        let mode = |entry: Option<rye::git::TreeEntry>| entry.map(|entry| entry.mode);
        changes.into_iter().map(|it| (it.path, mode(it.before), mode(it.after))).collect()
    };
    let (file, run) = (Some(Mode::File), Some(Mode::Executable));
    let change = |name: &str, before, after| (format!(".ai/tools/{name}"), before, after);
    let expected = [
        change("changed", file, file),
        change("file", file, None),
        change("file/below", None, file),
        change("gone", file, None),
        change("mode", file, run),
    ];
    let from = std::slice::from_ref(&before);
    assert_eq!(told(from, &after, ".ai"), expected);
    assert_eq!(told(from, &after, "").len(), 6);
    assert_eq!(told(std::slice::from_ref(&after), &after, ""), []);
    assert_eq!(told(from, &after, "nowhere"), []);
    assert_eq!(told(&[], &before, ".ai").len(), 5);
    assert_eq!(told(std::slice::from_ref(&sandbox.open().root_of(&after).unwrap()), &before, ".ai").len(), 5);
    assert!(matches!(repo.changes_below(from, &after, ".ai", 3), Err(Error::TooManyEntries { limit: 3, .. })));
}

#[test]
fn a_merge_brings_only_what_no_parent_has() {
    let sandbox = Sandbox::with_commit(&[]);
    sandbox.commit_file(".ai/both", "base\n");
    sandbox.git(["checkout", "-q", "-b", "side"]);
    sandbox.write("repo/.ai/both", "side\n");
    let side = sandbox.commit_file(".ai/side", "s");
    sandbox.git(["checkout", "-q", "main"]);
    sandbox.write("repo/.ai/both", "main\n");
    let main = sandbox.commit_file(".ai/main", "m");
    sandbox.try_git_in("repo", ["merge", "-q", "side"]);
    sandbox.write("repo/.ai/both", "resolved\n");
    let merge = sandbox.commit_file(".ai/smuggled", "x");
    let repo = sandbox.open();
    let paths = |parents: &[CommitId]| -> Vec<String> {
        let changes = repo.changes_below(parents, &merge, ".ai", 100).unwrap();
        changes.into_iter().map(|change| change.path).collect()
    };
    assert_eq!(repo.commit_info(&merge).unwrap().parents, [main.clone(), side.clone()]);
    assert_eq!(paths(&[main.clone(), side]), [".ai/both", ".ai/smuggled"]);
    assert_eq!(paths(&[main]), [".ai/both", ".ai/side", ".ai/smuggled"]);
}

#[test]
fn what_once_stood_below_a_folder_is_found() {
    let sandbox = Sandbox::with_commit(&[]);
    let first = sandbox.commit_file(".ai/tools/a", "original");
    sandbox.git(["mv", ".ai/tools/a", ".ai/tools/b"]);
    sandbox.git(["commit", "-q", "-m", "move"]);
    let last = sandbox.commit_file(".ai/tools/b", "changed");
    let repo = sandbox.open();
    let original = repo.blob_id_of(b"original");
    let find = |path: &str, limit| {
        repo.find_in_history(&last, ".ai", limit, |entry| entry.path == path && entry.blob_id == original).unwrap()
    };
    let found = find(".ai/tools/a", 10).unwrap();
    assert_eq!((found.commit_id, found.entry.path.as_str()), (first, ".ai/tools/a"));
    assert_eq!(find(".ai/tools/b", 10).unwrap().commit_id.to_string(), sandbox.git(["rev-parse", "HEAD~"]));
    assert_eq!(find(".ai/tools/a", 1), None, "the limit holds");
    let mut asked = 0;
    assert_eq!(
        repo.find_in_history(&last, ".ai", 10, |_| {
            asked += 1;
            false
        })
        .unwrap(),
        None
    );
    assert_eq!(asked, 3, "each is asked about once");
}

#[test]
fn the_beginning_is_found_along_first_parents_and_remembered() {
    let sandbox = Sandbox::with_commit(&[]);
    let root = sandbox.head();
    sandbox.git(["checkout", "-q", "--orphan", "other"]);
    sandbox.commit_file("other", "o");
    sandbox.git(["checkout", "-q", "main"]);
    sandbox.git(["merge", "-q", "--allow-unrelated-histories", "-m", "merge", "other"]);
    let tree = sandbox.git(["write-tree"]);
    let mut text = String::new();
    for nth in 0..600 {
        text += &format!("commit refs/heads/main\ncommitter A <a@b> {nth} +0000\ndata 1\nx\n");
        if nth == 0 {
            text += "from refs/heads/main^0\n";
        }
        text += &format!("M 040000 {tree} \"\"\n");
    }
    sandbox.write("import", &text);
    let mut git = std::process::Command::new("git");
    git.args(["fast-import", "--quiet"]).current_dir(sandbox.path("repo"));
    assert!(git.stdin(std::fs::File::open(sandbox.path("import")).unwrap()).status().unwrap().success());
    let repo = sandbox.open();
    let head = sandbox.head();
    assert_eq!(repo.root_of(&head).unwrap(), root);
    let kept = sandbox.path("repo/.git/rye/roots");
    assert_eq!(std::fs::read_to_string(&kept).unwrap().lines().count(), 3);
    assert_eq!(repo.root_of(&head).unwrap(), root);
    for damage in ["", "no line\n", &format!("{head} nothing\n")] {
        std::fs::write(&kept, damage).unwrap();
        assert_eq!(repo.root_of(&head).unwrap(), root);
    }
}

fn outside(repo: &Repository, paths: &[&str], folders: &[&str], bounds: Bounds) -> Result<Outside, Error> {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let (paths, folders) = (owned(paths).into_iter().collect(), owned(folders));
    repo.versions_outside(&repo.other_tips().unwrap(), Sought { paths: &paths, folders: &folders }, bounds)
}

/// The versions of `a` outside of the history of `HEAD`, each with the name that leads to it.
fn versions(sandbox: &Sandbox, repo: &Repository, bounds: Bounds) -> Result<Vec<(String, String)>, Error> {
    let outside = outside(repo, &["a"], &[], bounds)?;
    let text = |id: &BlobId| sandbox.git(["cat-file", "-p", id.as_str()]).trim_end().to_owned();
    let mut found: Vec<_> =
        outside.versions.get("a").into_iter().flatten().map(|(id, name)| (text(id), name.clone())).collect();
    found.sort();
    Ok(found)
}

const WIDE: Bounds = Bounds { outside: 100, read: 100, files: 100 };

#[test]
fn every_version_that_refs_reach_and_head_did_not_bring_is_found_within_bounds() {
    let sandbox = Sandbox::with_commit(&[]);
    sandbox.commit_file("a", "one");
    sandbox.commit_file("a", "two");
    sandbox.git(["branch", "old"]);
    sandbox.git(["checkout", "-q", "-b", "side"]);
    sandbox.commit_file("a", "three");
    sandbox.commit_file("b", "of another file");
    sandbox.commit_file("a", "four");
    sandbox.git(["tag", "-a", "-m", "a folder", "folder", "HEAD^{tree}"]);
    sandbox.git(["tag", "a-file", "HEAD~2:a"]);
    sandbox.git(["checkout", "-q", "main"]);
    sandbox.commit_file("a", "five");
    let repo = sandbox.open();
    let named = |text: &str, name: &str| (text.to_owned(), name.to_owned());
    let all = [named("four", "refs/heads/side"), named("three", "refs/heads/side")];
    assert_eq!(versions(&sandbox, &repo, WIDE).unwrap(), all);
    let few = |outside, read| versions(&sandbox, &repo, Bounds { outside, read, files: 100 });
    assert!(few(3, 7).is_ok());
    for bounds in [few(2, 7), few(3, 6)] {
        assert!(matches!(bounds, Err(Error::TooManyCommits { .. })), "{bounds:?}");
    }
    sandbox.git(["branch", "-qD", "side"]);
    let all = [named("four", "refs/tags/folder"), named("three", "refs/tags/a-file")];
    assert_eq!(versions(&sandbox, &repo, WIDE).unwrap(), all);
}

#[test]
fn the_files_of_folders_and_what_was_removed_elsewhere_are_found() {
    let sandbox = Sandbox::with_commit(&[]);
    for path in ["a", "d/kept", "d/deep/old"] {
        sandbox.commit_file(path, path);
    }
    sandbox.git(["checkout", "-q", "-b", "side"]);
    sandbox.git(["mv", "a", "d/deep/b"]);
    sandbox.git(["commit", "-q", "-m", "moved"]);
    sandbox.commit_file("d/deep/old", "changed");
    sandbox.commit_file("elsewhere", "x");
    sandbox.git(["checkout", "-q", "main"]);
    let repo = sandbox.open();
    let found = outside(&repo, &["a"], &["d", "none"], WIDE).unwrap();
    assert_eq!(found.versions.keys().collect::<Vec<_>>(), ["d/deep/old"]);
    assert_eq!(found.removed.into_iter().collect::<Vec<_>>(), [("a".to_owned(), "refs/heads/side".to_owned())]);
    let few = outside(&repo, &["a"], &["d"], Bounds { files: 7, ..WIDE });
    assert!(matches!(few, Err(Error::TooManyEntries { .. })), "{few:?}");
    // What `HEAD` has done itself is not elsewhere.
    sandbox.git(["merge", "-q", "side"]);
    let found = outside(&sandbox.open(), &["a"], &["d"], WIDE).unwrap();
    assert!(found.versions.is_empty() && found.removed.is_empty(), "{found:?}");
}

/// Objects beyond a cut are missing, so nothing was copied from them; present ones are found.
#[test]
fn versions_are_found_in_shallow_and_partial_clones() {
    let sandbox = Sandbox::with_commit(&[]);
    sandbox.commit_file("a", "one");
    sandbox.git(["checkout", "-q", "-b", "side"]);
    sandbox.commit_file("a", "two");
    sandbox.commit_file("a", "three");
    sandbox.git(["checkout", "-q", "main"]);
    for (name, options, found) in [
        ("shallow", &["--depth=1", "--no-single-branch"][..], &["three"][..]),
        ("partial", &["--filter=blob:none"], &["three", "two"]),
        ("treeless", &["--filter=tree:0"], &[]),
    ] {
        let repo = sandbox.clone_of_repo(options, name);
        let texts: Vec<String> = versions(&sandbox, &repo, WIDE).unwrap().into_iter().map(|(text, _)| text).collect();
        assert_eq!(texts, found, "{name}");
    }
}
