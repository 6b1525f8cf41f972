//! A page as one HTML file: no scripts, nothing that is loaded from elsewhere.

use std::fmt::Write;

use super::{Block, Page};
use crate::visible::{lines, visible};

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}\
pre,td,code{font-family:ui-monospace,monospace;font-size:.85rem}\
pre{white-space:pre-wrap;overflow-wrap:anywhere;padding:.5rem;border:1px solid #8886;border-radius:4px}\
table{border-collapse:collapse}td,th{border:1px solid #8886;padding:.2rem .5rem;text-align:left;overflow-wrap:anywhere}\
blockquote{margin:.5rem 0;padding:.2rem 1rem;border-left:4px solid #8888;white-space:pre-wrap}\
dt{font-weight:bold}dd{margin:0 0 .3rem 1rem}";

/// Returns pages as one HTML document. Nothing in it is invisible, and no text of a record is markup.
pub fn html(pages: &[Page]) -> String {
    let title = pages.first().map(|page| escaped(&page.title)).unwrap_or_default();
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
         </head>\n<body>\n"
    );
    for page in pages {
        let _ = writeln!(out, "<h1>{}</h1>", escaped(&page.title));
        page.blocks.iter().for_each(|block| write_block(&mut out, block));
    }
    out.push_str("</body>\n</html>\n");
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
