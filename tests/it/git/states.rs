//! The states a repository can be in, and the person's configuration.

use std::process::Command;

use rye::git::{CommitId, Error, GitEnvironment, Head, Identity, ObjectFormat, Repository, Unusable};

use super::{Sandbox, THREAD, start_branch};

#[test]
fn a_folder_without_repository_is_none() {
    let sandbox = Sandbox::new();
    assert!(Repository::discover(&sandbox.path("home"), &sandbox.environment()).unwrap().is_none());
    assert!(matches!(Repository::open(&sandbox.path("home"), &sandbox.environment()), Err(Error::Open { .. })));
}

#[test]
fn init_makes_an_unborn_main_that_git_accepts() {
    let sandbox = Sandbox::new();
    let repo = Repository::init(&sandbox.path("repo"), &sandbox.environment()).unwrap();
    assert_eq!(repo.head().unwrap(), Head::Unborn { branch: "refs/heads/main".into() });
    assert_eq!(repo.work_dir(), Some(&*sandbox.path("repo")));
    assert_eq!(sandbox.git(["status", "--porcelain", "--branch"]), "## No commits yet on main");
    assert!(matches!(Repository::init(&sandbox.path("repo"), &sandbox.environment()), Err(Error::Init { .. })));

    let commit_id = start_branch(&repo, THREAD, None);
    assert_eq!(sandbox.git(["log", "--format=%H %s", THREAD]), format!("{commit_id} put turn.txt"));
    assert_eq!(repo.head().unwrap(), Head::Unborn { branch: "refs/heads/main".into() });
    sandbox.assert_sound();
}

#[test]
fn a_repository_is_found_from_below() {
    let sandbox = Sandbox::with_commit(&[]);
    let repo = sandbox.open_at("repo/src");
    assert_eq!(repo.work_dir(), Some(&*sandbox.path("repo")));
    assert_eq!(repo.git_dir(), sandbox.path("repo/.git"));
    assert_eq!(repo.common_dir(), sandbox.path("repo/.git"));
    assert_eq!((repo.is_bare(), repo.is_shallow(), repo.object_format()), (false, false, ObjectFormat::Sha1));
    assert_eq!(repo.head().unwrap(), Head::Branch { name: "refs/heads/main".into(), commit_id: sandbox.head() });
}

#[test]
fn a_detached_head_is_told() {
    let sandbox = Sandbox::with_commit(&[]);
    sandbox.git(["checkout", "-q", "--detach"]);
    assert_eq!(sandbox.open().head().unwrap(), Head::Detached { commit_id: sandbox.head() });
}

#[test]
fn a_bare_repository_has_no_work_tree_but_takes_branches() {
    let sandbox = Sandbox::with_commit(&[]);
    sandbox.git_in(".", ["clone", "-q", "--bare", "repo", "bare.git"]);
    let repo = sandbox.open_at("bare.git");
    assert_eq!((repo.work_dir(), repo.is_bare()), (None, true));
    assert!(
        matches!(repo.dirty_paths(), Err(Error::Unusable(Unusable::Bare { git_dir })) if git_dir == sandbox.path("bare.git"))
    );
    // Its `HEAD` does not show `main`.
    let mut writer = repo.writer();
    let main = sandbox.head();
    let next = super::commit(&mut writer, Some(&main), "b.txt", "b\n");
    writer.advance_branch(&main, super::update("refs/heads/main", &next, &super::ada())).unwrap();
    assert_eq!(sandbox.git_in("bare.git", ["rev-parse", "main"]), next.to_string());
}

#[test]
fn a_linked_work_tree_shares_the_branches() {
    let sandbox = Sandbox::with_commit(&[]);
    sandbox.git(["worktree", "add", "-q", "-b", "side", "../linked"]);
    let repo = sandbox.open_at("linked");
    assert_eq!(repo.work_dir(), Some(&*sandbox.path("linked")));
    assert_eq!(repo.git_dir(), sandbox.path("repo/.git/worktrees/linked"));
    assert_eq!(repo.common_dir().canonicalize().unwrap(), sandbox.path("repo/.git"));
    assert_eq!(repo.head().unwrap(), Head::Branch { name: "refs/heads/side".into(), commit_id: sandbox.head() });
    let commit_id = start_branch(&repo, THREAD, Some(&sandbox.head()));
    assert_eq!(sandbox.open().branch(THREAD).unwrap(), Some(commit_id));
    sandbox.assert_sound();
}

#[test]
fn a_shallow_clone_is_told() {
    let sandbox = Sandbox::with_commit(&[]);
    sandbox.git(["commit", "-q", "--allow-empty", "-m", "second"]);
    let url = format!("file://{}", sandbox.path("repo").display());
    sandbox.git_in(".", ["clone", "-q", "--depth", "1", &url, "shallow"]);
    assert!(sandbox.open_at("shallow").is_shallow());
}

#[test]
fn a_sha256_repository_reads_and_writes() {
    let sandbox = Sandbox::with_commit(&["--object-format=sha256"]);
    let repo = sandbox.open();
    assert_eq!(repo.object_format(), ObjectFormat::Sha256);
    let commit_id = start_branch(&repo, THREAD, Some(&sandbox.head()));
    assert_eq!(commit_id.as_str().len(), 64);
    assert_eq!(sandbox.git(["show", &format!("{THREAD}:turn.txt")]), "0");
    let foreign = CommitId::parse(&"a".repeat(40)).unwrap();
    assert!(matches!(repo.commit_info(&foreign), Err(Error::ForeignId { format: "sha256", .. })));
    sandbox.assert_sound();
}

