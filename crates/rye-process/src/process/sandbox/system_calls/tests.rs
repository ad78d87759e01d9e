//! The filters, asked about every call as the kernel asks them.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeSet;

use libc::{c_int, c_long};
use seccompiler::BpfProgram;

use super::arguments::by_arguments;
use super::calls::{ALLOWED, ALLOWED_HERE, SYS_FCHMODAT2};
use super::refused::REFUSED;
use super::{Surroundings, programs};
use crate::process::sandbox::profile::{Class, Profile};

const PROFILES: [Profile; 4] = [Profile::Script, Profile::Program, Profile::Server, Profile::Tests];
const WIDE: Surroundings = Surroundings { is_read_only: true, has_network: true };
const NARROW: Surroundings = Surroundings { is_read_only: false, has_network: false };

/// What a call gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Answer {
    Allowed,
    Refused,
    Unknown,
}

use Answer::{Allowed, Refused, Unknown};

/// The filters that a child of a profile has.
struct Filters([BpfProgram; 2]);

impl Filters {
    fn of(profile: Profile, surroundings: Surroundings) -> Self {
        Self(programs(profile, surroundings).unwrap())
    }

    /// The kernel asks the last filter first. The smaller answer counts, and of two errors the first.
    fn answer(&self, call: i64, arguments: &[u64]) -> Answer {
        const KIND: u32 = 0xffff_0000;
        let answers = self.0.iter().rev().map(|program| ran(program, call, arguments));
        let answer = answers.reduce(|first, next| if next & KIND < first & KIND { next } else { first }).unwrap();
        let error = |code: c_int| 0x0005_0000 | code.cast_unsigned();
        match answer {
            0x7fff_0000 => Allowed,
            _ if answer == error(libc::EPERM) => Refused,
            _ if answer == error(libc::ENOSYS) => Unknown,
            _ => panic!("{call} is answered with {answer:#x}"),
        }
    }
}

/// Runs a filter on a call of this machine.
fn ran(program: &BpfProgram, call: i64, arguments: &[u64]) -> u32 {
    let (mut at, mut held) = (0, 0);
    loop {
        let step = &program[at];
        let jump = |holds: bool| usize::from(if holds { step.jt } else { step.jf });
        at += 1;
        match step.code {
            0x20 => held = loaded(step.k, call, arguments),
            0x54 => held &= step.k,
            0x05 => at += usize::try_from(step.k).unwrap(),
            0x15 => at += jump(held == step.k),
            0x25 => at += jump(held > step.k),
            0x35 => at += jump(held >= step.k),
            0x06 => return step.k,
            other => panic!("the filter has an instruction {other:#x}"),
        }
    }
}

/// A word of the kernel's `struct seccomp_data`.
fn loaded(offset: u32, call: i64, arguments: &[u64]) -> u32 {
    let machine = if cfg!(target_arch = "x86_64") { 0xc000_003e } else { 0xc000_00b7 };
    let half = |number: u64, is_upper: bool| u32::try_from(if is_upper { number >> 32 } else { number & 0xffff_ffff });
    match offset {
        0 => u32::try_from(call).unwrap(),
        4 => machine,
        _ => {
            let argument = usize::try_from((offset - 16) / 8).unwrap();
            half(arguments.get(argument).copied().unwrap_or_default(), offset % 8 == 4).unwrap()
        }
    }
}

/// The calls of the tables: whatever their arguments, by them, and never.
fn tables() -> [BTreeSet<i64>; 3] {
    let always = ALLOWED.iter().chain(ALLOWED_HERE).flat_map(|(_, calls)| *calls).copied();
    [always.collect(), by_arguments().map(|(_, call, _)| *call).collect(), REFUSED.iter().copied().collect()]
}

#[test]
fn what_is_in_no_table_is_unknown_and_all_else_is_known() {
    let [always, by_arguments, never] = tables();
    assert!(always.is_disjoint(&never) && by_arguments.is_disjoint(&never));
    for profile in PROFILES {
        for surroundings in [WIDE, NARROW] {
            let filters = Filters::of(profile, surroundings);
            for call in 0..=1000 {
                let is_known = [&always, &by_arguments, &never].iter().any(|table| table.contains(&call));
                let answer = filters.answer(call, &[]);
                assert_eq!(answer != Unknown, is_known, "{call} for {profile:?}: {answer:?}");
                assert!(!never.contains(&call) || answer == Refused, "{call}");
                assert!(surroundings == NARROW || !always.contains(&call) || answer == Allowed, "{call}");
                // The second numbers by which some kernels take the same calls.
                assert_eq!(filters.answer(0x4000_0000 | call, &[]), Unknown, "{call}");
            }
        }
    }
}

