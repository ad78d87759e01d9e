//! Running a tool that is an HTTP request: planned by its kind, sent by this program, interpreted by its kind.
//!
//! The host is judged by the rules that scripts are held to. A tool that a person runs may also reach the host that its own
//! verified file spells out. A secret is added here, where the person's configuration binds it to the host and to the tool, and is
//! in no result.

use std::collections::BTreeMap;
use std::time::Duration;

use rye_plugin_abi::tool_kind::{HttpAuth, HttpRequest, HttpResponse, InterpretRequest, Status};
use serde_json::{Value, json};

use super::super::locate::LocateError;
use super::bounds::{Bounds, DEFAULT_TIMEOUT};
use super::error::Error;
use super::hosts::{self, not_permitted};
use super::status::{Ended, ToolStatus};
use super::tool::ToolRun;
use crate::capability::{HostRules, NamedBy};
use crate::context::{ContextError, Secret};
use crate::error::with_causes;
use crate::net::{self, Address, Asked, Visit, Visited};
use crate::plugin::ToolKind;
use crate::redact::{self, Redactor};

impl ToolRun<'_> {
    /// Sends the request of a plan, if the tool may reach its host.
    ///
    /// # Errors
    ///
    /// Fails for an address that no request may go to, and for a secret that is missing or may not go there. Every
    /// failure on the way is an outcome.
    pub(super) fn run_http(
        &self,
        kind: &ToolKind,
        state: Value,
        request: HttpRequest,
        bounds: &Bounds<'_>,
    ) -> Result<(ToolStatus, Value, Ended), Error> {
        let address: Address =
            request.url.parse().map_err(|source| Error::Address { item_id: self.item_id.clone(), source })?;
        if address.to_string() != request.url {
            let reason = format!("its address `{}` is read as `{address}`", request.url);
            return Err(Error::NoKind { item_id: self.item_id.clone(), reason });
        }
        kind.check_host(&address.host(), address.port())
            .map_err(|source| Error::Plugin { item_id: self.item_id.clone(), source })?;
        let rules = self.hosts(&address, bounds);
        let Some(named_by) = rules.names(&address.host(), address.port()) else {
            return Ok(not_permitted(&address, self.project().is_in_tree()));
        };
        let asked = vec![Asked { host: address.authority(), is_allowed: true }];
        let secret = request.auth.as_ref().map(|auth| self.secret(auth, &address)).transpose()?;
        let redactor = redactor(request.auth.as_ref(), secret.as_ref());
        let limits = limits(bounds, request.timeout);
        let visit = visit(&request, &address, named_by, secret);
        let visited = self.session.net().visit(visit, limits, &|| bounds.cancel.is_set());
        let ended = Ended { asked, ..Ended::default() };
        match visited {
            Ok(visited) => {
                let (status, result) = self.interpreted(kind, state, visited, &redactor)?;
                Ok((status, result, ended))
            }
            Err(net::Error::Cancelled) => {
                Ok((ToolStatus::Error, json!({"message": "stopped"}), Ended { cancelled: true, ..ended }))
            }
            Err(error) => {
                let message = redactor.text(&with_causes(&error)).into_owned();
                Ok((ToolStatus::Error, json!({"message": message}), ended))
            }
        }
    }

    /// The hosts that it may reach.
    fn hosts(&self, address: &Address, bounds: &Bounds<'_>) -> HostRules {
        let rules = hosts::permitted(self.project(), bounds);
        // A tool run by hand has no path rules.
        let is_by_hand = bounds.paths.is_none() && !self.project().is_in_tree();
        match address.rule().filter(|_| is_by_hand && self.spells_out(address)) {
            Some(rule) => rules.or(vec![vec![rule]]),
            None => rules,
        }
    }

    /// Tells whether the tool's verified file names the origin of an address, whatever its parameters are.
    fn spells_out(&self, address: &Address) -> bool {
        let url = self.tool.config.get("url").and_then(Value::as_str).unwrap_or_default();
        let origin = url.split_once("://").map(|(scheme, rest)| {
            let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
            format!("{scheme}://{authority}")
        });
        let spelled = origin.and_then(|origin| origin.parse::<Address>().ok());
        spelled.is_some_and(|spelled| spelled.origin() == address.origin())
    }

    /// Reads a secret that may go to an address.
    fn secret(&self, auth: &HttpAuth, address: &Address) -> Result<Secret, Error> {
        let ctx = self.session.context();
        let unreadable = |error: ContextError| Error::Locate(LocateError::from(error));
        let host = address.origin().host();
        let binding = ctx.config().secrets.get(&auth.secret);
        if !binding.is_some_and(|binding| binding.lets(&self.item_id, &host)) {
            let config = ctx.config_dir().map_err(unreadable)?.join("config.toml");
            return Err(Error::Unbound { secret: auth.secret.clone(), item_id: self.item_id.clone(), host, config });
        }
        match ctx.secret(&auth.secret).map_err(unreadable)? {
            Some(secret) => Ok(secret),
            None => {
                let path = ctx.config_dir().map_err(unreadable)?.join("secrets").join(&auth.secret);
                Err(Error::NoSecret { secret: auth.secret.clone(), item_id: self.item_id.clone(), path })
            }
        }
    }

    fn interpreted(
        &self,
        kind: &ToolKind,
        state: Value,
        visited: Visited,
        redactor: &Redactor,
    ) -> Result<(ToolStatus, Value), Error> {
        let Visited { status, headers, body, .. } = visited;
        let told = |(name, value): (String, String)| (name, redactor.text(&value).into_owned());
        let headers: BTreeMap<String, String> = headers.into_iter().map(told).collect();
        let body = redactor.text(&String::from_utf8_lossy(&body)).into_owned();
        let http = Some(HttpResponse { status, headers, body });
        let interpreted = kind
            .interpret(&InterpretRequest { state, http, ..InterpretRequest::default() })
            .map_err(|source| Error::Plugin { item_id: self.item_id.clone(), source })?;
        let status = match interpreted.status {
            Status::Ok => ToolStatus::Ok,
            Status::Error => ToolStatus::Error,
        };
        // The parts of a body may make up what its whole text did not show.
        Ok((status, redactor.value(interpreted.result)))
    }
}

fn redactor(auth: Option<&HttpAuth>, secret: Option<&Secret>) -> Redactor {
    let known = auth.zip(secret).map(|(auth, secret)| redact::Secret::new(auth.secret.clone(), secret.reveal()));
    Redactor::of_values(known)
}

fn limits(bounds: &Bounds<'_>, own: Option<u64>) -> net::Limits {
    let own = own.map(Duration::from_secs);
    let whole = [bounds.timeout, own].into_iter().flatten().fold(DEFAULT_TIMEOUT, Duration::min);
    let usual = net::Limits::default();
    net::Limits {
        connect: usual.connect.min(whole),
        first_byte: usual.first_byte.min(whole),
        silence: usual.silence.min(whole),
        whole,
        bytes: bounds.max_output,
    }
}

fn visit<'a>(request: &'a HttpRequest, address: &'a Address, named_by: NamedBy, secret: Option<Secret>) -> Visit<'a> {
    let authentication = request.auth.as_ref().zip(secret).map(|(auth, secret)| {
        let value = Secret::new(format!("{}{}", auth.prefix, secret.reveal()));
        (auth.header.clone(), value)
    });
    Visit {
        method: &request.method,
        address,
        named_by,
        headers: request.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        authentication,
        body: request.body.clone().map(String::into_bytes),
        cuts: false,
    }
}
