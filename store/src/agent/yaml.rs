//! YAML as the engine reads it, with the place of every node. No other file names the YAML crate.
//!
//! Plain scalars are resolved by the rules of YAML 1.1 (M21). A document that is broken gives a diagnostic and what
//! stood before the break. Depth and size are bounded, so that no file takes long.

use std::collections::HashMap;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, Tag};

use super::scalar;
use super::text::FileText;
use crate::diagnostic::{Diagnostic, Place, code};
use crate::value::Value;

/// Mappings and lists nest at most this deep.
const DEPTH_LIMIT: usize = 64;
/// A document holds at most this many nodes and bytes of text, aliases counted as what they stand for.
const LIMIT: Weight = Weight { nodes: 100_000, bytes: 4 << 20 };

/// A node and its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) at: Place,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// A scalar: what it resolves to, and its text.
    Scalar(Value, String),
    List(Vec<Node>),
    /// Keys in the order of the file, each once.
    Map(Vec<Pair>),
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pair {
    /// The text of the key, unresolved: a bare `on` is `on`.
    pub(super) key: String,
    pub(super) key_at: Place,
    pub(super) value: Node,
}

impl Node {
    /// Returns whether nothing is written, or `null`.
    pub(super) fn is_null(&self) -> bool {
        matches!(&self.kind, Kind::Scalar(Value::Null, _))
    }

    /// Returns the pair of a key, if this is a mapping that has it.
    pub(super) fn pair(&self, key: &str) -> Option<&Pair> {
        self.pairs().iter().find(|pair| pair.key == key)
    }

    /// Returns the value of a key, if this is a mapping that has it and it isn't null.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        self.pair(key).map(|pair| &pair.value).filter(|node| !node.is_null())
    }

    /// Returns the pairs of a mapping; none for anything else.
    pub(super) fn pairs(&self) -> &[Pair] {
        match &self.kind {
            Kind::Map(pairs) => pairs,
            Kind::Scalar(..) | Kind::List(_) => &[],
        }
    }

    /// Returns the items of a list; none for anything else.
    pub(super) fn items(&self) -> &[Node] {
        match &self.kind {
            Kind::List(items) => items,
            Kind::Scalar(..) | Kind::Map(_) => &[],
        }
    }

    /// Returns the text of a scalar that resolves to text.
    pub(super) fn as_text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar(Value::Text(text), _) => Some(text),
            Kind::Scalar(..) | Kind::List(_) | Kind::Map(_) => None,
        }
    }

    /// Returns the node as a value.
    pub(super) fn to_value(&self) -> Value {
        match &self.kind {
            Kind::Scalar(value, _) => value.clone(),
            Kind::List(items) => Value::List(items.iter().map(Node::to_value).collect()),
            Kind::Map(pairs) => {
                Value::Map(pairs.iter().map(|pair| (pair.key.clone(), pair.value.to_value())).collect())
            }
        }
    }

    /// Returns what the node is, for people.
    pub(super) fn kind_word(&self) -> &'static str {
        match &self.kind {
            Kind::Scalar(Value::Null, _) => "nothing",
            Kind::Scalar(Value::Bool(_), _) => "a bool",
            Kind::Scalar(Value::Int(_) | Value::Float(_), _) => "a number",
            Kind::Scalar(..) => "a text",
            Kind::List(_) => "a list",
            Kind::Map(_) => "a mapping",
        }
    }
}

/// Reads the first document in a stretch of a file; null where there is none.
pub(super) fn read(file: &FileText<'_>, range: Range<usize>, diagnostics: &mut Vec<Diagnostic>) -> Node {
    let text = &file.text[range.clone()];
    let places = Places::new(file, range);
    let anchors = HashMap::new();
    let weight = Weight::default();
    let mut builder = Builder { places, diagnostics, open: Vec::new(), root: None, anchors, weight, kept: weight };
    let mut parser = Parser::new_from_str(text);
    while let Some(next) = parser.next_event() {
        let (event, span) = match next {
            Ok(next) => next,
            Err(error) => {
                builder.report(text, &error);
                break;
            }
        };
        if builder.take(event, span).is_break() {
            break;
        }
    }
    builder.finish()
}

