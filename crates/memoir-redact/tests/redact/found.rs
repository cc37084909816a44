//! What others missed is found here: one test for each kind.

use crate::corpus::{Random, token};
use crate::text;

/// A token of the given shape, made at run time.
fn made(pattern: &str) -> String {
    token(pattern, &mut Random::new(99))
}

/// Asserts that `secret` goes from `before`, and that what is around it stays.
#[track_caller]
fn goes(before: &str, secret: &str, around: &[&str]) {
    let after = text(before);
    assert!(!after.contains(secret), "still there: {after}");
    for part in around {
        assert!(after.contains(part), "{part:?} is gone from {after}");
    }
}

#[test]
fn prefixed_names_are_names_of_secrets() {
    for name in [
        "GITHUB_TOKEN",
        "DB_PASSWORD",
        "OPENAI_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "SECRET_KEY_BASE",
        "MY_APP_CLIENT_SECRET",
    ] {
        goes(&format!("export {name}=Zq8vLw2nRt5xYb7k"), "Zq8vLw2nRt5xYb7k", &["export ", name, "="]);
    }
    goes("MY_SECRET: q8Lw2nRt5", "q8Lw2nRt5", &["MY_SECRET: "]);
    goes("AccountKey=q8Lw2nRt5xYb7kPd/aa==;x=1", "q8Lw2nRt5", &["AccountKey=", ";x=1"]);
    goes("passphrase=horse9battery", "horse9battery", &["passphrase="]);
    goes("pwd=hunter2", "hunter2", &["pwd="]);
}

#[test]
fn a_token_is_one_wherever_it_stands_in_a_name() {
    let token = made("ghp_{a36-255}");
    for before in ["s-", "x_", "backup.", "a/", "=", "run"] {
        goes(&format!("{before}{token}"), &token, &[]);
    }
}

#[test]
fn short_values_and_values_with_symbols_count_under_an_unambiguous_name() {
    goes("password=ab1!", "ab1!", &["password="]);
    goes("password: p@ss!w$rd", "p@ss!w$rd", &["password: "]);
    goes("DB_PASSWORD=@!x$9", "@!x$9", &["DB_PASSWORD="]);
    goes("password = \"correct horse battery\"", "correct horse", &["password = \""]);
}

