//! The conversation with a provider.
//!
//! Makes sure that an answer is of a kind this program knows; the thread interprets a turn's events.

use rye_plugin_abi::Description;
use rye_plugin_abi::provider::{
    Answer, Counted, DecodeRequest, DecodeResponse, Decoded, EncodeRequest, EncodeResponse, Exchange, PeekRequest,
    PeekResponse,
};
use rye_plugin_abi::table::{KIND_PROVIDER, OP_COUNT, OP_COUNTED, OP_DECODE, OP_ENCODE, OP_PEEK};

use super::{Error, Origin, Plugin};

/// A plugin that continues conversations.
#[derive(Debug, Clone)]
pub struct Provider {
    plugin: Plugin,
}

impl Provider {
    /// Takes an opened plugin as a provider.
    ///
    /// # Errors
    ///
    /// [`Error::WrongKind`].
    pub fn new(plugin: Plugin) -> Result<Self, Error> {
        Ok(Self { plugin: plugin.of_kind(KIND_PROVIDER)? })
    }

    /// The provider's name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.plugin.name()
    }

    /// Where its code came from.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        self.plugin.origin()
    }

    /// Checks that its manifest declares the host that a document names. The program's own providers ask any.
    ///
    /// # Errors
    ///
    /// [`Error::Undeclared`].
    pub fn check_host(&self, host: &str, port: u16) -> Result<(), Error> {
        let Some(needs) = self.plugin.needs() else { return Ok(()) };
        match needs.reach() {
            Ok(hosts) if hosts.allow(host, port) => Ok(()),
            Ok(_) | Err(_) => Err(self.undeclared(format!("to send requests to `{host}:{port}`"))),
        }
    }

    /// Checks that its manifest declares any host.
    fn check_asks(&self) -> Result<(), Error> {
        match self.plugin.needs() {
            Some(needs) if needs.hosts.is_empty() => Err(self.undeclared("to send a request".to_owned())),
            Some(_) | None => Ok(()),
        }
    }

    fn undeclared(&self, what: String) -> Error {
        Error::Undeclared { plugin: self.name().to_owned(), what }
    }

    /// Asks the provider who it is.
    ///
    /// # Errors
    ///
    /// Any error of a call.
    pub fn describe(&self) -> Result<Description, Error> {
        self.plugin.describe()
    }

    /// Asks for the next turn of a conversation.
    ///
    /// # Errors
    ///
    /// [`Error::Reported`] if the provider cannot answer, [`Error::UnknownAnswer`] if it answers in a way of a later
    /// version, and whatever else a call can fail with.
    pub fn encode(&self, request: &EncodeRequest) -> Result<EncodeResponse, Error> {
        let response: EncodeResponse = self.plugin.ask_tagged(OP_ENCODE, request, "answer", Answer::KINDS)?;
        match response.answer {
            Answer::Events { .. } => {}
            Answer::Exchange(_) => self.check_asks()?,
        }
        Ok(response)
    }

    /// Asks what a server-sent event says by itself.
    ///
    /// # Errors
    ///
    /// Any error of a call.
    pub fn peek(&self, request: &PeekRequest) -> Result<PeekResponse, Error> {
        self.plugin.ask(OP_PEEK, request)
    }

    /// Asks what the response to an exchange comes to.
    ///
    /// # Errors
    ///
    /// As [`encode`](Self::encode).
    pub fn decode(&self, request: &DecodeRequest) -> Result<DecodeResponse, Error> {
        self.plugin.ask_tagged(OP_DECODE, request, "decoded", Decoded::KINDS)
    }

    /// Asks for the exchange that counts a conversation's tokens.
    ///
    /// # Errors
    ///
    /// [`Error::Reported`] if the provider does not count, and whatever else a call can fail with.
    pub fn count(&self, request: &EncodeRequest) -> Result<Exchange, Error> {
        self.check_asks()?;
        self.plugin.ask(OP_COUNT, request)
    }

    /// Asks what the response to that exchange comes to.
    ///
    /// # Errors
    ///
    /// Any error of a call.
    pub fn counted(&self, request: &DecodeRequest) -> Result<Counted, Error> {
        self.plugin.ask(OP_COUNTED, request)
    }
}
