//! From files to an [`Agent`]: every file is parsed once, then the profile is chosen, then what was parsed is read.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, LazyLock};

use super::definition::Definition;
use super::field::{Context, is_identifier};
use super::markdown::{Frame, frame};
use super::response::{Response, ResponseSource};
use super::settings::Settings;
use super::skill::{DenyList, Skill, SkillOrigin};
use super::text::FileText;
use super::tools::Tools;
use super::yaml::{self, Kind, Node};
use super::{
    Agent, check, engine, frontmatter, guess, memory, paragraphs, responses, settings_file, steps, tool_files,
};
use crate::diagnostic::{Diagnostic, Place, Severity, Spanned, code};
use crate::name::{Name, PROJECT, SYSTEM};
use crate::profile::Profile;
use crate::value::Value;

/// Files are taken in up to this size; people's files are a hundredth of it.
pub(super) const FILE_LIMIT: usize = 1 << 18;

/// A file and its YAML.
pub(super) struct Document<'a> {
    file: FileText<'a>,
    pub(super) root: Node,
}

/// The files of a skill, parsed and not yet read.
#[derive(Default)]
pub(super) struct SkillFiles<'a> {
    skill: Option<(FileText<'a>, Frame)>,
    pub(super) frontmatter: Option<Node>,
    pub(super) memory: Option<Document<'a>>,
    pub(super) responses: Option<Document<'a>>,
    tools: Vec<FileText<'a>>,
}

/// All files, parsed and not yet read.
#[derive(Default)]
pub(super) struct Files<'a> {
    pub(super) agent: Option<Document<'a>>,
    pub(super) integrations: Option<Document<'a>>,
    memory: Option<Document<'a>>,
    pub(super) responses: Option<Document<'a>>,
    tools: Vec<FileText<'a>>,
    pub(super) skills: BTreeMap<&'a str, SkillFiles<'a>>,
    has_knowledge: bool,
}

/// Loads an agent.
pub(super) fn load(definition: Arc<Definition>, asked: Option<Profile>) -> Agent {
    let mut diagnostics = Vec::new();
    let files = parse(&definition, &mut diagnostics);
    let profile = guess::choose(&files, asked, &mut diagnostics);
    let mut agent = Agent {
        definition: Arc::clone(&definition),
        diagnostics: Vec::new(),
        profile,
        settings: Settings::default(),
        project: Vec::new(),
        skills: BTreeMap::new(),
        responses: BTreeMap::new(),
        tools: tools(&files.tools),
        mcp_servers: Vec::new(),
        has_knowledge: files.has_knowledge,
    };
    bring_along(&mut agent, profile.profile);
    read(&mut agent, &files, profile.profile, &mut diagnostics);
    mark_idle_denials(&mut agent);
    diagnostics.append(&mut check::names::check(&agent));
    if profile.profile.refuses_incomplete_tokens() {
        let incomplete = diagnostics.iter_mut().filter(|found| found.code == code::PROSE_INCOMPLETE_AT);
        incomplete.for_each(|found| found.severity = Severity::Error);
    }
    diagnostics.sort_by(|left, right| left.at.cmp(&right.at));
    agent.diagnostics = diagnostics;
    agent
}

