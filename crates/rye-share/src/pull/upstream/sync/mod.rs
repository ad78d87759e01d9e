//! The folders of skills as the lock says: compared, made again, taken into the lock, removed.
//!
//! A folder whose files are those of the lock needs nothing from its source. Nothing is trusted and nothing is asked here: a signature that
//! comes back is the one that the lock has.

mod folder;
mod lock_entry;
mod restore;
mod step;

use self::folder::unlisted;
use self::lock_entry::{half_listed, listed};
use self::step::{Action, Step};
use super::super::write::{Change, write};
use super::super::{lock, recovery, registry};
use super::error::Error;
use super::options::SyncOptions;
use super::outcome::{SyncOutcome, SyncState, Synced, SyncedSkill};
use crate::format::registry_files::Lock;
use crate::id::{ItemId, Space};
use crate::project::Project;
use crate::session::Session;

/// What would be made of the folders.
#[derive(Debug)]
pub struct SyncPlan {
    space: Space,
    lock: Lock,
    steps: Vec<Step>,
}

impl SyncPlan {
    /// Lists the folders that would be removed.
    #[must_use]
    pub fn pruned(&self) -> Vec<&str> {
        self.with(|action| matches!(action, Action::Prune { .. }))
    }

    /// Lists the folders that the lock would have from now on.
    #[must_use]
    pub fn adopted(&self) -> Vec<&str> {
        self.with(|action| matches!(action, Action::Adopt(_)))
    }

    /// Lists the folders that would be made again.
    #[must_use]
    pub fn restored(&self) -> Vec<&str> {
        self.with(|action| matches!(action, Action::Restore { .. } | Action::Pull(_)))
    }

    fn with(&self, is_meant: impl Fn(&Action) -> bool) -> Vec<&str> {
        let steps = self.steps.iter().filter(|step| is_meant(&step.action));
        steps.map(|step| step.skill.folder.as_str()).collect()
    }

    /// Tells whether anything would be written.
    #[must_use]
    pub fn is_changing(&self) -> bool {
        self.steps.iter().any(|step| !matches!(step.action, Action::Nothing))
    }

    /// Returns how everything is now.
    #[must_use]
    pub fn now(&self) -> SyncOutcome {
        outcome(self.space, self.steps.iter().map(|step| step.skill.clone()).collect())
    }
}

/// Compares the folders with the lock, and fetches missing skills. With `check` nothing is fetched or mended.
///
/// # Errors
///
/// Fails when the lock or a folder cannot be read, when a source is not reached, and when it has other files than the lock says.
pub fn plan_sync(session: &Session, options: &SyncOptions) -> Result<SyncPlan, Error> {
    let project = session.project();
    let space = options.how.space;
    let lock = lock::read(project, space)?;
    let mut steps = Vec::new();
    if options.check {
        for left in recovery::left(project, space)? {
            steps.push(Step::new(&left.id, &left.folder, Synced::Changed, Some("a run was killed".to_owned())));
        }
    } else {
        let _held = project.workspace().hold(space)?;
        for folder in recovery::mend(project, space, &lock)? {
            let id = folder.rsplit('/').next().and_then(|name| name.parse().ok());
            let detail = Some("a run was killed, and its staging folder next to the folder was left".to_owned());
            steps.extend(id.map(|id: ItemId| Step::new(&id, &folder, Synced::Changed, detail)));
        }
    }
    let places = project.skill_places(space)?;
    for locked in lock.skills() {
        steps.push(listed(session, options, (&lock, locked), &places)?);
    }
    steps.extend(half_listed(&lock, &places));
    steps.extend(unlisted(project, options, &lock, &places)?);
    let is_told = |path: &str| lock.skills().iter().any(|locked| locked.folder == path);
    steps.extend(
        places.faults.iter().filter(|(path, _)| !is_told(path)).map(|(path, fault)| Step::refused(path, fault)),
    );
    Ok(SyncPlan { space, lock, steps })
}

/// Makes of the folders and the lock what was planned.
///
/// # Errors
///
/// Fails when the lock is another one by now, a folder changed meanwhile, or something cannot be written: changes made
/// before stay.
pub fn perform_sync(project: &Project, plan: SyncPlan) -> Result<SyncOutcome, Error> {
    let space = plan.space;
    // Each holds the space by itself.
    for step in &plan.steps {
        if let Action::Pull(pulled) = &step.action {
            registry::perform(project, pulled, false)?;
        }
    }
    let _held = lock::hold(project, space, &plan.lock)?;
    let mut lock = plan.lock;
    let mut skills = Vec::new();
    for Step { mut skill, action } in plan.steps {
        match action {
            Action::Nothing => {}
            Action::Pull(_) => (skill.status, skill.detail) = (Synced::Restored, None),
            Action::Restore { id, restored } => {
                let (files, signature) = (Some(&restored.read), restored.signature.as_deref());
                write(
                    project,
                    space,
                    (&lock, &lock),
                    &Change { id: &id, present: &restored.present, files, signature },
                )?;
                skill.status = if restored.is_lost { Synced::Signature } else { Synced::Restored };
            }
            Action::Adopt(locked) => {
                let mut after = lock.clone();
                after.put_skill(*locked);
                lock::write(project, space, &lock, &after)?;
                lock = after;
                (skill.status, skill.detail) = (Synced::Adopted, None);
            }
            Action::Prune { id, present } => {
                write(project, space, (&lock, &lock), &Change::removal(&id, &present))?;
                skill.status = Synced::Pruned;
            }
        }
        skills.push(skill);
    }
    Ok(outcome(space, skills))
}

fn outcome(space: Space, skills: Vec<SyncedSkill>) -> SyncOutcome {
    let differs = skills.iter().any(|skill| skill.status.is_difference());
    let status = if differs { SyncState::Differs } else { SyncState::Synced };
    SyncOutcome { status, skills, lock: lock::shown(space) }
}
