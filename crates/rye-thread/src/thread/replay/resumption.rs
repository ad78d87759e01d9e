//! Taking a thread up again on its record: the record must allow the continuation that the event describes.

use super::answers::Answers;
use super::difference::{Difference, Stop};
use crate::capability::{Claims, Token, TokenChain};
use crate::event::{Event, EventData, Stood};
use crate::machine::{Resumption, Terms};
use crate::thread::error::Error;
use crate::thread::record::branch;
use crate::thread::record::signer;
use crate::thread::record::state::tokens_at;
use crate::thread::run::Course;

/// Takes the thread up again as its event says. Returns what may be done from there on.
pub(super) fn resume(
    course: &mut Course,
    answers: &mut Answers<'_>,
    before: &TokenChain,
    event: &Event,
) -> Result<TokenChain, Stop> {
    let wrong = |message: String| Stop::from(answers.at().wrong(message));
    let EventData::ThreadResumed { after, turn, limits, token, answered, retaken, summarized, terms, .. } = &event.what
    else {
        return Err(Stop::Over);
    };
    let has_ended = course.events().last().is_some_and(|last| last.what.is_terminal());
    if has_ended == (*after == Stood::Interrupted) {
        return Err(wrong(format!("`thread_resumed` says that the thread stood as `{}`", after.as_str())));
    }
    if *turn != course.machine.last_number() {
        return Err(wrong(format!("`thread_resumed` goes on after turn {turn}, and the last one is another")));
    }
    if *retaken && course.machine.cut_off().next().is_none() {
        return Err(wrong("`thread_resumed` makes calls again, and the end cut none off".to_owned()));
    }
    let terms: Terms = match serde_json::from_value(terms.as_ref().clone()) {
        Ok(terms) => terms,
        Err(error) => return Err(wrong(format!("the terms of `thread_resumed` cannot be read: {error}"))),
    };
    if *limits != terms.limits_as_text() {
        return Err(wrong("`thread_resumed` has other limits than its terms".to_owned()));
    }
    let (chain, reissued) = chain(answers, before, event, &terms)?;
    if chain.tokens().last().map(|leaf| leaf.sha256().to_string()).as_ref() != Some(token) {
        return Err(wrong("`thread_resumed` names another token".to_owned()));
    }
    let chain = chain.under(terms.policy);
    let resumption = Resumption {
        event: event.what.clone(),
        chain: chain.clone(),
        ceilings: terms.limits,
        price: terms.price,
        max_output_tokens: terms.max_output_tokens,
        compaction: terms.compaction,
        answered: *answered,
        summarized: *summarized,
        retaken: *retaken,
        now_ms: 0,
        used_ms: 0,
    };
    course.resume(resumption).map_err(Error::from)?;
    answers.reissued = reissued;
    Ok(chain)
}

/// Checks the tokens that count from there on: the same as before, or issued again with the same content for these limits.
fn chain(
    answers: &Answers<'_>,
    before: &TokenChain,
    event: &Event,
    terms: &Terms,
) -> Result<(TokenChain, Option<Vec<Token>>), Stop> {
    let (segment, commit) = (answers.segment, answers.present());
    let wrong = |message: String| {
        let path = Some(branch::path(&segment.thread_id, "token.json"));
        Stop::from(Difference { path, ..answers.at().wrong(message) })
    };
    let tokens = tokens_at(answers.repository, &commit.commit_id, &segment.thread_id)?;
    let limits = terms.limits.as_text();
    if tokens.iter().any(|token| token.claims().limits != limits) {
        return Err(wrong("the token has other limits than `thread_resumed`".to_owned()));
    }
    if tokens == before.tokens() {
        return Ok((before.clone(), None));
    }
    let Some(key) = signer(&commit.info) else {
        return Err(wrong("the commit has no good signature, so the token cannot be verified".to_owned()));
    };
    let chain = TokenChain::verify(tokens.clone(), &key, event.time).map_err(|error| wrong(error.to_string()))?;
    let is_same = |(one, other): (&Token, &Token)| {
        let (one, other): (&Claims, &Claims) = (one.claims(), other.claims());
        one.grants_as(other) && one.thread_id == other.thread_id
    };
    if chain.tokens().len() != before.tokens().len() || !before.tokens().iter().zip(chain.tokens()).all(is_same) {
        return Err(wrong("the token is another than that which was issued first".to_owned()));
    }
    Ok((chain, Some(tokens)))
}
