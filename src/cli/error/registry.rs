//! Errors of registries, of publishing and of pulling.

use super::pull::which_type;
use super::{Exit, Facts, context, executing, git, hints, items, keys, process, quoted};
use crate::cli::hints::Hint;
use crate::id::ItemType;
use crate::ops::{publish, pull::registry as pull, registries, search, show};
use crate::registry::{Error, Fault, Unreached, is_static};

pub(super) fn facts(error: &Error) -> Facts {
    match error {
        Error::Fault { registry, fault } => {
            let facts = Facts { rule: Some(fault.rule()), ..Facts::new(Exit::Refused, "registry-refused") };
            match fault {
                fault if fault.is_newer() => facts.hint(hints::UPDATE),
                Fault::RolledBack { .. }
                | Fault::Forked { .. }
                | Fault::Rewritten { .. }
                | Fault::Renamed { .. }
                | Fault::OtherLines { .. } => facts.hint_with(hints::REGISTRY_REPLACED, &[("name", registry)]),
                Fault::Stale { .. } => facts.hint_with(hints::REGISTRY_STALE, &[("name", registry)]),
                _ => facts.hint(hints::REGISTRY_REFUSED),
            }
        }
        Error::Unfit { fault, .. } => {
            let facts = Facts { rule: Some(fault.rule()), ..Facts::failed("registry-line") };
            match fault {
                Fault::Collision { .. } => facts.hint(hints::OTHER_SPELLING),
                _ => facts.hint(hints::REGISTRY_INFO),
            }
        }
        Error::Fetch { url, .. } | Error::Push { url, .. } => Facts::new(Exit::Provider, "registry-unreachable")
            .hint_with(hints::REGISTRY_REACH, &[("path", &quoted(url))]),
        Error::Unreached { url, why, .. } if is_static(url) && *why != Unreached::Host => of_static_files(url),
        Error::Download { url, .. } | Error::Status { url, .. } | Error::Redirected { url, .. } => of_static_files(url),
        Error::NoCheckpoint { url } => {
            Facts::failed("not-a-registry").hint_with(hints::REACH_STATIC, &[("path", &checkpoint_of(url))])
        }
        Error::Static { .. } => Facts::failed("registry-static").hint(hints::REGISTRY_BY_GIT),
        Error::NotKept { .. } => Facts::failed("registry-not-kept").hint(hints::REGISTRY_ONLINE),
        Error::ChangedMeanwhile { .. } => Facts::failed("registry-changed").hint(hints::RETRY),
        Error::Unreached { url, why, .. } => {
            Facts::new(Exit::Provider, "registry-unreachable").hint_with(unreached(*why), &[("path", &quoted(url))])
        }
        Error::OtherUser { path, .. } => {
            Facts::failed("registry-other-user").hint_with(hints::REGISTRY_SAFE, &[("path", &quoted(path))])
        }
        Error::NotShared { path, .. } => {
            Facts::failed("registry-not-shared").hint_with(hints::REGISTRY_SHARE, &[("path", &quoted(path))])
        }
        Error::ObjectFormat { .. } => Facts::failed("object-format").hint(hints::REGISTRY_SHA1),
        Error::NotEmpty { .. } => Facts::failed("not-empty").hint(hints::REGISTRY_INIT),
        Error::Rejected { .. } => Facts::failed("registry-rejected").hint(hints::REGISTRY_REJECTED),
        Error::Contended { .. } => Facts::failed("registry-contended").hint(hints::RETRY),
        Error::Empty { .. } => Facts::failed("not-a-registry").hint(hints::REGISTRY_INIT),
        Error::NotFetched { .. } => Facts::failed("registry-not-fetched").hint(hints::REGISTRY_ONLINE),
        Error::Mirror { .. } => Facts::failed("registry-mirror").hint(hints::REGISTRY_MIRROR),
        Error::Exists { path } => {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let path = path.display().to_string();
            Facts::failed("registry-exists")
                .hint_with(hints::REGISTRY_USE, &[("name", &name), ("path", &quoted(&path))])
        }
        Error::Url { .. } => Facts::invalid("registry-url").hint(hints::REGISTRY_URL),
        Error::Unknown { nearest, .. } => {
            let mut facts = Facts::failed("unknown-registry");
            if let Some(name) = nearest {
                facts = facts.hint_with(hints::MEANT, &[("id", name)]);
            }
            facts.hint(hints::REGISTRY_LIST)
        }
        Error::NameTaken { name, .. } => {
            Facts::failed("registry-name").hint_with(hints::REGISTRY_REMOVE, &[("name", name)])
        }
        Error::Known { path, reason } if reason.contains("newer format") => {
            Facts::failed("registries-file").at(path).hint(hints::UPDATE)
        }
        Error::Known { path, .. } => Facts::failed("registries-file").at(path).hint(hints::REGISTRIES_FILE),
        Error::Io { .. } => Facts::failed("registry-file").hint(hints::DISK),
        Error::Signer(error) => keys::signer(error),
        Error::Leaks(leaks) => super::leaks::of_hook(leaks),
        Error::Git(error) => git::facts(error),
        Error::Context(error) => context::facts(error),
    }
}

