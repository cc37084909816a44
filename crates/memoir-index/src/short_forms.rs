//! Short forms of words that developers write either way. Whoever asks for one means the other too.

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Each line is one word, short and long.
const FORMS: &str = "
auth authentication authenticate
config configuration configure
repo repository
db database
env environment
docs documentation
deps dependency
perf performance
impl implementation
k8s kubernetes
admin administrator
params parameter
args argument
lib library
dir directory
pkg package
cmd command
ctx context
msg message
async asynchronous
creds credential
specs specification
stats statistics
pg postgres postgresql
i18n internationalization
l10n localization
a11y accessibility
";

/// The stems of each form, by any stem among them.
static FORMS_BY_STEM: LazyLock<FxHashMap<String, Vec<String>>> = LazyLock::new(|| {
    let stemmer = Stemmer::create(Algorithm::English);
    let mut by_stem: FxHashMap<String, Vec<String>> = FxHashMap::default();
    for line in FORMS.lines().filter(|line| !line.is_empty()) {
        let mut stems: Vec<String> = line.split(' ').map(|form| stem_of(&stemmer, form)).collect();
        stems.dedup();
        for stem in &stems {
            by_stem.insert(stem.clone(), stems.iter().filter(|other| *other != stem).cloned().collect());
        }
    }
    by_stem
});

fn stem_of(stemmer: &Stemmer, word: &str) -> String {
    if word.chars().all(char::is_alphabetic) { stemmer.stem(word).into_owned() } else { word.to_owned() }
}

/// The stems of the other forms of a word, which has those stems itself.
pub(crate) fn short_and_long(term: &str, stems: &[String]) -> Vec<String> {
    let known = |stem: &str| FORMS_BY_STEM.get(stem);
    let forms = known(term).or_else(|| stems.iter().find_map(|stem| known(stem)));
    forms.cloned().unwrap_or_default()
}
