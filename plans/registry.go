package plans

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/plans/packs"
	"github.com/opencortex-go/cortex/plans/source"
	"github.com/opencortex-go/cortex/sexpr"
)

// Registry is what workflows may name: contracts, snippets, features, capabilities and
// templates. The host fills it before the first compile; a workflow cannot add to it.
type Registry struct {
	contracts    map[string]Contract
	refs         map[string]string
	features     map[string]feature
	capabilities map[string]string // the prompt of the step that finds out
	templates    map[string]*source.Workflow
}

// pack is the notation of packs.
type pack struct {
	Contracts []struct {
		ID           source.Text   `is:"id" need:"y"`
		Kind         source.Text   `is:"kind" need:"y"`
		Schema       source.Data   `is:"schema" need:"y"`
		Requirements []source.Text `is:"requirements"`
		Example      source.Data   `is:"example" need:"y"`
	} `is:"contracts"`
	Refs []struct {
		ID   source.Text `is:"id" need:"y"`
		Text source.Text `is:"text" need:"y" len:"1..4096"`
	} `is:"refs"`
	Features     []feature `is:"features"`
	Capabilities []struct {
		Name  source.Text `is:"name" need:"y" form:"id"`
		Probe source.Text `is:"probe" need:"y"`
	} `is:"capabilities"`
}

// feature adds to the blocks of every prompt.
type feature struct {
	ID          source.Text    `is:"id" need:"y"`
	Config      source.Bool    `is:"config"` // may be configured
	Constraints []source.Prose `is:"constraints"`
	Procedure   []source.Prose `is:"procedure"`
	Verify      []source.Prose `is:"verify"`
}

// NewRegistry returns a registry of what ships.
func NewRegistry() *Registry {
	r := &Registry{map[string]Contract{}, map[string]string{}, map[string]feature{}, map[string]string{},
		map[string]*source.Workflow{}}
	if err := r.Add("core.lisp", packs.Core); err != nil {
		panic(err) // it ships with this program, and a test reads it
	}
	return r
}

// Add reads a pack. An id that is taken already is an error, as is everything that is wrong with
// the text: an [ErrorList], and then nothing was added.
func (r *Registry) Add(name string, text []byte) error {
	var p pack
	f := &source.Faults{File: name}
	source.Into(f, text, &p)
	free := func(at source.Text, taken bool) {
		if taken {
			f.Add(at.At, nil, "%q is registered already", at.S)
		}
	}
	next := Registry{maps.Clone(r.contracts), maps.Clone(r.refs), maps.Clone(r.features),
		maps.Clone(r.capabilities), r.templates}
	for _, c := range p.Contracts {
		_, taken := next.contracts[c.ID.S]
		free(c.ID, taken)
		next.contracts[c.ID.S] = Contract{ID: c.ID.S, Kind: c.Kind.S, Schema: Data{&c.Schema.V},
			Required: texts(c.Requirements),
			Example:  Data{&c.Example.V}}
	}
	for _, x := range p.Refs {
		_, taken := next.refs[x.ID.S]
		free(x.ID, taken)
		next.refs[x.ID.S] = x.Text.S
	}
	for _, x := range p.Features {
		_, taken := next.features[x.ID.S]
		free(x.ID, taken)
		next.features[x.ID.S] = x
	}
	for _, x := range p.Capabilities {
		_, taken := next.capabilities[x.Name.S]
		free(x.Name, taken)
		next.capabilities[x.Name.S] = x.Probe.S
	}
	if err := f.Err(); err != nil {
		return err
	}
	*r = next
	return nil
}

// AddTemplate registers a workflow whose steps a templateCall puts in place. Its name is
// wr.templates.routine. and the workflow's id, without routine- at its beginning. In its prompts
// {name} stands for an argument of the call.
func (r *Registry) AddTemplate(name string, text []byte) error {
	w, err := source.Read(name, text)
	if err != nil {
		return err
	}
	for _, s := range w.Steps {
		if s.Template != nil || s.Loop != nil {
			return fmt.Errorf("%s:%s: a template has neither loops nor calls of templates", name, s.At)
		}
	}
	r.templates["wr.templates.routine."+strings.TrimPrefix(w.ID.S, "routine-")] = w
	return nil
}

// unknown says that nothing of this id is registered, and what is.
func unknown[T any](f *source.Faults, at sexpr.Pos, kind, id string, known map[string]T) {
	ids := slices.Sorted(maps.Keys(known))
	if len(ids) == 0 {
		f.Add(at, nil, "unknown %s %q: none is registered", kind, id)
		return
	}
	f.Add(at, nil, "unknown %s %q%s (registered: %s)", kind, id, spell.DidYouMean(id, ids), strings.Join(ids, ", "))
}

func texts(all []source.Text) (out []string) {
	for _, t := range all {
		out = append(out, t.S)
	}
	return out
}
