//! Files that a child is not given: read, changed, taken, linked, watched, and swapped while they are looked at.

use std::fs;
use std::os::unix::fs::symlink;

use super::{Attempt, Cell, assert_held, attempt};

/// Attempts on the files outside, and on those that may only be read.
pub(super) fn attempts(cell: &Cell) -> Vec<Attempt> {
    let (outside, read, own) = (cell.path("outside"), cell.path("read"), cell.path("own"));
    symlink(&outside, own.join("led")).unwrap();
    symlink(outside.join("file"), own.join("led-file")).unwrap();
    let (outside, read, own) = (outside.display(), read.display(), own.display());
    let from_outside = format!(
        "import shutil, subprocess; p = '{outside}/run'\nif not os.path.exists(p): shutil.copy('/bin/true', p)"
    );
    vec![
        attempt("read outside", format!("open('{outside}/file').read()")),
        attempt("read by `..`", "open('../outside/file').read()"),
        attempt("read from a folder one went to", format!("os.chdir('{outside}'); open('file').read()")),
        attempt(
            "read from a folder opened by its path",
            format!("os.read(os.open('file', os.O_RDONLY, dir_fd=os.open('{outside}', os.O_PATH)), 9)"),
        ),
        attempt("read through a link", "open('led/file').read()"),
        attempt("read through a link to a file", "open('led-file').read()"),
        attempt(
            "read through a link made now",
            format!("os.symlink('{outside}/file', 'now'); f = 'now'\ntry: open(f).read()\nfinally: os.unlink(f)"),
        ),
        attempt("read through `/proc`", format!("open('/proc/self/root{outside}/file').read()")),
        attempt("read through the parent's `/proc`", format!("open(f'/proc/{{parent}}/root{outside}/file').read()")),
        attempt("read by a hard link", format!("os.link('{outside}/file', '{own}/taken'); os.unlink('{own}/taken')")),
        attempt("list outside", format!("os.listdir('{outside}')")),
        attempt("watch outside", format!("i = call(294, 0); checked(libc.inotify_add_watch(i, b'{outside}', 0xfff))")),
        attempt("write outside", format!("open('{outside}/a', 'w')")),
        attempt("append outside", format!("open('{outside}/file', 'a')")),
        attempt("cut short outside", format!("os.truncate('{outside}/file', 7)")),
        attempt(
            "move outside",
            format!("open('{own}/t', 'w'); os.rename('{own}/t', '{outside}/t'); os.unlink('{outside}/t')"),
        ),
        attempt(
            "exchange with outside",
            format!(
                "open('{own}/e', 'w'); e = b'{own}/e', b'{outside}/file'\nfor _ in range(2): call(316, -100, e[0], -100, e[1], 2)"
            ),
        ),
        attempt("make a folder outside", format!("os.mkdir('{outside}/d'); os.rmdir('{outside}/d')")),
        attempt("make a link outside", format!("os.symlink('x', '{outside}/l'); os.unlink('{outside}/l')")),
        attempt("make a pipe outside", format!("os.mkfifo('{outside}/p'); os.unlink('{outside}/p')")),
        attempt("write what may be read", format!("open('{read}/file', 'a')")),
        attempt("make a file among what may be read", format!("open('{read}/made', 'w')")),
        attempt(
            "link what may be read into what may be written",
            format!("os.link('{read}/file', '{own}/taken'); os.unlink('{own}/taken')"),
        ),
        attempt("move what may be read", format!("open('{read}/made', 'a'); os.rename('{read}/made', '{own}/made')")),
        attempt("run from outside", format!("{from_outside}\nsubprocess.check_call([p])")),
        attempt(
            "run from outside by the loader",
            format!("{from_outside}\nimport glob\nsubprocess.check_call([glob.glob('/lib*/ld-linux*')[0], p])"),
        ),
        attempt("write to `/tmp`", "import uuid; p = '/tmp/' + str(uuid.uuid4()); open(p, 'w').close(); os.unlink(p)"),
        attempt(
            "write to `/dev/shm`",
            "import uuid; p = '/dev/shm/' + str(uuid.uuid4()); open(p, 'w').close(); os.unlink(p)",
        ),
        attempt("write to the system", "open('/usr/rye-test', 'w').close(); os.unlink('/usr/rye-test')")
            .of_the_superuser(),
        attempt("read the passwords", "open('/etc/shadow').read()").of_the_superuser(),
        attempt("write to `/proc`", "open('/proc/self/comm', 'w').write('x')"),
        attempt("open a setting of the kernel", "os.open('/proc/sys/kernel/core_pattern', os.O_WRONLY)")
            .of_the_superuser(),
        attempt(
            "make a device",
            "import stat; os.mknod('device', 0o600 | stat.S_IFBLK, os.makedev(7, 0)); os.unlink('device')",
        )
        .of_the_superuser(),
        attempt("write to a place that is exchanged meanwhile", exchanged("outside/file", "open(p, 'a')")),
        attempt("read a place that is exchanged meanwhile", exchanged("outside/file", "open(p)")),
    ]
}

