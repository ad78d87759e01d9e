//! Connections: of every family, by name, to the sockets of the person's own programs, and by the calls' other numbers.

use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};

use super::super::{Held, text};
use super::{Attempt, Cell, assert_held, attempt};

/// What listens, and would take whoever gets out.
pub(super) struct Doors {
    tcp: TcpListener,
    udp: UdpSocket,
    name: String,
    _agents: [UnixListener; 4],
    datagrams: UnixDatagram,
}

impl Doors {
    pub(super) fn open(cell: &Cell) -> Self {
        let name = format!("rye-test-{}-{}", std::process::id(), cell.path("own").display());
        let abstract_name = SocketAddr::from_abstract_name(&name).unwrap();
        let by_path = |path: &str| UnixListener::bind(cell.path(path)).unwrap();
        Self {
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
            name,
            _agents: [
                by_path("own/socket"),
                by_path("outside/ssh-agent"),
                by_path("outside/docker.sock"),
                UnixListener::bind_addr(&abstract_name).unwrap(),
            ],
            datagrams: UnixDatagram::bind(cell.path("outside/log")).unwrap(),
        }
    }
}

pub(super) fn attempts(doors: &Doors, cell: &Cell) -> Vec<Attempt> {
    let (tcp, udp) = (doors.tcp.local_addr().unwrap().port(), doors.udp.local_addr().unwrap().port());
    let unix = |path: &str| {
        let path = cell.path(path);
        format!("import socket; socket.socket(socket.AF_UNIX).connect('{}')", path.display())
    };
    let datagram = |text: &str| {
        format!("import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto({text}, ('127.0.0.1', {udp}))")
    };
    let question = r"b'\0\1\1\0\0\1\0\0\0\0\0\0\4name\7example\0\0\1\0\1'";
    vec![
        attempt("a connection by TCP", format!("import socket; socket.create_connection(('127.0.0.1', {tcp}))")),
        attempt("a datagram by UDP", datagram("b'x'")),
        attempt("a question to a name server", datagram(question)),
        attempt("a server", "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()"),
        attempt("a raw socket", "import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)").of_the_superuser(),
        attempt("packets of the link", "import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)")
            .of_the_superuser(),
        attempt("netlink", "import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)"),
        attempt(
            "a socket of any family",
            "import socket
for family in range(1, 50):
    for kind in 1, 2, 3, 5:
        made = libc.socket(family, kind, 0)
        if made != -1: break
    if made != -1: break
else: checked(libc.socket(1, 1, 0)); raise OSError(1, 'Operation not permitted')",
        ),
        attempt("a socket by path", unix("own/socket")),
        attempt("the ssh-agent's socket", unix("outside/ssh-agent")),
        attempt("docker's socket", unix("outside/docker.sock")),
        attempt(
            "a datagram to a path",
            format!(
                "import socket; socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', '{}')",
                cell.path("outside/log").display()
            ),
        ),
        attempt(
            "a datagram to a path by a pair",
            format!(
                "import socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b'x', '{}')",
                cell.path("outside/log").display()
            ),
        ),
        attempt(
            "a pair that is connected to a path",
            format!(
                "import socket; a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); a.connect('{}'); a.send(b'x')",
                cell.path("outside/log").display()
            ),
        ),
        attempt(
            "an abstract socket",
            format!("import socket; socket.socket(socket.AF_UNIX).connect('\\0{}')", doors.name),
        ),
        attempt("a socket by the call's number", "call(41, 1, 1, 0)"),
        attempt("a socket by the number of x32", "call(0x40000000 | 41, 1, 1, 0)").somewhere(),
        attempt(
            "a socket by a call of 32 bits",
            "import mmap
m = mmap.mmap(-1, 4096, prot=7)
m.write(bytes.fromhex('53b867010000bb01000000b90100000031d2cd805bc3'))
made = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))()
if made < 0: raise OSError(-made, os.strerror(-made))",
        )
        .somewhere(),
    ]
}

#[test]
fn nothing_is_connected_to() {
    let doors = std::sync::Mutex::new(Vec::new());
    assert_held(|cell| {
        let opened = Doors::open(cell);
        let attempts = attempts(&opened, cell);
        doors.lock().unwrap().push(opened);
        attempts
    });
    // A pair of sockets leads nowhere.
    for kind in ["STREAM", "SEQPACKET"] {
        let pair = format!(
            "import socket; a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_{kind}); a.send(b'pair'); print(b.recv(9).decode())"
        );
        assert_eq!(text(&Cell::new().python(&pair, "", Held::AsEverywhere).stdout), "pair\n", "{kind}");
    }
}

/// Packets take an address and go to the other end all the same.
#[test]
fn a_pair_of_packets_goes_to_its_other_end_and_nowhere_else() {
    if !crate::support::has("python3") {
        return;
    }
    for user in crate::support::users::User::all() {
        user.does(|| {
            let cell = Cell::new();
            let doors = Doors::open(&cell);
            let program = format!(
                "import socket\na, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)\nfor path in '{}', '{}':\n    try: a.sendmsg([b'x'], [], 0, path); print(b.recv(1).decode())\n    except OSError as error: print('x')",
                cell.path("outside/log").display(),
                cell.path("outside/ssh-agent").display(),
            );
            for held in super::super::HELD {
                assert_eq!(text(&cell.python(&program, "", held).stdout), "x\nx\n", "{user:?}, {held:?}");
            }
            doors.datagrams.set_nonblocking(true).unwrap();
            assert!(doors.datagrams.recv(&mut [0]).is_err(), "{user:?}");
        });
    }
}
