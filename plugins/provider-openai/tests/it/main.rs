//! Tests of the plugin by what it is asked and answers.
//!
//! - `streams/`: responses as OpenAI's servers send them. `servers/`: as servers that differ do. `requests/`: expected bodies.
//! - `requests`, `turns`, `servers`, `failures`, `peeks`: tables. `cuts`: streams cut anywhere, and arbitrary JSON.

mod cuts;
mod failures;
mod peeks;
mod requests;
mod servers;
mod support;
mod turns;
