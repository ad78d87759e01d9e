//! Calls that are allowed by their arguments. With others they answer "operation not permitted".
//!
//! A filter sees numbers, not what a pointer leads to: a call whose arguments lie in memory (`clone3`, `openat2`) is in no table.

use libc::{c_int, c_long};
use seccompiler::{BackendError, SeccompCmpArgLen as Length, SeccompCmpOp as Op, SeccompCondition, SeccompRule};

use super::super::profile::Class;
use super::calls::SYS_FCHMODAT2;

/// What the arguments of a call must be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Arguments {
    /// All conditions of one of the lists hold.
    Any(&'static [&'static [Condition]]),
    /// The argument is one of these numbers.
    OneOf(u8, &'static [u64]),
}

/// What one argument must be, counted from 0. The kernel looks at no more than the lower half of the numbers judged here.
#[derive(Debug, Clone, Copy)]
pub(super) enum Condition {
    /// This number.
    Is(u8, u64),
    /// These of its bits (first) are so (second).
    Bits(u8, u64, u64),
    /// None of these bits.
    Lacks(u8, u64),
    /// A pointer to nothing.
    Null(u8),
}

use Arguments::{Any, OneOf};
use Condition::{Bits, Is, Lacks, Null};

const fn bits(number: c_int) -> u64 {
    number.cast_unsigned() as u64
}

/// The set-user-id and the set-group-id bit: who runs such a file outside of the sandbox does so as its owner.
const SET_ID: u64 = 0o6000;
/// The kind of a file, in a mode, with the bits above.
const KIND: u64 = libc::S_IFMT as u64 | SET_ID;
/// An open that makes a file takes a mode; without these flags it is not looked at.
const MAKES: u64 = bits(libc::O_CREAT | (libc::O_TMPFILE & !libc::O_DIRECTORY));

/// New name spaces by way of a new process.
const NAME_SPACES: u64 = bits(
    libc::CLONE_NEWUSER
        | libc::CLONE_NEWNS
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWNET
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUTS
        | libc::CLONE_NEWCGROUP,
);

/// The bits of a socket's kind; others are flags.
const SOCKET: u64 = 0xf;
const UNIX: Condition = Is(0, bits(libc::AF_UNIX));
const STREAM: Condition = Bits(1, SOCKET, bits(libc::SOCK_STREAM));
const PACKETS: Condition = Bits(1, SOCKET, bits(libc::SOCK_SEQPACKET));
const IP: Condition = Is(0, bits(libc::AF_INET));
const IP6: Condition = Is(0, bits(libc::AF_INET6));
const USUAL: Condition = Is(2, 0);
const TCP: Condition = Is(2, bits(libc::IPPROTO_TCP));

/// The caller itself, where a number names a process.
const SELF: Arguments = Any(&[&[Is(0, 0)]]);

/// A regular file or a pipe, and no device: one of the number 0 needs no right.
const fn made(mode: u8) -> [[Condition; 1]; 3] {
    [[Bits(mode, KIND, 0)], [Bits(mode, KIND, libc::S_IFREG as u64)], [Bits(mode, KIND, libc::S_IFIFO as u64)]]
}
const MADE_AT: [[Condition; 1]; 3] = made(2);

