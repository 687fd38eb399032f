package hooking

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/pelletier/go-toml/v2"
)

// Off says why the host runs no hook of these settings, by what it reads at start: its settings of the user, of a
// project folder and of the machine, the later ones before the earlier. It returns "" if nothing there says so.
func (s Settings) Off(project, home string, getenv func(string) string) string {
	user := filepath.Dir(hostOf(s.Dialect).file("", home, getenv))
	in := func(name string) string { return filepath.Join(project, filepath.FromSlash(name)) }
	switch s.Dialect.Name() {
	case "claude":
		return disabled([]string{filepath.Join(user, "settings.json"), in(".claude/settings.json"),
			in(".claude/settings.local.json"), "/etc/claude-code/managed-settings.json"})
	case "codex":
		return codexOff([]string{"/etc/codex/config.toml", filepath.Join(user, "config.toml"), in(".codex/config.toml")})
	case "gemini":
		return geminiOff([]string{"/etc/gemini-cli/system-defaults.json", filepath.Join(user, "settings.json"),
			in(".gemini/settings.json"), "/etc/gemini-cli/settings.json"})
	case "copilot":
		return disabled([]string{filepath.Join(home, ".copilot/config.json"), filepath.Join(home, ".copilot/settings.json"),
			s.File})
	}
	return ""
}

// object reads a file of settings as hosts do: names count as they are spelled, and of doubled ones the last. There is
// none where there is no file.
func object(file string) (map[string]any, error) {
	v, text, err := Settings{File: file}.parse()
	if err != nil || text == nil {
		return nil, err
	}
	v.Standardize()
	var out map[string]any
	return out, json.Unmarshal(v.Pack(), &out)
}

// disabled looks for disableAllHooks.
func disabled(files []string) (why string) {
	for _, file := range files {
		o, err := object(file)
		if err != nil {
			return err.Error()
		}
		if off, ok := o["disableAllHooks"].(bool); ok {
			if why = ""; off {
				why = file + " has disableAllHooks, so the host runs no hook; take it out"
			}
		}
		if o["allowManagedHooksOnly"] == true && filepath.Base(file) == "managed-settings.json" {
			return file + " has allowManagedHooksOnly, so the host does not run this hook; write it there"
		}
	}
	return why
}

// geminiOff looks at hooksConfig: enabled, and disabled, a list of names.
func geminiOff(files []string) (why string) {
	for _, file := range files {
		o, err := object(file)
		if err != nil {
			return err.Error()
		}
		config, _ := o["hooksConfig"].(map[string]any)
		if on, ok := config["enabled"].(bool); ok {
			if why = ""; !on {
				why = file + " has hooksConfig.enabled = false, so the host runs no hook; take it out"
			}
		}
		if names, _ := config["disabled"].([]any); slices.Contains(names, any("cortex")) {
			return file + " names cortex in hooksConfig.disabled, so the host does not run this hook; take it out"
		}
	}
	return why
}

// codexOff looks at the switches of Codex.
func codexOff(files []string) (why string) {
	for _, file := range files {
		text, err := regular(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var config struct {
			Disable  bool `toml:"disable_hooks"`
			Features struct {
				Hooks *bool `toml:"hooks"`
				Older *bool `toml:"codex_hooks"`
			} `toml:"features"`
		}
		if err == nil {
			err = toml.Unmarshal(text, &config)
		}
		if err != nil {
			return fmt.Sprintf("%s cannot be read: %v", file, err)
		}
		if config.Disable {
			return file + " has disable_hooks, so the host runs no hook; take it out"
		}
		for _, on := range []*bool{config.Features.Hooks, config.Features.Older} {
			if on == nil {
				continue
			}
			if why = ""; !*on {
				why = file + " switches hooks off under [features], so the host runs no hook; take it out"
			}
		}
	}
	return why
}
