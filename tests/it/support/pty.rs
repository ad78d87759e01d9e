//! A program on a terminal, watched and typed to while it runs; and what such a terminal shows in the end.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A program on a terminal of its own.
pub(crate) struct OnTerminal {
    relay: Child,
    seen: Vec<u8>,
}

impl OnTerminal {
    /// Starts a program with this environment, in this folder, on a terminal with so many columns. Needs `python3`.
    pub(crate) fn start(program: &[&str], dir: &Path, env: &BTreeMap<String, String>, columns: usize) -> Self {
        let mut python = Command::new("python3");
        python.args(["-I", "-c", include_str!("relay.py"), &columns.to_string()]).args(program);
        python.current_dir(dir).env_clear().envs(env).stdin(Stdio::piped()).stdout(Stdio::piped());
        Self { relay: python.spawn().unwrap(), seen: Vec::new() }
    }

    /// Waits until something is to be seen, since the beginning.
    pub(crate) fn wait_for(&mut self, text: &str) {
        while !String::from_utf8_lossy(&self.seen).contains(text) {
            assert!(self.read(), "`{text}` was never seen: {}", String::from_utf8_lossy(&self.seen));
        }
    }

    pub(crate) fn type_in(&mut self, keys: &str) {
        self.relay.stdin.as_mut().unwrap().write_all(keys.as_bytes()).unwrap();
    }

    /// Waits for the end; returns the exit code and everything that was written to the terminal.
    pub(crate) fn end(mut self) -> (i32, String) {
        while self.read() {}
        (self.relay.wait().unwrap().code().unwrap(), String::from_utf8(self.seen).unwrap())
    }

    fn read(&mut self) -> bool {
        let mut part = [0; 4096];
        let read = self.relay.stdout.as_mut().unwrap().read(&mut part).unwrap();
        self.seen.extend(&part[..read]);
        read > 0
    }
}

/// Returns the lines that a terminal with so many columns shows, those that scrolled away included, without colours. Knows what
/// this program writes, and nothing else.
pub(crate) fn shown(written: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<Vec<char>> = vec![Vec::new()];
    let (mut row, mut column) = (0, 0);
    let mut characters = written.chars();
    while let Some(character) = characters.next() {
        match character {
            '\r' => column = 0,
            '\n' => row += 1,
            '\u{1b}' => {
                assert_eq!(characters.next(), Some('['), "an escape of another kind");
                let sequence: String =
                    characters.by_ref().take_while(|c| !matches!(c, 'm' | 'A' | 'J' | 'K')).collect();
                // What ended it is known by its number: colours have several forms, the others one each.
                let rest = written.len() - characters.as_str().len();
                match &written[rest - 1..rest] {
                    "m" => {}
                    "A" => row -= sequence.parse::<usize>().unwrap(),
                    "J" => {
                        lines[row].truncate(column);
                        lines.truncate(row + 1);
                    }
                    end => panic!("an unknown sequence `{sequence}{end}`"),
                }
            }
            control if control.is_control() => panic!("{control:?} reached the terminal"),
            character => {
                if column == columns {
                    (row, column) = (row + 1, 0);
                }
                lines.resize(lines.len().max(row + 1), Vec::new());
                let line = &mut lines[row];
                line.resize(line.len().max(column + 1), ' ');
                line[column] = character;
                column += 1;
            }
        }
        lines.resize(lines.len().max(row + 1), Vec::new());
    }
    lines.into_iter().map(|line| line.into_iter().collect::<String>().trim_end().to_owned()).collect()
}
