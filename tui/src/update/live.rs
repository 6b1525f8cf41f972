//! What comes in while a session is followed.

use std::sync::Arc;

use replay_store::event::Position;

use super::{arrive, hold, settle};
use crate::app::{App, Message};
use crate::live::{Live, News};

/// Takes in what whoever follows the record has to say. The user stays where he is, unless the cursor goes along.
pub fn tell(app: &mut App, news: News) {
    match news {
        News::Grown(session) => {
            let Some(debugger) = &mut app.debugger else { return };
            if session.id != debugger.session.id || session.end() <= debugger.session.end() {
                return;
            }
            debugger.session = Arc::from(session);
            debugger.findings.begin_anew(&debugger.session);
            debugger.overview = None;
            if app.live.as_ref().is_some_and(|live| live.goes_along) {
                to_end(app);
            }
        }
        News::Sessions(rows) => {
            if let Some(list) = &mut app.list {
                let chosen = list.rows.get(list.cursor).map(|row| row.id.clone());
                let place = rows.iter().position(|row| Some(&row.id) == chosen.as_ref());
                list.cursor = place.unwrap_or(0);
                list.rows = rows;
            }
        }
        News::Stream(stream) => {
            let Some(live) = &mut app.live else { return };
            live.stream = stream;
            say_complaint(app);
        }
    }
    settle(app);
}

/// Lets the cursor go to the end, and stay there.
pub(super) fn follow(app: &mut App) {
    let Some(live) = &mut app.live else {
        return app.say("nothing is followed: replay LOG --follow opens a log that is being written");
    };
    live.goes_along = true;
    to_end(app);
    say_complaint(app);
}

/// Notes that the user goes somewhere himself.
pub(super) fn hold_still(app: &mut App, at: Position) {
    let Some(debugger) = &app.debugger else { return };
    let (cursor, end) = (debugger.cursor, debugger.session.end());
    if let Some(live) = &mut app.live {
        if live.goes_along || cursor == end || at == end {
            live.seen = end;
        }
        live.goes_along = false;
    }
}

/// Begins to follow the session that was opened, whose end is in sight.
pub(super) fn begin(app: &mut App) {
    let Some(debugger) = &app.debugger else { return };
    let (cursor, end) = (debugger.cursor, debugger.session.end());
    if let Some(live) = &mut app.live {
        *live = Live { goes_along: cursor == end, seen: end, stream: live.stream.clone() };
    }
}

fn to_end(app: &mut App) {
    let Some(debugger) = &mut app.debugger else { return };
    let end = debugger.session.end();
    if debugger.cursor != end {
        hold(debugger, end);
        debugger.story = None;
        arrive(app);
    }
}

fn say_complaint(app: &mut App) {
    if let Some((tone, text)) = app.live.as_ref().and_then(Live::complaint) {
        app.message = Some(Message { text, tone });
    }
}
