//! Which interpreter runs a script: its `#!` line says, where it agrees with the file's extension, else the extension.

use rye_plugin_abi::Failure;

/// The extensions of scripts: each with the program that runs it, and how the names of others begin that could. Without a program
/// of its own, a script needs a `#!` line.
const LANGUAGES: [(&str, &[&str], &[&str]); 17] = [
    ("py", &["python3", "python"], &["python", "pypy"]),
    ("sh", &["sh"], &["sh", "dash", "bash", "ash", "ksh", "mksh", "zsh", "busybox"]),
    ("bash", &["bash"], &["bash"]),
    ("zsh", &["zsh"], &["zsh"]),
    ("js", &["node"], NODE),
    ("mjs", &["node"], NODE),
    ("cjs", &["node"], NODE),
    ("ts", &["node"], NODE),
    ("mts", &["node"], NODE),
    ("rb", &["ruby"], &["ruby", "jruby", "truffleruby"]),
    ("pl", &["perl"], &["perl"]),
    ("lua", &["lua"], &["lua", "texlua"]),
    ("php", &["php"], &["php"]),
    ("r", &["Rscript"], &["Rscript", "littler", "r"]),
    ("jl", &["julia"], &["julia"]),
    ("hs", &[], &["runghc", "runhaskell", "stack", "cabal"]),
    ("ps1", &[], &["pwsh", "powershell"]),
];
const NODE: &[&str] = &["node", "nodejs", "bun", "deno", "tsx", "ts-node"];

/// Returns the extensions.
pub(crate) fn extensions() -> Vec<&'static str> {
    LANGUAGES.iter().map(|(extension, ..)| *extension).collect()
}

/// What runs a script.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Interpreter {
    /// Its names, or absolute paths, in order.
    pub(crate) names: Vec<String>,
    /// The arguments that the `#!` line has for it.
    pub(crate) args: Vec<String>,
}

impl Interpreter {
    /// Finds out.
    ///
    /// # Errors
    ///
    /// Code `extension` where nothing runs such a file, `shebang` where its first line disagrees.
    pub(crate) fn of(extension: &str, source: &str) -> Result<Self, Failure> {
        let Some((_, usual, known)) = LANGUAGES.iter().find(|(known, ..)| *known == extension) else {
            return Err(Failure::new("extension", format!("`{extension}` is not the extension of a script")));
        };
        let Some(line) = source.lines().next().and_then(|line| line.strip_prefix("#!")) else {
            if usual.is_empty() {
                let message = format!("nothing runs `.{extension}` without a `#!` line that names the interpreter");
                return Err(Failure::new("extension", message));
            }
            return Ok(Self { names: usual.iter().map(|&name| name.to_owned()).collect(), args: Vec::new() });
        };
        let (path, args) = program(line)?;
        let name = path.rsplit('/').next().unwrap_or_default();
        if !known.iter().any(|known| is_a(name, known)) {
            let message = format!("the `#!` line asks for `{name}`, which does not run `.{extension}` files");
            return Err(Failure::new("shebang", message));
        }
        // Where it lies elsewhere here, its name still says which one it is.
        let names = if path.contains('/') { vec![path.to_owned(), name.to_owned()] } else { vec![name.to_owned()] };
        Ok(Self { names, args })
    }

    /// Tells whether it is a program of this name, whatever its version and place.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.names.iter().any(|known| is_a(known.rsplit('/').next().unwrap_or_default(), name))
    }
}

/// Tells whether a program is one of this name, with a version behind it or none.
fn is_a(program: &str, name: &str) -> bool {
    program
        .strip_prefix(name)
        .is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.' || c == '-'))
}

/// Takes the line behind `#!` apart: the interpreter, looked up by `env` or by its path, and its arguments.
fn program(line: &str) -> Result<(&str, Vec<String>), Failure> {
    let wrong = |message: &str| Failure::new("shebang", format!("the `#!` line {message}"));
    let mut words = line.split_whitespace();
    let mut path = words.next().ok_or_else(|| wrong("names no interpreter"))?;
    if path.rsplit('/').next() == Some("env") {
        path = words.find(|word| *word != "-S").ok_or_else(|| wrong("names no interpreter"))?;
        if path.starts_with('-') || path.contains(['=', '/']) {
            return Err(wrong("may have nothing but the interpreter's name behind `env`"));
        }
    } else if !path.starts_with('/') {
        return Err(wrong("names an interpreter by a relative path"));
    }
    Ok((path, words.map(str::to_owned).collect()))
}
