//! The panels of the debugger, and where they stand on a screen of a given size.
//!
//! ```text
//! 80x24                120x40                   200x60
//! +--------+-------+   +--------+----------+    +--------+-------+-------+--------+
//! |timeline| slot  |   |timeline| memory   |    |timeline| conv. |memory | prompt |
//! |        |       |   |        +----------+    |        +-------+       |        |
//! |        |       |   +--------+ slot     |    |        | stack |       |        |
//! |        |       |   | stack  |          |    +--------+-------+-------+--------+
//! +--------+-------+   +--------+----------+    | slot                            |
//! ```
//!
//! From 120 columns on the conversation stands beside the prompt, where that is what is looked at:
//!
//! ```text
//! 120x24                         120x40
//! +--------+-------+--------+   +--------+----------+
//! |timeline| conv. | prompt |   |timeline| memory   |
//! |        |       |        |   +--------+----------+
//! |        |       |        |   | conv.  | prompt   |
//! +--------+-------+--------+   +--------+----------+
//! ```
//!
//! The slot shows the panel without a place of its own that had the keys last. From 100 columns on, or 30 rows, the whole
//! session stands above all panels: in one row, in two from 30 rows on.

use ratatui::layout::Rect;

/// A panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Panel {
    /// All events, grouped by turns.
    Timeline,
    /// What user and agent said.
    Conversation,
    /// The memory entries.
    Memory,
    /// The skill stack.
    Stack,
    /// The prompt of the last model call.
    Prompt,
    /// The event at the cursor and its raw record.
    Event,
    /// What looks wrong in the record.
    Findings,
    /// The last answer to a question.
    Answer,
    /// What was decided in the step to the cursor.
    Decisions,
}

impl Panel {
    /// All panels in the order of their numbers.
    pub const ALL: [Panel; 9] = [
        Panel::Timeline,
        Panel::Conversation,
        Panel::Memory,
        Panel::Stack,
        Panel::Prompt,
        Panel::Event,
        Panel::Findings,
        Panel::Answer,
        Panel::Decisions,
    ];

    /// Returns its number on the screen, from 1.
    pub fn number(self) -> usize {
        self as usize + 1
    }

    /// Returns its title.
    pub fn title(self) -> &'static str {
        match self {
            Panel::Timeline => "timeline",
            Panel::Conversation => "conversation",
            Panel::Memory => "memory",
            Panel::Stack => "stack",
            Panel::Prompt => "prompt",
            Panel::Event => "event",
            Panel::Findings => "findings",
            Panel::Answer => "answer",
            Panel::Decisions => "decisions",
        }
    }
}

/// Where everything stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The row on top: which session, and where in it.
    pub title: Rect,
    /// The rows below it that show the whole session; empty where there is no room.
    pub overview: Rect,
    /// The panels, each with its title row.
    pub panels: Vec<(Panel, Rect)>,
    /// What the event at the cursor did, in two rows, or one where a panel is alone; empty where the event has a panel or there is no room.
    pub summary: Rect,
    /// The row at the bottom: keys, messages, and lines being typed.
    pub foot: Rect,
}

/// What the layout depends on beside the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrangement<'a> {
    /// The panel that has the keys.
    pub focus: Panel,
    /// The panels in the order in which they last had them.
    pub recent: &'a [Panel],
    /// Whether the panel is alone on the screen.
    pub zoomed: bool,
}

/// Returns whether a screen of this size can show anything.
pub fn is_large_enough(area: Rect) -> bool {
    area.width >= 40 && area.height >= 10
}

/// Lays the screen out.
pub fn layout(area: Rect, arrangement: Arrangement<'_>) -> Layout {
    let [title, rest] = split_top(area, 1);
    let [rest, foot] = split_bottom(rest, 1);
    let focus = arrangement.focus;
    if arrangement.zoomed {
        let [panel, summary] = split_bottom(rest, u16::from(area.height >= 12 && focus != Panel::Event));
        return Layout { title, overview: Rect::default(), panels: vec![(focus, panel)], summary, foot };
    }
    let [overview, rest] = split_top(rest, overview_height(area));
    if area.width >= 160 && area.height >= 30 {
        return Layout { title, overview, panels: wide(rest, arrangement), summary: Rect::default(), foot };
    }
    let [body, summary] = split_bottom(rest, if area.height >= 18 { 2 } else { 0 });
    let is_pair = area.width >= 120 && is_pair(arrangement);
    let panels = if is_pair && area.height >= 30 {
        pair(body)
    } else if is_pair && focus != Panel::Memory {
        let [timeline, rest] = split_left(body, body.width * 30 / 100);
        let [conversation, prompt] = split_left(rest, body.width * 30 / 100);
        vec![(Panel::Timeline, timeline), (Panel::Conversation, conversation), (Panel::Prompt, prompt)]
    } else if area.width >= 110 && area.height >= 30 {
        medium(body, arrangement)
    } else if area.width >= 70 {
        let [left, right] = split_left(body, body.width * 45 / 100);
        vec![(Panel::Timeline, left), (slot(arrangement, &[Panel::Timeline]), right)]
    } else if body.height >= 16 {
        let [top, bottom] = split_top(body, body.height / 2);
        vec![(Panel::Timeline, top), (slot(arrangement, &[Panel::Timeline]), bottom)]
    } else {
        vec![(focus, body)]
    };
    Layout { title, overview, panels, summary, foot }
}

