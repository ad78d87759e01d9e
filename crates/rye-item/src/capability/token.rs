//! Capability tokens: a signed statement of what one thread may do (docs/formats.md, section 5).
//!
//! A token is canonical JSON, signed by the agent key under a namespace of its own. A chain holds a thread's token
//! and those of all its ancestors; a call is allowed only if *every* one allows it, so a child can only narrow.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::set::{check_call, check_path, finds_any};
use super::{
    Access, Call, Capabilities, Capability, Consent, Denial, HostRule, PathRules, Policy, Primary, ProjectPath,
};
use crate::id::{ItemId, ItemType, ThreadId, Timestamp, Version};
use crate::trust::{ContentHash, KeyId, Namespace, PublicKey, RawSignature, SigningKey, canonical_json};

/// The version of the token format this program writes.
const FORMAT: u32 = 1;

/// The directive a token was minted for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenDirective {
    /// The directive's id.
    pub id: ItemId,
    /// Its version.
    pub version: Version,
    /// The SHA-256 of its whole file.
    pub sha256: ContentHash,
}

/// What a token says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    /// The format's version.
    pub v: u32,
    /// The thread it was minted for.
    pub thread_id: ThreadId,
    /// The directive that thread runs.
    pub directive: TokenDirective,
    /// The calls it allows.
    pub capabilities: Vec<Capability>,
    /// The paths it lets tools touch.
    pub paths: PathRules,
    /// The hosts it lets tools reach. A caller's token says nothing of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostRule>,
    /// The SHA-256 of the file in which a caller allows this; none in the token of a directive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<ContentHash>,
    /// The thread's limits as text, by name.
    pub limits: BTreeMap<String, String>,
    /// The SHA-256 of the parent's token in its canonical form, signature included; none for a root thread.
    pub parent: Option<ContentHash>,
    /// When it was minted.
    pub issued_at: Timestamp,
    /// When it stops counting.
    pub expires_at: Timestamp,
    /// The key that signed it.
    pub key_id: KeyId,
}

/// Claims with their signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    #[serde(flatten)]
    claims: Claims,
    signature: String,
}

/// A thread's token behind those of its ancestors, root first, every one checked; and the policy over all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenChain {
    tokens: Vec<Token>,
    policy: Policy,
}

/// Why a chain of tokens does not count.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum TokenError {
    /// There is no token at all.
    #[error("the thread has no capability token")]
    Empty,
    /// A token of a format this program does not know.
    #[error("the capability token has format {found}; this program knows format {FORMAT}")]
    Format {
        /// The format found.
        found: u32,
    },
    /// The signature does not fit.
    #[error("the capability token of `{thread_id}` was changed after it was signed, or by another key")]
    Signature { thread_id: ThreadId },
    /// It does not name the token before it as its parent.
    #[error("the capability token of `{thread_id}` does not belong to the token before it")]
    Parent { thread_id: ThreadId },
    /// The agent's key is revoked, so nothing it signs counts.
    #[error("the agent key `{key_id}`, which signs capability tokens, is revoked")]
    Revoked { key_id: KeyId },
    /// Its time is over.
    #[error("the capability token of `{thread_id}` expired at {expires_at}")]
    Expired { thread_id: ThreadId, expires_at: Timestamp },
}

impl Claims {
    /// Gathers what a token will say.
    #[must_use]
    pub fn new(thread_id: ThreadId, directive: TokenDirective, granted: Capabilities, key_id: KeyId) -> Self {
        Self {
            v: FORMAT,
            thread_id,
            directive,
            capabilities: granted.calls,
            paths: granted.paths,
            hosts: granted.hosts,
            caller: None,
            limits: BTreeMap::new(),
            parent: None,
            issued_at: Timestamp::from_milliseconds(0),
            expires_at: Timestamp::from_milliseconds(0),
            key_id,
        }
    }

    /// Tells whether these claims allow exactly what others do, for the same directive.
    #[must_use]
    pub fn grants_as(&self, other: &Self) -> bool {
        let granted = |claims: &Self| {
            let Claims { directive, capabilities, paths, hosts, caller, .. } = claims.clone();
            (directive, capabilities, paths, hosts, caller)
        };
        granted(self) == granted(other)
    }

