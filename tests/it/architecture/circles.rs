//! Finds files of one crate that import each other in a circle.
//!
//! A name counts as imported from the file that defines it, through whatever `mod.rs` re-exports it: a list of
//! re-exports imports nothing itself. What a `mod.rs` defines and its children import counts. Test modules do not.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::scan::{Path, defined, paths, words};
use super::{Source, crate_of, module};

/// A module by its path from the crate's root.
type Module = Vec<String>;

/// What a file imports: each module with the first line that names something of it.
type Edges = BTreeMap<Module, BTreeMap<Module, usize>>;

/// One file of the program.
struct File {
    path: String,
    /// Paths outside of test modules.
    paths: Vec<Path>,
    /// Names mentioned outside of `use`.
    words: BTreeSet<String>,
    /// Names of what it defines itself.
    defined: BTreeSet<String>,
}

struct Crate {
    files: BTreeMap<Module, File>,
    /// The modules that have modules.
    parents: BTreeSet<Module>,
}

/// Files of one crate that import each other.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Circle {
    /// Every file that can be reached from each of the others.
    pub(super) files: Vec<String>,
    /// The shortest way around through the first file: `a.rs:3 -> b.rs:5 -> a.rs`.
    pub(super) way: String,
}

/// Returns the circles of all crates.
pub(super) fn circles(sources: &[Source]) -> Vec<Circle> {
    let crates: BTreeSet<&str> = sources.iter().filter_map(|source| crate_of(&source.path)).collect();
    let of = |name| sources.iter().filter(move |source| crate_of(&source.path) == Some(name));
    crates.into_iter().flat_map(|name| circles_of(of(name))).collect()
}

fn circles_of<'a>(sources: impl Iterator<Item = &'a Source>) -> Vec<Circle> {
    let own = Crate::of(sources);
    let edges: Edges = own.files.keys().map(|from| (from.clone(), own.imports(from))).collect();
    let mut found = Vec::new();
    let mut grouped = BTreeSet::new();
    for first in edges.keys() {
        let reached = reachable(&edges, first);
        if grouped.contains(first) || !reached.contains(first) {
            continue;
        }
        let group: Vec<&Module> = reached.iter().filter(|other| reachable(&edges, other).contains(first)).collect();
        grouped.extend(group.iter().map(|module| (*module).clone()));
        let files = group.iter().map(|module| own.files[*module].path.clone()).collect();
        found.push(Circle { files, way: own.way_around(&edges, first) });
    }
    found
}

impl Crate {
    fn of<'a>(sources: impl Iterator<Item = &'a Source>) -> Self {
        let file = |source: &Source| {
            let module = module(&source.path);
            let paths = paths(&source.text, &module).into_iter().filter(|path| !path.test).collect();
            let (words, defined) = (words(&source.text), defined(&source.text));
            let file = File { path: source.path.clone(), paths, words, defined };
            (!module.is_empty()).then_some((module, file))
        };
        let files: BTreeMap<_, _> = sources.filter_map(file).collect();
        let parents = files.keys().map(|module| module[..module.len() - 1].to_vec()).collect();
        Self { files, parents }
    }

    /// Returns the files of the crate that a file imports something from.
    fn imports(&self, from: &Module) -> BTreeMap<Module, usize> {
        let file = &self.files[from];
        let mut found = BTreeMap::new();
        for path in file.paths.iter().filter(|path| !self.is_passed_on(from, path)) {
            let definer = self.target(from, path).and_then(|target| self.definer(&target, 8));
            if let Some(definer) = definer.filter(|to| to != from) {
                found.entry(definer).or_insert(path.line);
            }
        }
        found
    }

    /// Tells whether a `use` only hands a name on, or names a module whose taken names are in the inline paths.
    fn is_passed_on(&self, from: &Module, path: &Path) -> bool {
        let Some(name) = path.name.as_ref().filter(|name| *name != "_") else { return false };
        let file = &self.files[from];
        let is_module = || self.target(from, path).is_some_and(|target| self.files.contains_key(&target));
        let is_opened = || file.paths.iter().any(|inline| inline.name.is_none() && inline.segments[0] == *name);
        (self.parents.contains(from) && !file.words.contains(name)) || (is_module() && is_opened())
    }

    /// Spells a path of a file from the crate's root; nothing for other paths.
    fn target(&self, from: &Module, path: &Path) -> Option<Module> {
        if path.own {
            return Some(path.segments.clone());
        }
        let child = [from.as_slice(), &path.segments[..1]].concat();
        if self.files.contains_key(&child) {
            return Some([from.as_slice(), &path.segments].concat());
        }
        let brought = |import: &&Path| path.name.is_none() && import.name.as_ref() == path.segments.first();
        let import = self.files[from].paths.iter().find(brought)?;
        Some([self.target(from, import)?.as_slice(), &path.segments[1..]].concat())
    }

    /// Returns the module that defines what a path from the crate's root names; re-exports are followed.
    fn definer(&self, path: &[String], depth: usize) -> Option<Module> {
        let length = (1..=path.len()).rev().find(|length| self.files.contains_key(&path[..*length]))?;
        let (module, rest) = path.split_at(length);
        let module = module.to_vec();
        let Some((name, rest)) = rest.split_first() else { return Some(module) };
        let name = name.trim_end_matches('!');
        let file = &self.files[&module];
        // A module that is imported may be called as a function here is.
        if rest.is_empty() && file.defined.contains(name) {
            return Some(module);
        }
        let import = file.paths.iter().find(|import| import.name.as_deref() == Some(name));
        // What another crate defines is nobody's here.
        let Some(import) = import.filter(|_| depth > 0) else { return Some(module) };
        self.definer(&[self.target(&module, import)?.as_slice(), rest].concat(), depth - 1)
    }

    fn way_around(&self, edges: &Edges, first: &Module) -> String {
        let mut before: BTreeMap<&Module, &Module> = BTreeMap::new();
        let mut next = VecDeque::from([first]);
        while let Some(module) = next.pop_front().filter(|_| !before.contains_key(first)) {
            for to in edges[module].keys() {
                before.entry(to).or_insert_with(|| {
                    next.push_back(to);
                    module
                });
            }
        }
        let mut way = vec![self.files[first].path.clone()];
        let mut to = first;
        loop {
            let from = before[to];
            way.push(format!("{}:{}", self.files[from].path, edges[from][to]));
            if from == first {
                break;
            }
            to = from;
        }
        way.reverse();
        way.join(" -> ")
    }
}

/// Returns what can be reached by one import or more.
fn reachable(edges: &Edges, from: &Module) -> BTreeSet<Module> {
    let mut reached = BTreeSet::new();
    let mut next = vec![from];
    while let Some(module) = next.pop() {
        next.extend(edges[module].keys().filter(|to| reached.insert((*to).clone())));
    }
    reached
}
