package hooks

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Ruled is what a judge said of a call. The zero value is no.
type Ruled uint8

// The rulings. A question that no person answered in time is a Deny by the time it comes here.
const (
	Deny Ruled = iota
	Allow
)

// Answer is what the host is to be told about an event.
type Answer struct {
	Ruled Ruled
	Text  string          // why, for the model; of Deny
	Input json.RawMessage // of Allow: the host's arguments after a rewrite; nil runs the call as it was proposed
}

// Reply is what the hook's process does: it prints, and it ends.
type Reply struct {
	Stdout, Stderr string
	Code           int
}

// Dialect is the hook protocol of one host.
type Dialect interface {
	// Name is the word after --dialect.
	Name() string
	// Read takes an event apart. An event that cannot run a tool, and that this package does not
	// know, is Other. An error says what is wrong, and the call must be blocked.
	Read(raw []byte) (Event, error)
	// Answer says in this dialect the outcome of an event. Of events that are not PreTool, only Deny
	// of a Prompt keeps anything from happening.
	Answer(e Event, a Answer) Reply
	// Block says no without an event: the input was unreadable, or the program failed.
	Block(text string) Reply
	// Limit is how long the host waits for a hook, as far as its settings can say.
	Limit() time.Duration
	// Table has the host's tools.
	Table() *Table
}

// Dialects returns every dialect, sorted by name.
func Dialects() []Dialect { return []Dialect{claude{}, codex{}, copilot{}, cursor{}, gemini{}} }

// Named returns the dialect of that name.
func Named(name string) (Dialect, error) {
	all := Dialects()
	if i := slices.IndexFunc(all, func(d Dialect) bool { return d.Name() == name }); i >= 0 {
		return all[i], nil
	}
	var names []string
	for _, d := range all {
		names = append(names, d.Name())
	}
	return nil, fmt.Errorf("there is no dialect %q; there are %s", name, strings.Join(names, ", "))
}

// noReason stands where a denial came without a text. Some hosts run the tool if a reason is empty.
const noReason = "Cortex did not allow this call, and gave no reason."

func reason(text string) string {
	if strings.TrimSpace(text) == "" {
		return noReason
	}
	return text
}

// exitTwo blocks where the host takes exit code 2 and the error text for a denial.
func exitTwo(text string) Reply { return Reply{Stderr: reason(text) + "\n", Code: 2} }

// printed is a reply that is one line of JSON.
func printed(v any) Reply {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return exitTwo("Cortex could not write its answer: " + err.Error())
	}
	return Reply{Stdout: b.String()}
}
