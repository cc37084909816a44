//! The HTTP server over a journal: thin handlers only.
