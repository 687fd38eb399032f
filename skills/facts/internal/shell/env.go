package shell

import (
	"maps"
	"path"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// Env is the environment that a command line starts in, as facts.env tells it:
//
//	:cwd   the folder relative paths start from
//	:home  what ~ and $HOME mean
//	:path  $PATH
//	:vars  further variables that the shell tool sets, as an object
//
// What facts.env does not say is unknown. Nothing is ever taken from the
// environment of this process.
type Env struct {
	Cwd, Home string            // absolute and clean, or ""
	Vars      map[string]string // by exact name
}

// ReadEnv reads facts.env.
func ReadEnv(v sexpr.Value) Env {
	e := Env{Cwd: absolute(v.GetText("cwd")), Home: absolute(v.GetText("home")), Vars: map[string]string{}}
	if vars, _ := v.Get("vars"); vars.IsPlist() {
		items := vars.Items()
		for i := 0; i+1 < len(items); i += 2 {
			if items[i+1].Kind() == sexpr.String {
				e.Vars[items[i].Text()] = items[i+1].Text()
			}
		}
	}
	maps.DeleteFunc(e.Vars, func(name, _ string) bool { return name == "PWD" || name == "HOME" })
	if e.Home != "" {
		e.Vars["HOME"] = v.GetText("home")
	}
	if path := v.GetText("path"); path != "" {
		e.Vars["PATH"] = path
	}
	return e
}

// Dirs returns the folders that relative paths may start from: one, or none if
// it is not known.
func (e Env) Dirs() []string {
	if e.Cwd == "" {
		return nil
	}
	return []string{e.Cwd}
}

// absolute returns p cleaned if it is absolute, and "" otherwise.
func absolute(p string) string {
	if !strings.HasPrefix(p, "/") {
		return ""
	}
	return path.Clean(p)
}
