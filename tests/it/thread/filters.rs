//! Git's line endings, encodings, `$Id$` and filters: a thread commits what git would store.

use std::collections::BTreeMap;

use rye::event::Event;
use rye::process::CancelFlag;
use rye::session::Session;
use rye::thread::{self, Outcome, RunOptions};
use serde_json::{Value, json};

use super::world::{Seen, World, call, text};

/// A repository whose files are converted, and what a tool does there.
pub(super) struct Case {
    pub(super) name: &'static str,
    /// Settings of the repository.
    pub(super) config: &'static [(&'static str, &'static str)],
    pub(super) attributes: &'static str,
    /// The first committed content, as the work tree has it.
    pub(super) files: &'static [(&'static str, &'static [u8])],
    /// What changes it.
    pub(super) script: &'static str,
}

/// Changes `a.txt`, makes `b.txt`, and only touches `c.txt`.
const LINES: &str = "printf 'one\\r\\ntwo\\r\\n' > a.txt; printf 'new\\r\\n' > b.txt; touch c.txt";

pub(super) const CASES: [Case; 13] = [
    Case {
        name: "eol=crlf",
        config: &[],
        attributes: "*.txt text eol=crlf\n",
        files: &[("a.txt", b"one\r\n"), ("c.txt", b"c\r\n")],
        script: LINES,
    },
    Case {
        name: "line ends alone",
        config: &[],
        attributes: "*.txt text eol=crlf\n",
        files: &[("a.txt", b"one\r\n"), ("c.txt", b"c\r\n")],
        script: "printf 'one\\n' > a.txt; printf 'c\\r\\n' > c.txt; chmod +x c.txt",
    },
    Case {
        name: "autocrlf=true",
        config: &[("core.autocrlf", "true")],
        attributes: "*.bin -text\n",
        files: &[("a.txt", b"one\n"), ("c.txt", b"c\r\n"), ("d.bin", b"d\r\n")],
        script: "printf 'one\\r\\ntwo\\r\\n' > a.txt; printf 'x\\r\\n' > d.bin; touch c.txt; printf '\\0\\r\\n' > e.dat",
    },
    Case {
        name: "autocrlf=input",
        config: &[("core.autocrlf", "input")],
        attributes: "*.bin -text\n",
        files: &[("a.txt", b"one\n"), ("c.txt", b"c\n")],
        script: LINES,
    },
    Case {
        name: "text=auto",
        config: &[],
        attributes: "* text=auto\n*.sh text eol=lf\n",
        files: &[("a.txt", b"one\n"), ("c.txt", b"c\n"), ("d.sh", b"d\n")],
        script: "printf 'one\\r\\n\\0' > a.txt; printf 'new\\r\\n' > b.txt; touch c.txt; printf 'd\\r\\n' > d.sh",
    },
    Case {
        name: "attributes of a folder, and of its file",
        config: &[],
        attributes: "*.txt text eol=lf\nin/x.txt -text\n",
        files: &[("in/.gitattributes", b"y.txt -text\n"), ("in/x.txt", b"x\n"), ("in/y.txt", b"y\n")],
        script: "for f in x y z; do printf 'new\\r\\n' > in/$f.txt; done",
    },
    Case {
        name: "crlf of old",
        config: &[],
        attributes: "*.txt crlf=input\n*.bin -crlf\n",
        files: &[("a.txt", b"one\n"), ("c.txt", b"c\n"), ("d.bin", b"d\r\n")],
        script: "printf 'one\\r\\n' > a.txt; printf 'new\\r\\n' > b.txt; touch c.txt; printf 'new\\r\\n' > d.bin",
    },
    Case {
        name: "ident",
        config: &[],
        attributes: "*.txt ident\n",
        files: &[("a.txt", b"$Id$\n"), ("c.txt", b"$Id$\n")],
        script: "echo more >> a.txt; printf '$Id: mine $ $Id$\\n' > b.txt; touch c.txt",
    },
    Case {
        name: "UTF-16LE-BOM",
        config: &[],
        attributes: "/*.txt working-tree-encoding=UTF-16LE-BOM\n",
        files: &[("a.txt", b"\xff\xfea\0\n\0"), ("c.txt", b"\xff\xfec\0\n\0")],
        script: "printf 'b\\0\\n\\0' >> a.txt; printf '\\377\\376b\\0' > b.txt; touch c.txt; : > d.txt",
    },
    Case {
        name: "UTF-16 with CRLF",
        config: &[],
        attributes: "/*.txt text working-tree-encoding=UTF-16 eol=crlf\n",
        files: &[("a.txt", b"\xff\xfea\0\r\0\n\0"), ("c.txt", b"\xff\xfec\0\r\0\n\0")],
        script: "printf 'b\\0\\r\\0\\n\\0' >> a.txt; printf '\\376\\377\\0b' > b.txt; touch c.txt",
    },
    Case {
        name: "other encodings",
        config: &[],
        attributes: "*.txt working-tree-encoding=ISO-8859-1\n*.jp working-tree-encoding=SHIFT-JIS\n",
        files: &[("a.txt", b"gr\xfcn \x80\n"), ("c.txt", b"\xe4\n"), ("d.jp", b"\x83\x5c\n")],
        script: "printf '\\344\\n' >> a.txt; touch c.txt; printf '\\203\\134' >> d.jp",
    },
    Case {
        name: "a driver",
        config: &[
            ("filter.words.clean", "sed s/tree/git/"),
            ("filter.words.smudge", "sed s/git/tree/"),
            ("filter.words.required", "true"),
        ],
        attributes: "*.txt filter=words text eol=crlf\n*.off filter=unknown\n",
        files: &[("a.txt", b"in tree\r\n"), ("c.txt", b"tree\r\n"), ("d.off", b"tree\n")],
        script: "printf 'tree again\\r\\n' >> a.txt; printf \"tree\" > \"b'b.txt\"; touch c.txt; echo tree > d.off",
    },
    Case {
        name: "a driver that cleans by name",
        config: &[("filter.name.clean", "cat; echo %f"), ("filter.name.smudge", "sed '$d'")],
        attributes: "*.txt filter=name\n",
        files: &[("a.txt", b"a\n"), ("c.txt", b"c\n")],
        script: "echo more >> a.txt; echo b > \"b 'b.txt\"; touch c.txt",
    },
];

