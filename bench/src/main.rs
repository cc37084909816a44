//! Benchmarks: each figure is printed with its peer or its limit beside it.
fn main() {}
