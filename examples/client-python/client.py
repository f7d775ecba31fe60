#!/usr/bin/env python3
"""A client of one session, with Python's standard library alone: it sends a message, prints the answer as
it streams, allows what asks, and breaks its own connection on the way, to show that nothing is lost.

    python3 client.py SOCKET "write a note"
"""
import json
import socket
import sys
import time
import uuid


class Client:
    """Follows a session across lost connections: events() gives every event once and in order."""

    def __init__(self, path):
        self.path, self.connection = path, None
        self.place = None  # the last event that was given out, and of which log
        self.anew = 0  # where we had to begin anew
        self.skips = False  # in a snapshot that tells nothing new
        self.unconfirmed = {}  # what the session has not confirmed, by the id of the message or request

    def dial(self):
        wait = 0.1
        while True:
            self.connection = socket.socket(socket.AF_UNIX)
            # Bytes, because their lines end with "\n" and nothing else: other line ends of Python's are text.
            self.lines = self.connection.makefile("rb")
            try:
                self.connection.connect(self.path)
                return self.attach()
            except OSError:
                self.drop()
                if wait > 10:
                    raise
                time.sleep(wait)
                wait *= 2

    def attach(self):
        init = self.read()
        if self.place is None:  # What was before is not for us.
            self.place = {"since": init["last_seq"], "log_id": init["log_id"], "epoch": init["epoch"]}
        self.send({"type": "attach", "client": "python-example", **self.place})
        answer = init
        while answer["type"] != "attached":  # What comes before it will come again.
            answer = self.read()
        self.place = {key: answer[key] for key in ("since", "log_id", "epoch")}
        if answer["reset"]:
            self.anew, self.skips = answer["since"], False
        for command in self.unconfirmed.values():  # The same id twice counts once: safe to send again.
            self.send(command)

    def drop(self):
        self.connection.close()
        self.lines.close()
        self.connection = None

    def send(self, command):
        self.connection.sendall(json.dumps(command).encode() + b"\n")

    def read(self):
        """The next line. One that cannot be read is passed over: it is no lost connection."""
        while True:
            text = self.lines.readline()
            if not text.endswith(b"\n"):
                raise ConnectionError("the session closed the connection")
            try:
                return json.loads(text)
            except ValueError:
                print("not understood:", text[:200], file=sys.stderr)

    def message(self, text):
        command = {"type": "message", "id": str(uuid.uuid4()), "text": text}
        self.unconfirmed[command["id"]] = command
        return command["id"]

    def events(self):
        """Every event, and answers of type error. A lost connection is made anew."""
        while True:
            if self.connection is None:
                self.dial()
            try:
                line = self.read()
            except OSError:
                self.drop()
                continue
            if line.get("seq", 0) > self.place["since"]:
                self.place["since"] = line["seq"]
                self.unconfirmed.pop(line.get("id"), None)
                if line["type"] == "snapshot_begin":  # It repeats what was told, unless we begin anew with it.
                    self.skips = line["seq"] > self.anew + 1
                elif line["type"] == "snapshot_end":
                    self.skips = False
                elif not self.skips:
                    yield line
            elif line["type"] == "error":
                yield line


def main(path, text):
    client = Client(path)
    message = client.message(text)
    decisions = {}  # request ids, and what became of them
    for event in client.events():
        kind = event["type"]
        if kind == "text_delta":
            print(event["text"], end="", flush=True)
        elif kind == "tool_use":
            print(f"\n[{event['tool']}] {json.dumps(event['input'])}")
        elif kind == "approval_request":
            request = event["request_id"]
            client.unconfirmed[request] = {"type": "approve", "request_id": request}
            client.drop()  # For show: the request waits for us, whatever happens to the connection.
        elif kind == "approval_resolved":
            client.unconfirmed.pop(event["request_id"], None)
            decisions[event["request_id"]] = event["outcome"]
        elif kind == "tool_result" and decisions.get(event["request_id"]) == "allowed":
            decisions[event["request_id"]] = "failed" if event["is_error"] else "ran"
        elif kind == "error" and "seq" not in event:  # An answer; the event tells of a turn, which done will end.
            if event["code"] != "already_resolved":  # The first decision counts.
                return f"{event['code']}: {event['message']}"
        elif kind == "done" and message in event["messages"]:
            print()
            if event["stop_reason"] != "completed":
                return f"the turn ended with {event['stop_reason']}"
            allowed = [each for each in decisions.values() if each != "denied"]
            return None if "ran" in allowed or not allowed else "no tool was allowed and run"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: client.py SOCKET MESSAGE")
    sys.exit(main(*sys.argv[1:]))
