//! Errors of the operations on items.

use std::fmt::Display;
use std::path::Path;

use super::{Exit, Facts, Invalid, context, denial, git, hints, keys, quoted, workspace};
use crate::id::ItemType;
use crate::ops::locate::{Instead, LineEnds, LocateError};
use crate::ops::{diff, drafts, init, lint, load, migrate, new, sign, verify};
use crate::trust::{Fault, ManifestFault, RevocationError, Subject, Verdict, trust_file_path};

/// Nothing fits a name.
fn no_match(suggestion: Option<&str>) -> Facts {
    let mut facts = Facts::failed("no-match");
    if let Some(id) = suggestion {
        facts = facts.hint_with(hints::MEANT, &[("id", &id)]);
    }
    facts.hint(hints::LIST_ALL)
}

pub(super) fn locate(error: &LocateError) -> Facts {
    match error {
        LocateError::Unknown { item_type, item_id, space, suggestion, instead } => {
            let mut facts = Facts::failed("unknown-item");
            if let Some(id) = suggestion {
                facts = facts.hint_with(hints::MEANT, &[("id", id)]);
            }
            match (instead, space) {
                (Some(Instead::Space(other)), _) => {
                    let values: [(&str, &dyn std::fmt::Display); 3] =
                        [("type", item_type), ("id", item_id), ("space", other)];
                    facts.hint_with(hints::LOAD_FROM, &values)
                }
                (Some(Instead::Type(other)), _) => {
                    let told = format!("`{item_id}` is a {other}: name it as one");
                    facts.advise(told.clone(), Some(told));
                    facts
                }
                (Some(Instead::Project), _) => {
                    facts.hint_with(hints::LIST, &[("type", item_type)]).hint(hints::NO_PROJECT_HERE)
                }
                (None, Some(space)) => facts.hint_with(hints::LIST_SPACE, &[("type", item_type), ("space", space)]),
                (None, None) => facts.hint_with(hints::LIST, &[("type", item_type)]),
            }
        }
        LocateError::NotCheckedOut { path, .. } | LocateError::TrustNotCheckedOut { path } => {
            let folder = path.rsplit_once('/').map_or(path.as_str(), |(folder, _)| folder);
            Facts::failed("not-checked-out").at(Path::new(path)).hint_with(hints::CHECK_OUT, &[("folder", &folder)])
        }
        LocateError::Refused { item_type, item_id, path, fault, is_proposed, line_ends, registry, pulled } => {
            let mut facts = Facts::new(Exit::Refused, refused_code(fault.verdict())).at(path);
            facts.rule = Some(fault.rule());
            if let Some(ends) = line_ends {
                return restore(facts, ends);
            }
            if *is_proposed {
                facts.advise(verify::ACCEPT_IT.to_owned(), Some("ask the user whether to trust its signer".to_owned()));
                return facts;
            }
            if let Some(registry) = registry {
                return facts.hint_with(hints::PULLED_FROM, &[("name", registry), ("id", item_id)]);
            }
            if let Some(source) = pulled {
                return facts.hint_with(hints::SKILL_PULLED, &[("id", &quoted(&source.to_string()))]);
            }
            if let Some(subject) = subject(*item_type, item_id, path) {
                facts.advise(verify::hint(&subject, fault), Some(refused_for_model(&subject, fault)));
            }
            facts
        }
        LocateError::Invalid { item_type, item_id, path, findings, text } => {
            let invalid = Invalid { path: path.clone(), text: text.clone(), findings: findings.clone() };
            let facts = Facts { invalid: Some(invalid), ..Facts::invalid("invalid-item") };
            facts.hint_with(hints::SIGN_AGAIN, &[("type", item_type), ("id", item_id)])
        }
        LocateError::SkillChanged { item_id, path, faults } => {
            let mut facts = Facts::new(Exit::Refused, "tampered");
            // A skill without a folder has no path.
            if !path.as_os_str().is_empty() {
                facts = facts.at(path);
            }
            if let Some(fault) = faults.first() {
                facts.rule = Some(fault.rule());
                facts.advise(
                    crate::format::fault_hint(fault).into_owned(),
                    Some(format!("ask the user to review and sign skill `{item_id}`")),
                );
            }
            facts
        }
        LocateError::SkillPlace { path, fault } => {
            let mut facts = Facts::new(Exit::Refused, "skill-place").at(path);
            facts.rule = Some(fault.rule());
            facts.advise(
                crate::format::fault_hint(fault).into_owned(),
                Some(format!("tell the user what is wrong with `{}`", path.display())),
            );
            facts
        }
        LocateError::SkillUnsigned { item_id, path, signed_as } => {
            let mut facts = Facts::new(Exit::Refused, "unsigned").at(path);
            facts.rule = Some(Fault::Unsigned.rule());
            match signed_as {
                Some(id) => facts.hint_with(hints::SIGNED_AS, &[("id", id)]),
                None if path.starts_with("~") => facts.hint_with(hints::SIGN_OWN_SKILL, &[("id", item_id)]),
                None => facts.hint_with(hints::SIGN_SKILL, &[("id", item_id)]),
            }
        }
        LocateError::SkillName { path, .. } => Facts::invalid("skill-name").at(path).hint(hints::RENAME_SKILL),
        LocateError::SkillOutside { path, above } => {
            Facts::invalid("not-skill-folder").at(path).hint_with(hints::SKILL_OUTSIDE, &[("path", above)])
        }
        LocateError::SkillNotStaged { paths, is_ignored, .. } => {
            let paths: Vec<String> = paths.iter().map(|path| quoted(path).to_string()).collect();
            Facts::new(Exit::Refused, "not-staged")
                .hint_with(if *is_ignored { hints::STAGE_IGNORED } else { hints::STAGE }, &[("path", &paths.join(" "))])
        }
        LocateError::NoProject { .. } => Facts::failed("no-project").hint(hints::NO_PROJECT),
        LocateError::Git(error) => git::facts(error),
        LocateError::Workspace(error) => workspace::facts(error),
        LocateError::Keys(error) => keys::facts(error),
        LocateError::Context(error) => context::facts(error),
    }
}

