//! Threads: the pure machine against arbitrary models, and whole threads in temporary repositories that stock git
//! judges.
//!
//! Each test has its own folder with a home of its own; no variable of the caller reaches rye or git.

mod harness;
mod machine;
