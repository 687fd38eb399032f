package guard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/adapters/llm"
	"github.com/opencortex-go/cortex/adapters/llm/guard"
	"github.com/opencortex-go/cortex/adapters/llm/llmtest"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/skills"
)

// program is a whole program, which is killed at one of its steps and started again.
type program struct {
	Dir, URL, Kind string
	Keep           bool   // it saves its chat, and begins with what it saved
	Die            string // the step at which it kills itself; "" for none
}

const childEnv = "GUARD_TEST_PROGRAM"

// inChild runs the program in this process, if this is its process.
func inChild() bool {
	text := os.Getenv(childEnv)
	if text == "" {
		return false
	}
	var p program
	err := json.Unmarshal([]byte(text), &p)
	if err == nil {
		err = p.run(context.Background())
	}
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	return true
}

func (p program) die(step string) {
	if p.Die == step {
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Kill() // does not return
		}
		select {}
	}
}

// note adds a line to a file, durably.
func (p program) note(name, line string) error {
	f, err := os.OpenFile(filepath.Join(p.Dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err = fmt.Fprintln(f, line); err == nil {
		err = f.Sync()
	}
	return join(err, f.Close())
}

func join(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func (p program) run(ctx context.Context) error {
	eng, err := cortex.Open(ctx, cortex.Options{Dir: filepath.Join(p.Dir, "state"), Live: true,
		Rules:      fstest.MapFS{"r.lisp": {Data: []byte(rules)}},
		Approvals:  cortex.ApprovalOptions{Classes: map[string][]string{"operator": {"ana"}}},
		OnDecision: func(string, *cortex.Decision) { p.die("decided") }})
	if err != nil {
		return err
	}
	client, err := llm.New(llm.Config{Name: "m", Kind: p.Kind, URL: p.URL, Model: "m", Stream: true, Retries: -1})
	if err != nil {
		return err
	}
	pay := act.Func(func(_ context.Context, call act.Call) (act.Receipt, error) {
		p.die("before the effect")
		if err := p.note("effects", call.Action.Canonical()); err != nil {
			return act.Receipt{}, err
		}
		p.die("after the effect")
		return act.Receipt{State: act.Done, Text: "paid"}, nil
	})
	g, err := guard.New(eng, client, []act.Tool{{Schema: &skills.Tool{Name: "pay"}, Actuator: pay}}, guard.Options{})
	if err != nil {
		return err
	}
	c := guard.Chat{Session: "s", Principal: "bo"}
	kept := filepath.Join(p.Dir, "chat.json")
	if data, err := os.ReadFile(kept); err == nil {
		if err := json.Unmarshal(data, &c); err != nil {
			return err
		}
	}
	c.Save = func(_ context.Context, c *guard.Chat) error {
		if last := c.Messages[len(c.Messages)-1]; last.Role == model.RoleTool {
			p.die("before the results are saved")
		}
		if !p.Keep {
			return nil
		}
		data, err := json.Marshal(c)
		if err != nil {
			return err
		}
		if err := os.WriteFile(kept+".new", data, 0o600); err != nil {
			return err
		}
		return os.Rename(kept+".new", kept)
	}
	a, err := talk(ctx, g, &c)
	for err == nil && len(a.Held) > 0 {
		p.die("held")
		if err = eng.Approve(ctx, a.Held[0].Token, cortex.Approver{Name: "ana"}); err == nil {
			p.die("approved")
			a, err = g.Resume(ctx, &c)
		}
	}
	if err != nil {
		return err
	}
	if err := p.note("answers", a.Text+a.Notice); err != nil {
		return err
	}
	return join(g.Close(), eng.Close())
}

func talk(ctx context.Context, g *guard.Guard, c *guard.Chat) (guard.Answer, error) {
	if len(c.Messages) > 0 {
		return g.Resume(ctx, c)
	}
	return g.Say(ctx, c, "pay ann and cy")
}

// start runs the program as a process, and reports whether it came to its end.
func (p program) start(t *testing.T) bool {
	text, err := json.Marshal(p)
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	out, err := cmd.CombinedOutput()
	if err != nil {
		require.NotContains(t, string(out), "error:")
		require.Contains(t, err.Error(), "killed", string(out))
	}
	return err == nil
}

// A program that is killed at any step and started again pays each bill at most once, also
// when it begins again at the user's words. A payment that was under way is not made again.
func TestAKilledProgramPaysOnce(t *testing.T) {
	script := func(_ int, request map[string]any) llmtest.Answer {
		text, err := json.Marshal(request)
		if err == nil && (strings.Contains(string(text), `"paid"`) || strings.Contains(string(text), "not known")) {
			return words("Paid.")
		}
		return calls(call("a", "pay", `{"to":"ann","amount":20}`), call("b", "pay", `{"to":"cy","amount":100}`))
	}
	apis := llmtest.APIs()
	for i, step := range []string{"decided", "before the effect", "after the effect", "before the results are saved",
		"held", "approved"} {
		for _, keep := range []bool{true, false} {
			if testing.Short() && keep == (i%2 == 0) {
				continue
			}
			t.Run(fmt.Sprintf("%s/keep=%v", step, keep), func(t *testing.T) {
				api := apis[i%len(apis)]
				s := llmtest.Serve(api)
				defer s.Close()
				s.Play(script)
				p := program{Dir: t.TempDir(), URL: s.URL, Kind: string(api), Keep: keep, Die: step}
				require.False(t, p.start(t), "it is killed")
				p.Die = ""
				for range 2 {
					require.True(t, p.start(t))
				}
				lines, err := os.ReadFile(filepath.Join(p.Dir, "effects"))
				require.NoError(t, err)
				effects := strings.Split(strings.TrimSpace(string(lines)), "\n")
				paid := map[string]int{}
				for _, e := range effects {
					paid[e]++
				}
				for what, n := range paid {
					assert.Equal(t, 1, n, what)
				}
				want := 2
				if step == "before the effect" {
					want = 1 // the record cannot tell that it did not happen
				}
				if step != "decided" { // by the time that is heard, the tool may be about to run
					assert.Len(t, effects, want)
				}
				answers, err := os.ReadFile(filepath.Join(p.Dir, "answers"))
				require.NoError(t, err)
				if step == "decided" { // or the program may be done: then it answered three times
					answers = bytes.TrimPrefix(answers, bytes.Repeat([]byte("Paid.\n"), bytes.Count(answers, []byte("\n"))/3))
				}
				assert.Equal(t, "Paid.\nPaid.\n", string(answers))
			})
		}
	}
}

// The control: where an endpoint gives its calls new ids every time, and the program keeps
// nothing, its calls are new ones to the record, and the test above would see that.
func TestAProgramThatKeepsNothingAndHasNewIDs(t *testing.T) {
	s := llmtest.Serve(llmtest.Chat)
	defer s.Close()
	s.Play(func(n int, request map[string]any) llmtest.Answer {
		if text, err := json.Marshal(request); err == nil && strings.Contains(string(text), `"paid"`) {
			return words("Paid.")
		}
		return calls(call(fmt.Sprint("new", n), "pay", `{"to":"ann","amount":20}`))
	})
	effects := func(keep bool) int {
		p := program{Dir: t.TempDir(), URL: s.URL, Kind: string(llmtest.Chat), Keep: keep,
			Die: "before the results are saved"}
		require.False(t, p.start(t))
		p.Die = ""
		require.True(t, p.start(t))
		lines, err := os.ReadFile(filepath.Join(p.Dir, "effects"))
		require.NoError(t, err)
		return strings.Count(string(lines), "\n")
	}
	assert.Equal(t, 1, effects(true), "a kept chat has the ids")
	assert.Equal(t, 2, effects(false))
}
