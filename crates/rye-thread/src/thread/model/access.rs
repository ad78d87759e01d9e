//! Where a provider's requests go, and what authenticates them: decided before anything is sent.
//!
//! A secret goes to the host that its document of the system's space names, to one that its person bound it to, or to one
//! that the environment names in the place of the document's address, as the vendors' own clients have it. Nothing else.

use rye_plugin_abi::provider::FailureClass;

use crate::context::{Context, Secret};
use crate::id::{ItemId, Space};
use crate::item::{Auth, Reach, Retry};
use crate::net::Endpoint;
use crate::redact::{self, Redactor};
use crate::thread::error::Error;

/// How a provider is reached.
#[derive(Debug)]
pub(in crate::thread) struct Access {
    pub(super) endpoint: Endpoint,
    /// The header that authenticates.
    pub(super) authentication: Option<(String, Secret)>,
    /// The variable that named the endpoint.
    pub(in crate::thread) variable: Option<String>,
    /// Further headers of every request.
    pub(in crate::thread) headers: Vec<(String, String)>,
    /// What its document bounds of repeating a request that failed.
    pub(super) retry: Option<Retry>,
}

impl Access {
    /// Decides how the provider of a document is reached.
    ///
    /// # Errors
    ///
    /// Fails when the address is not usable for requests, the secret is missing, or it may not go there.
    pub(in crate::thread) fn decide(ctx: &Context, id: &ItemId, space: Space, reach: &Reach) -> Result<Self, Error> {
        let replaced = reach.url_variable.as_deref().and_then(|name| Some((name, ctx.variable_named(name)?)));
        let (variable, url) = match replaced {
            Some((name, url)) => (Some(name.to_owned()), url),
            None => (None, reach.url.as_str()),
        };
        let wrong = |source| Error::Endpoint { provider: id.clone(), variable: variable.clone(), source };
        let endpoint: Endpoint = url.parse().map_err(wrong)?;
        let authentication = match &reach.auth {
            None => None,
            Some(auth) => authenticate(ctx, id, space, auth, &endpoint, variable.is_some())?,
        };
        let headers = reach.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        Ok(Self { endpoint, authentication, variable, headers, retry: reach.retry })
    }

    /// Replaces the key in what a server says of a failure: its plugin repeats a part of that.
    pub(super) fn without_key(&self, said: String) -> String {
        let key = self.authentication.as_ref().and_then(|(_, value)| value.reveal().rsplit(' ').next());
        let known = key.map(|key| redact::Secret::new("the provider".to_owned(), key));
        Redactor::of_values(known).redacted(said).into_owned()
    }

    /// Returns the host that is asked, and its port.
    pub(super) fn host_and_port(&self) -> (String, u16) {
        let host = self.endpoint.host();
        match host.rsplit_once(':').map(|(name, port)| (name, port.parse())) {
            Some((name, Ok(port))) => (unbracketed(name), port),
            // The scheme's own: rules of hosts without a port mean both.
            Some((_, Err(_))) | None => (unbracketed(&host), 443),
        }
    }

    /// Says how to change an address at which the server does not have the place of a request. Anthropic's own clients take an
    /// address without `/v1`, OpenAI's take one with it, and the other one is easily written.
    pub(super) fn address_hint(&self, path: &str, class: FailureClass) -> Option<String> {
        match class {
            FailureClass::NotFound | FailureClass::Unreadable => {}
            FailureClass::RateLimit
            | FailureClass::Overloaded
            | FailureClass::Server
            | FailureClass::CutShort
            | FailureClass::Authentication
            | FailureClass::InvalidRequest
            | FailureClass::ContextExceeded
            | FailureClass::Billing => return None,
        }
        let address = self.endpoint.to_string();
        let right = match (address.strip_suffix("/v1"), path.starts_with("/v1/")) {
            (Some(without), true) => without.to_owned(),
            (None, false) if !address.contains("/v1/") => format!("{address}/v1"),
            (Some(_) | None, _) => return None,
        };
        let key = self.variable.as_ref().map_or_else(|| "`url` of the document".to_owned(), |name| format!("`{name}`"));
        Some(format!("set {key} to `{right}`: requests go to `{address}{path}` now"))
    }
}

/// Takes an IPv6 address out of its brackets.
fn unbracketed(host: &str) -> String {
    host.trim_start_matches('[').trim_end_matches(']').to_owned()
}

fn authenticate(
    ctx: &Context,
    id: &ItemId,
    space: Space,
    auth: &Auth,
    endpoint: &Endpoint,
    is_replaced: bool,
) -> Result<Option<(String, Secret)>, Error> {
    let host = endpoint.host();
    let binding = ctx.config().secrets.get(&auth.secret);
    let is_bound = binding.is_some_and(|binding| binding.lets(id, &host));
    let may_go = match space {
        // Its address is part of the program, or the person named another one for this run.
        Space::System => true,
        // The person wrote the document, but who wrote the variable may not have thought of it.
        Space::User => is_bound,
        Space::Project => false,
    };
    if !may_go {
        let config = ctx.config_dir()?.join("config.toml");
        return Err(Error::Unbound { secret: auth.secret.clone(), provider: id.clone(), host, config });
    }
    match ctx.secret(&auth.secret)? {
        Some(secret) => {
            let value = Secret::new(format!("{}{}", auth.prefix, secret.reveal()));
            Ok(Some((auth.header.clone(), value)))
        }
        // A server of one's own may ask for nothing.
        None if endpoint.is_local() && (is_replaced || space == Space::User) => Ok(None),
        None => {
            let path = ctx.config_dir()?.join("secrets").join(&auth.secret);
            Err(Error::NoSecret { secret: auth.secret.clone(), provider: id.clone(), path })
        }
    }
}
