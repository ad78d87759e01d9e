//! Calls that are allowed whatever their arguments are, by class, with the reason for each group.

use libc::c_long;

use super::super::profile::Class;

/// Newer than the library that names the others; new calls have one number on every machine.
pub(super) const SYS_FCHMODAT2: c_long = 452;

/// The calls that every machine has.
pub(super) const ALLOWED: &[(Class, &[c_long])] = &[
    // What is open was judged when it was opened.
    (
        Class::Files,
        &[
            libc::SYS_read,
            libc::SYS_write,
            libc::SYS_readv,
            libc::SYS_writev,
            libc::SYS_pread64,
            libc::SYS_pwrite64,
            libc::SYS_preadv,
            libc::SYS_pwritev,
            libc::SYS_preadv2,
            libc::SYS_pwritev2,
            libc::SYS_lseek,
            libc::SYS_close,
            libc::SYS_close_range,
            libc::SYS_fstat,
            libc::SYS_fstatfs,
            libc::SYS_ftruncate,
            libc::SYS_fallocate,
            libc::SYS_fsync,
            libc::SYS_fdatasync,
            libc::SYS_sync,
            libc::SYS_syncfs,
            libc::SYS_readahead,
            libc::SYS_fadvise64,
            libc::SYS_copy_file_range,
            libc::SYS_sendfile,
            libc::SYS_splice,
            libc::SYS_tee,
            libc::SYS_dup,
            libc::SYS_dup3,
            libc::SYS_pipe2,
            libc::SYS_flock,
            libc::SYS_getdents64,
            libc::SYS_fgetxattr,
            libc::SYS_flistxattr,
        ],
    ),
    // By path: Landlock judges what changes files, and nothing hides that a file exists.
    (
        Class::Files,
        &[
            libc::SYS_newfstatat,
            libc::SYS_statx,
            libc::SYS_statfs,
            libc::SYS_faccessat,
            libc::SYS_faccessat2,
            libc::SYS_readlinkat,
            libc::SYS_getxattr,
            libc::SYS_lgetxattr,
            libc::SYS_listxattr,
            libc::SYS_llistxattr,
            libc::SYS_truncate,
            libc::SYS_unlinkat,
            libc::SYS_linkat,
            libc::SYS_symlinkat,
            libc::SYS_renameat2,
            libc::SYS_chdir,
            libc::SYS_fchdir,
            libc::SYS_getcwd,
            libc::SYS_umask,
        ],
    ),
    // Landlock does not ask about these; a read-only mount does. Without the set-id bits, which `arguments.rs` judges.
    (
        Class::Modes,
        &[
            libc::SYS_fchown,
            libc::SYS_fchownat,
            libc::SYS_setxattr,
            libc::SYS_lsetxattr,
            libc::SYS_fsetxattr,
            libc::SYS_removexattr,
            libc::SYS_lremovexattr,
            libc::SYS_fremovexattr,
            libc::SYS_utimensat,
        ],
    ),
    // Its own pages. The keeper counts them; `mlock` has the kernel's own limit.
    (
        Class::Memory,
        &[
            libc::SYS_mmap,
            libc::SYS_munmap,
            libc::SYS_mprotect,
            libc::SYS_mremap,
            libc::SYS_brk,
            libc::SYS_madvise,
            libc::SYS_mincore,
            libc::SYS_msync,
            libc::SYS_mlock,
            libc::SYS_mlock2,
            libc::SYS_munlock,
            libc::SYS_mlockall,
            libc::SYS_munlockall,
            libc::SYS_membarrier,
            libc::SYS_pkey_alloc,
            libc::SYS_pkey_free,
            libc::SYS_pkey_mprotect,
            libc::SYS_get_mempolicy,
            libc::SYS_set_mempolicy,
            libc::SYS_mbind,
        ],
    ),
    // Programs start programs and wait for them; what is started is in the same sandbox.
    (
        Class::Processes,
        &[
            libc::SYS_execve,
            libc::SYS_execveat,
            libc::SYS_exit,
            libc::SYS_exit_group,
            libc::SYS_wait4,
            libc::SYS_waitid,
            libc::SYS_pidfd_open,
            libc::SYS_getpid,
            libc::SYS_getppid,
            libc::SYS_gettid,
            libc::SYS_getpgid,
            libc::SYS_setpgid,
            libc::SYS_getsid,
            libc::SYS_setsid,
            libc::SYS_set_tid_address,
            libc::SYS_futex,
            libc::SYS_futex_waitv,
            libc::SYS_set_robust_list,
            libc::SYS_get_robust_list,
            libc::SYS_rseq,
        ],
    ),
    // Who it is: without capabilities it becomes no one else.
    (
        Class::Processes,
        &[
            libc::SYS_getuid,
            libc::SYS_geteuid,
            libc::SYS_getresuid,
            libc::SYS_getgid,
            libc::SYS_getegid,
            libc::SYS_getresgid,
            libc::SYS_getgroups,
            libc::SYS_setuid,
            libc::SYS_setreuid,
            libc::SYS_setresuid,
            libc::SYS_setfsuid,
            libc::SYS_setgid,
            libc::SYS_setregid,
            libc::SYS_setresgid,
            libc::SYS_setfsgid,
            libc::SYS_setgroups,
        ],
    ),
    // What is told of the machine and of limits. To set those of another process, see `arguments.rs`.
    (
        Class::Processes,
        &[
            libc::SYS_uname,
            libc::SYS_sysinfo,
            libc::SYS_getrandom,
            libc::SYS_getcpu,
            libc::SYS_getrusage,
            libc::SYS_times,
            libc::SYS_getpriority,
            libc::SYS_ioprio_get,
            libc::SYS_sched_yield,
            libc::SYS_sched_getaffinity,
            libc::SYS_sched_getattr,
            libc::SYS_sched_getparam,
            libc::SYS_sched_getscheduler,
            libc::SYS_sched_get_priority_max,
            libc::SYS_sched_get_priority_min,
            libc::SYS_sched_rr_get_interval,
        ],
    ),
    // Landlock judges the target; in a name space of processes, no process outside has a number.
    (
        Class::Signals,
        &[
            libc::SYS_rt_sigaction,
            libc::SYS_rt_sigprocmask,
            libc::SYS_rt_sigreturn,
            libc::SYS_rt_sigpending,
            libc::SYS_rt_sigtimedwait,
            libc::SYS_rt_sigsuspend,
            libc::SYS_sigaltstack,
            libc::SYS_restart_syscall,
            libc::SYS_signalfd4,
            libc::SYS_kill,
            libc::SYS_tkill,
            libc::SYS_tgkill,
            libc::SYS_rt_sigqueueinfo,
            libc::SYS_rt_tgsigqueueinfo,
            libc::SYS_pidfd_send_signal,
        ],
    ),
    // Reading clocks, and timers of its own.
    (
        Class::Time,
        &[
            libc::SYS_clock_gettime,
            libc::SYS_clock_getres,
            libc::SYS_clock_nanosleep,
            libc::SYS_nanosleep,
            libc::SYS_gettimeofday,
            libc::SYS_getitimer,
            libc::SYS_setitimer,
            libc::SYS_timer_create,
            libc::SYS_timer_delete,
            libc::SYS_timer_getoverrun,
            libc::SYS_timer_gettime,
            libc::SYS_timer_settime,
            libc::SYS_timerfd_create,
            libc::SYS_timerfd_gettime,
            libc::SYS_timerfd_settime,
        ],
    ),
    // Event loops. Not `inotify`, which tells what happens in folders that may not be listed.
    (
        Class::Events,
        &[
            libc::SYS_epoll_create1,
            libc::SYS_epoll_ctl,
            libc::SYS_epoll_pwait,
            libc::SYS_epoll_pwait2,
            libc::SYS_ppoll,
            libc::SYS_pselect6,
            libc::SYS_eventfd2,
        ],
    ),
    // On sockets that are there: a pair, or TCP. On a pair of streams or packets the kernel takes no address.
    (
        Class::Pairs,
        &[
            libc::SYS_recvfrom,
            libc::SYS_recvmsg,
            libc::SYS_recvmmsg,
            libc::SYS_sendmsg,
            libc::SYS_sendmmsg,
            libc::SYS_shutdown,
            libc::SYS_getsockname,
            libc::SYS_getpeername,
            libc::SYS_getsockopt,
            libc::SYS_setsockopt,
        ],
    ),
    // To the proxy: nothing else listens in a network of its own. `socket` is judged by its arguments.
    (Class::Tcp, &[libc::SYS_connect]),
    // Each takes rights from the caller; a filter of its own cannot answer for this one.
    (
        Class::Confinement,
        &[
            libc::SYS_seccomp,
            libc::SYS_landlock_create_ruleset,
            libc::SYS_landlock_add_rule,
            libc::SYS_landlock_restrict_self,
            libc::SYS_capget,
            libc::SYS_capset,
        ],
    ),
];

