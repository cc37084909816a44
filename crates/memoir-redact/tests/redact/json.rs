//! JSON documents: keys that name secrets, strings seen unescaped, everything else byte for byte.

use memoir_redact::{Findings, Redactor};

fn json(s: &str) -> String {
    Redactor::builtin().json(s).into_owned()
}

#[track_caller]
fn stays(s: &str) {
    assert_eq!(json(s), s);
}

#[test]
fn keys_that_name_secrets_have_their_values_replaced() {
    for key in [
        "password",
        "api_key",
        "apiKey",
        "client_secret",
        "authorization",
        "cookie",
        "cookies",
        "secretKey",
        "private_key_pem",
        "passphrase",
        "pwd",
        "credentials",
        "bearer",
        "aws_secret_access_key",
        "db_password",
        "tokens",
        "apiKeys",
        "secrets",
    ] {
        let out = json(&format!(r#"{{"{key}":"plain","n":1}}"#));
        assert!(out.starts_with(&format!(r#"{{"{key}":"[redacted:"#)), "{out}");
        assert!(out.ends_with(r#"]","n":1}"#), "{out}");
        let out = json(&format!(r#"{{"{key}":{{"v":["plain",null,true]}}}}"#));
        assert!(!out.contains("plain") && out.contains("null,true"), "{out}");
    }
    assert_eq!(json(r#"{"password":123456}"#), r#"{"password":"[redacted:password]"}"#);
    assert_eq!(json(r#"{"env":{"DB_PASSWORD":"x"}}"#), r#"{"env":{"DB_PASSWORD":"[redacted:password]"}}"#);
    assert_eq!(
        json(r#"{"name":"DB_PASSWORD","value":"x"}"#),
        r#"{"name":"DB_PASSWORD","value":"[redacted:password]"}"#
    );
}

#[test]
fn keys_that_only_contain_the_word_keep_their_values() {
    for key in [
        "next_page_token",
        "max_tokens",
        "tokens_used",
        "total_tokens",
        "input_tokens",
        "token_count",
        "tokenizer",
        "password_hint",
        "secretary",
        "cookie_policy",
        "author",
        "authors",
        "auth_type",
        "is_secret",
        "token_type",
        "key",
        "public_key",
        "sort_key",
        "primary_key",
        "cache_key",
        "session_id",
        "client_id",
        "api_version",
        "access",
    ] {
        stays(&format!(r#"{{"{key}":"plain"}}"#));
    }
    stays(r#"{"tokens":12345,"token":7,"password":null,"secret":true,"api_key":""}"#);
}

#[test]
fn strings_are_seen_unescaped_and_the_rest_keeps_its_escapes() {
    let secret = crate::corpus::token("ghp_{a36}", &mut crate::corpus::Random::new(3));
    let hidden = secret.replacen('g', "\\u0067", 1);
    let out = json(&format!(r#"{{"t":"caf\u00e9 \/ {hidden} \/ \ud83d\ude00"}}"#));
    assert_eq!(out, r#"{"t":"caf\u00e9 \/ [redacted:github-token] \/ \ud83d\ude00"}"#);
}

#[test]
fn json_inside_json_strings_is_opened_to_any_usual_depth() {
    let mut doc = r#"{"db_password":"hunter","n":1.50}"#.to_owned();
    for _ in 0..4 {
        doc = format!("{{\"body\":\"{}\"}}", doc.replace('\\', "\\\\").replace('"', "\\\""));
        let out = json(&doc);
        assert!(!out.contains("hunter") && out.contains("1.50"), "{out}");
    }
}

#[test]
fn order_numbers_and_spaces_are_kept() {
    stays("{ \"z\" : 12345678901234567890123, \"a\": 2.50 ,\n\t\"e\":1E+2,\"u\":\"\\u0041\\/\" }");
}

#[test]
fn a_secret_in_a_key_goes_too() {
    let secret = crate::corpus::token("ghp_{a36}", &mut crate::corpus::Random::new(4));
    assert_eq!(json(&format!(r#"{{"{secret}":1}}"#)), r#"{"[redacted:github-token]":1}"#);
}

#[test]
fn a_key_below_a_password_does_not_make_its_number_a_count() {
    assert_eq!(json(r#"{"password":{"token":7}}"#), r#"{"password":{"token":"[redacted:password]"}}"#);
    let once = json(r#"{"password":{"arn:aws:s3:::token":0}}"#);
    assert_eq!(json(&once), once);
}

#[test]
fn what_is_not_json_is_treated_as_text() {
    assert_eq!(json("{\"a\": DB_PASSWORD=hunter2"), "{\"a\": DB_PASSWORD=[redacted:password]");
    assert_eq!(json("[1,]DB_PASSWORD=hunter2"), "[1,]DB_PASSWORD=[redacted:password]");
}

#[test]
fn findings_count_each_rule() {
    let mut found = Findings::default();
    Redactor::builtin().json_with(r#"{"password":"a","x":{"pwd":"b"},"body":"{\"password\":\"c\"}"}"#, &mut found);
    assert_eq!(found.iter().collect::<Vec<_>>(), [("password", 3)]);
    assert_eq!(found.total(), 3);
    let mut sum = Findings::default();
    assert!(sum.is_empty());
    sum.merge(&found);
    assert_eq!(sum, found);
}

#[test]
fn a_document_that_is_too_deep_is_treated_as_text() {
    let doc = format!("{}\"DB_PASSWORD=hunter2\"{}", "[".repeat(5000), "]".repeat(5000));
    let out = json(&doc);
    assert!(!out.contains("hunter2"));
    assert_eq!(out.matches('[').count(), 5001);
}

#[test]
fn lone_surrogates_and_nul_are_kept_as_they_are_spelled() {
    for odd in [r"\ud800", r"\udc00", r"\ud800\ud800", r"\ud83dx", r"\u0000", "\u{0}"] {
        stays(&format!(r#"{{"a":"{odd}","{odd}":"x {odd} y"}}"#));
        assert_eq!(
            json(&format!(r#"{{"a":"{odd} DB_PASSWORD=hunter2 {odd}","password":"p{odd}","b":"{odd}"}}"#)),
            format!(
                r#"{{"a":"{odd} DB_PASSWORD=[redacted:password] {odd}","password":"[redacted:password]","b":"{odd}"}}"#
            )
        );
        let inner = odd.replace('\\', "\\\\");
        assert_eq!(
            json(&format!(r#"{{"body":"{{\"pwd\":\"x\",\"c\":\"{inner}\"}}"}}"#)),
            format!(r#"{{"body":"{{\"pwd\":\"[redacted:password]\",\"c\":\"{inner}\"}}"}}"#)
        );
    }
}

#[test]
fn keys_that_name_a_password_in_another_language_have_their_values_replaced() {
    for key in [
        "パスワード",
        "密码",
        "비밀번호",
        "contraseña",
        "CONTRASEÑA",
        "senha",
        "db_senha",
        "пароль",
        "Kennwort",
        "lösenord",
    ] {
        assert_eq!(
            json(&format!(r#"{{"{key}":"plain","n":1}}"#)),
            format!(r#"{{"{key}":"[redacted:password]","n":1}}"#)
        );
    }
    stays(r#"{"desenhar":"plain","start":"plain","record":"plain","case":"plain"}"#);
}