fn parse<'a>(definition: &'a Definition, diagnostics: &mut Vec<Diagnostic>) -> Files<'a> {
    let mut files = Files::default();
    for (path, bytes) in &definition.files {
        let mut open = || open(path, bytes, diagnostics);
        match path.split('/').collect::<Vec<_>>()[..] {
            ["agent.yml"] => files.agent = Some(document(open(), diagnostics)),
            ["integrations.yml"] => files.integrations = Some(document(open(), diagnostics)),
            ["memory.yml"] => files.memory = Some(document(open(), diagnostics)),
            ["responses.yml"] => files.responses = Some(document(open(), diagnostics)),
            ["tools.py"] | ["tools", _] if path.ends_with(".py") => files.tools.push(open()),
            ["references", .., _] | ["skills", _, "references", .., _] if path.ends_with(".md") => {
                files.has_knowledge |= !bytes.trim_ascii().is_empty();
            }
            ["skills", id, ref rest @ ..] => {
                let skill = files.skills.entry(id).or_default();
                match rest {
                    ["skill.md"] => parse_skill(skill, open(), diagnostics),
                    ["memory.yml"] => skill.memory = Some(document(open(), diagnostics)),
                    ["responses.yml"] => skill.responses = Some(document(open(), diagnostics)),
                    ["tools.py"] | ["tools", _] if path.ends_with(".py") => skill.tools.push(open()),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    files
}

fn open<'a>(path: &Name, bytes: &'a [u8], diagnostics: &mut Vec<Diagnostic>) -> FileText<'a> {
    let is_too_large = bytes.len() > FILE_LIMIT;
    let file = FileText::new(path.clone(), if is_too_large { b"" } else { bytes }, diagnostics);
    if is_too_large {
        let message = format!("the file has {} bytes and is not read; the limit is {FILE_LIMIT}", bytes.len());
        diagnostics.push(Diagnostic::error(code::TOO_LARGE, file.place(0..0), message));
    }
    file
}

fn document<'a>(file: FileText<'a>, diagnostics: &mut Vec<Diagnostic>) -> Document<'a> {
    let root = yaml::read(&file, file.content(), diagnostics);
    Document { file, root }
}

fn parse_skill<'a>(skill: &mut SkillFiles<'a>, file: FileText<'a>, diagnostics: &mut Vec<Diagnostic>) {
    let frame = frame(&mut Context { file: &file, diagnostics });
    skill.frontmatter = frame.frontmatter.clone().map(|range| yaml::read(&file, range, diagnostics));
    skill.skill = Some((file, frame));
}

/// What the engine brings along: constant texts, read once for each generation.
struct Bundle {
    skills: Vec<Skill>,
    responses: Vec<Response>,
}

/// Adds the skills and responses that the engine brings along.
fn bring_along(agent: &mut Agent, profile: Profile) {
    static SEED: LazyLock<Bundle> = LazyLock::new(|| bundle(Profile::Seed));
    static MANTLE_3_21: LazyLock<Bundle> = LazyLock::new(|| bundle(Profile::Mantle321));
    let bundle = match profile {
        Profile::Seed => &*SEED,
        Profile::Mantle321 => &*MANTLE_3_21,
    };
    agent.skills.extend(bundle.skills.iter().map(|skill| (skill.id.clone(), skill.clone())));
    register(agent, bundle.responses.iter().cloned());
}

fn bundle(profile: Profile) -> Bundle {
    // What the engine brings along is checked by a test, not on every load.
    let mut ignored = Vec::new();
    let mut skills = Vec::new();
    for bundled in engine::skills(profile) {
        let path = |file: &str| Name::from(format!("engine:{}/{file}", bundled.id));
        let mut files = SkillFiles::default();
        parse_skill(&mut files, open(&path("skill.md"), bundled.skill.as_bytes(), &mut ignored), &mut ignored);
        files.memory = Some(document(open(&path("memory.yml"), bundled.memory.as_bytes(), &mut ignored), &mut ignored));
        skills.push(skill(bundled.id, &files, SkillOrigin::Engine, profile, &mut ignored));
    }
    let file = open(&Name::from("engine:responses.yml"), engine::RESPONSES.as_bytes(), &mut ignored);
    let responses = said(&document(file, &mut ignored), &ResponseSource::Engine, &mut ignored);
    debug_assert!(ignored.is_empty(), "what the engine brings along has no faults: {ignored:?}");
    Bundle { skills, responses }
}

