"""Offers one tool to the model of a session, with Python's standard library alone: the time at a place.

    python3 clock.py SOCKET
"""

import datetime, json, socket, sys, time, zoneinfo

OFFER = {
    "type": "offer_tools",
    "ref": "offer",
    "namespace": "clock",
    "tools": [
        {
            "name": "time_at",
            "description": "The time at a place, named as in Europe/Paris.",
            "input_schema": {
                "type": "object",
                "properties": {"zone": {"type": "string"}},
                "required": ["zone"],
            },
            # Asking twice does no harm, so the session may send a call again after a lost connection.
            "idempotent": True,
            "annotations": {"readOnlyHint": True},
        }
    ],
}


def time_at(zone):
    return datetime.datetime.now(zoneinfo.ZoneInfo(zone)).strftime("%H:%M")


def serve(session):
    def send(line):
        session.sendall(json.dumps(line).encode() + b"\n")

    for text in session.makefile("rb"):  # Splits at the byte 0x0A alone.
        line = json.loads(text)
        if line["type"] == "init":
            # The name counts: what waits for this program is given to the next client of that name.
            send({"type": "attach", "since": line["last_seq"], "client": "clock"})
            send(OFFER)
        elif line["type"] == "ok":
            print("offered", flush=True)
        elif line["type"] == "error":
            print(line["code"], line["message"], file=sys.stderr)
        elif line["type"] == "tool_call":
            try:
                result = {"text": time_at(line["input"]["zone"])}
            except Exception as error:  # The model reads it.
                result = {"text": f"There is no such place: {error}", "is_error": True}
            send({"type": "tool_return", "call": line["call"], **result})


while True:  # A lost connection is made anew.
    try:
        with socket.socket(socket.AF_UNIX) as session:
            session.connect(sys.argv[1])
            serve(session)
    except OSError as error:
        print(error, file=sys.stderr)
    time.sleep(0.2)
