//! Gets events into a journal: here or on a server, with a spool for what cannot go there yet.