/// Says what to ask the user for about an item that is refused.
fn refused_for_model(subject: &Subject, fault: &Fault) -> String {
    let Subject { item_type, item_id, .. } = subject;
    match fault {
        Fault::UntrustedKey { .. } | Fault::OutsideValidity { .. } => {
            format!("ask the user to review {item_type} `{item_id}`, and whether they trust who signed it")
        }
        Fault::MissingCountersignatures { .. } => {
            format!("ask the user for another person who reviews and signs {item_type} `{item_id}`")
        }
        Fault::Unsigned
        | Fault::MalformedLine { .. }
        | Fault::SecondLine
        | Fault::Changed
        | Fault::Misplaced
        | Fault::AgentSigned
        | Fault::Legacy { .. }
        | Fault::Revoked { .. }
        | Fault::RolledBack { .. }
        | Fault::BroughtBack { .. }
        | Fault::Unshadowed
        | Fault::Downgraded => format!("ask the user to review and sign {item_type} `{item_id}`"),
    }
}

const fn refused_code(verdict: Verdict) -> &'static str {
    match verdict {
        // An accepted item is never refused; the word is there for the match to be whole.
        Verdict::Good | Verdict::Builtin => "refused",
        verdict => verdict.as_str(),
    }
}

fn subject(item_type: ItemType, item_id: &crate::id::ItemId, path: &Path) -> Option<Subject> {
    let extension = path.extension()?.to_str()?.parse().ok()?;
    Some(Subject { item_type, item_id: item_id.clone(), extension })
}

pub(super) fn init(error: &init::Error) -> Facts {
    match error {
        init::Error::Write { .. } | init::Error::NotAFolder { .. } => Facts::failed("unwritable"),
        init::Error::Git(error) => git::facts(error),
        init::Error::Workspace(error) => workspace::facts(error),
        init::Error::Keys(error) => keys::facts(error),
    }
}

