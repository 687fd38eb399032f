package main

import (
	"encoding/json"
	"os"
	"regexp"
)

// codeRole is a declaration with an argument that is code.
var codeRole = regexp.MustCompile(`:roles \([^)]*:code\b`)

// runsCode tells whether one of some files declares a tool that runs code. The guard's own
// folder among them is none.
func runsCode(files []string) bool {
	for _, name := range files {
		if text, err := os.ReadFile(name); err == nil && codeRole.Match(text) {
			return true
		}
	}
	return false
}

// placed gives requests a place where their code runs, unless they name one: a relative path
// would otherwise lie anywhere.
func placed(lines [][]byte) ([][]byte, error) {
	out := make([][]byte, len(lines))
	for i, line := range lines {
		var request, facts, env map[string]any
		if err := json.Unmarshal(line, &request); err != nil {
			return nil, err
		}
		facts, env = within(request, "facts"), within(within(request, "facts"), "env")
		for name, value := range map[string]string{"cwd": "/workspace", "home": "/home/user"} {
			if _, ok := env[name]; !ok {
				env[name] = value
			}
		}
		facts["env"] = env
		text, err := json.Marshal(request)
		if err != nil {
			return nil, err
		}
		out[i] = append(text, '\n')
	}
	return out, nil
}

// within returns the object under a name, which it makes where there is none.
func within(object map[string]any, name string) map[string]any {
	inner, ok := object[name].(map[string]any)
	if !ok {
		inner = map[string]any{}
		object[name] = inner
	}
	return inner
}
