//! Every system call by its number, in the sandbox: those of the table reach the kernel, and no others are known.

#![cfg(target_arch = "x86_64")]

use std::collections::{BTreeMap, BTreeSet};

use super::{Cell, HELD, text};
use crate::support::has;
use crate::support::users::User;

/// The calls of x86_64 that are allowed or refused; all others must be unknown. Kept apart from the program's own table, so that
/// a change there is a change here.
const KNOWN: &[(i64, i64)] = &[
    (0, 28),
    (32, 63),
    (72, 133),
    (135, 135),
    (137, 138),
    (140, 152),
    (155, 155),
    (157, 158),
    (160, 162),
    (164, 166),
    (170, 171),
    (186, 204),
    (213, 213),
    (217, 219),
    (221, 235),
    (237, 239),
    (247, 247),
    (251, 252),
    (257, 277),
    (280, 293),
    (295, 297),
    (299, 299),
    (302, 302),
    (306, 309),
    (314, 318),
    (322, 322),
    (324, 332),
    (334, 334),
    (424, 424),
    (434, 434),
    (436, 436),
    (439, 439),
    (441, 441),
    (444, 446),
    (449, 449),
    (452, 452),
];

/// Newer than the oldest kernel that has the sandbox.
const NEWER: &[i64] = &[452];

/// `uretprobe` and `uprobe`: the kernel asks no filter about them, as it writes these calls into programs itself. From elsewhere
/// they fail.
const OF_THE_KERNEL: &[i64] = &[335, 336];

/// Makes each call in a process of its own, with nothing as arguments, and says what it answered. A process that ended is one whose call
/// was made.
const PROBE: &str = "
import ctypes, json, os, signal, sys
libc = ctypes.CDLL(None, use_errno=True)
# Copies of this process, and the writing of all data of the machine.
skipped = {56, 57, 58, 162}
for number in range(601):
    if number in skipped: continue
    r, w = os.pipe()
    process = os.fork()
    if process == 0:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        answer = libc.syscall(number, 0, 0, 0, 0, 0, 0)
        os.write(w, str(ctypes.get_errno() if answer == -1 else 0).encode())
        os._exit(0)
    os.close(w)
    os.waitpid(process, 0)
    print(number, os.read(r, 9).decode() or 'ended', flush=True)
    os.close(r)
";

#[test]
fn no_other_call_than_those_of_the_table_is_known() {
    if !has("python3") {
        return;
    }
    const ENOSYS: &str = "38";
    let known: BTreeSet<i64> = KNOWN.iter().flat_map(|(first, last)| *first..=*last).collect();
    for user in User::all() {
        user.does(|| {
            for held in HELD {
                let output = Cell::new().python(PROBE, "", held);
                let said = text(&output.stdout);
                let answers: BTreeMap<i64, &str> = said
                    .lines()
                    .filter_map(|line| line.split_once(' '))
                    .map(|(number, answer)| (number.parse().unwrap(), answer))
                    .collect();
                let ended = (output.exit_code, output.signal, output.timed_out, output.excess, text(&output.stderr));
                assert_eq!(answers.len(), 597, "{user:?}, {held:?}: {ended:?}: {said}");
                let unlike = |(number, answer): (&i64, &&str)| {
                    let is_known = *answer != ENOSYS;
                    (is_known != known.contains(number) && !NEWER.contains(number) && !OF_THE_KERNEL.contains(number))
                        .then(|| format!("{number}: {answer}"))
                };
                let unlike: Vec<String> = answers.iter().filter_map(unlike).collect();
                assert!(unlike.is_empty(), "{user:?}, {held:?}: {unlike:?}");
            }
        });
    }
}
