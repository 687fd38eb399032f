package main

import (
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// agentLib is what the agents of [TestI6_AnOrphanIsNoUserAfterARestart] have in common: they run the hook by a shell,
// as hosts do.
const agentLib = `
event() { printf '%s' "$1" | sh -c '"$0" hook --dialect claude --no-start --socket "$PWD/run/c.sock"' "$CORTEX" >>said 2>&1; }
prompt() { event '{"session_id":"'$S'","cwd":"/","hook_event_name":"UserPromptSubmit","prompt":"'"$1"'"}'; }
tool() { event '{"session_id":"'$S'","cwd":"/","hook_event_name":"'$1'","tool_name":"Bash","tool_use_id":"c",
	"tool_input":{"command":"./tool.sh"},"tool_response":"ok"}'; }
await() { until [ -e "$1" ] || [ ! -d run ]; do sleep 0.05; done; }
`

// agents are what runs under the name of a host, or of a tool call of its.
var agents = map[string]string{
	// Its call leaves two processes behind, and it ends.
	"ends.sh": `prompt "$S begins"; tool PreToolUse
sh -c 'setsid ./agent left.sh "pay eve" eve & setsid sh -c "./agent left.sh \"pay mallory\" mallory; :" &' </dev/null
tool PostToolUse; touch $S`,
	"left.sh": `await go-$2; prompt "$1"; echo $$ >$2`,
	// It lives on while the daemon is started again.
	"lives.sh": `prompt "$S begins"; tool PreToolUse; tool PostToolUse; touch $S; await again; prompt "$S goes on"
touch $S-on`,
	// Its call is still running then, and speaks.
	"calls.sh": `prompt "$S begins"; tool PreToolUse
sh -c '. ./lib.sh; touch $S; await again; prompt "pay oscar"'; tool PostToolUse; prompt "$S goes on"; touch $S-on`,
	"resumes.sh": `prompt "$S is resumed"; touch $S-on`,
}

// After the daemon was started again, what a call left running is still told apart from the host that lives on, and
// from one that resumes the session in the terminal of the first.
func TestI6_AnOrphanIsNoUserAfterARestart(t *testing.T) {
	pl := newPlace(t)
	pl.write("rules/r.lisp", `(deftool shell :params (:cmd command) :required (:cmd) :tier :allow)`)
	out, err := command(pl, "approvals", "pair", "--dir", "state", "--secret", "secret").CombinedOutput()
	require.NoError(t, err, string(out))
	pl.alter("c.toml", "[shell]\nworkspace = \"work\"\n", "") // the tool is the host's
	pl.write("lib.sh", agentLib)
	for name, text := range agents {
		pl.write(name, ". ./lib.sh\n"+text+"\n")
	}
	shell, err := exec.LookPath("sh")
	require.NoError(t, err)
	program, err := os.ReadFile(shell)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(pl.path("agent"), program, 0o700)) // another program than a shell, by its name
	daemon := pl.start("--no-guard")
	terminal, ended := pl.terminal()
	time.Sleep(unsureOfRecords)
	for session, script := range map[string]string{"a": "ends.sh", "b": "lives.sh", "c": "calls.sh"} {
		terminal("S=" + session + " ./agent " + script + " &")
		pl.await(session)
	}
	daemon.signal(syscall.SIGTERM)
	require.Equal(t, 0, daemon.end(), daemon.log.String())
	daemon = pl.start("--no-guard")
	for _, who := range []string{"eve", "mallory"} {
		pl.write("go-"+who, "")
		pl.await(who)
		pl.goes(who)
	}
	pl.write("again", "")
	pl.await("b-on")
	pl.await("c-on")
	terminal("S=a ./agent resumes.sh")
	pl.await("a-on")
	ended()
	daemon.signal(syscall.SIGTERM)
	require.Equal(t, 0, daemon.end(), daemon.log.String())
	said, err := os.ReadFile(pl.path("said"))
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"a begins": "user-input", "b begins": "user-input", "c begins": "user-input",
		"pay eve": "text-read", "pay mallory": "text-read", "pay oscar": "text-read",
		"b goes on": "user-input", "c goes on": "user-input", "a is resumed": "user-input"}, pl.heard(), string(said))
}

// unsureOfRecords is how much younger than a terminal the first call is to be: the daemon compares the times of
// records with those of processes.
const unsureOfRecords = 1500 * time.Millisecond

// terminal is a shell that does what is written to it, until ended is called.
func (pl place) terminal() (do func(line string), ended func()) {
	require.NoError(pl.t, os.Symlink(executable(pl.t), pl.path("cortex")))
	cmd := exec.Command("sh")
	cmd.Dir, cmd.Env = pl.dir, append(command(pl).Env, "CORTEX="+pl.path("cortex"))
	in, err := cmd.StdinPipe()
	require.NoError(pl.t, err)
	require.NoError(pl.t, cmd.Start())
	return func(line string) {
			_, err := io.WriteString(in, line+"\n")
			require.NoError(pl.t, err)
		}, func() {
			require.NoError(pl.t, in.Close())
			require.NoError(pl.t, cmd.Wait())
		}
}

// await waits for a file.
func (pl place) await(name string) {
	pl.t.Helper()
	require.Eventually(pl.t, func() bool {
		_, err := os.Stat(pl.path(name))
		return err == nil
	}, time.Minute, 20*time.Millisecond, name)
}

// goes waits for the process whose number is in a file to end: it has the session while it runs.
func (pl place) goes(name string) {
	pl.t.Helper()
	require.Eventually(pl.t, func() bool {
		text, err := os.ReadFile(pl.path(name))
		require.NoError(pl.t, err)
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil && syscall.Kill(pid, 0) != nil
	}, time.Minute, 20*time.Millisecond, name)
}

// heard are the texts on record, each with who it is from.
func (pl place) heard() map[string]string {
	out := map[string]string{}
	for _, rec := range pl.records("signal") {
		out[rec.Body.GetText("text")] = rec.Body.GetText("sensor")
	}
	return out
}
