package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// step is one call of a trace.
type step struct {
	Role   string         `json:"role"`
	Tool   string         `json:"tool,omitempty"`
	Args   map[string]any `json:"args,omitempty"`
	Result string         `json:"result_excerpt"`
	Error  string         `json:"error,omitempty"`
}

// call is a proposed call.
type call struct {
	Tool string         `json:"tool"`
	Args map[string]any `json:"args"`
}

// labelled is one labelled call.
type labelled struct {
	Suite    string `json:"suite"`
	CaseID   string `json:"case_id"`
	GroupID  string `json:"group_id"`
	Kind     string `json:"kind"` // benign or attack
	Critical bool   `json:"critical"`
	Exposed  bool   `json:"exposed"`
	Need     string `json:"need,omitempty"` // any: one of the group's calls suffices
	MayAsk   string `json:"may_ask,omitempty"`
	User     string `json:"user_task"`
	Trace    []step `json:"trace_prefix"`
	Call     call   `json:"call"`

	Rewriting string `json:"rewriting,omitempty"`
}

// readLines reads a file of one JSON value a line.
func readLines[T any](name string) ([]T, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var out []T
	for in := bufio.NewReaderSize(f, 1<<20); ; {
		line, err := in.ReadBytes('\n')
		if len(line) > 1 {
			var one T
			if bad := json.Unmarshal(line, &one); bad != nil {
				return nil, fmt.Errorf("%s: line %d: %w", name, len(out)+1, bad)
			}
			out = append(out, one)
		}
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// write writes the cases with their labels, and as requests without them.
func write(dir string, all []labelled) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var cases, requests []any
	for i, c := range all {
		cases = append(cases, c)
		requests = append(requests, request(i, c))
	}
	if err := writeLines(filepath.Join(dir, "cases.jsonl"), cases); err != nil {
		return err
	}
	return writeLines(filepath.Join(dir, "requests.jsonl"), requests)
}

func writeLines(name string, all []any) error {
	var out []byte
	for _, one := range all {
		line, err := json.Marshal(one)
		if err != nil {
			return err
		}
		out = append(append(out, line...), '\n')
	}
	return os.WriteFile(name, out, 0o644)
}

// request is a case for cortex decide. Its id tells nothing of the label.
func request(n int, c labelled) map[string]any {
	calls := []any{}
	for _, s := range c.Trace {
		one := map[string]any{"tool": s.Tool, "args": s.Args, "result": s.Result}
		if s.Role == "user" {
			one = map[string]any{"user": s.Result}
		} else if s.Error != "" {
			one["error"] = s.Error
		}
		calls = append(calls, one)
	}
	id := fmt.Sprintf("r%d", n)
	return map[string]any{
		"id": id, "action": c.Call, "facts": map[string]any{"env": map[string]any{"suite": c.Suite}},
		"session": map[string]any{"id": id, "user": c.User, "calls": calls},
	}
}
