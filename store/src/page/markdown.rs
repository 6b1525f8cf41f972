//! A page as Markdown.

use std::fmt::Write;

use super::Block;
use crate::visible::{lines, visible};

/// Returns how a page begins.
pub(super) fn title(title: &str) -> String {
    format!("# {}\n\n", escaped(title))
}

/// Returns a block.
pub(super) fn block(block: &Block) -> String {
    let mut out = String::new();
    write_block(&mut out, block);
    out
}

fn write_block(out: &mut String, block: &Block) {
    match block {
        Block::Heading(text) => {
            let _ = writeln!(out, "## {}\n", escaped(text));
        }
        Block::Facts(facts) => {
            for (name, text) in facts {
                let _ = writeln!(out, "- **{}**: {}", escaped(name), escaped(text));
            }
            out.push('\n');
        }
        Block::Said { who, text } => {
            let _ = writeln!(out, "> **{}**:", escaped(who));
            for line in lines(text) {
                let _ = writeln!(out, "> {}  ", escaped(line));
            }
            out.push('\n');
        }
        Block::Lines(rows) => {
            let shown: Vec<_> = rows.iter().flat_map(|row| lines(row)).map(visible).collect();
            let longest = shown.iter().flat_map(|row| row.split(|one| one != '`')).map(str::len).max().unwrap_or(0);
            let fence = "`".repeat(longest.max(2) + 1);
            let _ = writeln!(out, "{fence}text\n{}\n{fence}\n", shown.join("\n"));
        }
        Block::Table(head, rows) => {
            let _ = writeln!(out, "| {} |", head.join(" | "));
            let _ = writeln!(out, "|{}", " --- |".repeat(head.len()));
            for row in rows {
                let cells: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
                let _ = writeln!(out, "| {} |", cells.join(" | "));
            }
            out.push('\n');
        }
    }
}

/// Returns a text that Markdown shows as it is.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in visible(text).chars() {
        if matches!(character, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '&' | '!' | '@') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}
