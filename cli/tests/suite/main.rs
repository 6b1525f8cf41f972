//! Tests of the built program, one file a subject.

mod answers;
mod broken;
mod check;
mod clocks;
mod config;
mod corpus;
mod damaged;
mod exits;
mod following;
mod full;
mod live;
mod manual;
mod pages;
mod permission;
mod program;
mod questions;
mod readme;
mod recording;
mod resume;
mod retried;
mod round_trip;
mod salvage;
mod sarif;
mod schemas;
mod terminal;
mod why;
