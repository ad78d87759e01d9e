//! Files that give their owner's rights to whoever runs them, and devices: by each call that takes a mode.

use super::super::{Held, text};
use super::{Attempt, Cell, assert_held, attempt};
use crate::support::users::User;

/// Each makes the file `sid` in the folder of the child's own, in some way.
pub(super) fn attempts(_: &Cell) -> Vec<Attempt> {
    let with = |name: &'static str, made: &str| {
        attempt(
            name,
            format!(
                "p = b'sid'\nif os.path.exists(p): os.unlink(p)\n{made}\nif os.stat(p).st_mode & 0o6000 == 0: raise OSError(1, 'Operation not permitted')"
            ),
        )
    };
    let changed = |name, change: &str| with(name, &format!("open(p, 'w').close()\n{change}"));
    vec![
        changed("set-user-id by chmod", "os.chmod(p, 0o4755)"),
        changed("set-group-id by chmod", "os.chmod(p, 0o2755)"),
        changed("set-user-id by fchmod", "os.fchmod(os.open(p, os.O_RDONLY), 0o4755)"),
        changed("set-user-id by fchmodat", "call(268, -100, p, 0o4755)"),
        changed("set-user-id by fchmodat2", "call(452, -100, p, 0o4755, 0)"),
        with("set-user-id by open", "os.close(call(2, p, 0o101, 0o4755))"),
        with("set-user-id by openat", "os.close(call(257, -100, p, 0o101, 0o4755))"),
        with(
            "set-user-id by openat2",
            "how = (ctypes.c_uint64 * 3)(0o101, 0o4755, 0)\nos.close(call(437, -100, p, how, 24))",
        ),
        with("set-user-id by creat", "os.close(call(85, p, 0o4755))"),
        with(
            "set-user-id by a file without a name",
            "f = call(257, -100, b'.', 0o20200001, 0o4755)\nos.link(f'/proc/self/fd/{f}', p, follow_symlinks=True)",
        )
        .somewhere(),
        with("set-user-id by mknod", "call(133, p, 0o104755, 0)"),
        with("set-user-id by mknodat", "call(259, -100, p, 0o104755, 0)"),
        attempt(
            "a device that needs no right",
            "p = b'sid'\nif os.path.exists(p): os.unlink(p)\ncall(133, p, 0o20600, 0)\nos.unlink(p)",
        )
        .somewhere(),
    ]
}

#[test]
fn no_file_gives_away_its_owner_s_rights() {
    assert_held(attempts);
}

/// A file that somebody else made so gives nothing either.
#[test]
fn every_mount_ignores_set_id_bits_where_mounts_can_be_made() {
    for user in User::all() {
        let output = user.does(|| Cell::new().shell("grep -v nosuid /proc/self/mounts; echo end", Held::AsEverywhere));
        assert_eq!(text(&output.stdout), "end\n", "{user:?}: {}", text(&output.stderr));
    }
}
