//! Paths that a person names for output: one function judges them for every command.

use std::path::Path;

use super::error::Error;
use crate::context::Context;
use crate::project::Project;
use crate::workspace::{Misplaced, OutputPath, OutputPlaces};

/// Judges a path that was named for output.
///
/// # Errors
///
/// Fails for a place in a git folder, or of the program's own.
pub(super) fn output_path(ctx: &Context, named: &Path) -> Result<OutputPath, Error> {
    judged(&output_places(ctx), named)
}

/// Looks up once what several paths are judged by.
pub(super) fn output_places(ctx: &Context) -> OutputPlaces<'_> {
    // Where there is no project, there is no git folder of it.
    let repository = Project::open(ctx).ok().and_then(|project| project.repository());
    let git_dirs = repository.iter().flat_map(|repository| [repository.git_dir(), repository.common_dir()]);
    OutputPlaces::find(ctx, git_dirs)
}

/// Judges one of several paths.
///
/// # Errors
///
/// As [`output_path`].
pub(super) fn judged(places: &OutputPlaces<'_>, named: &Path) -> Result<OutputPath, Error> {
    places.judge(named).map_err(|place| misplaced(place, named))
}

/// Judges a folder that becomes a repository, and may be an empty one already.
///
/// # Errors
///
/// As [`output_path`].
pub(super) fn repository_path(ctx: &Context, named: &Path) -> Result<OutputPath, Error> {
    output_places(ctx).judge_repository(named).map_err(|place| misplaced(place, named))
}

fn misplaced(place: Misplaced, named: &Path) -> Error {
    let path = named.to_path_buf();
    match place {
        Misplaced::Git => Error::InGitFolder { path },
        Misplaced::Own | Misplaced::Circle => Error::InOwnPlace { path },
    }
}