/// Makes the repository of a case, with a tool that does what its script says.
pub(super) fn world(case: &Case) -> World {
    let world = World::new();
    for (name, value) in case.config {
        world.git(&["config", name, value]);
    }
    world.write(".gitattributes", &format!("{}/.ai/** -text -filter -ident -working-tree-encoding\n", case.attributes));
    for (path, bytes) in case.files {
        std::fs::create_dir_all(world.in_project(path).parent().unwrap()).unwrap();
        std::fs::write(world.in_project(path), bytes).unwrap();
    }
    world.tool("demo/edit", case.script);
    world.directive("<execute><tool>demo.*</tool></execute>", r#"turns="9""#, "");
    // Git looks again at a committed file whose attributes changed only when it was written in the second of the index.
    world.git(&["add", "--renormalize", "."]);
    world.commit("items");
    world
}

/// What a tree has, but for the records of threads.
pub(super) fn entries(world: &World, folder: &str, tree: &str) -> BTreeMap<String, String> {
    let listed = world.git_in(folder, &["-c", "core.quotePath=false", "ls-tree", "-r", "--full-tree", tree]);
    let entries = listed.lines().map(|line| line.split_once('\t').unwrap());
    let entries = entries.filter(|(_, path)| !path.starts_with(".ai/threads/"));
    entries.map(|(entry, path)| (path.to_owned(), entry.to_owned())).collect()
}

/// The paths a log says were left out, with their reasons.
fn skipped(world: &World, outcome: &Outcome) -> Vec<Value> {
    let events = world.events(outcome).into_iter().map(|event| serde_json::to_value(event).unwrap());
    events.filter(|event| event["type"] == "paths_skipped").map(|event| event["data"]["paths"].clone()).collect()
}

#[test]
fn a_thread_commits_what_git_add_would_store() {
    for case in CASES {
        let world = world(&case);
        let outcome = world.run(&[call("demo_edit", json!({})), text("Done.")]);
        assert_eq!(skipped(&world, &outcome), Vec::<Value>::new(), "{}", case.name);
        world.git(&["worktree", "add", "-q", "--detach", "../copy"]);
        let edited =
            std::process::Command::new("sh").args(["-c", case.script]).current_dir(world.path("copy")).status();
        assert!(edited.unwrap().success(), "{}", case.name);
        world.git_in("copy", &["add", "-A"]);
        let expected = entries(&world, "copy", world.git_in("copy", &["write-tree"]).trim());
        let before = entries(&world, "copy", "HEAD");
        assert_ne!(before, expected, "{}", case.name);
        assert_eq!(entries(&world, world.project, &outcome.branch), expected, "{}", case.name);
    }
}

/// Staged, unstaged, ignored, moved, removed, and attributes that are not committed either.
#[test]
fn with_changes_a_thread_begins_with_what_git_add_would_store() {
    for case in CASES {
        let world = world(&case);
        world.write("src/gone.txt", "gone\n");
        world.write("src/moved.txt", "moved\n");
        world.write("src/back.txt", "back\n");
        world.commit("more");
        let script = format!(
            "{}; git mv src/moved.txt src/there.txt; git rm -q src/gone.txt; rm README.md; printf '*.new text\\n' > src/.gitattributes;
             printf 'x\\r\\n' > src/x.new; mkdir target; echo staged > target/staged.md; git add -f target/staged.md;
             echo more >> target/staged.md; echo ignored > target/ignored.md; echo other > src/back.txt; git add src/back.txt;
             echo back > src/back.txt; printf 'y\\r\\n' > y.md; git add y.md",
            case.script
        );
        let edit = || {
            let mut sh = std::process::Command::new("sh");
            sh.args(["-ec", &script]).current_dir(world.in_project("")).env_clear().envs(world.variables());
            assert!(sh.status().unwrap().success(), "{}", case.name);
        };
        edit();
        let turns = [text("Done.")];
        let outcome = world.try_run(&RunOptions { with_changes: true, ..world.options(&turns) }).unwrap();
        let copied =
            std::process::Command::new("cp").args(["-a", "project", "copy"]).current_dir(world.path("")).status();
        assert!(copied.unwrap().success());
        world.git_in("copy", &["add", "-A"]);
        let expected = entries(&world, "copy", world.git_in("copy", &["write-tree"]).trim());
        assert_eq!(entries(&world, world.project, &outcome.branch), expected, "{}", case.name);
        assert_eq!(skipped(&world, &outcome), Vec::<Value>::new(), "{}", case.name);
        let before = entries(&world, world.project, "HEAD");
        let changed: Vec<&String> = expected
            .keys()
            .chain(before.keys().filter(|path| !expected.contains_key(*path)))
            .filter(|path| before.get(*path) != expected.get(*path))
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect();
        let taken = serde_json::to_value(&world.events(&outcome)[1].what).unwrap();
        assert_eq!(taken["data"]["paths"], json!(changed), "{}", case.name);
    }
}

/// `git status` sees nothing afterwards, and the files are those of a checkout.
#[test]
fn what_is_accepted_lies_in_the_work_tree_as_git_writes_it() {
    for case in CASES {
        let world = world(&case);
        let outcome = world.run(&[call("demo_edit", json!({})), text("Done.")]);
        let (code, accepted) = world.rye_json(&["thread", "accept", "@latest", "--yes"]);
        assert_eq!(code, 0, "{}: {accepted}", case.name);
        assert_eq!(world.git(&["status", "--porcelain"]), "", "{}", case.name);
        let committed = entries(&world, world.project, "HEAD");
        assert_eq!(committed, entries(&world, world.project, &outcome.branch), "{}", case.name);
        let before = entries(&world, world.project, "HEAD^");
        world.git(&["worktree", "add", "-q", "--detach", "../copy"]);
        for (path, _) in committed.iter().filter(|(path, entry)| before.get(*path) != Some(entry)) {
            let read = |folder: &str| std::fs::read(world.path(folder).join(path)).unwrap();
            assert_eq!(read("project"), read("copy"), "{}: {path}", case.name);
        }
    }
}

/// The person's uncommitted file is compared by what git stores of it: it is the very one the thread began with.
#[test]
fn what_a_thread_began_with_is_accepted_whatever_git_makes_of_it() {
    for case in CASES {
        let world = world(&case);
        let (path, bytes) = case.files[0];
        let file = world.in_project(path);
        let twice = [bytes, &bytes[if bytes.starts_with(b"\xff\xfe") { 2 } else { 0 }..]].concat();
        std::fs::write(&file, &twice).unwrap();
        let head = world.git(&["rev-parse", "HEAD"]);
        let turns = [call("demo_edit", json!({})), text("Done.")];
        let outcome = world.try_run(&RunOptions { with_changes: true, ..world.options(&turns) }).unwrap();
        let (code, accepted) = world.rye_json(&["thread", "accept", "@latest", "--yes"]);
        assert_eq!(code, 0, "{}: {accepted}", case.name);
        // It changes in the work tree, and is not committed.
        assert_eq!(world.git(&["diff", "--name-only", &head, "HEAD", "--", path]), "", "{}", case.name);
        let stored = world.git(&["hash-object", path]);
        assert_eq!(stored, world.git(&["rev-parse", &format!("{}:{path}", outcome.branch)]), "{}", case.name);
    }
}

/// In its person's own tree, over several calls: its own files are known again, whatever git stores of them.
#[test]
fn in_its_person_s_tree_a_thread_knows_its_own_files_again() {
    for case in CASES {
        let world = world(&case);
        let turns = [call("demo_edit", json!({})), call("demo_edit", json!({})), text("Done.")];
        // A checkout by git is what it works on.
        world.git(&["rm", "-rq", "--cached", "."]);
        world.git(&["reset", "-q", "--hard"]);
        let head = entries(&world, world.project, "HEAD");
        let options = RunOptions { in_place: true, ..world.options(&turns) };
        let session = Session::open(&world.context(&[])).unwrap();
        let mut seen = Seen(Vec::new(), |_: &Event| ());
        let outcome = thread::run(&session, &options, &CancelFlag::new(), &mut seen).unwrap();
        world.check(&outcome);
        assert_eq!(skipped(&world, &outcome), Vec::<Value>::new(), "{}", case.name);
        let copied =
            std::process::Command::new("cp").args(["-a", "project", "copy"]).current_dir(world.path("")).status();
        assert!(copied.unwrap().success());
        world.git_in("copy", &["add", "-A"]);
        let expected = entries(&world, "copy", world.git_in("copy", &["write-tree"]).trim());
        assert_ne!(head, expected, "{}", case.name);
        assert_eq!(entries(&world, world.project, &outcome.branch), expected, "{}", case.name);
    }
}

/// A driver that refuses a file, prints without end, needs a missing program, or is only a long-running process.
#[test]
fn a_file_that_cannot_be_converted_is_left_out_and_named() {
    let world = World::new();
    for (name, value) in [
        ("filter.gone.required", "true"),
        ("filter.fails.clean", "cat; exit 1"),
        ("filter.floods.clean", "yes"),
        ("filter.long.process", "false"),
    ] {
        world.git(&["config", name, value]);
    }
    let attributes = "*.gone filter=gone\n*.fails filter=fails\n*.floods filter=floods\n*.long filter=long\n\
                      *.enc working-tree-encoding=UTF-16\n*.odd working-tree-encoding=UTF-99\n*.free filter=unknown\n";
    world.write(".gitattributes", attributes);
    world.tool("demo/edit", "for e in gone fails floods long enc odd free; do echo x > a.$e; done");
    world.directive("<execute><tool>demo.*</tool></execute>", r#"turns="9""#, "");
    world.commit("items");
    let outcome = world.run(&[call("demo_edit", json!({})), text("Done.")]);
    let left_out = |path: &str| json!({"path": path, "reason": "not_convertible"});
    let expected = ["a.enc", "a.fails", "a.floods", "a.gone", "a.long", "a.odd"].map(left_out);
    assert_eq!(skipped(&world, &outcome), [json!(expected)]);
    assert_eq!(world.changed(&outcome)[1], ["a.free"]);
}

/// Which program runs is for the person to say: their configuration and the attributes that were committed.
#[test]
fn no_tool_chooses_a_filter() {
    let world = World::new();
    let log = world.path("log").display().to_string();
    world.git(&["config", "filter.log.clean", &format!("pwd >> {log}; cat")]);
    world.git(&["config", "filter.log.smudge", &format!("pwd >> {log}; cat")]);
    world.write(".gitattributes", "*.logged filter=log\n");
    world.tool("demo/edit", "echo '* filter=log' > .gitattributes; echo x > a.txt; touch README.md");
    world.tool("demo/logged", "echo x > a.logged");
    world.directive("<execute><tool>demo.*</tool></execute>", r#"turns="9""#, "");
    world.commit("items");
    let outcome = world.run(&[call("demo_edit", json!({})), text("Done.")]);
    assert_eq!(world.changed(&outcome)[1], ["a.txt"]);
    assert!(!world.path("log").exists());
    let outcome = world.run(&[call("demo_logged", json!({})), text("Done.")]);
    assert_eq!(world.changed(&outcome)[1], ["a.logged"]);
    // Where the person would run it, and not where the tool could have laid something out.
    let ran_in = std::fs::read_to_string(world.path("log")).unwrap();
    assert_eq!(ran_in.trim_end(), world.in_project("").display().to_string().trim_end_matches('/'));
}
