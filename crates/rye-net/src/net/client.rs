//! The client: made when the first request is sent, and stopped within a tick of being asked to.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::{Certificate, ClientBuilder, NoProxy, Proxy, redirect};
use tokio::runtime::Runtime;

use super::endpoint::Endpoint;
use super::error::{Cause, Error};
use super::exchange::{Flow, Limits, Request, Response, ServerEvent, perform};
use crate::context::{Context, NetRoots};
use crate::id::Timestamp;

/// How often it is looked whether the run is to stop.
const TICK: Duration = Duration::from_millis(20);

/// How long a connection is kept that nothing uses: less than the minute after which many servers and networks drop one.
const KEPT: Duration = Duration::from_secs(50);

/// How often the runtime looks at its connections before one is used: for the news, for what each does of it, for the pool.
const LOOKS: usize = 4;

/// How the outside is reached.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Whose word is taken for who a server is.
    pub roots: NetRoots,
    /// `HTTPS_PROXY` or `ALL_PROXY`.
    pub proxy: Option<String>,
    /// `NO_PROXY`: hosts that are reached without it.
    pub no_proxy: Option<String>,
}

impl Settings {
    /// Reads the configuration, and the proxies of the environment in the order in which curl looks for them.
    #[must_use]
    pub fn of(ctx: &Context) -> Self {
        let first = |names: &[&str]| names.iter().find_map(|name| ctx.variable_named(name)).map(str::to_owned);
        Self {
            roots: ctx.config().net.roots,
            proxy: first(&["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]),
            no_proxy: first(&["no_proxy", "NO_PROXY"]),
        }
    }
}

/// Sends requests.
#[derive(Debug, Default)]
pub struct Client {
    settings: Settings,
    made: OnceLock<Made>,
}

#[derive(Debug)]
struct Made {
    http: reqwest::Client,
    /// For this machine: without certificates and proxies.
    local: reqwest::Client,
    runtime: Option<Runtime>,
}

/// A name that is still being looked up is not waited for.
impl Drop for Made {
    fn drop(&mut self) {
        self.runtime.take().into_iter().for_each(Runtime::shutdown_background);
    }
}

impl Client {
    /// Makes a client that has not done anything yet.
    #[must_use]
    pub const fn new(settings: Settings) -> Self {
        Self { settings, made: OnceLock::new() }
    }

    /// Sends a request and reads its response whole. `seen` is shown each server-sent event as it arrives; `is_cancelled` is
    /// asked all the time. `now` judges dates of the response.
    ///
    /// # Errors
    ///
    /// [`Error`]. A response with an error status is a response.
    pub fn send(
        &self,
        request: Request<'_>,
        limits: Limits,
        now: Timestamp,
        is_cancelled: &dyn Fn() -> bool,
        seen: &mut dyn FnMut(&ServerEvent) -> Flow,
    ) -> Result<Response, Error> {
        let endpoint = request.endpoint;
        self.within(endpoint, limits, is_cancelled, async |http| perform(http, request, limits, now, seen).await)
    }

    /// Performs an exchange with the client for an endpoint, until it ends, takes too long, or is to stop.
    pub(super) fn within<T>(
        &self,
        endpoint: &Endpoint,
        limits: Limits,
        is_cancelled: &dyn Fn() -> bool,
        exchange: impl AsyncFnOnce(&reqwest::Client) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let made = self.made(limits)?;
        let host = endpoint.host();
        let http = if endpoint.is_local() { &made.local } else { &made.http };
        let runtime = made.runtime.as_ref().expect("because it is taken only when this is dropped");
        runtime.block_on(async {
            look_at_connections().await;
            tokio::select! {
                biased;
                () = asked_to_stop(is_cancelled) => Err(Error::Cancelled),
                () = tokio::time::sleep(limits.whole) => {
                    Err(Error::Timeout { host, what: "did not end its answer", limit: limits.whole })
                }
                done = exchange(http) => done,
            }
        })
    }

    /// Begins a client for one request, without a proxy of the environment.
    pub(super) fn builder(&self, is_local: bool, limits: Limits) -> Result<ClientBuilder, Cause> {
        match is_local {
            true => Ok(plain(limits).tls_certs_only([])),
            false => with_roots(plain(limits), &self.settings),
        }
    }

    fn made(&self, limits: Limits) -> Result<&Made, Error> {
        if let Some(made) = self.made.get() {
            return Ok(made);
        }
        let made = Made::new(&self.settings, limits).map_err(|source| Error::Client { source })?;
        Ok(self.made.get_or_init(|| made))
    }
}

impl Made {
    fn new(settings: &Settings, limits: Limits) -> Result<Self, Cause> {
        let mut builder = plain(limits);
        builder = with_roots(builder, settings)?;
        if let Some(proxy) = &settings.proxy {
            let around = settings.no_proxy.as_deref().and_then(NoProxy::from_string);
            builder =
                builder.proxy(Proxy::https(proxy.as_str()).map_err(|_| "the proxy is not a URL")?.no_proxy(around));
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let local = plain(limits).tls_certs_only([]).build()?;
        Ok(Self { http: builder.build()?, local, runtime: Some(runtime) })
    }
}

/// A client without certificates, that follows nothing.
fn plain(limits: Limits) -> ClientBuilder {
    // A second time it is there already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder()
        .pool_idle_timeout(KEPT)
        .connect_timeout(limits.connect)
        .redirect(redirect::Policy::none());
    builder.no_proxy().user_agent(concat!("rye/", env!("CARGO_PKG_VERSION")))
}

/// Adds the certificates that count.
fn with_roots(builder: ClientBuilder, settings: &Settings) -> Result<ClientBuilder, Cause> {
    match settings.roots {
        NetRoots::Platform => Ok(builder),
        NetRoots::Webpki => {
            let roots = webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter();
            let roots: Result<Vec<_>, _> = roots.map(|root| Certificate::from_der(root)).collect();
            Ok(builder.tls_certs_only(roots?))
        }
    }
}

/// Lets the runtime learn which kept connections were closed while it did not run. Of a request that is sent on one, no answer says
/// whether the server read it.
async fn look_at_connections() {
    for _ in 0..LOOKS {
        tokio::task::yield_now().await;
    }
}

async fn asked_to_stop(is_cancelled: &dyn Fn() -> bool) {
    while !is_cancelled() {
        tokio::time::sleep(TICK).await;
    }
}
