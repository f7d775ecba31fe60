// Offers two tools to the model of a session, with Go's standard library alone: one takes a note, the other reads the
// notes. The session calls them; this program may be stopped and started again at any time.
//
//	go run . SOCKET NOTES [DELAY]
//
// NOTES is the file of the notes. With DELAY, as in 5s, each call takes that long, so that there is time to stop it.
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"net"
	"os"
	"time"
)

type object map[string]any

// Line holds the fields that this program looks at; all others are ignored.
type Line struct {
	Type, Ref, Call, Tool, Code, Message string
	LastSeq                              uint64 `json:"last_seq"`
	Input                                struct{ Text string }
}

var schema = object{"type": "object", "properties": object{}}
var offer = object{"type": "offer_tools", "ref": "offer", "namespace": "notes", "away_ms": 60000, "tools": []object{
	{
		"name": "take_note", "description": "Takes a note.",
		"input_schema": object{"type": "object", "properties": object{"text": object{"type": "string"}}, "required": []string{"text"}},
	},
	// Reading twice does no harm: the session may send such a call again when this program was stopped in the middle.
	{"name": "read_notes", "description": "Reads all notes.", "input_schema": schema, "idempotent": true},
}}

func main() {
	file, delay := os.Args[2], time.Duration(0)
	if len(os.Args) > 3 {
		delay, _ = time.ParseDuration(os.Args[3])
	}
	for ; ; time.Sleep(200 * time.Millisecond) { // A lost connection is made anew.
		if conn, err := net.Dial("unix", os.Args[1]); err == nil {
			serve(conn, file, delay)
			conn.Close()
		}
	}
}

func serve(conn net.Conn, file string, delay time.Duration) {
	lines, out := bufio.NewReader(conn), make(chan object, 16)
	defer close(out)
	go func() { // One writer: calls run side by side.
		for each := range out {
			json.NewEncoder(conn).Encode(each)
		}
	}()
	for {
		var line Line
		text, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		json.Unmarshal(text, &line)
		switch line.Type {
		case "init":
			// The name counts: what waits for this program is given to the next client of that name.
			out <- object{"type": "attach", "since": line.LastSeq, "client": "notes"}
			out <- offer
		case "ok":
			log.Print("offered")
		case "error":
			log.Printf("%s: %s", line.Code, line.Message)
			if line.Ref == "offer" {
				return // Another client has the namespace: try again.
			}
		case "tool_call":
			log.Printf("called: %s", line.Tool)
			answer(line, file, delay, out)
		}
	}
}

func answer(call Line, file string, delay time.Duration, out chan<- object) {
	text, err := run(call, file)
	time.Sleep(delay)
	if err != nil {
		text = err.Error()
	}
	out <- object{"type": "tool_return", "call": call.Call, "text": text, "is_error": err != nil}
}

func run(call Line, file string) (string, error) {
	if call.Tool == "read_notes" {
		notes, err := os.ReadFile(file)
		return string(notes), err
	}
	notes, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	defer notes.Close()
	_, err = notes.WriteString(call.Input.Text + "\n")
	return "Taken.", err
}
