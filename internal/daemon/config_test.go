package daemon

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/adapters/llm"
)

// write puts a file into a folder of its own.
func write(t testing.TB, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// errs are the faults of a configuration, without its folder.
func errs(t *testing.T, text string) []string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o700)) //nolint:gosec // a folder
	c, err := Load(write(t, dir, "c.toml", text))
	if err == nil {
		err = c.Check()
	}
	if err == nil {
		return nil
	}
	return strings.Split(strings.ReplaceAll(err.Error(), dir+"/", ""), "\n")
}

func TestConfigErrors(t *testing.T) {
	const ok = "dir = \"state\"\n"
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"sound", ok, nil},
		{"empty", "", []string{"dir: the folder of the record is missing; name it here or with --dir"}},
		{"not TOML", "dir = \n", []string{"c.toml:1:7: unexpected character U+000A at start of value"}},
		{"unknown key", ok + "liv = true\n", []string{"c.toml:2:1: unknown setting liv; did you mean live?"}},
		{"unknown key in a table", ok + "[budgets]\ntruns = 3\n",
			[]string{"c.toml:3:1: unknown setting budgets.truns; did you mean turns?"}},
		{"unknown key of a provider", ok + "[[providers]]\nname = \"a\"\nmodle = \"x\"\n",
			[]string{"c.toml:4:1: unknown setting providers.modle; did you mean model?"}},
		{"unknown key of an escalation", ok + "[approvals.escalate.boss]\nafter = \"1h\"\nt0 = \"x\"\n",
			[]string{"c.toml:4:1: unknown setting approvals.escalate.boss.t0; did you mean to?"}},
		{"unknown table", ok + "[budget]\nturns = 3\n",
			[]string{"c.toml:2:2: unknown setting budget; did you mean budgets?"}},
		{"wrong kinds, all of them",
			ok + "live = 1\nmandatory = [\n 1,\n \"x\",\n]\nclients = \"many\"\n[budgets]\ncost = \"much\"\n", []string{
				"c.toml:2:8: live: expected true or false, found integer",
				"c.toml:4:2: mandatory: expected text, found integer",
				"c.toml:7:11: clients: expected a whole number, found string",
				"c.toml:9:8: budgets.cost: expected a number, found string",
			}},
		{"wrong kinds and unknown keys", ok + "liv = true\nlive = 1\n", []string{
			"c.toml:2:1: unknown setting liv; did you mean live?",
			"c.toml:3:8: live: expected true or false, found integer",
		}},
		{"a key twice", ok + "dir = \"other\"\n", []string{"c.toml:2:1: dir: key dir is already defined"}},
		{"contradictions, all of them", ok +
			"live = true\nobserve = true\nclients = -1\nlog = \"loud\"\n[budgets]\nturns = -1\ncost = nan\n", []string{
			"c.toml:3:1: observe: contradicts live: observing runs nothing",
			"c.toml:4:1: clients: is negative, expected 0 or more",
			`c.toml:5:1: log: "loud" is not a form of log lines, expected text or json`,
			"c.toml:7:1: budgets.turns: is negative, expected 0 or more",
			"c.toml:8:1: budgets.cost: is negative, expected 0 or more",
		}},
		{"more memory than there is", ok + "[memory]\ntotal = 1000\nsession = 1001\nprincipal = -1\n", []string{
			"c.toml:4:1: memory.session: 1001 is more than memory.total, 1000",
			"c.toml:5:1: memory.principal: is negative, expected 0 or more",
		}},
		{"a time without a unit", ok + "grace = 5\n[approvals]\nttl = \"1 day\"\n", []string{
			`c.toml:4:7: approvals.ttl: "1 day" is not a duration, expected one such as "90s"`,
		}},
		{"a number for a time", ok + "grace = 5\n",
			[]string{`c.toml:2:1: grace: 5 has no unit, expected a time such as "90s"`}},
		{"a negative time", ok + "heartbeat = \"-1s\"\n", []string{"c.toml:2:1: heartbeat: is negative, expected 0 or more"}},
		{"rules that are not there", ok + "rules = [\"nowhere\"]\n",
			[]string{"c.toml:2:1: rules: nowhere: no such file or folder"}},
		{"a home that is not expanded", "dir = \"~/state\"\n",
			[]string{"c.toml:1:1: dir: ~/state: ~ is not expanded here, expected a whole path or one relative to "}},
		{"a shell without a workspace", ok + "[shell]\n",
			[]string{"c.toml:2:2: shell: workspace is missing: the folder that commands start in"}},
		{"a workspace with the record in it", ok + "[shell]\nworkspace = \".\"\n", nil}, // see below
		{"an escalation without a target", ok + "[approvals.escalate.boss]\nafter = \"1h\"\n",
			[]string{"c.toml:2:2: approvals.escalate.boss: expected after, a time, and to, an approver class"}},
		{"a provider of no kind", ok + "[[providers]]\nname = \"a\"\nkind = \"openia\"\n", nil}, // the text is adapters/llm's
	} {
		t.Run(test.name, func(t *testing.T) {
			got := errs(t, test.text)
			switch test.name {
			case "a workspace with the record in it":
				require.NotEmpty(t, got)
				assert.Contains(t, got[0], "c.toml:3:1: shell.workspace: ")
				assert.Contains(t, got[0], "keep them apart")
			case "a provider of no kind":
				require.NotEmpty(t, got)
				assert.Contains(t, got[0], "c.toml:2:3: providers: ")
			case "a home that is not expanded":
				require.Len(t, got, 1)
				assert.Contains(t, got[0], test.want[0])
			default:
				assert.Equal(t, test.want, got)
			}
		})
	}
}

