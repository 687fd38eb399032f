package scenarios

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Tools are the tools of each suite, as their server would list them.
type Tools map[string]Suite

// Suite is a list of tools; Raw is its file, in the words and the order of its author.
type Suite struct {
	Raw   json.RawMessage
	Tools []Tool
}

// Tool is a name and what it takes, in the part of JSON Schema that the scenarios need.
type Tool struct {
	Name        string
	Description string
	Parameters  Schema
}

// Schema says what a value must be.
type Schema struct {
	Type       string
	Enum       []string
	Items      *Schema
	Properties map[string]*Schema
	Required   []string
}

// LoadTools reads the suites of a folder, one JSON file each.
func LoadTools(folder string) (Tools, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	out := Tools{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		s := Suite{Raw: data}
		if err := json.Unmarshal(data, &s.Tools); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out[strings.TrimSuffix(filepath.Base(file), ".json")] = s
	}
	return out, nil
}

// MarshalJSON writes the tools as one object, a list by the name of each suite.
func (t Tools) MarshalJSON() ([]byte, error) {
	out := map[string]json.RawMessage{}
	for name, s := range t {
		out[name] = s.Raw
	}
	return json.Marshal(out)
}

// takes is an error if a suite has no such tool, or if the tool does not take such arguments.
func (t Tools) takes(suite string, step Step) error {
	i := slices.IndexFunc(t[suite].Tools, func(tool Tool) bool { return tool.Name == step.Tool })
	if i < 0 {
		return fmt.Errorf("suite %q has no tool %q", suite, step.Tool)
	}
	schema := t[suite].Tools[i].Parameters
	if err := schema.fits(step.Args); err != nil {
		return fmt.Errorf("%s: %w", step.Tool, err)
	}
	return nil
}

// fits is an error if an object is not what the schema says.
func (s *Schema) fits(object map[string]any) error {
	for _, name := range s.Required {
		if _, ok := object[name]; !ok {
			return fmt.Errorf("%s is missing", name)
		}
	}
	for name, v := range object {
		inner := s.Properties[name]
		if inner == nil {
			return fmt.Errorf("takes no %s", name)
		}
		if err := inner.holds(v); err != nil {
			return fmt.Errorf("%s %w", name, err)
		}
	}
	return nil
}

// holds is an error if a value is not of the schema's type, or not in its enum.
func (s *Schema) holds(v any) error {
	ok := false
	switch v := v.(type) {
	case string:
		ok = s.Type == "string" && (s.Enum == nil || slices.Contains(s.Enum, v))
	case bool:
		ok = s.Type == "boolean"
	case int64:
		ok = s.Type == "integer" || s.Type == "number"
	case float64:
		ok = s.Type == "number" && !math.IsNaN(v)
	case map[string]any:
		if s.Type == "object" && s.Properties != nil {
			return s.fits(v)
		}
		ok = s.Type == "object"
	case []any:
		ok = s.Type == "array" && s.Items != nil
		for _, e := range v {
			if ok {
				if err := s.Items.holds(e); err != nil {
					return err
				}
			}
		}
	}
	if !ok {
		return fmt.Errorf("is not what its schema says: %v", v)
	}
	return nil
}
