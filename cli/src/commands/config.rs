//! `replay config`: where the configuration file is, what is wrong in it, and all that it may say.

use replay_tui::key::BINDINGS;
use replay_tui::keymap::name;
use serde::Serialize;

use crate::config::Config;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, Tone};

/// What `replay config --json` answers.
#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    path: Option<String>,
    exists: bool,
    complaints: &'a [String],
    actions: Vec<ActionAnswer<'a>>,
}

/// An action as JSON has it.
#[derive(Serialize)]
struct ActionAnswer<'a> {
    action: String,
    keys: Vec<&'a str>,
    help: &'static str,
}

/// Writes a file that says what holds now. The answer is no where the file of the user has something wrong.
pub(crate) fn config(config: &Config, as_json: bool, out: &mut Output<'_>) -> Result<Exit, Failure> {
    let exit = if config.complaints.is_empty() { Exit::Fine } else { Exit::No };
    let rows = BINDINGS.iter().enumerate();
    let rows = rows.map(|(row, binding)| (name(&binding.action), config.keymap.keys(row), binding.help));
    if as_json {
        let actions = rows.map(|(action, keys, help)| ActionAnswer { action, keys, help }).collect();
        let path = config.path.as_ref().map(|path| path.display().to_string());
        out.json(&Answer {
            schema: "replay.config/1",
            path,
            exists: config.exists,
            complaints: &config.complaints,
            actions,
        })?;
        return Ok(exit);
    }
    match &config.path {
        Some(path) if config.exists => out.text(&format!("# {}", path.display()))?,
        Some(path) => {
            out.text(&format!("# {} (not there yet; what follows is what holds without it)", path.display()))?
        }
        None => out.text("# no home folder is known: set REPLAY_CONFIG to a file")?,
    }
    for complaint in &config.complaints {
        out.line(&[(Tone::Bad, &format!("# wrong: {complaint}"))])?;
    }
    out.text("theme = \"auto\"        # auto, 16 (the terminal's own colours), dark, light, none")?;
    out.text("mouse = true          # false leaves it to the terminal")?;
    out.text("clipboard = \"auto\"    # auto, terminal (OSC 52), program (tmux, wl-copy, xclip, xsel, pbcopy)")?;
    out.text("\n[keys]".trim_start())?;
    for (action, keys, help) in rows {
        let keys: Vec<String> = keys.iter().map(|key| format!("{key:?}")).collect();
        out.text(&format!("{action} = [{}]  # {help}", keys.join(", ")))?;
    }
    Ok(exit)
}
