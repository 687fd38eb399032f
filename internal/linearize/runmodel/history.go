package runmodel

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Do is what a client does.
type Do string

// What clients do.
const (
	Start   Do = "start"
	Advance Do = "advance"
	Mark    Do = "mark" // a checkpoint
	Read    Do = "read"
	Look    Do = "look" // at the status, as people do
)

// Call is one call, and its answer.
type Call struct {
	Do      Do
	Run     string // the name of the request that starts it
	Ticket  string // of advance, mark and read
	Notes   string
	Topic   string // "" leaves it, "-" removes it
	Hurried bool   // it had little time

	Begin, End time.Duration
	Code       string // of the error; "" for an answer
	Text       string // of the answer
}

// ticket is what the call is about, by which repeats of a write are known.
func (c *Call) ticket() string {
	if c.Do == Start {
		return c.Run
	}
	return c.Ticket
}

// History is what many clients did and saw. It is safe for concurrent use.
type History struct {
	begun time.Time
	mu    sync.Mutex
	calls map[string][]*Call // by run
	n     int
}

// NewHistory returns an empty history; its time begins now.
func NewHistory() *History { return &History{begun: time.Now(), calls: map[string][]*Call{}} }

// Do makes a call, which f answers with a code or a text.
func (h *History) Do(c Call, f func() (code, text string)) *Call {
	c.Begin = time.Since(h.begun)
	c.Code, c.Text = f()
	c.End = time.Since(h.begun)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls[c.Run] = append(h.calls[c.Run], &c)
	h.n++
	return &c
}

// Len is how many calls there were.
func (h *History) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.n
}

// Calls returns those about a run. No client may be playing any more.
func (h *History) Calls(run string) []*Call { return h.calls[run] }

// Counts says how often what was answered how.
func (h *History) Counts() map[string]int {
	out := map[string]int{}
	for _, calls := range h.calls {
		for _, c := range calls {
			how := c.Code
			if how == "" {
				how = answerOf(c.Text).Kind
			}
			out[string(c.Do)+" "+how]++
		}
	}
	return out
}

// Entry is one write as the record has it.
type Entry struct {
	Do     Do
	Ticket string // of the call; of a start the name of its request
	Notes  string
	Topic  string // of the run, afterwards
	Cause  string // of its edge; "" for a start
	Gaps   int    // critical ones that it records
}

// Answer is the part of an answer that the rules explain.
type Answer struct {
	Kind     string `json:"kind"`
	Continue string `json:"continueToken"`
	Retry    string `json:"retryContinueToken"`
	Complete bool   `json:"isComplete"`
	Pending  *struct {
		StepID string `json:"stepId"`
		Prompt string `json:"prompt"`
	} `json:"pending"`
	Blockers []struct {
		Code string `json:"code"`
	} `json:"blockers"`
	Checkpoint string `json:"checkpointNodeId"`
	Recovery   string `json:"recovery"`

	Status string `json:"status"` // of a look
	Tips   int    `json:"tips"`
}

func answerOf(text string) (a Answer) {
	if json.Unmarshal([]byte(text), &a) != nil {
		a.Kind = "no JSON"
	}
	return a
}

// Ticket is the ticket of an answer, "" if it has none.
func Ticket(text string) string {
	a := answerOf(text)
	return a.Continue + a.Retry
}

var waysForm = regexp.MustCompile(`(\d+) way\(s\) go on from this place`)

// ways are how many ways the answer says go on from the place.
func (a Answer) ways() string {
	if m := waysForm.FindStringSubmatch(a.Recovery); m != nil {
		return m[1]
	}
	return "0"
}

// recap is the notes that the answer tells.
func (a Answer) recap() []string {
	_, text, ok := strings.Cut(a.Recovery, "(newest first)\n\n")
	if !ok {
		return nil
	}
	return strings.Split(strings.TrimSpace(text), "\n\n---\n\n")
}
