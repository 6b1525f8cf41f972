//! The skills and responses that the engine brings along (sections 7.6 and 9.5), in our own wording.
//!
//! Ids, steps and entries are the engine's. A folder replaces a skill by one of the same id (M289) and a response by
//! one of the same name (M288).

use std::collections::BTreeSet;

use crate::profile::Profile;

/// A bundled skill, as its files would be written.
pub(super) struct Bundled {
    pub(super) id: &'static str,
    pub(super) skill: &'static str,
    pub(super) memory: &'static str,
}

/// Returns the bundled skills of a profile.
pub(super) fn skills(profile: Profile) -> Vec<Bundled> {
    let start = if profile.greets_at_start() { GREETING_START } else { SILENT_START };
    let mut skills = vec![
        Bundled { id: "default_completed", skill: COMPLETED, memory: COMPLETED_MEMORY },
        Bundled { id: "default_continue_interrupted", skill: CONTINUE, memory: CONTINUE_MEMORY },
        Bundled { id: "default_customer_satisfaction", skill: SATISFACTION, memory: SATISFACTION_MEMORY },
        Bundled { id: "default_session_start", skill: start, memory: "" },
        Bundled { id: "default_silence_timeout", skill: SILENCE, memory: "" },
        Bundled { id: "default_unsupported_request_handler", skill: UNSUPPORTED, memory: UNSUPPORTED_MEMORY },
    ];
    if !profile.greets_at_start() {
        skills.push(Bundled { id: "default_silence_timeout_hangup", skill: SILENCE_HANGUP, memory: "" });
    }
    skills
}

/// Returns the names of the packaged responses: the engine says them by itself.
pub(super) fn response_names() -> BTreeSet<&'static str> {
    let names = RESPONSES.lines().filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':'));
    names.filter(|name| !name.starts_with(' ')).collect()
}

/// The packaged responses, as a `responses.yml` would have them.
pub(super) const RESPONSES: &str = "\
responses:
  utter_greet:
    - text: Hello! How can I help you?
  utter_ask_wants_to_continue:
    - text: Is there anything else that I can do for you?
      metadata: {rephrase: true}
  utter_ask_wants_to_resume:
    - text: Shall we go on with {interrupted_task_name}?
      metadata: {rephrase: true}
  utter_ask_csat_score:
    - text: How content are you with this conversation, from 1 to 5?
      metadata: {rephrase: true}
  utter_thank_you_for_feedback:
    - text: Thank you, that helps us.
      metadata: {rephrase: true}
  utter_decline_in_domain_out_of_scope:
    - text: That belongs here, but I am not able to do it.
      metadata: {rephrase: true}
  utter_decline_out_of_domain_out_of_scope:
    - text: That is nothing that I can help with here.
      metadata: {rephrase: true}
  utter_silence_timeout_check_in:
    - text: Are you still there?
      metadata: {rephrase: true}
  utter_inform_hangup:
    - text: I can't hear you, so I end the call now.
      metadata: {rephrase: true}
  utter_precondition_unmet:
    - text: Something that this needs is missing, so I can't start it.
  utter_hangup_goodbye:
    - text: Goodbye.
  utter_set_memory_button_skipped:
    - text: That choice is no longer open.
  utter_incoming_message_rejected:
    - text: I can't take that message.
  utter_outgoing_text_rejected:
    - text: I can't say that.
  utter_model_request_hook_error:
    - text: Something went wrong before I could think about it. Please try again.
  utter_tool_call_hook_error:
    - text: Something went wrong while I looked that up. Please try again.
  utter_model_call_error:
    - text: I can't answer right now. Please try again.
";

const GREETING_START: &str = "\
---
name: Session start
description: Greets at the beginning of a session.
routing: {engine_managed: true}
---

:::ordered_block id=main
steps:
  - id: greet
    action: utter_greet
  - id: END
:::
";

const SILENT_START: &str = "\
---
name: Session start
description: Begins a session without a word.
routing: {engine_managed: true}
---

:::ordered_block id=main
steps:
  - id: start
    noop: true
    next: END
  - id: END
:::
";

const COMPLETED: &str = "\
---
name: Wrap-up
description: Asks whether there is anything else when all tasks are done.
routing: {engine_managed: true}
---

:::ordered_block id=main
steps:
  - id: ask_continue
    collect: wants_to_continue
    utterance: utter_ask_wants_to_continue
    description: Whether the user wants anything else.
    next:
      - if: session.default_completed.wants_to_continue
        then: more_help
      - else: csat_link
  - id: more_help
    instructions: Ask what else the user needs, and start the task that fits.
    next: END
  - id: csat_link
    link: default_customer_satisfaction
:::
";

const COMPLETED_MEMORY: &str = "\
schema:
  public:
    wants_to_continue: {type: bool}
";

const CONTINUE: &str = "\
---
name: Resume
description: Asks whether to go on with a task that was left for another one.
routing: {engine_managed: true}
---

:::ordered_block id=main
steps:
  - id: ask_resume
    collect: wants_to_resume
    utterance: utter_ask_wants_to_resume
    description: Whether the user wants to go on with the task that was left.
  - id: END
:::
";

const CONTINUE_MEMORY: &str = "\
schema:
  public:
    wants_to_resume: {type: bool}
    interrupted_task_name: {type: text}
";

const SATISFACTION: &str = "\
---
name: Satisfaction
description: Asks how content the user is.
routing: {engine_managed: true}
---

:::ordered_block id=main
steps:
  - id: ask_csat
    collect: csat_score
    utterance: utter_ask_csat_score
    description: How content the user is, from 1 to 5.
  - id: thank_you
    action: utter_thank_you_for_feedback
  - id: END
:::
";

const SATISFACTION_MEMORY: &str = "\
schema:
  public:
    csat_score: {type: float}
";

const UNSUPPORTED: &str = "\
---
name: Unsupported request
description: Declines what no task covers.
routing: {engine_managed: true}
---

:::ordered_block id=main
steps:
  - id: gate_request_type
    noop: true
    next:
      - if: session.default_unsupported_request_handler.request_type == 'out_of_domain_out_of_scope'
        then: decline_out_of_domain
      - else: decline_in_domain
  - id: decline_out_of_domain
    action: utter_decline_out_of_domain_out_of_scope
    next: END
  - id: decline_in_domain
    action: utter_decline_in_domain_out_of_scope
    next: END
  - id: END
:::
";

const UNSUPPORTED_MEMORY: &str = "\
schema:
  public:
    request_type: {type: text}
";

const SILENCE: &str = "\
---
name: Silence
description: Asks whether the user is still there.
routing: {engine_managed: true}
---

:::ordered_block id=main
steps:
  - id: check_in
    action: utter_silence_timeout_check_in
  - id: END
:::
";

const SILENCE_HANGUP: &str = "\
---
name: Silence, then hang up
description: Ends a call in which nobody speaks.
routing: {engine_managed: true}
---

:::ordered_block id=main
steps:
  - id: inform_hangup
    action: utter_inform_hangup
  - id: hangup
    action: hangup
  - id: END
:::
";
