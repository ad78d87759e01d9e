//! What the conversation says about the calls made so far.

use rye_plugin_abi::provider::Message;
use serde_json::Value;

/// How much of an error is told, in characters; the conversation holds all of it.
const TOLD: usize = 300;

/// The results in a conversation, oldest first.
pub(crate) struct Results<'a> {
    all: Vec<Outcome<'a>>,
    /// How many of them were there before the last turn.
    earlier: usize,
}

/// The result of one call.
pub(crate) struct Outcome<'a> {
    call_id: &'a str,
    tool: &'a str,
    pub(crate) output: &'a Value,
    pub(crate) is_error: bool,
}

impl<'a> Results<'a> {
    /// Collects the results of a conversation.
    pub(crate) fn of(messages: &'a [Message]) -> Self {
        let mut results = Self { all: Vec::new(), earlier: 0 };
        for message in messages {
            match message {
                Message::Tool { call_id, name, output, is_error, .. } => {
                    results.all.push(Outcome { call_id, tool: name, output, is_error: *is_error });
                }
                Message::Assistant { .. } => results.earlier = results.all.len(),
                Message::User { .. } => {}
            }
        }
        results
    }

    /// The result of a call, if it has come.
    pub(crate) fn of_call(&self, call_id: &str) -> Option<&Outcome<'a>> {
        self.all.iter().rfind(|outcome| outcome.call_id == call_id)
    }

    /// A sentence for each call of the last turn that failed or was refused.
    pub(crate) fn latest_failures(&self) -> Vec<String> {
        self.all[self.earlier..].iter().filter(|outcome| outcome.is_error).map(Outcome::told).collect()
    }
}

impl Outcome<'_> {
    fn told(&self) -> String {
        format!("The call of `{}` did not succeed: {}", self.tool, self.reason())
    }

    /// The error in words: its message if it has one.
    fn reason(&self) -> String {
        let reason = self.output.pointer("/error/message").or(self.output.get("message")).unwrap_or(self.output);
        let reason = reason.as_str().map_or_else(|| reason.to_string(), str::to_owned);
        match reason.char_indices().nth(TOLD) {
            None => reason,
            Some((end, _)) => format!("{}…", &reason[..end]),
        }
    }
}
