//! Which names mean a secret: variables, JSON keys, headers, flags, query parameters.

mod words;

use crate::foreign;
use words::{HEADS_DROPPED, KEY_HEADS, KEY_HEADS_DROPPED, TAILS_KEPT, TOKEN_HEADS_DROPPED};

/// What a name says about its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Named {
    /// A password: any value counts, however short.
    Password,
    /// `pwd`: a password, unless the value is a path. Then it is the working directory.
    Pwd,
    /// A secret or a credential: any quoted value counts.
    Secret,
    /// A token or an API key: the value should look like one.
    Token,
    /// `Authorization` and its kin: a scheme and a credential.
    Authorization,
    /// `Cookie`, `Set-Cookie`.
    Cookie,
    /// Something with `key` or `auth` in it: only a value that looks random counts.
    Weak,
    /// Nothing secret.
    Plain,
}

impl Named {
    /// The rule name that a value under such a name is replaced with.
    pub fn rule(self) -> &'static str {
        match self {
            Named::Password | Named::Pwd => "password",
            Named::Secret => "secret",
            Named::Token | Named::Weak => "token",
            Named::Authorization => "authorization",
            Named::Cookie => "cookie",
            Named::Plain => "plain",
        }
    }
}

/// Longest name that is looked at.
pub(crate) const NAME_BYTES_MAX: usize = 96;
const WORDS_MAX: usize = 12;

/// Glued names: `apikey`, `dbpassword`, `clientsecret`.
const GLUED: &[(&str, Named)] = &[
    ("password", Named::Password),
    ("passwd", Named::Password),
    ("passphrase", Named::Password),
    ("passcode", Named::Password),
    ("passwort", Named::Password),
    ("apikey", Named::Token),
    ("secretkey", Named::Token),
    ("privatekey", Named::Secret),
    ("accesskey", Named::Token),
    ("authkey", Named::Token),
    ("accountkey", Named::Secret),
    ("masterkey", Named::Secret),
    ("encryptionkey", Named::Secret),
    ("sharedkey", Named::Secret),
    ("signingkey", Named::Secret),
    ("licensekey", Named::Token),
    ("servicekey", Named::Token),
    ("authtoken", Named::Token),
    ("accesstoken", Named::Token),
    ("apitoken", Named::Token),
    ("sessiontoken", Named::Token),
    ("refreshtoken", Named::Token),
    ("idtoken", Named::Token),
    ("bearertoken", Named::Token),
    ("usertoken", Named::Token),
    ("bottoken", Named::Token),
    ("clientsecret", Named::Secret),
    ("appsecret", Named::Secret),
    ("secret", Named::Secret),
    ("token", Named::Token),
    ("apisecret", Named::Secret),
    ("consumersecret", Named::Secret),
    ("keysecret", Named::Secret),
    ("authsecret", Named::Secret),
    ("jwtsecret", Named::Secret),
];

/// Splits `fooBar_baz-QUX2` into `foo bar baz qux2`, lower case, without allocating per word.
fn words<'b>(name: &[u8], buf: &'b mut [u8; NAME_BYTES_MAX * 2], ends: &mut [u8; WORDS_MAX]) -> (&'b [u8], usize) {
    let mut len = 0;
    let mut count = 0;
    let mut start = 0;
    for (i, &b) in name.iter().enumerate() {
        let prev = i.checked_sub(1).map(|j| name[j]);
        let next = name.get(i + 1);
        let hump = b.is_ascii_uppercase()
            && (prev.is_some_and(|p| p.is_ascii_lowercase() || p.is_ascii_digit())
                || (prev.is_some_and(|p| p.is_ascii_uppercase()) && next.is_some_and(u8::is_ascii_lowercase)));
        if (hump || !b.is_ascii_alphanumeric()) && len > start {
            if count < WORDS_MAX {
                ends[count] = len as u8;
                count += 1;
            }
            start = len;
        }
        if b.is_ascii_alphanumeric() && len < buf.len() {
            buf[len] = b.to_ascii_lowercase();
            len += 1;
        }
    }
    if len > start && count < WORDS_MAX {
        ends[count] = len as u8;
        count += 1;
    }
    (&buf[..len], count)
}

