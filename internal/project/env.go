package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// Env adds to facts.env what rules know of a project: workspace, its folder, or the list of its
// folders, which is empty where there is no project; and parents, the folders that hold these.
func Env(env sexpr.Value, roots []string) sexpr.Value {
	workspace := list(roots)
	if len(roots) == 1 {
		workspace = sexpr.Str(roots[0])
	}
	var parents []string
	for _, r := range roots {
		if p := filepath.Dir(r); !slices.Contains(parents, p) {
			parents = append(parents, p)
		}
	}
	return env.With("workspace", workspace).With("parents", list(parents))
}

func list(texts []string) sexpr.Value {
	out := make([]sexpr.Value, 0, len(texts))
	for _, t := range texts {
		out = append(out, sexpr.Str(t))
	}
	return sexpr.ListOf(out...)
}

// Added returns the folders that a host's arguments name with an option, such as --add-dir: in the words
// behind it, up to the next option, and behind = and commas. Other words name none.
func Added(args []string, option, stands string) (out []string) {
	if option == "" {
		return nil
	}
	in := false
	for _, a := range args {
		value, joined := strings.CutPrefix(a, option+"=")
		switch {
		case a == option:
			in = true
			continue
		case joined:
			a = value
		case strings.HasPrefix(a, "-"):
			in = false
		}
		if !in && !joined {
			continue
		}
		for dir := range strings.SplitSeq(a, ",") {
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(stands, dir)
			}
			if info, err := os.Stat(dir); err == nil && info.IsDir() && filepath.IsAbs(dir) {
				out = append(out, dir)
			}
		}
	}
	return out
}