#[test]
fn an_escaped_quote_does_not_leave_the_tail() {
    goes(r#"{"password":"ab\"cdef","x":1}"#, "cdef", &["\"x\":1"]);
    goes(r#"say \"password\":\"ab\\\"cdef\" end"#, "cdef", &[" end"]);
}

#[test]
fn passwords_in_urls_go_and_user_and_host_stay() {
    goes("postgres://user:pass@host/db", ":pass@", &["postgres://user:", "@host/db"]);
    goes("redis://:s3cr3t@cache:6379/0", "s3cr3t", &["redis://:", "@cache:6379/0"]);
    goes("amqp://u:p%40ss%2Fw@mq", "p%40ss", &["amqp://u:", "@mq"]);
    goes("https://x.example/f?a=1&token=abcd1234&b=2", "abcd1234", &["?a=1&token=", "&b=2"]);
    goes(
        "https://b.example/o?X-Amz-Signature=9f8e7d6c5b4a39281706f5e4d3c2b1a0&x=1",
        "9f8e7d6c",
        &["X-Amz-Signature=", "&x=1"],
    );
    goes("https://acc.example/c?sv=2020&sig=aB3%2Fx9Kq7Lw2nRt5xYb7kPd%3D", "aB3%2F", &["sv=2020&sig="]);
}

#[test]
fn secrets_on_command_lines_go() {
    goes("mysql -u root -pSECRET9 app", "SECRET9", &["mysql -u root -p", " app"]);
    goes("tool --password X9yz --verbose", "X9yz", &["tool --password ", " --verbose"]);
    goes("tool --token=abcd1234efgh", "abcd1234efgh", &["--token="]);
    goes("curl -u user:pass https://h", ":pass ", &["curl -u user:", " https://h"]);
    goes("curl -b 'sid=abc123; t=9' https://h", "abc123", &["curl -b '", "' https://h"]);
    goes("curl -H 'Cookie: sid=abc123; t=9' https://h", "abc123", &["Cookie: ", "' https://h"]);
    goes("sshpass -p 'pw d9' ssh h", "pw d9", &["sshpass -p '", "ssh h"]);
    goes("PGPASSWORD=hunter psql -h db", "hunter", &["PGPASSWORD=", " psql -h db"]);
    goes("docker login -u me -p hunter2 r.example", "hunter2", &["docker login -u me -p ", " r.example"]);
}

#[test]
fn headers_of_any_scheme_go() {
    for scheme in ["Bearer", "Basic", "Token", "ApiKey"] {
        goes(&format!("Authorization: {scheme} dXNlcjpwYXNz9w=="), "dXNlcjpwYXNz9w", &["Authorization: ", scheme]);
    }
    goes("Authorization: Digest username=\"u\", response=6629fae4", "username", &["Authorization: Digest "]);
    goes("x-api-key: q8Lw2nRt5xYb7kPd", "q8Lw2nRt5", &["x-api-key: "]);
    goes("Proxy-Authorization: Basic dXNlcjpwYXNz9w==", "dXNlcjpwYXNz9w", &["Proxy-Authorization: Basic "]);
    goes("X-Auth-Token: q8Lw2nRt5xYb7kPd", "q8Lw2nRt5", &["X-Auth-Token: "]);
    goes("Set-Cookie: sid=q8Lw2nRt5; Path=/", "q8Lw2nRt5", &["Set-Cookie: "]);
    goes("sent Bearer q8Lw2nRt5xYb7kPd9 to it", "q8Lw2nRt5", &["sent Bearer ", " to it"]);
}

#[test]
fn token_shapes_are_found_without_any_name() {
    for pattern in [
        "AIzaSy{s33}",
        "ASIA{r16}",
        "glpat-{s20}",
        "npm_{a36}",
        "hf_{a34}",
        "rk_live_{a24}",
        "SG.{s22}.{s43}",
        "ya29.{s60}",
        "xapp-{d1}-{u11}-{d13}-{h64}",
        "ghp_{a36}",
        "github_pat_{w82}",
        "sk-ant-api03-{s93}",
        "sk-{a48}",
        "xoxb-{d12}-{d12}-{a24}",
    ] {
        let secret = made(pattern);
        goes(&format!("it is {secret} now"), &secret, &["it is [redacted:", "] now"]);
    }
}

#[test]
fn bare_jwts_and_webhooks_go() {
    let part = |n| made(&format!("{{s{n}}}"));
    let jwt = format!("eyJ{}.eyJ{}.{}", part(33), part(60), part(43));
    goes(&format!("jwt {jwt} end"), &jwt, &["jwt [redacted:jwt] end"]);
    let hook = made("T{u9}/B{u9}/{a24}");
    goes(
        &format!("https://hooks.slack.com/services/{hook}"),
        &hook,
        &["https://hooks.slack.com/services/[redacted:slack-webhook]"],
    );
}

#[test]
fn private_keys_go_whole_cut_off_coloured_escaped_and_in_diffs() {
    let line = made("{b64}");
    let begin = ["-----BEGIN RSA PRIVATE", " KEY-----"].concat();
    let end = ["-----END RSA PRIVATE", " KEY-----"].concat();
    let pgp = ["-----BEGIN PGP PRIVATE", " KEY BLOCK-----"].concat();
    for key in [
        format!("{begin}\n{line}\n{line}\n{end}\nafter"),
        format!("{begin}\n{line}\n{line}\n"),
        format!("{begin}\\n{line}\\n{line}\\n{end}"),
        format!("+{begin}\n+{line}\n+{line}\n+{end}\n"),
        format!("   1\t{begin}\n   2\t{line}\n   3\t{line}\n"),
        format!("\u{1b}[31m{begin}\u{1b}[0m\n\u{1b}[31m{line}\u{1b}[0m\n\u{1b}[31m{line}\u{1b}[0m\n"),
        format!("{pgp}\nVersion: 1\n\n{line}\n{line}\n"),
        format!("{{\"key\":\"{begin}\\n{line}\\n"),
    ] {
        goes(&key, &line, &["BEGIN", "[redacted:private-key]"]);
    }
    let after = text(&format!("{begin}\n{line}\n{end}\nafter the key"));
    assert!(after.ends_with("after the key"), "{after}");
}

#[test]
fn json_in_text_and_in_strings_in_text_goes() {
    goes(r#"{"db_password":"hunter2x"}"#, "hunter2x", &[r#"{"db_password":"#]);
    goes(r#"{"db_password": 123456}"#, "123456", &[r#"{"db_password": "#]);
    goes(r#"{"body":"{\"db_password\":\"hunter2x\"}"}"#, "hunter2x", &[r#"\"db_password\":\""#]);
}

#[test]
fn files_with_credentials_go() {
    goes("machine h login u password p9w8", "p9w8", &["machine h login u password "]);
    goes("db:5432:app:me:p9w8x", "p9w8x", &["db:5432:app:me:"]);
    goes("//registry.npmjs.org/:_authToken=q8Lw2nRt5xYb7kPd9", "q8Lw2nRt5", &["_authToken="]);
    goes("{\"auths\":{\"r\":{\"auth\":\"dXNlcjpwYXNzd29yZDEyMw==\"}}}", "dXNlcjpw", &["\"auth\":\""]);
    goes("Server=h;User Id=sa;Password=p9;w=1", "p9", &["User Id=sa;Password="]);
    let hash = made("{f22}{f31}");
    goes(&format!("me:$2y$10${hash}"), &hash, &["me:"]);
}

#[test]
fn a_plain_word_is_a_password_in_a_settings_file() {
    goes("db:\n  user: app\n  password: postgres\n  port: 5432\n", "postgres", &["password: ", "port: 5432"]);
    goes("- password: swordfish  # local\n", "swordfish", &["- password: ", "  # local"]);
    goes("+  password: swordfish\n", "swordfish", &["+  password: "]);
    goes("DB_PASSWORD=postgres", "postgres", &["DB_PASSWORD="]);
    goes("password: hunter2", "hunter2", &["password: "]);
}

#[test]
fn a_hash_of_a_directory_goes_and_its_scheme_stays() {
    let hash = made("{a38}");
    goes(&format!("userPassword: {{SSHA}}{hash}=="), &hash, &["userPassword: {SSHA}"]);
}

#[test]
fn what_follows_a_marker_is_not_covered_by_it() {
    goes("password=[redacted:password]hunter2 x", "hunter2", &["password=", " x"]);
    goes("password=\"[REDACTED]hunter2\"", "hunter2", &["password=\""]);
    goes("password={secret9horse x", "secret9horse", &["password="]);
    goes("password=***hunter2horse", "hunter2", &["password="]);
}

#[test]
fn a_provider_a_secret_word_and_a_token_of_its_shape_may_stand_apart() {
    let upper = made("{u20}");
    goes(&format!("eventbrite private access key\n{upper}"), &upper, &["eventbrite private access key\n"]);
    let token = made("{a32}");
    goes(&format!("chartmogul {token}"), &token, &["chartmogul "]);
    goes(&format!("token: algoliaACCESS\n  key: {token}\n"), &token, &["algoliaACCESS\n  key: "]);
    let hex = made("{h32}");
    goes(&format!("infuraKEYwithspecial-{hex}"), &hex, &["infuraKEYwithspecial-"]);
}

#[test]
fn quoted_parts_of_a_user_and_password_go() {
    goes("curl --user \"{a-b}\":\"{Zq8vLw2nRt5xYb7k}\" https://h", "Zq8vLw2n", &["--user \"{a-b}\":\"", "https://h"]);
}

#[test]
fn an_arn_loses_its_account_and_keeps_its_resource() {
    goes("arn:aws:iam::111122223333:role/deploy", "111122223333", &["arn:aws:iam::", ":role/deploy"]);
}
