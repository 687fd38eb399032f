package lint

import (
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// place reports a test of a place that is asked about a path as it is written: an argument, or what a
// command is redirected to. Where its links lead, the test is never asked.
func (w wordLook) place(v, over sexpr.Value) {
	items := v.Items()
	if op := items[0].Text(); op != "under?" && op != "glob-any?" {
		return
	}
	path := items[1]
	switch {
	case path.IsSym("it.target"):
		w.written(v, path, "(redirected it)")
	case path.IsSym("it"):
		if w.isPath(over) {
			w.written(v, over, "(leads "+over.String()+")")
		}
	case w.isPath(path):
		w.written(v, path, "(some (leads "+path.String()+") ("+items[0].Text()+" it ...)), or every")
	}
}

func (w wordLook) written(v, path sexpr.Value, right string) {
	const link = "/workspace/link"
	form := call("under?", sexpr.Str(link), sexpr.Str("/etc"))
	r := w.on(func(t skills.ParamKind) bool { return t == skills.KindPath }, link)
	w.report(v, written, path.String()+" is compared as it is written, wherever its links lead", "go through "+right, r,
		form)
}

// isPath reports whether a form is an argument that a tool of the clause declares as a path.
func (w wordLook) isPath(v sexpr.Value) bool {
	if items := v.Items(); len(items) == 3 && items[0].IsSym("get") {
		v = items[1]
	}
	name, ok := strings.CutPrefix(v.Text(), "action.args.")
	if !ok || v.Kind() != sexpr.Symbol {
		return false
	}
	ways, _ := w.l.ways(w.c.trigger)
	for _, x := range ways {
		tool, declared := w.l.book.Tool(x.tool)
		if !declared {
			continue
		}
		for _, p := range tool.Params {
			if p.Name == name && (p.Type.Kind == skills.KindPath || p.Type.Elem != nil && p.Type.Elem.Kind == skills.KindPath) {
				return true
			}
		}
	}
	return false
}
