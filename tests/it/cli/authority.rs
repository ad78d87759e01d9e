//! Who may set what: every setting is in one table, and each source is held to its row.

use std::collections::BTreeSet;
use std::path::Path;

use rye::context::authority::{self, Effect, ROWS, Source};
use rye::context::{Config, ConfigError, ProjectConfig};
use rye::format::{Severity, parse};
use rye::id::ItemType;

use crate::support::Sandbox;

const GREET: &str = include_str!("../support/items/greet.md");

/// A price that is whole.
const PRICED: &str = "prices.a.b.input_per_million=1\nprices.a.b.output_per_million=1";

/// A value for each setting: lines of the same table that it needs, and its own.
const VALUES: &[(&str, &str, &str)] = &[
    ("threads.prefix", "", "threads.prefix='x'"),
    ("threads.keep", "", "threads.keep='1d'"),
    ("threads.share", "", "threads.share=['target']"),
    ("tree.share", "", "tree.share=['target']"),
    ("tree.setup.command", "tree.share=['a']\ntree.setup.locks=['a']", "tree.setup.command=['sh']"),
    (
        "tree.setup.hosts",
        "tree.share=['a']\ntree.setup.command=['sh']\ntree.setup.locks=['a']",
        "tree.setup.hosts=['*.evil.example']",
    ),
    ("tree.setup.locks", "tree.share=['a']\ntree.setup.command=['sh']", "tree.setup.locks=['a']"),
    ("items.shadow_reserved", "", "items.shadow_reserved=true"),
    ("capabilities.offered", "", "capabilities.offered=['zfs']"),
    ("permissions.deny", "", "permissions.deny=['rye.sign.*']"),
    ("permissions.ask", "", "permissions.ask=['rye.sign.*']"),
    ("permissions.unasked", "", "permissions.unasked=['rye.execute.tool.rye.registry.*']"),
    ("mcp.permissions", "", "mcp.permissions=['rye.*']"),
    ("commit.sign", "", "commit.sign='own'"),
    ("agents.sign", "", "agents.sign='allow'"),
    ("secrets.<name>.hosts", "secrets.KEY.items=['a']", "secrets.KEY.hosts=['evil.example']"),
    ("secrets.<name>.items", "secrets.KEY.hosts=['a.example']", "secrets.KEY.items=['evil']"),
    ("sandbox", "", "sandbox='off'"),
    ("sandbox.mode", "", "sandbox.mode='off'"),
    ("sandbox.write", "", "sandbox.write=['/']"),
    ("sandbox.network", "", "sandbox.network=['*.evil.example']"),
    (
        "outgoing.test_secrets",
        "",
        "outgoing.test_secrets=['0000000000000000000000000000000000000000000000000000000000000000']",
    ),
    ("net.roots", "", "net.roots='platform'"),
    ("limits.strict", "", "limits.strict=true"),
    ("limits.repeats", "", "limits.repeats=100"),
    ("limits.rates", "", "limits.rates.'EUR/USD'=9"),
    ("prices.<name>.<name>.input_per_million", "prices.a.b.output_per_million=1", "prices.a.b.input_per_million=2"),
    ("prices.<name>.<name>.output_per_million", "prices.a.b.input_per_million=1", "prices.a.b.output_per_million=2"),
    ("prices.<name>.<name>.cache_read_per_million", PRICED, "prices.a.b.cache_read_per_million=0.5"),
    ("prices.<name>.<name>.cache_write_per_million", PRICED, "prices.a.b.cache_write_per_million='2'"),
    ("prices.<name>.<name>.cache_write_1h_per_million", PRICED, "prices.a.b.cache_write_1h_per_million=3"),
    ("prices.<name>.<name>.currency", PRICED, "prices.a.b.currency='EUR'"),
    ("mcp_servers.<name>.command", "", "mcp_servers.x.command=['/tmp/evil']"),
    ("mcp_servers.<name>.url", "", "mcp_servers.x.url='https://evil.example'"),
    ("mcp_servers.<name>.env", "mcp_servers.x.command=['a']", "mcp_servers.x.env=['KEY']"),
    ("mcp_servers.<name>.read", "mcp_servers.x.command=['a']", "mcp_servers.x.read=['/']"),
    ("mcp_servers.<name>.write", "mcp_servers.x.command=['a']", "mcp_servers.x.write=['/']"),
    ("mcp_servers.<name>.hosts", "mcp_servers.x.command=['a']", "mcp_servers.x.hosts=['*.evil.example']"),
    ("mcp_servers.<name>.auth", "mcp_servers.x.url='https://a.example'", "mcp_servers.x.auth.secret='KEY'"),
    ("mcp_servers.<name>.timeout", "mcp_servers.x.command=['a']", "mcp_servers.x.timeout=3600"),
    ("context.project", "", "context.project='none'"),
    ("context.environment", "", "context.environment=false"),
    ("skills.paths", "", "skills.paths=['more/skills']"),
    ("interpreters.<name>", "", "interpreters.sh='/tmp/evil'"),
    ("shell.<name>.program", "shell.x.env.A='b'", "shell.x.program='/tmp/evil'"),
    ("shell.<name>.read", "shell.x.env.A='b'", "shell.x.read=['/']"),
    ("shell.<name>.write", "shell.x.env.A='b'", "shell.x.write=['/']"),
    ("shell.<name>.hosts", "shell.x.env.A='b'", "shell.x.hosts=['*.evil.example']"),
    ("shell.<name>.sockets", "shell.x.env.A='b'", "shell.x.sockets.B='/run/docker.sock'"),
    ("shell.<name>.env", "shell.x.read=['/a']", "shell.x.env.A='b'"),
];

