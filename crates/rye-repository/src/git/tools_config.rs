//! What a confined program reads of git's configuration: a table of the settings that are copied, and nothing else.
//!
//! No setting of the table is for credentials. Of an address, who logs in is left out, also where it is the name of a section; a setting or
//! a section that still looks as if it held a secret is left out as a whole.

use std::collections::BTreeSet;

use gix::bstr::{BStr, BString, ByteSlice as _};

use super::{ObjectFormat, Repository};
use crate::redact::Redactor;

/// Where a setting is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// In a section without a name of its own.
    Section,
    /// In one with a name of its own, which is a word.
    Named,
    /// In one whose own name may be an address.
    Address,
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    /// Words or a number.
    Text,
    /// A path, which may begin with `~/`: the home of a tool is another.
    Path,
    /// The address of a repository, or the name of a remote.
    Address,
}

/// The settings that are copied, in small letters: those of commands that read.
const SETTINGS: &[(&str, At, Value, &[&str])] = &[
    (
        "core",
        At::Section,
        Value::Text,
        &[
            "abbrev",
            "autocrlf",
            "bigfilethreshold",
            "checkstat",
            "commentchar",
            "eol",
            "filemode",
            "ignorecase",
            "precomposeunicode",
            "protecthfs",
            "protectntfs",
            "quotepath",
            "safecrlf",
            "sparsecheckout",
            "sparsecheckoutcone",
            "symlinks",
            "trustctime",
            "whitespace",
        ],
    ),
    ("core", At::Section, Value::Path, &["attributesfile", "excludesfile"]),
    ("user", At::Section, Value::Text, &["name", "email"]),
    ("author", At::Section, Value::Text, &["name", "email"]),
    ("committer", At::Section, Value::Text, &["name", "email"]),
    (
        "diff",
        At::Section,
        Value::Text,
        &[
            "algorithm",
            "autorefreshindex",
            "colormoved",
            "colormovedws",
            "context",
            "dirstat",
            "dstprefix",
            "ignoresubmodules",
            "indentheuristic",
            "interhunkcontext",
            "mnemonicprefix",
            "noprefix",
            "relative",
            "renamelimit",
            "renames",
            "srcprefix",
            "statgraphwidth",
            "statnamewidth",
            "submodule",
            "suppressblankempty",
            "wordregex",
            "wserrorhighlight",
        ],
    ),
    ("diff", At::Section, Value::Path, &["orderfile"]),
    ("diff", At::Named, Value::Text, &["algorithm", "binary", "funcname", "textconv", "wordregex", "xfuncname"]),
    ("filter", At::Named, Value::Text, &["clean", "process", "required", "smudge"]),
    ("remote", At::Address, Value::Text, &["fetch", "partialclonefilter", "promisor", "tagopt"]),
    ("remote", At::Address, Value::Address, &["url"]),
    ("branch", At::Named, Value::Text, &["merge"]),
    ("branch", At::Named, Value::Address, &["remote"]),
    ("branch", At::Section, Value::Text, &["sort"]),
    ("tag", At::Section, Value::Text, &["sort"]),
    ("extensions", At::Section, Value::Address, &["partialclone"]),
    (
        "log",
        At::Section,
        Value::Text,
        &[
            "abbrevcommit",
            "date",
            "decorate",
            "diffmerges",
            "excludedecoration",
            "follow",
            "graphcolors",
            "initialdecorationset",
            "mailmap",
            "showroot",
        ],
    ),
    ("format", At::Section, Value::Text, &["pretty"]),
    ("merge", At::Section, Value::Text, &["conflictstyle", "directoryrenames", "renamelimit", "renames"]),
    ("submodule", At::Named, Value::Text, &["active", "ignore"]),
    (
        "blame",
        At::Section,
        Value::Text,
        &["blankboundary", "coloring", "date", "markignoredlines", "markunblamablelines", "showemail", "showroot"],
    ),
    ("blame", At::Section, Value::Path, &["ignorerevsfile"]),
    (
        "color",
        At::Section,
        Value::Text,
        &["advice", "branch", "diff", "grep", "interactive", "pager", "push", "remote", "showbranch", "status", "ui"],
    ),
    ("color", At::Named, Value::Text, ANY),
    ("column", At::Section, Value::Text, &["branch", "clean", "status", "tag", "ui"]),
    (
        "grep",
        At::Section,
        Value::Text,
        &["column", "extendedregexp", "fullname", "linenumber", "patterntype", "threads"],
    ),
    ("i18n", At::Section, Value::Text, &["commitencoding", "filesencoding", "logoutputencoding"]),
    ("mailmap", At::Section, Value::Text, &["blob"]),
    ("mailmap", At::Section, Value::Path, &["file"]),
    // The names of formats are the person's own.
    ("pretty", At::Section, Value::Text, ANY),
    (
        "status",
        At::Section,
        Value::Text,
        &[
            "aheadbehind",
            "branch",
            "displaycommentprefix",
            "relativepaths",
            "renamelimit",
            "renames",
            "short",
            "showstash",
            "showuntrackedfiles",
            "submodulesummary",
        ],
    ),
    ("versionsort", At::Section, Value::Text, &["prereleasesuffix", "suffix"]),
];