/// Opens a path while another thread exchanges the file for a link that leads elsewhere. What counts is that it ever
/// led there.
fn exchanged(to: &str, open: &str) -> String {
    format!(
        "import threading
places = [b'swing-%d' % os.getpid(), b'link-%d' % os.getpid()]
open(places[0], 'w').close()
os.symlink('../{to}', places[1])
target, p, over = os.stat('../{to}').st_ino, places[0], False
def swing():
    while not over: libc.renameat2(-100, places[0], -100, places[1], 2)
swinger = threading.Thread(target=swing)
swinger.start()
found = False
for _ in range(20000):
    try:
        with {open} as f: found = os.fstat(f.fileno()).st_ino == target
    except OSError: pass
    if found: break
over = True
swinger.join()
for place in places: os.unlink(place)
if not found: raise PermissionError('Permission denied each time')"
    )
}

/// Attempts to change who may do what with a file that is not the child's, by each call for it.
pub(super) fn of_modes(cell: &Cell) -> Vec<Attempt> {
    let (outside, read) = (cell.path("outside/file"), cell.path("read/file"));
    let (outside, read) = (outside.display(), read.display());
    let both = |program: &str| {
        // Both must fail in the sandbox, so one that works is a way out.
        format!(
            "refused = 0\nfor p in '{outside}', '{read}':\n    try: {program}\n    except OSError as error: refused += 1; said = error\nif refused == 2: raise said"
        )
    };
    vec![
        attempt("chmod", both("os.chmod(p, 0o600)")),
        attempt("chown", both("os.chown(p, os.getuid(), os.getgid())")),
        attempt("lchown", both("os.lchown(p, os.getuid(), os.getgid())")),
        attempt("utime", both("os.utime(p, (1, 1))")),
        attempt("utime of a folder", both("os.utime(os.path.dirname(p), (1, 1))")),
        attempt("fchmod", both("os.fchmod(os.open(p, os.O_RDONLY), 0o600)")),
        attempt("setxattr", both("os.setxattr(p, 'user.rye', b'x')")),
        attempt("flags", both("f = os.open(p, os.O_RDONLY); b = ctypes.c_int(); checked(libc.ioctl(f, 0x80086601, ctypes.byref(b))); checked(libc.ioctl(f, 0x40086602, ctypes.byref(b)))")).somewhere(),
        attempt("a lease", format!("import fcntl; fcntl.fcntl(os.open('{read}', os.O_RDONLY), 1024, fcntl.F_RDLCK)")).somewhere(),
        attempt("fchmodat2", both("call(452, -100, p.encode(), 0o600, 0)")),
    ]
}

#[test]
fn files_outside_are_neither_read_nor_changed() {
    assert_held(attempts);
    let cell = Cell::new();
    attempts(&cell);
    assert_eq!(fs::read_to_string(cell.path("read/file")).unwrap(), "read");
}

#[test]
fn modes_owners_and_times_of_files_are_not_changed_by_path() {
    assert_held(of_modes);
}
