//! Creating and advancing branches: every reason to refuse has its own name.

use std::fs;

use rye::git::{CommitId, Error};

use super::{Sandbox, THREAD, ada, commit, start_branch, update};

#[test]
fn branches_are_listed_and_read() {
    let sandbox = Sandbox::with_commit(&[]);
    let repo = sandbox.open();
    let prefix = "refs/heads/rye/threads/";
    assert_eq!(repo.branches_below(prefix).unwrap(), []);
    let b = start_branch(&repo, "refs/heads/rye/threads/b", None);
    sandbox.git(["pack-refs", "--all"]);
    let a = start_branch(&repo, THREAD, Some(&sandbox.head()));
    let expected = [(THREAD.to_owned(), a), ("refs/heads/rye/threads/b".to_owned(), b.clone())];
    assert_eq!(repo.branches_below(prefix).unwrap(), expected);
    assert_eq!(repo.branch("refs/heads/rye/threads/b").unwrap(), Some(b));
    assert_eq!(repo.branch("refs/heads/rye/threads/c").unwrap(), None);
    for name in ["main", "HEAD", "refs/heads/..", "refs/heads/a b", "refs/heads/x.lock", "refs/heads/"] {
        assert!(matches!(repo.branch(name), Err(Error::InvalidRefName { name: named, .. }) if named == name), "{name}");
    }
}

#[test]
fn a_branch_is_created_once_only() {
    let sandbox = Sandbox::with_commit(&[]);
    let repo = sandbox.open();
    let commit_id = start_branch(&repo, THREAD, None);
    // The same commit again, and also from a writer that looked before the ref was there.
    let refused = repo.writer().create_branch(update(THREAD, &commit_id, &ada()));
    assert!(matches!(refused, Err(Error::AlreadyExists { name }) if name == THREAD));
}

#[test]
fn a_branch_that_moved_is_not_overwritten() {
    let sandbox = Sandbox::with_commit(&[]);
    let repo = sandbox.open();
    let first = start_branch(&repo, THREAD, None);
    let mut writer = repo.writer();
    let second = commit(&mut writer, Some(&first), "turn.txt", "1\n");
    writer.advance_branch(&first, update(THREAD, &second, &ada())).unwrap();
    let rival = commit(&mut writer, Some(&first), "turn.txt", "rival\n");
    let refused = writer.advance_branch(&first, update(THREAD, &rival, &ada()));
    assert!(matches!(refused, Err(Error::Moved { actual: Some(actual), .. }) if actual == second));
    sandbox.git(["update-ref", "-d", THREAD]);
    let refused = writer.advance_branch(&second, update(THREAD, &rival, &ada()));
    assert!(matches!(refused, Err(Error::Moved { actual: None, .. })));
    let absent = CommitId::parse(&"1".repeat(40)).unwrap();
    let refused = writer.create_branch(update(THREAD, &absent, &ada()));
    assert!(matches!(refused, Err(Error::MissingObject { .. })));
}

#[test]
fn a_branch_in_the_way_is_named() {
    for pack in [false, true] {
        let sandbox = Sandbox::with_commit(&[]);
        let repo = sandbox.open();
        let mut writer = repo.writer();
        let commit_id = commit(&mut writer, None, "a", "a\n");
        let mut conflict = |wanted: &str, existing: &str| {
            sandbox.git(["update-ref", existing, sandbox.head().as_str()]);
            if pack {
                sandbox.git(["pack-refs", "--all"]);
            }
            let refused = writer.create_branch(update(wanted, &commit_id, &ada()));
            let named = matches!(&refused, Err(Error::NameConflict { name, blocking })
                if name == wanted && blocking == existing);
            assert!(named, "{refused:?}");
            sandbox.git(["update-ref", "-d", existing]);
        };
        conflict(THREAD, "refs/heads/rye");
        conflict(THREAD, "refs/heads/rye/threads");
        conflict("refs/heads/rye", THREAD);
    }
}

#[test]
fn a_branch_some_work_tree_shows_is_left_alone() {
    let sandbox = Sandbox::with_commit(&[]);
    sandbox.git(["worktree", "add", "-q", "-b", "rye/threads/a", "../linked"]);
    for opened in ["repo", "linked"] {
        let repo = sandbox.open_at(opened);
        let mut writer = repo.writer();
        let next = commit(&mut writer, Some(&sandbox.head()), "a", "a\n");
        for (name, shown_at) in [("refs/heads/main", "repo"), (THREAD, "linked")] {
            let refused = writer.advance_branch(&sandbox.head(), update(name, &next, &ada()));
            let told = matches!(&refused, Err(Error::CheckedOut { name: told, work_tree })
                if told == name && *work_tree == sandbox.path(shown_at));
            assert!(told, "{opened}: {refused:?}");
        }
    }
    assert_eq!(sandbox.git(["rev-parse", "main"]), sandbox.git(["rev-parse", THREAD]));
}

#[test]
fn a_branch_being_rebased_or_awaited_by_head_is_left_alone() {
    let sandbox = Sandbox::with_commit(&[]);
    let head = sandbox.head();
    let repo = sandbox.open();
    let mut writer = repo.writer();
    let next = commit(&mut writer, Some(&head), "a", "a\n");
    sandbox.git(["checkout", "-q", "--detach"]);
    sandbox.write("repo/.git/rebase-merge/head-name", "refs/heads/main\n");
    let refused = writer.advance_branch(&head, update("refs/heads/main", &next, &ada()));
    assert!(matches!(refused, Err(Error::CheckedOut { .. })));
    fs::remove_dir_all(sandbox.path("repo/.git/rebase-merge")).unwrap();
    sandbox.git(["symbolic-ref", "HEAD", THREAD]);
    let refused = writer.create_branch(update(THREAD, &next, &ada()));
    assert!(matches!(refused, Err(Error::CheckedOut { .. })));
}

