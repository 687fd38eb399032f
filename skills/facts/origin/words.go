package origin

import (
	"fmt"
	"strings"
	"sync"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/provenance"
)

// Words is what the questions of one rulebook go by: a lexicon, and what its tools
// declare. The functions are made before the tools are known; [Words.Know] settles them,
// once, before the first question.
type Words struct {
	lexicon *provenance.Lexicon
	tools   []*skills.Tool

	once   sync.Once // of what follows: rules that never ask do not pay for it
	byName map[string]*provenance.Tool
	list   []*provenance.Tool
	name   string
}

// Know settles the lexicon and the tools. A nil lexicon is the one that is built in.
func (w *Words) Know(l *provenance.Lexicon, tools []*skills.Tool) { w.lexicon, w.tools = l, tools }

// ready reads the declarations.
func (w *Words) ready() *Words {
	w.once.Do(func() {
		if w.lexicon == nil {
			w.lexicon = provenance.DefaultLexicon()
		}
		w.byName = make(map[string]*provenance.Tool, len(w.tools))
		var text strings.Builder
		for _, t := range w.tools {
			d := declared(w.lexicon, t)
			w.byName[t.Name], w.list = d, append(w.list, d)
			text.WriteString(t.Definition())
		}
		w.name = fmt.Sprintf("origin/%d %s %s", provenance.Version, w.lexicon.Digest(),
			sexpr.DigestText("cortex/tools/1", text.String()))
	})
	return w
}

// Version names how sessions are read and what the built-in words are. It is part of the
// function set's version.
func Version() string {
	return fmt.Sprintf("origin/%d %s", provenance.Version, sexpr.DigestText("cortex/lexicon/1", provenance.English()))
}

// tool finds what is declared of a tool; of an undeclared tool, what its name
// suggests.
func (w *Words) tool(name string) *provenance.Tool {
	if t := w.byName[name]; t != nil {
		return t
	}
	d := w.lexicon.Draft(name, "", nil)
	return &d
}
