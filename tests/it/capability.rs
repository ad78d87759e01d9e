//! Laws of ids, patterns, permissions and tokens: the printed form reads back, more patterns never allow less, a chain
//! never allows more than each of its tokens.

use std::fmt::Display;
use std::str::FromStr;

use proptest::prelude::*;
use proptest::sample::Index;
use rye::action;
use rye::capability::{
    Access, Call, Capabilities, Capability, Claims, Denial, Grant, PathRules, Policy, Primary, ProjectPath, Standpoint,
    Token, TokenChain, TokenDirective, check_path, check_path_from,
};
use rye::id::{Extension, ItemId, ItemType, ThreadId, Timestamp, Version, glob};
use rye::item::{Builtin, Risk};
use rye::trust::{ContentHash, SigningKey};

/// Few names, so that patterns and calls meet often.
const SEGMENT: &str = "a|b|ab|rye|shell|run";

fn id() -> impl Strategy<Value = ItemId> {
    prop::collection::vec(SEGMENT, 1..4).prop_map(|parts| parts.join("/").parse().unwrap())
}

fn call() -> impl Strategy<Value = Call> {
    let primary = prop::sample::select(Primary::ALL.to_vec());
    let item_type = prop::sample::select(ItemType::ALL.to_vec());
    (primary, item_type, id()).prop_map(|(primary, item_type, id)| Call::on(primary, item_type, id))
}

fn capability() -> impl Strategy<Value = Capability> {
    let pattern = prop::collection::vec("a|b|\\*|\\?b|a\\*|rye|shell|r\\*n", 1..4).prop_map(|parts| parts.join("."));
    let primary = prop::sample::select(Primary::ALL.to_vec());
    let item_type = prop::sample::select(vec!["tool", "directive", "knowledge", "*"]);
    (primary, item_type, pattern)
        .prop_map(|(primary, item_type, pattern)| format!("rye.{primary}.{item_type}.{pattern}").parse().unwrap())
}

fn capabilities() -> impl Strategy<Value = Vec<Capability>> {
    prop::collection::vec(capability(), 0..4)
}

fn set(calls: &[Capability]) -> Capabilities {
    Capabilities { calls: calls.to_vec(), ..Capabilities::default() }
}

fn rules() -> impl Strategy<Value = PathRules> {
    let globs = || prop::collection::vec("a/\\*\\*|\\*\\*|a/b|\\*|b/\\?", 0..3);
    (globs(), globs()).prop_map(|(read, write)| PathRules { read, write })
}

fn path() -> impl Strategy<Value = ProjectPath> {
    prop::collection::vec("a|b|ab", 0..4).prop_map(|parts| parts.join("/").parse().unwrap())
}

fn access() -> impl Strategy<Value = Access> {
    prop::sample::select(vec![Access::Read, Access::Write])
}

/// Mints a chain: each token names the one before it, whatever it claims for itself.
fn chain(sets: &[Capabilities]) -> TokenChain {
    let key = SigningKey::from_seed(&[3; 32]);
    let mut tokens: Vec<Token> = Vec::new();
    for set in sets {
        let directive = TokenDirective {
            id: "a/b".parse().unwrap(),
            version: "1.0.0".parse().unwrap(),
            sha256: ContentHash::of(b"x"),
        };
        let thread_id = "b-20260317-014108-aaaaaaaa".parse().unwrap();
        let mut claims = Claims::new(thread_id, directive, set.clone(), key.public().key_id());
        claims.parent = tokens.last().map(Token::sha256);
        claims.expires_at = Timestamp::from_milliseconds(1);
        tokens.push(claims.sign(&key));
    }
    TokenChain::verify(tokens, &key.public(), Timestamp::from_milliseconds(0)).unwrap()
}

/// What a text is read as prints as a text that is read as the same.
fn reads_back<T: FromStr + Display + PartialEq>(text: &str) -> bool {
    text.parse::<T>().is_ok_and(|value| value.to_string().parse::<T>().is_ok_and(|again| again == value))
}

