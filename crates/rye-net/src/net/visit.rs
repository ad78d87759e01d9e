//! A request of a tool: to the one address that was judged, with a body of any kind, and a response of bounded size.
//!
//! The host's name is looked up here, and only addresses that the rule lets be reached are connected to. No proxy of the
//! environment is used: it would look the name up itself. A redirect is followed within the same origin only.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, SET_COOKIE};
use reqwest::{Method, redirect};

use super::address::Address;
use super::client::Client;
use super::error::Error;
use super::exchange::{Flow, Limits, Reader, ServerEvent, sent};
use super::reachable::{NotReached, is_reachable};
use crate::capability::NamedBy;
use crate::context::Secret;

/// The most redirects that are followed.
const MOST_REDIRECTS: usize = 5;

/// A request of a tool.
pub struct Visit<'a> {
    /// The method, in capitals.
    pub method: &'a str,
    /// Where to.
    pub address: &'a Address,
    /// How the rule that permits it names the host.
    pub named_by: NamedBy,
    /// Headers by lower-case name.
    pub headers: Vec<(String, String)>,
    /// The header that authenticates, by lower-case name.
    pub authentication: Option<(String, Secret)>,
    /// The body.
    pub body: Option<Vec<u8>>,
    /// Whether a longer response is cut off at the bound, instead of being an error.
    pub cuts: bool,
}

/// Without what authenticates, and without the body.
impl fmt::Debug for Visit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.address)
    }
}

/// A response to a tool's request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visited {
    /// The HTTP status.
    pub status: u16,
    /// Where it came from in the end.
    pub url: String,
    /// The headers by lower-case name, but those that set cookies.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// Whether it was longer.
    pub is_cut: bool,
}

impl Client {
    /// Sends a tool's request and reads its response.
    ///
    /// # Errors
    ///
    /// [`Error`]. A response with an error status is a response.
    pub fn visit(&self, visit: Visit<'_>, limits: Limits, is_cancelled: &dyn Fn() -> bool) -> Result<Visited, Error> {
        self.visited(visit, limits, is_cancelled, None)
    }

    /// Sends a request as [`Client::visit`] does. Server-sent events are shown to `seen` as they arrive, and do not
    /// become a body.
    ///
    /// # Errors
    ///
    /// As [`Client::visit`].
    pub fn visit_events(
        &self,
        visit: Visit<'_>,
        limits: Limits,
        is_cancelled: &dyn Fn() -> bool,
        seen: &mut dyn FnMut(&ServerEvent) -> Flow,
    ) -> Result<Visited, Error> {
        self.visited(visit, limits, is_cancelled, Some(seen))
    }

    fn visited(
        &self,
        visit: Visit<'_>,
        limits: Limits,
        is_cancelled: &dyn Fn() -> bool,
        seen: Option<&mut dyn FnMut(&ServerEvent) -> Flow>,
    ) -> Result<Visited, Error> {
        let origin = visit.address.origin();
        let host = origin.host();
        let http = self.builder(origin.is_local(), limits).and_then(|builder| {
            let judged = Judged { by: visit.named_by };
            Ok(builder.dns_resolver(Arc::new(judged)).redirect(within_origin()).build()?)
        });
        let http = http.map_err(|source| Error::Client { source })?;
        self.within(origin, limits, is_cancelled, async move |_| {
            let cuts = visit.cuts;
            let response = sent(host.clone(), prepared(&http, visit)?, limits).await?;
            let (status, url) = (response.status().as_u16(), response.url().to_string());
            let headers = told(response.headers());
            let is_stream = is_stream(response.headers());
            let reader = Reader::new(response, host, limits);
            let (body, is_cut) = match seen.filter(|_| is_stream) {
                Some(seen) => {
                    reader.events(seen).await?;
                    (Vec::new(), false)
                }
                None if cuts => reader.beginning().await?,
                None => (reader.bytes().await?, false),
            };
            Ok(Visited { status, url, headers, body, is_cut })
        })
    }
}

fn prepared(http: &reqwest::Client, visit: Visit<'_>) -> Result<reqwest::RequestBuilder, Error> {
    let wrong = |reason: &str| Error::Request { reason: reason.to_owned() };
    let method = Method::from_bytes(visit.method.as_bytes()).map_err(|_| wrong("its method is malformed"))?;
    let mut headers = HeaderMap::new();
    for (name, value) in &visit.headers {
        let name = HeaderName::try_from(name.as_str()).map_err(|_| wrong("a header's name is malformed"))?;
        let value = HeaderValue::try_from(value.as_str()).map_err(|_| wrong("a header's value is malformed"))?;
        headers.insert(name, value);
    }
    if visit.body.is_some() && !headers.contains_key(CONTENT_TYPE) {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    // Last, so that nothing replaces it.
    if let Some((name, value)) = &visit.authentication {
        let name = HeaderName::try_from(name.as_str()).map_err(|_| wrong("a header's name is malformed"))?;
        let mut value =
            HeaderValue::try_from(value.reveal()).map_err(|_| wrong("the secret contains what no header can"))?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    let request = http.request(method, visit.address.url().clone()).headers(headers);
    Ok(match visit.body {
        Some(body) => request.body(body),
        None => request,
    })
}

fn is_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.trim_start().starts_with("text/event-stream"))
}

fn told(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let names = headers.keys().filter(|name| **name != SET_COOKIE);
    let joined = |name: &HeaderName| headers.get_all(name).iter().map(text).collect::<Vec<_>>().join(", ");
    names.map(|name| (name.to_string(), joined(name))).collect()
}

/// Follows within one origin. Anything else is left as the response it is, which is an error (`sent`).
fn within_origin() -> redirect::Policy {
    redirect::Policy::custom(|attempt| {
        let is_same = attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
        match is_same && attempt.previous().len() <= MOST_REDIRECTS {
            true => attempt.follow(),
            false => attempt.stop(),
        }
    })
}

/// Looks names up, and keeps the addresses that may be reached.
struct Judged {
    by: NamedBy,
}

impl Resolve for Judged {
    fn resolve(&self, name: Name) -> Resolving {
        let by = self.by;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let kept: Vec<SocketAddr> = found.filter(|address| is_reachable(address.ip(), by)).collect();
            if kept.is_empty() {
                return Err(Box::from(io::Error::other(NotReached)));
            }
            Ok(Box::new(kept.into_iter()) as Addrs)
        })
    }
}
