//! A list of server-sent events as a turn.
//!
//! A stream ends with `message_stop` or `error`. Without either it was cut short, whatever else is wrong with it.

use std::collections::BTreeMap;

use rye_plugin_abi::provider::{FailureClass, ServerEvent};

use super::event::{self, Event};
use super::failure::Refused;
use super::turn::Turn;

/// Reads a stream that began with a status of success.
///
/// # Errors
///
/// An error event, or why the turn is incomplete.
pub(super) fn read(events: &[ServerEvent], is_whole: bool) -> Result<Turn, Refused> {
    let mut reader = Reader::default();
    match reader.read(events, is_whole) {
        Ok(()) => reader.turn.ok_or_else(out_of_order),
        Err(refused) => Err(refused.after(reader.turn.as_ref().map(Turn::usage).unwrap_or_default())),
    }
}

/// Says why a server that streams its error refuses.
pub(super) fn refused(status: u16, events: &[ServerEvent]) -> Refused {
    let error = events.iter().find_map(|event| match event::read(event) {
        Ok(Event::Error { error }) => Some(error),
        _ => None,
    });
    let first = || events.first().map_or("", |event| event.data.as_str());
    error.map_or_else(|| Refused::by_body(status, first()), |error| Refused::by_error(Some(status), &error))
}

enum Step {
    More,
    End,
    Refused(Refused),
}

#[derive(Default)]
struct Reader {
    turn: Option<Turn>,
    /// Where the block of an index is: the one that was opened last.
    positions: BTreeMap<u64, usize>,
}

impl Reader {
    fn read(&mut self, events: &[ServerEvent], is_whole: bool) -> Result<(), Refused> {
        for event in events {
            match self.take(event) {
                Ok(Step::More) => {}
                Ok(Step::End) if is_whole => return Ok(()),
                Ok(Step::End) => break,
                Ok(Step::Refused(refused)) => return Err(refused),
                Err(refused) if is_whole => return Err(refused),
                Err(_) => break,
            }
        }
        Err(Refused::new(FailureClass::CutShort, "the response ended without `message_stop`"))
    }

    fn take(&mut self, event: &ServerEvent) -> Result<Step, Refused> {
        match event::read(event).map_err(|problem| unreadable(event, &problem))? {
            Event::MessageStart { message } => self.start(Turn::whole(message))?,
            Event::ContentBlockStart { index, content_block } => {
                let position = self.turn()?.open(content_block);
                self.positions.insert(index, position);
            }
            Event::ContentBlockDelta { index, delta } => {
                let position = *self.positions.get(&index).ok_or_else(out_of_order)?;
                self.turn()?.block(position).ok_or_else(out_of_order)?.add(delta);
            }
            Event::MessageDelta { delta, usage } => self.turn()?.end(delta, &usage),
            Event::MessageStop => return Ok(Step::End),
            Event::Error { error } => return Ok(Step::Refused(Refused::by_error(None, &error))),
            Event::Other => {}
        }
        Ok(Step::More)
    }

    fn start(&mut self, turn: Turn) -> Result<(), Refused> {
        match self.turn.replace(turn) {
            None => Ok(()),
            Some(_) => Err(out_of_order()),
        }
    }

    fn turn(&mut self) -> Result<&mut Turn, Refused> {
        self.turn.as_mut().ok_or_else(out_of_order)
    }
}

fn unreadable(event: &ServerEvent, problem: &serde_json::Error) -> Refused {
    let name = if event.event.is_empty() { "an event".to_owned() } else { format!("the event `{}`", event.event) };
    Refused::new(FailureClass::Unreadable, format!("cannot read {name} of the response: {problem}"))
}

fn out_of_order() -> Refused {
    Refused::new(FailureClass::Unreadable, "the events of the response are out of order")
}