pub(super) fn load(error: &load::Error) -> Facts {
    match error {
        load::Error::Locate(error) => locate(error),
        load::Error::Exists { space, item_type, item_id } => {
            Facts::failed("exists").hint_with(hints::FORCE, &[("type", item_type), ("id", item_id), ("space", space)])
        }
        load::Error::Skill { .. } => Facts::failed("unsupported").hint(hints::COPY_SKILL),
        load::Error::Denied(denied) => denial::facts(denied),
        load::Error::Fixed { .. } => Facts::failed("fixed-parameters"),
        load::Error::Keys(error) => keys::facts(error),
        load::Error::Copy { source, .. } => workspace::facts(source),
    }
}

pub(super) fn sign(error: &sign::Error) -> Facts {
    match error {
        sign::Error::NoMatch { .. } => Facts::failed("no-match").hint(hints::LIST_ALL),
        sign::Error::Unsignable { item_type, item_id, .. } => {
            Facts::invalid("unsignable").hint_with(hints::SIGN_AGAIN, &[("type", item_type), ("id", item_id)])
        }
        sign::Error::LineEnds { item_type, item_id, ends } => Facts::failed("line-ends")
            .hint_with(hints::LINE_ENDS, &[("mend", &ends.mend), ("type", item_type), ("id", item_id)]),
        sign::Error::SignedByAnother { item_type, item_id, .. } => Facts::new(Exit::Refused, "signed-by-another")
            .hint_with(hints::COUNTERSIGN, &[("type", item_type), ("id", item_id)]),
        sign::Error::NotForModel { .. } => Facts::new(Exit::Refused, "not-for-model").hint(hints::ASK_PERSON),
        sign::Error::OtherVersion { .. } => Facts::invalid("other-version").hint(hints::SKILL_VERSION),
        sign::Error::Signer(error) => keys::signer(error),
        sign::Error::Write { source, .. } => workspace::facts(source),
        sign::Error::AgentFileUnread { .. } => Facts::failed("agent-file-unread"),
        sign::Error::AgentLinkOut { .. } => Facts::failed("agent-link-out"),
        sign::Error::WriteAgentFiles { source } => workspace::facts(source),
        sign::Error::HalfSigned { .. } => Facts::failed("half-signed").hint(hints::HALF_SIGNED),
        sign::Error::NotCommitted { item_type, item_id } => {
            Facts::failed("not-committed").hint_with(hints::COMMIT_ITEM, &[("type", item_type), ("id", item_id)])
        }
        sign::Error::NothingToCountersign { item_type, item_id } => Facts::failed("nothing-to-countersign")
            .hint_with(hints::SIGN_FIRST, &[("type", item_type), ("id", item_id)]),
        sign::Error::Note { .. } => Facts::failed("note-too-large"),
        sign::Error::Unmerged { .. } => Facts::failed("unmerged").hint(hints::RESOLVE),
        sign::Error::Locate(error) => locate(error),
        sign::Error::Git(error) => git::facts(error),
    }
}

pub(super) fn migrate(error: &migrate::Error) -> Facts {
    match error {
        migrate::Error::NoMatch { .. } => Facts::failed("no-match").hint(hints::LIST_ALL),
        migrate::Error::Blocked { paths, source } => {
            let path = paths.first().map(String::as_str).unwrap_or_default();
            let facts = workspace::facts(source);
            if facts.hints.is_empty() { facts.hint_with(hints::WRITABLE, &[("path", &path)]) } else { facts }
        }
        migrate::Error::Write { source, .. } => {
            let facts = workspace::facts(source);
            if facts.hints.is_empty() { facts.hint(hints::MIGRATE_ON) } else { facts }
        }
        migrate::Error::Locate(error) => locate(error),
    }
}

