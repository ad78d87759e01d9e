//! `rye/file-system/glob`: the files whose paths fit a pattern.

use globset::{GlobBuilder, GlobMatcher};
use serde_json::{Value, json};

use super::parameters::Parameters;
use super::walk::Walk;
use crate::capability::ProjectPath;
use crate::id::glob_bounds;

/// The most paths one call returns.
const MAX_PATHS: usize = 1000;

/// Lists the files that fit, sorted by path.
pub(super) fn glob(walk: &Walk<'_>, from: &ProjectPath, parameters: Parameters<'_>) -> Result<Value, String> {
    let pattern = Pattern::parse(parameters.text("pattern")?)?;
    let seen = walk.files(from)?;
    let mut fitting: Vec<&ProjectPath> = seen.files.iter().filter(|path| pattern.fits(from, path)).collect();
    let found = fitting.len();
    fitting.truncate(MAX_PATHS);
    Ok(json!({"files": fitting, "found": found, "truncated": found > MAX_PATHS || seen.is_cut}))
}

/// A pattern of paths; without a slash it is one of names, in any folder.
pub(super) struct Pattern {
    matcher: GlobMatcher,
    is_of_names: bool,
}

impl Pattern {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        // The caller's own words, which are not a file's.
        let shown = format!("{text:.80}");
        if let Some(reason) = glob_bounds::excess(text) {
            return Err(format!("`{shown}` is not a pattern of paths: {reason}"));
        }
        let glob = GlobBuilder::new(text.trim_start_matches("./")).literal_separator(true).build();
        let glob = glob.map_err(|error| format!("`{shown}` is not a pattern of paths: {}", error.kind()))?;
        Ok(Self { matcher: glob.compile_matcher(), is_of_names: !text.contains('/') })
    }

    /// Tells whether a path fits, as seen from a folder above it.
    pub(super) fn fits(&self, from: &ProjectPath, path: &ProjectPath) -> bool {
        let below = path.as_str().strip_prefix(from.as_str()).unwrap_or_default().trim_start_matches('/');
        let name = path.parts().last().unwrap_or_default();
        self.matcher.is_match(if self.is_of_names || below.is_empty() { name } else { below })
    }
}
