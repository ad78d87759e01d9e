//! What the oldest document, 000, means: the reference of a directive's metadata, in pure XML.

use serde_json::{Value, json};

use super::table::{Row, action, calls, elsewhere, hook, means, nothing, output, usd};

const FORM: &str = "a form: dots stand where values belong";
const MISPRINT: &str = "a misprint: under the heading of the context stands the section on permissions once more";

pub(super) fn rows() -> Vec<Row> {
    let [first, second, third, fourth] = [attributes(), budget(), hooks(), whole()];
    [first, second, third, fourth].into_iter().flatten().collect()
}

fn attributes() -> Vec<Row> {
    vec![
        // The dots leave out the three required elements.
        means(15, "<directive name=", json!({"name": "directive_name", "version": "1.0.0"}))
            .found(&["RYE-D010", "RYE-D010", "RYE-D010", "RYE-D007"]),
        means(33, "<description>Deploy staging", json!("Deploy staging environment … c706f890")),
        means(44, "<category>", json!("workflows")),
        means(55, "<author>", json!("rye-team")),
        means(
            66,
            "<model tier=\"orchestrator\"",
            json!({
                "tier": "orchestrator", "fallback": "general", "id": "model-custom-id",
                "text": "Orchestrator-level directive with … 484ae358",
            }),
        )
        .found(&[]),
        // The last grants everything that can be executed, so the one before it is covered twice.
        means(
            92,
            "<permissions>",
            json!({
                "calls": ["rye.execute.tool.rye.shell.pytest", "rye.execute.*"],
                "paths": {"read": ["**/*"], "write": ["tests/**"]},
            }),
        )
        .found(&["RYE-P007", "RYE-P004", "RYE-P012", "RYE-P007", "RYE-P005"]),
        nothing(103, "<read resource=\"...\"", FORM),
        nothing(104, "<write resource=\"...\"", FORM),
        nothing(105, "<execute resource=\"...\"", FORM),
        means(
            116,
            "<!-- File system access",
            json!([
                {"paths": {"read": [".ai/directives/**/*.md"]}},
                {"paths": {"write": ["build/**"]}},
                calls(["rye.execute.tool.rye.shell.pytest"]),
                calls(["rye.execute.tool.rye.shell.*"]),
                calls(["rye.search.*"]),
                calls(["rye.*"]),
                calls(["rye.execute.tool.deploy-kubernetes"]),
            ]),
        )
        .found(&["RYE-P007", "RYE-P004", "RYE-P007", "RYE-P004", "RYE-P007", "RYE-P007", "RYE-P005", "RYE-P007"]),
    ]
}

fn cost(turns: u32, tokens: u32, duration: u32, spend: &str) -> Value {
    json!({
        "estimated_usage": "high", "turns": turns, "spawn_threshold": 5, "context_tokens": tokens,
        "duration": duration, "spend": usd(spend),
    })
}

fn budget() -> Vec<Row> {
    let least = json!({"estimated_usage": "medium", "turns": 10, "spawn_threshold": 3, "context_tokens": 8000});
    vec![
        means(141, "<cost>", cost(15, 12_000, 600, "20.00")).found(&["RYE-U013"]),
        means(171, "<!-- Full example", json!([cost(20, 15_000, 900, "25.00"), least]))
            .found(&["RYE-U013", "RYE-D048", "RYE-U013"]),
        nothing(199, "<permissions>", MISPRINT),
        nothing(210, "<read resource=", MISPRINT),
        nothing(211, "<write resource=", MISPRINT),
        nothing(212, "<execute resource=", MISPRINT),
        nothing(223, "<!-- File system access", MISPRINT),
        means(
            249,
            "<context>",
            json!({
                "related_files": ["src/handlers/directive.py", "tests/directive_handler_test.py"],
                "dependencies": ["pytest>=7.0", "asyncio"],
                "requires": ["subagent"],
                "depends_on": ["another-directive"],
                "used_by": ["orchestrator-directive"],
                "suggests": ["related-directive"],
            }),
        ),
    ]
}

const MISMATCH: &str = "deviation.type == \"schema_mismatch\"";
const LOOP: &str = "loop_count > 3";
const NAME: (&str, &str) = ("original_directive", "${directive.name}");
const LACKING: (&str, &str) = ("requested_resource", "${error.resource}");

