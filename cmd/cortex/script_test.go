package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// The scripts in testdata/script are the executable manual: one concept a file,
// run against the real program.
func TestScripts(t *testing.T) {
	skills, err := filepath.Abs("../../examples/skills")
	if err != nil {
		t.Fatal(err)
	}
	plain := ""
	if testing.Short() {
		plain = filepath.Dir(executable(t))
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			if plain != "" {
				e.Setenv("PATH", plain+string(os.PathListSeparator)+e.Getenv("PATH"))
				e.Setenv("GOGC", os.Getenv("GOGC"))
				e.Setenv("GOMEMLIMIT", os.Getenv("GOMEMLIMIT"))
			}
			e.Setenv("SKILLS", skills)
			e.Setenv("GORACE", os.Getenv("GORACE"))
			e.Setenv("XDG_CONFIG_HOME", filepath.Join(e.WorkDir, "config"))
			e.Values[serving{}] = &serving{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status, "readtoken": readToken,
			"doubt": doubt, "serve": serve, "ticket": ticket, "answers": answers, "longline": longLine, "flip": flip,
			"record": recordOf, "tell": tell, "call": callTool},
	})
}

// executable returns the program under test. In the short form it is built without the race
// detector, whose start takes as long as most commands; the long form runs this test's own
// program, which has it.
func executable(t testing.TB) string {
	t.Helper()
	find := os.Executable
	if testing.Short() {
		find = plainProgram
	}
	name, err := find()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// plainProgram builds the program once. What is started from here on collects no garbage below
// a limit: a third of what a command takes to start is a collection.
var plainProgram = sync.OnceValues(func() (string, error) {
	name, err := filepath.Abs("../../.tools/test/cortex")
	if err != nil {
		return "", err
	}
	out, err := exec.Command("go", "build", "-o", name, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return name, errors.Join(os.Setenv("GOGC", "off"), os.Setenv("GOMEMLIMIT", "256MiB"))
})

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"cortex":      main,
		"offline":     offline,
		"mcp-answers": answerCalls,
	})
}

// status runs a program and checks its exit code: status 5 cortex replay ...
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status CODE PROGRAM [ARGS...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if err != nil {
		s, ok := strings.CutPrefix(err.Error(), "exit status ")
		if !ok {
			ts.Fatalf("%v", err)
		}
		got, _ = strconv.Atoi(s)
	}
	if want := args[0]; want != strconv.Itoa(got) {
		ts.Fatalf("exit code %d, expected %s", got, want)
	}
}

// readToken puts the token of the card that record left behind into $TOKEN.
func readToken(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Setenv("TOKEN", ts.ReadFile("token"))
}

// doubt puts the intent that stands in the output of the last program into
// $DOUBT.
func doubt(ts *testscript.TestScript, _ bool, _ []string) {
	_, rest, _ := strings.Cut(ts.ReadFile("stdout"), `"intent":`)
	number, _, _ := strings.Cut(rest, ",")
	ts.Setenv("DOUBT", number)
}

// answers shortens what decide printed last to "ID DECISION KEY", or the error of a
// bad line.
func answers(ts *testscript.TestScript, _ bool, _ []string) {
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		var a struct {
			ID                   any
			Decision, Key, Error string
		}
		ts.Check(json.Unmarshal([]byte(line), &a))
		_, err := fmt.Fprintln(ts.Stdout(), strings.TrimSpace(fmt.Sprintln(a.ID, a.Decision, a.Key+a.Error)))
		ts.Check(err)
	}
}

// longLine prints a request whose line has at least so many bytes, in the result of an earlier
// call or in an argument: longline result|argument BYTES.
func longLine(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	form := `{"id":"long","action":{"tool":"reply","args":{"text":"%s"}}}` + "\n"
	if args[0] == "result" {
		form = `{"id":"long","session":{"calls":[{"tool":"read-file","args":{"path":"a"},"result":"%s"}]},"action":{"tool":"read-file","args":{"path":"/w/a"}},"facts":{"env":{"cwd":"/w","workspace":"/w"}}}` + "\n"
	}
	_, err = fmt.Fprintf(ts.Stdout(), form, strings.Repeat("x", n))
	ts.Check(err)
}

// recordOf makes a record in a folder, by an engine with the given rules: an allowed, a denied
// and a pending action, whose card's token it leaves behind: record FOLDER RULES [ACTION...].
func recordOf(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: record FOLDER RULES [ACTION...]")
	}
	token, err := makeRecord(ts.MkAbs(args[0]), ts.MkAbs(args[1]), ts.Getenv("GATE"), args[2:]...)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("token"), []byte(token), 0o600))
}

// makeRecord makes it, decides on whatever else is named, and returns the last card's token.
// gate names a gate in Go, which the program cortex does not have: "" for none.
func makeRecord(dir, rules, gate string, more ...string) (token string, err error) {
	ctx := context.Background()
	opt := cortex.Options{Dir: dir, Rules: os.DirFS(rules), Live: true}
	if gate != "" {
		opt.Gates = []cortex.Gate{{Name: gate, Version: "7",
			Judge: func(context.Context, *skills.Case) (skills.Verdict, error) {
				return skills.Pass{}, nil
			}}}
	}
	e, err := cortex.Open(ctx, opt)
	if err != nil {
		return "", err
	}
	actions := []string{`(:tool "look" :args (:at "the sky"))`,
		`(:tool "launch" :args (:what "rocket"))`, `(:tool "paint" :args (:what "fence"))`}
	for _, text := range append(actions, more...) {
		v, err := sexpr.Read("", text)
		if err != nil {
			return "", err
		}
		args, _ := v.Get("args")
		a, err := cortex.NewAction(v.GetText("tool"), args, "to have a record")
		if err != nil {
			return "", err
		}
		f := &cortex.Facts{}
		f.Session.ID, f.Session.Principal = "s1", "agent"
		d, err := e.Decide(ctx, a, f)
		if err != nil {
			return "", err
		}
		if d.Approval != "" {
			token = d.Approval
		}
		if err := carry(ctx, e, d); err != nil {
			return "", err
		}
	}
	return token, e.Close()
}

// carry takes the permit of an allowed action and says that it was done; of a
// look at the sea it says nothing, as a crash would.
func carry(ctx context.Context, e *cortex.Engine, d *cortex.Decision) error {
	if d.Kind.String() != "allow" {
		return nil
	}
	p, err := e.Begin(ctx, d)
	if err != nil || strings.Contains(d.Action.Canonical(), "sea") {
		return err
	}
	return p.Finish(ctx, cortex.Receipt{State: "done", Text: "blue"})
}

// flip changes one byte in the files of a folder, in the first place where a text stands:
// flip FOLDER TEXT.
func flip(ts *testscript.TestScript, _ bool, args []string) {
	files, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "*"))
	ts.Check(err)
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		if i := strings.Index(string(raw), args[1]); i >= 0 {
			raw[i] ^= 1
			ts.Check(os.WriteFile(name, raw, 0o600))
			return
		}
	}
	ts.Fatalf("%q stands in no file of %s", args[1], args[0])
}
