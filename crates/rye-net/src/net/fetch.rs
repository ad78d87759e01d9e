//! One file over GET, read whole under limits. No header authenticates, and no redirect is followed.

use super::client::Client;
use super::endpoint::Endpoint;
use super::error::Error;
use super::exchange::{Limits, Reader, sent};

/// What a server answers to a GET.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The HTTP status.
    pub status: u16,
    /// The body; empty for a status other than success.
    pub body: Vec<u8>,
}

impl Client {
    /// Fetches a file below an endpoint; `path` begins with `/`.
    ///
    /// # Errors
    ///
    /// [`Error`]. A response with an error status is a response.
    pub fn fetch(&self, endpoint: &Endpoint, path: &str, limits: Limits) -> Result<Fetched, Error> {
        self.within(endpoint, limits, &|| false, async |http| {
            let wrong = || Error::Request { reason: "its path leads elsewhere".to_owned() };
            let url = endpoint.join(path).ok_or_else(wrong)?;
            let response = sent(endpoint.host(), http.get(url), limits).await?;
            let status = response.status();
            let body = match status.is_success() {
                true => Reader::new(response, endpoint.host(), limits).bytes().await?,
                false => Vec::new(),
            };
            Ok(Fetched { status: status.as_u16(), body })
        })
    }
}
