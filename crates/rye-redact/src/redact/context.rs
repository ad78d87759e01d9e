//! Secrets that are known by the text around them: passwords in URLs, headers that authenticate, JSON Web Tokens,
//! addresses of webhooks, signatures of signed URLs.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::alphabet::{Alphabet, is_random, is_stand_in, may_begin};
use super::names::is_placeholder;

/// The longest user and password of a URL, in bytes.
const LONGEST_USER: usize = 512;

/// The longest JSON Web Token, in bytes.
const LONGEST_JWT: usize = 16 * 1024;

/// The longest value of a header, in bytes.
const LONGEST_HEADER: usize = 4 * 1024;

/// The text around a secret.
#[derive(Debug, Clone, Copy)]
pub(super) enum Context {
    /// `://`, of a URL.
    Url,
    /// `eyJ`, how each part of a JSON Web Token begins.
    Jwt,
    /// `Bearer `.
    Bearer,
    /// `Basic `.
    Basic,
    /// `"auth":`, in the configuration of container clients.
    Auth,
    /// ` password `, in the file of names and passwords that `curl` and `ftp` read.
    Netrc,
    /// The address of a webhook, up to its secret part.
    Hook,
    /// A parameter of a URL that was signed.
    Signature,
    /// `Q~`, in the secrets of Azure's applications.
    Azure,
    /// `-us`, at the end of Mailchimp's keys.
    Mailchimp,
    /// `:AA`, in the middle of Telegram's tokens.
    Telegram,
    /// `-u` or `--user` of a command that sends it to a server.
    User,
}

/// The words, each with what it is a part of.
pub(super) const CONTEXTS: &[(&str, Context)] = &[
    ("://", Context::Url),
    ("eyJ", Context::Jwt),
    ("bearer ", Context::Bearer),
    ("basic ", Context::Basic),
    ("\"auth\":", Context::Auth),
    ("password ", Context::Netrc),
    ("hooks.slack.com/services/", Context::Hook),
    ("hooks.slack.com/workflows/", Context::Hook),
    ("hooks.slack.com/triggers/", Context::Hook),
    ("discord.com/api/webhooks/", Context::Hook),
    ("discordapp.com/api/webhooks/", Context::Hook),
    ("hooks.zapier.com/hooks/catch/", Context::Hook),
    ("webhook.office.com/webhookb2/", Context::Hook),
    ("outlook.office.com/webhook/", Context::Hook),
    ("chat.googleapis.com/v1/spaces/", Context::Hook),
    ("open.feishu.cn/open-apis/bot/v2/hook/", Context::Hook),
    ("maker.ifttt.com/use/", Context::Hook),
    ("x-amz-signature=", Context::Signature),
    ("x-amz-security-token=", Context::Signature),
    ("x-goog-signature=", Context::Signature),
    ("&sig=", Context::Signature),
    ("?sig=", Context::Signature),
    ("Q~", Context::Azure),
    ("-us", Context::Mailchimp),
    (":AA", Context::Telegram),
    ("-u ", Context::User),
    ("--user ", Context::User),
    ("--user=", Context::User),
    ("--proxy-user ", Context::User),
];

/// Finds the secret around a word from `start` to `end`; returns it with its kind.
pub(super) fn find(context: Context, text: &str, start: usize, end: usize) -> Option<(usize, usize, &'static str)> {
    let bytes = text.as_bytes();
    match context {
        Context::Url => url(text, end).map(|(start, end)| (start, end, "password in a url")),
        Context::Jwt => jwt(bytes, start).map(|end| (start, end, "json web token")),
        Context::Bearer => bearer(text, start, end).map(|(start, end)| (start, end, "bearer token")),
        Context::Basic => basic(text, end).map(|(start, end)| (start, end, "basic authorization")),
        Context::Auth => auth(text, end).map(|(start, end)| (start, end, "registry password")),
        Context::Netrc => netrc(text, start, end).map(|(start, end)| (start, end, "netrc password")),
        Context::Hook => hook(text, end).map(|(start, end)| (start, end, "webhook")),
        Context::Signature => signature(bytes, end).map(|(start, end)| (start, end, "signature of a url")),
        Context::Azure => azure(bytes, start, end).map(|(start, end)| (start, end, "azure client secret")),
        Context::Mailchimp => mailchimp(bytes, start, end).map(|(start, end)| (start, end, "mailchimp key")),
        Context::Telegram => telegram(bytes, start, end).map(|(start, end)| (start, end, "telegram token")),
        Context::User => user(text, start, end).map(|(start, end)| (start, end, "password of a command")),
    }
}

