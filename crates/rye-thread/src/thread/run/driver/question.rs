//! The driver's questions to the model: sent, shown while the answer arrives, and taken into the record.

use std::cell::RefCell;
use std::time::Duration;

use super::{Live, sentence};
use crate::error::with_causes;
use crate::event::{EventData, TurnRange};
use crate::machine::lost_requests::room_after;
use crate::machine::{Answer, Input, Position, Question};
use crate::process::CancelFlag;
use crate::redact::Arriving;
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::model::Failed;
use crate::thread::model::provider::{Asking, LeftOut};
use crate::thread::run::observer::Tally;
use crate::thread::run::performer::Performer;

impl Live<'_> {
    /// Puts a question to the model, unless an earlier runner has the answer.
    pub(super) fn put(&mut self, question: Question, position: &Position, remaining: Duration) -> Result<Input, Error> {
        if let Some(earlier) = self.earlier()? {
            return Ok(earlier);
        }
        let mut request = self.request.clone();
        request.max_output_tokens = match room_after(self.keeper.unanswered(), &question) {
            Ok(tokens) => tokens,
            Err(out_of_room) => return Ok(out_of_room),
        };
        let summarized = question.summary;
        request.messages = question.messages;
        let Self { performer, chosen, scribe, keeper, cancel, failed, .. } = self;
        let Performer { session, guard, .. } = performer;
        let (session, cancel): (&Session, &CancelFlag) = (session, cancel);
        let (scribe, arriving, mut written) = (RefCell::new(scribe), RefCell::new(Arriving::default()), Ok(()));
        let mut unanswered = 0;
        let show_rest =
            || guard.rest(&mut arriving.borrow_mut()).iter().for_each(|rest| scribe.borrow_mut().arriving(rest));
        let asking = Asking {
            session,
            cancel,
            remaining,
            again: &mut |attempt, why, wait| {
                show_rest();
                if written.is_ok() {
                    let reason = guard.text(why.to_owned());
                    written = scribe.borrow_mut().retry(attempt, reason, wait, position, session.context());
                }
            },
            failed,
            unanswered: &mut unanswered,
            allowance: Some(&question.allowance),
            arriving: &mut |delta| {
                let shown = guard.shown(&mut arriving.borrow_mut(), delta);
                shown.iter().for_each(|delta| scribe.borrow_mut().arriving(delta));
            },
        };
        let began = session.context().elapsed_ms();
        if chosen.is_on_network() {
            keeper.sent()?;
        }
        let answered = chosen.ask(request, asking);
        show_rest();
        written?;
        let scribe = scribe.into_inner();
        if let Some(LeftOut { fields, reason }) = chosen.take_left_out() {
            scribe.asked_without(fields, guard.text(reason), position, session.context())?;
        }
        if unanswered > 0 {
            scribe.note(EventData::RequestsUnanswered { count: unanswered }, position, session.context())?;
            keeper.left_unanswered(unanswered);
        }
        match answered {
            Ok(answer) => self.take(answer, summarized),
            // With any error, it was stopped.
            Err(_) if let Some(cause) = cancel.cause() => Ok(Input::Cancel { cause: sentence(cause).to_owned() }),
            Err(_) if is_over(remaining, session.context().elapsed_ms().saturating_sub(began)) => Ok(Input::OutOfTime),
            Err(failed) => self.fall_back(failed),
        }
    }

    /// Takes what the model answered, or which other one was asked, before the thread's runner died.
    fn earlier(&mut self) -> Result<Option<Input>, Error> {
        if let Some((replacement, failed)) = self.keeper.earlier_fallback() {
            self.chosen.fall_back_to(&replacement)?;
            self.failed = failed;
            return Ok(Some(Input::FellBack(Box::new(replacement))));
        }
        let Some((answer, failed)) = self.keeper.earlier_answer() else { return Ok(None) };
        self.chosen.resume(answer.state.clone());
        self.failed = failed;
        Ok(Some(Input::Answer(answer)))
    }

    /// Takes an answer that was received.
    fn take(&mut self, answer: Answer, summarized: Option<TurnRange>) -> Result<Input, Error> {
        let now = self.performer.session.context().elapsed_ms();
        let counted = self.asked_at.take().map(|harness| Tally::after(harness, answer.usage(), now));
        counted.iter().for_each(|tally| self.scribe.observer.counted(tally));
        let answer = self.performer.guard.answer(answer);
        self.keeper.answer(&answer, self.failed, summarized)?;
        Ok(Input::Answer(answer))
    }

    /// Has another model answer after one failed for good, if there is another.
    fn fall_back(&mut self, failed: Failed) -> Result<Input, Error> {
        let guard = &self.performer.guard;
        let reason = guard.text(with_causes(&failed));
        let Some(replacement) = self.chosen.fall_back(&failed, &reason) else {
            let (code, message) = self.chosen.told(failed);
            return Ok(Input::ModelFailed { code: code.to_owned(), message: guard.text(message) });
        };
        self.tell_of_redirection();
        self.keeper.fell_back(&replacement, self.failed)?;
        Ok(Input::FellBack(Box::new(replacement)))
    }

    /// Tells where the model is asked in the place of its own host: each variable and host once.
    pub(super) fn tell_of_redirection(&mut self) {
        let Some((variable, host)) = self.chosen.redirected() else { return };
        let told = (variable.to_owned(), host);
        if !self.redirected.contains(&told) {
            self.scribe.observer.redirected(&told.0, &told.1);
            self.redirected.push(told);
        }
    }
}

/// Tells whether what remained is over; a wait may end a little early.
fn is_over(remaining: Duration, passed_ms: u64) -> bool {
    remaining.saturating_sub(Duration::from_millis(passed_ms)) < Duration::from_millis(20)
}
