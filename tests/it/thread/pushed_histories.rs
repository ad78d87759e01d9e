//! Pushes of whole histories: the hook looks at each file once, whatever the number of refs, and refuses none for its size.

use std::fs::{self, File, Permissions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::world::World;

const PERSON: [&str; 4] = ["-c", "user.name=A", "-c", "user.email=a@example.com"];

const ID: &str = "greet-20260101-120000-abcdefgh";

fn event() -> String {
    format!(r#"{{"v":1,"seq":2,"thread_id":"{ID}","turn":1,"type":"step_start","data":{{}}}}"#)
}

/// Has git write what a stream of `git fast-import` says.
fn import(world: &World, stream: &str) {
    let mut command = Command::new("git");
    command.args(["fast-import", "--quiet", "--done"]).current_dir(world.in_project(""));
    let mut child = command.env_clear().envs(world.variables()).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(format!("{stream}done\n").as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
}

/// A commit of `refs/heads/REF` on top of those before it, with files of these contents.
fn commit(name: &str, files: &[(String, String)]) -> String {
    let data = |text: &str| format!("data {}\n{text}\n", text.len());
    let head = format!("commit refs/heads/{name}\ncommitter A <a@example.com> 1700000000 +0000\n{}", data("more"));
    let files = files.iter().map(|(path, text)| format!("M 100644 inline {path}\n{}", data(text)));
    head + &files.collect::<String>()
}

/// Runs the hook as git does for these refs and a remote without any of them; `programs` are found first.
fn hook(world: &World, remote: &str, refs: &[&str], programs: &Path) -> Output {
    let line = |name: &&str| format!("{name} {} {name} {}\n", world.git(&["rev-parse", name]), "0".repeat(40));
    fs::write(world.path("refs"), refs.iter().map(line).collect::<String>()).unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let mut rye = world.rye(&["hook", "run", "pre-push", remote, remote]);
    rye.env("PATH", path).stdin(File::open(world.path("refs")).unwrap()).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A `git` that notes how it is called. Returns its folder and the file of its notes.
fn noting_git(world: &World) -> (std::path::PathBuf, std::path::PathBuf) {
    let (folder, notes) = (world.path("bin"), world.path("calls"));
    let git = crate::support::template::git().display().to_string();
    let script = format!("#!/bin/sh\necho \"$*\" >>'{}'\nexec '{git}' \"$@\"\n", notes.display());
    world.write_at(&folder.join("git"), &script);
    fs::set_permissions(folder.join("git"), Permissions::from_mode(0o755)).unwrap();
    (folder, notes)
}

#[test]
fn a_large_history_is_pushed_to_a_new_remote_at_once() {
    let world = World::new();
    world.rye(&["hook", "install"]).output().unwrap();
    // More than 16 MiB of paths.
    let folder = format!("{}/", "d".repeat(230)).repeat(16);
    let file = |commit: usize, file: usize| (format!("{folder}{commit}-{file}"), format!("{commit} {file}\n"));
    let mut stream = String::new();
    for number in 0..10 {
        stream += &commit("large", &(0..480).map(|name| file(number, name)).collect::<Vec<_>>());
    }
    import(&world, &stream);
    let mut refs = vec!["refs/heads/large".to_owned()];
    for number in 0..40 {
        let name = format!("refs/tags/v{number}");
        world.git(&["update-ref", &name, &format!("large~{}", number % 10)]);
        refs.push(name);
    }
    let refs: Vec<&str> = refs.iter().map(String::as_str).collect();
    let (programs, calls) = noting_git(&world);
    let output = hook(&world, "../new.git", &refs, &programs);
    assert!(output.status.success(), "{}", said(&output));
    let calls = fs::read_to_string(calls).unwrap();
    // One looks for records by their place, and one at each object for their content and for secrets.
    assert_eq!(calls.lines().filter(|call| call.contains("rev-list")).count(), 2, "{calls}");
    assert_eq!(calls.lines().filter(|call| call.contains("--objects")).count(), 1, "{calls}");
    world.git(&["init", "-q", "--bare", "../new.git"]);
    world.git(&["push", "-q", "--mirror", "../new.git"]);
    // The one ref with a record is found among all, and named.
    let (mut refs, path) = (refs, "notes/log.txt".to_owned());
    import(&world, &commit("odd", &[(path, format!("# noted\n{}\n", event()))]));
    refs.insert(17, "refs/heads/odd");
    let output = hook(&world, "../other.git", &refs, &programs);
    let said = said(&output);
    assert!(!output.status.success() && said.contains("`refs/heads/odd` has commit"), "{said}");
    assert!(said.contains("adds `notes/log.txt`"), "{said}");
}

/// What the remote says that it has is not looked at, so it may be missing or damaged here. Refs here do not say so.
#[test]
fn what_a_remote_has_is_not_looked_at_for_another() {
    let world = World::new();
    world.git(&["clone", "-q", "--bare", ".", "../remote.git"]);
    world.git(&["init", "-q", "--bare", "../new.git"]);
    world.git(&["remote", "add", "origin", "../remote.git"]);
    world.git(&["fetch", "-q", "origin"]);
    let blob = world.git(&["rev-parse", "HEAD:src/a.txt"]);
    world.write("mine.txt", "mine\n");
    world.commit("mine");
    let object = world.in_project(".git/objects").join(&blob[..2]).join(&blob[2..]);
    fs::remove_file(object).unwrap();
    let output = hook(&world, "../remote.git", &["refs/heads/main"], Path::new("/"));
    assert!(output.status.success(), "{}", said(&output));
    // What the remote does not have must be there.
    for url in ["../new.git", "../gone.git"] {
        let output = hook(&world, url, &["refs/heads/main"], Path::new("/"));
        assert!(said(&output).contains("cannot tell whether `refs/heads/main` holds a thread"), "{}", said(&output));
        let is_told =
            said(&output).contains("note: the remote was not asked what it has, so all commits were checked:");
        assert_eq!(is_told, url == "../gone.git", "{}", said(&output));
    }
}

/// Ways to make refs and settings here say that a remote has what it does not have: what each sets up, and the remote that is pushed to.
/// `../has.git` has all of it, `../lacks.git` nothing.
const PRETEXTS: [(&str, &[&[&str]], &str); 7] = [
    ("a made-up ref", &[&["remote", "add", "r", "../lacks.git"], &["update-ref", "refs/remotes/r/x", "odd"]], "r"),
    ("a made-up ref, and a URL", &[&["update-ref", "refs/remotes/r/x", "odd"]], "../lacks.git"),
    (
        "another place to push to",
        &[
            &["remote", "add", "r", "../has.git"],
            &["fetch", "-q", "r"],
            &["remote", "set-url", "--push", "r", "../lacks.git"],
        ],
        "r",
    ),
    (
        "a URL that is rewritten for a push",
        &[
            &["remote", "add", "r", "../has.git"],
            &["fetch", "-q", "r"],
            &["config", "url.../lacks.git.pushInsteadOf", "../has.git"],
        ],
        "r",
    ),
    (
        "a URL that is rewritten for the question",
        &[
            &["remote", "add", "r", "../lacks.git"],
            &["config", "url.../lacks.git.pushInsteadOf", "../lacks.git"],
            &["config", "url.../has.git.insteadOf", "../lacks.git"],
        ],
        "r",
    ),
    (
        "a remote whose name is the URL",
        &[
            &["remote", "add", "r", "../lacks.git"],
            &["config", "remote.../lacks.git.url", "../has.git"],
            &["config", "remote.../lacks.git.pushurl", "../lacks.git"],
        ],
        "r",
    ),
    (
        "a branch that is gone there",
        &[
            &["remote", "add", "r", "../lacks.git"],
            &["push", "-q", "--no-verify", "r", "odd:refs/heads/odd"],
            &["fetch", "-q", "r"],
            &["-C", "../lacks.git", "update-ref", "-d", "refs/heads/odd"],
        ],
        "r",
    ),
];

#[test]
fn what_a_remote_has_is_what_it_answers_itself() {
    let token = crate::redact::shapes::random("ghp_", crate::redact::shapes::LETTERS, 36);
    for (text, refusal) in [(event(), "adds `notes/log.txt`"), (format!("x\n{token}\n"), "`notes/log.txt:2:1`")] {
        for (name, setup, remote) in PRETEXTS {
            let world = World::new();
            world.rye(&["hook", "install"]).output().unwrap();
            world.git(&["init", "-q", "--bare", "../has.git"]);
            world.git(&["init", "-q", "--bare", "../lacks.git"]);
            import(&world, &commit("odd", &[("notes/log.txt".to_owned(), text.clone())]));
            world.git(&["push", "-q", "--no-verify", "../has.git", "odd"]);
            setup.iter().for_each(|args| drop(world.git(args)));
            let output = world.try_git_in(world.project, &["push", "-q", remote, "odd:refs/heads/new"]);
            assert!(!output.status.success() && said(&output).contains(refusal), "{name}: {}", said(&output));
            assert!(!said(&output).contains(&token), "{name}");
            assert_eq!(world.git(&["-C", "../lacks.git", "for-each-ref"]), "", "{name}");
            // What it has indeed is no news to it, whatever is known here.
            let there = world.path("has.git").display().to_string();
            let output = world.try_git_in(world.project, &["push", "-q", &there, "odd:refs/heads/other"]);
            assert!(output.status.success(), "{name}: {}", said(&output));
        }
    }
}

/// Beyond ten thousand commits everything is looked at as well, and a push is not refused for its length.
#[test]
fn each_commit_of_a_long_history_is_looked_at() {
    let world = World::new();
    let token = crate::redact::shapes::random("glpat-", crate::redact::shapes::LETTERS, 20);
    let file = |text: &str| ("a.txt".to_owned(), text.to_owned());
    let long: String = (0..10_100).map(|number| commit("long", &[file(&format!("{number}\n"))])).collect();
    import(&world, &long);
    let output = hook(&world, "../new.git", &["refs/heads/long"], Path::new("/"));
    assert!(output.status.success(), "{}", said(&output));
    import(&world, &(commit("odd", &[file(&token)]) + &long.replace("refs/heads/long", "refs/heads/odd")));
    let output = hook(&world, "../new.git", &["refs/heads/odd"], Path::new("/"));
    assert!(!output.status.success() && said(&output).contains("`a.txt:1:1` (gitlab token)"), "{}", said(&output));
}

#[test]
fn what_a_partial_clone_left_at_its_remote_is_passed_over() {
    let world = World::new();
    world.git(&["clone", "-q", "--bare", ".", "../remote.git"]);
    world.git(&["-C", "../remote.git", "config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", world.path("remote.git").display());
    world.git(&["clone", "-q", "--no-checkout", "--filter=blob:none", &url, "../partial"]);
    let partial = |args: &[&str]| world.git_in("partial", &[&PERSON[..], args].concat());
    partial(&["symbolic-ref", "HEAD", "refs/heads/topic"]);
    let tree = partial(&["rev-parse", "origin/main^{tree}"]);
    let mine = partial(&["commit-tree", "-m", "mine", "-p", "origin/main", tree.trim()]);
    partial(&["update-ref", "refs/heads/topic", mine.trim()]);
    partial(&["update-ref", "-d", "refs/remotes/origin/main"]);
    fs::rename(world.path("remote.git"), world.path("gone.git")).unwrap();
    let refs = format!("refs/heads/topic {} refs/heads/topic {}\n", mine.trim(), "0".repeat(40));
    fs::write(world.path("refs"), refs).unwrap();
    let mut rye = world.rye(&["hook", "run", "pre-push", "https://example.com/new.git", "url"]);
    let stdin = File::open(world.path("refs")).unwrap();
    let output = rye.current_dir(world.path("partial")).stdin(stdin).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
}

/// A file is looked at to its end, however large it is.
#[test]
fn a_large_file_with_a_record_anywhere_is_not_pushed() {
    let world = World::new();
    let filler = "0123456789abcde\n".repeat((17 << 20) / 16);
    let setup = r#"{"v": 1, "system": "", "prompt": "", "directive": {}, "toolbox": {}}"#;
    let token = crate::redact::shapes::random("ghp_", crate::redact::shapes::LETTERS, 36);
    import(&world, &commit("large", &[("large.bin".to_owned(), filler.clone())]));
    let output = hook(&world, "../new.git", &["refs/heads/large"], Path::new("/"));
    assert!(output.status.success(), "{}", said(&output));
    for (name, text, refusal) in [
        ("beginning", format!("{}\n{filler}", event()), "adds `large.bin`"),
        ("middle", format!("{filler}{}\n{filler}", event()), "adds `large.bin`"),
        ("end", format!("{filler}{}", event()), "adds `large.bin`"),
        ("setup", format!("[{{}},{}{setup}]", " ".repeat(17 << 20)), "adds `large.bin`"),
        ("secret", format!("{filler}{token}"), "`large.bin:1114113:1` (github token)"),
    ] {
        import(&world, &commit(name, &[("large.bin".to_owned(), text)]));
        for _ in ["packed by fast-import", "packed by git"] {
            let output = hook(&world, "../new.git", &[&format!("refs/heads/{name}")], Path::new("/"));
            let said = said(&output);
            assert!(!output.status.success() && said.contains(refusal) && !said.contains(&token), "{name}: {said}");
            world.git(&["gc", "-q"]);
        }
    }
}