fn too_deep(at: Place) -> Diagnostic {
    Diagnostic::error(code::YAML_TOO_DEEP, at, format!("the document nests deeper than {DEPTH_LIMIT} levels"))
}

/// A tab where YAML wants blanks is hard to see, so the diagnostic names it.
fn tab_help(text: &str, index: usize) -> Option<&'static str> {
    let before: String = text.chars().take(index + 1).collect();
    let line = before.rsplit(['\n', '\r']).next().unwrap_or("");
    let has_tab = line.contains('\t') || text.chars().nth(index) == Some('\t');
    has_tab.then_some("YAML takes blanks, not tabs, in front of a line")
}

/// Where the parser's character counts stand in the file.
struct Places<'a> {
    file: &'a FileText<'a>,
    start: usize,
    end: usize,
    /// The byte of each character; `None` where every character is one byte.
    bytes: Option<Vec<usize>>,
}

impl<'a> Places<'a> {
    fn new(file: &'a FileText<'a>, range: Range<usize>) -> Places<'a> {
        let text = &file.text[range.clone()];
        let bytes = (!text.is_ascii()).then(|| text.char_indices().map(|(byte, _)| range.start + byte).collect());
        Places { file, start: range.start, end: range.end, bytes }
    }

    fn byte(&self, index: usize) -> usize {
        match &self.bytes {
            None => (self.start + index).min(self.end),
            Some(bytes) => bytes.get(index).copied().unwrap_or(self.end),
        }
    }

    fn at(&self, from: usize, to: usize) -> Place {
        let start = self.byte(from);
        let end = self.byte(to).max(start);
        let written = self.file.text[start..end].trim_end();
        self.file.place(start..start + written.len())
    }
}

/// A list or mapping that is being read.
struct Open {
    kind: OpenKind,
    anchor: usize,
    at: Place,
}

enum OpenKind {
    List(Vec<Node>),
    Map { pairs: Vec<Pair>, key: Option<Node>, known: HashMap<String, usize>, merged: Vec<Node> },
}

struct Builder<'a, 'd> {
    places: Places<'a>,
    diagnostics: &'d mut Vec<Diagnostic>,
    open: Vec<Open>,
    root: Option<Node>,
    anchors: HashMap<usize, (Node, Weight)>,
    weight: Weight,
    /// What anchors of lists and mappings hold, one in another.
    kept: Weight,
}

/// How much a node is.
#[derive(Clone, Copy, Default)]
struct Weight {
    /// Itself and all nodes in it.
    nodes: usize,
    /// The bytes of their texts.
    bytes: usize,
}

impl Weight {
    fn of(node: &Node) -> Weight {
        let own = Weight { nodes: 1, bytes: 0 };
        match &node.kind {
            Kind::Scalar(_, text) => Weight { nodes: 1, bytes: text.len() },
            Kind::List(items) => items.iter().map(Weight::of).fold(own, Weight::plus),
            Kind::Map(pairs) => pairs.iter().fold(own, |all, pair| {
                all.plus(Weight { nodes: 1, bytes: pair.key.len() }).plus(Weight::of(&pair.value))
            }),
        }
    }

    fn plus(self, more: Weight) -> Weight {
        Weight { nodes: self.nodes + more.nodes, bytes: self.bytes + more.bytes }
    }
}

type Flow = std::ops::ControlFlow<()>;
const ON: Flow = Flow::Continue(());
const STOP: Flow = Flow::Break(());

