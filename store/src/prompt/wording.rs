//! The sentences between headings and data lines. The engine's own are its vendor's; these convey the same and are ours.
//!
//! What a name in braces stands for is put in by the section that uses the text.

pub(super) const TEXT_RULES: &str = "\
The user reads this in a written chat. Where there is much to say, give it a clear structure: short paragraphs, or a \
list of the items.";

pub(super) const VOICE_STYLE: &str = "\
The user hears this. Speak in short sentences, ask one thing at a time, and use no markup, lists or symbols.";
pub(super) const VOICE_NUMBERS: &str = "\
Say numbers and amounts of money the way people say them, with the currency as a word.";
pub(super) const VOICE_ADDRESSES: &str = "\
Say web and mail addresses word by word, with \"dot\" and \"at\" in the place of the signs.";
pub(super) const VOICE_CODES: &str = "\
Say ids and codes sign by sign, in groups that a listener can write down.";

pub(super) const ACKNOWLEDGEMENT: &str = "\
Beside a tool call, say one short sentence that shows that you are on it. Change its words from turn to turn, and \
don't say what the tool will find.";

pub(super) const OUT_OF_SCOPE: &str = "\
First make sure that no skill can do what the user asks for. If none can, call `cannot_help` and write no refusal of \
your own. Its argument `in_domain` is true where the request belongs to this agent's field and just isn't served, and \
false where it lies outside of it.";

pub(super) const PROJECT_MEMORY: &str = "These facts are set for this session and stay as they are until it ends.";

pub(super) const GLOSSARY: &str = "These are the skills of this agent:";

pub(super) const ROUTING: &str = "\
No skill is active. Pick the one that serves the user's wish and call `activate` with its id, at once when you are sure.";
pub(super) const NO_SKILLS: &str = "- (no skills are configured)";
pub(super) const BEFORE_END: &str = "Skills to offer before the conversation ends: ";

pub(super) const PARENT: &str = "\
This task was started from another one, which waits and goes on by itself when this one is done.";
pub(super) const PARENT_WITHOUT_TEXT: &str = "(this skill has no instructions of its own)";
pub(super) const PAUSED_BLOCKS: &str = "These blocks were left before they were done:";
pub(super) const FILL: &str = "\
Record everything that the user has said already and that a field asks for, in one call of `set_fields`. Never guess a \
value.";
pub(super) const STEP_EXIT: &str = " The step is over as soon as this holds.";
pub(super) const OPTIONAL: &str = "\
The user may decline this step. Then go on without it; to decline it is not to give up the task.";
pub(super) const SKIPPED: &str = "The user gave these before. Go on from there.";
pub(super) const CORRECTING: &str = "\
When the user changes something that was given earlier, call `correct` with the entry and the new value, instead of \
`set_fields`.";
pub(super) const REENTRY: &str = "\
A value was just corrected, and what was captured after it was cleared. Ask again for what is missing now, and don't \
take it from before.";
pub(super) const INTERRUPTED: &str =
    "The user left these tasks for another one. Don't go on with them unless the user asks for it.";
pub(super) const KNOWLEDGE: &str = "\
Answer that one question from what the search found, and leave the task where it is.";
pub(super) const UNKNOWN_PERSONA: &str = "(the agent folder names no persona)";
pub(super) const UNKNOWN_SKILL: &str = "(the agent folder has no such skill)";
pub(super) const UNKNOWN_BLOCK: &str = "(the agent folder has no such block)";

pub(super) const PENDING_WITH_ASK: &str = "The user was asked:";
pub(super) const PENDING_ANSWER: &str = "\
- On a yes or a no, call `resolve_tool_confirmation` with `confirmed` true or false.";
pub(super) const PENDING_LEAVE: &str = "- When the user gives the whole task up, call `";
pub(super) const PENDING_KEEP: &str = "- On a question or another task, keep the call pending and see to that first.";

pub(super) const REPHRASE: &str = "Say the agent's next message, given at the end, in words that fit this conversation. Change nothing that it states.";
pub(super) const REPHRASE_MESSAGE: &str = "Message to put into your words: ";
pub(super) const CONFIRM: &str =
    "Ask the user whether the value that is known already, given at the end, is still right.";
pub(super) const CONFIRM_MESSAGE: &str = "Known already: ";

pub(super) const ACK_REMINDER: &str = "If you call a tool now, say one short sentence beside the call.";
pub(super) const CANNED_REMINDER: &str = "\
A prepared message was sent to the user since their last words. Don't say the same again; add only what is still \
missing.";
pub(super) const TAP_NOTE: &str = "The user tapped a button, and its value is stored already. Don't ask for it.";
