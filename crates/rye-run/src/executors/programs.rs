//! The folders of programs that what runs in the sandbox may read: those on its `PATH`, and where its program was installed, with
//! the interpreter of a program that is a script.
//!
//! A folder that holds the project, its git folder, the home folder or a place of this program's own, or lies in such a place,
//! is refused: `$HOME` on the `PATH` gives no script the person's keys.

use std::path::{Path, PathBuf};

use crate::process;
use crate::project::Project;

/// Returns the folders, without links.
#[must_use]
pub fn reachable(project: &Project, program: &Path) -> Vec<PathBuf> {
    let kept = Kept::of(project);
    let path = project.context().variable("PATH").unwrap_or_default();
    let refused = project.program_free();
    let folders = process::search_path(path, &process::as_paths(&refused));
    let folders = folders.split(':').filter_map(|folder| Path::new(folder).canonicalize().ok());
    let interpreter = process::interpreter_of(program, path, &process::as_paths(&refused));
    let programs = std::iter::once(program).chain(interpreter.as_deref());
    let installed = programs.map(|program| {
        let installed = process::installation(program);
        if kept.is_apart_from(&installed) { installed } else { whole(program) }
    });
    folders.filter(|folder| kept.is_apart_from(folder)).chain(installed).collect()
}

/// What no folder of programs may lead to.
pub(super) struct Kept {
    /// Neither these nor folders below them.
    places: Vec<PathBuf>,
    /// These may have folders of programs below: `~/bin`.
    roots: Vec<PathBuf>,
}

impl Kept {
    /// Finds these places.
    pub(super) fn of(project: &Project) -> Self {
        let ctx = project.context();
        // The program itself lies among other programs.
        let own = ctx.own_places().into_iter().map(|place| place.path).filter(|path| path != ctx.program());
        let repository = project.repository();
        let git = repository.iter().flat_map(|git| [git.common_dir().to_owned(), git.git_dir().to_owned()]);
        let roots = project.root().ok().map(Path::to_owned).into_iter().chain(ctx.home().ok());
        Self { places: own.chain(git).flat_map(both).collect(), roots: roots.flat_map(both).collect() }
    }

    /// Tells whether a folder has nothing of them.
    pub(super) fn is_apart_from(&self, folder: &Path) -> bool {
        let holds = |kept: &PathBuf| kept.starts_with(folder);
        !self.roots.iter().any(holds) && !self.places.iter().any(|place| holds(place) || folder.starts_with(place))
    }
}

/// A path as it is named, and where it leads to.
fn both(path: PathBuf) -> [PathBuf; 2] {
    let led = whole(&path);
    [path, led]
}

fn whole(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
