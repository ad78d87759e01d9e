//! Relays: what connects to a socket of a tool's own network reaches a Unix socket outside, such as a container engine's.
//!
//! The tool has no Unix sockets of its own, so it reaches this one and no other. The content is not inspected.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, UnixStream};
use tokio::runtime;
use tokio::sync::{Semaphore, oneshot};

/// How long to wait when a connection could not be accepted.
const PAUSE: Duration = Duration::from_millis(50);
/// How many connections there may be at once.
const MOST_CONNECTIONS: usize = 64;

/// Relays that serve while they live.
#[derive(Debug)]
pub struct Relay {
    stop: Option<oneshot::Sender<()>>,
    server: Option<JoinHandle<()>>,
}

impl Relay {
    /// Connects each listening socket to its Unix socket.
    pub fn serve(sockets: Vec<(OwnedFd, PathBuf)>) -> io::Result<Self> {
        let (stop, stopped) = oneshot::channel();
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let mut listeners = Vec::new();
        for (listener, path) in sockets {
            let listener = std::net::TcpListener::from(listener);
            listener.set_nonblocking(true)?;
            listeners.push((listener, path));
        }
        let server = std::thread::Builder::new().spawn(move || {
            runtime.block_on(async {
                for (listener, path) in listeners {
                    tokio::spawn(accept(listener, path));
                }
                let _ = stopped.await;
            });
            runtime.shutdown_background();
        })?;
        Ok(Self { stop: Some(stop), server: Some(server) })
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        drop(self.stop.take());
        self.server.take().map(JoinHandle::join);
    }
}

async fn accept(listener: std::net::TcpListener, path: PathBuf) -> io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    let (connections, path) = (Arc::new(Semaphore::new(MOST_CONNECTIONS)), Arc::<Path>::from(path));
    loop {
        let Ok(free) = Arc::clone(&connections).acquire_owned().await else { return Ok(()) };
        let Ok((mut client, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let path = Arc::clone(&path);
        tokio::spawn(async move {
            if let Ok(mut socket) = UnixStream::connect(&path).await {
                let _ = copy_bidirectional(&mut client, &mut socket).await;
            }
            drop(free);
        });
    }
}
