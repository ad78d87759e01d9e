//! Runs of a project's tests: a runner that is not there, and a run that checks nothing, are no success.

use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::{Value, json};

use super::told;
use crate::support::has;
use crate::thread::world::World;

/// A world whose PATH has the programs of the tool's script and no runner of tests.
fn world() -> World {
    let world = World::new();
    std::fs::create_dir(world.path("bin")).unwrap();
    for name in ["sh", "sed", "grep", "find"] {
        let found = ["/usr/bin", "/bin"].map(|folder| format!("{folder}/{name}"));
        let program = found.iter().find(|path| std::path::Path::new(path).exists()).unwrap();
        symlink(program, world.path("bin").join(name)).unwrap();
    }
    world
}

/// Puts a program on the world's PATH: a script for a shell.
fn program(world: &World, name: &str, script: &str) {
    let path = world.path("bin").join(name);
    world.write_at(&path, &format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
}

/// A Python without pytest: its unittest ends as the script says.
fn python(world: &World, script: &str) {
    program(world, "python3", &format!("[ \"$1\" = -c ] && exit 1\n{script}"));
}

/// Runs the project's tests: the exit code of `rye`, and what it tells.
fn run(world: &World, parameters: &Value) -> (i32, Value) {
    let parameters = parameters.to_string();
    let mut command = world.rye(&["execute", "tool", "rye/test/run", "--params", &parameters, "--json"]);
    let (code, stdout, stderr) = told(&command.env("PATH", world.path("bin")).output().unwrap());
    (code, serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stdout}{stderr}")))
}

/// What unittest says where it finds no test, before Python 3.12 with the exit code of a success.
const NO_UNITTESTS: &str = "printf '\\n-----\\nRan 0 tests in 0.000s\\n\\nOK\\n' >&2";

#[test]
fn a_missing_pytest_is_no_success() {
    let world = world();
    python(&world, "printf '.\\n-----\\nRan 1 test in 0.000s\\n\\nOK\\n' >&2");
    let missing = |asked: &str, parameters: Value| {
        let (code, printed) = run(&world, &parameters);
        let said = printed["result"]["stderr"].as_str().unwrap_or_else(|| panic!("{printed}"));
        assert_eq!(
            (code, &printed["status"], &printed["result"]["exit_code"]),
            (1, &json!("error"), &json!(127)),
            "{printed}"
        );
        let expected = format!(
            "the test runner `pytest` (asked for by `{asked}`) is not found: there is no program `pytest` on PATH outside of the project ({}), and no \
             `python3` there can import it. Install it (`python3 -m pip install pytest`) where tests can read it (`[shell.tests]` in \
             ~/.config/rye/config.toml), or give `runner: unittest`\n",
            world.path("bin").display()
        );
        assert_eq!(said, expected);
    };
    missing("runner: pytest", json!({"runner": "pytest"}));
    world.write("sub/setup.py", "");
    for (file, text) in [
        ("pytest.ini", ""),
        ("conftest.py", ""),
        ("tests/conftest.py", ""),
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = \"-q\"\n"),
        ("pyproject.toml", "[project.optional-dependencies]\ntest = [\"pytest>=8\"]\n"),
        ("setup.cfg", "[tool:pytest]\n"),
        ("tox.ini", "[testenv]\ncommands = pytest {posargs}\n"),
        ("requirements-dev.txt", "# tests\npytest-cov==5\n"),
        ("requirements/test.txt", "pytest\n"),
        ("tests/test_a.py", "import pytest\n"),
        ("a_test.py", "from pytest import raises\n"),
        ("a/b/c/test_d.py", "import pytest\n"),
        ("a/b/c/d/e/f_test.py", "    import pytest\n"),
        ("test_a.py", "def test_x():\n    assert False\n"),
        ("a/b/c/d/a_test.py", "async def test_x():\n    assert False\n"),
        ("test_a.py", "class TestX:\n    def test_x(self):\n        assert False\n"),
        ("test_a.py", "class TestX(object):\n    def test_x(self):\n        assert False\n"),
        (
            "test_a.py",
            "import unittest\n\nclass TestA(unittest.TestCase):\n    pass\n\nclass TestX(Mixin):\n    pass\n",
        ),
    ] {
        let path = format!("sub/{file}");
        world.write(&path, text);
        missing(file, json!({"folder": "sub"}));
        std::fs::remove_file(world.in_project(&path)).unwrap();
    }
    // Nothing asks for pytest here, and the person may choose.
    world.write("sub/requirements.txt", "requests  # no pytest yet\nmypytestless\n");
    let unittest = "class TestA(unittest.TestCase):\n    def test_a(self):\n        pass\n\nclass TestB(IsolatedAsyncioTestCase):\n    pass\n";
    world.write("sub/tests/test_a.py", unittest);
    world.write("sub/tests/tests_of_x.py", "def test_x():\n    pass\n");
    for folder in [".venv", "venv", "node_modules", "target", "a/.venv", "a/node_modules/b"] {
        world.write(&format!("sub/{folder}/lib/test_a.py"), "import pytest\ndef test_x():\n    pass\n");
    }
    world.write("sub/pytest.ini", "");
    let one = json!({"counted": true, "ran": 1});
    let (code, printed) = run(&world, &json!({"folder": "sub", "runner": "unittest"}));
    assert_eq!((code, &printed["result"]["tests"]), (0, &one), "{printed}");
    std::fs::remove_file(world.in_project("sub/pytest.ini")).unwrap();
    let (code, printed) = run(&world, &json!({"folder": "sub"}));
    assert_eq!((code, &printed["result"]["tests"]), (0, &one), "{printed}");
}

