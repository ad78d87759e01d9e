//! Who may set what: one table of every setting and every source of settings (docs/formats.md, section 8.1).
//!
//! The readers of the configuration ask this table. A setting without a row is refused from every source, so a new one
//! has no effect before its row is decided.

use std::fmt::Write as _;

use toml::{Table, Value};

use Effect::{Proposes as Pro, Refused as Ref, Sets as Set, Tightens as Tig};

/// Where a setting comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The person's own `config.toml`.
    Person,
    /// The project's `.ai/config.toml`, as the person accepted it under a `trust.sig`.
    Accepted,
    /// The project's `.ai/config.toml`, whoever wrote it.
    Project,
    /// A directive.
    Directive,
    /// `--config KEY=VALUE`: the caller of a command gives it, and that may be a model.
    Flag,
}

/// What counts of a setting from a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The value counts.
    Sets,
    /// The value counts as far as it tightens.
    Tightens(Tightening),
    /// The value counts once the person accepted it.
    Proposes,
    /// Nothing is done before the setting is removed: a sentence says so.
    Refused,
}

/// The settings that a source may tighten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tightening {
    /// `items.shadow_reserved`
    ShadowReserved,
    /// `permissions.deny`
    Deny,
    /// `permissions.ask`
    Ask,
    /// `mcp.permissions`
    McpPermissions,
    /// `skills.paths`
    SkillPaths,
    /// `context.project`
    ContextProject,
    /// `context.environment`
    ContextEnvironment,
}

/// A setting, and what each source may do with it.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The key; `<name>` is any name.
    pub key: &'static str,
    effects: [Effect; Source::ALL.len()],
}

/// Every setting. The columns are those of [`Source::ALL`]: the person's file, an accepted proposal, the project's file,
/// a directive, a flag.
pub const ROWS: &[Row] = &[
    row("threads.prefix", [Set, Ref, Ref, Ref, Ref]), // It says which branches the hooks judge as agents' work.
    row("threads.keep", [Set, Ref, Ref, Ref, Set]),   // It moves finished threads to the archive, and loses none.
    row("threads.share", [Set, Ref, Ref, Ref, Ref]),
    // What a model reads is the person's choice; an element of a directive, or a flag, takes away from it.
    row("context.project", [Set, Ref, Ref, Tig(Tightening::ContextProject), Tig(Tightening::ContextProject)]),
    row(
        "context.environment",
        [Set, Ref, Ref, Tig(Tightening::ContextEnvironment), Tig(Tightening::ContextEnvironment)],
    ),
    // A project says what its trees need; a person has `threads.share` for that.
    row("tree.share", [Ref, Set, Pro, Ref, Ref]),
    row("tree.setup.command", [Ref, Set, Pro, Ref, Ref]), // Agreed to once more before it runs.
    row("tree.setup.hosts", [Ref, Set, Pro, Ref, Ref]),
    row("tree.setup.locks", [Ref, Set, Pro, Ref, Ref]),
    row("items.shadow_reserved", [Set, Ref, Ref, Ref, Tig(Tightening::ShadowReserved)]),
    row("capabilities.offered", [Set, Ref, Ref, Ref, Set]), // It describes the machine; no permission depends on it.
    row("permissions.deny", [Set, Tig(Tightening::Deny), Tig(Tightening::Deny), Ref, Tig(Tightening::Deny)]),
    row("permissions.ask", [Set, Tig(Tightening::Ask), Tig(Tightening::Ask), Ref, Tig(Tightening::Ask)]),
    row("permissions.unasked", [Set, Ref, Ref, Ref, Ref]),
    row(
        "mcp.permissions",
        [Set, Tig(Tightening::McpPermissions), Tig(Tightening::McpPermissions), Ref, Tig(Tightening::McpPermissions)],
    ),
    row("commit.sign", [Set, Ref, Ref, Ref, Ref]),
    row("agents.sign", [Set, Ref, Ref, Ref, Ref]),
    row("secrets.<name>.hosts", [Set, Ref, Ref, Ref, Ref]),
    row("secrets.<name>.items", [Set, Ref, Ref, Ref, Ref]),
    row("sandbox", [Set, Ref, Ref, Ref, Ref]),
    row("sandbox.mode", [Set, Ref, Ref, Ref, Ref]),
    row("sandbox.write", [Set, Ref, Ref, Ref, Ref]),
    row("sandbox.network", [Set, Ref, Ref, Ref, Ref]),
    row("outgoing.test_secrets", [Set, Ref, Ref, Ref, Ref]),
    row("net.roots", [Set, Ref, Ref, Ref, Ref]),
    row("limits.strict", [Set, Ref, Ref, Ref, Ref]),
    row("limits.repeats", [Set, Ref, Ref, Ref, Ref]),
    row("limits.rates", [Set, Ref, Ref, Ref, Ref]),
    row("prices.<name>.<name>.input_per_million", [Set, Ref, Ref, Ref, Ref]),
    row("prices.<name>.<name>.output_per_million", [Set, Ref, Ref, Ref, Ref]),
    row("prices.<name>.<name>.cache_read_per_million", [Set, Ref, Ref, Ref, Ref]),
    row("prices.<name>.<name>.cache_write_per_million", [Set, Ref, Ref, Ref, Ref]),
    row("prices.<name>.<name>.cache_write_1h_per_million", [Set, Ref, Ref, Ref, Ref]),
    row("prices.<name>.<name>.currency", [Set, Ref, Ref, Ref, Ref]),
    row("mcp_servers.<name>.command", [Set, Ref, Ref, Ref, Ref]),
    row("mcp_servers.<name>.url", [Set, Ref, Ref, Ref, Ref]),
    row("mcp_servers.<name>.env", [Set, Ref, Ref, Ref, Ref]),
    row("mcp_servers.<name>.read", [Set, Ref, Ref, Ref, Ref]),
    row("mcp_servers.<name>.write", [Set, Ref, Ref, Ref, Ref]),
    row("mcp_servers.<name>.hosts", [Set, Ref, Ref, Ref, Ref]),
    row("mcp_servers.<name>.auth", [Set, Ref, Ref, Ref, Ref]),
    row("mcp_servers.<name>.timeout", [Set, Ref, Ref, Ref, Ref]),
    row("skills.paths", [Set, Tig(Tightening::SkillPaths), Tig(Tightening::SkillPaths), Ref, Ref]),
    row("interpreters.<name>", [Set, Ref, Ref, Ref, Ref]),
    row("shell.<name>.program", [Set, Ref, Ref, Ref, Ref]),
    row("shell.<name>.read", [Set, Ref, Ref, Ref, Ref]),
    row("shell.<name>.write", [Set, Ref, Ref, Ref, Ref]),
    row("shell.<name>.hosts", [Set, Ref, Ref, Ref, Ref]),
    row("shell.<name>.sockets", [Set, Ref, Ref, Ref, Ref]),
    row("shell.<name>.env", [Set, Ref, Ref, Ref, Ref]),
];

