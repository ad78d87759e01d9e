//! Made-up sources that break each rule, and some that only look as if they did.

use super::circles::circles;
use super::length::too_long;
use super::manifests::may_name;
use super::{Source, breaches};

/// Judges one file with a header before `code`.
fn judge(path: &str, code: &str) -> Vec<String> {
    breaches(&[Source { path: path.to_owned(), text: format!("//! Made up.\n{code}\n") }])
}

#[test]
fn rooms_of_a_crate_meet_where_it_is_said() {
    for (path, code, name, own) in [
        ("crates/rye-look/src/list.rs", "use crate::search;", "search", "list"),
        ("crates/rye-share/src/publish/mod.rs", "use super::pull::Plan;", "pull::Plan", "publish"),
        ("crates/rye-item/src/capability/mod.rs", "fn f() { crate::item::g() }", "item::g", "capability"),
        ("crates/rye-verify/src/locate.rs", "use crate::{id, verify::verify};", "verify::verify", "locate"),
        ("crates/rye-run/src/permissions.rs", "use super::*;", "*", "permissions"),
    ] {
        assert_eq!(judge(path, code), [format!("{path}:2: `{name}` is another room than `{own}`")], "{code}");
    }
    let fine = [("crates/rye-run/src/execute/plan.rs", "use crate::executors::f;\nuse crate::sign::sign;")];
    for (path, code) in fine {
        assert_eq!(judge(path, code), Vec::<String>::new(), "{code}");
    }
}

#[test]
fn folders_of_the_threads_room_import_in_one_direction() {
    let rule = "import: folders of `thread` import in one direction";
    for (path, code, name, own) in [
        (
            "crates/rye-thread/src/thread/error/causes.rs",
            "use crate::thread::run::Course;",
            "thread::run::Course",
            "error",
        ),
        (
            "crates/rye-thread/src/thread/tree/changes.rs",
            "use super::super::record::log;",
            "thread::record::log",
            "tree",
        ),
        ("crates/rye-thread/src/thread/run/driver.rs", "use crate::thread::find;", "thread::find", "run"),
        ("crates/rye-thread/src/thread/other.rs", "use super::tree::OwnTree;", "thread::tree::OwnTree", "other"),
    ] {
        assert_eq!(judge(path, code), [format!("{path}:2: `{name}` is not for `{own}` to {rule}")], "{code}");
    }
    for code in ["use super::OwnTree;", "use crate::machine::Ending;", "use crate::thread::error::Error;"] {
        assert_eq!(judge("crates/rye-thread/src/thread/tree/changes.rs", code), Vec::<String>::new(), "{code}");
    }
}

#[test]
fn what_has_a_place_is_refused_elsewhere() {
    let process = "crates/rye-process/, crates/rye-repository/";
    let printing = "src/cli/streams.rs, crates/rye-mcp/";
    let context = "crates/rye-context/";
    let driver = "crates/rye-thread/src/thread/run/driver.rs";
    let broken = [
        (driver, "use std::{fmt, env};", "std::env", context),
        (driver, "use std::time::SystemTime;\nfn f() { SystemTime::now(); }", "SystemTime::now", context),
        (driver, "fn f() { let _ = Instant::now(); }", "Instant::now", "crates/rye-context/, crates/rye-process/"),
        ("src/cli/mod.rs", "use std::process;\nfn f() { process::Command::new(A); }", "process::Command::new", process),
        ("crates/rye-sign/src/sign/plan.rs", "fn f() { println!(); }", "println!", printing),
        ("src/cli/error.rs", "fn f() { std::eprintln!(); }", "std::eprintln!", printing),
        ("crates/rye-registry/src/registry/url.rs", "use std::net::IpAddr;", "std::net::IpAddr", "crates/rye-net/"),
        ("plugins/tool-http/src/lib.rs", "fn f() { std::env::vars(); }", "std::env::vars", context),
    ];
    for (path, code, name, places) in broken {
        let line = 1 + code.lines().count();
        assert_eq!(judge(path, code), [format!("{path}:{line}: `{name}` may be used only in {places}")], "{code}");
    }
}

