package policy

import (
	"context"
	"errors"
	"fmt"
	"testing/fstest" // the standard library's file system in memory

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Find implements [act.Finder]: it finds the tools that can be used now.
func (k *Keeper) Find(name string) (act.Tool, error) { return k.Current().Tools.Find(name) }

// Runs reports whether the engine has something that runs a tool.
func (p *Policy) Runs(tool string) bool {
	_, err := p.Tools.Find(tool)
	return err == nil
}

// builtin returns the tools that every engine runs.
func (k *Keeper) builtin() []act.Tool { return []act.Tool{act.Reply(k.say), act.AskPerson()} }

// tools returns the built-in tools, the embedder's, those of capabilities, and those of plugins.
func (k *Keeper) tools(plans []act.Tool) (*act.Registry, error) {
	all := append(k.builtin(), k.Opt.Tools...)
	basic := len(all)
	var remote []skills.RemoteTool
	if k.Opt.Plugins != nil {
		var err error
		if remote, err = k.Opt.Plugins.Tools(); err != nil {
			return nil, err
		}
	}
	all = append(all, plans...)
	if len(remote) == 0 && len(all) == basic {
		return k.basic, nil
	}
	for _, r := range remote {
		t, err := remoteTool(r)
		if err != nil {
			return nil, fmt.Errorf("plugin %s: the tool %.200q: %w", r.Plugin, r.Form, err)
		}
		all = append(all, t)
	}
	return act.NewRegistry(all...)
}

// remoteTool returns an error if a plugin's tool is not one (deftool ...) with a free name. It
// does not trust the form: a tier of allow becomes ask, and no output counts as trusted.
func remoteTool(r skills.RemoteTool) (act.Tool, error) {
	form, err := sexpr.Reader{Code: true}.Read("tool", r.Form)
	if err != nil {
		return act.Tool{}, err
	}
	if items := form.Items(); len(items) == 0 || !items[0].IsSym("deftool") {
		return act.Tool{}, errors.New("expected one (deftool ...)")
	}
	defined, err := definedIn(r.Form)
	if err != nil {
		return act.Tool{}, err
	}
	if len(defined) != 1 {
		return act.Tool{}, errors.New("it is the name of a tool that every engine has")
	}
	schema := *defined[0]
	schema.Trusted, schema.Fields = false, nil
	if schema.Tier == skills.TierAllow {
		schema.Tier = skills.TierAsk
	}
	if defined, err = definedIn(schema.Definition()); err != nil { // as a replay will read it
		return act.Tool{}, err
	}
	return act.Tool{Schema: defined[0], Actuator: act.Func(func(ctx context.Context, c act.Call) (act.Receipt, error) {
		result, err := r.Run(ctx, c.Key, c.Action)
		switch {
		case err == nil:
			return act.Receipt{State: act.Done, Result: result}, nil
		case errors.Is(err, skills.ErrNotDone):
			return act.Receipt{State: act.Nothing, Error: err.Error()}, nil
		}
		return act.Receipt{State: act.Unknown, Error: err.Error()}, nil
	})}, nil
}

// definedIn returns the tools that a text of (deftool ...) forms declares.
func definedIn(text string) ([]*skills.Tool, error) {
	book, err := rules.Loader{}.Load(rules.Root{FS: fstest.MapFS{"tools.lisp": {Data: []byte(text)}}})
	if err != nil {
		return nil, err
	}
	var own []*skills.Tool
	for _, t := range book.Tools() {
		if !t.Builtin {
			own = append(own, t)
		}
	}
	return own, nil
}

// Roots are the rule files of the policy, byte for byte.
func (p *Policy) Roots() ([]rules.Root, error) {
	roots, _, err := bookFrom(bookValue(p))
	return roots, err
}
