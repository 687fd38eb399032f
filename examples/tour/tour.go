package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	shipped "github.com/opencortex-go/cortex/examples/skills"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
	"github.com/opencortex-go/cortex/skills/rules"
)

//go:embed tour.lisp script.lisp
var files embed.FS

// agent is the principal on whose behalf everything is asked for.
const agent = "agent"

// tour is one run: the engine, the folders it works on, and what was told.
type tour struct {
	teller
	eng    *cortex.Engine
	script *reason.Scripted
	space  *workspace
	state  string            // folder of the record
	told   uint64            // the last record that was told
	counts map[string]int    // records by kind
	cards  map[string]string // names of approval tokens
	tools  map[uint64]string // by intent
}

// give runs all scenes and prints them, then checks the record.
func give(ctx context.Context, out io.Writer) (err error) {
	base, err := os.MkdirTemp("", "cortex-tour-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(base)) }()
	if base, err = filepath.EvalSymlinks(base); err != nil {
		return err
	}
	t := &tour{teller: teller{out: out}, counts: map[string]int{}, cards: map[string]string{}, tools: map[uint64]string{}}
	opt, err := t.prepare(base)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.space.root.Close()) }()
	if t.eng, err = cortex.Open(ctx, opt); err != nil {
		return err
	}
	t.introduce()
	for i, s := range scenes() {
		if err := t.play(ctx, i+1, s); err != nil {
			return errors.Join(fmt.Errorf("scene %d, %s: %w", i+1, s.title, err), t.eng.Close())
		}
	}
	return t.finish(ctx, opt)
}

// prepare makes the folders, the tools, the model and the options of the engine.
func (t *tour) prepare(base string) (cortex.Options, error) {
	var opt cortex.Options
	work := filepath.Join(base, "workspace")
	t.state = filepath.Join(base, "state")
	t.call(t.state, "/state")
	t.call(work, "/workspace")
	if err := os.Mkdir(work, 0o700); err != nil {
		return opt, err
	}
	root, err := os.OpenRoot(work)
	if err != nil {
		return opt, err
	}
	t.space = &workspace{dir: work, root: root}
	if err := t.space.furnish(); err != nil {
		return opt, err
	}
	shell, err := act.NewShell(act.ShellOptions{Dir: work})
	if err != nil {
		return opt, err
	}
	script, err := files.ReadFile("script.lisp")
	if err != nil {
		return opt, err
	}
	t.script, err = reason.NewScripted("script", "script.lisp", strings.ReplaceAll(string(script), "STATE", t.state))
	if err != nil {
		return opt, err
	}
	// The clock stands still, so that the tour is the same every time.
	clock := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	return cortex.Options{
		Dir: t.state, Live: true,
		Rules: shipped.Files(), Roots: []rules.Root{{FS: shipped.Policy()}, {FS: files, Files: []string{"tour.lisp"}}},
		Functions: secrets.Functions(),
		Tools:     t.space.tools(shell),
		Providers: []reason.Provider{model{t.script, t}},
		Identity:  "a household assistant",
		Env:       sexpr.Plist("workspace", sexpr.Str(work)),
		Clock:     func() time.Time { return clock },
	}, nil
}

func (t *tour) introduce() {
	t.printf("A tour of Cortex. A language model suggests; rules decide; what is allowed runs.\n\n" +
		"   user, Ana | people: Ana is an operator, and approves or denies\n" +
		"   model     | what the model answers, here from a script\n" +
		"   rules     | what was decided, by which rule, and why\n" +
		"   shell ... | what a tool did: a real shell in a scratch folder\n" +
		"   answer    | what reaches the user\n")
}

// play runs one scene to its end.
func (t *tour) play(ctx context.Context, number int, s scene) error {
	t.scene(number, s.title, s.story)
	var out *cortex.Outcome
	var err error
	if s.user != "" {
		if out, err = t.submit(ctx, s.user); err != nil {
			return err
		}
	}
	if s.then != nil {
		if err := s.then(ctx, t, out); err != nil {
			return err
		}
	}
	return t.settle(ctx)
}

