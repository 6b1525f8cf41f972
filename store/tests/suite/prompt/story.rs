//! A box office that we made up, and conversations with it, event by event.

use std::sync::{Arc, LazyLock};

use replay_store::agent::Agent;
use replay_store::agent::definition::Definition;
use replay_store::event::{
    Activation, Actor, Event, EventKind, MessageSource, Origin, Position, RecordedFrame, ToolCaller, ToolOutcome,
    ToolSource, Writer,
};
use replay_store::name::Name;
use replay_store::profile::Profile;
use replay_store::prompt::moment::SeenTools;
use replay_store::prompt::{self, Moment, Piece, Prompt, Role, Source};
use replay_store::session::{State, evolve};
use replay_store::timestamp::Timestamp;
use replay_store::value::Value;

/// 2026-11-30 09:05 UTC.
const NINE_OH_FIVE: i64 = 1_796_029_500_000_000;

/// The files of the box office. Settings that moved between the generations stand in both places.
pub(crate) const BOX_OFFICE: &[(&str, &str)] = &[
    (
        "agent.yml",
        "\
agent:
  id: lantern-box-office
  persona: |
    You sell tickets for the Lantern Theatre.
    You are brief.
rules:
  - Speak of shows and seats only.
  - Never promise a seat that no tool has held.
prompts:
  routing_no_active_skill: If nothing fits, name the box office hours.
orchestrator:
  model_group: main
conversation:
  before_end: [find_show, refund]
",
    ),
    ("integrations.yml", "model_groups:\n  - id: main\n"),
    (
        "memory.yml",
        "\
customer_id: {type: text}
phone: {type: text, pii: true}
newsletter:
  type: bool
  initial_value: false
greeting: {type: text}
",
    ),
    (
        "responses.yml",
        "\
responses:
  utter_hello:
    - text: >
        Good evening {session.project.customer_id},
        this is the Lantern Theatre.
  utter_ask_email:
    - text: Where shall we send the tickets?
      metadata: {rephrase: true}
  utter_ask_seats:
    - text: How many seats?
",
    ),
    (
        "skills/buy_tickets/skill.md",
        "\
---
name: Buy tickets
description: Choose seats for a show and pay for them.
import_tools:
  - check_stock
tool_constraints:
  - hold_seats:
      requires: session.buy_tickets.show and session.buy_tickets.seats
      requires_confirmation: {enabled: true}
---

Find out which show the customer wants; @skill.find_show helps.
We may call them at @memory.project.phone.

if: session.buy_tickets.show
They want to see @memory.buy_tickets.show.
Ask how many seats.

if: session.buy_tickets.row == 'circle'
The circle has no step-free way.

When the seats are held, go on with @block.pay and call @tool.print_receipt.

:::ordered_block id=pay
description: Pay for the seats that are held.
steps:
  - id: ask_email
    collect: email
    utterance: utter_ask_email
    description: Where the tickets go.
  - id: ask_seats
    collect: seats
    utterance: utter_ask_seats
    ask_before_filling: true
  - id: explain
    instructions: |
      Say that @memory.buy_tickets.seats seats stay held for ten minutes.
    complete_when: session.buy_tickets.explained
    optional: true
  - id: charge
    execute_tool: charge_card
:::
",
    ),
    (
        "skills/buy_tickets/memory.yml",
        "\
schema:
  public:
    show: {type: text}
    seats: {type: int, llm_settable: true, description: How many seats.}
    row: {type: categorical, enum_values: [stalls, circle], llm_settable: true, description: Where they sit.}
    email: {type: text}
  private:
    card: {type: text, pii: true}
    note: {type: text}
    explained: {type: bool}
",
    ),
    (
        "skills/find_show/skill.md",
        "---\nname: Find a show\ndescription: Say what is on and when.\n---\n\nCall list_shows for the day that the customer names.\n",
    ),
    (
        "skills/find_show/memory.yml",
        "schema:\n  public:\n    day: {type: text, llm_settable: true, description: The day.}\n  private:\n    source: {type: text}\n",
    ),
    (
        "skills/refund/skill.md",
        "---\nname: Refund\ndescription: Give money back for a show that was called off.\n---\n\nThe show was @memory.buy_tickets.show.\n",
    ),
    ("skills/refund/memory.yml", "access:\n  deny_read: [buy_tickets.show, project.phone]\n"),
    (
        "skills/backstage/skill.md",
        "---\nname: Backstage\ndescription: For staff.\ndisabled: true\n---\n\nAsk for the pass.\n",
    ),
];