fn value(key: &str) -> (&'static str, &'static str) {
    let found = VALUES.iter().find(|(known, ..)| *known == key);
    let (_, needs, line) = found.unwrap_or_else(|| panic!("`{key}` has no value in this test: add one"));
    (needs, line)
}

fn config(text: &str, flags: &[&str]) -> Result<Config, ConfigError> {
    let flags: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
    Config::parse(Path::new("config.toml"), text, &flags)
}

/// Asks the reader which keys it knows below a path, down to the values.
fn keys_below(path: &str, found: &mut BTreeSet<String>) {
    let text = if path.is_empty() { "zzz=1".to_owned() } else { format!("{path}.zzz=1") };
    let told = config(&text, &[]).map_or_else(|error| error.to_string(), |_| String::new());
    let Some((_, list)) = told.split_once("unknown setting `zzz`").and_then(|(_, rest)| rest.split_once("expected "))
    else {
        found.insert(path.to_owned());
        return;
    };
    for key in list.split('`').skip(1).step_by(2) {
        let name = match (path, key) {
            ("", "secrets") => ".KEY",
            ("", "mcp_servers" | "shell") => ".x",
            ("", "prices") => ".a.b",
            ("", "interpreters") => ".sh",
            _ => "",
        };
        let path = if path.is_empty() { format!("{key}{name}") } else { format!("{path}.{key}") };
        keys_below(&path, found);
    }
}

#[test]
fn every_setting_that_the_reader_knows_has_a_row_and_every_row_is_read() {
    let mut known = BTreeSet::new();
    keys_below("", &mut known);
    let is_of = |row: &str, key: &str| {
        let parts = key.split('.').collect::<Vec<_>>();
        let row = row.split('.').collect::<Vec<_>>();
        row.len() <= parts.len() && row.iter().zip(&parts).all(|(row, part)| *row == "<name>" || row == part)
    };
    assert!(known.len() > 35, "{known:?}");
    for key in &known {
        let rows: Vec<&str> = ROWS.iter().map(|row| row.key).filter(|row| is_of(row, key)).collect();
        assert!(rows.iter().any(|row| *row != "sandbox"), "`{key}` has no row in the table of settings");
    }
    for row in ROWS {
        let (needs, line) = value(row.key);
        let of_projects =
            || ProjectConfig::parse(Path::new("config.toml"), format!("{needs}\n{line}").as_bytes()).is_ok();
        let is_read = match row.effect(Source::Person) {
            Effect::Refused => of_projects(),
            Effect::Sets | Effect::Tightens(_) | Effect::Proposes => known.iter().any(|key| is_of(row.key, key)),
        };
        assert!(is_read, "the reader does not know `{}`", row.key);
    }
}

