package facts

import (
	"fmt"

	"github.com/opencortex-go/cortex/skills/facts/internal/glob"
)

// Unknown stands for a value that exists but cannot be told from the action and
// the facts, such as $X in a shell word. Reading it is an error. As the last
// element of a list it means that the list goes on, nobody knows how: anyone who
// gets that far has met an unknown element.
type Unknown struct {
	Why string // "the value of $X", for the reason that the model sees
}

// Error says what is not known. It is the error of reading it.
func (u Unknown) Error() string { return u.Why + " cannot be told from here" }

// Word is a string whose meaning as a path is not its text taken from
// facts.env.cwd, such as a relative operand after cd. Every read but under? and
// glob-any? sees the text alone.
type Word struct {
	Text  string
	globs []string // the paths it may be: absolute or with ~, globs, escaped
	dirs  []string // the folders that it may start from
}

// Pattern is a shell word that stands for names which the text does not tell: it
// has an unquoted * ? or [, or braces. Only under? and glob-any? can judge it; any
// other read is an error, as of [Unknown].
type Pattern struct {
	Text  string
	globs []glob.Subject // shared by all copies, so that each glob is read once
	one   bool           // stands for one operand, whichever

	search bool // stands for what a search finds
}

// Several reports whether a pattern may become any number of operands, so that a
// list with it has no known length.
func (p Pattern) Several() bool { return !p.one }

// Read returns a value as conditions read it: the text of a [Word], an error
// for [Unknown] and [Pattern], and anything else as it is.
func Read(v any) (any, error) {
	switch v := v.(type) {
	case Unknown:
		return nil, v
	case Pattern:
		return nil, Unknown{fmt.Sprintf("what %q matches", v.Text)}
	case Word:
		return v.Text, nil
	}
	return v, nil
}
