//! The connections that a session keeps: one for each server, used by one call at a time.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::bounds::CallBounds;
use super::client::Client;
use super::error::Error;
use super::tool::ListedTool;

type Slot = Arc<Mutex<Option<Client>>>;

/// The connections of a session. Dropped with it, they end.
#[derive(Debug, Default)]
pub struct Servers {
    slots: Mutex<BTreeMap<String, Slot>>,
}

impl Servers {
    /// Does something with the connection of a key, which is opened where there is none, and with the tools that its server lists
    /// now. One that ended since it was used last is opened anew.
    ///
    /// # Errors
    ///
    /// [`Error`]. After any but a refusal the connection is gone.
    pub fn with<T>(
        &self,
        key: &str,
        bounds: &CallBounds<'_>,
        open: impl Fn() -> Result<Client, Error>,
        work: impl FnOnce(&mut Client, &[ListedTool]) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let slot = {
            let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(slots.entry(key.to_owned()).or_default())
        };
        let mut kept = slot.lock().unwrap_or_else(PoisonError::into_inner);
        let used = match kept.take() {
            Some(mut client) => match client.tools(bounds) {
                Ok(tools) => Some((client, tools)),
                Err(Error::Ended { .. }) => None,
                Err(error) => return Err(error),
            },
            None => None,
        };
        let (mut client, tools) = match used {
            Some(used) => used,
            None => {
                let mut client = open()?;
                let tools = client.tools(bounds)?;
                (client, tools)
            }
        };
        let done = work(&mut client, &tools);
        if done.as_ref().err().is_none_or(Error::is_answer) {
            *kept = Some(client);
        }
        done
    }
}
