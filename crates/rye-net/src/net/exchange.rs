//! One exchange: a request, its response read whole under limits, server-sent events shown as they arrive.

use std::fmt;
use std::io::Cursor;
use std::iter::successors;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use sse_stream::{Sse, SseByteStream};

use super::advice::Advice;
use super::endpoint::Endpoint;
use super::error::Error;
use super::reason::Reason;
use crate::context::Secret;
use crate::id::Timestamp;

/// A request: always a POST of JSON.
pub struct Request<'a> {
    /// Where to.
    pub endpoint: &'a Endpoint,
    /// The suffix of its path; begins with `/`.
    pub path: &'a str,
    /// Headers by lower-case name.
    pub headers: Vec<(String, String)>,
    /// The header that authenticates, by lower-case name.
    pub authentication: Option<(String, Secret)>,
    /// The body.
    pub body: Vec<u8>,
    /// Whether server-sent events are wanted.
    pub stream: bool,
}

/// Without what authenticates, and without the body.
impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "POST {}{} ({} bytes)", self.endpoint, self.path, self.body.len())
    }
}

/// The bounds of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// For the connection to be made.
    pub connect: Duration,
    /// From then to the first byte of the response.
    pub first_byte: Duration,
    /// From one piece of the body to the next.
    pub silence: Duration,
    /// For all of it.
    pub whole: Duration,
    /// The most bytes of a body.
    pub bytes: usize,
}

impl Default for Limits {
    /// What a model may need that thinks for long before it says anything, and pings while it does.
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(300),
            silence: Duration::from_secs(120),
            whole: Duration::from_secs(1800),
            bytes: 64 * 1024 * 1024,
        }
    }
}

/// Whether an event was the last that matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Read on.
    More,
    /// Later data is ignored; the connection is closed.
    Last,
}

/// A response, read whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// What it says about asking again.
    pub advice: Advice,
    /// The id that the server gave the request, for its maker's support.
    pub request_id: Option<String>,
    /// The body.
    pub body: Body,
}

/// The body of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// Server-sent events.
    Events {
        /// The events, in order.
        events: Vec<ServerEvent>,
        /// Whether it came to its end: to the event that was said to be the last, or the end of the body.
        is_whole: bool,
    },
    /// Anything else; bytes that are not UTF-8 replaced.
    Text {
        /// The text.
        text: String,
    },
}

/// A server-sent event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerEvent {
    /// Its `event` field; empty if it has none.
    pub event: String,
    /// Its `data` fields, joined by line feeds.
    pub data: String,
}

/// Performs the exchange. Once events have arrived, what breaks off is a response that is not whole; before, it is an error.
pub(super) async fn perform(
    client: &reqwest::Client,
    request: Request<'_>,
    limits: Limits,
    now: Timestamp,
    seen: &mut dyn FnMut(&ServerEvent) -> Flow,
) -> Result<Response, Error> {
    let host = request.endpoint.host();
    let response = sent(host.clone(), prepared(client, request)?, limits).await?;
    let headers = response.headers();
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let (status, advice) = (response.status().as_u16(), Advice::of(headers, now));
    let request_id = text("request-id").or_else(|| text("x-request-id"));
    let is_stream = text(CONTENT_TYPE.as_str()).is_some_and(|kind| kind.trim_start().starts_with("text/event-stream"));
    let reader = Reader::new(response, host, limits);
    let body = match is_stream {
        true => reader.events(seen).await?,
        false => Body::Text { text: reader.text().await? },
    };
    Ok(Response { status, advice, request_id, body })
}

/// Sends a request and waits for its response to begin. A redirect is an error.
pub(super) async fn sent(
    host: String,
    request: reqwest::RequestBuilder,
    limits: Limits,
) -> Result<reqwest::Response, Error> {
    let sent = tokio::time::timeout(limits.connect + limits.first_byte, request.send()).await;
    let late = |what, limit| Error::Timeout { host: host.clone(), what, limit };
    let response = match sent {
        Ok(Ok(response)) => response,
        Ok(Err(error)) if error.is_timeout() => return Err(late("did not accept a connection", limits.connect)),
        Ok(Err(error)) => return Err(failed(host, error)),
        Err(_) => return Err(late("did not begin to answer", limits.first_byte)),
    };
    if response.status().is_redirection() {
        let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
        let to = to.and_then(|to| response.url().join(to).ok()).and_then(|url| url.host_str().map(str::to_owned));
        return Err(Error::Redirect { host, to: to.unwrap_or_else(|| "nowhere".to_owned()) });
    }
    Ok(response)
}

