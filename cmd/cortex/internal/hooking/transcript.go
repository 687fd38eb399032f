package hooking

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/opencortex-go/cortex/adapters/hooks"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// mostTranscript bounds what is read of a transcript. A longer one is read from its end, and the
// session is known in part.
const mostTranscript = 32 << 20

// transcript reads a session from the file in which its host keeps it. Only what a person typed
// is the user's: an entry that calls itself the user's may hold a tool's result, a reminder or a
// summary. A host without a transcript that can be read has a session that is known in part.
func transcript(d hooks.Dialect, e hooks.Event) (skills.Session, error) {
	s := skills.Session{ID: e.Session, Principal: "user", Partial: true}
	entry := map[string]func(*reading, []byte) error{"claude": (*reading).claude, "codex": (*reading).codex,
		"gemini": (*reading).gemini}[d.Name()]
	if entry == nil || e.Transcript == "" {
		return s, nil
	}
	text, whole, err := tail(e.Transcript)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil // the first call of a session may come before its file
	}
	if err != nil {
		return s, err
	}
	r := reading{dialect: d, table: d.Table(), open: map[string]*skills.Call{}}
	if d.Name() == "gemini" {
		r.log = geminiLog(e.Transcript, e.Session)
	}
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := entry(&r, line); err != nil {
			whole = false // the host may be writing this line, or a newer version wrote it
		}
	}
	s.Turns, s.Partial = r.turns, !whole || e.Agent != "" // what sub-agents read stands elsewhere
	return s, nil
}

