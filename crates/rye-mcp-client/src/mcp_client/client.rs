//! One connection to a server: greeted once, then asked.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::bounds::CallBounds;
use super::error::Error;
use super::http::Remote;
use super::message::note;
use super::peer::Peer;
use super::stdio::Local;
use super::tool::ListedTool;
use crate::net::Asked;

/// The versions of the protocol that this client speaks, the newest first.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// The most pages of a list.
const MOST_PAGES: usize = 100;
/// The most tools of a server.
const MOST_TOOLS: usize = 1000;

/// A connection to a server that was greeted.
#[derive(Debug)]
pub struct Client {
    server: Peer,
    wire: Wire,
    last_id: u64,
}

#[derive(Debug)]
enum Wire {
    Local(Local),
    Remote(Remote),
}

impl Client {
    /// Greets a server that this program started.
    ///
    /// # Errors
    ///
    /// [`Error`].
    pub fn of_local(server: Peer, local: Local, bounds: &CallBounds<'_>) -> Result<Self, Error> {
        Self::greeted(server, Wire::Local(local), bounds)
    }

    /// Greets a server over HTTP.
    ///
    /// # Errors
    ///
    /// [`Error`].
    pub fn of_remote(server: Peer, remote: Remote, bounds: &CallBounds<'_>) -> Result<Self, Error> {
        Self::greeted(server, Wire::Remote(remote), bounds)
    }

    fn greeted(server: Peer, wire: Wire, bounds: &CallBounds<'_>) -> Result<Self, Error> {
        let mut client = Self { server, wire, last_id: 0 };
        let own = json!({"name": "rye", "version": env!("CARGO_PKG_VERSION")});
        let params = json!({"protocolVersion": VERSIONS[0], "capabilities": {}, "clientInfo": own});
        let greeting = client.ask("initialize", &params, bounds)?;
        let version = greeting["protocolVersion"].as_str().unwrap_or_default();
        if !VERSIONS.contains(&version) {
            let reason = format!(
                "it speaks version `{}`, this program {}",
                client.server.beginning(version),
                VERSIONS.join(", ")
            );
            return Err(client.malformed(reason));
        }
        if greeting.pointer("/capabilities/tools").is_none() {
            return Err(client.malformed("it offers no tools".to_owned()));
        }
        if let Wire::Remote(remote) = &mut client.wire {
            remote.agree(version);
        }
        client.tell(&note("notifications/initialized", &json!({})), bounds)?;
        Ok(client)
    }

    /// Lists its tools: every page, until one is missing or comes again.
    ///
    /// # Errors
    ///
    /// [`Error`].
    pub fn tools(&mut self, bounds: &CallBounds<'_>) -> Result<Vec<ListedTool>, Error> {
        let (mut tools, mut cursors) = (Vec::<ListedTool>::new(), BTreeSet::new());
        let mut params = json!({});
        loop {
            let page = self.ask("tools/list", &params, bounds)?;
            let listed = page["tools"].as_array().ok_or_else(|| self.malformed("it lists no `tools`".to_owned()))?;
            for tool in listed {
                let tool = ListedTool::read(self.server.name(), tool)?;
                match tools.iter().find(|known| known.name == tool.name) {
                    None => tools.push(tool),
                    // Of a page that comes again.
                    Some(known) if known.digest == tool.digest => {}
                    Some(_) => {
                        let name = self.server.beginning(&tool.name);
                        return Err(self.malformed(format!("it lists the tool `{name}` twice, and not alike")));
                    }
                }
            }
            if tools.len() > MOST_TOOLS || cursors.len() >= MOST_PAGES {
                let what = format!("more than {MOST_TOOLS} tools or {MOST_PAGES} pages of them");
                return Err(Error::Flood { server: self.server.name().to_owned(), what });
            }
            let cursor = page["nextCursor"].as_str().filter(|cursor| !cursor.is_empty());
            let Some(cursor) = cursor.filter(|cursor| cursors.insert((*cursor).to_owned())) else { return Ok(tools) };
            params = json!({"cursor": cursor});
        }
    }

    /// Calls a tool, and returns its result as the server sent it.
    ///
    /// # Errors
    ///
    /// [`Error`].
    pub fn call(&mut self, tool: &str, arguments: &Value, bounds: &CallBounds<'_>) -> Result<Value, Error> {
        let result = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}), bounds)?;
        if result.is_object() { Ok(result) } else { Err(self.malformed("a result is not an object".to_owned())) }
    }

    /// Returns the hosts that the server asked for since this was called last.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        match &self.wire {
            Wire::Local(local) => local.asked(),
            Wire::Remote(remote) => remote.asked(),
        }
    }

    fn ask(&mut self, method: &'static str, params: &Value, bounds: &CallBounds<'_>) -> Result<Value, Error> {
        self.last_id += 1;
        let (server, id) = (&self.server, self.last_id);
        let answer = match &mut self.wire {
            Wire::Local(local) => local.ask(server, id, method, params, bounds)?,
            Wire::Remote(remote) => remote.ask(server, id, method, params, bounds)?,
        };
        answer.map_err(|(code, message)| Error::Refused {
            server: self.server.name().to_owned(),
            method,
            code,
            message,
        })
    }

    fn tell(&self, message: &Value, bounds: &CallBounds<'_>) -> Result<(), Error> {
        match &self.wire {
            Wire::Local(local) => {
                local.tell(message);
                Ok(())
            }
            Wire::Remote(remote) => remote.tell(&self.server, message, bounds),
        }
    }

    fn malformed(&self, reason: String) -> Error {
        Error::Malformed { server: self.server.name().to_owned(), reason }
    }
}
