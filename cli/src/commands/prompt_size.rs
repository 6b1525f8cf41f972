//! How large the parts of a prompt are, by estimate, in `replay prompt --json` and `--source`.

use replay_store::prompt::Prompt;
use replay_store::prompt::size::{CHARACTERS_A_TOKEN, PartSize, Size, of_messages, of_section, of_tools};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{Output, Tone};

/// How large the request is, by estimate, as JSON has it.
#[derive(Serialize)]
pub(super) struct SizeAnswer {
    characters: u64,
    estimated_tokens: u64,
    budget: u64,
    fit: &'static str,
    messages: PartSizeAnswer,
    tools: PartSizeAnswer,
}

/// How large a part of the request is, by estimate, as JSON has it.
#[derive(Serialize)]
pub(super) struct PartSizeAnswer {
    characters: u64,
    estimated_tokens: u64,
}

/// Returns the size of a request as JSON has it.
pub(super) fn size_answer(size: &Size, prompt: &Prompt) -> SizeAnswer {
    let Size { characters, estimated_tokens, budget, .. } = *size;
    let (messages, tools) = (part_size(of_messages(prompt)), part_size(of_tools(prompt)));
    SizeAnswer { characters, estimated_tokens, budget, fit: size.fit.word(), messages, tools }
}

/// Returns the size of a part as JSON has it.
pub(super) fn part_size(PartSize { characters, estimated_tokens }: PartSize) -> PartSizeAnswer {
    PartSizeAnswer { characters, estimated_tokens }
}

/// Writes how large each part is. Nobody but the model counts its tokens.
pub(super) fn sizes(prompt: &Prompt, out: &mut Output<'_>) -> Result<(), Failure> {
    let sections = prompt.sections.iter().map(|section| (section.name.word(), of_section(section)));
    let parts: Vec<(&str, PartSize)> =
        sections.chain([("messages", of_messages(prompt)), ("tools offered", of_tools(prompt))]).collect();
    out.text("")?;
    let head = format!("sizes, with tokens estimated at {CHARACTERS_A_TOKEN} characters each");
    out.line(&[(Tone::Strong, &head)])?;
    let width = parts.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, PartSize { characters, estimated_tokens }) in parts {
        let size = match out.plain {
            true => format!("{name}: {characters} characters, about {estimated_tokens} tokens"),
            false => format!("{name:<width$}  {characters:>7} characters, about {estimated_tokens:>6} tokens"),
        };
        out.line(&[(Tone::Normal, "  "), (Tone::Normal, &size)])?;
    }
    Ok(())
}
