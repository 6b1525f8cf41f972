//! What the checks know about an agent beside the agent itself: its files as text, its tool code, who offers what.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use crate::agent::Agent;
use crate::agent::entry::Entry;
use crate::agent::field::Context;
use crate::agent::load::hiding_order;
use crate::agent::skill::{Skill, SkillOrigin};
use crate::agent::text::FileText;
use crate::agent::tool_files::{self, Declared, ToolFile};
use crate::agent::tools::Tools;
use crate::agent::yaml::{self, Node};
use crate::diagnostic::Place;
use crate::name::Name;
use crate::profile::Profile;

/// Tools that the engine itself offers (section 6.5), in every generation.
pub(super) const FRAMEWORK_TOOLS: [&str; 12] = [
    "activate",
    "cancel",
    "cancel_skill",
    "cannot_help",
    "complete",
    "complete_skill",
    "correct",
    "hangup",
    "listen",
    "resolve_tool_confirmation",
    "search_knowledge",
    "set_fields",
];

/// What the checks know about an agent.
pub(super) struct Facts<'a> {
    pub(super) agent: &'a Agent,
    pub(super) profile: Profile,
    files: BTreeMap<&'a str, FileText<'a>>,
    /// The code of shared tools, of each skill's tools, and of hooks, one for each file.
    pub(super) shared: Vec<ToolFile>,
    pub(super) local: BTreeMap<&'a str, Vec<ToolFile>>,
    pub(super) hooks: Vec<ToolFile>,
    /// The declared entries by bare name, those of the project first.
    named: HashMap<&'a str, Vec<&'a Entry>>,
    /// Whether tools are in view at all. If not, nothing is said about any tool.
    pub(super) has_tools: bool,
}

impl<'a> Facts<'a> {
    pub(super) fn gather(agent: &'a Agent) -> Facts<'a> {
        let files: BTreeMap<&str, FileText<'_>> = agent
            .definition
            .files
            .iter()
            .filter(|(path, bytes)| !path.contains("/references/") && bytes.len() <= crate::agent::load::FILE_LIMIT)
            .map(|(path, bytes)| (path.as_str(), FileText::new(path.clone(), bytes, &mut Vec::new())))
            .collect();
        let (mut shared, mut hooks, mut local) = (Vec::new(), Vec::new(), BTreeMap::<&str, Vec<ToolFile>>::new());
        let mut code: Vec<_> = files.iter().filter(|(path, _)| path.ends_with(".py")).collect();
        code.sort_by_key(|(path, _)| hiding_order(path));
        for (path, file) in code {
            let read = tool_files::read(file);
            match path.split('/').collect::<Vec<_>>()[..] {
                ["tools.py"] | ["tools", _] => shared.push(read),
                ["hooks.py"] | ["hooks", _] => hooks.push(read),
                ["skills", id, ..] => local.entry(id).or_default().push(read),
                _ => {}
            }
        }
        let has_tools = !agent.mcp_servers.is_empty()
            || agent.tools != Tools::Unknown
            || agent.skills.values().any(|skill| skill.tools != Tools::Unknown);
        let mut named: HashMap<&str, Vec<&Entry>> = HashMap::new();
        for entry in agent.entries() {
            named.entry(&entry.name).or_default().push(entry);
        }
        Facts { agent, profile: agent.profile.profile, files, shared, local, hooks, named, has_tools }
    }

    /// Returns the entries of that bare name, of the project and of all skills.
    pub(super) fn entries_called(&self, name: &str) -> &[&'a Entry] {
        self.named.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the skills of the folder; what the engine brings along has no faults of the author.
    pub(super) fn skills(&self) -> impl Iterator<Item = &'a Skill> {
        self.agent.skills.values().filter(|skill| skill.origin == SkillOrigin::Folder)
    }

    /// Returns the tool files of a skill.
    pub(super) fn local(&self, skill: &str) -> &[ToolFile] {
        self.local.get(skill).map_or(&[], Vec::as_slice)
    }

    /// Returns the shared files that hold a tool which the skill imports.
    pub(super) fn imported(&self, skill: &Skill) -> impl Iterator<Item = &ToolFile> {
        let shared = skill.import_tools.iter().filter(|import| import.value.server.is_none());
        let imported: HashSet<&str> = shared.map(|import| &*import.value.tool).collect();
        let files = self.shared.iter().filter(|_| !imported.is_empty()).collect::<Vec<_>>().into_iter();
        files.filter(move |file| file.declared.iter().any(|tool| imported.contains(&*tool.name.value)))
    }

    /// Returns the declaration of a tool that a skill may call, if it stands in a file.
    pub(super) fn tool(&self, skill: &Skill, name: &str) -> Option<&Declared> {
        let local = self.local(&skill.id).iter().chain(self.imported(skill));
        local.flat_map(|file| &file.declared).find(|tool| tool.name.value == name && !tool.is_validation)
    }

    /// Returns the names of the tools that a skill may call (M198). The engine's own are not among them.
    pub(super) fn tool_names(&self, skill: &Skill) -> Vec<&str> {
        let local = self.local(&skill.id).iter().flat_map(|file| &file.declared);
        let mut names: Vec<&str> = local.filter(|tool| !tool.is_validation).map(|tool| &*tool.name.value).collect();
        // `import_tools` borrows from the agent, which outlives the facts.
        let imports: &'a [_] = &self.agent.skills[&skill.id].import_tools;
        names.extend(imports.iter().map(|import| &*import.value.tool));
        names
    }

    /// Returns where a part of a text stands, given where the text stands.
    pub(super) fn place_in(&self, text: &str, at: &Place, part: Range<usize>) -> Place {
        match self.files.get(&*at.file) {
            Some(file) => Context { file, diagnostics: &mut Vec::new() }.place_in(text, at, part),
            None => at.clone(),
        }
    }

    /// Returns what is written at a place.
    pub(super) fn written(&self, at: &Place) -> &str {
        let file = self.files.get(&*at.file);
        file.and_then(|file| file.text.get(at.start as usize..at.end as usize)).unwrap_or("")
    }

    /// Reads a YAML file of the folder again, for what the loaded agent doesn't hold.
    pub(super) fn yaml(&self, path: &str) -> Option<Node> {
        let file = self.files.get(path)?;
        Some(yaml::read(file, file.content(), &mut Vec::new()))
    }

    /// Returns whether a word stands anywhere in a file.
    pub(super) fn says(&self, path: &str, word: &str) -> bool {
        self.files.get(path).is_some_and(|file| file.text.contains(word))
    }

    /// Returns the paths of the files that were read.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().copied()
    }
}

/// Returns the beginning of a file that may not exist.
pub(super) fn beginning_of(path: &str) -> Place {
    Place { file: Name::from(path), line: 1, column: 1, start: 0, end: 0 }
}

/// Of more names than this the first are said, and how many more there are.
const LISTED_MAX: usize = 20;

/// Says names in a row: `a`, `b` or `c`.
pub(super) fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        names if names.len() > LISTED_MAX => {
            format!("{} or {} more", names[..LISTED_MAX].join(", "), names.len() - LISTED_MAX)
        }
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// Says which known name is meant, if one is near.
pub(super) fn meant<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<String> {
    crate::diagnostic::nearest(word, known).map(|name| format!("did you mean `{name}`?"))
}
