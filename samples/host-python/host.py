"""A host in Python, standard library only: it brings what user, model and tools do to `replay record`.

    python3 samples/host-python/host.py session.log

The user and the model are a script here, and the tools are three lines each; the rules of the agent folder decide
what each of them may do. Say where the program is with REPLAY, if it isn't on the PATH.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

AGENT = Path(__file__).parent.parent / "agents" / "harbour-library"


class Refused(Exception):
    """A rule says no; the words are those that a tool gets."""


class Recorder:
    """The process beside us: one line in, one line out."""

    def __init__(self, log):
        command = [os.environ.get("REPLAY", "replay"), "record", log, "--agent", str(AGENT)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.count = 0

    def ask(self, command, **fields):
        self.count += 1
        line = {"id": self.count, "session": "library-host", "command": command, **fields}
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        reply = json.loads(self.process.stdout.readline())
        if not reply["ok"]:
            raise SystemExit(f"{command}: {reply['error']['message']}")
        for said in reply.get("say", []):
            print(f"agent: {said['text']}")
        return reply

    def close(self):
        self.process.stdin.close()
        return self.process.wait()


class Memory:
    """What a tool sees as `context.memory`."""

    def __init__(self, recorder, call):
        self.recorder, self.call = recorder, {"tool": call["tool"], "call_id": call["call_id"]}

    def get(self, name):
        return self.recorder.ask("get", name=name, **self.call)["value"]

    def set(self, name, value):
        refused = self.recorder.ask("set", name=name, value=value, **self.call)["refused"]
        if refused:
            raise Refused(refused)


def load_member(memory):
    for name, value in {"id": "HS-20418", "name": "Noor"}.items():
        memory.set(f"project.member_{name}", value)
    memory.set("project.loans", f"The Tide Tables, at {memory.get('project.branch')}")
    return {"ok": True}


def find_loan(memory, title):
    memory.set("item_id", "C-0093")
    memory.set("item_title", "The Tide Tables")
    return {"status": "found", "asked": title, "owes": memory.get("pay_fees.balance")}


def renew_item(memory, item_id):
    memory.set("new_due", "7 April")
    return {"status": "renewed", "item": item_id}


def refresh_loans(memory):
    memory.set("project.loans", "nothing")


def book_room(memory, size, day):
    memory.set("booking", f"the {size} room on {day}")
    return {"status": "booked"}


TOOLS = {tool.__name__: tool for tool in (load_member, find_loan, renew_item, refresh_loans, book_room)}


def run_tools(recorder, calls):
    """Runs what was decided to run, and what follows from that."""
    while calls:
        call = calls[0]
        answer = {"tool": call["tool"], "call_id": call["call_id"]}
        try:
            answer["result"] = TOOLS[call["tool"]](Memory(recorder, call), **json.loads(call["arguments"]))
        except Refused as refused:
            answer["error"] = str(refused)
            print(f"refused: {refused}")
        calls = recorder.ask("return", **answer)["run"]


def model(recorder, text="", *calls):
    """The model, if it were one: it gets the prompt and answers from the script."""
    offered = [tool["name"] for tool in recorder.ask("model_call")["prompt"]["tools"]]
    wanted = [{"tool": tool, "arguments": arguments, "call_id": f"c{recorder.count}-{number}"}
              for number, (tool, arguments) in enumerate(calls)]
    recorder.ask("model_reply", text=text, calls=wanted, millis=1.0)
    for call in wanted:
        reply = recorder.ask("call", **call)
        if reply["refused"]:
            print(f"refused: {reply['refused']} (offered: {', '.join(offered)})")
        run_tools(recorder, reply["run"])


def turn(recorder, user, *replies):
    print(f"user: {user}")
    run_tools(recorder, recorder.ask("user", text=user)["run"])
    for reply in replies:
        model(recorder, *reply)
    if recorder.ask("state")["turn_open"]:
        recorder.ask("end_turn")


def main(log):
    recorder = Recorder(log)
    run_tools(recorder, recorder.ask("start", metadata={"branch": "harbour", "member_id": "not seeded"})["run"])
    recorder.ask("end_turn")
    turn(recorder, "I want a study room.", ("", ("activate", {"target_id": "reserve_room"})))
    turn(recorder, "The large one.", ("", ("set_fields", {"room_size": "large"})))
    turn(recorder, "Wait, the Tide Tables are due!", ("", ("activate", {"target_id": "renew_loan"})),
         ("", ("find_loan", {"title": "tide tables"})), ("", ("refresh_loans", {})),
         ("", ("renew_item", {"item_id": "C-0093"})))
    turn(recorder, "No, leave it.", ("", ("resolve_tool_confirmation", {"confirmed": False})))
    turn(recorder, "Well, do renew it.", ("", ("renew_item", {"item_id": "C-0093"})))
    turn(recorder, "Yes.", ("", ("resolve_tool_confirmation", {"confirmed": True})),
         ("It is due back on 7 April.", ), ("", ("complete_skill", {})))
    turn(recorder, "Yes, the room.", ("", ("set_fields", {"wants_to_resume": True})))
    turn(recorder, "On Friday.", ("", ("set_fields", {"day": "Friday"})))
    recorder.ask("end")
    return recorder.close()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 2 else __doc__)
