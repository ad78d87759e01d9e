//! What would take the machine, or stay on it. Limits hold with the sandbox and without.

use rye::process::{CancelFlag, ChildOutput, Excess, find_program, run};

use super::super::{Held, PATH, text};
use super::Cell;
use crate::support::users::User;

pub(super) const NAMES: [&str; 5] = [
    "a bomb of processes",
    "a bomb of memory",
    "output without end",
    "a file without end",
    "a survivor in a session of its own",
];

const MOST_PROCESSES: usize = 40;
const MOST_MEMORY: u64 = 100 << 20;

fn bomb(cell: &Cell, script: &str, held: Held) -> ChildOutput {
    let mut spec = cell.spec(&find_program("bash", PATH, None).unwrap(), &["-s"], script, held);
    (spec.limits.max_processes, spec.limits.max_memory) = (MOST_PROCESSES, MOST_MEMORY);
    (spec.limits.max_stdout, spec.limits.resources.file_size_bytes) = (1000, Some(1000));
    run(&spec, Some(env!("CARGO_BIN_EXE_rye").as_ref()), &CancelFlag::new()).unwrap()
}

#[test]
fn bombs_and_survivors_are_ended() {
    for (user, held) in User::all().into_iter().flat_map(|user| [(user, Held::AsEverywhere), (user, Held::Free)]) {
        user.does(|| {
            let cell = Cell::new();
            let processes = bomb(&cell, "bomb() { sleep 0.02; bomb | bomb & }; bomb; sleep 600", held);
            assert_eq!(processes.excess, Some(Excess::Processes(MOST_PROCESSES)), "{user:?}, {held:?}");
            let memory = bomb(&cell, "x=x; while :; do x=$x$x; done", held);
            assert_eq!(memory.excess, Some(Excess::Memory(MOST_MEMORY)), "{user:?}, {held:?}");
            assert_eq!(bomb(&cell, "cat /dev/zero", held).flood, Some(1000), "{user:?}, {held:?}");
            let file = bomb(&cell, "head -c 2000 /dev/zero >large; stat -c %s large", held);
            assert_eq!(text(&file.stdout), "1000\n", "{user:?}, {held:?}: {}", text(&file.stderr));
            let left = bomb(&cell, "setsid sleep 600 </dev/null >/dev/null 2>&1 & echo $!", held);
            let left = text(&left.stdout);
            assert!(crate::process::is_gone(left.trim()), "{user:?}, {held:?}: {left}");
        });
    }
}
