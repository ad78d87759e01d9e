//! A set of capabilities with its path rules: what one directive, or one token, allows.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::pattern::ALWAYS_ASKED;
use super::standpoint::{Seen, Standpoint};
use super::{Access, Call, Capability, HostRule, PathRules, Primary, ProjectPath};
use crate::id::{ItemId, ItemType};

/// Everything a directive declares that it may do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capabilities {
    /// The calls that are allowed: any one pattern suffices.
    pub calls: Vec<Capability>,
    /// The paths that tools may touch.
    pub paths: PathRules,
    /// The hosts that tools may reach; none at all without a rule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostRule>,
}

/// Why something is not allowed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Denial {
    /// No capability covers the call.
    #[error("no permission for `{call}`: it needs `{needed}`")]
    Call {
        call: String,
        /// The capability that would cover it.
        needed: String,
    },
    /// The caller of the thread allows less than the directive declares.
    #[error("the permissions given for this thread do not allow `{call}`: it needs `{needed}`")]
    Caller {
        call: String,
        /// The capability that would cover it.
        needed: String,
    },
    /// A person's configuration forbids it.
    #[error("the user's configuration denies `{call}`")]
    Configured {
        call: String,
        /// The pattern that covers it.
        pattern: Capability,
    },
    /// A person's configuration asks before it, and the answer was not yes.
    #[error("`{call}` needs the user's approval and did not get it")]
    NotAgreed {
        call: String,
        /// The pattern that covers it.
        pattern: Capability,
    },
    /// A person's configuration asks before it, and the client has no way to ask.
    #[error("`{call}` needs the user's approval, and this client cannot ask for it")]
    NotAskable {
        call: String,
        /// The pattern that covers it.
        pattern: Capability,
    },
    /// A person's configuration asks before it, and the question would not show all of the call.
    #[error("`{call}` needs the user's approval, and has too many parameters to show")]
    NotShown {
        call: String,
        /// The pattern that covers it.
        pattern: Capability,
    },
    /// A person's configuration asks before it, and the question would have to leave out some of the call.
    #[error("`{call}` needs the user's approval, and is too long to show whole: it has more than {most} characters")]
    TooLong {
        call: String,
        /// The pattern that covers it.
        pattern: Capability,
        /// The most characters of a question.
        most: usize,
    },
    /// No path rule covers the path.
    #[error("no permission to {access} `{path}`: no declared path covers it")]
    Path {
        access: Access,
        /// The path it was wanted of.
        path: ProjectPath,
    },
    /// Other programs execute or follow the file at the path, and no path rule names it.
    #[error("no permission to write `{path}`: other programs execute or follow this file, and no path rule names it")]
    CodePlace {
        path: ProjectPath,
        /// The rule that would name it.
        rule: String,
    },
    /// It works in another project than the directive that is followed.
    #[error("no permission for `{call}` in another project")]
    Elsewhere { call: String },
    /// The directive that a connection follows does not allow it.
    #[error("while you follow directive `{directive}`: {denial}")]
    Following {
        directive: ItemId,
        /// What its permissions, or those of one it extends, refuse.
        denial: Box<Self>,
    },
}

impl Capabilities {
    /// Checks that `call` is covered.
    ///
    /// # Errors
    ///
    /// Returns the denial to show when no pattern covers it.
    pub fn check(&self, call: &Call) -> Result<(), Denial> {
        check_call(&self.calls, call)
    }

    /// Tells whether a search may find some item of a type.
    #[must_use]
    pub fn finds_any(&self, item_type: ItemType) -> bool {
        finds_any(&self.calls, item_type)
    }
}

impl Denial {
    /// Says it to a person: with the setting that refuses it, or the path rule that would allow it.
    #[must_use]
    pub fn for_people(&self) -> String {
        match self {
            Self::CodePlace { rule, .. } => format!("{self}, such as `{rule}`"),
            Self::Following { directive, denial } => {
                format!("while you follow directive `{directive}`: {}", denial.for_people())
            }
            Self::Configured { call, pattern } => {
                format!("your configuration denies `{call}`: `permissions.deny` has `{pattern}`")
            }
            Self::NotAgreed { pattern, .. }
            | Self::NotAskable { pattern, .. }
            | Self::NotShown { pattern, .. }
            | Self::TooLong { pattern, .. } => {
                if pattern.as_str() == ALWAYS_ASKED {
                    return format!(
                        "{self}: a person is always asked about it, unless `permissions.unasked` covers it"
                    );
                }
                format!("{self}: `permissions.ask` has `{pattern}`")
            }
            Self::Call { .. } | Self::Caller { .. } | Self::Path { .. } | Self::Elsewhere { .. } => self.to_string(),
        }
    }
}

pub(super) fn check_call(allowed: &[Capability], call: &Call) -> Result<(), Denial> {
    if allowed.iter().any(|capability| capability.covers(call)) {
        Ok(())
    } else {
        Err(Denial::Call { call: call.to_string(), needed: call.needed() })
    }
}

pub(super) fn finds_any(allowed: &[Capability], item_type: ItemType) -> bool {
    let any = Capability::any_of(Primary::Search, item_type);
    allowed.iter().any(|capability| capability.overlaps(&any))
}

/// Checks that a tool may touch `path`, by the rules of all who have a say and by what the path itself tells: each must match the
/// path. Where content runs code, each that has a rule must also name the place for a write, and at least one must.
///
/// # Errors
///
/// Returns the denial to show.
pub fn check_path<'r>(
    rules: impl IntoIterator<Item = &'r PathRules>,
    access: Access,
    path: &ProjectPath,
) -> Result<(), Denial> {
    check_path_from(&Standpoint::default(), rules, access, path)
}

/// Does as [`check_path`], and looks at the path from where the project lies.
///
/// # Errors
///
/// Returns the denial to show.
pub fn check_path_from<'r>(
    standpoint: &Standpoint,
    rules: impl IntoIterator<Item = &'r PathRules>,
    access: Access,
    path: &ProjectPath,
) -> Result<(), Denial> {
    let rules: Vec<&PathRules> = rules.into_iter().collect();
    if !rules.iter().all(|rules| rules.match_path(access, path)) {
        return Err(Denial::Path { access, path: path.clone() });
    }
    match access {
        Access::Read => Ok(()),
        Access::Write => {
            let places = standpoint.places(path);
            places.iter().try_for_each(|seen| check_code_place(standpoint, &rules, seen, path))
        }
    }
}

fn check_code_place(
    standpoint: &Standpoint,
    rules: &[&PathRules],
    seen: &Seen,
    path: &ProjectPath,
) -> Result<(), Denial> {
    let inside = standpoint.inside(seen);
    let is_named = |rules: &&PathRules| {
        let mut patterns = inside.iter().flat_map(|inside| rules.writing(inside));
        patterns.any(|pattern| standpoint.is_named_by(seen, pattern))
    };
    let mut declared = rules.iter().filter(|rules| !rules.is_empty()).peekable();
    if declared.peek().is_some() && declared.all(is_named) {
        return Ok(());
    }
    Err(Denial::CodePlace { path: path.clone(), rule: standpoint.rule(seen) })
}
