//! A table of secrets by form: each is replaced, alone and within texts.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use rye::redact::Redactor;

pub(crate) const LETTERS: &str = "Qa7Xb2Yc9Zd4We6Rf1Tg8Uh3Vi5PjOkNlMm0SnDoFpGqHrJsKtLu";
pub(super) const CAPITALS: &str = "Q7XB2YC9ZD4WE6RF";
const SMALL: &str = "q7xb2yc9zd4we6rf1tg8uh3vi5pj";
const HEX: &str = "4f1c9a07be52d836";
const URL: &str = "Qa7-Xb2_Yc9Zd4We6Rf1Tg8Uh3Vi5PjOkNl";

/// Makes a token up: its prefix, and random characters of an alphabet.
pub(crate) fn random(start: &str, alphabet: &str, count: usize) -> String {
    let letters = alphabet.as_bytes();
    let mut seed = start.len() * 31 + count;
    let mut token = start.to_owned();
    for _ in 0..count {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
        token.push(char::from(letters[(seed >> 8) % letters.len()]));
    }
    token
}

/// Every form with the kind that its mark names.
pub(super) fn all() -> Vec<(&'static str, String)> {
    let mut all: Vec<(&'static str, String)> =
        TOKENS.iter().map(|(kind, start, alphabet, count)| (*kind, random(start, alphabet, *count))).collect();
    all.extend(others());
    all
}

const TOKENS: &[(&str, &str, &str, usize)] = &[
    ("anthropic key", "sk-ant-api03-", URL, 95),
    ("anthropic key", "sk-ant-oat01-", URL, 95),
    ("anthropic key", "sk-ant-admin01-", URL, 90),
    ("openai key", "sk-proj-", URL, 150),
    ("openai key", "sk-svcacct-", URL, 120),
    ("openai key", "sk-admin-", URL, 120),
    ("openrouter key", "sk-or-v1-", HEX, 64),
    ("api key", "sk-", LETTERS, 48),
    ("api key", "sk-sp-", HEX, 32),
    ("langfuse key", "sk-lf-", HEX, 36),
    ("google api key", "AIza", URL, 35),
    ("hugging face token", "hf_", LETTERS, 34),
    ("groq key", "gsk_", LETTERS, 52),
    ("xai key", "xai-", LETTERS, 80),
    ("perplexity key", "pplx-", LETTERS, 48),
    ("replicate token", "r8_", LETTERS, 37),
    ("fireworks key", "fw_", LETTERS, 22),
    ("langsmith key", "lsv2_pt_", HEX, 43),
    ("nvidia key", "nvapi-", LETTERS, 64),
    ("pinecone key", "pcsk_", LETTERS, 70),
    ("tavily key", "tvly-", LETTERS, 32),
    ("cerebras key", "csk-", SMALL, 48),
    ("github token", "ghp_", LETTERS, 36),
    ("github token", "gho_", LETTERS, 36),
    ("github token", "ghu_", LETTERS, 36),
    ("github token", "ghs_", LETTERS, 36),
    ("github token", "ghr_", LETTERS, 76),
    ("github token", "github_pat_", LETTERS, 82),
    ("gitlab token", "glpat-", LETTERS, 20),
    ("gitlab token", "gldt-", LETTERS, 20),
    ("gitlab token", "glrt-", LETTERS, 20),
    ("gitlab token", "glcbt-", LETTERS, 24),
    ("gitlab token", "glptt-", HEX, 40),
    ("gitlab token", "GR1348941", LETTERS, 20),
    ("atlassian token", "ATATT3x", LETTERS, 180),
    ("atlassian token", "ATBB", LETTERS, 32),
    ("npm token", "npm_", LETTERS, 36),
    ("pypi token", "pypi-AgEIcHlwaS5vcmc", LETTERS, 150),
    ("crates.io token", "cio", LETTERS, 32),
    ("rubygems key", "rubygems_", HEX, 48),
    ("nuget key", "oy2", SMALL, 43),
    ("clojars token", "CLOJARS_", HEX, 60),
    ("docker token", "dckr_pat_", LETTERS, 27),
    ("artifactory key", "AKCp", LETTERS, 69),
    ("artifactory token", "cmVmdGtu", LETTERS, 56),
    ("circleci token", "CCIPAT_", LETTERS, 63),
    ("buildkite token", "bkua_", HEX, 40),
    ("sonar token", "sqp_", HEX, 40),
    ("sourcegraph token", "sgp_", HEX, 40),
    ("openvsx token", "ovsxat_", LETTERS, 36),
    ("postman key", "PMAK-", LETTERS, 59),
    ("linear key", "lin_api_", LETTERS, 40),
    ("figma token", "figd_", LETTERS, 40),
    ("readme key", "rdme_", SMALL, 70),
    ("infracost key", "ico-", LETTERS, 32),
    ("pulumi token", "pul-", HEX, 40),
    ("prefect key", "pnu_", LETTERS, 36),
    ("aws access key", "AKIA", CAPITALS, 16),
    ("aws access key", "ASIA", CAPITALS, 16),
    ("google oauth secret", "GOCSPX-", LETTERS, 28),
    ("google oauth token", "ya29.", URL, 120),
    ("google refresh token", "1//0", LETTERS, 60),
    ("alibaba access key", "LTAI", LETTERS, 20),
    ("tencent secret id", "AKID", LETTERS, 32),
    ("digitalocean token", "dop_v1_", HEX, 64),
    ("digitalocean token", "dor_v1_", HEX, 64),
    ("fly token", "fo1_", LETTERS, 43),
    ("vercel token", "vcp_", LETTERS, 56),
    ("netlify token", "nfp_", LETTERS, 36),
    ("render key", "rnd_", LETTERS, 32),
    ("scalingo token", "tk-us-", LETTERS, 48),
    ("cloudflare origin key", "v1.0-", HEX, 171),
    ("tailscale key", "tskey-auth-", LETTERS, 33),
    ("vault token", "hvs.", LETTERS, 95),
    ("vault token", "hvb.", LETTERS, 140),
    ("terraform token", "atlasv1.", LETTERS, 67),
    ("doppler token", "dp.pt.", LETTERS, 43),
    ("databricks token", "dapi", HEX, 32),
    ("openshift token", "sha256~", LETTERS, 43),
    ("planetscale token", "pscale_tkn_", LETTERS, 43),
    ("planetscale token", "pscale_pw_", LETTERS, 43),
    ("supabase key", "sbp_", HEX, 40),
    ("supabase key", "sb_secret_", LETTERS, 31),
    ("neon key", "napi_", SMALL, 64),
    ("age key", "AGE-SECRET-KEY-1", CAPITALS, 58),
    ("slack token", "xoxb-", LETTERS, 50),
    ("slack token", "xoxp-", LETTERS, 70),
    ("slack token", "xapp-", LETTERS, 90),
    ("slack token", "xoxe-", LETTERS, 140),
    ("mailgun key", "key-", HEX, 32),
    ("mailersend key", "mlsn.", HEX, 64),
    ("brevo key", "xkeysib-", LETTERS, 81),
    ("resend key", "re_", LETTERS, 33),
    ("twilio key", "SK", HEX, 32),
    ("notion token", "ntn_", LETTERS, 46),
    ("notion token", "secret_", LETTERS, 43),
    ("contentful token", "CFPAT-", LETTERS, 43),
    ("typeform token", "tfp_", LETTERS, 59),
    ("hubspot token", "pat-na1-", HEX, 36),
    ("facebook token", "EAACEdEose0cBA", LETTERS, 80),
    ("yandex key", "AQVN", LETTERS, 36),
    ("adobe secret", "p8e-", SMALL, 32),
    ("duffel token", "duffel_live_", LETTERS, 43),
    ("frame.io token", "fio-u-", LETTERS, 64),
    ("stripe key", "sk_live_", LETTERS, 99),
    ("stripe key", "rk_test_", LETTERS, 24),
    ("stripe webhook secret", "whsec_", LETTERS, 32),
    ("square token", "sq0atp-", LETTERS, 22),
    ("shopify token", "shpat_", HEX, 32),
    ("shopify token", "shpss_", HEX, 32),
    ("razorpay key", "rzp_live_", LETTERS, 14),
    ("easypost key", "EZAK", LETTERS, 54),
    ("shippo token", "shippo_live_", HEX, 40),
    ("extended private key", "xprv", LETTERS, 107),
    ("new relic key", "NRAK-", CAPITALS, 27),
    ("grafana token", "glsa_", LETTERS, 41),
    ("grafana token", "glc_", LETTERS, 100),
    ("sentry token", "sntrys_", LETTERS, 140),
    ("dynatrace token", "dt0c01.", LETTERS, 89),
    ("posthog key", "phx_", LETTERS, 43),
    ("mapbox token", "sk.eyJ", LETTERS, 80),
    ("octopus key", "API-", CAPITALS, 26),
];

/// Secrets that are known by more than their beginning.
fn others() -> Vec<(&'static str, String)> {
    let letters = |count| random("", LETTERS, count);
    let part = |text: &str| URL_SAFE_NO_PAD.encode(text);
    let jwt = format!("{}.{}.{}", part(r#"{"alg":"HS256"}"#), part(r#"{"sub":"1234567890"}"#), letters(43));
    let lines: Vec<String> = (0..6).map(|line| random(&line.to_string(), LETTERS, 63)).collect();
    let block = |label: &str, between: &str| {
        format!("{d}BEGIN {label}{d}{between}{}{between}{d}END {label}{d}", lines.join(between), d = "-".repeat(5))
    };
    let private = |word: &str| format!("{word}PRIVATE {}", "KEY");
    let openssh = STANDARD.encode(["openssh-key", "-v1\0", &"none of them ".repeat(12)].concat());
    vec![
        ("sendgrid key", format!("SG.{}.{}", letters(22), letters(43))),
        ("azure client secret", format!("{}8Q~{}", letters(3), letters(33))),
        ("azure storage key", format!("AccountKey={}==", letters(86))),
        ("mailchimp key", format!("{}-us12", random("", HEX, 32))),
        ("telegram token", format!("{}:AA{}", random("", "0123456789", 10), letters(33))),
        ("slack token", format!("xoxb-{}-{}-{}", "1234567890123", "1234567890124", letters(24))),
        ("json web token", jwt.clone()),
        ("private key", block(&private(""), "\n")),
        ("private key", block(&private("RSA "), "\n")),
        ("private key", block(&private("EC "), "\r\n")),
        ("private key", block(&private("OPENSSH "), "\\n")),
        ("private key", block(&private("ENCRYPTED "), " ")),
        ("private key", block(&format!("PGP {} BLOCK", private("")), "\n")),
        ("private key", block(&private(""), "\n").split_once("-----END").unwrap().0.trim().to_owned()),
        ("private key", openssh),
        ("private key", format!("Private-Lines: 3\n{}", lines[..3].join("\n"))),
    ]
}

#[test]
fn every_form_is_replaced_wherever_secrets_stand() {
    let redactor = Redactor::default();
    let all = all();
    assert!(all.len() >= 100, "{} forms", all.len());
    for (kind, secret) in all {
        let mark = format!("[redacted: {kind}]");
        for (before, behind) in [
            ("", ""),
            ("It is ", "."),
            ("\"", "\","),
            ("'", "'\n"),
            ("X=", "\nY=1"),
            ("value: ", "\n"),
            ("<a>", "</a>"),
            ("`", "`"),
            ("{\"a\":\"", "\"}"),
            ("curl -H 'X: ", "' https://example.org"),
            ("line\\n", "\\n"),
            ("(", ")"),
            ("\u{fc}", "\u{fc}"),
        ] {
            let shown = redactor.text(&format!("{before}{secret}{behind}")).into_owned();
            assert_eq!(shown, format!("{before}{mark}{behind}"), "{secret}");
        }
    }
}

/// Secrets that are known by a name or a place: the value goes, and nothing around it.
#[test]
fn what_is_assigned_to_a_secret_s_name_is_replaced() {
    let redactor = Redactor::default();
    let (key, password) = (random("", LETTERS, 40), "tr0ub4dor&3");
    let (hex, basic) = (random("", HEX, 64), STANDARD.encode("ada:tr0ub4dor&3"));
    for (text, secret) in [
        (format!("AWS_SECRET_ACCESS_KEY={key}\n"), &key),
        (format!("export API_KEY={key}"), &key),
        (format!("aws_secret_access_key = {key}\n"), &key),
        (format!("  \"client_secret\": \"{key}\","), &key),
        (format!("clientSecret: '{key}',"), &key),
        (format!("let api_key = \"{key}\";"), &key),
        (format!("const API_KEY: &str = \"x\"; api-key: {key}\n"), &key),
        (format!("api_token => '{key}'"), &key),
        (format!("DJANGO_SECRET_KEY = '{hex}'"), &hex),
        (format!("mysql --token {key} -u"), &key),
        (format!("https://example.org/?access_token={key}&x=1"), &key),
        (format!("//registry.npmjs.org/:_authToken={key}\n"), &key),
        (format!("PrivateKey = \"{key}\"\n"), &key),
        (format!("Authorization: Bearer {key}\r\n"), &key),
        (format!("-H \"Authorization: token {key}\""), &key),
        (format!("Authorization: Basic {basic}\n"), &basic),
        (format!("{{\"auths\": {{\"registry.example.org\": {{\"auth\": \"{basic}\"}}}}}}"), &basic),
        (format!("{{\"auth\":\"{basic}\"}}"), &basic),
        ("machine example.org login ada password S3cr-et9x\n".to_owned(), &"S3cr-et9x".to_owned()),
        ("machine example.org\n  login ada\n  password S3cr-et9x\n".to_owned(), &"S3cr-et9x".to_owned()),
        (format!("x-api-key: {key}\n"), &key),
        ("password: \"tr0ub4dor&3\"\n".to_owned(), &password.to_owned()),
        ("{\\\"password\\\": \\\"tr0ub4dor!3\\\"}".to_owned(), &"tr0ub4dor!3".to_owned()),
        ("\"password\": \"correct-horse-battery\",".to_owned(), &"correct-horse-battery".to_owned()),
        ("db:\n  password: 'correct-horse-battery'\n".to_owned(), &"correct-horse-battery".to_owned()),
        ("db:\n  password: correct-horse-battery\n".to_owned(), &"correct-horse-battery".to_owned()),
        ("PGPASSWORD=tr0ub&dor3x\n".to_owned(), &"tr0ub&dor3x".to_owned()),
        ("PGPASSWORD='tr0ub4dor&3' psql -h db".to_owned(), &"tr0ub4dor&3".to_owned()),
        (format!("client_secret={key}&grant_type=client_credentials"), &key),
        (format!("?a=1&amp;access_token={key}&amp;x=1"), &key),
        ("curl -u admin:letmein-now https://example.org".to_owned(), &"letmein-now".to_owned()),
        ("curl -s \\\n  --user 'ada:tr0ub4dor' \\\n  https://example.org".to_owned(), &"tr0ub4dor".to_owned()),
        ("wget --user=ada:tr0ub4dor https://example.org".to_owned(), &"tr0ub4dor".to_owned()),
        (
            format!("https://hooks.slack.com/services/T{}/B{}/{}", 12_345_678, 12_345_678, &key[..24]),
            &format!("T12345678/B12345678/{}", &key[..24]),
        ),
        (
            format!("https://discord.com/api/webhooks/123456789012345678/{key}{key}"),
            &format!("123456789012345678/{key}{key}"),
        ),
        (format!("https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature={hex} "), &hex),
        (format!("redis://:{key}@cache:6379/0"), &key),
        (format!("amqp://ada:{key}@queue"), &key),
        (format!("https://ada:{key}@example.org/a.git"), &key),
    ] {
        let shown = redactor.text(&text).into_owned();
        let (before, behind) = text.split_once(secret.as_str()).unwrap();
        assert!(shown.starts_with(before) && shown.ends_with(behind), "{text}: {shown}");
        assert!(shown.contains("[redacted: ") && !shown.contains(secret.as_str()), "{text}: {shown}");
    }
}
