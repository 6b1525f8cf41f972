//! Tools: what constraints, imports and steps name, how tools are declared, and what their code does with memory
//! (M15, M101 to M108, M183 to M212).

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::blocks::is_write_denied;
use super::facts::{FRAMEWORK_TOOLS, Facts, beginning_of, meant};
use super::reach::is_denied;
use super::values::resolve;
use crate::agent::block::StepKind;
use crate::agent::entry::EntryScope;
use crate::agent::skill::{Skill, ToolImport};
use crate::agent::tool_files::{Declared, MemoryCall, ToolFile, VALIDATION_PREFIX};
use crate::diagnostic::{Diagnostic, Spanned, code};
use crate::name::{Name, PROJECT, SYSTEM, split_key};

/// Checks tools and everything that names one.
pub(super) fn check(facts: &Facts<'_>, found: &mut Vec<Diagnostic>) {
    if !facts.has_tools && names_any(facts) {
        let message = "the folder holds no tools.py, no tools/ and no MCP server, so its tools are unknown";
        found.push(Diagnostic::note(code::TOOLS_UNKNOWN, beginning_of("tools.py"), message));
    }
    for skill in facts.skills() {
        check_imports(facts, skill, found);
        if facts.has_tools {
            check_named(facts, skill, found);
        }
        check_hooks(facts, skill, found);
        check_hidden(facts.local(&skill.id), found);
        for file in facts.local(&skill.id) {
            file.declared.iter().for_each(|tool| check_declared(tool, found));
            for call in &file.calls {
                check_call(facts, &[skill], call, found);
            }
        }
    }
    check_hidden(&facts.shared, found);
    for file in &facts.shared {
        file.declared.iter().for_each(|tool| check_declared(tool, found));
        for call in &file.calls {
            check_call(facts, &users(facts, file, &call.function), call, found);
        }
    }
}

/// Returns whether anything names a tool of the folder.
fn names_any(facts: &Facts<'_>) -> bool {
    facts.skills().any(|skill| {
        let mut steps = skill.blocks.iter().flat_map(|block| &block.steps);
        !skill.import_tools.is_empty()
            || !skill.tool_constraints.is_empty()
            || steps.any(|step| matches!(step.kind, StepKind::ExecuteTool { .. }))
    })
}

fn check_imports(facts: &Facts<'_>, skill: &Skill, found: &mut Vec<Diagnostic>) {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let local: HashSet<&str> = names(facts.local(&skill.id)).collect();
    let shared: HashSet<&str> = names(&facts.shared).collect();
    for import in &skill.import_tools {
        let Spanned { value: ToolImport { server, tool }, at } = import;
        let is_local = local.contains(&**tool);
        if !seen.insert(tool) {
            let message = format!("two imports of the skill are called `{tool}`");
            found.push(Diagnostic::error(code::TOOLS_NAME_CLASH, at.clone(), message));
        } else if is_local && server.is_some() {
            let message = format!("`{tool}` is the name of a tool in the skill's own files too");
            found.push(Diagnostic::error(code::TOOLS_NAME_CLASH, at.clone(), message));
        } else if is_local {
            let message = format!("`{tool}` stands in the skill's own files, which are attached by themselves");
            found.push(
                Diagnostic::error(code::TOOLS_LOCAL_IMPORT, at.clone(), message).help("remove it from `import_tools`"),
            );
        }
        match server {
            Some(server) => check_mcp(facts, server, tool, import, found),
            None if !is_local && facts.has_tools && !shared.contains(&**tool) => {
                let message = format!("no shared tool is called `{tool}`");
                let diagnostic = Diagnostic::error(code::TOOLS_UNRESOLVED, at.clone(), message);
                found.push(diagnostic.help_if(meant(tool, names(&facts.shared))));
            }
            None => {}
        }
    }
}

fn names(files: &[ToolFile]) -> impl Iterator<Item = &str> {
    files.iter().flat_map(|file| &file.declared).map(|tool| &*tool.name.value)
}

fn check_mcp(facts: &Facts<'_>, server: &Name, tool: &Name, import: &Spanned<ToolImport>, found: &mut Vec<Diagnostic>) {
    let servers = &facts.agent.mcp_servers;
    // Without integrations.yml the servers are unknown, and its absence is one finding.
    if facts.agent.definition.file("integrations.yml").is_some() && !servers.contains(server) {
        let message = format!("integrations.yml declares no MCP server `{server}`");
        let diagnostic = Diagnostic::error(code::TOOLS_UNKNOWN_SERVER, import.at.clone(), message);
        found.push(diagnostic.help_if(meant(server, servers.iter().map(Name::as_str))));
    }
    let is_name = tool.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if !is_name || tool.is_empty() || tool.len() > 64 {
        let message = format!("`{tool}` can't be the name of a tool for the model");
        let diagnostic = Diagnostic::error(code::TOOLS_MCP_NAME, import.at.clone(), message);
        found.push(diagnostic.help("a name has letters, digits, `_` and `-`, at most 64"));
    }
}

