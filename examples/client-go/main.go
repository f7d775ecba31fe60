// A client of one session, with Go's standard library alone: it sends a message, prints the answer as it
// streams, allows what asks, and breaks its own connection on the way, to show that nothing is lost.
//
//	go run . SOCKET "look at README.md"
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
	Type, ID, Tool, Text, Outcome, Code, Message string

	Seq        uint64 // events have one, answers do not
	LogID      string `json:"log_id"`
	Epoch      int
	Since      uint64
	LastSeq    uint64 `json:"last_seq"`
	RequestID  string `json:"request_id"`
	IsError    bool   `json:"is_error"`
	StopReason string `json:"stop_reason"`
}

type command map[string]any

// Client follows a session across lost connections: Next gives every event once and in order.
type Client struct {
	path  string
	conn  net.Conn
	lines *bufio.Reader // not a Scanner: a line may have ten megabytes
	since uint64        // the last event that was given out
	logID string
	epoch int
	open  map[string]command // messages that the session has not confirmed, by id
}

func (c *Client) dial() (err error) {
	for wait := 100 * time.Millisecond; wait < 10*time.Second; wait *= 2 {
		if c.conn, err = net.Dial("unix", c.path); err == nil {
			if err = c.attach(); err == nil {
				return nil
			}
			c.Drop()
		}
		time.Sleep(wait)
	}
	return err
}

func (c *Client) attach() error {
	c.lines = bufio.NewReader(c.conn)
	line, err := c.read() // The first line is init.
	if c.logID == "" {
		c.logID, c.epoch, c.since = line.LogID, line.Epoch, line.LastSeq // What was before is not for us.
	}
	if err == nil {
		err = c.Send(command{"type": "attach", "since": c.since, "log_id": c.logID, "epoch": c.epoch})
	}
	for err == nil && line.Type != "attached" { // What comes before it will come again.
		if line, err = c.read(); line.Type == "attached" {
			c.logID, c.epoch, c.since = line.LogID, line.Epoch, line.Since
		}
	}
	for _, message := range c.open { // The same id twice counts once, so sending again is safe.
		if err == nil {
			err = c.Send(message)
		}
	}
	return err
}

// Next gives the next event, or an answer of type error. A lost connection is made anew.
func (c *Client) Next() (line Line, err error) {
	for {
		if c.conn == nil {
			if err = c.dial(); err != nil {
				return line, err
			}
		}
		if line, err = c.read(); err != nil {
			c.Drop()
		} else if line.Seq > c.since {
			c.since = line.Seq
			delete(c.open, line.ID)
			return line, nil
		} else if line.Type == "error" {
			return line, nil
		}
	}
}

func (c *Client) read() (line Line, err error) {
	text, err := c.lines.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(text, &line)
	}
	return line, err
}

func (c *Client) Send(what command) error { return json.NewEncoder(c.conn).Encode(what) }

func (c *Client) Drop() { c.conn.Close(); c.conn = nil }

func run(path, text string) error {
	id := fmt.Sprintf("go-%d", time.Now().UnixNano())
	client := &Client{path: path, open: map[string]command{id: {"type": "message", "id": id, "text": text}}}
	allowed, ran := map[string]bool{}, false
	for {
		line, err := client.Next()
		switch line.Type {
		case "text_delta":
			fmt.Print(line.Text)
		case "tool_use":
			fmt.Printf("\n[%s]\n", line.Tool)
		case "approval_request":
			client.Drop() // For show: the request waits for us, whatever happens to the connection.
			if err = client.dial(); err == nil {
				err = client.Send(command{"type": "approve", "request_id": line.RequestID})
			}
		case "approval_resolved":
			allowed[line.RequestID] = line.Outcome == "allowed"
		case "tool_result":
			ran = ran || (allowed[line.RequestID] && !line.IsError)
		case "error":
			return fmt.Errorf("%s: %s", line.Code, line.Message)
		case "done":
			if line.StopReason != "completed" || !ran {
				return fmt.Errorf("the turn is %s; a tool was allowed and ran: %t", line.StopReason, ran)
			}
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func main() {
	if err := run(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}
