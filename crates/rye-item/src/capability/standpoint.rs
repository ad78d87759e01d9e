//! Where a project lies and which links lead into it: what its own paths do not tell of code places.
//!
//! A work tree at `.github` inside of another one has its `workflows/` in a code place, and so has a folder that a link
//! `.vscode` leads to. A path is judged as it is seen from the outermost work tree, on every way that leads to it.
//!
//! A tool writes to a code place only where a path rule names the place: matches the path on that way, and spells the place out
//! before its first wildcard, as `.github/workflows/**` and `.claude/settings.json` do, and `**`, `.*/**` and `.github/**` do not. In a
//! project that is such a place as a whole, it spells out a name in it.

use super::code_place::CodePlace;
use super::folding::folded;
use super::paths::ProjectPath;

/// The most ways to a path that are followed. A path with more counts as lying at every link.
const MOST_WAYS: usize = 256;

/// From where the paths of a project are judged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standpoint {
    /// The names that lead to the project from the outermost folder.
    lead: Vec<String>,
    links: Vec<Link>,
}

/// A link, as names from the outermost folder.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Link {
    at: Vec<String>,
    /// Where it leads, folded.
    to: Vec<String>,
}

/// A way to a path.
#[derive(Debug, Clone)]
struct Way {
    parts: Vec<String>,
    folded: Vec<String>,
    /// The links on it, the last one first.
    through: Vec<usize>,
}

/// A code place that a path lies in, on one way to it.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    place: CodePlace,
    way: Way,
}

impl Standpoint {
    /// Makes the standpoint of a project that these names lead to, with links: each where it is, and where it leads.
    #[must_use]
    pub fn new(lead: Vec<String>, links: impl IntoIterator<Item = (Vec<String>, Vec<String>)>) -> Self {
        let link = |(at, to): (Vec<String>, Vec<String>)| Link { at, to: to.iter().map(|name| folded(name)).collect() };
        Self { lead, links: links.into_iter().map(link).collect() }
    }

    /// Tells whether the content of a path runs code on the person's machine, or instructs an agent there, unasked.
    #[must_use]
    pub fn runs_code(&self, path: &ProjectPath) -> bool {
        !self.places(path).is_empty()
    }

    /// Tells whether a file or folder that a person named spells out every code place that `path` lies in, or where the link leads
    /// that makes it one.
    #[must_use]
    pub fn is_named(&self, named: &ProjectPath, path: &ProjectPath) -> bool {
        let spelt: Vec<String> = self.lead.iter().map(String::as_str).chain(named.parts()).map(folded).collect();
        let has_own = named.parts().next().is_some();
        self.places(path).iter().all(|seen| match seen.way.through.first() {
            Some(link) => spelt.starts_with(&self.links[*link].to),
            None => seen.place.lies_on(&spelt) && (has_own || seen.place.end() > self.lead.len()),
        })
    }

    /// Returns every code place that `path` lies in.
    pub(super) fn places(&self, path: &ProjectPath) -> Vec<Seen> {
        let seen = |way: Way| CodePlace::of(&way.folded).into_iter().map(move |place| Seen { place, way: way.clone() });
        self.ways(path).into_iter().flat_map(seen).collect()
    }

    /// Returns the path as it is written on a way; none when the way does not lead through the project.
    pub(super) fn inside(&self, seen: &Seen) -> Option<ProjectPath> {
        let lead: Vec<String> = self.lead.iter().map(|name| folded(name)).collect();
        let is_inside = seen.way.folded.starts_with(&lead);
        is_inside.then(|| seen.way.parts[lead.len()..].join("/").parse().ok()).flatten()
    }

