//! How many tests ran, as the output of test runners tells it.
//!
//! One output may come from several targets, and of several runners that `make` or a script of `package.json` starts: all numbers are added up.
//! A target that ran and told no number is kept apart, so that a sum of zero is only told where every target counts. Limits: what prints the lines
//! of a runner is taken for one, and Go tells no number without `-v`.

use serde_json::{Map, Value, json};

mod runners;

/// The tests that some output tells of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tests {
    /// Those that ran, whatever came of them.
    pub(crate) ran: u64,
    /// Those that the runner found and did not run.
    pub(crate) skipped: u64,
    /// Those that have none of the names that were given.
    pub(crate) filtered: u64,
    /// Targets that ran without telling a number.
    pub(crate) uncounted: u64,
}

impl Tests {
    fn and(self, other: Self) -> Self {
        Self {
            ran: self.ran.saturating_add(other.ran),
            skipped: self.skipped.saturating_add(other.skipped),
            filtered: self.filtered.saturating_add(other.filtered),
            uncounted: self.uncounted.saturating_add(other.uncounted),
        }
    }
}

/// What is known about the tests of one call: their number, or none where the output tells none.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Counts(Option<Tests>);

impl Counts {
    /// Reads what a runner wrote.
    pub(crate) fn of(stdout: &str, stderr: &str) -> Self {
        let plain = format!("{}\n{}", without_colours(stdout), without_colours(stderr));
        let lines: Vec<&str> = plain.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let told = runners::ALL.iter().filter_map(|runner| runner(&lines)).reduce(Tests::and);
        Self(told.filter(|tests| tests.ran > 0 || tests.uncounted == 0))
    }

    /// Says why nothing was checked, if no test ran.
    pub(crate) fn none_ran(&self) -> Option<String> {
        let Tests { ran: 0, skipped, filtered, .. } = self.0? else { return None };
        Some(match (skipped, filtered) {
            (0, 0) => "no tests ran: the runner found none".to_owned(),
            (0, _) => format!("no tests ran: none of {filtered} has a name that was given"),
            (_, _) => format!("no tests ran: {skipped} skipped"),
        })
    }

    /// Returns it as the result tells it.
    pub(crate) fn to_value(&self) -> Value {
        let Some(tests) = self.0 else {
            return json!({"counted": false, "message": "not counted: the output does not tell how many tests ran"});
        };
        let mut told = Map::from_iter([("counted".to_owned(), true.into()), ("ran".to_owned(), tests.ran.into())]);
        let others =
            [("skipped", tests.skipped), ("filtered", tests.filtered), ("targets_not_counted", tests.uncounted)];
        told.extend(others.into_iter().filter(|(_, n)| *n > 0).map(|(name, n)| (name.to_owned(), n.into())));
        Value::Object(told)
    }
}

/// Takes the escape sequences of a terminal out of a text.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_final = |character: char| ('@'..='~').contains(&character);
        plain.push_str(part.split_once(is_final).map_or("", |(_, after)| after));
    }
    plain
}

#[cfg(test)]
mod tests;
