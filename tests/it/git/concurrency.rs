//! Several writers at once lose nothing.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use rye::git::{CommitId, Error, Repository};

use super::{Sandbox, THREAD, ada, commit, start_branch, update};

const COMMITS: usize = 50;

/// Puts `COMMITS` commits on a branch others may be moving, each with a file of its own.
fn append(repo: &Repository, name: &str, worker: &str) {
    for turn in 0..COMMITS {
        let mut tip = repo.branch(name).unwrap().unwrap();
        loop {
            let mut writer = repo.writer();
            let next = commit(&mut writer, Some(&tip), &format!("{worker}/{turn}"), "x\n");
            match writer.advance_branch(&tip, update(name, &next, &ada())) {
                Ok(()) => break,
                Err(Error::Moved { actual, .. }) => tip = actual.unwrap(),
                Err(other) => unreachable!("{other:?}"),
            }
        }
    }
}

#[test]
fn two_workers_on_one_branch_lose_no_commit() {
    let sandbox = Sandbox::with_commit(&[]);
    start_branch(&sandbox.open(), THREAD, None);
    std::thread::scope(|scope| {
        for worker in ["left", "right"] {
            let repo = sandbox.open();
            scope.spawn(move || append(&repo, THREAD, worker));
        }
    });
    assert_eq!(sandbox.git(["rev-list", "--count", THREAD]), (2 * COMMITS + 1).to_string());
    let files = sandbox.git(["ls-tree", "-r", "--name-only", THREAD]);
    assert_eq!(files.lines().count(), 2 * COMMITS + 1);
    sandbox.assert_sound();
}

#[test]
fn two_workers_on_two_branches_do_not_disturb_each_other() {
    let sandbox = Sandbox::with_commit(&[]);
    let names = [THREAD, "refs/heads/rye/threads/b"];
    let tips = names.map(|name| start_branch(&sandbox.open(), name, None));
    std::thread::scope(|scope| {
        for name in names {
            let repo = sandbox.open();
            scope.spawn(move || append(&repo, name, "only"));
        }
    });
    for (name, tip) in names.into_iter().zip(tips) {
        assert_eq!(sandbox.git(["rev-list", "--count", &format!("{tip}..{name}")]), COMMITS.to_string());
    }
    sandbox.assert_sound();
}

#[test]
fn of_many_creators_one_succeeds_even_with_one_commit() {
    let sandbox = Sandbox::with_commit(&[]);
    let head: CommitId = sandbox.head();
    for round in 0..20 {
        let name = format!("refs/heads/rye/threads/{round}");
        let outcomes = std::thread::scope(|scope| {
            let workers = [(); 4].map(|()| {
                let (repo, name, head) = (sandbox.open(), &name, &head);
                scope.spawn(move || repo.writer().create_branch(update(name, head, &ada())))
            });
            workers.map(|worker| worker.join().unwrap())
        });
        assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1, "{outcomes:?}");
        let rest_exist = outcomes.iter().all(|o| matches!(o, Ok(()) | Err(Error::AlreadyExists { .. })));
        assert!(rest_exist, "{outcomes:?}");
    }
}

/// As git's `gc` does it, but all the time.
#[test]
fn folders_that_are_removed_while_they_are_empty_lose_nothing() {
    let sandbox = Sandbox::with_commit(&[]);
    let repository = sandbox.open();
    let objects = sandbox.path("repo/.git/objects");
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                for folder in 0..=u8::MAX {
                    // One with an object in it stays.
                    let _ = fs::remove_dir(objects.join(format!("{folder:02x}")));
                }
            }
        });
        let write = || {
            for number in 0..1000 {
                let blob_id = repository.writer().blob(format!("{number}").as_bytes())?;
                assert!(repository.blob(&blob_id).is_ok());
                let (folder, name) = blob_id.as_str().split_at(2);
                fs::remove_file(objects.join(folder).join(name)).unwrap();
            }
            Ok::<_, Error>(())
        };
        let written = write();
        is_done.store(true, Ordering::Relaxed);
        written.unwrap();
    });
}