/// Stands for all settings of a section: git takes any name there.
const ANY: &[&str] = &["*"];

/// The kinds of address that are copied. Others run a program.
const SCHEMES: [&str; 9] = ["file", "ftp", "ftps", "git", "git+ssh", "http", "https", "ssh", "ssh+git"];

/// Who logs in at forges over SSH, by key: no secret.
const PLAIN_USER: &str = "git";

impl Repository {
    /// Writes what tools may know of the configuration in force here.
    pub fn config_for_tools(&self) -> Vec<u8> {
        let config = self.inner.config_snapshot();
        let (format, partial) = (self.object_format(), config.string("extensions.partialClone"));
        let version = u8::from(format != ObjectFormat::Sha1 || partial.is_some());
        let mut text = format!(
            "[core]\n\trepositoryformatversion = {version}\n\tbare = false\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"
        )
        .into_bytes();
        if format != ObjectFormat::Sha1 {
            text.extend(format!("[extensions]\n\tobjectformat = {}\n", format.as_str()).into_bytes());
        }
        for section in config.sections() {
            let (name, below) =
                (section.header().name().to_str_lossy().to_lowercase(), section.header().subsection_name());
            let keys: BTreeSet<String> = section.value_names().map(|key| key.to_lowercase()).collect();
            let mut lines = Vec::new();
            let mut head = None;
            for key in keys {
                let Some((at, kind)) = setting(&name, below.is_some(), &key) else { continue };
                let Some(named) = own_name(at, below) else { continue };
                head = Some(named);
                let mut values = section.values(&key);
                if let (true, Some(None)) = (values.is_empty(), section.value_implicit(&key)) {
                    values.push("true".into());
                }
                for value in values.into_iter().filter_map(|value| self.for_tools(kind, value)) {
                    lines.extend([b"\t", key.as_bytes(), b" = ", &quoted(value.as_bstr()), b"\n"].concat());
                }
            }
            if let Some(below) = head.filter(|_| !lines.is_empty()) {
                let below = below.map(|below| [b" ", &quoted(below.as_bstr())[..]].concat()).unwrap_or_default();
                text.extend([b"[", name.as_bytes(), &below, b"]\n", &lines].concat());
            }
        }
        text
    }

    /// Returns a value as a tool reads it; none if it may hold a secret.
    fn for_tools(&self, kind: Value, value: BString) -> Option<BString> {
        match kind {
            Value::Text => Some(value).filter(|value| is_open(value.as_bstr())),
            Value::Address => address(value.to_str().ok()?).map(Into::into),
            Value::Path => {
                let home = self.environment.home.as_ref();
                let below = value.to_str().ok().and_then(|path| path.strip_prefix("~/"));
                let whole = below.zip(home).map(|(below, home)| home.join(below).display().to_string().into());
                Some(whole.unwrap_or(value)).filter(|value| is_open(value.as_bstr()))
            }
        }
    }
}

/// Finds a setting in the table; its names are in small letters.
fn setting(section: &str, has_own_name: bool, key: &str) -> Option<(At, Value)> {
    let found = SETTINGS.iter().find(|(name, at, _, keys)| {
        *name == section && (*at != At::Section) == has_own_name && (keys.contains(&key) || *keys == ANY)
    });
    found.map(|(_, at, kind, _)| (*at, *kind))
}

/// Returns the own name of a section as a tool reads it; none if it may hold a secret.
fn own_name(at: At, name: Option<&BStr>) -> Option<Option<BString>> {
    match (at, name) {
        (At::Section, None) => Some(None),
        (At::Named, Some(name)) => is_open(name).then(|| Some(name.to_owned())),
        (At::Address, Some(name)) => Some(Some(address(name.to_str().ok()?)?.into())),
        (At::Section, Some(_)) | (At::Named | At::Address, None) => None,
    }
}

/// Tells whether a text may be read by anybody: it has no address with somebody who logs in, and nothing that is a secret by its form.
fn is_open(text: &BStr) -> bool {
    let text = text.to_str_lossy();
    let has_login = text.split_once("://").is_some_and(|(_, rest)| rest.contains('@'));
    !has_login && is_no_secret(&text)
}

fn is_no_secret(text: &str) -> bool {
    Redactor::default().text(text) == text
}

