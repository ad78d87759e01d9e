//! What would take the machine, or stay on it. Limits hold with the sandbox and without.

use rye::process::{CancelFlag, ChildOutput, Excess, find_program, installation, run};

use super::super::{HELD, Held, PATH, text};
use super::Cell;
use crate::support::has;
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
const MOST_WRITTEN: u64 = 4 << 20;

fn bomb(cell: &Cell, script: &str, held: Held) -> ChildOutput {
    let mut spec = cell.spec(&find_program("bash", PATH, &[]).unwrap(), &["-s"], script, held);
    (spec.limits.max_processes, spec.limits.max_memory) = (MOST_PROCESSES, MOST_MEMORY);
    // What a bomb of processes complains of comes on standard error.
    spec.limits.max_written = MOST_WRITTEN;
    (spec.limits.max_stdout, spec.limits.resources.file_size_bytes) = (1000, Some(1000));
    run(&spec, Some(crate::support::RYE.as_ref()), &CancelFlag::new()).unwrap()
}

/// Few, as what only copies itself keeps this machine from everything else until it is ended.
const FEW_PROCESSES: usize = 10;

const MANY_PROCESSES: &str = "for i in $(seq 60); do sleep 600 & done; wait";

/// However fast it copies itself: no process is made that would be one too many, and none while all are ended.
#[test]
fn a_tool_that_only_copies_itself_is_no_faster_than_its_end() {
    let Some(python) = find_program("python3", PATH, &[]).ok() else { return };
    for (user, held) in User::all().into_iter().flat_map(|user| HELD.map(|held| (user, held))) {
        user.does(|| {
            let cell = Cell::new();
            if text(&cell.shell("echo $$", held).stdout).trim() != "2" {
                // No name space of processes here, and this machine is needed.
                return;
            }
            // Each copy writes a line when it is there, all of them at once; afterwards no line is added.
            let script = "import os\nout = os.open('born', os.O_CREAT | os.O_APPEND | os.O_WRONLY)\nwhile True:\n  try:\n    if os.fork() == 0: os.setsid(); os.write(out, b'.')\n  except BlockingIOError: pass";
            let mut spec = cell.spec(&python, &["-"], script, held);
            spec.limits.max_processes = FEW_PROCESSES;
            let output = run(&spec, Some(crate::support::RYE.as_ref()), &CancelFlag::new()).unwrap();
            assert_eq!(output.excess, Some(Excess::Processes(FEW_PROCESSES)), "{user:?}, {held:?}: {}", text(&output.stderr));
            let born = || std::fs::metadata(cell.path("own/born")).unwrap().len();
            // The kernel makes no more than sixteen threads for each process that there may be.
            let (most, at_the_end) = (300 + 16 * FEW_PROCESSES as u64, born());
            assert!(at_the_end <= most, "{user:?}, {held:?}: {at_the_end}");
            std::thread::sleep(std::time::Duration::from_millis(100));
            assert_eq!(born(), at_the_end, "{user:?}, {held:?}");
        });
    }
}

/// Where whoever started a tool gets no turn to count (here, as the test starts it by itself), its first process stops
/// what is too many.
#[test]
fn a_bomb_that_nothing_ends_is_stopped_by_its_first_process() {
    let Some(python) = find_program("python3", PATH, &[]).ok() else { return };
    for user in User::all() {
        user.does(|| {
            let cell = Cell::new();
            if text(&cell.shell("echo $$", Held::AsEverywhere).stdout).trim() != "2" {
                return;
            }
            let script =
                "import os\nwhile True:\n  try:\n    if os.fork() == 0: os.setsid()\n  except BlockingIOError: pass";
            let mut keeper = std::process::Command::new(crate::support::RYE)
                .arg("__confine")
                .arg(format!("--keep={}", std::process::id()))
                .args([format!("--processes={FEW_PROCESSES}"), "--sandbox=script".to_owned()])
                .arg(format!("--read={}", installation(&python).display()))
                .arg("--")
                .arg(&python)
                .args(["-c", script])
                .current_dir(cell.path("own"))
                .spawn()
                .unwrap();
            let are_stopped = || {
                let states = states_below(keeper.id());
                // All but the first process, which is below the keeper.
                states.len() > FEW_PROCESSES && states.iter().skip(1).all(|state| matches!(state, 'T' | 'Z'))
            };
            let is_stopped = (0..1000).any(|_| {
                std::thread::sleep(std::time::Duration::from_millis(10));
                are_stopped()
            });
            keeper.kill().unwrap();
            keeper.wait().unwrap();
            assert!(is_stopped, "{user:?}");
        });
    }
}

