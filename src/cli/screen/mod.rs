//! The terminal while a thread runs: permanent lines scroll up, and the rows below it are drawn over, calmly.
//!
//! A worker draws the seconds. Other code writes to the terminal through [`Screen::aside`], so that nothing is written
//! between the rows.

mod flow;
mod status;
mod view;
mod waiting;

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rye_plugin_abi::provider::Delta;

use self::view::View;
pub(super) use self::waiting::Waiting;
use super::output::Terminal;
use crate::context::Context;
use crate::event::Event;
use crate::thread::{Stage, Tally};

/// How often the seconds are looked at.
const TICK: Duration = Duration::from_millis(200);

/// A terminal that shows a running thread.
pub(super) struct Screen {
    shared: Arc<Shared>,
    worker: Option<JoinHandle<()>>,
}

struct Shared {
    ctx: Context,
    state: Mutex<State>,
    is_over: Condvar,
}

struct State {
    terminal: Terminal,
    view: View,
    /// The rows that are drawn, below everything else.
    drawn: Vec<String>,
    is_over: bool,
}

/// Tells whether a terminal can be drawn on: one without cursor has no name, or this one.
pub(super) fn can_draw(ctx: &Context) -> bool {
    ctx.variable_named("TERM").is_some_and(|name| name != "dumb")
}

impl Screen {
    /// Begins to show a thread on a terminal.
    pub(super) fn begin(ctx: &Context, terminal: Terminal) -> Self {
        let view = View::new(terminal.paint());
        let state = State { terminal, view, drawn: Vec::new(), is_over: false };
        let shared = Arc::new(Shared { ctx: ctx.clone(), state: Mutex::new(state), is_over: Condvar::new() });
        let drawing = Arc::clone(&shared);
        let worker = Some(thread::spawn(move || drawing.tick()));
        Self { shared, worker }
    }

    /// Shows the state of the thread.
    pub(super) fn standing(&self, tally: &Tally) {
        self.shared.show(|view, now, _| {
            view.standing(tally, now);
            String::new()
        });
    }

    /// Shows what an answer used.
    pub(super) fn counted(&self, tally: &Tally) {
        self.shared.show(|view, now, _| {
            view.counted(tally, now);
            String::new()
        });
    }

    /// Shows a piece of an answer.
    pub(super) fn arriving(&self, delta: &Delta) {
        self.shared.show(|view, now, width| view.arriving(delta, now, width));
    }

    /// Says that an answer does not count.
    pub(super) fn broke_off(&self) {
        self.shared.show(|view, now, _| view.broke_off(now));
    }

    /// Shows how far a call is.
    pub(super) fn call(&self, call_id: &str, stage: Stage) {
        self.shared.show(|view, now, _| {
            view.call(call_id, stage, now);
            String::new()
        });
    }

    /// Shows an event.
    pub(super) fn event(&self, event: &Event) {
        self.shared.show(|view, now, width| view.event(event, now, width));
    }

    /// Lets something else write to the terminal, or ask there.
    pub(super) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        let mut state = self.shared.lock();
        state.erase();
        let written = write();
        state.draw("", self.shared.ctx.elapsed_ms());
        written
    }
}

/// However the thread ended, the rows are gone then.
impl Drop for Screen {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.is_over = true;
        state.erase();
        drop(state);
        self.shared.is_over.notify_all();
        // It panics nowhere, and if it did: the thread's outcome counts.
        self.worker.take().into_iter().for_each(|worker| drop(worker.join()));
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self, change: impl FnOnce(&mut View, u64, usize) -> String) {
        let mut state = self.lock();
        let (now, width) = (self.ctx.elapsed_ms(), state.terminal.width());
        let said = change(&mut state.view, now, width);
        state.draw(&said, now);
    }

    fn tick(&self) {
        let mut state = self.lock();
        while !state.is_over {
            state.draw("", self.ctx.elapsed_ms());
            state =
                self.is_over.wait_timeout(state, TICK).map_or_else(|error| error.into_inner().0, |(state, _)| state);
        }
    }
}

impl State {
    /// Says something for good, and draws the rows below it; nothing if nothing changed.
    fn draw(&mut self, said: &str, now: u64) {
        let rows = self.view.bottom(now, self.terminal.width());
        if said.is_empty() && rows == self.drawn {
            return;
        }
        self.terminal.write(&format!("{}{said}{}", erased(self.drawn.len()), rows.join("\n")));
        self.drawn = rows;
    }

    fn erase(&mut self) {
        self.terminal.write(&erased(self.drawn.len()));
        self.drawn.clear();
    }
}

/// Erases rows, with the cursor at the end of the last one.
fn erased(rows: usize) -> String {
    match rows {
        0 => String::new(),
        1 => "\r\u{1b}[J".to_owned(),
        rows => format!("\r\u{1b}[{}A\u{1b}[J", rows - 1),
    }
}
