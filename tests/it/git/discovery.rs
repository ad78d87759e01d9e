//! Which repository a folder lies in, and which folder is its work tree.

use std::process::Command;

use rye::git::{Error, GitEnvironment, Repository, Unusable};

use super::Sandbox;

/// Makes a folder of the clone look like a bare repository, as files of a commit can.
fn plant(sandbox: &Sandbox, relative: &str) {
    sandbox.git_in(".", ["init", "-q", "--bare", relative]);
}

/// What a search from a folder finds: the work tree, relative to the sandbox.
fn found(sandbox: &Sandbox, relative: &str, environment: &GitEnvironment) -> Result<Option<String>, Error> {
    let repository = Repository::discover(&sandbox.path(relative), environment)?;
    let relative = |path: &std::path::Path| path.strip_prefix(sandbox.path("")).unwrap().display().to_string();
    Ok(repository.map(|repository| repository.work_dir().map_or_else(|| "bare".to_owned(), relative)))
}

#[test]
fn a_folder_that_looks_like_a_bare_repository_changes_nothing() {
    let sandbox = Sandbox::with_commit(&[]);
    plant(&sandbox, "repo/docs");
    sandbox.git_in("repo/docs", ["config", "core.worktree", "/"]);
    sandbox.git_in("repo/docs", ["--git-dir=.", "config", "core.bare", "false"]);
    // Also where it is the top of the work tree itself.
    let top = sandbox.path("repo/docs");
    for name in ["HEAD", "config"] {
        std::fs::copy(top.join(name), sandbox.path("repo").join(name)).unwrap();
    }
    for name in ["objects", "refs"] {
        std::fs::create_dir(sandbox.path("repo").join(name)).unwrap();
    }
    for folder in ["repo", "repo/objects", "repo/docs", "repo/docs/objects/info", "repo/.git", "repo/.git/refs"] {
        assert_eq!(found(&sandbox, folder, &sandbox.environment()).unwrap().as_deref(), Some("repo"), "{folder}");
    }
    // Named by `-C`, it is one of two that may be meant; what ends the search decides.
    let environment = GitEnvironment { named_dir: Some(top.clone()), ..sandbox.environment() };
    let refused = found(&sandbox, "repo/docs", &environment).unwrap_err();
    assert!(
        matches!(&refused, Error::Unusable(Unusable::BareInside { git_dir, .. }) if *git_dir == top),
        "{refused:?}"
    );
    sandbox.git_in("repo/docs", ["--git-dir=.", "config", "core.bare", "true"]);
    let environment = GitEnvironment { ceiling_directories: vec![sandbox.path("repo")], ..environment };
    assert_eq!(found(&sandbox, "repo/docs", &environment).unwrap().as_deref(), Some("bare"));
    assert_eq!(found(&sandbox, "repo/docs/refs", &environment).unwrap(), None);
}

#[test]
fn a_bare_repository_is_used_where_the_configuration_allows_it() {
    let sandbox = Sandbox::with_commit(&[]);
    sandbox.git_in(".", ["clone", "-q", "--bare", "repo", "bare.git"]);
    assert_eq!(found(&sandbox, "bare.git", &sandbox.environment()).unwrap().as_deref(), Some("bare"));
    assert_eq!(found(&sandbox, "bare.git/refs", &sandbox.environment()).unwrap(), None);
    sandbox.write("home/.gitconfig", "[safe]\n\tbareRepository = explicit\n");
    let refused = found(&sandbox, "bare.git", &sandbox.environment()).unwrap_err();
    assert!(matches!(refused, Error::Unusable(Unusable::BareDenied { .. })), "{refused:?}");
    assert_eq!(found(&sandbox, "repo/src", &sandbox.environment()).unwrap().as_deref(), Some("repo"));
}

