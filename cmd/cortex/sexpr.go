package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/lines"
	"github.com/opencortex-go/cortex/sexpr"
)

// sexprCmd reads one form a line from stdin and prints one result a line. A bad
// form prints "error LINE:COL: ..." on its line; then the exit code is 1.
type sexprCmd struct {
	Fmt    sexprFmt    `cmd:"" help:"Print each form on one line, its order kept."`
	JSON   sexprJSON   `cmd:"" name:"json" help:"Print each form as JSON."`
	Digest sexprDigest `cmd:"" help:"Print the digest of each form."`
}

type (
	sexprFmt    struct{}
	sexprJSON   struct{}
	sexprDigest struct{}
)

// Run prints each form on one line; reading it again gives the same value.
func (sexprFmt) Run(p *program) error { return p.eachForm(sexpr.Print) }

// Run prints each form as JSON; what has no JSON is an error.
func (sexprJSON) Run(p *program) error {
	return p.eachForm(func(v sexpr.Value) (string, error) {
		text, err := sexpr.ToJSON(v)
		return string(text), err
	})
}

// Run prints the SHA-256 of each form's canonical text.
func (sexprDigest) Run(p *program) error {
	return p.eachForm(func(v sexpr.Value) (string, error) {
		d, err := sexpr.DigestOf(v)
		return d.String(), err
	})
}

// eachForm applies f to the form on each line of stdin. A line gives a line,
// whatever stands on it.
func (p *program) eachForm(f func(sexpr.Value) (string, error)) error {
	in, out, bad := lines.New(p.In), bufio.NewWriter(p.Out), false
	for {
		line, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		var text string
		switch {
		case errors.Is(err, lines.ErrTooLong):
		case err != nil:
			return errors.Join(err, out.Flush())
		default:
			var v sexpr.Value
			if v, err = sexpr.Read("", string(line)); err == nil {
				text, err = f(v)
			}
		}
		bad = bad || err != nil
		if err := p.formLine(out, in.Count(), text, err); err != nil {
			return err
		}
		if in.Waiting() {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if bad {
		return quit(exitError)
	}
	return nil
}

// formLine prints the result for line n of stdin, or what is wrong with it.
func (p *program) formLine(out io.Writer, n int, text string, bad error) error {
	if p.JSON {
		q := *p
		q.Out = out
		if bad != nil {
			line, col, msg := formError(n, bad)
			return q.Print(map[string]any{"error": msg, "line": line, "col": col})
		}
		return q.Print(map[string]any{"result": text})
	}
	if bad != nil {
		line, col, msg := formError(n, bad)
		text = fmt.Sprintf("error %d:%d: %s", line, col, msg)
	}
	_, err := io.WriteString(out, text+"\n")
	return err
}

// formError says where in stdin a form is bad, and what is wrong, on one line.
func formError(n int, err error) (line, col int, msg string) {
	line, col, msg = n, 1, err.Error()
	var at *sexpr.Error
	if errors.As(err, &at) {
		msg = at.Msg
		if at.Pos.Line > 0 {
			line, col = n-1+int(at.Pos.Line), int(at.Pos.Col)
		}
	}
	return line, col, strings.ReplaceAll(msg, "\n", " ")
}
