//! An agent-transcript corpus: synthetic secrets in the places where agents show them, and as many texts without.
//!
//! Every secret is made at run time from a seeded generator, so that no literal in the repository looks like one.
//! Shared by path with the benchmark, which prints the figures.

#[path = "../../src/providers/prefixed.rs"]
#[allow(dead_code, reason = "only the patterns are used here")]
mod prefixed;

/// xorshift64*: the same corpus on every machine.
pub struct Random(u64);

impl Random {
    /// A generator that starts at `seed`.
    pub fn new(seed: u64) -> Random {
        Random(seed | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.next() >> 33) as usize) % n.max(1)
    }

    /// `len` characters of `alphabet`.
    pub fn text(&mut self, alphabet: &str, len: usize) -> String {
        let chars: Vec<char> = alphabet.chars().collect();
        (0..len).map(|_| chars[self.below(chars.len())]).collect()
    }
}

const DIGITS: &str = "0123456789";
const HEX: &str = "0123456789abcdef";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

fn alphabet(class: u8) -> String {
    let alnum = format!("{DIGITS}{LOWER}{UPPER}");
    match class {
        b'd' => DIGITS.into(),
        b'h' | b'H' | b'v' => HEX.into(),
        b'K' => HEX.to_uppercase(),
        b'l' => format!("{DIGITS}{LOWER}"),
        b'u' => format!("{DIGITS}{UPPER}"),
        b'L' => LOWER.into(),
        b'U' => UPPER.into(),
        b'r' => format!("{UPPER}234567"),
        _ => alnum,
    }
}

/// A token of the given pattern.
pub fn token(pattern: &str, random: &mut Random) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        let Some(close) = rest[open..].find('}').map(|n| open + n) else { break };
        let body = &rest[open + 1..close];
        let (class, count) = body.split_at(1);
        let len: usize = count.split('-').next().and_then(|n| n.parse().ok()).unwrap_or(1);
        if class == "v" && len == 36 {
            let uuid = [8, 4, 4, 4, 12].map(|n| random.text(HEX, n)).join("-");
            out.push_str(&uuid);
        } else {
            out.push_str(&random.text(&alphabet(class.as_bytes()[0]), len));
        }
        rest = &rest[close + 1..];
    }
    out.push_str(rest);
    out
}

/// Where a provider's token shows up in a transcript.
fn shown(token: &str) -> Vec<String> {
    let json = format!(r#"{{"role":"tool","content":"use {token} please"}}"#);
    let escape = |s: &str| s.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    vec![
        token.to_owned(),
        format!("I found {token} in the history."),
        json.clone(),
        format!("{{\"line\":\"{}\"}}", escape(&json)),
        format!("{{\"outer\":\"{}\"}}", escape(&format!("{{\"line\":\"{}\"}}", escape(&json)))),
        format!("\u{1b}[32mvalue\u{1b}[0m \u{1b}[33m{token}\u{1b}[0m"),
        format!("\\u001b[33m{token}\\u001b[0m"),
        format!("first line\n{token}\nlast line"),
        format!("first\\n{token}\\nlast"),
        format!("@@ -1,2 +1,2 @@\n-old = \"x\"\n+cred = \"{token}\"\n"),
        format!("service:\n  value: {token}\n  other: 1\n"),
        format!("SERVICE_VALUE={token}\nOTHER=1\n"),
        format!("export VALUE='{token}' && make deploy"),
        format!("curl -s -H 'X-Value: {token}' https://api.example.com/v1"),
        format!("client = Client(\"{token}\")  # python"),
        format!("const client = new Client('{token}');"),
        format!("let client = Client::new(\"{token}\");"),
        format!("c := NewClient(\"{token}\")"),
        format!("https://api.example.com/v1?value={token}"),
        format!("2026-01-05T10:00:00Z INFO sent value={token} status=200"),
        format!("| name | value |\n|---|---|\n| a | {token} |\n"),
        format!("<config><value>{token}</value></config>"),
        format!("    12\t    value = \"{token}\"\n    13\t}}\n"),
    ]
}

/// Where a password or another value without a shape shows up.
fn named(value: &str) -> Vec<String> {
    vec![
        format!("DB_PASSWORD={value}"),
        format!("export DB_PASSWORD='{value}'"),
        format!("password: \"{value}\""),
        format!("  db_password: {value}\n"),
        format!("{{\"db_password\":\"{value}\"}}"),
        format!("{{\\\"db_password\\\":\\\"{value}\\\"}}"),
        format!("{{\\\\\\\"db_password\\\\\\\":\\\\\\\"{value}\\\\\\\"}}"),
        format!("postgres://app:{value}@db.internal:5432/app"),
        format!("curl -u admin:{value} https://example.com"),
        format!("mysql -u root -p{value} app"),
        format!("sshpass -p {value} ssh root@host"),
        format!("docker login -u me -p {value} registry.example.com"),
        format!("tool --password {value} --verbose"),
        format!("tool --password={value}"),
        format!("PGPASSWORD={value} psql -h db"),
        format!("Server=db;User Id=sa;Password={value};Encrypt=true"),
        format!("machine example.com login me password {value}"),
        format!("db.internal:5432:app:me:{value}"),
        format!("\u{1b}[36mpassword\u{1b}[0m=\u{1b}[33m{value}\u{1b}[0m"),
        format!("+  password = \"{value}\"\n"),
        format!("<password>{value}</password>"),
        format!("self.password = '{value}'"),
        format!("let password: &str = \"{value}\";"),
        format!("\"name\": \"DB_PASSWORD\", \"value\": \"{value}\""),
        format!("$env:DB_PASSWORD = \"{value}\""),
        format!("password => '{value}',"),
    ]
}

/// Texts with a secret, each with the secret.
pub fn positives(seed: u64) -> Vec<(String, String)> {
    let mut random = Random::new(seed);
    let mut out = Vec::new();
    for rule in prefixed::PREFIXED {
        let token = token(rule.pattern, &mut random);
        out.extend(shown(&token).into_iter().map(|text| (text, token.clone())));
    }
    for _ in 0..60 {
        let value = format!("{}{}{}", random.text(LOWER, 5), random.text(DIGITS, 3), random.text(UPPER, 4));
        out.extend(named(&value).into_iter().map(|text| (text, value.clone())));
    }
    out
}

/// Texts without a secret.
pub fn negatives(seed: u64, count: usize) -> Vec<String> {
    let mut random = Random::new(seed);
    let fixed: Vec<&str> = include_str!("ordinary.txt").lines().filter(|l| !l.trim().is_empty()).collect();
    (0..count)
        .map(|i| {
            let line = fixed[i % fixed.len()];
            let line = line
                .replace("<SHA1>", &random.text(HEX, 40))
                .replace("<SHA256>", &random.text(HEX, 64))
                .replace("<MD5>", &random.text(HEX, 32))
                .replace("<UUID>", &[8, 4, 4, 4, 12].map(|n| random.text(HEX, n)).join("-"))
                .replace("<B64>", &random.text(&alphabet(b'a'), 86))
                .replace("<WORD>", &random.text(LOWER, 7))
                .replace("<N>", &random.text(DIGITS, 4));
            match random.below(6) {
                0 => format!("    {}\t{line}", random.below(900) + 1),
                1 => format!("+{line}"),
                2 => format!("first line\n{line}\nlast line"),
                _ => line,
            }
        })
        .collect()
}
