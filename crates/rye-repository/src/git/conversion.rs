//! How git converts the files of a work tree: encodings, line ends, `$Id$` and drivers, by attributes of an index.
//!
//! Attributes come from that index, from `info/attributes` and from `core.attributesFile`, and where a person's own files are
//! compared from their work tree.

use gix::{
    attrs::{StateRef, search::Outcome},
    bstr::{BStr, ByteSlice},
    filter::{
        Pipeline,
        plumbing::{
            Driver,
            eol::{self, AttributesDigest, Mode},
            ident,
            pipeline::Options,
        },
    },
    index::{
        State,
        entry::{Flags, Mode as IndexMode, Stat},
    },
    worktree::{Stack, stack::state::attributes::Source},
};

use super::{BlobId, Cause, Error, Repository, encoding::Named, objects::Objects};

/// The file with the attributes of a folder.
const ATTRIBUTES: &str = ".gitattributes";

/// The attributes that change bytes.
const CONVERTING: [&str; 6] = ["text", "crlf", "eol", "ident", "filter", "working-tree-encoding"];

/// What a file with attributes says that gives an encoding.
const ENCODED: &[u8] = b"working-tree-encoding=";

/// The conversions of a repository's files.
pub(super) struct Conversions {
    stack: Stack,
    /// In the order of [`CONVERTING`].
    selected: Outcome,
    pub(super) options: Options,
    /// Whether nothing at all is converted.
    pub(super) is_plain: bool,
}

/// How a path is converted.
pub(super) struct Conversion {
    pub(super) driver: Option<Driver>,
    pub(super) encoding: Named,
    pub(super) lines: AttributesDigest,
    pub(super) is_ident: bool,
}

impl Conversions {
    /// Takes the attributes that an index has; the `source` may have those of the work tree go first.
    pub(super) fn new(repository: &Repository, index: &State, source: Source) -> Result<Self, Error> {
        let (repo, failed) = (&repository.inner, |source: gix::Error| failed(repository, source));
        let options = Pipeline::options(repo).map_err(failed)?;
        let files = repo.attribute_global_paths().map_err(failed)?;
        let mut files = files.into_iter().chain([repo.common_dir().join("info/attributes")]);
        let attributes = attributes_in(index);
        let is_of_index = matches!(source, Source::IdMapping);
        let has_attributes = !is_of_index || !attributes.entries().is_empty() || files.any(|path| path.exists());
        let is_plain = !has_attributes && options.eol_config.auto_crlf == eol::AutoCrlf::Disabled;
        let stack = repo.attributes_only(&attributes, source).map_err(failed)?.detach();
        let selected = stack.selected_attribute_matches(CONVERTING);
        Ok(Self { stack, selected, options, is_plain })
    }

    /// Reads the attributes of a path as git does.
    pub(super) fn at(&mut self, repository: &Repository, path: &str) -> Result<Conversion, Cause> {
        let found = self.stack.at_path(path, None, &Objects(repository))?;
        found.matching_attributes(&mut self.selected);
        let mut states = self.selected.iter_selected().map(|found| found.assignment.state);
        let [text, crlf, eol, ident, filter, encoding] =
            std::array::from_fn(|_| states.next().unwrap_or(StateRef::Unspecified));
        let driver = match filter {
            StateRef::Value(name) => self.options.drivers.iter().find(|driver| driver.name == name.as_bstr()).cloned(),
            StateRef::Set | StateRef::Unset | StateRef::Unspecified => None,
        };
        let encoding = match encoding {
            StateRef::Value(name) => Named::parse(name.as_bstr()),
            StateRef::Set => Named::Unknown,
            StateRef::Unset | StateRef::Unspecified => Named::Utf8,
        };
        let lines = lines_of([text, crlf, eol], self.options.eol_config);
        Ok(Conversion { driver, encoding, lines, is_ident: ident == StateRef::Set })
    }

