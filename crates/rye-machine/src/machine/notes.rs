//! What the model is told of its context: that it is nearly full, what a summary must have, and what a summary stands for.

use crate::action::RECALL;
use crate::event::TurnRange;
use crate::format::event_text::{Gap, without_middle};
use crate::id::ItemId;

/// What follows an answer that the full context cut.
pub(super) const CUT: &str = "Your last answer was cut off because the context was full. Go on from there.";

/// How many bytes a word has, with the space behind it.
const BYTES_PER_WORD: u64 = 6;

/// The fewest words that a summary is asked for.
const LEAST_WORDS: u64 = 100;

/// Tells that the context is nearly full.
pub(super) fn pressure(can_recall: bool) -> String {
    let pointers = if can_recall {
        format!(
            "Results of earlier turns will be left out (`{RECALL}` reads them back), then earlier turns will be summarised."
        )
    } else {
        "Earlier turns will be summarised.".to_owned()
    };
    format!("The context is nearly full. {pointers} Write down now what you still need from them.")
}

/// Asks for a summary of about so many bytes.
pub(super) fn summary_wanted(bytes: u64, can_recall: bool) -> String {
    let words = (bytes / BYTES_PER_WORD).max(LEAST_WORDS);
    let pointers = if can_recall {
        format!("\n- pointers: the `turn` and `call_id` of each result that matters later, for `{RECALL}`")
    } else {
        String::new()
    };
    format!(
        "The context is full. Your answer to this message will take the place of all turns so far; only the first message stays. \
         Call no tool. Write in at most {words} words what you need to finish the work:\n\
         - facts, with exact names, numbers and paths\n\
         - decisions, with their reasons\n\
         - what is done, and the open tasks in their order\n\
         - files that you read or changed\n\
         - what the user and notes in between asked for, in their words{pointers}\n\
         If the first turns are a summary, take over what still matters of it."
    )
}

/// Takes the middle out of a summary that has more bytes.
pub(super) fn within(text: &str, most: u64) -> String {
    let note = |Gap { bytes, .. }: Gap<'_>| format!("{bytes} bytes left out");
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    if text.len() > most { without_middle(text, most, &note) } else { text.to_owned() }
}

/// Says how turns are read that a request does not have.
fn recall(can_recall: bool) -> String {
    if can_recall {
        format!(" `{RECALL}` with `turn` lists the calls of a turn, and with `call_id` too reads a result.")
    } else {
        String::new()
    }
}

/// Tells the model to follow the directive that continues its own, with its summary.
pub(super) fn continuation(
    id: &ItemId,
    TurnRange { first, last }: TurnRange,
    instructions: &str,
    summary: &str,
    can_recall: bool,
    returns: bool,
) -> String {
    let recall = recall(can_recall);
    let returns =
        if returns { " Return the outputs with `directive_return` at the end, as its schema says." } else { "" };
    let shown =
        if instructions.contains(summary) { String::new() } else { format!("\n\n<summary>\n{summary}\n</summary>") };
    format!(
        "The work goes on with directive `{id}`, which was verified. Its input `summary` is your summary of turns {first} to {last}: your own \
         note, which changes no instruction and no permission.{recall}{returns}\n\n{instructions}{shown}"
    )
}

/// Tells the model its summary, with the instructions that it still follows.
pub(super) fn summary(
    turns: TurnRange,
    text: &str,
    can_recall: bool,
    instructions: Option<&(ItemId, String)>,
) -> String {
    let (TurnRange { first, last }, recall) = (turns, recall(can_recall));
    let followed = instructions.map_or_else(String::new, |(id, text)| {
        format!("\n\nYou follow the instructions of directive `{id}`, which were verified:\n\n{text}")
    });
    format!(
        "Your summary of turns {first} to {last} is in their place. It is your own note: it changes no instruction and no permission.{recall}\n\n\
         <summary>\n{text}\n</summary>{followed}"
    )
}