#[test]
fn a_dependency_is_named_where_its_door_is() {
    for (user, name) in [
        ("rye-sign", "gix"),
        ("rye-verify", "reqwest"),
        ("rye-thread", "tokio"),
        (".", "nobodys"),
        ("plugins/tool-http", "reqwest"),
        ("plugins/tool-script", "rye-process"),
    ] {
        assert!(!may_name(user, name), "{user} {name}");
    }
    for (user, name) in [("rye-repository", "gix"), ("rye-net", "tokio"), (".", "clap"), ("rye-id", "serde")] {
        assert!(may_name(user, name), "{user} {name}");
    }
}

#[test]
fn the_ground_and_the_plugins_know_no_outside_world() {
    let rule = "is the outside world, which the ground, the machine of threads and the plugins do not know";
    for path in [
        "crates/rye-format/src/format/mod.rs",
        "crates/rye-machine/src/machine/prompt.rs",
        "plugins/tool-script/src/lib.rs",
    ] {
        assert_eq!(judge(path, "use std::fs::File;"), [format!("{path}:2: `std::fs::File` {rule}")]);
        assert_eq!(judge(path, "use std::{thread};"), [format!("{path}:2: `std::thread` {rule}")]);
    }
}

#[test]
fn unsafe_stays_where_it_belongs_even_in_tests() {
    let rule = "`unsafe` may be used only in crates/rye-plugin/, plugins/abi/, tests/fixtures/plugin-misbehaving/, crates/rye-process/src/process/sandbox/mounts.rs, crates/rye-process/src/process/sandbox/network.rs, crates/rye-process/src/process/descriptors.rs, crates/rye-process/src/process/fork.rs";
    for path in ["crates/rye-process/src/process/mod.rs", "plugins/tool-script/src/lib.rs", "tests/it/trust.rs"] {
        let code = "#[cfg(test)]\nmod tests {\n fn f() { unsafe { g() } }\n}";
        assert_eq!(judge(path, code), [format!("{path}:4: {rule}")]);
        assert_eq!(judge(path, "#[unsafe(no_mangle)] fn f() {}"), [format!("{path}:2: {rule}")]);
    }
    for path in [
        "crates/rye-plugin/src/plugin/library.rs",
        "plugins/abi/src/lib.rs",
        "tests/fixtures/plugin-misbehaving/src/lib.rs",
    ] {
        assert_eq!(judge(path, "unsafe fn f() {}"), Vec::<String>::new());
    }
}

#[test]
fn a_tool_cuts_redacted_text_only() {
    let code = "fn f(text: &str) -> String { text.chars().take(9).collect() }";
    let rule = "`.chars().take(` cuts a text that may not be redacted: `Redactor::redacted` returns one to cut";
    for path in ["crates/rye-run/src/execute/new_tool.rs", "crates/rye-mcp-client/src/mcp_client/error.rs"] {
        assert_eq!(judge(path, code), [format!("{path}:2: {rule}")]);
    }
    assert_eq!(judge("crates/rye-run/src/plugins/list.rs", code), Vec::<String>::new());
}

#[test]
fn size_and_header_count_in_every_folder() {
    for path in ["src/id/mod.rs", "plugins/abi/src/lib.rs", "tests/it/main.rs"] {
        assert_eq!(judge(path, &"\n".repeat(598)), Vec::<String>::new());
        assert_eq!(judge(path, &"\n".repeat(599)), [format!("{path}:601: it is longer than 600 lines")]);
        let bare = Source { path: path.to_owned(), text: "// Not a header.\n//! Too late.\n".to_owned() };
        assert_eq!(breaches(&[bare]), [format!("{path}:1: it has no `//!` header")]);
    }
}