proptest! {
    #[test]
    fn what_is_printed_reads_back(
        id in "[A-Za-z0-9][A-Za-z0-9_-]{0,8}(/[A-Za-z0-9][A-Za-z0-9_-]{0,8}){0,3}",
        version in "(0|[1-9][0-9]{0,3})\\.(0|[1-9][0-9]{0,3})\\.(0|[1-9][0-9]{0,3})",
        name in "[a-z][a-z0-9_]{0,12}",
        moment in 0_i64..4_102_444_800_000,
        random in any::<[u8; 5]>(),
        capability in capability(),
        path in path(),
    ) {
        prop_assert!(reads_back::<ItemId>(&id));
        prop_assert!(reads_back::<Version>(&version));
        prop_assert_eq!(version.parse::<Version>().unwrap().to_string(), version);
        let moment = Timestamp::from_milliseconds(moment);
        prop_assert_eq!(moment.to_string().parse::<Timestamp>().unwrap(), moment);
        prop_assert!(reads_back::<ThreadId>(ThreadId::new(&name, moment, random).as_str()));
        prop_assert!(reads_back::<Capability>(capability.as_str()));
        prop_assert_eq!(path.as_str().parse::<ProjectPath>().unwrap(), path);
        for extension in ["md", "yaml", "py", "sh"] {
            prop_assert!(reads_back::<Extension>(extension));
        }
    }

    #[test]
    fn more_patterns_never_allow_less(few in capabilities(), more in capabilities(), call in call()) {
        let all: Vec<Capability> = few.iter().chain(&more).cloned().collect();
        prop_assert!(set(&few).check(&call).is_err() || set(&all).check(&call).is_ok());
        prop_assert!(set(&[]).check(&call).is_err());
        prop_assert!(set(&[Capability::everything()]).check(&call).is_ok());
    }

    #[test]
    fn a_chain_allows_what_every_token_allows_and_nothing_else(
        calls in prop::collection::vec((capabilities(), rules()), 1..4),
        call in call(),
        access in access(),
        path in path(),
    ) {
        let sets: Vec<Capabilities> =
            calls.into_iter().map(|(calls, paths)| Capabilities { calls, paths, hosts: Vec::new() }).collect();
        let chain = chain(&sets);
        prop_assert_eq!(chain.check(&call).is_ok(), sets.iter().all(|set| set.check(&call).is_ok()));
        let all = sets.iter().all(|set| check_path([&set.paths], access, &path).is_ok());
        prop_assert_eq!(chain.check_path(access, &path).is_ok(), all);
    }

    #[test]
    fn one_more_path_rule_never_takes_a_path_away(few in rules(), more in rules(), access in access(), path in path()) {
        prop_assume!(!few.is_empty());
        let join = |a: &[String], b: &[String]| a.iter().chain(b).cloned().collect();
        let all = PathRules { read: join(&few.read, &more.read), write: join(&few.write, &more.write) };
        let allow = |rules: &PathRules, access| check_path([rules], access, &path).is_ok();
        prop_assert!(!allow(&few, access) || allow(&all, access));
        prop_assert!(!allow(&few, Access::Write) || allow(&few, Access::Read));
    }

    #[test]
    fn a_pattern_is_never_less_dangerous_than_a_call_it_covers(call in call(), cut in any::<(Index, Index)>()) {
        let exact = call.needed();
        let (_, rest) = exact.split_at("rye.".len());
        let (one, other) = (cut.0.index(rest.len() + 1), cut.1.index(rest.len() + 1));
        let pattern = format!("rye.{}*{}", &rest[..one.min(other)], &rest[one.max(other)..]);
        // A star next to a dot may leave an empty part, which no pattern has.
        let Ok(pattern) = pattern.parse::<Capability>() else { return Ok(()) };
        prop_assert!(pattern.covers(&call));
        prop_assert!(Risk::of(&pattern) >= Risk::of(&exact.parse().unwrap()), "{} {}", pattern, exact);
    }

    #[test]
    fn patterns_that_match_one_text_overlap(one in "[ab*?]{0,8}", other in "[ab*?]{0,8}", text in "[ab]{0,8}") {
        prop_assert!(glob::matches(&text, &text));
        let both = glob::matches(&one, &text) && glob::matches(&other, &text);
        prop_assert!(!both || glob::overlaps(&one, &other));
        // Without wildcards there is only one text to share.
        prop_assert_eq!(glob::overlaps(&one, &text), glob::matches(&one, &text));
    }
}

