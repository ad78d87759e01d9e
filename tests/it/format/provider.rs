//! A fault of a provider document is reported by one rule, with its place and the right form.

use rye::format::{Profile, has_errors, validate};
use rye::id::ItemType;

use super::read;

const DOCUMENT: &str = "version: \"1.0.0\"\ncategory: demo\ndescription: Answers\ntool_type: provider\nplugin: openai\n\
                        url: https://llm.example.org/v1\nauth: {secret: MY_KEY, header: x-mine}\ntiers: {default: one}\npricing:\n  \
                        one: {input_per_million: \"1\", output_per_million: \"2\", currency: USD}\n\
                        limits: {max_output_tokens: 10}\nprompts: {system_template: Go}\n";

/// A change of the document, its finding, and the correction.
const CASES: [(&str, &str, &str, &str); 24] = [
    (
        "plugin:",
        "mapping: {a: b}\nplugin:",
        "`mapping` is not a key of a provider document",
        "`max_tokens_field` names the field that bounds an answer, `params` adds and removes others",
    ),
    ("plugin:", "retri: 3\nplugin:", "`retri` is not a key of a provider document", "did you mean `retry`?"),
    (
        "plugin:",
        "retry: {attempts: 6}\nplugin:",
        "`retry.attempts` of the provider document must be a whole number from 1 to 5",
        MEND,
    ),
    (
        "plugin:",
        "retry: {seconds: 31}\nplugin:",
        "`retry.seconds` of the provider document must be a whole number from 0 to 30",
        MEND,
    ),
    ("plugin:", "retry: {times: 3}\nplugin:", "`retry.times` is not a key of a provider document", "remove it"),
    (
        "{max_output_tokens: 10}",
        "{context_window: 10}",
        "`limits.context_window` is not a key of a provider document",
        "write it as `models.MODEL.context`",
    ),
    (
        "plugin:",
        "models: {one: {context: 0}}\nplugin:",
        "`models.one.context` of the provider document must be a whole number of tokens, 1 or more",
        MEND,
    ),
    (
        "currency: USD",
        "cached_per_million: \"1\"",
        "`pricing.one.cached_per_million` is not a key of a provider document",
        "did you mean `cache_read_per_million`?",
    ),
    (
        "{system_template: Go}",
        "{user_template: Go}",
        "`prompts.user_template` is not a key of a provider document",
        "did you mean `system_template`?",
    ),
    (
        "plugin:",
        "executor_id: script\nplugin:",
        "`executor_id` is not a key of a provider document",
        "remove it: a provider document is not run",
    ),
    (
        "plugin:",
        "config: {a: b}\nplugin:",
        "`config` is not a key of a provider document",
        "remove it: a provider document is not run",
    ),
    ("plugin: openai\n", "", "the provider document has no `plugin`", PLUGIN),
    (
        "url: https://llm.example.org/v1\n",
        "",
        "the provider document has no `url`, and the plugin `openai` asks a server",
        "add the server's address, such as `url: https://llm.example.org/v1`",
    ),
    ("openai", "steps", "the plugin `steps` has no `url`: it asks no server", "remove it"),
    (
        "plugin: openai",
        "wire: chat\nplugin: anthropic",
        "the plugin `anthropic` has no `wire`: only the plugin `openai` has it",
        "remove it",
    ),
    ("plugin:", "stream: 1\nplugin:", "`stream` of the provider document must be true or false", MEND),
    ("plugin:", "wire: soap\nplugin:", "`wire` of the provider document must be `chat` or `responses`", MEND),
    ("\"1\"", "\"a\"", "the price `pricing.one.input_per_million` of the provider document is not an amount: ", MEND),
    ("plugin:", "headers: {authorization: x}\nplugin:", AUTHENTICATES, "remove it"),
    ("plugin:", "headers: {x-goog-api-key: x}\nplugin:", AUTHENTICATES, "remove it"),
    ("plugin:", "headers: {x-mine: x}\nplugin:", AUTHENTICATES, "remove it"),
    (
        "plugin:",
        "headers: {content-length: \"1\"}\nplugin:",
        "`headers` of the provider document cannot set `content-length`: the program writes that header itself",
        "remove it",
    ),
    (
        "plugin:",
        "headers: {X-Team: a}\nplugin:",
        "`headers` of the provider document cannot set `X-Team`: a name has lower-case letters, digits and `-`",
        "remove it",
    ),
    (
        "plugin:",
        "headers: {x-team: \"a\\nb\"}\nplugin:",
        "`headers.x-team` of the provider document must be printable ASCII, without blanks around it",
        MEND,
    ),
];

const MEND: &str = "mend the value; docs/providers.md shows whole documents";
const PLUGIN: &str = "add `plugin: openai` or `plugin: anthropic`, the protocol of the server";
/// Behind the name of the header.
const AUTHENTICATES: &str = "`auth` names the secret that authenticates, and its header";

#[test]
fn what_a_provider_document_says_is_read_or_refused() {
    let found =
        |text: &str| validate(&read(ItemType::Tool, "yaml", text), &"demo/look".parse().unwrap(), Profile::Thread);
    assert_eq!(found(DOCUMENT), []);
    for (from, to, message, hint) in CASES {
        assert!(DOCUMENT.contains(from), "{from}");
        let findings = found(&DOCUMENT.replacen(from, to, 1));
        assert!(has_errors(&findings), "{to}");
        let [finding] = &findings[..] else { panic!("{to}: {findings:?}") };
        assert_eq!(finding.rule, "RYE-T011");
        assert!(finding.message.contains(message), "{}", finding.message);
        assert_eq!(finding.hint.as_deref(), Some(hint), "{to}");
    }
}