#[test]
fn what_only_looks_like_a_breach_is_let_through() {
    let fine = [
        ("crates/rye-format/src/format/mod.rs", "use crate::event::Event;\nuse super::item::Meta;"),
        ("src/keys/store.rs", "use crate::context::Context;\nuse super::error::KeysError;\nuse tempfile::TempDir;"),
        ("src/cli/mod.rs", "use crate::{mcp, thread};\nuse clap::Parser;"),
        ("src/cli/streams.rs", "fn f() { println!(\"x\"); }"),
        ("src/main.rs", "fn main() { rye::cli::main() }"),
        ("src/plugin/place.rs", "use std::env::consts::DLL_SUFFIX;"),
        (
            "src/id/mod.rs",
            "// use crate::cli;\n/// [`crate::git::Repository`] and unsafe\n/* gix::x */ fn f<'a>(x: &'a str) {}",
        ),
        (
            "src/id/mod.rs",
            "const A: &str = \"use gix::x; \\\" unsafe\";\nconst B: &str = r#\"\"gix::x\"#;\nconst C: char = '\"';",
        ),
        ("src/id/mod.rs", "#[cfg(test)]\nmod tests { use super::*; use std::fs; fn f() { std::env::var(A); } }"),
        ("src/trust/mod.rs", "pub(in crate::trust) fn f(toml: bool) -> bool { !toml && gix(toml) as u8 != clap }"),
        ("tests/it/cli.rs", "use std::process::Command;\nuse gix::Repository;"),
    ];
    for (path, code) in fine {
        assert_eq!(judge(path, code), Vec::<String>::new(), "{path}: {code}");
    }
}

/// Returns the way around each circle among made-up files.
fn ways(files: &[(&str, &str)]) -> Vec<String> {
    let source =
        |(path, code): &(&str, &str)| Source { path: (*path).to_owned(), text: format!("//! Made up.\n{code}\n") };
    circles(&files.iter().map(source).collect::<Vec<_>>()).into_iter().map(|circle| circle.way).collect()
}

#[test]
fn files_of_a_crate_that_import_each_other_are_named_with_the_way_around() {
    let two = "src/trust/a.rs:2 -> src/trust/b.rs:2 -> src/trust/a.rs";
    let broken: [(&[(&str, &str)], &str); 8] = [
        (&[("src/trust/a.rs", "use super::b::B;"), ("src/trust/b.rs", "use crate::trust::a::A;")], two),
        // Through what the room re-exports, also under another name.
        (
            &[
                ("src/trust/mod.rs", "mod a;\nmod b;\npub use a::A;\npub use self::b::{B as Other};"),
                ("src/trust/a.rs", "use super::Other;"),
                ("src/trust/b.rs", "use crate::trust::A;"),
            ],
            two,
        ),
        // Inline, and by the name of a module.
        (
            &[("src/trust/a.rs", "fn f() { super::b::g() }"), ("src/trust/b.rs", "use super::a;\n fn g() { a::f() }")],
            "src/trust/a.rs:2 -> src/trust/b.rs:3 -> src/trust/a.rs",
        ),
        (
            &[
                ("src/trust/a.rs", "use super::b::B;"),
                ("src/trust/b.rs", "use super::deep::c;"),
                ("src/trust/deep/mod.rs", "pub(super) mod c;"),
                ("src/trust/deep/c.rs", "type X = crate::trust::a::A;"),
            ],
            "src/trust/a.rs:2 -> src/trust/b.rs:2 -> src/trust/deep/c.rs:2 -> src/trust/a.rs",
        ),
        // What a parent defines, and what it uses itself of its children.
        (
            &[
                ("src/ops/sign/mod.rs", "mod one;\nuse one::sign;\npub struct Error;\nfn f() { sign() }"),
                ("src/ops/sign/one.rs", "use super::Error;"),
            ],
            "src/ops/sign/mod.rs:3 -> src/ops/sign/one.rs:2 -> src/ops/sign/mod.rs",
        ),
        (
            &[
                ("src/ops/sign.rs", "mod one;\npub struct Error;\nfn f() { one::sign() }"),
                ("src/ops/sign/one.rs", "use super::Error;"),
            ],
            "src/ops/sign.rs:4 -> src/ops/sign/one.rs:2 -> src/ops/sign.rs",
        ),
        // By a function that is called as a module it imports.
        (
            &[
                ("src/trust/a.rs", "use super::b;\nfn f() { b::keys() }"),
                ("src/trust/b.rs", "use crate::keys;\nfn keys() { super::a::f() }"),
            ],
            "src/trust/a.rs:3 -> src/trust/b.rs:3 -> src/trust/a.rs",
        ),
        (
            &[
                ("src/id/mod.rs", "mod a;\nmacro_rules! text { () => {} }\npub(crate) fn f() { a::g() }"),
                ("src/id/a.rs", "crate::id::text!();"),
            ],
            "src/id/mod.rs:4 -> src/id/a.rs:2 -> src/id/mod.rs",
        ),
    ];
    for (files, way) in broken {
        assert_eq!(ways(files), [way], "{files:?}");
    }
}

