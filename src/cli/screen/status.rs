//! The line below everything while a thread runs: turn, tokens, money, the time left, and the reason for waiting.

use std::time::Duration;

use super::flow::{columns, cut};
use crate::item::Money;
use crate::thread::Tally;

/// What a thread does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Doing {
    /// Something that takes no time.
    #[default]
    Nothing,
    /// It waits for the model.
    Asking,
    /// The model reasons.
    Thinking,
    /// The model speaks.
    Answering,
    /// The model writes a call of this tool.
    Calling(String),
    /// Tools run.
    Running,
    /// It waits to ask again.
    Waiting,
}

/// Writes the line for a terminal of this width. `left` is the time the thread still has, `since` for how long it has
/// done what it does.
pub(super) fn line(tally: &Tally, left: Duration, doing: &Doing, since: Duration, width: usize) -> String {
    let (turn, turns) = (tally.number, tally.turns);
    let of = match turns {
        (used, most) if used == turn => format!("of {most}"),
        (used, most) => format!("({used} of {most})"),
    };
    let (spent, most) = (&tally.spend.0, &tally.spend.1);
    let (spend, left) = (amount(spent), clock(left));
    let currency = most.currency();
    let activity = doing.told(since);
    let most_spend = most.amount();
    let tokens = tally.tokens;
    let forms = [
        format!("turn {turn} {of} · {tokens} tokens · {spend} of {most_spend} {currency} · {left} left{activity}"),
        format!("turn {turn} · {tokens} tokens · {spend} {currency} · {left} left{activity}"),
        format!("turn {turn} · {tokens} tokens · {spend} {currency} · {left} left"),
        format!("turn {turn} · {tokens} tok · {spend} {currency} · {left}"),
    ];
    let fits = |form: &&String| columns(form) < width;
    let form = forms.iter().find(fits).unwrap_or(&forms[forms.len() - 1]);
    cut(form, width.saturating_sub(1))
}

impl Doing {
    fn told(&self, since: Duration) -> String {
        let seconds = match since.as_secs() {
            0 => String::new(),
            seconds => format!(" {seconds} s"),
        };
        match self {
            Self::Nothing | Self::Answering | Self::Running => String::new(),
            Self::Asking => format!(" · asking{seconds}"),
            Self::Thinking => format!(" · thinking{seconds}"),
            Self::Calling(name) => format!(" · calling {}{seconds}", cut(name, 24)),
            Self::Waiting => " · waiting to ask again".to_owned(),
        }
    }
}

/// Writes the spent amount with four digits behind the point. A spent amount is never shown as zero.
fn amount(money: &Money) -> String {
    let parts = money.nano().div_ceil(100_000);
    format!("{}.{:04}", parts / 10_000, parts % 10_000)
}

/// Writes a time as minutes and seconds, or hours before them.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn the_line_gets_shorter_with_the_terminal() {
        let spend = (Money::parse("0.001234567", "USD").unwrap(), Money::parse("0.10", "USD").unwrap());
        let tally = Tally { number: 2, turns: (2, 8), tokens: 1234, spend, remaining: Duration::from_secs(299) };
        let line = |width| line(&tally, tally.remaining, &Doing::Thinking, Duration::from_secs(12), width);
        assert_eq!(line(80), "turn 2 of 8 · 1234 tokens · 0.0013 of 0.10 USD · 4:59 left · thinking 12 s");
        assert_eq!(line(64), "turn 2 · 1234 tokens · 0.0013 USD · 4:59 left · thinking 12 s");
        assert_eq!(line(50), "turn 2 · 1234 tokens · 0.0013 USD · 4:59 left");
        assert_eq!(line(40), "turn 2 · 1234 tok · 0.0013 USD · 4:59");
        assert_eq!(line(20), "turn 2 · 1234 tok …");
        // An end and a resumption have numbers of their own.
        let resumed = Tally { number: 7, turns: (4, 8), ..tally.clone() };
        let line = super::line(&resumed, resumed.remaining, &Doing::Nothing, Duration::ZERO, 80);
        assert_eq!(line, "turn 7 (4 of 8) · 1234 tokens · 0.0013 of 0.10 USD · 4:59 left");
        assert_eq!(clock(Duration::from_secs(3_723)), "1:02:03");
        assert_eq!(amount(&Money::parse("0.000000001", "USD").unwrap()), "0.0001");
    }
}
