//! `rye trust accept`

use clap::Args;

use crate::cli::consent;
use crate::cli::error::{Error, Question, Refusal};
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::ops::decisions::{self, AcceptStatus};
use crate::project::Project;

/// Accept the trust files of this project
///
/// Shows the changes and asks. Copies what you accept into your own configuration, for this project at this path only. A later change of
/// the files has no effect until you accept it, too.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye trust accept
  rye trust accept --yes
  rye trust accept --withdraw")]
pub(in crate::cli) struct AcceptArgs {
    /// Withdraw what you accepted: then the trust files of this project have no effect
    #[arg(long)]
    withdraw: bool,
}

impl AcceptArgs {
    /// Tells whether nothing is accepted.
    pub(in crate::cli) const fn only_withdraws(&self) -> bool {
        self.withdraw
    }
}

pub(super) fn run(ctx: &Context, output: &mut Output, project: &Project, args: &AcceptArgs) -> Result<(), Error> {
    if !args.withdraw {
        return accept(ctx, output, project);
    }
    let outcome = decisions::withdraw(project)?;
    output.outcome(&outcome, |page| text::trust::write_accepted(page, &outcome))?;
    Ok(())
}

/// Shows the changes, asks, and accepts them.
fn accept(ctx: &Context, output: &mut Output, project: &Project) -> Result<(), Error> {
    let review = decisions::review(project)?;
    let version = review.outcome().version.unwrap_or_default();
    if review.outcome().status == AcceptStatus::Proposed {
        let changes = &review.outcome().changes;
        let what = format!("accept version {version} for this project");
        let answer = if let Some(client) = ctx.agent_client() {
            consent::agreed(output, Some(client), |page| text::trust::write_changes(page, changes), &what)?
        } else {
            output.on_stderr(|page| text::trust::write_changes(page, changes));
            output.agrees(&format!("{what}?"))
        };
        Refusal::unless(answer, || Question::Proposal)?;
    }
    let outcome = review.accept(project)?;
    output.outcome(&outcome, |page| text::trust::write_accepted(page, &outcome))?;
    Ok(())
}