fn read(agent: &mut Agent, files: &Files<'_>, profile: Profile, diagnostics: &mut Vec<Diagnostic>) {
    match &files.agent {
        Some(Document { file, root }) => {
            agent.settings = settings_file::agent(&mut Context { file, diagnostics }, root, profile);
        }
        None if !agent.definition.files.is_empty() => {
            let message = "the folder has no agent.yml, so persona and rules are unknown";
            diagnostics.push(Diagnostic::warning(code::AGENT_MISSING_FILE, place_of_file("agent.yml"), message));
        }
        None => {}
    }
    if let Some(Document { file, root }) = &files.integrations {
        let integrations = settings_file::integrations(&mut Context { file, diagnostics }, root, profile);
        agent.mcp_servers = integrations.mcp_servers;
        if let Some(tokens) = integrations.max_prompt_tokens {
            agent.settings.max_prompt_tokens = Some(tokens);
        }
    }
    if let Some(Document { file, root }) = &files.memory {
        agent.project = memory::project(&mut Context { file, diagnostics }, root);
    }
    for (id, skill_files) in &files.skills {
        let mut skill = skill(id, skill_files, SkillOrigin::Folder, profile, diagnostics);
        // A replacement of a bundled skill stays engine-managed unless it says otherwise (M289).
        let says = skill_files.frontmatter.as_ref().and_then(|root| root.get("routing")?.get("engine_managed"));
        let is_replacement = agent.skills.contains_key(*id);
        skill.engine_managed |= is_replacement && says.is_none();
        agent.skills.insert(skill.id.clone(), skill);
        if let Some(document) = &skill_files.responses {
            register(agent, said(document, &ResponseSource::Skill(Name::from(*id)), diagnostics));
        }
    }
    if let Some(document) = &files.responses {
        register(agent, said(document, &ResponseSource::Project, diagnostics));
    }
}

/// Reads the responses of a file.
fn said(document: &Document<'_>, source: &ResponseSource, diagnostics: &mut Vec<Diagnostic>) -> Vec<Response> {
    responses::read(&mut Context { file: &document.file, diagnostics }, &document.root, source)
}

/// Adds responses; what comes later wins (M221).
fn register(agent: &mut Agent, responses: impl IntoIterator<Item = Response>) {
    agent.responses.extend(responses.into_iter().map(|response| (response.name.clone(), response)));
}

fn skill(
    id: &str,
    files: &SkillFiles<'_>,
    origin: SkillOrigin,
    profile: Profile,
    diagnostics: &mut Vec<Diagnostic>,
) -> Skill {
    let at = match &files.skill {
        Some((file, _)) => file.place(0..0),
        None => place_of_file(&format!("skills/{id}/skill.md")),
    };
    let mut skill = empty(id, origin, at);
    check_id(&skill, diagnostics);
    match &files.skill {
        Some((file, frame)) => {
            let mut context = Context { file, diagnostics };
            if let Some(root) = &files.frontmatter {
                frontmatter::read(&mut context, root, profile, &mut skill);
            }
            body(&mut context, frame, &mut skill);
        }
        None => {
            let message = format!("the skill `{id}` has no skill.md, so its instructions are unknown");
            diagnostics.push(Diagnostic::warning(code::SKILL_MISSING_FILE, skill.at.clone(), message));
        }
    }
    if let Some(Document { file, root }) = &files.memory {
        let memory = memory::skill(&mut Context { file, diagnostics }, root, &skill.id);
        skill.entries = memory.entries;
        (skill.deny_read.items, skill.deny_write.items) = (memory.deny_read, memory.deny_write);
        let listed = skill.deny_read.items.first().or(skill.deny_write.items.first());
        if let Some(item) = listed.filter(|_| !profile.enforces_access_lists()) {
            let message = format!("profile {profile} does not enforce access lists");
            diagnostics.push(Diagnostic::warning(code::ACCESS_NOT_ENFORCED, item.at.clone(), message));
        }
    }
    skill.tools = tools(&files.tools);
    skill.validated = files.tools.iter().flat_map(tool_files::validated).collect();
    skill
}