/// The calls that every machine has.
const ON_EVERY: &[(Class, c_long, Arguments)] = &[
    (Class::Files, libc::SYS_openat, Any(&[&[Lacks(2, MAKES)], &[Lacks(3, SET_ID)]])),
    (Class::Files, libc::SYS_mkdirat, Any(&[&[Lacks(2, SET_ID)]])),
    (Class::Files, libc::SYS_mknodat, Any(&[&MADE_AT[0], &MADE_AT[1], &MADE_AT[2]])),
    // By an open file, without a path, times are the writer's to set.
    (Class::Files, libc::SYS_utimensat, Any(&[&[Null(1)]])),
    (Class::Files, libc::SYS_fcntl, OneOf(1, FCNTL)),
    (Class::Files, libc::SYS_ioctl, OneOf(1, IOCTL)),
    (Class::Modes, libc::SYS_fchmod, Any(&[&[Lacks(1, SET_ID)]])),
    (Class::Modes, libc::SYS_fchmodat, Any(&[&[Lacks(2, SET_ID)]])),
    (Class::Modes, SYS_FCHMODAT2, Any(&[&[Lacks(2, SET_ID)]])),
    (Class::Processes, libc::SYS_clone, Any(&[&[Lacks(0, NAME_SPACES)]])),
    (Class::Processes, libc::SYS_prctl, OneOf(0, PRCTL)),
    (Class::Processes, libc::SYS_personality, OneOf(0, PERSONALITY)),
    // The limits, cores and priority of another process: with too little of them it ends, or cannot do its work.
    (Class::Processes, libc::SYS_prlimit64, SELF),
    (Class::Processes, libc::SYS_sched_setaffinity, SELF),
    (Class::Processes, libc::SYS_sched_setattr, SELF),
    (Class::Processes, libc::SYS_sched_setparam, SELF),
    (Class::Processes, libc::SYS_sched_setscheduler, SELF),
    // Of a process or its group, and not of a user, whose processes are all meant.
    (Class::Processes, libc::SYS_setpriority, Any(&[&[Is(0, 0), Is(1, 0)], &[Is(0, 1), Is(1, 0)]])),
    (Class::Processes, libc::SYS_ioprio_set, Any(&[&[Is(0, 1), Is(1, 0)], &[Is(0, 2), Is(1, 0)]])),
    // A pair of datagrams sends to every socket that it knows the path of; a stream and packets only to their other end.
    (Class::Pairs, libc::SYS_socketpair, Any(&[&[UNIX, STREAM], &[UNIX, PACKETS]])),
    // `send`; an address would open a connection.
    (Class::Pairs, libc::SYS_sendto, Any(&[&[Null(4)]])),
    (
        Class::Tcp,
        libc::SYS_socket,
        Any(&[&[IP, STREAM, USUAL], &[IP, STREAM, TCP], &[IP6, STREAM, USUAL], &[IP6, STREAM, TCP]]),
    ),
];

/// Copies, states and locks of a descriptor. Not who gets its signals (`F_SETOWN`, `F_SETSIG`), not leases, which hold up who
/// opens a file, nor notices of a folder.
const FCNTL: &[u64] = &[
    bits(libc::F_DUPFD),
    bits(libc::F_DUPFD_CLOEXEC),
    bits(libc::F_GETFD),
    bits(libc::F_SETFD),
    bits(libc::F_GETFL),
    bits(libc::F_SETFL),
    bits(libc::F_GETLK),
    bits(libc::F_SETLK),
    bits(libc::F_SETLKW),
    bits(libc::F_OFD_GETLK),
    bits(libc::F_OFD_SETLK),
    bits(libc::F_OFD_SETLKW),
    bits(libc::F_GETPIPE_SZ),
    bits(libc::F_SETPIPE_SZ),
    bits(libc::F_GET_SEALS),
    // `F_DUPFD_QUERY`, and hints of how long data lives, to be asked.
    1027,
    1035,
    1037,
];

/// What a terminal is like, what waits to be read, copies without data. Not typing on a terminal, and nothing that changes
/// a file by a descriptor which may only read it: flags, versions, seals, snapshots.
const IOCTL: &[u64] = &[
    // TCGETS, TCSETS, TCSETSW, TCSETSF, TCGETA, TIOCGPGRP, TIOCSPGRP, TIOCOUTQ, TIOCGWINSZ, TIOCGSID, TCGETS2.
    0x5401,
    0x5402,
    0x5403,
    0x5404,
    0x5405,
    0x540f,
    0x5410,
    0x5411,
    0x5413,
    0x5429,
    0x802c_542a,
    // FIONREAD, FIONBIO, FIONCLEX, FIOCLEX, FIOASYNC, FIOQSIZE.
    0x541b,
    0x5421,
    0x5450,
    0x5451,
    0x5452,
    0x5460,
    // FICLONE, FICLONERANGE, FS_IOC_FIEMAP, FIGETBSZ, FS_IOC_GETFLAGS, FS_IOC_FSGETXATTR.
    0x4004_9409,
    0x4020_940d,
    0xc020_660b,
    0x2,
    0x8008_6601,
    0x801c_581f,
];

