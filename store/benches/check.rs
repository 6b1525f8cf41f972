//! How long `check` takes on a folder of a hundred skills, from disk to the last finding. Prints the figure.

#![expect(clippy::print_stdout, reason = "a bench says what it measured")]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use replay_store::agent::{Agent, check, source};

const SKILLS: usize = 100;
const RUNS: usize = 20;

fn main() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    make(folder.path());
    let mut found = 0;
    let mut phases: [Vec<Duration>; 4] = Default::default();
    for _ in 0..RUNS {
        let start = Instant::now();
        let (definition, _) = source::read(folder.path()).expect("the folder can be read");
        let read = start.elapsed();
        let agent = Agent::load(definition.into(), None);
        let loaded = start.elapsed();
        found = check::check(&agent).len();
        let all = start.elapsed();
        for (times, time) in phases.iter_mut().zip([read, loaded - read, all - loaded, all]) {
            times.push(time);
        }
    }
    let [read, load, check, all] = phases.map(|mut times| {
        times.sort_unstable();
        times[RUNS / 2]
    });
    println!(
        "check of {SKILLS} skills, median of {RUNS}: {all:?} (read {read:?}, load {load:?}, check {check:?}), {found} findings"
    );
}

/// Makes skills that each have memory, prose under conditions, a block, tools and responses, and name each other.
fn make(root: &Path) {
    let write = |path: String, text: String| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a file stands in a folder")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    };
    write("agent.yml".to_owned(), "agent: {persona: P}\nprompts: {text_rules: Short.}\n".to_owned());
    write("integrations.yml".to_owned(), "llm: {model_group: main}\nmodel_groups: [{id: main}]\n".to_owned());
    write("memory.yml".to_owned(), "verified: {type: bool}\nphone: {type: text, seed: true, pii: true}\n".to_owned());
    for index in 0..SKILLS {
        let id = format!("skill_{index}");
        let other = format!("skill_{}", (index + 1) % SKILLS);
        let paragraphs: String = (0..10)
            .map(|n| {
                format!("if: session.{id}.state == 's{n}' and session.{other}.tries < {n}\nSay @memory.{id}.state.\n\n")
            })
            .collect();
        let steps: String = (0..10)
            .map(|n| format!("  - id: step_{n}\n    collect: entry_{n}\n    utterance: utter_{id}_{n}\n"))
            .collect();
        write(
            format!("skills/{id}/skill.md"),
            format!(
                "---\nname: {id}\ndescription: Does {index}\nrequires: session.project.verified\ntool_constraints:\n  \
                 - tool_{index}: {{requires: session.{id}.state}}\n---\nFirst @skill.{other}, then @block.main.\n\n\
                 {paragraphs}:::ordered_block id=main\nsteps:\n{steps}  - id: END\n:::\n"
            ),
        );
        let entries: String =
            (0..10).map(|n| format!("    entry_{n}: {{type: text, description: Entry {n}}}\n")).collect();
        write(
            format!("skills/{id}/memory.yml"),
            format!(
                "schema:\n  public:\n    state: {{type: categorical, enum_values: [s0, s1, s2], llm_settable: true}}\n    \
                 tries: {{type: int, initial_value: 0}}\n{entries}"
            ),
        );
        let responses: String =
            (0..10).map(|n| format!("  utter_{id}_{n}:\n    - text: Which {{entry_{n}}}, {{phone}}?\n")).collect();
        write(format!("skills/{id}/responses.yml"), format!("responses:\n{responses}"));
        write(
            format!("skills/{id}/tools.py"),
            format!(
                "@tool(description=\"Does {index}\")\nasync def tool_{index}(amount: int, context: ToolContext):\n    \
                 context.memory.set(\"tries\", 1 + context.memory.get(\"tries\"))\n    \
                 context.memory.set(\"project.verified\", True)\n    return ToolResult()\n"
            ),
        );
    }
}
