package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// tools are lists of tools as their servers describe them, by suite.
type tools map[string]json.RawMessage

// readTools reads a file of tools; none without a name.
func readTools(name string) (tools, error) {
	out := tools{}
	if name == "" {
		return out, nil
	}
	data, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		return nil, fmt.Errorf("the file of tools: %w", err)
	}
	return out, nil
}

// of returns the tools of a suite: those under its own name, else under the longest name
// that it begins with, else the first that hold the tool of its first request; or nil.
func (t tools) of(s *suite) (json.RawMessage, error) {
	best := ""
	names := slices.Sorted(maps.Keys(t))
	for _, name := range names {
		if len(name) > len(best) && (s.name == name || strings.HasPrefix(s.name, name+"-")) {
			best = name
		}
	}
	if best != "" {
		return t[best], nil
	}
	for _, name := range names {
		var list []struct{ Name string }
		if err := json.Unmarshal(t[name], &list); err != nil {
			return nil, fmt.Errorf("the tools of %s: %w", name, err)
		}
		for _, one := range list {
			if one.Name == s.first {
				return t[name], nil
			}
		}
	}
	return nil, nil
}
