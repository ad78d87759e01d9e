//! What the directive that a connection follows permits, within the connection's own permissions.

use super::{Call, Capabilities, Capability, Denial, HostRule, PathRules, Primary};
use crate::id::{ItemId, ItemType};

/// The tools that work on files by their parameters.
const FILE_TOOLS: &str = "rye.execute.tool.rye.file-system.*";

/// A directive that a connection follows, with the permissions that it and its bases declare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Following {
    directive: ItemId,
    layers: Vec<Capabilities>,
    /// Whether calls work in the project that the directive was executed in.
    is_here: bool,
}

impl Following {
    /// Follows a directive under the permissions that its chain declares: all of them must allow a call. None when the
    /// chain declares no permissions, which narrows nothing.
    #[must_use]
    pub fn new(directive: ItemId, layers: Vec<Capabilities>) -> Option<Self> {
        (!layers.is_empty()).then_some(Self { directive, layers, is_here: true })
    }

    /// Judges calls that work in another project: the directive's path rules speak of its own, so none that acts is allowed.
    #[must_use]
    pub fn elsewhere(self) -> Self {
        Self { is_here: false, ..self }
    }

    /// Checks a call.
    ///
    /// # Errors
    ///
    /// Returns the denial to show, with the directive.
    pub fn check(&self, call: &Call) -> Result<(), Denial> {
        if !narrows(call.primary, call.item_type) {
            return Ok(());
        }
        if !self.is_here {
            return Err(self.denied(Denial::Elsewhere { call: call.to_string() }));
        }
        self.layers.iter().try_for_each(|layer| layer.check(call)).map_err(|denial| self.denied(denial))
    }

    /// Returns the path rules of the chain: a path must be allowed by each.
    pub(super) fn path_rules(&self) -> impl Iterator<Item = &PathRules> {
        self.layers.iter().map(|layer| &layer.paths)
    }

    /// Returns the rules of hosts of the chain: all must name a host.
    pub(super) fn host_rules(&self) -> impl Iterator<Item = &[HostRule]> {
        self.layers.iter().filter(|_| self.is_here).map(|layer| layer.hosts.as_slice())
    }

    /// Says in plain words what the connection may do meanwhile.
    #[must_use]
    pub fn sentence(&self) -> String {
        let layers: Vec<String> = self.layers.iter().map(may).collect();
        let only = layers.join("; and of that only what a directive it extends permits: ");
        format!(
            "While you follow this directive, this connection lets you {only}. Searching and loading are not narrowed."
        )
    }

    /// Names the directive in a denial.
    pub(super) fn denied(&self, denial: Denial) -> Denial {
        Denial::Following { directive: self.directive.clone(), denial: Box::new(denial) }
    }
}

/// Tells whether a directive narrows calls of this kind: those that act, and not those that only take something in.
const fn narrows(primary: Primary, item_type: ItemType) -> bool {
    match (primary, item_type) {
        (Primary::Execute, ItemType::Tool) | (Primary::Sign, _) => true,
        (Primary::Execute, ItemType::Directive | ItemType::Knowledge | ItemType::Skill)
        | (Primary::Search | Primary::Load, _) => false,
    }
}

/// Says what one set of permissions lets a connection do.
fn may(layer: &Capabilities) -> String {
    let calls = layer.calls.iter().filter(|capability| reaches(capability)).map(Capability::as_str);
    let PathRules { read, write } = &layer.paths;
    let paths = match (layer.paths.is_empty(), layer.calls.iter().any(is_of_files)) {
        (true, true) => ", read and write files of the project".to_owned(),
        (true, false) => String::new(),
        (false, _) => {
            let read = read.iter().chain(write).map(String::as_str);
            format!(", read {}, and write {}", listed(read), listed(write.iter().map(String::as_str)))
        }
    };
    let hosts = layer.hosts.iter().map(ToString::to_string).collect::<Vec<_>>();
    let hosts = if hosts.is_empty() {
        String::new()
    } else {
        format!(", and reach {}", listed(hosts.iter().map(String::as_str)))
    };
    format!("call {}{paths}{hosts}", listed(calls))
}

/// Tells whether a pattern reaches a tool that works on files by its parameters.
fn is_of_files(capability: &Capability) -> bool {
    FILE_TOOLS.parse().is_ok_and(|tools: Capability| capability.overlaps(&tools))
}

/// Tells whether a pattern reaches a call that is narrowed.
fn reaches(capability: &Capability) -> bool {
    let types = |primary| ItemType::ALL.into_iter().map(move |item_type| (primary, item_type));
    let kinds = Primary::ALL.into_iter().flat_map(types).filter(|(primary, item_type)| narrows(*primary, *item_type));
    kinds.into_iter().any(|(primary, item_type)| capability.overlaps(&Capability::any_of(primary, item_type)))
}

fn listed<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let texts: Vec<String> = texts.map(|text| format!("`{text}`")).collect();
    if texts.is_empty() { "nothing".to_owned() } else { format!("only {}", texts.join(", ")) }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn layer(calls: &[&str], read: &[&str], write: &[&str]) -> Capabilities {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let calls = calls.iter().map(|call| call.parse().unwrap()).collect();
        Capabilities { calls, paths: PathRules { read: texts(read), write: texts(write) }, hosts: Vec::new() }
    }

    fn following(layers: &[Capabilities]) -> Following {
        Following::new("a/b".parse().unwrap(), layers.to_vec()).unwrap()
    }

    #[test]
    fn only_calls_that_act_are_narrowed() {
        let nothing = following(&[Capabilities::default()]);
        for primary in Primary::ALL {
            for item_type in ItemType::ALL {
                let call = Call::on(primary, item_type, "x/y".parse().unwrap());
                let acts = primary == Primary::Sign || (primary, item_type) == (Primary::Execute, ItemType::Tool);
                assert_eq!(nothing.check(&call).is_err(), acts, "{call}");
            }
        }
        assert_eq!(Following::new("a/b".parse().unwrap(), Vec::new()), None);
    }

    #[test]
    fn every_directive_of_the_chain_must_allow_a_call() {
        let both =
            following(&[layer(&["rye.execute.*"], &[], &["docs/**"]), layer(&["rye.execute.tool.x.*"], &[], &[])]);
        let call = |id: &str| both.check(&Call::on(Primary::Execute, ItemType::Tool, id.parse().unwrap()));
        assert_eq!(call("x/y"), Ok(()));
        let denied = call("z/y").unwrap_err().to_string();
        assert_eq!(
            denied,
            "while you follow directive `a/b`: no permission for `execute tool z/y`: it needs `rye.execute.tool.z.y`"
        );
    }

    #[test]
    fn the_sentence_names_calls_and_paths() {
        let one = layer(&["rye.execute.tool.rye.file-system.*", "rye.load.*"], &["a.md"], &["docs/**"]);
        assert_eq!(
            following(&[one]).sentence(),
            "While you follow this directive, this connection lets you call only `rye.execute.tool.rye.file-system.*`, read only \
             `a.md`, `docs/**`, and write only `docs/**`. Searching and loading are not narrowed."
        );
        assert_eq!(
            following(&[Capabilities::default(), layer(&["rye.*"], &[], &[])]).sentence(),
            "While you follow this directive, this connection lets you call nothing; and of that only what a directive it \
             extends permits: call only `rye.*`, read and write files of the project. Searching and loading are not narrowed."
        );
    }
}
