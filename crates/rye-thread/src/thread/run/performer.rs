//! Performing a permitted action in a thread: under the thread's time, with what changed recorded.
//!
//! Only a [`Permitted`] action gets here. What goes wrong is a typed result for the model; an error of this program's
//! own storage is not, and ends the run.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::call_result::{Answered, abridged, coded, failure, not_written, taken_in, told};
use super::traces::Traces;
use crate::action::{self, Action, Bounds, Done, Permitted, Toolbox};
use crate::capability::{Access, Authority as _, PathRules, ProjectPath, TokenChain};
use crate::event::CallStatus;
use crate::format::Profile;
use crate::git::CommitId;
use crate::id::{ItemId, ItemType};
use crate::item::{Builtin, Touch};
use crate::locate::{Purpose, subject};
use crate::machine::{Performed, instructions};
use crate::process::{self, CancelFlag};
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::model::Guard;
use crate::thread::tree::{Changes, Fault, InPlace, OwnTree, Rules};
use crate::workspace::ProjectDir;
use crate::{execute, extends, load, sign};

/// What performing needs besides the action.
pub(super) struct Performer<'run> {
    pub(in crate::thread) session: &'run Session,
    pub(in crate::thread) tree: &'run OwnTree,
    /// The commit that the tree was made of.
    base: Option<&'run CommitId>,
    /// What allows the thread's calls.
    pub(in crate::thread) chain: TokenChain,
    /// The path rules of every token of the chain: all of them count.
    paths: Vec<PathRules>,
    /// The directives in force, each with those it excludes.
    loaded: Vec<Loaded>,
    cancel: &'run CancelFlag,
    pub(in crate::thread) changes: Changes,
    pub(in crate::thread) in_place: Option<InPlace>,
    /// Whether its model is asked over the network.
    toolbox: Option<Toolbox>,
    /// Keeps secrets out of what the model gets to see.
    pub(in crate::thread) guard: Guard,
    pub(in crate::thread) artifacts: BTreeMap<String, Vec<u8>>,
}

/// What performing needs that no call changes: workers share it.
#[derive(Clone, Copy)]
pub(super) struct Doing<'a> {
    session: &'a Session,
    chain: &'a TokenChain,
    cancel: &'a CancelFlag,
    guard: &'a Guard,
}

/// The part of a performer that tracks the tree while calls run in parallel.
pub(super) struct Beside<'a> {
    session: &'a Session,
    tree: &'a OwnTree,
    base: Option<&'a CommitId>,
    paths: &'a [PathRules],
    pub(in crate::thread) changes: &'a mut Changes,
    lost: Vec<(String, &'static str)>,
}

impl Beside<'_> {
    /// Looks at the tree after a call ended. What cannot be told while others write is told when all of them ended.
    pub(in crate::thread) fn look(&mut self, status: CallStatus) {
        if status == CallStatus::Denied || self.tree.fault().is_some() {
            return;
        }
        self.lost.extend(self.changes.foreign_changes(self.tree));
        if let Ok(standpoint) = self.session.project().standpoint() {
            let rules = Rules { standpoint: &standpoint, paths: self.paths };
            let _ = self.changes.look(self.tree, self.base, Some(rules));
        }
    }

    /// Returns the writes outside of the commit, with the reasons.
    pub(super) fn lost(mut self) -> Vec<(String, &'static str)> {
        self.lost.extend(self.changes.foreign_changes(self.tree));
        self.lost
    }
}

/// What a thread changed, and where that goes besides its branch.
pub(in crate::thread) struct Work {
    pub(in crate::thread) changes: Changes,
    /// The person's own tree, if the thread works there.
    pub(in crate::thread) in_place: Option<InPlace>,
}

/// A directive with those it excludes.
pub(super) type Loaded = (ItemId, Vec<ItemId>);

/// Returns a directive with those it excludes.
pub(in crate::thread) fn exclusions(link: &extends::Link) -> Loaded {
    (link.item_id().clone(), link.directive().context.conflicts_with.clone())
}