const fn row(key: &'static str, effects: [Effect; Source::ALL.len()]) -> Row {
    Row { key, effects }
}

impl Source {
    /// Every source, in the order of the columns.
    pub const ALL: [Self; 5] = [Self::Person, Self::Accepted, Self::Project, Self::Directive, Self::Flag];
}

impl Effect {
    /// Returns the word of the table.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sets => "sets",
            Self::Tightens(_) => "tightens only",
            Self::Proposes => "proposes",
            Self::Refused => "refused",
        }
    }
}

impl Row {
    /// Returns what counts of the setting from a source.
    #[must_use]
    pub const fn effect(&self, source: Source) -> Effect {
        match source {
            Source::Person => self.effects[0],
            Source::Accepted => self.effects[1],
            Source::Project => self.effects[2],
            Source::Directive => self.effects[3],
            Source::Flag => self.effects[4],
        }
    }

    fn parts(&self) -> impl Iterator<Item = &'static str> {
        self.key.split('.')
    }

    /// Tells whether the key is this path, or has it as its beginning.
    fn begins_with(&self, path: &[&str]) -> bool {
        self.parts().count() >= path.len() && self.parts().zip(path).all(|(own, part)| own == "<name>" || own == *part)
    }
}

/// Writes the table for docs/formats.md.
#[must_use]
pub fn markdown() -> String {
    let mut text =
        "| key | the person's file | an accepted proposal | the project's file | a directive | `--config` |\n\
                    |---|---|---|---|---|---|\n"
            .to_owned();
    for row in ROWS {
        let cells = Source::ALL.map(|source| row.effect(source).as_str()).join(" | ");
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "| `{}` | {cells} |", row.key);
    }
    text
}

/// Returns the first setting of a configuration that has no row.
pub(super) fn without_row(table: &Table) -> Option<String> {
    settings(table).into_iter().find_map(|(path, row)| row.is_none().then(|| path.join(".")))
}

/// Returns the first setting of a configuration that a source may not give: the name of its table, if the source may
/// give no setting of it.
pub(super) fn refused(table: &Table, source: Source) -> Option<String> {
    let is_refused = |row: &Row| row.effect(source) == Effect::Refused;
    let whole = table.keys().find(|name| {
        let mut rows = ROWS.iter().filter(|row| row.begins_with(&[name])).peekable();
        rows.peek().is_some() && rows.all(is_refused)
    });
    let single = || settings(table).into_iter().find(|(_, row)| row.is_some_and(is_refused));
    whole.cloned().or_else(|| single().map(|(path, _)| path.join(".")))
}

/// Returns the first setting of a configuration that does more than tighten or propose, from a source.
pub(super) fn beyond_tightening(table: &Table, source: Source) -> Option<String> {
    let tightens = |row: &Row| match row.effect(source) {
        Effect::Tightens(_) | Effect::Proposes => true,
        Effect::Sets | Effect::Refused => false,
    };
    settings(table).into_iter().find_map(|(path, row)| (!row.is_some_and(tightens)).then(|| path.join(".")))
}

/// Takes out what counts from a source only as far as it tightens, and returns its keys.
pub(super) fn take_tightening(table: &mut Table, source: Source) -> Vec<(Tightening, &'static str)> {
    let mut keys = Vec::new();
    for row in ROWS {
        let Effect::Tightens(tightening) = row.effect(source) else { continue };
        let Some((name, key)) = row.key.split_once('.') else { continue };
        let taken = table.get_mut(name).and_then(Value::as_table_mut).and_then(|table| table.remove(key));
        keys.extend(taken.map(|_| (tightening, row.key)));
    }
    keys
}

/// Lists the settings of a configuration, each with its row.
fn settings(table: &Table) -> Vec<(Vec<&str>, Option<&'static Row>)> {
    fn add<'t>(found: &mut Vec<(Vec<&'t str>, Option<&'static Row>)>, path: &[&'t str], value: &'t Value) {
        let is_longer = |row: &&Row| row.parts().count() > path.len() && row.begins_with(path);
        match value {
            Value::Table(table) if ROWS.iter().any(|row| is_longer(&row)) => {
                for (name, value) in table {
                    add(found, &[path, &[name.as_str()]].concat(), value);
                }
            }
            _ => {
                let own = ROWS.iter().find(|row| row.parts().count() == path.len() && row.begins_with(path));
                found.push((path.to_vec(), own));
            }
        }
    }
    let mut found = Vec::new();
    for (name, value) in table {
        add(&mut found, &[name], value);
    }
    found
}
