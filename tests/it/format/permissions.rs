//! Permissions: every form as what it means, its warning and its replacement; and the laws they keep.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use rye::capability::{
    Call, Capabilities, Capability, Claims, Consent, Denial, PathRules, Policy, Primary, Token, TokenChain,
    TokenDirective,
};
use rye::format::{Granted, Profile, capabilities, grants, print_permissions};
use rye::id::{ItemId, ItemType, Timestamp};
use rye::item::{Acknowledge, Risk};
use rye::trust::{ContentHash, SigningKey};

use super::{GUIDE, directive, directive_findings, places};

/// The guide with other permissions.
fn with(permissions: &str) -> String {
    let start = GUIDE.find("    <permissions>").expect("the guide has permissions");
    let end = GUIDE.find("    <cost>").expect("and a cost after them");
    format!("{}    {permissions}\n{}", &GUIDE[..start], &GUIDE[end..])
}

/// Capabilities, paths, and rule and hint of each finding.
fn read(permissions: &str) -> (Vec<String>, PathRules, Vec<(&'static str, String)>) {
    let text = with(permissions);
    let Capabilities { calls, paths, hosts: _ } = directive(&text).permissions.expect("declared");
    let findings = directive_findings(&text, "demo/greet", Profile::Reference);
    // What the steps of the guide do is not what these tests are about.
    let findings = findings.into_iter().filter(|finding| finding.rule != "RYE-P016");
    let findings = findings.map(|finding| (finding.rule, finding.hint.unwrap_or_default())).collect();
    (calls.iter().map(ToString::to_string).collect(), paths, findings)
}

/// A form, the capability it means, and rule and hint of each finding.
type Form = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// Each form with the capability it means, the rule it breaks and the replacement its hint shows.
#[test]
fn legacy_forms_mean_what_they_meant_and_show_how_to_write_it_now() {
    let cases: &[Form] = &[
        (
            "<cap>rye.execute.tool.rye.file-system.*</cap>",
            "rye.execute.tool.rye.file-system.*",
            &[("RYE-P007", "write `<execute><tool>rye.file-system.*</tool></execute>`")],
        ),
        ("<cap>rye.search.*</cap>", "rye.search.*", &[("RYE-P007", "write `<search>*</search>`")]),
        (
            "<cap>rye.*.knowledge.demo.*</cap><acknowledge risk=\"elevated\">notes</acknowledge>",
            "rye.*.knowledge.demo.*",
            &[("RYE-P007", "spell out each action and type: `<execute><tool>pattern</tool></execute>` and so on")],
        ),
        (
            "<execute resource=\"tool\" id=\"deploy-kubernetes\" />",
            "rye.execute.tool.deploy-kubernetes",
            &[("RYE-P007", "write `<execute><tool>deploy-kubernetes</tool></execute>`")],
        ),
        (
            "<execute resource=\"kiwi-mcp\" action=\"search\" />",
            "rye.search.*",
            &[("RYE-P007", "write `<search>*</search>`")],
        ),
        ("<execute resource=\"kiwi-mcp\" action=\"load\" />", "rye.load.*", &[("RYE-P007", "write `<load>*</load>`")]),
        (
            "<execute><tool>rye/file-system/fs_write</tool></execute>",
            "rye.execute.tool.rye.file-system.write",
            &[("RYE-P009", "write `<tool>rye.file-system.write</tool>`")],
        ),
        (
            "<execute><tool>rye.agent.threads.spawn_thread</tool></execute>",
            "rye.execute.tool.rye.agent.threads.thread_directive",
            // Current or former, it starts threads, which this version does not.
            &[("RYE-P009", "write `<tool>rye.agent.threads.thread_directive</tool>`"), ("RYE-U017", "remove it")],
        ),
        (
            "<load><tool>rye.load.tool.rye.shell.*</tool></load>",
            "rye.load.tool.rye.load.tool.rye.shell.*",
            &[("RYE-P010", "if you mean it without what the elements say already, write `<tool>rye.shell.*</tool>`")],
        ),
    ];
    for (form, capability, findings) in cases {
        let (calls, paths, found) = read(&format!("<permissions>{form}</permissions>"));
        assert_eq!((calls, paths), (vec![(*capability).to_owned()], PathRules::default()), "{form}");
        let found: Vec<(&str, &str)> = found.iter().map(|(rule, hint)| (*rule, hint.as_str())).collect();
        assert_eq!(found, *findings, "{form}");
    }
}

#[test]
fn what_was_powerful_stays_powerful_and_has_to_be_acknowledged() {
    let cases: &[(&str, &str, Risk)] = &[
        ("resource=\"shell\" action=\"pytest\"", "rye.execute.tool.rye.shell.pytest", Risk::Elevated),
        ("resource=\"shell\" action=\"*\"", "rye.execute.tool.rye.shell.*", Risk::Elevated),
        ("resource=\"kiwi-mcp\" action=\"publish\"", "rye.execute.tool.rye.registry.publish", Risk::Elevated),
        ("resource=\"kiwi-mcp\" action=\"update\"", "rye.execute.tool.rye.registry.update", Risk::Elevated),
        ("resource=\"kiwi-mcp\" action=\"delete\"", "rye.execute.tool.rye.registry.delete", Risk::Elevated),
        ("resource=\"kiwi-mcp\" action=\"execute\"", "rye.execute.*", Risk::Unrestricted),
        ("resource=\"kiwi-mcp\" action=\"*\"", "rye.*", Risk::Unrestricted),
    ];
    for (attributes, capability, risk) in cases {
        let rule = if *risk == Risk::Elevated { "RYE-P004" } else { "RYE-P005" };
        let rules = |found: Vec<(&'static str, String)>| found.into_iter().map(|(rule, _)| rule).collect::<Vec<_>>();
        let (calls, _, found) = read(&format!("<permissions><execute {attributes} /></permissions>"));
        assert_eq!((calls, rules(found)), (vec![(*capability).to_owned()], vec!["RYE-P007", rule]), "{attributes}");
        let acknowledged = format!("<acknowledge risk=\"{risk}\">The build needs it.</acknowledge>");
        let (_, _, found) = read(&format!("<permissions><execute {attributes} />{acknowledged}</permissions>"));
        assert_eq!(rules(found), ["RYE-P007"], "{attributes}");
    }
}

#[test]
fn everything_can_be_acknowledged_in_both_forms() {
    let (calls, _, found) =
        read("<permissions>*<acknowledge risk=\"unrestricted\">A trial.</acknowledge></permissions>");
    assert_eq!((calls, found), (vec!["rye.*".to_owned()], vec![]));
    let text = with("<permissions>*<acknowledge>Unrestricted: a trial</acknowledge></permissions>");
    let acknowledged = Acknowledge { risk: Risk::Unrestricted, reason: "a trial".to_owned() };
    assert_eq!(directive(&text).acknowledged, [acknowledged]);
    let found = directive_findings(&text, "demo/greet", Profile::Thread);
    let hint = Some("write `<acknowledge risk=\"unrestricted\">a trial</acknowledge>`".to_owned());
    assert_eq!((found.len(), found[0].rule, found[0].hint.clone()), (1, "RYE-P008", hint));
}

#[test]
fn every_wildcard_shortcut_and_path_rule() {
    let (calls, paths, found) = read(
        "<permissions><execute><tool>rye.agent.*</tool><directive>analysis/*</directive></execute><search>*</search>\
         <load><knowledge>rye/core/*</knowledge></load><read resource=\"filesystem\" />\
         <write resource=\"filesystem\" path=\"build/**, logs/**\" /></permissions>",
    );
    let wanted = [
        "rye.execute.tool.rye.agent.*",
        "rye.execute.directive.analysis.*",
        "rye.search.*",
        "rye.load.knowledge.rye.core.*",
    ];
    assert_eq!((calls, found), (wanted.map(str::to_owned).to_vec(), vec![]));
    let list = |patterns: &[&str]| patterns.iter().map(|pattern| (*pattern).to_owned()).collect::<Vec<_>>();
    assert_eq!(paths, PathRules { read: list(&["**"]), write: list(&["build/**", "logs/**"]) });
}

#[test]
fn what_cannot_be_permitted_says_so() {
    for (form, rule) in [
        ("<execute resource=\"disk\" action=\"x\" />", "RYE-P011"),
        ("<execute resource=\"shell\" />", "RYE-P011"),
        ("<execute resource=\"kiwi-mcp\" action=\"sing\" />", "RYE-P011"),
        ("<search resource=\"tool\" id=\"x\" />", "RYE-P011"),
        ("<read resource=\"network\" path=\"x\" />", "RYE-P011"),
        ("<execute resource=\"shell\" action=\"git status\" />", "RYE-P001"),
        ("<cap>rye.file-system.*</cap>", "RYE-P001"),
        ("<cap>rye.execute.tools.x</cap>", "RYE-P001"),
        ("<tool>rye.file-system.*</tool>", "RYE-D005"),
        ("<acknowledge>Because.</acknowledge>", "RYE-P006"),
        ("<execute><tool>demo.one</tool><tool>demo.*</tool></execute>", "RYE-P012"),
        ("<execute><tool>demo.*</tool><tool>demo.*</tool></execute>", "RYE-P012"),
    ] {
        let (_, _, found) = read(&format!("<permissions>{form}</permissions>"));
        assert_eq!(found.iter().map(|(rule, _)| *rule).collect::<Vec<_>>(), [rule], "{form}: {found:?}");
    }
}

#[test]
fn each_grant_knows_its_line() {
    let text = with(
        "<permissions>\n<execute>\n<tool>demo.*</tool>\n</execute>\n<cap>rye.search.*</cap>\n\
         <read resource=\"filesystem\" path=\"docs/**\" />\n<network host=\"a.org, *.b.org:8080\" />\n</permissions>",
    );
    let shown: Vec<(String, &str)> = grants(&text)
        .into_iter()
        .map(|grant| match grant.granted {
            Granted::Call(capability) => (capability.to_string(), grant.span.of(&text)),
            Granted::Path(access, pattern) => (format!("{access} {pattern}"), grant.span.of(&text)),
            Granted::Host(rule) => (format!("network {rule}"), grant.span.of(&text)),
        })
        .collect();
    let wanted = [
        ("rye.execute.tool.demo.*", "demo.*"),
        ("rye.search.*", "<cap>"),
        ("read docs/**", "path"),
        ("network a.org", "host"),
        ("network *.b.org:8080", "host"),
    ];
    assert_eq!(shown, wanted.map(|(what, text)| (what.to_owned(), text)));
    assert_eq!(grants("no directive"), []);
}

/// Both shapes of the documents, in one list.
#[test]
fn capability_documents_have_two_shapes_and_one_meaning() {
    let text = "capabilities:\n  - \"rye.execute.tool.rye.file-system.fs_write\"\n  - primary: execute\n    item_type: tool\n    \
                specifics: rye.agent.*\n  - primary: load\n    item_type: tool\n    specifics: \"*\"\n  - primary: sign\n";
    let read = capabilities(text);
    let calls: Vec<&str> = read.capabilities.calls.iter().map(Capability::as_str).collect();
    let wanted =
        ["rye.execute.tool.rye.file-system.write", "rye.execute.tool.rye.agent.*", "rye.load.tool.*", "rye.sign.*"];
    assert_eq!(calls, wanted);
    assert_eq!(places(&read.findings), [("RYE-P014", 2, 3)]);
    let hint = "write `- primary: execute` with `item_type: tool` and `specifics: \"rye.file-system.write\"`";
    assert_eq!(read.findings[0].hint.as_deref(), Some(hint));
    for (text, place) in [
        ("caps: []\n", ("RYE-P013", 1, 1)),
        ("capabilities: x\n", ("RYE-P013", 1, 1)),
        ("capabilities:\n- rye.nothing.x\n", ("RYE-P001", 2, 1)),
        ("capabilities:\n- primary: exec\n  item_type: tool\n", ("RYE-P013", 2, 1)),
        ("capabilities:\n- primary: load\n- primary: load\n  item_typ: tool\n", ("RYE-P013", 3, 1)),
        ("capabilities:\n- primary: load\n  specifics: x\n", ("RYE-P013", 2, 1)),
        ("capabilities: [{primary: load}, 3]\n", ("RYE-P013", 1, 1)),
        ("capabilities: [\n", ("RYE-F006", 1, 15)),
    ] {
        let found = capabilities(text).findings;
        assert!(places(&found).contains(&place), "{text}: {found:?}");
    }
}

fn primary() -> impl Strategy<Value = Primary> {
    prop::sample::select(Primary::ALL.to_vec())
}

fn item_type() -> impl Strategy<Value = ItemType> {
    prop::sample::select(ItemType::ALL.to_vec())
}

/// Ids of a small alphabet, so that patterns and ids meet.
fn item_id() -> impl Strategy<Value = ItemId> {
    "[ab]{1,2}(/[ab]{1,2}){0,2}".prop_map(|text| text.parse().expect("a form of ids"))
}

fn capability() -> impl Strategy<Value = Capability> {
    let specifics = "[ab*?]{1,3}(\\.[ab*?]{1,2}){0,2}";
    let named = (primary(), item_type(), specifics)
        .prop_map(|(primary, item_type, text)| Capability::of(primary, item_type, &text).expect("a form of patterns"));
    prop_oneof![8 => named, 1 => primary().prop_map(Capability::all_of), 1 => Just(Capability::everything())]
}

fn call() -> impl Strategy<Value = Call> {
    (primary(), item_type(), item_id()).prop_map(|(primary, item_type, id)| Call::on(primary, item_type, id))
}

fn set(calls: &[Capability]) -> Capabilities {
    Capabilities { calls: calls.to_vec(), ..Capabilities::default() }
}

/// A chain of signed tokens, root first.
fn chain(sets: &[Vec<Capability>]) -> TokenChain {
    let key = SigningKey::from_seed(&[7; 32]);
    let mut tokens: Vec<Token> = Vec::new();
    for calls in sets {
        let directive = TokenDirective {
            id: "demo/greet".parse().expect("an id"),
            version: "1.0.0".parse().expect("a version"),
            sha256: ContentHash::of(b"x"),
        };
        let thread_id = "greet-20260317-014108-aaaaaaaa".parse().expect("a thread");
        let mut claims = Claims::new(thread_id, directive, set(calls), key.public().key_id());
        claims.parent = tokens.last().map(Token::sha256);
        claims.expires_at = Timestamp::from_milliseconds(1_000);
        tokens.push(claims.sign(&key));
    }
    TokenChain::verify(tokens, &key.public(), Timestamp::from_milliseconds(0)).expect("a chain that was just signed")
}

/// The laws below would be empty if their calls were always refused, or never.
#[test]
fn the_laws_are_about_what_is_allowed_and_what_is_not() {
    let sets = prop::collection::vec(prop::collection::vec(capability(), 0..4), 2);
    let (cases, mut runner) = ((sets, call()), TestRunner::deterministic());
    // Whether a root allows, and whether its heir does.
    let mut answers = std::collections::BTreeMap::<(bool, bool), usize>::new();
    for _ in 0..1_000 {
        let (sets, call) = cases.new_tree(&mut runner).expect("a case").current();
        let allows = |calls: &[Capability]| set(calls).check(&call).is_ok();
        *answers.entry((allows(&sets[0]), allows(&sets[1]))).or_default() += 1;
    }
    assert!(answers.len() == 4 && answers.values().all(|count| *count >= 20), "{answers:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// More permissions never allow less.
    #[test]
    fn allows_is_monotone(
        few in prop::collection::vec(capability(), 0..4),
        more in prop::collection::vec(capability(), 0..4),
        call in call(),
    ) {
        let both = [few.clone(), more].concat();
        prop_assert!(set(&few).check(&call).is_err() || set(&both).check(&call).is_ok());
    }

    /// What one pattern includes it covers, and what two patterns both cover they overlap in.
    #[test]
    fn inclusion_and_overlap_agree_with_covering(one in capability(), other in capability(), call in call()) {
        prop_assert!(one.includes(&one) && one.overlaps(&one));
        prop_assert!(!one.includes(&other) || !other.covers(&call) || one.covers(&call), "{one} {other} {call}");
        prop_assert!(!(one.covers(&call) && other.covers(&call)) || one.overlaps(&other), "{one} {other} {call}");
    }

    /// A chain allows exactly what every token of it allows: an heir narrows, whatever it claims.
    #[test]
    fn attenuation_never_widens(
        sets in prop::collection::vec(prop::collection::vec(capability(), 0..4), 1..4),
        call in call(),
    ) {
        let chain = |length: usize| chain(&sets[..length]).check(&call).is_ok();
        let every = sets.iter().all(|calls| set(calls).check(&call).is_ok());
        prop_assert_eq!(chain(sets.len()), every);
        prop_assert!((1..sets.len()).all(|length| chain(length) || !chain(length + 1)));
    }

    /// A policy never allows what the grants do not, and more of it never allows more.
    #[test]
    fn a_policy_only_narrows(
        deny in prop::collection::vec(capability(), 0..3),
        ask in prop::collection::vec(capability(), 0..3),
        call in call(),
    ) {
        let policy = Policy { deny: deny.clone(), ask: ask.clone(), ..Policy::default() };
        match policy.check(&call) {
            Err(Denial::Configured { pattern, .. }) => prop_assert!(pattern.covers(&call) && deny.contains(&pattern)),
            Err(other) => prop_assert!(false, "{other}"),
            Ok(consent) => {
                prop_assert!(!deny.iter().any(|pattern| pattern.covers(&call)));
                prop_assert_eq!(consent != Consent::Given, ask.iter().any(|pattern| pattern.covers(&call)));
            }
        }
    }

    /// Reading printed permissions gives the same ones.
    #[test]
    fn permissions_print_as_they_are_read(
        calls in prop::collection::vec(capability(), 1..5),
        patterns in prop::collection::vec("[a-z&<\"]{1,4}(/\\*\\*)?", 0..3),
        hosts in prop::collection::vec("(\\*\\.)?[a-z]{1,4}\\.[a-z]{2}(:[1-9][0-9]{0,3})?", 0..3),
        reason in "[a-z<&>\"]{1,8}",
    ) {
        let hosts = hosts.iter().map(|host| host.parse().expect("a rule")).collect();
        let paths = PathRules { read: patterns.clone(), write: patterns };
        let granted = Capabilities { calls, paths, hosts };
        let acknowledged = vec![Acknowledge { risk: Risk::Unrestricted, reason }];
        let read = directive(&with(&print_permissions(&granted, &acknowledged)));
        let mut calls = read.permissions.as_ref().expect("printed").calls.clone();
        // Everything is printed first, and once.
        let mut wanted = granted.calls.clone();
        wanted.sort_by_key(|capability| *capability != Capability::everything());
        let everything = wanted.iter().filter(|capability| **capability == Capability::everything()).count();
        wanted.drain(..everything.saturating_sub(1));
        prop_assert_eq!(std::mem::take(&mut calls), wanted);
        let read_back = read.permissions.expect("printed");
        prop_assert_eq!((read_back.paths, read_back.hosts), (granted.paths, granted.hosts));
        prop_assert_eq!(read.acknowledged, acknowledged);
    }
}
