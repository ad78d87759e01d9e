//! Small projects run their own tests in the sandbox: languages and tools find all that they need of the kernel.

use std::fs;
use std::path::Path;

use super::{Cell, HELD, Held, text};
use crate::support::has;
use crate::support::users::User;

/// A project: its files, the shell command that tests it, and what that says at last.
struct Sample {
    program: &'static str,
    files: &'static [(&'static str, &'static str)],
    command: &'static str,
    says: &'static str,
}

const PYTHON: Sample = Sample {
    program: "python3",
    files: &[(
        "test_it.py",
        "import concurrent.futures, mmap, multiprocessing, os, selectors, signal, socket, sqlite3, subprocess, tempfile, threading, time, unittest

def double(pipe):
    pipe.send(pipe.recv() * 2)

class Test(unittest.TestCase):
    def test_processes(self):
        self.assertEqual(subprocess.run(['cat'], input=b'x', capture_output=True).stdout, b'x')
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.Process(target=double, args=(theirs,))
        process.start()
        ours.send(21)
        self.assertEqual(ours.recv(), 42)
        process.join()

    def test_threads(self):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            self.assertEqual(sum(pool.map(lambda n: n * n, range(100))), 328350)

    def test_files(self):
        with tempfile.TemporaryFile() as file:
            file.write(b'x' * 5000)
            file.flush()
            with mmap.mmap(file.fileno(), 0) as mapped: self.assertEqual(mapped[4999], 120)
        with mmap.mmap(-1, 4096) as shared: shared.write(b'x')
        base = sqlite3.connect('base')
        base.execute('create table if not exists t (n)')
        base.execute('insert into t values (1)')
        base.commit()

    def test_signals_and_sockets(self):
        caught = []
        signal.signal(signal.SIGUSR1, lambda *_: caught.append(1))
        os.kill(os.getpid(), signal.SIGUSR1)
        time.sleep(0.01)
        self.assertEqual(caught, [1])
        a, b = socket.socketpair()
        with selectors.DefaultSelector() as selector:
            selector.register(b, selectors.EVENT_READ)
            a.sendall(b'x')
            self.assertEqual(len(selector.select(5)), 1)
        socket.send_fds(a, [b'y'], [0])
        self.assertEqual(len(socket.recv_fds(b, 2, 1)[1]), 1)
",
    )],
    command: "python3 -m unittest -q 2>&1 | tail -1",
    says: "OK",
};

const NODE: Sample = Sample {
    program: "node",
    files: &[(
        "it.test.js",
        "const test = require('node:test'), assert = require('node:assert'), fs = require('node:fs')
const { fork, execFileSync } = require('node:child_process'), { Worker } = require('node:worker_threads')
if (process.send) process.once('message', n => process.send(n * 2, () => process.disconnect()))
else {
  test('a process', () => assert.equal(execFileSync('cat', { input: 'x' }).toString(), 'x'))
  test('a process that is told', async () => {
    const child = fork(__filename)
    child.send(21)
    assert.equal(await new Promise(done => child.once('message', done)), 42)
    await new Promise(done => child.once('exit', done))
  })
  test('a worker', async () => {
    const worker = new Worker('require(\"worker_threads\").parentPort.postMessage(7)', { eval: true })
    assert.equal(await new Promise(done => worker.once('message', done)), 7)
  })
  test('files', async () => {
    await fs.promises.writeFile('made', 'x'.repeat(100000))
    assert.equal((await fs.promises.readFile('made')).length, 100000)
    assert.equal(await new Promise(done => fs.createReadStream('made').on('data', () => {}).on('end', () => done(1))), 1)
  })
}
",
    )],
    command: "node --test it.test.js | grep '^# fail'",
    says: "# fail 0",
};

const MAKE: Sample = Sample {
    program: "make",
    files: &[(
        "Makefile",
        "test: a b c\n\t@cat a b c | tr -d '\\n' | grep -qx abc && echo passed\na b c:\n\t@sleep 0.01; echo $@ >$@\n.PHONY: test\n",
    )],
    command: "make --silent -j4 test",
    says: "passed",
};

const GIT: Sample = Sample {
    program: "git",
    files: &[(".gitignore", "/file\n/home\n")],
    command: "set -e
        rm -rf .git; git init -q -b main; git config user.name a; git config user.email a@example.org
        git add --all; git commit -qm one; echo x >x; git add x; git commit -qm two
        git switch -qc other HEAD~1; echo y >y; git add y; git commit -qm three; git merge -q -m four main
        git gc -q; git fsck --no-dangling; git clone -q . copy; git -C copy log --oneline | wc -l; rm -rf copy",
    says: "4",
};

