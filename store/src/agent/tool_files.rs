//! Reads which tools a Python file declares and which memory it names, without running or understanding it.
//!
//! A tool is a function under an `@tool` decorator at the left margin (M196); a validation tool is known by its name
//! (M208). Of memory, only calls with a literal name are told (M15); the rest is unknown.

use std::ops::Range;

use super::python::Python;
use super::text::FileText;
use super::tools::{Tool, ToolParameter};
use crate::diagnostic::Spanned;
use crate::name::Name;

/// The first letters of the name of a validation tool (M208).
pub(super) const VALIDATION_PREFIX: &str = "run_after_setting_";

/// A declaration spans at most this many lines.
const DECLARATION_LINES: usize = 200;

/// What a Python file says that matters here.
#[derive(Debug, Default, PartialEq)]
pub(super) struct ToolFile {
    /// Tools and validation tools, in the order of the file.
    pub(super) declared: Vec<Declared>,
    /// Reads and writes of memory.
    pub(super) calls: Vec<MemoryCall>,
    /// Whether memory may be written in a way that isn't told: through a name that isn't literal, or elsewhere.
    pub(super) has_unknown_writes: bool,
    /// Whether memory may be read in a way that isn't told.
    pub(super) has_unknown_reads: bool,
    /// The skills that `ActivateSkill` names (M351).
    pub(super) starts: Vec<Name>,
    /// Whether `ActivateSkill` is called with a name that isn't literal.
    pub(super) has_unknown_starts: bool,
}

/// A function that the engine knows.
#[derive(Debug, PartialEq)]
pub(super) struct Declared {
    pub(super) name: Spanned<Name>,
    /// Whether it is a validation tool (M208) and not offered.
    pub(super) is_validation: bool,
    /// Whether the decorator is called with a description (M196).
    pub(super) has_description: bool,
    /// Whether it is an `async def` (M196).
    pub(super) is_async: bool,
    /// Its parameters without `context` (M197).
    pub(super) parameters: Vec<ToolParameter>,
    /// Whether it takes any argument (`**kwargs`), so that its parameters aren't all.
    pub(super) takes_any: bool,
}

/// A `context.memory.get` or `set` with a literal name.
#[derive(Debug, PartialEq)]
pub(super) struct MemoryCall {
    pub(super) writes: bool,
    pub(super) key: Spanned<Name>,
    /// The function at the left margin around it.
    pub(super) function: Name,
}

/// Returns what is kept of a file: each decorator with the head of its function, and the literal names of memory and
/// skills, each where it stands. All else is blank.
pub(super) fn outline(source: &str) -> String {
    let python = Python::read(source);
    let lines = lines(source);
    let mut kept: Vec<Range<usize>> = heads(&python, &lines);
    for found in mentions(&python) {
        kept.push(found.at);
    }
    kept.sort_by_key(|range| range.start);
    let mut outline = String::new();
    let mut next = kept.iter().peekable();
    let mut end = 0;
    for (at, character) in source.char_indices() {
        while let Some(range) = next.next_if(|range| range.start <= at) {
            end = end.max(range.end);
        }
        match character {
            '\n' => {
                outline.truncate(outline.trim_end_matches(' ').len());
                outline.push('\n');
            }
            '\r' => outline.push('\r'),
            kept if at < end => outline.push(kept),
            _ => outline.push(' '),
        }
    }
    outline.truncate(outline.trim_end().len());
    outline.push('\n');
    outline
}

/// Reads the tools of a file or of its outline.
pub(super) fn tools(file: &FileText<'_>) -> Vec<Tool> {
    let declared = read(file).declared.into_iter().filter(|declared| !declared.is_validation);
    let tool = |Declared { name, parameters, takes_any, .. }| Tool { name, parameters, takes_any };
    declared.map(tool).collect()
}