/// Says what to do where git cannot reach a repository.
pub(super) const fn unreached(why: Unreached) -> Hint {
    match why {
        Unreached::Host => hints::REACH_HOST,
        Unreached::Server => hints::REACH_SERVER,
        Unreached::Access => hints::REACH_ACCESS,
        Unreached::HostKey => hints::REACH_HOST_KEY,
        Unreached::Certificate => hints::REACH_CERTIFICATE,
        Unreached::Repository => hints::REACH_REPOSITORY,
    }
}

fn of_static_files(url: &str) -> Facts {
    Facts::new(Exit::Provider, "registry-unreachable").hint_with(hints::REACH_STATIC, &[("path", &checkpoint_of(url))])
}

/// Returns the address of the checkpoint of static files, for a command line.
fn checkpoint_of(url: &str) -> String {
    quoted(&format!("{}/checkpoint", url.strip_prefix("static+").unwrap_or(url)))
}

pub(super) fn publish(error: &publish::Error) -> Facts {
    match error {
        publish::Error::NoNamespace { item_type: ItemType::Skill, item_id } => {
            Facts::invalid("no-namespace").hint_with(hints::SKILL_NAMESPACE, &[("name", &item_id.name())])
        }
        publish::Error::NoNamespace { item_type, item_id } => {
            Facts::invalid("no-namespace").hint_with(hints::NAMESPACE, &[("type", item_type), ("id", item_id)])
        }
        publish::Error::Reserved { item_type: ItemType::Skill, item_id, .. } => {
            Facts::new(Exit::Refused, "reserved-namespace")
                .hint_with(hints::SKILL_NAMESPACE, &[("name", &item_id.name())])
        }
        publish::Error::Reserved { item_type, item_id, .. } => {
            let values: [(&str, &dyn std::fmt::Display); 3] =
                [("type", item_type), ("id", item_id), ("name", &item_id.name())];
            let hint = if item_id.is_reserved() { hints::COPY_NAMESPACE } else { hints::OTHER_NAMESPACE };
            Facts::new(Exit::Refused, "reserved-namespace").hint_with(hint, &values)
        }
        publish::Error::NotOwner { registry, namespace, .. } => {
            let values: [(&str, &dyn std::fmt::Display); 2] = [("name", registry), ("namespace", namespace)];
            Facts::new(Exit::Refused, "not-owner").hint_with(hints::ASK_OWNER, &values)
        }
        publish::Error::Signature { item_type, item_id, fault, line_ends } => {
            let facts = Facts::new(Exit::Refused, fault.verdict().as_str());
            let facts = Facts { rule: Some(fault.rule()), ..facts };
            if let Some(ends) = line_ends {
                return items::restore(facts, ends);
            }
            facts.hint_with(hints::SIGN_TO_PUBLISH, &[("type", item_type), ("id", item_id)])
        }
        publish::Error::NoVersion { item_type: ItemType::Skill, .. } => {
            Facts::invalid("no-version").hint(hints::SKILL_NO_VERSION)
        }
        publish::Error::NoVersion { item_type, item_id } => {
            Facts::invalid("no-version").hint_with(hints::GIVE_VERSION, &[("type", item_type), ("id", item_id)])
        }
        publish::Error::Published { item_type: ItemType::Skill, .. } => {
            Facts::failed("published").hint(hints::SKILL_NEW_VERSION)
        }
        publish::Error::Published { item_type, item_id, .. } => {
            Facts::failed("published").hint_with(hints::NEW_VERSION, &[("type", item_type), ("id", item_id)])
        }
        publish::Error::Companion { item_id, .. } => {
            Facts::invalid("companion-changed").hint_with(hints::SIGN_AGAIN, &[("type", &"tool"), ("id", item_id)])
        }
        publish::Error::TooMany { .. } => Facts::invalid("too-many-needed"),
        publish::Error::WhichRegistry { .. } => Facts::invalid("which-registry").hint(hints::REGISTRY_FLAG),
        publish::Error::Changed { .. } => Facts::failed("changed-meanwhile").hint(hints::RETRY),
        publish::Error::NotARegistry { .. } => Facts::failed("not-a-registry").hint(hints::REGISTRY_INIT),
        publish::Error::Extends(error) => executing::extends(error),
        publish::Error::Locate(error) => items::locate(error),
        publish::Error::Leaks(leaks) => super::leaks::facts(leaks),
        publish::Error::Registry(error) => facts(error),
        publish::Error::Process(error) => process::facts(error),
    }
}