#[test]
fn a_symbolic_ref_is_not_followed() {
    let sandbox = Sandbox::with_commit(&[]);
    sandbox.git(["symbolic-ref", THREAD, "refs/heads/main"]);
    let repo = sandbox.open();
    let mut writer = repo.writer();
    let next = commit(&mut writer, Some(&sandbox.head()), "a", "a\n");
    let refused = writer.advance_branch(&sandbox.head(), update(THREAD, &next, &ada()));
    assert!(matches!(refused, Err(Error::SymbolicRef { target, .. }) if target == "refs/heads/main"));
}

#[test]
fn a_stale_lock_is_named() {
    let sandbox = Sandbox::with_commit(&[]);
    let repo = sandbox.open();
    let first = start_branch(&repo, THREAD, None);
    let mut writer = repo.writer();
    let second = commit(&mut writer, Some(&first), "turn.txt", "1\n");
    let lock = sandbox.path("repo/.git").join(format!("{THREAD}.lock"));
    fs::write(&lock, "").unwrap();
    let refused = writer.advance_branch(&first, update(THREAD, &second, &ada())).unwrap_err();
    let expected = format!(
        "the ref `{THREAD}` is locked by `{lock}`; if no git program is running, remove it with `rm '{lock}'`",
        lock = lock.display()
    );
    assert_eq!(refused.to_string(), expected);
    assert!(lock.exists());
    fs::remove_file(&lock).unwrap();
    writer.advance_branch(&first, update(THREAD, &second, &ada())).unwrap();
    assert_eq!(repo.branch(THREAD).unwrap(), Some(second));
}

/// A run that was killed while it wrote a ref left its mark, and perhaps git's lock of the packed refs.
#[test]
fn the_lock_of_a_dead_run_is_removed_and_no_other() {
    let sandbox = Sandbox::with_commit(&[]);
    let repo = sandbox.open();
    let first = start_branch(&repo, THREAD, None);
    let mut writer = repo.writer();
    let second = commit(&mut writer, Some(&first), "turn.txt", "1\n");
    let (lock, mark) = (sandbox.path("repo/.git/packed-refs.lock"), sandbox.path("repo/.git/rye/writing/1-0"));
    fs::create_dir_all(mark.parent().unwrap()).unwrap();
    // The run is alive.
    let held = fs::File::create(&mark).unwrap();
    held.lock().unwrap();
    fs::write(&lock, "").unwrap();
    let refused = writer.advance_branch(&first, update(THREAD, &second, &ada())).unwrap_err();
    assert!(refused.to_string().contains(&format!("remove it with `rm '{}'`", lock.display())), "{refused}");
    assert!(lock.exists());
    // It died. Dropped alone, the lock would stay for as long as a program that another test starts has a copy of it.
    held.unlock().unwrap();
    drop(held);
    writer.advance_branch(&first, update(THREAD, &second, &ada())).unwrap();
    assert!(!lock.exists() && !mark.exists());
    fs::write(&mark, "").unwrap();
    fs::write(&lock, "").unwrap();
    repo.delete_branch(THREAD, &second).unwrap();
    assert!(!lock.exists() && !mark.exists(), "a deletion that ended leaves nothing");
    assert_eq!(fs::read_dir(mark.parent().unwrap()).unwrap().count(), 0);
    // Git took its lock long after that run had died.
    fs::write(&mark, "").unwrap();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    fs::File::options().write(true).open(&mark).unwrap().set_modified(long_ago).unwrap();
    fs::write(&lock, "").unwrap();
    assert!(repo.writer().create_branch(update(THREAD, &first, &ada())).is_err());
    assert!(lock.exists());
    fs::remove_file(&lock).unwrap();
    assert_eq!(repo.branch(THREAD).unwrap(), None);
}

#[test]
fn a_lock_that_goes_away_is_waited_for() {
    let sandbox = Sandbox::with_commit(&[]);
    let repo = sandbox.open();
    let first = start_branch(&repo, THREAD, None);
    let mut writer = repo.writer();
    let second = commit(&mut writer, Some(&first), "turn.txt", "1\n");
    let lock = sandbox.path("repo/.git").join(format!("{THREAD}.lock"));
    fs::write(&lock, "").unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(400));
            fs::remove_file(&lock).unwrap();
        });
        writer.advance_branch(&first, update(THREAD, &second, &ada())).unwrap();
    });
    assert_eq!(sandbox.git(["rev-parse", THREAD]), second.to_string());
}

/// The message named no file and no way out, so that `thread rm` was stuck for good.
#[test]
fn a_stale_lock_is_named_when_a_branch_is_deleted() {
    let sandbox = Sandbox::with_commit(&[]);
    let repo = sandbox.open();
    let first = start_branch(&repo, THREAD, None);
    for locked in [THREAD, "packed-refs"] {
        let lock = sandbox.path("repo/.git").join(format!("{locked}.lock"));
        fs::write(&lock, "").unwrap();
        let refused = repo.delete_branch(THREAD, &first).unwrap_err();
        assert!(refused.to_string().contains(&format!("`rm '{}'`", lock.display())), "{refused}");
        fs::remove_file(&lock).unwrap();
    }
    repo.delete_branch(THREAD, &first).unwrap();
    assert_eq!(repo.branch(THREAD).unwrap(), None);
}