/// A conversation with an agent, as it grows.
#[derive(Debug)]
pub(crate) struct Story {
    pub(crate) agent: Agent,
    pub(crate) profile: Profile,
    pub(crate) events: Vec<Event>,
}

impl Story {
    /// Begins a conversation with the box office.
    pub(crate) fn new(profile: Profile) -> Story {
        static LOADED: LazyLock<[Agent; 2]> = LazyLock::new(|| Profile::ALL.map(|profile| agent(profile, BOX_OFFICE)));
        let place = Profile::ALL.iter().position(|known| *known == profile).expect("all profiles are listed");
        Story::of(LOADED[place].clone(), profile)
    }

    /// Begins a conversation with the box office, some of whose files are other ones.
    pub(crate) fn with(profile: Profile, files: &[(&str, &str)]) -> Story {
        Story::of(agent(profile, &[BOX_OFFICE, files].concat()), profile)
    }

    /// Begins a conversation with any agent.
    pub(crate) fn of(agent: Agent, profile: Profile) -> Story {
        let initial: Vec<(Name, Arc<Value>)> = agent
            .entries()
            .filter(|entry| !entry.initial.is_null())
            .map(|entry| (entry.key.clone(), Arc::clone(&entry.initial)))
            .collect();
        let mut story = Story { agent, profile, events: Vec::new() };
        story.add(EventKind::SessionStarted { definition: None, profile: Some(profile), initial });
        story
    }

    pub(crate) fn add(&mut self, kind: EventKind) -> &mut Story {
        let time = Timestamp(NINE_OH_FIVE + self.events.len() as i64 * 1_000_000);
        self.events.push(Event { time, turn: None, cause: None, origin: Origin::Added, kind });
        self
    }

    pub(crate) fn user(&mut self, text: &str) -> &mut Story {
        self.user_on("rest", text)
    }

    pub(crate) fn user_on(&mut self, channel: &str, text: &str) -> &mut Story {
        self.add(EventKind::UserMessage { text: text.into(), channel: Some(channel.into()), message_id: None })
    }

    /// The agent says a response word for word.
    pub(crate) fn template(&mut self, response: &str, text: &str) -> &mut Story {
        self.says(MessageSource::Template, Some(response), text, Value::Null)
    }

    /// The model speaks.
    pub(crate) fn model(&mut self, text: &str) -> &mut Story {
        self.says(MessageSource::Model, None, text, Value::Null)
    }

    pub(crate) fn says(
        &mut self,
        source: MessageSource,
        response: Option<&str>,
        text: &str,
        data: Value,
    ) -> &mut Story {
        self.add(EventKind::AgentMessage {
            text: text.into(),
            source,
            response: response.map(Name::from),
            model_millis: (source == MessageSource::Model).then_some(1200.0),
            data: Arc::new(data),
        })
    }

    pub(crate) fn turn_end(&mut self) -> &mut Story {
        self.add(EventKind::TurnEnded)
    }

    pub(crate) fn start(&mut self, skill: &str) -> &mut Story {
        self.add(EventKind::SkillActivated { skill: skill.into(), by: Activation::Model })
    }

    pub(crate) fn leave(&mut self, skill: &str) -> &mut Story {
        self.add(EventKind::SkillInterrupted { skill: skill.into(), step: None })
    }

    pub(crate) fn enter(&mut self, skill: &str, block: &str) -> &mut Story {
        self.add(EventKind::BlockEntered { skill: skill.into(), block: block.into() })
    }

    /// The record's stack: skills, and blocks as `skill/block/step`, bottom first.
    pub(crate) fn stack(&mut self, frames: &[&str]) -> &mut Story {
        let frame = |text: &&str| {
            let mut parts = text.split('/');
            RecordedFrame {
                frame: Name::from(*text),
                skill: Name::from(parts.next().expect("a frame has a skill")),
                block: parts.next().map(Name::from),
                step: parts.next().map(Name::from),
                interrupted: false,
            }
        };
        let frames = Some(frames.iter().map(frame).collect());
        self.add(EventKind::StackPatched { frames, patch: "[]".into() })
    }

