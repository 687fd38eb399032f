package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/oracle"
)

const hostRules = `
(deftool edit :params (:path string) :required (:path) :tier :allow)
(deftool push :params (:branch string) :required (:branch) :tier :ask)
(defskill s :trigger (= action.tool "edit")
  :gate ((deny out :when (= action.args.path "/etc/passwd") :reason "stay in the workspace")
         (rewrite tmp :when (= action.args.path "x") :set (:path "y") :reason "y is the one")))`

// What both clients tell of their scenario.
const scenario = `user's words: True
ran: a
ran: y
denied (deny): stay in the workspace (s/out)
denied (deny): arguments of edit: :path is 7, expected a string (schema/edit)
ran: 0
ran: b
failed: the disk is full
ran: main
denied (deny): a person said no: not today (approval/denied)
denied (ask): the tool push needs approval (tier/push)
card: pending push late
card: withdrawn
decided: allow True a
read: True
refused: 404 no such call is open in this session: 0 are, expected the intent or the id of one
capabilities: 0
refused: 404 no.such: no capability that may be started has this name
refused: 400 session.id has control characters or is not UTF-8, expected a plain name
error
events: heard
`

// programs are how the clients' scenarios are started, by language.
func programs(t *testing.T, language string) []string {
	switch language {
	case "python":
		return []string{oracle.Find(t, "python3"), "../../adapters/api/python/scenario.py"}
	default:
		folder := oracle.Node(t, "typescript")
		return []string{oracle.Find(t, "node"), filepath.Join(folder, "built", "scenario.js")}
	}
}

// hostDaemon is a daemon with rules, to which callers of the API talk.
func hostDaemon(t *testing.T, rules string) (place, *running) {
	pl := newPlace(t)
	pl.write("rules/r.lisp", rules)
	out, err := command(pl, "approvals", "pair", "--dir", "state", "--secret", "secret").CombinedOutput()
	require.NoError(t, err, string(out))
	return pl, pl.start("--no-guard")
}

// outside is a program beside the daemon, in the place's folder.
func (pl place) outside(program ...string) *exec.Cmd {
	for i, arg := range program {
		if strings.HasPrefix(arg, "../../") {
			abs, err := filepath.Abs(arg)
			require.NoError(pl.t, err)
			program[i] = abs
		}
	}
	cmd := exec.CommandContext(pl.t.Context(), program[0], program[1:]...)
	cmd.Dir = pl.path("work")
	cmd.Env = append(command(pl).Env, "CORTEX_SOCKET="+pl.path("run/c.sock"), "PYTHONDONTWRITEBYTECODE=1")
	return cmd
}

// card waits for a card whose line has a text, and returns its token.
func (pl place) card(text string) (token string) {
	pl.t.Helper()
	require.Eventually(pl.t, func() bool {
		out, err := command(pl, "approvals", "list", "--dir", "state").CombinedOutput()
		require.NoError(pl.t, err, string(out))
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, text) {
				token = strings.Fields(line)[0]
			}
		}
		return token != ""
	}, time.Minute, 50*time.Millisecond)
	return token
}

// answers a card, as a person does.
func (pl place) answers(args ...string) {
	pl.t.Helper()
	args = append(append([]string{"approvals"}, args...), "--dir", "state", "--secret", "secret")
	out, err := command(pl, args...).CombinedOutput()
	require.NoError(pl.t, err, string(out))
}

func TestClientsOfTheAPI(t *testing.T) {
	for _, language := range []string{"python", "typescript"} {
		t.Run(language, func(t *testing.T) {
			program := programs(t, language)
			pl, _ := hostDaemon(t, hostRules)
			cmd := pl.outside(program...)
			var out logged
			cmd.Stdout, cmd.Stderr = &out, &out
			require.NoError(t, cmd.Start())
			pl.answers("approve", pl.card(`push (:branch "main")`))
			pl.answers("deny", pl.card(`push (:branch "dev")`), "--reason", "not today")
			require.NoError(t, cmd.Wait(), out.String())
			assert.Equal(t, scenario, out.String())
		})
	}
}

