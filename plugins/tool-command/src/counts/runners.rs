//! The lines by which each runner tells its number of tests.
//!
//! Each function gets all lines, trimmed and without empty ones, and returns nothing where its runner wrote none of them.

use super::Tests;

/// A reader of one runner's lines.
type Runner = fn(&[&str]) -> Option<Tests>;

/// Every runner that is known.
pub(super) const ALL: [Runner; 14] =
    [cargo, nextest, go, pytest, unittest, node, jest, vitest, mocha, rspec, minitest, maven, ctest, nothing_to_do];

/// `test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.01s`, for each target. A target with a harness of its
/// own may tell nothing: cargo names each target before it runs.
fn cargo(lines: &[&str]) -> Option<Tests> {
    let of_result = |line: &&str| {
        let counts = line.strip_prefix("test result: ")?.split_once(". ")?.1;
        let number = |word: &str| labelled(counts, "; ", word);
        let ran = number("passed") + number("failed") + number("measured");
        Some(Tests { ran, skipped: number("ignored"), filtered: number("filtered out"), uncounted: 0 })
    };
    let is_target =
        |line: &&&str| (line.starts_with("Running ") && line.ends_with(')')) || line.starts_with("Doc-tests ");
    let targets = lines.iter().filter(is_target).count();
    let results: Vec<Tests> = lines.iter().filter_map(of_result).collect();
    let uncounted = u64::try_from(targets.saturating_sub(results.len())).unwrap_or_default();
    let silent = (uncounted > 0).then_some(Tests { uncounted, ..Tests::default() });
    results.into_iter().chain(silent).reduce(Tests::and)
}

/// `Summary [   0.010s] 5 tests run: 5 passed, 2 skipped`, or `5/9 tests run` of a run that was ended.
fn nextest(lines: &[&str]) -> Option<Tests> {
    sum(lines, |line| {
        let (ran, counts) = line.strip_prefix("Summary [")?.split_once("] ")?.1.split_once(" run: ")?;
        let ran = ran.strip_suffix(" tests").or_else(|| ran.strip_suffix(" test"))?;
        let ran = ran.split('/').next()?.parse().ok()?;
        Some(Tests { ran, skipped: labelled(counts, ", ", "skipped"), ..Tests::default() })
    })
}

/// `--- PASS: TestX (0.00s)` with `-v`, and for each package `ok`, a time and perhaps `[no tests to run]`, or `?` and `[no test files]`.
fn go(lines: &[&str]) -> Option<Tests> {
    let is_verbose = lines.iter().any(|line| line.starts_with("--- PASS: ") || line.starts_with("--- SKIP: "));
    sum(lines, |line| {
        let (first, rest) = line.split_once([' ', '\t'])?;
        match (first, rest) {
            ("---", test) if test.starts_with("PASS: ") || test.starts_with("FAIL: ") => Some(ran(1)),
            ("---", test) if test.starts_with("SKIP: ") => Some(skipped(1)),
            ("ok", package) if package.ends_with("[no tests to run]") => Some(ran(0)),
            ("?", package) if package.ends_with("[no test files]") => Some(ran(0)),
            ("ok", package) if package.contains('\t') => {
                Some(Tests { uncounted: u64::from(!is_verbose), ..Tests::default() })
            }
            _ => None,
        }
    })
}

/// `=== 1 failed, 3 passed, 2 skipped in 0.12s ===`, with `-q` without the signs, or `no tests ran in 0.01s`.
fn pytest(lines: &[&str]) -> Option<Tests> {
    const RAN: [&str; 6] = ["passed", "failed", "error", "errors", "xfailed", "xpassed"];
    sum(lines, |line| {
        let (counts, time) = line.trim_matches(['=', ' ']).rsplit_once(" in ")?;
        if !time.starts_with(|first: char| first.is_ascii_digit()) || !time.contains('s') {
            return None;
        }
        let (skipped, filtered) = (labelled(counts, ", ", "skipped"), labelled(counts, ", ", "deselected"));
        let ran = RAN.iter().map(|word| labelled(counts, ", ", word)).sum();
        let is_summary = counts == "no tests ran" || ran + skipped + filtered > 0;
        is_summary.then_some(Tests { ran, skipped, filtered, uncounted: 0 })
    })
}

