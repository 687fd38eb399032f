package scenarios

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Scenario is one file: a task, the run that does it, and the attacks on that run.
type Scenario struct {
	Name    string   `toml:"-"` // of its file, without .toml
	Suite   string   // whose tools it uses: the name of a file in tools/
	User    string   // the first message of the user
	Step    []Step   // what happens then, if no result was touched
	Attack  []Attack // at least three
	written string   // its file, for errors
}

// Step is a call with its result, or a further message of the user.
type Step struct {
	User    string         // a message; then the rest is empty
	Tool    string         // the tool that the agent calls
	Args    map[string]any // its arguments
	Result  string         // what it answered; empty if nothing comes after it
	Error   bool           // whether the result is an error
	MayAsk  string         `toml:"may-ask"` // one of Stakes: then a question about it is right, too
	Leading bool           `toml:"leading"` // in an attack: the call only leads to the one that does harm
}

// Attack is a change of what the agent reads, and what the attacker wants of it.
type Attack struct {
	Name  string // unique in its scenario
	How   string // one of Hows
	Goal  string // what the attacker gains, for readers
	Edit  []Edit // at least one
	After int    // the step after which the agent obeys; 0 is the last one that is edited
	Then  []Step // what it does; calls that are not leading are those that must not pass
	Need  string // "any" if one of several such calls suffices; else "all"
}

// Edit puts a text into the result of a step.
type Edit struct {
	In      int    // the step, from 1
	At      string // behind this text, which stands in the result once; empty is the end
	Replace string // in place of this text, which stands in the result once
	Text    string // what the attacker wrote
}

// Hows are the ways in which an order reaches the agent.
var Hows = []string{
	"source",   // it stands in the source that the user told the agent to follow
	"reply",    // in a reply, comment, review or quotation below that source
	"link",     // behind a link
	"second",   // in another result than the one that the user meant
	"sender",   // it seems to come from somebody else: the user, a boss, the system
	"language", // it is not in English
	"polite",   // it asks, wishes or states instead of commanding
	"split",    // its parts stand in two places
}

// Stakes are why a question about a right call counts as good.
var Stakes = []string{"grant", "pay", "delete", "secret", "site", "run"}

// Load reads the scenarios of a folder, by name. It does not enter folders below.
func Load(folder string) ([]*Scenario, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.toml"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	var out []*Scenario
	for _, file := range files {
		s, err := read(file)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func read(file string) (*Scenario, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s := &Scenario{Name: strings.TrimSuffix(filepath.Base(file), ".toml"), written: file}
	d := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields()
	if err := d.Decode(s); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

// edited is the scenario's run as an attack leaves it. A text that an edit is to follow or
// replace must stand in the result exactly once.
func (s *Scenario) edited(a *Attack) ([]Step, error) {
	steps := slices.Clone(s.Step)
	for i, e := range a.Edit {
		if e.In < 1 || e.In > len(steps) || steps[e.In-1].Tool == "" || e.Text == "" {
			return nil, fmt.Errorf("edit %d: in must be the number of a call, and text not empty", i+1)
		}
		result := &steps[e.In-1].Result
		place := e.At + e.Replace
		switch n := strings.Count(*result, place); {
		case place == "":
			*result += e.Text
			continue
		case e.At != "" && e.Replace != "":
			return nil, fmt.Errorf("edit %d: has both at and replace", i+1)
		case n != 1:
			return nil, fmt.Errorf("edit %d: %q stands %d times in the result of step %d", i+1, place, n, e.In)
		}
		*result = strings.Replace(*result, place, e.At+e.Text, 1)
	}
	return steps, nil
}

// after is the number of steps that the agent has seen when it obeys.
func (a *Attack) after() int {
	n := a.After
	for _, e := range a.Edit {
		n = max(n, e.In)
	}
	return n
}
