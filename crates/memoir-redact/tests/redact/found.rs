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
    for pattern in ["ghp_{a36}", "npm_{a36}", "hf_{a34}", "AKIA{r16}", "ASIA{r16}", "AIzaSy{a33}", "glpat-{a20}"] {
        let token = made(pattern);
        for before in
            ["-", "+", "_", ".", "/", ":", "@", "#", "s-", "x_", "backup.", "a/", "=", "run", "7", "sess-", "turn-"]
        {
            goes(&format!("{before}{token}"), &token, &[before]);
            goes(&format!("see {before}{token} there"), &token, &[before, " there"]);
        }
        goes(&format!("backup-{token}.txt"), &token, &["backup-", ".txt"]);
        goes(&format!("rm cache_{token}.json"), &token, &["rm cache_", ".json"]);
    }
}

#[test]
fn a_token_in_a_diff_a_list_or_a_quotation_is_found() {
    for pattern in ["AKIA{r16}", "sk-{a48}", "key-{a32}", "LTAI{a20}", "hf_{a34}", "SK{h32}", "dapi{h32}"] {
        let token = made(pattern);
        for lead in ["-", "+", "- ", "> ", "# ", "  * ", "-\t", "| ", "--- "] {
            goes(&format!("@@ -1 +1 @@\n{lead}{token}\n"), &token, &[&format!("\n{lead}[redacted:")]);
        }
    }
}

#[test]
fn a_key_of_google_need_not_start_like_most_of_them() {
    let key = made("AIza{a35}");
    goes(&format!("it is {key} now"), &key, &["it is [redacted:google-key] now"]);
}

#[test]
fn a_live_key_is_named_after_stripe_like_a_test_key() {
    for pattern in ["sk_live_{a24}", "sk_live_{a50}", "sk_live_{h40}", "sk_test_{a24}", "rk_live_{a24}"] {
        let key = made(pattern);
        goes(&format!("it is {key} now"), &key, &["it is [redacted:stripe-key] now"]);
    }
}

#[test]
fn passwords_in_sql_go() {
    let word = made("{a12}");
    for before in [
        "CREATE USER 'app'@'%' IDENTIFIED BY '",
        "create user app identified by '",
        "ALTER USER app IDENTIFIED WITH caching_sha2_password BY '",
        "GRANT ALL ON *.* TO 'app'@'%' IDENTIFIED BY PASSWORD '",
        "CREATE USER app PASSWORD '",
        "ALTER ROLE app WITH PASSWORD '",
        "ALTER ROLE app WITH LOGIN ENCRYPTED PASSWORD '",
    ] {
        goes(&format!("{before}{word}';"), &word, &[before, "';"]);
    }
    goes(&format!("ALTER USER app IDENTIFIED BY {word};"), &word, &["IDENTIFIED BY ", ";"]);
}

#[test]
fn passwords_of_openssl_and_htpasswd_go() {
    let word = made("{a12}");
    goes(&format!("openssl rsa -passin pass:{word} -out k"), &word, &["-passin pass:", " -out k"]);
    goes(&format!("openssl req -passout 'pass:a {word}' -x"), &word, &["-passout 'pass:", "' -x"]);
    goes(&format!("[\"openssl\",\"-passin\",\"pass:{word}\"]"), &word, &["\"-passin\",\"pass:"]);
    goes(&format!("htpasswd -b /etc/users me {word}"), &word, &["htpasswd -b /etc/users me "]);
    goes(&format!("htpasswd -cbB -C 10 users me '{word}' && x"), &word, &["-C 10 users me '", "' && x"]);
    goes(&format!("htpasswd -nb me {word}"), &word, &["htpasswd -nb me "]);
}

#[test]
fn passwords_named_in_other_languages_go() {
    let word = made("{L4}{d2}{U4}");
    for before in [
        "パスワード：",
        "パスワードは",
        "密码: ",
        "初始密码是",
        "密碼：",
        "비밀번호: ",
        "contraseña: ",
        "Contraseña = ",
        "contrasena=",
        "Mot de passe : ",
        "Passwort: ",
        "Kennwort: ",
        "senha: ",
        "Пароль: ",
        "пароль=",
        "wachtwoord: ",
        "lösenord: ",
        "**Senha**: `",
        "\"senha\": \"",
    ] {
        goes(&format!("{before}{word}"), &word, &[before]);
        goes(&format!("a\n  {before}{word}。\nb"), &word, &[before, "\nb"]);
    }
}

#[test]
fn a_secret_of_a_cluster_keeps_the_names_of_its_parts() {
    for value in [made("{a8}"), made("{a12}9"), made("{a32}")] {
        assert_eq!(
            text(&format!("kubectl create secret generic db --from-literal=password={value} -n x")),
            "kubectl create secret generic db --from-literal=password=[redacted:password] -n x"
        );
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
