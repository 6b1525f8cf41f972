//! What can be asked of the debugger.

use crate::app::Message;
use crate::copy::Part;
use crate::key::Key;
use crate::panel::Panel;
use crate::rows::Direction;
use crate::stop::Stop;
use crate::theme::Theme;

/// A wish; [`crate::update`] fulfils it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A key was pressed; what it means depends on what is open.
    Press(Key),
    /// Nothing was pressed for a while: a sequence that was begun is given up.
    Pause,
    /// No key waits: a search that goes on looks at the next events.
    Tick,
    /// The screen has another size: columns and rows.
    Resize(u16, u16),
    /// The mouse was pressed at a column and row.
    Click(u16, u16),
    /// The mouse was pressed again at once at the same place, after a [`Action::Click`].
    DoubleClick(u16, u16),
    /// The wheel was turned at a column and row.
    Wheel(u16, u16, Direction),
    /// One event on or back.
    Step(Direction),
    /// To the next or previous stop of a kind.
    To(Stop, Direction),
    /// One row in the panel with the keys; in the timeline one event.
    Line(Direction),
    /// Half a page.
    HalfPage(Direction),
    /// A page.
    Page(Direction),
    /// To the start, or the first row.
    Start,
    /// To the end, or the last row; with a count to that position.
    End,
    /// To the end of a session that is followed, and stays there.
    Follow,
    /// Chooses what the next key of [`Action::Step`] steps over.
    StepSize,
    /// Explains what is under the cursor.
    Explain,
    /// Who may read and write what at the cursor.
    Access,
    /// Opens the line of the agent folder behind the row under the cursor.
    Edit,
    /// Begins to type a note on the event at the cursor.
    Note,
    /// To the event that set the memory entry under the cursor.
    Writer,
    /// To the next event that sets it.
    NextWrite,
    /// Sets or takes away a breakpoint on what is under the cursor.
    Breakpoint,
    /// Sets or takes away a breakpoint on events like the one at the cursor.
    BreakpointKind,
    /// To the next or previous breakpoint.
    Continue(Direction),
    /// Lists the reads of the value under the cursor.
    Reads,
    /// Pins the position at the cursor, or lets it loose again.
    Pin,
    /// Shows what is different between the pinned position and the cursor.
    Compare,
    /// Marks the event at the cursor; the next key is the mark's name.
    Mark,
    /// To the mark that the next key names.
    ToMark,
    /// Back to where the user was before the last jump, or forward again.
    Jump(Direction),
    /// Gives a panel the keys.
    Focus(Panel),
    /// Gives the next or previous panel the keys.
    FocusNext(Direction),
    /// Details of the row under the cursor.
    Open,
    /// The panel alone on the screen, and back.
    Zoom,
    /// Closes what is open.
    Close,
    /// The prompt at the cursor in place of the last call's, and back.
    Hypothetical,
    /// Copies a part of the row under the cursor.
    Copy(Part),
    /// Takes another theme.
    Theme(Theme),
    /// Says what the terminal's loop has to say.
    Say(Message),
    /// What changed in the prompt since the call before, in place of the prompt, and back.
    Changes,
    /// What is withheld from the prompt, where it would stand, and back.
    Holes,
    /// JSON broken into lines, or as it is.
    Form,
    /// To the next or previous section of the prompt.
    Section(Direction),
    /// Begins to type a search.
    Search,
    /// Begins to type a filter.
    Filter,
    /// Switches the filter off, or on again.
    FilterSwitch,
    /// More or fewer events around those that the filter wants.
    Context(Direction),
    /// To the next or previous event that was found.
    SearchAgain(Direction),
    /// Begins to type a command.
    Command,
    /// Opens the picker.
    Picker,
    /// Opens the help screen.
    Help,
    /// Back to the list of sessions.
    Sessions,
    /// Draws everything anew.
    Redraw,
    /// To the shell.
    Suspend,
    /// Ends the debugger.
    Quit,
}

impl Action {
    /// Returns what the second key of a sequence does, in a word or two.
    pub(crate) fn word(&self) -> String {
        let word = match self {
            Action::To(stop, _) => return stop.short().to_owned(),
            Action::Copy(Part::Row) => "row",
            Action::Copy(Part::Value) => "value",
            Action::Copy(Part::Key) => "name",
            Action::Copy(Part::Path) => "path",
            Action::Copy(Part::Command) => "command",
            Action::Copy(Part::Report) => "report for a ticket",
            Action::Writer => "what set the value",
            Action::NextWrite => "its next write",
            Action::Reads => "its reads",
            Action::Section(_) => "section of the prompt",
            other => return crate::keymap::name(other).replace('-', " "),
        };
        word.to_owned()
    }
}
