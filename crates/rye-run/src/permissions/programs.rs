//! What the person's configuration grants the programs that a pattern lets be run.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::capability::{Capability, HostRule, Primary, shell};
use crate::context::{Config, ShellProgram};
use crate::id::{ItemType, Segment};

/// Sockets of container engines: a process that reaches one can start a container as root with all files of the
/// machine.
const ENGINES: [&str; 6] =
    ["docker.sock", "podman.sock", "containerd.sock", "crio.sock", "buildkitd.sock", "docker-raw.sock"];

/// What a program reaches besides what every tool reaches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProgramGrant {
    /// The program, or `tests`.
    pub program: Segment,
    /// Files and folders that it reads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<PathBuf>,
    /// Files and folders that it writes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<PathBuf>,
    /// Hosts that it reaches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostRule>,
    /// Unix sockets that it reaches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sockets: Vec<PathBuf>,
    /// Whether a socket among them makes the program root on this machine.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_root: bool,
}

/// Lists what a pattern's programs are granted.
pub(super) fn programs(config: &Config, capability: &Capability) -> Vec<ProgramGrant> {
    let covered = |name: &Segment| {
        let id = if name.as_str() == shell::TESTS { shell::TEST_RUN.to_owned() } else { format!("rye/shell/{name}") };
        let call = Capability::of(Primary::Execute, ItemType::Tool, &id);
        call.is_ok_and(|call| capability.overlaps(&call))
    };
    config.shell.iter().filter(|(name, _)| covered(name)).map(|(name, shell)| grant(name, shell)).collect()
}

fn grant(name: &Segment, shell: &ShellProgram) -> ProgramGrant {
    let sockets: Vec<PathBuf> = shell.sockets.values().cloned().collect();
    ProgramGrant {
        program: name.clone(),
        read: shell.read.clone(),
        write: shell.write.clone(),
        hosts: shell.hosts.clone(),
        is_root: sockets.iter().any(|path| is_engine(path)),
        sockets,
    }
}

fn is_engine(path: &Path) -> bool {
    // A link may have another name.
    let led = path.canonicalize();
    let named = [Some(path), led.as_deref().ok()].into_iter().flatten().filter_map(Path::file_name);
    named.into_iter().any(|name| ENGINES.iter().any(|engine| name.eq_ignore_ascii_case(engine)))
}
