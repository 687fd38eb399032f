package condition

import (
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// firstTest is the test that a condition begins with, where it compares an
// argument with a fixed text. Of many rules about one tool nearly all fail here,
// and this needs no program.
type firstTest struct{ arg, text string }

const argsPrefix = "action.args."

// firstOf returns the test that a form begins with, nil if it begins otherwise.
func firstOf(v sexpr.Value) *firstTest {
	for v.Len() > 1 && v.Items()[0].IsSym("and") {
		v = v.Items()[1]
	}
	if v.Len() != 3 || !v.Items()[0].IsSym("=") {
		return nil
	}
	name, text := v.Items()[1], v.Items()[2]
	if isName(name) {
		name, text = text, name
	}
	arg, ok := strings.CutPrefix(name.Text(), argsPrefix)
	// A dot may lead further down, or be part of the name.
	if !ok || name.Kind() != sexpr.Symbol || !isName(text) || strings.Contains(arg, ".") {
		return nil
	}
	return &firstTest{arg, text.Text()}
}

// fails reports that the argument is another text, so that the condition does
// not hold. Anything else, such as an absent argument, is for the program.
func (f *firstTest) fails(c *skills.Case) bool {
	if f == nil || c.Action == nil {
		return false
	}
	s, ok := c.Action.Native()[f.arg].(string)
	return ok && s != f.text
}
