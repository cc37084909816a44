//! Full text over the journal: lazily caught up, disposable.