// The sample names every setting, and is sound as it stands.
func TestTheSampleShowsEverySetting(t *testing.T) {
	text, err := os.ReadFile("../../docs/cortex.toml")
	require.NoError(t, err)
	var all []string
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "#"); ok && !strings.HasPrefix(rest, " ") {
			line = rest // a setting that is commented out
		}
		all = append(all, line)
	}
	on := strings.Join(all, "")
	dir := t.TempDir()
	c, err := Load(write(t, dir, "all.toml", on))
	require.NoError(t, err, "with every setting switched on")
	sets := func(v reflect.Value, but ...string) {
		for i := range v.NumField() {
			name := setting(v.Type().Field(i))
			assert.True(t, name == "" || !v.Field(i).IsZero() ||
				strings.Contains(on, "\n"+name+" = "), "docs/cortex.toml does not show %s", name)
		}
	}
	sets(reflect.ValueOf(c))
	sets(reflect.ValueOf(c.Memory))
	sets(reflect.ValueOf(c.Budgets))
	sets(reflect.ValueOf(c.Approvals))
	sets(reflect.ValueOf(c.Retain))
	sets(reflect.ValueOf(c.Checkpoints))
	sets(reflect.ValueOf(c.Protected))
	require.NotNil(t, c.Shell)
	sets(reflect.ValueOf(*c.Shell))
	sets(reflect.ValueOf(c.Nrepl))
	sets(reflect.ValueOf(c.Telemetry))
	sets(reflect.ValueOf(c.Traces))

	_, err = Load(write(t, dir, "plain.toml", string(text)))
	require.NoError(t, err, "as it stands")
}

// What Text prints is a configuration that says the same, and no secret.
func TestTextIsAConfiguration(t *testing.T) {
	t.Setenv("F_KEY", "sekrit-key")
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "work"), 0o700))
	write(t, dir, "rules/r.lisp", "")
	c, err := Load(write(t, dir, "c.toml", `
dir = "state"
rules = ["rules"]
heartbeat = "90s"
mandatory = ["x"]
[env]
name = "staging"
depth = {of = [1, 2.5]}
[approvals.classes]
boss = ["ann"]
[approvals.escalate.boss]
after = "1h"
to = "operator"
[shell]
workspace = "work"
env = {TERM = "dumb"}
[nrepl]
on = true
[[providers]]
name = "far"
kind = "openai"
url = "https://models.example/v1"
model = "m"
key_env = "F_KEY"
headers = {"X-Team" = "sekrit-header"}
timeout = "20s"
`))
	require.NoError(t, err)
	require.NoError(t, c.Check())
	text, err := c.Text()
	require.NoError(t, err)
	assert.NotContains(t, text, "sekrit")
	again, err := Load(write(t, dir, "again.toml", text))
	require.NoError(t, err, text)
	was := c.inForce()
	assert.Equal(t, hidden, again.Providers[0].Headers["X-Team"])
	was.Providers[0].Headers, again.Providers[0].Headers = nil, nil
	assert.Empty(t, was.differ(again.inForce()), text)
	assert.Equal(t, []string{"heartbeat", "providers"}, was.differ(func() Config {
		other := again.inForce()
		other.Heartbeat, other.Providers = second, []llm.Config{}
		return other
	}()))
}

// No text makes the reader panic or loop, and what is wrong always has a line.
func FuzzConfig(f *testing.F) {
	for _, seed := range []string{
		"", "dir = 1", "[rules]\nx=1\n", "live = 1\nlive = 2\n", "a.b.c = 1\n[a]\nb=2",
		"[[providers]]\ntimeout = 5\n[[providers]]\ntimeout = \"x\"",
		"mandatory = [\n1,\n2]\n", "env = {a = {b = [1, {c = 2}]}}", "[shell]\nenv = {A = 1}\n",
		"\"dir\" = \"\"\"\nx\n\"\"\"\nheartbeat = 1979-05-27\n", "dir = \"a\\u0000b\"",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := &source{file: "c.toml"}
		var c Config
		err := s.decode([]byte(text), &c)
		if err == nil {
			return
		}
		faults, ok := err.(Faults) //nolint:errorlint // it is returned as it is
		require.True(t, ok)
		for _, f := range faults {
			assert.Positive(t, f.Line, f)
		}
	})
}
