//! Tokens that are known by how they begin: the forms that services publish so that tokens can be found.
//!
//! A form has its beginning, the characters that follow, and how many. A longer or shorter text is something else and
//! stays.

use super::alphabet::{Alphabet, is_mixed, is_stand_in, may_begin};

/// The greatest length of a token whose form names none, in bytes.
const MOST: usize = 512;

/// What follows `sk-` in SSH's names for the keys of security devices, such as `sk-ssh-ed25519-cert-v01@openssh.com`.
const KEY_TYPES: [&str; 2] = ["ssh-ed25519", "ecdsa-sha2-nistp256"];

/// A form of token.
#[derive(Debug)]
pub(super) struct Shape {
    /// What its mark says.
    pub(super) kind: &'static str,
    /// How it begins.
    pub(super) starts: &'static [&'static str],
    body: Alphabet,
    least: usize,
    most: usize,
    /// Whether words begin so too, and only a mixed body tells the token from them.
    is_common: bool,
}

/// A form whose beginning is its own.
const fn own(kind: &'static str, starts: &'static [&'static str], body: Alphabet, least: usize, most: usize) -> Shape {
    Shape { kind, starts, body, least, most, is_common: false }
}

/// A form that begins as words do.
const fn common(
    kind: &'static str,
    starts: &'static [&'static str],
    body: Alphabet,
    least: usize,
    most: usize,
) -> Shape {
    Shape { kind, starts, body, least, most, is_common: true }
}

/// What a beginning turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// A token that ends here.
    Token { end: usize },
    /// Characters of a token, up to here and beyond: more than any token has.
    TooLong { end: usize },
    /// Something else.
    Other,
}

use Alphabet::{Base64, Capitals, Dotted, Hex, Letters, Small, Url, Wide, Word};

