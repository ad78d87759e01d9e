//! The tokens of a thread that an older version recorded without `setup.json`: nothing else of such a thread can be derived.

use crate::capability::{Token, TokenChain};
use crate::git::Repository;
use crate::thread::error::Error;
use crate::thread::record::state::record_at;
use crate::thread::record::{History, branch, signer};

/// Fails unless the key that signed the first commit minted the tokens for this very thread and directive. No git signs in their
/// namespace.
pub(in crate::thread) fn check_tokens(repository: &Repository, history: &History) -> Result<(), Error> {
    let thread_id = &history.record.thread_id;
    let differs = |message: String| Error::Derived { thread_id: thread_id.clone(), message };
    let missing = |name: &str| differs(format!("`{name}` is missing"));
    let first = history.commits.first().ok_or_else(|| Error::NoTurns { thread_id: thread_id.clone() })?;
    let key = signer(&first.info).ok_or_else(|| differs("the first commit has no good signature".to_owned()))?;
    let start = record_at(repository, &first.commit_id, thread_id)?.ok_or_else(|| missing("thread.json"))?;
    let bytes = repository.file_at(&first.commit_id, &branch::path(thread_id, "token.json"))?;
    let bytes = bytes.ok_or_else(|| missing("token.json"))?;
    let unreadable = |source| Error::Setup { thread_id: thread_id.clone(), file: "token.json", source };
    let tokens: Vec<Token> = serde_json::from_slice(&bytes).map_err(unreadable)?;
    let chain = TokenChain::verify(tokens, &key, start.started_at).map_err(|error| differs(error.to_string()))?;
    let claims = || chain.tokens().iter().map(Token::claims);
    if claims().any(|claims| claims.thread_id != *thread_id) {
        return Err(differs("the token was minted for another thread".to_owned()));
    }
    if claims().next_back().map(|leaf| &leaf.directive) != Some(&start.directive) {
        return Err(differs("the token was minted for another directive".to_owned()));
    }
    Ok(())
}
