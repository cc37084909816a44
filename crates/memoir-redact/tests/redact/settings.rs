//! The user's own rules and the allow list.

use memoir_redact::{CustomRule, Redactor, RuleError, Settings};

fn rule(name: &str, pattern: &str) -> CustomRule {
    CustomRule { name: name.into(), pattern: pattern.into() }
}

#[test]
fn a_custom_rule_replaces_its_group_or_all_of_its_match() {
    let settings = Settings {
        rules: vec![
            rule("ticket", r"TICKET-\d{6}"),
            rule("badge", r"badge (?<secret>\d+) of"),
            rule("desk", r"desk (\d+)"),
        ],
        allow: Vec::new(),
    };
    let redactor = Redactor::new(&settings).unwrap();
    assert_eq!(
        redactor.text("TICKET-123456, badge 77 of desk 12"),
        "[redacted:ticket], badge [redacted:badge] of desk [redacted:desk]"
    );
    assert_eq!(redactor.json(r#"{"a":"TICKET-123456"}"#), r#"{"a":"[redacted:ticket]"}"#);
}

#[test]
fn what_the_allow_list_matches_in_full_is_kept() {
    let settings = Settings { rules: Vec::new(), allow: vec!["hunter[0-9]".into()] };
    let redactor = Redactor::new(&settings).unwrap();
    assert_eq!(redactor.text("password=hunter2"), "password=hunter2");
    assert_eq!(redactor.text("password=hunter22"), "password=[redacted:password]");
    assert_eq!(redactor.json(r#"{"password":"hunter2"}"#), r#"{"password":"hunter2"}"#);
}

#[test]
fn what_is_part_of_a_word_that_the_allow_list_matches_in_full_is_kept() {
    let settings = Settings { rules: Vec::new(), allow: vec!["arn:.*".into()] };
    let redactor = Redactor::new(&settings).unwrap();
    let arn = "arn:aws:iam::111122223333:role/deploy";
    for kept in [arn.to_owned(), format!("see {arn} and"), format!("é「 {arn}\n"), format!("Resource: \"{arn}\",")] {
        assert_eq!(redactor.text(&kept), kept);
        let json = format!(r#"{{"a":"{}"}}"#, kept.replace('"', "\\\"").replace('\n', "\\n"));
        assert_eq!(redactor.json(&json), json);
    }
    assert!(redactor.text(&format!("x={arn}")).contains("[redacted:aws-account]"));
    assert_eq!(redactor.text("arn: password=hunter2"), "arn: password=[redacted:password]");
}

#[test]
fn a_rule_that_cannot_be_used_is_named() {
    let with = |r| Redactor::new(&Settings { rules: vec![r], allow: Vec::new() }).unwrap_err();
    let error = with(rule("broken", "("));
    assert!(matches!(error, RuleError::Pattern { .. }) && error.to_string().contains("broken"));
    assert!(matches!(with(rule("Bad Name", "x")), RuleError::Name { .. }));
    assert!(matches!(with(rule("empty", "x*")), RuleError::Empty { .. }));
    let error = Redactor::new(&Settings { rules: Vec::new(), allow: vec!["[".into()] }).unwrap_err();
    assert!(error.to_string().contains("allow pattern 1"));
}

#[test]
fn a_custom_rule_never_eats_a_marker() {
    let settings = Settings { rules: vec![rule("word", "[a-z]+")], allow: Vec::new() };
    let redactor = Redactor::new(&settings).unwrap();
    let once = redactor.text("one two").into_owned();
    assert_eq!(once, "[redacted:word] [redacted:word]");
    assert_eq!(redactor.text(&once), once);
}
