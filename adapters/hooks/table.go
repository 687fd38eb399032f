package hooks

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// Table maps the tools of one host to canonical tools. A tool that it does not list keeps its name
// and its arguments.
type Table struct {
	tools     map[string]tool
	canonical map[string]bool // names that a tool which is not listed cannot have
}

// tool is how one tool of a host is called by rules.
type tool struct {
	As   string            `json:"as"`
	Args map[string]string `json:"args"` // the host's name of an argument: the canonical one; others keep theirs
	// Says are arguments without any effect, which become the explanation.
	Says []string `json:"says"`
	// Folder is an argument that says where a command starts. The canonical command begins with cd.
	Folder string `json:"folder"`
	// Patch is an argument that holds a patch. The canonical action names the paths in it.
	Patch string `json:"patch"`
}

//go:embed tools/*.json
var files embed.FS

// table reads the table of a dialect, which is part of the program: a fault in it is a fault of the
// program, which the tests find.
func table(name string) *Table {
	t := &Table{canonical: map[string]bool{}}
	raw, err := files.ReadFile("tools/" + name + ".json")
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		err = d.Decode(&t.tools)
	}
	if err != nil {
		panic("tools/" + name + ".json: " + err.Error())
	}
	for _, to := range t.tools {
		t.canonical[to.As] = true
	}
	return t
}

// Action is a call in the words of rules.
type Action struct {
	Tool        string
	Args        json.RawMessage // one object
	Explanation string
}

// Canonical maps a call of the host to an action. Two calls that may have different effects have
// different actions. An error says why the call has none.
func (t *Table) Canonical(e Event) (Action, error) {
	name, input := e.Tool, e.Input
	o, err := readObject("the arguments of "+name, input)
	if err != nil {
		return Action{}, err
	}
	to, listed := t.tools[name]
	if e.Start != "" && (to.As != "shell" || to.given(to.Folder) || o[to.Folder] != nil) {
		return Action{}, fmt.Errorf("%s starts in %s, another folder than the session's; leave that out", name, e.Start)
	}
	if !listed {
		if t.canonical[name] {
			return Action{}, fmt.Errorf("the host has no tool %q; rules use the name for another", name)
		}
		return Action{Tool: name, Args: input}, nil
	}
	args, says, err := to.forward(o)
	if err == nil && e.Start != "" {
		err = startIn(e.Start, args)
	}
	if err != nil {
		return Action{}, fmt.Errorf("%s: %w", name, err)
	}
	raw, err := json.Marshal(args)
	return Action{Tool: to.As, Args: raw, Explanation: strings.Join(says, "\n")}, err
}

// forward renames arguments, and takes out those without effect.
func (to tool) forward(o object) (args object, says []string, err error) {
	args = object{}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		as, renamed := to.Args[key]
		switch {
		case slices.Contains(to.Says, key):
			var s string
			if json.Unmarshal(o[key], &s) != nil {
				return nil, nil, fmt.Errorf("%q is not a string", key)
			}
			says = append(says, s)
			continue
		case key == to.Folder:
			continue
		case !renamed:
			as = key
		}
		if _, twice := args[as]; twice || !renamed && to.given(as) {
			return nil, nil, fmt.Errorf("there is no argument %q", key)
		}
		args[as] = o[key]
	}
	if dir, err := o.maybe(to.Folder); err != nil {
		return nil, nil, err
	} else if dir != "" {
		if err := startIn(dir, args); err != nil {
			return nil, nil, err
		}
	}
	if to.Patch != "" {
		err = to.touched(o, args)
	}
	return args, says, err
}

// given reports whether the table itself gives the action an argument of that name.
func (to tool) given(as string) bool {
	for _, v := range to.Args {
		if v == as {
			return true
		}
	}
	return to.Patch != "" && as == "paths"
}

// startIn puts the folder of a command in front of it, so that rules read one command line.
func startIn(dir string, args object) error {
	line, err := args.text("cmd")
	if err == nil {
		args["cmd"], err = json.Marshal(into(dir) + line)
	}
	return err
}

// into is the beginning of a command line that starts in a folder, in the notation that forms of
// commands know.
func into(dir string) string {
	if strings.HasPrefix(dir, "-") {
		dir = "./" + dir
	}
	return "cd '" + strings.ReplaceAll(dir, "'", `'\''`) + "' && "
}

// touched adds the paths that a patch names.
func (to tool) touched(o, args object) error {
	text, err := o.text(to.Patch)
	if err != nil {
		return err
	}
	paths, err := patched(text)
	if err != nil {
		return err
	}
	args["paths"], err = json.Marshal(paths)
	return err
}

// Rewritten maps the arguments of an action that was allowed back to those of the host's call that
// it came from. What was an explanation stays as it was. The result, mapped once more, is exactly
// that action; where that cannot be, there is an error.
func (t *Table) Rewritten(e Event, args json.RawMessage) (json.RawMessage, error) {
	was, err := readObject("the arguments of "+e.Tool, e.Input)
	if err != nil {
		return nil, err
	}
	now, err := readObject("the allowed arguments", args)
	if err != nil {
		return nil, err
	}
	out := args
	if to, listed := t.tools[e.Tool]; listed {
		if out, err = json.Marshal(to.backward(e.Start, was, now)); err != nil {
			return nil, err
		}
	}
	e.Input = out
	again, err := t.Canonical(e)
	if err == nil && !same(again.Args, args) {
		err = fmt.Errorf("%s cannot be called with exactly the arguments that are allowed", e.Tool)
	}
	return out, err
}

func (to tool) backward(start string, was, now object) object {
	out := object{}
	for _, key := range append(slices.Clone(to.Says), to.Folder) {
		if v, ok := was[key]; ok {
			out[key] = v
		}
	}
	dir, _ := was.maybe(to.Folder)
	if dir == "" {
		dir = start
	}
	if dir != "" {
		line, _ := now.maybe("cmd")
		rest, within := strings.CutPrefix(line, into(dir))
		if !within {
			delete(out, to.Folder)
		} else if raw, err := json.Marshal(rest); err == nil {
			now = maps.Clone(now)
			now["cmd"] = raw
		}
	}
	back := map[string]string{}
	for host, as := range to.Args {
		back[as] = host
	}
	for as, v := range now {
		if to.Patch != "" && as == "paths" {
			continue
		}
		if host, ok := back[as]; ok {
			as = host
		}
		out[as] = v
	}
	return out
}

// same reports whether two JSON objects mean the same, as rules read them.
func same(a, b json.RawMessage) bool {
	x, err := sexpr.FromJSON(a)
	if err != nil {
		return false
	}
	y, err := sexpr.FromJSON(b)
	if err != nil {
		return false
	}
	cx, errX := sexpr.Canonical(x)
	cy, errY := sexpr.Canonical(y)
	return errX == nil && errY == nil && cx == cy
}

// Names returns the canonical tools that the host's tools become, sorted.
func (t *Table) Names() []string { return slices.Sorted(maps.Keys(t.canonical)) }
