//! Other processes: signalled, traced, read, changed, and typed to.

use super::{Attempt, assert_held, attempt};

/// Attempts on a process of the same user, and on the one that started the child.
pub(super) fn attempts(pid: u32) -> Vec<Attempt> {
    vec![
        attempt("a signal", format!("os.kill({pid}, 0)")),
        attempt("a signal to the parent", "os.kill(parent, 0)"),
        // The group 1 means all processes that one may signal, and is the parent's where it is the first of a name
        // space.
        attempt("a signal to the parent's group", "group = os.getpgid(parent)\nif group == 1: raise ProcessLookupError(3, 'No such process')\nos.killpg(group, 0)"),
        attempt("a signal by a descriptor", format!("import signal; signal.pidfd_send_signal(os.pidfd_open({pid}), 0)")),
        attempt("signals by an open file", format!("import fcntl\nr, w = os.pipe()\nfcntl.fcntl(r, 8, {pid})")),
        attempt("the environment of another process", format!("open('/proc/{pid}/environ').read()")),
        attempt("its folder", format!("os.listdir('/proc/{pid}/cwd/')")),
        attempt("its descriptors", format!("os.listdir('/proc/{pid}/fd'); os.readlink('/proc/{pid}/fd/0')")),
        attempt("its memory", format!("os.open('/proc/{pid}/mem', os.O_RDWR)")).of_the_superuser(),
        attempt("one of its descriptors", format!("call(438, os.pidfd_open({pid}), 0, 0)")).of_the_superuser(),
        attempt("its name space", format!("checked(libc.setns(os.open('/proc/{pid}/ns/net', os.O_RDONLY), 0))")).of_the_superuser(),
        attempt("its limits", format!("import resource\nresource.prlimit({pid}, resource.RLIMIT_CORE, (0, 0))")),
        attempt("its cores", format!("os.sched_setaffinity({pid}, {{0}})")),
        attempt("its scheduling", format!("os.sched_setscheduler({pid}, os.SCHED_BATCH, os.sched_param(0))")),
        attempt("its priority", format!("os.setpriority(os.PRIO_PROCESS, {pid}, 19)")),
        attempt("the priority of all of the person's", "os.setpriority(os.PRIO_USER, 0, 19)"),
        attempt("the parent's limits", "import resource\nresource.prlimit(parent, resource.RLIMIT_CORE)"),
        attempt("ptrace", format!("checked(libc.ptrace(16, {pid}, 0, 0)); os.waitpid({pid}, 0x40000000); checked(libc.ptrace(17, {pid}, 0, 0))")).of_the_superuser(),
        attempt("being traced", "checked(libc.ptrace(0, 0, 0, 0))"),
        attempt("process_vm_readv", "b = ctypes.create_string_buffer(1)\nv = (ctypes.c_void_p * 2)(ctypes.addressof(b), 1)\none = ctypes.c_ulong(1)\nchecked(libc.process_vm_readv(os.getpid(), v, one, v, one, ctypes.c_ulong(0)))"),
        attempt("typing on the terminal", typing("0x5412")),
        attempt("typing on the console", typing("0x541c")),
        attempt("a terminal of its own", "os.openpty()"),
    ]
}

/// The call arrives where the answer is that standard input is not a terminal.
fn typing(request: &str) -> String {
    format!(
        "import fcntl\ntry: fcntl.ioctl(0, {request}, b'x')\nexcept OSError as error:\n    if error.errno != 25: raise"
    )
}

#[test]
fn other_processes_are_left_alone() {
    let others = std::sync::Mutex::new(Vec::new());
    assert_held(|_| {
        // A process of the same user, which a child may trace or read where nothing forbids it.
        let other = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let attempts = attempts(other.id());
        others.lock().unwrap().push(other);
        attempts
    });
    for other in others.lock().unwrap().iter_mut() {
        other.kill().unwrap();
        other.wait().unwrap();
    }
}