// garbage are answers that let nothing be run.
var garbage = map[string]string{
	"bare":     `{"decision":"allow","key":"k","reasons":[],"policy":"p","record":1}`,
	"intent":   `{"decision":"allow","key":"k","reasons":[],"policy":"p","record":1,"intent":7}`,
	"yes":      `{"decision":"yes","key":"k","reasons":[],"policy":"p","record":1,"intent":7,"action":{"tool":"edit","args":{}}}`,
	"list":     `[]`,
	"null":     `null`,
	"text":     `allow`,
	"empty":    ``,
	"cut":      `{"decision":"allow","key":"k","reasons":[],"intent":7,"action":{"to`,
	"reasons":  `{"decision":"allow","key":"k","policy":"p","record":1,"intent":7,"action":{"tool":"edit","args":{}}}`,
	"not-200":  `{"decision":"allow","key":"k","reasons":[],"policy":"p","record":1,"intent":7,"action":{"tool":"edit","args":{}}}`,
	"too-late": `{"decision":"allow","key":"k","reasons":[],"policy":"p","record":1,"intent":7,"action":{"tool":"edit","args":{}}}`,
}

// No answer of a daemon that is broken lets a client run anything.
func TestI3_ClientsTakeNoGarbageForAYes(t *testing.T) {
	for _, language := range []string{"python", "typescript"} {
		t.Run(language, func(t *testing.T) {
			program := programs(t, language)
			pl := newPlace(t)
			for name, body := range garbage {
				require.NoError(t, os.MkdirAll(pl.path("g"), 0o700))
				l, err := net.Listen("unix", pl.path("g/"+name))
				require.NoError(t, err)
				s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					switch name {
					case "not-200":
						w.WriteHeader(http.StatusForbidden)
					case "too-late":
						select {
						case <-r.Context().Done():
						case <-time.After(5 * time.Second):
						}
					}
					_, _ = io.WriteString(w, body)
				})}
				done := make(chan error, 1)
				go func() { done <- s.Serve(l) }()
				t.Cleanup(func() { assert.NoError(t, s.Close()); assert.ErrorIs(t, <-done, http.ErrServerClosed) })
			}
			out, err := pl.outside(append(program, pl.path("g"))...).CombinedOutput()
			require.NoError(t, err, string(out))
			assert.True(t, strings.HasSuffix(string(out), "\nran 0\n"), "%s", out)
			assert.Equal(t, len(garbage), strings.Count(string(out), "error")+strings.Count(string(out), "refused"), "%s", out)
		})
	}
}

// scripted is a model on loopback that answers the chat completions of OpenAI: it calls one
// tool, and says done when it has the result.
func scripted(t *testing.T, tool string, args any) (url string) {
	t.Helper()
	call, err := json.Marshal(args)
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Messages []struct{ Role string }
		}
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&in))
		message := map[string]any{"role": "assistant", "content": "done"}
		why := "stop"
		if last := in.Messages[len(in.Messages)-1]; last.Role != "tool" {
			why = "tool_calls"
			message = map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{
				"id": fmt.Sprint("call_", len(in.Messages)), "type": "function",
				"function": map[string]any{"name": tool, "arguments": string(call)}}}}
		}
		w.Header().Set("Content-Type", "application/json")
		assert.NoError(t, json.NewEncoder(w).Encode(map[string]any{
			"id": fmt.Sprint("c", len(in.Messages)), "object": "chat.completion", "created": 1,
			"model": "scripted", "choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": why}},
			"usage": map[string]any{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}))
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &http.Server{Handler: mux}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() { assert.NoError(t, s.Close()); assert.ErrorIs(t, <-done, http.ErrServerClosed) })
	return "http://" + l.Addr().String() + "/v1"
}

