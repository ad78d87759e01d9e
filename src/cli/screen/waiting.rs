//! The row that a terminal shows while a tool runs: how long it has run, and the last line that it wrote to stderr.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::flow::cut;
use super::{TICK, erased};
use crate::cli::output::Terminal;
use crate::cli::text::one_line;
use crate::context::Context;
use crate::process::LastLine;

/// A tool that takes less shows no row.
const PATIENCE: Duration = Duration::from_secs(1);

/// A terminal that waits for a tool. The row is gone when this is dropped.
pub(in crate::cli) struct Waiting {
    shared: Arc<Shared>,
    worker: Option<JoinHandle<()>>,
}

struct Shared {
    is_over: Mutex<bool>,
    changed: Condvar,
}

impl Waiting {
    /// Begins to wait for a tool.
    pub(in crate::cli) fn begin(ctx: &Context, terminal: Terminal, tool: &str, said: LastLine) -> Self {
        let shared = Arc::new(Shared { is_over: Mutex::new(false), changed: Condvar::new() });
        let (drawing, ctx, tool) = (Arc::clone(&shared), ctx.clone(), tool.to_owned());
        let worker = Some(thread::spawn(move || drawing.draw(&ctx, &terminal, &tool, &said)));
        Self { shared, worker }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        *self.shared.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.shared.changed.notify_all();
        // It panics nowhere, and if it did: the tool's outcome counts.
        self.worker.take().into_iter().for_each(|worker| drop(worker.join()));
    }
}

impl Shared {
    fn draw(&self, ctx: &Context, terminal: &Terminal, tool: &str, said: &LastLine) {
        let begun = ctx.elapsed_ms();
        let mut drawn = String::new();
        let mut is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        while !*is_over {
            let passed = Duration::from_millis(ctx.elapsed_ms().saturating_sub(begun));
            let row = row(tool, passed, &one_line(&said.text()), terminal.width());
            if row != drawn && passed >= PATIENCE {
                let before = usize::from(!drawn.is_empty());
                terminal.write(&format!("{}{}", erased(before), terminal.paint().dim(&row)));
                drawn = row;
            }
            let waited = self.changed.wait_timeout(is_over, TICK);
            is_over = waited.map_or_else(|error| error.into_inner().0, |(is_over, _)| is_over);
        }
        if !drawn.is_empty() {
            terminal.write(&erased(1));
        }
    }
}

/// Writes the row for a terminal of this width.
fn row(tool: &str, passed: Duration, said: &str, width: usize) -> String {
    let said = if said.is_empty() { String::new() } else { format!(" · {said}") };
    cut(&format!("{tool} {} s{said}", passed.as_secs()), width.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_fits_the_terminal() {
        let row = |said: &str, width| row("demo/slow", Duration::from_millis(12_900), said, width);
        assert_eq!(row("", 80), "demo/slow 12 s");
        assert_eq!(row("step 3 of 9", 80), "demo/slow 12 s · step 3 of 9");
        assert_eq!(row("step 3 of 9", 22), "demo/slow 12 s · ste…");
    }
}