/// Checks the names in constraints and `execute_tool` steps (M185).
fn check_named(facts: &Facts<'_>, skill: &Skill, found: &mut Vec<Diagnostic>) {
    let constraints = skill.tool_constraints.iter().map(|constraint| &constraint.tool);
    let steps = skill.blocks.iter().flat_map(|block| &block.steps).filter_map(|step| match &step.kind {
        StepKind::ExecuteTool { tool, .. } => Some(tool),
        _ => None,
    });
    let known = facts.tool_names(skill);
    let known_names: HashSet<&str> = known.iter().copied().collect();
    let shared: HashSet<&str> = names(&facts.shared).collect();
    for tool in constraints.chain(steps).filter(|tool| !known_names.contains(&*tool.value)) {
        let name = &*tool.value;
        let is_shared = shared.contains(name);
        let (message, help) = if FRAMEWORK_TOOLS.contains(&name) {
            (format!("`{name}` belongs to the engine and can't be named here"), None)
        } else if is_shared {
            (
                format!("`{name}` is a shared tool that the skill doesn't import"),
                Some("add it to `import_tools`".to_owned()),
            )
        } else {
            let help = meant(name, known.iter().copied());
            (format!("the skill `{}` has no tool `{name}`", skill.id), help)
        };
        found.push(Diagnostic::error(code::TOOLS_UNRESOLVED, tool.at.clone(), message).help_if(help));
    }
}

/// Checks how a tool is declared (M196, M199).
fn check_declared(tool: &Declared, found: &mut Vec<Diagnostic>) {
    let Declared { name, is_validation, has_description, is_async, .. } = tool;
    if FRAMEWORK_TOOLS.contains(&&*name.value) {
        let message = format!("`{}` is a tool of the engine, and its name is reserved", name.value);
        found.push(Diagnostic::error(code::TOOLS_RESERVED_NAME, name.at.clone(), message));
    } else if name.value.starts_with("set_") && !is_validation {
        let message = format!("older builds refuse tools whose name begins with `set_`, as `{}` does", name.value);
        found.push(Diagnostic::warning(code::TOOLS_RESERVED_PREFIX, name.at.clone(), message));
    }
    if !has_description && !is_validation {
        let message = format!("`{}` has no description, and the decorator must be called with one", name.value);
        let diagnostic = Diagnostic::error(code::TOOLS_MISSING_DESCRIPTION, name.at.clone(), message);
        found.push(diagnostic.help("write @tool(description=\"…\")"));
    }
    if !is_async {
        let message = format!("`{}` is no `async def`", name.value);
        found.push(Diagnostic::warning(code::TOOLS_NOT_ASYNC, name.at.clone(), message));
    }
}

/// Reports tools of one place that another one of the same name hides (M108).
fn check_hidden(files: &[ToolFile], found: &mut Vec<Diagnostic>) {
    let mut first: BTreeMap<&Name, &Name> = BTreeMap::new();
    for tool in files.iter().flat_map(|file| &file.declared) {
        let Spanned { value: name, at } = &tool.name;
        let Some(hiding) = first.get(name) else {
            first.insert(name, &at.file);
            continue;
        };
        let message = format!("`{name}` of {hiding} hides this one");
        let diagnostic = Diagnostic::warning(code::TOOLS_HIDDEN, at.clone(), message);
        found.push(diagnostic.help("remove one of the two, or give it another name"));
    }
}

