//! Looks a plan up in one commit of the index. Filters come before the cut: only what is selected takes a place.

use crate::plan::{Any, Leaf, Plan};
use crate::rank::{Ranked, Top};
use crate::schema::Fields;
use crate::snapshot::{Columns, Snapshot};
use crate::stats::Figures;
use memoir_journal::Seq;
use std::ops::Bound;
use tantivy::fastfield::AliveBitSet;
use tantivy::query::{
    AllQuery, BooleanQuery, ConstScoreQuery, DisjunctionMaxQuery, EnableScoring, Occur, PhrasePrefixQuery, PhraseQuery,
    Query, RangeQuery, TermQuery, TermSetQuery,
};
use tantivy::schema::IndexRecordOption;
use tantivy::{BitSet, DocId, SegmentReader, Term};

/// Beginnings that stand for more terms than this are looked up by these only.
const EXPANSIONS_MAX: u32 = 4096;
/// Up to so many origins can be looked up as terms.
const ORIGIN_TERMS_MAX: usize = 1024;
/// Origins with less than this part of all documents are looked up as terms; others are sifted.
const ORIGIN_SHARE: u64 = 32;

/// Offers every selected match to `top`; `replaced` are events whose documents are out of date, sorted.
pub(crate) fn look_up(
    snapshot: &Snapshot,
    plan: &Plan,
    figures: &Figures<'_>,
    replaced: &[Seq],
    top: &mut Top,
) -> tantivy::Result<()> {
    let query = query(snapshot, plan)?;
    let scoring = EnableScoring::enabled_from_statistics_provider(figures, &snapshot.searcher);
    let weight = query.weight(scoring)?;
    for (reader, columns) in snapshot.searcher.segment_readers().iter().zip(&snapshot.columns) {
        let sieve = Sieve { plan, columns, replaced, alive: reader.alive_bitset(), out: out(snapshot, plan, reader)? };
        weight.for_each_pruning(top.threshold(), reader, &mut |doc, score| {
            if sieve.admits(doc) {
                top.push(Ranked { score, ts_ms: columns.ts_ms(doc), seq: columns.seq(doc) });
            }
            top.threshold()
        })?;
    }
    Ok(())
}

/// Decides by the numbers of a document whether it is selected.
struct Sieve<'a> {
    plan: &'a Plan,
    columns: &'a Columns,
    replaced: &'a [Seq],
    alive: Option<&'a AliveBitSet>,
    out: Option<BitSet>,
}

impl Sieve<'_> {
    fn admits(&self, doc: DocId) -> bool {
        if self.alive.is_some_and(|alive| alive.is_deleted(doc))
            || self.out.as_ref().is_some_and(|out| out.contains(doc))
        {
            return false;
        }
        let (selection, columns) = (&self.plan.selection, self.columns);
        if selection.access_mask >> (columns.access(doc) & 15) & 1 == 0 {
            return false;
        }
        if selection.from_ms.is_some() || selection.to_ms.is_some() {
            let ts_ms = columns.ts_ms(doc);
            if selection.from_ms.is_some_and(|from| ts_ms < from) || selection.to_ms.is_some_and(|to| ts_ms > to) {
                return false;
            }
        }
        let passes = |only: Option<&Vec<u32>>, not: &[u32], number: &dyn Fn() -> u32| {
            if only.is_none() && not.is_empty() {
                return true;
            }
            let number = number();
            only.is_none_or(|only| only.binary_search(&number).is_ok()) && not.binary_search(&number).is_err()
        };
        if !passes(selection.shapes.as_ref(), &self.plan.not_shapes, &|| columns.shape(doc))
            || !passes(selection.origins.as_ref(), &self.plan.not_origins, &|| columns.origin(doc))
        {
            return false;
        }
        if selection.hidden.is_empty() && self.replaced.is_empty() {
            return true;
        }
        let seq = columns.seq(doc);
        selection.hidden.binary_search(&seq).is_err() && self.replaced.binary_search(&seq).is_err()
    }
}

/// The documents of a segment that the plan excludes.
///
/// Tantivy's own exclusion steps back inside a phrase, which its phrases cannot do; and a union without exclusions is
/// one that can skip.
fn out(snapshot: &Snapshot, plan: &Plan, reader: &SegmentReader) -> tantivy::Result<Option<BitSet>> {
    if plan.not.is_empty() && plan.not_labels.is_empty() {
        return Ok(None);
    }
    let mut out = BitSet::with_max_value(reader.max_doc());
    let mut queries: Vec<Box<dyn Query>> = plan.not.iter().map(|any| any_of(&snapshot.fields, any)).collect();
    if !plan.not_labels.is_empty() {
        queries.push(labels(&snapshot.fields, &plan.not_labels));
    }
    for query in queries {
        let weight = query.weight(EnableScoring::disabled_from_searcher(&snapshot.searcher))?;
        weight.for_each_no_score(reader, &mut |docs| {
            for doc in docs {
                out.insert(*doc);
            }
        })?;
    }
    Ok(Some(out))
}