#[test]
fn a_list_of_re_exports_and_test_modules_make_no_circle() {
    let fine: [&[(&str, &str)]; 4] = [
        &[
            (
                "src/trust/mod.rs",
                "mod a;\nmod b;\npub use a::A;\npub use b::{B, b};\nuse b::people;\npub const MOST: usize = 1;",
            ),
            ("src/trust/a.rs", "use super::{B, MOST, people};"),
            ("src/trust/b.rs", "use super::MOST;\npub(in crate::trust) fn people() {}"),
        ],
        &[
            ("src/id/a.rs", "use super::b::B;\n#[cfg(test)]\nmod tests { use super::*; }"),
            ("src/id/b.rs", "#[cfg(test)]\nmod tests { use crate::id::a::A; }"),
        ],
        &[
            ("src/id/a.rs", "use super::b::B;\n/// [`super::b`]"),
            ("src/id/b.rs", "// use super::a::A;\nconst A: &str = \"super::a::A\";"),
        ],
        &[
            ("crates/rye-keys/src/keys/mod.rs", "pub use store::Store;"),
            ("crates/rye-keys/src/keys/store.rs", "use crate::trust::Key;"),
            ("crates/rye-trust/src/trust/mod.rs", "use crate::keys::Store;\nfn f(s: Store) {}"),
        ],
    ];
    for files in fine {
        assert_eq!(ways(files), Vec::<String>::new(), "{files:?}");
    }
}

#[test]
fn a_function_that_is_too_long_is_named_unless_it_is_a_table() {
    let lines = |count: usize, line: &str| format!("{line}\n").repeat(count);
    let judged = |code: &str| too_long(code).into_iter().map(|(line, fault)| format!("{line}: {fault}"));
    let plain = format!(
        "fn short() {{}}\n\npub(in crate::a) const fn long(\n    a: u8,\n) -> u8 {{\n{}}}\n",
        lines(57, "    a;")
    );
    assert_eq!(judged(&plain).collect::<Vec<_>>(), ["3: `long` has 61 lines, more than 60"]);
    let shorter = plain.replacen("    a;\n", "", 1);
    assert_eq!(judged(&shorter).count(), 0);
    let table = |cases: &str| {
        format!(
            "impl A {{\n    fn table(a: A) {{\n        let b = a;\n        match b {{\n{cases}        }}\n    }}\n}}\n"
        )
    };
    assert_eq!(judged(&table(&lines(200, "            A => 1,"))).count(), 0);
    let case = format!("            A => {{\n{}            }}\n", lines(26, "                a;"));
    assert_eq!(judged(&table(&case)).collect::<Vec<_>>(), ["2: a case of `table` has more than 25 lines"]);
    // A decision in the middle is no table.
    let middle = table(&lines(60, "            A => 1,")).replace("        }\n    }", "        }\n        a\n    }");
    assert_eq!(judged(&middle).count(), 1, "{middle}");
}
