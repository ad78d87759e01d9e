//! Attempts to get out. Each is refused in the sandbox, and the same works without it: so it is the sandbox that refuses.
//!
//! Every attempt is made as whoever runs the tests and, where that is the superuser, as nobody too. The page of the threat model
//! lists all of them by name.

mod bombs;
mod files;
mod kernel;
mod network;
mod persons;
mod processes;
mod set_id;

use crate::support::has;
use crate::support::users::User;

use super::{Cell, HELD, Held, text};

/// An attempt in Python: it has succeeded when it raises nothing.
pub(super) struct Attempt {
    pub(super) name: &'static str,
    program: String,
    works: Works,
}

/// Where an attempt works without a sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Works {
    Everywhere,
    /// Where one is the superuser.
    ForTheSuperuser,
    /// Where the kernel has it.
    Somewhere,
}

fn attempt(name: &'static str, program: impl Into<String>) -> Attempt {
    Attempt { name, program: program.into(), works: Works::Everywhere }
}

impl Attempt {
    fn of_the_superuser(self) -> Self {
        Self { works: Works::ForTheSuperuser, ..self }
    }

    fn somewhere(self) -> Self {
        Self { works: Works::Somewhere, ..self }
    }

    fn works_for(&self, user: User) -> Option<bool> {
        match self.works {
            Works::Everywhere => Some(true),
            Works::ForTheSuperuser => user.is_super().then_some(true),
            Works::Somewhere => None,
        }
    }
}

/// Makes each attempt in a process of its own and says of each line by line: its number, then `out` or why not. Attempts find
/// `call(NUMBER, …)`, which performs a call of the kernel and raises what it answers; `reaches`, which does not mind what the
/// call finds wrong with its arguments; and `parent`, the process that started this one.
const RUNNER: &str = "
import ctypes, errno, json, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def checked(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
def call(*args):
    return checked(libc.syscall(*args))
def reaches(*args):
    if libc.syscall(*args) == -1 and ctypes.get_errno() in (errno.EPERM, errno.EACCES, errno.ENOSYS):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
known = dict(ctypes=ctypes, os=os, libc=libc, checked=checked, call=call, reaches=reaches, parent=os.getppid())
for number, program in enumerate(json.load(sys.stdin)):
    process = os.fork()
    if process == 0:
        try:
            exec(program, known)
            said = 'out'
        except BaseException as error:
            said = repr(error) + ' ' + str(getattr(error, 'filename', None))
        os.write(1, f'{number} {said}\\n'.encode())
        os._exit(0)
    os.waitpid(process, 0)
";

/// What the kernel says of what it refuses.
const REFUSALS: [&str; 9] = [
    "No such process",
    "No such file or directory') /proc/",
    "Permission denied",
    "not permitted",
    "not implemented",
    "cross-device link",
    "Read-only file system",
    "not supported by protocol",
    "Operation not supported",
];

/// Runs attempts against a cell that `prepare` fills, as every user, in every sandbox and in none. A process that was killed has
/// said nothing, and is not out.
pub(super) fn assert_held(prepare: impl Fn(&Cell) -> Vec<Attempt> + Sync) {
    if !has("python3") {
        return;
    }
    for user in User::all() {
        user.does(|| {
            let cell = Cell::new();
            let attempts = prepare(&cell);
            let programs: Vec<&str> = attempts.iter().map(|attempt| attempt.program.as_str()).collect();
            let programs = serde_json::to_string(&programs).unwrap();
            for held in HELD.into_iter().chain([Held::Free]) {
                let output = cell.python(RUNNER, &programs, held);
                let (said, errors) = (text(&output.stdout), text(&output.stderr));
                assert_eq!(output.exit_code, Some(0), "{user:?}, {held:?}: {said}{errors}");
                for (number, attempt) in attempts.iter().enumerate() {
                    let line = said.lines().find_map(|line| line.strip_prefix(&format!("{number} ")));
                    let (line, name) = (line.unwrap_or("killed"), attempt.name);
                    let told = format!("{name}, {user:?}, {held:?}: {line}{errors}");
                    if held == Held::Free {
                        assert!(attempt.works_for(user).is_none_or(|works| works == (line == "out")), "{told}");
                    } else {
                        let is_refused = line == "killed" || REFUSALS.iter().any(|words| line.contains(words));
                        assert!(line != "out", "{told}");
                        assert!(is_refused || attempt.works != Works::Everywhere, "{told}");
                    }
                }
            }
        });
    }
}

/// The page lists all attempts, and no others.
#[test]
fn the_threat_model_names_every_attempt() {
    let cell = Cell::new();
    let attempts = [
        files::attempts(&cell),
        files::of_modes(&cell),
        network::attempts(&network::Doors::open(&cell), &cell),
        processes::attempts(0),
        kernel::attempts(&cell),
        set_id::attempts(&cell),
    ];
    let mut tried: Vec<&str> = attempts.iter().flatten().map(|attempt| attempt.name).collect();
    tried.extend(persons::ATTEMPTS.iter().map(|(name, _)| *name));
    tried.extend(bombs::NAMES);
    tried.extend(super::way_out::ATTEMPTS.iter().map(|(name, _)| *name));
    tried.sort_unstable();
    let page = std::fs::read_to_string("../docs/threat-model.md").unwrap();
    let section = page.split("### Attempts to leave the sandbox").nth(1).unwrap().split("\n### ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").nth(1)).skip(1);
    let mut told: Vec<&str> = rows.flat_map(|row| row.split("; ")).map(str::trim).collect();
    told.sort_unstable();
    assert_eq!(tried, told);
    assert!(tried.len() >= 100, "{}", tried.len());
}
