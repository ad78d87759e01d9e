//! The program: everything is in the library. Time and randomness are the system's.

use rye::context::Clock;

fn main() -> std::process::ExitCode {
    rye::cli::run(Clock::system())
}