#[test]
fn reftable_is_refused_before_anything_else() {
    let sandbox = Sandbox::new();
    sandbox.git_in(".", ["init", "-q", "--ref-format=reftable", "repo"]);
    let refused = Repository::discover(&sandbox.path("repo"), &sandbox.environment()).unwrap_err();
    assert!(matches!(refused, Error::Unusable(Unusable::Reftable { .. })), "{refused:?}");
    let expected = format!(
        "the repository at `{}` uses `extensions.refStorage = reftable`, only `files` is supported",
        sandbox.path("repo/.git").display()
    );
    assert_eq!(refused.to_string(), expected);
}

#[test]
fn somebody_elses_repository_is_refused_until_declared_safe() {
    let sandbox = Sandbox::with_commit(&[]);
    let repo = sandbox.path("repo");
    if std::os::unix::fs::chown(repo.join(".git"), Some(65_534), None).is_err() {
        return; // Only root can give files away.
    }
    let refused = Repository::discover(&repo, &sandbox.environment()).unwrap_err();
    assert!(matches!(&refused, Error::Unusable(Unusable::Ownership { path }) if *path == repo), "{refused:?}");
    assert!(refused.to_string().contains("is owned by another user"));

    for (value, accepted) in [(repo.display().to_string(), true), ("*".into(), true), ("/elsewhere".into(), false)] {
        sandbox.write("home/.gitconfig", &format!("[safe]\n\tdirectory = {value}\n"));
        let opened = Repository::discover(&repo, &sandbox.environment());
        assert_eq!(opened.is_ok(), accepted, "{value}: {opened:?}");
    }
    // The repository cannot declare itself safe.
    std::fs::remove_file(sandbox.path("home/.gitconfig")).unwrap();
    let config = std::fs::read_to_string(repo.join(".git/config")).unwrap();
    std::fs::write(repo.join(".git/config"), config + "[safe]\n\tdirectory = *\n").unwrap();
    assert!(matches!(
        Repository::discover(&repo, &sandbox.environment()),
        Err(Error::Unusable(Unusable::Ownership { .. }))
    ));
}

#[test]
fn the_identity_follows_gits_precedence() {
    let sandbox = Sandbox::with_commit(&[]);
    let named = |environment: &GitEnvironment| {
        let repo = Repository::open(&sandbox.path("repo"), environment).unwrap();
        (repo.author(), repo.committer())
    };
    let who = |name: &str, email: &str| Some(Identity::new(name, email));
    let mut environment = sandbox.environment();
    assert_eq!(named(&environment), (None, None));
    sandbox.write("home/.config/git/config", "[user]\n\tname = Xdg\n\temail = xdg@example.org\n");
    assert_eq!(named(&environment), (who("Xdg", "xdg@example.org"), who("Xdg", "xdg@example.org")));
    sandbox.write("home/.gitconfig", "[user]\n\tname = Home\n[include]\n\tpath = ~/more\n");
    sandbox.write("home/more", "[author]\n\tname = Writer\n");
    assert_eq!(named(&environment), (who("Writer", "xdg@example.org"), who("Home", "xdg@example.org")));
    sandbox.git(["config", "user.name", "Local"]);
    assert_eq!(named(&environment).1, who("Local", "xdg@example.org"));
    environment.committer_name = Some("Variable".into());
    assert_eq!(named(&environment).1, who("Variable", "xdg@example.org"));
    environment.git_config_global = Some("/dev/null".into());
    assert_eq!(named(&environment), (None, None));
    environment.email = Some("last@example.org".into());
    assert_eq!(named(&environment), (who("Local", "last@example.org"), who("Variable", "last@example.org")));
    environment.git_config_system = Some(sandbox.path("home/.config/git/config"));
    assert_eq!(named(&environment).0, who("Local", "last@example.org"));
    environment.read_system_config = true;
    assert_eq!(named(&environment).0, who("Local", "xdg@example.org"));
}

#[test]
fn variables_of_a_git_hook_do_not_matter() {
    const GUARD: &str = "RYE_TEST_SANDBOX";
    if let Some(dir) = std::env::var_os(GUARD) {
        let repo = Repository::open(dir.as_ref(), &GitEnvironment::default()).unwrap();
        start_branch(&repo, THREAD, repo.head().unwrap().commit_id());
        assert_eq!(repo.dirty_paths().unwrap(), ["new.txt".to_owned()].into());
        assert_eq!(repo.committer(), None);
        return;
    }
    let sandbox = Sandbox::with_commit(&[]);
    sandbox.write("repo/new.txt", "new\n");
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["git::states::variables_of_a_git_hook_do_not_matter", "--exact"]);
    child.env_clear().env(GUARD, sandbox.path("repo"));
    let names = "GIT_DIR GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_WORK_TREE GIT_COMMON_DIR GIT_NAMESPACE \
                 GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_CONFIG_GLOBAL HOME";
    for name in names.split_whitespace() {
        child.env(name, "/nonsense");
    }
    let config = [("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "core.bare"), ("GIT_CONFIG_VALUE_0", "true")];
    let output = child.envs(config).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
    assert_eq!(sandbox.git(["log", "--format=%s", THREAD]), "put turn.txt\nfirst");
}
