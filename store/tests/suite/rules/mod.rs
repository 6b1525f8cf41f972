//! The engine's rules: what wishes lead to, and who may do what.

mod access;
mod blocks;
mod conditions;
mod declared;
mod examples;
mod generations;
mod input;
mod laws;
mod skills;
mod tools;
pub(crate) mod world;