/// Reads the entries that have a validation tool in a file (M208).
pub(super) fn validated(file: &FileText<'_>) -> Vec<Name> {
    let declared = read(file).declared.into_iter();
    declared.filter_map(|tool| tool.name.value.strip_prefix(VALIDATION_PREFIX).map(Name::from)).collect()
}

/// Reads a file or its outline.
pub(super) fn read(file: &FileText<'_>) -> ToolFile {
    let python = Python::read(&file.text);
    let lines = lines(&file.text);
    let mut read = ToolFile::default();
    let mut functions: Vec<(usize, Name)> = Vec::new();
    let mut decorator: Option<usize> = None;
    for line in &lines {
        let text = &python.code[line.clone()];
        if is_decorator(text) {
            decorator = Some(line.start);
        } else if let Some(name) = function_name(text) {
            functions.push((line.start, Name::from(name)));
            let is_validation = name.starts_with(VALIDATION_PREFIX);
            if decorator.is_some() || is_validation {
                read.declared.push(declared(file, &python, line, name, decorator));
            }
            decorator = None;
        }
    }
    let function = |at: usize| {
        let around = functions.partition_point(|(start, _)| *start <= at).checked_sub(1);
        around.map_or_else(Name::default, |index| functions[index].1.clone())
    };
    let heads = heads(&python, &lines);
    for Mention { at, kind, literal } in mentions(&python) {
        if heads.iter().any(|head| head.contains(&at.start)) {
            continue;
        }
        let name = literal.map(|range| {
            let place = file.place(range.start - 1..range.end + 1);
            Spanned { value: Name::from(&file.text[range]), at: place }
        });
        match (kind, name) {
            (MentionKind::Get | MentionKind::Set, Some(key)) => {
                let writes = kind == MentionKind::Set;
                read.calls.push(MemoryCall { writes, key, function: function(at.start) });
            }
            (MentionKind::Get, None) => read.has_unknown_reads = true,
            (MentionKind::Set, None) => read.has_unknown_writes = true,
            (MentionKind::Elsewhere, _) => (read.has_unknown_reads, read.has_unknown_writes) = (true, true),
            (MentionKind::Start, Some(skill)) => read.starts.push(skill.value),
            (MentionKind::Start, None) => read.has_unknown_starts = true,
        }
    }
    read
}

fn declared(
    file: &FileText<'_>,
    python: &Python,
    line: &Range<usize>,
    name: &str,
    decorator: Option<usize>,
) -> Declared {
    let text = &python.code[line.clone()];
    let start = line.start + text.find(name).unwrap_or(0);
    let head = decorator.map_or("", |decorator| &python.code[decorator..line.start]);
    let has_words = head.contains('(') && (head.contains("description") || head.contains(['"', '\'']));
    let open = python.skip_blanks(start + name.len());
    let close = python.code[open..].starts_with('(').then(|| python.close(open)).flatten();
    let inside = close.map_or(open..open, |close| open + 1..close - 1);
    let (parameters, takes_any) = parameters(&python.code[inside]);
    Declared {
        name: Spanned { value: Name::from(name), at: file.place(start..start + name.len()) },
        is_validation: name.starts_with(VALIDATION_PREFIX),
        has_description: has_words,
        is_async: text.starts_with("async "),
        parameters,
        takes_any,
    }
}

/// Reads the parameters between the brackets of a head, without `context`.
fn parameters(inside: &str) -> (Vec<ToolParameter>, bool) {
    let mut depth = 0_i32;
    let parts = inside.split(|c: char| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    });
    let mut parameters = Vec::new();
    let mut takes_any = false;
    for part in parts.map(str::trim).filter(|part| !matches!(*part, "" | "*" | "/")) {
        takes_any |= part.starts_with('*');
        let end = part.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        if !name.is_empty() && name != "context" {
            let is_required = rest.trim_start().starts_with(':') && !rest.contains('=');
            parameters.push(ToolParameter { name: Name::from(name), is_required, json_type: json_type(rest) });
        }
    }
    (parameters, takes_any)
}

