package lsp

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/lsp/index"
	"github.com/opencortex-go/cortex/skills/rules"
)

// found is a mention, and the text that it stands in.
type found struct {
	index.Mention
	doc *doc
}

// defined returns where a name is defined, in a text and around it.
func (s *Server) defined(d *doc, name index.Name) []found {
	return slices.DeleteFunc(s.mentions(d, name), func(f found) bool { return !f.Defines })
}

// mentions returns every place that names something, in a text and around it. A local
// name stands in its text alone.
func (s *Server) mentions(d *doc, name index.Name) []found {
	docs := []*doc{d}
	if name.Kind != index.Local {
		docs = s.files.around(d, s.empty)
	}
	var out []found
	for _, at := range docs {
		for _, m := range at.Mentions {
			if m.Matches(name) && !slices.ContainsFunc(out, func(f found) bool { return f.doc == at && f.From == m.From }) {
				out = append(out, found{m, at})
			}
		}
	}
	return out
}

func (f found) location() location { return location{f.doc.uri, f.doc.text.span(f.From, f.To)} }

// definition says where the name at a place is defined; for an include, the file.
func (s *Server) definition(d *doc, p place) (any, error) {
	m, ok := d.At(d.text.offset(p.Position))
	if !ok {
		return nil, nil
	}
	if m.Kind == index.Included {
		path := filepath.Join(filepath.Dir(d.path), filepath.FromSlash(m.Name.Name))
		if in := s.files.file(path, s.empty); in != nil {
			return []location{{in.uri, span{}}}, nil
		}
		return nil, nil
	}
	out := []location{}
	for _, f := range s.defined(d, m.Name) {
		out = append(out, f.location())
	}
	return places(out), nil
}

// references lists every place that names what the place names.
func (s *Server) references(d *doc, p place) (any, error) {
	m, ok := d.At(d.text.offset(p.Position))
	if !ok {
		return nil, nil
	}
	out := []location{}
	for _, f := range s.mentions(d, m.Name) {
		if !f.Defines || p.Context.IncludeDeclaration {
			out = append(out, f.location())
		}
	}
	return places(out), nil
}

// prepareRename says whether the name at a place can be given another.
func (s *Server) prepareRename(d *doc, p place) (any, error) {
	m, ok := d.At(d.text.offset(p.Position))
	if !ok || m.Kind == index.Included || len(s.defined(d, m.Name)) == 0 {
		return nil, nil
	}
	return prepared{d.text.span(m.From, m.To), m.Name.Name}, nil
}

// rename gives a name to something wherever it is named. If the rules load now, they must
// load afterwards.
func (s *Server) rename(d *doc, p place) (any, error) {
	m, ok := d.At(d.text.offset(p.Position))
	if !ok || m.Kind == index.Included {
		return nil, errors.New("nothing here has a name that a rule file gives")
	}
	if len(s.defined(d, m.Name)) == 0 {
		return nil, fmt.Errorf("the %s %s is not defined in these files, so it keeps its name", m.Kind, m.Name.Name)
	}
	if err := s.fit(d, m.Name, p.NewName); err != nil {
		return nil, err
	}
	edits := workspaceEdit{Changes: map[string][]textEdit{}}
	after := map[*doc]string{}
	mentions := s.mentions(d, m.Name)
	slices.SortFunc(mentions, func(a, b found) int { return b.From - a.From }) // from the end of each text
	for _, f := range mentions {
		spelled, err := f.Spell(p.NewName)
		if err != nil {
			return nil, err
		}
		edits.Changes[f.doc.uri] = append(edits.Changes[f.doc.uri], textEdit{f.location().Range, spelled})
		if _, begun := after[f.doc]; !begun {
			after[f.doc] = f.doc.text.src
		}
		after[f.doc] = after[f.doc][:f.From] + spelled + after[f.doc][f.To:]
	}
	if err := s.stillLoads(d, after); err != nil {
		return nil, err
	}
	return edits, nil
}

// fit says why a name cannot be given to what has another one.
func (s *Server) fit(d *doc, old index.Name, name string) error {
	const others = "-_."
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(others, r) ||
			r == '?' && (old.Kind == index.Condition || old.Kind == index.Local)
	}
	dotted := strings.Contains(name, ".") && (old.Kind == index.List || old.Kind == index.Param || old.Kind == index.Local)
	unfit := strings.ContainsFunc(name, func(r rune) bool { return !plain(r) }) && old.Kind != index.Tool
	switch {
	case name == "" || unfit || dotted:
		return fmt.Errorf("%q is not fit for a %s: letters, digits and %s alone", name, old.Kind, others)
	case name == old.Name:
		return fmt.Errorf("it is named %s already", name)
	}
	renamed := index.Name{Kind: old.Kind, Name: name, Of: old.Of}
	if old.Kind != index.Local && old.Kind != index.Budget && len(s.mentions(d, renamed)) > 0 {
		return fmt.Errorf("there is a %s %s already", old.Kind, name)
	}
	if old.Kind == index.Local && slices.ContainsFunc(d.Mentions, func(m index.Mention) bool {
		return m.Name.Name == name && (m.Kind == index.Local || m.Kind == index.List)
	}) {
		return fmt.Errorf("%s stands for something else in this file", name)
	}
	if old.Kind == index.List || old.Kind == index.Condition || old.Kind == index.Local {
		if slices.Contains(s.empty.Names(), name) {
			return fmt.Errorf("%s is built in", name)
		}
	}
	return nil
}

// stillLoads loads the rules of a text with others in the place of some texts. If they do
// not load, and did before, that is an error.
func (s *Server) stillLoads(d *doc, after map[*doc]string) error {
	if d.path == "" {
		return nil
	}
	before := s.files.all()
	docs := slices.Clone(before)
	for was, src := range after {
		now := *was
		now.text = newText(src)
		docs = append(slices.DeleteFunc(docs, func(x *doc) bool { return x.path == was.path }), &now)
	}
	_, err := s.options.Loader.Load(s.checks.roots(d, docs)...)
	var list rules.ErrorList
	if !errors.As(err, &list) {
		return err
	}
	if _, err := s.options.Loader.Load(s.checks.roots(d, before)...); err != nil {
		return nil // they do not load as it is
	}
	return fmt.Errorf("then the rules would not load: %w", list[0])
}
