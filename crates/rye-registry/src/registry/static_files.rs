//! The files of a registry on a web server: the same layout, without git. Nothing is kept of them.

use std::cell::{OnceCell, RefCell};
use std::fs::File;
use std::time::Duration;

use super::error::Error;
use super::fault::Fault;
use super::layout::CHECKPOINT;
use super::source::{FileSource, most_of};
use super::url::static_url;
use super::{memory, registries_toml};
use crate::context::Context;
use crate::format::registry_files::KnownRegistry;
use crate::id::Segment;
use crate::net::{self, Client, Endpoint, Limits, Settings};

/// How long a server has: it sends small files.
const CONNECT: Duration = Duration::from_secs(10);
const SILENCE: Duration = Duration::from_secs(30);
const WHOLE: Duration = Duration::from_secs(120);

/// Files below an address.
#[derive(Debug)]
pub(super) struct StaticFiles {
    known: KnownRegistry,
    endpoint: Endpoint,
    client: Client,
    /// The checkpoint as it was read first.
    checkpoint: OnceCell<Vec<u8>>,
    lock: RefCell<Option<File>>,
}

impl StaticFiles {
    /// Prepares to read a registry, and waits for other programs that work with it.
    pub(super) fn open(ctx: &Context, known: &KnownRegistry) -> Result<Self, Error> {
        let wrong = |reason| Error::Url { text: known.url.clone(), reason };
        let url = static_url(&known.url).ok_or_else(|| wrong("it is not the address of static files"))?;
        let endpoint = url.parse().map_err(|_| wrong("only `https`, and `http` on this machine, are supported"))?;
        let lock = registries_toml::lock(&memory::folder(ctx, &known.name)?)?;
        let (client, checkpoint) = (Client::new(Settings::of(ctx)), OnceCell::new());
        Ok(Self { known: known.clone(), endpoint, client, checkpoint, lock: RefCell::new(Some(lock)) })
    }

    fn fetch(&self, path: &str, most: u64) -> Result<Option<Vec<u8>>, Error> {
        let limits = Limits {
            connect: CONNECT,
            first_byte: SILENCE,
            silence: SILENCE,
            whole: WHOLE,
            bytes: usize::try_from(most).unwrap_or(usize::MAX),
        };
        let fetched = self.client.fetch(&self.endpoint, &format!("/{path}"), limits);
        let fetched = match fetched {
            Err(net::Error::TooLarge { .. }) => {
                return Err(Error::fault(&self.known.name, Fault::TooLarge { path: path.to_owned() }));
            }
            fetched => fetched.map_err(|error| Error::download(&self.known, error))?,
        };
        match fetched.status {
            200 => Ok(Some(fetched.body)),
            404 | 410 => Ok(None),
            status => Err(Error::status(&self.known, path, status)),
        }
    }
}

impl FileSource for StaticFiles {
    fn registry(&self) -> &Segment {
        &self.known.name
    }

    fn read(&self, path: &str, most: u64) -> Result<Option<Vec<u8>>, Error> {
        let bytes = self.fetch(path, most)?;
        match (path, &bytes) {
            (CHECKPOINT, None) => Err(Error::NoCheckpoint { url: self.known.url.clone() }),
            (CHECKPOINT, Some(checkpoint)) => {
                self.checkpoint.get_or_init(|| checkpoint.clone());
                Ok(bytes)
            }
            _ => Ok(bytes),
        }
    }

    /// Files are replaced one by one: where the checkpoint is another one by now, these may be of two states.
    fn fault(&self, fault: Fault) -> Error {
        match (self.checkpoint.get(), self.fetch(CHECKPOINT, most_of(CHECKPOINT))) {
            (Some(before), Ok(Some(now))) if *before != now => {
                Error::ChangedMeanwhile { registry: self.known.name.clone() }
            }
            _ => Error::fault(&self.known.name, fault),
        }
    }

    fn unlock(&self) {
        self.lock.take();
    }
}