#[test]
fn the_work_tree_is_the_folder_that_has_the_git_folder() {
    let sandbox = Sandbox::with_commit(&[]);
    let refused = |folder: &str| {
        let refused = found(&sandbox, folder, &sandbox.environment()).unwrap_err();
        assert!(matches!(refused, Error::Unusable(Unusable::WorkTreeElsewhere { .. })), "{refused:?}");
    };
    for elsewhere in ["/", "../..", "../src"] {
        sandbox.git(["config", "core.worktree", elsewhere]);
        refused("repo");
        refused("repo/src");
    }
    sandbox.git_in(".", ["config", "--file", "repo/.git/config", "core.worktree", ".."]);
    assert_eq!(found(&sandbox, "repo/src", &sandbox.environment()).unwrap().as_deref(), Some("repo"));
    sandbox.git_in(".", ["config", "--file", "repo/.git/config", "--unset", "core.worktree"]);

    // Git's own ways to keep the git folder elsewhere.
    sandbox.git_in(".", ["clone", "-q", "--separate-git-dir", "kept", "repo", "apart"]);
    sandbox.git_in(".", ["init", "-q", "-b", "main", "outer"]);
    sandbox.git_in("outer", ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../repo", "inner"]);
    sandbox.git(["worktree", "add", "-q", "--detach", "../linked"]);
    for folder in ["apart", "outer/inner", "linked"] {
        let below = format!("{folder}/src");
        assert_eq!(found(&sandbox, &below, &sandbox.environment()).unwrap().as_deref(), Some(folder));
    }
    // A bare repository has none, and a git folder of another kind is not opened by itself.
    sandbox.git_in(".", ["clone", "-q", "--bare", "repo", "bare.git"]);
    sandbox.git_in("bare.git", ["config", "core.bare", "false"]);
    sandbox.git_in("bare.git", ["config", "core.worktree", "/"]);
    refused("bare.git");
    assert_eq!(found(&sandbox, "outer/.git/modules/inner", &sandbox.environment()).unwrap().as_deref(), Some("outer"));
    assert_eq!(found(&sandbox, "repo/.git/worktrees/linked", &sandbox.environment()).unwrap().as_deref(), Some("repo"));
}

/// A read of a pipe waits for a writer, and one of a device may never end.
#[test]
fn a_pipe_or_device_in_a_git_folder_is_refused_and_not_read() {
    let pipe = |path: &std::path::Path| {
        if path.exists() {
            std::fs::remove_file(path).unwrap();
        }
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    let git_dir_files = [
        "HEAD",
        "config",
        "config.worktree",
        "commondir",
        "gitdir",
        "packed-refs",
        "index",
        "shallow",
        "MERGE_HEAD",
        "info/exclude",
        "info/attributes",
        "info/grafts",
        "objects/info/alternates",
        "refs/heads/main",
        "rye/roots",
    ];
    for name in git_dir_files {
        let sandbox = Sandbox::with_commit(&[]);
        let path = sandbox.path("repo/.git").join(name);
        pipe(&path);
        let refused = found(&sandbox, "repo/src", &sandbox.environment()).unwrap_err();
        assert_eq!(
            refused.to_string(),
            format!("cannot open the git repository: `{}` is a named pipe, not a regular file", path.display())
        );
    }
    let sandbox = Sandbox::with_commit(&[]);
    pipe(&sandbox.path("repo/src/.git"));
    let refused = found(&sandbox, "repo/src", &sandbox.environment()).unwrap_err();
    assert!(matches!(refused, Error::NotRegular { .. }), "{refused:?}");
    std::fs::remove_file(sandbox.path("repo/src/.git")).unwrap();
    // Of a linked work tree both folders are looked at, and of a link what it leads to.
    sandbox.git(["worktree", "add", "-q", "--detach", "../linked"]);
    std::os::unix::fs::symlink("/dev/zero", sandbox.path("repo/.git/shallow")).unwrap();
    let refused = found(&sandbox, "linked", &sandbox.environment()).unwrap_err();
    assert!(refused.to_string().ends_with("/shallow` is a device or a socket, not a regular file"), "{refused}");
}
