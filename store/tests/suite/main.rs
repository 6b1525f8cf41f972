//! Tests of the crate through its public items, one file a subject.

mod access;
mod agent;
mod agent_hostile;
mod archive;
mod cases;
mod codec;
mod corpus;
mod corpus_check;
mod corpus_sessions;
mod generated;
mod hostile_folders;
mod import;
mod import_damage;
mod import_forms;
mod import_own;
mod import_traps;
mod log;
mod log_faults;
mod prompt;
mod replay;
mod rules;
mod seed_documents;
mod session;
mod source;
mod tidy;
mod way_out;
