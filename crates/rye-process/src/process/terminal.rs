//! The terminal the program was started on, asked for an approval or a secret.
//!
//! Answers are read from the terminal itself, never from standard input: data that is piped in answers no question. A
//! passphrase is asked for only if standard input is the terminal too. Echo comes back however that question ends. Keys
//! that would end or stop the program are read as keys meanwhile, so that none of them leaves a terminal without echo.

use std::fs::File;
use std::io::{self, BufReader, IsTerminal as _, Read as _, Write as _};
use std::os::fd::AsFd;

use rustix::process::getpgrp;
use rustix::termios::{
    LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcflush, tcgetattr, tcgetpgrp, tcgetwinsize,
    tcsetattr,
};

use super::pages::{pages, prompt};
use super::signals::is_asked_to_stop;
use super::typed_line::line_of;
use crate::trust::{NoPassphrase, Passphrase};

const INTERRUPT: u8 = 0x03;
const END: u8 = 0x04;
const BACKSPACE: u8 = 0x08;
const KILL_LINE: u8 = 0x15;
const QUIT: u8 = 0x1c;
const DELETE: u8 = 0x7f;

/// Asks for a passphrase on the terminal, without echo.
///
/// # Errors
///
/// Fails without a terminal, when it cannot be read, and when the person does not answer: Ctrl-C, or Ctrl-D on an empty
/// line.
pub fn ask_hidden(question: &str) -> Result<Passphrase, NoPassphrase> {
    if !io::stdin().is_terminal() {
        return Err(NoPassphrase::Nobody);
    }
    let terminal = open().ok_or(NoPassphrase::Nobody)?;
    let failed = |error: io::Error| NoPassphrase::Terminal { kind: error.kind() };
    let hidden = Hidden::begin(&terminal).map_err(failed)?;
    hidden.write(&harmless(question).replace('\n', "?")).map_err(failed)?;
    let typed = hidden.read_line().map_err(failed)?;
    hidden.write("\n").map_err(failed)?;
    typed.ok_or(NoPassphrase::Cancelled)
}

/// How a question was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// With yes.
    Yes,
    /// With anything else.
    No,
    /// A signal asked the program to stop: Ctrl-C.
    Stopped,
    /// There is no terminal, or it is busy with another program.
    NoTerminal,
}

/// Asks on the terminal itself, whatever standard input is: only `y` and `yes` agree. Input from before the question
/// does not answer it. Ctrl-C ends the question in every program that listens for signals ([`install`](super::install)); it ends
/// any other program.
#[must_use]
pub fn ask(question: &str) -> Answer {
    match ask_line(question, "[y/N]").as_deref() {
        Some(_) if is_asked_to_stop() => Answer::Stopped,
        Some("y" | "Y" | "yes") => Answer::Yes,
        Some(_) => Answer::No,
        None => Answer::NoTerminal,
    }
}

/// Asks as [`ask`] for one of several choices, and returns the line; it is empty after Ctrl-C. A question that is longer
/// than the terminal is shown in pages, and an answer counts only after the last one.
#[must_use]
pub fn ask_line(question: &str, choices: &str) -> Option<String> {
    let terminal = open().filter(|terminal| tcgetpgrp(terminal).is_ok_and(|group| group == getpgrp()))?;
    let question = harmless(question);
    let (rows, columns) = size(&terminal);
    let pages = pages(&question, rows, columns);
    // What fits is written as it is: the terminal breaks its lines.
    let (last, before) = if pages.len() > 1 { pages.split_last()? } else { (&question, &[][..]) };
    for (at, page) in before.iter().enumerate() {
        let prompt = format!("{page}\n{}", prompt(at + 1, pages.len()));
        match answer_to(&terminal, &prompt).ok()? {
            Some(typed) if typed.is_empty() => {}
            Some(_) => return Some("no".to_owned()),
            None => return Some(String::new()),
        }
    }
    Some(answer_to(&terminal, &format!("{last} {choices} ")).ok()?.unwrap_or_default())
}

/// Returns how many rows and columns a terminal has; 24 and 80 where it does not tell, such as a serial line.
fn size(terminal: &File) -> (usize, usize) {
    let (rows, columns) = tcgetwinsize(terminal).map_or((0, 0), |size| (size.ws_row, size.ws_col));
    let or = |told: u16, assumed: usize| if told > 0 { usize::from(told) } else { assumed };
    (or(rows, 24), or(columns, 80))
}

/// Writes a prompt and reads the line that answers it, not one from before it; none without an answer.
fn answer_to(mut terminal: &File, prompt: &str) -> io::Result<Option<String>> {
    tcflush(terminal, QueueSelector::IFlush)?;
    terminal.write_all(prompt.as_bytes())?;
    let answer = line_of(BufReader::new(terminal.try_clone()?));
    if answer.is_none() {
        // An unanswered question left the cursor behind it. A terminal that is gone shows nothing more.
        let _ = terminal.write_all(b"\n");
    }
    Ok(answer.map(|line| line.trim().to_owned()))
}

/// Returns how many characters a terminal's line has; `None` for other files, and for a terminal without a size.
pub fn terminal_width(terminal: impl AsFd) -> Option<usize> {
    tcgetwinsize(terminal).ok().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

fn open() -> Option<File> {
    File::options().read(true).write(true).open("/dev/tty").ok()
}

/// Replaces what could control the terminal; line feeds stay.
fn harmless(text: &str) -> String {
    text.chars().map(|character| if character.is_control() && character != '\n' { '?' } else { character }).collect()
}

/// A terminal without echo, until it is dropped.
struct Hidden<'a> {
    terminal: &'a File,
    before: Termios,
}

impl<'a> Hidden<'a> {
    fn begin(terminal: &'a File) -> io::Result<Self> {
        let before = tcgetattr(terminal)?;
        let mut modes = before.clone();
        modes.local_modes -=
            LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ICANON | LocalModes::ISIG | LocalModes::IEXTEN;
        modes.special_codes[SpecialCodeIndex::VMIN] = 1;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        let hidden = Self { terminal, before };
        // Input from before the question does not answer it.
        tcsetattr(terminal, OptionalActions::Flush, &modes)?;
        Ok(hidden)
    }

    fn write(&self, text: &str) -> io::Result<()> {
        let mut terminal = self.terminal;
        terminal.write_all(text.as_bytes())
    }

    /// Reads up to the end of the line; nothing if the person gives up.
    fn read_line(&self) -> io::Result<Option<Passphrase>> {
        let mut typed = Passphrase::new();
        let mut terminal = self.terminal;
        let mut byte = [0];
        loop {
            match terminal.read(&mut byte) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => match (read?, byte[0]) {
                    (0, _) | (_, INTERRUPT | QUIT) => return Ok(None),
                    (_, END) if typed.is_empty() => return Ok(None),
                    (_, b'\n' | b'\r' | END) => return Ok(Some(typed)),
                    (_, BACKSPACE | DELETE) => typed.erase(),
                    (_, KILL_LINE) => typed.clear(),
                    (_, byte) => typed.push(byte),
                },
            }
        }
    }
}

impl Drop for Hidden<'_> {
    fn drop(&mut self) {
        // If the terminal is gone there is nothing to restore.
        let _ = tcsetattr(self.terminal, OptionalActions::Flush, &self.before);
    }
}