impl Doing<'_> {
    /// Returns why a tool is withheld: it is a script, and the sandbox that it must run in is missing.
    pub(super) fn withholds(self, id: &ItemId) -> Option<process::Error> {
        if is_of_program(self.session, id) {
            return None;
        }
        execute::check_sandbox(self.session.context()).err()
    }

    /// Refuses a call of a tool that is withheld.
    fn withheld(self, action: &Action) -> Option<Answered> {
        let Action::Tool { id, .. } = action else { return None };
        let missing = self.withholds(id)?;
        let message = format!("`{id}` is a script, and scripts are withheld: {missing}");
        let output = json!({"error": {"code": "no_sandbox", "message": message}});
        Some(Answered::new(CallStatus::Denied, output))
    }

    /// Performs an action that changes nothing of the thread's own state, and returns what the model gets to see.
    pub(in crate::thread) fn answer(self, permitted: Permitted, remaining: Duration) -> Answered {
        if let Some(withheld) = self.withheld(permitted.action()) {
            return withheld;
        }
        let told = self.done(permitted, remaining).map(|done| done.map_or_else(Ok, |done| told(&done)));
        told.flatten().unwrap_or_else(|error| failure(error.as_ref()))
    }

    /// Performs an action under its bounds; what it refuses is told to the model.
    fn done(
        self,
        permitted: Permitted,
        remaining: Duration,
    ) -> Result<Result<Done, Answered>, Box<dyn std::error::Error>> {
        let usual = execute::Bounds::usual(self.cancel);
        let run = execute::Bounds { timeout: Some(remaining), secrets: self.guard.redactor(), ..usual };
        let bounds = Bounds { run, authority: self.chain, progress: None, dry_run: false };
        match action::perform(self.session, permitted, &bounds) {
            Err(action::Error::Execute(wrong @ execute::Error::Parameters { .. })) => {
                Ok(Err(coded("bad_arguments", &wrong)))
            }
            Err(
                action::Error::Execute(execute::Error::Denied(denial))
                | action::Error::Load(load::Error::Denied(denial)),
            ) => Ok(Err(Answered { status: CallStatus::Denied, ..coded("permission_denied", &denial) })),
            done => Ok(Ok(done?)),
        }
    }
}

/// Tells whether a call is one of a built-in tool; what takes the place of one may be a script.
pub(in crate::thread) fn is_builtin(session: &Session, action: &Action) -> bool {
    matches!(action, Action::Tool { id, .. } if is_of_program(session, id))
}

fn is_of_program(session: &Session, id: &ItemId) -> bool {
    Builtin::of(id).is_some() && !session.context().config().items.shadow_reserved
}

impl<'run> Performer<'run> {
    /// Makes the performer of one thread.
    pub(in crate::thread) fn new(
        session: &'run Session,
        tree: &'run OwnTree,
        base: Option<&'run CommitId>,
        work: Work,
        chain: TokenChain,
        loaded: Vec<Loaded>,
        cancel: &'run CancelFlag,
    ) -> Self {
        let (paths, artifacts) = (chain.path_rules(), BTreeMap::new());
        let Work { mut changes, in_place } = work;
        // From here on what differs is a tool's.
        changes.foreign_changes(tree);
        Self {
            session,
            tree,
            base,
            chain,
            paths,
            loaded,
            cancel,
            changes,
            in_place,
            guard: Guard::default(),
            toolbox: None,
            artifacts,
        }
    }

    /// Names the tools that the thread's model is offered: what it takes in names them as it calls them.
    pub(super) fn offering(self, toolbox: Toolbox) -> Self {
        Self { toolbox: Some(toolbox), ..self }
    }

    /// Says what keeps secrets from the thread's model.
    pub(super) fn guarding(self, guard: Guard) -> Self {
        Self { guard, ..self }
    }

