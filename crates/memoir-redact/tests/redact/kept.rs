//! What others mangled stays as it is.

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
