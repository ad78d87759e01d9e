//! Tokens, as both wire formats report them: `prompt_tokens` and `completion_tokens`, or `input_tokens` and
//! `output_tokens`, with details of the cache.
//!
//! In front of Anthropic's models, LiteLLM adds what was put into the cache, and for how long.
//! Some servers leave reasoning out of the output and count it in the total only: then the total decides. Parts of the
//! input never exceed the input.

use rye_plugin_abi::provider::Usage;
use serde_json::Value;

/// Reads a `usage` object; nothing if the server reported no tokens.
pub(crate) fn read(usage: &Value) -> Option<Usage> {
    let input = tokens(usage, &["input_tokens", "prompt_tokens"]);
    let output = tokens(usage, &["output_tokens", "completion_tokens"]);
    if input.is_none() && output.is_none() {
        return None;
    }
    let input_tokens = input.unwrap_or_default();
    let rest = tokens(usage, &["total_tokens"]).unwrap_or_default().saturating_sub(input_tokens);
    let details = ["input_tokens_details", "prompt_tokens_details"].iter().find_map(|&name| usage.get(name));
    let part = |name| details.and_then(|details| tokens(details, &[name])).unwrap_or_default();
    let cache_read_tokens = part("cached_tokens").min(input_tokens);
    let written = part("cache_write_tokens").max(part("cache_creation_tokens"));
    let cache_write_tokens = written.min(input_tokens - cache_read_tokens);
    let for_an_hour = details.and_then(|details| details.get("cache_creation_token_details"));
    let for_an_hour = for_an_hour.and_then(|parts| tokens(parts, &["ephemeral_1h_input_tokens"])).unwrap_or_default();
    Some(Usage {
        input_tokens,
        output_tokens: output.map_or(rest, |output| if input.is_some() { output.max(rest) } else { output }),
        cache_read_tokens,
        cache_write_tokens,
        cache_write_1h_tokens: for_an_hour.min(cache_write_tokens),
    })
}

fn tokens(usage: &Value, names: &[&str]) -> Option<u64> {
    names.iter().find_map(|&name| usage.get(name).and_then(Value::as_u64))
}