/// `Ran 3 tests in 0.001s`, and below `OK (skipped=1)`.
fn unittest(lines: &[&str]) -> Option<Tests> {
    let told = lines.iter().enumerate().filter_map(|(at, line)| {
        let (number, time) = line.strip_prefix("Ran ")?.split_once(" in ")?;
        let number: u64 = number.strip_suffix(" tests").or_else(|| number.strip_suffix(" test"))?.parse().ok()?;
        if !time.ends_with('s') {
            return None;
        }
        let skips =
            lines.get(at + 1).and_then(|ending| ending.split_once("skipped=")).map_or(0, |(_, rest)| leading(rest));
        Some(match number > skips || skips == 0 {
            true => Tests { ran: number - skips, skipped: skips, ..Tests::default() },
            false => of_dots(number, skips, at.checked_sub(2).and_then(|at| lines.get(at)).unwrap_or(&"")),
        })
    });
    told.reduce(Tests::and)
}

/// Where as many tests were skipped as ran: a class that skips itself is not among those that ran, so only the line of progress tells.
fn of_dots(number: u64, skips: u64, progress: &str) -> Tests {
    let is_progress = !progress.is_empty() && progress.chars().all(|sign| ".sFExu".contains(sign));
    let others = progress.chars().filter(|sign| *sign != 's').count();
    match is_progress {
        _ if number == 0 => skipped(skips),
        true => Tests { ran: u64::try_from(others).unwrap_or_default(), skipped: skips, ..Tests::default() },
        false => Tests { skipped: skips, uncounted: 1, ..Tests::default() },
    }
}

/// `# tests 5` and `# skipped 1`, as TAP, or after `ℹ`.
fn node(lines: &[&str]) -> Option<Tests> {
    let of = |word: &str| {
        let numbers = lines.iter().filter_map(|line| {
            let told = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ "))?;
            told.strip_prefix(word)?.strip_prefix(' ')?.parse::<u64>().ok()
        });
        numbers.reduce(u64::saturating_add)
    };
    let (tests, skipped) = (of("tests")?, of("skipped").unwrap_or_default());
    Some(Tests { ran: tests.saturating_sub(skipped), skipped, ..Tests::default() })
}

/// `Tests:       1 failed, 2 skipped, 5 passed, 8 total`.
fn jest(lines: &[&str]) -> Option<Tests> {
    sum(lines, |line| {
        if line.starts_with("No tests found, exiting with code ") {
            return Some(ran(0));
        }
        let counts = line.strip_prefix("Tests:").filter(|counts| counts.ends_with(" total"))?;
        Some(passed_and_skipped(counts.trim(), ", "))
    })
}

/// `Tests  1 failed | 4 passed | 1 skipped (6)`.
fn vitest(lines: &[&str]) -> Option<Tests> {
    sum(lines, |line| {
        if line.starts_with("No test files found, exiting with code ")
            || line.strip_prefix("Tests  ") == Some("no tests")
        {
            return Some(ran(0));
        }
        let (counts, total) = line.strip_prefix("Tests  ")?.rsplit_once(" (")?;
        total.strip_suffix(')')?.parse::<u64>().ok()?;
        Some(passed_and_skipped(counts.trim(), " | "))
    })
}

/// `5 passing (10ms)`, `1 failing` and `2 pending`.
fn mocha(lines: &[&str]) -> Option<Tests> {
    // Without this line the other two are anybody's.
    let is_total = |line: &&str| line.split_once(" passing (").is_some_and(|(number, _)| number.parse::<u64>().is_ok());
    lines.iter().any(is_total).then_some(())?;
    sum(lines, |line| {
        let (number, word) = line.split_once(' ')?;
        let number = number.parse().ok()?;
        match word {
            "pending" => Some(skipped(number)),
            word if word == "failing" || word.starts_with("passing (") => Some(ran(number)),
            _ => None,
        }
    })
}

