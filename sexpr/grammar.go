package sexpr

import (
	"io"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar: a document is the data in it. participle drives; the form lexer
// hands it one whole top-level form as one token, because a grammar that went
// down to atoms would recurse as deep as the text nests (and be many times
// slower). As a field, forms keeps the positions of its errors; as the root it
// would not.
type document struct {
	Forms *forms `parser:"@@"`
}

// forms is the production that builds values out of form tokens.
type forms struct{ values []Value }

const formToken lexer.TokenType = 1

var grammar = sync.OnceValue(func() *participle.Parser[document] {
	return participle.MustBuild[document](participle.Lexer(definition{}))
})

// parse runs the grammar over the forms of one text.
func parse(l *formLexer) ([]Value, error) {
	tokens, err := lexer.Upgrade(l)
	if err != nil {
		return nil, asError(err)
	}
	doc, err := grammar().ParseFromLexer(tokens)
	if err != nil {
		return nil, asError(err)
	}
	return doc.Forms.values, nil
}

// Parse implements participle's Parseable.
func (f *forms) Parse(tokens *lexer.PeekingLexer) error {
	b := builders.Get().(*builder)
	defer b.release()
	for t := tokens.Next(); !t.EOF(); t = tokens.Next() {
		base := Pos{Line: int32(t.Pos.Line), Col: int32(t.Pos.Column)}
		v, fault := b.form(t.Value, base)
		if fault != nil {
			return fault.locate(t.Pos.Filename, t.Value, base)
		}
		f.values = append(f.values, v)
	}
	return nil
}

// definition is participle's lexer definition for building the grammar. Texts are
// read through [parse], which has limits of its own.
type definition struct{}

func (definition) Symbols() map[string]lexer.TokenType {
	return map[string]lexer.TokenType{"EOF": lexer.EOF, "Form": formToken}
}

func (definition) Lex(file string, r io.Reader) (lexer.Lexer, error) {
	limits := Limits{}.orDefaults()
	src, err := io.ReadAll(io.LimitReader(r, int64(limits.Bytes)+1))
	if err != nil {
		return nil, err
	}
	return newFormLexer(file, string(src), limits, false), nil
}
