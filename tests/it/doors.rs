//! The doors out: a secret in what is committed, accepted, pushed or published is refused by file, line and kind, unless its person
//! names it.

mod own_keys;

use std::fs;
use std::path::{Path, PathBuf};

use rye::trust::ContentHash;
use serde_json::Value;

use crate::redact::shapes::{LETTERS, random};
use crate::support::Sandbox;
use crate::thread::world::{FILES, World, text, write};

/// Two tokens that look real, and are not in this text.
fn tokens() -> [String; 2] {
    [random("ghp_", LETTERS, 36), random("glpat-", LETTERS, 20)]
}

/// A file with two of them, in its second and its third line.
fn content() -> String {
    let [first, second] = tokens();
    format!("title: notes\nfirst: {first}\nsecond: {second}\n")
}

/// Somewhere that something with `content` is about to go out of.
enum Place {
    Thread(World),
    Project(Sandbox),
}

struct Door {
    place: Place,
    args: Vec<String>,
    /// The path that the refusal names.
    file: &'static str,
    /// In which line the first token is.
    line: usize,
}

impl Door {
    fn run(&self, more: &[&str]) -> (i32, String, Value) {
        let args: Vec<&str> =
            self.args.iter().map(String::as_str).chain(more.iter().copied()).chain(["--json"]).collect();
        let mut command = match &self.place {
            Place::Thread(world) => world.rye(&args),
            Place::Project(sandbox) => sandbox.rye(&args).into_command(),
        };
        let std::process::Output { status, stdout, stderr } = command.output().unwrap();
        let code = status.code().unwrap();
        let said = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
        (code, said, serde_json::from_slice(&stdout).unwrap_or(Value::Null))
    }

    fn config(&self) -> PathBuf {
        match &self.place {
            Place::Thread(world) => world.path("home/.config/rye/config.toml"),
            Place::Project(sandbox) => sandbox.path("config/rye/config.toml"),
        }
    }

