//! Matches a plan against the tokens of one text: what the index does with postings, done by hand.

use crate::plan::{Any, Leaf, Plan};
use crate::token::Tokens;
use std::collections::HashMap;

/// A plan, compiled for matching many texts.
pub(crate) struct Matcher<'p> {
    plan: &'p Plan,
    exact: HashMap<&'p str, usize>,
    begins: Vec<(&'p str, usize)>,
    /// Whether any term begins with that byte: most tokens are passed over by it.
    first_bytes: [bool; 256],
    slots: usize,
}

/// Where the terms of a plan are in one text.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// For each term, its positions and the tokens there.
    slots: Vec<Vec<(u32, usize)>>,
}

impl<'p> Matcher<'p> {
    pub fn new(plan: &'p Plan) -> Matcher<'p> {
        let mut matcher =
            Matcher { plan, exact: HashMap::new(), begins: Vec::new(), first_bytes: [false; 256], slots: 0 };
        for leaf in plan.leaves() {
            match leaf {
                Leaf::Term(text) => matcher.add_exact(text),
                Leaf::Prefix(text) => matcher.add_begin(text),
                Leaf::Phrase(terms) => terms.iter().for_each(|(_, text)| matcher.add_exact(text)),
                Leaf::PhrasePrefix(terms) => {
                    if let Some(((_, last), others)) = terms.split_last() {
                        others.iter().for_each(|(_, text)| matcher.add_exact(text));
                        matcher.add_begin(last);
                    }
                }
            }
        }
        matcher
    }

    fn add_exact(&mut self, text: &'p str) {
        if !self.exact.contains_key(text) {
            self.exact.insert(text, self.slots);
            self.add_slot(text);
        }
    }

    fn add_begin(&mut self, text: &'p str) {
        if !self.begins.iter().any(|(known, _)| *known == text) {
            self.begins.push((text, self.slots));
            self.add_slot(text);
        }
    }

    fn add_slot(&mut self, text: &str) {
        self.slots += 1;
        if let Some(flag) = text.bytes().next().and_then(|byte| self.first_bytes.get_mut(usize::from(byte))) {
            *flag = true;
        }
    }

    /// Finds the plan's terms in a text.
    pub fn places(&self, tokens: &Tokens, places: &mut Places) {
        places.slots.iter_mut().for_each(Vec::clear);
        places.slots.resize(self.slots, Vec::new());
        for (at, (term, token)) in tokens.iter().enumerate() {
            let first = term.bytes().next().unwrap_or_default();
            if !self.first_bytes.get(usize::from(first)).copied().unwrap_or(false) {
                continue;
            }
            let exact = self.exact.get(term).copied();
            let begun = self.begins.iter().filter(|(begin, _)| term.starts_with(begin)).map(|(_, slot)| *slot);
            for slot in exact.into_iter().chain(begun) {
                if let Some(list) = places.slots.get_mut(slot) {
                    list.push((token.position, at));
                }
            }
        }
    }

    /// The exact terms, and whether the text has them.
    pub fn exact_terms<'a>(&'a self, places: &'a Places) -> impl Iterator<Item = (&'p str, bool)> + 'a {
        self.exact.iter().map(|(text, slot)| (*text, !places.of(*slot).is_empty()))
    }

    /// Whether the words of the plan allow the text.
    pub fn matches(&self, places: &Places) -> bool {
        let has = |any: &Any| any.iter().any(|leaf| self.count(leaf, places) > 0);
        self.plan.must.iter().all(has)
            && !self.plan.not.iter().any(has)
            && (!self.plan.must.is_empty() || self.plan.may.is_empty() || self.plan.may.iter().any(has))
    }

    /// How often the text has the leaf.
    pub fn count(&self, leaf: &Leaf, places: &Places) -> u32 {
        let mut count = 0;
        self.each(leaf, places, &mut |_| count += 1);
        count
    }

    /// Hands out the tokens of each occurrence of the leaf.
    pub fn each(&self, leaf: &Leaf, places: &Places, found: &mut dyn FnMut(&[usize])) {
        match leaf {
            Leaf::Term(text) => self.exact_slot(text, places).iter().for_each(|(_, at)| found(&[*at])),
            Leaf::Prefix(text) => self.begin_slot(text, places).iter().for_each(|(_, at)| found(&[*at])),
            Leaf::Phrase(terms) => {
                let slots: Vec<_> = terms.iter().map(|(at, text)| (*at, self.exact_slot(text, places))).collect();
                each_in_row(&slots, found);
            }
            Leaf::PhrasePrefix(terms) => {
                let Some(((last_at, last), others)) = terms.split_last() else { return };
                let mut slots: Vec<_> = others.iter().map(|(at, text)| (*at, self.exact_slot(text, places))).collect();
                slots.push((*last_at, self.begin_slot(last, places)));
                each_in_row(&slots, found);
            }
        }
    }

    fn exact_slot<'a>(&self, text: &str, places: &'a Places) -> &'a [(u32, usize)] {
        self.exact.get(text).map_or(&[], |slot| places.of(*slot))
    }

    fn begin_slot<'a>(&self, text: &str, places: &'a Places) -> &'a [(u32, usize)] {
        self.begins.iter().find(|(begin, _)| *begin == text).map_or(&[], |(_, slot)| places.of(*slot))
    }
}

impl Places {
    fn of(&self, slot: usize) -> &[(u32, usize)] {
        self.slots.get(slot).map_or(&[], Vec::as_slice)
    }
}

/// Finds the terms at their distances from each other.
fn each_in_row(slots: &[(u32, &[(u32, usize)])], found: &mut dyn FnMut(&[usize])) {
    let Some(((first_at, first), others)) = slots.split_first() else { return };
    let mut row = Vec::with_capacity(slots.len());
    for (position, token) in *first {
        row.clear();
        row.push(*token);
        for (at, places) in others {
            let wanted = position + (at - first_at);
            match places.binary_search_by_key(&wanted, |(position, _)| *position) {
                Ok(found) => row.extend(places.get(found).map(|(_, token)| *token)),
                Err(_) => break,
            }
        }
        if row.len() == slots.len() {
            found(&row);
        }
    }
}
