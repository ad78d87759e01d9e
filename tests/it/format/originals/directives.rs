//! What 001 means: the format of directives, itself a knowledge item.

use serde_json::{Value, json};

use super::table::{Row, action, calls, elsewhere, hook, input, means, nothing, output, search, step, usd, with};

pub(super) fn rows() -> Vec<Row> {
    [head(), required_metadata(), permissions(), optional_metadata(), declarations(), processes(), end()]
        .into_iter()
        .flatten()
        .collect()
}

fn head() -> Vec<Row> {
    let tags = [
        "directives",
        "format",
        "authoring",
        "metadata",
        "specification",
        "workflow",
        "xml",
        "steps",
        "process",
        "writing-directives",
        "create-directive",
    ];
    vec![
        means(
            1,
            "<!-- rye:signed:2026-02-26",
            json!({
                "signature": "a line",
                "name": "directive-format", "title": "Directive Format Specification", "entry_type": "reference",
                "category": "rye/authoring", "version": "1.0.0", "author": "rye-os",
                "created_at": "2026-02-18T00:00:00Z", "tags": tags,
                "references": ["tool-format", "knowledge-format", "docs/authoring/directives.md"],
                "body": "# Directive Format … 8fdf743c",
            }),
        ),
        nothing(3, "name: directive-format", "the header of the document, read with it as a whole"),
        nothing(35, "Line 1:", "a picture of a file"),
        nothing(59, "<!-- rye:signed:TIMESTAMP", "a form: words in capitals stand where values belong"),
        nothing(71, "<!-- rye:signed:TIMESTAMP", "a form: words in capitals stand where values belong"),
        // The line is a form too. Advice: the input is not used, the call is not written out and names no tool of a
        // thread; signing is elevated.
        means(77, "<!-- rye:signed:TIMESTAMP", anatomy())
            .found(&["RYE-P004", "RYE-U013", "RYE-D027", "RYE-D036", "RYE-D045"]),
    ]
}

fn anatomy() -> Value {
    json!({
        "signature": "malformed",
        "title": "Directive Title", "preamble": "Description of what … fa6a2deb",
        "name": "directive_name", "version": "1.0.0", "category": "category/path", "author": "author-name",
        "description": "What this directive does",
        "model": {"tier": "haiku", "id": "claude-3-5-haiku-20241022"},
        "limits": {"turns": 6, "tokens": 4096},
        "permissions": calls([
            "rye.execute.tool.rye.file-system.*", "rye.search.directive.*", "rye.load.knowledge.category.*",
            "rye.sign.directive.*",
        ]),
        "cost": {
            "estimated_usage": "medium", "turns": 10, "spawn_threshold": 3, "context_tokens": 8000, "duration": 600,
            "spend": usd("5.00"),
        },
        "context": {
            "related_files": ["src/handlers/directive.py"], "requires": ["subagent"], "depends_on": ["build-images"],
            "suggests": ["monitoring-setup"],
        },
        "hooks": [critical()],
        "inputs": [{
            "name": "param_name", "type": "string", "required": true, "default": "value",
            "description": "Description of this input",
        }],
        "outputs": [output("result_name", "Description")],
        "steps": [step("step_name", "Natural language instructions … 69aa4f4d", None)],
        "criteria": ["Measurable success condition"],
        "body": "<process> <step name=\"step_name\"> … 2b10acd5",
    })
}

fn required_metadata() -> Vec<Row> {
    vec![
        // Every required element is missing in the place of the dots, and those of a thread with them.
        means(155, "<directive name=", json!({"name": "directive_name", "version": "1.0.0"})).found(&[
            "RYE-D029", "RYE-D030", "RYE-D031", "RYE-D010", "RYE-D010", "RYE-D010", "RYE-D007", "RYE-D007", "RYE-D050",
            "RYE-D007",
        ]),
        means(181, "<description>Deploy", json!("Deploy staging environment … c706f890")),
        means(192, "<category>rye/core", json!(["rye/core", "workflows"])),
        means(204, "<author>", json!("rye-os")),
        means(
            215,
            "<!-- Simple",
            json!([
                {"tier": "low"},
                {"tier": "haiku", "id": "claude-3-5-haiku-20241022"},
                {"tier": "orchestrator", "fallback": "general"},
                {"tier": "orchestrator", "fallback": "general", "fallback_id": "claude-3-5-sonnet-20241022"},
            ]),
        )
        .found(&[]),
    ]
}

