//! Code by its name: what an interpreter loads by itself from a folder that it runs a script in. One table decides which files that git
//! ignores may lie next to signed scripts.

/// The folder into which Python puts compiled code.
const CACHE: &str = "__pycache__";

/// Folders that tools fill with dependencies and caches. Their names are no names that a script imports by accident.
const DEPENDENCIES: [&str; 8] =
    [".venv", ".tox", ".nox", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".git", "node_modules"];

/// The endings of files that an interpreter takes for a module, a library or a program.
const ENDINGS: [&str; 46] = [
    // Python.
    "py", "pyw", "pyd", "so", "dylib", "dll", "pyz", // JavaScript.
    "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "node", "wasm", // Shells.
    "sh", "bash", "zsh", "fish", "ksh", "csh", "bat", "cmd", "com", "exe", "ps1", "psm1", "psd1", "vbs", "wsf",
    // Ruby, Perl, PHP, Lua, R, Julia, Tcl, Java.
    "rb", "bundle", "pl", "pm", "php", "phar", "lua", "r", "jl", "tcl", "jar", "class", "awk", "raku",
];

/// Files by which an interpreter finds other files to load.
const LOADERS: [&str; 7] =
    ["package.json", "tsconfig.json", "deno.json", "deno.jsonc", "import_map.json", "bunfig.toml", "gemfile"];

/// The usual names of a virtual environment of Python that is not a hidden folder. Such a name is also one of a module.
const ENVIRONMENTS: [&str; 3] = ["env", "venv", "virtualenv"];

/// The file that makes a folder a virtual environment of Python.
const ENVIRONMENT_FILE: &str = "pyvenv.cfg";

/// Tells whether a folder of this name is a virtual environment of Python, given the names in it: a module would have code at its top.
pub fn is_environment<'n>(name: &str, mut inside: impl Iterator<Item = &'n str> + Clone) -> bool {
    ENVIRONMENTS.contains(&name) && inside.clone().any(|name| name == ENVIRONMENT_FILE) && !inside.any(is_code_name)
}

/// Tells whether a path lies in a folder of dependencies, or is one.
#[must_use]
pub fn is_dependency(path: &str) -> bool {
    path.split('/').any(|part| DEPENDENCIES.contains(&part))
}

/// Tells whether an interpreter loads a file of this path as code, or finds code by it. Compiled Python is judged by its source:
/// [`python_source`].
#[must_use]
pub fn is_code_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    LOADERS.contains(&name.as_str()) || ending.is_some_and(|ending| ENDINGS.contains(&ending))
}

/// Returns the source that a file of compiled Python belongs to; none for another file.
#[must_use]
pub fn python_source(path: &str) -> Option<String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.strip_suffix(".pyc").or_else(|| name.strip_suffix(".pyo"))?;
    let above = match folder.rsplit_once('/') {
        Some((above, CACHE)) => above,
        None if folder == CACHE => "",
        Some(_) | None => folder,
    };
    let source = format!("{}.py", stem.split('.').next().unwrap_or(stem));
    Some(if above.is_empty() { source } else { format!("{above}/{source}") })
}

/// Tells whether Python runs a file of compiled code, given its first bytes, without a look at the source (PEP 552: a hash that is not
/// checked).
#[must_use]
pub fn is_unchecked_bytecode(head: &[u8]) -> bool {
    const HAS_HASH: u8 = 1;
    const IS_CHECKED: u8 = 2;
    head.get(4).is_some_and(|flags| flags & (HAS_HASH | IS_CHECKED) == HAS_HASH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_known_by_its_name() {
        for code in ["helper.py", "a/b.cpython-312-x86_64-linux-gnu.so", "x.PYD", "a.Mjs", "b/package.json", "run.sh"] {
            assert!(is_code_name(code), "{code}");
        }
        for data in [".env", "run.log", "a.json", "py", "notes.md", "x.pyc", "x.py.bak"] {
            assert!(!is_code_name(data), "{data}");
        }
        let is_venv = |names: &[&str]| is_environment("venv", names.iter().copied());
        assert!(is_venv(&["bin", "pyvenv.cfg"]) && !is_venv(&["bin"]) && !is_venv(&["__init__.py", "pyvenv.cfg"]));
        assert!(is_dependency("scripts/node_modules/a.js") && is_dependency(".venv"));
        assert!(!is_dependency("scripts/venv/__init__.py") && !is_dependency("node_modules.js"));
    }

    #[test]
    fn compiled_python_belongs_to_a_source() {
        let of = |path| python_source(path).unwrap_or_default();
        assert_eq!(of("scripts/__pycache__/run.cpython-312.opt-1.pyc"), "scripts/run.py");
        assert_eq!(of("__pycache__/run.cpython-312.pyc"), "run.py");
        assert_eq!((of("scripts/run.pyo"), of("run.pyc")), ("scripts/run.py".to_owned(), "run.py".to_owned()));
        assert_eq!(python_source("run.py"), None);
        let head = |flags| [0, 0, b'\r', b'\n', flags, 0, 0, 0];
        assert_eq!([0, 1, 2, 3].map(|flags| is_unchecked_bytecode(&head(flags))), [false, true, false, false]);
        assert!(!is_unchecked_bytecode(b"x"));
    }
}
