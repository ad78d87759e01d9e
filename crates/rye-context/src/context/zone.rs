//! The time zone of this machine, as OpenSSH and every program of the C library read it: `TZ`, or `/etc/localtime`.

use std::path::{Path, PathBuf};

use super::{Context, bounded};
use crate::id::Zone;

/// The zone of the machine.
const LOCALTIME: &str = "/etc/localtime";

/// Where zones lie by their names.
const ZONEINFO: &str = "/usr/share/zoneinfo";

/// The largest file of a zone that is read, in bytes.
const MAX_ZONE_BYTES: u64 = 64 * 1024;

impl Context {
    /// Returns the time zone of this machine; UTC if it is not known.
    #[must_use]
    pub fn zone(&self) -> Zone {
        let zone = match self.environment.get("TZ").map(|name| name.strip_prefix(':').unwrap_or(name)) {
            None => in_file(Path::new(LOCALTIME)),
            Some("") => None,
            Some(name) => in_file(&path_of(name)).or_else(|| Zone::from_posix(name)),
        };
        zone.unwrap_or_default()
    }
}

fn path_of(name: &str) -> PathBuf {
    // An absolute name stays as it is.
    Path::new(ZONEINFO).join(name)
}

fn in_file(path: &Path) -> Option<Zone> {
    Zone::from_tzif(&bounded::read(path, MAX_ZONE_BYTES).ok()?)
}
