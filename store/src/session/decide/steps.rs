//! Steps of a block that run without the model, and the pointer that moves over them (M153 to M182).
//!
//! The pointer stands at the step of the topmost frame. A step either is done at once, or waits for what [`Wake`] names.

use super::Write;
use super::draft::Draft;
use crate::agent::block::{Block, Collect, END, Next, Parameter, Step, StepKind};
use crate::event::{EventKind, ToolCall, ToolCaller, UtterCause};
use crate::name::Name;
use crate::session::access::{Reader, Site, WriteBy, read};
use crate::session::gate::gate;
use crate::session::start::Route;
use crate::value::Value;

/// Ends the agent's turn and waits (M347).
const LISTEN: &str = "action_listen";
/// Ends the conversation (M347).
const HANG_UP: &str = "hangup";

/// Why the steps of the running block are looked at.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Wake {
    /// The pointer has just come to the step.
    Arrived,
    /// The user spoke, so a new turn begins.
    Turn,
    /// An entry was written.
    Written(Name),
    /// What the step called has ended.
    Returned,
    /// The tool of the step came back.
    ToolDone,
}

/// What comes after a look at a step.
enum Move {
    /// It waits, for the user as a rule (M361).
    Stay,
    /// It is done: `next` decides.
    Advance,
    /// Another frame runs now, whose first step has been dealt with.
    Elsewhere,
    /// The block is over.
    End,
}

impl<'a> Draft<'a> {
    /// Runs the steps of the running block until one waits.
    pub(super) fn run_steps(&mut self, wake: Wake) {
        let mut wake = wake;
        while self.may_move() {
            let Some((skill, block)) = self.running_block() else { return };
            let Some(step) = self.current_step(&skill, block) else {
                return self.finish_block(&skill, &block.id, None);
            };
            match self.look_at(&skill, block, step, &wake) {
                Move::Stay | Move::Elsewhere => return,
                Move::End => return self.finish_block(&skill, &block.id, Some(&step.id)),
                Move::Advance => match self.next_of(&skill, block, step) {
                    Some(next) => self.go_to(&skill, block, &next.id),
                    None => return self.finish_block(&skill, &block.id, Some(&step.id)),
                },
            }
            wake = Wake::Arrived;
        }
    }

    /// Moves the pointer.
    pub(super) fn go_to(&mut self, skill: &Name, block: &Block, step: &Name) {
        let (skill, block, step) = (skill.clone(), block.id.clone(), step.clone());
        self.emit(EventKind::StepEntered { skill, block, step });
    }

    /// Returns the block that runs, as its skill's file has it.
    pub(super) fn running_block(&self) -> Option<(Name, &'a Block)> {
        let frame = self.running()?;
        let block = self.skill(&frame.skill)?.block(frame.block.as_ref()?)?;
        Some((frame.skill.clone(), block))
    }

