package reason

import (
	"errors"

	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/reason/internal/foreign"
	"github.com/opencortex-go/cortex/sexpr"
)

// lookupDomain separates the digest of a look-up's argument from other hashes.
const lookupDomain = "cortex/lookup/1"

// Lookup is one answer from outside the process that a decision rests on. The
// argument, which may be anything in an action, is kept by its digest alone.
type Lookup struct {
	Function string
	Argument sexpr.Digest
	Result   string
	Error    string // why there was none
}

// LookupArgument is the digest by which a look-up's argument is kept.
func LookupArgument(argument string) sexpr.Digest { return sexpr.DigestText(lookupDomain, argument) }

// Recorded answers look-ups as they were answered before, and errs for every
// other one: a replay looks nothing up.
func Recorded(lookups []Lookup) func(function, argument string) (string, error) {
	return func(function, argument string) (string, error) {
		l, ok := find(lookups, function, LookupArgument(argument))
		if !ok {
			return "", errors.New("this look-up is not on record")
		}
		return l.answer()
	}
}

func (l Lookup) answer() (string, error) {
	if l.Error != "" {
		return "", errors.New(l.Error)
	}
	return l.Result, nil
}

func find(lookups []Lookup, function string, argument sexpr.Digest) (Lookup, bool) {
	for _, l := range lookups {
		if l.Function == function && l.Argument == argument {
			return l, true
		}
	}
	return Lookup{}, false
}

// lookup asks outside once for each question, and notes what it was told: all
// gates of a decision see the same answer.
func (r *run) lookup(function, argument string) (string, error) {
	digest := LookupArgument(argument)
	if l, ok := find(r.d.Lookups, function, digest); ok {
		return l.answer()
	}
	l := Lookup{Function: function, Argument: digest}
	result, err := r.req.Lookup(function, argument)
	if err != nil {
		l.Error = foreign.Clip(err.Error(), foreign.MaxText)
	} else {
		l.Result = result
	}
	r.d.Lookups = append(r.d.Lookups, l)
	return l.answer()
}

func lookupValue(l Lookup) sexpr.Value {
	var b plist.Builder
	b.Text("function", l.Function)
	b.Digest("argument", l.Argument)
	b.Text("result", l.Result)
	b.Text("error", l.Error)
	return b.Done()
}

func decodeLookups(r plist.Reader) []Lookup {
	var out []Lookup
	for _, x := range r.List("lookups") {
		out = append(out, Lookup{Function: x.Text("function"), Argument: x.Digest("argument"), Result: x.Text("result"),
			Error: x.Text("error")})
	}
	return out
}