/// Returns an address without who logs in, and without what follows the path; none if it is not one that is understood.
fn address(text: &str) -> Option<String> {
    if text.contains(|letter: char| letter.is_control()) {
        return None;
    }
    let clean = match (text.split_once("://"), text.split_once(':')) {
        (Some((scheme, rest)), _) => with_scheme(scheme, rest)?,
        (None, Some((before, path))) if !before.contains('/') => of_ssh(before, path)?,
        (None, _) => text.to_owned(),
    };
    is_no_secret(&clean).then_some(clean)
}

fn with_scheme(scheme: &str, rest: &str) -> Option<String> {
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let (rest, behind) = rest.split_at(end);
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = host.rsplit('@').next().unwrap_or_default();
    let (name, port) = host.rsplit_once(':').filter(|_| !host.ends_with(']')).unwrap_or((host, ""));
    let is_file = scheme.eq_ignore_ascii_case("file");
    // An `@` further on may end a name or a password in which a sign stands that ends it for others.
    let is_host = is_name(name) && (!path.contains('@') || name.contains('.')) || is_file && host.is_empty();
    let is_known = SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known));
    let is_plain = !behind.contains('@') && !path.contains("://") && port.bytes().all(|byte| byte.is_ascii_digit());
    (is_known && is_host && is_plain).then(|| format!("{scheme}://{host}{path}"))
}

/// `USER@HOST:PATH`.
fn of_ssh(before: &str, path: &str) -> Option<String> {
    let (user, host) = before.rsplit_once('@').map_or((None, before), |(user, host)| (Some(user), host));
    if !is_name(host) || path.contains('@') || path.starts_with(':') || path.starts_with("//") {
        return None;
    }
    let user = user.filter(|user| *user == PLAIN_USER).map(|user| format!("{user}@")).unwrap_or_default();
    Some(format!("{user}{host}:{path}"))
}

fn is_name(host: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || ".-_:[]".contains(letter);
    !host.is_empty() && host.chars().all(is_part)
}

/// Quotes a value as git reads it in a configuration and in `alternates`.
pub(super) fn quoted(value: &BStr) -> Vec<u8> {
    let escaped = value.replace(b"\\", b"\\\\").replace(b"\"", b"\\\"").replace(b"\n", b"\\n");
    [b"\"", &escaped[..], b"\""].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lose_what_logs_in() {
        for (url, clean) in [
            ("https://ada:secret@example.org/a.git", "https://example.org/a.git"),
            ("https://p@ss@example.org:8080/a@b?token=x#y", "https://example.org:8080/a@b"),
            ("https://token@example.org", "https://example.org"),
            ("https://t%40ken%3Ax@example.org/a", "https://example.org/a"),
            ("ssh://token@[::1]:22/a", "ssh://[::1]:22/a"),
            ("token@example.org:a.git", "example.org:a.git"),
            ("git@example.org:a.git", "git@example.org:a.git"),
            ("file:///srv/a.git", "file:///srv/a.git"),
            ("../a@b", "../a@b"),
            ("origin", "origin"),
        ] {
            assert_eq!(address(url).as_deref(), Some(clean), "{url}");
        }
    }

    #[test]
    fn an_address_that_is_not_understood_is_left_out() {
        for url in [
            "https://ada:sec/ret@example.org/a",
            "https://ada:sec?ret@example.org/a",
            "https://ada:sec#ret@example.org/a",
            "https://token/x@example",
            "https:///token@example.org/a",
            "https:token@example.org/a",
            "https:/token@example.org/a",
            "https:\\\\token@example.org/a",
            "https://example.org/https://token@example.org/a",
            "ext::ssh token@example.org",
            "helper::https://token@example.org/a",
            "ada:token@example.org:a",
            "odd://token@example.org/a",
            "https://example.org\n/a",
        ] {
            assert_eq!(address(url), None, "{url}");
        }
    }

    #[test]
    fn no_setting_that_can_hold_a_secret_or_run_a_hook_is_for_tools() {
        for (section, has_own_name, key) in [
            ("credential", false, "helper"),
            ("credential", true, "username"),
            ("http", true, "extraheader"),
            ("url", true, "insteadof"),
            ("core", false, "sshcommand"),
            ("core", false, "hookspath"),
            ("core", false, "fsmonitor"),
            ("core", false, "worktree"),
            ("alias", false, "x"),
            ("include", false, "path"),
            ("gpg", false, "program"),
            ("user", false, "signingkey"),
            ("remote", true, "pushurl"),
            ("remote", true, "proxy"),
            ("submodule", true, "url"),
            ("diff", false, "external"),
            ("diff", true, "command"),
            ("sendemail", false, "smtppass"),
            ("unknown", true, "x"),
        ] {
            assert_eq!(setting(section, has_own_name, key), None, "{section}.{key}");
        }
    }
}
