package facts

import (
	"maps"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// env is the environment that a command line starts in, as facts.env tells it:
//
//	:cwd   the folder relative paths start from
//	:home  what ~ and $HOME mean
//	:path  $PATH
//	:vars  further variables that the shell tool sets, as an object
//
// What facts.env does not say is unknown. Nothing is ever taken from the
// environment of this process.
type env struct {
	cwd, home string            // absolute and clean, or ""
	vars      map[string]string // by exact name
}

func environment(c *skills.Case) env {
	const key = "env"
	if e, ok := c.Shared(key).(env); ok {
		return e
	}
	e := readEnvironment(c.Facts().Env)
	c.Share(key, e)
	return e
}

func readEnvironment(v sexpr.Value) env {
	e := env{cwd: absolute(v.GetText("cwd")), home: absolute(v.GetText("home")), vars: map[string]string{}}
	if vars, _ := v.Get("vars"); vars.IsPlist() {
		items := vars.Items()
		for i := 0; i+1 < len(items); i += 2 {
			if items[i+1].Kind() == sexpr.String {
				e.vars[items[i].Text()] = items[i+1].Text()
			}
		}
	}
	maps.DeleteFunc(e.vars, func(name, _ string) bool { return name == "PWD" || name == "HOME" })
	if e.home != "" {
		e.vars["HOME"] = v.GetText("home")
	}
	if path := v.GetText("path"); path != "" {
		e.vars["PATH"] = path
	}
	return e
}

// dirs returns the folders that relative paths may start from: one, or none if
// it is not known.
func (e env) dirs() []string {
	if e.cwd == "" {
		return nil
	}
	return []string{e.cwd}
}

// absolute returns p cleaned if it is absolute, and "" otherwise.
func absolute(p string) string {
	if !strings.HasPrefix(p, "/") {
		return ""
	}
	return clean(p)
}