pub(super) fn pull(error: &pull::Error) -> Facts {
    match error {
        pull::Error::NoNamespace { .. } => Facts::invalid("no-namespace").hint(hints::NAMESPACED_ID),
        pull::Error::NoRegistry => Facts::failed("no-registry").hint(hints::REGISTRY_ADD),
        pull::Error::Unknown { nearest, .. } => {
            let mut facts = Facts::failed("unknown-item");
            if let Some(id) = nearest {
                facts = facts.hint_with(hints::MEANT, &[("id", id)]);
            }
            facts.hint(hints::REGISTRY_INFO)
        }
        pull::Error::SeveralRegistries { item_id, registries, .. } => {
            let first = registries.first().map_or("", String::as_str).trim_matches('`');
            Facts::invalid("which-registry").hint_with(hints::PULL_FROM, &[("id", item_id), ("name", &first)])
        }
        pull::Error::Pinned { pinned, .. } => {
            Facts::new(Exit::Refused, "namespace-pinned").hint_with(hints::REGISTRY_UNPIN, &[("name", pinned)])
        }
        pull::Error::OtherRegistry { registry, .. } => {
            Facts::new(Exit::Refused, "other-registry").hint_with(hints::REGISTRY_OF_LOCK, &[("name", registry)])
        }
        pull::Error::NothingNamed => Facts::invalid("nothing-named").hint(hints::PULL_WHAT),
        pull::Error::NoLock { .. } => Facts::failed("no-lock").hint(hints::PULL_FIRST),
        pull::Error::OtherType { item_id, types, .. } => which_type(item_id, types),
        pull::Error::NoVersion { registry, .. } => {
            Facts::failed("no-version").hint_with(hints::REGISTRY_VERSIONS, &[("name", registry)])
        }
        pull::Error::NewerProgram { .. } => Facts::failed("newer-program").hint(hints::UPDATE),
        pull::Error::Downgrade { item_id, to, .. } => {
            Facts::failed("downgrade").hint_with(hints::PULL_DOWNGRADE, &[("id", item_id), ("version", to)])
        }
        pull::Error::Unsettled { .. } => Facts::failed("no-version").hint(hints::REGISTRY_INFO),
        pull::Error::NotLocked { item_id, .. } => {
            Facts::failed("not-locked").hint_with(hints::PULL_UNLOCKED, &[("id", item_id)])
        }
        pull::Error::LockMismatch { item_id, .. } => {
            Facts::new(Exit::Refused, "lock-mismatch").hint_with(hints::PULL_MISMATCH, &[("id", item_id)])
        }
        pull::Error::LocalCompanion { item_id, .. } => {
            Facts::failed("local-change").hint_with(hints::PULL_FORCE, &[("id", item_id)])
        }
        pull::Error::TooMany { .. } => Facts::invalid("too-many-needed"),
        pull::Error::Pull(error) => super::pull::facts(error),
        pull::Error::Locate(error) => items::locate(error),
        pull::Error::Registry(error) => facts(error),
        pull::Error::Process(error) => process::facts(error),
    }
}