    /// Tells whether a path pattern of the project names a place.
    pub(super) fn is_named_by(&self, seen: &Seen, pattern: &str) -> bool {
        let literal = pattern.split(['*', '?', '[', '{']).next().unwrap_or_default();
        let names =
            |text: &str| text.split('/').filter(|part| !matches!(*part, "" | ".")).map(folded).collect::<Vec<_>>();
        let spelt: Vec<String> = self.lead.iter().map(|name| folded(name)).chain(names(literal)).collect();
        // In a project that is a code place as a whole, a rule spells out a name in it, and no wildcard ends that.
        let whole = if literal.len() == pattern.len() {
            literal
        } else {
            literal.rsplit_once('/').map_or("", |(whole, _)| whole)
        };
        seen.place.lies_on(&spelt) && (seen.place.end() > self.lead.len() || !names(whole).is_empty())
    }

    /// Returns the widest path pattern that names a place and matches the path on the way to it.
    pub(super) fn rule(&self, seen: &Seen) -> String {
        let Seen { place, way } = seen;
        let from = if self.inside(seen).is_some() { self.lead.len() } else { 0 };
        // At least one name of the project's own.
        let end = place.end().max(from + 1).min(way.parts.len());
        let names = way.parts.get(from..end).unwrap_or_default().join("/");
        match (names.is_empty(), way.parts.len() > end) {
            (true, _) => "**".to_owned(),
            (false, true) => format!("{names}/**"),
            (false, false) => names,
        }
    }

    fn ways(&self, path: &ProjectPath) -> Vec<Way> {
        let own = self.lead.iter().map(String::as_str).chain(path.parts()).map(str::to_owned).collect();
        let mut ways = vec![Way::new(own, Vec::new())];
        let mut next = 0;
        while let Some(way) = ways.get(next).cloned() {
            for (number, link) in self.links.iter().enumerate() {
                if way.through.contains(&number) || !way.folded.starts_with(&link.to) {
                    continue;
                }
                let parts: Vec<String> = link.at.iter().chain(&way.parts[link.to.len()..]).cloned().collect();
                if ways.iter().all(|known| known.parts != parts) {
                    ways.push(Way::new(parts, [&way.through[..], &[number]].concat()));
                }
                if ways.len() == MOST_WAYS {
                    let at = |(number, link): (usize, &Link)| Way::new(link.at.clone(), vec![number]);
                    ways.extend(self.links.iter().enumerate().map(at));
                    return ways;
                }
            }
            next += 1;
        }
        ways
    }
}

