//! seccomp: calls by which a child would get around Landlock answer "operation not permitted".
//!
//! Landlock judges how files are opened, made, moved and removed. It does not judge who changes the mode, the owner or the
//! times of a file (mounts do, where they can), nor sockets other than TCP's, nor rings of calls that the kernel performs by itself.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter,
};

use super::super::error::Error;

/// Newer than the library that names the others; new calls have one number on every machine.
const SYS_SETXATTRAT: c_long = 463;
const SYS_REMOVEXATTRAT: c_long = 466;
const SYS_FILE_SETATTR: c_long = 469;

/// Answered with `EPERM`, whatever their arguments.
const DENIED: &[c_long] = &[
    // Files by their number.
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    // What happens in folders, also in those that may not be listed.
    libc::SYS_inotify_add_watch,
    // Other processes, their memory and descriptors.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    // Memory, messages and locks of System V, which have no file and outlive who made them.
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    // Calls that the kernel performs later, without this filter.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Name spaces, and the file system as a whole.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    // Keys that the kernel holds for the person's session.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // The kernel itself.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_fanotify_init,
    libc::SYS_vhangup,
];

/// Those that newer machines do not have.
#[cfg(target_arch = "x86_64")]
const DENIED_HERE: &[c_long] = &[libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_uselib, libc::SYS_modify_ldt];
#[cfg(not(target_arch = "x86_64"))]
const DENIED_HERE: &[c_long] = &[];

/// Changes of who may do what with a file, where Landlock does not ask. Denied unless mounts forbid them where they do harm.
const CHANGES: &[c_long] = &[
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    SYS_SETXATTRAT,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    SYS_REMOVEXATTRAT,
    SYS_FILE_SETATTR,
    // By an open file that may only be read, too.
    libc::SYS_fchmod,
    libc::SYS_fchown,
    libc::SYS_fsetxattr,
    libc::SYS_fremovexattr,
];

/// Their older forms.
#[cfg(target_arch = "x86_64")]
const CHANGES_HERE: &[c_long] =
    &[libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown, libc::SYS_utime, libc::SYS_utimes];
#[cfg(not(target_arch = "x86_64"))]
const CHANGES_HERE: &[c_long] = &[];

/// New name spaces by way of a new process.
const NAME_SPACES: u64 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP) as u64;

/// Calls whose first argument is a process, 0 for the caller.
const OF_A_PROCESS: &[c_long] = &[
    libc::SYS_prlimit64,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
];

/// Calls whose second argument is a process, 0 for the caller, unless the first says that it is a user, whose processes are
/// all meant.
const OF_A_KIND: &[(c_long, u64)] = &[(libc::SYS_setpriority, 2), (libc::SYS_ioprio_set, 3)];

pub(super) fn is_supported() -> Result<(), Error> {
    programs(false, false).map(drop)
}

/// `is_read_only` says that mounts keep the target from changing what it may not, `has_network` that it has a network of its own.
pub(super) fn restrict(is_read_only: bool, has_network: bool) -> Result<(), Error> {
    for program in programs(is_read_only, has_network)? {
        apply_filter(&program).map_err(|error| missing(&error))?;
    }
    Ok(())
}

