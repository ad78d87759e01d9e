//! What a person's configuration forbids or wants to be asked about, whatever a directive was granted.
//!
//! A denial beats every grant, and a question beats every grant and loses to a denial. A pure check: who is asked, and
//! how, is not known here. Without a terminal, asking is denying.

use serde::{Deserialize, Serialize};

use super::pattern::ALWAYS_ASKED;
use super::{Call, Capability, Denial, shell};

/// The patterns of the section `[permissions]` of a configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// Calls that are never made.
    pub deny: Vec<Capability>,
    /// Calls that a person must agree to each time.
    pub ask: Vec<Capability>,
    /// Calls among those that are always asked about that are made without a question. A person's own configuration alone can
    /// say so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unasked: Vec<Capability>,
}

/// The checks between a granted call and its execution.
#[must_use = "a call that must be asked about is not allowed until somebody agreed"]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Consent {
    /// Nothing.
    Given,
    /// Somebody must agree to it, because this pattern covers it.
    Needed {
        /// The pattern.
        pattern: Capability,
    },
}

impl Policy {
    /// Returns what either of two policies forbids or asks about: joining only ever tightens, so what the other one would let pass
    /// unasked does not count.
    #[must_use]
    pub fn joined(mut self, other: Self) -> Self {
        self.deny.extend(other.deny);
        self.ask.extend(other.ask);
        self
    }

    /// Returns the patterns that always need an approval; none without such patterns.
    #[must_use]
    pub fn always_asked(&self) -> Option<Capability> {
        let always: Capability = ALWAYS_ASKED.parse().ok()?;
        (!self.unasked.iter().any(|unasked| unasked.includes(&always))).then_some(always)
    }

    /// Checks a call against the patterns.
    ///
    /// # Errors
    ///
    /// Returns the denial to show when a pattern of `deny` covers it.
    pub fn check(&self, call: &Call) -> Result<Consent, Denial> {
        if let Some(pattern) = covering(&self.deny, call) {
            return Err(Denial::Configured { call: call.to_string(), pattern: pattern.clone() });
        }
        if let Some(always) = self.always_asked().filter(|always| always.covers(call))
            && covering(&self.unasked, call).is_none()
        {
            return Ok(Consent::Needed { pattern: always });
        }
        Ok(match covering(&self.ask, call) {
            Some(pattern) => Consent::Needed { pattern: pattern.clone() },
            None => Consent::Given,
        })
    }
}

fn covering<'p>(patterns: &'p [Capability], call: &Call) -> Option<&'p Capability> {
    // Denying the tool that runs programs denies every program.
    let run = shell::run_of(call);
    patterns.iter().find(|pattern| pattern.covers(call) || run.as_ref().is_some_and(|run| pattern.covers(run)))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::capability::Primary;
    use crate::id::ItemType;

    fn check(policy: &Policy, id: &str) -> Result<Consent, Denial> {
        policy.check(&Call::on(Primary::Execute, ItemType::Tool, id.parse().unwrap()))
    }

    #[test]
    fn a_denial_beats_a_question_and_both_know_former_names() {
        let pattern = |text: &str| text.parse::<Capability>().unwrap();
        let policy = Policy {
            deny: vec![pattern("rye.execute.tool.rye.file-system.fs_*")],
            ask: vec![pattern("rye.execute.tool.rye.*")],
            ..Policy::default()
        };
        let denied = |call: &str| Denial::Configured { call: call.to_owned(), pattern: policy.deny[0].clone() };
        assert_eq!(check(&policy, "rye/file-system/write"), Err(denied("execute tool rye/file-system/write")));
        assert_eq!(check(&policy, "rye/file-system/fs_read"), Err(denied("execute tool rye/file-system/read")));
        let asked = Consent::Needed { pattern: policy.ask[0].clone() };
        assert_eq!(check(&policy, "rye/file-system/list"), Ok(asked));
        assert_eq!(check(&policy, "mine/own"), Ok(Consent::Given));
        assert_eq!(check(&Policy::default(), "rye/file-system/list"), Ok(Consent::Given));
    }

    #[test]
    fn the_tool_that_runs_programs_stands_for_all_of_them() {
        let pattern = || "rye.execute.tool.rye.shell.run".parse::<Capability>().unwrap();
        let deny = Policy { deny: vec![pattern()], ..Policy::default() };
        assert!(check(&deny, "rye/shell/docker").is_err() && check(&deny, "rye/git/log").is_ok());
        let ask = Policy { ask: vec![pattern()], ..Policy::default() };
        assert_eq!(check(&ask, "rye/shell/docker"), Ok(Consent::Needed { pattern: pattern() }));
    }

    #[test]
    fn registries_are_always_asked_about_unless_the_person_says_otherwise() {
        let pattern = |text: &str| text.parse::<Capability>().unwrap();
        let asked = || Ok(Consent::Needed { pattern: pattern(ALWAYS_ASKED) });
        assert_eq!(check(&Policy::default(), "rye/registry/publish"), asked());
        let unasked = Policy { unasked: vec![pattern("rye.execute.tool.rye.registry.search")], ..Policy::default() };
        assert_eq!(check(&unasked, "rye/registry/search"), Ok(Consent::Given));
        assert_eq!(check(&unasked, "rye/registry/pull"), asked());
        // A call that another policy would allow does not pass.
        assert_eq!(check(&Policy::default().joined(unasked.clone()), "rye/registry/search"), asked());
        let own = Policy { ask: vec![pattern("rye.*")], ..unasked };
        assert_eq!(check(&own, "rye/registry/search"), Ok(Consent::Needed { pattern: pattern("rye.*") }));
        let all = Policy { unasked: vec![pattern("rye.execute.tool.rye.*")], ..Policy::default() };
        assert_eq!((check(&all, "rye/registry/pull"), all.always_asked()), (Ok(Consent::Given), None));
    }
}
