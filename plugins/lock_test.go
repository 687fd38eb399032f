package plugins

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	skillpb "github.com/opencortex-go/cortex/plugins/proto"
)

func described(more ...func(*skillpb.Description)) *skillpb.Description {
	d := &skillpb.Description{Protocol: skillpb.Protocol, Name: "a", Release: "1", Priority: 7,
		Rights: []skillpb.Right{skillpb.Right_RIGHT_ALLOW}}
	for _, f := range more {
		f(d)
	}
	return d
}

// Anyone who asks for more than last time waits for a person; what a person has
// decided or set stands; the plugin's own priority is a wish at first and nothing
// later.
func TestAskingForMoreWaitsForAPerson(t *testing.T) {
	l := &Lock{Version: 1}
	program := Entry{Path: "a", SHA256: strings.Repeat("0", 64)}
	require.NoError(t, l.Add(program, described()))
	e, _ := l.Entry("a")
	assert.Equal(t, []string{"allow"}, e.Pending)
	assert.Equal(t, 7, e.Priority)
	assert.Error(t, e.ready())
	require.NoError(t, l.Agree("a"))
	assert.Equal(t, []string{"allow"}, e.Grants)
	require.NoError(t, e.ready())
	require.NoError(t, e.admit(described()))

	e.Priority, e.Deadline = 1, "20ms"
	more := described(func(d *skillpb.Description) {
		d.Priority, d.Sees, d.Rights = 1000, []skillpb.Sight{skillpb.Sight_SIGHT_TURNS}, append(d.Rights,
			skillpb.Right_RIGHT_REWRITE)
	})
	assert.ErrorContains(t, e.admit(more), "it asks for rewrite, turns, and no person has agreed")
	program.SHA256 = strings.Repeat("1", 64)
	require.NoError(t, l.Add(program, more))
	e, _ = l.Entry("a")
	assert.Equal(t, []string{"rewrite", "turns"}, e.Pending)
	assert.Equal(t, []string{"allow"}, e.Grants)
	assert.Equal(t, 1, e.Priority)
	assert.Equal(t, "20ms", e.Deadline)
	require.NoError(t, l.Agree("a", "rewrite"))
	assert.Equal(t, []string{"allow", "turns"}, e.Grants)
	assert.Equal(t, []string{"rewrite"}, e.Refuses)
	require.NoError(t, e.admit(more), "what was refused was decided")
	require.NoError(t, l.Add(program, more))
	assert.Empty(t, e.Pending)
	assert.ErrorContains(t, l.Agree("b"), `no skill "b"`)

	// Other tools are another right.
	tools := func(form string) *skillpb.Description {
		return described(func(d *skillpb.Description) {
			d.Rights, d.Tools = append(d.Rights, skillpb.Right_RIGHT_TOOLS), []string{form}
		})
	}
	require.NoError(t, l.Add(program, tools("(deftool x)")))
	require.NoError(t, l.Agree("a"))
	require.NoError(t, l.Add(program, tools("(deftool y)")))
	e, _ = l.Entry("a")
	assert.Equal(t, []string{"tools"}, e.Pending)
}

func TestLocksThatAreRefused(t *testing.T) {
	entry := "version = 1\n[[skill]]\nname = 'a'\npath = 'a'\nprotocol = 1\npriority = 1\nsha256 = '" +
		strings.Repeat("0", 64) + "'\n"
	_, err := ParseLock(entry)
	require.NoError(t, err)
	for text, says := range map[string]string{
		"version = 2":                             "version 2, and this program reads version 1",
		"":                                        "version 0",
		"version = 1\nwho = 1":                    "who",
		entry + "allow = true":                    "allow",
		entry + "grants = ['everything']":         `"everything" is neither a right nor a part of the facts`,
		entry + "deadline = '1h'":                 "deadline",
		entry + "deadline = 'soon'":               "deadline",
		entry + "transport = 'tcp'":               `transport "tcp"`,
		entry + "memory = -1":                     "memory",
		entry + "clauses = ['No']":                `clause "No"`,
		entry + entry[len("version = 1\n"):]:      `skill "a" stands there twice`,
		strings.Replace(entry, "'a'", "'A b'", 1): "the name is not like shell-guard",
		strings.Replace(entry, "path = 'a'", "path = ''", 1): "no path",
		strings.Replace(entry,
			"protocol = 1", "protocol = 2", 1): "it speaks protocol 2 of cortex.skill.v1, and this host speaks 1",
		strings.Replace(entry, "000'", "00'", 1): "expected 64 hex digits",
	} {
		_, err := ParseLock(text)
		assert.ErrorContains(t, err, says, text)
	}
}

// A lock is written whole or not at all, and read as it was written.
func TestALockIsReadAsItWasWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), LockFile)
	l, err := ReadLock(path)
	require.NoError(t, err)
	assert.Empty(t, l.Skills)
	require.NoError(t,
		l.Add(Entry{Path: "a", SHA256: strings.Repeat("0", 64), Env: map[string]string{"A": "b"}}, described()))
	require.NoError(t, l.Write(path))
	again, err := ReadLock(path)
	require.NoError(t, err)
	assert.Equal(t, l.Text(), again.Text())
	l.Skills[0].Name = "No Name"
	require.Error(t, l.Write(path))
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, left, 1)
}

// A lock file is read by anyone who starts a daemon: nothing in it may end one.
func FuzzParseLock(f *testing.F) {
	f.Add("version = 1\n[[skill]]\nname = 'a'\n")
	f.Add("version = 1\n[[skill]]\nname = 'a'\npath = 'a'\nprotocol = 1\npriority = 1\nsha256 = '" +
		strings.Repeat("0", 64) + "'\n")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := ParseLock(text)
		if err != nil {
			return
		}
		again, err := ParseLock(l.Text())
		require.NoError(t, err)
		assert.Equal(t, l.Text(), again.Text())
	})
}
