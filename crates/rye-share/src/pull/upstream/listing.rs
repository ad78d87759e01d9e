//! The skills that git repositories have, as addresses to pull.

use serde::Serialize;

use super::error::Error;
use super::options::How;
use super::revision::{commit_of, open};
use crate::id::GitSource;
use crate::registry::Upstream;
use crate::session::Session;

/// The skills of repositories.
#[derive(Debug, Serialize)]
pub struct SkillList {
    /// Each of them, in the order of the repositories and then of their paths.
    pub skills: Vec<ListedSkill>,
}

/// A skill of a repository.
#[derive(Debug, Serialize)]
pub struct ListedSkill {
    /// The folder, from the top of the repository.
    pub path: String,
    /// What `rye pull` takes.
    pub address: String,
    /// The commit that was looked at.
    pub commit: String,
}

/// Lists the skills at or below the folders of some sources.
///
/// # Errors
///
/// Fails when a repository is not reached, or has no such revision.
pub fn list_skills(session: &Session, sources: &[GitSource], how: &How) -> Result<SkillList, Error> {
    let mut skills = Vec::new();
    for source in sources {
        let source = Upstream::absolute(session.context().current_dir(), source)?;
        let mut upstream = open(session, how.terminal, source.url())?;
        let commit = commit_of(&mut upstream, &source, how.is_offline)?;
        let is_below = |path: &String| {
            let rest = path.strip_prefix(source.path());
            source.path().is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        for path in upstream.skills(&commit)?.into_iter().filter(is_below) {
            let rev = source.rev().map(|rev| format!("@{rev}")).unwrap_or_default();
            let address = format!("git+{}//{path}{rev}", source.url());
            skills.push(ListedSkill { path, address, commit: commit.to_string() });
        }
    }
    Ok(SkillList { skills })
}
