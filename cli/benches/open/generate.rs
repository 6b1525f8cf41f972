//! Large conversations of any length, as the engine would have dumped them: flat, with mirrors. They are written as they
//! are made, so that a long one takes no memory. The agent folder that they were made with is written, too.

use std::fs;
use std::io::Write;
use std::path::Path;

/// What the tool writes of each order.
const FIELDS: [&str; 4] = ["order_id", "state", "carrier", "due"];

/// Writes a tracker dump whose session has `events` events once mirrors are folded. It has about twice as many raw
/// records, because each write and each tool call stands in a dump twice.
pub(crate) fn flat_dump(events: usize, out: impl Write) {
    let mut dump = Dump::new(events, out);
    dump.start();
    while dump.events < events {
        dump.turn();
    }
    dump.finish()
}

struct Dump<W> {
    out: W,
    wanted: usize,
    events: usize,
    records: usize,
    turns: usize,
}

impl<W: Write> Dump<W> {
    fn new(wanted: usize, mut out: W) -> Dump<W> {
        out.write_all(b"{\"sender_id\": \"generated\", \"events\": [").expect("the temporary folder takes files");
        Dump { out, wanted, events: 0, records: 0, turns: 0 }
    }

    fn start(&mut self) {
        self.event("session_started", "{}", "");
        self.mirror("flow_started", "", "\"flow_id\": \"orders\", \"skill_id\": \"orders\"");
        self.event("skill_activated", "{}", "\"skill_id\": \"orders\"");
        let patch = "[{\\\"op\\\": \\\"add\\\", \\\"path\\\": \\\"/0\\\", \\\"value\\\": {\\\"frame_id\\\": \\\"AAAA0001\\\", \
                     \\\"skill_id\\\": \\\"orders\\\", \\\"frame_type\\\": \\\"regular\\\", \\\"type\\\": \\\"skill\\\"}}]";
        self.event("stack", "{}", &format!("\"update\": \"{patch}\""));
    }

    /// A user message, a tool call that writes four entries, an answer.
    fn turn(&mut self) {
        let turn = self.turns;
        self.turns += 1;
        let text = format!("Where is order {turn}, and when will it be here?");
        let user = format!("\"text\": \"{text}\", \"input_channel\": \"rest\", \"message_id\": \"m{turn}\"");
        self.event("user", "{}", &user);
        for field in FIELDS {
            let key = format!("orders.{field}_{}", turn % 10);
            let value = format!("\"{field} of order {turn}\"");
            self.write(&key, &value, turn);
        }
        let result =
            format!("{{\\\"status\\\": \\\"found\\\", \\\"order\\\": {turn}, \\\"carrier\\\": \\\"by boat\\\"}}");
        let call = format!(
            "\"tool_name\": \"find_order\", \"arguments\": {{\"order\": {turn}}}, \"result\": \"{result}\", \"is_error\": false"
        );
        self.mirror("mcp_tool_executed", "", &call);
        let ids = format!(
            "{{\"tool_call_id\": \"call_{turn}\", \"tool_batch_id\": \"0-call_{turn}\", \"skill_id\": \"orders\"}}"
        );
        self.event("tool_executed", &ids, &format!("{call}, \"source\": \"local\""));
        let model = "{\"mantle_response_source\": \"llm\", \"llm_total_time_ms\": 1200.5}";
        let answer =
            format!("\"text\": \"Order {turn} is on its way and will be with you on Friday.\", \"data\": {{}}");
        self.event("bot", model, &answer);
        self.event("bot_turn_ended", "{}", "");
    }

    fn write(&mut self, key: &str, value: &str, turn: usize) {
        let provenance = |position: usize| {
            format!(
                "{{\"mantle_write_provenance\": {{\"tool\": \"find_order\", \"skill_id\": \"orders\", \"step\": \"autonomous\", \
                 \"frame_id\": \"AAAA0001\", \"arguments\": {{\"order\": {turn}}}, \"position\": {position}, \
                 \"tool_call_id\": \"call_{turn}\"}}}}"
            )
        };
        let metadata = provenance(self.records);
        self.mirror("slot", &metadata, &format!("\"name\": \"{key}\", \"value\": {value}, \"filled_by\": null"));
        let metadata = provenance(self.records);
        self.event("memory_set", &metadata, &format!("\"key\": \"{key}\", \"value\": {value}"));
    }