pub(super) fn verify(error: &verify::Error) -> Facts {
    match error {
        verify::Error::NoAllowedSigners { .. } => Facts::invalid("no-allowed-signers").hint(hints::ALLOWED_SIGNERS),
        verify::Error::NoRevoked { .. } => Facts::invalid("no-revoked").hint(hints::REVOKED),
        verify::Error::Revoked(error) => revoked(error),
        verify::Error::NoTrustFiles { .. } => Facts::failed("no-trust-files").hint(hints::NAME_SIGNERS),
        verify::Error::TrustRoot { revision, fault } => {
            let file = match fault {
                ManifestFault::Unreadable { file, .. } => file.as_str(),
                _ => "trust.sig",
            };
            let values: [(&str, &dyn Display); 2] = [("name", &quoted(revision)), ("path", &trust_file_path(file))];
            let mut facts = Facts::failed("trust-root").hint_with(hints::TRUST_FILES, &values);
            facts.rule = Some(fault.rule());
            facts
        }
        verify::Error::CutOff { .. } => Facts::failed("git-shallow").hint(hints::UNSHALLOW),
        verify::Error::NoMatch { suggestion, .. } => no_match(suggestion.as_deref()),
        verify::Error::UnsignedSkill { item_id } => {
            Facts::new(Exit::Refused, "unsigned-skill").hint_with(hints::SIGN_SKILL_OR_ALL, &[("id", item_id)])
        }
        verify::Error::Locate(LocateError::Git(
            error @ crate::git::Error::Unusable(crate::git::Unusable::Bare { .. }),
        )) => git::facts(error).hint(hints::REVISION_OF_BARE),
        verify::Error::Locate(error) => locate(error),
    }
}

fn revoked(error: &RevocationError) -> Facts {
    let facts = Facts::invalid("revocation-file").hint(hints::REVOKED);
    match error {
        RevocationError::Line { origin, line, .. } => Facts { position: Some((*line, 1)), ..facts.at(origin) },
        RevocationError::Binary { .. } | RevocationError::NoList { .. } => facts,
    }
}

pub(super) fn lint(error: &lint::Error) -> Facts {
    match error {
        lint::Error::NoMatch { suggestion, .. } => no_match(suggestion.as_deref()),
        lint::Error::Locate(error) => locate(error),
    }
}

pub(super) fn new(error: &new::Error) -> Facts {
    match error {
        new::Error::Exists { item_type, item_id, path } => {
            Facts::failed("exists").at(path).hint_with(hints::LOOK_AT, &[("type", item_type), ("id", item_id)])
        }
        new::Error::NotSnake { suggestion, .. } => {
            Facts::invalid("wrong-name").hint_with(hints::SNAKE, &[("id", suggestion)])
        }
        new::Error::Write { source, .. } | new::Error::Document { source: Some(source), .. } => {
            workspace::facts(source)
        }
        new::Error::Document { source: None, .. } | new::Error::NotSkillName { .. } => Facts::invalid("wrong-name"),
        new::Error::DocumentExists { path } => {
            Facts::failed("exists").at(Path::new(path.as_str())).hint(hints::EDIT_IT)
        }
        new::Error::Locate(error) => locate(error),
    }
}

pub(super) fn drafts(error: &drafts::Error) -> Facts {
    match error {
        drafts::Error::Write { source, .. } => workspace::facts(source),
        drafts::Error::Locate(error) => locate(error),
    }
}

pub(super) fn diff(error: &diff::Error) -> Facts {
    match error {
        diff::Error::SeveralTypes { item_id, types } => {
            let one = types.first().map(ToString::to_string).unwrap_or_default();
            Facts::invalid("which-type").hint_with(hints::DIFF_TYPE, &[("id", item_id), ("type", &one)])
        }
        diff::Error::Unknown { nearest, .. } => {
            let facts = Facts::failed("unknown-item");
            let facts = match nearest {
                Some(id) => facts.hint_with(hints::MEANT, &[("id", id)]),
                None => facts,
            };
            facts.hint(hints::LIST_ALL)
        }
        diff::Error::Locate(error) => locate(error),
        diff::Error::Git(error) => git::facts(error),
    }
}

/// Says how to restore the line ends of an item.
pub(super) fn restore(mut facts: Facts, ends: &LineEnds) -> Facts {
    facts.advise(ends.mend.clone(), Some("ask the user to restore its line ends".to_owned()));
    facts
}