/// Returns the states of the processes below one, those that are nearer first, as letters of the kernel's.
fn states_below(process: u32) -> Vec<char> {
    let (mut states, mut parents) = (Vec::new(), std::collections::VecDeque::from([process]));
    while let Some(parent) = parents.pop_front() {
        let children = std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap_or_default();
        for child in children.split_whitespace() {
            let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
            states.extend(stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next()));
            parents.extend(child.parse::<u32>());
        }
    }
    states
}

/// Whether no process has this command line, or none for long.
fn is_none_left(command: &str) -> bool {
    let commands = || {
        let folders = std::fs::read_dir("/proc").unwrap().flatten();
        folders.filter_map(|folder| std::fs::read_to_string(folder.path().join("cmdline")).ok()).collect::<Vec<_>>()
    };
    (0..100).any(|_| {
        let is_left = commands().iter().any(|line| line == command);
        if is_left {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        !is_left
    })
}

#[test]
fn bombs_and_survivors_are_ended() {
    for (user, held) in User::all().into_iter().flat_map(|user| [(user, Held::AsEverywhere), (user, Held::Free)]) {
        user.does(|| {
            let cell = Cell::new();
            // What only copies itself is held by the sandbox alone; without it this machine would be what it ends.
            let copies = if held == Held::Free { MANY_PROCESSES } else { "bomb() { bomb | bomb & }; bomb; sleep 600" };
            let processes = bomb(&cell, copies, held);
            assert_eq!(processes.excess, Some(Excess::Processes(MOST_PROCESSES)), "{user:?}, {held:?}");
            let memory = bomb(&cell, "x=x; while :; do x=$x$x; done", held);
            assert_eq!(memory.excess, Some(Excess::Memory(MOST_MEMORY)), "{user:?}, {held:?}");
            assert_eq!(bomb(&cell, "cat /dev/zero", held).flood, Some(MOST_WRITTEN), "{user:?}, {held:?}");
            let file = bomb(&cell, "head -c 2000 /dev/zero >large; stat -c %s large", held);
            assert_eq!(text(&file.stdout), "1000\n", "{user:?}, {held:?}: {}", text(&file.stderr));
            // What it is called by in the sandbox is not its number here: it is found by its time, which no other test sleeps.
            bomb(&cell, "setsid sleep 600.15 </dev/null >/dev/null 2>&1 & sleep 0.1", held);
            assert!(is_none_left("sleep\x00600.15\0"), "{user:?}, {held:?}");
        });
    }
}

/// What no limit counts ends with the tool, and the tool before other programs.
#[test]
fn where_memory_runs_out_a_tool_is_ended_first() {
    if !has("python3") {
        return;
    }
    let program = "print(open('/proc/self/oom_score_adj').read())\ntry: open('/proc/self/oom_score_adj', 'w').write('0'); print('lowered')\nexcept OSError: print('kept')";
    for user in User::all() {
        for held in HELD {
            let output = user.does(|| Cell::new().python(program, "", held));
            assert_eq!(text(&output.stdout), "1000\n\nkept\n", "{user:?}, {held:?}: {}", text(&output.stderr));
        }
    }
}