/// Settings of the caller. Not who may trace it, nor those of other processes.
const PRCTL: &[u64] = &[
    bits(libc::PR_SET_NAME),
    bits(libc::PR_GET_NAME),
    bits(libc::PR_SET_PDEATHSIG),
    bits(libc::PR_GET_PDEATHSIG),
    bits(libc::PR_SET_DUMPABLE),
    bits(libc::PR_GET_DUMPABLE),
    bits(libc::PR_SET_CHILD_SUBREAPER),
    bits(libc::PR_GET_CHILD_SUBREAPER),
    bits(libc::PR_SET_NO_NEW_PRIVS),
    bits(libc::PR_GET_NO_NEW_PRIVS),
    bits(libc::PR_SET_SECCOMP),
    bits(libc::PR_GET_SECCOMP),
    bits(libc::PR_CAPBSET_READ),
    bits(libc::PR_CAPBSET_DROP),
    bits(libc::PR_CAP_AMBIENT),
    bits(libc::PR_GET_SECUREBITS),
    bits(libc::PR_SET_KEEPCAPS),
    bits(libc::PR_GET_KEEPCAPS),
    bits(libc::PR_SET_TIMERSLACK),
    bits(libc::PR_GET_TIMERSLACK),
    bits(libc::PR_SET_THP_DISABLE),
    bits(libc::PR_GET_THP_DISABLE),
    bits(libc::PR_GET_TID_ADDRESS),
    // PR_GET_SPECULATION_CTRL.
    52,
    // PR_SVE_SET_VL, PR_SVE_GET_VL, PR_PAC_RESET_KEYS, PR_SET_TAGGED_ADDR_CTRL, PR_GET_TAGGED_ADDR_CTRL: the C library of
    // aarch64, at its start.
    50,
    51,
    54,
    55,
    56,
    // PR_SET_VMA and PR_GET_AUXV: names of memory, and what the program was started with.
    0x5356_4d41,
    0x4155_5856,
];

/// Asking for it, the usual one, and addresses that are not random.
const PERSONALITY: &[u64] = &[0xffff_ffff, 0, bits(libc::ADDR_NO_RANDOMIZE)];

/// Older forms of the same calls.
#[cfg(target_arch = "x86_64")]
mod here {
    use super::{Any, Arguments, Class, Condition, Lacks, MAKES, Null, SET_ID, c_long, made};

    const MADE: [[Condition; 1]; 3] = made(1);

    pub(super) const ON_THIS: &[(Class, c_long, Arguments)] = &[
        (Class::Files, libc::SYS_open, Any(&[&[Lacks(1, MAKES)], &[Lacks(2, SET_ID)]])),
        (Class::Files, libc::SYS_creat, Any(&[&[Lacks(1, SET_ID)]])),
        (Class::Files, libc::SYS_mkdir, Any(&[&[Lacks(1, SET_ID)]])),
        (Class::Files, libc::SYS_mknod, Any(&[&MADE[0], &MADE[1], &MADE[2]])),
        (Class::Files, libc::SYS_futimesat, Any(&[&[Null(1)]])),
        (Class::Modes, libc::SYS_chmod, Any(&[&[Lacks(1, SET_ID)]])),
    ];
}

#[cfg(not(target_arch = "x86_64"))]
mod here {
    use super::{Arguments, Class, c_long};

    pub(super) const ON_THIS: &[(Class, c_long, Arguments)] = &[];
}

/// Both tables.
pub(super) fn by_arguments() -> impl Iterator<Item = &'static (Class, c_long, Arguments)> {
    ON_EVERY.iter().chain(here::ON_THIS)
}

/// The rules of a filter: one of them must hold, with all its conditions.
pub(super) fn rules(arguments: &Arguments) -> Result<Vec<SeccompRule>, BackendError> {
    match arguments {
        Any(lists) => lists.iter().map(|list| rule(list)).collect(),
        OneOf(argument, numbers) => numbers.iter().map(|number| rule(&[Is(*argument, *number)])).collect(),
    }
}

fn rule(conditions: &[Condition]) -> Result<SeccompRule, BackendError> {
    let conditions: Result<Vec<_>, _> = conditions.iter().map(|condition| condition.compiled()).collect();
    conditions.and_then(SeccompRule::new)
}

impl Condition {
    fn compiled(self) -> Result<SeccompCondition, BackendError> {
        match self {
            Is(argument, number) => SeccompCondition::new(argument, Length::Dword, Op::Eq, number),
            Bits(argument, mask, number) => SeccompCondition::new(argument, Length::Dword, Op::MaskedEq(mask), number),
            Lacks(argument, mask) => SeccompCondition::new(argument, Length::Dword, Op::MaskedEq(mask), 0),
            Null(argument) => SeccompCondition::new(argument, Length::Qword, Op::Eq, 0),
        }
    }
}
