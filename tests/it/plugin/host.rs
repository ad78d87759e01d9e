//! Finding, judging and opening libraries.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use rye::plugin::{Error, Origin, Plugin, Plugins};
use rye_plugin_abi::table::{KIND_PROVIDER, KIND_TOOL_KIND};
use rye_plugin_abi::{ABI, Table};
use tempfile::TempDir;

use super::{built, program};

const CRATES: [&str; 6] = [
    "rye_provider_steps",
    "rye_provider_scripted",
    "rye_provider_anthropic",
    "rye_provider_openai",
    "rye_tool_script",
    "rye_tool_command",
];

/// A folder with an executable of mode 0755 in it and nothing else.
fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let executable = folder.path().join("rye");
    fs::write(&executable, "").expect("a file");
    set_mode(&executable, 0o755);
    (folder, executable)
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("a changed mode");
}

/// Copies a built library to a path, with a mode of its own.
fn copy(crate_name: &str, to: &Path, mode: u32) {
    fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
    fs::copy(built(crate_name), to).expect("a built library");
    set_mode(to, mode);
}

fn file_name(crate_name: &str) -> PathBuf {
    built(crate_name).file_name().expect("a file name").into()
}

fn origins(plugins: &Plugins) -> [Origin; 6] {
    let provider = |name| plugins.provider(name).expect("a provider").origin().clone();
    let kind = |name| plugins.tool_kind(name).expect("a tool kind").origin().clone();
    let [steps, scripted, anthropic, openai] = ["steps", "scripted", "anthropic", "openai"].map(provider);
    [steps, scripted, anthropic, openai, kind("script"), kind("command")]
}

#[test]
fn cargo_puts_the_libraries_where_the_program_and_its_tests_find_them() {
    let program = program().canonicalize().expect("the program was built");
    let deps = program.parent().expect("a folder").join("deps");
    let expected = CRATES.map(|name| Origin::Library(deps.join(file_name(name))));
    let test = std::env::current_exe().expect("this test's program");
    for executable in [program, test] {
        let plugins = Plugins::of_program(&executable).expect("an executable");
        assert_eq!(origins(&plugins), expected);
    }
}

#[test]
fn without_libraries_the_linked_copies_answer_the_same() {
    let (_folder, executable) = folder();
    let linked = Plugins::of_program(&executable).expect("an executable");
    assert_eq!(origins(&linked), [(); 6].map(|()| Origin::Linked));
    let loaded = super::plugins();
    for name in ["steps", "scripted", "anthropic", "openai"] {
        let describe = |plugins: &Plugins| plugins.provider(name).and_then(|provider| provider.describe());
        assert_eq!(describe(&linked).expect("linked"), describe(&loaded).expect("loaded"));
    }
}

#[test]
fn libraries_are_found_in_every_place_and_keep_their_own_code() {
    let (folder, executable) = folder();
    let places = [folder.path().join("deps"), folder.path().to_owned()];
    let mut expected = Vec::new();
    for (place, name) in places.iter().cycle().zip(CRATES) {
        let path = place.canonicalize().unwrap_or(place.clone()).join(file_name(name));
        copy(name, &path, 0o755);
        expected.push(Origin::Library(path));
    }
    assert_eq!(origins(&Plugins::of_program(&executable).expect("an executable")).to_vec(), expected);
}

#[test]
fn a_library_above_or_in_lib_rye_is_found() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = folder.path().canonicalize().expect("a folder");
    let executable = root.join("deps/rye");
    let (above, lib) = (root.join(file_name(CRATES[0])), root.join("lib/rye").join(file_name(CRATES[2])));
    copy(CRATES[0], &above, 0o755);
    copy(CRATES[2], &lib, 0o755);
    copy(CRATES[1], &executable, 0o755);
    let found = origins(&Plugins::of_program(&executable).expect("an executable"));
    let linked = || Origin::Linked;
    assert_eq!(found, [Origin::Library(above), linked(), Origin::Library(lib), linked(), linked(), linked()]);
}

#[test]
fn a_library_that_others_can_write_is_refused_and_never_loaded() {
    for mode in [0o757, 0o775, 0o777, 0o646] {
        let (folder, executable) = folder();
        let path = folder.path().canonicalize().expect("a folder").join(file_name("rye_provider_steps"));
        copy("rye_provider_steps", &path, mode);
        let plugins = Plugins::of_program(&executable).expect("an executable");
        let refused = plugins.provider("steps").expect_err("others can write it");
        assert!(
            matches!(&refused, Error::UnsafePermissions { path: named, mode: found } if *named == path && *found == mode),
            "{refused:?}"
        );
        assert!(!is_loaded(&path), "a refused library's constructors have run");
    }
}

