//! The index on real directories over real journals, through its public face only.

mod alike;
mod cache;
mod damage;
mod filters;
mod queries;
mod support;
