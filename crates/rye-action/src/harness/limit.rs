//! The kind of limit: too little room for a call, or settled figures beyond it.

use serde::{Deserialize, Serialize};

/// The name of the limit on time.
pub const DURATION: &str = "duration";

/// The limit that keeps a thread from going on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitReached {
    /// Its name.
    pub limit: &'static str,
    /// Its value, for people.
    pub value: String,
    /// The used amount, and the addition of the next call, if known.
    pub why: Option<String>,
}

/// A limit that settled figures are beyond.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitPassed {
    /// Its name.
    pub limit: String,
    /// Its value.
    pub value: String,
    /// By how much it was passed.
    pub by: String,
}

impl LimitReached {
    pub(super) const fn new(limit: &'static str, value: String) -> Self {
        Self { limit, value, why: None }
    }

    pub(super) fn because(self, why: String) -> Self {
        Self { why: Some(why), ..self }
    }

    /// Says it in a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let Self { limit, value, why } = self;
        let why = why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        format!("the limit on {limit} ({value}) is reached{why}")
    }
}
