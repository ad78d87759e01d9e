//! The program as the tests run it: `RYE_NOW` is its time, which stands still, and its randomness follows from `RYE_SEED`. Without
//! these variables it is the program that is shipped.

#![expect(clippy::disallowed_methods, reason = "the tests say in the environment what time it is")]

use std::process::ExitCode;

use rye::context::Clock;

fn main() -> ExitCode {
    let variable = |name| std::env::var(name).ok().filter(|value: &String| !value.is_empty());
    let now = variable("RYE_NOW").map(|text| text.parse().expect("because the tests name a time"));
    rye::cli::run(Clock::fixed(now, variable("RYE_SEED")))
}
