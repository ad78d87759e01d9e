//! Signing for a model: with the agent key, whose signature a person's review still has to follow.

use super::super::locate::Purpose;
use super::Outcome;
use super::draft::prepare;
use super::error::Error;
use super::options::Options;
use crate::id::{ItemId, ItemType, Space};
use crate::project::Project;
use crate::trust::SigningKey;

/// Signs an item of the project with the agent key. Only there: a person's own space is not a model's to write. A
/// person's good signature is worth more than the agent's, so it stays; any other of a person's goes only with a text that
/// an agent is known to have written.
///
/// # Errors
///
/// As [`sign`](super::sign); an item that is not valid is reported in the outcome.
pub fn sign_for_model(
    project: &Project,
    item_type: ItemType,
    item_id: &ItemId,
    agent: &SigningKey,
) -> Result<Outcome, Error> {
    let before = project.locate(item_type, item_id, Some(Space::Project), Purpose::Author)?;
    if item_type != ItemType::Skill && before.signed.judge_line(&project.keys()).is_ok() {
        return Ok(Outcome::unchanged());
    }
    let options = Options {
        item_type: Some(item_type),
        patterns: vec![item_id.to_string()],
        again: false,
        check: false,
        version: None,
    };
    prepare(project, &options, Some(agent.public()))?.for_a_model().sign(agent)
}