fn overview_height(area: Rect) -> u16 {
    match (area.width, area.height) {
        (_, 30..) => 2,
        (100.., 20..) => 1,
        _ => 0,
    }
}

fn medium(body: Rect, arrangement: Arrangement<'_>) -> Vec<(Panel, Rect)> {
    let [left, right] = split_left(body, body.width * 42 / 100);
    let [timeline, stack] = split_bottom(left, 7);
    let [memory, other] = split_top(right, right.height * 55 / 100);
    let slot = slot(arrangement, &[Panel::Timeline, Panel::Memory, Panel::Stack]);
    vec![(Panel::Timeline, timeline), (slot, other), (Panel::Memory, memory), (Panel::Stack, stack)]
}

/// Returns whether the prompt is what is looked at beside timeline and conversation, so that the two stand side by side.
fn is_pair(arrangement: Arrangement<'_>) -> bool {
    let others = [Panel::Timeline, Panel::Conversation, Panel::Memory, Panel::Stack];
    arrangement.focus != Panel::Stack && slot(arrangement, &others) == Panel::Prompt
}

fn pair(body: Rect) -> Vec<(Panel, Rect)> {
    let [top, bottom] = split_top(body, body.height * 40 / 100);
    let columns = body.width * 42 / 100;
    let [timeline, memory] = split_left(top, columns);
    let [conversation, prompt] = split_left(bottom, columns);
    vec![
        (Panel::Timeline, timeline),
        (Panel::Conversation, conversation),
        (Panel::Memory, memory),
        (Panel::Prompt, prompt),
    ]
}

fn wide(body: Rect, arrangement: Arrangement<'_>) -> Vec<(Panel, Rect)> {
    let [columns, bottom] = split_bottom(body, body.height / 4);
    let [timeline, rest] = split_left(columns, columns.width * 25 / 100);
    let [second, rest] = split_left(rest, columns.width * 24 / 100);
    let [memory, prompt] = split_left(rest, columns.width * 24 / 100);
    let [conversation, stack] = split_bottom(second, second.height / 4);
    let slot = slot(arrangement, &[Panel::Timeline, Panel::Conversation, Panel::Memory, Panel::Stack, Panel::Prompt]);
    vec![
        (Panel::Timeline, timeline),
        (Panel::Conversation, conversation),
        (Panel::Memory, memory),
        (Panel::Stack, stack),
        (Panel::Prompt, prompt),
        (slot, bottom),
    ]
}

/// Returns the panel for the slot: the last one with the keys that has no place of its own.
fn slot(arrangement: Arrangement<'_>, placed: &[Panel]) -> Panel {
    let recent = std::iter::once(&arrangement.focus).chain(arrangement.recent);
    recent.copied().find(|panel| !placed.contains(panel)).unwrap_or(Panel::Event)
}

fn split_top(area: Rect, height: u16) -> [Rect; 2] {
    let height = height.min(area.height);
    [Rect { height, ..area }, Rect { y: area.y + height, height: area.height - height, ..area }]
}

fn split_bottom(area: Rect, height: u16) -> [Rect; 2] {
    split_top(area, area.height - height.min(area.height))
}

fn split_left(area: Rect, width: u16) -> [Rect; 2] {
    let width = width.min(area.width);
    [Rect { width, ..area }, Rect { x: area.x + width, width: area.width - width, ..area }]
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECENT: [[Panel; 6]; 2] = [
        [Panel::Memory, Panel::Conversation, Panel::Event, Panel::Prompt, Panel::Findings, Panel::Stack],
        [Panel::Memory, Panel::Prompt, Panel::Conversation, Panel::Event, Panel::Findings, Panel::Stack],
    ];

    #[test]
    fn the_panel_with_the_keys_is_always_on_the_screen_and_panels_never_overlap() {
        for (width, height) in
            [(40, 10), (60, 20), (69, 40), (80, 24), (109, 60), (120, 24), (120, 40), (160, 29), (200, 60)]
        {
            for focus in Panel::ALL {
                for (zoomed, recent) in
                    [false, true].into_iter().flat_map(|zoomed| RECENT.map(|recent| (zoomed, recent)))
                {
                    let area = Rect::new(0, 0, width, height);
                    let layout = layout(area, Arrangement { focus, recent: &recent, zoomed });
                    let at = format!("{width}x{height} {focus:?}");
                    assert!(layout.panels.iter().any(|(panel, _)| *panel == focus), "{at}: not shown");
                    let areas: Vec<Rect> = layout.panels.iter().map(|(_, area)| *area).collect();
                    let total: u32 = areas.iter().map(|area| area.area()).sum();
                    let rest =
                        layout.title.area() + layout.overview.area() + layout.summary.area() + layout.foot.area();
                    assert_eq!(total + rest, area.area(), "{at}: covered");
                    for (index, one) in areas.iter().enumerate() {
                        assert!(areas[index + 1..].iter().all(|other| one.intersection(*other).is_empty()), "{at}");
                    }
                }
            }
        }
    }
}
