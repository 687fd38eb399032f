package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/plans/work"
	"github.com/opencortex-go/cortex/sexpr"
)

// Wrong says what is wrong with a call, for the agent that made it.
type Wrong struct {
	Path    string // the member, "output.artifacts"; "" for the whole
	Problem string // what is wrong, and what would be right
}

func (w *Wrong) Error() string {
	if w.Path == "" {
		return w.Problem
	}
	return w.Path + ": " + w.Problem
}

// Read reads a call of a tool. An error is a [*Wrong].
func Read(tool Name, params []byte) (Call, error) {
	var names []string
	for _, d := range All() {
		if d.Name == tool {
			c := d.Input
			if err := read(params, c); err != nil {
				return nil, err
			}
			return c, c.check()
		}
		names = append(names, string(d.Name))
	}
	return nil, &Wrong{"", fmt.Sprintf("there is no tool %q%s", tool, spell.DidYouMean(string(tool), names))}
}

// read fills a call.
func read(params []byte, c Call) error {
	if len(bytes.TrimSpace(params)) == 0 {
		params = []byte("{}")
	}
	// Also a member twice, and a bomb of brackets. A context is measured by itself later.
	reader := sexpr.Reader{Limits: sexpr.Limits{Depth: 2 * work.MaxDepth}}
	if _, err := reader.FromJSON("", params); err != nil {
		return &Wrong{"", err.Error()}
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(params, &members); err != nil || members == nil {
		return &Wrong{"", "expected an object with the fields of " + string(c.Tool())}
	}
	if err := short(members, c); err != nil {
		return err
	}
	if err := known(members, reflect.TypeOf(c).Elem(), ""); err != nil {
		return err
	}
	text, err := json.Marshal(members)
	if err == nil {
		err = json.Unmarshal(text, c)
	}
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return &Wrong{t.Field, fmt.Sprintf("expected %s, found %s", kind(t.Type), t.Value)}
	}
	if err != nil {
		return &Wrong{"", err.Error()}
	}
	return nil
}

// short puts notes and artifacts where they belong, in calls that have an output.
func short(members map[string]json.RawMessage, c Call) error {
	if _, ok := reflect.TypeOf(c).Elem().FieldByName("Output"); !ok {
		return nil
	}
	for from, to := range map[string]string{"notes": "notesMarkdown", "artifacts": "artifacts"} {
		v, ok := members[from]
		if !ok {
			continue
		}
		out := map[string]json.RawMessage{}
		if o, ok := members["output"]; ok {
			if err := json.Unmarshal(o, &out); err != nil {
				return &Wrong{"output", "expected an object with notesMarkdown and artifacts"}
			}
		}
		if _, twice := out[to]; twice {
			return &Wrong{from, "is another name of output." + to + ", which is there too: use one of them"}
		}
		out[to] = v
		text, err := json.Marshal(out)
		if err != nil {
			return &Wrong{from, err.Error()}
		}
		members["output"] = text
		delete(members, from)
	}
	return nil
}

// known says which member a struct does not have, the first by name, and those of its parts.
func known(members map[string]json.RawMessage, of reflect.Type, at string) error {
	has := map[string]reflect.Type{}
	for f := range of.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		has[name] = f.Type
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		t, ok := has[name]
		if !ok {
			all := slices.Sorted(maps.Keys(has))
			return &Wrong{at + name, fmt.Sprintf("is not known here%s; known are %s", spell.DidYouMean(name, all),
				strings.Join(all, ", "))}
		}
		var inner map[string]json.RawMessage
		if t.Kind() == reflect.Pointer && json.Unmarshal(members[name], &inner) == nil {
			if err := known(inner, t.Elem(), at+name+"."); err != nil {
				return err
			}
		}
	}
	return nil
}

// kind is the word of JSON for a type.
func kind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "an array"
	default:
		return "an object"
	}
}

// idWanted is what is right where the id of a workflow is missing.
const idWanted = "the id of a workflow, as list_workflows gives it"

func (c *ListWorkflows) check() error { return absolute(c.WorkspacePath) }

func (c *InspectWorkflow) check() error {
	if err := needed("workflowId", c.WorkflowID, idWanted); err != nil {
		return err
	}
	return oneOf("mode", c.Mode, "metadata", "preview")
}

func (c *StartWorkflow) check() error {
	if err := needed("workflowId", c.WorkflowID, idWanted); err != nil {
		return err
	}
	if err := needed("goal", c.Goal, "what is to be reached, in a sentence"); err != nil {
		return err
	}
	if p := c.Preferences; p != nil {
		if err := oneOf("preferences.autonomy", p.Autonomy, "guided", "full_auto_stop_on_user_deps",
			"full_auto_never_stop"); err != nil {
			return err
		}
		if err := oneOf("preferences.riskPolicy", p.RiskPolicy, "conservative", "balanced", "aggressive"); err != nil {
			return err
		}
	}
	return absolute(c.WorkspacePath)
}

func (c *ContinueWorkflow) check() error {
	if err := needed("continueToken", c.ContinueToken, "the continueToken of the newest answer"); err != nil {
		return err
	}
	if err := oneOf("intent", c.Intent, "advance", "rehydrate"); err != nil {
		return err
	}
	if c.Intent == "rehydrate" && (c.Output != nil || c.Context != nil) {
		return &Wrong{"intent", "rehydrate only reads: leave output and context out, or say advance"}
	}
	if c.Intent == "" && c.Output == nil && c.Context != nil {
		return &Wrong{"context", "is handed in with a step: say intent advance, or add an output"}
	}
	return nil
}

func (c *CheckpointWorkflow) check() error {
	return needed("checkpointToken", c.CheckpointToken, "a token of the newest answer")
}

// maxQuery is how long the words of a search may be, in bytes.
const maxQuery = 256

func (c *ResumeSession) check() error {
	if len(c.Query) > maxQuery {
		return &Wrong{"query", fmt.Sprintf("has %d bytes of at most %d: a few words find more", len(c.Query), maxQuery)}
	}
	if c.GitHeadSHA != "" && (len(c.GitHeadSHA) != 40 || strings.Trim(c.GitHeadSHA, "0123456789abcdef") != "") {
		return &Wrong{"gitHeadSha", "expected 40 hexadecimal digits in small letters, as git rev-parse HEAD prints"}
	}
	if c.SameWorkspaceOnly && c.WorkspacePath == "" {
		return &Wrong{"sameWorkspaceOnly", "needs a workspacePath"}
	}
	return absolute(c.WorkspacePath)
}

// needed says that a text is missing.
func needed(path, text, what string) error {
	if strings.TrimSpace(text) == "" {
		return &Wrong{path, "is missing: " + what}
	}
	return nil
}

// oneOf says that a text is none of the words that may stand there, or nothing.
func oneOf(path, text string, words ...string) error {
	if text == "" || slices.Contains(words, text) {
		return nil
	}
	return &Wrong{
		path,
		fmt.Sprintf("is %q; expected %s%s", text, strings.Join(words, " or "), spell.DidYouMean(text, words)),
	}
}

// absolute says that the path of a workspace is relative.
func absolute(path string) error {
	if path != "" && !filepath.IsAbs(path) {
		return &Wrong{"workspacePath", fmt.Sprintf("is %q; expected an absolute path", path)}
	}
	return nil
}
