//! Several writers at once lose nothing.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use rye::git::{CommitId, Error, NewCommit, Repository, TreeEdit};

use super::{Sandbox, THREAD, ada, commit, start_branch, update};

const COMMITS: usize = 50;

/// Tells the other threads that it is over, also when an assertion ended it: they would run for ever.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

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

/// gix reads `packed-refs` before the loose refs: one that git moves in between was missing, or an older one.
#[test]
fn a_branch_is_read_and_moved_while_git_packs_refs() {
    let sandbox = Sandbox::with_commit(&[]);
    let names = [THREAD, "refs/heads/rye/threads/b"];
    for name in names {
        start_branch(&sandbox.open(), name, None);
    }
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let over = Over(&is_done);
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                sandbox.try_git_in("repo", ["pack-refs", "--all"]);
            }
        });
        let listed = scope.spawn(|| {
            let repository = sandbox.open();
            while !is_done.load(Ordering::Relaxed) {
                let found = repository.branches_below("refs/heads/rye/threads/").map(|found| found.len());
                if !matches!(found, Ok(2)) {
                    return Err(found);
                }
            }
            Ok(())
        });
        let movers = names.map(|name| {
            let repository = sandbox.open();
            scope.spawn(move || {
                let mut tip = repository.branch(name)?.unwrap();
                for turn in 0..300 {
                    let mut writer = repository.writer();
                    let next = commit(&mut writer, Some(&tip), "file", &format!("{turn}\n"));
                    writer.advance_branch(&tip, update(name, &next, &ada()))?;
                    tip = next;
                }
                Ok::<_, Error>(())
            })
        });
        let moved = movers.map(|mover| mover.join().unwrap());
        drop(over);
        assert!(moved.iter().all(Result::is_ok), "{moved:?}");
        listed.join().unwrap().unwrap();
    });
}

/// A lookup that passed the packs before git wrote one, and the loose objects after it removed them, found nothing.
#[test]
fn objects_are_found_while_git_packs_them() {
    let sandbox = Sandbox::with_commit(&[]);
    start_branch(&sandbox.open(), THREAD, None);
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let over = Over(&is_done);
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                sandbox.try_git_in("repo", ["repack", "-adq"]);
            }
        });
        let repository = sandbox.open();
        let first = repository.branch(THREAD).unwrap().unwrap();
        let moved = (0..300).try_fold(first, |tip, turn| {
            let mut writer = repository.writer();
            let tree_id = repository.commit_info(&tip)?.tree_id;
            let blob_id = writer.blob(format!("{turn}\n").as_bytes())?;
            let edit = TreeEdit::Upsert { path: format!("{}/{turn}", turn % 7), executable: false, blob_id };
            let tree_id = writer.tree(Some(&tree_id), &[edit])?;
            let new =
                NewCommit { tree_id, parents: vec![tip.clone()], author: ada(), committer: ada(), message: "x".into() };
            let next = writer.commit(&new, None)?;
            writer.advance_branch(&tip, update(THREAD, &next, &ada()))?;
            Ok::<_, Error>(next)
        });
        drop(over);
        moved.unwrap();
    });
    sandbox.assert_sound();
}

/// As git's `gc` does it, but all the time.
#[test]
fn folders_that_are_removed_while_they_are_empty_lose_nothing() {
    let sandbox = Sandbox::with_commit(&[]);
    let repository = sandbox.open();
    let objects = sandbox.path("repo/.git/objects");
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let over = Over(&is_done);
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
        drop(over);
        written.unwrap();
    });
}
