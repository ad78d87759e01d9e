//! The sandbox of child processes: what tries to leave it, and what works in it as before.

mod calls;
mod escapes;
mod projects;
mod way_out;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use rye::process::{CancelFlag, ChildOutput, ChildSpec, Limits, Profile, Sandbox, find_program, installation, run};

const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// What holds a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// The sandbox as this system has it; with mounts, if it lets them be made.
    AsEverywhere,
    /// The sandbox of a system that forbids mounts.
    ByCalls,
    /// Nothing.
    Free,
}

pub(super) const HELD: [Held; 2] = [Held::AsEverywhere, Held::ByCalls];

/// A folder that a child is given, and others next to it that it is not.
pub(super) struct Cell {
    folder: tempfile::TempDir,
}

impl Cell {
    pub(super) fn new() -> Self {
        let folder = crate::support::users::folder();
        for name in ["own", "read", "outside"] {
            fs::create_dir(folder.path().join(name)).unwrap();
            fs::write(folder.path().join(name).join("file"), name).unwrap();
        }
        Self { folder }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a program with its text on stdin, in the folder of its own.
    pub(super) fn run(&self, program: &Path, args: &[&str], stdin: &str, held: Held) -> ChildOutput {
        let rye = Path::new(crate::support::RYE);
        run(&self.spec(program, args, stdin, held), Some(rye), &CancelFlag::new()).unwrap()
    }

    pub(super) fn spec(&self, program: &Path, args: &[&str], stdin: &str, held: Held) -> ChildSpec {
        let rye = PathBuf::from(crate::support::RYE);
        let (read, own) = (self.path("read"), self.path("own"));
        let reads = vec![read.clone(), installation(program), rye.clone()];
        let sandbox = Sandbox { reads, writes: vec![own.clone()], ..Sandbox::of(Profile::Script) };
        let mut args: Vec<OsString> = args.iter().map(OsString::from).collect();
        let mut target = program.to_owned();
        if held == Held::ByCalls {
            // A sandbox forbids name spaces, so a nested one does without.
            let paths = [("read", &read), ("read", &installation(program)), ("write", &own)];
            let paths = paths.map(|(flag, path)| format!("--{flag}={}", path.display()));
            let inner = ["__confine", "--sandbox=script"].into_iter().map(str::to_owned).chain(paths);
            let inner = inner.chain(["--".to_owned(), target.display().to_string()]).map(OsString::from);
            args = inner.chain(args).collect();
            target = rye.clone();
        }
        let env = [("PATH", PATH.to_owned()), ("HOME", self.path("own").display().to_string())];
        let env: BTreeMap<String, String> = env.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        ChildSpec {
            program: target,
            args,
            stdin: stdin.into(),
            env,
            target_env: BTreeMap::new(),
            current_dir: self.path("own"),
            limits: Limits::default(),
            sandbox: (held != Held::Free).then_some(sandbox),
        }
    }

    /// Runs a program with its text on stdin, in Python.
    pub(super) fn python(&self, program: &str, stdin: &str, held: Held) -> ChildOutput {
        self.run(&find_program("python3", PATH, &[]).unwrap(), &["-c", program], stdin, held)
    }

    pub(super) fn shell(&self, script: &str, held: Held) -> ChildOutput {
        self.run(&find_program("sh", PATH, &[]).unwrap(), &["-s"], script, held)
    }
}

pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn what_it_is_given_works_as_before() {
    let cell = Cell::new();
    let script = "set -e
        cat ../read/file
        echo new >made; mv made moved; cp moved copy; ln moved hard; ln -s moved soft; cat soft
        mkdir -p deep/er; echo x >deep/er/x; rm -r deep
        touch copy
        echo gone >/dev/null
        echo to | cat /dev/stdin
        (sleep 0.01 & wait)
        test -x /bin/sh && ls / >/dev/null 2>&1 || true
        head -c 4 /dev/urandom | wc -c
        sh -c 'echo child'";
    for held in HELD.into_iter().chain([Held::Free]) {
        drop(fs::remove_file(cell.path("own/soft")));
        drop(fs::remove_file(cell.path("own/hard")));
        let output = cell.shell(script, held);
        let seen = (output.exit_code, text(&output.stdout), text(&output.stderr));
        assert_eq!(seen, (Some(0), "readnew\nto\n4\nchild\n".to_owned(), String::new()), "{held:?}");
    }
}

/// A name space of users that can be made and not be used (here, as it needs a capability that was taken away) is not
/// entered: the user in it is `nobody`.
#[test]
fn a_tool_stays_who_it_is_where_no_name_space_can_be_used() {
    if !crate::support::has("setpriv") {
        return;
    }
    let mut command = std::process::Command::new("setpriv");
    command.args(["--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", crate::support::RYE, "__confine"]);
    command.args([format!("--keep={}", std::process::id()), "--processes=40".to_owned()]);
    let output = command.args(["--sandbox=script", "--", "/usr/bin/id", "-u"]).output().unwrap();
    let own = std::process::Command::new("id").arg("-u").output().unwrap();
    assert_eq!(text(&output.stdout), text(&own.stdout), "{}", text(&output.stderr));
}

#[test]
fn interpreters_start_in_it() {
    let cell = Cell::new();
    for (name, program) in [
        (
            "python3",
            "import json, os, subprocess, tempfile\nprint(json.dumps(subprocess.check_output(['echo', 'hi']).decode()))\nwith tempfile.TemporaryDirectory() as d: open(d + '/x', 'w').write('x')\n",
        ),
        (
            "node",
            "require('fs').writeFileSync('n', 'x'); new WebAssembly.Memory({initial: 1}); console.log(JSON.stringify(require('child_process').execSync('echo hi').toString()))",
        ),
        ("bash", "printf '\"%s\\\\n\"\\n' \"$(echo hi)\""),
        ("perl", "print qq(\"hi\\\\n\"\\n)"),
    ] {
        let Ok(found) = find_program(name, PATH, &[]) else { continue };
        let output = cell.run(&found, &["-"], program, Held::AsEverywhere);
        assert_eq!(
            (output.exit_code, text(&output.stdout)),
            (Some(0), "\"hi\\n\"\n".to_owned()),
            "{name}: {}",
            text(&output.stderr)
        );
    }
}

#[test]
fn modes_and_times_of_its_own_files_are_its_own_where_mounts_keep_the_rest() {
    let cell = Cell::new();
    let script =
        "chmod 755 file && touch -d @1 file && cp -p file copy && stat -c '%a %Y' copy && mkdir d && mv file d/";
    let output = cell.shell(script, Held::AsEverywhere);
    assert_eq!((output.exit_code, text(&output.stdout)), (Some(0), "755 1\n".to_owned()), "{}", text(&output.stderr));
    let output = cell.shell("chmod 700 copy", Held::ByCalls);
    assert!(output.exit_code == Some(1) && text(&output.stderr).contains("not permitted"), "{}", text(&output.stderr));
}
