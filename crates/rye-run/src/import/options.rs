//! What to import.

/// What to import.
#[derive(Debug, Clone)]
pub struct Options {
    /// The server, by its name in the configuration.
    pub server: String,
    /// The tools, by their names at the server; all of them if none is named.
    pub tools: Vec<String>,
}
