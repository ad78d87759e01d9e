//! Variables of the target alone: others see them neither on a command line nor in the environment of what keeps it.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use rye::process::{CancelFlag, ChildSpec, Profile, Sandbox, run};

use super::{RYE, shell, text};
use crate::support::users::User;

/// What a process shows others of itself.
struct Shown {
    command_line: String,
    environment: String,
}

fn all_processes() -> Vec<Shown> {
    let read = |folder: PathBuf, name: &str| {
        let bytes = fs::read(folder.join(name)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let folders = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let numbered = folders.filter(|path| path.file_name().unwrap().to_string_lossy().parse::<u32>().is_ok());
    // A process that became another program in between would be shown with the command line of one and the environment of the other.
    let shown = |path: PathBuf| {
        let command_line = read(path.clone(), "cmdline");
        let environment = read(path.clone(), "environ");
        (read(path, "cmdline") == command_line).then_some(Shown { command_line, environment })
    };
    numbered.filter_map(shown).collect()
}

#[test]
fn a_value_for_the_target_is_seen_in_no_other_process() {
    for user in User::all() {
        for sandbox in [None, Some(Sandbox::of(Profile::Program))] {
            let mark = format!("mark-{}-{user:?}-{}", std::process::id(), sandbox.is_some());
            let value = format!("value with = and \n of {mark}").replace("mark", "secret");
            let is_over = AtomicBool::new(false);
            let mut keepers = 0;
            let output = std::thread::scope(|scope| {
                let child = scope.spawn(|| {
                    let output = user.does(|| {
                        let mut spec = ChildSpec { sandbox, ..shell("printf %s \"$VALUE\"; sleep 1") };
                        spec.args.push(mark.clone().into());
                        spec.target_env.insert("VALUE".to_owned(), value.clone());
                        run(&spec, Some(RYE.as_ref()), &CancelFlag::new()).unwrap()
                    });
                    is_over.store(true, Ordering::SeqCst);
                    output
                });
                while !is_over.load(Ordering::SeqCst) {
                    for Shown { command_line, environment } in all_processes() {
                        assert!(!command_line.contains(&value), "{user:?}: {command_line}");
                        if command_line.contains("__confine") && command_line.contains(&mark) {
                            keepers += 1;
                            assert!(!environment.contains(&value), "{user:?}: {environment}");
                        }
                    }
                }
                child.join().unwrap()
            });
            assert_eq!(text(&output.stdout), value, "{user:?}: {}", text(&output.stderr));
            assert!(keepers > 0, "{user:?}");
        }
    }
}
