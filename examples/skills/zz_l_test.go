package skills_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	cs "github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
	"github.com/opencortex-go/cortex/skills/rules"
	ex "github.com/opencortex-go/cortex/examples/skills"
)

func TestZZL(t *testing.T) {
	book, err := reason.Loader(rules.Loader{Functions: secrets.Functions()}).Load(rules.Root{FS: ex.Files()})
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := os.ReadFile("/tmp/notes/L/cmds.txt")
	for _, line := range strings.Split(string(raw), "\n") {
		if line == "" || line[0] == '#' {
			fmt.Println(line)
			continue
		}
		line = strings.ReplaceAll(line, "␤", "\n")
		f := &cs.Facts{Now: 1700000000, Env: sexpr.Plist("cwd", sexpr.Str("/home/ana/project"), "home", sexpr.Str("/home/ana"), "vars", sexpr.Plist("HOME", sexpr.Str("/home/ana"), "PATH", sexpr.Str("/usr/bin:/bin"), "PWD", sexpr.Str("/home/ana/project"))),
			Session: cs.Session{ID: "s", Principal: "ana"}}
		a, err := cs.NewAction("shell", sexpr.Plist("cmd", sexpr.Str(line)), "")
		if err != nil {
			fmt.Println("ERR", line, err)
			continue
		}
		d := reason.Decide(context.Background(), reason.Request{Policy: book, Action: a, Facts: f, Places: &reason.Places{Paths: []string{"/srv/record"}}})
		mark := " "
		if d.Kind == reason.Allow {
			mark = "!"
		}
		fmt.Printf("%s %-5s %-40s %q\n", mark, d.Kind, d.Key, line)
	}
}
