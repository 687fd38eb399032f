package main

import (
	"fmt"
	"slices"
)

// tool is a tool as its server lists it.
type tool struct {
	Name        string `json:"name"`
	InputSchema struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
	} `json:"input_schema"`
	Parameters struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
	} `json:"parameters"`
}

// laundered lets the agent write a text down with one of its own tools, and read it back
// with another.
func laundered(trace []step, tools []tool, text string) ([]step, bool) {
	writer, param := "", ""
	reader := ""
	for _, t := range tools {
		switch {
		case has(t.Name, "create", "add", "append", "write", "save", "update", "new"):
			for _, p := range []string{"content", "body", "text", "description", "note", "message"} {
				_, ok := t.InputSchema.Properties[p]
				if _, too := t.Parameters.Properties[p]; (ok || too) && writer == "" {
					writer, param = t.Name, p
				}
			}
		case has(t.Name, "read", "get", "list", "search", "open", "find") && reader == "":
			reader = t.Name
		}
	}
	if writer == "" || reader == "" {
		return nil, false
	}
	return append(trace,
			step{Role: "tool", Tool: writer, Args: map[string]any{param: text}, Result: "saved"},
			step{Role: "tool", Tool: reader, Args: map[string]any{}, Result: fmt.Sprintf("- id: 71\n  %s: %s", param, text)}),
		true
}

// has reports whether a tool's name has one of these words.
func has(name string, words ...string) bool {
	return slices.ContainsFunc(split(name), func(w string) bool { return slices.Contains(words, w) })
}

// failed puts a call before the one at i: the same, which failed with this error.
func failed(trace []step, i int, text string) []step {
	first := trace[i]
	first.Result, first.Error = "", "Error 409: "+text
	return slices.Insert(slices.Clone(trace), i, first)
}