impl Builder<'_, '_> {
    fn take(&mut self, event: Event<'_>, span: Span) -> Flow {
        let at = self.places.at(span.start.index(), span.end.index());
        match event {
            Event::Nothing | Event::StreamStart | Event::DocumentEnd => ON,
            Event::StreamEnd => STOP,
            Event::DocumentStart(_) if self.root.is_some() => {
                let message = "only the first document of the file is read";
                self.diagnostics.push(Diagnostic::warning(code::YAML_DOCUMENTS, at, message));
                STOP
            }
            Event::DocumentStart(_) => ON,
            Event::Alias(anchor) => self.alias(anchor, at),
            Event::Scalar(text, style, anchor, tag) => {
                let value = self.scalar(&text, style, tag.as_deref(), &at);
                let node = Node { kind: Kind::Scalar(value, text.into_owned()), at };
                let weight = Weight::of(&node);
                self.add(node, anchor, weight)
            }
            Event::SequenceStart(anchor, _) => self.begin(OpenKind::List(Vec::new()), anchor, at),
            Event::MappingStart(anchor, _) => {
                let kind = OpenKind::Map { pairs: Vec::new(), key: None, known: HashMap::new(), merged: Vec::new() };
                self.begin(kind, anchor, at)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(),
        }
    }

    fn report(&mut self, text: &str, error: &ScanError) {
        let index = error.marker().index();
        let at = self.places.at(index, index);
        // The parser looks ahead and has a limit of its own.
        let found = if error.info().contains("recursion limit") {
            too_deep(at)
        } else {
            let message = format!("this is no YAML: {}", error.info());
            Diagnostic::error(code::YAML_SYNTAX, at, message).help_if(tab_help(text, index))
        };
        self.diagnostics.push(found);
    }

    fn begin(&mut self, kind: OpenKind, anchor: usize, at: Place) -> Flow {
        if self.open.len() >= DEPTH_LIMIT {
            self.diagnostics.push(too_deep(at));
            return STOP;
        }
        self.open.push(Open { kind, anchor, at });
        ON
    }

    fn end(&mut self) -> Flow {
        let Some(open) = self.open.pop() else { return ON };
        let anchor = open.anchor;
        let node = close(open);
        // The parts were counted when they were read; an anchor remembers the whole.
        if anchor > 0 {
            let whole = Weight::of(&node);
            self.kept = self.kept.plus(whole);
            self.check(self.kept, &node.at)?;
            self.anchors.insert(anchor, (node.clone(), whole));
        }
        self.add(node, 0, Weight { nodes: 1, bytes: 0 })
    }

    fn alias(&mut self, anchor: usize, at: Place) -> Flow {
        let Some((_, weight)) = self.anchors.get(&anchor) else {
            let message = "the alias names an anchor that isn't complete before it";
            self.diagnostics.push(Diagnostic::error(code::YAML_ALIAS, at.clone(), message));
            let nothing = Node { kind: Kind::Scalar(Value::Null, String::new()), at };
            return self.add(nothing, 0, Weight { nodes: 1, bytes: 0 });
        };
        self.weigh(*weight, &at)?;
        match self.anchors.get(&anchor) {
            Some((node, _)) => self.put(Node { kind: node.kind.clone(), at }),
            None => ON,
        }
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, tag: Option<&Tag>, at: &Place) -> Value {
        let tag = tag.map(|tag| if tag.is_yaml_core_schema() { tag.suffix.as_str() } else { "" });
        match (tag, style) {
            (None, ScalarStyle::Plain) => scalar::resolve(text),
            (None | Some("str"), _) => Value::Text(text.to_owned()),
            (Some("int" | "float" | "bool" | "null"), _) => scalar::resolve(text),
            (Some(_), _) => {
                let message = "the tag isn't known; the value is read as if it weren't there";
                self.diagnostics.push(Diagnostic::warning(code::YAML_TAG, at.clone(), message));
                if style == ScalarStyle::Plain { scalar::resolve(text) } else { Value::Text(text.to_owned()) }
            }
        }
    }

    /// Adds a finished node.
    fn add(&mut self, node: Node, anchor: usize, weight: Weight) -> Flow {
        self.weigh(weight, &node.at)?;
        if anchor > 0 {
            self.anchors.insert(anchor, (node.clone(), weight));
        }
        self.put(node)
    }

    /// Counts what the document holds, and stops where it is too much.
    fn weigh(&mut self, weight: Weight, at: &Place) -> Flow {
        self.weight = self.weight.plus(weight);
        self.check(self.weight, at)
    }

    fn check(&mut self, held: Weight, at: &Place) -> Flow {
        let message = if held.nodes > LIMIT.nodes {
            format!("the document holds more than {} nodes", LIMIT.nodes)
        } else if held.bytes > LIMIT.bytes {
            format!("the document holds more than {} bytes of text, repeated by aliases", LIMIT.bytes)
        } else {
            return ON;
        };
        self.diagnostics.push(Diagnostic::error(code::YAML_TOO_MANY_NODES, at.clone(), message));
        STOP
    }

    /// Puts a node where it belongs.
    fn put(&mut self, node: Node) -> Flow {
        match self.open.last_mut().map(|open| &mut open.kind) {
            None => self.root = Some(node),
            Some(OpenKind::List(items)) => items.push(node),
            Some(OpenKind::Map { key: key @ None, .. }) => *key = Some(node),
            Some(OpenKind::Map { pairs, key, known, merged }) => {
                let key_node = key.take().expect("the arm above takes the other case");
                let is_merge = matches!(&key_node.kind, Kind::Scalar(Value::Text(text), _) if text == "<<");
                match key_node.kind {
                    Kind::Scalar(_, _) if is_merge => merged.push(node),
                    Kind::Scalar(_, key) => {
                        let pair = Pair { key, key_at: key_node.at, value: node };
                        insert(pairs, known, pair, self.diagnostics);
                    }
                    Kind::List(_) | Kind::Map(_) => {
                        let message = "a key must be a word, not a list or a mapping";
                        self.diagnostics.push(Diagnostic::error(code::YAML_KEY, key_node.at, message));
                    }
                }
            }
        }
        ON
    }

    /// Closes what is still open after a break, so that everything before it is kept.
    fn finish(mut self) -> Node {
        while self.root.is_none() {
            let Some(mut open) = self.open.pop() else { break };
            if let OpenKind::Map { pairs, key, known, .. } = &mut open.kind
                && let Some(Node { kind: Kind::Scalar(_, text), at }) = key.take()
            {
                let value = Node { kind: Kind::Scalar(Value::Null, String::new()), at: at.clone() };
                insert(pairs, known, Pair { key: text, key_at: at, value }, self.diagnostics);
            }
            let _ = self.put(close(open));
        }
        self.root.unwrap_or_else(|| {
            let at = self.places.file.place(self.places.start..self.places.start);
            Node { kind: Kind::Scalar(Value::Null, String::new()), at }
        })
    }
}

/// Of a key that stands twice, the last value counts, at the place of the first.
fn insert(pairs: &mut Vec<Pair>, known: &mut HashMap<String, usize>, pair: Pair, diagnostics: &mut Vec<Diagnostic>) {
    match known.get(&pair.key) {
        Some(&index) => {
            let first = pairs[index].key_at.line;
            let message = format!("`{}` stands here again; it is set in line {first} already", pair.key);
            let found = Diagnostic::error(code::YAML_DUPLICATE_KEY, pair.key_at.clone(), message);
            diagnostics.push(found.help("keep one of them"));
            pairs[index] = pair;
        }
        None => {
            known.insert(pair.key.clone(), pairs.len());
            pairs.push(pair);
        }
    }
}

fn close(open: Open) -> Node {
    let kind = match open.kind {
        OpenKind::List(items) => Kind::List(items),
        OpenKind::Map { mut pairs, merged, mut known, .. } => {
            // `<<` brings in what the mapping doesn't set itself.
            let sources = merged.into_iter().flat_map(|node| match node.kind {
                Kind::List(items) => items,
                kind @ (Kind::Map(_) | Kind::Scalar(..)) => vec![Node { kind, at: node.at }],
            });
            for source in sources {
                for pair in source.pairs() {
                    if !known.contains_key(&pair.key) {
                        known.insert(pair.key.clone(), pairs.len());
                        pairs.push(pair.clone());
                    }
                }
            }
            Kind::Map(pairs)
        }
    };
    Node { kind, at: open.at }
}
