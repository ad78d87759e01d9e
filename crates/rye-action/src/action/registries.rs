//! The tools that work with registries: what a thread or a client may do there, when its person agreed.
//!
//! A search and a pull read registries as their person would, and check them in the same way. Pulled files are written
//! like any other file of a tool: where the path rules allow it, known as an agent's, without the lock, so no decision
//! about keys follows from it. Publishing takes the person's own key, and only where it needs no passphrase from them;
//! new names in the registry, such as a namespace, are for them to claim.

use serde_json::{Map, Value, json};

use super::done::DATA;
use crate::capability::{Access, Denial, ProjectPath, check_path_from};
use crate::error::with_causes;
use crate::execute::{self, ToolStatus};
use crate::git::Terminal;
use crate::id::{Requirement, Space};
use crate::item::Builtin;
use crate::keys::{Ask, KeyName, KeyStore, known_person, person_key};
use crate::publish;
use crate::pull::registry::{self as pull, Mode, Wanted};
use crate::search::{self, RegistryOptions, Sort};
use crate::session::Session;
use crate::sign::remember_written;
use crate::trust::{NoPassphrase, Signer as _};

/// Why a call came to nothing.
enum Fault {
    /// What the tool says.
    Said(String),
    /// A path rule forbids it.
    Denied(Denial),
}

/// Performs a tool that works with registries.
pub(super) fn perform(
    session: &Session,
    builtin: Builtin,
    parameters: &Map<String, Value>,
    bounds: &execute::Bounds<'_>,
) -> Result<(ToolStatus, Value), Denial> {
    let call = Call { session, parameters, bounds };
    let done = match builtin {
        Builtin::RegistrySearch => call.search(),
        Builtin::RegistryPull => call.pull(),
        Builtin::RegistryPublish => call.publish(),
        Builtin::File(_) | Builtin::WebFetch => Err(Fault::Said("this tool reads no registry".to_owned())),
    };
    match done {
        Ok(result) => Ok((ToolStatus::Ok, result)),
        Err(Fault::Said(message)) => {
            Ok((ToolStatus::Error, json!({"error": {"code": "registry", "message": message}})))
        }
        Err(Fault::Denied(denial)) => Err(denial),
    }
}

/// One call.
struct Call<'c> {
    session: &'c Session,
    parameters: &'c Map<String, Value>,
    bounds: &'c execute::Bounds<'c>,
}

impl Call<'_> {
    fn search(&self) -> Result<Value, Fault> {
        let options = RegistryOptions {
            query: self.text("query").unwrap_or_default().to_owned(),
            registry: self.parsed("registry")?,
            item_type: self.parsed("item_type")?,
            max: search::Options::MAX,
            offset: 0,
            sort: Sort::Score,
            fuzzy: false,
            explain: false,
            is_offline: false,
            terminal: Terminal::None,
        };
        let outcome = search::registries(self.session, &options, &mut |_, _| {}).map_err(|error| said(&error))?;
        let mut result = json!({"treat_as": DATA});
        result["total"] = json!(outcome.total);
        result["results"] = serde_json::to_value(&outcome.results).map_err(|error| said(&error))?;
        if !outcome.warnings.is_empty() {
            result["warnings"] = json!(outcome.warnings);
        }
        Ok(result)
    }

    fn pull(&self) -> Result<Value, Fault> {
        let requirement = self.parsed::<Requirement>("version")?.unwrap_or(Requirement::ANY);
        let wanted = Wanted { item_id: self.needed("item_id")?, item_type: self.parsed("item_type")?, requirement };
        let options = pull::Options {
            to: None,
            wanted: vec![wanted],
            space: Space::Project,
            registry: self.parsed("registry")?,
            force: false,
            mode: Mode::default(),
            terminal: Terminal::None,
        };
        let plan = pull::plan(self.session, &options).map_err(|error| said(&error))?;
        let files = plan.files();
        // All of it is allowed, or nothing is written.
        for file in &files {
            self.allow(&file.path)?;
        }
        for file in &files {
            let remembered = remember_written(self.session.context(), &file.path, file.bytes.unwrap_or_default());
            remembered.map_err(|error| said(&error))?;
        }
        pull::write_files(self.session.project(), &plan).map_err(|error| said(&error))?;
        let pulled = plan.items.iter().map(|item| {
            let release = &item.version.release;
            json!({
                "item_type": release.item_type,
                "item_id": release.id,
                "version": release.version,
                "registry": item.registry,
                "signer": item.version.key.fingerprint(),
            })
        });
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let note = "not trusted, and not in rye.lock: the user decides about that with `rye pull`";
        Ok(json!({"pulled": pulled.collect::<Vec<_>>(), "files": paths, "note": note}))
    }

    fn publish(&self) -> Result<Value, Fault> {
        let options = publish::Options {
            skill: None,
            // A model lets nothing through.
            allow_secrets: Vec::new(),
            item_type: self.needed("item_type")?,
            item_id: self.needed("item_id")?,
            registry: self.parsed("registry")?,
            requires_rye: None,
            terminal: Terminal::None,
        };
        let ctx = self.session.context();
        if let Some(client) = ctx.agent_client() {
            let message = format!("{} may have started this: ask the user to run `rye publish`", client.name);
            return Err(Fault::Said(message));
        }
        let store = KeyStore::new(ctx).map_err(|error| said(&error))?;
        if known_person(ctx, &store, None).map_err(|error| said(&error))?.is_none() {
            return Err(Fault::Said("the user has no key yet: ask them to run `rye key generate`".to_owned()));
        }
        let nobody: Ask = Box::new(|_| Err(NoPassphrase::Nobody));
        let key = person_key(ctx, &store, None, nobody).map_err(|error| said(&error))?;
        let agent = store.find_public(KeyName::Agent).map_err(|error| said(&error))?;
        if agent == Some(key.public()) {
            return Err(Fault::Said("the agent's key publishes nothing: ask the user to publish it".to_owned()));
        }
        let plan = publish::plan(self.session, &options, &key.public()).map_err(|error| said(&error))?;
        if plan.new_registry().is_some() {
            return Err(Fault::Said("the user has no registry yet: ask them to run `rye publish`".to_owned()));
        }
        if let Some(namespace) = plan.claims.first() {
            let message = format!("the namespace `{namespace}` has no owner yet: ask the user to run `rye publish`");
            return Err(Fault::Said(message));
        }
        let outcome = publish::publish(self.session, &options, &plan, &key).map_err(|error| said(&error))?;
        serde_json::to_value(&outcome).map_err(|error| said(&error))
    }

    /// Checks a path that is about to be written by the rules of whoever permitted the call.
    fn allow(&self, path: &str) -> Result<(), Fault> {
        let path: ProjectPath = path.parse().map_err(|error| said(&error))?;
        let Some(rules) = self.bounds.paths else { return Ok(()) };
        let standpoint = self.session.project().standpoint().map_err(|error| said(&error))?;
        check_path_from(&standpoint, rules, Access::Write, &path).map_err(Fault::Denied)
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).and_then(Value::as_str)
    }

    fn parsed<T: std::str::FromStr<Err: std::error::Error>>(&self, name: &str) -> Result<Option<T>, Fault> {
        self.text(name).map(|text| text.parse().map_err(|error: T::Err| said(&error))).transpose()
    }

    fn needed<T: std::str::FromStr<Err: std::error::Error>>(&self, name: &str) -> Result<T, Fault> {
        self.parsed(name)?.ok_or_else(|| Fault::Said(format!("`{name}` is missing")))
    }
}

fn said(error: &dyn std::error::Error) -> Fault {
    Fault::Said(with_causes(error))
}
