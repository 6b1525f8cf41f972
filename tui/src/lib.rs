//! The replay debugger's terminal screens.
//!
//! [`App`] is all that the screens show, [`update`] is the one function that changes it, [`draw`] paints it. [`run`]
//! joins them to a terminal.
//!
//! ```text
//! terminal                          keys, signals, the terminal's modes
//! update  picker  listing  key  keymap  command  complete  action  scan  stop
//!                                   wishes and what they do
//! view                             what is painted
//! content  prompt  label           what stands in each panel
//! search  filter  index  reading  findings
//!                                  the events that are wanted, what looks wrong
//! subject  copy  export            what a row is about, what is copied, a panel as a file
//! app  sessions  live  panel  overview  breakpoint  marks
//!                                   what there is to show, and where
//! typing  clock                    typed lines, and moments in them
//! document  fold  json_path  sheet  rows  line  theme
//!                                   long texts, answers, rows, tones
//! ```

pub mod action;
pub mod app;
pub mod breakpoint;
pub mod clock;
pub mod command;
pub mod copy;
pub mod document;
pub mod export;
pub mod filter;
pub mod findings;
pub mod fold;
pub mod index;
pub mod key;
pub mod keymap;
pub mod line;
pub mod listing;
pub mod live;
pub mod marks;
pub mod overview;
pub mod panel;
pub mod picker;
pub mod prompt;
pub mod reading;
pub mod rows;
pub mod scan;
pub mod search;
pub mod sessions;
pub mod sheet;
pub mod stop;
pub mod theme;
pub mod typing;

mod complete;
mod content;
mod json_path;
mod label;
mod subject;
mod terminal;
mod update;
mod view;

pub use action::Action;
pub use app::App;
pub use terminal::{Background, Clipboard, Error, Kept, Mouse, Options, Sessions, columns, run};
pub use theme::Theme;
pub use update::{leave, open, resume, tell, update};
pub use view::draw;
