//! `kill -9` while a tree is written: each file is old or new, and running it again does the rest.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::Sandbox;

const FILES: usize = 24;

/// Directives that name each other, every second one with a kebab name.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    for number in 0..FILES {
        let name =
            |number: usize| if number.is_multiple_of(2) { format!("go-on{number}") } else { format!("go_on{number}") };
        let (own, next) = (name(number), name((number + 2) % FILES));
        sandbox.put(
            &format!(".ai/directives/x/{own}.md"),
            &format!(
                "<directive name=\"{own}\" version=\"1.0.0\">\n  <metadata>\n    <description>Go on</description>\n    <category>x</category>\n    \
                 <author>ada</author>\n    <context><suggests>x/{next}</suggests></context>\n  </metadata>\n  <process>\n    \
                 <step name=\"a\">Go.</step>\n  </process>\n</directive>\n"
            ),
        );
    }
    sandbox
}

/// Every file of the items, but what a killed writer left behind.
fn files(sandbox: &Sandbox) -> BTreeMap<String, String> {
    let folder = sandbox.project().join(".ai/directives/x");
    let entry = |path: &Path| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (!name.starts_with(".rye-tmp-")).then(|| (name, fs::read_to_string(path).unwrap()))
    };
    fs::read_dir(folder).unwrap().filter_map(|found| entry(&found.unwrap().path())).collect()
}

#[test]
fn a_killed_migration_leaves_each_file_old_or_new() {
    let whole = sandbox();
    let old = files(&whole);
    whole.rye(&["migrate", "--write", "-q"]).succeeds();
    let new = files(&whole);
    assert!(new.len() == FILES && new.keys().all(|name| !name.contains('-')), "{:?}", new.keys());
    let renamed: Vec<&String> = new.keys().filter(|name| !old.contains_key(*name)).collect();
    assert_eq!(renamed.len(), FILES / 2);
    let mut partly = 0;
    // On a machine that is busy with other things a run may be over before its progress is visible.
    for point in (0..renamed.len()).cycle().take(10 * renamed.len()) {
        if partly > 0 && point == 0 {
            break;
        }
        let sandbox = sandbox();
        let mut rye = Command::new(crate::support::RYE);
        rye.env_clear().envs(sandbox.variables()).current_dir(sandbox.project()).args(["migrate", "--write", "-q"]);
        let mut child = rye.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let done = |name: &String| sandbox.project().join(".ai/directives/x").join(name).exists();
        // Killed when so many files have their new names, however fast the machine is.
        while renamed.iter().filter(|name| done(name)).count() < point && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let left = files(&sandbox);
        assert_eq!(left.len(), FILES, "no file is there twice");
        for (name, text) in &left {
            // A file that is to be moved has its new text first.
            let moved = new.get(&name.replace('-', "_"));
            assert!(old.get(name) == Some(text) || moved == Some(text), "{name}: {text}");
        }
        partly += usize::from(left != old && left != new);
        sandbox.rye(&["migrate", "--write", "-q"]).succeeds();
        assert_eq!(files(&sandbox), new);
    }
    assert!(partly > 0, "no run was stopped half way");
}