#[test]
fn a_class_that_is_not_given_is_refused() {
    for profile in PROFILES {
        let filters = Filters::of(profile, NARROW);
        for (class, calls) in ALLOWED.iter().chain(ALLOWED_HERE) {
            let expected = if matches!(class, Class::Modes | Class::Tcp) { Refused } else { Allowed };
            for call in *calls {
                // With a path: without one, times are set by an open file.
                assert_eq!(filters.answer(*call, &[0, 1]), expected, "{call}");
            }
        }
        for call in [libc::SYS_fchmod, libc::SYS_fchmodat, SYS_FCHMODAT2, libc::SYS_socket] {
            assert_eq!(filters.answer(call, &[2, 1, 0]), Refused, "{call}");
        }
        assert_eq!(filters.answer(libc::SYS_utimensat, &[3, 0]), Allowed);
    }
}

const fn number(number: c_int) -> u64 {
    number.cast_unsigned() as u64
}

/// A call with arguments, and what it gets.
type Judged = (c_long, Vec<u64>, Answer);

/// Calls that take a mode, with and without the set-id bits.
fn of_modes() -> Vec<Judged> {
    let set_id = [(0o644, Allowed), (0o1777, Allowed), (0o4755, Refused), (0o2755, Refused), (0o6000, Refused)];
    let mut calls = Vec::new();
    for (mode, answer) in set_id {
        for (call, place) in
            [(libc::SYS_fchmod, 1), (libc::SYS_fchmodat, 2), (SYS_FCHMODAT2, 2), (libc::SYS_mkdirat, 2)]
        {
            calls.push((call, [vec![0; place], vec![mode]].concat(), answer));
        }
        let mut opened = |flags: c_int, answer| calls.push((libc::SYS_openat, vec![0, 0, number(flags), mode], answer));
        opened(libc::O_RDWR, Allowed);
        opened(libc::O_DIRECTORY, Allowed);
        opened(libc::O_CREAT | libc::O_WRONLY, answer);
        opened(libc::O_TMPFILE | libc::O_RDWR, answer);
        for kind in [0, libc::S_IFREG, libc::S_IFIFO] {
            calls.push((libc::SYS_mknodat, vec![0, 0, u64::from(kind) | mode], answer));
        }
        for kind in [libc::S_IFCHR, libc::S_IFBLK, libc::S_IFSOCK] {
            calls.push((libc::SYS_mknodat, vec![0, 0, u64::from(kind) | mode], Refused));
        }
    }
    // Only the lower half of a number counts for the kernel.
    calls.push((libc::SYS_fchmod, vec![0, 1 << 32 | 0o4755], Refused));
    calls
}

/// Sockets and pairs of every family, kind and protocol.
fn of_sockets() -> Vec<Judged> {
    let (unix, ip, ip6) = (number(libc::AF_UNIX), number(libc::AF_INET), number(libc::AF_INET6));
    let flags = number(libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK);
    let mut calls = Vec::new();
    for kind in 0..=15 {
        let is_tied = [libc::SOCK_STREAM, libc::SOCK_SEQPACKET].map(number).contains(&kind);
        let pair = if is_tied { Allowed } else { Refused };
        let socket = if kind == number(libc::SOCK_STREAM) { Allowed } else { Refused };
        for kind in [kind, kind | flags] {
            calls.push((libc::SYS_socketpair, vec![unix, kind, 0], pair));
            calls.push((libc::SYS_socketpair, vec![ip, kind, 0], Refused));
            for family in 0..50 {
                let answer = if family == ip || family == ip6 { socket } else { Refused };
                calls.push((libc::SYS_socket, vec![family, kind, 0], answer));
                calls.push((libc::SYS_socket, vec![family, kind, 6], answer));
                calls.push((libc::SYS_socket, vec![family, kind, 262], Refused));
            }
        }
    }
    calls.push((libc::SYS_socketpair, vec![1 << 32 | unix, 1 << 32 | number(libc::SOCK_DGRAM), 0], Refused));
    calls.push((libc::SYS_sendto, vec![3, 0x7fff_0000, 1, 0, 0, 0], Allowed));
    calls.push((libc::SYS_sendto, vec![3, 0x7fff_0000, 1, 0, 0x7fff_0000_0000, 16], Refused));
    calls.push((libc::SYS_sendto, vec![3, 0x7fff_0000, 1, 0, 1, 16], Refused));
    calls
}

