//! What runners write, and what is read from it.

use super::*;

fn tests(ran: u64, skipped: u64, filtered: u64) -> Counts {
    Counts(Some(Tests { ran, skipped, filtered, uncounted: 0 }))
}

fn read(stdout: &str) -> Counts {
    Counts::of(stdout, "")
}

const NONE: Counts = Counts(None);

#[test]
fn the_targets_of_cargo_are_added_up() {
    let result = |numbers: &str| format!("test result: ok. {numbers} filtered out; finished in 0.00s\n\n");
    let running = "     Running unittests src/lib.rs (target/debug/deps/x-1)\n   Doc-tests x\n";
    let two = |a: &str, b: &str| format!("\nrunning 2 tests\n{}running 0 tests\n{}", result(a), result(b));
    let zero = "0 passed; 0 failed; 0 ignored; 0 measured; 0";
    let some = "1 passed; 1 failed; 3 ignored; 0 measured; 4";
    assert_eq!(Counts::of(&two(some, zero), running), tests(2, 3, 4));
    assert_eq!(Counts::of(&two(zero, zero), running), tests(0, 0, 0));
    // One that has a harness of its own tells nothing: neither it nor the whole is zero.
    assert_eq!(Counts::of(&result(zero), running), NONE);
    let one = Counts::of(&result(some), running);
    assert_eq!(
        one.to_value(),
        json!({"counted": true, "ran": 2, "skipped": 3, "filtered": 4, "targets_not_counted": 1})
    );
    assert_eq!(Counts::of("", "error: could not compile `x`"), NONE);
}

#[test]
fn each_runner_tells_its_number() {
    for (output, expected) in [
        ("     Summary [   0.010s] 5 tests run: 5 passed (1 slow), 2 skipped", tests(5, 2, 0)),
        ("     Summary [   0.010s] 3/9 tests run: 2 passed, 1 failed, 0 skipped", tests(3, 0, 0)),
        ("     Summary [   0.000s] 0 tests run: 0 passed, 12 skipped", tests(0, 12, 0)),
        ("==== 1 failed, 3 passed, 2 skipped, 4 deselected, 1 warning in 61.20s (0:01:01) ====", tests(4, 2, 4)),
        ("\u{1b}[32m\u{1b}[1m3 passed\u{1b}[0m\u{1b}[32m in 0.02s\u{1b}[0m", tests(3, 0, 0)),
        ("==== no tests ran in 0.01s ====", tests(0, 0, 0)),
        ("collected 2 items\n==== 2 skipped in 0.01s ====", tests(0, 2, 0)),
        ("1 error in 0.10s", tests(1, 0, 0)),
        ("# tests 5\n# pass 4\n# skipped 1\n# todo 0", tests(4, 1, 0)),
        ("ℹ tests 0\nℹ pass 0\nℹ skipped 0", tests(0, 0, 0)),
        ("Test Suites: 1 passed, 1 total\nTests:       1 failed, 2 skipped, 5 passed, 8 total", tests(6, 2, 0)),
        ("No tests found, exiting with code 0", tests(0, 0, 0)),
        (" Test Files  1 passed (1)\n      Tests  1 failed | 4 passed | 1 skipped (6)", tests(5, 1, 0)),
        ("No test files found, exiting with code 0", tests(0, 0, 0)),
        ("  5 passing (10ms)\n  2 pending\n  1 failing", tests(6, 2, 0)),
        ("  0 passing (1ms)", tests(0, 0, 0)),
        ("5 examples, 1 failure, 2 pending", tests(3, 2, 0)),
        ("0 examples, 0 failures", tests(0, 0, 0)),
        ("3 runs, 12 assertions, 0 failures, 0 errors, 1 skips", tests(2, 1, 0)),
        (
            "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.1 s -- in X\n[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1",
            tests(2, 1, 0),
        ),
        ("[INFO] Tests are skipped.\n[INFO] BUILD SUCCESS", tests(0, 0, 0)),
        ("100% tests passed, 0 tests failed out of 5", tests(5, 0, 0)),
        ("No tests were found!!!", tests(0, 0, 0)),
        ("make: Nothing to be done for 'test'.", tests(0, 0, 0)),
        ("3 passed in 0.02s\nRan 2 tests in 0.001s\n\nOK", tests(5, 0, 0)),
    ] {
        assert_eq!(read(output), expected, "{output}");
    }
}

#[test]
fn go_tells_a_number_only_with_v() {
    assert_eq!(read("?   \tx/a\t[no test files]\nok  \tx/b\t0.003s [no tests to run]\n"), tests(0, 0, 0));
    assert_eq!(read("?   \tx/a\t[no test files]\nok  \tx/b\t0.003s\n"), NONE);
    assert_eq!(read("ok  \tx/b\t(cached)\n"), NONE);
    let verbose = "=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/sub (0.00s)\n--- SKIP: TestB (0.00s)\nPASS\nok  \tx\t0.003s\n";
    assert_eq!(read(verbose).to_value()["skipped"], 1);
}

#[test]
fn unittest_counts_skipped_methods_and_no_skipped_classes() {
    let line = "-".repeat(70);
    let told = |dots: &str, ran: &str, ending: &str| {
        Counts::of("", &format!("{dots}\n{line}\nRan {ran} in 0.000s\n\n{ending}\n"))
    };
    assert_eq!(told("..", "2 tests", "OK"), tests(2, 0, 0));
    assert_eq!(told(".s", "2 tests", "OK (skipped=1)"), tests(1, 1, 0));
    assert_eq!(told("ss", "2 tests", "OK (skipped=2)"), tests(0, 2, 0));
    assert_eq!(told("s.", "1 test", "OK (skipped=1)"), tests(1, 1, 0));
    assert_eq!(told("text", "1 test", "OK (skipped=1)"), NONE);
    assert_eq!(told("", "0 tests", "OK"), tests(0, 0, 0));
    assert_eq!(told("", "0 tests", "NO TESTS RAN"), tests(0, 0, 0));
    assert_eq!(told("s", "0 tests", "NO TESTS RAN (skipped=1)"), tests(0, 1, 0));
}

#[test]
fn other_text_is_not_counted() {
    for output in [
        "",
        "ran",
        "ok 1 - reads a file in 3 steps",
        "Finished in 0.01 seconds",
        "2 pending",
        "Tests: all of them",
        "test result: none",
        "Running `target/debug/x`",
        "1 warning in 0.01s",
        "5 files changed in 2 seconds",
        "Ran 3 tests in a row",
        "# tests of the parser",
        "\u{1b}[",
    ] {
        assert_eq!(read(output), NONE, "{output}");
    }
}

#[test]
fn a_run_of_no_tests_says_why() {
    for (counts, said) in [
        (tests(0, 0, 0), Some("no tests ran: the runner found none")),
        (tests(0, 3, 1), Some("no tests ran: 3 skipped")),
        (tests(0, 0, 12), Some("no tests ran: none of 12 has a name that was given")),
        (tests(1, 3, 0), None),
        (NONE, None),
    ] {
        assert_eq!(counts.none_ran().as_deref(), said);
    }
    let message = "not counted: the output does not tell how many tests ran";
    assert_eq!(NONE.to_value(), json!({"counted": false, "message": message}));
}