/// Every form.
pub(super) const SHAPES: &[Shape] = &[
    // Models.
    own("anthropic key", &["sk-ant-"], Url, 20, MOST),
    own("openai key", &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"], Url, 20, MOST),
    own("openrouter key", &["sk-or-v1-", "sk-or-"], Url, 32, MOST),
    own("langfuse key", &["sk-lf-"], Url, 36, 36),
    common("api key", &["sk-"], Url, 20, MOST),
    own("google api key", &["AIza"], Url, 35, 35),
    own("hugging face token", &["hf_", "api_org_"], Letters, 30, 64),
    own("groq key", &["gsk_"], Letters, 40, 80),
    own("xai key", &["xai-"], Letters, 40, 120),
    own("perplexity key", &["pplx-"], Letters, 32, 80),
    common("replicate token", &["r8_"], Letters, 36, 48),
    common("fireworks key", &["fw_"], Letters, 20, 48),
    own("langsmith key", &["lsv2_pt_", "lsv2_sk_"], Word, 32, 80),
    own("nvidia key", &["nvapi-"], Url, 60, 90),
    own("pinecone key", &["pcsk_"], Word, 40, 120),
    own("tavily key", &["tvly-"], Url, 28, 80),
    common("cerebras key", &["csk-"], Small, 40, 60),
    // Code and packages.
    own("github token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], Word, 36, 255),
    own("github token", &["github_pat_"], Word, 36, 255),
    own(
        "gitlab token",
        &[
            "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-",
            "glffct-",
        ],
        Dotted,
        20,
        320,
    ),
    own("gitlab token", &["GR1348941"], Url, 20, 20),
    own("atlassian token", &["ATATT3x", "ATCTT3x", "ATBB"], Wide, 24, 400),
    own("npm token", &["npm_"], Letters, 36, 36),
    own("pypi token", &["pypi-AgE"], Url, 50, MOST),
    common("crates.io token", &["cio"], Letters, 32, 32),
    own("rubygems key", &["rubygems_"], Hex, 48, 48),
    common("nuget key", &["oy2"], Small, 43, 43),
    own("clojars token", &["CLOJARS_"], Hex, 60, 60),
    own("docker token", &["dckr_pat_", "dckr_oat_"], Url, 27, 64),
    own("artifactory key", &["AKCp"], Letters, 60, 80),
    own("artifactory token", &["cmVmdGtu"], Letters, 56, 56),
    own("circleci token", &["CCIPAT_", "CCIPRJ_"], Word, 40, 120),
    own("buildkite token", &["bkua_"], Letters, 40, 80),
    own("sonar token", &["squ_", "sqp_", "sqa_"], Hex, 40, 40),
    own("sourcegraph token", &["sgp_"], Word, 40, 80),
    own("openvsx token", &["ovsxat_"], Wide, 30, 64),
    own("postman key", &["PMAK-"], Url, 59, 59),
    own("linear key", &["lin_api_", "lin_oauth_"], Letters, 40, 64),
    own("figma token", &["figd_", "figu_"], Url, 40, 80),
    own("readme key", &["rdme_"], Small, 70, 70),
    own("infracost key", &["ico-"], Letters, 32, 32),
    own("pulumi token", &["pul-"], Hex, 40, 40),
    common("launchdarkly key", &["sdk-", "api-"], Url, 36, 36),
    own("prefect key", &["pnu_", "pnb_"], Letters, 36, 36),
    // Clouds and hosts.
    own("aws access key", &["AKIA", "ASIA", "ABIA", "ACCA"], Capitals, 16, 16),
    own("aws bedrock key", &["ABSKQmVkcm9ja0FQSUtleS", "bedrock-api-key-"], Wide, 40, MOST),
    own("google oauth secret", &["GOCSPX-"], Url, 28, 28),
    own("google oauth token", &["ya29."], Dotted, 20, MOST),
    common("google refresh token", &["1//0"], Url, 30, 150),
    own("azure storage key", &["AccountKey=", "SharedAccessKey="], Base64, 43, 92),
    own("alibaba access key", &["LTAI"], Letters, 16, 24),
    own("tencent secret id", &["AKID"], Letters, 32, 32),
    own("digitalocean token", &["dop_v1_", "doo_v1_", "dor_v1_"], Hex, 64, 64),
    own("heroku token", &["HRKU-"], Url, 36, 64),
    own("fly token", &["fo1_", "fm1_", "fm2_"], Wide, 40, MOST),
    own("vercel token", &["vcp_", "vci_", "vca_", "vcr_", "vck_"], Letters, 24, 64),
    own("netlify token", &["nfp_", "nfc_", "nfo_", "nfu_", "nfb_"], Letters, 36, 64),
    own("render key", &["rnd_"], Letters, 28, 48),
    own("scalingo token", &["tk-us-"], Url, 48, 48),
    own("cloudflare origin key", &["v1.0-"], Url, 150, 200),
    own("tailscale key", &["tskey-"], Url, 16, 120),
    own("vault token", &["hvs.", "hvb.", "hvr."], Url, 24, 300),
    own("terraform token", &["atlasv1."], Url, 60, 80),
    own("doppler token", &["dp.pt.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."], Letters, 40, 50),
    own("doppler token", &["dp.st."], Dotted, 40, 80),
    own("1password token", &["ops_eyJ"], Base64, 200, 2048),
    own("1password secret key", &["A3-"], Url, 34, 40),
    own("databricks token", &["dapi"], Hex, 32, 34),
    own("snowflake token", &["ver:1-hint:"], Wide, 40, MOST),
    own("openshift token", &["sha256~"], Url, 43, 43),
    own("planetscale token", &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"], Wide, 32, 64),
    own("supabase key", &["sbp_", "sb_secret_"], Word, 31, 64),
    own("neon key", &["napi_"], Letters, 50, 80),
    own("mongodb key", &["mdb_sa_sk_"], Url, 32, 60),
    own("age key", &["AGE-SECRET-KEY-1"], Capitals, 58, 58),
    // Messages and people.
    own("slack token", &["xoxb-", "xoxa-", "xoxp-", "xoxr-", "xoxs-", "xoxo-", "xoxc-", "xoxd-"], Wide, 20, 300),
    own("slack token", &["xoxe.xoxp-", "xoxe.xoxb-", "xoxe-", "xapp-", "xwfp-"], Url, 20, 300),
    own("sendgrid key", &["SG."], Dotted, 60, 70),
    common("mailgun key", &["key-"], Hex, 32, 32),
    own("mailersend key", &["mlsn."], Hex, 64, 64),
    own("brevo key", &["xkeysib-", "xsmtpsib-"], Url, 80, 90),
    common("resend key", &["re_"], Word, 32, 40),
    own("twilio key", &["SK"], Hex, 32, 32),
    own("notion token", &["ntn_"], Letters, 40, 60),
    common("notion token", &["secret_"], Letters, 43, 43),
    own("contentful token", &["CFPAT-"], Url, 43, 43),
    own("typeform token", &["tfp_"], Dotted, 40, 64),
    own("hubspot token", &["pat-na1-", "pat-na2-", "pat-eu1-"], Url, 36, 36),
    own("intercom token", &["dG9rOg"], Base64, 40, 80),
    own("dropbox token", &["sl."], Url, 130, 1400),
    own("facebook token", &["EAACEdEose0cBA"], Letters, 20, 300),
    common("facebook token", &["EAA"], Letters, 100, 300),
    own("discord token", &["mfa."], Url, 80, 90),
    own("yandex key", &["AQVN"], Url, 35, 40),
    own("adobe secret", &["p8e-"], Letters, 32, 32),
    own("duffel token", &["duffel_live_", "duffel_test_"], Url, 43, 43),
    own("frame.io token", &["fio-u-"], Url, 64, 64),
    own("zuplo key", &["zpka_"], Word, 32, 64),
    // Money.
    own("stripe key", &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_"], Letters, 16, 255),
    own("stripe webhook secret", &["whsec_"], Base64, 24, 64),
    own("square token", &["sq0atp-", "sq0csp-", "sq0idp-"], Url, 22, 60),
    common("square token", &["EAAA"], Url, 60, 60),
    own("braintree token", &["access_token$production$", "access_token$sandbox$"], Wide, 40, 60),
    own("shopify token", &["shpat_", "shpca_", "shppa_", "shpss_", "shpua_"], Hex, 32, 32),
    own("razorpay key", &["rzp_live_", "rzp_test_"], Letters, 14, 20),
    own("flutterwave key", &["FLWSECK_TEST-", "FLWSECK-"], Wide, 32, 60),
    own("easypost key", &["EZAK", "EZTK"], Letters, 54, 54),
    own("shippo token", &["shippo_live_", "shippo_test_"], Hex, 40, 40),
    own("plaid token", &["access-production-", "access-sandbox-", "access-development-"], Url, 36, 36),
    own("extended private key", &["xprv", "yprv", "zprv"], Letters, 107, 108),
    // Watching.
    own("new relic key", &["NRAK-", "NRAA-", "NRII-", "NRJS-", "NRRA-"], Url, 19, 60),
    own("grafana token", &["glc_", "glsa_"], Wide, 32, 400),
    own("sentry token", &["sntrys_", "sntryu_"], Wide, 60, MOST),
    own("dynatrace token", &["dt0c01.", "dt0s01.", "dt0s02."], Dotted, 64, 100),
    own("honeycomb key", &["hcaik_", "hcbik_", "hcxmk_"], Small, 40, 80),
    own("elastic key", &["essu_"], Base64, 40, 120),
    own("logfire token", &["pylf_v1_"], Word, 30, 80),
    own("posthog key", &["phx_", "phs_"], Letters, 40, 60),
    own("mapbox token", &["sk.eyJ"], Dotted, 60, 200),
    own("snyk token", &["snyk_uat.", "snyk_sat."], Dotted, 40, 300),
    own("octopus key", &["API-"], Capitals, 25, 36),
    own("settlemint token", &["sm_pat_", "sm_aat_", "sm_sat_"], Letters, 16, 16),
    own("ubidots token", &["BBFF-"], Letters, 30, 30),
];

impl Shape {
    /// Tells whether a token of this shape may begin with the bytes from `start` to `end`.
    pub(super) fn begins(&self, text: &str, start: usize, end: usize) -> bool {
        let bytes = text.as_bytes();
        self.starts.iter().any(|known| known.as_bytes() == &bytes[start..end]) && may_begin(bytes, start)
    }

    /// Looks at what begins at `start`, of which so many bytes are its beginning.
    pub(super) fn look(&self, text: &str, start: usize, length: usize) -> Look {
        let bytes = text.as_bytes();
        let begins = &bytes[start..start + length];
        // The search does not tell capitals from small letters.
        let is_exact = self.starts.iter().any(|known| known.as_bytes() == begins);
        // Words with a hyphen in them, and parts of paths, end as such a token begins.
        let is_part = self.is_common && start > 0 && matches!(bytes[start - 1], b'-' | b'.' | b'/');
        let rest = &bytes[start + length..];
        let is_type = begins == b"sk-" && KEY_TYPES.iter().any(|name| rest.starts_with(name.as_bytes()));
        if !is_exact || is_part || is_type || !may_begin(bytes, start) {
            return Look::Other;
        }
        let run = self.body.run(rest, self.most + 1);
        if run > MOST {
            return Look::TooLong { end: start + length + run };
        }
        let body = &rest[..self.without_end(&rest[..run])];
        let goes_on = rest.get(body.len()).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        let fits = (self.least..=self.most).contains(&body.len()) && !goes_on;
        let is_own = begins != b"sk-" || is_one_or_random(body);
        let is_token = fits && is_own && !is_stand_in(body) && (!self.is_common || is_mixed(body));
        if is_token { Look::Token { end: start + length + body.len() } } else { Look::Other }
    }

    /// Returns the length of a body without the punctuation of a sentence at its end.
    fn without_end(&self, body: &[u8]) -> usize {
        let ends = |byte: &u8| matches!(byte, b'.' | b':' | b'|' | b'-');
        body.iter().rposition(|byte| !ends(byte)).map_or(0, |last| last + 1)
    }
}

/// Tells whether the body of a key is not just a row of words: in one piece, as those of OpenAI and `DeepSeek`; of capitals, small letters and
/// digits, as those of `LiteLLM`; or a key behind a word for its kind.
fn is_one_or_random(body: &[u8]) -> bool {
    let Some(divided) = body.iter().rposition(|byte| matches!(byte, b'-' | b'_')) else { return true };
    let has = |is: fn(&u8) -> bool| body.iter().any(is);
    let is_random = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit);
    let last = &body[divided + 1..];
    is_random || last.len() >= 20 && is_mixed(last)
}
