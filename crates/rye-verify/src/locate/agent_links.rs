//! Where the links of a project lead agents: a file behind a link instructs an agent as if it lay where the link lies.
//!
//! Links are followed as a kernel does, but only through what git tracks. What lies outside of the project cannot be listed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::capability::AgentFiles;

/// The most links that one path leads through: Linux has the same bound.
const MOST_HOPS: usize = 40;

/// The most steps that are gone for all links of a project.
const MOST_STEPS: usize = 2_000_000;

/// How many of the last names of a path decide whether what lies below it is a place.
const DECIDING_NAMES: usize = 4;

/// The links and files of a work tree or commit.
pub(super) struct AgentLinks {
    links: BTreeMap<String, String>,
    paths: BTreeSet<String>,
}

/// What links lead agents to.
#[derive(Debug, Clone, Default)]
pub(super) struct Led {
    /// Tracked files, and the links on the way to them.
    pub(super) files: BTreeSet<String>,
    /// Links in a place of agents that lead out of the project, in circles, or through too many links.
    pub(super) out: BTreeSet<String>,
    /// Where links lead: the path that an agent sees, and the path that it comes to.
    ways: BTreeSet<(String, String)>,
}

/// A link that is still to be followed.
struct Step {
    /// The path that an agent sees.
    seen_as: String,
    /// The links on the way; the last is followed.
    way: Vec<String>,
}

impl AgentLinks {
    /// Takes the links with their targets, and the paths of all files, links among them.
    pub(super) fn new(links: BTreeMap<String, String>, paths: Vec<String>) -> Self {
        let paths = paths.into_iter().collect();
        Self { links, paths }
    }

    /// Follows each link.
    pub(super) fn led(&self) -> Led {
        let mut led = Led::default();
        let mut places = AgentFiles::default();
        let start = |link: &String| Step { seen_as: link.clone(), way: vec![link.clone()] };
        let mut open: Vec<Step> = self.links.keys().map(start).collect();
        let (mut known, mut steps) = (BTreeSet::new(), 0);
        while let Some(step) = open.pop() {
            let Some(link) = step.way.last() else { continue };
            let is_place = places.has(&step.seen_as);
            if !known.insert((link.clone(), deciding(&step.seen_as, is_place))) {
                continue;
            }
            let target = self.resolved(link).filter(|_| step.way.len() <= MOST_HOPS && steps <= MOST_STEPS);
            let Some(target) = target else {
                led.out.extend(is_place.then(|| link.clone()));
                continue;
            };
            for path in self.at_or_below(&target) {
                steps += 1;
                let seen_as = format!("{}{}", step.seen_as, below(path, &target).unwrap_or_default());
                if places.has(&seen_as) {
                    led.files.insert(path.to_owned());
                    led.files.extend(step.way.iter().cloned());
                }
                if self.links.contains_key(path) {
                    let way = step.way.iter().cloned().chain([path.to_owned()]).collect();
                    open.push(Step { seen_as, way });
                }
            }
            led.ways.insert((step.seen_as, target));
        }
        led
    }

    /// Lists the files at a path and below it; the submodule that it lies in.
    fn at_or_below<'a>(&'a self, target: &'a str) -> impl Iterator<Item = &'a str> {
        let above = target.match_indices('/').map(|(at, _)| &target[..at]).find(|above| self.paths.contains(*above));
        let from = if target.is_empty() { String::new() } else { format!("{target}/") };
        let is_below = move |path: &&String| below(path, target).is_some();
        let below = self.paths.range(from..).take_while(is_below);
        self.paths.get(target).into_iter().chain(below).map(String::as_str).chain(above)
    }

    /// Returns the path that a link leads to; none where it leads out of the project, or through too many links.
    fn resolved(&self, link: &str) -> Option<String> {
        let mut open: VecDeque<String> = link.split('/').map(str::to_owned).collect();
        let (mut names, mut hops): (Vec<String>, usize) = (Vec::new(), 0);
        while let Some(name) = open.pop_front() {
            match name.as_str() {
                "" | "." => continue,
                ".." => {
                    names.pop()?;
                    continue;
                }
                _ => names.push(name),
            }
            let Some(target) = self.links.get(&names.join("/")) else { continue };
            hops += 1;
            if hops > MOST_HOPS || target.is_empty() || target.starts_with('/') {
                return None;
            }
            names.pop();
            target.rsplit('/').for_each(|part| open.push_front(part.to_owned()));
        }
        let is_git = names.first().is_some_and(|name| name.eq_ignore_ascii_case(".git"));
        (!is_git).then(|| names.join("/"))
    }
}

impl Led {
    /// Tells whether an agent comes to a path through a link and is instructed by what lies there.
    pub(super) fn leads_to(&self, path: &str) -> bool {
        let mut places = AgentFiles::default();
        let mut is_seen = |(seen_as, target): &(String, String)| {
            below(path, target).is_some_and(|rest| places.has(&format!("{seen_as}{rest}")))
        };
        self.ways.iter().any(&mut is_seen)
    }
}

/// Returns what follows a folder in a path at or below it, with its slash.
fn below<'a>(path: &'a str, folder: &str) -> Option<std::borrow::Cow<'a, str>> {
    if folder.is_empty() {
        return Some(format!("/{path}").into());
    }
    path.strip_prefix(folder).filter(|rest| rest.is_empty() || rest.starts_with('/')).map(Into::into)
}

/// Returns what decides which places lie below a path: nothing more where it is one.
fn deciding(path: &str, is_place: bool) -> Option<String> {
    let names: Vec<&str> = path.rsplit('/').take(DECIDING_NAMES).collect();
    (!is_place).then(|| names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn led(links: &[(&str, &str)], files: &[&str]) -> Led {
        let paths = links.iter().map(|(link, _)| link).chain(files).map(|path| (*path).to_owned()).collect();
        let links = links.iter().map(|(link, target)| ((*link).to_owned(), (*target).to_owned())).collect();
        AgentLinks::new(links, paths).led()
    }

    #[test]
    fn files_behind_links_are_found_as_if_they_lay_there() {
        let files = ["docs/guide.md", "cfg/settings.json", "cfg/deep/x", "gh/copilot-instructions.md", "gh/a", "src/a"];
        let links = [
            ("AGENTS.md", "docs/guide.md"),
            ("a/.claude", "../way"),
            ("way", "cfg"),
            (".github", "gh"),
            ("node", "src"),
            ("x/.cursor", "../sub/rules"),
        ];
        let found = led(&links, &[&files[..], &["sub"]].concat());
        let expected = [
            ".github",
            "AGENTS.md",
            "a/.claude",
            "cfg/deep/x",
            "cfg/settings.json",
            "docs/guide.md",
            "gh/copilot-instructions.md",
            "sub",
            "x/.cursor",
        ];
        assert_eq!(found.files.iter().map(String::as_str).collect::<Vec<_>>(), expected);
        assert!(found.out.is_empty() && found.leads_to("cfg/new.json") && !found.leads_to("src/b"), "{found:?}");
    }

    #[test]
    fn links_that_lead_out_or_in_circles_are_told() {
        for target in ["/etc/passwd", "../x", ".git/config", "AGENTS.md", "b", ""] {
            let found = led(&[("AGENTS.md", target), ("b", "AGENTS.md")], &["a"]);
            assert!(found.out.contains("AGENTS.md"), "{target}: {found:?}");
        }
        // A link to the top shows each file again, without end.
        let found = led(&[(".claude", ".."), ("d/.claude", ".."), ("d/up", "..")], &["a", "d/x"]);
        assert!(found.out.contains(".claude") && found.files.contains("d/x"), "{found:?}");
    }
}
