//! Calls that answer "operation not permitted" whatever their arguments are: programs tell their user so, and take another way.
//!
//! As unknown calls they would fail in a stranger manner: a server says that the kernel has no sockets, `mount` and `unshare`
//! that they were not built in, a debugger or a checker of leaks that something is broken.

use libc::c_long;

pub(super) const REFUSED: &[c_long] = &[
    // Being a server.
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    // Name spaces, roots and mounts.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_chroot,
    libc::SYS_pivot_root,
    libc::SYS_mount,
    libc::SYS_umount2,
    // Debuggers.
    libc::SYS_ptrace,
    // The machine's clock, name and messages.
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_syslog,
];