fn query(snapshot: &Snapshot, plan: &Plan) -> tantivy::Result<Box<dyn Query>> {
    let fields = &snapshot.fields;
    let mut filters: Vec<(Occur, Box<dyn Query>)> = Vec::new();
    for group in &plan.labels {
        filters.push((Occur::Must, unscored(labels(fields, group))));
    }
    if let Some(origins) = origin_terms(snapshot, plan)? {
        filters.push((Occur::Must, unscored(Box::new(TermSetQuery::new(origins)))));
    }

    let mut text: Vec<(Occur, Box<dyn Query>)> = Vec::new();
    text.extend(plan.must.iter().map(|any| (Occur::Must, any_of(fields, any))));
    text.extend(plan.may.iter().map(|any| (Occur::Should, any_of(fields, any))));
    if text.is_empty() {
        filters.push((Occur::Must, unscored(Box::new(AllQuery))));
        return Ok(Box::new(BooleanQuery::new(filters)));
    }
    // Only a plain union of terms can skip what cannot get in: keep it plain where possible.
    if filters.is_empty() {
        return Ok(Box::new(BooleanQuery::new(text)));
    }
    filters.push((Occur::Must, Box::new(BooleanQuery::new(text))));
    Ok(Box::new(BooleanQuery::new(filters)))
}

fn unscored(query: Box<dyn Query>) -> Box<dyn Query> {
    Box::new(ConstScoreQuery::new(query, 0.0))
}

fn labels(fields: &Fields, labels: &[String]) -> Box<dyn Query> {
    Box::new(TermSetQuery::new(labels.iter().map(|label| Term::from_field_text(fields.label, label))))
}

/// The selected origins as terms, if they are few and rare.
fn origin_terms(snapshot: &Snapshot, plan: &Plan) -> tantivy::Result<Option<Vec<Term>>> {
    let Some(origins) = plan.selection.origins.as_ref().filter(|origins| origins.len() <= ORIGIN_TERMS_MAX) else {
        return Ok(None);
    };
    let limit = snapshot.searcher.num_docs() / ORIGIN_SHARE;
    let mut docs = 0;
    let mut terms = Vec::with_capacity(origins.len());
    for origin in origins {
        let term = Term::from_field_u64(snapshot.fields.origin, u64::from(*origin));
        docs += snapshot.searcher.doc_freq(&term)?;
        if docs > limit {
            return Ok(None);
        }
        terms.push(term);
    }
    Ok(Some(terms))
}

fn any_of(fields: &Fields, any: &Any) -> Box<dyn Query> {
    let mut queries: Vec<Box<dyn Query>> = any.iter().map(|leaf| leaf_query(fields, leaf)).collect();
    match queries.pop() {
        Some(only) if queries.is_empty() => only,
        Some(last) => {
            queries.push(last);
            Box::new(DisjunctionMaxQuery::new(queries))
        }
        None => Box::new(tantivy::query::EmptyQuery),
    }
}

fn leaf_query(fields: &Fields, leaf: &Leaf) -> Box<dyn Query> {
    let term = |text: &str| Term::from_field_text(fields.body, text);
    let placed = |terms: &[(u32, String)]| terms.iter().map(|(at, text)| (*at as usize, term(text))).collect();
    match leaf {
        Leaf::Term(text) => Box::new(TermQuery::new(term(text), IndexRecordOption::WithFreqs)),
        Leaf::Phrase(terms) => Box::new(PhraseQuery::new_with_offset(placed(terms))),
        Leaf::Prefix(text) => {
            let mut end = text.clone();
            // Above every character that can follow.
            end.push(char::MAX);
            Box::new(ConstScoreQuery::new(
                Box::new(RangeQuery::new(Bound::Included(term(text)), Bound::Included(term(&end)))),
                1.0,
            ))
        }
        Leaf::PhrasePrefix(terms) => {
            let mut query = PhrasePrefixQuery::new_with_offset(placed(terms));
            query.set_max_expansions(EXPANSIONS_MAX);
            Box::new(ConstScoreQuery::new(Box::new(query), 1.0))
        }
    }
}
