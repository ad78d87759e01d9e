//! Running an operation on an OS thread of its own while the connection goes on: stopped when the client cancels or goes,
//! with progress while it runs.

use std::any::Any;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::consent::{self, Round};
use super::error::Failure;
use super::stop::Stop;
use crate::action::Progress;
use crate::process::CancelFlag;

/// How often a client that wants it is told of what still runs.
const TICK: Duration = Duration::from_secs(1);

/// How often work that waits for an answer looks whether it is to stop.
const GLANCE: Duration = Duration::from_millis(100);

/// What work shares with the connection that waits for it.
#[derive(Debug)]
pub(super) struct Running {
    /// Asks the work to stop.
    pub(super) cancel: CancelFlag,
    /// How far a search is with indexing.
    pub(super) progress: Progress,
    /// How the person is asked.
    asks: Asks,
}

/// How the person behind a client is asked.
#[derive(Debug)]
enum Asks {
    /// Not at all: the client cannot.
    Never,
    /// While the call waits.
    Waiting(UnboundedSender<Question>),
    /// Between this call and its repetition.
    Between(Arc<Round>),
}

/// What a person is asked, and where the answer goes.
#[derive(Debug)]
struct Question {
    text: String,
    answer: SyncSender<bool>,
}

impl Running {
    /// Tells whether the client can ask its person.
    pub(super) fn can_ask(&self) -> bool {
        match self.asks {
            Asks::Never => false,
            Asks::Between(_) | Asks::Waiting(_) => true,
        }
    }

    /// Asks the person, and waits for a yes. Any other answer counts as no.
    pub(super) fn ask(&self, text: String) -> bool {
        let asks = match &self.asks {
            Asks::Never => return false,
            Asks::Between(round) => return round.ask(text),
            Asks::Waiting(asks) => asks,
        };
        let (answer, answered) = sync_channel(1);
        if asks.send(Question { text, answer }).is_err() {
            return false;
        }
        loop {
            match answered.recv_timeout(GLANCE) {
                Ok(yes) => return yes,
                Err(RecvTimeoutError::Timeout) if !self.cancel.is_set() => {}
                Err(_) => return false,
            }
        }
    }
}

/// Runs `work` to its end, with a flag of its own that asks it to stop. The client is told `title` when it wants
/// progress: as the work begins, and once a second from then on.
///
/// # Errors
///
/// Returns what the work fails with, and a panic as [`Failure::Internal`].
pub(super) async fn run<T: Send + 'static>(
    context: &RequestContext<RoleServer>,
    stop: &Stop,
    title: String,
    work: impl FnOnce(&Running) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let cancel = stop.flag();
    let (asks, mut questions) = unbounded_channel();
    let asks = match context.extensions.get::<Arc<Round>>() {
        Some(round) => Asks::Between(Arc::clone(round)),
        None if consent::can_ask(context) => Asks::Waiting(asks),
        None => Asks::Never,
    };
    let running = Arc::new(Running { cancel: cancel.clone(), progress: Progress::default(), asks });
    let (its_own, request) = (Arc::clone(&running), context.ct.clone());
    // This side may hear of either later than it is said.
    let is_over = move |running: &Running| running.cancel.is_set() || request.is_cancelled();
    let begin = move || if is_over(&its_own) { Err(Failure::Cancelled) } else { work(&its_own) };
    let mut work = tokio::task::spawn_blocking(begin);
    let mut seconds = tokio::time::interval(TICK);
    let mut passed = 0.0;
    loop {
        tokio::select! {
            done = &mut work => return done.unwrap_or_else(|error| Err(panicked(error.into_panic()))),
            () = asked_to_stop(context, stop), if !cancel.is_set() => cancel.cancel(),
            Some(Question { text, answer }) = questions.recv(), if !cancel.is_set() => {
                let allowed = tokio::select! {
                    () = asked_to_stop(context, stop) => false,
                    allowed = consent::ask(context, text) => allowed,
                };
                // The receiver may be gone.
                let _ = answer.send(allowed);
            }
            _ = seconds.tick(), if !cancel.is_set() => {
                let message = match running.progress.now() {
                    Some((done, total)) => format!("{title}: indexed {done} of {total} documents"),
                    None => title.clone(),
                };
                tell(context, passed, &message).await;
                passed += TICK.as_secs_f64();
            }
        }
    }
}

/// Waits until a request is cancelled or the connection ends.
pub(super) async fn asked_to_stop(context: &RequestContext<RoleServer>, stop: &Stop) {
    tokio::select! {
        () = context.ct.cancelled() => {}
        () = stop.said() => {}
    }
}

async fn tell(context: &RequestContext<RoleServer>, passed: f64, message: &str) {
    if let Some(token) = context.meta.get_progress_token() {
        let progress = ProgressNotificationParam::new(token, passed).with_message(message);
        // A client that has gone needs none.
        drop(context.peer.notify_progress(progress).await);
    }
}

fn panicked(panic: Box<dyn Any + Send>) -> Failure {
    let said = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let said = said.or_else(|| panic.downcast_ref::<String>().cloned());
    Failure::Internal { panic: said.unwrap_or_else(|| "it did not say which".to_owned()) }
}