fn denied<const N: usize>(inputs: [(&str, &str); N]) -> Value {
    hook("error.type == \"permission_denied\"", "directive", "request-elevated-permissions", inputs)
}

fn critical() -> Value {
    hook("cost.current > cost.limit * 0.9", "directive", "warn-cost-critical", [])
}

fn rollback() -> Value {
    let inputs = [("rollback_to_version", "previous"), ("ask_user", "true")];
    hook("deviation.type == \"rollback_required\"", "directive", "handle-deployment-failure", inputs)
}

fn hooks() -> Vec<Row> {
    let warn = hook("cost.current > cost.limit * 0.8", "directive", "warn-cost-threshold", []);
    let looping = hook(LOOP, "directive", "handle-loop-detected", [("loop_count", "${loop_count}"), NAME]);
    let mend = [("deviation_details", "${deviation.message}"), ("auto_fix", "true")];
    vec![
        means(287, "<hooks>", json!([warn, looping])),
        elsewhere(309, "${variable}", "variables_are_filled_in_once"),
        means(313, "item_type=\"directive\"", action("execute", "directive", "a")),
        means(314, "item_type=\"tool\"", action("execute", "tool", "a")),
        means(315, "item_type=\"knowledge\"", action("execute", "knowledge", "a")),
        means(
            328,
            "<!-- Execute directive on cost",
            json!([
                critical(),
                denied([LACKING, NAME]),
                hook(MISMATCH, "knowledge", "schema-mismatch-resolution", []),
                hook(MISMATCH, "tool", "fix-schema-deviation", mend),
                rollback(),
            ]),
        ),
    ]
}

fn whole() -> Vec<Row> {
    vec![
        // Pure XML and a name in kebab-case: two old forms.
        means(
            376,
            "<directive name=\"deploy-staging\"",
            json!({
                "name": "deploy-staging", "version": "1.0.0", "category": "workflows", "author": "devops-team",
                "description": "Deploy application to … 0654861d",
                "steps": [
                    {"name": "build", "text": "Build application npm … a9d17d71"},
                    {"name": "deploy", "text": "Deploy to staging … 67d79b59"},
                ],
                "criteria": ["Build completes successfully", "Staging deployment is accessible"],
                "outputs": [
                    output("deployment_url", "Final URL of … 49ad6a6a"),
                    output("status", "Deployment status (success/failed)"),
                    output("logs", "Build and deployment … 553f09a3"),
                ],
            }),
        )
        .found(&["RYE-D033", "RYE-D034"]),
        means(416, "<directive name=\"deploy-and-test\"", advanced()).found(&[
            "RYE-D034", "RYE-P007", "RYE-P004", "RYE-P012", "RYE-P007", "RYE-P004", "RYE-P012", "RYE-P007", "RYE-P005",
            "RYE-P007", "RYE-U013",
        ]),
        nothing(501, "<output name=", FORM),
        means(502, "**/*.py", json!({"paths": {"read": ["**/*.py"]}})),
        means(530, ".ai/directives/**", json!({"paths": {"read": [".ai/directives/**/*.md"]}})),
    ]
}

fn advanced() -> Value {
    json!({
        "name": "deploy-and-test", "version": "1.0.0", "category": "workflows", "author": "devops-team",
        "description": "Deploy to staging … 9f94aa4c",
        "model": {
            "tier": "orchestrator", "fallback": "general", "text": "Multi-agent deployment orchestration … 7c6990cb",
        },
        "context": {
            "related_files": ["scripts/deploy.py", "tests/integration/", "k8s/staging.yaml"],
            "requires": ["docker-runtime"], "depends_on": ["build-images"], "suggests": ["monitoring-setup"],
        },
        "permissions": {
            "calls": [
                "rye.execute.tool.rye.shell.docker", "rye.execute.tool.rye.shell.kubectl", "rye.execute.*", "rye.search.*",
            ],
            "paths": {"read": ["k8s/**", "scripts/**"], "write": ["build/**", "logs/**"]},
        },
        "cost": cost(20, 100_000, 900, "30.00"),
        "hooks": [
            critical(),
            hook(LOOP, "directive", "handle-loop-detected", [NAME]),
            denied([LACKING]),
            rollback(),
        ],
    })
}