    /// A record that becomes an event, unless there are enough.
    fn event(&mut self, kind: &str, metadata: &str, fields: &str) {
        if self.events < self.wanted {
            self.events += 1;
            self.record(kind, metadata, fields);
        }
    }

    /// A record that says what the next event says.
    fn mirror(&mut self, kind: &str, metadata: &str, fields: &str) {
        if self.events < self.wanted {
            self.record(kind, if metadata.is_empty() { "{}" } else { metadata }, fields);
        }
    }

    fn record(&mut self, kind: &str, metadata: &str, fields: &str) {
        let time = 1_800_000_000.0 + self.records as f64 * 0.25;
        let comma = if self.records == 0 { "" } else { "," };
        let more = if fields.is_empty() { "" } else { ", " };
        write!(
            self.out,
            "{comma}\n{{\"event\": \"{kind}\", \"timestamp\": {time}, \"metadata\": {metadata}{more}{fields}}}"
        )
        .expect("the temporary folder takes files");
        self.records += 1;
    }

    fn finish(mut self) {
        self.out.write_all(b"\n]}\n").and_then(|()| self.out.flush()).expect("the temporary folder takes files");
    }
}

/// How many other skills the generated agent has.
const OTHERS: usize = 12;

/// Writes the agent folder that such a conversation was made with: one skill with forty entries, paragraphs with
/// markers and a token that an access list withholds, and twelve others with conditions of their own. `padding` is how
/// many bytes its prose has beside that, in lines that name entries in turn.
pub(crate) fn agent_folder(folder: &Path, padding: usize) {
    let put = |path: &str, text: &str| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("it lies in the folder")).expect("the folder takes files");
        fs::write(path, text).expect("the folder takes files");
    };
    put(
        "agent.yml",
        "agent:\n  id: parcels\n  language: en\n  persona: You answer for a parcel office.\nrules:\n  - Be brief.\n",
    );
    put(
        "memory.yml",
        "member: {type: text, pii: true}\nbranch: {type: text, initial_value: north}\nnotes: {type: text}\n",
    );
    let mut memory = "schema:\n  public:\n".to_owned();
    let mut prose =
        "---\nname: Orders\ndescription: Say where an order is.\ntool_constraints:\n  - find_order:\n      \
                     requires: session.orders.state_0 != 'lost' or not session.project.member\n---\n"
            .to_owned();
    for number in 0..10 {
        for field in FIELDS {
            memory.push_str(&format!("    {field}_{number}: {{type: text}}\n"));
        }
        prose.push_str(&format!(
            "\nOrder @memory.orders.order_id_{number} is asked for. The refund goes to @memory.other_1.account.\n\nif: \
             session.orders.state_{number} == 'state of order {number}'\nIt is with @memory.orders.carrier_{number}, \
             and due @memory.orders.due_{number}.\n"
        ));
    }
    let begun = prose.len();
    for number in 0.. {
        if padding <= prose.len() - begun {
            break;
        }
        let (field, entry) = (FIELDS[number % 4], number / 4 % 10);
        prose.push_str(&format!(
            "\nLine {number} of what the office knows by heart names @memory.orders.{field}_{entry}, and goes on for a while.\n"
        ));
    }
    memory.push_str("access:\n  deny_read: [other_1.account]\n");
    put("skills/orders/skill.md", &prose);
    put("skills/orders/memory.yml", &memory);
    for number in 0..OTHERS {
        let skill = format!(
            "---\nname: Other {number}\ndescription: Does another thing.\nrequires: session.project.member and \
             session.orders.state_{} != 'closed'\n---\nDo the other thing.\n",
            number % 10
        );
        put(&format!("skills/other_{number}/skill.md"), &skill);
        let memory = "schema:\n  public:\n    account: {type: text}\n    amount: {type: float}\n  private:\n    pin: {type: text}\n";
        put(&format!("skills/other_{number}/memory.yml"), memory);
    }
}