/// Calls on processes: the caller's own, and another.
fn of_processes() -> Vec<Judged> {
    let mut calls = vec![(libc::SYS_clone, vec![0x003d_0f00], Allowed)];
    for name_space in [0x1000_0000, 0x2_0000, 0x2000_0000, 0x4000_0000, 0x800_0000, 0x400_0000, 0x200_0000] {
        calls.push((libc::SYS_clone, vec![name_space | 17], Refused));
        calls.push((libc::SYS_clone, vec![1 << 32 | name_space], Refused));
    }
    for call in [
        libc::SYS_prlimit64,
        libc::SYS_sched_setaffinity,
        libc::SYS_sched_setattr,
        libc::SYS_sched_setparam,
        libc::SYS_sched_setscheduler,
    ] {
        calls.push((call, vec![0, 7], Allowed));
        calls.push((call, vec![7, 0], Refused));
    }
    for (call, first) in [(libc::SYS_setpriority, 0), (libc::SYS_ioprio_set, 1)] {
        for kind in 0..3 {
            let answer = if kind < 2 { Allowed } else { Refused };
            calls.push((call, vec![first + kind, 0, 5], answer));
            calls.push((call, vec![first + kind, 7, 5], Refused));
        }
    }
    calls
}

/// Calls whose argument is one of many commands.
fn of_commands() -> Vec<Judged> {
    let requests = [(0x5401, Allowed), (0x5421, Allowed), (0x5412, Refused), (0x541c, Refused), (0x4008_6602, Refused)];
    let requests = requests.map(|(request, answer)| (libc::SYS_ioctl, vec![0, request], answer));
    let commands = [
        (libc::F_DUPFD_CLOEXEC, Allowed),
        (libc::F_SETLK, Allowed),
        (libc::F_SETOWN, Refused),
        (libc::F_SETLEASE, Refused),
        (libc::F_NOTIFY, Refused),
    ];
    let commands = commands.map(|(command, answer)| (libc::SYS_fcntl, vec![0, number(command)], answer));
    let options = [(libc::PR_SET_NAME, Allowed), (libc::PR_SET_PTRACER, Refused), (libc::PR_SET_MM, Refused)];
    let options = options.map(|(option, answer)| (libc::SYS_prctl, vec![number(option)], answer));
    requests.into_iter().chain(commands).chain(options).collect()
}

#[test]
fn arguments_decide_where_a_call_has_two_sides() {
    let filters = Filters::of(Profile::Script, WIDE);
    for (call, arguments, expected) in [of_modes(), of_sockets(), of_processes(), of_commands()].concat() {
        assert_eq!(filters.answer(call, &arguments), expected, "{call} {arguments:x?}");
    }
}

/// What leads around the rest: later calls, arguments that lie in memory, and data that no limit counts.
#[test]
fn calls_that_lead_around_the_rest_are_unknown() {
    let filters = Filters::of(Profile::Program, WIDE);
    for call in [
        libc::SYS_clone3,
        libc::SYS_openat2,
        libc::SYS_memfd_create,
        libc::SYS_io_uring_setup,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
        libc::SYS_mq_open,
        libc::SYS_mq_unlink,
        libc::SYS_shmget,
        libc::SYS_msgget,
        libc::SYS_semget,
        libc::SYS_add_key,
        libc::SYS_keyctl,
        libc::SYS_bpf,
        libc::SYS_perf_event_open,
        libc::SYS_userfaultfd,
        libc::SYS_open_by_handle_at,
        libc::SYS_process_vm_readv,
        libc::SYS_pidfd_getfd,
        libc::SYS_inotify_init1,
        libc::SYS_fanotify_init,
        libc::SYS_open_tree,
        libc::SYS_mount_setattr,
        // `memfd_secret`, `setxattrat`, `open_tree_attr`, `file_setattr`, and what follows.
        447,
        463,
        467,
        469,
        470,
        600,
    ] {
        assert_eq!(filters.answer(call, &[]), Unknown, "{call}");
    }
}
