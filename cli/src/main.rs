//! The program `replay`: reads arguments, prints, exits.

fn main() {}
