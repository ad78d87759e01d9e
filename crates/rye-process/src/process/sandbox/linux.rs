//! The sandbox of Linux: Landlock, seccomp and, where the system lets this program make them, name spaces.

use std::os::fd::RawFd;

use super::private_folders::PrivateFolders;
use super::reach::Sandbox;
use super::system_calls::Surroundings;
use super::{files, mounts, network, privileges, system_calls};
use crate::process::error::Error;

impl Sandbox {
    /// Makes sure that this kernel can hold a child in a sandbox.
    ///
    /// # Errors
    /// [`Error::NoSandbox`] with the missing feature.
    pub fn is_supported() -> Result<(), Error> {
        files::is_supported()?;
        system_calls::is_supported()
    }

    /// Confines this process, for good. `has_own_processes` says that it is in a name space of processes that was made for it;
    /// on `way_out` the socket of its network's proxy is sent.
    ///
    /// # Errors
    /// [`Error::NoNetwork`], [`Error::Confine`] and [`Error::NoSandbox`]; earlier restrictions stay.
    pub(in super::super) fn apply(&self, has_own_processes: bool, way_out: Option<RawFd>) -> Result<(), Error> {
        if let Some(way_out) = way_out {
            network::open(way_out, self.sockets).map_err(|code| Error::NoNetwork { source: code.into() })?;
        }
        privileges::give_up_gaining()?;
        let mut private = PrivateFolders::of(self);
        let covered = mounts::make_read_only_but(self, has_own_processes, &mut private)?;
        let ports = if self.network { network::ports(self.sockets) } else { 0..0 };
        files::restrict(self, covered.as_deref().unwrap_or_default(), &private, ports)?;
        privileges::drop_all()?;
        let surroundings = Surroundings { is_read_only: covered.is_some(), has_network: self.network };
        system_calls::restrict(self.profile, surroundings)
    }
}
