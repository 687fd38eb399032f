package lsp

import (
	"context"
	"fmt"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/lsp/index"
	"github.com/opencortex-go/cortex/skills/rules/layout"
)

// lenses say, above each clause and invariant, how often it fired.
func (s *Server) lenses(d *doc, _ place) (any, error) {
	out := []codeLens{}
	for _, m := range d.Mentions {
		if said := s.fired(m); said != "" {
			out = append(out, codeLens{d.text.span(m.From, m.To), lensCommand{Title: said}})
		}
	}
	return out, nil
}

// fired says how often a clause or invariant that is defined here fired, "" for what else
// there is, and where no record is read.
func (s *Server) fired(m index.Mention) string {
	if s.options.Record == nil || !m.Defines || m.Kind != index.Clause && m.Kind != index.Invariant {
		return ""
	}
	key := "invariant/" + m.Name.Name
	if m.Kind == index.Clause {
		key = m.Of + "/" + m.Name.Name
	}
	counts, decisions, whole := s.options.Record.Fired()
	more := ""
	if !whole {
		more = " so far"
	}
	return fmt.Sprintf("fired in %d of %d decisions%s", counts[key], decisions, more)
}

// count reads the record, and has the client draw the lenses again when they change.
func (s *Server) count(ctx context.Context, conn *jsonrpc2.Conn) {
	err := s.options.Record.Read(ctx, func() {
		s.mu.Lock()
		refresh := s.refresh
		s.mu.Unlock()
		if refresh {
			_ = conn.Call(ctx, "workspace/codeLens/refresh", nil, nil) // a client that left draws none
		}
	})
	if err != nil && ctx.Err() == nil {
		_ = conn.Notify(ctx, "window/showMessage", map[string]any{"type": severityWarning, // likewise
			"message": "cortex lsp: the record cannot be read: " + err.Error()})
	}
}

// format lays the text out in the one style: one edit of all of it, or none.
func (s *Server) format(d *doc, _ place) (any, error) {
	out, err := layout.Format(d.name(), d.text.src)
	if err != nil {
		return nil, err
	}
	if out == d.text.src {
		return []textEdit{}, nil
	}
	return []textEdit{{d.text.whole(), out}}, nil
}

// outline lists what the text defines; a skill has its clauses below it.
func (s *Server) outline(d *doc, _ place) (any, error) {
	kinds := map[index.Kind]int{
		index.Tool: symbolFunction, index.List: symbolArray, index.Skill: symbolClass, index.Clause: symbolEvent,
		index.Invariant: symbolConstant, index.Models: symbolConstant, index.Condition: symbolFunction,
	}
	out := []documentSymbol{}
	for _, m := range d.Mentions {
		kind, ok := kinds[m.Kind]
		if !ok || !m.Defines || m.Name.Name == "" {
			continue
		}
		symbol := documentSymbol{
			Name: m.Name.Name, Detail: m.Whole.Head(d.text.src), Kind: kind,
			Range: d.text.span(m.Whole.From, m.Whole.To), SelectionRange: d.text.span(m.From, m.To),
		}
		if n := len(out); m.Kind == index.Clause && n > 0 && out[n-1].Name == m.Of {
			out[n-1].Children = append(out[n-1].Children, symbol)
		} else {
			out = append(out, symbol)
		}
	}
	return out, nil
}