/// What `name` says about its value.
pub(crate) fn classify(name: &str) -> Named {
    let name = name.as_bytes();
    if name.len() > NAME_BYTES_MAX {
        return Named::Plain;
    }
    if foreign::ends(name) {
        return Named::Password;
    }
    if !may_be_secret(name) {
        return Named::Plain;
    }
    let mut buf = [0u8; NAME_BYTES_MAX * 2];
    let mut ends = [0u8; WORDS_MAX];
    let (all, count) = words(name, &mut buf, &mut ends);
    let word = |i: usize| -> &str {
        let start = if i == 0 { 0 } else { usize::from(ends[i - 1]) };
        std::str::from_utf8(&all[start..usize::from(ends[i])]).unwrap_or("")
    };
    let mut last = count;
    // `token2`, `password_prod`, `SECRET_KEY_BASE`: the tail says which one, not what it is.
    while last > 1 && (TAILS_KEPT.contains(&word(last - 1)) || word(last - 1).bytes().all(|b| b.is_ascii_digit())) {
        last -= 1;
    }
    if last == 0 {
        return Named::Plain;
    }
    let tail = word(last - 1).trim_end_matches(|c: char| c.is_ascii_digit());
    let head = if last >= 2 { word(last - 2) } else { "" };
    let dropped = last > 1 && HEADS_DROPPED.contains(&word(0));
    let named = by_tail(tail, head, last, name);
    match named {
        Named::Plain => Named::Plain,
        _ if dropped && !matches!(named, Named::Authorization | Named::Cookie) && !shouted(name) => Named::Plain,
        Named::Token if tail.starts_with("token") && (0..last - 1).any(|i| TOKEN_HEADS_DROPPED.contains(&word(i))) => {
            Named::Plain
        }
        other => other,
    }
}

/// `FORGOT_PASSWORD=x` in an environment file is as much a value as any; in code a verb makes it a function.
fn shouted(name: &[u8]) -> bool {
    !name.iter().any(u8::is_ascii_lowercase)
}

/// Whether any secret word can be in `name`: most names are not, and splitting them costs more than this.
fn may_be_secret(name: &[u8]) -> bool {
    name.windows(2).any(|w| {
        matches!(
            [w[0] | 0x20, w[1] | 0x20],
            [b'p', b'a' | b'w' | b's' | b'h']
                | [b's', b'e' | b'r']
                | [b't', b'o']
                | [b'k', b'e']
                | [b'a', b'u']
                | [b'c', b'r' | b'o']
                | [b'j', b'w']
                | [b'b', b'e']
                | [b'l', b'o']
                | [b'm', b'n']
        )
    })
}

fn by_tail(tail: &str, head: &str, count: usize, name: &[u8]) -> Named {
    match tail {
        "pwd" if count == 1 || head == "old" => Named::Pwd,
        "password" | "passwd" | "passphrase" | "pwd" | "passcode" | "passwords" | "passwort" | "pgpassword"
        | "mnemonic" => Named::Password,
        "pass" | "pw" | "pswd" | "psw" if count > 1 => Named::Password,
        "pass" | "pw" if name == b"pass" || name == b"pw" => Named::Password,
        "phrase" if matches!(head, "seed" | "pass" | "recovery" | "secret") => Named::Password,
        "secret" | "secrets" => Named::Secret,
        "credential" | "credentials" | "creds" => Named::Secret,
        "token" | "tokens" => Named::Token,
        "pat" if count > 1 => Named::Token,
        "jwt" | "bearer" => Named::Token,
        "key" | "keys" => {
            if KEY_HEADS.contains(&head) {
                Named::Token
            } else if head.is_empty() || KEY_HEADS_DROPPED.contains(&head) {
                Named::Plain
            } else {
                Named::Weak
            }
        }
        "authorization" => Named::Authorization,
        "cookie" | "cookies" => Named::Cookie,
        "auth" => Named::Weak,
        "login" if count > 1 => Named::Weak,
        "crumb" => Named::Token,
        "srt" => Named::Secret,
        _ => glued(tail),
    }
}

fn glued(tail: &str) -> Named {
    GLUED.iter().find(|(glue, _)| tail.ends_with(glue)).map_or(Named::Plain, |&(_, named)| named)
}

/// Query parameters that carry a credential in a URL and mean nothing elsewhere.
pub(crate) fn is_query_secret(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "sig",
        "signature",
        "x-amz-signature",
        "x-amz-credential",
        "x-amz-security-token",
        "x-goog-signature",
        "x-goog-credential",
        "key",
        "auth",
        "code",
        "sign",
        "hmac",
        "ticket",
        "jwt",
        "apikey",
        "api_key",
        "pass",
        "pw",
        "pwd",
        "otp",
        "awsaccesskeyid",
        "sas",
        "st",
        "access_key",
        "appid",
        "assertion",
        "saml_token",
        "oauth_signature",
        "oauth_token",
        "hash",
    ];
    let lower = name.to_ascii_lowercase();
    NAMES.contains(&lower.as_str())
}
