package plugintest_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/opencortex-go/cortex/plugins/plugintest"
	skillpb "github.com/opencortex-go/cortex/plugins/proto"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

func options(t testing.TB, flaw string) plugintest.Options {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return plugintest.Options{Program: self, Env: []string{"FLAW=" + flaw}}
}

func TestAGoodSkillPasses(t *testing.T) { plugintest.Run(t, options(t, "none")) }

// The suite finds what is wrong with a skill, and says it: a suite that nothing
// fails would prove nothing.
func TestTheSuiteFindsFlaws(t *testing.T) {
	tests := []struct{ flaw, check, says string }{
		{"flaps", "answers the same question always in the same way", "it answered"},
		{"exits", "judges strange actions without falling over", "Judge of"},
		{"hangs", "answers many at a time", "DeadlineExceeded"},
		{"one-sided", "brings examples of what it stops and what it leaves, and they hold", "expected at least one example"},
		{"wrong-example", "brings examples of what it stops and what it leaves, and they hold", `example "left"`},
		{"wrong-example", "is loaded by a host, fenced in", "example left"},
		{"sick", "says whether it is ready", "a cold"},
		{"no-doc", "describes itself within the limits", "no doc"},
		{"bad-name", "says where it listens, in one line", `"A Name"`},
		{"bad-sight", "says where it listens, in one line", "expected one of ctx, env"},
		{"raw-silent", "says where it listens, in one line", "it printed no line"},
		{"raw-other-line", "says where it listens, in one line", "expected 1|1|unix|/path/of/socket|grpc"},
		{"raw-other-protocol", "says where it listens, in one line", "it speaks protocol 2"},
		{"raw-no-health", "says where it listens, in one line", "grpc.health.v1.Health"},
		{"raw-plain", "ends at once without a host", "it serves although no host has started it"},
		{"raw-plain", "refuses another protocol and names both", "it answers a host that speaks protocol 4711"},
		{"raw-plain", "refuses fields that it does not know", "with a field 99"},
		{"raw-plain", "refuses what it cannot read, and goes on", "expected an error"},
		{"raw-plain", "refuses messages of more than 1 MiB, and goes on", "2 MiB"},
		{"raw-plain", "ends cleanly on SIGTERM", "it had not ended"},
		{"raw-plain", "ends when its host says so", "it had not ended"},
		{"raw-plain", "ends when its host has died", "watch getppid"},
		{"raw-wrong-id", "answers the question it was asked", `it answers the id "x"`},
		{"raw-wrong-id", "says whether it is ready", `it answers the id "x"`},
		{"raw-wrong-digest", "answers the question it was asked", "it repeats the digest"},
		{"raw-no-verdict", "answers the question it was asked", "without a verdict"},
		{"raw-no-reason", "answers the question it was asked", "no reason"},
		{"raw-long", "answers the question it was asked", "more than 2000 bytes"},
		{"raw-clause", "answers the question it was asked", `the clause "c"`},
		{"raw-quorum", "answers the question it was asked", "it asks for 17"},
		{"raw-set", "answers the question it was asked", "not a plist"},
		{"raw-future", "answers the question it was asked", "does not have"},
	}
	for _, tt := range tests {
		t.Run(tt.flaw+": "+tt.check, func(t *testing.T) {
			t.Parallel()
			o := options(t, tt.flaw)
			if tt.flaw == "hangs" { // and has a whole lot of calls wait
				o.Deadline = 100 * time.Millisecond
			}
			err := plugintest.CheckOne(t.Context(), o, tt.check)
			require.Error(t, err)
			assert.ErrorContains(t, err, tt.says)
		})
	}
}

// What a skill says last is told, although its other streams are closed before.
func TestStart_TellsTheLastWords(t *testing.T) {
	o := plugintest.Options{Program: "/bin/sh", Args: []string{"-c", "exec 1>&-; sleep 0.2; echo no such model >&2"}}
	_, err := plugintest.Start(t.Context(), o)
	require.ErrorContains(t, err, "it ended without printing a line")
	assert.ErrorContains(t, err, "no such model")
}

