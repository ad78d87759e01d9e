//! The connections that a session keeps: one for each server, used by one call at a time.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use super::bounds::CallBounds;
use super::client::Client;
use super::error::Error;
use super::tool::ListedTool;
use crate::process::{CancelFlag, Deadline};

type Slot = Arc<Mutex<Option<Kept>>>;

/// A connection, and what it was opened by.
#[derive(Debug)]
struct Kept {
    client: Client,
    definition: String,
}

/// The connections of a session. Dropped with it, they end.
#[derive(Debug, Default)]
pub struct Servers {
    slots: Mutex<BTreeMap<String, Slot>>,
}

impl Servers {
    /// Does something with the connection of a key, which is opened if none of this definition exists, and with the
    /// tools that its server lists now. One that ended since it was used last is opened anew. A call waits for the one
    /// before it; then it has `time`.
    ///
    /// # Errors
    ///
    /// [`Error`]. After any but a refusal the connection is gone.
    pub fn with<T>(
        &self,
        key: &str,
        definition: &str,
        time: Duration,
        cancel: &CancelFlag,
        open: impl Fn(&CallBounds<'_>) -> Result<Client, Error>,
        work: impl FnOnce(&mut Client, &[ListedTool], &CallBounds<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let slot = {
            let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(slots.entry(key.to_owned()).or_default())
        };
        let mut kept = turn(&slot, cancel)?;
        // Time that other calls used does not count for this one.
        let bounds = &CallBounds { deadline: Deadline::after(time), cancel };
        let used = match kept.take().filter(|kept| kept.definition == definition) {
            Some(Kept { mut client, .. }) => match client.tools(bounds) {
                Ok(tools) => Some((client, tools)),
                Err(Error::Ended { .. }) => None,
                Err(error) => return Err(error),
            },
            None => None,
        };
        let (mut client, tools) = match used {
            Some(used) => used,
            None => {
                let mut client = open(bounds)?;
                let tools = client.tools(bounds)?;
                (client, tools)
            }
        };
        let done = work(&mut client, &tools, bounds);
        if done.as_ref().err().is_none_or(Error::is_answer) {
            *kept = Some(Kept { client, definition: definition.to_owned() });
        }
        done
    }
}

/// Waits until no other call uses a connection.
fn turn<'a>(slot: &'a Mutex<Option<Kept>>, cancel: &CancelFlag) -> Result<MutexGuard<'a, Option<Kept>>, Error> {
    const TICK: Duration = Duration::from_millis(10);
    loop {
        match slot.try_lock() {
            Ok(kept) => return Ok(kept),
            Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if cancel.is_set() => return Err(Error::Cancelled),
            Err(TryLockError::WouldBlock) => std::thread::sleep(TICK),
        }
    }
}