// tail is what is read of a transcript, and whether that is all of it.
func tail(path string) (text []byte, whole bool, err error) {
	f, err := open(path)
	if err != nil {
		return nil, false, fmt.Errorf("the session's transcript cannot be read: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return nil, false, err
	}
	from := max(0, info.Size()-mostTranscript)
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return nil, false, err
	}
	text, err = io.ReadAll(io.LimitReader(f, mostTranscript))
	if from > 0 {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return text, err == nil && from == 0, err
}

// reading is a session as far as it has been read.
type reading struct {
	dialect hooks.Dialect
	table   *hooks.Table
	turns   []skills.Turn
	open    map[string]*skills.Call // by the host's id
	log     []string                // of Gemini CLI: what a person typed, see geminiLog
}

// said adds a message of the user.
func (r *reading) said(text string) {
	if strings.TrimSpace(text) != "" {
		r.turns = append(r.turns, skills.Turn{User: text})
	}
}

// called adds a call.
func (r *reading) called(id, tool string, input json.RawMessage) error {
	a, err := r.table.Canonical(hooks.Event{Tool: tool, Input: input})
	if err != nil {
		a = hooks.Action{Tool: tool, Args: json.RawMessage("{}")} // it was not allowed, but what it gave was read
	}
	args, err := sexpr.FromJSON(a.Args)
	if err != nil {
		return err
	}
	c := &skills.Call{Tool: a.Tool, Args: args, Decision: "allow"}
	r.open[id] = c
	r.turns = append(r.turns, skills.Turn{Call: c})
	return nil
}

// gave adds what a call returned.
func (r *reading) gave(id string, result json.RawMessage, failed bool) error {
	c := r.open[id]
	if c == nil {
		return fmt.Errorf("a result of the unknown call %.40q", id)
	}
	c.Happened = !failed
	v, err := sexpr.FromJSON(result)
	if err != nil {
		v = sexpr.Str(strings.ReplaceAll(strings.ToValidUTF8(string(result), "\uFFFD"), "\x00", "\uFFFD"))
	}
	c.Result = v
	return nil
}

// claude reads an entry of Claude Code's transcript. What a person typed is text that is marked as
// neither the host's own, nor a summary, nor a sub-agent's.
func (r *reading) claude(line []byte) error {
	var e struct {
		Type, PromptSource                    string
		IsMeta, IsSidechain, IsCompactSummary bool
		ToolUseResult                         json.RawMessage
		Message                               struct{ Content json.RawMessage }
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	if e.Type != "user" && e.Type != "assistant" || len(e.Message.Content) == 0 {
		return nil
	}
	human := e.Type == "user" && !e.IsMeta && !e.IsSidechain && !e.IsCompactSummary && e.ToolUseResult == nil &&
		(e.PromptSource == "" || e.PromptSource == "user" || e.PromptSource == "sdk" || e.PromptSource == "typed")
	var text string
	if json.Unmarshal(e.Message.Content, &text) == nil {
		r.typed(human, text)
		return nil
	}
	var blocks []struct {
		Type, Text, ID, Name string
		Input, Content       json.RawMessage
		ToolUseID            string `json:"tool_use_id"`
		IsError              bool   `json:"is_error"`
	}
	if err := json.Unmarshal(e.Message.Content, &blocks); err != nil {
		return err
	}
	var errs error
	for _, b := range blocks {
		switch {
		case b.Type == "text" && e.Type == "user":
			r.typed(human, b.Text)
		case b.Type == "tool_use":
			errs = errors.Join(errs, r.called(b.ID, b.Name, b.Input))
		case b.Type == "tool_result":
			errs = errors.Join(errs, r.gave(b.ToolUseID, b.Content, b.IsError))
		}
	}
	return errs
}

// typed adds a text as the user's, or as one that was read, or a part of it as each.
func (r *reading) typed(human bool, text string) {
	added := text
	if human {
		text, added = hooks.Typed(r.dialect, text)
		r.said(text)
	}
	if strings.TrimSpace(added) != "" {
		r.turns = append(r.turns, skills.Turn{Source: &skills.Source{Name: hostText, Text: added}})
	}
}

// codex reads an entry of a rollout of Codex. A message of the role "user" may be the host's own;
// the event of a UserMessage is what a person typed.
func (r *reading) codex(line []byte) error {
	var e struct {
		Type    string
		Payload struct {
			Type, Name, Arguments, Input string
			CallID                       string `json:"call_id"`
			Output                       json.RawMessage
			Item                         struct {
				Type    string
				Content []struct{ Type, Text string }
			}
		}
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	p := e.Payload
	switch {
	case e.Type == "event_msg" && p.Type == "item_completed" && p.Item.Type == "UserMessage":
		for _, c := range p.Item.Content {
			if c.Type == "text" {
				r.typed(true, c.Text)
			}
		}
	case e.Type == "response_item" && p.Type == "function_call":
		return r.called(p.CallID, p.Name, codexInput(p.Name, p.Arguments))
	case e.Type == "response_item" && p.Type == "custom_tool_call":
		input, err := json.Marshal(map[string]string{"command": p.Input})
		return errors.Join(err, r.called(p.CallID, p.Name, input))
	case e.Type == "response_item" && (p.Type == "function_call_output" || p.Type == "custom_tool_call_output"):
		return r.gave(p.CallID, p.Output, false)
	}
	return nil
}

// codexInput is a call as its hook sees it: the model says cmd, the hook command.
func codexInput(name, arguments string) json.RawMessage {
	var o map[string]json.RawMessage
	if name == "exec_command" && json.Unmarshal([]byte(arguments), &o) == nil && o["cmd"] != nil {
		if raw, err := json.Marshal(map[string]json.RawMessage{"command": o["cmd"]}); err == nil {
			return raw
		}
	}
	return json.RawMessage(arguments)
}

// gemini reads an entry of a chat of Gemini CLI. A call stands beside its result.
func (r *reading) gemini(line []byte) error {
	var e struct {
		ID, Type  string
		Content   json.RawMessage
		ToolCalls []struct {
			ID, Name, Status string
			Args, Result     json.RawMessage
		}
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	if e.Type == "user" {
		var parts []struct{ Text string }
		if err := json.Unmarshal(e.Content, &parts); err != nil {
			return err
		}
		var prompt strings.Builder
		for _, p := range parts {
			prompt.WriteString(p.Text)
		}
		typed, added := geminiTyped(prompt.String(), r.log)
		r.typed(true, typed)
		r.typed(false, added)
	}
	var errs error
	for _, c := range e.ToolCalls {
		if r.open[c.ID] == nil {
			errs = errors.Join(errs, r.called(c.ID, c.Name, c.Args))
		}
		if c.Result != nil {
			errs = errors.Join(errs, r.gave(c.ID, c.Result, c.Status != "success"))
		}
	}
	return errs
}