func start(t *testing.T) *plugintest.Process {
	t.Helper()
	p, err := plugintest.Start(t.Context(), options(t, "none"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	_, err = p.Describe(t.Context())
	require.NoError(t, err)
	return p
}

func action(t *testing.T, cmd string) *skills.Action {
	t.Helper()
	a, err := skills.NewAction("shell", sexpr.Plist("cmd", sexpr.Str(cmd)), "because")
	require.NoError(t, err)
	return a
}

// What goes wrong in a call fails the call, and the process goes on.
func TestTheGuestFailsACallAndGoesOn(t *testing.T) {
	p := start(t)
	for cmd, says := range map[string]string{
		"panic":       "panic in Judge: as told",
		"nil":         "it gave no verdict",
		"error":       "an error",
		"clause":      `its verdict names the clause "other"`,
		"untold":      "its verdict has no Reason.Text",
		"many":        "17 people",
		"set-nothing": "a rewrite that cannot be read",
	} {
		_, err := p.Judge(t.Context(), action(t, cmd), "")
		require.ErrorContains(t, err, says, cmd)
		_, err = p.Judge(t.Context(), action(t, "ls"), "")
		require.NoError(t, err, "after %s", cmd)
	}
}

// Every kind of verdict arrives as it was given, or cut to what may travel.
func TestTheGuestSaysWhatTheSkillSays(t *testing.T) {
	p := start(t)
	judge := func(cmd, facts string) *skillpb.Judgement {
		j, err := p.Judge(t.Context(), action(t, cmd), facts)
		require.NoError(t, err)
		return j
	}
	assert.Equal(t, "(:now 5)because", judge("facts", "(:now 5)").GetPass().GetNote())
	assert.Equal(t, "fine", judge("allow", "").GetAllow().GetReason().GetText())
	assert.Equal(t, "(:timeout 30)", judge("set", "").GetRewrite().GetSet())
	ask := judge("ask", "").GetAsk()
	assert.Equal(t, "boss", ask.GetApprovers())
	assert.EqualValues(t, 2, ask.GetQuorum())
	assert.True(t, ask.GetNotUser())
	long := judge("long", "").GetReject().GetReason()
	assert.LessOrEqual(t, len(long.GetText()), 2000)
	assert.Equal(t, "\uFFFD\uFFFD", long.GetDetail())
}

// A skill's function learns when its caller has left.
func TestTheGuestPassesDeadlinesOn(t *testing.T) {
	p := start(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := p.Judge(ctx, action(t, "wait"), "")
	assert.Equal(t, codes.DeadlineExceeded, status.Code(err))
	_, err = p.Judge(t.Context(), action(t, "ls"), "")
	require.NoError(t, err)
}

// A call that is under way when SIGTERM comes is answered before the process ends.
func TestTheGuestAnswersBeforeItEnds(t *testing.T) {
	p := start(t)
	j, err := p.Judge(t.Context(), action(t, "term"), "")
	require.NoError(t, err)
	assert.Equal(t, "after SIGTERM", j.GetPass().GetNote())
	require.NoError(t, p.Wait(t.Context()))
}

// Whatever else a skill may do is answered UNIMPLEMENTED, not with nothing.
func TestTheGuestHasNoMoreThanTheSkillHas(t *testing.T) {
	p := start(t)
	_, err := p.Skill.Prompt(t.Context(), &skillpb.PromptRequest{Id: "1"})
	assert.Equal(t, codes.Unimplemented, status.Code(err))
	_, err = p.Skill.Augment(t.Context(), &skillpb.AugmentRequest{Id: "1"})
	assert.Equal(t, codes.Unimplemented, status.Code(err))
	_, err = p.Skill.Call(t.Context(), &skillpb.CallRequest{Id: "1"})
	assert.Equal(t, codes.Unimplemented, status.Code(err))
}
