//! Reads which tools a Python file declares, without running or understanding it.
//!
//! A tool is a function under an `@tool` decorator at the left margin (M196); a validation tool is known by its name
//! (M208).

use super::text::FileText;
use super::tools::Tool;
use crate::diagnostic::Spanned;
use crate::name::Name;

/// The first letters of the name of a validation tool (M208).
pub(super) const VALIDATION_PREFIX: &str = "run_after_setting_";

/// A declaration spans at most this many lines.
const DECLARATION_LINES: usize = 200;

/// Returns the declarations of a file: each decorator with the head of its function, without the body.
pub(super) fn outline(source: &str) -> String {
    let lines: Vec<&str> = source.lines().collect();
    let mut outline = String::new();
    let mut line = 0;
    while line < lines.len() {
        let Some(end) = declaration_end(&lines, line) else {
            line += 1;
            continue;
        };
        for part in &lines[line..end] {
            outline.push_str(part);
            outline.push('\n');
        }
        outline.push_str("    ...\n");
        line = end;
    }
    outline
}

/// Reads the tools of a file or of its outline.
pub(super) fn tools(file: &FileText<'_>) -> Vec<Tool> {
    let mut tools = Vec::new();
    let mut decorated = false;
    for index in 0..file.line_count() {
        let range = file.line(index);
        let line = &file.text[range.clone()];
        if is_decorator(line) {
            decorated = true;
        } else if let Some(name) = function_name(line) {
            if decorated && !name.starts_with(VALIDATION_PREFIX) {
                let start = range.start + line.find(name).unwrap_or(0);
                tools.push(Tool {
                    name: Spanned { value: Name::from(name), at: file.place(start..start + name.len()) },
                });
            }
            decorated = false;
        }
    }
    tools
}

/// Returns the line behind the head of a declaration that begins in a line.
fn declaration_end(lines: &[&str], start: usize) -> Option<usize> {
    let is_validation = function_name(lines[start]).is_some_and(|name| name.starts_with(VALIDATION_PREFIX));
    if !is_decorator(lines[start]) && !is_validation {
        return None;
    }
    let limit = lines.len().min(start + DECLARATION_LINES);
    let function = (start..limit).find(|line| function_name(lines[*line]).is_some())?;
    let end = (function..limit).find(|line| lines[*line].trim_end().ends_with(':'))?;
    Some(end + 1)
}

fn is_decorator(line: &str) -> bool {
    line.strip_prefix("@tool").is_some_and(|rest| rest.is_empty() || rest.starts_with(['(', ' ', '\n', '\r']))
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

    const SOURCE: &str = "import os\nKEY = 'secret'\n\n@tool(\n    description=\"Finds a depot\",\n)\nasync def find_depot(\n    postcode: str, context: ToolContext\n) -> ToolResult:\n    return ToolResult()\n\ndef helper():\n    pass\n\nasync def run_after_setting_day(context):\n    pass\n";

    #[test]
    fn an_outline_holds_declarations_and_no_code() {
        let outline = outline(SOURCE);
        assert!(!outline.contains("secret") && !outline.contains("return") && !outline.contains("helper"));
        assert!(outline.contains("postcode: str") && outline.contains("run_after_setting_day"));
    }

    #[test]
    fn a_file_and_its_outline_declare_the_same_tools() {
        for source in [SOURCE.to_owned(), outline(SOURCE)] {
            let file = FileText::new(Name::from("tools.py"), source.as_bytes(), &mut Vec::new());
            let names: Vec<_> = tools(&file).into_iter().map(|tool| tool.name.value).collect();
            assert_eq!(names, [Name::from("find_depot")]);
        }
    }
}
