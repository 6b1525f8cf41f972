//! What follows the system prompt: history, and the messages that the engine puts between and behind (8.4).

use super::view::View;
use super::{Message, Piece, Role, Source, branch, wording};

/// Returns the messages in order. Behind the history stands what was collected already, then the reminder of a canned
/// response as the last of all (M360).
pub(super) fn messages(view: &View<'_>) -> Vec<Message> {
    let mut messages = view.moment.history.clone();
    let notes = behind_user(view);
    if let Some(user) = messages.iter().rposition(|message| message.role == Role::User) {
        messages.splice(user + 1..user + 1, notes);
    }
    messages.extend(collected_already(view));
    if let Some(position) = view.moment.canned {
        messages.push(system(wording::CANNED_REMINDER, Source::event(position)));
    }
    messages
}

/// What stands right behind the user's last words.
fn behind_user(view: &View<'_>) -> Vec<Message> {
    let mut notes = Vec::new();
    if let Some(position) = view.moment.tapped {
        notes.push(system(wording::TAP_NOTE, Source::event(position)));
    }
    if view.has_fillers() && view.moment.is_first_call() && view.collect().is_none() {
        notes.push(match &view.agent.settings.fillers.reminder {
            Some(words) => system(words.value.trim_end(), Source::file(&words.at)),
            None => system(wording::ACK_REMINDER, Source::Builtin),
        });
    }
    notes
}

/// The same as the section of the system prompt; gone with the next user message (M173).
fn collected_already(view: &View<'_>) -> Option<Message> {
    let first = view.moment.skipped.first()?;
    let lines = branch::skipped_lines(view);
    if lines.is_empty() {
        return None;
    }
    let mut text = String::from("Already collected (do not re-ask):\n");
    for line in lines {
        text.extend(line.iter().map(|Piece { text, .. }| text.as_str()));
        text.push('\n');
    }
    text.push_str(wording::SKIPPED);
    Some(system(&text, Source::event(first.at)))
}

pub(super) fn system(text: &str, origin: Source) -> Message {
    Message { role: Role::System, text: text.to_owned(), tool: None, origin }
}