pub(super) fn show(error: &show::Error) -> Facts {
    match error {
        show::Error::Unknown { nearest, .. } => {
            let mut facts = Facts::failed("unknown-item");
            if let Some(id) = nearest {
                facts = facts.hint_with(hints::MEANT, &[("id", id)]);
            }
            facts.hint(hints::LIST_ALL)
        }
        show::Error::NotHere { .. } => Facts::failed("unknown-item").hint(hints::LIST_ALL).hint(hints::REGISTRY_ADD),
        show::Error::SeveralTypes { item_id, types } => {
            let one = types.first().map(ToString::to_string).unwrap_or_default();
            Facts::invalid("which-type").hint_with(hints::SHOW_TYPE, &[("id", item_id), ("type", &one)])
        }
        show::Error::SeveralRegistries { item_id, registries } => {
            let one = registries.first().map(ToString::to_string).unwrap_or_default();
            Facts::invalid("which-registry").hint_with(hints::SHOW_FROM, &[("id", item_id), ("name", &one)])
        }
        show::Error::NoVersion { registry, .. } => {
            Facts::failed("no-version").hint_with(hints::REGISTRY_VERSIONS, &[("name", registry)])
        }
        show::Error::Locate(error) => items::locate(error),
        show::Error::Registry(error) => facts(error),
        show::Error::Process(error) => process::facts(error),
    }
}

/// Leads to the address that was given: a registry that was not added is not in the list.
fn not_added(error: &Error) -> Facts {
    let facts = facts(error);
    match error {
        Error::Unreached { why: Unreached::Host, .. } => Facts { hints: Vec::new(), ..facts }.hint(hints::ADD_HOST),
        Error::Unreached { url, why: Unreached::Repository, .. } => {
            Facts { hints: Vec::new(), ..facts }.hint_with(hints::ADD_REPOSITORY, &[("path", &quoted(url))])
        }
        _ => facts,
    }
}

pub(super) fn registry(error: &registries::Error) -> Facts {
    match error {
        registries::Error::NoName { .. } => Facts::invalid("registry-name").hint(hints::REGISTRY_INIT_NAME),
        registries::Error::NoRegistry => Facts::failed("no-registry").hint(hints::REGISTRY_ADD),
        registries::Error::WhichRegistry { .. } => Facts::invalid("which-registry").hint(hints::REGISTRY_NAME),
        registries::Error::NotPublished { registry, .. } => {
            Facts::failed("not-published").hint_with(hints::REGISTRY_VERSIONS, &[("name", registry)])
        }
        registries::Error::SeveralTypes { .. } => Facts::invalid("which-type").hint(hints::NAME_TYPE),
        registries::Error::NotClaimed { .. } => Facts::failed("not-claimed").hint(hints::CLAIM),
        registries::Error::NotOwner { registry, namespace, .. } => {
            let values: [(&str, &dyn std::fmt::Display); 2] = [("name", registry), ("namespace", namespace)];
            Facts::new(Exit::Refused, "not-owner").hint_with(hints::ASK_OWNER, &values)
        }
        registries::Error::NoPublisher { registry, .. } => {
            Facts::new(Exit::Refused, "not-owner").hint_with(hints::ASK_PUBLISHER, &[("name", registry)])
        }
        registries::Error::LastOwner { namespace } => {
            Facts::failed("last-owner").hint_with(hints::TRANSFER, &[("namespace", namespace)])
        }
        registries::Error::TooManyOwners { .. } => Facts::failed("too-many-owners"),
        registries::Error::NoSuchOwner { .. } => Facts::failed("not-owner").hint(hints::REGISTRY_INFO),
        registries::Error::Message { .. } => Facts::invalid("message"),
        registries::Error::NoKey { .. } => Facts::invalid("no-key-file").hint(hints::OWNER_KEY),
        registries::Error::NoCheckpoint { .. } => Facts::invalid("no-checkpoint").hint(hints::CHECKPOINT),
        registries::Error::Unreadable(_) => Facts::invalid("unreadable"),
        registries::Error::Keys(error) => keys::facts(error),
        registries::Error::Process(error) => process::facts(error),
        registries::Error::Registry(error) => facts(error),
        registries::Error::NotAdded(error) => not_added(error),
        registries::Error::Locate(error) => items::locate(error),
    }
}

pub(super) fn search(error: &search::Error) -> Facts {
    match error {
        search::Error::Query { fault, .. } => {
            let mut query = Facts::invalid("query").without_causes();
            query.advise(fault.hint.clone(), Some(fault.hint.clone()));
            query
        }
        search::Error::Locate(error) => items::locate(error),
        search::Error::Git(error) => git::facts(error),
        search::Error::NoRegistry => Facts::failed("no-registry").hint(hints::REGISTRY_ADD),
        search::Error::Registry(error) => facts(error),
        search::Error::Process(error) => process::facts(error),
        search::Error::Index(_) => Facts::failed("index").hint(hints::BUG),
    }
}
