// A client of one session, with Go's standard library alone: it sends a message, prints the answer as it
// streams, allows what asks, and breaks its own connection on the way, to show that nothing is lost.
//
//	go run . SOCKET "write a note"
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"os"
	"time"
)

// Line holds the fields of events and answers that this program looks at; all others are ignored.
type Line struct {
	Type, ID, Tool, Outcome, Code, Message string

	Text         any    // a string, or for a large one an object with its beginning; get_blob has the whole
	Seq          uint64 // events have one, answers do not
	Since, Epoch uint64
	Reset        bool
	Messages     []string
	LogID        string `json:"log_id"`
	LastSeq      uint64 `json:"last_seq"`
	RequestID    string `json:"request_id"`
	IsError      bool   `json:"is_error"`
	StopReason   string `json:"stop_reason"`
}

type command map[string]any

// Client follows a session across lost connections: Next gives every event once and in order.
type Client struct {
	path, logID  string
	conn         net.Conn
	lines        *bufio.Reader      // not a Scanner: a line may have ten megabytes
	since, epoch uint64             // the last event that was given out, and of which start of the session
	anew         uint64             // where we had to begin anew
	skips        bool               // in a snapshot that tells nothing new
	open         map[string]command // what the session has not confirmed, by the id of the message or request
}

func (c *Client) dial() {
	var err error
	for wait := 100 * time.Millisecond; wait < 10*time.Second; wait *= 2 {
		if c.conn, err = net.Dial("unix", c.path); err == nil {
			if err = c.attach(); err == nil {
				return
			}
			c.Drop()
		}
		time.Sleep(wait)
	}
	log.Fatal(err)
}

func (c *Client) attach() error {
	c.lines = bufio.NewReader(c.conn)
	line, err := c.read() // The first line is init.
	if c.logID == "" {
		c.logID, c.epoch, c.since = line.LogID, line.Epoch, line.LastSeq // What was before is not for us.
	}
	c.Send(command{"type": "attach", "since": c.since, "log_id": c.logID, "epoch": c.epoch})
	for err == nil && line.Type != "attached" { // What comes before it will come again.
		if line, err = c.read(); line.Type == "attached" {
			c.logID, c.epoch, c.since = line.LogID, line.Epoch, line.Since
		}
	}
	if line.Reset {
		c.anew, c.skips = line.Since, false
	}
	for _, each := range c.open { // The same id twice counts once, so sending again is safe.
		c.Send(each)
	}
	return err
}

// Next gives the next event, or an answer of type error. A lost connection is made anew.
func (c *Client) Next() Line {
	for {
		if c.conn == nil {
			c.dial()
		}
		if line, err := c.read(); err != nil {
			c.Drop()
		} else if line.Seq > c.since {
			c.since = line.Seq
			delete(c.open, line.ID)
			// A snapshot repeats what was told, unless we begin anew with it.
			isRepeat := line.Type == "snapshot_begin" && line.Seq > c.anew+1
			if c.skips = isRepeat || (c.skips && line.Type != "snapshot_end"); !c.skips {
				return line
			}
		} else if line.Type == "error" {
			return line
		}
	}
}

// A line that cannot be understood is no lost connection: what can be read of it counts, as its seq.
func (c *Client) read() (line Line, err error) {
	text, err := c.lines.ReadBytes('\n')
	if err == nil && json.Unmarshal(text, &line) != nil {
		log.Printf("not understood: %.200s", text)
	}
	return line, err
}

func (c *Client) Send(what command) { json.NewEncoder(c.conn).Encode(what) } // read finds what is lost

func (c *Client) Drop() { c.conn.Close(); c.conn = nil }

func main() {
	id := fmt.Sprintf("go-%d", time.Now().UnixNano())
	message := command{"type": "message", "id": id, "text": os.Args[2]}
	client := &Client{path: os.Args[1], open: map[string]command{id: message}}
	allowed, ran := map[string]bool{}, false
	for {
		switch line := client.Next(); line.Type {
		case "text_delta":
			fmt.Print(line.Text)
		case "tool_use":
			fmt.Printf("\n[%s]\n", line.Tool)
		case "approval_request":
			client.open[line.RequestID] = command{"type": "approve", "request_id": line.RequestID}
			client.Drop() // For show: the request waits for us, whatever happens to the connection.
		case "approval_resolved":
			delete(client.open, line.RequestID)
			allowed[line.RequestID] = line.Outcome == "allowed"
		case "tool_result":
			ran = ran || (allowed[line.RequestID] && !line.IsError)
		case "error": // An event tells of a turn, which done will end. An answer is to one of our commands.
			if line.Seq == 0 && line.Code != "already_resolved" { // The first decision counts.
				log.Fatalf("%s: %s", line.Code, line.Message)
			}
		case "done":
			for _, each := range line.Messages {
				if each == id && (line.StopReason != "completed" || len(allowed) > 0 && !ran) {
					log.Fatalf("the turn is %s; a tool was allowed and ran: %t", line.StopReason, ran)
				} else if each == id {
					return
				}
			}
		}
	}
}