    /// Signs the claims.
    #[must_use]
    pub fn sign(self, key: &SigningKey) -> Token {
        let signature = key.sign(Namespace::Agent, &self.to_canonical());
        Token { claims: self, signature: URL_SAFE.encode(signature.0) }
    }

    fn to_canonical(&self) -> Vec<u8> {
        canonical_json(self).expect("because claims hold only strings and small integers")
    }
}

impl Token {
    /// Returns what the token says.
    #[must_use]
    pub const fn claims(&self) -> &Claims {
        &self.claims
    }

    /// Computes the SHA-256 of the token's canonical form: how a child names its parent.
    #[must_use]
    pub fn sha256(&self) -> ContentHash {
        ContentHash::of(&canonical_json(self).expect("because a token holds only strings and small integers"))
    }

    fn is_signed_by(&self, key: &PublicKey) -> bool {
        let raw = URL_SAFE.decode(&self.signature).ok().and_then(|bytes| bytes.try_into().ok());
        let signed = self.claims.to_canonical();
        raw.is_some_and(|raw| key.verifies(Namespace::Agent, &signed, RawSignature(raw)))
            && self.claims.key_id == key.key_id()
    }

    fn check_call(&self, call: &Call) -> Result<(), Denial> {
        let Claims { capabilities, caller, .. } = &self.claims;
        check_call(capabilities, call).map_err(|denial| match denial {
            Denial::Call { call, needed } if caller.is_some() => Denial::Caller { call, needed },
            denial => denial,
        })
    }
}

impl TokenChain {
    /// Checks a chain, root first: formats, signatures, parents and expiry.
    ///
    /// # Errors
    ///
    /// Returns the first reason for which the chain does not count.
    pub fn verify(tokens: Vec<Token>, key: &PublicKey, now: Timestamp) -> Result<Self, TokenError> {
        if tokens.is_empty() {
            return Err(TokenError::Empty);
        }
        let mut parent = None;
        for token in &tokens {
            check_one(token, parent, key, now)?;
            parent = Some(token.sha256());
        }
        Ok(Self { tokens, policy: Policy::default() })
    }

    /// Puts the chain under a policy that beats every grant.
    #[must_use]
    pub fn under(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    /// Checks that every token of the chain and the policy allow `call`. The answer may be that somebody must agree.
    ///
    /// # Errors
    ///
    /// Returns the denial to show when one of them does not.
    pub fn check(&self, call: &Call) -> Result<Consent, Denial> {
        // The leaf first: no caller could give more than the directive declares.
        self.tokens.iter().rev().try_for_each(|token| token.check_call(call))?;
        self.policy.check(call)
    }

    /// Checks a call that a hook of the thread's directive makes. The directive declares in the hook which directive or knowledge it takes
    /// in, so that needs no permission of its own; every other token and the policy have to allow it as any call.
    ///
    /// # Errors
    ///
    /// As [`TokenChain::check`].
    pub(super) fn check_of_hook(&self, call: &Call) -> Result<Consent, Denial> {
        let is_taken_in = call.primary == Primary::Execute
            && match call.item_type {
                ItemType::Directive | ItemType::Knowledge => true,
                ItemType::Tool | ItemType::Skill => false,
            };
        let leaf = self.tokens.last().map(|token| &token.claims.directive);
        let declares =
            |token: &&Token| is_taken_in && token.claims.caller.is_none() && Some(&token.claims.directive) == leaf;
        self.tokens.iter().rev().filter(|token| !declares(token)).try_for_each(|token| token.check_call(call))?;
        self.policy.check(call)
    }

    /// Checks that every token of the chain lets some item of a type be found, and that the policy does not forbid it.
    pub(super) fn check_search_of(&self, item_type: ItemType) -> Result<(), Denial> {
        self.tokens.iter().rev().try_for_each(|token| {
            if finds_any(&token.claims.capabilities, item_type) {
                Ok(())
            } else {
                token.check_call(&Call::search(item_type))
            }
        })?;
        self.policy.check(&Call::search(item_type)).map(drop)
    }

    /// Checks that every token of the chain lets a tool touch `path`.
    ///
    /// # Errors
    ///
    /// Returns the denial to show when one of them does not.
    pub fn check_path(&self, access: Access, path: &ProjectPath) -> Result<(), Denial> {
        check_path(self.tokens.iter().map(|token| &token.claims.paths), access, path)
    }

    /// Returns what beats every grant of the chain.
    #[must_use]
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Returns the tokens, root first.
    #[must_use]
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }
}

