//! Takes secrets out of text and JSON. Pure: no I/O, no environment, no clock.