    /// Returns what performing needs that no call changes.
    pub(in crate::thread) const fn doing(&self) -> Doing<'_> {
        Doing { session: self.session, chain: &self.chain, cancel: self.cancel, guard: &self.guard }
    }

    /// Splits the parts that parallel calls share from the part that tracks the tree.
    pub(super) const fn beside(&mut self) -> (Doing<'_>, &Guard, Beside<'_>) {
        let Self { session, tree, base, chain, paths, cancel, changes, guard, .. } = self;
        let doing = Doing { session, chain, cancel, guard };
        (doing, guard, Beside { session, tree, base: *base, paths: paths.as_slice(), changes, lost: Vec::new() })
    }

    /// Performs an action and returns what the model gets to see.
    pub(in crate::thread) fn perform(
        &mut self,
        call_id: String,
        permitted: Permitted,
        remaining: Duration,
    ) -> Result<Performed, Error> {
        let started = self.session.context().elapsed_ms();
        if let Some(in_place) = &mut self.in_place {
            in_place.refresh(self.tree, &mut self.changes)?;
        }
        let permitted = match self.let_through(&call_id, permitted) {
            Ok(permitted) => permitted,
            Err(Answered { status, output, .. }) => {
                return Ok(Performed {
                    call_id,
                    status,
                    output,
                    artifact: None,
                    stderr: None,
                    hosts: Vec::new(),
                    duration_ms: 0,
                });
            }
        };
        let is_write = |touch: &&Touch| match touch.access {
            Access::Read => false,
            Access::Write => true,
        };
        let writes: Vec<ProjectPath> =
            permitted.touches().iter().filter(is_write).map(|touch| touch.path.clone()).collect();
        let withheld = self.doing().withheld(permitted.action());
        let answered = match withheld.map_or_else(|| self.refusal(&writes), |withheld| Ok(Some(withheld)))? {
            Some(refused) => refused,
            None => {
                let answered = self.answer(permitted, remaining).unwrap_or_else(|error| failure(error.as_ref()));
                if answered.status != CallStatus::Denied {
                    writes.iter().cloned().for_each(|path| self.changes.wrote(path));
                }
                self.bring(&writes, answered)?
            }
        };
        let hosts = self.guard.hosts(answered.hosts);
        let stderr = answered.stderr.map(|said| self.guard.text(said));
        let (output, artifact) = self.bounded(self.guard.result(answered.output), answered.status);
        let duration_ms = self.session.context().elapsed_ms().saturating_sub(started);
        Ok(Performed { call_id, status: answered.status, output, artifact, stderr, hosts, duration_ms })
    }

    /// Refuses a write that could not be kept, before it is done.
    fn refusal(&mut self, writes: &[ProjectPath]) -> Result<Option<Answered>, Error> {
        for path in writes {
            if let Some(reason) = self.tree.foreign(path.as_str()) {
                self.changes.skip(path.as_str(), reason);
                return Ok(Some(not_written(&[(path.to_string(), reason)], None)));
            }
        }
        let Some(in_place) = &self.in_place else { return Ok(None) };
        for path in writes {
            if let Some(reason) = in_place.refusal(path, &mut self.changes)? {
                return Ok(Some(not_written(&[(path.to_string(), reason)], None)));
            }
        }
        Ok(None)
    }

    /// Says of a call what it changed and cannot be kept; brings the rest into the person's tree, if the thread works there.
    fn bring(&mut self, writes: &[ProjectPath], answered: Answered) -> Result<Answered, Error> {
        let mut refused = self.changes.foreign_changes(self.tree);
        if self.in_place.is_some() {
            self.look_at_changes()?;
        }
        if let Some(in_place) = &mut self.in_place {
            let kept_back = in_place.bring(self.tree, &mut self.changes, writes)?;
            refused.extend(kept_back.into_iter().map(|(path, reason)| (path.to_string(), reason)));
        }
        Ok(if refused.is_empty() { answered } else { not_written(&refused, Some(answered)) })
    }

    fn answer(&mut self, permitted: Permitted, remaining: Duration) -> Result<Answered, Box<dyn std::error::Error>> {
        let (taken, signed) = match permitted.action() {
            Action::TakeIn { item_type: ItemType::Directive, id, .. } => (self.compatible(id)?, None),
            Action::Sign { item_type, id } => (Vec::new(), Some((*item_type, id.clone()))),
            Action::Tool { .. } | Action::TakeIn { .. } | Action::Load { .. } | Action::Search(_) => (Vec::new(), None),
        };
        let done = match self.doing().done(permitted, remaining)? {
            Ok(done) => done,
            Err(refused) => return Ok(refused),
        };
        self.loaded.extend(taken);
        if let (Done::Signed(outcome), Some((item_type, id))) = (&done, signed) {
            self.accept(item_type, &id, outcome)?;
        }
        if let Done::Loaded(load::Outcome { copy: Some(path), .. }) = &done {
            self.changes.wrote(path.clone());
        }
        match (&done, &self.toolbox) {
            (Done::Executed(execute::Outcome::Directive(directive)), Some(toolbox)) => {
                Ok(taken_in(instructions::result(directive, toolbox)))
            }
            _ => told(&done),
        }
    }

    /// Refuses a directive that requires an item that is not offered, that excludes one of those in force, or is
    /// excluded by one. Returns its chain.
    fn compatible(&self, id: &ItemId) -> Result<Vec<Loaded>, Box<dyn std::error::Error>> {
        let located = self.session.project().locate(ItemType::Directive, id, None, Purpose::Use)?;
        let chain =
            extends::resolve(self.session.project(), self.session.project().verified(located, Profile::Reference)?)?;
        chain.require_offered()?;
        let taken: Vec<_> = chain.links().map(exclusions).collect();
        for (new, excluded) in &taken {
            for (old, excluding) in &self.loaded {
                extends::exclude((new, excluded), old)?;
                extends::exclude((old, excluding), new)?;
            }
        }
        Ok(taken)
    }

    /// Lets signatures of the agent key count only in this thread.
    fn accept(
        &self,
        item_type: ItemType,
        id: &ItemId,
        outcome: &sign::Outcome,
    ) -> Result<(), Box<dyn std::error::Error>> {
        if let Some(signature) = outcome.items.first().and_then(|item| item.signature.as_ref()) {
            let located = self.session.project().locate(item_type, id, None, Purpose::Author)?;
            self.session.project().accept_from_agent(subject(&located.candidate), signature.hash);
        }
        Ok(())
    }

    /// Tells what a call may leave behind.
    pub(super) fn traces(&self, permitted: &Permitted) -> Traces {
        Traces::of(permitted, self.session.context().config().items.shadow_reserved)
    }

    /// Returns the files of the tree.
    pub(in crate::thread) const fn project(&self) -> &ProjectDir {
        self.tree.project()
    }

    /// Looks which files the next commit has by now. In its person's own tree every call is followed by such a look.
    pub(super) fn look_for_files(&mut self) -> Result<(), Error> {
        if self.in_place.is_some() || self.fault().is_some() {
            return Ok(());
        }
        self.look_at_changes()
    }

    /// Looks whether the tree can still be used.
    pub(in crate::thread) fn fault(&self) -> Option<Fault> {
        self.tree.fault().or_else(|| self.changes.fault().cloned())
    }

    /// Looks for what the tools changed in the tree since the last look. Of a tree that can be used no longer nothing is taken.
    pub(in crate::thread) fn look(&mut self) -> Result<(), Error> {
        if self.fault().is_some() {
            return Ok(());
        }
        self.look_at_changes()?;
        if let Some(in_place) = &mut self.in_place {
            // An answer after the end of its call has no receiver: only the record has it.
            in_place.bring(self.tree, &mut self.changes, &[])?;
        }
        Ok(())
    }

    fn look_at_changes(&mut self) -> Result<(), Error> {
        let standpoint = self.session.project().standpoint()?;
        self.changes.look(self.tree, self.base, Some(Rules { standpoint: &standpoint, paths: &self.paths }))
    }

    /// Keeps a large result as an artifact and shows it abridged.
    pub(in crate::thread) fn bounded(&mut self, output: Value, status: CallStatus) -> (Value, Option<String>) {
        let text = output.to_string();
        match abridged(&text, status) {
            None => (output, None),
            Some((abridged, digest)) => {
                self.artifacts.insert(digest.clone(), text.into_bytes());
                (abridged, Some(digest))
            }
        }
    }
}