    /// Returns the step where the pointer stands; one that has just come into the block stands at the first.
    fn current_step(&mut self, skill: &Name, block: &'a Block) -> Option<&'a Step> {
        let step = self.running().and_then(|frame| frame.step.clone());
        match step {
            Some(step) => block.step(&step),
            None => {
                let first = block.steps.first()?;
                self.go_to(skill, block, &first.id);
                Some(first)
            }
        }
    }

    /// Returns the step that follows, `None` for the end (M164, M165). A branch that can't be evaluated isn't taken (M87).
    fn next_of(&self, skill: &Name, block: &'a Block, step: &Step) -> Option<&'a Step> {
        let below = || {
            let place = block.steps.iter().position(|other| other.id == step.id)?;
            block.steps.get(place + 1)
        };
        let named = |id: &Name| block.step(id).filter(|_| *id != END);
        match &step.next {
            Next::Below => below(),
            Next::Step(id) => named(&id.value),
            Next::Branches(branches) => {
                let open = branches.iter().find(|branch| match &branch.when {
                    Some(when) => gate(self.agent, self.profile, &self.state, Some(skill), when).is_open(),
                    None => true,
                });
                open.map_or_else(below, |branch| named(&branch.then.value))
            }
        }
    }

    fn look_at(&mut self, skill: &Name, block: &Block, step: &'a Step, wake: &Wake) -> Move {
        match &step.kind {
            StepKind::Instructions { complete_when: Some(done), .. } => {
                match gate(self.agent, self.profile, &self.state, Some(skill), done).is_open() {
                    true => Move::Advance,
                    false => Move::Stay,
                }
            }
            // Without a condition it is the model's for one turn (M171).
            StepKind::Instructions { complete_when: None, .. } => after(wake, &[Wake::Turn]),
            StepKind::Collect(collect) => self.collect(skill, collect, wake),
            StepKind::Action(name) => self.act(skill, &name.value, wake),
            StepKind::ExecuteTool { tool, parameters } => self.execute(skill, step, &tool.value, parameters, wake),
            StepKind::Noop | StepKind::Unknown => Move::Advance,
            StepKind::SetMemory(items) => {
                for (name, value) in items {
                    let (name, value) = (name.value.clone(), value.clone());
                    self.store(Write { by: WriteBy::SetMemory, name, value, tool: None, call_id: None });
                }
                Move::Advance
            }
            StepKind::Call(target) => self.call_target(skill, &target.value, wake),
            StepKind::Link(target) => self.link(skill, block, step, &target.value),
            StepKind::End => Move::End,
        }
    }

    /// A collect that has a value is passed over (M172), unless it asks in any case (M174). It waits for its answer,
    /// and asks again when it is reached again without one (M349).
    fn collect(&mut self, skill: &Name, collect: &Collect, wake: &Wake) -> Move {
        let key = Name::from(format!("{skill}.{}", collect.entry.value));
        let has_value = self.state.value(&key).is_some();
        let is_done = match wake {
            Wake::Written(written) => *written == key || (has_value && !collect.ask_before_filling),
            Wake::Arrived | Wake::Turn | Wake::Returned | Wake::ToolDone => has_value && !collect.ask_before_filling,
        };
        if is_done && has_value {
            return Move::Advance;
        }
        if *wake == Wake::Arrived
            && let Some(question) = &collect.utterance
        {
            self.say(&question.value, UtterCause::Collect, Some(skill));
        }
        Move::Stay
    }

    fn act(&mut self, skill: &Name, action: &Name, wake: &Wake) -> Move {
        if *action == LISTEN {
            if *wake == Wake::Arrived {
                self.emit(EventKind::TurnEnded);
            }
            return after(wake, &[Wake::Turn]);
        }
        if *action == HANG_UP {
            self.emit(EventKind::SessionEnded);
            return Move::Elsewhere;
        }
        self.say(action, UtterCause::Action, Some(skill));
        Move::Advance
    }

    /// A step calls a tool, through the same gates as the model (M177, M188). An interrupted or refused one is tried again in
    /// the next turn (M178).
    fn execute(
        &mut self,
        skill: &Name,
        step: &Step,
        tool: &Name,
        parameters: &[(Name, Parameter)],
        wake: &Wake,
    ) -> Move {
        if *wake == Wake::ToolDone {
            return Move::Advance;
        }
        let waits = self.state.pending_confirmation().is_some();
        if waits || !matches!(wake, Wake::Arrived | Wake::Turn) {
            return Move::Stay;
        }
        let arguments = parameters.iter().map(|(name, parameter)| (name.to_string(), self.argument(skill, parameter)));
        self.call_tool(ToolCall {
            tool: tool.clone(),
            arguments: Value::Map(arguments.collect()).to_json(),
            caller: ToolCaller::Step,
            skill: Some(skill.clone()),
            step: Some(step.id.clone()),
            call_id: None,
        });
        Move::Stay
    }

    fn argument(&self, skill: &Name, parameter: &Parameter) -> Value {
        match parameter {
            Parameter::Memory(key) => {
                let reader = Reader { skill: Some(skill), site: Site::Condition };
                let decision = read(self.agent, self.profile, &self.state, reader, &key.value);
                decision.value().map_or(Value::Null, |value| Value::clone(value))
            }
            Parameter::Literal(value) => value.clone(),
        }
    }

    /// Runs a block of the skill or another skill, and goes on when that has ended (M180).
    fn call_target(&mut self, skill: &Name, target: &Name, wake: &Wake) -> Move {
        if *wake != Wake::Arrived {
            return after(wake, &[Wake::Returned]);
        }
        if self.skill(skill).is_some_and(|skill| skill.block(target).is_some()) {
            self.emit(EventKind::BlockEntered { skill: skill.clone(), block: target.clone() });
            self.run_steps(Wake::Arrived);
            return Move::Elsewhere;
        }
        match self.hand_over(target, Route::Step) {
            true => Move::Elsewhere,
            false => Move::Advance,
        }
    }

    /// Hands over to a block of the skill or to another skill; nothing comes back (M180).
    fn link(&mut self, skill: &Name, block: &Block, step: &Step, target: &Name) -> Move {
        let is_own_block = self.skill(skill).is_some_and(|skill| skill.block(target).is_some());
        let may_start = || {
            crate::session::start::may_start(self.agent, self.profile, &self.state, target, Route::Step).is_allowed()
        };
        if !is_own_block && !may_start() {
            return Move::End;
        }
        let (from, at) = (skill.clone(), Some(step.id.clone()));
        self.emit(EventKind::BlockCompleted { skill: from.clone(), block: block.id.clone(), step: at });
        if is_own_block {
            self.emit(EventKind::BlockEntered { skill: from, block: target.clone() });
            self.run_steps(Wake::Arrived);
        } else {
            self.emit(EventKind::SkillCompleted { skill: from });
            self.hand_over(target, Route::Step);
        }
        Move::Elsewhere
    }
}

/// Advances when one of the reasons holds, and waits otherwise.
fn after(wake: &Wake, reasons: &[Wake]) -> Move {
    if reasons.contains(wake) { Move::Advance } else { Move::Stay }
}
