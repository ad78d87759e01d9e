//! One directive of a chain, with what its text grants.

use serde::Serialize;

use super::super::locate::LocateError;
use crate::capability::Capability;
use crate::format::{self, Grant, Granted, Position};
use crate::id::ItemId;
use crate::item::{Acknowledge, Item, Risk};
use crate::workspace::Candidate;

/// The effective rest of a grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// All of it.
    Allowed,
    /// All of it, each time a person agrees.
    Asked,
    /// Some of it.
    Partly,
    /// Nothing.
    Denied,
}

/// A line of a directive's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// The directive.
    pub item_id: ItemId,
    /// Its file.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// One directive of a chain, with what its text grants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub(super) item_id: ItemId,
    pub(super) extends: Option<ItemId>,
    pub(super) path: String,
    pub(super) text: String,
    pub(super) declares: bool,
    pub(super) in_error: bool,
    pub(super) grants: Vec<Grant>,
    pub(super) acknowledged: Vec<Acknowledge>,
}

impl Link {
    /// Reads what a directive's file grants.
    ///
    /// # Errors
    ///
    /// Fails with the findings when the text is too broken to be a directive.
    pub fn read(candidate: &Candidate, bytes: &[u8]) -> Result<Self, LocateError> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let parsed = format::parse_bytes(candidate.item_type, &candidate.extension, bytes);
        let Some(Item::Directive(directive)) = parsed.item else {
            return Err(LocateError::Invalid {
                item_type: candidate.item_type,
                item_id: candidate.id.clone(),
                path: candidate.path.clone(),
                findings: parsed.findings,
                text,
            });
        };
        Ok(Self {
            item_id: candidate.id.clone(),
            extends: directive.extends,
            path: candidate.path.display().to_string(),
            declares: directive.permissions.is_some(),
            in_error: format::has_errors(&parsed.findings),
            grants: format::grants(&text),
            acknowledged: directive.acknowledged,
            text,
        })
    }

    pub(super) fn line(&self, grant: &Grant) -> Line {
        let Position { line, column } = Position::of(&self.text, grant.span.start);
        Line { item_id: self.item_id.clone(), path: self.path.clone(), line, column }
    }

    /// Returns its granted patterns of calls, each with its grant.
    pub(super) fn calls(&self) -> impl Iterator<Item = (&Capability, &Grant)> {
        self.grants.iter().filter_map(|grant| match &grant.granted {
            Granted::Call(capability) => Some((capability, grant)),
            Granted::Path(..) | Granted::Host(_) => None,
        })
    }

    /// Finds why the author takes a risk, if they say so.
    pub(super) fn reason(&self, risk: Risk) -> Option<String> {
        let named = self.acknowledged.iter().find(|named| risk > Risk::Write && named.risk >= risk)?;
        Some(named.reason.clone())
    }
}
