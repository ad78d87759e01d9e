//! Reading and validating the items to sign, on every core.

use super::super::locate::LocateError;
use super::error::Error;
use super::one::{Remarks, line_by};
use super::options::Options;
use super::skill;
use super::skill_places::Places;
use super::work::Work;
use crate::id::{ItemType, Space};
use crate::project::Project;
use crate::trust::{PublicKey, SignatureLine};
use crate::workspace::{self, Candidate, Reader};

/// Fewer items are not worth a second worker.
const ITEMS_PER_WORKER: usize = 64;

/// A valid item.
pub(super) struct Read {
    pub(super) work: Work,
    /// Its warnings.
    pub(super) remarks: Remarks,
    /// The line of `own` over the unchanged item.
    pub(super) by_own: Option<SignatureLine>,
}

/// Reads items in their order, each with its faults.
pub(super) fn all(
    project: &Project,
    options: &Options,
    own: Option<PublicKey>,
    candidates: &[Candidate],
) -> Result<Vec<Result<Read, Error>>, Error> {
    let places = Places::of(project, candidates)?;
    let shares = workspace::shares(candidates, ITEMS_PER_WORKER).into_iter();
    let shares = shares.map(|candidates| Ok((Readers::open(project)?, candidates)));
    let read = workspace::on_every_core(shares.collect::<Result<Vec<_>, Error>>()?, |(readers, candidates)| {
        let read = |candidate| one(project, options, own, &places, &readers, candidate);
        candidates.iter().map(read).collect::<Vec<_>>()
    });
    Ok(read.into_iter().flatten().collect())
}

fn one(
    project: &Project,
    options: &Options,
    own: Option<PublicKey>,
    places: &Places,
    readers: &Readers,
    candidate: &Candidate,
) -> Result<Read, Error> {
    let work = match candidate.item_type {
        ItemType::Skill => skill::work(project, places, candidate, options.version)?,
        ItemType::Directive | ItemType::Tool | ItemType::Knowledge => {
            let bytes = readers.of(candidate.space).read(candidate).map_err(LocateError::from)?;
            Work::on(candidate, bytes)
        }
    };
    let remarks = work.valid()?;
    let by_own = own.and_then(|own| line_by(&work.raw, &own));
    Ok(Read { work, remarks, by_own })
}

/// The spaces whose items can be signed.
struct Readers {
    project: Reader,
    user: Reader,
}

impl Readers {
    fn open(project: &Project) -> Result<Self, Error> {
        let reader = |space| project.workspace().reader(space).map_err(LocateError::from);
        Ok(Self { project: reader(Space::Project)?, user: reader(Space::User)? })
    }

    const fn of(&self, space: Space) -> &Reader {
        match space {
            Space::User => &self.user,
            Space::Project | Space::System => &self.project,
        }
    }
}
