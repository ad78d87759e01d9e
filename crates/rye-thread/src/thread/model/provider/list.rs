//! The provider documents that a person could use, and what each of them lacks.

use std::collections::BTreeMap;

use serde::Serialize;

use super::document::{Found, SPACES, access, all, candidates, is_passed_over, read};
use crate::context::McpServer;
use crate::error::with_causes;
use crate::id::{ItemId, ItemType, Space};
use crate::item::{ProviderDocument, Reach};
use crate::locate::Purpose;
use crate::net::Endpoint;
use crate::session::Session;
use crate::thread::error::Error;

/// Provider documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProviderList {
    /// The user's, then the system's.
    pub providers: Vec<ProviderState>,
}

/// The state of a provider document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProviderState {
    /// The document.
    pub id: ItemId,
    /// Its space.
    pub space: Space,
    /// Whether it can be used.
    pub status: ProviderStatus,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The host that its requests go to; none for one that needs no network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The variable of the environment that names the address, in the place of the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    /// The name of the secret that authenticates its requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// The model of each tier.
    pub tiers: BTreeMap<String, String>,
    /// The models that have a price; `*` matches every model of a server.
    pub models: Vec<String>,
}

/// Whether a provider document can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderStatus {
    /// It can.
    Usable,
    /// Its secret is missing.
    NoSecret,
    /// The configuration does not let its secret go to its host.
    NotBound,
    /// It is unsigned, invalid, or has an invalid address.
    Invalid,
}

impl ProviderState {
    /// Tells whether it is configured and not usable.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        match self.status {
            ProviderStatus::Usable | ProviderStatus::NoSecret => false,
            ProviderStatus::NotBound | ProviderStatus::Invalid => self.space == Space::User || self.variable.is_some(),
        }
    }
}

impl ProviderStatus {
    /// Returns the word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Usable => "usable",
            Self::NoSecret => "no secret",
            Self::NotBound => "not bound",
            Self::Invalid => "invalid",
        }
    }
}

/// Lists the provider documents of the user's and the system's space.
pub fn providers(session: &Session) -> Result<ProviderList, Error> {
    let mut providers = Vec::new();
    for space in SPACES {
        for id in candidates(session, space)? {
            if is_passed_over(session, &id, space)? {
                continue;
            }
            match read(session, &id, space) {
                Ok(Some(found)) => providers.push(state(session, &found)),
                Ok(None) => {}
                Err(error) => providers.extend(invalid(session, id, space, &error)),
            }
        }
    }
    Ok(ProviderList { providers })
}

/// Returns the names of all secrets that some document or the configuration names.
pub(in crate::thread) fn secrets(session: &Session) -> Result<Vec<String>, Error> {
    let of_document = |found: Found| found.document.reach?.auth.map(|auth| auth.secret);
    let mut names: Vec<String> = all(session)?.into_iter().filter_map(of_document).collect();
    let config = session.context().config();
    names.extend(config.secrets.keys().cloned());
    names.extend(config.mcp_servers.values().flat_map(McpServer::secrets).cloned());
    names.sort();
    names.dedup();
    Ok(names)
}

fn state(session: &Session, found: &Found) -> ProviderState {
    let Found { id, space, document, .. } = found;
    let ProviderDocument { tiers, pricing, reach, .. } = document;
    let (status, message, host, variable) = match access(session, found) {
        Ok(access) => {
            let host = access.as_ref().map(|access| access.endpoint.host());
            (ProviderStatus::Usable, None, host, access.and_then(|access| access.variable))
        }
        Err(error) => {
            let status = match &error {
                Error::NoSecret { .. } => ProviderStatus::NoSecret,
                Error::Unbound { .. } => ProviderStatus::NotBound,
                _ => ProviderStatus::Invalid,
            };
            // An address that a variable spoils is not the document's.
            let (host, variable) = match error {
                Error::Endpoint { ref variable, .. } => (None, variable.clone()),
                _ => (reach.as_ref().and_then(host), None),
            };
            (status, Some(with_causes(&error)), host, variable)
        }
    };
    ProviderState {
        id: id.clone(),
        space: *space,
        status,
        message,
        host,
        variable,
        secret: reach.as_ref().and_then(|reach| reach.auth.as_ref()).map(|auth| auth.secret.clone()),
        tiers: tiers.clone(),
        models: pricing.keys().cloned().collect(),
    }
}

fn host(reach: &Reach) -> Option<String> {
    reach.url.parse::<Endpoint>().ok().map(|endpoint| endpoint.host())
}

/// Tells of an item that cannot be used, if it says that it is a provider document.
fn invalid(session: &Session, id: ItemId, space: Space, error: &Error) -> Option<ProviderState> {
    let located = session.project().locate(ItemType::Tool, &id, Some(space), Purpose::Author).ok()?;
    let text = String::from_utf8_lossy(located.signed.content());
    let is_provider = |line: &str| {
        line.split_once(':')
            .is_some_and(|(key, value)| key == "tool_type" && value.trim().trim_matches(['"', '\'']) == "provider")
    };
    text.lines().any(is_provider).then(|| ProviderState {
        id,
        space,
        status: ProviderStatus::Invalid,
        message: Some(with_causes(error)),
        host: None,
        variable: None,
        secret: None,
        tiers: BTreeMap::new(),
        models: Vec::new(),
    })
}
