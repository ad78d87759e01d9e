//! The programs that a chain of tokens lets be run.

use super::shell::PROGRAMS;
use super::{Call, Capability, Primary, TokenChain};
use crate::id::ItemType;

/// Returns what a chain of tokens lets be run: the programs that its leaf names, or any.
#[must_use]
pub fn programs(chain: &TokenChain) -> Option<Programs> {
    let any: Capability = format!("rye.execute.tool.{}*", PROGRAMS.replace('/', ".")).parse().ok()?;
    let touching = |calls: &[Capability]| calls.iter().filter(|call| call.overlaps(&any)).cloned().collect::<Vec<_>>();
    let layers: Vec<Vec<Capability>> =
        chain.tokens().iter().map(|token| touching(&token.claims().capabilities)).collect();
    if layers.iter().any(Vec::is_empty) {
        return None;
    }
    let named: Option<Vec<String>> = layers.last()?.iter().map(program_of).collect();
    let Some(named) = named else { return Some(Programs::Any) };
    let is_permitted = |name: &String| {
        let id = format!("{PROGRAMS}{name}").parse();
        id.is_ok_and(|id| chain.check(&Call::on(Primary::Execute, ItemType::Tool, id)).is_ok())
    };
    let named: Vec<String> = named.into_iter().filter(is_permitted).collect();
    (!named.is_empty()).then_some(Programs::Named(named))
}

/// What a thread may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Programs {
    /// Whatever a pattern with wildcards covers.
    Any,
    /// These.
    Named(Vec<String>),
}

/// The program that a pattern without wildcards names.
fn program_of(capability: &Capability) -> Option<String> {
    let (_, (_, specifics)) = capability.parts().and_then(|(primary, rest)| Some((primary, rest?)))?;
    let name = specifics.strip_prefix(&PROGRAMS.replace('/', "."))?;
    (!name.contains(['*', '?', '[', '.'])).then(|| name.to_owned())
}
