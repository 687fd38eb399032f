package author_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/reason/author"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/provenance"
)

const toolLists = "../../testdata/toollists"

// labelled is what somebody who saw no rule says of a tool.
type labelled struct {
	Server, Tool, Effect string
	Classes              []string
	Args                 map[string]string
}

// scored counts how often drafts agree with labels.
type scored struct {
	tools, changes int
	missed         int // changes drafted as reads: holes
	doubted        int // reads drafted as changes: questions
	unseen, feared int // changes without, or with too much of, what pays, grants or destroys
	unheard, heard int // the same of telling somebody
	unknown        int // changes drafted as running something, as those of unknown verbs are
	strong, weak   int // arguments labelled as strong, and drafted as weak
	all, strict    int // arguments labelled as weak, and drafted as strong
}

var strongRoles = []string{"principal", "net", "secret", "permission", "code"}

// The tools of some lists were looked at when drafts were made better; of a quarter only the counts. No count may get
// worse.
func TestDraftsOfLabelledTools(t *testing.T) {
	drafts := map[string]map[string]*skills.Tool{}
	halves := map[bool]*scored{true: {}, false: {}}
	file, err := os.Open(filepath.Join(toolLists, "labels.jsonl"))
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var l labelled
		require.NoError(t, json.Unmarshal(lines.Bytes(), &l))
		if drafts[l.Server] == nil {
			drafts[l.Server] = declared(t, l.Server)
		}
		if l.Tool == skills.ReplyTool {
			continue // which a draft leaves out: it is Cortex's own
		}
		d := drafts[l.Server][l.Tool]
		require.NotNil(t, d, "%s %s", l.Server, l.Tool)
		develop := sha256.Sum256([]byte(l.Server))[31]%4 != 1
		for _, why := range halves[develop].judge(l, d) {
			if develop {
				t.Log(l.Server, l.Tool, why)
			}
		}
	}
	for develop, most := range map[bool]scored{
		true:  {tools: 301, missed: 3, doubted: 13, unseen: 8, feared: 7, weak: 25, strict: 18},
		false: {tools: 131, missed: 2, doubted: 6, unseen: 11, feared: 4, weak: 13, strict: 30},
	} {
		s := halves[develop]
		t.Logf("looked at: %v %+v", develop, *s)
		assert.Equal(t, most.tools, s.tools)
		for what, n := range map[string][2]int{
			"changes drafted as reads": {s.missed, most.missed}, "reads drafted as changes": {s.doubted, most.doubted},
			"stakes not seen": {s.unseen, most.unseen}, "stakes where there are none": {s.feared, most.feared},
			"strong arguments drafted as weak": {s.weak, most.weak}, "weak ones as strong": {s.strict, most.strict},
		} {
			assert.LessOrEqual(t, n[0], n[1], "looked at %v: %s", develop, what)
		}
	}
}

// declared drafts a list's tools.
func declared(t *testing.T, server string) map[string]*skills.Tool {
	data, err := os.ReadFile(filepath.Join(toolLists, server+".json"))
	require.NoError(t, err)
	var all map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(data, &all))
	list := data
	if inner, ok := all[server]; ok {
		list = inner
	}
	text, err := author.Declare(provenance.DefaultLexicon(), server+".json", list)
	require.NoError(t, err)
	return load(t, text)
}

// judge compares one draft with its label, and says where they differ.
func (s *scored) judge(l labelled, d *skills.Tool) (why []string) {
	count := func(n *int, format string, args ...any) {
		*n++
		why = append(why, fmt.Sprintf(format, args...))
	}
	s.tools++
	read := d.Effect == skills.EffectNone
	if l.Effect == "read" {
		if !read {
			count(&s.doubted, "DOUBTED: a read, drafted as %v", d.Classes)
		}
		return why
	}
	s.changes++
	if read {
		count(&s.missed, "MISSED: %v drafted as a read", l.Classes)
		return why
	}
	grave := func(classes []string) bool {
		return slices.ContainsFunc(classes, func(c string) bool { return c == "pay" || c == "grant" || c == "delete" })
	}
	switch want, got := grave(l.Classes), grave(d.Classes); {
	case want && !got:
		count(&s.unseen, "UNSEEN: %v drafted as %v", l.Classes, d.Classes)
	case got && !want:
		count(&s.feared, "FEARED: %v drafted as %v", l.Classes, d.Classes)
	}
	switch want, got := slices.Contains(l.Classes, "comm"), slices.Contains(d.Classes, "comm"); {
	case want && !got:
		count(&s.unheard, "UNHEARD: %v drafted as %v", l.Classes, d.Classes)
	case got && !want:
		count(&s.heard, "HEARD: %v drafted as %v", l.Classes, d.Classes)
	}
	if slices.Contains(d.Classes, "run") && !slices.Contains(l.Classes, "run") {
		count(&s.unknown, "UNKNOWN: %v drafted as %v", l.Classes, d.Classes)
	}
	for name, role := range l.Args {
		got := d.Roles[name]
		if got == "" {
			got = "none"
		}
		strong := slices.Contains(strongRoles, got) || got == "none"
		if slices.Contains(strongRoles, role) {
			if s.strong++; !strong {
				count(&s.weak, "WEAK :%s %s drafted as %s", name, role, got)
			}
		} else if s.all++; strong && role != "other" {
			count(&s.strict, "STRICT :%s %s drafted as %s", name, role, got)
		}
	}
	slices.SortFunc(why, strings.Compare)
	return why
}
