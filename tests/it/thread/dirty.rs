//! Whatever state a person's tree is in, no thread changes it: random states, and tools that do what they like.

use serde_json::{Value, json};

use super::world::{World, call, calls, text};

/// A little generator of its own: the same cases on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

/// Tracked files, and names that are not files.
const PATHS: [&str; 8] = [
    "README.md",
    "src/a.txt",
    "src/b.txt",
    "src/deep/c.txt",
    "new.txt",
    "src/new.txt",
    "target/ignored.txt",
    "module/x",
];

/// Brings the person's tree into a random state, step by step.
fn mess_up(world: &World, random: &mut Random) -> Vec<String> {
    (0..1 + random.below(6))
        .map(|step| {
            let path = random.one(&PATHS);
            let what = random.one(&["write", "write", "stage", "remove", "git-rm", "rename", "mode", "link"]);
            let there = world.in_project(path);
            match what {
                "write" => world.write(path, &format!("mine {step}\n")),
                "stage" => {
                    world.write(path, &format!("staged {step}\n"));
                    drop(world.try_git_in(world.project, &["add", path]));
                }
                "remove" => drop(std::fs::remove_file(&there)),
                "git-rm" => drop(world.try_git_in(world.project, &["rm", "-q", "--cached", path])),
                "rename" => drop(world.try_git_in(world.project, &["mv", path, "moved.txt"])),
                "mode" => {
                    drop(std::fs::set_permissions(&there, std::os::unix::fs::PermissionsExt::from_mode(0o755)));
                }
                _ => {
                    drop(std::fs::remove_file(&there));
                    drop(std::os::unix::fs::symlink("README.md", &there));
                }
            }
            format!("{what} {path}")
        })
        .collect()
}

/// What the tools of a thread do, in a random order.
fn turns(random: &mut Random) -> Vec<Value> {
    let turn = |random: &mut Random| match random.below(4) {
        0 => call("demo_wild", json!({})),
        1 => call("demo_away", json!({})),
        _ => {
            let write = |random: &mut Random| {
                let path = random.one(&PATHS);
                ("rye_file_system_write", json!({"path": path, "content": format!("thread {}\n", random.below(99))}))
            };
            let writes = [write(random), write(random)];
            calls(&writes)
        }
    };
    let mut turns: Vec<Value> = (0..1 + random.below(4)).map(|_| turn(random)).collect();
    turns.push(text("Done."));
    turns
}

/// The world compares all files, the index, `HEAD` and the branches before and after every run.
#[test]
fn no_thread_changes_its_person_s_tree_in_whatever_state_it_is() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for case in 0..24 {
        let world = World::new();
        world.write("src/b.txt", "b\n");
        world.write("src/deep/c.txt", "c\n");
        world.git_in(".", &["init", "-q", "-b", "main", "other"]);
        world.write_at(&world.path("other/x"), "x\n");
        world.git_in("other", &["add", "x"]);
        world.git_in("other", &["-c", "user.name=o", "-c", "user.email=o@o", "commit", "-q", "-m", "o"]);
        world.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", "../other", "module"]);
        world.tool(
            "demo/wild",
            "for f in README.md src/a.txt new.txt target/t; do mkdir -p $(dirname $f); date > $f; done",
        );
        world.tool("demo/away", "rm -rf src README.md; git init -q nested 2>/dev/null; ln -s /etc away; true");
        let permissions = "<execute><tool>rye.file-system.*</tool><tool>demo.*</tool></execute>";
        world.directive(permissions, r#"turns="9""#, "");
        world.commit("items");
        let steps = mess_up(&world, &mut random);
        let outcome = world.run(&turns(&mut random));
        assert!(outcome.turns > 0, "case {case}: {steps:?}");
        assert_eq!(world.trees(), Vec::<String>::new());
    }
}

#[test]
fn many_threads_at_once_hold_their_own_files_each_while_git_packs() {
    let world = World::new();
    let permissions = "<execute><tool>rye.file-system.*</tool></execute>";
    world.directive(permissions, r#"turns="9""#, "");
    world.commit("items");
    let before = (world.untouched(), world.persons_files());
    let mut running = Vec::new();
    for number in 0..16 {
        let path = world.path(&format!("script-{number}.jsonl"));
        let write = |path: &str| json!({"path": path, "content": format!("of {number}\n")});
        let lines = [
            call("rye_file_system_write", write("src/a.txt")),
            call("rye_file_system_write", write(&format!("own/{number}.txt"))),
            call("rye_file_system_read", json!({"path": "src/a.txt"})),
            text("Done."),
        ];
        world.write_at(&path, &lines.map(|line| format!("{line}\n")).concat());
        let script = path.display().to_string();
        let args = ["thread", "run", "demo/work", "--provider", super::world::SCRIPTED, "--script", &script, "--json"];
        let piped = std::process::Stdio::piped;
        running.push(world.rye(&args).stdout(piped()).stderr(piped()).spawn().unwrap());
        if number % 4 == 0 {
            drop(world.try_git_in(world.project, &["gc", "--quiet"]));
        }
    }
    for (number, rye) in running.into_iter().enumerate() {
        let output = rye.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let outcome = world.shown(&serde_json::from_slice(&output.stdout).unwrap());
        let own = format!("of {number}\n");
        assert_eq!(world.in_thread(&outcome, "src/a.txt").as_ref(), Some(&own));
        let listed = world.git(&["ls-tree", "--name-only", &format!("{}:own", outcome.branch)]);
        assert_eq!(listed, format!("{number}.txt"));
        let read = super::world::result_in_turn(&world.events(&outcome), 3);
        assert_eq!(read["output"]["content"], json!(own));
    }
    assert_eq!((world.untouched(), world.persons_files()), before);
    assert_eq!(world.trees(), Vec::<String>::new());
}