fn permissions() -> Vec<Row> {
    vec![
        // `spawn_thread` has another name now.
        means(
            253,
            "<permissions>",
            calls([
                "rye.execute.tool.rye.file-system.*",
                "rye.execute.tool.rye.agent.threads.thread_directive",
                "rye.search.directive.*",
                "rye.search.tool.rye.registry.*",
                "rye.load.knowledge.rye.core.*",
                "rye.sign.directive.*",
            ]),
        )
        .found(&["RYE-P009", "RYE-U017", "RYE-P004"]),
        elsewhere(283, "rye.{primary}", "stars_cross_dots_and_stop_at_nothing_else"),
        // Everything and all that can be executed are refused without an acknowledgement; signing is elevated.
        means(
            287,
            "<permissions>*",
            json!([
                calls(["rye.*"]),
                calls(["rye.execute.*"]),
                calls(["rye.search.*"]),
                calls(["rye.load.*"]),
                calls(["rye.sign.*"]),
                calls(["rye.execute.tool.rye.agent.*"]),
            ]),
        )
        .found(&["RYE-P005", "RYE-P005", "RYE-P004"]),
        means(
            303,
            "<cost>",
            json!({
                "estimated_usage": "high", "turns": 15, "spawn_threshold": 5, "context_tokens": 12_000, "duration": 600,
                "spend": usd("20.00"),
            }),
        )
        .found(&["RYE-U013"]),
    ]
}

fn critical() -> Value {
    hook("cost.current > cost.limit * 0.9", "directive", "warn-cost-critical", [])
}

fn denied() -> Value {
    let inputs = [("requested_resource", "${error.resource}")];
    hook("error.type == \"permission_denied\"", "directive", "request-elevated-permissions", inputs)
}

fn optional_metadata() -> Vec<Row> {
    let mend = [("deviation_details", "${deviation.message}"), ("auto_fix", "true")];
    vec![
        means(335, "<limits turns=\"6\"", json!([{"turns": 6, "tokens": 4096}, {"turns": 15, "tokens": 200_000}])),
        means(
            344,
            "<context>",
            json!({
                "related_files": ["scripts/deploy.py", "tests/integration/"],
                "dependencies": ["pytest>=7.0", "asyncio"],
                "requires": ["subagent"],
                "depends_on": ["build-images"],
                "suggests": ["monitoring-setup"],
            }),
        ),
        means(
            382,
            "<hooks>",
            json!([
                critical(),
                denied(),
                hook("deviation.type == \"schema_mismatch\"", "tool", "fix-schema-deviation", mend),
            ]),
        ),
        elsewhere(412, "${variable}", "variables_are_filled_in_once"),
    ]
}

fn declarations() -> Vec<Row> {
    let declared =
        json!([output("directive_path", "Path to the … d4104e0f"), output("signed", "Whether signing succeeded")]);
    let missing = "missing required input";
    let timeout = json!({
        "name": "timeout", "type": "integer", "required": false, "default": 120, "description": "Timeout in seconds",
    });
    vec![
        means(
            430,
            "<inputs>",
            json!([
                input("name", true, "Directive name in … c258a823"),
                timeout,
                input("tags", false, "Comma-separated tags"),
            ]),
        ),
        means(461, "{input:name}", json!(["x", "", missing])),
        means(462, "{input:name?}", json!(["x", "", missing])),
        means(463, "{input:name:default_value}", json!(["x", "default_value", missing])),
        means(464, "{input:name\\|default_value}", json!(["x", "default_value", missing])),
        means(
            466,
            "<step name=\"write_file\">",
            step("write_file", "Write to .ai/directives/{input:category}/{input:name}.md … c120f2b5", None),
        )
        // The step by itself: nothing of it signs.
        .found(&["RYE-D063"]),
        means(481, "<outputs>", declared.clone()),
        means(494, "<outputs>", declared),
        elsewhere(503, "<returns>", "outputs_are_told_as_what_to_return"),
        nothing(514, "{name, description}", "a form of another program's data"),
        nothing(514, "<output name=\"...\">", "a form: what a model is told for such data"),
        nothing(515, "{key: value}", "a form of another program's data"),
        nothing(515, "<output name=\"key\">", "a form: what a model is told for such data"),
        means(
            523,
            "<outputs>",
            json!({"success": "Created directive: {input:name}", "failure": "Failed to create … 6f09988b"}),
        )
        .found(&["RYE-D035", "RYE-D035"]),
    ]
}