    pub(crate) fn write(&mut self, key: &str, json: &str) -> &mut Story {
        let value = Arc::new(Value::from_json(json).expect("the test's JSON is valid"));
        self.add(EventKind::MemoryWritten { key: key.into(), value, writer: Writer::only(Actor::Tool) })
    }

    pub(crate) fn clear(&mut self, key: &str) -> &mut Story {
        self.add(EventKind::MemoryCleared { key: key.into(), writer: Writer::only(Actor::Tool) })
    }

    /// The model's call number `batch` of the turn.
    pub(crate) fn call(&mut self, batch: u32, tool: &str, arguments: &str, result: &str) -> &mut Story {
        let skill = self.state().active_skill().cloned();
        self.add(EventKind::ToolReturned {
            tool: tool.into(),
            arguments: arguments.into(),
            result: result.into(),
            outcome: ToolOutcome::Done,
            error: None,
            caller: ToolCaller::Model,
            skill,
            call_id: Some("c".into()),
            batch_id: Some(Name::from(format!("{batch}-c"))),
            source: ToolSource::Local,
        })
    }

    pub(crate) fn state(&self) -> State {
        let mut state = State::default();
        self.events.iter().for_each(|event| evolve(&mut state, event));
        state
    }

    pub(crate) fn moment(&self) -> Moment {
        let events = (1..).map(Position).zip(&self.events);
        let events: Vec<(Position, &Event)> = events.collect();
        Moment::at(&self.agent, events.into_iter(), &Arc::new(SeenTools::of(&self.events)))
    }

    pub(crate) fn prompt(&self) -> Prompt {
        prompt::render(&self.agent, self.profile, &self.state(), &self.moment())
    }

    pub(crate) fn rephrase(&self, response: &str) -> Prompt {
        prompt::rephrase(&self.agent, self.profile, &self.state(), &self.moment(), response)
    }

    pub(crate) fn position(&self) -> Position {
        Position(self.events.len() as u64)
    }
}

/// Loads an agent from texts. Of a path that stands twice the last text counts.
pub(crate) fn agent(profile: Profile, files: &[(&str, &str)]) -> Agent {
    let files = files.iter().map(|(path, text)| (Name::from(*path), Arc::from(text.as_bytes()))).collect();
    Agent::load(Arc::new(Definition { files }), Some(profile))
}

/// Returns a prompt as a golden shows it: situation, system prompt, messages, tools.
pub(crate) fn golden(prompt: &Prompt) -> String {
    let mut text = format!("situation: {}\n\n{}", prompt.situation.word(), prompt.text());
    text.push_str("\n==== messages\n");
    for message in &prompt.messages {
        let tool = message.tool.as_ref().map(|tool| format!(" {tool}")).unwrap_or_default();
        text.push_str(&format!("{}{tool}: {} <- {}\n", message.role.word(), message.text, origin(&message.origin)));
    }
    text.push_str("\n==== tools\n");
    for tool in &prompt.tools {
        let sign = if tool.offered { '+' } else { '-' };
        let schema = if tool.offered { format!("\n    {}", tool.schema.to_json()) } else { String::new() };
        text.push_str(&format!("{sign} {} ({}){schema}\n", tool.name, tool.why));
    }
    text
}

/// Returns each piece of the system prompt behind its origin.
pub(crate) fn sources(prompt: &Prompt) -> String {
    let mut text = String::new();
    for section in &prompt.sections {
        text.push_str(&format!("# {}\n", section.name.word()));
        for Piece { text: piece, origin: from } in &section.pieces {
            text.push_str(&format!("{:<40} {piece:?}\n", origin(from)));
        }
    }
    text
}

pub(crate) fn origin(origin: &Source) -> String {
    match origin {
        Source::Builtin => "builtin".to_owned(),
        Source::File { file, line } => format!("{file}:{line}"),
        Source::Event { position, key: Some(key) } => format!("@{position} {key}"),
        Source::Event { position, key: None } => format!("@{position}"),
    }
}

/// Returns the texts of all messages of a role.
pub(crate) fn texts(prompt: &Prompt, role: Role) -> Vec<&str> {
    prompt.messages.iter().filter(|message| message.role == role).map(|message| message.text.as_str()).collect()
}