#[test]
fn the_person_s_file_sets_every_setting() {
    for row in ROWS {
        let (needs, line) = value(row.key);
        if row.effect(Source::Project) == Effect::Proposes {
            // A person has a key of their own for what a project proposes.
            let told = config(&format!("{needs}\n{line}"), &[]).unwrap_err().to_string();
            assert!(row.effect(Source::Person) == Effect::Refused && told.contains("unknown setting `tree`"), "{told}");
            continue;
        }
        assert_eq!(row.effect(Source::Person), Effect::Sets, "{}", row.key);
        let without = Config::parse(Path::new("config.toml"), needs, &[]).ok();
        let with = config(&format!("{needs}\n{line}"), &[]).unwrap();
        assert_ne!(without, Some(with), "`{line}` has no effect");
    }
}

#[test]
fn a_flag_is_held_to_its_row() {
    for row in ROWS {
        let (needs, line) = value(row.key);
        let file = match (row.effect(Source::Flag), row.effect(Source::Person)) {
            (Effect::Sets, _) => needs.to_owned(),
            (_, Effect::Refused) => String::new(),
            _ => format!("{needs}\n{line}"),
        };
        let given = config(&file, &[line]);
        match row.effect(Source::Flag) {
            Effect::Sets => assert_eq!(given.unwrap(), config(&format!("{needs}\n{line}"), &[]).unwrap()),
            Effect::Refused => {
                let told = given.unwrap_err().to_string();
                assert!(told.contains(", not with `--config`"), "{line}: {told}");
            }
            Effect::Proposes => panic!("a flag proposes `{}`", row.key),
            Effect::Tightens(_) => {
                let alone = config("", &[line]).unwrap_or_default();
                assert_eq!((&alone.mcp.permissions, alone.items.shadow_reserved), (&None, false), "{line}");
            }
        }
        // As part of an inline table it is the same setting.
        if let ([table, key], Effect::Refused) = (&row.key.split('.').collect::<Vec<_>>()[..], row.effect(Source::Flag))
            && *key != "<name>"
        {
            let inline = line.replace(&format!("{table}.{key}="), &format!("{table}={{{key}=")) + "}";
            assert!(config(&file, &[&inline]).is_err(), "{inline}");
        }
    }
}

/// A flag takes back nothing that the person's file forbids.
#[test]
fn a_flag_only_adds_to_what_the_file_forbids() {
    let text = "permissions.deny=['rye.sign.*']\npermissions.ask=['rye.load.*']\nmcp.permissions=['rye.search.*']\n";
    let own = config(text, &[]).unwrap();
    let flags = [
        "permissions.deny=[]",
        "permissions.ask=[]",
        "permissions={deny=[], ask=[]}",
        "permissions={}",
        "mcp={}",
        "items.shadow_reserved=false",
        "permissions.deny=['rye.execute.*']",
        "mcp.permissions=['rye.*']",
        "mcp={permissions=[]}",
    ];
    for flag in flags {
        let with = config(text, &[flag]).unwrap();
        for pattern in &own.permissions.deny {
            assert!(with.permissions.deny.contains(pattern), "{flag}");
        }
        for pattern in &own.permissions.ask {
            assert!(with.permissions.ask.contains(pattern), "{flag}");
        }
        assert_eq!((&with.mcp.permissions, with.items.shadow_reserved), (&own.mcp.permissions, false), "{flag}");
    }
    let with = config(text, &flags).unwrap();
    assert_eq!((with.permissions.deny.len(), with.mcp.narrowing.len()), (2, 2));
    assert!(config("items.shadow_reserved=true", &["items.shadow_reserved=true"]).unwrap().items.shadow_reserved);
    assert!(!config("items.shadow_reserved=true", &["items.shadow_reserved=false"]).unwrap().items.shadow_reserved);
}

#[test]
fn a_project_is_held_to_its_rows() {
    for row in ROWS {
        let (needs, line) = value(row.key);
        let parse = |text: &str| ProjectConfig::parse(Path::new(".ai/config.toml"), text.as_bytes());
        let read = parse(line);
        for source in [Source::Project, Source::Accepted] {
            match row.effect(source) {
                Effect::Proposes => {
                    let read = parse(&format!("{needs}\n{line}")).unwrap();
                    assert_ne!(Some(read), parse(needs).ok(), "{line}");
                    assert_eq!((source, row.effect(Source::Accepted)), (Source::Project, Effect::Sets), "{}", row.key);
                }
                Effect::Sets => assert!(
                    source == Source::Accepted && row.effect(Source::Project) == Effect::Proposes,
                    "a project sets `{}`",
                    row.key
                ),
                Effect::Tightens(_) => assert_ne!(read.as_ref().unwrap(), &ProjectConfig::default(), "{line}"),
                Effect::Refused => assert!(read.is_err(), "{line}"),
            }
        }
    }
}