/// Finds the password of a URL, from behind its `://`. A reference to another value, or the user's name, does not
/// count.
fn url(text: &str, from: usize) -> Option<(usize, usize)> {
    let bytes = &text.as_bytes()[from..];
    let ends = |byte: &u8| byte.is_ascii_whitespace() || byte.is_ascii_control() || b"/?#\"'<>\\`,".contains(byte);
    let length = bytes.iter().take(LONGEST_USER).position(ends).unwrap_or(bytes.len().min(LONGEST_USER));
    let authority = &bytes[..length];
    let at = authority.iter().rposition(|byte| *byte == b'@')?;
    let colon = authority[..at].iter().position(|byte| *byte == b':')?;
    let (user, password) = (&authority[..colon], &authority[colon + 1..at]);
    let shown = std::str::from_utf8(password).ok()?;
    let is_secret = !password.is_empty() && user != password && !is_placeholder(shown) && !is_usual(shown);
    is_secret.then_some((from + colon + 1, from + at))
}

/// Finds the password in the `NAME:PASSWORD` that follows an option of curl or wget. Other programs have users and groups there.
fn user(text: &str, start: usize, from: usize) -> Option<(usize, usize)> {
    let command = &text[text.floor_char_boundary(start.saturating_sub(LONGEST_USER))..start];
    // A line that ends with a backslash goes on.
    let command = command.match_indices('\n').rfind(|(at, _)| !command[..*at].ends_with('\\'));
    let line = command.map_or(0, |(at, _)| text.floor_char_boundary(start.saturating_sub(LONGEST_USER)) + at);
    let sends = ["curl", "wget"].iter().any(|program| text[line..start].contains(program));
    let rest = text[from..].trim_start_matches([' ', '"', '\'', '\\']);
    let first = text.len() - rest.len();
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '\\');
    let word = &rest[..rest.find(ends).unwrap_or(rest.len()).min(rest.floor_char_boundary(LONGEST_USER))];
    let (name, password) = word.split_once(':')?;
    let is_id = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_secret = sends
        && !name.is_empty()
        && password.len() >= 4
        && name != password
        && !(is_id(name) && is_id(password))
        && !password.starts_with(['/', '$'])
        && !is_placeholder(password)
        && !is_usual(password);
    is_secret.then_some((first + name.len() + 1, first + word.len()))
}

/// Development databases, whose passwords are not secret.
fn is_usual(password: &str) -> bool {
    ["postgres", "root", "admin", "guest", "user", "test", "mysql", "redis", "minio", "pw", "p", "pass"]
        .contains(&password)
}

/// Finds the end of a JSON Web Token: three parts, or five, of which the first two begin as JSON objects do.
fn jwt(bytes: &[u8], start: usize) -> Option<usize> {
    if !may_begin(bytes, start) || !bytes[start..].starts_with(b"eyJ") {
        return None;
    }
    let header = Alphabet::Url.run(&bytes[start..], LONGEST_JWT);
    if header < 12 {
        return None;
    }
    let second = start + header + 1;
    let payload = part(bytes, second)?;
    let third = second + payload.len() + 1;
    let signature = part(bytes, third)?;
    if payload.starts_with(b"eyJ") && payload.len() >= 12 && signature.len() >= 16 {
        return Some(third + signature.len());
    }
    // An encrypted token has a key in the place of the second object, and two parts more.
    let fourth = third + signature.len() + 1;
    let text = part(bytes, fourth).filter(|text| text.len() >= 8)?;
    let fifth = fourth + text.len() + 1;
    let tag = part(bytes, fifth).filter(|tag| tag.len() >= 16 && signature.len() >= 8)?;
    Some(fifth + tag.len())
}

/// Returns the part of a token that begins behind a dot.
fn part(bytes: &[u8], from: usize) -> Option<&[u8]> {
    let rest = bytes.get(from..).filter(|_| bytes[from - 1] == b'.')?;
    Some(&rest[..Alphabet::Url.run(rest, LONGEST_JWT)])
}

fn bearer(text: &str, start: usize, from: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let length = Alphabet::Wide.run(&bytes[from..], LONGEST_HEADER);
    let token = &text[from..from + length];
    (may_begin(bytes, start) && is_random(token)).then_some((from, from + length))
}

