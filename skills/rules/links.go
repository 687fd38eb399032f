package rules

import (
	"errors"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

var errNotGiven = errors.New("the example does not say")

// links reads :links of an example: where symbolic links lead, as pairs of paths. The
// result answers as the host would if there were these links and no others.
func (d *definitions) links(f *fields) func(function, argument string) (string, error) {
	list, ok := f.get("links")
	if !ok {
		return nil
	}
	pairs := list.Items()
	for _, p := range pairs {
		if p.Len() != 2 || p.Items()[0].Kind() != sexpr.String || p.Items()[1].Kind() != sexpr.String ||
			!strings.HasPrefix(p.Items()[0].Text(), "/") || !strings.HasPrefix(p.Items()[1].Text(), "/") {
			f.fault("links", `pairs of whole paths such as (("/w/notes.txt" "/etc/passwd"))`)
			return nil
		}
	}
	return func(function, argument string) (string, error) {
		if function != "realpath" {
			return "", errNotGiven
		}
		for _, p := range pairs {
			from, to := p.Items()[0].Text(), p.Items()[1].Text()
			if rest, ok := strings.CutPrefix(argument, from); ok && (rest == "" || rest[0] == '/') {
				return to + rest, nil
			}
		}
		return argument, nil
	}
}
