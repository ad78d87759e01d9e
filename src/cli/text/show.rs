//! One item, a fact a line; each line begins with what it tells.

use std::fmt::Display;

use super::{Page, one_line};
use crate::item::Limits;
use crate::ops::show::{Card, Place, Value};

/// Writes what there is to know of an item.
pub(in crate::cli) fn write(page: &mut Page<'_>, card: &Card) {
    let version = card.version.map_or_else(|| "without a version".to_owned(), |version| version.to_string());
    page.line(format!("{}: {} {version}", card.item_type, page.paint().bold(card.item_id.as_str())));
    fact(page, "what", &card.description);
    match &card.place {
        Place::Space { space, path } => fact(page, "from", format!("the {space} space, {}", page.path(path))),
        Place::Registry { registry, seq } => fact(page, "from", format!("the registry `{registry}` (seq {seq})")),
    }
    let verdict = page.paint().verdict(card.verdict, card.verdict.as_str());
    match &card.signer {
        Some(signer) => {
            let names = one_line(&signer.principals.join(", "));
            let names = if names.is_empty() { names } else { format!(" ({names})") };
            page.line(format!("{} {verdict}, by {}{names}", key(page, "signed"), signer.key_id));
        }
        None => page.line(format!("{} {verdict}", key(page, "signed"))),
    }
    fact(page, "author", card.author.as_deref().unwrap_or_default());
    fact(page, "model", card.model.as_deref().unwrap_or_default());
    fact(page, "limits", card.limits.as_ref().map(limits).unwrap_or_default());
    card.inputs.iter().for_each(|input| fact(page, "input", value(input)));
    card.outputs.iter().for_each(|output| fact(page, "output", value(output)));
    card.permissions.iter().for_each(|permission| fact(page, "may", permission));
    card.companions.iter().for_each(|companion| fact(page, "companion", companion));
    card.needs.iter().for_each(|(item_type, id)| fact(page, "needs", format!("{item_type} {id}")));
    for version in &card.versions {
        let yanked = if version.is_yanked { ", yanked" } else { "" };
        let oldest = version.requires_rye.map(|oldest| format!(", for rye {oldest} or later")).unwrap_or_default();
        let (number, registry, seq, signer) = (version.version, &version.registry, version.seq, &version.signer);
        fact(page, "version", format!("{number} in {registry} (seq {seq}){yanked}{oldest}, by {signer}"));
    }
}

/// Writes a fact, if present.
fn fact(page: &mut Page<'_>, what: &str, text: impl Display) {
    let text = one_line(&text.to_string());
    if !text.is_empty() {
        page.line(format!("{} {text}", key(page, what)));
    }
}

fn key(page: &Page<'_>, what: &str) -> String {
    page.paint().dim(format!("{what}:"))
}

fn value(value: &Value) -> String {
    let default = value.default.as_ref().map(|default| format!(", {default} if not given"));
    let required = if value.required { ", required" } else { "" };
    let description = if value.description.is_empty() { String::new() } else { format!(": {}", value.description) };
    format!("{} ({}{required}{}){description}", value.name, value.kind, default.unwrap_or_default())
}

fn limits(limits: &Limits) -> String {
    let counts = [
        limits.turns.map(|turns| format!("{turns} turns")),
        limits.tokens.map(|tokens| format!("{tokens} tokens")),
        limits.spend.as_ref().map(ToString::to_string),
        limits.duration.map(|seconds| format!("{seconds} s")),
    ];
    counts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
