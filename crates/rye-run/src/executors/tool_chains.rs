//! What the presets of `threads.share` give the tools of a thread besides the copied folders: the interpreter that a virtual environment
//! links to, the caches of package managers, and the variables by which the tools of a language do without a network.
//!
//! Everything outside of the thread's tree is for reading alone. It is found in the person's tree and home folder, never in the thread's
//! tree: a tool writes there.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::grants;
use super::programs::Kept;
use crate::context::Preset;
use crate::process::{self, Error, PrivateScript};
use crate::project::{Furnished, Project};
use crate::workspace::{moved, tool_folders};

/// What cargo reads below its home. Credentials lie next to it.
const CARGO_CACHES: [&str; 5] = ["registry/cache", "registry/index", "registry/src", "git/db", "git/checkouts"];

/// The largest script of a virtual environment that is started by its name.
const MOST_BYTES: u64 = 1024 * 1024;

/// The presets that are in force for the tools of a thread.
#[derive(Debug)]
pub struct ToolChains<'a> {
    project: &'a Project,
    presets: BTreeSet<Preset>,
    tree: PathBuf,
    persons: PathBuf,
}

impl<'a> ToolChains<'a> {
    /// Finds them; none outside of threads.
    #[must_use]
    pub fn of(project: &'a Project) -> Option<Self> {
        let presets = project.presets();
        let (tree, persons) = (project.private_tree()?, project.persons_tree()?);
        let whole = |path: &Path| path.canonicalize().ok();
        (!presets.is_empty()).then_some(())?;
        Some(Self { project, presets, tree: whole(tree)?, persons: whole(persons)? })
    }

    /// Returns what is read outside of the tree.
    ///
    /// # Errors
    ///
    /// As [`grants::resolved`].
    pub fn reads(&self) -> Result<Vec<PathBuf>, Error> {
        let mut reads = Vec::new();
        for preset in &self.presets {
            match preset {
                Preset::Python => reads.extend(self.interpreters().into_iter().chain(self.pyenv())),
                Preset::Node => {
                    reads.extend(["node", "npm", "npx", "pnpm", "yarn"].iter().flat_map(|name| self.installed(name)))
                }
                Preset::Cargo => {
                    reads.extend(
                        self.home_of("CARGO_HOME", ".cargo")
                            .iter()
                            .flat_map(|home| CARGO_CACHES.map(|cache| home.join(cache))),
                    );
                    reads.extend(self.home_of("RUSTUP_HOME", ".rustup"));
                }
                Preset::Go => reads.extend(self.go_modules().into_iter().chain(self.installed("go"))),
            }
        }
        let kept = Kept::of(self.project);
        let mut granted = Vec::new();
        for path in reads {
            granted.extend(grants::resolved(self.project, &path)?.filter(|path| kept.is_apart_from(path)));
        }
        Ok(granted)
    }

