//! What others mangled stays as it is.

use crate::corpus::{Random, token};
use crate::text;

#[track_caller]
fn stays(s: &str) {
    assert_eq!(text(s), s);
}

#[test]
fn ordinary_words_are_not_credentials() {
    stays("a basic understanding of");
    stays("basic authentication is used here; Basic understanding too");
    stays("bearer certificates and the bearer of bad news");
    stays("Cookie: chocolate chip");
    stays("The secret: keeping things simple");
    stays("risk-management");
    stays("sk-learn-contrib-package-list");
}

#[test]
fn code_stays_code() {
    stays("const token = getToken();");
    stays("token: string;");
    stays("password: required");
    stays("token: undefined");
    stays("let secret = process.env.SECRET");
    stays("type Token = Identifier");
    stays("password = os.environ[\"X\"]");
    stays("TOKEN_COUNT=12345");
    stays("fn f<'a>(token: &'a str, secret: Secret<'a>) -> Token<'a>");
}

#[test]
fn placeholders_and_templates_stay() {
    for value in ["${VAR}", "$VAR", "{{ template }}", "<your-token>", "xxxxxxxx", "********", "changeme"] {
        stays(&format!("password={value}"));
    }
}

#[test]
fn hashes_ids_and_images_stay() {
    let hex = "0123456789abcdef".repeat(4);
    stays(&format!("commit {}", &hex[..40]));
    stays(&format!("checksum = \"{hex}\""));
    stays("id 123e4567-e89b-12d3-a456-426614174000");
    stays(&format!("integrity sha512-{}==", "aB3x9Kq7Lw2nRt5xYb7kPd".repeat(4)));
    stays(&format!("data:image/png;base64,{}", "iVBORw0KGgoAAAANSUhEUgAA/+9k".repeat(20)));
}

#[test]
fn markers_of_ours_and_of_other_tools_stay() {
    for marker in ["[redacted:github-token]", "[REDACTED]", "<redacted>", "***"] {
        stays(&format!("password={marker}"));
        stays(&format!("\"password\": \"{marker}\""));
        stays(&format!("Authorization: Bearer {marker}"));
        stays(&format!("https://u:{marker}@host/"));
    }
}

#[test]
fn words_after_password_that_are_no_password_stay() {
    for line in [
        "password: required",
        "password: string",
        "password: String,",
        "password: undefined",
        "Password: the one you chose",
        "password: SecretString",
        "password: str",
        "password: userPassword",
        "password: incorrect",
    ] {
        stays(line);
        stays(&format!("  {line}\n"));
    }
    stays("const user = {\n  name: name,\n  password: hashed\n}");
    stays("User.create(\n  name: name,\n  password: given\n)");
}

#[test]
fn credentials_of_manuals_stay() {
    stays("curl -u test:test https://h");
    stays("curl --user \"username:password\" https://h");
    stays("postgres://user:password@localhost/db");
    stays("http://admin:admin@localhost:8080");
}

#[test]
fn what_was_cut_or_masked_before_stays() {
    stays("export API_TOKEN=q8Lw2nRt5xYb7kPd9Zc4...");
    stays("token: q8Lw2nRt5xYb7kPd9Zc4…");
    stays("\"token\": \"xoxp-572370529330-573807301142-572331691188-####################\"");
    stays("password=****1a2b");
}

#[test]
fn a_word_in_place_of_a_private_key_stays() {
    stays("-----BEGIN PRIVATE KEY-----\nanything\n-----END PRIVATE KEY-----");
}

#[test]
fn commits_beside_the_name_of_a_provider_stay() {
    let hash = "9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c";
    stays(&format!("parseur at commit {hash}"));
    stays(&format!("sentry {hash}"));
    stays(&format!("cloudflare api client, rev {hash}"));
}

#[test]
fn an_arn_without_an_account_stays() {
    stays("arn:aws:iam:::oidc-provider/localhost");
    stays("arn:aws:s3:::${bucket_name}");
}

#[test]
fn identifiers_with_a_short_form_in_them_stay() {
    stays("`CondenseSession` passes `state.TranscriptUUIDAtStart` and `state.TokenUsage` to algolia");
    stays("algolia key TranscriptUUIDAtStart");
}

#[test]
fn the_working_directory_is_no_password() {
    for line in [
        "PWD=/srv/app",
        "pwd=/x",
        "docker run -e PWD=/app -it x",
        "OLDPWD=/home/me/9f8e7d6c5b4a39281706f5e4d3c2b1a0x",
        "PWD=/home/me/q8Lw2nRt5xYb7kPd9Zc4",
        "OLD_PWD=/home/me",
        "pwd: /srv/app",
        "pwd = \"/srv/app\"",
        "PWD=~",
        "PWD=~/src",
        "pwd=C:\\Users\\me",
        "pwd=\"$(pwd)\"",
        "PWD=$(pwd)",
        "https://h.example/?pwd=/srv/app",
    ] {
        stays(line);
    }
    let json = r#"{"pwd":"/srv/app","PWD":"C:\\work","OLDPWD":"~/x"}"#;
    assert_eq!(memoir_redact::Redactor::builtin().json(json), json);
}

#[test]
fn a_prefix_that_turns_up_by_chance_in_base64_or_before_a_hash_stays() {
    let made = |pattern| token(pattern, &mut Random::new(5));
    let (blob, tail, hash) = (made("{a40}"), made("{a20}"), made("{h32}"));
    stays(&format!("integrity sha512-{blob}+LTAI{tail}=="));
    stays(&format!("integrity sha512-{blob}/LTAI{tail}=="));
    stays(&format!("\"{blob}LTAI{tail}\""));
    stays(&format!("h1:{blob}fm2_{}=", made("{a90}")));
    for name in ["cache-key-", "cache_key_", "task-", "my-api-", "Pubblico-", "video_box.ico-"] {
        stays(&format!("{name}{hash}"));
        stays(&format!("/assets/{name}{hash}.png"));
    }
    stays("GSSAPI-VIRHEKAPSELOINTIMERKKIJONO.");
}

#[test]
fn words_for_a_password_in_other_languages_are_no_passwords_themselves() {
    for line in [
        "senha: obrigatória",
        "senha: required",
        "パスワード: 必須",
        "パスワードは必須です",
        "密码: 请输入密码",
        "contraseña: nueva",
        "Mot de passe : oublié",
        "Пароль: неверный",
        "Kennwort: getPassword(x9)",
        "wachtwoord: ${WACHTWOORD}",
    ] {
        stays(line);
    }
}

#[test]
fn what_only_reads_like_sql_or_a_source_of_a_password_stays() {
    stays("the three spots identified by Copilot for the user role");
    stays("sessions are identified as \"orphaned\" here");
    stays("openssl rsa -passin env:KEY -passout file:/run/k -in a");
    stays("openssl rsa -passin pass:$KEY");
    stays("htpasswd -c /etc/users me");
}
