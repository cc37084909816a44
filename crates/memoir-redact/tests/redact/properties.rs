//! What holds for every text.

use memoir_redact::Redactor;
use proptest::prelude::*;

use crate::corpus;

/// Fragments that meet at every seam: names, separators, quotes, tokens, escapes, markers, colours.
fn fragment() -> impl Strategy<Value = String> {
    let fixed = [
        "password",
        "token",
        "api_key",
        "DB_PASSWORD",
        "Authorization",
        "Bearer ",
        "Basic ",
        "Cookie",
        "secret",
        "=",
        ":",
        ": ",
        " = ",
        "\"",
        "\\\"",
        "\\\\\\\"",
        "'",
        "`",
        "\\n",
        "\n",
        " ",
        ", ",
        ";",
        "&",
        "@",
        "://",
        "https://",
        "?token=",
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----END RSA PRIVATE KEY-----",
        "[redacted:x]",
        "[REDACTED]",
        "{",
        "}",
        "[",
        "]",
        "<",
        ">",
        "(",
        ")",
        "curl -u ",
        "mysql -p",
        "sshpass -p ",
        "\u{1b}[32m",
        "\\u001b[0m",
        "é",
        "日本",
        "\u{1f600}",
        "$6$",
        "eyJ",
        ".",
        "-",
        "_",
        "hunter2",
        "abc",
        "0123456789abcdef",
        "q8Lw2nRt5xYb7kPd9Zc4",
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
        "arn:aws:s3:::",
        "arn:aws:iam::111122223333:",
        "{SSHA}",
        "***",
        "####",
        "...",
        "infura",
        "eventbrite",
        "KEY",
        "password: ",
        "--password ",
        "login ",
        "machine ",
        "algolia key ",
        "\\",
        "|",
        "%3D",
        "PWD=",
        "/srv/app",
        "pwd",
        "+",
        "/",
        "IDENTIFIED BY '",
        "CREATE USER ",
        "-passin pass:",
        "htpasswd -b f u ",
        "パスワード",
        "は",
        "：",
        "contraseña",
        "mot de passe",
        "Пароль",
        "senha: ",
        "--from-literal=",
        "sk_live_",
    ];
    prop_oneof![
        6 => proptest::sample::select(fixed.to_vec()).prop_map(str::to_owned),
        1 => any::<u64>().prop_map(|seed| {
            let mut random = corpus::Random::new(seed);
            let patterns = [
                "ghp_{a36}", "sk-{a24}", "AKIA{r16}", "glpat-{s20}", "{h40}", "{a32}", "AIza{s35}", "hf_{a34}",
                "sk_live_{s30}",
            ];
            corpus::token(patterns[random.below(patterns.len())], &mut random)
        }),
        1 => "\\PC{0,6}",
    ]
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => proptest::collection::vec(fragment(), 0..24).prop_map(|v| v.concat()),
        1 => any::<String>(),
    ]
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        any_text().prop_map(serde_json::Value::String),
        any::<i64>().prop_map(Into::into),
        any::<bool>().prop_map(Into::into),
        Just(serde_json::Value::Null),
    ];
    let key = prop_oneof![
        any_text(),
        proptest::sample::select(vec!["password", "token", "name", "value", "tokens", "auth"]).prop_map(str::to_owned)
    ];
    leaf.prop_recursive(4, 32, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(serde_json::Value::Array),
            proptest::collection::vec((key.clone(), inner.clone()), 0..5)
                .prop_map(|v| serde_json::Value::Object(v.into_iter().collect())),
            inner.prop_map(|v| serde_json::Value::String(v.to_string())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(2000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn redacting_a_text_twice_changes_nothing(s in any_text()) {
        let redactor = Redactor::builtin();
        let once = redactor.text(&s).into_owned();
        prop_assert_eq!(redactor.text(&once), once.as_str());
    }

    #[test]
    fn redacting_json_twice_changes_nothing_and_it_stays_json(v in any_json()) {
        let redactor = Redactor::builtin();
        let source = v.to_string();
        let once = redactor.json(&source).into_owned();
        prop_assert!(serde_json::from_str::<serde_json::Value>(&once).is_ok(), "{}", once);
        prop_assert_eq!(redactor.json(&once), once.as_str());
    }

    #[test]
    fn json_without_secrets_is_returned_byte_for_byte(words in proptest::collection::vec("[a-z \\\\\"/\n]{0,12}", 0..8)) {
        let source = serde_json::to_string_pretty(&words).unwrap();
        let out = Redactor::builtin().json(&source);
        prop_assert_eq!(&out, &source);
        prop_assert!(matches!(out, std::borrow::Cow::Borrowed(_)));
    }

    #[test]
    fn a_token_is_gone_wherever_it_stands(before in any_text(), after in any_text(), seed: u64) {
        let secret = corpus::token("ghp_{a36}", &mut corpus::Random::new(seed));
        let out = Redactor::builtin().text(&format!("{before} {secret} {after}")).into_owned();
        prop_assert!(!out.contains(&secret), "{}", out);
    }
}
