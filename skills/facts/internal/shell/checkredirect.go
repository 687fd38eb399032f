package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirect takes < > >> >| <> to one plain word, n>&m, and here-documents.
func (p *plain) redirect(r *syntax.Redirect) error {
	if r.N != nil && (len(r.N.Value) != 1 || r.N.Value[0] < '0' || r.N.Value[0] > '9') {
		return p.off(rRedirect, r.Pos())
	}
	switch r.Op {
	case syntax.RdrIn, syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrInOut:
		if p.numberGlob(r) {
			return p.off(rNumberGlob, r.OpPos)
		}
		return p.word(r.Word, asTarget)
	case syntax.DplIn, syntax.DplOut:
		to := r.Word.Lit()
		if r.Word.Pos().Offset() != r.OpPos.Offset()+2 || len(to) != 1 || to != "-" && (to[0] < '0' || to[0] > '9') {
			return p.off(rRedirectAll, r.OpPos)
		}
		if !strings.ContainsRune(" \t\n;&|<>)`", rune(p.at(r.Word.End().Offset()))) {
			return p.off(rRedirect, r.OpPos)
		}
		return nil
	case syntax.Hdoc:
		return p.hereDoc(r)
	case syntax.WordHdoc:
		return p.off(rHereString, r.OpPos)
	case syntax.RdrAll, syntax.AppAll:
		return p.off(rRedirectAll, r.OpPos)
	}
	return p.off(rHere, r.OpPos)
}

// numberGlob reports whether zsh would take <1-5> for a pattern.
func (p *plain) numberGlob(r *syntax.Redirect) bool {
	rest := strings.TrimLeft(p.src[r.OpPos.Offset()+1:], "0123456789")
	return r.Op == syntax.RdrIn && strings.HasPrefix(rest, "-") &&
		strings.HasPrefix(strings.TrimLeft(rest[1:], "0123456789"), ">")
}

// hereDoc takes <<END and <<'END' where END is a plain word, and what follows the
// text is a line with that word alone.
func (p *plain) hereDoc(r *syntax.Redirect) error {
	p.heres++
	end, quoted := "", false
	if len(r.Word.Parts) == 1 {
		switch d := r.Word.Parts[0].(type) {
		case *syntax.Lit:
			if end = d.Value; d.ValueEnd.Offset()-d.ValuePos.Offset() != uint(len(end)) {
				end = ""
			}
		case *syntax.SglQuoted:
			end, quoted = d.Value, true
			if d.Dollar {
				end = ""
			}
		case *syntax.DblQuoted:
			quoted = true
			if len(d.Parts) == 1 && !d.Dollar {
				if l, ok := d.Parts[0].(*syntax.Lit); ok {
					end = l.Value
				}
			}
		}
	}
	if end == "" || p.back || strings.Trim(end, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return p.off(rHere, r.OpPos)
	}
	if r.Hdoc == nil || len(r.Hdoc.Parts) == 0 {
		return p.off(rHere, r.OpPos)
	}
	// The parser ends the text with the line of the delimiter.
	start, stop := r.Hdoc.Pos().Offset(), r.Hdoc.End().Offset()
	text, found := strings.CutSuffix(p.src[start:stop], "\n"+end)
	if !found || p.at(start-1) != '\n' || p.at(stop) != '\n' || strings.HasPrefix(text+"\n", end+"\n") ||
		strings.Contains(text, "\n"+end+"\n") {
		return p.off(rHere, r.OpPos)
	}
	if quoted {
		return nil
	}
	if strings.ContainsAny(text, "\\`") {
		return p.off(rHere, r.OpPos)
	}
	for _, part := range r.Hdoc.Parts {
		if l, ok := part.(*syntax.Lit); ok {
			if i := strings.IndexByte(l.Value, '$'); i >= 0 {
				return p.off(rDollar, r.OpPos)
			}
			continue
		}
		if err := p.expansion(part); err != nil {
			return err
		}
	}
	return nil
}
