package main

import (
	"bytes"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const shellAllowed = `
(deftool shell :params (:cmd command) :required (:cmd) :tier :allow :effect :external)
`

// fails runs serve, which must not start, and returns what it says.
func (pl place) fails(args ...string) (code int, said string) {
	pl.t.Helper()
	cmd := command(pl, append([]string{"serve"}, args...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	require.Error(pl.t, err, out.String())
	assert.NotContains(pl.t, out.String(), "ready")
	return cmd.ProcessState.ExitCode(), strings.ReplaceAll(out.String()+errs.String(), pl.dir, "DIR")
}

// Whatever keeps a daemon from being what its operator asked for keeps it from
// starting, and is said.
func TestServeDoesNotStart(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(t *testing.T, pl place)
		args   []string
		want   []string
	}{
		{"bad settings", func(_ *testing.T, pl place) { pl.alter("c.toml", "live", "liv") }, nil,
			[]string{"DIR/c.toml:6:1: unknown setting liv; did you mean live?", "1 error: nothing is started"}},
		{"no such file", nil, []string{"--config", "nowhere.toml"}, []string{"nowhere.toml: no such file"}},
		{"flags and settings together", nil, []string{"--observe", "--rules", "nowhere"},
			[]string{"observe: contradicts live", "DIR/nowhere: no such file or folder", "2 errors"}},
		{"no record", nil, []string{"--config", "", "--rules", "rules"}, []string{"name it here or with --dir"}},
		{"broken rules", func(_ *testing.T, pl place) {
			pl.write("rules/r.lisp", "(deftool shell :params (:cmd comand))\n")
		}, nil,
			[]string{"r.lisp:1:30: unknown kind comand; did you mean command?",
				"(deftool shell :params (:cmd comand))", "^", "1 error: nothing is loaded"}},
		{"a failing example", func(_ *testing.T, pl place) {
			pl.write("rules/e.lisp", `(defexample "no" :action (:tool "shell" :args (:cmd "ls")) :expect (deny x/y))`)
		}, nil, []string{"e.lisp:1:", "nothing is loaded"}},
		{"rules that others may write", func(t *testing.T, pl place) {
			require.NoError(t, os.Chmod(pl.path("rules/r.lisp"), 0o666))
		}, nil,
			[]string{"not trusted: others may write DIR/rules/r.lisp (mode 0666); chmod go-w DIR/rules/r.lisp, or say " +
				"--trust-rules"}},
		{"settings that others may write", func(t *testing.T, pl place) {
			require.NoError(t, os.Chmod(pl.path("c.toml"), 0o666))
		}, nil,
			[]string{"DIR/c.toml: ", "not trusted: others may write DIR/c.toml"}},
		{"rules where tools may write", func(_ *testing.T, pl place) {
			pl.alter("c.toml", `workspace = "work"`, `workspace = "rules"`)
		}, nil,
			[]string{"DIR/c.toml:9:1: shell.workspace: DIR/rules is where tools may write, " +
				"and DIR/rules belongs to the daemon"}},
		{"a workspace that is not there", func(_ *testing.T, pl place) {
			pl.alter("c.toml", `workspace = "work"`, `workspace = "wrok"`)
		}, nil,
			[]string{"DIR/c.toml:8:2: shell: ", "wrok: no such file or directory"}},
		{"a provider without its script", func(_ *testing.T, pl place) {
			pl.alter("c.toml", `"script.lisp"`, `"nowhere.lisp"`)
		}, nil,
			[]string{"DIR/c.toml:10:3: providers: ", "nowhere.lisp"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			pl := newPlace(t)
			if test.change != nil {
				test.change(t, pl)
			}
			args := []string{"--config", "c.toml"}
			if len(test.args) > 1 && test.args[0] == "--config" {
				args = nil
			}
			code, said := pl.fails(append(args, test.args...)...)
			assert.Equal(t, exitError, code)
			for _, w := range test.want {
				assert.Contains(t, said, w)
			}
			_, err := os.Stat(pl.path("state/daemon.socket"))
			require.ErrorIs(t, err, os.ErrNotExist, "nothing half started is left behind")
		})
	}
}

func TestRow101_AMissingOrBrokenMandatorySkillKeepsTheDaemonFromStarting(t *testing.T) {
	pl := newPlace(t)
	pl.alter("c.toml", "live = true", `mandatory = ["bouncer"]`)
	code, said := pl.fails("--config", "c.toml")
	assert.Equal(t, exitError, code)
	assert.Contains(t, said, `the mandatory skill "bouncer" is in none of the rule files`)

	pl.write("rules/bouncer.lisp", `(defskill bouncer :doc "x" :gate ((deny never :when (nope) :reason "no")))`)
	code, said = pl.fails("--config", "c.toml")
	assert.Equal(t, exitError, code)
	assert.Contains(t, said, "bouncer.lisp:1:")

	// Marked in a rule file: it is there once, and must not go missing unnoticed.
	pl.alter("c.toml", `mandatory = ["bouncer"]`, "")
	pl.write("rules/bouncer.lisp",
		`(defskill bouncer :doc "x" :mandatory t :gate ((deny never :when (= action.tool "nope") :reason "no")))`)
	d := pl.start()
	d.signal(syscall.SIGTERM)
	require.Zero(t, d.end(), d.log.String())
	require.NoError(t, os.Remove(pl.path("rules/bouncer.lisp")))
	code, said = pl.fails("--config", "c.toml")
	assert.Equal(t, exitError, code)
	assert.Contains(t, said, `the skill "bouncer", :mandatory until now, is in none of the rule files`)
}

// One record has one daemon, and one socket too; who comes second says who was
// first.
func TestServeIsAloneOnItsRecord(t *testing.T) {
	pl := newPlace(t)
	d := pl.start()
	code, said := pl.fails("--config", "c.toml", "--socket", "other.sock")
	assert.Equal(t, exitError, code)
	assert.Contains(t, said,
		"DIR/state: another process is using this record; a daemon on it was last reached at DIR/run/c.sock")
	code, said = pl.fails("--config", "c.toml", "--dir", "state2")
	assert.Equal(t, exitError, code)
	assert.Contains(t, said, "DIR/run/c.sock: another process serves this socket")
	assert.Equal(t, "pong", say(t, d.dial(), "s", "ping").Text, "the first one serves on")
	d.signal(syscall.SIGTERM)
	assert.Zero(t, d.end())
}

// Rules are reloaded when a file changes, when one takes another's place, and at
// SIGHUP; what cannot be loaded leaves what runs.
func TestRow102_AFailedReloadKeepsWhatRuns(t *testing.T) {
	pl := newPlace(t)
	pl.write("rules/r.lisp", shellAllowed)
	pl.write("script.lisp", `
(:form (:type :request :target :tool :payload (:tool "shell" :args (:cmd "echo did it")) :explanation "do it") :when ("try") :repeat t)
(:reply "it was done" :when ("did it") :repeat t)
`)
	d := pl.start()
	c := d.dial()
	assert.Equal(t, "it was done", say(t, c, "s", "try 1").Text)

	// Broken: the earlier rules stay, and the log says where it is broken.
	pl.write("rules/r.lisp", "(deftool shell :tier :alow)\n")
	d.says("reload failed; the rules that were in force stay")
	assert.Contains(t, d.log.String(), "r.lisp:1:22")
	assert.Equal(t, "it was done", say(t, c, "s", "try 2").Text)

	// Mended, as editors do it: a new file takes the old one's place.
	pl.write("rules/.r.lisp.tmp", strings.ReplaceAll(shellAllowed, ":allow", ":deny"))
	require.NoError(t, os.Rename(pl.path("rules/.r.lisp.tmp"), pl.path("rules/r.lisp")))
	d.says("msg=reloaded ")
	out := say(t, c, "s", "try 3")
	assert.NotContains(t, out.Text, "it was done", "the new rules hold")

	// Somebody else may write it now: not trusted, and the rules in force stay.
	require.NoError(t, os.Chmod(pl.path("rules/r.lisp"), 0o666))
	d.signal(syscall.SIGHUP)
	d.says("others may write")
	require.NoError(t, os.Chmod(pl.path("rules/r.lisp"), 0o600))

	// A folder takes the folder's place.
	pl.write("next/r.lisp", shellAllowed)
	pl.write("next/second.lisp", `(deftool look :tier :allow)`)
	require.NoError(t, os.Rename(pl.path("rules"), pl.path("old")))
	require.NoError(t, os.Rename(pl.path("next"), pl.path("rules")))
	d.signal(syscall.SIGHUP)
	d.log.until(t, "the new folder's rules", func(string) bool { return say(t, c, "s", "try 4").Text == "it was done" })

	// The new folder is watched as the old one was.
	before := strings.Count(d.log.String(), "msg=reloaded ")
	pl.write("rules/third.lisp", `(deftool see :tier :allow)`)
	d.log.until(t, "reloaded again", func(all string) bool { return strings.Count(all, "msg=reloaded ") > before })

	// Settings hold from the next start; SIGHUP says which, and what is wrong.
	pl.alter("c.toml", `grace = "2s"`, `grace = "3s"`)
	d.signal(syscall.SIGHUP)
	d.says("settings have changed; they hold from the next start")
	assert.Contains(t, d.log.String(), "settings=grace")
	pl.alter("c.toml", `grace = `, `grce = `)
	d.signal(syscall.SIGHUP)
	d.says("did you mean grace?")
	assert.Equal(t, "it was done", say(t, c, "s", "try 5").Text)
	d.signal(syscall.SIGTERM)
	assert.Zero(t, d.end())
}

// What a supervisor hears, in order.
func TestServeTellsItsSupervisor(t *testing.T) {
	pl := newPlace(t)
	name := pl.path("notify")
	nc, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	require.NoError(t, err)
	defer func() { _ = nc.Close() }()
	t.Setenv("NOTIFY_SOCKET", name)
	t.Setenv("WATCHDOG_USEC", "100000")
	heard := func(want string) string {
		buf := make([]byte, 4096)
		for {
			n, err := nc.Read(buf)
			require.NoError(t, err)
			if text := string(buf[:n]); strings.Contains(text, want) {
				return text
			}
		}
	}
	d := pl.start()
	assert.Regexp(t, `\nSTATUS=live; 0 pending, 0 in doubt, 0 running; [0-9]+ skills; record `, heard("READY=1"))
	heard("WATCHDOG=1")
	heard("WATCHDOG=1")
	d.signal(syscall.SIGHUP)
	assert.Regexp(t, `^RELOADING=1\nMONOTONIC_USEC=[0-9]+\n?$`, heard("RELOADING"))
	heard("READY=1\nSTATUS=live;")
	pl.write("rules/r.lisp", "(")
	d.signal(syscall.SIGHUP)
	heard("READY=1\nSTATUS=RELOAD FAILED, earlier rules stay; live;")
	d.signal(syscall.SIGTERM)
	assert.Contains(t, heard("STOPPING=1"), "EXTEND_TIMEOUT_USEC=12000000")
	assert.Zero(t, d.end())
}

// The daemon's own places are out of every tool's reach.
func TestServeProtectsItself(t *testing.T) {
	pl := newPlace(t)
	pl.write("rules/r.lisp", shellAllowed)
	pl.write("secret", "x")
	pl.write("work/open", "x")
	var script strings.Builder
	own := []string{"rules/r.lisp",
		"c.toml", "secret", "run/c.sock", "run/c-approve.sock", "state/daemon.socket", "script.lisp"}
	for _, p := range append(own, "work/open") {
		script.WriteString(`(:form (:type :request :target :tool :payload (:tool "shell" :args (:cmd "cat ` + pl.path(p) +
			`")) :explanation "look") :when ("look at ` + p + `"))` + "\n")
	}
	pl.write("script.lisp", script.String()+
		`(:reply "seen" :when ("x") :repeat t)(:reply "not seen" :when ("PREVIOUS PROPOSAL REJECTED") :repeat t)`)
	d := pl.start()
	c := d.dial()
	for _, p := range own {
		assert.NotEqual(t, "seen", say(t, c, "s", "look at "+p).Text, p)
	}
	assert.Equal(t, "seen", say(t, c, "s", "look at work/open").Text, "what is not its own is the rules' business")
	d.signal(syscall.SIGTERM)
	assert.Zero(t, d.end())
	var ran []string
	for _, r := range pl.records("intent") {
		if r.Body.GetText("tool") == "shell" {
			ran = append(ran, r.Body.String())
		}
	}
	require.Len(t, ran, 1)
	assert.Contains(t, ran[0], "work/open")
}

// Editors are served beside, by the same evaluator.
func TestServeNrepl(t *testing.T) {
	pl := newPlace(t)
	d := pl.start("--nrepl")
	assert.Equal(t, pl.path("run/c-nrepl.sock"), d.ready.Nrepl)
	nc, err := net.Dial("unix", d.ready.Nrepl)
	require.NoError(t, err)
	_, err = nc.Write([]byte("d4:code7:(+ 1 2)2:op4:evale"))
	require.NoError(t, err)
	answer := make([]byte, 4096)
	n, err := nc.Read(answer)
	require.NoError(t, err)
	assert.Contains(t, string(answer[:n]), "5:value1:3")
	require.NoError(t, nc.Close())
	d.signal(syscall.SIGTERM)
	assert.Zero(t, d.end(), d.log.String())
	assert.NoFileExists(t, d.ready.Nrepl)

	other := pl.path("editor.sock")
	d = pl.start("--nrepl=" + other)
	assert.Equal(t, other, d.ready.Nrepl)
	d.signal(syscall.SIGTERM)
	assert.Zero(t, d.end(), d.log.String())
}
