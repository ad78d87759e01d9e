//! What the calls of a connection share: surroundings, shared handles, and caches.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::ProtocolVersion;
use rmcp::service::RequestContext;
use tokio::sync::Mutex;

use super::error::Failure;
use super::fingerprint::Seen;
use super::follow::Followed;
use super::options::Options;
use super::roots::Roots;
use super::window::Kept;
use crate::context::Context;
use crate::session::{Host, Session};

/// How long a client may take to say its roots.
const ROOTS_WAIT: Duration = Duration::from_secs(10);

/// What every call needs.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) ctx: Context,
    /// Handles that are opened once, whichever folders the calls work in.
    host: Host,
    pub(super) options: Options,
    pub(super) followed: Followed,
    pub(super) kept: Kept,
    /// The addresses the client last gave; none until it is asked, or asked again.
    addresses: Mutex<Option<Vec<String>>>,
    /// Whether the client was ever asked for addresses.
    is_asked: AtomicBool,
    /// What there was when the client last listed items.
    listed: std::sync::Mutex<Option<Seen>>,
}

impl Shared {
    /// Makes what the calls of a new connection share.
    pub(super) fn new(ctx: Context, options: Options) -> Self {
        Self {
            ctx,
            host: Host::default(),
            options,
            followed: Followed::default(),
            kept: Kept::default(),
            addresses: Mutex::new(None),
            is_asked: AtomicBool::new(false),
            listed: std::sync::Mutex::default(),
        }
    }

    /// Opens a session in the folder that a call works in.
    ///
    /// # Errors
    ///
    /// Fails when the folder is missing or not allowed.
    pub(super) fn session(&self, addresses: Option<&[String]>, project: Option<&str>) -> Result<Session, Failure> {
        let roots = match addresses {
            Some(addresses) if !addresses.is_empty() => Roots::of_client(addresses)?,
            Some(_) | None => Roots::of_person(&self.ctx)?,
        };
        Ok(Session::open_on(&self.host, &roots.surroundings(&self.ctx, project)?)?)
    }

    /// Returns the client's roots, if they count and it has any to tell of. Since revision 2026-07-28 no server asks.
    ///
    /// # Errors
    ///
    /// Fails when the client does not say them.
    pub(super) async fn addresses(&self, context: &RequestContext<RoleServer>) -> Result<Option<Vec<String>>, Failure> {
        let has_roots = context.client_capabilities().is_some_and(|capabilities| capabilities.roots.is_some());
        if self.ctx.is_named() || !has_roots || is_stateless(context) {
            return Ok(None);
        }
        let mut known = self.addresses.lock().await;
        if known.is_none() {
            self.is_asked.store(true, Ordering::SeqCst);
            *known = Some(ask_roots(context).await?);
        }
        Ok(known.clone())
    }

    /// Asks for the client's roots again before the next call.
    pub(super) async fn forget_addresses(&self) {
        *self.addresses.lock().await = None;
    }

    /// Remembers what there was when the client listed items.
    pub(super) fn list(&self, seen: Option<Seen>) {
        *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = seen;
    }

    /// Returns what there was when the client last listed items.
    pub(super) fn listed(&self) -> Option<Seen> {
        *self.listed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the items of the folder that calls work in, and tells how long that took. Nothing where it is not known.
    pub(super) async fn look(self: &Arc<Self>) -> Option<(Seen, Duration)> {
        let addresses = self.addresses.lock().await.clone();
        if addresses.is_none() && self.is_asked.load(Ordering::SeqCst) {
            return None;
        }
        let shared = Arc::clone(self);
        let looked = tokio::task::spawn_blocking(move || {
            let started = shared.ctx.elapsed_ms();
            let seen = Seen::of(&shared.session(addresses.as_deref(), None).ok()?)?;
            Some((seen, Duration::from_millis(shared.ctx.elapsed_ms().saturating_sub(started))))
        });
        looked.await.ok().flatten()
    }
}

/// Tells whether a request is independent: then the server never asks its client.
pub(super) fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::NO_INITIALIZE)
}

#[expect(deprecated, reason = "clients that shake hands have no other way to say where they work")]
async fn ask_roots(context: &RequestContext<RoleServer>) -> Result<Vec<String>, Failure> {
    let unknown = |reason: String| Failure::RootsUnknown { reason };
    let asked = tokio::time::timeout(ROOTS_WAIT, context.peer.list_roots()).await;
    let listed = asked.map_err(|_| unknown(format!("no answer within {} seconds", ROOTS_WAIT.as_secs())))?;
    let listed = listed.map_err(|error| unknown(error.to_string()))?;
    Ok(listed.roots.into_iter().map(|root| root.uri).collect())
}
