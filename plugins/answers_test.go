package plugins

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/opencortex-go/cortex/plugins/internal/sandbox"
	"github.com/opencortex-go/cortex/plugins/internal/wire"
	skillpb "github.com/opencortex-go/cortex/plugins/proto"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// What people said yes to was one program's ask: a successor asks again.
func TestVerdict_AYesIsToOneProgram(t *testing.T) {
	ask := func(sum string) sexpr.Digest {
		v, err := (&Entry{Name: "a", SHA256: sum}).verdict(`(:text "sure?" :verdict "ask")`)
		require.NoError(t, err)
		return v.(skills.Ask).Slot.Key
	}
	one, two := strings.Repeat("0", 64), strings.Repeat("1", 64)
	assert.Equal(t, ask(one), ask(one))
	assert.NotEqual(t, ask(one), ask(two))
}

// An ask is for as many people as a card can hold, and no more.
func TestCheckJudgement_Quorum(t *testing.T) {
	for quorum, ok := range map[uint32]bool{0: true, 1: true, wire.MaxQuorum: true, wire.MaxQuorum + 1: false,
		1 << 31: false} {
		j := &skillpb.Judgement{Verdict: &skillpb.Judgement_Ask{Ask: &skillpb.Ask{Reason: &skillpb.Reason{Text: "sure?"},
			Quorum: quorum}}}
		assert.Equal(t, ok, new(Entry).checkJudgement(j) == nil, quorum)
	}
}

// A skill is admitted under its own name alone.
func TestAdmit_Name(t *testing.T) {
	d := &skillpb.Description{Protocol: skillpb.Protocol, Name: "a"}
	assert.NoError(t, (&Entry{Name: "a"}).admit(d))
	assert.ErrorContains(t, (&Entry{Name: "b"}).admit(d), `it calls itself "a"`)
}

// Three failed answers in a row end a process; a good one in between forgives them.
func TestAnswered_StrikesEndAProcess(t *testing.T) {
	p := new(process)
	v := &supervisor{proc: p, changed: make(chan struct{})}
	for _, good := range []bool{false, false, true, false, false} {
		v.answered(p, good)
		require.False(t, v.ending)
	}
	v.answered(new(process), false) // of a process that has ended
	require.False(t, v.ending)
	v.answered(p, false)
	assert.True(t, v.ending)
}

// answers is a skill without a process.
type answers struct {
	skillpb.SkillClient
	judge func(context.Context, *skillpb.Judgement) *skillpb.Judgement
}

func (a answers) Judge(ctx context.Context, r *skillpb.JudgeRequest, _ ...grpc.CallOption) (*skillpb.Judgement, error) {
	return a.judge(ctx, pass(r)), nil
}

// An answer counts if it is to this question, about this action, in time, and if this
// host knows all that is in it.
func TestJudge_AnswersThatCount(t *testing.T) {
	for what, c := range map[string]struct {
		says   string
		answer func(context.Context, *skillpb.Judgement) *skillpb.Judgement
	}{
		"as asked": {"", func(_ context.Context, j *skillpb.Judgement) *skillpb.Judgement { return j }},
		"another id": {"another question",
			func(_ context.Context, j *skillpb.Judgement) *skillpb.Judgement { j.Id += "0"; return j }},
		"another digest": {"another action",
			func(_ context.Context, j *skillpb.Judgement) *skillpb.Judgement { j.Digest += "0"; return j }},
		"no verdict": {"without a verdict",
			func(_ context.Context, j *skillpb.Judgement) *skillpb.Judgement { j.Verdict = nil; return j }},
		"after the end": {"no answer within",
			func(ctx context.Context, j *skillpb.Judgement) *skillpb.Judgement { <-ctx.Done(); return j }},
		"something new": {"a field 50",
			func(_ context.Context, j *skillpb.Judgement) *skillpb.Judgement { return unknownField(j) }},
		"another clause": {"of the clause two",
			func(_ context.Context, j *skillpb.Judgement) *skillpb.Judgement { return rejects(j, "two") }},
		"its own clause": {"",
			func(_ context.Context, j *skillpb.Judgement) *skillpb.Judgement { return rejects(j, "one") }},
		"the main clause": {"",
			func(_ context.Context, j *skillpb.Judgement) *skillpb.Judgement { return rejects(j, "main") }},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := &process{entry: &Entry{Name: "a", Clauses: []string{"one"}}, skill: answers{judge: c.answer}}
			j, err := p.judge(t.Context(), time.Second, question{action: "x", digest: "d"})
			if c.says == "" {
				assert.NoError(t, err, what)
				assert.NotNil(t, j.GetVerdict(), what)
				return
			}
			assert.ErrorContains(t, err, c.says, what)

		})
	}
}

func unknownField(j *skillpb.Judgement) *skillpb.Judgement {
	j.ProtoReflect().SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, 50, protowire.VarintType), 1))
	return j
}

func rejects(j *skillpb.Judgement, clause string) *skillpb.Judgement {
	j.Verdict = &skillpb.Judgement_Reject{Reject: &skillpb.Reject{Reason: &skillpb.Reason{Clause: clause, Text: "no"}}}
	return j
}

// What an answer amounts to is what the lock grants.
func TestVerdict_RightsAreTheLocks(t *testing.T) {
	allow, rewrite := `(:text "ok" :verdict "allow")`, `(:set (:cmd "x") :text "safer" :verdict "rewrite")`
	granted, bare := &Entry{Name: "a", Grants: []string{"allow", "rewrite"}}, &Entry{Name: "a"}
	v, err := granted.verdict(allow)
	require.NoError(t, err)
	assert.IsType(t, skills.Allow{}, v)
	v, err = granted.verdict(rewrite)
	require.NoError(t, err)
	assert.IsType(t, skills.Rewrite{}, v)
	v, err = bare.verdict(allow)
	require.NoError(t, err)
	assert.IsType(t, skills.Pass{}, v)
	_, err = bare.verdict(rewrite)
	assert.ErrorContains(t, err, "does not grant it that right")
}

// A circuit that is open answers at once, and one that is not waits for a process.
func TestProcess_OfAnOpenCircuit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &supervisor{changed: make(chan struct{})}
		for falls, want := range map[int]error{fallsToOpen - 1: errDown, fallsToOpen: errOpen} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			v.falls = falls
			_, err := v.process(ctx)
			assert.ErrorIs(t, err, want)
			assert.Equal(t, falls < fallsToOpen, ctx.Err() != nil)
		}
	})
}

// A socket counts if it is a Unix socket in the plugin's own folder.
func TestPluginToHost_OwnFolder(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	own, other := filepath.Join(dir, "own"), filepath.Join(dir, "own-too")
	for _, d := range []string{own, other} {
		require.NoError(t, os.Mkdir(d, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(d, "s"), nil, 0o600))
	}
	require.NoError(t, os.Symlink(filepath.Join(other, "s"), filepath.Join(own, "link")))
	for _, c := range []struct {
		network, address string
		ok               bool
	}{
		{"unix", filepath.Join(own, "s"), true}, {"unix", filepath.Join(other, "s"), false},
		{"unix", filepath.Join(own, "link"), false},
		{"tcp", filepath.Join(own, "s"), false}, {"unix", own, false}, {"unix", filepath.Join(own, "none"), false},
	} {
		g := &guest{spec: sandbox.Spec{Dir: own}}
		_, _, err := g.PluginToHost(c.network, c.address)
		assert.Equal(t, c.ok, err == nil, "%+v %v", c, err)
		assert.Equal(t, c.ok, g.socket() != "", "%+v", c)
	}
}