// submit brings a message of the user to the engine and tells what came of it.
func (t *tour) submit(ctx context.Context, text string) (*cortex.Outcome, error) {
	t.recite(ctx)
	t.say("user", text)
	out, err := t.eng.Submit(ctx, cortex.Signal{Text: text, Source: "tour", Session: "kitchen", Principal: agent})
	t.recite(ctx)
	return out, errors.Join(err, t.err)
}

func (t *tour) userSays(ctx context.Context, text string) error {
	_, err := t.submit(ctx, text)
	return err
}

// settle waits for what people's answers set off.
func (t *tour) settle(ctx context.Context) error {
	err := t.eng.Wait(ctx)
	t.recite(ctx)
	return errors.Join(err, t.err)
}

// finish checks what the tour left behind: the files, the chain of records, and
// that every decision comes out the same again.
func (t *tour) finish(ctx context.Context, opt cortex.Options) error {
	t.printf("\nWhat is left\n\n")
	checks := []func(context.Context) error{t.checkFiles, t.checkScript, t.checkPending, t.checkRecord}
	for _, check := range checks {
		if err := check(ctx); err != nil {
			return errors.Join(err, t.eng.Close())
		}
	}
	if err := t.eng.Close(); err != nil {
		return err
	}
	if err := t.checkReplay(ctx, opt); err != nil {
		return err
	}
	return errors.Join(t.checkFlipped(ctx), t.err)
}

func (t *tour) checkFiles(context.Context) error {
	for _, name := range []string{"notes.txt", "ledger.txt", ".env"} {
		text, err := t.space.root.ReadFile(name)
		if err != nil {
			return err
		}
		shown := string(text)
		switch name {
		case ".env":
			if !bytes.Contains(text, []byte("hunter2")) {
				return errors.New(".env has changed")
			}
			shown = "is as it was, and no model has read it"
		case "ledger.txt":
			_, shown, _ = strings.Cut(shown, " ") // the key differs from run to run
		}
		t.say(name, shown)
	}
	return nil
}

func (t *tour) checkScript(context.Context) error {
	if left := t.script.Left(); len(left) > 0 {
		return fmt.Errorf("the model was not asked for %s", strings.Join(left, ", "))
	}
	return nil
}

func (t *tour) checkPending(ctx context.Context) error {
	for a, err := range t.eng.Pending(ctx) {
		if err != nil {
			return err
		}
		t.say("waiting", a.Token+": "+a.Action.Tool()+", "+a.Slots[0].Reason.Text)
	}
	return nil
}

// checkRecord verifies the chain of hashes and counts what is in it.
func (t *tour) checkRecord(ctx context.Context) error {
	if err := t.eng.Journal().Verify(ctx); err != nil {
		return err
	}
	var kinds []string
	for _, k := range slices.Sorted(maps.Keys(t.counts)) {
		kinds = append(kinds, fmt.Sprintf("%s %d", k, t.counts[k]))
	}
	t.say("verify", fmt.Sprintf("%d records, each with the hash of the one before: whole", t.eng.Journal().Last()))
	t.say("", strings.Join(kinds, ", "))
	return t.err
}

// checkReplay opens the record as somebody would who was not there, and derives
// every decision again from what is on disk.
func (t *tour) checkReplay(ctx context.Context, opt cortex.Options) error {
	eng, err := cortex.Open(ctx, cortex.Options{Dir: opt.Dir, Inspect: true, Functions: opt.Functions, Clock: opt.Clock})
	if err != nil {
		return err
	}
	got, err := eng.Replay(ctx, cortex.ReplayOptions{})
	if err := errors.Join(err, eng.Close()); err != nil {
		return err
	}
	t.say("replay", fmt.Sprintf("%d decisions derived again from the record, %d differences", got.Decisions, len(got.Differences)))
	if len(got.Differences) > 0 {
		d := got.Differences[0]
		return fmt.Errorf("decision %d came out differently in %s", d.Seq, strings.Join(d.Fields, ", "))
	}
	return nil
}
