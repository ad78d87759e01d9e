//! `rye registry remove`

use clap::Args;

use crate::cli::error::Error;
use crate::cli::output::Output;
use crate::cli::text;
use crate::id::Segment;
use crate::ops::registries;
use crate::project::Project;

/// Stop using a registry
///
/// Forgets its last seen state, its namespaces, and the keys that you trusted for them. The registry itself stays, and so do the files that
/// you pulled; these are untrusted until you trust their keys again.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  rye registry remove team")]
pub(in crate::cli) struct RemoveArgs {
    /// Your name for it
    #[arg(value_name = "NAME")]
    name: Segment,
}

impl RemoveArgs {
    /// Returns the name.
    pub(in crate::cli) const fn name(&self) -> &Segment {
        &self.name
    }
}

pub(super) fn run(output: &mut Output, project: &Project, args: &RemoveArgs) -> Result<(), Error> {
    let outcome = registries::remove(project, &args.name)?;
    output.outcome(&outcome, |page| text::registry::write_known(page, "removed", &outcome))?;
    if !outcome.ended.is_empty() {
        let namespaces = outcome.ended.iter().map(|name| format!("`{name}/**`"));
        let namespaces = namespaces.collect::<Vec<_>>().join(", ");
        output.note(&format!("the keys that you trusted for {namespaces} of it no longer count"));
    }
    Ok(())
}
