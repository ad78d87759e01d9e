//! Profiles: the kinds of children that a sandbox holds, and what each may have. One row for each.

use std::time::Duration;

use super::super::limits::{Limits, ResourceLimits};

/// The most further sockets.
pub const MOST_SOCKETS: u16 = 8;

/// The kind of a child in the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// A tool's script.
    Script,
    /// A program that `rye/shell/run` runs.
    Program,
    /// An MCP server.
    Server,
    /// The project's own tests.
    Tests,
    /// The command that makes what a thread's tree needs.
    Setup,
}

/// A class of system calls. The calls themselves are in `system_calls/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Files, by path and by descriptor; Landlock judges which.
    Files,
    /// Who may do what with a file, and its times. Only where mounts keep the rest read-only.
    Modes,
    /// Memory of the process's own.
    Memory,
    /// Processes and threads, and their own limits.
    Processes,
    /// Signals; Landlock and the name space of processes judge to whom.
    Signals,
    /// Clocks and timers.
    Time,
    /// Waiting for descriptors.
    Events,
    /// Pairs of sockets between processes in the sandbox.
    Pairs,
    /// TCP over IP. Only in a network of the child's own.
    Tcp,
    /// Further confinement, which takes rights away.
    Confinement,
}

/// What a child may reach in a network of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Network {
    /// The proxy.
    Proxy,
    /// The proxy, and Unix sockets outside, each relayed at a port.
    ProxyAndSockets,
}

/// What a profile may have.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux has the sandbox"))]
pub(super) struct Row {
    /// Its name on the command line of the confiner.
    name: &'static str,
    /// The classes of system calls.
    pub(super) calls: &'static [Class],
    /// Files of the kernel that it reads.
    pub(super) kernel: &'static [&'static str],
    /// Files that take what is written and keep nothing.
    pub(super) sinks: &'static [&'static str],
    /// What it reaches where it has a network.
    network: Network,
    limits: Limits,
}

/// The classes that every profile has today.
const CALLS: &[Class] = &[
    Class::Files,
    Class::Modes,
    Class::Memory,
    Class::Processes,
    Class::Signals,
    Class::Time,
    Class::Events,
    Class::Pairs,
    Class::Tcp,
    Class::Confinement,
];

/// What programs expect of the kernel.
const KERNEL: &[&str] = &["/proc", "/sys/devices/system/cpu", "/dev/random", "/dev/urandom", "/dev/zero"];

const SINKS: &[&str] = &["/dev/full", "/dev/null"];

/// A server lives as long as the session: its time is bounded call by call.
const OF_A_SERVER: Limits =
    Limits { resources: ResourceLimits { cpu_seconds: None, ..Limits::USUAL.resources }, ..Limits::USUAL };

/// A set-up installs packages and compiles some: it has as long as a pipeline gives it.
const OF_A_SETUP: Limits = Limits {
    timeout: Duration::from_secs(1_800),
    max_processes: 512,
    max_memory: 8 << 30,
    resources: ResourceLimits {
        cpu_seconds: None,
        file_size_bytes: Some(2 << 30),
        open_files: Some(4_096),
        ..Limits::USUAL.resources
    },
    ..Limits::USUAL
};

impl Profile {
    const ALL: [Self; 5] = [Self::Script, Self::Program, Self::Server, Self::Tests, Self::Setup];

    /// The table.
    pub(super) const fn row(self) -> Row {
        use Network::{Proxy, ProxyAndSockets};
        let (calls, kernel, sinks, usual) = (CALLS, KERNEL, SINKS, Limits::USUAL);
        match self {
            Self::Script => Row { name: "script", calls, kernel, sinks, network: Proxy, limits: usual },
            Self::Program => Row { name: "program", calls, kernel, sinks, network: ProxyAndSockets, limits: usual },
            Self::Server => Row { name: "server", calls, kernel, sinks, network: Proxy, limits: OF_A_SERVER },
            Self::Setup => Row { name: "setup", calls, kernel, sinks, network: Proxy, limits: OF_A_SETUP },
            Self::Tests => Row { name: "tests", calls, kernel, sinks, network: ProxyAndSockets, limits: usual },
        }
    }

    /// Returns its limits, in the sandbox and without one.
    #[must_use]
    pub const fn limits(self) -> Limits {
        self.row().limits
    }

    /// Returns how many Unix sockets outside may be relayed into its network.
    pub(super) const fn most_sockets(self) -> u16 {
        match self.row().network {
            Network::Proxy => 0,
            Network::ProxyAndSockets => MOST_SOCKETS,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        self.row().name
    }

    /// Finds the profile of a name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_is_found_by_its_name_and_no_other_is() {
        for profile in Profile::ALL {
            assert_eq!(Profile::named(profile.name()), Some(profile));
        }
        assert_eq!(Profile::named("scripts"), None);
        assert_eq!(Profile::named(""), None);
    }

    #[test]
    fn only_a_server_has_all_the_time_of_the_processor_and_no_script_has_sockets() {
        let [script, program, server, tests, setup] =
            Profile::ALL.map(|profile| (profile.limits().resources.cpu_seconds, profile.most_sockets()));
        assert_eq!((script, server, setup), ((Some(60), 0), (None, 0), (None, 0)));
        assert_eq!((program, tests), ((Some(60), MOST_SOCKETS), (Some(60), MOST_SOCKETS)));
    }
}