#[test]
fn a_missing_runner_is_named_with_the_places_that_were_searched() {
    let world = world();
    for (runner, program, file) in [
        ("cargo", "cargo", "Cargo.toml"),
        ("go", "go", "go.mod"),
        ("npm", "npm", "package.json"),
        ("unittest", "python3", "setup.py"),
        ("make", "make", "Makefile"),
    ] {
        world.write(&format!("{runner}/{file}"), "");
        for parameters in [json!({"runner": runner}), json!({"folder": runner})] {
            let (code, printed) = run(&world, &parameters);
            let said = printed["result"]["stderr"].as_str().unwrap_or_else(|| panic!("{printed}"));
            assert_eq!((code, &printed["result"]["exit_code"]), (1, &json!(127)), "{printed}");
            let expected = format!(
                "the test runner `{program}` is not found: there is no program `{program}` on PATH outside of the project ({}). Run `command -v \
                 {program}` in your shell: if it prints nothing, install {program}; else let tests read its folder (`[shell.tests]` in \
                 ~/.config/rye/config.toml)\n",
                world.path("bin").display()
            );
            assert_eq!(said, expected);
        }
    }
}

#[test]
fn a_run_of_no_tests_is_no_success() {
    let world = world();
    let cargo = "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.00s";
    python(&world, NO_UNITTESTS);
    program(&world, "cargo", &format!("echo '{cargo}'; echo '{cargo}'"));
    program(&world, "go", "printf '?   \\tx\\t[no test files]\\n'");
    program(&world, "npm", "echo '# tests 0'");
    program(&world, "make", "echo \"make: 'test' is up to date.\"");
    for (runner, reason) in [
        ("cargo", "none of 6 has a name that was given"),
        ("go", "the runner found none"),
        ("npm", "the runner found none"),
        ("unittest", "the runner found none"),
        ("make", "the runner found none"),
    ] {
        let (code, printed) = run(&world, &json!({"runner": runner}));
        let result = &printed["result"];
        assert_eq!((code, &printed["status"], &result["exit_code"]), (1, &json!("error"), &json!(0)), "{printed}");
        assert_eq!(
            (&result["message"], &result["tests"]["ran"]),
            (&json!(format!("no tests ran: {reason}")), &json!(0)),
            "{printed}"
        );
    }
    for (script, message) in [
        ("echo '=== no tests ran in 0.01s ==='; exit 5", "no tests ran: the runner found none"),
        ("echo '=== 2 skipped in 0.01s ==='", "no tests ran: 2 skipped"),
    ] {
        program(&world, "pytest", script);
        let (code, printed) = run(&world, &json!({"runner": "pytest"}));
        assert_eq!((code, &printed["result"]["message"]), (1, &json!(message)), "{printed}");
    }
    // A person reads the reason first.
    let shown =
        world.rye(&["execute", "tool", "rye/test/run", "-i", "runner=go"]).env("PATH", world.path("bin")).output();
    let (code, _, stderr) = told(&shown.unwrap());
    assert!(code == 1 && stderr.contains("no tests ran: the runner found none"), "{stderr}");
}

#[test]
fn a_run_tells_how_many_tests_it_ran_or_that_it_does_not_know() {
    let world = world();
    program(&world, "pytest", "echo '=== 3 passed, 1 skipped in 0.01s ==='");
    program(&world, "make", "echo done");
    program(&world, "go", "printf 'ok  \\tx\\t0.003s\\n'");
    let tests = |runner: &str| {
        let (code, printed) = run(&world, &json!({"runner": runner}));
        assert_eq!((code, &printed["status"]), (0, &json!("ok")), "{printed}");
        printed["result"]["tests"].clone()
    };
    assert_eq!(tests("pytest"), json!({"counted": true, "ran": 3, "skipped": 1}));
    let not_counted = json!({"counted": false, "message": "not counted: the output does not tell how many tests ran"});
    assert_eq!((tests("make"), tests("go")), (not_counted.clone(), not_counted));
}

/// The Python of this machine.
#[test]
fn unittest_that_finds_nothing_is_no_success() {
    if !has("/usr/bin/python3") {
        return;
    }
    let world = World::new();
    world.write("setup.py", "");
    let run = |parameters: &str| {
        let mut command = world.rye(&["execute", "tool", "rye/test/run", "--params", parameters, "--json"]);
        let (code, stdout, stderr) = told(&command.env("PATH", "/usr/bin:/bin").output().unwrap());
        (code, serde_json::from_str::<Value>(&stdout).unwrap_or_else(|_| panic!("{stdout}{stderr}")))
    };
    let (code, printed) = run(r#"{"runner": "unittest"}"#);
    assert_eq!((code, &printed["result"]["message"]), (1, &json!("no tests ran: the runner found none")), "{printed}");
    world.write("test_b.py", "import unittest\nclass B(unittest.TestCase):\n    def test_b(self):\n        pass\n");
    let (code, printed) = run(r#"{"runner": "unittest"}"#);
    assert_eq!((code, &printed["result"]["tests"]), (0, &json!({"counted": true, "ran": 1})), "{printed}");
    if std::path::Path::new("/usr/bin/pytest").exists() {
        return;
    }
    let (code, printed) = run("{}");
    assert_eq!((code, &printed["result"]["tests"]["ran"]), (0, &json!(1)), "{printed}");
    // Unittest passes over a function.
    world.write("test_a.py", "def test_x():\n    assert False\n");
    let (code, printed) = run("{}");
    assert_eq!((code, &printed["result"]["exit_code"]), (1, &json!(127)), "{printed}");
}
