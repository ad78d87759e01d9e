//! Whose signature an item carries, and whose its bases have.

use std::sync::Arc;

use super::super::locate::LocateError;
use super::change::Change;
use super::error::Error;
use super::one::{Raw, is_by, line_by};
use super::origin::Origin;
use crate::keys::{KeyName, KeyStore};
use crate::project::Project;
use crate::trust::{KeyId, LineState, PublicKey, SignatureLine, TrustedKeys, Verdict};

/// The keys that tell one's own signatures from those of others.
pub(super) struct Owners {
    keys: Arc<TrustedKeys>,
    own: Option<PublicKey>,
    agent: Option<PublicKey>,
}

impl Owners {
    /// Reads which key is the agent's; `own` signs.
    pub(super) fn new(project: &Project, own: Option<PublicKey>) -> Result<Self, Error> {
        let store = KeyStore::new(project.context()).map_err(LocateError::from)?;
        let agent = store.find_public(KeyName::Agent).map_err(LocateError::from)?;
        Ok(Self { keys: project.keys(), own, agent })
    }

    /// Returns the signature of another person, if it is good.
    pub(super) fn good_by_another(&self, raw: &Raw) -> Option<SignatureLine> {
        let line = raw.judge_line(&self.keys).ok()?;
        (!self.is_own(&line.key_id) && !self.is_agents(&line.key_id)).then_some(line)
    }

    /// Judges the signature line of an item.
    pub(super) fn verdict(&self, raw: &Raw) -> Verdict {
        raw.judge_line(&self.keys).map_or_else(|fault| fault.verdict(), |_| Verdict::Good)
    }

    /// Tells whether a line over these very bytes is one to leave alone: this person's, or one of an unknown key. An
    /// agent's is not: its signed items wait for a person.
    pub(super) fn stays(&self, raw: &Raw, line: &SignatureLine) -> bool {
        match self.keys.with_id(&line.key_id) {
            _ if self.is_own(&line.key_id) => self.has_own_line(raw),
            _ if self.is_agents(&line.key_id) => false,
            [] => true,
            known => known.iter().any(|known| is_by(raw.subject(), line, &known.key)),
        }
    }

    fn is_own(&self, key_id: &KeyId) -> bool {
        self.own.is_some_and(|own| own.key_id() == *key_id)
    }

    fn is_agents(&self, key_id: &KeyId) -> bool {
        self.agent.is_some_and(|agent| agent.key_id() == *key_id)
    }

    pub(super) fn has_own_line(&self, raw: &Raw) -> bool {
        self.own.is_some_and(|own| line_by(raw, &own).is_some_and(|line| line.key_id == own.key_id()))
    }

    /// Tells by the item's own line, if it is another one than the bases have.
    pub(super) fn by_its_line(&self, change: &Change) -> Option<Origin> {
        let here = line_in(&change.raw);
        let is_known = || change.before.iter().any(|base| line_in(base).line() == here.line());
        match &here {
            Found::Nothing => None,
            Found::Damaged => change.before.is_empty().then_some(Origin::Unproven),
            Found::Line(_) if is_known() => None,
            Found::Line(line) if self.is_agents(&line.key_id) => Some(Origin::Agent),
            Found::Line(line) if !self.is_own(&line.key_id) => Some(Origin::Others { key_id: line.key_id.clone() }),
            Found::Line(line) => {
                let mut names = std::iter::once(change.raw.subject()).chain(&change.moved_from);
                let is_genuine = names.any(|subject| self.own.is_some_and(|own| is_by(subject, line, &own)));
                (!is_genuine).then_some(Origin::Unproven)
            }
        }
    }

    /// Judges by the committed versions: this person's key must have signed each of them.
    pub(super) fn by_its_bases(&self, change: &Change) -> Option<Origin> {
        if change.before.is_empty() {
            let was_unsigned = !change.moved_from.is_empty() && matches!(line_in(&change.raw), Found::Nothing);
            return was_unsigned.then_some(Origin::NeverSigned);
        }
        let foreign = change.before.iter().find(|base| !self.has_own_line(base))?;
        Some(match line_in(foreign) {
            Found::Nothing => Origin::NeverSigned,
            Found::Damaged => Origin::Unproven,
            Found::Line(line) if self.is_agents(&line.key_id) => Origin::Agent,
            Found::Line(line) if self.is_own(&line.key_id) => Origin::Changed,
            Found::Line(line) => Origin::Others { key_id: line.key_id },
        })
    }
}

/// The text in the place of an item's line.
enum Found {
    Line(SignatureLine),
    Nothing,
    Damaged,
}

impl Found {
    const fn line(&self) -> Option<&SignatureLine> {
        if let Self::Line(line) = self { Some(line) } else { None }
    }
}

fn line_in(raw: &Raw) -> Found {
    match raw.split().line {
        LineState::Present(line) => Found::Line(line),
        LineState::Absent | LineState::Legacy => Found::Nothing,
        LineState::Malformed { .. } | LineState::Doubled => Found::Damaged,
    }
}
