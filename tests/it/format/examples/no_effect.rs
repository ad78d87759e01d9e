//! Examples of the rules about input without effect.

use super::Base::{Directive, Tool, YamlTool};
use super::{Base, Example};
use rye::format::{Rule, rules};

const fn of(base: Base, rule: &'static Rule, asked_by: &'static str, good: &'static str, bad: &'static str) -> Example {
    Example { rule, asked_by, base, good, bad, make: None }
}

/// The examples, in the order of the rules.
pub(super) const ALL: &[Example] = &[
    of(
        Directive,
        &rules::ACTION_ARGUMENT,
        "§2.2",
        "<sign item_type=\"knowledge\" item_id=\"demo/report\" />",
        "<sign item_type=\"knowledge\" item_id=\"demo/report\" max=\"3\" />",
    ),
    of(Directive, &rules::IDLE_CURRENCY, "§2.5", "tokens=\"100000\" />", "tokens=\"100000\" spend_currency=\"EUR\" />"),
    of(
        Directive,
        &rules::IDLE_ACKNOWLEDGE,
        "§2.6",
        "<acknowledge risk=\"elevated\">Deploying needs the cluster's own command.</acknowledge>",
        "<acknowledge risk=\"elevated\">Deploying needs the cluster's own command.</acknowledge>\n      <acknowledge risk=\"write\">It writes a report.</acknowledge>",
    ),
    of(
        Directive,
        &rules::BAD_HOST,
        "§2.6",
        "<network host=\"api.example.org, *.example.net:8443\" />",
        "<network host=\"https://api.example.org/v1, *\" />",
    ),
    of(
        Directive,
        &rules::STEP_PATH,
        "§2.3",
        "<param name=\"path\" value=\"k8s/{input:service}.yaml\" />",
        "<param name=\"path\" value=\"secrets/key.txt\" />",
    ),
    of(
        YamlTool,
        &rules::TOOL_KEY,
        "§3",
        "config: {command: wc, args: [-w, \"{tool_path}\"]}",
        "config: {command: wc, args: [-w, \"{tool_path}\"]}\nfixed_parms: {limit: 10}",
    ),
    of(Directive, &rules::SPAWN_LIMIT, "§2.9", "tokens=\"100000\" />", "tokens=\"100000\" spawns=\"3\" depth=\"2\" />"),
    of(Directive, &rules::SPAWN_THRESHOLD, "§2.9", "turns=\"5\">8000", "turns=\"5\" spawn_threshold=\"3\">8000"),
    of(
        Directive,
        &rules::MENTIONED,
        "§2.10",
        "<depends_on>demo/build_images</depends_on>",
        "<depends_on>demo/build_images</depends_on>\n      <suggests>demo/watch_staging</suggests>",
    ),
    of(
        Directive,
        &rules::SPAWN_PERMISSION,
        "§2.9",
        "<tool>rye.file-system.read</tool>",
        "<tool>rye.file-system.read</tool>\n        <tool>rye.agent.threads.thread_directive</tool>",
    ),
    of(Tool, &rules::TOOL_SETTING, "§2.9", "# category: demo\n", "# category: demo\n# config: {url: x}\n"),
    of(
        YamlTool,
        &rules::PROVIDER_KEY,
        "§6",
        "tool_type: runtime\nexecutor_id: rye/core/primitives/subprocess\nconfig: {command: wc, args: [-w, \"{tool_path}\"]}",
        "tool_type: provider\nplugin: openai\nurl: https://llm.example.org/v1\nretry: {times: 3}",
    ),
];