/// Returns the JSON type of what follows the name of a parameter (M197): `: int = 3` is an integer.
fn json_type(rest: &str) -> Option<&'static str> {
    let annotation = rest.trim_start().strip_prefix(':')?;
    let annotation: String = annotation.split('=').next()?.split_whitespace().collect();
    // In quotes, its letters are part of a string, and strings are blanked.
    if annotation.contains(['"', '\'']) {
        return None;
    }
    let inner = annotation.strip_prefix("Optional[").and_then(|inner| inner.strip_suffix(']'));
    let inner = inner.or_else(|| annotation.strip_suffix("|None")).unwrap_or(&annotation);
    Some(match inner {
        "int" => "integer",
        "float" => "number",
        "bool" => "boolean",
        "list" | "list[str]" => "array",
        _ => "string",
    })
}

/// A place where code names memory or a skill.
struct Mention {
    /// What is kept of it.
    at: Range<usize>,
    kind: MentionKind,
    /// The inside of the literal name.
    literal: Option<Range<usize>>,
}

#[derive(Clone, Copy, PartialEq)]
enum MentionKind {
    /// `memory.get(…)`.
    Get,
    /// `memory.set(…)`.
    Set,
    /// `context` or `context.memory` goes elsewhere, where it may be written.
    Elsewhere,
    /// `ActivateSkill(…)`.
    Start,
}

fn mentions(python: &Python) -> Vec<Mention> {
    let mut found = Vec::new();
    for word in python.words("memory") {
        let rest = &python.code[word.end..];
        let kind = match rest.trim_start().strip_prefix('.').map(str::trim_start) {
            Some(method) if method.starts_with("get") => MentionKind::Get,
            Some(method) if method.starts_with("set") => MentionKind::Set,
            Some(_) | None => {
                if python.code[..word.start].ends_with("context.") {
                    found.push(Mention {
                        at: word.start - "context.".len()..word.end,
                        kind: MentionKind::Elsewhere,
                        literal: None,
                    });
                }
                continue;
            }
        };
        let open = word.end + rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | ' ' | '_')).unwrap_or(0);
        if python.code[open..].starts_with('(') {
            found.push(call(python, word.start, open, kind));
        }
    }
    for word in python.words("ActivateSkill") {
        let mut open = python.skip_blanks(word.end);
        if python.code[open..].starts_with('(') {
            let argument = python.skip_blanks(open + 1);
            if let Some(rest) = python.code[argument..].strip_prefix("skill_id") {
                open = argument + "skill_id".len() + (rest.len() - rest.trim_start().len());
            }
            found.push(call(python, word.start, open, MentionKind::Start));
        }
    }
    for word in python.words("context") {
        let next = python.skip_blanks(word.end);
        if python.code[next..].starts_with([',', ')']) {
            found.push(Mention { at: word.start..next + 1, kind: MentionKind::Elsewhere, literal: None });
        }
    }
    found
}

/// Reads the first argument behind a bracket or an equals sign.
fn call(python: &Python, start: usize, open: usize, kind: MentionKind) -> Mention {
    let argument = python.skip_blanks(open + 1);
    // `"a" + b` and `"a".format(b)` say more than the string.
    let is_alone = |end: usize| python.code[python.skip_blanks(end)..].starts_with([',', ')']);
    let end = python.literal(argument).map(|literal| literal.end);
    let literal = end.filter(|end| is_alone(*end)).and_then(|_| python.plain_literal(argument));
    let kept = match end {
        Some(end) => python.skip_blanks(end) + 1,
        // One letter is enough to show that no literal stands here.
        None => argument + python.code[argument..].chars().next().map_or(0, char::len_utf8),
    };
    Mention { at: start..kept.min(python.code.len()), kind, literal }
}