const CARGO: Sample = Sample {
    program: "cargo",
    files: &[
        ("Cargo.toml", "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n"),
        (
            "src/lib.rs",
            "#[test]
fn it_works() {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(std::process::Command::new(\"cat\").arg(\"Cargo.toml\").output().unwrap().stdout));
    assert!(!receiver.recv().unwrap().is_empty());
}
",
        ),
    ],
    command: "cargo test --lib --offline --quiet 2>&1 | grep '^test result'",
    says: "test result: ok. 1 passed",
};

const GO: Sample = Sample {
    program: "go",
    files: &[
        ("go.mod", "module small\n\ngo 1.19\n"),
        (
            "it_test.go",
            "package small

import (
	\"os\"
	\"os/exec\"
	\"os/signal\"
	\"strings\"
	\"sync/atomic\"
	\"syscall\"
	\"testing\"
	\"time\"
)

func TestRoutines(t *testing.T) {
	var sum int64
	done := make(chan bool)
	for n := 0; n < 1000; n++ {
		go func() { time.Sleep(time.Millisecond); atomic.AddInt64(&sum, 1); done <- true }()
	}
	for n := 0; n < 1000; n++ {
		<-done
	}
	if sum != 1000 {
		t.Fatal(sum)
	}
}

func TestProcessesAndFiles(t *testing.T) {
	command := exec.Command(\"cat\")
	command.Stdin = strings.NewReader(\"x\")
	said, err := command.Output()
	if err != nil || string(said) != \"x\" {
		t.Fatal(said, err)
	}
	path := t.TempDir() + \"/file\"
	if err := os.WriteFile(path, said, 0o600); err != nil {
		t.Fatal(err)
	}
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGUSR1)
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	<-caught
}
",
        ),
    ],
    command: "mkdir tmp; TMPDIR=$PWD/tmp GOCACHE=$PWD/cache go test . 2>&1 | tail -1",
    says: "ok",
};

const JAVA: Sample = Sample {
    program: "javac",
    files: &[(
        "Small.java",
        "import java.nio.file.*;
import java.util.stream.*;

public class Small {
    public static void main(String[] given) throws Exception {
        assert IntStream.range(0, 1000).parallel().map(n -> n * 2).sum() == 999000;
        Process process = new ProcessBuilder(\"cat\", \"Small.java\").start();
        assert new String(process.getInputStream().readAllBytes()).contains(\"Small\") && process.waitFor() == 0;
        Path path = Files.createTempFile(Path.of(\".\"), \"a\", \"b\");
        Files.writeString(path, \"x\");
        assert Files.readString(path).equals(\"x\");
        Thread[] threads = new Thread[50];
        for (int n = 0; n < threads.length; n++) { threads[n] = new Thread(System::gc); threads[n].start(); }
        for (Thread thread : threads) thread.join();
        System.out.println(\"passed\");
    }
}
",
    )],
    command: "javac Small.java && java -ea Small",
    says: "passed",
};

/// Runs a project's tests in a cell. Other folders may be read, too, and variables set.
fn assert_passes(sample: &Sample, user: User, held: Held, reads: &[&Path], variables: &[(&str, &str)]) {
    let cell = Cell::new();
    for (path, content) in sample.files {
        let path = cell.path("own").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let mut spec = cell.spec(Path::new("/bin/sh"), &["-s"], sample.command, held);
    spec.sandbox.iter_mut().for_each(|sandbox| sandbox.reads.extend(reads.iter().map(|path| (*path).to_owned())));
    spec.env.insert("TMPDIR".to_owned(), cell.path("own").display().to_string());
    spec.env.extend(variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    let rye = Path::new(crate::support::RYE);
    let output = rye::process::run(&spec, Some(rye), &rye::process::CancelFlag::new()).unwrap();
    let said = text(&output.stdout);
    let last = said.lines().last().unwrap_or_default();
    let program = sample.program;
    assert!(last.trim().starts_with(sample.says), "{program}, {user:?}, {held:?}: {said}{}", text(&output.stderr));
}

#[test]
fn projects_of_python_node_make_and_git_run_their_tests() {
    // git changes the mode of its configuration, which only mounts allow.
    for (sample, held) in [(&PYTHON, &HELD[..]), (&NODE, &HELD), (&MAKE, &HELD), (&GIT, &[Held::AsEverywhere])] {
        if !has(sample.program) {
            continue;
        }
        for user in User::all() {
            user.does(|| {
                for held in held {
                    assert_passes(sample, user, *held, &[], &[]);
                }
            });
        }
    }
}

/// A compiler changes the mode of what it makes, which only mounts allow.
#[test]
fn a_project_of_cargo_runs_its_tests() {
    let Ok(cargo) = std::env::var("CARGO") else { return };
    let bin = Path::new(&cargo).canonicalize().unwrap().parent().unwrap().to_owned();
    let toolchain = bin.parent().unwrap();
    let path = format!("{}:{}", bin.display(), super::PATH);
    assert_passes(&CARGO, User::Own, Held::AsEverywhere, &[toolchain], &[("PATH", path.as_str())]);
}

/// Where these languages are; `.ci/slow languages` demands them.
#[test]
#[expect(clippy::print_stderr, reason = "what is skipped must be seen")]
fn projects_of_go_and_java_run_their_tests() {
    for sample in [&GO, &JAVA] {
        if rye::process::find_program(sample.program, super::PATH, &[]).is_err() {
            eprintln!("skipped: there is no `{}` on PATH", sample.program);
            continue;
        }
        for user in User::all() {
            user.does(|| assert_passes(sample, user, Held::AsEverywhere, &[], &[]));
        }
    }
}
