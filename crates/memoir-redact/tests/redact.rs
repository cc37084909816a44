//! What redaction finds, what it leaves alone, and what always holds.

#[path = "redact/corpus.rs"]
mod corpus;
#[path = "redact/found.rs"]
mod found;
#[path = "redact/json.rs"]
mod json;
#[path = "redact/kept.rs"]
mod kept;
#[path = "redact/properties.rs"]
mod properties;
#[path = "redact/settings.rs"]
mod settings;

use memoir_redact::Redactor;

/// Redacts with the built-in rules.
fn text(s: &str) -> String {
    Redactor::builtin().text(s).into_owned()
}

#[test]
fn the_corpus_is_redacted_with_few_misses_and_few_false_alarms() {
    let positives = corpus::positives(7);
    let negatives = corpus::negatives(11, positives.len());
    let missed: Vec<&(String, String)> =
        positives.iter().filter(|(t, secret)| text(t).contains(secret.as_str())).collect();
    let alarms: Vec<&String> = negatives.iter().filter(|t| text(t) != **t).collect();
    for (t, _) in missed.iter().take(40) {
        eprintln!("missed {t:?}");
    }
    for t in alarms.iter().take(40) {
        eprintln!("alarm {t:?} -> {:?}", text(t));
    }
    eprintln!("missed {} of {}, alarms {} of {}", missed.len(), positives.len(), alarms.len(), negatives.len());
    assert!(missed.len() * 100 <= positives.len() * 3, "recall is below 97 %");
    assert!(alarms.len() * 100 <= negatives.len() * 3, "false alarms are above 3 %");
}
