//! Whether some provider serves the tier of a directive's model.
//!
//! The providers of the user and the program count, signed or not: `rye provider list` tells which of them can be used.

use std::collections::BTreeSet;

use crate::format::{self, Finding, rules};
use crate::id::{ItemType, Space, nearest};
use crate::item::{Directive, Item, Model};
use crate::locate::LocateError;
use crate::project::Project;

/// The tiers that providers serve.
pub(super) struct Tiers {
    served: BTreeSet<String>,
}

impl Tiers {
    /// Reads the provider documents.
    pub(super) fn read(project: &Project) -> Result<Self, LocateError> {
        let mut served = BTreeSet::new();
        for space in [Space::User, Space::System] {
            for candidate in project.workspace().list(Some(ItemType::Tool), Some(space))?.items {
                // One that cannot be read serves nothing, and is not a fault of the directive.
                let Ok(bytes) = project.workspace().read(&candidate) else { continue };
                let Some(Item::Tool(tool)) = format::parse_bytes(ItemType::Tool, &candidate.extension, &bytes).item
                else {
                    continue;
                };
                if tool.tool_type.as_deref() == Some("provider")
                    && let Ok(document) = format::provider(&tool)
                {
                    served.extend(document.tiers.into_keys());
                }
            }
        }
        Ok(Self { served })
    }

    /// Tells when nothing serves what a directive declares. A model that it names by its id may be any.
    pub(super) fn finding(&self, directive: &Directive, text: &str) -> Option<Finding> {
        let Model { tier, id, .. } = directive.model.as_ref()?;
        if tier.is_empty() || id.is_some() || self.served.contains(tier) {
            return None;
        }
        let known = || self.served.iter().map(String::as_str);
        let hint = match nearest(tier, known()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are: {}", known().collect::<Vec<_>>().join(", ")),
        };
        let message = format!("no provider serves the tier `{tier}`");
        let written = format!("tier=\"{tier}\"");
        let place = text.find("<model").and_then(|model| Some(model + text.get(model..)?.find(&written)?));
        Some(match place {
            Some(start) => {
                Finding::at(&rules::UNSERVED_TIER, text, format::Span::new(start, start + written.len()), message, hint)
            }
            None => Finding::whole(&rules::UNSERVED_TIER, message, &hint),
        })
    }
}