#[test]
fn a_group_may_write_a_library_if_it_may_write_the_program() {
    let (folder, executable) = folder();
    let path = folder.path().canonicalize().expect("a folder").join(file_name("rye_provider_steps"));
    copy("rye_provider_steps", &path, 0o775);
    set_mode(&executable, 0o775);
    let provider = Plugins::of_program(&executable).expect("an executable").provider("steps");
    assert_eq!(*provider.expect("the same group").origin(), Origin::Library(path.clone()));
    assert!(is_loaded(&path) || cfg!(not(target_os = "linux")));
}

/// Whether a file is part of this process's memory; never, where the system does not say.
fn is_loaded(path: &Path) -> bool {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    maps.contains(path.to_str().expect("a path in UTF-8"))
}

#[test]
fn only_a_regular_file_is_a_library() {
    let (folder, executable) = folder();
    let path = folder.path().join(file_name("rye_provider_steps"));
    let refused = || {
        let plugins = Plugins::of_program(&executable).expect("an executable");
        matches!(plugins.provider("steps").expect_err("it is not a regular file"), Error::NotAFile { .. })
    };
    symlink(built("rye_provider_steps"), &path).expect("a link");
    assert!(refused());
    fs::remove_file(&path).expect("a link");
    fs::create_dir(&path).expect("a folder");
    assert!(refused());
}

#[test]
fn a_file_that_is_no_library_is_not_replaced_by_the_linked_copy() {
    let (folder, executable) = folder();
    fs::write(folder.path().join(file_name("rye_provider_steps")), "no library").expect("a file");
    let plugins = Plugins::of_program(&executable).expect("an executable");
    assert!(matches!(plugins.provider("steps"), Err(Error::Load { .. })));
}

#[test]
fn a_library_under_anothers_name_is_refused() {
    let (folder, executable) = folder();
    copy("rye_provider_scripted", &folder.path().join(file_name("rye_provider_steps")), 0o755);
    let plugins = Plugins::of_program(&executable).expect("an executable");
    let refused = plugins.provider("steps").expect_err("renamed");
    let Error::MissingSymbol { symbol, expected, .. } = &refused else { panic!("{refused:?}") };
    assert_eq!((symbol.as_str(), *expected), ("rye_plugin_v1_rye_provider_steps", ABI));
    // It is not opened again: each time would cost a descriptor for good.
    let again = plugins.provider("steps").expect_err("renamed");
    assert!(
        matches!(&again, Error::Refused { plugin, reason } if plugin == "steps" && *reason == rye::error::with_causes(&refused)),
        "{again:?}"
    );
}

#[test]
fn unknown_names_and_extensions_are_answered_with_the_known() {
    let plugins = super::plugins();
    let Err(Error::UnknownPlugin { kind, name, known }) = plugins.provider("script") else { panic!("it exists") };
    assert_eq!(
        (kind, name.as_str(), known.join(" ").as_str()),
        ("provider", "script", "steps scripted anthropic openai")
    );
    let Err(Error::UnknownExtension { extension, known }) = plugins.tool_kind_for_extension("rs") else {
        panic!("it exists")
    };
    assert_eq!(
        (extension.as_str(), known.join(" ").as_str()),
        ("rs", "py sh bash zsh js mjs cjs ts mts rb pl lua php r jl hs ps1")
    );
    assert_eq!(plugins.tool_kind_for_extension("py").expect("a tool kind").name(), "script");
}

#[test]
fn a_missing_program_or_library_is_named() {
    let missing = Path::new("/nonexistent/rye");
    assert!(matches!(Plugins::of_program(missing), Err(Error::Program { path, .. }) if path == missing));
    assert!(matches!(Plugin::open(missing, "steps", &program()), Err(Error::Read { path, .. }) if path == missing));
}

#[test]
fn the_linked_tables_fulfil_the_contract() {
    let tables = [
        &rye_provider_steps::TABLE,
        &rye_provider_scripted::TABLE,
        &rye_provider_anthropic::TABLE,
        &rye_provider_openai::TABLE,
        &rye_tool_script::TABLE,
        &rye_tool_command::TABLE,
    ];
    let numbers = tables.map(|table| (table.abi, table.size, table.kind, table.name_length));
    let size = u32::try_from(size_of::<Table>()).expect("a small size");
    let provider = |length| (1, size, KIND_PROVIDER, length);
    let providers = ["steps", "scripted", "anthropic", "openai"].map(|name| provider(name.len()));
    let kinds = ["script", "command"].map(|name| (1, size, KIND_TOOL_KIND, name.len()));
    assert_eq!((&numbers[..4], &numbers[4..]), (&providers[..], &kinds[..]));
    assert!(tables.iter().all(|table| !table.call.is_null() && !table.free.is_null()));
}