impl Way {
    fn new(parts: Vec<String>, through: Vec<usize>) -> Self {
        let folded = parts.iter().map(|part| folded(part)).collect();
        Self { parts, folded, through }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn names(path: &str) -> Vec<String> {
        path.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }

    fn standpoint(lead: &str, links: &[(&str, &str)]) -> Standpoint {
        Standpoint::new(names(lead), links.iter().map(|(at, to)| (names(at), names(to))))
    }

    fn runs_code(standpoint: &Standpoint, path: &str) -> bool {
        standpoint.runs_code(&path.parse().unwrap())
    }

    fn rules(standpoint: &Standpoint, path: &str) -> Vec<String> {
        standpoint.places(&path.parse().unwrap()).iter().map(|seen| standpoint.rule(seen)).collect()
    }

    fn is_named_by(standpoint: &Standpoint, pattern: &str, path: &str) -> bool {
        let places = standpoint.places(&path.parse().unwrap());
        places.iter().all(|seen| standpoint.is_named_by(seen, pattern))
    }

    #[test]
    fn a_place_is_recognised_from_the_outermost_work_tree() {
        for (lead, path, rule) in [
            (".github", "workflows/x.yml", "workflows/**"),
            ("docs/.GitHub", "Workflows/x.yml", "Workflows/**"),
            (".config", "fish/config.fish", "fish/**"),
            (".cargo", "config.toml", "config.toml"),
            (".claude/skills/x", "SKILL.md", "SKILL.md"),
            ("", ".github/workflows/x.yml", ".github/workflows/**"),
        ] {
            let from = standpoint(lead, &[]);
            assert_eq!(rules(&from, path), [rule], "{lead} {path}");
            assert!(is_named_by(&from, rule, path), "{lead} {path}");
        }
        let github = standpoint(".github", &[]);
        assert!(!runs_code(&github, "ISSUE_TEMPLATE/bug.md") && !is_named_by(&github, "**", "workflows/x.yml"));
        assert!(!runs_code(&standpoint("docs", &[]), "workflows/x.yml"));
    }

    #[test]
    fn a_place_is_recognised_behind_links() {
        let links = [(".vscode", "docs/vs"), (".mcp.json", "docs/mcp.json"), (".github/workflows", "docs/wf")];
        let from = standpoint("", &links);
        for (path, rule) in [
            ("docs/vs/tasks.json", ".vscode/**"),
            ("docs/mcp.json", ".mcp.json"),
            ("docs/wf/x.yml", ".github/workflows/**"),
            ("DOCS/VS/tasks.json", ".vscode/**"),
        ] {
            assert_eq!(rules(&from, path), [rule], "{path}");
        }
        for path in ["docs/vs2/tasks.json", "docs/mcp.json2", "docs", "docs/a.md"] {
            assert!(!runs_code(&from, path), "{path}");
        }
        let named = |named: &str, path: &str| from.is_named(&named.parse().unwrap(), &path.parse().unwrap());
        assert!(named("docs/vs", "docs/vs/tasks.json") && named("docs/vs/tasks.json", "docs/vs/tasks.json"));
        assert!(!named("docs", "docs/vs/tasks.json") && !named("", "docs/vs/tasks.json"));
        // A link to a link, a link in what a link leads to, and one around the project.
        let from = standpoint("sub", &[(".claude", "sub/cfg"), ("sub/cfg/skills", "sub/skills")]);
        assert_eq!(rules(&from, "skills/x/SKILL.md"), [".claude/**"]);
        assert_eq!(from.inside(&from.places(&"cfg/a".parse().unwrap())[0]), None);
    }

    #[test]
    fn links_without_end_are_followed_to_a_bound() {
        let from = standpoint("", &[(".claude/skills/me", "")]);
        assert!(runs_code(&from, "SKILL.md") && rules(&from, "a").iter().all(|rule| rule == ".claude/**"));
        let many: Vec<(String, String)> = (0..40).map(|n| (format!("a{n}"), String::new())).collect();
        let many: Vec<(&str, &str)> = many.iter().map(|(at, to)| (at.as_str(), to.as_str())).collect();
        assert!(!runs_code(&standpoint("", &many), "x"));
        assert!(runs_code(&standpoint("", &[&many[..], &[(".vscode", "docs")]].concat()), "x"));
    }

    #[test]
    fn a_rule_names_a_place_that_it_spells_out_before_its_first_wildcard() {
        let named = |pattern: &str, path: &str| is_named_by(&Standpoint::default(), pattern, path);
        for (pattern, path) in [
            (".mcp.json", ".mcp.json"),
            (".mcp.json*", ".mcp.json"),
            ("./.github/workflows/**", ".github/workflows/ci.yml"),
            (".github/workflows/*.yml", ".github/workflows/ci.yml"),
            (".claude/settings.json", ".claude/settings.json"),
            (".cargo/config*", ".cargo/config.toml"),
            ("a/.vscode/**", "a/.vscode/tasks.json"),
        ] {
            assert!(named(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("**", ".mcp.json"),
            ("*", ".mcp.json"),
            (".*", ".mcp.json"),
            (".mcp*", ".mcp.json"),
            ("{.mcp.json,a}", ".mcp.json"),
            ("**/.mcp.json", ".mcp.json"),
            (".github/**", ".github/workflows/ci.yml"),
            (".github/work*/**", ".github/workflows/ci.yml"),
            (".[c]laude/**", ".claude/settings.json"),
            ("a/**", "a/.vscode/tasks.json"),
            (".vscode/**", "a/.vscode/tasks.json"),
            // It lies in two places, and each needs its name.
            (".github/workflows/**", ".github/workflows/.claude/settings.json"),
        ] {
            assert!(!named(pattern, path), "{pattern} {path}");
        }
    }
}
