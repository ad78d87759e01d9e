//! Attempts to get out. Each is refused in the sandbox, and the same works without it: so it is the sandbox that refuses.

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};

use rye::process::find_program;

use super::{Cell, HELD, Held, PATH, text};

/// What an attempt prints if it succeeds. A refusal of the kernel makes Python end with an error.
const OUT: &str = "out";

/// Defines `call(NUMBER, …)`, which performs a call of the kernel and raises what it answers.
const CALL: &str = "import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def checked(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
def call(*args):
    return checked(libc.syscall(*args))
";

/// Runs attempts in Python: each with what it is called, and its program.
fn assert_held(cell: &Cell, attempts: &[(&str, String)]) {
    let Ok(python) = find_program("python3", PATH, None) else {
        assert!(std::env::var_os("CI").is_none(), "python3 is missing");
        return;
    };
    for (what, program) in attempts {
        let program = format!("{CALL}{program}\nprint('{OUT}')\n");
        for held in HELD.into_iter().chain([Held::Free]) {
            let output = cell.run(&python, &["-"], &program, held);
            let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
            let is_out = stdout.contains(OUT);
            assert_eq!(is_out, held == Held::Free, "{what}, {held:?}: {stdout}{stderr}");
            let is_refused =
                ["Permission denied", "not permitted", "not implemented", "cross-device link", "Read-only file system"]
                    .iter()
                    .any(|word| stderr.contains(word));
            assert!(is_out || is_refused, "{what}: {stderr}");
        }
    }
}

#[test]
fn files_outside_are_neither_read_nor_changed() {
    let cell = Cell::new();
    let (outside, read, own) = (cell.path("outside"), cell.path("read"), cell.path("own"));
    std::os::unix::fs::symlink(&outside, own.join("led")).unwrap();
    std::os::unix::fs::symlink(outside.join("file"), own.join("led-file")).unwrap();
    let (outside, read, own) = (outside.display(), read.display(), own.display());
    let attempts = [
        ("read outside", format!("open('{outside}/file').read()")),
        ("read by ..", "open('../outside/file').read()".to_owned()),
        ("read through a link", "open('led/file').read()".to_owned()),
        ("read through a link to a file", "open('led-file').read()".to_owned()),
        ("read through /proc", format!("open('/proc/self/root{outside}/file').read()")),
        ("list outside", format!("os.listdir('{outside}')")),
        ("write outside", format!("open('{outside}/a', 'w')")),
        ("append outside", format!("open('{outside}/file', 'a')")),
        ("cut short outside", format!("os.truncate('{outside}/file', 3)")),
        (
            "remove outside",
            format!("open('{own}/t', 'w'); os.rename('{own}/t', '{outside}/t'); os.unlink('{outside}/t')"),
        ),
        ("make a folder outside", format!("os.mkdir('{outside}/d'); os.rmdir('{outside}/d')")),
        ("make a link outside", format!("os.symlink('x', '{outside}/l'); os.unlink('{outside}/l')")),
        ("make a pipe outside", format!("os.mkfifo('{outside}/p'); os.unlink('{outside}/p')")),
        ("write what may be read", format!("open('{read}/file', 'a')")),
        ("make what may be read", format!("open('{read}/made', 'w')")),
        ("take what may be read", format!("os.link('{read}/file', '{own}/taken'); os.unlink('{own}/taken')")),
        ("link what may not be read", format!("os.link('{outside}/file', '{own}/taken'); os.unlink('{own}/taken')")),
        ("move what may be read", format!("os.rename('{read}/made', '{own}/made')")),
        (
            "run from outside",
            format!(
                "import shutil, subprocess; p = '{outside}/run'\nif not os.path.exists(p): shutil.copy('/bin/true', p)\nsubprocess.check_call([p])"
            ),
        ),
        ("write to the system", "open('/usr/rye-test', 'w').close(); os.unlink('/usr/rye-test')".to_owned()),
        (
            "write to /tmp",
            "import uuid; p = '/tmp/' + str(uuid.uuid4()); open(p, 'w').close(); os.unlink(p)".to_owned(),
        ),
    ];
    // The system is the superuser's to write.
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    let attempts: Vec<_> = attempts.into_iter().filter(|(what, _)| is_root || *what != "write to the system").collect();
    assert_held(&cell, &attempts);
    assert_eq!(fs::read_to_string(cell.path("read/file")).unwrap(), "read");
}

#[test]
fn modes_owners_and_times_of_files_are_not_changed_by_path() {
    let cell = Cell::new();
    let outside = cell.path("outside/file").display().to_string();
    let read = cell.path("read/file").display().to_string();
    let attempts: Vec<_> = [&outside, &read]
        .into_iter()
        .flat_map(|path| {
            [
                ("chmod", format!("os.chmod('{path}', 0o600)")),
                ("chown", format!("os.chown('{path}', os.getuid(), os.getgid())")),
                ("lchown", format!("os.lchown('{path}', os.getuid(), os.getgid())")),
                ("utime", format!("os.utime('{path}', (1, 1))")),
                ("utimes of a folder", format!("os.utime(os.path.dirname('{path}'), (1, 1))")),
                ("fchmod", format!("os.fchmod(os.open('{path}', os.O_RDONLY), 0o600)")),
                ("setxattr", format!("os.setxattr('{path}', 'user.rye', b'x')")),
                ("fchmodat2", format!("call(452, -100, b'{path}', 0o600, 0)")),
            ]
        })
        .collect();
    assert_held(&cell, &attempts);
}

