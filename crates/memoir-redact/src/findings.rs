//! What a redaction found: rule names and how often.

use std::collections::BTreeMap;

/// How often each rule replaced something.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    counts: BTreeMap<String, u64>,
}

impl Findings {
    pub(crate) fn add(&mut self, rule: &str) {
        if let Some(count) = self.counts.get_mut(rule) {
            *count += 1;
        } else {
            self.counts.insert(rule.to_owned(), 1);
        }
    }

    /// The rules that found something and how often, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.counts.iter().map(|(name, &count)| (name.as_str(), count))
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Findings) {
        for (name, count) in &other.counts {
            *self.counts.entry(name.clone()).or_default() += count;
        }
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// How much was found in all.
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }
}

impl<'f> IntoIterator for &'f Findings {
    type Item = (&'f str, u64);
    type IntoIter = Box<dyn Iterator<Item = (&'f str, u64)> + 'f>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}