/// Nothing runs under a project's file that does more than tighten, and nobody can accept it.
#[test]
fn a_project_s_refused_setting_stops_a_thread_and_a_proposal() {
    let sandbox = Sandbox::signed();
    for row in ROWS.iter().filter(|row| row.effect(Source::Project) == Effect::Refused) {
        let (needs, line) = value(row.key);
        sandbox.put(".ai/config.toml", &format!("{needs}\n{line}\n"));
        let seen = sandbox.rye(&["thread", "run", "demo/greet", "-i", "name=Ada"]).transcript();
        assert!(seen.contains("error: invalid configuration `") && seen.ends_with("[exit 2]\n"), "{line}: {seen}");
        let seen = sandbox.rye(&["trust", "propose", "--principal", "ada@example.org"]).transcript();
        assert!(seen.contains("the trust file `config.toml` cannot be used"), "{line}: {seen}");
    }
    assert_eq!(sandbox.git(&["branch", "--list", "rye/threads/*"]), "");
    assert!(!sandbox.project().join(".ai/trust").exists());
}

/// A directive has no element or attribute of this name: with one, it has an error and cannot be used.
#[test]
fn a_directive_is_held_to_its_rows() {
    for row in ROWS {
        // What a directive tightens has an element of its own, which takes no other value.
        let is_of_context = row.key.starts_with("context.");
        let tightens = matches!(row.effect(Source::Directive), Effect::Tightens(_));
        assert!(
            tightens == is_of_context && (tightens || row.effect(Source::Directive) == Effect::Refused),
            "{}",
            row.key
        );
        let mut parts = row.key.split('.').map(|part| if part == "<name>" { "x" } else { part });
        let (table, key) = (parts.next().unwrap(), parts.next_back().unwrap_or("mode"));
        for element in [format!("<{table} {key}=\"x\" />"), format!("<{table}><{key}>x</{key}></{table}>")] {
            let text = match (table, element.contains("/>")) {
                ("limits", _) => GREET.replace("<limits ", &format!("<limits {key}=\"x\" ")),
                ("permissions", true) => GREET.replace("<permissions>", &format!("<permissions {key}=\"x\">")),
                ("permissions", false) => GREET.replace("<permissions>", &format!("<permissions><{key}>x</{key}>")),
                _ => GREET.replace("<category>", &format!("{element}<category>")),
            };
            let found = parse(ItemType::Directive, &"md".parse().unwrap(), &text).findings;
            let is_named =
                |message: &str| message.contains(&format!("`<{table}>`")) || message.contains(&format!("`<{key}>`"));
            assert!(
                found.iter().any(|it| it.severity == Severity::Error && is_named(&it.message)),
                "{element}: {found:?}"
            );
        }
    }
}

/// No variable sets a setting.
#[test]
fn a_variable_sets_nothing() {
    let sandbox = Sandbox::signed();
    let run = |variables: &[(String, String)]| {
        let run = sandbox.rye(&["permissions", "demo/greet"]);
        let seen = variables.iter().fold(run, |run, (name, value)| run.env(name, value)).transcript();
        seen.split_once('\n').unwrap().1.to_owned()
    };
    let names = ROWS.iter().map(|row| row.key.replace(".<name>", "_X").replace('.', "_").to_uppercase());
    let variables: Vec<(String, String)> = names
        .flat_map(|name| [format!("RYE_{name}"), format!("RYE_CONFIG_{name}")])
        .map(|name| (name, "rye.*".to_owned()))
        .collect();
    assert_eq!(run(&variables), run(&[]));
}

#[test]
fn docs_have_the_table() {
    let path = Path::new(crate::support::ROOT).join("docs/formats.md");
    let written = std::fs::read_to_string(&path).unwrap();
    let (head, rest) = written.split_once("<!-- settings -->\n").unwrap();
    let (table, tail) = rest.split_once("<!-- end of settings -->").unwrap();
    let generated = authority::markdown();
    if std::env::var_os("RYE_UPDATE_DOCS").is_some() {
        let text = format!("{head}<!-- settings -->\n{generated}<!-- end of settings -->{tail}");
        std::fs::write(&path, text).unwrap();
    } else {
        assert!(table == generated, "docs/formats.md is out of date: run the test again with RYE_UPDATE_DOCS=1");
    }
}
