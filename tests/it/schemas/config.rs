//! The JSON Schema of the configuration, for editors. Tests hold it to the types that read the file.

use rye::context::{Config, GIVEN_VARIABLES, INTERPRETERS};
use serde_json::{Value, json};

/// Returns the JSON Schema of `config.toml`.
pub(super) fn config_json_schema() -> Value {
    let default = Config::default();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The configuration of Rye",
        "description": "$XDG_CONFIG_HOME/rye/config.toml, or ~/.config/rye/config.toml.",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "threads": table(json!({
                "prefix": {
                    "type": "string",
                    "default": default.threads.prefix,
                    "pattern": "^[A-Za-z0-9][A-Za-z0-9_-]*(/[A-Za-z0-9][A-Za-z0-9_-]*)*$",
                    "description": "What the branches of threads begin with, before /threads/ID.",
                },
                "keep": {
                    "type": "string",
                    "pattern": "^[0-9]+[mhdw]$",
                    "description": "The age beyond which finished threads move to the archive, such as 30d.",
                },
                "share": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "Ignored folders that the trees of threads get copies of, such as node_modules.",
                },
            })),
            "context": table(json!({
                "project": {
                    "enum": ["all", "signed", "none"],
                    "default": default.context.project.as_str(),
                    "description": "Which of the project's own instructions the models of threads read.",
                },
                "environment": {
                    "type": "boolean",
                    "default": default.context.environment,
                    "description": "Whether the models of threads are told of project, date, platform and budget.",
                },
            })),
            "items": table(json!({
                "shadow_reserved": {
                    "type": "boolean",
                    "default": default.items.shadow_reserved,
                    "description": "Whether nearer items take the place of those below rye/.",
                },
            })),
            "skills": table(json!({
                "paths": {
                    "type": "array",
                    "items": {"type": "string"},
                    "default": default.skills.paths,
                    "description": "The folders of a project that clients read skills from; the first is where new ones go. In the file only.",
                },
            })),
            "capabilities": table(json!({
                "offered": {
                    "type": "array",
                    "items": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9_-]*$", "maxLength": 200},
                    "description": "Words for what this installation offers to directives that require it.",
                },
            })),
            "permissions": table(json!({
                "deny": patterns("Calls that no thread may make."),
                "ask": patterns("Calls that a person must agree to each time."),
                "unasked": patterns("Calls of the tools of registries that are made without a question; in the file only."),
            })),
            "mcp": table(json!({
                "permissions": patterns("The only calls that a connection over MCP may make."),
            })),
            "commit": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "sign": {
                        "enum": ["ask", "own"],
                        "default": "ask",
                        "description": "What a commit signs without asking: nothing, or changes to items that this person signed and committed.",
                    },
                },
            },
            "outgoing": table(json!({
                "test_secrets": {
                    "type": "array",
                    "items": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
                    "description": "The SHA-256 of tokens and keys of tests, which may be committed, pushed and published; in the file only.",
                },
            })),
            "agents": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "sign": {
                        "enum": ["ask", "allow"],
                        "default": "ask",
                        "description": "Whether a command that an agent client started may sign as this person and widen trust without asking.",
                    },
                },
            },
            "secrets": {
                "type": "object",
                "propertyNames": {"pattern": "^[A-Z][A-Z0-9_]*$"},
                "additionalProperties": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["hosts", "items"],
                    "properties": {
                        "hosts": {
                            "type": "array",
                            "items": {"type": "string"},
                            "description": "The hosts that the secret may go to, with a port where it is not the usual one."
                        },
                        "items": {
                            "type": "array",
                            "items": {"type": "string"},
                            "description": "The provider documents and tools that may use it."
                        }
                    }
                },
                "description": "Where secrets may go, besides where the built-in provider documents send theirs."
            },
            "mcp_servers": {
                "type": "object",
                "propertyNames": {"pattern": "^[A-Za-z0-9][A-Za-z0-9_-]*$", "maxLength": 64},
                "additionalProperties": mcp_server(),
                "description": "The MCP servers whose tools may be used, by their names.",
            },
            "sandbox": {
                "anyOf": [
                    {"type": "string", "enum": ["require", "required", "prefer", "off"]},
                    table(json!({
                        "mode": {
                            "type": "string",
                            "enum": ["require", "required", "prefer", "off"],
                            "description": "Whether scripts run in a sandbox: always, where the system has one (prefer), or never. Without one they run as you.",
                        },
                        "write": {
                            "type": "array",
                            "items": {"type": "string"},
                            "description": "What scripts may write outside of threads: paths in the project, or absolute ones.",
                        },
                        "network": {
                            "type": "array",
                            "items": {"type": "string"},
                            "description": "Hosts that scripts may reach outside of threads.",
                        },
                    })),
                ],
                "description": "Whether scripts run in a sandbox, and what they may write. Without it: required for those that a model runs, preferred for yours."
            },
            "limits": table(json!({
                "strict": {
                    "type": "boolean",
                    "default": default.limits.strict,
                    "description": "Whether a call is judged by the bytes of its request, which bound its tokens, instead of an estimate of them.",
                },
                "repeats": {
                    "type": "integer",
                    "minimum": 3,
                    "default": default.limits.repeats,
                    "description": "After how many rounds in a row with the same calls and the same results a thread is stopped.",
                },
                "rates": {
                    "type": "object",
                    "propertyNames": {"pattern": "^[A-Z]{3}/[A-Z]{3}$"},
                    "additionalProperties": {"type": ["number", "string"]},
                    "description": "What one unit of a currency costs in another, such as \"EUR/USD\" = 1.08.",
                },
            })),
            "prices": {
                "type": "object",
                "additionalProperties": {"type": "object", "additionalProperties": price()},
                "description": "What a million tokens of a model cost, by provider document and model; in the file only.",
            },
            "net": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "roots": {
                        "type": "string",
                        "enum": ["webpki", "platform"],
                        "default": "webpki",
                        "description": "Whose word is taken for who a server is: Mozilla's list, or the certificates of this machine."
                    }
                }
            },
            "interpreters": {
                "type": "object",
                "description": "The interpreter to use for each name that a tool kind asks for.",
                "propertyNames": {"enum": INTERPRETERS},
                "additionalProperties": {"type": "string", "pattern": "^/"},
            },
            "shell": {
                "type": "object",
                "description": "What programs reach that a model runs, by their names.",
                "propertyNames": {"pattern": "^[A-Za-z0-9][A-Za-z0-9_-]*$", "maxLength": 64},
                "additionalProperties": table(json!({
                    "program": {"type": "string", "pattern": "^(/|~/)", "description": "Where it is, if not on PATH under this name."},
                    "read": grants("Further files and folders that it reads."),
                    "write": grants("Further files and folders that it writes."),
                    "hosts": {"type": "array", "items": {"type": "string"}, "description": "Hosts that it reaches, whatever a directive names."},
                    "sockets": {
                        "type": "object",
                        "maxProperties": 8,
                        "propertyNames": {"not": {"enum": GIVEN_VARIABLES}},
                        "additionalProperties": {"type": "string", "pattern": "^(/|~/)"},
                        "description": "Unix sockets that it reaches, by the variables that get the address, such as DOCKER_HOST.",
                    },
                    "env": {
                        "type": "object",
                        "propertyNames": {"not": {"enum": GIVEN_VARIABLES}},
                        "additionalProperties": {"type": "string"},
                        "description": "Variables that it gets.",
                    },
                })),
            },
        },
    })
}

