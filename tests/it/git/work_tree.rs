//! What git says about the work tree: ignored, submodule, uncommitted.

use std::collections::BTreeSet;

use super::Sandbox;

fn set<const N: usize>(paths: [&str; N]) -> BTreeSet<String> {
    paths.map(str::to_owned).into()
}

#[test]
fn ignored_paths_follow_every_source_of_rules() {
    let sandbox = Sandbox::with_commit(&[]);
    sandbox.write("repo/.gitignore", "*.log\n/target/\n!keep.log\n");
    sandbox.write("repo/src/.gitignore", "local\n");
    sandbox.write("repo/.git/info/exclude", "private\n");
    sandbox.write("home/.config/git/ignore", ".idea\n");
    sandbox.write("repo/target/x", "");
    sandbox.write("repo/tracked.log", "");
    sandbox.git(["add", "-f", "tracked.log"]);
    let asked = ["a.log", "src/b.log", "keep.log", "target", "target/x", "src/local", "local", "private", ".idea"];
    let asked = [&asked[..], &["tracked.log", "README.md", "src/new.txt"]].concat();
    let expected = ["a.log", "src/b.log", "target", "target/x", "src/local", "private", ".idea"];
    assert_eq!(sandbox.open().ignored(asked.iter().copied()).unwrap(), BTreeSet::from(expected));

    // A configured file replaces the default one, and `~/` is the home that was passed in.
    sandbox.write("home/.gitconfig", "[core]\n\texcludesFile = ~/rules\n");
    sandbox.write("home/rules", "mine\n");
    assert_eq!(sandbox.open().ignored(["mine", ".idea"]).unwrap(), BTreeSet::from(["mine"]));
}

#[test]
fn dirty_paths_are_those_git_status_shows() {
    let sandbox = Sandbox::with_commit(&[]);
    let repo = sandbox.open();
    assert_eq!(repo.dirty_paths().unwrap(), set([]));
    sandbox.write("repo/.gitignore", "*.log\n");
    sandbox.write("repo/a.log", "ignored\n");
    sandbox.write("repo/README.md", "changed\n");
    sandbox.write("repo/staged.txt", "staged\n");
    sandbox.write("repo/new/deep.txt", "untracked\n");
    sandbox.git(["add", "staged.txt"]);
    std::fs::remove_file(sandbox.path("repo/src/a.txt")).unwrap();
    let expected = set([".gitignore", "README.md", "new/deep.txt", "src/a.txt", "staged.txt"]);
    assert_eq!(sandbox.open().dirty_paths().unwrap(), expected);
    let by_git = sandbox.git(["status", "--porcelain", "--untracked-files=all"]);
    assert_eq!(by_git.lines().map(|line| line[3..].to_owned()).collect::<BTreeSet<_>>(), expected);
}

#[test]
fn in_an_unborn_repository_everything_is_dirty() {
    let sandbox = Sandbox::new();
    sandbox.git_in(".", ["init", "-q", "repo"]);
    sandbox.write("repo/a.txt", "a\n");
    assert_eq!(sandbox.open().dirty_paths().unwrap(), set(["a.txt"]));
    assert_eq!(sandbox.open().submodule_paths().unwrap(), set([]));
}

#[test]
fn submodules_are_told_from_folders() {
    let sandbox = Sandbox::with_commit(&[]);
    sandbox.git(["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../repo", "libs/self"]);
    assert_eq!(sandbox.open().submodule_paths().unwrap(), set(["libs/self"]));
    sandbox.git(["commit", "-q", "-m", "module"]);
    sandbox.write("repo/libs/self/README.md", "changed inside\n");
    assert_eq!(sandbox.open().dirty_paths().unwrap(), set([]));
}
