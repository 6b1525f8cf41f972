//! A page as one HTML file: no scripts, nothing that is loaded from elsewhere.

use std::fmt::Write;

use super::Block;
use crate::visible::{lines, visible};

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}\
pre,td,code{font-family:ui-monospace,monospace;font-size:.85rem}\
pre{white-space:pre-wrap;overflow-wrap:anywhere;padding:.5rem;border:1px solid #8886;border-radius:4px}\
table{border-collapse:collapse}td,th{border:1px solid #8886;padding:.2rem .5rem;text-align:left;overflow-wrap:anywhere}\
blockquote{margin:.5rem 0;padding:.2rem 1rem;border-left:4px solid #8888;white-space:pre-wrap}\
dt{font-weight:bold}dd{margin:0 0 .3rem 1rem}";

/// Returns how a page begins; the first one begins the document.
pub(super) fn title(title: &str, is_first: bool) -> String {
    let title = escaped(title);
    let begin = if is_first { begin(&title) } else { String::new() };
    format!("{begin}<h1>{title}</h1>\n")
}

fn begin(title: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
         </head>\n<body>\n"
    )
}

/// Returns the end of the document, which is all of it where it has no page.
pub(super) fn end(is_empty: bool) -> String {
    let begin = if is_empty { begin("") } else { String::new() };
    format!("{begin}</body>\n</html>\n")
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
            let _ = writeln!(out, "<h2>{}</h2>", escaped(text));
        }
        Block::Facts(facts) => {
            out.push_str("<dl>\n");
            for (name, text) in facts {
                let _ = writeln!(out, "<dt>{}</dt><dd>{}</dd>", escaped(name), escaped(text));
            }
            out.push_str("</dl>\n");
        }
        Block::Said { who, text } => {
            let text: Vec<String> = lines(text).map(escaped).collect();
            let _ = writeln!(out, "<blockquote><strong>{}</strong>: {}</blockquote>", escaped(who), text.join("\n"));
        }
        Block::Lines(rows) => {
            let rows: Vec<String> = rows.iter().flat_map(|row| lines(row)).map(escaped).collect();
            let _ = writeln!(out, "<pre>{}</pre>", rows.join("\n"));
        }
        Block::Table(head, rows) => {
            let _ = writeln!(out, "<table>\n<tr><th>{}</th></tr>", head.join("</th><th>"));
            for row in rows {
                let cells: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
                let _ = writeln!(out, "<tr><td>{}</td></tr>", cells.join("</td><td>"));
            }
            out.push_str("</table>\n");
        }
    }
}

fn escaped(text: &str) -> String {
    let shown = visible(text);
    shown.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}