fn prepared(client: &reqwest::Client, request: Request<'_>) -> Result<reqwest::RequestBuilder, Error> {
    let wrong = |reason: &str| Error::Request { reason: reason.to_owned() };
    let url = request.endpoint.join(request.path).ok_or_else(|| wrong("its path leads elsewhere"))?;
    let mut headers = HeaderMap::new();
    for (name, value) in &request.headers {
        let name = HeaderName::try_from(name.as_str()).map_err(|_| wrong("a header's name is malformed"))?;
        let value = HeaderValue::try_from(value.as_str()).map_err(|_| wrong("a header's value is malformed"))?;
        headers.insert(name, value);
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let accept = if request.stream { "text/event-stream" } else { "application/json" };
    headers.insert(ACCEPT, HeaderValue::from_static(accept));
    // Last, so that nothing replaces it.
    if let Some((name, value)) = &request.authentication {
        let name = HeaderName::try_from(name.as_str()).map_err(|_| wrong("a header's name is malformed"))?;
        let mut value =
            HeaderValue::try_from(value.reveal()).map_err(|_| wrong("the secret contains what no header can"))?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(client.post(url).headers(headers).body(request.body))
}

fn failed(host: String, error: reqwest::Error) -> Error {
    let source = Reason::of(&error);
    match () {
        () if error.is_connect() => Error::Connect { host, source },
        () if is_unsent(&error) => Error::Unsent { host, source },
        () => Error::Broken { host, source },
    }
}

/// Tells whether a request was given up before all of it was written: on a connection that was closed, or while it was written.
fn is_unsent(error: &reqwest::Error) -> bool {
    let mut causes = successors(std::error::Error::source(error), |cause| cause.source());
    let of_http = causes.find_map(|cause| cause.downcast_ref::<hyper::Error>());
    of_http.is_some_and(|error| error.is_canceled() || error.to_string() == "error writing a body to connection")
}

/// Reads a body piece by piece.
pub(super) struct Reader {
    response: reqwest::Response,
    host: String,
    limits: Limits,
    read: usize,
}

impl Reader {
    pub(super) const fn new(response: reqwest::Response, host: String, limits: Limits) -> Self {
        Self { response, host, limits, read: 0 }
    }

    /// Returns the next piece; none at the end.
    async fn piece(&mut self) -> Result<Option<Vec<u8>>, Error> {
        let Limits { silence, bytes, .. } = self.limits;
        let host = || self.host.clone();
        let piece = match tokio::time::timeout(silence, self.response.chunk()).await {
            Ok(Ok(piece)) => piece,
            Ok(Err(error)) => return Err(failed(host(), error)),
            Err(_) => return Err(Error::Timeout { host: host(), what: "said nothing more", limit: silence }),
        };
        self.read += piece.as_ref().map_or(0, |piece| piece.len());
        if self.read > bytes {
            return Err(Error::TooLarge { host: host(), limit: bytes });
        }
        Ok(piece.map(Vec::from))
    }

    pub(super) async fn bytes(mut self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        while let Some(piece) = self.piece().await? {
            bytes.extend(piece);
        }
        Ok(bytes)
    }

    /// Reads up to the bound, and tells whether there was more.
    pub(super) async fn beginning(mut self) -> Result<(Vec<u8>, bool), Error> {
        let (mut bytes, most) = (Vec::new(), self.limits.bytes);
        // The bound is kept here.
        self.limits.bytes = usize::MAX;
        while let Some(piece) = self.piece().await? {
            bytes.extend(piece);
            if bytes.len() > most {
                bytes.truncate(most);
                return Ok((bytes, true));
            }
        }
        Ok((bytes, false))
    }

    async fn text(self) -> Result<String, Error> {
        Ok(String::from_utf8_lossy(&self.bytes().await?).into_owned())
    }

    pub(super) async fn events(self, seen: &mut dyn FnMut(&ServerEvent) -> Flow) -> Result<Body, Error> {
        let host = self.host.clone();
        let pieces = stream::try_unfold(self, |mut reader| async move {
            Ok::<_, Error>(reader.piece().await?.map(|piece| (Cursor::new(piece), reader)))
        });
        let mut arriving = std::pin::pin!(SseByteStream::new(pieces));
        let mut events = Vec::new();
        while let Some(next) = arriving.next().await {
            let event = match next.map_err(|error| unwrapped(&host, error)) {
                // A comment, or a field that is for browsers alone.
                Ok(Sse { data: None, .. }) => continue,
                Ok(Sse { event, data: Some(data), .. }) => ServerEvent { event: unnamed(event), data },
                Err(error @ Error::TooLarge { .. }) => return Err(error),
                // The received part is worth reporting: some of it may be billed.
                Err(_) if !events.is_empty() => return Ok(Body::Events { events, is_whole: false }),
                Err(error) => return Err(error),
            };
            let flow = seen(&event);
            events.push(event);
            match flow {
                Flow::More => {}
                Flow::Last => return Ok(Body::Events { events, is_whole: true }),
            }
        }
        Ok(Body::Events { events, is_whole: true })
    }
}

/// Takes the reader's own error out of the one of the events.
fn unwrapped(host: &str, error: sse_stream::Error) -> Error {
    let broken = |source: &(dyn std::error::Error + 'static)| Error::Broken {
        host: host.to_owned(),
        source: Reason::of(source),
    };
    match error {
        sse_stream::Error::Body(source) => {
            source.downcast::<Error>().map_or_else(|other| broken(&*other), |error| *error)
        }
        error => broken(&error),
    }
}

/// The standard names an event without a name `message`.
fn unnamed(event: Option<String>) -> String {
    event.filter(|event| event != "message").unwrap_or_default()
}