    /// Returns the variables for a tool that works in a folder.
    #[must_use]
    pub fn variables(&self, folder: &Path) -> BTreeMap<String, String> {
        let mut variables: Vec<(&str, String)> = Vec::new();
        for preset in &self.presets {
            match preset {
                Preset::Python => {
                    let alone = [
                        ("UV_OFFLINE", "1"),
                        ("UV_NO_SYNC", "1"),
                        ("UV_PYTHON_DOWNLOADS", "never"),
                        ("PIP_NO_INDEX", "1"),
                    ];
                    variables.extend(alone.map(|(name, value)| (name, value.to_owned())));
                    let environment = self.environment(folder);
                    variables.extend(environment.map(|(path, _)| ("VIRTUAL_ENV", path.display().to_string())));
                    variables.extend(self.pyenv().map(|path| ("PYENV_ROOT", path.display().to_string())));
                }
                Preset::Node => variables.push(("npm_config_offline", "true".to_owned())),
                Preset::Cargo => {
                    variables.push(("CARGO_NET_OFFLINE", "true".to_owned()));
                    let home = self.home_of("RUSTUP_HOME", ".rustup");
                    variables.extend(home.map(|path| ("RUSTUP_HOME", path.display().to_string())));
                }
                Preset::Go => {
                    variables.push(("GOPROXY", "off".to_owned()));
                    let modules = self.go_modules();
                    variables.extend(modules.map(|path| ("GOMODCACHE", path.display().to_string())));
                }
            }
        }
        variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Returns the variables that say where the tools themselves are installed.
    #[must_use]
    pub fn homes(&self) -> BTreeMap<String, String> {
        let homes = ["PYENV_ROOT", "RUSTUP_HOME"];
        self.variables(&self.tree).into_iter().filter(|(name, _)| homes.contains(&name.as_str())).collect()
    }

    /// Makes the home folder of a tool have what cargo looks for there: links to its caches, next to files of the tool's own.
    ///
    /// # Errors
    ///
    /// [`Error::Script`] when a link cannot be made.
    pub fn prepare(&self, script: &PrivateScript) -> Result<(), Error> {
        if !self.presets.contains(&Preset::Cargo) {
            return Ok(());
        }
        let Some(home) = self.home_of("CARGO_HOME", ".cargo") else { return Ok(()) };
        for cache in CARGO_CACHES.into_iter().filter(|cache| home.join(cache).is_dir()) {
            let link = script.folder().join(".cargo").join(cache);
            let made = link.parent().map_or(Ok(()), std::fs::create_dir_all);
            made.and_then(|()| symlink(home.join(cache), &link)).map_err(|source| Error::Script {
                file_name: format!(".cargo/{cache}"),
                folder: script.folder().to_owned(),
                source,
            })?;
        }
        Ok(())
    }

    /// Returns the folder of programs of the virtual environment that counts in a folder of the tree.
    #[must_use]
    pub fn programs(&self, folder: &Path) -> Option<PathBuf> {
        self.environment(folder).map(|(environment, _)| environment.join("bin"))
    }

    /// Returns a program of the virtual environment that counts in a folder of the tree, if it is the one that its person or the
    /// kept result of the set-up has there: a program that the thread wrote or changed is not started by the name of a permitted one.
    #[must_use]
    pub fn program(&self, name: &str, folder: &Path) -> Option<PathBuf> {
        if name.is_empty() || name.contains('/') || name == "git" {
            return None;
        }
        let (environment, from) = self.environment(folder)?;
        let here = environment.join("bin").join(name);
        let there = from.twin.join(here.strip_prefix(&self.tree).ok()?);
        let is_same = match (here.read_link(), there.read_link()) {
            // Both lead out of the trees, to the same interpreter.
            (Ok(_), Ok(_)) => {
                let (here, there) = (here.canonicalize().ok()?, there.canonicalize().ok()?);
                here == there && ![&self.tree, &self.persons, &from.twin].iter().any(|tree| here.starts_with(tree))
            }
            (Err(_), Err(_)) => {
                let (here, there) = (read(&here)?, read(&there)?);
                here == moved(&there, &[&from.named], &self.tree).unwrap_or(there)
            }
            _ => false,
        };
        is_same.then_some(here)
    }

    /// Returns the nearest virtual environment of a folder of the tree, and what it is a copy of. One that git tracks is not meant: the
    /// thread has the commit's, and not its person's.
    fn environment(&self, folder: &Path) -> Option<(PathBuf, &Furnished)> {
        if !self.presets.contains(&Preset::Python) {
            return None;
        }
        let above = folder.ancestors().filter(|above| above.starts_with(&self.tree));
        let whole = |path: PathBuf| {
            let relative = path.strip_prefix(&self.tree).ok()?;
            let from = self.project.furnished().iter().find(|from| relative.starts_with(from.path.as_str()))?;
            (is_environment(&path) && is_environment(&from.twin.join(relative))).then_some((path, from))
        };
        let names = Preset::Python.row().folders;
        above.flat_map(|above| names.iter().map(|name| above.join(name))).find_map(whole)
    }

    /// Returns where the interpreters of the virtual environments were installed: those of the person, and those that a set-up made.
    fn interpreters(&self) -> BTreeSet<PathBuf> {
        let persons = tool_folders(&self.persons, Preset::Python).into_iter();
        let persons = persons.map(|path| (&self.persons, self.persons.join(path.as_str())));
        let furnished = self.project.furnished().iter().map(|from| (&from.twin, from.twin.join(from.path.as_str())));
        let installation = |(top, environment): (&PathBuf, PathBuf)| {
            python_installation(&environment.join("bin/python")).filter(|found| !found.starts_with(top))
        };
        persons.chain(furnished).filter_map(installation).collect()
    }

    /// Returns the folder of pyenv, whose shims are on `PATH`.
    fn pyenv(&self) -> Option<PathBuf> {
        if !self.presets.contains(&Preset::Python) {
            return None;
        }
        let path = self.project.context().variable("PATH").unwrap_or_default();
        let shims = path.split(':').map(Path::new).filter(|folder| folder.is_absolute() && folder.ends_with("shims"));
        shims.filter_map(Path::parent).find(|root| root.join("libexec/pyenv").is_file()).map(Path::to_owned)
    }

    /// Returns where a program on `PATH` was installed.
    fn installed(&self, name: &str) -> Option<PathBuf> {
        let path = self.project.context().variable("PATH").unwrap_or_default();
        let refused = self.project.program_free();
        let found = process::find_program(name, path, &process::as_paths(&refused)).ok()?;
        Some(process::installation(&found))
    }

    /// Returns a folder that a variable names, or that lies in the home folder.
    fn home_of(&self, variable: &str, name: &str) -> Option<PathBuf> {
        let ctx = self.project.context();
        let named = ctx.variable_named(variable).map(PathBuf::from).filter(|path| path.is_absolute());
        named.or_else(|| Some(ctx.home().ok()?.join(name))).filter(|path| path.is_dir())
    }

    /// Returns the cache of Go's modules.
    fn go_modules(&self) -> Option<PathBuf> {
        let named = self.project.context().variable_named("GOMODCACHE").map(PathBuf::from);
        let named = named.filter(|path| path.is_absolute() && path.is_dir());
        named.or_else(|| self.home_of("GOPATH", "go").map(|path| path.join("pkg/mod"))).filter(|path| path.is_dir())
    }
}

fn is_environment(folder: &Path) -> bool {
    let is_real = |path: &Path, is_folder: bool| {
        path.symlink_metadata().is_ok_and(|found| if is_folder { found.is_dir() } else { found.is_file() })
    };
    is_real(folder, true) && is_real(&folder.join("bin"), true) && is_real(&folder.join("pyvenv.cfg"), false)
}

/// Returns where a Python was installed: a folder with its standard library, and nothing else that a link could name.
fn python_installation(program: &Path) -> Option<PathBuf> {
    let program = program.canonicalize().ok()?;
    let name = program.file_name()?.to_str()?;
    let folder = program.parent().filter(|folder| folder.ends_with("bin"))?;
    let prefix = folder.parent().filter(|prefix| prefix.parent().is_some())?;
    let libraries = std::fs::read_dir(prefix.join("lib")).ok()?.flatten();
    let is_library = |name: &str| name.starts_with("python3.") || name.starts_with("pypy3.");
    let mut libraries = libraries.filter(|entry| entry.file_name().to_str().is_some_and(is_library));
    let is_python = name.starts_with("python") || name.starts_with("pypy");
    (is_python && libraries.any(|entry| entry.path().join("os.py").is_file())).then(|| prefix.to_owned())
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let is_small = |found: &std::fs::Metadata| found.is_file() && found.len() <= MOST_BYTES;
    path.symlink_metadata().ok().filter(is_small)?;
    std::fs::read(path).ok()
}