/// A price, as in a provider document.
fn price() -> Value {
    let amount = json!({"type": ["number", "string"]});
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["input_per_million", "output_per_million"],
        "properties": {
            "input_per_million": amount,
            "output_per_million": amount,
            "cache_read_per_million": amount,
            "cache_write_per_million": amount,
            "cache_write_1h_per_million": amount,
            "currency": {"type": "string", "pattern": "^[A-Z]{3}$", "default": "USD"},
        },
    })
}

fn grants(description: &str) -> Value {
    json!({"type": "array", "items": {"type": "string", "pattern": "^(/|~/)"}, "description": description})
}

/// A server: one that is started, or one that is asked over HTTP.
fn mcp_server() -> Value {
    let list = |description: &str| json!({"type": "array", "items": {"type": "string"}, "description": description});
    let secret = json!({"type": "string", "pattern": "^[A-Z_][A-Z0-9_]*$"});
    let timeout = json!({
        "type": "integer",
        "minimum": 1,
        "maximum": 3600,
        "default": 60,
        "description": "How many seconds a call may take.",
    });
    let started = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["command"],
        "properties": {
            "command": {"type": "array", "items": {"type": "string"}, "minItems": 1, "description": "The program and its arguments."},
            "env": {
                "anyOf": [
                    {"type": "array", "items": secret},
                    {
                        "type": "object",
                        "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$", "maxLength": 100},
                        "additionalProperties": {
                            "anyOf": [
                                {"type": "string"},
                                {
                                    "type": "object",
                                    "additionalProperties": false,
                                    "required": ["secret"],
                                    "properties": {"secret": secret},
                                },
                            ],
                        },
                    },
                ],
                "description": "The variables that it gets: the names of secrets and variables, or a table of plain values and { secret = \"NAME\" }.",
            },
            "read": list("What it may read besides its program: paths in the project, absolute ones, or ones below ~/."),
            "write": list("What it may write: paths in the project, absolute ones, or ones below ~/."),
            "hosts": list("The hosts that it may reach."),
            "timeout": timeout,
        },
    });
    let asked = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["url"],
        "properties": {
            "url": {"type": "string", "description": "The address of a server over HTTP."},
            "auth": {
                "type": "object",
                "additionalProperties": false,
                "required": ["secret"],
                "properties": {
                    "header": {"type": "string", "default": "authorization"},
                    "prefix": {"type": "string", "default": "Bearer "},
                    "secret": secret,
                },
                "description": "The header that authenticates, by the name of its secret.",
            },
            "timeout": timeout,
        },
    });
    json!({"anyOf": [started, asked]})
}

fn table(properties: Value) -> Value {
    json!({"type": "object", "additionalProperties": false, "properties": properties})
}

fn patterns(description: &str) -> Value {
    json!({"type": "array", "items": {"type": "string", "pattern": r"^rye\."}, "description": description})
}