/// Checks validation tools against the entries that they are named after (M212).
fn check_hooks(facts: &Facts<'_>, skill: &Skill, found: &mut Vec<Diagnostic>) {
    let mut validated = BTreeSet::new();
    for hook in facts.local(&skill.id).iter().flat_map(|file| &file.declared).filter(|tool| tool.is_validation) {
        let Some(name) = hook.name.value.strip_prefix(VALIDATION_PREFIX) else { continue };
        let problem = match skill.entry(name) {
            Some(entry) if entry.llm_settable || skill.collects(name) => {
                validated.insert(name);
                continue;
            }
            Some(_) => format!("`{name}` is never set by the model, so this never runs"),
            None if facts.agent.project.iter().any(|entry| entry.name == name) => {
                format!("`{name}` is project memory, which the model never sets")
            }
            None => format!("the skill `{}` declares no entry `{name}`", skill.id),
        };
        let diagnostic = Diagnostic::error(code::TOOLS_INVALID_HOOK, hook.name.at.clone(), problem);
        let settable = skill.settable_entries().map(|entry| &*entry.name);
        let help = meant(name, settable)
            .unwrap_or_else(|| "name it after an entry that is `llm_settable` or collected".to_owned());
        found.push(diagnostic.help(help));
    }
    if facts.local(&skill.id).is_empty() {
        return;
    }
    for entry in skill.settable_entries().filter(|entry| !validated.contains(&*entry.name)) {
        let message = format!("nothing validates what the model sets `{}` to", entry.name);
        let diagnostic = Diagnostic::note(code::SETTABLE_NO_HOOK, entry.at.clone(), message);
        found.push(diagnostic.help(format!("a tool `{VALIDATION_PREFIX}{}` would run after each write", entry.name)));
    }
}

/// Returns the skills in whose namespace a function of a shared file runs (M36): those that import it, or for a helper
/// those that import any tool of the file.
fn users<'a>(facts: &Facts<'a>, file: &ToolFile, function: &Name) -> Vec<&'a Skill> {
    let is_tool = file.declared.iter().any(|tool| tool.name.value == *function);
    let uses = |skill: &&Skill| {
        let mut shared = skill.import_tools.iter().filter(|import| import.value.server.is_none());
        shared.any(|import| match is_tool {
            true => import.value.tool == *function,
            false => file.declared.iter().any(|tool| tool.name.value == import.value.tool),
        })
    };
    facts.skills().filter(uses).collect()
}

/// Checks a literal name in tool code for each skill that the code runs in.
fn check_call(facts: &Facts<'_>, users: &[&Skill], call: &MemoryCall, found: &mut Vec<Diagnostic>) {
    let at = || call.key.at.clone();
    let name = &*call.key.value;
    if let Some(rest) = name.strip_prefix("session.") {
        let message = format!("tools name entries without `session.`: `{name}` means nothing");
        let diagnostic = match call.writes {
            true => Diagnostic::error(code::UNDECLARED_WRITE, at(), message),
            false => Diagnostic::warning(code::TOOLS_UNKNOWN_READ, at(), message),
        };
        found.push(diagnostic.help(format!("write \"{rest}\"")));
        return;
    }
    for skill in users {
        let space = split_key(name).map_or("", |(space, _)| space);
        let problem = match resolve(facts, skill, name) {
            _ if space == SYSTEM => Some((code::FOREIGN_WRITE, "belongs to the engine".to_owned(), None)),
            None => {
                let known = skill.entries.iter().chain(&facts.agent.project).map(|entry| &*entry.name);
                let why = match split_key(name) {
                    Some(_) => "is not declared".to_owned(),
                    None => format!("is declared neither by `{}` nor by the project", skill.id),
                };
                Some((code::UNDECLARED_WRITE, why, meant(name, known)))
            }
            Some(entry) => {
                let owner = split_key(&entry.key).map_or("", |(space, _)| space);
                let is_foreign = owner != PROJECT && skill.id != *owner;
                if call.writes && is_foreign {
                    Some((code::FOREIGN_WRITE, format!("belongs to `{owner}`, and the write is refused"), None))
                } else if call.writes && is_write_denied(facts, skill, &entry.key) {
                    Some((
                        code::ACCESS_DENIED_WRITE,
                        format!("is on `deny_write` of `{}`, and the write is refused", skill.id),
                        None,
                    ))
                } else if !call.writes && is_foreign && entry.scope == EntryScope::Private {
                    Some((code::TOOLS_UNKNOWN_READ, format!("is private to `{owner}`, so this reads None"), None))
                } else if !call.writes && is_denied(facts, skill, &entry.key) {
                    Some((
                        code::ACCESS_DENIED_READ,
                        format!("is on `deny_read` of `{}`, so this reads None", skill.id),
                        None,
                    ))
                } else {
                    None
                }
            }
        };
        let Some((code, why, help)) = problem else { continue };
        let message = format!("`{name}` {why}");
        let diagnostic = match (code, call.writes) {
            (code::UNDECLARED_WRITE, true) => Diagnostic::error(code, at(), message),
            (code::UNDECLARED_WRITE | code::FOREIGN_WRITE, false) => {
                Diagnostic::warning(code::TOOLS_UNKNOWN_READ, at(), format!("{message}, so this reads None"))
            }
            (_, _) => Diagnostic::warning(code, at(), message),
        };
        found.push(diagnostic.help_if(help));
        return;
    }
}