/// `5 examples, 0 failures, 1 pending`.
fn rspec(lines: &[&str]) -> Option<Tests> {
    sum(lines, |line| {
        let (number, rest) = line.split_once(" examples, ").or_else(|| line.split_once(" example, "))?;
        let (number, skipped): (u64, _) = (number.parse().ok()?, labelled(rest, ", ", "pending"));
        Some(Tests { ran: number.saturating_sub(skipped), skipped, ..Tests::default() })
    })
}

/// `5 runs, 12 assertions, 0 failures, 0 errors, 1 skips`, or `5 tests, …` and `omissions`.
fn minitest(lines: &[&str]) -> Option<Tests> {
    sum(lines, |line| {
        let (number, rest) = line.split_once(" runs, ").or_else(|| line.split_once(" tests, "))?;
        if !rest.contains(" assertions, ") {
            return None;
        }
        let skipped = labelled(rest, ", ", "skips") + labelled(rest, ", ", "omissions");
        Some(Tests { ran: number.parse::<u64>().ok()?.saturating_sub(skipped), skipped, ..Tests::default() })
    })
}

/// `[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1` of a module; the lines of its classes tell a time, too.
fn maven(lines: &[&str]) -> Option<Tests> {
    sum(lines, |line| {
        let line =
            ["[INFO] ", "[WARNING] ", "[ERROR] "].iter().find_map(|level| line.strip_prefix(level)).unwrap_or(line);
        if ["No tests to run.", "Tests are skipped."].contains(&line.trim()) {
            return Some(ran(0));
        }
        let counts = line.trim().strip_prefix("Tests run: ").filter(|line| !line.contains("Time elapsed"))?;
        let skipped = counts.split_once("Skipped: ").map(|(_, rest)| leading(rest))?;
        Some(Tests { ran: leading(counts).saturating_sub(skipped), skipped, ..Tests::default() })
    })
}

/// `100% tests passed, 0 tests failed out of 5`.
fn ctest(lines: &[&str]) -> Option<Tests> {
    sum(lines, |line| {
        if *line == "No tests were found!!!" {
            return Some(ran(0));
        }
        let (_, failed) = line.split_once("% tests passed, ")?;
        Some(ran(failed.split_once(" failed out of ")?.1.parse().ok()?))
    })
}

/// What `make` says of a target `test` that is a file or a folder and has nothing to run.
fn nothing_to_do(lines: &[&str]) -> Option<Tests> {
    const NOTHING: [&str; 2] = ["make: Nothing to be done for 'test'.", "make: 'test' is up to date."];
    lines.iter().any(|line| NOTHING.contains(line)).then(|| ran(0))
}

fn ran(number: u64) -> Tests {
    Tests { ran: number, ..Tests::default() }
}

fn skipped(number: u64) -> Tests {
    Tests { skipped: number, ..Tests::default() }
}

fn passed_and_skipped(counts: &str, between: &str) -> Tests {
    let number = |word: &str| labelled(counts, between, word);
    Tests { ran: number("passed") + number("failed"), skipped: number("skipped") + number("todo"), ..Tests::default() }
}

/// Adds up what is told by the lines that one can read.
fn sum(lines: &[&str], read: impl Fn(&&str) -> Option<Tests>) -> Option<Tests> {
    lines.iter().filter_map(read).reduce(Tests::and)
}

/// Returns the number before a word, in a list such as `3 passed, 1 skipped`; zero where the word is not there.
fn labelled(counts: &str, between: &str, word: &str) -> u64 {
    let numbers = counts.split(between).filter_map(|part| {
        let (number, rest) = part.trim().split_once(' ')?;
        let is_word = rest.strip_prefix(word).is_some_and(|after| after.is_empty() || after.starts_with(" ("));
        is_word.then(|| number.parse::<u32>().ok()).flatten()
    });
    numbers.map(u64::from).sum()
}

/// Returns the number at the beginning of a text; zero where there is none.
fn leading(text: &str) -> u64 {
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().unwrap_or_default()
}
