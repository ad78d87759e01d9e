//! What a run prints.
//!
//! stdout is data, stderr is status. A reader that goes away is not an error: the rest is dropped silently, and the
//! exit code stays the same. Colour is for terminals only, and so is pretty-printed JSON. Text of items and tools reaches a
//! terminal without control characters.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use clap::builder::StyledStr;
use serde::Serialize;

use super::args::{Color, Early, Format, Global};
use super::report::Report;
use super::streams::Streams;
use super::text::{self, Page, Paint};
use crate::context::Unreadable;
use crate::format::Severity;
use crate::keys::Ask;
use crate::process::Answer;

/// The columns of a terminal that does not say how many it has.
const WIDTH: usize = 80;

/// Where everything is printed.
#[derive(Debug)]
pub(super) struct Output {
    streams: Streams,
    json: bool,
    quiet: bool,
    verbose: bool,
    color: Color,
    no_color: bool,
    base: PathBuf,
    stdout_is_terminal: bool,
    stderr_is_terminal: bool,
    reader_is_gone: bool,
    yes: bool,
    /// Sentences that were already printed.
    said: Vec<String>,
}

/// The terminal of the status, for lines that are drawn over.
#[derive(Debug, Clone)]
pub(super) struct Terminal {
    streams: Streams,
    paint: Paint,
}

impl Terminal {
    pub(super) const fn paint(&self) -> Paint {
        self.paint
    }

    /// Returns how many columns it has now.
    pub(super) fn width(&self) -> usize {
        self.streams.stderr_width().unwrap_or(WIDTH)
    }

    /// Writes text that cannot control it but for what this program means.
    pub(super) fn write(&self, text: &str) {
        self.streams.offer(text);
    }
}

impl Output {
    /// Makes the output of a command line that is not understood yet.
    pub(super) fn new(streams: Streams, early: &Early, no_color: bool) -> Self {
        Self {
            json: early.json,
            quiet: false,
            verbose: false,
            color: early.color,
            no_color,
            base: PathBuf::new(),
            stdout_is_terminal: streams.is_stdout_terminal(),
            stderr_is_terminal: streams.is_stderr_terminal(),
            reader_is_gone: false,
            yes: false,
            said: Vec::new(),
            streams,
        }
    }

    /// Makes an output without any ornament.
    pub(super) fn plain() -> Self {
        Self::new(Streams::Process, &Early { json: false, color: Color::Never }, true)
    }

    /// Takes over what the whole command line says.
    pub(super) fn adopt(&mut self, global: &Global) {
        self.json = global.json || global.format == Format::Json;
        self.quiet = global.quiet;
        self.verbose = global.verbose > 0;
        self.color = global.color;
        self.yes = global.yes;
    }

    /// Shows paths below `dir` relative to it.
    pub(super) fn show_paths_from(&mut self, dir: &Path) {
        dir.clone_into(&mut self.base);
    }

    /// Tells whether JSON is printed.
    pub(super) const fn is_json(&self) -> bool {
        self.json
    }

    /// Tells whether more is to be said than usual.
    pub(super) const fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// Returns the folder that shown paths are relative to.
    pub(super) fn base(&self) -> &Path {
        &self.base
    }

    /// Prints an outcome: as one JSON object, or as `human` writes it.
    pub(super) fn outcome<T: Serialize>(&mut self, outcome: &T, human: impl FnOnce(&mut Page)) -> io::Result<()> {
        if self.json {
            return self.json(outcome);
        }
        self.page(human)
    }

    /// Prints text for people.
    pub(super) fn page(&mut self, human: impl FnOnce(&mut Page)) -> io::Result<()> {
        let text = self.text(human);
        self.stdout(text.as_bytes())
    }

    /// Returns text for people, as it would be printed.
    pub(super) fn text(&self, human: impl FnOnce(&mut Page)) -> String {
        let width = self.streams.stdout_width();
        let mut page = Page::new(self.paint(self.stdout_is_terminal), self.stdout_is_terminal, &self.base);
        page = page.with_width(width);
        human(&mut page);
        page.into_text()
    }

