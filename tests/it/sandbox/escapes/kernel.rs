//! Ways around by the kernel: name spaces, rings of calls, its keys and memory, the file system and the machine as a whole.

use super::super::{Held, text};
use super::{Attempt, Cell, assert_held, attempt};
use crate::support::users::User;

pub(super) fn attempts(cell: &Cell) -> Vec<Attempt> {
    let own = cell.path("own").display().to_string();
    vec![
        attempt("a new user name space", "checked(libc.unshare(0x10000000))"),
        attempt("one by clone3", "b = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, 17)\npid = call(435, b, 88)\nif pid == 0: os._exit(0)\nos.waitpid(pid, 0)"),
        attempt("one by clone", "pid = call(56, 0x10000000 | 17, 0, 0, 0, 0)\nif pid == 0: os._exit(0)\nos.waitpid(pid, 0)"),
        attempt("a name space of mounts", "checked(libc.unshare(0x20000))").of_the_superuser(),
        attempt("a ring of calls", "b = ctypes.create_string_buffer(120)\nos.close(call(425, 8, b))").somewhere(),
        attempt("a session's keys", "call(250, 0, -3, 1)"),
        attempt("a handle of a file", "b = ctypes.create_string_buffer(200)\nb[0] = 128\nm = ctypes.c_int()\ncall(303, -100, b'/', b, ctypes.byref(m), 0)"),
        attempt("a file by a call that no filter judges", "how = (ctypes.c_uint64 * 3)()\nos.close(call(437, -100, b'.', how, 24))"),
        attempt("memory as a file", "os.close(os.memfd_create('rye'))"),
        attempt("memory that the kernel hides", "os.close(call(447, 0))").somewhere(),
        attempt("a queue of messages", "n = f'rye-{os.getpid()}'.encode(); os.close(call(240, n, 0o102, 0o600, None)); call(241, n)").somewhere(),
        attempt("a copy of the mounts", "os.close(call(467, -100, b'/', 1, None, 0))").somewhere(),
        attempt("memory that answers itself", "os.close(call(323, 1))"),
        attempt("shared memory of System V", "i = libc.shmget(0, 4096, 0o1600)\nchecked(i)\nchecked(libc.shmctl(i, 0, None))"),
        attempt("its messages", "i = libc.msgget(0, 0o1600)\nchecked(i)\nchecked(libc.msgctl(i, 0, None))"),
        attempt("its locks", "i = libc.semget(0, 1, 0o1600)\nchecked(i)\nchecked(libc.semctl(i, 0, 0))"),
        attempt("a mount", format!("checked(libc.mount(b'none', b'{own}', b'tmpfs', 0, 0)); checked(libc.umount2(b'{own}', 2))")).of_the_superuser(),
        attempt("another root", "os.chroot('.')").of_the_superuser(),
        attempt("events of the processor", "reaches(298, 0, 0, 0, 0, 0)").somewhere(),
        attempt("a program in the kernel", "reaches(321, 0, 0, 0)").of_the_superuser(),
        attempt("watching the whole file system", "os.close(call(300, 0, 0))").of_the_superuser(),
        attempt("the clock", "call(164, 0, 0)").of_the_superuser(),
        attempt("the machine's name", "n = os.uname().nodename.encode(); call(170, n, len(n))").of_the_superuser(),
        attempt("new privileges", "if libc.prctl(39, 0, 0, 0, 0) == 1: raise OSError(1, 'Operation not permitted')"),
        attempt("a capability", "s = open('/proc/self/status').read()\nif all(int(s.split(n)[1].split()[0], 16) == 0 for n in ('CapEff:', 'CapPrm:', 'CapInh:', 'CapAmb:')): raise OSError(1, 'Operation not permitted')").of_the_superuser(),
    ]
}

#[test]
fn name_spaces_rings_and_other_ways_of_the_kernel_are_closed() {
    assert_held(attempts);
}

/// What a script may see at the top of `/proc`; links lead to the folder of whoever reads them.
const SEEN: &str = "cgroups|cpuinfo|filesystems|loadavg|meminfo|stat|swaps|sys|uptime|version";

/// The first process of the name space is Rye's: it is in the network of the machine, and names the paths of the sandbox.
#[test]
fn of_the_first_process_a_script_sees_nothing() {
    let script =
        "test $$ = 2 || exit 0; ls -A /proc/1; cat /proc/1/task/1/net/unix /proc/1/cmdline 2>/dev/null; echo end";
    for user in User::all() {
        let output = user.does(|| Cell::new().shell(script, Held::AsEverywhere));
        let seen = (output.exit_code, text(&output.stdout), text(&output.stderr));
        assert!(seen.1.is_empty() || seen.1 == "end\n", "{user:?}: {seen:?}");
        assert_eq!((seen.0, seen.2), (Some(0), String::new()), "{user:?}");
    }
}

#[test]
fn of_the_kernel_s_files_a_script_reads_those_of_the_table() {
    let script = format!(
        "for f in /proc/*; do
            case ${{f#/proc/}} in [0-9]*|{SEEN}) continue ;; esac
            test -h $f && continue
            if test -d $f; then ls -A $f; else timeout 2 head -c 100 $f; fi
        done
        tail -qn +2 /proc/net/tcp /proc/net/udp /proc/net/unix /proc/self/net/route; grep -e eth -e ens -e docker /proc/net/dev
        for f in cpuinfo meminfo stat version self/status sys/kernel/osrelease; do test -n \"$(head -c 9 /proc/$f)\" || echo no $f; done
        echo end"
    );
    for user in User::all() {
        let output = user.does(|| Cell::new().shell(&script, Held::AsEverywhere));
        assert_eq!((text(&output.stdout), text(&output.stderr)), ("end\n".to_owned(), String::new()), "{user:?}");
    }
}
