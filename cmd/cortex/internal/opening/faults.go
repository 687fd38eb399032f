package opening

import (
	"errors"
	"strings"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/internal/daemon"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Faults shows everything that is wrong with settings or rules. Another error
// comes back.
func Faults(p *console.Console, err error) error {
	var faults daemon.Faults
	if !errors.As(err, &faults) {
		return RulesError(p, err)
	}
	if p.JSON {
		list := []map[string]any{}
		for _, f := range faults {
			list = append(list, map[string]any{"file": f.File, "line": f.Line, "col": f.Col, "message": f.Text})
		}
		return errors.Join(p.Print(map[string]any{"ok": false, "errors": list}), console.Quit(1))
	}
	for _, f := range faults {
		p.Warnf("%s\n", f)
	}
	word := "errors"
	if len(faults) == 1 {
		word = "error"
	}
	p.Warnf("%d %s: nothing is started\n", len(faults), word)
	return console.Quit(1)
}

// RulesError shows why rules do not load: every error with its place, the line,
// and a caret. What is not an error list comes back.
func RulesError(p *console.Console, err error) error {
	var list rules.ErrorList
	if !errors.As(err, &list) {
		return err
	}
	if p.JSON {
		return errors.Join(p.Print(map[string]any{"ok": false, "errors": FaultsOf(list)}), console.Quit(1))
	}
	for _, e := range list {
		Show(p, "", e)
	}
	word := "errors"
	if len(list) == 1 {
		word = "error"
	}
	p.Warnf("%d %s: nothing is loaded\n", len(list), word)
	return console.Quit(1)
}

// Fault is an error or a warning as programs read it.
type Fault struct {
	File    string `json:"file"`
	Line    int32  `json:"line,omitempty"`
	Col     int32  `json:"col,omitempty"`
	Message string `json:"message"`
}

// FaultsOf are errors or warnings as programs read them.
func FaultsOf(list []*rules.Error) []Fault {
	out := make([]Fault, len(list))
	for i, e := range list {
		out[i] = Fault{e.File, e.Pos.Line, e.Pos.Col, e.Msg}
	}
	return out
}

// Show prints an error or a warning with its line and a caret.
func Show(p *console.Console, kind string, e *rules.Error) {
	p.Warnf("%s%v\n", kind, e)
	if caret := e.Caret(); caret != "" {
		line, mark, _ := strings.Cut(caret, "\n")
		p.Warnf("%s\n%s\n", line, console.Paint(p.Err, console.Red, mark))
	}
}