/// Two filters, as one has one answer: not permitted; and no such call, after which the C library takes an older one whose
/// arguments can be judged.
fn programs(is_read_only: bool, has_network: bool) -> Result<[BpfProgram; 2], Error> {
    let mut denied: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for call in DENIED.iter().chain(DENIED_HERE) {
        denied.insert(*call, Vec::new());
    }
    // Pairs of sockets stay, as programs talk to those they start by them.
    denied.insert(libc::SYS_socket, if has_network { all_but_tcp()? } else { Vec::new() });
    for bit in (0..u64::BITS).map(|shift| 1 << shift).filter(|bit| NAME_SPACES & bit != 0) {
        let rule = rule(0, SeccompCmpOp::MaskedEq(bit), bit)?;
        denied.entry(libc::SYS_clone).or_default().push(rule);
    }
    if !is_read_only {
        denied.extend(CHANGES.iter().chain(CHANGES_HERE).map(|call| (*call, Vec::new())));
        // By an open file, without a path, times are the writer's to set.
        denied.insert(libc::SYS_utimensat, vec![pointer_given(1)?]);
        #[cfg(target_arch = "x86_64")]
        denied.insert(libc::SYS_futimesat, vec![pointer_given(1)?]);
    }
    // The limits, cores and priority of another process: with too little of them it ends, or cannot do its work.
    for call in OF_A_PROCESS {
        denied.insert(*call, vec![rule(0, SeccompCmpOp::Ne, 0)?]);
    }
    for (call, all_of_the_user) in OF_A_KIND {
        let others = [rule(0, SeccompCmpOp::Eq, *all_of_the_user)?, rule(1, SeccompCmpOp::Ne, 0)?];
        denied.insert(*call, others.into());
    }
    // Input on the person's terminal is theirs.
    let typed = [libc::TIOCSTI, libc::TIOCLINUX].map(|request| rule(1, SeccompCmpOp::Eq, request));
    denied.insert(libc::SYS_ioctl, typed.into_iter().collect::<Result<_, _>>()?);
    let absent = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    let (eperm, enosys) = (libc::EPERM.unsigned_abs(), libc::ENOSYS.unsigned_abs());
    Ok([program(with_x32(denied), eperm)?, program(with_x32(absent), enosys)?])
}

/// Sockets of every other family, kind and protocol than TCP over IP.
fn all_but_tcp() -> Result<Vec<SeccompRule>, Error> {
    /// The bits of a kind; others are flags.
    const KIND: u64 = 0xf;
    let [ip, ip6, stream, tcp] = [libc::AF_INET, libc::AF_INET6, libc::SOCK_STREAM, libc::IPPROTO_TCP]
        .map(|number| u64::from(number.unsigned_abs()));
    let is_not = |argument, value| condition_of(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value);
    let family = rule_of(vec![is_not(0, ip)?, is_not(0, ip6)?])?;
    let protocol = rule_of(vec![is_not(2, 0)?, is_not(2, tcp)?])?;
    let kinds = (0..=KIND).filter(|kind| *kind != stream).map(|kind| rule(1, SeccompCmpOp::MaskedEq(KIND), kind));
    [Ok(family), Ok(protocol)].into_iter().chain(kinds).collect()
}

/// The second numbers by which some kernels take the same calls.
fn with_x32(mut rules: BTreeMap<i64, Vec<SeccompRule>>) -> BTreeMap<i64, Vec<SeccompRule>> {
    const X32: i64 = 0x4000_0000;
    if cfg!(target_arch = "x86_64") {
        let again: Vec<_> = rules.iter().map(|(call, rules)| (call | X32, rules.clone())).collect();
        rules.extend(again);
    }
    rules
}

/// One condition on the lower half of an argument: the kernel looks at no more of those that are judged.
fn rule(argument: u8, is: SeccompCmpOp, value: u64) -> Result<SeccompRule, Error> {
    condition(argument, SeccompCmpArgLen::Dword, is, value)
}

/// The condition that an argument points to something.
fn pointer_given(argument: u8) -> Result<SeccompRule, Error> {
    condition(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)
}

fn condition(argument: u8, length: SeccompCmpArgLen, is: SeccompCmpOp, value: u64) -> Result<SeccompRule, Error> {
    rule_of(vec![condition_of(argument, length, is, value)?])
}

fn condition_of(
    argument: u8,
    length: SeccompCmpArgLen,
    is: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, Error> {
    SeccompCondition::new(argument, length, is, value).map_err(|error| missing(&error))
}

/// A rule that holds where all its conditions do.
fn rule_of(conditions: Vec<SeccompCondition>) -> Result<SeccompRule, Error> {
    SeccompRule::new(conditions).map_err(|error| missing(&error))
}

fn program(rules: BTreeMap<i64, Vec<SeccompRule>>, code: u32) -> Result<BpfProgram, Error> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(|error| missing(&error))?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(code), arch);
    filter.and_then(BpfProgram::try_from).map_err(|error| missing(&error))
}

fn missing(error: &dyn std::error::Error) -> Error {
    Error::NoSandbox { reason: format!("seccomp: {error}") }
}
