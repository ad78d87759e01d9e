//! What judges a call: the tokens of a thread, or the permissions of a connection.
//!
//! Code that performs calls gets an [`Authority`] and asks nothing else, so both follow the same rules.

use std::fmt;

use super::set::check_path;
use super::{
    Access, Call, Capabilities, Consent, Denial, Following, HostRule, PathRules, Policy, ProjectPath, Token, TokenChain,
};
use crate::id::ItemType;

/// Judges calls and the paths that tools may touch.
pub trait Authority: fmt::Debug + Sync {
    /// Checks a call. The answer may be that somebody must agree.
    ///
    /// # Errors
    ///
    /// Returns the denial to show.
    fn judge(&self, call: &Call) -> Result<Consent, Denial>;

    /// Checks that a tool may touch `path`.
    ///
    /// # Errors
    ///
    /// Returns the denial to show.
    fn judge_path(&self, access: Access, path: &ProjectPath) -> Result<(), Denial>;

    /// Returns the path rules that count, all of them: a path must be allowed by each.
    fn path_rules(&self) -> Vec<PathRules>;

    /// Returns the rules of hosts that count, in layers all of which must name a host that a tool reaches. No layer names none.
    fn host_rules(&self) -> Vec<Vec<HostRule>>;

    /// Checks that a search may find some item of a type. Whether it may find an item is for [`judge`](Self::judge).
    ///
    /// # Errors
    ///
    /// Returns the denial to show.
    fn judge_search_of(&self, item_type: ItemType) -> Result<(), Denial>;

    /// Checks that a search may find anything at all: some item of the type, or of any type.
    ///
    /// # Errors
    ///
    /// Returns the first denial if it may find nothing.
    fn judge_search(&self, item_type: Option<ItemType>) -> Result<(), Denial> {
        let types = item_type.map_or_else(|| ItemType::ALL.to_vec(), |item_type| vec![item_type]);
        let mut judged = types.into_iter().map(|item_type| self.judge_search_of(item_type));
        let first = judged.next().unwrap_or(Ok(()));
        first.or_else(|denial| judged.find(Result::is_ok).unwrap_or(Err(denial)))
    }
}

impl Authority for TokenChain {
    fn judge(&self, call: &Call) -> Result<Consent, Denial> {
        self.check(call)
    }

    fn judge_path(&self, access: Access, path: &ProjectPath) -> Result<(), Denial> {
        self.check_path(access, path)
    }

    fn path_rules(&self) -> Vec<PathRules> {
        self.tokens().iter().map(|token| token.claims().paths.clone()).collect()
    }

    fn host_rules(&self) -> Vec<Vec<HostRule>> {
        // A caller's permissions are calls.
        let declared = self.tokens().iter().map(Token::claims).filter(|claims| claims.caller.is_none());
        declared.map(|claims| claims.hosts.clone()).collect()
    }

    fn judge_search_of(&self, item_type: ItemType) -> Result<(), Denial> {
        self.check_search_of(item_type)
    }
}

/// A thread's tokens, as they judge what a hook of the thread's directive does.
#[derive(Debug)]
pub struct OfHook<'a>(pub &'a TokenChain);

impl Authority for OfHook<'_> {
    fn judge(&self, call: &Call) -> Result<Consent, Denial> {
        self.0.check_of_hook(call)
    }

    fn judge_path(&self, access: Access, path: &ProjectPath) -> Result<(), Denial> {
        self.0.judge_path(access, path)
    }

    fn path_rules(&self) -> Vec<PathRules> {
        self.0.path_rules()
    }

    fn host_rules(&self) -> Vec<Vec<HostRule>> {
        self.0.host_rules()
    }

    fn judge_search_of(&self, item_type: ItemType) -> Result<(), Denial> {
        self.0.judge_search_of(item_type)
    }
}

/// The permissions of a connection: several layers, every one of which must allow a call, and the policy over all.
///
/// A further layer can only narrow, and so does the directive that the connection follows. No layer at all allows nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grant {
    layers: Vec<Capabilities>,
    policy: Policy,
    following: Option<Following>,
}

impl Grant {
    /// Makes a grant of its first layer, under a policy that beats it.
    #[must_use]
    pub fn new(first: Capabilities, policy: Policy) -> Self {
        Self { layers: vec![first], policy, following: None }
    }

    /// Lays one more layer over the others.
    #[must_use]
    pub fn narrowed(mut self, layer: Capabilities) -> Self {
        self.layers.push(layer);
        self
    }