    /// Returns the colours of stdout.
    pub(super) fn stdout_paint(&self) -> Paint {
        self.paint(self.stdout_is_terminal)
    }

    /// Returns the width of the terminal that stdout is, where it is known.
    pub(super) fn stdout_width(&self) -> Option<usize> {
        self.streams.stdout_width()
    }

    /// Prints the bytes of a file as they are, for a copy; on a terminal without what could control it.
    pub(super) fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.stdout_is_terminal {
            return self.stdout(text::clean(&String::from_utf8_lossy(bytes)).as_bytes());
        }
        self.stdout(bytes)
    }

    /// Tells whether the reader of stdout is gone.
    pub(super) const fn is_abandoned(&self) -> bool {
        self.reader_is_gone
    }

    /// Prints help.
    pub(super) fn help(&mut self, help: &StyledStr) -> io::Result<()> {
        let paint = self.paint(self.stdout_is_terminal);
        self.stdout(styled(help, paint).as_bytes())
    }

    /// Prints what clap has to say about a command line.
    pub(super) fn usage(&mut self, usage: &StyledStr) {
        let text = styled(usage, self.paint(self.stderr_is_terminal));
        self.streams.offer(&text);
    }

    /// Prints an error: on stderr, or as a JSON object on stdout.
    pub(super) fn report(&mut self, report: &Report) {
        // stderr also tells that stdout cannot be written.
        if self.json && self.json(report).is_ok() {
            return;
        }
        self.on_stderr(|page| text::report::write(page, report));
    }

    /// Reports work, unless asked to be quiet.
    pub(super) fn note(&mut self, sentence: &str) {
        self.status(|page| page.line(format!("{} {}", page.paint().dim("note:"), text::in_sentence(sentence))));
    }

    /// As [`note`](Self::note), but the same sentence once in a run.
    pub(super) fn note_once(&mut self, sentence: &str) {
        if !self.said.iter().any(|said| said == sentence) {
            self.said.push(sentence.to_owned());
            self.note(sentence);
        }
    }

    /// Warns, unless asked to be quiet.
    pub(super) fn warn(&mut self, sentence: &str) {
        let sentence = text::in_sentence(sentence);
        self.status(|page| page.line(format!("{} {sentence}", page.paint().severity(Severity::Warning))));
    }

    /// Writes status, unless asked to be quiet.
    pub(super) fn status(&mut self, write: impl FnOnce(&mut Page)) {
        if !self.quiet {
            self.on_stderr(write);
        }
    }

    /// Writes what a question is about: also when asked to be quiet, unless `--yes` answers it.
    pub(super) fn before_question(&mut self, write: impl FnOnce(&mut Page)) {
        if self.yes { self.status(write) } else { self.on_stderr(write) }
    }

    /// Writes progress, unless asked to be quiet; with JSON only to a terminal.
    pub(super) fn progress(&mut self, write: impl FnOnce(&mut Page)) {
        if !self.json || self.stderr_is_terminal {
            self.status(write);
        }
    }

    /// Returns the terminal that status goes to, unless asked to be quiet.
    pub(super) fn terminal(&self) -> Option<Terminal> {
        let is_there = self.stderr_is_terminal && !self.quiet;
        is_there.then(|| Terminal { streams: self.streams.clone(), paint: self.paint(true) })
    }

    /// Tells whether data goes to a terminal.
    pub(super) const fn is_on_terminal(&self) -> bool {
        self.stdout_is_terminal
    }

    /// Shows how far a work is, on a terminal: one line that is written over, and gone at the end.
    pub(super) fn ticking(&mut self, sentence: &str, is_done: bool) {
        if self.stderr_is_terminal && !self.quiet {
            self.streams.offer(&if is_done { "\r\u{1b}[K".to_owned() } else { format!("\r{sentence}\u{1b}[K") });
        }
    }

    /// Leaves a line empty between progress and outcome, where both are on one terminal.
    pub(super) fn gap(&mut self) {
        if self.stdout_is_terminal && self.stderr_is_terminal {
            self.progress(|page| page.line(""));
        }
    }

    /// Writes to stderr, even when asked to be quiet.
    pub(super) fn on_stderr(&mut self, write: impl FnOnce(&mut Page)) {
        let mut page = Page::new(self.paint(self.stderr_is_terminal), self.stderr_is_terminal, &self.base);
        page = page.with_width(self.streams.stderr_width());
        write(&mut page);
        self.streams.offer(&page.into_text());
    }

    /// Tells whether every question is answered with yes.
    pub(super) const fn is_agreed(&self) -> bool {
        self.yes
    }

    /// Returns an empty page for the terminal itself, without ornament.
    pub(super) fn terminal_page(&self) -> Page<'_> {
        let width = self.streams.stderr_width().or_else(|| self.streams.stdin_width());
        Page::new(Paint::new(false), true, &self.base).with_width(width)
    }

    /// Asks a question that only `y` or `yes` agrees to. `--yes` answers it.
    pub(super) fn agrees(&mut self, question: &str) -> Answer {
        if self.yes {
            return Answer::Yes;
        }
        self.agrees_now(question)
    }

    /// Asks a question that only a person on the terminal agrees to, whatever was given on the command line.
    pub(super) fn agrees_now(&mut self, question: &str) -> Answer {
        if !self.is_stdin_terminal() || !self.stderr_is_terminal {
            return Answer::NoTerminal;
        }
        self.streams.ask(&text::in_lines(&text::exact(question)))
    }

    /// Asks on the terminal itself, whatever is read and written elsewhere. The question says exactly what it is about.
    pub(super) fn ask(&self, question: &str) -> Answer {
        self.streams.ask(question)
    }

    /// Returns the way to ask for a passphrase: on the terminal.
    pub(super) fn ask_hidden(&self) -> Ask {
        self.streams.ask_hidden()
    }

    /// Tells whether stdin is a terminal.
    pub(super) fn is_stdin_terminal(&self) -> bool {
        self.streams.is_stdin_terminal()
    }

    /// Reads stdin, at most `most` bytes of it.
    ///
    /// # Errors
    ///
    /// Fails when there are more, and when it cannot be read.
    pub(super) fn read_stdin(&self, most: u64) -> Result<Vec<u8>, Unreadable> {
        self.streams.read(most)
    }

    /// Prints one JSON value on one line.
    pub(super) fn json_line<T: Serialize>(&mut self, value: &T) -> io::Result<()> {
        self.stdout(format!("{}\n", serde_json::to_string(value)?).as_bytes())
    }

    /// Asks a question and returns the line that a person answers it with; `--yes` answers `yes`. None without a
    /// terminal or consent.
    pub(super) fn answer(&mut self, question: &str, choices: &str) -> Option<String> {
        if self.yes {
            return Some("yes".to_owned());
        }
        if !self.is_stdin_terminal() || !self.stderr_is_terminal {
            return None;
        }
        self.streams.ask_line(&text::in_lines(&text::exact(question)), choices)
    }

    /// Prints one JSON value.
    pub(super) fn json<T: Serialize>(&mut self, value: &T) -> io::Result<()> {
        let text =
            if self.stdout_is_terminal { serde_json::to_string_pretty(value) } else { serde_json::to_string(value) };
        self.stdout(format!("{}\n", text?).as_bytes())
    }

    fn paint(&self, is_terminal: bool) -> Paint {
        Paint::new(match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => is_terminal && !self.no_color,
        })
    }

    fn stdout(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.reader_is_gone {
            return Ok(());
        }
        let written = self.streams.write(bytes);
        self.unless_gone(written)
    }

    /// Ignores the error of a lost reader: the reader went away, or blocks a program that has to stop.
    fn unless_gone(&mut self, written: io::Result<()>) -> io::Result<()> {
        match written {
            Err(error) if matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::TimedOut) => {
                self.reader_is_gone = true;
                Ok(())
            }
            written => written,
        }
    }

    /// Waits until the output is written: the last thing a program does.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.streams.finish_stderr();
        let written = if self.reader_is_gone { Ok(()) } else { self.streams.finish_stdout() };
        self.unless_gone(written)
    }
}

fn styled(text: &StyledStr, paint: Paint) -> String {
    if paint.is_on() { text.ansi().to_string() } else { text.to_string() }
}
