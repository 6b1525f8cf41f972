//! `replay export`: sessions as JSON Lines or JSON, from which the same sessions can be made again.

use std::sync::Arc;

use clap::ValueEnum;
use replay_store::import::{Recording, jsonl};

use crate::arguments::Global;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::open;
use crate::output::Output;

/// What `export` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Our own JSON Lines, which `import` reads back without loss.
    Jsonl,
    /// The same lines as one JSON array, which `import` reads back, too.
    Json,
    /// A page to be read, as Markdown; values of pii entries are hidden.
    Md,
    /// The same page as one HTML file without scripts.
    Html,
}

/// Writes recordings. An agent folder that is named goes with them.
pub(crate) fn export(
    recordings: Vec<Recording>,
    format: Format,
    global: &Global,
    out: &mut Output<'_>,
) -> Result<Exit, Failure> {
    let definition = open::definition(global)?.map(Arc::unwrap_or_clone);
    if let Some(problem) = recordings.iter().find_map(|recording| recording.raw.problem()) {
        return Err(Failure::RawRecords(problem.to_owned()));
    }
    let recordings = recordings.into_iter().map(|mut recording| {
        recording.definition = definition.clone().or(recording.definition);
        recording.profile = global.profile.or(recording.profile);
        recording
    });
    match format {
        Format::Jsonl | Format::Md | Format::Html => {
            for recording in recordings {
                jsonl::write(&recording, out.writer)?;
            }
        }
        Format::Json => {
            let mut lead: &[u8] = b"[\n";
            for recording in recordings {
                let mut lines = Vec::new();
                jsonl::write(&recording, &mut lines)?;
                for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                    out.writer.write_all(lead)?;
                    out.writer.write_all(line)?;
                    lead = b",\n";
                }
            }
            out.writer.write_all(b"\n]\n")?;
        }
    }
    Ok(Exit::Fine)
}