#[test]
fn nothing_is_connected_to() {
    let cell = Cell::new();
    let (tcp, udp) = (TcpListener::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
    let (tcp_port, udp_port) = (tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port());
    let path = cell.path("own/socket");
    let (_unix, path) = (UnixListener::bind(&path).unwrap(), path.display().to_string());
    let name = format!("rye-test-{}", std::process::id());
    let _abstract = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    let attempts = [
        ("tcp", format!("import socket; socket.create_connection(('127.0.0.1', {tcp_port}))")),
        (
            "udp",
            format!(
                "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {udp_port}))"
            ),
        ),
        ("a server", "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()".to_owned()),
        ("a socket by path", format!("import socket; socket.socket(socket.AF_UNIX).connect('{path}')")),
        ("an abstract socket", format!("import socket; socket.socket(socket.AF_UNIX).connect('\\0{name}')")),
        ("netlink", "import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)".to_owned()),
        ("a socket by its number", "call(41, 1, 1, 0)".to_owned()),
    ];
    assert_held(&cell, &attempts);
    // A pair of sockets leads nowhere.
    let python = find_program("python3", PATH, None).unwrap();
    let pair = "import socket; a, b = socket.socketpair(); a.send(b'pair'); print(b.recv(9).decode())";
    assert_eq!(text(&cell.run(&python, &["-"], pair, Held::AsEverywhere).stdout), "pair\n");
}

#[test]
fn other_processes_are_left_alone() {
    let cell = Cell::new();
    // A process of this test, which a child may trace or read where nothing forbids it.
    let mut other = std::process::Command::new("sleep").arg("600").spawn().unwrap();
    let pid = other.id();
    let attempts = [
        ("a signal", format!("os.kill({pid}, 0)")),
        ("a signal to the parent", "os.kill(os.getppid(), 0)".to_owned()),
        ("the environment of another process", format!("open('/proc/{pid}/environ').read()")),
        ("its files", format!("os.listdir('/proc/{pid}/cwd/')")),
        ("its limits", format!("import resource\nresource.prlimit({pid}, resource.RLIMIT_CORE, (0, 0))")),
        ("its cores", format!("os.sched_setaffinity({pid}, {{0}})")),
        ("its scheduling", format!("os.sched_setscheduler({pid}, os.SCHED_BATCH, os.sched_param(0))")),
        ("its priority", format!("os.setpriority(os.PRIO_PROCESS, {pid}, 19)")),
        ("the priority of all of the person's", "os.setpriority(os.PRIO_USER, 0, 19)".to_owned()),
        ("the parent's limits", "import resource\nresource.prlimit(os.getppid(), resource.RLIMIT_CORE)".to_owned()),
        ("ptrace", format!("checked(libc.ptrace(16, {pid}, 0, 0)); os.waitpid({pid}, 0x40000000); checked(libc.ptrace(17, {pid}, 0, 0))")),
        ("process_vm_readv", "b = ctypes.create_string_buffer(1)\nv = (ctypes.c_void_p * 2)(ctypes.addressof(b), 1)\none = ctypes.c_ulong(1)\nchecked(libc.process_vm_readv(os.getpid(), v, one, v, one, ctypes.c_ulong(0)))".to_owned()),
    ];
    let attempts: Vec<_> = attempts.into_iter().collect();
    assert_held(&cell, &attempts);
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn name_spaces_rings_and_other_ways_of_the_kernel_are_closed() {
    let cell = Cell::new();
    let attempts = [
        ("a new user name space", "checked(libc.unshare(0x10000000))".to_owned()),
        ("by clone3", "b = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, 17)\npid = call(435, b, 88)\nif pid == 0: os._exit(0)\nos.waitpid(pid, 0)".to_owned()),
        ("by clone", "pid = call(56, 0x10000000 | 17, 0, 0, 0, 0)\nif pid == 0: os._exit(0)\nos.waitpid(pid, 0)".to_owned()),
        ("a session's keys", "call(250, 0, -3, 1)".to_owned()),
        ("a handle of a file", "b = ctypes.create_string_buffer(200)\nb[0] = 128\nm = ctypes.c_int()\ncall(303, -100, b'/', b, ctypes.byref(m), 0)".to_owned()),
        ("memory that answers itself", "os.close(call(323, 1))".to_owned()),
        ("shared memory of System V", "i = libc.shmget(0, 4096, 0o1600)\nchecked(i)\nchecked(libc.shmctl(i, 0, None))".to_owned()),
        ("its messages", "i = libc.msgget(0, 0o1600)\nchecked(i)\nchecked(libc.msgctl(i, 0, None))".to_owned()),
        ("its locks", "i = libc.semget(0, 1, 0o1600)\nchecked(i)\nchecked(libc.semctl(i, 0, 0))".to_owned()),
    ];
    assert_held(&cell, &attempts);
}