/// Older forms of the same calls, which newer machines do not have.
#[cfg(target_arch = "x86_64")]
pub(super) const ALLOWED_HERE: &[(Class, &[c_long])] = &[
    (
        Class::Files,
        &[
            libc::SYS_stat,
            libc::SYS_lstat,
            libc::SYS_access,
            libc::SYS_readlink,
            libc::SYS_unlink,
            libc::SYS_rmdir,
            libc::SYS_link,
            libc::SYS_symlink,
            libc::SYS_rename,
            libc::SYS_renameat,
            libc::SYS_getdents,
            libc::SYS_dup2,
            libc::SYS_pipe,
            libc::SYS_sync_file_range,
        ],
    ),
    (Class::Modes, &[libc::SYS_chown, libc::SYS_lchown, libc::SYS_utime, libc::SYS_utimes, libc::SYS_futimesat]),
    // `arch_prctl` sets registers of the caller.
    (
        Class::Processes,
        &[
            libc::SYS_fork,
            libc::SYS_vfork,
            libc::SYS_getpgrp,
            libc::SYS_getrlimit,
            libc::SYS_setrlimit,
            libc::SYS_arch_prctl,
        ],
    ),
    (Class::Signals, &[libc::SYS_signalfd, libc::SYS_pause]),
    (Class::Time, &[libc::SYS_time, libc::SYS_alarm]),
    (
        Class::Events,
        &[libc::SYS_epoll_create, libc::SYS_epoll_wait, libc::SYS_poll, libc::SYS_select, libc::SYS_eventfd],
    ),
];

/// By number, as the library does not name them for every C library.
#[cfg(target_arch = "aarch64")]
pub(super) const ALLOWED_HERE: &[(Class, &[c_long])] = &[
    // `renameat`, `sync_file_range`.
    (Class::Files, &[38, 84]),
    // `getrlimit`, `setrlimit`.
    (Class::Processes, &[163, 164]),
];

/// Other machines have no table, and no sandbox.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) const ALLOWED_HERE: &[(Class, &[c_long])] = &[];
