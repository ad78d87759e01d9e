//! What a thread may use and do that is taken up again: limits of its own, and tokens with the same content.

use crate::capability::{Claims, Token, TokenChain, TokenError};
use crate::context::LimitRules;
use crate::item::{Directive, Limits};
use crate::machine::harness::Ceilings;
use crate::session::Session;
use crate::thread::error::Error;
use crate::trust::Place;

/// How long a token counts beyond the thread's own limit, in seconds.
const TOKEN_GRACE: i64 = 3_600;

/// Joins the former limits with the requested ones: these replace them, within the directive's.
pub(in crate::thread) fn ceilings(
    directive: &Directive,
    before: &Ceilings,
    asked: &Limits,
    rules: &LimitRules,
) -> Result<Ceilings, Error> {
    let fresh = Ceilings::new(&directive.limits, directive.cost.as_ref(), asked, rules)?;
    Ok(Ceilings {
        turns: if asked.turns.is_some() { fresh.turns } else { before.turns },
        tokens: if asked.tokens.is_some() { fresh.tokens } else { before.tokens },
        duration: if asked.duration.is_some() { fresh.duration } else { before.duration },
        spend: if asked.spend.is_some() { fresh.spend } else { before.spend.clone() },
        context: before.context,
        counting: before.counting,
        repeats: before.repeats,
    })
}

/// Issues tokens again with the same content, if their time is over or they name other limits. They were verified before.
///
/// # Errors
///
/// Fails when the agent's key is revoked.
pub(super) fn reissue(session: &Session, tokens: &[Token], limits: &Ceilings) -> Result<Option<TokenChain>, Error> {
    let (agent, now) = (session.project().agent()?, session.context().now());
    if session.project().keys().is_revoked(&agent.public(), Place::default()) {
        return Err(TokenError::Revoked { key_id: agent.public().key_id() }.into());
    }
    let until = now.plus_seconds(i64::try_from(limits.duration).unwrap_or(i64::MAX));
    let text = limits.as_text();
    let holds = |token: &Token| token.claims().expires_at > until && token.claims().limits == text;
    if tokens.iter().all(holds) {
        return Ok(None);
    }
    let mut fresh: Vec<Token> = Vec::new();
    for token in tokens {
        let mut claims: Claims = token.claims().clone();
        claims.limits.clone_from(&text);
        claims.parent = fresh.last().map(Token::sha256);
        claims.issued_at = now;
        claims.expires_at = until.plus_seconds(TOKEN_GRACE);
        claims.key_id = agent.public().key_id();
        fresh.push(claims.sign(agent));
    }
    Ok(Some(TokenChain::verify(fresh, &agent.public(), now)?))
}
