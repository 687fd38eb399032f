package plugins_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing/fstest"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/plugins"
	"github.com/opencortex-go/cortex/plugins/skill"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// office is a skill: the author's side.
var office = skill.Skill{
	Name: "office-hours", Release: "1.0.0", Judges: []string{"mail"}, Sees: []string{"now"},
	Clauses: []string{"closed"},
	Judge: func(_ context.Context, _ *skills.Action, facts sexpr.Value) (skills.Verdict, error) {
		if hour := facts.GetInt("now") / 3600 % 24; hour >= 9 && hour < 17 {
			return skills.Pass{}, nil
		}
		return skills.Deny{Reason: skills.Reason{Key: "closed", Text: "mail is sent from 9 to 17"}}, nil
	},
}

// The program of a skill is one call: func main() { skill.Serve(office) }. This test
// program is that program too, when it is started as a skill.
func init() { plugins.ServeExample = func() { skill.Serve(office) } }

// A host runs the programs that a lock file pins, each in a process of its own, and an
// engine asks them beside its rules.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "skills")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	self, err := os.Executable()
	if err != nil {
		log.Fatal(err)
	}
	// What `cortex plugins lock` and `cortex plugins agree` do, once: pin the program, and
	// grant what it asks to see.
	program := plugins.Entry{Path: self, Args: []string{"example"}}
	program, said, err := plugins.Describe(ctx, program, dir, plugins.Options{})
	if err != nil {
		log.Fatal(err)
	}
	lock := plugins.Lock{Version: 1}
	if err := lock.Add(program, said); err != nil {
		log.Fatal(err)
	}
	fmt.Println(said.GetName(), "asks for", lock.Skills[0].Pending)
	if err := lock.Agree("office-hours"); err != nil {
		log.Fatal(err)
	}
	lock.Skills[0].Deadline, lock.Skills[0].Memory = "5s", 4096 // a test program is large
	path := filepath.Join(dir, plugins.LockFile)
	if err := lock.Write(path); err != nil {
		log.Fatal(err)
	}

	host := plugins.New(plugins.Options{Lock: path})
	defer host.Close()
	eng, err := cortex.Open(ctx, cortex.Options{Plugins: host, Rules: fstest.MapFS{"mail.lisp": {Data: []byte(
		`(deftool mail :params (:to string) :required (:to) :tier :allow)`)}}})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	action, err := cortex.NewAction("mail", map[string]any{"to": "ana"}, "")
	if err != nil {
		log.Fatal(err)
	}
	for _, hour := range []int64{12, 23} {
		d, err := eng.Decide(ctx, action, &cortex.Facts{Now: hour * 3600})
		fmt.Println(d.Kind, d.Key, err)
	}
	// Output:
	// office-hours asks for [now]
	// allow tier/mail <nil>
	// deny office-hours/closed <nil>
}
