//! Which registry something is published in; the one in user space is made where the person uses none yet.

use std::path::PathBuf;

use super::error::Error;
use super::options::Options;
use crate::context::Context;
use crate::format::registry_files::{Claims, KnownRegistries, KnownRegistry, RegistryConfig};
use crate::git::{GitEnvironment, Repository};
use crate::id::Segment;
use crate::registry::{self, BRANCH, LOCAL, create, edit_known, known, local_path};
use crate::trust::Signer;

/// The registry that something is published in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Destination {
    /// One that the person uses.
    Known(KnownRegistry),
    /// One that is made when something is published.
    New {
        /// Its name.
        name: Segment,
        /// Where.
        path: PathBuf,
    },
}

impl Destination {
    /// Chooses: the named registry, then the source of the namespace, then the only one.
    pub(super) fn choose(ctx: &Context, options: &Options) -> Result<Self, Error> {
        let list = known(ctx)?;
        let namespace = options.item_id.namespace().and_then(|namespace| namespace.parse::<Segment>().ok());
        let pinned =
            namespace.and_then(|namespace| list.namespaces.get(&namespace)).filter(|name| list.find(name).is_some());
        match (options.registry.as_ref().or(pinned), list.registries.as_slice()) {
            (Some(name), _) => find(&list, name).map(Self::Known),
            (None, [only]) => Ok(Self::Known(only.clone())),
            (None, []) => Ok(Self::New { name: local(), path: local_path(ctx)? }),
            (None, several) => {
                let names = several.iter().map(|known| format!("`{}`", known.name)).collect();
                Err(Error::WhichRegistry { names })
            }
        }
    }

    pub(super) const fn name(&self) -> &Segment {
        match self {
            Self::Known(known) => &known.name,
            Self::New { name, .. } => name,
        }
    }

    /// Returns the configuration of a registry that is still to be made.
    pub(super) fn config(&self) -> RegistryConfig {
        RegistryConfig { name: self.name().clone(), claims: Claims::Open, reserved: Vec::new(), max_age: None }
    }

    /// Makes the registry if need be, and adds it to those that the person uses.
    pub(super) fn ready(&self, ctx: &Context, signer: &dyn Signer) -> Result<KnownRegistry, Error> {
        let (name, path) = match self {
            Self::Known(known) => return Ok(known.clone()),
            Self::New { name, path } => (name.clone(), path.clone()),
        };
        let url = path.to_str().ok_or_else(|| Error::NotARegistry { path: path.clone() })?.to_owned();
        let added = KnownRegistry { name, url };
        edit_known(ctx, |list| -> Result<(), Error> {
            // Another program may have made it meanwhile, or been killed after that.
            if !is_made(ctx, &path) {
                create(ctx, &path, &self.config(), signer)?;
            }
            if list.find(&added.name).is_none() {
                list.registries.push(added.clone());
            }
            Ok(())
        })?;
        Ok(added)
    }
}

fn is_made(ctx: &Context, path: &std::path::Path) -> bool {
    let repository = Repository::open_bare(path, &GitEnvironment::from_context(ctx));
    repository.is_ok_and(|repository| repository.branch(BRANCH).is_ok_and(|found| found.is_some()))
}

fn find(list: &KnownRegistries, name: &Segment) -> Result<KnownRegistry, Error> {
    Ok(registry::find(list, name)?.clone())
}

fn local() -> Segment {
    LOCAL.parse().expect("because it is a name")
}
