#!/usr/bin/env python3
"""A client of one session, with Python's standard library alone: it sends a message, prints the answer as
it streams, allows the first tool call that asks, and breaks its own connection once on the way, to show
that nothing is lost.

    python3 client.py SOCKET "look at README.md"
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
        self.unconfirmed = {}  # messages that the session has not confirmed, by id

    def dial(self):
        wait = 0.1
        while True:
            self.connection = socket.socket(socket.AF_UNIX)
            try:
                self.connection.connect(self.path)
                break
            except OSError:
                self.connection.close()
                if wait > 10:
                    raise
                time.sleep(wait)
                wait *= 2
        # Lines end with "\n" and nothing else: some characters that Python takes for line ends are text.
        self.lines = self.connection.makefile("r", encoding="utf-8", newline="\n")
        init = json.loads(self.lines.readline())
        if self.place is None:  # What was before is not for us.
            self.place = {"since": init["last_seq"], "log_id": init["log_id"], "epoch": init["epoch"]}
        self.send({"type": "attach", "client": "python-example", **self.place})
        for line in self.lines:  # What comes before "attached" will come again.
            answer = json.loads(line)
            if answer["type"] == "attached":
                self.place = {key: answer[key] for key in ("since", "log_id", "epoch")}
                break
        for message in self.unconfirmed.values():  # The same id twice counts once: safe to send again.
            self.send(message)

    def drop(self):
        self.connection.close()
        self.lines.close()
        self.connection = None

    def send(self, command):
        self.connection.sendall(json.dumps(command).encode() + b"\n")

    def message(self, text):
        command = {"type": "message", "id": str(uuid.uuid4()), "text": text}
        self.unconfirmed[command["id"]] = command
        return command["id"]

    def events(self):
        """Every event, and answers of type error. A lost connection is made anew."""
        while True:
            try:
                if self.connection is None:
                    self.dial()
                text = self.lines.readline()
            except ConnectionError:
                text = ""
            if not text.endswith("\n"):
                self.drop()
                continue
            line = json.loads(text)
            if line.get("seq", 0) > self.place["since"]:
                self.place["since"] = line["seq"]
                if line["type"] == "user_message":
                    self.unconfirmed.pop(line["id"], None)
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
            client.drop()  # For show: the request waits for us, whatever happens to the connection.
            client.dial()
            client.send({"type": "approve", "request_id": event["request_id"]})
        elif kind == "approval_resolved":
            decisions[event["request_id"]] = event["outcome"]
        elif kind == "tool_result" and decisions.get(event["request_id"]) == "allowed":
            decisions[event["request_id"]] = "failed" if event["is_error"] else "ran"
        elif kind == "error":
            return f"{event['code']}: {event['message']}"
        elif kind == "done" and message in event["messages"]:
            print()
            if event["stop_reason"] != "completed":
                return f"the turn ended with {event['stop_reason']}"
            return None if "ran" in decisions.values() else "no tool was allowed and run"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: client.py SOCKET MESSAGE")
    sys.exit(main(*sys.argv[1:]))