    /// Tells whether any file may have another encoding: only then each is asked for its own.
    pub(super) fn has_encodings(&self, repository: &Repository, index: &State) -> Result<bool, Cause> {
        if self.is_plain {
            return Ok(false);
        }
        let repo = &repository.inner;
        for path in repo.attribute_global_paths()?.into_iter().chain([repo.common_dir().join("info/attributes")]) {
            if std::fs::read(path).is_ok_and(|text| text.find(ENCODED).is_some()) {
                return Ok(true);
            }
        }
        for entry in attributes_in(index).entries() {
            if repository.blob(&BlobId::from_gix(entry.id))?.find(ENCODED).is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns what the work tree gets for what git stores, without a driver; `None` if it cannot be said in the encoding.
    pub(super) fn to_work_tree(
        &self,
        repository: &Repository,
        conversion: &Conversion,
        mut bytes: Vec<u8>,
    ) -> Result<Option<Vec<u8>>, Cause> {
        let mut converted = Vec::new();
        if conversion.is_ident && ident::apply(&bytes, repository.inner.object_hash(), &mut converted)? {
            bytes = std::mem::take(&mut converted);
        }
        if eol::convert_to_worktree(&bytes, conversion.lines, &mut converted, self.options.eol_config)? {
            bytes = converted;
        }
        Ok(match conversion.encoding {
            Named::Utf8 => Some(bytes),
            Named::Known(_) if bytes.is_empty() => Some(bytes),
            Named::Known(encoding) => encoding.to_work_tree(&bytes),
            Named::Unknown => None,
        })
    }
}

/// Says that attributes or filters cannot be read.
pub(super) fn failed(repository: &Repository, source: impl Into<Cause>) -> Error {
    let work_dir = repository.work_dir().unwrap_or_else(|| repository.git_dir()).to_owned();
    Error::Status { work_dir, source: source.into() }
}

/// Picks the files with attributes out of an index.
pub(super) fn attributes_in(index: &State) -> State {
    let mut attributes = State::new(index.object_hash());
    for entry in index.entries().iter().filter(|entry| entry.stage_raw() == 0 && entry.mode != IndexMode::COMMIT) {
        let path = entry.path(index);
        if is_attributes(path) {
            attributes.dangerously_push_entry(Stat::default(), entry.id, Flags::empty(), entry.mode, path);
        }
    }
    attributes
}

/// Tells whether a path is one of a file with attributes.
pub(super) fn is_attributes(path: &BStr) -> bool {
    let name = path.rfind_byte(b'/').map_or(path, |end| path[end + 1..].as_bstr());
    name.eq_ignore_ascii_case(ATTRIBUTES.as_bytes())
}

/// Says how line ends are converted, as git's `convert_attrs` does.
fn lines_of([text, crlf, eol]: [StateRef<'_>; 3], config: eol::Configuration) -> AttributesDigest {
    let is = |state: StateRef<'_>, word: &str| matches!(state, StateRef::Value(value) if value.as_bstr() == word);
    let kind = |state: StateRef<'_>| match state {
        StateRef::Set => Some(AttributesDigest::Text),
        StateRef::Unset => Some(AttributesDigest::Binary),
        StateRef::Value(_) if is(state, "input") => Some(AttributesDigest::TextInput),
        StateRef::Value(_) if is(state, "auto") => Some(AttributesDigest::TextAuto),
        StateRef::Value(_) | StateRef::Unspecified => None,
    };
    let (is_lf, is_crlf) = (is(eol, "lf"), is(eol, "crlf"));
    match kind(text).or_else(|| kind(crlf)) {
        Some(AttributesDigest::Binary) => AttributesDigest::Binary,
        Some(AttributesDigest::TextAuto) if is_lf => AttributesDigest::TextAutoInput,
        Some(AttributesDigest::TextAuto) if is_crlf => AttributesDigest::TextAutoCrlf,
        _ if is_lf => AttributesDigest::TextInput,
        _ if is_crlf => AttributesDigest::TextCrlf,
        Some(AttributesDigest::Text) => match config.to_eol() {
            Mode::Lf => AttributesDigest::TextInput,
            Mode::CrLf => AttributesDigest::TextCrlf,
        },
        Some(kind) => kind,
        None => config.auto_crlf.into(),
    }
}
