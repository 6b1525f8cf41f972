//! Why a line of the agent folder stands in the prompt, or doesn't: a paragraph by whether its skill is in charge and its
//! marker holds, the words of a step by whether the block stands there, any other line by what the prompt was made of.

use super::Evidence;
use super::condition::Condition;
use super::read::answer_of;
use super::skill::why_skill;
use super::story::{stories, story};
use super::why::{Answer, Question, RuleLine, Why};
use super::words::{did_you_mean, value_words};
use crate::agent::Agent;
use crate::agent::block::{Block, Step, StepKind};
use crate::agent::prose::{Paragraph, Prose, Token, TokenKind};
use crate::agent::skill::Skill;
use crate::diagnostic::nearest;
use crate::event::Position;
use crate::name::Name;
use crate::prompt::standing::{Standing, is_current, standing};
use crate::prompt::{Prompt, Source};
use crate::replay::Session;
use crate::rule::Rule;
use crate::session::State;
use crate::session::access::{Reader, Site, read};
use crate::session::prose::scope_of;

/// How many pieces of the story of an entry are told for each token of the line.
const STORY_MAX: usize = 3;

/// Returns why line `line` of `file`, below the agent folder, is or is not in the prompt that a call gets at `at`.
pub fn why_line(session: &Session, file: &str, line: u32, at: Position) -> Why {
    let state = session.state(at);
    let file = file.strip_prefix("./").unwrap_or(file);
    let asked = Line { session, state: &state, file, line };
    let (Some(agent), Some(prompt)) = (session.agent.as_deref(), session.prompt(at)) else {
        let text = format!("whether {file}:{line} is in the prompt is unknown: there is no agent folder");
        return asked.of(Answer::Unknown, text);
    };
    let found = agent.skills.values().find_map(|skill| Some((skill, part_at(skill, file, line)?)));
    match found {
        Some((skill, Part::Paragraph(paragraph))) => asked.paragraph(agent, skill, paragraph),
        Some((skill, Part::Step(block, step, prose))) => asked.step(agent, skill, block, step, prose),
        None => asked.elsewhere(agent, &prompt),
    }
}

/// Returns the memory tokens on a line of a text for the model, in order, by the names that they have there.
pub fn tokens_on<'a>(agent: &'a Agent, file: &str, line: u32) -> impl Iterator<Item = &'a Name> {
    let part = agent.skills.values().find_map(|skill| part_at(skill, file, line));
    let prose = part.map(|part| match part {
        Part::Paragraph(paragraph) => &paragraph.prose,
        Part::Step(_, _, prose) => prose,
    });
    prose.into_iter().flat_map(move |prose| memory_tokens(prose, line)).map(|(_, name)| name)
}

fn memory_tokens(prose: &Prose, line: u32) -> impl Iterator<Item = (&Token, &Name)> {
    prose.tokens.iter().filter(move |token| token.at.line == line).filter_map(|token| match &token.kind {
        TokenKind::Memory(name) => Some((token, name)),
        TokenKind::Skill(_) | TokenKind::Block(_) | TokenKind::Tool(_) => None,
    })
}

/// What of a skill's prose a line is a part of.
#[derive(Clone, Copy)]
enum Part<'a> {
    Paragraph(&'a Paragraph),
    Step(&'a Block, &'a Step, &'a Prose),
}

fn part_at<'a>(skill: &'a Skill, file: &str, line: u32) -> Option<Part<'a>> {
    let is_marker = |paragraph: &Paragraph| {
        paragraph.gate.as_ref().is_some_and(|gate| gate.text.at.file == *file && gate.text.at.line == line)
    };
    let mut paragraphs = skill.paragraphs.iter();
    if let Some(paragraph) = paragraphs.find(|one| is_marker(one) || covers(&one.prose, file, line)) {
        return Some(Part::Paragraph(paragraph));
    }
    skill.blocks.iter().find_map(|block| {
        block.steps.iter().find_map(|step| match &step.kind {
            StepKind::Instructions { prose, .. } if covers(prose, file, line) => Some(Part::Step(block, step, prose)),
            _ => None,
        })
    })
}

/// Returns whether the line is one of the text.
fn covers(prose: &Prose, file: &str, line: u32) -> bool {
    let lines = prose.text.lines().count() as u32;
    prose.at.file == *file && (prose.at.line..prose.at.line.saturating_add(lines)).contains(&line)
}