/// Returns the bytes of each declaration: from its decorator to the colon of its head.
fn heads(python: &Python, lines: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut heads = Vec::new();
    let mut line = 0;
    while line < lines.len() {
        let text = |line: usize| &python.code[lines[line].clone()];
        let is_validation = function_name(text(line)).is_some_and(|name| name.starts_with(VALIDATION_PREFIX));
        let limit = lines.len().min(line + DECLARATION_LINES);
        let starts = is_decorator(text(line)) || is_validation;
        let function = starts.then(|| (line..limit).find(|line| function_name(text(*line)).is_some())).flatten();
        let end = function.and_then(|function| (function..limit).find(|line| text(*line).trim_end().ends_with(':')));
        match end {
            Some(end) => {
                heads.push(lines[line].start..lines[end].end);
                line = end + 1;
            }
            None => line += 1,
        }
    }
    heads
}

/// Returns the bytes of each line without its end.
fn lines(source: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    source
        .split_inclusive('\n')
        .map(|line| {
            let range = start..start + line.trim_end_matches(['\n', '\r']).len();
            start += line.len();
            range
        })
        .collect()
}

fn is_decorator(line: &str) -> bool {
    line.strip_prefix("@tool").is_some_and(|rest| rest.is_empty() || rest.starts_with(['(', ' ']))
}

fn function_name(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("async ").unwrap_or(line).trim_start().strip_prefix("def ")?;
    if !line.starts_with("async ") && !line.starts_with("def ") {
        return None;
    }
    let name = rest.trim_start();
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    (end > 0).then(|| &name[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "import os\nKEY = 'secret'\n\n@tool(\n    description=\"Finds a depot\",\n)\nasync def find_depot(\n    postcode: str, limit: int = 3, *, context: ToolContext\n) -> ToolResult:\n    day = context.memory.get('day')  # context.memory.set('not')\n    context.memory.set(\n        \"depot\", look_up(day)\n    )\n    context.memory.set(KEY + 'x', 1)\n    return ToolResult(next=[ActivateSkill(\"prices\")])\n\ndef helper():\n    pass\n\nasync def run_after_setting_day(context):\n    pass\n";

    fn file(source: &str) -> FileText<'_> {
        FileText::new(Name::from("tools.py"), source.as_bytes(), &mut Vec::new())
    }

    #[test]
    fn an_outline_holds_declarations_and_names_and_no_code() {
        let outline = outline(SOURCE);
        assert!(!outline.contains("secret") && !outline.contains("return") && !outline.contains("helper"));
        assert!(outline.contains("postcode: str") && outline.contains("run_after_setting_day"));
        assert_eq!(outline.lines().nth(9), Some("                  memory.get('day')"));
    }

    #[test]
    fn a_file_and_its_outline_say_the_same() {
        let outlined = outline(SOURCE);
        let (whole, kept) = (read(&file(SOURCE)), read(&file(&outlined)));
        let names: Vec<_> = whole.declared.iter().map(|tool| tool.name.value.as_str()).collect();
        assert_eq!(names, ["find_depot", "run_after_setting_day"]);
        let keys: Vec<_> = whole.calls.iter().map(|call| (call.writes, call.key.value.as_str())).collect();
        assert_eq!(keys, [(false, "day"), (true, "depot")]);
        let required: Vec<_> = whole.declared[0].parameters.iter().map(|parameter| parameter.is_required).collect();
        assert_eq!(required, [true, false]);
        assert!(whole.has_unknown_writes && whole.declared[0].has_description && whole.declared[0].is_async);
        assert_eq!(whole.starts, [Name::from("prices")]);
        let lines =
            |read: &ToolFile| read.calls.iter().map(|call| (call.key.at.line, call.key.at.column)).collect::<Vec<_>>();
        assert_eq!(lines(&whole), lines(&kept));
        assert_eq!(
            (whole.declared.len(), whole.starts, whole.has_unknown_writes),
            (kept.declared.len(), kept.starts, kept.has_unknown_writes)
        );
        assert_eq!(outline(&outlined), outlined, "an outline is its own outline");
    }
}