/// What the program says of its built-in tools, and what their items tell people and models.
#[test]
fn built_in_tools_and_their_items_agree() {
    let mut told = Vec::new();
    for item in rye::workspace::BUILTIN.iter().filter(|item| item.item_type == ItemType::Tool) {
        let extension = item.extension.parse().unwrap();
        let parsed = rye::format::parse_bytes(ItemType::Tool, &extension, item.bytes);
        let Some(rye::item::Item::Tool(tool)) = parsed.item else { panic!("{}", item.id) };
        if tool.tool_type.as_deref() == Some("builtin") {
            let schema = tool.schema.unwrap();
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            let parameters: std::collections::BTreeMap<String, bool> = schema["properties"]
                .as_object()
                .unwrap()
                .iter()
                .map(|(name, property)| {
                    let kind = property["type"].as_str().unwrap();
                    assert!(["string", "integer", "boolean"].contains(&kind), "{}: {name}", item.id);
                    (name.clone(), required.iter().any(|required| required == name))
                })
                .collect();
            told.push((item.id.to_owned(), parameters));
        }
    }
    told.sort();
    let known = Builtin::ALL.into_iter().map(|builtin| {
        let parameters = builtin.parameters().iter().map(|one| (one.name.to_owned(), one.required)).collect();
        (builtin.id().to_owned(), parameters)
    });
    let mut known: Vec<_> = known.collect();
    known.sort();
    assert_eq!(told, known);
}

/// Every built-in tool is held to the path rules, whatever it does with a path: a new one is in this list by itself.
#[test]
fn no_built_in_tool_escapes_the_path_rules() {
    // Which files a pull writes is known later: `what_a_thread_pulls_lands_in_its_tree_and_nobody_trusts_it_for_that`.
    let without = [Builtin::RegistrySearch, Builtin::RegistryPull, Builtin::RegistryPublish, Builtin::WebFetch];
    for builtin in Builtin::ALL.into_iter().filter(|builtin| !without.contains(builtin)) {
        let permit = |path: &str| {
            let given = serde_json::json!({"path": path, "content": "", "from": path, "to": path, "pattern": "*"})
                .as_object()
                .unwrap()
                .clone();
            let id = builtin.id().parse().unwrap();
            let action = action::action(Primary::Execute, ItemType::Tool, id, given.into()).unwrap();
            let paths = PathRules { read: vec!["docs/**".to_owned()], write: vec!["docs/**".to_owned()] };
            let granted = Capabilities { calls: vec!["rye.execute.*".parse().unwrap()], paths, hosts: Vec::new() };
            let grant = Grant::new(granted, Policy::default());
            // A tool that is asked for as something else is still that tool.
            let action::Action::Tool { id, given } = action.clone() else { panic!() };
            let disguised = action::Action::TakeIn { item_type: ItemType::Tool, id, given };
            assert_eq!(disguised.permit(&grant).is_ok(), action.clone().permit(&grant).is_ok());
            action.permit(&grant).map(drop)
        };
        assert!(permit("docs/a.md").is_ok(), "{builtin:?}");
        // The folder of all that may be read is listed, and stays what it is.
        assert_eq!(permit("docs").is_ok(), builtin.risk() == Risk::Safe, "{builtin:?}");
        for path in ["src/a.rs", "docs2", ""] {
            assert!(matches!(permit(path), Err(Denial::Path { .. })), "{builtin:?} {path}");
        }
    }
}

/// In a project that is a code place as a whole, a rule names what it spells out there.
#[test]
fn a_wildcard_names_nothing_in_a_project_that_is_a_code_place() {
    let standpoint = Standpoint::new(vec![".claude".to_owned()], []);
    let may = |rule: &str, path: &str| {
        let rules = PathRules { read: Vec::new(), write: vec![rule.to_owned()] };
        check_path_from(&standpoint, [&rules], Access::Write, &path.parse().unwrap())
    };
    for (rule, path) in
        [("**", "settings.json"), ("*.json", "settings.json"), ("s*", "settings.json"), ("*/**", "commands/x.md")]
    {
        let Err(Denial::CodePlace { rule: named, .. }) = may(rule, path) else { panic!("{rule} {path}") };
        assert_eq!(may(&named, path), Ok(()), "{named} {path}");
    }
    for (rule, path) in
        [("settings.json", "settings.json"), ("commands/**", "commands/x.md"), ("./commands/*.md", "commands/x.md")]
    {
        assert_eq!(may(rule, path), Ok(()), "{rule} {path}");
    }
}