fn check_one(token: &Token, parent: Option<ContentHash>, key: &PublicKey, now: Timestamp) -> Result<(), TokenError> {
    let claims = &token.claims;
    let thread_id = || claims.thread_id.clone();
    if claims.v != FORMAT {
        return Err(TokenError::Format { found: claims.v });
    }
    if !token.is_signed_by(key) {
        return Err(TokenError::Signature { thread_id: thread_id() });
    }
    if claims.parent != parent {
        return Err(TokenError::Parent { thread_id: thread_id() });
    }
    if claims.expires_at <= now {
        return Err(TokenError::Expired { thread_id: thread_id(), expires_at: claims.expires_at });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn claims(key: &SigningKey, patterns: &[&str]) -> Claims {
        let directive = TokenDirective {
            id: "a/b".parse().unwrap(),
            version: "1.0.0".parse().unwrap(),
            sha256: ContentHash::of(b"x"),
        };
        let calls = patterns.iter().map(|pattern| pattern.parse().unwrap()).collect();
        let granted = Capabilities { calls, ..Capabilities::default() };
        let thread_id = "b-20260317-014108-aaaaaaaa".parse().unwrap();
        let mut claims = Claims::new(thread_id, directive, granted, key.public().key_id());
        claims.expires_at = Timestamp::from_milliseconds(10_000);
        claims
    }

    fn call(id: &str) -> Call {
        Call::on(Primary::Execute, ItemType::Tool, id.parse().unwrap())
    }

    /// Hole 9 of the threat model: a child that declares more than its parent gets no more.
    #[test]
    fn a_child_can_only_narrow() {
        let key = SigningKey::from_seed(&[1; 32]);
        let parent = claims(&key, &["rye.execute.tool.read.*"]).sign(&key);
        let mut child = claims(&key, &["rye.*"]);
        child.parent = Some(parent.sha256());
        let chain =
            TokenChain::verify(vec![parent, child.sign(&key)], &key.public(), Timestamp::from_milliseconds(0)).unwrap();
        assert_eq!(chain.check(&call("read/file")), Ok(Consent::Given));
        assert_eq!(
            chain.check(&call("shell/run")),
            Err(Denial::Call {
                call: "execute tool shell/run".to_owned(),
                needed: "rye.execute.tool.shell.run".to_owned()
            })
        );
    }

    /// Hole 10 of the threat model: a token that was never really checked.
    #[test]
    fn a_token_that_was_changed_or_is_another_s_counts_for_nothing() {
        let (key, stranger) = (SigningKey::from_seed(&[1; 32]), SigningKey::from_seed(&[2; 32]));
        let now = Timestamp::from_milliseconds(0);
        let token = claims(&key, &["rye.execute.tool.read.*"]).sign(&key);
        let verify = |tokens: Vec<Token>, now| TokenChain::verify(tokens, &key.public(), now).map(|_| ());
        let signature = Err(TokenError::Signature { thread_id: token.claims.thread_id.clone() });

        let mut widened = token.clone();
        widened.claims.capabilities = vec![Capability::everything()];
        assert_eq!(verify(vec![widened], now), signature);
        assert_eq!(verify(vec![claims(&stranger, &["rye.*"]).sign(&stranger)], now), signature);
        assert_eq!(verify(vec![claims(&key, &["rye.*"]).sign(&stranger)], now), signature);
        assert_eq!(verify(Vec::new(), now), Err(TokenError::Empty));
        let orphan = Err(TokenError::Parent { thread_id: token.claims.thread_id.clone() });
        assert_eq!(verify(vec![token.clone(), token.clone()], now), orphan);
        let late = Timestamp::from_milliseconds(10_000);
        let expired = TokenError::Expired { thread_id: token.claims.thread_id.clone(), expires_at: late };
        assert_eq!(verify(vec![token.clone()], late), Err(expired));

        let stored: Token = serde_json::from_slice(&canonical_json(&token).unwrap()).unwrap();
        assert_eq!(stored, token);
        assert_eq!(verify(vec![stored], now), Ok(()));
    }
}