/// Finds what follows `Basic `, if it is Base64 of a name and a password.
fn basic(text: &str, from: usize) -> Option<(usize, usize)> {
    const EITHER: GeneralPurpose = GeneralPurpose::new(
        &alphabet::STANDARD,
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
    );
    let length = Alphabet::Base64.run(&text.as_bytes()[from..], LONGEST_HEADER);
    let decoded = EITHER.decode(&text[from..from + length]).ok()?;
    let decoded = String::from_utf8(decoded).ok()?;
    let (user, password) = decoded.split_once(':')?;
    let is_text = |text: &str| !text.chars().any(char::is_control);
    let is_secret = is_text(user) && is_text(password) && user.len() + password.len() >= 6 && !is_placeholder(password);
    is_secret.then_some((from, from + length))
}

/// Finds the value of `"auth":`, if it is Base64 of a name and a password.
fn auth(text: &str, from: usize) -> Option<(usize, usize)> {
    let rest = text[from..].trim_start_matches([' ', '\t']).strip_prefix('"')?;
    basic(text, text.len() - rest.len())
}

/// Finds the word behind `password `, if `machine HOST login NAME` comes before it, or `default login NAME`.
fn netrc(text: &str, start: usize, from: usize) -> Option<(usize, usize)> {
    let before = &text[text.floor_char_boundary(start.saturating_sub(LONGEST_USER))..start];
    let mut words = before.split_ascii_whitespace().rev();
    let (name, login, host) = (words.next()?, words.next()?, words.next()?);
    let password = text[from..].split(|c: char| c.is_ascii_whitespace()).next()?;
    let is_secret = login == "login"
        && (host == "default" || words.next() == Some("machine"))
        && password.len() >= 4
        && password.len() <= LONGEST_USER
        && password != name
        && !password.starts_with(['$', '<'])
        && !is_placeholder(password);
    is_secret.then_some((from, from + password.len()))
}

/// Finds the secret part of a webhook's address.
fn hook(text: &str, from: usize) -> Option<(usize, usize)> {
    let is_part = |byte: u8| Alphabet::Wide.holds(byte) || matches!(byte, b'@' | b'&' | b'?');
    let rest = &text.as_bytes()[from..];
    let length = rest.iter().take(512).take_while(|byte| is_part(**byte)).count();
    let path = text[from..from + length].trim_end_matches(['.', ':', '/', '-']);
    let is_secret = path.len() >= 16 && path.bytes().any(|byte| byte.is_ascii_digit()) && !is_stand_in(path.as_bytes());
    (is_secret && !is_placeholder(path)).then_some((from, from + path.len()))
}

fn signature(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let length = Alphabet::Wide.run(&bytes[from..], LONGEST_HEADER);
    let value = &bytes[from..from + length];
    (length >= 32 && !is_stand_in(value)).then_some((from, from + length))
}

/// Finds a secret of an Azure application: three characters, a digit, `Q~` and 31 to 34 more.
fn azure(bytes: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let is_part = |byte: &u8| Alphabet::Dotted.holds(*byte) || *byte == b'~';
    let first = start.checked_sub(4)?;
    let run = bytes[end..].iter().take(36).take_while(|byte| is_part(byte)).count();
    // The end of a sentence is not part of it.
    let rest = bytes[end..end + run].iter().rposition(|byte| *byte != b'.').map_or(0, |last| last + 1);
    let is_secret = bytes[start] == b'Q'
        && bytes[start - 1].is_ascii_digit()
        && bytes[first..start].iter().all(is_part)
        && may_begin(bytes, first)
        && (31..=34).contains(&rest)
        && !is_stand_in(&bytes[end..end + rest]);
    is_secret.then_some((first, end + rest))
}

/// Finds a Mailchimp key: 32 hexadecimal digits, `-us` and the number of a centre.
fn mailchimp(bytes: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let first = start.checked_sub(32)?;
    let digits = bytes[end..].iter().take(3).take_while(|byte| byte.is_ascii_digit()).count();
    let is_key = bytes[first..start].iter().all(u8::is_ascii_hexdigit)
        && may_begin(bytes, first)
        && (1..=2).contains(&digits)
        && !is_stand_in(&bytes[first..start]);
    is_key.then_some((first, end + digits))
}

/// Finds a token of a Telegram bot: 8 to 10 digits, `:AA` and 33 more.
fn telegram(bytes: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let digits = bytes[..start].iter().rev().take(11).take_while(|byte| byte.is_ascii_digit()).count();
    let first = start - digits;
    let run = Alphabet::Url.run(&bytes[end..], 34);
    let is_bot = bytes[..first].ends_with(b"bot");
    let is_token = (8..=10).contains(&digits)
        && bytes[start..end] == *b":AA"
        && (is_bot || may_begin(bytes, first))
        && run == 33
        && !is_stand_in(&bytes[end..end + run]);
    is_token.then_some((first, end + run))
}