const bills = `
(deftool send_money :params (:recipient string :amount integer) :required (:recipient :amount) :tier :ask)
(defskill s :trigger (= action.tool "send_money")
  :gate ((deny much :when (> action.args.amount 1000) :reason "that is too much")))`

// agentsJS starts an example, with a model that pays an amount.
func agentsJS(t *testing.T, name string, amount int) (pl place, start func(env string) (*exec.Cmd, *logged)) {
	node, folder := oracle.Find(t, "node"), oracle.Node(t, "@langchain/langgraph")
	pl, _ = hostDaemon(t, bills)
	url := scripted(t, "send_money", map[string]any{"recipient": "GB29", "amount": amount})
	return pl, func(env string) (*exec.Cmd, *logged) {
		args := []string{node, filepath.Join(folder, "built", name+".js"), "Pay the bill"}
		if name == "langgraph" {
			args = append(args[:2], "bills", "Pay the bill")
		}
		cmd, out := pl.outside(args...), new(logged)
		cmd.Env = append(cmd.Env, "MODEL_URL="+url, env)
		cmd.Stdout, cmd.Stderr = out, out
		require.NoError(t, cmd.Start())
		return cmd, out
	}
}

func (pl place) ledger() string {
	text, err := os.ReadFile(pl.path("work/ledger"))
	if !os.IsNotExist(err) {
		require.NoError(pl.t, err)
	}
	return string(text)
}

func TestAgentsJS_Guarded(t *testing.T) {
	for _, name := range []string{"langgraph", "openai-agents"} {
		for _, x := range []struct {
			amount       int
			answer, want string
		}{
			{98, "approve", "tool: paid 98 to GB29\nai: done\n"},
			{99, "deny", "tool: refused: "},
			{5000, "", "tool: refused: that is too much (s/much)\nai: done\n"},
		} {
			t.Run(fmt.Sprint(name, " ", x.amount), func(t *testing.T) {
				pl, start := agentsJS(t, name, x.amount)
				cmd, out := start("")
				if x.answer != "" {
					pl.answers(x.answer, pl.card("send_money"))
				}
				require.NoError(t, cmd.Wait(), out.String())
				assert.Contains(t, out.String(), x.want)
				assert.Equal(t, x.answer == "approve", pl.ledger() == "GB29 98\n", pl.ledger())
			})
		}
	}
}

// A graph that is killed while people are asked pays once, when it is started again; also if
// they answer while it is away. One that is killed behind the payment does not pay again.
func TestAgentsJS_AGraphThatIsKilledPaysOnce(t *testing.T) {
	const paid = "GB29 98\n"
	for _, when := range []string{"before the answer", "while it is away", "after the payment"} {
		t.Run(when, func(t *testing.T) {
			pl, start := agentsJS(t, "langgraph", 98)
			cmd, out := start("CRASH=" + when)
			token := pl.card("send_money")
			if when != "after the payment" {
				require.Eventually(t, func() bool { // the graph has stopped at its interrupt
					text, err := os.ReadFile(pl.path("work/bills.json"))
					return err == nil && strings.Contains(string(text), "__interrupt__")
				}, time.Minute, 20*time.Millisecond, out)
				require.NoError(t, cmd.Process.Kill())
			} else {
				pl.answers("approve", token)
			}
			require.ErrorContains(t, cmd.Wait(), "killed", out.String())
			want := "tool: paid 98 to GB29\nai: done\n"
			switch when {
			case "after the payment":
				require.Equal(t, paid, pl.ledger())
				want = "tool: refused: "
			case "while it is away":
				pl.answers("approve", token)
			}
			cmd, out = start("")
			if when == "before the answer" {
				require.Equal(t, token, pl.card("send_money"), "the same card")
				pl.answers("approve", token)
			}
			require.NoError(t, cmd.Wait(), out.String())
			assert.Contains(t, out.String(), want)
			assert.Equal(t, paid, pl.ledger())
			t.Log(out.String())
		})
	}
}
