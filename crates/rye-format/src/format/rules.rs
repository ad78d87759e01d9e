//! The one table of rules that every finding comes from.
//!
//! Ids are stable: a rule may be retired, its id is never used again. Letters: F any file, D directive, P permission,
//! T tool, K knowledge, A agent skill, S what can be signed (the rest of these is in trust), U something this version knows of and does
//! not interpret. Retired: D047, D049, U001 to U007, U009 to U011, U015.

use serde::Serialize;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The item cannot be used.
    Error,
    /// The item can be used; the author should look.
    Warning,
    /// A better way.
    Advice,
}

/// A rule that a file can break.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// Its stable id.
    pub id: &'static str,
    /// What breaking it means.
    pub severity: Severity,
    /// What it asks for, one line.
    pub summary: &'static str,
}

/// Makes a constant for each rule and the table of all of them.
macro_rules! rules {
    ($($name:ident $id:literal $severity:ident $summary:literal)*) => {
        $(#[doc = $summary] pub const $name: Rule = Rule { id: $id, severity: Severity::$severity, summary: $summary };)*

        /// Every rule, in the order of the ids.
        pub const ALL: &[Rule] = &[$($name),*];
    };
}

rules! {
    TOO_LARGE "RYE-F001" Error "A file contains at most 1 MiB."
    NOT_UTF8 "RYE-F002" Error "A file is UTF-8."
    BYTE_ORDER_MARK "RYE-F003" Error "A file starts without a byte order mark."
    NUL "RYE-F004" Error "A file contains no NUL."
    TOO_MANY "RYE-F005" Error "A file has at most 100 findings."
    MALFORMED_YAML "RYE-F006" Error "YAML is well-formed, without repeated keys, and bounded."
    WRONG_EXTENSION "RYE-F007" Error "An item's extension suits its type."
    HIDDEN "RYE-F008" Warning "Text contains no invisible characters (bidirectional controls, zero-width characters, tags)."

    NO_FENCE "RYE-D001" Error "A directive has one fenced xml block with a directive element."
    MANY_FENCES "RYE-D002" Error "A directive has no second fenced xml block with a directive element."
    UNCLOSED_FENCE "RYE-D003" Error "A fenced block is closed."
    MALFORMED_XML "RYE-D004" Error "The xml block is well-formed, strict and bounded."
    UNKNOWN_ELEMENT "RYE-D005" Error "Every element is known and in the right place."
    UNKNOWN_ATTRIBUTE "RYE-D006" Error "Every attribute is known."
    STRAY_TEXT "RYE-D007" Error "Text appears only in elements that take text."
    REPEATED_ELEMENT "RYE-D008" Error "An element that is allowed once appears once."
    MISSING_ATTRIBUTE "RYE-D009" Error "Required attributes are present."
    MISSING_ELEMENT "RYE-D010" Error "Required elements are present and not empty."
    BAD_VERSION "RYE-D011" Error "A version has three numbers."
    BAD_VALUE "RYE-D012" Error "A value has the right type."
    NAME_NOT_ID "RYE-D013" Error "The name is the last segment of the id."
    NAME_NOT_SNAKE "RYE-D014" Error "A directive's name is snake_case."
    CATEGORY_NOT_FOLDER "RYE-D015" Error "The category is the item's folder."
    DUPLICATE_NAME "RYE-D016" Error "Names of inputs, outputs and steps are unique."
    BAD_DEFAULT "RYE-D017" Error "An input's default has the input's type."
    UNDECLARED_INPUT "RYE-D018" Error "Every placeholder names a declared input."
    MALFORMED_PLACEHOLDER "RYE-D019" Error "A placeholder has a valid form."
    OPTIONAL_WITHOUT_DEFAULT "RYE-D020" Warning "A placeholder of an optional input has `?` or a default."
    NO_TITLE "RYE-D021" Advice "A directive has a title heading before the xml block."
    EMPTY_PROCESS "RYE-D022" Error "A directive has instructions after the xml block."
    MALFORMED_TAG "RYE-D023" Error "An element of the process is a well-formed tag."
    UNCLOSED_TAG "RYE-D024" Error "An element of the process is closed."
    ACTION_OUTSIDE_STEP "RYE-D025" Error "An action element is inside a step."
    BAD_ACTION "RYE-D026" Error "An action names its item, and all its attributes take effect."
    UNUSED_INPUT "RYE-D027" Advice "A declared input is used."
    OUTPUT_FROM "RYE-D028" Error "An output's `from` names a step of the process."
    NO_MODEL "RYE-D029" Advice "A directive that runs as a thread names its model."
    NO_PERMISSIONS "RYE-D030" Error "A directive that runs as a thread declares its permissions."
    NO_BUDGET "RYE-D031" Error "A directive that runs as a thread has limits or a cost."
    LIMITS_CONFLICT "RYE-D032" Error "Limits and cost do not contradict each other."
    PURE_XML "RYE-D033" Warning "A directive has xml metadata and instructions; a directive in pure XML is a legacy form."
    KEBAB_NAME "RYE-D034" Warning "A directive's name is snake_case; kebab-case is a legacy form."
    LEGACY_OUTPUTS "RYE-D035" Warning "Outputs have names; success and failure messages are a legacy form."
    UNREAD_CALL "RYE-D036" Advice "A call in backticks has all its arguments, so that Rye can show it as the model's tool call."
    BAD_HOOK "RYE-D037" Error "A hook has an event and exactly one action."
    BAD_CONDITION "RYE-D038" Error "A hook's condition is a valid expression over known variables that can be true."
    BAD_VARIABLE "RYE-D039" Error "A `${variable}` of a hook's input is known."
    DOER_NAME "RYE-D040" Advice "A directive is named after its action."
    DESCRIPTION_LINES "RYE-D041" Advice "A description is one line."
    DESCRIPTION_MOOD "RYE-D042" Advice "A description is an imperative."
    DESCRIPTION_IS_NAME "RYE-D043" Advice "A description adds to the name."
    VAGUE_CRITERION "RYE-D044" Advice "A success criterion can be measured."
    HOW_NOT_WHAT "RYE-D045" Advice "A step describes the task, not the tool call."
    SIGN_LAST "RYE-D046" Advice "A step that signs comes last."
    NO_SPEND "RYE-D048" Advice "A cost has an amount."
    EMPTY_OUTPUTS "RYE-D050" Error "`<outputs>` declares at least one output."
    GENERAL_BASE "RYE-D051" Advice "A focused directive does not extend the base of a whole agent."
    UNRESOLVED "RYE-D052" Error "Items that a directive needs exist."
    UNMET "RYE-D053" Warning "Capability words that a directive requires are configured; without them no thread starts."
    BAD_CHAIN "RYE-D054" Error "A directive's chain of bases ends, and conflicts with none of them."
    NEVER_FIRES "RYE-D055" Warning "A hook's condition can be true at one of the hook's events."
    TEXT_AS_ELEMENT "RYE-D056" Error "Text in a directive of pure XML contains no tags of the process."
    ACTION_ARGUMENT "RYE-D057" Warning "An action that loads or signs has no parameters."
    IDLE_CURRENCY "RYE-D058" Warning "Limits with a currency have an amount."
    BAD_ON_ERROR "RYE-D059" Error "A step's `on_error` is `continue`."
    STEP_RESULT "RYE-D060" Error "A step uses only results of earlier steps."
    STEP_TOOL "RYE-D061" Warning "A tool that a step calls exists."
    STEP_PARAMETER "RYE-D062" Warning "A step gives a tool parameters that the tool has."
    NEVER_SIGNED "RYE-D063" Advice "What writes items signs them."
    FEW_TURNS "RYE-D064" Warning "The limit on turns leaves one for each call of the steps, and one to return."
    MENTIONED "RYE-D065" Warning "What a directive's context mentions is there: its items and its files."
    UNSERVED_TIER "RYE-D066" Warning "Some provider serves the tier of a directive's model."

    BAD_PATTERN "RYE-P001" Error "A permission is a pattern over items, or `*`."
    BAD_PATH "RYE-P002" Error "A path permission is a glob inside the project that can be enforced."
    EMPTY_PERMISSIONS "RYE-P003" Error "Declared permissions permit something."
    ELEVATED "RYE-P004" Warning "Elevated permissions are acknowledged with a reason."
    UNRESTRICTED "RYE-P005" Error "Unrestricted permissions are acknowledged with a reason."
    BAD_ACKNOWLEDGE "RYE-P006" Error "An acknowledgement names a tier of risk and gives a reason."
    LEGACY_PERMISSION "RYE-P007" Warning "Permissions are written in the hierarchical form."
    LEGACY_ACKNOWLEDGE "RYE-P008" Warning "An acknowledgement names the risk in its attribute."
    FORMER_NAME "RYE-P009" Warning "A permission or a call names a tool as it is called now."
    WHOLE_CAPABILITY "RYE-P010" Warning "A pattern does not repeat its elements."
    BAD_RESOURCE "RYE-P011" Error "A resource is known."
    COVERED_TWICE "RYE-P012" Advice "A permission is not covered by another one already."
    CAPABILITY_LIST "RYE-P013" Error "A capability document lists capabilities."
    LEGACY_CAPABILITY "RYE-P014" Warning "A capability document spells out action, type and pattern."
    WHOLE_SERVER "RYE-P015" Advice "A permission names tools of an MCP server, not the whole server."
    NOT_PERMITTED "RYE-P016" Advice "Calls of steps are permitted."
    IDLE_ACKNOWLEDGE "RYE-P017" Warning "An acknowledgement names a tier that needs one."
    BAD_HOST "RYE-P018" Error "A network permission names a host, a domain or an address, with an optional port."
    STEP_PATH "RYE-P019" Warning "Paths of steps lie in the project, and path rules allow them unless `on_error` continues."

    TOOL_VERSION "RYE-T001" Error "A tool declares its version as three numbers."
    TOOL_VALUE "RYE-T002" Error "A header value is a literal of the right type."
    TOOL_SCHEMA "RYE-T003" Error "A tool's parameters are a JSON Schema without remote references."
    TOOL_REPEATED "RYE-T004" Error "A header key appears once."
    TOOL_DESCRIPTION "RYE-T005" Warning "A tool has a description."
    TOOL_CATEGORY "RYE-T006" Error "The category is the tool's folder."
    TOOL_NAME "RYE-T007" Error "A tool's id key names its own id."
    TOOL_COMPANION "RYE-T008" Error "A companion is a file next to the tool, named by path and SHA-256."
    TOOL_LEGACY_KEY "RYE-T009" Warning "A tool's keys have their current names."
    TOOL_KEY "RYE-T010" Warning "Every header key is known."
    PROVIDER_KEY "RYE-T011" Error "Every key of a provider document takes effect and has a value of its type."
    TOOL_RUNNER "RYE-T012" Warning "A tool's executor, extension or first line names an available tool kind."
    TOOL_CARRIAGE_RETURN "RYE-T013" Warning "The lines of a shell script end with a line feed alone."

    NO_HEADER "RYE-K001" Error "Knowledge starts with a fenced yaml header."
    HEADER_KEY "RYE-K002" Error "Required header keys are present."
    HEADER_VALUE "RYE-K003" Error "A header value has the right type."
    UNKNOWN_KEY "RYE-K004" Warning "Every header key is known."
    KNOWLEDGE_NAME "RYE-K005" Error "The name is the last segment of the id."
    KNOWLEDGE_CATEGORY "RYE-K006" Error "The category is the item's folder."
    FRONT_MATTER "RYE-K007" Warning "The header of knowledge is a fenced block; front matter is its legacy form."
    KNOWLEDGE_LINK "RYE-K008" Warning "A link has an existing item, a file or an address as its target."

    SKILL_MANIFEST "RYE-A001" Error "The manifest of a skill is valid."
    SKILL_ID "RYE-A002" Error "The manifest of a skill has the id of its file name."
    SKILL_FRONT_MATTER "RYE-A003" Error "`SKILL.md` begins with front matter."
    SKILL_NAME "RYE-A004" Error "A skill has the name of its folder: 1 to 64 of a–z, 0–9 and single hyphens."
    SKILL_DESCRIPTION "RYE-A005" Error "A skill has a description of 1 to 1,024 characters."
    SKILL_COMPATIBILITY "RYE-A006" Error "`compatibility` has at most 500 characters."
    SKILL_FIELD "RYE-A007" Error "A field of a skill has a value of the public format."
    SKILL_OTHER_FIELD "RYE-A008" Advice "The front matter of a skill has the fields of the public format."
    SKILL_WIDE_TOOLS "RYE-A009" Warning "`allowed-tools` asks for no unlimited command."
    SKILL_UNMENTIONED "RYE-A010" Warning "A skill mentions each of its scripts."
    SKILL_SECRET "RYE-A011" Warning "The files of a skill contain no secrets."
    SKILL_TAGS "RYE-A012" Warning "Name and description of a skill contain no tags."
    SKILL_IGNORED "RYE-A013" Warning "Git ignores no file in the folder of a skill."

    NOT_AN_ITEM "RYE-S020" Warning "A file in the folder of a type is an item of that type."
    UNUSABLE_ITEM "RYE-S021" Error "Files in the folder of a type are readable, and each is a different item."

    SPAWN_LIMIT "RYE-U012" Warning "This version ignores the limits `spawns` and `depth`."
    SPAWN_THRESHOLD "RYE-U013" Warning "This version ignores the cost's `spawn_threshold`."
    SPAWN_PERMISSION "RYE-U017" Warning "This version ignores a permission to start threads."
    TOOL_SETTING "RYE-U018" Warning "This version ignores a tool's `config` (except of a runtime) and `capabilities`."
}

/// The rules about legacy forms, each of which `migrate` rewrites.
const LEGACY: [&Rule; 9] = [
    &PURE_XML,
    &KEBAB_NAME,
    &LEGACY_OUTPUTS,
    &LEGACY_PERMISSION,
    &LEGACY_ACKNOWLEDGE,
    &FORMER_NAME,
    &LEGACY_CAPABILITY,
    &TOOL_LEGACY_KEY,
    &FRONT_MATTER,
];

/// Tells whether a rule is about a legacy form.
#[must_use]
pub fn is_legacy(id: &str) -> bool {
    LEGACY.iter().any(|rule| rule.id == id)
}

/// The rules, in addition to `RYE-U…`, about what an item says without effect.
const IDLE: [&Rule; 4] = [&ACTION_ARGUMENT, &IDLE_CURRENCY, &IDLE_ACKNOWLEDGE, &TOOL_KEY];

/// Tells whether a rule is about what an item says without effect.
#[must_use]
pub fn has_no_effect(id: &str) -> bool {
    id.starts_with("RYE-U") || IDLE.iter().any(|rule| rule.id == id)
}

/// Tells whether whoever signs an item is told that it breaks a rule, although it can be used.
#[must_use]
pub fn is_told_to_signer(id: &str) -> bool {
    has_no_effect(id)
        || [HIDDEN, SKILL_FRONT_MATTER, SKILL_WIDE_TOOLS, SKILL_TAGS, SKILL_IGNORED].iter().any(|rule| rule.id == id)
}

/// The rules about the form of a `SKILL.md`. A signature covers its bytes, whatever their form is.
const FORM: [&Rule; 5] = [&SKILL_NAME, &SKILL_DESCRIPTION, &SKILL_COMPATIBILITY, &SKILL_FIELD, &BYTE_ORDER_MARK];

/// Tells whether a rule says that the front matter of a `SKILL.md` cannot be read. Its text is signed and handed out all the same.
#[must_use]
pub fn is_unread_front_matter(id: &str) -> bool {
    [SKILL_FRONT_MATTER, MALFORMED_YAML].iter().any(|rule| rule.id == id)
}

/// Tells whether a rule is about the form of a `SKILL.md`: whoever breaks it can sign and use the skill all the same.
#[must_use]
pub fn is_form_of_skill(id: &str) -> bool {
    FORM.iter().any(|rule| rule.id == id)
}