    fn project(&self) -> PathBuf {
        match &self.place {
            Place::Thread(world) => world.in_project(""),
            Place::Project(sandbox) => sandbox.project(),
        }
    }
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

fn commit() -> Door {
    let sandbox = Sandbox::signed();
    sandbox.put("notes.txt", &content());
    sandbox.git(&["add", "notes.txt"]);
    Door { place: Place::Project(sandbox), args: words("commit --yes -m notes"), file: "notes.txt", line: 2 }
}

fn commit_of_a_path() -> Door {
    let sandbox = Sandbox::signed();
    sandbox.put("notes.txt", "title: notes\n");
    sandbox.git(&["add", "notes.txt"]);
    sandbox.commit("notes");
    sandbox.put("notes.txt", &content());
    Door { place: Place::Project(sandbox), args: words("commit --yes -m more notes.txt"), file: "notes.txt", line: 2 }
}

fn thread() -> World {
    let world = World::new();
    world.directive(FILES, r#"turns="5""#, "");
    world.commit("items");
    world.run(&[write("src/notes.txt", &content()), text("Done.")]);
    world
}

fn accept() -> Door {
    Door { place: Place::Thread(thread()), args: words("thread accept @latest --yes"), file: "src/notes.txt", line: 2 }
}

fn push() -> Door {
    let world = thread();
    world.git_in(".", &["init", "-q", "--bare", "remote.git"]);
    world.git(&["remote", "add", "origin", "../remote.git"]);
    Door {
        place: Place::Thread(world),
        args: words("thread push origin @latest --yes"),
        file: "src/notes.txt",
        line: 2,
    }
}

/// What a thread's base brings along; a ref here says that the remote has it.
fn push_of_the_base() -> Door {
    let world = World::new();
    world.directive(FILES, r#"turns="5""#, "");
    world.write("notes.txt", &content());
    world.commit("items");
    world.run(&[text("Done.")]);
    world.git_in(".", &["init", "-q", "--bare", "remote.git"]);
    world.git(&["remote", "add", "origin", "../remote.git"]);
    world.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    let args = words("thread push origin @latest --yes");
    Door { place: Place::Thread(world), args, file: "notes.txt", line: 2 }
}

fn publish() -> Door {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    sandbox.rye(&["registry", "init", "../team.git", "-q"]).succeeds();
    sandbox.rye(&["registry", "add", "team", "../team.git", "-q"]).succeeds();
    let header = "```yaml\nname: \"notes\"\ntitle: \"About notes\"\ncategory: \"team\"\nversion: \"1.0.0\"\n```\n\n# About notes\n\n";
    sandbox.put(".ai/knowledge/team/notes.md", &format!("{header}{}", content()));
    sandbox.rye(&["sign", "knowledge", "team/notes", "-q"]).succeeds();
    let place = Place::Project(sandbox);
    Door { place, args: words("publish knowledge team/notes --yes"), file: "notes.md", line: 0 }
}

/// A door by name, and what makes it.
type Named = (&'static str, fn() -> Door);

const DOORS: [Named; 6] = [
    ("commit", commit),
    ("commit of a path", commit_of_a_path),
    ("accept", accept),
    ("push", push),
    ("push of the base", push_of_the_base),
    ("publish", publish),
];

fn named(error: &Value) -> Vec<String> {
    let secrets = error["error"]["secrets"].as_array().cloned().unwrap_or_default();
    secrets
        .iter()
        .map(|leak| format!("{}:{}:{}", leak["path"].as_str().unwrap(), leak["line"], leak["column"]))
        .collect()
}

#[test]
fn no_secret_goes_out_unseen() {
    for (name, door) in DOORS {
        let door = door();
        let (code, said, error) = door.run(&[]);
        assert_eq!((code, &error["error"]["code"]), (3, &Value::from("secret-found")), "{name}: {said}");
        assert!(tokens().iter().all(|token| !said.contains(token.as_str())), "{name}: {said}");
        let names = named(&error);
        assert_eq!(names.len(), 2, "{name}: {said}");
        let secrets = &error["error"]["secrets"];
        assert!(names[0].contains(door.file), "{name}: {names:?}");
        assert!(door.line == 0 || secrets[0]["line"] == door.line, "{name}: {names:?}");
        assert_eq!([&secrets[0]["kind"], &secrets[1]["kind"]], ["github token", "gitlab token"], "{name}");
        // A flag lets one secret through, and no other.
        for given in [&names[0][..], &names[1], door.file, "*", "."] {
            let (code, said, error) = door.run(&["--allow-secret", given]);
            let expected: Vec<&String> = names.iter().filter(|name| *name != given).collect();
            assert_eq!((code, named(&error).iter().collect::<Vec<_>>()), (3, expected), "{name}: {given}: {said}");
        }
        let (code, said, _) = door.run(&["--allow-secret", &names[0], "--allow-secret", &names[1]]);
        assert_eq!(code, 0, "{name}: {said}");
        assert!(tokens().iter().all(|token| !said.contains(token.as_str())), "{name}: {said}");
    }
}

#[test]
fn a_test_secret_is_let_out_by_the_person_s_own_file_alone() {
    for (name, door) in DOORS {
        let door = door();
        let digests = tokens().map(|token| format!("\"{}\"", ContentHash::of(token.as_bytes())));
        let key = format!("[outgoing]\ntest_secrets = [{}]\n", digests.join(", "));
        // What is under review allows nothing, and neither does the command line.
        put(&door.project().join(".ai/config.toml"), &key);
        assert_eq!(door.run(&[]).0, 3, "{name}");
        fs::remove_file(door.project().join(".ai/config.toml")).unwrap();
        let given = format!("outgoing.test_secrets=[{}]", digests.join(", "));
        let (code, said, _) = door.run(&["--config", &given]);
        assert_ne!(code, 0, "{name}: {said}");
        put(&door.config(), &format!("[outgoing]\ntest_secrets = [{}]\n", digests[0]));
        assert_eq!((door.run(&[]).0, named(&door.run(&[]).2).len()), (3, 1), "{name}");
        put(&door.config(), &key);
        let (code, said, _) = door.run(&[]);
        assert_eq!(code, 0, "{name}: {said}");
    }
}

#[test]
fn a_name_that_no_secret_has_is_refused() {
    let sandbox = Sandbox::signed();
    sandbox.put("notes.txt", "title: notes\n");
    sandbox.git(&["add", "notes.txt"]);
    let door =
        Door { place: Place::Project(sandbox), args: words("commit --yes -m notes"), file: "notes.txt", line: 2 };
    let (code, said, error) = door.run(&["--allow-secret", "notes.txt:1:1"]);
    assert_eq!((code, &error["error"]["code"]), (2, &Value::from("no-such-secret")), "{said}");
    assert_eq!(door.run(&[]).0, 0);
}

/// A push by git itself, of a commit that another command made.
#[test]
fn the_hook_lets_no_secret_be_pushed() {
    let sandbox = Sandbox::signed();
    sandbox.git(&["init", "-q", "--bare", "../remote.git"]);
    sandbox.git(&["remote", "add", "origin", "../remote.git"]);
    sandbox.rye(&["hook", "install", "-q"]).succeeds();
    sandbox.git(&["push", "-q", "origin", "HEAD:refs/heads/main"]);
    sandbox.put("notes.txt", &content());
    sandbox.git(&["add", "notes.txt"]);
    sandbox.git(&["commit", "-q", "--no-verify", "-m", "notes"]);
    sandbox.git(&["rm", "-q", "notes.txt"]);
    sandbox.git(&["commit", "-q", "--no-verify", "-m", "no notes"]);
    let (code, said) = sandbox.try_git(&["push", "-q", "origin", "HEAD:refs/heads/main"]);
    assert!(code != 0 && said.contains("`notes.txt:2:8` (github token)"), "{said}");
    assert!(tokens().iter().all(|token| !said.contains(token.as_str())), "{said}");
}

/// A name goes out as a content does: of a file, a folder, a submodule, a branch or a tag; and so does what a tag or a commit says.
#[test]
fn no_secret_in_a_name_is_pushed() {
    let [first, _] = tokens();
    let tree = |sandbox: &Sandbox, path: &str| {
        sandbox.put(path, "fine\n");
        sandbox.git(&["add", "-A"]);
        sandbox.git(&["commit", "-q", "--no-verify", "-m", "more"]);
    };
    let person = |sandbox: &Sandbox, name: &str| {
        let author = format!("--author={name} <a@example.org>");
        sandbox.git(&["commit", "-q", "--no-verify", "--allow-empty", &author, "-m", "more"]);
    };
    type Way<'a> = (&'a str, Box<dyn Fn(&Sandbox) -> String + 'a>);
    let main = || "HEAD:refs/heads/main".to_owned();
    let ways: [Way<'_>; 8] = [
        ("file", Box::new(|it| (tree(it, &format!("notes/{first}.txt")), main()).1)),
        ("folder", Box::new(|it| (tree(it, &format!("{first}/a.txt")), main()).1)),
        // A new name of a content that the remote has.
        (
            "moved file",
            Box::new(|it| {
                it.git(&["mv", "README.md", &format!("{first}.md")]);
                it.git(&["commit", "-q", "--no-verify", "-m", "more"]);
                main()
            }),
        ),
        (
            "submodule",
            Box::new(|it| {
                let head = it.git(&["rev-parse", "HEAD"]);
                it.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},{first}", head.trim())]);
                it.git(&["commit", "-q", "--no-verify", "-m", "more"]);
                main()
            }),
        ),
        ("branch", Box::new(|_| format!("HEAD:refs/heads/{first}"))),
        (
            "tag",
            Box::new(|it| {
                it.git(&["tag", &first]);
                first.clone()
            }),
        ),
        (
            "message of a tag",
            Box::new(|it| {
                it.git(&["tag", "-a", "-m", &format!("see {first}"), "v1"]);
                it.git(&["tag", "-a", "-m", "fine", "v2", "v1"]);
                "v2".to_owned()
            }),
        ),
        ("author", Box::new(|it| (person(it, &first), main()).1)),
    ];
    for (name, way) in ways {
        let sandbox = Sandbox::signed();
        sandbox.put("README.md", "# hello\n");
        sandbox.git(&["add", "README.md"]);
        sandbox.git(&["commit", "-q", "--no-verify", "-m", "hello"]);
        sandbox.git(&["init", "-q", "--bare", "../remote.git"]);
        sandbox.git(&["remote", "add", "origin", "../remote.git"]);
        sandbox.rye(&["hook", "install", "-q"]).succeeds();
        sandbox.git(&["push", "-q", "origin", "HEAD:refs/heads/main"]);
        let pushed = way(&sandbox);
        let (code, said) = sandbox.try_git(&["push", "-q", "origin", &pushed]);
        assert!(code != 0 && said.contains("1 secret would go out"), "{name}: {said}");
        assert!(said.contains("github token"), "{name}: {said}");
        assert!(name == "branch" || name == "tag" || !said.contains(&first), "{name}: {said}");
        // What is there already is no news.
        sandbox.git(&["push", "-q", "--no-verify", "origin", &pushed]);
        if pushed == main() {
            sandbox.put("other.txt", "other\n");
            sandbox.git(&["add", "other.txt"]);
            sandbox.git(&["commit", "-q", "--no-verify", "-m", "other"]);
            sandbox.git(&["push", "-q", "origin", &pushed]);
            sandbox.git(&["push", "-q", "origin", "HEAD:refs/heads/new"]);
        }
    }
}

/// Git's own `commit` finds a token as early as `rye commit` does, in the index that it commits.
#[test]
fn the_hook_lets_no_secret_be_committed() {
    let sandbox = Sandbox::signed();
    sandbox.rye(&["hook", "install", "-q"]).succeeds();
    sandbox.put("notes.txt", "title: notes\n");
    sandbox.put("other.txt", "other\n");
    sandbox.git(&["add", "notes.txt", "other.txt"]);
    sandbox.git(&["commit", "-q", "-m", "fine"]);
    sandbox.put("notes.txt", &content());
    for args in [&["commit", "-qam", "all"][..], &["commit", "-qm", "one", "notes.txt"], &["commit", "-qm", "staged"]] {
        if args.contains(&"staged") {
            sandbox.git(&["add", "notes.txt"]);
            sandbox.put("notes.txt", "title: notes\n");
        }
        let (code, said) = sandbox.try_git(args);
        assert!(code != 0 && said.contains("`notes.txt:2:8` (github token)"), "{args:?}: {said}");
        assert!(tokens().iter().all(|token| !said.contains(token.as_str())), "{args:?}: {said}");
    }
    // What is not part of the commit is not looked at, and what a flag lets through passes the hook, too.
    sandbox.put("other.txt", "others\n");
    sandbox.git(&["commit", "-qm", "other", "other.txt"]);
    let allow = ["--allow-secret", "notes.txt:2:8", "--allow-secret", "notes.txt:3:9"];
    sandbox.rye(&[&["commit", "--yes", "-qm", "notes"][..], &allow].concat()).succeeds();
    assert_eq!(sandbox.git(&["show", "HEAD:notes.txt"]), content());
}

/// A file that cannot be looked at is not committed.
#[test]
fn a_named_file_that_cannot_be_looked_at_is_refused() {
    let sandbox = Sandbox::signed();
    sandbox.put("notes/a.txt", "title: notes\n");
    sandbox.git(&["add", "notes/a.txt"]);
    sandbox.commit("notes");
    fs::remove_dir_all(sandbox.project().join("notes")).unwrap();
    std::os::unix::fs::symlink("notes", sandbox.project().join("notes")).unwrap();
    let door = Door {
        place: Place::Project(sandbox),
        args: words("commit --yes -m more notes/a.txt"),
        file: "notes/a.txt",
        line: 1,
    };
    let (code, said, _) = door.run(&[]);
    assert!(code != 0 && said.contains("notes/a.txt"), "{code} {said}");
}

/// A large file is looked at to its end by each command.
#[test]
fn the_end_of_a_large_file_is_looked_at() {
    let sandbox = Sandbox::signed();
    let filler = "0123456789abcde\n".repeat((17 << 20) / 16);
    sandbox.put("large.txt", &filler);
    sandbox.git(&["add", "large.txt"]);
    sandbox.commit("large");
    sandbox.put("large.txt", &format!("{filler}{}", content()));
    for more in [&[][..], &["large.txt"]] {
        sandbox.git(&["add", "large.txt"]);
        let said = sandbox.rye(&[&["commit", "--yes", "-m", "more"][..], more].concat()).transcript();
        assert!(said.contains("`large.txt:1114114:8` (github token)"), "{said}");
    }
}