fn processes() -> Vec<Row> {
    let look = || search("directive", "{input:name}");
    let sign = || action("sign", "directive", "{input:name}");
    let write = with(
        action("execute", "tool", "rye/file-system/fs_write"),
        [("path", ".ai/directives/{input:category}/{input:name}.md")],
    );
    vec![
        // A call with `{...}` for its parameters is text.
        means(
            538,
            "<process>",
            json!([
                step("check_duplicates", "Search for existing … 3f5b70f1", Some(look())),
                step("write_file", "Generate the directive … 93a7ad65", None),
                step("sign", "Validate and sign … 6c2b32a9", Some(sign())),
            ]),
        )
        .found(&["RYE-D036"]),
        means(
            559,
            "<process>",
            json!([
                step("check_duplicates", "Search for existing … d00ced22", Some(look())),
                step("write_file", "Write the directive file.", Some(write)),
                step("sign_directive", "Validate and sign.", Some(sign())),
            ]),
        )
        .found(&["RYE-P009"]),
        means(584, "`rye_execute(", Value::Null).found(&["RYE-D036"]),
        means(585, "<execute item_type=\"tool\"", action("execute", "tool", "rye/file-system/write")),
        means(586, "<search item_type=\"directive\"", look()),
        means(587, "<sign item_type=\"directive\"", sign()),
        means(
            595,
            "<success_criteria>",
            json!([
                "No duplicate directive … 65c64ac6",
                "Directive file created … 211d3c2a",
                "All required XML … 5869a03b",
                "Signature validation comment … d1ee20e8",
            ]),
        ),
    ]
}

fn end() -> Vec<Row> {
    vec![
        means(617, "rye.agent.*", calls(["rye.execute.tool.rye.agent.*"])),
        // Two tools of the shell without a word why; calls are spelled out.
        means(660, "<!-- rye:signed:2026-02-10", complete()).found(&["RYE-P004", "RYE-P004", "RYE-U013", "RYE-D045"]),
    ]
}

fn complete() -> Value {
    let shell = |tool: &str, command: &str| {
        Some(with(action("execute", "tool", &format!("rye/shell/{tool}")), [("command", command)]))
    };
    json!({
        "signature": "of an older program",
        "title": "Deploy and Test", "preamble": "Deploy to staging … ce743e7d",
        "name": "deploy_and_test", "version": "1.0.0", "category": "workflows", "author": "devops-team",
        "description": "Deploy to staging … 9f94aa4c",
        "model": {"tier": "orchestrator", "fallback": "general"},
        "permissions": calls([
            "rye.execute.tool.rye.shell.docker", "rye.execute.tool.rye.shell.kubectl", "rye.execute.tool.rye.file-system.*",
            "rye.search.directive.*", "rye.search.tool.*", "rye.load.tool.*",
        ]),
        "cost": {
            "estimated_usage": "high", "turns": 20, "spawn_threshold": 5, "context_tokens": 100_000, "duration": 900,
            "spend": usd("30.00"),
        },
        "context": {
            "related_files": ["scripts/deploy.py", "tests/integration/", "k8s/staging.yaml"],
            "requires": ["docker-runtime"], "depends_on": ["build-images"], "suggests": ["monitoring-setup"],
        },
        "hooks": [critical(), denied()],
        "inputs": [
            input("environment", true, "Target environment (staging, production)"),
            {
                "name": "skip_tests", "type": "boolean", "required": false, "default": false,
                "description": "Skip integration tests … 455f16a0",
            },
        ],
        "outputs": [
            output("deployment_id", "ID of the … 6fdf8e09"), output("test_results", "Summary of test results"),
        ],
        "steps": [
            step("build_images", "Build Docker images … dceb8196", shell("docker", "build")),
            step("deploy", "Deploy to {input:environment} … a3cb2395", shell("kubectl", "apply")),
            step("run_tests", "Run integration tests … 47ebf85e", None),
        ],
        "criteria": [
            "Docker images built successfully", "Deployment to {input:environment} … e7e54553",
            "All integration tests … 0cd9a9f8",
        ],
        "body": "<process> <step name=\"build_images\"> … 9036f89b",
    })
}
