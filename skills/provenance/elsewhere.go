package provenance

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/fields"
	"github.com/opencortex-go/cortex/skills/provenance/internal/said"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// Elsewhere reports whether a value holds an address, given by a text, on a site that is
// neither the user's nor that of the source which the user handed the task to: neither
// where it was read nor who wrote it. A source without a site, such as a note, is at home
// everywhere, but no effect's host or URL is at home there: what goes out to a host is more
// than a message to somebody.
func (w *View) Elsewhere(v any) (bool, Where, error) {
	x := w.x
	if !x.talk.heard {
		return false, Where{}, Unknown{"the session holds no words of the user"}
	}
	for _, s := range fields.Scalars(v) {
		val := said.New(x.lex.words, s, Object)
		goes := w.roleOf(s) == Net && !w.Tool().Read
		for _, p := range append(val.Shaped(), val.Text) {
			if words.ShapeOf(p) == words.Host && (strings.HasPrefix(val.Text, "/") || words.IsFile(p)) {
				continue // "ground.pdf" in "plans/the ground.pdf"
			}
			if at, ok := w.elsewhere(p, goes); ok {
				return true, at, nil
			}
		}
	}
	return false, Where{}, nil
}

func (w *View) elsewhere(address string, goes bool) (Where, bool) {
	x := w.x
	host := words.SiteOf(address)
	val := said.New(x.lex.words, address, Object)
	if host == "" || val.Empty || x.user.Stands(val).Wanted {
		return Where{}, false
	}
	if o, at, err := w.origin(val, 1); err == nil && o < Prose {
		return at, false
	}
	if found, at, err := w.lookedUp(val, maxChain); found && err == nil && !goes {
		return at, false // it stands in a list of the user's
	}
	home := false
	_, at, err := w.held(val, func(f *field, offset int) bool {
		home = home || w.delegatedField(f, offset) && x.athome(f, host, goes, address)
		return false
	})
	return at, !home || err != nil
}

// athome reports whether a host is that of a field's source: of the call's arguments, of
// a sender, or, unless something goes there, of all if it has none.
func (x *Index) athome(f *field, host string, goes bool, address string) bool {
	s := &x.sources[f.source]
	sites := 0
	at := func(text string) bool {
		h := words.SiteOf(text)
		if h != "" {
			sites++
		}
		return h != "" && (h == host || strings.HasSuffix(host, "."+h) || strings.HasSuffix(h, "."+host))
	}
	for _, a := range s.args {
		named := words.ShapeOf(a) == words.Host && !strings.HasPrefix(a, "www.") // note.txt is a file
		if !named && at(a) {
			return true
		}
	}
	for _, own := range []bool{true, false} { // a record without a site has that of the records around it
		for i := s.first; i < s.end && (own || sites == 0); i++ {
			g := &x.fields[i]
			if (g.record == f.record) == own && (g.kind == fields.Value && at(g.text) || fields.SentFrom(g.text, at)) {
				return true
			}
		}
	}
	if sites > 0 || goes {
		return false
	}
	return !strings.ContainsAny(address, "@:") || x.knownSite(host)
}

// knownSite reports whether a host is one that the session knows from elsewhere than a text
// of somebody: the user's words have it or name it, or a record has an address there.
func (x *Index) knownSite(host string) bool {
	for _, shape := range []words.Shape{words.Email, words.URL, words.Host} {
		for _, a := range x.user.Shapes[shape] {
			if words.SiteOf(a) == host {
				return true
			}
		}
	}
	label, _, _ := strings.Cut(host, ".")
	if !slices.ContainsFunc(strings.Split(label, "-"), func(part string) bool {
		found, _ := x.user.Loose.Has([]string{part})
		return !found || !x.tells(part)
	}) {
		return true
	}
	for i := range x.fields {
		if f := &x.fields[i]; f.kind == fields.Value && strings.Contains(f.text, host) && words.SiteOf(f.text) == host {
			return true
		}
	}
	return false
}