/// The line that is asked about.
struct Line<'a> {
    session: &'a Session,
    state: &'a State,
    file: &'a str,
    line: u32,
}

impl Line<'_> {
    fn of(&self, answer: Answer, text: String) -> Why {
        let line = Some(Name::from(format!("{}:{}", self.file, self.line)));
        Why { line, ..Why::new(self.session, self.state, Question::Line, answer, text) }
    }

    fn paragraph(&self, agent: &Agent, skill: &Skill, paragraph: &Paragraph) -> Why {
        let (id, profile) = (&skill.id, self.session.profile.profile);
        let moment = self.session.moment(agent, self.state.position);
        let charge = match standing(agent, profile, self.state, &moment, id) {
            Standing::Instructions => format!("`{id}` is active and its prose is in charge"),
            Standing::Parent => format!("`{id}` waits for what is in charge, which gets its prose as context"),
            Standing::Block(block) => {
                let text = format!(
                    "it is prose of `{id}`, and block `{block}` of it is in charge: what its step says is in the prompt instead"
                );
                return self.withheld_with(id, text, format!("block `{block}` would have to be done"));
            }
            Standing::Searched => {
                let text = format!(
                    "it is prose of `{id}`, and a search ran in this turn: what it found is in the prompt instead"
                );
                return self.withheld_with(id, text, "without the search of this turn it would be".to_owned());
            }
            Standing::Nowhere => {
                let text = format!("it is prose of `{id}`, and {}", self.who_is_active());
                return self.withheld_with(id, text, format!("`{id}` would have to be active"));
            }
        };
        let scoped = scope_of(agent, profile, self.state, skill, paragraph);
        let mut why = match (&paragraph.gate, &scoped.gate) {
            (Some(marker), Some(decision)) => {
                let tree = Condition::of(agent, self.state, marker, decision);
                let condition = marker.text.value.trim();
                let mut why = if decision.is_open() && scoped.is_visible {
                    self.shown(format!("{charge}, and `{condition}` holds"))
                } else if decision.is_open() {
                    self.withheld(format!("`{condition}` holds, but no text stands under this marker"))
                } else {
                    self.withheld(format!("its marker `{condition}` doesn't hold")).opened_by(
                        self.session,
                        self.state,
                        Some(id.as_str()),
                        marker,
                    )
                };
                why.rule = Some(RuleLine::new(Some(agent), Rule::MarkerScopes, Some(&marker.text.at)));
                why.evidence = stories(self.session, self.state, &tree);
                why.condition = Some(tree);
                why
            }
            (None, _) | (_, None) => self.shown(format!("{charge}, and no `if:` marker stands above it")),
        };
        why.skill = Some(id.clone());
        if why.answer == Answer::Shown {
            why.evidence.extend(self.tokens(agent, &paragraph.prose));
            why.evidence.extend(why_skill(self.session, id, self.state.position).evidence);
        }
        why
    }

    fn step(&self, agent: &Agent, skill: &Skill, block: &Block, step: &Step, prose: &Prose) -> Why {
        let (id, profile) = (&skill.id, self.session.profile.profile);
        let moment = self.session.moment(agent, self.state.position);
        let name = format!("step `{}` of block `{}` of `{id}`", step.id, block.id);
        if is_current(agent, profile, self.state, &moment, step) {
            let mut why = self.shown(format!("{name} is where the conversation stands"));
            why.skill = Some(id.clone());
            why.evidence = self.tokens(agent, prose);
            why.evidence.extend(why_skill(self.session, id, self.state.position).evidence);
            return why;
        }
        let text = format!("it belongs to {name}, and {}", self.where_it_stands(id));
        self.withheld_with(id, text, format!("`{id}` would have to be at step `{}`", step.id))
    }

    /// A line that is no prose: persona, descriptions, declarations and so on.
    fn elsewhere(&self, agent: &Agent, prompt: &Prompt) -> Why {
        let is_it = |origin: &Source| matches!(origin, Source::File { file, line } if *file == *self.file && *line == self.line);
        let made = prompt.sections.iter().filter(|section| section.pieces.iter().any(|piece| is_it(&piece.origin)));
        let made: Vec<String> = made.map(|section| section.name.word().replace('_', " ")).collect();
        if !made.is_empty() {
            let sections = if made.len() == 1 {
                "a piece of it stands in the section"
            } else {
                "pieces of it stand in the sections"
            };
            return self.shown(format!("{sections} {}", made.join(", ")));
        }
        if prompt.messages.iter().any(|message| is_it(&message.origin)) {
            return self.shown("a message of the engine behind the system prompt is made of it".to_owned());
        }
        let Some(text) = agent.text_of(self.file) else {
            let known = agent.definition.files.keys().map(Name::as_str);
            let near: Vec<Name> = nearest(self.file, known).map(Name::from).into_iter().collect();
            let text = format!("the agent folder has no file `{}`{}", self.file, did_you_mean(&near));
            return self.of(Answer::Unknown, text);
        };
        let lines = text.lines().count();
        if self.line == 0 || lines < self.line as usize {
            return self
                .of(Answer::Unknown, format!("{} has {lines} lines, so there is no line {}", self.file, self.line));
        }
        let declared = agent.entries().find(|entry| entry.at.file == *self.file && entry.at.line == self.line);
        match declared {
            Some(entry) => {
                let key = &entry.key;
                let text = format!(
                    "it declares `{key}`; a declaration is no text for the model, its value is listed while it is set and may be read"
                );
                let mut why = self.withheld(text);
                why.key = Some(key.clone());
                why.evidence = story(self.session, self.state, key);
                why
            }
            None => self.withheld("nothing of this prompt is made of it".to_owned()),
        }
    }

    fn shown(&self, because: String) -> Why {
        self.of(
            Answer::Shown,
            format!("{}:{} is in the prompt at {}: {because}", self.file, self.line, self.state.position),
        )
    }

    fn withheld(&self, because: String) -> Why {
        let position = self.state.position;
        self.of(Answer::Withheld, format!("{}:{} is not in the prompt at {position}: {because}", self.file, self.line))
    }

    /// The answer where a skill is not in charge, with what happened to it.
    fn withheld_with(&self, skill: &Name, because: String, change: String) -> Why {
        let mut why = self.withheld(because);
        why.skill = Some(skill.clone());
        why.change = Some(change);
        why.evidence = why_skill(self.session, skill, self.state.position).evidence;
        why
    }

    fn who_is_active(&self) -> String {
        match self.state.active_skill() {
            Some(active) => format!("`{active}` is active"),
            None => "no skill is active".to_owned(),
        }
    }

    fn where_it_stands(&self, skill: &Name) -> String {
        let top = self.state.top().filter(|top| top.skill == *skill);
        match top.map(|top| (&top.block, &top.step)) {
            Some((Some(block), Some(step))) => format!("`{skill}` is at step `{step}` of block `{block}`"),
            Some((Some(block), None)) => format!("`{skill}` is in block `{block}`"),
            Some((None, _)) => format!("the prose of `{skill}` is in charge"),
            None => self.who_is_active(),
        }
    }

    /// What each token on the line came to, with where its value is from.
    fn tokens(&self, agent: &Agent, prose: &Prose) -> Vec<Evidence> {
        let reader = Reader { skill: self.state.active_skill().map(Name::as_str), site: Site::Prompt };
        let of = |(token, name): (&Token, &Name)| {
            let decision = read(agent, self.session.profile.profile, self.state, reader, name);
            let key = decision.key.as_ref().unwrap_or(name);
            let place = format!("{}:{}:{}", token.at.file, token.at.line, token.at.column);
            let came_to = match decision.value() {
                Some(_) if agent.entry(key).is_some_and(|entry| entry.pii) => "shows that a value is set".to_owned(),
                Some(value) => format!("shows {}", value_words(value)),
                None => {
                    let answer = answer_of(&decision).word().replace('_', " ");
                    format!("stays as it is written: {answer} ({})", decision.rule)
                }
            };
            let text = format!("@memory.{name} at {place} {came_to}");
            let told = story(self.session, self.state, key).into_iter().take(STORY_MAX);
            std::iter::once(Evidence::of_definition(text)).chain(told).collect::<Vec<_>>()
        };
        memory_tokens(prose, self.line).flat_map(of).collect()
    }
}