    /// Narrows the grant to what the directive that the connection follows permits.
    #[must_use]
    pub fn following(self, following: Option<Following>) -> Self {
        Self { following, ..self }
    }
}

impl Authority for Grant {
    fn judge(&self, call: &Call) -> Result<Consent, Denial> {
        if self.layers.is_empty() {
            Capabilities::default().check(call)?;
        }
        self.layers.iter().try_for_each(|layer| layer.check(call))?;
        self.following.iter().try_for_each(|following| following.check(call))?;
        self.policy.check(call)
    }

    fn judge_path(&self, access: Access, path: &ProjectPath) -> Result<(), Denial> {
        let own = || self.layers.iter().map(|layer| &layer.paths);
        let followed = self.following.iter().flat_map(Following::path_rules);
        check_path(own().chain(followed), access, path).map_err(|denial| match &self.following {
            Some(following) if own().all(|rules| rules.match_path(access, path)) => following.denied(denial),
            _ => denial,
        })
    }

    fn path_rules(&self) -> Vec<PathRules> {
        let own = self.layers.iter().map(|layer| layer.paths.clone());
        own.chain(self.following.iter().flat_map(Following::path_rules).cloned()).collect()
    }

    fn host_rules(&self) -> Vec<Vec<HostRule>> {
        self.following.iter().flat_map(Following::host_rules).map(<[HostRule]>::to_vec).collect()
    }

    fn judge_search_of(&self, item_type: ItemType) -> Result<(), Denial> {
        let call = Call::search(item_type);
        if self.layers.is_empty() {
            Capabilities::default().check(&call)?;
        }
        self.layers
            .iter()
            .try_for_each(|layer| if layer.finds_any(item_type) { Ok(()) } else { layer.check(&call) })?;
        self.policy.check(&call).map(drop)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::capability::{PathRules, Primary};
    use crate::id::ItemType;

    fn layer(patterns: &[&str], read: &[&str]) -> Capabilities {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Capabilities {
            calls: patterns.iter().map(|pattern| pattern.parse().unwrap()).collect(),
            paths: PathRules { read: texts(read), write: Vec::new() },
            hosts: Vec::new(),
        }
    }

    fn judged(grant: &Grant, id: &str) -> Result<Consent, Denial> {
        grant.judge(&Call::on(Primary::Execute, ItemType::Tool, id.parse().unwrap()))
    }

    #[test]
    fn a_layer_can_only_narrow_and_the_policy_beats_all() {
        let policy = Policy { deny: vec!["rye.execute.tool.demo.shell".parse().unwrap()], ..Policy::default() };
        let wide = Grant::new(layer(&["rye.*"], &[]), policy);
        assert_eq!(judged(&wide, "demo/echo"), Ok(Consent::Given));
        assert!(matches!(judged(&wide, "demo/shell"), Err(Denial::Configured { .. })));
        let narrow = wide.narrowed(layer(&["rye.execute.tool.demo.*"], &["docs/**"]));
        assert_eq!(judged(&narrow, "demo/echo"), Ok(Consent::Given));
        assert!(matches!(judged(&narrow, "other/tool"), Err(Denial::Call { .. })));
        assert_eq!(narrow.judge_path(Access::Read, &"docs/a.md".parse().unwrap()), Ok(()));
        assert!(matches!(narrow.judge_path(Access::Read, &"a.md".parse().unwrap()), Err(Denial::Path { .. })));
        assert!(matches!(judged(&Grant::default(), "demo/echo"), Err(Denial::Call { .. })));
    }

    #[test]
    fn a_search_needs_something_that_every_layer_lets_it_find() {
        let wide = Grant::new(layer(&["rye.search.*"], &[]), Policy::default());
        assert_eq!(wide.judge_search(None), Ok(()));
        let narrow = wide.narrowed(layer(&["rye.search.tool.demo.*", "rye.load.*"], &[]));
        assert_eq!((narrow.judge_search(None), narrow.judge_search(Some(ItemType::Tool))), (Ok(()), Ok(())));
        assert!(matches!(narrow.judge_search(Some(ItemType::Knowledge)), Err(Denial::Call { .. })));
        let nothing = narrow.narrowed(layer(&["rye.load.*"], &[]));
        assert!(matches!(nothing.judge_search(None), Err(Denial::Call { .. })));
        assert!(matches!(Grant::default().judge_search(None), Err(Denial::Call { .. })));
    }
}