fn body(context: &mut Context<'_>, frame: &Frame, skill: &mut Skill) {
    skill.paragraphs = frame.paragraphs.iter().map(|lines| paragraphs::paragraph(context, lines)).collect();
    let mut ids = HashSet::new();
    for fence in &frame.fences {
        if !ids.insert(&fence.id.value) {
            let message = format!("the skill has two blocks `{}`", fence.id.value);
            context.error(code::BLOCK_DOUBLE_ID, &fence.id.at, message);
        }
        let root = yaml::read(context.file, fence.body.clone(), context.diagnostics);
        let is_mapping = matches!(root.kind, Kind::Map(_) | Kind::Scalar(Value::Null, _));
        if !is_mapping {
            let message = format!("a block is a mapping with `steps`, and this is {}", root.kind_word());
            context.error(code::BLOCK_KEY, &root.at, message);
        }
        skill.blocks.push(steps::block(context, fence, &root));
    }
    if !skill.has_entry() {
        let message = format!("the skill `{}` has neither prose nor a block", skill.id);
        context.error(code::SKILL_MISSING_INSTRUCTIONS, &skill.at, message);
    }
}

fn check_id(skill: &Skill, diagnostics: &mut Vec<Diagnostic>) {
    let id = &skill.id;
    if *id == PROJECT || *id == SYSTEM {
        let message = format!("`{id}` is reserved and can't be the name of a skill");
        diagnostics.push(Diagnostic::error(code::SKILL_ID, skill.at.clone(), message));
    } else if !is_identifier(id) {
        let message = format!("conditions can't name the memory of a skill called `{id}`");
        let found = Diagnostic::warning(code::SKILL_ID, skill.at.clone(), message);
        diagnostics.push(found.help("use letters, digits and `_` in the name of its directory"));
    }
}

fn empty(id: &str, origin: SkillOrigin, at: Place) -> Skill {
    Skill {
        id: Name::from(id),
        origin,
        name: Spanned { value: id.to_owned(), at: at.clone() },
        description: Spanned { value: String::new(), at: at.clone() },
        requires: None,
        complete_when: None,
        precondition: None,
        hidden: false,
        disabled: false,
        engine_managed: false,
        always_include_in_prompt: false,
        knowledge_instructions: None,
        import_tools: Vec::new(),
        tool_constraints: Vec::new(),
        utter: Vec::new(),
        entries: Vec::new(),
        deny_read: DenyList::default(),
        deny_write: DenyList::default(),
        paragraphs: Vec::new(),
        blocks: Vec::new(),
        tools: Tools::Unknown,
        validated: Vec::new(),
        at,
    }
}

/// Marks the lists of `access` that name what nothing declares (M41a): a matter of all files, asked for at each read.
fn mark_idle_denials(agent: &mut Agent) {
    let names_nothing = |list: &DenyList| list.items.iter().any(|item| agent.entry(&item.value).is_none());
    let marks: Vec<_> = (agent.skills.values())
        .map(|skill| (names_nothing(&skill.deny_read), names_nothing(&skill.deny_write)))
        .collect();
    for (skill, marks) in agent.skills.values_mut().zip(marks) {
        (skill.deny_read.names_nothing, skill.deny_write.names_nothing) = marks;
    }
}

/// Reads the tools of a place. A name in `tools/` hides the same one in `tools.py` (M108).
fn tools(files: &[FileText<'_>]) -> Tools {
    if files.is_empty() {
        return Tools::Unknown;
    }
    let mut files: Vec<&FileText<'_>> = files.iter().collect();
    files.sort_by_key(|file| hiding_order(&file.file));
    let mut known: Vec<super::tools::Tool> = Vec::new();
    for tool in files.into_iter().flat_map(tool_files::tools) {
        if !known.iter().any(|other| other.name.value == tool.name.value) {
            known.push(tool);
        }
    }
    Tools::Known(known)
}

/// Sorts the files of `tools/` in front of `tools.py`, which stands before them in the order of paths (M108).
pub(super) fn hiding_order(path: &str) -> Reverse<usize> {
    Reverse(path.matches('/').count())
}

fn place_of_file(path: &str) -> Place {
    Place { file: Name::from(path), line: 1, column: 1, start: 0, end: 0 }
}
